//! Tick runs at a small tick against what is known exactly: periods of Tables 1 and 2, events of the
//! hoop and of the cart, the transient of the circuit.
//!
//! Periods of the pendulum come from the complete elliptic integral, those of the cart from an
//! integration of its table in exact time with 40 digits, both computed outside of situ.

use situ_engine::model::IntegralRule;
use situ_engine::trace::Measure;

use crate::tables::Table;

fn run(table: Table, step: f64, stop: f64) -> crate::tables::Run {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a few million"
    )]
    let ticks = (stop / step).round() as u64;
    table.ticks(step, ticks, ticks, IntegralRule::Rectangle)
}

fn assert_near(found: f64, exact: f64, relative: f64, what: &str) {
    assert!(
        ((found - exact) / exact).abs() <= relative,
        "{what}: {found}, exactly {exact}"
    );
}

/// Mean time between passages of the lowest point from the left to the right.
fn period(mut table: Table, step: f64, stop: f64) -> f64 {
    let passage = table.watch("ang > 0");
    let [period] = run(table, step, stop).measure([Measure::Period(passage)]);
    period
}

#[test]
fn periods_of_table_1() {
    let exact = [
        ("amplitude_5", 2.838_357_611_422),
        ("amplitude_30", 2.886_395_582_424),
        ("amplitude_45", 2.950_411_349_632),
        ("amplitude_75", 3.174_494_297_326),
        ("printed_57.24", 2.839_740_242_918),
        ("printed_57.29", 2.838_500_776_994),
    ];
    for (case, exact) in exact {
        let table = Table::at("pendulum/table.ron").case(case);
        // A passage is seen up to a tick late; over 20 swings that is 1e-5 of the period.
        assert_near(period(table, 5e-4, 60.0), exact, 5e-5, case);
    }
}

#[test]
fn the_russian_table_has_the_same_period() {
    let mut table = Table::at("маятник/table.ron").case("амплитуда_75");
    let passage = table.watch("Проход");
    let [period] = run(table, 5e-4, 60.0).measure([Measure::Period(passage)]);
    assert_near(period, 3.174_494_297_326, 5e-5, "маятник");
}

#[test]
fn periods_of_the_elastic_thread() {
    let exact = [
        ("table.ron", "c_FL_deg45", 3.016_424_956_454),
        ("table.ron", "c_FL_deg75", 3.234_884_333_872),
        ("table.ron", "soft_deg60", 3.292_129_073_133),
        ("c_F_deg75.ron", "", 3.198_779_198_543),
    ];
    for (file, case, exact) in exact {
        let mut table = Table::at(format!("elastic_thread/{file}"));
        if !case.is_empty() {
            table = table.case(case);
        }
        assert_near(period(table, 2e-4, 40.0), exact, 5e-4, case);
    }
}

#[test]
fn periods_of_table_2() {
    let exact = [
        ("cart1_load10_5deg", 0.849_169_067_730, 1e-4),
        ("cart1_load1_5deg", 2.007_026_760_097, 1e-4),
        ("cart10_load1_5deg", 2.706_478_574_798, 1e-4),
        ("cart1_load1_75deg", 2.436_606_313_512, 2e-5),
    ];
    for (case, exact, step) in exact {
        let table = Table::at("cart/table.ron").case(case);
        assert_near(period(table, step, 25.0), exact, 1e-3, case);
    }
}

#[test]
fn events_of_the_hoop() {
    // First contact, first apex, lift-offs until it rests.
    let exact = [
        ("main", 0.868_523_064_7, 252.885_896, 12.0),
        ("alternative_reading", 0.868_523_064_7, 255.452_953, 17.0),
        ("mass_2", 0.868_523_064_7, 251.308_841, 11.0),
    ];
    for (case, contact, apex, lift_offs) in exact {
        let mut table = Table::at("hoop/table.ron").case(case);
        let (touches, flies) = (table.watch("contact"), table.watch("free_fall"));
        let rebound = table.expr("h * max(0, sign(time - 1))");
        let measures = [
            Measure::First(touches),
            Measure::Count(flies),
            Measure::Max(rebound),
        ];
        let [first, count, highest] = run(table, 1e-4, 8.0).measure(measures);
        assert_near(first, contact, 3e-4, case);
        assert_near(highest, apex, 1e-4, case);
        assert_eq!(count, lift_offs, "{case}");
    }
}

