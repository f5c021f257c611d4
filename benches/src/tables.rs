//! Tables of any size: many bodies on springs, each pushed by others that are chosen at random.
//!
//! The same table comes as a model built from Rust and as text in both spellings of a row. Motions
//! stay bounded, so that runs of any length are finite.

use std::fmt::Write as _;

use situ_engine::ids::{ConstantId, RangeId, RealId, SituationId};
use situ_engine::model::{Clock, CompareOp, Literal, Model, ModelBuilder, Term};

/// Length of a tick of these tables.
pub const STEP: f64 = 0.01;

/// Spelling of rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spelling {
    /// One line of text each.
    Lines,
    /// All columns.
    Columns,
}

/// A table of many bodies.
#[derive(Clone, Debug)]
pub struct Bodies {
    bodies: Vec<Body>,
}

/// One body: 2 ranges, 2 situations, 6 relations; every eighth has a switch and sets it.
#[derive(Clone, Copy, Debug)]
struct Body {
    push: Push,
    /// The bodies that push.
    by: [usize; 2],
    stiffness: f64,
    damping: f64,
    start: f64,
    has_switch: bool,
}

/// Push of the others.
#[derive(Clone, Copy, Debug)]
enum Push {
    Sine,
    Least,
    Clamped,
    Difference,
}

impl Bodies {
    /// A table of about so many rules; equal arguments give equal tables.
    pub fn new(n_rules: usize, seed: u64) -> Self {
        let n = (n_rules / 10).max(2);
        let mut random = Random::new(seed);
        let bodies = (0..n)
            .map(|index| Body {
                push: [Push::Sine, Push::Least, Push::Clamped, Push::Difference][random.below(4)],
                by: [random.below(n), random.below(n)],
                stiffness: random.between(0.1, 0.4),
                damping: random.between(0.2, 0.6),
                start: random.between(-1.0, 1.0),
                has_switch: index % 8 == 7,
            })
            .collect();
        Self { bodies }
    }

    /// Number of rows of all lists.
    pub fn n_rules(&self) -> usize {
        self.bodies.len() * 10 + self.bodies.iter().filter(|body| body.has_switch).count()
    }

    /// The table built from Rust.
    pub fn model(&self) -> Model {
        let mut table = ModelBuilder::new("bodies");
        table.clock(Clock {
            step: Some(STEP),
            stop: Some(1000.0 * STEP),
            ..Clock::default()
        });
        let parts: Vec<Parts> = (0..)
            .zip(&self.bodies)
            .map(|(index, body)| Parts::new(&mut table, index, body))
            .collect();
        let named = |name: &str, index: usize| format!("{name}_{index}");
        let ranges: Vec<[RangeId; 2]> = parts
            .iter()
            .enumerate()
            .map(|(index, part)| {
                let near = (part.x.into(), CompareOp::Less, 0.25.into());
                let rising = (part.v.into(), CompareOp::Greater, 0.01.into());
                [
                    table.range(&named("near", index), [near]),
                    table.range(&named("rising", index), [rising]),
                ]
            })
            .collect();
        let pressed: Vec<[SituationId; 2]> = ranges
            .iter()
            .enumerate()
            .map(|(index, &[near, rising])| {
                let leaving = named("leaving", index);
                let both: [Literal; 2] = [near.into(), rising.into()];
                [
                    table.situation(&named("pressed", index), [near.into(), !rising]),
                    if self.bodies[index].has_switch {
                        table.event(&leaving, both)
                    } else {
                        table.situation(&leaving, both)
                    },
                ]
            })
            .collect();
        for (index, &[_, leaving]) in pressed.iter().enumerate() {
            if self.bodies[index].has_switch {
                let switch = table.switch(&named("q", index), false);
                table.assign([leaving.into()], [(switch, true)]);
            }
        }
        for ((body, part), &[pressed, _]) in self.bodies.iter().zip(&parts).zip(&pressed) {
            let [one, other] = body.by.map(|index| parts[index].x);
            let [x, v, a, f, s] = [part.x, part.v, part.a, part.f, part.s];
            match body.push {
                Push::Sine => table.relation(f, "sin", [one]).coef(0.5),
                Push::Least => table.relation(f, "min", [one, other]).coef(0.5),
                Push::Clamped => {
                    let args = [Term::from(one), Term::Number(-1.0), Term::Number(1.0)];
                    table.relation(f, "clamp", args).coef(0.5)
                }
                Push::Difference => table.relation(f, "sum", [one, other]).coef(0.3).coef2(-0.3),
            };
            table
                .relation(f, "proportional", [x])
                .coef_of(part.stiffness)
                .when([pressed.into()]);
            table
                .relation(s, "product", [Term::from(part.damping), v.into()])
                .coef(-1.0);
            table.relation(a, "assignment", [Term::from(f) + s - x]);
            table.relation(v, "integral", [a]);
            table.relation(x, "integral", [v]);
        }
        table.build().expect("bodies are a valid model")
    }

