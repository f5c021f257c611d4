//! Models as they are understood: what `situ show` prints, and the stages of `situ emit`.

use std::fmt::Write;

use situ_engine::ids::{ConstantId, RealId, RelationId, ScheduleId};
use situ_engine::lower::Program;
use situ_engine::model::{
    Argument, Boolean, Case, Clock, Coefficient, Guard, Model, Quantity, Range, Relation, Setting,
    StartValues,
};
use situ_engine::tape;

use super::lists::{constraints, invariants, lookups, section, systems};
use super::part_listing::parts;
use super::scheme_listing::scheme;
use crate::text::listing::{Align, Listing};
use crate::text::number::{exact, rounded};
use situ_rules::print::{self, ModelText};
use situ_words::say;

/// The resolved model for people: quantities, rules with their ids, cases.
///
/// Shapes: `chain`, the names of the tables it was read from, base first.
pub fn text(model: &Model, chain: &[&str], width: Option<u16>) -> String {
    let mut text = model.name.clone();
    for (before, part) in [(": ", &model.about), ("\nsource: ", &model.source)] {
        if !part.is_empty() {
            let _ = write!(text, "{before}{part}");
        }
    }
    text.push('\n');
    let words = ModelText::of(model);
    if let Some((table, bases)) = chain.split_last() {
        let _ = writeln!(text, "table: {table}");
        for base in bases.iter().rev() {
            let _ = writeln!(text, "extends: {base}");
        }
    }
    let clock = clock(&words, &model.clock);
    if !clock.is_empty() {
        let _ = writeln!(text, "clock: {clock}");
    }
    let starts = model.start_values().unwrap_or_default();
    quantities(&mut text, &words, &starts, width);
    lookups(&mut text, &words, width);
    parts(&mut text, &words, width);
    rules(&mut text, &words, width);
    systems(&mut text, &words, width);
    constraints(&mut text, &words, width);
    invariants(&mut text, &words, width);
    cases(&mut text, &words, width);
    text
}

/// The relations as a Markdown table with the columns of the paper's editor.
pub fn markdown(model: &Model) -> String {
    let words = ModelText::of(model);
    let mut listing = Listing::new([
        (say!("listing-column-number"), Align::Left),
        (say!("listing-column-variable"), Align::Left),
        (say!("listing-column-procedure"), Align::Left),
        (say!("listing-column-coef"), Align::Right),
        (say!("listing-column-arg-1"), Align::Left),
        (say!("listing-column-arg-2"), Align::Left),
        (say!("listing-column-situation"), Align::Left),
        (say!("listing-column-coef-2"), Align::Right),
    ]);
    for relation in &model.relations[..model.written_relations()] {
        let mut args = relation
            .args
            .iter()
            .map(|argument| words.argument(*argument));
        let is_sum = relation.procedure.get().name == "sum";
        let coef2 = if is_sum {
            words.coefficient(relation.coef2)
        } else {
            String::new()
        };
        let guard = match &relation.guard {
            Guard::Always => "EverTrue".to_owned(),
            Guard::When(all) => words.conjunction(all),
            Guard::Otherwise => "otherwise".to_owned(),
        };
        listing.row([
            relation.id.clone(),
            words.targets(relation),
            relation.procedure.get().name.to_owned(),
            words.coefficient(relation.coef),
            args.next().unwrap_or_default(),
            args.collect::<Vec<_>>().join(", "),
            guard,
            coef2,
        ]);
    }
    let mut text = String::new();
    if !listing.is_empty() {
        text = listing.markdown();
    }
    let scheme = scheme(model);
    if !scheme.is_empty() {
        let gap = if text.is_empty() { "" } else { "\n" };
        text.push_str(&format!("{gap}{}", scheme.markdown()));
    }
    text
}

