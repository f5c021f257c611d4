//! Reports of the readers (family P): one function per mistake, each the only place that words it.

use situ_engine::model::Mark;
use situ_engine::model::scene::ShapeKind;

use super::fields;
use crate::diag::{Diagnostic, meant, nearest};
use crate::letters;
use crate::source::Span;
use crate::tree::{List, ReductionKind, measures};

/// The RON itself is broken.
pub(crate) fn broken_ron(message: &str, span: Span) -> Diagnostic {
    Diagnostic::error("P001", message, span)
}

/// An expression nests too deeply or is too long.
pub(crate) fn too_deep(message: String, span: Span) -> Diagnostic {
    Diagnostic::error("P002", message, span).with_help("give a part of it a name: a row of its own")
}

/// The brackets of the table nest too deeply.
pub(crate) fn nested_table(span: Span) -> Diagnostic {
    Diagnostic::error("P002", "the brackets of the table nest too deeply", span)
        .with_help("a table holds rows of values, nothing deeper")
}

/// A field that `owner` does not have.
pub(crate) fn unknown_field(owner: &str, name: &str, known: &[&str], span: Span) -> Diagnostic {
    let report = Diagnostic::error("P003", format!("{owner} has no field `{name}`"), span);
    match fields::meant(name, known) {
        Some(near) => {
            let help = match letters::skeleton(name) == near {
                true => {
                    format!("did you mean `{near}`? This looks the same, but has Cyrillic letters")
                }
                false => format!("did you mean `{near}`?"),
            };
            report.with_edit(help, span, near)
        }
        None => report.with_note(format!("its fields: {}", list_of(known))),
    }
}

/// The same key twice.
pub(crate) fn repeated_key(name: &str, first: Span, second: Span) -> Diagnostic {
    Diagnostic::error("P004", format!("`{name}` is given twice"), second)
        .at(second, "again here")
        .also(first, "first here")
        .with_help("leave one of them out")
}

/// A value of another type.
pub(crate) fn wrong_type(what: &str, expected: &str, found: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        "P005",
        format!("{what} takes {expected}, found {found}"),
        span,
    )
}

/// A field without which the row says nothing.
pub(crate) fn missing_field(owner: &str, name: &str, span: Span) -> Diagnostic {
    Diagnostic::error("P006", format!("{owner} lacks the field `{name}`"), span)
}

/// None of the words that may stand here.
pub(crate) fn unknown_word(
    what: &str,
    word: &str,
    known: &[&str],
    span: Span,
    quote: &str,
) -> Diagnostic {
    let message = format!("{what} cannot be `{word}`");
    let report = Diagnostic::error("P007", message, span)
        .with_note(format!("it takes one of {}", list_of(known)));
    suggest(report, word, known, span, quote)
}

/// A character that nothing begins with.
pub(crate) fn bad_character(text: &str, span: Span) -> Diagnostic {
    let shown: String = text.chars().take(20).collect();
    let unseen =
        |c: char| c.is_whitespace() || c.is_control() || c == '\u{feff}' || c == '\u{200b}';
    if text.chars().all(unseen) {
        let code = shown.chars().next().map_or(0, u32::from);
        let message = format!("an invisible character (U+{code:04X}) cannot stand here");
        return Diagnostic::error("P008", message, span).with_edit(
            "write a plain blank",
            span,
            " ",
        );
    }
    Diagnostic::error("P008", format!("`{shown}` cannot stand here"), span)
        .with_help("put names with unusual characters between backticks")
}

/// A backtick without a partner.
pub(crate) fn unclosed_backtick(span: Span) -> Diagnostic {
    Diagnostic::error("P009", "the backtick that opens a name is not closed", span)
        .with_help("close the name with a second backtick")
}

/// Digits that make no number.
pub(crate) fn bad_number(text: &str, why: &str, span: Span) -> Diagnostic {
    Diagnostic::error("P010", format!("`{text}` is not a number: {why}"), span)
}

