//! Kinks and borders: each kink gives way to the branch on which the state is, or, at the corners around borders, to
//! the mixture of what the corners say; and each border that is looked at gets its margin.

use crate::backend::value::{Jet, Stairs};
use crate::ids::RealId;
use crate::lower::affine::{Affine, Content, Forms, Over};
use crate::lower::border::{BorderSource, Borders, View};
use crate::tape::{Branch, Code, MarginOf, Op, Pieces, Slot, Tape};
use rustc_hash::FxHashMap;
use situ_solve::interval::Interval;
use situ_solve::lookup;
use smallvec::SmallVec;

use super::gates::Gating;
use super::timing::{KnotEnd, Timing, beside_steps};
use super::{Corner, Kink, Margin, SlideGroups, StairHeight};

/// The tape of a mode while its kinks are replaced.
pub(super) struct Rewriting<'t> {
    pub(super) tape: &'t mut Tape,
    pub(super) corners: &'t [Corner<'t>],
    pub(super) weights: &'t [Slot],
    pub(super) groups: &'t SlideGroups,
    pub(super) forms: Forms,
    /// Per slot whether it depends on what cannot be bounded over a piece of a step.
    pub(super) opaque: Vec<bool>,
    /// Per slot whether it depends on gates.
    pub(super) gated: Vec<bool>,
    /// Number of reals; gates are numbers behind them in forms, and the steps of staircases behind these.
    pub(super) n_reals: usize,
    pub(super) steps_at: usize,
    /// Per real that is the size of another the slot of the other.
    pub(super) size_slots: Vec<Option<Slot>>,
    pub(super) margins: Vec<Margin>,
    pub(super) margin_at: Vec<Option<u32>>,
    /// Of signed roots and their negatives whether the sign is that of the root, and the owner of their border.
    pub(super) root_borders: FxHashMap<Slot, (bool, BorderSource)>,
    /// Slots of which roots are taken.
    pub(super) under_roots: Vec<Slot>,
    pub(super) steps: Vec<(usize, Slot)>,
    pub(super) stairs: Vec<StairHeight>,
    pub(super) gates: Gating<'t>,
    pub(super) ops: Vec<Op>,
}