fn quantities(text: &mut String, words: &ModelText<'_>, starts: &StartValues, width: Option<u16>) {
    let model = words.model();
    let heads = [
        (
            say!("listing-constants"),
            &model.constants,
            &starts.constants,
        ),
        (say!("listing-reals"), &model.reals, &starts.reals),
    ];
    for (at, (head, quantities, values)) in heads.into_iter().enumerate() {
        let mut listing = Listing::new([
            (say!("listing-column-name"), Align::Left),
            (say!("listing-column-start"), Align::Right),
            (String::new(), Align::Left),
            (say!("listing-column-unit"), Align::Left),
            (say!("listing-column-about"), Align::Left),
        ]);
        for (index, quantity) in quantities.iter().enumerate() {
            let Quantity {
                name,
                start,
                unit,
                about,
                ..
            } = quantity;
            if at == 1 && model.scheme.is_rate(RealId::new(index)) {
                continue;
            }
            let formula = words.expression(*start);
            let value = values.get(index).copied().unwrap_or(f64::NAN);
            let (value, formula) = match quantity.steady {
                true => ("steady".to_owned(), say!("listing-steady-from", formula)),
                false if formula == exact(value) => (rounded(value), String::new()),
                false => (rounded(value), format!("= {formula}")),
            };
            listing.row([
                print::name(name),
                value,
                formula,
                unit.clone(),
                about.clone(),
            ]);
        }
        section(text, &head, &listing, width);
    }
    let mut switches = Listing::new([
        (say!("listing-column-name"), Align::Left),
        (say!("listing-column-start"), Align::Left),
        (say!("listing-column-about"), Align::Left),
    ]);
    for switch in &model.switches {
        switches.row([
            print::name(&switch.name),
            switch.start.to_string(),
            switch.about.clone(),
        ]);
    }
    section(text, &say!("listing-switches"), &switches, width);
}

fn rules(text: &mut String, words: &ModelText<'_>, width: Option<u16>) {
    let model = words.model();
    let ranges = model
        .ranges
        .iter()
        .filter(|range| !range.anonymous)
        .map(|range| {
            [
                range.id.clone(),
                format!(
                    "{}{}: {}",
                    mark(range),
                    print::name(&range.name),
                    words.comparisons(&range.all)
                ),
                range.note.clone(),
            ]
        });
    let situations = model.situation_rows.iter().map(|row| {
        let situation = &model.situations[row.situation.index()];
        let event = if situation.event { "event " } else { "" };
        let line = format!(
            "{event}{}: {}",
            print::name(&situation.name),
            words.conjunction(&row.all)
        );
        [row.id.clone(), line, row.note.clone()]
    });
    let assignments = model
        .assignments
        .iter()
        .enumerate()
        .map(|(index, row)| [row.id.clone(), words.assignment(index), row.note.clone()]);
    let written = model.relations[..model.written_relations()].iter();
    let relations = written.enumerate().map(|(index, row)| {
        [
            row.id.clone(),
            words.relation(RelationId::new(index)),
            row.note.clone(),
        ]
    });
    let mut list = |head: String, rows: Vec<[String; 3]>| {
        let mut listing = Listing::new([
            (say!("listing-column-id"), Align::Left),
            (say!("listing-column-rule"), Align::Left),
            (say!("listing-column-note"), Align::Left),
        ]);
        rows.into_iter().for_each(|row| listing.row(row));
        section(text, &head, &listing, width);
    };
    list(say!("listing-ranges"), ranges.collect());
    list(say!("listing-situations"), situations.collect());
    list(say!("listing-assignments"), assignments.collect());
    list(say!("listing-relations"), relations.collect());
    let stages = model.scheme.stages.iter().filter(|stage| !stage.back);
    let stages = stages.map(|stage| {
        let note = model.relations[stage.row.index()].note.clone();
        [stage.id.clone(), stage.text.clone(), note]
    });
    list(say!("listing-reactions"), stages.collect());
}

fn cases(text: &mut String, words: &ModelText<'_>, width: Option<u16>) {
    let model = words.model();
    let mut listing = Listing::new([
        (say!("listing-column-name"), Align::Left),
        (say!("listing-column-changes"), Align::Left),
        (say!("listing-column-about"), Align::Left),
    ]);
    for Case {
        name,
        about,
        set,
        clock: changed,
        ..
    } in &model.cases
    {
        listing.row([name.clone(), changes(words, set, changed), about.clone()]);
    }
    section(text, &say!("listing-cases"), &listing, width);
}

