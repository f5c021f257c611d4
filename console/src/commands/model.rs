//! The table: loading it, looking at it, its cases.

use std::sync::Arc;

use serde_json::json;
use situ_engine::ids::RealId;
use situ_engine::model::{Argument as RowArgument, Expr, Model};
use situ_rules::Severity;
use situ_rules::diag::to_json;

use super::rows;
use crate::command::{Argument, Command, Example, Group};
use crate::document::{Document, Version};
use crate::history::journey::Goal;
use crate::names::{Named, named};
use crate::reply::{CommandError, CommandOutput, Outcome};
use crate::script::with_hash;
use crate::settings::Choices;
use crate::{Console, ProgressSink};
use situ_rules::print::{self};
use situ_rules::tree::List;
use situ_views::model::graph;
use situ_views::text::listing::{Align, Listing};
use situ_words::say;

const HOOP: &[&str] = &["load scenarios/hoop/table.ron"];

/// The commands of the group, in the order of the help.
pub(super) const COMMANDS: &[Command] = &[
    LOAD,
    RELOAD,
    CHECK,
    rows::RULES,
    rows::VARS,
    rows::SHOW,
    GRAPH,
    CASE,
];

const LOAD: Command = Command {
    name: "load",
    short: &[],
    group: Group::Model,
    usage: "FILE [sha256:HASH]",
    takes: &[Argument::File],
    examples: &[Example {
        given: &[],
        line: "load scenarios/hoop/table.ron",
        shows: "hoop: An elastic hoop falls",
    }],
    undoable: true,
    repeats: false,
    run: load,
};

fn load(console: &mut Console, args: &str, progress: &mut dyn ProgressSink) -> Outcome {
    if args.is_empty() {
        return Err(CommandError::new(say!("console-load-needs"))
            .with_help(say!("console-load-needs.help")));
    }
    let (name, hash) = with_hash(args);
    let path = &console.path(name);
    let document = Document::open(Arc::clone(&console.files), path)?;
    let version = Version::of(document, Choices::default(), console.look.style)?;
    let version = Arc::new(version);
    let loaded = as_scripted(&version, hash)?;
    console.begin(Arc::clone(&version), &format!("load {}", path.display()))?;
    let model = &version.model;
    let about = if model.about.is_empty() {
        String::new()
    } else {
        format!(": {}", model.about)
    };
    let rules = version.rows().filter(|row| row.list != List::Scene);
    let rules = rules.count();
    let mut text = format!(
        "{}{about}\n{}, {}, {}\n",
        model.name,
        say!("console-n-constants", n = model.constants.len()),
        say!("console-n-reals", n = model.reals.len()),
        say!("console-n-rules", n = rules),
    );
    text.push_str(&headlines(&version));
    let journey = console.navigate(&Goal::Steps(0), progress)?;
    let mut said = console.arrived(&journey);
    said.text.insert_str(0, &text);
    said.data = json!({
        "model": model.name,
        "findings": to_json(&version.findings, &version.sources),
        "at": said.data,
    });
    said.logged = hash.iter().map(|_| format!("load {name}")).collect();
    said.loaded = Some(loaded);
    Ok(said)
}

/// The hash of the texts and data that were read.
///
/// # Errors
///
/// A script says another one.
fn as_scripted(version: &Version, hash: Option<&str>) -> Result<String, CommandError> {
    let here = version.hash.clone();
    match hash {
        Some(hash) if hash != here => Err(CommandError::new(say!(
            "console-table-changed",
            name = version.document.name
        ))
        .with_help(say!("console-table-changed.help"))),
        _ => Ok(here),
    }
}

/// Findings of reading and checking, a line each; `check` shows where.
fn headlines(version: &Version) -> String {
    const MOST: usize = 3;
    let mut text = String::new();
    let loud = version
        .findings
        .iter()
        .filter(|report| report.severity > Severity::Note);
    let loud: Vec<_> = loud.collect();
    for report in loud.iter().take(MOST) {
        text.push_str(&format!(
            "{}\n",
            say!(
                "console-warned",
                code = report.code,
                message = report.message
            )
        ));
    }
    if loud.len() > MOST {
        text.push_str(&format!(
            "{}\n",
            say!("console-and-more", n = loud.len() - MOST)
        ));
    }
    if !loud.is_empty() {
        text.push_str(&format!("  {}\n", say!("console-check-shows")));
    }
    text
}

const RELOAD: Command = Command {
    name: "reload",
    short: &[],
    group: Group::Model,
    usage: "[sha256:HASH]",
    takes: &[],
    examples: &[Example {
        given: HOOP,
        line: "reload",
        shows: "t = 0",
    }],
    undoable: true,
    repeats: false,
    run: reload,
};

fn reload(console: &mut Console, args: &str, progress: &mut dyn ProgressSink) -> Outcome {
    let old = console.version();
    let Some(path) = old.document.path.clone() else {
        return Err(CommandError::new(say!("console-no-file")));
    };
    let document = Document::open(Arc::clone(&console.files), &path)?;
    let version = Version::of(document, old.choices.clone(), console.look.style)?;
    let (_, hash) = with_hash(args);
    let loaded = as_scripted(&version, hash)?;
    let mut said = console.revise(version, "reload", progress)?;
    said.logged = hash.iter().map(|_| "reload".to_owned()).collect();
    said.loaded = Some(loaded);
    Ok(said)
}

