//! Largest and smallest values of a function inside of a step.
//!
//! The function is looked at at a few places (`PLACES`), and at more where polynomials through these do not interpolate it, as
//! in a step of many periods; where it turns between them, the place is sought by Brent's method (parabolas where they shrink the
//! bracket, else the golden section).
//!
//! Source: R. P. Brent, Algorithms for Minimization without Derivatives, 1973, chapter 5.

/// Next to the ends of [0, 1]: tells which way a function leaves an end. An extreme still nearer to the end is
/// as high as the end itself but for a part of 1e-12 of what the function changes by.
const EDGE: f64 = 1e-6;

/// Places at which a function is evaluated to bracket extremes: the ends of eight equal pieces of [0, 1], and next
/// to the outer two. Without those a ball thrown up would have no highest point in the first eighth of a step.
const PLACES: [f64; 11] = [
    0.0,
    EDGE,
    0.125,
    0.25,
    0.375,
    0.5,
    0.625,
    0.75,
    0.875,
    1.0 - EDGE,
    1.0,
];

/// Places inside of a span of which five values are known, at which their polynomial is held against the function
/// [part of the span]: irregular ones, so that no period escapes them all.
const PROBES: [f64; 2] = [0.190_983_005_625, 0.659_152_917_188];

/// A span is resolved if interpolation is off by no larger part of the change of the values in it.
const RESOLVED: f64 = 0.125;

/// Values that differ by no larger part of themselves differ by rounding.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// A span is halved at most so often.
const DEPTH: u32 = 12;

/// Places next to the inner ones of a span: values there differ by rounding, and by little else [part of the span].
const BESIDE: [f64; 3] = [1e-10, 1e-8, 1e-6];

/// Values that change by about as much as those beside them differ, between these factors, are rounding; where they change by
/// less, the places are in phase with the function.
const NOISE_BAND: [f64; 2] = [0.25, 16.0];

/// A place is known well enough within this part of its bracket: the values differ by rounding only.
const CLOSE: f64 = 1e-8;

/// Values that a search asks for at most.
const MOST: u32 = 60;

/// The smaller part of the golden section.
const GOLDEN: f64 = 0.381_966_011_250_105_1;

/// A place with the value there, upside down for a smallest value.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Point {
    place: f64,
    height: f64,
}

/// The search for an extreme between two places.
#[derive(Clone, Copy, PartialEq, Debug)]
struct ExtremumSearch {
    /// 1 for a largest value, -1 for a smallest.
    sign: f64,
    low: f64,
    high: f64,
    /// The three highest points, as far as they are known to be.
    best: [Point; 3],
    /// The last step and the one before.
    steps: [f64; 2],
    close: f64,
    asked: f64,
    left: u32,
}

impl ExtremumSearch {
    /// The search between three places that follow each other, with their values, if the middle one has an extreme value.
    fn of(looks: [(f64, f64); 3]) -> Option<Self> {
        let [left, middle, right] = looks.map(|(_, value)| value);
        let sign = if middle > left && middle >= right {
            1.0
        } else if middle < left && middle <= right {
            -1.0
        } else {
            return None;
        };
        let [left, middle, right] = looks.map(|(place, value)| Point {
            place,
            height: sign * value,
        });
        let (second, third) = if left.height >= right.height {
            (left, right)
        } else {
            (right, left)
        };
        let width = right.place - left.place;
        Some(Self {
            sign,
            low: left.place,
            high: right.place,
            best: [middle, second, third],
            steps: [width; 2],
            close: CLOSE * width,
            asked: 0.0,
            left: MOST,
        })
    }

    /// Place at which the function is to be evaluated next; `None` if the extreme has been found.
    fn ask(&mut self) -> Option<f64> {
        let (low, high, close) = (self.low, self.high, self.close);
        let [x, w, v] = self.best.map(|point| point.place);
        let middle = 0.5 * (low + high);
        if (x - middle).abs() <= 2.0 * close - 0.5 * (high - low) || self.left == 0 {
            return None;
        }
        self.left -= 1;
        let [fx, fw, fv] = self.best.map(|point| point.height);
        let (r, q) = ((x - w) * (fx - fv), (x - v) * (fx - fw));
        let p = (x - v) * q - (x - w) * r;
        let q = 2.0 * (q - r);
        let (p, q) = (if q > 0.0 { -p } else { p }, q.abs());
        let [last, before] = self.steps;
        self.steps[1] = last;
        let shrinks = p.abs() < (0.5 * q * before).abs();
        let step = if shrinks && p > q * (low - x) && p < q * (high - x) {
            let at = x + p / q;
            if at - low < 2.0 * close || high - at < 2.0 * close {
                close.copysign(middle - x)
            } else {
                p / q
            }
        } else {
            self.steps[1] = if x < middle { high - x } else { low - x };
            GOLDEN * self.steps[1]
        };
        self.steps[0] = step;
        self.asked = x + if step.abs() >= close {
            step
        } else {
            close.copysign(step)
        };
        Some(self.asked)
    }

