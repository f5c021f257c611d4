//! Finds the first crossing inside a step.
//!
//! A margin that is affine in what moves is a polynomial on the step, whose roots are isolated by
//! the signs of its Bernstein coefficients; any other margin is sampled.

/// Roots closer to the start than this share of the step are the start's own.
const LEAST: f64 = 1e-12;

/// Points at which a margin that is no polynomial is looked at.
const SAMPLES: usize = 32;

/// The first odd root of a polynomial in (0, 1], and whether it falls there.
///
/// `coefficients`: constant first. `known`: so many roots at 0 are divided out.
pub(super) fn first_root(coefficients: &[f64], known: usize) -> Option<f64> {
    let polynomial = coefficients.get(known..)?;
    let last = polynomial.iter().rposition(|&c| c != 0.0)?;
    let polynomial = &polynomial[..=last];
    if polynomial.len() == 1 {
        return None;
    }
    let bernstein = to_bernstein(polynomial);
    let from = if known > 0 { LEAST } else { 0.0 };
    isolate(&bernstein, 0.0, 1.0, polynomial, from)
}

/// The first sign change of any function in (0, 1].
pub(super) fn first_change(mut value: impl FnMut(f64) -> f64, known: bool) -> Option<f64> {
    let mut left = 0.0;
    let mut left_value = if known { 0.0 } else { value(0.0) };
    for sample in 1..=SAMPLES {
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let right = sample as f64 / SAMPLES as f64;
        let right_value = value(right);
        if left_value == 0.0 {
            left_value = right_value;
            left = right;
            continue;
        }
        if left_value * right_value <= 0.0 && right_value != left_value {
            return Some(bisect(&mut value, left, right, left_value));
        }
        (left, left_value) = (right, right_value);
    }
    None
}

fn bisect(value: &mut impl FnMut(f64) -> f64, mut left: f64, mut right: f64, sign: f64) -> f64 {
    for _ in 0..200 {
        let middle = 0.5 * (left + right);
        if middle <= left || middle >= right {
            break;
        }
        if value(middle) * sign > 0.0 {
            left = middle
        } else {
            right = middle
        }
    }
    right
}

/// Powers to Bernstein coefficients on [0, 1].
fn to_bernstein(powers: &[f64]) -> Vec<f64> {
    let n = powers.len() - 1;
    (0..=n)
        .map(|i| {
            (0..=i)
                .map(|k| binomial(i, k) / binomial(n, k) * powers[k])
                .sum()
        })
        .collect()
}

#[expect(clippy::cast_precision_loss, reason = "degrees are small")]
fn binomial(n: usize, k: usize) -> f64 {
    (0..k).map(|i| (n - i) as f64 / (i + 1) as f64).product()
}

fn variations(coefficients: &[f64]) -> usize {
    let signs = coefficients
        .iter()
        .filter(|&&c| c != 0.0)
        .map(|c| c.is_sign_positive());
    let signs: Vec<bool> = signs.collect();
    signs.windows(2).filter(|pair| pair[0] != pair[1]).count()
}

/// The first odd root in (left, right], by subdivision.
fn isolate(bernstein: &[f64], left: f64, right: f64, polynomial: &[f64], from: f64) -> Option<f64> {
    let found = variations(bernstein);
    let value = |x: f64| polynomial.iter().rev().fold(0.0, |sum, c| sum * x + c);
    let ends = (bernstein[0], bernstein[bernstein.len() - 1]);
    if found == 0 {
        return (ends.1 == 0.0 && ends.0 != 0.0 && right > from).then_some(right);
    }
    if found == 1 && ends.0 * ends.1 < 0.0 {
        let root = bisect(&mut { value }, left, right, ends.0);
        return (root > from).then_some(root);
    }
    if right - left < 1e-14 {
        return (ends.0 * ends.1 < 0.0 && right > from).then_some(right);
    }
    let (low, high) = split(bernstein);
    let middle = 0.5 * (left + right);
    isolate(&low, left, middle, polynomial, from)
        .or_else(|| isolate(&high, middle, right, polynomial, from))
}

/// De Casteljau at the middle.
fn split(bernstein: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let mut row = bernstein.to_vec();
    let (mut low, mut high) = (Vec::new(), Vec::new());
    while let (Some(&first), Some(&last)) = (row.first(), row.last()) {
        low.push(first);
        high.push(last);
        row = row
            .windows(2)
            .map(|pair| 0.5 * (pair[0] + pair[1]))
            .collect();
    }
    high.reverse();
    (low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_odd_root_is_found() {
        // (x - 0.25)^2 (x - 0.5) touches before it crosses.
        let polynomial = [-0.03125, 0.3125, -1.0, 1.0];
        let root = first_root(&polynomial, 0).unwrap();
        assert!((root - 0.5).abs() < 1e-15, "{root}");
        // x (x - 0.75), known at 0.
        let root = first_root(&[0.0, -0.75, 1.0], 1).unwrap();
        assert!((root - 0.75).abs() < 1e-15, "{root}");
        assert_eq!(first_root(&[1.0, -2.0, 1.1], 0), None);
        assert_eq!(first_root(&[0.0, 0.0, 0.0], 1), None);
    }
}
