//! The results of a sweep as a picture: curves over the one value that varies, a map over two, and where
//! values are sampled from distributions a histogram of each measure.

use crate::chart::{Axis, Cells, Curve, Extent, Figure, Panel, Scale};

/// Measures that are drawn at most.
const MOST: usize = 6;

/// So many values of one of two quantities still make a curve each.
const MOST_CURVES: usize = 6;

/// Variation of a quantity over the runs.
#[derive(Clone, PartialEq, Debug)]
pub struct Varied {
    /// Name of the quantity.
    pub name: String,
    /// Its unit; may be empty.
    pub unit: String,
    /// Its value in each run.
    pub values: Vec<f64>,
}

/// Results of a measure: NaN where a run has none.
#[derive(Clone, PartialEq, Debug)]
pub struct Measured {
    /// The measure as it was asked for.
    pub name: String,
    /// Its unit; may be empty.
    pub unit: String,
    /// One value per run.
    pub values: Vec<f64>,
}

/// The results of runs.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Ensemble {
    /// Variation of a quantity over the runs.
    pub varied: Vec<Varied>,
    /// Results of the measures.
    pub measured: Vec<Measured>,
    /// True if values were sampled from distributions.
    pub drawn: bool,
}

/// One panel, with the numbers that a [`Figure`] borrows.
#[derive(Clone, PartialEq, Debug)]
struct Plot {
    /// Horizontal and vertical axis: name and unit.
    axes: [(String, String); 2],
    name: String,
    curves: Vec<(Vec<f64>, Vec<f64>)>,
    map: Option<Map>,
}

/// Ends of cells along both axes, and their values.
#[derive(Clone, PartialEq, Debug)]
struct Map {
    x: Vec<f64>,
    y: Vec<f64>,
    values: Vec<f64>,
}

/// An ensemble as it is drawn.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Picture {
    title: String,
    /// True if it has histograms.
    filled: bool,
    /// Names of the curves of a panel, if there are several.
    runs: Vec<String>,
    plots: Vec<Plot>,
}

impl Measured {
    /// True if it has two values or more, between which there is something to see.
    fn is_drawn(&self) -> bool {
        let values = self.values.iter();
        values.filter(|value| value.is_finite()).count() > 1
    }
}

impl Ensemble {
    /// Names of the measures that a picture leaves out.
    ///
    /// Shapes: those with fewer than two values; those for which there is no place.
    pub fn left_out(&self) -> [Vec<&str>; 2] {
        let (drawn, few): (Vec<_>, Vec<_>) = self.measured.iter().partition(|one| one.is_drawn());
        let surplus = drawn.into_iter().skip(MOST).collect();
        [few, surplus].map(|all: Vec<&Measured>| all.iter().map(|one| &*one.name).collect())
    }

    /// Picture of the measures that have two values or more, the first six of them.
    pub fn picture(&self, title: &str) -> Picture {
        let measured = self.measured.iter().filter(|one| one.is_drawn()).take(MOST);
        let mut picture = Picture {
            title: title.to_owned(),
            ..Picture::default()
        };
        match &self.varied[..] {
            [one] if !self.drawn => picture
                .plots
                .extend(measured.map(|measured| curves(one, measured, &[]))),
            [first, second] if !self.drawn => {
                let [few, many] = match distinct(first).len() <= distinct(second).len() {
                    true => [first, second],
                    false => [second, first],
                };
                let levels = distinct(few);
                if levels.len() <= MOST_CURVES {
                    let level = |value: &f64| {
                        format!("{} = {}", few.name, crate::text::number::rounded(*value))
                    };
                    picture.runs = levels.iter().map(level).collect();
                    let groups = Some((few, &levels[..]));
                    picture
                        .plots
                        .extend(measured.map(|measured| curves(many, measured, groups.as_slice())));
                } else {
                    picture
                        .plots
                        .extend(measured.map(|measured| map(first, second, measured)));
                }
            }
            _ => {
                picture.filled = true;
                picture.plots.extend(measured.map(histogram));
            }
        }
        picture
    }
}

