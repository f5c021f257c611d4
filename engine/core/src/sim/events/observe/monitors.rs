//! Monitors of a run besides its rows: measures and the condition that ends it.
//!
//! A condition's comparisons are borders that nothing depends on: they are located like all others,
//! but crossing one is no instant and leaves the steps as they are. Between the crossings, instants
//! and ends of steps a measure of extremes also takes in the extrema of its expression.
//!
//! A comparison may have its border in common with the model, whose side there is the one to which the motion leaves. Where
//! a jump or the start leads onto the border, the comparison is that of the two numbers until the motion leaves (FORMALISM
//! 10.2), as if it had the border alone.
//!
//! Only a kink inside such a comparison (`abs(x) < 1`) becomes a border of the model, since values depend on it.

use crate::ids::ExprId;
use crate::lower::Probes;
use crate::lower::border::{BorderId, Side, View, truth};
use crate::lower::domains::domain_of;
use crate::model::{CompareOp, Comparison, Literal, Model, WatchLiteral};
use crate::trace::{Gap, Measure, Measured};

use crate::sim::events::iteration::row_programs::{RowProgram, formula};
use crate::sim::events::state::discrete_state::DiscreteState;
use smallvec::SmallVec;
use std::ops::Range as Span;
use std::sync::Arc;

/// Conditions and measures of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Monitors {
    /// The comparisons of all conditions, each with its truth.
    pub(crate) comparisons: Vec<Comparison>,
    holding: Vec<bool>,
    /// Borders in common with the model on which the numbers are equal up to rounding, each with the side of the computed
    /// margin.
    landed: Vec<(BorderId, Side)>,
    conditions: Vec<Vec<Atom>>,
    /// The comparisons that do not have values everywhere, each with the ones that say where.
    pub(crate) limits: Vec<(usize, Span<usize>)>,
    /// Per measure of an extreme the comparisons that say where its expression has values.
    edges: Vec<(usize, Span<usize>)>,
    /// What measures are taken of, and the programs that compute it.
    values: Vec<ExprId>,
    formulas: Vec<RowProgram>,
    measures: Vec<Measured>,
    /// Position of the condition that stops the run.
    stop: Option<usize>,
    /// `stop_when` has come true.
    pub(crate) stopped: bool,
    /// `stop_when` holds since the run was taken up: it stops the run when it comes true again.
    waits: bool,
}

/// A literal of a condition, which has the comparisons by number.
#[derive(Clone, Debug)]
enum Atom {
    Boolean(Literal),
    Comparison(usize),
    /// One of several conditions holds, or none of them does.
    Any(Vec<Vec<Atom>>, bool),
}

/// The comparisons of conditions while these are made.
#[derive(Default)]
struct Comparisons {
    all: Vec<Comparison>,
    limits: Vec<(usize, Span<usize>)>,
}

/// The kind of a point at which measures and conditions are evaluated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Point {
    /// Right behind a microstep, once: the events that fire in it hold there.
    Microstep,
    /// Any other: events that hold there have been counted.
    Standing,
    /// The one at which measures are asked for their results. Final values are of no interest before.
    Last,
}

impl Comparisons {
    /// A condition with the numbers of its comparisons.
    fn condition(
        &mut self,
        model: &mut Arc<Model>,
        constants: &[f64],
        watch: &[WatchLiteral],
    ) -> Vec<Atom> {
        let mut condition = Vec::with_capacity(watch.len());
        for literal in watch {
            match literal {
                WatchLiteral::Boolean(literal) => condition.push(Atom::Boolean(*literal)),
                WatchLiteral::Comparison(comparison) => {
                    // Where it has values is looked for before it.
                    let first = self.all.len();
                    self.all.extend(domain_of(model, constants, comparison));
                    let own = self.all.len();
                    self.all.push(*comparison);
                    condition.extend((first..=own).map(Atom::Comparison));
                    // What stands outside may have no value either where what stands inside has none.
                    let limits = (first + 1..=own).map(|one| (one, first..one));
                    self.limits.extend(limits);
                }
                WatchLiteral::Any { of, negated } => {
                    let of = of
                        .iter()
                        .map(|watch| self.condition(model, constants, watch));
                    condition.push(Atom::Any(of.collect(), *negated));
                }
            }
        }
        condition
    }
}

