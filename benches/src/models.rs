//! Large models of the two other ways to write them: parts of one table, and schemes of reactions; and POLLU in
//! both of its ways, the scheme of Verwer (1994) and its equations.

use situ_rules::{Loaded, TableText};

use crate::tables::Random;

/// Air pollution as 25 reactions among 20 species.
pub const POLLU: &str = include_str!("../tables/stiff/pollu.ron");

/// The same as 25 rates and 20 integrals.
pub const POLLU_EQUATIONS: &str = include_str!("../tables/stiff/pollu_equations.ron");

/// The first two species at t = 60, as they are published (E. Hairer, G. Wanner, Solving Ordinary Differential
/// Equations II, 1996, and the test set of the University of Bari).
pub const POLLU_AT_60: [(&str, f64); 2] = [
    ("NO2", 0.564_625_548_002_277_e-1),
    ("NO", 0.134_248_413_042_234),
];

/// A tank that drains into whatever it is connected with.
const TANK: &str = r#"(format: 1, name: "tank", constants: {"area": 1, "k": 0.5}, inputs: {"inflow": (start: 0)},
    reals: {"level": 1, "outflow": 0}, relations: ["outflow = k * level", "level = integral((inflow - outflow) / area)"])"#;

/// A table of `n` parts of one table, each connected with the one before.
pub fn parts(n: usize) -> String {
    format!(
        r#"(format: 1, name: "row_of_tanks", clock: (step: 0.01, stop: 1), constants: {{"N": {n}}},
    counters: {{"i": "1 .. N"}}, parts: {{"tank[1 .. N]": (file: "tank.ron", set: {{"area": 2}})}},
    relations: ["tank[1].inflow = 0.5", "tank[i].inflow = tank[i - 1].outflow for i in 2 .. N"])"#
    )
}

/// Loads a table whose parts are those of [`parts`].
pub fn load(text: &str) -> Loaded {
    let mut tanks = |path: &str, _: &str| {
        Ok(TableText {
            name: path.to_owned(),
            text: TANK.to_owned(),
        })
    };
    situ_rules::load("models.ron", text, &mut tanks)
}

/// A scheme whose species are pairs of a group of each kind, `kinds[0]` times `kinds[1]`: reactions exchange the
/// groups, so that each group is conserved and no reaction is reversible.
pub fn exchanges(n_reactions: usize, kinds: [usize; 2]) -> String {
    let mut random = Random::new(1);
    let mut pair = || [random.below(kinds[0]), random.below(kinds[1])];
    let mut reactions = Vec::with_capacity(n_reactions);
    while reactions.len() < n_reactions {
        let ([a, b], [c, d]) = (pair(), pair());
        if a != c && b != d {
            reactions.push(format!(
                "A{a}_B{b} + A{c}_B{d} -> A{a}_B{d} + A{c}_B{b} : k"
            ));
        }
    }
    let species = (0..kinds[0]).flat_map(|a| (0..kinds[1]).map(move |b| format!("A{a}_B{b}")));
    scheme(species, &reactions)
}

/// A scheme of reactions between two species of `n_species` that give one or two others: nothing is conserved.
pub fn random_reactions(n_reactions: usize, n_species: usize) -> String {
    let mut random = Random::new(1);
    let mut one = || format!("S{}", random.below(n_species));
    let reactions: Vec<String> = (0..n_reactions)
        .map(|index| match index % 2 {
            0 => format!("{} + {} -> {} : k", one(), one(), one()),
            _ => format!("{} + {} -> {} + {} : k", one(), one(), one(), one()),
        })
        .collect();
    scheme((0..n_species).map(|index| format!("S{index}")), &reactions)
}

fn scheme(species: impl Iterator<Item = String>, reactions: &[String]) -> String {
    let reals: Vec<String> = species.map(|name| format!("\"{name}\": 1")).collect();
    format!(
        "(format: 1, name: \"scheme\", clock: (step: 0.001, stop: 1), constants: {{\"k\": 0.1}},\n    reals: {{{}}},\n    reactions: [\"{}\"])",
        reals.join(", "),
        reactions.join("\",\n    \""),
    )
}
