//! C060 to C063: units that do not agree, that nobody knows, and factors between units that are not quite right.
//!
//! [`unit`] reads a unit, [`agreement`] solves equations between units, [`equations`] and [`expressions`] say which
//! equations a row of the table stands for. A row is looked at as soon as two of its quantities have units; a quantity
//! without one takes what its rows need. A number in a row has no dimension, and 0 fits everything.

mod agreement;
mod equations;
mod expressions;
mod fix;
mod measure;
mod monomial;
mod offsets;
mod place;
mod rows;
mod stages;
mod symbols;
mod temperature;
#[cfg(test)]
mod tests;
mod unit;
mod watched;

use std::collections::BTreeMap;

use situ_engine::model::{Model, Quantity};
use situ_words::say;

use self::agreement::{Disagreement, Factor, Mismatch};
pub(crate) use self::fix::unit_factors;
use self::monomial::{Atom, Monomial};
use self::rows::{Rows, THE_TIME};
use self::temperature::Scale;
use super::{Context, Watchers};
use crate::diag::{Diagnostic, Severity, nearest};
use crate::resolve::Reading;
use crate::source::Origins;

/// The relative error from which on a factor between two units is remarked upon, and to which it is taken for one.
const FACTOR_OFF: std::ops::Range<f64> = 1e-5..2e-2;

pub(super) fn check(context: &mut Context<'_>) {
    let model = context.model;
    if !has_units(model) {
        return;
    }
    for quantity in quantities(model) {
        unknown_symbols(context, quantity);
    }
    factors(context);
    let mut rows = Rows::new(model, context.start, context.watchers);
    rows.look();
    let found = std::mem::take(&mut rows.found);
    // Targets of one written row share its place.
    let mut together: BTreeMap<(usize, &str), Vec<usize>> = BTreeMap::new();
    let told_by_stages = rows.told_by_stages(&found);
    for (at, one) in found.iter().enumerate() {
        if !rows.is_told_by_stage(one, &told_by_stages) {
            let place = (rows.first_written_with(one.row), one.mismatch.code());
            together.entry(place).or_default().push(at);
        }
    }
    let mut all: Vec<Vec<usize>> = together.into_values().collect();
    all.sort_unstable();
    for one in all {
        let mut report = report(&mut rows, &found[one[0]], context.origins);
        for &other in &one[1..] {
            report = report.with_note(sides(&mut rows, &found[other]));
        }
        context.report(found[one[0]].mismatch.code(), |_| report);
    }
}

fn quantities(model: &Model) -> impl Iterator<Item = &Quantity> {
    model.constants.iter().chain(&model.reals)
}

/// True if a quantity has one: without any, rows are not looked at, since the time alone has a unit then.
fn has_units(model: &Model) -> bool {
    quantities(model).any(|quantity| !quantity.unit.is_empty())
}

fn unknown_symbols(context: &mut Context<'_>, quantity: &Quantity) {
    if quantity.unit.is_empty() {
        return;
    }
    let unknown = match unit::read(&quantity.unit) {
        Some(read) => read.unknown,
        None => vec![quantity.unit.clone()],
    };
    for symbol in unknown {
        context.report("C062", |context| {
            let message = say!("unit-unknown-symbols", symbol, quantity = quantity.name);
            let diagnostic = Diagnostic::new("C062", Severity::Warning, message);
            let diagnostic = context.at(
                diagnostic,
                quantity.origin,
                say!("unit-unknown-symbols.label"),
            );
            let product = symbols::product(&symbol);
            let near = product.or_else(|| nearest(&symbol, symbols::all()).map(str::to_owned));
            match near {
                Some(near) => diagnostic.with_help(say!("report-did-you-mean", near)),
                None => diagnostic.with_help(say!("unit-unknown-symbols.help-unit-written")),
            }
        });
    }
}

/// Constants that say how many of a unit another has.
fn factors(context: &mut Context<'_>) {
    let model = context.model;
    let Some(start) = context.start else { return };
    for (number, constant) in model.constants.iter().enumerate() {
        if !constant.unit.contains('/') {
            continue;
        }
        let Some(read) = unit::read(&constant.unit) else {
            continue;
        };
        let unit = read.unit.without_angles();
        if !unit.powers.is_empty() || unit.log == 0.0 {
            continue;
        }
        let value = start.constants[number];
        let exact = rounded((-unit.log).exp());
        if !FACTOR_OFF.contains(&(value / exact - 1.0).abs()) {
            continue;
        }
        context.report("C063", |context| {
            let (name, text) = (&constant.name, &constant.unit);
            let message = say!("unit-factors", name, value, text, exact);
            let diagnostic = Diagnostic::new("C063", Severity::Warning, message);
            context.at(diagnostic, constant.origin, say!("unit-factors.label"))
        });
    }
}

