//! Newton's cradle: five equal pendulums that touch. Of bodies that hang at rest side by side the places and
//! speeds differ by errors only, and what they do to each other then is not to be followed.

use situ_engine::sim::{EventConfig, EventRun};
use situ_engine::{Locate, Method};

use crate::events::{Accuracy, Exact};
use crate::tables::Table;

const K: f64 = 9.81;

/// The pendulums, of which the first is let go at -1.
fn cradle() -> Table {
    let each = |text: &dyn Fn(usize) -> String, from: usize, separator: &str| {
        let all: Vec<String> = (from..5).map(text).collect();
        all.join(separator)
    };
    let reals = |i| format!(r#""a{i}": {}, "w{i}": 0"#, if i == 0 { -1 } else { 0 });
    let hits = |i| format!(r#""event hit{i}: a{i} - a{0} <= 0 & w{0} > w{i}""#, i - 1);
    let motions = |i| format!(r#""w{i} = integral(-{K} * a{i})", "a{i} = integral(w{i})""#);
    let swaps = |i| format!(r#""w{0}, w{i} := w{i}, w{0} when hit{i}""#, i - 1);
    Table::from_text(&format!(
        r#"(format: 1, name: "cradle", clock: (stepping: events, stop: 20),
            reals: {{{}}}, situations: [{}], relations: [{}, {}])"#,
        each(&reals, 0, ", "),
        each(&hits, 1, ", "),
        each(&motions, 0, ", "),
        each(&swaps, 1, ", "),
    ))
}

#[test]
fn only_the_outer_bodies_swing() {
    let stop = 20.0;
    for locate in [Locate::Root, Locate::OneSided] {
        for method in [
            Method::Auto,
            Method::Tsit5,
            Method::Dop853,
            Method::Rodas5p,
            Method::Taylor,
        ] {
            for rtol in [1e-4, 1e-6, 1e-9] {
                let case = format!("{locate:?} {method:?} {rtol}");
                let exact = Exact::new(cradle(), stop, Accuracy::Default);
                let mut config = EventConfig {
                    locate,
                    atol: 1e-3 * rtol,
                    ..exact.config
                };
                config.settings.method = method;
                config.settings.rtol = rtol;
                let mut run = EventRun::new(exact.table.model, config).unwrap();
                run.run(&mut ())
                    .unwrap_or_else(|fault| panic!("{case}: {fault:?}"));
                // The first swings on the left, the last on the right, as one pendulum would alone.
                let swing = -(K.sqrt() * stop).cos();
                let expected = [swing.min(0.0), 0.0, 0.0, 0.0, swing.max(0.0)];
                let places = run.row().reals.iter().step_by(2);
                for (place, expected) in places.zip(expected) {
                    let error = (place - expected).abs();
                    assert!(error < 1e3 * rtol, "{case}: {place} {expected}");
                }
                // 13 times in 20 s one of them comes back and the others hand its speed on; the rest
                // is what errors do until the border is quiet.
                let instants = run.stats().instants;
                assert!(instants < 2000, "{case}: {instants}");
            }
        }
    }
}

/// Balls that touch up to rounding hand a blow on in no time; that they press onto each other by nothing then is no rest that
/// takes the blow away.
#[test]
fn a_blow_that_is_handed_on_does_not_come_to_rest() {
    let each = |text: &dyn Fn(usize) -> String, from: usize| {
        let all: Vec<String> = (from..=5).map(text).collect();
        all.join(", ")
    };
    for amplitude in [0.15, 0.2, 1.0] {
        let reals = |i| {
            format!(
                r#""x{i}": {}, "v{i}": 0"#,
                if i == 1 { -amplitude } else { 0.0 }
            )
        };
        let ranges = |i| format!(r#""t{i}: x{i} - x{0} <= 0", "a{i}: v{0} > v{i}""#, i - 1);
        let hits = |i| format!(r#""event h{i}: t{i} & a{i}""#);
        let swaps = |i| format!(r#""v{0}, v{i} := v{i}, v{0} when h{i}""#, i - 1);
        let motions = |i| format!(r#""v{i} = integral(-{K} * x{i})", "x{i} = integral(v{i})""#);
        let table = Table::from_text(&format!(
            r#"(format: 1, name: "balls", clock: (stepping: events, stop: 10), reals: {{{}}}, ranges: [{}],
                situations: [{}], relations: [{}, {}])"#,
            each(&reals, 1),
            each(&ranges, 2),
            each(&hits, 2),
            each(&swaps, 2),
            each(&motions, 1),
        ));
        for method in [Method::Auto, Method::Dop853, Method::Radau, Method::Rodas5p] {
            let mut exact = Exact::new(table.clone(), 10.0, Accuracy::Default).method(method);
            exact.config.settings.rtol = 1e-8;
            let mut run = EventRun::new(exact.table.model, exact.config).unwrap();
            run.run(&mut ()).unwrap();
            let energies = run
                .row()
                .reals
                .chunks(2)
                .map(|ball| ball[1] * ball[1] + K * ball[0] * ball[0]);
            let energy: f64 = energies.sum();
            let known = K * amplitude * amplitude;
            assert!(
                (energy - known).abs() < 1e-5 * known,
                "{amplitude} {method:?}: {energy} {known}"
            );
        }
    }
}
