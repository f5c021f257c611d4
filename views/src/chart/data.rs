//! Figures as data for a script that draws them: JSON, with as many points and digits as a picture can show.

use std::fmt::Write;

use super::simplify::over_time;
use super::{Axis, Cells, Curve, Extent, Figure, Lane, Panel, Scale, printed};
use crate::columns::downsample::Downsampler;
use crate::text::number::exact;

/// Width of the picture that the points make up, in columns: of each the first, least, greatest and last value
/// stay, so that a twentieth of the run still fills a screen.
const COLUMNS: f64 = 4000.0;
/// Its height, in the same units.
const HEIGHT: f64 = 4000.0;
/// Bundles of points of a curve that is not over time.
const MOST_BUNDLES: usize = 1000;
/// Numbers differ by no more than this part of their axis from what they stand for.
const DIGITS: i32 = 7;

/// The figure as JSON: `runs` with their names if there are several, `time`, `panels` with their curves or cells, `lanes`
/// with their spans.
///
/// Gaps of curves and cells are `null`; on a logarithmic axis a curve has logarithms. Spans of lanes are pairs of times.
pub fn data(figure: &Figure<'_>) -> String {
    let mut text = String::from("{\"runs\":[");
    separated(&mut text, &figure.runs, |text, run| push_text(text, run));
    text.push_str("],\"time\":");
    push_axis(&mut text, &figure.time_axis());
    text.push_str(",\"panels\":[");
    separated(&mut text, &figure.panels, |text, panel| {
        push_panel(text, panel);
    });
    text.push_str("],\"lanes\":[");
    separated(&mut text, &figure.lanes, |text, lane| {
        push_lane(text, lane, &figure.time);
    });
    text.push_str("]}");
    text
}

fn separated<T>(
    text: &mut String,
    items: impl IntoIterator<Item = T>,
    mut push: impl FnMut(&mut String, T),
) {
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        push(text, item);
    }
}

fn push_text(text: &mut String, value: &str) {
    text.push_str(&serde_json::to_string(value).expect("a text is JSON"));
}

fn push_axis(text: &mut String, axis: &Axis<'_>) {
    text.push_str("{\"names\":[");
    separated(text, &axis.names, |text, name| push_text(text, name));
    text.push_str("],\"unit\":");
    push_text(text, &printed(axis.unit));
    let (low, high) = (exact(axis.extent.low), exact(axis.extent.high));
    let is_log = axis.scale == Scale::Log;
    let _ = write!(text, ",\"low\":{low},\"high\":{high},\"log\":{is_log}}}");
}

fn push_panel(text: &mut String, panel: &Panel<'_>) {
    let _ = write!(text, "{{\"over_time\":{},\"x\":", panel.over_time);
    push_axis(text, &panel.x);
    text.push_str(",\"y\":");
    push_axis(text, &panel.y);
    text.push_str(",\"curves\":[");
    separated(text, &panel.curves, |text, curve| {
        push_curve(text, curve, panel);
    });
    text.push(']');
    if let Some(cells) = &panel.cells {
        push_cells(text, cells, panel);
    }
    text.push('}');
}

/// The map of a panel: the borders of its cells along both axes, and the values row by row from the lowest.
fn push_cells(text: &mut String, cells: &Cells<'_>, panel: &Panel<'_>) {
    text.push_str(",\"cells\":{\"name\":");
    push_text(text, cells.name);
    let _ = write!(text, ",\"truths\":{}", cells.truths);
    for (name, values, extent) in [
        ("x", cells.x, panel.x.extent),
        ("y", cells.y, panel.y.extent),
        ("values", cells.values, cells.extent),
    ] {
        let _ = write!(text, ",\"{name}\":[");
        separated(text, values, |text, value| {
            push_number(text, *value, &extent);
        });
        text.push(']');
    }
    text.push('}');
}

