//! Real roots of a polynomial on an interval, isolated by Descartes' rule of signs.
//!
//! The signs of the Bernstein coefficients bound the number of roots from above and have its
//! parity: no variation, no root; one variation, one root. Otherwise the interval is split by de
//! Casteljau's algorithm. A first look is taken in doubles with an error bound; what that cannot
//! decide is done with 32 digits, in which coefficients are exact, so that a double root and two
//! roots 1e-12 apart are told from one another. Source: J. M. Lane, R. F. Riesenfeld, BIT 21 (1981)
//! 112.

use super::coefficients::{power_of_two_near, quick_bernstein, shift, value_and_slope};
use super::dd::{self, Dd};
use super::{Content, Piece, Pieces, Query, Side, to_bernstein};
use crate::dense::horner;
use crate::slices::copy;

/// Memory of the search. A position is `u` in [0, 1] with theta = `from + u * width`.
#[derive(Clone, Debug, Default)]
pub(super) struct Workspace {
    /// The polynomial in u with roots at the start divided out, scaled by a power of two.
    q: Vec<Dd>,
    /// The same in doubles.
    rounded: Vec<f64>,
    /// Roots at the start that were divided out.
    zeros: usize,
    /// Factor by which the polynomial was multiplied.
    scale: f64,
    from: f64,
    width: f64,
    /// The tolerance in u.
    tolerance: f64,
    /// Error bound of values of `q` with 32 digits.
    value_error: f64,
    /// Error bound of its Bernstein coefficients, after as many splits as there can be.
    error: f64,
    /// Ends of the intervals that have not been searched, the leftmost on top.
    boxes: Vec<(f64, f64)>,
    /// Their Bernstein coefficients, in the same order.
    stack: Vec<Dd>,
    /// Coefficients of the interval in hand, and of its left part.
    here: Vec<Dd>,
    left: Vec<Dd>,
    /// Sign at the start in units of the side held there, until it has been compared.
    start_sign: Option<i8>,
    /// Sign of the side held at the start, until that has been left.
    held: Option<i8>,
    /// There is one root and nothing else.
    single: bool,
    /// There is a coefficient that is not finite.
    hopeless: bool,
    /// Sign at the left end of the piece found last.
    before: i8,
}

/// Result of an evaluation of the margin in doubles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Glance {
    /// It stays on its side.
    Nothing,
    /// It has one root.
    Single,
    Unclear,
}

impl Workspace {
    /// Prepares the search. What can be seen to have no crossing has no pieces.
    pub(super) fn pieces(&mut self, coefficients: &[f64], query: &Query) -> &mut Self {
        self.boxes.clear();
        self.stack.clear();
        self.start_sign = None;
        self.held = Some(query.side.sign());
        self.single = false;
        self.hopeless = false;
        (self.from, self.width) = (query.from, query.to - query.from);
        let size: f64 = coefficients.iter().map(|c| c.abs()).sum();
        if size == 0.0 || !(query.from < query.to) {
            return self;
        }
        if !size.is_finite() {
            self.hopeless = true;
            return self;
        }
        if query.from == 0.0 && keeps_away(coefficients, query.side, query.zeros, query.to) {
            return self;
        }
        let whole = query.from == 0.0 && query.to == 1.0;
        let glance = if query.from == 0.0 && query.to <= 1.0 {
            self.glance(coefficients, size, query)
        } else {
            Glance::Unclear
        };
        if glance != Glance::Nothing {
            self.prepare(coefficients, size, query, whole);
            self.single = glance == Glance::Single;
            if !self.single && !self.q.is_empty() {
                copy(&mut self.here, &self.q);
                to_bernstein(&mut self.here, |c, binomial| c.over(binomial));
                self.boxes.push((0.0, 1.0));
                self.stack.extend_from_slice(&self.here);
            }
        }
        self
    }

