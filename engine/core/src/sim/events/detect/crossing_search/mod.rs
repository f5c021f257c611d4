//! Finds the crossings of margins inside a step.
//!
//! A margin that is affine in what moves is a polynomial on the step. Most others are bounded by
//! evaluating their mode on intervals. What depends on the past or on the shares of a slide, and
//! where a motion that is bound to borders ends, is followed by polynomials of degree 8 on pieces
//! that are halved until the last coefficients vanish ([`chebyshev_roots`]). Where the rates around a
//! single border are affine, the ends of the slide along it are found as crossings of margins are.

mod affine_crossings;
pub(in crate::sim::events) mod chebyshev_roots;
mod doubtful_crossings;
mod followed;
mod jumps;
mod value_edges;
mod within_domains;

pub(super) use self::within_domains::LimitedBorder;
use crate::ids::RealId;
use crate::lower::border::{BorderId, Side};
use crate::lower::mode::Margin;
use crate::sim::events::delays::delay_history::DelayHistory;
use crate::sim::events::detect::crossing_search::chebyshev_roots::{Curves, Job};
use crate::sim::events::detect::departure::{Departure, Departures};
use crate::sim::events::modes::cache::Modes;
use crate::sim::events::modes::evaluation::evaluator::Evaluator;
use crate::sim::events::motion::vector_field::Motion;
use crate::tape::Slot;
use situ_solve::interval::Interval;
use situ_solve::roots::{self, Enclosure, Indicator, Query, RootFinder, RootKind};
use situ_solve::{Dense, horner};
use smallvec::SmallVec;

/// Halvings of the place where a margin leaves the dead band of its border.
pub(super) const HALVINGS: u32 = 40;

/// An undecided place wider than this part of the step is searched in another way.
const WIDE: f64 = 1e-6;

/// A way that is longer by this part is longer whatever the rounding.
const BEYOND_ROUNDING: f64 = 1.0 + 1e-9;

/// Crossing inside a step.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Crossing {
    /// Place [theta] at which the margin has just crossed.
    pub(super) theta: f64,
    /// Place [theta] at which the margin has not crossed yet.
    pub(super) before: f64,
    pub(super) what: Crossed,
}

/// Object that is crossed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Crossed {
    /// A border, to this side of z.
    Border(BorderId, Side),
    /// The end of a slide or rest, by number.
    Exit(usize),
}

/// A place where rounding decides, and which was passed over.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Remark {
    pub(super) border: BorderId,
    /// Start and end [theta].
    pub(super) between: [f64; 2],
    pub(super) touch: bool,
}

/// Set of crossings that are searched for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Which {
    /// The first of every border on which something depends, and of every exit.
    First,
    /// All of the borders that are only watched.
    Watched,
}

/// A step to be searched.
pub(super) struct Field<'a> {
    pub(super) motion: &'a mut Motion,
    pub(super) modes: &'a mut Modes,
    pub(super) past: &'a DelayHistory,
    pub(super) dense: &'a Dense,
    /// Values of what is held.
    pub(super) reals: &'a [f64],
    /// Steps of the staircases.
    pub(super) steps: &'a [f64],
    pub(super) departures: &'a Departures,
    /// Per border whether nothing in the model depends on it.
    pub(super) only_watched: &'a [bool],
    /// End of the search [theta]; comes nearer as crossings are found, unless all are wanted.
    pub(super) to: f64,
    /// The same along margins that read the past.
    pub(super) to_past: f64,
    /// Crossings so much further than the first are of no interest [theta].
    pub(super) together: f64,
    /// Borders whose margins do not have values everywhere.
    pub(super) limited: &'a [LimitedBorder],
    /// Where the motion ends [theta].
    pub(super) last: f64,
    /// Borders at which events followed each other in no time, each with how far tolerances reach in its z.
    pub(super) quiet: &'a [(BorderId, f64)],
}

/// Finds crossings; keeps the workspace.
#[derive(Clone, Debug, Default)]
pub(crate) struct Finder {
    pub(super) roots: RootFinder,
    curves: Curves,
    pub(super) coefficients: Vec<f64>,
    pub(super) y: Vec<f64>,
    jobs: Vec<Job>,
    /// How far each component of the state gets from where the step begins, at most, up to a theta; those not
    /// asked for are not numbers.
    reach: Vec<f64>,
    span: f64,
    /// The margins that are followed as curves.
    opaque: Vec<usize>,
    pub(super) found: Vec<Crossing>,
    /// Places at which margins of which roots are taken come to 0, as far as rounding can tell, and do not cross.
    pub(super) edges: Vec<Crossing>,
    pub(super) remarks: Vec<Remark>,
    /// Borders over which margins jump where their first crossings were found.
    jumps: Vec<BorderId>,
}