/// Something else was expected.
pub(crate) fn expected(what: &str, found: &str, span: Span) -> Diagnostic {
    Diagnostic::error("P011", format!("expected {what}, found {found}"), span)
}

/// A relation that begins with its condition.
pub(crate) fn condition_first(name: Span, row: Span, meant: String) -> Diagnostic {
    let message = "a relation begins with the real that it writes, and its condition comes last";
    Diagnostic::error("P011", message, name).with_edit("turn it round", row, meant)
}

/// A parenthesis that is never closed.
pub(crate) fn unclosed_parenthesis(open: Span, end: Span) -> Diagnostic {
    Diagnostic::error("P012", "this parenthesis is not closed", open).also(end, "`)` expected here")
}

/// A closing parenthesis too many.
pub(crate) fn stray_parenthesis(span: Span) -> Diagnostic {
    Diagnostic::error("P012", "no parenthesis is open here", span).with_edit(
        "leave it out",
        span,
        "",
    )
}

/// A sign or word of another language.
pub(crate) fn foreign(text: &str, replacement: &str, help: &str, span: Span) -> Diagnostic {
    if help.is_empty() {
        let shown = replacement.trim();
        let message = format!("`{text}` is written `{shown}` here");
        return Diagnostic::error("P013", message, span).with_edit(
            format!("write `{shown}`"),
            span,
            replacement,
        );
    }
    Diagnostic::error("P013", format!("`{text}` has no meaning here"), span).with_help(help)
}

/// Two values compared for equality.
pub(crate) fn equality(text: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        "P013",
        format!("`{text}` is not available: computed values are hardly ever equal"),
        span,
    )
    .with_help("say on which side a value lies with `<`, `<=`, `>` or `>=`")
}

/// `a < b < c`
pub(crate) fn chained_comparison(span: Span, repaired: &str) -> Diagnostic {
    Diagnostic::error("P014", "a comparison has two sides", span).with_edit(
        "write two comparisons",
        span,
        repaired,
    )
}

/// The same as an argument, where one literal may stand.
pub(crate) fn chained_argument(span: Span, repaired: &str) -> Diagnostic {
    let help = format!("name it as a range, `name: {repaired}`, and give that name");
    Diagnostic::error("P014", "a comparison has two sides", span).with_help(help)
}

/// A row that belongs to another list.
pub(crate) fn wrong_list(found: List, stands_in: List, span: Span) -> Diagnostic {
    let row = match found {
        List::Ranges => "a range",
        List::Situations => "a situation",
        List::Assignments => "an assignment",
        List::Relations => "a relation",
        List::Reactions => "a reaction",
        List::Scene => "a shape",
    };
    let report = Diagnostic::error(
        "P015",
        format!("{row} stands among the {}", stands_in.name()),
        span,
    );
    if (found, stands_in) == (List::Situations, List::Ranges) {
        return report
            .with_note("a range consists of comparisons only, such as `h < R`")
            .with_help("move it to `situations`");
    }
    report.with_help(format!("move it to `{}`", found.name()))
}

/// A word in front of a name that is defined, which is none of those that may stand there.
pub(crate) fn unknown_mark(word: &str, span: Span) -> Diagnostic {
    let known = ["event"].into_iter().chain(Mark::ALL.map(Mark::name));
    let report = expected(
        "`event`, `noevent` or `smooth` before a name",
        &format!("`{word}`"),
        span,
    );
    match nearest(word, known) {
        Some(near) => report.with_edit(format!("did you mean `{near}`?"), span, near),
        None => report.with_help("put a name of two words between backticks"),
    }
}

/// `noevent` or `smooth` in front of what is no range.
pub(crate) fn mark_on_situation(mark: Mark, span: Span) -> Diagnostic {
    let message = format!("`{}` marks a range, and this is a situation", mark.name());
    Diagnostic::error("P029", message, span)
        .with_note("a range consists of comparisons only, such as `h < R`, and stands in `ranges`")
        .with_help("mark the ranges that the condition names")
}

