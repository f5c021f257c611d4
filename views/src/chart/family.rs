//! A family as a figure: its values over index and time as a map, or over index at some times as curves.

use situ_words::say;

use super::{Axis, Cells, Curve, Extent, Figure, Panel, Scale};
use crate::columns::family::{ElementKind, Family, FamilyRows};
use crate::text::number::{in_unit, time as shown_time};

/// Columns of a map over time, and of a grid.
const ACROSS: usize = 240;
/// Rows of a map; elements beyond are taken together.
const UP: usize = 200;
/// Times of a profile for which none are asked.
const PROFILES: u32 = 5;

/// Way to draw a family.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FamilyView {
    /// Index over time; of a family with two indices a grid at each time.
    Map,
    /// Value over index, at each time.
    Profile,
}

/// A family that cannot be drawn as asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WrongView {
    /// Elements with so many indices have no such view.
    Indices {
        /// Name of the family.
        family: String,
        /// Number of indices.
        count: usize,
        /// The view.
        view: FamilyView,
    },
    /// A map over time shows all times, and some were asked for.
    Times(String),
}

impl std::fmt::Display for WrongView {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Indices {
                family,
                count: 2,
                view: FamilyView::Profile,
            } => f.write_str(&say!("plot-two-indices", family)),
            Self::Indices { family, count, .. } => {
                f.write_str(&say!("plot-many-indices", family, n = count))
            }
            Self::Times(family) => f.write_str(&say!("plot-map-times", family)),
        }
    }
}

impl std::error::Error for WrongView {}

impl FamilyView {
    /// Checks that a family can be drawn this way.
    ///
    /// # Errors
    ///
    /// [`WrongView`] if it has too many indices, or if some times are asked of a map over time.
    pub fn check(self, family: &Family, at: &[f64]) -> Result<(), WrongView> {
        let count = family.indices.first().map_or(0, |indices| indices.len());
        match (self, count) {
            (Self::Map, 1) if !at.is_empty() => Err(WrongView::Times(family.name.clone())),
            (_, 1) | (Self::Map, 2) => Ok(()),
            _ => Err(WrongView::Indices {
                family: family.name.clone(),
                count,
                view: self,
            }),
        }
    }
}

/// A family as it is drawn.
#[derive(Clone, PartialEq, Debug)]
pub struct FamilyPicture {
    name: String,
    unit: String,
    time_unit: String,
    kind: ElementKind,
    /// Names of the horizontal and the vertical axis.
    axes: [&'static str; 2],
    over_time: bool,
    /// Ends of cells along both axes.
    ends: [Vec<f64>; 2],
    /// Name and values of each map.
    maps: Vec<(String, Vec<f64>)>,
    /// What the values of maps reach, those that have no cell of their own among them.
    reach: Extent,
    /// Indices, names and values of the curves.
    indices: Vec<f64>,
    curves: Vec<(String, Vec<f64>)>,
}

impl FamilyPicture {
    /// Computes it of a family that the view can show, see [`FamilyView::check`].
    pub fn of(rows: &FamilyRows, view: FamilyView) -> Self {
        let family = rows.family();
        let mut picture = Self {
            name: family.name.clone(),
            unit: family.unit.clone(),
            time_unit: family.time_unit.clone(),
            kind: family.kind,
            axes: ["index", ""],
            over_time: false,
            ends: Default::default(),
            maps: Vec::new(),
            reach: Extent::default(),
            indices: places(family, 0),
            curves: Vec::new(),
        };
        let has_two = family.indices.first().is_some_and(|first| first.len() > 1);
        match (view, has_two) {
            (FamilyView::Profile, _) => picture.curves = profiles(rows),
            (FamilyView::Map, false) => picture.map_over_time(rows),
            (FamilyView::Map, true) => picture.grids(rows),
        }
        picture
    }