    /// A test of the Bernstein coefficients in doubles, which is enough most of the time.
    fn glance(&mut self, coefficients: &[f64], size: f64, query: &Query) -> Glance {
        let b = &mut self.rounded;
        copy(b, &coefficients[query.zeros.min(coefficients.len())..]);
        if query.to != 1.0 {
            let mut power = 1.0;
            for b in b.iter_mut() {
                *b *= power;
                power *= query.to;
            }
        }
        quick_bernstein(b);
        let error = 4.0 * (b.len() as f64 + 2.0) * f64::EPSILON * size;
        let held = f64::from(query.side.sign());
        let (mut least, mut variations, mut last) = (f64::INFINITY, 0, 1.0);
        // A start on the other side is a root of its own.
        let mut certain = b.first().is_some_and(|first| held * first > 0.0);
        for b in b {
            let b = held * *b;
            least = least.min(b);
            certain &= b.abs() > error;
            variations += usize::from(b * last < 0.0);
            last = b;
        }
        if least > error || (query.noise > 0.0 && least >= -query.noise) {
            Glance::Nothing
        } else if certain && variations == 1 {
            Glance::Single
        } else {
            Glance::Unclear
        }
    }

    fn prepare(&mut self, coefficients: &[f64], size: f64, query: &Query, whole: bool) {
        self.tolerance = (query.tolerance / self.width).max(f64::EPSILON);
        self.scale = power_of_two_near(size);
        let scale = self.scale;
        self.q.clear();
        self.q
            .extend(coefficients.iter().map(|&c| Dd::from(c * scale)));
        let mut shifted_error = 0.0;
        if !whole {
            shift(
                &mut self.q,
                query.from,
                Dd::difference(query.to, query.from),
            );
            shifted_error = dd::EPSILON * 8.0 * (self.q.len() * self.q.len()) as f64;
        }
        // Roots at the start: those that are known, and a constant that is zero anyway.
        let mut zeros = query.zeros.min(self.q.len());
        while zeros < self.q.len() && self.q[zeros].sign(shifted_error) == 0 {
            zeros += 1;
        }
        self.q.drain(..zeros);
        self.zeros = zeros;
        let Some(start) = self.q.first() else { return };
        self.start_sign = Some(start.sign(shifted_error) * query.side.sign());

        let n = self.q.len();
        self.value_error = shifted_error + dd::EPSILON * (n * n) as f64;
        self.error = shifted_error + dd::EPSILON * 64.0 * n as f64;
        self.rounded.clear();
        self.rounded.extend(self.q.iter().map(|c| c.hi));
    }

    /// Sign of `q`, 0 if rounding decides.
    fn sign_at(&self, u: f64) -> i8 {
        let quick = horner(&self.rounded, u);
        // The rounded coefficients and Horner's scheme are each wrong by a few units.
        let n = self.rounded.len() as f64;
        if quick.abs() > 4.0 * n * f64::EPSILON {
            return if quick > 0.0 { 1 } else { -1 };
        }
        Dd::from(self.value_at(u)).sign(self.value_error)
    }

    fn value_at(&self, u: f64) -> f64 {
        dd::horner(self.q.iter().copied(), u)
    }

    /// A root of the parabola that is close to the polynomial near 0, if it lies between `a` and `b`; else
    /// the middle.
    fn first_guess(&self, a: f64, b: f64) -> f64 {
        if let [c, slope, bow, ..] = self.rounded[..] {
            let half = -0.5 * (slope + (slope * slope - 4.0 * bow * c).sqrt().copysign(slope));
            let inside = |x: &f64| *x > a && *x < b;
            if let Some(x) = [c / half, half / bow].into_iter().find(inside) {
                return x;
            }
        }
        0.5 * (a + b)
    }

    /// Content of the interval whose coefficients are in `here`; `None`: it has to be split.
    fn judge(&self, (a, b): (f64, f64)) -> Option<Option<Content>> {
        let signs = || self.here.iter().map(|c| c.sign(self.error));
        let (mut least, mut most) = (0, 0);
        let (mut certain, mut worst) = (0, 0);
        for sign in signs() {
            if sign != 0 {
                least += usize::from(sign == -certain);
                certain = sign;
            }
            // An uncertain sign may vary against the one before it.
            let sign = if sign == 0 { -worst } else { sign };
            most += usize::from(sign != 0 && sign == -worst);
            worst = sign;
        }
        match (least, most) {
            (_, 0) => return Some(None),
            (1, 1) => return Some(Some(Content::Odd)),
            _ => {}
        }
        if b - a > self.tolerance {
            return None;
        }
        Some(self.judge_by_ends(a, b))
    }