/// Text after the end of what was understood.
pub(crate) fn trailing(what: &str, found: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        "P016",
        format!("{what} should end here, found {found}"),
        span,
    )
}

/// A keyword in the place of a name.
pub(crate) fn keyword(word: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        "P017",
        format!("`{word}` is a word of the language and cannot be a name"),
        span,
    )
    .with_help("choose another name")
}

/// Two fields that say different things about the same.
pub(crate) fn contradiction(first: &str, second: &str, at: Span, other: Span) -> Diagnostic {
    Diagnostic::error(
        "P018",
        format!("`{first}` and `{second}` exclude each other"),
        at,
    )
    .also(other, "")
    .with_help("leave one of them out")
}

/// Several reals on the left of `=`.
pub(crate) fn several_targets(operator: Span) -> Diagnostic {
    Diagnostic::error(
        "P019",
        "columns write several reals at once only with `once: true`",
        operator,
    )
    .with_help("write `:=` with a `when` that is an event, or one row for each real")
}

/// Not as many values as reals.
pub(crate) fn uneven_targets(targets: usize, values: usize, span: Span) -> Diagnostic {
    let count = |n: usize, word: &str| format!("{n} {word}{}", if n == 1 { "" } else { "s" });
    let message = format!(
        "{} on the left, {} on the right",
        count(targets, "real"),
        count(values, "value")
    );
    Diagnostic::error("P019", message, span).with_help("write one value for each real")
}

/// Not as many conditions as reals.
pub(crate) fn uneven_conditions(targets: usize, conditions: usize, span: Span) -> Diagnostic {
    let message = format!("{targets} reals on the left, {conditions} conditions behind `when`");
    Diagnostic::error("P019", message, span)
        .with_help("write one condition for all of the reals, or one for each")
}

/// A word in front of `(.. for j)` that is no reduction.
pub(crate) fn no_reduction(word: &str, each: Span, span: Span) -> Diagnostic {
    let known = ReductionKind::ALL.map(ReductionKind::word);
    let message = format!("`{word}` is not taken over the elements of a family");
    let report = Diagnostic::error("F001", message, span)
        .also(each, "")
        .with_note(format!("over elements: {}", list_of(&known)));
    match nearest(word, known) {
        Some(near) => report.with_edit(format!("did you mean `{near}`?"), span, near),
        None => report,
    }
}

/// Text that is no name.
pub(crate) fn bad_name(text: &str, why: &str, span: Span) -> Diagnostic {
    Diagnostic::error("P020", format!("`{text}` is not a name: {why}"), span)
}

/// No name at all.
pub(crate) fn empty_name(span: Span) -> Diagnostic {
    Diagnostic::error("P020", "a name is empty", span)
}

/// Another version of the format.
pub(crate) fn unknown_format(found: f64, span: Span) -> Diagnostic {
    Diagnostic::error(
        "P021",
        format!("tables of format {found} cannot be read"),
        span,
    )
    .with_help("this program reads format 1")
}

/// Something wrong with `[..]` in front of a row or with an id.
pub(crate) fn bad_id(message: impl Into<String>, span: Span) -> Diagnostic {
    Diagnostic::error("P022", message, span)
        .with_help("an id is one word: `[3a]`, `[3a after 3]`, `[before 3]`")
}

/// Something in a condition that is neither a name nor a comparison.
pub(crate) fn not_a_literal(message: &str, span: Span) -> Diagnostic {
    Diagnostic::error("P023", message, span)
}

/// A truth value where a number is needed.
pub(crate) fn truth_value(message: &str, span: Span) -> Diagnostic {
    Diagnostic::error("P024", message, span)
}

/// `on = true when a`; an edit where the row can be written as it is meant.
pub(crate) fn switch_in_relation(row: Span, meant: &str, edit: Option<Span>) -> Diagnostic {
    let report = truth_value("a relation gives numbers, not truth values", row);
    match edit {
        Some(edit) => report.with_edit("switches are set by an assignment", edit, meant),
        None => report.with_help(format!(
            "switches are set by an assignment, in `assignments`: `{meant}`"
        )),
    }
}

