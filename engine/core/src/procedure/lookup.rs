//! Lookups as procedures: measured points with a kind of interpolation become operations.
//!
//! Lines and steps are one operation whose pieces are borders; a map of two arguments finds its cell by two such steps.
//! Smooth kinds have no borders but where what is done beyond their ends has some.

use std::sync::Arc;

use situ_solve::lookup::{Beyond, Form, Handle, Pieces, Spline};

use super::evaluate;
use crate::tape::{Assembler, Code, Slot};

/// Values between points.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Straight lines; over a map, linear in each argument.
    Linear,
    /// The value of the last point reached.
    Previous,
    /// The value of the nearest point; in the middle, of the right one.
    Nearest,
    /// The cubic spline whose third derivative is continuous at the second and the last but one point.
    Cubic,
    /// Cubics that rise and fall where the points do.
    Pchip,
}

impl Kind {
    /// All of them, as they are written.
    pub const NAMES: [(&'static str, Self); 5] = [
        ("linear", Self::Linear),
        ("previous", Self::Previous),
        ("nearest", Self::Nearest),
        ("cubic", Self::Cubic),
        ("pchip", Self::Pchip),
    ];

    /// As it is written.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].0
    }

    /// True if its slope does not jump at points.
    pub fn is_smooth(self) -> bool {
        matches!(self, Self::Cubic | Self::Pchip)
    }
}

/// Values outside of the points.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outside {
    /// None: the run ends with a report.
    Error,
    /// That of the end.
    Hold,
    /// As on the piece at the end.
    Extend,
    /// As if the points were repeated.
    Periodic,
}

impl Outside {
    /// All of them, as they are written.
    pub const NAMES: [(&'static str, Self); 4] = [
        ("error", Self::Error),
        ("hold", Self::Hold),
        ("extend", Self::Extend),
        ("periodic", Self::Periodic),
    ];

    /// As it is written.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].0
    }
}

/// Measured points.
#[derive(Clone, PartialEq, Debug)]
pub enum Points {
    /// Of one argument, ascending, with a value each; at least two.
    Curve {
        /// Arguments.
        x: Arc<[f64]>,
        /// Values.
        y: Arc<[f64]>,
    },
    /// Of two arguments, each ascending, at least two of each.
    Map {
        /// First arguments.
        x: Arc<[f64]>,
        /// Second arguments.
        y: Arc<[f64]>,
        /// Values, those of the first x first.
        z: Arc<[f64]>,
    },
}

impl Points {
    /// The arguments of each axis.
    pub fn axes(&self) -> Vec<&[f64]> {
        match self {
            Self::Curve { x, .. } => vec![x],
            Self::Map { x, y, .. } => vec![x, y],
        }
    }

    /// The values.
    pub fn values(&self) -> &[f64] {
        match self {
            Self::Curve { y, .. } => y,
            Self::Map { z, .. } => z,
        }
    }
}

/// Points with what is between and beyond them.
#[derive(Clone, PartialEq, Debug)]
pub struct Interpolation {
    points: Points,
    kind: Kind,
    outside: Outside,
    /// For each argument the part of its axis.
    axes: Vec<Axis>,
    body: Body,
}

/// What is done with an argument before it is looked up.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Axis {
    /// Nothing.
    Free,
    /// It is defined between the ends of these pieces.
    Guarded(Handle),
    /// It is limited to an interval.
    Limited([f64; 2]),
    /// It is brought into a period by whole periods.
    Wrapped { from: f64, period: f64 },
}

/// What is looked up.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Body {
    Pieces(Handle),
    Spline(Handle),
    /// A number of steps, and the columns of cubics: their starts and the coefficients of the powers.
    Cubics {
        steps: Handle,
        starts: Handle,
        terms: [Handle; 4],
    },
    /// Two numbers of steps, and the columns of cells: their edges, values, slopes.
    Cells {
        steps: [Handle; 2],
        per_row: f64,
        edges: [Handle; 2],
        value: Handle,
        slopes: [Handle; 2],
        twist: Handle,
    },
}

impl Interpolation {
    /// Interpolates points.
    ///
    /// # Panics
    /// If points are not as [`Points`] says, or a map is not linear: the readers of tables refuse that.
    pub fn new(points: Points, kind: Kind, outside: Outside) -> Self {
        let ascends = |axis: &&[f64]| axis.len() > 1 && axis.is_sorted_by(|a, b| a < b);
        assert!(points.axes().iter().all(ascends), "arguments ascend");
        let lengths = points.axes().into_iter().map(<[f64]>::len);
        assert_eq!(points.values().len(), lengths.product::<usize>());
        let whole = match &points {
            Points::Curve { .. } => !kind.is_smooth(),
            Points::Map { .. } => false,
        };
        let axes = points.axes().into_iter();
        let axes = axes.map(|axis| Axis::of(axis, outside, whole)).collect();
        let body = match &points {
            Points::Curve { x, y } if kind == Kind::Cubic => {
                Body::Spline(Spline::not_a_knot(x, y).intern())
            }
            Points::Curve { x, y } if kind == Kind::Pchip => cubics(x, y),
            Points::Curve { x, y } => Body::Pieces(pieces(x, y, kind, outside).intern()),
            Points::Map { x, y, z } => cells(x, y, z),
        };
        Self {
            points,
            kind,
            outside,
            axes,
            body,
        }
    }

