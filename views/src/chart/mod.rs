//! Charts: a [`Figure`] says what is drawn, one file per medium draws it.
//!
//! `Series -> compose -> Figure -> svg | terminal | data`, `svg -> png`. A figure has panels of curves that
//! share their axes, one above the other, and under them lanes that show booleans as bars along the
//! same time axis. A panel may show a map of values instead of curves. It borrows the values and knows no sizes, colours or fonts; the drawing files
//! know nothing of runs and names.

mod compose;
mod data;
pub mod ensemble;
mod extent;
mod family;
pub(crate) mod font;
mod lookup;
#[cfg(feature = "png")]
mod png;
mod scale;
mod simplify;
mod svg;
mod terminal;
mod ticks;

pub use compose::{UnknownName, compose};
pub use data::data;
pub use extent::Extent;
pub use family::{FamilyPicture, FamilyView, WrongView};
pub use lookup::LookupPicture;
#[cfg(feature = "png")]
pub(crate) use png::Rasterizer;
#[cfg(feature = "png")]
pub use png::{PngError, png};
pub use scale::{Gaps, Scale};
pub(crate) use svg::escaped;
pub use svg::svg;
pub use terminal::{Screen, terminal};

use std::borrow::Cow;

use situ_words::{Phrase, phrase, say};

/// A picture of one or several runs.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Figure<'a> {
    /// Title; stands in the file, not in the picture.
    pub title: String,
    /// Line above the picture; may be empty.
    pub heading: String,
    /// True: areas between curves and zero are filled, as the bars of a histogram.
    pub filled: bool,
    /// Names of the runs, if there are several; a curve's `style` is then the run's index.
    pub runs: Vec<&'a str>,
    /// Curves, in panels from top to bottom; those over time stand before the others.
    pub panels: Vec<Panel<'a>>,
    /// Booleans over time.
    pub lanes: Vec<Lane<'a>>,
    /// Times shown by the panels over time and by the lanes.
    pub time: Extent,
    /// Unit of the time; may be empty.
    pub time_unit: &'a str,
}

/// Curves that share their axes.
#[derive(Clone, PartialEq, Debug)]
pub struct Panel<'a> {
    /// True: the horizontal axis is time.
    pub over_time: bool,
    /// Horizontal axis.
    pub x: Axis<'a>,
    /// Vertical axis.
    pub y: Axis<'a>,
    /// The curves, later ones above earlier ones.
    pub curves: Vec<Curve<'a>>,
    /// A map of values under them.
    pub cells: Option<Cells<'a>>,
}

/// Values over two quantities, shown by their lightness or, of booleans, in two colours.
#[derive(Clone, PartialEq, Debug)]
pub struct Cells<'a> {
    /// Name of what is shown.
    pub name: &'a str,
    /// Borders of the cells of a row along the horizontal axis, one more than cells.
    pub x: &'a [f64],
    /// Borders of the rows along the vertical axis, one more than rows.
    pub y: &'a [f64],
    /// The values, row by row from the lowest; cells without a finite value stay empty.
    pub values: &'a [f64],
    /// From the darkest to the lightest.
    pub extent: Extent,
    /// True: the values are 1 for true and 0 for false.
    pub truths: bool,
}

