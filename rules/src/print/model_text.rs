//! Model text: the parts of a model in the language of one-line rules.
//!
//! Made from the model alone, so that rules built from Rust read as those of a table. The author's
//! own text stands at a row's origin; this is what the program understood. The model is turned back
//! into the tree that lines are read into, and the printer of trees writes that.

mod scene;

use std::collections::HashSet;
use std::sync::OnceLock;

use situ_engine::ids::{ExprId, RealId, RelationId, SwitchId};
use situ_engine::model::{
    Argument, Boolean, ClockValue, Coefficient, Comparison, Conjunction, Expr, Guard, Literal,
    Model, Relation, WatchLiteral,
};
use situ_words::say;

use super::{Columns, name};
use crate::print;
use crate::source::{SourceId, Span};
use crate::tree::{self, BinaryOp, ExprKind, LiteralKind, Name};

/// Rows that are going to give a real another value than was set from outside, a line each.
pub fn rewritten(model: &Model, real: RealId) -> Vec<String> {
    let target = name(&model.reals[real.index()].name);
    let words = ModelText::of(model);
    let line = |id: RelationId| {
        let row = &model.relations[id.index()];
        let (guard, condition) = match &row.guard {
            Guard::Always => ("always", String::new()),
            Guard::When(all) => ("when", words.conjunction(all)),
            Guard::Otherwise => ("otherwise", String::new()),
        };
        say!(
            "run-rewritten",
            solves = row.procedure.solves(),
            id = row.id,
            target,
            guard,
            condition
        )
    };
    model.rewriters(real).map(line).collect()
}

/// The parts of one model as text.
#[derive(Clone, Debug)]
pub struct ModelText<'m> {
    model: &'m Model,
    /// Their names; what a coefficient may be depends on them.
    constants: OnceLock<HashSet<String>>,
}

impl<'m> ModelText<'m> {
    /// For the parts of this model.
    pub fn of(model: &'m Model) -> Self {
        let constants = OnceLock::new();
        Self { model, constants }
    }

    fn is_constant(&self, name: &str) -> bool {
        let all = self.model.constants.iter();
        let names = || all.map(|constant| constant.name.clone()).collect();
        self.constants.get_or_init(names).contains(name)
    }

    /// The model.
    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// An expression.
    pub fn expression(&self, root: ExprId) -> String {
        print::expression(&self.tree(root))
    }

    /// `left op right`
    pub fn comparison(&self, comparison: &Comparison) -> String {
        let Comparison { left, op, right } = *comparison;
        format!(
            "{} {} {}",
            self.expression(left),
            op.symbol(),
            self.expression(right)
        )
    }

    /// The value of a clock's setting, as a table states it.
    pub fn clock_value(&self, value: &ClockValue) -> String {
        match value {
            ClockValue::Number(number) => print::number(*number),
            ClockValue::Word(word) => (*word).to_owned(),
            ClockValue::Expression(formula) => self.expression(*formula),
            ClockValue::Condition(watch) => self.watch(watch),
        }
    }

    /// A condition over rows; one of several, which no single condition of a table says, as `any(a, b)`.
    pub fn watch(&self, watch: &[WatchLiteral]) -> String {
        let literals = watch.iter().map(|literal| match literal {
            WatchLiteral::Boolean(literal) => self.literal(*literal),
            WatchLiteral::Comparison(comparison) => self.comparison(comparison),
            WatchLiteral::Any { of, negated } => {
                let of = of.iter().map(|watch| self.watch(watch));
                let of = of.collect::<Vec<_>>().join(", ");
                format!("{}any({of})", if *negated { "!" } else { "" })
            }
        });
        literals.collect::<Vec<_>>().join(" & ")
    }

    /// Comparisons joined by `&`.
    pub fn comparisons(&self, all: &[Comparison]) -> String {
        let texts: Vec<String> = all.iter().map(|item| self.comparison(item)).collect();
        texts.join(" & ")
    }

