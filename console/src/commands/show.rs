//! Pictures and files of numbers.

use std::collections::HashMap;

use serde_json::json;
use situ_engine::model::Model;

use crate::command::{Argument, Command, Example, Group};
use crate::files::write;
use crate::history::points::Line;
use crate::names::{Named, bare, find, named};
use crate::reply::{CommandError, CommandOutput, Outcome};
use crate::{Console, ProgressSink};
use situ_explain::SegmentId;
#[cfg(feature = "png")]
use situ_views::chart::png;
use situ_views::chart::{Figure, compose, svg, terminal};
use situ_views::columns::Columns;
use situ_views::columns::csv::CsvWriter;
use situ_views::columns::selection::Pick;
use situ_views::columns::series::{BooleanColumn, RealColumn, Series};
use situ_views::text::plain;
use situ_words::say;

const RUN: &[&str] = &["load scenarios/hoop/table.ron", "run to 2"];

/// What is said where pictures in pixels were left out.
#[cfg(not(feature = "png"))]
const WITHOUT_PNG: situ_words::Phrase = situ_words::phrase!("console-without-png");

/// The commands of this file, in the order of the help.
pub(super) const COMMANDS: &[Command] = &[PLOT, TIMELINE, EXPORT];

const PLOT: Command = Command {
    name: "plot",
    short: &[],
    group: Group::Show,
    usage: "[NAME .. [vs NAME]] [> FILE.svg|.png]",
    takes: &[Argument::Name, Argument::Words(&["vs"])],
    examples: &[
        Example {
            given: RUN,
            line: "plot h contact",
            shows: "h (cm)",
        },
        Example {
            given: RUN,
            line: "plot Vy vs h",
            shows: "Vy (cm/s)",
        },
    ],
    undoable: false,
    repeats: false,
    run: plot,
};

fn plot(console: &mut Console, args: &str, progress: &mut dyn ProgressSink) -> Outcome {
    let (names, file) = match args.rsplit_once('>') {
        Some((names, file)) => (names.trim(), Some(file.trim())),
        None => (args, None),
    };
    let words = words_of(names)?;
    let version = console.version();
    let picks = match words.iter().position(|word| word == "vs") {
        Some(at) if at > 0 && at + 2 == words.len() => {
            let x = words[at + 1].clone();
            words[..at]
                .iter()
                .map(|y| Pick::Phase {
                    x: x.clone(),
                    y: y.clone(),
                })
                .collect()
        }
        Some(_) => {
            return Err(CommandError::new(say!("console-vs-one-name"))
                .with_help(say!("console-vs-one-name.help")));
        }
        None if words.is_empty() => {
            let columns = Columns::drawn(&version.model);
            columns
                .names(&version.model)
                .map(|name| Pick::Column(name.to_owned()))
                .collect()
        }
        None => words.into_iter().map(Pick::Column).collect::<Vec<Pick>>(),
    };
    let mut wanted: Vec<String> = Vec::new();
    for pick in &picks {
        match pick {
            Pick::Column(name) => wanted.push(name.clone()),
            Pick::Phase { x, y } => wanted.extend([x.clone(), y.clone()]),
        }
    }
    wanted.retain(|name| name != "time");
    let series = [console.series(&wanted, progress)?];
    let mut figure =
        compose(&series, &picks).map_err(|error| CommandError::new(error.to_string()))?;
    figure.title.clone_from(&version.model.name);
    console.draw(&figure, file)
}

/// Words separated by blanks or commas that stand in no brackets; names with blanks stand in backticks.
pub(super) fn words_of(text: &str) -> Result<Vec<String>, CommandError> {
    let mut words = Vec::new();
    let mut rest = text.trim_start_matches([' ', ',']);
    while !rest.is_empty() {
        let (word, tail) = match rest.strip_prefix('`') {
            Some(inside) => {
                let (word, tail) = inside
                    .split_once('`')
                    .ok_or_else(|| CommandError::new(say!("console-open-backtick")))?;
                (word.to_owned(), tail)
            }
            None => {
                let mut depth = 0_i32;
                let end = rest.find(|letter| {
                    depth += i32::from(letter == '[') - i32::from(letter == ']');
                    depth <= 0 && matches!(letter, ' ' | ',')
                });
                let (word, tail) = rest.split_at(end.unwrap_or(rest.len()));
                // `g[2, 1]` is named `g[2,1]`.
                (word.replace(' ', ""), tail)
            }
        };
        words.push(word);
        rest = tail.trim_start_matches([' ', ',']);
    }
    Ok(words)
}