impl Monitors {
    /// `model`: gets the comparisons that say where those of the conditions have values.
    pub(crate) fn new(model: &mut Arc<Model>, constants: &[f64], measures: &[Measure]) -> Self {
        let mut probes = Probes::default();
        probes.watches.extend(model.clock.stop_when.clone());
        let stop = (!probes.watches.is_empty()).then_some(0);
        let measures: Vec<Measured> = measures
            .iter()
            .map(|measure| Measured::new(measure, model, &mut probes))
            .collect();
        let mut compared = Comparisons::default();
        let watches = probes.watches.iter();
        let conditions = watches
            .map(|watch| compared.condition(model, constants, watch))
            .collect();
        let Comparisons {
            all: mut comparisons,
            limits,
        } = compared;
        let mut edges = Vec::new();
        let extremes = measures.iter().enumerate();
        for (number, measured) in extremes.filter(|(_, measured)| measured.is_extreme()) {
            let value = probes.values[measured.probe];
            let with_itself = Comparison {
                left: value,
                op: CompareOp::LessEqual,
                right: value,
            };
            let first = comparisons.len();
            comparisons.extend(domain_of(model, constants, &with_itself));
            edges.push((number, first..comparisons.len()));
        }
        let formulas = probes.values.iter();
        let formulas = formulas.map(|&value| formula(model, &[value], constants));
        Self {
            holding: vec![false; comparisons.len()],
            landed: Vec::new(),
            comparisons,
            conditions,
            limits,
            edges,
            formulas: formulas.collect(),
            values: probes.values,
            measures,
            stop,
            stopped: false,
            waits: false,
        }
    }

    /// True if there is nothing to do.
    pub(crate) fn is_idle(&self) -> bool {
        self.conditions.is_empty() && self.measures.is_empty()
    }

    /// True if steps are searched inside, and not only read at their ends.
    pub(crate) fn looks_inside(&self) -> bool {
        !self.conditions.is_empty() || !self.measures.iter().all(Measured::is_final)
    }

    /// The final values that are measured; `None` if there is more to do.
    pub(crate) fn finals(&self) -> Option<Vec<ExprId>> {
        let finals = self
            .measures
            .iter()
            .map(|measured| self.values[measured.probe]);
        (!self.looks_inside()).then(|| finals.collect())
    }

    /// The results so far, at a present time.
    pub(crate) fn measured(&self, now: f64) -> Vec<Option<f64>> {
        let measures = self.measures.iter();
        measures.map(|measured| measured.value(now)).collect()
    }

    /// Per measure the times at which what an extreme is taken of had no value.
    pub(crate) fn gaps(&self) -> Vec<Option<Gap>> {
        self.measures.iter().map(Measured::gap).collect()
    }

    /// Times in a span at which a measure wants to look.
    pub(crate) fn times(&self, from: f64, to: f64) -> impl Iterator<Item = f64> {
        let wanted = self.measures.iter().filter_map(Measured::wanted);
        wanted.filter(move |&time| from < time && time <= to)
    }

    /// The measures of extremes.
    pub(crate) fn extremes(&self) -> SmallVec<[usize; 4]> {
        let measures = self.measures.iter().enumerate();
        let extremes = measures.filter(|(_, measured)| measured.is_extreme());
        extremes.map(|(number, _)| number).collect()
    }

    /// What computes the value that a measure is taken of.
    pub(crate) fn formula(&mut self, number: usize) -> &mut RowProgram {
        &mut self.formulas[self.measures[number].probe]
    }

    /// The comparisons that say where the expression of a measure has values.
    pub(crate) fn edges_of(&self, number: usize) -> Span<usize> {
        let own = self.edges.iter().find(|(other, _)| *other == number);
        own.map_or(0..0, |(_, edges)| edges.clone())
    }

    /// A measure of an extreme takes in a value between two rows.
    pub(crate) fn take_between(&mut self, number: usize, value: f64) {
        self.measures[number].take_between(value);
    }

    /// The comparisons' truths follow the sides of their borders, or the numbers that a jump has made equal.
    pub(crate) fn follow_sides(&mut self, views: &[View], sides: &[Side]) {
        let comparisons = self.comparisons.iter().zip(views);
        for ((comparison, view), holds) in comparisons.zip(&mut self.holding) {
            let mut landed = self.landed.iter();
            let landed = landed.find(|(border, _)| *border == view.border);
            let side = landed.map_or(sides[view.border.index()], |(_, side)| *side);
            *holds = truth(comparison.op, view.side(side));
        }
    }

    /// A jump or the start leads onto a border that comparisons have in common with the model.
    pub(crate) fn land(&mut self, border: BorderId, side: Side) {
        self.leave(border);
        self.landed.push((border, side));
    }

    /// The motion or a jump leaves a border.
    pub(crate) fn leave(&mut self, border: BorderId) {
        self.landed.retain(|(other, _)| *other != border);
    }

