//! The same events under every method, and what each method spends on them.

use std::fmt::Write as _;

use situ_engine::sim::EventRun;
use situ_engine::{Locate, Method, Steps};

use crate::events::{Accuracy, Exact, History};
use crate::tables::Table;

/// A scenario whose events do not depend on the last digits: table, case, end, and the step of
/// methods of fixed step.
struct Scenario {
    path: &'static str,
    case: &'static str,
    stop: f64,
    step: f64,
}

impl Scenario {
    const fn new(path: &'static str, case: &'static str, stop: f64, step: f64) -> Self {
        Self {
            path,
            case,
            stop,
            step,
        }
    }

    fn exact(&self, accuracy: Accuracy) -> Exact {
        let table = Table::at(self.path);
        let table = match self.case {
            "" => table,
            case => table.case(case),
        };
        Exact::new(table, self.stop, accuracy)
    }

    /// A run with one method at middling tolerances.
    fn by(&self, method: Method) -> History {
        let mut exact = self.exact(Accuracy::Tight);
        let settings = &mut exact.config.settings;
        settings.method = method;
        settings.rtol = 1e-8;
        if method.about().steps == Steps::Fixed {
            // Euler's method has the first order.
            let finer = if method == Method::Euler { 0.1 } else { 1.0 };
            settings.h0 = Some(self.step * finer);
        }
        exact.config.atol = 1e-8;
        exact.run()
    }
}

const SCENARIOS: [Scenario; 12] = [
    Scenario::new("thermostat/table.ron", "main", 20.0, 0.05),
    Scenario::new("reactor/table.ron", "filled_start", 10.0, 0.02),
    Scenario::new("sticky_balls/table.ron", "unequal_masses", 12.0, 0.01),
    Scenario::new("slope_billiard/right_wall.ron", "", 6.0, 0.01),
    Scenario::new("stand/table.ron", "A_theta0.8", 5.0, 0.01),
    Scenario::new("obstacle_pendulum/table.ron", "main", 10.0, 0.005),
    Scenario::new("breaking_pendulum/table.ron", "main", 1.6, 0.005),
    Scenario::new("saddle/table.ron", "main", 20.0, 0.01),
    Scenario::new("one_sided_ball/table.ron", "main", 9.0, 0.01),
    Scenario::new("sliding_pair/table.ron", "main", 1.0, 0.01),
    Scenario::new("hoop/table.ron", "main", 4.0, 0.001),
    Scenario::new("cart_stops/table.ron", "both_stops", 3.0, 0.005),
];

/// Everything that happens to named booleans: time and what, in order.
fn happenings(run: &History) -> Vec<(f64, String)> {
    let model = &run.table.model;
    let mut all = Vec::new();
    let mut add = |rows: Vec<usize>, what: String| {
        all.extend(rows.into_iter().map(|row| (row, what.clone())));
    };
    let ranges = model.ranges.iter().map(|range| &range.name);
    let switches = model.switches.iter().map(|switch| &switch.name);
    for name in ranges.chain(switches) {
        add(run.rises(name), format!("{name} begins"));
        add(run.rises(&format!("!{name}")), format!("{name} ends"));
    }
    for situation in model.situations.iter().filter(|situation| situation.event) {
        add(run.fired(&situation.name), situation.name.clone());
    }
    all.sort_unstable();
    let named = |(row, what)| (run.trace.time[row], what);
    all.into_iter().map(named).collect()
}

/// Tolerance of the times of a method, as a part of the end of the run: the error of the
/// method at these steps, and how much the scenario makes of it.
fn allowed(method: Method) -> f64 {
    match method {
        Method::Euler => 2e-2,
        _ => 1e-5,
    }
}

