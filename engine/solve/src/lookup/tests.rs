//! Lookups beside brute force, closed forms and their own bounds.

use super::*;
use crate::interval::Interval;

/// Points at distances that vary a thousandfold.
fn points(n: usize) -> (Vec<f64>, Vec<f64>) {
    let x = (0..n).map(|i| {
        let s = i as f64;
        s + 0.4 * (7.0 * s).sin() + if i > n / 2 { 1000.0 * s } else { 0.0 }
    });
    let x: Vec<f64> = x.collect();
    let y = x.iter().map(|x| (0.3 * x).sin()).collect();
    (x, y)
}

#[test]
fn a_piece_is_found_wherever_it_lies() {
    for n in [1, 2, 3, 10, 500] {
        let (breaks, _) = points(n);
        let rows: Vec<[f64; 3]> = (0..=n).map(|i| [0.0, i as f64, 0.0]).collect();
        let pieces = Pieces::new(breaks.clone(), &rows, Form::Step, Beyond::Defined);
        let beside = breaks
            .iter()
            .flat_map(|&at| [at.next_down(), at, at.next_up(), at + 0.3]);
        for x in beside.chain([f64::NEG_INFINITY, -1e9, 0.0, 1e9, f64::INFINITY]) {
            let below = breaks.iter().filter(|&&at| at <= x).count();
            assert_eq!(pieces.value(x), below as f64, "{n} {x}");
        }
        assert!(pieces.value(f64::NAN).is_nan());
    }
}

#[test]
fn splines_go_through_their_points_and_join_smoothly() {
    let (x, y) = points(12);
    for spline in [Spline::not_a_knot(&x, &y), Spline::monotone(&x, &y)] {
        for (x, y) in x.iter().zip(&y) {
            assert!((spline.value(*x) - y).abs() <= 1e-12, "{x}");
        }
        let first = Spline::of(spline.derivative()).unwrap();
        for &knot in &x[1..x.len() - 1] {
            let [left, right] = [knot.next_down(), knot].map(|at| first.value(at));
            assert!((left - right).abs() <= 1e-9, "{knot} {left} {right}");
        }
    }
    // A cubic is reproduced, also beyond its points.
    let cubic = |x: f64| 1.0 + x * (2.0 - x * (0.5 - 0.125 * x));
    let x = [0.0, 0.5, 2.0, 3.0, 3.25];
    let spline = Spline::not_a_knot(&x, &x.map(cubic));
    for at in [-1.0, 0.1, 1.0, 2.9, 4.0] {
        assert!((spline.value(at) - cubic(at)).abs() <= 1e-12, "{at}");
    }
}

#[test]
fn bounds_hold_the_values() {
    let (x, y) = points(200);
    let lines: Vec<[f64; 3]> = x
        .windows(2)
        .zip(y.windows(2))
        .map(|(x, y)| [x[0], y[0], (y[1] - y[0]) / (x[1] - x[0])])
        .collect();
    let inner = x[1..x.len() - 1].to_vec();
    let pieces = Pieces::new(inner, &lines, Form::Line, Beyond::Defined);
    let spline = Spline::not_a_knot(&x, &y);
    for (from, width) in [(0.3, 0.1), (0.0, 3.0), (-2.0, 80.0), (50.0, 1e5)] {
        let ends = Interval::new(from, from + width);
        let [straight, smooth] = [pieces.bounds(ends), spline.bounds(ends)];
        for part in 0..=100 {
            let at = from + width * f64::from(part) / 100.0;
            assert!(straight.contains(pieces.value(at)), "{at}");
            assert!(smooth.contains(spline.value(at)), "{at}");
        }
    }
    assert!(pieces.bounds(Interval::new(2.0, 2.01)).width() < 0.02);
}

#[test]
fn equal_content_has_one_number() {
    let make = |beyond| {
        let rows = [[0.0, 1.0, 0.0], [0.0, 2.0, 0.0], [0.0, 3.0, 0.0]];
        Pieces::new(vec![0.0, 1.0], &rows, Form::Step, beyond).intern()
    };
    let handle = make(Beyond::Undefined);
    assert_eq!(handle, make(Beyond::Undefined));
    assert_ne!(handle, make(Beyond::Defined));
    assert_eq!(lookup(0.5, handle), 2.0);
    assert!(lookup(1.5, handle).is_nan() && lookup(1.0, handle) == 3.0);
    assert!(lookup(0.5, 17.0).is_nan() && lookup(0.5, f64::NAN).is_nan());
    let columns = Pieces::of(handle).unwrap().columns();
    let bases = [0.0, 1.0, 2.0, 3.0, -1.0].map(|at| entry(at, columns.bases));
    assert_eq!(bases[..3], [1.0, 2.0, 3.0]);
    assert!(bases[3].is_nan() && bases[4].is_nan());
}
