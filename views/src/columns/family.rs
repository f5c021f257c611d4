//! Families in columns: the elements of one, in the order of their indices, and their rows of a run.

use situ_engine::ids::{ConstantId, RealId};
use situ_engine::model::{Boolean, Indices, Model, element};
use situ_engine::trace::Row;
use situ_rules::diag::{nearest, outside_of_family};
use situ_words::say;

use super::{Columns, boolean_name};
use crate::columns::series::Series;

/// A name that stands for no family.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NoFamily {
    /// The name.
    pub name: String,
    /// Families that there are.
    pub known: Vec<String>,
    /// What is said of a family without elements.
    pub empty: Option<String>,
}

impl std::fmt::Display for NoFamily {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const SHOWN: usize = 20;
        let (name, known) = (&self.name, self.known.iter().map(String::as_str));
        let near = nearest(name, known);
        if let Some(empty) = &self.empty {
            return f.write_str(empty);
        }
        f.write_str(&match (near, &self.known[..]) {
            (Some(near), _) => say!("columns-no-family.near", name, near),
            (None, []) => say!("columns-no-family.none", name),
            (None, all) => {
                let shown = all[..all.len().min(SHOWN)].join("`, `");
                say!("columns-no-family", name, shown)
            }
        })
    }
}

impl std::error::Error for NoFamily {}

/// Kind of values that the elements of a family have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ElementKind {
    /// Numbers.
    Real,
    /// True or false, for a while.
    Level,
    /// True at instants.
    Event,
}

/// The elements of a family, in the order of their indices.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Family {
    /// Its name.
    pub name: String,
    /// Unit of its elements; may be empty.
    pub unit: String,
    /// Unit of the time; may be empty.
    pub time_unit: String,
    /// Kind of their values.
    pub kind: ElementKind,
    /// Indices of each element; all have as many.
    pub indices: Vec<Indices>,
}

impl Family {
    /// The family with its values sorted by indices: what `found` holds besides them.
    fn sorted<T>([name, time_unit]: [&str; 2], found: Vec<(Indices, T)>) -> (Self, Vec<T>) {
        let mut found = found;
        found.sort_by(|(a, _), (b, _)| a.cmp(b));
        let (indices, places) = found.into_iter().unzip();
        let family = Self {
            name: name.to_owned(),
            unit: String::new(),
            time_unit: time_unit.to_owned(),
            kind: ElementKind::Real,
            indices,
        };
        (family, places)
    }

    /// The family of a model with this name, and its columns in the order of its elements.
    ///
    /// # Errors
    ///
    /// [`NoFamily`] if no constant, real or boolean is an element of it.
    pub fn of_model(model: &Model, name: &str) -> Result<(Self, Columns), NoFamily> {
        let named = [name, model.clock.time_unit()];
        let reals = model.reals.iter().map(|real| &*real.name);
        let (found, places) = Self::sorted(named, members(reals, name));
        if let Some(first) = places.first() {
            let family = Self {
                unit: model.reals[*first].unit.clone(),
                ..found
            };
            let columns = Columns {
                reals: places.into_iter().map(RealId::new).collect(),
                ..Columns::default()
            };
            return Ok((family, columns));
        }
        let booleans: Vec<Boolean> = model.named_booleans().map(|(_, what)| what).collect();
        let names = booleans.iter().map(|what| boolean_name(model, *what));
        let (found, places) = Self::sorted(named, members(names, name));
        if let Some(first) = places.first() {
            let kind = match model.is_event(booleans[*first]) {
                true => ElementKind::Event,
                false => ElementKind::Level,
            };
            let columns = Columns {
                booleans: places.into_iter().map(|place| booleans[place]).collect(),
                ..Columns::default()
            };
            return Ok((Self { kind, ..found }, columns));
        }
        let constants = model.constants.iter().map(|constant| &*constant.name);
        let (found, places) = Self::sorted(named, members(constants, name));
        if let Some(first) = places.first() {
            let family = Self {
                unit: model.constants[*first].unit.clone(),
                ..found
            };
            let columns = Columns {
                constants: places.into_iter().map(ConstantId::new).collect(),
                ..Columns::default()
            };
            return Ok((family, columns));
        }
        let names = || super::names_of(model);
        Err(NoFamily {
            empty: outside_of_family(name, names(), &model.structure.families),
            ..no_family(name, names())
        })
    }

