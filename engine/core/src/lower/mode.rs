//! Model -> tape of one mode: the rows that are active, sorted by dependence, kinks replaced by the
//! branch on which the state is (FORMALISM 7).
//!
//! In a mode each row is a version of its target. A row reads, for every argument, the nearest
//! active writer above it or, if there is none, the last one below. Rows in a circle form a
//! [`Loop`], whose unknowns are found by Newton's method.
//!
//! While the state slides along borders it is in no single mode. The same lowering then mixes the
//! modes at the corners around the borders: where they differ (another version is read, another
//! branch is taken), the tape takes the sum of what they say, weighted by the shares of the corners,
//! which are inputs. With one corner nothing differs and there are no weights.
//!
//! Slots: one per real (a state, or a value that is held), the constants, then what is computed.

use std::collections::HashMap;
use std::sync::Arc;

use smallvec::SmallVec;

use super::affine::{Affine, Forms};
use super::border::{BorderId, Borders, Owner, Side, View};
use super::derive::{Slopes, derive};
use super::emit::{Emitter, Reader};
use super::flow::{Action, Flow};
use crate::ids::{RangeId, RealId, RelationId};
use crate::model::{Argument, Comparison, Mark, Model};
use crate::procedure::Body;
use crate::tape::{Assembler, Code, Op, Slot, Tape};

/// What makes a mode: the rows that are active, and the sides on which kinks are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Corner<'a> {
    /// Per row of the flow whether it is active.
    pub(crate) active: &'a [bool],
    /// Per border its side; one met for the first time counts as upper.
    pub(crate) sides: &'a [Side],
}

impl Corner<'_> {
    fn side(&self, border: BorderId) -> Side {
        self.sides
            .get(border.index())
            .copied()
            .unwrap_or(Side::Plus)
    }
}

/// A mode, ready to be evaluated.
#[derive(Clone, Debug)]
pub(crate) struct Mode {
    /// Numbers and what is computed once; `ops` is empty.
    pub(crate) tape: Tape,
    /// All computations, in order.
    pub(crate) all: Vec<Segment>,
    /// Those that the rates need.
    pub(crate) flow: Vec<Segment>,
    /// Those that the margins need.
    pub(crate) tests: Vec<Segment>,
    /// Reals that are read and not computed: held values and states.
    pub(crate) inputs: Vec<RealId>,
    /// Slots of the shares of the corners; empty if there is one.
    pub(crate) weights: Vec<Slot>,
    /// For each delay that is read: its number, the slot of its value and that of its slope.
    pub(crate) delays: Vec<(usize, Slot, Slot)>,
    /// Per delay of the flow what it takes in, with its form if that is affine.
    pub(crate) delayed: Vec<(Slot, Option<Affine>)>,
    /// Reals that move continuously.
    pub(crate) states: Vec<RealId>,
    /// The rate of each state, and its form if that is affine in time, states and what is held.
    pub(crate) rates: Vec<Slot>,
    pub(crate) rate_forms: Vec<Option<Affine>>,
    /// Reals that follow from others, with the slot of their value.
    pub(crate) algebraic: Vec<(RealId, Slot)>,
    /// Margins.
    pub(crate) margins: Arc<[Margin]>,
    /// Per border known when the mode was made the position of its margin.
    pub(crate) margin_at: Vec<Option<u32>>,
    /// Slots of the latched booleans of hysteresis rows, and of the steps of staircases.
    pub(crate) relays: Vec<(usize, Slot)>,
    pub(crate) steps: Vec<(usize, Slot)>,
    /// How each comparison sees its border: range, position, view. The same in every mode.
    pub(crate) comparisons: Vec<(RangeId, usize, View)>,
    /// How each comparison that is only watched sees its border.
    pub(crate) watched: Vec<View>,
    /// How each hysteresis sees its lower and its upper border.
    pub(crate) relay_views: Vec<[View; 2]>,
    /// Slot of the time.
    pub(crate) time: Slot,
    /// Slot of the first constant.
    pub(crate) constants_at: usize,
}

/// The margin of a border in a mode.
#[derive(Clone, Debug)]
pub(crate) struct Margin {
    pub(crate) border: BorderId,
    /// Slot of a number with the sign of z, or of -z.
    pub(crate) slot: Slot,
    /// True for z.
    pub(crate) upright: bool,
    /// What the slot holds, if that is affine in time, states and reals that are held in this mode.
    pub(crate) form: Option<Affine>,
    /// The terms of that form that move, by position among the states, and those that are held.
    pub(crate) moving: Vec<(usize, f64)>,
    pub(crate) held: Vec<(RealId, f64)>,
    /// The order from which on all its derivatives are 0 in this mode, as the forms of the rates
    /// tell; `usize::MAX` if they do not.
    pub(crate) still_from: usize,
    /// Whether it depends on what cannot be bounded over a piece of a step: the past, or the shares
    /// of corners.
    pub(crate) opaque: bool,
}

impl Margin {
    /// Whether it can change its sign between two times that are known in advance.
    pub(crate) fn is_searched(&self) -> bool {
        self.form.is_none() || !self.moving.is_empty()
    }
}

impl Mode {
    /// The margin of a border, if it has one in this mode.
    pub(crate) fn margin(&self, border: BorderId) -> Option<&Margin> {
        let at = (*self.margin_at.get(border.index())?)?;
        self.margins.get(at as usize)
    }

    /// Whether some values depend on each other.
    pub(crate) fn has_loops(&self) -> bool {
        self.all
            .iter()
            .any(|segment| matches!(segment, Segment::Loop(_)))
    }
}

