//! The pages that show the program: every command in their console blocks is run and prints what stands below it, every
//! table is checked, every picture is drawn anew by the command that stands above it as a comment.
//!
//! A page is run in an empty folder of its own, in which `scenarios` is the project's. A comment `<!-- file: NAME -->`
//! above a block writes it to a file; `<!-- fragment -->` says that a table is none, or is meant to be refused. In what
//! is printed a line `...` stands for any lines, `[..]` for any text in a line.

use std::path::{Path, PathBuf};
use std::process::Command;

use situ_engine::model::{Clock, ClockKind};

use crate::tables::{entries, root, scenario_folders};

/// A page with the folder in which its commands are run.
struct Page {
    path: PathBuf,
    text: String,
    folder: tempfile::TempDir,
}

/// Part of a page, in its order.
#[derive(Debug)]
enum Part {
    /// Writes a file, which is checked if it is a table.
    File(String, String, bool),
    /// A command and what it prints, line by line.
    Command(String, Vec<String>),
    /// The arguments of a command that draws the picture named last.
    Picture(String),
}

/// The front page, the manual, and the pages of the scenarios.
fn pages() -> Vec<PathBuf> {
    let front = ["README.md", "README.ru.md", "scenarios/README.md"];
    let mut pages: Vec<PathBuf> = front.map(|page| root().join(page)).into();
    let folders = scenario_folders().into_iter();
    pages.extend(folders.map(|folder| folder.join("README.md")));
    for path in entries(&root().join("docs/src")) {
        let inside = if path.is_dir() {
            entries(&path)
        } else {
            vec![path]
        };
        pages.extend(
            inside
                .into_iter()
                .filter(|path| path.extension().is_some_and(|end| end == "md")),
        );
    }
    pages
}

impl Page {
    fn read(path: PathBuf) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(root().join("scenarios"), folder.path().join("scenarios"))
            .unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        Self { path, text, folder }
    }

    fn parts(&self) -> Vec<Part> {
        let comment = |line: &str, start: &str| {
            let rest = line.strip_prefix("<!-- ")?.strip_prefix(start)?;
            rest.strip_suffix(" -->").map(str::to_owned)
        };
        let mut parts = Vec::new();
        let (mut name, mut whole) = (None, true);
        let mut lines = self.text.lines();
        while let Some(line) = lines.next() {
            name = comment(line, "file: ").or(name);
            whole &= comment(line, "fragment").is_none();
            parts.extend(comment(line, "situ run ").map(Part::Picture));
            let Some(kind) = line.strip_prefix("```") else {
                continue;
            };
            let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            let text = || block.join("\n") + "\n";
            match (name.take(), kind) {
                (Some(name), _) => parts.push(Part::File(name, text(), whole)),
                (None, "ron") if whole => {
                    parts.push(Part::File("unnamed.ron".to_owned(), text(), true))
                }
                (None, "console") => parts.extend(commands(&block)),
                _ => {}
            }
            whole = true;
        }
        parts
    }

    /// The locale in which the commands of a page are run: `first-hour.ru.md` is in Russian.
    fn locale(&self) -> &'static str {
        match self
            .path
            .to_str()
            .is_some_and(|path| path.ends_with(".ru.md"))
        {
            true => "ru_RU.UTF-8",
            false => "C",
        }
    }

    /// Runs the program in the page's folder: whether it went well, and what it printed.
    fn run(&self, words: &[String]) -> (bool, String) {
        let said = Command::new(env!("CARGO_BIN_EXE_situ-for-tests"))
            .args(words)
            .env("NO_COLOR", "1")
            .env("COLUMNS", "80")
            .env("LC_ALL", self.locale())
            .current_dir(self.folder.path())
            .output()
            .unwrap();
        let printed = [said.stdout, said.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        (said.status.success(), printed.concat())
    }

    /// Does a part: what is wrong with it.
    fn check(&self, part: Part) -> Result<(), String> {
        match part {
            Part::File(name, text, whole) => {
                let path = self.folder.path().join(&name);
                std::fs::write(&path, text).unwrap();
                if whole && name.ends_with(".ron") {
                    let (passed, printed) = self.run(&["check".to_owned(), name]);
                    return if passed { Ok(()) } else { Err(printed) };
                }
                Ok(())
            }
            Part::Command(command, output) => {
                let words = words(&command);
                assert_eq!(words[0], "situ", "{command}");
                let (_, printed) = self.run(&words[1..]);
                let lines: Vec<&str> = printed.lines().collect();
                if matches(&output, &lines) {
                    return Ok(());
                }
                Err(format!("{command} prints\n{printed}"))
            }
            Part::Picture(command) => self.check_picture(&command),
        }
    }

    /// Pictures stand where the page says, or, for those of scenarios, where the project's root says.
    fn check_picture(&self, command: &str) -> Result<(), String> {
        let mut words = words(command);
        let picture = words.pop().unwrap();
        let drawn = self.folder.path().join("picture.svg");
        words.insert(0, "run".to_owned());
        words.push("picture.svg".to_owned());
        let (passed, printed) = self.run(&words);
        if !passed {
            return Err(printed);
        }
        let beside = self.path.parent().unwrap().join(&picture);
        let shown = if beside.exists() {
            beside
        } else {
            root().join(&picture)
        };
        if std::fs::read(&drawn).unwrap() != std::fs::read(&shown).unwrap() {
            return Err(format!(
                "{} is not as `situ run {command}` draws it",
                shown.display()
            ));
        }
        if !self.text.contains(&format!("{picture})")) {
            return Err(format!("{picture} is not shown"));
        }
        Ok(())
    }
}

