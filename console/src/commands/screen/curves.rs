//! Curves as a picture shows them: of each column of pixels the least and the greatest value.

use serde_json::{Value, json};
use situ_engine::model::{Boolean, Model};
use situ_explain::History;
use situ_views::columns::Columns;
use situ_views::columns::envelope::Envelope;
use situ_views::text::listing::{Align, Listing};
use situ_views::text::number::rounded;
use situ_words::{Language, say};

use crate::command::{Argument, Command, Example, Group};
use crate::commands::look::number;
use crate::commands::rows::kind_of;
use crate::commands::show::{described, words_of};
use crate::history::points::Line;
use crate::names::{Named, named};
use crate::prompt::time;
use crate::reply::{CommandError, CommandOutput, Outcome};
use crate::{Console, ProgressSink};

/// The commands of this file, in the order of the help.
pub(in crate::commands) const COMMANDS: &[Command] = &[CURVES];

/// Most columns of pixels.
const MOST_PIXELS: usize = 4000;

/// Most turns of a boolean that are listed as text.
const MOST_TURNS: usize = 12;

const CURVES: Command = Command {
    name: "curves",
    short: &[],
    group: Group::Show,
    usage: "[NAME ..] [of BRANCH] [from T to T] [into N] [whole]",
    takes: &[
        Argument::Name,
        Argument::Words(&["of", "from", "to", "into", "whole"]),
        Argument::Branch,
        Argument::Number,
    ],
    examples: &[
        Example {
            given: &["load scenarios/hoop/table.ron", "run to 2"],
            line: "curves h from 0 to 1 into 4",
            shows: "400",
        },
        Example {
            given: &["load scenarios/hoop/table.ron", "run to 2"],
            line: "curves contact",
            shows: "contact",
        },
    ],
    undoable: false,
    repeats: false,
    run: curves,
};

/// What is asked for.
#[derive(Debug)]
struct Asked {
    names: Vec<String>,
    branch: Option<String>,
    window: Option<(String, String)>,
    pixels: usize,
    is_whole: bool,
}

fn asked(args: &str) -> Result<Asked, CommandError> {
    let mut names = words_of(args)?;
    let mut asked = Asked {
        names: Vec::new(),
        branch: None,
        window: None,
        pixels: 20,
        is_whole: names.pop_if(|word| word == "whole").is_some(),
    };
    loop {
        match names.as_slice() {
            [.., word, n] if word == "into" => {
                let n_pixels = n.parse().ok().filter(|n| (1..=MOST_PIXELS).contains(n));
                asked.pixels = n_pixels.ok_or_else(|| {
                    CommandError::new(say!("console-curves-parts", most = MOST_PIXELS, n))
                })?;
                names.truncate(names.len() - 2);
            }
            [.., word, from, to, end] if word == "from" && to == "to" => {
                asked.window = Some((from.clone(), end.clone()));
                names.truncate(names.len() - 4);
            }
            [.., word, branch] if word == "of" => {
                asked.branch = Some(branch.clone());
                names.truncate(names.len() - 2);
            }
            _ => break,
        }
    }
    asked.names = names;
    Ok(asked)
}

