//! Nothing allocates in a step between two instants.

use super::*;

/// Two pendulums, one of which is integrated along with the other's energy, and borders of all kinds
/// that are not reached.
fn pendulums() -> Model {
    let mut table = ModelBuilder::new("pendulums");
    let [a, u, b, v, size] = [
        ("a", 1.0),
        ("u", 0.0),
        ("b", 0.5),
        ("v", 0.0),
        ("size", 0.0),
    ]
    .map(|(name, start)| table.real(name, start));
    let sine = |of: RealId| Term::Call("sin", vec![of.into()]);
    table.relation(u, "integral", [sine(a) * -9.81]);
    table.relation(a, "integral", [u]);
    table.relation(v, "integral", [sine(b) * -9.81]);
    table.relation(b, "integral", [v]);
    table.relation(size, "product", [Term::from(u) * u + sine(a), 2.0.into()]);
    let wide = table.range("wide", [at_least(a, 3.0)]);
    let large = table.range("large", [at_least(size, 1e3)]);
    table.event("out", [wide.into(), large.into()]);
    table.build().unwrap()
}

#[test]
fn steps_between_instants_do_not_allocate() {
    for method in [Method::Tsit5, Method::Dop853, Method::Rodas5p, Method::Auto] {
        let mut config = config(100.0);
        config.settings.method = method;
        let mut run = EventRun::new(pendulums(), config).unwrap();
        for _ in 0..20 {
            run.advance(100.0, &mut ()).unwrap();
        }
        let before = run.stats().method.steps;
        let counted = allocation_counter::measure(|| {
            for _ in 0..50 {
                run.advance(100.0, &mut ()).unwrap();
            }
        });
        assert!(run.stats().method.steps >= before + 50, "{method:?}");
        assert_eq!(counted.count_total, 0, "{method:?}");
    }
}
