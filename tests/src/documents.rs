//! The console blocks of the scenarios' documents: every command in them is run in the root of the
//! repository, and prints what stands below it. A line `...` stands for any lines.
//!
//! And their pictures: above each stands the command that drew it, as a comment.

use std::path::PathBuf;
use std::process::Command;

use crate::tables::{root, scenario_folders};

/// A command and what it should print.
struct Block {
    document: PathBuf,
    command: String,
    output: Vec<String>,
}

/// The documents that may show commands.
fn documents() -> Vec<PathBuf> {
    let folders = scenario_folders().into_iter();
    let folders = folders.chain([root().join("scenarios")]);
    folders.map(|folder| folder.join("README.md")).collect()
}

fn blocks() -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for document in documents() {
        let text = std::fs::read_to_string(&document).unwrap();
        let mut inside = false;
        for line in text.lines() {
            if line.starts_with("```") {
                inside = line == "```console";
            } else if let Some(command) = line.strip_prefix("$ ").filter(|_| inside) {
                blocks.push(Block {
                    document: document.clone(),
                    command: command.to_owned(),
                    output: Vec::new(),
                });
            } else if let (true, Some(block)) = (inside, blocks.last_mut()) {
                block.output.push(line.to_owned());
            }
        }
    }
    blocks
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

/// Whether the lines are as expected, `...` standing for any number of them.
fn matches(expected: &[String], found: &[&str]) -> bool {
    match expected.split_first() {
        None => found.is_empty(),
        Some((line, rest)) if line == "..." => {
            (0..=found.len()).any(|skipped| matches(rest, &found[skipped..]))
        }
        Some((line, rest)) => found
            .split_first()
            .is_some_and(|(first, found)| first.trim_end() == line && matches(rest, found)),
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
fn documents_show_what_the_program_prints() {
    let blocks = blocks();
    assert!(blocks.len() >= 9, "{} commands", blocks.len());
    for Block {
        document,
        command,
        output,
    } in blocks
    {
        let document = document.display();
        let words = words(&command);
        assert_eq!(words[0], "situ", "{document}: {command}");
        let said = Command::new(env!("CARGO_BIN_EXE_situ-for-tests"))
            .args(&words[1..])
            .env("NO_COLOR", "1")
            .env("COLUMNS", "80")
            .current_dir(root())
            .output()
            .unwrap();
        let printed = [said.stdout, said.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        let lines: Vec<&str> = printed.iter().flat_map(|text| text.lines()).collect();
        assert!(
            matches(&output, &lines),
            "{document}: {command} prints\n{}",
            printed.concat()
        );
    }
}

/// The front page's example of the library is that of the crate, which runs as a test of its own.
#[test]
fn the_library_is_shown_by_an_example_that_runs() {
    let read = |path: &str| std::fs::read_to_string(root().join(path)).unwrap();
    let page = read("README.md");
    let (_, example) = page.split_once("```rust\n").unwrap();
    let (example, _) = example.split_once("```").unwrap();
    let source = read("engine/core/src/lib.rs");
    let documentation = source.lines().filter_map(|line| line.strip_prefix("//!"));
    let shown: Vec<&str> = documentation
        .map(|line| line.strip_prefix(' ').unwrap_or(line))
        .collect();
    assert!(shown.join("\n").contains(example.trim_end()), "{example}");
}

#[test]
fn pictures_are_what_the_program_draws() {
    let drawn = tempfile::tempdir().unwrap();
    let mut n_pictures = 0;
    for document in documents().into_iter().chain([root().join("README.md")]) {
        let page = std::fs::read_to_string(&document).unwrap();
        let commands = page.lines().filter_map(|line| {
            let command = line.strip_prefix("<!-- situ run ")?;
            command.strip_suffix(" -->")
        });
        for command in commands {
            let mut words = words(command);
            let picture = words.pop().unwrap();
            let file = drawn.path().join("picture.svg");
            let status = Command::new(env!("CARGO_BIN_EXE_situ-for-tests"))
                .arg("run")
                .args(words)
                .arg(&file)
                .current_dir(root())
                .status()
                .unwrap();
            assert!(status.success(), "{command}");
            let [found, shown] =
                [file, root().join(&picture)].map(|file| std::fs::read(file).unwrap());
            assert!(found == shown, "not as drawn by `situ run {command}`");
            assert!(page.contains(&format!("{picture})")), "{picture} is shown");
            n_pictures += 1;
        }
    }
    assert_eq!(n_pictures, 4);
}
