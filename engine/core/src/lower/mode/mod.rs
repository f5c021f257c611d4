//! Model -> tape of one mode: the rows that are active, sorted by dependence, kinks replaced by the
//! branch on which the state is (FORMALISM 7).
//!
//! In a mode each row is a version of its target. A row reads, for every argument, the nearest active writer above it or,
//! if there is none, the last one below. Rows in a circle form a [`Loop`], whose unknowns are found by Newton's method.
//!
//! While the state slides along borders it is in no single mode. The same lowering then mixes the
//! modes at the corners around the borders: where they differ (another version is read, another
//! branch is taken), the tape takes the sum of what they say, weighted by the shares of the corners,
//! which are inputs. With one corner nothing differs and there are no weights.
//!
//! [`rows`] emits the rows in the order in which they depend on each other; [`branches`] then
//! replaces kinks, adds the margins and cuts the tape into segments.
//!
//! Slots: one per real (a state, or a value that is held), the constants, then what is computed.

mod branch_gates;
mod branches;
mod circle;
mod dependence;
mod derive;
mod gates;
mod kinks;
mod rows;
mod slide_groups;
pub(crate) mod systems;
mod timing;
pub(crate) mod twins;
mod versions;
pub(crate) mod within_steps;

use smallvec::SmallVec;
use std::sync::Arc;

pub(super) use self::branches::bounds_of;
use self::branches::{Read, finish};
pub(crate) use self::dependence::needed;
use self::derive::AffineMarginDerivatives;
pub(crate) use self::gates::{BorderKink, BranchGate, Gates, Kink, Saturated, Site, StateBound};
use self::rows::{Lowering, Shares};
pub(crate) use self::slide_groups::SlideGroups;
use self::systems::linear_unknowns::FixedNumbers;
use self::systems::roots::Roots;
pub(crate) use self::timing::KnotEnd;
use self::timing::Timing;
use self::twins::Twin;
use self::versions::Writers;
use self::within_steps::WithinSteps;
use crate::backend::value::Stairs;
use crate::ids::{RangeId, RealId, RelationId};
use crate::lower::affine::Affine;
use crate::lower::border::{BorderId, BorderSource, Borders, Side, View};
use crate::lower::emit::Emitter;
use crate::lower::flow::Flow;
use crate::lower::projection::Projection;
use crate::model::{Comparison, Constraint, Model};
use crate::tape::{Assembler, Op, Slot, Tape};

/// A loop: a part of the tape with its unknowns and results.
struct Cut {
    start: usize,
    end: usize,
    unknowns: Vec<(Slot, RealId)>,
    /// The places of those among them that are signed roots, each with the slot of the value whose root it is.
    roots: Vec<(usize, Slot)>,
    results: Vec<Slot>,
    /// Number of the first unknowns whose results vanish; those of the others are equal to them.
    implicit: usize,
    /// Bounds of the first unknowns.
    bounds: Vec<Option<[Slot; 2]>>,
    rows: Vec<RelationId>,
}

/// Key of a mode: the active rows and the sides of the kinks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Corner<'a> {
    /// Per row of the flow whether it is active.
    pub(crate) active: &'a [bool],
    /// Per border its side; one met for the first time counts as upper.
    pub(crate) sides: &'a [Side],
}

impl Corner<'_> {
    fn side(&self, border: BorderId) -> Side {
        self.sides
            .get(border.index())
            .copied()
            .unwrap_or(Side::Plus)
    }
}

