//! Every folder of `scenarios/`: complete, without mistakes, and true to its reference
//! trajectories.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use situ_engine::Method;
use situ_engine::model::{Clock, Model};
use situ_engine::trace::Trace;
use situ_rules::check::{Budget, check};
use situ_rules::diag::{Style, has_errors, render};
use situ_rules::load;
use situ_rules::source::Spanned;
use situ_rules::tree::Form;

use crate::events::{Accuracy, Exact};
use crate::tables::{FromDisk, Table, column, files, laid_out, read, scenario_folders, stem};

/// Cases whose numbers are compared elsewhere, with those of other programs ([`crate::families`]).
const ELSEWHERE: [(&str, &str); 4] = [
    ("competing_species", "200"),
    ("competing_species", "800"),
    ("competing_species", "1800"),
    ("medakzo", "200"),
];

/// A column whose values are all smaller holds rounding only.
const NOISE: f64 = 1e-3;

/// A reference trajectory: some rows of a run.
struct Reference {
    /// Tolerance of a value, relative and as a part of the column's largest value, or of
    /// [`NOISE`].
    tolerance: f64,
    /// True if it is a run in exact time.
    events: bool,
    /// Of a run in exact time: with which tick a tick run comes how near to it.
    ticks: Option<(f64, f64)>,
    /// Of a run in exact time that is too stiff for explicit methods: by which it is compared.
    method: Option<Method>,
    names: Vec<String>,
    rows: Vec<Vec<f64>>,
}

impl Reference {
    fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap();
        let head = |start: &str| text.lines().find_map(|line| line.strip_prefix(start));
        let tolerance = head("# tolerance ").expect("the head states the tolerance");
        let ticks = head("# ticks of ").map(|ticks| {
            let (step, within) = ticks.split_once(" within ").unwrap();
            (step.parse().unwrap(), within.parse().unwrap())
        });
        let mut reader = csv::ReaderBuilder::new()
            .comment(Some(b'#'))
            .from_reader(text.as_bytes());
        let names = reader
            .headers()
            .unwrap()
            .iter()
            .map(str::to_owned)
            .collect();
        let number = |field: &str| field.parse::<f64>().unwrap();
        let row = |row: csv::StringRecord| row.iter().map(number).collect();
        Self {
            tolerance: tolerance.parse().unwrap(),
            events: head("# stepping events").is_some(),
            ticks,
            method: head("# method ").map(|name| Method::by_name(name).unwrap()),
            names,
            rows: reader
                .records()
                .map(|record| row(record.unwrap()))
                .collect(),
        }
    }

    /// Compares a trajectory with it at the times of its rows: every real and, in the same stepping,
    /// the booleans.
    fn compare(&self, model: &Model, trace: &Trace, tolerance: f64, booleans: bool, what: &str) {
        assert_eq!(self.names[0], "time");
        assert!(
            self.rows.len() >= 20,
            "{what}: too few rows to mean anything"
        );
        let same = |a: f64, b: f64| (a - b).abs() <= 1e-9 * b.abs();
        let at: Vec<usize> = self
            .rows
            .iter()
            .map(|row| {
                let found = trace.time.iter().position(|&time| same(time, row[0]));
                found.unwrap_or_else(|| panic!("{what}: no row at {}", row[0]))
            })
            .collect();
        for (index, name) in self.names.iter().enumerate().skip(1) {
            if !booleans && model.reals.iter().all(|real| real.name != *name) {
                continue;
            }
            let found =
                column(model, trace, name).unwrap_or_else(|| panic!("{what}: no column {name}"));
            let known = self.rows.iter().map(|row| row[index]);
            let largest = known.clone().fold(NOISE, |largest, x| largest.max(x.abs()));
            for (known, &row) in known.zip(&at) {
                let (found, time) = (found[row], trace.time[row]);
                let allowed = tolerance * (known.abs() + largest);
                assert!(
                    (found - known).abs() <= allowed,
                    "{what}: {name} at {time} is {found}, should be {known}"
                );
            }
        }
        let shown = model.reals.iter().filter(|real| real.output);
        let unnamed = shown.map(|real| &real.name);
        let unnamed: Vec<_> = unnamed.filter(|name| !self.names.contains(name)).collect();
        assert!(unnamed.is_empty(), "{what}: {unnamed:?} are not compared");
    }

    /// Runs a table in the steppings of the reference, and compares.
    fn check(&self, table: Table, what: &str) {
        let clock = self.clock();
        if !self.events {
            let run = table.clock(clock).into_run();
            let trace = run.trace();
            assert_eq!(trace.time.len(), self.rows.len(), "{what}: number of rows");
            self.compare(&run.table.model, &trace, self.tolerance, true, what);
            return;
        }
        let stop = clock.stop.expect("it has rows");
        let mut run = Exact::new(table.clone(), stop, Accuracy::Tight);
        if let Some(method) = self.method {
            run = run.method(method);
        }
        let run = run.every(self.rows[1][0]).run();
        self.compare(&run.table.model, &run.trace, self.tolerance, true, what);
        if let Some((step, within)) = self.ticks {
            let clock = Clock {
                step: Some(step),
                ..clock
            };
            let run = table.clock(clock).into_run();
            let what = format!("{what} in ticks of {step}");
            self.compare(&run.table.model, &run.trace(), within, false, &what);
        }
    }

    /// The clock under which a run has these rows.
    fn clock(&self) -> Clock {
        Clock {
            stop: self.rows.last().map(|row| row[0]),
            every: Some(self.rows[1][0] - self.rows[0][0]),
            ..Clock::default()
        }
    }
}