fn push_curve(text: &mut String, curve: &Curve<'_>, panel: &Panel<'_>) {
    text.push_str("{\"name\":");
    push_text(text, curve.name);
    text.push_str(",\"about\":");
    push_text(text, curve.about);
    let _ = write!(text, ",\"style\":{}", curve.style);
    let columns = match panel.over_time {
        true => points_over_time(curve, panel).to_vec(),
        false => points_anywhere(curve, panel).to_vec(),
    };
    let extents = [&panel.x.extent, &panel.y.extent];
    for (index, (name, values)) in ["x", "y"].into_iter().zip(columns).enumerate() {
        let _ = write!(text, ",\"{name}\":[");
        separated(text, values, |text, value| {
            push_number(text, value, extents[index]);
        });
        text.push(']');
    }
    text.push('}');
}

/// Points of a curve over time, those left out that cannot be seen; a gap is a point that is not finite.
fn points_over_time(curve: &Curve<'_>, panel: &Panel<'_>) -> [Vec<f64>; 2] {
    let (x, y) = (&panel.x.extent, &panel.y.extent);
    let points = (curve.x.iter().zip(curve.y)).map(|(time, value)| {
        let value = panel.y.scale.of(*value);
        (COLUMNS * x.position(*time), HEIGHT * y.position(value))
    });
    let at = |extent: &Extent, place: f64| extent.low + extent.span() * place;
    let mut columns = [Vec::new(), Vec::new()];
    for mut path in over_time(points, 1.0) {
        path.dedup();
        if !columns[0].is_empty() {
            columns.iter_mut().for_each(|column| column.push(f64::NAN));
        }
        columns[0].extend(path.iter().map(|point| at(x, point.0 / COLUMNS)));
        columns[1].extend(path.iter().map(|point| at(y, point.1 / HEIGHT)));
    }
    columns
}

/// Points of a curve that goes anywhere: of a long one those with the extremes.
fn points_anywhere(curve: &Curve<'_>, panel: &Panel<'_>) -> [Vec<f64>; 2] {
    let mut kept = Downsampler::of_bundles(3, MOST_BUNDLES);
    for (index, (x, y)) in curve.x.iter().zip(curve.y).enumerate() {
        kept.push([index as f64, panel.x.scale.of(*x), panel.y.scale.of(*y)]);
    }
    [kept.column(1).collect(), kept.column(2).collect()]
}

/// A number with the digits that show on an axis; `null`, if it is not finite.
fn push_number(text: &mut String, value: f64, extent: &Extent) {
    /// More decimals than this have no digits to spare.
    const MOST_DECIMALS: i32 = 300;
    if !value.is_finite() {
        text.push_str("null");
        return;
    }
    let decimals = DIGITS - 1 - extent.span().log10().floor() as i32;
    match usize::try_from(decimals) {
        Ok(decimals) if decimals < MOST_DECIMALS as usize => {
            let rounded = format!("{value:.decimals$}").parse();
            text.push_str(&exact(rounded.unwrap_or(value) + 0.0));
        }
        _ => text.push_str(&exact(value)),
    }
}

fn push_lane(text: &mut String, lane: &Lane<'_>, time: &Extent) {
    text.push_str("{\"name\":");
    push_text(text, lane.name);
    let _ = write!(text, ",\"event\":{},\"bars\":[", lane.event);
    separated(text, &lane.bars, |text, bar| {
        text.push('[');
        separated(text, joined(&bar.spans, time), |text, (begin, end)| {
            text.push('[');
            push_number(text, begin, time);
            text.push(',');
            push_number(text, end, time);
            text.push(']');
        });
        text.push(']');
    });
    text.push_str("]}");
}

