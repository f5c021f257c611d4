//! A history -> the pasts of delays that begin in the middle of it, or reach further back than a run has kept.

use std::borrow::Cow;
use std::ops::ControlFlow;

use situ_engine::ids::{RealId, RelationId};
use situ_engine::model::{Model, Named, StartValues};
use situ_engine::sim::{NamedState, PastSpan, WantedPast};

use crate::STRETCH;
use crate::history::History;
use crate::inside::JUST_BEFORE;
use crate::segments::Segments;
use crate::stepper::Stepper;

/// A value that changes by a smaller part of itself just before the end of a step does not jump there.
const NEAR: f64 = 1e-6;

/// The argument of a delay row of a model, along runs of models before it.
struct Argument<'m> {
    model: &'m Model,
    row: RelationId,
    /// The reals that it reads.
    reals: Vec<RealId>,
    /// Those that it does not read have their present values.
    values: StartValues,
}

impl Argument<'_> {
    /// Its value where a run stands that has these names; `None` where there is none.
    fn at(&mut self, named: &Model, run: &Stepper) -> Option<f64> {
        let row = run.row();
        let value = |name: &str| match named.find(name)? {
            Named::Real(id) => Some(row.real(id)),
            Named::Constant(id) => Some(row.constants[id.index()]),
            Named::Boolean(_) => None,
        };
        for real in &self.reals {
            self.values.reals[real.index()] = value(&self.model.reals[real.index()].name)?;
        }
        let constants = self.model.constants.iter();
        for (constant, into) in constants.zip(&mut self.values.constants) {
            *into = value(&constant.name).unwrap_or(*into);
        }
        let values = (&self.values.reals[..], &self.values.constants[..]);
        let found = self.model.delayed_argument(self.row, values, row.time);
        found.is_finite().then_some(found)
    }

    /// Its values along a step of a method that begins where a run stands, between values at its ends; `None` if it has
    /// none somewhere.
    fn along(
        &mut self,
        named: &Model,
        begin: &Stepper,
        (first, last): ((f64, f64), (f64, f64)),
    ) -> Option<Vec<PastSpan>> {
        let mut run = begin.clone();
        let mut inside = |at| {
            if at < run.time() {
                run = begin.clone();
            }
            let is_inside = run.advance_to(at).unwrap_or(false);
            self.at(named, &run).filter(|_| is_inside)
        };
        let just_before = first.0 + (last.0 - first.0) * JUST_BEFORE;
        let left = inside(just_before)?;
        let goes_on = (last.1 - left).abs() <= NEAR * left.abs().max(last.1.abs());
        let left = if goes_on { last.1 } else { left };
        PastSpan::following((first.0, last.0), |at| match at {
            _ if at <= first.0 => Some(first.1),
            _ if at >= just_before => Some(left),
            _ => inside(at),
        })
    }
}

/// The past of one delay row, followed backwards by stretches of steps.
struct Followed<'m> {
    argument: Argument<'m>,
    /// It is wanted from this time on [units of `time`].
    from: f64,
    /// By stretches, of which the last is the earliest and may be open.
    stretches: Vec<Vec<PastSpan>>,
    /// What is before has another past, or is not wanted.
    is_done: bool,
    /// The last time in the open stretch, and the value there.
    last: Option<(f64, f64)>,
}

impl Followed<'_> {
    /// Takes in a step that ends where a run stands; `begin`: its beginning, if it lies inside a step of a method.
    fn take(&mut self, begin: Option<&Stepper>, named: &Model, run: &Stepper) {
        let time = run.time();
        let Some(value) = self.argument.at(named, run) else {
            // It begins behind this.
            self.stretches.last_mut().into_iter().for_each(Vec::clear);
            (self.is_done, self.last) = (true, None);
            return;
        };
        if let Some(last) = self.last.replace((time, value))
            && last.0 < time
            && self.from <= time
        {
            let along =
                begin.and_then(|begin| self.argument.along(named, begin, (last, (time, value))));
            let stretch = self.stretches.last_mut().into_iter();
            stretch.for_each(|stretch| match &along {
                Some(along) => stretch.extend(along),
                None => stretch.push(PastSpan::straight(last, (time, value))),
            });
        }
    }
}

impl<T> Segments<T> {
    /// What a run hands on to another model, with what its delays miss of their pasts, taken from a history.
    pub(crate) fn with_pasts<'c>(
        &mut self,
        history: &History,
        model: &Model,
        carried: &'c NamedState,
    ) -> Cow<'c, NamedState> {
        let begin = self.start_time(history.pieces()[0].segment);
        let wanted = carried.wanted_pasts(model, begin);
        let followed = wanted.into_iter().filter_map(|WantedPast { row, from }| {
            let argument = model.relations[row.index()].args.first()?;
            let mut reals = Vec::new();
            if let situ_engine::model::Argument::Real(argument) = argument {
                model.exprs.each_real(*argument, |real| reals.push(real));
            }
            let values = carried.values_in(model).ok()?;
            Some(Followed {
                argument: Argument {
                    model,
                    row,
                    reals,
                    values,
                },
                from,
                stretches: Vec::new(),
                is_done: false,
                last: None,
            })
        });
        let mut followed: Vec<Followed<'_>> = followed.collect();
        let mut end = history.steps_before();
        while end > 0 && followed.iter().any(|one| !one.is_done) {
            let begin = end.saturating_sub(STRETCH);
            self.follow(history, (begin, end), &mut followed);
            end = begin;
        }
        let mut carried = Cow::Borrowed(carried);
        for one in &followed {
            let spans = one.stretches.iter().rev().flatten();
            let spans: Vec<PastSpan> = spans.copied().collect();
            carried.to_mut().give_past(model, one.argument.row, &spans);
        }
        carried
    }

    /// Takes in arguments along a stretch of steps, which ends where the last one began.
    fn follow(&mut self, history: &History, stretch: (u64, u64), followed: &mut [Followed<'_>]) {
        let open = followed.iter_mut().filter(|one| !one.is_done);
        let mut open: Vec<&mut Followed<'_>> = open.collect();
        for one in &mut open {
            one.stretches.push(Vec::new());
            one.last = None;
        }
        let mut begin: Option<Stepper> = None;
        let mut first = None;
        self.walk(history, stretch.0, stretch.1, &mut |_, named, run| {
            first = first.or(Some(run.time()));
            for one in &mut open {
                one.take(begin.as_ref(), named, run);
            }
            begin = run.events().is_some().then(|| run.clone());
            ControlFlow::Continue(())
        });
        for one in open {
            one.is_done |= first.is_some_and(|first| first <= one.from);
        }
    }
}
