//! The tick workloads: a falling hoop (T1), a pendulum with a thread that stretches on a cart (T2),
//! an RLC circuit (T3). Each as a rule table and as the same loop written by hand in Rust.

use situ_engine::ids::RealId;
use situ_engine::model::{Clock, CompareOp, Expr, Input, Model, ModelBuilder, Term};
use situ_engine::sim::{PreparedModel, RunConfig, TickConfig, TickRun};
use situ_engine::trace::Measure;
use situ_jit::{Jit, Options};
use situ_sweep::{Keep, Slice};

/// Degrees in a radian, as the workloads round it.
pub const DEGREES: f64 = 57.29578;

/// One workload.
#[derive(Clone, Debug)]
pub struct Workload {
    /// Its name.
    pub name: &'static str,
    /// Its rule table.
    pub model: Model,
    /// The two reals that are compared.
    pub shown: [RealId; 2],
    /// The real whose start value varies in a sweep.
    pub varied: RealId,
    /// Length of a tick.
    pub step: f64,
    /// The loop by hand: ticks -> the two reals.
    pub by_hand: fn(u64) -> [f64; 2],
}

/// Ticks of one run; a new run begins from the start values, so that nothing decays.
pub const RUN: u64 = 100_000;

/// Runs of a sweep in the lanes of one core.
pub const LANES: u32 = 128;

/// Time of a run (in seconds) if each of its ticks takes a nanosecond.
pub const RUN_SECONDS_PER_NS: f64 = 1e-9 * 1e5;

impl Workload {
    /// A run of the model that has not begun.
    pub fn simulation(&self) -> TickRun {
        let config = TickConfig::from_clock(&self.model.clock).expect("a clock is given");
        TickRun::new(self.model.clone(), config).expect("start values are given")
    }

    /// A run in native code that has not begun. What it does first is interpreted.
    pub fn native(&self, fast_math: bool) -> TickRun {
        let mut run = self.simulation();
        let options = Options {
            fast_math,
            ..Options::default()
        };
        let compiled = run.compile_with(&Jit::at_once(options));
        compiled.expect("this machine is supported");
        run
    }

    /// So many runs of so many ticks, whose start values of one real differ a little; the first run is the
    /// model's own. They measure the two reals at the end.
    pub fn sweep(&self, runs: u32, ticks: u64) -> Slice {
        let mut model = self.model.clone();
        let mut config = TickConfig::from_clock(&model.clock).expect("a clock is given");
        (config.ticks, config.every) = (ticks, ticks);
        let measures = self
            .shown
            .map(|real| Measure::Final(model.exprs.push(Expr::Real(real))));
        let start = self.simulation().real(self.varied);
        let template = PreparedModel::new(model, RunConfig::Ticks(config), &measures);
        let row = |run: u32| vec![start * (1.0 + 1e-3 * f64::from(run))];
        Slice {
            template: template.expect("start values are given"),
            inputs: vec![Input::Real(self.varied)],
            first: 0,
            rows: (0..runs).map(row).collect(),
            keep: Keep::Measures,
        }
    }

    /// The largest relative difference of the two reals from the loop by hand, after 2000 ticks of a
    /// run that has not begun.
    pub fn error(&self, mut run: TickRun) -> f64 {
        run.advance(2000).expect("stays finite");
        let expected = (self.by_hand)(2000);
        self.shown
            .iter()
            .zip(expected)
            .map(|(&real, value)| ((run.real(real) - value) / value).abs())
            .fold(0.0, f64::max)
    }
}

/// All of them.
pub fn all() -> [Workload; 3] {
    [t1(), t2(), t3()]
}

fn clock(table: &mut ModelBuilder, step: f64) {
    table.clock(Clock {
        step: Some(step),
        stop: Some(step * 1e5),
        ..Clock::default()
    });
}

fn finish(table: ModelBuilder) -> Model {
    table.build().expect("the workloads are valid models")
}

