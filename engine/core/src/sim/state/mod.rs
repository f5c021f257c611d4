//! Everything that a run carries from tick to tick, as one value that can be cloned and compared.
//!
//! `recent` is the part of it that ticks of changing length remember. `named` is the state of a run of either stepping by
//! the names of its model, under the `keys` of its rows. `start` checks values to start from, `defect` says what is wrong
//! in a saved state.

pub(super) mod defect;
pub(super) mod keys;
pub(super) mod named;
pub(super) mod recent;
pub(super) mod start;

use self::recent::Recent;
use crate::backend::interpreter::{
    Bits, Context, Instruction, Line, Observer, Room, SMALL_SLOTS, execute,
};
use crate::lower::Program;
use crate::sim::grid::{Grid, set_time};
use serde::{Deserialize, Serialize};

/// The state of a run between two ticks.
#[derive(PartialEq, Debug, Serialize, Deserialize)]
pub struct State {
    /// Ticks done.
    pub tick: u64,
    /// Times of the ticks.
    pub(super) grid: Grid,
    /// Slots of the tape (reals, constants, then what the tape needs), at least [`SMALL_SLOTS`].
    pub(crate) reals: Vec<f64>,
    /// Bits of the tape (switches, ranges, situations, then what the tape needs).
    pub(crate) bits: Vec<u64>,
    /// Delay lines.
    pub(crate) lines: Vec<Line>,
    /// Additional memory of ticks of changing length.
    pub(super) recent: Recent,
}

impl State {
    pub(crate) fn new(n_slots: u32, n_bits: u32) -> Self {
        Self {
            tick: 0,
            grid: Grid::default(),
            recent: Recent::default(),
            reals: vec![0.0; (n_slots as usize).max(SMALL_SLOTS)],
            bits: vec![0; (n_bits as usize).div_ceil(64).max(1)],
            lines: Vec::new(),
        }
    }

    /// About how many bytes of memory it takes.
    pub fn bytes(&self) -> usize {
        let lines: usize = self.lines.iter().map(Line::size).sum();
        let words = self.reals.len() + self.bits.len() + lines + self.recent.size();
        size_of::<Self>() + 8 * words
    }

    /// Does the next tick, or a part of one; the number of ticks done stays.
    pub(super) fn scan(
        &mut self,
        program: &Program,
        code: &[Instruction],
        step: f64,
        observer: &mut impl Observer,
    ) {
        let (reals, bits) = (self.reals.as_mut_slice(), self.bits.as_mut_slice());
        set_time(program, reals, self.tick, (self.grid, step));
        bits.set_bit(program.start_bit, self.tick == 0);
        let mut context = Context {
            tape: &program.tape,
            spans: &[],
            room: &mut Room::default(),
            lines: &mut self.lines,
            tick: self.tick,
            since: self.grid.since(),
            starting: false,
        };
        execute(code, reals, bits, &mut context, observer);
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
            grid: self.grid,
            recent: self.recent.clone(),
            reals: self.reals.clone(),
            bits: self.bits.clone(),
            lines: self.lines.clone(),
        }
    }

    fn clone_from(&mut self, source: &Self) {
        self.tick = source.tick;
        self.grid = source.grid;
        self.recent.clone_from(&source.recent);
        self.reals.clone_from(&source.reals);
        self.bits.clone_from(&source.bits);
        self.lines.clone_from(&source.lines);
    }
}
