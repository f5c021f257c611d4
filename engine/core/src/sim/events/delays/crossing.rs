//! Where the times that delays of changing length read reach a mark: at the start of a step, or in it.

use smallvec::SmallVec;

use crate::lower::mode::VaryingDelay;
use crate::sim::events::detect::next_step::TOGETHER;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::state::HybridState;
use situ_solve::Dense;

/// A step is looked through at so many points.
const POINTS: u32 = 16;

/// Most halvings of a piece in which a mark is reached.
const HALVINGS: u32 = 200;

/// Per delay that varies and is read its number, and the time that it reads [units of `time`].
type Places = SmallVec<[(usize, f64); 2]>;

impl Dynamics {
    /// The delays that vary in the motion's mode.
    fn varying(&self) -> &[VaryingDelay] {
        &self.modes.at(self.motion.mode).mode.delays.varying
    }

    /// The times that delays read at the present; none that has no value.
    pub(super) fn delay_places(&mut self, state: &HybridState) -> Places {
        if self.varying().is_empty() {
            return Places::new();
        }
        let mut y = Vec::new();
        self.modes.at(self.motion.mode).states(&state.reals, &mut y);
        self.delay_places_at(state, state.t, &y)
    }

    /// Reads what delays that vary read at the end of a step, so that it is known if that lies ahead.
    pub(crate) fn read_end(&mut self, state: &HybridState, dense: &Dense) {
        if !self.varying().is_empty() {
            let mut y = vec![0.0; dense.dim()];
            dense.eval(1.0, &mut y);
            self.delay_places_at(state, dense.t1(), &y);
        }
    }

    fn delay_places_at(&mut self, state: &HybridState, t: f64, y: &[f64]) -> Places {
        let mut reals = state.reals.clone();
        let (motion, modes) = (&mut self.motion, &mut self.modes);
        if motion.write(modes, &state.past, t, y, &mut reals).is_err() {
            return Places::new();
        }
        let evaluator = self.modes.at(self.motion.mode);
        let places = self.varying().iter();
        places
            .map(|one| (one.delay, evaluator.value(one.at)))
            .collect()
    }

    /// Watches the marks around the times that delays read. True if one is reached, now.
    #[inline]
    pub(crate) fn watch_marks(&mut self, state: &mut HybridState) -> bool {
        !self.varying().is_empty() && self.watch_varying(state)
    }

    #[inline(never)]
    fn watch_varying(&mut self, state: &mut HybridState) -> bool {
        let mut reached = false;
        for (delay, at) in self.delay_places(state) {
            reached |= state.past.watch(delay, state.t, at);
        }
        reached
    }

    /// The first point of a step, up to a limit, at which a delay reaches a mark: the last point before it, and it [theta].
    #[inline]
    pub(crate) fn first_mark(
        &mut self,
        state: &HybridState,
        dense: &Dense,
        limit: f64,
    ) -> Option<[f64; 2]> {
        match self.varying().is_empty() {
            true => None,
            false => self.find_mark(state, dense, limit),
        }
    }

    /// The same; if something happens at the limit, one that lies before it by more than rounding.
    #[inline]
    pub(crate) fn mark_before(
        &mut self,
        state: &HybridState,
        dense: &Dense,
        limit: f64,
        happens: bool,
    ) -> Option<[f64; 2]> {
        let end = dense.time(limit);
        let near = TOGETHER * end.abs().max(dense.h());
        let mark = self.first_mark(state, dense, limit);
        mark.filter(|[_, theta]| !happens || end - dense.time(*theta) > near)
    }

    #[inline(never)]
    fn find_mark(&mut self, state: &HybridState, dense: &Dense, limit: f64) -> Option<[f64; 2]> {
        let mut y = vec![0.0; dense.dim()];
        let mut beyond = |theta: f64| {
            let t = dense.time(theta);
            dense.eval(theta, &mut y);
            let places = self.delay_places_at(state, t, &y);
            let beyond = places.into_iter();
            let beyond = beyond.map(|(delay, at)| state.past.beyond(delay, t, at));
            beyond.fold(f64::NEG_INFINITY, f64::max)
        };
        let mut before = 0.0;
        for point in 1..=POINTS {
            let theta = limit * f64::from(point) / f64::from(POINTS);
            if beyond(theta) > 0.0 {
                let mut span = [before, theta];
                for _ in 0..HALVINGS {
                    let middle = 0.5 * (span[0] + span[1]);
                    if middle <= span[0] || middle >= span[1] {
                        break;
                    }
                    span[usize::from(beyond(middle) > 0.0)] = middle;
                }
                return Some(span);
            }
            before = theta;
        }
        None
    }
}
