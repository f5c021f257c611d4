//! Values of columns that are groups: conditions, comparisons, arguments, switches to set.

use situ_engine::model::CompareOp;

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
        let values = self.list(field, "a list of names, numbers and expressions")?;
        let what = "a name, a number or an expression";
        let args = values
            .map(|value| {
                let read = match value.kind() {
                    Kind::String => self
                        .string(value)
                        .map(|text| self.parse(&text, |parser| parser.whole(Parser::argument))),
                    _ => Some(self.value("an argument", value, what)),
                };
                read.unwrap_or_else(|| unread(value.span()))
            })
            .collect();
        Some(args)
    }

    /// `[("h", "<", "R")]` or `["h < R"]`
    pub(super) fn comparisons(&mut self, field: Field<'_>) -> Vec<Comparison> {
        let expected = "a list of comparisons such as `(\"h\", \"<\", \"R\")`";
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
                    let expected = "three values such as `(\"h\", \"<\", \"R\")`";
                    self.wrong_type("a comparison", expected, found, value);
                }
            }
        }
        if count == 0 {
            let help = "a range has at least one comparison";
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
            let expected = "three values such as `(\"h\", \"<\", \"R\")`";
            let found = if values.len() > 3 {
                "more".to_owned()
            } else {
                values.len().to_string()
            };
            self.report(report::wrong_type(
                "a comparison",
                expected,
                &found,
                value.span(),
            ));
            return None;
        };
        let what = "a name, a number or an expression";
        let left = self.value("the left side", left, what);
        let right = self.value("the right side", right, what);
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
                self.wrong_type("a comparison", "its sign in quotes", found, value);
                return None;
            }
        };
        let written = &*text.text;
        if let Some(op) = ALL.into_iter().find(|op| op.symbol() == written) {
            return Some(op);
        }
        let meant = foreign_sign(written).replacement;
        self.report(match written {
            "=" | "==" | "!=" | "<>" | "≠" => report::equality(written, text.whole()),
            _ if symbols.contains(&meant) => report::foreign(written, meant, "", text.whole()),
            _ => report::unknown_word(
                "the sign of a comparison",
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
                            let expected = "a name or comparison in quotes";
                            self.wrong_type("a literal", expected, found, value);
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
                    let help = "name at least one range, situation or switch, or leave it out";
                    self.report(report::empty_list(field.name, help, span));
                    literals.push(unread_literal(span));
                }
            }
            found => {
                let what = format!("`{}`", field.name);
                let expected = "a condition such as `[\"contact\", \"!V_neg\"]`";
                self.wrong_type(&what, expected, found, field.value);
                literals.push(unread_literal(span));
            }
        }
        Condition { span, literals }
    }

    /// `["together", "!apart"]`
    pub(super) fn switches_to_set(&mut self, field: Field<'_>) -> Vec<(Name, bool)> {
        let Some(values) = self.list(
            field,
            "a list of switches such as `[\"together\", \"!apart\"]`",
        ) else {
            return Vec::new();
        };
        let mut set = Vec::new();
        let mut count = 0;
        for value in values {
            count += 1;
            let text = match value.kind() {
                Kind::String => self.string(value),
                found => {
                    self.wrong_type("a switch", "its name in quotes", found, value);
                    None
                }
            };
            set.extend(text.map(|text| self.parse(&text, |parser| parser.whole(Parser::switch))));
        }
        if count == 0 {
            let help = "name the switches that the row sets";
            self.report(report::empty_list(field.name, help, field.value.span()));
        }
        set
    }
}
