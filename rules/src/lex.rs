//! One-line rules, conditions and expressions become tokens with places.
//!
//! Names are taken as Unicode spells them (`XID_Start XID_Continue*`, or anything between
//! backticks), numbers greedily, so that `1.2.3` and `2x` are one token each and can be reported as
//! what they were meant to be. The lexer knows no grammar and reports nothing; what it cannot read
//! is a token too.

use std::borrow::Cow;

use crate::letters::skeleton;
use logos::Logos;
use situ_words::{Phrase, phrase};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// Kind of a piece of text.
#[derive(Logos, Clone, Copy, PartialEq, Eq, Debug)]
#[logos(skip r"[ \t\r\n]+")]
pub(crate) enum Token {
    /// Words joined by points are one: `pendulum.flies`; so is `flux(6r)`, the rate of a stage.
    #[regex(
        r"[\p{XID_Start}_][\p{XID_Continue}--\u{B7}--\u{387}]*(\.[\p{XID_Continue}--\u{B7}--\u{387}]+)*"
    )]
    #[regex(
        r"([\p{XID_Start}_][\p{XID_Continue}--\u{B7}--\u{387}]*\.)*flux\([\p{XID_Continue}--\u{B7}--\u{387}]+\)",
        priority = 100
    )]
    Name,
    /// What stands in a part of which the name ends before it: `.T` of `cell[i].T`.
    #[regex(
        r"\.[\p{XID_Start}_][\p{XID_Continue}--\u{B7}--\u{387}]*(\.[\p{XID_Continue}--\u{B7}--\u{387}]+)*"
    )]
    #[regex(
        r"\.([\p{XID_Start}_][\p{XID_Continue}--\u{B7}--\u{387}]*\.)*flux\([\p{XID_Continue}--\u{B7}--\u{387}]+\)",
        priority = 100
    )]
    Member,
    /// A name between backticks.
    #[regex(r"`[^`\n]*`")]
    Quoted,
    /// A backtick without its partner, and the rest of the line.
    #[regex(r"`[^`\n]*", allow_greedy = true)]
    OpenQuote,
    /// Digits and what stands directly after them; [`number`] says whether it is one.
    #[regex(r"\.?[0-9]([\p{XID_Continue}.--\u{B7}--\u{387}]|[eE][+-])*")]
    Number,
    #[token("event")]
    Event,
    #[token("when")]
    When,
    #[token("otherwise")]
    Otherwise,
    #[token("start")]
    Start,
    #[token("time")]
    Time,
    #[token("pi")]
    Pi,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Star,
    #[token("/")]
    Slash,
    #[token("^")]
    Caret,
    #[token("(")]
    Open,
    #[token(")")]
    Close,
    #[token(",")]
    Comma,
    /// Between the ends of a range of counters.
    #[token("..")]
    DotDot,
    #[token(":")]
    Colon,
    #[token("=")]
    Equal,
    #[token(":=")]
    Once,
    #[token("<")]
    Less,
    #[token("<=")]
    LessEqual,
    #[token(">")]
    Greater,
    #[token(">=")]
    GreaterEqual,
    #[token("!")]
    Not,
    #[token("&")]
    And,
    /// `#` and the rest of the line.
    #[regex(r"#[^\n]*", allow_greedy = true)]
    Comment,
    /// A sign that other languages have here; see [`foreign_sign`].
    #[regex(
        r"==|!=|<<|>>|<>|<->|=<|=>|&&|\|\||\*\*|->|\+=|-=|\*=|/=|[|%;'~−–×·⋅÷≤≥≠¬∧∨²³√°?{}\[\]]"
    )]
    Foreign,
    /// A text between single quotes, in rows of scenes only.
    Text,
    /// A character that cannot stand here.
    Unknown,
    /// After the last token.
    End,
}

/// A token and its bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lexeme {
    pub(crate) token: Token,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// Appends the tokens of `text`, whose first byte has the number `base`, with an