/// A mode, ready to be evaluated.
#[derive(Clone, Debug)]
pub(crate) struct Mode {
    /// Numbers and what is computed once; `ops` is empty.
    pub(crate) tape: Tape,
    /// All computations, in order.
    pub(crate) all: Vec<Segment>,
    /// Those that the rates need.
    pub(crate) flow: Vec<Segment>,
    /// Those that the margins need.
    pub(crate) tests: Vec<Segment>,
    /// What its steps may lead over unseen.
    pub(crate) within_steps: WithinSteps,
    /// Reals that are read and not computed, held values and states, ascending.
    pub(crate) inputs: Vec<RealId>,
    /// Slots of the shares of the corners; empty if there is one.
    pub(crate) weights: Vec<Slot>,
    /// Its gates; none if the mode is that of one combination of active rows and branches.
    pub(crate) gates: GateSlots,
    /// Inputs from the past.
    pub(crate) delays: DelaySlots,
    /// Per delay of the flow what it takes in, with its form if that is affine.
    pub(crate) delayed: Vec<(Slot, Option<Affine>)>,
    /// Reals that move continuously.
    pub(crate) states: Vec<RealId>,
    /// The rate of each state, and its form if that is affine in time, states and what is held.
    pub(crate) rates: Vec<Slot>,
    pub(crate) rate_forms: Vec<Option<Affine>>,
    /// Reals that follow from others, ascending, with the slot of their value.
    pub(crate) algebraic: Vec<(RealId, Slot)>,
    /// Margins.
    pub(crate) margins: Arc<Vec<Margin>>,
    /// Those whose margins are proportional to those of others.
    pub(crate) twins: Vec<Twin>,
    /// The positions of those that change their signs only at times that are known in advance.
    pub(crate) timed: Vec<u32>,
    /// Per border known when the mode was made the position of its margin.
    pub(crate) margin_at: Vec<Option<u32>>,
    /// Slots of the latched booleans of hysteresis rows, and of the steps of staircases.
    pub(crate) relays: Vec<(usize, Slot)>,
    pub(crate) steps: Vec<(usize, Slot)>,
    /// Per staircase among `steps` what its steps are, and the slot of the height that decides.
    pub(crate) stairs: Vec<StairHeight>,
    /// View of its border for each comparison: range, position, view. The same in every mode.
    pub(crate) comparisons: Vec<(RangeId, usize, View)>,
    /// View of its border for each comparison that is only watched.
    pub(crate) watched: Vec<View>,
    /// The kinks that have a border of their own.
    pub(crate) kinks: Vec<BorderKink>,
    /// The same computations with the kinks in them, if there are any.
    pub(crate) unbranched: Option<Arc<Unbranched>>,
    /// Views of the lower and the upper border of each hysteresis.
    pub(crate) relay_views: Vec<[View; 2]>,
    /// Projection onto the constraints that hold in it.
    pub(crate) projection: Option<Arc<Projection>>,
    /// Slot of the time.
    pub(crate) time: Slot,
    /// Slot of the first constant.
    pub(crate) constants_at: usize,
}

/// The gates of a mode.
#[derive(Clone, Debug, Default)]
pub(crate) struct GateSlots {
    /// Slots of all: those of conditional rows, then those of branches.
    pub(crate) slots: Vec<Slot>,
    pub(crate) branches: Vec<BranchGate>,
}

/// The margin of a border in a mode.
#[derive(Clone, Debug)]
pub(crate) struct Margin {
    pub(crate) border: BorderId,
    /// Slot of a number with the sign of z, or of -z.
    pub(crate) slot: Slot,
    /// True for z.
    pub(crate) upright: bool,
    /// Form of the slot, if it is affine in time, states and reals that are held in this mode.
    pub(crate) form: Option<Affine>,
    /// The end of a lookup's piece that is subtracted from the form.
    pub(crate) knot: Option<KnotEnd>,
    /// Form of the slot without the steps of staircases, if it has no form but for whole multiples of these.
    pub(crate) beside_steps: Option<Affine>,
    /// When it is 0, if it has no form and time alone moves it while the steps of staircases are held.
    pub(crate) timing: Option<Timing>,
    /// The terms of that form that move, by position among the states, and those that are held.
    pub(crate) moving: SmallVec<[(usize, f64); 1]>,
    pub(crate) held: SmallVec<[(RealId, f64); 1]>,
    /// The order from which on all its derivatives are 0 in this mode, by the forms of the rates; else `usize::MAX`.
    pub(crate) still_from: usize,
    /// True if it depends on values that cannot be bounded over a piece of a step: the past, or the weights of corners.
    pub(crate) opaque: bool,
    /// True if it depends on gates, which are shares along a slide: then it cannot be bounded either.
    pub(crate) gated: bool,
    /// True if a root is taken of it, so that it is reached also where it is only touched.
    pub(crate) edge: bool,
    /// The bounds of states that have the border.
    pub(crate) bounds: SmallVec<[StateBound; 1]>,
}