/// The counts are reviewed: a change shows where a method began to work more or less.
#[test]
fn the_same_events_under_every_method() {
    let mut counts = String::new();
    for scenario in &SCENARIOS {
        let known = happenings(&scenario.exact(Accuracy::Tight).run());
        assert!(!known.is_empty(), "{}", scenario.path);
        writeln!(counts, "{} {}", scenario.path, scenario.case).unwrap();
        for method in Method::ALL {
            let run = scenario.by(method);
            let found = happenings(&run);
            let what = format!("{} by {}", scenario.path, method.name());
            let names = |all: &[(f64, String)]| -> Vec<String> {
                all.iter().map(|(_, what)| what.clone()).collect()
            };
            assert_eq!(names(&found), names(&known), "{what}");
            for ((found, name), (known, _)) in found.iter().zip(&known) {
                let off = (found - known).abs() / scenario.stop;
                assert!(
                    off <= allowed(method),
                    "{what}: {name} at {found}, not {known}"
                );
            }
            counts += &work(method, &run);
        }
    }
    insta::assert_snapshot!(counts);
}

/// Work of a run, on one line.
fn work(method: Method, run: &History) -> String {
    let (work, solver) = (&run.stats, &run.stats.method);
    format!(
        "  {:8} {:6} steps {:3} rejected {:7} rates {:4} jacobians {:3} instants {:2} modes\n",
        method.name(),
        solver.steps,
        solver.rejected(),
        solver.rhs,
        solver.jacobians,
        work.instants,
        work.modes
    )
}

/// Counted, not promised: with one-sided location no method evaluates the rates beyond a border, in any
/// scenario. Location of roots does, and the same things happen.
#[test]
fn one_sided_location_evaluates_nothing_beyond_a_border() {
    let mut beyond_with_roots = 0;
    for scenario in &SCENARIOS {
        for method in [Method::Tsit5, Method::Dop853, Method::Rodas5p, Method::Rk4] {
            let exact = |locate| {
                let mut exact = scenario.exact(Accuracy::Tight);
                let settings = &mut exact.config.settings;
                settings.method = method;
                (settings.rtol, exact.config.atol) = (1e-8, 1e-8);
                if method.about().steps == Steps::Fixed {
                    settings.h0 = Some(scenario.step);
                }
                exact.config.locate = locate;
                exact
            };
            let name = format!("{} with {}", scenario.path, method.name());
            let run = exact(Locate::OneSided).run();
            assert!(run.stats.method.rhs > 10, "{name}");
            assert_eq!(run.stats.beyond, Some(0), "{name}");
            let names = |run: &History| {
                let happenings = happenings(run).into_iter();
                happenings.map(|(_, what)| what).collect::<Vec<_>>()
            };
            let with_roots = exact(Locate::Root).run();
            assert_eq!(names(&run), names(&with_roots), "{name}");
            assert_eq!(with_roots.stats.beyond, None);
            let Exact { table, config } = exact(Locate::Root);
            let mut counted = EventRun::new(table.model, config).unwrap();
            counted.count_beyond();
            counted.run(&mut ()).unwrap();
            let stats = counted.stats();
            assert_eq!(stats.method, with_roots.stats.method, "{name}");
            beyond_with_roots += stats.beyond.unwrap();
        }
    }
    assert!(beyond_with_roots > 100, "{beyond_with_roots}");
}

/// `x' = 1`, whose rate is not defined close to 0.2: no stage of a step of dop853 from 0 to 1 stands there, but one
/// that only its dense output needs. `more`: further fields of the table.
fn undefined_at_a_fifth(more: &str) -> Exact {
    let text = format!(
        r#"(format: 1, reals: {{"x": 0}}, {more} relations:
            ["x = integral(1 + 1e-30 * sqrt((time - 0.2) ^ 2 - 1e-6))"])"#
    );
    let mut exact = Exact::new(Table::from_text(&text), 2.0, Accuracy::Default);
    exact.config.settings.method = Method::Dop853;
    exact.config.settings.h0 = Some(1.0);
    exact
}

#[test]
fn rows_inside_of_a_step_need_no_point_that_is_undefined() {
    let run = undefined_at_a_fifth("").every(0.125).run();
    assert_eq!(run.column("x").len(), 17);
    for (row, x) in run.column("x").into_iter().enumerate() {
        assert!((x - 0.125 * row as f64).abs() < 1e-14, "{row}: {x}");
    }
}

