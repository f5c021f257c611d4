//! The order conditions of every tableau, asked of the code that runs, not of the printed numbers:
//! a probe answers the s-th evaluation of a step with the s-th unit vector, so that the arguments
//! of its evaluations are the rows of the tableau and the results of the step its weights.

use super::trees;
use crate::dense::{Dense, horner};
use crate::explicit::{Dop853, Euler, Merson, Rk4, RungeKutta, Tsit5};
use crate::implicit::rodas5p;
use crate::integration_method::IntegrationMethod;
use crate::span::StepSpan;
use crate::step::history::History;
use crate::step::{Counted, Start, Stats, StepResult};
use crate::system::{Refusal, System};

struct Probe {
    n: usize,
    rows: Vec<Vec<f64>>,
    times: Vec<f64>,
}

impl System for Probe {
    fn dim(&self) -> usize {
        self.n
    }

    fn rhs(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Refusal> {
        dy.fill(0.0);
        dy[self.rows.len()] = 1.0;
        self.rows.push(y.to_vec());
        self.times.push(t);
        Ok(())
    }
}

/// Coefficients of a method, as matrices.
struct Read {
    a: Vec<Vec<f64>>,
    c: Vec<f64>,
    b: Vec<f64>,
    error: Vec<f64>,
    /// Weights of the dense output, per stage a polynomial.
    dense: Vec<Vec<f64>>,
}

/// Reads a formula of `n` evaluations, those at both ends of the step and those of the dense output
/// included.
fn read<F: IntegrationMethod + Default>(n: usize) -> Read {
    let mut formula = F::default();
    let mut probe = Probe {
        n,
        rows: vec![vec![0.0; n]],
        times: vec![0.0],
    };
    formula.resize(&mut probe);
    let (mut out, mut dense, mut stats) =
        (StepResult::default(), Dense::default(), Stats::default());
    out.resize(n);
    let mut f = vec![0.0; n];
    f[0] = 1.0;
    let y = vec![0.0; n];
    let start = Start {
        t: 0.0,
        y: &y,
        f: &f,
        atol: &y,
        history: &History::default(),
        rtol: 1.0,
    };
    let span = StepSpan {
        t0: 0.0,
        t1: 1.0,
        h: 1.0,
    };
    let mut counted = Counted {
        system: &mut probe,
        stats: &mut stats,
    };
    formula
        .trial(&mut counted, &span, &start, &mut out)
        .unwrap();
    if !F::ENDS_WITH_DERIVATIVE {
        counted.rhs(1.0, &out.y, &mut out.f).unwrap();
    }
    formula
        .dense(&mut counted, &span, &start, &out, &mut dense)
        .unwrap();
    assert_eq!(probe.rows.len(), n, "number of evaluations");
    Read {
        a: probe.rows,
        c: probe.times,
        b: out.y,
        error: out.error,
        dense: (0..n).map(|i| dense.component(i).to_vec()).collect(),
    }
}

/// Largest violation of the conditions of one order, for weights at `theta`.
fn defect(order: usize, (alpha, beta): (&[Vec<f64>], &[Vec<f64>]), b: &[f64], theta: f64) -> f64 {
    let violation = |tree: &trees::Tree| {
        let weights = tree.stages(alpha, beta);
        let weight: f64 = b.iter().zip(&weights).map(|(b, w)| b * w).sum();
        let exact = theta.powi(order as i32) / tree.density();
        (weight - exact).abs()
    };
    trees::of_order(order)
        .iter()
        .map(violation)
        .fold(0.0, f64::max)
}

const THETAS: [f64; 4] = [0.13, 0.4, 0.77, 0.95];

/// Checks that weights satisfy all conditions up to `order` and not all of the next.
fn check(order: usize, a: (&[Vec<f64>], &[Vec<f64>]), b: &[f64], theta: f64, rounding: f64) {
    for p in 1..=order {
        let defect = defect(p, a, b, theta);
        assert!(defect < rounding, "order {p} at {theta}: {defect:e}");
    }
    let beyond = defect(order + 1, a, b, theta);
    assert!(
        beyond > 1e-7,
        "the order is higher than {order}: {beyond:e}"
    );
}

fn check_dense(order: usize, a: (&[Vec<f64>], &[Vec<f64>]), dense: &[Vec<f64>], rounding: f64) {
    for theta in THETAS {
        let b: Vec<f64> = dense.iter().map(|weights| horner(weights, theta)).collect();
        check(order, a, &b, theta, rounding);
    }
}

fn check_explicit(read: &Read, order: usize, dense_order: usize) {
    for (row, c) in read.a.iter().zip(&read.c) {
        assert!(
            (row.iter().sum::<f64>() - c).abs() < 5e-14,
            "row sums are the times"
        );
    }
    check(order, (&read.a, &read.a), &read.b, 1.0, 3e-14);
    check_dense(dense_order, (&read.a, &read.a), &read.dense, 5e-13);
}

#[test]
fn euler_has_order_1() {
    check_explicit(&read::<RungeKutta<Euler>>(2), 1, 1);
}

#[test]
fn rk4_has_order_4_and_its_dense_output_3() {
    check_explicit(&read::<RungeKutta<Rk4>>(5), 4, 3);
}

#[test]
fn tsit5_has_order_5_4_and_its_dense_output_4() {
    let read = read::<RungeKutta<Tsit5>>(7);
    check_explicit(&read, 5, 4);
    let embedded: Vec<f64> = read.b.iter().zip(&read.error).map(|(b, e)| b - e).collect();
    check(4, (&read.a, &read.a), &embedded, 1.0, 3e-14);
}

#[test]
fn merson_has_order_4_3_and_its_dense_output_4() {
    let read = read::<RungeKutta<Merson>>(7);
    check_explicit(&read, 4, 4);
    let embedded: Vec<f64> = read.b.iter().zip(&read.error).map(|(b, e)| b - e).collect();
    check(3, (&read.a, &read.a), &embedded, 1.0, 3e-14);
}

#[test]
fn dop853_has_order_8_5_3_and_its_dense_output_7() {
    let read = read::<RungeKutta<Dop853>>(16);
    check_explicit(&read, 8, 7);
    for (order, error) in [
        (5, crate::explicit::error_weights_5()),
        (3, crate::explicit::error_weights_3()),
    ] {
        let embedded: Vec<f64> = read.b.iter().zip(error).map(|(b, e)| b - e).collect();
        check(order, (&read.a, &read.a), &embedded, 1.0, 3e-14);
    }
}

#[test]
fn rodas5p_has_order_5_4_and_its_dense_output_4() {
    let rodas5p::Coefficients {
        alpha,
        beta,
        b,
        embedded,
        c,
        d,
        dense,
    } = rodas5p::coefficients();
    let a = (&alpha[..], &beta[..]);
    for i in 0..8 {
        let alpha_sum = alpha[i].iter().sum::<f64>();
        let beta_sum = beta[i].iter().sum::<f64>();
        assert!((alpha_sum - c[i]).abs() < 1e-13, "time of stage {i}");
        assert!(
            (beta_sum - alpha_sum - d[i]).abs() < 1e-13,
            "time derivative of stage {i}"
        );
    }
    check(5, a, &b, 1.0, 1e-13);
    check(4, a, &embedded, 1.0, 1e-13);
    check_dense(4, a, &dense, 1e-13);
}

#[test]
fn rodas5p_is_l_stable_and_stiffly_accurate() {
    let rodas5p::Coefficients { alpha, beta, b, .. } = rodas5p::coefficients();
    // The last stage's row is the method: what is infinitely stiff is solved exactly.
    for (beta, b) in beta[7].iter().zip(&b) {
        assert!((beta - b).abs() < 1e-12);
    }
    assert!(alpha[7].iter().sum::<f64>() - 1.0 < 1e-13);
    // R(z) = 1 + z b (1 - z beta)^-1 1 on the imaginary axis is not above 1, and vanishes at
    // infinity.
    for exponent in -8..=24 {
        let z = 10.0_f64.powf(f64::from(exponent) / 4.0);
        let size = stability(&beta, &b, z);
        assert!(size <= 1.0 + 1e-12, "|R({z}i)| = {size}");
    }
    assert!(stability(&beta, &b, 1e8) < 1e-5);
}

/// |R(iz)|, by solving the triangular system with complex numbers.
fn stability(beta: &[Vec<f64>], b: &[f64], z: f64) -> f64 {
    let times = |x: (f64, f64), y: (f64, f64)| (x.0 * y.0 - x.1 * y.1, x.0 * y.1 + x.1 * y.0);
    let mut k: Vec<(f64, f64)> = Vec::new();
    for (i, row) in beta.iter().enumerate() {
        let mut sum = (1.0, 0.0);
        for (weight, k) in row[..i].iter().zip(&k) {
            let term = times((0.0, z * weight), *k);
            sum = (sum.0 + term.0, sum.1 + term.1);
        }
        // Divide by 1 - iz beta_ii.
        let diagonal = z * row[i];
        let scale = 1.0 + diagonal * diagonal;
        let quotient = times(sum, (1.0, diagonal));
        k.push((quotient.0 / scale, quotient.1 / scale));
    }
    let mut r = (1.0, 0.0);
    for (weight, k) in b.iter().zip(&k) {
        let term = times((0.0, z * weight), *k);
        r = (r.0 + term.0, r.1 + term.1);
    }
    r.0.hypot(r.1)
}