impl Margin {
    /// The part of its form that does not vary, while the state stands on these steps of staircases.
    pub(crate) fn constant(&self, form: &Affine, steps: &[f64]) -> f64 {
        self.knot
            .map_or(form.constant, |knot| form.constant - knot.place(steps))
    }

    /// True if it can change its sign between two times that are known in advance.
    pub(crate) fn is_searched(&self) -> bool {
        match self.form {
            Some(_) => !self.moving.is_empty(),
            None => self.timing.is_none(),
        }
    }
}

impl Mode {
    /// The margin of a border, if it has one in this mode.
    pub(crate) fn margin(&self, border: BorderId) -> Option<&Margin> {
        let at = (*self.margin_at.get(border.index())?)?;
        self.margins.get(at as usize)
    }

    /// The borders that are reached and left with another one in this mode, each with whether its z grows alike.
    pub(crate) fn twins_of(&self, border: BorderId) -> impl Iterator<Item = (BorderId, bool)> {
        twins::of(&self.twins, border)
    }

    /// True if the margin of a border is 0 in this mode, whatever the state.
    pub(crate) fn is_always_on(&self, border: BorderId) -> bool {
        let form = self.margin(border).and_then(|margin| margin.form.as_ref());
        form.is_some_and(|form| *form == Affine::number(0.0))
    }

    /// Whether it reads a real or computes it.
    pub(crate) fn concerns(&self, real: RealId) -> bool {
        let algebraic = &self.algebraic;
        let computes = || algebraic.binary_search_by_key(&real, |(other, _)| *other);
        self.inputs.binary_search(&real).is_ok() || computes().is_ok()
    }

    /// True if there are algebraic loops.
    pub(crate) fn has_loops(&self) -> bool {
        self.all
            .iter()
            .any(|segment| matches!(segment, Segment::Loop(_)))
    }
}

/// Delays that a mode reads.
#[derive(Clone, Debug, Default)]
pub(crate) struct DelaySlots {
    /// Those of constant length: number, slot of the value, slot of its slope.
    pub(crate) fixed: Vec<(usize, Slot, Slot)>,
    pub(crate) varying: Vec<VaryingDelay>,
    /// What gives the places from which those that vary are read, and what they take in.
    pub(crate) places: Vec<Segment>,
}

/// A delay whose length follows from other values: its value is that of the first terms of a Taylor series about a
/// place near the one that is read.
#[derive(Clone, Debug)]
pub(crate) struct VaryingDelay {
    pub(crate) delay: usize,
    pub(crate) relation: RelationId,
    /// The real that it gives.
    pub(crate) target: RealId,
    /// Slot of its length.
    pub(crate) length: Slot,
    /// Slot of the time that is read.
    pub(crate) at: Slot,
    /// Slot of the time about which the series is, and those of its coefficients.
    pub(crate) about: Slot,
    pub(crate) terms: [Slot; TERMS],
}

/// Coefficients of a delayed value that are inputs of a mode: as many as derivatives of margins are asked for.
pub(crate) const TERMS: usize = 4;

impl DelaySlots {
    pub(crate) fn is_empty(&self) -> bool {
        self.fixed.is_empty() && self.varying.is_empty()
    }

