//! Chains: ops that stand in a row and read each the result of the one before are one instruction.
//!
//! The value that goes along a chain stays in registers. It is stored only where others read it:
//! storing, and fetching what was stored, is what ops on 64 runs cost.
//!
//! A division takes as long as ten other operations. Where the divisor is fixed for the run its reciprocal is known,
//! and the quotient is the product with it, corrected by what is left over, which a fused multiply-add tells exactly:
//! it has the bits of the division. Source: P. Markstein, IBM J. Research and Development 34 (1990) 111;
//! N. Brisebarre, J.-M. Muller, S. K. Raina, IEEE Trans. Computers 53 (2004) 1069.
//!
//! The loop of a chain has to stay so plain that the compiler keeps the 64 values in registers: with a select, a
//! minimum or a condition in it, it no longer does. Sines are functions of their own, so that their constants do not
//! take these registers. The reciprocal serves where nothing on the way underflows or overflows, which all quotients
//! of a stretch of ticks are tested together; if one was in doubt the stretch is done again with divisions.
//! Without fused multiply-adds, and in tables with delays, lanes divide from the beginning.

use super::instruction::{ALWAYS, Action, Instruction, number};
use crate::tape::Code;

/// Calls a macro with what can be done to the value that goes along: name, op, whether the value is the
/// second operand of the op, the operation on the value and a slot.
macro_rules! with_steps {
    ($macro:ident) => {
        $macro! {
            Add Add false |x, y| x + y;
            Sub Sub false |x, y| x - y;
            From Sub true |x, y| y - x;
            Mul Mul false |x, y| x * y;
            Div Div false |x, y| x / y;
            Under Div true |x, y| y / x;
        }
    };
}
pub(super) use with_steps;

macro_rules! define_steps {
    ($($name:ident $code:ident $turned:literal |$x:ident, $y:ident| $value:expr;)*) => {
        /// Operation of a link.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(super) enum Step {
            $(#[doc = concat!("The value becomes `", stringify!($value), "`, with y the slot.")] $name,)*
            /// The value becomes `x / y`, with y the slot, whose reciprocal is known.
            Over,
        }

        impl Step {
            /// `turned`: the value is the second operand.
            fn of(code: Code, turned: bool) -> Option<Self> {
                // Sums and products do not ask for the order of their operands.
                let turned = turned && !matches!(code, Code::Add | Code::Mul);
                match (code, turned) {
                    $((Code::$code, $turned) => Some(Self::$name),)*
                    _ => None,
                }
            }
        }
    };
}
with_steps!(define_steps);

/// The slot of a value that is not stored.
pub(super) const NOWHERE: u32 = u32::MAX;

/// A link of a chain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Link {
    pub(super) step: Step,
    pub(super) slot: u32,
    /// The slot that takes the new value.
    pub(super) store: u32,
    /// Number of the slot's reciprocal among the known ones.
    pub(super) reciprocal: u32,
}

/// Quotients below this size, and divisors that are not between it and its reciprocal, are left to a
/// division, as those are that are not finite: what is left over might have no exact value.
pub(super) const LEAST: f64 = f64::from_bits((1023 - 400) << 52);

/// `x / y`, from the rounded reciprocal of y. NaN if x is not finite, or not so much smaller than the largest number.
#[inline(always)]
pub(super) fn over(x: f64, y: f64, reciprocal: f64) -> f64 {
    let quotient = x * reciprocal;
    let left = (-quotient).mul_add(y, x);
    // A zero keeps its sign.
    left.mul_add(reciprocal, quotient).copysign(quotient)
}

/// The size of a result of [`over`], in the order of sizes; that of 0 is the largest.
#[inline(always)]
pub(super) fn size(quotient: f64) -> u64 {
    // Without the sign.
    (quotient.to_bits() << 1).wrapping_sub(1)
}

/// True if a result of [`over`] is so small that it may be wrong.
pub(super) fn is_doubted(size: u64) -> bool {
    size < self::size(LEAST)
}

/// Effect of an op on the value of a slot: its second operand if that is the slot `passed`, else the first.
fn links_of(op: &Instruction, passed: Option<u32>) -> Option<(u32, [Option<Link>; 2])> {
    let Action::Op(code) = op.does else {
        return None;
    };
    let turned = code != Code::Copy && passed == Some(op.b) && passed != Some(op.a);
    let (value, other) = if turned { (op.b, op.a) } else { (op.a, op.b) };
    let (store, reciprocal) = (NOWHERE, 0);
    let link = |code, slot| {
        Step::of(code, turned).map(|step| Link {
            step,
            slot,
            store,
            reciprocal,
        })
    };
    let links = match code {
        Code::Copy if passed.is_some() => [None; 2],
        Code::AddMul => [link(Code::Mul, other), link(Code::Add, op.out)],
        _ => [Some(link(code, other)?), None],
    };
    Some((value, links))
}

