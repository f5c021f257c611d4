//! Effects of the order of rows: loops, late reads, sums.

use super::*;

#[test]
fn loops_and_late_reads() {
    let with = |relations: &[&str], rest: &str| {
        let lists = Lists {
            constants: r#""k": 0"#,
            reals: r#""x": 0, "y": 0, "z": 0, "s": 0"#,
            ranges: &["low: s < 1", "high: s >= 1"],
            relations,
            rest,
            ..Lists::default()
        };
        lists.with_code("C05")
    };
    let fine = Vec::<String>::new();
    let a_loop = |circle: &str, reader: &str, read: &str, writer: &str| {
        vec![format!(
            "warning C050: algebraic loop: {circle} | a tick run goes around the loop once per tick: row `{reader}` \
             reads `{read}` before row `{writer}` writes it"
        )]
    };
    let tail = ["s = integral(x)"];
    let rows = |rows: &[&str]| with(&[rows, &tail].concat(), "");
    assert_eq!(
        rows(&["x = 0.5 * y + s", "y = -1 * x"]),
        a_loop("x -> y -> x", "1", "y", "2")
    );
    assert_eq!(
        rows(&["x = 0.5 * z + s", "y = -1 * x", "z = y + s"]),
        a_loop("x -> y -> z -> x", "1", "z", "3")
    );
    assert_eq!(rows(&["x = 0 * y + s", "y = -1 * x"]), fine);
    assert_eq!(rows(&["x = k * y * s", "y = -1 * x"]), fine);
    assert_eq!(rows(&["x = integral(y)", "y = -1 * x"]), fine);
    assert_eq!(rows(&["x = smoothing(y, 1)", "y = -1 * x"]), fine);
    // A circle needs all its rows at once.
    assert_eq!(
        rows(&[
            "x = 0.5 * y when low",
            "x = s when high",
            "y = -1 * x when high",
            "y = s when low"
        ]),
        fine
    );
    assert_eq!(
        rows(&["x = 0.5 * y when low", "x = s when high", "y = -1 * x"]),
        [a_loop("x -> y -> x", "1", "y", "3").remove(0) + " | for example at s = 0"]
    );
    assert_eq!(
        with(
            &["x = 0.5 * y + s", "y = -1 * x", "s = integral(x)"],
            "clock: (scan: simultaneous)"
        ),
        fine
    );

    let late = |reader: &str, read: &str, writer: &str| {
        vec![format!(
            "note C051: row `{reader}` reads `{read}` above row `{writer}`, which computes it | what \
             it is computed from has changed in between"
        )]
    };
    assert_eq!(
        with(&["s = integral(x)", "x = 2 * y", "y = 3 * s"], ""),
        late("2", "y", "3")
    );
    assert_eq!(
        with(&["x = 2 * y", "y = 3 * time", "s = integral(x)"], ""),
        late("1", "y", "2")
    );
    assert_eq!(
        with(&["x = 2 * y", "y = sine_wave(1, 2)", "s = integral(x)"], ""),
        late("1", "y", "2")
    );
    // Nothing has moved between the row and the next tick's read.
    assert_eq!(
        with(&["x = 2 * y", "s = integral(x)", "y = 3 * s"], ""),
        fine
    );
    assert_eq!(
        with(
            &["x = 2 * y", "s = integral(x)", "z = 3 * s", "y = 1 * z"],
            ""
        ),
        fine
    );
    assert_eq!(
        with(
            &["s = integral(x)", "z = 1 * y", "x = 2 * y", "y = 3 * s"],
            ""
        ),
        [
            "note C051: rows `2` and `3` read `y` above row `4`, which computes it | what it is computed \
          from has changed in between"
        ]
    );
}

#[test]
fn jumps_that_a_range_sees_late() {
    let with = |rows: &[&str]| {
        let lists = Lists {
            reals: r#""x": 0, "a": 0, "load": 0, "n": 0"#,
            ranges: &["full: x >= 1", "heavy: load > 4"],
            situations: &["event filled: full", "event warned: heavy"],
            relations: rows,
            ..Lists::default()
        };
        lists.with_code("C054")
    };
    let fine = Vec::<String>::new();
    let late = |of: &str| {
        vec![format!(
            "note C054: range `heavy` sees a jump of `{of}` one microstep late"
        )]
    };
    let (moves, set) = ("x = integral(1)", "x := 3 when filled");
    let counts = "n := n + 1 when warned";
    assert_eq!(with(&["load = 2 * x", moves, set, counts]), late("x"));
    assert_eq!(with(&[moves, set, "load = 2 * x", counts]), fine);
    // Over a row of its own: what it computes jumps with x, and by its own condition.
    assert_eq!(
        with(&["load = 2 * a", moves, "a = x", set, counts]),
        [late("a"), late("x")].concat()
    );
    assert_eq!(
        with(&["load = 2 * a", "a = 3 when full", moves, counts]),
        late("a")
    );
    // Nothing jumps; no range looks.
    assert_eq!(with(&["load = 2 * a", "a = x", moves, counts]), fine);
    assert_eq!(with(&["a = 2 * x", moves, set, "load = 1", counts]), fine);
}

#[test]
fn rows_that_add_up_tick_by_tick() {
    let with = |rows: &[&str]| {
        let mut relations = rows.to_vec();
        relations.push("v = integral(P)");
        let lists = Lists {
            reals: r#""P": 0, "v": 0, "F": 0"#,
            ranges: &["slow: v < 1", "fast: v >= 1", "faster: v > 2"],
            situations: &["event hit: fast"],
            relations: &relations,
            ..Lists::default()
        };
        lists.with_code("C052")
    };
    let fine = Vec::<String>::new();
    let adds = |row: &str, of: &str, note: &str| {
        vec![format!(
            "warning C052: row `{row}` changes `{of}` again in every tick{note} | the result depends \
             on the length of the tick"
        )]
    };
    assert_eq!(with(&["P = P + v"]), adds("1", "P", ""));
    assert_eq!(with(&["P = 0.5 * P when slow"]), adds("1", "P", ""));
    assert_eq!(with(&["P = v", "P = P + F"]), fine);
    assert_eq!(with(&["P = P + F", "P = v"]), adds("1", "P", ""));
    assert_eq!(with(&["P = v when fast", "P = P + F when faster"]), fine);
    assert_eq!(
        with(&["P = v when fast", "P = P + F when slow"]),
        adds("2", "P", " | no row above writes it at v = 0")
    );
    assert_eq!(with(&["v = -0.8 * v when fast"]), adds("1", "v", ""));
    assert_eq!(with(&["v := -0.8 * v when hit"]), fine);
    assert_eq!(with(&["v = -0.8 * v when hit"]), fine);
    assert_eq!(with(&["v = integral(-2 * v)"]), fine);
    // These give their own result back.
    assert_eq!(with(&["v = clamp(v, 0, 1)", "P = max(P, v)"]), fine);
    assert_eq!(with(&["v = 2 * max(v, 1)"]), adds("1", "v", ""));
}
