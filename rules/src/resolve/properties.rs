//! Properties of resolving: a line computes what its expression says, whatever columns it becomes;
//! any rows are survived, and every change that is offered repairs what it is offered for.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::TestCaseResult;
use situ_engine::model::{Argument, Coefficient, Model, StartValues, verify};
use situ_engine::procedure::{self, CoefRole};

use crate::diag::{Diagnostic, has_errors, page};
use crate::load::{Loaded, load, standalone};

/// So many cases, more if `PROPTEST_CASES` asks for more than its default of 256.
fn cases(count: u32) -> ProptestConfig {
    let config = ProptestConfig::default();
    ProptestConfig {
        cases: count * config.cases / 256,
        failure_persistence: None,
        ..config
    }
}

/// An expression without memory over two constants and two reals.
fn expression() -> impl Strategy<Value = String> {
    let leaf = select(&["2", "0.5", "3", "pi", "m", "g", "x", "y", "time"][..]);
    leaf.prop_map(str::to_owned).prop_recursive(5, 20, 3, |inner| {
        let operator = select(&[" + ", " - ", " * ", " * ", " * ", " / "][..]);
        prop_oneof![
            6 => (inner.clone(), operator, inner.clone()).prop_map(|(a, op, b)| format!("{a}{op}{b}")),
            2 => inner.clone().prop_map(|a| format!("-{a}")),
            2 => inner.clone().prop_map(|a| format!("({a})")),
            1 => inner.clone().prop_map(|a| format!("({a})^2")),
            1 => inner.clone().prop_map(|a| format!("sin({a})")),
            1 => (inner.clone(), inner).prop_map(|(a, b)| format!("max({a}, {b})")),
        ]
    })
}

/// Value that the row writes, by the meaning of its columns.
fn value(model: &Model, row: usize, at: &StartValues) -> f64 {
    let relation = &model.relations[row];
    let coefficient = |coef| match coef {
        Coefficient::Number(number) => number,
        Coefficient::Constant { id, negative } => {
            let value = at.constants[id.index()];
            if negative { -value } else { value }
        }
    };
    let (c, d) = (coefficient(relation.coef), coefficient(relation.coef2));
    let mut args: Vec<f64> = relation
        .args
        .iter()
        .map(|arg| match arg {
            Argument::Real(expr) => model.evaluate(*expr, at),
            Argument::Boolean(_) => f64::NAN,
        })
        .collect();
    let role = relation.procedure.get().coef;
    match role {
        CoefRole::ScalesFirst => args[0] *= c,
        CoefRole::ScalesBoth => {
            args[0] *= c;
            args[1] *= d;
        }
        CoefRole::ScalesResult | CoefRole::Unused | CoefRole::Parameter(_) => {}
    }
    let value = procedure::value(relation.procedure, &args, 0.0);
    if role == CoefRole::ScalesResult {
        c * value
    } else {
        value
    }
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn a_line_computes_what_its_expression_says(line in expression(), x in -2.0..2.0, y in -2.0..2.0) {
        let text = format!(
            "(format: 1, constants: {{\"m\": -1.7, \"g\": 9.81}}, reals: {{\"x\": {x}, \"y\": {y}, \"v\": 0}},
            relations: [\"v = {line}\", \"v = ({line})\"])"
        );
        let loaded = load("table.ron", &text, &mut standalone);
        let Some(model) = loaded.model else {
            return Err(TestCaseError::fail(format!("{line}: {:?}", loaded.diagnostics)));
        };
        let at = model.start_values().expect("numbers go in no circle");
        let [columns, whole] = [0, 1].map(|row| value(&model, row, &at));
        let procedure = model.relations[0].procedure.get().name;
        prop_assert!(columns == whole || columns.is_nan() && whole.is_nan(), "{line} as {procedure}: {columns} {whole}");
    }
}

const NAMES: [&str; 14] = [
    "m", "g", "x", "y", "x", "v", "on", "off", "low", "high", "hit", "rest", "unknown", "Х",
];

fn name() -> impl Strategy<Value = String> {
    select(&NAMES[..]).prop_map(str::to_owned)
}

/// An expression over any names, with any procedures.
fn anything() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        3 => name(),
        1 => select(&["2", "-1", "0", "pi", "time", "x < m", "!on", "start"][..]).prop_map(str::to_owned),
    ];
    leaf.prop_recursive(3, 8, 2, |inner| {
        let call = select(
            &["sin", "sinn", "integral", "smoothing", "delay", "counter", "clamp", "pulse", "m", "every"][..],
        );
        prop_oneof![
            2 => (inner.clone(), select(&["+", "-", "*", "/", "^"][..]), inner.clone())
                .prop_map(|(a, op, b)| format!("{a} {op} {b}")),
            1 => inner.clone().prop_map(|a| format!("-({a})")),
            2 => (call, vec(inner, 0..3)).prop_map(|(name, args)| format!("{name}({})", args.join(", "))),
        ]
    })
}

