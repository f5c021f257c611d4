//! Changes of two runs that are the same change, and the times between the one and the other.
//!
//! A comparison of runs leaves out the values between the two times of a pair: one run is already beyond the jump
//! there, and every shifted jump would count with its full height.

/// Two lists of times, both ascending, as pairs: two are the same change if each is the other's
/// nearest; what has no other stands alone.
pub fn pairs([a, b]: [Vec<f64>; 2]) -> Vec<[Option<f64>; 2]> {
    let mut alone = vec![true; b.len()];
    let mut found = Vec::new();
    for (index, &time) in a.iter().enumerate() {
        let other = nearest(&b, time).filter(|&other| nearest(&a, b[other]) == Some(index));
        if let Some(other) = other {
            alone[other] = false;
        }
        found.push([Some(time), other.map(|other| b[other])]);
    }
    let rest = b.iter().zip(alone).filter(|(_, alone)| *alone);
    found.extend(rest.map(|(&time, _)| [None, Some(time)]));
    found
}

/// The position of the time nearest to one, in an ascending list; of equal ones the first.
fn nearest(times: &[f64], time: f64) -> Option<usize> {
    let after = times.partition_point(|&other| other < time);
    let before = after.checked_sub(1);
    match (before, times.get(after)) {
        (Some(before), Some(&next)) if time - times[before] <= next - time => {
            Some(first_equal(times, before))
        }
        (_, Some(_)) => Some(after),
        (before, None) => before.map(|before| first_equal(times, before)),
    }
}

fn first_equal(times: &[f64], index: usize) -> usize {
    times.partition_point(|&other| other < times[index])
}

/// From the one run's change to the other's; `None` if one has no such change.
pub fn span([a, b]: [Option<f64>; 2]) -> Option<[f64; 2]> {
    Some([a?.min(b?), a?.max(b?)])
}

/// Positions of the times that lie in none of the spans.
pub fn outside(times: &[f64], spans: impl IntoIterator<Item = [f64; 2]>) -> Vec<usize> {
    let mut spans: Vec<[f64; 2]> = spans.into_iter().collect();
    spans.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let (mut next, mut end) = (0, f64::NEG_INFINITY);
    let is_outside = |&index: &usize| {
        while let Some(&[from, to]) = spans.get(next)
            && from <= times[index]
        {
            end = end.max(to);
            next += 1;
        }
        times[index] > end
    };
    (0..times.len()).filter(is_outside).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_time_is_found() {
        let times = [1.0, 2.0, 2.0, 4.0];
        let found = [0.0, 1.4, 1.5, 1.6, 2.0, 3.1, 9.0].map(|time| nearest(&times, time));
        assert_eq!(found, [0, 0, 0, 1, 1, 3, 3].map(Some));
        assert_eq!(nearest(&[], 1.0), None);
    }

    #[test]
    fn changes_are_paired_with_their_nearest() {
        let pairs = pairs([vec![1.0, 2.0, 2.1, 5.0], vec![1.01, 2.02, 4.9, 9.0]]);
        let expected = [
            [Some(1.0), Some(1.01)],
            [Some(2.0), Some(2.02)],
            [Some(2.1), None],
            [Some(5.0), Some(4.9)],
            [None, Some(9.0)],
        ];
        assert_eq!(pairs, expected);
    }

    #[test]
    fn times_in_spans_are_left_out() {
        let spans = [[4.9, 5.0], [1.0, 1.01], [2.0, 2.02]];
        assert_eq!(outside(&[0.5, 1.005, 1.5, 2.0, 5.0, 6.0], spans), [0, 2, 5]);
    }
}
