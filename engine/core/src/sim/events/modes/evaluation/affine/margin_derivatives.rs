//! Derivatives of affine margins along the motion, in a mode whose rates are a matrix: they are
//! products with that matrix, each with the size of what it is the sum of, which tells whether it can be
//! 0 by rounding.

use crate::lower::border::BorderId;
use crate::sim::events::modes::evaluation::affine::rates::Linear;
use crate::sim::events::modes::evaluation::evaluator::{Evaluator, ORDERS};
use crate::sim::events::modes::evaluation::sparsity::first_to_move;

/// A number that is a larger part than this of the terms it is the sum of is not 0 by rounding: this leaves room
/// for numbers a million times as large that went into its weights.
const SURE: f64 = 1e-6;

/// A number with the size of what it is the sum of.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Sum {
    pub(crate) value: f64,
    size: f64,
}

impl Sum {
    /// A number that is no sum.
    pub(crate) fn of(value: f64) -> Self {
        Self {
            value,
            size: value.abs(),
        }
    }

    pub(crate) fn times(self, factor: f64) -> Self {
        Self {
            value: factor * self.value,
            size: factor.abs() * self.size,
        }
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.value += other.value;
        self.size += other.size;
    }

    /// True if its sign is certain, or if it is exactly 0.
    pub(crate) fn is_sure(self) -> bool {
        self.value == 0.0 || self.value.abs() > SURE * self.size
    }
}

/// Rate of a quantity that is affine in states whose rates are a matrix: `constant + per_time * time +
/// sum of weight * state`.
#[derive(Clone, Debug, Default)]
pub(crate) struct RateForm {
    pub(crate) constant: f64,
    pub(crate) per_time: f64,
    /// Position among the states, weight; a position may come again.
    pub(crate) terms: Vec<(usize, f64)>,
}

impl RateForm {
    /// Takes in what a state's rate adds.
    pub(crate) fn add(&mut self, linear: &Linear, state: usize, weight: f64) {
        self.constant += weight * linear.offsets[state];
        self.per_time += weight * linear.per_time.get(state).copied().unwrap_or_default();
        let row = linear.row(state).iter();
        self.terms
            .extend(row.map(|term| (term.column as usize, weight * term.weight)));
    }
}

impl Evaluator {
    /// The z of a border in the last evaluation, 0 if it is 0 up to rounding, where its size tells that for
    /// certain.
    pub(crate) fn sure_z(&self, border: BorderId) -> Option<f64> {
        let margin = self.mode.margin(border)?;
        let value = self.value(margin.slot);
        if value != 0.0 {
            let form = margin.form.as_ref()?;
            let mut sum = Sum::of(form.constant);
            if let Some(knot) = margin.knot {
                sum.add(Sum::of(-self.value(knot.slot)));
            }
            sum.add(Sum::of(form.per_time * self.value(self.mode.time)));
            for &(real, weight) in &form.terms {
                sum.add(Sum::of(weight * self.slots()[real.index()]));
            }
            if !(sum.is_sure() && sum.value != 0.0) {
                return None;
            }
        }
        Some(if margin.upright { value } else { -value })
    }

    /// The first derivative of the z of a border, from an order on, that is not 0 along the mode's own
    /// motion, and its order: of an affine margin in a mode whose rates are a matrix, where sizes tell for
    /// certain. A derivative of 0 if there is none. Those from the third on are known but for a positive factor.
    ///
    /// Orders are looked through from the first in which what moves gets to the margin: at the end of a chain of
    /// integrals that one is as high as the chain is long.
    pub(crate) fn sure_derivative(
        &mut self,
        border: BorderId,
        from: usize,
        t: f64,
        y: &[f64],
    ) -> Option<(f64, usize)> {
        let mut rooms = std::mem::take(&mut self.slopes);
        let derivative = self.derivative_in(&mut rooms, border, from, (t, y));
        self.slopes = rooms;
        derivative
    }

