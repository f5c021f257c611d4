//! Weighted sums of stages: the inner loops of explicit methods.

/// `out = y + h * sum_j weights[j] * k[j]`, component by component.
///
/// Weights are known at compile time and the sum over `j` is unrolled.
#[inline(always)]
pub(super) fn advance<const M: usize>(
    out: &mut [f64],
    y: &[f64],
    h: f64,
    weights: &[f64; M],
    k: [&[f64]; M],
) {
    let n = out.len();
    let (y, k) = (&y[..n], k.map(|stage| &stage[..n]));
    for i in 0..n {
        out[i] = y[i] + h * sum_at(i, weights, k);
    }
}

/// `out = h * sum_j weights[j] * k[j]`, component by component.
#[inline(always)]
pub(super) fn weighted<const M: usize>(
    out: &mut [f64],
    h: f64,
    weights: &[f64; M],
    k: [&[f64]; M],
) {
    let n = out.len();
    let k = k.map(|stage| &stage[..n]);
    for i in 0..n {
        out[i] = h * sum_at(i, weights, k);
    }
}

#[inline(always)]
pub(super) fn sum_at<const M: usize>(i: usize, weights: &[f64; M], k: [&[f64]; M]) -> f64 {
    let mut sum = 0.0;
    for j in 0..M {
        sum += weights[j] * k[j][i];
    }
    sum
}
