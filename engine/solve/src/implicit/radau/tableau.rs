//! Numbers of the Radau IIA methods of three and five stages.
//!
//! `T^-1 A^-1 T` is block diagonal: a real eigenvalue, and pairs `alpha +- i beta`, each as the block
//! `[alpha, beta; -beta, alpha]`. Eigenvectors have 1 as last component. Computed with 50 digits from the nodes, the roots of
//! the derivative of order `S - 1` of `x^(S - 1) (x - 1)^S`.

/// A method of `S` stages and its transformation, with `P` pairs.
#[derive(Debug)]
pub(super) struct Tableau<const S: usize, const P: usize> {
    /// Places of the stages.
    pub(super) c: [f64; S],
    /// Columns are eigenvectors of the inverse of A: the real one, real and imaginary part of each pair.
    pub(super) t: [[f64; S]; S],
    /// Its inverse.
    pub(super) inverse: [[f64; S]; S],
    /// The real eigenvalue.
    pub(super) real: f64,
    /// The others, with positive imaginary part.
    pub(super) pairs: [[f64; 2]; P],
    /// Weights of the stages in the error estimate, beside h times the rates at the start (Hairer and Wanner, IV.8).
    pub(super) error: [f64; S],
}

pub(super) static THREE: Tableau<3, 1> = Tableau {
    c: [0.1550510257216822, 0.6449489742783178, 1.0],
    t: [
        [
            0.09443876248897524,
            -0.1412552950209542,
            0.030029194105147424,
        ],
        [0.2502131229653333, 0.20412935229379994, -0.3829421127572619],
        [1.0, 1.0, 0.0],
    ],
    inverse: [
        [4.178718591551905, 0.32768282076106237, 0.5233764454994495],
        [
            -4.178718591551905,
            -0.32768282076106237,
            0.47662355450055044,
        ],
        [0.5028726349457868, -2.571926949855605, 0.5960392048282249],
    ],
    real: 3.637834252744496,
    pairs: [[2.6810828736277523, 3.0504301992474105]],
    error: [-10.048809399827416, 1.382142733160749, -0.3333333333333333],
};

pub(super) static FIVE: Tableau<5, 2> = Tableau {
    c: [
        0.05710419611451768,
        0.2768430136381238,
        0.5835904323689168,
        0.8602401356562195,
        1.0,
    ],
    t: [
        [
            0.013576867344947943,
            -0.010242047817908826,
            -0.04767387729029572,
            -0.011478515255229515,
            0.01401985889287541,
        ],
        [
            0.0016179004017190875,
            0.05017286451737106,
            0.09433181918161143,
            -0.007668830749180163,
            -0.024708578426518527,
        ],
        [
            0.07915785334744721,
            -0.23053953404341795,
            -0.1027030453801259,
            0.01939846399882895,
            -0.08180035370375117,
        ],
        [
            0.41225608268046143,
            0.37789390224886127,
            -0.46674413033249434,
            0.40760117128019907,
            -0.19968242788680252,
        ],
        [1.0, 1.0, 0.0, 1.0, 0.0],
    ],
    inverse: [
        [
            27.697693775684087,
            12.783337911304406,
            3.20848938671343,
            -0.9514904122489162,
            0.7415504960259897,
        ],
        [
            5.344186437834912,
            4.593615567759161,
            -3.0363603234594243,
            1.050660190231459,
            -0.27277861186429625,
        ],
        [
            -3.748059807439805,
            3.984965736343885,
            1.0444156416080188,
            -1.1840985681379486,
            0.44991777015678036,
        ],
        [
            -33.041880213519,
            -17.376953479063566,
            -0.17212906325400557,
            -0.09916977798254265,
            0.5312281158383066,
        ],
        [
            8.611443979875292,
            -9.699991409528808,
            -1.9147286396968743,
            -2.41869200608494,
            1.0474634879353375,
        ],
    ],
    real: 6.2867047517292765,
    pairs: [
        [3.655694325463572, 6.543736899360077],
        [5.70095329867179, 3.2102656003085497],
    ],
    error: [
        -27.78093394406464,
        3.641478498049213,
        -1.2525477211691187,
        0.5920031671845428,
        -0.2,
    ],
};

#[cfg(test)]
mod tests {
    use super::*;

    /// `A^-1` from its blocks takes the values of powers at the nodes, less that at 0, to their slopes.
    fn check<const S: usize, const P: usize>(tableau: &Tableau<S, P>) {
        for power in 1..=S as i32 {
            let values = tableau.c.map(|c| c.powi(power));
            let slopes = tableau.c.map(|c| f64::from(power) * c.powi(power - 1));
            let w = times(&tableau.inverse, &values);
            let mut moved = [0.0; S];
            moved[0] = tableau.real * w[0];
            for (pair, [alpha, beta]) in tableau.pairs.into_iter().enumerate() {
                let (a, b) = (w[1 + 2 * pair], w[2 + 2 * pair]);
                moved[1 + 2 * pair] = alpha * a + beta * b;
                moved[2 + 2 * pair] = alpha * b - beta * a;
            }
            for (found, exact) in times(&tableau.t, &moved).into_iter().zip(slopes) {
                assert!((found - exact).abs() < 1e-12, "{found} for {exact}");
            }
            // The estimate vanishes for what the method is exact for with one order less.
            let sum: f64 = tableau.error.iter().zip(values).map(|(e, v)| e * v).sum();
            let start = if power == 1 { 1.0 } else { 0.0 };
            assert!((sum + start).abs() < 1e-13);
        }
    }

    fn times<const S: usize>(matrix: &[[f64; S]; S], v: &[f64; S]) -> [f64; S] {
        matrix.map(|row| row.iter().zip(v).map(|(a, b)| a * b).sum())
    }

    #[test]
    fn both_methods_are_collocation_at_their_nodes() {
        check(&THREE);
        check(&FIVE);
    }
}