    fn map_over_time(&mut self, rows: &FamilyRows) {
        (self.axes, self.over_time) = (["time", "index"], true);
        let (Some(&start), Some(&end)) = (rows.times().first(), rows.times().last()) else {
            return;
        };
        let (cells_up, places_up) = cells_of(&self.indices);
        let n_rows = cells_up.len() - 1;
        let n_columns = match rows.times().len() {
            1 => 1,
            _ => ACROSS,
        };
        let span = Extent::between(start, end);
        let edge = |column: usize| span.low + span.span() * (column as f64 / n_columns as f64);
        let edges: Vec<f64> = (0..=n_columns).map(edge).collect();
        let mut values = vec![f64::NAN; n_rows * n_columns];
        let columns = match self.kind {
            ElementKind::Real => numbers_over(rows, &edges),
            _ => truths_over(rows, &edges),
        };
        for (column, here) in columns.into_iter().enumerate() {
            for (row, value) in places_up.iter().zip(here) {
                values[row * n_columns + column] = value;
            }
        }
        if self.kind == ElementKind::Real {
            let reach = rows.reach(0..rows.times().len());
            self.reach = Extent::of(reach.into_iter().flatten());
        }
        self.add(edges, cells_up, vec![(self.name.clone(), values)]);
    }

    fn grids(&mut self, rows: &FamilyRows) {
        self.axes = ["first index", "second index"];
        let family = rows.family();
        let all = [0, 1].map(|index| places(family, index));
        let distinct = all.clone().map(|mut places| {
            places.sort_by(f64::total_cmp);
            places.dedup();
            places
        });
        let [(across, places_across), (up, places_up)] =
            distinct.each_ref().map(|one| cells_of(one));
        let n_across = across.len() - 1;
        let at = |sorted: &[f64], place: f64| sorted.partition_point(|other| *other < place);
        let cells: Vec<usize> = (all[0].iter().zip(&all[1]))
            .map(|(x, y)| {
                let (x, y) = (at(&distinct[0], *x), at(&distinct[1], *y));
                places_up[y] * n_across + places_across[x]
            })
            .collect();
        let shown = match rows.wanted().is_empty() {
            true => rows.times().len().saturating_sub(1)..rows.times().len(),
            false => 0..rows.times().len(),
        };
        let values = shown.clone().flat_map(|row| rows.values(row));
        self.reach = Extent::of(values.copied());
        let maps = shown.map(|row| {
            let mut values = vec![f64::NAN; n_across * (up.len() - 1)];
            for (cell, value) in cells.iter().zip(rows.values(row)) {
                values[*cell] = *value;
            }
            let time = in_unit(shown_time(rows.times()[row]), &family.time_unit);
            (say!("plot-at-time", name = &self.name, time), values)
        });
        let maps = maps.collect();
        self.add(across, up, maps);
    }

    /// Adds maps, with so many cells taken together that they can be seen.
    fn add(&mut self, across: Vec<f64>, up: Vec<f64>, maps: Vec<(String, Vec<f64>)>) {
        let counts = [across.len() - 1, up.len() - 1];
        let sizes = [counts[0].div_ceil(ACROSS), counts[1].div_ceil(UP)];
        let join = |values: Vec<f64>| match sizes {
            [1, 1] => values,
            _ => joined(&values, counts, sizes, self.kind),
        };
        self.maps = maps
            .into_iter()
            .map(|(name, values)| (name, join(values)))
            .collect();
        self.ends = [thinned(across, sizes[0]), thinned(up, sizes[1])];
    }

