//! Names that look the same although their letters differ: Latin and Cyrillic letters of one shape.

use std::collections::HashMap;

use super::report;
use crate::diag::Diagnostic;
use crate::letters::{is_cyrillic, latin_of, looks_cyrillic, skeleton};
use crate::tree::Name;

/// Reports names that differ only in letters that look alike, and words that could be read in one
/// alphabet but are written in two.
pub(super) fn report<'a>(names: impl Iterator<Item = &'a Name>, diagnostics: &mut Vec<Diagnostic>) {
    let mut by_look: HashMap<String, &Name> = HashMap::new();
    for name in names {
        if let Some(word) = mixed_word(&name.value) {
            diagnostics.push(report::mixed_scripts(name, word));
        }
        let first = *by_look.entry(skeleton(&name.value)).or_insert(name);
        if first.value != name.value {
            diagnostics.push(report::look_alike(name, first));
        }
    }
}

/// A word of the name with letters of both alphabets that would look the same in one of them.
fn mixed_word(name: &str) -> Option<&str> {
    name.split(|letter: char| !letter.is_alphabetic())
        .find(|word| {
            let cyrillic = || word.chars().filter(|letter| is_cyrillic(*letter));
            let latin = || word.chars().filter(|letter| is_latin(*letter));
            cyrillic().next().is_some()
                && latin().next().is_some()
                && (cyrillic().all(|letter| latin_of(letter).is_some())
                    || latin().all(looks_cyrillic))
        })
}

fn is_latin(letter: char) -> bool {
    matches!(letter, 'a'..='z' | 'A'..='Z' | '\u{C0}'..='\u{24F}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_in_two_alphabets() {
        let check = |name: &str, mixed: Option<&str>| assert_eq!(mixed_word(name), mixed, "{name}");
        check("speed", None);
        check("скорость", None);
        check("F_упр", None);
        check("Fтр", None);
        check("Vобода", None);
        check("sреed", Some("sреed"));
        check("Cила", Some("Cила"));
        check("x1_хx", Some("хx"));
    }

    #[test]
    fn one_look_has_one_skeleton() {
        assert_eq!(skeleton("Ах"), "Ax");
        assert_eq!(skeleton("сила"), "cилa");
    }
}
