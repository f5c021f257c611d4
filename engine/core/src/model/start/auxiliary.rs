//! Start values of auxiliary reals with conditions, which stand for a part of another row as `sum(u[j] for j when hot[j])`
//! has them: what their rows give at the start, so that whoever reads them finds there what will stand.

use rustc_hash::FxHashMap;

use super::StartValues;
use crate::ids::{ExprId, RangeId, RealId, RelationId, SituationId, SwitchId};
use crate::model::{Argument, Boolean, Expr, Guard, Input, Literal, Model, Relation};
use crate::procedure::{self, CoefRole};

/// What has to be known in an order.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Node {
    Real(RealId),
    Range(RangeId),
    Situation(SituationId),
}

impl Node {
    fn of(literal: Literal) -> Option<Self> {
        match literal.what {
            Boolean::Range(id) => Some(Self::Range(id)),
            Boolean::Situation(id) => Some(Self::Situation(id)),
            Boolean::Switch(_) | Boolean::Schedule(_) | Boolean::Start => None,
        }
    }
}

/// Auxiliary reals and the booleans of their conditions, each found after those that it needs.
struct Settling<'a> {
    model: &'a Model,
    /// Switches that do not begin as the model says.
    switches: FxHashMap<SwitchId, bool>,
    /// Rows of each auxiliary real, in order.
    rows: FxHashMap<RealId, Vec<RelationId>>,
    /// Rows of each situation; empty until one is asked for.
    situations: Vec<Vec<usize>>,
    /// Nodes that have been begun, and whether they are done.
    done: FxHashMap<Node, bool>,
    /// Values of ranges and situations.
    holds: FxHashMap<Node, bool>,
}

impl Model {
    /// Finds the start values of auxiliary reals whose rows have conditions, where the other start values are known. One
    /// that needs itself, or that is no number, stays as the model says.
    pub(crate) fn settle_auxiliary(&self, given: &[(Input, f64)], values: &mut StartValues) {
        if !self.reals.iter().any(|real| real.auxiliary) {
            return;
        }
        let mut rows: FxHashMap<RealId, Vec<RelationId>> = FxHashMap::default();
        for (index, relation) in self.relations.iter().enumerate() {
            if let [target] = relation.targets[..]
                && self.reals[target.index()].auxiliary
                && !relation.once
            {
                rows.entry(target).or_default().push(RelationId::new(index));
            }
        }
        let is_conditional = |row: &RelationId| self.relations[row.index()].guard != Guard::Always;
        rows.retain(|_, rows| rows.iter().any(is_conditional));
        for (input, _) in given {
            if let Input::Real(real) = input {
                rows.remove(real);
            }
        }
        // A machine that begins in no state is refused elsewhere.
        let switches = self.switches_given(given).unwrap_or_default();
        let mut roots: Vec<RealId> = rows.keys().copied().collect();
        roots.sort_unstable();
        let mut settling = Settling {
            model: self,
            switches: switches.into_iter().collect(),
            rows,
            situations: Vec::new(),
            done: FxHashMap::default(),
            holds: FxHashMap::default(),
        };
        for root in roots {
            settling.settle(Node::Real(root), values);
        }
    }

    /// Values that a row without memory gives its targets.
    ///
    /// Shapes: `reals`, `constants`: of the whole model.
    pub(crate) fn row_values(
        &self,
        relation: &Relation,
        (reals, constants): (&[f64], &[f64]),
        time: f64,
    ) -> Vec<f64> {
        let argument = |argument: &Argument| match argument {
            Argument::Real(expr) => self.value_at(*expr, reals, constants, time),
            Argument::Boolean(_) => f64::NAN,
        };
        let mut args: Vec<f64> = relation.args.iter().map(argument).collect();
        if relation.targets.len() > 1 {
            return args;
        }
        let first = relation.coef.value(constants);
        let role = relation.procedure.get().coef;
        if matches!(role, CoefRole::ScalesFirst | CoefRole::ScalesBoth) {
            args[0] *= first;
        }
        if role == CoefRole::ScalesBoth {
            args[1] *= relation.coef2.value(constants);
        }
        let value = procedure::value(relation.procedure, &args, time);
        vec![match role {
            CoefRole::ScalesResult => first * value,
            _ => value,
        }]
    }
}

