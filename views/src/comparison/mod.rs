//! Two runs of one table held against each other: which events both have, how far apart, and how
//! far the values differ.

mod common;
pub mod contact_intervals;
pub mod convergence;
pub mod observed;
pub mod pairing;
mod report;
#[cfg(test)]
mod tests;

use serde::Serialize;
use situ_engine::ids::RealId;
use situ_engine::model::{Boolean, Model};
use situ_engine::trace::Place;

use crate::comparison::common::Common;
use crate::comparison::contact_intervals::{BorderName, ContactIntervals, Hold};
use crate::comparison::observed::Observed;
use crate::comparison::pairing::{outside, pairs};

/// Relative to the range of a real, a difference up to this is agreement.
const AGREES: f64 = 1e-3;

/// So many changes, and ten times those in common, are chatter if only one of the runs has them.
const MANY: usize = 100;

/// So many turns of a range where another run stays on its border are going back and forth.
const FEW: usize = 4;

/// Comparison of two runs: what they have in common and what not.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Comparison {
    /// Name of the model.
    pub model: String,
    /// Stepping of the two runs.
    pub runs: [RunOf; 2],
    /// Common part of the runs [units of `time`].
    pub until: f64,
    /// Names that only the one or the other has.
    #[serde(skip_serializing_if = "is_without_names")]
    pub only: [Vec<String>; 2],
    /// Unit of times; empty if the clock states none.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub time_unit: &'static str,
    /// The first event that only one of them has.
    pub first_difference: Option<Alone>,
    /// Every change in the order of time.
    pub changes: Vec<Compared>,
    /// Booleans that changed, events that fired.
    pub booleans: Vec<BooleanCompared>,
    /// Times in which one run slides along a border, or rests on one.
    pub contacts: Vec<ContactCompared>,
    /// Reals.
    pub reals: Vec<RealCompared>,
    /// In words.
    pub verdict: String,
}

/// A time in which one run stays on a border.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ContactCompared {
    /// Number of the run: 0 or 1.
    pub run: usize,
    /// Kind of the contact; in data `slides along`, `rests on`.
    pub what: Hold,
    /// Name of the border.
    pub border: BorderName,
    /// When that began [units of `time`].
    pub from: f64,
    /// When it ended, or the runs did [units of `time`].
    pub to: f64,
    /// Number of times that the other run went over the border meanwhile; unknown where no boolean shows it.
    pub crossed: Option<usize>,
}

impl ContactCompared {
    /// True if the other run went back and forth over the border, as far as can be told.
    fn is_crossed(&self) -> bool {
        self.crossed.is_none_or(|crossed| crossed >= FEW)
    }
}

/// A change of a boolean in both runs, or in one.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Compared {
    /// Name of the boolean.
    pub name: String,
    /// Its new value; an event fires.
    pub to: bool,
    /// When in either run, `None` where it is missing [units of `time`].
    pub times: [Option<f64>; 2],
}

impl Compared {
    /// When it came first.
    fn first(&self) -> f64 {
        let times = self.times.iter().flatten();
        times.copied().fold(f64::INFINITY, f64::min)
    }

    fn alone(&self) -> Option<Alone> {
        let only_in = self.times.iter().position(Option::is_some)?;
        self.times[1 - only_in].is_none().then(|| Alone {
            name: self.name.clone(),
            to: self.to,
            time: self.first(),
            only_in,
        })
    }
}

/// One of the two runs.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RunOf {
    /// `tick` or `events`.
    pub stepping: &'static str,
    /// Its stepping, in words.
    pub how: String,
    /// Time at which it broke off, and the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

/// A change that one run has and the other has not.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Alone {
    /// Name of the boolean.
    pub name: String,
    /// Its new value; an event fires.
    pub to: bool,
    /// When [units of `time`].
    pub time: f64,
    /// Number of the run that has it: 0 or 1.
    pub only_in: usize,
}

/// The changes of one boolean in both runs.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct BooleanCompared {
    /// Its name.
    pub name: String,
    /// Changes that both runs have.
    pub both: usize,
    /// Changes that only the one or the other has.
    pub only: [usize; 2],
    /// Mean distance of those that both have [units of `time`].
    pub mean_distance: Option<f64>,
    /// Largest distance of those that both have [units of `time`].
    pub largest_distance: Option<f64>,
    /// When that was, in the first run [units of `time`].
    pub largest_at: Option<f64>,
}

