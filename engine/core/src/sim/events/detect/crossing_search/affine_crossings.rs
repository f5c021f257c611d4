//! Crossings where margins are affine in states: sums of the dense output's coefficients, without a call of the mode.

use crate::lower::affine::Affine;
use crate::lower::border::{BorderId, Side};
use crate::lower::mode::Margin;
use crate::sim::events::detect::crossing_search::{
    Crossed, Crossing, Field, Finder, Looked, Step, Which, held, side_of, take_all,
};
use crate::sim::events::detect::departure::Departure;
use situ_solve::horner;
use situ_solve::roots::{self, Query, RootKind};

impl Finder {
    /// Finds the ends of a motion that is bound to borders, if they are affine.
    pub(super) fn affine_exits(&mut self, field: &mut Field<'_>) -> bool {
        let Some(exits) = field.motion.affine_exits(field.modes) else {
            return false;
        };
        for (number, exit) in exits.iter().enumerate() {
            let dense = field.dense;
            self.coefficients.resize(dense.degree() + 1, 0.0);
            let into = &mut self.coefficients;
            dense.affine(exit.constant, exit.per_time, &exit.terms, into);
            let terms = exit.terms.iter();
            let terms = terms.map(|&(at, weight)| weight * dense.value(at, 0.0));
            let all = terms.chain([exit.constant, exit.per_time * dense.t1()]);
            let noise = 2.0 * f64::EPSILON * all.map(f64::abs).sum::<f64>();
            let query = Query {
                zeros: usize::from(self.coefficients[0].abs() <= noise),
                noise,
                to: field.to,
                ..Query::whole(dense, roots::Side::Minus)
            };
            let root = self.roots.first_crossing(&self.coefficients, &query);
            if let Some(root) = root.filter(|root| matches!(root.kind, RootKind::Crossing(_))) {
                self.found.push(Crossing {
                    theta: root.hi,
                    before: root.lo,
                    what: Crossed::Exit(number),
                });
                self.shorten(field);
            }
        }
        true
    }

    /// A margin that is affine in what moves. One in time alone is landed on. Result: whether a first
    /// crossing was looked for.
    pub(super) fn affine(
        &mut self,
        field: &Step<'_>,
        margin: &Margin,
        form: &Affine,
        departure: Departure,
        which: Which,
    ) -> bool {
        let held_terms = margin.held.iter();
        let held_terms = held_terms.map(|&(real, weight)| weight * field.reals[real.index()]);
        let constant = held_terms
            .clone()
            .fold(margin.constant(form, field.steps), |sum, term| sum + term);
        if margin.moving.is_empty() {
            if which == Which::Watched && form.per_time != 0.0 {
                let theta = field.dense.theta(-constant / form.per_time);
                let up = (form.per_time > 0.0) == margin.upright;
                let side = if up { Side::Plus } else { Side::Minus };
                // At the start of a step it is crossed unless it was at the end of the one before.
                let is_ahead = theta > 0.0 || departure == Departure::Off(side.flipped());
                if is_ahead && theta <= 1.0 {
                    let theta = theta.max(0.0);
                    self.cross(margin.border, side, theta, theta);
                }
            }
            return false;
        }
        let Some((side, zeros)) = held(departure, margin.upright) else {
            return false;
        };
        if which == Which::First
            && zeros == 0
            && !margin.edge
            && self.is_out_of_reach(field, margin, (constant, form.per_time), side)
        {
            return false;
        }
        self.coefficients.resize(field.dense.degree() + 1, 0.0);
        let into = &mut self.coefficients;
        field
            .dense
            .affine(constant, form.per_time, &margin.moving, into);
        if margin.edge && which == Which::First {
            self.look_for_edge(field, margin, side);
        }
        let moving = margin.moving.iter();
        let moving = moving.map(|&(component, weight)| {
            let real = field.states[component];
            weight * field.reals[real.index()]
        });
        let all = held_terms.chain(moving);
        let fixed = margin.constant(form, field.steps);
        let all = all.chain([fixed, form.per_time * field.dense.t1()]);
        let noise = 2.0 * f64::EPSILON * all.map(f64::abs).sum::<f64>();
        let near = match which {
            Which::First if field.to > 1.0 => at_end(&self.coefficients, noise),
            _ => 0.0,
        };
        let to = match near > 0.0 {
            true => field.to.max(1.0 + near),
            false => field.to,
        };
        if which == Which::First && roots::keeps_away(&self.coefficients, side, zeros, to) {
            return false;
        }
        let query = Query {
            zeros,
            leaves: zeros > 0,
            noise,
            to,
            ..Query::whole(field.dense, side)
        };
        match which {
            Which::First => {
                let mut root = self.roots.first_crossing(&self.coefficients, &query);
                if let Some(root) = root.as_mut().filter(|root| (root.hi - 1.0).abs() <= near) {
                    (root.lo, root.hi) = (root.lo.min(1.0), 1.0);
                }
                self.take(Looked::at(margin), side, root);
                true
            }
            Which::Watched => {
                let roots = self.roots.all(&self.coefficients, &query);
                take_all(&mut self.found, Looked::at(margin), roots);
                false
            }
        }
    }

    fn cross(&mut self, border: BorderId, side: Side, before: f64, theta: f64) {
        self.found.push(Crossing {
            theta,
            before,
            what: Crossed::Border(border, side),
        });
    }

    /// A step that ends on an edge, up to rounding, may have reached it: steps do not lead closer to it.
    fn look_for_edge(&mut self, field: &Step<'_>, margin: &Margin, held: roots::Side) {
        let terms = margin.moving.iter();
        // As large as the states were where the motion began: see the noise of a query.
        let sizes = terms.map(|&(at, weight)| {
            let begun = field.reals[field.states[at].index()];
            weight.abs() * begun.abs().max(field.dense.value(at, 0.0).abs())
        });
        let size: f64 = sizes.sum();
        let z = horner(&self.coefficients, 1.0);
        let begins = horner(&self.coefficients, 0.0);
        let on_edge = field.to >= 1.0 && z.abs() <= 4.0 * f64::EPSILON * size;
        if on_edge && begins.abs() > z.abs() {
            self.edges.push(Crossing {
                theta: 1.0,
                before: 1.0,
                what: Crossed::Border(margin.border, side_of(held.other(), margin.upright)),
            });
        }
    }
}

/// How far from the end of a step that is landed on its margin is 0 up to its rounding [theta]: a crossing there is one with
/// what is due at the end. 0 where the margin comes to the end without a slope that tells.
fn at_end(coefficients: &[f64], noise: f64) -> f64 {
    /// Farther off a margin is not at its border by rounding.
    const FARTHEST: f64 = 1e-6;
    let powers = (1_u32..).map(f64::from);
    let slope: f64 = powers.zip(&coefficients[1..]).map(|(k, c)| k * c).sum();
    let near = 4.0 * noise / slope.abs();
    if near <= FARTHEST { near } else { 0.0 }
}
