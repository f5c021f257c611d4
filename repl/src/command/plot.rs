//! `situ plot CSV..`: draws runs that were written to files.

use std::collections::HashSet;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::command::family::{FamilyDrawing, WantedFamily, tell_missed};
use crate::command::io::files::{self, Claims, quoted};
use crate::command::{Failure, Outcome, Streams, table};
#[cfg(feature = "png")]
use situ_views::chart::png;
use situ_views::chart::{FamilyPicture, Figure, LookupPicture, compose, data, svg, terminal};
use situ_views::columns::family::FamilyRows;
use situ_views::columns::selection::{Names, Pick, Picks};
use situ_views::columns::series::{CsvError, Series};
use situ_words::say;

/// Draw runs that were written to CSV files
///
/// Several files are overlaid. Without --curves the columns of the first one are drawn: reals in panels by unit and
/// scale, booleans as bars below.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  situ plot run.csv --table table.ron
  situ plot run.csv --curves h,Vy,contact --plot hoop.svg
  situ plot light.csv heavy.csv --curves h:Vy --plot phase.png
  situ plot decay.csv --log-axis n,p
  situ plot rod.csv --map u
  situ plot rod.csv --profile u --at 0,1,5
  situ plot --lookup torque table.ron
  situ plot run.csv --json")]
pub(in crate::command) struct Plot {
    /// Files written by `situ run --out`; `-` reads standard input. With --lookup: the table
    #[arg(required = true, value_name = "CSV")]
    files: Vec<PathBuf>,
    /// The table that was run, for units and descriptions
    #[arg(long)]
    table: Option<PathBuf>,
    /// Draw a lookup of a table, with its points
    #[arg(long, value_name = "NAME", conflicts_with_all = ["table", "curves", "map", "profile"])]
    lookup: Option<String>,
    #[command(flatten)]
    drawing: Drawing,
    #[command(flatten)]
    family: FamilyDrawing,
    /// Print as JSON what is drawn
    #[arg(long)]
    json: bool,
}

/// What is drawn and where; shared by the commands that draw.
#[derive(Debug, Args)]
pub(in crate::command) struct Drawing {
    /// Columns to draw: `h,Vy` over time, `x:y` for y against x [default: the first six reals that are integrated or
    /// smoothed, of a table without any its first six, and booleans]
    #[arg(long, value_name = "NAMES")]
    pub(in crate::command) curves: Option<Picks>,
    /// Quantities with a logarithmic axis: `h,p`
    #[arg(long, value_name = "NAMES")]
    pub(in crate::command) log_axis: Option<Names>,
    /// Draw into a file: .svg or .png [default: the terminal]
    #[arg(long, value_name = "FILE", value_parser = PictureFile::parse)]
    pub(in crate::command) plot: Option<PictureFile>,
}

impl Drawing {
    /// Gives quantities the logarithmic axes that are asked for.
    ///
    /// # Errors
    ///
    /// One of them is not drawn along an axis.
    pub(in crate::command) fn log_axes(&self, figure: &mut Figure<'_>) -> Outcome {
        let Some(Names(names)) = &self.log_axis else {
            return Ok(());
        };
        figure
            .on_log_axes(names)
            .map_err(|name| Failure::Wrong(say!("cli-log-axes.log-axis-not", name)))
    }
}

/// What a picture cannot show of its curves, in words.
pub(in crate::command) fn gaps_in_words(figure: &Figure<'_>) -> Vec<String> {
    let gaps = figure.gaps();
    let not_positive = gaps.not_positive.into_iter();
    let not_positive = not_positive.map(|name| say!("cli-tell-gaps.not-above-zero", name));
    let infinite = gaps.infinite.into_iter();
    let infinite = infinite.map(|name| say!("cli-tell-gaps.infinite", name));
    let no_numbers = gaps.no_numbers.into_iter();
    let no_numbers = no_numbers.map(|name| say!("cli-tell-gaps.no-number", name));
    not_positive.chain(infinite).chain(no_numbers).collect()
}