fn condition() -> impl Strategy<Value = String> {
    let literal = prop_oneof![
        4 => (select(&["", "!"][..]), name()).prop_map(|(sign, name)| format!("{sign}{name}")),
        1 => Just("start".to_owned()),
        1 => anything().prop_map(|period| format!("every({period})")),
        2 => (anything(), anything()).prop_map(|(left, right)| format!("{left} < {right}")),
    ];
    vec(literal, 1..3).prop_map(|literals| literals.join(" & "))
}

fn id() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => Just(String::new()),
        1 => select(&["[1] ", "[a] ", "[a after 2] ", "[b before a] ", "[after b] ", "[2] "][..])
            .prop_map(str::to_owned),
    ]
}

fn relation() -> impl Strategy<Value = String> {
    let guard = prop_oneof![
        2 => Just(String::new()),
        1 => Just(" otherwise".to_owned()),
        3 => condition().prop_map(|condition| format!(" when {condition}")),
    ];
    let line = (id(), name(), select(&["=", ":="][..]), anything(), guard).prop_map(
        |(id, name, sign, value, guard)| {
            format!("{:?}", format!("{id}{name} {sign} {value}{guard}"))
        },
    );
    let procedure = select(
        &[
            "sum",
            "product",
            "proportional",
            "integral",
            "smoothing",
            "timer",
            "mul",
            "assignment",
        ][..],
    );
    let columns = (name(), procedure, anything(), vec(anything(), 0..3), any::<bool>(), condition())
        .prop_map(|(real, procedure, coef, args, once, when)| {
            format!(
                "(real: {real:?}, procedure: {procedure:?}, coef: {coef:?}, args: {args:?}, once: {once}, when: {when:?})"
            )
        });
    prop_oneof![2 => line, 1 => columns]
}

/// `"name": value, ..`, each name once.
fn entries(value: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    vec((name(), value), 0..4).prop_map(|entries| {
        let mut names: Vec<&str> = Vec::new();
        let mut text = String::new();
        for (name, value) in &entries {
            if !names.contains(&&**name) {
                text.push_str(&format!("{name:?}: {value}, "));
                names.push(name);
            }
        }
        text
    })
}

fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        2 => Just("1".to_owned()),
        1 => anything().prop_map(|value| format!("{value:?}")),
    ]
}

fn truth() -> impl Strategy<Value = String> {
    select(&["true", "false"][..]).prop_map(str::to_owned)
}

