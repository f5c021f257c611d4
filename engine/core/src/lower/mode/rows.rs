//! The rows of a mode, sorted by dependence, as one tape; rows in a circle become parts of it that
//! are solved.

use crate::graph::components;
use crate::ids::{RangeId, RealId, RelationId};
use crate::lower::border::BorderSource;
use crate::lower::emit::{Emitter, Reader};
use crate::lower::flow::{Action, Flow, bounds, bounds_move};
use crate::model::{Argument, Comparison, Mark};
use crate::procedure::Body;
use crate::tape::{Code, Root, Slot};

use super::derive::{AffineMarginDerivatives, derive};
use super::gates::{Choice, Gates, Saturation};
use super::systems::linear_unknowns::FixedNumbers;
use super::systems::roots::Roots;
use super::versions::{Versions, Writers, mixture};
use super::within_steps::value_edges::is_limited;
use super::{Corner, Cut, DelaySlots, ModeError, SlideGroups, TERMS, VaryingDelay};
use smallvec::SmallVec;

pub(super) struct Lowering<'a> {
    /// Values of slots that are fixed, constants among them.
    pub(super) fixed: FixedNumbers,
    pub(super) flow: &'a Flow,
    pub(super) corners: &'a [Corner<'a>],
    /// Per row whether it is active in any corner.
    pub(super) active: Vec<bool>,
    pub(super) shares: Shares<'a>,
    pub(super) emitter: Emitter<'a>,
    pub(super) time: Slot,
    /// Per row the slot of its value, once emitted.
    pub(super) versions: Vec<Option<Slot>>,
    /// Per real the rows that give its final value.
    pub(super) finals: Vec<Writers>,
    /// Per op of the tape that has a kink: who owns it.
    pub(super) sites: Vec<(usize, BorderSource)>,
    /// Parts of the tape that are loops.
    pub(super) cuts: Vec<Cut>,
    pub(super) roots: Roots,
    /// Slots handed out for versions that are read before they are computed.
    pub(super) unknowns: Vec<(usize, Slot)>,
    pub(super) relays: Vec<(usize, Slot)>,
    pub(super) delays: DelaySlots,
    pub(super) rates: Vec<Option<Slot>>,
    pub(super) slopes: AffineMarginDerivatives,
    /// Bounds on which states may rest.
    pub(super) saturations: Vec<Saturation>,
    /// Slots that stand for a real's final value.
    pub(super) stated: Vec<(Slot, RealId)>,
    /// Per real its final value, if it follows from others; known when all rows have been emitted.
    pub(super) final_values: Vec<Option<Slot>>,
}

/// Inputs that say how much of each row counts.
pub(super) struct Shares<'a> {
    /// Slots of the weights of the corners, group by group; empty if there is one corner.
    pub(super) weights: Vec<Slot>,
    pub(super) groups: &'a SlideGroups,
    /// The rows with gates, and the slots of these.
    pub(super) of: Option<&'a Gates>,
    pub(super) gates: Vec<Slot>,
    /// Per real that exclusive rows with gates write the slot of its value, once emitted; empty if there are no gates.
    pub(super) chosen: Vec<Option<Slot>>,
}

impl Shares<'_> {
    /// The gate of a row.
    fn gate(&self, row: usize) -> Option<Slot> {
        let gate = self.of?.of_row(row)?;
        Some(self.gates[gate as usize])
    }

    /// The weights with which a row counts.
    fn weights_of(&self, relation: RelationId) -> &[Slot] {
        self.groups
            .weights_of(self.groups.of_relation(relation), &self.weights)
    }

    /// The rows of a real that exclusive rows with gates write.
    pub(super) fn choice(&self, real: RealId) -> Option<&Choice> {
        self.of?.choice(real)
    }
}