/// Says what a picture cannot show of its curves.
pub(in crate::command) fn tell_gaps(figure: &Figure<'_>, streams: &mut Streams) {
    for gap in gaps_in_words(figure) {
        streams.remark(&gap);
    }
}

/// A file for a picture, of a kind that can be drawn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::command) struct PictureFile {
    path: PathBuf,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Svg,
    Png,
}

impl PictureFile {
    pub(in crate::command) fn parse(path: &str) -> Result<Self, String> {
        let path = PathBuf::from(path);
        let extension = path
            .extension()
            .map(|extension| extension.to_string_lossy().to_lowercase());
        let kind = match extension.as_deref() {
            Some("svg") => Kind::Svg,
            Some("png") => Kind::Png,
            _ => return Err(say!("cli-parse.name-picture-ends")),
        };
        Ok(Self { path, kind })
    }

    pub(in crate::command) fn path(&self) -> &Path {
        &self.path
    }

    /// Checks that the program can draw it.
    ///
    /// # Errors
    ///
    /// It has been built without what draws pixels.
    #[cfg_attr(
        feature = "png",
        expect(clippy::unnecessary_wraps, reason = "a smaller program may refuse")
    )]
    pub(in crate::command) fn check(&self) -> Outcome {
        match self.kind {
            #[cfg(not(feature = "png"))]
            Kind::Png => Err(Failure::without("png")),
            _ => Ok(()),
        }
    }
}

impl PictureFile {
    /// Writes a picture, which is the first text, or the second one drawn in pixels.
    pub(in crate::command) fn write(&self, text: &str, drawn: &str) -> Outcome {
        let bytes = match self.kind {
            Kind::Svg => text.as_bytes().to_vec(),
            #[cfg(feature = "png")]
            Kind::Png => png(drawn).map_err(|error| Failure::Run(error.to_string()))?,
            #[cfg(not(feature = "png"))]
            Kind::Png => {
                let _ = drawn;
                return self.check();
            }
        };
        let written = files::write(&self.path, bytes);
        written.map_err(|error| Failure::writing(&quoted(&self.path), &error))
    }
}

/// Draws a lookup of a table.
fn draw_lookup(command: &Plot, name: &str, streams: &mut Streams) -> Outcome {
    let [table] = &command.files[..] else {
        let wrong = say!("cli-draw-lookup.lookup-takes-table");
        return Err(Failure::Wrong(wrong));
    };
    let opened = table::open(table, streams)?;
    let mut claims = opened.claims();
    if let Some(picture) = &command.drawing.plot {
        picture.check()?;
        claims.writes("--plot", picture.path())?;
    }
    let lookups = &opened.model.lookups;
    let Some(lookup) = lookups.iter().find(|lookup| lookup.name == name) else {
        let names: Vec<&str> = lookups.iter().map(|lookup| &*lookup.name).collect();
        let known = match names[..] {
            [] => say!("cli-draw-lookup.table-none"),
            _ => say!("cli-draw-lookup.table", names = names.join("`, `")),
        };
        return Err(Failure::Wrong(say!(
            "cli-draw-lookup.no-lookup",
            name,
            known
        )));
    };
    let picture = LookupPicture::of(lookup);
    let mut figure = picture.figure();
    command.drawing.log_axes(&mut figure)?;
    command.draw(&figure, streams)
}

/// Draws a family of one run.
fn draw_family(
    command: &Plot,
    WantedFamily { view, name, at }: WantedFamily<'_>,
    runs: &[Series],
    streams: &mut Streams,
) -> Outcome {
    let [run] = runs else {
        let wrong = say!("cli-draw-family.map-profile-draw");
        return Err(Failure::Wrong(wrong));
    };
    let rows = FamilyRows::of_series(run, name, at);
    let rows = rows.map_err(|error| Failure::Wrong(error.to_string()))?;
    let checked = view.check(rows.family(), at);
    checked.map_err(|error| Failure::Wrong(error.to_string()))?;
    tell_missed(&rows, streams);
    let picture = FamilyPicture::of(&rows, view);
    let mut figure = picture.figure();
    command.drawing.log_axes(&mut figure)?;
    command.draw(&figure, streams)
}

