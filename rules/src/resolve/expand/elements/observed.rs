//! Texts over a model that is built: counters, indices and reductions become elements.
//!
//! ```text
//! "mean(u[j] for j) > 3"  --names, counters, constants of the Model-->  "(u[1] + u[2]) / 2 > 3"
//! ```
//!
//! Counters and families are those of the table, families of parts are found from the names of their elements. What
//! reductions need besides are [`Parts`], which whoever binds the text adds to the model or computes.

use std::borrow::Cow;

use situ_engine::ids::Origin;
use situ_engine::model::Model;

use super::super::families::{Block, Extent, Family, Kind};
use super::super::{Expander, MAX_NODES, needed, report};
use super::{Env, Scope};
use crate::diag::{Diagnostic, has_errors};
use crate::source::{Origins, SourceId, Span};
use crate::tree::{
    Condition, Expr, ExprKind, Observed, Quantity, Relation, Rewrite, Row, Situation, open_name,
};

/// Rows that a text needs besides those of the model.
#[derive(Default, Debug)]
pub(in crate::resolve) struct Parts {
    /// Situations that stand for one of several conditions, by rows.
    pub(in crate::resolve) situations: Vec<Row<Situation>>,
    /// What counts while a condition holds, with the rows that give it.
    pub(in crate::resolve) reals: Vec<Quantity>,
    pub(in crate::resolve) relations: Vec<Row<Relation>>,
}

/// Writes a text out for a model.
///
/// Result: `None` if it has neither counters nor reductions.
///
/// # Errors
///
/// What is wrong with its counters and indices.
pub(in crate::resolve) fn with_elements<T: Observed>(
    text: &T,
    model: &Model,
    origins: &Origins,
) -> Result<Option<(T, Parts)>, Vec<Diagnostic>> {
    let mut needs = Needs(false);
    text.rewritten(&mut needs);
    if !needs.0 {
        return Ok(None);
    }
    let numbers = numbers(model);
    let mut expander = Expander::default();
    for (name, value) in &numbers {
        expander.values.plain(name, value);
    }
    expander.families_of(model, origins);
    let mut checked = Checked { expander };
    let written = text.rewritten(&mut checked);
    let Expander {
        diagnostics, parts, ..
    } = checked.expander;
    match has_errors(&diagnostics) {
        true => Err(diagnostics),
        false => {
            let parts = Parts {
                situations: parts.situations,
                reals: parts.reals,
                relations: parts.relations,
            };
            Ok(Some((written, parts)))
        }
    }
}

/// Looks whether a text has something to write out.
struct Needs(bool);

impl<'a> Rewrite<'a> for Needs {
    fn expression(&mut self, expr: &'a Expr) -> Expr {
        self.0 |= needed::expression(expr);
        expr.clone()
    }

    fn condition(&mut self, condition: &'a Condition) -> Condition {
        self.0 |= needed::condition(condition);
        condition.clone()
    }
}

/// Checks expressions and conditions before it writes them out.
struct Checked<'a> {
    expander: Expander<'a>,
}

impl Checked<'_> {
    /// True if nothing is wrong, and what comes of it is not too large.
    fn is_sound(&mut self, nodes: u64, span: Span) -> bool {
        let expander = &mut self.expander;
        expander.n_nodes = expander.n_nodes.saturating_add(nodes);
        if expander.n_nodes > MAX_NODES {
            let asked: Vec<_> = expander.values.asked().collect();
            let report = report::too_large(expander.n_nodes, MAX_NODES, Some(span), &asked);
            expander.report(report);
        }
        !has_errors(&expander.diagnostics)
    }
}

impl<'a> Rewrite<'a> for Checked<'a> {
    fn expression(&mut self, expr: &'a Expr) -> Expr {
        self.expander.check_expr(expr, &Scope::new());
        let nodes = self.expander.nodes(expr);
        match self.is_sound(nodes, expr.span) {
            true => self.expander.expression(expr, &Env::new()),
            false => expr.clone(),
        }
    }

    fn condition(&mut self, condition: &'a Condition) -> Condition {
        self.expander.check_condition(condition, &Scope::new());
        let nodes = self.expander.nodes_of_condition(condition);
        match self.is_sound(nodes, condition.span) {
            true => self.expander.condition(condition, &Env::new()),
            false => condition.clone(),
        }
    }
}

