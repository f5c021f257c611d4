//! Family P: what the readers of the text report, and the pages of these codes.

use situ_engine::model::Mark;

use super::CodePage;
use crate::diag::{Diagnostic, meant, nearest};
use crate::source::Span;
use crate::tree::List;

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
        .with_help("a table has rows of values, and nothing that lies deeper")
}

/// A field that `owner` does not have.
pub(crate) fn unknown_field(owner: &str, name: &str, known: &[&str], span: Span) -> Diagnostic {
    let report = Diagnostic::error("P003", format!("{owner} has no field `{name}`"), span)
        .with_note(format!("its fields: {}", list_of(known)));
    match field_meant(name, known) {
        Some(near) => report.with_edit(format!("did you mean `{near}`?"), span, near),
        None => report,
    }
}

/// The field that an unknown one is most likely meant to be: one of nearly that name, or of that
/// meaning.
pub(crate) fn field_meant<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    const MEANINGS: &[(&str, &str)] = &[
        ("when", "all"),
        ("all", "when"),
        ("if", "when"),
        ("if", "all"),
        ("condition", "when"),
        ("condition", "all"),
        ("conditions", "all"),
        ("situation", "when"),
        ("situation", "name"),
        ("variable", "real"),
        ("target", "real"),
        ("name", "real"),
        ("method", "procedure"),
        ("function", "procedure"),
        ("proc", "procedure"),
        ("coefficient", "coef"),
        ("factor", "coef"),
        ("arguments", "args"),
        ("inputs", "args"),
        ("value", "start"),
        ("initial", "start"),
        ("label", "name"),
        ("title", "name"),
        ("description", "about"),
        ("comment", "note"),
        ("remark", "note"),
        ("base", "extends"),
        ("parameters", "constants"),
        ("params", "constants"),
        ("variables", "reals"),
        ("booleans", "switches"),
        ("flags", "switches"),
        ("guards", "ranges"),
        ("events", "situations"),
        ("modes", "situations"),
        ("equations", "relations"),
        ("scenarios", "cases"),
        ("states", "reals"),
        ("predicates", "ranges"),
        ("rules", "relations"),
        ("dt", "step"),
        ("end", "stop"),
        ("until", "stop_when"),
        ("tolerance", "rtol"),
        ("output", "every"),
    ];
    let named = |field: &str| known.iter().copied().find(|known| *known == field);
    nearest(name, known.iter().copied()).or_else(|| {
        let meanings = MEANINGS.iter().filter(|(other, _)| *other == name);
        meanings.filter_map(|(_, field)| named(field)).next()
    })
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
        .with_help("names with unusual characters stand between backticks")
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
    expected("only switches behind a condition", "a relation", name).with_edit(
        "the condition of a relation stands at its end",
        row,
        meant,
    )
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
        format!("`{text}` does not compare: computed values are hardly ever equal"),
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
        None => report.with_help("a name of two words stands between backticks"),
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
        "several reals are written at once only by `:=`",
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
        None => report.with_help(format!("switches are set by an assignment: `{meant}`")),
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
        format!("nothing joins `{left}` and `{right}`"),
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
        format!("nothing joins `{procedure}` and `{argument}`"),
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
        None => "`name = expression when a`, `name: a & !b` or `when a: name`",
    };
    format!("a row reads {forms}")
}

