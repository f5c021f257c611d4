//! The values of one slot in all lanes, and sets of lanes.
//!
//! Values are kept in rows of eight, the widest vector there is. A set of lanes is a `u64` with a bit for
//! each lane; which bit belongs to which lane is chosen so that a comparison of row `r` gives the bits
//! `r`, `r + 8`, ...: results of the rows are then put together without moving anything across a vector.

/// Runs that are done at once.
pub const LANES: usize = 64;

/// Values in a row.
pub const WIDTH: usize = 8;

/// A set of lanes.
pub type Mask = u64;

/// The bit of each lane in a mask.
pub static BITS: [[Mask; WIDTH]; LANES / WIDTH] = bits();

const fn bits() -> [[Mask; WIDTH]; LANES / WIDTH] {
    let mut bits = [[0; WIDTH]; LANES / WIDTH];
    let mut lane = 0;
    while lane < LANES {
        bits[lane / WIDTH][lane % WIDTH] = 1 << (lane / WIDTH + WIDTH * (lane % WIDTH));
        lane += 1;
    }
    bits
}

/// The mask of one lane.
#[inline]
pub fn mask_of(lane: usize) -> Mask {
    BITS.as_flattened()[lane]
}

/// The lanes in a mask.
pub fn lanes_in(mask: Mask) -> impl Iterator<Item = usize> {
    let mut left = mask;
    std::iter::from_fn(move || {
        let bit = left.trailing_zeros() as usize;
        left &= left.wrapping_sub(1);
        // Rows and columns change places.
        (bit < LANES).then_some(bit % WIDTH * WIDTH + bit / WIDTH)
    })
}

/// Values of all lanes.
pub type Rows = [[f64; WIDTH]; LANES / WIDTH];

/// A value for each lane, from two. In this form the compiler keeps rows in registers.
#[inline(always)]
pub fn join(a: &Rows, b: &Rows, f: impl Fn(f64, f64) -> f64) -> Rows {
    let mut all = [[0.0; WIDTH]; LANES / WIDTH];
    for row in 0..LANES / WIDTH {
        for column in 0..WIDTH {
            all[row][column] = f(a[row][column], b[row][column]);
        }
    }
    all
}

/// The same from three.
#[inline(always)]
pub fn join_three(a: &Rows, b: &Rows, c: &Rows, f: impl Fn(f64, f64, f64) -> f64) -> Rows {
    let (a, b, c) = (a.as_flattened(), b.as_flattened(), c.as_flattened());
    let mut all = [[0.0; WIDTH]; LANES / WIDTH];
    for (lane, value) in all.as_flattened_mut().iter_mut().enumerate() {
        *value = f(a[lane], b[lane], c[lane]);
    }
    all
}

/// Puts values where the mask is not 0, in the same form.
#[inline(always)]
pub fn put(slot: &mut Rows, mask: &Rows, values: &Rows) {
    let old = *slot;
    for row in 0..LANES / WIDTH {
        for column in 0..WIDTH {
            let is_in = mask[row][column] != 0.0;
            slot[row][column] = if is_in {
                values[row][column]
            } else {
                old[row][column]
            };
        }
    }
}

/// A value for each lane.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct LaneVec(pub Rows);

impl LaneVec {
    /// The same in all lanes.
    #[inline]
    pub fn splat(value: f64) -> Self {
        Self([[value; WIDTH]; LANES / WIDTH])
    }

    /// The values, one per lane.
    #[inline(always)]
    pub fn values(&self) -> &[f64; LANES] {
        let values = self.0.as_flattened().first_chunk();
        values.expect("rows and columns make all lanes")
    }

    /// The values, one per lane.
    #[inline(always)]
    pub fn values_mut(&mut self) -> &mut [f64; LANES] {
        let values = self.0.as_flattened_mut().first_chunk_mut();
        values.expect("rows and columns make all lanes")
    }

    /// The value of a lane.
    #[inline]
    pub fn get(&self, lane: usize) -> f64 {
        self.0.as_flattened()[lane]
    }

    /// Puts a value into a lane.
    #[inline]
    pub fn set(&mut self, lane: usize, value: f64) {
        self.0.as_flattened_mut()[lane] = value;
    }

    /// A value for each lane.
    #[inline(always)]
    pub fn of(f: impl Fn(usize) -> f64) -> Self {
        let mut all = Self::splat(0.0);
        for (lane, value) in all.0.as_flattened_mut().iter_mut().enumerate() {
            *value = f(lane);
        }
        all
    }

    /// A value for each lane, from those of others.
    #[inline(always)]
    pub fn from<const N: usize>(others: [&Self; N], f: impl Fn([f64; N]) -> f64) -> Self {
        let mut all = Self::splat(0.0);
        all.update(others, |_, values| f(values));
        all
    }

    /// Each value becomes one of itself and those of others.
    #[inline(always)]
    pub fn update<const N: usize>(&mut self, others: [&Self; N], f: impl Fn(f64, [f64; N]) -> f64) {
        let others = others.map(|other| other.0.as_flattened());
        for (lane, value) in self.0.as_flattened_mut().iter_mut().enumerate() {
            *value = f(*value, others.map(|other| other[lane]));
        }
    }

    /// As [`LaneVec::update`], in some lanes.
    #[inline(always)]
    pub fn update_in<const N: usize>(
        &mut self,
        lanes: Mask,
        others: [&Self; N],
        f: impl Fn(f64, [f64; N]) -> f64,
    ) {
        let (bits, others) = (
            BITS.as_flattened(),
            others.map(|other| other.0.as_flattened()),
        );
        for (lane, value) in self.0.as_flattened_mut().iter_mut().enumerate() {
            let result = f(*value, others.map(|other| other[lane]));
            let is_in = lanes & bits[lane] != 0;
            *value = if is_in { result } else { *value };
        }
    }

    /// The lanes in which something holds for the values of both.
    #[inline(always)]
    pub fn compare(&self, other: &Self, f: impl Fn(f64, f64) -> bool) -> Mask {
        let (a, b) = (self.values(), other.values());
        let bits = BITS.as_flattened();
        let mut held = 0;
        for lane in 0..LANES {
            held |= if f(a[lane], b[lane]) { bits[lane] } else { 0 };
        }
        held
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_name_lanes() {
        for lane in 0..LANES {
            assert_eq!(lanes_in(mask_of(lane)).collect::<Vec<_>>(), [lane]);
        }
        assert_eq!(lanes_in(0).count(), 0);
        let mut all: Vec<usize> = lanes_in(!0).collect();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..LANES));
    }

    #[test]
    fn a_comparison_names_the_lanes_in_which_it_holds() {
        let mut values = LaneVec::splat(1.0);
        for lane in [0, 7, 8, 33, 63] {
            values.set(lane, f64::from(u8::try_from(lane).unwrap()) - 100.0);
        }
        let mut found: Vec<usize> =
            lanes_in(values.compare(&LaneVec::splat(0.0), |a, b| a < b)).collect();
        found.sort_unstable();
        assert_eq!(found, [0, 7, 8, 33, 63]);
        values.update_in(mask_of(7), [], |x, []| 2.0 * x);
        assert_eq!((values.get(7), values.get(8)), (-186.0, -92.0));
    }
}
