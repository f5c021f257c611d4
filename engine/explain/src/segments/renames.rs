//! Names that quantities and booleans of an earlier model have in a later one.

use std::collections::HashMap;
use std::sync::Arc;

use situ_engine::model::Model;

/// The names of a model, in one order.
fn names(model: &Model) -> impl Iterator<Item = &String> {
    let quantities = model.constants.iter().chain(&model.reals);
    (quantities.map(|one| &one.name))
        .chain(model.switches.iter().map(|one| &one.name))
        .chain(model.ranges.iter().map(|one| &one.name))
        .chain(model.situations.iter().map(|one| &one.name))
        .chain(model.lookups.iter().map(|one| &one.name))
}

fn names_mut(model: &mut Model) -> impl Iterator<Item = &mut String> {
    let quantities = model.constants.iter_mut().chain(&mut model.reals);
    (quantities.map(|one| &mut one.name))
        .chain(model.switches.iter_mut().map(|one| &mut one.name))
        .chain(model.ranges.iter_mut().map(|one| &mut one.name))
        .chain(model.situations.iter_mut().map(|one| &mut one.name))
        .chain(model.lookups.iter_mut().map(|one| &mut one.name))
}

/// A model in which everything has the name that a later model has for it; `None` if all names are the same.
///
/// Shapes: `before`, `after`: models that differ in names only.
pub(super) fn renamed(model: &Model, before: &Model, after: &Model) -> Option<Arc<Model>> {
    let pairs = names(before).zip(names(after));
    let new: HashMap<&String, &String> = pairs.filter(|(old, new)| old != new).collect();
    let of = |name: &String| new.get(name).copied();
    if !names(model).any(|name| of(name).is_some()) {
        return None;
    }
    let mut model = model.clone();
    for name in names_mut(&mut model) {
        if let Some(new) = of(name) {
            name.clone_from(new);
        }
    }
    Some(Arc::new(model))
}
