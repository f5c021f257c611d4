//! Sines and cosines of the angles in all lanes.
//!
//! They are done in stages, each in all lanes before the next: what is left of the angles without quarter
//! turns, the sines of that, the cosines. The operations on one angle wait for each other, about a hundred
//! cycles, and the processor looks ahead as many operations as two vectors of angles take. A stage is short,
//! so that it has several in sight.

use multiversion::multiversion;

use super::Block;
use super::instruction::{Action, Instruction};
use crate::tape::Code;
use situ_solve::elementary::circular::{self, Rest};
use situ_solve::lanes::wide::{LANES, LaneVec, Mask, lanes_in};

/// Does sine, cosine or both in each active lane.
#[multiversion(targets(
    "x86_64+avx512f+avx512vl+avx512dq+avx512bw+avx512cd+avx2+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+fma+bmi1+bmi2+lzcnt+popcnt"
))]
pub(super) fn turn(block: &mut Block, op: Instruction, active: Mask) {
    let Instruction {
        does, out, a, b, ..
    } = op;
    let (radians, degrees) = (circular::rest_or_hard, circular::rest_of_degrees_or_hard);
    let sine = |rest: Rest, [sine, cosine]: [f64; 2]| rest.sine_from(sine, cosine);
    let cosine = |rest: Rest, series| sine(rest.quarter_further(), series);
    macro_rules! one {
        ($rest:expr, |$angle:pat_param, $own:ident, $series:ident| $value:expr, $exact:path) => {{
            let value = |$angle: f64, $own, $series| [$value];
            each_angle(block, a, [out], active, $rest, value, [$exact]);
        }};
    }
    match does {
        Action::Op(Code::Sin) => one!(radians, |_, rest, all| sine(rest, all), circular::sin),
        Action::Op(Code::Cos) => one!(radians, |_, rest, all| cosine(rest, all), circular::cos),
        Action::Op(Code::SinDeg) => one!(
            degrees,
            |angle, rest, all| circular::signed_sine_of_degrees(angle, sine(rest, all)),
            circular::sin_deg
        ),
        Action::Op(Code::CosDeg) => one!(
            degrees,
            |_, rest, all| cosine(rest, all) + 0.0,
            circular::cos_deg
        ),
        _ => {
            let both = |_: f64, rest, all| [sine(rest, all), cosine(rest, all)];
            let exact = [circular::sin, circular::cos];
            each_angle(block, a, [out, b], active, radians, both, exact);
        }
    }
}

/// Does an op on angles in each active lane.
///
/// `rest`: what is left of an angle, and whether that is worth nothing; the functions `exact` are then taken.
/// `value`: the results, from an angle, what is left of it, and sine and cosine of that.
#[inline(always)]
fn each_angle<const N: usize>(
    block: &mut Block,
    angles: u32,
    outs: [u32; N],
    active: Mask,
    rest: impl Fn(f64) -> (Rest, bool),
    value: impl Fn(f64, Rest, [f64; 2]) -> [f64; N],
    exact: [fn(f64) -> f64; N],
) {
    let Block {
        reals,
        stages,
        live,
        ..
    } = block;
    let angles = &reals[angles as usize];
    let Stages {
        turns,
        y,
        tail,
        sines,
    } = stages;
    let mut some_hard = 0;
    for (lane, &angle) in angles.values().iter().enumerate() {
        let (rest, is_hard) = rest(angle);
        (turns[lane], y[lane], tail[lane]) = (rest.turns, rest.y, rest.tail);
        some_hard |= u64::from(is_hard);
    }
    let rest_in = |lane: usize| Rest {
        turns: turns[lane],
        y: y[lane],
        tail: tail[lane],
    };
    for (lane, sine) in sines.iter_mut().enumerate() {
        *sine = rest_in(lane).sine_of_rest();
    }
    let mut results = [LaneVec::splat(0.0); N];
    for (lane, &angle) in angles.values().iter().enumerate() {
        let series = [sines[lane], rest_in(lane).cosine_of_rest()];
        let values = value(angle, rest_in(lane), series);
        for (results, value) in results.iter_mut().zip(values) {
            results.values_mut()[lane] = value;
        }
    }
    if some_hard != 0 {
        let is_hard = |angle| rest(angle).1;
        redo(&mut results, angles, active & *live, is_hard, exact);
    }
    for (out, results) in outs.into_iter().zip(&results) {
        let out = &mut reals[out as usize];
        if active != !0 {
            out.update_in(active, [results], |_, [result]| result);
        } else {
            *out = *results;
        }
    }
}

