//! Faults of a run become reports: the row underlined, with the values that it met.

use situ_engine::ids::{ConstantId, Origin, RealId, SituationId};
use situ_engine::model::Model;
use situ_engine::sim::{RunFault, SetupError, Spent, SpentOn};
use situ_engine::{Rejection, StepError};

use super::numbers::{number, time as shown};
use super::{Diagnostic, Severity, delays, outside, solved};
use crate::source::Origins;

/// Says why a run cannot start.
pub fn setup_error(error: &SetupError, model: &Model, origins: &Origins) -> Diagnostic {
    if let SetupError::Fault(why) = error {
        return fault(why, model, origins);
    }
    let report = Diagnostic::new("R002", Severity::Error, error.to_string());
    let span = error.origin().and_then(|origin| origins.get(origin));
    let report = match span {
        Some(span) => report.at(span, ""),
        None => report,
    };
    match error {
        SetupError::Start(_) | SetupError::Settings(_) | SetupError::Fault(_) => report,
        SetupError::StartNotFinite { .. } => {
            report.with_help("look at the constants and starts that it is computed from")
        }
        SetupError::BadInterval { what: "every", .. } => report.with_help("a period is above zero"),
        SetupError::BadInterval { .. } => report.with_help("a delay is zero or above"),
        SetupError::DelayTooLong { .. } => {
            report.with_help("each tick of a delay is kept in memory: use a longer `step`")
        }
        SetupError::PastNotFinite { .. } => report.with_help(
            "look at the `before` of what is delayed: it is read as far back as the delay is long",
        ),
    }
}

/// Warns of every delay that is not a whole number of ticks and is rounded to one.
///
/// Shapes: `step`, the length of a tick [units of `time`].
pub fn rounded_delays(model: &Model, origins: &Origins, step: f64) -> Vec<Diagnostic> {
    /// Relative distance from a whole number of ticks that is rounding of numbers only.
    const WHOLE: f64 = 1e-9;
    let mut found = Vec::new();
    let Ok(starts) = model.start_values() else {
        return found;
    };
    for row in &model.relations {
        // A length that changes is not rounded.
        let length = row.delay();
        let Some(length) = length.filter(|&length| model.exprs.is_constant(length)) else {
            continue;
        };
        let tau = model.evaluate(length, &starts);
        let ticks = tau / step;
        let whole = ticks.round();
        if ticks.is_finite() && (ticks - whole).abs() > WHOLE * whole.abs().max(1.0) {
            let [used, tau, step] = [whole * step, tau, step].map(|time| shown(model, time));
            let message = format!("the delay of {tau} is rounded to {used}");
            let report = Diagnostic::new("R003", Severity::Warning, message);
            let report = match origins.get(row.origin) {
                Some(span) => report.at(span, format!("lasts whole ticks of {step}")),
                None => report,
            };
            found.push(report.with_help("choose a `step` that divides it"));
        }
    }
    found
}

/// Adds what a row read.
fn read_values(
    report: Diagnostic,
    model: &Model,
    reals: &[(RealId, f64)],
    constants: &[(ConstantId, f64)],
) -> Diagnostic {
    let reals = reals
        .iter()
        .map(|(id, value)| (&model.reals[id.index()].name, value));
    let constants = constants
        .iter()
        .map(|(id, value)| (&model.constants[id.index()].name, value));
    let read: Vec<String> = reals
        .chain(constants)
        .map(|(name, value)| format!("`{name}` = {}", number(*value)))
        .collect();
    match read.is_empty() {
        true => report,
        false => report.with_note(format!("it read {}", read.join(", "))),
    }
}

