//! Lookups under numbers that follow from their content: append-only, read without a lock.
//!
//! A number of an operation names its lookup, so that whatever evaluates the operation (on numbers, on series, in
//! lanes, compiled) needs nothing else. Equal content has an equal number in every process. What has been interned
//! stays for the life of the process: that is the price, and equal content pays it once.

use std::cell::Cell;
use std::sync::OnceLock;

use super::Handle;
use super::pieces::{Beyond, Columns, Form, Pieces};
use super::spline::Spline;
use crate::interval::Interval;

/// Chains by the last bits of the number.
const CHAINS: usize = 1024;

static INTERNED: [OnceLock<Box<Node>>; CHAINS] = [const { OnceLock::new() }; CHAINS];

#[derive(Debug)]
struct Node {
    handle: Handle,
    item: Item,
    next: OnceLock<Box<Node>>,
}

#[derive(PartialEq, Debug)]
enum Item {
    Pieces(Pieces),
    Spline(Spline),
    Column(Box<[f64]>),
}

/// A hash of 52 bits that is the same on every machine and in every version.
struct Digest(u64);

impl Digest {
    fn new(kind: u64) -> Self {
        Self(0x9e37_79b9_7f4a_7c15 ^ kind)
    }

    /// Source: the finaliser of splitmix64, S. Vigna.
    fn add(&mut self, word: u64) {
        let mut mixed = (self.0 ^ word).wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        self.0 = mixed ^ (mixed >> 31);
    }

    fn numbers(mut self, numbers: &[f64]) -> Self {
        self.add(numbers.len() as u64);
        numbers.iter().for_each(|number| self.add(number.to_bits()));
        self
    }

    #[expect(clippy::cast_precision_loss, reason = "52 bits")]
    fn handle(self) -> Handle {
        (self.0 >> 12) as f64
    }
}

fn chain(handle: Handle) -> &'static OnceLock<Box<Node>> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a whole number of 52 bits; anything else has no node"
    )]
    &INTERNED[handle as u64 as usize % CHAINS]
}

fn intern(mut handle: Handle, item: Item) -> Handle {
    let mut node = Box::new(Node {
        handle,
        item,
        next: OnceLock::new(),
    });
    let mut place = chain(handle);
    loop {
        match place.set(node) {
            Ok(()) => return handle,
            Err(refused) => node = refused,
        }
        let stands = place.get().expect("setting was refused because it is set");
        if stands.handle == handle {
            if stands.item == node.item {
                return handle;
            }
            // Two contents with one number, which hardly ever happens: the later one takes the next.
            handle += 1.0;
            node.handle = handle;
            place = chain(handle);
            continue;
        }
        place = &stands.next;
    }
}

#[inline]
fn find(handle: Handle) -> Option<&'static Item> {
    let mut node = chain(handle).get()?;
    while node.handle != handle {
        node = node.next.get()?;
    }
    Some(&node.item)
}

impl Pieces {
    /// The pieces with this number.
    pub fn of(handle: Handle) -> Option<&'static Self> {
        match find(handle) {
            Some(Item::Pieces(pieces)) => Some(pieces),
            _ => None,
        }
    }

    /// Interns it.
    pub fn intern(self) -> Handle {
        let kind = match (self.form, self.beyond) {
            (Form::Step, Beyond::Defined) => 1,
            (Form::Step, Beyond::Undefined) => 2,
            (Form::Line, Beyond::Defined) => 3,
            (Form::Line, Beyond::Undefined) => 4,
            (Form::Same, Beyond::Defined) => 5,
            (Form::Same, Beyond::Undefined) => 6,
        };
        let digest = Digest::new(kind).numbers(&self.breaks);
        let digest = digest.numbers(&self.starts).numbers(&self.bases);
        let handle = digest.numbers(&self.slopes).handle();
        intern(handle, Item::Pieces(self))
    }

    /// Its columns.
    pub fn columns(&self) -> Columns {
        *self.columns.get_or_init(|| {
            let ends = |end: usize| (0..self.bases.len()).map(move |piece| self.ends(piece)[end]);
            Columns {
                ends: [Self::column(ends(0)), Self::column(ends(1))],
                starts: Self::column(self.starts.iter().copied()),
                bases: Self::column(self.bases.iter().copied()),
                slopes: Self::column(self.slopes.iter().copied()),
            }
        })
    }

    /// Its slope, interned; `None` if that is 0 or 1 everywhere, as the form says.
    pub fn derivative(&self) -> Option<Handle> {
        *self
            .derivative
            .get_or_init(|| self.slope().map(Self::intern))
    }

    /// The sums of the sizes of its terms, an interned spline.
    pub fn sizes(&self) -> Handle {
        let rows = self.starts.iter().zip(&self.bases).zip(&self.slopes);
        let rows = rows.map(|((start, base), slope)| [*start, *base, *slope, 0.0, 0.0]);
        let sizes = || Spline::sizes_of(&self.breaks, rows).intern();
        *self.sizes.get_or_init(sizes)
    }

    /// Interns one number per piece, or anything else that entries are taken of.
    pub fn column(numbers: impl IntoIterator<Item = f64>) -> Handle {
        let column: Box<[f64]> = numbers.into_iter().collect();
        let handle = Digest::new(8).numbers(&column).handle();
        intern(handle, Item::Column(column))
    }
}

