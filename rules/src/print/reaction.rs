//! The two spellings of a stage of reactions.

use super::{Printer, bracketed, number as number_text, string};
use crate::tree::{Amount, RateLaw, Reaction, Term};

impl Printer<'_> {
    /// `A + 2 B -> C : k when open`
    pub(super) fn reaction(&mut self, reaction: &Reaction) {
        self.stage(reaction);
        self.out.push_str(match reaction.law {
            RateLaw::MassAction(_) => " : ",
            RateLaw::Rate(_) => " at ",
        });
        self.list(reaction.law.values(), |printer, value| {
            printer.expr(value, 0);
        });
        self.guard(&reaction.guard);
    }

    /// `stage: "A + 2 B -> C", constants: ["k"]`
    pub(super) fn reaction_columns(&mut self, reaction: &Reaction) {
        let mut stage = Printer {
            sources: self.sources,
            ..Printer::default()
        };
        stage.stage(reaction);
        self.field("stage", &string(&stage.out));
        let values = reaction.law.values().iter();
        let values: Vec<String> = values.map(|value| self.argument(value)).collect();
        let field = match reaction.law {
            RateLaw::MassAction(_) => "constants",
            RateLaw::Rate(_) => "at",
        };
        self.field(field, &bracketed(&values));
        self.guard_columns(&reaction.guard);
    }

    fn stage(&mut self, reaction: &Reaction) {
        self.side(&reaction.left);
        if !reaction.left.is_empty() {
            self.out.push(' ');
        }
        self.out
            .push_str(if reaction.reversible { "<->" } else { "->" });
        if !reaction.right.is_empty() {
            self.out.push(' ');
        }
        self.side(&reaction.right);
    }

    fn side(&mut self, terms: &[Term]) {
        for (index, Term { amount, species }) in terms.iter().enumerate() {
            if index > 0 {
                self.out.push_str(" + ");
            }
            match amount {
                Amount::One => {}
                Amount::Number(number) => {
                    self.out.push_str(&number_text(number.value));
                    self.out.push(' ');
                }
                Amount::Constant(name) => {
                    self.written(name);
                    self.out.push_str(" * ");
                }
            }
            self.written(species);
        }
    }
}
