//! The field `lab` of a table.

use situ_words::{phrase, say};

use crate::parse::fields::{Field, Reader, Shape};
use crate::parse::report;
use crate::parse::ron::{Kind, Value as Ron};
use crate::parse::tokens::Parser;
use crate::source::Spanned;
use crate::tree::{Lab, LabField, LabInput, Name, Predicted, Words, measures};

const LAB: Shape = Shape {
    called: phrase!("phrase-lab"),
    type_name: "Lab",
};
const WORDS: Shape = Shape {
    called: phrase!("phrase-text-two-languages"),
    type_name: "Words",
};
const INPUT: Shape = Shape {
    called: phrase!("phrase-what-may-set"),
    type_name: "Input",
};
const FIELD: Shape = Shape {
    called: phrase!("phrase-what-predict"),
    type_name: "Field",
};

/// Most times at which one value is predicted.
const MOST_TIMES: f64 = 1000.0;

impl Reader {
    /// Reads `(task: "..", set: {..}, predict: {..}, questions: [..])`.
    pub(super) fn lab(&mut self, field: Field<'_>) -> Option<Lab> {
        let value = field.value;
        let names = ["task", "set", "predict", "questions"];
        let [task, set, predict, questions] = self.fields(value, LAB, names)?;
        let [predict] = self.required(value, LAB, [("predict", predict)]);
        let questions = questions.and_then(|field| self.list(field, phrase!("phrase-list-texts")));
        let questions: Vec<Ron<'_>> = questions.into_iter().flatten().collect();
        Some(Lab {
            span: value.span(),
            task: task.and_then(|field| self.words(field)),
            inputs: set.map_or_else(Vec::new, |field| self.lab_inputs(field)),
            fields: predict.map_or_else(Vec::new, |field| self.fields_of_lab(field)),
            questions: (questions.into_iter())
                .filter_map(|value| {
                    let name = "questions";
                    self.words(Field { name, value })
                })
                .collect(),
        })
    }

    /// Reads `"height"` or `(en: "height", ru: "высота")`.
    fn words(&mut self, field: Field<'_>) -> Option<Words> {
        if field.value.kind() == Kind::String {
            let text = self.text(field)?.value;
            return Some(Words {
                ru: text.clone(),
                en: text,
            });
        }
        let both = self.fields(field.value, WORDS, ["en", "ru"])?;
        let [en, ru] = self.required(field.value, WORDS, [("en", both[0]), ("ru", both[1])]);
        let [en, ru] = [en, ru].map(|field| self.optional_text(field));
        Some(Words {
            en: en?.value,
            ru: ru?.value,
        })
    }

    fn lab_inputs(&mut self, field: Field<'_>) -> Vec<LabInput> {
        let mut inputs = Vec::new();
        for (name, value) in self.named(field) {
            let Some([label, range, step]) = self.fields(value, INPUT, ["label", "range", "step"])
            else {
                continue;
            };
            inputs.push(LabInput {
                name,
                label: label.and_then(|field| self.words(field)),
                range: range.and_then(|field| self.range_of(field)),
                step: self.positive(step),
            });
        }
        inputs
    }

    fn fields_of_lab(&mut self, field: Field<'_>) -> Vec<LabField> {
        let entries = self.entries(field, Reader::case_name);
        let entries = entries.into_iter();
        entries
            .filter_map(|(name, value)| self.field_of_lab(name, value))
            .collect()
    }

    fn field_of_lab(&mut self, name: Name, value: Ron<'_>) -> Option<LabField> {
        let names = ["measure", "value", "at", "count", "label", "unit"];
        let [measure, of, at, count, label, unit] = self.fields(value, FIELD, names)?;
        if let Some(measure) = measure {
            let others = [of, at, count];
            if let Some(other) = others.into_iter().flatten().next() {
                self.contradiction(measure, other);
            }
        }
        let of = match measure {
            Some(measure) => {
                let text = self.string(measure.value)?;
                let kind = text.text.split('(').next().unwrap_or_default().trim();
                if !measures().any(|known| known == kind) {
                    self.report(report::no_measure(kind, text.whole()));
                    return None;
                }
                Predicted::Measured(self.parse(&text, |parser| parser.whole(Parser::measure))?)
            }
            None => {
                let parts = [("value", of), ("at", at)];
                let [of, at] = self.required(value, FIELD, parts);
                let count = count.and_then(|field| self.count(field));
                Predicted::Each {
                    value: self.expression(of?),
                    at: self.condition(at?),
                    count,
                }
            }
        };
        Some(LabField {
            name,
            label: label.and_then(|field| self.words(field)),
            unit: self.optional_text(unit),
            of,
        })
    }

    /// A whole number of times.
    fn count(&mut self, field: Field<'_>) -> Option<Spanned<f64>> {
        let number = self.number(field)?;
        if number.value.fract() != 0.0 || !(1.0..=MOST_TIMES).contains(&number.value) {
            let expected = say!("parse-count.whole-number", MOST_TIMES);
            self.report(report::out_of_range(field.name, &expected, number.span));
            return None;
        }
        Some(number)
    }
}
