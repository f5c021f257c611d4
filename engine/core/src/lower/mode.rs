//! Model -> tape of one mode: the rows that are active, sorted by dependence, kinks replaced by the
//! branch on which the state is (FORMALISM 7).
//!
//! In a mode each row is a version of its target. A row reads, for every argument, the nearest
//! active writer above it or, if there is none, the last one below. Rows in a circle form a
//! [`Loop`], whose unknowns are found by Newton's method.
//!
//! Slots: one per real (a state, or a value that is held), the constants, then what is computed.

use std::sync::Arc;

use super::affine::{Affine, Forms};
use super::border::{BorderId, Borders, Owner, Side, View};
use super::emit::{Emitter, Reader};
use super::flow::{Action, Flow};
use crate::ids::{RangeId, RealId, RelationId};
use crate::model::{Argument, Comparison, Model};
use crate::procedure::Body;
use crate::tape::{Assembler, Code, Op, Slot, Tape};

/// What the branches of a mode are chosen by.
pub(crate) trait Branches {
    /// The side of a border.
    fn side(&self, border: BorderId) -> Side;
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
    /// Reals that move continuously.
    pub(crate) states: Vec<RealId>,
    /// The rate of each state.
    pub(crate) rates: Vec<Slot>,
    /// Reals that follow from others, with the slot of their value.
    pub(crate) algebraic: Vec<(RealId, Slot)>,
    /// Margins.
    pub(crate) margins: Arc<[Margin]>,
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

impl Mode {
    /// Whether values depend on each other in a circle.
    pub(crate) fn has_loops(&self) -> bool {
        let mut segments = self.all.iter();
        segments.any(|segment| matches!(segment, Segment::Loop(_)))
    }
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
    /// A procedure that event stepping does not know yet.
    NotSupported(RelationId),
}

/// Lowers the mode in which the given rows are active.
pub(crate) fn mode(
    model: &Model,
    flow: &Flow,
    watched: &[Comparison],
    constants: &[f64],
    active: &[bool],
    borders: &mut Borders,
    branches: &impl Branches,
) -> Result<Mode, ModeError> {
    let constants_at = model.reals.len();
    let mut asm = Assembler::new(constants_at);
    for _ in &model.constants {
        asm.fixed_slot();
    }
    let time = asm.time();
    let mut lowering = Lowering {
        model,
        flow,
        active,
        emitter: Emitter {
            model,
            asm,
            constants_at,
        },
        time,
        versions: vec![None; flow.rows.len()],
        finals: vec![None; model.reals.len()],
        sites: Vec::new(),
        cuts: Vec::new(),
        unknowns: Vec::new(),
        relays: Vec::new(),
        rates: vec![None; model.reals.len()],
        stated: Vec::new(),
    };
    lowering.rows()?;
    let comparisons = lowering.comparisons();
    let relay_borders = lowering.relay_borders();
    let watched = lowering.watched(watched);
    Ok(finish(
        lowering,
        constants,
        comparisons,
        relay_borders,
        watched,
        borders,
        branches,
    ))
}

struct Lowering<'a> {
    model: &'a Model,
    flow: &'a Flow,
    active: &'a [bool],
    emitter: Emitter<'a>,
    time: Slot,
    /// Per row the slot of its value, once emitted.
    versions: Vec<Option<Slot>>,
    /// Per real the row that gives its final value.
    finals: Vec<Option<usize>>,
    /// Per op of the tape that has a kink: who owns it.
    sites: Vec<(usize, Owner)>,
    /// Parts of the tape that are loops.
    cuts: Vec<Cut>,
    /// Slots handed out for versions that are read before they are computed.
    unknowns: Vec<(usize, Slot)>,
    relays: Vec<(usize, Slot)>,
    rates: Vec<Option<Slot>>,
    /// Slots that stand for a real's final value.
    stated: Vec<(Slot, RealId)>,
}

/// A loop: a part of the tape with its unknowns and results.
struct Cut {
    start: usize,
    end: usize,
    unknowns: Vec<(Slot, RealId)>,
    results: Vec<Slot>,
    rows: Vec<RelationId>,
}

/// Reads the versions that a row at some place reads.
struct Versions<'l> {
    flow: &'l Flow,
    active: &'l [bool],
    versions: &'l [Option<Slot>],
    unknowns: &'l mut Vec<(usize, Slot)>,
    time: Slot,
    /// The reading row; `None` reads final values.
    row: Option<usize>,
}

