//! Relations as lines: targets, `=` or `:=`, expressions, a guard. [`line`](super::line) has the grammar.

use situ_words::{phrase, say};

use super::line::Head;
use super::report;
use super::tokens::{Parser, is_name_like};
use super::values::unread_literal;
use crate::lex::{Lexeme, Token};
use crate::tree::{
    AnyRow, Assignment, BinaryOp, Condition, Expr, ExprKind, Guard, List, Name, Relation, Value,
};

impl Parser<'_> {
    /// Reports `when condition: x = ..` and `if condition then x = ..`.
    /// `reports`: the number of those before the row; one on an `if` is part of this mistake.
    pub(super) fn relation_behind(
        &mut self,
        list: Option<List>,
        when: &Condition,
        reports: usize,
    ) -> bool {
        let joint = self.lexeme();
        let separated = joint.token == Token::Colon || matches!(self.slice(joint), "then" | ",");
        let name = self.ahead(usize::from(separated));
        let sign = self.ahead(usize::from(separated) + 1);
        if !is_name_like(name.token) || !matches!(sign.token, Token::Equal | Token::Once) {
            return false;
        }
        let first = self.next + usize::from(separated);
        let switches = self.switches_given(first);
        let end = self.lexemes[self.lexemes.len() - 2].end;
        let relation = self.text.text[name.start as usize..end as usize].trim_end();
        let begin = self.lexemes[0].start;
        let whole = self.text.span(begin, end);
        let condition = self.text_at(when.span);
        let meant = match &switches {
            Some(switches) => format!("when {condition}: {switches}"),
            None => format!("{relation} when {condition}"),
        };
        if self
            .diagnostics
            .get(reports)
            .is_some_and(|report| report.code == "P013")
        {
            self.diagnostics.remove(reports);
        }
        let place = self.span(name);
        self.report(match switches {
            Some(_) => report::switches_given(place, whole, meant),
            None if list == Some(List::Assignments) => report::relation_to_move(place, &meant),
            None => report::condition_first(place, whole, meant),
        });
        self.skip_all();
        true
    }

    /// The switches of `on = true, late = false` as an assignment has them, `on, !late`; `None` if other values are given.
    fn switches_given(&self, first: usize) -> Option<String> {
        let (end, rest) = self.lexemes[first..].split_last()?;
        let mut switches = Vec::new();
        for one in rest.split(|lexeme| matches!(lexeme.token, Token::Comma | Token::And)) {
            let ([.., sign, value], [name, ..]) = (one, one) else {
                return None;
            };
            let negation = match self.slice(*value) {
                "true" => "",
                "false" => "!",
                _ => return None,
            };
            if !matches!(sign.token, Token::Equal | Token::Once) || name.start == sign.start {
                return None;
            }
            let name = &self.text.text[name.start as usize..sign.start as usize];
            switches.push(format!("{negation}{}", name.trim_end()));
        }
        (end.token == Token::End).then(|| switches.join(", "))
    }

    /// Reads a relation; `None` if what it writes cannot be read.
    pub(super) fn relation(&mut self, list: Option<List>, head: Head) -> Option<AnyRow> {
        if self.rate_on_the_left() {
            return None;
        }
        let targets = self.targets();
        let sign = self
            .accept(Token::Once)
            .or_else(|| self.accept(Token::Equal));
        let sign = sign.unwrap_or_else(|| self.lexeme());
        let once = sign.token == Token::Once;
        let once_span = self.span(sign);
        let target = targets
            .first()
            .map_or("x", |target| self.text_at(target.span));
        if self.choice(target) {
            let unread = self.error_node(once_span).expr;
            let value = Value::Exprs(vec![unread; targets.len()]);
            let body = Relation {
                targets,
                once,
                once_span,
                value,
                guard: Guard::Always,
            };
            return Some(AnyRow::Relation(head.row(None, body)));
        }
        self.in_list = targets.len() > 1;
        let mut values = vec![self.expression()];
        while self.accept(Token::Comma).is_some() {
            values.push(self.expression());
        }
        self.in_list = false;
        let each = self.each();
        self.in_conditions = targets.len() > 1;
        let guard = self.guard();
        self.in_conditions = false;
        let each = self.each_beside(each);
        if targets.iter().all(|target| target.value.is_empty()) {
            return None;
        }
        if let Some(set) = self.truth_values(&targets, &values) {
            return self.assignment_meant(list, head, set, guard);
        }
        let readable = values
            .iter()
            .all(|value| !matches!(value.kind, ExprKind::Error));
        if let Guard::Each(conditions) = &guard
            && conditions.len() != targets.len()
        {
            let report = report::uneven_conditions(targets.len(), conditions.len(), once_span);
            self.report(report);
        }
        if targets.len() != values.len() {
            if readable {
                let report = report::uneven_targets(targets.len(), values.len(), once_span);
                self.report(report);
            }
            values = vec![self.error_node(once_span).expr; targets.len()];
        }
        let value = Value::Exprs(values);
        let body = Relation {
            targets,
            once,
            once_span,
            value,
            guard,
        };
        Some(AnyRow::Relation(head.row(each, body)))
    }

    /// The switches that a row sets by `true` and `false`; `None` if it gives numbers.
    fn truth_values(&self, targets: &[Name], values: &[Expr]) -> Option<Vec<(Name, bool)>> {
        let truth = |value: &Expr| match self.text_at(value.span) {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        };
        let values: Vec<bool> = values.iter().map(truth).collect::<Option<_>>()?;
        (values.len() == targets.len()).then(|| targets.iter().cloned().zip(values).collect())
    }

    /// Reports `on = true when a`, which is read as the assignment `when a: on`.
    fn assignment_meant(
        &mut self,
        list: Option<List>,
        head: Head,
        set: Vec<(Name, bool)>,
        guard: Guard,
    ) -> Option<AnyRow> {
        let switches: Vec<String> = set
            .iter()
            .map(|(name, value)| (if *value { "" } else { "!" }, name))
            .map(|(sign, name)| format!("{sign}{}", self.text_at(name.span)))
            .collect();
        let switches = switches.join(", ");
        let whole = set[0]
            .0
            .span
            .to(self.span(self.lexemes[self.next.max(1) - 1]));
        let Guard::When(when) = guard else {
            let meant = format!("when condition: {switches}");
            self.report(report::switch_in_relation(whole, &meant, None));
            return None;
        };
        let meant = format!("when {}: {switches}", self.text_at(when.span));
        let stands_right = list.is_none_or(|list| list == List::Assignments);
        if !stands_right {
            self.report(report::switch_in_relation(whole, &meant, None));
            return None;
        }
        self.report(report::switch_in_relation(whole, &meant, Some(whole)));
        Some(AnyRow::Assignment(head.row(None, Assignment { when, set })))
    }

    /// Reads the names before `=` or `:=`; none if something else stands there.
    pub(super) fn targets(&mut self) -> Vec<Name> {
        let is_sign = |token| matches!(token, Token::Equal | Token::Once | Token::End);
        let mut targets = Vec::new();
        let begin = self.next;
        if is_sign(self.peek()) {
            self.expected(phrase!("phrase-name-real"));
            return targets;
        }
        while is_name_like(self.peek()) {
            targets.push(self.name());
            if self.accept(Token::Comma).is_none() {
                break;
            }
        }
        if is_sign(self.peek()) || self.meaning(self.lexeme()) == Some(Token::Equal) {
            return targets;
        }
        self.next = begin;
        let reports = self.diagnostics.len();
        let left = self.expression();
        while !is_sign(self.peek()) {
            self.next += 1;
        }
        if self.diagnostics.len() == reports {
            let help = match rate_of(&left) {
                Some(real) => say!("parse-targets.help-rate-write", real),
                None => say!("parse-targets.help-left-real"),
            };
            self.report(
                report::expected(
                    phrase!("phrase-name-real"),
                    phrase!("phrase-expression"),
                    left.span,
                )
                .with_help(help),
            );
        }
        Vec::new()
    }

    pub(super) fn guard(&mut self) -> Guard {
        let mut guard = Guard::Always;
        let mut first: Option<Lexeme> = None;
        loop {
            let lexeme = self.lexeme();
            let next = if self.accept(Token::When).is_some() {
                let condition = self.condition();
                let mut conditions = vec![condition];
                while self.in_conditions && self.accept(Token::Comma).is_some() {
                    conditions.push(self.condition());
                }
                match conditions.len() {
                    1 => Guard::When(conditions.swap_remove(0)),
                    _ => Guard::Each(conditions),
                }
            } else if self.accept(Token::Otherwise).is_some() {
                Guard::Otherwise(self.span(lexeme))
            } else if matches!(guard, Guard::Always)
                && lexeme.token != Token::End
                && !self.begins_each()
            {
                // What cannot be read here may have a condition behind it.
                let span = self.span(lexeme);
                return Guard::When(Condition {
                    span,
                    literals: vec![unread_literal(span)],
                });
            } else {
                return guard;
            };
            if let Some(first) = first {
                let names = [first, lexeme].map(|lexeme| self.slice(lexeme));
                let spans = [lexeme, first].map(|lexeme| self.span(lexeme));
                self.report(report::contradiction(
                    names[0], names[1], spans[0], spans[1],
                ));
            }
            if !matches!(guard, Guard::When(_) | Guard::Each(_)) {
                guard = next;
            }
            first = Some(lexeme);
        }
    }
}

/// The real of which a left side is the rate, as other languages write it: `dx/dt`, `der(x)`.
fn rate_of(left: &Expr) -> Option<&str> {
    match &left.kind {
        ExprKind::Binary(BinaryOp::Div, real, time) => match (&real.kind, &time.kind) {
            (ExprKind::Name(real), ExprKind::Name(time)) if time == "dt" => {
                real.strip_prefix('d').filter(|real| !real.is_empty())
            }
            _ => None,
        },
        ExprKind::Call(name, args) => match (name.value.as_str(), &args[..]) {
            ("der" | "diff" | "derivative", [real]) => match &real.kind {
                ExprKind::Name(real) => Some(real),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}