fn t1() -> Workload {
    let mut table = ModelBuilder::new("T1");
    clock(&mut table, 1e-3);
    let [h, v] = [table.real("h", 400.0), table.real("V", 0.0)];
    let [r, m, g] = [("R", 30.0), ("M", 1000.0), ("g", -981.0)].map(|(n, x)| table.constant(n, x));
    let [k1, k2] = [("K1", 80000.0), ("K2", 49000.0)].map(|(n, x)| table.constant(n, x));
    let [p, f, s, a] = ["P", "F", "S", "A"].map(|name| table.real(name, 0.0));
    let defl = table.real("defl", -370.0);
    let near = table.range("near", [(h.into(), CompareOp::Less, r.into())]);
    let rising = table.range("rising", [(v.into(), CompareOp::Greater, 0.0.into())]);
    let brake = table.situation("brake", [near.into(), !rising]);
    let accel = table.situation("accel", [near.into(), rising.into()]);
    table.relation(p, "product", [m, g]);
    table.relation(f, "assignment", [0.0]);
    table
        .relation(f, "product", [Term::from(k1), defl.into()])
        .when([brake.into()]);
    table
        .relation(f, "product", [Term::from(k2), defl.into()])
        .when([accel.into()]);
    table.relation(s, "sum", [f, p]);
    table.relation(a, "quotient", [Term::from(s), m.into()]);
    table.relation(v, "integral", [a]);
    table.relation(h, "integral", [v]);
    table
        .relation(defl, "sum", [Term::from(r), h.into()])
        .coef2(-1.0);
    Workload {
        name: "T1",
        model: finish(table),
        shown: [h, v],
        varied: h,
        step: 1e-3,
        by_hand: t1_by_hand,
    }
}

#[inline(never)]
fn t1_by_hand(ticks: u64) -> [f64; 2] {
    use std::hint::black_box;
    let (m, g, r) = black_box((1000.0, -981.0, 30.0));
    let (k1, k2, dt) = black_box((80000.0, 49000.0, 1e-3));
    let (mut h, mut v): (f64, f64) = black_box((400.0, 0.0));
    let mut defl = r - h;
    for _ in 0..ticks {
        let force = if h < r {
            if v > 0.0 { k2 * defl } else { k1 * defl }
        } else {
            0.0
        };
        let a = (force + m * g) / m;
        v += a * dt;
        h += v * dt;
        defl = r - h;
    }
    [h, v]
}

fn t2() -> Workload {
    let mut table = ModelBuilder::new("T2");
    clock(&mut table, 1e-3);
    let ang = table.real("ang", 45.0);
    let [om, omt, om2] = ["om", "omt", "om2"].map(|name| table.real(name, 0.0));
    let l = table.real("L", 1.0);
    let [l0, m, mc] = [("L0", 1.0), ("m", 1.0), ("M", 5.0)].map(|(n, x)| table.constant(n, x));
    let [g, ng, k] = [("g", 9.81), ("ng", -9.81), ("k", 1e-3)].map(|(n, x)| table.constant(n, x));
    let [d, nd] = [("D", DEGREES), ("nD", -DEGREES)].map(|(n, x)| table.constant(n, x));
    let [s, c, a, a_d, aa, wl, v] =
        ["s", "c", "a", "aD", "aa", "wl", "v"].map(|n| table.real(n, 0.0));
    let [v2, mv2, fc, p, pc, f] = ["v2", "mv2", "Fc", "P", "Pc", "F"].map(|n| table.real(n, 0.0));
    let [d_l, fx, ax, vx, x] = ["dL", "Fx", "Ax", "Vx", "X"].map(|n| table.real(n, 0.0));
    let [vl, vd] = ["VL", "VD"].map(|name| table.real(name, 0.0));
    let t = Term::from;
    table.relation(s, "sin", [t(ang) / d]);
    table.relation(c, "cos", [t(ang) / d]);
    table.relation(a, "product", [Term::from(ng), s.into()]);
    table.relation(a_d, "product", [Term::from(d), a.into()]);
    table.relation(aa, "quotient", [a_d, l]);
    table.relation(om, "integral", [aa]);
    table.relation(ang, "integral", [omt]);
    table.relation(wl, "product", [om, l]);
    table.relation(v, "quotient", [t(wl), d.into()]);
    table.relation(v2, "product", [v, v]);
    table.relation(mv2, "product", [Term::from(m), v2.into()]);
    table.relation(fc, "quotient", [mv2, l]);
    table.relation(p, "product", [g, m]);
    table.relation(pc, "product", [p, c]);
    table.relation(f, "sum", [fc, pc]);
    table.relation(d_l, "product", [Term::from(k), f.into()]);
    table.relation(l, "sum", [Term::from(l0), d_l.into()]);
    table.relation(fx, "product", [f, s]);
    table.relation(ax, "quotient", [t(fx), mc.into()]);
    table.relation(vx, "integral", [ax]);
    table.relation(x, "integral", [vx]);
    table.relation(vl, "quotient", [vx, l]);
    table.relation(vd, "product", [Term::from(nd), vl.into()]);
    table.relation(om2, "product", [vd, c]);
    table.relation(omt, "sum", [om, om2]);
    Workload {
        name: "T2",
        model: finish(table),
        shown: [ang, x],
        varied: ang,
        step: 1e-3,
        by_hand: t2_by_hand,
    }
}

