//! Procedures with memory. Each must stand outermost in a row and outside of events.

use super::{Body, CoefRole, Effect, Example, Motion, Param, ParamKind, Procedure, real};

/// The procedures with memory. What a row does in a tick is written by `lower/tick/rows.rs`, what it means
/// between events by `lower/flow.rs`; all else that is to be known of one stands here.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Memory {
    /// The target is the integral of the argument.
    Integral,
    /// The target is the time derivative of the argument.
    Derivative,
    /// The target follows the argument with a time constant.
    Smoothing,
    /// The target is the argument some time ago.
    Delay,
    /// The target takes the argument while a condition holds.
    SampleAndHold,
    /// The target counts how often a condition arose.
    Counter,
    /// The target is the time for which a condition has held.
    Timer,
    /// The target is a two-position relay with different borders up and down.
    Hysteresis,
}

impl Memory {
    /// What a row does to the value of its target.
    pub fn effect(self) -> Effect {
        match self {
            Self::Integral | Self::Smoothing | Self::Counter | Self::Timer | Self::Hysteresis => {
                Effect::Updates
            }
            Self::SampleAndHold => Effect::Samples,
            Self::Derivative | Self::Delay => Effect::Assigns,
        }
    }

    /// How the target moves while nothing happens.
    pub fn motion(self) -> Motion {
        match self {
            Self::Integral | Self::Smoothing => Motion::Integrated,
            Self::Derivative | Self::Delay | Self::Timer => Motion::Varies,
            Self::SampleAndHold | Self::Counter | Self::Hysteresis => Motion::Held,
        }
    }
}

const fn boolean(name: &'static str, about: &'static str) -> Param {
    Param {
        name,
        about,
        kind: ParamKind::Boolean,
        default: None,
        domain: [f64::NEG_INFINITY, f64::INFINITY],
    }
}

pub(super) static INTEGRAL: Procedure = Procedure {
    name: "integral",
    about: "y grows by c*a per unit of time",
    help: "In a tick with rectangles y := y + (c*a)*dt, with `a` as it stands when the row is \
           reached: below the row that computes `a` it reads this tick's value (semi-implicit \
           Euler), above it the previous one. The coefficient multiplies the increment. Several \
           active integrals of one real add.",
    coef: CoefRole::ScalesFirst,
    params: &[real("a", "rate")],
    examples: &[
        Example {
            line: "y = integral(x)",
            given: &[("x", 2.0), ("y", 1.0)],
            dt: 0.5,
            ticks: 3,
            result: 4.0,
        },
        Example {
            line: "y = integral(-3 * x)",
            given: &[("x", 2.0)],
            dt: 0.5,
            ticks: 1,
            result: -3.0,
        },
    ],
    body: Body::Memory(Memory::Integral),
};

pub(super) static DERIVATIVE: Procedure = Procedure {
    name: "derivative",
    about: "c * rate of change of the argument",
    help: "In a tick y := c*(a - a_last)/dt, a_last being what the row read in the tick before, in the \
           first tick the value at the start.",
    coef: CoefRole::ScalesFirst,
    params: &[real("a", "value")],
    examples: &[Example {
        line: "y = derivative(3 * time)",
        given: &[],
        dt: 0.5,
        ticks: 3,
        result: 3.0,
    }],
    body: Body::Memory(Memory::Derivative),
};

pub(super) static SMOOTHING: Procedure = Procedure {
    name: "smoothing",
    about: "y follows the argument with the time constant T",
    help: "T is the coefficient of the row. In a tick y := y + (a - y)*(1 - exp(-dt/T)): the exact \
           answer for an argument that stands still during the tick.",
    coef: CoefRole::Parameter("T"),
    params: &[real("a", "value to follow")],
    examples: &[Example {
        line: "y = smoothing(x, 2)",
        given: &[("x", 1.0)],
        dt: 2.0,
        ticks: 1,
        result: 0.632_120_558_828_557_7,
    }],
    body: Body::Memory(Memory::Smoothing),
};

pub(super) static DELAY: Procedure = Procedure {
    name: "delay",
    about: "c*a as it was some time ago",
    help: "`delay(x, tau)` is x at time - tau; the coefficient stands inside, `delay(2 * x, tau)`. Before the start x had its start value, or what its `before` says. A tau that is \
           constant is rounded to whole ticks in a tick run, with a warning if that changes it; one that varies is read at the \
           place of the row, and lies between ticks on a straight line. The past is kept \
           also while the row is not active.",
    coef: CoefRole::ScalesFirst,
    params: &[
        real("a", "value"),
        real("tau", "how long ago [units of time]"),
    ],
    examples: &[Example {
        line: "y = delay(time, 1)",
        given: &[],
        dt: 0.5,
        ticks: 5,
        result: 1.0,
    }],
    body: Body::Memory(Memory::Delay),
};

pub(super) static SAMPLE_AND_HOLD: Procedure = Procedure {
    name: "sample_and_hold",
    about: "c*a while a condition holds, then its last value",
    help: "With an event as condition it takes one sample per event.",
    coef: CoefRole::ScalesFirst,
    params: &[real("a", "value"), boolean("when", "condition of sampling")],
    examples: &[Example {
        line: "y = sample_and_hold(time, time <= 1)",
        given: &[],
        dt: 0.5,
        ticks: 6,
        result: 1.0,
    }],
    body: Body::Memory(Memory::SampleAndHold),
};

pub(super) static COUNTER: Procedure = Procedure {
    name: "counter",
    about: "how often a condition arose",
    help: "y grows by 1 in every tick in which the condition turns true. A condition that is true \
           at the start is not counted. The past of the condition is kept also while the row is \
           not active.",
    coef: CoefRole::Unused,
    params: &[boolean("what", "condition to count")],
    examples: &[Example {
        line: "y = counter(mod(time, 2) >= 1)",
        given: &[],
        dt: 0.5,
        ticks: 8,
        result: 2.0,
    }],
    body: Body::Memory(Memory::Counter),
};

pub(super) static TIMER: Procedure = Procedure {
    name: "timer",
    about: "time for which a condition has held without a break",
    help: "Grows by 1 per unit of time while the condition holds and is 0 while it does not.",
    coef: CoefRole::Unused,
    params: &[boolean("what", "condition to time")],
    examples: &[Example {
        line: "y = timer(time >= 1)",
        given: &[],
        dt: 0.5,
        ticks: 5,
        result: 1.5,
    }],
    body: Body::Memory(Memory::Timer),
};

pub(super) static HYSTERESIS: Procedure = Procedure {
    name: "hysteresis",
    about: "1 at and above `high`, 0 at and below `low`, unchanged between",
    help: "A two-position relay. Which value it has between the borders depends on where the \
           argument came from; at the start, on the start value of y. If both hold, `high` wins.",
    coef: CoefRole::Unused,
    params: &[
        real("a", "value"),
        real("low", "border downwards"),
        real("high", "border upwards"),
    ],
    examples: &[
        Example {
            line: "y = hysteresis(x, 1, 2)",
            given: &[("x", 1.5), ("y", 1.0)],
            dt: 1.0,
            ticks: 1,
            result: 1.0,
        },
        Example {
            line: "y = hysteresis(x, 1, 2)",
            given: &[("x", 1.5)],
            dt: 1.0,
            ticks: 1,
            result: 0.0,
        },
        Example {
            line: "y = hysteresis(x, 1, 2)",
            given: &[("x", 2.0)],
            dt: 1.0,
            ticks: 1,
            result: 1.0,
        },
    ],
    body: Body::Memory(Memory::Hysteresis),
};
