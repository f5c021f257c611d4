//! Decision diagrams over the booleans that one question is about.
//!
//! Variables: the sides of borders (sides of one quantity next to each other, in the order of their
//! thresholds), switches, events, periodic events, `start`; situations are functions of them. The
//! *rules* of the scope say what holds in every state: a side implies the sides above it, an event
//! implies that a row of it holds, `time` and squares are not negative, and switches take only
//! combinations that the assignments can bring about.

use biodivine_lib_bdd::{Bdd, BddPartialValuation, BddVariable, BddVariableSet, op_function};
use situ_engine::ids::{SituationId, SwitchId};
use situ_engine::model::{Boolean, Literal};

use super::atoms::{Atom, Collected, MAX_ATOMS, View};
use super::borders::{QuantityId, Test};
use super::conditions::Conditions;
use super::reach;
use crate::check::budget::{OverBudget, Work};

/// So many paths of a diagram are tried before it is given up to find numbers for one.
pub(super) const MAX_STATES: usize = 24;

/// Decision diagrams over the booleans of one question.
pub(in crate::check) struct Scope<'a, 'w> {
    pub(super) conditions: &'a Conditions<'a>,
    pub(super) view: View,
    pub(super) work: &'w mut Work,
    pub(super) set: &'a BddVariableSet,
    /// Meaning of each variable.
    pub(super) atoms: Vec<Atom>,
    pub(super) situations: Vec<(SituationId, Bdd)>,
    /// Conditions that hold in every state.
    pub(super) rules: Bdd,
    /// The part of it that explains events.
    pub(super) explained: Bdd,
    /// The rest of it.
    pub(super) ordered: Bdd,
}

impl<'a, 'w> Scope<'a, 'w> {
    /// A scope for questions about the booleans listed.
    pub(in crate::check) fn new(
        conditions: &'a Conditions<'a>,
        view: View,
        booleans: impl IntoIterator<Item = Boolean>,
        work: &'w mut Work,
    ) -> Result<Self, OverBudget> {
        let mut collected = Collected::new(conditions, view);
        for what in booleans {
            collected.boolean(what, true, work)?;
        }
        let Collected {
            mut atoms,
            situations,
            quantities,
            ..
        } = collected;
        if atoms.len() > usize::from(MAX_ATOMS) {
            return Err(OverBudget);
        }
        // Sides of one quantity stand together, where the first of them was mentioned.
        atoms.sort_by(|(at, a), (bt, b)| {
            let first = |of: QuantityId| quantities.iter().find(|(known, _)| *known == of);
            let place = |at: &usize, atom: &Atom| match atom {
                Atom::Side(id) => {
                    first(conditions.borders.side(*id).quantity).map_or(*at, |(_, at)| *at)
                }
                _ => *at,
            };
            place(at, a).cmp(&place(bt, b)).then_with(|| match (a, b) {
                (Atom::Side(a), Atom::Side(b)) => {
                    let (a, b) = (conditions.borders.side(*a), conditions.borders.side(*b));
                    a.threshold
                        .total_cmp(&b.threshold)
                        .then(a.inclusive.cmp(&b.inclusive))
                }
                _ => std::cmp::Ordering::Equal,
            })
        });
        let atoms: Vec<Atom> = atoms.into_iter().map(|(_, atom)| atom).collect();
        work.spend(4 * atoms.len() + 8)?;
        let set = &conditions.variables;
        let always = set.mk_true();
        let mut scope = Self {
            conditions,
            view,
            work,
            set,
            atoms,
            situations: Vec::new(),
            rules: always.clone(),
            explained: always.clone(),
            ordered: always,
        };
        scope.order_sides()?;
        scope.reachable_switches()?;
        for (_, situation) in situations {
            scope.define(situation)?;
        }
        scope.rules = apply(
            scope.work,
            &scope.ordered,
            &scope.explained,
            op_function::and,
        )?;
        Ok(scope)
    }

