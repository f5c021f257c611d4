//! The catalogue of texts: every entry in both languages, every call of `say!` with an entry and its arguments.

use std::collections::{BTreeMap, BTreeSet};

use fluent_syntax::ast::{
    CallArguments, Entry, Expression, InlineExpression, Pattern, PatternElement,
};
use fluent_syntax::parser::parse;
use situ_engine::model::Clock;
use situ_words::{Language, areas, sources as texts};

use crate::house::tidy::{CRATES, sources, text};
use crate::house::vocabulary::shown;

/// Areas whose entries are named by names that are put together; each has a test of its own.
const BY_NAME: &[&str] = &["clock", "code", "command", "procedure", "usage", "value"];

/// Arguments of each entry and attribute (`entry.attribute`).
type Entries = BTreeMap<String, BTreeSet<String>>;

/// Adds the arguments of a pattern, and the entries that it names.
fn collect(pattern: &Pattern<&str>, arguments: &mut BTreeSet<String>, named: &mut Vec<String>) {
    for element in &pattern.elements {
        if let PatternElement::Placeable { expression } = element {
            of_expression(expression, arguments, named);
        }
    }
}

fn of_expression(
    expression: &Expression<&str>,
    arguments: &mut BTreeSet<String>,
    named: &mut Vec<String>,
) {
    match expression {
        Expression::Inline(inline) => of_inline(inline, arguments, named),
        Expression::Select { selector, variants } => {
            of_inline(selector, arguments, named);
            for variant in variants {
                collect(&variant.value, arguments, named);
            }
        }
    }
}

fn of_inline(
    inline: &InlineExpression<&str>,
    arguments: &mut BTreeSet<String>,
    named: &mut Vec<String>,
) {
    let mut within = |call: &CallArguments<&str>| {
        let mut named = Vec::new();
        let given = call.named.iter().map(|argument| &argument.value);
        for inline in call.positional.iter().chain(given) {
            of_inline(inline, arguments, &mut named);
        }
    };
    match inline {
        InlineExpression::VariableReference { id } => {
            arguments.insert(id.name.to_owned());
        }
        InlineExpression::MessageReference { id, attribute } => named.push(match attribute {
            Some(attribute) => format!("{}.{}", id.name, attribute.name),
            None => id.name.to_owned(),
        }),
        InlineExpression::FunctionReference { arguments, .. } => within(arguments),
        InlineExpression::TermReference {
            arguments: Some(arguments),
            ..
        } => within(arguments),
        InlineExpression::Placeable { expression } => of_expression(expression, arguments, named),
        _ => {}
    }
}

/// The entries of an area, and those of them that others name.
fn entries(area: &str, language: Language) -> (Entries, BTreeSet<String>) {
    let mut entries = Entries::new();
    let mut used = BTreeSet::new();
    for text in texts(area, language) {
        let parsed = parse(*text);
        let resource = parsed.unwrap_or_else(|(_, errors)| panic!("{area}: {errors:?}"));
        for entry in &resource.body {
            let Entry::Message(message) = entry else {
                continue;
            };
            let name = message.id.name;
            assert_eq!(name.split('-').next(), Some(area), "the area of {name}");
            let attributes = message.attributes.iter();
            let attributes =
                attributes.map(|part| (format!("{name}.{}", part.id.name), &part.value));
            let value = message.value.iter().map(|value| (name.to_owned(), value));
            for (id, pattern) in value.chain(attributes) {
                let (mut arguments, mut named) = (BTreeSet::new(), Vec::new());
                collect(pattern, &mut arguments, &mut named);
                used.extend(named);
                let twice = entries.insert(id.clone(), arguments);
                assert!(twice.is_none(), "{id} stands twice in {}", language.code());
            }
        }
    }
    (entries, used)
}

/// A call of `say!`: where it stands, its entry and its arguments.
struct Call {
    place: String,
    id: String,
    arguments: BTreeSet<String>,
}

/// The calls in a text of Rust.
fn calls(place: &str, code: &str) -> Vec<Call> {
    let mut found = Vec::new();
    let phrases = code.match_indices("phrase!(");
    for (at, call) in code.match_indices("say!(").chain(phrases) {
        let line = code[..at].lines().last().unwrap_or_default();
        if line.trim_start().starts_with("//") {
            continue;
        }
        let inside = arguments(&code[at + call.len()..]);
        let number = code[..at].lines().count();
        let place = format!("{place}:{number}");
        let id = inside.first().and_then(|id| id.strip_prefix('"'));
        let id = id.and_then(|id| id.strip_suffix('"'));
        let id = id.unwrap_or_else(|| panic!("{place}: an entry in quotes comes first"));
        let name = |argument: &String| argument.split('=').next().unwrap().trim().to_owned();
        found.push(Call {
            place,
            id: id.to_owned(),
            arguments: inside[1..].iter().map(name).collect(),
        });
    }
    found
}

