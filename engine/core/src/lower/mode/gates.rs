//! Conditional rows and kinks -> gates: inputs of a mode that say which of these rows act, and on which branches they are.
//!
//! In a crowd each combination of active rows would be a mode of its own. Where conditional rows are plain, one mode has
//! all of them: the rate of each is let through by its gate, and a real that exclusive rows write is the sum of what
//! their gates let through. A gate is 1 while its row acts and 0 while it does not; what it shuts out need not be
//! defined. Along a slide it is the share of the corners in which the row acts.
//!
//! So is it with the branches of many kinks, and with the bounds of states: here is what decides about their gates,
//! [`super::branch_gates`] emits what these let through.

use smallvec::SmallVec;

use crate::backend::value::Stairs;
use crate::bits::Bits;
use crate::ids::{RealId, RelationId};
use crate::lower::border::{BorderId, BorderSource, Borders, Side, View};
use crate::lower::flow::{Action, Flow, FlowGuard, FlowRow, bounds};
use crate::model::{Argument, Expr, Model};
use crate::procedure::{Body, Memory, ProcedureId};
use crate::tape::{Assembler, Op, Pieces, Slot};

use super::{Cut, SlideGroups};

/// The rows of a flow that have gates.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gates {
    /// Per row of the flow the number of its gate; empty if no row has one.
    of_row: Vec<Option<u32>>,
    /// The row of each gate. The gates of values that are kept follow.
    rows: Vec<usize>,
    /// Reals that exclusive rows write.
    choices: Vec<Choice>,
    /// Per real its place among `choices`; empty if no row has a gate.
    choice_of: Vec<Option<u32>>,
    /// Relations whose kinks may have gates.
    kinked: Bits,
    /// Conditional rows that set bounds, of which the gates of branches say whether they act.
    bounding: Vec<usize>,
}

/// A real that exclusive rows write.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    /// The rows, in written order.
    pub(super) rows: Vec<usize>,
    /// The gate of what stood before, which is kept while none of them acts; `None` if one always acts.
    kept: Option<u32>,
}

impl Gates {
    /// The gates of a flow: those of rows, and those of kinks; none of these if there would be fewer than `from`.
    pub(crate) fn new(model: &Model, flow: &Flow, from: usize) -> Self {
        let mut gates = Self::of_rows(model, flow, from);
        let kinks = flow
            .rows
            .iter()
            .map(|row| (row.relation, kinks(model, row)));
        let kinks: Vec<(RelationId, usize)> = kinks.filter(|(_, n)| *n > 0).collect();
        if kinks.iter().fold(0, |all, (_, n)| all + n) >= from.max(1) {
            let relations = kinks.iter().map(|(relation, _)| relation.index());
            relations.for_each(|relation| gates.kinked.include(relation));
            let rows = (0..flow.rows.len()).filter(|row| sets_plain_bounds(model, flow, *row));
            gates.bounding = rows.collect();
        }
        gates
    }

    /// Rows without kinks and roots have gates if all that moves their target are rates, or if all that gives its value
    /// are conditional rows that do not read it.
    fn of_rows(model: &Model, flow: &Flow, from: usize) -> Self {
        let conditional = |row: &&usize| is_conditional(&flow.rows[**row].guard);
        let all = flow.writers.iter().flatten();
        if all.filter(conditional).count() < from.max(1) {
            return Self::default();
        }
        let mut gates = Self {
            of_row: vec![None; flow.rows.len()],
            choice_of: vec![None; flow.writers.len()],
            ..Self::default()
        };
        let plain = |row: &usize| is_plain(model, flow, *row);
        let mut exclusive = Vec::new();
        for (real, writers) in flow.writers.iter().enumerate() {
            let is_rate = |row: &usize| {
                let action = flow.rows[*row].action;
                matches!(
                    action,
                    Action::Rate | Action::Smoothing | Action::Steady(_) | Action::Saturation
                )
            };
            let is_value = |row: &usize| {
                let value = flow.rows[*row].action == Action::Value;
                value && is_conditional(&flow.rows[*row].guard)
            };
            if writers.iter().all(is_rate) {
                let some = writers.iter().filter(conditional).copied();
                let some = some.filter(|row| flow.rows[*row].action != Action::Saturation);
                some.filter(plain).for_each(|row| gates.open(row));
            } else if writers.iter().all(|row| is_value(row) && plain(row)) {
                writers.iter().for_each(|&row| gates.open(row));
                exclusive.push(real);
            }
        }
        if gates.rows.len() < from {
            return Self::default();
        }
        let mut next = gates.rows.len();
        for real in exclusive {
            let rows = flow.writers[real].clone();
            let kept = (!one_acts(flow, &rows)).then(|| {
                next += 1;
                number(next - 1)
            });
            gates.choice_of[real] = Some(number(gates.choices.len()));
            gates.choices.push(Choice { rows, kept });
        }
        gates
    }

