//! Times at which margins are 0 that time alone moves, while the steps of staircases are held: the edges of pulses, the
//! knots of periodic lookups. They are computed, as those of schedules are, and not searched for. Also which margins
//! nothing moves at all.

use smallvec::SmallVec;

use crate::backend::value::Stairs;
use crate::ids::RealId;
use crate::lower::affine::Affine;
use crate::lower::border::BorderId;
use crate::lower::mode::Mode;
use crate::tape::Slot;

/// Sums of products of whole numbers below this are not rounded.
const MOST_EXACT: f64 = 1e6;

/// The end of a piece of a lookup that a margin is measured from: data, held between events.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct KnotEnd {
    pub(crate) staircase: usize,
    pub(crate) stairs: Stairs,
    pub(crate) upper: bool,
    /// Slot of its value.
    pub(crate) slot: Slot,
}

impl KnotEnd {
    /// Where it lies while the state stands on these steps of staircases.
    pub(crate) fn place(&self, steps: &[f64]) -> f64 {
        self.stairs.ends(steps[self.staircase])[usize::from(self.upper)]
    }
}

/// `constant + per_time * time + sum of weight * real + sum of weight * step`, of reals and steps that are held.
#[derive(Clone, Debug)]
pub(crate) struct Timing {
    constant: f64,
    per_time: f64,
    held: SmallVec<[(RealId, f64); 1]>,
    steps: SmallVec<[StepTerm; 1]>,
    /// The end of a lookup's piece that is subtracted.
    knot: Option<KnotEnd>,
}

/// The step of a staircase, or the one above.
#[derive(Clone, Copy, Debug)]
struct StepTerm {
    staircase: usize,
    weight: f64,
    above: f64,
}

impl Timing {
    /// That of a form, if time moves it and it has a step in it. Behind the reals, forms have gates and steps, the latter
    /// from number `steps_at` on.
    pub(super) fn of(form: &Affine, [n_reals, steps_at]: [usize; 2]) -> Option<Self> {
        let mut timing = Self {
            constant: form.constant,
            per_time: form.per_time,
            held: SmallVec::new(),
            steps: SmallVec::new(),
            knot: None,
        };
        for &(number, weight) in &form.terms {
            match number.index() {
                real if real < n_reals => timing.held.push((number, weight)),
                gate if gate < steps_at => return None,
                step => timing.add_step(step - steps_at, weight, 0.0),
            }
        }
        let terms = timing.held.iter().map(|(_, weight)| *weight);
        let terms = terms.chain(timing.steps.iter().map(|step| step.weight));
        let mut all = terms.chain([form.constant, 1.0 / form.per_time]);
        (!timing.steps.is_empty() && all.all(f64::is_finite)).then_some(timing)
    }

    fn add_step(&mut self, staircase: usize, weight: f64, above: f64) {
        self.steps.push(StepTerm {
            staircase,
            weight,
            above,
        });
    }

    /// Measured from the upper ends of a staircase instead of the lower ones.
    pub(super) fn at_upper_ends(mut self, staircase: usize) -> Self {
        let mut steps = self.steps.iter_mut();
        if let Some(step) = steps.find(|step| step.staircase == staircase) {
            step.above = 1.0;
        }
        self
    }

    pub(super) fn behind_knot(self, knot: KnotEnd) -> Self {
        Self {
            knot: Some(knot),
            ..self
        }
    }

    /// True if a real in it moves.
    pub(super) fn reads_any(&self, states: &[RealId]) -> bool {
        let mut held = self.held.iter();
        held.any(|(real, _)| states.binary_search(real).is_ok())
    }

    /// When it is 0, and the largest of the terms of which that is the sum.
    pub(crate) fn when(&self, steps: &[f64], reals: &[f64]) -> [f64; 2] {
        let knot = self.knot.map_or(0.0, |knot| knot.place(steps));
        let held = self.held.iter();
        let held = held.map(|&(real, weight)| weight * reals[real.index()]);
        let on = self.steps.iter();
        let on = on.map(|step| step.weight * (steps[step.staircase] + step.above));
        let fixed = self.constant - knot;
        let (mut sum, mut size) = (fixed, fixed.abs());
        for term in held.chain(on) {
            sum += term;
            size = size.max(term.abs());
        }
        [-sum / self.per_time, (size / self.per_time).abs()]
    }
}

/// What of a form is beside steps of staircases, if it has whole multiples of these in it and no gate.
pub(super) fn beside_steps(
    form: Option<&Affine>,
    [n_reals, steps_at]: [usize; 2],
) -> Option<Affine> {
    let form = form?;
    let mut others = form.clone();
    others.terms.retain(|(number, _)| number.index() < steps_at);
    let mut steps = (form.terms.iter()).filter(|(number, _)| number.index() >= steps_at);
    let whole = steps.all(|(_, weight)| weight.fract() == 0.0);
    let mut reals = others.terms.iter();
    let plain = reals.all(|(real, _)| real.index() < n_reals);
    let has_steps = others.terms.len() < form.terms.len();
    (plain && whole && has_steps).then_some(others)
}

impl Mode {
    /// True if nothing moves the margin of a border in this mode.
    pub(crate) fn is_held(&self, border: BorderId) -> bool {
        self.margin(border).is_some_and(|margin| {
            let form = margin.form.as_ref();
            margin.moving.is_empty() && form.is_some_and(|form| form.per_time == 0.0)
        })
    }

    /// True if the margin of a border is a sum of whole numbers that nothing moves but steps of staircases: none of it is
    /// rounded.
    pub(crate) fn is_whole(&self, border: BorderId, reals: &[f64]) -> bool {
        let whole = |value: f64| value.fract() == 0.0 && value.abs() < MOST_EXACT;
        let margin = self.margin(border);
        let form = margin.and_then(|margin| margin.form.as_ref().or(margin.beside_steps.as_ref()));
        form.is_some_and(|form| {
            let is_held = |real: &RealId| self.states.binary_search(real).is_err();
            let mut terms = form.terms.iter();
            form.per_time == 0.0
                && whole(form.constant)
                && terms.all(|(real, weight)| {
                    is_held(real) && whole(*weight) && whole(reals[real.index()])
                })
        })
    }
}