impl Spline {
    /// The spline with this number.
    pub fn of(handle: Handle) -> Option<&'static Self> {
        match find(handle) {
            Some(Item::Spline(spline)) => Some(spline),
            _ => None,
        }
    }

    /// Interns it.
    pub fn intern(self) -> Handle {
        let digest = Digest::new(7).numbers(&self.breaks);
        let handle = digest.numbers(self.rows.as_flattened()).handle();
        intern(handle, Item::Spline(self))
    }

    /// Its derivative, interned.
    pub fn derivative(&self) -> Handle {
        *self.derivative.get_or_init(|| self.slope().intern())
    }

    /// The sums of the sizes of its terms, an interned spline.
    pub fn sizes(&self) -> Handle {
        let rows = self.rows.iter().copied();
        let sizes = || Self::sizes_of(&self.breaks, rows).intern();
        *self.sizes.get_or_init(sizes)
    }
}

/// The piece on which a lookup was asked last: an argument that has not left it is answered without a search. The
/// value is that of the search.
#[derive(Clone, Copy)]
struct Place {
    handle: Handle,
    ends: [f64; 2],
    form: Form,
    start: f64,
    base: f64,
    slope: f64,
}

/// Places that a thread remembers, by the last bits of the number.
const PLACES: usize = 8;

thread_local! {
    static LAST: [Cell<Place>; PLACES] = const {
        [const {
            Cell::new(Place {
                handle: f64::NAN,
                ends: [0.0; 2],
                form: Form::Step,
                start: 0.0,
                base: 0.0,
                slope: 0.0,
            })
        }; PLACES]
    };
}

/// The value of pieces; NaN without any.
#[inline]
pub fn lookup(x: f64, handle: Handle) -> f64 {
    let at = (handle.to_bits() >> 8) as usize % PLACES;
    LAST.with(|places| {
        let place = places[at].get();
        if place.handle == handle && place.ends[0] <= x && x < place.ends[1] {
            return match place.form {
                Form::Step => place.base,
                Form::Line => place.base + (x - place.start) * place.slope,
                Form::Same => x,
            };
        }
        search(x, handle, &places[at])
    })
}

/// Finds the piece, and remembers it unless there is no value on it.
#[cold]
fn search(x: f64, handle: Handle, place: &Cell<Place>) -> f64 {
    let Some(pieces) = Pieces::of(handle) else {
        return f64::NAN;
    };
    let piece = pieces.piece(x);
    if !pieces.is_beyond(piece) {
        place.set(Place {
            handle,
            ends: pieces.ends(piece),
            form: pieces.form,
            start: pieces.starts[piece],
            base: pieces.bases[piece],
            slope: pieces.slopes[piece],
        });
    }
    pieces.value(x)
}

/// Bounds of the value of pieces.
pub fn lookup_bounds(x: Interval, handle: Interval) -> Interval {
    let pieces = Pieces::of(handle.lo()).filter(|_| handle.lo() == handle.hi());
    pieces.map_or(Interval::ENTIRE, |pieces| pieces.bounds(x))
}

/// The value of a spline; NaN without one.
#[inline]
pub fn spline(x: f64, handle: Handle) -> f64 {
    Spline::of(handle).map_or(f64::NAN, |spline| spline.value(x))
}

/// Bounds of the value of a spline.
pub fn spline_bounds(x: Interval, handle: Interval) -> Interval {
    let spline = Spline::of(handle.lo()).filter(|_| handle.lo() == handle.hi());
    spline.map_or(Interval::ENTIRE, |spline| spline.bounds(x))
}

fn column(handle: Handle) -> Option<&'static [f64]> {
    match find(handle) {
        Some(Item::Column(column)) => Some(column),
        _ => None,
    }
}

/// A number of a column; NaN if it has none there.
#[inline]
pub fn entry(index: f64, handle: Handle) -> f64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "what is no index is refused before"
    )]
    let at = |column: &[f64]| {
        let inside = index >= 0.0;
        inside
            .then(|| column.get(index as usize).copied())
            .flatten()
    };
    column(handle).and_then(at).unwrap_or(f64::NAN)
}

/// Bounds of a number of a column.
pub fn entry_bounds(index: Interval, handle: Interval) -> Interval {
    let value = entry(index.lo(), handle.lo());
    let exact = index.lo() == index.hi() && handle.lo() == handle.hi();
    if exact && !value.is_nan() {
        Interval::point(value)
    } else {
        Interval::ENTIRE
    }
}
