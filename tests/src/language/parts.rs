//! Parts: what is said of them, drawn of them, and done with them at the prompt.

use situ_engine::sim::{Run, RunConfig};
use situ_rules::check::{Budget, check};
use situ_rules::diag::{Severity, Style, render};
use situ_rules::{Choices, Loaded, TableText, load, load_as};
use situ_views::model::{model_listing, part_graph};

use crate::tables::{read, root};

/// The tank of the tables with mistakes, under any name.
fn tank(_: &str, _: &str) -> Result<TableText, String> {
    let path = root().join("tests/faults/bases/tank.ron");
    Ok(TableText {
        name: "tank.ron".to_owned(),
        text: std::fs::read_to_string(path).unwrap(),
    })
}

fn scenario(name: &str) -> Loaded {
    read(&root().join(format!("scenarios/{name}/table.ron")))
}

/// The check of a table that two parts have says each thing once, under the name of the first.
#[test]
fn a_part_is_checked_once() {
    let codes = |parts: &str, value: &str| -> Vec<&'static str> {
        let text = format!(
            r#"(format: 1, clock: (step: 0.1, stop: 1), reals: {{"x": 0}},
                parts: {{{parts}}}, relations: ["x = {value}"])"#
        );
        let loaded = load("table.ron", &text, &mut tank);
        let model = loaded.model.as_ref().expect("it has only remarks");
        let found = check(model, &loaded.origins, Budget::default());
        found.iter().map(|report| report.code).collect()
    };
    let one = codes(r#""a": (file: "tank.ron")"#, "a.level");
    let two = codes(
        r#""a": (file: "tank.ron"), "b": (file: "tank.ron")"#,
        "a.level + b.level",
    );
    assert!(!one.is_empty());
    assert_eq!(one, two);
}

/// Sizes of the tables of parts follow from what is given to them.
#[test]
fn settings_reach_the_shape_of_parts() {
    let text = std::fs::read_to_string(root().join("scenarios/plant/table.ron")).unwrap();
    let n_reals = |set: &[&str]| {
        let choices = Choices {
            set: set.iter().map(|&text| text.to_owned()).collect(),
            ..Choices::default()
        };
        let mut disk = crate::tables::FromDisk;
        let loaded = load_as("scenarios/plant/table.ron", &text, &mut disk, &choices);
        let shown = render(&loaded.diagnostics, &loaded.sources, Style::Plain);
        loaded
            .model
            .unwrap_or_else(|| panic!("{shown}"))
            .reals
            .len()
    };
    // Of a line: two streams of 5 cells, three reals of its own, three of its vessel.
    assert_eq!(n_reals(&[]), 2 + 2 * 16);
    assert_eq!(n_reals(&["lines=7"]), 2 + 7 * 16);
}

/// A case that names a part which a table of another size does not have is in the way of that case only.
#[test]
fn a_case_of_another_size_names_parts_of_that_size() {
    let text = r#"(format: 1, clock: (step: 0.1, stop: 1), constants: {"N": 3}, counters: {"i": "1 .. N"}, reals: {"x": 0},
        parts: {"a[i]": (file: "tank.ron")}, relations: ["x = sum(a[i].level for i)"],
        cases: {"full": (set: {"a[3].level": 5})})"#;
    let codes = |case: Option<&str>, set: &str| -> Vec<&str> {
        let choices = Choices {
            case: case.map(str::to_owned),
            set: vec![set.to_owned()],
        };
        let loaded = load_as("table.ron", text, &mut tank, &choices);
        let errors = loaded.diagnostics.iter();
        let errors = errors.filter(|found| found.severity == Severity::Error);
        errors.map(|found| found.code).collect()
    };
    assert_eq!(codes(None, "N=3"), [""; 0]);
    assert_eq!(codes(Some("full"), "N=3"), [""; 0]);
    assert_eq!(codes(None, "N=2"), [""; 0]);
}