    /// The family of a run's columns with this name, and the places of its elements among the columns.
    fn of_series(series: &Series, name: &str) -> Result<(Self, Vec<usize>), NoFamily> {
        let named = [name, &*series.time_unit];
        let reals = series.reals.iter().map(|column| &*column.name);
        let (found, places) = Self::sorted(named, members(reals, name));
        if let Some(first) = places.first() {
            let unit = series.reals[*first].unit.clone();
            return Ok((Self { unit, ..found }, places));
        }
        let booleans = series.booleans.iter().map(|column| &*column.name);
        let (found, places) = Self::sorted(named, members(booleans, name));
        if let Some(first) = places.first() {
            let kind = match series.booleans[*first].event {
                true => ElementKind::Event,
                false => ElementKind::Level,
            };
            return Ok((Self { kind, ..found }, places));
        }
        Err(no_family(name, series.names()))
    }
}

/// The indices of the names that are elements of a family, and their places among the names.
fn members<'a>(names: impl Iterator<Item = &'a str>, family: &str) -> Vec<(Indices, usize)> {
    let elements = names.enumerate().filter_map(|(place, name)| {
        let (base, indices) = element(name)?;
        (base == family).then_some((indices, place))
    });
    elements.collect()
}

fn no_family<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> NoFamily {
    let mut known: Vec<String> = Vec::new();
    for (family, _) in names.filter_map(element) {
        if known.iter().all(|other| other != family) {
            known.push(family.to_owned());
        }
    }
    NoFamily {
        name: name.to_owned(),
        known,
        empty: None,
    }
}

/// Rows of a family, taken down while a run goes on, in bounded memory.
///
/// Either the rows at some times, or all rows: of many, neighbours are taken together. Times between two rows of
/// a file have values on the straight line between them, times outside of it have none.
#[derive(Clone, Debug)]
pub struct FamilyRows {
    family: Family,
    /// Times that are wanted, in order; without any, all rows are.
    at: Vec<f64>,
    /// Times before the last row, of those wanted.
    next: usize,
    time: Vec<f64>,
    /// Values row by row; what is true is 1.
    values: Vec<f64>,
    /// The same for the least and the greatest of the finite numbers that rows taken together have, where all rows are
    /// wanted.
    reach: [Vec<f64>; 2],
    /// Rows that are taken together.
    bundle: usize,
    /// Rows in the bundle that stands last.
    filled: usize,
    /// The row before, for values between rows.
    before: (f64, Vec<f64>),
    /// The row that is being taken down.
    row: Vec<f64>,
}

/// More rows are taken together in pairs: a picture has fewer columns than half of it.
const MOST_ROWS: usize = 2048;

impl FamilyRows {
    /// For the rows at these times, in any order, or without any for all rows.
    pub fn new(family: Family, at: &[f64]) -> Self {
        let mut at = at.to_vec();
        at.sort_by(f64::total_cmp);
        at.dedup();
        Self {
            family,
            at,
            next: 0,
            time: Vec::new(),
            values: Vec::new(),
            reach: Default::default(),
            bundle: 1,
            filled: 0,
            before: (f64::NEG_INFINITY, Vec::new()),
            row: Vec::new(),
        }
    }

    /// The rows of a family that stand in a run's columns.
    ///
    /// # Errors
    ///
    /// [`NoFamily`] if no column is an element of it.
    pub fn of_series(series: &Series, name: &str, at: &[f64]) -> Result<Self, NoFamily> {
        let (family, places) = Family::of_series(series, name)?;
        let is_real = family.kind == ElementKind::Real;
        let mut rows = Self::new(family, at);
        for (row, time) in series.time.iter().enumerate() {
            let values = places.iter().map(|place| match is_real {
                true => series.reals[*place].values[row],
                false => f64::from(u8::from(series.booleans[*place].values[row])),
            });
            rows.push(*time, values);
        }
        rows.finish();
        Ok(rows)
    }

