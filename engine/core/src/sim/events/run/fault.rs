//! Refusals of values, modes and methods as faults of a run.

use crate::lower::mode::ModeError;
use crate::sim::RunFault;
use crate::sim::events::modes::evaluation::algebraic_loops::ValueFault;
use crate::sim::events::motion::vector_field::Motion;
use situ_solve::{EnterError, StepError};

/// Values that were not found.
pub(crate) fn value_fault(time: f64, fault: ValueFault) -> RunFault {
    match fault {
        ValueFault::Loop {
            rows,
            singular,
            at_bounds,
        } => RunFault::Loop {
            time,
            rows,
            singular,
            at_bounds,
        },
        ValueFault::NegativeDelay { relation, tau } => RunFault::NegativeDelay {
            time,
            relation,
            tau,
        },
    }
}

/// A mode without meaning.
pub(crate) fn mode_fault(error: ModeError) -> RunFault {
    match error {
        ModeError::ClampReadsItself(row) => RunFault::ClampReadsItself(row),
        ModeError::DerivativeInLoop(row) => RunFault::DerivativeInLoop(row),
    }
}

/// A refusal to begin, with the real that a component stands for.
pub(crate) fn enter_fault(motion: &Motion, error: EnterError) -> RunFault {
    match error {
        EnterError::Step(error) => step_fault(motion, error),
        EnterError::Settings(_) => unreachable!("settings were checked before the start"),
    }
}

/// A refusal of the method, with the real that a component stands for.
pub(crate) fn step_fault(motion: &Motion, error: StepError) -> RunFault {
    let component = match error {
        StepError::TooShort { component, .. } | StepError::Start { component, .. } => component,
        StepError::Stopped { .. } | StepError::NoRoom { .. } => None,
    };
    let real = component.and_then(|component| motion.components().nth(component));
    RunFault::Step { error, real }
}
