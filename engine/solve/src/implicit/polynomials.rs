//! Points of earlier steps as polynomials: what predicts a step, its divided differences, its dense output.
//!
//! Places are in units of the step: its start is 0, its end 1, what lies before is negative.

/// The highest order.
pub(crate) const MOST: usize = 5;

/// The points of a polynomial that predicts, at most.
pub(crate) const POINTS: usize = MOST + 1;

/// A number for each point.
pub(crate) type Weights = [f64; POINTS + 1];

/// Weights of the values, less the first one, in the polynomial through `places` at 1, and in its slope there.
pub(crate) fn at_end(places: &[f64]) -> [Weights; 2] {
    let (mut value, mut slope) = ([0.0; POINTS + 1], [0.0; POINTS + 1]);
    for (i, x) in places.iter().enumerate().skip(1) {
        let (mut product, mut sum) = (1.0, 0.0);
        for (j, other) in places.iter().enumerate() {
            if j != i {
                product *= (1.0 - other) / (x - other);
                sum += 1.0 / (1.0 - other);
            }
        }
        (value[i], slope[i]) = (product, product * sum);
    }
    [value, slope]
}

/// Weights of the values, less the first one, in the derivative of the highest order of the polynomial through `places`.
pub(crate) fn highest_derivative(places: &[f64]) -> Weights {
    let mut weights = [0.0; POINTS + 1];
    let factorial: f64 = (1..places.len()).map(|factor| factor as f64).product();
    for (i, x) in places.iter().enumerate().skip(1) {
        let others = places.iter().enumerate().filter(|&(j, _)| j != i);
        weights[i] = factorial / others.map(|(_, other)| x - other).product::<f64>();
    }
    weights
}

/// Weights of the values, less the first one, in the polynomial through `places` at another place.
pub(crate) fn at(places: &[f64], place: f64) -> Weights {
    let mut weights = [0.0; POINTS + 1];
    for (i, x) in places.iter().enumerate().skip(1) {
        let others = places.iter().enumerate().filter(|&(j, _)| j != i);
        weights[i] = others
            .map(|(_, other)| (place - other) / (x - other))
            .product();
    }
    weights
}

/// For each value, less the one at 0, which stands first, its weights in the coefficients of the powers of the
/// polynomial through `places`.
pub(crate) fn coefficients(places: &[f64]) -> [[f64; POINTS]; POINTS] {
    let mut all = [[0.0; POINTS]; POINTS];
    for (i, x) in places.iter().enumerate().skip(1) {
        let powers = &mut all[i];
        powers[0] = 1.0;
        let mut degree = 0;
        for (j, other) in places.iter().enumerate() {
            if j == i {
                continue;
            }
            // Times (theta - other) / (x - other).
            let per_way = 1.0 / (x - other);
            for power in (0..=degree).rev() {
                powers[power + 1] += powers[power] * per_way;
                powers[power] *= -other * per_way;
            }
            degree += 1;
        }
        powers[0] = 0.0;
    }
    all
}

/// The error of a step of the formula with fixed leading coefficient, in units of what it is away from its
/// prediction (Brenan, Campbell, Petzold, 5.2.2): of its end, or of its dense output where that is worse.
pub(crate) fn error_weight(places: &[f64]) -> f64 {
    let order = places.len() - 1;
    let reach = 1.0 / (1.0 - places[order]);
    let sum: f64 = places[..order]
        .iter()
        .map(|place| 1.0 / (1.0 - place))
        .sum();
    reach.max((reach - leading(order) + sum).abs())
}

/// The leading coefficient of a formula of equal steps: `1 + 1/2 + .. + 1/order`.
pub(crate) fn leading(order: usize) -> f64 {
    (1..=order).map(|j| 1.0 / j as f64).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A polynomial of degree 3, its slope and its third derivative.
    fn cubic(x: f64) -> [f64; 3] {
        [
            1.0 + x * (2.0 + x * (-3.0 + x * 0.5)),
            2.0 + x * (-6.0 + x * 1.5),
            3.0,
        ]
    }

    const PLACES: [f64; 4] = [0.0, -1.0, -1.5, -4.0];

    fn sum(weights: &Weights) -> f64 {
        let values = PLACES.iter().map(|&x| cubic(x)[0] - cubic(0.0)[0]);
        weights.iter().zip(values).map(|(w, v)| w * v).sum()
    }

    #[test]
    fn a_cubic_is_found_from_four_of_its_points() {
        let [value, slope] = at_end(&PLACES);
        assert!((cubic(0.0)[0] + sum(&value) - cubic(1.0)[0]).abs() < 1e-13);
        let between = cubic(0.0)[0] + sum(&at(&PLACES, 0.3)) - cubic(0.3)[0];
        assert!(between.abs() < 1e-13);
        assert!((sum(&slope) - cubic(1.0)[1]).abs() < 1e-13);
        assert!((sum(&highest_derivative(&PLACES)) - 3.0).abs() < 1e-13);
        let all = coefficients(&PLACES);
        for (power, exact) in [0.0, 2.0, -3.0, 0.5].into_iter().enumerate() {
            let found: f64 = (1..4)
                .map(|i| all[i][power] * (cubic(PLACES[i])[0] - cubic(0.0)[0]))
                .sum();
            assert!((found - exact).abs() < 1e-13, "{power}: {found}");
        }
    }

    #[test]
    fn errors_of_equal_steps_are_those_of_the_formulas() {
        for order in 1..=MOST {
            let places: Vec<f64> = (0..=order).map(|back| -(back as f64)).collect();
            let exact = 1.0 / (order + 1) as f64;
            assert!((error_weight(&places) - exact).abs() < 1e-14);
        }
    }
}
