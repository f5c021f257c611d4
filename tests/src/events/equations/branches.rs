//! Solutions of rows that are solved: each is followed until it ends, and a second one between bounds is an error where it
//! is found.

use situ_engine::Method;
use situ_engine::sim::RunFault;

use crate::events::{Accuracy, Exact, History};
use crate::tables::Table;

fn table(reals: &str, relations: &str) -> Table {
    Table::from_text(&format!(
        "(format: 1, name: \"branches\", reals: {{{reals}}}, relations: [{relations}])"
    ))
}

fn exact(table: &Table, stop: f64) -> Exact {
    Exact::new(table.clone(), stop, Accuracy::Default)
}

/// The time at which a run ends because equations have no solution any more, or several.
#[track_caller]
fn end(exact: Exact) -> f64 {
    match exact.outcome() {
        (_, Some(RunFault::Loop { time, .. })) => time,
        (_, other) => panic!("{other:?}"),
    }
}

#[track_caller]
fn whole(exact: Exact) -> History {
    exact.run()
}

/// q^3 - q has its highest value between the solutions at -1 / sqrt(3): x comes there after 1.385.
#[test]
fn a_fold_ends_the_run_wherever_rows_are_recorded() {
    let fold = 1.0 + 2.0 / 27.0_f64.sqrt();
    let rows = "\"x = integral(1)\", \"solve q: q^3 - q = x\"";
    let sum = ", \"S = integral(q)\"";
    let wave = "\"x = integral(1)\", \"solve q: q + 1.9 * sin(q) = x + 1\"";
    // Where 1 + 1.9 cos(q) = 0.
    let top = f64::acos(-1.0 / 1.9);
    let top = top + 1.9 * top.sin();
    for method in [Method::Auto, Method::Dop853, Method::Bdf, Method::Rodas5p] {
        for every in [0.003, 0.17, 2.0] {
            let reals = "\"x\": -1, \"q\": -1.32, \"S\": 0";
            for rows in [rows.to_owned(), format!("{rows}{sum}")] {
                let run = exact(&table(reals, &rows), 6.0);
                let found = end(run.method(method).every(every));
                assert!((found - fold).abs() < 1e-5, "{method:?} {every}: {found}");
            }
            let run = exact(&table("\"x\": -1, \"q\": 0", wave), 6.0);
            let found = end(run.method(method).every(every));
            assert!((found - top).abs() < 1e-5, "{method:?} {every}: {found}");
        }
    }
}

#[test]
fn solutions_that_only_bend_are_followed() {
    for method in [Method::Auto, Method::Dop853, Method::Bdf] {
        let wave = table(
            "\"x\": 0, \"q\": 0",
            "\"x = integral(1)\", \"solve q: q + 0.1 * q^3 = 3 * sin(20 * x)\"",
        );
        let run = whole(exact(&wave, 2.0).method(method).every(0.25));
        let q = run.last("q");
        assert!(
            (q + 0.1 * q.powi(3) - 3.0 * 40.0_f64.sin()).abs() < 1e-3,
            "{method:?}"
        );
        assert_eq!(run.stats.instants, 0, "{method:?}");
    }
}

#[test]
fn a_second_solution_between_bounds_is_an_error_where_it_is_found() {
    let reals = "\"x\": 1, \"p\": 0.2, \"S\": 0";
    for rows in [
        "\"solve p from -2 to 2: p^2 = 1 + 0 * x\"",
        "\"x = integral(-0.3)\", \"solve p from -3 to 3: p^2 = x\", \"S = integral(p)\"",
        "\"x = integral(-0.3)\", \"solve p from 0 to 20: sin(p) = 0.3 * x\", \"S = integral(p)\"",
    ] {
        assert_eq!(end(exact(&table(reals, rows), 3.0)), 0.0, "{rows}");
    }
    for rows in [
        "\"solve p from -2 to 2: abs(p) = 1 + 0 * x\"",
        "\"solve p from -3 to 4: p - 2 * max(p - 1, 0) = 0.2 * x\"",
        "\"solve p from -1 to 3: min(p, 0.5) - 0.5 * max(p - 1, 0) = 0.2 * x\"",
    ] {
        assert_eq!(end(exact(&table(reals, rows), 3.0)), 0.0, "{rows}");
    }
    // The second one comes over the upper bound at 2.
    let rows = "\"x = integral(0.5)\", \"solve p from -3 to x: p^2 = 4\"";
    let mut run = exact(&table("\"x\": 1, \"p\": -2", rows), 5.0);
    run.config.settings.hmax = 0.1;
    let found = end(run);
    assert!((2.0..2.2).contains(&found), "{found}");
}