    /// True if the margin's excess on the held side at the start is below all digits, and it is on the other
    /// side from there on: the root lies at the start.
    fn turns_at_once(&self) -> bool {
        let uncertain = self.here[0].sign(self.error) == 0;
        let other = |held: i8| self.here.iter().any(|c| c.sign(self.error) == -held);
        uncertain && self.held.is_some_and(other)
    }

    /// Of an interval in which roots are not told apart.
    fn judge_by_ends(&self, a: f64, b: f64) -> Option<Content> {
        let first = self.here[0].sign(self.error);
        let last = self.here[self.here.len() - 1].sign(self.error);
        if last == 0 {
            // Only the end of the search can be that; what comes after decides.
            None
        } else if first == -last {
            Some(Content::Odd)
        } else {
            let crosses = self.sign_at(self.extremum(a, b)) == -last;
            Some(if crosses {
                Content::Undecided
            } else {
                Content::Touch
            })
        }
    }

    /// The place between `a` and `b` where Newton's method makes the slope vanish.
    fn extremum(&self, a: f64, b: f64) -> f64 {
        let mut x = 0.5 * (a + b);
        for _ in 0..20 {
            let (mut value, mut slope, mut half_curvature) = (0.0, 0.0, 0.0);
            for c in self.rounded.iter().rev() {
                half_curvature = half_curvature * x + slope;
                slope = slope * x + value;
                value = value * x + c;
            }
            let next = (x - slope / (2.0 * half_curvature)).clamp(a, b);
            if next.is_nan() || next == x {
                break;
            }
            x = next;
        }
        x
    }

    /// Splits the interval in hand where the sign is certain, and leaves both parts on the stack.
    fn split(&mut self, (a, b): (f64, f64)) -> bool {
        let n = self.here.len();
        for sixteenth in [8.0, 7.0, 9.0, 6.0, 10.0, 5.0, 11.0, 4.0, 12.0] {
            let part = sixteenth / 16.0;
            let middle = a + part * (b - a);
            if !(middle > a && middle < b) {
                return false;
            }
            self.left.clear();
            let first = self.stack.len();
            self.stack.extend_from_slice(&self.here);
            // De Casteljau: what stays in place is the right part, the leading ones are the left.
            let right = &mut self.stack[first..];
            self.left.push(right[0]);
            for level in 1..n {
                for i in 0..n - level {
                    right[i] = right[i] + (right[i + 1] - right[i]) * part;
                }
                self.left.push(right[0]);
            }
            if right[0].sign(self.error) != 0 {
                self.boxes.push((middle, b));
                self.boxes.push((a, middle));
                self.stack.extend_from_slice(&self.left);
                return true;
            }
            self.stack.truncate(first);
        }
        false
    }
}

impl Pieces for Workspace {
    fn next(&mut self) -> Option<Piece> {
        if self.start_sign.take() == Some(-1) {
            self.held = None;
            return Some(Piece {
                a: 0.0,
                b: 0.0,
                content: Content::AtStart,
            });
        }
        if std::mem::take(&mut self.hopeless) {
            return Some(Piece {
                a: 0.0,
                b: 1.0,
                content: Content::Undecided,
            });
        }
        if std::mem::take(&mut self.single) {
            self.before = self.sign_at(0.0);
            return Some(Piece {
                a: 0.0,
                b: 1.0,
                content: Content::Odd,
            });
        }
        let n = self.q.len();
        while let Some(ends) = self.boxes.pop() {
            let first = self.stack.len() - n;
            self.here.clear();
            self.here.extend_from_slice(&self.stack[first..]);
            self.stack.truncate(first);
            let content = match self.judge(ends) {
                Some(None) if ends.0 == 0.0 && self.turns_at_once() => Some(Content::AtStart),
                Some(content) => content,
                None if self.split(ends) => continue,
                // Zero to 32 digits wherever one looks: a root of high order.
                None => self.judge_by_ends(ends.0, ends.1),
            };
            if let Some(content) = content {
                self.before = self.here[0].sign(self.error);
                if content == Content::AtStart {
                    self.held = None;
                    return Some(Piece {
                        a: 0.0,
                        b: 0.0,
                        content,
                    });
                }
                return Some(Piece {
                    a: ends.0,
                    b: ends.1,
                    content,
                });
            }
        }
        None
    }