impl Picture {
    /// True if there is nothing to see.
    pub fn is_empty(&self) -> bool {
        self.plots.is_empty()
    }

    /// As a figure.
    pub fn figure(&self) -> Figure<'_> {
        Figure {
            title: self.title.clone(),
            heading: self.title.clone(),
            filled: self.filled,
            runs: self.runs.iter().map(String::as_str).collect(),
            panels: self
                .plots
                .iter()
                .map(|plot| plot.panel(self.filled))
                .collect(),
            ..Figure::default()
        }
    }
}

impl Plot {
    /// The panel; that of a histogram stands on its zero.
    fn panel(&self, filled: bool) -> Panel<'_> {
        let [x, y] = [0, 1].map(|axis| {
            let of_curves = self.curves.iter().flat_map(|(x, y)| [x, y][axis].iter());
            let of_map = self
                .map
                .iter()
                .flat_map(|map| [&map.x, &map.y][axis].iter());
            let extent = Extent::of(of_curves.chain(of_map).copied());
            Axis {
                names: vec![&*self.axes[axis].0],
                unit: &self.axes[axis].1,
                extent: match (&self.map, filled && axis == 1) {
                    (Some(_), _) => extent,
                    (None, true) => Extent::between(0.0, 1.05 * extent.high),
                    (None, false) => extent.padded(0.05),
                },
                scale: Scale::Linear,
            }
        });
        Panel {
            over_time: false,
            x,
            y,
            curves: self
                .curves
                .iter()
                .enumerate()
                .map(|(style, (x, y))| Curve {
                    name: &self.name,
                    about: "",
                    style,
                    x,
                    y,
                })
                .collect(),
            cells: self.map.as_ref().map(|map| Cells {
                name: &self.name,
                x: &map.x,
                y: &map.y,
                values: &map.values,
                extent: Extent::of(map.values.iter().copied()),
                truths: false,
            }),
        }
    }
}

/// The zero without a sign for both, which are one value.
fn one_zero(value: f64) -> f64 {
    value + 0.0
}

/// The values of a quantity, each once, in order.
fn distinct(varied: &Varied) -> Vec<f64> {
    let mut values: Vec<f64> = varied.values.iter().copied().map(one_zero).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    values
}

/// A measure over a value that varies; a curve for each level of another one, if there is one.
fn curves(along: &Varied, measured: &Measured, groups: &[(&Varied, &[f64])]) -> Plot {
    let curve = |belongs: &dyn Fn(usize) -> bool| {
        let mut points: Vec<(f64, f64)> = along
            .values
            .iter()
            .zip(&measured.values)
            .enumerate()
            .filter(|(run, _)| belongs(*run))
            .map(|(_, (x, y))| (*x, *y))
            .collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        points.into_iter().unzip()
    };
    let curves = match groups {
        [(few, levels), ..] => levels
            .iter()
            .map(|level| curve(&|run| few.values[run] == *level))
            .collect(),
        [] => vec![curve(&|_| true)],
    };
    Plot {
        axes: [
            (along.name.clone(), along.unit.clone()),
            (measured.name.clone(), measured.unit.clone()),
        ],
        name: measured.name.clone(),
        curves,
        map: None,
    }
}

/// A measure over two values that vary: the last run of each pair.
fn map(across: &Varied, up: &Varied, measured: &Measured) -> Plot {
    let [columns, rows] = [across, up].map(distinct);
    let mut values = vec![f64::NAN; columns.len() * rows.len()];
    let place = |all: &[f64], value: f64| {
        let value = one_zero(value);
        all.partition_point(|one| one.total_cmp(&value).is_lt())
    };
    for ((x, y), value) in across.values.iter().zip(&up.values).zip(&measured.values) {
        values[place(&rows, *y) * columns.len() + place(&columns, *x)] = *value;
    }
    Plot {
        axes: [across, up].map(|one| (one.name.clone(), one.unit.clone())),
        name: measured.name.clone(),
        curves: Vec::new(),
        map: Some(Map {
            x: ends(&columns),
            y: ends(&rows),
            values,
        }),
    }
}

