//! Cases: settings of families become those of single elements.

use rustc_hash::FxHashMap;

use super::super::families::{Block, Extent};
use super::super::{Expander, cover, index};
use super::Env;
use crate::tree::{Case, Name, Setting, SettingValue};

impl<'a> Expander<'a> {
    /// False if the table is read for another choice than a case, or if the case gives other values to constants that decide
    /// the shape: with it the table is read anew, and has other elements.
    pub(in super::super) fn has_shape_of(&mut self, case: &'a Case) -> bool {
        let mut set = case.set.iter();
        !case.aside
            && set.all(|setting| {
                let name = &setting.name.value;
                let known = self.values.asked().find(|(known, _)| known == name);
                let (Some((_, now)), SettingValue::Expr(value)) = (known, &setting.value) else {
                    return true;
                };
                let given = self.values.value(value, &Env::new());
                given.is_ok_and(|given| given == now)
            })
    }

    /// True if the case gives other values to constants of the shape, or none that is known before.
    pub(in super::super) fn has_other_shape(
        &mut self,
        case: &'a Case,
        shape: &[(String, f64)],
    ) -> bool {
        let mut other = false;
        for setting in &case.set {
            let SettingValue::Expr(value) = &setting.value else {
                continue;
            };
            let mut follows = false;
            index::each_name(value, &mut |name| {
                follows |= case.set.iter().any(|one| one.name.value == name);
            });
            for element in self.declared(&setting.name) {
                let name = element.name();
                let known = shape.iter().find(|(known, _)| *known == name);
                if let Some((_, now)) = known {
                    let given = self.values.value(value, &element.env);
                    other |= follows || given.ok() != Some(*now);
                }
            }
        }
        other
    }

    /// True if a name is that of an element which its family does not have, or of a part that is none of its kind.
    pub(in super::super) fn lies_outside(&self, name: &str) -> bool {
        self.is_in_other_part(name)
            || self.families.of_element(name).is_some_and(|(family, at)| {
                let block: Block = at.iter().map(|at| Extent::one(*at)).collect();
                block.len() == family.n_indices() && cover::lacks(family, &block).is_some()
            })
    }

    pub(in super::super) fn case(&mut self, case: &'a Case) -> Case {
        let mut settings: Vec<&Setting> = case.set.iter().collect();
        settings.sort_by_key(|setting| self.n_fixed(&setting.name));
        let has_shape = self.has_shape_of(case);
        let mut set: Vec<Setting> = Vec::new();
        let mut at: FxHashMap<String, usize> = FxHashMap::default();
        for setting in settings {
            for element in self.declared(&setting.name) {
                let (name, env) = (element.name(), &element.env);
                if !has_shape && self.lies_outside(&name) {
                    continue;
                }
                let value = match &setting.value {
                    SettingValue::Bool(value) => SettingValue::Bool(value.clone()),
                    SettingValue::Expr(value) => SettingValue::Expr(self.expression(value, env)),
                };
                let name = Name::new(name, setting.name.span);
                // The narrowest holds.
                match at.get(&name.value) {
                    Some(&at) => set[at] = Setting { name, value },
                    None => {
                        at.insert(name.value.clone(), set.len());
                        set.push(Setting { name, value });
                    }
                }
            }
        }
        Case {
            name: case.name.clone(),
            span: case.span,
            aside: case.aside,
            set,
            clock: case.clock.as_ref().map(|clock| self.clock(clock)),
            about: case.about.clone(),
        }
    }
}