/// Values handed from stage to stage, in all lanes.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(super) struct Stages {
    turns: [u64; LANES],
    y: [f64; LANES],
    tail: [f64; LANES],
    sines: [f64; LANES],
}

impl Stages {
    pub(super) const fn new() -> Self {
        Self {
            turns: [0; LANES],
            y: [0.0; LANES],
            tail: [0.0; LANES],
            sines: [0.0; LANES],
        }
    }
}

/// Angles that need more digits.
#[cold]
fn redo<const N: usize>(
    results: &mut [LaneVec; N],
    angles: &LaneVec,
    lanes: Mask,
    is_hard: impl Fn(f64) -> bool,
    exact: [fn(f64) -> f64; N],
) {
    for lane in lanes_in(lanes).filter(|&lane| is_hard(angles.get(lane))) {
        for (results, exact) in results.iter_mut().zip(exact) {
            results.set(lane, exact(angles.get(lane)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::code::LaneCode;
    use super::super::instruction::ALWAYS;
    use super::*;
    use crate::tape::Tape;

    /// Results of an op on as many angles as there are lanes, in two slots.
    fn turned(does: Action, angles: &[f64; LANES], active: Mask) -> [LaneVec; 2] {
        let tape = Tape {
            n_slots: 3,
            ..Tape::default()
        };
        let code = [0; 3].map(|_| LaneCode::new(&tape, 0..0).unwrap());
        let mut block = Block::new(&tape, code.each_ref());
        *block.reals[0].values_mut() = *angles;
        block.live = !0;
        let op = Instruction {
            does,
            guard: ALWAYS,
            out: 1,
            a: 0,
            b: 2,
            c: 0,
        };
        turn(&mut block, op, active);
        [block.reals[1], block.reals[2]]
    }

    #[test]
    fn angles_in_lanes_have_the_bits_of_single_ones() {
        type Exact = fn(f64) -> f64;
        let pairs: [(Action, Exact); 5] = [
            (Action::Op(Code::Sin), circular::sin),
            (Action::Op(Code::Cos), circular::cos),
            (Action::Op(Code::SinDeg), circular::sin_deg),
            (Action::Op(Code::CosDeg), circular::cos_deg),
            (Action::SineAndCosine, circular::sin),
        ];
        let near = (0..60).map(|k| f64::from(k) * std::f64::consts::FRAC_PI_2);
        let degrees = (0..60).map(|k| f64::from(k) * 45.0);
        let more = [
            1e-320,
            1e-9,
            circular::LARGE,
            1e14,
            1e15,
            1e22,
            6e5,
            1e308,
            f64::INFINITY,
        ];
        let spread = (0..20_000).map(|k| (f64::from(k) * 0.618_033_988_749_894_9).fract() * 400.0);
        let all = near.chain(degrees).chain(more).chain(spread);
        let angles: Vec<f64> = all
            .flat_map(|x| [x, -x, x.next_up(), x.next_down()])
            .collect();
        for angles in angles.as_chunks().0 {
            for (does, exact) in pairs {
                let [values, others] = turned(does, angles, !0);
                for (lane, &x) in angles.iter().enumerate() {
                    let (value, exact) = (values.get(lane), exact(x));
                    assert!(
                        value.to_bits() == exact.to_bits() || value.is_nan() && exact.is_nan(),
                        "{does:?} {x:e}"
                    );
                    if does == Action::SineAndCosine && x.is_finite() {
                        assert_eq!(others.get(lane).to_bits(), circular::cos(x).to_bits());
                    }
                }
            }
        }
        let hard = angles.iter().filter(|&&x| circular::rest_or_hard(x).1);
        assert!((1..1000).contains(&hard.count()));
    }

    #[test]
    fn lanes_that_are_not_active_keep_what_they_have() {
        let [sines, _] = turned(Action::Op(Code::Cos), &[0.0; LANES], 1);
        let all: Vec<f64> = sines.values().to_vec();
        assert_eq!((all.iter().sum::<f64>(), sines.get(0)), (1.0, 1.0));
    }
}
