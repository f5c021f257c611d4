//! Comparing, filling and copying slices that are often empty and mostly short.
//!
//! The pointer of an empty `Vec` leads nowhere. Functions of the C library that load or store under a
//! mask (AVX-512) touch it all the same, and the processor takes some hundred nanoseconds to find
//! out that nothing was asked for: a tenth of what an event costs. For a few values calling them takes
//! longer than the copying, and an event copies some fifty times.

/// Longer slices are left to the C library.
const FEW: usize = 16;

/// True if two slices hold the same values.
#[inline]
pub fn same<T: PartialEq>(a: &[T], b: &[T]) -> bool {
    if a.len() >= FEW {
        return a == b;
    }
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a == b)
}

/// Writes one value everywhere.
#[inline(always)]
pub fn fill<T: Copy>(slice: &mut [T], value: T) {
    if slice.len() >= FEW {
        return slice.fill(value);
    }
    let rest = fill_first::<8, T>(slice, value);
    let rest = fill_first::<4, T>(rest, value);
    let rest = fill_first::<2, T>(rest, value);
    fill_first::<1, T>(rest, value);
}

#[inline(always)]
fn fill_first<const N: usize, T: Copy>(slice: &mut [T], value: T) -> &mut [T] {
    if slice.len() < N {
        return slice;
    }
    let (first, rest) = slice.split_at_mut(N);
    first.fill(value);
    rest
}

/// Copies a slice over another of the same length.
#[inline(always)]
pub fn write<T: Copy>(into: &mut [T], from: &[T]) {
    if from.len() >= FEW {
        return into.copy_from_slice(from);
    }
    assert_eq!(into.len(), from.len(), "slices of one length");
    let rest = write_first::<8, T>((into, from));
    let rest = write_first::<4, T>(rest);
    let rest = write_first::<2, T>(rest);
    write_first::<1, T>(rest);
}

type Pair<'a, T> = (&'a mut [T], &'a [T]);

#[inline(always)]
fn write_first<const N: usize, T: Copy>((into, from): Pair<'_, T>) -> Pair<'_, T> {
    if from.len() < N {
        return (into, from);
    }
    let (into, into_rest) = into.split_at_mut(N);
    let (from, from_rest) = from.split_at(N);
    into.copy_from_slice(from);
    (into_rest, from_rest)
}

/// Copies a slice into memory that is there.
#[inline(always)]
pub fn copy<T: Copy>(into: &mut Vec<T>, from: &[T]) {
    match from.first() {
        Some(&first) => {
            into.resize(from.len(), first);
            write(into, from);
        }
        None => into.clear(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_of_every_length_are_copied_and_filled() {
        for n in 0..40 {
            let from: Vec<usize> = (1..=n).collect();
            let mut into = vec![0; n];
            write(&mut into, &from);
            assert_eq!(into, from);
            assert!(same(&into, &from));
            assert_eq!(same(&into, &from[n / 2..]), n < 2);
            copy(&mut into, &from[..n / 2]);
            assert_eq!(into, from[..n / 2]);
            copy(&mut into, &from);
            assert_eq!(into, from);
            fill(&mut into, 7);
            assert_eq!(into, vec![7; n]);
        }
    }
}
