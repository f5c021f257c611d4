//! Reports of the readers (family P): one function per mistake, each the only place that words it.

use situ_engine::model::Mark;
use situ_engine::model::scene::ShapeKind;
use situ_words::{Argument, Phrase, phrase, say};

use crate::diag::{Diagnostic, meant, nearest};
use crate::source::Span;
use crate::tree::{List, ReductionKind, measures};
use crate::{letters, print};

/// The RON itself is broken.
pub(crate) fn broken_ron(message: impl Into<String>, span: Span) -> Diagnostic {
    Diagnostic::error("P001", message, span)
}

/// An expression nests too deeply or is too long.
pub(crate) fn too_deep(message: String, span: Span) -> Diagnostic {
    Diagnostic::error("P002", message, span).with_help(say!("parse-too-deep.help"))
}

/// The brackets of the table nest too deeply.
pub(crate) fn nested_table(span: Span) -> Diagnostic {
    Diagnostic::error("P002", say!("parse-nested-table"), span)
        .with_help(say!("parse-nested-table.help"))
}

/// A field that `owner` does not have; `near`: the one that is most likely meant.
pub(crate) fn unknown_field(
    owner: impl Argument,
    name: &str,
    known: &[&str],
    near: Option<&str>,
    span: Span,
) -> Diagnostic {
    let report = Diagnostic::error("P003", say!("parse-unknown-field", owner, name), span);
    match near {
        Some(near) => {
            let help = match letters::skeleton(name) == near {
                true => {
                    say!("parse-unknown-field.help-did-you", near)
                }
                false => say!("report-did-you-mean", near),
            };
            report.with_edit(help, span, near)
        }
        None => report.with_note(say!("parse-unknown-field.note", known = list_of(known))),
    }
}

/// The same key twice.
pub(crate) fn repeated_key(name: &str, first: Span, second: Span) -> Diagnostic {
    Diagnostic::error("P004", say!("parse-repeated-key", name), second)
        .at(second, say!("parse-repeated-key.label"))
        .also(first, say!("parse-repeated-key.also"))
        .with_help(say!("parse-leave-them-out"))
}

/// A value of another type.
pub(crate) fn wrong_type(
    what: impl Argument,
    expected: impl Argument,
    found: impl Argument,
    span: Span,
) -> Diagnostic {
    Diagnostic::error(
        "P005",
        say!("parse-wrong-type", what, expected, found),
        span,
    )
}

/// A field without which the row says nothing.
pub(crate) fn missing_field(owner: impl Argument, name: &str, span: Span) -> Diagnostic {
    Diagnostic::error("P006", say!("parse-missing-field", owner, name), span)
}

/// None of the words that may stand here.
pub(crate) fn unknown_word(
    what: impl Argument,
    word: &str,
    known: &[&str],
    span: Span,
    quote: &str,
) -> Diagnostic {
    let message = say!("parse-unknown-word", what, word);
    let report = Diagnostic::error("P007", message, span)
        .with_note(say!("parse-unknown-word.note", known = list_of(known)));
    suggest(report, word, known, span, quote)
}

/// A character that nothing begins with.
pub(crate) fn bad_character(text: &str, span: Span) -> Diagnostic {
    let shown: String = text.chars().take(20).collect();
    let unseen =
        |c: char| c.is_whitespace() || c.is_control() || c == '\u{feff}' || c == '\u{200b}';
    if text.chars().all(unseen) {
        let code = shown.chars().next().map_or(0, u32::from);
        let message = say!("parse-bad-character", code = format!("{code:04X}"));
        return Diagnostic::error("P008", message, span).with_edit(
            say!("parse-bad-character.help-write-plain"),
            span,
            " ",
        );
    }
    Diagnostic::error("P008", say!("parse-bad-character.cannot-here", shown), span)
        .with_help(say!("parse-bad-character.help-put-names"))
}

/// A backtick without a partner.
pub(crate) fn unclosed_backtick(span: Span) -> Diagnostic {
    Diagnostic::error("P009", say!("parse-unclosed-backtick"), span)
        .with_help(say!("parse-unclosed-backtick.help"))
}

/// Digits that make no number.
pub(crate) fn bad_number(text: &str, why: impl Argument, span: Span) -> Diagnostic {
    Diagnostic::error("P010", say!("parse-bad-number", text, why), span)
}

/// Something else was expected.
pub(crate) fn expected(what: impl Argument, found: impl Argument, span: Span) -> Diagnostic {
    Diagnostic::error("P011", say!("parse-expected", what, found), span)
}

