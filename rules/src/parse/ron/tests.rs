//! Our cuts of RON against those of the crate.

use std::marker::PhantomData;

use proptest::prelude::*;
use ron::value::RawValue;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};

use situ_words::Language;

use super::*;

/// Keys and values as the crate cuts them.
struct Pairs<'a, K>(Vec<(K, &'a RawValue)>);

struct PairsVisitor<K>(PhantomData<K>);

impl<'de, K: Deserialize<'de>> Visitor<'de> for PairsVisitor<K> {
    type Value = Pairs<'de, K>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("keys and values")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = map.next_entry()? {
            pairs.push(pair);
        }
        Ok(Pairs(pairs))
    }
}

impl<'de> Deserialize<'de> for Pairs<'de, &'de RawValue> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(PairsVisitor(PhantomData))
    }
}

/// The name of a field.
struct Field(String);

impl<'de> Deserialize<'de> for Field {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FieldVisitor;
        impl Visitor<'_> for FieldVisitor {
            type Value = Field;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a field")
            }

            fn visit_str<E>(self, name: &str) -> Result<Field, E> {
                Ok(Field(name.to_owned()))
            }
        }
        deserializer.deserialize_identifier(FieldVisitor)
    }
}

impl<'de> Deserialize<'de> for Pairs<'de, Field> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_struct("S", &[], PairsVisitor(PhantomData))
    }
}

fn gap() -> impl Strategy<Value = String> + Clone {
    const GAPS: &[&str] = &[
        "",
        "",
        "",
        " ",
        "\n\t",
        "// ,]\"\n",
        "/* ( /* ' } */ , */",
        "\u{85} \u{200e}",
    ];
    prop::sample::select(GAPS).prop_map(str::to_owned)
}

fn value() -> impl Strategy<Value = String> {
    const LEAVES: &[&str] = &[
        r#""a""#,
        r#""\" , [(""#,
        r###"r#"a"b]\"#"###,
        r#"r"\""#,
        "'('",
        r"'\''",
        r"'\u{41}'",
        r#"b"x\"]""#,
        "b'['",
        r###"br#"""#"###,
        "1.5",
        "-3",
        "+.5e-3",
        "0x1F",
        "1_000u8",
        "inf",
        "true",
        "word",
        "r#a.b",
        "()",
        "Unit",
        "brick",
        "rest",
        "\"/* no\"",
        "\"// no\"",
        "1..2",
    ];
    let leaf = prop::sample::select(LEAVES).prop_map(str::to_owned);
    leaf.prop_recursive(4, 32, 4, |inner| {
        let items = prop::collection::vec((gap(), inner.clone(), gap()), 0..4);
        let entries =
            prop::collection::vec((gap(), inner.clone(), gap(), inner.clone(), gap()), 0..4);
        let join = |parts: Vec<String>, comma: bool| {
            parts.join(",") + if comma && !parts.is_empty() { "," } else { "" }
        };
        prop_oneof![
            (
                items.clone(),
                any::<bool>(),
                prop::sample::select(vec![("[", "]"), ("(", ")"), ("Name(", ")")])
            )
                .prop_map(move |(items, comma, (open, close))| {
                    let items = items
                        .into_iter()
                        .map(|(before, item, after)| before + &item + &after);
                    format!("{open}{}{close}", join(items.collect(), comma))
                }),
            (entries.clone(), any::<bool>()).prop_map(move |(entries, comma)| {
                let entries = entries
                    .into_iter()
                    .map(|(before, key, between, value, after)| {
                        format!("{before}{key}{between}:{between}{value}{after}")
                    });
                format!("{{{}}}", join(entries.collect(), comma))
            }),
            (
                entries,
                any::<bool>(),
                prop::sample::select(vec!["(", "S (", "S("])
            )
                .prop_map(move |(entries, comma, open)| {
                    let entries = entries.into_iter().enumerate();
                    let entries = entries.map(|(index, (before, _, between, value, after))| {
                        format!("{before}f{index}{between}:{between}{value}{after}")
                    });
                    format!("{open}{})", join(entries.collect(), comma))
                }),
        ]
    })
}

/// Keys, if there are any, and values as they are written.
type Parts = Vec<(Option<String>, String)>;

fn ours(text: &str) -> Option<(Kind, Parts)> {
    let mut sources = SourceMap::default();
    let id = sources.add("text", text);
    let value = check(&sources, id).ok()?;
    let owned = |value: Value<'_>| value.written().to_owned();
    let entries = value
        .entries()
        .map(|(key, value)| (key.map(owned), owned(value)));
    Some((value.kind(), entries.collect()))
}

