//! Designs against what they promise, sweeps against single runs.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use situ_engine::ids::ConstantId;
use situ_engine::model::{Clock, CompareOp, Input, Model, ModelBuilder, Stepping, Term};
use situ_engine::sim::{PreparedModel, RunConfig};
use situ_engine::trace::Measure;

use super::*;

fn axis(number: usize, values: Values) -> Axis {
    Axis {
        input: Input::Constant(ConstantId::new(number)),
        values,
    }
}

fn uniform() -> Values {
    Values::Uniform { from: 0.0, to: 1.0 }
}

#[test]
fn listed_values_are_combined_the_last_axis_fastest() {
    let grid = Values::Grid {
        from: 0.1,
        to: 0.7,
        points: 3,
    };
    let list = Values::List(vec![1.0, 5.0]);
    let design = Design::new(vec![axis(0, grid), axis(1, list)], Sampling::None).unwrap();
    let rows: Vec<Vec<f64>> = design.rows(0).collect();
    let expected = [
        [0.1, 1.0],
        [0.1, 5.0],
        [0.4, 1.0],
        [0.4, 5.0],
        [0.7, 1.0],
        [0.7, 5.0],
    ];
    assert_eq!(rows.len() as u64, design.len());
    for (row, expected) in rows.iter().zip(expected) {
        assert!(
            (row[0] - expected[0]).abs() < 1e-15 && row[1] == expected[1],
            "{row:?}"
        );
    }
    assert_eq!((rows[0][0], rows[5][0]), (0.1, 0.7));
}

/// Points of a grid are the doubles nearest to their decimals, the ends among them, and those that are no short
/// decimals are where they are.
#[test]
fn a_grid_has_the_points_that_one_would_write() {
    let grid = |from, to, points| {
        let grid = vec![axis(0, Values::Grid { from, to, points })];
        let design = Design::new(grid, Sampling::None).unwrap();
        design.rows(0).map(|row| row[0]).collect::<Vec<f64>>()
    };
    assert_eq!(grid(0.05, 0.2, 4), [0.05, 0.1, 0.15, 0.2]);
    assert_eq!(grid(0.3, 0.1, 3), [0.3, 0.2, 0.1]);
    assert_eq!(grid(7.5, 9.0, 1), [7.5]);
    assert_eq!(grid(0.0, 2.0, 7)[1..3], [1.0 / 3.0, 2.0 / 3.0]);
    let zero = grid(-0.3, 0.3, 7)[3];
    assert!(zero == 0.0 && zero.is_sign_positive());
    for (from, to, step, decimals) in [
        (1, 10, 1, 1),
        (1, 20, 1, 2),
        (-30, 30, 1, 1),
        (5, 2000, 5, 3),
        (1, 100, 1, 9),
        (100, 4000, 100, 0),
    ] {
        let written = |tenths: i32| format!("{tenths}e-{decimals}").parse::<f64>().unwrap();
        let all: Vec<f64> = (from..=to).step_by(step).map(written).collect();
        let found = grid(written(from), written(to), all.len() as u64);
        assert_eq!(found, all, "{from}..{to}");
    }
    // Ends without a short decimal.
    for points in 2..200 {
        let (from, to) = (1.0_f64 / 3.0, std::f64::consts::PI);
        let all = grid(from, to, points);
        assert_eq!((all[0], all[all.len() - 1]), (from, to));
        assert!(all.is_sorted_by(|one, next| one < next));
    }
}

#[test]
fn every_combination_has_the_same_samples() {
    let list = Values::List(vec![1.0, 2.0]);
    let sampling = Sampling::Random { runs: 3, seed: 4 };
    let design = Design::new(vec![axis(0, list), axis(1, uniform())], sampling).unwrap();
    let rows: Vec<Vec<f64>> = design.rows(0).collect();
    assert_eq!(rows.len(), 6);
    for sample in 0..3 {
        assert_eq!(rows[sample][1], rows[3 + sample][1]);
        assert_eq!((rows[sample][0], rows[3 + sample][0]), (1.0, 2.0));
    }
}

