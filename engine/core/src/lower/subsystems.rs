//! Subsystems: the parts of a model that know nothing of each other.
//!
//! Two quantities are of one subsystem if a row, a range, a situation or an assignment names both. Independent elements of
//! a family are subsystems each, and so is a clock that counts beside them. What happens in one subsystem changes
//! nothing in another: which sides the borders of the others are on need not be asked again.

use crate::graph::DisjointSets;
use crate::ids::{ExprId, RealId, RelationId};
use crate::lower::border::{BorderId, BorderSource, Borders};
use crate::model::{Argument, Boolean, Comparison, Guard, Model};

/// Which subsystem everything belongs to. The time belongs to none: all know it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Subsystems {
    /// Per node the first node of its subsystem.
    of: Vec<usize>,
    places: Places,
    /// Per relation one of its targets.
    targets: Vec<Option<RealId>>,
}

/// Where the nodes of each kind begin.
#[derive(Clone, Copy, Debug, Default)]
struct Places {
    ranges: usize,
    situations: usize,
    switches: usize,
    schedules: usize,
    end: usize,
}

impl Places {
    fn of(model: &Model) -> Self {
        let ranges = model.reals.len();
        let situations = ranges + model.ranges.len();
        let switches = situations + model.situations.len();
        let schedules = switches + model.switches.len();
        let end = schedules + model.schedules.len();
        Self {
            ranges,
            situations,
            switches,
            schedules,
            end,
        }
    }

    fn boolean(&self, what: Boolean) -> Option<usize> {
        match what {
            Boolean::Range(id) => Some(self.ranges + id.index()),
            Boolean::Situation(id) => Some(self.situations + id.index()),
            Boolean::Switch(id) => Some(self.switches + id.index()),
            Boolean::Schedule(id) => Some(self.schedules + id.index()),
            Boolean::Start => None,
        }
    }
}

/// Nodes joined so far.
struct Joining<'m> {
    model: &'m Model,
    places: Places,
    sets: DisjointSets,
}

impl Joining<'_> {
    fn join_boolean(&mut self, node: usize, what: Boolean) {
        if let Some(other) = self.places.boolean(what) {
            self.sets.join(node, other);
        }
    }

    fn join_expr(&mut self, node: usize, expr: ExprId) {
        let model = self.model;
        model
            .exprs
            .each_real(expr, |real| self.sets.join(node, real.index()));
    }

    fn join_comparisons(&mut self, node: usize, all: &[Comparison]) {
        for comparison in all {
            self.join_expr(node, comparison.left);
            self.join_expr(node, comparison.right);
        }
    }
}

impl Subsystems {
    pub(crate) fn new(model: &Model) -> Self {
        let places = Places::of(model);
        let mut nodes = Joining {
            model,
            places,
            sets: DisjointSets::new(places.end),
        };
        for (index, range) in model.ranges.iter().enumerate() {
            nodes.join_comparisons(places.ranges + index, &range.all);
        }
        for row in &model.situation_rows {
            let node = places.situations + row.situation.index();
            for literal in &row.all {
                nodes.join_boolean(node, literal.what);
            }
        }
        for assignment in &model.assignments {
            let Some((first, _)) = assignment.set.first() else {
                continue;
            };
            let node = places.switches + first.index();
            for (switch, _) in &assignment.set {
                nodes.sets.join(node, places.switches + switch.index());
            }
            for literal in &assignment.when {
                nodes.join_boolean(node, literal.what);
            }
        }
        for relation in &model.relations {
            let Some(first) = relation.targets.first() else {
                continue;
            };
            let node = first.index();
            for target in &relation.targets {
                nodes.sets.join(node, target.index());
            }
            if let Guard::When(all) = &relation.guard {
                for literal in all {
                    nodes.join_boolean(node, literal.what);
                }
            }
            for arg in &relation.args {
                match arg {
                    Argument::Real(expr) => nodes.join_expr(node, *expr),
                    Argument::Boolean(literal) => nodes.join_boolean(node, literal.what),
                }
            }
        }
        let of = (0..places.end).map(|node| nodes.sets.first(node)).collect();
        let targets = model.relations.iter();
        Self {
            targets: targets.map(|one| one.targets.first().copied()).collect(),
            of,
            places,
        }
    }

    /// Number of nodes; subsystems have numbers below it.
    pub(crate) fn len(&self) -> usize {
        self.of.len()
    }

    /// The subsystem of a real.
    pub(crate) fn of_real(&self, real: RealId) -> usize {
        self.of[real.index()]
    }

    /// The subsystem of a boolean; `None` of the start, which all know.
    pub(crate) fn of_boolean(&self, what: Boolean) -> Option<usize> {
        Some(self.of[self.places.boolean(what)?])
    }

    /// The subsystem of a border; `None` if it is watched from outside, or is a border of the time.
    pub(crate) fn of_border(&self, borders: &Borders, border: BorderId) -> Option<usize> {
        let of_relation = |id: RelationId| Some(self.of_real(self.targets[id.index()]?));
        match borders.owners[border.index()] {
            _ if borders.is_of_time(border) => None,
            BorderSource::Comparison(range, _) | BorderSource::RangeKink(range, _) => {
                self.of_boolean(Boolean::Range(range))
            }
            source => of_relation(source.relation()?),
        }
    }
}
