//! Back: by steps, to a condition, to a change, to a time.

use std::ops::ControlFlow;
use std::sync::Arc;

use serde_json::json;

use super::run::count;
use crate::command::{Argument, Command, Example, Group};
use crate::history::inside::StepDone;
use crate::history::journey::Journey;
use crate::history::stops::{Probe, StopOn};
use crate::prompt::time;
use crate::reply::{CommandError, CommandOutput, Outcome};
use crate::{Console, ProgressSink};
use situ_explain::{At, Cut, History};
use situ_views::text::listing::{Align, Listing};
use situ_words::say;

const RUN: &[&str] = &["load scenarios/hoop/table.ron", "run to 1"];

/// Steps that are looked through at a time, going back.
const STRETCH: u64 = 4096;

/// A place that is nearer to the present one is the present one [part of the time].
const NEAR: f64 = 1e-12;

/// The commands of this file, in the order of the help.
pub(super) const COMMANDS: &[Command] = &[BACK, GOTO, MARK, MARKS];

const BACK: Command = Command {
    name: "back",
    short: &["b"],
    group: Group::Back,
    usage: "[N | until COND | change NAME]",
    takes: &[Argument::Words(&["until", "change"]), Argument::Expression],
    examples: &[
        Example {
            given: RUN,
            line: "back 10",
            shows: "t = 0.999, step 9990",
        },
        Example {
            given: RUN,
            line: "back until contact",
            shows: "t = 0.8686",
        },
        Example {
            given: RUN,
            line: "back change V_neg",
            shows: "V_pos",
        },
    ],
    undoable: true,
    repeats: true,
    run: back,
};

fn back(console: &mut Console, args: &str, progress: &mut dyn ProgressSink) -> Outcome {
    let (word, rest) = args.split_once(char::is_whitespace).unwrap_or((args, ""));
    let on = match (word, rest.trim()) {
        ("until" | "change", "") => {
            return Err(CommandError::new(say!("console-back-needs-more", word))
                .with_help(say!("console-back-needs-more.help")));
        }
        ("until", text) => StopOn::Condition(text.to_owned()),
        ("change", name) => StopOn::Change(name.to_owned()),
        _ => {
            let steps = count(args, "back")?;
            let now = console.state.history.steps_before();
            console.jump(now - steps.min(now));
            let mut said = console.arrived(&Journey::default());
            if steps > now {
                said.text
                    .push_str(&format!("  {}\n", say!("console-this-is-the-start")));
            }
            return Ok(said);
        }
    };
    match console.last_arising(&on, progress)? {
        Some(place) => {
            console.go(place);
            Ok(console.arrived(&Journey::default()))
        }
        None => Err(CommandError::new(match on {
            StopOn::Change(name) => say!("console-not-changed-before", name),
            _ => say!("console-not-arisen-before", rest),
        })),
    }
}

impl Console {
    /// The last place before the present one at which a stop would have stopped.
    ///
    /// Goes back by stretches and through each of them forward.
    fn last_arising(
        &mut self,
        on: &StopOn,
        progress: &mut dyn ProgressSink,
    ) -> Result<Option<History>, CommandError> {
        let here = self.state.history.clone();
        let now = here.steps_before();
        let mut end = now;
        let here_time = self.run().time();
        // What has arisen in the instant at which one stands is no earlier place.
        let is_before = |place: &At, is_last: bool| match place.cut {
            Some(Cut::Time(time)) => time < here_time - NEAR * here_time.abs(),
            Some(Cut::Microstep(_)) | None => !is_last,
        };
        let mut unknown = None;
        let mut is_known = false;
        while end > 0 {
            let begin = end.saturating_sub(STRETCH);
            self.state.history = here.at_step(begin);
            let mut found = None;
            let mut segment = None;
            let mut probe: Option<(Arc<situ_engine::model::Model>, Probe)> = None;
            for at in begin..=end {
                let place = self.state.history.segment();
                if segment != Some(place) {
                    segment = Some(place);
                    let before = probe.take();
                    probe = match self.probe(on) {
                        Ok(probe) => Some(probe),
                        // Another version may have the name.
                        Err(trouble) => {
                            unknown = Some(trouble);
                            None
                        }
                    };
                    is_known |= probe.is_some();
                    let pair = before.as_ref().zip(probe.as_ref());
                    if at < now
                        && pair.is_some_and(|(before, after)| after.1.arises_by_edit(&before.1))
                    {
                        found = Some(here.at_step(at));
                    }
                }
                if at == end {
                    break;
                }
                let (segment, from) = self.state.history.place();
                let (_, to) = self.state.history.next();
                let piece = self.state.history.piece();
                self.state.history.forward();
                let Some((model, probe)) = &mut probe else {
                    continue;
                };
                let step = StepDone { segment, from, to };
                let inside = self.arisings_inside(model, &mut [&mut *probe], step, usize::MAX);
                let mut inside = inside.into_iter().map(|(_, at)| at);
                let is_last = at + 1 == now;
                let last = inside.rfind(|place| is_before(place, is_last));
                let last = last.map(|place| here.at_place(piece, place));
                found = last.or(found);
                let mut met = self.arisings_at_end(model, &mut [&mut *probe], step);
                if let Some((_, first)) = met.first_mut() {
                    *first = self.arising_at_end(model, probe, step).unwrap_or(*first);
                }
                let mut met = met.into_iter().map(|(_, at)| at);
                let last = met.rfind(|place| is_before(place, is_last));
                let last = last.map(|place| here.at_place(piece, place));
                found = last.or(found);
            }
            let unknown = unknown.take().filter(|_| !is_known);
            if unknown.is_some() || found.is_some() {
                self.state.history = here;
                return unknown.map_or(Ok(found), Err);
            }
            end = begin;
            if progress.poll(now - end, now) == ControlFlow::Break(()) {
                self.state.history = here;
                return Err(CommandError::new(say!("console-interrupted")));
            }
        }
        self.state.history = here;
        Ok(None)
    }

