//! What resolving reports: one function per mistake, each the only place that words it.

use situ_engine::procedure::{ALL, CoefRole, Procedure, ProcedureId};

use super::edits;
use super::kinds::Known;
use super::names::{Declared, Symbol, UnknownName, Use};
use crate::diag::{Diagnostic, nearest};
use crate::print;
use crate::source::{SourceMap, Span, Spanned};
use crate::tree::{Form, List, Name, Row, Table};

/// At most so many further places are shown in one report.
const MAX_PLACES: usize = 5;

fn error(code: &'static str, message: impl Into<String>, span: Span) -> Diagnostic {
    Diagnostic::error(code, message, span)
}

/// Says how often something is used that is reported once.
pub(super) fn count_uses(diagnostic: &mut Diagnostic, n_uses: usize) {
    if n_uses > 1 {
        diagnostic.notes.push(format!("used in {n_uses} places"));
    }
}

/// Shows where a name is declared, if the place is known.
fn declared_here(diagnostic: Diagnostic, declared: Declared) -> Diagnostic {
    match declared.span {
        Some(span) => diagnostic.also(span, format!("{}, declared here", declared.symbol.kind())),
        None => diagnostic,
    }
}

// Names

/// `table`: the table that uses the name; none at the prompt, where nothing can be declared.
pub(super) fn unknown_name(
    unknown: &UnknownName,
    near: Option<&str>,
    sources: &SourceMap,
    table: Option<&Table>,
) -> Diagnostic {
    let UnknownName {
        name,
        span,
        role,
        n_uses,
    } = *unknown;
    let (code, message, label) = match role {
        Use::Written => (
            "N005",
            format!("`{name}` is written, but is no real of the table"),
            "written here",
        ),
        Use::Set => (
            "N005",
            format!("`{name}` is set, but is no switch of the table"),
            "set here",
        ),
        Use::Condition => (
            "N001",
            format!("unknown name `{name}`"),
            "used as a condition here",
        ),
        Use::Value => (
            "N001",
            format!("unknown name `{name}`"),
            "used as a number here",
        ),
        Use::Setting => (
            "N001",
            format!("unknown name `{name}`"),
            "nothing of this name to set",
        ),
    };
    let mut diagnostic = error(code, message, span).at(span, label);
    count_uses(&mut diagnostic, n_uses);
    if let ("true" | "false" | "EverTrue", Use::Condition | Use::Value) = (name, role) {
        return diagnostic.with_help(match role {
            Use::Condition => "a row without `when` always holds",
            _ => "a truth value is no number; conditions stand behind `when`",
        });
    }
    if let Some(near) = near {
        let help = match same_look(name, near) {
            true => format!(
                "did you mean `{near}`? It looks the same, but has Latin letters where this has Cyrillic ones or the reverse"
            ),
            false => format!("did you mean `{near}`?"),
        };
        return match edits::renamed(sources, span, name, &print::name(near)) {
            Some((span, text)) => diagnostic.with_edit(help, span, text),
            None => diagnostic.with_help(help),
        };
    }
    if let (Some(procedure), Use::Value) = (ProcedureId::named(name), role) {
        let call = procedure.get().call();
        return diagnostic.with_help(format!("`{name}` is a procedure: write `{call}`"));
    }
    let Some(table) = table else {
        return diagnostic;
    };
    let (list, value) = match role {
        Use::Written => ("reals", "0"),
        Use::Value => ("constants", "0"),
        Use::Set => ("switches", "false"),
        Use::Condition => {
            return diagnostic.with_help(format!(
                "define it with a row `{}: ..`, or declare it in `switches`",
                print::name(name)
            ));
        }
        Use::Setting => return diagnostic,
    };
    let help = format!("declare it in `{list}`");
    let entry = format!("\"{}\": {value}", print::name(name));
    match edits::declared(sources, table, list, &entry) {
        Some((span, text)) => diagnostic.with_edit(help, span, text),
        None => diagnostic.with_help(help),
    }
}

