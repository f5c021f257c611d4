//! The order of modules: which file of a crate may use which. Read off the paths in the sources; tests are
//! not looked at.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::house::tidy::{sources, text};
use crate::tables::root;

/// The modules of the engine, the lowest first: each uses only those before it. ARCHITECTURE.md has the reasons.
const ENGINE: &[&str] = &[
    "bits",
    "graph",
    "ids",
    "times",
    "tape",
    "backend",
    "procedure",
    "model",
    "lower",
    "trace",
    "sim",
];

/// Folders in or below which some files use each other in a circle; no other folder may. An entry that is no
/// longer true should go.
const CIRCLES: &[&str] = &["engine/core/src/sim/events"];

/// Crates with modules that are looked at.
const CRATES: &[&str] = &[
    "words",
    "engine/solve",
    "engine/core",
    "engine/jit",
    "engine/sweep",
    "engine/explain",
    "rules",
    "views",
    "console",
    "page",
    "repl",
];

/// A module by the names on its path from the root of the crate.
type Module = Vec<String>;

/// Each module of a crate with those that its file names.
type Uses = BTreeMap<Module, BTreeSet<Module>>;

/// The code of a file without its comments and its tests.
fn code(path: &Path) -> String {
    let text = text(path);
    let code = text.split("#[cfg(test)]\nmod tests {").next();
    let lines = code.unwrap_or_default().lines();
    let lines = lines.map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// The modules that are compiled for tests only: files named in a line after `#[cfg(test)]`.
fn is_for_tests(path: &Path, folder: &Path) -> bool {
    let mut at = path;
    while at != folder {
        let name = at.file_stem().unwrap().to_str().unwrap();
        let parent = at.parent().unwrap();
        let beside = parent.with_extension("rs");
        for file in [parent.join("mod.rs"), parent.join("lib.rs"), beside] {
            if file.exists() && text(&file).contains(&format!("#[cfg(test)]\nmod {name};")) {
                return true;
            }
        }
        at = parent;
    }
    false
}

/// What follows a path in the code: the names up to the end of the path, for each branch of a `{..}`.
/// Result: the rest of the code.
fn names<'c>(mut code: &'c str, path: &mut Module, found: &mut Vec<Module>) -> &'c str {
    code = code.trim_start();
    if let Some(mut branches) = code.strip_prefix('{') {
        loop {
            branches = branches.trim_start();
            if let Some(rest) = branches.strip_prefix('}') {
                return rest;
            }
            let rest = names(branches, path, found).trim_start();
            let end = rest.find([',', '}']).unwrap_or(rest.len());
            branches = rest[end..].strip_prefix(',').unwrap_or(&rest[end..]);
            if branches.is_empty() {
                return branches;
            }
        }
    }
    let end = code
        .find(|c: char| !c.is_alphanumeric() && c != '_')
        .unwrap_or(code.len());
    let (name, rest) = code.split_at(end);
    path.push(name.to_owned());
    let rest = match rest.strip_prefix("::") {
        Some(more) => names(more, path, found),
        None => {
            found.push(path.clone());
            rest
        }
    };
    path.pop();
    rest
}

/// The paths that a file of a module names, from the root of the crate.
fn paths(code: &str, module: &Module) -> Vec<Module> {
    let mut found = Vec::new();
    for head in ["crate::", "self::", "super::"] {
        for (at, _) in code.match_indices(head) {
            let inside = |c: char| c.is_alphanumeric() || c == '_' || c == ':' || c == '$';
            if code[..at].ends_with(inside) {
                continue;
            }
            let mut base = match head {
                "crate::" => Module::new(),
                "self::" => module.clone(),
                _ => module[..module.len().saturating_sub(1)].to_vec(),
            };
            let mut rest = &code[at + head.len()..];
            while let Some(higher) = rest.strip_prefix("super::") {
                base.pop();
                rest = higher;
            }
            names(rest, &mut base, &mut found);
        }
    }
    found
}

fn uses(folder: &str) -> Uses {
    let source = root().join(folder).join("src");
    let mut files = BTreeMap::new();
    for path in sources(folder) {
        if is_for_tests(&path, &source) {
            continue;
        }
        let place = path.strip_prefix(&source).unwrap().with_extension("");
        let mut module: Module = place
            .iter()
            .map(|name| name.to_str().unwrap().to_owned())
            .collect();
        if matches!(
            module.last().map(String::as_str),
            Some("mod" | "lib" | "main")
        ) {
            module.pop();
        }
        files.insert(module, code(&path));
    }
    let known: BTreeSet<Module> = files.keys().cloned().collect();
    let deepest = |mut path: Module| {
        while !known.contains(&path) {
            path.pop();
        }
        path
    };
    let of = |(module, code): (Module, String)| {
        let named = paths(&code, &module).into_iter().map(deepest);
        let named = named.collect();
        (module, named)
    };
    files.into_iter().map(of).collect()
}

/// What the modules in a folder use of each other, whatever is in them.
fn within(uses: &Uses, folder: &[String]) -> BTreeMap<String, BTreeSet<String>> {
    let child = |module: &Module| {
        let below = module.strip_prefix(folder)?;
        below.first().cloned()
    };
    let mut between: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (module, named) in uses {
        let Some(user) = child(module) else { continue };
        let used = between.entry(user.clone()).or_default();
        used.extend(named.iter().filter_map(child).filter(|name| *name != user));
    }
    between
}

/// The modules that are left when those that use none of the rest are taken away again and again: those in
/// circles, and those above them.
fn tangled(mut between: BTreeMap<String, BTreeSet<String>>) -> BTreeSet<String> {
    loop {
        let free = between.iter().find(|(_, used)| used.is_empty());
        let Some(free) = free.map(|(name, _)| name.clone()) else {
            return between.into_keys().collect();
        };
        between.remove(&free);
        for used in between.values_mut() {
            used.remove(&free);
        }
    }
}

#[test]
fn modules_of_the_engine_use_only_those_before_them() {
    let between = within(&uses("engine/core"), &[]);
    let place = |name: &String| ENGINE.iter().position(|module| module == name);
    for (user, used) in &between {
        let at = place(user).unwrap_or_else(|| panic!("{user} has no place in the order"));
        for name in used {
            assert!(place(name) < Some(at), "{user} uses {name}");
        }
    }
    assert_eq!(between.len(), ENGINE.len(), "the order names what is gone");
}

#[test]
fn files_of_a_folder_use_each_other_in_one_direction() {
    for folder in CRATES {
        let uses = uses(folder);
        let folders: BTreeSet<&[String]> = uses
            .keys()
            .flat_map(|module| (0..module.len()).map(|depth| &module[..depth]))
            .collect();
        for inner in folders {
            let mut path = PathBuf::from(folder).join("src");
            path.extend(inner);
            if CIRCLES.iter().any(|known| path.starts_with(known)) {
                continue;
            }
            let left = tangled(within(&uses, inner));
            assert!(
                left.is_empty(),
                "circle in {}, among {left:?}",
                path.display()
            );
        }
    }
}