/// Reader of a row's operands ([`Versions`]), borrowing only the parts of the lowering that it needs.
macro_rules! reader {
    ($lowering:expr, $row:expr) => {
        Versions {
            flow: $lowering.flow,
            corners: $lowering.corners,
            weights: &$lowering.shares.weights,
            groups: $lowering.shares.groups,
            chosen: &$lowering.shares.chosen,
            versions: &$lowering.versions,
            unknowns: &mut $lowering.unknowns,
            stated: &mut $lowering.stated,
            finals: &$lowering.finals,
            time: $lowering.time,
            final_values: &$lowering.final_values,
            row: $row,
        }
    };
}

pub(super) use reader;

impl Lowering<'_> {
    pub(super) fn rows(&mut self) -> Result<(), ModeError> {
        for real in 0..self.emitter.model.reals.len() {
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

    /// True if a row alone gives the final value of its target.
    pub(super) fn is_final(&self, row: usize, target: RealId) -> bool {
        matches!(self.finals[target.index()][..], [(last, _)] if last == row)
            && self.shares.choice(target).is_none()
    }

    /// True if rows with gates depend on each other.
    pub(super) fn has_gates_in_circles(&self) -> bool {
        let order = components(self.flow.rows.len(), |row| self.reads(row));
        order.iter().any(|component| {
            let circular = component.len() > 1 || self.reads(component[0]).contains(&component[0]);
            circular && component.iter().any(|&row| self.shares.gate(row).is_some())
        })
    }

    /// Emits the value of a real that exclusive rows write, when all of these have been emitted.
    fn choose(&mut self, target: RealId) {
        let Some(choice) = self.shares.choice(target) else {
            return;
        };
        let values = choice.rows.iter().map(|&row| self.versions[row]);
        let Some(values) = values.collect::<Option<SmallVec<[Slot; 4]>>>() else {
            return;
        };
        let gates = choice.rows.iter().map(|&row| self.shares.gate(row));
        let mut parts: SmallVec<[(Slot, Slot); 4]> = gates.flatten().zip(values).collect();
        let kept = choice.kept().map(|gate| self.shares.gates[gate as usize]);
        parts.extend(kept.map(|gate| (gate, Slot::new(target.index()))));
        let asm = &mut self.emitter.asm;
        let parts = parts.into_iter();
        let parts = parts.map(|(gate, value)| asm.op(Code::Gate, gate, value));
        let parts: SmallVec<[Slot; 4]> = parts.collect();
        let sum = parts
            .into_iter()
            .reduce(|sum, part| asm.op(Code::Add, sum, part));
        let sum = sum.expect("a choice has rows");
        self.shares.chosen[target.index()] = Some(sum);
        self.stated.push((sum, target));
    }

    /// Keeps a state on the bounds of a row while its rate points outward.
    fn saturate(&mut self, row: usize) {
        let (model, flow_row) = (self.emitter.model, &self.flow.rows[row]);
        let (target, id) = (flow_row.target, flow_row.relation);
        // What is held is taken along by a bound that moves.
        let is_held = || self.finals[target.index()].is_empty() && bounds_move(model, id);
        let free = match self.rates[target.index()] {
            Some(free) => free,
            None if is_held() => self.emitter.asm.number(0.0),
            None => return,
        };
        let relation = &model.relations[id.index()];
        let since = self.emitter.asm.len();
        let bounds: Vec<(bool, Slot)> = bounds(model, id)
            .map(|(position, upper)| {
                let reader = &mut reader!(self, Some(row));
                (upper, self.emitter.argument(relation, position, reader))
            })
            .collect();
        let kink = |ordinal| BorderSource::RowKink(id, ordinal);
        let mut n_kinks = self.note_kinks(since, kink);
        let mut rate = free;
        for (upper, bound) in bounds {
            // The slope of a bound has kinks where the bound has them.
            let since = self.emitter.asm.len();
            let moved = self.slope(bound);
            n_kinks += self.note_kinks(since, |ordinal| kink(n_kinks + ordinal));
            let asm = &mut self.emitter.asm;
            let (position, out) = (asm.len(), asm.slot());
            asm.op_into(out, [Code::Max, Code::Min][usize::from(upper)], rate, moved);
            rate = out;
            self.sites.push((position, BorderSource::Push(id, upper)));
            self.saturations.push(Saturation {
                position,
                row,
                relation: id,
                upper,
                state: Slot::new(target.index()),
                bound,
            });
        }
        let corners = self.corners_of(row);
        let others = !corners & (u64::MAX >> (64 - self.corners.len()));
        let parts = [(rate, corners), (free, others)];
        let mixed = match others {
            0 => rate,
            _ => mixture(&mut self.emitter.asm, self.shares.weights_of(id), &parts),
        };
        self.rates[target.index()] = Some(mixed);
    }

    pub(super) fn row(&mut self, row: usize) -> Result<(), ModeError> {
        let flow_row = &self.flow.rows[row];
        let (target, action) = (flow_row.target, flow_row.action);
        if action == Action::Saturation {
            self.saturate(row);
            return Ok(());
        }
        let relation = &self.emitter.model.relations[flow_row.relation.index()];
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
                Body::Solve => unreachable!("it is a part of a loop"),
            },
            Action::Solved(_) => unreachable!("it is a part of a loop"),
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
            Action::Steady(rate) => emitter.asm.number(f64::from(rate)),
            Action::Zero => emitter.asm.number(0.0),
            Action::Relay(relay) => {
                let slot = emitter.asm.slot();
                self.relays.push((relay, slot));
                slot
            }
            Action::Delay(delay) => {
                let id = flow_row.relation;
                if emitter.model.has_constant_delay(id) {
                    let (value, slope) = (emitter.asm.slot(), emitter.asm.slot());
                    self.delays.fixed.push((delay, value, slope));
                    value
                } else {
                    let length = emitter.argument(relation, 1, &mut reader);
                    let asm = &mut emitter.asm;
                    let at = asm.op(Code::Sub, self.time, length);
                    let about = asm.slot();
                    let terms: [Slot; TERMS] = std::array::from_fn(|_| asm.slot());
                    let way = asm.op(Code::Sub, at, about);
                    let [rest @ .., last] = terms;
                    let value = rest.into_iter().rev().fold(last, |sum, term| {
                        let product = asm.op(Code::Mul, sum, way);
                        asm.op(Code::Add, product, term)
                    });
                    self.delays.varying.push(VaryingDelay {
                        delay,
                        relation: id,
                        target,
                        length,
                        at,
                        about,
                        terms,
                    });
                    value
                }
            }
            Action::Saturation => unreachable!("it limits the rate that others give"),
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
            self.choose(target);
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
        if action.is_value() {
            let asm = &self.emitter.asm;
            let limited = (asm.ops()[since..].iter())
                .filter(|op| is_limited(op.code))
                .filter(|op| op.code != Code::Div || !asm.is_fixed(Slot(op.b)))
                .map(|op| (op.out, (owner, target)));
            self.roots.limited.extend(limited);
        }
        self.note_edges(since, owner);
        self.note_kinks(since, |ordinal| BorderSource::RowKink(owner, ordinal));
        Ok(())
    }

    /// Notes the ops that take a root among those emitted since.
    pub(super) fn note_edges(&mut self, since: usize, owner: RelationId) {
        let ops = self.emitter.asm.ops().iter().enumerate().skip(since);
        let edges = ops
            .filter(|(_, op)| op.code.root() == Some(Root::Zero))
            .enumerate();
        (self.roots.edges).extend(
            edges.map(|(ordinal, (position, _))| (position, BorderSource::Edge(owner, ordinal))),
        );
    }

    /// A rate counts with the share of the corners in which its row is active, or as its gate says.
    fn rate_share(&mut self, row: usize, rate: Slot) -> Slot {
        if let Some(gate) = self.shares.gate(row) {
            return self.emitter.asm.op(Code::Gate, gate, rate);
        }
        let corners = self.corners_of(row);
        if corners.count_ones() as usize == self.corners.len() {
            return rate;
        }
        let weights = self.shares.weights_of(self.flow.rows[row].relation);
        mixture(&mut self.emitter.asm, weights, &[(rate, corners)])
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
            let delay = delays.fixed.iter().find(|(_, value, _)| *value == slot);
            let rate = rates.get(slot.index()).copied().flatten();
            delay.map(|(.., slope)| *slope).or(rate)
        });
        slope.unwrap_or_else(|| asm.number(0.0))
    }

    /// Notes the ops with kinks among those emitted since, which read the signed roots that are known; their number.
    pub(super) fn note_kinks<F>(&mut self, since: usize, owner: F) -> usize
    where
        F: Fn(usize) -> BorderSource,
    {
        self.roots.read_since(&mut self.emitter.asm, since);
        let ops = self.emitter.asm.ops().iter().enumerate().skip(since);
        let kinks = ops.filter(|(_, op)| op.code.pieces().is_some()).enumerate();
        let known = self.sites.len();
        (self.sites).extend(kinks.map(|(ordinal, (position, _))| (position, owner(ordinal))));
        self.sites.len() - known
    }

    /// Emits the final values of all reals that follow from others.
    pub(super) fn final_slots(&mut self) -> Vec<Option<Slot>> {
        let slots: Vec<Option<Slot>> = (0..self.finals.len())
            .map(|index| {
                if let Some(Some(chosen)) = self.shares.chosen.get(index) {
                    return Some(*chosen);
                }
                match self.finals[index][..] {
                    [] => None,
                    [(writer, _)] => Some(self.versions[writer].expect("active rows were emitted")),
                    _ => {
                        let mut reader = reader!(self, None);
                        Some(reader.real(RealId::new(index), &mut self.emitter.asm))
                    }
                }
            })
            .collect();
        self.final_values.clone_from(&slots);
        slots
    }

    /// Emits what the delays take in, whether their rows are active or not.
    pub(super) fn delayed(&mut self) -> Vec<Slot> {
        let mut taken = Vec::new();
        for &row in &self.flow.delays {
            let id = self.flow.rows[row].relation;
            let relation = &self.emitter.model.relations[id.index()];
            let since = self.emitter.asm.len();
            let mut reader = reader!(self, Some(row));
            let value = self.emitter.argument(relation, 0, &mut reader);
            let value = self.emitter.scaled(value, relation.coef);
            self.note_kinks(since, |ordinal| BorderSource::RowKink(id, ordinal));
            taken.push(value);
        }
        taken
    }

    /// Emits both sides of every comparison; their slots.
    pub(super) fn comparisons(&mut self) -> Vec<(RangeId, usize, Slot, Slot)> {
        let model = self.emitter.model;
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
            self.note_kinks(since, |ordinal| BorderSource::RangeKink(id, ordinal));
        }
        compared
    }

    /// Emits both sides of the comparisons that are only watched.
    pub(super) fn watched(&mut self, comparisons: &[Comparison]) -> Vec<[Slot; 2]> {
        let mut compared = Vec::with_capacity(comparisons.len());
        for (index, comparison) in comparisons.iter().enumerate() {
            let since = self.emitter.asm.len();
            compared.push([comparison.left, comparison.right].map(|side| self.final_value(side)));
            self.note_kinks(since, |ordinal| BorderSource::WatchKink(index, ordinal));
        }
        compared
    }

    fn final_value(&mut self, expr: crate::ids::ExprId) -> Slot {
        let mut reader = reader!(self, None);
        self.emitter.expr(expr, &mut reader)
    }

    /// Emits what the hysteresis rows compare, whether they are active or not.
    pub(super) fn relay_borders(&mut self) -> Vec<(RelationId, [Slot; 3])> {
        let mut compared = Vec::new();
        for &id in &self.flow.relays {
            let relation = &self.emitter.model.relations[id.index()];
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
            self.note_kinks(since, |ordinal| BorderSource::RowKink(id, ordinal));
            compared.push((id, [args[0], args[1], args[2]]));
        }
        compared
    }
}