/// Changes that a case makes.
fn changes(words: &ModelText<'_>, set: &[Setting], changed: &Clock) -> String {
    let mut changes: Vec<String> = set
        .iter()
        .map(|setting| self::setting(words, setting))
        .collect();
    changes.extend(Some(clock(words, changed)).filter(|changed| !changed.is_empty()));
    changes.join(", ")
}

fn setting(words: &ModelText<'_>, setting: &Setting) -> String {
    let model = words.model();
    match setting {
        Setting::Constant(id, value) => {
            format!(
                "{} = {}",
                print::name(&model.constants[id.index()].name),
                words.expression(*value)
            )
        }
        Setting::Real(id, value) => {
            format!(
                "{} = {}",
                print::name(&model.reals[id.index()].name),
                words.expression(*value)
            )
        }
        Setting::Switch(id, value) => format!(
            "{} = {value}",
            print::name(&model.switches[id.index()].name)
        ),
    }
}

/// Text of a clock, e.g. `step 0.001, stop 8`.
fn clock(words: &ModelText<'_>, clock: &Clock) -> String {
    let stated = clock.stated();
    let stated =
        stated.map(|(setting, value)| format!("{} {}", setting.name, words.clock_value(&value)));
    stated.collect::<Vec<_>>().join(", ")
}

/// The flat tables of a model, one row a line, with the indices that the later stages use.
pub fn stage_model(model: &Model) -> String {
    let words = ModelText::of(model);
    let mut text = String::new();
    let out = &mut text;
    let _ = writeln!(out, "model {}", print::name(&model.name));
    let settings = clock(&words, &model.clock);
    let _ = writeln!(
        out,
        "clock {}",
        if settings.is_empty() {
            "(nothing)"
        } else {
            &settings
        }
    );
    for (index, constant) in model.constants.iter().enumerate() {
        let _ = writeln!(out, "constant {index} {}", quantity(&words, constant));
    }
    for (index, real) in model.reals.iter().enumerate() {
        let hidden = if real.output { "" } else { " hidden" };
        let _ = writeln!(out, "real {index} {}{hidden}", quantity(&words, real));
    }
    for (index, switch) in model.switches.iter().enumerate() {
        let _ = writeln!(
            out,
            "switch {index} {} = {}",
            print::name(&switch.name),
            switch.start
        );
    }
    for (index, range) in model.ranges.iter().enumerate() {
        let name = if range.anonymous {
            "(unnamed)".to_owned()
        } else {
            print::name(&range.name)
        };
        let _ = writeln!(
            out,
            "range {index} [{}] {}{name}: {}",
            range.id,
            mark(range),
            words.comparisons(&range.all)
        );
    }
    for (index, situation) in model.situations.iter().enumerate() {
        let kind = if situation.event { "event" } else { "level" };
        let _ = writeln!(
            out,
            "situation {index} {kind} {}",
            print::name(&situation.name)
        );
    }
    for (index, row) in model.situation_rows.iter().enumerate() {
        let (of, all) = (row.situation.index(), words.conjunction(&row.all));
        let _ = writeln!(out, "situation row {index} [{}] of {of}: {all}", row.id);
    }
    for (index, schedule) in model.schedules.iter().enumerate() {
        let (period, first) = (
            words.expression(schedule.period),
            words.expression(schedule.first),
        );
        let _ = writeln!(out, "schedule {index} every {period} from {first}");
    }
    for (index, row) in model.assignments.iter().enumerate() {
        let _ = writeln!(
            out,
            "assignment {index} [{}] {}",
            row.id,
            words.assignment(index)
        );
    }
    for (index, row) in model.relations.iter().enumerate() {
        let _ = writeln!(out, "relation {index} {}", relation_columns(&words, row));
    }
    for (index, invariant) in model.invariants.iter().enumerate() {
        let (name, value) = (
            print::name(&invariant.name),
            words.expression(invariant.value),
        );
        let _ = writeln!(out, "invariant {index} {name}: {value}");
    }
    for case in &model.cases {
        let _ = writeln!(
            out,
            "case {}: {}",
            print::name(&case.name),
            changes(&words, &case.set, &case.clock)
        );
    }
    text
}