    fn open(&mut self, row: usize) {
        self.of_row[row] = Some(number(self.rows.len()));
        self.rows.push(row);
    }

    /// True if there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty() && !self.kinked.any()
    }

    /// True if the branches of a kink may have gates.
    pub(super) fn branches_of(&self, kink: BorderSource) -> bool {
        match kink {
            BorderSource::RowKink(relation, _) | BorderSource::Push(relation, _) => {
                relation.index() < self.kinked.len() && self.kinked.get(relation.index())
            }
            _ => false,
        }
    }

    /// Number of the gates of rows.
    pub(super) fn len(&self) -> usize {
        let kept = self.choices.iter().filter(|choice| choice.kept.is_some());
        self.rows.len() + kept.count()
    }

    /// The gate of a row.
    pub(super) fn of_row(&self, row: usize) -> Option<u32> {
        self.of_row.get(row).copied().flatten()
    }

    /// The rows of a real that exclusive rows write.
    pub(super) fn choice(&self, real: RealId) -> Option<&Choice> {
        let place = self.choice_of.get(real.index()).copied().flatten()?;
        self.choices.get(place as usize)
    }

    /// True if at most one row of each choice acts.
    pub(crate) fn are_exclusive(&self, active: &[bool]) -> bool {
        let acting = |choice: &Choice| choice.rows.iter().filter(|row| active[**row]).count();
        self.choices.iter().all(|choice| acting(choice) <= 1)
    }

    /// Rows with gates count as active in the mode that has the gates.
    pub(crate) fn open_all(&self, active: &mut [bool]) {
        let rows = self.rows.iter().chain(&self.bounding);
        rows.for_each(|row| active[*row] = true);
    }

    /// Writes the position of each gate while these rows act and these gates of branches are open.
    pub(crate) fn positions(&self, active: &[bool], branches: &[bool], into: &mut Vec<f64>) {
        let of = |holds: bool| f64::from(u8::from(holds));
        into.clear();
        into.extend(self.rows.iter().map(|row| of(active[*row])));
        let kept = self.choices.iter().filter(|choice| choice.kept.is_some());
        into.extend(kept.map(|choice| of(!choice.rows.iter().any(|row| active[*row]))));
        into.extend(branches.iter().map(|open| of(*open)));
    }

    /// Per gate the group of slides that changes its row.
    pub(crate) fn groups(
        &self,
        flow: &Flow,
        groups: &SlideGroups,
        branches: &[BranchGate],
    ) -> Vec<u32> {
        let of = |row: &usize| number(groups.of_relation(flow.rows[*row].relation));
        let kept = self.choices.iter().filter(|choice| choice.kept.is_some());
        let kept = kept.map(|choice| choice.rows.iter().map(of).max().unwrap_or_default());
        let branches = branches.iter().map(|gate| number(gate.group(groups)));
        self.rows
            .iter()
            .map(of)
            .chain(kept)
            .chain(branches)
            .collect()
    }

    /// A real that only some corners of a mixture write is that of these corners: in the others it keeps, or is on its
    /// way from, what was written last.
    pub(crate) fn share_out(&self, positions: &mut [f64]) {
        for choice in &self.choices {
            let Some(kept) = choice.kept else { continue };
            let held = positions[kept as usize];
            if held == 1.0 || held == 0.0 {
                continue;
            }
            positions[kept as usize] = 0.0;
            for row in &choice.rows {
                let gate = self.of_row[*row].expect("the rows of a choice have gates");
                positions[gate as usize] /= 1.0 - held;
            }
        }
    }
}

impl Choice {
    pub(super) fn kept(&self) -> Option<u32> {
        self.kept
    }
}

/// A kink among the operations of all segments, counted through.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Site {
    pub(crate) position: usize,
    pub(crate) kink: Kink,
}

/// Selector of a kink's branch.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Kink {
    /// The side of a border.
    Border(View),
    /// The step of a staircase.
    Staircase(usize, Stairs),
    /// The rate of a state that rests on a bound while it points outward.
    Saturated(Saturated),
}

