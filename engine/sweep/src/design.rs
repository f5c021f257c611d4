//! Designs of sweeps: axes of start values that vary become rows of values.

use situ_engine::model::Input;
use statrs::distribution::{ContinuousCDF, LogNormal, Normal, Triangular, Uniform};

use crate::sampling::{MOST_DRAWN, Points, Sampling};

/// A start value that varies.
#[derive(Clone, PartialEq, Debug)]
pub struct Axis {
    /// The input whose value it is.
    pub input: Input,
    /// The values it takes, in the unit of the quantity.
    pub values: Values,
}

/// The values of an axis: some that are listed, each combined with all of the other axes, or a
/// distribution from which they are drawn.
#[derive(Clone, PartialEq, Debug)]
pub enum Values {
    /// These.
    List(Vec<f64>),
    /// Points at equal distances, both ends among them; one point is the first end.
    Grid {
        /// The first.
        from: f64,
        /// The last.
        to: f64,
        /// Number of points.
        points: u64,
    },
    /// Between two values, each equally likely.
    Uniform {
        /// The least.
        from: f64,
        /// The greatest.
        to: f64,
    },
    /// Normal.
    Normal {
        /// Mean.
        mean: f64,
        /// Standard deviation.
        deviation: f64,
    },
    /// A number whose logarithm is normal.
    LogNormal {
        /// Mean of the logarithm.
        mean: f64,
        /// Standard deviation of the logarithm.
        deviation: f64,
    },
    /// Between two values, most likely at a third.
    Triangular {
        /// The least.
        from: f64,
        /// The greatest.
        to: f64,
        /// The most likely.
        mode: f64,
    },
}

/// Why a design has no meaning.
#[derive(Clone, PartialEq, Debug)]
pub enum DesignError {
    /// The axis with this position has no values, or values that are not finite.
    NoValues(usize),
    /// The distribution of the axis with this position has no meaning: a deviation that is not positive, ends
    /// in the wrong order.
    NoDistribution(usize),
    /// Distributions are to be drawn from, and it is not said how often.
    NotSampled,
    /// There is nothing to draw.
    NothingDrawn,
    /// More axes are drawn than the way of sampling has dimensions.
    TooManyDrawn {
        /// Number of axes that are drawn.
        drawn: usize,
        /// Largest number that can be drawn.
        most: usize,
    },
    /// There are more rows than can be counted.
    TooManyRows,
    /// A row of values has another length than the list of inputs.
    UnevenRow(usize),
}

impl std::fmt::Display for DesignError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoValues(axis) => write!(f, "axis {} has no finite values", axis + 1),
            Self::NoDistribution(axis) => {
                write!(f, "the distribution of axis {} has no meaning", axis + 1)
            }
            Self::NotSampled => f.write_str("a distribution needs a number of runs"),
            Self::NothingDrawn => f.write_str("no axis has a distribution to draw from"),
            Self::TooManyDrawn { drawn, most } => {
                write!(f, "{drawn} values are to be drawn, at most {most} can be")
            }
            Self::TooManyRows => f.write_str("there are more runs than can be counted"),
            Self::UnevenRow(row) => write!(f, "row {} has another number of values", row + 1),
        }
    }
}

impl std::error::Error for DesignError {}

/// Design of a sweep: the inputs that vary and how their values are combined.
///
/// Axes with listed values are combined with each other, the last one varying fastest; at each
/// combination the axes with distributions take the same samples.
#[derive(Clone, PartialEq, Debug)]
pub struct Design {
    inputs: Vec<Input>,
    kind: Kind,
}

#[derive(Clone, PartialEq, Debug)]
enum Kind {
    Axes {
        values: Vec<Values>,
        sampling: Sampling,
        /// Combinations of listed values, and samples at each.
        combinations: u64,
        samples: u64,
    },
    Table(Vec<Vec<f64>>),
}

