//! Roots of a margin that is not a polynomial, isolated by bounds of its derivatives.
//!
//! A piece on which the margin has one sign holds no root; on one where its slope has, the signs at
//! the ends tell; on one where its curvature has, there are at most two roots on both sides of one
//! extremum, whose value tells. All other pieces are halved. The bounds come from the margin itself
//! ([`Indicator`]) and are narrowed by Taylor's formula around the middle. Source: R. E. Moore, R.
//! B. Kearfott, M. J. Cloud, Introduction to Interval Analysis, 2009, chapters 6 and 8.

use super::{Content, Piece, Pieces, Query};
use crate::interval::Interval;

/// A margin along one step.
pub trait Indicator {
    /// Bounds over a piece of the step; over a single point (an interval of width 0) as narrow as
    /// rounding permits.
    fn enclose(&mut self, theta: Interval) -> Enclosure;

    /// The value at a point, in doubles.
    fn value(&mut self, theta: f64) -> f64;
}

/// Bounds of a margin and its derivatives with respect to theta over a piece of the step.
///
/// A bound that is not known is [`Interval::ENTIRE`]; the search then needs more pieces, or gives up.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Enclosure {
    /// The value.
    pub value: Interval,
    /// The first derivative.
    pub slope: Interval,
    /// The second derivative.
    pub curvature: Interval,
}

/// Known roots at the start that can be divided out: of so many derivatives there are bounds.
const MOST_DIVIDED: usize = 2;

/// Places ahead of a point at which is seen whether a margin jumps there [tolerances of the search].
pub const AHEAD: [f64; 2] = [64.0, 4096.0];

/// True if a margin grows like one that comes from 0 between the two places ahead ([`AHEAD`]); one that comes from a pole
/// falls, and one that has jumped stays as it is.
pub fn has_grown([near, far]: [f64; 2]) -> bool {
    !(far.abs() <= 2.0 * near.abs())
}

/// True if a margin falls from a pole between the two places ahead. One that is 0 there has not fallen.
pub fn falls([near, far]: [f64; 2]) -> bool {
    far.is_finite() && far != 0.0 && near.abs() >= 2.0 * far.abs()
}

/// Enclosures spent on one search before the rest is called undecided, and more for each root that is found, up to so many.
const BUDGET: usize = 4000;
const PER_ROOT: usize = 64;
const MOST_ROOTS: usize = 100_000;

/// A piece that has not been searched. Its signs at inner ends are certain.
#[derive(Clone, Copy, Debug)]
struct Open {
    a: f64,
    b: f64,
    /// Roots known to lie at `a`.
    zeros: usize,
    /// Signs at the ends; at a known root that of the side held, at the end of the search 0 if
    /// rounding decides.
    signs: (i8, i8),
}

/// Memory of the search.
#[derive(Clone, Debug, Default)]
pub(super) struct Workspace {
    /// The leftmost on top.
    open: Vec<Open>,
    budget: usize,
    /// Roots for which the budget is not larger yet.
    more: usize,
    tolerance: f64,
    noise: f64,
    /// The start, if it is left to the side that is not held.
    wrong_start: Option<f64>,
}

/// A search under way.
pub(super) struct Search<'a, I> {
    work: &'a mut Workspace,
    indicator: &'a mut I,
}

/// Verdict on a piece.
enum Verdict {
    Empty,
    Holds(Content),
    /// Leaves `a` to the side that is not held.
    LeavesWrongly,
    /// No root but near this point, where an extremum is zero as far as rounding can tell.
    TouchAt(f64),
    SplitAt(f64),
}

impl Workspace {
    pub(super) fn pieces<'a, I: Indicator>(
        &'a mut self,
        indicator: &'a mut I,
        query: &Query,
    ) -> Search<'a, I> {
        self.open.clear();
        self.wrong_start = None;
        (self.budget, self.more) = (BUDGET, MOST_ROOTS);
        self.tolerance = query.tolerance.max(f64::EPSILON);
        self.noise = query.noise;
        let mut search = Search {
            work: self,
            indicator,
        };
        if query.from < query.to {
            search.begin(query);
        }
        search
    }
}

