//! Runs in lanes against single runs: the same measures to the last bit, the same ends and faults, for
//! tables and start values of every kind.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering};

use situ_engine::Method;
use situ_engine::ids::{ConstantId, RealId, SwitchId};
use situ_engine::model::{Clock, Expr, Input, IntegralRule, Model, Stepping};
use situ_engine::procedure::ProcedureId;
use situ_engine::sim::{
    EndReason, EventConfig, LaneEnd, PreparedModel, RunConfig, Runs, TickConfig,
};
use situ_engine::trace::{Measure, Recorder, Row};

use crate::engines::native::measures;
use crate::tables::Table;

/// Start values that make something special, besides a factor of the table's own.
const VALUES: [f64; 12] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    2.5,
    -7.25,
    1e-3,
    1e3,
    1e-310,
    1e200,
    f64::INFINITY,
];

/// Numbers that look random, the same ones each time.
struct Choices(u64);

impl Choices {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % n
    }
}

/// Rows of start values for all constants, reals and switches of a model; the first has its own.
fn rows(model: &Model, n: usize, wild: usize) -> (Vec<Input>, Vec<Vec<f64>>) {
    let own = model.start_values().unwrap();
    let constants = (0..model.constants.len()).map(|i| Input::Constant(ConstantId::new(i)));
    let reals = (0..model.reals.len()).map(|i| Input::Real(RealId::new(i)));
    let switches = (0..model.switches.len()).map(|i| Input::Switch(SwitchId::new(i)));
    let inputs: Vec<Input> = constants.chain(reals).chain(switches).collect();
    let mut choices = Choices(n as u64);
    let mut value = |row: usize, input: Input| {
        let own = match input {
            Input::Constant(id) => own.constants[id.index()],
            Input::Real(id) => own.reals[id.index()],
            Input::Switch(id) => f64::from(u8::from(model.switches[id.index()].start)),
        };
        match (input, choices.below(8)) {
            _ if row == 0 => own,
            (Input::Switch(_), part) => f64::from(u8::from(part % 2 == 0)),
            (_, 0..5) => own,
            (_, 5 | 6) => own * [0.5, 1.01, 1.5, -1.0][choices.below(4)],
            _ if choices.below(8) >= wild => own * 0.99,
            _ => VALUES[choices.below(VALUES.len())],
        }
    };
    let rows = (0..n).map(|row| inputs.iter().map(|&input| value(row, input)).collect());
    let rows = rows.collect();
    (inputs, rows)
}

/// Number of runs so far that went to their end in lanes, and of those that could not.
static RUNS: [AtomicU32; 2] = [const { AtomicU32::new(0) }; 2];

/// Number of runs compared so far in ticks: those that went to their end, and those that failed.
pub(crate) fn compared() -> [u32; 2] {
    RUNS.each_ref().map(|runs| runs.load(Ordering::Relaxed))
}

/// Runs of a model in ticks with many start values come to the same in lanes and alone. Result: how many
/// went to their end in lanes.
pub(crate) fn agrees(model: &Model, config: &TickConfig, n: usize, wild: usize) -> usize {
    let mut model = model.clone();
    let name = model.name.clone();
    let mut all = measures(&mut model);
    let finals: Vec<Measure> = (0..model.reals.len())
        .map(|real| Measure::Final(model.exprs.push(Expr::Real(RealId::new(real)))))
        .collect();
    all.extend(finals.iter().cloned());
    let (inputs, rows) = rows(&model, n, wild);
    let mut over = 0;
    for measures in [finals, all] {
        let run = RunConfig::Ticks(config.clone());
        let Ok(template) = PreparedModel::new(model.clone(), run, &measures) else {
            break;
        };
        if config.is_uneven() || crate::tables::solves(&model) {
            assert!(
                template.lanes().is_none(),
                "{name}: lanes have ticks of one length, and no rows that are solved"
            );
            break;
        }
        let ends = Ends::of(&template, &inputs, rows.clone());
        let counts = [ends.over, ends.compare(&name)];
        let all = counts.iter().sum::<usize>();
        assert_eq!(
            all,
            rows.len(),
            "{name}: what lanes leave ends with a fault"
        );
        for (all, count) in RUNS.iter().zip(counts) {
            all.fetch_add(u32::try_from(count).unwrap(), Ordering::Relaxed);
        }
        over += ends.over;
    }
    over
}

