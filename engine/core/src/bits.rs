//! Booleans in a row, packed into words: most models have so few of a kind that one word holds them all.
//!
//! What is done with all of them, as copying, masking and telling which are true, goes word by word.

use serde::{Deserialize, Serialize};
use situ_solve::slices::{copy, fill, same};

/// Bits of a word.
const WORD: usize = 64;

/// A row of booleans of fixed length.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(from = "Vec<bool>", into = "Vec<bool>")]
pub(crate) struct Bits {
    len: usize,
    first: u64,
    /// Words after the first. Bits beyond the end are 0.
    more: Vec<u64>,
}

impl Clone for Bits {
    fn clone(&self) -> Self {
        Self {
            more: self.more.clone(),
            ..*self
        }
    }

    /// Keeps the memory that it has.
    #[inline]
    fn clone_from(&mut self, other: &Self) {
        (self.len, self.first) = (other.len, other.first);
        if !(self.more.is_empty() && other.more.is_empty()) {
            copy(&mut self.more, &other.more);
        }
    }
}

impl PartialEq for Bits {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        (self.len, self.first) == (other.len, other.first) && same(&self.more, &other.more)
    }
}

impl Eq for Bits {}

impl FromIterator<bool> for Bits {
    fn from_iter<I: IntoIterator<Item = bool>>(all: I) -> Self {
        let mut bits = Self::default();
        let (mut word, mut next) = (0, 0);
        for value in all {
            word |= u64::from(value) << (next % WORD);
            next += 1;
            if next % WORD == 0 {
                bits.take_word(std::mem::take(&mut word), next);
            }
        }
        if next % WORD != 0 {
            bits.take_word(word, next);
        }
        bits
    }
}

impl From<Vec<bool>> for Bits {
    fn from(all: Vec<bool>) -> Self {
        all.into_iter().collect()
    }
}

impl From<Bits> for Vec<bool> {
    fn from(bits: Bits) -> Self {
        bits.iter().collect()
    }
}

impl Bits {
    /// So many that are false.
    pub(crate) fn new(len: usize) -> Self {
        let mut bits = Self::default();
        bits.resize(len);
        bits
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Takes the word that ends such a number of them.
    fn take_word(&mut self, word: u64, len: usize) {
        match self.len {
            0 => self.first = word,
            _ => self.more.push(word),
        }
        self.len = len;
    }

    /// New ones are false.
    pub(crate) fn resize(&mut self, len: usize) {
        debug_assert!(len >= self.len, "bits are added only");
        self.len = len;
        self.more.resize(len.div_ceil(WORD).saturating_sub(1), 0);
    }

    /// Adds one at the end.
    pub(crate) fn push(&mut self, value: bool) {
        self.resize(self.len + 1);
        self.set(self.len - 1, value);
    }

    /// The boolean at a place, which is not checked to be below the length.
    #[inline]
    pub(crate) fn get(&self, index: usize) -> bool {
        let word = match index.checked_sub(WORD) {
            None => self.first,
            Some(beyond) => self.more[beyond / WORD],
        };
        word >> (index % WORD) & 1 == 1
    }

    #[inline]
    pub(crate) fn set(&mut self, index: usize, value: bool) {
        let word = match index.checked_sub(WORD) {
            None => &mut self.first,
            Some(beyond) => &mut self.more[beyond / WORD],
        };
        let bit = 1 << (index % WORD);
        *word = if value { *word | bit } else { *word & !bit };
    }

    /// All become false.
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.first = 0;
        fill(&mut self.more, 0);
    }

    /// True if any is true.
    #[inline]
    pub(crate) fn any(&self) -> bool {
        self.first != 0 || self.more.iter().any(|&word| word != 0)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = bool> + '_ {
        (0..self.len).map(|index| self.get(index))
    }

    /// The words of those that a mask has, up to the end of the mask.
    #[inline]
    pub(crate) fn masked<'a>(&'a self, mask: &'a Self) -> impl Iterator<Item = u64> + 'a {
        let more = self.more.iter().zip(&mask.more);
        let more = more.map(|(word, mask)| word & mask);
        std::iter::once(self.first & mask.first).chain(more)
    }

    /// Makes one true, and those before it false that are new.
    pub(crate) fn include(&mut self, index: usize) {
        self.resize(self.len.max(index + 1));
        self.set(index, true);
    }

    /// Calls for the place of each that is true.
    #[inline]
    pub(crate) fn each_one(&self, mut call: impl FnMut(usize)) {
        each_bit(self.first, 0, &mut call);
        for (number, &word) in self.more.iter().enumerate() {
            each_bit(word, number + 1, &mut call);
        }
    }

    /// Writes them into words from a bit on; those there are 0.
    #[inline]
    pub(crate) fn write(&self, into: &mut [u64], at: usize) {
        write_word(self.first, into, at);
        for (number, &word) in self.more.iter().enumerate() {
            write_word(word, into, at + (number + 1) * WORD);
        }
    }
}

/// Calls for each bit that is set in a word, by its place among all.
#[inline]
fn each_bit(mut word: u64, number: usize, call: &mut impl FnMut(usize)) {
    while word != 0 {
        call(number * WORD + word.trailing_zeros() as usize);
        word &= word - 1;
    }
}

#[inline]
fn write_word(word: u64, into: &mut [u64], at: usize) {
    if word == 0 {
        return;
    }
    let (place, shift) = (at / WORD, at % WORD);
    into[place] |= word << shift;
    if shift > 0 && word >> (WORD - shift) != 0 {
        into[place + 1] |= word >> (WORD - shift);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bits_are_the_booleans_they_were_made_of(
            all in prop::collection::vec(any::<bool>(), 0..200),
            other in prop::collection::vec(any::<bool>(), 200),
            at in 0_usize..130,
        ) {
            let bits: Bits = all.iter().copied().collect();
            prop_assert_eq!(bits.len(), all.len());
            prop_assert_eq!(bits.any(), all.contains(&true));
            let mut copy = Bits::new(all.len());
            prop_assert_eq!(copy == bits, !bits.any());
            copy.clone_from(&bits);
            prop_assert_eq!(&copy, &bits);
            for (index, &value) in other.iter().take(all.len()).enumerate() {
                copy.set(index, value);
            }
            prop_assert!(copy.iter().eq(other.iter().copied().take(all.len())));
            let mut found = Vec::new();
            let ones = (0..all.len()).filter(|&index| all[index]);
            bits.each_one(|index| found.push(index));
            prop_assert!(ones.eq(found));
            let masked: Vec<u64> = copy.masked(&bits).collect();
            let both = |index: usize| copy.get(index) && bits.get(index);
            for index in 0..all.len() {
                prop_assert_eq!(masked[index / WORD] >> (index % WORD) & 1 == 1, both(index));
            }
            let mut words = vec![0; 8];
            bits.write(&mut words, at);
            for index in 0..8 * WORD {
                let written = words[index / WORD] >> (index % WORD) & 1 == 1;
                let given = index.checked_sub(at).and_then(|index| all.get(index));
                prop_assert_eq!(written, given.copied().unwrap_or(false));
            }
            copy.clear();
            prop_assert!(!copy.any());
        }
    }
}
