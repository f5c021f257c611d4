//! Places in a list that are still to be gone through, in order.

/// Bits of a word.
const WORD: usize = 64;

/// A set of places; what it costs depends on how far those in it are apart, not on the length of the list.
#[derive(Clone, Debug, Default)]
pub(crate) struct Worklist {
    words: Vec<u64>,
    /// Words before and from here on are 0.
    first: usize,
    end: usize,
}

impl Worklist {
    /// Of a list of so many places.
    pub(super) fn new(len: usize) -> Self {
        Self {
            words: vec![0; len.div_ceil(WORD)],
            first: 0,
            end: 0,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.first == self.end
    }

    /// Makes room for places up to a length.
    pub(crate) fn grow(&mut self, len: usize) {
        if len.div_ceil(WORD) > self.words.len() {
            self.words.resize(len.div_ceil(WORD), 0);
        }
    }

    #[inline]
    pub(crate) fn insert(&mut self, at: usize) {
        let word = at / WORD;
        self.words[word] |= 1 << (at % WORD);
        if self.first == self.end {
            (self.first, self.end) = (word, word + 1);
        } else {
            self.first = self.first.min(word);
            self.end = self.end.max(word + 1);
        }
    }

    pub(super) fn contains(&self, at: usize) -> bool {
        self.words
            .get(at / WORD)
            .is_some_and(|word| word >> (at % WORD) & 1 == 1)
    }

    /// The first place from one on.
    #[inline]
    pub(crate) fn next_from(&self, at: usize) -> Option<usize> {
        let mut number = (at / WORD).max(self.first);
        if number >= self.end {
            return None;
        }
        let mut word = self.words[number];
        if number == at / WORD {
            word &= u64::MAX << (at % WORD);
        }
        while word == 0 {
            number += 1;
            if number >= self.end {
                return None;
            }
            word = self.words[number];
        }
        Some(number * WORD + word.trailing_zeros() as usize)
    }

    /// Takes out the first place from one on.
    #[inline]
    pub(crate) fn take_from(&mut self, at: usize) -> Option<usize> {
        let found = self.next_from(at)?;
        self.remove(found);
        Some(found)
    }

    /// Takes out the last place before one.
    pub(super) fn take_before(&mut self, end: usize) -> Option<usize> {
        let found = (self.first * WORD..end.min(self.end * WORD))
            .rev()
            .find(|&at| self.contains(at))?;
        self.remove(found);
        Some(found)
    }

    pub(super) fn remove(&mut self, at: usize) {
        self.words[at / WORD] &= !(1 << (at % WORD));
        while self.first < self.end && self.words[self.first] == 0 {
            self.first += 1;
        }
        while self.first < self.end && self.words[self.end - 1] == 0 {
            self.end -= 1;
        }
        if self.first == self.end {
            (self.first, self.end) = (0, 0);
        }
    }

    pub(super) fn clear(&mut self) {
        self.words[self.first..self.end].fill(0);
        (self.first, self.end) = (0, 0);
    }

    /// All places, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        let mut next = 0;
        std::iter::from_fn(move || {
            let found = self.next_from(next)?;
            next = found + 1;
            Some(found)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn it_is_a_set_in_order(steps in prop::collection::vec((0_usize..300, 0..4), 0..200)) {
            let (mut list, mut set) = (Worklist::new(300), BTreeSet::new());
            for (at, what) in steps {
                match what {
                    0 => {
                        list.insert(at);
                        set.insert(at);
                    }
                    1 => {
                        let next = set.range(at..).next().copied();
                        prop_assert_eq!(list.take_from(at), next);
                        next.map(|next| set.remove(&next));
                    }
                    2 => {
                        let last = set.range(..at).next_back().copied();
                        prop_assert_eq!(list.take_before(at), last);
                        last.map(|last| set.remove(&last));
                    }
                    _ => prop_assert_eq!(list.contains(at), set.contains(&at)),
                }
                prop_assert!(list.iter().eq(set.iter().copied()));
                prop_assert_eq!(list.is_empty(), set.is_empty());
            }
            list.clear();
            prop_assert!(list.is_empty());
        }
    }
}
