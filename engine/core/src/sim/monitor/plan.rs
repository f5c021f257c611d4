//! Watched parts of a model: events, and ranges and situations that do not move themselves.

use std::collections::HashSet;

use crate::graph::components;
use crate::ids::{ExprId, RangeId, SituationId, SwitchId};
use crate::lower::Program;
use crate::model::{Argument, Boolean, Conjunction, Expr, Guard, Model};

/// Role of a boolean: the changes of it that are watched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    /// Nothing.
    None,
    /// When it fires, an event by its place among those watched.
    Event(usize),
    /// When it changes, by its place among those that do not move themselves.
    Free(usize),
}

/// Watched parts of a model.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    n_switches: usize,
    n_visible: usize,
    /// Per bit of the tape.
    roles: Vec<Role>,
    /// Per switch and range the circle of causes that it stands in, if that goes through a range.
    groups: Vec<Option<u32>>,
    /// Booleans with a role, as bits.
    mask: Vec<u64>,
    events: Vec<SituationId>,
    /// Per watched event the circles of causes of the ranges that it arises with.
    event_groups: Vec<Vec<u32>>,
    free: Vec<Boolean>,
}

impl Plan {
    /// Of a model and what it was lowered to.
    pub(crate) fn new(model: &Model, program: &Program) -> Self {
        let n_bits = program.tape.n_bits as usize;
        let causes = Causes::of(model);
        let circle_of = causes.circles();
        let (n_switches, n_ranges) = (model.switches.len(), model.ranges.len());
        let n_visible = n_switches + n_ranges + model.situations.len();
        let mut plan = Self {
            n_switches,
            n_visible,
            roles: vec![Role::None; n_bits],
            groups: causes.groups(&circle_of),
            mask: vec![0; n_bits.div_ceil(64).max(1)],
            events: Vec::new(),
            event_groups: Vec::new(),
            free: Vec::new(),
        };
        for index in 0..n_ranges {
            let bit = n_switches + index;
            if plan.groups[bit].is_none() {
                plan.free(bit, Boolean::Range(RangeId::new(index)));
            }
        }
        let mut arises = vec![false; model.situations.len()];
        // Situations that hold for a tick by their nature, or by what a range brought about itself.
        let mut is_moved = vec![false; model.situations.len()];
        // The circles of causes of the ranges with which each arises.
        let mut circles = vec![Vec::new(); model.situations.len()];
        for (row, remembered) in model.situation_rows.iter().zip(&program.remembered) {
            let id = row.situation;
            circles[id.index()].extend(row.all.iter().filter_map(|literal| match literal.what {
                Boolean::Range(id) => plan.group_of_range(id),
                _ => None,
            }));
            let own = circle_of[n_switches + n_ranges + id.index()];
            let moved = row.all.iter().any(|literal| match literal.what {
                // What it brings about may turn the switch, as a transition leaves its state.
                Boolean::Switch(id) => {
                    plan.groups[id.index()].is_some()
                        || own.is_some() && circle_of[id.index()] == own
                }
                Boolean::Range(id) => plan.groups[n_switches + id.index()].is_some(),
                Boolean::Situation(id) => is_moved[id.index()] || model.is_event(literal.what),
                Boolean::Schedule(_) | Boolean::Start => true,
            });
            is_moved[id.index()] |= moved;
            if let Some(bit) = remembered {
                arises[id.index()] = true;
                if !moved && row.all.len() > 1 {
                    plan.free(*bit as usize, Boolean::Situation(id));
                }
            }
        }
        for (index, situation) in model.situations.iter().enumerate() {
            let (bit, id) = (n_switches + n_ranges + index, SituationId::new(index));
            if arises[index] {
                plan.give(bit, Role::Event(plan.events.len()));
                plan.events.push(id);
                plan.event_groups.push(std::mem::take(&mut circles[index]));
            } else if !situation.event && !is_moved[index] {
                plan.free(bit, Boolean::Situation(id));
            }
        }
        plan
    }

    /// Watches a boolean that does not move itself.
    fn free(&mut self, bit: usize, what: Boolean) {
        self.give(bit, Role::Free(self.free.len()));
        self.free.push(what);
    }

    fn give(&mut self, bit: usize, role: Role) {
        self.roles[bit] = role;
        self.mask[bit / 64] |= 1 << (bit % 64);
    }

    /// True if any boolean is watched by itself, so that the order of changes matters.
    pub(crate) fn watches(&self) -> bool {
        !(self.events.is_empty() && self.free.is_empty())
    }

    /// True if changes are counted in samples and no boolean is watched by itself.
    pub(crate) fn samples(&self) -> bool {
        !self.watches() && self.groups.iter().any(Option::is_some)
    }

    pub(super) fn n_visible(&self) -> usize {
        self.n_visible
    }

    pub(super) fn n_events(&self) -> usize {
        self.events.len()
    }

    pub(super) fn n_free(&self) -> usize {
        self.free.len()
    }

    pub(super) fn mask(&self) -> &[u64] {
        &self.mask
    }

    pub(super) fn role(&self, bit: usize) -> Role {
        self.roles[bit]
    }

    pub(super) fn situation(&self, event: usize) -> SituationId {
        self.events[event]
    }

    pub(super) fn groups_of_event(&self, event: usize) -> &[u32] {
        &self.event_groups[event]
    }