    /// All slots that are filled from the past.
    pub(crate) fn inputs(&self) -> impl Iterator<Item = Slot> {
        let fixed = self.fixed.iter();
        let fixed = fixed.flat_map(|&(_, value, slope)| [value, slope]);
        fixed.chain(self.varying_inputs())
    }

    /// Those of delays that vary.
    pub(crate) fn varying_inputs(&self) -> impl Iterator<Item = Slot> {
        let varying = self.varying.iter();
        varying.flat_map(|one| one.terms.into_iter().chain([one.about]))
    }
}

/// The computations of a mode's rows before kinks give way to branches.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unbranched {
    pub(crate) segments: Vec<Segment>,
    /// The kinks, in order.
    pub(crate) sites: Vec<Site>,
}

/// A staircase in a mode: the kink in a row, its steps, and the slot of its height.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct StairHeight {
    pub(crate) staircase: usize,
    pub(crate) owner: BorderSource,
    pub(crate) stairs: Stairs,
    pub(crate) slot: Slot,
}

/// A piece of a mode's computation.
#[derive(Clone, Debug)]
pub(crate) enum Segment {
    /// Straight on.
    Ops(Arc<[Op]>),
    /// A circle.
    Loop(Loop),
}

/// Values that depend on each other.
#[derive(Clone, Debug)]
pub(crate) struct Loop {
    /// Computes the results from the unknowns.
    pub(crate) ops: Arc<[Op]>,
    /// Unknowns, with the real of which each is a version, or a number behind the reals for a signed root.
    pub(crate) unknowns: Vec<(Slot, RealId)>,
    /// The places of those among them that are signed roots, each with the slot of the value whose root it is.
    pub(crate) roots: Vec<(usize, Slot)>,
    /// Slots of what the loop computes for the unknowns: for the first of them residuals, which must vanish, for the
    /// others values that they must be equal to.
    pub(crate) results: Vec<Slot>,
    /// Number of the unknowns with residuals.
    pub(crate) implicit: usize,
    /// Bounds of unknowns with residuals.
    pub(crate) bounds: Vec<Option<[Slot; 2]>>,
    /// Rows taking part.
    pub(crate) rows: Vec<RelationId>,
}

impl Loop {
    /// By how much a result of the loop, which belongs to an unknown, misses what it must be: for the unknown to solve
    /// its equation, or to be equal to it.
    pub(crate) fn gap(&self, at: usize, slots: &[f64]) -> f64 {
        let result = slots[self.results[at].index()];
        if at < self.implicit {
            -result
        } else {
            result - slots[self.unknowns[at].0.index()]
        }
    }

    /// The entry of the matrix that gaps are solved with, from the slope of a result.
    pub(crate) fn entry(&self, row: usize, column: usize, slope: f64) -> f64 {
        if row < self.implicit {
            slope
        } else {
            f64::from(u8::from(row == column)) - slope
        }
    }
}

/// Why a mode has no meaning in continuous time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum ModeError {
    /// A row that fixes an integrated real reads that real itself.
    ClampReadsItself(RelationId),
    /// A row takes the derivative of what depends on the row itself.
    DerivativeInLoop(RelationId),
}

/// What modes are lowered from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source<'a> {
    pub(crate) model: &'a Model,
    pub(crate) flow: &'a Flow,
    /// Rows whose activity is data.
    pub(crate) gates: &'a Arc<Gates>,
    /// Comparisons that are only watched.
    pub(crate) watched: &'a [Comparison],
    /// Those of them that do not have values everywhere, each with the ones that say where.
    pub(crate) watched_limits: &'a [(usize, std::ops::Range<usize>)],
    pub(crate) constants: &'a [f64],
}

