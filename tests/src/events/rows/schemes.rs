//! Schemes of reactions: published numbers, their equations to the last bit, and what they conserve.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use situ_engine::Method;
use situ_engine::model::IntegralRule;
use situ_engine::trace::TraceRecorder;

use crate::events::{Accuracy, DEFAULT_STIFF_ERROR, Exact, Judge, known, list, number};
use crate::tables::Table;

/// Rates may follow sources, as rows may: y decays for as long as the source says.
#[test]
fn rates_of_reactions_follow_sources() {
    for (law, exponent) in [
        ("at 0.25 * y * pulse(1, 0.3, 0.2)", 0.25 * 0.9),
        (": 0.25 * pulse(1, 0.3, 0.2)", 0.25 * 0.9),
        ("at 0.25 * y * step(1)", 0.25 * 2.0),
        (": 0.25 * step(1)", 0.25 * 2.0),
        ("at 0.25 * y * ramp(1)", 0.25 * 2.0),
        ("at 0.25 * y * (1 + sine_wave(1))", 0.25 * 3.0),
        ("at 0.25 * y * (1 + sin(2 * pi * time))", 0.25 * 3.0),
    ] {
        let text = format!(
            r#"(format: 1, name: "sources", species: {{"y": 1}}, reactions: ["[5] y -> {law}"])"#
        );
        let mut judge = Judge::new(Accuracy::Tight);
        let run = Exact::new(Table::from_text(&text), 3.0, Accuracy::Tight).run();
        judge.near(law, run.last("y"), f64::exp(-exponent), 1e-10);
        judge.finish(1);
    }
}

/// The species of a scheme, in the order of a file of numbers.
struct Scheme {
    file: &'static str,
    species: &'static str,
    table: String,
    /// Largest part of a value, and of all values, that an answer may be off.
    allowed: (f64, f64),
}

fn schemes() -> Vec<Scheme> {
    vec![
        Scheme {
            file: "enzyme",
            species: "E S ES P",
            table: r#"(format: 1, constants: {"k1": 1e6, "k2": 100, "k3": 10},
                species: {"E": 0.001, "S": 0.01, "ES": 0, "P": 0},
                reactions: ["E + S <-> ES : k1, k2", "ES -> E + P : k3"])"#
                .to_owned(),
            allowed: (1e-9, 1e-16),
        },
        Scheme {
            file: "brusselator_closed",
            species: "A B X Y D Z",
            table: r#"(format: 1, constants: {"k1": 0.01, "k2": 1, "k3": 0.01, "k4": 1},
                species: {"A": 100, "B": 300, "X": 1, "Y": 1, "D": 0, "Z": 0},
                reactions: ["A -> X : k1", "2 X + Y -> 3X : k2", "B + X -> Y + D : k3", "X -> Z : k4"])"#
                .to_owned(),
            allowed: (1e-9, 1e-12),
        },
        Scheme {
            file: "ethane_pyrolysis",
            species: "C2H6 CH3 CH4 C2H5 C2H4 H H2 C4H10",
            table: std::fs::read_to_string(crate::tables::root().join("scenarios/ethane/table.ron"))
                .unwrap(),
            allowed: (1e-8, 1e-13),
        },
    ]
}

#[test]
fn schemes_have_their_published_numbers() {
    for scheme in schemes() {
        let known = known(scheme.file);
        let mut judge = Judge::new(Accuracy::Tight);
        let names: Vec<&str> = scheme.species.split(' ').collect();
        let mut n_compared = 0;
        for (time, state) in list(&known["times"]).iter().zip(list(&known["y"])) {
            for method in [Method::Radau, Method::Rodas5p, Method::Bdf] {
                let mut exact = Exact::new(
                    Table::from_text(&scheme.table),
                    number(time),
                    Accuracy::Tight,
                );
                exact.config.settings.method = method;
                exact.config.settings.rtol = 1e-12;
                exact.config.atol = 1e-18;
                let run = exact.run();
                for (name, value) in names.iter().zip(list(state)) {
                    let value = number(value);
                    let what = format!("{} {name} at {time} by {}", scheme.file, method.name());
                    let (part, least) = scheme.allowed;
                    // The order of this method makes an error of its own.
                    let part = if method == Method::Bdf { 1e-6 } else { part };
                    let least = if method == Method::Bdf { 1e-12 } else { least };
                    judge.near(&what, run.last(name), value, part * value.abs() + least);
                    n_compared += 1;
                }
            }
            let run = Exact::new(
                Table::from_text(&scheme.table),
                number(time),
                Accuracy::Default,
            )
            .run();
            for (name, value) in names.iter().zip(list(state)) {
                let value = number(value);
                let what = format!("{} {name} at {time} by default", scheme.file);
                let (part, least) = DEFAULT_STIFF_ERROR;
                judge.near(&what, run.last(name), value, part * value.abs() + least);
                n_compared += 1;
            }
        }
        judge.finish(n_compared);
    }
}