impl Console {
    fn draw(&self, figure: &Figure<'_>, file: Option<&str>) -> Outcome {
        let Some(file) = file else {
            let text = terminal(figure, self.look.screen);
            return Ok(CommandOutput::drawn(text.clone(), json!({ "plot": text })));
        };
        let path = self.path(file);
        let version = self.version();
        let read = version.document.read_from(true);
        let claimed = self.files.claim(&say!("console-the-picture"), &path, &read);
        claimed.map_err(CommandError::new)?;
        let text = svg(figure);
        let bytes = match path.extension().and_then(|end| end.to_str()) {
            Some("svg") => text.into_bytes(),
            #[cfg(not(feature = "png"))]
            Some("png") => return Err(CommandError::new(WITHOUT_PNG)),
            #[cfg(feature = "png")]
            Some("png") => png(&text).map_err(|error| CommandError::new(error.to_string()))?,
            _ => {
                return Err(CommandError::new(say!("console-picture-ending")));
            }
        };
        write(&*self.files, &path, &bytes).map_err(|error| {
            CommandError::new(say!(
                "console-cannot-write",
                path = path.display().to_string(),
                error = plain(&error)
            ))
        })?;
        Ok(CommandOutput::new(
            format!(
                "{}\n",
                say!("console-drawn-into", path = path.display().to_string())
            ),
            json!({ "file": path.display().to_string() }),
        ))
    }

    /// The rows up to the present time as columns; a name that a part of the past does not have is
    /// missing there.
    fn series(
        &mut self,
        names: &[String],
        progress: &mut dyn ProgressSink,
    ) -> Result<Series, CommandError> {
        let version = self.version();
        let model = &version.model;
        let mut quantities: Vec<&String> = Vec::new();
        let mut booleans: Vec<&String> = Vec::new();
        for name in names {
            let list = match named(model, name)? {
                Named::Boolean(_) => &mut booleans,
                _ => &mut quantities,
            };
            if !list.contains(&name) {
                list.push(name);
            }
        }
        let columns: Vec<&str> = quantities
            .iter()
            .chain(&booleans)
            .map(|name| name.as_str())
            .collect();
        let line = Line::whole(self.state.history.clone());
        let rows = self.sampled(&line, &columns, progress)?;
        let n_quantities = quantities.len();
        Ok(Series {
            label: model.name.clone(),
            time: rows.column(0).collect(),
            time_unit: model.clock.time_unit().to_owned(),
            reals: quantities
                .iter()
                .enumerate()
                .map(|(index, name)| {
                    let (unit, about) = described(model, name);
                    RealColumn {
                        name: (*name).clone(),
                        unit,
                        about,
                        values: rows.column(1 + index).collect(),
                    }
                })
                .collect(),
            booleans: booleans
                .iter()
                .enumerate()
                .map(|(index, name)| BooleanColumn {
                    name: (*name).clone(),
                    about: String::new(),
                    event: matches!(find(model, name), Some(Named::Boolean(what)) if model.is_event(what)),
                    values: rows
                        .column(1 + n_quantities + index)
                        .map(|value| value == 1.0)
                        .collect(),
                })
                .collect(),
        })
    }
}

/// Unit of a quantity and what it is about.
pub(super) fn described(model: &Model, name: &str) -> (String, String) {
    match find(model, name) {
        Some(Named::Real(id)) => {
            let one = &model.reals[id.index()];
            (one.unit.clone(), one.about.clone())
        }
        Some(Named::Constant(id)) => {
            let one = &model.constants[id.index()];
            (one.unit.clone(), one.about.clone())
        }
        _ => (String::new(), String::new()),
    }
}

const TIMELINE: Command = Command {
    name: "timeline",
    short: &[],
    group: Group::Show,
    usage: "[NAME ..] [> FILE.svg|.png]",
    takes: &[Argument::Name],
    examples: &[Example {
        given: RUN,
        line: "timeline",
        shows: "free_fall",
    }],
    undoable: false,
    repeats: false,
    run: timeline,
};

