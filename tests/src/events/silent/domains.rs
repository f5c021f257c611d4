//! Ends of domains, and quantities that run dry.

use std::f64::consts::{E, FRAC_PI_2, PI};

use situ_engine::model::Clock;
use situ_engine::sim::{EventConfig, EventRun, RunFault};
use situ_engine::trace::Measure;
use situ_engine::{Locate, Method};

use super::{ADAPTIVE, Kind, clock, ends_at, last, measures, table, written};
use crate::tables::Table;

#[test]
fn a_drain_that_runs_dry() {
    let table = table("10_drain");
    for method in ADAPTIVE {
        for rtol in [1e-6, 1e-8, 1e-11] {
            let found = last(&table, &clock(5.0, method, rtol), "h");
            assert!(found.abs() <= rtol, "{method:?} {rtol}: {found}");
        }
    }
}

/// Methods with a Jacobian, which is infinite where the root ends: h = (1 - t / 2)^2 up to 2.
#[test]
fn a_root_that_ends_beside_a_jacobian() {
    let bare = written("\"h\": 1", "", "\"h = integral(-sqrt(h))\"");
    for method in [Method::Rodas5p, Method::Bdf, Method::Radau, Method::Mk21] {
        for rtol in [1e-4, 1e-6, 1e-8] {
            let clock = clock(5.0, method, rtol);
            let found = last(&bare, &clock, "h");
            assert!(found.abs() <= rtol, "{method:?} {rtol}: {found}");
            let found = last(&table("10_drain"), &clock, "h");
            assert!(found.abs() <= rtol, "{method:?} {rtol}: {found}");
            let known = last(
                &table("11_sqrt_bounce"),
                &self::clock(3.0, Method::Dop853, 1e-9),
                "y",
            );
            let found = last(
                &table("11_sqrt_bounce"),
                &self::clock(3.0, method, rtol),
                "y",
            );
            assert!(
                (found - known).abs() < 1e-4 + 30.0 * rtol,
                "{method:?} {rtol}: {found} {known}"
            );
        }
    }
}

#[test]
fn a_root_that_ends_at_the_floor() {
    let table = table("11_sqrt_bounce");
    for method in ADAPTIVE {
        let mut one_sided = clock(3.0, method, 1e-8);
        let known = last(&table, &one_sided, "y");
        one_sided.locate = Some(Locate::OneSided);
        let found = last(&table, &one_sided, "y");
        assert!((found - known).abs() < 1e-5, "{method:?}: {found} {known}");
    }
}

/// Two tanks that level: z = h - k has z' = -sqrt(z), so they are level at 2 sqrt(0.8), and stay so.
#[test]
fn tanks_that_level() {
    let table = Table::from_text(
        r#"(format: 1, name: "level", reals: {"h": 1, "k": 0.2, "q": 0}, relations: [
            "h = integral(-q)", "k = integral(q)", "q = 0.5 * sign(h - k) * sqrt(abs(h - k))"])"#,
    );
    ends_at(&table, 3.0, "h", 0.6, 1e-7);
    ends_at(&table, 3.0, "q", 0.0, 1e-7);
    ends_at(&table, 1.0, "q", 0.5 * (0.8_f64.sqrt() - 0.5), 1e-7);
}

/// At abs(x) = 0 its root has no slope, and rounding leaves x on either side.
#[test]
fn roots_of_sizes() {
    let known = (1.3_f64.powf(1.5) + 1.7_f64.powf(1.5)) / 1.5;
    for rate in ["sqrt(abs(x))", "abs(x)^0.5", "sqrt(max(x, -x))"] {
        let relations = format!("\"x = integral(1)\", \"a = integral({rate})\"");
        let table = written("\"x\": -1.3, \"a\": 0", "", &relations);
        ends_at(&table, 3.0, "a", known, 1e-6);
    }
    let spring = written(
        "\"x\": 0.3, \"v\": 0, \"energy\": 0",
        "",
        r#""x = integral(v)", "v = integral(-9 * sign(x) * sqrt(abs(x)))",
           "energy = 0.5 * v * v + 6 * abs(x)^1.5""#,
    );
    ends_at(&spring, 3.0, "energy", 6.0 * 0.3_f64.powf(1.5), 1e-6);
}

