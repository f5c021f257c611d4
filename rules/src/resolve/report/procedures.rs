//! Procedures, their arguments and their coefficients.

use situ_engine::procedure::{ALL, CoefRole, Procedure};
use situ_words::say;

use super::{declared_here, error};
use crate::diag::{Diagnostic, nearest};
use crate::letters;
use crate::resolve::edits;
use crate::resolve::symbol::{Declared, Symbol};
use crate::source::{SourceMap, Span};
use crate::tree::Name;

pub(in crate::resolve) fn unknown_procedure(
    name: &str,
    span: Span,
    declared: Option<Declared>,
    lookups: &[situ_engine::model::Lookup],
    sources: &SourceMap,
) -> Diagnostic {
    if let Some(declared) = declared {
        let kind = declared.symbol.kind();
        let behind = Span {
            start: span.end,
            ..span
        };
        let report = error("N006", say!("call-unknown-procedure", name, kind), span)
            .at(span, say!("call-unknown-procedure.label-called-here"));
        let is_number = matches!(declared.symbol, Symbol::Real(_) | Symbol::Constant(_));
        let text = &sources.get(span.source).text[span.range().end..];
        if !is_number || !is_factor(text) {
            return report;
        }
        return report.with_edit(say!("call-unknown-procedure.help-if-product"), behind, " *");
    }
    let diagnostic = error(
        "N006",
        say!("call-unknown-procedure.unknown-procedure", name),
        span,
    )
    .at(span, say!("call-unknown-procedure.label-no-procedure"));
    if name.eq_ignore_ascii_case("log") {
        return diagnostic.with_help(say!("call-unknown-procedure.help-log"));
    }
    let formula = FORMULAS
        .iter()
        .find(|(other, _)| *other == name.to_lowercase());
    if let Some((_, formula)) = formula {
        return diagnostic.with_help(say!("call-unknown-procedure.help-formula", formula));
    }
    let lookup = nearest(name, lookups.iter().map(|lookup| &*lookup.name));
    let Some(near) = lookup.or_else(|| near_procedure(name)) else {
        return diagnostic.with_help(say!("call-unknown-procedure.help-situ-procedures"));
    };
    let help = say!("report-did-you-mean", near);
    match edits::renamed(sources, span, name, near) {
        Some((span, text)) => diagnostic.with_edit(help, span, text),
        None => diagnostic.with_help(help),
    }
}

/// `T(j)`
pub(in crate::resolve) fn family_called(name: &str, span: Span) -> Diagnostic {
    error("N006", say!("call-family-called", name), span)
        .at(span, say!("call-unknown-procedure.label-called-here"))
        .with_help(say!(
            "call-family-called.help",
            name = crate::print::name(name)
        ))
}

/// True if a text begins with a value in brackets: no list, no condition and not what holds at the start.
fn is_factor(text: &str) -> bool {
    let mut depth = 0_u32;
    let inside: String = text
        .trim_start()
        .chars()
        .take_while(|c| {
            depth += u32::from(*c == '(');
            depth -= u32::from(*c == ')').min(depth);
            depth > 0
        })
        .collect();
    let value = inside.trim_start_matches('(').trim();
    !value.is_empty() && value != "start" && !value.contains(['<', '>', '=', '!', '&', ','])
}