impl<I: Indicator> Search<'_, I> {
    fn begin(&mut self, query: &Query) {
        let (mut from, to, held) = (query.from, query.to, query.side.sign());
        let bounds = self.enclose(Interval::new(from, to));
        let whole = [bounds.value, bounds.slope, bounds.curvature];
        // The margin with its known roots divided out has the sign of this derivative.
        let quotient = whole.get(query.zeros).map_or(0, |bounds| sign_of(*bounds));
        if quotient == held || bounds.value.magnitude() <= self.work.noise {
            return;
        }
        let mut start = held;
        if query.zeros == 0 {
            let sign = self.sign_at(from);
            let beyond = (sign != held).then(|| self.behind_jump(from, to, held));
            if let Some(beyond) = beyond.flatten() {
                from = beyond;
            } else if sign == -held {
                self.work.wrong_start = Some(from);
                start = -held;
            }
        }
        let (mut a, mut b) = (from, to);
        match [from, to].map(|theta| is_defined(self.at(theta).value)) {
            [true, false] => b = self.last_defined(from, to),
            [false, true] => {
                a = self.last_defined(to, from);
                // It begins on the side of its value there.
                if self.sign_at(a) == -held {
                    self.work.wrong_start = Some(a);
                    start = -held;
                }
            }
            _ => {}
        }
        let signs = (start, self.sign_at(b));
        self.work.open.push(Open {
            a,
            b,
            zeros: query.zeros,
            signs,
        });
    }

    /// Where a search begins that starts at a jump of the margin to the side that is held, if it does: rounding may have left
    /// the start before it, or on a pole.
    fn behind_jump(&mut self, from: f64, to: f64, held: i8) -> Option<f64> {
        if self.indicator.value(from).is_nan() {
            return None;
        }
        let places = AHEAD.map(|many| from + many * self.work.tolerance);
        let values = places.map(|place| self.indicator.value(place));
        let is_held = |value: f64| value * f64::from(held) > 0.0;
        let is_behind = places[1] < to && values.into_iter().all(is_held);
        (is_behind && !has_grown(values)).then_some(places[0])
    }

    /// The last place, on the way from one place to another, up to which the margin is defined: beyond it the bounds say
    /// nothing of its sign, and must not be read as if rounding hid it.
    fn last_defined(&mut self, from: f64, to: f64) -> f64 {
        let (mut defined, mut beyond) = (from, to);
        while (beyond - defined).abs() > self.work.tolerance {
            let middle = 0.5 * (defined + beyond);
            if middle == defined || middle == beyond {
                break;
            }
            match is_defined(self.at(middle).value) {
                true => defined = middle,
                false => beyond = middle,
            }
        }
        defined
    }

    fn enclose(&mut self, theta: Interval) -> Enclosure {
        self.work.budget = self.work.budget.saturating_sub(1);
        self.indicator.enclose(theta)
    }

    fn at(&mut self, theta: f64) -> Enclosure {
        self.enclose(Interval::point(theta))
    }

    fn sign_at(&mut self, theta: f64) -> i8 {
        sign_of(self.at(theta).value)
    }

    fn judge(&mut self, piece: &Open) -> Verdict {
        let theta = Interval::new(piece.a, piece.b);
        let bounds = self.enclose(theta);
        if bounds.value.magnitude() <= self.work.noise {
            return Verdict::Empty;
        }
        if piece.zeros > 0 {
            return self.judge_start(piece, theta, &bounds);
        }
        if sign_of(bounds.value) != 0 {
            return Verdict::Empty;
        }
        if sign_of(bounds.slope) != 0 {
            return monotone(piece);
        }
        // Taylor's formula around the middle is narrower on short pieces.
        let middle = theta.mid();
        let at_middle = self.at(middle);
        let away = theta - Interval::point(middle);
        let half_square = away.square() * Interval::point(0.5);
        let slope = bounds
            .slope
            .intersect(at_middle.slope + bounds.curvature * away);
        let change =
            (slope * away).intersect(at_middle.slope * away + bounds.curvature * half_square);
        if sign_of(at_middle.value + change) != 0 {
            return Verdict::Empty;
        }
        if sign_of(slope) != 0 {
            return monotone(piece);
        }
        if sign_of(bounds.curvature) != 0 && piece.signs.1 != 0 {
            return self.judge_bow(piece, bounds.curvature);
        }
        if piece.b - piece.a <= self.work.tolerance {
            return by_ends(piece);
        }
        Verdict::SplitAt(middle)
    }

    /// Of a piece that starts on a root: what remains when it is divided out.
    fn judge_start(&mut self, piece: &Open, theta: Interval, bounds: &Enclosure) -> Verdict {
        let away = theta - Interval::point(piece.a);
        let half = Interval::point(0.5);
        let quotient = match piece.zeros {
            1 => {
                let at_start = self.at(piece.a);
                bounds
                    .slope
                    .intersect(at_start.slope + bounds.curvature * half * away)
            }
            2 => bounds.curvature * half,
            _ => Interval::ENTIRE,
        };
        let (held, end) = piece.signs;
        match sign_of(quotient) {
            0 if piece.b - piece.a > self.work.tolerance => Verdict::SplitAt(theta.mid()),
            // So near the root nothing more is known: it stays where it is held unless the end says
            // otherwise.
            0 if end == -held => Verdict::LeavesWrongly,
            0 => Verdict::Empty,
            // At the end its value is certainly on the side held: it has only lost some of what rounding had
            // left of it at the start.
            sign if sign == held || end == held => Verdict::Empty,
            _ => Verdict::LeavesWrongly,
        }
    }

    /// Of a piece on which the curvature has one sign, the signs at the ends being certain.
    fn judge_bow(&mut self, piece: &Open, curvature: Interval) -> Verdict {
        let bow = sign_of(curvature);
        if piece.signs.0 != piece.signs.1 {
            return Verdict::Holds(Content::Odd);
        }
        if piece.signs.0 != bow {
            return Verdict::Empty;
        }
        // It comes nearest to zero where its slope vanishes; there is such a place inside, or the
        // search for it ends at an end.
        let least = curvature.abs().lo();
        let (mut left, mut right) = (piece.a, piece.b);
        let mut x = 0.5 * (left + right);
        loop {
            let at = self.at(x);
            if sign_of(at.value) == -bow {
                return Verdict::SplitAt(x);
            }
            // Nowhere does the bow come nearer to zero than this.
            let nearer = at.slope.square() / Interval::point(2.0 * least);
            let nearest = if bow > 0 {
                at.value - nearer
            } else {
                at.value + nearer
            };
            if sign_of(nearest) == bow {
                return Verdict::Empty;
            }
            let uphill = sign_of(at.slope) * bow;
            match uphill {
                0 => return Verdict::TouchAt(x),
                1 => right = x,
                _ => left = x,
            }
            // Newton's step on the slope, or halving.
            let newton = x - at.slope.mid() / at.curvature.intersect(curvature).mid();
            let next = if newton > left && newton < right {
                newton
            } else {
                0.5 * (left + right)
            };
            if !(next > left && next < right) || self.work.budget == 0 {
                return Verdict::TouchAt(x);
            }
            x = next;
        }
    }

    /// Puts both parts of a piece back, split near `point` where the sign is certain. False if it
    /// is nowhere.
    fn split(&mut self, piece: &Open, point: f64) -> bool {
        let width = piece.b - piece.a;
        for shift in [0.0, 0.0625, -0.0625, 0.15625, -0.15625, 0.3, -0.3] {
            let at = point + shift * width;
            if at > piece.a && at < piece.b {
                let sign = self.sign_at(at);
                if sign != 0 {
                    let right = Open {
                        a: at,
                        zeros: 0,
                        signs: (sign, piece.signs.1),
                        ..*piece
                    };
                    let left = Open {
                        b: at,
                        signs: (piece.signs.0, sign),
                        ..*piece
                    };
                    self.work.open.extend([right, left]);
                    return true;
                }
            }
        }
        false
    }
}

