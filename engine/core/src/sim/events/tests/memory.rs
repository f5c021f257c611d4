//! Procedures that remember: delays and derivatives.

use super::*;
use crate::sim::RunFault;

#[test]
fn a_linear_delay_equation_follows_the_method_of_steps() {
    // x' = -x(t - 1), x = 1 before 0.
    let mut table = ModelBuilder::new("linear");
    let [x, past] = [("x", 1.0), ("past", 0.0)].map(|(name, start)| table.real(name, start));
    table.relation(past, "delay", [Term::from(x), 1.0.into()]);
    table.relation(x, "integral", [-Term::from(past)]);
    let model = table.build().unwrap();
    for (t, expected) in [
        (0.5, 0.5),
        (1.5, -3.0 / 8.0),
        (2.5, -19.0 / 48.0),
        (5.0, 19.0 / 120.0),
        (8.5, 6_894_449.0 / 185_794_560.0),
        (12.0, -8_554_547.0 / 479_001_600.0),
    ] {
        let mut run = EventRun::new(model.clone(), config(t)).unwrap();
        run.run(&mut ()).unwrap();
        close(run.real(x), expected);
    }
}

#[test]
fn a_relay_with_delay_swings() {
    let mut table = ModelBuilder::new("relay");
    let [x, past] = [("x", 1.0), ("past", 1.0)].map(|(name, start)| table.real(name, start));
    table.relation(past, "delay", [Term::from(x), 0.5.into()]);
    let up = table.range("up", [at_least(past, 0.0)]);
    table.relation(x, "integral", [-1.0]).when([up.into()]);
    table.relation(x, "integral", [1.0]).when([!up]);
    let model = table.build().unwrap();
    let (times, run) = rises(&model, up.into(), 8.75);
    assert_eq!(times.len(), 4, "{times:?}");
    for (time, expected) in times.iter().zip([2.5, 4.5, 6.5, 8.5]) {
        close(*time, expected);
    }
    close(run.real(x), 0.25);
}

#[test]
fn hutchinsons_equation_has_its_values() {
    let mut table = ModelBuilder::new("hutchinson");
    let [x, past] = [("x", 0.5), ("past", 0.5)].map(|(name, start)| table.real(name, start));
    table.relation(past, "delay", [Term::from(x), 1.0.into()]);
    table.relation(
        x,
        "integral",
        [Term::from(x) * (Term::Number(1.0) - past) * 1.5],
    );
    let model = table.build().unwrap();
    for (t, expected) in [
        (1.0, 1.058_500_008_306_337_4),
        (4.0, 0.589_050_593_342_925_6),
        (20.0, 0.794_988_745_209_074_7),
    ] {
        let mut run = EventRun::new(model.clone(), config(t)).unwrap();
        run.run(&mut ()).unwrap();
        close(run.real(x), expected);
    }
}

#[test]
fn jumps_come_back_after_the_delay() {
    // n counts up at 1, 2, ...; half a unit later late does, and y sees the jump as a border.
    let mut table = ModelBuilder::new("echo");
    let [n, late, y] = ["n", "late", "y"].map(|name| table.real(name, 0.0));
    let each = table.every(1.0);
    let beat = table.event("beat", [each.into()]);
    table.relation(n, "counter", [Literal::from(beat)]);
    table.relation(late, "delay", [Term::from(n), 0.5.into()]);
    let some = table.range("some", [at_least(late, 2.0)]);
    table.relation(y, "integral", [late]);
    let model = table.build().unwrap();
    let (times, run) = rises(&model, some.into(), 4.0);
    assert_eq!(times.len(), 1, "{times:?}");
    close(times[0], 2.5);
    close(run.real(late), 3.0);
    close(run.real(y), 1.0 + 2.0 + 1.5);
}

#[test]
fn a_derivative_is_the_rate_of_its_argument() {
    // d/dt (x^2 sin t) with x' = 3, and of a loop z = 1 - x*z.
    let mut table = ModelBuilder::new("derivative");
    let [x, a, da, z, dz] = [("x", 1.0), ("a", 0.0), ("da", 0.0), ("z", 0.5), ("dz", 0.0)]
        .map(|(name, start)| table.real(name, start));
    let sine = || Term::Call("sin", vec![Term::Time]);
    table.relation(x, "integral", [3.0]);
    table.relation(a, "product", [Term::from(x) * x, sine()]);
    table.relation(da, "derivative", [a]);
    table.relation(z, "assignment", [Term::Number(1.0) - Term::from(x) * z]);
    table.relation(dz, "derivative", [z]);
    let mut run = EventRun::new(table.build().unwrap(), config(2.0)).unwrap();
    run.run(&mut ()).unwrap();
    let (x, t) = (7.0_f64, 2.0_f64);
    close(run.real(da), 6.0 * x * t.sin() + x * x * t.cos());
    close(run.real(z), 1.0 / (1.0 + x));
    close(run.real(dz), -3.0 / (1.0 + x).powi(2));
}

#[test]
fn a_derivative_sees_kinks_and_ignores_jumps() {
    let mut table = ModelBuilder::new("kinks");
    let [x, d, sum] =
        [("x", -1.0), ("d", 0.0), ("sum", 0.0)].map(|(name, start)| table.real(name, start));
    let late = table.range("late", [at_least(Term::Time, 3.0)]);
    let jump = table.event("jump", [late.into()]);
    table.relation(x, "integral", [1.0]);
    table
        .relation(x, "assignment", [10.0])
        .when([jump.into()])
        .once();
    table.relation(d, "derivative", [Term::Call("abs", vec![x.into()])]);
    table.relation(sum, "integral", [d]);
    let mut run = EventRun::new(table.build().unwrap(), config(4.0)).unwrap();
    run.run(&mut ()).unwrap();
    close(run.real(x), 11.0);
    close(run.real(sum), -1.0 + 3.0);
}

#[test]
fn a_derivative_of_what_depends_on_it_is_refused() {
    let mut table = ModelBuilder::new("index");
    let [x, d] = [("x", 1.0), ("d", 0.0)].map(|(name, start)| table.real(name, start));
    table.relation(x, "integral", [d]);
    table.relation(d, "derivative", [x]);
    let error = EventRun::new(table.build().unwrap(), config(1.0)).unwrap_err();
    let crate::sim::SetupError::Fault(fault) = error else {
        panic!("{error}");
    };
    assert!(matches!(*fault, RunFault::DerivativeInLoop(_)), "{fault}");
}
