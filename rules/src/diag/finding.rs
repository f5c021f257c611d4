//! Findings of a run become reports: in ticks warnings with a cure, in event stepping notes.

use situ_engine::ids::{Origin, ScheduleId};
use situ_engine::model::{Boolean, Model};
use situ_engine::sim::{Finding, beats_within_a_tick};
use situ_engine::trace::Place;

use super::fault::{marked, names};
use super::numbers::{number, time};
use super::{Diagnostic, Severity};
use crate::source::Origins;

/// So many start values that were moved are named.
const MAX_MOVES: usize = 4;

/// Says what was remarkable in a run, one report each; each message makes a line.
pub fn findings(found: &[Finding], model: &Model, origins: &Origins) -> Vec<Diagnostic> {
    found
        .iter()
        .map(|finding| report(finding, model, origins))
        .collect()
}

fn report(finding: &Finding, model: &Model, origins: &Origins) -> Diagnostic {
    let at = |when: f64| time(model, when);
    match finding {
        Finding::Gathering {
            situations,
            limit,
            fired,
        } => {
            let places = situations.iter().map(|id| {
                let origin = model.situations[id.index()].origin;
                (origin, "comes faster and faster")
            });
            let events = names(
                situations
                    .iter()
                    .map(|id| &*model.situations[id.index()].name),
            );
            match fired {
                Some(fired) => {
                    let message = format!(
                        "the instants of {events} gather at time {} (Zeno), after {fired} of them",
                        at(*limit)
                    );
                    marked(
                        Diagnostic::new("R021", Severity::Warning, message),
                        origins,
                        places,
                    )
                    .with_help("ticks miss what follows: run with --events, or add a row that says what rests")
                }
                None => {
                    let message = format!(
                        "the instants of {events} gather at time {} (Zeno); they are taken together there",
                        at(*limit)
                    );
                    let report = Diagnostic::new("R021", Severity::Note, message);
                    marked(report, origins, places)
                }
            }
        }
        Finding::Chatter { what, share, from } => {
            let message = format!(
                "`{}` chatters: it turns in {:.0} % of the ticks from time {} on",
                model.boolean_name(*what),
                100.0 * share,
                at(*from)
            );
            marked(
                Diagnostic::new("R020", Severity::Warning, message),
                origins,
                origin(*what, model).map(|origin| (origin, "turns by its own effect")),
            )
            .with_help("leave a gap between two borders (hysteresis), or run with --events, which slides along the border")
        }
        Finding::Projected { moves } => {
            let told = moves.iter().map(|&(real, from, to)| {
                let name = &model.reals[real.index()].name;
                format!("`{name}` by {:.1e}", to - from)
            });
            let told: Vec<String> = told.take(MAX_MOVES).collect();
            let message = format!(
                "start values were moved onto the constraints: {}",
                told.join(", ")
            );
            let origins_of = moves.iter().take(MAX_MOVES);
            let origins_of = origins_of.map(|(real, ..)| {
                (
                    model.reals[real.index()].origin,
                    "off by less than is tolerated",
                )
            });
            marked(
                Diagnostic::new("R026", Severity::Note, message),
                origins,
                origins_of,
            )
        }
        Finding::Sliding {
            places,
            from,
            by_itself,
            rests,
        } => {
            let borders = places.iter().map(|place| match place {
                Place::Range(id) => &*model.ranges[id.index()].name,
                Place::Relation(id) => &*model.relations[id.index()].id,
            });
            let why = match by_itself {
                true => "it depends on its own effect, so that ticks would alternate there",
                false => "both sides lead back to it",
            };
            let message = format!(
                "the run slides along the border of {} from time {} on: {why}",
                names(borders),
                at(*from)
            );
            let open = rests.map(|time| {
                format!(
                    "at time {} it stops there, as nothing moves on either side: the truth from before the slide is kept, \
                     where ticks end with either; a row that acts on one side would decide",
                    at(time)
                )
            });
            let origins_of = places.iter().map(|place| match place {
                Place::Range(id) => (model.ranges[id.index()].origin, ""),
                Place::Relation(id) => (model.relations[id.index()].origin, ""),
            });
            let report = Diagnostic::new("R020", Severity::Note, message);
            let report = open.into_iter().fold(report, Diagnostic::with_note);
            marked(report, origins, origins_of)
        }
        Finding::Flicker {
            what,
            holds,
            time,
            times,
        } => {
            let again = match times {
                1 => String::new(),
                times => format!(", and {} times more", times - 1),
            };
            let of = match what {
                Boolean::Situation(_) if model.is_event(*what) => "the condition of ",
                _ => "",
            };
            let message = format!(
                "{of}`{}` was {holds} for a single tick at time {}{again}: a longer step would lose it",
                model.boolean_name(*what),
                at(*time)
            );
            marked(
                Diagnostic::new("R022", Severity::Warning, message),
                origins,
                origin(*what, model).map(|origin| (origin, "")),
            )
            .with_help("run with --events, or with a smaller step")
        }
        Finding::Stuck {
            situation,
            range,
            since,
            margin,
        } => {
            let (situation, range) = (
                &model.situations[situation.index()],
                &model.ranges[range.index()],
            );
            let message = format!(
                "`{}` fired at time {} and cannot fire again: `{}` stays as it is, and its quantity runs on to {} beyond the border",
                situation.name,
                at(*since),
                range.name,
                number(coarse(margin.abs())),
            );
            marked(
                Diagnostic::new("R023", Severity::Warning, message),
                origins,
                [(situation.origin, "fires when its condition arises")],
            )
            .with_help("run with --events, with a smaller step, or add a row that holds while the condition is true")
        }
    }
}

/// A report in one line: how bad it is, its code, what it says and what to do.
pub fn in_one_line(report: &Diagnostic) -> String {
    let severity = report.severity.word();
    let help = report.help.iter().map(|help| format!("; {help}"));
    let (code, message) = (report.code, &report.message);
    format!("{severity}[{code}]: {message}{}", help.collect::<String>())
}

/// Warns of schedules that beat more than once in a tick.
///
/// Shapes: `step`, the length of a tick [units of `time`].
pub fn dense_schedules(model: &Model, origins: &Origins, step: f64) -> Vec<Diagnostic> {
    let dense = beats_within_a_tick(model, step);
    let report = |(id, period): (ScheduleId, f64)| {
        let message = format!(
            "`{}` fires only once per tick: a tick of {} is longer than its period {}",
            model.boolean_name(Boolean::Schedule(id)),
            time(model, step),
            time(model, period)
        );
        marked(
            Diagnostic::new("R024", Severity::Warning, message),
            origins,
            [(model.schedules[id.index()].origin, "")],
        )
        .with_help("choose a shorter `step`, or run with --events")
    };
    dense.into_iter().map(report).collect()
}

fn origin(what: Boolean, model: &Model) -> Option<Origin> {
    match what {
        Boolean::Switch(id) => Some(model.switches[id.index()].origin),
        Boolean::Range(id) => Some(model.ranges[id.index()].origin),
        Boolean::Situation(id) => Some(model.situations[id.index()].origin),
        Boolean::Schedule(id) => Some(model.schedules[id.index()].origin),
        Boolean::Start => None,
    }
}

/// Three digits.
fn coarse(value: f64) -> f64 {
    format!("{value:.2e}")
        .parse()
        .expect("a formatted number reads back")
}