/// The parts of a table, which need not fit each other.
fn parts() -> impl Strategy<Value = String> {
    let situation = (id(), select(&["", "event "][..]), name(), condition())
        .prop_map(|(id, event, name, all)| format!("{:?}", format!("{id}{event}{name}: {all}")));
    let assignment = (condition(), vec(name(), 1..3))
        .prop_map(|(when, set)| format!("{:?}", format!("when {when}: {}", set.join(", !"))));
    let rows = (
        vec(situation, 0..4),
        vec(assignment, 0..2),
        vec(relation(), 0..5),
    );
    let ids = vec(
        select(&["1", "2", "a", "low", "situations.1", "nothing"][..]),
        0..2,
    );
    let quantities = (entries(number()), entries(number()), entries(truth()));
    let settings = entries(prop_oneof![number(), truth()]);
    (quantities, rows, settings, ids).prop_map(|(quantities, rows, settings, drop)| {
        let (constants, reals, switches) = quantities;
        let (situations, assignments, relations) = rows;
        let rows = |rows: &[String]| rows.join(", ");
        format!(
            "constants: {{{constants}}}, reals: {{{reals}}}, switches: {{{switches}}},
    situations: [{}],
    assignments: [{}],
    relations: [{}],
    cases: {{\"c\": (set: {{{settings}}})}},
    drop: {drop:?},
)",
            rows(&situations),
            rows(&assignments),
            rows(&relations)
        )
    })
}

/// A table and the one that it extends.
fn tables() -> impl Strategy<Value = (String, String)> {
    (parts(), parts()).prop_map(|(base, own)| {
        let own = format!("(format: 1, extends: \"base.ron\", {own}");
        (format!("(format: 1, {base}"), own)
    })
}

fn load_two(base: &str, text: &str) -> Loaded {
    let mut loader = |_: &str, from: &str| match from {
        "table.ron" => Ok(crate::TableText {
            name: "base.ron".to_owned(),
            text: base.to_owned(),
        }),
        _ => Err("there is no such file".to_owned()),
    };
    load("table.ron", text, &mut loader)
}

/// Number of times that a report is made, and the places it stands for.
fn places(loaded: &Loaded, report: &Diagnostic) -> (usize, Vec<String>) {
    let same = loaded
        .diagnostics
        .iter()
        .filter(|other| (other.code, &other.message) == (report.code, &report.message));
    let notes = same.clone().flat_map(|report| report.notes.clone());
    (same.count(), notes.collect())
}

fn examine(base: &str, text: &str) -> TestCaseResult {
    let loaded = load_two(base, text);
    prop_assert_eq!(loaded.model.is_some(), !has_errors(&loaded.diagnostics));
    if let Some(model) = &loaded.model {
        prop_assert_eq!(verify(model), Ok(()));
    }
    for report in &loaded.diagnostics {
        prop_assert!(page(report.code).is_some());
        prop_assert!(!report.message.ends_with('.'));
        let labels = report.primary.iter().chain(&report.secondary);
        for label in labels {
            let source = loaded.sources.get(label.span.source);
            prop_assert!(source.text.get(label.span.range()).is_some(), "{report:?}");
        }
        if let (Some(edit), true) = (&report.edit, report.code.starts_with('N')) {
            let mut texts = [text.to_owned(), base.to_owned()];
            let changed = &mut texts[edit.span.source.0 as usize];
            changed.replace_range(edit.span.range(), &edit.replacement);
            let repaired = load_two(&texts[1], &texts[0]);
            let unread = |loaded: &Loaded| {
                loaded
                    .diagnostics
                    .iter()
                    .filter(|report| report.code.starts_with('P'))
                    .count()
            };
            prop_assert!(
                unread(&repaired) <= unread(&loaded),
                "{report:?}\n{}",
                texts[0]
            );
            // Of a name that is used in several places one is repaired, of rows with one id two.
            let [before, after] = [&loaded, &repaired].map(|loaded| places(loaded, report));
            let repairs = after.0 < before.0 || after.1 != before.1;
            let id = report.message.split('`').nth(1).unwrap_or_default();
            let with_id = |text: &str| text.matches(&format!("\"[{id}")).count();
            let rows = with_id(base) + with_id(text);
            // The ids of rows without one are numbers.
            let counted = id.parse::<u32>().is_ok();
            let repairs = repairs || report.code == "N030" && (before.0 > 1 || rows > 2 || counted);
            let declared = |text: &str| text.matches(&format!("\"{id}\"")).count();
            let repairs = repairs || report.code == "N002" && declared(base) + declared(text) > 2;
            prop_assert!(
                repairs,
                "{report:?}
{}
{}",
                texts[0],
                texts[1]
            );
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn any_rows_are_survived((base, text) in tables()) {
        examine(&base, &text)?;
    }
}
