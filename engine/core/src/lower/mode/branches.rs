//! From the tape of all rows to a mode: kinks give way to branches ([`super::kinks`]), borders get their margins, and the
//! tape is cut into segments.

use crate::backend::interpreter::run_setup;
use crate::backend::value::{Jet, Value};
use crate::ids::{RangeId, RealId, RelationId};
use crate::lower::affine::{Affine, Content, Forms, Over};
use crate::lower::border::{BorderSource, Borders};
use crate::lower::emit::Emitter;
use crate::tape::{Code, Op, Pieces, Slot, Tape};
use situ_solve::interval::Interval;

use super::kinks::Rewriting;
use super::rows::Lowering;
use super::systems::triangular::moved_out;
use std::sync::Arc;

use super::dependence::{mark_opaque_loops, told_by};
use super::gates::{BorderKink, Gating, mark_ungated};
use super::within_steps::value_edges::keep_signs;
use super::within_steps::{WithinSteps, results_of};
use super::{Cut, GateSlots, Kink, Loop, Mode, Segment, Site, Source, Unbranched, needed};

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
    from: Source<'_>,
    read: Read,
    borders: &mut Borders,
) -> Mode {
    let constants = from.constants;
    let Lowering {
        corners,
        shares,
        emitter,
        time,
        sites,
        saturations,
        cuts,
        roots,
        relays,
        mut delays,
        rates,
        stated,
        ..
    } = lowering;
    let Emitter {
        model,
        asm,
        constants_at,
    } = emitter;
    let mut tape = asm.finish();
    // Each comparison adds a slot for its margin.
    let n_slots = tape.n_slots as usize + read.comparisons.len();
    let constants_of = (constants, constants_at);
    let mut forms = input_forms(n_slots, &tape, constants_of, model.reals.len(), time);
    for (slot, real) in stated {
        forms.state(Over::Finals, slot, Affine::real(real));
    }
    // A gate is a number behind the reals.
    for (number, &gate) in shares.gates.iter().enumerate() {
        let gate_form = Affine::real(RealId::new(model.reals.len() + number));
        forms.state(Over::Moving, gate, gate_form);
    }
    // The branches of a kink have at most one gate on each side of its border and on it.
    let n_branches = if shares.of.is_some() {
        3 * sites.len()
    } else {
        0
    };
    let steps_at = model.reals.len() + shares.gates.len() + n_branches;
    let (weights, groups) = (shares.weights, shares.groups);
    let depends = |inputs: &mut dyn Iterator<Item = Slot>| {
        let mut depends = vec![false; tape.n_slots as usize];
        inputs.for_each(|slot| depends[slot.index()] = true);
        mark_opaque_loops(&tape.ops, &cuts, &mut depends);
        depends
    };
    let opaque = depends(&mut delays.inputs().chain(weights.iter().copied()));
    let gated = depends(&mut shares.gates.iter().copied());
    let mut ungated = Vec::new();
    if shares.of.is_some() {
        ungated.resize(tape.n_slots as usize, false);
        let ranges = read
            .comparisons
            .iter()
            .map(|&(.., left, right)| [left, right]);
        let relays = read.relay_borders.iter().flat_map(|(_, slots)| *slots);
        let watched = read.watched.iter().copied();
        let bounds = saturations.iter().map(|saturation| saturation.bound);
        let compared = ranges.chain(watched).flatten().chain(relays).chain(bounds);
        mark_ungated(&tape.ops, &cuts, compared, &mut ungated);
    }
    let mut rewriting = Rewriting {
        tape: &mut tape,
        corners,
        weights: &weights,
        groups,
        forms,
        opaque,
        gated,
        n_reals: model.reals.len(),
        steps_at,
        size_slots: read.size_slots,
        margins: Vec::new(),
        margin_at: Vec::new(),
        root_borders: roots.borders,
        under_roots: Vec::new(),
        steps: Vec::new(),
        stairs: Vec::new(),
        gates: Gating {
            of: shares.of,
            first: shares.gates.len(),
            ungated,
            slots: Vec::new(),
            all: Vec::new(),
        },
        ops: Vec::new(),
    };
    let mut source = std::mem::take(&mut rewriting.tape.ops);
    let mut edges = roots.edges.into_iter().peekable();
    let bounds = match sites.is_empty() && edges.peek().is_none() && roots.limited.is_empty() {
        true => Vec::new(),
        false => bounds_of(rewriting.tape, &source, constants_of),
    };
    let kept = keep_signs(&source, &sites, (&roots.limited, &bounds), || {
        let compared = read.comparisons.iter().flat_map(|&(.., l, r)| [l, r]);
        let relays = read.relay_borders.iter().flat_map(|(_, slots)| *slots);
        let told = compared.chain(relays).chain(read.delayed.iter().copied());
        let told = told.chain(read.watched.iter().copied().flatten());
        let told = told.chain(rates.iter().copied().flatten());
        let of_kinks = sites.iter().map(|(at, _)| &source[*at]);
        let told = told.chain(of_kinks.flat_map(|op| [Slot(op.a), Slot(op.b)]));
        let parts = segments(&cuts, &source, |position| position);
        results_of(&needed(&parts, told, n_slots))
    });
    let kinked: Vec<usize> = sites
        .iter()
        .filter_map(|(_, owner)| owner.kinks_watched())
        .collect();
    rewriting.tape.rows.clear();
    let mut sites = sites.into_iter().peekable();
    let mut saturations = saturations.into_iter();
    let mut place = Vec::with_capacity(source.len() + 1);
    let (mut kinks, mut met, mut free) = (Vec::new(), Vec::new(), Vec::new());
    let (mut chosen, mut results) = (Vec::new(), Vec::new());
    for (position, op) in source.iter().enumerate() {
        place.push(rewriting.ops.len());
        if let Some((_, owner)) = edges.next_if(|(at, _)| *at == position) {
            rewriting.edge(op, owner, &bounds, borders);
        }
        match sites.peek() {
            Some(&(at, BorderSource::Push(..))) if at == position => {
                sites.next();
                let bound = saturations.next().expect("every push is that of a bound");
                let (views, kink) = rewriting.saturate(op, &bound, borders);
                kinks.extend(views);
                match kink {
                    Some(kink) => met.push(Site { position, kink }),
                    None => free.push(position),
                }
            }
            Some(&(at, owner)) if at == position => {
                sites.next();
                if let Some(kink) = rewriting.kink(op, owner, &bounds, borders) {
                    met.push(Site { position, kink });
                    if let Kink::Border(view) = kink {
                        let jumps = op.code.pieces().is_some_and(Pieces::jumps);
                        results.push((kinks.len(), op.out));
                        kinks.push(BorderKink {
                            owner,
                            view,
                            jumps,
                            moves: true,
                        });
                        if !rewriting.gates.has(owner, op) {
                            chosen.push((op.out, view.border));
                        }
                    }
                }
            }
            _ if kept.contains(&position) => rewriting.quotient(op, &bounds),
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
    rewriting.margins.reserve_exact(read.comparisons.len());
    let mut views = Vec::with_capacity(read.comparisons.len());
    for (range, position, left, right) in read.comparisons {
        let view = rewriting.compare(
            BorderSource::Comparison(range, position),
            left,
            right,
            borders,
        );
        views.push((range, position, view));
    }
    let mut relay_views = Vec::new();
    for (relation, [value, low, high]) in read.relay_borders {
        relay_views.push([(false, low), (true, high)].map(|(upper, limit)| {
            rewriting.compare(BorderSource::Relay(relation, upper), value, limit, borders)
        }));
    }
    let mut watch_views = Vec::with_capacity(read.watched.len());
    for (index, [left, right]) in read.watched.into_iter().enumerate() {
        watch_views.push(rewriting.compare(BorderSource::Watch(index), left, right, borders));
    }
    for (own, domain) in from.watched_limits {
        // Where such a comparison begins to have values the branches of its kinks are chosen.
        if kinked.contains(own) {
            let edges = watch_views[domain.clone()].iter();
            edges.for_each(|view| borders.need(view.border));
        }
    }
    let delayed = read.delayed.iter();
    let delayed: Vec<(Slot, Option<Affine>)> =
        delayed.map(|slot| (*slot, rewriting.form(*slot))).collect();
    rewriting.mark_edges();
    let mut forms = std::mem::take(&mut rewriting.forms);
    let Rewriting {
        mut margins,
        margin_at,
        steps,
        stairs,
        gates:
            Gating {
                slots: branch_slots,
                all: branch_gates,
                ..
            },
        ops,
        ..
    } = rewriting;

    let all = moved_out(segments(&cuts, &ops, |position| place[position]));
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
    // A step is no input of a matrix.
    let has_steps = |form: &Affine| form.terms.iter().any(|(id, _)| id.index() >= steps_at);
    let rate_forms: Vec<Option<Affine>> = state_rates
        .iter()
        .map(|slot| {
            forms
                .get(Over::Moving, slot.0)
                .filter(|form| !has_steps(form))
        })
        .collect();
    drop(forms);
    for margin in &mut margins {
        (margin.timing).take_if(|timing| timing.reads_any(&states));
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
    let moving = states.iter().map(|real| Slot::new(real.index()));
    let with_rates = moving.zip(state_rates.iter().copied());
    let with_rates = with_rates.map(<[Slot; 2]>::from);
    let within_steps = WithinSteps::find(
        [&all, &flow],
        with_rates,
        (time, &delays),
        (&roots.limited, &bounds),
        &tape,
        &margins,
    );
    let tests = needed(&all, margins.iter().map(|margin| margin.slot), n_slots);
    let places = delays.varying.iter().flat_map(|one| {
        let (taken, _) = delayed[one.delay];
        [one.length, one.at, taken]
    });
    let places: Vec<Slot> = places.collect();
    delays.places = needed(&all, places.into_iter(), n_slots);
    if !results.is_empty() {
        let relays = relay_views.iter().flatten();
        let compared = views.iter().map(|(.., view)| view).chain(relays);
        let compared = told_by(&margins, compared.map(|view| view.border).collect());
        let told = needed(&all, compared, n_slots);
        let moving = [&flow, &delays.places, &told].map(|part| results_of(part));
        for (kink, out) in results {
            kinks[kink].moves = moving.iter().any(|results| results.contains(&out));
        }
    }
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
    let twins = super::twins::find(&margins, &ops, &chosen);
    let timed = (0..).zip(&margins);
    let timed = timed.filter(|(_, margin)| !margin.is_searched());
    Mode {
        projection: None,
        timed: timed.map(|(at, _)| at).collect(),
        inputs: inputs.map(RealId::new).collect(),
        tape,
        all,
        flow,
        tests,
        within_steps,
        weights,
        gates: GateSlots {
            slots: shares.gates.into_iter().chain(branch_slots).collect(),
            branches: branch_gates,
        },
        delays,
        delayed,
        states,
        rates: state_rates,
        rate_forms,
        algebraic,
        margins: margins.into(),
        twins,
        margin_at,
        relays,
        steps,
        stairs,
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
            roots: cut.roots.clone(),
            results: cut.results.clone(),
            implicit: cut.implicit,
            bounds: cut.bounds.clone(),
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

/// The forms of the slots of a tape whose ops are still to be followed.
fn input_forms(
    n_slots: usize,
    tape: &Tape,
    (constants, constants_at): (&[f64], usize),
    n_reals: usize,
    time: Slot,
) -> Forms {
    let mut values = vec![0.0; tape.n_slots as usize];
    values[constants_at..][..constants.len()].copy_from_slice(constants);
    let mut forms = Forms::of_slots(n_slots);
    for &(slot, value) in &tape.numbers {
        values[slot.index()] = value;
        forms.define(slot, Content::Number(value));
    }
    run_setup(tape, &mut values);
    for op in &tape.setup {
        forms.define(Slot(op.out), Content::Number(values[op.out as usize]));
    }
    for (index, &value) in constants.iter().enumerate() {
        forms.define(Slot::new(constants_at + index), Content::Number(value));
    }
    for index in 0..n_reals {
        forms.define(Slot::new(index), Content::Real(RealId::new(index)));
    }
    forms.define(time, Content::Time);
    forms
}

/// Bounds of all slots, whatever the reals are.
pub(in crate::lower) fn bounds_of(
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