/// Instructions, and the links of the chains among them.
#[derive(Default)]
pub(super) struct Chained {
    pub(super) ops: Vec<Instruction>,
    pub(super) links: Vec<Link>,
    open: Option<Chain>,
}

/// A chain that goes on.
#[derive(Clone, Copy)]
struct Chain {
    /// The op with which it began.
    first: Instruction,
    /// Position of its first link.
    links: usize,
    n_ops: usize,
    /// The slot to which the value belongs.
    result: u32,
}

impl Chained {
    /// Puts ops into chains. Jumps must lead behind ends of conditional parts.
    ///
    /// `is_private`: whether what an op writes into a slot is read by one operand only; the op may stand in a
    /// conditional part.
    pub(super) fn new(ops: &[Instruction], is_private: impl Fn(u32, bool) -> bool) -> Self {
        let mut chained = Self::default();
        // Where each instruction has come to stand.
        let mut places: Vec<u32> = Vec::with_capacity(ops.len() + 1);
        // How many conditional parts are open.
        let mut depth = 0_usize;
        for op in ops {
            match op.does {
                Action::Op(Code::SkipUnless) => depth += 1,
                Action::Leave => depth = depth.saturating_sub(1),
                _ => {}
            }
            let conditional = depth > 0 || op.guard != ALWAYS;
            if !chained.goes_on(op, |slot| is_private(slot, conditional)) {
                chained.end();
                chained.begin(op);
            }
            places.push(number(chained.ops.len()));
            if chained.open.is_none() {
                chained.ops.push(*op);
            }
        }
        chained.end();
        places.push(number(chained.ops.len()));
        let jumps = |op: &&mut Instruction| op.does == Action::Op(Code::SkipUnless);
        for jump in chained.ops.iter_mut().filter(jumps) {
            jump.out = places[jump.out as usize];
        }
        chained
    }

    /// Begins a chain, if the op can be in one.
    fn begin(&mut self, op: &Instruction) {
        let links = self.links.len();
        self.open = links_of(op, None).map(|(_, own)| {
            self.links.extend(own.into_iter().flatten());
            Chain {
                first: *op,
                links,
                n_ops: 1,
                result: op.out,
            }
        });
    }

    /// Takes an op into the open chain, if it reads the value under the same guard.
    fn goes_on(&mut self, op: &Instruction, is_private: impl Fn(u32) -> bool) -> bool {
        let Some(mut chain) = self.open else {
            return false;
        };
        let Some((value, own)) = links_of(op, Some(chain.result)) else {
            return false;
        };
        if value != chain.result || op.guard != chain.first.guard {
            return false;
        }
        let own = own.into_iter().flatten();
        let is_read = own.clone().any(|link| link.slot == value);
        if is_read || !is_private(value) {
            // A link stores into one slot.
            if own.clone().count() == 0 {
                return false;
            }
            self.store(value);
        }
        self.links.extend(own);
        (chain.n_ops, chain.result) = (chain.n_ops + 1, op.out);
        self.open = Some(chain);
        true
    }

    /// Ends the open chain. One of a single op is that op.
    fn end(&mut self) {
        let Some(chain) = self.open.take() else {
            return;
        };
        if chain.n_ops == 1 {
            self.links.truncate(chain.links);
            self.ops.push(chain.first);
            return;
        }
        self.store(chain.result);
        self.ops.push(Instruction {
            does: Action::Chain,
            b: number(chain.links),
            c: number(self.links.len()),
            ..chain.first
        });
    }

    /// The value that the last link gives is stored.
    fn store(&mut self, slot: u32) {
        if let Some(last) = self.links.last_mut() {
            last.store = slot;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Numbers with exponents up to a size, among them those with all or none of the further bits set.
    fn number(size: u64) -> impl Strategy<Value = f64> {
        let bits = prop_oneof![4 => any::<u64>(), 1 => Just(0), 1 => Just(u64::MAX)];
        (bits, 1024 - size..1023 + size, any::<bool>()).prop_map(|(bits, exponent, negative)| {
            let bits = bits & ((1 << 52) - 1) | exponent << 52;
            f64::from_bits(bits | u64::from(negative) << 63)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]
        #[test]
        fn quotients_by_reciprocals_have_the_bits_of_divisions_or_are_doubted(x in number(1023), y in number(399)) {
            let special = [0.0, -0.0, y, 3.0 * y, f64::MAX, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
            for x in special.into_iter().chain([x]) {
                let quotient = over(x, y, 1.0 / y);
                if x == 0.0 || (LEAST..1e300).contains(&(x / y).abs()) {
                    prop_assert!(!is_doubted(size(quotient)) && quotient.is_finite());
                }
                if !is_doubted(size(quotient)) && quotient.is_finite() {
                    prop_assert_eq!(quotient.to_bits(), (x / y).to_bits());
                }
            }
        }
    }
}
