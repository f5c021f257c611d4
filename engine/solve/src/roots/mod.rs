//! Roots of margins inside one step.
//!
//! A margin is a function of theta in [0, 1] whose sign says on which side of a border the state
//! is: a polynomial if the border is an affine function of the state (composed with
//! [`super::Dense`]), else an [`Indicator`] that can bound itself and its derivatives over a piece
//! of the step. Both are searched by one [`RootFinder`], and the answer does not depend on
//! sampling: every crossing is isolated by a proof (sign variations of Bernstein coefficients;
//! bounds of derivatives), or its place is reported as undecidable.
//!
//! A crossing is a change from the [`Side`] that is *held*, not from the sign that a
//! rounded value shows: a root that is known to lie at the start is divided out ([`Query::zeros`]).

mod coefficients;
mod dd;
mod enclosure;
mod polynomial;
mod smooth;

use super::Dense;
use crate::interval::Interval;

pub use enclosure::enclose as enclose_polynomial;
pub use polynomial::keeps_away;
pub use smooth::{AHEAD, Enclosure, Indicator, falls, has_grown};

/// A side of a border.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Side {
    /// The margin is negative.
    Minus,
    /// The margin is positive.
    Plus,
}

impl Side {
    /// The other one.
    #[inline]
    pub fn other(self) -> Self {
        match self {
            Self::Minus => Self::Plus,
            Self::Plus => Self::Minus,
        }
    }

    /// The side of a value that is not zero.
    #[inline]
    pub fn of(value: f64) -> Option<Self> {
        if value > 0.0 {
            Some(Self::Plus)
        } else if value < 0.0 {
            Some(Self::Minus)
        } else {
            None
        }
    }

    #[inline]
    fn sign(self) -> i8 {
        match self {
            Self::Minus => -1,
            Self::Plus => 1,
        }
    }
}

/// Range of a search, and facts that are known before it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Query {
    /// Start of the search (theta).
    pub from: f64,
    /// End of the search (theta). A root at the end itself is not reported: what comes after
    /// decides about it.
    pub to: f64,
    /// The side held at the start.
    pub side: Side,
    /// Order of the margin's zero at the start, by knowledge and not by value: 0 off the border,
    /// 1 on it, 2 if its first derivative vanishes too. The side is then the one to which it
    /// leaves.
    pub zeros: usize,
    /// True if it is known from elsewhere that the margin leaves the start to `side`. Where it first strays to
    /// the other one and comes back, that is an error of the dense output, whose slope at the start is not
    /// the rate under every method, and no crossing.
    pub leaves: bool,
    /// Values up to this size are rounding. An excursion to the other side that stays below is no
    /// crossing.
    pub noise: f64,
    /// Width to which roots are located, and below which crossings are not told apart (theta).
    pub tolerance: f64,
}

impl Query {
    /// The whole step, off the border, located to a few units in the last place of `max(|t|, h)`.
    #[inline]
    pub fn whole(dense: &Dense, side: Side) -> Self {
        Self {
            from: 0.0,
            to: 1.0,
            side,
            zeros: 0,
            leaves: false,
            noise: 0.0,
            tolerance: Self::tolerance_of(dense),
        }
    }

    /// Four units in the last place of `max(|t|, h)`, as a part of the step.
    #[inline]
    pub fn tolerance_of(dense: &Dense) -> f64 {
        let size = dense.t0().abs().max(dense.t1().abs()).max(dense.h());
        4.0 * f64::EPSILON * size / dense.h()
    }
}

/// A root, or what cannot be told from one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Root {
    /// The margin has not crossed here yet.
    pub lo: f64,
    /// And here it has; for a touch, it is back.
    pub hi: f64,
    /// Behaviour between them.
    pub kind: RootKind,
}

/// Behaviour of a margin at a root.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RootKind {
    /// It changes to this side.
    Crossing(Side),
    /// It comes to zero, as far as rounding can tell, and stays on its side.
    Touch,
    /// It may cross twice within the tolerance or the noise, or the search was given up here.
    Marginal,
}

/// Searches margins for roots; keeps its workspace.
#[derive(Clone, Debug, Default)]
pub struct RootFinder {
    polynomial: polynomial::Workspace,
    smooth: smooth::Workspace,
    found: Vec<Root>,
}