    /// The motion is bound to these borders.
    pub(crate) fn leave_all(&mut self, bound: impl Fn(BorderId) -> bool) {
        self.landed.retain(|(border, _)| !bound(*border));
    }

    /// The borders onto which a jump or the start has led, or on which the run has stopped.
    pub(crate) fn landed(&self) -> impl Iterator<Item = BorderId> {
        self.landed.iter().map(|(border, _)| *border)
    }

    /// The same, each with the side of the computed margin.
    pub(crate) fn landed_sides(&self) -> &[(BorderId, Side)] {
        &self.landed
    }

    /// A state is restored that lies on these borders.
    pub(crate) fn land_on(&mut self, landed: &[(BorderId, Side)]) {
        self.landed = landed.to_vec();
    }

    /// True if a jump or the start has led onto a border that has not been left since.
    pub(crate) fn is_landed(&self, border: BorderId) -> bool {
        self.landed.iter().any(|(other, _)| *other == border)
    }

    /// True if durations are measured.
    pub(super) fn has_durations(&self) -> bool {
        self.measures.iter().any(Measured::is_duration)
    }

    /// The measures of durations, and whether the condition of each holds in these truths.
    pub(super) fn durations_in(
        &self,
        truths: &DiscreteState,
        views: &[View],
    ) -> Vec<(usize, bool)> {
        let comparisons = self.comparisons.iter().zip(views);
        let holding: Vec<bool> = comparisons
            .map(|(comparison, view)| {
                truth(comparison.op, view.side(truths.sides[view.border.index()]))
            })
            .collect();
        let measures = self.measures.iter().enumerate();
        measures
            .filter(|(_, measured)| measured.is_duration())
            .map(|(number, measured)| {
                let condition = &self.conditions[measured.probe];
                (number, all_hold(condition, truths, &holding))
            })
            .collect()
    }

    /// A measure of a duration takes in for how long its condition held since the last row, up to a time.
    pub(super) fn take_held(&mut self, number: usize, held: f64, time: f64) {
        self.measures[number].take_held(held, time);
    }

    /// The run goes on where `stop_when` holds, and stops when it comes true again.
    pub(super) fn await_again(&mut self) {
        self.waits = std::mem::take(&mut self.stopped);
    }

    /// True if there is a `stop_when` that may stop the run.
    pub(crate) fn may_stop(&self) -> bool {
        self.stop.is_some()
    }

    /// `stop_when` stops the run no more, its comparisons stay borders; the condition of a measure does, if one is given.
    pub(crate) fn ignore_stop_when(&mut self, instead: Option<usize>) {
        self.stop = instead.map(|measure| self.measures[measure].probe);
    }

    /// Measures forget what they have taken in.
    pub(crate) fn restart(&mut self) {
        self.measures.iter_mut().for_each(Measured::restart);
    }

    /// Looks at what stands before anything happens at the start, so that it can be told what arises there.
    pub(crate) fn begin(&mut self, truths: &DiscreteState) {
        let Self {
            holding,
            conditions,
            measures,
            ..
        } = self;
        for measured in measures {
            measured.begin(|condition| all_hold(&conditions[condition], truths, holding));
        }
    }

    /// Looks at a point of the trajectory.
    pub(super) fn take(&mut self, truths: &DiscreteState, reals: &[f64], time: f64, point: Point) {
        let Self {
            holding,
            conditions,
            edges,
            formulas,
            measures,
            ..
        } = self;
        let holds = |condition: usize| all_hold(&conditions[condition], truths, holding);
        let mut value = |probe: usize| formulas[probe].value_at(time, reals);
        let holds_now = self.stop.is_some_and(holds);
        self.stopped |= holds_now && !self.waits;
        self.waits &= holds_now;
        for (number, measured) in measures.iter_mut().enumerate() {
            if point != Point::Microstep && measured.counts_events() {
                measured.begin(holds);
            } else if point == Point::Last || !measured.is_final() {
                let mut own = edges.iter().filter(|(other, _)| *other == number);
                let in_domain = own.all(|(_, edges)| holding[edges.clone()].iter().all(|one| *one));
                measured.take(time, in_domain, &mut value, holds);
            }
        }
    }
}

/// True if all literals of a condition hold. `holding`: the truths of the comparisons.
fn all_hold(condition: &[Atom], truths: &DiscreteState, holding: &[bool]) -> bool {
    condition.iter().all(|atom| match atom {
        Atom::Boolean(literal) => truths.holds(*literal),
        Atom::Comparison(index) => holding[*index],
        Atom::Any(of, negated) => {
            let mut all = of.iter();
            all.any(|condition| all_hold(condition, truths, holding)) != *negated
        }
    })
}