#[test]
fn one_solution_between_bounds_is_no_second_one() {
    let curve = r#"lookups: {"f": (x: [-2, -1, 0, 3], y: [-3, -1, -0.9, 4])}"#;
    for (equation, known) in [
        ("abs(p) = 0 * x", 0.0),
        ("p + 0.9 * abs(p) = 1 + 0 * x", 1.0 / 1.9),
        ("f(p) + max(p, 1) = 0.05 + 0 * x", -0.5),
        ("sign(p) * p^2 + p = 2 + 0 * x", 1.0),
    ] {
        let text = format!(
            r#"(format: 1, {curve}, reals: {{"p": 0.2, "x": 1}}, relations: ["solve p from -2 to 3: {equation}"])"#
        );
        let p = whole(exact(&Table::from_text(&text), 1.0)).last("p");
        assert!((p - known).abs() < 1e-8, "{equation}: {p}");
    }
}

#[test]
fn a_solution_between_bounds_does_not_jump_to_another_one() {
    let fold = 1.0 + 2.0 / 27.0_f64.sqrt();
    let rows = "\"x = integral(1)\", \"solve q from -3 to 3: q^3 - q = x\", \"S = integral(q)\"";
    for method in [Method::Auto, Method::Dop853, Method::Bdf] {
        let run = exact(&table("\"x\": -1, \"q\": -1.32, \"S\": 0", rows), 3.0);
        let found = end(run.method(method));
        assert!((found - fold).abs() < 1e-4, "{method:?}: {found}");
    }
}

#[test]
fn no_solution_goes_on_from_a_kink_that_turns_back() {
    let step = "solve v: v + 4 * (v - 1.5 * max(v - 1, 0) + 1.5 * max(v - 2, 0)) = U";
    let tables = [
        (
            table(
                "\"x\": -1, \"p\": -1, \"S\": 0",
                "\"x = integral(1)\", \"solve p: p - 2 * abs(p) = x - 0.5\", \"S = integral(p)\"",
            ),
            1.5,
        ),
        (
            table(
                "\"U\": 0, \"v\": 0, \"I\": 0",
                &format!("\"U = time\", \"{step}\", \"I = integral(v)\""),
            ),
            5.0,
        ),
        (
            table(
                "\"U\": 0, \"v\": 0, \"I\": 0",
                &format!("\"U = integral(1)\", \"{step}\", \"I = integral(v)\""),
            ),
            5.0,
        ),
        (
            table(
                "\"x\": 0, \"rate(x)\": -1",
                "\"solve rate(x): rate(x) - 2 * abs(rate(x)) = time - 1.5 - 0 * x\"",
            ),
            1.5,
        ),
    ];
    for (table, turns) in tables {
        let found = end(exact(&table, 9.0));
        assert!((found - turns).abs() < 1e-6, "{turns}: {found}");
    }
}

