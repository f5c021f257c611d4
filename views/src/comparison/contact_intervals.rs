//! Contacts of a run to borders: it slides along one or rests on one, where other runs
//! go back and forth over it instead.

use std::fmt;
use std::ops::ControlFlow;

use serde::{Serialize, Serializer};
use situ_engine::ids::{RangeId, RealId};
use situ_engine::model::{Boolean, Model};
use situ_engine::trace::{Instant, Place, Recorder, Row, What};
use situ_words::say;

/// Up to so many turns of ranges are kept of a run.
const MAX_TURNS: usize = 1_000_000;

/// Record of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct ContactIntervals {
    /// Slides and rests in the order in which they began.
    contacts: Vec<ContactInterval>,
    /// When which range turned, in order.
    turns: Vec<(f64, RangeId)>,
    held: Vec<bool>,
    begun: bool,
}

/// A time on a border.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ContactInterval {
    /// The border.
    pub place: Place,
    /// Kind of the contact.
    pub hold: Hold,
    /// When that began [units of `time`].
    pub from: f64,
    /// When it ended [units of `time`]; infinite where it did not.
    pub to: f64,
}

/// Kind of a contact: how a state stays on a border.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hold {
    /// The motions on both sides lead to it.
    Slide,
    /// Events without end have come to their end.
    Rest,
}

impl Hold {
    /// Verb for the contact, with its preposition, as it stands in data.
    fn verb(self) -> &'static str {
        match self {
            Self::Slide => "slides along",
            Self::Rest => "rests on",
        }
    }
}

impl ContactIntervals {
    /// Ready for a run of a model.
    pub fn new(model: &Model) -> Self {
        Self {
            contacts: Vec::new(),
            turns: Vec::new(),
            held: vec![false; model.ranges.len()],
            begun: false,
        }
    }

    /// A recorder that fills it.
    pub fn recorder<'a, R: Recorder>(
        &'a mut self,
        model: &'a Model,
        then: &'a mut R,
    ) -> Following<'a, R> {
        Following {
            model,
            contacts: self,
            then,
        }
    }

    /// All times on borders; where one ends and the next one on the same border begins is one time.
    pub fn all(&self) -> &[ContactInterval] {
        &self.contacts
    }

    /// Number of times that a range changed after one time and up to another.
    pub fn turns(&self, range: RangeId, [from, to]: [f64; 2]) -> usize {
        let turns = self.turns.iter();
        let those = turns.filter(|(time, which)| *which == range && (from..=to).contains(time));
        those.count()
    }

    fn begin(&mut self, place: Place, hold: Hold, time: f64) {
        let mut same = self.contacts.iter_mut().rev();
        let same = same
            .find(|contact| (contact.place, contact.hold) == (place, hold) && contact.to >= time);
        match same {
            Some(contact) => contact.to = f64::INFINITY,
            None => self.contacts.push(ContactInterval {
                place,
                hold,
                from: time,
                to: f64::INFINITY,
            }),
        }
    }

    fn end(&mut self, place: Place, hold: Hold, time: f64) {
        let mut open = self.contacts.iter_mut().rev();
        let open = open.find(|contact| {
            (contact.place, contact.hold) == (place, hold) && contact.to == f64::INFINITY
        });
        if let Some(contact) = open {
            contact.to = time;
        }
    }

    fn note_turns(&mut self, model: &Model, row: &Row<'_>) {
        for (index, held) in self.held.iter_mut().enumerate() {
            let range = RangeId::new(index);
            let now = row.boolean(model, Boolean::Range(range));
            if now != *held && self.begun && self.turns.len() < MAX_TURNS {
                self.turns.push((row.time, range));
            }
            *held = now;
        }
        self.begun = true;
    }
}

impl Serialize for Hold {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.verb())
    }
}

/// A border by its name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BorderName {
    /// `border` of a range, `kink` of a row.
    pub kind: &'static str,
    /// The range, or what the row writes.
    pub of: String,
}

