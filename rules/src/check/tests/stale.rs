//! Values that no row keeps up to date.

use super::*;

#[test]
fn values_that_go_stale() {
    let force = |rows: &[&str]| {
        let mut relations = rows.to_vec();
        relations.extend(["v = integral(F - 981)", "h = integral(v)"]);
        let found = Lists {
            reals: r#""F": 0, "v": 0, "h": 400, "shown": 0"#,
            switches: r#""on": true"#,
            ranges: &["contact: h < 30", "down: v < 0", "up: v > 0"],
            situations: &["event leaves: !contact", "event arrives: contact"],
            relations: &relations,
            ..Lists::default()
        };
        found.with_code("C010")
    };
    let stale = |at: &str, by: &str| {
        vec![format!(
            "warning C010: no row writes `F` at {at}: it keeps its last value | {by} reads it there"
        )]
    };
    assert_eq!(force(&["F = -h when contact"]), stale("h = 400", "row `2`"));
    assert_eq!(
        force(&["F = -h when contact", "F = 0 otherwise"]),
        Vec::<String>::new()
    );
    assert_eq!(
        force(&["F = -h when contact", "F = 0 when !contact"]),
        Vec::<String>::new()
    );
    assert_eq!(
        force(&[
            "F = -h when contact & down",
            "F = h when contact & up",
            "F = 0 when !contact"
        ]),
        [stale("h = 29, v = 0", "row `4`").remove(0) + " | this happens on the border only"]
    );
    // Written at an event on the way out, or held on purpose.
    assert_eq!(
        force(&["F = -h when contact", "F := 0 when leaves"]),
        Vec::<String>::new()
    );
    assert_eq!(
        force(&["F = -h when contact", "F := 0 when arrives"]),
        stale("h = 400", "row `3`")
    );
    assert_eq!(force(&["F := 0 when leaves"]), Vec::<String>::new());
    assert_eq!(
        force(&["F = integral(h) when contact"]),
        Vec::<String>::new()
    );
    assert_eq!(
        force(&["F = sample_and_hold(h, contact)"]),
        Vec::<String>::new()
    );
    // A setting that is not changed during a run leaves nothing behind.
    assert_eq!(force(&["F = -h when on"]), Vec::<String>::new());
    assert_eq!(
        force(&["F = -h when on & contact"]),
        stale("h = 400, on", "row `2`")
    );
    // Only the output reads it.
    assert_eq!(
        force(&["F = 0 * h", "shown = 2 * h when contact"]),
        [
            "note C010: no row writes `shown` at h = 400: it keeps its last value | only the output reads it"
        ]
    );
}

#[test]
fn what_is_never_written_is_not_stale() {
    // x < 0 and y > 0 leave no room for x > y, which only all three together show.
    let found = |wide: &str| {
        let found = Lists {
            reals: r#""x": 0, "y": 0, "z": 0, "w": 0"#,
            ranges: &["left: x < 0", wide],
            situations: &["both: wide & left"],
            relations: &[
                "z = 1 when both",
                "w = integral(z)",
                "x = integral(1)",
                "y = integral(1)",
            ],
            ..Lists::default()
        };
        found.with_code("C010").len()
    };
    assert_eq!(found("wide: x - y > 0 & y > 0"), 0);
    assert_eq!(found("wide: x - y > 0 & y > -2"), 1);
}

#[test]
fn a_stale_value_matters_where_it_is_read() {
    let spin = |rows: &[&str]| {
        let mut relations = vec!["M = 3 * v when contact"];
        relations.extend(rows);
        relations.extend(["v = integral(-981)", "h = integral(v)"]);
        Lists {
            reals: r#""M": 0, "e": 0, "v": 0, "h": 400"#,
            ranges: &["contact: h < 30", "down: v < 0", "strong: M > 5"],
            situations: &["turning: contact & strong", "falling: down & strong"],
            relations: &relations,
            ..Lists::default()
        }
        .with_code("C010")
    };
    let stale = |by: &str, at: &str| {
        vec![format!(
            "warning C010: no row writes `M` at {at}: it keeps its last value | {by} it there"
        )]
    };
    assert_eq!(
        spin(&[
            "e = integral(M) when contact",
            "v = integral(1) when turning"
        ]),
        stale("`strong` compares", "h = 400, v = -1")
    );
    assert_eq!(
        spin(&["e = integral(M) when down"]),
        stale("row `2` reads", "h = 400, v = -1")
    );
    assert_eq!(
        spin(&["e = 0 * M"]),
        stale("`strong` compares", "h = 400, v = -1")
    );
}
