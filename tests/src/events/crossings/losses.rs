//! No event is lost: generated margins within the promise of event stepping, each run whole, beside
//! what a test of signs at the ends of steps loses on the same ones.
//!
//! Every case knows its crossings: roots of polynomials in factors, of sines, and windows between
//! two borders. Roots lie close together (down to 2e-7 of the step), are multiple, or only touch;
//! windows are as narrow as 1e-9 of the step. A touch must not fire.

use std::ops::ControlFlow;

use situ_engine::ids::RangeId;
use situ_engine::model::{Boolean, CompareOp, Model, ModelBuilder, Order, Term};
use situ_engine::sim::{EventConfig, EventRun};
use situ_engine::trace::{Recorder, Row};
use situ_engine::{Method, Settings};

/// Cases of a test run, and of `cargo soak`.
const SLICE: u64 = 1_000;
const WHOLE: u64 = 10_000;

/// Roots of one border are at least this part of the step apart.
const APART: f64 = 2e-7;

/// Two borders enclose a window of at least this part of the step.
const NARROWEST: f64 = 1e-9;

/// Random numbers, the same every time. Source: S. Vigna, SplitMix64.
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    #[expect(clippy::cast_precision_loss, reason = "53 bits")]
    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn below(&mut self, n: u64) -> u64 {
        self.bits() % n
    }

    /// Between two sizes, each magnitude as often as any other.
    fn size(&mut self, low: f64, high: f64) -> f64 {
        10_f64.powf(self.between(low.log10(), high.log10()))
    }
}

/// Quantity that the range compares with 0, in terms of a clock s that runs as a state.
#[derive(Clone, Debug)]
enum Margin {
    /// `sign * product of (s - root)^multiplicity`.
    Roots(f64, Vec<(f64, u32)>),
    /// `sin(frequency * s + phase) - level`.
    Sine(f64, f64, f64),
    /// `s >= from & s < to`: two borders.
    Window(f64, f64),
    /// As `Roots`, all simple, but integrated from its derivative.
    Integrated(Vec<f64>),
}

#[derive(Clone, Debug)]
struct Case {
    margin: Margin,
    stop: f64,
    method: Method,
    /// The longest step.
    step: f64,
}

impl Case {
    fn new(seed: u64) -> Self {
        let mut random = Random(seed);
        let stop = random.between(2.0, 12.0);
        let fixed = random.below(2) == 0;
        let method = match random.below(3) {
            _ if fixed => Method::Rk4,
            0 => Method::Dop853,
            1 => Method::Rodas5p,
            _ => Method::Tsit5,
        };
        let step = if fixed {
            stop / random.between(1.5, 40.0)
        } else {
            stop
        };
        let margin = match random.below(10) {
            0..=4 => roots(&mut random, stop, step),
            5..=6 => sine(&mut random, step),
            7..=8 => {
                let from = random.between(0.01, 0.95) * stop;
                Margin::Window(from, from + step * random.size(NARROWEST, 0.04))
            }
            _ => {
                let n = 1 + random.below(3);
                let mut roots: Vec<f64> =
                    (0..n).map(|_| random.between(0.02, 0.98) * stop).collect();
                roots.sort_unstable_by(f64::total_cmp);
                // Deep enough between its roots to stand out from rounding.
                roots.dedup_by(|b, a| *b - *a < 1e-3 * stop);
                Margin::Integrated(roots)
            }
        };
        Self {
            margin,
            stop,
            method,
            step,
        }
    }

    /// Times at which the range changes, and whether it holds at the start.
    fn known(&self) -> (Vec<f64>, bool) {
        let inside = |times: Vec<f64>| {
            let mut times = times;
            times.retain(|&t| t > 0.0 && t < self.stop);
            times.sort_unstable_by(f64::total_cmp);
            times
        };
        match &self.margin {
            Margin::Roots(sign, roots) => {
                let odd = roots
                    .iter()
                    .filter(|(_, multiplicity)| multiplicity % 2 == 1);
                let odd: Vec<f64> = odd.map(|(root, _)| *root).collect();
                let start = *sign * if odd.len() % 2 == 1 { -1.0 } else { 1.0 };
                (inside(odd), start > 0.0)
            }
            Margin::Sine(frequency, phase, level) => {
                let start = phase.sin() > *level;
                if level.abs() >= 1.0 {
                    return (Vec::new(), start);
                }
                let rise = level.asin();
                let fall = std::f64::consts::PI - rise;
                let turns = (-2..40).map(|turn| f64::from(turn) * std::f64::consts::TAU);
                let times = turns.flat_map(|turn| [rise + turn, fall + turn]);
                let times = times.map(|angle| (angle - phase) / frequency);
                (inside(times.collect()), start)
            }
            Margin::Window(from, to) => (inside(vec![*from, *to]), false),
            Margin::Integrated(roots) => (roots.clone(), roots.len() % 2 == 0),
        }
    }

