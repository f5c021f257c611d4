//! Rows of the lists: a line in quotes, or columns.

use situ_engine::model::{Mark, element};
use situ_words::{phrase, say};

use crate::lex::normalised;
use crate::parse::fields::{Field, Reader, Shape};
use crate::parse::line::closing;
use crate::parse::reaction::mistakes;
use crate::parse::ron::{Kind, Value as Ron};
use crate::parse::solve::two_bounds;
use crate::parse::tokens::Parser;
use crate::parse::values::{Written, unread};
use crate::parse::{report, scene};
use crate::source::Spanned;
use crate::tree::{
    AnyRow, Assignment, Each, Expr, Form, Guard, List, Name, Over, Place, Range, RateLaw, Reaction,
    Relation, Row, Side, Situation, Value,
};

const RANGE: Shape = Shape {
    called: phrase!("phrase-range"),
    type_name: "Range",
};

const SITUATION: Shape = Shape {
    called: phrase!("phrase-situation"),
    type_name: "Situation",
};

const ASSIGNMENT: Shape = Shape {
    called: phrase!("phrase-assignment"),
    type_name: "Assignment",
};

const RELATION: Shape = Shape {
    called: phrase!("phrase-relation"),
    type_name: "Relation",
};

const REACTION: Shape = Shape {
    called: phrase!("phrase-reaction"),
    type_name: "Reaction",
};

impl Reader {
    pub(in crate::parse) fn row(&mut self, list: List, value: Ron<'_>) -> Option<AnyRow> {
        match value.kind() {
            Kind::String => {
                let text = self.string(value)?;
                self.parse(&text, |parser| parser.line(Some(list)))
            }
            Kind::Struct | Kind::Map => match list {
                List::Ranges => self.range(value).map(AnyRow::Range),
                List::Situations => self.situation(value).map(AnyRow::Situation),
                List::Assignments => self.assignment(value).map(AnyRow::Assignment),
                List::Relations => self.relation(value).map(AnyRow::Relation),
                List::Reactions => self.reaction(value).map(AnyRow::Reaction),
                List::Scene => {
                    self.report(scene::report::shape_in_columns(value.span()));
                    None
                }
            },
            found => {
                let what = say!("parse-row.what", list = list.name());
                let expected = phrase!("phrase-line-quotes-columns");
                self.wrong_type(&what, expected, found, value);
                None
            }
        }
    }

    fn range(&mut self, value: Ron<'_>) -> Option<Row<Range>> {
        let names = [
            "id", "after", "before", "note", "for", "name", "all", "mark",
        ];
        let [id, after, before, note, over, name, all, mark] = self.fields(value, RANGE, names)?;
        let [name, all] = self.required(value, RANGE, [("name", name), ("all", all)]);
        let name = name.and_then(|field| self.name(field));
        let all = all.map_or_else(Vec::new, |field| self.comparisons(field));
        let mark = self.word(mark, &Mark::ALL.map(|mark| (mark.name(), mark)));
        let body = Range {
            name: name?,
            all,
            mark,
        };
        Some(self.columns(value, [id, after, before, note], [over, None], body))
    }