#[test]
fn every_case_follows_its_reference() {
    for folder in scenario_folders() {
        let mut compared = BTreeSet::new();
        for path in files(&folder, "ron") {
            let loaded = read(&path);
            let own = loaded.tables.last().expect("it can be read");
            let variant = stem(&path) != "table";
            let cases = own.cases.iter().map(|case| Some(case.name.value.clone()));
            let runs: Vec<Option<String>> = match variant {
                true => vec![None],
                false => cases.collect(),
            };
            assert!(!runs.is_empty(), "{path:?} has no cases");
            let elsewhere = |case: &Option<String>| {
                let folder = folder.file_name().unwrap().to_str().unwrap();
                ELSEWHERE
                    .iter()
                    .any(|known| Some(*known) == case.as_deref().map(|case| (folder, case)))
            };
            for case in runs.into_iter().filter(|case| !elsewhere(case)) {
                let name = case.as_deref().unwrap_or(stem(&path)).to_owned();
                let reference = Reference::read(&folder.join(format!("reference/{name}.csv")));
                let mut table = Table::at(&path);
                if let Some(case) = &case {
                    table = table.case(case);
                }
                reference.check(table, &format!("{} {name}", folder.display()));
                compared.insert(name);
            }
        }
        let references = files(&folder.join("reference"), "csv");
        let references = references.iter().map(|path| stem(path).to_owned());
        assert_eq!(references.collect::<BTreeSet<_>>(), compared, "{folder:?}");
    }
}

#[test]
fn every_scenario_is_explained() {
    let listed =
        std::fs::read_to_string(crate::tables::root().join("scenarios/README.md")).unwrap();
    for folder in scenario_folders() {
        let readme = std::fs::read_to_string(folder.join("README.md")).unwrap();
        let n_lines = readme.lines().count();
        assert!((10..=40).contains(&n_lines), "{folder:?}: {n_lines} lines");
        let name = folder.file_name().unwrap().to_str().unwrap();
        assert!(
            listed.contains(&format!("[{name}]({name})")),
            "{name} is not listed"
        );
        for variant in files(&folder, "ron") {
            let file = variant.file_name().unwrap().to_str().unwrap();
            assert!(
                file == "table.ron" || readme.contains(&format!("`{file}`")),
                "{name}: {file} is not explained"
            );
        }
    }
}

#[test]
fn extensions_only_add_to_the_table_before() {
    let chains = [
        ("hoop_drag/table.ron", "hoop/table.ron"),
        ("hoop_rotation/table.ron", "hoop/table.ron"),
        ("elastic_thread/as_printed.ron", "pendulum/table.ron"),
        ("cart/table.ron", "elastic_thread/as_printed.ron"),
        ("cart_stops/table.ron", "cart/table.ron"),
    ];
    for (extension, base) in chains {
        let path = crate::tables::root().join("scenarios").join(extension);
        let loaded = read(&path);
        assert!(!has_errors(&loaded.diagnostics));
        let (own, bases) = loaded.tables.split_last().unwrap();
        // Shapes may go: a cart is drawn where a ceiling was.
        let shapes = loaded.tables.iter().flat_map(|table| table.shapes());
        let names = shapes.filter_map(|row| row.body.name.as_ref());
        let names: Vec<&str> = names.map(|name| name.value.as_str()).collect();
        let is_rule = |id: &&Spanned<String>| !names.contains(&id.value.as_str());
        assert_eq!(
            own.drop.iter().filter(is_rule).count(),
            0,
            "{extension} drops rows"
        );
        let base_table = Table::at(base);
        assert_eq!(
            bases
                .iter()
                .map(|table| table.relations.len())
                .sum::<usize>()
                - bases
                    .iter()
                    .flat_map(|table| &table.replace)
                    .filter(is_rule)
                    .count(),
            base_table.model.relations.len()
        );
    }
}

/// Findings of the check in each table, one line per finding.
#[test]
fn findings_of_the_check_are_known() {
    let mut lines = String::new();
    for folder in scenario_folders() {
        for path in files(&folder, "ron") {
            let loaded = read(&path);
            let model = loaded.model.as_ref().expect("scenarios have no errors");
            let found = check(model, &loaded.origins, Budget::default());
            let table = path.strip_prefix(folder.parent().unwrap()).unwrap();
            writeln!(lines, "{}", table.display()).unwrap();
            for finding in loaded.diagnostics.iter().chain(&found) {
                writeln!(lines, "  {} {}", finding.code, finding.message).unwrap();
            }
        }
    }
    insta::assert_snapshot!(lines);
}

#[test]
fn tables_are_laid_out() {
    for folder in scenario_folders() {
        for path in files(&folder, "ron") {
            let text = std::fs::read_to_string(&path).unwrap();
            assert_eq!(
                laid_out(path.to_str().unwrap(), &text, None),
                text,
                "run `situ fmt` on {}",
                path.display()
            );
        }
    }
}

#[test]
fn both_spellings_run_alike() {
    for folder in scenario_folders() {
        for path in files(&folder, "ron") {
            let as_written = Table::at(&path).into_run();
            for form in [Form::Line, Form::Columns] {
                let name = path.to_str().unwrap();
                let text = laid_out(name, &std::fs::read_to_string(&path).unwrap(), Some(form));
                let loaded = load(name, &text, &mut FromDisk);
                let found = render(&loaded.diagnostics, &loaded.sources, Style::Plain);
                assert_eq!(found, "", "{}", path.display());
                let mut run = as_written.clone();
                run.table.model = loaded.model.expect("it has no mistakes");
                run.config.ticks = 2000;
                let mut other = as_written.clone();
                other.config.ticks = 2000;
                assert_eq!(run.trace(), other.trace(), "{} {form:?}", path.display());
            }
        }
    }
}
