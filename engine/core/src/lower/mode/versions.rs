//! Versions of a real: which of the rows that write it another row reads, and the slot of what it reads.

use smallvec::SmallVec;

use crate::ids::RealId;
use crate::lower::emit::Reader;
use crate::lower::flow::Flow;
use crate::tape::{Assembler, Code, Slot};

use super::{Corner, SlideGroups};

/// Rows whose values are read for a real, each with the corners in which it is: one bit per corner.
pub(super) type Writers = SmallVec<[(usize, u64); 1]>;

/// Reads the versions that a row at some place reads.
pub(super) struct Versions<'l> {
    pub(super) flow: &'l Flow,
    pub(super) corners: &'l [Corner<'l>],
    pub(super) weights: &'l [Slot],
    pub(super) groups: &'l SlideGroups,
    /// Per real that exclusive rows with gates write its value, once emitted.
    pub(super) chosen: &'l [Option<Slot>],
    pub(super) versions: &'l [Option<Slot>],
    pub(super) unknowns: &'l mut Vec<(usize, Slot)>,
    /// Slots that stand for a real's final value; a mixture of all that give it becomes one.
    pub(super) stated: &'l mut Vec<(Slot, RealId)>,
    /// Per real the rows that give its final value.
    pub(super) finals: &'l [Writers],
    pub(super) time: Slot,
    /// Final values, as far as they are known.
    pub(super) final_values: &'l [Option<Slot>],
    /// The reading row; `None` reads final values.
    pub(super) row: Option<usize>,
}

impl Versions<'_> {
    fn version(&mut self, writer: usize, asm: &mut Assembler) -> Slot {
        if let Some(slot) = self.versions[writer] {
            return slot;
        }
        if let Some(&(_, slot)) = self.unknowns.iter().find(|(row, _)| *row == writer) {
            return slot;
        }
        let slot = asm.slot();
        self.unknowns.push((writer, slot));
        slot
    }
}

impl Reader for Versions<'_> {
    fn real(&mut self, id: RealId, asm: &mut Assembler) -> Slot {
        let known = self.final_values.get(id.index()).copied().flatten();
        if let (None, Some(value)) = (self.row, known) {
            return value;
        }
        if let Some(Some(value)) = self.chosen.get(id.index()) {
            return *value;
        }
        let writers = versions_read(self.flow, self.corners, self.row, id);
        match writers[..] {
            [] => Slot::new(id.index()),
            [(writer, _)] => self.version(writer, asm),
            _ => {
                let parts: Vec<(Slot, u64)> = writers
                    .iter()
                    .map(|&(writer, corners)| (self.version(writer, asm), corners))
                    .collect();
                let all = parts.iter().fold(0, |all, (_, corners)| all | corners);
                let weights = self
                    .groups
                    .weights_of(self.groups.of_real(id), self.weights);
                let mut value = mixture(asm, weights, &parts);
                if (all.count_ones() as usize) < self.corners.len() {
                    // Where nothing writes the real it keeps what was written last, elsewhere.
                    let share = share(asm, weights, all);
                    value = asm.op(Code::Div, value, share);
                }
                if writers == self.finals[id.index()] {
                    self.stated.push((value, id));
                }
                value
            }
        }
    }

    fn time(&mut self, _: &mut Assembler) -> Slot {
        self.time
    }
}

/// The sum of the weights of some corners.
fn share(asm: &mut Assembler, weights: &[Slot], corners: u64) -> Slot {
    let mut slots = (0..weights.len())
        .filter(|corner| corners >> corner & 1 == 1)
        .map(|corner| weights[corner]);
    let first = slots.next().expect("a row is active in a corner");
    slots.fold(first, |sum, slot| asm.op(Code::Add, sum, slot))
}

/// The sum of parts, each weighted by the share of its corners.
pub(super) fn mixture(asm: &mut Assembler, weights: &[Slot], parts: &[(Slot, u64)]) -> Slot {
    let mut sum: Option<Slot> = None;
    for &(part, corners) in parts {
        let share = share(asm, weights, corners);
        let term = asm.op(Code::Mul, share, part);
        sum = Some(match sum {
            None => term,
            Some(sum) => asm.op(Code::Add, sum, term),
        });
    }
    sum.expect("a mixture has parts")
}

/// The row whose value is read for a real: the nearest active one above, else the last below.
fn version_read(flow: &Flow, active: &[bool], row: Option<usize>, real: RealId) -> Option<usize> {
    let values = || {
        let writers = flow.writers[real.index()].iter().copied();
        writers.filter(|&writer| active[writer] && flow.rows[writer].action.is_value())
    };
    let above = row.and_then(|row| values().rfind(|&writer| writer < flow.rows[row].begin));
    above.or_else(|| values().next_back())
}

/// The rows whose values are read for a real in the corners. A real that only some corners write is
/// read from these: in the others it keeps, or is on its way from, what was written last.
pub(super) fn versions_read(
    flow: &Flow,
    corners: &[Corner<'_>],
    row: Option<usize>,
    real: RealId,
) -> Writers {
    if let Some(own) = row.and_then(|row| flow.unknown(row, real)) {
        return smallvec::smallvec![(own, u64::MAX >> (64 - corners.len()))];
    }
    // A row that goes on from its own target reads it where it acts.
    let own = row.filter(|&row| flow.rows[row].target == real);
    let mut writers = Writers::new();
    for (number, corner) in corners.iter().enumerate() {
        if own.is_some_and(|row| !corner.active[row]) {
            continue;
        }
        let Some(writer) = version_read(flow, corner.active, row, real) else {
            continue;
        };
        match writers.iter_mut().find(|(known, _)| *known == writer) {
            Some((_, corners)) => *corners |= 1 << number,
            None => writers.push((writer, 1 << number)),
        }
    }
    writers
}
