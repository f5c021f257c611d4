//! Moments: the step that found the booleans which stand at a place of history, done again; of an event-accurate run
//! with the microsteps of the instant at its end.

use std::sync::Arc;

use situ_engine::ids::{ExprId, RangeId, ScheduleId, SituationId, SwitchId};
use situ_engine::model::{Boolean, Model, Scan};
use situ_engine::sim::{Found, Microstep, MicrostepRow, TickRun};

use crate::Past;
use crate::history::{At, Cut, History, SegmentId};
use crate::stepper::Stepper;

/// A state in which booleans were decided: what ranges read, and what situations, assignments and rows found. A
/// tick has one; so has each microstep of an instant.
#[derive(Clone, Debug)]
pub struct Decided {
    /// The time that ranges read [units of `time`].
    pub time: f64,
    /// Reals as ranges read them.
    pub reals: Vec<f64>,
    /// Constants.
    pub constants: Vec<f64>,
    /// True if it was the start.
    pub start: bool,
    /// The booleans.
    pub found: Found,
    /// True if assignments and rows see the switches that assignments above them wrote.
    pub in_turn: bool,
    /// True if the run stands there, and no step was done again to find it.
    pub stands: bool,
}

/// Who asks for a switch: each finds it as those before have left it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Asker {
    /// A row of a situation, before the assignments.
    #[default]
    Situation,
    /// An assignment, by position.
    Assignment(usize),
    /// A relation, after all assignments.
    Relation,
}

impl Decided {
    /// By a tick that is done again.
    fn by_tick(run: &TickRun, found: Found) -> Self {
        let row = run.row();
        Self {
            time: row.time,
            reals: row.reals.to_vec(),
            constants: row.constants.to_vec(),
            start: run.tick() == 0,
            found,
            in_turn: run.config().options.scan == Scan::Sequential,
            stands: false,
        }
    }

    /// By a microstep.
    fn by_microstep(microstep: Microstep, constants: &[f64]) -> Self {
        Self {
            time: microstep.time,
            reals: microstep.reals,
            constants: constants.to_vec(),
            start: microstep.start,
            found: microstep.found,
            in_turn: true,
            stands: false,
        }
    }

    /// As a run stands, of which no more is known.
    fn standing(run: &Stepper, start: bool) -> Self {
        let (model, row) = (run.model(), run.row());
        let all = |count: usize, what: &dyn Fn(usize) -> Boolean| {
            (0..count).map(|index| run.holds(what(index))).collect()
        };
        Self {
            time: row.time,
            reals: row.reals.to_vec(),
            constants: row.constants.to_vec(),
            start,
            found: Found {
                switches: all(model.switches.len(), &|index| {
                    Boolean::Switch(SwitchId::new(index))
                }),
                ranges: all(model.ranges.len(), &|index| {
                    Boolean::Range(RangeId::new(index))
                }),
                situations: all(model.situations.len(), &|index| {
                    Boolean::Situation(SituationId::new(index))
                }),
                due: all(model.schedules.len(), &|index| {
                    Boolean::Schedule(ScheduleId::new(index))
                }),
                executed: vec![false; model.assignments.len()],
                remembered: vec![None; model.situation_rows.len()],
            },
            in_turn: true,
            stands: true,
        }
    }

    /// True if a boolean held, as the asker found it.
    pub fn holds(&self, model: &Model, what: Boolean, asker: Asker) -> bool {
        match what {
            Boolean::Switch(id) => self.switch(model, id, asker),
            Boolean::Range(id) => self.found.ranges[id.index()],
            Boolean::Situation(id) => self.found.situations[id.index()],
            Boolean::Schedule(id) => self.found.due[id.index()],
            Boolean::Start => self.start,
        }
    }

    fn switch(&self, model: &Model, id: SwitchId, asker: Asker) -> bool {
        let above = match asker {
            Asker::Situation => 0,
            Asker::Assignment(index) if self.in_turn => index,
            Asker::Assignment(_) => 0,
            Asker::Relation => model.assignments.len(),
        };
        let executed = model.assignments[..above].iter().zip(&self.found.executed);
        let written = executed.filter(|(_, executed)| **executed);
        let mut values = written.flat_map(|(assignment, _)| &assignment.set);
        let last = values.rfind(|(switch, _)| *switch == id);
        last.map_or(self.found.switches[id.index()], |(_, value)| *value)
    }
}

/// The step that found the booleans which stand at a place of history.
#[derive(Clone, Debug)]
pub struct Moment {
    /// The model of the step.
    pub model: Arc<Model>,
    /// The run before that tick; at the start, and in event stepping, as it stands.
    pub before: Stepper,
    /// What it found; of an event-accurate run what stands behind the last microstep.
    pub decided: Decided,
    /// The microsteps of its instant, also of that at the start, each with the event rows that acted in it; none in ticks
    /// and where nothing happens.
    pub microsteps: Vec<(Decided, Vec<MicrostepRow>)>,
    /// True if something has been run.
    pub(crate) begun: bool,
}

impl Moment {
    /// As a run stands that has begun, of which no more is known.
    pub(crate) fn standing(run: &Stepper) -> Self {
        Self {
            model: Arc::clone(run.model()),
            decided: Decided::standing(run, false),
            before: run.clone(),
            microsteps: Vec::new(),
            begun: true,
        }
    }

    /// True if a boolean held, as situations found it.
    pub fn holds(&self, what: Boolean) -> bool {
        self.held_for(what, Asker::Situation)
    }