/// A list that must not be empty.
pub(crate) fn empty_list(field: &str, needs: &str, span: Span) -> Diagnostic {
    Diagnostic::error("P028", format!("`{field}` is empty"), span).with_help(needs)
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

pub(super) const PAGES: &[CodePage] = &[
    CodePage {
        code: "P001",
        title: "the table is not RON",
        what: "A bracket, quote, comma or colon of the table is missing or stands in the wrong place.",
        why: "Nothing behind such a place can be understood, so this is the only report about the table.",
        bad: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0, "h": 10.0,
    relations: [
        "v = integral(-g)",
        "h = integral(v)",
    ],
)
"#,
        repaired: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0, "h": 10.0},
    relations: [
        "v = integral(-g)",
        "h = integral(v)",
    ],
)
"#,
        base: None,
    },
    CodePage {
        code: "P002",
        title: "an expression or the table nests too deeply",
        what: "Brackets, signs or powers lie more than 128 deep in each other, or one expression chains more than 512 operations.",
        why: "Nobody can read such an expression, and every later step would need memory for each level. A part of it with a name of its own is a row that can be looked at in the output.",
        bad: r#"(
    format: 1,
    reals: {"x": 0.0},
    relations: ["x = ----------------------------------------------------------------------------------------------------------------------------------1"],
)
"#,
        repaired: r#"(
    format: 1,
    reals: {"x": 0.0},
    relations: ["x = 1"],
)
"#,
        base: None,
    },
    CodePage {
        code: "P003",
        title: "a field is not known",
        what: "The table, a row or another group of fields has a field of a name that means nothing there.",
        why: "It is most often a slip of the pen; leaving it out silently would change the model.",
        bad: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0},
    relations: [
        (id: "1", real: "v", proceedure: "integral", args: ["g"]),
    ],
)
"#,
        repaired: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0},
    relations: [
        (id: "1", real: "v", procedure: "integral", args: ["g"]),
    ],
)
"#,
        base: None,
    },
    CodePage {
        code: "P004",
        title: "a key is given twice",
        what: "The same field or name stands twice in one group.",
        why: "Only one of the two could count, and it would not be clear which one.",
        bad: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0, "v": 1.0, "h": 10.0},
    relations: [
        "v = integral(-g)",
        "h = integral(v)",
    ],
)
"#,
        repaired: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0, "h": 10.0},
    relations: [
        "v = integral(-g)",
        "h = integral(v)",
    ],
)
"#,
        base: None,
    },
    CodePage {
        code: "P005",
        title: "a value is of the wrong type",
        what: "A field holds another kind of value than it takes: a number where a list belongs, a bare name where quotes belong.",
        why: "The value cannot be used as it stands.",
        bad: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0},
    relations: [
        (id: "1", real: "v", procedure: "integral", args: "g"),
    ],
)
"#,
        repaired: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0},
    relations: [
        (id: "1", real: "v", procedure: "integral", args: ["g"]),
    ],
)
"#,
        base: None,
    },
    CodePage {
        code: "P006",
        title: "a field is missing",
        what: "A row lacks a field without which it says nothing.",
        why: "No value can be assumed for it.",
        bad: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0},
    relations: [
        (id: "1", procedure: "integral", args: ["g"]),
    ],
)
"#,
        repaired: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0},
    relations: [
        (id: "1", real: "v", procedure: "integral", args: ["g"]),
    ],
)
"#,
        base: None,
    },
    CodePage {
        code: "P007",
        title: "a word is not among those that may stand here",
        what: "A field that takes one of a few words holds another one.",
        why: "Each of the words selects a way of working; there is no other.",
        bad: r#"(
    format: 1,
    clock: (step: 0.01, stepping: "event"),
    constants: {"g": 9.81},
    reals: {"v": 0.0, "h": 10.0},
    relations: [
        "v = integral(-g)",
        "h = integral(v)",
    ],
)
"#,
        repaired: r#"(
    format: 1,
    clock: (step: 0.01, stepping: "events"),
    constants: {"g": 9.81},
    reals: {"v": 0.0, "h": 10.0},
    relations: [
        "v = integral(-g)",
        "h = integral(v)",
    ],
)
"#,
        base: None,
    },
    CodePage {
        code: "P008",
        title: "a character cannot stand here",
        what: "A row, condition or expression contains a character that begins nothing.",
        why: "Names consist of letters, digits and `_`; names with other characters stand between backticks.",
        bad: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0, "h": 10.0},
    relations: [
        "v = integral(-g)",
        "h = integral(v) @",
    ],
)
"#,
        repaired: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0, "h": 10.0},
    relations: [
        "v = integral(-g)",
        "h = integral(v)",
    ],
)
"#,
        base: None,
    },
    CodePage {
        code: "P009",
        title: "a backtick is not closed",
        what: "A name begins with a backtick and has none at its end.",
        why: "Everything up to the next backtick belongs to the name, so its end must be marked.",
        bad: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0, "h": 10.0},
    relations: [
        "`v = integral(-g)",
        "h = integral(v)",
    ],
)
"#,
        repaired: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0, "h": 10.0},
    relations: [
        "`v` = integral(-g)",
        "h = integral(v)",
    ],
)
"#,
        base: None,
    },
    CodePage {
        code: "P010",
        title: "digits make no number",
        what: "Something begins like a number and does not end like one: two points, an exponent without digits, a name that clings to it, a decimal comma.",
        why: "It could be meant in several ways, and guessing one would change the model.",
        bad: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0, "h": 10.0},
    relations: [
        "v = integral(-g)",
        "h = integral(1.0.0 * v)",
    ],
)
"#,
        repaired: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0, "h": 10.0},
    relations: [
        "v = integral(-g)",
        "h = integral(1.0 * v)",
    ],
)
"#,
        base: None,
    },
    CodePage {
        code: "P011",
        title: "something else was expected",
        what: "A row breaks the grammar: a value, a sign or a name is missing, or another thing stands in its place.",
        why: "The rest of the row cannot be understood without it.",
        bad: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0, "h": 10.0},
    relations: [
        "v = integral(-g)",
        "h = integral(v + )",
    ],
)
"#,
        repaired: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0, "h": 10.0},
    relations: [
        "v = integral(-g)",
        "h = integral(v)",
    ],
)
"#,
        base: None,
    },
    CodePage {
        code: "P012",
        title: "a parenthesis has no partner",
        what: "A parenthesis is opened and not closed, or closed and not opened.",
        why: "Where the group ends decides about the result.",
        bad: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0, "h": 10.0},
    relations: [
        "v = integral(-g)",
        "h = integral(2 * (v + 1)",
    ],
)
"#,
        repaired: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0, "h": 10.0},
    relations: [
        "v = integral(-g)",
        "h = integral(2 * (v + 1))",
    ],
)
"#,
        base: None,
    },
    CodePage {
        code: "P013",
        title: "a sign or word of another language",
        what: "An operator or keyword from elsewhere stands where it has no meaning here: `==`, `&&`, `and`, `if`, `**`.",
        why: "Most have an equivalent, which the report names. Alternatives have none in a condition: a situation may have several rows. Equality has none either, because computed values are hardly ever equal.",
        bad: r#"(
    format: 1,
    constants: {"g": 9.81, "k": 500.0},
    reals: {"a": 0.0, "v": 0.0, "h": 10.0},
    ranges: ["contact: h < 0", "down: v < 0"],
    situations: ["braking: contact and down"],
    relations: [
        "a = -g when !braking",
        "a = -k * h when braking",
        "v = integral(a)",
        "h = integral(v)",
    ],
)
"#,
        repaired: r#"(
    format: 1,
    constants: {"g": 9.81, "k": 500.0},
    reals: {"a": 0.0, "v": 0.0, "h": 10.0},
    ranges: ["contact: h < 0", "down: v < 0"],
    situations: ["braking: contact & down"],
    relations: [
        "a = -g when !braking",
        "a = -k * h when braking",
        "v = integral(a)",
        "h = integral(v)",
    ],
)
"#,
        base: None,
    },
    CodePage {
        code: "P014",
        title: "a comparison has more than two sides",
        what: "Comparisons are chained as in `0 < h < R`.",
        why: "A comparison has two sides; two comparisons are joined by `&`.",
        bad: r#"(
    format: 1,
    constants: {"g": 9.81, "k": 500.0},
    reals: {"a": 0.0, "v": 0.0, "h": 10.0},
    ranges: ["contact: -1 < h < 0", "down: v < 0"],
    situations: ["braking: contact & down"],
    relations: [
        "a = -g when !braking",
        "a = -k * h when braking",
        "v = integral(a)",
        "h = integral(v)",
    ],
)
"#,
        repaired: r#"(
    format: 1,
    constants: {"g": 9.81, "k": 500.0},
    reals: {"a": 0.0, "v": 0.0, "h": 10.0},
    ranges: ["contact: -1 < h & h < 0", "down: v < 0"],
    situations: ["braking: contact & down"],
    relations: [
        "a = -g when !braking",
        "a = -k * h when braking",
        "v = integral(a)",
        "h = integral(v)",
    ],
)
"#,
        base: None,
    },
    CodePage {
        code: "P015",
        title: "a row stands in the wrong list",
        what: "A line under `ranges`, `situations`, `assignments` or `relations` is a row of another list. A range consists of comparisons only.",
        why: "The lists are scanned one after another in every tick, so the list decides when a row is computed.",
        bad: r#"(
    format: 1,
    constants: {"g": 9.81, "k": 500.0},
    reals: {"a": 0.0, "v": 0.0, "h": 10.0},
    ranges: ["contact: h < 0", "down: v < 0", "braking: contact & down"],
    relations: [
        "a = -g when !braking",
        "a = -k * h when braking",
        "v = integral(a)",
        "h = integral(v)",
    ],
)
"#,
        repaired: r#"(
    format: 1,
    constants: {"g": 9.81, "k": 500.0},
    reals: {"a": 0.0, "v": 0.0, "h": 10.0},
    ranges: ["contact: h < 0", "down: v < 0"],
    situations: ["braking: contact & down"],
    relations: [
        "a = -g when !braking",
        "a = -k * h when braking",
        "v = integral(a)",
        "h = integral(v)",
    ],
)
"#,
        base: None,
    },
    CodePage {
        code: "P016",
        title: "a row goes on behind its end",
        what: "Something follows that does not belong to the row.",
        why: "A row says one thing; what follows would be ignored otherwise.",
        bad: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0, "h": 10.0},
    relations: [
        "v = integral(-g)",
        "h = integral(v) : h",
    ],
)
"#,
        repaired: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0, "h": 10.0},
    relations: [
        "v = integral(-g)",
        "h = integral(v)",
    ],
)
"#,
        base: None,
    },
    CodePage {
        code: "P017",
        title: "a keyword stands in the place of a name",
        what: "`event`, `when`, `otherwise`, `start`, `time` and `pi` are words of the language.",
        why: "The rows that use the name could not be read.",
        bad: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"start": 1.0, "v": 0.0, "h": 10.0},
    relations: [
        "v = integral(-g)",
        "h = integral(v)",
    ],
)
"#,
        repaired: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"begin": 1.0, "v": 0.0, "h": 10.0},
    relations: [
        "v = integral(-g)",
        "h = integral(v)",
        "begin = 2 * v",
    ],
)
"#,
        base: None,
    },
    CodePage {
        code: "P018",
        title: "two fields exclude each other",
        what: "A row has both `when` and `otherwise`, or both `after` and `before`.",
        why: "Only one of them can hold.",
        bad: r#"(
    format: 1,
    reals: {"x": 1.0},
    ranges: ["high: x > 2"],
    relations: [
        (id: "1", real: "x", procedure: "integral", args: [-1], when: ["high"]),
        (id: "2", real: "x", procedure: "integral", args: [1], when: ["!high"], otherwise: true),
    ],
)
"#,
        repaired: r#"(
    format: 1,
    reals: {"x": 1.0},
    ranges: ["high: x > 2"],
    relations: [
        (id: "1", real: "x", procedure: "integral", args: [-1], when: ["high"]),
        (id: "2", real: "x", procedure: "integral", args: [1], otherwise: true),
    ],
)
"#,
        base: None,
    },
    CodePage {
        code: "P019",
        title: "the sides of a row have different lengths",
        what: "Several reals stand on the left of `=`, or the numbers of reals and values differ.",
        why: "One row writes several reals only at an event, by `:=`, all from the values before it. Elsewhere every real has rows of its own.",
        bad: r#"(
    format: 1,
    reals: {"x": 1.0, "v": -1.0},
    situations: ["event bounce: x < 0"],
    relations: [
        "x = integral(v)",
        "x, v := 0 when bounce",
    ],
)
"#,
        repaired: r#"(
    format: 1,
    reals: {"x": 1.0, "v": -1.0},
    situations: ["event bounce: x < 0"],
    relations: [
        "x = integral(v)",
        "x, v := 0, -v when bounce",
    ],
)
"#,
        base: None,
    },
    CodePage {
        code: "P020",
        title: "this is not a name",
        what: "A name is empty or contains signs that names do not have.",
        why: "Names consist of letters, digits and `_`, so that expressions can be read; any other name stands between backticks.",
        bad: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"air drag": 0.0, "v": 0.0, "h": 10.0},
    relations: [
        "v = integral(-g)",
        "h = integral(v)",
        "`air drag` = 2 * v",
    ],
)
"#,
        repaired: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"`air drag`": 0.0, "v": 0.0, "h": 10.0},
    relations: [
        "v = integral(-g)",
        "h = integral(v)",
        "`air drag` = 2 * v",
    ],
)
"#,
        base: None,
    },
    CodePage {
        code: "P021",
        title: "the format is of another version",
        what: "The field `format` has a value that this program does not know.",
        why: "Rows may mean something else in another version of the format.",
        bad: r#"(
    format: 2,
    constants: {"g": 9.81},
    reals: {"v": 0.0, "h": 10.0},
    relations: [
        "v = integral(-g)",
        "h = integral(v)",
    ],
)
"#,
        repaired: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0, "h": 10.0},
    relations: [
        "v = integral(-g)",
        "h = integral(v)",
    ],
)
"#,
        base: None,
    },
    CodePage {
        code: "P022",
        title: "an id or the bracket in front of a row is wrong",
        what: "The bracket in front of a line holds an id of one word, or a place such as `after 3`, or both. An id in columns is one word too.",
        why: "Ids tell the rows apart when a table is extended, and stand in brackets in front of a line.",
        bad: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0, "h": 10.0},
    relations: [
        "[first row] v = integral(-g)",
        "h = integral(v)",
    ],
)
"#,
        repaired: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0, "h": 10.0},
    relations: [
        "[first] v = integral(-g)",
        "h = integral(v)",
    ],
)
"#,
        base: None,
    },
    CodePage {
        code: "P023",
        title: "a condition contains something else than names and comparisons",
        what: "A part of a condition is a value, a group in parentheses or a negated comparison.",
        why: "A condition is a conjunction of names, negated names and comparisons; that is what makes it possible to say which situations exclude each other.",
        bad: r#"(
    format: 1,
    constants: {"g": 9.81, "k": 500.0},
    reals: {"a": 0.0, "v": 0.0, "h": 10.0},
    ranges: ["contact: h < 0"],
    situations: ["braking: contact & (v < 0)"],
    relations: [
        "a = -g when !braking",
        "a = -k * h when braking",
        "v = integral(a)",
        "h = integral(v)",
    ],
)
"#,
        repaired: r#"(
    format: 1,
    constants: {"g": 9.81, "k": 500.0},
    reals: {"a": 0.0, "v": 0.0, "h": 10.0},
    ranges: ["contact: h < 0"],
    situations: ["braking: contact & v < 0"],
    relations: [
        "a = -g when !braking",
        "a = -k * h when braking",
        "v = integral(a)",
        "h = integral(v)",
    ],
)
"#,
        base: None,
    },
    CodePage {
        code: "P024",
        title: "a truth value stands in the place of a number",
        what: "A negation, a condition, `start`, `true` or `false` stands in an expression.",
        why: "Expressions compute numbers. A truth value selects rows by `when`, or is an argument of a procedure that takes one.",
        bad: r#"(
    format: 1,
    reals: {"x": 0.0},
    switches: {"filling": true},
    ranges: ["full: x > 1"],
    assignments: ["when full: !filling"],
    relations: ["x = integral(1 + !full)"],
)
"#,
        repaired: r#"(
    format: 1,
    reals: {"x": 0.0},
    switches: {"filling": true},
    ranges: ["full: x > 1"],
    assignments: ["when full: !filling"],
    relations: ["x = integral(1) when filling"],
)
"#,
        base: None,
    },
    CodePage {
        code: "P025",
        title: "a number makes no sense in its field",
        what: "A step, tolerance or other setting lies outside of its possible values.",
        why: "The run could not begin.",
        bad: r#"(
    format: 1,
    clock: (step: 0.0),
    constants: {"g": 9.81},
    reals: {"v": 0.0, "h": 10.0},
    relations: [
        "v = integral(-g)",
        "h = integral(v)",
    ],
)
"#,
        repaired: r#"(
    format: 1,
    clock: (step: 0.01),
    constants: {"g": 9.81},
    reals: {"v": 0.0, "h": 10.0},
    relations: [
        "v = integral(-g)",
        "h = integral(v)",
    ],
)
"#,
        base: None,
    },
    CodePage {
        code: "P026",
        title: "two values stand next to each other",
        what: "No operator joins two values.",
        why: "A product is written with `*`; a row ends after its value or with `when` or `otherwise`.",
        bad: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0, "h": 10.0},
    relations: [
        "v = integral(-g)",
        "h = integral(2 v)",
    ],
)
"#,
        repaired: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0, "h": 10.0},
    relations: [
        "v = integral(-g)",
        "h = integral(2 * v)",
    ],
)
"#,
        base: None,
    },
    CodePage {
        code: "P027",
        title: "a line is no row",
        what: "A line has neither `:` nor `=` and is none of the four kinds of rows.",
        why: "It says nothing that could be computed.",
        bad: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0, "h": 10.0},
    relations: [
        "v = integral(-g)",
        "integral(v)",
    ],
)
"#,
        repaired: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0, "h": 10.0},
    relations: [
        "v = integral(-g)",
        "h = integral(v)",
    ],
)
"#,
        base: None,
    },
    CodePage {
        code: "P028",
        title: "a list is empty that must not be",
        what: "A condition without literals, a range without comparisons, an assignment without switches.",
        why: "A row that always holds is written without a condition; the others would say nothing.",
        bad: r#"(
    format: 1,
    reals: {"x": 1.0},
    ranges: ["high: x > 2"],
    relations: [
        (id: "1", real: "x", procedure: "integral", args: [-1], when: []),
        (id: "2", real: "x", procedure: "integral", args: [1], otherwise: true),
    ],
)
"#,
        repaired: r#"(
    format: 1,
    reals: {"x": 1.0},
    ranges: ["high: x > 2"],
    relations: [
        (id: "1", real: "x", procedure: "integral", args: [-1], when: ["high"]),
        (id: "2", real: "x", procedure: "integral", args: [1], otherwise: true),
    ],
)
"#,
        base: None,
    },
    CodePage {
        code: "P029",
        title: "a mark stands in front of a situation",
        what: "`noevent` and `smooth` say how event stepping treats the borders of a range, and the row is no range.",
        why: "A situation has no border of its own: it turns when the ranges turn that it names.",
        bad: r#"(
    format: 1,
    reals: {"x": 1.0},
    switches: {"on": true},
    ranges: ["high: x > 2"],
    situations: ["noevent heated: on & high"],
    relations: ["x = integral(1) when heated", "x = integral(2) otherwise"],
)
"#,
        repaired: r#"(
    format: 1,
    reals: {"x": 1.0},
    switches: {"on": true},
    ranges: ["noevent high: x > 2"],
    situations: ["heated: on & high"],
    relations: ["x = integral(1) when heated", "x = integral(2) otherwise"],
)
"#,
        base: None,
    },
];
