//! Start values -> the state before the first tick.

use std::sync::Arc;

use super::code::Code;
use crate::backend::history::Before;
use crate::backend::interpreter::{
    Bits, Context, DelayBuffer, Line, NoObserver, Room, execute, holds, run_setup,
};
use crate::ids::{RealId, SwitchId};
use crate::lower::projection::Projection;
use crate::lower::{Program, history};
use crate::model::{Constraint, Input, Model, StartValues};
use crate::sim::events::equilibrium;
use crate::sim::grid::Grid;
use crate::sim::projection::{Moves, Standing, moves, off_constraint};
use crate::sim::state::start::{check_past, check_period, check_start};
use crate::sim::{SetupError, State, TickConfig};

/// Longest delay line.
const MAX_DELAY_TICKS: f64 = 1e8;

/// Start values may be off constraints by so much of their size, or of what is usual for them.
const START_TOLERANCE: f64 = 1e-6;

/// Initial state of a run.
#[derive(Clone, Debug, Default)]
pub(in crate::sim) struct Beginning {
    pub(in crate::sim) values: StartValues,
    /// Values of switches that do not begin as the table says.
    pub(in crate::sim) switches: Vec<(SwitchId, bool)>,
    pub(in crate::sim) grid: Grid,
    /// The time at which it begins; the grid of a run that goes on may begin earlier [units of `time`].
    pub(in crate::sim) time: f64,
}

impl Beginning {
    /// The model's start values, some of them given.
    ///
    /// # Errors
    ///
    /// [`SetupError::Start`]; no equilibrium for reals that ask for it.
    pub(in crate::sim) fn given(
        model: &Arc<Model>,
        given: &[(Input, f64)],
    ) -> Result<Self, SetupError> {
        let values = model.start_values_given(given).map_err(SetupError::Start)?;
        let values = equilibrium::find(model, given, values)?;
        let switches = model.switches_given(given).map_err(SetupError::Start)?;
        Ok(Self {
            values,
            switches,
            ..Self::default()
        })
    }
}

/// Start values, filled delay lines, and the truth values that count as "before the first tick"; start values that were
/// off constraints by less than is tolerated are on them, and are told with what they were.
pub(in crate::sim) fn start(
    model: &Model,
    program: &Program,
    code: &Code,
    config: &TickConfig,
    beginning: &Beginning,
) -> Result<(State, Moves), SetupError> {
    let (state, onto) = begin(model, program, code, config, beginning)?;
    let written = &beginning.values.reals;
    let moves = moves(model, written, &onto);
    if moves.is_empty() {
        return Ok((state, moves));
    }
    let mut beginning = beginning.clone();
    beginning.values.reals = onto;
    let (state, _) = begin(model, program, code, config, &beginning)?;
    Ok((state, moves))
}

