//! Every example of every command, on copies of the scenarios.

use std::path::Path;

use super::list::LIST;
use super::Console;

/// A session in a folder of its own that has the scenarios.
pub(super) fn session() -> (tempfile::TempDir, Console) {
    let folder = tempfile::tempdir().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("scenarios");
    copy(&root, &folder.path().join("scenarios"));
    let console = Console {
        directory: folder.path().to_owned(),
        ..Console::default()
    };
    (folder, console)
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else if path.extension().is_some_and(|end| end == "ron") {
            std::fs::copy(&path, &target).unwrap();
        }
    }
}

#[test]
fn every_example_shows_what_it_says() {
    let mut wrong = Vec::new();
    for command in LIST {
        assert!(!command.examples.is_empty(), "`{}` has no example", command.name);
        for example in command.examples {
            let (_folder, mut console) = session();
            for line in example.given {
                let reply = console.execute(line, &mut ());
                assert!(!reply.failed, "{}: {line}\n{}", command.name, reply.text);
            }
            let reply = console.execute(example.line, &mut ());
            if reply.failed || !reply.text.contains(example.shows) {
                wrong.push(format!("{}: {}\n{}", command.name, example.line, reply.text));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
