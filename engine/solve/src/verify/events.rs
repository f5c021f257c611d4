//! Steps, dense output and roots together, as a driver of events uses them.

use crate::interval::Interval;
use crate::roots::{Enclosure, Indicator, Query, RootFinder, RootKind, Side};
use crate::system::{Refusal, System};
use crate::{Dense, Method, Settings, Stepper, Steps};

/// A body in a field of gravity: height and speed.
struct Fall;

const G: f64 = 9.81;

impl System for Fall {
    fn dim(&self) -> usize {
        2
    }

    fn rhs(&mut self, _t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Refusal> {
        dy.copy_from_slice(&[y[1], -G]);
        Ok(())
    }

    fn has_series(&mut self, _affine: bool) -> bool {
        true
    }

    fn series(&mut self, _t: f64, last: usize, coefficients: &mut [f64]) -> usize {
        coefficients[4..2 * (last + 1)].fill(0.0);
        coefficients[4] = -0.5 * G;
        2
    }
}

/// A ball dropped from height 1 that loses nothing: times of the impacts up to `end`, and the state
/// there.
fn bounces(method: Method, end: f64) -> (Vec<f64>, Vec<f64>) {
    let settings = Settings {
        method,
        rtol: 1e-10,
        h0: Some(0.01),
        ..Settings::default()
    };
    let mut stepper = Stepper::new(settings).unwrap();
    stepper
        .enter(&mut Fall, 0.0, &[1.0, 0.0], &[1e-10; 2])
        .unwrap();
    let mut finder = RootFinder::default();
    let mut impacts = Vec::new();
    let mut zeros = 0;
    let mut y = [0.0; 2];
    loop {
        stepper.attempt(&mut Fall, f64::INFINITY).unwrap();
        let dense = stepper.dense(&mut Fall).unwrap();
        let query = Query {
            zeros,
            noise: 1e-15,
            ..Query::whole(dense, Side::Plus)
        };
        let impact = finder.first_crossing(dense.component(0), &query);
        assert_eq!(finder.notes(), [], "nothing is doubtful here");
        let theta = impact.map_or(1.0, |root| root.hi);
        if dense.time(theta) > end {
            dense.eval(dense.theta(end), &mut y);
            return (impacts, y.to_vec());
        }
        zeros = 0;
        if impact.is_some() {
            let t = dense.time(theta);
            dense.eval(theta, &mut y);
            y[1] = -y[1];
            zeros = 1;
            impacts.push(t);
            stepper.restart(&mut Fall, t, &y).unwrap();
        } else {
            stepper.accept();
        }
    }
}

#[test]
fn a_ball_bounces_on_time_and_keeps_its_energy() {
    let first = (2.0 / G).sqrt();
    for method in Method::ALL
        .into_iter()
        .filter(|method| *method != Method::Euler)
    {
        let (impacts, y) = bounces(method, 100.0);
        assert_eq!(impacts.len(), 111, "{method:?}");
        for (k, t) in impacts.iter().enumerate() {
            let exact = first * (1.0 + 2.0 * k as f64);
            // Nothing limits the steps, which come to be ten flights long: 1e-14 of that is rounded. A multistep method
            // begins each flight with order 1, and has errors.
            let allowed = if method == Method::Bdf { 1e-6 } else { 1e-9 };
            assert!(
                (t - exact).abs() < allowed,
                "{method:?}: impact {k} at {t}, exact {exact}"
            );
        }
        let energy = 0.5 * y[1] * y[1] + G * y[0];
        let allowed = if method == Method::Bdf { 1e-6 } else { 1e-9 };
        assert!((energy / G - 1.0).abs() < allowed, "{method:?}: {energy}");
    }
}

#[test]
fn euler_bounces_as_often_as_its_polygon() {
    let (impacts, _) = bounces(Method::Euler, 10.0);
    assert!(impacts.len() >= 5 && impacts.windows(2).all(|pair| pair[0] < pair[1]));
}

/// Distance from the unit circle, squared, of a state composed with one step.
struct OutsideCircle<'a>(&'a Dense);

impl Indicator for OutsideCircle<'_> {
    fn enclose(&mut self, theta: Interval) -> Enclosure {
        let (x, y) = (self.0.enclose(0, theta), self.0.enclose(1, theta));
        let two = Interval::point(2.0);
        let squares = |a: Interval, b: Interval| a.square() + b.square();
        let product = |a: Interval, b: Interval| x.value * a + y.value * b;
        Enclosure {
            value: squares(x.value, y.value) - Interval::point(1.0),
            slope: two * product(x.slope, y.slope),
            curvature: two * (squares(x.slope, y.slope) + product(x.curvature, y.curvature)),
        }
    }

    fn value(&mut self, theta: f64) -> f64 {
        let (x, y) = (self.0.value(0, theta), self.0.value(1, theta));
        x * x + y * y - 1.0
    }
}

