//! Procedures, their arguments and their coefficients.

use situ_engine::procedure::{ALL, CoefRole, Procedure};

use super::{declared_here, error};
use crate::diag::{Diagnostic, nearest};
use crate::letters;
use crate::resolve::edits;
use crate::resolve::names::{Declared, Symbol};
use crate::source::{SourceMap, Span};
use crate::tree::Name;

pub(in crate::resolve) fn unknown_procedure(
    name: &str,
    span: Span,
    declared: Option<Declared>,
    sources: &SourceMap,
) -> Diagnostic {
    if let Some(declared) = declared {
        let kind = declared.symbol.kind();
        let behind = Span {
            start: span.end,
            ..span
        };
        let report = error("N006", format!("`{name}` is {kind}, not a procedure"), span)
            .at(span, "called here");
        let is_number = matches!(declared.symbol, Symbol::Real(_) | Symbol::Constant(_));
        let text = &sources.get(span.source).text[span.range().end..];
        if !is_number || !is_factor(text) {
            return report;
        }
        return report.with_edit("if a product is meant, write `*`", behind, " *");
    }
    let diagnostic = error("N006", format!("unknown procedure `{name}`"), span)
        .at(span, "no procedure of this name");
    let Some(near) = near_procedure(name) else {
        return diagnostic.with_help("`situ procedures` lists them");
    };
    let help = format!("did you mean `{near}`?");
    match edits::renamed(sources, span, name, near) {
        Some((span, text)) => diagnostic.with_edit(help, span, text),
        None => diagnostic.with_help(help),
    }
}

/// True if a text begins with a value in brackets: no list and no condition.
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
    !value.is_empty() && !value.contains(['<', '>', '=', '!', '&', ','])
}

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
    ("log", "ln"),
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
    ("интеграл", "integral"),
    ("корень", "sqrt"),
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
        (1, 1) => "1 argument".to_owned(),
        (least, most) if least == most => format!("{most} arguments"),
        (least, most) => format!("{least} to {most} arguments"),
    };
    let diagnostic = error(
        "N007",
        format!("`{}` takes {wanted}, {n_written} given", procedure.name),
        span,
    );
    let nests = matches!(procedure.name, "min" | "max");
    match comma {
        _ if nests && n_written > most => {
            let name = procedure.name;
            diagnostic.with_help(format!("write `{name}({name}(a1, a2), a3)`"))
        }
        Some(comma) => diagnostic.with_edit("numbers are written with a decimal point", comma, "."),
        None => diagnostic.with_help(format!("write `{}`", procedure.call())),
    }
}

pub(in crate::resolve) fn schedule_arguments(span: Span, n_written: usize) -> Diagnostic {
    error(
        "N007",
        format!("`every` takes 1 to 2 arguments, {n_written} given"),
        span,
    )
    .with_help("write `every(period)` or `every(period, first)`")
}

pub(in crate::resolve) fn rate_outside(span: Span, real: &str, is_solved: bool) -> Diagnostic {
    if is_solved {
        let message = format!("`rate({real})` has a meaning only in rows that are solved");
        return error("N070", message, span)
            .at(span, "stands in another row")
            .with_help(format!(
                "solve for a real of its own, `solve v: ..`, and write `{real} = integral(v)`"
            ));
    }
    error("N070", format!("no row solves for `rate({real})`"), span)
        .at(span, "is found nowhere")
        .with_help(format!(
            "solve for it, `solve rate({real}): ..`, or give `derivative({real})` a row and a name"
        ))
}

/// Two rows that solve for one real; `None` where a row has no place.
pub(in crate::resolve) fn solved_twice(
    name: &str,
    [second, first]: [&str; 2],
    [place, other]: [Option<Span>; 2],
) -> Option<Diagnostic> {
    let message = format!("rows `{first}` and `{second}` both solve for `{name}`");
    let diagnostic = error("N071", message, place?).at(place?, "solves for it again");
    Some(diagnostic.also(other?, "solves for it").with_help(
        "both hold always: solve for two reals, or give the rows conditions that exclude each other",
    ))
}