    /// True if a boolean held, as the asker found it.
    pub fn held_for(&self, what: Boolean, asker: Asker) -> bool {
        self.decided.holds(&self.model, what, asker)
    }

    /// The moment as its last microstep that is so found it; as it stands if none is.
    pub(crate) fn at_last(mut self, is_so: impl Fn(&Decided) -> bool) -> Self {
        let last = (self.microsteps.iter()).rposition(|(decided, _)| is_so(decided));
        if let Some(at) = last {
            self.decided = self.microsteps.swap_remove(at).0;
        }
        self
    }

    /// The value of an expression as ranges read it.
    pub fn value(&self, expr: ExprId) -> f64 {
        let Decided {
            time,
            reals,
            constants,
            ..
        } = &self.decided;
        self.model.value_at(expr, reals, constants, *time)
    }
}

impl<T> Past<'_, T> {
    /// Circumstances that decided the booleans of the present place.
    pub fn moment(&mut self) -> Moment {
        self.moment_of(&self.history.clone())
    }

    /// Circumstances that decided the booleans of a place of history, by the names of the present place.
    pub fn moment_of(&mut self, history: &History) -> Moment {
        let (piece, at) = self.decided_at(history);
        let segment = history.pieces()[piece].segment;
        let model = self.segments.named(history, (piece, self.history.piece()));
        if self.segments.is_in_ticks(segment) {
            let earlier = &history.pieces()[..piece];
            let begun = at.step > 0 || earlier.iter().any(|piece| piece.end.step > 0);
            let tick = At::step(at.step.saturating_sub(1));
            let before = self.segments.at(segment, tick).clone();
            // Of ticks that begin behind steps with events none has decided anything yet.
            let observed = before
                .ticks()
                .filter(|_| at.step > 0)
                .map(|run| Decided::by_tick(run, run.observe_tick(|_| {}).found));
            return Moment {
                model,
                decided: observed.unwrap_or_else(|| Decided::standing(&before, !begun)),
                before,
                microsteps: Vec::new(),
                begun,
            };
        }
        self.moment_in((segment, at), model, !history.at_the_start())
    }

    /// Circumstances at a place of an event-accurate segment.
    fn moment_in(
        &mut self,
        (segment, at): (SegmentId, At),
        model: Arc<Model>,
        begun: bool,
    ) -> Moment {
        let before = self.segments.at(segment, at).clone();
        let constants = before.row().constants.to_vec();
        let decided = Decided::standing(&before, !begun);
        let seen = match at {
            At {
                step: 1..,
                cut: None | Some(Cut::Microstep(_)),
            } => self
                .segments
                .at(segment, At::step(at.step - 1))
                .observe_step(at.microstep()),
            At { step: 0, .. } if !begun => before.observe_start(),
            _ => Vec::new(),
        };
        let microsteps = seen.into_iter().map(|mut microstep| {
            let rows = std::mem::take(&mut microstep.rows);
            (Decided::by_microstep(microstep, &constants), rows)
        });
        Moment {
            model,
            decided,
            before,
            microsteps: microsteps.collect(),
            begun,
        }
    }

    /// Circumstances of the instant behind which the run was changed at a place of history, by the names of the present place;
    /// `None` if there is none.
    pub(crate) fn moment_before_change(&mut self, history: &History) -> Option<Moment> {
        let (piece, end) = self.segments.instant_before(history)?;
        let segment = history.pieces()[piece].segment;
        let model = self.segments.named(history, (piece, self.history.piece()));
        Some(self.moment_in((segment, end), model, true))
    }

    /// The piece and the place in it behind the step that decided the booleans of a place of history: where ticks begin
    /// behind others that is the last of those.
    fn decided_at(&self, history: &History) -> (usize, At) {
        let (segment, at) = history.place();
        let pieces = &history.pieces()[..history.piece()];
        if at.step == 0
            && self.segments.is_in_ticks(segment)
            && let Some(before) = pieces.iter().rposition(|piece| piece.end.step > 0)
            && self.segments.is_in_ticks(pieces[before].segment)
        {
            return (before, At::step(pieces[before].end.whole()));
        }
        (history.piece(), at)
    }

    /// Calls `each` for every step from one number of steps to another, both included, as [`Segments::walk`] does, but at
    /// a change between ticks for the tick before it: no other has been done there. At a change behind an instant of an
    /// event-accurate run it is called for the end of that instant before.
    pub(crate) fn each_decided(
        &mut self,
        (from, to): (u64, u64),
        each: &mut dyn FnMut(u64, &Arc<Model>, &Stepper),
    ) {
        let history = self.history.clone();
        let mut known: Option<(usize, Arc<Model>)> = None;
        for step in from..=to {
            // The place at which one stands may lie inside a step.
            let seen = match step == history.steps_before() {
                true => history.clone(),
                false => history.at_step(step),
            };
            if let Some((left, end)) = self.segments.forgotten_instant(&seen) {
                let model = self.segments.named(&history, (left, history.piece()));
                let segment = history.pieces()[left].segment;
                each(step, &model, self.segments.at(segment, end));
            }
            let (piece, at) = self.decided_at(&seen);
            let (_, model) = match known.take() {
                Some(found) if found.0 == piece => known.insert(found),
                _ => known.insert((
                    piece,
                    self.segments.named(&history, (piece, history.piece())),
                )),
            };
            each(
                step,
                model,
                self.segments.at(history.pieces()[piece].segment, at),
            );
        }
    }
}
