//! Values that are given to the names of a part.

use super::{EditError, Found, spliced};
use crate::parse::ron::{Kind, Value};
use crate::source::{SourceMap, Span};

/// Gives a name of a part another value, in the `set` of entry number `index` of `parts`.
///
/// ```
/// let text = "(\n    parts: {\"left\": (file: \"tank.ron\", set: {\"A\": 2})},\n)";
/// let text = situ_rules::edit::set_of_part(text, 0, "A", "3").unwrap();
/// let text = situ_rules::edit::set_of_part(&text, 0, "c", "0.5").unwrap();
/// assert!(text.contains("set: {\"A\": 3, \"c\": 0.5}"), "{text}");
/// ```
///
/// # Errors
///
/// [`EditError`].
pub fn set_of_part(text: &str, index: usize, name: &str, value: &str) -> Result<String, EditError> {
    let (group, _) = Found::in_table(text, "parts")?
        .field
        .ok_or(EditError::NoEntry)?;
    let mut sources = SourceMap::default();
    let id = sources.add("", text);
    let span = Span::new(id, group.0, group.1);
    let part = Value::at(&sources, span).entries().nth(index);
    let (_, part) = part.ok_or(EditError::NoEntry)?;
    if part.kind() != Kind::Struct {
        return Err(EditError::NoEntry);
    }
    let entry = format!("{}: {value}", crate::print::string(name));
    let set = part
        .entries()
        .find(|(key, _)| key.is_some_and(|key| key.written() == "set"));
    let Some((_, set)) = set else {
        let last = part.entries().last().ok_or(EditError::NoEntry)?;
        let at = last.1.span().end as usize;
        return Ok(spliced(text, (at, at), &format!(", set: {{{entry}}}")));
    };
    let is_name = |key: Value<'_>| key.string().is_some_and(|(key, _)| key == name);
    let known = set.entries().find(|(key, _)| key.is_some_and(is_name));
    if let Some((_, old)) = known {
        let place = old.span();
        return Ok(spliced(
            text,
            (place.start as usize, place.end as usize),
            value,
        ));
    }
    match set.entries().last() {
        Some((_, last)) => {
            let at = last.span().end as usize;
            Ok(spliced(text, (at, at), &format!(", {entry}")))
        }
        None => {
            let place = set.span();
            let place = (place.start as usize, place.end as usize);
            Ok(spliced(text, place, &format!("{{{entry}}}")))
        }
    }
}