    /// Tolerance of a found time.
    fn tolerance(&self) -> f64 {
        match &self.margin {
            // A multiple root is where rounding says.
            Margin::Roots(_, roots) if roots.iter().any(|(_, m)| *m > 1) => 1e-6,
            Margin::Roots(..) | Margin::Window(..) => 1e-13 * self.stop,
            // Where a sine barely reaches its level, rounding of the sine moves the crossing.
            Margin::Sine(frequency, _, level) => {
                4e-16 / ((1.0 - level * level).max(1e-30).sqrt() * frequency) + 1e-13 * self.stop
            }
            Margin::Integrated(_) => 1e-8 * self.stop,
        }
    }

    fn model(&self) -> (Model, RangeId) {
        let mut table = ModelBuilder::new("margin");
        let s = table.real("s", 0.0);
        table.relation(s, "integral", [1.0]);
        let positive = |margin: Term| (margin, CompareOp::Greater, 0.0.into());
        let factor = |root: f64| Term::from(s) - root;
        let range = match &self.margin {
            Margin::Roots(sign, roots) => {
                let all = roots
                    .iter()
                    .flat_map(|&(root, m)| std::iter::repeat_n(root, m as usize));
                let product = all.fold(Term::Number(*sign), |product, root| product * factor(root));
                table.range("holds", [positive(product)])
            }
            Margin::Sine(frequency, phase, level) => {
                let sine = Term::Call("sin", vec![Term::from(s) * *frequency + *phase]);
                table.range("holds", [positive(sine - *level)])
            }
            Margin::Window(from, to) => {
                let from = (s.into(), CompareOp::GreaterEqual, (*from).into());
                table.range("holds", [from, (s.into(), CompareOp::Less, (*to).into())])
            }
            Margin::Integrated(roots) => {
                let start: f64 = roots.iter().map(|root| -root).product();
                let z = table.real("z", start);
                let slope = (0..roots.len()).map(|left_out| {
                    let others = roots.iter().enumerate().filter(|(i, _)| *i != left_out);
                    others.fold(Term::Number(1.0), |product, (_, &root)| {
                        product * factor(root)
                    })
                });
                let slope = slope.reduce(|sum, term| sum + term).unwrap();
                table.relation(z, "integral", [slope]);
                table.range("holds", [positive(z.into())])
            }
        };
        (table.build().unwrap(), range)
    }

    /// Times at which the range changed in a run.
    fn found(&self) -> Result<(Vec<f64>, bool), String> {
        let (model, range) = self.model();
        let fixed = self.step < self.stop;
        let config = EventConfig {
            stop: self.stop,
            grid_only: false,
            locate: situ_engine::Locate::default(),
            step_formula: None,
            order: Order::default(),
            budget: situ_engine::sim::Budget::default(),
            every: Some(self.stop),
            settings: Settings {
                method: self.method,
                rtol: 1e-9,
                h0: fixed.then_some(self.step),
                ..Settings::default()
            },
            atol: 1e-9,
            gates_from: usize::MAX,
        };
        let mut changes = Changes {
            model: &model,
            range,
            held: None,
            start: false,
            times: Vec::new(),
        };
        let mut run = EventRun::new(model.clone(), config).map_err(|fault| fault.to_string())?;
        run.run(&mut changes).map_err(|fault| fault.to_string())?;
        Ok((changes.times, changes.start))
    }

    /// Checks the run; the error says what is wrong with it.
    fn check(&self) -> Result<(), String> {
        let (known, start) = self.known();
        let (found, found_start) = self.found()?;
        if found.len() != known.len() || found_start != start {
            return Err(format!(
                "{start} {known:?}\n  but found {found_start} {found:?}"
            ));
        }
        let tolerance = self.tolerance();
        for (found, known) in found.iter().zip(&known) {
            if (found - known).abs() > tolerance {
                return Err(format!("{known} was found at {found}"));
            }
        }
        Ok(())
    }

