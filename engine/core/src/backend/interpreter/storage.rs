//! Storage of the interpreter's reals and bits while it runs.
//!
//! Small tapes need no index checks: their slots lie in an array whose size is known, their bits in
//! one word. A word that is to stay in a register must not be lent to a function that is not
//! inlined; that is why [`Bits`] copies words out and never lends them.

/// Up to so many slots a tape runs without bounds checks.
pub(crate) const SMALL_SLOTS: usize = 256;

/// Storage of reals.
pub(crate) trait Reals {
    fn value(&self, slot: u32) -> f64;
    fn put(&mut self, slot: u32, value: f64);
    /// All slots.
    fn values(&self) -> &[f64];
    /// The same to be written.
    fn values_mut(&mut self) -> &mut [f64];
}

/// Slots 0 to 255; the runner has made sure that the tape names no other.
impl Reals for [f64; SMALL_SLOTS] {
    #[inline(always)]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the tape names slots up to 255 only"
    )]
    fn value(&self, slot: u32) -> f64 {
        self[slot as u8 as usize]
    }

    #[inline(always)]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the tape names slots up to 255 only"
    )]
    fn put(&mut self, slot: u32, value: f64) {
        self[slot as u8 as usize] = value;
    }

    #[inline(always)]
    fn values(&self) -> &[f64] {
        self
    }

    #[inline(always)]
    fn values_mut(&mut self) -> &mut [f64] {
        self
    }
}

/// Any number of slots.
impl Reals for [f64] {
    #[inline(always)]
    fn value(&self, slot: u32) -> f64 {
        self[slot as usize]
    }

    #[inline(always)]
    fn put(&mut self, slot: u32, value: f64) {
        self[slot as usize] = value;
    }

    #[inline(always)]
    fn values(&self) -> &[f64] {
        self
    }

    #[inline(always)]
    fn values_mut(&mut self) -> &mut [f64] {
        self
    }
}

/// Storage of bits.
pub(crate) trait Bits {
    fn n_words(&self) -> usize;
    fn word(&self, word: usize) -> u64;
    fn set_bit(&mut self, bit: u32, value: bool);
    /// True if all words equal these.
    fn same_as(&self, words: &[u64]) -> bool;
    /// Copies all words.
    fn copy_to(&self, words: &mut [u64]);
    /// All words, but none that is kept in a register.
    fn words_mut(&mut self) -> &mut [u64];

    #[inline(always)]
    fn bit(&self, bit: u32) -> bool {
        self.word((bit / 64) as usize) >> (bit % 64) & 1 == 1
    }
}

/// Up to 64 bits, kept in a register.
impl Bits for u64 {
    #[inline(always)]
    fn n_words(&self) -> usize {
        1
    }

    #[inline(always)]
    fn word(&self, _: usize) -> u64 {
        *self
    }

    #[inline(always)]
    fn set_bit(&mut self, bit: u32, value: bool) {
        let shift = bit % 64;
        *self = *self & !(1 << shift) | u64::from(value) << shift;
    }

    #[inline(always)]
    fn same_as(&self, words: &[u64]) -> bool {
        matches!(words, [word] if word == self)
    }

    #[inline(always)]
    fn copy_to(&self, words: &mut [u64]) {
        if let [word] = words {
            *word = *self;
        }
    }

    #[inline(always)]
    fn words_mut(&mut self) -> &mut [u64] {
        &mut []
    }
}

/// Any number of bits.
impl Bits for [u64] {
    #[inline(always)]
    fn n_words(&self) -> usize {
        self.len()
    }

    #[inline(always)]
    fn word(&self, word: usize) -> u64 {
        self[word]
    }

    #[inline(always)]
    fn set_bit(&mut self, bit: u32, value: bool) {
        let word = &mut self[(bit / 64) as usize];
        let shift = bit % 64;
        *word = *word & !(1 << shift) | u64::from(value) << shift;
    }

    fn same_as(&self, words: &[u64]) -> bool {
        self == words
    }

    fn copy_to(&self, words: &mut [u64]) {
        words.copy_from_slice(self);
    }

    fn words_mut(&mut self) -> &mut [u64] {
        self
    }
}