/// Functions of other languages, and what they are here.
const FORMULAS: &[(&str, &str)] = &[
    ("acosh", "ln(a + sqrt(a^2 - 1))"),
    ("acot", "pi / 2 - atan(a)"),
    ("arccot", "pi / 2 - atan(a)"),
    ("arcctg", "pi / 2 - atan(a)"),
    ("arcosh", "ln(a + sqrt(a^2 - 1))"),
    ("arsinh", "ln(a + sqrt(a^2 + 1))"),
    ("artanh", "ln((1 + a) / (1 - a)) / 2"),
    ("asinh", "ln(a + sqrt(a^2 + 1))"),
    ("atanh", "ln((1 + a) / (1 - a)) / 2"),
    ("cbrt", "sign(a) * abs(a)^(1 / 3)"),
    ("ceil", "-floor(-a)"),
    ("ceiling", "-floor(-a)"),
    ("ch", "(exp(a) + exp(-a)) / 2"),
    ("cosec", "1 / sin(a)"),
    ("cosh", "(exp(a) + exp(-a)) / 2"),
    ("cot", "1 / tan(a)"),
    ("coth", "1 + 2 / (exp(2 * a) - 1)"),
    ("csc", "1 / sin(a)"),
    ("ctg", "1 / tan(a)"),
    ("cth", "1 + 2 / (exp(2 * a) - 1)"),
    ("exp10", "10^a"),
    ("exp2", "2^a"),
    ("expm1", "exp(a) - 1"),
    ("fmod", "sign(a) * mod(abs(a), abs(b))"),
    ("hypot", "sqrt(a^2 + b^2)"),
    ("ld", "ln(a) / ln(2)"),
    ("lb", "ln(a) / ln(2)"),
    ("lg", "ln(a) / ln(10)"),
    ("log10", "ln(a) / ln(10)"),
    ("log1p", "ln(1 + a)"),
    ("log2", "ln(a) / ln(2)"),
    ("round", "floor(a + 0.5)"),
    ("sec", "1 / cos(a)"),
    ("sh", "(exp(a) - exp(-a)) / 2"),
    ("sinc", "sin(a) / a"),
    ("sinh", "(exp(a) - exp(-a)) / 2"),
    ("sqr", "a^2"),
    ("square", "a^2"),
    ("tanh", "1 - 2 / (exp(2 * a) + 1)"),
    ("th", "1 - 2 / (exp(2 * a) + 1)"),
    ("trunc", "sign(a) * floor(abs(a))"),
];

/// Names of procedures in other languages.
const SYNONYMS: &[(&str, &str)] = &[
    ("add", "sum"),
    ("arccos", "acos"),
    ("arcsin", "asin"),
    ("arctan", "atan"),
    ("arctg", "atan"),
    ("cosinus", "cos"),
    ("diff", "derivative"),
    ("differentiation", "derivative"),
    ("div", "quotient"),
    ("division", "quotient"),
    ("fabs", "abs"),
    ("int", "integral"),
    ("lag", "smoothing"),
    ("limit", "clamp"),
    ("mul", "product"),
    ("multiplication", "product"),
    ("pow", "power"),
    ("prop", "proportional"),
    ("relay", "hysteresis"),
    ("saturate", "clamp"),
    ("sgn", "sign"),
    ("signum", "sign"),
    ("sinus", "sin"),
    ("sin_deg", "sind"),
    ("cos_deg", "cosd"),
    ("sub", "sum"),
    ("tg", "tan"),
    ("арккосинус", "acos"),
    ("арксинус", "asin"),
    ("арктангенс", "atan"),
    ("гистерезис", "hysteresis"),
    ("дифференциал", "derivative"),
    ("задержка", "delay"),
    ("запаздывание", "delay"),
    ("знак", "sign"),
    ("импульс", "pulse"),
    ("интеграл", "integral"),
    ("корень", "sqrt"),
    ("косинус", "cos"),
    ("логарифм", "ln"),
    ("макс", "max"),
    ("максимум", "max"),
    ("мин", "min"),
    ("минимум", "min"),
    ("модуль", "abs"),
    ("ограничение", "clamp"),
    ("остаток", "mod"),
    ("произведение", "product"),
    ("производная", "derivative"),
    ("сглаживание", "smoothing"),
    ("синус", "sin"),
    ("скачок", "step"),
    ("степень", "power"),
    ("ступенька", "step"),
    ("сумма", "sum"),
    ("счетчик", "counter"),
    ("счётчик", "counter"),
    ("таймер", "timer"),
    ("тангенс", "tan"),
    ("фильтр", "smoothing"),
    ("частное", "quotient"),
    ("экспонента", "exp"),
];