impl BorderName {
    /// Of a border of a model.
    pub fn of(place: Place, model: &Model) -> Self {
        let name = |real: &RealId| model.reals[real.index()].name.as_str();
        match place {
            Place::Range(range) => Self {
                kind: "border",
                of: model.boolean_name(Boolean::Range(range)),
            },
            Place::Relation(row) => {
                let targets = &model.relations[row.index()].targets;
                let names: Vec<&str> = targets.iter().map(name).collect();
                Self {
                    kind: "kink",
                    of: names.join(", "),
                }
            }
        }
    }
}

impl fmt::Display for BorderName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, of } = self;
        f.write_str(&say!("compare-border", kind, name = of))
    }
}

/// In data it is its name.
impl Serialize for BorderName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Fills [`ContactIntervals`] and hands on to another recorder.
#[derive(Debug)]
pub struct Following<'a, R> {
    model: &'a Model,
    contacts: &'a mut ContactIntervals,
    then: &'a mut R,
}

impl<R: Recorder> Recorder for Following<'_, R> {
    fn row(&mut self, row: &Row<'_>) -> ControlFlow<()> {
        self.contacts.note_turns(self.model, row);
        self.then.row(row)
    }

    fn poll(&mut self, done: u64, all: u64) -> ControlFlow<()> {
        self.then.poll(done, all)
    }

    fn wants_instants(&self) -> bool {
        true
    }

    fn instant(&mut self, instant: &Instant) -> ControlFlow<()> {
        let time = instant.time;
        for event in &instant.events {
            match &event.what {
                What::SlideEntered { borders, .. } => {
                    for (place, _) in borders {
                        self.contacts.begin(*place, Hold::Slide, time);
                    }
                }
                What::SlideLeft { border, .. } => self.contacts.end(*border, Hold::Slide, time),
                What::RestEntered { border, .. } => self.contacts.begin(*border, Hold::Rest, time),
                What::RestLeft { border } => self.contacts.end(*border, Hold::Rest, time),
                _ => {}
            }
        }
        self.then.instant(instant)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use situ_engine::model::{Clock, CompareOp, ModelBuilder};
    use situ_engine::sim::{EventConfig, EventRun};

    #[test]
    fn a_slide_along_two_borders_of_which_one_is_left_goes_on_along_the_other() {
        let mut table = ModelBuilder::new("corner");
        let starts = [("x", -0.5), ("y", -2.0), ("r", 0.0)];
        let [x, y, r] = starts.map(|(name, start)| table.real(name, start));
        let below = |real: RealId| [(real.into(), CompareOp::Less, 0.0.into())];
        let [left, low] =
            [("left", x), ("low", y)].map(|(name, real)| table.range(name, below(real)));
        table.relation(x, "integral", [1.0]).when([left.into()]);
        table.relation(x, "integral", [-1.0]).when([!left]);
        table.relation(y, "integral", [1.0]).when([low.into()]);
        table.relation(y, "integral", [-4.0]).when([!low]);
        table.relation(y, "integral", [r]).when([!low]);
        table.relation(r, "integral", [1.0]);
        let model = table.build().unwrap();
        let clock = Clock {
            stop: Some(5.0),
            ..Clock::default()
        };
        let mut run =
            EventRun::new(model.clone(), EventConfig::from_clock(&clock).unwrap()).unwrap();
        let mut contacts = ContactIntervals::new(&model);
        run.run(&mut contacts.recorder(&model, &mut ())).unwrap();
        let [along_x, along_y] = contacts.all() else {
            panic!("{:?}", contacts.all());
        };
        assert_eq!(
            (along_x.place, along_x.to),
            (Place::Range(left), f64::INFINITY)
        );
        assert_eq!(along_y.place, Place::Range(low));
        assert!((along_y.to - 4.0).abs() < 1e-6, "{along_y:?}");
    }
}
