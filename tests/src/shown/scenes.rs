//! Scenes: nothing of a run depends on them, and marks stand where the quantities say.

use proptest::prelude::*;
use proptest::sample::select;
use situ_engine::model::Model;
use situ_engine::sim::{Run, RunConfig};
use situ_engine::trace::{Trace, TraceRecorder};
use situ_rules::{edit, load, standalone};
use situ_views::scene::{Mark, Outline, Picture, Theme, Trails, draw, svg};

use crate::tables::{read, scenario_folders};

/// A ball on a spring, with a range and an event.
pub(super) const SPRING: &str = r#"(
    format: 1,
    name: "spring",
    clock: (stepping: events, stop: 3, every: 0.5),
    constants: {"k": (start: 4, range: (1, 9))},
    reals: {"x": 1, "v": 0, "n": 0},
    ranges: ["right: x > 0.3"],
    situations: ["event passes: right", "left: !right"],
    relations: ["v = integral(-k * x)", "x = integral(v)", "n := n + 1 when passes"],
    scene: (
        view: (-2, 1, 2, -1),
        rows: [
            "circle ball: at (x, 0), radius 0.2, fill red when right, fill steel",
        ],
    ),
)
"#;

pub(super) fn model(text: &str) -> Model {
    let loaded = load("table.ron", text, &mut standalone);
    let mistakes: Vec<&str> = loaded
        .diagnostics
        .iter()
        .map(|report| report.message.as_str())
        .collect();
    loaded.model.unwrap_or_else(|| panic!("{mistakes:?}"))
}

fn trace(model: &Model, config: RunConfig) -> Trace {
    let mut recorder = TraceRecorder::new(model);
    Run::new(model.clone(), config, &[])
        .unwrap()
        .run(&mut recorder)
        .unwrap();
    recorder.trace
}

/// The bits of a trace.
fn bits(trace: &Trace) -> (Vec<u64>, Vec<u64>, [Vec<Vec<bool>>; 3]) {
    let numbers = |all: &[f64]| all.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    let reals = trace
        .reals
        .iter()
        .flat_map(|values| numbers(values))
        .collect();
    let truths = [&trace.switches, &trace.ranges, &trace.situations].map(Clone::clone);
    (numbers(&trace.time), reals, truths)
}

fn a_number() -> impl Strategy<Value = String> {
    let atoms = select(&["x", "v", "n", "k", "time", "0.5", "2", "pi", "(x + v)"][..]);
    let atoms = move || atoms.clone();
    prop_oneof![
        atoms().prop_map(str::to_owned),
        (atoms(), select(&["+", "-", "*", "/"][..]), atoms())
            .prop_map(|(a, op, b)| format!("{a} {op} {b}")),
        atoms().prop_map(|a| format!("sin({a})")),
        atoms().prop_map(|a| format!("max({a}, -1)")),
    ]
}

fn a_condition() -> impl Strategy<Value = String> {
    let name = select(
        &[
            "right", "left", "passes", "!right", "x > v", "n >= 2", "time < 1",
        ][..],
    );
    proptest::collection::vec(name, 1..3).prop_map(|names| names.join(" & "))
}

