//! From the tape of all rows to segments: kinks give way to the branch on which the state is, and
//! borders get their margins.

use crate::backend::interpreter::run_setup;
use crate::backend::value::{Jet, Value};
use crate::ids::{RangeId, RealId, RelationId};
use crate::interval::Interval;
use crate::lower::affine::{Affine, Forms};
use crate::lower::border::{Borders, Owner, Side, View};
use crate::lower::emit::Emitter;
use crate::tape::{Branch, Code, MarginOf, Op, Pieces, Slot, Tape};

use super::rows::{Lowering, Saturation};
use std::sync::Arc;

use super::{Corner, Cut, Kink, Loop, Margin, Mode, Segment, Site, Unbranched};

/// Slots of what is read besides the rates.
pub(super) struct Read {
    /// Per real its value, if it follows from others.
    pub(super) finals: Vec<Option<Slot>>,
    pub(super) delayed: Vec<Slot>,
    pub(super) comparisons: Vec<(RangeId, usize, Slot, Slot)>,
    pub(super) relay_borders: Vec<(RelationId, [Slot; 3])>,
    pub(super) watched: Vec<[Slot; 2]>,
    /// Per real that is the size of another the final value of the other.
    pub(super) size_slots: Vec<Option<Slot>>,
}

/// Replaces kinks by branches, adds the margins, and cuts the tape into segments.
pub(super) fn finish(
    lowering: Lowering<'_>,
    constants: &[f64],
    read: Read,
    borders: &mut Borders,
) -> Mode {
    let Lowering {
        model,
        corners,
        weights,
        emitter,
        time,
        sites,
        edges,
        saturations,
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
    mark_opaque_loops(&tape.ops, &cuts, &mut opaque);
    let mut rewriting = Rewriting {
        tape: &mut tape,
        corners,
        weights: &weights,
        identity,
        moving,
        opaque,
        size_slots: read.size_slots,
        margins: Vec::new(),
        margin_at: Vec::new(),
        under_roots: Vec::new(),
        steps: Vec::new(),
        ops: Vec::new(),
    };
    let mut source = std::mem::take(&mut rewriting.tape.ops);
    let bounds = bounds_of(rewriting.tape, &source, (constants, constants_at));
    let mut edges = edges.into_iter().peekable();
    rewriting.tape.rows.clear();
    let mut sites = sites.into_iter().peekable();
    let mut place = Vec::with_capacity(source.len() + 1);
    let (mut kinks, mut met, mut free) = (Vec::new(), Vec::new(), Vec::new());
    for (position, op) in source.iter().enumerate() {
        place.push(rewriting.ops.len());
        if let Some((_, owner)) = edges.next_if(|(at, _)| *at == position) {
            rewriting.edge(op, owner, &bounds, borders);
        }
        match sites.peek() {
            Some(&(at, Owner::Push(..))) if at == position => {
                sites.next();
                let bound = saturations.iter().find(|bound| bound.position == at);
                let bound = bound.expect("every push is that of a bound");
                let (views, is_reached) = rewriting.saturate(op, bound, borders);
                kinks.extend(views);
                if is_reached {
                    let kink = Kink::Border(views[1].1);
                    met.push(Site { position, kink });
                } else {
                    free.push(position);
                }
            }
            Some(&(at, owner)) if at == position => {
                sites.next();
                if let Some(kink) = rewriting.kink(op, owner, borders) {
                    met.push(Site { position, kink });
                    if let Kink::Border(view) = kink {
                        kinks.push((owner, view));
                    }
                }
            }
            _ => rewriting.push(*op),
        }
    }
    for position in free {
        let op = &mut source[position];
        (op.code, op.b) = (Code::Copy, op.a);
    }
    let unbranched = (!met.is_empty() && corners.len() == 1).then(|| {
        let place = |position: usize| position;
        Arc::new(Unbranched {
            segments: segments(&cuts, &source, place),
            sites: met,
        })
    });
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
    rewriting.mark_edges();
    let moving_forms = std::mem::take(&mut rewriting.moving);
    let Rewriting {
        mut margins,
        margin_at,
        steps,
        ops,
        ..
    } = rewriting;

    let all = segments(&cuts, &ops, |position| place[position]);
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
        kinks,
        unbranched,
        relay_views,
        time,
        constants_at,
    }
}

