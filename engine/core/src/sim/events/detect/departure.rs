//! Departures: how the indicators that are at zero leave it when a step begins.

use crate::lower::border::{BorderId, Side};

/// Position of a margin at the start of a step.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Departure {
    /// The state is off the border, on this side of z.
    Off(Side),
    /// The state is on the border and leaves it to this side; z has so many zeros there.
    Leaves(Side, usize),
    /// The state is on the border and stays there.
    Stays,
}

/// What is known of all margins at the start of a step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Departures {
    /// The sides on which the state is off its borders.
    pub(crate) sides: Vec<Side>,
    /// What is known of the others, ascending.
    pub(crate) on: Vec<(BorderId, Departure)>,
}

impl Departures {
    /// What is known of a border.
    pub(crate) fn of(&self, border: BorderId) -> Departure {
        match self.place(border) {
            Ok(at) => self.on[at].1,
            Err(_) => Departure::Off(self.sides[border.index()]),
        }
    }

    pub(in crate::sim::events) fn set(&mut self, border: BorderId, departure: Departure) {
        match self.place(border) {
            Ok(at) => self.on[at].1 = departure,
            Err(at) => self.on.insert(at, (border, departure)),
        }
    }

    fn place(&self, border: BorderId) -> Result<usize, usize> {
        self.on.binary_search_by_key(&border, |(other, _)| *other)
    }

    /// The borders that the state leaves, each with the side and how many zeros z has there.
    pub(crate) fn leaves(&self) -> impl Iterator<Item = (BorderId, Side, usize)> {
        self.on
            .iter()
            .filter_map(|&(border, departure)| match departure {
                Departure::Leaves(side, zeros) => Some((border, side, zeros)),
                _ => None,
            })
    }
}
