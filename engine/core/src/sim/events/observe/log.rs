//! Takes notes of what happens, for a recorder that wants them.

use crate::ids::RelationId;
use crate::lower::border::{BorderId, BorderSource, Borders, Side};
use crate::sim::Finding;
use crate::sim::events::modes::evaluation::evaluator::Evaluator;
use crate::sim::events::observe::Observation;
use crate::sim::events::run::EventRun;
use crate::trace::{Direction, Event, Instant, Place, What};

/// The instant being written down.
#[derive(Clone, Debug, Default)]
pub(crate) struct Log {
    /// True if there is a reader of the log.
    pub(crate) wanted: bool,
    pub(crate) instant: Instant,
    microstep: u32,
    /// Findings for a summary, kept also if the log has no reader.
    findings: Vec<Finding>,
}

/// So many findings are kept.
const MOST_FINDINGS: usize = 64;

impl Log {
    /// A new instant, or remarks on a step, begins.
    pub(crate) fn begin(&mut self, number: u64, time: f64) {
        self.instant.events.clear();
        self.instant.microsteps = 0;
        (self.instant.number, self.instant.time) = (number, time);
        self.microstep = 0;
    }

    /// The rest of an instant begins, of which some microsteps are over.
    pub(crate) fn go_on(&mut self, number: u64, time: f64, microsteps: u32) {
        self.begin(number, time);
        self.microstep = microsteps;
        self.instant.microsteps = microsteps;
    }

    /// Another microstep begins.
    pub(crate) fn microstep(&mut self) {
        self.microstep += 1;
        self.instant.microsteps = self.microstep;
    }

    /// Keeps what a summary tells; what is about the same borders once.
    pub(crate) fn find(&mut self, finding: Finding) {
        let is_same = |known: &Finding| match (known, &finding) {
            (Finding::Sliding { places, .. }, Finding::Sliding { places: others, .. }) => {
                places == others
            }
            (Finding::OnBorder { place, .. }, Finding::OnBorder { place: other, .. }) => {
                place == other
            }
            (
                Finding::Through { situation, .. },
                Finding::Through {
                    situation: other, ..
                },
            ) => situation == other,
            (Finding::NoValue { range, .. }, Finding::NoValue { range: other, .. }) => {
                range == other
            }
            (known, finding) => known == finding,
        };
        if self.findings.len() < MOST_FINDINGS && !self.findings.iter().any(is_same) {
            self.findings.push(finding);
        }
    }

    /// A slide along this border has come to rest on it: on neither side anything moves any more.
    pub(crate) fn stops_sliding(&mut self, place: Place, time: f64) {
        let found = self.findings.iter_mut().find_map(|known| match known {
            Finding::Sliding { places, rests, .. } if places.contains(&place) => Some(rests),
            _ => None,
        });
        if let Some(rests) = found {
            rests.get_or_insert(time);
        }
    }

    /// Notes something; it is only made up if somebody reads it.
    pub(crate) fn note(&mut self, what: impl FnOnce() -> What) {
        if self.wanted {
            let microstep = self.microstep;
            let what = what();
            self.instant.events.push(Event { microstep, what });
        }
    }
}

/// By whom a border is named.
pub(crate) fn place(borders: &Borders, border: BorderId) -> Option<Place> {
    match borders.owners[border.index()] {
        BorderSource::Comparison(range, _) | BorderSource::RangeKink(range, _) => {
            Some(Place::Range(range))
        }
        BorderSource::RowKink(relation, _)
        | BorderSource::Relay(relation, _)
        | BorderSource::Edge(relation, _)
        | BorderSource::Bound(relation, _)
        | BorderSource::Push(relation, _) => Some(Place::Relation(relation)),
        BorderSource::Watch(_) | BorderSource::WatchKink(..) => None,
    }
}

impl Observation {
    /// The margin of a border has no value; it is told of if a range is written with it and does not say where it has one.
    pub(crate) fn has_no_value(&mut self, borders: &Borders, border: BorderId, time: f64) {
        if let BorderSource::Comparison(range, _) = borders.owners[border.index()]
            && self.plan.limited.n_written(range).is_none()
        {
            self.log.find(Finding::NoValue { range, time });
        }
    }

    /// Tells of margins without a value at the present point of an evaluator.
    pub(crate) fn look_for_values(&mut self, borders: &Borders, evaluator: &Evaluator, time: f64) {
        for margin in evaluator.mode.margins.iter() {
            if evaluator.z(margin.border).is_some_and(f64::is_nan) {
                self.has_no_value(borders, margin.border, time);
            }
        }
    }

    /// Rows of loops that went over to another solution when a point was committed.
    pub(crate) fn note_branch(&mut self, rows: &[RelationId]) {
        let rows = rows.to_vec();
        self.log.note(|| What::Branch { rows });
    }
}

/// The direction in which a side lies.
pub(crate) fn direction(side: Side) -> Direction {
    match side {
        Side::Minus => Direction::Down,
        Side::On | Side::Plus => Direction::Up,
    }
}

impl EventRun {
    /// Findings of the run since it was made.
    pub fn findings(&self) -> &[Finding] {
        &self.observe.log.findings
    }
}
