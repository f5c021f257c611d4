//! Problems with known solutions.

use std::sync::Arc;

use crate::system::{Derivatives, Pattern, Refusal, System};

/// A problem of two components with a known solution.
pub(super) trait Known: System + Clone {
    fn exact(t: f64) -> [f64; 2];
}

/// y' = cos(t) y1 + ..: two coupled components, nonlinear and dependent on time, with the solution
/// (exp(sin t), 1 / (2 + cos t)).
#[derive(Clone, Debug, Default)]
pub(super) struct Smooth {
    /// True if the derivatives are hidden, so that differences are taken.
    pub(super) by_differences: bool,
}

impl Known for Smooth {
    fn exact(t: f64) -> [f64; 2] {
        [t.sin().exp(), 1.0 / (2.0 + t.cos())]
    }
}

impl System for Smooth {
    fn dim(&self) -> usize {
        2
    }

    fn rhs(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Refusal> {
        // The second term of the first row vanishes on the solution only.
        dy[0] = t.cos() * y[0] + 2.0 * (y[1] * (2.0 + t.cos()) - 1.0) * y[0];
        dy[1] = t.sin() * y[1] * y[1];
        Ok(())
    }

    fn linearise(
        &mut self,
        t: f64,
        y: &[f64],
        jacobian: &mut [f64],
        df_dt: &mut [f64],
    ) -> Result<Derivatives, Refusal> {
        if self.by_differences {
            return Ok(Derivatives::Unknown);
        }
        let (sin, cos) = t.sin_cos();
        jacobian[0] = cos + 2.0 * (y[1] * (2.0 + cos) - 1.0);
        jacobian[1] = 2.0 * (2.0 + cos) * y[0];
        jacobian[2] = 0.0;
        jacobian[3] = 2.0 * sin * y[1];
        df_dt[0] = -sin * y[0] - 2.0 * y[1] * sin * y[0];
        df_dt[1] = cos * y[1] * y[1];
        Ok(Derivatives::Exact)
    }
}

/// The solution of [`Smooth`], the second component algebraic.
#[derive(Clone, Debug, Default)]
pub(super) struct WithAlgebraic;

impl Known for WithAlgebraic {
    fn exact(t: f64) -> [f64; 2] {
        Smooth::exact(t)
    }
}

impl System for WithAlgebraic {
    fn dim(&self) -> usize {
        2
    }

    fn n_algebraic(&self) -> usize {
        1
    }

    fn rhs(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Refusal> {
        let (sin, cos) = t.sin_cos();
        let one = y[1] * (2.0 + cos);
        dy[0] = cos * y[0] + 2.0 * (one - 1.0) * y[0];
        dy[1] = one.powi(3) + 0.1 * (y[0] - sin.exp()) - 1.0;
        Ok(())
    }

    fn algebraic_rates(&mut self, t: f64, _y: &[f64], dy: &mut [f64]) -> Result<(), Refusal> {
        dy[1] = t.sin() / (2.0 + t.cos()).powi(2);
        Ok(())
    }

    fn linearise(
        &mut self,
        t: f64,
        y: &[f64],
        jacobian: &mut [f64],
        df_dt: &mut [f64],
    ) -> Result<Derivatives, Refusal> {
        let (sin, cos) = t.sin_cos();
        let one = y[1] * (2.0 + cos);
        jacobian[0] = cos + 2.0 * (one - 1.0);
        jacobian[1] = 2.0 * (2.0 + cos) * y[0];
        jacobian[2] = 0.1;
        jacobian[3] = 3.0 * one.powi(2) * (2.0 + cos);
        df_dt[0] = -sin * y[0] - 2.0 * y[1] * sin * y[0];
        df_dt[1] = -3.0 * one.powi(2) * y[1] * sin - 0.1 * cos * sin.exp();
        Ok(Derivatives::Exact)
    }
}

/// y1' = y2, y2' = t - y1, with the solution (t + cos t, 1 - sin t): affine, so that the Taylor series is known.
#[derive(Clone, Debug, Default)]
pub(super) struct Driven;

impl Known for Driven {
    fn exact(t: f64) -> [f64; 2] {
        [t + t.cos(), 1.0 - t.sin()]
    }
}

impl System for Driven {
    fn dim(&self) -> usize {
        2
    }

