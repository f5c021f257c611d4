//! Words as they were meant: typed on the other keyboard layout, in letters that look alike, or with a slip.

use situ_rules::diag::nearest;
use situ_rules::letters::{is_cyrillic, skeleton};
use situ_words::say;

use super::reply::CommandError;

/// The keys of the Russian layout (ЙЦУКЕН), and those of the English one (QWERTY) in the same places.
const LAYOUTS: [[&str; 2]; 2] = [
    [
        "йцукенгшщзхъфывапролджэячсмитьбюё",
        "qwertyuiop[]asdfghjkl;'zxcvbnm,.`",
    ],
    [
        "ЙЦУКЕНГШЩЗХЪФЫВАПРОЛДЖЭЯЧСМИТЬБЮЁ",
        "QWERTYUIOP{}ASDFGHJKL:\"ZXCVBNM<>~",
    ],
];

/// The text with the keys of the English layout where it has letters of the Russian one; `None` if it has none.
pub(super) fn on_latin_keys(text: &str) -> Option<String> {
    text.contains(is_cyrillic).then(|| other_keys(text, 0))
}

/// The text with the letters of the Russian layout on the keys of the English one.
fn on_cyrillic_keys(text: &str) -> String {
    other_keys(text, 1)
}

/// `from`: the layout that the text is written in, as its place in a pair of [`LAYOUTS`].
fn other_keys(text: &str, from: usize) -> String {
    let other = |letter: char| {
        LAYOUTS.iter().find_map(|layouts| {
            let place = layouts[from].chars().position(|key| key == letter)?;
            layouts[1 - from].chars().nth(place)
        })
    };
    text.chars()
        .map(|letter| other(letter).unwrap_or(letter))
        .collect()
}

/// The known word that is meant by another one, and how it is told.
fn meant(word: &str, known: &[&str]) -> Option<String> {
    let look = skeleton(word);
    let looks_same = |other: &&&str| {
        **other != word && !(word.is_ascii() && other.is_ascii()) && skeleton(other) == look
    };
    if let Some(other) = known.iter().find(looks_same) {
        return Some(look_alike(word, other));
    }
    let keys = [on_latin_keys(word), Some(on_cyrillic_keys(word))];
    let mut keys = keys.into_iter().flatten().filter(|keys| keys != word);
    if let Some(other) = keys.find(|keys| known.contains(&keys.as_str())) {
        return Some(other_layout(&other));
    }
    let near = nearest(word, known.iter().copied());
    near.map(|near| say!("report-did-you-mean", near))
}

/// The error with what a word is meant to be, or with another advice.
pub(super) fn advised(
    trouble: CommandError,
    word: &str,
    known: &[&str],
    otherwise: &str,
) -> CommandError {
    match meant(word, known) {
        Some(help) => trouble.with_help(help),
        None => trouble.with_help(otherwise),
    }
}

/// Asks for what the keys of a line give on the other layout.
pub(super) fn other_layout(line: &str) -> String {
    say!("console-other-layout", line)
}

fn look_alike(word: &str, other: &str) -> String {
    let mut pairs = other.chars().zip(word.chars());
    let differs = pairs.find(|(that, this)| that != this);
    match differs.is_some_and(|(that, _)| is_cyrillic(that)) {
        true => say!("console-look-alike.cyrillic", other),
        false => say!("console-look-alike.latin", other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_both_layouts() {
        for (text, keys) in [
            ("кгт", "run"),
            ("ызудд", "spell"),
            ("цшер ДФЕШТ лунЫ", "with LATIN keyS"),
            ("х = 0ю5", "[ = 0.5"),
        ] {
            assert_eq!(on_latin_keys(text).as_deref(), Some(keys));
        }
        assert_eq!(on_latin_keys("run"), None);
        assert_eq!(on_cyrillic_keys("crjhjcnm"), "скорость");
        for [russian, english] in LAYOUTS {
            assert_eq!(russian.chars().count(), english.chars().count());
        }
    }

    #[test]
    fn looks_count_before_keys_and_keys_before_slips() {
        let known = ["Vx", "скорость", "height"];
        let check = |word: &str, start: Option<&str>| {
            let meant = meant(word, &known);
            let starts = start.is_none_or(|start| meant.as_deref().unwrap().starts_with(start));
            assert!(starts && meant.is_some() == start.is_some(), "{meant:?}");
        };
        check(
            "Vх",
            Some("did you mean `Vx`? It looks the same, but has Latin"),
        );
        check(
            "скoрость",
            Some("did you mean `скорость`? It looks the same, but has Cyrillic"),
        );
        check("crjhjcnm", Some("did you mean `скорость`? It was typed"));
        check("рушпре", Some("did you mean `height`? It was typed"));
        check("hieght", Some("did you mean `height`?"));
        check("Vx", None);
    }
}