/// Ends of the cells around some values: half-way between them.
pub(super) fn ends(values: &[f64]) -> Vec<f64> {
    let Some((first, last)) = values.first().zip(values.last()) else {
        return Vec::new();
    };
    let mut ends: Vec<f64> = values
        .windows(2)
        .map(|two| f64::midpoint(two[0], two[1]))
        .collect();
    let [begin, end] = match (ends.first(), ends.last()) {
        (Some(second), Some(before)) => [first - (second - first), last + (last - before)],
        _ => [first - 0.5, last + 0.5],
    };
    ends.insert(0, begin);
    ends.push(end);
    ends
}

/// Histogram of the runs by a measure, as the outlines of bars. Their width is that of Freedman and Diaconis
/// (On the histogram as a density estimator, 1981).
fn histogram(measured: &Measured) -> Plot {
    /// Bars at most.
    const MOST_BARS: f64 = 100.0;
    let mut values: Vec<f64> = measured
        .values
        .iter()
        .copied()
        .filter(|value| value.is_finite())
        .collect();
    values.sort_by(f64::total_cmp);
    let quartile = |part: usize| values[(values.len() - 1) * part / 4];
    let extent = Extent::between(values[0], values[values.len() - 1]);
    let width = 2.0 * (quartile(3) - quartile(1)) / (values.len() as f64).cbrt();
    let bars = (extent.span() / width).ceil().clamp(1.0, MOST_BARS);
    let bars = if bars.is_nan() { 1 } else { bars as usize };
    let mut counts = vec![0_u64; bars];
    for value in values {
        let bar = (extent.position(value) * bars as f64) as usize;
        counts[bar.min(bars - 1)] += 1;
    }
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for (bar, count) in counts.iter().enumerate() {
        let end = |bar: usize| extent.low + extent.span() * (bar as f64 / bars as f64);
        let (left, right, height) = (end(bar), end(bar + 1), *count as f64);
        x.extend([left, left, right, right]);
        y.extend([0.0, height, height, 0.0]);
    }
    Plot {
        axes: [
            (measured.name.clone(), measured.unit.clone()),
            ("runs".to_owned(), String::new()),
        ],
        name: measured.name.clone(),
        curves: vec![(x, y)],
        map: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::{Screen, svg, terminal};

    fn varied(name: &str, values: &[f64]) -> Varied {
        Varied {
            name: name.to_owned(),
            unit: "m".to_owned(),
            values: values.to_vec(),
        }
    }

    fn measured(values: &[f64]) -> Vec<Measured> {
        let name = "max(h)".to_owned();
        let values = values.to_vec();
        let unit = String::new();
        vec![Measured { name, unit, values }]
    }

    #[test]
    fn one_value_makes_a_curve_in_its_order() {
        let ensemble = Ensemble {
            varied: vec![varied("k", &[3.0, 1.0, 2.0])],
            measured: measured(&[9.0, f64::NAN, 4.0]),
            drawn: false,
        };
        let picture = ensemble.picture("");
        let figure = picture.figure();
        let curve = &figure.panels[0].curves[0];
        assert_eq!(curve.x, [1.0, 2.0, 3.0]);
        assert!(curve.y[0].is_nan());
        assert_eq!(curve.y[1..], [4.0, 9.0]);
    }

    #[test]
    fn both_zeros_are_one_cell_of_a_map() {
        let a: Vec<f64> = (1..=7).map(f64::from).collect();
        let b = [7.0, 0.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0, -0.0];
        let pairs = a.iter().flat_map(|a| b.map(|b| (*a, b)));
        let (across, up): (Vec<f64>, Vec<f64>) = pairs.unzip();
        let sums: Vec<f64> = across.iter().zip(&up).map(|(a, b)| 10.0 * a + b).collect();
        let plot = map(
            &varied("a", &across),
            &varied("b", &up),
            &measured(&sums)[0],
        );
        let cells = plot.map.expect("a map").values;
        let known = (0..8).flat_map(|b| (1..=7).map(move |a| f64::from(10 * a + b)));
        assert_eq!(cells, known.collect::<Vec<f64>>());
    }

    #[test]
    fn a_few_of_one_value_make_a_curve_each() {
        let ensemble = Ensemble {
            varied: vec![
                varied("m", &[1.0, 1.0, 2.0, 2.0]),
                varied("k", &[5.0, 6.0, 5.0, 6.0]),
            ],
            measured: measured(&[1.0, 2.0, 3.0, 4.0]),
            drawn: false,
        };
        let picture = ensemble.picture("");
        let figure = picture.figure();
        assert_eq!(figure.runs, ["m = 1", "m = 2"]);
        let curves: Vec<&[f64]> = figure.panels[0].curves.iter().map(|one| one.y).collect();
        assert_eq!(curves, [&[1.0, 2.0][..], &[3.0, 4.0]]);
    }

    #[test]
    fn two_values_make_a_map_with_cells_around_them() {
        let (mut x, mut y, mut values) = (Vec::new(), Vec::new(), Vec::new());
        for row in 0..8 {
            for column in 0..7 {
                x.push(f64::from(column));
                y.push(f64::from(row) * 10.0);
                values.push(f64::from(row * 100 + column));
            }
        }
        values[9] = f64::NAN;
        let ensemble = Ensemble {
            varied: vec![varied("a", &x), varied("b", &y)],
            measured: measured(&values),
            drawn: false,
        };
        let picture = ensemble.picture("");
        let figure = picture.figure();
        let cells = figure.panels[0].cells.as_ref().unwrap();
        assert_eq!(cells.x[..3], [-0.5, 0.5, 1.5]);
        assert_eq!(
            cells.y,
            [-5.0, 5.0, 15.0, 25.0, 35.0, 45.0, 55.0, 65.0, 75.0]
        );
        let same = |(a, b): (&f64, &f64)| a == b || a.is_nan() && b.is_nan();
        assert!(cells.values.iter().zip(&values).all(same));
        assert_eq!((cells.extent.low, cells.extent.high), (0.0, 706.0));
        // The cells of the least shade are one path, the lower end of the scale another.
        let drawn = svg(&figure);
        assert_eq!(drawn.matches(r##"fill="#440154""##).count(), 2);
        let screen = Screen {
            width: 40,
            height: 12,
            colour: false,
        };
        insta::assert_snapshot!(terminal(&figure, screen), @r#"
   b (m)   max(h): 0 ·░▒▓█ 706
   │██████████████████████████████████
60 ┤██████████████████████████████████
   │▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓
40 ┤▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒
   │▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒
20 ┤░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
   │··········     ···················
 0 ┤··································
   └──┬─────────┬────────┬─────────┬──
      0         2        4       a (m)
"#);
    }

    #[test]
    fn what_is_drawn_makes_a_histogram_that_counts_every_run() {
        let values: Vec<f64> = (0..1000).map(|run| f64::from(run % 97).sqrt()).collect();
        let mut with_gaps = values.clone();
        with_gaps.push(f64::NAN);
        let ensemble = Ensemble {
            varied: vec![varied("a", &with_gaps)],
            measured: measured(&with_gaps),
            drawn: true,
        };
        let picture = ensemble.picture("");
        let figure = picture.figure();
        let bars = &figure.panels[0].curves[0];
        let counted: f64 = bars.y.chunks(4).map(|bar| bar[1]).sum();
        assert_eq!(counted, 1000.0);
        // Two and a half times as many in the upper half of the square roots as in the lower.
        assert!(bars.y[bars.y.len() - 2] > 2.0 * bars.y[1]);
        // Bars stand on zero and are filled.
        assert_eq!(figure.panels[0].y.extent.low, 0.0);
        assert_eq!(svg(&figure).matches("fill-opacity").count(), 1);
    }

    #[test]
    fn measures_without_numbers_are_left_out() {
        let ensemble = Ensemble {
            varied: vec![varied("a", &[1.0, 2.0])],
            measured: measured(&[f64::NAN, 1.0]),
            drawn: false,
        };
        assert!(ensemble.picture("").is_empty());
        assert_eq!(
            ensemble.left_out(),
            [vec![&*ensemble.measured[0].name], Vec::new()]
        );
    }
}