    pub(super) fn event(&self, id: SituationId) -> Option<usize> {
        self.events.binary_search(&id).ok()
    }

    pub(super) fn free_boolean(&self, place: usize) -> Boolean {
        self.free[place]
    }

    /// The circle of causes in which a switch or range stands.
    pub(crate) fn group(&self, bit: usize) -> Option<u32> {
        self.groups.get(bit).copied().flatten()
    }

    /// The circle of causes in which a range stands.
    pub(crate) fn group_of_range(&self, id: RangeId) -> Option<u32> {
        self.group(self.n_switches + id.index())
    }

    pub(super) fn boolean(&self, bit: usize) -> Boolean {
        match bit.checked_sub(self.n_switches) {
            None => Boolean::Switch(SwitchId::new(bit)),
            Some(range) => Boolean::Range(RangeId::new(range)),
        }
    }
}

/// Graph of causes: switches, ranges, situations, reals and relations as nodes.
struct Causes {
    n_switches: usize,
    n_ranges: usize,
    /// Per node those that it acts on.
    acts_on: Vec<Vec<usize>>,
}

impl Causes {
    fn of(model: &Model) -> Self {
        let (n_switches, n_ranges) = (model.switches.len(), model.ranges.len());
        let n_booleans = n_switches + n_ranges + model.situations.len();
        let mut causes = Self {
            n_switches,
            n_ranges,
            acts_on: Vec::new(),
        };
        // Circles are asked for of booleans: a field of a million reals without any needs no graph.
        if n_booleans == 0 {
            return causes;
        }
        let n_nodes = n_booleans + model.reals.len() + model.relations.len();
        causes.acts_on.resize(n_nodes, Vec::new());
        for (index, range) in model.ranges.iter().enumerate() {
            for comparison in &range.all {
                for side in [comparison.left, comparison.right] {
                    causes.read(model, side, n_booleans, n_switches + index);
                }
            }
        }
        for row in &model.situation_rows {
            causes.held(&row.all, n_switches + n_ranges + row.situation.index());
        }
        for assignment in &model.assignments {
            for (switch, _) in &assignment.set {
                causes.held(&assignment.when, switch.index());
            }
        }
        // What an `otherwise` row depends on: the conditions of the other rows of its real.
        let mut conditions: Vec<Vec<usize>> = vec![Vec::new(); model.reals.len()];
        for relation in &model.relations {
            let Guard::When(all) = &relation.guard else {
                continue;
            };
            let nodes = || all.iter().filter_map(|literal| causes.node(literal.what));
            for target in &relation.targets {
                conditions[target.index()].extend(nodes());
            }
        }
        for (index, relation) in model.relations.iter().enumerate() {
            let row = n_booleans + model.reals.len() + index;
            match &relation.guard {
                Guard::Always => {}
                Guard::When(all) => causes.held(all, row),
                Guard::Otherwise => {
                    for target in &relation.targets {
                        for &cause in &conditions[target.index()] {
                            causes.acts_on[cause].push(row);
                        }
                    }
                }
            }
            for argument in &relation.args {
                match argument {
                    Argument::Real(expr) => causes.read(model, *expr, n_booleans, row),
                    Argument::Boolean(literal) => {
                        if let Some(cause) = causes.node(literal.what) {
                            causes.acts_on[cause].push(row);
                        }
                    }
                }
            }
            let targets = relation.targets.iter();
            causes.acts_on[row].extend(targets.map(|target| n_booleans + target.index()));
        }
        causes
    }

    fn node(&self, what: Boolean) -> Option<usize> {
        match what {
            Boolean::Switch(id) => Some(id.index()),
            Boolean::Range(id) => Some(self.n_switches + id.index()),
            Boolean::Situation(id) => Some(self.n_switches + self.n_ranges + id.index()),
            Boolean::Schedule(_) | Boolean::Start => None,
        }
    }

    fn held(&mut self, all: &Conjunction, node: usize) {
        for literal in all {
            if let Some(cause) = self.node(literal.what) {
                self.acts_on[cause].push(node);
            }
        }
    }

    fn read(&mut self, model: &Model, expr: ExprId, n_booleans: usize, node: usize) {
        model.exprs.visit(expr, |_, part| {
            if let Expr::Real(id) = part {
                self.acts_on[n_booleans + id.index()].push(node);
            }
        });
    }

    /// Per node the circle of causes it stands in.
    fn circles(&self) -> Vec<Option<u32>> {
        let mut circle_of = vec![None; self.acts_on.len()];
        let circles = components(self.acts_on.len(), |node| self.acts_on[node].clone());
        for (number, circle) in (0..).zip(&circles) {
            for &node in circle.iter().filter(|_| circle.len() > 1) {
                circle_of[node] = Some(number);
            }
        }
        circle_of
    }

    /// Per switch and range the circle of causes it stands in, if a range does.
    fn groups(&self, circle_of: &[Option<u32>]) -> Vec<Option<u32>> {
        let n_groups = self.n_switches + self.n_ranges;
        let ranges = &circle_of[self.n_switches..n_groups];
        let with_range: HashSet<u32> = ranges.iter().flatten().copied().collect();
        let of_ranges = |circle: &Option<u32>| circle.filter(|number| with_range.contains(number));
        circle_of[..n_groups].iter().map(of_ranges).collect()
    }
}