const CHECK: Command = Command {
    name: "check",
    short: &[],
    group: Group::Model,
    usage: "",
    takes: &[],
    examples: &[Example {
        given: &["load scenarios/hoop/as_printed.ron"],
        line: "check",
        shows: "no row writes `Fel`",
    }],
    undoable: false,
    repeats: false,
    run: check,
};

fn check(console: &mut Console, _: &str, _: &mut dyn ProgressSink) -> Outcome {
    let version = console.version();
    if version.findings.is_empty() {
        return Ok(CommandOutput::new(
            format!("{}\n", say!("console-nothing-found")),
            json!([]),
        ));
    }
    let text = console.rendered(&version.findings, &version);
    Ok(CommandOutput::drawn(
        text,
        to_json(&version.findings, &version.sources),
    ))
}

const GRAPH: Command = Command {
    name: "graph",
    short: &[],
    group: Group::Model,
    usage: "[NAME]",
    takes: &[Argument::Name],
    examples: &[Example {
        given: HOOP,
        line: "graph Fres",
        shows: "Fel  [2]",
    }],
    undoable: false,
    repeats: false,
    run: graph,
};

fn graph(console: &mut Console, args: &str, _: &mut dyn ProgressSink) -> Outcome {
    let version = console.version();
    let model = &version.model;
    if args.is_empty() {
        let dot = graph::rules(model).dot();
        return Ok(CommandOutput::new(dot.clone(), json!({ "dot": dot })));
    }
    let Named::Real(root) = named(model, args)? else {
        return Err(CommandError::new(say!("console-graph-no-real", args))
            .with_help(say!("console-graph-no-real.help")));
    };
    let mut text = String::new();
    let mut seen = vec![false; model.reals.len()];
    // Branches still to be drawn, the next one last.
    let mut stack = vec![(root, 0_usize)];
    while let Some((real, depth)) = stack.pop() {
        let known = std::mem::replace(&mut seen[real.index()], true);
        let ids: Vec<&str> = model
            .writers(real)
            .map(|id| &*model.relations[id.index()].id)
            .collect();
        let rows = if ids.is_empty() {
            say!("console-nothing-writes")
        } else {
            format!("[{}]", ids.join("] ["))
        };
        let again = match known {
            true => format!("  ({})", say!("console-above")),
            false => String::new(),
        };
        let name = print::name(&model.reals[real.index()].name);
        text.push_str(&format!("{}{name}  {rows}{again}\n", "  ".repeat(depth)));
        if !known {
            let mut sources = sources_of(model, real);
            sources.reverse();
            stack.extend(sources.into_iter().map(|source| (source, depth + 1)));
        }
    }
    Ok(CommandOutput::new(text.clone(), json!({ "tree": text })))
}

/// The reals that the rows of a real read, each once, in the order of the rows.
fn sources_of(model: &Model, real: RealId) -> Vec<RealId> {
    let mut found: Vec<RealId> = Vec::new();
    for id in model.writers(real) {
        for arg in &model.relations[id.index()].args {
            if let RowArgument::Real(expr) = arg {
                model.exprs.visit(*expr, |_, node| {
                    if let Expr::Real(id) = node
                        && !found.contains(id)
                    {
                        found.push(*id);
                    }
                });
            }
        }
    }
    found
}

const CASE: Command = Command {
    name: "case",
    short: &[],
    group: Group::Model,
    usage: "[NAME | none]",
    takes: &[Argument::Case],
    examples: &[
        Example {
            given: HOOP,
            line: "case",
            shows: "twice the mass",
        },
        Example {
            given: &["load scenarios/hoop/table.ron", "case mass_2"],
            line: "m",
            shows: "m = 2 kg",
        },
    ],
    undoable: true,
    repeats: false,
    run: case,
};

fn case(console: &mut Console, args: &str, progress: &mut dyn ProgressSink) -> Outcome {
    let version = console.version();
    if args.is_empty() {
        let mut listing = Listing::new([
            (say!("console-column-case"), Align::Left),
            (String::new(), Align::Left),
            (say!("console-column-about"), Align::Left),
        ]);
        for case in &version.model.cases {
            let mark = if version.choices.case.as_ref() == Some(&case.name) {
                say!("console-in-use")
            } else {
                String::new()
            };
            listing.row([case.name.clone(), mark, case.about.clone()]);
        }
        if listing.is_empty() {
            return Ok(CommandOutput::line(say!("console-no-cases")));
        }
        let names: Vec<&str> = version.model.cases.iter().map(|case| &*case.name).collect();
        return Ok(CommandOutput::new(
            listing.plain(console.look.width),
            json!(names),
        ));
    }
    let name = args.trim_matches('"');
    let choices = Choices {
        case: (name != "none").then(|| name.to_owned()),
        ..version.choices.clone()
    };
    let version = Arc::new(version.chosen(choices, console.look.style)?);
    console.begin(version, &format!("case {name}"))?;
    let journey = console.navigate(&Goal::Steps(0), progress)?;
    Ok(console.arrived(&journey))
}
