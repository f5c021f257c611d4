//! Texts about runs: measures, expectations, exercises.

use super::{Printer, number, string, written};
use crate::tree::{
    AT, Expected, Lab, LabField, LabInput, Measure, MeasureOfCondition, MeasureOfValue, Predicted,
    Words,
};

/// `max(h) = 2 +- 1e-6` or `h >= 0`
pub(crate) fn expected(what: &Expected) -> String {
    let measured = match what {
        Expected::Throughout(condition) => return super::condition(condition),
        Expected::Measured(measured) => measured,
    };
    let mut printer = Printer::default();
    printer.measure(&measured.measure);
    let op = measured.op.map_or("=", |op| op.symbol());
    printer.out.push_str(&format!(" {op} "));
    printer.expr(&measured.value, 0);
    if let Some(tolerance) = &measured.tolerance {
        printer.out.push_str(" +- ");
        printer.expr(tolerance, 0);
    }
    printer.out
}

impl Printer<'_> {
    fn measure(&mut self, measure: &Measure) {
        let kind = match measure {
            Measure::OfValue(kind, _) => MeasureOfValue::ALL
                .iter()
                .find(|(_, known)| known == kind)
                .map(|(name, _)| *name),
            Measure::At(..) => Some(AT),
            Measure::OfCondition(kind, _) => MeasureOfCondition::ALL
                .iter()
                .find(|(_, known)| known == kind)
                .map(|(name, _)| *name),
        };
        self.out.push_str(kind.unwrap_or_default());
        self.out.push('(');
        match measure {
            Measure::OfValue(_, value) => self.expr(value, 0),
            Measure::At(value, time) => {
                self.expr(value, 0);
                self.out.push_str(&format!(", {}", number(*time)));
            }
            Measure::OfCondition(_, condition) => self.condition(condition),
        }
        self.out.push(')');
    }
}

/// The fields of an exercise, in their order.
pub(super) fn lab(lab: &Lab) -> Vec<(&'static str, String)> {
    let inputs: Vec<String> = lab.inputs.iter().map(input).collect();
    let fields: Vec<String> = lab.fields.iter().map(field).collect();
    let questions: Vec<String> = lab.questions.iter().map(words).collect();
    let mut all = Vec::new();
    all.extend(lab.task.as_ref().map(|task| ("task", words(task))));
    if !inputs.is_empty() {
        all.push(("set", format!("{{{}}}", inputs.join(", "))));
    }
    all.push(("predict", format!("{{{}}}", fields.join(", "))));
    if !questions.is_empty() {
        all.push(("questions", format!("[{}]", questions.join(", "))));
    }
    all
}

fn input(input: &LabInput) -> String {
    let mut fields: Vec<String> = label(input.label.as_ref()).collect();
    fields.extend(input.range.as_ref().map(|range| {
        let [low, high] = range.value.map(number);
        format!("range: ({low}, {high})")
    }));
    let step = input.step.as_ref();
    fields.extend(step.map(|step| format!("step: {}", number(step.value))));
    let name = string(&written(&input.name));
    format!("{name}: ({})", fields.join(", "))
}

fn field(field: &LabField) -> String {
    let mut fields = match &field.of {
        Predicted::Measured(measure) => {
            let mut printer = Printer::default();
            printer.measure(measure);
            vec![format!("measure: {}", string(&printer.out))]
        }
        Predicted::Each {
            value: of,
            at,
            count,
        } => {
            let at = string(&super::condition(at));
            let of = Printer::default().argument(of);
            let mut fields = vec![format!("value: {of}"), format!("at: {at}")];
            let count = count.as_ref();
            fields.extend(count.map(|count| format!("count: {}", number(count.value))));
            fields
        }
    };
    fields.extend(label(field.label.as_ref()));
    let unit = field.unit.as_ref();
    fields.extend(unit.map(|unit| format!("unit: {}", string(&unit.value))));
    let name = string(&written(&field.name));
    format!("{name}: ({})", fields.join(", "))
}

fn label(label: Option<&Words>) -> impl Iterator<Item = String> {
    label
        .map(|label| format!("label: {}", words(label)))
        .into_iter()
}

fn words(words: &Words) -> String {
    match words.en == words.ru {
        true => string(&words.en),
        false => format!("(en: {}, ru: {})", string(&words.en), string(&words.ru)),
    }
}