    /// Its points.
    pub fn points(&self) -> &Points {
        &self.points
    }

    /// Values between them.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Values beyond them.
    pub fn outside(&self) -> Outside {
        self.outside
    }

    /// Number of arguments.
    pub fn n_args(&self) -> usize {
        self.axes.len()
    }

    /// True if an argument, by position, lies where there is no value.
    pub fn is_outside(&self, argument: usize, value: f64) -> bool {
        let axis = self.points.axes()[argument];
        let [low, high] = [axis[0], axis[axis.len() - 1]];
        let rounding = 8.0 * f64::EPSILON * low.abs().max(high.abs());
        let inside = low - rounding <= value && value <= high + rounding;
        self.outside == Outside::Error && !inside
    }

    /// The value; NaN where there is none.
    pub fn value(&self, args: &[f64]) -> f64 {
        evaluate(
            Assembler::new(0),
            |asm, slots| self.emit(asm, slots),
            args,
            0.0,
        )
    }

    /// Emits it.
    ///
    /// Shapes: `args`: one slot per argument.
    pub(crate) fn emit(&self, asm: &mut Assembler, args: &[Slot]) -> Slot {
        let args = args.iter().zip(&self.axes);
        let args: Vec<Slot> = args.map(|(&arg, axis)| axis.emit(asm, arg)).collect();
        let named = |asm: &mut Assembler, code: Code, of: Slot, handle: Handle| {
            let handle = asm.number(handle);
            asm.op(code, of, handle)
        };
        match self.body {
            Body::Pieces(handle) => named(asm, Code::Lookup, args[0], handle),
            Body::Spline(handle) => named(asm, Code::Spline, args[0], handle),
            Body::Cubics {
                steps,
                starts,
                terms,
            } => {
                let step = named(asm, Code::Lookup, args[0], steps);
                let start = named(asm, Code::Entry, step, starts);
                let way = asm.op(Code::Sub, args[0], start);
                let terms = terms.map(|term| named(asm, Code::Entry, step, term));
                let [constant, slope, square, cube] = terms;
                let sum = asm.op(Code::Mul, cube, way);
                let sum = asm.op(Code::Add, square, sum);
                let sum = asm.op(Code::Mul, sum, way);
                let sum = asm.op(Code::Add, slope, sum);
                let sum = asm.op(Code::Mul, sum, way);
                asm.op(Code::Add, constant, sum)
            }
            Body::Cells {
                steps,
                per_row,
                edges,
                value,
                slopes,
                twist,
            } => {
                let [i, j] = [0, 1].map(|at| named(asm, Code::Lookup, args[at], steps[at]));
                let [x, y] = [(i, 0), (j, 1)].map(|(step, at)| {
                    let edge = named(asm, Code::Entry, step, edges[at]);
                    asm.op(Code::Sub, args[at], edge)
                });
                let per_row = asm.number(per_row);
                let row = asm.op(Code::Mul, i, per_row);
                let cell = asm.op(Code::Add, row, j);
                let twist = named(asm, Code::Entry, cell, twist);
                let across = asm.op(Code::Mul, twist, x);
                let slope = named(asm, Code::Entry, cell, slopes[1]);
                let slope = asm.op(Code::Add, slope, across);
                let along = named(asm, Code::Entry, cell, slopes[0]);
                let along = asm.op(Code::Mul, along, x);
                let value = named(asm, Code::Entry, cell, value);
                let value = asm.op(Code::Add, value, along);
                let across = asm.op(Code::Mul, slope, y);
                asm.op(Code::Add, value, across)
            }
        }
    }
}

impl Axis {
    /// `whole`: the pieces that are looked up end where the points do, and say what is beyond.
    fn of(axis: &[f64], outside: Outside, whole: bool) -> Self {
        let [low, high] = [axis[0], axis[axis.len() - 1]];
        match outside {
            Outside::Periodic => Self::Wrapped {
                from: low,
                period: high - low,
            },
            Outside::Error if !whole => {
                let rows = [[low, 0.0, 1.0]; 3];
                let guard = Pieces::new(vec![low, high], &rows, Form::Same, Beyond::Undefined);
                Self::Guarded(guard.intern())
            }
            Outside::Hold if !whole => Self::Limited([low, high]),
            Outside::Error | Outside::Hold | Outside::Extend => Self::Free,
        }
    }