/// A solution that ends while what it follows turns: steps that do not change the state any more are no way on.
#[test]
fn a_solution_ends_where_what_it_follows_slows_down() {
    let p = -f64::sqrt(1.53 / 0.72);
    let fold = -1.53 * p + 0.24 * p.powi(3);
    for start in [1.36144, 1.3, 1.42] {
        let table = table(
            &format!(r#""p": -1.8, "x": {start}, "z": 0"#),
            r#""solve p: -1.53 * p + 0.24 * p^3 = x", "x = integral(0.84 * cos(2 * time))", "z = integral(p)""#,
        );
        let known = 0.5 * f64::asin((fold - start) / 0.42);
        for method in [
            Method::Auto,
            Method::Dop853,
            Method::Rodas5p,
            Method::Radau,
            Method::Bdf,
        ] {
            let mut exact = exact(&table, 2.0).method(method);
            exact.config.settings.rtol = 1e-6;
            let time = end(exact);
            assert!(
                (time - known).abs() < 1e-4,
                "{start} {method:?}: {time} {known}"
            );
        }
    }
}

/// A row that is switched off where its equation has no solution any more, or where what it reads jumps to where it has none,
/// is asked for nothing.
#[test]
fn what_is_switched_off_needs_no_solution() {
    let sloped = |relations: &str, ranges: &str| {
        Table::from_text(&format!(
            r#"(format: 1, reals: {{"h": 1, "q": 1, "y": 0, "d": 0}}, ranges: [{ranges}], relations: [{relations}])"#
        ))
    };
    for (relations, ranges, stop, real, known) in [
        (
            r#""solve q: q * abs(q) = h when open", "q = 0 when !open", "h = integral(-0.3 * q)""#,
            r#""open: time < 1""#,
            4.0,
            "h",
            0.85_f64.powi(2),
        ),
        (
            r#""solve q: h = q^2 + 0.1 * q^1.75 when wet", "q = 0 when !wet", "h = integral(-0.5 * q)""#,
            r#""wet: h > 0.01""#,
            20.0,
            "h",
            0.01,
        ),
        (
            r#""solve q: q^2 = 1.5 - time when open", "q = 0 when !open", "h = integral(-q)""#,
            r#""open: time < 1""#,
            5.0,
            "h",
            1.0 - (1.5_f64.powf(1.5) - 0.5_f64.powf(1.5)) / 1.5,
        ),
    ] {
        let table = sloped(relations, ranges);
        for method in [Method::Auto, Method::Dop853, Method::Rodas5p, Method::Radau] {
            let history = whole(exact(&table, stop).method(method));
            let found = history.last(real);
            assert!(
                (found - known).abs() < 1e-5,
                "{relations} {method:?}: {found} {known}"
            );
        }
    }
}

/// A cubic between two kinks has other roots outside of its piece.
#[test]
fn a_solution_is_on_the_piece_of_its_kinks() {
    let (plus, minus) = (0.5 * (21.0_f64.sqrt() - 1.0), 0.5 * (17.0_f64.sqrt() - 1.0));
    let curve = r#", lookups: {"f": (x: [-1, 0.5, 1, 2], y: [0, 1, 3, 4], kind: "pchip")}"#;
    for (equation, start, known) in [
        ("f(u) = 2", 0.2, 0.754_965_393_616),
        ("u + abs(u) * u = 5", -1.0, plus),
        ("max(u, 0)^2 + u = 4", -1.0, minus),
        ("u + sign(u) * u^2 = 5", -1.0, plus),
        ("u + abs(u - 1) * (u - 1) = 5", -1.0, 1.0 + minus),
        ("abs(u) * u = 4", -1.0, 2.0),
    ] {
        let (left, right) = equation.split_once('=').expect("an equation");
        let before = if equation.contains('f') { 0.5 } else { -1.0 };
        for bounds in ["", " from -1 to 2", " from -4 to 4"] {
            let is_outside = equation.contains('f') && bounds.contains('4');
            if is_outside || known >= 2.0 && bounds.contains('2') {
                continue;
            }
            for equation in [
                equation.to_owned(),
                format!("{left} = {before} + ({right} - {before}) * step(1)"),
            ] {
                let text = format!(
                    r#"(format: 1, reals: {{"u": {start}}}{curve}, relations: ["solve u{bounds}: {equation}"])"#
                );
                let u = whole(exact(&Table::from_text(&text), 2.0)).last("u");
                assert!((u - known).abs() < 1e-8, "{bounds}: {equation}: {u}");
            }
        }
    }
}

/// The last cubic of the curve comes to the value once more beyond its end.
#[test]
fn a_solution_is_within_the_points_of_a_lookup() {
    let curve = Table::from_text(
        r#"(format: 1, reals: {"u": 2.76},
            lookups: {"f": (x: [-2, -1.13, 0.84, 2.85, 3], y: [-2.019, -1.912, -1.817, -1.312, 3.168], kind: "pchip")},
            relations: ["solve u: f(u) = 0.5745"])"#,
    );
    let u = whole(exact(&curve, 1.0)).last("u");
    assert!((u - 2.931_229_830_092).abs() < 1e-8, "{u}");
}

/// The cubic of its piece has roots on others, to which Newton's method comes from the start value.
#[test]
fn a_solution_within_the_points_of_a_lookup_is_on_its_piece() {
    let curve = Table::from_text(
        r#"(format: 1, reals: {"u": 2.55},
            lookups: {"f": (x: [-2, -1.51, -1.38, -0.99, 0.92, 2.3, 3],
                y: [-2.306, -2.195, -2.105, 1.661, 1.764, 1.898, 3.519], kind: "pchip")},
            relations: ["solve u from -2 to 3: f(u) = 0.6065"])"#,
    );
    let u = whole(exact(&curve, 1.0)).last("u");
    assert!((u + 1.128_103_33).abs() < 1e-7, "{u}");
}