fn near_procedure(name: &str) -> Option<&'static str> {
    let lower = name.to_lowercase();
    let synonym = SYNONYMS
        .iter()
        .find(|(other, _)| *other == lower)
        .map(|(_, ours)| *ours);
    let look = letters::skeleton(name);
    let look_alike = ALL
        .iter()
        .map(|procedure| procedure.name)
        .find(|ours| *ours == look);
    let synonym = synonym.or(look_alike);
    synonym.or_else(|| nearest(name, ALL.iter().map(|procedure| procedure.name)))
}

/// `comma`: a comma that may be meant as a decimal point.
pub(in crate::resolve) fn argument_count(
    span: Span,
    n_written: usize,
    procedure: &Procedure,
    comma: Option<Span>,
) -> Diagnostic {
    let parameter = usize::from(matches!(procedure.coef, CoefRole::Parameter(_)));
    let most = procedure.params.len() + parameter;
    let least = procedure.required() + parameter;
    let wanted = match (least, most) {
        (1, 1) => say!("call-argument-count.argument"),
        (least, most) if least == most => say!("call-argument-count.arguments", most),
        (least, most) => say!("call-argument-count.arguments-2", least, most),
    };
    let diagnostic = error(
        "N007",
        say!(
            "call-argument-count",
            procedure = procedure.name,
            wanted,
            n_written
        ),
        span,
    );
    let nests = matches!(procedure.name, "min" | "max");
    match comma {
        _ if nests && n_written > most => {
            let name = procedure.name;
            let report = diagnostic.with_help(say!("call-argument-count.help-write", name));
            match comma {
                Some(_) => report.with_note(say!("call-argument-count.help-numbers-written")),
                None => report,
            }
        }
        Some(comma) => {
            diagnostic.with_edit(say!("call-argument-count.help-numbers-written"), comma, ".")
        }
        None => diagnostic.with_help(say!(
            "call-argument-count.help-write-2",
            call = procedure.call()
        )),
    }
}

pub(in crate::resolve) fn schedule_arguments(span: Span, n_written: usize) -> Diagnostic {
    error("N007", say!("call-schedule-arguments", n_written), span)
        .with_help(say!("call-schedule-arguments.help"))
}

pub(in crate::resolve) fn rate_outside(span: Span, real: &str, is_solved: bool) -> Diagnostic {
    if is_solved {
        let message = say!("call-rate-outside", real);
        return error("N070", message, span)
            .at(span, say!("call-rate-outside.label-another-row"))
            .with_help(say!("call-rate-outside.help-solve-real", real));
    }
    error("N070", say!("call-rate-outside.no-row", real), span)
        .at(span, say!("call-rate-outside.label-found-nowhere"))
        .with_help(say!("call-rate-outside.help-solve-solve", real))
}

/// Two rows that solve for one real; `None` where a row has no place.
pub(in crate::resolve) fn solved_twice(
    name: &str,
    [second, first]: [&str; 2],
    [place, other]: [Option<Span>; 2],
) -> Option<Diagnostic> {
    let message = say!("call-solved-twice", first, second, name);
    let diagnostic = error("N071", message, place?).at(place?, say!("call-solved-twice.label"));
    Some(
        diagnostic
            .also(other?, say!("call-solved-twice.also"))
            .with_help(say!("call-solved-twice.help")),
    )
}

/// A target that cannot be found from the equations of its row; `None` where the row has no place.
pub(in crate::resolve) fn not_in_equation(
    name: &str,
    id: &str,
    occurs: bool,
    place: Option<Span>,
) -> Option<Diagnostic> {
    let place = place?;
    let message = say!("call-not-in-equation", name, id);
    let diagnostic = error("N072", message, place);
    Some(match occurs {
        true => diagnostic
            .at(place, say!("call-not-in-equation.label-equation-needed"))
            .with_help(say!("call-not-in-equation.help-each-real")),
        false => diagnostic
            .at(place, say!("call-not-in-equation.label-no-equation"))
            .with_help(say!("call-not-in-equation.help-each-real-2")),
    })
}

