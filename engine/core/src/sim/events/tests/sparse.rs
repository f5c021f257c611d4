//! The Jacobian of a mode and its structure, against differences and against an explicit method.

use super::*;
use crate::sim::events::motion::system::Moving;

use situ_solve::System;

/// A ring of `n` cells in which two substances react and wander, drive in time included, with an
/// algebraic loop `z = 1 - x0 z` that feeds the first cell.
fn brusselator(n: usize) -> Model {
    let mut table = ModelBuilder::new("ring");
    let x: Vec<RealId> = (0..n)
        .map(|cell| table.real(&format!("x{cell}"), 1.0 + 0.5 * (cell as f64).sin()))
        .collect();
    let y: Vec<RealId> = (0..n)
        .map(|cell| table.real(&format!("y{cell}"), 3.0))
        .collect();
    let z = table.real("z", 0.5);
    let product = table.real("x0 z", 0.5);
    table.relation(product, "product", [x[0], z]);
    table
        .relation(z, "sum", [Term::Number(1.0), product.into()])
        .coef2(-1.0);
    let wave = table.real("wave", 0.0);
    table.relation(wave, "sin", [Term::Time]);
    for cell in 0..n {
        let (left, right) = ((cell + n - 1) % n, (cell + 1) % n);
        let square = table.real(&format!("xx{cell}"), 0.0);
        let reaction = table.real(&format!("xxy{cell}"), 0.0);
        table.relation(square, "product", [x[cell], x[cell]]);
        table.relation(reaction, "product", [square, y[cell]]);
        let from = |table: &mut ModelBuilder, to: RealId, what: Term, times: f64| {
            table.relation(to, "integral", [what]).coef(times);
        };
        from(&mut table, x[cell], Term::Number(1.0), 1.0);
        from(&mut table, x[cell], reaction.into(), 1.0);
        from(&mut table, x[cell], x[cell].into(), -4.0);
        from(&mut table, y[cell], x[cell].into(), 3.0);
        from(&mut table, y[cell], reaction.into(), -1.0);
        for kind in [&x, &y] {
            for (neighbour, times) in [(left, 40.0), (right, 40.0), (cell, -80.0)] {
                from(&mut table, kind[cell], kind[neighbour].into(), times);
            }
        }
    }
    table.relation(x[0], "integral", [z]).coef(0.3);
    table.relation(y[1], "integral", [wave]).coef(0.2);
    table.build().unwrap()
}

#[test]
fn every_entry_of_the_jacobian_is_that_of_differences() {
    let n = 12;
    let mut run = EventRun::new(brusselator(n), config(1.0)).unwrap();
    let size = 2 * n;
    let y: Vec<f64> = (0..size)
        .map(|at| 1.0 + 0.3 * (at as f64 * 0.7).sin())
        .collect();
    let t = 0.4;
    run.run_to(0.1, &mut ()).unwrap();
    let mut moving = Moving {
        motion: &mut run.dynamics.motion,
        modes: &mut run.dynamics.modes,
        past: &run.state.past,
        fence: None,
    };
    let pattern = moving.pattern().unwrap();
    let (mut jacobian, mut df_dt) = (vec![f64::NAN; pattern.len()], vec![f64::NAN; size]);
    moving.linearise(t, &y, &mut jacobian, &mut df_dt).unwrap();
    let mut rates = |t: f64, y: &[f64]| {
        let mut dy = vec![0.0; size];
        moving.rhs(t, y, &mut dy).unwrap();
        dy
    };
    let h = 1e-5;
    let mut found = vec![vec![0.0; size]; size];
    for (row, found) in found.iter_mut().enumerate() {
        for (at, column) in pattern.row(row) {
            found[column] = jacobian[at];
        }
    }
    for column in 0..size {
        let [up, down] = [h, -h].map(|h| {
            let mut y = y.clone();
            y[column] += h;
            rates(t, &y)
        });
        for row in 0..size {
            let slope = (up[row] - down[row]) / (2.0 * h);
            let entry = found[row][column];
            assert!(
                (slope - entry).abs() < 1e-5,
                "{row} {column}: {slope} {entry}"
            );
        }
    }
    let [up, down] = [h, -h].map(|h| rates(t + h, &y));
    for row in 0..size {
        let slope = (up[row] - down[row]) / (2.0 * h);
        assert!((slope - df_dt[row]).abs() < 1e-8, "{row}: {slope}");
    }
    // The ring, the partner and, through the loop, nothing that was not there.
    assert!(pattern.len() <= 4 * size, "{}", pattern.len());
}

#[test]
fn many_stiff_cells_end_where_an_explicit_method_ends() {
    let model = brusselator(60);
    let [stiff, explicit] = [Method::Rodas5p, Method::Dop853].map(|method| {
        let mut config = config(2.0);
        config.settings.method = method;
        config.settings.rtol = 1e-8;
        config.atol = 1e-8;
        let mut run = EventRun::new(model.clone(), config).unwrap();
        run.run(&mut ()).unwrap();
        (0..120)
            .map(|at| run.real(RealId::new(at)))
            .collect::<Vec<f64>>()
    });
    for (a, b) in stiff.iter().zip(&explicit) {
        assert!((a - b).abs() < 1e-6, "{a} {b}");
    }
}