impl Settling<'_> {
    /// Finds a node and all that it needs, without recursion: chains of elements may be long.
    fn settle(&mut self, root: Node, values: &mut StartValues) {
        let mut stack = vec![root];
        let mut needed = Vec::new();
        while let Some(&top) = stack.last() {
            match self.done.get(&top) {
                None => {
                    self.done.insert(top, false);
                    needed.clear();
                    self.needs(top, &mut needed);
                    let fresh = needed.iter().filter(|node| !self.done.contains_key(node));
                    stack.extend(fresh);
                }
                Some(false) => {
                    self.find(top, values);
                    self.done.insert(top, true);
                    stack.pop();
                }
                Some(true) => {
                    stack.pop();
                }
            }
        }
    }

    fn needs(&mut self, node: Node, needed: &mut Vec<Node>) {
        let model = self.model;
        match node {
            Node::Real(real) => {
                for row in &self.rows[&real] {
                    let relation = &model.relations[row.index()];
                    if let Guard::When(literals) = &relation.guard {
                        needed.extend(literals.iter().filter_map(|literal| Node::of(*literal)));
                    }
                    for argument in &relation.args {
                        match argument {
                            Argument::Real(expr) => self.read_by(*expr, needed),
                            Argument::Boolean(literal) => needed.extend(Node::of(*literal)),
                        }
                    }
                }
            }
            Node::Range(id) => {
                for comparison in &model.ranges[id.index()].all {
                    self.read_by(comparison.left, needed);
                    self.read_by(comparison.right, needed);
                }
            }
            Node::Situation(id) => {
                for row in self.rows_of(id) {
                    let literals = model.situation_rows[row].all.iter();
                    needed.extend(literals.filter_map(|literal| Node::of(*literal)));
                }
            }
        }
    }

    /// The auxiliary reals that an expression reads.
    fn read_by(&self, expr: ExprId, needed: &mut Vec<Node>) {
        self.model.exprs.visit(expr, |_, node| match node {
            Expr::Real(id) if self.rows.contains_key(id) => needed.push(Node::Real(*id)),
            _ => {}
        });
    }

    /// The rows of a situation; of an event none, since none has fired before the start.
    fn rows_of(&mut self, id: SituationId) -> Vec<usize> {
        let model = self.model;
        if model.situations[id.index()].event {
            return Vec::new();
        }
        if self.situations.is_empty() {
            self.situations.resize(model.situations.len(), Vec::new());
            for (index, row) in model.situation_rows.iter().enumerate() {
                self.situations[row.situation.index()].push(index);
            }
        }
        self.situations[id.index()].clone()
    }

    fn find(&mut self, node: Node, values: &mut StartValues) {
        let model = self.model;
        let holds = match node {
            Node::Real(real) => {
                let value = self.value(real, values);
                if let Some(value) = value.filter(|value| value.is_finite()) {
                    values.reals[real.index()] = value;
                }
                return;
            }
            Node::Range(id) => {
                let mut all = model.ranges[id.index()].all.iter();
                all.all(|comparison| {
                    let [left, right] = [comparison.left, comparison.right]
                        .map(|side| model.evaluate(side, values));
                    comparison.op.holds(left, right)
                })
            }
            Node::Situation(id) => {
                let mut rows = self.rows_of(id).into_iter();
                rows.any(|row| self.all_hold(&model.situation_rows[row].all))
            }
        };
        self.holds.insert(node, holds);
    }

    /// What the last of its active rows gives a real.
    fn value(&self, real: RealId, values: &StartValues) -> Option<f64> {
        let relation = |row: &RelationId| &self.model.relations[row.index()];
        let rows = &self.rows[&real];
        let when = |row: &RelationId| match &relation(row).guard {
            Guard::When(literals) => self.all_hold(literals),
            Guard::Always | Guard::Otherwise => false,
        };
        let is_active = |row: &&RelationId| match relation(row).guard {
            Guard::Always => true,
            Guard::When(_) => when(row),
            Guard::Otherwise => !rows.iter().any(when),
        };
        let active = rows.iter().rfind(is_active)?;
        let at = (&values.reals[..], &values.constants[..]);
        let given = self.model.row_values(relation(active), at, 0.0);
        given.first().copied()
    }

    fn all_hold(&self, literals: &[Literal]) -> bool {
        let holds = |literal: &Literal| {
            let value = match literal.what {
                Boolean::Switch(id) => {
                    let start = self.model.switches[id.index()].start;
                    self.switches.get(&id).copied().unwrap_or(start)
                }
                // None has come before the start.
                Boolean::Schedule(_) | Boolean::Start => false,
                Boolean::Range(_) | Boolean::Situation(_) => {
                    let known = Node::of(*literal).and_then(|node| self.holds.get(&node));
                    known.copied().unwrap_or_default()
                }
            };
            value != literal.negated
        };
        literals.iter().all(holds)
    }
}
