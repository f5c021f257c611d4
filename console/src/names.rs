//! Names and texts at the prompt, bound to the model at the present place.

use std::borrow::Cow;
use std::sync::Arc;

use situ_engine::ids::{ConstantId, ExprId, RealId};
pub(super) use situ_engine::model::Named;
use situ_engine::model::{Literal, Model, Watch, WatchLiteral, element, element_name};
use situ_engine::trace::Row;
use situ_rules::diag::outside_of_family;
use situ_rules::tree::ReductionKind;
use situ_rules::{Diagnostic, resolve};
use situ_views::columns::family::Family;
use situ_views::columns::observed::Values;
use situ_views::columns::{MOST_ELEMENTS, elements};
use situ_words::say;

use super::Console;
use super::document::Version;
use super::mistyped::advised;
use super::reply::CommandError;

/// Finds what a name stands for; backticks around it do not count.
pub(super) fn find(model: &Model, name: &str) -> Option<Named> {
    model.find(bare(name))
}

/// Finds what a name stands for, or says which name is near.
pub(super) fn named(model: &Model, name: &str) -> Result<Named, CommandError> {
    find(model, name).ok_or_else(|| {
        let is_element = |known: &&str| element(known).is_some_and(|(base, _)| base == bare(name));
        if let Some(first) = all(model).map(|(known, _)| known).find(is_element) {
            let trouble = CommandError::new(say!("console-is-family", name = bare(name)));
            return trouble.with_help(say!("console-is-family.help", first));
        }
        let known: Vec<&str> = all(model).map(|(name, _)| name).collect();
        if let Some(outside) =
            outside_of_family(bare(name), known.iter().copied(), &model.structure.families)
        {
            return CommandError::new(outside);
        }
        let trouble = CommandError::new(say!("console-no-name", name = bare(name)));
        advised(trouble, bare(name), &known, &say!("console-no-name.help"))
    })
}

/// All names of a model with what they stand for: constants, reals, booleans.
pub(super) fn all(model: &Model) -> impl Iterator<Item = (&str, Named)> {
    let constants = model.constants.iter().enumerate();
    let reals = model.reals.iter().enumerate();
    constants
        .map(|(index, row)| (&*row.name, Named::Constant(ConstantId::new(index))))
        .chain(reals.map(|(index, row)| (&*row.name, Named::Real(RealId::new(index)))))
        .chain(
            model
                .named_booleans()
                .map(|(name, what)| (name, Named::Boolean(what))),
        )
}

/// True if a text is the name of a family, or of an element that the family need not have.
pub(super) fn is_of_family(model: &Model, text: &str) -> bool {
    let base = match text.split_once('[') {
        Some((base, index)) if index.find(']') == Some(index.len() - 1) => base,
        Some(_) => return false,
        None => text,
    };
    all(model).any(|(known, _)| element(known).is_some_and(|(family, _)| family == bare(base)))
}

/// True if a text is the name of a family.
pub(super) fn is_family(model: &Model, text: &str) -> bool {
    !text.contains('[') && is_of_family(model, text)
}

/// The names that a text stands for at the prompt: elements that `u[2..5]` or the name of a family spans, else the text.
pub(super) fn spread(model: &Model, text: &str) -> Vec<String> {
    if let Some(elements) = elements(text) {
        return elements.into_iter().map(Cow::into_owned).collect();
    }
    if is_family(model, text)
        && let Ok((family, _)) = Family::of_model(model, bare(text))
        && family.indices.len() <= MOST_ELEMENTS
    {
        let names = family.indices.iter();
        return names.map(|at| element_name(&family.name, at)).collect();
    }
    vec![text.to_owned()]
}