/// The constants of a model as numbers; none if they need each other in a circle.
fn numbers(model: &Model) -> Vec<(&str, Expr)> {
    let Ok(start) = model.start_values() else {
        return Vec::new();
    };
    let number = |value: f64| Expr {
        span: Span::new(SourceId(0), 0, 0),
        kind: ExprKind::Number(value),
    };
    let constants = model.constants.iter().zip(&start.constants);
    constants
        .map(|(constant, value)| (constant.name.as_str(), number(*value)))
        .collect()
}

impl<'a> Expander<'a> {
    /// Takes families, counters and events from a model.
    fn families_of(&mut self, model: &'a Model, origins: &Origins) {
        let counters = model.structure.counters.iter();
        let counters = counters.map(|one| {
            let (from, to) = (one.from, one.to);
            (one.name.as_str(), Extent { from, to })
        });
        self.counters = counters.collect();
        self.values.counters.clone_from(&self.counters);
        let nowhere = Span::new(SourceId(0), 0, 0);
        for declared in &model.structure.families {
            let block = |ends: &Vec<[i64; 2]>| {
                let extents = ends.iter().map(|&[from, to]| Extent { from, to });
                extents.collect()
            };
            let family = Family {
                kind: declared.kind,
                span: nowhere,
                blocks: declared.blocks.iter().map(block).collect(),
            };
            let name = Cow::Borrowed(declared.name.as_str());
            self.families.by_name.insert(name, family);
        }
        let known = |base: &str| model.structure.families.iter().any(|one| one.name == base);
        let mut add = |name: &str, kind: Kind, origin: Origin| {
            let Some((base, indices)) = open_name(name) else {
                return;
            };
            let block: Block = indices.iter().map(|at| Extent::one(*at)).collect();
            if known(&base) {
                // The declaration says which elements there are; the first of them has its place.
                if let (Some(family), Some(span)) =
                    (self.families.by_name.get_mut(&*base), origins.get(origin))
                    && family.span == nowhere
                {
                    family.span = span;
                }
                return;
            }
            match self.families.by_name.get_mut(&*base) {
                None => {
                    let family = Family {
                        kind,
                        span: origins.get(origin).unwrap_or(nowhere),
                        blocks: vec![block],
                    };
                    self.families.by_name.insert(Cow::Owned(base), family);
                }
                Some(family) if family.n_indices() == block.len() => {
                    for (whole, one) in family.blocks[0].iter_mut().zip(&block) {
                        whole.from = whole.from.min(one.from);
                        whole.to = whole.to.max(one.to);
                    }
                }
                Some(_) => {}
            }
        };
        for one in &model.constants {
            add(&one.name, Kind::Constant, one.origin);
        }
        for one in &model.reals {
            add(&one.name, Kind::Real, one.origin);
        }
        for one in &model.switches {
            add(&one.name, Kind::Switch, one.origin);
        }
        for one in model.ranges.iter().filter(|range| !range.anonymous) {
            add(&one.name, Kind::Range, one.origin);
        }
        for one in &model.situations {
            let kind = match one.event {
                true => Kind::Event,
                false => Kind::Situation,
            };
            add(&one.name, kind, one.origin);
        }
        let events = model.situations.iter().filter(|one| one.event);
        self.events = events.map(|one| Cow::Borrowed(one.name.as_str())).collect();
        // A count of another text is the same whoever counts; that of a table's row has its value from the first scan on.
        let observed = model.reals.iter().filter(|real| real.observed);
        self.parts.counts = observed.map(|real| real.name.clone()).collect();
        let reals = model.reals.iter().map(|real| real.name.clone());
        self.parts.known = reals.collect();
    }
}
