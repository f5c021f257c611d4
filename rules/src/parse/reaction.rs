//! Stages of reactions as lines: two sides, an arrow, a law, a guard. [`line`](super::line) has the grammar.

use situ_words::phrase;

use super::line::Head;
use super::tokens::{Parser, is_name_like};
use super::{report, stage_reports};
use crate::diag::Diagnostic;
use crate::lex::{self, Lexeme, Token, normalised};
use crate::source::{Span, Spanned};
use crate::tree::{
    Amount, AnyRow, Expr, ExprKind, Guard, LiteralKind, Name, RateLaw, Reaction, Term,
};

/// Arrows of other notations, and what they mean here.
const ARROWS: [(&str, &str); 8] = [
    ("=>", "->"),
    ("=", "->"),
    ("==", "<->"),
    ("→", "->"),
    ("⟶", "->"),
    ("<=>", "<->"),
    ("⇌", "<->"),
    ("↔", "<->"),
];

/// The two sides of a stage.
#[derive(Debug)]
pub(crate) struct Equation {
    left: Vec<Term>,
    right: Vec<Term>,
    reversible: bool,
    span: Span,
}

impl Equation {
    pub(super) fn with(self, law: RateLaw, guard: Guard) -> Reaction {
        let Self {
            left,
            right,
            reversible,
            span,
        } = self;
        Reaction {
            left,
            right,
            reversible,
            equation: span,
            law,
            guard,
        }
    }
}

impl Parser<'_> {
    /// True if the text reads like a stage: species, an arrow, and a law.
    pub(super) fn begins_stage(&self) -> bool {
        let text = |lexeme: &Lexeme| self.slice(*lexeme);
        let arrow = |lexeme: &Lexeme| matches!(text(lexeme), "->" | "<->");
        let Some(at) = self.lexemes.iter().position(arrow) else {
            return false;
        };
        let (before, behind) = self.lexemes.split_at(at);
        let of_a_side = |lexeme: &Lexeme| {
            matches!(lexeme.token, Token::Name | Token::Quoted | Token::Number)
                || matches!(lexeme.token, Token::Plus | Token::Star)
        };
        let law = |lexeme: &Lexeme| lexeme.token == Token::Colon || text(lexeme) == "at";
        before.iter().all(of_a_side) && behind.iter().any(law)
    }

    /// Reads a stage; `None` if it has no arrow.
    pub(super) fn reaction(&mut self, head: Head) -> Option<AnyRow> {
        if self.peek() == Token::End {
            let list = Some(crate::tree::List::Reactions);
            self.report(report::empty_row(list, self.text.whole()));
            return None;
        }
        let reports = self.diagnostics.len();
        let equation = self.equation();
        let at = self.at().is_some();
        if !at && self.accept(Token::Colon).is_none() {
            if self.diagnostics.len() == reports {
                self.report(stage_reports::no_law(equation.span));
            }
            self.skip_all();
            return None;
        }
        let outer_in_list = std::mem::replace(&mut self.in_list, true);
        let mut values = vec![self.expression()];
        while self.accept(Token::Comma).is_some() {
            values.push(self.expression());
        }
        self.in_list = outer_in_list;
        let law = match at {
            true => RateLaw::Rate(values),
            false => RateLaw::MassAction(values),
        };
        let each = self.each();
        let guard = self.guard();
        let each = self.each_beside(each);
        let reaction = equation.with(law, guard);
        if self.diagnostics.len() == reports {
            for mistake in mistakes(&reaction) {
                self.report(mistake);
            }
        }
        Some(AnyRow::Reaction(head.row(each, reaction)))
    }

    /// Takes `at` behind a side.
    fn at(&mut self) -> Option<Lexeme> {
        let lexeme = self.lexeme();
        let is_at = lexeme.token == Token::Name && self.slice(lexeme) == "at";
        is_at.then(|| self.next += 1).map(|()| lexeme)
    }

    /// Reads two sides with an arrow between them.
    pub(super) fn equation(&mut self) -> Equation {
        let begin = self.lexeme();
        let left = self.side();
        let mut reversible = false;
        match self.arrow() {
            Some(both) => reversible = both,
            None => self.expected(phrase!("phrase-arrow")),
        }
        let right = self.side();
        let span = self.span(begin).to(self.span_before());
        if left.is_empty() && right.is_empty() && self.reported.is_none() {
            self.reported = Some(self.lexeme().start);
            self.report(stage_reports::empty_stage(span));
        }
        Equation {
            left,
            right,
            reversible,
            span,
        }
    }

    /// Takes an arrow; true if it goes both ways.
    fn arrow(&mut self) -> Option<bool> {
        let lexeme = self.lexeme();
        let begin = lexeme.start as usize;
        let rest = &self.text.text[begin..];
        if rest.starts_with("<->") || rest.starts_with("->") {
            let both = rest.starts_with('<');
            self.pass_to(begin + if both { 3 } else { 2 });
            return Some(both);
        }
        let mut arrows: Vec<_> = ARROWS.to_vec();
        arrows.sort_by_key(|(arrow, _)| std::cmp::Reverse(arrow.len()));
        let (written, meant) = *arrows.iter().find(|(arrow, _)| rest.starts_with(arrow))?;
        let span = self.span_of(begin, begin + written.len());
        self.report(report::foreign(written, meant, None, span));
        self.pass_to(begin + written.len());
        Some(meant == "<->")
    }

    /// Passes over the tokens that begin before a byte.
    fn pass_to(&mut self, byte: usize) {
        while self.peek() != Token::End && (self.lexeme().start as usize) < byte {
            self.next += 1;
        }
    }

    /// Reads `2 CH3 + H`; empty if nothing stands there.
    fn side(&mut self) -> Vec<Term> {
        let mut terms = Vec::new();
        let is_at =
            |parser: &Self| parser.slice(parser.lexeme()) == "at" && parser.peek() == Token::Name;
        let ends = matches!(
            self.peek(),
            Token::End | Token::Colon | Token::Foreign | Token::Less
        ) || is_at(self) && !matches!(self.ahead(1).token, Token::Colon | Token::Plus);
        if ends {
            return terms;
        }
        loop {
            match self.term() {
                Some(term) => terms.push(term),
                None => return terms,
            }
            if self.accept(Token::Plus).is_none() {
                return terms;
            }
        }
    }

    /// Reads `CH3`, `2 CH3`, `2CH3`, `2 * CH3` or `n * CH3`.
    fn term(&mut self) -> Option<Term> {
        let first = self.lexeme();
        let amount = match first.token {
            Token::Number => {
                let text = self.slice(first);
                let digits = leading_number(text);
                self.next += 1;
                let number = text[..digits].parse::<f64>().unwrap_or(f64::NAN);
                let end = first.start as usize + digits;
                let amount = Spanned::new(number, self.span_of(first.start as usize, end));
                if !(number > 0.0 && number.is_finite()) {
                    self.report(stage_reports::bad_amount(&text[..digits], amount.span));
                }
                if digits < text.len() {
                    let span = self.span_of(end, first.end as usize);
                    let name = Name::new(normalised(&text[digits..]).into_owned(), span);
                    return Some(Term {
                        amount: Amount::Number(amount),
                        species: self.indexed(name).0,
                    });
                }
                self.accept(Token::Star);
                Amount::Number(amount)
            }
            Token::Name | Token::Quoted if self.ahead(1).token == Token::Star => {
                let name = self.name();
                self.next += 1;
                Amount::Constant(name)
            }
            _ => Amount::One,
        };
        if !is_name_like(self.peek()) {
            self.expected(phrase!("phrase-species"));
            return None;
        }
        let species = self.name();
        (!species.value.is_empty()).then_some(Term { amount, species })
    }
}

