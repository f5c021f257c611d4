//! Maps that are asked often: a hash that costs a multiplication per word.
//!
//! It does not defend against keys that were chosen to collide; keys here follow from the model.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map for look-ups in inner loops.
pub(crate) type Map<K, V> = HashMap<K, V, BuildHasherDefault<Fold>>;

/// Folds words by rotation, exclusive or and multiplication, as the hash of rustc does.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Fold(u64);

/// An odd number with bits all over.
const FACTOR: u64 = 0x517c_c1b7_2722_0a95;

impl Hasher for Fold {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.write_u64(u64::from_le_bytes(*word));
        }
        if !rest.is_empty() {
            let mut word = [0; 8];
            word[..rest.len()].copy_from_slice(rest);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(FACTOR);
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }
}