    /// The table as text.
    pub fn text(&self, spelling: Spelling) -> String {
        let mut lists: [String; 7] = Default::default();
        let [
            constants,
            reals,
            switches,
            ranges,
            situations,
            assignments,
            relations,
        ] = &mut lists;
        for (i, body) in self.bodies.iter().enumerate() {
            let Body {
                stiffness,
                damping,
                start,
                ..
            } = body;
            let [j, k] = body.by;
            add(
                constants,
                &format!("\"k_{i}\": {stiffness}, \"c_{i}\": {damping}"),
            );
            add(reals, &format!("\"x_{i}\": {start}"));
            for name in ["v", "a", "f", "s"] {
                add(reals, &format!("\"{name}_{i}\": 0"));
            }
            let event = body.has_switch;
            let (push, procedure, args, coefs) = match body.push {
                Push::Sine => (
                    format!("0.5 * sin(x_{j})"),
                    "sin",
                    format!("\"x_{j}\""),
                    "coef: 0.5",
                ),
                Push::Least => (
                    format!("0.5 * min(x_{j}, x_{k})"),
                    "min",
                    format!("\"x_{j}\", \"x_{k}\""),
                    "coef: 0.5",
                ),
                Push::Clamped => (
                    format!("0.5 * clamp(x_{j}, -1, 1)"),
                    "clamp",
                    format!("\"x_{j}\", -1, 1"),
                    "coef: 0.5",
                ),
                Push::Difference => (
                    format!("0.3 * x_{j} - 0.3 * x_{k}"),
                    "sum",
                    format!("\"x_{j}\", \"x_{k}\""),
                    "coef: 0.3, coef2: -0.3",
                ),
            };
            match spelling {
                Spelling::Lines => {
                    add(ranges, &format!("\"near_{i}: x_{i} < 0.25\""));
                    add(ranges, &format!("\"rising_{i}: v_{i} > 0.01\""));
                    add(
                        situations,
                        &format!("\"pressed_{i}: near_{i} & !rising_{i}\""),
                    );
                    let event = if event { "event " } else { "" };
                    add(
                        situations,
                        &format!("\"{event}leaving_{i}: near_{i} & rising_{i}\""),
                    );
                    for line in [
                        format!("f_{i} = {push}"),
                        format!("f_{i} = k_{i} * x_{i} when pressed_{i}"),
                        format!("s_{i} = -c_{i} * v_{i}"),
                        format!("a_{i} = (f_{i} + s_{i} - x_{i})"),
                        format!("v_{i} = integral(a_{i})"),
                        format!("x_{i} = integral(v_{i})"),
                    ] {
                        add(relations, &format!("\"{line}\""));
                    }
                }
                Spelling::Columns => {
                    add(
                        ranges,
                        &format!("(name: \"near_{i}\", all: [(\"x_{i}\", \"<\", 0.25)])"),
                    );
                    add(
                        ranges,
                        &format!("(name: \"rising_{i}\", all: [(\"v_{i}\", \">\", 0.01)])"),
                    );
                    add(
                        situations,
                        &format!("(name: \"pressed_{i}\", all: [\"near_{i}\", \"!rising_{i}\"])"),
                    );
                    let event = if event { ", event: true" } else { "" };
                    add(
                        situations,
                        &format!(
                            "(name: \"leaving_{i}\", all: [\"near_{i}\", \"rising_{i}\"]{event})"
                        ),
                    );
                    for (target, procedure, rest) in [
                        ("f", procedure, format!("{coefs}, args: [{args}]")),
                        (
                            "f",
                            "proportional",
                            format!("coef: \"k_{i}\", args: [\"x_{i}\"], when: [\"pressed_{i}\"]"),
                        ),
                        (
                            "s",
                            "product",
                            format!("coef: -1, args: [\"c_{i}\", \"v_{i}\"]"),
                        ),
                        (
                            "a",
                            "assignment",
                            format!("args: [\"f_{i} + s_{i} - x_{i}\"]"),
                        ),
                        ("v", "integral", format!("args: [\"a_{i}\"]")),
                        ("x", "integral", format!("args: [\"v_{i}\"]")),
                    ] {
                        add(
                            relations,
                            &format!(
                                "(real: \"{target}_{i}\", procedure: \"{procedure}\", {rest})"
                            ),
                        );
                    }
                }
            }
            if body.has_switch {
                add(switches, &format!("\"q_{i}\": false"));
                add(
                    assignments,
                    &match spelling {
                        Spelling::Lines => format!("\"when leaving_{i}: q_{i}\""),
                        Spelling::Columns => format!("(when: [\"leaving_{i}\"], set: [\"q_{i}\"])"),
                    },
                );
            }
        }
        let [
            constants,
            reals,
            switches,
            ranges,
            situations,
            assignments,
            relations,
        ] = lists;
        format!(
            "(\n    format: 1,\n    name: \"bodies\",\n    clock: (step: {STEP}, stop: {}),\n    \
             constants: {{\n{constants}    }},\n    reals: {{\n{reals}    }},\n    \
             switches: {{\n{switches}    }},\n    ranges: [\n{ranges}    ],\n    \
             situations: [\n{situations}    ],\n    assignments: [\n{assignments}    ],\n    \
             relations: [\n{relations}    ],\n)\n",
            1000.0 * STEP
        )
    }
}

