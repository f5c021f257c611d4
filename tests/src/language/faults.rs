//! A folder of tables with mistakes, each with the report that its author sees.
//!
//! `tests/faults/FAMILY/NAME.ron` is the table, `NAME.snap` beside it the reviewed report. A family
//! is where the mistake is found: the reading of the text, the names, the check, the run.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use situ_engine::model::Model;
use situ_engine::sim::{ConfigError, Run, RunConfig};
use situ_engine::trace::Measure;
use situ_rules::check::{Budget, begins, check_with};
use situ_rules::diag::{
    Severity, Style, dense_schedules, fault, findings, gaps, has_errors, pages, render,
    rounded_delays, setup_error,
};
use situ_rules::resolve::{Expectation, written_measures};
use situ_rules::{Diagnostic, Loaded, load, standalone};
use situ_words::Language;

use crate::tables::{Table, files, read, root, stem};

const FAMILIES: &[&str] = &[
    "parse", "names", "lookups", "families", "schemes", "machines", "scenes", "parts", "check",
    "units", "run", "mistakes",
];

fn folder(family: &str) -> PathBuf {
    root().join("tests/faults").join(family)
}

/// Compares the report of every table of a family with the reviewed one; all are looked at before
/// the test fails.
fn review(family: &str, report: impl Fn(&Path) -> String) {
    let folder = folder(family);
    compare(&files(&folder, "ron"), &folder, report);
}

/// Compares the reports of tables with the reviewed ones in a folder.
fn compare(tables: &[PathBuf], folder: &Path, report: impl Fn(&Path) -> String) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(folder);
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let differs = |path: &&PathBuf| {
        let check = || settings.bind(|| insta::assert_snapshot!(stem(path), report(path)));
        catch_unwind(AssertUnwindSafe(check)).is_err()
    };
    let failed: Vec<&PathBuf> = tables.iter().filter(differs).collect();
    assert!(failed.is_empty(), "not as reviewed: {failed:#?}");
    let reviewed = files(folder, "snap");
    let known = |path: &PathBuf| tables.iter().any(|table| stem(table) == stem(path));
    let orphans: Vec<&PathBuf> = reviewed.iter().filter(|path| !known(path)).collect();
    assert!(orphans.is_empty(), "reviewed, but gone: {orphans:#?}");
}

fn rendered(loaded: &Loaded, diagnostics: &[Diagnostic]) -> String {
    render(diagnostics, &loaded.sources, Style::Plain)
}

/// The report of a table that cannot be read or resolved, or of which something is suspect.
fn mistakes(path: &Path) -> String {
    let loaded = read(path);
    assert!(!loaded.diagnostics.is_empty(), "{path:?} has no mistake");
    assert_eq!(
        loaded.model.is_none(),
        has_errors(&loaded.diagnostics),
        "{path:?}"
    );
    rendered(&loaded, &loaded.diagnostics)
}

#[test]
fn mistakes_of_the_text_are_shown() {
    review("parse", mistakes);
}

#[test]
fn mistakes_of_names_are_shown() {
    review("names", mistakes);
}

#[test]
fn mistakes_of_parts_are_shown() {
    review("parts", mistakes);
}

#[test]
fn mistakes_of_lookups_are_shown() {
    review("lookups", mistakes);
}

#[test]
fn mistakes_of_families_are_shown() {
    review("families", mistakes);
}

#[test]
fn mistakes_of_schemes_are_shown() {
    review("schemes", mistakes);
}

#[test]
fn mistakes_of_machines_are_shown() {
    review("machines", mistakes);
}

#[test]
fn mistakes_of_scenes_are_shown() {
    review("scenes", mistakes);
}

/// Findings of the check in a table that can run.
fn found(path: &Path) -> String {
    let loaded = read(path);
    assert!(loaded.diagnostics.is_empty(), "{}", mistakes(path));
    let model = loaded.model.as_ref().expect("it has no mistakes");
    let found = check_with(model, &loaded.origins, loaded.watchers(), Budget::default());
    assert!(!found.is_empty(), "{path:?}: nothing is found");
    rendered(&loaded, &found)
}

#[test]
fn findings_of_the_check_are_shown() {
    review("check", found);
}

#[test]
fn units_that_do_not_agree_are_shown() {
    review("units", found);
}

/// All that is said of a table before it runs.
fn all_of(path: &Path) -> (Loaded, Vec<Diagnostic>) {
    let loaded = read(path);
    let mut all = loaded.diagnostics.clone();
    if let Some(model) = &loaded.model {
        all.extend(begins(&Arc::new(model.clone()), &loaded.origins));
        all.extend(check_with(
            model,
            &loaded.origins,
            loaded.watchers(),
            Budget::default(),
        ));
    }
    (loaded, all)
}

/// As it is shown: nothing, if the table is none of those that have a mistake.
fn as_checked(path: &Path) -> String {
    let (loaded, all) = all_of(path);
    match all.is_empty() {
        true => "nothing found\n".to_owned(),
        false => rendered(&loaded, &all),
    }
}

/// One table with one mistake each, as people type them who have learnt other languages.
#[test]
fn mistakes_as_people_type_them_are_shown() {
    review("mistakes", as_checked);
}

#[test]
fn mistakes_as_people_type_them_are_shown_in_russian() {
    let folder = folder("mistakes");
    let in_russian = |path: &Path| Language::Russian.within(|| as_checked(path));
    compare(&files(&folder, "ron"), &folder.join("ru"), in_russian);
}

