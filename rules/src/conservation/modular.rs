//! Arithmetic modulo a prime, and equations in it.

/// A prime below 2^61, so that sums of two products fit into 128 bits.
pub(super) const PRIME: u64 = (1 << 61) - 1;

/// An equation: weights by number, in rising order, with what they are multiplied by.
pub(super) type Equation = Vec<(u32, u64)>;

pub(super) fn modular(value: i64) -> u64 {
    let prime = i128::from(PRIME);
    u64::try_from(i128::from(value).rem_euclid(prime)).expect("it is below the prime")
}

pub(super) fn add(a: u64, b: u64) -> u64 {
    let sum = a + b;
    if sum >= PRIME { sum - PRIME } else { sum }
}

pub(super) fn times(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    let low = (product & u128::from(PRIME)) as u64;
    let high = (product >> 61) as u64;
    add(low, high)
}

pub(super) fn power(mut base: u64, mut exponent: u64) -> u64 {
    let mut result = 1;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = times(result, base);
        }
        base = times(base, base);
        exponent >>= 1;
    }
    result
}
