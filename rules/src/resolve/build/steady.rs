//! Starts in an equilibrium: `steady`, `steady(guess)`, and a clock that starts there, become marks of reals.

use situ_engine::ids::{ExprId, RealId};
use situ_engine::model::{self, Expr, Model};
use situ_engine::procedure::Motion;
use situ_words::phrase;

use super::Builder;
use crate::resolve::merged::{MergedQuantity, declaration, n_elements};
use crate::resolve::report;
use crate::resolve::symbol::Known;
use crate::tree;

impl<'a> Builder<'_, 'a> {
    /// The start value of a quantity, or the guess if it is to start in the equilibrium; whether it is.
    pub(super) fn start_of(&mut self, written: &MergedQuantity<'_>, real: bool) -> (ExprId, bool) {
        let Some(start) = written.start else {
            return (self.number(0.0), false);
        };
        // Only a name or a call asks for an equilibrium: other starts of a family stay as they are, one for all elements.
        let form = match &start.kind {
            tree::ExprKind::Counted(counted) => counted.pattern().expr(),
            _ => start,
        };
        let is_named = matches!(
            form.kind,
            tree::ExprKind::Name(_) | tree::ExprKind::Call(..)
        );
        if !is_named {
            return (self.binder.expr(start, Known::AtStart), false);
        }
        let start = &*start.written_out();
        let (name, args) = match &start.kind {
            tree::ExprKind::Name(name) => (&**name, &[][..]),
            tree::ExprKind::Call(name, args) => (&*name.value, &args[..]),
            _ => ("", &[][..]),
        };
        let is_asked = ["solve", tree::Start::Steady.name()].contains(&name);
        // Only lookups are called by their names.
        let is_name = match &start.kind {
            tree::ExprKind::Call(..) => self.binder.lookup(name).is_some(),
            _ => self.binder.scope.get(name).is_some(),
        };
        if !is_asked || is_name {
            return (self.binder.expr(start, Known::AtStart), false);
        }
        let wrong = match (name, args, written.before) {
            ("solve", ..) => Some(report::start_not_supported(
                phrase!("names-start-not-supported.solve"),
                start.span,
            )),
            _ if !real => Some(report::steady_constant(&written.name.value, start.span)),
            (_, [_, second, ..], _) => Some(report::two_guesses(second.span)),
            (.., Some(before)) => Some(report::steady_with_past(
                &written.name.value,
                before.span,
                start.span,
            )),
            _ => None,
        };
        if let Some(wrong) = wrong {
            self.report(wrong);
            return (self.number(0.0), false);
        }
        let guess = match args {
            [guess, ..] => self.binder.expr(guess, Known::AtStart),
            [] => self.number(0.0),
        };
        (guess, true)
    }

    fn number(&mut self, value: f64) -> ExprId {
        self.binder.push(Expr::Number(value))
    }

    /// Marks what a clock starts in the equilibrium, and reports reals that have none, and starts that would need one.
    pub(super) fn steady(&mut self) {
        let starts = self.merged.clocks.iter();
        let last = starts.filter_map(|clock| clock.start.as_ref()).next_back();
        let integrated = moved(self.model(), Motion::Integrated);
        let follows = moved(self.model(), Motion::Varies);
        if last.is_some_and(|start| start.value == tree::Start::Steady) {
            for (real, &moves) in self.model().reals.iter_mut().zip(&integrated) {
                real.steady |= moves && real.before.is_none();
            }
        }
        let mut found = Vec::new();
        let (constants, reals) = (&self.merged.constants, &self.merged.reals);
        let n_written = n_elements(reals);
        let model = self.model();
        for (index, &moves) in integrated.iter().enumerate().take(n_written) {
            let real = &model.reals[index];
            if real.steady
                && !moves
                && let Some((_, Some(start))) = declaration(reals, index)
            {
                found.push(report::steady_at_rest(&real.name, start));
            }
        }
        // What a row gives has the values that follow from the equilibrium.
        let free = model.reals.iter().enumerate().zip(&follows).take(n_written);
        let free = free
            .filter(|(_, follows)| !**follows)
            .map(|(numbered, _)| (reals, numbered));
        let named = model.constants.iter().enumerate();
        let named = named.map(|numbered| (constants, numbered));
        let is_any_steady = model.reals.iter().any(|real| real.steady);
        for (written, (number, quantity)) in named.chain(free).filter(|_| is_any_steady) {
            if let Some(read) = needs_steady(model, quantity)
                && let Some((_, Some(start))) = declaration(written, number)
            {
                let needed = &model.reals[read.index()].name;
                found.push(report::start_needs_steady(&quantity.name, needed, start));
            }
        }
        for report in found {
            self.report(report);
        }
    }
}

/// Per real whether a row moves it so.
fn moved(model: &Model, motion: Motion) -> Vec<bool> {
    let mut moves = vec![false; model.reals.len()];
    for relation in &model.relations {
        if relation.procedure.get().motion() == motion {
            for target in &relation.targets {
                moves[target.index()] = true;
            }
        }
    }
    moves
}

/// A real that the start of a quantity reads before it is known.
fn needs_steady(model: &Model, quantity: &model::Quantity) -> Option<RealId> {
    let mut read = None;
    if !quantity.steady {
        model.exprs.visit(quantity.start, |_, node| {
            if let Expr::Real(id) = node
                && model.reals[id.index()].steady
            {
                read = Some(*id);
            }
        });
    }
    read
}
