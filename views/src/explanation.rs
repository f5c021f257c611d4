//! Explanations as text: reasons as indented lines, and as data for programs.
//!
//! ```
//! use std::sync::Arc;
//!
//! use situ_engine::model::Named;
//! use situ_engine::sim::RunConfig;
//! use situ_explain::{Past, Segments};
//!
//! let text = r#"(format: 1, clock: (step: 0.25, stop: 9), reals: {"level": 3},
//!     ranges: ["low: level < 1"], relations: ["level = integral(-1)"])"#;
//! let loaded = situ_rules::load("tank.ron", text, &mut situ_rules::standalone);
//! let model = Arc::new(loaded.model.expect("the table has no mistakes"));
//! let config = RunConfig::from_clock(&model.clock)?;
//! let mut segments = Segments::default();
//! let mut history = segments.begin(&model, &config, (), "the start values")?;
//! history.forward_to(segments.advance(history.place(), 4).0);
//!
//! let Some(Named::Boolean(low)) = model.find("low") else { panic!("it is declared") };
//! let reason = Past::new(&mut segments, &history).why_boolean(low);
//! assert_eq!(
//!     situ_views::explanation::text(&reason),
//!     "- low does not hold\n  - level < 1: 2.25 < 1, margin -1.25\n"
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::sync::Arc;

use serde_json::{Value, json};
use situ_engine::model::{Argument, Model};
use situ_explain::{Arising, Fact, Mover, Reason, RowRef, Turn};
use situ_rules::print::{ModelText, name};

use crate::text::number::{in_unit, percent, rounded, time};

/// A reason as indented lines: `+` stands before what holds, `-` before what does not.
pub fn text(reason: &Reason) -> String {
    let mut text = String::new();
    let mut lines = Lines::default();
    for (depth, reason) in reason.flat() {
        let mark = match reason.holds {
            Some(true) => "+ ",
            Some(false) => "- ",
            None => "",
        };
        let line = lines.line(reason);
        text.push_str(&format!("{}{mark}{line}\n", "  ".repeat(depth)));
    }
    text
}

/// A reason as data: its lines with their depths, whether each holds, and its margin.
pub fn data(reason: &Reason) -> Value {
    let mut lines = Lines::default();
    let flat = reason.flat().into_iter();
    let lines = flat.map(|(depth, reason)| {
        json!({
            "depth": depth,
            "text": lines.line(reason),
            "holds": reason.holds,
            "margin": reason.margin,
        })
    });
    lines.collect()
}

/// Rows that act as lines, with their ids in brackets.
pub fn row_lines<'r>(rows: impl IntoIterator<Item = (&'r Arc<Model>, RowRef)>) -> Vec<String> {
    let mut lines = Lines::default();
    let rows = rows.into_iter();
    rows.map(|(model, row)| acting(lines.words(model), row))
        .collect()
}

/// Who moved a value: the id of a row or a word, and a line.
pub fn mover(mover: &Mover) -> (String, String) {
    match mover {
        Mover::Row { model, relation } => ModelText::of(model).row(*relation),
        Mover::Outside(cause) => ("prompt".to_owned(), cause.clone()),
        Mover::Reaction => (
            "rest".to_owned(),
            "the push of the border on which it rests".to_owned(),
        ),
        Mover::Constraint => (
            "constraint".to_owned(),
            "put back onto the constraints".to_owned(),
        ),
        Mover::Remainder => ("rest".to_owned(), "error of the sums above".to_owned()),
    }
}

fn acting(words: &ModelText<'_>, row: RowRef) -> String {
    let model = words.model();
    match row {
        RowRef::Assignment(index) => format!(
            "[{}] {}",
            model.assignments[index].id,
            words.assignment(index)
        ),
        RowRef::Relation(id) => {
            let (id, line) = words.row(id);
            format!("[{id}] {line}")
        }
    }
}

/// Writes lines, most of which are about one model.
#[derive(Default)]
struct Lines<'r> {
    words: Option<(&'r Arc<Model>, ModelText<'r>)>,
}

impl<'r> Lines<'r> {
    fn line(&mut self, reason: &'r Reason) -> String {
        line(reason, self.words(&reason.model))
    }

    /// The text of a model; that of the last one is kept.
    fn words(&mut self, model: &'r Arc<Model>) -> &ModelText<'r> {
        let known = self.words.take();
        let known = known.filter(|(other, _)| Arc::ptr_eq(other, model));
        let words = known.unwrap_or_else(|| (model, ModelText::of(model)));
        &self.words.insert(words).1
    }
}

fn holds(reason: &Reason) -> &'static str {
    match reason.holds {
        Some(false) => "does not hold",
        _ => "holds",
    }
}