/// The words of a text that are not quoted.
fn unquoted(text: &str) -> String {
    let mut quoted = false;
    let mut rest = String::new();
    for c in text.chars() {
        match c {
            '`' => quoted = !quoted,
            _ if quoted => {}
            c => rest.push(c),
        }
    }
    rest
}

/// Whatever is reported, nothing of it is left in English: no two English words stand side by side.
#[test]
fn in_russian_nothing_is_said_in_english() {
    let mut found = Vec::new();
    // Runs are left out: they take long.
    for family in FAMILIES.iter().filter(|family| **family != "run") {
        for path in files(&folder(family), "ron") {
            let (_, reports) = Language::Russian.within(|| all_of(&path));
            for report in reports {
                let labels = report.primary.iter().chain(&report.secondary);
                let texts = labels.map(|label| &label.text).chain(&report.notes);
                for text in texts.chain([&report.message]).chain(&report.help) {
                    // What the files of the tests say.
                    let rest = unquoted(text).replace("no such file", "");
                    let words: Vec<&str> = rest.split(' ').collect();
                    let is_english = |word: &&str| {
                        word.len() > 2 && word.chars().all(|c| c.is_ascii_lowercase())
                    };
                    if words.windows(2).any(|pair| pair.iter().all(is_english)) {
                        found.push(format!("{}: {text}", stem(&path)));
                    }
                }
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Why a table that has no mistakes does not run to its end.
fn failure(path: &Path) -> String {
    match failure_of(path) {
        Ok((loaded, reports)) => rendered(&loaded, &reports),
        Err(error) => format!("error: {error}\n"),
    }
}

fn failure_of(path: &Path) -> Result<(Loaded, Vec<Diagnostic>), ConfigError> {
    let loaded = read(path);
    assert!(loaded.diagnostics.is_empty(), "{}", mistakes(path));
    let model = loaded.model.clone().expect("it has no mistakes");
    let config = RunConfig::from_clock(&model.clock)?;
    let reports = of_run(&loaded, model, config);
    Ok((loaded, reports))
}

/// Reports of a run: what is changed to suit its ticks, and why it fails.
fn of_run(loaded: &Loaded, model: Model, config: RunConfig) -> Vec<Diagnostic> {
    let (origins, expectations) = (&loaded.origins, &loaded.expectations);
    let mut reports = Vec::new();
    if let RunConfig::Ticks(config) = &config {
        reports.extend(rounded_delays(&model, origins, config.step));
        reports.extend(dense_schedules(&model, origins, config.step));
    }
    let measures: Vec<Measure> = expectations
        .iter()
        .flat_map(Expectation::measures)
        .collect();
    match Run::new(model.clone(), config, &measures) {
        Err(error) => reports.push(setup_error(&error, &model, origins)),
        Ok(mut run) => {
            let failure = run.run(&mut ()).err();
            reports.extend(failure.map(|why| fault(&why, &model, origins)));
            let mut remarkable = findings(&run.findings(), &model, origins);
            remarkable.extend(gaps(&run.gaps(), written_measures(expectations), &model));
            // Slides are no mistake; start values with few digits, and jumps onto borders, are small ones.
            let told = |report: &Diagnostic| {
                report.severity == Severity::Warning || ["R026", "R027"].contains(&report.code)
            };
            reports.extend(remarkable.into_iter().filter(told));
        }
    }
    assert!(!reports.is_empty(), "it has something to report");
    reports
}

#[test]
fn failures_of_runs_are_shown() {
    review("run", failure);
}

#[test]
fn pages_of_runs_show_what_they_say() {
    for page in pages().into_iter() {
        if page.code.starts_with('R') {
            let mut bad = load("table.ron", page.bad, &mut standalone);
            let model = bad.model.take().expect("it has no mistakes");
            let config = RunConfig::from_clock(&model.clock).unwrap();
            let reports = of_run(&bad, model, config);
            let codes: Vec<&str> = reports.iter().map(|report| report.code).collect();
            assert_eq!(codes, [page.code]);
            let Table { model, origins, .. } = Table::from_text(page.repaired);
            let config = RunConfig::from_clock(&model.clock).unwrap();
            if let RunConfig::Ticks(config) = &config {
                let rounded = rounded_delays(&model, &origins, config.step);
                assert_eq!(rounded, [], "{}", page.code);
                let dense = dense_schedules(&model, &origins, config.step);
                assert_eq!(dense, [], "{}", page.code);
            }
            let mut run = Run::new(model.clone(), config, &[]).unwrap();
            run.run(&mut ())
                .unwrap_or_else(|fault| panic!("{}: {fault}", page.code));
            let remarkable = findings(&run.findings(), &model, &origins);
            let warns = |report: &Diagnostic| report.severity == Severity::Warning;
            assert!(
                !remarkable.iter().any(warns),
                "{}: {remarkable:?}",
                page.code
            );
        }
    }
}

/// Every code that reading, the check or a run can report has a table here, but for C090: a table
/// that the check cannot finish is too long to be reviewed.
#[test]
fn every_code_is_shown() {
    let folders = FAMILIES.iter().map(|family| folder(family));
    let reviewed = folders.flat_map(|folder| files(&folder, "snap"));
    let shown: String = reviewed
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    let codes = pages().into_iter().map(|page| page.code);
    let is_missing = |code: &&str| *code != "C090" && !shown.contains(&format!("[{code}]"));
    let missing: Vec<&str> = codes.filter(is_missing).collect();
    assert!(missing.is_empty(), "no table shows {missing:?}");
}

#[test]
fn there_are_many() {
    let families = ["parse", "names", "check", "run"];
    let counts = families.map(|family| files(&folder(family), "ron").len());
    assert!(counts.iter().sum::<usize>() >= 60, "{counts:?}");
}
