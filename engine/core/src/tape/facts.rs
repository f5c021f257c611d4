//! What else is to be known of an operation on reals than its value: where it is piecewise, where its slope has
//! no bound, how a value that is not finite spreads. Each line of the op table ends with its [`Facts`].

/// Facts about an operation on reals.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Facts {
    /// Whether the old value, a and b, if not finite, make the result not finite whatever the others are.
    pub spreads: [bool; 3],
    /// Its pieces, if it has several.
    pub pieces: Option<Pieces>,
    /// Where its domain ends with a slope that has no bound.
    pub root: Option<Root>,
    /// True if b is no quantity but the number of an interned lookup.
    pub names_lookup: bool,
}

/// The pieces of a piecewise operation.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Pieces {
    /// Continuous, with another slope where the margin is 0: below, at and above.
    Bend(MarginOf, [Branch; 3]),
    /// Jumps where the margin is 0.
    Jump(MarginOf, [Branch; 3]),
    /// A staircase: the largest whole number not above a.
    Whole,
    /// A staircase subtracted: `a - b * step`, the step being the largest whole number not above `a / b`.
    Remainder,
    /// The pieces of the lookup b: lines or steps between breaks of a.
    Knots,
}

impl Pieces {
    /// Whether the value jumps from piece to piece.
    pub(crate) fn jumps(self) -> bool {
        !matches!(self, Self::Bend(..))
    }
}

/// The margin of a border: what its side is the sign of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MarginOf {
    /// `a`
    First,
    /// `a - b`
    Difference,
}

/// A piece.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Branch {
    /// `a`
    First,
    /// `b`
    Second,
    /// `-a`
    Opposite,
    /// A number.
    Number(f64),
    /// The angle of the point (b, a), continued below the negative half of the x axis.
    Angle,
    /// `-angle(-a, b)`: the angle of that point, continued above that half.
    OppositeAngle,
}

/// Where the slope of a root has no bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Root {
    /// `a = 0`; below, it is not defined.
    Zero,
    /// `abs(a) = 1`; beyond, it is not defined.
    One,
}

impl Facts {
    const fn spreading(spreads: [bool; 3]) -> Self {
        Self {
            spreads,
            pieces: None,
            root: None,
            names_lookup: false,
        }
    }

    pub(super) const fn pieces(self, pieces: Pieces) -> Self {
        Self {
            pieces: Some(pieces),
            ..self
        }
    }

    pub(super) const fn root(self, root: Root) -> Self {
        Self {
            root: Some(root),
            ..self
        }
    }
}

/// No operand spreads.
pub(super) const NONE: Facts = Facts::spreading([false, false, false]);
/// No operand spreads; b names a lookup.
pub(super) const NAMES: Facts = Facts {
    names_lookup: true,
    ..NONE
};
/// a spreads.
pub(super) const FIRST: Facts = Facts::spreading([false, true, false]);
/// a and b spread.
pub(super) const BOTH: Facts = Facts::spreading([false, true, true]);
/// The old value, a and b spread.
pub(super) const ALL: Facts = Facts::spreading([true, true, true]);

/// -1, 0 or 1.
pub(super) const SIGN: Pieces = {
    let signs = [
        Branch::Number(-1.0),
        Branch::Number(0.0),
        Branch::Number(1.0),
    ];
    Pieces::Jump(MarginOf::First, signs)
};
/// The larger of a and -a.
pub(super) const SIZE: Pieces = {
    let sizes = [Branch::Opposite, Branch::First, Branch::First];
    Pieces::Bend(MarginOf::First, sizes)
};
/// The smaller of a and b.
pub(super) const LEAST: Pieces = {
    let smaller = [Branch::First, Branch::Second, Branch::Second];
    Pieces::Bend(MarginOf::Difference, smaller)
};
/// The larger of a and b.
pub(super) const MOST: Pieces = {
    let larger = [Branch::Second, Branch::First, Branch::First];
    Pieces::Bend(MarginOf::Difference, larger)
};
/// 0, and 1 from b on.
pub(super) const REACHED: Pieces = {
    let reached = [
        Branch::Number(0.0),
        Branch::Number(1.0),
        Branch::Number(1.0),
    ];
    Pieces::Jump(MarginOf::Difference, reached)
};
/// From -pi to pi, with a jump at the negative half of the x axis.
pub(super) const TURN: Pieces = {
    let angles = [Branch::OppositeAngle, Branch::Angle, Branch::Angle];
    Pieces::Jump(MarginOf::First, angles)
};
