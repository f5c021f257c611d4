//! What the statements of a span read and write -> whether operation by operation they do the same as one by one.

/// Numbers of slots, or of bits, that an operation of each statement reads or writes.
#[derive(Clone, Debug)]
pub(super) struct Access<'a> {
    /// Position of the operation in its statement.
    pub(super) step: usize,
    pub(super) writes: bool,
    /// The numbers by element.
    pub(super) numbers: Numbers<'a>,
}

/// A number for each statement.
#[derive(Clone, Copy, Debug)]
pub(super) enum Numbers<'a> {
    /// The first one and what is added from one statement to the next.
    Progression(i64, i64),
    /// Listed.
    Listed(&'a [u32]),
}

/// True if n statements may be executed operation by operation.
pub(super) fn keeps_order(accesses: &[Access<'_>], n: usize) -> bool {
    let n = i64::try_from(n).unwrap_or(i64::MAX);
    let writes = accesses.iter().enumerate().filter(|(_, one)| one.writes);
    writes.into_iter().all(|(at, write)| {
        let Numbers::Progression(first, stride) = write.numbers else {
            return false;
        };
        let others = accesses
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != at);
        stride != 0
            && others.into_iter().all(|(_, other)| match other.numbers {
                Numbers::Progression(begin, step) if step == stride => {
                    // The write of one statement is what the one so many behind it has here.
                    let behind = (first - begin) / stride;
                    let apart = (first - begin) % stride != 0 || behind.abs() >= n;
                    apart
                        || behind == 0
                        || !other.writes && {
                            if behind > 0 {
                                write.step < other.step
                            } else {
                                other.step <= write.step
                            }
                        }
                }
                Numbers::Progression(begin, step) => {
                    let [one, two] = [(first, stride), (begin, step)].map(|(first, stride)| {
                        let last = first + stride * (n - 1);
                        (first.min(last), first.max(last))
                    });
                    one.1 < two.0 || two.1 < one.0
                }
                Numbers::Listed(numbers) => numbers.iter().all(|&number| {
                    let place = i64::from(number) - first;
                    place % stride != 0 || !(0..n).contains(&(place / stride))
                }),
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(step: usize, writes: bool, first: i64, stride: i64) -> Access<'static> {
        let numbers = Numbers::Progression(first, stride);
        Access {
            step,
            writes,
            numbers,
        }
    }

    #[test]
    fn neighbours_are_read_before_they_are_written() {
        let write = |step| access(step, true, 100, 1);
        let ok = |read: Access<'static>, step| keeps_order(&[read, write(step)], 50);
        let read = |step, first| access(step, false, first, 1);
        assert!(ok(read(0, 100), 1), "its own");
        assert!(ok(read(0, 101), 1), "of the next one, before it is written");
        assert!(ok(read(1, 101), 1), "by the operation that writes");
        assert!(!ok(read(2, 101), 1), "of the next one, as it was");
        assert!(!ok(read(0, 99), 1), "of the one before, as it is");
        assert!(!ok(read(1, 99), 1));
        assert!(ok(read(2, 99), 1));
        assert!(ok(read(0, 50), 1), "far apart");
        assert!(!ok(read(0, 51), 1));
        assert!(!ok(access(0, false, 120, 0), 1), "one for all");
        assert!(ok(access(0, false, 150, 0), 1));
        assert!(!ok(access(0, false, 90, 2), 1), "another stride");
        assert!(!keeps_order(&[access(0, true, 100, 0)], 2), "one target");
        assert!(!keeps_order(&[write(0), access(1, true, 101, 1)], 50));
    }

    #[test]
    fn listed_numbers_are_none_that_are_written() {
        let listed = |numbers| Access {
            step: 0,
            writes: false,
            numbers: Numbers::Listed(numbers),
        };
        let write = access(1, true, 100, 2);
        assert!(keeps_order(
            &[listed(&[3, 101, 200, 98]), write.clone()],
            50
        ));
        assert!(!keeps_order(&[listed(&[3, 102]), write], 50));
    }
}