/// The values of one real in both runs.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RealCompared {
    /// Its name.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// Largest difference at the common times [its unit]; those between the two times of a change
    /// that both runs have are left out, because there one run is already beyond it.
    pub difference: f64,
    /// When that is [units of `time`].
    pub at: f64,
    /// The difference as a part of the range of its values in both runs.
    pub relative: f64,
    /// The same at times at which neither run goes back and forth over a border on which the other stays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elsewhere: Option<Elsewhere>,
}

/// The largest difference away from borders.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Elsewhere {
    /// Its size [the real's unit].
    pub difference: f64,
    /// When that is [units of `time`].
    pub at: f64,
    /// The difference as a part of the range of the values in both runs.
    pub relative: f64,
}

impl Comparison {
    /// Of two runs of one table, whose models may differ in the sizes of families; `remark` is a sentence for the
    /// verdict.
    pub fn of(
        models: [&Model; 2],
        runs: [(RunOf, &Observed, &ContactIntervals); 2],
        remark: &str,
    ) -> Self {
        let model = models[0];
        let common = Common::of(models);
        let [(first, a, contacts_of_a), (second, b, contacts_of_b)] = runs;
        let n = [a, b]
            .map(|run| run.reals.first().map_or(0, Vec::len))
            .into_iter()
            .min();
        let n = n.unwrap_or(0);
        let until = n.checked_sub(1).map_or(0.0, |last| a.times[last]);
        let mut booleans = Vec::new();
        let mut changes: Vec<Compared> = Vec::new();
        for (what, is_told) in a.booleans() {
            let Some(other) = common.other(0, what) else {
                continue;
            };
            let mut compared = BooleanCompared {
                name: model.boolean_name(what),
                both: 0,
                only: [0, 0],
                mean_distance: None,
                largest_distance: None,
                largest_at: None,
            };
            let mut of_boolean: Vec<Compared> = Vec::new();
            for to in [true, false] {
                let times =
                    [(a, what), (b, other)].map(|(run, what)| run.times_of(what, to, until));
                let pairs = pairs(times);
                compared.add(&pairs);
                of_boolean.extend(pairs.into_iter().map(|times| Compared {
                    name: compared.name.clone(),
                    to,
                    times,
                }));
            }
            // In ticks a range holds on for a tick that in an event-accurate run is over in its instant.
            let is_same = first.stepping == second.stepping;
            if !is_told && (compared.only == [0, 0] || !is_same) {
                continue;
            }
            changes.extend(of_boolean);
            if compared.both + compared.only[0] + compared.only[1] > 0 {
                if let Some(sum) = &mut compared.mean_distance {
                    *sum /= compared.both as f64;
                }
                booleans.push(compared);
            }
        }
        let shown = (model.reals.iter().zip(&common.reals).enumerate())
            .filter(|(_, (real, _))| real.output)
            .filter_map(|(index, (real, other))| Some((index, (*other)?, real)));
        let spans = a.spans(b, |what| common.other(1, what), until);
        let mut settled = outside(&a.times[..n], spans);
        if first.stepping != second.stepping {
            // Before the first tick rows have computed nothing; events begin with what holds.
            settled.retain(|&sample| a.times[sample] > 0.0);
        }
        let contacts = compared_contacts(models, [contacts_of_a, contacts_of_b], &common, until);
        let crossed: Vec<[f64; 2]> = (contacts.iter().filter(|contact| contact.is_crossed()))
            .map(|contact| [contact.from, contact.to])
            .collect();
        let away = outside(&a.times[..n], crossed.iter().copied());
        let away: Vec<usize> = (settled.iter().copied())
            .filter(|sample| away.binary_search(sample).is_ok())
            .collect();
        let ticks = [(&first, a), (&second, b)].map(|(run, seen)| (run.stepping == "tick", seen));
        let computed = ticks
            .iter()
            .filter(|(is_tick, _)| *is_tick)
            .fold([settled.clone(), away.clone()], |samples, (_, seen)| {
                samples.map(|samples| seen.from_first_step(&samples))
            });
        let reals = shown
            .map(|(index, other, real)| {
                let columns = [&a.reals[index][..n], &b.reals[other][..n]];
                // A start value that no tick keeps is no value of the run.
                let [settled, away] = match starts_anew(model, index) {
                    true => [&computed[0], &computed[1]],
                    false => [&settled, &away],
                }
                .map(|samples| a.clear_of_jumps(b, index, samples));
                let [settled, away] = [&settled, &away];
                let (difference, at) = largest_difference(columns, &a.times, settled);
                let all = || {
                    columns
                        .into_iter()
                        .flatten()
                        .copied()
                        .filter(|value| value.is_finite())
                };
                let range =
                    all().fold(f64::NEG_INFINITY, f64::max) - all().fold(f64::INFINITY, f64::min);
                let relative = |difference: f64| {
                    if difference == 0.0 {
                        0.0
                    } else {
                        difference / range
                    }
                };
                let elsewhere = || {
                    let (difference, at) = largest_difference(columns, &a.times, away);
                    Elsewhere {
                        difference,
                        at,
                        relative: relative(difference),
                    }
                };
                RealCompared {
                    name: real.name.clone(),
                    unit: real.unit.clone(),
                    difference,
                    at,
                    relative: relative(difference),
                    elsewhere: (!crossed.is_empty()).then(elsewhere),
                }
            })
            .collect();
        changes.sort_by(|a, b| a.first().total_cmp(&b.first()));
        let mut comparison = Self {
            model: model.name.clone(),
            runs: [first, second],
            until,
            only: common.only,
            time_unit: model.clock.time_unit(),
            first_difference: changes.iter().find_map(Compared::alone),
            changes,
            booleans,
            contacts,
            reals,
            verdict: String::new(),
        };
        comparison.verdict = comparison.judge(remark);
        comparison
    }