    /// Takes down a row of a run, where all rows are wanted.
    pub fn push_row(&mut self, model: &Model, columns: &Columns, row: &Row<'_>) {
        let truths = columns.truths(model, row);
        let truths = truths.map(|truth| f64::from(u8::from(truth)));
        self.push(row.time, columns.numbers(row).chain(truths));
    }

    /// Takes down a row as that of one of the wanted times.
    pub fn take_row(&mut self, model: &Model, columns: &Columns, row: &Row<'_>) {
        let truths = columns.truths(model, row);
        let truths = truths.map(|truth| f64::from(u8::from(truth)));
        self.time.push(row.time);
        self.values.extend(columns.numbers(row).chain(truths));
    }

    fn push(&mut self, time: f64, values: impl Iterator<Item = f64>) {
        self.row.clear();
        self.row.extend(values);
        match self.at.is_empty() {
            true => self.keep(time),
            false => self.pass(time),
        }
        self.before.0 = time;
        std::mem::swap(&mut self.before.1, &mut self.row);
    }

    /// Takes down the values at the wanted times before this one.
    fn pass(&mut self, time: f64) {
        let (start, held) = &self.before;
        while let Some(&at) = self.at.get(self.next).filter(|at| **at < time) {
            self.next += 1;
            if held.is_empty() {
                continue;
            }
            self.time.push(at);
            if held.is_empty() {
                // Before the first row.
                self.values
                    .resize(self.values.len() + self.row.len(), f64::NAN);
                continue;
            }
            let part = (at - start) / (time - start);
            let values = held
                .iter()
                .zip(&self.row)
                .map(|(a, b)| match self.family.kind {
                    _ if at == *start => *a,
                    ElementKind::Real => between(*a, *b, part),
                    ElementKind::Level => *a,
                    ElementKind::Event => 0.0,
                });
            self.values.extend(values);
        }
    }

    /// Takes down the row as it is, or into the bundle that stands last: there the first values stay, with the least
    /// and the greatest, and what is true at all is true.
    fn keep(&mut self, time: f64) {
        let n = self.row.len();
        if self.filled > 0 && self.filled < self.bundle {
            let last = self.values.len() - n;
            match self.family.kind {
                ElementKind::Real => {
                    let [least, most] = &mut self.reach;
                    join(&mut least[last..], &self.row, lesser);
                    join(&mut most[last..], &self.row, greater);
                }
                _ => join(&mut self.values[last..], &self.row, greater),
            }
            self.filled += 1;
            return;
        }
        if self.time.len() == MOST_ROWS {
            self.pair_up();
        }
        self.add_row(time);
        self.filled = 1;
    }

    /// Adds the row behind all others.
    fn add_row(&mut self, time: f64) {
        self.time.push(time);
        self.values.extend_from_slice(&self.row);
        if self.family.kind == ElementKind::Real {
            for reach in &mut self.reach {
                reach.extend_from_slice(&self.row);
            }
        }
    }

    /// Takes bundles together in pairs.
    fn pair_up(&mut self) {
        let n = self.row.len();
        for pair in 0..MOST_ROWS / 2 {
            self.time[pair] = self.time[2 * pair];
        }
        self.time.truncate(MOST_ROWS / 2);
        match self.family.kind {
            ElementKind::Real => {
                let [least, most] = &mut self.reach;
                pair_rows(&mut self.values, n, |first, _| first);
                pair_rows(least, n, lesser);
                pair_rows(most, n, greater);
            }
            _ => pair_rows(&mut self.values, n, greater),
        }
        self.bundle *= 2;
    }

    /// Takes down the last row where it is wanted and stands in no row of its own.
    pub fn finish(&mut self) {
        let last = self.before.0;
        let is_wanted = match self.at.get(self.next) {
            Some(at) => *at == last,
            None => self.at.is_empty() && self.filled > 1,
        };
        if is_wanted {
            self.row.clone_from(&self.before.1);
            self.add_row(last);
        }
    }