/// A piece of a mode's computation.
#[derive(Clone, Debug)]
pub(crate) enum Segment {
    /// Straight on.
    Ops(Vec<Op>),
    /// A circle.
    Loop(Loop),
}

/// Values that depend on each other.
#[derive(Clone, Debug)]
pub(crate) struct Loop {
    /// Computes the results from the unknowns.
    pub(crate) ops: Vec<Op>,
    /// Unknowns, with the real of which each is a version.
    pub(crate) unknowns: Vec<(Slot, RealId)>,
    /// What the unknowns must be equal to.
    pub(crate) results: Vec<Slot>,
    /// Rows taking part.
    pub(crate) rows: Vec<RelationId>,
}

/// Why a mode has no meaning in continuous time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum ModeError {
    /// A row that fixes an integrated real reads that real itself.
    ClampReadsItself(RelationId),
    /// A row takes the derivative of what depends on the row itself.
    DerivativeInLoop(RelationId),
}

/// Lowers the mode of a corner, or the mixture of several.
pub(crate) fn mode(
    model: &Model,
    flow: &Flow,
    watched: &[Comparison],
    constants: &[f64],
    corners: &[Corner<'_>],
    borders: &mut Borders,
) -> Result<Mode, ModeError> {
    let constants_at = model.reals.len();
    let mut asm = Assembler::new(constants_at);
    for _ in &model.constants {
        asm.fixed_slot();
    }
    let time = asm.time();
    let weights: Vec<Slot> = match corners {
        [_] => Vec::new(),
        corners => corners.iter().map(|_| asm.slot()).collect(),
    };
    let any = |row: usize| corners.iter().any(|corner| corner.active[row]);
    let mut lowering = Lowering {
        model,
        flow,
        corners,
        active: (0..flow.rows.len()).map(any).collect(),
        weights,
        emitter: Emitter {
            model,
            asm,
            constants_at,
        },
        time,
        versions: vec![None; flow.rows.len()],
        finals: vec![Writers::new(); model.reals.len()],
        sites: Vec::new(),
        cuts: Vec::new(),
        unknowns: Vec::new(),
        relays: Vec::new(),
        delays: Vec::new(),
        rates: vec![None; model.reals.len()],
        slopes: Slopes::default(),
        stated: Vec::new(),
    };
    lowering.rows()?;
    let finals = lowering.final_slots();
    let final_slot = |id: RealId| finals[id.index()].unwrap_or(Slot::new(id.index()));
    let sizes = flow.sizes.iter();
    let size_slots = sizes.map(|of| of.map(final_slot)).collect();
    let delayed = lowering.delayed();
    let comparisons = lowering.comparisons();
    let relay_borders = lowering.relay_borders();
    let watched = lowering.watched(watched);
    let read = Read {
        finals,
        delayed,
        comparisons,
        relay_borders,
        watched,
        size_slots,
    };
    Ok(finish(lowering, constants, read, borders))
}

/// Slots of what is read besides the rates.
struct Read {
    /// Per real its value, if it follows from others.
    finals: Vec<Option<Slot>>,
    delayed: Vec<Slot>,
    comparisons: Vec<(RangeId, usize, Slot, Slot)>,
    relay_borders: Vec<(RelationId, [Slot; 3])>,
    watched: Vec<[Slot; 2]>,
    /// Per real that is the size of another the final value of the other.
    size_slots: Vec<Option<Slot>>,
}

struct Lowering<'a> {
    model: &'a Model,
    flow: &'a Flow,
    corners: &'a [Corner<'a>],
    /// Per row whether it is active in any corner.
    active: Vec<bool>,
    weights: Vec<Slot>,
    emitter: Emitter<'a>,
    time: Slot,
    /// Per row the slot of its value, once emitted.
    versions: Vec<Option<Slot>>,
    /// Per real the rows that give its final value.
    finals: Vec<Writers>,
    /// Per op of the tape that has a kink: who owns it.
    sites: Vec<(usize, Owner)>,
    /// Parts of the tape that are loops.
    cuts: Vec<Cut>,
    /// Slots handed out for versions that are read before they are computed.
    unknowns: Vec<(usize, Slot)>,
    relays: Vec<(usize, Slot)>,
    delays: Vec<(usize, Slot, Slot)>,
    rates: Vec<Option<Slot>>,
    slopes: Slopes,
    /// Slots that stand for a real's final value.
    stated: Vec<(Slot, RealId)>,
}

/// A loop: a part of the tape with its unknowns and results.
pub(super) struct Cut {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) unknowns: Vec<(Slot, RealId)>,
    pub(super) results: Vec<Slot>,
    pub(super) rows: Vec<RelationId>,
}

/// Rows whose values are read for a real, each with the corners in which it is: one bit per corner.
type Writers = SmallVec<[(usize, u64); 1]>;

/// Reads the versions that a row at some place reads.
struct Versions<'l> {
    flow: &'l Flow,
    corners: &'l [Corner<'l>],
    weights: &'l [Slot],
    versions: &'l [Option<Slot>],
    unknowns: &'l mut Vec<(usize, Slot)>,
    time: Slot,
    /// The reading row; `None` reads final values.
    row: Option<usize>,
}

