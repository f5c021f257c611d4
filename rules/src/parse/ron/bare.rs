//! Values that stand without quotes or with other ones: numbers with units, expressions, texts.

use ron::Options;
use serde::de::IgnoredAny;
use situ_engine::model::{Clock, ClockKind};
use situ_words::phrase;

use super::report;
use crate::diag::Diagnostic;
use crate::source::Span;

/// A value without quotes that is no value of RON.
pub(super) struct Bare<'a> {
    pub(super) text: &'a str,
    pub(super) start: usize,
    pub(super) end: usize,
    /// The field whose value it is, or nothing.
    pub(super) field: &'a str,
    /// True if it is the value of a name: `"k": 5 m`.
    pub(super) in_map: bool,
    pub(super) in_clock: bool,
    /// The field `unit` beside it.
    pub(super) unit: Option<&'a str>,
}

impl Bare<'_> {
    pub(super) fn explain(&self, place: impl Fn(usize, usize) -> Span) -> Diagnostic {
        let written = self.text[self.start..self.end].trim_end();
        let span = place(self.start, self.start + written.len());
        if matches!(
            self.field,
            "about" | "name" | "source" | "note" | "extends" | "unit" | "file"
        ) {
            return report::unquoted_text(self.field, written, span);
        }
        let n_digits = number_length(written);
        let (number, rest) = written.split_at(n_digits);
        let behind = rest.trim_start();
        if number.is_empty() {
            return report::unquoted_expression(written, &in_ascii(written), span);
        }
        if let Some(exponent) = power_of_ten(behind) {
            return report::power_of_ten(written, &format!("{number}e{exponent}"), span);
        }
        if behind == "%" {
            let value = number.parse::<f64>().unwrap_or(f64::NAN) / 100.0;
            return report::percent(written, &format!("{value}"), span);
        }
        if behind.starts_with(|c: char| c.is_ascii_digit()) {
            let joined: String = written.chars().filter(|c| !c.is_whitespace()).collect();
            return match is_number(&joined) && !rest.starts_with(|c: char| c.is_ascii_digit()) {
                true => report::grouped_digits(written, &joined, span),
                false => report::unquoted_expression(written, &in_ascii(written), span),
            };
        }
        if behind.starts_with('.') {
            return crate::parse::report::bad_number(
                written,
                phrase!("phrase-point-too-many"),
                span,
            );
        }
        if behind.starts_with(|c: char| "*/+-^·×⋅÷−<>=&|!?([".contains(c)) {
            let meant = in_ascii(written);
            return match self.takes_number() {
                true => report::computed_number(written, worked_out(&meant), span),
                false => report::unquoted_expression(written, &meant, span),
            };
        }
        if let (true, Some(exponent)) = (behind.len() == rest.len(), prefix(rest)) {
            return report::prefix(written, rest, &format!("{number}e{exponent}"), span);
        }
        let is_unit =
            |c: char| c.is_alphabetic() || c.is_ascii_digit() || "°%/^*·⋅-−µ²³ ()'".contains(c);
        if !behind.chars().all(is_unit) {
            return report::unquoted_expression(written, &in_ascii(written), span);
        }
        let unit = place(self.start + n_digits, self.start + written.len());
        // A time without a unit is in seconds, as far as one can tell.
        let of_clock = if self.in_clock { Some("s") } else { None };
        let is_own = self.unit.or(of_clock).is_none_or(|own| own == behind);
        match () {
            () if !is_own => report::other_unit(written, behind, self.in_clock, span),
            () if self.unit.is_some() && !self.in_clock => {
                report::unit_twice(written, number, behind, unit, span)
            }
            () if self.in_map => {
                let meant = format!("(start: {number}, unit: \"{behind}\")");
                report::unit_behind(written, behind, &meant, span)
            }
            () if self.field == "start" => {
                let meant = format!("{number}, unit: \"{behind}\"");
                report::unit_behind(written, behind, &meant, span)
            }
            () => report::unit_without_field(written, number, behind, self.in_clock, unit, span),
        }
    }

    /// True if its field takes a number and no expression.
    fn takes_number(&self) -> bool {
        let is_number = |kind| {
            matches!(
                kind,
                ClockKind::Positive | ClockKind::NotNegative | ClockKind::Count
            )
        };
        match self.in_clock {
            true => Clock::SETTINGS
                .iter()
                .any(|setting| setting.name == self.field && is_number(setting.kind)),
            false => self.field == "nominal",
        }
    }
}