/// [`End`](Token::End) as the last one. Unknown characters next to each other are one token.
pub(crate) fn lex(text: &str, base: u32, lexemes: &mut Vec<Lexeme>) {
    let position = |byte: usize| base + position(byte);
    let mut lexer = Token::lexer(text);
    while let Some(token) = lexer.next() {
        let mut range = lexer.span();
        // `1..10` are the ends of a range.
        if token == Ok(Token::Number)
            && let Some(dots) = lexer.slice().find("..").filter(|dots| *dots > 0)
        {
            range.end = range.start + dots;
            let rest = range.end;
            lexemes.push(Lexeme {
                token: Token::Number,
                start: position(range.start),
                end: position(range.end),
            });
            lex(&text[rest..], position(rest), lexemes);
            return;
        }
        let lexeme = Lexeme {
            token: token.unwrap_or(Token::Unknown),
            start: position(range.start),
            end: position(range.end),
        };
        match lexemes.last_mut() {
            Some(last)
                if last.token == Token::Unknown
                    && lexeme.token == Token::Unknown
                    && last.end == lexeme.start =>
            {
                last.end = lexeme.end;
            }
            _ => lexemes.push(lexeme),
        }
    }
    let end = position(text.len());
    lexemes.push(Lexeme {
        token: Token::End,
        start: end,
        end,
    });
}

/// The number of a byte, as lexemes and places have it.
pub(crate) fn position(byte: usize) -> u32 {
    u32::try_from(byte).expect("a source has fewer than 2^32 bytes")
}

/// Appends the tokens of a row of a scene: as those of any row, but for texts between single quotes, each of which is
/// one token. A quote in a text is written twice.
pub(crate) fn lex_with_letters(text: &str, base: u32, lexemes: &mut Vec<Lexeme>) {
    let mut at = 0;
    loop {
        let Some(open) = next_quote(&text[at..]) else {
            lex(&text[at..], base + position(at), lexemes);
            return;
        };
        let open = at + open;
        lex(&text[at..open], base + position(at), lexemes);
        // The end of this piece is not the end of the row.
        lexemes.pop();
        at = open + 1 + closing_quote(&text[open + 1..]);
        lexemes.push(Lexeme {
            token: Token::Text,
            start: base + position(open),
            end: base + position(at),
        });
    }
}

/// The first quote outside of names in backticks and comments.
fn next_quote(text: &str) -> Option<usize> {
    let mut in_name = false;
    for (at, letter) in text.char_indices() {
        match letter {
            '`' => in_name = !in_name,
            '\'' if !in_name => return Some(at),
            '#' if !in_name => return None,
            _ => {}
        }
    }
    None
}

/// The byte behind the quote that closes a text, or the end.
pub(crate) fn closing_quote(text: &str) -> usize {
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        if letter == '\'' && letters.next_if(|(_, next)| *next == '\'').is_none() {
            return at + 1;
        }
    }
    text.len()
}

/// Words with a meaning of their own.
pub(crate) const KEYWORDS: [&str; 6] = ["event", "when", "otherwise", "start", "time", "pi"];

/// The begin of the name of a stage's rate.
pub(crate) const FLUX: &str = "flux(";

/// True if the text can stand as a name without backticks.
pub fn is_plain_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    let plain = match bytes.next() {
        Some(first) if first.is_ascii() => {
            (first.is_ascii_alphabetic() || first == b'_')
                && match bytes.find(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_') {
                    None => true,
                    Some(b'(') if text.starts_with(FLUX) => lexes_as_name(text),
                    Some(b'.') => lexes_as_name(text),
                    Some(other) if other.is_ascii() => false,
                    Some(_) => lexes_as_name(text),
                }
        }
        Some(_) => lexes_as_name(text),
        None => false,
    };
    plain && !KEYWORDS.contains(&text)
}

