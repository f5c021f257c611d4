//! The scene in motion, and the exercise of a table.

use std::ops::ControlFlow;

use serde_json::json;
use situ_engine::trace::{Recorder, Row};
use situ_rules::diag::InWords;
use situ_views::lab::{Exercise, LabWatch, log, log_csv, log_text};
use situ_views::scene::{Picture, Trails, draw};
use situ_views::text::plain;
use situ_words::say;

use crate::command::{Argument, Command, Example, Group};
use crate::commands::look::split_commas;
use crate::files::write;
use crate::history::points::Line;
use crate::names::bare;
use crate::prompt::time;
use crate::reply::{CommandError, CommandOutput, Outcome};
use crate::{Console, ProgressSink};

/// The commands of this file, in the order of the help.
pub(in crate::commands) const COMMANDS: &[Command] = &[FRAMES, LAB];

/// Most pictures.
const MOST_FRAMES: usize = 2000;

/// Most marks of all pictures together: of longer films every second picture is left out.
const MOST_MARKS: usize = 60_000;

/// Rows between two looks at the progress.
const STRETCH: u64 = 4096;

const FRAMES: Command = Command {
    name: "frames",
    short: &[],
    group: Group::Show,
    usage: "[into N]",
    takes: &[Argument::Words(&["into"])],
    examples: &[Example {
        given: &["load scenarios/hoop/table.ron", "run to 0.5"],
        line: "frames into 10",
        shows: "pictures, t = 0 to 0.5",
    }],
    undoable: false,
    repeats: false,
    run: frames,
};

fn frames(console: &mut Console, args: &str, progress: &mut dyn ProgressSink) -> Outcome {
    let wanted = match args.strip_prefix("into ").map(str::trim) {
        Some(n) => n.parse().ok().filter(|n| (2..=MOST_FRAMES).contains(n)),
        None if args.is_empty() => Some(300),
        None => None,
    };
    let Some(wanted) = wanted else {
        let wrong = say!("console-film-frames", most = MOST_FRAMES);
        return Err(CommandError::new(wrong).with_help(say!("console-film-frames.help")));
    };
    if console.version().model.scene.is_none() {
        let said = CommandOutput::line(say!("console-no-scene"));
        return Ok(CommandOutput {
            data: json!(null),
            ..said
        });
    }
    let history = &console.state.history;
    let mut line = Line::whole(history.at_step(history.length()));
    #[expect(clippy::cast_precision_loss, reason = "some thousands")]
    let n_frames = wanted as f64;
    line.points = n_frames;
    let (from, to) = console.ends(&line);
    let distance = (to - from) / n_frames;
    let (mut trails, mut next) = (Trails::default(), from);
    let mut film: Vec<(f64, Picture)> = Vec::new();
    console.each_point(&line, progress, &mut |_, model, row| {
        trails.take(model, row);
        let is_last = row.time >= to;
        if (row.time < next && !is_last) || film.last().is_some_and(|(time, _)| *time == row.time) {
            return;
        }
        film.extend(draw(model, row, &trails).map(|picture| (row.time, picture)));
        while next <= row.time && distance > 0.0 {
            next += distance;
        }
    })?;
    let n_marks: usize = film.iter().map(|(_, picture)| picture.marks.len()).sum();
    let keeps = n_marks.div_ceil(MOST_MARKS).max(1);
    let film: Vec<(f64, Picture)> = film.into_iter().step_by(keeps).collect();
    let text = format!(
        "{}\n",
        say!(
            "console-film",
            pictures = say!("console-n-pictures", n = film.len()),
            from = time(from),
            to = time(to)
        )
    );
    let size = film.first().map(|(_, first)| [first.width, first.height]);
    let pictures: Vec<_> = film
        .iter()
        .map(|(time, picture)| json!({ "time": time, "marks": picture.marks }))
        .collect();
    Ok(CommandOutput::new(
        text,
        json!({ "size": size, "frames": pictures }),
    ))
}

const LAB: Command = Command {
    name: "lab",
    short: &[],
    group: Group::Show,
    usage: "[NAME = NUMBER, ..] [> FILE.csv]",
    takes: &[Argument::Number],
    examples: &[Example {
        given: &["load scenarios/stand/table.ron", "run"],
        line: "lab x[1] = 1.01",
        shows: "x[1]",
    }],
    undoable: false,
    repeats: false,
    run: lab,
};