impl Plot {
    /// Draws, or says as JSON what is drawn.
    fn draw(&self, figure: &Figure<'_>, streams: &mut Streams) -> Outcome {
        tell_gaps(figure, streams);
        if !(self.json && self.drawing.plot.is_none()) {
            draw(figure, self.drawing.plot.as_ref(), streams)?;
        }
        match self.json {
            true => streams.print(&format!("{}\n", data(figure))),
            false => Ok(()),
        }
    }
}

pub(in crate::command) fn run(command: &Plot, streams: &mut Streams) -> Outcome {
    if let Some(name) = &command.lookup {
        return draw_lookup(command, name, streams);
    }
    let wanted = command.family.wanted()?;
    let mut claims = Claims::reading(command.files.iter().map(PathBuf::as_path));
    if command.files.iter().any(|file| table::is_stdin(file)) {
        claims.reads_standard_input();
    }
    let opened = match &command.table {
        Some(table) => Some(table::open(table, streams)?),
        None => None,
    };
    opened
        .iter()
        .for_each(|opened| claims.join(opened.claims()));
    if let Some(picture) = &command.drawing.plot {
        picture.check()?;
        claims.writes("--plot", picture.path())?;
    }
    let mut runs = Vec::new();
    for (file, label) in command.files.iter().zip(labels(&command.files)) {
        runs.push(read(file, label)?);
    }
    Series::agree(&mut runs);
    if let Some(opened) = &opened {
        runs.iter_mut().for_each(|run| run.describe(&opened.model));
    }
    if let Some(wanted) = wanted {
        return draw_family(command, wanted, &runs, streams);
    }
    let picks = match &command.drawing.curves {
        Some(Picks(picks)) => picks.clone(),
        None => first_columns(&runs, streams),
    };
    let mut figure = compose(&runs, &picks).map_err(|error| Failure::Wrong(error.to_string()))?;
    if let Some(opened) = &opened {
        figure.heading.clone_from(&opened.model.name);
    }
    command.drawing.log_axes(&mut figure)?;
    command.draw(&figure, streams)
}

/// The columns of the first run, or of a great many of them the first few.
fn first_columns(runs: &[Series], streams: &mut Streams) -> Vec<Pick> {
    const MOST: usize = 30;
    let names: Vec<&str> = runs.iter().take(1).flat_map(Series::names).collect();
    if names.len() > MOST {
        streams.remark(&say!(
            "cli-first-columns.drawing-columns-curves",
            MOST,
            n = names.len()
        ));
    }
    let names = names.into_iter().take(MOST);
    names.map(|name| Pick::Column(name.to_owned())).collect()
}

/// Draws into the file, or else in the terminal.
pub(in crate::command) fn draw(
    figure: &Figure<'_>,
    file: Option<&PictureFile>,
    streams: &mut Streams,
) -> Outcome {
    match file {
        None => streams.print_drawn(&terminal(figure, streams.screen())),
        Some(file) => {
            let text = svg(figure);
            file.write(&text, &text)
        }
    }
}

/// Names of files in a legend: the names of the files, or if two are the same their paths.
fn labels(files: &[PathBuf]) -> Vec<String> {
    let stem = |file: &PathBuf| {
        file.file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    };
    let stems: Vec<String> = files.iter().map(stem).collect();
    let unique = stems.iter().collect::<HashSet<_>>().len() == stems.len();
    if unique {
        stems
    } else {
        files
            .iter()
            .map(|file| file.display().to_string())
            .collect()
    }
}

fn read(path: &Path, label: String) -> Result<Series, Failure> {
    if table::is_stdin(path) {
        let name = say!("cli-standard-input");
        return Series::read_csv(label, io::stdin().lock()).map_err(|error| refused(&name, &error));
    }
    let name = quoted(path);
    let file = File::open(path).map_err(|error| Failure::reading(&name, &error))?;
    Series::read_csv(label, file).map_err(|error| refused(&name, &error))
}

fn refused(name: &str, error: &CsvError) -> Failure {
    Failure::Wrong(say!(
        "cli-refused.cannot-read-run",
        name,
        error = error.to_string()
    ))
}