    /// As a figure.
    pub fn figure(&self) -> Figure<'_> {
        let [across, up] = &self.ends;
        let truths = self.kind != ElementKind::Real;
        let shades = match truths {
            true => Extent::between(0.0, 1.0),
            false => self.reach,
        };
        let axis = |name: &'static str, ends: &[f64]| Axis {
            names: vec![name],
            unit: match name {
                "time" => &self.time_unit,
                _ => "",
            },
            extent: Extent::of(ends.iter().copied()),
            scale: Scale::Linear,
        };
        let maps = self.maps.iter().map(|(name, values)| Panel {
            over_time: self.over_time,
            x: axis(self.axes[0], across),
            y: axis(self.axes[1], up),
            curves: Vec::new(),
            cells: Some(Cells {
                name,
                x: across,
                y: up,
                values,
                extent: shades,
                truths,
            }),
        });
        let mut panels: Vec<Panel<'_>> = maps.collect();
        if !self.curves.is_empty() {
            panels.push(self.profile());
        }
        Figure {
            runs: self.curves.iter().map(|(name, _)| name.as_str()).collect(),
            panels,
            time: Extent::of(across.iter().copied()),
            time_unit: &self.time_unit,
            ..Figure::default()
        }
    }

    fn profile(&self) -> Panel<'_> {
        let values = self
            .curves
            .iter()
            .flat_map(|(_, values)| values.iter().copied());
        let curves = self.curves.iter().enumerate();
        Panel {
            over_time: false,
            x: Axis {
                names: vec![self.axes[0]],
                unit: "",
                extent: Extent::of(self.indices.iter().copied()).padded(0.02),
                scale: Scale::Linear,
            },
            y: Axis {
                names: vec![&self.name],
                unit: &self.unit,
                extent: Extent::of(values).padded(0.05),
                scale: Scale::Linear,
            },
            curves: curves
                .map(|(style, (_, values))| Curve {
                    name: &self.name,
                    about: "",
                    style,
                    x: &self.indices,
                    y: values,
                })
                .collect(),
            cells: None,
        }
    }
}

/// One of the indices of each element.
fn places(family: &Family, index: usize) -> Vec<f64> {
    let places = family.indices.iter();
    places
        .map(|indices| indices.get(index).map_or(0.0, |place| *place as f64))
        .collect()
}

/// The ends of the cells of ascending indices, and which of the cells each has: an index that no element has is a cell
/// without values.
fn cells_of(indices: &[f64]) -> (Vec<f64>, Vec<usize>) {
    let Some(first) = indices.first() else {
        return (vec![0.0], Vec::new());
    };
    let (mut ends, mut places) = (vec![first - 0.5], Vec::new());
    for index in indices {
        if ends.last().is_some_and(|end| *end < index - 0.5) {
            ends.push(index - 0.5);
        }
        places.push(ends.len() - 1);
        ends.push(index + 0.5);
    }
    (ends, places)
}

/// Whether booleans are true anywhere between each two times, the later left out unless it is the last.
fn truths_over(rows: &FamilyRows, edges: &[f64]) -> Vec<Vec<f64>> {
    let times = rows.times();
    let n = edges.len() - 1;
    let columns = edges.windows(2).enumerate().map(|(column, ends)| {
        let begun = times.partition_point(|time| *time <= ends[0]);
        let (first, mut values) = match (rows.family().kind, begun.checked_sub(1)) {
            (ElementKind::Level, Some(before)) => (begun, rows.values(before).to_vec()),
            _ => {
                let none = vec![0.0; rows.family().indices.len()];
                (times.partition_point(|time| *time < ends[0]), none)
            }
        };
        for row in first..rows_before(times, ends[1], column + 1 == n).max(first) {
            for (value, now) in values.iter_mut().zip(rows.values(row)) {
                *value = value.max(*now);
            }
        }
        values
    });
    columns.collect()
}

/// Numbers between each two times: in the middle, or what stands out against the middle and those on both sides.
fn numbers_over(rows: &FamilyRows, edges: &[f64]) -> Vec<Vec<f64>> {
    let times = rows.times();
    let ends = || edges.windows(2);
    let middles: Vec<Vec<f64>> = ends()
        .map(|ends| rows.values_at(f64::midpoint(ends[0], ends[1])))
        .collect();
    let n = middles.len();
    let at = |column: Option<usize>, element: usize| Some(middles.get(column?)?[element]);
    let columns = ends().enumerate().map(|(column, ends)| {
        let first = times.partition_point(|time| *time < ends[0]);
        let last = rows_before(times, ends[1], column + 1 == n);
        let [least, most] = rows.reach(first..last.max(first));
        let elements = middles[column].iter().enumerate();
        let shown = elements.map(|(element, middle)| {
            let sides = [column.checked_sub(1), Some(column + 1)].map(|side| at(side, element));
            let [before, behind] = on_both_sides(*middle, sides);
            let reach = [least[element], most[element]];
            standing_out([before, *middle, behind], reach).unwrap_or(*middle)
        });
        shown.collect()
    });
    columns.collect()
}

