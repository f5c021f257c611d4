//! Faults of a run become reports: the row underlined, with the values that it met.

use situ_engine::ids::{ConstantId, ExprId, RealId, SituationId};
use situ_engine::model::Model;
use situ_engine::sim::{RunFault, SetupError, Spent, SpentOn};
use situ_engine::{Rejection, StepError};
use situ_words::{Phrase, phrase, say};

use super::numbers::{number, time as shown};
use super::{Diagnostic, InWords, Severity, delays, marked, outside, slides, solved};
use crate::source::Origins;

/// Says why a run cannot start.
pub fn setup_error(error: &SetupError, model: &Model, origins: &Origins) -> Diagnostic {
    if let SetupError::Fault(why) = error {
        return fault(why, model, origins);
    }
    let report = Diagnostic::new("R002", Severity::Error, error.in_words());
    let span = error.origin().and_then(|origin| origins.get(origin));
    let report = match span {
        Some(span) => report.at(span, ""),
        None => report,
    };
    match error {
        SetupError::Start(_) | SetupError::Settings(_) | SetupError::Fault(_) => report,
        SetupError::StartNotFinite { .. } => {
            report.with_help(say!("run-setup-error.help-look-constants"))
        }
        SetupError::BadInterval { what: "every", .. } => {
            report.with_help(say!("run-setup-error.help-period-above"))
        }
        SetupError::BadInterval {
            what: "smoothing", ..
        } => report.with_help(say!("run-setup-error.help-smoothing-above")),
        SetupError::BadInterval { .. } => report.with_help(say!("run-setup-error.help-delay-zero")),
        SetupError::DelayTooLong { .. } => report.with_help(say!("run-setup-error.help-each-tick")),
        SetupError::PastNotFinite { .. } => {
            report.with_help(say!("run-setup-error.help-look-before"))
        }
    }
}

