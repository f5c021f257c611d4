//! Conditional rows -> gates: inputs of a mode that say which of these rows act.
//!
//! In a crowd each combination of active rows would be a mode of its own. Where conditional rows are plain, one mode has
//! all of them: the rate of each is let through by its gate, and a real that exclusive rows write is the sum of what
//! their gates let through. A gate is 1 while its row acts and 0 while it does not; what it shuts out need not be
//! defined. Along a slide it is the share of the corners in which the row acts.

use crate::ids::RealId;
use crate::lower::flow::{Action, Flow, FlowGuard};
use crate::model::{Argument, Expr, Model};
use crate::procedure::{Body, Memory, ProcedureId};
use crate::tape::{Assembler, Op, Slot};

use super::SlideGroups;

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
    /// The gates of a flow; none if fewer rows than `from` would have one.
    ///
    /// Rows without kinks and roots have gates if all that moves their target are rates, or if all that gives its value
    /// are conditional rows that do not read it.
    pub(crate) fn new(model: &Model, flow: &Flow, from: usize) -> Self {
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
        self.rows.is_empty()
    }

    /// Number of all gates.
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
        self.rows.iter().for_each(|row| active[*row] = true);
    }

    /// Writes the position of each gate while these rows act.
    pub(crate) fn positions(&self, active: &[bool], into: &mut Vec<f64>) {
        let of = |holds: bool| f64::from(u8::from(holds));
        into.clear();
        into.extend(self.rows.iter().map(|row| of(active[*row])));
        let kept = self.choices.iter().filter(|choice| choice.kept.is_some());
        into.extend(kept.map(|choice| of(!choice.rows.iter().any(|row| active[*row]))));
    }

    /// Per gate the group of slides that changes its row.
    pub(crate) fn groups(&self, flow: &Flow, groups: &SlideGroups) -> Vec<u32> {
        let of = |row: &usize| number(groups.of_relation(flow.rows[*row].relation));
        let kept = self.choices.iter().filter(|choice| choice.kept.is_some());
        let kept = kept.map(|choice| choice.rows.iter().map(of).max().unwrap_or_default());
        self.rows.iter().map(of).chain(kept).collect()
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
    let Body::Value(emit) = procedure.get().body else {
        return false;
    };
    let mut asm = Assembler::new(n_args);
    let args: Vec<Slot> = (0..n_args).map(Slot::new).collect();
    emit(&mut asm, &args);
    let smooth = |op: &Op| op.code.pieces().is_none() && op.code.root().is_none();
    let tape = asm.finish();
    tape.ops.iter().chain(&tape.setup).all(smooth)
}
