//! Numbers become a function: arguments that ascend, a value for each.

use std::collections::HashMap;

use situ_engine::procedure::lookup::Points;

use super::{At, MOST_MISTAKES, Numbers, Reader, cell};

impl Reader<'_> {
    /// Tells where a number stands.
    fn wrong(&mut self, code: &'static str, message: &str, of: &Numbers, index: usize, help: &str) {
        self.n_mistakes += 1;
        if self.n_mistakes > MOST_MISTAKES {
            return;
        }
        match of.places[index] {
            At::Table(span) => {
                self.report(code, message.to_owned(), span).help = Some(help.to_owned())
            }
            At::Cell((row, column)) => {
                let place = cell(&of.sheet, (row, column));
                let message = format!("{place}: {message}");
                self.report(code, message, of.span).help = Some(help.to_owned());
            }
        }
    }

    /// Arguments ascend; false after a report.
    fn ascends(&mut self, axis: &Numbers, called: &str) -> bool {
        if axis.values.len() < 2 {
            let message = format!("lookup `{}` needs two points at least", self.name());
            self.report("N060", message, axis.span);
            return false;
        }
        let mut fine = true;
        for (index, pair) in axis.values.windows(2).enumerate() {
            if pair[0] < pair[1] {
                continue;
            }
            fine = false;
            let [before, here] = [pair[0], pair[1]];
            let (message, help) = if before == here {
                (
                    format!("{called} {here} stands there twice"),
                    "leave one of the points out",
                )
            } else {
                let message = format!("{called} {here} stands after {before}");
                (message, "points stand in the order of their arguments")
            };
            self.wrong("N060", &message, axis, index + 1, help);
        }
        fine
    }

    pub(super) fn curve(&mut self, x: &Numbers, y: &Numbers) -> Option<Points> {
        self.ascends(x, "the argument").then(|| Points::Curve {
            x: x.values.as_slice().into(),
            y: y.values.as_slice().into(),
        })
    }

    pub(super) fn matrix(&mut self, x: &Numbers, y: &Numbers, z: Numbers) -> Option<Points> {
        let fine = self.ascends(x, "the first argument") & self.ascends(y, "the second argument");
        if !fine {
            return None;
        }
        let [n, m] = [x, y].map(|axis| axis.values.len());
        let rows = z.values.len() / z.per_row.max(1);
        let across = (rows, z.per_row) == (m, n) && n != m;
        if (rows, z.per_row) != (n, m) && !across {
            let message = format!(
                "lookup `{}` has {n} first and {m} second arguments, but {rows} rows of {} values",
                self.name(),
                z.per_row
            );
            self.report("N060", message, z.span).help =
                Some("a row of `z` for each `x`, a value in it for each `y`".to_owned());
            return None;
        }
        let values = match across {
            false => z.values,
            true => (0..n)
                .flat_map(|i| (0..m).map(move |j| (i, j)))
                .map(|(i, j)| z.values[j * n + i])
                .collect(),
        };
        Some(Points::Map {
            x: x.values.as_slice().into(),
            y: y.values.as_slice().into(),
            z: values.into(),
        })
    }

    /// A point per row: every first argument with every second one.
    pub(super) fn long_form(&mut self, x: &Numbers, y: &Numbers, z: &Numbers) -> Option<Points> {
        let axis = |numbers: &Numbers| {
            let mut all = numbers.values.clone();
            all.sort_by(f64::total_cmp);
            all.dedup();
            all
        };
        let (xs, ys) = (axis(x), axis(y));
        if xs.len() < 2 || ys.len() < 2 {
            let message = format!("lookup `{}` needs two values of each argument", self.name());
            self.report("N060", message, z.span);
            return None;
        }
        let mut known: HashMap<[u64; 2], usize> = HashMap::new();
        for (index, pair) in x.values.iter().zip(&y.values).enumerate() {
            let key = [pair.0, pair.1].map(|number| (number + 0.0).to_bits());
            if known.insert(key, index).is_some() {
                let message = format!("the point ({}, {}) stands there twice", pair.0, pair.1);
                self.wrong("N060", &message, x, index, "leave one of the two out");
                return None;
            }
        }
        let mut values = Vec::with_capacity(known.len());
        for &first in &xs {
            for &second in &ys {
                let key = [first, second].map(|number| (number + 0.0).to_bits());
                let Some(&index) = known.get(&key) else {
                    let message = format!(
                        "lookup `{}` has no value at ({first}, {second})",
                        self.name()
                    );
                    self.report("N060", message, z.span).help =
                        Some("every first argument needs every second one".to_owned());
                    return None;
                };
                values.push(z.values[index]);
            }
        }
        Some(Points::Map {
            x: xs.into(),
            y: ys.into(),
            z: values.into(),
        })
    }
}
