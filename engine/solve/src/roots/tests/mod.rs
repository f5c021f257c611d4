//! Tests of the search for roots: what is found, and that nothing is lost.

mod random;

use super::dd::{self, Dd};
use super::*;
use crate::dense::horner;

const TOLERANCE: f64 = 1e-15;

fn query(side: Side) -> Query {
    Query {
        from: 0.0,
        to: 1.0,
        side,
        zeros: 0,
        leaves: false,
        noise: 0.0,
        tolerance: TOLERANCE,
    }
}

/// The polynomial with these roots and this leading coefficient, multiplied out with 32 digits.
fn from_roots(roots: &[f64], leading: f64) -> Vec<f64> {
    let mut p = vec![Dd::from(leading)];
    for &root in roots {
        p.insert(0, Dd::default());
        for i in 0..p.len() - 1 {
            p[i] = p[i] - p[i + 1] * root;
        }
    }
    p.iter().map(|c| c.hi).collect()
}

/// The sign of a polynomial with 32 digits; 0 if that is not enough.
fn sign(p: &[f64], x: f64) -> i8 {
    let size: f64 = p.iter().map(|c| c.abs()).sum();
    let value = p
        .iter()
        .rev()
        .fold(Dd::default(), |sum, &c| sum * x + Dd::from(c));
    value.sign(size * 64.0 * dd::EPSILON * p.len() as f64)
}

/// A polynomial as a margin that only knows its bounds.
struct Bounded<'a>(&'a [f64]);

impl Indicator for Bounded<'_> {
    fn enclose(&mut self, theta: Interval) -> Enclosure {
        enclosure::enclose(self.0, theta)
    }

    fn value(&mut self, theta: f64) -> f64 {
        horner(self.0, theta)
    }
}

/// `amplitude * exp(growth * theta) * sin(omega * theta + phase) - offset`
#[derive(Clone, Copy, Debug)]
struct Wave {
    amplitude: f64,
    growth: f64,
    omega: f64,
    phase: f64,
    offset: f64,
}

impl Indicator for Wave {
    fn enclose(&mut self, theta: Interval) -> Enclosure {
        let iv = Interval::point;
        let (r, w) = (iv(self.growth), iv(self.omega));
        let envelope = iv(self.amplitude) * (r * theta).exp();
        let angle = w * theta + iv(self.phase);
        let (sin, cos) = (angle.sin(), angle.cos());
        let double = iv(2.0) * r * w;
        Enclosure {
            value: envelope * sin - iv(self.offset),
            slope: envelope * (r * sin + w * cos),
            curvature: envelope * ((r.square() - w.square()) * sin + double * cos),
        }
    }

    fn value(&mut self, theta: f64) -> f64 {
        let angle = self.omega * theta + self.phase;
        self.amplitude * libm::exp(self.growth * theta) * libm::sin(angle) - self.offset
    }
}

fn crossings(roots: &[Root]) -> Vec<(f64, Side)> {
    let crossing = |root: &Root| match root.kind {
        RootKind::Crossing(side) => Some((0.5 * (root.lo + root.hi), side)),
        _ => None,
    };
    roots.iter().filter_map(crossing).collect()
}

fn kinds(roots: &[Root]) -> Vec<RootKind> {
    roots.iter().map(|root| root.kind).collect()
}

/// Checks both searches against the places of crossings and the kinds of all roots.
#[track_caller]
fn check(p: &[f64], query: &Query, expected: &[f64], all_kinds: &[RootKind]) {
    let finder = &mut RootFinder::default();
    for by_bounds in [false, true] {
        let roots = if by_bounds {
            finder.all_of(&mut Bounded(p), query)
        } else {
            finder.all(p, query)
        };
        let found = crossings(roots);
        assert_eq!(
            found.len(),
            expected.len(),
            "by bounds {by_bounds}: {roots:?}"
        );
        for ((at, _), expected) in found.iter().zip(expected) {
            assert!((at - expected).abs() < 1e-9, "{at} for {expected}");
        }
        assert_eq!(kinds(roots), all_kinds, "by bounds {by_bounds}");
    }
}

use RootKind::{Crossing, Marginal, Touch};
use Side::{Minus, Plus};