/// What a row reads ([`Versions`]), borrowing only the parts of the lowering that it needs.
macro_rules! reader {
    ($lowering:expr, $row:expr) => {
        Versions {
            flow: $lowering.flow,
            corners: $lowering.corners,
            weights: &$lowering.weights,
            versions: &$lowering.versions,
            unknowns: &mut $lowering.unknowns,
            time: $lowering.time,
            row: $row,
        }
    };
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
                let sum = mixture(asm, self.weights, &parts);
                if all.count_ones() as usize == self.corners.len() {
                    return sum;
                }
                // Where nothing writes the real it keeps what was written last, elsewhere.
                let share = share(asm, self.weights, all);
                asm.op(Code::Div, sum, share)
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
fn mixture(asm: &mut Assembler, weights: &[Slot], parts: &[(Slot, u64)]) -> Slot {
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
    let above = row.and_then(|row| values().rfind(|&writer| writer < row));
    above.or_else(|| values().next_back())
}

/// The rows whose values are read for a real in the corners. A real that only some corners write is
/// read from these: in the others it keeps, or is on its way from, what was written last.
fn versions_read(flow: &Flow, corners: &[Corner<'_>], row: Option<usize>, real: RealId) -> Writers {
    let mut writers = Writers::new();
    for (number, corner) in corners.iter().enumerate() {
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

impl Lowering<'_> {
    fn rows(&mut self) -> Result<(), ModeError> {
        for real in 0..self.model.reals.len() {
            self.finals[real] = self.writers(None, RealId::new(real));
        }
        let order = components(self.flow.rows.len(), |row| self.reads(row));
        for component in order {
            let rows: Vec<usize> = component
                .into_iter()
                .filter(|&row| self.active[row])
                .collect();
            let circular = rows.len() > 1
                || rows
                    .first()
                    .is_some_and(|&row| self.reads(row).contains(&row));
            if !circular {
                for row in rows {
                    self.row(row)?;
                }
                continue;
            }
            self.circle(&rows)?;
        }
        Ok(())
    }

    fn writers(&self, row: Option<usize>, real: RealId) -> Writers {
        versions_read(self.flow, self.corners, row, real)
    }

    /// The reals that stand in a row's arguments.
    fn arguments(&self, row: usize, mut each: impl FnMut(RealId)) {
        let relation = &self.model.relations[self.flow.rows[row].relation.index()];
        for arg in &relation.args {
            if let Argument::Real(expr) = arg {
                self.model.exprs.visit(*expr, |_, node| {
                    if let crate::model::Expr::Real(id) = node {
                        each(*id);
                    }
                });
            }
        }
    }

    /// The rows whose values an active row reads.
    fn reads(&self, row: usize) -> Vec<usize> {
        let mut rows = Vec::new();
        if !self.active[row] {
            return rows;
        }
        match self.flow.rows[row].action {
            Action::Clock | Action::Zero | Action::Relay(_) | Action::Delay(_) => {}
            Action::Derivative => return self.reads_for_slope(row),
            Action::Value | Action::Rate | Action::Smoothing => self.arguments(row, |id| {
                rows.extend(self.writers(Some(row), id).iter().map(|(row, _)| *row));
            }),
        }
        rows.sort_unstable();
        rows.dedup();
        rows
    }

    /// The rows that must stand before a derivative: those that its argument follows from, and the
    /// rates of the states among what these read.
    fn reads_for_slope(&self, row: usize) -> Vec<usize> {
        let mut rows = Vec::new();
        let mut seen = std::collections::HashSet::new();
        let mut open = vec![row];
        while let Some(reader) = open.pop() {
            self.arguments(reader, |id| {
                let writers = self.writers(Some(reader), id);
                if writers.is_empty() {
                    let all = self.flow.writers[id.index()].iter().copied();
                    rows.extend(all.filter(|&row| self.active[row]));
                }
                for &(writer, _) in &writers {
                    rows.push(writer);
                    let follows = matches!(
                        self.flow.rows[writer].action,
                        Action::Value | Action::Derivative
                    );
                    if follows && seen.insert(writer) {
                        open.push(writer);
                    }
                }
            });
        }
        rows.sort_unstable();
        rows.dedup();
        rows
    }

    fn circle(&mut self, rows: &[usize]) -> Result<(), ModeError> {
        let mut all = rows.iter();
        if let Some(&row) = all.find(|&&row| self.flow.rows[row].action == Action::Derivative) {
            return Err(ModeError::DerivativeInLoop(self.flow.rows[row].relation));
        }
        for &row in rows {
            let target = self.flow.rows[row].target;
            let writers = &self.flow.writers[target.index()];
            let integrated = self.corners.iter().any(|corner| {
                let rate = |&writer: &usize| {
                    corner.active[writer] && !self.flow.rows[writer].action.is_value()
                };
                corner.active[row] && writers.iter().any(rate)
            });
            if integrated {
                return Err(ModeError::ClampReadsItself(self.flow.rows[row].relation));
            }
        }
        let start = self.emitter.asm.len();
        for &row in rows {
            self.row(row)?;
        }
        let unknowns = std::mem::take(&mut self.unknowns);
        for &(row, slot) in &unknowns {
            let target = self.flow.rows[row].target;
            if self.is_final(row, target) {
                self.stated.push((slot, target));
            }
        }
        self.cuts.push(Cut {
            start,
            end: self.emitter.asm.len(),
            results: unknowns
                .iter()
                .map(|(row, _)| self.versions[*row].expect("every row of the circle was emitted"))
                .collect(),
            unknowns: unknowns
                .into_iter()
                .map(|(row, slot)| (slot, self.flow.rows[row].target))
                .collect(),
            rows: rows
                .iter()
                .map(|&row| self.flow.rows[row].relation)
                .collect(),
        });
        Ok(())
    }

    /// Whether a row alone gives the final value of its target.
    fn is_final(&self, row: usize, target: RealId) -> bool {
        matches!(self.finals[target.index()][..], [(last, _)] if last == row)
    }

    fn row(&mut self, row: usize) -> Result<(), ModeError> {
        let flow_row = &self.flow.rows[row];
        let (target, action) = (flow_row.target, flow_row.action);
        let relation = &self.model.relations[flow_row.relation.index()];
        let since = self.emitter.asm.len();
        let emitter = &mut self.emitter;
        let mut reader = reader!(self, Some(row));
        let value = match action {
            Action::Value => match relation.procedure.get().body {
                Body::Value(emit) => {
                    let args = emitter.arguments(relation, &mut reader);
                    emitter.value(relation, emit, args)
                }
                // A sample: the row is active while it is taken.
                Body::Memory(_) => {
                    let value = emitter.argument(relation, 0, &mut reader);
                    emitter.scaled(value, relation.coef)
                }
            },
            Action::Rate => {
                let rate = emitter.argument(relation, 0, &mut reader);
                emitter.scaled(rate, relation.coef)
            }
            Action::Smoothing => {
                let goal = emitter.argument(relation, 0, &mut reader);
                let constant = emitter.coefficient(relation.coef);
                let state = Slot::new(target.index());
                let distance = emitter.asm.op(Code::Sub, goal, state);
                emitter.asm.op(Code::Div, distance, constant)
            }
            Action::Clock => emitter.asm.number(1.0),
            Action::Zero => emitter.asm.number(0.0),
            Action::Relay(relay) => {
                let slot = emitter.asm.slot();
                self.relays.push((relay, slot));
                slot
            }
            Action::Delay(delay) => {
                let (value, slope) = (emitter.asm.slot(), emitter.asm.slot());
                self.delays.push((delay, value, slope));
                value
            }
            Action::Derivative => {
                let value = emitter.argument(relation, 0, &mut reader);
                let value = emitter.scaled(value, relation.coef);
                self.slope(value)
            }
        };
        let asm = &mut self.emitter.asm;
        if action.is_value() {
            let own = asm.unary(Code::Copy, value);
            let own = if asm.is_fixed(own) {
                let slot = asm.slot();
                asm.op_into(slot, Code::Copy, own, own);
                slot
            } else {
                own
            };
            self.versions[row] = Some(own);
            if self.is_final(row, target) {
                self.stated.push((own, target));
            }
        } else {
            let value = self.rate_share(row, value);
            let asm = &mut self.emitter.asm;
            let sum = match self.rates[target.index()] {
                None => value,
                Some(sum) => asm.op(Code::Add, sum, value),
            };
            self.rates[target.index()] = Some(sum);
        }
        let owner = flow_row.relation;
        self.note_kinks(since, |ordinal| Owner::RowKink(owner, ordinal));
        Ok(())
    }

    /// A rate counts with the share of the corners in which its row is active.
    fn rate_share(&mut self, row: usize, rate: Slot) -> Slot {
        let corners = self.corners_of(row);
        if corners.count_ones() as usize == self.corners.len() {
            return rate;
        }
        mixture(&mut self.emitter.asm, &self.weights, &[(rate, corners)])
    }

    /// The corners in which a row is active.
    fn corners_of(&self, row: usize) -> u64 {
        let bits = self.corners.iter().enumerate();
        bits.filter(|(_, corner)| corner.active[row])
            .fold(0, |all, (number, _)| all | 1 << number)
    }

    /// The slope of a value along the motion.
    fn slope(&mut self, of: Slot) -> Slot {
        let (rates, delays, time) = (&self.rates, &self.delays, self.time);
        let asm = &mut self.emitter.asm;
        let one = asm.number(1.0);
        let slope = derive(asm, of, &mut self.slopes, &mut self.cuts, |slot| {
            if slot == time {
                return Some(one);
            }
            let delay = delays.iter().find(|(_, value, _)| *value == slot);
            let rate = rates.get(slot.index()).copied().flatten();
            delay.map(|(.., slope)| *slope).or(rate)
        });
        slope.unwrap_or_else(|| asm.number(0.0))
    }

    /// Notes the ops with kinks among those emitted since.
    fn note_kinks(&mut self, since: usize, owner: impl Fn(usize) -> Owner) {
        let mut ordinal = 0;
        for (position, op) in self.emitter.asm.ops().iter().enumerate().skip(since) {
            if has_kink(op.code) {
                self.sites.push((position, owner(ordinal)));
                ordinal += 1;
            }
        }
    }

    /// Emits the final values of all reals that follow from others.
    fn final_slots(&mut self) -> Vec<Option<Slot>> {
        let finals = std::mem::take(&mut self.finals);
        let slots = finals
            .iter()
            .enumerate()
            .map(|(index, writers)| {
                let id = RealId::new(index);
                let slot = match writers[..] {
                    [] => return None,
                    [(writer, _)] => self.versions[writer].expect("active rows were emitted"),
                    _ => {
                        let mut reader = reader!(self, None);
                        let slot = reader.real(id, &mut self.emitter.asm);
                        self.stated.push((slot, id));
                        slot
                    }
                };
                Some(slot)
            })
            .collect();
        self.finals = finals;
        slots
    }

    /// Emits what the delays take in, whether their rows are active or not.
    fn delayed(&mut self) -> Vec<Slot> {
        let mut taken = Vec::new();
        for &row in &self.flow.delays {
            let id = self.flow.rows[row].relation;
            let relation = &self.model.relations[id.index()];
            let since = self.emitter.asm.len();
            let mut reader = reader!(self, Some(row));
            let value = self.emitter.argument(relation, 0, &mut reader);
            let value = self.emitter.scaled(value, relation.coef);
            self.note_kinks(since, |ordinal| Owner::RowKink(id, ordinal));
            taken.push(value);
        }
        taken
    }

    /// Emits both sides of every comparison; their slots.
    fn comparisons(&mut self) -> Vec<(RangeId, usize, Slot, Slot)> {
        let model = self.model;
        let mut compared = Vec::new();
        for (index, range) in model.ranges.iter().enumerate() {
            if range.mark == Some(Mark::NoEvent) {
                continue;
            }
            let id = RangeId::new(index);
            let since = self.emitter.asm.len();
            for (position, comparison) in range.all.iter().enumerate() {
                let left = self.final_value(comparison.left);
                let right = self.final_value(comparison.right);
                compared.push((id, position, left, right));
            }
            self.note_kinks(since, |ordinal| Owner::RangeKink(id, ordinal));
        }
        compared
    }

    /// Emits both sides of the comparisons that are only watched.
    fn watched(&mut self, comparisons: &[Comparison]) -> Vec<[Slot; 2]> {
        let mut compared = Vec::with_capacity(comparisons.len());
        for (index, comparison) in comparisons.iter().enumerate() {
            let since = self.emitter.asm.len();
            compared.push([comparison.left, comparison.right].map(|side| self.final_value(side)));
            self.note_kinks(since, |ordinal| Owner::WatchKink(index, ordinal));
        }
        compared
    }

    fn final_value(&mut self, expr: crate::ids::ExprId) -> Slot {
        let mut reader = reader!(self, None);
        self.emitter.expr(expr, &mut reader)
    }

    /// Emits what the hysteresis rows compare, whether they are active or not.
    fn relay_borders(&mut self) -> Vec<(RelationId, [Slot; 3])> {
        let mut compared = Vec::new();
        for &id in &self.flow.relays {
            let relation = &self.model.relations[id.index()];
            let since = self.emitter.asm.len();
            let args: Vec<Slot> = relation
                .args
                .clone()
                .into_iter()
                .filter_map(|arg| match arg {
                    Argument::Real(expr) => Some(self.final_value(expr)),
                    Argument::Boolean(_) => None,
                })
                .collect();
            self.note_kinks(since, |ordinal| Owner::RowKink(id, ordinal));
            compared.push((id, [args[0], args[1], args[2]]));
        }
        compared
    }
}

fn has_kink(code: Code) -> bool {
    matches!(
        code,
        Code::Abs | Code::Sign | Code::Min | Code::Max | Code::AtLeast | Code::Floor | Code::Mod
    )
}

/// Replaces kinks by branches, adds the margins, and cuts the tape into segments.
fn finish(lowering: Lowering<'_>, constants: &[f64], read: Read, borders: &mut Borders) -> Mode {
    let Lowering {
        model,
        corners,
        weights,
        emitter,
        time,
        sites,
        cuts,
        relays,
        delays,
        rates,
        stated,
        ..
    } = lowering;
    let Emitter {
        asm, constants_at, ..
    } = emitter;
    let mut tape = asm.finish();
    let forms = |stated| {
        input_forms(
            &tape,
            constants,
            constants_at,
            model.reals.len(),
            time,
            stated,
        )
    };
    let (identity, moving) = (forms(&stated), forms(&[]));
    let mut opaque = vec![false; tape.n_slots as usize];
    let delayed = delays.iter().flat_map(|&(_, value, slope)| [value, slope]);
    for slot in delayed.chain(weights.iter().copied()) {
        opaque[slot.index()] = true;
    }
    let mut rewriting = Rewriting {
        tape: &mut tape,
        corners,
        weights: &weights,
        identity,
        moving,
        opaque,
        sizes: HashMap::new(),
        size_slots: read.size_slots,
        margins: Vec::new(),
        margin_at: Vec::new(),
        steps: Vec::new(),
        ops: Vec::new(),
    };
    let source = std::mem::take(&mut rewriting.tape.ops);
    rewriting.tape.rows.clear();
    let mut sites = sites.into_iter().peekable();
    let mut place = Vec::with_capacity(source.len() + 1);
    for (position, op) in source.iter().enumerate() {
        place.push(rewriting.ops.len());
        match sites.peek() {
            Some(&(at, owner)) if at == position => {
                sites.next();
                rewriting.kink(op, owner, borders);
            }
            _ => rewriting.push(*op),
        }
    }
    place.push(rewriting.ops.len());
    let mut views = Vec::with_capacity(read.comparisons.len());
    for (range, position, left, right) in read.comparisons {
        let view = rewriting.compare(Owner::Comparison(range, position), left, right, borders);
        views.push((range, position, view));
    }
    let mut relay_views = Vec::new();
    for (relation, [value, low, high]) in read.relay_borders {
        relay_views.push([(false, low), (true, high)].map(|(upper, limit)| {
            rewriting.compare(Owner::Relay(relation, upper), value, limit, borders)
        }));
    }
    let mut watch_views = Vec::with_capacity(read.watched.len());
    for (index, [left, right]) in read.watched.into_iter().enumerate() {
        watch_views.push(rewriting.compare(Owner::Watch(index), left, right, borders));
    }
    let delayed = read.delayed.iter();
    let delayed = delayed
        .map(|slot| (*slot, rewriting.moving.get(slot.0).cloned()))
        .collect();
    let moving_forms = std::mem::take(&mut rewriting.moving);
    let Rewriting {
        mut margins,
        margin_at,
        steps,
        ops,
        ..
    } = rewriting;

    let mut all = Vec::new();
    let mut done = 0;
    for cut in cuts {
        let (start, end) = (place[cut.start], place[cut.end]);
        if start > done {
            all.push(Segment::Ops(ops[done..start].to_vec()));
        }
        all.push(Segment::Loop(Loop {
            ops: ops[start..end].to_vec(),
            unknowns: cut.unknowns,
            results: cut.results,
            rows: cut.rows,
        }));
        done = end;
    }
    if done < ops.len() {
        all.push(Segment::Ops(ops[done..].to_vec()));
    }
    let mut states = Vec::new();
    let mut state_rates = Vec::new();
    let mut algebraic = Vec::new();
    for (index, (rate, value)) in rates.iter().zip(&read.finals).enumerate() {
        let id = RealId::new(index);
        match (value, rate) {
            (Some(value), _) => algebraic.push((id, *value)),
            (None, Some(rate)) => {
                states.push(id);
                state_rates.push(*rate);
            }
            (None, None) => {}
        }
    }
    let rate_forms: Vec<Option<Affine>> = state_rates
        .iter()
        .map(|slot| moving_forms.get(slot.0).cloned())
        .collect();
    for margin in &mut margins {
        if let Some(form) = &margin.form {
            margin.still_from = still_from(form, &states, &rate_forms);
        }
        let terms = margin.form.iter().flat_map(|form| &form.terms);
        for &(real, weight) in terms {
            match states.binary_search(&real) {
                Ok(component) => margin.moving.push((component, weight)),
                Err(_) => margin.held.push((real, weight)),
            }
        }
    }
    let n_slots = tape.n_slots as usize;
    let flow = needed(&all, state_rates.iter().copied(), n_slots);
    let tests = needed(&all, margins.iter().map(|margin| margin.slot), n_slots);
    let mut inputs = vec![false; model.reals.len()];
    let mut reads = |slot: u32| {
        if let Some(read) = inputs.get_mut(slot as usize) {
            *read = true;
        }
    };
    for segment in &all {
        let (Segment::Ops(ops) | Segment::Loop(Loop { ops, .. })) = segment;
        ops.iter()
            .for_each(|op| [op.a, op.b].into_iter().for_each(&mut reads));
    }
    // A slot may be read without any operation.
    let direct = margins.iter().map(|margin| margin.slot);
    let direct = direct
        .chain(state_rates.iter().copied())
        .chain(read.delayed.iter().copied());
    direct.for_each(|slot| reads(slot.0));
    states.iter().for_each(|real| reads(real.0));
    let inputs = (0..inputs.len()).filter(|&real| inputs[real]);
    Mode {
        inputs: inputs.map(RealId::new).collect(),
        tape,
        all,
        flow,
        tests,
        weights,
        delays,
        delayed,
        states,
        rates: state_rates,
        rate_forms,
        algebraic,
        margins: margins.into(),
        margin_at,
        relays,
        steps,
        comparisons: views,
        watched: watch_views,
        relay_views,
        time,
        constants_at,
    }
}

/// The order from which on all derivatives of a form are 0, looked for up to the third; `usize::MAX` if
/// there is none or a rate that it needs has no form.
fn still_from(form: &Affine, states: &[RealId], rates: &[Option<Affine>]) -> usize {
    let mut form = form.clone();
    for order in 1..=3 {
        let mut slope = Affine::number(form.per_time);
        for (real, weight) in &form.terms {
            let Ok(state) = states.binary_search(real) else {
                continue;
            };
            match &rates[state] {
                Some(rate) => slope = slope.plus(rate, *weight),
                None => return usize::MAX,
            }
        }
        if slope == Affine::number(0.0) {
            return order;
        }
        form = slope;
    }
    usize::MAX
}

/// The forms of everything that is not computed in the tape.
fn input_forms(
    tape: &Tape,
    constants: &[f64],
    constants_at: usize,
    n_reals: usize,
    time: Slot,
    stated: &[(Slot, RealId)],
) -> Forms {
    let mut values = vec![0.0; tape.n_slots as usize];
    values[constants_at..][..constants.len()].copy_from_slice(constants);
    let mut forms = Forms::default();
    for &(slot, value) in &tape.numbers {
        values[slot.index()] = value;
        forms.set(slot, Affine::number(value));
    }
    crate::backend::interpreter::run_setup(tape, &mut values);
    for op in &tape.setup {
        forms.set(Slot(op.out), Affine::number(values[op.out as usize]));
    }
    for (index, &value) in constants.iter().enumerate() {
        forms.set(Slot::new(constants_at + index), Affine::number(value));
    }
    for index in 0..n_reals {
        forms.set(Slot::new(index), Affine::real(RealId::new(index)));
    }
    for &(slot, real) in stated {
        forms.set(slot, Affine::real(real));
    }
    forms.set(time, Affine::time());
    forms
}

struct Rewriting<'t> {
    tape: &'t mut Tape,
    corners: &'t [Corner<'t>],
    weights: &'t [Slot],
    /// Forms over the final values of reals, whatever they follow from: the same in every mode.
    identity: Forms,
    /// Forms over what moves or is held in this mode.
    moving: Forms,
    /// Per slot whether it depends on what cannot be bounded over a piece of a step.
    opaque: Vec<bool>,
    /// Slot that holds the size of another -> the other.
    sizes: HashMap<u32, Slot>,
    /// Per real that is the size of another the slot of the other.
    size_slots: Vec<Option<Slot>>,
    margins: Vec<Margin>,
    margin_at: Vec<Option<u32>>,
    steps: Vec<(usize, Slot)>,
    ops: Vec<Op>,
}

impl Rewriting<'_> {
    fn push(&mut self, op: Op) {
        if op.code == Code::Copy
            && let Some(&of) = self.sizes.get(&op.a)
        {
            self.sizes.insert(op.out, of);
        }
        self.identity.follow(&op);
        self.moving.follow(&op);
        self.opaque[op.out as usize] = self.opaque[op.out as usize]
            || self.opaque[op.a as usize]
            || self.opaque[op.b as usize];
        self.ops.push(op);
    }

    fn slot(&mut self) -> Slot {
        self.tape.n_slots += 1;
        self.opaque.push(false);
        Slot(self.tape.n_slots - 1)
    }

    fn number(&mut self, value: f64) -> Slot {
        let known = self
            .tape
            .numbers
            .iter()
            .find(|(_, number)| number.to_bits() == value.to_bits());
        if let Some(&(slot, _)) = known {
            return slot;
        }
        let slot = self.slot();
        self.tape.numbers.push((slot, value));
        self.identity.set(slot, Affine::number(value));
        self.moving.set(slot, Affine::number(value));
        slot
    }

    fn op(&mut self, code: Code, a: Slot, b: Slot) -> Slot {
        let out = self.slot();
        self.push(Op {
            code,
            out: out.0,
            a: a.0,
            b: b.0,
        });
        out
    }

    /// Adds the margin `left - right`; how its border is seen from there.
    fn compare(&mut self, owner: Owner, left: Slot, right: Slot, borders: &mut Borders) -> View {
        let zero = self
            .identity
            .get(right.0)
            .is_some_and(|form| *form == Affine::number(0.0));
        let slot = if zero {
            left
        } else {
            self.op(Code::Sub, left, right)
        };
        if let Some((size_of, upright)) = self.size(slot) {
            let view = self.margin(owner, size_of, borders);
            return View {
                upright,
                folded: true,
                ..view
            };
        }
        self.margin(owner, slot, borders)
    }

    /// If a margin is the size of something, up to a factor: the slot of that, and whether the
    /// factor is positive.
    fn size(&self, slot: Slot) -> Option<(Slot, bool)> {
        if let Some(&of) = self.sizes.get(&slot.0) {
            return Some((of, true));
        }
        let form = self.identity.get(slot.0)?;
        match form.terms[..] {
            [(real, factor)] if form.constant == 0.0 && form.per_time == 0.0 => {
                let of = self.size_slots[real.index()]?;
                Some((of, factor > 0.0))
            }
            _ => None,
        }
    }

    fn margin(&mut self, owner: Owner, slot: Slot, borders: &mut Borders) -> View {
        let view = borders.view(owner, self.identity.get(slot.0));
        self.add_margin(view, slot);
        view
    }

    fn add_margin(&mut self, view: View, slot: Slot) {
        let View {
            border, upright, ..
        } = view;
        if self.margin_at.len() <= border.index() {
            self.margin_at.resize(border.index() + 1, None);
        }
        let at = &mut self.margin_at[border.index()];
        if at.is_some() {
            return;
        }
        *at = Some(u32::try_from(self.margins.len()).expect("fewer than 2^32 borders"));
        self.margins.push(Margin {
            border,
            slot,
            upright,
            form: self.moving.get(slot.0).cloned(),
            moving: Vec::new(),
            held: Vec::new(),
            still_from: usize::MAX,
            opaque: self.opaque[slot.index()],
        });
    }

    /// Emits the mixture of what the corners say, into `out`.
    fn mixed<T: PartialEq + Copy>(
        &mut self,
        out: u32,
        of: impl Fn(&Corner<'_>) -> T,
        mut slot: impl FnMut(&mut Self, T) -> Slot,
    ) {
        let mut parts: Vec<(T, u64)> = Vec::new();
        for (number, corner) in self.corners.iter().enumerate() {
            let what = of(corner);
            match parts.iter_mut().find(|(known, _)| *known == what) {
                Some((_, corners)) => *corners |= 1 << number,
                None => parts.push((what, 1 << number)),
            }
        }
        let copy = |from: Slot| Op {
            code: Code::Copy,
            out,
            a: from.0,
            b: from.0,
        };
        if let [(what, _)] = parts[..] {
            let from = slot(self, what);
            self.push(copy(from));
            return;
        }
        let mut sum: Option<Slot> = None;
        for (what, corners) in parts {
            let part = slot(self, what);
            let weights = self.weights;
            let mut shares = (0..weights.len()).filter(|corner| corners >> corner & 1 == 1);
            let first = shares.next().expect("a part belongs to a corner");
            let share = shares.fold(weights[first], |share, corner| {
                self.op(Code::Add, share, weights[corner])
            });
            let term = self.op(Code::Mul, share, part);
            sum = Some(match sum {
                None => term,
                Some(sum) => self.op(Code::Add, sum, term),
            });
        }
        self.push(copy(sum.expect("there is a corner")));
    }

    /// Replaces an op with a kink by its branch.
    ///
    /// What is computed from a branch is another form in another mode: it does not say which border
    /// a margin has, unless it is the value of a real.
    fn kink(&mut self, op: &Op, owner: Owner, borders: &mut Borders) {
        let stated = self.identity.get(op.out).is_some();
        self.branch(op, owner, borders);
        if !stated {
            self.identity.forget(op.out);
        }
    }

    fn branch(&mut self, op: &Op, owner: Owner, borders: &mut Borders) {
        let (a, b, out) = (Slot(op.a), Slot(op.b), op.out);
        let number = |this: &mut Self, value: f64| this.number(value);
        match op.code {
            Code::Abs => {
                let view = self.margin(owner, a, borders);
                let below =
                    |corner: &Corner<'_>| view.side(corner.side(view.border)) == Side::Minus;
                self.mixed(
                    out,
                    below,
                    |this, below| {
                        if below { this.op(Code::Neg, a, a) } else { a }
                    },
                );
            }
            Code::Sign => {
                let view = self.margin(owner, a, borders);
                let sign = |corner: &Corner<'_>| match view.side(corner.side(view.border)) {
                    Side::Minus => -1.0,
                    Side::On => 0.0,
                    Side::Plus => 1.0,
                };
                self.mixed(out, sign, number);
            }
            Code::AtLeast => {
                let view = self.compare(owner, a, b, borders);
                let reached = |corner: &Corner<'_>| {
                    f64::from(u8::from(view.side(corner.side(view.border)) != Side::Minus))
                };
                self.mixed(out, reached, number);
            }
            Code::Min | Code::Max => {
                let view = self.compare(owner, a, b, borders);
                let takes_first = |corner: &Corner<'_>| {
                    let below = view.side(corner.side(view.border)) == Side::Minus;
                    below == (op.code == Code::Min)
                };
                self.mixed(out, takes_first, |_, first| if first { a } else { b });
            }
            Code::Floor | Code::Mod => {
                let staircase = borders.staircase(owner);
                let step = self.slot();
                self.steps.push((staircase, step));
                let ratio = if op.code == Code::Mod {
                    self.op(Code::Div, a, b)
                } else {
                    a
                };
                let low = self.op(Code::Sub, ratio, step);
                let one = self.number(1.0);
                let high = self.op(Code::Sub, low, one);
                let ends = borders.staircases[staircase];
                for (border, slot) in [(ends.low, low), (ends.high, high)] {
                    let view = View {
                        border,
                        upright: true,
                        folded: false,
                    };
                    self.add_margin(view, slot);
                }
                if op.code == Code::Floor {
                    self.push(Op {
                        code: Code::Copy,
                        out,
                        a: step.0,
                        b: step.0,
                    });
                } else {
                    let whole = self.op(Code::Mul, b, step);
                    self.push(Op {
                        code: Code::Sub,
                        out,
                        a: a.0,
                        b: whole.0,
                    });
                }
            }
            _ => self.push(*op),
        }
    }
}