    fn derivative_in(
        &self,
        [slopes, next]: &mut [Vec<Sum>; 2],
        border: BorderId,
        from: usize,
        (t, y): (f64, &[f64]),
    ) -> Option<(f64, usize)> {
        let (margin, linear) = (self.mode.margin(border)?, self.linear()?);
        let form = margin.form.as_ref()?;
        let (mut order, mut last) = (0, ORDERS - 1);
        while order < last {
            order += 1;
            // The rates of all states are needed where those of the margin's own do not tell.
            match order {
                1 => {}
                2 => {
                    linear.sized_rates(t, y, next);
                    linear.next_order(1, next, slopes);
                }
                _ => {
                    linear.next_order(order - 1, slopes, next);
                    std::mem::swap(slopes, next);
                    even_out(slopes);
                }
            }
            if order < from {
                continue;
            }
            let mut sum = Sum::of(if order == 1 { form.per_time } else { 0.0 });
            for &(component, weight) in &margin.moving {
                let slope = match order {
                    1 => linear.sized_rate(component, t, y),
                    _ => slopes[component],
                };
                sum.add(slope.times(weight));
            }
            if !sum.is_sure() {
                return None;
            }
            if sum.value != 0.0 {
                let upright = if margin.upright { 1.0 } else { -1.0 };
                return Some((upright * sum.value, order));
            }
            if order == ORDERS - 1 {
                last = match linear.first_to_move(&margin.moving, t, y) {
                    Some(first) => first + ORDERS - 2,
                    None => order,
                };
            }
        }
        Some((0.0, order))
    }

    /// The sizes of what an affine margin and its rate are the sums of, in a mode whose rates are a matrix.
    pub(crate) fn size_of(&self, border: BorderId, t: f64, y: &[f64]) -> Option<[f64; 2]> {
        let (margin, linear) = (self.mode.margin(border)?, self.linear()?);
        let form = margin.form.as_ref()?;
        let held = margin.held.iter();
        let held = held.map(|&(real, weight)| (weight * self.slots()[real.index()]).abs());
        let in_time = (form.per_time * t).abs();
        let knot = margin.knot.map_or(0.0, |knot| self.value(knot.slot).abs());
        let mut sizes = [
            form.constant.abs() + knot + in_time + held.sum::<f64>(),
            form.per_time.abs(),
        ];
        for &(component, weight) in &margin.moving {
            sizes[0] += (weight * y[component]).abs();
            sizes[1] += weight.abs() * linear.size_of_rate(component, t, y);
        }
        Some(sizes)
    }

    /// Rate of the z of a border along the mode's own motion, times a number, if it is affine.
    pub(crate) fn rate_form(&self, border: BorderId, factor: f64) -> Option<RateForm> {
        let (margin, linear) = (self.mode.margin(border)?, self.linear()?);
        let factor = if margin.upright { factor } else { -factor };
        let mut form = RateForm {
            constant: factor * margin.form.as_ref()?.per_time,
            ..RateForm::default()
        };
        for &(component, weight) in &margin.moving {
            form.add(linear, component, factor * weight);
        }
        Some(form)
    }
}

impl Linear {
    /// As [`first_to_move`].
    fn first_to_move(&self, of: &[(usize, f64)], t: f64, y: &[f64]) -> Option<usize> {
        let of = of.iter().map(|(state, _)| *state).collect();
        let moves = |state: usize| self.sized_rate(state, t, y).value != 0.0;
        let reads = |state: usize| self.row(state).iter().map(|term| term.column as usize);
        let in_time = |state: usize| self.per_time.get(state).is_some_and(|&it| it != 0.0);
        first_to_move(of, moves, reads, in_time)
    }
}

/// Scales derivatives of high order, so that none gets too large or too small for a number.
fn even_out(slopes: &mut [Sum]) {
    const LARGE: f64 = 1e100;
    let most = slopes
        .iter()
        .fold(0.0_f64, |most, slope| most.max(slope.size));
    if most > 0.0 && !(LARGE.recip()..LARGE).contains(&most) {
        slopes
            .iter_mut()
            .for_each(|slope| *slope = slope.times(most.recip()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(parts: &[f64]) -> Sum {
        let mut sum = Sum::default();
        parts.iter().for_each(|&part| sum.add(Sum::of(part)));
        sum
    }

    #[test]
    fn what_cancels_up_to_rounding_is_not_sure() {
        assert!(!sum(&[0.1, 0.2, -0.3]).is_sure());
        assert!(!sum(&[1e9, 0.5, -1e9]).is_sure());
        assert!(sum(&[1.0, 0.5, -1.0]).is_sure());
        assert!(sum(&[1.0, -1.0]).is_sure(), "0 is 0");
        assert!(!sum(&[f64::NAN, 1.0]).is_sure());
    }

    #[test]
    fn derivatives_of_high_order_keep_their_signs() {
        let mut slopes = [1e-200, -3e-200, 0.0].map(Sum::of);
        even_out(&mut slopes);
        assert_eq!(slopes.map(|slope| slope.value.signum()), [1.0, -1.0, 1.0]);
        assert_eq!(slopes[1].value, -1.0);
        assert_eq!(slopes[2].value, 0.0);
    }

    #[test]
    fn a_factor_keeps_the_size() {
        let third = sum(&[1.0, -1.0 + 1e-9]).times(-3.0);
        assert!(third.value < 0.0 && !third.is_sure());
    }
}
