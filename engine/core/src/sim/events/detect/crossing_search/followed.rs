//! Crossings of what cannot be bounded along a step: it is followed as curves are, through values at points.

use crate::lower::mode::Margin;
use crate::sim::events::delays::delay_history::DelayHistory;
use crate::sim::events::detect::crossing_search::chebyshev_roots::{Functions, Job};
use crate::sim::events::detect::crossing_search::{
    Crossed, Crossing, Field, Finder, Looked, Which, query, side_of,
};
use crate::sim::events::modes::cache::Modes;
use crate::sim::events::motion::vector_field::Motion;
use crate::tape::Slot;
use situ_solve::Dense;
use situ_solve::interval::Interval;
use situ_solve::roots::{self, Query};

impl Finder {
    /// Follows what cannot be bounded, and the ends of a motion that is bound to borders.
    pub(super) fn follow(
        &mut self,
        field: &mut Field<'_>,
        margins: &[Margin],
        which: Which,
        n_exits: usize,
    ) {
        let known = self.found.len();
        let mut settled = Vec::new();
        loop {
            self.follow_curves(field, margins, which, n_exits);
            // What is crossed inside a dead band may be crossed further on, or not at all, and hides what others do there.
            let in_dead_band = |crossing: &Crossing| match crossing.what {
                Crossed::Border(border, _) => field.quiet.iter().any(|(other, _)| *other == border),
                Crossed::Exit(_) => false,
            };
            let Some(crossing) = self.found[known..].iter().copied().find(in_dead_band) else {
                break;
            };
            self.found.truncate(known);
            self.found.push(crossing);
            let is_crossed = |&number: &usize| matches!(crossing.what, Crossed::Border(border, _) if border == margins[number].border);
            let Some(at) = self.opaque.iter().position(is_crossed) else {
                break;
            };
            let margin = Looked::at(&margins[self.opaque.remove(at)]);
            let stays = self.stays_on_its_side(field, margin);
            match stays || self.is_doubtful(field, margin, 0.0) {
                true => self.hide(margin.border, field.to),
                false => settled.extend(self.found.pop()),
            }
        }
        self.found.extend(settled);
    }

    fn follow_curves(
        &mut self,
        field: &mut Field<'_>,
        margins: &[Margin],
        which: Which,
        n_exits: usize,
    ) {
        self.jobs.clear();
        let n_margins = self.opaque.len();
        let to = field.to.min(field.to_past);
        for &number in &self.opaque {
            let margin = &margins[number];
            let departure = field.departures.of(margin.border);
            let end = (field.dense, to);
            let query = query(end, departure, margin.upright, 0.0);
            self.jobs.push(Job {
                held: query.map_or(roots::Side::Plus, |query| query.side),
                zeros: query.map_or(0, |query| query.zeros),
            });
        }
        for _ in 0..n_exits {
            self.jobs.push(Job {
                held: roots::Side::Minus,
                zeros: 0,
            });
        }
        let (dense, past) = (field.dense, field.past);
        let (motion, modes) = (&mut *field.motion, &mut *field.modes);
        let slots: Vec<Slot> = (self.opaque.iter())
            .map(|&number| margins[number].slot)
            .collect();
        let mut stands_alone =
            |slot: &Slot| motion.is_free() && modes.get(motion.mode).has_cone(*slot);
        let mut followed = Followed {
            alone: slots.iter().map(&mut stands_alone).collect(),
            slots,
            n_exits,
            motion,
            modes,
            past,
            dense,
            y: &mut self.y,
            reals: field.reals.to_vec(),
            exits: Vec::new(),
        };
        let seams = past.seams(dense.t0(), dense.t1());
        let seams: Vec<f64> = seams.map(|t| dense.theta(t)).collect();
        let tolerance = Query::tolerance_of(dense);
        let all = which == Which::Watched;
        let crossings = self
            .curves
            .search(&mut followed, &self.jobs, &seams, to, tolerance, all);
        for &(job, before, theta, side) in crossings {
            let what = if job < n_margins {
                let margin = &margins[self.opaque[job]];
                Crossed::Border(margin.border, side_of(side, margin.upright))
            } else {
                Crossed::Exit(job - n_margins)
            };
            self.found.push(Crossing {
                theta,
                before,
                what,
            });
        }
    }
}

/// Margins and exits that are followed along a step.
struct Followed<'a> {
    motion: &'a mut Motion,
    modes: &'a mut Modes,
    past: &'a DelayHistory,
    dense: &'a Dense,
    slots: Vec<Slot>,
    /// Per margin whether it is computed from so little that nothing else is.
    alone: Vec<bool>,
    n_exits: usize,
    /// Room for the state, the reals and the exits.
    y: &'a mut Vec<f64>,
    reals: Vec<f64>,
    exits: Vec<f64>,
}

impl Functions for Followed<'_> {
    fn values(&mut self, theta: f64, wanted: &[bool], into: &mut [f64]) {
        let n_margins = self.slots.len();
        let t = self.dense.time(theta);
        let mut margins = wanted.iter().zip(&self.alone);
        let together = margins.any(|(wanted, alone)| *wanted && !alone);
        if self.n_exits > 0 || together {
            self.dense.eval(theta, self.y);
        }
        if self.n_exits > 0 {
            let exits = &mut self.exits;
            match (self.motion).exits(self.modes, self.past, t, self.y, exits) {
                Ok(()) => into[n_margins..].copy_from_slice(exits),
                Err(_) => into[n_margins..].fill(f64::NAN),
            }
        }
        let is_seen = !together
            || (self.motion)
                .write(self.modes, self.past, t, self.y, &mut self.reals)
                .is_ok();
        let evaluator = self.modes.get(self.motion.mode);
        for (number, value) in into[..n_margins].iter_mut().enumerate() {
            let slot = self.slots[number];
            let known = match self.alone[number] {
                _ if !wanted[number] => None,
                true => evaluator.margin_along(self.past, slot, (self.dense, theta), self.y),
                false => is_seen.then(|| evaluator.value(slot)),
            };
            *value = known.unwrap_or(f64::NAN);
        }
    }

    fn keeps(&mut self, job: usize, side: roots::Side, [from, to]: [f64; 2]) -> bool {
        if self.alone.get(job) != Some(&true) {
            return false;
        }
        let evaluator = self.modes.get(self.motion.mode);
        let piece = Interval::new(from, to);
        let bounds = evaluator.enclose_by_cone(self.past, self.slots[job], self.dense, piece);
        bounds.is_some_and(|[value, ..]| match side {
            roots::Side::Plus => value.lo() > 0.0,
            roots::Side::Minus => value.hi() < 0.0,
        })
    }
}
