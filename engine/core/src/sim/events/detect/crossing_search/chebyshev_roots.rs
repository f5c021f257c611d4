//! Roots of functions that can only be evaluated: they are followed by polynomials.
//!
//! The step is cut into pieces on which all functions are, up to rounding, polynomials of degree 8,
//! as the last coefficients of their Chebyshev series tell. Source: L. N. Trefethen, Approximation
//! Theory and Approximation Practice, 2013, chapters 3 and 4.

use std::sync::LazyLock;

use situ_solve::roots::{Query, RootFinder, RootKind, Side};

const DEGREE: usize = 8;
const NODES: usize = DEGREE + 1;

/// Pieces are not cut smaller than this part of the step.
const SMALLEST: f64 = 1.0 / 256.0;

/// The last coefficients count as vanished below this part of the largest.
const VANISHED: f64 = 1e-11;

/// So many rounding errors of the values are in coefficients of their series, and in those of its powers if it has few.
const NOISE_OF_SERIES: f64 = 2.0;
const NOISE_OF_POWERS: f64 = 16.0;

/// A function whose crossings are wanted.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Job {
    /// The side held at the start.
    pub(super) held: Side,
    /// Order of its known zero at the start.
    pub(super) zeros: usize,
}

/// Functions along a step whose crossings are wanted.
pub(super) trait Functions {
    /// Writes the values at a place [theta] of those that are wanted; NaN where there is none.
    ///
    /// Shapes: `wanted`, `into`: one entry per job.
    fn values(&mut self, theta: f64, wanted: &[bool], into: &mut [f64]);

    /// True if one is known to lie on a side all over a piece [theta].
    fn keeps(&mut self, job: usize, side: Side, piece: [f64; 2]) -> bool;
}

/// Functions of which values are known and no bounds.
pub(super) struct Sampled<F>(pub(super) F);

impl<F: FnMut(f64, &mut [f64])> Functions for Sampled<F> {
    fn values(&mut self, theta: f64, _: &[bool], into: &mut [f64]) {
        self.0(theta, into);
    }

    fn keeps(&mut self, _: usize, _: Side, _: [f64; 2]) -> bool {
        false
    }
}

/// Searches; keeps the workspace.
#[derive(Clone, Debug, Default)]
pub(super) struct Curves {
    roots: RootFinder,
    open: Vec<(f64, f64)>,
    values: Vec<f64>,
    scratch: Vec<f64>,
    /// Per job the side held where the search stands; `None` once its first crossing is found.
    held: Vec<Option<Side>>,
    /// Per job whether it may cross on the present piece.
    wanted: Vec<bool>,
    found: Vec<(usize, f64, f64, Side)>,
}