#[test]
fn rows_do_not_depend_on_where_one_begins() {
    for sampling in [
        Sampling::Random { runs: 50, seed: 1 },
        Sampling::LatinHypercube { runs: 50, seed: 2 },
        Sampling::Sobol { runs: 50, seed: 3 },
    ] {
        let list = Values::List(vec![7.0, 8.0]);
        let axes = vec![axis(0, uniform()), axis(1, list), axis(2, uniform())];
        let design = Design::new(axes, sampling).unwrap();
        let all: Vec<Vec<f64>> = design.rows(0).collect();
        for from in [0, 1, 17, 49, 50, 73, 99, 100, 101] {
            let some: Vec<Vec<f64>> = design.rows(from).collect();
            let rest = all.iter().skip(usize::try_from(from).unwrap());
            assert_eq!(
                some,
                rest.cloned().collect::<Vec<_>>(),
                "{sampling:?} {from}"
            );
        }
    }
}

/// Number of values in each of `parts` equal parts of the unit interval.
fn met(values: impl Iterator<Item = f64>, parts: usize) -> Vec<u32> {
    let mut met = vec![0; parts];
    for value in values {
        assert!(value > 0.0 && value < 1.0);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "small"
        )]
        let part = (value * parts as f64) as usize;
        met[part] += 1;
    }
    met
}

#[test]
fn a_latin_hypercube_meets_every_part_once() {
    for runs in [1, 7, 100] {
        let sampling = Sampling::LatinHypercube { runs, seed: 9 };
        let design = Design::new((0..3).map(|n| axis(n, uniform())).collect(), sampling).unwrap();
        let rows: Vec<Vec<f64>> = design.rows(0).collect();
        for n in 0..3 {
            let met = met(rows.iter().map(|row| row[n]), rows.len());
            assert!(met.iter().all(|times| *times == 1), "{met:?}");
        }
        assert!(runs == 1 || rows.iter().any(|row| (row[0] - row[1]).abs() > 0.2));
    }
}

#[test]
fn a_sobol_sequence_is_spread_evenly() {
    let sampling = Sampling::Sobol { runs: 64, seed: 5 };
    let design = Design::new((0..4).map(|n| axis(n, uniform())).collect(), sampling).unwrap();
    let rows: Vec<Vec<f64>> = design.rows(0).collect();
    for n in 0..4 {
        let met = met(rows.iter().map(|row| row[n]), 64);
        assert!(met.iter().all(|times| *times == 1), "{met:?}");
    }
    // The first two axes are a (0, 6, 2)-net: every box of 8 by 8 has one point.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "small"
    )]
    let boxes = rows
        .iter()
        .map(|row| ((row[0] * 8.0) as u8, (row[1] * 8.0) as u8));
    let mut boxes: Vec<(u8, u8)> = boxes.collect();
    boxes.sort_unstable();
    boxes.dedup();
    assert_eq!(boxes.len(), 64);
}

#[test]
fn distributions_have_their_moments() {
    // Sobol points integrate smooth functions to about 1/n.
    let sampling = Sampling::Sobol {
        runs: 1 << 14,
        seed: 1,
    };
    let normal = Values::Normal {
        mean: 3.0,
        deviation: 0.5,
    };
    let log = Values::LogNormal {
        mean: 0.2,
        deviation: 0.3,
    };
    let triangular = Values::Triangular {
        from: 1.0,
        to: 4.0,
        mode: 2.0,
    };
    let axes = vec![axis(0, normal), axis(1, log), axis(2, triangular)];
    let design = Design::new(axes, sampling).unwrap();
    let n = f64::from(1 << 14);
    let mean = |of: &dyn Fn(&[f64]) -> f64| design.rows(0).map(|row| of(&row)).sum::<f64>() / n;
    let near = |got: f64, expected: f64| assert!((got - expected).abs() < 2e-3, "{got} {expected}");
    near(mean(&|row| row[0]), 3.0);
    near(mean(&|row| (row[0] - 3.0).powi(2)), 0.25);
    near(mean(&|row| row[1]), (0.2 + 0.3_f64.powi(2) / 2.0).exp());
    near(mean(&|row| row[2]), 7.0 / 3.0);
    near(mean(&|row| f64::from(u8::from(row[2] < 2.0))), 1.0 / 3.0);
    // The 97.5 % point of the standard normal distribution.
    let below = mean(&|row| f64::from(u8::from(row[0] < 3.0 + 0.5 * 1.959_963_984_540_054)));
    near(below, 0.975);
}

