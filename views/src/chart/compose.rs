//! Runs and a selection become a figure: what is drawn where, and what shares an axis.

use std::collections::HashSet;

use situ_words::say;

use super::extent::bounds;
use super::{Axis, Bar, Curve, Extent, Figure, Lane, Panel, Scale};
use crate::columns::selection::Pick;
use crate::columns::series::{BooleanColumn, Series};
use crate::columns::{elements, is_element_of};

/// A selected name that no run has, or that cannot be drawn where it should.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownName {
    /// The name.
    pub name: String,
    /// True if it is a boolean; then an axis should have shown it.
    pub is_boolean: bool,
    /// Names that could have been selected.
    pub known: Vec<String>,
}

impl std::fmt::Display for UnknownName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.is_boolean {
            let name = &self.name;
            return f.write_str(&say!("columns-no-axis", name));
        }
        let (name, known) = (&self.name, self.known.iter().map(String::as_str));
        f.write_str(&match situ_rules::diag::nearest(name, known) {
            Some(near) => say!("columns-unknown.near", name, near),
            None => say!("columns-unknown", name, known = listed(&self.known)),
        })
    }
}

impl std::error::Error for UnknownName {}

fn listed(names: &[String]) -> String {
    const SHOWN: usize = 20;
    let quoted: Vec<String> = names
        .iter()
        .take(SHOWN)
        .map(|name| format!("`{name}`"))
        .collect();
    let rest = names.len().saturating_sub(SHOWN);
    if rest > 0 {
        say!("plot-and-more", names = quoted.join(", "), n = rest)
    } else {
        quoted.join(", ")
    }
}

/// Says what is drawn: the picked columns, or all of them if nothing is picked.
///
/// Curves over time share a panel if they have the same unit and each of them still shows on a
/// common scale. Several runs are overlaid: then every quantity has a panel of its own and the
/// style says which run it is. A run without a picked column is left out of its panel.
///
/// # Errors
///
/// [`UnknownName`] if no run has a picked column; `time` may stand in a phase plot.
pub fn compose<'a>(runs: &'a [Series], picks: &[Pick]) -> Result<Figure<'a>, UnknownName> {
    let several_runs = runs.len() > 1;
    let all;
    let picks = if picks.is_empty() {
        all = all_columns(runs);
        &all
    } else {
        all = picks
            .iter()
            .flat_map(|pick| elements_of(runs, pick))
            .collect();
        &all
    };
    let mut groups: Vec<Group<'a>> = Vec::new();
    let mut phases = Vec::new();
    let mut lanes: Vec<Lane<'a>> = Vec::new();
    for pick in picks {
        match pick {
            Pick::Phase { x, y } => phases.push(phase(runs, x, y)?),
            Pick::Column(name) => {
                if let Some(lane) = lane(runs, name) {
                    if lanes.iter().all(|other| other.name != lane.name) {
                        lanes.push(lane);
                    }
                    continue;
                }
                let quantity = quantity(runs, name)?;
                if groups.iter().any(|group| group.has(name)) {
                    continue;
                }
                let fitting = groups
                    .iter_mut()
                    .find(|group| !several_runs && group.admits(&quantity));
                match fitting {
                    Some(group) => group.add(quantity),
                    None => groups.push(Group::of(quantity)),
                }
            }
        }
    }
    let time = Extent::of(runs.iter().flat_map(|run| {
        [run.time.first(), run.time.last()]
            .into_iter()
            .flatten()
            .copied()
    }));
    let time_unit = time_unit(runs);
    let axis = Axis {
        names: vec!["time"],
        unit: time_unit,
        extent: time,
        scale: Scale::Linear,
    };
    let mut panels: Vec<Panel<'a>> = groups
        .into_iter()
        .map(|group| group.into_panel(axis.clone(), several_runs))
        .collect();
    panels.append(&mut phases);
    Ok(Figure {
        title: String::new(),
        heading: String::new(),
        filled: false,
        runs: if several_runs {
            runs.iter().map(|run| run.label.as_str()).collect()
        } else {
            Vec::new()
        },
        panels,
        lanes,
        time,
        time_unit,
    })
}

