//! Random margins: no crossing is lost.

use proptest::prelude::*;

use super::*;

/// Numbers in [0, 1), the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }

    /// From 10^-7 to 10^-1, as often in each decade.
    fn distance(&mut self) -> f64 {
        1.0000001e-7 * 10.0_f64.powf(self.between(0.0, 6.0))
    }
}

/// A wave with an extremum inside the step and its offset such that the two crossings next to it
/// are about `distance` apart. The sign is that of the excursion between them.
fn wave_with_a_pair(random: &mut Random, distance: f64) -> (Wave, f64, f64) {
    let omega = random.between(1.0, 30.0);
    let distance = distance.min(1.5 / omega);
    let extremum = random.between(0.05, 0.95);
    let sign = if random.next() < 0.5 { 1.0 } else { -1.0 };
    let amplitude = random.between(0.1, 10.0);
    let wave = Wave {
        amplitude,
        growth: 0.0,
        omega,
        phase: sign * std::f64::consts::FRAC_PI_2 - omega * extremum,
        offset: sign * amplitude * (0.5 * omega * distance).cos(),
    };
    (wave, extremum, sign)
}

/// The promise: odd crossings more than 1e-7 of the step apart are found. Beside it what a test of
/// signs at the ends of the step loses on the same cases.
#[test]
fn no_pair_of_crossings_in_a_wave_is_lost() {
    let random = &mut Random(1);
    let finder = &mut RootFinder::default();
    let (mut cases, mut lost_by_signs) = (0, 0);
    while cases < 5000 {
        let distance = random.distance();
        let (mut wave, extremum, sign) = wave_with_a_pair(random, distance);
        let (first, last) = (wave.value(0.0), wave.value(1.0));
        let inside = [extremum - 1.1 * distance, extremum + 1.1 * distance];
        let Some(side) = Side::of(first) else {
            continue;
        };
        if inside[0] < 0.0 || inside[1] > 1.0 {
            continue;
        }
        cases += 1;
        let found = finder.all_of(&mut wave, &query(side)).to_vec();
        let pair: Vec<Side> = found
            .iter()
            .filter(|root| inside[0] < root.lo && root.hi < inside[1])
            .filter_map(|root| match root.kind {
                Crossing(to) => Some(to),
                _ => None,
            })
            .collect();
        let excursion = Side::of(sign).unwrap();
        assert_eq!(
            pair,
            [excursion, excursion.other()],
            "{wave:?} {extremum} {distance}: {found:?}"
        );
        assert_eq!(crossings(&found).len() % 2 == 1, first * last < 0.0);
        lost_by_signs += crossings(&found).len() - usize::from(first * last < 0.0);
    }
    assert!(
        lost_by_signs > 2 * cases,
        "a test of signs loses {lost_by_signs}"
    );
}

/// The same for pairs in polynomials, with other roots around, and for two borders 1e-9 apart.
#[test]
fn no_window_between_two_borders_is_lost() {
    let random = &mut Random(2);
    let finder = &mut RootFinder::default();
    for _ in 0..5000 {
        let entry = random.between(0.0, 0.99);
        let width = 1e-9 * 10.0_f64.powf(random.between(0.0, 7.0));
        let others = [
            random.between(-2.0, -0.1),
            random.between(1.1, 3.0),
            random.between(1.1, 3.0),
        ];
        // Inside the window both margins are positive.
        let left = from_roots(&[&[entry], &others[..2]].concat(), 1.0);
        let right = from_roots(&[&[entry + width], &others[1..]].concat(), -1.0);
        let sides = [Side::of(left[0]), Side::of(right[0])].map(Option::unwrap);
        let into = finder.first_crossing(&left, &query(sides[0])).unwrap();
        let out = finder.first_crossing(&right, &query(sides[1])).unwrap();
        assert_eq!(
            [into.kind, out.kind],
            sides.map(|side| Crossing(side.other()))
        );
        assert!(into.hi < out.lo, "{into:?} {out:?}");
        let error = (out.lo - into.lo) / width - 1.0;
        assert!(error.abs() < 1e-5, "{error}");
        // Going on from the first event the other border is found again.
        let rest = Query {
            from: into.hi,
            ..query(sides[1])
        };
        let again = finder.first_crossing(&right, &rest).unwrap();
        assert!((again.lo - out.lo).abs() < 2e-15);
    }
}

/// Roots in and around the step: alone, in pairs and triples from 1e-7 to 1e-2 apart, or double.
fn root_sets() -> impl Strategy<Value = Vec<f64>> {
    let apart = (1.0..6.9_f64).prop_map(|exponent| 10.0_f64.powf(-exponent));
    let group = prop_oneof![
        4 => (-0.2..1.2_f64).prop_map(|r| vec![r]),
        2 => (0.0..1.0, apart.clone()).prop_map(|(r, d)| vec![r, r + d]),
        1 => (0.0..1.0, apart.clone(), apart).prop_map(|(r, d, e)| vec![r, r + d, r + d + e]),
        1 => (0.0..1.0_f64).prop_map(|r| vec![r, r]),
    ];
    prop::collection::vec(group, 1..4)
        .prop_map(|groups| groups.concat())
        .prop_filter("degree at most 8", |roots| roots.len() <= 8)
}