fn a_row() -> impl Strategy<Value = String> {
    let numbers = proptest::collection::vec(a_number(), 5);
    (0..9_usize, numbers, a_condition()).prop_map(|(kind, n, when)| {
        let [a, b, c, d, e] = &n[..] else {
            unreachable!("there are five")
        };
        match kind {
            0 => format!("circle: at ({a}, {b}) when {when}, at ({c}, {d}), radius {e}, fill red"),
            1 => format!("box: at ({a}, {b}), size ({c}, {d}), angle {e}, fill blue when {when}"),
            2 => format!("line: ({a}, {b}) to ({c}, {d}), width {e}"),
            3 => format!("polyline: ({a}, {b}) to ({c}, {d}) to ({e}, 0), dash {a}"),
            4 => format!("arrow: ({a}, {b}) to ({c}, {d}), stroke mix(red, green, {e})"),
            5 => format!("spring: ({a}, {b}) to ({c}, {d}), turns {e}, opacity {a}"),
            6 => format!("text: at ({a}, {b}), 'n = {{{c}:.2}}' when {when}, '{{{d}}}'"),
            7 => format!("path: of ({a}, {b}) when {when}, last {c}"),
            _ => format!("group g: at ({a}, {b}), angle {c} when {when}"),
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever a scene draws, the run is the same to the bit, events and ticks; and it can be drawn at any row.
    #[test]
    fn a_scene_changes_no_bit(rows in proptest::collection::vec(a_row(), 1..6), ticks in any::<bool>()) {
        let mut text = SPRING.to_owned();
        for row in &rows {
            text = edit::insert(&text, "scene", usize::MAX, &format!("\"{row}\"")).unwrap();
        }
        let with = model(&text);
        prop_assert_eq!(with.shapes().len(), rows.len() + 1);
        let (start, end) = (text.find("    scene: (").unwrap(), text.rfind(')').unwrap());
        let without = model(&format!("{}{}", &text[..start], &text[end..]));
        prop_assert!(without.scene.is_none());
        let config = |model: &Model| {
            let mut clock = model.clock.clone();
            if ticks {
                clock.stepping = Some(situ_engine::model::Stepping::Tick);
                clock.step = Some(0.125);
            }
            RunConfig::from_clock(&clock).unwrap()
        };
        let [seen, unseen] = [&with, &without].map(|model| bits(&trace(model, config(model))));
        prop_assert_eq!(seen, unseen);

        let mut run = Run::new(with.clone(), config(&with), &[]).unwrap();
        let mut trails = Trails::default();
        for _ in 0..4 {
            trails.take(&with, &run.row());
            let picture = draw(&with, &run.row(), &trails).unwrap();
            let text = svg(&picture, Theme::Auto);
            // Of texts in the picture a value may be infinite.
            let mut tags = text.split('<').filter_map(|part| part.split('>').next());
            prop_assert!(!tags.any(|tag| tag.contains("NaN") || tag.contains("inf")), "{}", text);
            let until = run.time() + 0.625;
            run.run_to(until, &mut ()).unwrap();
        }
    }
}

/// Every scenario with a scene: without it each real has the same bits. Of a table that extends others all of them lose
/// theirs.
#[test]
fn scenes_of_scenarios_change_no_bit() {
    let mut n_scenes = 0;
    for folder in scenario_folders() {
        let loaded = read(&folder.join("table.ron"));
        let with = loaded.model.unwrap();
        if with.scene.is_none() {
            continue;
        }
        n_scenes += 1;
        let mut tables = loaded.tables.clone();
        for table in &mut tables {
            table.scene = None;
        }
        // What is said of their rows goes, too.
        let known: Vec<String> = (loaded.tables.iter().flat_map(|table| table.shapes()))
            .filter_map(|row| row.body.name.as_ref())
            .map(|name| name.value.clone())
            .collect();
        for table in &mut tables {
            table.replace.retain(|id| !known.contains(&id.value));
            table.drop.retain(|id| !known.contains(&id.value));
        }
        let resolved = situ_rules::resolve::resolve(&tables, &loaded.sources, &loaded.data);
        let without = resolved.model.unwrap_or_else(|| panic!("{folder:?}"));
        assert!(without.scene.is_none());
        let config = |model: &Model| {
            let mut clock = model.clock.clone();
            let step = clock.step.unwrap();
            (clock.stop, clock.every) = (Some(200.0 * step), Some(20.0 * step));
            RunConfig::from_clock(&clock).unwrap()
        };
        let [seen, unseen] = [&with, &without].map(|model| bits(&trace(model, config(model))));
        assert_eq!(seen, unseen, "{folder:?}");
    }
    assert!(n_scenes >= 10, "{n_scenes}");
}

/// The picture of a table's scene at a time.
fn picture(text: &str, time: f64) -> Picture {
    let model = model(text);
    let config = RunConfig::from_clock(&model.clock).unwrap();
    let mut run = Run::new(model.clone(), config, &[]).unwrap();
    let mut trails = Trails::default();
    for at in 0..=64 {
        run.run_to(time * f64::from(at) / 64.0, &mut ()).unwrap();
        trails.take(&model, &run.row());
    }
    draw(&model, &run.row(), &trails).unwrap()
}

/// A scene over `x = time`, `y = time^2`; 100 pixels are a unit.
fn drawn(rows: &[&str], time: f64) -> Vec<Mark> {
    let rows: Vec<String> = rows.iter().map(|row| format!("\"{row}\"")).collect();
    let text = format!(
        "(format: 1, clock: (stepping: events, stop: 4), constants: {{\"r\": 0.5}}, reals: {{\"x\": 0, \"y\": 0}},
        ranges: [\"late: time > 1\"], relations: [\"x = integral(1)\", \"y = integral(2 * x)\"],
        scene: (view: (-1, 4, 5.4, -0.2), rows: [{}]))",
        rows.join(", ")
    );
    let picture = picture(&text, time);
    assert_eq!((picture.width, picture.height), (640.0, 420.0));
    picture.marks
}

#[track_caller]
fn near(found: [f64; 2], expected: [f64; 2]) {
    let differs = (found[0] - expected[0]).abs() + (found[1] - expected[1]).abs();
    assert!(differs < 1e-6, "{found:?}, not {expected:?}");
}

#[test]
fn marks_stand_where_the_quantities_say() {
    let marks = drawn(
        &[
            "circle: at (x, y), radius r when late, radius 0.1, fill red when !late, fill blue",
            "line: (0, 0) to (x, -x), stroke mix(red, blue, x)",
            "box: at (1, 1), size (2, 1), angle pi / 2",
            "text: at (0, 1), 'x = {x:.3}, y = {y}, it''s {{so}}', align right",
        ],
        1.5,
    );
    let [circle, line, square, text] = &marks[..] else {
        panic!("{marks:?}")
    };
    let Outline::Circle { centre, radius } = circle.outline else {
        panic!()
    };
    near(centre, [250.0, 400.0 - 225.0]);
    assert!((radius - 50.0).abs() < 1e-9);
    assert_eq!(circle.fill.unwrap().light, [0x0a, 0x66, 0xc2]);
    let Outline::Line {
        points,
        closed: false,
    } = &line.outline
    else {
        panic!()
    };
    near(points[0], [100.0, 400.0]);
    near(points[1], [250.0, 550.0]);
    assert_eq!(
        line.stroke.unwrap().light,
        [0x0a, 0x66, 0xc2],
        "a share above 1 is 1"
    );
    // Turned by a right angle it is as high as it was wide.
    let Outline::Line {
        points,
        closed: true,
    } = &square.outline
    else {
        panic!()
    };
    near(points[0], [250.0, 400.0]);
    near(points[2], [150.0, 200.0]);
    let Outline::Text {
        at,
        letters,
        anchor,
        ..
    } = &text.outline
    else {
        panic!()
    };
    near(*at, [100.0, 300.0]);
    assert_eq!(
        (letters.as_str(), *anchor),
        ("x = 1.500, y = 2.25, it's {so}", "end")
    );
}

#[test]
fn groups_turn_and_move_what_is_in_them() {
    let marks = drawn(
        &[
            "group arm: at (x, 1), angle pi / 2",
            "group hand in arm: at (1, 0), angle -pi / 2",
            "line in arm: (0, 0) to (1, 0)",
            "line in hand: (0, 0) to (1, 0)",
            "group gone: at (0, 0) when !late",
            "circle in gone: at (0, 0), radius 1",
        ],
        2.0,
    );
    let ends = |mark: &Mark| match &mark.outline {
        Outline::Line { points, .. } => [points[0], points[1]],
        other => panic!("{other:?}"),
    };
    assert_eq!(marks.len(), 2, "a group that is not there hides its shapes");
    let [arm, hand] = [ends(&marks[0]), ends(&marks[1])];
    near(arm[0], [300.0, 300.0]);
    near(arm[1], [300.0, 200.0]);
    near(hand[0], [300.0, 200.0]);
    near(hand[1], [400.0, 200.0]);
}

#[test]
fn paths_show_what_is_past() {
    let ways = |row: &str| -> Vec<Vec<[f64; 2]>> {
        let ways = drawn(&[row], 2.0)
            .into_iter()
            .map(|mark| match mark.outline {
                Outline::Line { points, .. } => points,
                other => panic!("{other:?}"),
            });
        ways.collect()
    };
    let all = ways("path: of (x, x)");
    near(all[0][0], [100.0, 400.0]);
    near(*all[0].last().unwrap(), [300.0, 200.0]);
    for [x, y] in &all[0] {
        near([*x, *y], [*x, 500.0 - x]);
    }
    let last = ways("path: of (x, x), last 0.5");
    near(last[0][0], [250.0, 250.0]);
    // Only while it is late.
    let late = ways("path: of (x, x) when late");
    assert!((late[0][0][0] - 200.0).abs() < 4.0, "{late:?}");
}

#[test]
fn families_draw_their_elements() {
    let text = r#"(
        format: 1,
        clock: (stepping: events, stop: 1),
        constants: {"N": 4},
        counters: {"j": "1 .. N"},
        reals: {"u[j]": "j / 4"},
        relations: ["u[j] = integral(0)"],
        scene: (view: (-1, 4, 5.4, -0.2), rows: [
            "circle bead[j]: at (j, u[j]), radius 0.1, fill mix(blue, red, u[j])",
            "circle first[j]: at (j, 0), radius 0.05 for j in 1 .. 2",
            "polyline thread: (0, 0) to (j, u[j]) for j to (5, sum(u[j] for j))",
            "text: at (0, 2), '{max(u[j] for j)}'",
        ]),
    )"#;
    let marks = picture(text, 0.5).marks;
    let circles = marks
        .iter()
        .filter(|mark| matches!(mark.outline, Outline::Circle { .. }));
    let names: Vec<&str> = circles.map(|mark| mark.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "bead[1]", "bead[2]", "bead[3]", "bead[4]", "first[1]", "first[2]"
        ]
    );
    let Outline::Line { points, .. } = &marks[6].outline else {
        panic!("{marks:?}")
    };
    assert_eq!(points.len(), 6);
    near(points[4], [500.0, 300.0]);
    near(points[5], [600.0, 150.0]);
    let Outline::Text { letters, .. } = &marks[7].outline else {
        panic!("{marks:?}")
    };
    assert_eq!(letters, "1");
}

#[test]
fn tables_take_over_and_change_the_scene_of_their_base() {
    let own = r#"(format: 1, extends: "base.ron", replace: ["ball"], drop: ["scene.2"], scene: (rows: [
        "circle ball: at (x, 0), radius 0.5",
        "[top after ball] text: at (0, 0), 'x'",
    ]))"#;
    let base = SPRING.replace(
        "            \"circle ball",
        "            \"[0] line floor: (-2, 0) to (2, 0)\",\n            \"line gone: (0, 0) to (1, 1)\",\n            \"[ball] circle ball",
    );
    let mut loader = |_: &str, _: &str| {
        Ok(situ_rules::TableText {
            name: "base.ron".to_owned(),
            text: base.clone(),
        })
    };
    let loaded = load("own.ron", own, &mut loader);
    let model = loaded
        .model
        .unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
    let ids: Vec<&str> = model
        .shapes()
        .iter()
        .map(|shape| shape.id.as_str())
        .collect();
    assert_eq!(ids, ["0", "ball", "top"]);
    assert!(
        model.scene.unwrap().view.is_some(),
        "the view is that of the base"
    );
}