fn raw(value: &RawValue) -> String {
    value.trim().get_ron().to_owned()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) })]

    #[test]
    fn parts_are_cut_as_the_crate_cuts_them(before in gap(), text in value(), after in gap()) {
        let text = before + &text + &after;
        let Some((kind, entries)) = ours(&text) else {
            // Some of what is made here is no RON, such as a repeated `..`.
            return Ok(());
        };
        match kind {
            Kind::List => {
                let items: Vec<&RawValue> = ron::from_str(&text).expect("a list");
                let items: Vec<_> = items.into_iter().map(|item| (None, raw(item))).collect();
                prop_assert_eq!(entries, items, "{}", text);
            }
            Kind::Map => {
                let Pairs(pairs) = ron::from_str::<Pairs<'_, &RawValue>>(&text).expect("a map");
                let pairs: Vec<_> = pairs.into_iter().map(|(key, value)| (Some(raw(key)), raw(value))).collect();
                prop_assert_eq!(entries, pairs, "{}", text);
            }
            Kind::Struct if text.contains(':') => {
                let Ok(Pairs(pairs)) = ron::from_str::<Pairs<'_, Field>>(&text) else { return Ok(()) };
                let pairs: Vec<_> = pairs.into_iter().map(|(key, value)| (Some(key.0), raw(value))).collect();
                prop_assert_eq!(entries, pairs, "{}", text);
            }
            _ => {}
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) })]

    #[test]
    fn what_the_crate_reads_has_no_mistake(before in gap(), text in value(), after in gap()) {
        let text = before + &text + &after;
        let mut sources = SourceMap::default();
        let id = sources.add("text", &text);
        if check(&sources, id).is_ok() && text.trim_start().starts_with('(') {
            prop_assert_eq!(walk::mistake(&text, id, 0), None, "{}", text);
        }
    }

    #[test]
    fn what_is_no_ron_has_a_report(text in "[\\[\\](){},:\"'#=; a-z0-9.“”\\n-]{0,40}") {
        let mut sources = SourceMap::default();
        let id = sources.add("text", &text);
        if let Err(report) = check(&sources, id) {
            prop_assert!(report.primary.is_some(), "{}", text);
        }
    }
}

