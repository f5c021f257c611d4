//! The text of a table, and another one in its place.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use situ_rules::print::ModelText;

use crate::command::{Command, Example, Group};
use crate::commands::rows::row_text;
use crate::document::Version;
use crate::reply::{CommandError, CommandOutput, Outcome};
use crate::{Console, ProgressSink};
use situ_rules::diag::to_json;
use situ_words::say;

/// The commands of this file, in the order of the help.
pub(in crate::commands) const COMMANDS: &[Command] = &[TABLE, REWRITE];

const TABLE: Command = Command {
    name: "table",
    short: &[],
    group: Group::Model,
    usage: "",
    takes: &[],
    examples: &[Example {
        given: &["load scenarios/hoop/table.ron", "drop 3a"],
        line: "table",
        shows: "name: \"hoop\"",
    }],
    undoable: false,
    repeats: false,
    run: table,
};

fn table(console: &mut Console, _: &str, _: &mut dyn ProgressSink) -> Outcome {
    let version = console.version();
    let text = &version.document.text;
    let mut shown = text.clone();
    if !shown.ends_with('\n') {
        shown.push('\n');
    }
    let data = json!({
        "name": version.model.name,
        "about": version.model.about,
        "file": version.document.path.as_ref().map(|path| path.display().to_string()),
        "text": text,
        "rows": rows(&version),
        "findings": to_json(&version.findings, &version.sources),
    });
    Ok(CommandOutput::new(shown, data))
}

/// The rows with their lists, ids and words; those of the edited text with their places in it [UTF-16 code units, as
/// editors count].
fn rows(version: &Version) -> Vec<Value> {
    let words = ModelText::of(&version.model);
    let all: Vec<_> = version
        .rows()
        .map(|row| {
            let own = version.own_entry(row).and_then(|_| version.row_span(row));
            (row, own)
        })
        .collect();
    let ends = all.iter().filter_map(|(_, own)| *own);
    let places = units(
        &version.document.text,
        ends.flat_map(|span| [span.start as usize, span.end as usize]),
    );
    let place = |byte: u32| places.get(&(byte as usize)).copied();
    let shown = all.into_iter().map(|(row, own)| {
        let (line, note) = row_text(&words, row);
        json!({
            "list": row.list.name(),
            "id": version.row_id(row),
            "line": line,
            "note": note,
            "from": own.and_then(|span| place(span.start)),
            "to": own.and_then(|span| place(span.end)),
        })
    });
    shown.collect()
}

/// The places of some bytes of a text, counted in units of UTF-16.
fn units(text: &str, bytes: impl Iterator<Item = usize>) -> BTreeMap<usize, usize> {
    let mut wanted: BTreeMap<usize, usize> = bytes.map(|byte| (byte, 0)).collect();
    let (mut at, mut n_units) = (0, 0);
    for (byte, units) in &mut wanted {
        n_units += text
            .get(at..*byte)
            .map_or(0, |part| part.encode_utf16().count());
        (at, *units) = (*byte, n_units);
    }
    wanted
}

const REWRITE: Command = Command {
    name: "rewrite",
    short: &[],
    group: Group::Change,
    usage: "\"TEXT\"",
    takes: &[],
    examples: &[Example {
        given: &[],
        line: "rewrite \"(format: 1, name: \\\"decay\\\", reals: {\\\"x\\\": 1}, relations: [\\\"x = integral(-x)\\\"])\"",
        shows: "t = 0, step 0",
    }],
    undoable: true,
    repeats: false,
    run: rewrite,
};

fn rewrite(console: &mut Console, args: &str, progress: &mut dyn ProgressSink) -> Outcome {
    let text: String = serde_json::from_str(args).map_err(|_| {
        CommandError::new(say!("console-rewrite-needs"))
            .with_help(say!("console-rewrite-needs.help"))
    })?;
    let version = console.version();
    if text == version.document.text {
        return Err(CommandError::new(say!("console-same-text")));
    }
    let version = version.edited(text, console.look.style)?;
    console.revise(version, &say!("console-another-text"), progress)
}

impl Console {
    /// Reports on a text as if it stood in the place of the table's: as JSON, in the form of `situ check --format json`.
    /// Nothing is changed.
    pub fn examine(&self, text: &str) -> Value {
        match self.version().edited(text.to_owned(), self.look.style) {
            Ok(version) => to_json(&version.findings, &version.sources),
            Err(trouble) => trouble.diagnostics(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::session;

    #[test]
    fn rows_are_found_where_the_text_has_them() {
        let text = "(format: 1, about: \"Höhe 🎈\", reals: {\"x\": 1}, ranges: [\"low: x < 0.5\"], relations: [\n\"[a] x = integral(-x)\"])";
        let mut console = Console::default();
        let line = format!("rewrite {}", serde_json::to_string(text).unwrap());
        let reply = console.execute(&line, &mut ());
        assert!(!reply.failed, "{}", reply.text);
        let reply = console.execute("table", &mut ());
        let result = &reply.data["result"];
        assert_eq!(result["text"], text);
        let units: Vec<u16> = text.encode_utf16().collect();
        for (row, written) in [(0, "low: x < 0.5"), (1, "[a] x = integral(-x)")] {
            let row = &result["rows"][row];
            let end = |name: &str| usize::try_from(row[name].as_u64().unwrap()).unwrap();
            let found = String::from_utf16(&units[end("from")..end("to")]).unwrap();
            assert!(found.contains(written), "{found}");
        }
    }

    #[test]
    fn a_text_is_examined_without_being_taken() {
        let (_, mut console) = session();
        console.execute("load scenarios/hoop/table.ron", &mut ());
        let text = console.execute("table", &mut ()).data["result"]["text"].clone();
        let text = text.as_str().unwrap();
        assert_eq!(console.examine(text), serde_json::json!([]));
        // What it warns of is no mistake.
        let unset = text.replace("Fel = 0 * def when free_fall", "Fel = 0 * def when braking");
        let found = console.examine(&unset);
        let found = found.as_array().unwrap();
        let is = |one: &Value, severity| one["severity"] == severity;
        assert!(found.iter().any(|one| is(one, "warning")), "{found:?}");
        assert!(!found.iter().any(|one| is(one, "error")), "{found:?}");
        let wrong = console.examine(&text.replace("integral(Ay)", "integral(Az)"));
        assert_eq!(wrong[0]["code"], "N001");
        assert!(wrong[0]["labels"][0]["bytes"].is_array());
        assert_eq!(
            console.execute("table", &mut ()).data["result"]["text"],
            text
        );
    }

    #[test]
    fn another_text_goes_on_from_the_present_state_and_is_undone() {
        let (_, mut console) = session();
        console.execute("load scenarios/hoop/table.ron", &mut ());
        console.execute("run to 0.5", &mut ());
        let before = console.value("h");
        let text = console.execute("table", &mut ()).data["result"]["text"].clone();
        let text = text.as_str().unwrap();
        let other = text.replace("P = -m * g", "P = m * g");
        assert_ne!(text, other);
        let line = format!("rewrite {}", serde_json::to_string(&other).unwrap());
        let reply = console.execute(&line, &mut ());
        assert!(!reply.failed, "{}", reply.text);
        assert_eq!(console.value("h"), before);
        console.execute("run to 0.6", &mut ());
        let risen = console.value("h");
        console.execute("undo 2", &mut ());
        assert_eq!(
            console.execute("table", &mut ()).data["result"]["text"],
            text
        );
        console.execute("run to 0.6", &mut ());
        assert_ne!(console.value("h"), risen);
        assert!(console.execute("rewrite hoop", &mut ()).failed);
    }
}
