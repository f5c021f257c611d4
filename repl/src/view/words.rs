//! Words: parts of a model as text, in the language of one-line rules.
//!
//! Made from the model alone, so that rules built from Rust read as those of a table. The author's
//! own text stands at a row's origin; this is what the program understood.

use situ_engine::ids::{ExprId, RelationId, SwitchId};
use situ_engine::model::{
    Argument, Boolean, Coefficient, Comparison, Conjunction, Expr, Guard, Literal, Model, Relation,
};
use situ_engine::procedure::CoefRole;
use situ_rules::is_plain_name;

use super::number::exact;

/// How tightly the outermost operation of a text binds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tie {
    Sum,
    Product,
    Sign,
    Power,
    Atom,
}

/// A name, between backticks if it needs them.
pub fn name(name: &str) -> String {
    if is_plain_name(name) {
        name.to_owned()
    } else {
        format!("`{name}`")
    }
}

/// An expression.
pub fn expression(model: &Model, root: ExprId) -> String {
    tied(model, root).0
}

fn tied(model: &Model, root: ExprId) -> (String, Tie) {
    let mut operands: Vec<(String, Tie)> = Vec::new();
    model.exprs.visit(root, |_, node| {
        let mut pop = |at_least| inside(operands.pop(), at_least);
        let made = match node {
            Expr::Number(value) => (
                exact(*value),
                if value.is_sign_negative() {
                    Tie::Sign
                } else {
                    Tie::Atom
                },
            ),
            Expr::Constant(id) => (name(&model.constants[id.index()].name), Tie::Atom),
            Expr::Real(id) => (name(&model.reals[id.index()].name), Tie::Atom),
            Expr::Time => ("time".to_owned(), Tie::Atom),
            Expr::Neg(_) => (format!("-{}", pop(Tie::Power)), Tie::Sign),
            Expr::Add(..) => binary(&mut pop, "+", Tie::Sum, Tie::Product),
            Expr::Sub(..) => binary(&mut pop, "-", Tie::Sum, Tie::Product),
            Expr::Mul(..) => binary(&mut pop, "*", Tie::Product, Tie::Sign),
            Expr::Div(..) => binary(&mut pop, "/", Tie::Product, Tie::Sign),
            Expr::Call(procedure, args) if procedure.get().name == "power" && args.len() == 2 => {
                let exponent = pop(Tie::Power);
                let base = pop(Tie::Atom);
                (format!("{base}^{exponent}"), Tie::Power)
            }
            Expr::Call(procedure, args) => {
                let args = operands.split_off(operands.len() - args.len());
                let args: Vec<String> = args.into_iter().map(|(text, _)| text).collect();
                (
                    format!("{}({})", procedure.get().name, args.join(", ")),
                    Tie::Atom,
                )
            }
        };
        operands.push(made);
    });
    operands.pop().expect("an expression leaves its own text")
}

fn binary(
    pop: &mut impl FnMut(Tie) -> String,
    symbol: &str,
    left: Tie,
    right: Tie,
) -> (String, Tie) {
    let b = pop(right);
    let a = pop(left);
    (format!("{a} {symbol} {b}"), left)
}

fn inside(operand: Option<(String, Tie)>, at_least: Tie) -> String {
    let (text, tie) = operand.expect("operands stand before their user");
    if tie < at_least {
        format!("({text})")
    } else {
        text
    }
}

/// `left op right`
pub fn comparison(model: &Model, comparison: &Comparison) -> String {
    let (left, right) = (
        expression(model, comparison.left),
        expression(model, comparison.right),
    );
    format!("{left} {} {right}", comparison.op.symbol())
}

/// A number, or a constant with its sign.
pub fn coefficient(model: &Model, coefficient: Coefficient) -> String {
    match coefficient {
        Coefficient::Number(value) => exact(value),
        Coefficient::Constant { id, negative } => {
            let sign = if negative { "-" } else { "" };
            format!("{sign}{}", name(&model.constants[id.index()].name))
        }
    }
}

/// A boolean as it stands in a condition.
pub fn boolean(model: &Model, what: Boolean) -> String {
    match what {
        Boolean::Range(id) if model.ranges[id.index()].anonymous => {
            let comparisons = &model.ranges[id.index()].all;
            let texts: Vec<String> = comparisons
                .iter()
                .map(|item| comparison(model, item))
                .collect();
            texts.join(" & ")
        }
        Boolean::Schedule(id) => {
            let schedule = &model.schedules[id.index()];
            let period = expression(model, schedule.period);
            let first = expression(model, schedule.first);
            if first == period {
                format!("every({period})")
            } else {
                format!("every({period}, {first})")
            }
        }
        Boolean::Start => "start".to_owned(),
        _ => name(&model.boolean_name(what)),
    }
}

/// A boolean or its negation.
pub fn literal(model: &Model, literal: Literal) -> String {
    let sign = if literal.negated { "!" } else { "" };
    format!("{sign}{}", boolean(model, literal.what))
}

/// Literals joined by `&`; empty for the condition that always holds.
pub fn conjunction(model: &Model, all: &Conjunction) -> String {
    let literals: Vec<String> = all.iter().map(|item| literal(model, *item)).collect();
    literals.join(" & ")
}

