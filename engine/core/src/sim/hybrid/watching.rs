//! What a run takes from its trajectory besides rows: measures and the condition that ends it.
//!
//! A condition's comparisons are borders that nothing depends on: they are located like all others,
//! but crossing one is no instant and leaves the steps as they are. Between the crossings, instants
//! and ends of steps a measure of extremes also looks where its expression turns.

use crate::ids::ExprId;
use crate::lower::Probes;
use crate::lower::border::{Side, View, truth};
use crate::model::{Comparison, Literal, Model, WatchLiteral};
use crate::trace::{Measure, Measured};

use super::truth::Truths;

/// Pieces of a step at whose ends an expression is looked at to bracket its extremes.
const PIECES: u32 = 8;

/// Steps of the golden section: the bracket shrinks to 1e-9 of itself.
const GOLDEN_STEPS: u32 = 43;

/// Conditions and measures of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Watching {
    /// The comparisons of all conditions, each with its truth.
    pub(super) comparisons: Vec<Comparison>,
    holding: Vec<bool>,
    conditions: Vec<Vec<Atom>>,
    values: Vec<ExprId>,
    measures: Vec<Measured>,
    has_stop_when: bool,
    /// `stop_when` has come true.
    pub(super) stopped: bool,
}

/// A literal of a condition.
#[derive(Clone, Copy, Debug)]
enum Atom {
    Boolean(Literal),
    Comparison(usize),
}

impl Watching {
    pub(super) fn new(model: &Model, measures: &[Measure]) -> Self {
        let mut probes = Probes::default();
        probes.watches.extend(model.clock.stop_when.clone());
        let has_stop_when = !probes.watches.is_empty();
        let measures: Vec<Measured> = measures
            .iter()
            .map(|measure| Measured::new(measure, model, &mut probes))
            .collect();
        let mut comparisons = Vec::new();
        let mut atom = |literal: &WatchLiteral| match literal {
            WatchLiteral::Boolean(literal) => Atom::Boolean(*literal),
            WatchLiteral::Comparison(comparison) => {
                comparisons.push(*comparison);
                Atom::Comparison(comparisons.len() - 1)
            }
        };
        let conditions = probes
            .watches
            .iter()
            .map(|watch| watch.iter().map(&mut atom).collect())
            .collect();
        Self {
            holding: vec![false; comparisons.len()],
            comparisons,
            conditions,
            values: probes.values,
            measures,
            has_stop_when,
            stopped: false,
        }
    }

    /// Whether there is nothing to do.
    pub(super) fn is_idle(&self) -> bool {
        self.conditions.is_empty() && self.measures.is_empty()
    }

    /// Whether something is looked for inside of steps, and not only at the end.
    pub(super) fn looks_inside(&self) -> bool {
        !self.conditions.is_empty() || !self.measures.iter().all(Measured::is_final)
    }

    /// Whether nothing is taken in from steps in which no margin changes its sign and at whose times nothing
    /// is asked for, but final values.
    pub(super) fn looks_at_events_only(&self) -> bool {
        self.measures.iter().all(Measured::changes_at_events_only)
    }

    /// The final values that are measured; `None` if there is more to do.
    pub(super) fn finals(&self) -> Option<Vec<ExprId>> {
        let finals = self
            .measures
            .iter()
            .map(|measured| self.values[measured.probe]);
        (!self.looks_inside()).then(|| finals.collect())
    }

    /// The results so far.
    pub(super) fn measured(&self) -> Vec<Option<f64>> {
        self.measures.iter().map(Measured::value).collect()
    }

    /// Times in a span at which a measure wants to look.
    pub(super) fn times(&self, from: f64, to: f64) -> impl Iterator<Item = f64> {
        let wanted = self.measures.iter().filter_map(Measured::wanted);
        wanted.filter(move |&time| from < time && time <= to)
    }

    /// The expressions whose extremes are measured.
    pub(super) fn extremes(&self) -> impl Iterator<Item = ExprId> {
        let probes = self.measures.iter().filter_map(Measured::extreme_of);
        probes.map(|probe| self.values[probe])
    }

    /// The comparisons' truths follow the sides of their borders.
    pub(super) fn follow_sides(&mut self, views: &[View], sides: &[Side]) {
        let comparisons = self.comparisons.iter().zip(views);
        for ((comparison, view), holds) in comparisons.zip(&mut self.holding) {
            *holds = truth(comparison.op, view.side(sides[view.border.index()]));
        }
    }

    /// Looks at a point of the trajectory.
    pub(super) fn take(
        &mut self,
        model: &Model,
        truths: &Truths,
        constants: &[f64],
        reals: &[f64],
        time: f64,
    ) {
        let Self {
            holding,
            conditions,
            values,
            measures,
            ..
        } = self;
        let holds = |condition: usize| {
            conditions[condition].iter().all(|atom| match *atom {
                Atom::Boolean(literal) => truths.holds(literal),
                Atom::Comparison(index) => holding[index],
            })
        };
        let value = |probe: usize| model.value_at(values[probe], reals, constants, time);
        self.stopped |= self.has_stop_when && holds(0);
        for measured in measures {
            measured.take(time, value, holds);
        }
    }
}

/// Where a function on [0, 1] has its inner extremes, as far as they show at the ends of a few equal
/// pieces [theta].
pub(super) fn turning_points(mut value: impl FnMut(f64) -> f64, into: &mut Vec<f64>) {
    let at = |piece: u32| f64::from(piece) / f64::from(PIECES);
    let mut seen = [value(0.0), value(at(1)), 0.0];
    for piece in 2..=PIECES {
        seen[2] = value(at(piece));
        let [left, middle, right] = seen;
        let sign = match (
            middle > left && middle >= right,
            middle < left && middle <= right,
        ) {
            (true, _) => 1.0,
            (_, true) => -1.0,
            _ => 0.0,
        };
        if sign != 0.0 {
            into.push(golden(at(piece - 2), at(piece), |theta| {
                sign * value(theta)
            }));
        }
        seen = [seen[1], seen[2], 0.0];
    }
}

/// Golden section search for a maximum.
fn golden(mut low: f64, mut high: f64, mut value: impl FnMut(f64) -> f64) -> f64 {
    const RATIO: f64 = 0.618_033_988_749_894_9;
    let inner = |low: f64, high: f64| [high - RATIO * (high - low), low + RATIO * (high - low)];
    let [mut left, mut right] = inner(low, high);
    let [mut at_left, mut at_right] = [value(left), value(right)];
    for _ in 0..GOLDEN_STEPS {
        if at_left >= at_right {
            (high, right, at_right) = (right, left, at_left);
            left = inner(low, high)[0];
            at_left = value(left);
        } else {
            (low, left, at_left) = (left, right, at_right);
            right = inner(low, high)[1];
            at_right = value(right);
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turning_points_are_found() {
        let mut found = Vec::new();
        turning_points(|x| (x - 0.3) * (x - 0.3), &mut found);
        turning_points(|x| x * (1.0 - x), &mut found);
        turning_points(|x| 2.0 * x, &mut found);
        assert_eq!(found.len(), 2);
        assert!(
            (found[0] - 0.3).abs() < 1e-7 && (found[1] - 0.5).abs() < 1e-7,
            "{found:?}"
        );
    }
}
