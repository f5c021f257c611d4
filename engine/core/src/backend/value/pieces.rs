//! Pieces of piecewise operations, on any kind of number: what decides which one holds, and what it gives.

use super::Value;
use crate::tape::{Branch, Code, MarginOf, Pieces};
use situ_solve::lookup;

/// The steps of a staircase.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Stairs {
    /// Whole numbers.
    Whole,
    /// Pieces of the lookup with this number, counted from 0.
    Knots(lookup::Handle),
}

impl Stairs {
    /// Those of a piecewise operation, if it is a staircase.
    pub(crate) fn of(pieces: Pieces, b: f64) -> Option<Self> {
        match pieces {
            Pieces::Bend(..) | Pieces::Jump(..) => None,
            Pieces::Whole | Pieces::Remainder => Some(Self::Whole),
            Pieces::Knots => Some(Self::Knots(b)),
        }
    }

    /// The step that holds a height.
    pub(crate) fn at(self, height: f64) -> f64 {
        match self {
            Self::Whole => height.floor(),
            #[expect(clippy::cast_precision_loss, reason = "fewer than 2^32 pieces")]
            Self::Knots(handle) => {
                lookup::Pieces::of(handle).map_or(0.0, |pieces| pieces.piece(height) as f64)
            }
        }
    }

    /// The ends of a step.
    pub(crate) fn ends(self, step: f64) -> [f64; 2] {
        match self {
            Self::Whole => [step, step + 1.0],
            Self::Knots(handle) => {
                let ends = lookup::Pieces::of(handle).map(|pieces| pieces.columns().ends);
                ends.map_or([f64::NAN; 2], |ends| {
                    ends.map(|end| lookup::entry(step, end))
                })
            }
        }
    }

    /// Whether a step holds a height.
    pub(crate) fn holds(self, step: f64, height: f64) -> bool {
        let [low, high] = self.ends(step);
        low <= height && height < high
    }

    /// The distance of a height from the nearest end.
    pub(crate) fn nearest(self, height: f64) -> f64 {
        let [low, high] = match self {
            Self::Whole => return height - height.round(),
            Self::Knots(_) => self.ends(self.at(height)).map(|end| height - end),
        };
        if low.abs() <= high.abs() { low } else { high }
    }
}

/// The margin of a border.
pub(crate) fn margin<V: Value>(margin: MarginOf, a: V, b: V) -> V {
    match margin {
        MarginOf::First => a,
        MarginOf::Difference => V::apply(Code::Sub, a, a, b),
    }
}

/// The number whose whole part is the step of a staircase: what decides in place of a margin.
pub(crate) fn height<V: Value>(pieces: Pieces, a: V, b: V) -> V {
    match pieces {
        Pieces::Remainder => V::apply(Code::Div, a, a, b),
        Pieces::Whole | Pieces::Knots => a,
        Pieces::Bend(at, _) | Pieces::Jump(at, _) => margin(at, a, b),
    }
}

/// The value of a piecewise operation on a side of its border (0 below, 1 at, 2 above) or, of a staircase, on a
/// step.
pub(crate) fn piece<V: Value>(pieces: Pieces, side: usize, step: f64, a: V, b: V) -> V {
    match pieces {
        Pieces::Bend(_, branches) | Pieces::Jump(_, branches) => match branches[side] {
            Branch::First => a,
            Branch::Second => b,
            Branch::Opposite => V::apply(Code::Neg, a, a, a),
            Branch::Number(number) => V::constant(number),
            Branch::Angle => V::apply(Code::Angle, a, a, b),
            Branch::OppositeAngle => {
                let below = V::apply(Code::Neg, a, a, a);
                let angle = V::apply(Code::Angle, below, below, b);
                V::apply(Code::Neg, angle, angle, angle)
            }
        },
        Pieces::Whole => V::constant(step),
        Pieces::Remainder => {
            let whole = V::apply(Code::Mul, b, b, V::constant(step));
            V::apply(Code::Sub, a, a, whole)
        }
        Pieces::Knots => on_knots(step, a, b),
    }
}

/// The value of a lookup on one of its pieces, continued beyond its ends.
fn on_knots<V: Value>(step: f64, a: V, b: V) -> V {
    let Some(pieces) = b.number().and_then(lookup::Pieces::of) else {
        return V::constant(f64::NAN);
    };
    let columns = pieces.columns();
    let part = |column: lookup::Handle| V::constant(lookup::entry(step, column));
    match pieces.form() {
        lookup::Form::Same => a,
        lookup::Form::Step => part(columns.bases),
        lookup::Form::Line => {
            let way = V::apply(Code::Sub, a, a, part(columns.starts));
            let rise = V::apply(Code::Mul, way, way, part(columns.slopes));
            let base = part(columns.bases);
            V::apply(Code::Add, base, base, rise)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NUMBERS: [f64; 9] = [-3.0, -1.5, -1.0, -0.25, 0.0, 0.5, 1.0, 2.0, 7.5];

    #[test]
    fn pieces_give_the_value() {
        let mut n_piecewise = 0;
        for &code in Code::ALL {
            let Some(pieces) = code.pieces() else {
                continue;
            };
            n_piecewise += 1;
            for a in NUMBERS {
                for b in NUMBERS {
                    let value = <f64 as Value>::apply(code, 0.0, a, b);
                    let height = height(pieces, a, b);
                    let side = usize::from(height >= 0.0) + usize::from(height > 0.0);
                    let step = Stairs::of(pieces, b).map_or(0.0, |stairs| stairs.at(height));
                    let piece = piece(pieces, side, step, a, b);
                    assert!(
                        value == piece || value.is_nan() && piece.is_nan(),
                        "{code:?} {a} {b}"
                    );
                }
            }
        }
        assert_eq!(n_piecewise, 9);
    }

    #[test]
    fn what_is_not_finite_spreads_as_the_table_says() {
        let others = [
            NUMBERS.as_slice(),
            &[f64::INFINITY, f64::NEG_INFINITY, f64::NAN],
        ]
        .concat();
        for &code in Code::ALL {
            let Some(facts) = code.facts() else { continue };
            for (at, spreads) in facts.spreads.into_iter().enumerate() {
                for bad in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
                    for &one in &others {
                        for &other in &others {
                            let mut operands = [one, one, other];
                            operands[at] = bad;
                            let [old, a, b] = operands;
                            let value = <f64 as Value>::apply(code, old, a, b);
                            assert!(!(spreads && value.is_finite()), "{code:?} {old} {a} {b}");
                        }
                    }
                }
            }
        }
    }
}
