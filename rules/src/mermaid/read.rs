//! The text of a Mermaid state diagram becomes [`Diagram`]s.

use situ_words::{phrase, say};

use super::Diagram;

fn unescaped(text: &str) -> String {
    let named = [
        ("lt", '<'),
        ("gt", '>'),
        ("amp", '&'),
        ("quot", '"'),
        ("semi", ';'),
        ("colon", ':'),
    ];
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('#') {
        plain.push_str(&rest[..at]);
        let behind = &rest[at + 1..];
        let entity = behind.find(';').filter(|end| *end <= 7).and_then(|end| {
            let name = &behind[..end];
            let by_name = named.iter().find(|(known, _)| *known == name);
            let by_number = || name.parse().ok().and_then(char::from_u32);
            let found = by_name.map(|(_, c)| *c).or_else(by_number)?;
            Some((found, end))
        });
        match entity {
            Some((found, end)) => {
                plain.push(found);
                rest = &behind[end + 1..];
            }
            None => {
                plain.push('#');
                rest = behind;
            }
        }
    }
    plain.push_str(rest);
    plain
}

/// Reads a Mermaid state diagram.
///
/// # Errors
///
/// The number of the line that cannot be read, from 1, and why.
pub fn read(text: &str) -> Result<Vec<Diagram>, (usize, String)> {
    let mut reader = DiagramReader::default();
    let mut begun = false;
    let mut front = None;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        let line = line.trim();
        if line == "---" && !begun {
            front = if front.is_none() { Some(()) } else { None };
            if front.is_none() {
                begun = false;
            }
            continue;
        }
        if front.is_some() {
            if let Some(title) = line.strip_prefix("title:") {
                reader.outer.diagram.name = title.trim().trim_matches('"').to_owned();
            }
            continue;
        }
        if line.is_empty() || line.starts_with("%%") || line.starts_with("```") {
            continue;
        }
        if !begun {
            if !matches!(line, "stateDiagram" | "stateDiagram-v2") {
                let why = phrase!("diagram-read.state-diagram-begins");
                return Err((number, why.into()));
            }
            begun = true;
            continue;
        }
        reader.number = number;
        reader.line(line).map_err(|why| (number, why))?;
    }
    if !begun {
        return Err((1, say!("diagram-read.state-diagram-begins")));
    }
    if !reader.open.is_empty() {
        let last = text.lines().count();
        return Err((last, say!("diagram-read.lb-not-closed")));
    }
    let outer = &reader.outer.names;
    let is_state = |key: &String| outer.iter().any(|(known, _)| known == key);
    if let Some((number, key)) = reader.composite.iter().find(|(_, key)| is_state(key)) {
        return Err((*number, say!("diagram-state.composite-entered", key)));
    }
    let mut all = reader.closed;
    if !reader.outer.diagram.states.is_empty() {
        all.push(reader.outer.diagram);
    }
    Ok(all)
}

#[derive(Default)]
struct DiagramReader {
    outer: Open,
    /// Composite states that are open, the outer one first.
    open: Vec<Open>,
    closed: Vec<Diagram>,
    /// Lines at which composite states begin, with their keys.
    composite: Vec<(usize, String)>,
    /// The present line, from 1.
    number: usize,
    in_note: bool,
}

/// A diagram that is read.
#[derive(Default)]
struct Open {
    diagram: Diagram,
    /// Keys of states, and their names.
    names: Vec<(String, String)>,
}

impl Open {
    /// The name of a state, which is added if it is new.
    fn state(&mut self, key: &str) -> Result<String, String> {
        let plain = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        if key.is_empty() || !key.chars().all(plain) {
            return Err(say!("diagram-state.no-name-state", key));
        }
        if let Some((_, name)) = self.names.iter().find(|(known, _)| known == key) {
            return Ok(name.clone());
        }
        self.declare(key, key);
        Ok(key.to_owned())
    }

    fn declare(&mut self, key: &str, name: &str) {
        match self.names.iter().position(|(known, _)| known == key) {
            Some(at) => {
                let old = std::mem::replace(&mut self.names[at].1, name.to_owned());
                let renamed = |text: &mut String| {
                    if *text == old {
                        name.clone_into(text);
                    }
                };
                let diagram = &mut self.diagram;
                diagram
                    .states
                    .iter_mut()
                    .for_each(|(known, _)| renamed(known));
                for (from, to, _) in &mut diagram.transitions {
                    renamed(from);
                    renamed(to);
                }
                diagram.start.iter_mut().for_each(renamed);
            }
            None => {
                self.names.push((key.to_owned(), name.to_owned()));
                self.diagram.states.push((name.to_owned(), Vec::new()));
            }
        }
    }
}

