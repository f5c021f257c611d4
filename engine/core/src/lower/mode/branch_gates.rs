//! Kinks -> sums of their branches, each with its share: that of the corners of a slide which are on it, or its gate.
//!
//! A gate of a branch is 1 while its border is on a side of the branch and 0 while it is not, as those of rows are
//! ([`super::gates`]): one mode serves all combinations of sides.
//!
//! Kinks in loops have none, since solutions are sought on their branches; nor have those that a comparison follows from,
//! whose margin has a form on each branch and none behind gates; nor those under a root, which has no value of the sum of
//! two branches that are on its edge but for rounding.

use smallvec::{SmallVec, smallvec};

use crate::ids::RealId;
use crate::lower::affine::{Affine, Over};
use crate::lower::border::{BorderId, BorderSource, Borders, Side, View};
use crate::tape::{Branch, Code, Op, Slot};

use super::Corner;
use super::gates::{BorderKink, BranchGate, Kink, Saturated, Saturation, StateBound};
use super::kinks::Rewriting;

impl Rewriting<'_> {
    /// A branch of a kink with these operands.
    pub(super) fn piece(&mut self, branch: Branch, a: Slot, b: Slot) -> Slot {
        match branch {
            Branch::First => a,
            Branch::Second => b,
            Branch::Opposite => self.op(Code::Neg, a, a),
            Branch::Number(value) => self.number(value),
            Branch::Angle => self.op(Code::Angle, a, b),
            Branch::OppositeAngle => {
                let below = self.op(Code::Neg, a, a);
                let angle = self.op(Code::Angle, below, b);
                self.op(Code::Neg, angle, angle)
            }
        }
    }

    /// Emits the branches of a kink, each behind its gate, into the op's result.
    ///
    /// Shapes: `branches`: below, on and above the border as the kink sees it.
    pub(super) fn gated(
        &mut self,
        op: &Op,
        owner: BorderSource,
        view: View,
        branches: [Branch; 3],
    ) {
        let at = [Side::Minus, Side::On, Side::Plus].map(|side| branches[view.side(side) as usize]);
        let mut parts: SmallVec<[Slot; 3]> = SmallVec::new();
        for (number, &branch) in at.iter().enumerate() {
            if branch == Branch::Number(0.0) || at[..number].contains(&branch) {
                continue;
            }
            let open = at.map(|other| other == branch);
            let gate = self.gate(BranchGate {
                owner,
                open: smallvec![(view.border, open)],
                row: None,
                shut: false,
            });
            let piece = self.piece(branch, Slot(op.a), Slot(op.b));
            parts.push(self.op(Code::Gate, gate, piece));
        }
        let sum = parts
            .into_iter()
            .reduce(|sum, part| self.op(Code::Add, sum, part));
        let sum = sum.unwrap_or_else(|| self.number(0.0));
        self.push(copy(op.out, sum));
    }

    /// One of two values of a row that sets a bound: the first while it acts and each of these borders is on one of these
    /// sides, else the second.
    fn either(
        &mut self,
        (owner, row): (BorderSource, usize),
        open: &[(BorderId, [bool; 3])],
        values: [Slot; 2],
    ) -> Slot {
        let [first, second] = [false, true].map(|shut| {
            let gate = self.gate(BranchGate {
                owner,
                open: open.into(),
                row: Some(row),
                shut,
            });
            self.op(Code::Gate, gate, values[usize::from(shut)])
        });
        self.op(Code::Add, first, second)
    }

    /// The rate of a state: that of its bound, where the state is on it and its own rate points outward. The latter is
    /// read on the bound only. Result: how the two borders are seen, and the kink of the rate, if there is one.
    pub(super) fn saturate(
        &mut self,
        op: &Op,
        bound: &Saturation,
        borders: &mut Borders,
    ) -> ([BorderKink; 2], Option<Kink>) {
        let (free, moved, upper) = (Slot(op.a), Slot(op.b), bound.upper);
        let [reached, push] =
            [BorderSource::Bound, BorderSource::Push].map(|source| source(bound.relation, upper));
        let arrival = self.compare(reached, bound.state, bound.bound, borders);
        let outward = borders.view(push, None);
        let state_bound = StateBound {
            row: bound.row,
            state: RealId::new(bound.state.index()),
            upper,
            view: arrival,
        };
        if let Some(Some(at)) = self.margin_at.get(arrival.border.index()) {
            self.margins[*at as usize].bounds.push(state_bound);
        }
        let (views, saturated) = (
            [(reached, arrival), (push, outward)].map(|(owner, view)| BorderKink {
                owner,
                view,
                jumps: true,
                moves: true,
            }),
            Saturated {
                row: bound.row,
                arrival,
                outward,
                upper,
            },
        );
        if self.gates.has(push, op) {
            let at = [Side::Minus, Side::On, Side::Plus];
            let is_reached = at.map(|side| saturated.is_reached(side));
            let rests = at.map(|side| outward.side(side) == saturated.inner().flipped());
            let is_reached = (arrival.border, is_reached);
            let pushes = self.op(Code::Sub, free, moved);
            let inner = self.number(if upper { -1.0 } else { 1.0 });
            let margin = self.either((push, bound.row), &[is_reached], [pushes, inner]);
            self.add_margin(outward, margin);
            let rate = self.either(
                (push, bound.row),
                &[is_reached, (outward.border, rests)],
                [moved, free],
            );
            self.push(copy(op.out, rate));
            return (views, Some(Kink::Saturated(saturated)));
        }
        self.gates.note_ungated(arrival.border, borders);
        self.gates.note_ungated(outward.border, borders);
        let is_reached = |corner: &Corner<'_>| saturated.is_reached(corner.side(arrival.border));
        let somewhere = self.corners.iter().any(is_reached);
        if somewhere {
            let pushes = self.op(Code::Sub, free, moved);
            self.add_margin(outward, pushes);
        }
        let rests = |corner: &Corner<'_>| {
            let pushed = outward.side(corner.side(outward.border));
            is_reached(corner) && pushed == saturated.inner().flipped()
        };
        let rate = |_: &mut Self, rests| if rests { moved } else { free };
        self.mixed(op.out, push, rests, rate);
        (views, somewhere.then_some(Kink::Border(outward)))
    }

    /// A new gate of a branch.
    fn gate(&mut self, gate: BranchGate) -> Slot {
        let slot = self.slot();
        let number = self.n_reals + self.gates.first + self.gates.slots.len();
        let form = Affine::real(RealId::new(number));
        self.forms.state(Over::Moving, slot, form);
        self.gated[slot.index()] = true;
        self.gates.slots.push(slot);
        self.gates.all.push(gate);
        slot
    }

    /// Emits the mixture of what the corners say, into `out`, with the weights of the group that changes the kink's row.
    pub(super) fn mixed<T: PartialEq + Copy>(
        &mut self,
        out: u32,
        owner: BorderSource,
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
        if let [(what, _)] = parts[..] {
            let from = slot(self, what);
            self.push(copy(out, from));
            return;
        }
        let mut sum: Option<Slot> = None;
        for (what, corners) in parts {
            let part = slot(self, what);
            let group = owner
                .relation()
                .map_or(0, |row| self.groups.of_relation(row));
            let weights = self.groups.weights_of(group, self.weights);
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
        self.push(copy(out, sum.expect("there is a corner")));
    }
}

fn copy(out: u32, from: Slot) -> Op {
    Op {
        code: Code::Copy,
        out,
        a: from.0,
        b: from.0,
    }
}
