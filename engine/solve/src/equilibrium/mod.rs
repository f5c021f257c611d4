//! Equilibria: from a guess to a state near it at which the rates of a system vanish, the time standing still.
//!
//! Newton's method with the system's Jacobian ([`newton`]), damped by the natural monotonicity test (Deuflhard,
//! *Newton Methods for Nonlinear Problems*, 2004, section 3.3). A Jacobian is singular where the motion keeps
//! something (the total of a closed network, what no row moves): what is kept then takes the place of the equations
//! that follow from others (`invariants`). Where Newton's method fails, [`continuation`]: steps of the implicit Euler
//! method that grow as the rates fall (Kelley and Keyes, SIAM J. Numer. Anal. 35, 1998).

mod invariants;

use self::invariants::Reduced;
use super::linear::Matrix;
use super::step::{Linearisation, all_finite};
use super::system::{Derivatives, Refusal, System};

/// Corrections of Newton's method, and so many times a correction is halved.
const CORRECTIONS: usize = 60;
const HALVINGS: usize = 14;

/// From this part of the sizes on corrections are taken whole, as long as they fall.
const NEAR: f64 = 1e-6;

/// Steps of the continuation; in one of them no component moves by more than this part of its size.
const STEPS: usize = 600;
const REACH: f64 = 0.5;

/// Beyond so many times its size a component has run away.
const AWAY: f64 = 1e12;

/// Most unknowns for which what the motion keeps is looked for, in a dense matrix.
const DENSE: usize = 512;

/// Most unknowns of a system that does not tell its pattern.
const ROOM: usize = 4096;

/// A system whose equilibrium is looked for.
pub trait Field: System {
    /// Moves a point to where states can be, such as onto constraints.
    ///
    /// # Errors
    ///
    /// There is no such place near it.
    fn settle(&mut self, _y: &mut [f64]) -> Result<(), Refusal> {
        Ok(())
    }

    /// True if the system is the one that holds at a point.
    fn stays(&mut self, _y: &[f64]) -> bool {
        true
    }
}

/// Where and how an equilibrium is looked for.
#[derive(Clone, Copy, Debug)]
pub struct Search<'a> {
    /// The time, which stands still.
    pub t: f64,
    /// Sizes of the components below which they are small, positive.
    pub sizes: &'a [f64],
    /// What the motion keeps has the value that it has here.
    pub kept: &'a [f64],
}

impl Search<'_> {
    /// The largest part of a component's size in a vector.
    fn part(&self, vector: &[f64], y: &[f64]) -> f64 {
        let parts = vector.iter().zip(y).zip(self.sizes);
        parts.fold(0.0, |most, ((v, y), size)| {
            let part = v.abs() / y.abs().max(*size);
            // What is no number stays.
            if part > most || part.is_nan() {
                part
            } else {
                most
            }
        })
    }
}

/// End of a continuation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The point is an equilibrium.
    Found,
    /// Another system holds at the point ([`Field::stays`]).
    Left,
    /// No equilibrium was found; the point is where the motion was left.
    Lost,
}

/// Newton's method found no equilibrium; the point is where it was.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lost;

impl From<Refusal> for Lost {
    fn from(_: Refusal) -> Self {
        Self
    }
}

/// Rates and Jacobian at a point, with the factors of what is solved.
struct Point {
    f: Vec<f64>,
    jacobian: Linearisation,
    /// Part of the Jacobian's entries up to which they may be wrong.
    noise: f64,
}

impl Point {
    fn new<F: Field>(field: &mut F) -> Result<Self, Lost> {
        let n = field.dim();
        if field.pattern().is_none() && n > ROOM {
            return Err(Lost);
        }
        let mut jacobian = Linearisation::default();
        jacobian.fit(field);
        Ok(Self {
            f: vec![0.0; n],
            jacobian,
            noise: f64::EPSILON,
        })
    }

    /// Evaluates the rates.
    fn rates<F: Field>(&mut self, field: &mut F, t: f64, y: &[f64]) -> Result<(), Lost> {
        field.rhs(t, y, &mut self.f)?;
        if all_finite(&self.f) {
            Ok(())
        } else {
            Err(Lost)
        }
    }