/// Warns of every delay that is not a whole number of ticks and is rounded to one.
///
/// Shapes: `step`, the length of a tick [units of `time`].
pub fn rounded_delays(model: &Model, origins: &Origins, step: f64) -> Vec<Diagnostic> {
    /// Relative distance from a whole number of ticks that is rounding of numbers only.
    const WHOLE: f64 = 1e-9;
    let mut found = Vec::new();
    // A length that changes is not rounded.
    let is_constant = |&(_, length): &(_, ExprId)| model.exprs.is_constant(length);
    let rows = model.relations.iter();
    let delays = rows.filter_map(|row| Some((row, row.delay()?)));
    let delays: Vec<_> = delays.filter(is_constant).collect();
    if delays.is_empty() {
        return found;
    }
    let Ok(starts) = model.start_values() else {
        return found;
    };
    for (row, length) in delays {
        let tau = model.evaluate(length, &starts);
        let ticks = tau / step;
        let whole = ticks.round();
        if ticks.is_finite() && (ticks - whole).abs() > WHOLE * whole.abs().max(1.0) {
            let [used, tau, step] = [whole * step, tau, step].map(|time| shown(model, time));
            let message = say!("run-rounded-delays", tau, used);
            let report = Diagnostic::new("R003", Severity::Warning, message);
            let report = match origins.get(row.origin) {
                Some(span) => report.at(span, say!("run-rounded-delays.label", step)),
                None => report,
            };
            found.push(report.with_help(say!("run-rounded-delays.help")));
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
        false => report.with_note(say!("run-read-values.note", read = read.join(", "))),
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
                let report = solved::unsolved(model, origins, *time, &[*relation], (false, None));
                return read_values(report, model, reals, constants);
            }
            let name = &model.reals[real.index()].name;
            let became = if value.is_nan() { "NaN" } else { "infinite" };
            let time = at(*time);
            let tick = tick.map_or(String::new(), |tick| say!("run-fault.tick", tick));
            let message = say!("run-fault", name, became, tick, time);
            let mut report = Diagnostic::new("R001", Severity::Error, message);
            if let Some(span) = origins.get(row.origin) {
                report = report.at(span, say!("run-fault.label", value));
            }
            report = read_values(report, model, reals, constants);
            if let Some(after) = after {
                let event = &model.relations[after.index()].id;
                report = report
                    .with_note(say!("run-fault.note-row-just", event))
                    .with_help(say!("run-fault.help-row-below", event));
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
        RunFault::ShortDelay {
            time,
            relation,
            tau,
        } => delays::short(model, origins, *time, *relation, *tau),
        RunFault::DerivativeInLoop(row) => {
            let row = &model.relations[row.index()];
            let names = names(
                row.targets
                    .iter()
                    .map(|real| &*model.reals[real.index()].name),
            );
            let message = say!("run-fault.derivative-taken", names);
            marked(
                Diagnostic::new("R004", Severity::Error, message),
                origins,
                [(row.origin, "")],
            )
            .with_help(say!("run-fault.help-let-argument"))
        }
        RunFault::ClampReadsItself(row) => {
            let row = &model.relations[row.index()];
            let names = names(
                row.targets
                    .iter()
                    .map(|real| &*model.reals[real.index()].name),
            );
            let message = say!("run-fault.integrated-level", names);
            marked(
                Diagnostic::new("R005", Severity::Error, message),
                origins,
                [(row.origin, "")],
            )
            .with_note(say!("run-fault.note-repeated-ever"))
            .with_help(say!("run-fault.help-let-happen"))
        }
        RunFault::Loop {
            time,
            rows,
            singular,
            at_bounds,
        } => {
            if rows
                .iter()
                .any(|row| model.relations[row.index()].procedure.solves())
            {
                return solved::unsolved(model, origins, *time, rows, (*singular, *at_bounds));
            }
            let what = if *singular {
                phrase!("run-no-single-solution")
            } else {
                phrase!("run-no-solution-was")
            };
            let message = say!("run-fault.algebraic-loop", what, time = at(*time));
            let rows = rows.iter().map(|row| {
                (
                    model.relations[row.index()].origin,
                    phrase!("run-fault.loop"),
                )
            });
            marked(
                Diagnostic::new("R006", Severity::Error, message),
                origins,
                rows,
            )
            .with_help(say!("run-fault.help-break-loop"))
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
            let message = say!("run-fault.assignments-undo", time = at(*time));
            let rows = assignments.iter().map(|&row| {
                (
                    model.assignments[row].origin,
                    phrase!("run-fault.holds-again"),
                )
            });
            marked(
                Diagnostic::new("R007", Severity::Error, message),
                origins,
                rows,
            )
            .with_help(say!("run-fault.help-make-conditions"))
        }
        RunFault::Endless { time, situations } => {
            let message = say!("run-fault.events-follow", time = at(*time));
            let rows = situations.iter().map(|situation| {
                (
                    model.situations[situation.index()].origin,
                    phrase!("run-fault.arises-again-again"),
                )
            });
            marked(
                Diagnostic::new("R008", Severity::Error, message),
                origins,
                rows,
            )
            .with_note(say!("run-fault.note-time-between"))
            .with_help(say!("run-fault.help-say-what"))
        }
        RunFault::RuleCycle {
            time,
            situations,
            assignments,
            relations,
            ranges,
        } => {
            let message = say!("run-fault.rules-undo", time = at(*time));
            let situations = situations.iter().map(|id| {
                (
                    model.situations[id.index()].origin,
                    phrase!("run-fault.arises-again-again"),
                )
            });
            let assignments = assignments.iter().map(|&row| {
                (
                    model.assignments[row].origin,
                    phrase!("run-fault.turns-switch-each"),
                )
            });
            let relations = relations.iter().map(|id| {
                (
                    model.relations[id.index()].origin,
                    phrase!("run-fault.acts-each-time"),
                )
            });
            let ranges = ranges.iter().map(|id| {
                (
                    model.ranges[id.index()].origin,
                    phrase!("run-fault.turns-each-time"),
                )
            });
            let mut rows: Vec<_> = situations.chain(assignments).chain(relations).collect();
            if rows.is_empty() {
                rows.extend(ranges);
            }
            marked(
                Diagnostic::new("R008", Severity::Error, message),
                origins,
                rows,
            )
            .with_note(say!("run-fault.note-what-they"))
            .with_help(say!("run-fault.help-leave-gap"))
        }
        RunFault::Zeno {
            limit, situations, ..
        } => {
            let message = say!("run-fault.infinitely-many", limit = at(*limit));
            let rows = situations.iter().map(|id| {
                (
                    model.situations[id.index()].origin,
                    phrase!("run-fault.comes-faster-faster"),
                )
            });
            marked(
                Diagnostic::new("R011", Severity::Error, message),
                origins,
                rows,
            )
            .with_note(say!("run-fault.note-what-happens"))
            .with_help(say!("run-fault.help-say-what"))
        }
        RunFault::Chattering {
            time,
            ranges,
            relation,
            why,
        } => slides::none(model, origins, *time, (ranges, *relation), *why),
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
                say!("run-fault.because", real = real.name)
            });
            let message = say!("run-fault.time", what, time = at(time), of);
            let report = Diagnostic::new("R010", Severity::Error, message);
            let help = match error {
                StepError::TooShort {
                    reason: Rejection::TooLarge,
                    ..
                } => say!("run-fault.help-take-explicit"),
                StepError::TooShort {
                    reason: Rejection::Error,
                    hmin: Some(_),
                    ..
                } => {
                    say!("run-fault.help-allow-shorter")
                }
                StepError::TooShort { hmin: Some(_), .. } => {
                    say!("run-fault.help-allow-shorter-2")
                }
                StepError::TooShort {
                    reason: Rejection::Singular,
                    ..
                } => {
                    say!("run-fault.help-slope-infinite")
                }
                StepError::NoRoom { .. } if model.clock.step_formula.is_some() => {
                    say!("run-fault.help-step-formula")
                }
                _ => {
                    say!("run-fault.help-look-values")
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
    let event = |id: SituationId| &model.situations[id.index()];
    let (cause, origin) = match on {
        SpentOn::Ticks(step) => (
            say!("run-budget.tick-long", step = shown(model, *step)),
            None,
        ),
        SpentOn::Rows(every) => (
            say!("run-budget.row-every", every = shown(model, *every)),
            None,
        ),
        SpentOn::Beats(id, period) => {
            let cause = say!(
                "run-budget.schedule-due-every",
                period = shown(model, *period)
            );
            (cause, Some(model.schedules[id.index()].origin))
        }
        SpentOn::Firings(id, times) => {
            let cause = say!("run-budget.fired-times", id = event(*id).name, times);
            (cause, Some(event(*id).origin))
        }
        SpentOn::Delay(id, tau) => {
            let cause = say!("run-budget.no-step-longer", tau = shown(model, *tau));
            (cause, Some(model.relations[id.index()].origin))
        }
        SpentOn::Length(length) => (
            say!(
                "run-budget.steps-long-average",
                length = shown(model, *length)
            ),
            None,
        ),
        SpentOn::Borders => (say!("run-budget.borders-crossed-again"), None),
    };
    let time = shown(model, time);
    let message = match what {
        Spent::Events => say!("run-budget.events", n = limit, time, cause),
        Spent::Steps if matches!(on, SpentOn::Ticks(_)) => {
            say!("run-budget.ticks", n = limit, time, cause)
        }
        Spent::Steps => say!("run-budget.steps", n = limit, time, cause),
        Spent::Rows => say!("run-budget.rows", n = limit, time, cause),
    };
    let report = Diagnostic::new("R025", Severity::Error, message);
    marked(report, origins, origin.map(|origin| (origin, "")))
        .with_help(say!("run-budget.help", setting = what.setting()))
}

/// When a method found no next step, and why, without its internals.
fn step_error(error: &StepError) -> (f64, String) {
    let (t, what) = match *error {
        StepError::TooShort {
            t, reason, hmin, ..
        } => {
            let fails = match (reason, hmin) {
                (Rejection::TooLarge, _) => say!("run-step-error.no-step-possible"),
                (_, None) => say!("run-step-error.step-shrinks-nothing"),
                (_, Some(hmin)) => say!("run-step-error.step-shrinks-hmin", hmin = number(hmin)),
            };
            return (t, format!("{fails}: {}", rejection(reason)));
        }
        StepError::Start { t, .. } => (t, phrase!("run-step-error.no-finite-rate")),
        StepError::Stopped { t } => (t, phrase!("run-step-error.values-not-defined")),
        StepError::NoRoom { t, until } => {
            let length = number(until - t);
            return (t, say!("run-step-error.no-length", length));
        }
    };
    (t, what.into())
}

/// Why a step was rejected.
fn rejection(reason: Rejection) -> Phrase {
    match reason {
        Rejection::Error => phrase!("run-rejection.error-stays-above"),
        Rejection::Outside => phrase!("run-rejection.values-not-defined"),
        Rejection::NotFinite => phrase!("run-rejection.values-become-infinite"),
        Rejection::NotConverged => phrase!("run-rejection.implicit-stages-do"),
        Rejection::Singular => phrase!("run-rejection.matrix-singular"),
        Rejection::TooLarge => {
            phrase!("run-rejection.too-many-rates")
        }
    }
}

/// `` `a`, `b` ``.
pub(super) fn names<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ")
}