    fn situation(&mut self, value: Ron<'_>) -> Option<Row<Situation>> {
        let names = [
            "id", "after", "before", "note", "for", "name", "all", "event", "behind",
        ];
        let [id, after, before, note, over, name, all, event, behind] =
            self.fields(value, SITUATION, names)?;
        let [name, all] = self.required(value, SITUATION, [("name", name), ("all", all)]);
        let name = name.and_then(|field| self.name(field));
        let all = self.condition_of(all, value);
        let mut is_true = |field: Option<Field<'_>>| {
            let field = field.and_then(|field| self.boolean(field));
            field.is_some_and(|field| field.value)
        };
        let (event, behind) = (is_true(event), is_true(behind));
        let body = Situation {
            name: name?,
            event,
            behind,
            all,
        };
        Some(self.columns(value, [id, after, before, note], [over, None], body))
    }

    pub(super) fn assignment(&mut self, value: Ron<'_>) -> Option<Row<Assignment>> {
        let names = ["id", "after", "before", "note", "for", "when", "set"];
        let [id, after, before, note, over, when, set] = self.fields(value, ASSIGNMENT, names)?;
        let [when, set] = self.required(value, ASSIGNMENT, [("when", when), ("set", set)]);
        let when = self.condition_of(when, value);
        let set = set.map_or_else(Vec::new, |field| self.switches_to_set(field));
        let body = Assignment { when, set };
        Some(self.columns(value, [id, after, before, note], [over, None], body))
    }

    pub(super) fn relation(&mut self, value: Ron<'_>) -> Option<Row<Relation>> {
        let names = [
            "id",
            "after",
            "before",
            "note",
            "for",
            "one_after_another",
            "real",
            "procedure",
            "coef",
            "args",
            "coef2",
            "when",
            "otherwise",
            "once",
            "solve",
            "equations",
            "bounds",
        ];
        let [
            id,
            after,
            before,
            note,
            over,
            in_turn,
            real,
            procedure,
            coef,
            args,
            coef2,
            when,
            otherwise,
            once,
            solve,
            equations,
            bounds,
        ] = self.fields(value, RELATION, names)?;
        if let Some(solve) = solve {
            let others = [real, procedure, coef, args, coef2, once];
            if let Some(other) = others.into_iter().flatten().next() {
                self.contradiction(solve, other);
            }
            let body = self.solved_row(value, solve, [equations, bounds], [when, otherwise])?;
            return Some(self.columns(value, [id, after, before, note], [over, in_turn], body));
        }
        let [real, procedure] =
            self.required(value, RELATION, [("real", real), ("procedure", procedure)]);
        let targets = real.and_then(|field| self.targets(field));
        let procedure = procedure.and_then(|field| self.text(field));
        let coef = coef.map(|field| self.expression(field));
        let args = args.map_or(Some(Vec::new()), |field| self.arguments(field));
        let coef2 = coef2.map(|field| self.expression(field));
        let guard = self.guard(when, otherwise);
        let once_span = once.map_or(value.span(), |field| field.value.span());
        let once = once
            .and_then(|field| self.boolean(field))
            .is_some_and(|once| once.value);
        let targets = targets?;
        if targets.len() > 1 && !once {
            self.report(report::several_targets(once_span).with_help(say!("parse-relation.help")));
        }
        let columns = match (procedure, args) {
            (Some(procedure), Some(args)) => Value::Columns {
                procedure,
                coef: coef.map(Box::new),
                args,
                coef2: coef2.map(Box::new),
            },
            _ => Value::Exprs(vec![unread(value.span()); targets.len()]),
        };
        let body = Relation {
            targets,
            once,
            once_span,
            value: columns,
            guard,
        };
        Some(self.columns(value, [id, after, before, note], [over, in_turn], body))
    }

    fn reaction(&mut self, value: Ron<'_>) -> Option<Row<Reaction>> {
        let names = [
            "id",
            "after",
            "before",
            "note",
            "stage",
            "constants",
            "at",
            "when",
            "for",
        ];
        let [id, after, before, note, stage, constants, at, when, over] =
            self.fields(value, REACTION, names)?;
        let [stage] = self.required(value, REACTION, [("stage", stage)]);
        if let (Some(constants), Some(at)) = (constants, at) {
            self.contradiction(constants, at);
        }
        let text = self.string(stage?.value)?;
        let equation = self.parse(&text, |parser| parser.whole(Parser::equation));
        let law = match (constants, at) {
            (Some(field), _) => RateLaw::MassAction(self.rates(field)),
            (None, Some(field)) => RateLaw::Rate(self.rates(field)),
            (None, None) => RateLaw::MassAction(Vec::new()),
        };
        let guard = self.guard(when, None);
        let reaction = equation.with(law, guard);
        self.check_reaction(&reaction);
        Some(self.columns(value, [id, after, before, note], [over, None], reaction))
    }

    fn rates(&mut self, field: Field<'_>) -> Vec<Expr> {
        match field.value.kind() {
            Kind::List => {
                let values: Vec<Ron<'_>> = field.value.items().collect();
                let values = values.into_iter();
                values
                    .map(|value| self.expression(Field { value, ..field }))
                    .collect()
            }
            _ => vec![self.expression(field)],
        }
    }

    fn check_reaction(&mut self, reaction: &Reaction) {
        self.diagnostics.extend(mistakes(reaction));
    }

    /// `(solve: ["x"], equations: ["left = right"], bounds: [low, high], ..)`
    fn solved_row(
        &mut self,
        value: Ron<'_>,
        solve: Field<'_>,
        [equations, bounds]: [Option<Field<'_>>; 2],
        [when, otherwise]: [Option<Field<'_>>; 2],
    ) -> Option<Relation> {
        let [equations] = self.required(value, RELATION, [("equations", equations)]);
        let targets = self.parts(solve, |parser| parser.whole(Parser::solve_target));
        let equations = equations.map_or_else(Vec::new, |field| {
            self.parts(field, |parser| parser.whole(Parser::equality))
        });
        let bounds = bounds.and_then(|field| {
            let all = self.arguments(field)?;
            let span = field.value.span();
            match <[_; 2]>::try_from(all) {
                Ok(bounds) => Some(Box::new(bounds)),
                Err(_) => {
                    self.report(two_bounds(span));
                    None
                }
            }
        });
        let guard = self.guard(when, otherwise);
        if targets.is_empty() || targets.iter().any(|target| target.value.is_empty()) {
            return None;
        }
        let span = value.span();
        let text = Written::nothing(span);
        let (targets, value) = self.parse(&text, |parser| {
            parser.solved(targets, equations, bounds, span)
        });
        Some(Relation {
            targets,
            once: false,
            once_span: span,
            value,
            guard,
        })
    }

    /// A string, or a list of strings, each read as one thing.
    fn parts<T>(&mut self, field: Field<'_>, read: impl Fn(&mut Parser<'_>) -> T) -> Vec<T> {
        let items: Vec<Ron<'_>> = match field.value.kind() {
            Kind::List => field.value.items().collect(),
            _ => vec![field.value],
        };
        let mut all = Vec::new();
        for value in items {
            if value.kind() != Kind::String {
                let what = format!("`{}`", field.name);
                self.wrong_type(&what, phrase!("phrase-strings"), value.kind(), value);
                continue;
            }
            if let Some(text) = self.string(value) {
                all.push(self.parse(&text, &read));
            }
        }
        all
    }

    /// A row with the columns that rows of all lists share: id, after, before, note, for.
    fn columns<T>(
        &mut self,
        value: Ron<'_>,
        common: [Option<Field<'_>>; 4],
        counting: [Option<Field<'_>>; 2],
        body: T,
    ) -> Row<T> {
        let [id, after, before, note] = common;
        let [over, in_turn] = counting;
        let over = over.and_then(|field| self.counters_of_row(field));
        let in_turn = in_turn.and_then(|field| self.boolean(field));
        let in_turn = in_turn.filter(|in_turn| in_turn.value);
        let each = (over.is_some() || in_turn.is_some()).then(|| {
            Box::new(Each {
                over: over.unwrap_or_default(),
                one_after_another: in_turn.map(|in_turn| in_turn.span),
            })
        });
        if let (Some(after), Some(before)) = (after, before) {
            self.contradiction(after, before);
        }
        let place = match (after, before) {
            (Some(field), _) => self.id(field).map(|id| Place {
                side: Side::After,
                id,
            }),
            (None, Some(field)) => self.id(field).map(|id| Place {
                side: Side::Before,
                id,
            }),
            (None, None) => None,
        };
        Row {
            form: Form::Columns,
            span: value.span(),
            id: id.and_then(|field| self.id(field)),
            place: place.map(Box::new),
            note: self.optional_text(note),
            each,
            body,
        }
    }

    /// `"j in 2 .. N"`
    fn counters_of_row(&mut self, field: Field<'_>) -> Option<Vec<Over>> {
        if field.value.kind() != Kind::String {
            let expected = phrase!("phrase-counters-such-j");
            self.wrong_type("`for`", expected, field.value.kind(), field.value);
            return None;
        }
        let text = self.string(field.value)?;
        Some(self.parse(&text, |parser| parser.whole(Parser::counters)))
    }

    pub(super) fn guard(&mut self, when: Option<Field<'_>>, otherwise: Option<Field<'_>>) -> Guard {
        let is_otherwise = otherwise
            .and_then(|field| self.boolean(field))
            .is_some_and(|otherwise| otherwise.value);
        match (when, otherwise.filter(|_| is_otherwise)) {
            (Some(when), otherwise) => {
                if let Some(otherwise) = otherwise {
                    self.contradiction(when, otherwise);
                }
                Guard::When(self.condition(when))
            }
            (None, Some(otherwise)) => Guard::Otherwise(otherwise.value.span()),
            (None, None) => Guard::Always,
        }
    }

    /// `["v1", "v2"]` or `"v"`
    pub(super) fn targets(&mut self, field: Field<'_>) -> Option<Vec<Name>> {
        match field.value.kind() {
            Kind::List => {
                let names: Option<Vec<Name>> = field
                    .value
                    .items()
                    .map(|value| self.name(Field { value, ..field }))
                    .collect();
                if names.as_ref().is_some_and(Vec::is_empty) {
                    let help = say!("parse-targets.help");
                    self.report(report::empty_list("real", help, field.value.span()));
                    return None;
                }
                names
            }
            _ => self.name(field).map(|name| vec![name]),
        }
    }

    pub(super) fn ids(&mut self, field: Field<'_>) -> Vec<Spanned<String>> {
        let values = self.list(field, phrase!("phrase-list-ids"));
        let values: Vec<Ron<'_>> = values.into_iter().flatten().collect();
        values
            .into_iter()
            .filter_map(|value| self.id(Field { value, ..field }))
            .collect()
    }

    /// A row's id: one word, or a number.
    fn id(&mut self, field: Field<'_>) -> Option<Spanned<String>> {
        let value = field.value;
        let text = match value.kind() {
            Kind::Number => Spanned::new(value.written().to_owned(), value.span()),
            Kind::String => self.text(field)?,
            found => {
                self.wrong_type(
                    format!("`{}`", field.name),
                    phrase!("phrase-id-quotes"),
                    found,
                    value,
                );
                return None;
            }
        };
        let bad = |c: char| c.is_whitespace() || c.is_control();
        let id = text.value.as_str();
        let in_a_line = format!("[{id}]");
        let message = match element(id).map_or(id, |(row, _)| row) {
            "" => Some(say!("parse-id")),
            "after" | "before" => Some(say!("parse-id.after-before")),
            _ if id.contains(bad) => Some(say!("parse-id.id-holds")),
            _ if closing(&in_a_line) != Some(1 + id.len()) => Some(say!("parse-id.id-brackets")),
            _ => None,
        };
        if let Some(message) = message {
            self.report(report::bad_id(message, value.span()));
            return None;
        }
        Some(Spanned::new(
            normalised(&text.value).into_owned(),
            text.span,
        ))
    }
}