/// Beside 6400 the rounding errors of the first equation are far larger than those of the second one.
#[test]
fn equations_of_unlike_rounding_are_solved_between_steps() {
    let pair = Table::from_text(
        r#"(format: 1, reals: {"u": 1.2, "v": 0.4, "S": 0},
            relations: ["solve u, v: 0.32 * ((1.71 * u + 0.09)^2 + 20000) + 0.14 * u + 0.73 * (u - v) = 6402.65552 + 2.02 * sin(1.56 * time), 1.1 * v^3 + 0.37 * v + 0.73 * (v - u) = -0.78", "S = integral(u)"])"#,
    );
    for method in [Method::Auto, Method::Rodas5p, Method::Radau] {
        let run = whole(exact(&pair, 4.0).method(method).every(0.004));
        let [u, v] = ["u", "v"].map(|name| run.last(name));
        let left = 1.1 * v.powi(3) + 0.37 * v + 0.73 * (v - u) + 0.78;
        assert!(left.abs() < 1e-9, "{method:?}: {left}");
    }
}

/// On the way to the solution the curve is flat, and steep behind that: whole steps lead away.
#[test]
fn a_solution_is_sought_from_piece_to_piece() {
    let pair = Table::from_text(
        r#"(format: 1, reals: {"u": 1.19, "v": 2.38},
            lookups: {"f": (x: [-2, 0.02, 0.27, 0.61, 1.98, 3], y: [-2.505, 1.233, 1.367, 1.431, 1.53, 5.16], kind: "pchip")},
            relations: ["solve u, v: 1.96 * abs(u) * u + max(0.7 * (u - 0.89)^3 + 1.47 * u, 1.47 * u + 0.3) + 0.29 * u + 0.28 * (u - v) = 9.21787585, f(v) + 0.28 * (v - u) = 0.6359960527048782"])"#,
    );
    let run = whole(exact(&pair, 1.0));
    let far = [("u", 1.668_269_431_288), ("v", -0.106_089_561_020)];
    for (name, known) in far {
        let found = run.last(name);
        assert!((found - known).abs() < 1e-9, "{name}: {found}");
    }
}

/// Pipes in loops, whose pressure drops are squares of flows, and valves that saturate.
#[test]
fn several_equations_are_solved_across_their_kinks() {
    let [u, v, w] = [1.5, -0.25, 0.75];
    let square = |q: f64| q * q.abs();
    let loops = [
        2.0 * square(u) + 1.5 * square(u - v) + 0.5 * square(u - w),
        0.3 * square(v) - 1.5 * square(u - v) + 2.5 * square(v - w),
        1.2 * square(w) - 0.5 * square(u - w) - 2.5 * square(v - w),
    ];
    let loops = format!(
        "2 * u * abs(u) + 1.5 * (u - v) * abs(u - v) + 0.5 * (u - w) * abs(u - w) = {}, \
         0.3 * v * abs(v) - 1.5 * (u - v) * abs(u - v) + 2.5 * (v - w) * abs(v - w) = {}, \
         1.2 * w * abs(w) - 0.5 * (u - w) * abs(u - w) - 2.5 * (v - w) * abs(v - w) = {}",
        loops[0], loops[1], loops[2]
    );
    let valve = |x: f64, [low, high]: [f64; 2]| x.clamp(low, high);
    let valves = [
        0.1 * u + 2.0 * valve(u - v, [-0.2, 1.0]) + 3.0 * valve(u - w, [-1.0, 0.1]),
        0.2 * v - 2.0 * valve(u - v, [-0.2, 1.0]) + 5.0 * v.max(-0.5).powi(3),
        0.1 * w - 3.0 * valve(u - w, [-1.0, 0.1]) + 0.5 * w.min(1.0),
    ];
    let valves = format!(
        "0.1 * u + 2 * clamp(u - v, -0.2, 1) + 3 * clamp(u - w, -1, 0.1) = {}, \
         0.2 * v - 2 * clamp(u - v, -0.2, 1) + 5 * max(v, -0.5)^3 = {}, \
         0.1 * w - 3 * clamp(u - w, -1, 0.1) + 0.5 * min(w, 1) = {}",
        valves[0], valves[1], valves[2]
    );
    let starts = [
        [0.0; 3],
        [-2.0, 3.0, 0.1],
        [20.0, 30.0, -40.0],
        [-0.1, -0.2, -5.0],
    ];
    for (equations, start) in [loops, valves]
        .iter()
        .flat_map(|one| starts.map(|at| (one, at)))
    {
        let reals = format!(
            "\"u\": {}, \"v\": {}, \"w\": {}",
            start[0], start[1], start[2]
        );
        let table = table(&reals, &format!("\"solve u, v, w: {equations}\""));
        let run = whole(exact(&table, 1.0));
        let found = ["u", "v", "w"].map(|name| run.last(name));
        let far = found.iter().zip([u, v, w]).map(|(a, b)| (a - b).abs());
        assert!(
            far.fold(0.0, f64::max) < 1e-8,
            "{equations} {start:?}: {found:?}"
        );
    }
}