    /// Evaluates the Jacobian at the point of the rates.
    fn linearise<F: Field>(
        &mut self,
        field: &mut F,
        search: &Search<'_>,
        y: &[f64],
    ) -> Result<(), Lost> {
        let into = &mut self.jacobian;
        let told = field.linearise(search.t, y, &mut into.jacobian, &mut into.df_dt)?;
        if told == Derivatives::Unknown {
            self.differ(field, search, y)?;
        }
        let finite = self.jacobian.jacobian.iter().all(|entry| entry.is_finite());
        if finite { Ok(()) } else { Err(Lost) }
    }

    /// Takes central differences for the Jacobian, or differences to one side where the other is refused.
    fn differ<F: Field>(
        &mut self,
        field: &mut F,
        search: &Search<'_>,
        y: &[f64],
    ) -> Result<(), Lost> {
        let n = y.len();
        if self.jacobian.pattern.is_some() {
            return Err(Lost);
        }
        self.noise = f64::EPSILON.cbrt();
        let mut beside = y.to_vec();
        let mut sides = [vec![0.0; n], vec![0.0; n]];
        for column in 0..n {
            let h = f64::EPSILON.cbrt() * y[column].abs().max(search.sizes[column]);
            let mut ends = [0.0; 2];
            for (side, sign) in [-1.0, 1.0].into_iter().enumerate() {
                beside[column] = y[column] + sign * h;
                let told = field.rhs(search.t, &beside, &mut sides[side]);
                ends[side] = beside[column];
                if told.is_err() || !all_finite(&sides[side]) {
                    sides[side].copy_from_slice(&self.f);
                    ends[side] = y[column];
                }
            }
            beside[column] = y[column];
            if ends[0] == ends[1] {
                return Err(Lost);
            }
            for row in 0..n {
                self.jacobian.jacobian[row * n + column] =
                    (sides[1][row] - sides[0][row]) / (ends[1] - ends[0]);
            }
        }
        Ok(())
    }

    /// Factors for corrections at a point.
    fn factors(&self, search: &Search<'_>, y: &[f64]) -> Result<Factors, Lost> {
        if y.len() <= DENSE {
            let reduced = Reduced::new(&self.jacobian, self.noise, search.sizes, y);
            return reduced.map(Factors::Reduced).ok_or(Lost);
        }
        let mut matrix = Matrix::default();
        matrix.fit(y.len(), self.jacobian.pattern.as_deref());
        let factored = matrix.factor_shifted(0.0, &self.jacobian);
        factored.map_err(|_| Lost)?;
        Ok(Factors::Whole(matrix))
    }
}

/// Factors of a Jacobian.
enum Factors {
    /// With what the motion keeps in the places of dependent equations.
    Reduced(Reduced),
    /// Of the whole, its sign turned.
    Whole(Matrix),
}

impl Factors {
    /// The correction for rates at a point; `None` if they contradict each other.
    fn correction(&mut self, search: &Search<'_>, f: &[f64], y: &[f64]) -> Option<Vec<f64>> {
        match self {
            Self::Reduced(reduced) => reduced.correction(f, y, search.kept),
            Self::Whole(matrix) => {
                let mut step = f.to_vec();
                matrix.solve(&mut step);
                Some(step)
            }
        }
    }
}

