//! Values of columns that are groups: conditions, comparisons, arguments, switches to set.

use situ_engine::model::CompareOp;
use situ_words::{phrase, say};

use crate::lex::foreign_sign;
use crate::parse::fields::{Field, Reader};
use crate::parse::report;
use crate::parse::ron::{Kind, Value as Ron};
use crate::parse::tokens::Parser;
use crate::parse::values::{unread, unread_literal};
use crate::tree::{Comparison, Condition, Expr, List, Literal, LiteralKind, Name};

impl Reader {
    /// The arguments; those that cannot be read are there too, so that their number is right.
    pub(super) fn arguments(&mut self, field: Field<'_>) -> Option<Vec<Expr>> {
        let values = self.list(field, phrase!("phrase-list-names-numbers"))?;
        let what = phrase!("phrase-name-number-expression");
        let args = values
            .map(|value| {
                let read = match value.kind() {
                    Kind::String => self
                        .string(value)
                        .map(|text| self.parse(&text, |parser| parser.whole(Parser::argument))),
                    _ => Some(self.value(phrase!("phrase-argument"), value, what)),
                };
                read.unwrap_or_else(|| unread(value.span()))
            })
            .collect();
        Some(args)
    }

    /// `[("h", "<", "R")]` or `["h < R"]`
    pub(super) fn comparisons(&mut self, field: Field<'_>) -> Vec<Comparison> {
        let expected = phrase!("phrase-list-comparisons-such");
        let Some(values) = self.list(field, expected) else {
            return Vec::new();
        };
        let mut comparisons = Vec::new();
        let mut count = 0;
        for value in values {
            count += 1;
            match value.kind() {
                Kind::Tuple => comparisons.extend(self.comparison(value)),
                Kind::String => {
                    let Some(text) = self.string(value) else {
                        continue;
                    };
                    let condition = self.parse(&text, |parser| parser.whole(Parser::condition));
                    for literal in condition.literals {
                        comparisons.extend(self.only_comparison(literal));
                    }
                }
                found => {
                    let expected = phrase!("phrase-three-values-such");
                    self.wrong_type(phrase!("phrase-comparison"), expected, found, value);
                }
            }
        }
        if count == 0 {
            let help = say!("parse-comparisons.help");
            self.report(report::empty_list(field.name, help, field.value.span()));
        }
        comparisons
    }

    fn only_comparison(&mut self, literal: Literal) -> Option<Comparison> {
        match literal.kind {
            LiteralKind::Comparison(comparison) => Some(*comparison),
            LiteralKind::Error => None,
            _ => {
                self.report(report::wrong_list(
                    List::Situations,
                    List::Ranges,
                    literal.span,
                ));
                None
            }
        }
    }

    fn comparison(&mut self, value: Ron<'_>) -> Option<Comparison> {
        let values: Vec<Ron<'_>> = value.items().take(4).collect();
        let [left, op, right] = values[..] else {
            let expected = phrase!("phrase-three-values-such");
            let found = if values.len() > 3 {
                "more".to_owned()
            } else {
                values.len().to_string()
            };
            self.report(report::wrong_type(
                phrase!("phrase-comparison"),
                expected,
                &found,
                value.span(),
            ));
            return None;
        };
        let what = phrase!("phrase-name-number-expression");
        let left = self.value(phrase!("phrase-left-side"), left, what);
        let right = self.value(phrase!("phrase-right-side"), right, what);
        let op = self.operator(op);
        Some(Comparison {
            span: value.span(),
            left,
            op: op?,
            right,
        })
    }

    /// `"<"` and the like.
    fn operator(&mut self, value: Ron<'_>) -> Option<CompareOp> {
        const ALL: [CompareOp; 4] = [
            CompareOp::Less,
            CompareOp::LessEqual,
            CompareOp::Greater,
            CompareOp::GreaterEqual,
        ];
        let symbols = ALL.map(CompareOp::symbol);
        let text = match value.kind() {
            Kind::String => self.string(value)?,
            found => {
                self.wrong_type(
                    phrase!("phrase-comparison"),
                    phrase!("phrase-sign-quotes"),
                    found,
                    value,
                );
                return None;
            }
        };
        let written = &*text.text;
        if let Some(op) = ALL.into_iter().find(|op| op.symbol() == written) {
            return Some(op);
        }
        let meant = foreign_sign(written).replacement;
        self.report(match written {
            "=" | "==" | "!=" | "<>" | "≠" => report::equality(written, None, text.whole()),
            _ if symbols.contains(&meant) => report::foreign(written, meant, None, text.whole()),
            _ => report::unknown_word(
                phrase!("phrase-sign-comparison"),
                written,
                &symbols,
                text.whole(),
                "",
            ),
        });
        ALL.into_iter().find(|op| op.symbol() == meant)
    }

    /// The condition in a field that a row must have; the report about a missing one stands already.
    pub(super) fn condition_of(&mut self, field: Option<Field<'_>>, row: Ron<'_>) -> Condition {
        let unread = Condition {
            span: row.span(),
            literals: vec![unread_literal(row.span())],
        };
        field.map_or(unread, |field| self.condition(field))
    }

    /// `["contact", "!V_neg"]` or `"contact & !V_neg"`
    pub(super) fn condition(&mut self, field: Field<'_>) -> Condition {
        let span = field.value.span();
        let mut literals = Vec::new();
        match field.value.kind() {
            Kind::String => match self.string(field.value) {
                Some(text) => return self.parse(&text, |parser| parser.whole(Parser::condition)),
                None => literals.push(unread_literal(span)),
            },
            Kind::List => {
                for value in field.value.items() {
                    let text = match value.kind() {
                        Kind::String => self.string(value),
                        found => {
                            let expected = phrase!("phrase-name-comparison-quotes");
                            self.wrong_type(phrase!("phrase-literal"), expected, found, value);
                            None
                        }
                    };
                    match text {
                        Some(text) => {
                            let part = self.parse(&text, |parser| parser.whole(Parser::condition));
                            literals.extend(part.literals);
                        }
                        None => literals.push(unread_literal(value.span())),
                    }
                }
                if literals.is_empty() {
                    let help = say!("parse-condition.help");
                    self.report(report::empty_list(field.name, help, span));
                    literals.push(unread_literal(span));
                }
            }
            found => {
                let what = format!("`{}`", field.name);
                let expected = phrase!("phrase-condition-such-contact");
                self.wrong_type(&what, expected, found, field.value);
                literals.push(unread_literal(span));
            }
        }
        Condition { span, literals }
    }

    /// `["together", "!apart"]`
    pub(super) fn switches_to_set(&mut self, field: Field<'_>) -> Vec<(Name, bool)> {
        let Some(values) = self.list(field, phrase!("phrase-list-switches-such")) else {
            return Vec::new();
        };
        let mut set = Vec::new();
        let mut count = 0;
        for value in values {
            count += 1;
            let text = match value.kind() {
                Kind::String => self.string(value),
                found => {
                    self.wrong_type(
                        phrase!("phrase-switch"),
                        phrase!("phrase-its-name-quotes"),
                        found,
                        value,
                    );
                    None
                }
            };
            set.extend(text.map(|text| self.parse(&text, |parser| parser.whole(Parser::switch))));
        }
        if count == 0 {
            let help = say!("parse-switches-to-set.help");
            self.report(report::empty_list(field.name, help, field.value.span()));
        }
        set
    }
}
