//! Tests of figures composed.

use super::*;
use crate::columns::selection::Picks;
use crate::columns::series::RealColumn;

fn run(label: &str, reals: &[(&str, &str, [f64; 3])]) -> Series {
    Series {
        label: label.to_owned(),
        time: vec![0.0, 1.0, 2.0],
        time_unit: "h".to_owned(),
        reals: reals
            .iter()
            .map(|(name, unit, values)| RealColumn {
                name: (*name).to_owned(),
                unit: (*unit).to_owned(),
                about: String::new(),
                values: values.to_vec(),
            })
            .collect(),
        booleans: vec![BooleanColumn {
            name: "on".to_owned(),
            values: vec![false, true, true],
            ..BooleanColumn::default()
        }],
    }
}

fn panels(reals: &[(&str, &str, [f64; 3])]) -> Vec<String> {
    let runs = [run("a", reals)];
    let figure = compose(&runs, &[]).unwrap();
    figure
        .panels
        .iter()
        .map(|panel| panel.y.names.join(" "))
        .collect()
}

#[test]
fn curves_share_a_panel_by_unit_and_scale() {
    let one = [0.0, 1.0, 0.5];
    assert_eq!(
        panels(&[("a", "m", one), ("b", "s", one), ("c", "m", one)]),
        ["a c", "b"]
    );
    assert_eq!(
        panels(&[("a", "", one), ("b", "", [0.0, 100.0, 3.0])]),
        ["a", "b"]
    );
    assert_eq!(
        panels(&[("a", "", one), ("b", "", [100.0, 101.0, 100.5])]),
        ["a", "b"]
    );
    assert_eq!(
        panels(&[("a", "", one), ("level", "", [0.8; 3])]),
        ["a level"]
    );
    assert_eq!(
        panels(&[("a", "", one), ("far", "", [8.0; 3])]),
        ["a", "far"]
    );
    assert_eq!(
        panels(&[("p", "", [5.0; 3]), ("q", "", [-900.0; 3])]),
        ["p q"]
    );
    assert_eq!(panels(&[("a", "", [f64::NAN; 3]), ("b", "", one)]), ["a b"]);
    assert_eq!(
        panels(&[("a", "", [-f64::MAX, f64::MAX, 0.0]), ("b", "", one)]),
        ["a", "b"]
    );
}

#[test]
fn runs_are_overlaid_one_panel_a_quantity() {
    let runs = [
        run(
            "a",
            &[("x", "m", [0.0, 1.0, 2.0]), ("y", "m", [0.0, 1.0, 2.0])],
        ),
        run("b", &[("x", "m", [5.0; 3])]),
    ];
    let figure = compose(&runs, &[]).unwrap();
    assert_eq!(figure.runs, ["a", "b"]);
    let styles: Vec<Vec<usize>> = figure
        .panels
        .iter()
        .map(|panel| panel.curves.iter().map(|curve| curve.style).collect())
        .collect();
    assert_eq!(styles, [vec![0, 1], vec![0]]);
    assert_eq!(figure.lanes.len(), 1);
    assert_eq!(figure.lanes[0].bars[1].spans, [(1.0, 2.0)]);
}

#[test]
fn phase_plots_stand_below() {
    let runs = [run(
        "a",
        &[("x", "m", [0.0, 1.0, 2.0]), ("y", "m", [4.0, 1.0, 2.0])],
    )];
    let picks = [
        Pick::Phase {
            x: "x".to_owned(),
            y: "y".to_owned(),
        },
        Pick::Column("y".to_owned()),
        Pick::Phase {
            x: "time".to_owned(),
            y: "x".to_owned(),
        },
    ];
    let figure = compose(&runs, &picks).unwrap();
    let kinds: Vec<bool> = figure.panels.iter().map(|panel| panel.over_time).collect();
    assert_eq!(kinds, [true, false, false]);
    assert_eq!(figure.panels[1].curves[0].x, [0.0, 1.0, 2.0]);
}

#[test]
fn unknown_names_are_refused() {
    let runs = [run("a", &[("speed", "m", [0.0, 1.0, 2.0])])];
    let message = |name: &str| {
        compose(&runs, &[Pick::Column(name.to_owned())])
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        message("sped"),
        "there is no column `sped`; did you mean `speed`?"
    );
    assert_eq!(
        message("q"),
        "there is no column `q`; there are `speed`, `on`"
    );
    let phase = Pick::Phase {
        x: "on".to_owned(),
        y: "speed".to_owned(),
    };
    assert_eq!(
        compose(&runs, &[phase]).unwrap_err().to_string(),
        "`on` is true or false, an axis needs numbers"
    );
}

#[test]
fn levels_are_spans_and_events_instants() {
    let time = [0.0, 1.0, 2.0, 3.0, 4.0];
    assert_eq!(
        spans(&time, &[true, false, true, true, false], false),
        [(0.0, 1.0), (2.0, 4.0)]
    );
    assert_eq!(
        spans(&time, &[false, false, false, false, true], false),
        [(4.0, 4.0)]
    );
    assert_eq!(
        spans(&time, &[true, false, false, true, true], true),
        [(0.0, 0.0), (3.0, 3.0), (4.0, 4.0)]
    );
}

#[test]
fn the_time_has_the_unit_of_the_runs_if_they_agree() {
    let mut runs = [run("a", &[("x", "m", [0.0, 1.0, 2.0])]), run("b", &[])];
    let captions = |runs: &[Series]| {
        let picks = ["x", "time:x"].map(|pick| pick.parse::<Picks>().unwrap().0.remove(0));
        let figure = compose(runs, &picks).unwrap();
        let mut axes = vec![figure.time_axis()];
        axes.extend(figure.panels.into_iter().map(|panel| panel.x));
        axes.iter().map(|axis| axis.caption(0)).collect::<Vec<_>>()
    };
    assert_eq!(captions(&runs), ["time (h)"; 3]);
    runs[1].time_unit = "s".to_owned();
    assert_eq!(captions(&runs), ["time"; 3]);
}

#[test]
fn a_pick_stands_for_elements() {
    let of = |name| (name, "m", [0.0, 1.0, 2.0]);
    let runs = [run(
        "a",
        &["u[1]", "u[2]", "u[3]", "w[1,1]", "w[1,2]"].map(of),
    )];
    let drawn = |text: &str| {
        let Picks(picks) = text.parse().unwrap();
        let figure = compose(&runs, &picks).map_err(|error| error.to_string())?;
        let panels = figure.panels.iter();
        Ok::<_, String>(
            panels
                .map(|panel| panel.y.names.join(" "))
                .collect::<Vec<_>>(),
        )
    };
    assert_eq!(drawn("u[2..3]"), Ok(vec!["u[2] u[3]".to_owned()]));
    assert_eq!(drawn("u"), Ok(vec!["u[1] u[2] u[3]".to_owned()]));
    assert_eq!(
        drawn("w[1, 1..2], u[1]"),
        Ok(vec!["w[1,1] w[1,2] u[1]".to_owned()])
    );
    assert!(drawn("u[3..4]").unwrap_err().contains("u[4]"));
}
