//! Tests of edits.

use super::*;

const TABLE: &str = r#"// head
(
    format: 1,
    constants: {"g": 9.81, "m": 1},   // two
    relations: [
        // first
        "[1] x = 1",     // one
        (id: "2", real: "y", procedure: "sum", args: ["x", "x"]), /* two */

        "[3] z = 3" // no comma
    ],
)
"#;

fn check(text: &str, edited: Result<String, EditError>, changed: &[(&str, &str)]) {
    let mut expected = text.to_owned();
    for (old, new) in changed {
        assert_eq!(expected.matches(old).count(), 1, "{old}");
        expected = expected.replace(old, new);
    }
    assert_eq!(edited.unwrap(), expected);
}

#[test]
fn entries_are_added_between_what_stays() {
    let add = |index| insert(TABLE, "relations", index, "\"new\"");
    check(
        TABLE,
        add(0),
        &[("relations: [\n", "relations: [\n        \"new\",\n")],
    );
    check(TABLE, add(1), &[("// one\n", "// one\n        \"new\",\n")]);
    check(
        TABLE,
        add(2),
        &[("/* two */\n", "/* two */\n        \"new\",\n")],
    );
    let last = [(
        "\"[3] z = 3\" // no comma\n",
        "\"[3] z = 3\", // no comma\n        \"new\",\n",
    )];
    check(TABLE, add(3), &last);
    check(TABLE, add(99), &last);
    let constant = insert(TABLE, "constants", 1, "\"k\": 2");
    check(TABLE, constant, &[("9.81, ", "9.81, \"k\": 2, ")]);
    let constant = insert(TABLE, "constants", 2, "\"k\": 2");
    check(TABLE, constant, &[("\"m\": 1}", "\"m\": 1, \"k\": 2}")]);
    let constant = insert(TABLE, "constants", 0, "\"k\": 2");
    check(TABLE, constant, &[("{\"g\"", "{\"k\": 2, \"g\"")]);
}

#[test]
fn missing_fields_are_made_in_their_place() {
    let made = insert(TABLE, "reals", 0, "\"x\": 0");
    check(
        TABLE,
        made,
        &[(
            "// two\n",
            "// two\n    reals: {\n        \"x\": 0,\n    },\n",
        )],
    );
    let made = insert("(relations: [])", "relations", 5, "\"x = 1\"").unwrap();
    assert_eq!(made, "(relations: [\n    \"x = 1\",\n])");
    check(
        TABLE,
        set(TABLE, "name", "\"n\""),
        &[("format: 1,", "format: 1,\n    name: \"n\",")],
    );
    check(
        TABLE,
        set(TABLE, "format", "2"),
        &[("format: 1", "format: 2")],
    );
    let clock = set_within(TABLE, "clock", "step", "0.1").unwrap();
    check(
        TABLE,
        Ok(clock.clone()),
        &[("format: 1,", "format: 1,\n    clock: (step: 0.1),")],
    );
    check(
        &clock,
        set_within(&clock, "clock", "step", "2"),
        &[("0.1", "2")],
    );
    check(
        &clock,
        set_within(&clock, "clock", "stop", "2"),
        &[("0.1", "0.1, stop: 2")],
    );
}

#[test]
fn entries_go_with_their_comma_and_remark() {
    check(
        TABLE,
        remove(TABLE, "relations", 0),
        &[("        \"[1] x = 1\",     // one\n", "")],
    );
    check(
        TABLE,
        remove(TABLE, "relations", 2),
        &[("\n        \"[3] z = 3\" // no comma", "")],
    );
    check(
        TABLE,
        remove(TABLE, "constants", 0),
        &[("\"g\": 9.81, ", "")],
    );
    check(
        TABLE,
        replace(TABLE, "relations", 2, "\"q\""),
        &[("\"[3] z = 3\"", "\"q\"")],
    );
    assert_eq!(remove(TABLE, "reals", 0), Err(EditError::NoEntry));
    assert_eq!(remove("[1]", "reals", 0), Err(EditError::NotATable));
    assert_eq!(remove("((", "reals", 0), Err(EditError::NotATable));
}

#[test]
fn rows_set_aside_come_back_as_they_were() {
    for index in 0..3 {
        let aside = set_aside(TABLE, "relations", index).unwrap();
        let rows = rows_aside(&aside, "relations").unwrap();
        assert_eq!(rows.len(), 1);
        assert_eq!(rows[0].index, index);
        assert_eq!(rows[0].text, entry(TABLE, "relations", index).unwrap());
        let back = put_back(&aside, &rows[0]).unwrap();
        let expected = TABLE.replace("\"[3] z = 3\" ", "\"[3] z = 3\", ");
        let expected = if index == 2 { expected.as_str() } else { TABLE };
        assert_eq!(back, expected);
    }
}

#[test]
fn shapes_and_cases_keep_names_that_quantities_have() {
    let text = r#"(reals: {"h": 1}, cases: {"h": (set: {"h": 2})}, scene: (view: ("-h", 0, 2, 2), rows: [
        "circle h: at (1, h), radius 0.1", "[s after h] box h[h] in h: at (0, h), size (h, 1) for h", "h: at (h, 1)"]))"#;
    assert_eq!(
        rename(text, "h", "q").unwrap(),
        r#"(reals: {"q": 1}, cases: {"h": (set: {"q": 2})}, scene: (view: ("-q", 0, 2, 2), rows: [
        "circle h: at (1, q), radius 0.1", "[s after h] box h[q] in h: at (0, q), size (q, 1) for q", "q: at (q, 1)"]))"#
    );
}

#[test]
fn rows_in_columns_declare_names() {
    let text = r#"(name: "h", lookups: {"f": (name: "h")},
        ranges: [(name: "h", all: [("x", ">", 0.5)]), (name: "h-h", all: []), (name: "r[i]", all: [("h", ">", 0)])],
        situations: [(name: "e[i]", all: ["h", "r[i]"], event: true, for: "i"), (id: "h", name: "`h`", all: ["h"])])"#;
    let text = rename(text, "h", "high").unwrap();
    let text = rename(&text, "i", "n").unwrap();
    let text = rename(&text, "h-h", "other one").unwrap();
    assert_eq!(
        rename(&text, "e", "rise").unwrap(),
        r#"(name: "h", lookups: {"f": (name: "h")},
        ranges: [(name: "high", all: [("x", ">", 0.5)]), (name: "`other one`", all: []), (name: "r[n]", all: [("high", ">", 0)])],
        situations: [(name: "rise[n]", all: ["high", "r[n]"], event: true, for: "n"), (id: "h", name: "high", all: ["high"])])"#
    );
}

/// Names of a machine's states are its own: a quantity of the same name is another.
#[test]
fn states_have_names_of_their_own() {
    let text = r#"(reals: {"a": 0}, machines: {"m": (start: "a", states: {"a": ["a = integral(1)"], "b": []},
        transitions: ["a -> b when a > 1: a := 0", "b -> a when m.a & a < 3"])})"#;
    assert_eq!(
        rename(text, "a", "level").unwrap(),
        r#"(reals: {"level": 0}, machines: {"m": (start: "a", states: {"a": ["level = integral(1)"], "b": []},
        transitions: ["a -> b when level > 1: level := 0", "b -> a when m.a & level < 3"])})"#
    );
    assert_eq!(
        rename(text, "m.a", "m.rests").unwrap(),
        r#"(reals: {"a": 0}, machines: {"m": (start: "rests", states: {"rests": ["a = integral(1)"], "b": []},
        transitions: ["rests -> b when a > 1: a := 0", "b -> rests when m.rests & a < 3"])})"#
    );
}