fn lexes_as_name(text: &str) -> bool {
    let mut lexer = Token::lexer(text);
    lexer.next() == Some(Ok(Token::Name)) && lexer.slice().len() == text.len()
}

/// The text in normal form C, in which names are compared.
pub(crate) fn normalised(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || is_nfc_quick(text.chars()) == IsNormalized::Yes {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.nfc().collect())
    }
}

/// Why a [`Token::Number`] is no number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NumberFault {
    /// `1.2.3`
    TwoPoints,
    /// `1e`, `1e-x`
    NoExponent,
    /// `1e999`
    TooLarge,
    /// `1e-999`, which would be 0.
    TooSmall,
    /// `2x`: a name begins at this byte of the token.
    Name(usize),
}

/// The value of a [`Token::Number`].
pub(crate) fn number(text: &str) -> Result<f64, NumberFault> {
    let bytes = text.as_bytes();
    let digits = |from: usize| {
        bytes[from..]
            .iter()
            .position(|byte| !byte.is_ascii_digit())
            .map_or(bytes.len(), |n| from + n)
    };
    let mut end = digits(0);
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1);
    }
    if bytes.get(end) == Some(&b'.') {
        return Err(NumberFault::TwoPoints);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let signed = matches!(bytes.get(end + 1), Some(b'+' | b'-'));
        let first = end + 1 + usize::from(signed);
        let last = digits(first);
        let name_follows =
            !signed && bytes.get(first).is_some_and(|byte| *byte != b'.') && last == first;
        if name_follows {
            return Err(NumberFault::Name(end));
        }
        if last == first {
            return Err(NumberFault::NoExponent);
        }
        end = last;
    }
    match bytes.get(end) {
        Some(b'.') => return Err(NumberFault::TwoPoints),
        Some(_) => return Err(NumberFault::Name(end)),
        None => {}
    }
    match text.parse::<f64>() {
        Ok(value) if vanishes(text, value) => Err(NumberFault::TooSmall),
        Ok(value) if value.is_finite() => Ok(value),
        Ok(_) => Err(NumberFault::TooLarge),
        Err(_) => Err(NumberFault::TwoPoints),
    }
}

/// True of a number whose digits are not all 0 where its value is.
pub(crate) fn vanishes(written: &str, value: f64) -> bool {
    let digits = written.split(['e', 'E']).next().unwrap_or_default();
    value == 0.0 && digits.contains(|digit: char| matches!(digit, '1'..='9'))
}

/// Sign or word of other languages, and its meaning here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Foreign {
    /// As it is written there.
    pub(crate) written: &'static str,
    /// The token that is meant, if there is one in this language.
    pub(crate) meant: Option<Token>,
    /// Spelling of that token.
    pub(crate) replacement: &'static str,
    /// Instruction.
    pub(crate) help: Option<Phrase>,
}

const fn same(written: &'static str, meant: Token, replacement: &'static str) -> Foreign {
    Foreign {
        written,
        meant: Some(meant),
        replacement,
        help: None,
    }
}

const fn other(written: &'static str, help: Phrase) -> Foreign {
    Foreign {
        written,
        meant: None,
        replacement: "",
        help: Some(help),
    }
}

const ALTERNATIVE: Phrase = phrase!("phrase-condition-cannot-say");
const UNEQUAL: Phrase = phrase!("phrase-compare-row-another");
const UPDATE: Phrase = phrase!("phrase-write-x-x");
const BRACES: Phrase = phrase!("phrase-use-round-parentheses");