impl RootFinder {
    /// Finds the first crossing of a polynomial margin.
    ///
    /// Shapes: `coefficients`: of the powers of theta, constant first, any number.
    /// Result: the first crossing in (`from`, `to`), or at `from` if the margin leaves to the other
    ///         side than the one held. Touches and undecided places before it are in
    ///         [`RootFinder::notes`].
    /// Misses: excursions below `noise`, and crossings closer to one another than `tolerance` that
    ///         come back to the side held; both are reported as [`RootKind::Marginal`], or not at
    ///         all if the whole margin is noise.
    /// Cost:   one conversion to Bernstein form if that shows no crossing or a single one; no
    ///         allocation after the first calls.
    ///
    /// ```
    /// use situ_solve::roots::{Query, RootFinder, RootKind, Side};
    ///
    /// // A ball leaves the floor at theta = 0 and is back at theta = 0.25.
    /// let height = [0.0, 1.0, -4.0];
    /// let query = Query {
    ///     from: 0.0,
    ///     to: 1.0,
    ///     side: Side::Plus,
    ///     zeros: 1,
    ///     leaves: true,
    ///     noise: 0.0,
    ///     tolerance: 1e-15,
    /// };
    /// let root = RootFinder::default().first_crossing(&height, &query).unwrap();
    /// assert_eq!(root.kind, RootKind::Crossing(Side::Minus));
    /// assert!(root.lo <= 0.25 && 0.25 <= root.hi && root.hi - root.lo < 1e-15);
    /// ```
    pub fn first_crossing(&mut self, coefficients: &[f64], query: &Query) -> Option<Root> {
        self.found.clear();
        let pieces = self.polynomial.pieces(coefficients, query);
        search(pieces, query, &mut self.found, true)
    }

    /// Finds all roots of a polynomial margin, in their order: what [`RootFinder::first_crossing`]
    /// finds, and the same again on the other side, to the end.
    pub fn all(&mut self, coefficients: &[f64], query: &Query) -> &[Root] {
        self.found.clear();
        let pieces = self.polynomial.pieces(coefficients, query);
        search(pieces, query, &mut self.found, false);
        &self.found
    }

    /// Finds the first crossing of a margin that is not a polynomial, as
    /// [`RootFinder::first_crossing`].
    ///
    /// Misses: as there. Places where the bounds are too wide to decide are reported as
    ///         [`RootKind::Marginal`], with the crossing between if the signs at their ends differ.
    /// Cost:   a few enclosures; never more than some thousands.
    pub fn first_crossing_of<I: Indicator>(
        &mut self,
        indicator: &mut I,
        query: &Query,
    ) -> Option<Root> {
        self.found.clear();
        let mut pieces = self.smooth.pieces(indicator, query);
        search(&mut pieces, query, &mut self.found, true)
    }

    /// Finds all roots of a margin that is not a polynomial, as [`RootFinder::all`].
    pub fn all_of<I: Indicator>(&mut self, indicator: &mut I, query: &Query) -> &[Root] {
        self.found.clear();
        let mut pieces = self.smooth.pieces(indicator, query);
        search(&mut pieces, query, &mut self.found, false);
        &self.found
    }

    /// Touches and undecided places that the last search for a first crossing met before it.
    #[inline]
    pub fn notes(&self) -> &[Root] {
        &self.found
    }
}

/// A piece of the step with roots in it. Its position is in the coordinate of whoever found it.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Piece {
    a: f64,
    b: f64,
    content: Content,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Content {
    /// Leaves the start to the other side.
    AtStart,
    /// Signs at the ends differ; one root, or several that are not told apart.
    Odd,
    /// Comes to zero without a change of sign.
    Touch,
    /// Undecided, with equal signs at the ends.
    Undecided,
    /// Undecided, and then a change of sign.
    UndecidedOdd,
}

/// The pieces of one margin, from left to right.
trait Pieces {
    fn next(&mut self) -> Option<Piece>;

    /// Narrows the piece down to the root where the sign changes from `sign`. In theta.
    fn locate(&mut self, piece: &Piece, sign: i8) -> (f64, f64);