    /// The value where it was asked for.
    fn tell(&mut self, value: f64) {
        let new = Point {
            place: self.asked,
            height: self.sign * value,
        };
        let [best, second, third] = self.best;
        let right = new.place >= best.place;
        if new.height >= best.height {
            *(if right { &mut self.low } else { &mut self.high }) = best.place;
            self.best = [new, best, second];
            return;
        }
        *(if right { &mut self.high } else { &mut self.low }) = new.place;
        if new.height >= second.height || second.place == best.place {
            self.best = [best, new, second];
        } else if new.height >= third.height
            || third.place == best.place
            || third.place == second.place
        {
            self.best = [best, second, new];
        }
    }

    /// Place of the extreme, and the value there.
    fn found(&self) -> (f64, f64) {
        let [best, ..] = self.best;
        (best.place, self.sign * best.height)
    }
}

/// The inner extremes of a function on [0, 1], in order: places and values.
///
/// `rounding`: what values may be off by, besides the last digits of what they are themselves, as a small difference of large
/// numbers is.
pub fn turning_points(rounding: f64, mut value: impl FnMut(f64) -> f64) -> Vec<(f64, f64)> {
    let mut looks = PLACES.map(|place| (place, value(place))).to_vec();
    let halves = [[0, 2, 3, 4, 5], [5, 6, 7, 8, 10]];
    let halves = halves.map(|half: [usize; 5]| half.map(|number| looks[number]));
    let mut refinement = Refinement {
        value: &mut value,
        looks: &mut looks,
        rounding,
    };
    for half in halves {
        refinement.look_into(half, 0);
    }
    looks.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut found = Vec::new();
    for three in looks.array_windows() {
        let Some(mut extremum) = ExtremumSearch::of(*three) else {
            continue;
        };
        while let Some(place) = extremum.ask() {
            extremum.tell(value(place));
        }
        found.push(extremum.found());
    }
    found
}

/// Adaptive sampling: more looks where those that there are do not resolve a function.
struct Refinement<'f, F> {
    value: &'f mut F,
    /// Places and values, in any order.
    looks: &'f mut Vec<(f64, f64)>,
    rounding: f64,
}

impl<F: FnMut(f64) -> f64> Refinement<'_, F> {
    /// Looks into a span, of which values at five equidistant places are known.
    fn look_into(&mut self, span: [(f64, f64); 5], depth: u32) {
        if depth == DEPTH || self.is_resolved(&span) || self.is_rounding(&span) {
            return;
        }
        let [a, b, c, d, e] = span;
        let middles = [(a, b), (b, c), (c, d), (d, e)].map(|(one, other)| {
            let place = 0.5 * (one.0 + other.0);
            (place, (self.value)(place))
        });
        self.looks.extend(middles);
        let [ab, bc, cd, de] = middles;
        self.look_into([a, ab, b, bc, c], depth + 1);
        self.look_into([c, cd, d, de, e], depth + 1);
    }

    /// True if values in a span change by rounding alone.
    fn is_rounding(&mut self, span: &[(f64, f64); 5]) -> bool {
        let width = span[4].0 - span[0].0;
        let inner = span[1..4].iter().zip(BESIDE);
        let differences =
            inner.map(|((place, value), way)| ((self.value)(place + way * width) - value).abs());
        let noise = differences.fold(0.0, f64::max);
        let [least, most] = NOISE_BAND.map(|factor| factor * noise);
        noise > 0.0 && (least..=most).contains(&change(span))
    }

    /// True if interpolation through the values in a span agrees with the function: a parabola through three of them at the
    /// other two, the polynomial through all at `PROBES`. What is no number is not looked into.
    fn is_resolved(&mut self, span: &[(f64, f64); 5]) -> bool {
        let [p, q, r, s, t] = span.map(|(_, value)| value);
        let values = [p, q, r, s, t];
        let size = values
            .into_iter()
            .fold(0.0_f64, |size, value| size.max(value.abs()));
        let rounding = self.rounding.max(ROUNDING * size);
        let allowed = rounding.max(RESOLVED * change(span));
        let is_near = |interpolated: f64, value: f64| {
            let off = (interpolated - value).abs();
            off <= allowed || off.is_nan() || allowed.is_nan()
        };
        if !(is_near(0.125 * (3.0 * p + 6.0 * r - t), q)
            && is_near(0.125 * (3.0 * t + 6.0 * r - p), s))
        {
            return false;
        }
        let (begin, width) = (span[0].0, span[4].0 - span[0].0);
        PROBES.into_iter().all(|probe| {
            let at = 4.0 * probe;
            let mut interpolated = 0.0;
            for (own, value) in (0_u32..).zip(values) {
                let others = (0_u32..5).filter(|other| *other != own);
                let weight = others
                    .map(|other| (at - f64::from(other)) / (f64::from(own) - f64::from(other)));
                interpolated += weight.product::<f64>() * value;
            }
            is_near(interpolated, (self.value)(begin + probe * width))
        })
    }
}