/// The values on both sides of one; on a side that has none it goes on as it does from the other one, as far as to its own
/// edge, which is half a cell away, and half as far again.
fn on_both_sides(own: f64, [before, behind]: [Option<f64>; 2]) -> [f64; 2] {
    let beyond = |other: Option<f64>| own + 0.75 * (own - other.unwrap_or(own));
    [
        before.unwrap_or_else(|| beyond(behind)),
        behind.unwrap_or_else(|| beyond(before)),
    ]
}

/// Number of rows before a time, or up to it.
fn rows_before(times: &[f64], end: f64, included: bool) -> usize {
    times.partition_point(|time| *time < end || included && *time == end)
}

/// The least or the greatest of some values, if it lies beyond those that are known: the one that lies farther.
fn standing_out(known: impl IntoIterator<Item = f64>, [least, most]: [f64; 2]) -> Option<f64> {
    let known = known.into_iter().filter(|value| value.is_finite());
    let [low, high] = known.fold([f64::NAN; 2], |[low, high], value| {
        [low.min(value), high.max(value)]
    });
    let (below, above) = (low - least, most - high);
    match (below > 0.0, above > 0.0) {
        (true, false) => Some(least),
        (true, true) if below > above => Some(least),
        (_, true) => Some(most),
        _ => None,
    }
}

/// Profiles at the times asked for, or at some of the run.
fn profiles(rows: &FamilyRows) -> Vec<(String, Vec<f64>)> {
    let unit = &rows.family().time_unit;
    let shown = |time: f64| in_unit(shown_time(time), unit);
    let named = |time: f64, values: Vec<f64>| (format!("time = {}", shown(time)), values);
    if !rows.wanted().is_empty() {
        let all = rows.times().iter().enumerate();
        return all
            .map(|(row, time)| named(*time, rows.values(row).to_vec()))
            .collect();
    }
    let (Some(&start), Some(&end)) = (rows.times().first(), rows.times().last()) else {
        return Vec::new();
    };
    let step = (end - start) / f64::from(PROFILES - 1);
    let count = if step > 0.0 { PROFILES } else { 1 };
    let times = (0..count).map(|part| start + f64::from(part) * step);
    times
        .map(|time| named(time, rows.values_at(time)))
        .collect()
}

/// Cells taken together: of reals their mean, or what stands out against it and those on both sides; of booleans true if
/// one is.
///
/// Shapes: `values`, row by row, `counts` across and up; `sizes`: cells that become one.
fn joined(values: &[f64], counts: [usize; 2], sizes: [usize; 2], kind: ElementKind) -> Vec<f64> {
    let (mut means, mut reaches) = (Vec::new(), Vec::new());
    for rows in values.chunks(counts[0] * sizes[1]) {
        for first in (0..counts[0]).step_by(sizes[0]) {
            let last = counts[0].min(first + sizes[0]);
            let cells = rows.chunks(counts[0]).flat_map(|row| &row[first..last]);
            let there = cells.copied().filter(|value| value.is_finite());
            let mut n = 0.0;
            let (sum, reach) = there.fold((0.0, [f64::NAN; 2]), |(sum, [least, most]), value| {
                n += 1.0;
                (sum + value, [least.min(value), most.max(value)])
            });
            means.push(sum / n);
            reaches.push(reach);
        }
    }
    if kind != ElementKind::Real {
        return reaches.into_iter().map(|[_, most]| most).collect();
    }
    let across = counts[0].div_ceil(sizes[0]);
    let shown = means.iter().zip(reaches).enumerate();
    let shown = shown.map(|(place, (mean, reach))| {
        let column = place % across;
        let left = (column > 0).then(|| means[place - 1]);
        let right = (column + 1 < across).then(|| means[place + 1]);
        let below = place.checked_sub(across).map(|below| means[below]);
        let above = means.get(place + across).copied();
        let directions = [([left, right], sizes[0]), ([below, above], sizes[1])];
        let joining = directions.into_iter().filter(|(_, size)| *size > 1);
        let known = joining.flat_map(|(sides, _)| on_both_sides(*mean, sides));
        standing_out(known.chain([*mean]), reach).unwrap_or(*mean)
    });
    shown.collect()
}