#[test]
fn what_has_no_meaning_is_refused() {
    let refused = |values, sampling| Design::new(vec![axis(0, values)], sampling).unwrap_err();
    let random = Sampling::Random { runs: 5, seed: 0 };
    assert_eq!(
        refused(Values::List(Vec::new()), Sampling::None),
        DesignError::NoValues(0)
    );
    assert_eq!(
        refused(Values::List(vec![f64::NAN]), Sampling::None),
        DesignError::NoValues(0)
    );
    assert_eq!(refused(uniform(), Sampling::None), DesignError::NotSampled);
    assert_eq!(
        refused(Values::List(vec![1.0]), random),
        DesignError::NothingDrawn
    );
    let normal = Values::Normal {
        mean: 0.0,
        deviation: -1.0,
    };
    assert_eq!(refused(normal, random), DesignError::NoDistribution(0));
    let many = |points| Values::Grid {
        from: 0.0,
        to: 1.0,
        points,
    };
    let axes = vec![axis(0, many(u64::MAX)), axis(1, many(3))];
    assert_eq!(
        Design::new(axes, Sampling::None),
        Err(DesignError::TooManyRows)
    );
    let sobol = Sampling::Sobol { runs: 4, seed: 0 };
    let axes = (0..101).map(|n| axis(n, uniform())).collect();
    let too_many = DesignError::TooManyDrawn {
        drawn: 101,
        most: 100,
    };
    assert_eq!(Design::new(axes, sobol), Err(too_many));
    let inputs = vec![Input::Constant(ConstantId::new(0))];
    assert_eq!(
        Design::table(inputs, vec![vec![1.0], vec![]]),
        Err(DesignError::UnevenRow(1))
    );
}

/// A ball that loses speed at each bounce, with its height as a measure.
fn ball() -> (Model, ConstantId, Vec<Measure>) {
    let mut table = ModelBuilder::new("ball");
    let keeps = table.constant("keeps", 0.9);
    let [h, v] = [("h", 1.0), ("v", 0.0)].map(|(name, start)| table.real(name, start));
    let floor = table.range("floor", [(h.into(), CompareOp::LessEqual, 0.0.into())]);
    let down = table.range("down", [(v.into(), CompareOp::Less, 0.0.into())]);
    let hit = table.event("hit", [floor.into(), down.into()]);
    table.relation(v, "integral", [-9.81]);
    table.relation(h, "integral", [v]);
    table
        .relation(v, "assignment", [-(Term::from(keeps) * v)])
        .when([hit.into()])
        .once();
    let measures = vec![
        Measure::Final(table.expr(h)),
        Measure::Max(table.expr(v)),
        Measure::Count(smallvec::smallvec![
            situ_engine::model::WatchLiteral::Boolean(hit.into())
        ]),
    ];
    (table.build().unwrap(), keeps, measures)
}

fn template(stepping: Stepping) -> (PreparedModel, ConstantId) {
    let (model, keeps, measures) = ball();
    let clock = Clock {
        step: Some(0.001),
        stop: Some(2.0),
        stepping: Some(stepping),
        ..Clock::default()
    };
    let config = RunConfig::from_clock(&clock).unwrap();
    (PreparedModel::new(model, config, &measures).unwrap(), keeps)
}

fn all(template: &PreparedModel, design: &Design, threads: usize) -> Vec<Done> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap();
    let mut all = Vec::new();
    let ran = pool.install(|| {
        sweep(
            template,
            design,
            0,
            Keep::Measures,
            None,
            &|| false,
            &mut |done| {
                all.extend_from_slice(done);
                ControlFlow::Continue(())
            },
        )
    });
    assert_eq!(ran, design.len());
    all
}

#[test]
fn a_sweep_has_the_bits_of_single_runs_on_any_number_of_threads() {
    for stepping in [Stepping::Tick, Stepping::Events] {
        let (template, keeps) = template(stepping);
        let values = Values::Uniform {
            from: 0.2,
            to: 0.95,
        };
        let axes = vec![Axis {
            input: Input::Constant(keeps),
            values,
        }];
        let sampling = Sampling::LatinHypercube { runs: 200, seed: 3 };
        let design = Design::new(axes, sampling).unwrap();
        let (one, three) = (all(&template, &design, 1), all(&template, &design, 3));
        assert_eq!(one, three);
        assert!(
            one.windows(2)
                .any(|pair| pair[0].measured != pair[1].measured)
        );
        for done in one.iter().step_by(37) {
            let mut run = template
                .run(&[(Input::Constant(keeps), done.values[0])])
                .unwrap();
            run.run(&mut ()).unwrap();
            assert_eq!(run.measured(), done.measured);
            assert_eq!((&done.ending, done.time), (&Ending::Stop, run.time()));
        }
    }
}