/// The bytes of the number with which a token begins: `2CH3`, `0.5O2`, `2E`.
fn leading_number(text: &str) -> usize {
    if lex::number(text).is_ok() {
        return text.len();
    }
    let name = text
        .char_indices()
        .find(|(_, c)| !c.is_ascii_digit() && *c != '.');
    name.map_or(text.len(), |(at, _)| at)
}

/// What is wrong with a stage whatever its names mean.
pub(super) fn mistakes(reaction: &Reaction) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let wanted = if reaction.reversible { 2 } else { 1 };
    let values = reaction.law.values();
    if values.len() != wanted {
        let span = match values {
            [] => reaction.equation,
            [first, ..] => first.span.to(values[values.len() - 1].span),
        };
        found.push(stage_reports::number_of_rates(reaction, wanted, span));
        return found;
    }
    if let Guard::Otherwise(span) = reaction.guard {
        found.push(stage_reports::stage_otherwise(span));
    }
    if let RateLaw::MassAction(constants) = &reaction.law {
        for (constant, takes) in constants.iter().zip([&reaction.left, &reaction.right]) {
            let mut culprit = None;
            each_name(constant, &mut |name, span| {
                if culprit.is_none() && takes.iter().any(|term| term.species.value == name) {
                    culprit = Some((name.to_owned(), span));
                }
            });
            if let Some((name, span)) = culprit {
                found.push(stage_reports::reactant_as_constant(
                    &name,
                    span,
                    constant.span,
                ));
            }
        }
    }
    found
}

/// Calls `each` with every name in an expression.
fn each_name(expr: &Expr, each: &mut dyn FnMut(&str, Span)) {
    match &expr.kind {
        ExprKind::Name(name) => each(name, expr.span),
        ExprKind::Paren(inner) | ExprKind::Neg(inner) => each_name(inner, each),
        ExprKind::Binary(_, left, right) => {
            each_name(left, each);
            each_name(right, each);
        }
        ExprKind::Call(_, args) => args.iter().for_each(|arg| each_name(arg, each)),
        ExprKind::Boolean(literal) => {
            if let LiteralKind::Comparison(comparison) = &literal.kind {
                each_name(&comparison.left, each);
                each_name(&comparison.right, each);
            }
        }
        _ => {}
    }
}
