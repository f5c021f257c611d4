//! Who writes and who reads what: lists of row numbers, built in one pass over the model.

use std::iter;

use situ_engine::ids::{ConstantId, ExprId, RangeId, RealId, RelationId};
use situ_engine::model::{
    Argument, Boolean, ClockValue, Coefficient, Expr, Guard, Literal, Model, Relation, Setting,
    StartValues, Watch, WatchAtom, WatchLiteral,
};
use situ_engine::procedure::CoefRole;
use situ_engine::trace::Measure;

use crate::resolve::{Expectation, Expected};

/// Lists of values, one for each of `0..n` keys, stored one after the other.
#[derive(Debug)]
pub(super) struct Lists<T> {
    starts: Vec<u32>,
    values: Vec<T>,
}

impl<T: Copy> Lists<T> {
    /// Groups pairs by key; within a key the order of the pairs is kept.
    pub(super) fn new(n: usize, pairs: &[(usize, T)]) -> Self {
        let mut starts = vec![0_u32; n + 1];
        for &(key, _) in pairs {
            starts[key + 1] += 1;
        }
        for key in 0..n {
            starts[key + 1] += starts[key];
        }
        let mut next = starts.clone();
        let mut order = vec![0_u32; pairs.len()];
        for (position, &(key, _)) in pairs.iter().enumerate() {
            order[next[key] as usize] =
                u32::try_from(position).expect("a table has fewer than 2^32 rows");
            next[key] += 1;
        }
        let values = order.iter().map(|&at| pairs[at as usize].1).collect();
        Self { starts, values }
    }

    /// Lists for no key yet, to be added to in the order of the keys.
    pub(super) fn empty() -> Self {
        Self {
            starts: vec![0],
            values: Vec::new(),
        }
    }

    /// Adds the list of the next key.
    pub(super) fn push(&mut self, list: impl IntoIterator<Item = T>) {
        self.values.extend(list);
        self.starts
            .push(u32::try_from(self.values.len()).expect("a table has fewer than 2^32 rows"));
    }

    /// Number of keys.
    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub(super) fn of(&self, key: usize) -> &[T] {
        &self.values[self.starts[key] as usize..self.starts[key + 1] as usize]
    }
}

/// A real read by a relation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Read<T> {
    /// The other end: the real, or the relation that reads it.
    pub(super) of: T,
    /// False if the value is multiplied by a coefficient that is 0.
    pub(super) counts: bool,
}

/// A place where a range stands in a condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Use {
    /// In a row of a situation, by its number.
    Situation(usize),
    /// In an assignment, by its number.
    Assignment(usize),
    /// In the condition of a relation.
    Guard(RelationId),
    /// As an argument of a relation.
    Argument(RelationId),
    /// In `stop_when` or in what is expected.
    Watch,
    /// In the scene.
    Scene,
}

/// Who writes and who reads what.
#[derive(Debug)]
pub(super) struct Index {
    /// Relations that write a real, in written order.
    pub(super) writers: Lists<RelationId>,
    /// Reals that a relation reads, each once.
    pub(super) reads: Lists<Read<RealId>>,
    /// Relations that read a real, in written order.
    pub(super) readers: Lists<Read<RelationId>>,
    /// Ranges that read a real.
    pub(super) range_readers: Lists<RangeId>,
    /// Places at which a range stands.
    pub(super) range_uses: Lists<Use>,
    /// Assignments that write a switch, with the value, in written order.
    pub(super) assignments: Lists<(usize, bool)>,
    /// True if anything reads the constant.
    pub(super) constant_used: Vec<bool>,
    /// True if anything calls the lookup.
    pub(super) lookup_used: Vec<bool>,
    /// True if a rule, `stop_when`, an expectation or a start value reads the real.
    pub(super) real_used: Vec<bool>,
    /// True if a condition names the switch.
    pub(super) switch_used: Vec<bool>,
    /// True if a condition names the situation.
    pub(super) situation_used: Vec<bool>,
    /// True if `stop_when` reads the real.
    pub(super) watched: Vec<bool>,
}