#[test]
fn kinds() {
    let kinds = [
        (r#""a""#, Kind::String),
        ("r##\"a\"##", Kind::String),
        ("r#a", Kind::Word),
        ("rest", Kind::Word),
        ("b\"a\"", Kind::Other),
        ("br#\"a\"#", Kind::Other),
        ("b'a'", Kind::Other),
        ("'a'", Kind::Other),
        ("-1", Kind::Number),
        ("NaN", Kind::Number),
        ("false", Kind::Bool),
        ("[]", Kind::List),
        ("{}", Kind::Map),
        ("()", Kind::Struct),
        ("Table(a: 1)", Kind::Struct),
        ("(a)", Kind::Tuple),
        ("Some(\"a:\")", Kind::Tuple),
    ];
    for (text, kind) in kinds {
        assert_eq!(ours(text).map(|(kind, _)| kind), Some(kind), "{text}");
    }
}

#[test]
fn strings_keep_their_place_unless_they_have_escapes() {
    let cases = [
        (r#""a b""#, "a b", Some(1)),
        ("r##\"a\"#\"##", "a\"#", Some(4)),
        ("r\"#\"", "#", Some(2)),
        (r#""a\tb""#, "a\tb", None),
    ];
    for (text, expected, start) in cases {
        let mut sources = SourceMap::default();
        let id = sources.add("text", text);
        let value = check(&sources, id).expect("it is RON");
        assert_eq!(
            value.string(),
            Some((Cow::Borrowed(expected), start)),
            "{text}"
        );
    }
}

/// The table that a slip is made in.
const TABLE: &str = r#"(
    format: 1,
    clock: (step: 0.1, stop: 1, stepping: ticks),
    constants: {"k": 2, "m": (start: 3, unit: "kg")},
    reals: {"x": 1, "y": 2},
    relations: [
        "x = integral(k)",
        "y = m",
    ],
)
"#;

/// The message on a table with a slip, and the table with what it offers.
fn slip(right: &str, wrong: &str) -> (String, String) {
    assert!(TABLE.contains(right), "{right}");
    let text = TABLE.replacen(right, wrong, 1);
    let mut sources = SourceMap::default();
    let id = sources.add("t.ron", &text);
    let report = check(&sources, id).expect_err(&text);
    let mut repaired = text;
    if let Some(edit) = &report.edit {
        let span = edit.span.start as usize..edit.span.end as usize;
        repaired.replace_range(span, &edit.replacement);
    }
    (report.message, repaired)
}

/// A slip of punctuation is told where it is, and what is offered makes the table right.
#[test]
fn slips_of_punctuation_are_mended() {
    for (right, wrong) in [
        // Colons.
        ("step: 0.1", "step 0.1"),
        ("stop: 1", "stop 1"),
        ("format: 1", "format 1"),
        (
            "(step: 0.1, stop: 1, stepping: ticks)",
            "(step: 0.1, stop: 1, stepping ticks)",
        ),
        ("clock: (", "clock ("),
        ("reals: {", "reals {"),
        ("(start: 3", "(start 3"),
        ("unit: \"kg\"", "unit \"kg\""),
        ("step: 0.1", "step=0.1"),
        ("stop: 1", "stop=1"),
        ("step: 0.1", "step; 0.1"),
        ("stop: 1", "stop; 1"),
        ("\"x\": 1", "\"x\"=1"),
        ("\"x\": 1", "\"x\"; 1"),
        ("\"x\": 1", "\"x\", 1"),
        ("step: 0.1", "step, 0.1"),
        ("\"x\": 1", "\"x\":: 1"),
        // Commas.
        ("\"x\": 1,", "\"x\": 1;"),
        ("\"x\": 1, ", "\"x\": 1;"),
        ("step: 0.1,", "step: 0.1;"),
        ("step: 0.1, ", "step: 0.1;"),
        ("format: 1,", "format: 1;"),
        ("(start: 3,", "(start: 3;"),
        ("step: 0.1,", "step: 0.1."),
        ("\"y\": 2},", "\"y\": 2}."),
        ("\"y\": 2},", "\"y\": 2},,"),
        ("\"y\": 2},", "\"y\": 2}.,"),
        // Quotes.
        ("\"y = m\",", "\"y = m,"),
        ("\"y = m\",", "\"y = m\u{201d},"),
        ("\"y = m\",", "\u{201c}y = m\u{201d},"),
        ("\"y = m\",", "\u{ab}y = m\u{bb},"),
        // Signs of other scripts.
        ("\"x\": 1", "\"x\"\u{ff1a}1"),
        ("step: 0.1", "step\u{ff1a}0.1"),
        ("step: 0.1", "step\u{ff1a} 0.1"),
        ("\"x\": 1,", "\"x\": 1\u{ff0c}"),
        ("step: 0.1,", "step: 0.1\u{ff0c}"),
        ("\"x = integral(k)\",", "\"x = integral(k)\"\u{3001}"),
        ("\"x\": 1,", "\"x\": 1\u{37e}"),
        ("clock: (", "clock: \u{ff08}"),
    ] {
        let tight = |text: &str| text.replace([' ', '\n'], "");
        let (message, repaired) = slip(right, wrong);
        assert_eq!(tight(&repaired), tight(TABLE), "{wrong}: {message}");
    }
    for (right, wrong, said) in [
        (
            "clock: (",
            "clock: ",
            "`clock` takes fields, in parentheses `(..)`",
        ),
        (
            "reals: {",
            "reals: ",
            "`reals` takes names and values, in braces `{..}`",
        ),
        (
            "relations: [",
            "relations: ",
            "`relations` takes a list, in brackets `[..]`",
        ),
    ] {
        assert_eq!(slip(right, wrong).0, said, "{wrong}");
    }
}

/// What the crate complains of is said in the language of the reader.
#[test]
fn complaints_of_the_crate_are_translated() {
    for text in [
        "(format: 1__, x: 0b12)",
        "(x: 0xg)",
        "#![enable(foo)] ()",
        "(x: b'a)",
    ] {
        let mut sources = SourceMap::default();
        let id = sources.add("t.ron", text);
        let report = Language::Russian.within(|| check(&sources, id));
        let report = report.expect_err(text);
        let quoted: Vec<&str> = report.message.split('`').step_by(2).collect();
        let words = quoted.concat().replace("RON", "");
        assert!(
            !words.contains(|c: char| c.is_ascii_alphabetic()),
            "{text}: {}",
            report.message
        );
    }
}
