//! Steps in lanes beside those of a run of its own.

use super::*;
use crate::{Refusal, Stepper, System};

/// y' = -k (y - cos t), stiff for a moment every now and then.
struct Pulses {
    y: LaneVec,
}

fn rate(t: f64, y: f64) -> f64 {
    let k = if t % 0.5 < 0.02 { 250.0 } else { 1.0 };
    -k * (y - t.cos())
}

impl System for Pulses {
    fn dim(&self) -> usize {
        1
    }

    fn rhs(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Refusal> {
        dy[0] = rate(t, y[0]);
        Ok(())
    }
}

impl LaneSystem for Pulses {
    fn reads_time(&self) -> bool {
        true
    }

    fn state(&mut self, _component: usize) -> &mut LaneVec {
        &mut self.y
    }

    fn rates(&mut self, t: &LaneVec, rates: &mut [LaneVec]) {
        rates[0] = LaneVec::from([t, &self.y], |[t, y]| rate(t, y));
    }

    fn next_order(&self, _order: usize, _before: &[LaneVec], _next: &mut [LaneVec]) {}
}

#[test]
fn hints_of_stiffness_come_and_go_as_in_a_run_of_its_own() {
    let settings = Settings {
        method: Method::Auto,
        ..Settings::default()
    };
    let mut alone = Stepper::new(settings.clone()).unwrap();
    let mut system = Pulses {
        y: LaneVec::splat(0.0),
    };
    let atol = [1e-6];
    alone.enter(&mut system, 0.0, &[1.0], &atol).unwrap();
    let mut lanes = LaneStepper::new(&settings, &atol, false).unwrap();
    lanes.load(3, alone.save());
    let (mut voided, mut hints) = (0, 0);
    let mut lane = alone.save().clone();
    while alone.t() < 40.0 {
        alone.attempt(&mut system, 1e9).unwrap();
        alone.accept();
        let live = mask_of(3);
        loop {
            let passed = lanes.attempt(&mut system, live).passed;
            if passed == live {
                assert_eq!(lanes.not_stiff(passed), live);
            }
            lanes.take(passed);
            if passed == live {
                break;
            }
        }
        lanes.save(3, &mut lane);
        let watch = alone.save().progress.watch;
        assert_eq!(lane.progress.watch, watch, "{}", lane.t);
        assert_eq!(lane.t, alone.t());
        let before = std::mem::replace(&mut hints, lane.progress.watch.hints);
        voided += u32::from(before > 0 && hints == 0);
    }
    assert!(voided > 2, "{voided}");
}
