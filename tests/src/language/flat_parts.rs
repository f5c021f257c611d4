//! Parts: tables of tables against the same rows written flat.
//!
//! The flat tables are written here, by other code than that which writes parts out.

use std::fmt::Write as _;

use situ_engine::Method;
use situ_engine::model::{Clock, IntegralRule, Model, Stepping};
use situ_engine::sim::{Run, RunConfig};
use situ_engine::trace::{Trace, TraceRecorder};
use situ_rules::diag::{Style, render};
use situ_rules::{Loaded, TableText, load, print, resolve};

use crate::tables::Table;

/// A generator of numbers: the same on every machine.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    fn coin(&mut self) -> bool {
        self.below(2) == 0
    }

    /// `0.3`
    fn tenth(&mut self) -> String {
        format!("0.{}", 1 + self.below(9))
    }
}

/// The lists of a table, each row with `{p}` before the names of the table that it belongs to.
#[derive(Clone, Default)]
struct Lists {
    constants: Vec<(String, String)>,
    inputs: Vec<(String, String)>,
    reals: Vec<(String, String)>,
    switches: Vec<(String, String)>,
    ranges: Vec<String>,
    situations: Vec<String>,
    assignments: Vec<String>,
    relations: Vec<String>,
}

impl Lists {
    /// The same with another prefix.
    fn of(&self, prefix: &str) -> Self {
        let rows = |rows: &[String]| -> Vec<String> {
            rows.iter().map(|row| row.replace("{p}", prefix)).collect()
        };
        let pairs = |pairs: &[(String, String)]| {
            let named = pairs.iter();
            let named = named
                .map(|(name, value)| (name.replace("{p}", prefix), value.replace("{p}", prefix)));
            named.collect()
        };
        Self {
            constants: pairs(&self.constants),
            inputs: pairs(&self.inputs),
            reals: pairs(&self.reals),
            switches: pairs(&self.switches),
            ranges: rows(&self.ranges),
            situations: rows(&self.situations),
            assignments: rows(&self.assignments),
            relations: rows(&self.relations),
        }
    }

    fn text(&self, more: &str) -> String {
        let mut text = "(format: 1,\n    clock: (step: 0.01, stop: 3, every: 0.1),\n".to_owned();
        for (field, pairs) in [
            ("constants", &self.constants),
            ("inputs", &self.inputs),
            ("reals", &self.reals),
            ("switches", &self.switches),
        ] {
            let pairs = pairs
                .iter()
                .map(|(name, value)| format!("\"{name}\": {value}"));
            let pairs: Vec<String> = pairs.collect();
            writeln!(text, "    {field}: {{{}}},", pairs.join(", ")).unwrap();
        }
        text.push_str(more);
        for (field, rows) in [
            ("ranges", &self.ranges),
            ("situations", &self.situations),
            ("assignments", &self.assignments),
            ("relations", &self.relations),
        ] {
            let rows: Vec<String> = rows.iter().map(|row| format!("\"{row}\"")).collect();
            writeln!(text, "    {field}: [{}],", rows.join(", ")).unwrap();
        }
        text.push_str(")\n");
        text
    }
}

fn named(name: &str, value: impl Into<String>) -> (String, String) {
    (format!("{{p}}{name}"), value.into())
}

