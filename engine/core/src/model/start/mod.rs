//! Start values: the start expressions of constants and reals become numbers.

mod auxiliary;
mod error;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

pub use self::error::StartError;
use super::expr::for_each_operand;
use super::{Coefficient, Expr, Model};
use crate::ids::{ConstantId, ExprId, RealId, SwitchId};
use crate::procedure::{self, Function, ProcedureId};

/// The numbers a run starts from.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct StartValues {
    /// One value per constant [the constant's unit].
    pub constants: Vec<f64>,
    /// One value per real [the real's unit].
    pub reals: Vec<f64>,
}

/// Quantity that can be given from outside at the start of a run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Input {
    /// A constant.
    Constant(ConstantId),
    /// The start value of a real.
    Real(RealId),
    /// The start value of a switch: 0 is false, everything else true.
    Switch(SwitchId),
}

/// A quantity with a start value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Quantity {
    Constant(ConstantId),
    Real(RealId),
}

impl Quantity {
    /// Whose value an input is; `None` for a switch.
    fn of(input: Input) -> Option<Self> {
        match input {
            Input::Constant(id) => Some(Self::Constant(id)),
            Input::Real(id) => Some(Self::Real(id)),
            Input::Switch(_) => None,
        }
    }
}

impl StartValues {
    fn set(&mut self, quantity: Quantity, value: f64) {
        match quantity {
            Quantity::Constant(id) => self.constants[id.index()] = value,
            Quantity::Real(id) => self.reals[id.index()] = value,
        }
    }
}

/// Plan for start values from those of some inputs: many runs of a model differ in these only.
#[derive(Clone, Debug)]
pub(crate) struct StartPlan {
    inputs: Vec<Input>,
    /// Values that do not depend on the inputs; NaN elsewhere.
    known: StartValues,
    /// The others, each behind those that it needs.
    following: Vec<(Quantity, ExprId)>,
}

impl StartPlan {
    /// True if it is a plan for these inputs.
    pub(crate) fn is_for(&self, given: &[(Input, f64)]) -> bool {
        (self.inputs.iter()).eq(given.iter().map(|(input, _)| input))
    }