/// Moves a point to an equilibrium near it, to the last digits that its rates have.
///
/// Shapes: `y`: the guess, one entry per component.
/// Result: the largest part of a component's size in the first correction: about 0 if the guess was an equilibrium.
///
/// # Errors
///
/// [`Lost`]: corrections do not become smaller, or equations contradict each other. `y` stands where that was seen.
/// Cost: for each correction a Jacobian, a factorisation of at most 512 unknowns as a dense matrix, or a sparse one,
/// and an evaluation for each time that the correction is halved.
pub fn newton<F: Field>(field: &mut F, search: &Search<'_>, y: &mut [f64]) -> Result<f64, Lost> {
    field.settle(y)?;
    let mut point = Point::new(field)?;
    point.rates(field, search.t, y)?;
    let mut first = None;
    let mut last = f64::INFINITY;
    let mut trial = y.to_vec();
    for _ in 0..CORRECTIONS {
        if y.is_empty() || point.f.iter().all(|&rate| rate == 0.0) {
            return Ok(first.unwrap_or(0.0));
        }
        point.linearise(field, search, y)?;
        let mut factors = point.factors(search, y)?;
        let step = factors.correction(search, &point.f, y).ok_or(Lost)?;
        let now = search.part(&step, y);
        if !now.is_finite() {
            return Err(Lost);
        }
        let first = *first.get_or_insert(now);
        if now <= NEAR {
            // Rounding is all that is left when corrections do not fall any more.
            if now >= 0.5 * last {
                return Ok(first);
            }
            trial.copy_from_slice(y);
            add(&mut trial, 1.0, &step);
            if field.settle(&mut trial).is_err() || point.rates(field, search.t, &trial).is_err() {
                return Ok(first);
            }
            y.copy_from_slice(&trial);
            last = now;
            if now <= f64::EPSILON {
                return Ok(first);
            }
            continue;
        }
        let mut factor = 1.0;
        let mut halvings = 0;
        loop {
            trial.copy_from_slice(y);
            add(&mut trial, factor, &step);
            let is_placed = field.settle(&mut trial).is_ok();
            if is_placed && point.rates(field, search.t, &trial).is_ok() {
                let next = factors.correction(search, &point.f, &trial);
                let next = next.map_or(f64::NAN, |next| search.part(&next, y));
                if next <= (1.0 - factor / 4.0) * now {
                    break;
                }
            }
            halvings += 1;
            if halvings > HALVINGS {
                return Err(Lost);
            }
            factor /= 2.0;
        }
        y.copy_from_slice(&trial);
        last = now;
    }
    Err(Lost)
}

/// Follows the motion with the time standing still, in ever longer steps, until Newton's method finds where it rests.
/// Linear combinations that the motion keeps are kept on the way.
///
/// Cost: for each step a Jacobian and a factorisation, sparse if the system tells its pattern.
pub fn continuation<F: Field>(field: &mut F, search: &Search<'_>, y: &mut [f64]) -> Outcome {
    match follow(field, search, y) {
        Ok(outcome) => outcome,
        Err(Lost) => Outcome::Lost,
    }
}

fn follow<F: Field>(field: &mut F, search: &Search<'_>, y: &mut [f64]) -> Result<Outcome, Lost> {
    field.settle(y)?;
    let mut point = Point::new(field)?;
    point.rates(field, search.t, y)?;
    let mut matrix = Matrix::default();
    matrix.fit(y.len(), point.jacobian.pattern.as_deref());
    let mut fastest = search.part(&point.f, y);
    let mut shift = fastest / REACH;
    let mut tried = fastest;
    let mut trial = y.to_vec();
    let mut here = y.to_vec();
    'steps: for round in 0..STEPS {
        point.linearise(field, search, &here)?;
        let rates = point.f.clone();
        loop {
            if !(shift.is_finite() && shift > 0.0) {
                break 'steps;
            }
            if matrix.factor_shifted(shift, &point.jacobian).is_ok() {
                let mut step = rates.clone();
                matrix.solve(&mut step);
                trial.copy_from_slice(&here);
                add(&mut trial, 1.0, &step);
                let is_short = search.part(&step, &here) <= REACH;
                let is_placed = is_short && field.settle(&mut trial).is_ok();
                if is_placed && point.rates(field, search.t, &trial).is_ok() {
                    break;
                }
            }
            shift *= 4.0;
        }
        here.copy_from_slice(&trial);
        if !field.stays(&here) {
            y.copy_from_slice(&here);
            return Ok(Outcome::Left);
        }
        let before = std::mem::replace(&mut fastest, search.part(&point.f, &here));
        shift *= (fastest / before).clamp(0.1, 2.0);
        if fastest <= 0.1 * tried || round % 50 == 49 {
            tried = fastest.min(tried);
            let mut found = here.clone();
            if newton(field, search, &mut found).is_ok() {
                y.copy_from_slice(&found);
                return Ok(Outcome::Found);
            }
            point.rates(field, search.t, &here)?;
        }
        let mut sized = here.iter().zip(search.sizes);
        if sized.any(|(here, size)| here.abs() > AWAY * size) {
            break;
        }
        if fastest == 0.0 {
            y.copy_from_slice(&here);
            return Ok(Outcome::Found);
        }
    }
    y.copy_from_slice(&here);
    Ok(Outcome::Lost)
}