impl Design {
    /// A design of axes.
    ///
    /// # Errors
    ///
    /// [`DesignError`].
    pub fn new(axes: Vec<Axis>, sampling: Sampling) -> Result<Self, DesignError> {
        let mut combinations = 1_u64;
        let mut drawn = 0;
        for (position, axis) in axes.iter().enumerate() {
            match axis.values.listed() {
                Some(0) => return Err(DesignError::NoValues(position)),
                Some(n) => {
                    combinations = combinations
                        .checked_mul(n)
                        .ok_or(DesignError::TooManyRows)?;
                }
                None => drawn += 1,
            }
            axis.values.check(position)?;
        }
        let samples = match (sampling.runs(), drawn) {
            (None, 0) => 1,
            (None, _) => return Err(DesignError::NotSampled),
            (Some(_), 0) => return Err(DesignError::NothingDrawn),
            (Some(runs), _) => runs,
        };
        if matches!(sampling, Sampling::Sobol { .. }) && drawn > MOST_DRAWN {
            let most = MOST_DRAWN;
            return Err(DesignError::TooManyDrawn { drawn, most });
        }
        if combinations.checked_mul(samples).is_none() {
            return Err(DesignError::TooManyRows);
        }
        let (inputs, values) = axes
            .into_iter()
            .map(|axis| (axis.input, axis.values))
            .unzip();
        let kind = Kind::Axes {
            values,
            sampling,
            combinations,
            samples,
        };
        Ok(Self { inputs, kind })
    }

    /// A design whose rows are given.
    ///
    /// Shapes: `rows`: one value per input.
    ///
    /// # Errors
    ///
    /// [`DesignError::UnevenRow`].
    pub fn table(inputs: Vec<Input>, rows: Vec<Vec<f64>>) -> Result<Self, DesignError> {
        match rows.iter().position(|row| row.len() != inputs.len()) {
            Some(row) => Err(DesignError::UnevenRow(row)),
            None => Ok(Self {
                inputs,
                kind: Kind::Table(rows),
            }),
        }
    }

    /// Inputs that vary, in the order of a row's values.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// Number of rows.
    pub fn len(&self) -> u64 {
        match &self.kind {
            Kind::Axes {
                combinations,
                samples,
                ..
            } => combinations * samples,
            Kind::Table(rows) => rows.len() as u64,
        }
    }

    /// True if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The rows from one on.
    pub fn rows(&self, from: u64) -> Rows<'_> {
        let points = match &self.kind {
            Kind::Axes {
                values,
                sampling,
                samples,
                ..
            } => {
                let drawn = values.iter().filter(|values| values.listed().is_none());
                Some(Points::new(sampling, drawn.count(), from % samples))
            }
            Kind::Table(_) => None,
        };
        Rows {
            design: self,
            next: from,
            points,
        }
    }
}

/// The rows of a design, in order.
#[derive(Debug)]
pub struct Rows<'d> {
    design: &'d Design,
    next: u64,
    points: Option<Points>,
}

impl Iterator for Rows<'_> {
    type Item = Vec<f64>;

    fn next(&mut self) -> Option<Vec<f64>> {
        let number = self.next;
        if number >= self.design.len() {
            return None;
        }
        self.next += 1;
        match (&self.design.kind, &mut self.points) {
            (
                Kind::Axes {
                    values, samples, ..
                },
                Some(points),
            ) => {
                let (mut combination, sample) = (number / samples, number % samples);
                let unit = points.at(sample);
                let mut drawn = unit.iter();
                let mut row = vec![0.0; values.len()];
                for (place, values) in row.iter_mut().zip(values) {
                    if values.listed().is_none() {
                        let share = drawn.next().copied().unwrap_or_default();
                        *place = values.quantile(share);
                    }
                }
                for (place, values) in row.iter_mut().zip(values).rev() {
                    if let Some(n) = values.listed() {
                        *place = values.listed_at(combination % n);
                        combination /= n;
                    }
                }
                Some(row)
            }
            (Kind::Table(rows), _) => usize::try_from(number)
                .ok()
                .and_then(|number| rows.get(number).cloned()),
            (Kind::Axes { .. }, None) => unreachable!("points are made with the rows"),
        }
    }
}

