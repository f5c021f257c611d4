//! The catalogue: files of entries, an area each, become texts.
//!
//! The area of an entry is its name up to the first hyphen, and is the name of its file, so that a text costs the
//! reading of its own file only, once.

use std::sync::OnceLock;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue};
use unic_langid::LanguageIdentifier;

use crate::language::Language;

type Bundle = FluentBundle<FluentResource>;

/// The files of an area in the order of [`Language::ALL`], and what they are read into.
struct Area {
    name: &'static str,
    texts: [&'static [&'static str]; 2],
    bundles: [OnceLock<Bundle>; 2],
}

/// Declares the areas: their name, which all of their entries begin with, and their files.
macro_rules! areas {
    ($($name:literal: [$($file:literal),*],)*) => {
        static AREAS: [Area; [$($name),*].len()] = [$(Area {
            name: $name,
            texts: [
                &[$(include_str!(concat!("../en/", $file, ".ftl"))),*],
                &[$(include_str!(concat!("../ru/", $file, ".ftl"))),*],
            ],
            bundles: [const { OnceLock::new() }; 2],
        }),*];
    };
}

areas! {
    "base": ["base"],
    "call": ["call"],
    "check": ["check"],
    "cli": ["cli"],
    "clock": ["clock"],
    "code": ["code/lines", "code/names", "code/models", "code/runs"],
    "columns": ["columns"],
    "command": ["command"],
    "compare": ["compare"],
    "console": ["console/replies", "console/words"],
    "converge": ["converge"],
    "coverage": ["coverage"],
    "diagram": ["diagram"],
    "edit": ["edit"],
    "encoding": ["encoding"],
    "equation": ["equation"],
    "family": ["family"],
    "finding": ["finding"],
    "foreign": ["foreign"],
    "html": ["html"],
    "lab": ["lab"],
    "listing": ["listing"],
    "log": ["log"],
    "lookup": ["lookup"],
    "machine": ["machine"],
    "names": ["names"],
    "native": ["native"],
    "page": ["page"],
    "parse": ["parse"],
    "part": ["part"],
    "phrase": ["phrase"],
    "plot": ["plot"],
    "procedure": ["procedure"],
    "profile": ["profile"],
    "refused": ["refused"],
    "report": ["report"],
    "ron": ["ron"],
    "run": ["run"],
    "scene": ["scene"],
    "setting": ["setting"],
    "stage": ["stage"],
    "start": ["start"],
    "state": ["state"],
    "summary": ["summary"],
    "sweep": ["sweep"],
    "unit": ["unit"],
    "usage": ["usage"],
    "value": ["value"],
    "why": ["why"],
    "writer": ["writer"],
}

/// Names of the areas.
pub fn areas() -> impl Iterator<Item = &'static str> {
    AREAS.iter().map(|area| area.name)
}

/// The files of an area in a language, as they stand in the catalogue; none if there is no such area.
pub fn sources(area: &str, language: Language) -> &'static [&'static str] {
    let area = AREAS.iter().find(|known| known.name == area);
    area.map_or(&[], |area| area.texts[language as usize])
}

/// The text of an entry, or of an attribute of it (`entry.attribute`), in the language of the reader.
///
/// It is for names that are put together, such as those of the pages of codes; else [`say!`](crate::say) names an entry.
/// An entry that there is not gives its name.
pub fn text(id: &str, arguments: &[(&'static str, FluentValue<'_>)]) -> String {
    let said = said(id, arguments, Language::present());
    debug_assert!(said.is_some(), "{id} is not in the catalogue");
    said.unwrap_or_else(|| id.to_owned())
}

/// A text whose lines in the catalogue are one paragraph; `None` if it has no such entry.
pub fn prose(id: &str) -> Option<String> {
    Some(said(id, &[], Language::present())?.replace('\n', " "))
}

fn said(
    id: &str,
    arguments: &[(&'static str, FluentValue<'_>)],
    language: Language,
) -> Option<String> {
    let (entry, attribute) = match id.split_once('.') {
        Some((entry, attribute)) => (entry, Some(attribute)),
        None => (id, None),
    };
    let name = entry.split('-').next()?;
    let area = AREAS.iter().find(|area| area.name == name)?;
    let bundle = area.bundles[language as usize].get_or_init(|| read(area, language));
    let message = bundle.get_message(entry)?;
    let pattern = match attribute {
        Some(attribute) => message.get_attribute(attribute)?.value(),
        None => message.value()?,
    };
    let arguments: FluentArgs<'_> = arguments.iter().cloned().collect();
    let mut errors = Vec::new();
    let text = bundle.format_pattern(pattern, Some(&arguments), &mut errors);
    debug_assert!(errors.is_empty(), "{id}: {errors:?}");
    Some(text.into_owned())
}

/// Reads the files of an area. What is wrong in them is left out here and found by the tests.
fn read(area: &Area, language: Language) -> Bundle {
    let locale: LanguageIdentifier = language.code().parse().unwrap_or_default();
    let mut bundle = Bundle::new_concurrent(vec![locale]);
    // Texts go to terminals and into files, where marks of direction would be seen.
    bundle.set_use_isolating(false);
    for &text in area.texts[language as usize] {
        let resource = FluentResource::try_new(text.to_owned());
        let resource = resource.unwrap_or_else(|(resource, errors)| {
            debug_assert!(errors.is_empty(), "{}: {errors:?}", area.name);
            resource
        });
        let added = bundle.add_resource(resource);
        debug_assert!(added.is_ok(), "{}: {added:?}", area.name);
    }
    bundle
}
