//! Everything that a run carries from tick to tick, as one value that can be cloned and compared.

use crate::backend::interpreter::{Bits, Line, SMALL_SLOTS};
use serde::{Deserialize, Serialize};

/// The state of a run between two ticks.
#[derive(PartialEq, Debug, Serialize, Deserialize)]
pub struct State {
    /// Ticks done.
    pub tick: u64,
    /// Slots of the tape (reals, constants, then what the tape needs), at least [`SMALL_SLOTS`].
    pub(crate) reals: Vec<f64>,
    /// Bits of the tape (switches, ranges, situations, then what the tape needs).
    pub(crate) bits: Vec<u64>,
    /// Delay lines.
    pub(crate) lines: Vec<Line>,
}

impl State {
    pub(crate) fn new(n_slots: u32, n_bits: u32) -> Self {
        Self {
            tick: 0,
            reals: vec![0.0; (n_slots as usize).max(SMALL_SLOTS)],
            bits: vec![0; (n_bits as usize).div_ceil(64).max(1)],
            lines: Vec::new(),
        }
    }

    /// About how many bytes of memory it takes.
    pub fn bytes(&self) -> usize {
        let lines: usize = self.lines.iter().map(|line| line.values.len()).sum();
        size_of::<Self>() + 8 * (self.reals.len() + self.bits.len() + lines)
    }

    pub(super) fn bit(&self, bit: usize) -> bool {
        self.bits[bit / 64] >> (bit % 64) & 1 == 1
    }

    pub(super) fn set_bit(&mut self, bit: usize, value: bool) {
        let bit = u32::try_from(bit).expect("fewer than 2^32 bits");
        self.bits.as_mut_slice().set_bit(bit, value);
    }
}

/// Written out, because `clone_from` must not allocate: a run keeps snapshots.
impl Clone for State {
    fn clone(&self) -> Self {
        Self {
            tick: self.tick,
            reals: self.reals.clone(),
            bits: self.bits.clone(),
            lines: self.lines.clone(),
        }
    }

    fn clone_from(&mut self, source: &Self) {
        self.tick = source.tick;
        self.reals.clone_from(&source.reals);
        self.bits.clone_from(&source.bits);
        self.lines.clone_from(&source.lines);
    }
}