    /// The family.
    pub fn family(&self) -> &Family {
        &self.family
    }

    /// Times of the rows: never decreasing.
    pub fn times(&self) -> &[f64] {
        &self.time
    }

    /// Values of a row, in the order of the elements; true is 1.
    pub fn values(&self, row: usize) -> &[f64] {
        let n = self.family.indices.len();
        &self.values[row * n..(row + 1) * n]
    }

    /// Least and greatest of the finite values that some rows, with those that were taken together with them, have, in
    /// the order of the elements: of reals, where all rows are wanted. What is not finite has none.
    pub fn reach(&self, rows: std::ops::Range<usize>) -> [Vec<f64>; 2] {
        let n = self.family.indices.len();
        let of = |reach: &[f64], of: fn(f64, f64) -> f64| {
            let mut all = vec![f64::NAN; n];
            let reach = reach.get(rows.start * n..rows.end * n).unwrap_or_default();
            reach.chunks(n).for_each(|row| join(&mut all, row, of));
            all
        };
        [of(&self.reach[0], lesser), of(&self.reach[1], greater)]
    }

    /// Values at a time: of reals on the straight line between two rows, of booleans those of the row before,
    /// of events none.
    pub fn values_at(&self, time: f64) -> Vec<f64> {
        let after = self.time.partition_point(|row| *row <= time);
        let Some(before) = after.checked_sub(1) else {
            return vec![f64::NAN; self.family.indices.len()];
        };
        let held = self.values(before);
        match self.time.get(after) {
            Some(next) if self.family.kind == ElementKind::Real => {
                let part = (time - self.time[before]) / (next - self.time[before]);
                let ends = held.iter().zip(self.values(after));
                ends.map(|(a, b)| between(*a, *b, part)).collect()
            }
            _ => held.to_vec(),
        }
    }

    /// The times that are wanted, in order; none, if all rows are.
    pub fn wanted(&self) -> &[f64] {
        &self.at
    }
}

/// A part of the way from one value to another.
fn between(a: f64, b: f64, part: f64) -> f64 {
    match part == 0.0 || a == b {
        true => a,
        false => a + part * (b - a),
    }
}

/// Joins a later row to an earlier one.
fn join(earlier: &mut [f64], later: &[f64], of: impl Fn(f64, f64) -> f64) {
    for (earlier, later) in earlier.iter_mut().zip(later) {
        *earlier = of(*earlier, *later);
    }
}

/// Joins every second row of `n` numbers to the one before, which are all that is left.
fn pair_rows(values: &mut Vec<f64>, n: usize, of: impl Fn(f64, f64) -> f64) {
    for pair in 0..MOST_ROWS / 2 {
        let first = 2 * pair * n;
        let (head, tail) = values.split_at_mut(first + n);
        join(&mut head[first..], &tail[..n], &of);
        values.copy_within(first..first + n, pair * n);
    }
    values.truncate(MOST_ROWS / 2 * n);
}

/// The lesser of two numbers; the finite one, if only one is.
fn lesser(a: f64, b: f64) -> f64 {
    match a.is_finite() && !(b < a && b.is_finite()) {
        true => a,
        false => b,
    }
}

/// The greater of two numbers; the finite one, if only one is.
fn greater(a: f64, b: f64) -> f64 {
    -lesser(-a, -b)
}

#[cfg(test)]
mod tests {
    use situ_engine::model::ModelBuilder;

    use super::*;
    use crate::columns::series::{BooleanColumn, RealColumn};

    fn series() -> Series {
        let real = |name: &str, values: [f64; 4]| RealColumn {
            name: name.to_owned(),
            unit: "K".to_owned(),
            values: values.to_vec(),
            ..RealColumn::default()
        };
        let fires = |name: &str, values: [bool; 4]| BooleanColumn {
            name: name.to_owned(),
            event: true,
            values: values.to_vec(),
            ..BooleanColumn::default()
        };
        Series {
            label: String::new(),
            time: vec![0.0, 1.0, 1.0, 3.0],
            time_unit: String::new(),
            reals: vec![
                real("u[10]", [0.0, 1.0, 5.0, 7.0]),
                real("u[-2]", [4.0, 4.0, 4.0, 2.0]),
                real("heat", [0.0; 4]),
            ],
            booleans: vec![fires("fire[1]", [false, false, true, false])],
        }
    }

