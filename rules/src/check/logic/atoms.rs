//! The booleans that one question is about, with all that they follow from, as variables of a diagram.

use std::collections::BTreeSet;

use situ_engine::ids::{ScheduleId, SituationId, SwitchId};
use situ_engine::model::Boolean;

use super::borders::{QuantityId, SideId, Test};
use super::conditions::Conditions;
use crate::check::budget::{OverBudget, Work};

/// Set of states that are considered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::check) enum View {
    /// States between two ticks that change no switch, with the present values of the constants.
    Settled,
    /// Also the tick in which a switch changes, and comparisons between constants both ways.
    Loose,
}

/// A variable of the diagram.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Atom {
    Side(SideId),
    /// A switch as the situations of the tick read it.
    Switch(SwitchId),
    /// A switch as the relations of the tick read it, where that can differ.
    SwitchAfter(SwitchId),
    Event(SituationId),
    Schedule(ScheduleId),
    Start,
    /// A comparison between constants: range and position.
    Parameter(usize, usize),
}

/// More variables than this are not analysed.
pub(super) const MAX_ATOMS: u16 = 128;
/// More situations than this in one question are not analysed.
const MAX_SITUATIONS: usize = 64;

/// Contents of a scope.
pub(super) struct Collected<'a> {
    conditions: &'a Conditions<'a>,
    view: View,
    /// Atoms with the order of their mention.
    pub(super) atoms: Vec<(usize, Atom)>,
    /// Situations, by their last rows.
    pub(super) situations: BTreeSet<(usize, SituationId)>,
    /// When the first side of a quantity was mentioned.
    pub(super) quantities: Vec<(QuantityId, usize)>,
}

impl<'a> Collected<'a> {
    pub(super) fn new(conditions: &'a Conditions<'a>, view: View) -> Self {
        Self {
            conditions,
            view,
            atoms: Vec::new(),
            situations: BTreeSet::new(),
            quantities: Vec::new(),
        }
    }

    fn atom(&mut self, atom: Atom) {
        if self.atoms.iter().any(|(_, known)| *known == atom) {
            return;
        }
        let at = self.atoms.len();
        if let Atom::Side(id) = atom {
            let quantity = self.conditions.borders.side(id).quantity;
            if !self.quantities.iter().any(|(known, _)| *known == quantity) {
                self.quantities.push((quantity, at));
            }
        }
        self.atoms.push((at, atom));
    }

    /// Adds a boolean and, over situations, everything it is made of. `direct`: it stands in the
    /// condition of a row, not in a situation.
    pub(super) fn boolean(
        &mut self,
        what: Boolean,
        direct: bool,
        work: &mut Work,
    ) -> Result<(), OverBudget> {
        let mut open = vec![(what, direct)];
        while let Some((what, direct)) = open.pop() {
            work.spend(1)?;
            match what {
                Boolean::Range(id) => self.range(id.index()),
                Boolean::Switch(id) => {
                    self.atom(Atom::Switch(id));
                    if direct && self.view == View::Loose && self.conditions.is_assigned(id) {
                        self.atom(Atom::SwitchAfter(id));
                    }
                }
                Boolean::Schedule(id) => self.atom(Atom::Schedule(id)),
                Boolean::Start => self.atom(Atom::Start),
                Boolean::Situation(id) => {
                    if !self
                        .situations
                        .insert((self.conditions.last_row[id.index()], id))
                    {
                        continue;
                    }
                    if self.conditions.model.situations[id.index()].event {
                        self.atom(Atom::Event(id));
                    }
                    let rows = self.conditions.rows.of(id.index());
                    // One condition that names `any(..)` of a crowd; a crowd has as many of them.
                    if rows.len() > usize::from(MAX_ATOMS) + MAX_SITUATIONS {
                        return Err(OverBudget);
                    }
                    for &row in rows.iter().rev() {
                        let literals = &self.conditions.model.situation_rows[row].all;
                        open.extend(literals.iter().rev().map(|literal| (literal.what, false)));
                    }
                }
            }
            if self.atoms.len() > usize::from(MAX_ATOMS) || self.situations.len() > MAX_SITUATIONS {
                return Err(OverBudget);
            }
        }
        Ok(())
    }

    fn range(&mut self, range: usize) {
        let conditions = self.conditions;
        for (position, test) in conditions.borders.ranges[range].iter().enumerate() {
            match test {
                Test::Known(_) => {}
                Test::Parameter(_) if self.view == View::Settled => {}
                Test::Parameter(_) => self.atom(Atom::Parameter(range, position)),
                Test::Sides { all, .. } => {
                    all.iter()
                        .for_each(|&(side, _)| self.atom(Atom::Side(side)));
                }
            }
            if self.atoms.len() > usize::from(MAX_ATOMS) {
                break;
            }
        }
    }
}