fn curves(console: &mut Console, args: &str, progress: &mut dyn ProgressSink) -> Outcome {
    let asked = asked(args)?;
    let history = match &asked.branch {
        Some(branch) if **branch != *console.state.branch => {
            let found = console.state.branches.get(branch).cloned();
            found.ok_or_else(|| {
                CommandError::new(say!("console-no-branch", name = branch))
                    .with_help(say!("console-no-branch.help"))
            })?
        }
        _ => console.state.history.clone(),
    };
    let end = history.at_step(history.length());
    let line = console.part(&history, end, &asked)?;
    let model = std::sync::Arc::clone(console.segments.model(line.to.segment()));
    let names = if asked.names.is_empty() {
        let drawn = Columns::drawn(&model);
        drawn.names(&model).map(str::to_owned).collect()
    } else {
        asked.names.clone()
    };
    let mut of = Vec::new();
    for name in &names {
        of.push(named(&model, name)?);
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let drawn = match asked.is_whole {
        true => console.whole(&line, (&names, &of), asked.pixels, progress)?,
        false => console.envelope(&line, (&names, &of), asked.pixels, progress)?,
    };
    Ok(answer(console, &model, (&names, &of), &drawn, &asked))
}

/// What is drawn.
#[derive(Debug)]
struct Drawn {
    /// First and last time.
    span: (f64, f64),
    times: Vec<f64>,
    /// Values of the reals at these times.
    reals: Vec<Vec<f64>>,
    /// Of each truth whether it holds at the beginning, and when it turns.
    truths: Vec<(bool, Vec<f64>)>,
}

impl Console {
    /// The part of a line that lies in a window.
    fn part(
        &mut self,
        history: &History,
        end: History,
        asked: &Asked,
    ) -> Result<Line, CommandError> {
        let mut line = Line::whole(end);
        let Some((from, to)) = &asked.window else {
            return Ok(line);
        };
        let (from, to) = (self.moment_named(from)?, self.moment_named(to)?);
        if from.is_nan() || to.is_nan() || from >= to {
            return Err(CommandError::new(say!("console-empty-window"))
                .with_help(say!("console-empty-window.help")));
        }
        let (start, end) = self.ends(&line);
        // A window may be wider than what is known.
        line.from = self.place_on(history, from.clamp(start, end))?;
        line.to = self.place_on(history, to.clamp(start, end))?;
        #[expect(clippy::cast_precision_loss, reason = "some thousands")]
        let pixels = asked.pixels as f64;
        line.points = line.points.max(pixels);
        Ok(line)
    }

    /// The least and the greatest of each column of pixels.
    fn envelope(
        &mut self,
        line: &Line,
        (names, of): (&[&str], &[Named]),
        pixels: usize,
        progress: &mut dyn ProgressSink,
    ) -> Result<Drawn, CommandError> {
        let are_truths: Vec<bool> = of.iter().map(is_truth).collect();
        let n_truths = are_truths.iter().filter(|is| **is).count();
        let (n_reals, span) = (names.len() - n_truths, self.ends(line));
        let mut envelope = Envelope::new((n_reals, n_truths), span, pixels);
        self.each_row(line, names, progress, &mut |time, values| {
            let values = values.iter().zip(&are_truths);
            let (reals, truths) = (values.clone().filter(|of| !of.1), values.filter(|of| *of.1));
            envelope.push(time, reals.map(|of| *of.0), truths.map(|of| *of.0 == 1.0));
        })?;
        Ok(Drawn {
            span,
            times: envelope.times(),
            reals: (0..n_reals).map(|real| envelope.values(real)).collect(),
            truths: (0..n_truths)
                .map(|truth| (envelope.begins(truth), envelope.turns(truth)))
                .collect(),
        })
    }

    /// Whole rows, every so many of them: what belongs together stays together.
    fn whole(
        &mut self,
        line: &Line,
        (names, of): (&[&str], &[Named]),
        pixels: usize,
        progress: &mut dyn ProgressSink,
    ) -> Result<Drawn, CommandError> {
        let rows = self.sampled(line, names, progress)?;
        let n = rows.len().div_ceil(2 * pixels.max(1)).max(1);
        let columns = of.iter().zip(1..);
        let (truths, reals): (Vec<_>, Vec<_>) = columns.partition(|(what, _)| is_truth(what));
        let span = self.ends(line);
        let times: Vec<f64> = rows.column(0).collect();
        let truths = truths.into_iter().map(|(_, at)| {
            let mut turns = Envelope::new((0, 1), span, pixels);
            for (time, value) in times.iter().zip(rows.column(at)) {
                turns.push(*time, [], [value == 1.0]);
            }
            (turns.begins(0), turns.turns(0))
        });
        Ok(Drawn {
            span,
            truths: truths.collect(),
            times: every(rows.column(0), n),
            reals: reals
                .into_iter()
                .map(|(_, at)| every(rows.column(at), n))
                .collect(),
        })
    }
}

fn is_truth(what: &Named) -> bool {
    matches!(what, Named::Boolean(_))
}

fn answer(
    console: &Console,
    model: &Model,
    (names, of): (&[&str], &[Named]),
    drawn: &Drawn,
    asked: &Asked,
) -> CommandOutput {
    let ((from, to), times) = (drawn.span, &drawn.times);
    let mut listing = Listing::new([
        (say!("console-column-name"), Align::Left),
        (say!("console-column-from-t"), Align::Right),
        (say!("console-column-to"), Align::Right),
        (say!("console-column-least"), Align::Right),
        (say!("console-column-greatest"), Align::Right),
    ]);
    let has_text = console.look.texts;
    let (mut reals, mut booleans) = (Vec::new(), Vec::new());
    let (mut values, mut truths) = (drawn.reals.iter(), drawn.truths.iter());
    for (name, what) in names.iter().zip(of) {
        if let Named::Boolean(what) = what {
            let Some((holds, turns)) = truths.next() else {
                break;
            };
            if has_text {
                // An event has no length: only where it fires.
                let fires = turns.iter().skip(usize::from(*holds)).step_by(2);
                let said: Vec<f64> = match is_event(model, *what) {
                    true => fires.copied().collect(),
                    false => turns.clone(),
                };
                listing.row([
                    (*name).to_owned(),
                    time(from),
                    time(to),
                    holds.to_string(),
                    turns_in_words(&said),
                ]);
            }
            booleans.push(json!({
                "name": name,
                "kind": Language::English.within(|| kind_of(model, *what)),
                "holds": holds,
                "turns": turns,
            }));
            continue;
        }
        let Some(values) = values.next() else { break };
        for (at, pair) in times.chunks(2).zip(values.chunks(2)).filter(|_| has_text) {
            let (least, greatest) = pair.iter().fold(
                (f64::INFINITY, f64::NEG_INFINITY),
                |(least, most), value| (least.min(*value), most.max(*value)),
            );
            // A part of the line may not have the name.
            let said = |value: f64| Some(rounded(value)).filter(|_| least <= greatest);
            listing.row([
                (*name).to_owned(),
                time(at[0]),
                time(at[at.len() - 1]),
                said(least).unwrap_or_default(),
                said(greatest).unwrap_or_default(),
            ]);
        }
        let (unit, about) = described(model, name);
        let values: Vec<Value> = values.iter().copied().map(number).collect();
        reals.push(json!({ "name": name, "unit": unit, "about": about, "values": values }));
    }
    let data = json!({
        "from": from,
        "to": to,
        "branch": asked.branch.as_deref().unwrap_or(&console.state.branch),
        "times": times,
        "time_unit": model.clock.time_unit(),
        "reals": reals,
        "booleans": booleans,
    });
    let text = match has_text {
        true => listing.plain(console.look.width),
        false => String::new(),
    };
    CommandOutput::new(text, data)
}

fn is_event(model: &Model, what: Boolean) -> bool {
    matches!(what, Boolean::Situation(id) if model.situations[id.index()].event)
}

/// The first times of many.
fn turns_in_words(turns: &[f64]) -> String {
    let shown = turns.iter().take(MOST_TURNS).map(|turn| time(*turn));
    let mut shown = shown.collect::<Vec<_>>().join(", ");
    if let rest @ 1.. = turns.len().saturating_sub(MOST_TURNS) {
        shown.push_str(&format!(", {}", say!("console-curves-more", rest)));
    }
    shown
}

/// Every `n`-th of some values, and the last.
fn every(values: impl Iterator<Item = f64>, n: usize) -> Vec<f64> {
    let mut kept = Vec::new();
    let mut last = None;
    for (index, value) in values.enumerate() {
        last = (!index.is_multiple_of(n)).then_some(value);
        kept.extend(index.is_multiple_of(n).then_some(value));
    }
    kept.extend(last);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::session;

    fn values(reply: &Value) -> Vec<f64> {
        let values = reply["result"]["reals"][0]["values"].as_array().unwrap();
        values.iter().map(|value| value.as_f64().unwrap()).collect()
    }

    /// A peak of one tick among 200,000 is seen, whatever the width and wherever one zooms to.
    #[test]
    fn a_peak_is_seen_at_every_width() {
        let mut console = Console::default();
        for line in [
            "real x = 0",
            "real s = 0",
            "s = sin(6 * time)",
            "x = 0 * time",
            "set step = 0.0001",
            "set stop = 20",
        ] {
            let reply = console.execute(line, &mut ());
            assert!(!reply.failed, "{line}\n{}", reply.text);
        }
        console.execute("run to 12.3456", &mut ());
        console.execute("set x = 9", &mut ());
        console.execute("run to 20", &mut ());
        for width in [1, 7, 300, 1500] {
            let reply = console.execute(&format!("curves x s into {width}"), &mut ());
            assert!(!reply.failed, "{}", reply.text);
            let seen = values(&reply.data);
            assert!(seen.len() <= 2 * width + 2, "{}", seen.len());
            let most = seen.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            assert_eq!(most, 9.0, "{width}");
        }
        let reply = console.execute("curves x from 12.3 to 12.4 into 50", &mut ());
        let result = &reply.data["result"];
        assert!(result["from"].as_f64().unwrap() >= 12.2999, "{result}");
        assert!(result["to"].as_f64().unwrap() <= 12.4001, "{result}");
        assert!(values(&reply.data).contains(&9.0));
        let reply = console.execute("curves x from 13 to 14 into 50", &mut ());
        assert!(!values(&reply.data).contains(&9.0));
    }

    #[test]
    fn a_branch_and_the_known_future_are_shown() {
        let (_, mut console) = session();
        for line in [
            "load scenarios/hoop/table.ron",
            "run to 1",
            "branch heavy",
            "goto 0.5",
            "set m = 2",
            "run to 0.8",
            "goto 0.6",
        ] {
            let reply = console.execute(line, &mut ());
            assert!(!reply.failed, "{line}\n{}", reply.text);
        }
        for (line, end) in [("curves h", 0.8), ("curves h of main", 1.0)] {
            let reply = console.execute(line, &mut ());
            let to = reply.data["result"]["to"].as_f64().unwrap();
            assert!((to - end).abs() < 1e-9, "{line}: {to}");
        }
        let reply = console.execute("curves contact of main", &mut ());
        let turns = reply.data["result"]["booleans"][0]["turns"].clone();
        let first = turns[0].as_f64().unwrap();
        assert!((first - 0.8686).abs() < 1e-3, "{turns}");
        for wrong in [
            "curves q",
            "curves h of x",
            "curves h into 0",
            "curves h from 2 to 1",
        ] {
            assert!(console.execute(wrong, &mut ()).failed, "{wrong}");
        }
    }
}
