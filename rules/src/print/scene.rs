//! Rows of scenes.

use super::Printer;
use crate::tree::{Attribute, AttributeValue, Expr, Paint, Point, Shape, TextPart};

impl Printer<'_> {
    /// `circle ball in arm: at (x, y), radius 0.2, fill red when contact`
    pub(super) fn shape(&mut self, shape: &Shape) {
        self.out.push_str(shape.kind.value.name());
        if let Some(name) = &shape.name {
            self.out.push(' ');
            self.written(name);
        }
        if let Some(group) = &shape.group {
            self.out.push_str(" in ");
            self.written(group);
        }
        self.out.push_str(": ");
        self.list(&shape.attributes, Printer::attribute);
    }

    fn attribute(&mut self, attribute: &Attribute) {
        let word = attribute.kind.name();
        self.out.push_str(word);
        if !word.is_empty() {
            self.out.push(' ');
        }
        match &attribute.value {
            AttributeValue::Points(points) => {
                for (index, point) in points.iter().enumerate() {
                    if index > 0 {
                        self.out.push_str(" to ");
                    }
                    self.point(point);
                }
            }
            AttributeValue::Number(number) => self.expr(number, 0),
            AttributeValue::Paint(Paint::Plain(colour)) => self.out.push_str(colour.name()),
            AttributeValue::Paint(Paint::Mix(first, second, share)) => {
                let (first, second) = (first.name(), second.name());
                self.out.push_str(&format!("mix({first}, {second}, "));
                self.expr(share, 0);
                self.out.push(')');
            }
            AttributeValue::Text(parts) => self.letters(parts),
            AttributeValue::Align(side) => self.out.push_str(side.name()),
        }
        if let Some(when) = &attribute.when {
            self.out.push_str(" when ");
            self.condition(when);
        }
    }

    fn point(&mut self, point: &Point) {
        self.out.push('(');
        self.list(&[&point.x, &point.y], |printer, side: &&Expr| {
            printer.expr(side, 0)
        });
        self.out.push(')');
        if !point.over.is_empty() {
            self.out.push_str(" for ");
            self.counters(&point.over);
        }
    }

    fn letters(&mut self, parts: &[TextPart]) {
        self.out.push('\'');
        for part in parts {
            match part {
                TextPart::Letters(letters) => {
                    for letter in letters.chars() {
                        if matches!(letter, '\'' | '{' | '}') {
                            self.out.push(letter);
                        }
                        self.out.push(letter);
                    }
                }
                TextPart::Number(number, digits) => {
                    self.out.push('{');
                    self.expr(number, 0);
                    if let Some(digits) = digits {
                        self.out.push_str(&format!(":.{digits}"));
                    }
                    self.out.push('}');
                }
            }
        }
        self.out.push('\'');
    }
}
