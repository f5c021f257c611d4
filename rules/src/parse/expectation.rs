//! Expectations and measures.
//!
//! ```text
//! expectation = condition | measure ("=" | "<" | "<=" | ">" | ">=") expr ["+-" expr]
//! measure     = ("final" | "min" | "max" | "drift") "(" expr ")"
//!             | "at" "(" expr "," number ")"
//!             | ("first" | "duration" | "count" | "period") "(" condition ")"
//! ```

use situ_engine::procedure::{ALL, ProcedureId};
use situ_words::{phrase, say};

use super::tokens::Parser;
use crate::diag::{Diagnostic, nearest};
use crate::lex::Token;
use crate::tree::{
    AT, Expected, ExprKind, Measure, MeasureOfCondition, MeasureOfValue, MeasuredValue,
    ReductionKind, measures,
};

/// The sign before a tolerance; the expression before it ends there.
pub(super) const PLUS_MINUS: &str = "+-";

/// What is to be met.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Met {
    /// A value, up to a tolerance.
    Value,
    /// The side of a comparison.
    Bound,
}

impl Parser<'_> {
    /// Reads what a run is checked for; `None` if it cannot be read.
    pub(crate) fn expectation_line(&mut self) -> Option<Expected> {
        self.whole(Parser::expectation)
    }

    fn expectation(&mut self) -> Option<Expected> {
        let before = self.diagnostics.len();
        let read = if self.begins_measure() {
            self.measured_value()
        } else if let Some(kind) = self.measure_misspelt() {
            self.report(kind);
            self.skip_all();
            None
        } else {
            // Without the sign `4 +- 1` would be 3 in silence.
            self.ends_at = Some(PLUS_MINUS);
            let condition = self.condition();
            self.ends_at = None;
            self.tolerance(Met::Bound);
            Some(Expected::Throughout(condition))
        };
        read.filter(|_| self.diagnostics.len() == before)
    }

    /// Report of a call that is a measure but for a slip; `None` if something else begins here.
    fn measure_misspelt(&self) -> Option<Diagnostic> {
        let lexeme = self.lexeme();
        let name = self.slice(lexeme);
        let is_call = lexeme.token == Token::Name && self.ahead(1).token == Token::Open;
        if !is_call || ProcedureId::named(name).is_some() || ReductionKind::of(name).is_some() {
            return None;
        }
        let known = nearest(name, ALL.iter().map(|procedure| procedure.name));
        let near = nearest(name, measures()).filter(|_| known.is_none())?;
        let span = self.span(lexeme);
        let message = say!("parse-no-measure.no-measure", kind = name);
        let report = Diagnostic::error("X002", message, span);
        Some(report.with_edit(say!("report-did-you-mean", near), span, near))
    }

    /// True if the next call is a measure and not an operand of a comparison: `max(a, b)` takes two values, and
    /// `max(v[j] for j)` goes over elements.
    fn begins_measure(&self) -> bool {
        let name = self.slice(self.lexeme());
        if !measures().any(|measure| measure == name) || self.ahead(1).token != Token::Open {
            return false;
        }
        let (mut depth, mut at, mut values) = (0, 1, 1);
        loop {
            match self.ahead(at).token {
                Token::Open => depth += 1,
                Token::Close => depth -= 1,
                Token::Comma if depth == 1 => values += 1,
                Token::Name if depth == 1 && self.slice(self.ahead(at)) == "for" => return false,
                Token::End => return true,
                _ => {}
            }
            if depth == 0 {
                break;
            }
            at += 1;
        }
        values == 1 || !["min", "max"].contains(&name)
    }

    fn measured_value(&mut self) -> Option<Expected> {
        let measure = self.measure()?;
        let op = if self.accept(Token::Equal).is_some() {
            None
        } else if let Some(op) = self.compare_op() {
            Some(op)
        } else {
            self.expected(phrase!("phrase-sign-and-value"));
            self.skip_all();
            return None;
        };
        self.ends_at = Some(PLUS_MINUS);
        let value = self.expression();
        self.ends_at = None;
        let tolerance = self.tolerance(match op {
            None => Met::Value,
            Some(_) => Met::Bound,
        });
        Some(Expected::Measured(Box::new(MeasuredValue {
            measure,
            op,
            value,
            tolerance,
        })))
    }

    /// Reads a tolerance, if there is one; it stands behind a value only.
    fn tolerance(&mut self, met: Met) -> Option<crate::tree::Expr> {
        let sign = self.lexeme();
        if self.at_plus_minus() {
            self.next += 2;
        } else if self.slice(sign) == "±" {
            self.next += 1;
        } else {
            return None;
        }
        let tolerance = self.expression();
        if met == Met::Bound {
            let span = self.span(sign).to(tolerance.span);
            let message = say!("parse-tolerance");
            let help = say!("parse-tolerance.help");
            self.report(Diagnostic::error("X001", message, span).with_help(help));
        }
        Some(tolerance)
    }

    /// True before `+-`, written without a space.
    pub(super) fn at_plus_minus(&self) -> bool {
        let (plus, minus) = (self.lexeme(), self.ahead(1));
        plus.token == Token::Plus && minus.token == Token::Minus && plus.end == minus.start
    }

    /// Reads `kind(..)`; `None` if it is none.
    pub(crate) fn measure(&mut self) -> Option<Measure> {
        let kind = self.slice(self.lexeme());
        self.next += 1;
        if self.accept(Token::Open).is_none() {
            self.expected("`(`");
            return None;
        }
        let named = |(name, _): &&(&str, _)| *name == kind;
        let of_value = MeasureOfValue::ALL.iter().find(named);
        let of_condition = MeasureOfCondition::ALL
            .iter()
            .find(|(name, _)| *name == kind);
        let measure = if let Some((_, of)) = of_value {
            Some(Measure::OfValue(*of, self.expression()))
        } else if let Some((_, of)) = of_condition {
            Some(Measure::OfCondition(*of, self.condition()))
        } else if kind == AT {
            self.at_time()
        } else {
            None
        };
        if self.accept(Token::Close).is_none() {
            self.expected("`)`");
        }
        measure
    }

    fn at_time(&mut self) -> Option<Measure> {
        self.in_list = true;
        let value = self.expression();
        let has_time = self.accept(Token::Comma).is_some();
        if !has_time {
            self.expected(phrase!("phrase-comma-time"));
        }
        let time = has_time.then(|| self.expression());
        self.in_list = false;
        let (time, sign) = match time?.kind {
            ExprKind::Neg(inner) => (inner.kind, -1.0),
            kind => (kind, 1.0),
        };
        match time {
            ExprKind::Number(time) => Some(Measure::At(value, sign * time)),
            _ => {
                let span = self.span_before();
                let message = say!("parse-at-time");
                let help = say!("parse-at-time.help");
                self.report(Diagnostic::error("X001", message, span).with_help(help));
                None
            }
        }
    }
}