/// Of a piece on which the margin is monotone.
fn monotone(piece: &Open) -> Verdict {
    // With an uncertain end there is no root before it, or one that rounding hides there; what
    // comes after decides.
    if piece.signs.0 == -piece.signs.1 {
        Verdict::Holds(Content::Odd)
    } else {
        Verdict::Empty
    }
}

/// Of a piece on which nothing more can be found out.
fn by_ends(piece: &Open) -> Verdict {
    match piece.signs {
        (_, 0) => Verdict::Empty,
        (first, last) if first == last => Verdict::Holds(Content::Undecided),
        _ => Verdict::Holds(Content::Odd),
    }
}

/// True if the value at a point is a number, be it too large for one.
fn is_defined(value: Interval) -> bool {
    !value.is_empty() && (value.magnitude().is_finite() || sign_of(value) != 0)
}

fn sign_of(bounds: Interval) -> i8 {
    if bounds.is_empty() {
        return 0;
    }
    i8::from(bounds.is_positive()) - i8::from(bounds.is_negative())
}

impl<I: Indicator> Pieces for Search<'_, I> {
    fn next(&mut self) -> Option<Piece> {
        if let Some(from) = self.work.wrong_start.take() {
            return Some(Piece {
                a: from,
                b: from,
                content: Content::AtStart,
            });
        }
        while let Some(open) = self.work.open.pop() {
            let (a, b) = (open.a, open.b);
            let mut verdict = Verdict::SplitAt(0.5 * (a + b));
            if self.work.budget > 0 {
                verdict = self.judge(&open);
            }
            if matches!(verdict, Verdict::Holds(Content::Odd)) && self.work.more > 0 {
                self.work.more -= 1;
                self.work.budget += PER_ROOT;
            }
            if let Verdict::SplitAt(point) = verdict {
                if self.work.budget > 0 && self.split(&open, point) {
                    continue;
                }
                let hidden = self.work.budget > 0 && open.zeros > MOST_DIVIDED;
                verdict = match by_ends(&open) {
                    // Rounding hides which way a root is left that cannot be divided out: it stays where it is held.
                    Verdict::Empty | Verdict::Holds(Content::Undecided) if hidden => Verdict::Empty,
                    Verdict::Holds(Content::Odd) => Verdict::Holds(Content::UndecidedOdd),
                    Verdict::Empty => Verdict::Holds(Content::Undecided),
                    other => other,
                };
            }
            match verdict {
                Verdict::Empty | Verdict::SplitAt(_) => {}
                Verdict::Holds(content) => return Some(Piece { a, b, content }),
                Verdict::LeavesWrongly => {
                    return Some(Piece {
                        a,
                        b: a,
                        content: Content::AtStart,
                    });
                }
                Verdict::TouchAt(x) => {
                    let reach = 0.5 * self.work.tolerance;
                    let (a, b) = (a.max(x - reach), b.min(x + reach));
                    return Some(Piece {
                        a,
                        b,
                        content: Content::Touch,
                    });
                }
            }
        }
        None
    }

    /// By the method of Oliveira and Takahashi (ACM Transactions on Mathematical Software 47 (2020)
    /// 5): never slower than halving but for one evaluation, in general as fast as the secant.
    fn locate(&mut self, piece: &Piece, sign: i8) -> (f64, f64) {
        let sign = f64::from(sign);
        let (mut a, mut b) = (piece.a, piece.b);
        let mut ahead = sign * self.indicator.value(a);
        let mut behind = sign * self.indicator.value(b);
        let tolerance = self.work.tolerance;
        let truncation = 0.2 / (b - a);
        let mut room = tolerance;
        while room < b - a {
            room *= 2.0;
        }
        while b - a > tolerance {
            let middle = 0.5 * (a + b);
            let mut x = middle;
            if ahead > 0.0 && behind < 0.0 {
                let secant = (ahead * b - behind * a) / (ahead - behind);
                let toward = if middle > secant { 1.0 } else { -1.0 };
                let moved = (truncation * (b - a) * (b - a)).min((middle - secant).abs());
                let truncated = secant + toward * moved;
                let reach = (room - 0.5 * (b - a)).max(0.0);
                x = if (truncated - middle).abs() <= reach {
                    truncated
                } else {
                    middle - toward * reach
                };
            }
            if !(x > a && x < b) {
                x = middle;
                if !(x > a && x < b) {
                    break;
                }
            }
            let value = sign * self.indicator.value(x);
            // What is not a number is treated as beyond the border.
            if value >= 0.0 {
                (a, ahead) = (x, value);
            } else {
                (b, behind) = (x, value);
            }
            room *= 0.5;
        }
        (a, b)
    }

    fn theta(&self, position: f64) -> f64 {
        position
    }

    fn is_deeper(&mut self, from: f64, to: f64, than: f64) -> bool {
        let mut at = |k: u32| {
            self.indicator
                .value(from + (to - from) * f64::from(k) / 8.0)
        };
        (1..=8).rev().any(|k| at(k).abs() > than)
    }
}