/// A table that may be a part, in a random order of its rows.
fn leaf(numbers: &mut Numbers) -> Lists {
    let mut relations: Vec<String> = [
        "{p}y = {p}a * {p}x + {p}u",
        "{p}v = integral({p}u - {p}y)",
        "{p}x = integral({p}v) when {p}on",
        "{p}v := -0.5 * {p}v when {p}hit",
    ]
    .map(str::to_owned)
    .to_vec();
    if numbers.coin() {
        relations.push("{p}u2 = {p}x * {p}y when {p}flag".to_owned());
        relations.push("{p}u2 = 0 otherwise".to_owned());
    } else {
        relations.push("{p}u2 = sin({p}x)".to_owned());
    }
    for at in (1..4).rev() {
        let other = usize::try_from(numbers.below(at + 1)).unwrap();
        relations.swap(usize::try_from(at).unwrap(), other);
    }
    Lists {
        constants: vec![named("a", numbers.tenth()), named("b", numbers.tenth())],
        inputs: vec![named("u", numbers.tenth()), named("on", "true")],
        reals: vec![
            named("x", "\"{p}b / 2\""),
            named("v", numbers.tenth()),
            named("y", "0"),
            named("u2", "0"),
        ],
        switches: vec![named("flag", "false")],
        ranges: vec!["{p}high: {p}x > {p}b".to_owned()],
        situations: vec!["event {p}hit: {p}high".to_owned()],
        assignments: vec!["when {p}hit: {p}flag".to_owned()],
        relations,
    }
}

/// What stands in a place of the outer table: a part of one name.
struct Placed {
    name: String,
    flat: Lists,
    /// `set` of this part.
    set: Vec<(String, String)>,
}

/// Adds a part to a flat table, behind the rows that stand before it.
fn add(flat: &mut Lists, part: &Placed, before: [&[String]; 2]) {
    let mut own = part.flat.of(&format!("{}.", part.name));
    for (name, value) in &part.set {
        let name = format!("{}.{name}", part.name);
        let all = own.constants.iter_mut().chain(&mut own.reals);
        for (known, start) in all.chain(&mut own.inputs) {
            if *known == name {
                start.clone_from(value);
            }
        }
    }
    let [assignments, relations] = before;
    flat.constants.extend(own.constants);
    let (numbers, truths): (Vec<_>, Vec<_>) = own
        .inputs
        .into_iter()
        .partition(|(_, value)| value != "true" && value != "false");
    flat.reals.extend(own.reals);
    flat.reals.extend(numbers);
    flat.switches.extend(own.switches);
    flat.switches.extend(truths);
    flat.ranges.extend(own.ranges);
    flat.situations.extend(own.situations);
    flat.assignments.extend(assignments.iter().cloned());
    flat.assignments.extend(own.assignments);
    flat.relations.extend(relations.iter().cloned());
    flat.relations.extend(own.relations);
}