/// Connections that close a circle are named.
#[test]
fn late_connections_are_shown() {
    let loaded = scenario("coupled_pendulums");
    let model = loaded.model.expect("it has no mistakes");
    let shown = model_listing::text(&model, &["table.ron"], None);
    assert!(shown.contains("driven.ron"), "{shown}");
    let loaded = scenario("tanks");
    let shown = model_listing::text(&loaded.model.unwrap(), &["table.ron"], None);
    assert!(!shown.contains("values of the tick before"), "{shown}");
    let text = r#"(format: 1, clock: (step: 0.1, stop: 1), reals: {"x": 0},
        parts: {"a": (file: "tank.ron"), "b": (file: "tank.ron")},
        relations: ["b.inflow = a.outflow", "[back] a.inflow = b.outflow", "x = a.level"])"#;
    let model = load("table.ron", text, &mut tank).model.unwrap();
    let shown = model_listing::text(&model, &["table.ron"], None);
    let (_, late) = shown
        .split_once("values of the tick before\n")
        .expect(&shown);
    assert!(
        late.starts_with("  [back] a.inflow = b.outflow\n"),
        "{shown}"
    );
}

#[test]
fn parts_are_drawn_as_boxes() {
    let model = scenario("tanks").model.unwrap();
    insta::assert_snapshot!(part_graph::mermaid(&model));
    let model = scenario("plant").model.unwrap();
    insta::assert_snapshot!(part_graph::dot(&model));
}

/// Answers, breakpoints and edits at the prompt speak of parts, and a saved edit keeps the lists of the author.
#[test]
fn the_prompt_knows_parts() {
    let folder = tempfile::tempdir().unwrap();
    for file in ["table.ron", "tank.ron"] {
        let from = root().join("scenarios/tanks").join(file);
        std::fs::copy(from, folder.path().join(file)).unwrap();
    }
    std::fs::create_dir(folder.path().join("below")).unwrap();
    let mut console = situ_repl::console(None).unwrap();
    console.directory = folder.path().to_owned();
    let mut say = |line: &str| {
        let reply = console.execute(line, &mut ());
        (reply.failed, reply.text)
    };
    say("load table.ron");
    say("run to 3");
    let (_, why) = say("why lower.level");
    assert!(why.contains("[lower.3] lower.level = integral("), "{why}");
    let (_, blame) = say("blame lower.level");
    assert!(blame.contains("[lower.3] lower.level"), "{blame}");
    let (_, not) = say("why not lower.full");
    assert!(not.contains("lower.level >= lower.high"), "{not}");
    say("break lower.full");
    let (_, stopped) = say("run to 20");
    assert!(
        stopped.contains("stopped: break 1: lower.full"),
        "{stopped}"
    );
    let (_, coverage) = say("coverage");
    assert!(
        coverage.contains("never   [upper.2] upper.outflow = 0"),
        "{coverage}"
    );
    for line in [
        "drop upper.3",
        "replace upper.3: upper.level = 1",
        "move upper.3 after upper.1",
        "disable upper.3",
    ] {
        let (failed, said) = say(line);
        assert!(
            failed && said.contains("belongs to part `upper`"),
            "{line}: {said}"
        );
    }
    for line in [
        "constant upper.A = 2",
        "real middle.level = 1.25",
        "add before lower: [5] total = 0.5 * total",
        "set lower.level = 1",
        "save below/changed.ron",
    ] {
        let (failed, said) = say(line);
        assert!(!failed, "{line}: {said}");
    }
    let saved = std::fs::read_to_string(folder.path().join("below/changed.ron")).unwrap();
    for entry in [
        r#""upper": (file: "../tank.ron", set: {"level": 2, "A": 2}),"#,
        r#""middle": (file: "../tank.ron", set: {"A": 0.5, "c": 0.5, "level": 1.25}),"#,
        r#""[5 before lower] total = 0.5 * total","#,
        r#""[2] middle.inflow = upper.outflow","#,
    ] {
        assert!(saved.contains(entry), "{entry}\n{saved}");
    }
    let mut again = situ_repl::console(None).unwrap();
    again.directory = folder.path().join("below");
    let reply = again.execute("load changed.ron", &mut ());
    assert!(!reply.failed, "{}", reply.text);
}