/// Runs of a smooth model in event stepping with many start values come to the same in lanes and alone. Result: how
/// many went to their end in lanes, and how many to none.
pub(crate) fn smooth_agrees(
    model: &Model,
    config: &EventConfig,
    n: usize,
    wild: usize,
) -> [usize; 2] {
    let (inputs, rows) = rows(model, n, wild);
    let mut model = model.clone();
    let mut config = config.clone();
    config.every = None;
    let finals: Vec<Measure> = (0..model.reals.len())
        .map(|real| Measure::Final(model.exprs.push(Expr::Real(RealId::new(real)))))
        .collect();
    let name = model.name.clone();
    let method = config.settings.method;
    let exprs = model.exprs.clone();
    let relations = model.relations.clone();
    let mut procedures = relations.iter().map(|row| row.procedure);
    let template = PreparedModel::new(model, RunConfig::Events(config), &finals).unwrap();
    if template.lanes().is_none() {
        // Lanes look within steps neither for pulses of exponentials nor for the edges of values that rates do not need.
        let names = ["exp", "power", "quotient", "ln", "sqrt", "tan", "tand"];
        let names = names.map(ProcedureId::named);
        let is_left = |node: &Expr| match node {
            Expr::Div(..) => true,
            Expr::Call(id, _) => names.contains(&Some(*id)),
            _ => false,
        };
        let has_left = exprs.iter().any(|node| is_left(&node))
            || procedures.any(|id| names.contains(&Some(id)));
        assert!(
            has_left || method == Method::Taylor,
            "{name}: {method:?} has lanes"
        );
        return [0; 2];
    }
    let ends = Ends::of(&template, &inputs, rows);
    [ends.over, ends.compare(&name)]
}

/// Runs of a smooth model with many start values and by several methods come to the same in lanes and alone.
/// Result: how many runs failed.
fn agrees_in_events(text: &str, stop: f64, n: usize, wild: usize) -> usize {
    let model = Table::from_text(text).model;
    let mut failed = 0;
    for (method, rtol) in [
        (Method::Tsit5, 1e-5),
        (Method::Tsit5, 1e-9),
        (Method::Merson, 1e-5),
        (Method::Dop853, 1e-4),
        (Method::Dop853, 1e-10),
        (Method::Auto, 1e-6),
        (Method::Auto, 1e-9),
        (Method::Taylor, 1e-4),
        (Method::Taylor, 1e-11),
    ] {
        let clock = Clock {
            stop: Some(stop),
            stepping: Some(Stepping::Events),
            method: Some(method),
            rtol: Some(rtol),
            ..Clock::default()
        };
        let config = EventConfig::from_clock(&clock).unwrap();
        failed += smooth_agrees(&model, &config, n, wild)[1];
    }
    failed
}

#[test]
fn steps_have_the_same_bits_in_lanes() {
    let pendulum = r#"(format: 1, constants: {"l": 1, "g": 9.81},
        reals: {"a": 1.2, "w": 0, "pull": 0}, relations:
        ["pull = sin(a)", "w = integral(-1 * g / l * pull)", "a = integral(w)"])"#;
    agrees_in_events(pendulum, 3.0, 90, 0);
    let circuit = r#"(format: 1, constants: {"R": 1, "C": 0.000001, "L": 0.001, "E": 1},
        reals: {"I": 0, "U": 0, "E2": 0.5}, relations:
        ["I = integral((E - I * R - U + E2) / L)", "U = integral(I / C)"])"#;
    agrees_in_events(circuit, 2e-4, 90, 0);
    let driven = r#"(format: 1, constants: {"k": 4, "T": 0.5},
        reals: {"x": 1, "v": 0, "s": 0, "e": 0, "f": 2}, relations:
        ["v = integral(f * cos(3 * time) - k * x - 0.1 * v)", "x = integral(v)",
         "s = smoothing(x * x, T)", "e = exp(s) + f * f"])"#;
    agrees_in_events(driven, 3.0, 80, 0);
    let linear_in_time = r#"(format: 1, constants: {"k": 0.3, "m": 1},
        reals: {"x": 1, "v": 0}, relations:
        ["v = integral(2 * time - k * x / m)", "x = integral(v + m * 0.5)"])"#;
    agrees_in_events(linear_in_time, 5.0, 80, 0);
    // A series that ends, from numbers that are 0 with either sign.
    let flight = r#"(format: 1, constants: {"g": -9.81}, reals: {"h": 1, "v": -0.0, "x": -0.0, "u": 3},
        relations: ["v = integral(g)", "h = integral(v)", "x = integral(u)", "u = integral(-0 * x)"])"#;
    agrees_in_events(flight, 1e4, 80, 0);
}