/// Every so many ends, and the last.
fn thinned(ends: Vec<f64>, size: usize) -> Vec<f64> {
    let last = ends.len() - 1;
    let stays = |at: usize| at.is_multiple_of(size) || at == last;
    ends.into_iter()
        .enumerate()
        .filter(|(at, _)| stays(*at))
        .map(|(_, end)| end)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::{Screen, svg, terminal};
    use crate::columns::series::{BooleanColumn, RealColumn, Series};

    const SCREEN: Screen = Screen {
        width: 40,
        height: 10,
        colour: false,
    };

    fn real(name: String, values: Vec<f64>) -> RealColumn {
        RealColumn {
            name,
            values,
            ..RealColumn::default()
        }
    }

    /// A front that moves one cell per unit of time.
    fn front(n: i32) -> Series {
        let time: Vec<f64> = (0..=10).map(f64::from).collect();
        let behind = |j: i32| time.iter().map(move |t| *t - f64::from(j));
        Series {
            label: String::new(),
            time_unit: "s".to_owned(),
            reals: (1..=n)
                .map(|j| real(format!("u[{j}]"), behind(j).collect()))
                .collect(),
            booleans: (1..=n)
                .map(|j| BooleanColumn {
                    name: format!("hit[{j}]"),
                    event: true,
                    values: behind(j).map(|past| past == 0.0).collect(),
                    ..BooleanColumn::default()
                })
                .collect(),
            time,
        }
    }

    fn picture(series: &Series, name: &str, view: FamilyView, at: &[f64]) -> FamilyPicture {
        let rows = FamilyRows::of_series(series, name, at).unwrap();
        view.check(rows.family(), at).unwrap();
        FamilyPicture::of(&rows, view)
    }

    #[test]
    fn a_map_has_the_value_of_each_cell_over_time() {
        let series = front(4);
        let picture = picture(&series, "u", FamilyView::Map, &[]);
        let figure = picture.figure();
        let cells = figure.panels[0].cells.as_ref().unwrap();
        assert_eq!(cells.y, [0.5, 1.5, 2.5, 3.5, 4.5]);
        assert_eq!(
            (cells.x.len(), cells.x[0], cells.x[ACROSS]),
            (ACROSS + 1, 0.0, 10.0)
        );
        for (place, value) in cells.values.iter().enumerate() {
            let (j, column) = (place / ACROSS + 1, place % ACROSS);
            let middle = f64::midpoint(cells.x[column], cells.x[column + 1]);
            assert!((value - (middle - j as f64)).abs() < 1e-12);
        }
        insta::assert_snapshot!(terminal(&figure, SCREEN));
    }

    /// Peaks of one row or two, wherever they lie, among more rows than are kept apart, and of one element, among more
    /// than have cells: a cell has them, those around have what they had, and the scale reaches them.
    #[test]
    fn every_peak_is_seen() {
        for (n, n_rows) in [(3, 97), (3, 481), (3, 100_000), (1000, 97), (300, 2500)] {
            let time: Vec<f64> = (0..n_rows).map(f64::from).collect();
            let last = time.len() - 1;
            // A fall from the first row that is drawn over several cells is a line and no peak.
            let first = if n_rows > 480 { 0 } else { 1 };
            for at in [first, 1, 32, 33, 48, 76, 77, last / 2, last - 2, last - 1] {
                let mut series = Series {
                    reals: (1..=n)
                        .map(|j| real(format!("u[{j}]"), time.iter().map(|_| 1.0).collect()))
                        .collect(),
                    time: time.clone(),
                    ..Series::default()
                };
                series.reals[0].values[at] = 200.0;
                series.reals[n - 1].values[at..at + 2].fill(-30.0);
                let picture = picture(&series, "u", FamilyView::Map, &[]);
                let figure = picture.figure();
                let cells = figure.panels[0].cells.as_ref().unwrap();
                let about = format!("{n} elements, {n_rows} rows, at {at}");
                assert_eq!(cells.extent, Extent::between(-30.0, 200.0), "{about}");
                for peak in [200.0, -30.0] {
                    assert!(cells.values.contains(&peak), "{peak}, {about}");
                }
                let others = cells.values.iter().filter(|value| **value == 1.0);
                assert!(others.count() + 20 > cells.values.len(), "{about}");
            }
        }
    }

    /// Both sides of an instant count, and what is not finite has no part in the scale.
    #[test]
    fn a_scale_reaches_what_rows_have() {
        let mut series = front(2);
        series.time = vec![0.0, 1.0, 1.0, 2.0];
        series.reals[0].values = vec![0.0, 3.0, 0.0, 1.0];
        series.reals[1].values = vec![0.0, f64::INFINITY, f64::NAN, 2.0];
        let picture = picture(&series, "u", FamilyView::Map, &[]);
        let figure = picture.figure();
        let cells = figure.panels[0].cells.as_ref().unwrap();
        assert_eq!(cells.extent, Extent::between(0.0, 3.0));
        assert!(cells.values.contains(&3.0));
    }

    #[test]
    fn every_event_is_seen() {
        let series = front(9);
        let picture = picture(&series, "hit", FamilyView::Map, &[]);
        let figure = picture.figure();
        let cells = figure.panels[0].cells.as_ref().unwrap();
        let n_true = cells.values.iter().filter(|value| **value == 1.0).count();
        assert_eq!(n_true, 9);
        insta::assert_snapshot!(terminal(&figure, SCREEN));
        // A path for what is false and one for what is true, and the same in the scale.
        let drawn = svg(&figure);
        assert_eq!(drawn.matches("crispEdges").count(), 4);
    }

    #[test]
    fn a_thousand_elements_are_taken_together() {
        let series = front(1000);
        let values = picture(&series, "u", FamilyView::Map, &[]);
        let figure = values.figure();
        let cells = figure.panels[0].cells.as_ref().unwrap();
        assert_eq!(
            (cells.y.len(), cells.y[0], cells.y[UP]),
            (UP + 1, 0.5, 1000.5)
        );
        // The mean of 1 to 5 less the middle of the first column.
        assert!((cells.values[0] - (cells.x[1] / 2.0 - 3.0)).abs() < 1e-12);
        let events = picture(&series, "hit", FamilyView::Map, &[]);
        let figure = events.figure();
        let cells = figure.panels[0].cells.as_ref().unwrap();
        let n_true = cells.values.iter().filter(|value| **value == 1.0).count();
        assert_eq!(n_true, 10);
    }

    #[test]
    fn a_profile_is_a_curve_for_each_time() {
        let series = front(3);
        let picture = picture(&series, "u", FamilyView::Profile, &[0.0, 2.5]);
        let figure = picture.figure();
        assert_eq!(figure.runs, ["time = 0 s", "time = 2.5 s"]);
        let curves = &figure.panels[0].curves;
        assert_eq!(curves[1].x, [1.0, 2.0, 3.0]);
        assert_eq!(curves[1].y, [1.5, 0.5, -0.5]);
        let default = self::picture(&series, "u", FamilyView::Profile, &[]);
        let names = [
            "time = 0 s",
            "time = 2.5 s",
            "time = 5 s",
            "time = 7.5 s",
            "time = 10 s",
        ];
        assert_eq!(default.figure().runs, names);
    }

    #[test]
    fn a_grid_has_a_map_for_each_time_with_one_scale() {
        let column = |i: i64, k: i64| {
            let values = [0.0, 1.0].map(|t| t * 100.0 + (10 * i + k) as f64);
            real(format!("c[{i},{k}]"), values.to_vec())
        };
        let series = Series {
            time: vec![0.0, 1.0],
            reals: (1..=3)
                .flat_map(|i| (1..=2).map(move |k| (i, k)))
                .filter(|place| *place != (2, 2))
                .map(|(i, k)| column(i, k))
                .collect(),
            ..Series::default()
        };
        let both = picture(&series, "c", FamilyView::Map, &[0.0, 1.0]);
        let figure = both.figure();
        let cells: Vec<_> = figure
            .panels
            .iter()
            .map(|panel| panel.cells.as_ref().unwrap())
            .collect();
        assert_eq!(cells[0].name, "c at time 0");
        assert_eq!(cells[0].values[..4], [11.0, 21.0, 31.0, 12.0]);
        assert!(cells[0].values[4].is_nan());
        assert_eq!(cells[1].values[5], 132.0);
        assert_eq!(cells[0].extent, cells[1].extent);
        let last = picture(&series, "c", FamilyView::Map, &[]);
        assert_eq!(last.figure().panels.len(), 1);
    }

    #[test]
    fn elements_that_are_not_there_are_holes_of_maps() {
        let mut series = front(5);
        series.reals.remove(2);
        let map = picture(&series, "u", FamilyView::Map, &[]);
        let figure = map.figure();
        let cells = figure.panels[0].cells.as_ref().unwrap();
        assert_eq!(cells.y, [0.5, 1.5, 2.5, 3.5, 4.5, 5.5]);
        let n_columns = cells.x.len() - 1;
        let blank = cells.values.chunks(n_columns).map(|row| row[0].is_nan());
        assert_eq!(
            blank.collect::<Vec<_>>(),
            [false, false, true, false, false]
        );
        let far = cells_of(&[1.0, 2.0, 1e6]);
        assert_eq!(far.0, [0.5, 1.5, 2.5, 999_999.5, 1_000_000.5]);
        assert_eq!(far.1, [0, 1, 3]);
    }

    #[test]
    fn views_that_show_nothing_are_refused() {
        let family = |indices: &[i64]| Family {
            name: "c".to_owned(),
            unit: String::new(),
            time_unit: String::new(),
            kind: ElementKind::Real,
            indices: vec![indices.iter().copied().collect()],
        };
        let refused = |view: FamilyView, indices: &[i64], at: &[f64]| {
            view.check(&family(indices), at).unwrap_err().to_string()
        };
        assert_eq!(
            refused(FamilyView::Profile, &[1, 2], &[]),
            "`c` has two indices: a map shows it as a grid at each time"
        );
        assert_eq!(
            refused(FamilyView::Map, &[1, 2, 3], &[]),
            "`c` has 3 indices, a picture shows one or two; curves show elements"
        );
        assert_eq!(
            refused(FamilyView::Map, &[1], &[0.5]),
            "a map of `c` shows all times; a profile shows values at some of them"
        );
    }

    #[test]
    fn anything_can_be_drawn() {
        let mut gaps = front(3);
        gaps.reals[1].values.fill(f64::NAN);
        gaps.reals[2].values.fill(f64::MAX);
        let mut empty = front(2);
        empty.time.clear();
        empty
            .reals
            .iter_mut()
            .for_each(|column| column.values.clear());
        let mut single = front(1);
        single.time.truncate(1);
        single.reals[0].values.truncate(1);
        for series in [gaps, empty, single] {
            for view in [FamilyView::Map, FamilyView::Profile] {
                let picture = picture(&series, "u", view, &[]);
                let figure = picture.figure();
                let text = svg(&figure) + &terminal(&figure, SCREEN);
                assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
            }
        }
    }
}