impl Index {
    pub(super) fn new(
        model: &Model,
        start: Option<&StartValues>,
        expectations: &[Expectation],
    ) -> Self {
        let mut builder = Builder::new(model, start);
        builder.quantities();
        builder.cases();
        builder.ranges();
        builder.conditions();
        builder.relations();
        builder.constraints();
        builder.clock();
        builder.expectations(expectations);
        builder.finish()
    }

    /// True if a relation reads its own target, with a coefficient other than 0.
    pub(super) fn chains(&self, relation: RelationId, target: RealId) -> bool {
        self.reads
            .of(relation.index())
            .iter()
            .any(|read| read.of == target && read.counts)
    }
}

/// The literals under which a relation is active; `None` for `otherwise`.
pub(super) fn condition(relation: &Relation) -> Option<&[Literal]> {
    match &relation.guard {
        Guard::Always => Some(&[]),
        Guard::When(literals) => Some(literals),
        Guard::Otherwise => None,
    }
}

struct Builder<'a> {
    model: &'a Model,
    start: Option<&'a StartValues>,
    writers: Vec<(usize, RelationId)>,
    reads: Vec<(usize, Read<RealId>)>,
    readers: Vec<(usize, Read<RelationId>)>,
    range_readers: Vec<(usize, RangeId)>,
    range_uses: Vec<(usize, Use)>,
    assignments: Vec<(usize, (usize, bool))>,
    constant_used: Vec<bool>,
    lookup_used: Vec<bool>,
    real_used: Vec<bool>,
    switch_used: Vec<bool>,
    situation_used: Vec<bool>,
    watched: Vec<bool>,
    /// For each real where its last pair stands in the list being built, to add it once a row.
    last_pair: Vec<usize>,
}

impl<'a> Builder<'a> {
    fn new(model: &'a Model, start: Option<&'a StartValues>) -> Self {
        Self {
            model,
            start,
            writers: Vec::with_capacity(model.relations.len()),
            reads: Vec::with_capacity(2 * model.relations.len()),
            readers: Vec::with_capacity(2 * model.relations.len()),
            range_readers: Vec::with_capacity(model.ranges.len()),
            range_uses: Vec::new(),
            assignments: Vec::new(),
            constant_used: vec![false; model.constants.len()],
            lookup_used: vec![false; model.lookups.len()],
            real_used: vec![false; model.reals.len()],
            switch_used: vec![false; model.switches.len()],
            situation_used: vec![false; model.situations.len()],
            watched: vec![false; model.reals.len()],
            last_pair: vec![usize::MAX; model.reals.len()],
        }
    }

    /// Calls `real` for every real in the expression and marks what is used.
    fn expression(&mut self, root: ExprId, mut real: impl FnMut(&mut Self, RealId)) {
        let model = self.model;
        model.exprs.visit(root, |_, node| match node {
            Expr::Constant(id) => self.constant_used[id.index()] = true,
            Expr::Lookup(id, _) => self.lookup_used[id.index()] = true,
            Expr::Real(id) => {
                self.real_used[id.index()] = true;
                real(self, *id);
            }
            _ => {}
        });
    }

    fn quantities(&mut self) {
        let model = self.model;
        for quantity in model.constants.iter().chain(&model.reals) {
            for value in iter::once(quantity.start).chain(quantity.before) {
                self.expression(value, |_, _| {});
            }
        }
    }

    /// What cases set reads and calls, too.
    fn cases(&mut self) {
        let model = self.model;
        for setting in model.cases.iter().flat_map(|case| &case.set) {
            if let Setting::Constant(_, value) | Setting::Real(_, value) = setting {
                self.expression(*value, |_, _| {});
            }
        }
    }

