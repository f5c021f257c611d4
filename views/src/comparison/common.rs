//! What the models of two runs have in common, by name: a family may have another size in the second one.

use std::collections::{BTreeMap, HashMap};

use situ_engine::ids::{RangeId, SituationId, SwitchId};
use situ_engine::model::{Boolean, Model, Quantity};

/// What stands in the second model under the names of the first one.
#[derive(Debug)]
pub(super) struct Common {
    /// Per real of the first model the real of that name.
    pub(super) reals: Vec<Option<usize>>,
    booleans: [BTreeMap<Boolean, Boolean>; 2],
    /// Names of quantities and booleans that only the one or the other has.
    pub(super) only: [Vec<String>; 2],
}

impl Common {
    pub(super) fn of(models: [&Model; 2]) -> Self {
        let reals: [HashMap<&str, usize>; 2] = models.map(|model| {
            let names = model.reals.iter().map(|real| &*real.name);
            names.zip(0..).collect()
        });
        let booleans: [HashMap<(String, usize), Boolean>; 2] =
            models.map(|model| named(model).into_iter().collect());
        let pairs =
            (booleans[0].iter()).filter_map(|(name, what)| Some((*what, *booleans[1].get(name)?)));
        let pairs: Vec<(Boolean, Boolean)> = pairs.collect();
        let only = [0, 1].map(|run| {
            let (model, others) = (models[run], &reals[1 - run]);
            let shown = model.reals.iter().filter(|real| real.output);
            let shown = shown.filter(|real| !others.contains_key(&*real.name));
            let others = &booleans[1 - run];
            let alone = named(model).into_iter();
            let alone = alone
                .filter(|(name, what)| !others.contains_key(name) && !is_anonymous(model, *what));
            let alone = alone.map(|((name, _), _)| name);
            shown.map(|real| real.name.clone()).chain(alone).collect()
        });
        let of_second = |real: &Quantity| reals[1].get(&*real.name).copied();
        Self {
            reals: models[0].reals.iter().map(of_second).collect(),
            booleans: [
                pairs.iter().copied().collect(),
                pairs
                    .iter()
                    .map(|(first, second)| (*second, *first))
                    .collect(),
            ],
            only,
        }
    }

    /// A boolean of one run, 0 or 1, in the other one.
    pub(super) fn other(&self, run: usize, what: Boolean) -> Option<Boolean> {
        self.booleans[run].get(&what).copied()
    }
}

/// Booleans with their names; of those of one name, as conditions that rows state, each is told by its place among them.
fn named(model: &Model) -> Vec<((String, usize), Boolean)> {
    let switches = (0..model.switches.len()).map(|index| Boolean::Switch(SwitchId::new(index)));
    let situations =
        (0..model.situations.len()).map(|index| Boolean::Situation(SituationId::new(index)));
    let ranges = (0..model.ranges.len()).map(|index| Boolean::Range(RangeId::new(index)));
    let mut met: HashMap<String, usize> = HashMap::new();
    let all = switches.chain(situations).chain(ranges).map(|what| {
        let name = model.boolean_name(what);
        let before = met.entry(name.clone()).or_default();
        *before += 1;
        ((name, *before), what)
    });
    all.collect()
}

fn is_anonymous(model: &Model, what: Boolean) -> bool {
    matches!(what, Boolean::Range(range) if model.ranges[range.index()].anonymous)
}