/// Says why a run stopped before its end.
pub fn fault(fault: &RunFault, model: &Model, origins: &Origins) -> Diagnostic {
    let at = |time: f64| shown(model, time);
    match fault {
        RunFault::NotFinite {
            tick,
            time,
            relation,
            real,
            value,
            reals,
            constants,
            after,
        } => {
            let at_row = (*time, *relation);
            if let Some(report) = outside::in_row(model, origins, at_row, reals, constants) {
                return report;
            }
            let row = &model.relations[relation.index()];
            if row.procedure.solves() {
                let report = solved::unsolved(model, origins, *time, &[*relation], false);
                return read_values(report, model, reals, constants);
            }
            let name = &model.reals[real.index()].name;
            let became = if value.is_nan() { "NaN" } else { "infinite" };
            let time = at(*time);
            let tick = tick.map_or(String::new(), |tick| format!(" in tick {tick},"));
            let message = format!("`{name}` becomes {became}{tick} at time {time}");
            let mut report = Diagnostic::new("R001", Severity::Error, message);
            if let Some(span) = origins.get(row.origin) {
                report = report.at(span, format!("gives {value}"));
            }
            report = read_values(report, model, reals, constants);
            if let Some(after) = after {
                let event = &model.relations[after.index()].id;
                report = report
                    .with_note(format!("row `{event}` has just written that, at the same time"))
                    .with_help(format!(
                        "a row below `{event}` reads what it writes before any condition turns: place it above"
                    ));
            }
            report
        }
        RunFault::OutsideLookup {
            time,
            relation,
            range,
            argument,
            ends,
        } => {
            let reader = (*relation, *range);
            outside::at_end(model, origins, *time, reader, *argument, *ends)
        }
        RunFault::NegativeDelay {
            time,
            relation,
            tau,
        } => delays::negative(model, origins, *time, *relation, *tau),
        RunFault::DerivativeInLoop(row) => {
            let row = &model.relations[row.index()];
            let names = names(
                row.targets
                    .iter()
                    .map(|real| &*model.reals[real.index()].name),
            );
            let message = format!("the derivative {names} is taken of what depends on it");
            marked(
                Diagnostic::new("R004", Severity::Error, message),
                origins,
                [(row.origin, "")],
            )
            .with_help("let the argument follow through an integral or a smoothing")
        }
        RunFault::ClampReadsItself(row) => {
            let row = &model.relations[row.index()];
            let names = names(
                row.targets
                    .iter()
                    .map(|real| &*model.reals[real.index()].name),
            );
            let message = format!("{names} is integrated, and a level row computes it from itself");
            marked(
                Diagnostic::new("R005", Severity::Error, message),
                origins,
                [(row.origin, "")],
            )
            .with_note("repeated for ever, it has no value between two events")
            .with_help("let it happen once, at an event (`:=`), or read another quantity")
        }
        RunFault::Loop {
            time,
            rows,
            singular,
        } => {
            if rows
                .iter()
                .any(|row| model.relations[row.index()].procedure.solves())
            {
                return solved::unsolved(model, origins, *time, rows, *singular);
            }
            let what = if *singular {
                "no single solution"
            } else {
                "no solution that was found"
            };
            let message = format!("an algebraic loop has {what} at time {}", at(*time));
            let rows = rows
                .iter()
                .map(|row| (model.relations[row.index()].origin, "in the loop"));
            marked(
                Diagnostic::new("R006", Severity::Error, message),
                origins,
                rows,
            )
            .with_help("break the loop: give one of its reals an integral or a smoothing")
        }
        RunFault::OffConstraint {
            time,
            residuals,
            moves,
        } => {
            let residuals = residuals.iter();
            let residuals = residuals.map(|(row, equation, all)| (*row, *equation, &all[..]));
            solved::off_constraint(model, origins, *time, residuals, moves)
        }
        RunFault::NoEquilibrium {
            real,
            value,
            rate,
            turned,
        } => solved::no_equilibrium(model, origins, *real, [*value, *rate], turned),
        RunFault::Cycle { time, assignments } => {
            let message = format!(
                "assignments undo each other without end at time {}",
                at(*time)
            );
            let rows = assignments
                .iter()
                .map(|&row| (model.assignments[row].origin, "holds again"));
            marked(
                Diagnostic::new("R007", Severity::Error, message),
                origins,
                rows,
            )
            .with_help("make one of the conditions an event, or name the state in it")
        }
        RunFault::Endless { time, situations } => {
            let message = format!("events follow each other without end at time {}", at(*time));
            let rows = situations.iter().map(|situation| {
                (
                    model.situations[situation.index()].origin,
                    "arises again and again",
                )
            });
            marked(
                Diagnostic::new("R008", Severity::Error, message),
                origins,
                rows,
            )
            .with_note("the time between two events shrinks to nothing")
            .with_help(
                "say what holds afterwards: a situation for rest, or a gap between two borders",
            )
        }
        RunFault::RuleCycle {
            time,
            situations,
            assignments,
            relations,
            ranges,
        } => {
            let message = format!("rules undo each other without end at time {}", at(*time));
            let situations = situations.iter().map(|id| {
                (
                    model.situations[id.index()].origin,
                    "arises again and again",
                )
            });
            let assignments = assignments
                .iter()
                .map(|&row| (model.assignments[row].origin, "turns a switch each time"));
            let relations = relations
                .iter()
                .map(|id| (model.relations[id.index()].origin, "acts each time"));
            let ranges = ranges
                .iter()
                .map(|id| (model.ranges[id.index()].origin, "turns each time"));
            let mut rows: Vec<_> = situations.chain(assignments).chain(relations).collect();
            if rows.is_empty() {
                rows.extend(ranges);
            }
            marked(
                Diagnostic::new("R008", Severity::Error, message),
                origins,
                rows,
            )
            .with_note("what they do brings everything back to where it was, at one time")
            .with_help("leave a gap between the conditions, or let one of them happen later")
        }
        RunFault::Zeno {
            limit, situations, ..
        } => {
            let message = format!("infinitely many events gather at time {}", at(*limit));
            let rows = situations.iter().map(|id| {
                (
                    model.situations[id.index()].origin,
                    "comes faster and faster",
                )
            });
            marked(
                Diagnostic::new("R011", Severity::Error, message),
                origins,
                rows,
            )
            .with_note("what happens there pushes against no border, so that nothing can rest")
            .with_help(
                "say what holds afterwards: a situation for rest, or a gap between two borders",
            )
        }
        RunFault::Chattering { time, ranges } => {
            let message = format!(
                "a border is crossed back and forth without end at time {}",
                at(*time)
            );
            let rows = ranges
                .iter()
                .map(|range| (model.ranges[range.index()].origin, "on this border"));
            marked(
                Diagnostic::new("R009", Severity::Error, message),
                origins,
                rows,
            )
            .with_note("on both sides the motion leads back to it, and each crossing is an event")
            .with_help("use two borders with a gap between them (hysteresis)")
        }
        RunFault::Budget {
            time,
            what,
            limit,
            on,
        } => budget(*time, *what, *limit, on, model, origins),
        RunFault::Step { error, real } => {
            let name = real.map(|real| &model.reals[real.index()]);
            let (time, what) = step_error(error);
            let of = name.map_or(String::new(), |real| {
                format!(", because of `{}`", real.name)
            });
            let message = format!("{what} at time {}{of}", at(time));
            let report = Diagnostic::new("R010", Severity::Error, message);
            let help = match error {
                StepError::TooShort {
                    reason: Rejection::TooLarge,
                    ..
                } => "take an explicit method (`tsit5`, `dop853`), or `auto`, which then uses one",
                StepError::TooShort {
                    reason: Rejection::Error,
                    hmin: Some(_),
                    ..
                } => {
                    "allow shorter steps with a smaller `hmin`, or larger errors with a larger `rtol`"
                }
                StepError::TooShort { hmin: Some(_), .. } => {
                    "allow shorter steps with a smaller `hmin`"
                }
                StepError::TooShort {
                    reason: Rejection::Singular,
                    ..
                } => {
                    "a slope is infinite there, like that of a root at 0: make it finite, \
                     `x / sqrt(abs(x) + small)` for `sqrt(x)`, or take an explicit method (`tsit5`, `dop853`)"
                }
                _ => {
                    "look at the values before: a division by zero, a root of a negative number, a pole"
                }
            };
            marked(report, origins, name.map(|real| (real.origin, ""))).with_help(help)
        }
    }
}

