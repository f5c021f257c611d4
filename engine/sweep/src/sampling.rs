//! Points of the unit cube: at random, one in each row and column, or evenly spread.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use sobol::Sobol;
use sobol::params::JoeKuoD6;

/// Most axes that can be drawn with [`Sampling::Sobol`].
pub(crate) const MOST_DRAWN: usize = 100;

/// Sampling: the way in which values are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sampling {
    /// Not at all: all values are listed.
    None,
    /// Independently.
    Random {
        /// Number of times.
        runs: u64,
        /// Seed that selects one of the possible draws.
        seed: u64,
    },
    /// Latin hypercube: of `runs` equal parts of each axis every one is met once.
    LatinHypercube {
        /// Number of times.
        runs: u64,
        /// Seed that selects one of the possible draws.
        seed: u64,
    },
    /// A Sobol sequence with the direction numbers of Joe and Kuo, shifted at random.
    Sobol {
        /// Number of times; powers of two are spread most evenly.
        runs: u64,
        /// Seed that selects one of the possible shifts.
        seed: u64,
    },
}

impl Sampling {
    /// Number of times that values are drawn.
    pub(crate) fn runs(self) -> Option<u64> {
        match self {
            Self::None => None,
            Self::Random { runs, .. }
            | Self::LatinHypercube { runs, .. }
            | Self::Sobol { runs, .. } => Some(runs),
        }
    }
}

/// The points, each a list of numbers above 0 and below 1.
pub(crate) struct Points {
    dimensions: usize,
    source: Source,
}

enum Source {
    Random {
        seed: u64,
    },
    Latin {
        seed: u64,
        /// For each axis the part that each run meets.
        parts: Vec<Vec<u64>>,
    },
    Sobol {
        seed: u64,
        shifts: Vec<u32>,
        sequence: Box<Sobol<u32>>,
        /// The number of the point that comes next.
        next: u64,
        last: Vec<u32>,
    },
}

impl std::fmt::Debug for Points {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Points")
            .field("dimensions", &self.dimensions)
            .finish_non_exhaustive()
    }
}

/// A generator of its own for each number, so that points do not depend on those before them.
fn generator(seed: u64, number: u64) -> Xoshiro256PlusPlus {
    // Seeds next to each other are scattered over all 256 bits by the generator's own splitmix.
    let mixed = Xoshiro256PlusPlus::seed_from_u64(seed).next_u64();
    Xoshiro256PlusPlus::seed_from_u64(mixed ^ number)
}

/// A number above 0 and below 1.
fn share(generator: &mut Xoshiro256PlusPlus) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "52 bits")]
    let bits = (generator.next_u64() >> 12) as f64;
    (bits + 0.5) / (1_u64 << 52) as f64
}

impl Points {
    /// Points beginning with one.
    pub(crate) fn new(sampling: &Sampling, dimensions: usize, from: u64) -> Self {
        let source = match *sampling {
            Sampling::None => Source::Random { seed: 0 },
            Sampling::Random { seed, .. } => Source::Random { seed },
            Sampling::LatinHypercube { runs, seed } => {
                let axes = 0..dimensions as u64;
                let parts = axes.map(|axis| shuffled(runs, seed, axis));
                Source::Latin {
                    seed,
                    parts: parts.collect(),
                }
            }
            Sampling::Sobol { seed, .. } => {
                let mut source = Source::Sobol {
                    seed,
                    shifts: Vec::new(),
                    sequence: sequence(dimensions),
                    next: 0,
                    last: Vec::new(),
                };
                source.shift(dimensions);
                source.seek(dimensions, from);
                source
            }
        };
        Self { dimensions, source }
    }

    /// The point with a number.
    pub(crate) fn at(&mut self, number: u64) -> Vec<f64> {
        let dimensions = self.dimensions;
        if dimensions == 0 {
            return Vec::new();
        }
        self.source.seek(dimensions, number);
        match &mut self.source {
            Source::Random { seed } => {
                let mut generator = generator(*seed, number);
                (0..dimensions).map(|_| share(&mut generator)).collect()
            }
            Source::Latin { seed, parts } => {
                let mut generator = generator(*seed, number);
                let place = usize::try_from(number).unwrap_or(usize::MAX);
                #[expect(clippy::cast_precision_loss, reason = "fewer than 2^53 runs")]
                let within = |parts: &Vec<u64>| {
                    (parts[place] as f64 + share(&mut generator)) / parts.len() as f64
                };
                parts.iter().map(within).collect()
            }
            Source::Sobol { shifts, last, .. } => {
                let point = last.iter().zip(shifts);
                point
                    .map(|(bits, shift)| (f64::from(bits ^ *shift) + 0.5) / 4_294_967_296.0)
                    .collect()
            }
        }
    }
}

fn sequence(dimensions: usize) -> Box<Sobol<u32>> {
    Box::new(Sobol::new(dimensions, &JoeKuoD6::minimal()))
}

impl Source {
    fn shift(&mut self, dimensions: usize) {
        if let Self::Sobol { seed, shifts, .. } = self {
            let mut generator = generator(*seed, 0);
            shifts.extend((0..dimensions).map(|_| generator.next_u32()));
        }
    }

    /// Goes to the point with a number; sequences go on from where they are, if they can.
    fn seek(&mut self, dimensions: usize, number: u64) {
        let Self::Sobol {
            sequence: points,
            next,
            last,
            ..
        } = self
        else {
            return;
        };
        if number + 1 < *next {
            *points = sequence(dimensions);
            *next = 0;
        }
        while *next <= number {
            last.clone_from(&points.next().unwrap_or_default());
            *next += 1;
        }
    }
}

/// The numbers below `n` in an order of an axis' own.
fn shuffled(n: u64, seed: u64, axis: u64) -> Vec<u64> {
    let mut order: Vec<u64> = (0..n).collect();
    // Apart from the generators of single points, whose numbers are below 2^63.
    let mut generator = generator(seed, (1 << 63) | axis);
    // Fisher and Yates; the remainder favours small numbers by less than n / 2^64.
    for last in (1..order.len()).rev() {
        let bound = last as u64 + 1;
        let other = usize::try_from(generator.next_u64() % bound).unwrap_or_default();
        order.swap(last, other);
    }
    order
}
