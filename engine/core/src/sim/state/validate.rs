//! Saved states of tick runs are held against their model before anything reads them.
//!
//! A state may come from a file that somebody has changed. What it names must be there, what the run relies on
//! must hold: lengths, places in rings, finite times in order.

use crate::backend::interpreter::Line;
use crate::lower::Program;
use crate::sim::{RunFault, State, TickRun};
use crate::tape::Shape;

/// Ticks are fewer than this: up to here every whole number is a double.
const MOST_TICKS: u64 = 1 << 53;

/// Why a state cannot be restored.
#[derive(Clone, PartialEq, Debug)]
pub enum StateError {
    /// It is of the other stepping.
    Stepping,
    /// It is not one of this model and these settings, with what is wrong in it.
    Foreign(StateDefect),
    /// The run cannot stand where it says.
    Fault(Box<RunFault>),
}

/// What is wrong in a state that is none of this model and these settings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StateDefect {
    /// It has another number of reals.
    Reals,
    /// It has another number of values.
    Values,
    /// It has another number of booleans.
    Booleans,
    /// It has another number of delays.
    Delays,
    /// It has another number of schedules.
    Schedules,
    /// It has another number of events.
    Events,
    /// It has another number of sides.
    Sides,
    /// It has another number of staircases.
    Staircases,
    /// The tick before cannot have been.
    TickBefore,
    /// It names a range that is not there.
    Range,
    /// The breaks of a delay cannot be.
    Breaks,
    /// Its times cannot be.
    Times,
    /// The length of its next step cannot be.
    NextStep,
    /// What rules did last cannot have been.
    LastRows,
    /// It slides along what is not there.
    Slides,
    /// It rests on what is not there.
    Rests,
    /// It leaves a border that is not there.
    Leaves,
    /// Other reals move in it.
    Movers,
    /// Its last instants cannot have been.
    Instants,
    /// Its number of ticks cannot be.
    Ticks,
    /// A value is infinite or NaN.
    NotFinite,
    /// It has other constants or settings.
    Settings,
    /// Its number of beats cannot be.
    Beats,
    /// A delay has another length.
    DelayLength,
    /// The past of a delay is infinite or NaN.
    PastNotFinite,
    /// The past of a delay cannot be.
    Past,
    /// Its ticks are of another kind.
    TickKind,
    /// There is no step from it.
    Step,
    /// A count in it cannot be.
    Count,
    /// Its borders contradict each other.
    Borders,
    /// A border is of a row that is not there.
    BorderRow,
    /// There is no motion from it.
    Motion,
}

impl std::fmt::Display for StateDefect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Reals => "it has another number of reals",
            Self::Values => "it has another number of values",
            Self::Booleans => "it has another number of booleans",
            Self::Delays => "it has another number of delays",
            Self::Schedules => "it has another number of schedules",
            Self::Events => "it has another number of events",
            Self::Sides => "it has another number of sides",
            Self::Staircases => "it has another number of staircases",
            Self::TickBefore => "the tick before cannot have been",
            Self::Range => "it names a range that is not there",
            Self::Breaks => "the breaks of a delay cannot be",
            Self::Times => "its times cannot be",
            Self::NextStep => "the length of its next step cannot be",
            Self::LastRows => "what rules did last cannot have been",
            Self::Slides => "it slides along what is not there",
            Self::Rests => "it rests on what is not there",
            Self::Leaves => "it leaves a border that is not there",
            Self::Movers => "other reals move in it",
            Self::Instants => "its last instants cannot have been",
            Self::Ticks => "its number of ticks cannot be",
            Self::NotFinite => "a value is infinite or NaN",
            Self::Settings => "it has other constants or settings",
            Self::Beats => "its number of beats cannot be",
            Self::DelayLength => "a delay has another length",
            Self::PastNotFinite => "the past of a delay is infinite or NaN",
            Self::Past => "the past of a delay cannot be",
            Self::TickKind => "its ticks are of another kind",
            Self::Step => "there is no step from it",
            Self::Count => "a count in it cannot be",
            Self::Borders => "its borders contradict each other",
            Self::BorderRow => "a border is of a row that is not there",
            Self::Motion => "there is no motion from it",
        })
    }
}

impl From<RunFault> for StateError {
    fn from(fault: RunFault) -> Self {
        Self::Fault(Box::new(fault))
    }
}