/// Operations with loops cut out. `place`: where among them a position of the cuts is.
fn segments(cuts: &[Cut], ops: &[Op], place: impl Fn(usize) -> usize) -> Vec<Segment> {
    let mut all = Vec::new();
    let mut done = 0;
    for cut in cuts {
        let (start, end) = (place(cut.start), place(cut.end));
        if start > done {
            all.push(Segment::Ops(ops[done..start].into()));
        }
        all.push(Segment::Loop(Loop {
            ops: ops[start..end].into(),
            unknowns: cut.unknowns.clone(),
            results: cut.results.clone(),
            rows: cut.rows.clone(),
        }));
        done = end;
    }
    if done < ops.len() {
        all.push(Segment::Ops(ops[done..].into()));
    }
    all
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
    run_setup(tape, &mut values);
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
    /// Per real that is the size of another the slot of the other.
    size_slots: Vec<Option<Slot>>,
    margins: Vec<Margin>,
    margin_at: Vec<Option<u32>>,
    /// Slots of which roots are taken.
    under_roots: Vec<Slot>,
    steps: Vec<(usize, Slot)>,
    ops: Vec<Op>,
}

/// The unknowns of a loop that reads what cannot be bounded over a piece of a step cannot be bounded either.
fn mark_opaque_loops(ops: &[Op], cuts: &[Cut], opaque: &mut [bool]) {
    let mut known = opaque.to_vec();
    let follow = |ops: &[Op], known: &mut [bool]| {
        let mut any = false;
        for op in ops {
            let depends = known[op.a as usize] || known[op.b as usize];
            known[op.out as usize] |= depends;
            any |= depends;
        }
        any
    };
    let mut done = 0;
    for cut in cuts {
        follow(&ops[done..cut.start], &mut known);
        if follow(&ops[cut.start..cut.end], &mut known) {
            for (slot, _) in &cut.unknowns {
                opaque[slot.index()] = true;
                known[slot.index()] = true;
            }
            follow(&ops[cut.start..cut.end], &mut known);
        }
        done = cut.end;
    }
}

/// Bounds of all slots, whatever the reals are.
fn bounds_of(
    tape: &Tape,
    ops: &[Op],
    (constants, constants_at): (&[f64], usize),
) -> Vec<Jet<1, Interval>> {
    let mut bounds = vec![Jet([Interval::ENTIRE]); tape.n_slots as usize];
    let numbers = tape
        .numbers
        .iter()
        .map(|&(slot, value)| (slot.index(), value));
    let constants = constants.iter().enumerate();
    let constants = constants.map(|(index, &value)| (constants_at + index, value));
    for (slot, value) in numbers.chain(constants) {
        bounds[slot] = Jet([Interval::point(value)]);
    }
    for op in tape.setup.iter().chain(ops) {
        let [old, a, b] = [op.out, op.a, op.b].map(|slot| bounds[slot as usize]);
        let mut bound = Jet::apply(op.code, old, a, b);
        if op.code == Code::Mul && op.a == op.b {
            bound = Jet([Interval::new(bound.0[0].lo().max(0.0), bound.0[0].hi())]);
        }
        bounds[op.out as usize] = bound;
    }
    bounds
}