/// Rows of the grid stand at multiples of its distance, each once, also where an event falls on one or rounding takes
/// the last step beyond the end.
#[test]
fn rows_of_the_grid_are_at_its_times() {
    let beats = r#""x = integral(1)", "s := s + 1 when every(0.4)""#;
    let slides = r#""x = integral(1)", "x = integral(-3) when pos", "s := s + 1 when every(0.5)""#;
    for (method, rows) in Method::ALL
        .into_iter()
        .flat_map(|one| [(one, beats), (one, slides)])
    {
        let text = format!(
            r#"(format: 1, reals: {{"x": -0.5, "s": 0}}, ranges: ["pos: x > 0"], relations: [{rows}])"#
        );
        let mut exact = Exact::new(Table::from_text(&text), 3.0, Accuracy::Default);
        exact.config.settings.method = method;
        exact.config.settings.h0 = Some(0.01);
        exact.config.grid_only = true;
        let run = exact.every(0.5).run();
        let times: Vec<f64> = (0..=6).map(|row| f64::from(row) * 0.5).collect();
        assert_eq!(run.trace.time, times, "{method:?} {rows}");
    }
}

#[test]
fn a_crossing_in_a_step_whose_inside_is_undefined_is_found_in_shorter_ones() {
    let over = r#"ranges: ["over: x > 0.7", "far: x ^ 2 > 2.25"],"#;
    let run = undefined_at_a_fifth(over).run();
    for (name, time) in [("over", 0.7), ("far", 1.5)] {
        let rises = run.times(&run.rises(name));
        assert_eq!(rises.len(), 1, "{name}: {rises:?}");
        assert!((rises[0] - time).abs() < 1e-9, "{name}: {rises:?}");
    }
}

/// `x = exp(a t)` gets so large that sums of rates overflow inside of every step, however short, before its ends do.
#[test]
fn a_step_whose_inside_is_never_defined_is_a_fault() {
    for a in [1.1, 1.3, 1.5, 1.7, 1.9, 2.1] {
        let text = format!(
            r#"(format: 1, reals: {{"x": 1, "y": 1}}, ranges: ["far: x - y > 1e307"],
                relations: ["x = integral({a} * x)", "y = integral(-0.5 * y)"])"#
        );
        let mut exact = Exact::new(Table::from_text(&text), 1000.0, Accuracy::Default);
        exact.config.settings.method = Method::Dop853;
        exact.config.locate = Locate::Linear;
        let (run, fault) = exact.every(1.0).outcome();
        assert!(fault.is_some(), "{a}");
        let last = run.last("x").ln() / a;
        assert!((last - 700.0 / a).abs() < 20.0 / a, "{a}: {last}");
    }
}

/// A beat and a border of the time that are one instant, approached from one side: 0.66 + 0.88 and 2 * 0.77.
#[test]
fn known_times_together_are_met_from_one_side() {
    let text = r#"(format: 1, name: "together", reals: {"x": 0.2, "n": 0, "p": 0},
        ranges: ["low: pulse(0.77, 0.3) < 0.4", "high: sin(2.4 * time) > 0.6"], situations: ["event beat: every(0.88, 0.66)"],
        relations: ["x = integral(-0.9 * x)", "n := n + 1 when beat", "p = integral(1) when high"])"#;
    // The sine is above 0.6 for so long in each period; the third time is cut by the stop.
    let (first, period) = (0.6_f64.asin() / 2.4, std::f64::consts::TAU / 2.4);
    let high = 2.0 * (std::f64::consts::PI / 2.4 - 2.0 * first) + 5.6 - 2.0 * period - first;
    for method in [Method::Bdf, Method::Radau, Method::Tsit5] {
        let mut exact = Exact::new(Table::from_text(text), 5.6, Accuracy::Default);
        exact.config.settings.method = method;
        exact.config.locate = Locate::OneSided;
        let run = exact.run();
        let end = run.trace.time.len() - 1;
        assert_eq!(run.at_row(end, "n"), 6.0, "{method:?}");
        assert!((run.at_row(end, "p") - high).abs() < 1e-9, "{method:?}");
    }
}