/// The commands of a console block.
fn commands(block: &[&str]) -> Vec<Part> {
    let mut found = Vec::new();
    for line in block {
        match (line.strip_prefix("$ "), found.last_mut()) {
            (Some(command), _) => found.push(Part::Command(command.to_owned(), Vec::new())),
            (None, Some(Part::Command(_, output))) => output.push((*line).to_owned()),
            (None, _) => panic!("output without a command: {line}"),
        }
    }
    found
}

/// The words of a command; quotes hold words together.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for c in command.chars() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, ' ') => words.push(String::new()),
            _ => words.last_mut().unwrap().push(c),
        }
    }
    words
}

/// True if a line is as expected, `[..]` standing for any text.
fn is_like(expected: &str, line: &str) -> bool {
    match expected.split_once("[..]") {
        None => expected == line,
        Some((start, rest)) => line.strip_prefix(start).is_some_and(|line| {
            let ends = line.char_indices().map(|(at, _)| at).chain([line.len()]);
            ends.into_iter().any(|at| is_like(rest, &line[at..]))
        }),
    }
}

/// True if the lines are as expected, `...` standing for any number of them.
fn matches(expected: &[String], found: &[&str]) -> bool {
    match expected.split_first() {
        None => found.is_empty(),
        Some((line, rest)) if line == "..." => {
            (0..=found.len()).any(|skipped| matches(rest, &found[skipped..]))
        }
        Some((line, rest)) => found
            .split_first()
            .is_some_and(|(first, found)| is_like(line, first.trim_end()) && matches(rest, found)),
    }
}

#[test]
fn a_scenario_is_told_in_ten_to_thirty_lines() {
    for folder in scenario_folders() {
        let text = std::fs::read_to_string(folder.join("README.md")).unwrap();
        let lines = text.lines().count();
        assert!((10..=30).contains(&lines), "{}: {lines}", folder.display());
    }
}