    /// A number, or a constant with its sign.
    pub fn coefficient(&self, coefficient: Coefficient) -> String {
        print::expression(&self.coefficient_tree(coefficient))
    }

    /// A boolean or its negation.
    pub fn literal(&self, literal: Literal) -> String {
        self.conjunction(&Conjunction::from_slice(&[literal]))
    }

    /// Literals joined by `&`; empty for the condition that always holds.
    pub fn conjunction(&self, all: &Conjunction) -> String {
        print::condition(&self.condition_tree(all))
    }

    /// When a relation is active: `when ..`, `otherwise` or nothing.
    pub fn guard(&self, guard: &Guard) -> String {
        match guard {
            Guard::Always => String::new(),
            Guard::When(all) => format!("when {}", self.conjunction(all)),
            Guard::Otherwise => "otherwise".to_owned(),
        }
    }

    /// An argument of a relation.
    pub fn argument(&self, argument: Argument) -> String {
        match argument {
            Argument::Real(expr) => self.expression(expr),
            Argument::Boolean(item) => self.literal(item),
        }
    }

    /// Targets of a relation.
    pub fn targets(&self, relation: &Relation) -> String {
        let names: Vec<String> = relation
            .targets
            .iter()
            .map(|real| name(&self.model.reals[real.index()].name))
            .collect();
        names.join(", ")
    }

    /// A relation in the words of its author, its id and a line: of a row that was made from a stage the stage.
    pub fn row(&self, id: RelationId) -> (String, String) {
        match self.model.scheme.stage_of(id) {
            Some(stage) => (stage.id.clone(), stage.text.clone()),
            None => (
                self.model.relations[id.index()].id.clone(),
                self.relation(id),
            ),
        }
    }

    /// A relation as a line, without its id.
    pub fn relation(&self, id: RelationId) -> String {
        let columns = self.columns(id);
        let is_constant = |name: &str| self.is_constant(name);
        print::relation_line(&columns, &is_constant)
            .unwrap_or_else(|| print::relation_columns(&columns))
    }

    /// What stands right of the `=` of a relation, without its condition.
    pub fn right_side(&self, id: RelationId) -> String {
        let mut columns = self.columns(id);
        columns.guard = tree::Guard::Always;
        let is_constant = |name: &str| self.is_constant(name);
        let line = print::relation_line(&columns, &is_constant);
        let line = line.unwrap_or_else(|| print::relation_columns(&columns));
        match line.split_once(" = ") {
            Some((_, right)) => right.to_owned(),
            None => line,
        }
    }

    /// An assignment of switches as a line, without its id.
    pub fn assignment(&self, index: usize) -> String {
        let row = &self.model.assignments[index];
        format!(
            "when {}: {}",
            self.conjunction(&row.when),
            self.switches_set(&row.set)
        )
    }

    /// `on, !off`
    pub fn switches_set(&self, set: &[(SwitchId, bool)]) -> String {
        let text = |(switch, value): &(SwitchId, bool)| {
            let sign = if *value { "" } else { "!" };
            format!("{sign}{}", name(&self.model.switches[switch.index()].name))
        };
        set.iter().map(text).collect::<Vec<_>>().join(", ")
    }

    /// An equation, `left = right`, from its residual.
    pub fn equation(&self, residual: ExprId) -> String {
        match self.model.exprs.get(residual) {
            Expr::Sub(left, right) => {
                format!("{} = {}", self.expression(left), self.expression(right))
            }
            _ => format!("{} = 0", self.expression(residual)),
        }
    }

