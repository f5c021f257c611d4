//! A state of the model that a diagram allows, with numbers.

use biodivine_lib_bdd::{Bdd, BddPartialValuation, op_function};

use super::atoms::Atom;
use super::scope::{MAX_STATES, Scope, apply};
use super::state::{self, NoNumbers, State};
use crate::check::budget::OverBudget;

impl Scope<'_, '_> {
    /// A state that satisfies the function, off the borders if there is one; `None` if there is
    /// none or no numbers were found for it.
    pub(in crate::check) fn state(&mut self, f: &Bdd) -> Result<Option<State>, OverBudget> {
        let allowed = apply(self.work, f, &self.rules, op_function::and)?;
        let off = self.off_borders()?;
        let wide = self.and(&allowed, &off)?;
        let (path, on_border) = match self.path_with_numbers(wide)? {
            Some(path) => (path, false),
            None => {
                let thin = self.and_not(&allowed, &off)?;
                match self.path_with_numbers(thin)? {
                    Some(path) => (path, true),
                    None => return Ok(None),
                }
            }
        };
        let path = self.shortened(&path, f)?;
        Ok(state::find(self, &path)
            .ok()
            .map(|state| State { on_border, ..state }))
    }

    /// The path without what it says of quantities and booleans that make no difference to `f`
    /// and to the events on it.
    fn shortened(
        &mut self,
        path: &BddPartialValuation,
        f: &Bdd,
    ) -> Result<BddPartialValuation, OverBudget> {
        let wanted = apply(self.work, f, &self.explained, op_function::and)?;
        let fails = apply(self.work, &self.ordered, &wanted, op_function::and_not)?;
        let mut path = path.clone();
        let mut at = 0;
        while at < self.atoms.len() {
            let first = at;
            at += 1;
            while at < self.atoms.len() && self.same_quantity(self.atoms[first], self.atoms[at]) {
                at += 1;
            }
            let mut said = BddPartialValuation::empty();
            for atom in &self.atoms[first..at] {
                let variable = self.var(*atom);
                if let Some(value) = path.get_value(variable) {
                    said.set_value(variable, value);
                    path.unset_value(variable);
                }
            }
            if said.is_empty() {
                continue;
            }
            let rest = self.set.mk_conjunctive_clause(&path);
            let (needed, steps) =
                Bdd::check_binary_op(self.work.left(), &rest, &fails, op_function::and)
                    .ok_or(OverBudget)?;
            self.work.spend(steps + 1)?;
            if needed {
                said.to_values()
                    .iter()
                    .for_each(|&(variable, value)| path.set_value(variable, value));
            }
        }
        Ok(path)
    }

    pub(super) fn same_quantity(&self, a: Atom, b: Atom) -> bool {
        match (a, b) {
            (Atom::Side(a), Atom::Side(b)) => {
                let borders = &self.conditions.borders;
                borders.side(a).quantity == borders.side(b).quantity
            }
            _ => false,
        }
    }

    /// A path for which there are numbers.
    fn path_with_numbers(&mut self, mut f: Bdd) -> Result<Option<BddPartialValuation>, OverBudget> {
        for _ in 0..MAX_STATES {
            self.work.spend(f.size())?;
            let Some(path) = f.most_free_clause() else {
                return Ok(None);
            };
            self.work.spend(4 * self.atoms.len())?;
            match state::find(self, &path) {
                Ok(_) => return Ok(Some(path)),
                Err(NoNumbers::TooMany) => return Err(OverBudget),
                Err(NoNumbers::Contradiction(contradiction)) => {
                    let contradiction = self.set.mk_conjunctive_clause(&contradiction);
                    f = self.and_not(&f, &contradiction)?;
                }
            }
        }
        Err(OverBudget)
    }
}