    fn ranges(&mut self) {
        let model = self.model;
        for (index, range) in model.ranges.iter().enumerate() {
            for side in range.all.iter().flat_map(|c| [c.left, c.right]) {
                self.expression(side, |builder, real| {
                    let pair = (real.index(), RangeId::new(index));
                    let last = builder.last_pair[real.index()];
                    if builder.range_readers.get(last) != Some(&pair) {
                        builder.last_pair[real.index()] = builder.range_readers.len();
                        builder.range_readers.push(pair);
                    }
                });
            }
        }
    }

    fn literal(&mut self, literal: &Literal, place: Use) {
        match literal.what {
            Boolean::Switch(id) => self.switch_used[id.index()] = true,
            Boolean::Range(id) => self.range_uses.push((id.index(), place)),
            Boolean::Situation(id) => self.situation_used[id.index()] = true,
            Boolean::Schedule(_) | Boolean::Start => {}
        }
    }

    fn conditions(&mut self) {
        let model = self.model;
        for schedule in &model.schedules {
            self.expression(schedule.period, |_, _| {});
            self.expression(schedule.first, |_, _| {});
        }
        for (index, row) in model.situation_rows.iter().enumerate() {
            for literal in &row.all {
                self.literal(literal, Use::Situation(index));
            }
        }
        for (index, assignment) in model.assignments.iter().enumerate() {
            for literal in &assignment.when {
                self.literal(literal, Use::Assignment(index));
            }
            for &(switch, value) in &assignment.set {
                self.assignments.push((switch.index(), (index, value)));
            }
        }
    }

    fn relations(&mut self) {
        let model = self.model;
        // Sizes and networks stand in no row any more.
        for (id, _) in &model.shape {
            self.constant_used[id.index()] = true;
        }
        for (index, relation) in model.relations.iter().enumerate() {
            let id = RelationId::new(index);
            for target in &relation.targets {
                self.writers.push((target.index(), id));
            }
            for literal in condition(relation).unwrap_or_default() {
                self.literal(literal, Use::Guard(id));
            }
            for coefficient in [relation.coef, relation.coef2] {
                if let Coefficient::Constant { id, .. } = coefficient {
                    self.constant_used[id.index()] = true;
                }
            }
            self.arguments(id, relation);
        }
    }

    /// What was differentiated reads what stands in it, too.
    fn constraints(&mut self) {
        for constraint in &self.model.constraints {
            self.expression(constraint.written, |_, _| {});
        }
    }

    fn arguments(&mut self, id: RelationId, relation: &Relation) {
        let first = self.reads.len();
        for (position, argument) in relation.args.iter().enumerate() {
            match argument {
                Argument::Real(expr) => {
                    let counts = !self.is_cut(relation, position);
                    let solves = relation.procedure.solves();
                    self.expression(*expr, |builder, real| {
                        // What a row solves for is no value that it reads.
                        let counts = counts && !(solves && relation.targets.contains(&real));
                        let last = builder.last_pair[real.index()];
                        match builder.reads.get_mut(last) {
                            Some((row, read)) if *row == id.index() && read.of == real => {
                                read.counts |= counts;
                            }
                            _ => {
                                builder.last_pair[real.index()] = builder.reads.len();
                                builder.reads.push((id.index(), Read { of: real, counts }));
                            }
                        }
                    });
                }
                Argument::Boolean(literal) => self.literal(literal, Use::Argument(id)),
            }
        }
        for at in first..self.reads.len() {
            let Read { of, counts } = self.reads[at].1;
            self.readers.push((of.index(), Read { of: id, counts }));
        }
    }

    /// True if the argument is multiplied by a coefficient that is 0.
    fn is_cut(&self, relation: &Relation, position: usize) -> bool {
        let coefficient = match (relation.procedure.get().coef, position) {
            (CoefRole::ScalesBoth, 1) => relation.coef2,
            (CoefRole::ScalesFirst | CoefRole::ScalesBoth | CoefRole::ScalesResult, _) => {
                relation.coef
            }
            (CoefRole::Parameter(_) | CoefRole::Unused, _) => return false,
        };
        match coefficient {
            Coefficient::Number(value) => value == 0.0,
            Coefficient::Constant { id, .. } => self.value_of(id) == Some(0.0),
        }
    }