    fn columns(&self, id: RelationId) -> Columns {
        let model = self.model;
        let relation = &model.relations[id.index()];
        // A constraint stands there as it was written.
        let written = |at: usize| {
            model
                .constraint(id, at)
                .map(|one| Argument::Real(one.written))
        };
        let coefficient = |coef| (coef != Coefficient::ONE).then(|| self.coefficient_tree(coef));
        Columns {
            targets: relation
                .targets
                .iter()
                .map(|real| Name::new(model.reals[real.index()].name.clone(), NOWHERE))
                .collect(),
            once: relation.once,
            procedure: relation.procedure.get().name.to_owned(),
            coef: coefficient(relation.coef),
            args: relation
                .args
                .iter()
                .enumerate()
                .map(|(at, argument)| self.argument_tree(written(at).unwrap_or(*argument)))
                .collect(),
            coef2: coefficient(relation.coef2),
            guard: match &relation.guard {
                Guard::Always => tree::Guard::Always,
                Guard::When(all) => tree::Guard::When(self.condition_tree(all)),
                Guard::Otherwise => tree::Guard::Otherwise(NOWHERE),
            },
        }
    }

    fn argument_tree(&self, argument: Argument) -> tree::Expr {
        match argument {
            Argument::Real(id) => self.tree(id),
            Argument::Boolean(literal) => {
                let literal = self.literal_tree(literal);
                match literal.kind {
                    LiteralKind::Name(name) if !literal.negated => expr(ExprKind::Name(name)),
                    _ => expr(ExprKind::Boolean(Box::new(literal))),
                }
            }
        }
    }

    fn coefficient_tree(&self, coefficient: Coefficient) -> tree::Expr {
        match coefficient {
            Coefficient::Number(value) => number(value),
            Coefficient::Constant { id, negative } => {
                let constant = expr(ExprKind::Name(
                    self.model.constants[id.index()].name.clone(),
                ));
                if negative {
                    expr(ExprKind::Neg(Box::new(constant)))
                } else {
                    constant
                }
            }
        }
    }

    fn condition_tree(&self, all: &Conjunction) -> tree::Condition {
        let literals = all
            .iter()
            .map(|literal| self.literal_tree(*literal))
            .collect();
        tree::Condition {
            span: NOWHERE,
            literals,
        }
    }

    fn literal_tree(&self, literal: Literal) -> tree::Literal {
        let model = self.model;
        let kind = match literal.what {
            Boolean::Range(id) => {
                let range = &model.ranges[id.index()];
                match (range.anonymous, range.all.as_slice()) {
                    (true, [Comparison { left, op, right }]) => {
                        LiteralKind::Comparison(Box::new(tree::Comparison {
                            span: NOWHERE,
                            left: self.tree(*left),
                            op: *op,
                            right: self.tree(*right),
                        }))
                    }
                    _ => LiteralKind::Name(range.name.clone()),
                }
            }
            Boolean::Schedule(id) => {
                let schedule = &model.schedules[id.index()];
                let mut times = vec![self.tree(schedule.period)];
                if schedule.first != schedule.period {
                    times.push(self.tree(schedule.first));
                }
                LiteralKind::Every(times)
            }
            Boolean::Start => LiteralKind::Start,
            Boolean::Switch(_) | Boolean::Situation(_) => {
                LiteralKind::Name(model.boolean_name(literal.what))
            }
        };
        tree::Literal {
            span: NOWHERE,
            negated: literal.negated,
            kind,
        }
    }

    /// The expression as a tree; operands are done before their users, so nothing recurses.
    fn tree(&self, root: ExprId) -> tree::Expr {
        let model = self.model;
        let mut operands: Vec<tree::Expr> = Vec::new();
        model.exprs.visit(root, |_, node| {
            let made = match node {
                Expr::Number(value) => number(*value),
                Expr::Constant(id) => {
                    expr(ExprKind::Name(model.constants[id.index()].name.clone()))
                }
                Expr::Real(id) => expr(ExprKind::Name(model.reals[id.index()].name.clone())),
                Expr::Time => expr(ExprKind::Time),
                Expr::Neg(_) => expr(ExprKind::Neg(pop(&mut operands))),
                Expr::Add(..) => binary(BinaryOp::Add, &mut operands),
                Expr::Sub(..) => binary(BinaryOp::Sub, &mut operands),
                Expr::Mul(..) => binary(BinaryOp::Mul, &mut operands),
                Expr::Div(..) => binary(BinaryOp::Div, &mut operands),
                Expr::Call(procedure, args)
                    if procedure.get().name == "power" && args.len() == 2 =>
                {
                    binary(BinaryOp::Pow, &mut operands)
                }
                Expr::Lookup(id, args) => {
                    let args = operands.split_off(operands.len() - args.len());
                    let name = Name::new(model.lookups[id.index()].name.clone(), NOWHERE);
                    expr(ExprKind::Call(Box::new(name), args))
                }
                Expr::Call(procedure, args) => {
                    let args = operands.split_off(operands.len() - args.len());
                    expr(ExprKind::Call(
                        Box::new(Name::new(procedure.get().name.to_owned(), NOWHERE)),
                        args,
                    ))
                }
            };
            operands.push(made);
        });
        *pop(&mut operands)
    }
}