/// Part of a step with which an affine margin is searched.
pub(super) struct Step<'a> {
    pub(super) dense: &'a Dense,
    /// Values of what is held.
    pub(super) reals: &'a [f64],
    /// Steps of the staircases.
    pub(super) steps: &'a [f64],
    pub(super) states: &'a [RealId],
    /// End of the search [theta].
    pub(super) to: f64,
}

/// Identity of a margin in a search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Looked {
    pub(super) border: BorderId,
    slot: Slot,
    upright: bool,
    edge: bool,
}

impl Looked {
    pub(super) fn at(margin: &Margin) -> Self {
        Self {
            border: margin.border,
            slot: margin.slot,
            upright: margin.upright,
            edge: margin.edge,
        }
    }
}

/// The side of a margin that is held, and how often it is known to vanish at the start of the step; `None`
/// if it does not leave its border.
pub(super) fn held(departure: Departure, upright: bool) -> Option<(roots::Side, usize)> {
    let (side, zeros) = match departure {
        Departure::Off(side) => (side, 0),
        Departure::Leaves(side, zeros) => (side, zeros),
        Departure::Stays => return None,
    };
    let side = match side {
        Side::Plus => roots::Side::Plus,
        Side::Minus => roots::Side::Minus,
        Side::On => return None,
    };
    Some((if upright { side } else { side.other() }, zeros))
}

/// Query for a search up to an end.
fn query(
    (dense, to): (&Dense, f64),
    departure: Departure,
    upright: bool,
    noise: f64,
) -> Option<Query> {
    let (side, zeros) = held(departure, upright)?;
    Some(Query {
        zeros,
        leaves: zeros > 0,
        noise,
        to,
        ..Query::whole(dense, side)
    })
}

impl Finder {
    /// Finds crossings, in no order, into `found`.
    ///
    /// The search for the first crossing ends behind the first one found so far: margins searched later are mostly
    /// done with by the sum of their coefficients.
    pub(super) fn search(&mut self, field: &mut Field<'_>, which: Which) {
        self.found.clear();
        self.edges.clear();
        self.remarks.clear();
        self.jumps.clear();
        self.jobs.clear();
        self.opaque.clear();
        self.y.resize(field.dense.dim(), 0.0);
        self.reach.clear();
        self.reach.resize(field.dense.dim(), f64::NAN);
        self.span = field.to.max(1.0);
        let mode = field.motion.mode;
        let n_margins = field.modes.at(mode).mode.margins.len();
        let mut begun = false;
        let mut ending: SmallVec<[(usize, &[BorderId]); 2]> = SmallVec::new();
        let limited = field.limited;
        for number in 0..n_margins {
            let margin = &field.modes.at(mode).mode.margins[number];
            let index = margin.border.index();
            if field.only_watched[index] != (which == Which::Watched)
                || field.motion.bound_to(margin.border)
            {
                continue;
            }
            let departure = field.departures.of(margin.border);
            if departure == Departure::Stays {
                continue;
            }
            match &margin.form {
                Some(form) => {
                    let step = Step {
                        dense: field.dense,
                        reals: field.reals,
                        steps: field.steps,
                        states: &field.motion.states,
                        to: field.to,
                    };
                    let looked = Looked::at(margin);
                    if self.affine(&step, margin, form, departure, which) {
                        if let Some(blur) = self.blur(field, looked, 0.0) {
                            let polynomial = std::mem::take(&mut self.coefficients);
                            let z = |theta: f64| horner(&polynomial, theta);
                            if self.doubt(blur, field.to, z) {
                                self.hide(looked.border, field.to);
                            }
                            self.coefficients = polynomial;
                        }
                        self.shorten(field);
                    }
                }
                // It is landed on.
                None if margin.timing.is_some() && which == Which::First => {}
                None if margin.opaque || margin.gated && !field.motion.is_free() => {
                    self.opaque.push(number);
                }
                None => {
                    let looked = Looked::at(margin);
                    if !begun {
                        field.modes.get(mode).begin_enclosing();
                        begun = true;
                    }
                    let limited = limited.iter().find(|one| one.border == looked.border);
                    match (limited, which) {
                        (Some(LimitedBorder { domain, .. }), Which::Watched) => {
                            self.within_domain(field, looked, departure, domain);
                        }
                        (Some(LimitedBorder { domain, .. }), Which::First) => {
                            ending.push((number, domain));
                        }
                        (None, _) => {
                            if !self.bounded(field, looked, departure, which) {
                                self.opaque.push(number);
                            }
                        }
                    }
                }
            }
        }
        for (number, domain) in ending {
            self.before_edge(field, number, domain);
        }
        let n_exits = match which {
            Which::First if !self.affine_exits(field) => field.motion.n_exits(),
            _ => 0,
        };
        if !self.opaque.is_empty() || n_exits > 0 {
            if !begun {
                field.modes.get(mode).begin_enclosing();
            }
            let margins = field.modes.at(mode).mode.margins.clone();
            self.follow(field, &margins, which, n_exits);
        }
    }