#[test]
fn the_reactor_is_what_its_rows_were() {
    for case in ["empty_start", "filled_start", "R_8_314"] {
        let [new, old] = [
            "scenarios/reactor/table.ron",
            "tests/data/tables/reactor_rows.ron",
        ]
        .map(|path| {
            let path = crate::tables::root().join(path);
            let table = Table::of(crate::tables::read(&path)).case(case);
            table
                .ticks(1e-3, 10_000, 100, IntegralRule::Rectangle)
                .trace()
        });
        for name in ["A", "B", "C", "T", "k1", "k2"] {
            let bits = |values: &[f64]| {
                values
                    .iter()
                    .map(|value| value.to_bits())
                    .collect::<Vec<_>>()
            };
            assert_eq!(
                bits(new.column(name).unwrap()),
                bits(old.column(name).unwrap()),
                "{case} {name}"
            );
        }
    }
}

/// Numbers that repeat.
struct Dice(u64);

impl Dice {
    fn below(&mut self, below: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }

    fn value(&mut self) -> f64 {
        (1 + self.below(40)) as f64 / 20.0
    }
}

/// A random scheme, and the same written as equations.
fn random(seed: u64) -> (String, String) {
    let mut dice = Dice(seed);
    for _ in 0..8 {
        dice.below(2);
    }
    let n_species = 2 + dice.below(6) as usize;
    let mut reals = String::new();
    for index in 0..n_species {
        write!(reals, r#""X{index}": {}, "#, dice.value()).unwrap();
    }
    let mut stages = String::new();
    let mut rates: Vec<(String, String, bool)> = Vec::new();
    let mut changes: Vec<(usize, Vec<(f64, String)>)> = Vec::new();
    let mut change = |species: usize, by: f64, flux: &str| {
        let entry = match changes.iter().position(|(known, _)| *known == species) {
            Some(index) => &mut changes[index],
            None => {
                changes.push((species, Vec::new()));
                changes.last_mut().unwrap()
            }
        };
        entry.1.push((by, flux.to_owned()));
    };
    for stage in 1..=1 + dice.below(6) {
        let mut side = |most: u64| -> Vec<(u64, usize)> {
            (0..dice.below(most + 1))
                .map(|_| (1 + dice.below(2), dice.below(n_species as u64) as usize))
                .collect()
        };
        let (left, mut right) = (side(2), side(2));
        if left.is_empty() && right.is_empty() {
            right.push((1, 0));
        }
        let both = dice.below(3) == 0;
        let by_law = dice.below(4) == 0;
        let conditional = dice.below(4) == 0;
        let text = |side: &[(u64, usize)]| {
            let terms = side.iter().map(|(count, species)| match count {
                1 => format!("X{species}"),
                count => format!("{count} X{species}"),
            });
            terms.collect::<Vec<_>>().join(" + ")
        };
        let constants = [dice.value() / 4.0, dice.value() / 4.0];
        let product = |constant: f64, side: &[(u64, usize)]| {
            side.iter()
                .fold(constant.to_string(), |text, (count, species)| match count {
                    1 => format!("{text} * X{species}"),
                    count => format!("{text} * X{species}^{count}"),
                })
        };
        let ways = if both { 2 } else { 1 };
        let sides = [&left, &right];
        let mut values = Vec::new();
        for way in 0..ways {
            let rate = match by_law {
                true => format!("{} * X0 / (1 + X1)", constants[way]),
                false => product(constants[way], sides[way]),
            };
            let flux = format!("flux({stage}{})", if way == 1 { "r" } else { "" });
            values.push(if by_law {
                rate.clone()
            } else {
                constants[way].to_string()
            });
            rates.push((flux.clone(), rate, conditional));
            let mut nets: Vec<(usize, f64)> = Vec::new();
            for (side, sign) in [(sides[way], -1.0), (sides[1 - way], 1.0)] {
                for (count, species) in side {
                    match nets.iter_mut().find(|(known, _)| known == species) {
                        Some((_, net)) => *net += sign * *count as f64,
                        None => nets.push((*species, sign * *count as f64)),
                    }
                }
            }
            for (species, net) in nets.into_iter().filter(|(_, net)| *net != 0.0) {
                change(species, net, &flux);
            }
        }
        let arrow = if both { "<->" } else { "->" };
        let mark = if by_law { "at" } else { ":" };
        let when = if conditional { " when high" } else { "" };
        write!(
            stages,
            r#""[{stage}] {} {arrow} {} {mark} {}{when}", "#,
            text(&left),
            text(&right),
            values.join(", ")
        )
        .unwrap();
    }
    let mut flux_reals = String::new();
    let mut rows = String::new();
    for (flux, rate, conditional) in &rates {
        // What begins inactive by its condition is found by its rows.
        let (start, found) = match conditional {
            true => ("0", ", auxiliary: true"),
            false => (&**rate, ""),
        };
        write!(
            flux_reals,
            r#""{flux}": (start: "{start}", output: false{found}), "#
        )
        .unwrap();
        match conditional {
            true => write!(
                rows,
                r#""{flux} = {rate} when high", "{flux} = 0 otherwise", "#
            )
            .unwrap(),
            false => write!(rows, r#""{flux} = {rate}", "#).unwrap(),
        }
    }
    for (species, terms) in &changes {
        let mut sum = String::new();
        for (by, flux) in terms {
            let term = match by.abs() {
                1.0 => flux.clone(),
                by => format!("{by} * {flux}"),
            };
            sum.push_str(match (sum.is_empty(), *by < 0.0) {
                (true, true) => "-",
                (true, false) => "",
                (false, true) => " - ",
                (false, false) => " + ",
            });
            sum.push_str(&term);
        }
        write!(rows, r#""X{species} = integral({sum})", "#).unwrap();
    }
    let common =
        r#"format: 1, ranges: ["high: X0 > 0.9"], relations: ["X1 = integral(0.01 * X0)", "#;
    (
        format!("({common}], reals: {{{reals}}}, reactions: [{stages}])"),
        format!("({common}{rows}], reals: {{{reals}{flux_reals}}})"),
    )
}

/// Both forms of random schemes run alike, in ticks and in exact time.
fn same_bits(seeds: std::ops::Range<u64>) -> usize {
    let mut ran = 0;
    for seed in seeds {
        let (scheme, equations) = random(seed);
        let ticks = [&scheme, &equations].map(|text| {
            let run = Table::from_text(text).ticks(0.01, 100, 10, IntegralRule::Rectangle);
            let mut recorder = TraceRecorder::new(&run.table.model);
            // Some grow beyond all numbers: up to there, and at one place.
            let end = run.simulation().run(&mut recorder);
            (format!("{end:?}"), format!("{:?}", recorder.trace.reals))
        });
        assert_eq!(ticks[0].1, ticks[1].1, "{scheme}\n{equations}");
        assert_eq!(
            ticks[0].0.contains("NotFinite"),
            ticks[1].0.contains("NotFinite"),
            "{scheme}\n{equations}"
        );
        for method in [Method::Tsit5, Method::Rodas5p] {
            let runs = [&scheme, &equations].map(|text| {
                let mut exact = Exact::new(Table::from_text(text), 0.5, Accuracy::Default);
                exact.config.settings.method = method;
                situ_engine::sim::Run::new(
                    exact.table.model.clone(),
                    situ_engine::sim::RunConfig::Events(exact.config.clone()),
                    &[],
                )
                .map(|mut run| {
                    let end = run.run(&mut ()).map(|_| ());
                    let present = run.present().reals.to_vec();
                    (format!("{:?}", end.is_ok()), format!("{present:?}"))
                })
                .unwrap()
            });
            assert_eq!(runs[0], runs[1], "{scheme}\n{equations}");
        }
        ran += 1;
    }
    ran
}

#[test]
fn schemes_are_their_equations() {
    assert_eq!(same_bits(0..150), 150);
}

#[test]
#[ignore = "long; done by cargo soak"]
fn soak() {
    super::soak_seeds(
        |seed| random(seed).0,
        |seed| assert_eq!(same_bits(seed..seed + 1), 1),
    );
}

#[test]
fn laws_that_were_found_hold() {
    let mut n_laws = 0;
    for seed in 0..400 {
        let (scheme, _) = random(seed);
        let scheme = scheme.replace(r#""X1 = integral(0.01 * X0)", "#, "");
        let table = Table::from_text(&scheme);
        let laws = table.model.invariants.clone();
        let exact = Exact::new(table.clone(), 1.0, Accuracy::Tight);
        let config = situ_engine::sim::RunConfig::Events(exact.config.clone());
        let measures = laws.iter().flat_map(|law| {
            [
                situ_engine::trace::Measure::Drift(law.value),
                situ_engine::trace::Measure::Max(law.value),
                situ_engine::trace::Measure::Min(law.value),
            ]
        });
        let measures: Vec<_> = measures.collect();
        let mut run = situ_engine::sim::Run::new(table.model, config, &measures).unwrap();
        // What grows beyond all measure in finite time ends earlier.
        let _ = run.run(&mut ());
        let reals: BTreeMap<usize, f64> = run.present().reals.iter().copied().enumerate().collect();
        let size = reals
            .values()
            .fold(1.0_f64, |size, value| size.max(value.abs()));
        let measured = run.measured();
        for drift in measured.iter().step_by(3).flatten() {
            assert!(drift.abs() <= 1e-12 * size, "{scheme}: {drift:e}");
            n_laws += 1;
        }
    }
    assert!(n_laws > 100, "{n_laws}");
}
