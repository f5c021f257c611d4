//! An event iteration that is interrupted behind a microstep, where a run stops, and goes on with the next (FORMALISM 10.2).

use crate::sim::RunFault;
use crate::sim::events::delays::breaking_points::BreakSources;
use crate::sim::events::detect::Detection;
use crate::sim::events::iteration::EventIteration;
use crate::sim::events::iteration::event_iteration::EventCause;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::observe::Observation;
use crate::sim::events::state::HybridState;

/// Behind which microstep an event iteration is interrupted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Interruption {
    /// It goes on until nothing changes.
    #[default]
    Never,
    /// The one in which `stop_when` comes true.
    AtStop,
    /// The one of this number, from 1 on.
    After(u32),
}

/// An instant that is interrupted: its cause, and the delays that it comes out of.
#[derive(Clone, Debug)]
pub(crate) struct Interrupted {
    cause: EventCause,
    echoes: BreakSources,
}

impl EventIteration {
    /// True if an instant is interrupted.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupted.is_some()
    }

    /// Number of microsteps of the present instant.
    pub(crate) fn n_microsteps(&self) -> u32 {
        self.iteration.microsteps
    }

    /// Counts a microstep; whether the iteration is interrupted behind it.
    pub(super) fn is_to_be_interrupted(&mut self, observe: &Observation) -> bool {
        let iteration = &mut self.iteration;
        iteration.microsteps += 1;
        iteration.interrupted = iteration.interruptible
            && match self.interruption {
                Interruption::Never => false,
                Interruption::AtStop => observe.watching.stopped,
                Interruption::After(microstep) => iteration.microsteps == microstep,
            };
        iteration.interrupted
    }

    /// Finishes an instant whose event iteration has come to an end, or keeps what the rest of it needs.
    pub(super) fn finish_or_interrupt(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        detect: &mut Detection,
        observe: &mut Observation,
        (cause, echoes): (&EventCause, BreakSources),
    ) -> Result<(), RunFault> {
        self.iteration.interruptible = false;
        if self.iteration.interrupted {
            let cause = cause.clone();
            self.interrupted = Some(Box::new(Interrupted { cause, echoes }));
            return Ok(());
        }
        self.finish_event(state, dynamics, detect, observe, (cause, &echoes))
    }

    /// The rest of an instant that is interrupted, or a part of it.
    pub(crate) fn go_on_with_instant(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        detect: &mut Detection,
        observe: &mut Observation,
    ) -> Result<(), RunFault> {
        let Some(interrupted) = self.interrupted.take() else {
            return Ok(());
        };
        let Interrupted { cause, echoes } = *interrupted;
        let (number, microsteps) = (state.progress.instants, self.n_microsteps());
        observe.log.go_on(number, state.t, microsteps);
        self.iteration.interruptible = true;
        let happened = self
            .iterate(state, dynamics, detect, observe)
            .and_then(|()| {
                self.finish_or_interrupt(state, dynamics, detect, observe, (&cause, echoes))
            });
        self.take_back_if_failed(state, happened)
    }

    /// What only some rows have done is no state.
    pub(super) fn take_back_if_failed(
        &mut self,
        state: &mut HybridState,
        happened: Result<(), RunFault>,
    ) -> Result<(), RunFault> {
        self.touched.all();
        if happened.is_err() {
            state.reals.copy_from_slice(&self.before_jump);
        }
        happened
    }
}