fn add(y: &mut [f64], factor: f64, step: &[f64]) {
    for (y, step) in y.iter_mut().zip(step) {
        *y += factor * step;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rates that a closure gives.
    struct Rates<R>(usize, R);

    impl<R: FnMut(&[f64], &mut [f64])> System for Rates<R> {
        fn dim(&self) -> usize {
            self.0
        }

        fn rhs(&mut self, _t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Refusal> {
            (self.1)(y, dy);
            Ok(())
        }
    }

    impl<R: FnMut(&[f64], &mut [f64])> Field for Rates<R> {}

    fn search(kept: &[f64]) -> Search<'_> {
        Search {
            t: 0.0,
            sizes: &[1.0; 8],
            kept,
        }
    }

    /// The equilibrium that Newton's method finds from a guess.
    fn found<const N: usize>(
        guess: [f64; N],
        rates: impl FnMut(&[f64], &mut [f64]),
    ) -> Result<[f64; N], Lost> {
        let mut y = guess;
        newton(&mut Rates(N, rates), &search(&guess), &mut y)?;
        Ok(y)
    }

    fn assert_near(y: &[f64], exact: &[f64]) {
        for (y, exact) in y.iter().zip(exact) {
            assert!(
                (y - exact).abs() <= 1e-13 * exact.abs().max(1.0),
                "{y} {exact}"
            );
        }
    }

    #[test]
    fn the_equilibrium_next_to_the_guess_is_found_stable_or_not() {
        let rates = |y: &[f64], dy: &mut [f64]| dy[0] = y[0] - y[0].powi(3);
        assert_near(&found([0.8], rates).unwrap(), &[1.0]);
        assert_near(&found([0.2], rates).unwrap(), &[0.0]);
        assert_near(&found([-1.4], rates).unwrap(), &[-1.0]);
    }

    #[test]
    fn what_a_closed_network_keeps_has_the_value_of_the_guess() {
        // a + b <-> c with 2 and 0.5: from (1, 2, 0) it is at rest with 4 (1 - c) (2 - c) = c.
        let rates = |y: &[f64], dy: &mut [f64]| {
            let v = 2.0 * y[0] * y[1] - 0.5 * y[2];
            dy.copy_from_slice(&[-v, -v, v]);
        };
        let c = (13.0 - 41.0_f64.sqrt()) / 8.0;
        let y = found([1.0, 2.0, 0.0], rates).unwrap();
        assert_near(&y, &[1.0 - c, 2.0 - c, c]);
        let mut y = [1.0, 2.0, 0.0];
        let end = continuation(&mut Rates(3, rates), &search(&[1.0, 2.0, 0.0]), &mut y);
        assert_eq!(end, Outcome::Found);
        assert_near(&y, &[1.0 - c, 2.0 - c, c]);
    }

    #[test]
    fn what_nothing_moves_stays_at_its_guess() {
        let rates = |y: &[f64], dy: &mut [f64]| dy.copy_from_slice(&[0.0, y[0] - 2.0 * y[1]]);
        assert_near(&found([3.0, 9.0], rates).unwrap(), &[3.0, 1.5]);
    }

    #[test]
    fn the_continuation_goes_where_the_motion_does() {
        // Newton's method from 0 finds no slope.
        let rates = |y: &[f64], dy: &mut [f64]| dy[0] = y[0] * y[0] - 1.0;
        assert_eq!(found([0.0], rates), Err(Lost));
        let mut y = [0.0];
        let end = continuation(&mut Rates(1, rates), &search(&[0.0]), &mut y);
        assert_eq!(end, Outcome::Found);
        assert_near(&y, &[-1.0]);
    }

    #[test]
    fn where_nothing_rests_it_is_told() {
        let rates = |y: &[f64], dy: &mut [f64]| dy[0] = 1.0 + (y[0] - 2.0).powi(2);
        assert_eq!(found([0.0], rates), Err(Lost));
        let mut y = [0.0];
        let end = continuation(&mut Rates(1, rates), &search(&[0.0]), &mut y);
        assert_eq!(end, Outcome::Lost);
        assert!(y[0] > 2.0, "{y:?}");
        let constant = |_: &[f64], dy: &mut [f64]| dy[0] = 3.0;
        assert_eq!(found([0.0], constant), Err(Lost));
    }
}
