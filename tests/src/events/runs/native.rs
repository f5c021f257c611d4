//! Steps in native code against the interpreter: the same states, counts, rows and faults to the last
//! bit, whenever the code takes over.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use situ_engine::Method;
use situ_engine::backend::compiled::{BasicBlockCode, BasicBlockJob};
use situ_engine::model::{Input, Model};
use situ_engine::sim::compiled::{CompileError, Compiler, Pending, TickCode, TickJob};
use situ_engine::sim::{EventConfig, EventRun, PreparedModel, Run, RunConfig};
use situ_engine::trace::{Trace, TraceRecorder};
use situ_jit::{Jit, Options, compile_straight};

use crate::tables::{Table, files, scenario_folders};

/// Code that is ready when it has been asked for so often, wanted after so many evaluations.
#[derive(Clone, Copy, Debug)]
struct Late(u64, u64);

/// Number of calls of compiled code.
static CALLS: AtomicU64 = AtomicU64::new(0);

#[derive(Debug)]
struct Counted(Arc<dyn BasicBlockCode>);

impl BasicBlockCode for Counted {
    fn run(&self, part: usize, slots: &mut [f64]) {
        CALLS.fetch_add(1, Ordering::Relaxed);
        self.0.run(part, slots);
    }
}

impl Compiler for Late {
    fn ticks(
        &self,
        job: TickJob,
        ticks: u64,
    ) -> Result<Option<Pending<dyn TickCode>>, CompileError> {
        Jit::at_once(Options::default()).ticks(job, ticks)
    }

    fn straight(&self, job: BasicBlockJob) -> Pending<dyn BasicBlockCode> {
        let (asked, ready) = (AtomicU64::new(0), self.0);
        let code: Arc<dyn BasicBlockCode> = Arc::new(Counted(compile_straight(&job).unwrap()));
        Pending::when(move || {
            let is_ready = asked.fetch_add(1, Ordering::Relaxed) >= ready;
            is_ready.then(|| Arc::clone(&code))
        })
    }

    fn pays_after(&self) -> u64 {
        self.1
    }
}

/// All that is to be seen of a run.
fn outcome(mut run: EventRun) -> (String, usize) {
    let model = run.model().clone();
    let mut recorder = TraceRecorder::new(&model);
    let result = run.run(&mut recorder);
    let Trace {
        time,
        reals,
        switches,
        ranges,
        situations,
        ..
    } = recorder.trace;
    let bits = |values: &[f64]| values.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    let reals: Vec<_> = reals.iter().map(|column| bits(column)).collect();
    let booleans = (switches, ranges, situations);
    let told = (bits(&time), reals, booleans, run.stats(), run.covered());
    (format!("{result:?} {told:?}"), run.native_modes())
}

/// All that is to be seen of the first steps of a run.
fn first_steps(mut run: EventRun) -> (String, usize) {
    let mut told = String::new();
    for _ in 0..100 {
        let stop = run.config().stop;
        let result = run.advance(stop, &mut ());
        let reals: Vec<u64> = run.row().reals.iter().map(|x| x.to_bits()).collect();
        writeln!(told, "{result:?} {:?} {reals:?}", run.time().to_bits()).unwrap();
        if result.is_err() {
            break;
        }
    }
    write!(told, "{:?} {:?}", run.stats(), run.covered()).unwrap();
    let modes = run.native_modes();
    (told, modes)
}

/// Native and interpreted runs come to the same, seen as a whole. Result: modes that had native code.
pub(crate) fn agrees_to_the_end(model: &Model, config: &EventConfig) -> usize {
    agrees(model, config, outcome)
}

/// The same of the first steps.
pub(crate) fn agrees_at_first(model: &Model, config: &EventConfig) -> usize {
    agrees(model, config, first_steps)
}

fn agrees(model: &Model, config: &EventConfig, outcome: fn(EventRun) -> (String, usize)) -> usize {
    let Ok(start) = EventRun::new(model.clone(), config.clone()) else {
        return 0;
    };
    let (expected, _) = outcome(start.clone());
    let compilers = [Late(0, 0), Late(7, 50)];
    let native = compilers.map(|compiler| {
        let mut run = start.clone();
        run.compile_with(Arc::new(compiler));
        let (found, modes) = outcome(run);
        assert!(
            found == expected,
            "{}:\n{found}\nand not\n{expected}",
            model.name
        );
        modes
    });
    native[0]
}

#[test]
fn scenarios_have_the_same_bits_in_native_steps() {
    let mut modes = 0;
    for folder in scenario_folders() {
        for path in files(&folder, "ron") {
            let table = Table::at(&path);
            for method in [Method::Tsit5, Method::Dop853, Method::Auto, Method::Rodas5p] {
                let Ok(mut config) = EventConfig::from_clock(&table.model.clock) else {
                    continue;
                };
                config.stop = config.stop.min(20.0);
                config.settings.method = method;
                modes += agrees(&table.model, &config, outcome);
            }
        }
    }
    assert!(modes > 20, "only {modes} modes in native code");
}