/// Units that do not agree in measures of runs, which are asked for beside the table.
pub fn unit_mismatches(
    model: &Model,
    origins: &Origins,
    readings: &[Reading<'_>],
) -> Vec<Diagnostic> {
    if readings.is_empty() || !has_units(model) {
        return Vec::new();
    }
    let start = model.start_values().ok();
    let watchers = Watchers {
        readings,
        ..Watchers::default()
    };
    let mut rows = Rows::new(model, start.as_ref(), watchers);
    rows.look();
    let found = std::mem::take(&mut rows.found);
    let asked = found.iter().filter(|found| rows.is_read(found.row));
    let asked: Vec<&Disagreement> = asked.collect();
    asked
        .into_iter()
        .map(|found| report(&mut rows, found, origins))
        .collect()
}

/// What the two sides are in; a quantity stands before the points of a lookup.
fn sides(rows: &mut Rows<'_>, found: &Disagreement) -> String {
    rows.look_at_quantities(found.row);
    if let Mismatch::Offset(temperature) = found.mismatch {
        let temperature = rows.quantity(temperature);
        let (name, unit) = (&temperature.name, &temperature.unit);
        return say!("unit-report.offset", name, unit);
    }
    let sides = match found.mismatch {
        Mismatch::Zero(to, from) => [(&found.left, to), (&found.right, from)]
            .map(|(side, scale)| (&side.0, rows.scale_text(&side.0, scale))),
        Mismatch::Scale(_) | Mismatch::Dimension(_) | Mismatch::Offset(_) => {
            [&found.left, &found.right].map(|side| (&side.0, rows.side_text(side)))
        }
    };
    let [mut first, mut second] = sides;
    let is_zero = matches!(found.mismatch, Mismatch::Zero(..));
    if is_zero && !first.0.starts_with('`') {
        std::mem::swap(&mut first, &mut second);
    }
    say!(
        "unit-report.is",
        left = first.0,
        left_2 = first.1,
        right = second.0,
        right_2 = second.1
    )
}

fn report(rows: &mut Rows<'_>, found: &Disagreement, origins: &Origins) -> Diagnostic {
    let code = found.mismatch.code();
    let sides = sides(rows, found);
    let (place, setting) = (rows.place(found.row, origins), rows.setting(found.row));
    let inferred = rows.inferred(found);
    let lacking = match &found.mismatch {
        Mismatch::Dimension(quotient) => rows.text(quotient),
        Mismatch::Scale(_) | Mismatch::Zero(..) | Mismatch::Offset(_) => String::new(),
    };
    let mut diagnostic = Diagnostic::new(code, Severity::Warning, sides);
    if let Some(place) = place {
        let label = match found.mismatch {
            Mismatch::Offset(_) => say!("unit-report.label-offset"),
            _ => say!("unit-report.label"),
        };
        diagnostic = diagnostic.at(place, label);
    }
    if let Some(declared) = rows.declared(found.row, origins) {
        diagnostic = diagnostic.also(declared, say!("unit-report.declared"));
    }
    if let Some(setting) = setting {
        diagnostic = diagnostic.with_note(say!("unit-report.in-setting", setting));
    }
    for note in inferred {
        diagnostic = diagnostic.with_note(note);
    }
    if let Some(help) = rows.help_of_stages(found) {
        return diagnostic.with_help(help);
    }
    match &found.mismatch {
        Mismatch::Zero(to, from) => {
            let name = found.right.0.trim_matches('`');
            let converted = to.converted(name, *from);
            diagnostic.with_help(say!("unit-report.zero", converted))
        }
        Mismatch::Offset(temperature) => {
            let temperature = rows.quantity(*temperature);
            let scale = Scale::of(&temperature.unit).unwrap_or(Scale::Celsius);
            let converted = Scale::Kelvin.converted(&temperature.name, scale);
            diagnostic.with_help(say!("unit-report.help-offset", converted))
        }
        Mismatch::Scale(scale) => diagnostic.with_help(match (found.converted(), &found.factor) {
            (Some((side, factor)), _) => say!(
                "unit-report.multiply-state-quantities",
                side,
                factor = fix::written(factor)
            ),
            (None, Factor::Written) => say!(
                "unit-report.other-factor",
                factor = fix::written(1.0 / scale)
            ),
            (None, _) => say!("unit-report.state-quantities-units"),
        }),
        // A procedure asks for it, no other quantity.
        Mismatch::Dimension(_) if !found.right.0.starts_with('`') => diagnostic.with_help(say!(
            "unit-report.help-if-units",
            left = found.left.0,
            lacking
        )),
        Mismatch::Dimension(_) => diagnostic.with_help(say!(
            "unit-report.help-if-units-2",
            right = found.right.0,
            lacking
        )),
    }
}

impl Rows<'_> {
    /// What a temperature is in, in words: the unit as it is stated, or that of its scale.
    fn scale_text(&self, words: &str, scale: Scale) -> String {
        let quantities = self.model.constants.iter().chain(&self.model.reals);
        let named = words.trim_matches('`');
        let mut stated = quantities.filter(|quantity| quantity.name == named);
        let unit = stated
            .next()
            .map_or(scale.symbol(), |quantity| &quantity.unit);
        say!("unit-side-text", unit)
    }

    /// What a side is in, in words: the unit that is stated of a quantity, or else the name of its unit, or powers of base
    /// units.
    fn side_text(&self, (words, unit): &(String, Monomial)) -> String {
        let quantities = self.model.constants.iter().chain(&self.model.reals);
        let mut stated = quantities.filter(|quantity| !quantity.unit.is_empty());
        let named = words.trim_matches('`');
        let of_time = self.model.clock.time_unit();
        if (named == "time" || named == String::from(THE_TIME)) && !of_time.is_empty() {
            return say!("unit-side-text", unit = of_time);
        }
        if let Some(quantity) = stated.find(|quantity| quantity.name == named) {
            return say!("unit-side-text", unit = quantity.unit);
        }
        let resolved = self.unknowns.resolve(unit);
        if resolved.is_same(&Monomial::default()) {
            return say!("unit-side-text.without-unit");
        }
        say!("unit-side-text", unit = self.unit_text(unit))
    }

    /// A unit in words: as a quantity of the row states it, or else its name, or powers of base units.
    fn unit_text(&self, unit: &Monomial) -> String {
        let resolved = self.unknowns.resolve(unit);
        let in_row = self.in_row.iter();
        let quantities = in_row.filter(|&&number| number + 1 < self.units.len());
        let mut stated = quantities.filter(|&&number| {
            let unit = &self.units[number];
            self.unknown_of[number].is_none() && unit.is_same(&resolved)
        });
        match (stated.next(), symbols::named(&resolved)) {
            (Some(&number), _) => self.quantity(number).unit.clone(),
            (None, Some(symbol)) => symbol.to_owned(),
            (None, None) => self.text(unit),
        }
    }

    /// A unit in words: its powers of base units, with its scale.
    fn text(&self, unit: &Monomial) -> String {
        let unit = self.unknowns.resolve(unit);
        let mut words = String::new();
        if unit.log.abs() > 1e-12 {
            words = rounded(unit.log.exp()).to_string();
        }
        let (above, below): (Vec<_>, Vec<_>) = unit.powers.iter().partition(|power| *power.1 > 0.0);
        for (atom, power) in above.into_iter().chain(below) {
            let symbol = match atom {
                Atom::Base(symbol) => *symbol,
                Atom::Own(symbol) => symbol,
                // The unit of time is some number of seconds.
                Atom::Unknown(_) => continue,
            };
            words.push_str(match (words.is_empty(), *power > 0.0) {
                (true, true) => "",
                (true, false) => "1/",
                (false, true) => "*",
                (false, false) => "/",
            });
            words.push_str(symbol);
            let size = rounded(power.abs());
            #[expect(clippy::float_cmp, reason = "an exponent that was never divided")]
            if size != 1.0 {
                words.push_str(&format!("^{size}"));
            }
        }
        if words.is_empty() {
            words.push_str(&say!("unit-number"));
        }
        words
    }
}

/// A factor with as many digits as it deserves.
fn rounded(factor: f64) -> f64 {
    let text = format!("{factor:.9e}");
    text.parse().unwrap_or(factor)
}