fn line(reason: &Reason, words: &ModelText<'_>) -> String {
    let model = words.model();
    let acting = |row| acting(words, row);
    let time = |when: f64| in_unit(time(when), model.clock.time_unit());
    match &reason.fact {
        Fact::Literal {
            literal,
            see_above,
            turn,
        } => {
            let seen = if *see_above { " (see above)" } else { "" };
            let turn = match turn {
                None => String::new(),
                Some(Turn::At(at)) => format!("; it is going to at t = {}", time(*at)),
                Some(Turn::NotBefore(end)) => format!("; not before t = {}", time(*end)),
            };
            format!("{} {}{seen}{turn}", words.literal(*literal), holds(reason))
        }
        Fact::SlidesAlong | Fact::RestsOn => {
            let bound = match reason.fact {
                Fact::SlidesAlong => "slides along",
                _ => "rests on",
            };
            let holds = holds(reason);
            format!("the state {bound} this border: it {holds} as when that began")
        }
        Fact::Compared {
            comparison,
            left,
            right,
            on_border,
        } => {
            let line = words.comparison(comparison);
            match (on_border, reason.holds) {
                (true, Some(true)) => format!("{line}: on its border, on the side where it holds"),
                (true, _) => format!("{line}: on its border, on the side where it does not hold"),
                (false, _) => format!(
                    "{line}: {} {} {}, margin {}",
                    rounded(*left),
                    comparison.op.symbol(),
                    rounded(*right),
                    rounded(reason.margin.unwrap_or(f64::NAN))
                ),
            }
        }
        Fact::SituationRow { row, arising } => {
            let row = &model.situation_rows[*row];
            let arising = match arising {
                None => "",
                Some(Arising::NotAtStart) => "; at the start nothing arises",
                Some(Arising::Arose) => "; it arose",
                Some(Arising::TurnedSince) => "; what it follows from has turned since",
                Some(Arising::HeldBefore) => "; but it held before, so it did not arise",
                Some(Arising::DidNotHoldBefore) => "; it did not hold before: it arose",
            };
            format!("[{}] {}{arising}", row.id, words.conjunction(&row.all))
        }
        Fact::AssignmentRow(index) => acting(RowRef::Assignment(*index)),
        Fact::TurnedByAssignments => {
            "that was before its assignments; it has turned since".to_owned()
        }
        Fact::SetLast {
            time: at,
            assignment,
        } => {
            let line = acting(RowRef::Assignment(*assignment));
            format!("set last at t = {} by {line}", time(*at))
        }
        Fact::NeverSet => {
            "no assignment has written it: it has its start value, or what was set".to_owned()
        }
        Fact::SetOtherwise => "it holds, but the switch was set otherwise since".to_owned(),
        Fact::NothingArises => "it holds, but at the start nothing arises".to_owned(),
        Fact::HeldBefore => {
            "it holds, and held before: it has to end before it can arise again".to_owned()
        }
        Fact::Value { real, value } => {
            let real = &model.reals[real.index()];
            let gap = if real.unit.is_empty() { "" } else { " " };
            format!(
                "{} = {}{gap}{}",
                name(&real.name),
                rounded(*value),
                real.unit
            )
        }
        Fact::New => "it is new here and has its start value".to_owned(),
        Fact::SetFromOutside => "it was set at the prompt since the last step".to_owned(),
        Fact::WrittenBy {
            relation,
            gave,
            share,
        } => {
            let line = acting(RowRef::Relation(*relation));
            match (gave, share) {
                (Some(value), _) => format!("{line}   gave {}", rounded(*value)),
                (None, Some(share)) => format!(
                    "{line}   counts {}: the state slides along a border",
                    percent(*share)
                ),
                (None, None) => line,
            }
        }
        Fact::Solved {
            relation,
            equation,
            residual,
            slope,
        } => {
            let row = &model.relations[relation.index()];
            let Argument::Real(solved) = row.args[*equation] else {
                return String::new();
            };
            let derivatives = match model.constraint(*relation, *equation) {
                None => "",
                Some(_) => "differentiated: ",
            };
            let slope =
                slope.map_or_else(String::new, |slope| format!(", slope {}", rounded(slope)));
            let equation = words.equation(solved);
            format!(
                "{derivatives}{equation}   off by {}{slope}",
                rounded(*residual)
            )
        }
        Fact::PutOnConstraints { moved } => {
            format!("put back onto the constraints, by {}", rounded(*moved))
        }
        Fact::ReadReal { real, value } => {
            let real = &model.reals[real.index()];
            format!("{} = {}", name(&real.name), rounded(*value))
        }
        Fact::ReadConstant { constant, value } => {
            let constant = &model.constants[constant.index()];
            format!("{} = {}", name(&constant.name), rounded(*value))
        }
        Fact::NeverWritten => {
            "no rule has written it yet: it has its start value, or what was set".to_owned()
        }
        Fact::WrittenLast { relation, time: at } => format!(
            "no rule writes it now; {} wrote it last, at t = {}",
            acting(RowRef::Relation(*relation)),
            time(*at)
        ),
        Fact::WrittenSince { rows, time: since } => {
            let writers = if *rows == 1 { "this row" } else { "these rows" };
            let since = match since {
                None => "the start".to_owned(),
                Some(at) => format!("t = {}", time(*at)),
            };
            format!("written by {writers} since {since}")
        }
    }
}
