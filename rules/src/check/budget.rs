//! Budget of the check, counted in rows and in nodes of decision diagrams and not in time,
//! so that equal tables get equal findings on every machine.

/// Budget of one check; where it is used up, the check says what it did not analyse.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    /// Rows of the four lists; a table with more is not looked at.
    pub rows: usize,
    /// Nodes over all questions together.
    pub total: u64,
    /// Nodes of one question (about the rows of one real, one situation, ...).
    pub question: u64,
}

impl Budget {
    /// So little that nobody waits: the largest table, at up to 2 us a row, takes some tenths of a
    /// second, and so many nodes a twentieth of one.
    pub const BRIEF: Budget = Budget {
        rows: 200_000,
        total: 1_000_000,
        question: 100_000,
    };

    /// No limit on nodes, however long that takes. Rows beyond the fixed limits of the checks (reals
    /// with more than 48 rows, conditions about more than 128 things) are still left open.
    pub const UNLIMITED: Budget = Budget {
        rows: usize::MAX,
        total: u64::MAX,
        question: u64::MAX,
    };
}

/// For somebody who asked for a check: every row is looked at, and all questions together take some
/// seconds at most.
impl Default for Budget {
    fn default() -> Self {
        Self {
            rows: usize::MAX,
            total: 50_000_000,
            question: 1_000_000,
        }
    }
}

/// A question was given up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct OverBudget;

/// Rest of a budget.
#[derive(Debug)]
pub(super) struct Work {
    total: u64,
    question: u64,
    per_question: u64,
}

impl Work {
    pub(super) fn new(budget: Budget) -> Self {
        Self {
            total: budget.total,
            question: 0,
            per_question: budget.question,
        }
    }

    /// A new question begins; false if nothing is left for it.
    pub(super) fn begin(&mut self) -> bool {
        self.question = self.per_question.min(self.total);
        self.question > 0
    }

    /// Takes `nodes` off what is left.
    pub(super) fn spend(&mut self, nodes: usize) -> Result<(), OverBudget> {
        let nodes = u64::try_from(nodes).unwrap_or(u64::MAX);
        let left = self.question.checked_sub(nodes);
        let taken = nodes.min(self.question);
        self.total = self.total.saturating_sub(taken);
        self.question = left.unwrap_or(0);
        left.map(|_| ()).ok_or(OverBudget)
    }

    /// Rest of the present question's budget.
    pub(super) fn left(&self) -> usize {
        usize::try_from(self.question).unwrap_or(usize::MAX)
    }
}