/// The value of a product or quotient of two numbers.
fn worked_out(written: &str) -> Option<f64> {
    let at = written.find(['*', '/'])?;
    let value = |text: &str| text.trim().parse::<f64>().ok();
    let (left, right) = (value(&written[..at])?, value(&written[at + 1..])?);
    let value = match written[at..].starts_with('*') {
        true => left * right,
        false => left / right,
    };
    value.is_finite().then_some(value)
}

/// True if a word begins like a number.
pub(super) fn begins_number(word: &str) -> bool {
    let unsigned = word.trim_start_matches(['+', '-', '−', '.']);
    unsigned.starts_with(|c: char| c.is_ascii_digit())
}

/// True if a word is a number of RON.
pub(super) fn is_number(word: &str) -> bool {
    begins_number(word) && is_value(word)
}

/// True if RON knows a word as a value.
pub(super) fn is_value(word: &str) -> bool {
    Options::default().from_str::<IgnoredAny>(word).is_ok()
}

/// The length of the number that a text begins with.
pub(crate) fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| {
        let rest = bytes.get(from..).unwrap_or_default();
        from + rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
    };
    let first = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    let mut end = digits(first);
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1);
    }
    if end == first || text[..end].ends_with(['+', '-']) {
        return 0;
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let last = digits(end + 1 + sign);
        if last > end + 1 + sign {
            end = last;
        }
    }
    end
}

/// The exponent of `· 10^6`, `*10**-3`, `x 10⁶`, if that is all.
fn power_of_ten(text: &str) -> Option<String> {
    const SUPERSCRIPTS: &str = "⁰¹²³⁴⁵⁶⁷⁸⁹";
    let factor = text
        .trim_start()
        .strip_prefix(['*', '·', '×', '⋅', 'x', 'X', '∙', '•', 'х'])?;
    let behind = factor.trim_start().strip_prefix("10")?;
    let plain = behind
        .trim_start()
        .strip_prefix("**")
        .or_else(|| behind.trim_start().strip_prefix('^'));
    let exponent: String = match plain {
        Some(exponent) => exponent
            .trim()
            .trim_matches(['(', ')', '{', '}'])
            .replace('−', "-"),
        None => {
            let digit = |c: char| match c {
                '⁻' => Some('-'),
                _ => {
                    let value = SUPERSCRIPTS.chars().position(|digit| digit == c)?;
                    char::from_digit(u32::try_from(value).ok()?, 10)
                }
            };
            behind.chars().map(digit).collect::<Option<_>>()?
        }
    };
    exponent.parse::<i32>().ok().map(|_| exponent)
}

/// The power of ten of a letter that engineers write behind a number.
fn prefix(letter: &str) -> Option<i32> {
    Some(match letter {
        "p" => -12,
        "n" => -9,
        "u" | "µ" | "μ" => -6,
        "k" | "K" => 3,
        "M" => 6,
        "G" => 9,
        "T" => 12,
        _ => return None,
    })
}

/// An expression with the signs of the language.
fn in_ascii(text: &str) -> String {
    text.replace(['·', '×', '⋅'], "*")
        .replace('÷', "/")
        .replace(['−', '–'], "-")
        .replace("**", "^")
}

/// True of characters that are seen as blanks or not at all, where RON takes them for letters.
pub(crate) fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{a0}' | '\u{ad}' | '\u{1680}' | '\u{2000}'..='\u{200d}' | '\u{202a}'..='\u{202f}' | '\u{205f}'..='\u{2064}'
            | '\u{3000}' | '\u{feff}'
    ) || c.is_control()
}