/// Loops, a slide, a delay, kinks, margins that are not affine, a Jacobian: all of it in native code.
#[test]
fn what_steps_need_besides_rates_is_native_too() {
    let tables = [
        // A loop that is not linear, with a margin behind it.
        r#"(format: 1, clock: (stop: 20, rtol: 1e-8), reals: {"x": 1, "v": 0, "f": 0, "g": 0},
            ranges: ["out: f * x > 0.3"],
            relations: ["f = 0.5 * cos(g + x)", "g = 0.5 * sin(f) - v when !out", "g = 0.4 * sin(f) - v when out",
                "v = integral(g)", "x = integral(v)"])"#,
        // A slide along a curve, and what it ends on.
        r#"(format: 1, clock: (stop: 20, rtol: 1e-8), reals: {"x": 2, "y": 0, "u": 0},
            ranges: ["outside: x * x + y * y > 1"],
            relations: ["u = 1 otherwise", "u = -1 when outside", "x = integral(x * u - 0.3 * y)",
                "y = integral(y * u + 0.3 * x)"])"#,
        // Delays and kinks.
        r#"(format: 1, clock: (stop: 20, rtol: 1e-7), reals: {"x": 1, "v": 0, "late": 0},
            relations: ["late = delay(x, 0.7)", "v = integral(-1 * sin(x) - 0.2 * abs(v) * v - 0.1 * late)",
                "x = integral(v)"], ranges: ["far: x * v > 0.2"])"#,
    ];
    for text in tables {
        let table = Table::from_text(text);
        for method in Method::ALL {
            let mut config = EventConfig::from_clock(&table.model.clock).unwrap();
            config.settings.method = method;
            config.settings.h0 = Some(0.01);
            let before = CALLS.load(Ordering::Relaxed);
            let modes = agrees_to_the_end(&table.model, &config);
            let calls = CALLS.load(Ordering::Relaxed) - before;
            assert!(
                modes > 0 && calls > 500,
                "{method:?}: {calls} calls for {text}"
            );
        }
    }
}

#[test]
fn a_state_is_exchanged_between_engines() {
    let table = Table::at("pendulum/table.ron");
    let mut config = EventConfig::from_clock(&table.model.clock).unwrap();
    (config.stop, config.every) = (f64::INFINITY, None);
    let mut interpreted = EventRun::new(table.model.clone(), config).unwrap();
    let mut native = interpreted.clone();
    native.compile_with(Arc::new(Jit::at_once(Options::default())));
    for step in 0..60 {
        interpreted.advance(f64::INFINITY, &mut ()).unwrap();
        native.advance(f64::INFINITY, &mut ()).unwrap();
        assert_eq!(interpreted.state(), native.state(), "step {step}");
        if step % 20 == 10 {
            let state = interpreted.state();
            interpreted.restore(&native.state()).unwrap();
            native.restore(&state).unwrap();
        }
    }
    assert!(native.native_modes() > 0);
}

/// Code that is there at once; the number of jobs is counted.
#[derive(Debug, Default)]
struct Counting(AtomicU64);

impl Compiler for Counting {
    fn ticks(
        &self,
        job: TickJob,
        ticks: u64,
    ) -> Result<Option<Pending<dyn TickCode>>, CompileError> {
        Jit::at_once(Options::default()).ticks(job, ticks)
    }

    fn straight(&self, job: BasicBlockJob) -> Pending<dyn BasicBlockCode> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Pending::ready(compile_straight(&job).unwrap())
    }

    fn pays_after(&self) -> u64 {
        0
    }
}

/// What one run of a sweep has compiled serves those with other constants, which keep their own bits.
#[test]
fn runs_of_a_sweep_share_their_code() {
    let varied = [
        ("robertson/table.ron", "k1", Method::Rodas5p, 0.04),
        ("van_der_pol/table.ron", "mu", Method::Radau, 9.0),
        ("pendulum/table.ron", "g", Method::Dop853, 9.81),
    ];
    for (path, name, method, value) in varied {
        let table = Table::at(path);
        let constant = table.model.constant(name).unwrap();
        let mut config = EventConfig::from_clock(&table.model.clock).unwrap();
        config.stop = config.stop.min(20.0);
        config.settings.method = method;
        let config = RunConfig::Events(config);
        let compiler = Arc::new(Counting::default());
        let interpreted = PreparedModel::new(table.model.clone(), config, &[]).unwrap();
        let mut native = interpreted.clone();
        native.compile_with(compiler.clone()).unwrap();
        let mut jobs = 0;
        for (index, factor) in [1.0, 1.1, 0.9, 1.3, 0.7].into_iter().enumerate() {
            let given = [(Input::Constant(constant), value * factor)];
            let [expected, found] = [&interpreted, &native].map(|prepared| {
                let Run::Events(run) = prepared.run(&given).unwrap() else {
                    panic!("{path} runs in ticks");
                };
                outcome(*run)
            });
            assert!(found.1 > 0, "{path}: no native code");
            assert!(found.0 == expected.0, "{path}: {name} times {factor}");
            if index == 0 {
                jobs = compiler.0.load(Ordering::Relaxed);
            }
        }
        assert_eq!(compiler.0.load(Ordering::Relaxed), jobs, "{path}");
    }
}