impl Curves {
    /// The crossings of all functions: job, where it has not crossed yet, where it has, to which
    /// side; only the first of each job unless `all`.
    ///
    /// Shapes: `seams`: where a function may have kinks, ascending [theta].
    pub(super) fn search(
        &mut self,
        functions: &mut impl Functions,
        jobs: &[Job],
        seams: &[f64],
        to: f64,
        tolerance: f64,
        all: bool,
    ) -> &[(usize, f64, f64, Side)] {
        let n = jobs.len();
        self.found.clear();
        self.open.clear();
        self.held.clear();
        self.held.extend(jobs.iter().map(|job| Some(job.held)));
        self.values.resize(n * NODES, 0.0);
        self.scratch.resize(n, 0.0);
        let mut right = to;
        for &seam in seams.iter().rev().filter(|&&seam| 0.0 < seam && seam < to) {
            self.open.push((seam, right));
            right = seam;
        }
        self.open.push((0.0, right));
        while let Some((a, b)) = self.open.pop() {
            self.wanted.clear();
            for (job, (held, Job { zeros, .. })) in self.held.iter().zip(jobs).enumerate() {
                let leaves = a == 0.0 && *zeros > 0;
                let is_wanted =
                    held.is_some_and(|side| leaves || !functions.keeps(job, side, [a, b]));
                self.wanted.push(is_wanted);
            }
            if !self.wanted.contains(&true) {
                continue;
            }
            for node in 0..NODES {
                functions.values(a + (b - a) * place(node), &self.wanted, &mut self.scratch);
                self.values[node * n..][..n].copy_from_slice(&self.scratch);
            }
            let rough = |job: usize| !smooth(&chebyshev(&self.values, job, n));
            let rough = (0..n).any(|job| self.wanted[job] && rough(job));
            if rough && b - a > SMALLEST {
                let middle = 0.5 * (a + b);
                self.open.extend([(middle, b), (a, middle)]);
                continue;
            }
            for (job, Job { zeros, .. }) in jobs.iter().enumerate() {
                let Some(mut side) = self.held[job].filter(|_| self.wanted[job]) else {
                    continue;
                };
                let series = chebyshev(&self.values, job, n);
                let size = series.iter().fold(0.0_f64, |most, c| most.max(c.abs()));
                if !size.is_finite() || size == 0.0 {
                    continue;
                }
                let start = self.values[job];
                let noise = 1e-12 * size;
                let on_root = a == 0.0 && (*zeros > 0 || start.abs() <= noise);
                let query = Query {
                    from: 0.0,
                    to: 1.0,
                    side,
                    zeros: if on_root { (*zeros).max(1) } else { 0 },
                    leaves: a == 0.0 && *zeros > 0,
                    noise,
                    tolerance: (tolerance / (b - a)).max(f64::EPSILON),
                };
                let coefficients = monomials(&series);
                let crossings = self.roots.all(&coefficients, &query);
                for root in crossings {
                    let RootKind::Crossing(to) = root.kind else {
                        continue;
                    };
                    let guess = [root.lo, root.hi].map(|u| a + (b - a) * u);
                    let mut value = |theta| {
                        functions.values(theta, &self.wanted, &mut self.scratch);
                        self.scratch[job]
                    };
                    let [before, after] = polish(&mut value, guess, [a, b], to, tolerance);
                    self.found.push((job, before, after, to));
                    side = to;
                    if !all {
                        break;
                    }
                }
                // Where the smallest pieces are no polynomials yet, as behind the beginning of a root, one may be passed over.
                let over = side.other();
                let is_over = |node: &usize| {
                    let value = self.values[node * n + job];
                    value.abs() > noise && Side::of(value) == Some(over)
                };
                if is_over(&DEGREE)
                    && (all || side == jobs[job].held)
                    && let Some(node) = (0..DEGREE).rev().find(|node| !is_over(node))
                {
                    let guess = [node, node + 1].map(|node| a + (b - a) * place(node));
                    let mut value = |theta| {
                        functions.values(theta, &self.wanted, &mut self.scratch);
                        self.scratch[job]
                    };
                    let [before, after] = polish(&mut value, guess, guess, over, tolerance);
                    self.found.push((job, before, after, over));
                    side = over;
                }
                let crossed = side != jobs[job].held;
                self.held[job] = if crossed && !all { None } else { Some(side) };
            }
            // What lies behind the first crossing of all is of no interest.
            if !all && !self.found.is_empty() {
                break;
            }
        }
        &self.found
    }
}

/// The polynomial, in powers of u on [0, 1], with these values at the nodes, up to their rounding: of what is a polynomial of
/// lower degree it is that, with derivatives of 0 where that has them.
pub(crate) fn interpolate(values: &[f64; NODES]) -> [f64; NODES] {
    if values.iter().all(|value| *value == values[0]) {
        let mut constant = [0.0; NODES];
        constant[0] = values[0];
        return constant;
    }
    let rounding = f64::EPSILON * values.iter().fold(0.0, |most: f64, c| most.max(c.abs()));
    let mut series = chebyshev(values, 0, 1);
    let is_noise = |c: &&mut f64| c.abs() <= NOISE_OF_SERIES * rounding;
    let noise = series[1..].iter_mut().rev().take_while(is_noise);
    noise.for_each(|c| *c = 0.0);
    let mut coefficients = monomials(&series);
    for c in &mut coefficients[1..] {
        if c.abs() <= NOISE_OF_POWERS * rounding {
            *c = 0.0;
        }
    }
    coefficients
}

/// Nodes, and the weights of their values in each coefficient.
struct Table {
    /// In [0, 1].
    places: [f64; NODES],
    /// Coefficient by node.
    weights: [[f64; NODES]; NODES],
}

#[expect(clippy::cast_precision_loss, reason = "small numbers")]
static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let cosine = |turns: usize| {
        let angle = turns as f64 * std::f64::consts::PI / DEGREE as f64;
        situ_solve::elementary::cos(angle)
    };
    let at_end = |k: usize| k == 0 || k == DEGREE;
    Table {
        places: std::array::from_fn(|node| 0.5 * (1.0 - cosine(node))),
        weights: std::array::from_fn(|k| {
            std::array::from_fn(|node| {
                // Nodes run from -1 to 1.
                let weight = if at_end(node) { 0.5 } else { 1.0 };
                let scale = if at_end(k) { 1.0 } else { 2.0 } / DEGREE as f64;
                weight * scale * cosine((DEGREE - node) * k)
            })
        }),
    }
});

