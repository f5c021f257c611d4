//! Rows as other languages write them: ids without brackets, choices between values, percent signs and units behind
//! numbers. Each is reported once, with what to write.

use situ_words::{phrase, say};

mod report;

pub(super) use report::{products, truth_compared};

use super::report as reports;
use super::ron::is_invisible;
use super::tokens::{Parser, compare, infix, is_name_like};
use crate::lex::{Lexeme, Token, position};
use crate::tree::List;

/// Symbols of units that people write behind numbers, where a name of a quantity is less likely.
const UNITS: &[&str] = &[
    "A", "C", "F", "Hz", "J", "K", "N", "Nm", "Pa", "V", "W", "bar", "cm", "deg", "degC", "g", "h",
    "hPa", "kHz", "kJ", "kN", "kPa", "kW", "kWh", "kg", "km", "l", "m", "mA", "mV", "mbar", "min",
    "mm", "mol", "ms", "rad", "s", "sec", "А", "В", "Вт", "Гц", "Дж", "К", "Н", "Па", "атм", "г",
    "град", "кВт", "кг", "км", "л", "м", "мин", "мм", "с", "см", "ч",
];

impl Parser<'_> {
    /// Passes over `3`, `3:`, `3.`, `3)` or `(3)` in front of a row: an id without its brackets.
    pub(super) fn id_without_brackets(&mut self) {
        let open = usize::from(self.peek() == Token::Open);
        let number = self.ahead(open);
        if number.token != Token::Number {
            return;
        }
        let behind = self.ahead(open + 1);
        let closed = match behind.token {
            Token::Close => 1,
            Token::Colon if open == 0 => 1,
            _ if open == 0 => 0,
            _ => return,
        };
        let first = open + 1 + closed;
        let body = self.ahead(first).token;
        let mut sign = self.name_end(first);
        while self.ahead(sign).token == Token::Comma && is_name_like(self.ahead(sign + 1).token) {
            sign = self.name_end(sign + 1);
        }
        let begins_row = match body {
            Token::When | Token::Event => true,
            body if is_name_like(body) => {
                matches!(
                    self.ahead(sign).token,
                    Token::Equal | Token::Once | Token::Colon
                )
            }
            _ => false,
        };
        if !begins_row {
            return;
        }
        let id = self.slice(number).trim_end_matches('.');
        let span = self.text.span(self.lexeme().start, self.ahead(first).start);
        self.report(report::id_without_brackets(id, span));
        self.next += first;
    }

    /// Reports a rate on the left of a row, as other languages write it, and passes over it: `x' = f`, `der(x) = f`,
    /// `dx/dt = f`.
    pub(super) fn rate_on_the_left(&mut self) -> bool {
        let word = |n: usize| self.slice(self.ahead(n));
        let (real, sign) = match [word(0), word(1), word(2)] {
            [real, "'", _] => (real, 2),
            ["der" | "diff" | "derivative" | "d" | "D", "(", real] if word(3) == ")" => (real, 4),
            [rate, "/", "dt"] if rate.len() > 1 && rate.starts_with('d') => (&rate[1..], 3),
            _ => return false,
        };
        if self.ahead(sign).token != Token::Equal || !matches!(self.ahead(0).token, Token::Name) {
            return false;
        }
        let rest = &self.lexemes[self.next + sign + 1..];
        let ends =
            |lexeme: &&Lexeme| matches!(lexeme.token, Token::When | Token::Otherwise | Token::End);
        let (Some(first), Some(end)) = (rest.first(), rest.iter().find(ends)) else {
            return false;
        };
        let value = self.text.text[first.start as usize..end.start as usize].trim_end();
        let begin = self.lexeme().start;
        let left = self.text.span(begin, self.ahead(sign - 1).end);
        let last = first.start + position(value.len());
        let row = self.text.span(begin, last);
        self.report(report::rate_on_the_left(real, value, left, row));
        self.skip_all();
        true
    }

    /// Reports a choice between two values, as other languages write it, and passes over it: `a ? b : c`,
    /// `if a then b else c`, `b if a else c`, `if(a, b, c)`.
    pub(super) fn choice(&mut self, target: &str) -> bool {
        let Some([condition, first, second]) = self.parts_of_choice() else {
            return false;
        };
        let text = |(start, end): (u32, u32)| self.text.text[start as usize..end as usize].trim();
        let [condition, first, second] = [condition, first, second].map(text);
        let last = self.lexemes[self.lexemes.len() - 2];
        let span = self.text.span(self.lexeme().start, last.end);
        self.report(report::choice(target, condition, first, second, span));
        self.skip_all();
        true
    }

    fn parts_of_choice(&self) -> Option<[(u32, u32); 3]> {
        let rest = &self.lexemes[self.next..];
        let (end, rest) = rest.split_last()?;
        let begin = rest.first()?.start;
        let at = |words: &[&str]| {
            rest.iter()
                .position(|lexeme| words.contains(&self.slice(*lexeme)))
        };
        let behind = |index: usize| rest.get(index + 1).map_or(end.start, |lexeme| lexeme.start);
        let start = |index: usize| rest[index].start;
        if let Some(mark) = at(&["?"]) {
            let colon = at(&[":"]).filter(|colon| *colon > mark)?;
            return Some([
                (begin, start(mark)),
                (behind(mark), start(colon)),
                (behind(colon), end.start),
            ]);
        }
        let is_if = |word: &str| {
            matches!(
                word.to_lowercase().as_str(),
                "if" | "ifelse" | "iif" | "where" | "если"
            )
        };
        let opens = rest
            .get(1)
            .is_some_and(|lexeme| lexeme.token == Token::Open);
        if is_if(self.slice(rest[0])) && opens && rest.last()?.token == Token::Close {
            let commas = self.commas_inside(rest);
            if let [first, second] = commas[..] {
                return Some([
                    (behind(1), start(first)),
                    (behind(first), start(second)),
                    (behind(second), rest.last()?.start),
                ]);
            }
        }
        let otherwise = at(&["else", "otherwise", "иначе"])?;
        let condition = at(&["if", "если"]).or_else(|| {
            // A second value makes a choice of a row with its condition: `a when c else b`.
            let has_second = otherwise + 1 < rest.len() && !self.begins_each_at(otherwise + 1);
            let mut depth = 0;
            let when = rest.iter().position(|lexeme| {
                depth += match lexeme.token {
                    Token::Open => 1,
                    Token::Close => -1,
                    _ => 0,
                };
                depth == 0 && matches!(self.slice(*lexeme), "when" | "когда")
            });
            when.filter(|_| has_second)
        })?;
        match at(&["then", "то"]) {
            Some(then) if condition == 0 && then < otherwise => Some([
                (behind(0), start(then)),
                (behind(then), start(otherwise)),
                (behind(otherwise), end.start),
            ]),
            None if condition > 0 && condition < otherwise => Some([
                (behind(condition), start(otherwise)),
                (begin, start(condition)),
                (behind(otherwise), end.start),
            ]),
            _ => None,
        }
    }

    /// Commas and semicolons of the call that all of the lexemes are.
    fn commas_inside(&self, call: &[Lexeme]) -> Vec<usize> {
        let mut depth = 0_usize;
        let mut commas = Vec::new();
        for (index, lexeme) in call.iter().enumerate() {
            match lexeme.token {
                Token::Open => depth += 1,
                Token::Close => depth = depth.saturating_sub(1),
                Token::Comma if depth == 1 => commas.push(index),
                _ if depth == 1 && self.slice(*lexeme) == ";" => commas.push(index),
                _ => {}
            }
        }
        commas
    }

    /// Reports `5%` and `5°` where no operand follows, and takes the sign.
    pub(super) fn sign_behind_number(&mut self) -> bool {
        let sign = self.lexeme();
        let Some(index) = self.next.checked_sub(1) else {
            return false;
        };
        let number = self.lexemes[index];
        let follows = self.ahead(1);
        let touches = number.token == Token::Number && number.end == sign.start;
        let (text, span) = (self.slice(number), self.span(number).to(self.span(sign)));
        let is_operand = matches!(
            follows.token,
            Token::Name | Token::Quoted | Token::Number | Token::Open | Token::Time | Token::Pi
        );
        let report = match self.slice(sign) {
            "%" if touches && !is_operand => match self.value_before_tolerance(index) {
                Some(value) => report::percent_of(text, value, span),
                None => report::percent(text, span),
            },
            "°" if matches!(self.slice(follows), "C" | "F" | "С") && follows.start == sign.end => {
                let unit = self.text.span(number.end, follows.end);
                let symbol = format!("°{}", self.slice(follows));
                self.next += 1;
                report::unit_behind_number(text, &symbol, unit)
            }
            "°" => report::degrees(text, number.token == Token::Number, span),
            _ => return false,
        };
        self.report(report);
        self.next += 1;
        true
    }

    /// The value whose tolerance begins at a lexeme: `3` in `max(h) = 3 +- 1`.
    fn value_before_tolerance(&self, index: usize) -> Option<&str> {
        let before = &self.lexemes[..index];
        let value = match before {
            [value @ .., plus, minus]
                if plus.token == Token::Plus
                    && minus.token == Token::Minus
                    && plus.end == minus.start =>
            {
                value
            }
            [value @ .., sign] if self.slice(*sign) == "±" => value,
            _ => return None,
        };
        let equal = value
            .iter()
            .position(|lexeme| lexeme.token == Token::Equal)?;
        let (first, last) = (value.get(equal + 1)?, value.last()?);
        Some(&self.text.text[first.start as usize..last.end as usize])
    }

    /// Reports the symbol of a unit behind a number, and takes it.
    pub(super) fn unit_behind_number(&mut self) -> bool {
        let unit = self.lexeme();
        let Some(index) = self.next.checked_sub(1) else {
            return false;
        };
        let number = self.lexemes[index];
        let is_unit = number.token == Token::Number
            && unit.token == Token::Name
            && number.end < unit.start
            && self.ahead(1).token != Token::Open
            && UNITS.contains(&self.slice(unit));
        if is_unit {
            let place = self.text.span(number.end, unit.end);
            let report = report::unit_behind_number(self.slice(number), self.slice(unit), place);
            self.report(report);
            self.next += 1;
        }
        is_unit
    }

    /// Reports letters directly after a number that have a meaning elsewhere: `5k`, `20degC`, `5x10`.
    pub(super) fn letters_behind_number(
        &mut self,
        lexeme: Lexeme,
        digits: &str,
        letters: &str,
    ) -> bool {
        let span = self.span(lexeme);
        let report = match letters {
            "k" | "K" | "M" | "G" => {
                let exponent = ["k", "M", "G"]
                    .iter()
                    .position(|letter| letter.eq_ignore_ascii_case(letters));
                report::prefix(digits, letters, 3 * (exponent.unwrap_or(0) + 1), span)
            }
            "x10" | "X10" | "х10" if self.exponent_follows() => {
                let minus = self.ahead(1).token == Token::Minus;
                let last = self.ahead(1 + usize::from(minus));
                let whole = self.text.span(lexeme.start, last.end);
                let sign = if minus { "-" } else { "" };
                let exponent = format!("{sign}{}", self.slice(last));
                self.next += 2 + usize::from(minus);
                report::power_of_ten(self.text_at(whole), digits, &exponent, whole)
            }
            _ if UNITS.contains(&letters) => {
                let at = lexeme.end - position(letters.len());
                report::unit_behind_number(digits, letters, self.text.span(at, lexeme.end))
            }
            _ => return false,
        };
        self.report(report);
        true
    }

    /// True at `^` or `**` with a number behind it.
    fn exponent_follows(&self) -> bool {
        let power = matches!(self.slice(self.lexeme()), "^" | "**");
        let minus = usize::from(self.ahead(1).token == Token::Minus);
        power && self.ahead(1 + minus).token == Token::Number
    }

    /// Reports `2,5` where values are not separated by commas, and takes it for a number.
    pub(super) fn decimal_comma(&mut self) -> bool {
        let [whole, comma, fraction] = [self.lexeme(), self.ahead(1), self.ahead(2)];
        let is_decimal = !self.in_list
            && comma.token == Token::Comma
            && fraction.token == Token::Number
            && whole.end == comma.start
            && comma.end == fraction.start;
        if !is_decimal {
            return false;
        }
        let [whole_text, fraction_text] = [self.slice(whole), self.slice(fraction)];
        let span = self.span(whole).to(self.span(fraction));
        let written = format!("{whole_text},{fraction_text}");
        let meant = format!("{whole_text}.{fraction_text}");
        let help = say!("foreign-write", meant);
        let mut report =
            reports::bad_number(&written, phrase!("phrase-decimals-begin-point"), span);
        if fraction_text.len() == 3 && whole_text.len() <= 3 && whole_text != "0" {
            let grouped = format!("{whole_text}{fraction_text}");
            report = report.with_note(say!("ron-decimal-comma.note", grouped));
        }
        self.report(report.with_edit(help, span, meant));
        self.next += 3;
        true
    }

    /// Reports `low: x = 2` among the relations, and goes on behind the colon.
    fn condition_in_front(&mut self, colon: usize) {
        let text = |from: u32, to: u32| self.text.text[from as usize..to as usize].trim();
        let first = self.lexeme().start;
        let end = self.lexemes[self.lexemes.len() - 1].start;
        let condition = text(first, self.lexemes[colon].start);
        let row = text(self.lexemes[colon].end, end);
        let span = self
            .text
            .span(first, first + position(text(first, end).len()));
        let report = report::condition_in_front(condition, row, span);
        self.report(report);
        self.next = colon + 1;
    }

    /// True if a letter stands for the sign of a product: `2 х y`, whose `х` is a letter of either script.
    pub(super) fn times_letter(&self) -> bool {
        let (letter, next) = (self.slice(self.lexeme()), self.ahead(1));
        let is_letter = matches!(letter, "x" | "X" | "х" | "Х");
        is_letter
            && matches!(
                next.token,
                Token::Name | Token::Quoted | Token::Number | Token::Open
            )
            && self.ahead(0).end < next.start
    }

    /// Takes `x: 2 * y` among the relations and `high = x > 2` among the ranges for what is meant.
    pub(super) fn sign_of_another_list(&mut self, list: Option<List>, sign: usize) {
        let index = self.next + sign;
        let lexeme = self.lexemes[index];
        let rest = &self.lexemes[index + 1..];
        let has = |wanted: fn(Token) -> bool| {
            rest.iter()
                .any(|lexeme| wanted(self.meaning(*lexeme).unwrap_or(lexeme.token)))
        };
        if list == Some(List::Relations)
            && lexeme.token == Token::Colon
            && has(|token| token == Token::Equal)
        {
            return self.condition_in_front(index);
        }
        let compares = has(|token| compare(token).is_some());
        let joins = has(|token| matches!(token, Token::And | Token::Not));
        let computes = has(|token| infix(token).is_some() || token == Token::Number);
        let meant = match (list, lexeme.token) {
            (Some(List::Relations), Token::Colon) if !compares && !joins => Token::Equal,
            (Some(List::Ranges), Token::Equal) if compares => Token::Colon,
            (Some(List::Situations), Token::Equal) if compares || joins || !computes => {
                Token::Colon
            }
            _ => return,
        };
        let list = list.map_or("", List::name);
        let before = match (meant, index.checked_sub(1)) {
            (Token::Colon, Some(before)) => self.lexemes[before].end,
            _ => lexeme.start,
        };
        let span = self.text.span(before, lexeme.end);
        let report = report::sign_of_another_list(list, self.slice(lexeme), span);
        self.report(report);
        self.lexemes[index].token = meant;
    }

    /// Reports a comment as other languages write it, and leaves it out.
    pub(super) fn foreign_comment(&mut self) {
        let begins = |pair: &[Lexeme]| {
            let signs = (pair[0].token, pair[1].token);
            pair[0].end == pair[1].start
                && matches!(signs, (Token::Slash, Token::Slash | Token::Star))
        };
        let Some(at) = self.lexemes.windows(2).position(begins) else {
            return;
        };
        let sign = self
            .text
            .span(self.lexemes[at].start, self.lexemes[at + 1].end);
        let is_line = self.lexemes[at + 1].token == Token::Slash;
        self.report(report::comment(is_line, sign));
        self.lexemes.drain(at..self.lexemes.len() - 1);
    }

    /// Reports signs of two characters that are written apart, `: =`, and takes them for one.
    pub(super) fn join_signs(&mut self) {
        let mut at = 0;
        while let [first, second] = self.lexemes[at..self.lexemes.len().min(at + 2)] {
            let whole = self.text.span(first.start, second.end);
            let (token, meant) = match (first.token, second.token) {
                (Token::Colon, Token::Equal) => (Token::Once, ":="),
                (Token::Less, Token::Equal) => (Token::LessEqual, "<="),
                (Token::Greater, Token::Equal) => (Token::GreaterEqual, ">="),
                _ => {
                    at += 1;
                    continue;
                }
            };
            let written = &self.text.text[first.start as usize..second.end as usize];
            self.report(reports::foreign(written, meant, None, whole));
            self.lexemes[at] = Lexeme {
                token,
                end: second.end,
                ..first
            };
            self.lexemes.remove(at + 1);
        }
    }

    /// Reports blanks that the language does not know, once for a row, and takes them for blanks.
    pub(super) fn drop_invisible(&mut self) {
        let text = self.text.text;
        let unseen = |lexeme: &Lexeme| {
            let slice = &text[lexeme.start as usize..lexeme.end as usize];
            lexeme.token == Token::Unknown && slice.chars().all(is_invisible)
        };
        let Some(first) = self.lexemes.iter().copied().find(unseen) else {
            return;
        };
        let has_width = |c: char| c.is_whitespace();
        let joined = text.chars().any(|c| is_invisible(c) && !has_width(c));
        let meant = text.chars().filter(|c| !is_invisible(*c) || has_width(*c));
        let meant: String = meant
            .map(|c| if is_invisible(c) { ' ' } else { c })
            .collect();
        let mut report = reports::bad_character(self.slice(first), self.span(first));
        let help = if joined {
            say!("foreign-drop-invisible.help-leave-out")
        } else {
            say!("foreign-drop-invisible.help-write-plain")
        };
        report = report.with_edit(help, self.text.whole(), meant);
        self.report(report);
        self.lexemes.retain(|lexeme| !unseen(lexeme));
        // What has no width may stand within a word, whose parts would be reported.
        self.gave_up = joined;
    }
}
