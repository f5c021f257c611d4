//! Largest and smallest values of a function inside of a step.
//!
//! The function is looked at at a few places (`PLACES`); where it turns between them, the place is sought by
//! Brent's method (parabolas where they shrink the bracket, else the golden section).
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
    /// The search between three places that follow each other, if the middle one has an extreme value.
    ///
    /// `last`: the number of the last of the three places.
    fn of([left, middle, right]: [f64; 3], last: usize) -> Option<Self> {
        let sign = if middle > left && middle >= right {
            1.0
        } else if middle < left && middle <= right {
            -1.0
        } else {
            return None;
        };
        let at = |number: usize, value: f64| Point {
            place: PLACES[number],
            height: sign * value,
        };
        let [left, right] = [at(last - 2, left), at(last, right)];
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
            best: [at(last - 1, middle), second, third],
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

/// The inner extremes of a function on [0, 1], as far as they show at `PLACES`, in order: places and values.
pub fn turning_points(mut value: impl FnMut(f64) -> f64) -> Vec<(f64, f64)> {
    let seen = PLACES.map(&mut value);
    let mut found = Vec::new();
    for (first, three) in seen.array_windows().enumerate() {
        let Some(mut extremum) = ExtremumSearch::of(*three, first + 2) else {
            continue;
        };
        while let Some(place) = extremum.ask() {
            extremum.tell(value(place));
        }
        found.push(extremum.found());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turning_points_are_found() {
        let found = turning_points(|x| (x - 0.3) * (x - 0.3));
        assert!(matches!(found[..], [(at, value)] if (at - 0.3).abs() < 1e-8 && value < 1e-16));
        let found = turning_points(|x| x * (1.0 - x));
        assert!(matches!(found[..], [(at, value)] if (at - 0.5).abs() < 1e-8 && value == 0.25));
        assert!(turning_points(|x| 2.0 * x).is_empty());
        for expected in [0.01, 0.06, 0.95, 0.9999] {
            let found = turning_points(|x| (x - expected) * (x - expected) - 3.0);
            assert!(
                matches!(found[..], [(at, value)] if (at - expected).abs() < 1e-7 && value == -3.0)
            );
        }
        let found = turning_points(|x| (12.0 * x).sin());
        let expected = [0.5, 1.5, 2.5, 3.5].map(|n| n * std::f64::consts::PI / 12.0);
        assert_eq!(found.len(), expected.len());
        for ((at, value), expected) in found.iter().zip(expected) {
            assert!((at - expected).abs() < 1e-8 && (value.abs() - 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn few_values_are_asked_for() {
        let mut asked = 0;
        let found = turning_points(|x| {
            asked += 1;
            x.exp() * (4.0 * x).sin()
        });
        assert_eq!(found.len(), 1);
        assert!(asked < 22, "{asked}");
        // A corner is found by halving.
        let found = turning_points(|x| (x - 0.4).abs());
        assert!(matches!(found[..], [(at, value)] if (at - 0.4).abs() < 1e-8 && value < 1e-8));
    }

    #[test]
    fn what_is_no_number_ends() {
        turning_points(|x| if x > 0.4 { f64::NAN } else { x });
        turning_points(|x| if x == 0.5 { 1.0 } else { f64::NAN });
        turning_points(|x| {
            if PLACES.contains(&x) {
                x * (1.0 - x)
            } else {
                f64::NAN
            }
        });
        turning_points(|x| if x == 0.5 { f64::INFINITY } else { x });
    }
}