impl Cells<'_> {
    /// Every run of cells of one row whose values have one shade: left, right, bottom, top, and the shade
    /// that `shade` makes of a value, 0 to 1 from the least to the greatest.
    fn each<S: PartialEq + Copy>(
        &self,
        shade: impl Fn(f64) -> S,
    ) -> impl Iterator<Item = ([f64; 4], S)> {
        let mut found: Vec<([f64; 4], S)> = Vec::new();
        let rows = self.values.chunks(self.x.len().saturating_sub(1).max(1));
        for (row, y) in rows.zip(self.y.windows(2)) {
            for (value, x) in row.iter().zip(self.x.windows(2)) {
                if !value.is_finite() {
                    continue;
                }
                let shade = shade(self.extent.position(*value).clamp(0.0, 1.0));
                match found.last_mut() {
                    Some(([_, right, bottom, _], before))
                        if *right == x[0] && *bottom == y[0] && *before == shade =>
                    {
                        *right = x[1];
                    }
                    _ => found.push(([x[0], x[1], y[0], y[1]], shade)),
                }
            }
        }
        found.into_iter()
    }

    /// What stands in an area (left, right, bottom, top), 0 to 1: the value in its middle; true, if anything
    /// in it is true.
    fn within(&self, [left, right, bottom, top]: [f64; 4]) -> Option<f64> {
        let place = |ends: &[f64], value: f64| {
            let after = ends.partition_point(|end| *end <= value);
            after.checked_sub(1).filter(|index| index + 1 < ends.len())
        };
        let width = self.x.len().saturating_sub(1);
        if self.truths {
            let span = |ends: &[f64], from: f64, to: f64| {
                let first = ends.partition_point(|end| *end <= from).saturating_sub(1);
                let last = ends.partition_point(|end| *end < to);
                first..last.min(ends.len().saturating_sub(1)).max(first)
            };
            let rows = span(self.y, bottom, top);
            let columns = span(self.x, left, right);
            let values = rows.flat_map(|row| columns.clone().map(move |at| row * width + at));
            return values
                .filter_map(|at| self.values.get(at).copied())
                .reduce(f64::max);
        }
        let column = place(self.x, f64::midpoint(left, right))?;
        let row = place(self.y, f64::midpoint(bottom, top))?;
        let value = *self.values.get(row * width + column)?;
        let share = self.extent.position(value).clamp(0.0, 1.0);
        value.is_finite().then_some(share)
    }
}

/// One axis of a panel.
#[derive(Clone, PartialEq, Debug)]
pub struct Axis<'a> {
    /// Names of what is drawn along it, once each.
    pub names: Vec<&'a str>,
    /// Unit; may be empty.
    pub unit: &'a str,
    /// The places of the values on it.
    pub extent: Extent,
    /// How values become places.
    pub scale: Scale,
}

/// A line through points, broken where a value is not finite.
#[derive(Clone, PartialEq, Debug)]
pub struct Curve<'a> {
    /// Name of the quantity.
    pub name: &'a str,
    /// Description, one line; may be empty.
    pub about: &'a str,
    /// Its colour and marker.
    pub style: usize,
    /// Horizontal values; over time they never decrease.
    pub x: &'a [f64],
    /// Vertical values, as many.
    pub y: &'a [f64],
}

/// One boolean over time, a bar per run.
#[derive(Clone, PartialEq, Debug)]
pub struct Lane<'a> {
    /// Name of the boolean.
    pub name: &'a str,
    /// True for an event: its spans are instants.
    pub event: bool,
    /// One bar per run that has it.
    pub bars: Vec<Bar>,
}

/// When a boolean is true in one run.
#[derive(Clone, PartialEq, Debug)]
pub struct Bar {
    /// Its colour.
    pub style: usize,
    /// Begin and end of each span, in order.
    pub spans: Vec<(f64, f64)>,
}

/// Text of a figure in which nothing is drawn.
const NOTHING: Phrase = phrase!("plot-nothing");

impl<'a> Figure<'a> {
    /// True if it shows nothing.
    fn is_empty(&self) -> bool {
        self.panels.is_empty() && self.lanes.is_empty()
    }

    /// The axis of time that panels over time and lanes share.
    fn time_axis(&self) -> Axis<'a> {
        Axis {
            names: vec!["time"],
            unit: self.time_unit,
            extent: self.time,
            scale: Scale::Linear,
        }
    }
}

impl Panel<'_> {
    /// True if the curves need a legend that tells them apart by name.
    fn has_several_names(&self) -> bool {
        self.y.names.len() > 1
    }

    /// The first curve of each name, for a legend.
    fn named_curves(&self) -> impl Iterator<Item = &Curve<'_>> {
        self.curves.iter().enumerate().filter_map(|(index, curve)| {
            let seen = self.curves[..index]
                .iter()
                .any(|earlier| earlier.name == curve.name);
            (!seen).then_some(curve)
        })
    }
}