/// A run that has used up what it may do.
fn budget(
    time: f64,
    what: Spent,
    limit: u64,
    on: &SpentOn,
    model: &Model,
    origins: &Origins,
) -> Diagnostic {
    let things = match what {
        Spent::Events => "event instants",
        Spent::Steps if matches!(on, SpentOn::Ticks(_)) => "ticks",
        Spent::Steps => "steps",
        Spent::Rows => "rows",
    };
    let event = |id: SituationId| &model.situations[id.index()];
    let (cause, origin) = match on {
        SpentOn::Ticks(step) => (format!("a tick is {} long", shown(model, *step)), None),
        SpentOn::Rows(every) => (
            format!("there is a row every {}", shown(model, *every)),
            None,
        ),
        SpentOn::Beats(id, period) => {
            let cause = format!("a schedule is due every {}", shown(model, *period));
            (cause, Some(model.schedules[id.index()].origin))
        }
        SpentOn::Firings(id, times) => {
            let cause = format!("`{}` fired {times} times", event(*id).name);
            (cause, Some(event(*id).origin))
        }
        SpentOn::Delay(id, tau) => {
            let cause = format!("no step is longer than the delay of {}", shown(model, *tau));
            (cause, Some(model.relations[id.index()].origin))
        }
        SpentOn::Length(length) => (
            format!("steps are {} long on average", shown(model, *length)),
            None,
        ),
        SpentOn::Borders => ("borders are crossed again and again".to_owned(), None),
    };
    let made = match what {
        Spent::Rows => "makes more than",
        Spent::Events | Spent::Steps => "has made",
    };
    let message = format!(
        "the run {made} {limit} {things} and is at time {}: {cause}",
        shown(model, time)
    );
    let report = Diagnostic::new("R025", Severity::Error, message);
    marked(report, origins, origin.map(|origin| (origin, ""))).with_help(format!(
        "if this is intended, allow more with `{}`",
        what.setting()
    ))
}