/// The parts of the computation that the given slots need.
fn needed(all: &[Segment], slots: impl Iterator<Item = Slot>, n_slots: usize) -> Vec<Segment> {
    let mut wanted = vec![false; n_slots];
    for slot in slots {
        wanted[slot.index()] = true;
    }
    let mut kept = Vec::new();
    for segment in all.iter().rev() {
        match segment {
            Segment::Ops(ops) => {
                let mut some: Vec<Op> = Vec::new();
                for op in ops.iter().rev() {
                    if wanted[op.out as usize] {
                        wanted[op.a as usize] = true;
                        wanted[op.b as usize] = true;
                        some.push(*op);
                    }
                }
                some.reverse();
                if !some.is_empty() {
                    kept.push(Segment::Ops(some));
                }
            }
            Segment::Loop(inner) => {
                if inner.ops.iter().any(|op| wanted[op.out as usize]) {
                    for op in &inner.ops {
                        wanted[op.a as usize] = true;
                        wanted[op.b as usize] = true;
                    }
                    kept.push(segment.clone());
                }
            }
        }
    }
    kept.reverse();
    kept
}

/// The strongly connected components of a graph, those that others need first; each ascending.
///
/// Source: R. Tarjan, Depth-first search and linear graph algorithms, 1972; without recursion.
fn components(n: usize, edges: impl Fn(usize) -> Vec<usize>) -> Vec<Vec<usize>> {
    const NEW: usize = usize::MAX;
    let (mut index, mut low) = (vec![NEW; n], vec![0; n]);
    let mut open = vec![false; n];
    let (mut path, mut found) = (Vec::new(), Vec::new());
    let mut next = 0;
    for root in 0..n {
        if index[root] != NEW {
            continue;
        }
        let mut calls: Vec<(usize, Vec<usize>)> = vec![(root, edges(root))];
        (index[root], low[root]) = (next, next);
        next += 1;
        open[root] = true;
        path.push(root);
        while let Some((node, todo)) = calls.last_mut() {
            let node = *node;
            if let Some(other) = todo.pop() {
                if index[other] == NEW {
                    (index[other], low[other]) = (next, next);
                    next += 1;
                    open[other] = true;
                    path.push(other);
                    calls.push((other, edges(other)));
                } else if open[other] {
                    low[node] = low[node].min(index[other]);
                }
                continue;
            }
            calls.pop();
            if let Some((parent, _)) = calls.last() {
                low[*parent] = low[*parent].min(low[node]);
            }
            if low[node] == index[node] {
                let start = path
                    .iter()
                    .rposition(|&on| on == node)
                    .expect("the node is on the path");
                let mut component = path.split_off(start);
                for &member in &component {
                    open[member] = false;
                }
                component.sort_unstable();
                found.push(component);
            }
        }
    }
    found
}
