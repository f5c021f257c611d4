//! What located ticks remember from tick to tick: where the last one began, and what turned in it.

use crate::model::{Mark, Model, Range};
use crate::sim::state::defect::{StateDefect, StateError, must};
use serde::{Deserialize, Serialize};

/// Memory of ticks of changing length.
#[derive(PartialEq, Debug, Default, Serialize, Deserialize)]
pub(in crate::sim) struct Recent {
    /// Start of the last tick.
    earlier: Option<Point>,
    /// The comparisons that changed in the last tick.
    turned: Vec<u32>,
    /// So many ticks were cut short since that time.
    pub(in crate::sim) cuts: (f64, u32),
}

/// Reals after what happened at the start of a tick, with its time.
#[derive(PartialEq, Debug, Default, Serialize, Deserialize)]
struct Point {
    time: f64,
    reals: Vec<f64>,
}

/// Written out, because `clone_from` must not allocate.
impl Clone for Recent {
    fn clone(&self) -> Self {
        let earlier = self.earlier.as_ref();
        Self {
            earlier: earlier.map(|point| Point {
                time: point.time,
                reals: point.reals.clone(),
            }),
            turned: self.turned.clone(),
            cuts: self.cuts,
        }
    }

    fn clone_from(&mut self, source: &Self) {
        match (&mut self.earlier, &source.earlier) {
            (Some(point), Some(source)) => point.set(source.time, &source.reals),
            _ => *self = source.clone(),
        }
        self.turned.clone_from(&source.turned);
        self.cuts = source.cuts;
    }
}

impl Recent {
    pub(in crate::sim) fn size(&self) -> usize {
        self.earlier.as_ref().map_or(0, |point| point.reals.len())
    }

    ///
    /// # Errors
    ///
    /// It does not fit so many reals, and so many comparisons that are located.
    pub(in crate::sim) fn check(
        &self,
        n_reals: usize,
        n_comparisons: usize,
    ) -> Result<(), StateError> {
        let fits = |point: &Point| {
            point.reals.len() == n_reals
                && point.time.is_finite()
                && point.reals.iter().all(|value| value.is_finite())
        };
        must(
            self.earlier.as_ref().is_none_or(fits),
            StateDefect::TickBefore,
        )?;
        let turned = self.turned.iter();
        must(
            turned
                .map(|&index| index as usize)
                .all(|index| index < n_comparisons),
            StateDefect::Range,
        )?;
        must(self.cuts.0.is_finite(), StateDefect::Times)
    }

    /// The start of the last tick, with the values of the reals at it.
    pub(in crate::sim) fn earlier(&self) -> Option<(f64, &[f64])> {
        let point = self.earlier.as_ref()?;
        Some((point.time, &point.reals))
    }

    /// True if a comparison changed in the last tick.
    pub(in crate::sim) fn has_turned(&self, comparison: usize) -> bool {
        let same = |&turned: &u32| turned as usize == comparison;
        self.turned.iter().any(same)
    }

    /// Goes on from a run that was left.
    pub(in crate::sim) fn set_turned(&mut self, turned: impl Iterator<Item = u32>) {
        self.turned.clear();
        self.turned.extend(turned);
    }

    /// Goes on from a run that was left.
    pub(in crate::sim) fn set_earlier(&mut self, time: f64, reals: &[f64]) {
        self.earlier.get_or_insert_default().set(time, reals);
    }
}

/// The ranges whose changes are located.
pub(in crate::sim) fn located(model: &Model) -> impl Iterator<Item = &Range> {
    let all = model.ranges.iter();
    all.filter(|range| range.mark != Some(Mark::NoEvent))
}

impl Point {
    fn set(&mut self, time: f64, reals: &[f64]) {
        self.time = time;
        self.reals.clear();
        self.reals.extend_from_slice(reals);
    }
}
