//! Starts in an equilibrium, in ticks and in events: against equilibria in closed form, and against runs that go on
//! until nothing moves.

use situ_engine::model::{Clock, Stepping};
use situ_engine::sim::{PreparedModel, Run, RunConfig, RunFault, SetupError};

use situ_views::model::model_listing;

use crate::events::equations::implicit::near;
use crate::tables::Table;

const BOTH: [Stepping; 2] = [Stepping::Tick, Stepping::Events];

fn text(reals: &str, rest: &str, relations: &str) -> String {
    format!("(format: 1, name: \"steady\", reals: {{{reals}}}, {rest} relations: [{relations}])")
}

fn clock(stepping: Stepping) -> Clock {
    Clock {
        step: Some(0.01),
        stop: Some(20.0),
        stepping: Some(stepping),
        ..Clock::default()
    }
}

fn begin(table: &Table, stepping: Stepping) -> Result<Run, SetupError> {
    let config = RunConfig::from_clock(&clock(stepping)).unwrap();
    Run::new(table.model.clone(), config, &[])
}

/// A table starts with these values in either stepping, and they stand for 20 units of time.
#[track_caller]
fn rests_at(table: &str, expected: &[(&str, f64)]) {
    let table = Table::from_text(table);
    for stepping in BOTH {
        let mut run = begin(&table, stepping).unwrap();
        for time in [0, 20] {
            for &(name, value) in expected {
                let found = run.row().reals[table.real(name).index()];
                near(
                    &format!("{stepping:?}: {name}({time})"),
                    found,
                    value,
                    1e-11,
                );
            }
            run.run(&mut ()).unwrap();
        }
    }
}

#[test]
fn a_room_starts_where_it_loses_what_is_put_in() {
    // Rows that read values which rows below them compute are at rest as well.
    rests_at(
        &text(
            "\"T\": \"steady\", \"loss\": 0, \"gain\": 0",
            "constants: {\"Ta\": -5},",
            "\"T = integral(gain - loss)\", \"loss = 0.2 * (T - Ta)\", \"gain = 3 + 0.1 * T\"",
        ),
        &[("T", 20.0), ("loss", 5.0), ("gain", 5.0)],
    );
}

#[test]
fn the_guess_says_which_of_several_stable_or_not() {
    let table = |start: &str| {
        text(
            &format!("\"x\": {start}, \"v\": \"steady\", \"k\": 0"),
            "constants: {\"near\": -0.9},",
            "\"v = integral(x - x^3 - 0.5 * v)\", \"x = integral(v)\", \"k = x^2\"",
        )
    };
    rests_at(&table("\"steady(0.8)\""), &[("x", 1.0), ("k", 1.0)]);
    rests_at(&table("\"steady(near)\""), &[("x", -1.0), ("v", 0.0)]);
    rests_at(&table("(start: \"steady(0.2)\")"), &[("x", 0.0)]);
}

#[test]
fn other_reals_keep_their_starts() {
    rests_at(
        &text(
            "\"a\": 4, \"b\": \"steady\", \"c\": \"steady\"",
            "",
            "\"b = integral(a - b)\", \"c = smoothing(b, 2)\", \"a = integral(0)\"",
        ),
        &[("a", 4.0), ("b", 4.0), ("c", 4.0)],
    );
}

