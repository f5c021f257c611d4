//! Rows that are solved, in either spelling.

use super::{Printer, bracketed, quoted_name, string};
use crate::tree::{BinaryOp, Expr, ExprKind, Name};

/// Name by which columns say that a row is solved. Its arguments are residuals, and behind them bounds.
pub(super) const SOLVE: &str = "solve";

/// Both sides of an equation.
pub(super) type Sides<'a> = (&'a Expr, &'a Expr);

/// The equations and the bounds among the arguments of a row that is solved; `None` if they are not of that form.
pub(super) fn equations<'a>(
    targets: &[Name],
    args: &'a [Expr],
) -> Option<(Vec<Sides<'a>>, Option<&'a [Expr; 2]>)> {
    let (residuals, bounds) = args.split_at_checked(targets.len())?;
    let sides = residuals.iter().map(|residual| match &residual.kind {
        ExprKind::Binary(BinaryOp::Sub, left, right) => Some((&**left, &**right)),
        _ => None,
    });
    let bounds = match bounds {
        [] => None,
        bounds => Some(<&[Expr; 2]>::try_from(bounds).ok()?),
    };
    Some((sides.collect::<Option<_>>()?, bounds))
}

impl Printer<'_> {
    /// `solve x from low to high: left = right`
    pub(super) fn solve_line(
        &mut self,
        targets: &[Name],
        equations: &[Sides<'_>],
        bounds: Option<&[Expr; 2]>,
    ) {
        self.out.push_str("solve ");
        self.list(targets, Printer::written);
        if let Some([low, high]) = bounds {
            self.out.push_str(" from ");
            self.expr(low, 0);
            self.out.push_str(" to ");
            self.expr(high, 0);
        }
        self.out.push_str(": ");
        self.list(equations, |printer, (left, right)| {
            printer.expr(left, 0);
            printer.out.push_str(" = ");
            printer.expr(right, 0);
        });
    }

    /// `solve: ["x"], equations: ["left = right"], bounds: [low, high]`
    pub(super) fn solve_columns(
        &mut self,
        targets: &[Name],
        equations: &[Sides<'_>],
        bounds: Option<&[Expr; 2]>,
    ) {
        let names: Vec<String> = targets.iter().map(quoted_name).collect();
        self.field("solve", &bracketed(&names));
        let equations = equations.iter().map(|(left, right)| {
            let mut printer = self.another();
            printer.expr(left, 0);
            printer.out.push_str(" = ");
            printer.expr(right, 0);
            string(&printer.out)
        });
        let equations: Vec<String> = equations.collect();
        self.field("equations", &bracketed(&equations));
        if let Some(bounds) = bounds {
            let bounds: Vec<String> = bounds.iter().map(|bound| self.argument(bound)).collect();
            self.field("bounds", &bracketed(&bounds));
        }
    }
}