    fn value_of(&self, id: ConstantId) -> Option<f64> {
        self.start.map(|start| start.constants[id.index()])
    }

    /// Reads from outside the rows: the clock's conditions and formulas, invariants and the scene.
    fn clock(&mut self) {
        let model = self.model;
        for invariant in &model.invariants {
            self.expression(invariant.value, |_, _| {});
        }
        if let Some(scene) = &model.scene {
            scene.each_expression(|root| self.expression(root, |_, _| {}));
            scene.each_literal(|literal| self.literal(&literal, Use::Scene));
        }
        let clocks = model.cases.iter().map(|case| &case.clock);
        for clock in std::iter::once(&model.clock).chain(clocks) {
            for (_, value) in clock.stated() {
                match value {
                    ClockValue::Expression(formula) => self.watched(formula),
                    ClockValue::Condition(watch) => {
                        watch
                            .iter()
                            .for_each(|literal| self.watched_literal(literal));
                    }
                    ClockValue::Number(_) | ClockValue::Word(_) => {}
                }
            }
        }
    }

    /// Reads of what runs must come to.
    fn expectations(&mut self, expectations: &[Expectation]) {
        for expectation in expectations {
            match expectation.expected() {
                Expected::Never(opposites) => {
                    opposites
                        .iter()
                        .for_each(|watch| self.measured_watch(watch));
                }
                Expected::Value {
                    measure,
                    value,
                    tolerance,
                    ..
                } => {
                    self.measure(measure);
                    for root in [Some(*value), *tolerance].into_iter().flatten() {
                        self.expression(root, |_, _| {});
                    }
                }
            }
        }
    }

    fn measure(&mut self, measure: &Measure) {
        match measure {
            Measure::Final(value)
            | Measure::Min(value)
            | Measure::Max(value)
            | Measure::Drift(value)
            | Measure::At(value, _) => self.expression(*value, |_, _| {}),
            Measure::First(watch)
            | Measure::Duration(watch)
            | Measure::Period(watch)
            | Measure::Count(watch) => self.measured_watch(watch),
        }
    }

    fn measured_watch(&mut self, watch: &Watch) {
        for literal in watch {
            literal.each_atom(&mut |atom| match atom {
                WatchAtom::Boolean(literal) => self.literal(&literal, Use::Watch),
                WatchAtom::Comparison(comparison) => {
                    for root in [comparison.left, comparison.right] {
                        self.expression(root, |_, _| {});
                    }
                }
            });
        }
    }

    fn watched_literal(&mut self, literal: &WatchLiteral) {
        literal.each_atom(&mut |atom| match atom {
            WatchAtom::Boolean(literal) => self.literal(&literal, Use::Watch),
            WatchAtom::Comparison(comparison) => {
                self.watched(comparison.left);
                self.watched(comparison.right);
            }
        });
    }

    fn watched(&mut self, expression: ExprId) {
        self.expression(expression, |builder, real| {
            builder.watched[real.index()] = true;
        });
    }

    fn finish(self) -> Index {
        let n_reals = self.model.reals.len();
        let n_ranges = self.model.ranges.len();
        Index {
            writers: Lists::new(n_reals, &self.writers),
            reads: Lists::new(self.model.relations.len(), &self.reads),
            readers: Lists::new(n_reals, &self.readers),
            range_readers: Lists::new(n_reals, &self.range_readers),
            range_uses: Lists::new(n_ranges, &self.range_uses),
            assignments: Lists::new(self.model.switches.len(), &self.assignments),
            constant_used: self.constant_used,
            lookup_used: self.lookup_used,
            real_used: self.real_used,
            switch_used: self.switch_used,
            situation_used: self.situation_used,
            watched: self.watched,
        }
    }
}
