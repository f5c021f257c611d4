//! The shares of modes in a slide: multilinear equations on the unit cube.
//!
//! On m borders the motion is a mixture of the 2^m modes around them. Corner c has the weight
//! product of `lambda_i` (if its bit i is set) or `1 - lambda_i`; the shares lambda make the rate of
//! every border's z zero.

use crate::sim::events::modes::evaluation::loop_matrix::eliminate;

/// Newton steps before the shares count as not found.
const MAX_NEWTON: usize = 40;

/// Boxes searched to see whether the shares are unique.
const MAX_BOXES: usize = 4000;

/// Boxes narrower than this hold one solution.
const NARROW: f64 = 1e-3;

/// The weights of the corners.
pub(crate) fn weights(lambda: &[f64], weights: &mut Vec<f64>) {
    weights.clear();
    weights.push(1.0);
    for &share in lambda {
        let n = weights.len();
        for corner in 0..n {
            let weight = weights[corner];
            weights.push(weight * share);
            weights[corner] = weight * (1.0 - share);
        }
    }
}

/// Derivatives of the weights with respect to one of the shares.
pub(super) fn weight_slopes(lambda: &[f64], of: usize, slopes: &mut Vec<f64>) {
    slopes.clear();
    slopes.push(1.0);
    for (number, &share) in lambda.iter().enumerate() {
        let [low, high] = if number == of {
            [-1.0, 1.0]
        } else {
            [1.0 - share, share]
        };
        let n = slopes.len();
        for corner in 0..n {
            let slope = slopes[corner];
            slopes.push(slope * high);
            slopes[corner] = slope * low;
        }
    }
}

/// Room for [`solve`].
#[derive(Clone, Debug, Default)]
pub(super) struct Room {
    weights: Vec<f64>,
    matrix: Vec<f64>,
    right: Vec<f64>,
}

/// True if the rates of all borders are the same on both sides of one of them: its share is 0/0.
///
/// Shapes: `rate`: of a border, by its number, in a corner; `m`: the number of borders.
pub(super) fn has_no_share(rate: impl Fn(usize, usize) -> f64, m: usize, border: usize) -> bool {
    let mut below = (0..1_usize << m).filter(|corner| corner >> border & 1 == 0);
    below.all(|corner| (0..m).all(|at| rate(corner, at) == rate(corner | 1 << border, at)))
}

/// Finds shares that make all rates zero, starting at `lambda`; false if there are none near it.
/// They may lie outside of [0, 1]. A share that is 0/0 stays what it is.
///
/// Shapes: `rates`: for each corner one per border; `more`: added to the rates, one per border.
pub(super) fn solve(rates: &[f64], more: &[f64], lambda: &mut [f64], room: &mut Room) -> bool {
    let m = lambda.len();
    let rate = |corner: usize, border: usize| rates[corner * m + border];
    if let Some(without) = (0..m).find(|border| has_no_share(rate, m, *border)) {
        return m == 1 || solve_without(without, rates, more, lambda, room);
    }
    let Room {
        weights: corners,
        matrix,
        right,
    } = room;
    let size = rates.iter().fold(0.0_f64, |most, r| most.max(r.abs()));
    if size == 0.0 {
        return true;
    }
    if !size.is_finite() {
        return false;
    }
    if let ([share], [below, above]) = (&mut *lambda, rates) {
        *share = (below + more.first().unwrap_or(&0.0)) / (below - above);
        return true;
    }
    for _ in 0..MAX_NEWTON {
        weights(lambda, corners);
        right.clear();
        right.extend((0..m).map(|border| {
            let more = more.get(border).copied().unwrap_or_default();
            -more - mixed(rates, corners, m, border)
        }));
        matrix.clear();
        matrix.resize(m * m, 0.0);
        for column in 0..m {
            weight_slopes(lambda, column, corners);
            for row in 0..m {
                matrix[row * m + column] = mixed(rates, corners, m, row);
            }
        }
        if eliminate(matrix, right) == 0 {
            return false;
        }
        let mut step = 0.0_f64;
        for (share, change) in lambda.iter_mut().zip(&*right) {
            *share += change;
            step = step.max(change.abs());
        }
        if step <= 4.0 * f64::EPSILON {
            return true;
        }
        if lambda.iter().any(|share| share.abs() > 1e6) {
            return false;
        }
    }
    // Close enough if rounding keeps it from coming to rest.
    weights(lambda, corners);
    (0..m).all(|border| {
        let more = more.get(border).copied().unwrap_or_default();
        (more + mixed(rates, corners, m, border)).abs() <= 1e-12 * size
    })
}

/// [`solve`] for the others, below a border whose share is 0/0.
fn solve_without(
    border: usize,
    rates: &[f64],
    more: &[f64],
    lambda: &mut [f64],
    room: &mut Room,
) -> bool {
    let m = lambda.len();
    let others: Vec<usize> = (0..m).filter(|other| *other != border).collect();
    let below = (0..1_usize << m).filter(|corner| corner >> border & 1 == 0);
    let rates =
        below.flat_map(|corner| others.iter().map(move |border| rates[corner * m + border]));
    let rates: Vec<f64> = rates.collect();
    let more: Vec<f64> = (others
        .iter()
        .filter_map(|border| more.get(*border))
        .copied())
    .collect();
    let mut shares: Vec<f64> = others.iter().map(|border| lambda[*border]).collect();
    let found = solve(&rates, &more, &mut shares, room);
    for (other, share) in others.into_iter().zip(shares) {
        lambda[other] = share;
    }
    found
}