/// The state before the first tick, and start values that are on the constraints.
fn begin(
    model: &Model,
    program: &Program,
    code: &Code,
    config: &TickConfig,
    beginning: &Beginning,
) -> Result<(State, Vec<f64>), SetupError> {
    let Beginning { values, grid, .. } = beginning;
    let step = config.step;
    check_start(model, values, false)?;
    let tape = &program.tape;
    let mut state = State::new(tape.n_slots, tape.n_bits);
    state.reals[..program.n_reals].copy_from_slice(&values.reals);
    state.reals[program.n_reals..][..program.n_constants].copy_from_slice(&values.constants);
    for &(slot, value) in &tape.numbers {
        state.reals[slot.index()] = value;
    }
    state.reals[program.clock.step.index()] = step;
    run_setup(tape, &mut state.reals);
    for (index, switch) in model.switches.iter().enumerate() {
        let bit = SwitchId::new(index).0;
        state.bits.as_mut_slice().set_bit(bit, switch.start);
    }
    for &(switch, value) in &beginning.switches {
        state.bits.as_mut_slice().set_bit(switch.0, value);
    }
    (state.tick, state.grid) = (grid.tick, *grid);
    for (period, schedule) in tape.periods.iter().zip(&model.schedules) {
        let (length, first) = (
            state.reals[period.period.index()],
            state.reals[period.first.index()],
        );
        check_period(length, first, schedule)?;
    }
    for &(expr, slot, _) in &program.derived {
        let (reals, constants) = (&values.reals, &values.constants);
        state.reals[slot.index()] = model.value_at(expr, reals, constants, grid.time);
    }
    for (line, &(.., relation)) in tape.delays.iter().zip(&program.delayed) {
        let origin = model.relations[relation.index()].origin;
        let given = (&values.reals[..], &values.constants[..]);
        let filling = model.delayed_argument(relation, given, beginning.time);
        // A tick takes in its argument as it stands at the beginning, or at the end.
        let is_early = model.delays_from_the_beginning(relation, config.options.scan);
        let lag = if is_early { step } else { 0.0 };
        let before = history::before(model, relation, values).lagging(lag);
        if !model.has_constant_delay(relation) {
            state.lines.push(Line {
                values: Vec::new(),
                oldest: 0,
                trail: Some(Box::new(DelayBuffer::new(None, grid.time, filling, before))),
            });
            continue;
        }
        let tau = state.reals[line.tau.index()];
        if tau.is_nan() || tau < 0.0 {
            return Err(SetupError::BadInterval {
                what: "delay",
                value: tau,
                origin,
            });
        }
        let ticks = (tau / step).round();
        if ticks > MAX_DELAY_TICKS {
            return Err(SetupError::DelayTooLong { ticks, origin });
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "whole, positive and small"
        )]
        let length = ticks as usize;
        check_past(&before, tau, origin)?;
        let is_uneven = config.is_uneven();
        let (values, trail) = match is_uneven {
            true => {
                let buffer = DelayBuffer::new(Some(tau), grid.time, filling, before);
                (Vec::new(), Some(Box::new(buffer)))
            }
            false => {
                let newest = (beginning.time, step);
                (filled(&before, (length, filling), newest), None)
            }
        };
        state.lines.push(Line {
            values,
            oldest: 0,
            trail,
        });
    }
    let mut context = Context {
        tape,
        spans: &[],
        room: &mut Room::default(),
        lines: &mut [],
        tick: grid.tick,
        since: grid.since(),
        starting: true,
    };
    for part in &code.start {
        let (reals, bits) = (state.reals.as_mut_slice(), state.bits.as_mut_slice());
        execute(part, reals, bits, &mut context, &mut NoObserver);
    }
    let onto = on_constraints(model, program, &state, (values, beginning.time))?;
    Ok((state, onto))
}

/// The start values, moved onto the constraints that hold at the start.
///
/// # Errors
///
/// They are far off: the first tick would take them away.
fn on_constraints(
    model: &Model,
    program: &Program,
    state: &State,
    (values, t): (&StartValues, f64),
) -> Result<Vec<f64>, SetupError> {
    let active = |one: &&Constraint| {
        let test = program.relation_tests[one.relation.index()];
        test.is_none_or(|test| holds(&program.tape.tests, test, state.bits.as_slice()))
    };
    let constraints: Vec<&Constraint> = model.constraints.iter().filter(active).collect();
    let Some(onto) = Projection::onto(model, &constraints) else {
        return Ok(values.reals.clone());
    };
    let states: Vec<RealId> = (0..model.reals.len()).map(RealId::new).collect();
    let mut y = values.reals.clone();
    let mut standing = Standing {
        t,
        constants: &values.constants,
        reals: &values.reals,
        states: &states,
        y: &mut y,
    };
    let found = standing.project(&onto).is_ok();
    let moves = states.iter().zip(&values.reals).zip(&y);
    let moves: Vec<(RealId, f64)> = moves
        .filter(|((_, stands), to)| found && stands != to)
        .map(|((real, _), &to)| (*real, to))
        .collect();
    let within = |&(real, to): &(RealId, f64)| {
        let stands = values.reals[real.index()];
        let nominal = model.reals[real.index()].nominal.unwrap_or(1.0);
        (to - stands).abs() <= START_TOLERANCE * stands.abs().max(nominal)
    };
    if found && moves.iter().all(within) {
        return Ok(y);
    }
    let at = (t, &values.constants[..], &values.reals[..]);
    Err(off_constraint(model, &onto, at, moves).into())
}

/// The values of a line of so many ticks, and the one before them, the oldest first; the newest is taken in at a time.
fn filled(before: &Before, (length, start): (usize, f64), (time, step): (f64, f64)) -> Vec<f64> {
    #[expect(clippy::cast_precision_loss, reason = "lines have at most 1e8 values")]
    let values = (0..=length).rev().map(|age| {
        let taken_in = before.taken_in_at(time - age as f64 * step);
        taken_in.unwrap_or(start)
    });
    values.collect()
}
