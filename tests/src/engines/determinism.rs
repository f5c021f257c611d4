//! The same run twice gives the same bits, however it is cut into pieces, recorded or continued; and
//! what the two scans do.

use situ_engine::model::{Clock, Scan};
use situ_engine::sim::TickRun;

use crate::tables::{Run, Table, files, scenario_folders};

/// The reals as bits, so that -0 and 0 differ.
fn bits(simulation: &TickRun) -> Vec<u64> {
    let row = simulation.row();
    row.reals.iter().map(|value| value.to_bits()).collect()
}

/// Every table of the scenarios, 2500 ticks of it.
fn runs() -> Vec<Run> {
    let tables = scenario_folders();
    let tables = tables.iter().flat_map(|folder| files(folder, "ron"));
    let short = |path| {
        let mut run = Table::at(path).into_run();
        (run.config.step, run.config.step_formula) = (run.table.short_step(), None);
        run.config.ticks = 2500;
        run.config.every = 10;
        run
    };
    tables.map(short).collect()
}

#[test]
fn the_same_run_has_the_same_bits() {
    for run in runs() {
        let name = &run.table.model.name;
        let (mut whole, mut pieces, mut recorded) =
            (run.simulation(), run.simulation(), run.simulation());
        whole.advance(2500).unwrap();
        for piece in [1, 7, 1000, 24, 1024, 444] {
            pieces.advance(piece).unwrap();
        }
        recorded.run(&mut ()).unwrap();
        assert_eq!(bits(&whole), bits(&pieces), "{name}: in pieces");
        assert_eq!(bits(&whole), bits(&recorded), "{name}: recorded");
        assert_eq!(run.trace(), run.trace(), "{name}: twice");
    }
}

#[test]
fn a_state_can_be_kept_and_gone_on_from() {
    for run in runs() {
        let name = &run.table.model.name;
        let mut simulation = run.simulation();
        simulation.advance(900).unwrap();
        let state = simulation.state().clone();
        simulation.advance(1600).unwrap();
        let end = bits(&simulation);
        simulation.restore(&state);
        assert_eq!(simulation.tick(), 900);
        simulation.advance(1600).unwrap();
        assert_eq!(bits(&simulation), end, "{name}: gone back");
        let mut other = run.simulation();
        other.restore(&state);
        other.advance(1600).unwrap();
        assert_eq!(bits(&other), end, "{name}: in another simulation");
    }
}

#[test]
fn output_does_not_change_the_run() {
    for run in runs() {
        let mut dense = run.clone();
        dense.config.every = 1;
        let (dense, sparse) = (dense.trace(), run.trace());
        for (dense, sparse) in dense.reals.iter().zip(&sparse.reals) {
            let thinned: Vec<f64> = dense.iter().copied().step_by(10).collect();
            assert_eq!(&thinned, sparse, "{}", run.table.model.name);
        }
    }
}

/// A unit oscillator, with its rows in both orders.
fn oscillator(first: &str, second: &str, scan: Scan) -> Run {
    let table = format!(
        r#"(format: 1, clock: (step: 0.125, stop: 12.5), reals: {{"x": 1, "v": 0}},
            relations: ["{first}", "{second}"])"#
    );
    let clock = Clock {
        scan: Some(scan),
        ..Clock::default()
    };
    Table::from_text(&table).clock(clock).into_run()
}

#[test]
fn a_sequential_scan_reads_what_was_just_written() {
    let run = oscillator("v = integral(-x)", "x = integral(v)", Scan::Sequential);
    let trace = run.trace();
    // Semi-implicit Euler keeps x^2 - dt*x*v + v^2.
    for (&x, &v) in trace.reals[0].iter().zip(&trace.reals[1]) {
        assert!((x * x - 0.125 * x * v + v * v - 1.0).abs() < 1e-12);
    }
    let exchanged = oscillator("x = integral(v)", "v = integral(-x)", Scan::Sequential);
    assert_ne!(exchanged.trace().reals, trace.reals);
}

#[test]
fn a_simultaneous_scan_reads_the_state_before() {
    let run = oscillator("v = integral(-x)", "x = integral(v)", Scan::Simultaneous);
    let trace = run.trace();
    // Explicit Euler: the radius grows by sqrt(1 + dt^2) a tick.
    for (tick, (&x, &v)) in trace.reals[0].iter().zip(&trace.reals[1]).enumerate() {
        let grown = 1.015_625_f64.powi(i32::try_from(tick).unwrap());
        assert!(((x * x + v * v) / grown - 1.0).abs() < 1e-12);
    }
    let exchanged = oscillator("x = integral(v)", "v = integral(-x)", Scan::Simultaneous);
    assert_eq!(exchanged.trace().reals, trace.reals);
}

#[test]
fn a_simultaneous_scan_does_not_depend_on_the_order_of_rows() {
    for name in ["pendulum", "elastic_thread", "cart", "rlc"] {
        let table = Table::at(format!("{name}/table.ron")).clock(Clock {
            scan: Some(Scan::Simultaneous),
            ..Clock::default()
        });
        let mut turned = table.clone();
        turned.model.relations.reverse();
        let [one, other] = [table, turned].map(|table| {
            let mut simulation = table.into_run().simulation();
            simulation.advance(2000).unwrap();
            bits(&simulation)
        });
        assert_eq!(one, other, "{name}");
    }
}