#[test]
fn runs_that_fail_or_turn_stiff_are_run_alone() {
    let ends = r#"(format: 1, constants: {"k": 1}, reals: {"x": 0.5, "y": 0}, relations:
        ["x = integral(k)", "y = (1.3e154 * x) ^ 2"])"#;
    assert!(agrees_in_events(ends, 1.5, 70, 0) > 50);
    let stiff = r#"(format: 1, constants: {"k": 900}, reals: {"x": 0, "c": 1}, relations:
        ["c = cos(time)", "x = integral(-1 * k * (x - c))"])"#;
    agrees_in_events(stiff, 0.1, 30, 0);
    let stiff_series = r#"(format: 1, constants: {"k": 900}, reals: {"x": 0, "c": 1}, relations:
        ["c = integral(-1 * c)", "x = integral(-1 * k * (x - c))"])"#;
    agrees_in_events(stiff_series, 4.0, 30, 0);
}

/// Rows of a template, run in the lanes of one thread.
struct InLanes<'a> {
    inputs: &'a [Input],
    rows: &'a [Vec<f64>],
    next: usize,
    ends: Vec<Option<LaneEnd>>,
}

impl Runs for InLanes<'_> {
    fn next(&mut self, values: &mut Vec<(Input, f64)>) -> Option<usize> {
        let place = self.next;
        self.next += 1;
        *values = given(self.inputs, self.rows.get(place)?);
        Some(place)
    }

    fn done(&mut self, run: usize, end: LaneEnd) {
        assert!(self.ends[run].is_none(), "a run is over once");
        self.ends[run] = Some(end);
    }

    fn broken(&mut self) -> bool {
        false
    }
}

fn given(inputs: &[Input], row: &[f64]) -> Vec<(Input, f64)> {
    inputs.iter().copied().zip(row.iter().copied()).collect()
}

/// Breaks off runs that have no end.
struct Patience(u32);

impl Recorder for Patience {
    fn row(&mut self, _: &Row<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn poll(&mut self, _: u64, _: u64) -> ControlFlow<()> {
        match self.0.checked_sub(1) {
            Some(left) => {
                self.0 = left;
                ControlFlow::Continue(())
            }
            None => ControlFlow::Break(()),
        }
    }
}

/// The end of a run that is done alone; `None` if it takes more than so many steps.
fn alone(template: &PreparedModel, given: &[(Input, f64)], steps: u32) -> Option<LaneEnd> {
    let mut run = match template.run(given) {
        Ok(run) => run,
        Err(error) => return Some(LaneEnd::Refused(Box::new(error))),
    };
    let ended = run.run(&mut Patience(steps));
    let (measured, time) = (run.measured(), run.time());
    match ended {
        Ok(EndReason::Recorder) => None,
        Ok(ended) => Some(LaneEnd::Over {
            measured,
            time,
            ended,
        }),
        Err(fault) => Some(LaneEnd::Failed {
            measured,
            time,
            fault: Box::new(fault),
        }),
    }
}

/// An end with numbers as bits and one NaN for all.
fn bits_of(end: &LaneEnd) -> String {
    let bits = |x: f64| if x.is_nan() { f64::NAN } else { x }.to_bits();
    match end {
        LaneEnd::Over {
            measured,
            time,
            ended,
        } => {
            let measured: Vec<_> = measured.iter().map(|value| value.map(bits)).collect();
            format!("{measured:?} at {:?}, {ended:?}", bits(*time))
        }
        other => format!("{other:?}"),
    }
}

/// The ends of runs, in lanes and alone.
struct Ends {
    rows: Vec<Vec<f64>>,
    in_lanes: Vec<LaneEnd>,
    alone: Vec<LaneEnd>,
    /// Runs that went to their end in lanes.
    over: usize,
}

impl Ends {
    /// Those of a template that has lanes, but for rows whose runs have no end.
    fn of(template: &PreparedModel, inputs: &[Input], rows: Vec<Vec<f64>>) -> Self {
        assert!(template.lanes().is_some(), "{}", template.model().name);
        let patience = match template.config() {
            RunConfig::Ticks(_) => u32::MAX,
            RunConfig::Events(_) => 3000,
        };
        let rows = rows.into_iter().filter_map(|row| {
            let end = alone(template, &given(inputs, &row), patience)?;
            Some((row, end))
        });
        let (rows, alone): (Vec<Vec<f64>>, Vec<LaneEnd>) = rows.unzip();
        let mut runs = InLanes {
            inputs,
            rows: &rows,
            next: 0,
            ends: rows.iter().map(|_| None).collect(),
        };
        template.run_in_lanes(&mut runs);
        let ends = runs.ends.into_iter();
        let in_lanes = ends.map(|end| end.expect("every run has an end"));
        let in_lanes: Vec<LaneEnd> = in_lanes.collect();
        let is_over = |end: &&LaneEnd| matches!(end, LaneEnd::Over { .. });
        Self {
            over: in_lanes.iter().filter(is_over).count(),
            rows,
            in_lanes,
            alone,
        }
    }