    fn emit(self, asm: &mut Assembler, arg: Slot) -> Slot {
        match self {
            Self::Free => arg,
            Self::Guarded(handle) => {
                let handle = asm.number(handle);
                asm.op(Code::Lookup, arg, handle)
            }
            Self::Limited([low, high]) => {
                let [low, high] = [low, high].map(|limit| asm.number(limit));
                let raised = asm.op(Code::Max, arg, low);
                asm.op(Code::Min, raised, high)
            }
            Self::Wrapped { from: 0.0, period } => {
                let period = asm.number(period);
                asm.op(Code::Mod, arg, period)
            }
            Self::Wrapped { from, period } => {
                let [from, period] = [from, period].map(|number| asm.number(number));
                let since = asm.op(Code::Sub, arg, from);
                let phase = asm.op(Code::Mod, since, period);
                asm.op(Code::Add, from, phase)
            }
        }
    }
}

/// The pieces of a curve that is not smooth.
fn pieces(x: &[f64], y: &[f64], kind: Kind, outside: Outside) -> Pieces {
    let (last, step) = (x.len() - 1, |i: usize| [x[i], y[i], 0.0]);
    let slope = |i: usize| (y[i + 1] - y[i]) / (x[i + 1] - x[i]);
    let mut rows: Vec<[f64; 3]> = match kind {
        Kind::Linear => (0..last).map(|i| [x[i], y[i], slope(i)]).collect(),
        _ => (0..=last).map(step).collect(),
    };
    let mut breaks: Vec<f64> = match kind {
        Kind::Linear => x[1..last].to_vec(),
        Kind::Nearest => x
            .windows(2)
            .map(|ends| 0.5 * ends[0] + 0.5 * ends[1])
            .collect(),
        _ => x[1..].to_vec(),
    };
    let is_line = kind == Kind::Linear;
    let ends = outside == Outside::Error || (is_line && outside == Outside::Hold);
    if ends {
        breaks.insert(0, x[0]);
        rows.insert(0, step(0));
    }
    if outside == Outside::Periodic && kind == Kind::Previous {
        // The last point falls on the first, whose value holds from there on.
        breaks.pop();
        rows.pop();
    }
    // The last value reached holds from its point on in any case.
    if ends && kind != Kind::Previous {
        breaks.push(x[last]);
        rows.push(step(last));
    }
    let form = if is_line { Form::Line } else { Form::Step };
    let beyond = match outside {
        Outside::Error => Beyond::Undefined,
        _ => Beyond::Defined,
    };
    Pieces::new(breaks, &rows, form, beyond)
}

/// The numbers of the intervals between points, those at the ends go on beyond them.
#[expect(clippy::cast_precision_loss, reason = "fewer than 2^53 intervals")]
fn steps(axis: &[f64]) -> Handle {
    let cells = axis.len() - 1;
    let rows: Vec<[f64; 3]> = (0..cells).map(|i| [axis[i], i as f64, 0.0]).collect();
    Pieces::new(axis[1..cells].to_vec(), &rows, Form::Step, Beyond::Defined).intern()
}

/// The cubics of a curve whose curvature jumps at its points.
fn cubics(x: &[f64], y: &[f64]) -> Body {
    let spline = Spline::monotone(x, y);
    let column = |at: usize| Pieces::column(spline.rows().iter().map(|row| row[at]));
    Body::Cubics {
        steps: steps(x),
        starts: column(0),
        terms: [1, 2, 3, 4].map(column),
    }
}

/// The cells of a map.
#[expect(clippy::cast_precision_loss, reason = "fewer than 2^53 cells")]
fn cells(x: &[f64], y: &[f64], z: &[f64]) -> Body {
    let edges = |axis: &[f64]| Pieces::column(axis[..axis.len() - 1].iter().copied());
    let column = |of: &dyn Fn(usize, usize) -> f64| {
        let cells = (0..x.len() - 1).flat_map(|i| (0..y.len() - 1).map(move |j| (i, j)));
        Pieces::column(cells.map(|(i, j)| of(i, j)))
    };
    let at = |i: usize, j: usize| z[i * y.len() + j];
    let width = |i: usize| x[i + 1] - x[i];
    let height = |j: usize| y[j + 1] - y[j];
    Body::Cells {
        steps: [steps(x), steps(y)],
        per_row: (y.len() - 1) as f64,
        edges: [edges(x), edges(y)],
        value: column(&at),
        slopes: [
            column(&|i, j| (at(i + 1, j) - at(i, j)) / width(i)),
            column(&|i, j| (at(i, j + 1) - at(i, j)) / height(j)),
        ],
        twist: column(&|i, j| {
            let [left, right] = [i, i + 1].map(|i| at(i, j + 1) - at(i, j));
            (right - left) / (width(i) * height(j))
        }),
    }
}