/// The weighted sum of the corners' rates of a border.
fn mixed(rates: &[f64], weights: &[f64], m: usize, border: usize) -> f64 {
    let corners = weights.iter().enumerate();
    corners
        .map(|(corner, weight)| weight * rates[corner * m + border])
        .sum()
}

/// The shares in the unit cube that make all rates zero, as far as a search over boxes tells them
/// apart: a multilinear function lies between its values at the corners of a box.
///
/// Shapes: `rates`: for each corner one per border.
pub(crate) fn all(rates: &[f64], m: usize) -> Vec<Vec<f64>> {
    let mut open = vec![vec![(0.0, 1.0); m]];
    let mut found: Vec<Vec<f64>> = Vec::new();
    let mut room = Room::default();
    let mut looked = 0;
    while let Some(sides) = open.pop() {
        looked += 1;
        if looked > MAX_BOXES {
            break;
        }
        if !may_hold(rates, &sides, &mut room.weights) {
            continue;
        }
        let widest = (0..m)
            .max_by(|&i, &j| (sides[i].1 - sides[i].0).total_cmp(&(sides[j].1 - sides[j].0)))
            .unwrap_or_default();
        if sides[widest].1 - sides[widest].0 > NARROW {
            let middle = 0.5 * (sides[widest].0 + sides[widest].1);
            let (mut low, mut high) = (sides.clone(), sides);
            low[widest].1 = middle;
            high[widest].0 = middle;
            open.extend([low, high]);
            continue;
        }
        let mut lambda: Vec<f64> = sides.iter().map(|(low, high)| 0.5 * (low + high)).collect();
        let inside = |share: &f64| (-1e-9..=1.0 + 1e-9).contains(share);
        if !solve(rates, &[], &mut lambda, &mut room) || !lambda.iter().all(inside) {
            continue;
        }
        let same = |other: &Vec<f64>| other.iter().zip(&lambda).all(|(a, b)| (a - b).abs() < 1e-6);
        if !found.iter().any(same) {
            found.push(lambda);
        }
    }
    found
}

fn may_hold(rates: &[f64], sides: &[(f64, f64)], corners: &mut Vec<f64>) -> bool {
    let m = sides.len();
    (0..m).all(|border| {
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        for corner in 0..1_usize << m {
            let at: Vec<f64> = sides
                .iter()
                .enumerate()
                .map(|(bit, (low, high))| if corner >> bit & 1 == 1 { *high } else { *low })
                .collect();
            weights(&at, corners);
            let value = mixed(rates, corners, m, border);
            least = least.min(value);
            most = most.max(value);
        }
        least <= 0.0 && most >= 0.0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_border_is_filippovs_formula() {
        // z' = -2 above, 1 below: two thirds of the time below.
        let mut lambda = [0.5];
        assert!(solve(&[1.0, -2.0], &[], &mut lambda, &mut Room::default()));
        assert!((lambda[0] - 1.0 / 3.0).abs() < 1e-15);
    }

    #[test]
    fn two_borders_that_do_not_know_of_each_other_have_one_solution() {
        // z1' = 1 - 3 l1, z2' = 2 - 4 l2.
        let rates = [1.0, 2.0, -2.0, 2.0, 1.0, -2.0, -2.0, -2.0];
        let found = all(&rates, 2);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!((found[0][0] - 1.0 / 3.0).abs() < 1e-12);
        assert!((found[0][1] - 0.5).abs() < 1e-12);
    }

    #[test]
    fn a_border_that_changes_nothing_keeps_its_share() {
        // z1' = 1 - 3 l1, z2' = 1 - 1.5 l1 on both sides of the second border.
        let rates = [1.0, 1.0, -2.0, -0.5, 1.0, 1.0, -2.0, -0.5];
        let mut lambda = [0.5, 0.7];
        assert!(solve(&rates, &[], &mut lambda, &mut Room::default()));
        assert!((lambda[0] - 1.0 / 3.0).abs() < 1e-15);
        assert_eq!(lambda[1], 0.7);
    }

    #[test]
    fn several_solutions_are_told() {
        // z1' = l1 - l2, z2' = l1 + l2 - 4 l1 l2 - 0.32: at l1 = l2 = l, 2 l - 4 l^2 = 0.32 - ..., twice.
        let corner = |l1: f64, l2: f64| [l1 - l2, l1 + l2 - 4.0 * l1 * l2 + 0.32 - 0.5];
        let rates: Vec<f64> = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)]
            .into_iter()
            .flat_map(|(l1, l2)| corner(l1, l2))
            .collect();
        let found = all(&rates, 2);
        assert_eq!(found.len(), 2, "{found:?}");
    }
}