    /// The function that is always false.
    pub(in crate::check) fn never(&self) -> Bdd {
        self.set.mk_false()
    }

    /// The function that is always true.
    pub(in crate::check) fn always(&self) -> Bdd {
        self.set.mk_true()
    }

    /// A conjunction as situations read it: before the assignments of the tick.
    pub(in crate::check) fn before(&mut self, all: &[Literal]) -> Result<Bdd, OverBudget> {
        self.conjunction(all, false)
    }

    /// A conjunction as assignments and relations read it.
    pub(in crate::check) fn after(&mut self, all: &[Literal]) -> Result<Bdd, OverBudget> {
        self.conjunction(all, true)
    }

    fn conjunction(&mut self, all: &[Literal], after: bool) -> Result<Bdd, OverBudget> {
        let mut holds = self.set.mk_true();
        for literal in all {
            let mut one = self.boolean(literal.what, after)?;
            if literal.negated {
                one = one.into_not();
            }
            holds = self.and(&holds, &one)?;
        }
        Ok(holds)
    }

    pub(in crate::check) fn and(&mut self, a: &Bdd, b: &Bdd) -> Result<Bdd, OverBudget> {
        self.apply(a, b, op_function::and)
    }

    pub(in crate::check) fn or(&mut self, a: &Bdd, b: &Bdd) -> Result<Bdd, OverBudget> {
        self.apply(a, b, op_function::or)
    }

    /// `a` and not `b`.
    pub(in crate::check) fn and_not(&mut self, a: &Bdd, b: &Bdd) -> Result<Bdd, OverBudget> {
        self.apply(a, b, op_function::and_not)
    }

    /// True if a state of the scope satisfies the function.
    pub(in crate::check) fn is_possible(&mut self, f: &Bdd) -> Result<bool, OverBudget> {
        self.some(f, op_function::and)
    }

    /// True if a state of the scope does not satisfy the function.
    pub(in crate::check) fn can_fail(&mut self, f: &Bdd) -> Result<bool, OverBudget> {
        self.some(f, |f, rules| match (f, rules) {
            (Some(true), _) | (_, Some(false)) => Some(false),
            (Some(false), Some(true)) => Some(true),
            _ => None,
        })
    }

    fn some(
        &mut self,
        f: &Bdd,
        op: impl Fn(Option<bool>, Option<bool>) -> Option<bool>,
    ) -> Result<bool, OverBudget> {
        let (found, steps) =
            Bdd::check_binary_op(self.work.left(), f, &self.rules, op).ok_or(OverBudget)?;
        self.work.spend(steps + 1)?;
        Ok(found)
    }

    fn apply(
        &mut self,
        a: &Bdd,
        b: &Bdd,
        op: fn(Option<bool>, Option<bool>) -> Option<bool>,
    ) -> Result<Bdd, OverBudget> {
        apply(self.work, a, b, op)
    }

    /// Leaves the switches that no rule assigns and forgets everything else: for which settings of
    /// them, made before the run, the function can hold.
    pub(in crate::check) fn by_settings(&mut self, f: &Bdd) -> Result<Bdd, OverBudget> {
        let forgotten: Vec<BddVariable> = self
            .atoms
            .iter()
            .filter(|atom| !matches!(atom, Atom::Switch(id) if !self.conditions.is_assigned(*id)))
            .map(|atom| self.var(*atom))
            .collect();
        let f = apply(self.work, f, &self.rules, op_function::and)?;
        self.work.spend(f.size() * (1 + forgotten.len()))?;
        Ok(f.exists(&forgotten))
    }

    /// The states between two events: no event is true.
    pub(in crate::check) fn no_event(&mut self) -> Result<Bdd, OverBudget> {
        let mut quiet = BddPartialValuation::empty();
        for atom in &self.atoms {
            if matches!(atom, Atom::Event(_) | Atom::Schedule(_) | Atom::Start) {
                quiet.set_value(self.var(*atom), false);
            }
        }
        self.work.spend(self.atoms.len())?;
        Ok(self.set.mk_conjunctive_clause(&quiet))
    }