/// A target that cannot be found from the equations of its row; `None` where the row has no place.
pub(in crate::resolve) fn not_in_equation(
    name: &str,
    id: &str,
    occurs: bool,
    place: Option<Span>,
) -> Option<Diagnostic> {
    let place = place?;
    let message = format!("`{name}` cannot be found from what row `{id}` says");
    let diagnostic = error("N072", message, place);
    Some(match occurs {
        true => diagnostic
            .at(place, "its equation is needed for another real")
            .with_help(
                "each real needs an equation that it stands in, and that no other real needs",
            ),
        false => diagnostic
            .at(place, "no equation depends on it")
            .with_help("each real needs an equation that it stands in, be it through other rows"),
    })
}

pub(in crate::resolve) fn rate_of_no_real(real: &str, span: Span) -> Diagnostic {
    error(
        "N070",
        format!("`{real}` is no real, and has no rate"),
        span,
    )
    .at(span, "cannot be solved for")
    .with_help("the rate of a real that the table declares can be solved for")
}

pub(in crate::resolve) fn memory_inside(name: &Name, procedure: &Procedure) -> Diagnostic {
    let diagnostic = error(
        "N015",
        format!(
            "`{}` has a memory and cannot stand inside an expression",
            procedure.name
        ),
        name.span,
    )
    .at(name.span, "must stand outermost in its row");
    match procedure.coef {
        CoefRole::ScalesFirst => diagnostic.with_help(format!(
            "write a coefficient inside, `{}`, or give the {} a row and a name of its own",
            procedure.call().replacen('(', "(2 * ", 1),
            procedure.name
        )),
        _ => diagnostic.with_help("give it a row and a name of its own"),
    }
}

pub(in crate::resolve) fn memory_at_event(
    span: Span,
    procedure: &Procedure,
    condition: Span,
) -> Diagnostic {
    error(
        "N014",
        format!(
            "`{}` has a memory and cannot run at an event",
            procedure.name
        ),
        span,
    )
    .at(span, "works through time")
    .also(condition, "true for an instant only")
    .with_help("use a situation that lasts")
}

/// The coefficient of a procedure by the name that it has there.
fn coefficient_of(procedure: &Procedure) -> String {
    match procedure.coef {
        CoefRole::Parameter(name) => format!("`{name}` of `{}`", procedure.name),
        _ => "a coefficient".to_owned(),
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
    let message = format!("{what} must be a number or a constant; `{name}` is {kind}");
    let diagnostic = declared_here(error("N020", message, span), declared);
    match (procedure.coef, declared.symbol) {
        (CoefRole::Parameter(_), _)
        | (_, Symbol::Switch(_) | Symbol::Range(_) | Symbol::Situation(_)) => diagnostic,
        _ => diagnostic.with_help("a product of two quantities is the procedure `product`"),
    }
}

pub(in crate::resolve) fn compound_coefficient(span: Span, procedure: &Procedure) -> Diagnostic {
    let what = coefficient_of(procedure);
    let message =
        format!("{what} must be a number or the name of a constant, with or without a sign");
    error("N020", message, span).with_help("give the expression a name in `constants`")
}

pub(in crate::resolve) fn no_coefficient(span: Span, procedure: &Procedure) -> Diagnostic {
    error(
        "N021",
        format!("`{}` takes no coefficient", procedure.name),
        span,
    )
    .with_help("leave it out, or scale the result in a row of its own")
}

pub(in crate::resolve) fn no_second_coefficient(span: Span, procedure: &Procedure) -> Diagnostic {
    error(
        "N021",
        format!(
            "`{}` takes no second coefficient; only `sum` does",
            procedure.name
        ),
        span,
    )
    .with_help("leave out `coef2`")
}

pub(in crate::resolve) fn missing_parameter(
    span: Span,
    parameter: &str,
    procedure: &Procedure,
) -> Diagnostic {
    error(
        "N021",
        format!("`{}` needs its `{parameter}`", procedure.name),
        span,
    )
    .with_help(format!(
        "write `{}`; in columns, `{parameter}` is the coefficient `coef`",
        procedure.call()
    ))
}