/// Spans that no picture tells apart become one, so that a chattering boolean is no longer than a curve.
fn joined(spans: &[(f64, f64)], time: &Extent) -> Vec<(f64, f64)> {
    let least = time.span() / COLUMNS;
    let mut joined: Vec<(f64, f64)> = Vec::new();
    for (begin, end) in spans.iter().copied() {
        match joined.last_mut() {
            Some(last) if begin - last.0 < least && end - last.0 < least => last.1 = end,
            _ => joined.push((begin, end)),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::compose;
    use crate::columns::series::{BooleanColumn, RealColumn, Series};

    fn drawn(time: Vec<f64>, values: Vec<f64>, truths: Vec<bool>) -> serde_json::Value {
        let column = RealColumn {
            name: "x \"<&>".to_owned(),
            unit: "m^2".to_owned(),
            about: String::new(),
            values,
        };
        let boolean = BooleanColumn {
            name: "on".to_owned(),
            values: truths,
            ..BooleanColumn::default()
        };
        let runs = [Series {
            label: String::new(),
            time,
            time_unit: "h".to_owned(),
            reals: vec![column],
            booleans: vec![boolean],
        }];
        let text = data(&compose(&runs, &[]).unwrap());
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    #[test]
    fn curves_have_the_points_that_can_be_seen() {
        let n = 200_000;
        let time: Vec<f64> = (0..=n).map(|i| f64::from(i) / f64::from(n)).collect();
        let mut values: Vec<f64> = time.iter().map(|t| (7.0 * t).sin()).collect();
        values[123_456] = 5.0;
        let truths = time.iter().map(|t| *t > 0.5).collect();
        let drawn = drawn(time, values, truths);
        let curve = &drawn["panels"][0]["curves"][0];
        let numbers = |name: &str| -> Vec<f64> {
            let values = curve[name].as_array().unwrap().iter();
            values.map(|value| value.as_f64().unwrap()).collect()
        };
        let (x, y) = (numbers("x"), numbers("y"));
        assert_eq!(x.len(), y.len());
        assert!((100..4000).contains(&x.len()), "{} points", x.len());
        let peak = y.iter().position(|value| (value - 5.0).abs() < 1e-6);
        assert!((x[peak.unwrap()] - 0.617_28).abs() < 1e-9);
        for (time, value) in x.iter().zip(&y) {
            let wave = (7.0 * time).sin();
            assert!((value - wave).abs() < 1e-5 || *value == 5.0, "{time}");
        }
        assert_eq!(drawn["panels"][0]["y"]["unit"], "m²");
        assert_eq!(drawn["lanes"][0]["bars"][0][0][0], 0.500_005);
    }

    #[test]
    fn a_map_has_the_values_of_its_cells() {
        let cells = Cells {
            name: "u",
            x: &[0.0, 1.0, 2.0],
            y: &[0.5, 1.5],
            values: &[3.0, f64::NAN],
            extent: Extent::between(3.0, 4.0),
            truths: false,
        };
        let axis = |low, high| Axis {
            names: vec!["index"],
            unit: "",
            extent: Extent::between(low, high),
            scale: Scale::Linear,
        };
        let figure = Figure {
            runs: vec!["a \"b\"", "c"],
            panels: vec![Panel {
                over_time: false,
                x: axis(0.0, 2.0),
                y: axis(0.5, 1.5),
                curves: Vec::new(),
                cells: Some(cells),
            }],
            ..Figure::default()
        };
        let data: serde_json::Value = serde_json::from_str(&data(&figure)).unwrap();
        assert_eq!(data["runs"], serde_json::json!(["a \"b\"", "c"]));
        let cells = &data["panels"][0]["cells"];
        let expected = serde_json::json!({
            "name": "u", "truths": false, "x": [0, 1, 2], "y": [0.5, 1.5], "values": [3, null],
        });
        assert_eq!(*cells, expected);
    }

    #[test]
    fn gaps_and_numbers_of_any_size_are_json() {
        let on = vec![true, false, true, false];
        let time = vec![0.0, 1.0, 2.0, 3.0];
        let with_gap = drawn(time.clone(), vec![1.0, f64::NAN, 2.0, 3.0], on.clone());
        let y = &with_gap["panels"][0]["curves"][0]["y"];
        assert_eq!(*y, serde_json::json!([1, null, 2, 3]));
        for size in [f64::MAX, 1e-300, 5e-324, 0.0] {
            drawn(
                time.clone(),
                vec![-size, size, f64::INFINITY, 0.0],
                on.clone(),
            );
        }
        let empty = drawn(Vec::new(), Vec::new(), Vec::new());
        assert_eq!(empty["lanes"][0]["bars"][0], serde_json::json!([]));
    }

    #[test]
    fn chattering_is_one_bar() {
        let n = 100_000;
        let spans: Vec<(f64, f64)> = (0..n).map(|i| (f64::from(i), f64::from(i) + 0.5)).collect();
        let time = Extent::between(0.0, f64::from(n));
        let joined = joined(&spans, &time);
        assert!((3000..=4100).contains(&joined.len()), "{}", joined.len());
        assert_eq!(joined.last().unwrap().1, f64::from(n) - 0.5);
    }
}
