//! Pieces of piecewise operations, on any kind of number: what decides which one holds, and what it gives.

use super::Value;
use crate::tape::{Branch, Code, MarginOf, Pieces};

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
        Pieces::Whole => a,
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
        },
        Pieces::Whole => V::constant(step),
        Pieces::Remainder => {
            let whole = V::apply(Code::Mul, b, b, V::constant(step));
            V::apply(Code::Sub, a, a, whole)
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
                    let piece = piece(pieces, side, height.floor(), a, b);
                    assert!(
                        value == piece || value.is_nan() && piece.is_nan(),
                        "{code:?} {a} {b}"
                    );
                }
            }
        }
        assert_eq!(n_piecewise, 7);
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