/// A relation that begins with its condition.
pub(crate) fn condition_first(name: Span, row: Span, meant: String) -> Diagnostic {
    let message = say!("parse-condition-first");
    Diagnostic::error("P011", message, name).with_edit(
        say!("parse-condition-first.help"),
        row,
        meant,
    )
}

/// An assignment that gives its switches values: `when a: on = true`.
pub(crate) fn switches_given(name: Span, row: Span, meant: String) -> Diagnostic {
    let message = say!("parse-switches-given");
    let help = say!("ron-write", meant);
    Diagnostic::error("P011", message, name).with_edit(help, row, meant)
}

/// A relation that begins with its condition, among the assignments.
pub(crate) fn relation_to_move(name: Span, meant: &str) -> Diagnostic {
    let message = say!("parse-condition-first");
    let help = say!("parse-condition-first.help-move", meant);
    Diagnostic::error("P011", message, name).with_help(help)
}

/// A parenthesis that is never closed.
pub(crate) fn unclosed_parenthesis(open: Span, end: Span) -> Diagnostic {
    Diagnostic::error("P012", say!("parse-unclosed-parenthesis"), open)
        .also(end, say!("parse-unclosed-parenthesis.also"))
}

/// A closing parenthesis too many.
pub(crate) fn stray_parenthesis(span: Span) -> Diagnostic {
    Diagnostic::error("P012", say!("parse-stray-parenthesis"), span).with_edit(
        say!("parse-leave-out"),
        span,
        "",
    )
}

/// A sign or word of another language.
pub(crate) fn foreign(
    text: &str,
    replacement: &str,
    help: Option<Phrase>,
    span: Span,
) -> Diagnostic {
    let Some(help) = help else {
        let shown = replacement.trim();
        let message = say!("parse-foreign", text, shown);
        return Diagnostic::error("P013", message, span).with_edit(
            say!("parse-foreign.help", shown),
            span,
            replacement,
        );
    };
    Diagnostic::error("P013", say!("parse-foreign.no-meaning", text), span).with_help(help)
}

/// Two values compared for equality.
///
/// Shapes: `name`, of what may be a switch that is compared with 0 or 1.
pub(crate) fn equality(text: &str, name: Option<&str>, span: Span) -> Diagnostic {
    let report = Diagnostic::error("P013", say!("parse-equality", text), span)
        .with_help(say!("parse-equality.help"));
    match name {
        Some(name) => report.with_note(say!("parse-equality.note", name = print::name(name))),
        None => report,
    }
}

/// `a < b < c`
pub(crate) fn chained_comparison(span: Span, repaired: &str) -> Diagnostic {
    Diagnostic::error("P014", say!("parse-comparison-two-sides"), span).with_edit(
        say!("parse-chained-comparison.help"),
        span,
        repaired,
    )
}

/// The same as an argument, where one literal may stand.
pub(crate) fn chained_argument(span: Span, repaired: &str) -> Diagnostic {
    let help = say!("parse-chained-argument.help", repaired);
    Diagnostic::error("P014", say!("parse-comparison-two-sides"), span).with_help(help)
}

/// A row that belongs to another list.
pub(crate) fn wrong_list(found: List, stands_in: List, span: Span) -> Diagnostic {
    let row = match found {
        List::Ranges => phrase!("phrase-range"),
        List::Situations => phrase!("phrase-situation"),
        List::Assignments => phrase!("phrase-assignment"),
        List::Relations => phrase!("phrase-relation"),
        List::Reactions => phrase!("phrase-reaction"),
        List::Scene => phrase!("phrase-shape"),
    };
    let report = Diagnostic::error(
        "P015",
        say!("parse-wrong-list", row, stands_in = stands_in.name()),
        span,
    );
    if (found, stands_in) == (List::Situations, List::Ranges) {
        return report
            .with_note(say!("parse-wrong-list.note"))
            .with_help(say!("parse-wrong-list.help-move-situations"));
    }
    report.with_help(say!("parse-wrong-list.help-move", found = found.name()))
}

/// A word in front of a name that is defined, which is none of those that may stand there.
pub(crate) fn unknown_mark(word: &str, span: Span) -> Diagnostic {
    let known = ["event"].into_iter().chain(Mark::ALL.map(Mark::name));
    let report = expected(
        phrase!("phrase-event-noevent-smooth"),
        format!("`{word}`"),
        span,
    );
    match nearest(word, known) {
        Some(near) => report.with_edit(say!("report-did-you-mean", near), span, near),
        None => report.with_help(say!("parse-unknown-mark.help-put-name")),
    }
}

/// `noevent` or `smooth` in front of what is no range.
pub(crate) fn mark_on_situation(mark: Mark, span: Span) -> Diagnostic {
    let message = say!("parse-mark-on-situation", mark = mark.name());
    Diagnostic::error("P029", message, span)
        .with_note(say!("parse-mark-on-situation.note"))
        .with_help(say!("parse-mark-on-situation.help"))
}

