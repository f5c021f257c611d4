//! Poles of rates: no step of any method leads over one (FORMALISM 10.6).

use situ_engine::Method;
use situ_engine::sim::{EventConfig, Run, RunConfig};

use crate::tables::Table;

/// Runs a table to a time by a method: its last values, or when it could not go on.
fn end(text: &str, stop: f64, method: Method) -> Result<Vec<f64>, f64> {
    let table = Table::from_text(text);
    let mut config = EventConfig::from_clock(&table.model.clock).unwrap();
    config.stop = stop;
    config.every = None;
    config.settings.method = method;
    config.settings.h0 = (method.about().steps == situ_engine::Steps::Fixed).then_some(0.013);
    let mut run = Run::new(table.model, RunConfig::Events(config), &[]).unwrap();
    match run.run(&mut ()) {
        Ok(_) => Ok(run.present().reals.to_vec()),
        Err(_) => Err(run.time()),
    }
}

fn table(reals: &str, relations: &str) -> String {
    format!(
        "(format: 1, clock: (stop: 3, stepping: events), reals: {{{reals}}}, relations: [{relations}])"
    )
}

#[test]
fn no_method_steps_over_a_pole() {
    let u = "\"u = integral(-0.5 / u)\"";
    let cases = [
        (
            r#""r": 1, "v": 0"#,
            r#""r = integral(v)", "v = integral(-r ^ -2)""#,
            std::f64::consts::PI / 8.0_f64.sqrt(),
        ),
        // y = ln(-x); tan at pi / 2.
        (
            r#""x": -1, "y": 0"#,
            r#""x = integral(1)", "y = integral(1 / x)""#,
            1.0,
        ),
        (
            r#""x": -1, "y": 0"#,
            r#""x = integral(1)", "y = integral(tan(x))""#,
            1.0 + std::f64::consts::FRAC_PI_2,
        ),
        // Both sides lead to u = 0, where u^2 = 1 - t.
        (r#""u": 1"#, u, 1.0),
        // A fall onto a point: pi / (2 sqrt 2).
        (
            r#""r": 1, "v": 0"#,
            r#""r = integral(v)", "v = integral(-1 / r ^ 2)""#,
            std::f64::consts::PI / 8.0_f64.sqrt(),
        ),
        (
            r#""r": 1, "v": 0"#,
            r#""r = integral(v)", "v = integral(-1 / (r * r))""#,
            std::f64::consts::PI / 8.0_f64.sqrt(),
        ),
    ];
    for (reals, relations, pole) in cases {
        for method in Method::ALL {
            let fixed = method.about().steps == situ_engine::Steps::Fixed;
            let ended = end(&table(reals, relations), 3.0, method);
            let Err(at) = ended else {
                panic!("{relations} by {}: {ended:?}", method.name());
            };
            let allowed = if fixed { 0.2 } else { 1e-3 };
            assert!(
                (at - pole).abs() < allowed,
                "{relations} by {}: {at}",
                method.name()
            );
        }
    }
}

#[test]
fn a_quotient_whose_dividend_vanishes_too_has_no_pole() {
    // Twice the sine integral of 1, the mean of a line, and the same of what no rate reads.
    let cases = [
        (r#""y = integral(sin(x) / x)""#, 1.892_166_140_734_366),
        (r#""y = integral(x * x / x)""#, 0.0),
        (r#""y = integral(x)", "q = sin(x) / x""#, 0.0),
        // It has a limit from either side.
        (r#""y = integral(atan(1 / x))""#, 0.0),
    ];
    for (rows, value) in cases {
        for method in Method::ALL {
            let text = table(
                r#""x": -1, "y": 0, "q": 0"#,
                &format!(r#""x = integral(1)", {rows}"#),
            );
            let y = end(&text, 2.0, method)
                .unwrap_or_else(|at| panic!("{rows} by {}: {at}", method.name()))[1];
            let fixed = method.about().steps == situ_engine::Steps::Fixed;
            let allowed = if fixed { 1e-1 } else { 1e-3 };
            assert!(
                (y - value).abs() < allowed,
                "{rows} by {}: {y}",
                method.name()
            );
        }
    }
}