/// The node's place in [0, 1].
pub(crate) fn place(node: usize) -> f64 {
    TABLE.places[node]
}

/// The Chebyshev coefficients of a job's function from its values at the nodes.
fn chebyshev(values: &[f64], job: usize, n: usize) -> [f64; NODES] {
    let weights = &TABLE.weights;
    std::array::from_fn(|k| {
        let values = values.iter().skip(job).step_by(n);
        let terms = weights[k].iter().zip(values);
        terms.map(|(weight, value)| weight * value).sum()
    })
}

fn smooth(series: &[f64; NODES]) -> bool {
    let size = series.iter().fold(0.0_f64, |most, c| most.max(c.abs()));
    let tail = series[DEGREE].abs().max(series[DEGREE - 1].abs());
    !size.is_finite() || tail <= VANISHED * size
}

/// The coefficients in powers of u on [0, 1].
fn monomials(series: &[f64; NODES]) -> [f64; NODES] {
    // Shifted Chebyshev polynomials: T(k+1) = 2 (2u - 1) T(k) - T(k-1).
    let mut sum = [0.0; NODES];
    let mut before = [0.0; NODES];
    let mut now = [0.0; NODES];
    now[0] = 1.0;
    for (k, c) in series.iter().enumerate() {
        for (sum, power) in sum.iter_mut().zip(&now) {
            *sum += c * power;
        }
        let mut next = [0.0; NODES];
        for power in 0..NODES {
            let lower = if power > 0 { now[power - 1] } else { 0.0 };
            let factor = if k == 0 { 1.0 } else { 2.0 };
            next[power] = factor * (2.0 * lower - now[power]) - before[power];
        }
        (before, now) = (now, next);
    }
    sum
}

/// Narrows down a crossing on the function itself: where it has not crossed yet and where it has.
fn polish(
    value: &mut impl FnMut(f64) -> f64,
    guess: [f64; 2],
    limits: [f64; 2],
    to: Side,
    tolerance: f64,
) -> [f64; 2] {
    let crossed = |value: f64| match to {
        Side::Plus => value >= 0.0,
        Side::Minus => value <= 0.0,
    };
    let [mut low, mut high] = guess;
    let mut reach = (high - low).max(tolerance);
    while crossed(value(low)) {
        if low <= limits[0] {
            return [low, low];
        }
        (high, low) = (low, (low - reach).max(limits[0]));
        reach *= 4.0;
    }
    while !crossed(value(high)) {
        if high >= limits[1] {
            return [low, high];
        }
        (low, high) = (high, (high + reach).min(limits[1]));
        reach *= 4.0;
    }
    while high - low > tolerance {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if crossed(value(middle)) {
            high = middle;
        } else {
            low = middle;
        }
    }
    [low, high]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crossings_of_functions_that_are_no_polynomials_are_found() {
        let jobs = [
            Job {
                held: Side::Plus,
                zeros: 0,
            },
            Job {
                held: Side::Minus,
                zeros: 0,
            },
        ];
        let values = |x: f64, into: &mut [f64]| {
            into[0] = (7.0 * x).cos();
            into[1] = x.exp() - 4.0;
        };
        let mut curves = Curves::default();
        let values = &mut Sampled(values);
        let found = curves.search(values, &jobs, &[], 1.0, 1e-15, true).to_vec();
        let roots: Vec<f64> = found.iter().map(|(_, _, at, _)| *at).collect();
        let expected = [1.0, 3.0].map(|k| k * std::f64::consts::FRAC_PI_2 / 7.0);
        assert_eq!(roots.len(), 2, "{found:?}");
        for (root, expected) in roots.iter().zip(expected) {
            assert!((root - expected).abs() < 1e-14, "{root} {expected}");
        }
    }

    #[test]
    fn a_root_at_the_start_is_not_found_again() {
        let jobs = [Job {
            held: Side::Plus,
            zeros: 1,
        }];
        let values = |x: f64, into: &mut [f64]| into[0] = (4.0 * x).sin();
        let mut curves = Curves::default();
        let found = curves.search(&mut Sampled(values), &jobs, &[0.3], 1.0, 1e-15, false);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!((found[0].2 - std::f64::consts::FRAC_PI_4).abs() < 1e-14);
    }
}