    /// Crossings that a test of signs at the ends of equal steps does not see.
    fn lost_by_signs(&self) -> usize {
        let (known, _) = self.known();
        // An adaptive method takes no longer steps on a clock than these.
        let step = self.step.min(self.stop / 4.0);
        let mut lost = 0;
        let mut rest = &known[..];
        let mut end = step;
        while !rest.is_empty() {
            let within = rest.iter().take_while(|&&t| t <= end).count();
            lost += within - within % 2;
            rest = &rest[within..];
            end += step;
        }
        lost
    }
}

/// Factors with single roots, close pairs, and multiple roots.
fn roots(random: &mut Random, stop: f64, step: f64) -> Margin {
    let mut roots: Vec<(f64, u32)> = Vec::new();
    for _ in 0..1 + random.below(3) {
        let at = random.between(0.01, 0.98) * stop;
        match random.below(6) {
            0 | 1 => {
                let apart = step * random.size(APART, 0.1);
                roots.extend([(at, 1), (at + apart, 1)]);
            }
            2 => roots.push((at, 2)),
            3 => roots.push((at, 3)),
            _ => roots.push((at, 1)),
        }
    }
    roots.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    // Clusters that meet by chance are kept as far apart as pairs.
    roots.dedup_by(|b, a| b.0 - a.0 < step * APART);
    let multiple = roots.iter().any(|(_, multiplicity)| *multiplicity > 1);
    if multiple {
        roots.dedup_by(|b, a| b.0 - a.0 < 1e-3 * stop);
    }
    roots.retain(|(root, _)| *root < 0.999 * stop);
    let sign = if random.below(2) == 0 { 1.0 } else { -1.0 };
    Margin::Roots(sign, roots)
}

/// A sine against a level: well inside, barely reached, just missed, or touched.
fn sine(random: &mut Random, step: f64) -> Margin {
    let frequency = random.size(0.3, 6.0);
    let phase = random.between(-3.0, 3.0);
    let least = (step * APART * frequency).max(1e-6);
    let level = match random.below(5) {
        0 => random.between(-0.95, 0.95),
        1 | 2 => (0.5 * random.size(least, 0.5)).cos(),
        3 => 1.0 + random.size(1e-12, 1e-2),
        _ => 1.0,
    };
    let level = if random.below(2) == 0 { level } else { -level };
    Margin::Sine(frequency, phase, level)
}

/// Notes when a range changes.
struct Changes<'m> {
    model: &'m Model,
    range: RangeId,
    held: Option<bool>,
    start: bool,
    times: Vec<f64>,
}

impl Recorder for Changes<'_> {
    fn row(&mut self, row: &Row<'_>) -> ControlFlow<()> {
        let holds = row.boolean(self.model, Boolean::Range(self.range));
        match self.held {
            None => self.start = holds,
            Some(held) if held != holds => self.times.push(row.time),
            Some(_) => {}
        }
        self.held = Some(holds);
        ControlFlow::Continue(())
    }
}

/// Runs so many cases; (all crossings, those that a test of signs loses).
#[track_caller]
fn no_losses(cases: u64) -> (usize, usize) {
    let mut wrong = Vec::new();
    let (mut crossings, mut lost) = (0, 0);
    for seed in 0..cases {
        let case = Case::new(seed);
        crossings += case.known().0.len();
        lost += case.lost_by_signs();
        if let Err(what) = case.check() {
            wrong.push(format!("case {seed}: {case:?}\n  {what}"));
        }
    }
    let first: Vec<_> = wrong.iter().take(5).map(String::as_str).collect();
    assert!(
        wrong.is_empty(),
        "{} of {cases}:\n{}",
        wrong.len(),
        first.join("\n")
    );
    (crossings, lost)
}

#[test]
fn no_event_is_lost() {
    let counts = no_losses(SLICE);
    insta::assert_snapshot!(format!("crossings, lost by signs: {counts:?}"), @"crossings, lost by signs: (2225, 1470)");
}

#[test]
#[ignore = "the long run: cargo soak"]
fn soak_no_event_is_lost() {
    let (crossings, lost) = no_losses(WHOLE);
    println!("{WHOLE} cases: all {crossings} crossings were found; signs at step ends lose {lost}");
}
