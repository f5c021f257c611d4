//! The two spellings of a relation: columns become a line and a line's columns are printed.
//!
//! The line that is printed is taken apart into the same columns again. Which part of an
//! expression becomes a coefficient is decided there by its place (see the rules in
//! `resolve::desugar`), so everything that would be taken for one and is none gets parentheses,
//! and a coefficient 1 is written where its absence would promote a constant.

use situ_engine::procedure::{CoefRole, Procedure, ProcedureId};

use super::solve::{SOLVE, equations};
use super::{Printer, quoted_name, string};
use crate::tree::{BinaryOp, Each, Expr, ExprKind, Guard, Name};

/// A relation in columns, as plain values: what stands between the two spellings of a row.
///
/// Resolving makes it out of a line's expression (only there it is known which names are constants
/// and what the procedures' signatures are); printing makes a row of either spelling out of it.
#[derive(Clone, Debug)]
pub struct Columns {
    /// Reals it writes; several only for `v1, v2 := e1, e2`, which is `assignment`, one argument each.
    pub targets: Vec<Name>,
    /// True if it is done once, at an event.
    pub once: bool,
    /// Procedure by name.
    pub procedure: String,
    /// Coefficient: a number or a constant, with a sign. `None`: 1, not written.
    pub coef: Option<Expr>,
    /// Arguments.
    pub args: Vec<Expr>,
    /// Coefficient of the second argument. `None`: 1, not written.
    pub coef2: Option<Expr>,
    /// When it is active.
    pub guard: Guard,
}

/// The same, borrowed from wherever it stands.
#[derive(Clone, Copy)]
pub(super) struct Parts<'a> {
    pub(super) targets: &'a [Name],
    pub(super) once: bool,
    pub(super) procedure: &'a str,
    pub(super) coef: Option<&'a Expr>,
    pub(super) args: &'a [Expr],
    pub(super) coef2: Option<&'a Expr>,
    pub(super) guard: &'a Guard,
}

impl Columns {
    pub(super) fn parts(&self) -> Parts<'_> {
        Parts {
            targets: &self.targets,
            once: self.once,
            procedure: &self.procedure,
            coef: self.coef.as_ref(),
            args: &self.args,
            coef2: self.coef2.as_ref(),
            guard: &self.guard,
        }
    }
}

/// The columns of a row without its id, place and note: `real: "P", procedure: ..`.
pub fn relation_columns(columns: &Columns) -> String {
    let mut printer = Printer::default();
    printer.out.push('(');
    printer.relation_columns(columns.parts());
    printer.out.split_off(1)
}

/// The line of a row without its id, place and note: `P = -m * g when braking`.
///
/// `is_constant`: whether a name is one of the model's constants.
/// Result: `None` if a coefficient is neither a number nor a constant, or if the procedure has
/// fewer arguments than it needs.
pub fn relation_line(columns: &Columns, is_constant: &dyn Fn(&str) -> bool) -> Option<String> {
    let mut printer = Printer::default();
    printer.relation_line(columns, None, is_constant)?;
    Some(printer.out)
}

impl Printer<'_> {
    pub(super) fn relation_columns(&mut self, parts: Parts<'_>) {
        let solved = match parts.procedure {
            SOLVE => equations(parts.targets, parts.args),
            _ => None,
        };
        if let Some((equations, bounds)) = solved {
            self.solve_columns(parts.targets, &equations, bounds);
            self.guard_columns(parts.guard);
            return;
        }
        match parts.targets {
            [target] => self.field("real", &quoted_name(target)),
            several => {
                let names: Vec<String> = several.iter().map(quoted_name).collect();
                self.field("real", &super::bracketed(&names));
            }
        }
        self.field("procedure", &string(parts.procedure));
        if let Some(coef) = parts.coef {
            self.field("coef", &self.argument(coef));
        }
        let args: Vec<String> = parts.args.iter().map(|arg| self.argument(arg)).collect();
        self.field("args", &super::bracketed(&args));
        if let Some(coef2) = parts.coef2 {
            self.field("coef2", &self.argument(coef2));
        }
        self.guard_columns(parts.guard);
        if parts.once {
            self.field("once", "true");
        }
    }

    pub(super) fn relation_line(
        &mut self,
        columns: &Columns,
        each: Option<&Each>,
        is_constant: &dyn Fn(&str) -> bool,
    ) -> Option<()> {
        if columns.procedure == SOLVE {
            let (equations, bounds) = equations(&columns.targets, &columns.args)?;
            self.solve_line(&columns.targets, &equations, bounds);
            self.each(each);
            self.guard(&columns.guard);
            return Some(());
        }
        self.targets(&columns.targets, columns.once);
        let atoms = Atoms { is_constant };
        if columns.targets.len() > 1 {
            self.list(&columns.args, |printer, arg| printer.expr(arg, 0));
        } else {
            let value = atoms.value(self, columns)?;
            self.out.push_str(&value);
        }
        self.each(each);
        self.guard(&columns.guard);
        Some(())
    }
}