/// The value of a point of a grid before its last: the exact position, without the rounding errors that
/// the decimals of the ends bring in where the point itself is a short decimal.
fn grid_point([from, to]: [f64; 2], index: u64, last: u64) -> f64 {
    if index == 0 {
        return from;
    }
    #[expect(clippy::cast_precision_loss, reason = "fewer than 2^53 points")]
    let [index, last] = [index as f64, last as f64];
    let point = (from * (last - index) + to * index) / last;
    let size = from.abs().max(to.abs());
    let short = rounded(point, size);
    match (short - point).abs() <= 2.0 * f64::EPSILON * size {
        true => short,
        false => point,
    }
}

/// A number with as many decimals as a number of a given size has when it is written with thirteen digits.
fn rounded(number: f64, size: f64) -> f64 {
    let size = format!("{size:e}");
    let exponent = size.rsplit('e').next().and_then(|text| text.parse().ok());
    let decimals = usize::try_from(12 - exponent.unwrap_or(0_i32)).unwrap_or(0);
    let short = format!("{number:.decimals$}").parse::<f64>();
    // Zero without a sign.
    short.map_or(number, |short| short + 0.0)
}

impl Values {
    /// Number of listed values; `None` if they are drawn.
    fn listed(&self) -> Option<u64> {
        match self {
            Self::List(values) => Some(values.len() as u64),
            Self::Grid { points, .. } => Some(*points),
            _ => None,
        }
    }

    /// A listed value.
    fn listed_at(&self, index: u64) -> f64 {
        match self {
            Self::List(values) => usize::try_from(index).map_or(f64::NAN, |index| values[index]),
            Self::Grid { from, to, points } => match points - 1 {
                last if index < last => grid_point([*from, *to], index, last),
                0 => *from,
                _ => *to,
            },
            _ => f64::NAN,
        }
    }

    /// The value below which a share of the drawn ones lies.
    ///
    /// Source: statrs, inverse distribution functions.
    fn quantile(&self, share: f64) -> f64 {
        let bent = |value: Result<f64, ()>| value.unwrap_or(f64::NAN);
        match *self {
            Self::Uniform { from, to } => from + (to - from) * share,
            Self::Normal { mean, deviation } => bent(
                Normal::new(mean, deviation)
                    .map(|normal| normal.inverse_cdf(share))
                    .map_err(drop),
            ),
            Self::LogNormal { mean, deviation } => bent(
                LogNormal::new(mean, deviation)
                    .map(|normal| normal.inverse_cdf(share))
                    .map_err(drop),
            ),
            Self::Triangular { from, to, mode } => bent(
                Triangular::new(from, to, mode)
                    .map(|triangular| triangular.inverse_cdf(share))
                    .map_err(drop),
            ),
            Self::List(_) | Self::Grid { .. } => f64::NAN,
        }
    }

    fn check(&self, position: usize) -> Result<(), DesignError> {
        let finite = |all: &[f64]| all.iter().all(|value| value.is_finite());
        let has_values = match self {
            Self::List(values) => finite(values),
            Self::Grid { from, to, .. } | Self::Uniform { from, to } => finite(&[*from, *to]),
            Self::Normal { mean, deviation } | Self::LogNormal { mean, deviation } => {
                finite(&[*mean, *deviation])
            }
            Self::Triangular { from, to, mode } => finite(&[*from, *to, *mode]),
        };
        if !has_values {
            return Err(DesignError::NoValues(position));
        }
        let has_meaning = match *self {
            Self::List(_) | Self::Grid { .. } => true,
            Self::Uniform { from, to } => Uniform::new(from, to).is_ok(),
            Self::Normal { mean, deviation } => Normal::new(mean, deviation).is_ok(),
            Self::LogNormal { mean, deviation } => LogNormal::new(mean, deviation).is_ok(),
            Self::Triangular { from, to, mode } => Triangular::new(from, to, mode).is_ok(),
        };
        match has_meaning {
            true => Ok(()),
            false => Err(DesignError::NoDistribution(position)),
        }
    }
}