    fn rows(name: &str, at: &[f64]) -> Vec<(f64, Vec<f64>)> {
        let rows = FamilyRows::of_series(&series(), name, at).unwrap();
        let all = rows.times().iter().enumerate();
        all.map(|(row, time)| (*time, rows.values(row).to_vec()))
            .collect()
    }

    #[test]
    fn elements_stand_in_the_order_of_their_indices() {
        let all = rows("u", &[]);
        assert_eq!(all[0], (0.0, vec![4.0, 0.0]));
        assert_eq!(all.len(), 4);
        let found = FamilyRows::of_series(&series(), "u", &[]).unwrap();
        let indices: Vec<&[i64]> = found.family().indices.iter().map(|at| &at[..]).collect();
        assert_eq!(indices, [&[-2][..], &[10]]);
        assert_eq!(found.family().unit, "K");
    }

    #[test]
    fn times_between_rows_lie_on_the_line_and_jumps_count_from_their_time_on() {
        let known = [
            (0.5, vec![4.0, 0.5]),
            (1.0, vec![4.0, 5.0]),
            (2.0, vec![3.0, 6.0]),
            (3.0, vec![2.0, 7.0]),
        ];
        assert_eq!(rows("u", &[2.0, -1.0, 0.5, 3.0, 1.0, 3.5]), known);
        assert_eq!(
            rows("fire", &[1.0, 2.0]),
            [(1.0, vec![1.0]), (2.0, vec![0.0])]
        );
        assert_eq!(rows("u", &[-1.0]), []);
    }

    #[test]
    fn of_many_rows_the_first_the_last_and_every_event_stay() {
        let n = 100_000;
        let fired = 77_777;
        let time: Vec<f64> = (0..n).map(f64::from).collect();
        let column = BooleanColumn {
            name: "fire[1]".to_owned(),
            event: true,
            values: (0..n).map(|row| row == fired).collect(),
            ..BooleanColumn::default()
        };
        let long = Series {
            time,
            booleans: vec![column],
            ..Series::default()
        };
        let rows = FamilyRows::of_series(&long, "fire", &[]).unwrap();
        let n_rows = rows.times().len();
        assert!((MOST_ROWS / 2..=MOST_ROWS + 1).contains(&n_rows));
        assert_eq!((rows.times()[0], rows.times()[n_rows - 1]), (0.0, 99_999.0));
        let fires: Vec<f64> = (0..n_rows)
            .filter(|row| rows.values(*row) == [1.0])
            .map(|row| rows.times()[row])
            .collect();
        assert_eq!(fires.len(), 1);
        assert!((fires[0]..fires[0] + 64.0).contains(&f64::from(fired)));
    }

    #[test]
    fn a_model_has_families_of_all_kinds() {
        let mut table = ModelBuilder::new("row");
        table.constant("a[1]", 2.0);
        for name in ["u[2]", "u[1]", "single"] {
            table.real(name, 0.0);
        }
        table.switch("on[1]", true);
        let model = table.build().unwrap();
        let columns = |name: &str| {
            let (family, columns) = Family::of_model(&model, name).unwrap();
            let names: Vec<&str> = columns.names(&model).collect();
            (family.kind, names.join(" "))
        };
        assert_eq!(columns("u"), (ElementKind::Real, "u[1] u[2]".to_owned()));
        assert_eq!(columns("on"), (ElementKind::Level, "on[1]".to_owned()));
        assert_eq!(columns("a"), (ElementKind::Real, "a[1]".to_owned()));
        let refused = |name: &str| Family::of_model(&model, name).unwrap_err().to_string();
        assert_eq!(
            refused("single"),
            "there is no family `single`; there are `a`, `u`, `on`"
        );
        assert_eq!(
            refused("onn"),
            "there is no family `onn`; did you mean `on`?"
        );
    }
}