/// A kink that has a border of its own.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct BorderKink {
    pub(crate) owner: BorderSource,
    pub(crate) view: View,
    /// Whether the value jumps across the border; else its slope does.
    pub(crate) jumps: bool,
    /// Whether rates, delays or comparisons are computed from the value.
    pub(crate) moves: bool,
}

/// How the two borders of a bound of a state are seen.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Saturated {
    /// The row of the flow that sets the bound.
    pub(crate) row: usize,
    /// The state is on the bound.
    pub(crate) arrival: View,
    /// Its rate on the bound, upwards.
    pub(crate) outward: View,
    pub(crate) upper: bool,
}

impl Saturated {
    /// The side of both on which the state is free.
    pub(crate) fn inner(&self) -> Side {
        if self.upper { Side::Minus } else { Side::Plus }
    }

    /// True if the state is on the bound, or beyond, by the side of the border of its arrival.
    pub(crate) fn is_reached(&self, side: Side) -> bool {
        self.arrival.side(side) != self.inner()
    }
}

/// A bound on which a state rests exactly while its rate points outward.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StateBound {
    /// The row of the flow that sets it.
    pub(crate) row: usize,
    pub(crate) state: RealId,
    pub(crate) upper: bool,
    pub(crate) view: View,
}

/// A bound on which a state rests while its rate points outward: an op gives the rate with that choice.
pub(super) struct Saturation {
    /// Position of the op; its operands are the rate without the bound, and that of the bound.
    pub(super) position: usize,
    /// The row of the flow, its relation, and the slot of its target.
    pub(super) row: usize,
    pub(super) relation: RelationId,
    pub(super) upper: bool,
    pub(super) state: Slot,
    pub(super) bound: Slot,
}

/// The gate of a branch of a kink.
#[derive(Clone, Debug)]
pub(crate) struct BranchGate {
    pub(super) owner: BorderSource,
    /// It is open while each of these borders is on one of these sides, and a row that sets a bound acts...
    pub(super) open: SmallVec<[(BorderId, [bool; 3]); 2]>,
    pub(super) row: Option<usize>,
    /// ...or while not.
    pub(super) shut: bool,
}

impl BranchGate {
    /// True if it is open while these rows of the flow act and borders are on these sides.
    pub(crate) fn is_open(&self, active: &[bool], sides: &[Side]) -> bool {
        let mut open = self.open.iter();
        let acts = self.row.is_none_or(|row| active[row]);
        (acts && open.all(|(border, open)| open[sides[border.index()] as usize])) != self.shut
    }

    /// The group of slides that changes the kink's row.
    pub(crate) fn group(&self, groups: &SlideGroups) -> usize {
        let row = self.owner.relation();
        row.map_or(0, |row| groups.of_relation(row))
    }
}

/// The gates of branches of a mode while its kinks are replaced.
pub(super) struct Gating<'t> {
    /// Which kinks have gates; `None` if the mode is that of one combination.
    pub(super) of: Option<&'t Gates>,
    /// Number of the first one among all gates.
    pub(super) first: usize,
    /// Per slot whether kinks that it follows from have no gates.
    pub(super) ungated: Vec<bool>,
    pub(super) slots: Vec<Slot>,
    pub(super) all: Vec<BranchGate>,
}

impl Gating<'_> {
    /// True if the branches of a kink have gates.
    pub(super) fn has(&self, owner: BorderSource, op: &Op) -> bool {
        let may_have = |of: &Gates| of.branches_of(owner) && !self.ungated[op.out as usize];
        self.of.is_some_and(may_have)
    }

    /// In a mode with gates the side of a border whose kink has none is part of the key.
    pub(super) fn note_ungated(&self, border: BorderId, borders: &mut Borders) {
        if self.of.is_some() {
            borders.put_in_keys(border);
        }
    }
}

/// Marks the slots that comparisons, roots and loops follow from.
///
/// Shapes: `compared`: the slots of the comparisons; `ungated`: per slot.
pub(super) fn mark_ungated(
    ops: &[Op],
    cuts: &[Cut],
    compared: impl Iterator<Item = Slot>,
    ungated: &mut [bool],
) {
    compared.for_each(|slot| ungated[slot.index()] = true);
    let mut loops = cuts.iter().rev().peekable();
    for (position, op) in ops.iter().enumerate().rev() {
        while loops.next_if(|cut| position < cut.start).is_some() {}
        let is_looped = loops.peek().is_some_and(|cut| position < cut.end);
        ungated[op.out as usize] |= is_looped;
        if ungated[op.out as usize] || op.code.root().is_some() {
            (ungated[op.a as usize], ungated[op.b as usize]) = (true, true);
        }
    }
}