fn lab(console: &mut Console, args: &str, progress: &mut dyn ProgressSink) -> Outcome {
    let version = console.version();
    let Some(lab) = &version.lab else {
        let said = CommandOutput::line(say!("console-no-exercise"));
        return Ok(CommandOutput {
            data: json!(null),
            ..said
        });
    };
    let start = version.model.start_values();
    let start = start.map_err(|error| CommandError::new(error.in_words()))?;
    let exercise = Exercise::of(lab, &version.model, &start);
    if args.is_empty() {
        let text = exercise.text(console.look.width);
        return Ok(CommandOutput::new(text, json!({ "exercise": exercise })));
    }
    let (args, file) = match args.rsplit_once('>') {
        Some((args, file)) => (args.trim(), Some(file.trim())),
        None => (args, None),
    };
    let mut predictions = Vec::new();
    for part in split_commas(args)
        .into_iter()
        .filter(|part| !part.is_empty())
    {
        let (name, value) = part
            .split_once('=')
            .ok_or_else(|| CommandError::new(say!("console-predicts-nothing", part)))?;
        let name = bare(name);
        if exercise.predict.iter().all(|field| field.name != name) {
            let known = exercise.predict.iter().map(|field| &*field.name);
            let near = situ_rules::diag::nearest(name, known);
            let trouble = CommandError::new(say!("console-not-asked", name));
            return Err(match near {
                Some(near) => trouble.with_help(say!("report-did-you-mean", near)),
                None => trouble.with_help(say!("console-not-asked.help")),
            });
        }
        predictions.push((name.to_owned(), console.number(value)?));
    }
    let history = &console.state.history;
    let line = Line::whole(history.at_step(history.length()));
    let (_, end) = console.ends(&line);
    let measures: Vec<_> = lab.measures().cloned().collect();
    let watch = LabWatch::new(lab, &version.model, &version.config);
    let run = watch.run(&measures);
    let mut run = run.map_err(|error| console.setup_trouble(&error, &version))?;
    let mut watched = Watched {
        watch,
        rows: 0,
        is_stopped: false,
        progress,
    };
    // What was obtained before a fault counts; the run itself has told of the fault.
    let _ = run.run_to(end, &mut watched);
    if watched.is_stopped {
        return Err(CommandError::new(say!("console-interrupted")));
    }
    let obtained = watched.watch.obtained(&run.measured());
    let predicted = |name: &str| {
        let mut known = predictions.iter().rev();
        known
            .find(|(known, _)| known == name)
            .map(|(_, value)| *value)
    };
    let rows = log(lab, &obtained, predicted);
    let mut text = log_text(&rows, console.look.width);
    if let Some(file) = file {
        let path = console.path(file);
        if path.extension().is_none_or(|end| end != "csv") {
            let wrong = say!("console-no-csv", path = path.display().to_string());
            return Err(CommandError::new(wrong).with_help(say!("console-no-csv.help")));
        }
        let read = version.document.read_from(true);
        let claimed = console.files.claim(&say!("console-the-log"), &path, &read);
        claimed.map_err(CommandError::new)?;
        write(&*console.files, &path, log_csv(&rows).as_bytes()).map_err(|error| {
            CommandError::new(say!(
                "console-cannot-write",
                path = path.display().to_string(),
                error = plain(&error)
            ))
        })?;
        text += &format!(
            "{}\n",
            say!("console-saved", path = path.display().to_string())
        );
    }
    let data = json!({ "exercise": exercise, "log": rows, "csv": log_csv(&rows) });
    Ok(CommandOutput::new(text, data))
}

/// Notes what an exercise asks for, and stops if it is told to.
struct Watched<'p> {
    watch: LabWatch,
    rows: u64,
    is_stopped: bool,
    progress: &'p mut dyn ProgressSink,
}

impl Recorder for Watched<'_> {
    fn row(&mut self, row: &Row<'_>) -> ControlFlow<()> {
        self.rows += 1;
        if self.rows.is_multiple_of(STRETCH) && self.progress.poll(self.rows, 0).is_break() {
            self.is_stopped = true;
            return ControlFlow::Break(());
        }
        self.watch.row(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::session;

    #[test]
    fn a_film_goes_from_the_start_to_the_known_end() {
        let (_, mut console) = session();
        for line in ["load scenarios/hoop/table.ron", "run to 1", "goto 0.2"] {
            console.execute(line, &mut ());
        }
        let reply = console.execute("frames into 40", &mut ());
        let frames = reply.data["result"]["frames"].as_array().unwrap();
        assert!((40..=43).contains(&frames.len()), "{}", frames.len());
        let times: Vec<f64> = frames
            .iter()
            .map(|frame| frame["time"].as_f64().unwrap())
            .collect();
        assert!(times.is_sorted() && times[0] == 0.0 && times.last() == Some(&1.0));
        assert!(
            frames
                .iter()
                .all(|frame| frame["marks"][0]["outline"].is_object())
        );
        assert!(console.execute("frames into 1", &mut ()).failed);
        let mut empty = Console::default();
        let reply = empty.execute("frames", &mut ());
        assert!(!reply.failed && reply.data["result"].is_null());
    }

    #[test]
    fn a_log_compares_what_was_predicted() {
        let (files, mut console) = session();
        for line in [
            "load scenarios/stand/table.ron",
            "rerun stepping = events, method = rk4, locate = linear, step = 0.05",
            "run to 3.99",
        ] {
            let reply = console.execute(line, &mut ());
            assert!(!reply.failed, "{}", reply.text);
        }
        let reply = console.execute("lab x[1] = 1.01, x[2] = 2.25 > log.csv", &mut ());
        assert!(!reply.failed, "{}", reply.text);
        let log = &reply.data["result"]["log"];
        let obtained = log[0]["obtained"].as_f64().unwrap();
        assert!((obtained - 1.009_447_801).abs() < 1e-8, "{obtained}");
        let error = log[1]["error"].as_f64().unwrap();
        assert!((error - (2.25 - 2.220_653_944)).abs() < 1e-8, "{error}");
        assert!(log[2]["predicted"].is_null());
        assert_eq!(files.get("log.csv").unwrap().lines().count(), 10);
        for wrong in ["lab x[9] = 1", "lab x", "lab x[1] = 1 > log.txt"] {
            assert!(console.execute(wrong, &mut ()).failed, "{wrong}");
        }
    }
}