fn same_look(name: &str, near: &str) -> bool {
    name != near && super::look_alikes::skeleton(name) == super::look_alikes::skeleton(near)
}

pub(super) fn name_clash(
    name: &Name,
    symbol: Symbol,
    first: Span,
    first_symbol: Symbol,
) -> Diagnostic {
    let diagnostic = error(
        "N002",
        format!("the name `{}` is used twice", name.value),
        name.span,
    )
    .at(name.span, format!("{} here", symbol.kind()))
    .also(first, format!("{} here", first_symbol.kind()));
    match (symbol, first_symbol) {
        (Symbol::Range(_) | Symbol::Situation(_), Symbol::Range(_)) => diagnostic.with_help(
            "a range has one row: for one name true in several cases, name each range and write a \
             situation with a row for each case",
        ),
        _ => diagnostic.with_help("give one of them another name"),
    }
}

pub(super) fn look_alike(name: &Name, other: &Name) -> Diagnostic {
    Diagnostic::warning(
        "N003",
        format!("two names look like `{}`", name.value),
        name.span,
    )
    .at(name.span, spelling(&name.value))
    .also(other.span, spelling(&other.value))
    .with_help("give one of them another name, or write both with the same letters")
}

pub(super) fn mixed_scripts(name: &Name, word: &str) -> Diagnostic {
    Diagnostic::warning(
        "N004",
        format!("`{word}` mixes Latin and Cyrillic letters that look alike"),
        name.span,
    )
    .at(name.span, spelling(word))
    .with_help("write the word with letters of one alphabet")
}

/// Which letters of a name are Cyrillic.
fn spelling(name: &str) -> String {
    let is_cyrillic = |letter: &char| super::look_alikes::is_cyrillic(*letter);
    let cyrillic: String = name.chars().filter(is_cyrillic).collect();
    let letters = name.chars().filter(|letter| letter.is_alphabetic()).count();
    match cyrillic.chars().count() {
        0 => "all letters are Latin".to_owned(),
        count if count == letters => "all letters are Cyrillic".to_owned(),
        _ => format!("Cyrillic: {cyrillic}"),
    }
}

// Kinds

pub(super) fn condition_for_number(span: Span, name: Option<(&str, Declared)>) -> Diagnostic {
    match name {
        Some((name, declared)) => {
            let kind = declared.symbol.kind();
            let diagnostic = error(
                "N008",
                format!("`{name}` is {kind}, but a number is needed"),
                span,
            )
            .at(span, "a number is needed here");
            declared_here(diagnostic, declared)
        }
        None => error("N008", "a condition stands where a number is needed", span)
            .at(span, "a number is needed here"),
    }
}

pub(super) fn quantity_for_condition(span: Span, name: &str, declared: Declared) -> Diagnostic {
    let kind = declared.symbol.kind();
    let diagnostic = error(
        "N009",
        format!("`{name}` is {kind}, but a condition is needed"),
        span,
    )
    .at(span, "a condition is needed here")
    .with_help(format!(
        "compare it with something, as in `{} > 0`",
        print::name(name)
    ));
    declared_here(diagnostic, declared)
}

pub(super) fn invariant_used(span: Span, name: &str, declared: Declared) -> Diagnostic {
    let message = format!("`{name}` is an invariant, which no rule can read");
    let diagnostic = error("N037", message, span)
        .at(span, "a quantity or a condition is needed here")
        .with_help("make it a real with a rule of its own, and state that real as the invariant");
    declared_here(diagnostic, declared)
}

/// `what`: what is asked for.
pub(super) fn start_not_supported(what: &str, span: Span) -> Diagnostic {
    error("N038", format!("{what} is not supported yet"), span)
        .with_help("give start values; an equilibrium is found by running until nothing moves")
}