impl Rewriting<'_> {
    fn push(&mut self, op: Op) {
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
            edge: false,
        });
    }

    /// Adds the border where a root ends to be defined, if its operand is affine and can get there. (Any other operand
    /// would have to be bounded over every step, only to say where the step cannot be done anyway; so would that of a
    /// logarithm or a division, which steps cannot reach.)
    /// A border that is never met costs `dop853` its dense output in every step, a tenth of the evaluations of the
    /// reactor.
    fn edge(&mut self, op: &Op, owner: Owner, bounds: &[Jet<1, Interval>], borders: &mut Borders) {
        let [of, exponent] = [op.a, op.b].map(|slot| bounds[slot as usize].0[0]);
        let is_whole = exponent.lo() == exponent.hi() && exponent.lo().fract() == 0.0;
        if op.code == Code::Pow && (is_whole || exponent.lo() <= 0.0) {
            return;
        }
        let operand = Slot(op.a);
        self.under_roots.push(operand);
        if of.lo() < 0.0 && of.hi() > 0.0 && self.identity.get(op.a).is_some() {
            self.margin(owner, operand, borders);
        }
    }

    /// Marks the margins of which roots are taken, be it through kinks.
    fn mark_edges(&mut self) {
        for slot in &self.under_roots {
            let ray = self.moving.get(slot.0).map(|form| form.ray().0);
            for margin in &mut self.margins {
                let same = margin.form.as_ref().map(|form| form.ray().0) == ray;
                margin.edge |= margin.slot == *slot || (ray.is_some() && same);
            }
        }
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
    fn kink(&mut self, op: &Op, owner: Owner, borders: &mut Borders) -> Option<Kink> {
        let stated = self.identity.get(op.out).is_some();
        let kink = self.branch(op, owner, borders);
        if !stated {
            self.identity.forget(op.out);
        }
        kink
    }

    /// The rate of a state: that of its bound, where the state is on it and its own rate points outward. The latter is
    /// looked at on the bound only. Result: how the two borders are seen, and whether the state is on the bound.
    fn saturate(
        &mut self,
        op: &Op,
        bound: &Saturation,
        borders: &mut Borders,
    ) -> ([(Owner, View); 2], bool) {
        let (free, moved, upper) = (Slot(op.a), Slot(op.b), bound.upper);
        let reached = Owner::Bound(bound.relation, upper);
        let reached = (
            reached,
            self.compare(reached, bound.state, bound.bound, borders),
        );
        let push = Owner::Push(bound.relation, upper);
        let push = (push, borders.view(push, None));
        let inner = if upper { Side::Minus } else { Side::Plus };
        let is_reached =
            |corner: &Corner<'_>| reached.1.side(corner.side(reached.1.border)) != inner;
        let somewhere = self.corners.iter().any(is_reached);
        if somewhere {
            let pushes = self.op(Code::Sub, free, moved);
            self.add_margin(push.1, pushes);
        }
        let outward = inner.flipped();
        let rests = |corner: &Corner<'_>| {
            is_reached(corner) && push.1.side(corner.side(push.1.border)) == outward
        };
        self.mixed(op.out, rests, |_, rests| if rests { moved } else { free });
        ([reached, push], somewhere)
    }

    fn branch(&mut self, op: &Op, owner: Owner, borders: &mut Borders) -> Option<Kink> {
        let (a, b) = (Slot(op.a), Slot(op.b));
        let (margin, branches) = match op.code.pieces() {
            None => {
                self.push(*op);
                return None;
            }
            Some(pieces @ (Pieces::Whole | Pieces::Remainder)) => {
                return Some(self.staircase(op, pieces, owner, borders));
            }
            Some(Pieces::Bend(margin, branches) | Pieces::Jump(margin, branches)) => {
                (margin, branches)
            }
        };
        let view = match margin {
            MarginOf::First => self.margin(owner, a, borders),
            MarginOf::Difference => self.compare(owner, a, b, borders),
        };
        let branch = |corner: &Corner<'_>| branches[view.side(corner.side(view.border)) as usize];
        self.mixed(op.out, branch, |this, branch| match branch {
            Branch::First => a,
            Branch::Second => b,
            Branch::Opposite => this.op(Code::Neg, a, a),
            Branch::Number(value) => this.number(value),
        });
        Some(Kink::Border(view))
    }

    /// The step of a staircase is held between its two ends, which are borders.
    fn staircase(&mut self, op: &Op, pieces: Pieces, owner: Owner, borders: &mut Borders) -> Kink {
        let (a, b) = (Slot(op.a), Slot(op.b));
        let staircase = borders.staircase(owner);
        let step = self.slot();
        self.steps.push((staircase, step));
        let is_remainder = pieces == Pieces::Remainder;
        let height = if is_remainder {
            self.op(Code::Div, a, b)
        } else {
            a
        };
        let low = self.op(Code::Sub, height, step);
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
        let (code, a, b) = if is_remainder {
            (Code::Sub, a, self.op(Code::Mul, b, step))
        } else {
            (Code::Copy, step, step)
        };
        let out = op.out;
        let (a, b) = (a.0, b.0);
        self.push(Op { code, out, a, b });
        Kink::Staircase(staircase)
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
                    kept.push(Segment::Ops(some.into()));
                }
            }
            Segment::Loop(inner) => {
                let outs = inner.ops.iter().map(|op| op.out);
                let unknowns = inner.unknowns.iter().map(|(slot, _)| slot.0);
                if outs.chain(unknowns).any(|slot| wanted[slot as usize]) {
                    for op in &*inner.ops {
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
