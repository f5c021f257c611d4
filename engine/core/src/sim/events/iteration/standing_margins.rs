//! The margins of borders computed from the values that stand, whatever mode the run is in.
//!
//! In a microstep what follows from others is what its rows have made of it, which is not yet what the mode makes of
//! it. A border that is affine in reals is computed from its form, others from the expressions they stand in; those of
//! kinks in rows are decided where the row is done.

use smallvec::SmallVec;

use crate::ids::{ExprId, RealId};
use crate::lower::affine::Affine;
use crate::lower::border::{BorderId, BorderSource, Borders};
use crate::model::{Argument, Comparison, Model};
use crate::sim::events::iteration::row_programs::{RowProgram, beyond_rounding, formula};

/// A margin below so many times its rounding bound counts as 0.
const SAFETY: f64 = 16.0;

/// All margins, by border.
#[derive(Clone, Debug, Default)]
pub(crate) struct StandingMargins {
    known: Vec<Standing>,
    /// Per real the borders whose margins it moves.
    pub(super) readers: Vec<SmallVec<[BorderId; 2]>>,
    /// Those that are known in their modes only, but for the ends of steps.
    pub(super) unknown: Vec<BorderId>,
}

/// Form in which a margin is computed.
#[derive(Clone, Debug)]
enum Standing {
    Affine(Affine),
    /// `left - right` of two values.
    Difference(Box<RowProgram>, [usize; 2]),
    /// That of a kink in an expression.
    Kink(Box<RowProgram>, usize),
    /// It is known in its mode only.
    Unknown,
}

/// Inputs from which margins are made.
#[derive(Clone, Copy, Debug)]
pub(super) struct MarginSource<'a> {
    pub(super) model: &'a Model,
    pub(super) constants: &'a [f64],
    /// Comparisons that are only watched.
    pub(super) watched: &'a [Comparison],
}

impl StandingMargins {
    /// Forgets all margins.
    pub(crate) fn clear(&mut self) {
        self.known.clear();
        self.readers.clear();
        self.unknown.clear();
    }

    /// Takes in borders met since.
    pub(super) fn grow(&mut self, from: MarginSource<'_>, borders: &Borders) {
        if self.known.len() == borders.len() {
            return;
        }
        self.readers.resize(from.model.reals.len(), SmallVec::new());
        for index in self.known.len()..borders.len() {
            let border = BorderId::new(index);
            let standing = Standing::new(from, borders, border);
            let mut note = |real: RealId| {
                let readers = &mut self.readers[real.index()];
                if readers.last() != Some(&border) {
                    readers.push(border);
                }
            };
            match &standing {
                Standing::Affine(form) => form.terms.iter().for_each(|(real, _)| note(*real)),
                Standing::Difference(program, _) | Standing::Kink(program, _) => {
                    program.reads().for_each(note);
                }
                Standing::Unknown if borders.is_step_end(border) => {}
                Standing::Unknown => self.unknown.push(border),
            }
            self.known.push(standing);
        }
    }

    /// The z of a border, 0 where it is 0 up to rounding, and as it was computed; `None` if it is known in its mode
    /// only.
    pub(super) fn z(&mut self, border: BorderId, t: f64, reals: &[f64]) -> Option<[f64; 2]> {
        let number = match self.known.get_mut(border.index())? {
            Standing::Affine(form) => return Some(affine(form, t, reals)),
            Standing::Difference(program, values) => program.difference(t, reals, *values),
            Standing::Kink(program, number) => program.kink_margin(t, reals, *number)?,
            Standing::Unknown => return None,
        };
        Some([beyond_rounding(&number), number.series.0[0]])
    }
}

/// The value of a form, 0 where it is 0 up to rounding, and as it was computed.
fn affine(form: &Affine, t: f64, reals: &[f64]) -> [f64; 2] {
    let in_time = form.per_time * t;
    let mut value = form.constant + in_time;
    let mut size = form.constant.abs() + in_time.abs();
    for &(real, weight) in &form.terms {
        let term = weight * reals[real.index()];
        value += term;
        size += term.abs();
    }
    let bound = SAFETY * 2.0 * f64::EPSILON * size;
    // A single term has no rounding error that could hide its sign.
    let is_sum = form.constant != 0.0 || form.per_time != 0.0 || form.terms.len() > 1;
    let beyond = if is_sum && value.abs() <= bound {
        0.0
    } else {
        value
    };
    [beyond, value]
}

impl Standing {
    fn new(from: MarginSource<'_>, borders: &Borders, border: BorderId) -> Self {
        if let Some(form) = borders.form(border) {
            return Self::Affine(form);
        }
        let MarginSource {
            model,
            constants,
            watched,
        } = from;
        let sides = |comparison: &Comparison| [comparison.left, comparison.right];
        let program = |exprs: &[ExprId]| Box::new(formula(model, exprs, constants));
        let of_range = |range: crate::ids::RangeId| {
            let all = model.ranges[range.index()].all.iter();
            all.flat_map(sides).collect::<Vec<_>>()
        };
        match borders.owners[border.index()] {
            _ if borders.is_step_end(border) => Self::Unknown,
            BorderSource::Comparison(range, position) => {
                let sides = sides(&model.ranges[range.index()].all[position]);
                Self::Difference(program(&sides), [0, 1])
            }
            BorderSource::RangeKink(range, number) => Self::Kink(program(&of_range(range)), number),
            BorderSource::Relay(relation, upper) => {
                let args = model.relations[relation.index()].args.iter();
                let exprs: Vec<ExprId> = args
                    .filter_map(|arg| match arg {
                        Argument::Real(expr) => Some(*expr),
                        Argument::Boolean(_) => None,
                    })
                    .collect();
                Self::Difference(program(&exprs), [0, if upper { 2 } else { 1 }])
            }
            BorderSource::Watch(index) => {
                Self::Difference(program(&sides(&watched[index])), [0, 1])
            }
            BorderSource::WatchKink(index, number) => {
                Self::Kink(program(&sides(&watched[index])), number)
            }
            BorderSource::RowKink(..)
            | BorderSource::Edge(..)
            | BorderSource::Bound(..)
            | BorderSource::Push(..) => Self::Unknown,
        }
    }
}