/// Lowers the mode of a corner, or the mixture of several, with weights of its own for each group.
pub(crate) fn mode(
    from: Source<'_>,
    corners: &[Corner<'_>],
    groups: &SlideGroups,
    borders: &mut Borders,
) -> Result<Mode, ModeError> {
    lowered(lowering(from, None, corners, groups), from, borders)
}

/// Lowers the mode that a corner has whichever of the rows with gates act; in the corner all of them count as active.
/// `None` if some of them would then be in a circle.
pub(crate) fn gated_mode(
    from: Source<'_>,
    corner: Corner<'_>,
    borders: &mut Borders,
) -> Result<Option<Mode>, ModeError> {
    let (corners, groups) = ([corner], SlideGroups::default());
    let lowering = lowering(from, Some(from.gates), &corners, &groups);
    if lowering.has_gates_in_circles() {
        return Ok(None);
    }
    lowered(lowering, from, borders).map(Some)
}

/// The lowering of corners, in which nothing has been emitted.
fn lowering<'a>(
    from: Source<'a>,
    gates: Option<&'a Gates>,
    corners: &'a [Corner<'a>],
    groups: &'a SlideGroups,
) -> Lowering<'a> {
    let Source { model, flow, .. } = from;
    let constants_at = model.reals.len();
    let mut asm = Assembler::new(constants_at);
    for _ in &model.constants {
        asm.fixed_slot();
    }
    let time = asm.time();
    let weights: Vec<Slot> = match corners {
        [_] => Vec::new(),
        corners => (0..corners.len() * groups.len())
            .map(|_| asm.slot())
            .collect(),
    };
    let n_gates = gates.map_or(0, Gates::len);
    let shares = Shares {
        weights,
        groups,
        of: gates,
        gates: (0..n_gates).map(|_| asm.slot()).collect(),
        chosen: vec![None; if n_gates > 0 { constants_at } else { 0 }],
    };
    let any = |row: usize| corners.iter().any(|corner| corner.active[row]);
    Lowering {
        fixed: FixedNumbers::new(from.constants, constants_at),
        flow,
        corners,
        active: (0..flow.rows.len()).map(any).collect(),
        shares,
        emitter: Emitter {
            model,
            asm,
            constants_at,
        },
        time,
        versions: vec![None; flow.rows.len()],
        finals: vec![Writers::new(); model.reals.len()],
        sites: Vec::new(),
        cuts: Vec::new(),
        roots: Roots::default(),
        unknowns: Vec::new(),
        relays: Vec::new(),
        delays: DelaySlots::default(),
        rates: vec![None; model.reals.len()],
        saturations: Vec::new(),
        slopes: AffineMarginDerivatives::default(),
        stated: Vec::new(),
        final_values: Vec::new(),
    }
}

fn lowered(
    mut lowering: Lowering<'_>,
    from: Source<'_>,
    borders: &mut Borders,
) -> Result<Mode, ModeError> {
    let flow = from.flow;
    lowering.rows()?;
    let finals = lowering.final_slots();
    let final_slot = |id: RealId| finals[id.index()].unwrap_or(Slot::new(id.index()));
    // A value that is held is the size of what the other was, not of what it is.
    let sizes = flow.sizes.iter().zip(&finals);
    let size_slots = sizes
        .map(|(of, computed)| of.filter(|_| computed.is_some()).map(final_slot))
        .collect();
    let delayed = lowering.delayed();
    let comparisons = lowering.comparisons();
    let relay_borders = lowering.relay_borders();
    let watched = lowering.watched(from.watched);
    let read = Read {
        finals,
        delayed,
        comparisons,
        relay_borders,
        watched,
        size_slots,
    };
    let (model, corners) = (from.model, lowering.corners);
    let holds = |row: RelationId| {
        let mut rows = flow.rows.iter().enumerate();
        let at = rows.find(|(_, other)| other.relation == row);
        at.is_some_and(|(at, _)| corners.iter().all(|corner| corner.active[at]))
    };
    let constraints = model.constraints.iter();
    let constraints: Vec<&Constraint> = constraints.filter(|one| holds(one.relation)).collect();
    let mut mode = finish(lowering, from, read, borders);
    mode.projection = Projection::onto(model, &constraints).map(Arc::new);
    Ok(mode)
}
