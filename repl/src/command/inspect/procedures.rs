//! `situ procedures [NAME]`: what a relation may call.

use std::fmt::Write;

use clap::Args;
use serde_json::{Value, json};
use situ_engine::procedure::{ALL, CoefRole, ParamKind, Procedure, ProcedureId};
use situ_rules::diag::nearest;
use situ_views::text::listing::{Align, Listing};
use situ_views::text::number::exact;
use situ_views::text::prose::wrapped;
use situ_words::say;

use crate::command::{Failure, Outcome, Streams};

/// List the procedures a relation may call, or explain one
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  situ procedures
  situ procedures integral")]
pub(in crate::command) struct Procedures {
    /// Name of a procedure
    name: Option<String>,
    /// Print them as JSON
    #[arg(long)]
    json: bool,
}

pub(in crate::command) fn run(command: &Procedures, streams: &mut Streams) -> Outcome {
    if command.json {
        let data = match &command.name {
            None => ALL.iter().map(|procedure| data(procedure)).collect(),
            Some(name) => data(named(name)?),
        };
        return streams.print_data(&data);
    }
    let text = match &command.name {
        None => list(streams.width()),
        Some(name) => page(named(name)?, streams.prose_width()),
    };
    streams.print(&text)
}

fn named(name: &str) -> Result<&'static Procedure, Failure> {
    if let Some(id) = ProcedureId::named(name) {
        return Ok(id.get());
    }
    let near = nearest(name, ALL.iter().map(|procedure| procedure.name));
    let hint = near.map_or_else(
        || "`situ procedures` lists them".to_owned(),
        |near| say!("report-did-you-mean", near),
    );
    Err(Failure::Wrong(say!("cli-no-procedure", name, hint)))
}

/// A procedure for programs.
fn data(procedure: &Procedure) -> Value {
    let params = procedure.params.iter();
    let params: Vec<Value> = params
        .map(|param| {
            let kind = match param.kind {
                ParamKind::Real => "real",
                ParamKind::Boolean => "boolean",
            };
            json!({ "name": param.name, "about": param.about, "kind": kind, "default": param.default })
        })
        .collect();
    json!({
        "name": procedure.name,
        "call": procedure.call(),
        "about": procedure.about,
        "help": procedure.help,
        "memory": procedure.has_memory(),
        "arguments": params,
        "coefficient": coefficient(procedure.coef),
        "examples": procedure.examples.iter().map(|one| one.line).collect::<Vec<_>>(),
    })
}

fn list(width: Option<u16>) -> String {
    let mut listing = Listing::new([
        ("procedure", Align::Left),
        ("gives", Align::Left),
        ("memory", Align::Left),
    ]);
    for procedure in ALL {
        let memory = if procedure.has_memory() { "yes" } else { "" };
        listing.row([
            procedure.call(),
            procedure.about.to_owned(),
            memory.to_owned(),
        ]);
    }
    listing.plain(width)
}

fn page(procedure: &Procedure, width: u16) -> String {
    let Procedure { about, help, .. } = procedure;
    let mut text = wrapped(&format!("{}\n  {about}\n\n{help}", procedure.call()), width);
    let mut arguments = Listing::new([
        ("argument", Align::Left),
        ("is", Align::Left),
        ("may be", Align::Left),
    ]);
    for param in procedure.params {
        let kind = match param.kind {
            ParamKind::Real => "any expression",
            ParamKind::Boolean => "a condition",
        };
        let kind = match param.default {
            None => kind.to_owned(),
            Some(value) => format!("{kind}, or left out: {}", exact(value)),
        };
        arguments.row([param.name.to_owned(), param.about.to_owned(), kind]);
    }
    let _ = write!(
        text,
        "\n{}\nCoefficient: {}\n",
        arguments.plain(None),
        coefficient(procedure.coef)
    );
    if procedure.has_memory() {
        text.push_str("Has a memory from tick to tick: it must be the outermost call of a row, and not at an event.\n");
    }
    text.push_str("\nExamples:\n");
    for example in procedure.examples {
        let given: Vec<String> = example
            .given
            .iter()
            .map(|(name, value)| format!("{name} = {}", exact(*value)))
            .collect();
        let given = if given.is_empty() {
            String::new()
        } else {
            format!(" with {}", given.join(", "))
        };
        let ticks = if example.ticks == 1 {
            "1 tick".to_owned()
        } else {
            format!("{} ticks", example.ticks)
        };
        let after = if procedure.has_memory() || example.ticks > 1 {
            format!(" after {ticks} of {}", exact(example.dt))
        } else {
            String::new()
        };
        let _ = writeln!(
            text,
            "  {}{given} gives y = {}{after}",
            example.line,
            exact(example.result)
        );
    }
    text
}

fn coefficient(role: CoefRole) -> String {
    match role {
        CoefRole::ScalesFirst => "multiplies the first argument".to_owned(),
        CoefRole::ScalesBoth => "one for each argument, multiplies it".to_owned(),
        CoefRole::ScalesResult => "multiplies the result".to_owned(),
        CoefRole::Parameter(name) => format!("is the parameter {name}, given last in a call"),
        CoefRole::Unused => "none".to_owned(),
    }
}