/// Tables of parts with their files, and the same written flat.
struct Pair {
    files: Vec<(&'static str, String)>,
    composed: String,
    flat: String,
}

/// A random table of parts: two of one table or two, and sometimes a row of three; one of them may hold a part itself.
fn pair(seed: u64) -> Pair {
    let numbers = &mut Numbers(seed);
    let (first, second) = (leaf(numbers), leaf(numbers));
    // The second table holds the first one as a part.
    let nests = numbers.coin();
    let mut nested = Lists::default();
    let mut nested_text = second.of("").text("");
    if nests {
        let inner = Placed {
            name: "{p}in".to_owned(),
            flat: first.clone(),
            set: vec![("a".to_owned(), "0.4".to_owned())],
        };
        let connection = "{p}in.u = 0.3 * {p}x".to_owned();
        let mut outer = second.clone();
        let rows = std::mem::take(&mut outer.relations);
        let lists = [
            &mut outer.ranges,
            &mut outer.situations,
            &mut outer.assignments,
        ];
        let [ranges, situations, assignments] = lists.map(std::mem::take);
        nested = outer.clone();
        add(
            &mut nested,
            &inner,
            [&[], std::slice::from_ref(&connection)],
        );
        nested.relations.extend(rows.iter().cloned());
        nested.ranges.extend(ranges.iter().cloned());
        nested.situations.extend(situations.iter().cloned());
        nested.assignments.extend(assignments.iter().cloned());
        let (numbers_in, truths): (Vec<_>, Vec<_>) = std::mem::take(&mut nested.inputs)
            .into_iter()
            .partition(|(_, value)| value != "true");
        // As it stands in a part: its own inputs behind its reals, then those of its part.
        let n_own = second.reals.len();
        nested.reals.splice(n_own..n_own, numbers_in);
        let n_own = second.switches.len();
        nested.switches.splice(n_own..n_own, truths);
        outer.relations = rows;
        outer.ranges = ranges;
        outer.situations = situations;
        outer.assignments = assignments;
        outer.relations.push(connection);
        let more = "    parts: {\"in\": (file: \"first.ron\", set: {\"a\": 0.4})},\n";
        nested_text = outer.of("").text(more);
    }
    let second_flat = if nests { nested } else { second };
    let mut parts = vec![Placed {
        name: "left".to_owned(),
        flat: first.clone(),
        set: vec![("a".to_owned(), "\"2 * k\"".to_owned())],
    }];
    let many = numbers.coin();
    let of_second = numbers.coin();
    let flat_of = if of_second { &second_flat } else { &first };
    let right = |name: String, set| Placed {
        name,
        flat: flat_of.clone(),
        set,
    };
    match many {
        true => parts.extend((1..=3).map(|j| {
            let set = vec![("b".to_owned(), format!("\"k + {j}\""))];
            right(format!("cell[{j}]"), set)
        })),
        false => parts.push(right("right".to_owned(), Vec::new())),
    }
    let file = if of_second { "second.ron" } else { "first.ron" };
    let last = parts[parts.len() - 1].name.clone();
    let late = numbers.coin();
    let side = if late { "after left" } else { "before left" };
    let mut own = Lists {
        constants: vec![named("k", numbers.tenth())],
        reals: vec![named("w", "0.2"), named("z", "0"), named("q", "0")],
        ranges: vec![format!("wide: w > {}", numbers.tenth())],
        situations: vec![format!("both: {last}.high & wide")],
        assignments: vec![
            "when left.hit: !left.on".to_owned(),
            "when both: left.on".to_owned(),
        ],
        ..Lists::default()
    };
    let placed = "q = 0.5 * left.x".to_owned();
    let feed = format!("left.u = {last}.y - 0.1 * w");
    let behind = [
        "w = integral(left.u2 - w)".to_owned(),
        format!("z = left.y * {last}.x + q"),
    ];
    let chain = |j: usize| match j {
        1 => "cell[1].u = left.y".to_owned(),
        j => format!("cell[{j}].u = cell[{}].x", j - 1),
    };
    // As it is written with parts.
    let mut composed = own.clone();
    composed.relations.push(feed.clone());
    composed.relations.push(format!("[p {side}] {placed}"));
    composed.relations.extend(behind.iter().cloned());
    let mut more = format!(
        "    parts: {{\"left\": (file: \"first.ron\", set: {{\"a\": \"2 * k\"}}), {}}},\n",
        match many {
            true => format!("\"cell[j]\": (file: \"{file}\", set: {{\"b\": \"k + j\"}})"),
            false => format!("\"right\": (file: \"{file}\")"),
        }
    );
    match many {
        true => {
            more.push_str("    counters: {\"j\": \"1 .. 3\"},\n");
            let row = "cell[j].u = cell[j - 1].x for j in 2 .. 3";
            composed.relations.push(row.to_owned());
            composed.relations.push("cell[1].u = left.y".to_owned());
        }
        false => composed.relations.push("right.u = left.y".to_owned()),
    }
    // As it is written flat.
    let lists = [&mut own.ranges, &mut own.situations, &mut own.assignments];
    let [ranges, situations, assignments] = lists.map(std::mem::take);
    let mut flat = own;
    let mut front = vec![feed];
    if !late {
        front.push(placed.clone());
    }
    add(&mut flat, &parts[0], [&assignments, &front]);
    if late {
        flat.relations.push(placed);
    }
    for (j, part) in parts[1..].iter().enumerate() {
        let row = match many {
            true => chain(j + 1),
            false => "right.u = left.y".to_owned(),
        };
        add(&mut flat, part, [&[], &[row]]);
    }
    flat.relations.extend(behind);
    flat.ranges.extend(ranges);
    flat.situations.extend(situations);
    let files = vec![
        ("first.ron", first.of("").text("")),
        ("second.ron", nested_text),
    ];
    Pair {
        files,
        composed: composed.of("").text(&more),
        flat: flat.of("").text(""),
    }
}

fn load_pair(pair: &Pair) -> Loaded {
    let mut files = |path: &str, _: &str| {
        let found = pair.files.iter().find(|(name, _)| *name == path);
        found
            .map(|(name, text)| TableText {
                name: (*name).to_owned(),
                text: text.clone(),
            })
            .ok_or_else(|| "there is no such file".to_owned())
    };
    load("table.ron", &pair.composed, &mut files)
}

fn trace(model: &Model, clock: &Clock) -> Result<Trace, String> {
    let config = RunConfig::from_clock(&model.clock.overridden_by(clock)).unwrap();
    let mut recorder = TraceRecorder::new(model);
    let mut run = Run::new(model.clone(), config, &[]).map_err(|error| error.to_string())?;
    run.run(&mut recorder).map_err(|fault| fault.to_string())?;
    Ok(recorder.trace)
}

fn bits(trace: &Trace) -> (Vec<u64>, Vec<Vec<u64>>) {
    let of = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect();
    (
        of(&trace.time),
        trace.reals.iter().map(|column| of(column)).collect(),
    )
}

/// Compares random tables of parts with the same written flat.
fn compare(seeds: std::ops::Range<u64>) {
    let mut n_events = 0;
    for seed in seeds {
        let pair = pair(seed);
        let loaded = load_pair(&pair);
        let Pair { composed, flat, .. } = &pair;
        let shown = render(&loaded.diagnostics, &loaded.sources, Style::Plain);
        let model = loaded
            .model
            .unwrap_or_else(|| panic!("{shown}\n{composed}"));
        let other = Table::from_text(flat).model;
        let names = |model: &Model| {
            let reals = model.reals.iter().map(|real| real.name.clone());
            reals.collect::<Vec<_>>()
        };
        assert_eq!(names(&model), names(&other), "seed {seed}: {composed}");
        let ticks = Clock::default();
        let events = Clock {
            stepping: Some(Stepping::Events),
            method: Some(Method::Tsit5),
            step: None,
            ..Clock::default()
        };
        let trapezoid = Clock {
            integral: Some(IntegralRule::Trapezoid),
            ..Clock::default()
        };
        for clock in [ticks, trapezoid, events] {
            let [a, b] = [&model, &other].map(|model| trace(model, &clock));
            match (a, b) {
                (Ok(a), Ok(b)) => {
                    assert!(bits(&a) == bits(&b), "seed {seed}: {composed}\n{flat}");
                    n_events += a.time.len().saturating_sub(31);
                }
                (a, b) => {
                    assert_eq!(a.is_err(), b.is_err(), "seed {seed}: {composed}\n{flat}");
                }
            }
        }
    }
    assert!(n_events > 0, "some have events");
}

#[test]
fn parts_are_what_is_written_flat() {
    compare(0..60);
}

#[test]
#[ignore = "long; `cargo soak` runs it"]
fn soak_parts_are_what_is_written_flat() {
    compare(0..10_000);
}

/// What `--expand` prints is the same table.
#[test]
fn the_table_that_is_printed_is_the_one_that_is_run() {
    for seed in 0..40 {
        let pair = pair(seed);
        let loaded = load_pair(&pair);
        let flat = resolve::flat(&loaded.tables).expect("it has parts").table;
        let printed = print::table(&flat);
        let mut model = loaded.model.expect("it has no mistakes");
        let again = Table::from_text(&printed).model;
        model.shape.clear();
        model.structure = again.structure.clone();
        assert!(model == again, "{}\n{printed}", pair.composed);
    }
}
