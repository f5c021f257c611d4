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
use situ_words::say;

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
        Mover::Reaction => ("rest".to_owned(), say!("why-mover.push-border-rests")),
        Mover::Constraint => ("constraint".to_owned(), say!("why-mover.put-back-onto")),
        Mover::Remainder => ("rest".to_owned(), say!("why-mover.error-sums-above")),
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

fn holds(reason: &Reason) -> String {
    match reason.holds {
        Some(false) => say!("why-holds.does-not-hold"),
        _ => say!("why-holds"),
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
            let seen = match see_above {
                true => say!("why-line.see-above"),
                false => String::new(),
            };
            let turn = match turn {
                None => String::new(),
                Some(Turn::At(at)) => say!("why-line.going-t", at = time(*at)),
                Some(Turn::NotBefore(end)) => say!("why-line.not-before-t", end = time(*end)),
            };
            format!("{} {}{seen}{turn}", words.literal(*literal), holds(reason))
        }
        Fact::SlidesAlong | Fact::RestsOn => {
            let bound = match reason.fact {
                Fact::SlidesAlong => say!("why-line.slides-along"),
                _ => say!("why-line.rests"),
            };
            let holds = holds(reason);
            say!("why-line.state-border-when", bound, holds)
        }
        Fact::Compared {
            comparison,
            left,
            right,
            on_border,
        } => {
            let line = words.comparison(comparison);
            match (on_border, reason.holds) {
                (true, Some(true)) => say!("why-line.border-side-where", line),
                (true, _) => say!("why-line.border-side-where-2", line),
                (false, _) => say!(
                    "why-line.margin",
                    line,
                    left = rounded(*left),
                    symbol = comparison.op.symbol(),
                    right = rounded(*right),
                    margin = rounded(reason.margin.unwrap_or(f64::NAN))
                ),
            }
        }
        Fact::SituationRow { row, arising } => {
            let row = &model.situation_rows[*row];
            let arising = match arising {
                None => String::new(),
                Some(Arising::NotAtStart) => say!("why-line.start-nothing-arises"),
                Some(Arising::Arose) => say!("why-line.arose"),
                Some(Arising::TurnedSince) => say!("why-line.what-follows-turned"),
                Some(Arising::HeldBefore) => say!("why-line.but-held-before"),
                Some(Arising::DidNotHoldBefore) => say!("why-line.did-not-hold"),
            };
            format!("[{}] {}{arising}", row.id, words.conjunction(&row.all))
        }
        Fact::AssignmentRow(index) => acting(RowRef::Assignment(*index)),
        Fact::TurnedByAssignments => {
            say!("why-line.was-before-assignments")
        }
        Fact::SetLast {
            time: at,
            assignment,
        } => {
            let line = acting(RowRef::Assignment(*assignment));
            say!("why-line.set-last-t", at = time(*at), line)
        }
        Fact::NeverSet => {
            say!("why-line.no-assignment-written")
        }
        Fact::SetOtherwise => say!("why-line.holds-but-switch"),
        Fact::NothingArises => say!("why-line.holds-but-start"),
        Fact::HeldBefore => {
            say!("why-line.holds-held-before")
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
        Fact::New => say!("why-line.new-here-start"),
        Fact::NewlyFound => say!("why-line.new-here-present"),
        Fact::SetFromOutside => say!("why-line.was-set-prompt"),
        Fact::WrittenBy {
            relation,
            gave,
            share,
        } => {
            let line = acting(RowRef::Relation(*relation));
            match (gave, share) {
                (Some(value), _) => say!("why-line.gave", line, value = rounded(*value)),
                (None, Some(share)) => say!(
                    "why-line.counts-state-slides",
                    line,
                    share = percent(*share)
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
                None => String::new(),
                Some(_) => say!("why-line.differentiated"),
            };
            let slope = slope.map_or_else(String::new, |slope| {
                say!("why-line.slope", slope = rounded(slope))
            });
            let equation = words.equation(solved);
            say!(
                "why-line.off",
                derivatives,
                equation,
                residual = rounded(*residual),
                slope
            )
        }
        Fact::PutOnConstraints { moved } => {
            say!("why-line.put-back-onto", moved = rounded(*moved))
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
            say!("why-line.no-rule-written")
        }
        Fact::WrittenLast { relation, time: at } => say!(
            "why-line.no-rule-writes",
            relation = acting(RowRef::Relation(*relation)),
            at = time(*at)
        ),
        Fact::WrittenSince { rows, time: since } => {
            let writers = if *rows == 1 {
                say!("why-line.row")
            } else {
                say!("why-line.these-rows")
            };
            let since = match since {
                None => say!("why-line.start"),
                Some(at) => format!("t = {}", time(*at)),
            };
            say!("why-line.written-since", writers, since)
        }
    }
}
