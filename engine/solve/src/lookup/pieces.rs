//! Piecewise linear and piecewise constant functions.

use std::sync::OnceLock;

use super::{Guide, Handle, NO_END, ONE_BY_ONE};
use crate::interval::Interval;

/// Value of a function on a piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Its base.
    Step,
    /// `base + (x - start) * slope`
    Line,
    /// The argument itself: pieces that only say where it is.
    Same,
}

/// Value of a function before its first break and after its last one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Beyond {
    /// That of the first and of the last piece.
    Defined,
    /// None: these pieces only say how the function would go on from its ends.
    Undefined,
}

/// A function of one argument that is linear or constant on each of its pieces. On a break the piece above holds.
#[derive(Clone, Debug)]
pub struct Pieces {
    pub(super) breaks: Box<[f64]>,
    guide: Guide,
    /// One more than breaks.
    pub(super) starts: Box<[f64]>,
    pub(super) bases: Box<[f64]>,
    pub(super) slopes: Box<[f64]>,
    pub(super) form: Form,
    pub(super) beyond: Beyond,
    /// All values between the first break and the last one.
    inner: Interval,
    pub(super) columns: OnceLock<Columns>,
    pub(super) derivative: OnceLock<Option<Handle>>,
    pub(super) sizes: OnceLock<Handle>,
}

/// What a piece is made of, each as an interned column with one number per piece.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Columns {
    /// Where the piece begins and ends; [`NO_END`] if nowhere.
    pub ends: [Handle; 2],
    /// Argument at which its value is the base.
    pub starts: Handle,
    /// Values there.
    pub bases: Handle,
    /// Slopes.
    pub slopes: Handle,
}

impl PartialEq for Pieces {
    fn eq(&self, other: &Self) -> bool {
        let same = |a: &[f64], b: &[f64]| {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
        };
        self.form == other.form
            && self.beyond == other.beyond
            && same(&self.breaks, &other.breaks)
            && same(&self.starts, &other.starts)
            && same(&self.bases, &other.bases)
            && same(&self.slopes, &other.slopes)
    }
}

impl Pieces {
    /// Pieces from their breaks, which ascend, and one `[start, base, slope]` for each, one more than breaks.
    pub fn new(breaks: Vec<f64>, rows: &[[f64; 3]], form: Form, beyond: Beyond) -> Self {
        debug_assert_eq!(rows.len(), breaks.len() + 1, "one piece more than breaks");
        debug_assert!(breaks.is_sorted(), "breaks ascend");
        let column = |at: usize| rows.iter().map(|row| row[at]).collect();
        let mut pieces = Self {
            guide: Guide::of(&breaks),
            breaks: breaks.into(),
            starts: column(0),
            bases: column(1),
            slopes: column(2),
            form,
            beyond,
            inner: Interval::EMPTY,
            columns: OnceLock::new(),
            derivative: OnceLock::new(),
            sizes: OnceLock::new(),
        };
        let inner = 1..pieces.breaks.len();
        pieces.inner = inner.fold(Interval::EMPTY, |all, piece| {
            let ends = Interval::new(pieces.breaks[piece - 1], pieces.breaks[piece]);
            all.hull(pieces.bounds_on(piece, ends))
        });
        pieces
    }

    /// Number of the piece that holds an argument.
    #[inline]
    pub fn piece(&self, x: f64) -> usize {
        self.guide.count(&self.breaks, x)
    }

    /// Whether an argument lies where there is no value. One that is beyond an end by no more than rounding does
    /// not.
    pub fn is_outside(&self, x: f64) -> bool {
        let [Some(low), Some(high)] = [self.breaks.first(), self.breaks.last()] else {
            return false;
        };
        let rounding = 8.0 * f64::EPSILON * low.abs().max(high.abs());
        self.beyond == Beyond::Undefined && !(low - rounding <= x && x <= high + rounding)
    }

    /// Where it is defined; `None` if everywhere.
    pub fn domain(&self) -> Option<[f64; 2]> {
        match self.beyond {
            Beyond::Defined => None,
            Beyond::Undefined => Some([*self.breaks.first()?, *self.breaks.last()?]),
        }
    }

    /// True for a piece before the first end or behind the last one, where there is no value.
    pub fn is_beyond(&self, piece: usize) -> bool {
        self.beyond == Beyond::Undefined && (piece == 0 || piece == self.breaks.len())
    }

    /// The value; NaN where there is none.
    #[inline]
    pub fn value(&self, x: f64) -> f64 {
        let piece = self.piece(x);
        if x.is_nan() || (self.is_beyond(piece) && self.is_outside(x)) {
            return f64::NAN;
        }
        self.value_on(piece, x)
    }

    /// The value of a piece, continued beyond its ends.
    #[inline]
    pub fn value_on(&self, piece: usize, x: f64) -> f64 {
        match self.form {
            Form::Step => self.bases[piece],
            Form::Line => self.bases[piece] + (x - self.starts[piece]) * self.slopes[piece],
            Form::Same => x,
        }
    }

    /// Form of its pieces.
    pub fn form(&self) -> Form {
        self.form
    }

    /// The breaks, ascending.
    pub fn breaks(&self) -> &[f64] {
        &self.breaks
    }

    /// The ends of a piece.
    pub fn ends(&self, piece: usize) -> [f64; 2] {
        let low = piece.checked_sub(1).and_then(|at| self.breaks.get(at));
        [
            low.copied().unwrap_or(-NO_END),
            self.breaks.get(piece).copied().unwrap_or(NO_END),
        ]
    }

    /// Its slope, as pieces; `None` if that is 0 or 1 everywhere, as the form says.
    pub(super) fn slope(&self) -> Option<Self> {
        let rows: Vec<[f64; 3]> = (self.starts.iter().zip(&self.slopes))
            .map(|(&start, &slope)| [start, slope, 0.0])
            .collect();
        (self.form == Form::Line)
            .then(|| Self::new(self.breaks.to_vec(), &rows, Form::Step, self.beyond))
    }

    fn bounds_on(&self, piece: usize, x: Interval) -> Interval {
        let at = |column: &[f64]| Interval::point(column[piece]);
        match self.form {
            Form::Step => at(&self.bases),
            Form::Line => at(&self.bases) + (x - at(&self.starts)) * at(&self.slopes),
            Form::Same => x,
        }
    }

    /// Bounds of the values for all arguments in an interval.
    pub fn bounds(&self, x: Interval) -> Interval {
        if x.is_empty() {
            return x;
        }
        let part = |piece: usize| {
            let [low, high] = self.ends(piece);
            let low = if piece == 0 { f64::NEG_INFINITY } else { low };
            let high = if piece == self.breaks.len() {
                f64::INFINITY
            } else {
                high
            };
            self.bounds_on(piece, x.intersect(Interval::new(low, high)))
        };
        let (first, last) = (self.piece(x.lo()), self.piece(x.hi()));
        if last - first > ONE_BY_ONE {
            return part(first).hull(part(last)).hull(self.inner);
        }
        (first..=last).fold(Interval::EMPTY, |all, piece| all.hull(part(piece)))
    }
}