impl DiagramReader {
    fn current(&mut self) -> &mut Open {
        self.open.last_mut().unwrap_or(&mut self.outer)
    }

    fn line(&mut self, line: &str) -> Result<(), String> {
        if self.in_note {
            self.in_note = line != "end note";
            return Ok(());
        }
        let line = line
            .strip_suffix(';')
            .filter(|_| !ends_in_entity(line))
            .unwrap_or(line);
        let line = without_class(line);
        let line = line.trim();
        let word = line.split_whitespace().next().unwrap_or_default();
        match word {
            "direction" | "classDef" | "class" | "hide" | "scale" => return Ok(()),
            "note" => {
                self.in_note = !line.contains(':');
                return Ok(());
            }
            "}" => {
                let open = self
                    .open
                    .pop()
                    .ok_or(phrase!("diagram-line.rb-without-lb"))?;
                self.closed.push(open.diagram);
                return Ok(());
            }
            "state" => return self.state(line["state".len()..].trim()),
            "--" => {
                return Err(say!("diagram-line.concurrent-regions-several"));
            }
            _ => {}
        }
        if let Some((from, rest)) = line.split_once("-->") {
            let (to, label) = match rest.split_once(':') {
                Some((to, label)) => (to.trim(), unescaped(label.trim())),
                None => (rest.trim(), String::new()),
            };
            return self.transition(from.trim(), to, label);
        }
        let open = self.current();
        match line.split_once(':') {
            Some((key, row)) => {
                let name = open.state(key.trim())?;
                let states = open.diagram.states.iter_mut();
                for (known, rows) in states {
                    if *known == name {
                        rows.push(unescaped(row.trim()));
                    }
                }
                Ok(())
            }
            None => open.state(line).map(|_| ()),
        }
    }

    /// `"name" as key`, `key`, or one of them before `{`.
    fn state(&mut self, text: &str) -> Result<(), String> {
        let (text, composite) = match text.strip_suffix('{') {
            Some(text) => (text.trim(), true),
            None => (text, false),
        };
        if text.contains("<<") {
            return Err(say!("diagram-state.forks-joins-choices"));
        }
        let (name, key) = match text.split_once(" as ") {
            Some((name, key)) => (unescaped(name.trim().trim_matches('"')), key.trim()),
            None => (unescaped(text.trim_matches('"')), text.trim_matches('"')),
        };
        if composite {
            if !self.open.is_empty() {
                return Err(say!("diagram-state.states-inside-states"));
            }
            self.composite.push((self.number, key.to_owned()));
            let mut open = Open::default();
            open.diagram.name = name;
            self.open.push(open);
            return Ok(());
        }
        self.current().declare(key, &name);
        Ok(())
    }

    fn transition(&mut self, from: &str, to: &str, label: String) -> Result<(), String> {
        let open = self.current();
        match (from, to) {
            ("[*]", "[*]") => Err(say!("diagram-transition.machine-state-begin")),
            ("[*]", _) if !label.is_empty() => {
                Err(say!("diagram-transition.start-is-unconditional"))
            }
            ("[*]", to) => {
                let name = open.state(to)?;
                match &open.diagram.start {
                    Some(first) if *first != name => {
                        Err(say!("diagram-transition.machine-begins-already", first))
                    }
                    _ => {
                        open.diagram.start = Some(name);
                        Ok(())
                    }
                }
            }
            (_, "[*]") => Err(say!("diagram-transition.machine-no-end").to_owned()),
            (from, to) => {
                if label.is_empty() {
                    return Err(say!("diagram-transition.transition-no-condition", from, to));
                }
                let (from, to) = (open.state(from)?, open.state(to)?);
                open.diagram.transitions.push((from, to, label));
                Ok(())
            }
        }
    }
}

/// The line without the classes of its states, `open:::big`, which say how they are drawn.
fn without_class(line: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let mut parts = line.split(":::");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |line, part| line + part.trim_start_matches(is_word))
}

/// True if the text ends in `#59;`.
fn ends_in_entity(text: &str) -> bool {
    let body = text.strip_suffix(';').unwrap_or(text);
    body.rfind('#').is_some_and(|at| {
        let inside = &body[at + 1..];
        !inside.is_empty() && inside.len() <= 7 && inside.chars().all(|c| c.is_ascii_alphanumeric())
    })
}