/// Parts of a body.
struct Parts {
    stiffness: ConstantId,
    damping: ConstantId,
    x: RealId,
    v: RealId,
    a: RealId,
    f: RealId,
    s: RealId,
}

impl Parts {
    fn new(table: &mut ModelBuilder, index: usize, body: &Body) -> Self {
        let stiffness = table.constant(&format!("k_{index}"), body.stiffness);
        let damping = table.constant(&format!("c_{index}"), body.damping);
        let mut real = |name, start: f64| table.real(&format!("{name}_{index}"), start);
        Self {
            stiffness,
            damping,
            x: real("x", body.start),
            v: real("v", 0.0),
            a: real("a", 0.0),
            f: real("f", 0.0),
            s: real("s", 0.0),
        }
    }
}

fn add(list: &mut String, row: &str) {
    let _ = writeln!(list, "        {row},");
}

/// SplitMix64 (Steele, Lea and Flood, 2014).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    #[expect(clippy::cast_possible_truncation, reason = "less than the limit")]
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    #[expect(clippy::cast_precision_loss, reason = "53 bits")]
    fn between(&mut self, low: f64, high: f64) -> f64 {
        let share = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        // Three digits, as in a table written by hand.
        ((low + share * (high - low)) * 1000.0).round() / 1000.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use situ_engine::sim::{TickConfig, TickRun};

    #[test]
    fn all_forms_are_one_table() {
        let bodies = Bodies::new(300, 7);
        let built = bodies.model();
        let n_rows = built.ranges.len()
            + built.situation_rows.len()
            + built.assignments.len()
            + built.relations.len();
        assert_eq!(n_rows, bodies.n_rules());
        let run = |model: Model| {
            let config = TickConfig::from_clock(&model.clock).unwrap();
            let mut run = TickRun::new(model, config).unwrap();
            run.advance(1000).unwrap();
            run
        };
        let expected = run(built.clone());
        let moved = |run: &TickRun| -> Vec<f64> {
            (0..built.reals.len())
                .map(|index| run.real(RealId::new(index)))
                .collect()
        };
        assert!(moved(&expected).iter().all(|value| value.abs() < 10.0));
        for spelling in [Spelling::Lines, Spelling::Columns] {
            let text = bodies.text(spelling);
            let loaded = situ_rules::load("bodies.ron", &text, &mut situ_rules::standalone);
            assert!(
                loaded.diagnostics.is_empty(),
                "{:?}",
                &loaded.diagnostics[..1]
            );
            let model = loaded.model.unwrap();
            assert_eq!(moved(&run(model)), moved(&expected), "{spelling:?}");
        }
    }
}