/// The place of what was not read from a text.
const NOWHERE: Span = Span {
    source: SourceId(0),
    start: 0,
    end: 0,
};

fn expr(kind: ExprKind) -> tree::Expr {
    tree::Expr {
        span: NOWHERE,
        kind,
    }
}

/// A number; a minus is an operation of its own, as when it is read.
fn number(value: f64) -> tree::Expr {
    let size = expr(ExprKind::Number(value.abs()));
    if value.is_sign_negative() {
        expr(ExprKind::Neg(Box::new(size)))
    } else {
        size
    }
}

fn pop(operands: &mut Vec<tree::Expr>) -> Box<tree::Expr> {
    Box::new(operands.pop().expect("operands stand before their user"))
}

fn binary(op: BinaryOp, operands: &mut Vec<tree::Expr>) -> tree::Expr {
    let right = pop(operands);
    let left = pop(operands);
    expr(ExprKind::Binary(op, left, right))
}

#[cfg(test)]
mod tests {
    use situ_engine::model::{CompareOp, ModelBuilder, Term};

    use super::*;

    #[test]
    fn relations_read_as_lines() {
        let mut table = ModelBuilder::new("words");
        let [m, mu] = ["m", "mu-0"].map(|name| table.constant(name, 1.0));
        let [x, y, v] = ["x", "угол φ", "v"].map(|name| table.real(name, 0.0));
        let low = table.range("low", [(x.into(), CompareOp::Less, Term::from(y) + 1.0)]);
        let hit = table.event("hit", [low.into()]);
        let tenth = table.every(0.1);
        let both = Term::from(x) + y;
        table.relation(x, "sum", [x, y]).coef(2.0).coef2(-1.0);
        table.relation(x, "sum", [Term::from(m), -both.clone()]);
        table.relation(x, "proportional", [both.clone()]).coef(-3.0);
        table
            .relation(x, "proportional", [v])
            .coef_of(mu)
            .when([low.into(), !hit]);
        table
            .relation(x, "product", [both.clone(), Term::from(x) / y])
            .coef(1.0);
        table
            .relation(
                x,
                "quotient",
                [Term::from(x), Term::from(x) - (Term::from(y) - 1.0)],
            )
            .otherwise();
        table
            .relation(x, "assignment", [both.clone()])
            .when([tenth.into()])
            .once();
        table.relation(v, "integral", [both.clone()]);
        table.relation(v, "integral", [both.clone()]).coef(-0.5);
        table.relation(v, "smoothing", [x]).coef_of(m);
        table.relation(v, "sin", [Term::from(x) * 2.0]).coef(2.0);
        table.relation(v, "power", [both, 2.0.into()]);
        let power = Term::Call("power", vec![Term::from(x) * y, Term::Number(-1.5)]);
        table.relation(v, "max", [-power, Term::Number(1e-9) * Term::Time]);
        let model = table.build().unwrap();
        let words = ModelText::of(&model);
        let ids = (0..model.relations.len()).map(RelationId::new);
        let lines: Vec<String> = ids.map(|id| words.relation(id)).collect();
        insta::assert_snapshot!(lines.join("\n"));
    }
}
