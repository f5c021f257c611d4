//! A lookup as a figure: its curve with its points as crosses, or its map of values.

use situ_engine::model::Lookup;
use situ_engine::procedure::lookup::{Outside, Points};
use situ_words::say;

use super::{Axis, Cells, Curve, Extent, Figure, Panel, Scale};

/// Values between two points that are drawn.
const BETWEEN: usize = 16;

/// Most values that are drawn in all.
const MOST: usize = 100_000;

/// Part of the points' span that is shown beyond each end, where there are values.
const BEYOND: f64 = 0.1;

/// Half the size of a cross, as a part of the span of the axis.
const CROSS: f64 = 0.006;

/// What is drawn of a lookup.
#[derive(Clone, PartialEq, Debug)]
pub struct LookupPicture<'a> {
    lookup: &'a Lookup,
    names: [String; 2],
    /// The curve, and the crosses at its points.
    curve: [Vec<f64>; 2],
    crosses: [Vec<f64>; 2],
    /// Edges of the cells of a map, and their values.
    cells: Option<[Vec<f64>; 3]>,
}

impl<'a> LookupPicture<'a> {
    /// Computes it.
    pub fn of(lookup: &'a Lookup) -> Self {
        let name = &lookup.name;
        let (names, curve, crosses, cells) = match lookup.interpolation.points() {
            Points::Curve { x, y } => {
                let names = ["argument".to_owned(), name.clone()];
                let curve = curve(lookup, x);
                let crosses = crosses([x, y], [x, &curve[1]]);
                (names, curve, crosses, None)
            }
            Points::Map { x, y, z } => {
                let names = [say!("plot-first-argument"), say!("plot-second-argument")];
                let (n, m) = (x.len(), y.len());
                let rows = (0..m).flat_map(|j| (0..n).map(move |i| i * m + j));
                let values = rows.map(|at| z[at]).collect();
                (
                    names,
                    Default::default(),
                    Default::default(),
                    Some([edges(x), edges(y), values]),
                )
            }
        };
        Self {
            lookup,
            names,
            curve,
            crosses,
            cells,
        }
    }

    /// The figure.
    pub fn figure(&self) -> Figure<'_> {
        let unit = |at: usize| self.lookup.units.get(at).map_or("", String::as_str);
        let [horizontal, vertical] = match &self.cells {
            Some([x, y, _]) => [x, y],
            None => self.curve.each_ref(),
        };
        let axis = |name: usize, values: &[f64]| Axis {
            names: vec![&*self.names[name]],
            unit: unit(name),
            extent: Extent::of(values.iter().copied().filter(|value| value.is_finite())),
            scale: Scale::Linear,
        };
        let [x, y] = [axis(0, horizontal), axis(1, vertical)];
        let curves = match &self.cells {
            Some(_) => Vec::new(),
            None => [&self.curve, &self.crosses]
                .into_iter()
                .enumerate()
                .map(|(style, [x, y])| Curve {
                    name: &self.lookup.name,
                    about: &self.lookup.about,
                    style,
                    x,
                    y,
                })
                .collect(),
        };
        let cells = self.cells.as_ref().map(|[x, y, values]| Cells {
            name: &self.lookup.name,
            x,
            y,
            values,
            extent: Extent::of(values.iter().copied()),
            truths: false,
        });
        Figure {
            title: self.lookup.name.clone(),
            panels: vec![Panel {
                over_time: false,
                x,
                y,
                curves,
                cells,
            }],
            ..Figure::default()
        }
    }
}

/// The values along the argument; a jump is a break.
fn curve(lookup: &Lookup, x: &[f64]) -> [Vec<f64>; 2] {
    let interpolation = &lookup.interpolation;
    let between = BETWEEN.min(MOST / x.len()).max(1);
    let (low, high) = (x[0], x[x.len() - 1]);
    let margin = match interpolation.outside() {
        Outside::Error => 0.0,
        _ => BEYOND * (high - low),
    };
    let mut at: Vec<f64> = Vec::new();
    let part = |from: f64, to: f64, n: usize, at: &mut Vec<f64>| {
        #[expect(clippy::cast_precision_loss, reason = "few parts")]
        at.extend((0..n).map(|k| from + (to - from) * k as f64 / n as f64));
    };
    if margin > 0.0 {
        part(low - margin, low, 8 * between, &mut at);
    }
    for ends in x.windows(2) {
        part(ends[0], ends[1], between, &mut at);
    }
    at.push(high);
    if margin > 0.0 {
        part(high, high + margin, 8 * between, &mut at);
    }
    let values = at.iter().map(|x| interpolation.value(&[*x])).collect();
    [at, values]
}

/// A cross at each point, as strokes with breaks between them.
fn crosses([x, y]: [&[f64]; 2], [along, up]: [&[f64]; 2]) -> [Vec<f64>; 2] {
    let span = |values: &[f64]| {
        let values = values.iter().copied().filter(|value| value.is_finite());
        let ends = values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], value| {
            [low.min(value), high.max(value)]
        });
        CROSS * (ends[1] - ends[0]).max(0.0)
    };
    let (wide, high) = (span(along), span(up));
    let (mut horizontal, mut vertical) = (Vec::new(), Vec::new());
    for (&x, &y) in x.iter().zip(y) {
        horizontal.extend([x - wide, x + wide, f64::NAN, x, x, f64::NAN]);
        vertical.extend([y, y, f64::NAN, y - high, y + high, f64::NAN]);
    }
    [horizontal, vertical]
}

/// Edges of cells around points.
fn edges(axis: &[f64]) -> Vec<f64> {
    let last = axis.len() - 1;
    let inner = axis.windows(2).map(|ends| 0.5 * (ends[0] + ends[1]));
    let first = axis[0] - 0.5 * (axis[1] - axis[0]);
    let end = axis[last] + 0.5 * (axis[last] - axis[last - 1]);
    std::iter::once(first).chain(inner).chain([end]).collect()
}