    /// They are the same, but for what lanes leave to be done alone. Result: how many runs did not go to
    /// their end.
    fn compare(&self, about: &str) -> usize {
        let mut failed = 0;
        for ((row, end), expected) in self.rows.iter().zip(&self.in_lanes).zip(&self.alone) {
            let is_over = matches!(expected, LaneEnd::Over { .. });
            failed += usize::from(!is_over);
            if *end != LaneEnd::Spoilt {
                assert_eq!(bits_of(end), bits_of(expected), "{about}: {row:?}");
            }
        }
        failed
    }
}

#[test]
fn runs_that_stop_make_room_for_others() {
    let mut table = Table::at("hoop/table.ron");
    let watch = table.watch("h < R & Vy > 0");
    table.model.clock.stop_when = Some(watch);
    let run = table.ticks(1e-3, 3000, 3000, IntegralRule::Rectangle);
    agrees(&run.table.model, &run.config, 300, 1);
}

/// A run that is taken in leaves what others have measured alone.
#[test]
fn events_are_counted_once_while_runs_come_and_go() {
    let text = r#"(format: 1, clock: (step: 0.01, stop: 1), constants: {"p": 0.03},
        reals: {"x": 0.5, "n": 0}, ranges: ["high: x > 0.6"],
        situations: ["event beat: every(p)", "event late: high & beat"],
        relations: ["n := n + 1 when beat", "x = integral(1)"])"#;
    let mut table = Table::from_text(text);
    table.model.clock.stop_when = Some(table.watch("x > 0.8"));
    let (model, config) = (table.model.clone(), table.into_run().config);
    agrees(&model, &config, 200, 1);
}

#[test]
fn functions_have_the_same_bits_in_lanes() {
    let text = r#"(format: 1, clock: (step: 0.01, stop: 1),
        reals: {"x": 0.7, "y": 0, "z": 1, "a": 30, "b": 1, "s": 0, "c": 0, "on": 0},
        relations: ["x = integral(y + 1)", "y = sin(x * 9) + cos(7 * x * z)", "a = a * 1.37 + 1",
            "s = sind(a) * cosd(a)", "c = exp(-1 * abs(s)) + sqrt(abs(y)) when x < 1",
            "z = atan2(y, x) + floor(a * 0.01) + min(x, y) * max(s, c)",
            "b = abs(x)^y + x^2 - x^3 + sign(y) + mod(a, 7)", "on = sin(b) when y > 0"])"#;
    let run = Table::from_text(text).into_run();
    agrees(&run.table.model, &run.config, 200, 4);
}

/// By constants, of which lanes have the reciprocals: of results that fall below all numbers, and of those that come to
/// infinity and back in between, which no real shows.
#[test]
fn quotients_have_the_same_bits_in_lanes() {
    let tables = [
        r#"constants: {"m": 3, "k": 7}, reals: {"x": 1, "y": 0},
            relations: ["x = x / m", "y = y * 0.5 + (x + 1) / k"]"#,
        r#"constants: {"m": 3e-110}, reals: {"x": 1, "n": 0}, ranges: ["large: x / m > 1e300"],
            relations: ["x = x * 1e10 when !large", "n = n + 1 when large"]"#,
        r#"constants: {"m": 3}, reals: {"x": 1, "up": 0, "y": 0},
            relations: ["x = x * 1e3 when x < 1e306", "y = 1 / ((x * 1e3) / m)", "up = up + y / m"]"#,
    ];
    for table in tables {
        let text = format!("(format: 1, clock: (step: 1, stop: 1000), {table})");
        let run = Table::from_text(&text).into_run();
        for wild in [0, 4, 8] {
            assert!(agrees(&run.table.model, &run.config, 200, wild) > 0);
        }
    }
}