    /// Computes every start value from values of the inputs, which are in the order of the plan.
    ///
    /// # Errors
    ///
    /// [`StartError::Circular`].
    pub(crate) fn fill(
        &self,
        model: &Model,
        given: &[(Input, f64)],
        values: &mut StartValues,
    ) -> Result<(), StartError> {
        values.constants.clone_from(&self.known.constants);
        values.reals.clone_from(&self.known.reals);
        for &(input, value) in given {
            if let Some(quantity) = Quantity::of(input) {
                values.set(quantity, value);
            }
        }
        for &(quantity, start) in &self.following {
            let value = model.evaluate(start, values);
            values.set(quantity, value);
        }
        model.settle_auxiliary(given, values)
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Mark {
    Fresh,
    Open,
    Done,
}

impl Coefficient {
    /// Its value for these values of all constants.
    pub fn value(self, constants: &[f64]) -> f64 {
        match self {
            Self::Number(value) => value,
            Self::Constant { id, negative } => {
                let value = constants[id.index()];
                if negative { -value } else { value }
            }
        }
    }
}

impl Model {
    /// Computes every start value. In a start expression `time` is 0.
    ///
    /// # Errors
    ///
    /// [`StartError::Circular`] if a start value depends on itself.
    pub fn start_values(&self) -> Result<StartValues, StartError> {
        self.start_values_given(&[])
    }

    /// Computes every start value, some of which are given instead of what the model says; those that
    /// depend on them follow.
    ///
    /// # Errors
    ///
    /// As [`Model::start_values`].
    /// [`StartError::Shape`] if a constant that decided the shape of the model has another value.
    pub fn start_values_given(&self, given: &[(Input, f64)]) -> Result<StartValues, StartError> {
        let values = match self.start_values_in_order(given) {
            Some(mut values) => {
                self.settle_auxiliary(given, &mut values)?;
                values
            }
            None => {
                let mut values = StartValues::default();
                self.start_plan(given)?.fill(self, given, &mut values)?;
                values
            }
        };
        self.keeps_shape(&values)?;
        Ok(values)
    }

    /// How many quantities have to be known, constants before reals, so that all are which stand in an expression.
    pub fn n_read(&self, expr: ExprId) -> usize {
        let mut most = 0;
        self.exprs.visit(expr, |_, node| {
            most = most.max(match node {
                Expr::Constant(id) => id.index() + 1,
                Expr::Real(id) => self.constants.len() + id.index() + 1,
                _ => 0,
            });
        });
        most
    }

    /// The start values, one quantity after the other. `None` if an expression reads a quantity that comes later.
    fn start_values_in_order(&self, given: &[(Input, f64)]) -> Option<StartValues> {
        let n_constants = self.constants.len();
        let mut values = StartValues {
            constants: vec![f64::NAN; n_constants],
            reals: vec![f64::NAN; self.reals.len()],
        };
        let mut is_given = vec![false; n_constants + self.reals.len()];
        for &(input, value) in given {
            if let Some(quantity) = Quantity::of(input) {
                values.set(quantity, value);
                is_given[self.place_of(quantity)] = true;
            }
        }
        let mut functions = Functions::default();
        for (place, is_given) in is_given.into_iter().enumerate() {
            let quantity = self.quantity_at(place);
            let start = self.start_of(quantity);
            if is_given {
                continue;
            }
            if self.n_read(start) > place {
                return None;
            }
            let (reals, constants) = (&values.reals, &values.constants);
            let call = |id, operands: &[f64]| functions.value(id, operands);
            let value = self.value_with(start, reals, constants, 0.0, call);
            values.set(quantity, value);
        }
        Some(values)
    }

    /// The switches that do not begin as the model says, where some values are given: a machine of which one state is
    /// given as true begins in that one.
    ///
    /// # Errors
    ///
    /// [`StartError::States`].
    pub(crate) fn switches_given(
        &self,
        given: &[(Input, f64)],
    ) -> Result<Vec<(SwitchId, bool)>, StartError> {
        let switches = given.iter().filter_map(|&(input, value)| match input {
            Input::Switch(id) => Some((id, value != 0.0)),
            Input::Constant(_) | Input::Real(_) => None,
        });
        let mut switches: Vec<(SwitchId, bool)> = switches.collect();
        if self.structure.machines.is_empty() {
            return Ok(switches);
        }
        let chosen: Vec<SwitchId> = (switches.iter())
            .filter(|(_, value)| *value)
            .map(|(id, _)| *id)
            .collect();
        for &state in &chosen {
            let others = self.other_states(state);
            let left = others.filter(|other| !chosen.contains(other));
            switches.extend(left.map(|other| (other, false)));
        }
        for machine in &self.structure.machines {
            let begins = |state: &SwitchId| {
                let given = switches.iter().rfind(|(id, _)| id == state);
                given.map_or(self.switches[state.index()].start, |(_, value)| *value)
            };
            let states: Vec<SwitchId> = machine.states.iter().copied().filter(begins).collect();
            if states.len() != 1 {
                let names = states.into_iter().map(|state| {
                    let name = &self.switches[state.index()].name;
                    format!("`{name}`")
                });
                return Err(StartError::States {
                    machine: machine.name.clone(),
                    states: names.collect(),
                });
            }
        }
        Ok(switches)
    }

    /// Checks that the constants which decided the shape of the model have the values for which it was made.
    ///
    /// # Errors
    ///
    /// [`StartError::Shape`].
    pub(crate) fn keeps_shape(&self, values: &StartValues) -> Result<(), StartError> {
        let changed = self
            .shape
            .iter()
            .find(|(id, value)| values.constants[id.index()] != *value);
        match changed {
            None => Ok(()),
            Some(&(id, made_for)) => Err(StartError::Shape {
                name: self.constants[id.index()].name.clone(),
                made_for,
                value: values.constants[id.index()],
            }),
        }
    }

    /// Plan for start values from those of some inputs, whatever their values are.
    ///
    /// # Errors
    ///
    /// As [`Model::start_values`].
    pub(crate) fn start_plan(&self, given: &[(Input, f64)]) -> Result<StartPlan, StartError> {
        let n_constants = self.constants.len();
        let n = n_constants + self.reals.len();
        let inputs: Vec<Input> = given.iter().map(|(input, _)| *input).collect();
        let mut plan = StartPlan {
            known: StartValues {
                constants: vec![f64::NAN; n_constants],
                reals: vec![f64::NAN; self.reals.len()],
            },
            inputs,
            following: Vec::new(),
        };
        let (mut marks, mut follows) = (vec![Mark::Fresh; n], vec![false; n]);
        let index = |quantity| self.place_of(quantity);
        for quantity in plan.inputs.iter().filter_map(|&input| Quantity::of(input)) {
            marks[index(quantity)] = Mark::Done;
            follows[index(quantity)] = true;
        }
        let all = (0..n).map(|place| self.quantity_at(place));
        let (mut stack, mut needed) = (Vec::new(), Vec::new());
        for root in all {
            stack.push(root);
            while let Some(&top) = stack.last() {
                match marks[index(top)] {
                    Mark::Done => {
                        stack.pop();
                    }
                    Mark::Fresh | Mark::Open => {
                        let start = self.start_of(top);
                        self.needed_by(start, &mut needed);
                        if marks[index(top)] == Mark::Fresh {
                            marks[index(top)] = Mark::Open;
                            let before = stack.len();
                            for &one in &needed {
                                match marks[index(one)] {
                                    Mark::Done => {}
                                    Mark::Fresh => stack.push(one),
                                    Mark::Open => return Err(self.circle(&stack, &marks, one)),
                                }
                            }
                            if stack.len() > before {
                                continue;
                            }
                        }
                        stack.pop();
                        marks[index(top)] = Mark::Done;
                        if needed.iter().any(|&one| follows[index(one)]) {
                            follows[index(top)] = true;
                            plan.following.push((top, start));
                        } else {
                            let value = self.evaluate(start, &plan.known);
                            plan.known.set(top, value);
                        }
                    }
                }
            }
        }
        Ok(plan)
    }

    /// The value of an expression over start values, at time 0.
    pub fn evaluate(&self, expr: ExprId, at: &StartValues) -> f64 {
        self.value_at(expr, &at.reals, &at.constants, 0.0)
    }

    /// The value of an expression over these values of all reals and constants.
    pub fn value_at(&self, expr: ExprId, reals: &[f64], constants: &[f64], time: f64) -> f64 {
        if let Expr::Real(id) = self.exprs.get(expr) {
            return reals[id.index()];
        }
        let call = |id, operands: &[f64]| procedure::value(id, operands, time);
        self.value_with(expr, reals, constants, time, call)
    }

    fn value_with(
        &self,
        expr: ExprId,
        reals: &[f64],
        constants: &[f64],
        time: f64,
        mut call: impl FnMut(ProcedureId, &[f64]) -> f64,
    ) -> f64 {
        let mut operands: SmallVec<[f64; 8]> = SmallVec::new();
        self.exprs.visit(expr, |_, node| {
            let mut n_operands = 0;
            for_each_operand(node, |_| n_operands += 1);
            let first = operands.len() - n_operands;
            let value = match node {
                Expr::Number(number) => *number,
                Expr::Constant(id) => constants[id.index()],
                Expr::Real(id) => reals[id.index()],
                Expr::Time => time,
                Expr::Neg(_) => -operands[first],
                Expr::Add(..) => operands[first] + operands[first + 1],
                Expr::Sub(..) => operands[first] - operands[first + 1],
                Expr::Mul(..) => operands[first] * operands[first + 1],
                Expr::Div(..) => operands[first] / operands[first + 1],
                Expr::Call(id, _) => call(*id, &operands[first..]),
                Expr::Lookup(id, _) => self.lookups[id.index()]
                    .interpolation
                    .value(&operands[first..]),
            };
            operands.truncate(first);
            operands.push(value);
        });
        operands.pop().expect("an expression has a root")
    }

    /// Number of a quantity among all, constants before reals.
    fn place_of(&self, quantity: Quantity) -> usize {
        match quantity {
            Quantity::Constant(id) => id.index(),
            Quantity::Real(id) => self.constants.len() + id.index(),
        }
    }

    fn quantity_at(&self, place: usize) -> Quantity {
        match place.checked_sub(self.constants.len()) {
            None => Quantity::Constant(ConstantId::new(place)),
            Some(real) => Quantity::Real(RealId::new(real)),
        }
    }

    fn start_of(&self, quantity: Quantity) -> ExprId {
        match quantity {
            Quantity::Constant(id) => self.constants[id.index()].start,
            Quantity::Real(id) => self.reals[id.index()].start,
        }
    }

    fn name_of(&self, quantity: Quantity) -> String {
        match quantity {
            Quantity::Constant(id) => self.constants[id.index()].name.clone(),
            Quantity::Real(id) => self.reals[id.index()].name.clone(),
        }
    }

    /// The quantities in an expression, in the place of what `needed` held.
    fn needed_by(&self, expr: ExprId, needed: &mut Vec<Quantity>) {
        needed.clear();
        self.exprs.visit(expr, |_, node| match node {
            Expr::Constant(id) => needed.push(Quantity::Constant(*id)),
            Expr::Real(id) => needed.push(Quantity::Real(*id)),
            _ => {}
        });
    }

    fn circle(&self, stack: &[Quantity], marks: &[Mark], closing: Quantity) -> StartError {
        let index = |quantity: &Quantity| self.place_of(*quantity);
        let open = stack
            .iter()
            .filter(|quantity| marks[index(quantity)] == Mark::Open);
        let mut names: Vec<String> = open
            .skip_while(|quantity| **quantity != closing)
            .map(|quantity| self.name_of(*quantity))
            .collect();
        names.push(self.name_of(closing));
        StartError::Circular(names)
    }
}

/// Procedures at the start of a run; those of one argument as functions, each made once.
#[derive(Default)]
struct Functions(FxHashMap<ProcedureId, Option<Function>>);

impl Functions {
    fn value(&mut self, id: ProcedureId, operands: &[f64]) -> f64 {
        let function = self.0.entry(id).or_insert_with(|| Function::of(id));
        match function {
            Some(function) => function.value(operands[0]),
            None => procedure::value(id, operands, 0.0),
        }
    }
}
