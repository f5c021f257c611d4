//! Random inputs as a list of choices.
//!
//! A generator asks for one choice after the other; when the list is used up every answer is the
//! first alternative. So a shorter list with smaller numbers makes a simpler input, and shrinking the
//! list shrinks whatever is made from it.

/// A list of choices, read from the front.
pub(super) struct Choices<'a> {
    list: &'a [u16],
    next: usize,
}

impl<'a> Choices<'a> {
    pub(super) fn new(list: &'a [u16]) -> Self {
        Self { list, next: 0 }
    }

    /// A number below `n`.
    pub(super) fn below(&mut self, n: usize) -> usize {
        let choice = self.list.get(self.next).copied().unwrap_or(0);
        self.next += 1;
        usize::from(choice) % n.max(1)
    }

    /// True once in `n` times.
    pub(super) fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == n - 1
    }

    /// One of several; the first if nothing is left to choose.
    pub(super) fn of<T: Copy>(&mut self, several: &[T]) -> T {
        several[self.below(several.len())]
    }

    /// True if choices are left.
    pub(super) fn any_left(&self) -> bool {
        self.next < self.list.len()
    }
}