#[inline(never)]
fn t2_by_hand(ticks: u64) -> [f64; 2] {
    use std::hint::black_box;
    let (l0, m, mc, g, ng) = black_box((1.0, 1.0, 5.0, 9.81, -9.81));
    let (k, d, nd, dt) = black_box((1e-3, DEGREES, -DEGREES, 1e-3));
    let (mut ang, mut l): (f64, f64) = black_box((45.0, 1.0));
    let (mut om, mut omt, mut vx, mut x) = (0.0, 0.0, 0.0, 0.0);
    for _ in 0..ticks {
        let (s, c) = (libm::sin(ang / d), libm::cos(ang / d));
        om += d * (ng * s) / l * dt;
        ang += omt * dt;
        let v = om * l / d;
        let f = m * (v * v) / l + g * m * c;
        l = l0 + k * f;
        vx += f * s / mc * dt;
        x += vx * dt;
        omt = om + nd * (vx / l) * c;
    }
    [ang, x]
}

fn t3() -> Workload {
    let mut table = ModelBuilder::new("T3");
    clock(&mut table, 1e-7);
    let [i, vc] = ["I", "VC"].map(|name| table.real(name, 0.0));
    let [e, r, l, cap] =
        [("E", 1.0), ("R", 1.0), ("L", 1e-3), ("C", 1e-6)].map(|(n, x)| table.constant(n, x));
    let [vr, ve, vl, di, dv] = ["VR", "VE", "VL", "dI", "dV"].map(|name| table.real(name, 0.0));
    table.relation(vr, "product", [Term::from(i), r.into()]);
    table
        .relation(ve, "sum", [Term::from(e), vr.into()])
        .coef2(-1.0);
    table.relation(vl, "sum", [ve, vc]).coef2(-1.0);
    table.relation(di, "quotient", [Term::from(vl), l.into()]);
    table.relation(i, "integral", [di]);
    table.relation(dv, "quotient", [Term::from(i), cap.into()]);
    table.relation(vc, "integral", [dv]);
    Workload {
        name: "T3",
        model: finish(table),
        shown: [i, vc],
        varied: i,
        step: 1e-7,
        by_hand: t3_by_hand,
    }
}

#[inline(never)]
fn t3_by_hand(ticks: u64) -> [f64; 2] {
    use std::hint::black_box;
    let (e, r, l, c, dt) = black_box((1.0, 1.0, 1e-3, 1e-6, 1e-7));
    let (mut i, mut vc): (f64, f64) = black_box((0.0, 0.0));
    for _ in 0..ticks {
        i += (e - i * r - vc) / l * dt;
        vc += i / c * dt;
    }
    [i, vc]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_do_what_the_loops_by_hand_do() {
        for workload in all() {
            // The sine of the tables is not that of the loop by hand.
            let most = if workload.name == "T2" { 1e-12 } else { 0.0 };
            let runs = [
                (workload.simulation(), most),
                (workload.native(false), most),
                (workload.native(true), 1e-9),
            ];
            for (run, most) in runs {
                let error = workload.error(run);
                assert!(error <= most, "{} {error:e}", workload.name);
            }
        }
    }
}
