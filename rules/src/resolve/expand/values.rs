//! Values of constants that decide the shape of a table: ends of ranges and indices.

use std::collections::{HashMap, HashSet};

use crate::tree::element_name;
use situ_engine::model::whole;
use situ_engine::procedure::{self, ProcedureId};

use super::families::{Env, Extent, Scope, single_name};
use super::report;
use crate::diag::Diagnostic;
use crate::tree::{BinaryOp, Expr, ExprKind, IndexItem, Name};

/// Constants that may need each other so deeply.
const MAX_DEPTH: usize = 200;

/// The constants of a table, as far as they have been asked for.
#[derive(Default)]
pub(super) struct Values<'a> {
    /// Constants without counters by name, and those of single elements.
    plain: HashMap<&'a str, &'a Expr>,
    /// Families: indices and value of each of their entries.
    families: HashMap<&'a str, Vec<(&'a [IndexItem], &'a Expr)>>,
    /// Counters with their ranges, as soon as these are known.
    pub(super) counters: Scope<'a>,
    known: HashMap<String, f64>,
    /// Constants without counters that were asked for, in that order.
    asked: indexmap::IndexMap<&'a str, f64>,
    /// Counters whose range is not known; reported.
    broken: HashSet<&'a str>,
    depth: usize,
}

/// Why there is no value; nothing if that has been reported. Boxed, since it is seldom.
pub(super) type Refusal = Option<Box<Diagnostic>>;

impl<'a> Values<'a> {
    pub(super) fn plain(&mut self, name: &'a str, start: &'a Expr) {
        self.plain.insert(name, start);
    }

    pub(super) fn family(&mut self, name: &'a str, indices: &'a [IndexItem], start: &'a Expr) {
        self.families
            .entry(name)
            .or_default()
            .push((indices, start));
    }

    /// True if a constant without counters has this name.
    pub(super) fn is_constant(&self, name: &str) -> bool {
        self.plain.contains_key(name)
    }

    /// A counter whose range is not known has been reported.
    pub(super) fn break_counter(&mut self, name: &'a str) {
        self.broken.insert(name);
    }

    /// True if the range of a counter is not known.
    pub(super) fn is_broken(&self, name: &str) -> bool {
        self.broken.contains(name)
    }

    /// The constants that decided the shape, with their values.
    pub(super) fn asked(&self) -> impl Iterator<Item = (&'a str, f64)> {
        self.asked.iter().map(|(name, value)| (*name, *value))
    }

    /// The elements of families of constants that did: networks.
    pub(super) fn asked_elements(&self) -> Vec<(String, f64)> {
        let known = self.known.iter();
        let elements = known.filter(|(name, _)| !self.asked.contains_key(name.as_str()));
        let mut elements: Vec<_> = elements
            .map(|(name, value)| (name.clone(), *value))
            .collect();
        elements.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        elements
    }

