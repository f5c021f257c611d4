//! Languages: which one the reader has, of the process and for a while.

use std::cell::Cell;
use std::sync::atomic::{AtomicU8, Ordering};

/// A language in which situ speaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// Russian.
    Russian,
}

/// The language of the process, as its place in [`Language::ALL`].
static OF_PROCESS: AtomicU8 = AtomicU8::new(0);

thread_local! {
    /// The language of the thread, while it has one of its own.
    static OF_THREAD: Cell<Option<Language>> = const { Cell::new(None) };
}

/// Gives a thread back the language that it had.
struct Restored(Option<Language>);

impl Drop for Restored {
    fn drop(&mut self) {
        OF_THREAD.set(self.0);
    }
}

impl Language {
    /// All languages.
    pub const ALL: [Self; 2] = [Self::English, Self::Russian];

    /// Name by which it is asked for.
    pub fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Russian => "ru",
        }
    }

    /// The language of an environment: the first of `LC_ALL`, `LC_MESSAGES` and `LANG` that says something decides.
    /// What begins with `ru` is Russian, all else English.
    ///
    /// ```
    /// use situ_words::Language;
    ///
    /// let environment = |name: &str| (name == "LANG").then(|| "ru_RU.UTF-8".to_owned());
    /// assert_eq!(Language::of_environment(environment), Language::Russian);
    /// ```
    pub fn of_environment(variable: impl Fn(&str) -> Option<String>) -> Self {
        let names = ["LC_ALL", "LC_MESSAGES", "LANG"];
        let mut said = names.into_iter().filter_map(variable);
        match said.find(|value| !value.is_empty()) {
            Some(value) if is_russian(&value) => Self::Russian,
            _ => Self::English,
        }
    }

    /// The language of the thread if it has one of its own, else that of the process.
    pub fn present() -> Self {
        OF_THREAD.get().unwrap_or_else(|| {
            let place = OF_PROCESS.load(Ordering::Relaxed);
            Self::ALL[usize::from(place) % Self::ALL.len()]
        })
    }

    /// Makes it the language of the process.
    pub fn set_for_process(self) {
        OF_PROCESS.store(self as u8, Ordering::Relaxed);
    }

    /// Does something in this language. Threads that are started meanwhile have the language of the process.
    pub fn within<T>(self, work: impl FnOnce() -> T) -> T {
        let _restored = Restored(OF_THREAD.replace(Some(self)));
        work()
    }
}

/// True of `ru`, `ru_RU.UTF-8`, `RU`, `ru@..`; false of `rue`.
fn is_russian(value: &str) -> bool {
    let language = value.split(['_', '-', '.', '@']).next();
    language.is_some_and(|language| language.eq_ignore_ascii_case("ru"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_variable_that_says_something_decides() {
        let of = |set: &[(&str, &str)]| {
            Language::of_environment(|name| {
                let set = set.iter().find(|(known, _)| *known == name);
                set.map(|(_, value)| (*value).to_owned())
            })
        };
        assert_eq!(of(&[]), Language::English);
        assert_eq!(of(&[("LANG", "ru")]), Language::Russian);
        assert_eq!(of(&[("LANG", "rue_RU")]), Language::English);
        assert_eq!(of(&[("LANG", "de_DE.UTF-8")]), Language::English);
        assert_eq!(of(&[("LC_ALL", "C"), ("LANG", "ru_RU")]), Language::English);
        assert_eq!(
            of(&[("LC_ALL", ""), ("LC_MESSAGES", "ru_UA"), ("LANG", "C")]),
            Language::Russian
        );
    }

    #[test]
    fn a_thread_has_its_own_for_a_while() {
        assert_eq!(Language::present(), Language::English);
        let inner = Language::Russian.within(|| {
            let english = Language::English.within(Language::present);
            (english, Language::present())
        });
        assert_eq!(inner, (Language::English, Language::Russian));
        let fails = std::panic::catch_unwind(|| Language::Russian.within(|| panic!("meant")));
        assert!(fails.is_err());
        assert_eq!(Language::present(), Language::English);
    }
}