#[test]
fn pages_show_what_the_program_prints() {
    let (mut n_commands, mut n_pictures) = (0, 0);
    let mut wrong = Vec::new();
    for path in pages() {
        let page = Page::read(path);
        for part in page.parts() {
            n_commands += usize::from(matches!(part, Part::Command(..)));
            n_pictures += usize::from(matches!(part, Part::Picture(_)));
            if let Err(why) = page.check(part) {
                wrong.push(format!("{}: {why}", page.path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(
        n_commands >= 170 && n_pictures >= 15,
        "{n_commands} commands, {n_pictures} pictures"
    );
}

/// Every chapter is in the table of contents, and every link of a page leads to a file.
#[test]
fn links_lead_somewhere() {
    let contents = std::fs::read_to_string(root().join("docs/src/SUMMARY.md")).unwrap();
    for path in pages() {
        let text = std::fs::read_to_string(&path).unwrap();
        let folder: &Path = path.parent().unwrap();
        if let Ok(chapter) = path.strip_prefix(root().join("docs/src")) {
            let name = chapter.to_str().unwrap();
            assert!(
                name == "SUMMARY.md" || contents.contains(&format!("({name})")),
                "{name}"
            );
        }
        for link in text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
        {
            let file = link.split('#').next().unwrap();
            let elsewhere = file.is_empty() || file.contains("://");
            assert!(
                elsewhere || folder.join(file).exists(),
                "{}: {link}",
                path.display()
            );
        }
    }
}

/// The front page's example of the library is that of the crate, which runs as a test of its own.
#[test]
fn the_library_is_shown_by_an_example_that_runs() {
    let read = |path: &str| std::fs::read_to_string(root().join(path)).unwrap();
    let examples = ["README.md", "README.ru.md"].map(|path| {
        let page = read(path);
        let (_, example) = page.split_once("```rust\n").unwrap();
        example.split_once("```").unwrap().0.to_owned()
    });
    let [example, russian] = &examples;
    assert_eq!(example, russian);
    let source = read("engine/core/src/lib.rs");
    let documentation = source.lines().filter_map(|line| line.strip_prefix("//!"));
    let shown: Vec<&str> = documentation
        .map(|line| line.strip_prefix(' ').unwrap_or(line))
        .collect();
    assert!(shown.join("\n").contains(example.trim_end()), "{example}");
}

/// The table of settings in the chapter on the clock, made from the engine's.
#[test]
fn the_manual_lists_the_settings_of_the_clock() {
    let page = root().join("docs/src/language/clock.md");
    let page = std::fs::read_to_string(page).unwrap();
    let rows = page.lines().filter(|line| line.starts_with("| [`"));
    let rows: Vec<&str> = rows.filter(|row| !row.starts_with("| [`start`]")).collect();
    let code = |text: &str| format!("`{text}`");
    for (setting, row) in Clock::SETTINGS.iter().zip(&rows) {
        let name = setting.name;
        let words = setting.kind.words();
        let value = match setting.kind {
            ClockKind::Positive | ClockKind::Count => "above 0".to_owned(),
            ClockKind::NotNegative => "0 or above".to_owned(),
            ClockKind::Word(_) if words.len() > 3 => "a name".to_owned(),
            ClockKind::Word(_) => {
                let words: Vec<String> = words.iter().map(|(word, _)| code(word)).collect();
                words.join(", ")
            }
            ClockKind::Expression => "expression in quotes".to_owned(),
            ClockKind::Condition => "condition in quotes".to_owned(),
        };
        let is_word = words.iter().any(|(word, _)| *word == setting.default);
        let default = match is_word {
            true => code(setting.default),
            false => setting.default.to_owned(),
        };
        let option = match name {
            "stepping" => "`--ticks`, `--events`".to_owned(),
            "stop_when" => "`--until`".to_owned(),
            _ => format!("`--{}`", name.replace('_', "-")),
        };
        let prompt = match name {
            "step" => "`set step`, `set dt`".to_owned(),
            "every" => String::new(),
            _ => format!("`set {name}`"),
        };
        let cells = format!("| {value} | {default} | {option} | {prompt} |").replace("|  |", "| |");
        assert!(
            row.starts_with(&format!("| [`{name}`](#")) && row.ends_with(&cells),
            "the row of `{name}` is to end with\n{cells}\nnot\n{row}"
        );
    }
    assert_eq!(rows.len(), Clock::SETTINGS.len());
}