#[test]
fn simple_roots_are_found_in_order() {
    let p = from_roots(&[0.2, 0.5, 0.9, 1.5, -0.3], 1.0);
    let side = Side::of(p[0]).unwrap();
    assert_eq!(side, Plus);
    check(
        &p,
        &query(side),
        &[0.2, 0.5, 0.9],
        &[Crossing(Minus), Crossing(Plus), Crossing(Minus)],
    );
    let root = RootFinder::default()
        .first_crossing(&p, &query(side))
        .unwrap();
    assert!(root.lo <= 0.2 + 1e-15 && root.hi >= 0.2 - 1e-15 && root.hi - root.lo <= TOLERANCE);
    assert!(sign(&p, root.lo) >= 0 && sign(&p, root.hi) <= 0);
}

#[test]
fn a_margin_that_keeps_its_side_has_no_crossing() {
    check(&[1.0, -0.5, 0.2], &query(Plus), &[], &[]);
    check(&[-1.0, 0.5, 0.2], &query(Minus), &[], &[]);
    check(&[3.0], &query(Plus), &[], &[]);
    check(&[0.0, 0.0], &query(Plus), &[], &[]);
    check(&[], &query(Plus), &[], &[]);
    check(&[f64::MIN_POSITIVE, 1e-310], &query(Plus), &[], &[]);
}

#[test]
fn even_roots_are_touches_and_odd_ones_crossings() {
    check(&from_roots(&[0.5, 0.5], 1.0), &query(Plus), &[], &[Touch]);
    check(
        &from_roots(&[0.25, 0.25, 0.75], 1.0),
        &query(Minus),
        &[0.75],
        &[Touch, Crossing(Plus)],
    );
    let p = from_roots(&[0.5, 0.5, 0.5], 1.0);
    let roots = RootFinder::default().all(&p, &query(Minus)).to_vec();
    assert_eq!(kinds(&roots), [Crossing(Plus)]);
    assert!((roots[0].lo - 0.5).abs() < 1e-9, "{roots:?}");
    let p = from_roots(&[0.25; 4], 1.0);
    assert_eq!(kinds(RootFinder::default().all(&p, &query(Plus))), [Touch]);
}

#[test]
fn a_graze_from_above_has_no_root() {
    // (theta - 1/2)^2 + 2^-70, which doubles cannot hold, and + 2^-50, which they can.
    check(
        &[0.25 + 2.0_f64.powi(-50), -1.0, 1.0],
        &query(Plus),
        &[],
        &[],
    );
    let depth = 2.0_f64.powi(-50);
    let half = depth.sqrt();
    check(
        &[0.25 - depth, -1.0, 1.0],
        &query(Plus),
        &[0.5 - half, 0.5 + half],
        &[Crossing(Minus), Crossing(Plus)],
    );
}

#[test]
fn known_roots_at_the_start_are_divided_out() {
    // A ball that leaves the floor: h = v theta - g theta^2 / 2.
    let known = |zeros, side| Query {
        zeros,
        ..query(side)
    };
    check(
        &[0.0, 1.0, -4.0],
        &known(1, Plus),
        &[0.25],
        &[Crossing(Minus)],
    );
    // The value at the start is rounding and counts for nothing.
    check(
        &[-1e-17, 1.0, -4.0],
        &known(1, Plus),
        &[0.25],
        &[Crossing(Minus)],
    );
    // Rest on the border, left with the second derivative.
    check(
        &[0.0, 0.0, 1.0, -2.0],
        &known(2, Plus),
        &[0.5],
        &[Crossing(Minus)],
    );
    check(&[0.0, 1e-18, 1.0, 1.0], &known(2, Plus), &[], &[]);
    // A root very close to the known one is another one.
    check(
        &from_roots(&[0.0, 1e-7], -1.0),
        &known(1, Plus),
        &[1e-7],
        &[Crossing(Minus)],
    );
}

#[test]
fn a_start_on_the_other_side_is_a_crossing_there() {
    let at_start = |p: &[f64], query: &Query| {
        let root = RootFinder::default().first_crossing(p, query).unwrap();
        let by_bounds = RootFinder::default()
            .first_crossing_of(&mut Bounded(p), query)
            .unwrap();
        assert_eq!(root, by_bounds);
        assert_eq!((root.lo, root.hi), (query.from, query.from));
        root.kind
    };
    assert_eq!(at_start(&[-1e-17, -1.0], &query(Plus)), Crossing(Minus));
    assert_eq!(
        at_start(
            &[0.0, 1.0],
            &Query {
                zeros: 1,
                ..query(Minus)
            }
        ),
        Crossing(Plus)
    );
    // And back again.
    check(
        &[-0.1, 1.0],
        &query(Plus),
        &[0.0, 0.1],
        &[Crossing(Minus), Crossing(Plus)],
    );
}

