//! Saved states of tick runs are held against their model before anything reads them.
//!
//! A state may come from a file that somebody has changed. What it names must be there, what the run relies on
//! must hold: lengths, places in rings, finite times in order.

use super::TickRun;
use crate::backend::interpreter::Line;
use crate::lower::Program;
use crate::sim::State;
use crate::sim::state::defect::{StateDefect, StateError, must};
use crate::tape::Shape;

/// Ticks are fewer than this: up to here every whole number is a double.
const MOST_TICKS: u64 = 1 << 53;

impl TickRun {
    /// Goes on from a state that may come from anywhere, as [`TickRun::restore`] does from one of its own. Measures
    /// begin there.
    ///
    /// # Errors
    ///
    /// [`StateError`]; the run is then as before.
    pub fn load(&mut self, state: &State) -> Result<(), StateError> {
        self.validate(state)?;
        self.restore(state);
        self.begin_measures();
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