    /// Theta at a position.
    fn theta(&self, position: f64) -> f64;

    /// True if the margin's size is above a number somewhere between two values of theta, as far as
    /// eight points tell.
    fn is_deeper(&mut self, from: f64, to: f64, than: f64) -> bool;
}

/// Turns pieces into roots. Returns the first crossing; appends the others, and with `first_only`
/// unset it too.
fn search<P: Pieces>(
    pieces: &mut P,
    query: &Query,
    found: &mut Vec<Root>,
    first_only: bool,
) -> Option<Root> {
    let mut side = query.side;
    let mut first = None;
    // A crossing of which it is not known yet whether the excursion after it is deeper than the
    // noise.
    let mut pending: Option<Root> = None;
    // Whether it is one against what is known of the start.
    let mut denied = false;
    loop {
        let piece = pieces.next();
        denied |= query.leaves && piece.is_some_and(|piece| piece.content == Content::AtStart);
        let next = piece.map(|piece| match piece.content {
            Content::AtStart => {
                let at = pieces.theta(piece.a);
                Root {
                    lo: at,
                    hi: at,
                    kind: RootKind::Crossing(side.other()),
                }
            }
            Content::Odd | Content::UndecidedOdd => {
                let held = if pending.is_some() {
                    side.other()
                } else {
                    side
                };
                if piece.content == Content::UndecidedOdd {
                    let (lo, hi) = (pieces.theta(piece.a), pieces.theta(piece.b));
                    found.push(Root {
                        lo,
                        hi,
                        kind: RootKind::Marginal,
                    });
                }
                let (lo, hi) = pieces.locate(&piece, held.sign());
                Root {
                    lo,
                    hi,
                    kind: RootKind::Crossing(held.other()),
                }
            }
            Content::Touch | Content::Undecided => {
                let kind = if piece.content == Content::Touch {
                    RootKind::Touch
                } else {
                    RootKind::Marginal
                };
                Root {
                    lo: pieces.theta(piece.a),
                    hi: pieces.theta(piece.b),
                    kind,
                }
            }
        });
        match next {
            Some(root) if !matches!(root.kind, RootKind::Crossing(_)) => {
                found.push(root);
                continue;
            }
            _ => {}
        }
        if let Some(crossing) = pending.take() {
            let end = next.map_or(query.to, |root| root.lo);
            let stands = if std::mem::take(&mut denied) {
                next.is_none()
            } else {
                query.noise == 0.0 || pieces.is_deeper(crossing.hi, end, query.noise)
            };
            if stands {
                side = side.other();
                first = first.or(Some(crossing));
                if first_only {
                    return first;
                }
                found.push(crossing);
            } else {
                let hi = next.map_or(query.to, |root| root.hi);
                found.push(Root {
                    lo: crossing.lo,
                    hi,
                    kind: RootKind::Marginal,
                });
                if next.is_some() {
                    continue;
                }
            }
        }
        match next {
            None => return first,
            Some(root) if query.noise == 0.0 && first_only && !denied => return Some(root),
            Some(root) => pending = Some(root),
        }
    }
}

/// Converts monomial coefficients to Bernstein coefficients of the same degree on [0, 1], in place.
///
/// They lie no further from zero than the sum of the sizes, so that the rounding error is below
/// `2 (n + 2) eps` times that sum.
fn to_bernstein<T: Copy + std::ops::Add<Output = T>>(
    coefficients: &mut [T],
    over: impl Fn(T, f64) -> T,
) {
    let n = coefficients.len().saturating_sub(1);
    let mut binomial = 1.0;
    for k in 0..=n {
        if k > 0 {
            binomial = binomial * (n + 1 - k) as f64 / k as f64;
            coefficients[k] = over(coefficients[k], binomial);
        }
    }
    for level in 1..=n {
        for i in (level..=n).rev() {
            coefficients[i] = coefficients[i] + coefficients[i - 1];
        }
    }
}

impl Dense {
    /// Bounds of one component, its slope and its curvature (derivatives with respect to theta)
    /// over a piece of the step.
    #[inline]
    pub fn enclose(&self, component: usize, theta: Interval) -> Enclosure {
        enclosure::enclose(self.component(component), theta)
    }
}

#[cfg(test)]
mod tests;