/// The mark of a range, as it stands in front of its name.
fn mark(range: &Range) -> String {
    range
        .mark
        .map_or_else(String::new, |mark| format!("{} ", mark.name()))
}

fn relation_columns(words: &ModelText<'_>, row: &Relation) -> String {
    let mut parts = vec![row.procedure.get().name.to_owned()];
    if row.coef != Coefficient::ONE {
        parts.push(format!("coef {}", words.coefficient(row.coef)));
    }
    parts.extend(row.args.iter().map(|argument| match argument {
        Argument::Real(expr) => format!("arg {}", words.expression(*expr)),
        Argument::Boolean(literal) => format!("arg condition {}", words.literal(*literal)),
    }));
    if row.coef2 != Coefficient::ONE {
        parts.push(format!("coef2 {}", words.coefficient(row.coef2)));
    }
    let guard = words.guard(&row.guard);
    if !guard.is_empty() {
        parts.push(guard);
    }
    let sign = if row.once { ":=" } else { "=" };
    let targets = words.targets(row);
    format!("[{}] {targets} {sign} {}", row.id, parts.join("; "))
}

fn quantity(words: &ModelText<'_>, quantity: &Quantity) -> String {
    let unit = if quantity.unit.is_empty() {
        String::new()
    } else {
        format!(" ({})", quantity.unit)
    };
    let nominal = quantity
        .nominal
        .map_or_else(String::new, |size| format!(" nominal {}", exact(size)));
    let before = quantity.before.map_or_else(String::new, |before| {
        format!(" before {}", words.expression(before))
    });
    let start = words.expression(quantity.start);
    let start = match quantity.steady {
        true => format!("steady({start})"),
        false => start,
    };
    format!(
        "{} = {start}{before}{unit}{nominal}",
        print::name(&quantity.name)
    )
}

/// The operations of a tick, with the model's names for its slots and what its bits stand for.
pub fn stage_tape(model: &Model, program: &Program) -> String {
    let mut names: Vec<Option<String>> = vec![None; program.tape.n_slots as usize];
    for (index, real) in model.reals.iter().enumerate() {
        names[program.real(RealId::new(index)).index()] = Some(print::name(&real.name));
    }
    for (index, constant) in model.constants.iter().enumerate() {
        names[program.constant(ConstantId::new(index)).index()] = Some(print::name(&constant.name));
    }
    names[program.clock.step.index()] = Some("(step)".to_owned());
    names[program.clock.time.index()] = Some("(time)".to_owned());
    let mut text = tape::print(&program.tape, |slot| {
        names.get(slot as usize).cloned().flatten()
    });
    text.push_str("bits\n");
    let n_switches = model.switches.len();
    let n_ranges = model.ranges.len();
    let schedules =
        (0..model.schedules.len()).map(|index| Boolean::Schedule(ScheduleId::new(index)));
    let all = model.named_booleans().map(|(_, what)| what);
    for what in all.chain([Boolean::Start]).chain(schedules) {
        let bit = match what {
            Boolean::Switch(id) => id.index(),
            Boolean::Range(id) => n_switches + id.index(),
            Boolean::Situation(id) => n_switches + n_ranges + id.index(),
            Boolean::Schedule(id) => program.schedule_bits[id.index()] as usize,
            Boolean::Start => program.start_bit as usize,
        };
        let name = match what {
            Boolean::Schedule(_) | Boolean::Start => model.boolean_name(what),
            _ => print::name(&model.boolean_name(what)),
        };
        let _ = writeln!(text, "{:>5}  {name}", format!("b{bit}"));
    }
    text
}