#[test]
fn a_start_that_is_too_near_to_tell_is_a_crossing_there() {
    // Bodies that hang side by side are 1e-44 apart when one of them is hit.
    for apart in [1e-30, 9e-45, 1e-300, f64::MIN_POSITIVE] {
        for noise in [0.0, 1e-20] {
            for to in [1.0, 0.3] {
                let held = Query {
                    noise,
                    to,
                    ..query(Minus)
                };
                let p = [-apart, 3.0, -0.4, -0.05];
                let root = RootFinder::default().first_crossing(&p, &held);
                let root = root.unwrap_or_else(|| panic!("{apart} {noise} {to}"));
                assert_eq!(root.kind, RootKind::Crossing(Plus));
                assert!(root.hi <= 1e-15, "{root:?}");
                let mut finder = RootFinder::default();
                let all = finder.all(&p, &held).iter();
                let crossings = all.filter(|root| matches!(root.kind, RootKind::Crossing(_)));
                assert_eq!(crossings.count(), 1, "{apart} {noise} {to}");
                // The other way round nothing happens.
                let away = Query {
                    side: Plus,
                    zeros: 0,
                    ..held
                };
                let p = [apart, 3.0, -0.4, -0.05];
                assert_eq!(RootFinder::default().first_crossing(&p, &away), None);
            }
        }
    }
}

#[test]
fn a_start_on_the_other_side_against_what_is_known_is_none() {
    // The slope at the start is wrong by 1e-9; the last root is one.
    let known = Query {
        zeros: 1,
        leaves: true,
        ..query(Plus)
    };
    for (start, noise) in [(0.0, 0.0), (0.0, 1e-19), (1e-17, 0.0), (-1e-17, 0.0)] {
        let p = [start, -1e-9, 1.0, -2.0];
        let known = Query { noise, ..known };
        let mut finder = RootFinder::default();
        let polynomial = finder.first_crossing(&p, &known).unwrap();
        assert!(matches!(finder.notes(), [note] if note.kind == Marginal && note.hi < 1.1e-9));
        assert_eq!(finder.all(&p, &known).len(), 2);
        let bounds = finder.first_crossing_of(&mut Bounded(&p), &known).unwrap();
        for root in [polynomial, bounds] {
            assert_eq!(root.kind, Crossing(Minus));
            assert!((root.hi - 0.5).abs() < 1e-8, "{start} {root:?}");
        }
    }
    // What does not come back has crossed.
    let root = RootFinder::default().first_crossing(&[0.0, -1e-9, -1.0], &known);
    assert_eq!(root.map(|root| root.hi), Some(0.0));
}

#[test]
fn a_root_at_the_end_is_left_to_what_comes_after() {
    check(&from_roots(&[1.0], 1.0), &query(Minus), &[], &[]);
    check(
        &from_roots(&[0.5, 1.0], 1.0),
        &query(Plus),
        &[0.5],
        &[Crossing(Minus)],
    );
    let p = from_roots(&[0.5], 1.0);
    check(
        &p,
        &Query {
            to: 0.5,
            ..query(Minus)
        },
        &[],
        &[],
    );
    check(
        &p,
        &Query {
            to: 0.5 + 1e-12,
            ..query(Minus)
        },
        &[0.5],
        &[Crossing(Plus)],
    );
}

#[test]
fn a_part_of_the_step_can_be_searched() {
    let p = from_roots(&[0.2, 0.5, 0.9], 1.0);
    let part = Query {
        from: 0.2,
        to: 0.7,
        side: Plus,
        zeros: 1,
        ..query(Plus)
    };
    check(&p, &part, &[0.5], &[Crossing(Minus)]);
    let rest = Query {
        from: 0.6,
        to: 1.0,
        ..query(Minus)
    };
    check(&p, &rest, &[0.9], &[Crossing(Plus)]);
}