/// What stands at an axis: the name of a quantity, or the word for what is none.
fn in_words(name: &str) -> Cow<'_, str> {
    match name {
        "time" => say!("plot-time").into(),
        "index" => say!("plot-index").into(),
        "first index" => say!("plot-index.first").into(),
        "second index" => say!("plot-index.second").into(),
        name => name.into(),
    }
}

impl Axis<'_> {
    /// `h (cm)`, with the power of ten that was taken out of the tick labels: `h (10³ cm)`.
    fn caption(&self, exponent: i32) -> String {
        let names: Vec<_> = self.names.iter().map(|name| in_words(name)).collect();
        let names = names.join(", ");
        let mut unit = String::new();
        if exponent != 0 {
            unit.push_str(if self.unit.is_empty() { "×10" } else { "10" });
            unit.extend(exponent.to_string().chars().map(superscript));
        }
        if !self.unit.is_empty() {
            if !unit.is_empty() {
                unit.push(' ');
            }
            unit.push_str(&printed(self.unit));
        }
        match (names.is_empty(), unit.is_empty()) {
            (_, true) => names,
            (true, false) => format!("({unit})"),
            (false, false) => format!("{names} ({unit})"),
        }
    }
}

/// A name that fits; of one that is too long the middle is left out, as long names tell themselves apart at their ends.
fn shortened(name: &str, fits: impl Fn(&str) -> bool) -> String {
    if fits(name) {
        return name.to_owned();
    }
    let letters: Vec<char> = name.chars().collect();
    let keeping = |kept: usize| -> String {
        let tail = kept * 2 / 5;
        let (head, tail) = (&letters[..kept - tail], &letters[letters.len() - tail..]);
        head.iter().chain(&['…']).chain(tail).collect()
    };
    // Between a number of letters that fits, and one that does not.
    let (mut fitting, mut beyond) = (0, letters.len());
    while fitting + 1 < beyond {
        let kept = usize::midpoint(fitting, beyond);
        match fits(&keeping(kept)) {
            true => fitting = kept,
            false => beyond = kept,
        }
    }
    keeping(fitting)
}

/// A unit as it is printed: `kg*m/s^2` becomes `kg·m/s²`.
pub(crate) fn printed(unit: &str) -> String {
    let mut printed = String::with_capacity(unit.len());
    let mut letters = unit.chars().peekable();
    while let Some(c) = letters.next() {
        let is_raised = |c: &char| c.is_ascii_digit() || *c == '-';
        match c {
            '*' => printed.push('·'),
            '^' if letters.peek().is_some_and(is_raised) => {
                while let Some(raised) = letters.next_if(is_raised) {
                    printed.push(superscript(raised));
                }
            }
            c => printed.push(c),
        }
    }
    printed
}

fn superscript(c: char) -> char {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    match c.to_digit(10) {
        Some(digit) => DIGITS[digit as usize],
        None => '⁻',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_keep_both_ends() {
        let at_most = |most: usize| move |text: &str| text.chars().count() <= most;
        assert_eq!(shortened("height", at_most(6)), "height");
        assert_eq!(shortened("inlet_of_unit_7", at_most(11)), "inlet_…it_7");
        assert_eq!(shortened("высота_бака_2", at_most(6)), "выс…_2");
        assert_eq!(shortened("height", at_most(1)), "…");
        assert_eq!(shortened("height", at_most(0)), "…");
    }

    #[test]
    fn captions_have_printed_units() {
        let caption = |names: &[&'static str], unit: &'static str, exponent| {
            let names = names.to_vec();
            Axis {
                names,
                unit,
                extent: Extent::default(),
                scale: Scale::Linear,
            }
            .caption(exponent)
        };
        assert_eq!(caption(&["F"], "kg*m/s^2", 0), "F (kg·m/s²)");
        assert_eq!(caption(&["F", "G"], "m^-1*s", 3), "F, G (10³ m⁻¹·s)");
        assert_eq!(caption(&["x"], "", -6), "x (×10⁻⁶)");
        assert_eq!(caption(&["x"], "", 0), "x");
        assert_eq!(caption(&[], "°C", 0), "(°C)");
        assert_eq!(caption(&["x"], "a^b", 0), "x (a^b)");
    }
}
