//! Scenes: one-line rows of shapes.
//!
//! ```text
//! shape     = ["[" [id] [("after" | "before") id] "]"] kind [name] ["in" name] ":" attribute {"," attribute}
//!             ["for" counters] ["#" comment]
//! kind      = "circle" | "box" | "line" | "polyline" | "arrow" | "spring" | "text" | "path" | "group"
//! attribute = ([word] value) ["when" condition]
//! word      = "at" | "of" | "size" | "radius" | "angle" | "turns" | "height" | "align" | "last" | "fill" | "stroke"
//!           | "width" | "dash" | "opacity"; points and texts stand without one
//! value     = point {"to" point} | expression | paint | letters | "left" | "middle" | "right"
//! point     = "(" expression "," expression ")" ["for" name ["in" expression ".." expression]]
//! paint     = colour | "mix" "(" colour "," colour "," expression ")"
//! letters   = "'" {anything | "''" | "{{" | "}}" | "{" expression [":." digits] "}"} "'"
//! ```
//!
//! A row that is no shape is none of a scene, whatever it says.

mod letters;
pub(super) mod report;
mod table;

use situ_engine::model::scene::{Align, AttributeKind, Colour, Form, ShapeKind};
use situ_words::{Argument, phrase, say};

use super::line::Head;
use super::tokens::{Parser, is_keyword, is_name_like};
use crate::diag::{Diagnostic, has_errors};
use crate::lex::{Lexeme, Token};
use crate::source::{Span, Spanned};
use crate::tree::{AnyRow, Attribute, AttributeValue, Expr, Over, Paint, Point, Shape, TextPart};

