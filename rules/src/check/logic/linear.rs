//! Numbers for a few linear inequalities: Fourier-Motzkin elimination, then back substitution with
//! numbers a person would choose.

use smallvec::SmallVec;

/// `sum of factor * unknown < bound`, or `<= bound` if not strict. Unknowns are `0..n`.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Inequality {
    pub(super) terms: SmallVec<[(usize, f64); 2]>,
    pub(super) bound: f64,
    pub(super) strict: bool,
}

/// More inequalities than this, in one step of the elimination, are not solved.
const MAX_INEQUALITIES: usize = 300;
/// Differences of thresholds below this share of their size count as rounding.
const ROUNDING: f64 = 1e-12;

/// Result of solving a system of inequalities.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Solution {
    /// One number per unknown.
    Numbers(Vec<f64>),
    /// No numbers satisfy it, apart from rounding.
    None,
    /// It would take too long.
    TooMany,
}

/// A solution, near `wanted` where that is possible.
///
/// Shapes: `wanted`, one number per unknown.
pub(super) fn solve(inequalities: Vec<Inequality>, wanted: &[f64]) -> Solution {
    let n = wanted.len();
    // Those that bound an unknown by the ones before it.
    let mut about: Vec<Vec<Inequality>> = vec![Vec::new(); n];
    let mut open = inequalities;
    for unknown in (0..n).rev() {
        let (mut upper, mut lower, mut rest) = (Vec::new(), Vec::new(), Vec::new());
        for inequality in open {
            match factor(&inequality, unknown) {
                0.0 => rest.push(inequality),
                f if f > 0.0 => upper.push(inequality),
                _ => lower.push(inequality),
            }
        }
        if upper.len() * lower.len() + rest.len() > MAX_INEQUALITIES {
            return Solution::TooMany;
        }
        for high in &upper {
            for low in &lower {
                rest.push(eliminate(high, low, unknown));
            }
        }
        about[unknown] = upper.into_iter().chain(lower).collect();
        open = rest;
    }
    if open.iter().any(is_contradiction) {
        return Solution::None;
    }
    let mut values = Vec::with_capacity(n);
    for (unknown, about) in about.iter().enumerate() {
        let mut bounds = Bounds::default();
        for inequality in about {
            bounds.narrow(inequality, unknown, &values);
        }
        match bounds.choose(wanted[unknown]) {
            Some(value) => values.push(value),
            None => return Solution::None,
        }
    }
    Solution::Numbers(values)
}

fn factor(inequality: &Inequality, unknown: usize) -> f64 {
    inequality
        .terms
        .iter()
        .find(|(of, _)| *of == unknown)
        .map_or(0.0, |(_, factor)| *factor)
}

/// The sum of the two, scaled so that the unknown drops out.
fn eliminate(high: &Inequality, low: &Inequality, unknown: usize) -> Inequality {
    let (up, down) = (factor(high, unknown), -factor(low, unknown));
    let mut terms: SmallVec<[(usize, f64); 2]> = SmallVec::new();
    for (inequality, by) in [(high, up), (low, down)] {
        for &(of, factor) in inequality.terms.iter().filter(|(of, _)| *of != unknown) {
            match terms.iter_mut().find(|(known, _)| *known == of) {
                Some((_, sum)) => *sum += factor / by,
                None => terms.push((of, factor / by)),
            }
        }
    }
    terms.retain(|(_, factor)| *factor != 0.0);
    let (a, b) = (high.bound / up, low.bound / down);
    let sum = a + b;
    Inequality {
        terms,
        bound: if sum.abs() <= ROUNDING * (a.abs() + b.abs()) {
            0.0
        } else {
            sum
        },
        strict: high.strict || low.strict,
    }
}

fn is_contradiction(inequality: &Inequality) -> bool {
    inequality.bound < 0.0 || (inequality.strict && inequality.bound == 0.0)
}

/// Bounds of an unknown.
struct Bounds {
    low: f64,
    low_open: bool,
    high: f64,
    high_open: bool,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            low: f64::NEG_INFINITY,
            low_open: true,
            high: f64::INFINITY,
            high_open: true,
        }
    }
}

