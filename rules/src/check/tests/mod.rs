//! Tables with the findings they must have, and those they must not have.

mod arguments;
mod brute_force;
mod clock;
mod conditions;
mod conflicts;
mod order;
mod random;
mod stale;

use crate::diag::{Diagnostic, Severity, pages};
use crate::{load, standalone};

use super::{Budget, check};

/// All findings of a table, which must be free of mistakes.
fn check_table(text: &str, budget: Budget) -> Vec<Diagnostic> {
    let loaded = load("table.ron", text, &mut standalone);
    let mistakes: Vec<&Diagnostic> = loaded
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity == Severity::Error)
        .collect();
    assert!(mistakes.is_empty(), "{text}: {mistakes:#?}");
    let model = loaded.model.unwrap();
    check(&model, &loaded.origins, budget)
}

/// A finding as one line: severity, code, message, notes.
fn line(finding: &Diagnostic) -> String {
    let mark = match finding.severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    };
    let mut line = format!("{mark} {}: {}", finding.code, finding.message);
    for note in &finding.notes {
        line.push_str(" | ");
        line.push_str(note);
    }
    line
}

/// Lists of a table; what is not given is empty.
#[derive(Default)]
struct Lists<'a> {
    constants: &'a str,
    reals: &'a str,
    switches: &'a str,
    ranges: &'a [&'a str],
    situations: &'a [&'a str],
    assignments: &'a [&'a str],
    relations: &'a [&'a str],
    rest: &'a str,
}

impl Lists<'_> {
    fn text(&self) -> String {
        format!(
            "(format: 1, constants: {{{}}}, reals: {{{}}}, switches: {{{}}}, ranges: {:?}, \
             situations: {:?}, assignments: {:?}, relations: {:?}, {})",
            self.constants,
            self.reals,
            self.switches,
            self.ranges,
            self.situations,
            self.assignments,
            self.relations,
            self.rest
        )
    }

    fn findings(&self) -> Vec<String> {
        self.with_code("")
    }

    /// The findings whose code begins so.
    fn with_code(&self, code: &str) -> Vec<String> {
        let found = check_table(&self.text(), Budget::default());
        let found = found
            .iter()
            .filter(|finding| finding.code.starts_with(code));
        found.map(line).collect()
    }
}

#[track_caller]
fn expect(lists: Lists<'_>, expected: &[&str]) {
    assert_eq!(lists.findings(), expected, "{}", lists.text());
}

const FALL: [&str; 2] = ["v = integral(-9.81)", "h = integral(v)"];

#[test]
fn a_table_beyond_the_budget_is_not_looked_at() {
    let lists = Lists {
        reals: r#""v": 0, "h": 9"#,
        relations: &FALL,
        ..Lists::default()
    };
    for (rows, expected) in [
        (2, None),
        (
            1,
            Some(
                "note C090: the check did not look at this table: it has 2 rows | the most that a brief check takes is 1",
            ),
        ),
    ] {
        let budget = Budget {
            rows,
            ..Budget::BRIEF
        };
        let found = check_table(&lists.text(), budget);
        assert_eq!(found.first().map(line).as_deref(), expected);
    }
}

#[test]
fn every_page_shows_its_code_and_how_to_mend_it() {
    for page in pages()
        .into_iter()
        .filter(|page| page.code.starts_with('C'))
    {
        let budget = match page.code {
            "C090" => Budget {
                total: 10,
                question: 10,
                ..Budget::default()
            },
            _ => Budget::default(),
        };
        let codes = |text| -> Vec<&str> {
            check_table(text, budget)
                .iter()
                .map(|finding| finding.code)
                .collect()
        };
        assert!(
            codes(page.bad).contains(&page.code),
            "{}: {:?}",
            page.code,
            codes(page.bad)
        );
        let left = codes(page.repaired);
        assert!(left.is_empty(), "{}: {left:?} is left", page.code);
    }
}

#[test]
fn names_without_a_part_to_play() {
    expect(
        Lists {
            constants: r#""g": 9.81, "spare": 1, "moon": 0.165"#,
            reals: r#""v": 0, "h": 4, "m": 1, "idle": 0"#,
            switches: r#""on": true, "set_on": true, "latched": false, "told": false, "extra": false"#,
            ranges: &["low: h < 1", "unread: h < 2", "watched: h < 3"],
            situations: &["event unheard: low", "event hit: low", "lost: low"],
            assignments: &[
                "when low: set_on",
                "when hit: latched",
                "when hit: told",
                "when h > 9: !told",
            ],
            relations: &[
                "v = integral(-g * m) when on & latched & set_on",
                "h = integral(v)",
            ],
            rest: r#"clock: (stop_when: "watched"), cases: {"moon": (set: {"g": "9.81 * moon"})}"#,
        },
        &[
            "warning C040: constant `spare` is never used",
            "warning C041: no rule writes `m`",
            "warning C040: real `idle` is never used",
            "note C043: no rule reads switch `told`",
            "warning C040: switch `extra` is never used",
            "note C043: no rule reads range `unread`",
            "note C043: no rule reads event `unheard`",
            "note C043: no rule reads situation `lost`",
            "warning C042: `set_on` starts true and is only ever set",
            "note C042: `latched` is set but never cleared",
        ],
    );
}

#[test]
fn elements_of_one_kind_are_told_of_together() {
    let found = check_table(
        r#"(format: 1, clock: (stop: 3), counters: {"j": "1 .. 3"}, reals: {"x": 0}, switches: {"on[j]": false, "on[2]": true},
            ranges: ["warm[j]: x > j"], assignments: ["when warm[j]: on[j]"],
            relations: ["x = integral(1)", "x = integral(0.1) when on[2]"])"#,
        Budget::default(),
    );
    let found: Vec<String> = found.iter().map(line).collect();
    assert_eq!(
        found,
        [
            "note C042: `on[1]` is set but never cleared | 1 more element has the same",
            "warning C042: `on[2]` starts true and is only ever set",
        ]
    );
}

/// What is taken over no elements holds or not without a comparison in the table.
#[test]
fn nothing_is_said_of_conditions_over_nothing() {
    let found = check_table(
        r#"(format: 1, clock: (stop: 3), constants: {"N": 0}, counters: {"j": "1 .. N"}, reals: {"u[j]": 1, "t": 0, "n": 0},
            ranges: ["hot[j]: u[j] > 2"], situations: ["event f[j]: hot[j]", "event e: any(f[j] for j)", "nall: !all(hot[j] for j)"],
            relations: ["u[j] = integral(1)", "t = integral(1) when all(hot[j] for j)", "t := 0 when e",
                "t = integral(number(hot[j] for j)) when nall", "n = t when !any(hot[j] for j)"])"#,
        Budget::default(),
    );
    let found: Vec<String> = found.iter().map(line).collect();
    assert_eq!(found, Vec::<String>::new());
}