    fn probe(
        &mut self,
        on: &StopOn,
    ) -> Result<(Arc<situ_engine::model::Model>, Probe), CommandError> {
        let version = self.version();
        let mut model = (*version.model).clone();
        let mut bind = |text: &str| self.bind_into(&version, &mut model, text);
        let mut probe = Probe::new(on, &version, &mut bind)?;
        let model = Arc::new(model);
        probe.begin(&model, self.run());
        Ok((model, probe))
    }
}

const GOTO: Command = Command {
    name: "goto",
    short: &["g"],
    group: Group::Back,
    usage: "T | MARK | start | end",
    takes: &[Argument::Mark, Argument::Number],
    examples: &[
        Example {
            given: RUN,
            line: "goto 0.5",
            shows: "t = 0.5, step 5000",
        },
        Example {
            given: RUN,
            line: "goto start",
            shows: "t = 0, step 0",
        },
    ],
    undoable: true,
    repeats: false,
    run: goto,
};

fn goto(console: &mut Console, args: &str, _: &mut dyn ProgressSink) -> Outcome {
    let history = console.state.history.clone();
    let place = match args {
        "" => {
            return Err(CommandError::new(say!("console-goto-needs"))
                .with_help(say!("console-goto-needs.help")));
        }
        "start" => history.at_step(0),
        "end" => history.at_step(history.length()),
        _ => {
            let at = console.moment_named(args)?;
            console.seen_from(at)?
        }
    };
    console.go(place);
    Ok(console.arrived(&Journey::default()))
}

impl Console {
    /// A time: a number, an expression, or the name of a mark.
    pub(crate) fn moment_named(&mut self, text: &str) -> Result<f64, CommandError> {
        match self.state.marks.get(text) {
            Some(at) => Ok(*at),
            None => self.number(text),
        }
    }
}

const MARK: Command = Command {
    name: "mark",
    short: &[],
    group: Group::Back,
    usage: "NAME",
    takes: &[],
    examples: &[Example {
        given: RUN,
        line: "mark high",
        shows: "`high` is t = 1",
    }],
    undoable: true,
    repeats: false,
    run: mark,
};

fn mark(console: &mut Console, args: &str, _: &mut dyn ProgressSink) -> Outcome {
    if args.is_empty() || ["start", "end"].contains(&args) || args.parse::<f64>().is_ok() {
        return Err(CommandError::new(say!("console-mark-needs"))
            .with_help(say!("console-mark-needs.help")));
    }
    let at = console.run().time();
    Arc::make_mut(&mut console.state.marks).insert(args.to_owned(), at);
    Ok(CommandOutput::new(
        format!("{}\n", say!("console-mark-is", args, time = time(at))),
        json!({ "mark": args, "time": at }),
    ))
}

const MARKS: Command = Command {
    name: "marks",
    short: &[],
    group: Group::Back,
    usage: "",
    takes: &[],
    examples: &[Example {
        given: &["mark zero"],
        line: "marks",
        shows: "zero",
    }],
    undoable: false,
    repeats: false,
    run: marks,
};

fn marks(console: &mut Console, _: &str, _: &mut dyn ProgressSink) -> Outcome {
    let mut listing = Listing::new([
        (say!("console-column-mark"), Align::Left),
        (say!("console-column-time"), Align::Right),
    ]);
    for (name, at) in console.state.marks.iter() {
        listing.row([name.clone(), time(*at)]);
    }
    if listing.is_empty() {
        return Ok(CommandOutput::line(say!("console-no-marks")));
    }
    Ok(CommandOutput::new(
        listing.plain(console.look.width),
        json!(*console.state.marks),
    ))
}