/// Pipes that meet: the flow through one turns where its drop of pressure only touches 0, and the sum of all flows is 0. The
/// heads are such that the pressure and the flows are known.
#[test]
fn flows_turn_where_pipes_meet() {
    let drop = |flow: &str| format!("2 + 0.1 * time + ({flow}) * abs({flow})");
    let heads = [
        "sin(time)",
        "0.4 - 0.7 * sin(time)",
        "-0.5 * (0.8 + 0.6 * sin(time))",
    ]
    .map(drop);
    let heads = format!(
        "\"h0 = {}\", \"h1 = {}\", \"h2 = {}\"",
        heads[0], heads[1], heads[2]
    );
    let flow = |head: &str| format!("sign({head} - p) * sqrt(abs({head} - p))");
    let back = "-sign(p - h1) * sqrt(abs(p - h1))";
    let sum = format!("{} + {} + {}", flow("h0"), flow("h1"), flow("h2"));
    let in_one = format!("\"solve p: {sum} = 0\", \"V = integral({back})\"");
    let by_rows = format!(
        r#""d = h0 - p", "q0 = sign(d) * sqrt(abs(d))", "q1 = {back}", "q2 = {}", "solve p: q0 + q1 + q2 = 0",
        "V = integral(q1)""#,
        flow("h2")
    );
    let reals = "\"h0\": 2, \"h1\": 2.2, \"h2\": 1.8, \"p\": 2.05, \"V\": 0";
    let (to, volume) = (6.0_f64, |t: f64| 0.4 * t + 0.7 * (t.cos() - 1.0));
    for (reals, rows) in [
        (reals.to_owned(), in_one),
        (
            format!("{reals}, \"d\": 0, \"q0\": 0, \"q1\": 0, \"q2\": 0"),
            by_rows,
        ),
    ] {
        let table = table(&reals, &format!("{heads}, {rows}"));
        for method in [
            Method::Auto,
            Method::Dop853,
            Method::Rodas5p,
            Method::Radau,
            Method::Bdf,
        ] {
            let run = whole(exact(&table, to).method(method));
            let (found, known) = (run.last("V"), volume(to));
            assert!((found - known).abs() < 1e-4, "{method:?}: {found} {known}");
            let (found, known) = (run.last("p"), 2.0 + 0.1 * to);
            assert!((found - known).abs() < 1e-6, "{method:?}: {found} {known}");
        }
    }
}

/// Three tanks whose pipes meet. The levels are those of another program, to a tolerance of 1e-8.
#[test]
fn tanks_whose_pipes_meet() {
    let flow =
        |factor: f64, head: &str| format!("{factor} * sign({head} - p) * sqrt(abs({head} - p))");
    let [q0, q1, q2] = [flow(0.91, "h0"), flow(1.75, "h1"), flow(0.62, "h2")];
    let table = table(
        "\"h0\": 2.6, \"h1\": 1.57, \"h2\": 2.22, \"p\": 2.47",
        &format!(
            r#""solve p: {q0} + {q1} + {q2} = 0", "h0 = integral(0.16 + 0.96 * sin(0.56 * time) - {q0})",
            "h1 = integral(-({q1}))", "h2 = integral(-({q2}) - 0.23 * h2)""#
        ),
    );
    for method in [Method::Auto, Method::Dop853, Method::Rodas5p, Method::Radau] {
        let run = whole(exact(&table, 6.0).method(method));
        for (name, known) in [
            ("h0", 3.079_395_8),
            ("h1", 2.874_171_8),
            ("h2", 2.121_304_8),
        ] {
            let found = run.last(name);
            assert!((found - known).abs() < 2e-5, "{method:?} {name}: {found}");
        }
    }
}