/// A comparison where a number is needed.
pub(crate) fn comparison_as_number(span: Span) -> Diagnostic {
    truth_value("a comparison stands where a number is needed", span)
        .with_help("name it as a range, `name: a < b`, and let rows hold `when name`")
}

/// A number that makes no sense in its field.
pub(crate) fn out_of_range(field: &str, expected: &str, span: Span) -> Diagnostic {
    Diagnostic::error("P025", format!("`{field}` must be {expected}"), span)
}

/// Two values next to each other.
pub(crate) fn missing_operator(left: &str, right: &str, gap: Span, right_span: Span) -> Diagnostic {
    Diagnostic::error(
        "P026",
        format!("missing operator between `{left}` and `{right}`"),
        right_span,
    )
    .at(right_span, "an operator is missing before this")
    .with_edit("if a product is meant, write `*`", gap, " * ")
}

/// A procedure with its argument next to it; `place`: from behind the procedure to the argument's end.
pub(crate) fn missing_parentheses(
    procedure: &str,
    argument: &str,
    place: Span,
    argument_span: Span,
) -> Diagnostic {
    Diagnostic::error(
        "P026",
        format!("missing parentheses around `{argument}`, the argument of `{procedure}`"),
        argument_span,
    )
    .with_edit(
        "an argument stands in parentheses",
        place,
        format!("({argument})"),
    )
}

/// A line that is no row.
pub(crate) fn no_row(list: Option<List>, span: Span) -> Diagnostic {
    Diagnostic::error("P027", "this is not a row", span).with_help(forms_of(list))
}

/// `x < 2` without a name before it.
pub(super) fn nameless(list: Option<List>, span: Span) -> Diagnostic {
    let row = match list {
        Some(List::Situations) => "this situation",
        _ => "this range",
    };
    let begin = Span {
        end: span.start,
        ..span
    };
    Diagnostic::error("P027", format!("{row} has no name"), span).with_edit(
        "write its name and a colon before it",
        begin,
        "name: ",
    )
}

/// A line without anything.
pub(crate) fn empty_row(list: Option<List>, span: Span) -> Diagnostic {
    Diagnostic::error("P027", "this row is empty", span).with_help(forms_of(list))
}

fn forms_of(list: Option<List>) -> String {
    let forms = match list {
        Some(List::Ranges) => "`name: a < b`",
        Some(List::Situations) => "`name: a & !b` or `event name: a & !b`",
        Some(List::Assignments) => "`when a & !b: name, !name`",
        Some(List::Relations) => "`name = expression when a & !b`",
        Some(List::Reactions) => "`A + 2 B -> C : k` or `A -> B at rate`",
        Some(List::Scene) => ShapeKind::Circle.example(),
        None => "`name = expression when a`, `name: a & !b` or `when a: name`",
    };
    format!("a row reads {forms}")
}

/// A list that must not be empty.
pub(crate) fn empty_list(field: &str, needs: &str, span: Span) -> Diagnostic {
    Diagnostic::error("P028", format!("`{field}` is empty"), span).with_help(needs)
}

/// A text that asks for no measure.
pub(crate) fn no_measure(kind: &str, span: Span) -> Diagnostic {
    let known: Vec<&str> = measures().collect();
    let message = match kind {
        "" => "a measure is missing".to_owned(),
        _ => format!("there is no measure `{kind}`"),
    };
    let report = Diagnostic::error("X002", message, span);
    report.with_help(format!(
        "there are {}, as in `max(h)` or `first(h < 0)`",
        list_of(&known)
    ))
}

/// `a`, `b` and `c`
fn list_of(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    quoted.join(", ")
}

fn suggest(report: Diagnostic, word: &str, known: &[&str], span: Span, quote: &str) -> Diagnostic {
    match meant(word, known) {
        Some(near) => report.with_edit(
            format!("did you mean `{near}`?"),
            span,
            format!("{quote}{near}{quote}"),
        ),
        None => report,
    }
}