/// When a method found no next step, and why, without its internals.
fn step_error(error: &StepError) -> (f64, String) {
    let (t, what) = match *error {
        StepError::TooShort {
            t, reason, hmin, ..
        } => {
            let fails = match (reason, hmin) {
                (Rejection::TooLarge, _) => "no step is possible".to_owned(),
                (_, None) => "the step shrinks to nothing".to_owned(),
                (_, Some(hmin)) => format!("the step shrinks to `hmin` = {}", number(hmin)),
            };
            return (t, format!("{fails}: {}", rejection(reason)));
        }
        StepError::Start { t, .. } => (t, "there is no finite rate to continue with"),
        StepError::Stopped { t } => (t, "values are not defined inside a step"),
        StepError::NoRoom { t, .. } => (t, "the time left is too short for a step"),
    };
    (t, what.to_owned())
}

/// Why a step was rejected.
fn rejection(reason: Rejection) -> &'static str {
    match reason {
        Rejection::Error => "the error stays above the tolerance",
        Rejection::Outside => "values are not defined beyond",
        Rejection::NotFinite => "values become infinite or NaN",
        Rejection::NotConverged => "implicit stages do not converge",
        Rejection::Singular => "the matrix is singular",
        Rejection::TooLarge => {
            "too many rates depend on too many quantities for an implicit method"
        }
    }
}

/// A report with places.
pub(super) fn marked<'a>(
    report: Diagnostic,
    origins: &Origins,
    places: impl IntoIterator<Item = (Origin, &'a str)>,
) -> Diagnostic {
    let mut places = places
        .into_iter()
        .filter_map(|(origin, label)| Some((origins.get(origin)?, label)));
    let report = match places.next() {
        Some((span, label)) => report.at(span, label),
        None => report,
    };
    places.fold(report, |report, (span, label)| report.also(span, label))
}

/// `` `a`, `b` ``.
pub(super) fn names<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ")
}