    /// The states in which no quantity lies exactly on a border whose two sides are told apart from
    /// the border itself.
    pub(in crate::check) fn off_borders(&mut self) -> Result<Bdd, OverBudget> {
        let mut off = self.set.mk_true();
        let pairs: Vec<(Atom, Atom)> = self.neighbours().collect();
        for (below, at_most) in pairs {
            let (Atom::Side(low), Atom::Side(high)) = (below, at_most) else {
                continue;
            };
            let borders = &self.conditions.borders;
            if borders.side(low).threshold != borders.side(high).threshold {
                continue;
            }
            let (low, high) = (self.var(below), self.var(at_most));
            let same = self.set.mk_var(low).iff(&self.set.mk_var(high));
            off = self.and(&off, &same)?;
        }
        Ok(off)
    }

    /// The value of an atom on a path.
    pub(super) fn value(&self, path: &BddPartialValuation, atom: Atom) -> Option<bool> {
        path.get_value(self.variable(atom)?)
    }

    pub(super) fn variable(&self, atom: Atom) -> Option<BddVariable> {
        let place = self.atoms.iter().position(|known| *known == atom)?;
        Some(BddVariable::from_index(place))
    }

    pub(super) fn var(&self, atom: Atom) -> BddVariable {
        self.variable(atom)
            .expect("every atom of the booleans of a scope was collected")
    }

    fn boolean(&mut self, what: Boolean, after: bool) -> Result<Bdd, OverBudget> {
        let atom = match what {
            Boolean::Range(id) => return self.range(id.index()),
            Boolean::Situation(id) => {
                if self.conditions.model.situations[id.index()].event {
                    Atom::Event(id)
                } else {
                    let mut defined = self.situations.iter();
                    let (_, defined) = defined
                        .find(|(known, _)| *known == id)
                        .expect("situations are defined in an order in which they can be");
                    self.work.spend(defined.size())?;
                    return Ok(defined.clone());
                }
            }
            Boolean::Switch(id) => {
                let atom = Atom::SwitchAfter(id);
                if after && self.variable(atom).is_some() {
                    atom
                } else {
                    Atom::Switch(id)
                }
            }
            Boolean::Schedule(id) => Atom::Schedule(id),
            Boolean::Start => Atom::Start,
        };
        Ok(self.set.mk_var(self.var(atom)))
    }

    fn range(&mut self, range: usize) -> Result<Bdd, OverBudget> {
        let conditions = self.conditions;
        let mut holds = self.set.mk_true();
        for (position, test) in conditions.borders.ranges[range].iter().enumerate() {
            let one = match test {
                Test::Known(value) => self.constant(*value),
                Test::Parameter(value) => match self.view {
                    View::Settled => self.constant(*value),
                    View::Loose => {
                        let atom = Atom::Parameter(range, position);
                        self.set.mk_var(self.var(atom))
                    }
                },
                Test::Sides { all, negated } => {
                    let mut clause = BddPartialValuation::empty();
                    let mut possible = true;
                    for &(side, truth) in all {
                        let variable = self.var(Atom::Side(side));
                        possible &= clause.get_value(variable) != Some(!truth);
                        clause.set_value(variable, truth);
                    }
                    let mut sides = self.set.mk_conjunctive_clause(&clause);
                    if !possible {
                        sides = self.set.mk_false();
                    }
                    if *negated { sides.into_not() } else { sides }
                }
            };
            holds = self.and(&holds, &one)?;
        }
        Ok(holds)
    }

    fn constant(&self, value: bool) -> Bdd {
        if value {
            self.set.mk_true()
        } else {
            self.set.mk_false()
        }
    }