pub(in crate::resolve) fn rate_of_no_real(real: &str, span: Span) -> Diagnostic {
    error("N070", say!("call-rate-of-no-real", real), span)
        .at(span, say!("call-rate-of-no-real.label"))
        .with_help(say!("call-rate-of-no-real.help"))
}

pub(in crate::resolve) fn memory_inside(name: &Name, procedure: &Procedure) -> Diagnostic {
    let diagnostic = error(
        "N015",
        say!("call-memory-inside", procedure = procedure.name),
        name.span,
    )
    .at(name.span, say!("call-memory-inside.label"));
    match procedure.coef {
        CoefRole::ScalesFirst => diagnostic.with_help(say!(
            "call-memory-inside.help-write-coefficient",
            replacen = procedure.call().replacen('(', "(2 * ", 1),
            procedure = procedure.name
        )),
        _ => diagnostic.with_help(say!("call-memory-inside.help-give-row")),
    }
}

pub(in crate::resolve) fn memory_at_event(
    span: Span,
    procedure: &Procedure,
    condition: Span,
) -> Diagnostic {
    error(
        "N014",
        say!("call-memory-at-event", procedure = procedure.name),
        span,
    )
    .at(span, say!("call-memory-at-event.label"))
    .also(condition, say!("call-memory-at-event.also"))
    .with_help(say!("call-memory-at-event.help"))
}

/// The coefficient of a procedure by the name that it has there.
fn coefficient_of(procedure: &Procedure) -> String {
    match procedure.coef {
        CoefRole::Parameter(name) => {
            say!("call-coefficient-of.of", name, procedure = procedure.name)
        }
        _ => say!("call-coefficient-of.coefficient"),
    }
}

pub(in crate::resolve) fn variable_coefficient(
    span: Span,
    name: &str,
    declared: Declared,
    procedure: &Procedure,
) -> Diagnostic {
    let kind = declared.symbol.kind();
    let what = coefficient_of(procedure);
    let message = say!("call-variable-coefficient", what, name, kind);
    let diagnostic = declared_here(error("N020", message, span), declared);
    match (procedure.coef, declared.symbol) {
        (CoefRole::Parameter(_), _)
        | (_, Symbol::Switch(_) | Symbol::Range(_) | Symbol::Situation(_)) => diagnostic,
        _ => diagnostic.with_help(say!("call-variable-coefficient.help")),
    }
}

pub(in crate::resolve) fn compound_coefficient(span: Span, procedure: &Procedure) -> Diagnostic {
    let what = coefficient_of(procedure);
    let message = say!("call-compound-coefficient.must-number-name", what);
    error("N020", message, span).with_help(say!("call-compound-coefficient.help"))
}

pub(in crate::resolve) fn no_coefficient(span: Span, procedure: &Procedure) -> Diagnostic {
    error(
        "N021",
        say!("call-no-coefficient", procedure = procedure.name),
        span,
    )
    .with_help(say!("call-no-coefficient.help"))
}

pub(in crate::resolve) fn no_second_coefficient(span: Span, procedure: &Procedure) -> Diagnostic {
    error(
        "N021",
        say!("call-no-second-coefficient", procedure = procedure.name),
        span,
    )
    .with_help(say!("call-no-second-coefficient.help"))
}

pub(in crate::resolve) fn missing_parameter(
    span: Span,
    parameter: &str,
    procedure: &Procedure,
) -> Diagnostic {
    error(
        "N021",
        say!(
            "call-missing-parameter",
            procedure = procedure.name,
            parameter
        ),
        span,
    )
    .with_help(say!(
        "call-missing-parameter.help",
        call = procedure.call(),
        parameter
    ))
}
