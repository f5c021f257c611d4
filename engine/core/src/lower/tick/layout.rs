//! Layout of a tape's bits: the bit of each boolean.

use super::TickOptions;
use crate::ids::{RangeId, SituationId, SwitchId};
use crate::model::{Boolean, Literal, Model};
use crate::tape::{Assembler, Bit, Literals};

/// Bits of the booleans.
pub(super) struct Layout {
    n_switches: usize,
    n_ranges: usize,
    n_situations: usize,
    pub(super) start: Bit,
    pub(super) moving: Option<Bit>,
    pub(super) schedules: Vec<Bit>,
}

impl Layout {
    pub(super) fn new(model: &Model, options: &TickOptions, asm: &mut Assembler) -> Self {
        let n_visible = model.switches.len() + model.ranges.len() + model.situations.len();
        for _ in 0..n_visible {
            asm.bit();
        }
        Self {
            n_switches: model.switches.len(),
            n_ranges: model.ranges.len(),
            n_situations: model.situations.len(),
            start: asm.bit(),
            moving: options.stands_still.then(|| asm.bit()),
            schedules: model.schedules.iter().map(|_| asm.bit()).collect(),
        }
    }

    pub(super) fn n_visible(&self) -> usize {
        self.n_switches + self.n_ranges + self.n_situations
    }

    pub(super) fn switch(&self, id: SwitchId) -> Bit {
        id.0
    }

    pub(super) fn range(&self, id: RangeId) -> Bit {
        bit_at(self.n_switches + id.index())
    }

    pub(super) fn situation(&self, id: SituationId) -> Bit {
        bit_at(self.n_switches + self.n_ranges + id.index())
    }

    pub(super) fn of(&self, what: Boolean) -> Bit {
        match what {
            Boolean::Switch(id) => self.switch(id),
            Boolean::Range(id) => self.range(id),
            Boolean::Situation(id) => self.situation(id),
            Boolean::Schedule(id) => self.schedules[id.index()],
            Boolean::Start => self.start,
        }
    }

    pub(super) fn literals(&self, all: &[Literal]) -> Literals {
        all.iter()
            .map(|literal| (self.of(literal.what), !literal.negated))
            .collect()
    }

    pub(super) fn event_bits(&self, model: &Model) -> Vec<u64> {
        let mut words = vec![0_u64; self.n_visible().div_ceil(64)];
        for (index, situation) in model.situations.iter().enumerate() {
            if situation.event {
                let bit = self.situation(SituationId::new(index));
                words[(bit / 64) as usize] |= 1 << (bit % 64);
            }
        }
        words
    }
}

pub(super) fn bit_at(index: usize) -> Bit {
    Bit::try_from(index).expect("fewer than 2^32 booleans")
}
