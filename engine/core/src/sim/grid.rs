//! Numbers of ticks to times and back.

use crate::backend::interpreter::Reals;
use crate::lower::Program;
use serde::{Deserialize, Serialize};

/// Times of the ticks.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Grid {
    /// The tick from which ticks have their present length.
    pub(super) tick: u64,
    /// Its time [units of `time`].
    pub(super) time: f64,
    /// The time of the tick before it [units of `time`].
    pub(super) before: f64,
}

impl Grid {
    /// The time after so many ticks.
    #[expect(clippy::cast_precision_loss, reason = "ticks are fewer than 2^53")]
    pub(super) fn time_of(&self, tick: u64, step: f64) -> f64 {
        if tick < self.tick {
            return self.before;
        }
        self.time + (tick - self.tick) as f64 * step
    }

    /// Number of whole ticks before a time, which may be short of a tick by rounding.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the cast saturates"
    )]
    pub(super) fn ticks_until(&self, until: f64, step: f64) -> u64 {
        let ratio = (until - self.time) / step;
        let nearest = ratio.round();
        let whole = (ratio - nearest).abs() <= 1e-9 * nearest.abs().max(1.0);
        self.tick + (if whole { nearest } else { ratio.floor() }) as u64
    }

    /// The tick from which ticks have their present length, with its time.
    pub(super) fn since(&self) -> (u64, f64) {
        (self.tick, self.time)
    }
}

/// Puts the time of a tick where the program reads it.
#[inline(always)]
pub(super) fn set_time(
    program: &Program,
    reals: &mut (impl Reals + ?Sized),
    tick: u64,
    (grid, step): (Grid, f64),
) {
    if program.clock.is_read {
        reals.put(program.clock.time.0, grid.time_of(tick, step));
    }
}