#[test]
fn stale_force_throws_the_hoop_away() {
    let table = Table::at("hoop/as_printed.ron");
    let h = table.real("h");
    let mut simulation = run(table, 1e-3, 2.0).simulation();
    simulation.advance(2000).unwrap();
    assert!(simulation.real(h) > 2000.0);
}

#[test]
fn rolling_takes_half_of_the_speed() {
    for (case, after_first) in [
        ("mu_0.5", 150.0),
        ("mu_0.15", 150.0),
        ("mu_0.05", 222.350_528_04),
    ] {
        let mut table = Table::at("hoop_rotation/table.ron").case(case);
        let (speed, spin) = (table.expr("Vx"), table.expr("om"));
        let measures = [
            Measure::At(speed, 1.5),
            Measure::Final(speed),
            Measure::Final(spin),
        ];
        let [first, last, spin] = run(table, 1e-4, 4.0).measure(measures);
        assert_near(first, after_first, 1e-4, case);
        assert_near(last, 150.0, 1e-4, case);
        assert_near(spin, 5.0, 1e-4, case);
    }
}

#[test]
fn stops_of_the_cart() {
    let mut table = Table::at("cart_stops/table.ron").case("event_Stop");
    let stop = table.watch("Stop");
    let [first] = run(table, 5e-5, 1.0).measure([Measure::First(stop)]);
    assert_near(first, 0.643_503_39, 1e-3, "event_Stop");

    let mut table = Table::at("cart_stops/table.ron").case("situation_Ostanov");
    let (held, first) = (table.watch("Ostanov"), table.watch("Ostanov"));
    let measures = [Measure::First(first), Measure::Duration(held)];
    let [first, duration] = run(table, 5e-5, 2.0).measure(measures);
    assert_near(first, 0.447_840_374, 1e-3, "situation_Ostanov");
    assert_near(
        duration,
        0.756_740_929 - 0.447_840_374,
        2e-3,
        "situation_Ostanov",
    );
}

#[test]
fn stop_as_a_level_pins_the_cart_the_longer_the_finer_the_tick() {
    for (step, released) in [(1e-3, 1.688), (1e-4, 2.09)] {
        let mut table = Table::at("cart_stops/stop_as_level.ron");
        let pinned = table.watch("Stop");
        let [duration] = run(table, step, 2.8).measure([Measure::Duration(pinned)]);
        assert_near(duration, released - 0.644, 3e-3, "stop_as_level");
    }
}

/// The circuit with the scenario's values: voltage and current at a time, from the solution of
/// E'' + (R/L) E' + E/(L C) = -U/(L C).
fn circuit(time: f64) -> (f64, f64) {
    let (resistance, inductance, capacity, input) = (1.0, 0.1, 0.01, 10.0);
    let damping: f64 = resistance / (2.0 * inductance);
    let frequency = (1.0 / (inductance * capacity) - damping * damping).sqrt();
    let (sin, cos) = (frequency * time).sin_cos();
    let decay = (-damping * time).exp();
    let voltage = input * (decay * (cos + damping / frequency * sin) - 1.0);
    let rate = -input * decay * sin * (frequency + damping * damping / frequency);
    (voltage, capacity * rate)
}

#[test]
fn the_circuit_converges_with_the_order_of_the_tick() {
    let exact = circuit(0.5);
    assert_near(exact.0, -10.804_582_724_019, 1e-12, "closed form");
    assert_near(exact.1, -0.025_058_821_427, 1e-9, "closed form");

    let steps = [1e-3, 5e-4, 2.5e-4, 1.25e-4, 6.25e-5];
    let errors = steps.map(|step| {
        let table = Table::at("rlc/table.ron");
        let (voltage, current) = (table.real("E"), table.real("I"));
        let run = run(table, step, 0.5);
        let mut simulation = run.simulation();
        simulation.advance(run.config.ticks).unwrap();
        let error = (simulation.real(voltage) - exact.0).hypot(simulation.real(current) - exact.1);
        assert!(error < 600.0 * step, "error {error} at a step of {step}");
        error
    });
    for pair in errors[1..].windows(2) {
        let order = (pair[0] / pair[1]).log2();
        assert!((order - 1.0).abs() < 0.2, "order {order}");
    }
}