#[test]
fn what_is_broken_off_keeps_what_is_done() {
    let (template, keeps) = template(Stepping::Tick);
    let values = Values::Grid {
        from: 0.1,
        to: 0.9,
        points: 500,
    };
    let axes = vec![Axis {
        input: Input::Constant(keeps),
        values,
    }];
    let design = Design::new(axes, Sampling::None).unwrap();
    let asked = AtomicU64::new(0);
    let mut whole = Vec::new();
    let count = || asked.fetch_add(1, Ordering::Relaxed) == u64::MAX;
    sweep(
        &template,
        &design,
        0,
        Keep::Measures,
        None,
        &count,
        &mut |done| {
            whole.extend_from_slice(done);
            ControlFlow::Continue(())
        },
    );
    let half = asked.swap(0, Ordering::Relaxed) / 2;
    let mut some = Vec::new();
    let broken = || asked.fetch_add(1, Ordering::Relaxed) > half;
    let ran = sweep(
        &template,
        &design,
        0,
        Keep::Measures,
        None,
        &broken,
        &mut |done| {
            some.extend_from_slice(done);
            ControlFlow::Continue(())
        },
    );
    assert!(ran > 0 && ran < 500, "{ran}");
    assert_eq!(some, whole[..some.len()]);
    let ran = sweep(
        &template,
        &design,
        ran,
        Keep::Measures,
        None,
        &|| false,
        &mut |done| {
            some.extend_from_slice(done);
            ControlFlow::Continue(())
        },
    );
    assert!(ran > 0);
    assert_eq!(some, whole);
}

#[test]
fn runs_that_fail_say_so_and_the_others_go_on() {
    let mut table = ModelBuilder::new("pole");
    let k = table.constant("k", 1.0);
    let x = table.real("x", 1.0);
    table.relation(x, "integral", [Term::from(x) * x * k]);
    let end = table.expr(x);
    let clock = Clock {
        step: Some(0.01),
        stop: Some(2.0),
        ..Clock::default()
    };
    let config = RunConfig::from_clock(&clock).unwrap();
    let model = table.build().unwrap();
    let template = PreparedModel::new(model, config, &[Measure::Final(end)]).unwrap();
    let values = Values::List(vec![0.1, 1e200, f64::from(i32::MAX), 0.2]);
    let axes = vec![Axis {
        input: Input::Constant(k),
        values,
    }];
    let done = all(&template, &Design::new(axes, Sampling::None).unwrap(), 2);
    let failed: Vec<bool> = done
        .iter()
        .map(|done| matches!(done.ending, Ending::Failed(_)))
        .collect();
    assert_eq!(failed, [false, true, true, false]);
    assert!(done[1].time < 2.0);
}

#[test]
fn memory_does_not_grow_with_the_number_of_runs() {
    const RUNS: u32 = 60_000;
    // Allocations are counted for the present thread.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1);
    let pool = pool.use_current_thread().build().unwrap();
    for stepping in [Stepping::Tick, Stepping::Events] {
        let mut table = ModelBuilder::new("pendulum");
        let length = table.constant("l", 1.0);
        let [a, w] = ["a", "w"].map(|name| table.real(name, 0.5));
        let pull = Term::from(a) * 9.81 / length;
        table.relation(w, "integral", [-pull]);
        table.relation(a, "integral", [w]);
        let end = Measure::Final(table.expr(a));
        let clock = Clock {
            step: Some(0.01),
            stop: Some(0.05),
            stepping: Some(stepping),
            method: Some(situ_engine::Method::Tsit5),
            ..Clock::default()
        };
        let mut config = RunConfig::from_clock(&clock).unwrap();
        if let RunConfig::Events(config) = &mut config {
            config.every = None;
        }
        let template = PreparedModel::new(table.build().unwrap(), config, &[end]).unwrap();
        let axes = vec![Axis {
            input: Input::Constant(length),
            values: uniform(),
        }];
        let sampling = Sampling::Sobol {
            runs: RUNS.into(),
            seed: 1,
        };
        let design = Design::new(axes, sampling).unwrap();
        let mut ran = 0;
        let memory = allocation_counter::measure(|| {
            ran = pool.install(|| {
                sweep(
                    &template,
                    &design,
                    0,
                    Keep::Measures,
                    None,
                    &|| false,
                    &mut |_| ControlFlow::Continue(()),
                )
            });
        });
        assert_eq!(ran, u64::from(RUNS));
        // The largest slice and what its lanes take; all results would be ten times as much.
        let most = memory.bytes_max;
        assert!(most < 5 << 20, "{stepping:?}: {most} bytes");
    }
}
