//! The page of every code: what the report says, why it matters, a table that earns it and the
//! same table repaired.
//!
//! One file per family, each a list in the order of its numbers; a test compiles every example.

mod check;
mod names;
mod parse;
mod run;

/// What `situ explain CODE` shows.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CodePage {
    /// The code: a letter and three digits.
    pub code: &'static str,
    /// One line, no full stop.
    pub title: &'static str,
    /// What the report says, a few sentences.
    pub what: &'static str,
    /// Why it is reported, a few sentences.
    pub why: &'static str,
    /// A table that earns it.
    pub bad: &'static str,
    /// The same table without the mistake.
    pub repaired: &'static str,
    /// The table that both extend under the path `base.ron`, if they do.
    pub base: Option<&'static str>,
}

/// All pages, one list per family, in the order of their codes.
pub static PAGES: [&[CodePage]; 4] = [parse::PAGES, names::PAGES, check::PAGES, run::PAGES];

/// The page of a code.
pub fn page(code: &str) -> Option<&'static CodePage> {
    PAGES
        .iter()
        .copied()
        .flatten()
        .find(|page| page.code == code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_well_formed_sorted_and_in_their_family() {
        for (family, letter) in PAGES.iter().zip(["P", "N", "C", "R"]) {
            for page in *family {
                let digits = page.code.strip_prefix(letter).expect(page.code);
                assert!(
                    digits.len() == 3 && digits.bytes().all(|byte| byte.is_ascii_digit()),
                    "{}",
                    page.code
                );
                assert!(!page.title.ends_with('.'), "{}", page.code);
            }
            assert!(
                family.is_sorted_by(|a, b| a.code < b.code),
                "{letter} codes are in order, each once"
            );
        }
    }
}