/// The meaning of a [`Token::Foreign`].
pub(crate) fn foreign_sign(text: &str) -> Foreign {
    const SIGNS: &[Foreign] = &[
        same("==", Token::Equal, "="),
        same("=<", Token::LessEqual, "<="),
        same("=>", Token::GreaterEqual, ">="),
        same("<<", Token::Less, "<"),
        same(">>", Token::Greater, ">"),
        same("≤", Token::LessEqual, "<="),
        same("≥", Token::GreaterEqual, ">="),
        same("&&", Token::And, "&"),
        same("∧", Token::And, "&"),
        same("~", Token::Not, "!"),
        same("¬", Token::Not, "!"),
        same("**", Token::Caret, "^"),
        same("×", Token::Star, "*"),
        same("·", Token::Star, "*"),
        same("⋅", Token::Star, "*"),
        same("÷", Token::Slash, "/"),
        same("−", Token::Minus, "-"),
        same("–", Token::Minus, "-"),
        Foreign {
            written: "²",
            meant: None,
            replacement: "^2",
            help: None,
        },
        Foreign {
            written: "³",
            meant: None,
            replacement: "^3",
            help: None,
        },
        other("√", phrase!("phrase-write-sqrt-x")),
        other("°", phrase!("phrase-sind-cosd-tand")),
        other("?", phrase!("phrase-write-row-each")),
        other("||", ALTERNATIVE),
        other("∨", ALTERNATIVE),
        other("|", phrase!("phrase-condition-cannot-say-2")),
        other("!=", UNEQUAL),
        other("<>", UNEQUAL),
        other("≠", UNEQUAL),
        other("%", phrase!("phrase-remainder-mod-b")),
        other("'", phrase!("phrase-x-f-write")),
        other("->", phrase!("phrase-write-when-condition")),
        other("+=", UPDATE),
        other("-=", UPDATE),
        other("*=", UPDATE),
        other("/=", UPDATE),
        other(";", phrase!("phrase-write-row-each-2")),
        other("{", BRACES),
        other("}", BRACES),
        other("[", BRACES),
        other("]", BRACES),
    ];
    let unknown = other("", phrase!("phrase-leave-out"));
    SIGNS
        .iter()
        .find(|sign| sign.written == text)
        .copied()
        .unwrap_or(unknown)
}