/// A flow that its pressure drop gives the square of, however that is written: with d = time - 1/2 its integral is
/// 2/3 (2.5^1.5 - 0.5^1.5). Where the flow turns, its slope is infinite, and the equation has none.
#[test]
fn a_flow_given_by_its_square_turns() {
    let known = (2.5_f64.powf(1.5) - 0.5_f64.powf(1.5)) / 1.5;
    for equation in [
        "q * abs(q) = d",
        "2 * q * abs(q) = 2 * d",
        "d = abs(q) * q / 3 * 3",
        "sign(q) * q^2 - d = 0",
        "-q * abs(q) = -d",
        "d - 2 * abs(q) * (q / 2) = 0",
        "K * q * abs(q) + 0.5 = time",
    ] {
        let reals = r#""d": 0, "q": 0, "I": 0, "K": 1"#;
        let rows =
            format!(r#""d = time - 0.5", "K = 1", "solve q: {equation}", "I = integral(q)""#);
        for method in [
            Method::Auto,
            Method::Dop853,
            Method::Radau,
            Method::Bdf,
            Method::Rodas5p,
        ] {
            let run = whole(exact(&table(reals, &rows), 3.0).method(method));
            let found = *run.column("I").last().unwrap();
            assert!(
                (found - known).abs() < 1e-5,
                "{equation}, {method:?}: {found}, not {known}"
            );
        }
    }
    // A term beside it keeps the slopes finite.
    let rows = r#""solve q: q * abs(q) + 0.1 * q = time - 0.5", "I = integral(q)""#;
    let run = whole(exact(&table(r#""q": 0, "I": 0"#, rows), 3.0));
    // With d = q^2 + 0.1 q on either side the integral of q by d is 2/3 q^3 + 0.05 q^2.
    let part = |d: f64| {
        let q = (d + 0.0025).sqrt() - 0.05;
        2.0 / 3.0 * q.powi(3) + 0.05 * q * q
    };
    assert!((*run.column("I").last().unwrap() - part(2.5) + part(0.5)).abs() < 1e-5);
}

/// A solution may begin on its bound, where the equation has none to one side: i + i^3 = t - v with v' = i. Reference: DOP853 of
/// SciPy on the same with the rate of i.
#[test]
fn a_solution_begins_on_its_bound() {
    let rows = r#""solve i from 0 to 5: time - v = i + i^3", "v = integral(i)""#;
    for method in [
        Method::Auto,
        Method::Tsit5,
        Method::Dop853,
        Method::Taylor,
        Method::Radau,
        Method::Bdf,
        Method::Rodas5p,
    ] {
        let run = whole(exact(&table(r#""i": 0, "v": 0"#, rows), 1.0).method(method));
        let found = *run.column("i").last().unwrap();
        assert!(
            (found - 0.527_761_063_6).abs() < 1e-6,
            "{method:?}: {found}"
        );
    }
}

/// A check valve that opens and closes where the flow is on its bound, with the kink of its size there: rounding errors of
/// these instants leave no solution between the bounds. Reference: DOP853 of SciPy at 1e-12 on the solution of the square.
#[test]
fn a_valve_opens_and_closes_on_a_bound() {
    for (k, w, p, known) in [
        (0.1, 2, 0.3, 0.907_599_93),
        (0.1, 2, 0.1, 0.886_242_35),
        (0.5, 6, 0.1, 0.788_151_89),
        (0.02, 6, 0.3, 0.922_906_88),
    ] {
        let table = Table::from_text(&format!(
            r#"(format: 1, name: "valve", reals: {{"q": 0, "p": {p}}}, ranges: ["open: sin({w} * time) > p"], relations: [
                "solve q from 0 to 4: q * abs(q) + {k} * q = sin({w} * time) - p when open",
                "q = 0 otherwise", "p = integral(q)"])"#
        ));
        for method in [
            Method::Auto,
            Method::Tsit5,
            Method::Radau,
            Method::Bdf,
            Method::Rodas5p,
        ] {
            let run = whole(exact(&table, 6.0).method(method));
            let found = *run.column("p").last().unwrap();
            assert!(
                (found - known).abs() < 3e-5,
                "{k}, {w}, {p}, {method:?}: {found}, not {known}"
            );
        }
    }
}
