//! Counters: ranges, `for`, reductions.

use super::{Printer, written};
use crate::tree::{Each, Expr, IndexItem, Name, Over, Reduction};

impl Printer<'_> {
    /// The name as it is written, with its indices.
    pub(crate) fn written(&mut self, name: &Name) {
        self.out.push_str(&written(name));
    }

    /// A piece of a name: its begin, or what stands behind indices.
    pub(super) fn segment(&mut self, text: &str) {
        match text.starts_with('.') {
            true => self.out.push_str(text),
            false => self.name(text),
        }
    }

    /// `[j + 1, 0 .. N]`
    pub(super) fn indices(&mut self, items: &[IndexItem]) {
        self.out.push('[');
        self.list(items, |printer, item| match item {
            IndexItem::At(at) => printer.expr(at, 0),
            IndexItem::Range(from, to) => printer.ends(from, to),
        });
        self.out.push(']');
    }

    /// `1 .. N`
    pub(crate) fn ends(&mut self, from: &Expr, to: &Expr) {
        self.expr(from, 0);
        self.out.push_str(" .. ");
        self.expr(to, 0);
    }

    /// ` for j in 2 .. N one after another`
    pub(super) fn each(&mut self, each: Option<&Each>) {
        let Some(each) = each else { return };
        if !each.over.is_empty() {
            self.out.push_str(" for ");
            self.counters(&each.over);
        }
        if each.one_after_another.is_some() {
            self.out.push_str(" one after another");
        }
    }

    /// `j in 2 .. N, k`
    pub(crate) fn counters(&mut self, over: &[Over]) {
        self.list(over, |printer, over| {
            printer.name(&over.counter.value);
            if let Some((from, to)) = &over.range {
                printer.out.push_str(" in ");
                printer.ends(from, to);
            }
        });
    }

    /// `sum(w[i, k] for k when fire[k])`
    pub(super) fn reduction(&mut self, reduction: &Reduction) {
        self.out.push_str(reduction.kind.word());
        self.out.push('(');
        self.expr(&reduction.body, 0);
        self.out.push_str(" for ");
        self.counters(&reduction.over);
        if let Some(when) = &reduction.when {
            self.out.push_str(" when ");
            self.condition(when);
        }
        self.out.push(')');
    }
}
