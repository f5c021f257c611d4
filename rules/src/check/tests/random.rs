//! Random tables of every kind of row: the check ends, says the same twice, keeps its promises about
//! what it reports, and under a small budget says less but nothing else.

use proptest::prelude::*;

use super::{Budget, check};
use crate::diag::{Severity, page};
use crate::{Loaded, load, standalone};

fn name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["x", "y", "z", "w", "k"])
}

fn expression() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        name().prop_map(str::to_owned),
        (-3..4_i32).prop_map(|number| number.to_string()),
        Just("time".to_owned()),
    ];
    leaf.prop_recursive(3, 8, 2, |inner| {
        let two = (
            inner.clone(),
            prop::sample::select(vec!["+", "-", "*", "/"]),
            inner.clone(),
        );
        prop_oneof![
            two.prop_map(|(a, op, b)| format!("({a} {op} {b})")),
            inner.clone().prop_map(|a| format!("abs({a})")),
            inner.clone().prop_map(|a| format!("sin({a})")),
            inner.prop_map(|a| format!("({a})^2")),
        ]
    })
}

fn literal() -> impl Strategy<Value = String> {
    let named = prop::sample::select(vec![
        "p",
        "q",
        "r0",
        "r1",
        "r2",
        "s0",
        "s1",
        "e0",
        "start",
        "every(0.5)",
    ]);
    let compared = (
        expression(),
        prop::sample::select(vec!["<", "<=", ">", ">="]),
        expression(),
    );
    prop_oneof![
        6 => (any::<bool>(), named).prop_map(|(not, name)| format!("{}{name}", if not { "!" } else { "" })),
        1 => compared.prop_map(|(a, op, b)| format!("{a} {op} {b}")),
    ]
}

fn condition() -> impl Strategy<Value = String> {
    prop::collection::vec(literal(), 1..4).prop_map(|all| all.join(" & "))
}

fn relation() -> impl Strategy<Value = String> {
    let target = prop::sample::select(vec!["x", "y", "z", "w"]);
    let value = prop_oneof![
        3 => expression(),
        2 => expression().prop_map(|a| format!("integral({a})")),
        1 => expression().prop_map(|a| format!("smoothing({a}, 2)")),
        1 => expression().prop_map(|a| format!("delay({a}, 1)")),
        1 => (expression(), literal()).prop_map(|(a, when)| format!("sample_and_hold({a}, {when})")),
        1 => literal().prop_map(|when| format!("timer({when})")),
    ];
    let plain = (target.clone(), value);
    prop_oneof![
        2 => plain.clone().prop_map(|(target, value)| format!("{target} = {value}")),
        3 => (plain.clone(), condition()).prop_map(|((target, value), when)| format!("{target} = {value} when {when}")),
        1 => plain.prop_map(|(target, value)| format!("{target} = {value} otherwise")),
        1 => (target, expression(), condition()).prop_map(|(target, value, when)| format!("{target} := {value} when e0 & {when}")),
        1 => (expression(), expression()).prop_map(|(a, b)| format!("x, y := {a}, {b} when e0")),
    ]
}

fn table() -> impl Strategy<Value = String> {
    let range = (
        expression(),
        prop::sample::select(vec!["<", "<=", ">", ">="]),
        expression(),
    );
    let ranges = prop::collection::vec(range, 3);
    let situations = (condition(), condition(), condition());
    let assignment = (condition(), any::<bool>(), any::<bool>());
    let assignments = prop::collection::vec(assignment, 0..4);
    let relations = prop::collection::vec(relation(), 0..10);
    (ranges, situations, assignments, relations, any::<bool>()).prop_map(
        |(ranges, situations, assignments, relations, simultaneous)| {
            let ranges = ranges.into_iter().enumerate();
            let ranges: Vec<String> =
                ranges.map(|(at, (a, op, b))| format!("r{at}: {a} {op} {b}")).collect();
            // A situation names only those above it.
            let above = |text: String, names: &[&str]| {
                names.iter().fold(text, |text, name| text.replace(name, "q"))
            };
            let situations = [
                format!("s0: {}", above(situations.0, &["s0", "s1", "e0"])),
                format!("s1: {}", above(situations.1, &["s1", "e0"])),
                format!("event e0: {}", above(situations.2, &["e0"])),
            ];
            let assignments: Vec<String> = assignments
                .into_iter()
                .map(|(when, p, value)| {
                    let not = if value { "" } else { "!" };
                    format!("when {when}: {not}{}", if p { "p" } else { "q" })
                })
                .collect();
            let scan = if simultaneous { "simultaneous" } else { "sequential" };
            format!(
                "(format: 1, clock: (scan: {scan}), constants: {{\"k\": 2}}, \
                 reals: {{\"x\": 0, \"y\": 1, \"z\": 0, \"w\": 2}}, \
                 switches: {{\"p\": false, \"q\": true}}, ranges: {ranges:?}, \
                 situations: {situations:?}, assignments: {assignments:?}, relations: {relations:?})"
            )
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, max_global_rejects: 100_000, ..ProptestConfig::default() })]

    #[test]
    fn tables_are_checked(text in table(), total in 0..3000_u64) {
        let Loaded { model, origins, .. } = load("table.ron", &text, &mut standalone);
        // Some combinations are mistakes, for example an integral at an event.
        prop_assume!(model.is_some());
        let model = model.unwrap();
        let found = check(&model, &origins, Budget::UNLIMITED);
        prop_assert_eq!(&found, &check(&model, &origins, Budget::UNLIMITED));
        for finding in &found {
            prop_assert!(finding.severity < Severity::Error);
            prop_assert!(page(finding.code).is_some());
            prop_assert!(finding.primary.is_some(), "{:?}", finding);
            prop_assert!(finding.code != "C090");
        }
        let hasty = check(&model, &origins, Budget { total, question: total, ..Budget::default() });
        let said = |finding: &crate::Diagnostic| {
            finding.code == "C090" || found.iter().any(|known| known.code == finding.code && known.primary == finding.primary)
        };
        for finding in &hasty {
            // A row about which the worst was not found out may be named for something lesser.
            prop_assert!(said(finding) || finding.code == "C002", "{finding:?} but {found:#?}");
        }
    }
}
