//! Findings of a run become reports: in ticks warnings with a cure, in event stepping notes.

use std::collections::BTreeMap;

use situ_engine::ids::{Origin, ScheduleId};
use situ_engine::model::{Boolean, Model};
use situ_engine::sim::{Finding, beats_within_a_tick};
use situ_engine::trace::{Gap, Place};
use situ_words::{phrase, say};

use super::fault::names;
use super::numbers::{number, time};
use super::{Diagnostic, Severity, marked};
use crate::source::{Origins, Span};

/// So many start values that were moved are named.
const MAX_MOVES: usize = 4;

/// So many borders of a slide are named, those that it has met last.
const MAX_BORDERS: usize = 6;

/// Says what was remarkable in a run, one report each; each message makes a line. Of what flickers the first element of
/// a written row is told, and how many others do.
pub fn findings(found: &[Finding], model: &Model, origins: &Origins) -> Vec<Diagnostic> {
    let mut told: Vec<Diagnostic> = Vec::new();
    // By place and value: which report tells of it, and of how many more.
    let mut flickers: BTreeMap<_, (usize, usize)> = BTreeMap::new();
    for finding in found {
        if let Finding::Flicker { what, holds, .. } = finding
            && let Some(span) = origin(*what, model).and_then(|origin| origins.get(origin))
        {
            let key = (span.source.0, span.start, span.end, *holds);
            if let Some((_, more)) = flickers.get_mut(&key) {
                *more += 1;
                continue;
            }
            flickers.insert(key, (told.len(), 0));
        }
        told.push(report(finding, model, origins));
    }
    for (at, more) in flickers.into_values().filter(|(_, more)| *more > 0) {
        let (message, more) = (&told[at].message, say!("report-more-elements", n = more));
        told[at].message = format!("{message}; {more}");
    }
    told
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
                (origin, phrase!("finding-report.comes-faster-faster"))
            });
            let named = situations.iter();
            let named = named.map(|id| &*model.situations[id.index()].name);
            let events = match situations.is_empty() {
                true => phrase!("finding-report.of-borders").to_string(),
                false => names(named),
            };
            match fired {
                Some(fired) => {
                    let message = say!("finding-report", events, limit = at(*limit), fired);
                    marked(
                        Diagnostic::new("R021", Severity::Warning, message),
                        origins,
                        places,
                    )
                    .with_help(say!("finding-report.help-ticks-miss"))
                }
                None => {
                    let message =
                        say!("finding-report.instants-gather", events, limit = at(*limit));
                    let report = Diagnostic::new("R021", Severity::Note, message);
                    marked(report, origins, places)
                }
            }
        }
        Finding::Chatter { what, share, from } => {
            let message = say!(
                "finding-report.chatters-turns",
                what = model.boolean_name(*what),
                share = format!("{:.0}", 100.0 * share),
                from = at(*from)
            );
            marked(
                Diagnostic::new("R020", Severity::Warning, message),
                origins,
                origin(*what, model)
                    .map(|origin| (origin, phrase!("finding-report.turns-own-effect"))),
            )
            .with_help(say!("finding-report.help-leave-gap"))
        }
        Finding::Projected { moves } => {
            let told = moves.iter().map(|&(real, from, to)| {
                let name = &model.reals[real.index()].name;
                say!(
                    "finding-report.by",
                    name,
                    from = format!("{:.1e}", to - from)
                )
            });
            let told: Vec<String> = told.take(MAX_MOVES).collect();
            let message = say!("finding-report.start-values", told = told.join(", "));
            let origins_of = moves.iter().take(MAX_MOVES);
            let origins_of = origins_of.map(|(real, ..)| {
                (
                    model.reals[real.index()].origin,
                    phrase!("finding-report.off-less-than"),
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
            let more = places.len().saturating_sub(MAX_BORDERS);
            let places = &places[more..];
            let borders = places.iter().map(|place| match place {
                Place::Range(id) => &*model.ranges[id.index()].name,
                Place::Relation(id) => &*model.relations[id.index()].id,
            });
            let borders = match more {
                0 => names(borders),
                n => format!("{} {}", names(borders), say!("listing-more", n)),
            };
            let why = match by_itself {
                true => phrase!("finding-report.why-depends-own"),
                false => phrase!("finding-report.why-both-sides"),
            };
            let message = say!("finding-report.run-slides", borders, from = at(*from), why);
            let open = rests.map(|time| say!("finding-report.time-stops-nothing", time = at(time)));
            let origins_of = places.iter().map(|place| match place {
                Place::Range(id) => (model.ranges[id.index()].origin, ""),
                Place::Relation(id) => (model.relations[id.index()].origin, ""),
            });
            let report = Diagnostic::new("R020", Severity::Note, message);
            let report = open.into_iter().fold(report, Diagnostic::with_note);
            marked(report, origins, origins_of)
        }
        Finding::OnBorder { place, time } => {
            let (name, origin) = match place {
                Place::Range(id) => {
                    let range = &model.ranges[id.index()];
                    (&*range.name, range.origin)
                }
                Place::Relation(id) => {
                    let row = &model.relations[id.index()];
                    (&*row.id, row.origin)
                }
            };
            let message = say!("finding-report.on-border", border = name, time = at(*time));
            let report = Diagnostic::new("R027", Severity::Note, message);
            let report = report.with_help(say!("finding-report.help-on-border"));
            marked(report, origins, [(origin, "")])
        }
        Finding::NoValue { range, time } => {
            let range = &model.ranges[range.index()];
            let message = say!(
                "finding-report.no-value",
                range = range.name,
                time = at(*time)
            );
            let report = Diagnostic::new("R028", Severity::Warning, message);
            let report = report.with_help(say!("finding-report.help-no-value"));
            marked(report, origins, [(range.origin, "")])
        }
        Finding::Flicker {
            what,
            holds,
            time,
            times,
        } => {
            let event = matches!(what, Boolean::Situation(_)) && model.is_event(*what);
            let message = say!(
                "finding-flicker",
                event,
                what = model.boolean_name(*what),
                holds,
                time = at(*time),
                more = times - 1
            );
            marked(
                Diagnostic::new("R022", Severity::Warning, message),
                origins,
                origin(*what, model).map(|origin| (origin, "")),
            )
            .with_help(say!("finding-flicker.help"))
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
            let message = say!(
                "finding-report.fired-time",
                situation = situation.name,
                since = at(*since),
                range = range.name,
                abs = number(coarse(margin.abs()))
            );
            marked(
                Diagnostic::new("R023", Severity::Warning, message),
                origins,
                [(
                    situation.origin,
                    phrase!("finding-report.fires-when-condition"),
                )],
            )
            .with_help(say!("finding-report.help-run-events-2"))
        }
        Finding::Through {
            situation,
            range,
            time,
        } => {
            let situation = &model.situations[situation.index()];
            let message = say!(
                "finding-report.stops-and-goes-on",
                situation = situation.name,
                time = at(*time),
                range = model.ranges[range.index()].name
            );
            marked(
                Diagnostic::new("R023", Severity::Warning, message),
                origins,
                [(
                    situation.origin,
                    phrase!("finding-report.fires-when-condition"),
                )],
            )
            .with_help(say!("finding-report.help-hold-or-bounce"))
        }
    }
}

/// Says which extremes are not those of the whole run.
///
/// Shapes: `gaps`: per measure; `readings`: the same measures as they are written, each with its place if it has one.
pub fn gaps<'t>(
    gaps: &[Option<Gap>],
    readings: impl Iterator<Item = (&'t str, Option<Span>)>,
    model: &Model,
) -> Vec<Diagnostic> {
    let report = |(gap, (measure, place)): (&Option<Gap>, (&str, Option<Span>))| {
        let Gap { from, until, spans } = (*gap)?;
        let is_moment = from.to_bits() == until.to_bits();
        let [from, until] = [from, until].map(|when| time(model, when));
        let message = match spans {
            1 if is_moment => say!("finding-gap.at-once", measure, from),
            1 => say!("finding-gap", measure, from, until),
            _ => say!("finding-gap.spans", measure, spans, from, until),
        };
        let report = Diagnostic::new("R029", Severity::Warning, message);
        let report = report.with_help(say!("finding-gap.help"));
        Some(match place {
            Some(place) => report.at(place, say!("finding-gap.label")),
            None => report,
        })
    };
    gaps.iter().zip(readings).filter_map(report).collect()
}

/// A report in a cell of a table: its code and what it says.
pub fn in_a_cell(report: &Diagnostic) -> String {
    format!("{}: {}", report.code, report.message)
}

/// The first error of some reports, [`in_a_cell`]; empty if there is none.
pub fn first_error(reports: &[Diagnostic]) -> String {
    let error = reports.iter().find(|one| one.severity == Severity::Error);
    error.map_or_else(String::new, in_a_cell)
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
        let message = say!(
            "finding-dense-schedules",
            id = model.boolean_name(Boolean::Schedule(id)),
            step = time(model, step),
            period = time(model, period)
        );
        marked(
            Diagnostic::new("R024", Severity::Warning, message),
            origins,
            [(model.schedules[id.index()].origin, "")],
        )
        .with_help(say!("finding-dense-schedules.help"))
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