    fn rhs(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Refusal> {
        dy[0] = y[1];
        dy[1] = t - y[0];
        Ok(())
    }

    fn has_series(&mut self, _affine: bool) -> bool {
        true
    }

    fn series(&mut self, _t: f64, last: usize, coefficients: &mut [f64]) -> usize {
        for order in 2..=last {
            let share = 1.0 / order as f64;
            let drive = if order == 2 { 1.0 } else { 0.0 };
            let before = [coefficients[2 * order - 2], coefficients[2 * order - 1]];
            coefficients[2 * order] = before[1] * share;
            coefficients[2 * order + 1] = (drive - before[0]) * share;
        }
        last
    }
}

/// angle'' = -(g / l) sin(angle), g = 9.81, l = 1.
#[derive(Clone, Debug, Default)]
pub(super) struct Pendulum;

impl Pendulum {
    pub(super) fn energy(y: &[f64]) -> f64 {
        0.5 * y[1] * y[1] - 9.81 * libm::cos(y[0])
    }
}

impl System for Pendulum {
    fn dim(&self) -> usize {
        2
    }

    fn rhs(&mut self, _t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Refusal> {
        dy[0] = y[1];
        dy[1] = -9.81 * libm::sin(y[0]);
        Ok(())
    }
}

/// Robertson's reactions, with or without a pattern of the Jacobian.
#[derive(Clone, Debug, Default)]
pub(super) struct Robertson {
    pattern: Option<Arc<Pattern>>,
}

impl Robertson {
    pub(super) fn sparse() -> Self {
        Self {
            pattern: Some(Arc::new(Pattern::from_rows(&[
                vec![0, 1, 2],
                vec![0, 1, 2],
                vec![1],
            ]))),
        }
    }
}

impl System for Robertson {
    fn dim(&self) -> usize {
        3
    }

    fn rhs(&mut self, _t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Refusal> {
        let (slow, fast) = (0.04 * y[0] - 1e4 * y[1] * y[2], 3e7 * y[1] * y[1]);
        dy.copy_from_slice(&[-slow, slow - fast, fast]);
        Ok(())
    }

    fn pattern(&mut self) -> Option<Arc<Pattern>> {
        self.pattern.clone()
    }

    fn linearise(
        &mut self,
        _t: f64,
        y: &[f64],
        jacobian: &mut [f64],
        df_dt: &mut [f64],
    ) -> Result<Derivatives, Refusal> {
        df_dt.fill(0.0);
        let (a, b, c) = (1e4 * y[2], 1e4 * y[1], 6e7 * y[1]);
        let rows = [-0.04, a, b, 0.04, -a - c, -b];
        jacobian[..6].copy_from_slice(&rows);
        if self.pattern.is_some() {
            jacobian[6] = c;
        } else {
            jacobian[6..].copy_from_slice(&[0.0, c, 0.0]);
        }
        Ok(Derivatives::Exact)
    }
}

/// Van der Pol's oscillator, y'' = ((1 - y^2) y' - y) / epsilon in the scaled form.
#[derive(Clone, Debug)]
pub(super) struct VanDerPol {
    pub(super) epsilon: f64,
}

impl System for VanDerPol {
    fn dim(&self) -> usize {
        2
    }

    fn rhs(&mut self, _t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Refusal> {
        dy[0] = y[1];
        dy[1] = ((1.0 - y[0] * y[0]) * y[1] - y[0]) / self.epsilon;
        Ok(())
    }

    fn linearise(
        &mut self,
        _t: f64,
        y: &[f64],
        jacobian: &mut [f64],
        df_dt: &mut [f64],
    ) -> Result<Derivatives, Refusal> {
        df_dt.fill(0.0);
        jacobian[..2].copy_from_slice(&[0.0, 1.0]);
        jacobian[2] = (-2.0 * y[0] * y[1] - 1.0) / self.epsilon;
        jacobian[3] = (1.0 - y[0] * y[0]) / self.epsilon;
        Ok(Derivatives::Exact)
    }
}

/// HIRES, eight reactions of photomorphogenesis (Hairer and Wanner, IV.10); derivatives by
/// differences.
#[derive(Clone, Debug, Default)]
pub(super) struct Hires;

impl System for Hires {
    fn dim(&self) -> usize {
        8
    }

    fn rhs(&mut self, _t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Refusal> {
        let pair = 280.0 * y[5] * y[7];
        dy[0] = -1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007;
        dy[1] = 1.71 * y[0] - 8.75 * y[1];
        dy[2] = -10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4];
        dy[3] = 8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3];
        dy[4] = -1.745 * y[4] + 0.43 * y[5] + 0.43 * y[6];
        dy[5] = -pair + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6];
        dy[6] = pair - 1.81 * y[6];
        dy[7] = -pair + 1.81 * y[6];
        Ok(())
    }
}