#[test]
fn a_line_through_a_circle_is_seen_to_enter_and_leave_in_one_step() {
    // x' = 1, y' = 0 past the circle at distances on both sides of 1.
    struct Straight;
    impl System for Straight {
        fn dim(&self) -> usize {
            2
        }
        fn rhs(&mut self, _t: f64, _y: &[f64], dy: &mut [f64]) -> Result<(), Refusal> {
            dy.copy_from_slice(&[1.0, 0.0]);
            Ok(())
        }
    }
    let mut finder = RootFinder::default();
    for (height, expected) in [
        (0.0, 2),
        (0.6, 2),
        (1.0 - 1e-12, 2),
        (1.0 + 1e-12, 0),
        (2.0, 0),
    ] {
        let settings = Settings {
            method: Method::Rk4,
            h0: Some(10.0),
            ..Settings::default()
        };
        let mut stepper = Stepper::new(settings).unwrap();
        stepper
            .enter(&mut Straight, 0.0, &[-4.3, height], &[1e-6; 2])
            .unwrap();
        stepper.attempt(&mut Straight, f64::INFINITY).unwrap();
        let dense = stepper.dense(&mut Straight).unwrap();
        let query = Query::whole(dense, Side::Plus);
        let roots = finder.all_of(&mut OutsideCircle(dense), &query);
        assert_eq!(roots.len(), expected, "{height}: {roots:?}");
        let half = (1.0 - height * height).max(0.0).sqrt();
        for (root, at) in roots.iter().zip([4.3 - half, 4.3 + half]) {
            assert!(matches!(root.kind, RootKind::Crossing(_)));
            assert!((dense.time(root.lo) - at).abs() < 1e-9, "{root:?} {at}");
        }
    }
}

#[test]
fn a_dense_output_that_needs_a_refused_point_leaves_the_run_usable() {
    // The last stage but one of the dense output of dop853 stands at t0 + 0.2 h.
    struct Gap;
    impl System for Gap {
        fn dim(&self) -> usize {
            1
        }
        fn rhs(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Refusal> {
            dy[0] = y[0];
            if (t - 0.2).abs() < 1e-6 {
                Err(Refusal::Outside)
            } else {
                Ok(())
            }
        }
    }
    let settings = Settings {
        method: Method::Dop853,
        h0: Some(1.0),
        ..Settings::default()
    };
    let mut stepper = Stepper::new(settings).unwrap();
    stepper.enter(&mut Gap, 0.0, &[1.0], &[1e-3]).unwrap();
    let candidate = stepper.attempt(&mut Gap, 1.0).unwrap();
    assert_eq!(candidate.t1, 1.0);
    assert_eq!(stepper.dense(&mut Gap), Err(Refusal::Outside));
    stepper.attempt(&mut Gap, 0.5).unwrap();
    assert!((stepper.dense(&mut Gap).unwrap().value(0, 1.0) - 0.5_f64.exp()).abs() < 1e-4);
}

/// Where a root ends its dense output may lead beyond it: that says nothing then, and is no number least of all.
#[test]
fn dense_output_beside_a_root_is_finite() {
    // b' = 100 sqrt(a - b) follows a' = 100 (10 - a): the root's argument falls like exp(-200 t), its slope grows.
    struct Filled;
    impl System for Filled {
        fn dim(&self) -> usize {
            2
        }
        fn rhs(&mut self, _t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Refusal> {
            dy.copy_from_slice(&[100.0 * (10.0 - y[0]), 100.0 * (y[0] - y[1]).sqrt()]);
            Ok(())
        }
    }
    for method in Method::ALL {
        if method.about().steps != Steps::Adaptive {
            continue;
        }
        let settings = Settings {
            method,
            ..Settings::default()
        };
        let mut stepper = Stepper::new(settings).unwrap();
        stepper
            .enter(&mut Filled, 0.0, &[5.0, 0.0], &[1e-6; 2])
            .unwrap();
        let mut y = [0.0; 2];
        // Later the argument is lost in rounding.
        while stepper.t() < 0.08 && stepper.attempt(&mut Filled, 0.08).is_ok() {
            if let Ok(dense) = stepper.dense(&mut Filled) {
                for part in 0..=8 {
                    dense.eval(0.125 * f64::from(part), &mut y);
                    assert!(y.iter().all(|y| y.is_finite()), "{method:?}: {dense:?}");
                }
            }
            stepper.accept();
            assert!(stepper.stats().steps < 5000, "{method:?}");
        }
        assert!(stepper.t() > 0.06, "{method:?}: {}", stepper.t());
    }
}