/// Of no parts the sum is 0, and rates of parts may be summed as their other quantities.
#[test]
fn sums_go_over_rates_and_over_no_parts() {
    let mut loader = |path: &str, _: &str| {
        Ok::<_, String>(TableText {
            name: path.to_owned(),
            text: r#"(format: 1, clock: (step: 0.1, stop: 1), constants: {"k": 2}, reals: {"x": 1},
                species: {"A": 1}, relations: ["x = integral(1)"], reactions: ["[r] A -> : k"])"#
                .to_owned(),
        })
    };
    for (n, value) in [(0, "c[j].x"), (2, "c[j].flux(r)"), (0, "c[j].flux(r)")] {
        let text = format!(
            r#"(format: 1, clock: (step: 0.1, stop: 1), constants: {{"N": {n}}}, counters: {{"j": "1 .. N"}},
            reals: {{"s": 5}}, parts: {{"c[1 .. N]": (file: "part.ron")}}, relations: ["s = sum({value} for j)"])"#
        );
        let loaded = load("table.ron", &text, &mut loader);
        let shown = render(&loaded.diagnostics, &loaded.sources, Style::Plain);
        assert!(loaded.model.is_some(), "{shown}");
    }
}

/// The word that asks for an equilibrium is no name of the part, whatever names there are outside; a name like it is.
#[test]
fn parts_start_in_their_equilibrium() {
    let part = |start: &str, more: &str| {
        format!(
            r#"(format: 1, clock: (step: 0.1, stop: 1), inputs: {{"u": 3}}, reals: {{"T": {start}, "n[1 .. 2]": "steady"{more}}},
                counters: {{"j": "1 .. 2"}},
                relations: ["T = integral(u - T)", "n[j] = integral(u - j * n[j]) for j"])"#
        )
    };
    for (start, more, outside, known) in [
        (r#""steady""#, "", "", 4.0),
        (r#""steady(0)""#, "", "", 4.0),
        (
            r#"(start: "steady", unit: "K")"#,
            "",
            r#", "steady": 77"#,
            4.0,
        ),
        (r#""steady(1)""#, "", r#", "steady": 77"#, 4.0),
        (r#""steady""#, r#", "steady": 5"#, "", 5.0),
    ] {
        let mut loader = |path: &str, _: &str| {
            Ok::<_, String>(TableText {
                name: path.to_owned(),
                text: part(start, more),
            })
        };
        let text = format!(
            r#"(format: 1, clock: (step: 0.1, stop: 1), reals: {{"w": 4{outside}}},
                parts: {{"a": (file: "part.ron")}}, relations: ["a.u = w"])"#
        );
        let loaded = load("table.ron", &text, &mut loader);
        let shown = render(&loaded.diagnostics, &loaded.sources, Style::Plain);
        let model = loaded.model.unwrap_or_else(|| panic!("{shown}"));
        let config = RunConfig::from_clock(&model.clock).unwrap();
        let run = Run::new(model.clone(), config, &[]).unwrap();
        let at = |name: &str| {
            let mut reals = model.reals.iter();
            let at = reals.position(|real| &*real.name == name);
            run.row().reals[at.unwrap_or_else(|| panic!("no {name}"))]
        };
        assert!(
            (at("a.T") - known).abs() < 1e-9,
            "{start}{more}{outside}: {}",
            at("a.T")
        );
        let elements = if more.is_empty() {
            [4.0, 2.0]
        } else {
            [5.0, 5.0]
        };
        assert!(
            (at("a.n[1]") - elements[0]).abs() < 1e-9,
            "{start}: {}",
            at("a.n[1]")
        );
        assert!(
            (at("a.n[2]") - elements[1]).abs() < 1e-9,
            "{start}: {}",
            at("a.n[2]")
        );
    }
}