/// Text after the end of what was understood.
pub(crate) fn trailing(what: impl Argument, found: &str, span: Span) -> Diagnostic {
    Diagnostic::error("P016", say!("parse-trailing", what, found), span)
}

/// A keyword in the place of a name.
pub(crate) fn keyword(word: &str, span: Span) -> Diagnostic {
    Diagnostic::error("P017", say!("parse-keyword", word), span)
        .with_help(say!("parse-keyword.help"))
}

/// Two fields that say different things about the same.
pub(crate) fn contradiction(first: &str, second: &str, at: Span, other: Span) -> Diagnostic {
    Diagnostic::error("P018", say!("parse-contradiction", first, second), at)
        .also(other, "")
        .with_help(say!("parse-leave-them-out"))
}

/// Several reals on the left of `=`.
pub(crate) fn several_targets(operator: Span) -> Diagnostic {
    Diagnostic::error("P019", say!("parse-several-targets"), operator)
        .with_help(say!("parse-several-targets.help"))
}

/// Not as many values as reals.
pub(crate) fn uneven_targets(targets: usize, values: usize, span: Span) -> Diagnostic {
    let message = say!("parse-uneven-targets", targets, values);
    Diagnostic::error("P019", message, span).with_help(say!("parse-uneven-targets.help"))
}

/// Not as many conditions as reals.
pub(crate) fn uneven_conditions(targets: usize, conditions: usize, span: Span) -> Diagnostic {
    let message = say!("parse-uneven-conditions", targets, conditions);
    Diagnostic::error("P019", message, span).with_help(say!("parse-uneven-conditions.help"))
}

/// A word in front of `(.. for j)` that is no reduction.
pub(crate) fn no_reduction(word: &str, each: Span, span: Span) -> Diagnostic {
    let known = ReductionKind::ALL.map(ReductionKind::word);
    let message = say!("parse-no-reduction", word);
    let report = Diagnostic::error("F001", message, span)
        .also(each, "")
        .with_note(say!("parse-no-reduction.note", known = list_of(&known)));
    match nearest(word, known) {
        Some(near) => report.with_edit(say!("report-did-you-mean", near), span, near),
        None => report,
    }
}

/// Text that is no name.
pub(crate) fn bad_name(text: &str, why: impl Argument, span: Span) -> Diagnostic {
    Diagnostic::error("P020", say!("parse-bad-name", text, why), span)
}

/// No name at all.
pub(crate) fn empty_name(span: Span) -> Diagnostic {
    Diagnostic::error("P020", say!("parse-empty-name"), span)
}

/// Another version of the format.
pub(crate) fn unknown_format(found: f64, span: Span) -> Diagnostic {
    Diagnostic::error("P021", say!("parse-unknown-format", found), span)
        .with_help(say!("parse-unknown-format.help"))
}

/// Something wrong with `[..]` in front of a row or with an id.
pub(crate) fn bad_id(message: impl Into<String>, span: Span) -> Diagnostic {
    Diagnostic::error("P022", message, span).with_help(say!("parse-bad-id.help"))
}

/// Something in a condition that is neither a name nor a comparison.
pub(crate) fn not_a_literal(message: impl Into<String>, span: Span) -> Diagnostic {
    Diagnostic::error("P023", message, span)
}

/// A truth value where a number is needed.
pub(crate) fn truth_value(message: impl Into<String>, span: Span) -> Diagnostic {
    Diagnostic::error("P024", message, span)
}

/// `on = true when a`; an edit where the row can be written as it is meant.
pub(crate) fn switch_in_relation(row: Span, meant: &str, edit: Option<Span>) -> Diagnostic {
    let report = truth_value(phrase!("phrase-relation-gives-numbers"), row);
    match edit {
        Some(edit) => report.with_edit(
            say!("parse-switch-in-relation.help-switches-set"),
            edit,
            meant,
        ),
        None => report.with_help(say!("parse-switch-in-relation.help-switches-set-2", meant)),
    }
}

/// A comparison where a number is needed.
pub(crate) fn comparison_as_number(span: Span) -> Diagnostic {
    truth_value(phrase!("phrase-comparison-where-number"), span)
        .with_help(say!("parse-comparison-as-number.help"))
}

/// A number that makes no sense in its field.
pub(crate) fn out_of_range(field: &str, expected: impl Argument, span: Span) -> Diagnostic {
    Diagnostic::error("P025", say!("parse-out-of-range", field, expected), span)
}

