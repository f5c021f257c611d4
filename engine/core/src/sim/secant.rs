//! The secant locator: where the line or parabola through what a margin is at the ends of steps or ticks is zero. Ticks
//! and event-accurate runs that see only such ends share it.

/// Where a margin is zero in [0, 1] that is `start` at 0 and `end` at 1: on a line, or on the parabola through an earlier
/// point too, which is given by its place and value.
pub(super) fn zero(before: Option<(f64, f64)>, start: f64, end: f64) -> f64 {
    match before {
        Some((back, before)) => parabola(back, [before, start, end]),
        None => line(start, end),
    }
}

/// Zero of the line through `(0, start)` and `(1, end)`.
fn line(start: f64, end: f64) -> f64 {
    if start <= 0.0 || start == end {
        return 0.0;
    }
    (start / (start - end)).clamp(0.0, 1.0)
}

/// Zero in [0, 1] of the parabola through `(back, before)`, `(0, start)` and `(1, end)`.
fn parabola(back: f64, [before, start, end]: [f64; 3]) -> f64 {
    if start <= 0.0 {
        return 0.0;
    }
    // start + a x + b x^2.
    let bow = ((end - start) - (before - start) / back) / (1.0 - back);
    let slope = (end - start) - bow;
    let root = slope * slope - 4.0 * bow * start;
    if root < 0.0 {
        return line(start, end);
    }
    let q = -0.5 * (slope + root.sqrt().copysign(slope));
    let inside = |x: &f64| (0.0..=1.0).contains(x);
    let both = [q / bow, start / q];
    let first = both
        .into_iter()
        .filter(inside)
        .fold(f64::INFINITY, f64::min);
    if first.is_finite() {
        first
    } else {
        line(start, end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_parabolas_find_their_zeros() {
        assert_eq!(line(1.0, -3.0), 0.25);
        // (x - 0.5) (x - 3) at -1, 0, 1.
        let z = |x: f64| (x - 0.5) * (x - 3.0);
        let found = parabola(-1.0, [z(-1.0), z(0.0), z(1.0)]);
        assert!((found - 0.5).abs() < 1e-15, "{found}");
    }
}