impl Rewriting<'_> {
    pub(super) fn push(&mut self, op: Op) {
        self.forms.follow(&op);
        for depends in [&mut self.opaque, &mut self.gated] {
            depends[op.out as usize] =
                depends[op.out as usize] || depends[op.a as usize] || depends[op.b as usize];
        }
        self.ops.push(op);
    }

    /// The form of a slot over what moves or is held, if it is affine and no gate is in it.
    pub(super) fn form(&mut self, slot: Slot) -> Option<Affine> {
        let form = self.forms.get(Over::Moving, slot.0)?;
        let mut terms = form.terms.iter();
        let plain = terms.all(|(real, _)| real.index() < self.n_reals);
        plain.then_some(form)
    }

    /// True of a slot that nothing moves.
    fn is_still(&mut self, slot: Slot) -> bool {
        let form = self.forms.get(Over::Moving, slot.0);
        form.is_some_and(|form| form.terms.is_empty() && form.per_time == 0.0)
    }

    /// When a slot is 0, if that is known in advance while the steps of staircases are held.
    fn timing(&mut self, slot: Slot) -> Option<Timing> {
        Timing::of(
            &self.forms.get(Over::Moving, slot.0)?,
            [self.n_reals, self.steps_at],
        )
    }

    pub(super) fn slot(&mut self) -> Slot {
        self.tape.n_slots += 1;
        self.opaque.push(false);
        self.gated.push(false);
        Slot(self.tape.n_slots - 1)
    }

    pub(super) fn number(&mut self, value: f64) -> Slot {
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
        self.forms.define(slot, Content::Number(value));
        slot
    }

    pub(super) fn op(&mut self, code: Code, a: Slot, b: Slot) -> Slot {
        let out = self.slot();
        self.push(Op {
            code,
            out: out.0,
            a: a.0,
            b: b.0,
        });
        out
    }

    /// Adds a quotient whose divisor keeps the sign that it has by its bounds.
    pub(super) fn quotient(&mut self, op: &Op, bounds: &[Jet<1, Interval>]) {
        let divisor = bounds[op.b as usize].0[0];
        let (code, limit) = match divisor.lo() > 0.0 {
            true => (Code::Max, divisor.lo()),
            false => (Code::Min, divisor.hi()),
        };
        let limit = self.number(limit);
        let b = self.op(code, Slot(op.b), limit).0;
        self.push(Op { b, ..*op });
    }

    /// Adds the margin `left - right`; how its border is seen from there.
    pub(super) fn compare(
        &mut self,
        owner: BorderSource,
        left: Slot,
        right: Slot,
        borders: &mut Borders,
    ) -> View {
        let zero = self.forms.get(Over::Finals, right.0) == Some(Affine::number(0.0));
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
    fn size(&mut self, slot: Slot) -> Option<(Slot, bool)> {
        let form = self.forms.get(Over::Finals, slot.0)?;
        match form.terms[..] {
            [(real, factor)] if form.constant == 0.0 && form.per_time == 0.0 => {
                let of = self.size_slots[real.index()]?;
                Some((of, factor > 0.0))
            }
            _ => None,
        }
    }

    pub(super) fn margin(
        &mut self,
        owner: BorderSource,
        slot: Slot,
        borders: &mut Borders,
    ) -> View {
        let view = match self.root_borders.get(&slot) {
            Some(&(upright, owner)) => View {
                upright,
                ..borders.view(owner, None)
            },
            None => borders.view(owner, self.forms.get(Over::Finals, slot.0).as_ref()),
        };
        self.add_margin(view, slot);
        view
    }

    pub(super) fn add_margin(&mut self, view: View, slot: Slot) {
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
        let moving = self.forms.get(Over::Moving, slot.0);
        let beside_steps = beside_steps(moving.as_ref(), [self.n_reals, self.steps_at]);
        let (form, timing) = (self.form(slot), self.timing(slot));
        self.margins.push(Margin {
            border,
            slot,
            upright,
            form,
            beside_steps,
            knot: None,
            timing,
            moving: SmallVec::new(),
            held: SmallVec::new(),
            still_from: usize::MAX,
            opaque: self.opaque[slot.index()],
            gated: self.gated[slot.index()],
            edge: false,
            bounds: SmallVec::new(),
        });
    }

    /// Replaces an op with a kink by its branch, unless by the `bounds` of its operands it has only one.
    ///
    /// Values computed from a branch have another form in another mode: they do not say which border
    /// a margin has, unless it is the value of a real.
    pub(super) fn kink(
        &mut self,
        op: &Op,
        owner: BorderSource,
        bounds: &[Jet<1, Interval>],
        borders: &mut Borders,
    ) -> Option<Kink> {
        // An angle jumps only where its point may come to the negative half of the x axis from below.
        let [of, beside] = [op.a, op.b].map(|slot| bounds[slot as usize].0[0]);
        if op.code == Code::Atan2 && (of.lo() >= 0.0 || beside.lo() > 0.0) {
            self.push(*op);
            return None;
        }
        let stated = self.forms.get(Over::Finals, op.out).is_some();
        let kink = self.branch(op, owner, borders);
        if !stated {
            self.forms.forget(op.out);
        }
        kink
    }

    fn branch(&mut self, op: &Op, owner: BorderSource, borders: &mut Borders) -> Option<Kink> {
        let (a, b) = (Slot(op.a), Slot(op.b));
        let (margin, branches) = match op.code.pieces() {
            None => {
                self.push(*op);
                return None;
            }
            Some(pieces @ (Pieces::Whole | Pieces::Remainder)) => {
                return Some(self.staircase(op, pieces, owner, borders));
            }
            Some(Pieces::Knots) => return self.knots(op, owner, borders),
            Some(Pieces::Bend(margin, branches) | Pieces::Jump(margin, branches)) => {
                (margin, branches)
            }
        };
        let view = match margin {
            MarginOf::First => self.margin(owner, a, borders),
            MarginOf::Difference => self.compare(owner, a, b, borders),
        };
        // Along a slide on its border the bend of a row has the value that both its branches have there, but for rounding;
        // their mixture is an error of either sign, of which a root has no value.
        let is_bend = matches!(op.code.pieces(), Some(Pieces::Bend(..)))
            && matches!(owner, BorderSource::RowKink(..));
        let sides = |corner: &Corner<'_>| corner.side(view.border);
        let first = sides(&self.corners[0]);
        let is_slid = self.corners.iter().any(|corner| sides(corner) != first);
        let jumps = self.opaque[a.index()] || self.opaque[b.index()];
        let on_border = (is_bend && is_slid && !jumps).then_some(match margin {
            MarginOf::First => Branch::Number(0.0),
            MarginOf::Difference if self.is_still(b) => Branch::Second,
            MarginOf::Difference => Branch::First,
        });
        let branch = |corner: &Corner<'_>| {
            on_border.unwrap_or(branches[view.side(corner.side(view.border)) as usize])
        };
        if self.gates.has(owner, op) {
            self.gated(op, owner, view, branches);
        } else {
            self.gates.note_ungated(view.border, borders);
            self.mixed(op.out, owner, branch, |this, branch| {
                this.piece(branch, a, b)
            });
        }
        Some(Kink::Border(view))
    }

    /// The slot of the step of a staircase.
    fn step(&mut self, staircase: usize) -> Slot {
        let step = self.slot();
        self.steps.push((staircase, step));
        let number = RealId::new(self.steps_at + staircase);
        self.forms.state(Over::Moving, step, Affine::real(number));
        step
    }

    /// The step of a staircase is held between its two ends, which are borders.
    fn staircase(
        &mut self,
        op: &Op,
        pieces: Pieces,
        owner: BorderSource,
        borders: &mut Borders,
    ) -> Kink {
        let (a, b) = (Slot(op.a), Slot(op.b));
        let staircase = borders.staircase(owner);
        let step = self.step(staircase);
        let is_remainder = pieces == Pieces::Remainder;
        let height = if is_remainder {
            self.op(Code::Div, a, b)
        } else {
            a
        };
        self.stairs.push(StairHeight {
            staircase,
            owner,
            stairs: Stairs::Whole,
            slot: height,
        });
        let low = self.op(Code::Sub, height, step);
        let one = self.number(1.0);
        let high = self.op(Code::Sub, low, one);
        let (code, a, b) = if is_remainder {
            (Code::Sub, a, self.op(Code::Mul, b, step))
        } else {
            (Code::Copy, step, step)
        };
        let out = op.out;
        self.push(Op {
            code,
            out,
            a: a.0,
            b: b.0,
        });
        // Of what is above the step: a period is not divided by, so that its multiples are those of a schedule.
        let timing = match is_remainder {
            true => self.timing(Slot(out)),
            false => self.timing(low),
        };
        let ends = borders.staircases[staircase];
        for (border, slot) in [(ends.low, low), (ends.high, high)] {
            let known = self.margins.len();
            let view = View {
                border,
                upright: true,
                folded: false,
            };
            self.add_margin(view, slot);
            if let Some(margin) = self.margins.get_mut(known) {
                margin.timing = match border == ends.high {
                    true => timing.clone().map(|timing| timing.at_upper_ends(staircase)),
                    false => timing.clone(),
                };
            }
        }
        Kink::Staircase(staircase, Stairs::Whole)
    }

    /// A lookup gives way to one of its pieces, whose numbers are entries of columns at the step that is held. Its ends
    /// are borders.
    fn knots(&mut self, op: &Op, owner: BorderSource, borders: &mut Borders) -> Option<Kink> {
        let handle = self.number_in(Slot(op.b));
        let Some(pieces) = handle.and_then(lookup::Pieces::of) else {
            self.push(*op);
            return None;
        };
        let stairs = Stairs::Knots(handle.unwrap_or_default());
        let (a, columns) = (Slot(op.a), pieces.columns());
        let staircase = borders.staircase(owner);
        let step = self.step(staircase);
        self.stairs.push(StairHeight {
            staircase,
            owner,
            stairs,
            slot: a,
        });
        let ends = borders.staircases[staircase];
        let sides = [(ends.low, false), (ends.high, true)];
        for ((border, upper), column) in sides.into_iter().zip(columns.ends) {
            let end = self.entry(step, column);
            let slot = self.op(Code::Sub, a, end);
            let known = self.margins.len();
            let (form, timing) = (self.form(a), self.timing(a));
            let view = View {
                border,
                upright: true,
                folded: false,
            };
            self.add_margin(view, slot);
            if let Some(margin) = self.margins.get_mut(known) {
                let end = KnotEnd {
                    staircase,
                    stairs,
                    upper,
                    slot: end,
                };
                margin.timing = timing.map(|timing| timing.behind_knot(end));
                margin.knot = form.as_ref().map(|_| end);
                margin.form = form;
            }
        }
        let (code, a, b) = match pieces.form() {
            lookup::Form::Same => (Code::Copy, a, a),
            lookup::Form::Step => {
                let base = self.entry(step, columns.bases);
                (Code::Copy, base, base)
            }
            lookup::Form::Line => {
                let start = self.entry(step, columns.starts);
                let way = self.op(Code::Sub, a, start);
                let slope = self.entry(step, columns.slopes);
                let rise = self.op(Code::Mul, way, slope);
                (Code::Add, self.entry(step, columns.bases), rise)
            }
        };
        let (a, b) = (a.0, b.0);
        self.push(Op {
            code,
            out: op.out,
            a,
            b,
        });
        Some(Kink::Staircase(staircase, stairs))
    }

    /// A number of an interned column.
    fn entry(&mut self, index: Slot, column: lookup::Handle) -> Slot {
        let column = self.number(column);
        self.op(Code::Entry, index, column)
    }

    /// The number that a slot holds from the start.
    fn number_in(&self, slot: Slot) -> Option<f64> {
        let mut numbers = self.tape.numbers.iter();
        numbers
            .find(|(other, _)| *other == slot)
            .map(|(_, number)| *number)
    }
}