fn timeline(console: &mut Console, args: &str, progress: &mut dyn ProgressSink) -> Outcome {
    let (names, file) = match args.rsplit_once('>') {
        Some((names, file)) => (names.trim(), Some(file.trim())),
        None => (args, None),
    };
    let version = console.version();
    let mut wanted = words_of(names)?;
    if wanted.is_empty() {
        wanted = version
            .model
            .named_booleans()
            .map(|(name, _)| name.to_owned())
            .collect();
    }
    if wanted.is_empty() {
        return Err(CommandError::new(say!("console-no-booleans")));
    }
    let series = [console.series(&wanted, progress)?];
    let picks: Vec<Pick> = wanted.into_iter().map(Pick::Column).collect();
    let mut figure =
        compose(&series, &picks).map_err(|error| CommandError::new(error.to_string()))?;
    figure.title.clone_from(&version.model.name);
    console.draw(&figure, file)
}

const EXPORT: Command = Command {
    name: "export",
    short: &[],
    group: Group::Show,
    usage: "FILE.csv [NAME ..]",
    takes: &[Argument::File, Argument::Name],
    examples: &[Example {
        given: RUN,
        line: "export hoop.csv h contact",
        shows: "20001 rows into ",
    }],
    undoable: false,
    repeats: false,
    run: export,
};

fn export(console: &mut Console, args: &str, progress: &mut dyn ProgressSink) -> Outcome {
    let words = words_of(args)?;
    let Some((file, names)) = words.split_first() else {
        return Err(CommandError::new(say!("console-export-needs"))
            .with_help(say!("console-export-needs.help")));
    };
    let version = console.version();
    let model = &version.model;
    let columns = if names.is_empty() {
        Columns::standard(model)
    } else {
        Columns::named(model, names.iter().map(|name| bare(name)))
            .map_err(|error| CommandError::new(error.to_string()))?
    };
    let names: Vec<String> = columns.names(model).map(str::to_owned).collect();
    let n_numbers = columns.constants.len() + columns.reals.len();
    let path = console.path(file);
    let trouble = |error: &std::io::Error| {
        CommandError::new(say!(
            "console-cannot-write",
            path = path.display().to_string(),
            error = plain(error)
        ))
    };
    if path.extension().is_none_or(|end| end != "csv") {
        let wrong = say!("console-no-csv", path = path.display().to_string());
        return Err(CommandError::new(wrong).with_help(say!("console-no-csv.rows")));
    }
    let read = version.document.read_from(true);
    let claimed = console.files.claim("`export`", &path, &read);
    claimed.map_err(CommandError::new)?;
    let sink = console
        .files
        .create(&path)
        .map_err(|error| trouble(&error))?;
    let mut csv = CsvWriter::new(sink, names.iter().map(String::as_str));
    let mut failed = None;
    let mut known: HashMap<SegmentId, Vec<Option<Named>>> = HashMap::new();
    console
        .past()
        .each_step(progress, &mut |segment, model, run| {
            let row = run.row();
            let found = known
                .entry(segment)
                .or_insert_with(|| names.iter().map(|name| find(model, name)).collect());
            let numbers = found[..n_numbers].iter().map(|what| match *what {
                Some(Named::Real(id)) => row.real(id),
                Some(Named::Constant(id)) => row.constants[id.index()],
                _ => f64::NAN,
            });
            let truths = found[n_numbers..].iter().map(
                |what| matches!(*what, Some(Named::Boolean(what)) if row.boolean(model, what)),
            );
            if failed.is_none() {
                failed = csv.row(row.time, numbers, truths).err();
            }
        })?;
    if let Some(error) = failed {
        return Err(trouble(&error));
    }
    let closed = csv.close();
    let written = closed.and_then(|(written, file)| file.commit().map(|()| written));
    let written = written.map_err(|error| trouble(&error))?;
    Ok(CommandOutput::new(
        format!(
            "{}\n",
            say!(
                "console-rows-into",
                rows = say!("console-n-rows", n = written.rows),
                path = path.display().to_string()
            )
        ),
        json!({ "file": path.display().to_string(), "rows": written.rows }),
    ))
}
