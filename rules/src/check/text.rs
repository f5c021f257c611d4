//! Words for messages: expressions, numbers, lists of names.

use situ_engine::ids::ExprId;
use situ_engine::model::{Boolean, Comparison, Model};

use situ_words::say;

use crate::print::ModelText;

/// A longer expression is cut.
const MAX_LENGTH: usize = 60;

/// An expression as it could be written in a table; a long one is cut. Messages quote it as a whole, so names in it
/// are not.
pub(super) fn expression(model: &Model, root: ExprId) -> String {
    let text = ModelText::of(model).expression(root);
    cut(text.replace('`', ""))
}

fn cut(text: String) -> String {
    if text.chars().count() <= MAX_LENGTH {
        return text;
    }
    let mut short: String = text.chars().take(MAX_LENGTH - 3).collect();
    short.push_str("...");
    short
}

/// `left op right`
pub(super) fn comparison(model: &Model, comparison: &Comparison) -> String {
    format!(
        "{} {} {}",
        expression(model, comparison.left),
        comparison.op.symbol(),
        expression(model, comparison.right)
    )
}

/// A boolean as a person would name it; events are said to be events.
pub(super) fn boolean(model: &Model, what: Boolean) -> String {
    let name = model.boolean_name(what);
    if model.is_event(what) && what != Boolean::Start {
        say!("check-event", name)
    } else {
        name
    }
}

/// So many names of a list are written out.
pub(super) const MAX_NAMES: usize = 6;

/// "`a`", "`a` and `b`", "`a`, `b` and `c`", "`a`, `b`, `c` and 4 more".
pub(super) fn names<S: AsRef<str>>(names: &[S]) -> String {
    some_names(names, names.len())
}

/// As [`names`], of `count` names of which the first are given.
pub(super) fn some_names<S: AsRef<str>>(names: &[S], count: usize) -> String {
    let quoted: Vec<String> = names
        .iter()
        .take(MAX_NAMES)
        .map(|name| format!("`{}`", name.as_ref()))
        .collect();
    let more = count.saturating_sub(quoted.len());
    match (&quoted[..], more) {
        ([], _) => String::new(),
        ([one], 0) => one.clone(),
        ([first @ .., last], 0) => say!("check-names-and", first = first.join(", "), last),
        (all, more) => say!("check-names-more", all = all.join(", "), more),
    }
}
