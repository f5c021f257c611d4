//! Valves that are held nearly closed: what they let through is so little that the tolerances of the pressures do not
//! show by how much they are open. What is known of them are balances: all that flows in flows out.

use situ_engine::sim::RunFault;
use situ_engine::{Locate, Method};

use crate::events::{Accuracy, Exact};
use crate::tables::Table;

/// A vessel that something flows into, behind a valve that opens at a pressure.
const RELIEF: &str = r#"(format: 1, name: "relief", constants: {"cd": 2e-6, "pset": 1e7, "supply": 2e7},
    reals: {"p": START, "Q": 0, "Qr": 0, "n": 0}, ranges: ["open: p > pset"], situations: [EVENTS],
    relations: ["Q = FLOW", "Qr = cd * sqrt(p - pset) when open", "Qr = 0 otherwise", "p = integral(6e11 * (Q - Qr))", ROWS])"#;

/// Two vessels and a valve between them, which opens with a step.
const BETWEEN: &str = r#"(format: 1, name: "between", constants: {"step": STEP, "cd": 2e-6, "a": 6e11, "b": 3e11},
    reals: {"p": START, "pc": 1e7, "Q": FLOW, "Qr": 0, "n": 0}, ranges: ["open: p > pc"], situations: [EVENTS],
    relations: ["Q = integral(GROWS)", "Qr = step + cd * sqrt(p - pc) when open", "Qr = 0 otherwise",
        "p = integral(a * (Q - Qr))", "pc = integral(b * Qr)", ROWS])"#;