/// The columns that a pick stands for: the elements of a range of indices, `u[1..3]`, or of a family, `u`.
fn elements_of(runs: &[Series], pick: &Pick) -> Vec<Pick> {
    let Pick::Column(name) = pick else {
        return vec![pick.clone()];
    };
    let known = || runs.iter().flat_map(Series::names);
    if known().any(|one| one == name) {
        return vec![pick.clone()];
    }
    if let Some(elements) = elements(name) {
        let elements = elements.into_iter();
        return elements
            .map(|element| Pick::Column(element.into_owned()))
            .collect();
    }
    let mut seen = HashSet::new();
    let elements = known().filter(|one| is_element_of(name, one) && seen.insert(*one));
    let elements: Vec<Pick> = elements
        .map(|element| Pick::Column(element.to_owned()))
        .collect();
    match elements.is_empty() {
        true => vec![pick.clone()],
        false => elements,
    }
}

/// Unit of the time of runs that agree on it; else empty.
fn time_unit(runs: &[Series]) -> &str {
    let mut units = runs.iter().map(|run| &*run.time_unit);
    let first = units.next().unwrap_or_default();
    match units.all(|unit| unit == first) {
        true => first,
        false => "",
    }
}

fn all_columns(runs: &[Series]) -> Vec<Pick> {
    let mut known = HashSet::new();
    let names = runs.iter().flat_map(Series::names);
    let names = names.filter(|name| known.insert(*name));
    names.map(|name| Pick::Column(name.to_owned())).collect()
}

/// One real with its values in each run that has it.
struct Quantity<'a> {
    name: &'a str,
    unit: &'a str,
    about: &'a str,
    /// Index of the run, times, values.
    values: Vec<(usize, &'a [f64], &'a [f64])>,
    bounds: Option<(f64, f64)>,
}

fn quantity<'a>(runs: &'a [Series], name: &str) -> Result<Quantity<'a>, UnknownName> {
    let columns: Vec<_> = runs
        .iter()
        .enumerate()
        .filter_map(|(index, run)| run.real(name).map(|column| (index, run, column)))
        .collect();
    let Some((_, _, first)) = columns.first() else {
        return Err(unknown(runs, name));
    };
    Ok(Quantity {
        name: &first.name,
        unit: &first.unit,
        about: &first.about,
        bounds: bounds(
            columns
                .iter()
                .flat_map(|(_, _, column)| column.values.iter().copied()),
        ),
        values: columns
            .iter()
            .map(|(index, run, column)| (*index, &run.time[..], &column.values[..]))
            .collect(),
    })
}

fn unknown(runs: &[Series], name: &str) -> UnknownName {
    let known = all_columns(runs).into_iter().filter_map(|pick| match pick {
        Pick::Column(name) => Some(name),
        Pick::Phase { .. } => None,
    });
    UnknownName {
        name: name.to_owned(),
        is_boolean: lane(runs, name).is_some(),
        known: known.collect(),
    }
}

/// Half the height, so that it is a number also between the greatest ones.
fn height((low, high): &(f64, f64)) -> f64 {
    high / 2.0 - low / 2.0
}

fn common_height(ranges: &[(f64, f64)]) -> f64 {
    bounds(ranges.iter().flat_map(|(low, high)| [*low, *high]))
        .as_ref()
        .map_or(0.0, height)
}

/// Quantities that share a panel.
struct Group<'a> {
    quantities: Vec<Quantity<'a>>,
}

impl<'a> Group<'a> {
    /// As many colours as can be told apart.
    const MOST: usize = 6;
    /// A curve that takes less than this part of the panel's height needs a panel of its own.
    const LEAST_HEIGHT: f64 = 0.04;
    /// Curves that stand still may stretch the panel to this many times the height of the rest.
    const STRETCH: f64 = 2.5;

    fn of(quantity: Quantity<'a>) -> Self {
        Self {
            quantities: vec![quantity],
        }
    }

    fn add(&mut self, quantity: Quantity<'a>) {
        self.quantities.push(quantity);
    }

    fn has(&self, name: &str) -> bool {
        self.quantities.iter().any(|member| member.name == name)
    }

    fn admits(&self, quantity: &Quantity<'a>) -> bool {
        let members = || self.quantities.iter().chain([quantity]);
        if self.quantities.len() >= Self::MOST
            || members().any(|member| member.unit != quantity.unit)
        {
            return false;
        }
        let ranges: Vec<(f64, f64)> = members().filter_map(|member| member.bounds).collect();
        let varying: Vec<(f64, f64)> = ranges
            .iter()
            .copied()
            .filter(|(low, high)| low < high)
            .collect();
        let Some(least) = varying.iter().map(height).min_by(f64::total_cmp) else {
            return true;
        };
        let all = common_height(&ranges);
        least >= Self::LEAST_HEIGHT * all && all <= Self::STRETCH * common_height(&varying)
    }