/// Two values next to each other, or a value and what is nearly a word that may stand behind it.
pub(crate) fn missing_operator(left: &str, right: &str, gap: Span, right_span: Span) -> Diagnostic {
    let message = say!("parse-missing-operator", left, right);
    let report = Diagnostic::error("P026", message, right_span)
        .at(right_span, say!("parse-missing-operator.label"));
    match nearest(right, ["when", "otherwise"]) {
        Some(near) => report.with_edit(say!("report-did-you-mean", near), right_span, near),
        None => report.with_edit(say!("parse-if-product-meant"), gap, " * "),
    }
}

/// Two conditions next to each other.
pub(crate) fn missing_and(left: &str, right: &str, gap: Span, right_span: Span) -> Diagnostic {
    let report = Diagnostic::error(
        "P026",
        say!("parse-missing-operator", left, right),
        right_span,
    )
    .at(right_span, say!("parse-missing-operator.label"));
    match right {
        "is" => report.with_help(say!("parse-missing-and.is", left)),
        _ => report.with_edit(say!("parse-missing-and"), gap, " & "),
    }
}

/// `1 000`
pub(crate) fn grouped_digits(left: &str, right: &str, span: Span) -> Diagnostic {
    let (written, meant) = (format!("{left} {right}"), format!("{left}{right}"));
    bad_number(&written, phrase!("phrase-digits-not-grouped"), span).with_edit(
        say!("ron-write", meant),
        span,
        &meant,
    )
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
        say!("parse-missing-parentheses", argument, procedure),
        argument_span,
    )
    .with_edit(
        say!("parse-missing-parentheses.help"),
        place,
        format!("({argument})"),
    )
}

/// A procedure with what may be its argument, or a part of it, next to it: `sin 2 * x`.
pub(crate) fn missing_parentheses_somewhere(
    procedure: &str,
    argument: &str,
    span: Span,
) -> Diagnostic {
    let message = say!("parse-missing-parentheses", argument, procedure);
    let help = say!("parse-missing-parentheses.help-all", procedure);
    Diagnostic::error("P026", message, span).with_help(help)
}

/// A line that is no row.
pub(crate) fn no_row(list: Option<List>, span: Span) -> Diagnostic {
    Diagnostic::error("P027", say!("parse-no-row"), span).with_help(forms_of(list))
}

/// `x < 2` without a name before it.
pub(super) fn nameless(list: Option<List>, span: Span) -> Diagnostic {
    let row = match list {
        Some(List::Situations) => phrase!("phrase-this-situation"),
        _ => phrase!("phrase-this-range"),
    };
    let begin = Span {
        end: span.start,
        ..span
    };
    Diagnostic::error("P027", say!("parse-nameless", row), span).with_edit(
        say!("parse-nameless.help"),
        begin,
        "name: ",
    )
}

/// A line without anything.
pub(crate) fn empty_row(list: Option<List>, span: Span) -> Diagnostic {
    Diagnostic::error("P027", say!("parse-empty-row"), span).with_help(forms_of(list))
}

fn forms_of(list: Option<List>) -> String {
    match list {
        Some(List::Ranges) => say!("parse-forms-of-ranges"),
        Some(List::Situations) => say!("parse-forms-of-situations"),
        Some(List::Assignments) => say!("parse-forms-of-assignments"),
        Some(List::Relations) => say!("parse-forms-of-relations"),
        Some(List::Reactions) => say!("parse-forms-of-reactions"),
        Some(List::Scene) => say!("parse-forms-of-scene", form = ShapeKind::Circle.example()),
        None => say!("parse-forms-of-rows"),
    }
}

/// A list that must not be empty.
pub(crate) fn empty_list(field: &str, needs: impl Into<String>, span: Span) -> Diagnostic {
    Diagnostic::error("P028", say!("parse-empty-list", field), span).with_help(needs)
}

/// A text that asks for no measure.
pub(crate) fn no_measure(kind: &str, span: Span) -> Diagnostic {
    let known: Vec<&str> = measures().collect();
    let message = match kind {
        "" => say!("parse-no-measure"),
        _ => say!("parse-no-measure.no-measure", kind),
    };
    let report = Diagnostic::error("X002", message, span);
    report.with_help(say!("parse-no-measure.help", known = list_of(&known)))
}

/// `a`, `b` and `c`
fn list_of(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    quoted.join(", ")
}

fn suggest(report: Diagnostic, word: &str, known: &[&str], span: Span, quote: &str) -> Diagnostic {
    match meant(word, known) {
        Some(near) => report.with_edit(
            say!("report-did-you-mean", near),
            span,
            format!("{quote}{near}{quote}"),
        ),
        None => report,
    }
}