impl std::fmt::Display for StateError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Stepping => f.write_str("it is a state of the other stepping"),
            Self::Foreign(what) => write!(f, "it is no state of this table: {what}"),
            Self::Fault(fault) => fault.fmt(f),
        }
    }
}

impl std::error::Error for StateError {}

/// Says what is wrong unless something holds.
pub(in crate::sim) fn must(holds: bool, wrong: StateDefect) -> Result<(), StateError> {
    if holds {
        Ok(())
    } else {
        Err(StateError::Foreign(wrong))
    }
}

impl TickRun {
    /// Goes on from a state that may come from anywhere, as [`TickRun::restore`] does from one of its own.
    ///
    /// # Errors
    ///
    /// [`StateError`]; the run is then as before.
    pub fn load(&mut self, state: &State) -> Result<(), StateError> {
        self.validate(state)?;
        self.restore(state);
        Ok(())
    }

    /// Checks that a state is one of this model and these settings.
    ///
    /// # Errors
    ///
    /// [`StateError::Foreign`].
    pub fn validate(&self, state: &State) -> Result<(), StateError> {
        let (program, own) = (&*self.program, &self.state);
        let n_reals = program.n_reals;
        must(state.reals.len() == own.reals.len(), StateDefect::Values)?;
        must(state.bits.len() == own.bits.len(), StateDefect::Booleans)?;
        must(state.lines.len() == own.lines.len(), StateDefect::Delays)?;
        let grid = state.grid;
        must(
            state.tick < MOST_TICKS && grid.tick <= state.tick,
            StateDefect::Ticks,
        )?;
        let times = [grid.time, grid.before];
        must(
            times.iter().all(|time| time.is_finite()) && grid.before <= grid.time,
            StateDefect::Times,
        )?;
        must(
            state.reals[..n_reals].iter().all(|value| value.is_finite()),
            StateDefect::NotFinite,
        )?;
        let is_own = |slot: usize| state.reals[slot].to_bits() == own.reals[slot].to_bits();
        must(fixed_slots(program).all(is_own), StateDefect::Settings)?;
        let counts = program.schedule_counts.iter();
        let is_count = |count: f64| count >= 0.0 && count.fract() == 0.0;
        must(
            counts.map(|slot| state.reals[slot.index()]).all(is_count),
            StateDefect::Beats,
        )?;
        for (line, own) in state.lines.iter().zip(&own.lines) {
            check_line(line, own)?;
        }
        state.recent.check(n_reals, self.comparisons())
    }
}

/// Slots that the run fills before its first tick and no operation writes.
fn fixed_slots(program: &Program) -> impl Iterator<Item = usize> {
    let mut varies = vec![false; program.tape.n_slots as usize];
    varies[..program.n_reals].fill(true);
    // Ticks of changing length write their own length, and what follows from it.
    let follows = program.tape.setup.iter().map(|op| op.out as usize);
    let clock = [
        program.clock.step,
        program.clock.time,
        program.clock.previous_time,
        program.clock.row_time,
    ];
    let clock = clock.map(crate::tape::Slot::index);
    let written = program
        .tape
        .ops
        .iter()
        .filter_map(|op| match op.code.shape() {
            Shape::Unary | Shape::Binary | Shape::Update | Shape::Push => Some(op.out as usize),
            Shape::Due => Some(op.a as usize),
            Shape::Compare | Shape::Test | Shape::Rise | Shape::Bit | Shape::Jump => None,
        });
    for slot in written.chain(follows).chain(clock) {
        varies[slot] = true;
    }
    (0..varies.len()).filter(move |&slot| !varies[slot])
}

fn check_line(line: &Line, own: &Line) -> Result<(), StateError> {
    must(
        line.values.len() == own.values.len() && line.oldest < line.values.len().max(1),
        StateDefect::DelayLength,
    )?;
    must(
        line.values.iter().all(|value| value.is_finite()),
        StateDefect::PastNotFinite,
    )?;
    match (&line.trail, &own.trail) {
        (None, None) => Ok(()),
        (Some(trail), Some(own)) => must(
            trail.tau().map(f64::to_bits) == own.tau().map(f64::to_bits) && trail.is_sound(),
            StateDefect::Past,
        ),
        _ => Err(StateError::Foreign(StateDefect::TickKind)),
    }
}