impl Bounds {
    fn narrow(&mut self, inequality: &Inequality, unknown: usize, values: &[f64]) {
        let mut rest = inequality.bound;
        for &(of, factor) in inequality.terms.iter().filter(|(of, _)| *of != unknown) {
            rest -= factor * values[of];
        }
        let factor = factor(inequality, unknown);
        let at = rest / factor;
        if factor > 0.0 {
            if at < self.high || (at == self.high && inequality.strict) {
                (self.high, self.high_open) = (at, inequality.strict);
            }
        } else if at > self.low || (at == self.low && inequality.strict) {
            (self.low, self.low_open) = (at, inequality.strict);
        }
    }

    fn contains(&self, value: f64) -> bool {
        value.is_finite()
            && (value > self.low || (value == self.low && !self.low_open))
            && (value < self.high || (value == self.high && !self.high_open))
    }

    /// The wanted number, or else the roundest one that does it.
    fn choose(&self, wanted: f64) -> Option<f64> {
        if self.contains(wanted) {
            return Some(wanted);
        }
        let (low, high) = (self.low, self.high);
        if low == high {
            return self.contains(low).then_some(low);
        }
        // Bounds that differ by rounding only stand for a single number.
        if low > high {
            let rounding = ROUNDING * (low.abs() + high.abs());
            return (low - high <= rounding && !self.low_open && !self.high_open).then_some(low);
        }
        let step = |from: f64| {
            if from.abs() < 1e9 {
                1.0
            } else {
                0.1 * from.abs()
            }
        };
        let chosen = match (low.is_finite(), high.is_finite()) {
            (true, true) => return self.between(),
            (true, false) => low.floor() + step(low),
            (false, true) => high.ceil() - step(high),
            (false, false) => 0.0,
        };
        self.contains(chosen).then_some(chosen)
    }

    /// The number with the fewest decimals between two finite bounds, near the middle.
    fn between(&self) -> Option<f64> {
        let middle = self.low + (self.high - self.low) / 2.0;
        (-15..=15)
            .map(|decimals| {
                let scale = 10_f64.powi(decimals);
                (middle * scale).round() / scale
            })
            .chain([middle])
            .find(|value| self.contains(*value))
    }
}

/// The number with the fewest decimals between two others, near their middle; `None` if there is none.
pub(super) fn between(low: f64, high: f64) -> Option<f64> {
    let bounds = Bounds {
        low,
        low_open: true,
        high,
        high_open: true,
    };
    bounds.between()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Factors of unknowns, bound, strictness.
    type Row<'a> = (&'a [(usize, f64)], f64, bool);

    fn solved(rows: &[Row<'_>], wanted: &[f64]) -> Option<Vec<f64>> {
        let inequalities = rows
            .iter()
            .map(|&(terms, bound, strict)| Inequality {
                terms: terms.iter().copied().collect(),
                bound,
                strict,
            })
            .collect();
        match solve(inequalities, wanted) {
            Solution::Numbers(numbers) => Some(numbers),
            Solution::None => None,
            Solution::TooMany => panic!("there are only a few"),
        }
    }

    #[test]
    fn numbers_are_round_and_near_what_is_wanted() {
        assert_eq!(
            solved(&[(&[(0, 1.0)], 30.0, true)], &[400.0]),
            Some(vec![29.0])
        );
        assert_eq!(
            solved(&[(&[(0, 1.0)], 30.0, true)], &[12.5]),
            Some(vec![12.5])
        );
        assert_eq!(
            solved(&[(&[(0, -1.0)], -2.5, true)], &[0.0]),
            Some(vec![3.0])
        );
        let between = [(&[(0, 1.0)][..], 0.25, true), (&[(0, -1.0)], -0.2, true)];
        assert_eq!(solved(&between, &[0.0]), Some(vec![0.23]));
        let point = [(&[(0, 1.0)][..], 2.0, false), (&[(0, -1.0)], -2.0, false)];
        assert_eq!(solved(&point, &[0.0]), Some(vec![2.0]));
    }

    #[test]
    fn a_circle_of_differences_is_a_contradiction() {
        let circle = [
            (&[(0, 1.0), (1, -1.0)][..], 0.0, true),
            (&[(1, 1.0), (2, -1.0)], 0.0, true),
            (&[(2, 1.0), (0, -1.0)], 0.0, false),
        ];
        assert_eq!(solved(&circle, &[0.0; 3]), None);
        assert_eq!(
            solved(&circle[..2], &[0.0; 3]).map(|v| (v[0] < v[1], v[1] < v[2])),
            Some((true, true))
        );
    }
}
