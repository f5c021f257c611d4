//! `situ open [TABLE|FOLDER]`: the page, from a server on this machine.

use std::path::PathBuf;

use clap::Args;

use situ_words::say;

use super::{Failure, Outcome, Streams};

/// Show a table in a browser: its text, curves, reasons, and what can be turned
#[derive(Debug, Args)]
#[command(
    after_help = "The page comes from a server on this machine that nobody else reaches; it sees the folder of the table \
(or the one above that holds what the table builds on) and what is below. Ctrl-C ends it.

Examples:
  situ open scenarios/stand
  situ open scenarios/hoop/table.ron --no-browser --port 8080"
)]
pub(super) struct Open {
    /// A table, or a folder with tables [default: the current folder]
    #[arg(value_name = "TABLE|FOLDER")]
    what: Option<PathBuf>,
    /// Print the address and open no browser
    #[arg(long)]
    no_browser: bool,
    /// The port [default: a free one]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// End when the page is closed
    #[arg(long)]
    once: bool,
}

#[cfg(not(feature = "page"))]
pub(super) fn run(_: &Open, _: &mut Streams) -> Outcome {
    Err(without())
}

/// The program was built without the page.
fn without() -> Failure {
    Failure::Unsupported(say!("cli-open-without-page"))
}

#[cfg(feature = "page")]
pub(super) use page::run;

#[cfg(feature = "page")]
mod page {
    use std::path::{Path, PathBuf};
    use std::process::{Command, Stdio};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use situ_page::{Limits, Server, Settings, bundled, folder_of};
    use situ_views::text::plain;

    use super::{Failure, Open, Outcome, Streams, without};
    use crate::command::io::files::read_text;
    use crate::command::table::with_bases;

    /// Table with which the page of a folder begins, if there is one of that name.
    const FIRST: &str = "table.ron";

    pub(in crate::command) fn run(command: &Open, streams: &mut Streams) -> Outcome {
        let assets = bundled().ok_or_else(without)?;
        let what = command.what.clone().unwrap_or_else(|| PathBuf::from("."));
        let (folder, table) = opened(&what)?;
        let settings = Settings {
            folder,
            table,
            port: command.port,
            once: command.once,
            limits: Limits::default(),
            assets,
        };
        let console = Arc::new(|files| {
            crate::console_over(files, None)
                .expect("only an engine that was asked for can be missing")
        });
        let server = Server::bind(settings, console).map_err(|error| {
            Failure::Run(situ_words::say!(
                "cli-open.cannot-serve",
                error = plain(&error)
            ))
        })?;
        let (stopper, is_told) = (server.stopper(), Arc::new(AtomicBool::new(false)));
        let told = Arc::clone(&is_told);
        ctrlc::set_handler(move || {
            if told.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
            stopper.stop();
        })
        .map_err(|error| Failure::Run(situ_words::say!("cli-ctrl-c", error = error.to_string())))?;
        let address = server.address();
        streams.print(&format!("{address}\n"))?;
        if !command.no_browser && !shown(&address) {
            streams.complain(&situ_words::say!("cli-no-browser"));
        }
        server.run().map_err(|error| {
            Failure::Run(situ_words::say!(
                "cli-open.server-ended",
                error = plain(&error)
            ))
        })?;
        match is_told.load(Ordering::Relaxed) {
            true => Err(Failure::Interrupted),
            false => Ok(()),
        }
    }

    /// The folder that the page sees, and the table with which it begins: of a table the deepest folder that holds it and
    /// all that it builds on.
    fn opened(what: &Path) -> Result<(PathBuf, Option<String>), Failure> {
        let name = what.display().to_string();
        let there = what.metadata();
        let there = there.map_err(|error| Failure::reading(&name, &error))?;
        if there.is_dir() {
            let has_first = what.join(FIRST).is_file();
            return Ok((what.to_owned(), has_first.then(|| FIRST.to_owned())));
        }
        let file = what.file_name().and_then(|file| file.to_str());
        let (Some(_), true) = (file, what.extension().is_some_and(|end| end == "ron")) else {
            return Err(Failure::Wrong(situ_words::say!(
                "cli-neither-folder-nor-table",
                name
            )));
        };
        let reading = |error: std::io::Error| Failure::reading(&name, &error);
        let text = read_text(what).map_err(reading)?;
        let read = with_bases(&name, &text).sources;
        let others = read.iter().map(|source| Path::new(&*source.name));
        let (folder, table) = folder_of(what, others).map_err(reading)?;
        Ok((folder, Some(table)))
    }

    /// Opens an address in the browser of this machine; false if there is none.
    fn shown(address: &str) -> bool {
        let (program, words): (&str, &[&str]) = if cfg!(target_os = "macos") {
            ("open", &[])
        } else if cfg!(windows) {
            ("cmd", &["/C", "start", ""])
        } else {
            ("xdg-open", &[])
        };
        let mut command = Command::new(program);
        command.args(words).arg(address);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command.spawn().is_ok()
    }
}