#[test]
fn excursions_within_the_noise_are_no_crossings() {
    // Depth 1e-6 between 0.499 and 0.501.
    let p = from_roots(&[0.499, 0.501, 0.8], -1.0);
    let deep = Query {
        noise: 1e-12,
        ..query(Plus)
    };
    check(
        &p,
        &deep,
        &[0.499, 0.501, 0.8],
        &[Crossing(Minus), Crossing(Plus), Crossing(Minus)],
    );
    let shallow = Query {
        noise: 1e-5,
        ..query(Plus)
    };
    check(&p, &shallow, &[0.8], &[Marginal, Crossing(Minus)]);
    let first = RootFinder::default().first_crossing(&p, &shallow).unwrap();
    assert!((first.lo - 0.8).abs() < 1e-12);
    // A margin that is nothing but rounding stays where it is held.
    let rounding = [1e-17, -3e-17, 2e-17, -1e-18];
    check(
        &rounding,
        &Query {
            noise: 1e-16,
            ..query(Plus)
        },
        &[],
        &[],
    );
    check(
        &rounding,
        &Query {
            noise: 1e-16,
            zeros: 1,
            ..query(Plus)
        },
        &[],
        &[],
    );
}

#[test]
fn crossings_closer_than_the_tolerance_are_marginal() {
    // About 4e-8 apart.
    let p = [0.3 * 0.3 - 4e-16, -0.6, 1.0];
    let coarse = Query {
        tolerance: 1e-4,
        ..query(Plus)
    };
    let roots = RootFinder::default().all(&p, &coarse).to_vec();
    assert_eq!(kinds(&roots), [Marginal]);
    assert!(roots[0].lo <= 0.3 && roots[0].hi >= 0.3 && roots[0].hi - roots[0].lo < 2e-4);
}

#[test]
fn a_margin_that_is_not_finite_is_undecided() {
    for bad in [f64::NAN, f64::INFINITY] {
        let roots = RootFinder::default()
            .all(&[1.0, bad], &query(Plus))
            .to_vec();
        assert_eq!(
            roots,
            [Root {
                lo: 0.0,
                hi: 1.0,
                kind: Marginal
            }]
        );
    }
}

#[test]
fn an_indicator_that_knows_nothing_is_given_up_with_a_report() {
    struct Blind;
    impl Indicator for Blind {
        fn enclose(&mut self, theta: Interval) -> Enclosure {
            let entire = Interval::ENTIRE;
            let known = theta.width() == 0.0;
            let value = if known {
                Interval::point(0.3 - theta.lo())
            } else {
                entire
            };
            Enclosure {
                value,
                slope: entire,
                curvature: entire,
            }
        }
        fn value(&mut self, theta: f64) -> f64 {
            0.3 - theta
        }
    }
    let mut finder = RootFinder::default();
    let roots = finder.all_of(&mut Blind, &query(Plus)).to_vec();
    let found = crossings(&roots);
    assert!(
        found.len() == 1 && (found[0].0 - 0.3).abs() < 1e-9,
        "{roots:?}"
    );
    assert!(kinds(&roots).contains(&Marginal));
}

#[test]
fn cosines_that_cross_twice_in_one_step() {
    // cos t + 0.9 over one step from 0 to 20 (SciML/DifferentialEquations.jl#1087).
    let mut wave = Wave {
        amplitude: 1.0,
        growth: 0.0,
        omega: 20.0,
        phase: std::f64::consts::FRAC_PI_2,
        offset: -0.9,
    };
    let mut finder = RootFinder::default();
    let found = crossings(finder.all_of(&mut wave, &query(Plus)));
    let expected = [
        2.6905658417935308,
        3.5926194653860555,
        8.973751148973117,
        9.875804772565642,
        15.256936456152703,
        16.158990079745227,
    ];
    assert_eq!(found.len(), 6);
    for ((at, _), expected) in found.iter().zip(expected) {
        assert!((at * 20.0 - expected).abs() < 1e-13, "{at} {expected}");
    }
}

#[test]
fn searches_do_not_allocate() {
    let polynomials: Vec<Vec<f64>> = vec![
        from_roots(&[0.2, 0.5, 0.9, 1.5, -0.3], 1.0),
        from_roots(&[0.5, 0.5, 0.7, 0.7 + 1e-9], 1.0),
        from_roots(&[0.3; 7], 1.0),
    ];
    let finder = &mut RootFinder::default();
    let mut search = || {
        for p in &polynomials {
            for query in [query(Plus), query(Minus)] {
                finder.all(p, &query);
                finder.first_crossing(p, &query);
                finder.all_of(&mut Bounded(p), &query);
            }
        }
    };
    search();
    assert_eq!(allocation_counter::measure(search).count_total, 0);
}
