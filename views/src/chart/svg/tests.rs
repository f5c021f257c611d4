//! Tests of figures drawn.

use super::*;
use crate::chart::{compose, png};
use crate::columns::selection::Picks;
use crate::columns::series::{BooleanColumn, RealColumn, Series};

fn wave(label: &str, frequency: f64) -> Series {
    let time: Vec<f64> = (0..=2000).map(|i| f64::from(i) * 0.01).collect();
    let column = |name: &str, unit: &str, f: &dyn Fn(f64) -> f64| RealColumn {
        name: name.to_owned(),
        unit: unit.to_owned(),
        about: String::new(),
        values: time.iter().map(|t| f(*t)).collect(),
    };
    Series {
        label: label.to_owned(),
        time_unit: String::new(),
        reals: vec![
            column("x", "m", &|t| (frequency * t).sin()),
            column("v", "m/s", &|t| frequency * (frequency * t).cos()),
            column("угол φ", "°", &|t| {
                if (5.0..6.0).contains(&t) {
                    f64::NAN
                } else {
                    60.0 * t.cos()
                }
            }),
        ],
        booleans: vec![BooleanColumn {
            name: "right <&>".to_owned(),
            values: time.iter().map(|t| t.sin() > 0.0).collect(),
            ..BooleanColumn::default()
        }],
        time,
    }
}

fn drawn(runs: &[Series], picks: &str) -> String {
    let Picks(picks) = picks.parse().unwrap_or_default();
    svg(&compose(runs, &picks).unwrap())
}

/// Parses as XML and gives the texts of the elements with a name.
fn texts(svg: &str) -> Vec<String> {
    let tree = resvg::usvg::roxmltree::Document::parse(svg).unwrap();
    let texts = tree.descendants().filter(|node| node.has_tag_name("text"));
    texts
        .map(|node| node.text().unwrap_or_default().to_owned())
        .collect()
}

#[test]
fn a_figure_has_captions_units_and_lanes() {
    let text = drawn(&[wave("a", 1.0)], "");
    let texts = texts(&text);
    for expected in [
        "x (m)",
        "v (m/s)",
        "угол φ (°)",
        "right <&>",
        "time",
        "−0.5",
    ] {
        assert!(
            texts.iter().any(|text| text == expected),
            "{expected}: {texts:?}"
        );
    }
    assert_eq!(
        text,
        drawn(&[wave("a", 1.0)], ""),
        "the same figure gives the same text"
    );
}

#[test]
fn a_gap_breaks_the_curve() {
    let moves = |picks: &str| {
        let text = drawn(&[wave("a", 1.0)], picks);
        let curve = text
            .lines()
            .find(|line| line.contains("fill=\"none\""))
            .unwrap()
            .to_owned();
        curve.matches('M').count()
    };
    assert_eq!((moves("x"), moves("`угол φ`")), (1, 2));
}

#[test]
fn runs_have_a_legend_and_colours() {
    let text = drawn(&[wave("slow", 1.0), wave("fast", 2.0)], "x,x:v");
    assert!(texts(&text).starts_with(&["slow".to_owned(), "fast".to_owned()]));
    // A sample in the legend, a curve over time, a phase plot.
    assert_eq!(
        text.matches(&format!("stroke=\"{}\"", COLOURS[1])).count(),
        3
    );
}

#[test]
fn anything_can_be_drawn() {
    let mut empty = wave("empty", 1.0);
    empty.time.clear();
    empty
        .reals
        .iter_mut()
        .for_each(|column| column.values.clear());
    empty
        .booleans
        .iter_mut()
        .for_each(|column| column.values.clear());
    let mut extreme = wave("\u{1}<huge>", 1.0);
    extreme.reals[0].values.fill(f64::MAX);
    extreme.reals[1]
        .values
        .iter_mut()
        .step_by(2)
        .for_each(|value| *value = -f64::MAX);
    extreme.reals[2].values.fill(f64::NAN);
    extreme.reals[0].name = "long ".repeat(100);
    for runs in [
        vec![],
        vec![empty.clone()],
        vec![extreme.clone()],
        vec![empty, extreme, wave("c", 1.0)],
    ] {
        let text = drawn(&runs, "");
        texts(&text);
        assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
    }
}

#[test]
fn a_picture_is_drawn_with_the_font_that_comes_with_the_program() {
    let with_text = png(&drawn(&[wave("a", 1.0)], "`угол φ`")).unwrap();
    assert!(with_text.starts_with(b"\x89PNG"));
    let without_text =
        png(&drawn(&[wave("a", 1.0)], "`угол φ`").replace("угол φ (°)", "")).unwrap();
    assert_ne!(with_text, without_text);
    assert!(png("no picture").is_err());
}

/// A real with an exponential course.
fn decay(name: &str, size: f64) -> RealColumn {
    RealColumn {
        name: name.to_owned(),
        unit: "mol".to_owned(),
        values: (0..=8).map(|i| size * 0.1_f64.powi(i)).collect(),
        ..RealColumn::default()
    }
}

#[test]
fn logarithmic_axes_have_powers_of_ten() {
    let runs = [Series {
        time: (0..=8).map(f64::from).collect(),
        reals: vec![decay("A", 1.0), decay("B", 1e6), decay("C", 30.0)],
        ..Series::default()
    }];
    let Picks(picks) = "A,B,C,A:C".parse().unwrap();
    let mut figure = compose(&runs, &picks).unwrap();
    let names = ["A", "B"].map(str::to_owned);
    figure.on_log_axes(&names).unwrap();
    let text = svg(&figure);
    assert!(texts(&text).contains(&"10⁻⁶".to_owned()), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn odd_figures_can_be_read() {
    let nothing = svg(&Figure::default());
    assert_eq!(texts(&nothing), [crate::chart::NOTHING.to_string()]);
    let mut point = wave("a point", 1.0);
    point.time.truncate(1);
    let columns = point.reals.iter_mut().map(|column| &mut column.values);
    columns.for_each(|values| values.truncate(1));
    point.booleans[0].values.truncate(1);
    point.reals.truncate(2);
    point.reals[0].name = "a name of eighty letters ".repeat(4).trim().to_owned();
    point.reals[1].about = "a description that is longer than the page is wide ".repeat(4);
    let text = drawn(&[point], "");
    assert_eq!(text.matches("<circle ").count(), 2, "{text}");
    let is_cut = |text: &String| text.contains('…');
    assert_eq!(texts(&text).into_iter().filter(is_cut).count(), 2, "{text}");
}

/// Names of 80 letters that differ at their ends, under a heading.
#[test]
fn long_names_stay_apart() {
    let mut run = wave("run", 1.0);
    let end = "_of_the_second_heat_exchanger_of_the_whole_plant_with_all_its_parts_and_pipes_";
    let column = |number: usize| RealColumn {
        name: format!("t{end}{number}"),
        unit: "K".to_owned(),
        values: vec![0.0, number as f64],
        ..RealColumn::default()
    };
    run.time = vec![0.0, 1.0];
    run.time_unit = "h".to_owned();
    run.reals = vec![column(1), column(2)];
    run.booleans[0].name = format!("hot{end}3");
    run.booleans[0].values = vec![false, true];
    let runs = [run];
    let mut figure = compose(&runs, &[]).unwrap();
    figure.heading = "exchanger".to_owned();
    let text = svg(&figure);
    for end in ["1", "2", "3"] {
        let is_it = |text: &String| text.contains('…') && text.ends_with(end);
        assert!(texts(&text).iter().any(is_it), "{text}");
    }
    insta::assert_snapshot!(text);
}
