//! Points inside a step of the method, so dense that what lies between two of them is near a parabola.

/// The time between two ends of steps is looked at in so many parts of equal length.
const PARTS: u32 = 16;

/// Place in a step just before its end [part of its length].
pub(crate) const JUST_BEFORE: f64 = 1.0 - 1e-9;

/// The points between two times, ascending; the last stands just before the second.
pub(crate) fn points(from: f64, to: f64) -> impl Iterator<Item = f64> {
    let shares = (1..=PARTS).map(|part| f64::from(part) / f64::from(PARTS));
    let points = shares.map(move |share| from + (to - from) * share.min(JUST_BEFORE));
    points.filter(move |at| from < *at && *at < to)
}

/// Where the parabola through three points, time and value each, has its vertex, if the second is its peak, or its bottom.
pub(crate) fn vertex([before, peak, after]: [(f64, f64); 3]) -> Option<f64> {
    let [left, right] = [before, after].map(|(at, value)| (at - peak.0, value - peak.1));
    if left.1 * right.1 <= 0.0 {
        return None;
    }
    let slopes = [left, right].map(|(way, change)| change / way);
    let bend = (slopes[1] - slopes[0]) / (right.0 - left.0);
    Some(peak.0 + (left.0 - slopes[0] / bend) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::{points, vertex};

    #[test]
    fn the_vertex_of_a_parabola_is_met() {
        let value = |at: f64| 3.0 - 2.0 * (at - 0.3) * (at - 0.3);
        let at = vertex([0.0, 0.2, 0.7].map(|at| (at, value(at)))).unwrap();
        assert!((at - 0.3).abs() < 1e-12, "{at}");
        assert_eq!(vertex([(0.0, 1.0), (1.0, 2.0), (2.0, 3.0)]), None);
    }

    #[test]
    fn points_lie_inside() {
        let inside: Vec<f64> = points(1.0, 2.0).collect();
        assert!(inside.is_sorted() && inside.iter().all(|at| 1.0 < *at && *at < 2.0));
        assert_eq!(points(1.0, 1.0).count(), 0);
    }
}
