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
    Foreign(&'static str),
    /// The run cannot stand where it says.
    Fault(Box<RunFault>),
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
pub(in crate::sim) fn must(holds: bool, wrong: &'static str) -> Result<(), StateError> {
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
        must(
            state.reals.len() == own.reals.len(),
            "it has another number of values",
        )?;
        must(
            state.bits.len() == own.bits.len(),
            "it has another number of booleans",
        )?;
        must(
            state.lines.len() == own.lines.len(),
            "it has another number of delays",
        )?;
        let grid = state.grid;
        must(
            state.tick < MOST_TICKS && grid.tick <= state.tick,
            "its number of ticks cannot be",
        )?;
        let times = [grid.time, grid.before];
        must(
            times.iter().all(|time| time.is_finite()) && grid.before <= grid.time,
            "its times cannot be",
        )?;
        must(
            state.reals[..n_reals].iter().all(|value| value.is_finite()),
            "a value is infinite or NaN",
        )?;
        let is_own = |slot: usize| state.reals[slot].to_bits() == own.reals[slot].to_bits();
        must(
            fixed_slots(program).all(is_own),
            "it has other constants or settings",
        )?;
        let counts = program.schedule_counts.iter();
        let is_count = |count: f64| count >= 0.0 && count.fract() == 0.0;
        must(
            counts.map(|slot| state.reals[slot.index()]).all(is_count),
            "its number of beats cannot be",
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
        "a delay has another length",
    )?;
    must(
        line.values.iter().all(|value| value.is_finite()),
        "the past of a delay is infinite or NaN",
    )?;
    match (&line.trail, &own.trail) {
        (None, None) => Ok(()),
        (Some(trail), Some(own)) => must(
            trail.tau().map(f64::to_bits) == own.tau().map(f64::to_bits) && trail.is_sound(),
            "the past of a delay cannot be",
        ),
        _ => Err(StateError::Foreign("its ticks are of another kind")),
    }
}