impl Reader for Versions<'_> {
    fn real(&mut self, id: RealId, asm: &mut Assembler) -> Slot {
        let Some(writer) = version_read(self.flow, self.active, self.row, id) else {
            return Slot::new(id.index());
        };
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

    fn time(&mut self, _: &mut Assembler) -> Slot {
        self.time
    }
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

impl Lowering<'_> {
    fn rows(&mut self) -> Result<(), ModeError> {
        for real in 0..self.model.reals.len() {
            self.finals[real] = version_read(self.flow, self.active, None, RealId::new(real));
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

    /// The rows whose values an active row reads.
    fn reads(&self, row: usize) -> Vec<usize> {
        if !self.active[row] {
            return Vec::new();
        }
        let relation = &self.model.relations[self.flow.rows[row].relation.index()];
        let reads_arguments = !matches!(
            self.flow.rows[row].action,
            Action::Clock | Action::Zero | Action::Relay(_)
        );
        let mut rows = Vec::new();
        for arg in relation.args.iter().filter(|_| reads_arguments) {
            if let Argument::Real(expr) = arg {
                self.model.exprs.visit(*expr, |_, node| {
                    if let crate::model::Expr::Real(id) = node {
                        rows.extend(version_read(self.flow, self.active, Some(row), *id));
                    }
                });
            }
        }
        rows.sort_unstable();
        rows.dedup();
        rows
    }

    fn circle(&mut self, rows: &[usize]) -> Result<(), ModeError> {
        for &row in rows {
            let target = self.flow.rows[row].target;
            let writers = &self.flow.writers[target.index()];
            let integrated = writers
                .iter()
                .any(|&writer| self.active[writer] && !self.flow.rows[writer].action.is_value());
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
            if self.finals[target.index()] == Some(row) {
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

    fn row(&mut self, row: usize) -> Result<(), ModeError> {
        let flow_row = &self.flow.rows[row];
        let (target, action) = (flow_row.target, flow_row.action);
        let relation = &self.model.relations[flow_row.relation.index()];
        let since = self.emitter.asm.len();
        let emitter = &mut self.emitter;
        let mut reader = Versions {
            flow: self.flow,
            active: self.active,
            versions: &self.versions,
            unknowns: &mut self.unknowns,
            time: self.time,
            row: Some(row),
        };
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
            Action::Derivative | Action::Delay => {
                return Err(ModeError::NotSupported(flow_row.relation));
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
            if self.finals[target.index()] == Some(row) {
                self.stated.push((own, target));
            }
        } else {
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

    /// Emits both sides of every comparison; their slots.
    fn comparisons(&mut self) -> Vec<(RangeId, usize, Slot, Slot)> {
        let model = self.model;
        let mut compared = Vec::new();
        for (index, range) in model.ranges.iter().enumerate() {
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
        let mut reader = Versions {
            flow: self.flow,
            active: self.active,
            versions: &self.versions,
            unknowns: &mut self.unknowns,
            time: self.time,
            row: None,
        };
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
fn finish(
    lowering: Lowering<'_>,
    constants: &[f64],
    comparisons: Vec<(RangeId, usize, Slot, Slot)>,
    relay_borders: Vec<(RelationId, [Slot; 3])>,
    watched: Vec<[Slot; 2]>,
    borders: &mut Borders,
    branches: &impl Branches,
) -> Mode {
    let Lowering {
        model,
        emitter,
        time,
        sites,
        cuts,
        relays,
        rates,
        finals,
        versions,
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
    let mut rewriting = Rewriting {
        tape: &mut tape,
        identity,
        moving,
        margins: Vec::new(),
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
                rewriting.kink(op, owner, borders, branches);
            }
            _ => rewriting.push(*op),
        }
    }
    place.push(rewriting.ops.len());
    let mut views = Vec::with_capacity(comparisons.len());
    for (range, position, left, right) in comparisons {
        let view = rewriting.compare(Owner::Comparison(range, position), left, right, borders);
        views.push((range, position, view));
    }
    let mut relay_views = Vec::new();
    for (relation, [value, low, high]) in relay_borders {
        relay_views.push([(false, low), (true, high)].map(|(upper, limit)| {
            rewriting.compare(Owner::Relay(relation, upper), value, limit, borders)
        }));
    }
    let mut watch_views = Vec::with_capacity(watched.len());
    for (index, [left, right]) in watched.into_iter().enumerate() {
        watch_views.push(rewriting.compare(Owner::Watch(index), left, right, borders));
    }
    let Rewriting {
        margins,
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
    for (index, rate) in rates.iter().enumerate() {
        let id = RealId::new(index);
        match (finals[index], rate) {
            (Some(row), _) => {
                algebraic.push((id, versions[row].expect("active rows were emitted")));
            }
            (None, Some(rate)) => {
                states.push(id);
                state_rates.push(*rate);
            }
            (None, None) => {}
        }
    }
    let flow = needed(&all, &state_rates, tape.n_slots as usize);
    Mode {
        tape,
        all,
        flow,
        states,
        rates: state_rates,
        algebraic,
        margins: margins.into(),
        relays,
        steps,
        comparisons: views,
        watched: watch_views,
        relay_views,
        time,
        constants_at,
    }
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
    /// Forms over the final values of reals, whatever they follow from: the same in every mode.
    identity: Forms,
    /// Forms over what moves or is held in this mode.
    moving: Forms,
    margins: Vec<Margin>,
    steps: Vec<(usize, Slot)>,
    ops: Vec<Op>,
}

impl Rewriting<'_> {
    fn push(&mut self, op: Op) {
        self.identity.follow(&op);
        self.moving.follow(&op);
        self.ops.push(op);
    }

    fn slot(&mut self) -> Slot {
        self.tape.n_slots += 1;
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
        self.margin(owner, slot, borders)
    }

    fn margin(&mut self, owner: Owner, slot: Slot, borders: &mut Borders) -> View {
        let view = borders.view(owner, self.identity.get(slot.0));
        if self
            .margins
            .iter()
            .all(|margin| margin.border != view.border)
        {
            let View { border, upright } = view;
            let form = self.moving.get(slot.0).cloned();
            self.margins.push(Margin {
                border,
                slot,
                upright,
                form,
            });
        }
        view
    }

    /// Replaces an op with a kink by its branch.
    ///
    /// What is computed from a branch is another form in another mode: it does not say which border
    /// a margin has, unless it is the value of a real.
    fn kink(&mut self, op: &Op, owner: Owner, borders: &mut Borders, branches: &impl Branches) {
        let stated = self.identity.get(op.out).is_some();
        self.branch(op, owner, borders, branches);
        if !stated {
            self.identity.forget(op.out);
        }
    }

    fn branch(&mut self, op: &Op, owner: Owner, borders: &mut Borders, branches: &impl Branches) {
        let (a, b, out) = (Slot(op.a), Slot(op.b), op.out);
        let copy = |from: Slot| Op {
            code: Code::Copy,
            out,
            a: from.0,
            b: from.0,
        };
        match op.code {
            Code::Abs | Code::Sign => {
                let view = self.margin(owner, a, borders);
                let side = view.side(branches.side(view.border));
                let branch = match (op.code, side) {
                    (Code::Abs, Side::Minus) => Op {
                        code: Code::Neg,
                        out,
                        a: a.0,
                        b: a.0,
                    },
                    (Code::Abs, Side::On | Side::Plus) => copy(a),
                    (_, Side::Minus) => copy(self.number(-1.0)),
                    (_, Side::On) => copy(self.number(0.0)),
                    (_, Side::Plus) => copy(self.number(1.0)),
                };
                self.push(branch);
            }
            Code::Min | Code::Max | Code::AtLeast => {
                let view = self.compare(owner, a, b, borders);
                let below = view.side(branches.side(view.border)) == Side::Minus;
                let branch = match (op.code, below) {
                    (Code::Min, true) | (Code::Max, false) => copy(a),
                    (Code::Min, false) | (Code::Max, true) => copy(b),
                    (_, true) => copy(self.number(0.0)),
                    (_, false) => copy(self.number(1.0)),
                };
                self.push(branch);
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
                    let form = self.moving.get(slot.0).cloned();
                    self.margins.push(Margin {
                        border,
                        slot,
                        upright: true,
                        form,
                    });
                }
                if op.code == Code::Floor {
                    self.push(copy(step));
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
fn needed(all: &[Segment], slots: &[Slot], n_slots: usize) -> Vec<Segment> {
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
