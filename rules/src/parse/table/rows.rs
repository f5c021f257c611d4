//! Rows of the four lists: a line in quotes, or columns.

use situ_engine::model::Mark;

use crate::lex::normalised;
use crate::parse::fields::{Field, Reader, Shape};
use crate::parse::report;
use crate::parse::ron::{Kind, Value as Ron};
use crate::parse::values::unread;
use crate::source::Spanned;
use crate::tree::{
    AnyRow, Assignment, Form, Guard, List, Name, Place, Range, Relation, Row, Side, Situation,
    Value,
};

const RANGE: Shape = Shape {
    called: "a range",
    type_name: "Range",
};

const SITUATION: Shape = Shape {
    called: "a situation",
    type_name: "Situation",
};

const ASSIGNMENT: Shape = Shape {
    called: "an assignment",
    type_name: "Assignment",
};

const RELATION: Shape = Shape {
    called: "a relation",
    type_name: "Relation",
};

impl Reader {
    pub(super) fn row(&mut self, list: List, value: Ron<'_>) -> Option<AnyRow> {
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
            },
            found => {
                let what = format!("a row of `{}`", list.name());
                let expected = "a line in quotes or columns such as `(id: \"1\", ..)`";
                self.wrong_type(&what, expected, found, value);
                None
            }
        }
    }

    fn range(&mut self, value: Ron<'_>) -> Option<Row<Range>> {
        let names = ["id", "after", "before", "note", "name", "all", "mark"];
        let [id, after, before, note, name, all, mark] = self.fields(value, RANGE, names)?;
        let [name, all] = self.required(value, RANGE, [("name", name), ("all", all)]);
        let name = name.and_then(|field| self.name(field));
        let all = all.map_or_else(Vec::new, |field| self.comparisons(field));
        let mark = self.word(mark, &Mark::ALL.map(|mark| (mark.name(), mark)));
        let body = Range {
            name: name?,
            all,
            mark,
        };
        Some(self.columns(value, [id, after, before, note], body))
    }

    fn situation(&mut self, value: Ron<'_>) -> Option<Row<Situation>> {
        let names = ["id", "after", "before", "note", "name", "all", "event"];
        let [id, after, before, note, name, all, event] = self.fields(value, SITUATION, names)?;
        let [name, all] = self.required(value, SITUATION, [("name", name), ("all", all)]);
        let name = name.and_then(|field| self.name(field));
        let all = self.condition_of(all, value);
        let event = event
            .and_then(|field| self.boolean(field))
            .is_some_and(|event| event.value);
        let body = Situation {
            name: name?,
            event,
            all,
        };
        Some(self.columns(value, [id, after, before, note], body))
    }

    pub(super) fn assignment(&mut self, value: Ron<'_>) -> Option<Row<Assignment>> {
        let names = ["id", "after", "before", "note", "when", "set"];
        let [id, after, before, note, when, set] = self.fields(value, ASSIGNMENT, names)?;
        let [when, set] = self.required(value, ASSIGNMENT, [("when", when), ("set", set)]);
        let when = self.condition_of(when, value);
        let set = set.map_or_else(Vec::new, |field| self.switches_to_set(field));
        let body = Assignment { when, set };
        Some(self.columns(value, [id, after, before, note], body))
    }

    pub(super) fn relation(&mut self, value: Ron<'_>) -> Option<Row<Relation>> {
        let names = [
            "id",
            "after",
            "before",
            "note",
            "real",
            "procedure",
            "coef",
            "args",
            "coef2",
            "when",
            "otherwise",
            "once",
        ];
        let [
            id,
            after,
            before,
            note,
            real,
            procedure,
            coef,
            args,
            coef2,
            when,
            otherwise,
            once,
        ] = self.fields(value, RELATION, names)?;
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
            self.report(report::several_targets(once_span).with_help(
                "give `once: true` and a `when` that is an event, or one row for each real",
            ));
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
        Some(self.columns(value, [id, after, before, note], body))
    }

    /// A row with the columns that rows of all lists share: id, after, before, note.
    fn columns<T>(&mut self, value: Ron<'_>, common: [Option<Field<'_>>; 4], body: T) -> Row<T> {
        let [id, after, before, note] = common;
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
            body,
        }
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
                    let help = "name the real that the row writes";
                    self.report(report::empty_list("real", help, field.value.span()));
                    return None;
                }
                names
            }
            _ => self.name(field).map(|name| vec![name]),
        }
    }

    pub(super) fn ids(&mut self, field: Field<'_>) -> Vec<Spanned<String>> {
        let values = self.list(field, "a list of ids");
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
                    &format!("`{}`", field.name),
                    "an id in quotes",
                    found,
                    value,
                );
                return None;
            }
        };
        let bad = |c: char| c.is_whitespace() || c.is_control() || c == '[' || c == ']';
        let message = match &*text.value {
            "" => Some("this id is empty"),
            "after" | "before" => Some("`after` and `before` cannot be ids"),
            word if word.contains(bad) => Some("an id holds no blanks and no brackets"),
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