/// Checks that between two points where the sign is certain the parity of crossings is right, and
/// that each crossing is one.
fn nothing_is_lost(
    p: &[f64],
    roots: &[f64],
    found: &[Root],
    start: Side,
) -> Result<(), TestCaseError> {
    let mut at: Vec<f64> = roots
        .iter()
        .copied()
        .filter(|r| *r > 0.0 && *r < 1.0)
        .collect();
    at.extend([0.0, 1.0]);
    at.sort_by(f64::total_cmp);
    let mut probes: Vec<f64> = at
        .windows(2)
        .map(|pair| 0.5 * (pair[0] + pair[1]))
        .collect();
    probes.push(1.0);
    let mut held = start.sign();
    let mut from = 0.0;
    for probe in probes {
        let sign = sign(p, probe);
        // A probe inside a bracket does not tell on which side of it the crossing is.
        if sign == 0
            || found
                .iter()
                .any(|root| root.lo <= probe && probe <= root.hi)
        {
            continue;
        }
        let between =
            |root: &&Root| matches!(root.kind, Crossing(_)) && root.lo >= from && root.hi <= probe;
        let count = found.iter().filter(between).count();
        prop_assert_eq!(
            count % 2 == 1,
            sign != held,
            "between {} and {}: {:?}",
            from,
            probe,
            found
        );
        (held, from) = (sign, probe);
    }
    for root in found {
        if let Crossing(to) = root.kind {
            prop_assert!(sign(p, root.lo) != to.sign(), "lo of {:?}", root);
            prop_assert!(sign(p, root.hi) != -to.sign(), "hi of {:?}", root);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn no_crossing_of_a_polynomial_is_lost(roots in root_sets(), leading in 0.1..10.0_f64) {
        let p = from_roots(&roots, leading);
        let Some(start) = Side::of(p[0]) else { return Ok(()) };
        let mut finder = RootFinder::default();
        let found = finder.all(&p, &query(start)).to_vec();
        nothing_is_lost(&p, &roots, &found, start)?;
        let first = finder.first_crossing(&p, &query(start));
        let expected = found.iter().find(|root| matches!(root.kind, Crossing(_)));
        prop_assert_eq!(first.as_ref(), expected);
        // The roots come in order and the sides alternate.
        for pair in crossings(&found).windows(2) {
            prop_assert!(pair[0].0 <= pair[1].0 && pair[0].1 != pair[1].1);
        }
    }

    #[test]
    fn no_crossing_is_lost_after_a_known_root(
        roots in root_sets(),
        zeros in 1..3_usize,
        leading in 0.1..10.0_f64,
    ) {
        let mut all = vec![0.0; zeros];
        all.extend(&roots);
        let p = from_roots(&all, leading);
        let Some(start) = Side::of(p[zeros]) else { return Ok(()) };
        let mut finder = RootFinder::default();
        let found = finder.all(&p, &Query { zeros, ..query(start) }).to_vec();
        nothing_is_lost(&p, &roots, &found, start)?;
    }

    /// The search by bounds alone finds what Bernstein coefficients find, where doubles can tell.
    #[test]
    fn bounds_find_what_sign_variations_find(roots in root_sets(), leading in 0.1..10.0_f64) {
        let p = from_roots(&roots, leading);
        let Some(start) = Side::of(p[0]) else { return Ok(()) };
        let mut finder = RootFinder::default();
        let exact = finder.all(&p, &query(start)).to_vec();
        let found = finder.all_of(&mut Bounded(&p), &query(start)).to_vec();
        if crossings(&found).len() != crossings(&exact).len() {
            // Then doubles could not tell, and one of them said so.
            let mut all = found.iter().chain(&exact);
            let doubtful = all.any(|root| !matches!(root.kind, Crossing(_)));
            prop_assert!(doubtful, "{:?} {:?}", found, exact);
        }
    }

    #[test]
    fn bounds_of_a_polynomial_contain_its_values(
        p in prop::collection::vec(-5.0..5.0_f64, 1..9),
        a in 0.0..=1.0_f64,
        width in prop_oneof![Just(0.0), 0.0..1e-9, 0.0..1.0_f64],
        part in 0.0..=1.0_f64,
    ) {
        let b = (a + width).min(1.0);
        let x = (a + part * (b - a)).clamp(a, b);
        let bounds = enclosure::enclose(&p, Interval::new(a, b));
        if a == b {
            let value = bounds.value;
            prop_assert!(value.width() <= 1e-15 * value.magnitude() + 1e-27, "{:?}", value);
        }
        let mut derivative: Vec<Dd> = p.iter().map(|&c| Dd::from(c)).collect();
        for bound in [bounds.value, bounds.slope, bounds.curvature] {
            let exact = derivative.iter().rev().fold(Dd::default(), |sum, &c| sum * x + c);
            prop_assert!(bound.contains(exact.hi), "{:?} {}", bound, exact.hi);
            derivative = derivative.iter().enumerate().skip(1).map(|(k, &c)| c * k as f64).collect();
        }
    }
}
