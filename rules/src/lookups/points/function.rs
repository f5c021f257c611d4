//! Numbers become a function: arguments that ascend, a value for each.

use std::collections::HashMap;

use situ_engine::procedure::lookup::Points;
use situ_words::{Phrase, phrase, say};

use super::{At, MOST_MISTAKES, Numbers, Reader, cell};

impl Reader<'_> {
    /// Tells where a number stands.
    fn wrong(
        &mut self,
        code: &'static str,
        message: &str,
        of: &Numbers,
        index: usize,
        help: Phrase,
    ) {
        self.n_mistakes += 1;
        if self.n_mistakes > MOST_MISTAKES {
            return;
        }
        match of.places[index] {
            At::Table(span) => self.report(code, message.to_owned(), span).help = Some(help.into()),
            At::Cell((row, column)) => {
                let place = cell(&of.sheet, (row, column));
                let message = format!("{place}: {message}");
                self.report(code, message, of.span).help = Some(help.into());
            }
        }
    }

    /// Arguments ascend; false after a report.
    fn ascends(&mut self, axis: &Numbers, called: Phrase) -> bool {
        if axis.values.len() < 2 {
            let message = say!("lookup-ascends", names = self.name());
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
                    say!("lookup-ascends.twice", called, here),
                    phrase!("lookup-ascends.leave-points-out"),
                )
            } else {
                let message = say!("lookup-ascends.after", called, here, before);
                (message, phrase!("lookup-ascends.points-order-their"))
            };
            self.wrong("N060", &message, axis, index + 1, help);
        }
        fine
    }

    pub(super) fn curve(&mut self, x: &Numbers, y: &Numbers) -> Option<Points> {
        self.ascends(x, phrase!("lookup-curve.argument"))
            .then(|| Points::Curve {
                x: x.values.as_slice().into(),
                y: y.values.as_slice().into(),
            })
    }

    pub(super) fn matrix(&mut self, x: &Numbers, y: &Numbers, z: Numbers) -> Option<Points> {
        let fine = self.ascends(x, phrase!("lookup-matrix.first-argument"))
            & self.ascends(y, phrase!("lookup-matrix.second-argument"));
        if !fine {
            return None;
        }
        let [n, m] = [x, y].map(|axis| axis.values.len());
        let rows = z.values.len() / z.per_row.max(1);
        let across = (rows, z.per_row) == (m, n) && n != m;
        if (rows, z.per_row) != (n, m) && !across {
            let message = say!(
                "lookup-matrix",
                names = self.name(),
                n,
                m,
                rows,
                per_row = z.per_row
            );
            self.report("N060", message, z.span).help = Some(say!("lookup-matrix.row-z-each"));
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
            let message = say!("lookup-long-form", names = self.name());
            self.report("N060", message, z.span);
            return None;
        }
        let mut known: HashMap<[u64; 2], usize> = HashMap::new();
        for (index, pair) in x.values.iter().zip(&y.values).enumerate() {
            let key = [pair.0, pair.1].map(|number| (number + 0.0).to_bits());
            if known.insert(key, index).is_some() {
                let message = say!(
                    "lookup-long-form.point-twice",
                    pair = pair.0,
                    pair_2 = pair.1
                );
                self.wrong(
                    "N060",
                    &message,
                    x,
                    index,
                    phrase!("lookup-long-form.leave-two-out"),
                );
                return None;
            }
        }
        let mut values = Vec::with_capacity(known.len());
        for &first in &xs {
            for &second in &ys {
                let key = [first, second].map(|number| (number + 0.0).to_bits());
                let Some(&index) = known.get(&key) else {
                    let message = say!(
                        "lookup-long-form.lookup-no",
                        names = self.name(),
                        first,
                        second
                    );
                    self.report("N060", message, z.span).help =
                        Some(say!("lookup-long-form.every-first-argument"));
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