    /// Defines a situation whose rows name only situations defined before.
    fn define(&mut self, id: SituationId) -> Result<(), OverBudget> {
        let conditions = self.conditions;
        let mut holds = self.set.mk_false();
        for &row in conditions.rows.of(id.index()) {
            let row = self.before(&conditions.model.situation_rows[row].all)?;
            holds = self.or(&holds, &row)?;
        }
        if conditions.model.situations[id.index()].event {
            let fires = self.set.mk_var(self.var(Atom::Event(id)));
            let explained = self.apply(&fires, &holds, op_function::imp)?;
            self.explained = apply(self.work, &self.explained, &explained, op_function::and)?;
        }
        self.situations.push((id, holds));
        Ok(())
    }

    /// Pairs of variables next to each other.
    fn neighbours(&self) -> impl Iterator<Item = (Atom, Atom)> + use<'_, 'a, 'w> {
        self.atoms
            .windows(2)
            .map(|pair| (pair[0], pair[1]))
            .filter(|(low, high)| self.same_quantity(*low, *high))
    }

    fn order_sides(&mut self) -> Result<(), OverBudget> {
        let pairs: Vec<(Atom, Atom)> = self.neighbours().collect();
        // From the last variable upwards each step adds on top of what is there.
        for (low, high) in pairs.into_iter().rev() {
            let low = self.set.mk_var(self.var(low));
            let high = self.set.mk_var(self.var(high));
            let implied = low.imp(&high);
            self.ordered = apply(self.work, &self.ordered, &implied, op_function::and)?;
        }
        let mut impossible = BddPartialValuation::empty();
        for atom in &self.atoms {
            if let Atom::Side(id) = atom {
                let side = self.conditions.borders.side(*id);
                let negative = if side.inclusive {
                    side.threshold < 0.0
                } else {
                    side.threshold <= 0.0
                };
                if negative && self.conditions.borders.is_never_negative(side.quantity) {
                    impossible.set_value(self.var(*atom), false);
                }
            }
        }
        let clause = self.set.mk_conjunctive_clause(&impossible);
        self.ordered = apply(self.work, &self.ordered, &clause, op_function::and)?;
        Ok(())
    }

    /// Allows only combinations of switches that the assignments can bring about.
    fn reachable_switches(&mut self) -> Result<(), OverBudget> {
        let conditions = self.conditions;
        let switches: Vec<SwitchId> = self
            .atoms
            .iter()
            .filter_map(|atom| match atom {
                Atom::Switch(id) if conditions.is_assigned(*id) => Some(*id),
                _ => None,
            })
            .collect();
        if self.view == View::Loose || switches.is_empty() {
            return Ok(());
        }
        let Some(combinations) = reach::combinations(conditions, &switches, self.work)? else {
            return Ok(());
        };
        if switches.len() < 16 && combinations.len() == 1 << switches.len() {
            return Ok(());
        }
        let mut allowed = self.set.mk_false();
        for combination in combinations {
            let variables = switches.iter().map(|id| self.var(Atom::Switch(*id)));
            let values: Vec<(BddVariable, bool)> = variables.zip(combination).collect();
            let one = BddPartialValuation::from_values(&values);
            let one = self.set.mk_conjunctive_clause(&one);
            allowed = self.or(&allowed, &one)?;
        }
        self.ordered = apply(self.work, &self.ordered, &allowed, op_function::and)?;
        Ok(())
    }
}

/// One operation on diagrams, paid from the budget.
pub(super) fn apply(
    work: &mut Work,
    a: &Bdd,
    b: &Bdd,
    op: fn(Option<bool>, Option<bool>) -> Option<bool>,
) -> Result<Bdd, OverBudget> {
    /// Below so many pairs of nodes the work is not estimated beforehand.
    const SMALL: usize = 4096;
    let pairs = a.size().saturating_mul(b.size());
    if pairs > SMALL {
        let (_, steps) = Bdd::check_binary_op(work.left(), a, b, op).ok_or(OverBudget)?;
        work.spend(steps)?;
    }
    let result = Bdd::binary_op(a, b, op);
    work.spend(a.size() + b.size() + result.size())?;
    Ok(result)
}
