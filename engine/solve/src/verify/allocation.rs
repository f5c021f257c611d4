//! Nothing allocates once a system has been entered.

use super::problems::{Smooth, VanDerPol};
use crate::system::System;
use crate::{Method, Settings, Stepper};

/// Counts the allocations of candidates, their dense output, acceptance and restarts.
fn allocations<S: System>(method: Method, system: &mut S, y0: &[f64]) -> u64 {
    let settings = Settings {
        method,
        h0: Some(1e-4),
        ..Settings::default()
    };
    let mut stepper = Stepper::new(settings).unwrap();
    stepper.enter(system, 0.0, y0, &[1e-6; 2]).unwrap();
    let restart_at = y0.to_vec();
    allocation_counter::measure(|| {
        for step in 0..300 {
            stepper.attempt(system, f64::INFINITY).unwrap();
            stepper.dense(system).unwrap();
            if step % 100 == 99 {
                stepper.restart(system, stepper.t(), &restart_at).unwrap();
            } else {
                stepper.accept();
            }
        }
    })
    .count_total
}

#[test]
fn steps_do_not_allocate() {
    for method in Method::ALL {
        assert_eq!(
            allocations(method, &mut Smooth::default(), &[1.0, 0.3]),
            0,
            "{method:?}"
        );
    }
    let hidden = &mut Smooth {
        by_differences: true,
    };
    assert_eq!(allocations(Method::Rodas5p, hidden, &[1.0, 0.3]), 0);
}

#[test]
fn changes_between_methods_do_not_allocate() {
    let mut system = VanDerPol { epsilon: 1e-6 };
    assert_eq!(allocations(Method::Auto, &mut system, &[2.0, 0.0]), 0);
}
