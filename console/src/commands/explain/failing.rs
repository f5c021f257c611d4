//! Why a condition that was expected does not hold: its comparisons with their numbers.

use situ_engine::model::{Comparison, Watch};
use situ_rules::print;
use situ_views::columns::observed::Values;
use situ_views::text::number::rounded;
use situ_words::say;

/// Tells why conditions fail.
pub(super) struct Failing<'r> {
    pub(super) words: print::ModelText<'r>,
    pub(super) values: Values<'r>,
}

impl Failing<'_> {
    /// A comparison and what stands on its sides; of a long one only that.
    pub(super) fn comparison(&self, comparison: &Comparison) -> String {
        const LONGEST: usize = 100;
        let sides =
            [comparison.left, comparison.right].map(|side| rounded(self.values.value(side)));
        let values = sides.join(&format!(" {} ", comparison.op.symbol()));
        let text = self.words.comparison(comparison);
        match text.len() > LONGEST {
            true => format!("- {values}\n"),
            false => format!("- {text}: {values}\n"),
        }
    }

    /// That none of several conditions holds, or which of them do.
    pub(super) fn any(&self, of: &[Watch], negated: bool) -> String {
        const MOST: usize = 5;
        let n = of.len();
        if !negated {
            return format!("- {}\n", say!("console-expected-none", n));
        }
        let mut holding = of.iter().filter(|watch| self.values.holds(watch));
        let first: Vec<String> = (holding.by_ref().take(MOST))
            .map(|watch| self.words.watch(watch))
            .collect();
        let more = holding.count();
        let names = first.join(", ");
        match more {
            0 => format!("- {}\n", say!("console-expected-some", names)),
            _ => format!("- {}\n", say!("console-expected-some.more", names, more)),
        }
    }
}
