//! Sources: functions of the model's time.

use super::{Body, CoefRole, Example, Procedure, optional, real};
use crate::tape::Code;

/// An example whose last tick reads the time `(ticks - 1) * dt`.
const fn at_time(line: &'static str, ticks: u32, result: f64) -> Example {
    Example {
        line,
        given: &[],
        dt: 0.5,
        ticks,
        result,
    }
}

pub(super) static STEP: Procedure = Procedure {
    name: "step",
    about: "c from a time on, 0 before",
    help: "`step(2)` is 0 before t = 2 and 1 from t = 2 on.",
    coef: CoefRole::ScalesResult,
    params: &[real("at", "time of the step")],
    examples: &[
        at_time("y = 5 * step(1)", 2, 0.0),
        at_time("y = 5 * step(1)", 3, 5.0),
    ],
    body: Body::Value(|asm, args| {
        let (time, at) = (asm.time(), asm.beside(args[0], Code::Sub));
        asm.op(Code::AtLeast, time, at)
    }),
};

pub(super) static RAMP: Procedure = Procedure {
    name: "ramp",
    about: "c * time since a moment, 0 before",
    help: "`ramp(2)` is 0 until t = 2 and grows by 1 per unit of time from there on.",
    coef: CoefRole::ScalesResult,
    params: &[real("from", "time at which it starts to grow")],
    examples: &[
        at_time("y = 2 * ramp(1)", 2, 0.0),
        at_time("y = 2 * ramp(1)", 4, 1.0),
    ],
    body: Body::Value(|asm, args| {
        let time = asm.time();
        let since = asm.op(Code::Sub, time, args[0]);
        let zero = asm.number(0.0);
        asm.op(Code::Max, since, zero)
    }),
};

pub(super) static PULSE: Procedure = Procedure {
    name: "pulse",
    about: "c for a width of every period, 0 otherwise",
    help: "`pulse(period, width)` is 1 from each multiple of the period for the width; a third \
           argument shifts it to a later start, before which it is 0.",
    coef: CoefRole::ScalesResult,
    params: &[
        real("period", "time between two pulses"),
        real("width", "length of a pulse"),
        optional("from", "time of the first pulse", 0.0),
    ],
    examples: &[
        at_time("y = 3 * pulse(2, 1)", 2, 3.0),
        at_time("y = 3 * pulse(2, 1)", 3, 0.0),
        at_time("y = 3 * pulse(2, 1)", 5, 3.0),
    ],
    body: Body::Value(|asm, args| {
        let time = asm.time_reached();
        let since = asm.op(Code::Sub, time, args[2]);
        let phase = asm.op(Code::Mod, since, args[0]);
        let over = asm.op(Code::AtLeast, phase, args[1]);
        let one = asm.number(1.0);
        let within = asm.op(Code::Sub, one, over);
        let started = asm.op(Code::AtLeast, time, args[2]);
        asm.op(Code::Mul, within, started)
    }),
};

pub(super) static SINE_WAVE: Procedure = Procedure {
    name: "sine_wave",
    about: "c * sin(2*pi*frequency*time + phase)",
    help: "The frequency is in periods per unit of time, the phase in radians.",
    coef: CoefRole::ScalesResult,
    params: &[
        real("frequency", "periods per unit of time"),
        optional("phase", "radians", 0.0),
    ],
    examples: &[at_time("y = 2 * sine_wave(0.5)", 2, 2.0)],
    body: Body::Value(|asm, args| {
        let time = asm.time();
        let turn = asm.number(std::f64::consts::TAU);
        let speed = asm.op(Code::Mul, turn, args[0]);
        let angle = asm.op(Code::Mul, speed, time);
        let shifted = asm.op(Code::Add, angle, args[1]);
        asm.unary(Code::Sin, shifted)
    }),
};
