//! Tables as texts: what is found in them, how they are laid out and changed.

use std::path::Path;

use super::files::family;
use super::{Folder, Said, command};

/// Units, ids and texts that would steer a terminal; names cannot.
const HOSTILE: &str = "(
    format: 1, name: \"na\\u{1b}[7mme\", about: \"ab\\u{1b}]0;title\\u{7}out\", source: \"so\\u{1b}[7mce\",
    clock: (step: 0.01, stop: 1),
    constants: {\"c\": (start: 1, unit: \"m\\u{1b}[7m\", about: \"co\\u{9b}7mnst\")},
    reals: {\"x\": (start: 1, unit: \"s\\u{1b}[7m\", about: \"re\\u{1b}[7mal\")},
    switches: {\"on\": (start: false, about: \"sw\\u{1b}[7mitch\")},
    ranges: [(id: \"r1\", name: \"low\", all: [(\"x\", \"<\", \"0.5\")], note: \"no\\u{1b}[7mte\")],
    assignments: [\"when low: on\"],
    relations: [\"[1] x = integral(-c) # no\\u{1b}[7mte\"],
    cases: {\"fast\": (about: \"ab\\u{1b}[7mout\", set: {\"c\": 2})},
)";

#[test]
fn texts_of_a_table_do_not_steer_the_terminal() {
    let folder = Folder::with(&[("hostile.ron", HOSTILE)]);
    for line in [
        "show hostile.ron",
        "show hostile.ron --markdown",
        "run hostile.ron --set none=1",
        "run hostile.ron --case none",
        "run hostile.ron",
        "run hostile.ron --events",
        "check hostile.ron",
        "graph hostile.ron",
        "coverage hostile.ron",
        "converge hostile.ron",
        "compare hostile.ron",
        "profile hostile.ron",
        "emit hostile.ron tree",
        "sweep hostile.ron -q --over c=1,2",
        "repl hostile.ron --echo -e rules -e vars -e step -e state -e plot -e history -e title -e check",
    ] {
        let mut coloured = command(&folder.path(""), line);
        let output = coloured.env("CLICOLOR_FORCE", "1").output().unwrap();
        let said = Said::of(&output);
        for text in [said.out, said.err] {
            let steers = ["\u{1b}[7", "\u{1b}]", "\u{7}", "\u{9b}"];
            let steers = steers.iter().any(|escape| text.contains(escape));
            assert!(!steers, "{line}: {text:?}");
        }
    }
    let shown = folder.situ("show hostile.ron").expect(0, "").out;
    assert!(
        shown.contains("na␛[7mme") && shown.contains("re␛[7mal"),
        "{shown}"
    );
}

/// Whatever its lines end with.
#[test]
fn a_table_without_anything_to_expand_is_shown_as_it_stands() {
    let lines = [
        "(",
        "    format: 1, // one",
        "    reals: {\"x\": 0},",
        "    relations: [\"x = 1\"],",
        ")",
        "",
    ];
    for end in ["\n", "\r\n"] {
        let table = lines.join(end).replace(",//", ",\r//");
        let folder = Folder::with(&[("table.ron", &table)]);
        let shown = folder.situ("show table.ron --expand").expect(0, "").out;
        assert_eq!(shown, table);
        assert_eq!(
            folder
                .situ_reading("show - --expand", &table)
                .expect(0, "")
                .out,
            table
        );
    }
}

/// Points of a lookup stay where they are: the table that is written out reads them from its own folder.
#[test]
fn a_table_that_is_written_out_finds_the_points_of_its_parts() {
    let base = r#"(format: 1, clock: (stepping: events, stop: 3), lookups: {"f": (file: "pts.csv", x: "t", y: "y")}, reals: {"a": 0}, relations: ["a = f(time)"])"#;
    let part =
        r#"(format: 1, clock: (stepping: events, stop: 3), parts: {"q": (file: "sub/base.ron")})"#;
    let extending = r#"(format: 1, extends: "../sub/base.ron", counters: {"j": "1 .. 2"}, reals: {"u[j]": 0}, relations: ["u[j] = a * j"])"#;
    let folder = Folder::with(&[("part.ron", part)]);
    for (name, text) in [
        ("sub/base.ron", base),
        ("sub/pts.csv", "t,y\n0,1\n4,3\n"),
        ("other/extending.ron", extending),
    ] {
        let path = folder.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    // On the line from 1 at 0 to 3 at 4 the value at 3 is 2.5; twice that is 5.
    for (table, path, end) in [
        ("part.ron", "sub/pts.csv", "final(q.a)"),
        ("other/extending.ron", "../sub/pts.csv", "final(u[2])"),
    ] {
        let shown = folder.situ(&format!("show {table} --expand"));
        let shown = shown.expect(0, "").out;
        assert!(shown.contains(&format!("file: \"{path}\"")), "{shown}");
        let flat = table.replace(".ron", "_flat.ron");
        std::fs::write(folder.path(&flat), &shown).unwrap();
        let of = |table: &str| {
            let run = folder.situ(&format!("run {table} --no-plot -q --measure {end}"));
            run.expect(0, "").out
        };
        assert_eq!(of(&flat), of(table));
        let value = if end == "final(q.a)" { "= 2.5" } else { "= 5" };
        assert!(of(&flat).contains(value), "{}", of(&flat));
    }
}

#[test]
fn what_cannot_begin_is_found_by_the_check() {
    let table = |clock: &str, rows: &str| {
        format!(
            "(format: 1, clock: ({clock}), constants: {{\"c\": 0}}, reals: {{\"h\": 1, \"y\": 0}}, relations: [{rows}])"
        )
    };
    let fine = "\"y = 1\"";
    for (clock, rows) in [
        ("step: 0.1, stop: 1, every: 0.15", fine),
        ("step: 0.1, stop: 0", fine),
        ("step: 1e-300, stop: 1", fine),
        ("stop: 1", fine),
        ("step: 0.1", fine),
        ("stepping: events, rtol: 0, stop: 1", fine),
        ("step: 0.1, stop: 1", "\"y = delay(h, -1)\""),
        ("step: 0.1, stop: 1", "\"y = h / c\""),
        ("step: 0.1, stop: 1", "\"y = sqrt(h - 2)\""),
        ("stepping: events, stop: 1", "\"y = sqrt(h - 2)\""),
    ] {
        let folder = Folder::with(&[("t.ron", &table(clock, rows))]);
        let checked = folder.situ("check t.ron").status;
        let ran = folder.situ("run t.ron -q").status;
        assert!(checked == 2 && ran != 0, "{clock} {rows}: {checked}, {ran}");
    }
    let start = table("step: 0.1, stop: 1", fine).replace("\"h\": 1", "\"h\": \"1 / c\"");
    let folder = Folder::with(&[("t.ron", &start)]);
    assert_eq!(folder.situ("check t.ron").status, 2);
    let folder = Folder::with(&[("t.ron", &table("step: 0.1, stop: 1", fine))]);
    folder.situ("check t.ron").expect(0, "");
    folder.situ("run t.ron -q").expect(0, "");
}

#[test]
fn of_many_findings_of_a_kind_the_rest_are_counted() {
    let unknown: String = (0..5000)
        .map(|row| format!("\"x = unknown{row}\","))
        .collect();
    let broken = "\"x = = 1\",".repeat(5000);
    for (rows, code) in [(unknown, "error[N001]"), (broken, "error[P")] {
        let text = format!(
            "(format: 1, clock: (step: 1, stop: 1), reals: {{\"x\": 0}}, relations: [{rows}])"
        );
        let folder = Folder::with(&[("t.ron", &text)]);
        let said = folder.situ("check t.ron");
        assert_eq!(said.status, 2);
        assert_eq!(said.out.matches(code).count(), 100);
        assert!(
            said.out.contains("4900 more findings of this kind"),
            "{}",
            said.out
        );
    }
}

/// Stages that count over families, and values that are numbers once the elements are written out.
#[test]
fn fmt_keeps_rows_that_count() {
    let scheme = r#"(format: 1, clock: (stepping: events, stop: 1), counters: {"j": "1 .. 2"}, constants: {"n": 1},
        species: {"A[j]": "2*j", "`B b`[j]": 1}, reactions: ["A[j] -> n * `B b`[j] : 0.3", "`B b`[1] + 2 A[2] -> : 1"])"#;
    let rows = r#"(format: 1, clock: (stepping: events, stop: 1), counters: {"j": "1 .. 2"},
        reals: {"u[j]": 0, "w[j]": 0, "x": 0}, relations: ["u[j] = -j", "w[j] = -2 * j", "x = -3"])"#;
    // Lines are done for all elements at once, rows in columns for each by itself.
    let chain = r#"(format: 1, clock: (stepping: events, stop: 1), counters: {"j": "1 .. 3"},
        reals: {"u[0 .. 4]": 0, "u[j]": "j"}, relations: ["u[j] = integral(-u[j])", "u[j] = integral(u[j - 1]) for j in 2 .. 3"])"#;
    let columns = r#"(format: 1, clock: (stepping: events, stop: 1), counters: {"j": "1 .. 3"},
        reals: {"u[j]": "j"}, relations: [(real: "u[j]", procedure: "integral", coef: -1, args: ["u[j]"])])"#;
    let folder = Folder::with(&[]);
    for (table, option, written) in [
        (chain, "--rows", r#"coef: -1, args: ["u[j]"]"#),
        (columns, "--lines", r#""u[j] = integral(-u[j])""#),
        (scheme, "", r#""A[j] -> n * `B b`[j] : 0.3""#),
        (scheme, "--rows", r#"stage: "A[j] -> n * `B b`[j]""#),
        (rows, "--rows", r#""u[j] = -j""#),
        (rows, "--rows", r#""w[j] = -2 * j""#),
        (rows, "--rows", r#"procedure: "assignment", args: [-3]"#),
    ] {
        std::fs::write(folder.path("table.ron"), table).unwrap();
        let end = || {
            let run = folder.situ("run table.ron --out - -q --no-plot");
            run.expect(0, "").out
        };
        let before = end();
        folder
            .situ(&format!("fmt table.ron {option}"))
            .expect(0, "");
        let text = folder.read("table.ron");
        assert!(text.contains(written), "{written}: {text}");
        assert_eq!(end(), before);
    }
}

#[test]
fn fmt_writes_the_same_model_or_nothing() {
    let folder = Folder::with(&[
        (
            "odd.ron",
            "(format: 1, clock: (step: 1, stop: 1), reals: {\"x\": 0}, relations: [\"[[1] x = 1\"])",
        ),
        ("hostile.ron", HOSTILE),
    ]);
    let before = folder.read("odd.ron");
    let said = folder.situ("fmt --rows odd.ron");
    if said.status == 0 {
        assert_eq!(folder.situ("check odd.ron").status, 0);
    } else {
        assert_eq!(folder.read("odd.ron"), before);
    }
    let said = folder.situ_reading("fmt -", HOSTILE);
    folder.situ("fmt hostile.ron").expect(0, "");
    assert_eq!(said.out, folder.read("hostile.ron"));
}

fn is_there(folder: &Folder, name: &str) -> bool {
    Path::new(&folder.path(name)).exists()
}

#[test]
fn the_prompt_asks_before_it_writes_over_the_table() {
    let folder = family();
    let before = folder.read("ball.ron");
    let lines = |lines: &str| folder.situ_reading("repl ball.ron --strict", lines);
    lines("constant c = 1\nsave\n").expect(2, "`save!` writes over it");
    assert_eq!(folder.read("ball.ron"), before);
    lines("constant c = 1\nsave!\nconstant d = 1\nsave\n").expect(0, "");
    let saved = folder.read("ball.ron");
    assert!(saved.contains("\"c\"") && saved.contains("\"d\""));
    for (line, why) in [
        ("save ball.html", "is neither a table nor a script"),
        ("save ball", "is neither a table nor a script"),
        ("export rows.json", "is no CSV file"),
        ("export rows.ron", "is no CSV file"),
    ] {
        lines(&format!("step\n{line}\n")).expect(2, why);
    }
    assert!(!is_there(&folder, "ball.html") && !is_there(&folder, "rows.json"));
    let more = |lines: &str| folder.situ_reading("repl more.ron --strict", lines);
    more("save ball.ron\n").expect(2, "which is read");
    assert_eq!(folder.read("ball.ron"), saved);
}

#[test]
fn a_real_that_is_there_is_shown_and_keeps_what_is_not_said() {
    let folder = family();
    let said = folder.situ_reading(
        "repl ball.ron --strict",
        "real h\nreal h = 3\nsave other.ron\n",
    );
    assert!(said.out.contains("h = 2"), "{}", said.out);
    let saved = folder.read("other.ron");
    assert!(
        saved.contains("\"h\": (start: 3, unit: \"m\", about: \"height\")"),
        "{saved}"
    );
}

#[test]
fn a_script_whose_table_was_changed_is_refused() {
    let folder = family();
    let lines = "load more.ron\nset k = 0.5\nstep 100\nsave session.situ\n";
    folder.situ_reading("repl --strict", lines).expect(0, "");
    let state =
        |folder: &Folder| folder.situ_reading("repl --strict", "read session.situ\nstate\n");
    state(&folder).expect(0, "");
    for name in ["ball.ron", "more.ron"] {
        let text = folder.read(name);
        std::fs::write(folder.path(name), format!("{text}\n// changed\n")).unwrap();
        let said = state(&folder);
        assert!((said.out + &said.err).contains("not what it was"), "{name}");
        std::fs::write(folder.path(name), text).unwrap();
    }
    state(&folder).expect(0, "");
}

/// Rows that columns cannot say stay lines, and what is laid out says what it said before.
#[test]
fn a_table_of_any_rows_is_laid_out() {
    let part = r#"(format: 1, clock: (step: 0.1, stop: 1), constants: {"P": 2}, reals: {"x": 0},
        relations: ["x = integral(P)"])"#;
    let rows = [
        "y = one.P * y",
        "y = w[2] * y",
        "u[j] = w[j] * b[j]",
        "u[j] = j * b[j]",
        "y, z = z, y",
        "y = 2 * max(b[j] for j)",
        "u[j] = integral(-w[j] * b[j])",
        "u[j] = integral(0.5 * b[j])",
        "y = sum(w[j] * b[j] for j)",
        "solve u[j]: u[j]^2 = 2",
        "solve u[j]: u[j]^2 = 2 for j in 2 .. 3",
        "solve rate(y): rate(y) = -y",
    ];
    for row in rows {
        let table = format!(
            r#"(format: 1, clock: (step: 0.1, stop: 1), constants: {{"N": 3, "w[1 .. N]": 2}},
            counters: {{"j": "1 .. N"}}, reals: {{"u[j]": 1, "b[0 .. N]": 1, "y": 1, "z": 2}},
            parts: {{"one": (file: "one.ron")}}, relations: ["{row}"])"#
        );
        for spelling in ["", "--lines", "--rows"] {
            let folder = Folder::with(&[("one.ron", part), ("table.ron", &table)]);
            folder
                .situ(&format!("fmt table.ron {spelling}"))
                .expect(0, "");
            folder
                .situ(&format!("fmt table.ron --check {spelling}"))
                .expect(0, "");
        }
    }
}

/// Two tables of a chain may have the same table as a part.
#[test]
fn a_table_that_extends_one_with_the_same_part_is_laid_out() {
    let part = r#"(format: 1, clock: (step: 0.1, stop: 1), reals: {"x": 0}, relations: ["x = integral(1)"])"#;
    let base = r#"(format: 1, clock: (step: 0.1, stop: 1), parts: {"y": (file: "one.ron")})"#;
    let own = r#"(format: 1, extends: "base.ron", parts: {"w": (file: "one.ron")})"#;
    let folder = Folder::with(&[("one.ron", part), ("base.ron", base), ("own.ron", own)]);
    folder.situ("fmt own.ron").expect(0, "");
    folder.situ("fmt own.ron --check").expect(0, "");
}

/// A table that is written out begins as it is told.
#[test]
fn what_is_set_stands_in_the_table_that_is_written_out() {
    let table = r#"(format: 1, clock: (step: 0.1, stop: 1), constants: {"c": 2}, counters: {"j": "1 .. 2"},
        reals: {"x": 1, "y": "c", "u[j]": 0}, switches: {"s": false},
        relations: ["x = integral(y) when s"], cases: {"k": (set: {"c": 3, "x": 5, "s": true})})"#;
    let folder = Folder::with(&[("table.ron", table)]);
    let start = |options: &str| {
        let said = folder.situ(&format!("show table.ron --expand {options}"));
        let lines = said.out.lines().map(str::trim);
        let starts = ["\"c\": ", "\"x\": ", "\"u[2]\": ", "\"s\": "];
        let of = |line: &&str| starts.iter().any(|start| line.starts_with(start));
        let lines: Vec<String> = lines.filter(of).map(str::to_owned).collect();
        lines.join(" ")
    };
    let plain = r#""c": 2, "x": 1, "u[2]": 0, "s": false,"#;
    assert_eq!(start(""), plain);
    assert_eq!(
        start("--case k"),
        r#""c": 3, "x": 5, "u[2]": 0, "s": true,"#
    );
    let set = "--set x=7 --set s=true --set u[2]=9";
    assert_eq!(start(set), r#""c": 2, "x": 7, "u[2]": 9, "s": true,"#);
}

/// A row of a family that writes several reals is warned of where it reads another element, and only there.
#[test]
fn a_row_that_reads_its_own_elements_is_not_warned_of() {
    let table = |row: &str| {
        format!(
            r#"(
                format: 1,
                clock: (stepping: events, stop: 3),
                counters: {{"j": "1 .. 3"}},
                reals: {{"u[j]": "0.1 * j", "n[j]": 0}},
                ranges: ["full[j]: u[j] >= 1"],
                situations: ["event e[j]: full[j]"],
                relations: ["u[j] = integral(1)", "{row}"],
            )"#
        )
    };
    let [own, other] = [
        "u[j], n[j] := 0, n[j] + 1 when e[j]",
        "u[j], n[j] := 0, n[j + 1] + 1 for j in 1 .. 2 when e[j]",
    ];
    let folder = Folder::with(&[("own.ron", &table(own)), ("other.ron", &table(other))]);
    let said = folder.situ("check own.ron");
    assert!(!said.expect(0, "").out.contains("F014"));
    let said = folder.situ("check other.ron");
    assert!(said.expect(0, "").out.contains("F014"));
}

/// Rows without ids are called by their numbers, which go on to others as a row is moved.
#[test]
fn rows_without_ids_are_moved() {
    let table = r#"(format: 1, clock: (step: 0.5, stop: 2), reals: {"a": 0, "b": 0, "c": 0, "d": 0},
        relations: ["a = integral(1)", "b = 2 * a", "c = b + 1", "d = c"])"#;
    let folder = Folder::with(&[("t.ron", table)]);
    for (line, order) in [
        ("move 4 after 1", "adbc"),
        ("move 1 after 4", "bcda"),
        ("move 3 before 1", "cabd"),
        ("move 2 after 3", "acbd"),
    ] {
        let said = folder.situ_reading("repl t.ron", &format!("{line}\nsave moved.ron\n"));
        said.expect(0, "");
        let moved = folder.read("moved.ron");
        let rows = ["a = ", "b = ", "c = ", "d = "].map(|row| moved.find(row).unwrap());
        let mut sorted: Vec<(usize, char)> = rows.into_iter().zip("abcd".chars()).collect();
        sorted.sort_unstable();
        let found: String = sorted.into_iter().map(|(_, name)| name).collect();
        assert_eq!(found, order, "{line}\n{moved}");
        std::fs::remove_file(folder.path("moved.ron")).unwrap();
    }
}

/// Written out, a table has one number of elements, and one value for each of them.
#[test]
fn a_case_with_another_number_of_elements_is_not_written_out() {
    let table = r#"(format: 1, clock: (step: 0.1, stop: 1), constants: {"M": 2, "N": "2 * M"}, counters: {"j": "1 .. N"},
        reals: {"u[j]": 0}, relations: ["u[j] = integral(N)"],
        cases: {"one": (set: {"u[2]": 7, "u[j]": 5}), "two": (set: {"u[N]": 9}), "small": (set: {"N": 2, "u[N]": 1}),
            "few": (set: {"M": 1}), "same": (set: {"N": 4})})"#;
    let folder = Folder::with(&[("table.ron", table)]);
    let shown = |options: &str| folder.situ(&format!("show table.ron --expand {options}"));
    let said = shown("").expect(0, "");
    for name in ["small", "few"] {
        let note =
            format!("note: the case `{name}` changes the number of elements and is left out");
        assert!(said.err.contains(&note), "{}", said.err);
        assert!(!said.out.contains(&format!("\"{name}\"")), "{}", said.out);
    }
    for line in [
        r#""one": (set: {"u[1]": 5, "u[2]": 7, "u[3]": 5, "u[4]": 5})"#,
        r#""two": (set: {"u[4]": 9})"#,
        r#""same": (set: {"N": 4})"#,
    ] {
        assert!(said.out.contains(line), "{}", said.out);
    }
    assert_eq!(said.err.lines().count(), 2, "{}", said.err);
    let small = shown("--case small").expect(0, "").out;
    assert!(
        small.contains(r#""small": (set: {"N": 2, "u[2]": 1})"#),
        "{small}"
    );
    assert!(!small.contains("u[3]"), "{small}");
}