/// Where a size turns its logarithm is lowest, and rounding leaves x where it has no value; whether it moves anything or not.
#[test]
fn logarithms_of_sizes() {
    let log = |end: f64| end * (end.ln() - 1.0);
    for (row, known) in [
        ("ln(abs(x - 1.1) + 1e-17)", log(1.1) + log(1.9)),
        ("min(ln(abs(x - 1.1) + 1e-17), -1)", -3.0 - 2.0 / E),
        ("ln(max(x - 1.1, 1e-17))", 1.1 * 1e-17_f64.ln() + log(1.9)),
    ] {
        for (rate, known) in [("c", known), ("1", 3.0)] {
            let relations = format!(r#""x = integral(1)", "c = {row}", "w = integral({rate})""#);
            let table = written(r#""x": 0, "c": 0, "w": 0"#, "", &relations);
            ends_at(&table, 3.0, "w", known, 1e-4);
        }
    }
}

/// Crossings before the place at which a root, a logarithm or an arc cosine ends to be defined, and behind kinks at which
/// they begin: each range holds for so long.
#[test]
fn crossings_beside_the_edges_of_domains() {
    let cases = [
        ("sqrt(1 - x) > 0.5", 0.9, 0.75),
        ("sqrt(1 - x) > 0.5", 1.0, 0.75),
        ("sqrt(1 - time) > 0.5", 0.9, 0.75),
        ("sqrt(4 - time) > 1", 4.0, 3.0),
        ("acos(time) > 1", 1.0, 1.0_f64.cos()),
        ("ln(2 - time) > -1", 1.99, 2.0 - (-1.0_f64).exp()),
        ("sqrt(abs(time - 0.5)) > 0.5", 1.0, 0.5),
        ("sqrt(abs(x - 0.5)) > 0.5", 2.0, 1.5),
        ("sqrt(max(x - 0.5, 0)) > 0.5", 2.0, 1.25),
        ("abs(x - 0.5) ^ 0.25 < 0.5", 2.0, 0.125),
        ("ln(abs(x - 0.5)) > -2", 2.0, 2.0 - 2.0 * (-2.0_f64).exp()),
        ("sqrt(abs(sin(3 * x))) > 0.5", 2.0, 2.0 - 0.25_f64.asin()),
        ("tan(x) < 3", 1.5, 3.0_f64.atan()),
    ];
    for (range, stop, known) in cases {
        let rows = r#""x = integral(1)", "s = integral(1) when open""#;
        let table = written(r#""x": 0, "s": 0"#, &format!(r#""open: {range}""#), rows);
        ends_at(&table, stop, "s", known, 1e-9);
    }
}

/// The argument of a root becomes negative at 1, whatever rows are written.
#[test]
fn a_root_of_what_becomes_negative() {
    for rates in [
        r#""x = integral(-1)", "y = sqrt(x)""#,
        r#""x = integral(-1)", "y = sqrt(x)", "z = integral(y)""#,
    ] {
        let table = written(r#""x": 1, "y": 0, "z": 0"#, "", rates);
        for (method, every) in ADAPTIVE
            .into_iter()
            .flat_map(|method| [(method, 0.7), (method, 2.0)])
        {
            let clock = Clock {
                every: Some(every),
                ..clock(2.0, method, 1e-6)
            };
            let config = EventConfig::from_clock(&clock).unwrap();
            let mut run = EventRun::new(table.model.clone(), config).unwrap();
            match run.run(&mut ()) {
                Err(RunFault::NotFinite { time, real, .. }) => {
                    assert!((time - 1.0).abs() < 1e-9, "{method:?}: {time}");
                    assert_eq!(real, table.real("y"), "{method:?}");
                }
                other => panic!("{method:?}: {other:?}"),
            }
        }
    }
}

/// Tanks of which one rises above the other while it is filled: with d = h - k, d' = a - 2 c sqrt(abs(d)) sign(d), they are
/// level at s / c - a / (2 c^2) ln(1 + 2 c s / a), s = sqrt(-d) at the start. The Jacobian is infinite there, and by what
/// rounding leaves of d the values on either side end. A step of `floor` lies there as well.
#[test]
fn tanks_that_rise_above_each_other() {
    for [a, c, k] in [[0.43, 0.22, 3.0], [0.3, 0.4, 1.5], [0.2, 0.7, 0.6]] {
        let s = f64::sqrt(k);
        let level = s / c - a / (2.0 * c * c) * (2.0 * c * s / a).ln_1p();
        for beside in ["", ", \"o = floor(h - k)\""] {
            let relations = format!(
                "\"q = {c} * sign(h - k) * sqrt(abs(h - k))\", \"h = integral({a} - q)\", \"k = integral(q)\"{beside}"
            );
            let reals = format!("\"h\": 0, \"k\": {k}, \"q\": 0, \"o\": 0");
            let mut table = written(&reals, "\"above: h > k\"", &relations);
            let measure = [Measure::First(table.watch("above"))];
            let implicit = [Method::Radau, Method::Gauss, Method::Bdf, Method::Rock];
            for method in ADAPTIVE.into_iter().chain(implicit) {
                for rtol in [1e-4, 1e-6, 1e-8] {
                    let mut clock = clock(level + 1.0, method, rtol);
                    clock.step = Some(0.01).filter(|_| method == Method::Gauss);
                    let config = EventConfig::from_clock(&clock).unwrap();
                    let mut run =
                        EventRun::with_measures(table.model.clone(), config, &measure).unwrap();
                    let ended = run.run(&mut ());
                    assert!(ended.is_ok(), "{method:?} {rtol} {relations}: {ended:?}");
                    let found = run.measured()[0].unwrap();
                    let off = (found - level).abs();
                    assert!(
                        off < 1e-5 + 100.0 * rtol,
                        "{method:?} {rtol} {relations}: {found}, not {level}"
                    );
                }
            }
        }
    }
}

/// Tanks that begin level: the slope of the flow between them is huge at first. With a Jacobian kept from there each
/// correction of an implicit method is small, as if it had converged.
#[test]
fn tanks_that_begin_level() {
    let table = written(
        "\"h\": 1, \"k\": 1, \"q\": 0",
        "",
        r#""q = 0.36 * sign(h - k) * sqrt(abs(h - k))", "h = integral(0.64 * max(sin(0.61 * time), 0) - q)",
            "k = integral(q - 0.38 * sqrt(max(k, 0)))""#,
    );
    let known = last(&table, &clock(8.0, Method::Dop853, 1e-10), "h");
    assert!((known - 0.897_468_02).abs() < 1e-8, "{known}");
    for method in [Method::Bdf, Method::Radau, Method::Rodas5p, Method::Auto] {
        for rtol in [1e-3, 1e-4, 1e-5, 1e-6] {
            let found = last(&table, &clock(8.0, method, rtol), "h");
            assert!(
                (found - known).abs() < 10.0 * rtol,
                "{method:?} {rtol}: {found}, not {known}"
            );
        }
    }
}

/// Three tanks in a row that begin empty: how fast the second and the third fill has no derivative at the start, so that
/// no series tells which of them rises above the other. In the end each flow is the pump's.
#[test]
fn tanks_in_a_row_that_begin_empty() {
    let table = written(
        r#""h1": 0, "h2": 0, "h3": 0, "q12": 0, "q23": 0"#,
        "",
        r#""q12 = 0.01 * sign(h1 - h2) * sqrt(19.62 * abs(h1 - h2))",
            "q23 = 0.01 * sign(h2 - h3) * sqrt(19.62 * abs(h2 - h3))",
            "h1 = integral(0.02 - q12)", "h2 = integral(q12 - q23)",
            "h3 = integral(q23 - 0.01 * sqrt(19.62 * max(h3, 0)))""#,
    );
    let head = 4.0 / 19.62;
    for (name, known) in [("h1", 3.0 * head), ("h2", 2.0 * head), ("h3", head)] {
        ends_at(&table, 10_000.0, name, known, 1e-6);
    }
}

/// A step that follows a curve far beyond its end, where cubics grow fast, is made again up to the end. The integrals are
/// those of the midpoint rule with 4e6 points.
#[test]
fn cubics_are_not_followed_far_beyond_their_curve() {
    for (points, end) in [
        (
            "x: [-2.625, -2.5, -2.125, 1.125], y: [-1.17, 2.26, 0.5, 1.85]",
            6.550_914_080_5,
        ),
        (
            "x: [-2, -0.125, 0], y: [-1.84, -2.74, -2.18]",
            -16.902_828_488,
        ),
    ] {
        let table = Table::from_text(&format!(
            r#"(format: 1, name: "curve", lookups: {{"f": ({points}, kind: "pchip", outside: "hold")}}, reals: {{"z": 0, "q": 0}},
            relations: ["q = 6 * cos(time)", "z = integral(f(q))"])"#
        ));
        for method in ADAPTIVE {
            let z = last(&table, &clock(8.0, method, 1e-6), "z");
            assert!((z - end).abs() <= 1e-3, "{method:?}: {z}, not {end}");
        }
    }
}

/// What a loop solves for passes 0 on a knot, where the terms of a lookup are far larger than their sum. On lines, b is u by
/// 2.75 below 0, and a is 1.5 b; the solution on cubics is that of another program.
#[test]
fn loops_of_lookups_are_solved_at_zero() {
    let b = 10.0_f64.sin() / 2.75;
    for (kind, ends) in [
        ("pchip", [-0.250_212_03, -0.143_082_92]),
        ("linear", [1.5 * b, b]),
    ] {
        let table = Table::from_text(&format!(
            r#"(format: 1, name: "ladder", lookups: {{"d": (x: [-2, 0, 2], y: [-1, 0, 3], kind: "{kind}", outside: "extend")}},
            reals: {{"u": 0, "a": 0, "b": 0}},
            relations: ["u = sin(time)", "solve a, b: u - a = d(a) + (a - b), a - b = d(b)"])"#
        ));
        ends_at(&table, 10.0, "a", ends[0], 1e-7);
        ends_at(&table, 10.0, "b", ends[1], 1e-7);
    }
}

/// What is made of sources moves, and has a domain like anything else that does.
#[test]
fn sources_leave_domains() {
    let held: Kind = Measure::Duration;
    let mut table = written(r#""y": 0"#, "", r#""y = integral(1)""#);
    let inside = 2.0 * 0.25_f64.asin() / std::f64::consts::PI;
    measures(
        &mut table,
        3.0,
        &[
            (held, "sqrt(sine_wave(0.5)) <= 0.5"),
            (held, "ln(sine_wave(0.5)) < 0"),
            (held, "sqrt(0.5 - step(1) + ramp(2)) < 2"),
        ],
        &[2.0 * inside, 2.0, 1.5],
    );
}

/// A check valve that opens behind a header that falls: with d = p - header, d' = a - c sqrt(d), so that with s = sqrt(d)
/// it has been open for -2 s / c - (2 a / c^2) ln(1 - c s / a). Where it opens the slope of the flow is huge, since rounding
/// alone leaves d above 0: steps that are linear about it would hold p on the header.
#[test]
fn valves_that_open() {
    let (a, c, fall) = (0.27_f64, 0.19_f64, 0.25_f64);
    let written = |stiff: &str| {
        written(
            "\"p\": 1, \"header\": 2, \"use\": 0, \"y\": 0",
            "\"fwd: p > header\"",
            &format!(
                r#""header = 2 - {fall} * time", "use = {c} * sqrt(max(p - header, 0)) when fwd", "use = 0 otherwise",
                "p = integral({a} - {fall} - use)", "y = integral({stiff} * (2 - y))""#
            ),
        )
    };
    for (stiff, s) in [("1000", 0.5_f64), ("0.1", 0.5), ("1000", 1.2)] {
        let open = -2.0 * s / c - 2.0 * a / (c * c) * (1.0 - c * s / a).ln();
        let stop = 1.0 / a + open;
        let known = 2.0 - fall * stop + s * s;
        for method in [
            Method::Auto,
            Method::Rodas5p,
            Method::Radau,
            Method::Bdf,
            Method::Mk21,
            Method::Dop853,
        ] {
            for rtol in [1e-4, 1e-6, 1e-8] {
                let found = last(&written(stiff), &clock(stop, method, rtol), "p");
                let of_low_order = if method == Method::Mk21 { 1e-5 } else { 0.0 };
                assert!(
                    (found - known).abs() < 300.0 * rtol + of_low_order,
                    "{method:?} {rtol} {stiff}: {found}, not {known}"
                );
            }
        }
    }
}

/// Rows that move nothing, over x = sin(t), or over y = t: each run ends where the value does, whatever is written.
#[test]
fn values_that_move_nothing_end_where_their_domains_do() {
    let below = 2.0 * PI - 0.999_f64.acos() - FRAC_PI_2;
    for (row, known) in [
        ("ln(x + 0.999)", below),
        ("sqrt(0.999 - x * x)", 0.999_f64.sqrt().asin()),
        ("(x * y + 2) ^ 0.3", 3.710_802_830_310_381_5),
        ("acos(1.0001 * x)", (1.0 / 1.0001_f64).asin()),
        ("1 / (x + 0.999)", below),
        ("2 / (x * x - 0.999)", 0.999_f64.sqrt().asin()),
        ("(x - 0.999) ^ (-2)", 0.999_f64.asin()),
        ("tan(y)", FRAC_PI_2),
        ("ln(0.999 - sin(20 * y))", 0.999_f64.asin() / 20.0),
        ("exp(1000 * x)", 0.709_782_712_893_384_f64.asin()),
        ("ln(delayed + 0.999)", below + 0.5),
        (
            "ln(solved + 0.682)",
            PI + (0.682_f64.powi(3) + 0.682).asin(),
        ),
    ] {
        let reals = r#""x": 0, "y": 0, "delayed": 0, "solved": 0, "u": 1"#;
        let relations = format!(
            r#""x = integral(cos(time))", "y = integral(1)", "delayed = delay(x, 0.5)",
            "solve solved: solved ^ 3 + solved = x", "u = {row}""#
        );
        let table = written(reals, "", &relations);
        for (method, every) in ADAPTIVE
            .into_iter()
            .zip([0.7, 2.0, 5.3].into_iter().cycle())
        {
            let clock = Clock {
                every: Some(every),
                ..clock(9.0, method, 1e-9)
            };
            let config = EventConfig::from_clock(&clock).unwrap();
            let mut run = EventRun::new(table.model.clone(), config).unwrap();
            match run.run(&mut ()) {
                Err(RunFault::NotFinite { time, real, .. }) => {
                    let off = (time - known).abs();
                    assert!(off < 2e-5, "{method:?} {row}: {time}, not {known}");
                    assert_eq!(real, table.real("u"), "{method:?} {row}");
                }
                other => panic!("{method:?} {row}: {other:?}"),
            }
        }
    }
}

/// Values that do not end: a dividend vanishes as well, the row does not act, or the place lies behind the stop.
#[test]
fn values_that_move_nothing_and_go_on() {
    for rows in [
        r#""u = sin(y - 1.0312345) / (y - 1.0312345)""#,
        r#""u = (y * y - 1.0312345 * 1.0312345) / (y - 1.0312345)""#,
        r#""u = ln(1.5 - y) when early", "u = 2 otherwise""#,
        r#""u = 1 / (y - 1.5) when early", "u = 2 otherwise""#,
        r#""u = sqrt(2.01 - y)""#,
        r#""u = 1 / (y - 2.01)""#,
        r#""u = acos(1 - 0.99 * y)""#,
        r#""u = 1 / (1 + exp(1000 * y))""#,
        r#""u = exp(-1000 * y)""#,
    ] {
        let relations = format!(r#""y = integral(1)", {rows}"#);
        let table = written(r#""y": 0, "u": 0"#, r#""early: y < 1.4""#, &relations);
        ends_at(&table, 2.0, "y", 2.0, 1e-9);
    }
}

/// A row that holds what has reached the edge of a root: nothing moves it any more, and rows beside it go on.
#[test]
fn a_root_of_what_is_held_at_its_edge() {
    for root in ["sqrt(max(i, 0))", "sqrt(i)", "i ^ 1.5"] {
        for (beside, known) in [
            ("time", 4.0),
            ("time ^ 2", 16.0),
            ("sin(time)", 4.0_f64.sin()),
        ] {
            let rows = format!(
                r#""w = {beside}", "i = integral(-1) when on", "i = 0 otherwise", "p = {root}""#
            );
            let table = written(r#""i": 1, "p": 1, "w": 0"#, r#""on: i > 0""#, &rows);
            ends_at(&table, 4.0, "w", known, 1e-9);
            ends_at(&table, 4.0, "p", 0.0, 1e-9);
        }
    }
}