/// What values change by in a span.
fn change(span: &[(f64, f64); 5]) -> f64 {
    let [least, most] = [f64::min, f64::max].map(|of| {
        let values = span.iter().map(|(_, value)| *value);
        values.fold(f64::NAN, of)
    });
    most - least
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turning_points_are_found() {
        let found = turning_points(0.0, |x| (x - 0.3) * (x - 0.3));
        assert!(matches!(found[..], [(at, value)] if (at - 0.3).abs() < 1e-8 && value < 1e-16));
        let found = turning_points(0.0, |x| x * (1.0 - x));
        assert!(matches!(found[..], [(at, value)] if (at - 0.5).abs() < 1e-8 && value == 0.25));
        assert!(turning_points(0.0, |x| 2.0 * x).is_empty());
        for expected in [0.01, 0.06, 0.95, 0.9999] {
            let found = turning_points(0.0, |x| (x - expected) * (x - expected) - 3.0);
            assert!(
                matches!(found[..], [(at, value)] if (at - expected).abs() < 1e-7 && value == -3.0)
            );
        }
        let found = turning_points(0.0, |x| (12.0 * x).sin());
        let expected = [0.5, 1.5, 2.5, 3.5].map(|n| n * std::f64::consts::PI / 12.0);
        assert_eq!(found.len(), expected.len());
        for ((at, value), expected) in found.iter().zip(expected) {
            assert!((at - expected).abs() < 1e-8 && (value.abs() - 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn no_period_of_many_is_passed_over() {
        for periods in [3.0, 17.0, 100.3, 128.0, 801.7] {
            let rate = std::f64::consts::TAU * periods;
            for phase in [0.0, 0.7, 2.0] {
                let mut asked = 0;
                let found = turning_points(0.0, |x| {
                    asked += 1;
                    2.0 + (rate * x + phase).sin()
                });
                let expected = 2.0 * periods;
                #[expect(clippy::cast_precision_loss, reason = "some thousand")]
                let n_found = found.len() as f64;
                assert!(
                    (n_found - expected).abs() <= 1.0,
                    "{periods} {phase}: {n_found}"
                );
                assert!(f64::from(asked) < 200.0 * periods, "{periods}: {asked}");
            }
        }
        // A long rest, then a wave.
        let wave = |x: f64| {
            if x < 0.9 {
                0.0
            } else {
                (500.0 * (x - 0.9)).sin()
            }
        };
        let most = turning_points(0.0, wave)
            .into_iter()
            .map(|(_, value)| value);
        assert!(most.fold(0.0, f64::max) > 1.0 - 1e-9);
    }

    #[test]
    fn rounding_is_not_looked_into() {
        let mut asked = 0;
        turning_points(0.0, |x| {
            asked += 1;
            (1e9 + 0.7 * x) - 1e9 - 0.7 * x
        });
        assert!(asked < 1000, "{asked}");
        asked = 0;
        turning_points(0.0, |x| {
            asked += 1;
            0.3 + 4e-17 * (1e5 * x).sin()
        });
        assert!(asked < 300, "{asked}");
    }

    #[test]
    fn few_values_are_asked_for() {
        let mut asked = 0;
        let found = turning_points(0.0, |x| {
            asked += 1;
            x.exp() * (4.0 * x).sin()
        });
        assert_eq!(found.len(), 1);
        assert!(asked < 27, "{asked}");
        // A corner is found by halving.
        let found = turning_points(0.0, |x| (x - 0.4).abs());
        assert!(matches!(found[..], [(at, value)] if (at - 0.4).abs() < 1e-8 && value < 1e-8));
    }

    #[test]
    fn what_is_no_number_ends() {
        turning_points(0.0, |x| if x > 0.4 { f64::NAN } else { x });
        turning_points(0.0, |x| if x == 0.5 { 1.0 } else { f64::NAN });
        turning_points(0.0, |x| {
            if PLACES.contains(&x) {
                x * (1.0 - x)
            } else {
                f64::NAN
            }
        });
        turning_points(0.0, |x| if x == 0.5 { f64::INFINITY } else { x });
    }
}
