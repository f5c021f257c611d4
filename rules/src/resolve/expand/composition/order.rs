//! Where rows of the outer table stand among those of its parts.
//!
//! Lists are scanned part by part, the outer table's rows last; but a row that writes an input of a part stands
//! immediately before that part, `[4 before left]` and `[4 after left]` place a row otherwise, and a row that stands
//! beside another one goes where that one goes.

use std::collections::HashMap;

use situ_engine::model::element;

use crate::tree::{Place, Row, Side};

/// Place among the parts: before or behind the part of this number, or behind all.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Slot {
    Before(usize),
    After(usize),
    Last,
}

impl Slot {
    /// Sorts slots and parts, of which each has a number.
    fn key(self) -> usize {
        match self {
            Self::Before(part) => 3 * part,
            Self::After(part) => 3 * part + 2,
            Self::Last => usize::MAX,
        }
    }
}

/// The parts by the names that rows may stand beside: each, and of many the first and the last.
#[derive(Default)]
pub(super) struct Places {
    by_name: HashMap<String, (usize, usize)>,
}

impl Places {
    pub(super) fn add(&mut self, name: &str, number: usize) {
        self.by_name
            .entry(name.to_owned())
            .or_insert((number, number))
            .1 = number;
    }

    /// True if a name is that of one of many parts, and there is no such one.
    pub(super) fn lacks(&self, name: &str) -> bool {
        let base = element(name).map(|(base, _)| base);
        base.is_some_and(|base| self.by_name.contains_key(base)) && !self.by_name.contains_key(name)
    }

    fn slot(&self, place: &Place) -> Option<Slot> {
        let (first, last) = self.by_name.get(&place.id.value)?;
        Some(match place.side {
            Side::Before => Slot::Before(*first),
            Side::After => Slot::After(*last),
        })
    }
}

/// The rows of all parts and those of the outer table in one list.
///
/// Shapes: `parts`, the rows of each; `own`, those of the outer table with their places; `connects`, the part before
/// which a row stands because of what it writes.
pub(super) fn joined<T>(
    parts: Vec<Vec<Row<T>>>,
    mut own: Vec<Row<T>>,
    places: &Places,
    connects: impl Fn(&T) -> Option<usize>,
) -> Vec<Row<T>> {
    if parts.is_empty() {
        own.iter_mut().for_each(|row| row.place = None);
        return own;
    }
    let slots = slots(&own, places, connects);
    let mut keyed: Vec<(usize, Row<T>)> = Vec::with_capacity(own.len());
    for (slot, mut row) in slots.into_iter().zip(own.drain(..)) {
        row.place = None;
        keyed.push((slot.key(), row));
    }
    keyed.sort_by_key(|(key, _)| *key);
    let mut keyed = keyed.into_iter().peekable();
    let mut all = Vec::new();
    for (number, rows) in parts.into_iter().enumerate() {
        let own = 3 * number + 1;
        while let Some((_, row)) = keyed.next_if(|(key, _)| *key < own) {
            all.push(row);
        }
        all.extend(rows);
    }
    all.extend(keyed.map(|(_, row)| row));
    all
}

fn slots<T>(own: &[Row<T>], places: &Places, connects: impl Fn(&T) -> Option<usize>) -> Vec<Slot> {
    let mut slots: Vec<Option<Slot>> = own
        .iter()
        .map(|row| {
            let place = row.place.as_deref();
            let connected = || connects(&row.body).map(Slot::Before);
            place
                .and_then(|place| places.slot(place))
                .or_else(connected)
        })
        .collect();
    let beside_rows = own.iter().any(|row| row.place.is_some());
    if beside_rows {
        // By its id a row of elements stands for the last of them.
        let mut by_id: HashMap<&str, usize> = HashMap::new();
        for (index, row) in own.iter().enumerate() {
            let Some(id) = &row.id else { continue };
            by_id.insert(&id.value, index);
            if let Some((base, _)) = element(&id.value) {
                by_id.insert(base, index);
            }
        }
        for index in 0..own.len() {
            let mut at = index;
            // A circle of places has been reported.
            for _ in 0..own.len() {
                if slots[at].is_some() {
                    break;
                }
                let beside = own[at].place.as_deref();
                match beside.and_then(|place| by_id.get(&*place.id.value)) {
                    Some(next) => at = *next,
                    None => break,
                }
            }
            slots[index] = slots[at];
        }
    }
    let slots = slots.into_iter();
    slots.map(|slot| slot.unwrap_or(Slot::Last)).collect()
}