/// What stands between the commas of a call, up to its parenthesis.
fn arguments(code: &str) -> Vec<String> {
    let (mut parts, mut part) = (Vec::new(), String::new());
    let (mut depth, mut in_text, mut escaped) = (0_usize, false, false);
    let mut letters = code.chars().peekable();
    while let Some(c) = letters.next() {
        match c {
            _ if in_text => {
                in_text = escaped || c != '"';
                escaped = c == '\\' && !escaped;
            }
            '"' => in_text = true,
            '\'' if part.ends_with(|c: char| !c.is_alphanumeric()) => {
                // A character such as `','`; a lifetime has no second quote.
                let ahead: String = letters.clone().take(2).collect();
                if ahead.ends_with('\'') {
                    letters.nth(1);
                    continue;
                }
            }
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth > 0 => depth -= 1,
            ')' => break,
            ',' if depth == 0 => {
                parts.push(std::mem::take(&mut part).trim().to_owned());
                continue;
            }
            _ => {}
        }
        part.push(c);
    }
    parts.push(part.trim().to_owned());
    parts.retain(|part| !part.is_empty());
    parts
}

/// All calls in the sources of the workspace.
fn all_calls() -> Vec<Call> {
    let crates = CRATES.iter().filter(|(name, ..)| *name != "situ-tests");
    let files = crates.flat_map(|(_, folder, _)| sources(folder));
    files
        .flat_map(|path| calls(&shown(&path), &text(&path)))
        .collect()
}

#[test]
fn both_languages_have_the_same_entries() {
    let mut wrong = Vec::new();
    for area in areas() {
        let [(english, _), (russian, _)] = Language::ALL.map(|language| entries(area, language));
        for (id, arguments) in &english {
            match russian.get(id) {
                None => wrong.push(format!("{id} is not in Russian")),
                Some(others) if !arguments.is_subset(others) => {
                    wrong.push(format!("{id} has {arguments:?} and in Russian {others:?}"));
                }
                Some(_) => {}
            }
        }
        let only = russian.keys().filter(|id| !english.contains_key(*id));
        wrong.extend(only.map(|id| format!("{id} is not in English")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_call_has_an_entry_with_its_arguments() {
    let mut catalogue = Entries::new();
    let mut unused = BTreeSet::new();
    for area in areas() {
        let (entries, used) = entries(area, Language::Russian);
        if !BY_NAME.contains(&area) {
            unused.extend(entries.keys().filter(|id| !used.contains(*id)).cloned());
        }
        catalogue.extend(entries);
    }
    let mut wrong = Vec::new();
    for call in all_calls() {
        let Call {
            place,
            id,
            arguments,
        } = call;
        unused.remove(&id);
        match catalogue.get(&id) {
            None => wrong.push(format!("{place}: there is no entry {id}")),
            Some(known) if *known != arguments => {
                wrong.push(format!("{place}: {id} has {known:?}, not {arguments:?}"));
            }
            Some(_) => {}
        }
    }
    wrong.extend(unused.into_iter().map(|id| format!("{id} is never said")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Pages of codes, commands, settings of the clock and procedures have their entries, and no entry is left over.
#[test]
fn lists_have_their_entries() {
    let check = |area: &str, names: &mut dyn Iterator<Item = String>| {
        let (entries, _) = entries(area, Language::Russian);
        let told: BTreeSet<&str> = entries
            .keys()
            .filter_map(|id| id.split('.').next())
            .collect();
        let listed: BTreeSet<String> = names.map(|name| format!("{area}-{name}")).collect();
        let listed = listed.iter().map(String::as_str).collect();
        assert_eq!(told, listed);
    };
    let headings = ["base", "bad", "repaired"].map(str::to_owned).into_iter();
    let codes = situ_rules::diag::pages().into_iter();
    check(
        "code",
        &mut codes.map(|page| page.code.to_owned()).chain(headings),
    );
    let commands = situ_console::commands();
    check(
        "command",
        &mut commands.map(|command| command.name.to_owned()),
    );
    let settings = Clock::SETTINGS.iter();
    check(
        "clock",
        &mut settings.map(|setting| setting.name.to_owned()),
    );
    for setting in Clock::SETTINGS {
        let told = situ_words::prose(&format!("clock-{}", setting.name));
        assert_eq!(
            told.as_deref(),
            Some(setting.about()),
            "the engine says it too"
        );
    }
    let procedures = situ_engine::procedure::ALL;
    check(
        "procedure",
        &mut procedures.iter().map(|procedure| procedure.name.to_owned()),
    );
    for procedure in procedures {
        let part = |part: &str| situ_words::prose(&format!("procedure-{}{part}", procedure.name));
        assert_eq!(part("").as_deref(), Some(procedure.about));
        assert_eq!(part(".help").as_deref(), Some(procedure.help));
        for param in procedure.params {
            let told = part(&format!(".{}", param.name));
            assert_eq!(told.as_deref(), Some(param.about), "{}", procedure.name);
        }
    }
}

/// The look at the sources finds what it looks for.
#[test]
fn calls_are_found_with_their_arguments() {
    let code = r#"
        // say!("in-a-comment", x)
        let a = say!("names-unknown", name, n = f(1, ','), last = format!("a, {b}"));
        let b = say!(
            "names-unknown.help",
            near,
        );
    "#;
    let found = calls("file.rs", code);
    let told: Vec<String> = found
        .iter()
        .map(|call| format!("{} {} {:?}", call.place, call.id, call.arguments))
        .collect();
    insta::assert_debug_snapshot!(told, @r#"
    [
        "file.rs:3 names-unknown {\"last\", \"n\", \"name\"}",
        "file.rs:4 names-unknown.help {\"near\"}",
    ]
    "#);
}