    /// The value of an expression over numbers, constants and the counters given.
    pub(super) fn value(&mut self, expr: &'a Expr, env: &Env<'a>) -> Result<f64, Refusal> {
        let refused = || Some(Box::new(report::not_constant(expr.span)));
        Ok(match &expr.kind {
            ExprKind::Number(value) => *value,
            ExprKind::Pi => std::f64::consts::PI,
            ExprKind::Name(name) => match env.iter().rev().find(|(counter, _)| counter == name) {
                Some((_, value)) => *value as f64,
                None => self.named(name, expr)?,
            },
            ExprKind::Element(name) => {
                let indices = self.indices(name, env)?;
                self.element(name.base(), &indices, expr)?
            }
            ExprKind::Paren(inner) => self.value(inner, env)?,
            ExprKind::Neg(inner) => -self.value(inner, env)?,
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.value(left, env)?, self.value(right, env)?);
                match op {
                    BinaryOp::Add => left + right,
                    BinaryOp::Sub => left - right,
                    BinaryOp::Mul => left * right,
                    BinaryOp::Div => left / right,
                    BinaryOp::Pow => {
                        let power = ProcedureId::named("power").ok_or_else(refused)?;
                        procedure::value(power, &[left, right], 0.0)
                    }
                }
            }
            ExprKind::Call(name, args) => {
                let id = ProcedureId::named(&name.value).ok_or_else(refused)?;
                let called = id.get();
                if called.has_memory() || id.reads_time() || args.len() > called.params.len() {
                    return Err(refused());
                }
                let mut values = Vec::with_capacity(called.params.len());
                for arg in args {
                    values.push(self.value(arg, env)?);
                }
                for param in &called.params[args.len()..] {
                    values.push(param.default.ok_or_else(refused)?);
                }
                procedure::value(id, &values, 0.0)
            }
            ExprKind::Error => return Err(None),
            ExprKind::Time
            | ExprKind::Counted(_)
            | ExprKind::Terms(_)
            | ExprKind::Boolean(_)
            | ExprKind::Reduction(_) => {
                return Err(refused());
            }
        })
    }

    /// The whole number that an expression gives.
    pub(super) fn whole(
        &mut self,
        expr: &'a Expr,
        env: &Env<'a>,
        what: report::Whole<'_>,
    ) -> Result<i64, Refusal> {
        let value = self.value(expr, env)?;
        whole(value).ok_or_else(|| {
            let report = report::not_whole(what, value, expr, env, self.asked());
            Some(Box::new(report))
        })
    }

    /// The whole number that an expression without counters gives, if all of its constants have been asked for.
    pub(super) fn known_whole(&self, expr: &Expr) -> Option<i64> {
        whole(self.known_value(expr)?)
    }

    fn known_value(&self, expr: &Expr) -> Option<f64> {
        Some(match &expr.kind {
            ExprKind::Number(value) => *value,
            ExprKind::Name(name) => *self.known.get(name)?,
            ExprKind::Paren(inner) => self.known_value(inner)?,
            ExprKind::Neg(inner) => -self.known_value(inner)?,
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.known_value(left)?, self.known_value(right)?);
                match op {
                    BinaryOp::Add => left + right,
                    BinaryOp::Sub => left - right,
                    BinaryOp::Mul => left * right,
                    BinaryOp::Div => left / right,
                    BinaryOp::Pow => {
                        procedure::value(ProcedureId::named("power")?, &[left, right], 0.0)
                    }
                }
            }
            ExprKind::Pi => std::f64::consts::PI,
            ExprKind::Call(name, args) => {
                let id = ProcedureId::named(&name.value)?;
                let given = args.iter().map(|arg| self.known_value(arg));
                let left_out = id.get().params.iter().skip(args.len());
                let left_out = left_out.map(|param| param.default);
                let values: Option<Vec<f64>> = given.chain(left_out).collect();
                procedure::value(id, &values?, 0.0)
            }
            _ => return None,
        })
    }

    /// The indices of a name.
    pub(super) fn indices(
        &mut self,
        name: &'a Name,
        env: &Env<'a>,
    ) -> Result<smallvec::SmallVec<[i64; 2]>, Refusal> {
        let Some(index) = &name.index else {
            return Ok(smallvec::SmallVec::new());
        };
        let mut indices = smallvec::SmallVec::new();
        for item in &index.items {
            match item {
                IndexItem::At(at) => indices.push(self.whole(at, env, report::Whole::Index)?),
                IndexItem::Range(from, to) => {
                    return Err(Some(Box::new(report::range_as_index(
                        from.span.to(to.span),
                    ))));
                }
            }
        }
        Ok(indices)
    }

    fn named(&mut self, name: &'a str, at: &'a Expr) -> Result<f64, Refusal> {
        if let Some(known) = self.known.get(name) {
            return Ok(*known);
        }
        let Some(start) = self.plain.get(name).copied() else {
            if let Some((base, indices)) = situ_engine::model::element(name) {
                return self.element(base, &indices, at);
            }
            if self.broken.contains(name) {
                return Err(None);
            }
            return Err(Some(Box::new(report::unknown_in_shape(name, at.span))));
        };
        let value = self.deeper(at, |values| values.value(start, &Env::new()))?;
        self.known.insert(name.to_owned(), value);
        self.asked.insert(name, value);
        Ok(value)
    }

    /// The value of an element of a family of constants.
    pub(super) fn element(
        &mut self,
        base: &str,
        indices: &[i64],
        at: &'a Expr,
    ) -> Result<f64, Refusal> {
        let name = element_name(base, indices);
        if let Some(known) = self.known.get(&name) {
            return Ok(*known);
        }
        let own = self.plain.get(name.as_str()).copied();
        let entry = match own {
            Some(own) => Some((own, Env::new())),
            None => self.narrowest(base, indices)?,
        };
        let Some((start, env)) = entry else {
            return Err(Some(Box::new(report::unknown_in_shape(&name, at.span))));
        };
        let value = self.deeper(at, |values| values.value(start, &env))?;
        self.known.insert(name, value);
        Ok(value)
    }

    /// The value that the narrowest entry of a family gives to an element, with its counters.
    fn narrowest(
        &mut self,
        base: &str,
        indices: &[i64],
    ) -> Result<Option<(&'a Expr, Env<'a>)>, Refusal> {
        let entries = self.families.get(base).cloned().unwrap_or_default();
        let mut best: Option<(u32, &'a Expr, Env<'a>)> = None;
        for (items, start) in entries {
            let (mut env, mut rank) = (Env::new(), 0);
            let mut fits = items.len() == indices.len();
            for (item, &index) in items.iter().zip(indices) {
                let IndexItem::At(at) = item else { continue };
                match single_name(at).filter(|name| !self.plain.contains_key(name)) {
                    Some(counter) => {
                        let known = self.counters.iter().find(|(name, _)| *name == counter);
                        let inside = |extent: &Extent| (extent.from..=extent.to).contains(&index);
                        fits &= known.is_none_or(|(_, extent)| inside(extent));
                        // The same counter again is as narrow as a number.
                        match env.iter().find(|(name, _)| *name == counter) {
                            Some((_, before)) => {
                                fits &= *before == index;
                                rank += 2;
                            }
                            None => {
                                env.push((counter, index));
                                rank += 1;
                            }
                        }
                    }
                    None => {
                        fits &= self.whole(at, &Env::new(), report::Whole::Index)? == index;
                        rank += 2;
                    }
                }
            }
            if fits && best.as_ref().is_none_or(|(known, ..)| rank >= *known) {
                best = Some((rank, start, env));
            }
        }
        Ok(best.map(|(_, start, env)| (start, env)))
    }

    fn deeper<T>(
        &mut self,
        at: &Expr,
        read: impl FnOnce(&mut Self) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        if self.depth == MAX_DEPTH {
            return Err(Some(Box::new(report::circular_shape(at.span))));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }
}