/// A coefficient as text.
struct Coef {
    negative: bool,
    /// Without its sign; `None` for 1.
    atom: Option<String>,
    is_number: bool,
}

impl Coef {
    /// `""`, `"-"` or `"-c * "`, in front of something that a sign may stand before.
    fn before_primary(&self) -> String {
        match (&self.atom, self.negative) {
            (None, false) => String::new(),
            (None, true) => "-".to_owned(),
            (Some(_), _) => self.times(),
        }
    }

    /// `"-c * "`, written also if it is 1.
    fn times(&self) -> String {
        self.alone() + " * "
    }

    fn alone(&self) -> String {
        let sign = if self.negative { "-" } else { "" };
        format!("{sign}{}", self.atom.as_deref().unwrap_or("1"))
    }

    fn is_minus_one(&self) -> bool {
        self.atom.is_none() && self.negative
    }

    fn is_one(&self) -> bool {
        self.atom.is_none() && !self.negative
    }
}

/// Test for coefficients.
struct Atoms<'c> {
    is_constant: &'c dyn Fn(&str) -> bool,
}

impl Atoms<'_> {
    /// The right side that is taken apart into these columns.
    fn value(&self, printer: &Printer<'_>, columns: &Columns) -> Option<String> {
        let coef = self.coef(printer, columns.coef.as_ref())?;
        let text = |arg: &Expr| plain(printer, arg);
        let tight = |arg: &Expr| tight(printer, arg);
        let value = match (columns.procedure.as_str(), columns.args.as_slice()) {
            ("assignment", [arg]) => match arg.kind {
                ExprKind::Name(_) | ExprKind::Element(_) | ExprKind::Time | ExprKind::Paren(_) => {
                    text(arg)
                }
                _ if is_number(arg) => text(arg),
                // What is no procedure is a lookup, whose value a row takes over.
                ExprKind::Call(ref name, _) if ProcedureId::named(&name.value).is_none() => {
                    text(arg)
                }
                _ => in_parentheses(printer, arg),
            },
            ("proportional", [arg])
                if coef.is_minus_one()
                    && matches!(
                        arg.kind,
                        ExprKind::Name(_)
                            | ExprKind::Element(_)
                            | ExprKind::Time
                            | ExprKind::Paren(_)
                    ) =>
            {
                format!("-{}", text(arg))
            }
            ("proportional", [arg]) => {
                let factor = match &arg.kind {
                    ExprKind::Name(name) if (self.is_constant)(name) && !coef.is_number => {
                        in_parentheses(printer, arg)
                    }
                    ExprKind::Number(_) | ExprKind::Pi => in_parentheses(printer, arg),
                    ExprKind::Call(name, _) if scales_result(&name.value) => {
                        in_parentheses(printer, arg)
                    }
                    ExprKind::Binary(BinaryOp::Pow, ..) => in_parentheses(printer, arg),
                    _ => tight(arg),
                };
                coef.times() + &factor
            }
            ("product", [first, second]) => {
                format!(
                    "{} * {}",
                    self.first_factor(printer, &coef, first, second),
                    tight(second)
                )
            }
            ("quotient", [dividend, divisor]) => {
                let taken_apart =
                    self.two_factors(dividend).is_some() || starts_with_minus(dividend);
                let dividend = match coef.is_one() {
                    true if is_sum(dividend) || taken_apart => in_parentheses(printer, dividend),
                    true => text(dividend),
                    false if is_primary(dividend) => coef.before_primary() + &text(dividend),
                    false => coef.times() + &in_parentheses(printer, dividend),
                };
                format!("{dividend} / {}", tight(divisor))
            }
            ("sum", [left, right]) => {
                let coef2 = self.coef(printer, columns.coef2.as_ref())?;
                let sign = if coef2.negative { "-" } else { "+" };
                let unsigned = Coef {
                    negative: false,
                    ..coef2
                };
                let left = match &left.kind {
                    ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, ..) if coef.is_one() => {
                        text(left)
                    }
                    _ => self.side(printer, &coef, left),
                };
                let right = match is_sum(right) {
                    true => unsigned.before_primary() + &in_parentheses(printer, right),
                    false => self.side(printer, &unsigned, right),
                };
                format!("{left} {sign} {right}")
            }
            ("power", [base, exponent]) => {
                let op = BinaryOp::Pow;
                let (base, exponent) = (Box::new(base.clone()), Box::new(exponent.clone()));
                let kind = ExprKind::Binary(op, base, exponent);
                coef.before_primary()
                    + &text(&Expr {
                        span: columns.args[0].span,
                        kind,
                    })
            }
            ("assignment" | "proportional" | "product" | "quotient" | "sum" | "power", _) => {
                return None;
            }
            (name, args) => self.call(printer, name, &coef, args),
        };
        Some(value)
    }

    /// `p(args)` with its coefficient in the place that it has for this procedure.
    fn call(&self, printer: &Printer<'_>, name: &str, coef: &Coef, args: &[Expr]) -> String {
        let procedure = ProcedureId::named(name).map(ProcedureId::get);
        let role = procedure.map_or(CoefRole::ScalesResult, |known| known.coef);
        let inside = procedure.is_some_and(Procedure::has_memory);
        let mut texts: Vec<String> = args.iter().map(|arg| plain(printer, arg)).collect();
        let mut before = String::new();
        match role {
            CoefRole::ScalesFirst if inside => {
                if let Some(first) = args.first() {
                    texts[0] = match is_sum(first) && coef.is_one() {
                        true => plain(printer, first),
                        false => self.side(printer, coef, first),
                    };
                }
            }
            CoefRole::Parameter(_) => texts.push(coef.alone()),
            _ => before = coef.before_primary(),
        }
        format!("{before}{}({})", super::name(name), texts.join(", "))
    }

    /// The first factor of a product, with its coefficient.
    fn first_factor(
        &self,
        printer: &Printer<'_>,
        coef: &Coef,
        first: &Expr,
        second: &Expr,
    ) -> String {
        let first_is_atom = self.is_atom(first);
        // With a sign it is put in parentheses.
        let second_is_atom = self.is_atom(second) && is_primary(second);
        if coef.atom.is_some() || first_is_atom && (is_number(first) || !second_is_atom) {
            return coef.times() + &tight(printer, first);
        }
        if is_primary(first) {
            return coef.before_primary() + &plain(printer, first);
        }
        let taken_apart = self.two_factors(first).is_some() || starts_with_minus(first);
        if coef.is_one() && !taken_apart && !is_sum(first) {
            return plain(printer, first);
        }
        match coef.is_one() {
            true => in_parentheses(printer, first),
            false => coef.times() + &in_parentheses(printer, first),
        }
    }

    /// One side of a sum, or the first argument of a procedure with memory: what is left of it when
    /// its coefficient is taken off is `arg`.
    fn side(&self, printer: &Printer<'_>, coef: &Coef, arg: &Expr) -> String {
        if coef.atom.is_some() {
            return match is_number(arg) {
                true => coef.times() + &in_parentheses(printer, arg),
                false => coef.times() + &tight(printer, arg),
            };
        }
        if is_primary(arg) {
            return coef.before_primary() + &plain(printer, arg);
        }
        let taken_apart = self.two_factors(arg).is_some() || starts_with_minus(arg) || is_sum(arg);
        match coef.negative {
            false if !taken_apart => plain(printer, arg),
            _ => coef.before_primary() + &in_parentheses(printer, arg),
        }
    }

    /// The coefficient; `None` if it is none.
    fn coef(&self, printer: &Printer<'_>, coef: Option<&Expr>) -> Option<Coef> {
        let Some(mut expr) = coef else {
            return Some(Coef {
                negative: false,
                atom: None,
                is_number: true,
            });
        };
        let mut negative = false;
        while let ExprKind::Neg(inner) = &expr.kind {
            negative = !negative;
            expr = inner;
        }
        let (atom, is_number) = match &expr.kind {
            ExprKind::Number(value) => {
                negative ^= value.is_sign_negative();
                let magnitude = Expr {
                    span: expr.span,
                    kind: ExprKind::Number(value.abs()),
                };
                (
                    (value.abs() != 1.0).then(|| plain(printer, &magnitude)),
                    true,
                )
            }
            ExprKind::Pi => (Some("pi".to_owned()), true),
            ExprKind::Name(name) if (self.is_constant)(name) => (Some(super::name(name)), false),
            _ => return None,
        };
        Some(Coef {
            negative,
            atom,
            is_number,
        })
    }

    /// True if it would be taken for a coefficient.
    fn is_atom(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Name(name) => (self.is_constant)(name),
            ExprKind::Neg(inner) => self.is_atom(inner),
            _ => is_number(expr),
        }
    }

    /// `atom * x`, which would be taken apart.
    fn two_factors<'e>(&self, expr: &'e Expr) -> Option<&'e Expr> {
        match &expr.kind {
            ExprKind::Neg(inner) => self.two_factors(inner),
            ExprKind::Binary(BinaryOp::Mul, first, rest) if self.is_atom(first) => Some(rest),
            _ => None,
        }
    }
}