/// A text in which the elements of families that it names have no blanks in their indices: `u[1, 2]` as `u[1,2]`.
pub(super) fn without_blanks(model: &Model, text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('[') {
        let (before, tail) = rest.split_at(at);
        let (index, behind) = tail.split_at(tail.find(']').map_or(tail.len(), |end| end + 1));
        let squeezed = index.replace([' ', '\t'], "");
        let base = before.rsplit(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.')));
        let name = base.take(1).chain([&*squeezed]).collect::<String>();
        let is_element = squeezed.len() < index.len() && find(model, &name).is_some();
        out.push_str(before);
        out.push_str(if is_element { &squeezed } else { index });
        rest = behind;
    }
    out + rest
}

/// A name without its backticks. (An expression may begin and end with those of two names.)
pub(super) fn bare(name: &str) -> &str {
    let name = name.trim();
    name.strip_prefix('`')
        .and_then(|name| name.strip_suffix('`'))
        .filter(|name| !name.contains('`'))
        .unwrap_or(name)
}

/// A name as it is written in rules.
pub(super) fn spelt(name: &str) -> String {
    situ_rules::print::name(bare(name))
}

/// True if a text is a condition by its form: outside of parentheses it compares, joins or negates, or it says that any or
/// all of some elements hold.
fn is_condition(text: &str) -> bool {
    let (mut depth, mut quoted) = (0_i32, false);
    let operates = text.chars().any(|letter| {
        match letter {
            '`' => quoted = !quoted,
            '(' | '[' if !quoted => depth += 1,
            ')' | ']' if !quoted => depth -= 1,
            _ => {}
        }
        depth <= 0 && !quoted && matches!(letter, '<' | '>' | '&' | '!')
    });
    let word = text.split_once('(').map_or("", |(word, _)| word.trim());
    operates || ReductionKind::of(word).is_some_and(ReductionKind::is_condition)
}

/// True if all that is wrong with a text is that it is a name which nothing has, and no other is near for a number.
fn is_one_name(reports: &[Diagnostic], text: &str) -> bool {
    let [report] = reports else { return false };
    let place = report.primary.as_ref().map(|label| label.span);
    let is_whole = place.is_some_and(|span| (span.end - span.start) as usize == text.trim().len());
    report.code == "N001" && report.help.is_none() && is_whole
}

/// A value or a condition.
#[derive(Clone, Debug)]
pub(super) enum Asked {
    Value(ExprId),
    Condition(Watch),
}

/// A text bound to a model that has room for its expressions.
#[derive(Clone, Debug)]
pub(super) struct Bound {
    pub(super) model: Arc<Model>,
    pub(super) asked: Asked,
}

impl Console {
    /// Reads a value, or if it is none a condition.
    pub(super) fn bind(&self, text: &str) -> Result<Bound, CommandError> {
        self.bind_in(&self.version(), text)
    }

    /// The same by the names of a version.
    pub(super) fn bind_in(&self, version: &Version, text: &str) -> Result<Bound, CommandError> {
        if let Some(Named::Boolean(what)) = find(&version.model, text) {
            let literal = Literal {
                what,
                negated: false,
            };
            return Ok(Bound {
                model: Arc::clone(&version.model),
                asked: Asked::Condition([WatchLiteral::Boolean(literal)].into_iter().collect()),
            });
        }
        if is_condition(text) {
            let (model, watch) = self.condition(version, text)?;
            return Ok(Bound {
                model: Arc::new(model),
                asked: Asked::Condition(watch),
            });
        }
        let (mut model, mut origins) = ((*version.model).clone(), version.origins.clone());
        let mut sources = version.sources.clone();
        let read = resolve::expression(&mut model, &mut origins, &mut sources, "<line>", text);
        match read {
            Ok(expr) => Ok(Bound {
                model: Arc::new(model),
                asked: Asked::Value(expr),
            }),
            // A name by itself may be meant as that of a condition, which is no number.
            Err(reports) if is_one_name(&reports, text) => Err(named(&version.model, text)
                .err()
                .unwrap_or_else(|| CommandError::reports(&reports, &sources, self.look.style))),
            Err(reports) => Err(CommandError::reports(&reports, &sources, self.look.style)),
        }
    }

    /// Reads a condition over rows.
    fn condition(&self, version: &Version, text: &str) -> Result<(Model, Watch), CommandError> {
        let (mut model, mut origins) = ((*version.model).clone(), version.origins.clone());
        let mut sources = version.sources.clone();
        resolve::condition(&mut model, &mut origins, &mut sources, "<line>", text)
            .map(|watch| (model, watch))
            .map_err(|reports| CommandError::reports(&reports, &sources, self.look.style))
    }

    /// Reads a number: an expression over constants and the present values.
    pub(super) fn number(&mut self, text: &str) -> Result<f64, CommandError> {
        if let Ok(number) = text.trim().parse::<f64>()
            && number.is_finite()
        {
            return Ok(number);
        }
        let bound = self.bind(text)?;
        let Asked::Value(expr) = bound.asked else {
            return Err(CommandError::new(say!(
                "console-no-number",
                text = text.trim()
            )));
        };
        let run = self.run();
        let value = Values::of(run.model(), &bound.model, run.row()).value(expr);
        if value.is_finite() {
            Ok(value)
        } else {
            Err(CommandError::new(say!(
                "console-not-finite",
                text = text.trim(),
                value
            )))
        }
    }
}

/// The names of the booleans that hold in a row: situations, ranges and switches, in table order.
pub(super) fn standing<'m>(model: &'m Model, row: &Row<'_>) -> Vec<&'m str> {
    let all = model.named_booleans();
    all.filter(|(_, what)| row.boolean(model, *what))
        .map(|(name, _)| name)
        .collect()
}