pub(super) fn number_for_condition(span: Span) -> Diagnostic {
    error("N009", "a number stands where a condition is needed", span)
        .at(span, "a condition is needed here")
        .with_help("write a name of a range, situation or switch, or a comparison")
}

/// `edit`: the change that makes it a real.
pub(super) fn constant_written(
    name: &Name,
    declared: Declared,
    edit: Option<(Span, String)>,
) -> Diagnostic {
    let diagnostic = error(
        "N010",
        format!("the constant `{}` is written", name.value),
        name.span,
    )
    .at(name.span, "written here");
    let diagnostic = match declared.span {
        Some(span) => diagnostic.also(span, "a constant here"),
        None => diagnostic,
    };
    let help = "move it to `reals`";
    match edit {
        Some((span, text)) => diagnostic.with_edit(help, span, text),
        None => diagnostic.with_help(help),
    }
}

pub(super) fn not_a_real(name: &Name, declared: Declared) -> Diagnostic {
    let kind = declared.symbol.kind();
    let diagnostic = error(
        "N011",
        format!("`{}` is {kind}; a relation writes reals only", name.value),
        name.span,
    )
    .at(name.span, "a real is needed here");
    let diagnostic = declared_here(diagnostic, declared);
    match declared.symbol {
        Symbol::Switch(_) => diagnostic.with_help(format!(
            "a switch is set by an assignment: `when condition: {}`",
            print::name(&name.value)
        )),
        _ => diagnostic,
    }
}

pub(super) fn not_a_switch(name: &Name, declared: Declared) -> Diagnostic {
    let kind = declared.symbol.kind();
    let diagnostic = error(
        "N012",
        format!(
            "`{}` is {kind}; an assignment sets switches only",
            name.value
        ),
        name.span,
    )
    .at(name.span, "a switch is needed here");
    declared_here(diagnostic, declared)
}

pub(super) fn not_known_before(
    span: Span,
    name: &str,
    known: Known,
    declared: Option<Span>,
) -> Diagnostic {
    let needed = match known {
        Known::AtStart => "a start value may use numbers, constants and other start values",
        Known::Before | Known::Running => "only numbers and constants may stand here",
    };
    let diagnostic = error(
        "N022",
        format!("`{name}` is not known before the run"),
        span,
    )
    .at(span, "changes during the run")
    .with_help(needed);
    match declared {
        Some(declared) => diagnostic.also(declared, "a real here"),
        None => diagnostic,
    }
}

// Procedures

pub(super) fn unknown_procedure(
    name: &str,
    span: Span,
    declared: Option<Declared>,
    sources: &SourceMap,
) -> Diagnostic {
    let diagnostic = error("N006", format!("unknown procedure `{name}`"), span)
        .at(span, "no procedure of this name");
    if let Some(declared) = declared {
        let kind = declared.symbol.kind();
        return diagnostic.with_help(format!("`{name}` is {kind}; a product needs a `*`"));
    }
    let Some(near) = near_procedure(name) else {
        return diagnostic.with_help("`situ procedures` lists them");
    };
    let help = format!("did you mean `{near}`?");
    match edits::renamed(sources, span, name, near) {
        Some((span, text)) => diagnostic.with_edit(help, span, text),
        None => diagnostic.with_help(help),
    }
}

/// What other languages call a procedure.
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
];

fn near_procedure(name: &str) -> Option<&'static str> {
    let lower = name.to_lowercase();
    let synonym = SYNONYMS
        .iter()
        .find(|(other, _)| *other == lower)
        .map(|(_, ours)| *ours);
    synonym.or_else(|| nearest(name, ALL.iter().map(|procedure| procedure.name)))
}

/// `comma`: a comma that may be meant as a decimal point.
pub(super) fn argument_count(
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

pub(super) fn schedule_arguments(span: Span, n_written: usize) -> Diagnostic {
    error(
        "N007",
        format!("`every` takes 1 to 2 arguments, {n_written} given"),
        span,
    )
    .with_help("write `every(period)` or `every(period, first)`")
}

pub(super) fn memory_inside(name: &Name, procedure: &Procedure) -> Diagnostic {
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
            "write a coefficient inside, `{}(2 * x)`, or give the {} a row and a name of its own",
            procedure.name, procedure.name
        )),
        _ => diagnostic.with_help("give it a row and a name of its own"),
    }
}

