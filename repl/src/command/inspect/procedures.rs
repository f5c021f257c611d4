//! `situ procedures [NAME]`: what a relation may call.

use std::fmt::Write;

use clap::Args;
use serde_json::{Value, json};
use situ_engine::procedure::{ALL, CoefRole, ParamKind, Procedure, ProcedureId};
use situ_rules::diag::nearest;
use situ_views::text::listing::{Align, Listing};
use situ_views::text::number::{counted, exact};
use situ_views::text::prose::wrapped;
use situ_words::{prose, say};

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
        || say!("cli-no-procedure.list"),
        |near| say!("report-did-you-mean", near),
    );
    Err(Failure::Wrong(say!("cli-no-procedure", name, hint)))
}

/// What a procedure gives.
fn about(procedure: &Procedure) -> String {
    let said = prose(&format!("procedure-{}", procedure.name));
    said.unwrap_or_else(|| procedure.about.to_owned())
}

/// What is said of a part of a procedure, `help` or an argument, in the language of the reader.
fn told(procedure: &Procedure, part: &str, english: &str) -> String {
    let said = prose(&format!("procedure-{}.{part}", procedure.name));
    said.unwrap_or_else(|| english.to_owned())
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
            json!({
                "name": param.name, "about": told(procedure, param.name, param.about), "kind": kind,
                "default": param.default,
            })
        })
        .collect();
    json!({
        "name": procedure.name,
        "call": procedure.call(),
        "about": about(procedure),
        "help": told(procedure, "help", procedure.help),
        "memory": procedure.has_memory(),
        "arguments": params,
        "coefficient": coefficient(procedure.coef),
        "examples": procedure.examples.iter().map(|one| one.line).collect::<Vec<_>>(),
    })
}

fn list(width: Option<u16>) -> String {
    let mut listing = Listing::new([
        (say!("cli-procedures.procedure"), Align::Left),
        (say!("cli-procedures.gives"), Align::Left),
        (say!("cli-procedures.memory"), Align::Left),
    ]);
    for procedure in ALL {
        let memory = match procedure.has_memory() {
            true => say!("cli-procedures.yes"),
            false => String::new(),
        };
        listing.row([procedure.call(), about(procedure), memory]);
    }
    listing.plain(width)
}

fn page(procedure: &Procedure, width: u16) -> String {
    let (about, help) = (about(procedure), told(procedure, "help", procedure.help));
    let mut text = wrapped(&format!("{}\n  {about}\n\n{help}", procedure.call()), width);
    let mut arguments = Listing::new([
        (say!("cli-procedures.argument"), Align::Left),
        (say!("cli-procedures.is"), Align::Left),
        (say!("cli-procedures.may-be"), Align::Left),
    ]);
    for param in procedure.params {
        let kind = match param.kind {
            ParamKind::Real => say!("cli-procedures.expression"),
            ParamKind::Boolean => say!("cli-procedures.condition"),
        };
        let kind = match param.default {
            None => kind,
            Some(value) => say!("cli-procedures.left-out", kind, value = exact(value)),
        };
        let about = told(procedure, param.name, param.about);
        arguments.row([param.name.to_owned(), about, kind]);
    }
    let _ = write!(
        text,
        "\n{}\n{}: {}\n",
        arguments.plain(None),
        say!("cli-procedures.coefficient"),
        coefficient(procedure.coef)
    );
    if procedure.has_memory() {
        let _ = writeln!(text, "{}", say!("cli-procedures.has-memory"));
    }
    let _ = writeln!(text, "\n{}", say!("usage-any.examples"));
    for example in procedure.examples {
        let given: Vec<String> = example
            .given
            .iter()
            .map(|(name, value)| format!("{name} = {}", exact(*value)))
            .collect();
        let given = if given.is_empty() {
            String::new()
        } else {
            say!("cli-procedures.with", given = given.join(", "))
        };
        let ticks = counted(u64::from(example.ticks), "tick");
        let after = if procedure.has_memory() || example.ticks > 1 {
            say!("cli-procedures.after", ticks, dt = exact(example.dt))
        } else {
            String::new()
        };
        let _ = writeln!(
            text,
            "  {}",
            say!(
                "cli-procedures.example",
                line = example.line,
                given,
                result = exact(example.result),
                after
            )
        );
    }
    text
}

fn coefficient(role: CoefRole) -> String {
    match role {
        CoefRole::ScalesFirst => say!("cli-coefficient.scales-first"),
        CoefRole::ScalesBoth => say!("cli-coefficient.scales-both"),
        CoefRole::ScalesResult => say!("cli-coefficient.scales-result"),
        CoefRole::Parameter(name) => say!("cli-coefficient.parameter", name),
        CoefRole::Unused => say!("cli-coefficient.unused"),
    }
}