    /// Whether a margin that is affine, with this constant and this rate, is so far from its border that no component
    /// gets there: then [`roots::keeps_away`] says the same of its polynomial.
    pub(super) fn is_out_of_reach(
        &mut self,
        field: &Step<'_>,
        margin: &Margin,
        (constant, per_time): (f64, f64),
        side: roots::Side,
    ) -> bool {
        let mut z = constant + per_time * field.dense.t0();
        let mut way = (per_time * field.dense.h()).abs() * self.span;
        for &(component, weight) in &margin.moving {
            let reach = &mut self.reach[component];
            if reach.is_nan() {
                *reach = field.dense.reach(component, self.span);
            }
            z += weight * field.dense.component(component)[0];
            way += weight.abs() * *reach;
        }
        let z = if side == roots::Side::Plus { z } else { -z };
        z > BEYOND_ROUNDING * way
    }

    /// A margin that can be bounded; false if the bounds do not decide about much of the step.
    fn bounded(
        &mut self,
        field: &mut Field<'_>,
        margin: Looked,
        departure: Departure,
        which: Which,
    ) -> bool {
        let end = (field.dense, field.to);
        let Some(query) = query(end, departure, margin.upright, 0.0) else {
            return true;
        };
        let mut along = Along {
            evaluator: field.modes.get(field.motion.mode),
            past: field.past,
            margin,
            dense: field.dense,
            y: &mut self.y,
        };
        let root = match which {
            Which::First => self.roots.first_crossing_of(&mut along, &query),
            Which::Watched => {
                let roots = self.roots.all_of(&mut along, &query);
                take_all(&mut self.found, margin, roots);
                self.leave_jump_at_end(field, margin);
                return true;
            }
        };
        let wide =
            |root: &&roots::Root| root.kind == RootKind::Marginal && root.hi - root.lo > WIDE;
        let undecided = self.roots.notes().iter().find(wide).map(|root| root.lo);
        if undecided.is_some_and(|lo| root.is_none_or(|root| lo < root.lo)) {
            return false;
        }
        self.take(margin, query.side, root);
        // Where a root or a logarithm begins at 0 its rounding error there says nothing of what follows.
        let crossed = self.found.last().map_or(0.0, |crossing| crossing.theta);
        if !self.jumps(field, margin)
            && self.is_doubtful(field, margin, 0.0)
            && self.is_doubtful(field, margin, crossed)
        {
            self.hide(margin.border, field.to);
        }
        self.shorten(field);
        true
    }

    /// Limits the search to the crossing found last, with some room behind it.
    pub(super) fn shorten(&mut self, field: &mut Field<'_>) {
        if let Some(crossing) = self.found.last() {
            field.to = field.to.min(crossing.theta + field.together);
        }
    }

    /// Takes over what was found of a margin, which is held on a side.
    pub(super) fn take(&mut self, margin: Looked, held: roots::Side, root: Option<roots::Root>) {
        for note in self.roots.notes() {
            if margin.edge {
                self.edges.push(Crossing {
                    theta: note.hi,
                    before: note.lo,
                    what: Crossed::Border(margin.border, side_of(held.other(), margin.upright)),
                });
            }
            self.remarks.push(Remark {
                border: margin.border,
                between: [note.lo, note.hi],
                touch: note.kind == RootKind::Touch,
            });
        }
        if let Some(root) = root {
            take_all(&mut self.found, margin, &[root]);
        }
    }
}

pub(super) fn take_all(found: &mut Vec<Crossing>, margin: Looked, roots: &[roots::Root]) {
    for root in roots {
        if let RootKind::Crossing(side) = root.kind {
            found.push(Crossing {
                theta: root.hi,
                before: root.lo,
                what: Crossed::Border(margin.border, side_of(side, margin.upright)),
            });
        }
    }
}

/// The side of z that a side of the margin is.
pub(super) fn side_of(side: roots::Side, upright: bool) -> Side {
    match (side, upright) {
        (roots::Side::Plus, true) | (roots::Side::Minus, false) => Side::Plus,
        _ => Side::Minus,
    }
}

/// A margin along the dense output of a step.
pub(super) struct Along<'a> {
    pub(super) evaluator: &'a mut Evaluator,
    pub(super) past: &'a DelayHistory,
    pub(super) margin: Looked,
    pub(super) dense: &'a Dense,
    pub(super) y: &'a mut [f64],
}

impl Indicator for Along<'_> {
    fn enclose(&mut self, theta: Interval) -> Enclosure {
        let [value, slope, half] =
            self.evaluator
                .enclose(self.past, self.margin.slot, self.dense, theta, self.y);
        Enclosure {
            value,
            slope,
            curvature: half * Interval::point(2.0),
        }
    }

    fn value(&mut self, theta: f64) -> f64 {
        let (slot, at) = (self.margin.slot, (self.dense, theta));
        let value = self.evaluator.margin_along(self.past, slot, at, self.y);
        value.unwrap_or(f64::NAN)
    }
}