impl Parser<'_> {
    /// True if a row of a scene begins here, as far as one can see.
    pub(super) fn begins_shape(&self) -> bool {
        if ShapeKind::named(self.slice(self.lexeme())).is_none() {
            return false;
        }
        let mut next = 1;
        if is_name_like(self.ahead(next).token) && self.slice(self.ahead(next)) != "in" {
            next = self.name_end(next);
        }
        if self.slice(self.ahead(next)) == "in" && is_name_like(self.ahead(next + 1).token) {
            next = self.name_end(next + 1);
        }
        self.ahead(next).token == Token::Colon && (next > 1 || self.begins_attribute(next + 1))
    }

    /// True if an attribute begins so many tokens ahead: of a shape without a name, as a range may have the name of
    /// a shape.
    fn begins_attribute(&self, at: usize) -> bool {
        let (first, second) = (self.ahead(at), self.ahead(at + 1));
        match first.token {
            Token::Open => {
                let mut rest = at..self.lexemes.len().saturating_sub(self.next);
                rest.any(|at| self.slice(self.ahead(at)) == "to")
            }
            Token::Name if AttributeKind::named(self.slice(first)).is_some() => {
                second.token == Token::Open
                    || second.token == Token::Number
                    || is_name_like(second.token) && !is_keyword(second.token)
            }
            _ => self.slice(first).starts_with('\''),
        }
    }

    /// Reads a row of a scene.
    pub(super) fn shape(&mut self, head: Head) -> Option<AnyRow> {
        let word = self.lexeme();
        let Some(kind) = ShapeKind::named(self.slice(word)) else {
            if !self.report_if_unreadable(word) {
                self.report(report::no_shape(self.slice(word), self.span(word)));
            }
            self.skip_all();
            return None;
        };
        let reports = self.diagnostics.len();
        self.next += 1;
        let kind = Spanned::new(kind, self.span(word));
        let is_name = is_name_like(self.peek()) && self.slice(self.lexeme()) != "in";
        let name = is_name.then(|| self.name());
        let group = (self.slice(self.lexeme()) == "in").then(|| {
            self.next += 1;
            self.name()
        });
        if self.accept(Token::Colon).is_none() {
            self.expected(phrase!("phrase-attributes-shape"));
        }
        let mut attributes = Vec::new();
        let mut sound = true;
        loop {
            match self.attribute(kind.value) {
                Some(attribute) => attributes.push(attribute),
                None => sound = false,
            }
            if self.accept(Token::Comma).is_none() && !self.lacks_comma() {
                break;
            }
        }
        let each = self.each();
        let shape = Shape {
            kind,
            name: name.filter(|name| !name.value.is_empty()),
            group: group.filter(|name| !name.value.is_empty()),
            attributes,
        };
        let row = head.row(each, shape);
        self.check_shape(&row.body, sound);
        // A shape with a mistake cannot be drawn, even if all of it could be read.
        let sound = !has_errors(&self.diagnostics[reports..]);
        sound.then_some(AnyRow::Shape(row))
    }

    /// Reports an attribute that follows another one without a comma.
    fn lacks_comma(&mut self) -> bool {
        let next = self.lexeme();
        let follows = next.token == Token::Text
            || next.token == Token::Name && AttributeKind::named(self.slice(next)).is_some();
        if follows {
            let before = self.span_before();
            let gap = Span {
                start: before.end,
                end: before.end,
                ..before
            };
            let report = report::missing_comma(self.slice(next), self.span(next), gap);
            self.report(report);
        }
        follows
    }

    fn attribute(&mut self, shape: ShapeKind) -> Option<Attribute> {
        let begin = self.lexeme();
        let kind = self.attribute_kind(shape);
        let Some(kind) = kind else {
            self.skip_attribute();
            return None;
        };
        if !shape.takes(kind) {
            let span = self.span(begin);
            let known: Vec<_> = shape.attributes().collect();
            let report = report::attribute_of_another(shape, kind, &known, span);
            self.report(report);
        }
        let value = match kind.form() {
            Form::Point => self.point(false).map(|at| AttributeValue::Points(vec![at])),
            Form::Points => Some(AttributeValue::Points(self.points())),
            Form::Number => Some(AttributeValue::Number(self.amount())),
            Form::Paint => self.paint().map(AttributeValue::Paint),
            Form::Text => self.letters().map(AttributeValue::Text),
            Form::Align => self.align().map(AttributeValue::Align),
        };
        if value.is_none() {
            self.skip_attribute();
        }
        let when = self.accept(Token::When).map(|_| {
            let outer = std::mem::replace(&mut self.in_conditions, true);
            let condition = self.condition();
            self.in_conditions = outer;
            condition
        });
        let span = self.span(begin).to(self.span_before());
        Some(Attribute {
            span,
            kind,
            value: value.filter(|_| shape.takes(kind))?,
            when,
        })
    }

    /// Reads the word of an attribute, if it has one.
    fn attribute_kind(&mut self, shape: ShapeKind) -> Option<AttributeKind> {
        let word = self.lexeme();
        let (text, span) = (self.slice(word), self.span(word));
        match word.token {
            Token::Text => return Some(AttributeKind::Text),
            Token::Open => {
                let place = [AttributeKind::At, AttributeKind::Of];
                let meant = place.into_iter().find(|kind| shape.takes(*kind));
                if let Some(meant) = meant {
                    self.report(report::point_without_word(shape, meant, span));
                }
                return Some(meant.unwrap_or(AttributeKind::Points));
            }
            Token::Name => {}
            _ => {
                let examples = shape.attributes().map(AttributeKind::example);
                let examples: Vec<_> = examples.take(2).map(|one| format!("`{one}`")).collect();
                self.expected(say!(
                    "scene-attribute-kind.attribute-such",
                    examples = examples.join(&say!("parse-or"))
                ));
                return None;
            }
        }
        let kind = AttributeKind::named(text);
        if kind.is_none() {
            let known: Vec<_> = shape.attributes().collect();
            self.report(report::unknown_attribute(shape, text, &known, span));
            return None;
        }
        self.next += 1;
        kind
    }

    /// Passes over the rest of an attribute.
    fn skip_attribute(&mut self) {
        let mut depth = 0_usize;
        loop {
            match self.peek() {
                Token::Open => depth += 1,
                Token::Close => depth = depth.saturating_sub(1),
                Token::End => return,
                Token::Comma if depth == 0 => return,
                _ => {}
            }
            self.next += 1;
        }
    }

    /// An expression behind which another attribute may stand.
    fn amount(&mut self) -> Expr {
        let outer = std::mem::replace(&mut self.in_shape, true);
        let expr = self.expression();
        self.in_shape = outer;
        expr
    }

    fn points(&mut self) -> Vec<Point> {
        let mut points = Vec::new();
        loop {
            match self.point(true) {
                Some(point) => points.push(point),
                None => {
                    self.skip_attribute();
                    return points;
                }
            }
            if self.slice(self.lexeme()) != "to" {
                return points;
            }
            self.next += 1;
        }
    }

    /// Reads `(x, y)`; `counts`: a counter may follow.
    fn point(&mut self, counts: bool) -> Option<Point> {
        let open = self.lexeme();
        if self.accept(Token::Open).is_none() {
            self.expected(phrase!("phrase-point-such-x"));
            return None;
        }
        let outer = std::mem::replace(&mut self.in_list, true);
        let x = self.expression();
        let comma = self.accept(Token::Comma).is_some();
        let y = comma.then(|| self.expression());
        self.in_list = outer;
        if y.is_none() || self.peek() == Token::Comma {
            let n = if y.is_none() { "one" } else { "more" };
            self.skip_to_close();
            self.accept(Token::Close);
            let span = self.span(open).to(self.span_before());
            self.report(report::not_two_coordinates(n, span));
            return None;
        }
        self.close(open);
        let over = if counts && self.begins_each() && self.slice(self.lexeme()) == "for" {
            self.next += 1;
            self.counter_of_points()
        } else {
            Vec::new()
        };
        Some(Point { x, y: y?, over })
    }

    /// Reads `j` or `j in 1 .. N`; a comma ends it.
    fn counter_of_points(&mut self) -> Vec<Over> {
        let counter = self.name();
        let range = (self.slice(self.lexeme()) == "in").then(|| {
            self.next += 1;
            self.ends()
        });
        match counter.value.is_empty() {
            true => Vec::new(),
            false => vec![Over { counter, range }],
        }
    }

    fn paint(&mut self) -> Option<Paint> {
        let word = self.lexeme();
        if self.slice(word) != "mix" || self.ahead(1).token != Token::Open {
            return self.colour().map(Paint::Plain);
        }
        let open = self.ahead(1);
        self.next += 2;
        let first = self.colour()?;
        self.comma(phrase!("phrase-another-colour"))?;
        let second = self.colour()?;
        self.comma(phrase!("phrase-share-second-colour"))?;
        let outer = std::mem::replace(&mut self.in_list, true);
        let share = self.expression();
        self.in_list = outer;
        self.close(open);
        Some(Paint::Mix(first, second, share))
    }

    fn comma(&mut self, what: impl Argument) -> Option<Lexeme> {
        let comma = self.accept(Token::Comma);
        if comma.is_none() {
            self.expected(say!("scene-comma.and", what));
        }
        comma
    }

    fn colour(&mut self) -> Option<Colour> {
        let words = Colour::ALL.map(|colour| (colour.name(), colour));
        self.word_of(&words, report::unknown_colour)
    }

    fn align(&mut self) -> Option<Align> {
        let words = Align::ALL.map(|side| (side.name(), side));
        self.word_of(&words, report::unknown_side)
    }

    /// Reads one of some words.
    fn word_of<T: Copy>(
        &mut self,
        words: &[(&'static str, T)],
        report: fn(&str, &[&str], Span) -> Diagnostic,
    ) -> Option<T> {
        let lexeme = self.lexeme();
        let text = self.slice(lexeme);
        let found = words.iter().find(|(word, _)| *word == text);
        if found.is_none() {
            if !self.report_if_unreadable(lexeme) {
                let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
                let span = self.span(lexeme);
                let text = match lexeme.token {
                    Token::End => "",
                    _ => text,
                };
                self.report(report(text, &known, span));
            }
            return None;
        }
        self.next += 1;
        found.map(|(_, value)| *value)
    }

    /// Reports what a shape lacks, and what in it can never count. `sound`: all of its attributes could be read.
    fn check_shape(&mut self, shape: &Shape, sound: bool) {
        let kind = shape.kind.value;
        for needed in kind.required() {
            let written = shape.attributes.iter().any(|one| one.kind == *needed);
            if sound && !written {
                let example = kind.example();
                self.report(report::lacks(kind, *needed, example, shape.kind.span));
            }
        }
        let mut settled: Vec<&Attribute> = Vec::new();
        for attribute in &shape.attributes {
            let earlier = settled.iter().find(|one| one.kind == attribute.kind);
            if let Some(earlier) = earlier {
                let report = report::never_counts(attribute, earlier.span);
                self.report(report);
            }
            if attribute.when.is_none() {
                settled.push(attribute);
            }
            if let AttributeValue::Points(points) = &attribute.value
                && attribute.kind == AttributeKind::Points
            {
                self.check_points(kind, points, attribute);
            }
        }
    }

    fn check_points(&mut self, kind: ShapeKind, points: &[Point], attribute: &Attribute) {
        let counts = points.iter().any(|point| !point.over.is_empty());
        let n = points.len();
        let fits = match kind {
            ShapeKind::Polyline => counts || n > 1,
            _ => !counts && n == 2,
        };
        if !fits && n > 0 {
            self.report(report::number_of_points(kind, n, counts, attribute.span));
        }
    }
}

/// Texts without numbers are one piece.
fn push_letter(parts: &mut Vec<TextPart>, letter: char) {
    match parts.last_mut() {
        Some(TextPart::Letters(letters)) => letters.push(letter),
        _ => parts.push(TextPart::Letters(letter.to_string())),
    }
}