/// Reports a number with a decimal comma whose last digits stand at a byte or right before it.
pub(super) fn decimal_comma(
    text: &str,
    at: usize,
    place: impl Fn(usize, usize) -> Span,
) -> Option<Diagnostic> {
    let is_digit = |c: char| c.is_ascii_digit();
    let n_behind = text[at..].len() - text[at..].trim_start_matches(is_digit).len();
    let end = match n_behind {
        0 => text[..at].trim_end().len(),
        n => at + n,
    };
    let whole = text[..end].trim_end_matches(is_digit).strip_suffix(',')?;
    let start = whole.trim_end_matches(is_digit).len();
    let found = whole.len() + 1 < end && start < whole.len();
    if let Some(length) = grouped_length(&text[start..]).filter(|_| found) {
        let written = &text[start..start + length];
        let span = place(start, start + length);
        return Some(report::grouped_digits(
            written,
            &written.replace(',', ""),
            span,
        ));
    }
    found.then(|| {
        let grouped = format!(
            "{}{}",
            &text[start..whole.len()],
            &text[whole.len() + 1..end]
        );
        let is_group = end - whole.len() == 4;
        report::decimal_comma(
            place(start, end),
            place(whole.len(), whole.len() + 1),
            is_group.then_some(grouped.as_str()),
        )
    })
}

/// The length of `5,000,000`, whose commas can only separate thousands.
fn grouped_length(text: &str) -> Option<usize> {
    let is_group = |c: char| c.is_ascii_digit() || c == ',';
    let written = text.split(|c| !is_group(c)).next()?.trim_end_matches(',');
    let mut groups = written.split(',');
    let first = groups.next()?;
    let n_groups = groups.clone().take_while(|group| group.len() == 3).count();
    let length = first.len() + 4 * n_groups;
    (n_groups > 1 && (1..=3).contains(&first.len())).then_some(length)
}

/// The sign of RON that a sign of another script stands for.
pub(super) fn meant(sign: char) -> Option<&'static str> {
    Some(match sign {
        '，' | '、' | '،' | '﹐' | '︐' | '；' | '﹔' | '؛' | '\u{37e}' => ",",
        '：' | '﹕' | '︓' | '꞉' | '∶' | 'ː' | '։' => ":",
        '（' | '﹙' => "(",
        '）' | '﹚' => ")",
        '［' | '【' => "[",
        '］' | '】' => "]",
        '｛' | '﹛' => "{",
        '｝' | '﹜' => "}",
        '．' | '。' => ".",
        '＂' => "\"",
        _ => return None,
    })
}

/// True of quotes that are not those of a table.
pub(super) fn is_quote(c: char) -> bool {
    "“”„«»‹›‘’‚`'″".contains(c)
}

/// Reports quotes that are no quotes here, at a byte at which a value begins.
pub(super) fn foreign_quotes(
    text: &str,
    start: usize,
    place: impl Fn(usize, usize) -> Span,
) -> Option<Diagnostic> {
    let line = text[start..].lines().next()?;
    let mut chars = line.char_indices();
    let (_, open) = chars.next()?;
    if !is_quote(open) {
        return None;
    }
    if open == '\'' {
        let inside = line[1..].split('\'').next().unwrap_or_default();
        let mut inside = inside.chars();
        let is_char = inside.next() == Some('\\') || inside.next().is_none();
        if is_char && line.len() > 2 {
            return None;
        }
    }
    let ends =
        |rest: &str| rest.is_empty() || rest.starts_with([',', ':', ')', ']', '}', '/', ';']);
    let close = chars.find(|(at, c)| {
        (is_quote(*c) || *c == '"') && ends(line[at + c.len_utf8()..].trim_start())
    });
    let Some((at, close)) = close else {
        return Some(report::foreign_quotes(
            open,
            None,
            "",
            place(start, start + open.len_utf8()),
        ));
    };
    let inside = &line[open.len_utf8()..at];
    let whole = place(start, start + at + close.len_utf8());
    Some(report::foreign_quotes(open, Some(close), inside, whole))
}