const EVENTS: &[(&str, &str)] = &[
    ("EVENTS", r#""event opens: open""#),
    ("ROWS", r#""n := n + 1 when opens""#),
];
const NO_EVENTS: &[(&str, &str)] = &[("EVENTS", ""), ("ROWS", "")];

fn table(text: &str, parts: &[(&str, &str)], events: &[(&str, &str)]) -> Table {
    let mut text = text.to_owned();
    for (name, part) in parts.iter().chain(events) {
        text = text.replace(name, part);
    }
    Table::from_text(&text)
}

const METHODS: [Method; 4] = [Method::Auto, Method::Tsit5, Method::Dop853, Method::Rodas5p];

/// Runs by several methods with the two ways of location that find events where they are, with what they are.
fn exactly(table: &Table, stop: f64, rtol: f64) -> impl Iterator<Item = (String, Exact)> {
    let ways = METHODS
        .into_iter()
        .flat_map(|method| [Locate::Root, Locate::OneSided].map(|locate| (method, locate)));
    ways.map(move |(method, locate)| {
        let mut exact = Exact::new(table.clone(), stop, Accuracy::Default);
        exact.config.settings.method = method;
        exact.config.settings.rtol = rtol;
        exact.config.atol = 1e-3 * rtol;
        exact.config.locate = locate;
        let what = format!("{} {locate:?} {rtol}: {}", method.name(), table.model.name);
        (what, exact)
    })
}

#[track_caller]
fn near(what: &str, found: f64, known: f64, tolerance: f64) {
    let off = (found - known).abs();
    assert!(off <= tolerance, "{what}: {found} is not {known}");
}

/// However little flows in, the valve is open from the time at which the pressure has got there, opens once, and lets
/// through what flows in.
#[test]
fn a_valve_that_holds_a_small_flow_is_open() {
    // From 1e4 Pa below; with the supply, through an orifice that is there whether the valve is open or not.
    let root = |p: f64| (2e7_f64 - p).sqrt();
    let supplied = 2.0 * (root(9.99e6) - root(1e7)) / (6e11 * 3e-12);
    for (start, flow, opens, balance) in [
        ("9.99e6", "1e-8", 1e4 / 6e3, 1e-8),
        // So little that the next pressure above lets out more already.
        ("9999990", "1e-11", 10.0 / 6.0, 1e-11),
        (
            "9.99e6",
            "3e-12 * sqrt(supply - p)",
            supplied,
            3e-12 * root(1e7),
        ),
    ] {
        for events in [NO_EVENTS, EVENTS] {
            let table = table(RELIEF, &[("START", start), ("FLOW", flow)], events);
            for (what, exact) in exactly(&table, 3.0, 1e-6) {
                let what = format!("{what}, {flow}");
                let run = exact.run();
                let rises = run.times(&run.rises("open"));
                assert_eq!(rises.len(), 1, "{what}: opens at {rises:?}");
                near(&what, rises[0], opens, 1e-4);
                assert!(run.rises("!open").is_empty(), "{what}");
                near(&what, run.last("Qr"), balance, 1e-5 * balance);
                let counted = if events == EVENTS { 1.0 } else { 0.0 };
                near(&what, run.last("n"), counted, 0.0);
            }
        }
    }
}

/// A valve that closes from far does so by its own law: `sqrt(p - pset)` falls by 6e5 in a second.
#[test]
fn a_valve_closes_by_its_law() {
    let table = table(RELIEF, &[("START", "1.1e7"), ("FLOW", "1e-8")], NO_EVENTS);
    for (what, exact) in exactly(&table, 0.002, 1e-6) {
        let run = exact.every(1e-5).run();
        for (row, &time) in run.trace.time.iter().enumerate() {
            let root = (1e3 - 6e5 * time).max(0.0);
            let what = format!("{what} at {time}");
            near(&what, run.at_row(row, "p") - 1e7, root * root, 100.0);
        }
    }
}

/// As the flow grows the valve opens from what tolerances do not show to what they do.
#[test]
fn a_check_valve_between_vessels_opens_wide() {
    let parts = [
        ("STEP", "0"),
        ("START", "9.99e6"),
        ("FLOW", "1e-8"),
        ("GROWS", "2e-5"),
    ];
    let table = table(BETWEEN, &parts, NO_EVENTS);
    for rtol in [1e-6, 1e-8, 1e-10] {
        for (what, exact) in exactly(&table, 1.5, rtol) {
            // Where it is open wide the valve is stiff.
            let method = exact.config.settings.method;
            if !matches!(method, Method::Auto | Method::Rodas5p) {
                continue;
            }
            let run = exact.every(0.01).run();
            // The pressures grow together, so that the valve lets through this share of what flows in; pressures that
            // are off by what the tolerance allows are those of another flow.
            let reach = 20.0 * 2.2e7 * rtol;
            for row in (0..run.trace.time.len()).filter(|&row| run.trace.time[row] > 0.05) {
                let [p, pc, q, flow] = ["p", "pc", "Q", "Qr"].map(|name| run.at_row(row, name));
                let what = format!("{what} at {}", run.trace.time[row]);
                let apart = (q / 1.5 / 2e-6).powi(2);
                near(&what, p - pc, apart, reach);
                near(&what, flow, q / 1.5, 2e-6 * reach.sqrt());
            }
            let inflow = 1e-8 * 1.5 + 1e-5 * 1.5 * 1.5;
            let held = (run.last("p") - 9.99e6) / 6e11 + (run.last("pc") - 1e7) / 3e11;
            near(&what, held, inflow, 1e-4 * rtol);
        }
    }
}

/// Below the step nothing but a share of the time that it is open balances the flow: both pressures grow together.
#[test]
fn a_valve_that_opens_with_a_step_holds_less() {
    for (start, opens) in [("9.99e6", 1e4 / (6e11 * 3e-8)), ("1e7", 0.0)] {
        let parts = [
            ("STEP", "1e-7"),
            ("START", start),
            ("FLOW", "3e-8"),
            ("GROWS", "0"),
        ];
        let quiet = table(BETWEEN, &parts, NO_EVENTS);
        for rtol in [1e-6, 1e-10] {
            for (what, exact) in exactly(&quiet, 3.0, rtol) {
                let what = format!("{what} from {start}");
                let run = exact.run();
                let known = 1e7 + 2e11 * 3e-8 * (3.0 - opens);
                for name in ["p", "pc"] {
                    near(&what, run.last(name), known, 1e-6);
                }
                near(&what, run.last("Qr"), 2e-8, 1e-14);
            }
        }
        // An event on it would come without end.
        let counting = table(BETWEEN, &parts, EVENTS);
        for (what, exact) in exactly(&counting, 3.0, 1e-6) {
            let what = format!("{what} from {start}");
            match exact.outcome().1 {
                Some(RunFault::Chattering { time, .. }) => near(&what, time, opens, 1e-8),
                other => panic!("{what}: {other:?}"),
            }
        }
    }
}

/// A range on the flow itself sees the flow, not what would be mixed of an open and a closed valve.
#[test]
fn a_range_on_a_small_flow_sees_it() {
    let text = r#"(format: 1, name: "gauge", constants: {"cd": 2e-6, "pset": 1e7, "Q": 1e-8},
        reals: {"p": 9.99e6, "Qr": 0, "n": 0}, ranges: ["open: p > pset", "flows: Qr > 2.5e-9"],
        situations: ["event starts: flows"],
        relations: ["Qr = cd * sqrt(p - pset) when open", "Qr = 0 otherwise", "p = integral(6e11 * (Q - Qr))",
            "n := n + 1 when starts"])"#;
    let mut exact = Exact::new(Table::from_text(text), 2.0, Accuracy::Default);
    exact.config.settings.method = Method::Rodas5p;
    let run = exact.run();
    let rises = run.times(&run.rises("flows"));
    assert_eq!((rises.len(), run.last("n")), (1, 1.0));
    near("flows", rises[0], 1e4 / 6e3, 1e-5);
    assert!(run.rises("!flows").is_empty());
    near("Qr", run.last("Qr"), 1e-8, 1e-11);
}

/// A tank that runs dry while the pressure gets to where the valve opens has no part in that.
#[test]
fn a_valve_opens_while_a_tank_runs_dry() {
    let text = r#"(format: 1, name: "two", constants: {"Q": 1e-8, "cd": 2e-6, "pset": 1e7},
        reals: {"p": 9996310, "Qr": 0, "x": 1}, ranges: ["open: p > pset", "drains: x > 0"],
        relations: ["x = integral(-1 - sqrt(x)) when drains", "x = integral(-1) otherwise",
            "Qr = cd * sqrt(p - pset) when open", "Qr = 0 otherwise", "p = integral(6e11 * (Q - Qr))"])"#;
    let dry = 2.0 - 2.0 * 2.0_f64.ln();
    for (what, exact) in exactly(&Table::from_text(text), 1.0, 1e-6) {
        let run = exact.run();
        let opens = run.times(&run.rises("open"));
        assert_eq!(opens.len(), 1, "{what}: {opens:?}");
        near(&what, opens[0], 0.615, 1e-4);
        near(&what, run.last("x"), dry - 1.0, 1e-5);
        near(&what, run.last("Qr"), 1e-8, 1e-13);
    }
}