    fn into_panel(self, time: Axis<'a>, style_is_run: bool) -> Panel<'a> {
        let mut names: Vec<&'a str> = Vec::new();
        let mut curves = Vec::new();
        let bounds = self
            .quantities
            .iter()
            .filter_map(|quantity| quantity.bounds);
        let extent = Extent::of(bounds.flat_map(|(low, high)| [low, high]));
        let unit = self.quantities.first().map_or("", |quantity| quantity.unit);
        for (
            style,
            Quantity {
                name,
                about,
                values,
                ..
            },
        ) in self.quantities.into_iter().enumerate()
        {
            names.push(name);
            curves.extend(values.into_iter().map(|(run, x, y)| {
                let style = if style_is_run { run } else { style };
                Curve {
                    name,
                    about,
                    style,
                    x,
                    y,
                }
            }));
        }
        Panel {
            over_time: true,
            x: time,
            y: Axis {
                names,
                unit,
                extent: extent.padded(0.05),
                scale: Scale::Linear,
            },
            curves,
            cells: None,
        }
    }
}

fn phase<'a>(runs: &'a [Series], x: &str, y: &str) -> Result<Panel<'a>, UnknownName> {
    let vertical = quantity(runs, y)?;
    let horizontal = if x == "time" {
        Quantity {
            name: "time",
            unit: time_unit(runs),
            about: "",
            bounds: bounds(runs.iter().flat_map(|run| run.time.iter().copied())),
            values: runs
                .iter()
                .enumerate()
                .map(|(run, series)| (run, &series.time[..], &series.time[..]))
                .collect(),
        }
    } else {
        quantity(runs, x)?
    };
    let mut curves = Vec::new();
    for (run, _, x) in &horizontal.values {
        if let Some((_, _, y)) = vertical.values.iter().find(|(other, _, _)| other == run) {
            curves.push(Curve {
                name: vertical.name,
                about: vertical.about,
                style: *run,
                x,
                y,
            });
        }
    }
    let axis = |quantity: Quantity<'a>| {
        let extent = Extent::of(
            quantity
                .bounds
                .into_iter()
                .flat_map(|(low, high)| [low, high]),
        );
        Axis {
            names: vec![quantity.name],
            unit: quantity.unit,
            extent: extent.padded(0.05),
            scale: Scale::Linear,
        }
    };
    Ok(Panel {
        over_time: false,
        x: axis(horizontal),
        y: axis(vertical),
        curves,
        cells: None,
    })
}

fn lane<'a>(runs: &'a [Series], name: &str) -> Option<Lane<'a>> {
    let found: Vec<(usize, &Series, &BooleanColumn)> = runs
        .iter()
        .enumerate()
        .filter_map(|(index, run)| run.boolean(name).map(|column| (index, run, column)))
        .collect();
    let (_, _, first) = *found.first()?;
    let bars = found
        .iter()
        .map(|(style, run, column)| Bar {
            style: *style,
            spans: spans(&run.time, &column.values, column.event),
        })
        .collect();
    Some(Lane {
        name: &first.name,
        event: first.event,
        bars,
    })
}

/// Spans of time in which a boolean is true: from the row in which it is true to the row in which
/// it is not; an event is an instant. At the last row a level lasts no longer.
fn spans(time: &[f64], values: &[bool], event: bool) -> Vec<(f64, f64)> {
    if event {
        return time
            .iter()
            .zip(values)
            .filter(|(_, on)| **on)
            .map(|(time, _)| (*time, *time))
            .collect();
    }
    let mut spans = Vec::new();
    let mut begin = None;
    for (time, on) in time.iter().zip(values) {
        match (begin, on) {
            (None, true) => begin = Some(*time),
            (Some(start), false) => {
                spans.push((start, *time));
                begin = None;
            }
            _ => {}
        }
    }
    if let (Some(start), Some(end)) = (begin, time.last()) {
        spans.push((start, *end));
    }
    spans
}

#[cfg(test)]
mod tests;