    /// True if both runs came to their end.
    pub fn is_whole(&self) -> bool {
        self.runs.iter().all(|run| run.fault.is_none())
    }

    /// True if both runs have the same events and about the same values.
    pub fn agrees(&self) -> bool {
        self.is_whole()
            && is_without_names(&self.only)
            && self.first_difference.is_none()
            && self.reals.iter().all(|real| real.relative <= AGREES)
    }
}

fn is_without_names(only: &[Vec<String>; 2]) -> bool {
    only.iter().all(Vec::is_empty)
}

/// True if rows give a real its value anew, whatever it starts with.
fn starts_anew(model: &Model, real: usize) -> bool {
    model.rewriters(RealId::new(real)).next().is_some()
}

impl BooleanCompared {
    /// Adds the changes to one truth value.
    fn add(&mut self, pairs: &[[Option<f64>; 2]]) {
        for pair in pairs {
            match *pair {
                [Some(a), Some(b)] => {
                    let distance = (b - a).abs();
                    self.both += 1;
                    *self.mean_distance.get_or_insert(0.0) += distance;
                    if self
                        .largest_distance
                        .is_none_or(|largest| distance > largest)
                    {
                        self.largest_distance = Some(distance);
                        self.largest_at = Some(a);
                    }
                }
                [first, _] => self.only[usize::from(first.is_none())] += 1,
            }
        }
    }
}

/// Contacts of one run to borders that both have, with what the other does there meanwhile.
fn compared_contacts(
    models: [&Model; 2],
    contacts: [&ContactIntervals; 2],
    common: &Common,
    until: f64,
) -> Vec<ContactCompared> {
    let mut compared = Vec::new();
    for (run, other) in [(0, 1), (1, 0)] {
        let all = contacts[run]
            .all()
            .iter()
            .filter(|contact| contact.from < until);
        compared.extend(all.filter_map(|contact| {
            let crossed = match contact.place {
                Place::Range(range) => {
                    let Boolean::Range(range) = common.other(run, Boolean::Range(range))? else {
                        return None;
                    };
                    Some(contacts[other].turns(range, [contact.from, contact.to]))
                }
                // A kink of a row shows in no boolean.
                Place::Relation(_) => None,
            };
            Some(ContactCompared {
                run,
                what: contact.hold,
                border: BorderName::of(contact.place, models[run]),
                from: contact.from,
                to: contact.to.min(until),
                crossed,
            })
        }));
    }
    compared.sort_by(|a, b| a.from.total_cmp(&b.from));
    compared
}

/// The largest difference of two columns and when it is.
fn largest_difference(columns: [&[f64]; 2], times: &[f64], at: &[usize]) -> (f64, f64) {
    at.iter().fold((0.0, 0.0), |(largest, at), &sample| {
        let difference = (columns[0][sample] - columns[1][sample]).abs();
        if difference > largest {
            (difference, times[sample])
        } else {
            (largest, at)
        }
    })
}
