//! Latin and Cyrillic letters of one shape.

/// Cyrillic letters with the Latin letters they look like.
const PAIRS: &[(char, char)] = &[
    ('А', 'A'),
    ('В', 'B'),
    ('Е', 'E'),
    ('Ѕ', 'S'),
    ('І', 'I'),
    ('Ј', 'J'),
    ('К', 'K'),
    ('М', 'M'),
    ('Н', 'H'),
    ('О', 'O'),
    ('Р', 'P'),
    ('С', 'C'),
    ('Т', 'T'),
    ('У', 'Y'),
    ('Х', 'X'),
    ('а', 'a'),
    ('е', 'e'),
    ('о', 'o'),
    ('р', 'p'),
    ('с', 'c'),
    ('у', 'y'),
    ('х', 'x'),
    ('ѕ', 's'),
    ('і', 'i'),
    ('ј', 'j'),
    ('һ', 'h'),
    ('ԁ', 'd'),
    ('ԛ', 'q'),
    ('ԝ', 'w'),
];

/// The name with every Cyrillic letter that looks Latin written in Latin.
pub fn skeleton(name: &str) -> String {
    name.chars()
        .map(|letter| latin_of(letter).unwrap_or(letter))
        .collect()
}

/// True of the letters of that alphabet.
pub fn is_cyrillic(letter: char) -> bool {
    matches!(letter, '\u{400}'..='\u{52F}')
}

/// The Latin letter that a Cyrillic one looks like.
pub(crate) fn latin_of(cyrillic: char) -> Option<char> {
    PAIRS
        .iter()
        .find(|(letter, _)| *letter == cyrillic)
        .map(|(_, latin)| *latin)
}

/// True of a Latin letter that looks like a Cyrillic one.
pub(crate) fn looks_cyrillic(latin: char) -> bool {
    PAIRS.iter().any(|(_, letter)| *letter == latin)
}