fn number(at: usize) -> u32 {
    u32::try_from(at).expect("fewer than 2^32 rows")
}

/// True if one of these rows acts whatever holds: one acts while no condition holds, and each condition is that of a row.
fn one_acts(flow: &Flow, rows: &[usize]) -> bool {
    let guards = || rows.iter().map(|row| &flow.rows[*row].guard);
    let others = guards().find_map(|guard| match guard {
        FlowGuard::NoneOf(others) => Some(others),
        FlowGuard::All(_) | FlowGuard::Never => None,
    });
    let own = guards().filter_map(|guard| match guard {
        FlowGuard::All(all) => Some(all),
        FlowGuard::NoneOf(_) | FlowGuard::Never => None,
    });
    others.is_some_and(|others| own.eq(others))
}

/// True if a conditional row sets bounds that have values also where it does not act: no formulas.
fn sets_plain_bounds(model: &Model, flow: &Flow, row: usize) -> bool {
    let FlowRow {
        relation, action, ..
    } = flow.rows[row];
    let is_plain = |(position, _): (usize, bool)| match model.relations[relation.index()].args
        [position]
    {
        Argument::Real(expr) => !matches!(model.exprs.get(expr), Expr::Call(..) | Expr::Lookup(..)),
        Argument::Boolean(_) => false,
    };
    action == Action::Saturation
        && is_conditional(&flow.rows[row].guard)
        && bounds(model, relation).all(is_plain)
}

fn is_conditional(guard: &FlowGuard) -> bool {
    !matches!(guard, FlowGuard::All(all) if all.is_empty())
}

/// True if a row computes without kinks and roots, which are borders of their own, and does not read its target where it
/// gives its value.
fn is_plain(model: &Model, flow: &Flow, row: usize) -> bool {
    let (relation, target) = (flow.rows[row].relation, flow.rows[row].target);
    let relation = &model.relations[relation.index()];
    let is_value = flow.rows[row].action == Action::Value;
    let body = relation.procedure.get().body;
    let smooth = match body {
        Body::Value(_) => is_smooth(relation.procedure, relation.args.len()),
        Body::Memory(Memory::Integral | Memory::Smoothing | Memory::Timer) => !is_value,
        Body::Memory(_) | Body::Solve => false,
    };
    let mut plain = smooth && relation.targets.len() == 1;
    for arg in &relation.args {
        let Argument::Real(expr) = arg else { continue };
        model.exprs.visit(*expr, |_, node| match node {
            Expr::Real(id) => plain &= !(is_value && *id == target),
            Expr::Call(procedure, args) => plain &= is_smooth(*procedure, args.len()),
            Expr::Lookup(..) => plain = false,
            _ => {}
        });
    }
    plain
}

/// True if a procedure without memory has no kinks and takes no roots.
fn is_smooth(procedure: ProcedureId, n_args: usize) -> bool {
    let smooth = |op: &Op| op.code.pieces().is_none() && op.code.root().is_none();
    ops_of(procedure, n_args).is_some_and(|ops| ops.iter().all(smooth))
}

/// The operations of a procedure without memory.
fn ops_of(procedure: ProcedureId, n_args: usize) -> Option<Vec<Op>> {
    let Body::Value(emit) = procedure.get().body else {
        return None;
    };
    let mut asm = Assembler::new(n_args);
    let args: Vec<Slot> = (0..n_args).map(Slot::new).collect();
    emit(&mut asm, &args);
    let tape = asm.finish();
    Some(tape.ops.into_iter().chain(tape.setup).collect())
}

/// The number of kinks with a border in a row that is not solved, or that of its bounds.
fn kinks(model: &Model, row: &FlowRow) -> usize {
    let relation = &model.relations[row.relation.index()];
    let mut ops = match row.action {
        Action::Solved(_) => return 0,
        Action::Saturation => return bounds(model, row.relation).count(),
        Action::Value => ops_of(relation.procedure, relation.args.len()).unwrap_or_default(),
        _ => Vec::new(),
    };
    for arg in &relation.args {
        let Argument::Real(expr) = arg else { continue };
        model.exprs.visit(*expr, |_, node| {
            if let Expr::Call(procedure, args) = node {
                ops.extend(ops_of(*procedure, args.len()).into_iter().flatten());
            }
        });
    }
    let has_border = |op: &&Op| {
        let pieces = op.code.pieces();
        matches!(pieces, Some(Pieces::Bend(..) | Pieces::Jump(..)))
    };
    ops.iter().filter(has_border).count()
}
