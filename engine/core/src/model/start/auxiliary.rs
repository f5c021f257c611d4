//! Start values of auxiliary reals with conditions, which stand for a part of another row as `sum(u[j] for j when hot[j])`
//! has them: what their rows give at the start, so that whoever reads them finds there what will stand. Other start
//! values that need them come behind them.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Quantity, StartError, StartValues};
use crate::ids::{ExprId, RangeId, RealId, RelationId, SituationId, SwitchId};
use crate::model::{Argument, Boolean, Expr, Guard, Input, Literal, Model, Relation};
use crate::procedure::{self, CoefRole};

/// What has to be known in an order.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Node {
    Quantity(Quantity),
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

/// Auxiliary reals, the booleans of their conditions and the start values that follow from both, each found after those
/// that it needs.
struct Settling<'a> {
    model: &'a Model,
    /// Switches that do not begin as the model says.
    switches: FxHashMap<SwitchId, bool>,
    /// Rows of each auxiliary real, in order.
    rows: FxHashMap<RealId, Vec<RelationId>>,
    /// Quantities whose start values need auxiliary reals.
    following: FxHashSet<Quantity>,
    /// Rows of each situation; empty until one is asked for.
    situations: Vec<Vec<usize>>,
    /// Nodes that have been begun, and whether they are done.
    done: FxHashMap<Node, bool>,
    /// Values of ranges and situations.
    holds: FxHashMap<Node, bool>,
}

impl Model {
    /// Finds the start values of auxiliary reals whose rows have conditions, and of what follows from them, where the other
    /// start values are known. An auxiliary real that needs itself, or that is no number, stays as the model says.
    ///
    /// # Errors
    ///
    /// [`StartError::Circular`] if another start value needs itself.
    pub(super) fn settle_auxiliary(
        &self,
        given: &[(Input, f64)],
        values: &mut StartValues,
    ) -> Result<(), StartError> {
        if !self.reals.iter().any(|real| real.auxiliary) {
            return Ok(());
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
        let following = self.following_from(&rows, given)?;
        let auxiliary = rows.keys().map(|real| Quantity::Real(*real));
        let mut roots: Vec<Quantity> = auxiliary.chain(following.iter().copied()).collect();
        roots.sort_unstable_by_key(|quantity| self.place_of(*quantity));
        let mut settling = Settling {
            model: self,
            switches: switches.into_iter().collect(),
            rows,
            following,
            situations: Vec::new(),
            done: FxHashMap::default(),
            holds: FxHashMap::default(),
        };
        roots
            .into_iter()
            .try_for_each(|root| settling.settle(Node::Quantity(root), values))
    }

    /// The quantities whose start values follow from those of auxiliary reals, over others or by themselves.
    fn following_from(
        &self,
        rows: &FxHashMap<RealId, Vec<RelationId>>,
        given: &[(Input, f64)],
    ) -> Result<FxHashSet<Quantity>, StartError> {
        let reads = |start: ExprId| {
            let mut any = false;
            self.exprs
                .each_real(start, |real| any |= rows.contains_key(&real));
            any
        };
        let n = self.constants.len() + self.reals.len();
        let mut starts = (0..n).map(|place| self.start_of(self.quantity_at(place)));
        if !starts.any(reads) {
            return Ok(FxHashSet::default());
        }
        let mut inputs = given.to_vec();
        inputs.extend(rows.keys().map(|real| (Input::Real(*real), 0.0)));
        let plan = self.start_plan(&inputs)?;
        Ok(plan.following.iter().map(|(one, _)| *one).collect())
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
    fn settle(&mut self, root: Node, values: &mut StartValues) -> Result<(), StartError> {
        let mut stack = vec![root];
        let mut needed = Vec::new();
        while let Some(&top) = stack.last() {
            match self.done.get(&top) {
                None => {
                    self.done.insert(top, false);
                    needed.clear();
                    self.needs(top, &mut needed);
                    for open in needed.iter().filter(|node| self.is_open(node)) {
                        self.refuse_circle(&stack, *open)?;
                    }
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
        Ok(())
    }

    /// True of a node that waits for what it needs.
    fn is_open(&self, node: &Node) -> bool {
        self.done.get(node) == Some(&false)
    }

    /// Refuses a circle from a node of the path back to it, if it has a start value that someone wrote.
    fn refuse_circle(&self, stack: &[Node], closing: Node) -> Result<(), StartError> {
        let open = stack.iter().filter(|node| self.is_open(node));
        let circle = open.skip_while(|node| **node != closing);
        let written: Vec<Quantity> = circle
            .filter_map(|node| match node {
                Node::Quantity(one) if self.following.contains(one) => Some(*one),
                _ => None,
            })
            .collect();
        let Some(first) = written.first() else {
            return Ok(());
        };
        let circle = written.iter().chain([first]);
        let names = circle.map(|one| self.model.name_of(*one));
        Err(StartError::Circular(names.collect()))
    }

    fn needs(&mut self, node: Node, needed: &mut Vec<Node>) {
        let model = self.model;
        match node {
            Node::Quantity(one) if self.following.contains(&one) => {
                self.read_by(model.start_of(one), needed);
            }
            Node::Quantity(Quantity::Constant(_)) => {}
            Node::Quantity(Quantity::Real(real)) => {
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

    /// The quantities that an expression reads and that are to be found.
    fn read_by(&self, expr: ExprId, needed: &mut Vec<Node>) {
        self.model.exprs.visit(expr, |_, node| {
            let (quantity, is_auxiliary) = match node {
                Expr::Real(id) => (Quantity::Real(*id), self.rows.contains_key(id)),
                Expr::Constant(id) => (Quantity::Constant(*id), false),
                _ => return,
            };
            if is_auxiliary || self.following.contains(&quantity) {
                needed.push(Node::Quantity(quantity));
            }
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
            Node::Quantity(one) => {
                let value = match one {
                    _ if self.following.contains(&one) => {
                        Some(model.evaluate(model.start_of(one), values))
                    }
                    Quantity::Constant(_) => None,
                    Quantity::Real(real) => {
                        let value = self.value(real, values);
                        value.filter(|value| value.is_finite())
                    }
                };
                if let Some(value) = value {
                    values.set(one, value);
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
