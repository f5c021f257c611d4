//! `situ explain CODE`: the page of a diagnostic code.

use std::fmt::Write;

use clap::Args;
use serde_json::{Value, json};
use situ_rules::diag::{CodePage, nearest, page, pages};
use situ_views::text::prose::wrapped;
use situ_words::say;

use crate::command::{Failure, Outcome, Streams};

/// Explain a diagnostic code, with a bad and a repaired table
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  situ explain N001
  situ explain")]
pub(in crate::command) struct Explain {
    /// The code, as in `error[N001]`; without it all codes are listed
    code: Option<String>,
    /// Print the page as JSON, or all of them
    #[arg(long)]
    json: bool,
}

pub(in crate::command) fn run(command: &Explain, streams: &mut Streams) -> Outcome {
    let Some(code) = &command.code else {
        if command.json {
            let all = pages().into_iter().map(data).collect();
            return streams.print_data(&all);
        }
        return streams.print(&list());
    };
    let code = code.to_uppercase();
    let Some(page) = page(&code) else {
        let near = nearest(&code, pages().iter().map(|page| page.code));
        let hint = near.map_or_else(
            || say!("cli-lists-codes"),
            |near| say!("report-did-you-mean", near),
        );
        return Err(Failure::Wrong(say!("cli-no-code", code, hint)));
    };
    if command.json {
        return streams.print_data(&data(page));
    }
    streams.print(&text(page, streams.prose_width()))
}

/// A page for programs.
fn data(page: &CodePage) -> Value {
    json!({
        "code": page.code,
        "title": page.title(),
        "what": page.what(),
        "why": page.why(),
        "bad": page.bad,
        "repaired": page.repaired,
        "base": page.base,
    })
}

fn list() -> String {
    pages()
        .iter()
        .map(|page| format!("{}  {}\n", page.code, page.title()))
        .collect()
}

fn text(page: &CodePage, width: u16) -> String {
    let (code, title, what, why) = (page.code, page.title(), page.what(), page.why());
    let mut text = wrapped(&format!("{code}: {title}\n\n{what}\n\n{why}"), width);
    for (heading, table) in [
        (say!("code-base"), page.base),
        (say!("code-bad"), Some(page.bad)),
        (say!("code-repaired"), Some(page.repaired)),
    ] {
        let Some(table) = table else { continue };
        let _ = write!(text, "\n{heading}\n\n");
        for line in table.trim_matches('\n').lines() {
            let _ = writeln!(text, "{}", format!("    {line}").trim_end());
        }
    }
    text
}