/// When a relation is active: `when ..`, `otherwise` or nothing.
pub fn guard(model: &Model, guard: &Guard) -> String {
    match guard {
        Guard::Always => String::new(),
        Guard::When(all) => format!("when {}", conjunction(model, all)),
        Guard::Otherwise => "otherwise".to_owned(),
    }
}

/// An argument of a relation.
pub fn argument(model: &Model, argument: Argument) -> String {
    match argument {
        Argument::Real(expr) => expression(model, expr),
        Argument::Boolean(item) => literal(model, item),
    }
}

/// A relation as a line, without its id.
pub fn relation(model: &Model, id: RelationId) -> String {
    let relation = &model.relations[id.index()];
    let targets: Vec<String> = relation
        .targets
        .iter()
        .map(|real| name(&model.reals[real.index()].name))
        .collect();
    let sign = if relation.once { ":=" } else { "=" };
    let line = format!("{} {sign} {}", targets.join(", "), value(model, relation));
    let guard = guard(model, &relation.guard);
    if guard.is_empty() {
        line
    } else {
        format!("{line} {guard}")
    }
}

/// An assignment of switches as a line, without its id.
pub fn assignment(model: &Model, index: usize) -> String {
    let row = &model.assignments[index];
    format!(
        "when {}: {}",
        conjunction(model, &row.when),
        switches_set(model, &row.set)
    )
}

/// `on, !off`
pub fn switches_set(model: &Model, set: &[(SwitchId, bool)]) -> String {
    let texts: Vec<String> = set
        .iter()
        .map(|(switch, value)| {
            let sign = if *value { "" } else { "!" };
            format!("{sign}{}", name(&model.switches[switch.index()].name))
        })
        .collect();
    texts.join(", ")
}

/// The right side of a relation.
pub fn value(model: &Model, relation: &Relation) -> String {
    let procedure = relation.procedure.get();
    let arg = |index: usize, at_least: Tie| match relation.args.get(index) {
        Some(Argument::Real(expr)) => inside(Some(tied(model, *expr)), at_least),
        Some(Argument::Boolean(item)) => literal(model, *item),
        None => String::new(),
    };
    let times = |coef: Coefficient, text: String| match coef {
        Coefficient::ONE => text,
        Coefficient::Number(-1.0) => format!("-{text}"),
        _ => format!("{} * {text}", coefficient(model, coef)),
    };
    let args = |first: String| {
        let rest = (1..relation.args.len()).map(|index| arg(index, Tie::Sum));
        let all: Vec<String> = std::iter::once(first).chain(rest).collect();
        all.join(", ")
    };
    let coef = relation.coef;
    match (procedure.name, procedure.coef) {
        ("assignment", _) if relation.targets.len() > 1 => args(arg(0, Tie::Sum)),
        ("assignment", _) => arg(0, Tie::Atom),
        ("proportional", _) => format!("{} * {}", coefficient(model, coef), arg(0, Tie::Power)),
        ("sum", _) => {
            let (negative, coef2) = unsigned(relation.coef2);
            let sign = if negative { '-' } else { '+' };
            let (first, second) = (arg(0, Tie::Power), arg(1, Tie::Power));
            format!("{} {sign} {}", times(coef, first), times(coef2, second))
        }
        ("product", _) => times(
            coef,
            format!("{} * {}", arg(0, Tie::Power), arg(1, Tie::Power)),
        ),
        ("quotient", _) => times(
            coef,
            format!("{} / {}", arg(0, Tie::Power), arg(1, Tie::Power)),
        ),
        ("power", _) => times(
            coef,
            format!("{}^{}", arg(0, Tie::Atom), arg(1, Tie::Power)),
        ),
        (name, CoefRole::ScalesFirst | CoefRole::ScalesBoth) => {
            let tie = if coef == Coefficient::ONE {
                Tie::Sum
            } else {
                Tie::Power
            };
            format!("{name}({})", args(times(coef, arg(0, tie))))
        }
        (name, CoefRole::ScalesResult) => {
            times(coef, format!("{name}({})", args(arg(0, Tie::Sum))))
        }
        (name, CoefRole::Parameter(_)) => {
            format!(
                "{name}({}, {})",
                args(arg(0, Tie::Sum)),
                coefficient(model, coef)
            )
        }
        (name, CoefRole::Unused) => format!("{name}({})", args(arg(0, Tie::Sum))),
    }
}

/// Whether a coefficient is written with a minus, and it without.
fn unsigned(coefficient: Coefficient) -> (bool, Coefficient) {
    match coefficient {
        Coefficient::Number(value) if value.is_sign_negative() => {
            (true, Coefficient::Number(-value))
        }
        Coefficient::Constant { id, negative } => (
            negative,
            Coefficient::Constant {
                id,
                negative: false,
            },
        ),
        Coefficient::Number(_) => (false, coefficient),
    }
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
        let lines: Vec<String> = (0..model.relations.len())
            .map(|id| relation(&model, RelationId::new(id)))
            .collect();
        insta::assert_snapshot!(lines.join("\n"));
    }
}