fn scales_result(name: &str) -> bool {
    ProcedureId::named(name)
        .map(ProcedureId::get)
        .is_some_and(|known| !known.has_memory() && known.coef == CoefRole::ScalesResult)
}

/// A number or `pi`, with any signs.
pub(super) fn is_number(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Number(_) | ExprKind::Pi => true,
        ExprKind::Neg(inner) => is_number(inner),
        _ => false,
    }
}

fn is_sum(expr: &Expr) -> bool {
    matches!(
        expr.kind,
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, ..)
    )
}

/// True if a minus at its very start would go to the coefficient.
fn starts_with_minus(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Number(value) => value.is_sign_negative(),
        ExprKind::Neg(_) => true,
        ExprKind::Binary(BinaryOp::Mul | BinaryOp::Div, left, _) => starts_with_minus(left),
        _ => false,
    }
}

/// True if it holds together without parentheses, whatever stands around it.
fn is_primary(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Number(value) => !value.is_sign_negative(),
        ExprKind::Neg(_)
        | ExprKind::Counted(_)
        | ExprKind::Terms(_)
        | ExprKind::Boolean(_)
        | ExprKind::Error => false,
        ExprKind::Binary(op, ..) => *op == BinaryOp::Pow,
        ExprKind::Name(_)
        | ExprKind::Element(_)
        | ExprKind::Reduction(_)
        | ExprKind::Time
        | ExprKind::Pi
        | ExprKind::Paren(_)
        | ExprKind::Call(..) => true,
    }
}

fn plain(printer: &Printer<'_>, expr: &Expr) -> String {
    let mut part = printer.another();
    part.expr(expr, 0);
    part.out
}

fn in_parentheses(printer: &Printer<'_>, expr: &Expr) -> String {
    match expr.kind {
        ExprKind::Paren(_) => plain(printer, expr),
        _ => format!("({})", plain(printer, expr)),
    }
}

fn tight(printer: &Printer<'_>, expr: &Expr) -> String {
    if is_primary(expr) {
        plain(printer, expr)
    } else {
        in_parentheses(printer, expr)
    }
}