    fn locate(&mut self, piece: &Piece, _sign: i8) -> (f64, f64) {
        let (mut a, mut b) = (piece.a, piece.b);
        let before = self.before;
        // Newton's method in doubles, kept between the ends, until rounding stops it...
        let mut x = self.first_guess(a, b);
        let noise = 4.0 * self.rounded.len() as f64 * f64::EPSILON;
        for _ in 0..60 {
            let (value, slope) = value_and_slope(&self.rounded, x);
            if value.abs() <= noise {
                break;
            }
            if (value > 0.0) == (before > 0) {
                a = x;
            } else {
                b = x;
            }
            let newton = x - value / slope;
            let next = if newton > a && newton < b {
                newton
            } else {
                0.5 * (a + b)
            };
            let moved = (next - x).abs();
            x = next;
            if moved <= 0.25 * self.tolerance || b - a <= self.tolerance {
                break;
            }
        }
        // ...once more with 32 digits...
        let correction = self.value_at(x) / value_and_slope(&self.rounded, x).1;
        if x - correction > a && x - correction < b {
            x -= correction;
        }
        // ...and then signs are asked on both sides of it, further and further away.
        for direction in [-1.0, 1.0] {
            // From the last place on: on a bracket this narrow the margin is rounding at both ends.
            let mut reach = f64::EPSILON * x.max(0.125);
            loop {
                let probe = x + direction * reach;
                if !(probe > a && probe < b) {
                    break;
                }
                let crossed = self.sign_at(probe) == -before;
                if crossed {
                    b = probe
                } else {
                    a = probe
                }
                if crossed == (direction > 0.0) {
                    break;
                }
                reach *= 8.0;
            }
        }
        while b - a > self.tolerance {
            let middle = 0.5 * (a + b);
            if !(middle > a && middle < b) {
                break;
            }
            if self.sign_at(middle) == -before {
                b = middle
            } else {
                a = middle
            }
        }
        (self.theta(a), self.theta(b))
    }

    fn theta(&self, position: f64) -> f64 {
        self.from + position * self.width
    }

    fn is_deeper(&mut self, from: f64, to: f64, than: f64) -> bool {
        let sample = |k: u32| {
            let theta = from + (to - from) * f64::from(k) / 8.0;
            let u = (theta - self.from) / self.width;
            let divided_out = (0..self.zeros).fold(1.0, |product, _| product * u);
            (horner(&self.rounded, u) * divided_out).abs() / self.scale
        };
        (1..=8).rev().any(|k| sample(k) > than)
    }
}

/// True if the first coefficient of a polynomial that is not known to vanish outweighs all others, on the
/// side held: then there is no crossing between 0 and `to`.
///
/// Shapes: `coefficients`: of the powers of theta, constant first. `zeros`: how many of them vanish.
pub fn keeps_away(coefficients: &[f64], side: Side, zeros: usize, to: f64) -> bool {
    let n = coefficients.len();
    if zeros >= n {
        return false;
    }
    let first = coefficients[zeros] * f64::from(side.sign());
    let size: f64 = coefficients.iter().map(|c| c.abs()).sum();
    let rest = coefficients[zeros + 1..].iter().rev();
    let rest = rest.fold(0.0, |sum, c| (sum + c.abs()) * to);
    let error = 4.0 * (n as f64 + 2.0) * f64::EPSILON * size * to.max(1.0);
    first > rest + error
}
