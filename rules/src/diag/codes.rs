//! The page of every code: what the report says, why it matters, a table that earns it and the
//! same table repaired. The words stand in the catalogue, `words/en/code` and `words/ru/code`.
//!
//! A file holds codes of one subject, family by family in the order of their numbers; a test compiles every example.

mod bases;
mod check;
mod families;
mod lines;
mod lookups;
mod machines;
mod names;
mod order;
mod procedures;
mod ron;
mod run;
mod scenes;
mod schemes;
mod solve;
mod units;

/// Page that `situ explain CODE` shows.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CodePage {
    /// The code: a letter and three digits.
    pub code: &'static str,
    /// A table that earns it.
    pub bad: &'static str,
    /// The same table without the mistake.
    pub repaired: &'static str,
    /// The table that both extend or hold under the path `base.ron`, or the points that both read under `base.csv`, if they do.
    pub base: Option<&'static str>,
}

impl CodePage {
    /// One line, no full stop.
    pub fn title(&self) -> String {
        self.text("")
    }

    /// Meaning of the report, a few sentences.
    pub fn what(&self) -> String {
        self.text(".what")
    }

    /// Why it is reported, a few sentences.
    pub fn why(&self) -> String {
        self.text(".why")
    }

    /// A text of the catalogue; `part`: the attribute of the page's entry.
    fn text(&self, part: &str) -> String {
        let id = format!("code-{}{part}", self.code);
        situ_words::prose(&id).unwrap_or(id)
    }
}

/// The pages, a list per file.
static PAGES: [&[CodePage]; 15] = [
    ron::PAGES,
    lines::PAGES,
    names::PAGES,
    procedures::PAGES,
    bases::PAGES,
    lookups::PAGES,
    families::PAGES,
    schemes::PAGES,
    machines::PAGES,
    scenes::PAGES,
    check::PAGES,
    order::PAGES,
    units::PAGES,
    run::PAGES,
    solve::PAGES,
];

/// All pages, family by family (P, N, F, S, M, A, D, X, C, R), each in the order of its codes.
pub fn pages() -> Vec<&'static CodePage> {
    let mut pages: Vec<&CodePage> = PAGES.iter().copied().flatten().collect();
    let family = |page: &CodePage| "PNFSMADXCR".find(&page.code[..1]);
    pages.sort_by_key(|page| (family(page), page.code));
    pages
}

/// The page of a code.
pub fn page(code: &str) -> Option<&'static CodePage> {
    let mut pages = PAGES.iter().copied().flatten();
    pages.find(|page| page.code == code)
}

#[cfg(test)]
mod tests {
    use situ_words::Language;

    use super::*;

    #[test]
    fn codes_are_well_formed_and_in_order() {
        for file in PAGES {
            for page in file {
                let family = &page.code[..1];
                let digits = page.code.strip_prefix(family).expect(page.code);
                let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
                assert!(digits.len() == 3 && is_number, "{}", page.code);
                assert!("PNFSMADXCR".contains(family), "{}", page.code);
                for language in Language::ALL {
                    let [title, what, why] =
                        language.within(|| [page.title(), page.what(), page.why()]);
                    assert!(!title.contains(['.', '\n']), "{title}");
                    assert!(
                        what.ends_with('.') && why.ends_with(['.', ')']),
                        "{}",
                        page.code
                    );
                    assert!(
                        ![title, what, why].join(" ").contains("code-"),
                        "{}",
                        page.code
                    );
                }
            }
        }
        let pages = pages();
        for pair in pages.windows(2) {
            let [a, b] = [pair[0].code, pair[1].code];
            assert!(a[..1] != b[..1] || a < b, "{a} and {b}");
        }
    }
}