#[test]
fn a_closed_network_keeps_its_totals() {
    let c = (13.0 - 41.0_f64.sqrt()) / 8.0;
    let stages = "(format: 1, name: \"steady\",
        species: {\"A\": \"steady(1)\", \"B\": \"steady(2)\", \"C\": \"steady\"},
        reactions: [\"A + B <-> C : 2, 0.5\"])";
    rests_at(stages, &[("A", 1.0 - c), ("B", 2.0 - c), ("C", c)]);
    let flat = text(
        "\"A\": \"steady(1)\", \"B\": \"steady(2)\", \"C\": \"steady\", \"v\": 0",
        "",
        "\"v = 2 * A * B - 0.5 * C\", \"A = integral(-v)\", \"B = integral(-v)\", \"C = integral(v)\"",
    );
    rests_at(
        &flat,
        &[("A", 1.0 - c), ("B", 2.0 - c), ("C", c), ("v", 0.0)],
    );
}

#[test]
fn solved_rows_and_constraints_hold_there() {
    // A lamp: its current from an equation, its heat from the current.
    let table = Table::from_text(&text(
        "\"T\": \"steady(300)\", \"i\": 1, \"R\": 1",
        "",
        "\"R = 2 * (T / 300)^1.2\", \"solve i: 12 = R * i + 0.5 * i\", \"T = integral(R * i^2 - 2e-11 * T^4)\"",
    ));
    for stepping in BOTH {
        let run = begin(&table, stepping).unwrap();
        let [t, i, r] = ["T", "i", "R"].map(|name| run.row().reals[table.real(name).index()]);
        near("i", i, 12.0 / (r + 0.5), 1e-12);
        near("R", r, 2.0 * (t / 300.0).powf(1.2), 1e-12);
        near("power", r * i * i, 2e-11 * t.powi(4), 1e-11);
    }
    // A mass on a rod hangs, wherever it is guessed.
    let table = Table::from_text(&text(
        "\"x\": \"steady(0.6)\", \"y\": \"steady(-0.7)\", \"vx\": \"steady\", \"vy\": \"steady\", \"lam\": 0",
        "constants: {\"L\": 1, \"g\": 9.81},",
        "\"solve lam: x^2 + y^2 = L^2\", \"vx = integral(-lam * x)\", \"vy = integral(-lam * y - g)\", \
         \"x = integral(vx)\", \"y = integral(vy)\"",
    ));
    for stepping in BOTH {
        let run = begin(&table, stepping).unwrap();
        for (name, value) in [("x", 0.0), ("y", -1.0), ("vx", 0.0), ("vy", 0.0)] {
            near(name, run.row().reals[table.real(name).index()], value, 1e-9);
        }
    }
}

#[test]
fn at_rest_delays_read_what_always_was() {
    // Mackey and Glass: 0.2 x / (1 + x^10) = 0.1 x at 1.
    rests_at(
        &text(
            "\"x\": \"steady(0.9)\", \"late\": 0, \"twice\": 0, \"past\": 0",
            "",
            "\"late = delay(x, 17)\", \"x = integral(0.2 * late / (1 + late^10) - 0.1 * x)\", \
             \"twice = 2 * x\", \"past = delay(twice, 3)\"",
        ),
        &[("x", 1.0), ("late", 1.0), ("past", 2.0)],
    );
}

#[test]
fn the_mode_is_the_one_that_holds_there() {
    // A tank with an overflow at 2: without it, it would rest at 4; with it at 2.4.
    let tank = |start: &str| {
        text(
            &format!("\"h\": {start}, \"over\": 0"),
            "ranges: [\"full: h > 2\"],",
            "\"over = 2 * (h - 2) when full\", \"over = 0 otherwise\", \"h = integral(2 - 0.5 * h - over)\"",
        )
    };
    for start in ["\"steady\"", "\"steady(10)\"", "\"steady(2)\""] {
        rests_at(&tank(start), &[("h", 2.4), ("over", 0.8)]);
    }
    // The same by a kink.
    rests_at(
        &text(
            "\"h\": \"steady\"",
            "",
            "\"h = integral(2 - 0.5 * h - 2 * max(h - 2, 0))\"",
        ),
        &[("h", 2.4)],
    );
    // A mode in which nothing rests is left: nothing flows out below 1.
    rests_at(
        &text(
            "\"h\": \"steady\", \"out\": 0",
            "ranges: [\"some: h > 1\"],",
            "\"out = h - 1 when some\", \"out = 0 otherwise\", \"h = integral(2 - out)\"",
        ),
        &[("h", 3.0)],
    );
}

#[test]
fn families_start_in_their_equilibrium() {
    let chain =
        "(format: 1, name: \"steady\", constants: {\"N\": 9}, counters: {\"j\": \"1 .. N\"},
        reals: {\"u[j]\": \"steady\", \"v[j]\": \"steady(j)\"},
        relations: [\"u[j] = integral(j - u[j])\", \"v[j] = integral(2 * u[j] - v[j])\"])";
    rests_at(
        chain,
        &[("u[1]", 1.0), ("u[9]", 9.0), ("v[4]", 8.0), ("v[9]", 18.0)],
    );
}

#[test]
fn a_clock_starts_all_that_is_integrated() {
    rests_at(
        &text(
            "\"x\": 1, \"y\": 0.5, \"z\": 0",
            "clock: (start: steady),",
            "\"x = integral(y - x)\", \"y = integral(2 - y)\", \"z = x + y\"",
        ),
        &[("x", 2.0), ("y", 2.0), ("z", 4.0)],
    );
}

#[test]
fn what_is_set_is_not_looked_for() {
    let table = Table::from_text(&text(
        "\"x\": \"steady\", \"y\": \"steady\"",
        "constants: {\"a\": 2},",
        "\"x = integral(a - x)\", \"y = integral(x - 4 * y)\"",
    ));
    for stepping in BOTH {
        let config = RunConfig::from_clock(&clock(stepping)).unwrap();
        let prepared = PreparedModel::new(table.model.clone(), config, &[]).unwrap();
        let x = situ_engine::model::Input::Real(table.real("x"));
        let run = prepared.run(&[(x, 8.0)]).unwrap();
        let [x, y] = ["x", "y"].map(|name| run.row().reals[table.real(name).index()]);
        assert_eq!(x, 8.0);
        near("y", y, 2.0, 1e-13);
    }
}

#[test]
fn what_never_rests_is_told() {
    let fault = |table: &str| {
        let table = Table::from_text(table);
        let [one, other] = BOTH.map(|stepping| begin(&table, stepping).map(|_| ()));
        assert_eq!(one, other);
        match one {
            Err(SetupError::Fault(fault)) => (*fault, table),
            other => panic!("{other:?}"),
        }
    };
    let (why, table) = fault(&text(
        "\"x\": \"steady\", \"y\": \"steady\"",
        "",
        "\"x = integral(1 - x)\", \"y = integral(x + 2)\"",
    ));
    let RunFault::NoEquilibrium { real, rate, .. } = why else {
        panic!("{why:?}");
    };
    assert_eq!(real, Some(table.real("y")));
    assert!(rate > 1.9, "{rate}");
    // A thermostat has none in either mode.
    let (why, _) = fault(&text(
        "\"T\": \"steady(20)\"",
        "switches: {\"on\": false}, ranges: [\"cold: T < 19\", \"warm: T > 21\"], \
         assignments: [\"when cold: on\", \"when warm: !on\"],",
        "\"T = integral(-0.1 * (T - 5))\", \"T = integral(3) when on\"",
    ));
    let RunFault::NoEquilibrium { turned, .. } = why else {
        panic!("{why:?}");
    };
    assert!(!turned.is_empty());
}

#[test]
fn a_listing_says_what_is_found() {
    let table = Table::from_text(&text("\"x\": \"steady(3)\"", "", "\"x = integral(1 - x)\""));
    let listing = model_listing::text(&table.model, &["table.ron"], None);
    assert!(listing.contains("x      steady   from 3"), "{listing}");
}