pub(super) fn memory_at_event(span: Span, procedure: &Procedure, condition: Span) -> Diagnostic {
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

// Coefficients

/// The coefficient of a procedure by the name that it has there.
fn coefficient_of(procedure: &Procedure) -> String {
    match procedure.coef {
        CoefRole::Parameter(name) => format!("`{name}` of `{}`", procedure.name),
        _ => "a coefficient".to_owned(),
    }
}

pub(super) fn variable_coefficient(
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

pub(super) fn compound_coefficient(span: Span, procedure: &Procedure) -> Diagnostic {
    let what = coefficient_of(procedure);
    let message =
        format!("{what} must be a number or the name of a constant, with or without a sign");
    error("N020", message, span).with_help("give the expression a name in `constants`")
}

pub(super) fn no_coefficient(span: Span, procedure: &Procedure) -> Diagnostic {
    error(
        "N021",
        format!("`{}` takes no coefficient", procedure.name),
        span,
    )
    .with_help("leave it out, or scale the result in a row of its own")
}

pub(super) fn no_second_coefficient(span: Span, procedure: &Procedure) -> Diagnostic {
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

pub(super) fn missing_parameter(span: Span, parameter: &str, procedure: &Procedure) -> Diagnostic {
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

// Rows

pub(super) fn once_without_event(span: Span, form: Form, condition: Option<Span>) -> Diagnostic {
    let sign = match form {
        Form::Line => "`:=`",
        Form::Columns => "`once`",
    };
    let diagnostic = error("N013", format!("{sign} works at an event only"), span);
    let diagnostic = match condition {
        Some(condition) => diagnostic.also(condition, "no event"),
        None => diagnostic,
    };
    let help =
        "write `=`, or name an event in the condition, such as the situation `event hit: h < 0`";
    match form {
        Form::Line => diagnostic.with_edit(help, span, "="),
        Form::Columns => diagnostic.with_help(
            "leave out `once`, or name an event in `when`, such as the situation `event hit: h < 0`",
        ),
    }
}

pub(super) fn event_and_level(name: &Name, event: bool, first: Span) -> Diagnostic {
    let kind = |event| {
        if event {
            "an event here"
        } else {
            "a level here"
        }
    };
    error(
        "N016",
        format!("`{}` has rows with and without `event`", name.value),
        name.span,
    )
    .at(name.span, kind(event))
    .also(first, kind(!event))
    .with_help("use two names, or write all rows alike")
}

pub(super) fn forward_reference(span: Span, name: &str, row: Span) -> Diagnostic {
    error(
        "N017",
        format!("`{name}` is used above the row that defines it"),
        span,
    )
    .at(span, "not computed yet")
    .also(row, "computed here")
    .with_help("move this row below all rows of that name")
}

pub(super) fn self_reference(span: Span, name: &str) -> Diagnostic {
    error("N017", format!("`{name}` is defined by itself"), span)
        .with_help("what has to be remembered is a switch, set by assignments")
}

pub(super) fn second_otherwise(name: &str, span: Span, first: Span) -> Diagnostic {
    error(
        "N018",
        format!("`{name}` has two rows with `otherwise`"),
        span,
    )
    .also(first, "the first")
    .with_help("leave one")
}

pub(super) fn lonely_otherwise(name: &str, span: Span) -> Diagnostic {
    error(
        "N019",
        format!("`otherwise` without another row of `{name}` that has a condition"),
        span,
    )
    .with_help("leave it out, or give another row a condition")
}

pub(super) fn several_by_procedure(span: Span, procedure: &str) -> Diagnostic {
    error(
        "N023",
        format!("several reals are written by `assignment`, not by `{procedure}`"),
        span,
    )
    .with_help("write one row for each")
}

pub(super) fn value_count(span: Span, n_targets: usize, n_values: usize) -> Diagnostic {
    let plural = |count: usize| if count == 1 { "" } else { "s" };
    error(
        "N023",
        format!(
            "{n_targets} real{} on the left, {n_values} value{} on the right",
            plural(n_targets),
            plural(n_values)
        ),
        span,
    )
    .with_help("write one value for each real")
}

pub(super) fn written_twice(name: &Name, first: Span) -> Diagnostic {
    error(
        "N024",
        format!("`{}` is written twice by one row", name.value),
        name.span,
    )
    .also(first, "the first")
    .with_help("leave one")
}

// Values

pub(super) fn circular_start(circle: &[(&str, Span)], case: Option<&Name>) -> Diagnostic {
    let (first, span) = circle[0];
    let message = format!("the start value of `{first}` needs itself");
    let mut diagnostic = error("N025", message, span).with_help("give one of them a number");
    if circle.len() == 1 {
        diagnostic = diagnostic.with_help("give it a number");
    } else {
        let shown = circle.iter().take(MAX_PLACES).map(|(name, _)| *name);
        let mut path: Vec<&str> = shown.collect();
        if circle.len() > MAX_PLACES {
            path.push("..");
        }
        path.push(first);
        diagnostic = diagnostic.with_note(format!("the circle: {}", path.join(" -> ")));
    }
    for (name, span) in circle.iter().skip(1).take(MAX_PLACES) {
        diagnostic = diagnostic.also(*span, format!("so does `{name}`"));
    }
    match case {
        Some(case) => diagnostic.with_note(format!("in the case `{}`", case.value)),
        None => diagnostic,
    }
}

pub(super) fn no_period(span: Span, value: f64) -> Diagnostic {
    error(
        "N035",
        format!("the period of `every` must be above zero, but is {value}"),
        span,
    )
}

pub(super) fn no_format(table: &Table) -> Diagnostic {
    let start = table.span.start as usize;
    let open = Span::new(table.source_id, start, start + 1);
    let behind = Span::new(table.source_id, start + 1, start + 1);
    error("N036", "the table does not say its `format`", open).with_edit(
        "this version reads format 1",
        behind,
        "format: 1, ",
    )
}

pub(super) fn constant_without_value(name: &Name) -> Diagnostic {
    error(
        "N027",
        format!("the constant `{}` has no value", name.value),
        name.span,
    )
    .with_help("give it a `start`")
}

pub(super) fn setting_kind(name: &Name, span: Span, declared: Declared) -> Diagnostic {
    let kind = declared.symbol.kind();
    let (message, help) = match declared.symbol {
        Symbol::Switch(_) => (
            format!("`{}` is {kind} and starts as `true` or `false`", name.value),
            Some("0 and 1 stand for them too"),
        ),
        Symbol::Constant(_) | Symbol::Real(_) => (
            format!("`{}` is {kind} and starts as a number", name.value),
            None,
        ),
        _ => (
            format!(
                "`{}` is {kind}, which is computed and cannot be set",
                name.value
            ),
            Some("constants, reals and switches can be set"),
        ),
    };
    let diagnostic = declared_here(error("N026", message, span), declared);
    match help {
        Some(help) => diagnostic.with_help(help),
        None => diagnostic,
    }
}

// Tables that extend others

pub(crate) fn no_base_file(path: &Spanned<String>, why: &str) -> Diagnostic {
    error(
        "N028",
        format!("cannot read `{}`: {why}", path.value),
        path.span,
    )
    .with_help("the path is relative to the file that names it")
}

pub(crate) fn extends_itself(path: &Spanned<String>, name: &str) -> Diagnostic {
    error(
        "N029",
        format!("the tables extend each other in a circle through `{name}`"),
        path.span,
    )
}

pub(crate) fn too_many_bases(path: &Spanned<String>, limit: usize) -> Diagnostic {
    error(
        "N029",
        format!("more than {limit} tables extend each other"),
        path.span,
    )
}

/// `base`: the table whose row stands second and the list, if the first row is one of its base.
pub(super) fn id_clash<T>(
    id: &str,
    row: &Row<T>,
    first: &Row<T>,
    base: Option<(&Table, List)>,
) -> Diagnostic {
    let place = |row: &Row<T>| row.id.as_ref().map_or(row.span, |id| id.span);
    let numbered = |row: &Row<T>| match row.id {
        Some(_) => "",
        None => "its number, as it has no id of its own",
    };
    let diagnostic = error("N030", format!("the id `{id}` stands twice"), place(row))
        .at(place(row), numbered(row))
        .also(
            place(first),
            format!(
                "the first{}{}",
                if first.id.is_none() { ": " } else { "" },
                numbered(first)
            ),
        );
    let Some((table, list)) = base else {
        return diagnostic.with_help("give one of the rows another id");
    };
    let name = match list {
        List::Relations => id.to_owned(),
        _ => format!("{}.{id}", list.name()),
    };
    let help =
        format!("give it another id, or put \"{name}\" into `replace` if it replaces that row");
    match &table.extends {
        Some(extends) if table.replace.is_empty() => {
            let behind = Span {
                start: extends.span.end,
                ..extends.span
            };
            diagnostic.with_edit(help, behind, format!(", replace: [\"{name}\"]"))
        }
        _ => diagnostic.with_help(help),
    }
}

/// `known`: the ids that there are; `suggest`: whether to look for the nearest.
pub(super) fn unknown_row<'a>(
    id: &Spanned<String>,
    known: impl IntoIterator<Item = &'a str>,
    suggest: bool,
) -> Diagnostic {
    let mut known = known.into_iter().peekable();
    let diagnostic = error("N031", format!("there is no row `{}`", id.value), id.span);
    if known.peek().is_none() {
        return diagnostic.with_help("name the table that has it in `extends`");
    }
    let near = if suggest {
        nearest(&id.value, known)
    } else {
        None
    };
    match near {
        Some(near) => diagnostic.with_help(format!("did you mean `{near}`?")),
        None => diagnostic.with_help("`situ show` lists the rows of a table with their ids"),
    }
}

pub(super) fn ambiguous_row(
    id: &Spanned<String>,
    choices: impl IntoIterator<Item = String>,
) -> Diagnostic {
    let choices: Vec<String> = choices
        .into_iter()
        .take(MAX_PLACES)
        .map(|choice| format!("`{choice}`"))
        .collect();
    error(
        "N032",
        format!("`{}` may mean several rows", id.value),
        id.span,
    )
    .with_help(format!("say which: {}", choices.join(", ")))
}

pub(super) fn row_named_twice(id: &Spanned<String>, first: Span) -> Diagnostic {
    error(
        "N033",
        format!("the row `{}` is replaced or dropped twice", id.value),
        id.span,
    )
    .also(first, "the first")
    .with_help("leave one")
}

/// `row`: the id of the row that `id` names.
pub(super) fn nothing_replaces(
    id: &Spanned<String>,
    row: &str,
    list: List,
    place: Span,
) -> Diagnostic {
    error(
        "N033",
        format!("no row of this table replaces `{}`", id.value),
        id.span,
    )
    .also(place, "to be replaced")
    .with_help(format!(
        "write the new row as `[{row}] ..` in `{}`, or use `drop`",
        list.name()
    ))
}

pub(super) fn places_in_a_circle<T>(row: &Row<T>) -> Diagnostic {
    let span = row.place.as_ref().map_or(row.span, |place| place.id.span);
    error(
        "N034",
        "rows are placed beside each other in a circle",
        span,
    )
    .with_help("place one of them beside a row of the table that is extended")
}