/// The meaning of a word that is an operator or keyword elsewhere, if it is one.
pub(crate) fn foreign_word(text: &str) -> Option<Foreign> {
    const WORDS: &[Foreign] = &[
        same("and", Token::And, "&"),
        same("AND", Token::And, "&"),
        same("not", Token::Not, "!"),
        same("NOT", Token::Not, "!"),
        same("if", Token::When, "when"),
        same("while", Token::When, "when"),
        same("else", Token::Otherwise, "otherwise"),
        same("и", Token::And, "&"),
        same("не", Token::Not, "!"),
        same("если", Token::When, "when"),
        same("когда", Token::When, "when"),
        same("при", Token::When, "when"),
        same("иначе", Token::Otherwise, "otherwise"),
        same("событие", Token::Event, "event"),
        other("или", ALTERNATIVE),
        other("or", ALTERNATIVE),
        other("OR", ALTERNATIVE),
        other("then", phrase!("phrase-write-when-condition")),
        other("mod", phrase!("phrase-remainder-mod-b")),
        other("unless", phrase!("phrase-write-when-name")),
    ];
    let keywords = [
        (Token::When, "when"),
        (Token::Otherwise, "otherwise"),
        (Token::Event, "event"),
        (Token::Start, "start"),
        (Token::Time, "time"),
        (Token::Pi, "pi"),
    ];
    let look_alike = || {
        let look = (!text.is_ascii()).then(|| skeleton(text))?;
        let (token, word) = keywords.into_iter().find(|(_, word)| *word == look)?;
        Some(same(word, token, word))
    };
    // A Russian word may begin a sentence.
    let lower = (!text.is_ascii()).then(|| text.to_lowercase());
    let written = lower.as_deref().unwrap_or(text);
    let word = WORDS.iter().find(|word| word.written == written).copied();
    word.or_else(look_alike)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(Token, &str)]) {
        let mut lexemes = Vec::new();
        lex(text, 0, &mut lexemes);
        let found: Vec<_> = lexemes
            .iter()
            .map(|lexeme| {
                (
                    lexeme.token,
                    &text[lexeme.start as usize..lexeme.end as usize],
                )
            })
            .collect();
        let (end, found) = found.split_last().expect("there is an end");
        assert_eq!(*end, (Token::End, ""));
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn tokens() {
        use Token::*;
        check(
            "x=-3",
            &[(Name, "x"), (Equal, "="), (Minus, "-"), (Number, "3")],
        );
        check(
            "x:=a<-b",
            &[
                (Name, "x"),
                (Once, ":="),
                (Name, "a"),
                (Less, "<"),
                (Minus, "-"),
                (Name, "b"),
            ],
        );
        check(
            "timer time`a b`",
            &[(Name, "timer"), (Time, "time"), (Quoted, "`a b`")],
        );
        check("`a b", &[(OpenQuote, "`a b")]);
        check("угол_2 # x = `", &[(Name, "угол_2"), (Comment, "# x = `")]);
        check(
            "1e-3-.5*2.",
            &[
                (Number, "1e-3"),
                (Minus, "-"),
                (Number, ".5"),
                (Star, "*"),
                (Number, "2."),
            ],
        );
        check(
            "1.2.3 2x 3·y",
            &[
                (Number, "1.2.3"),
                (Number, "2x"),
                (Number, "3"),
                (Foreign, "·"),
                (Name, "y"),
            ],
        );
        check(
            "a&&b=<c",
            &[
                (Name, "a"),
                (Foreign, "&&"),
                (Name, "b"),
                (Foreign, "=<"),
                (Name, "c"),
            ],
        );
        check("a @$ b", &[(Name, "a"), (Unknown, "@$"), (Name, "b")]);
        check("", &[]);
    }

    #[test]
    fn numbers() {
        for (text, value) in [
            ("1e-3", 1e-3),
            (".5", 0.5),
            ("2.", 2.0),
            ("2.e3", 2e3),
            ("1E+2", 100.0),
        ] {
            assert_eq!(number(text), Ok(value), "{text}");
        }
        let faults = [
            ("1.2.3", NumberFault::TwoPoints),
            ("1..2", NumberFault::TwoPoints),
            ("1e3.5", NumberFault::TwoPoints),
            ("1e", NumberFault::NoExponent),
            ("1e-", NumberFault::NoExponent),
            ("1e-x", NumberFault::NoExponent),
            ("2x", NumberFault::Name(1)),
            ("2e3x", NumberFault::Name(3)),
            ("2eta", NumberFault::Name(1)),
            ("1_000", NumberFault::Name(1)),
            ("1e999", NumberFault::TooLarge),
            ("1e-400", NumberFault::TooSmall),
            ("0.03E-330", NumberFault::TooSmall),
        ];
        for (text, fault) in faults {
            assert_eq!(number(text), Err(fault), "{text}");
        }
    }

    #[test]
    fn names_that_need_no_backticks() {
        for name in ["x", "_x1", "угол", "é", "x_б"] {
            assert!(is_plain_name(name), "{name}");
        }
        for name in ["", "1x", "a b", "time", "a-b", "a·b", "x'", "x б"] {
            assert!(!is_plain_name(name), "{name}");
        }
    }

    #[test]
    fn every_foreign_sign_has_a_meaning() {
        let signs = "== != << >> <> =< => && || ** -> += -= *= /= | % ; ' ~ − – × · ⋅ ÷ ≤ ≥ ≠ ¬ ∧ ∨ ² ³ √ ° ? { } [ ]";
        for sign in signs.split(' ') {
            check(sign, &[(Token::Foreign, sign)]);
            let foreign = foreign_sign(sign);
            assert_eq!(foreign.written, sign);
            assert_ne!(
                foreign.replacement.is_empty(),
                foreign.help.is_none(),
                "{sign}"
            );
        }
    }
}
