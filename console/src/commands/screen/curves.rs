//! Curves as a picture shows them: of each column of pixels the least and the greatest value.

use serde_json::{Value, json};
use situ_engine::model::Model;
use situ_explain::History;
use situ_views::columns::Columns;
use situ_views::columns::downsample::Downsampler;
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
    let rows = console.sampled(&line, &names, progress)?;
    Ok(answer(console, &model, (&names, &of), &rows, &asked))
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
        let points = asked.pixels as f64;
        line.points = points;
        Ok(line)
    }
}

fn answer(
    console: &Console,
    model: &Model,
    (names, of): (&[&str], &[Named]),
    rows: &Downsampler,
    asked: &Asked,
) -> CommandOutput {
    let all: Vec<f64> = rows.column(0).collect();
    let (first, last) = (all.first().copied(), all.last().copied());
    let (from, to) = (first.unwrap_or(0.0), last.unwrap_or(0.0));
    let parts = if asked.is_whole {
        Parts::some(all.len(), 2 * asked.pixels)
    } else {
        Parts::cut(&all, (from, to), asked.pixels)
    };
    let times = parts.times(&all);
    let mut listing = Listing::new([
        (say!("console-column-name"), Align::Left),
        (say!("console-column-from-t"), Align::Right),
        (say!("console-column-to"), Align::Right),
        (say!("console-column-least"), Align::Right),
        (say!("console-column-greatest"), Align::Right),
    ]);
    let has_text = console.look.texts;
    let (mut reals, mut booleans) = (Vec::new(), Vec::new());
    for (index, (name, what)) in names.iter().zip(of).enumerate() {
        let values: Vec<f64> = rows.column(1 + index).collect();
        if let Named::Boolean(what) = what {
            let turns = thinned(turns(&all, &values), (from, to), asked.pixels);
            let holds = values.first().is_some_and(|value| *value == 1.0);
            if has_text {
                listing.row([
                    (*name).to_owned(),
                    time(from),
                    time(to),
                    holds.to_string(),
                    turns_in_words(&turns),
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
        let values = parts.values(&values);
        for (at, pair) in times.chunks(2).zip(values.chunks(2)).filter(|_| has_text) {
            let (least, greatest) = pair.iter().fold(
                (f64::INFINITY, f64::NEG_INFINITY),
                |(least, most), value| (least.min(*value), most.max(*value)),
            );
            listing.row([
                (*name).to_owned(),
                time(at[0]),
                time(at[at.len() - 1]),
                rounded(least),
                rounded(greatest),
            ]);
        }
        let (unit, about) = described(model, name);
        let values: Vec<Value> = values.into_iter().map(number).collect();
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

/// The first times of many.
fn turns_in_words(turns: &[f64]) -> String {
    let shown = turns.iter().take(MOST_TURNS).map(|turn| time(*turn));
    let mut shown = shown.collect::<Vec<_>>().join(", ");
    if let rest @ 1.. = turns.len().saturating_sub(MOST_TURNS) {
        shown.push_str(&format!(", {}", say!("console-curves-more", rest)));
    }
    shown
}

/// The times at which a column of truths turns; a pulse turns twice.
fn turns(times: &[f64], values: &[f64]) -> Vec<f64> {
    let pairs = values.windows(2).zip(times.iter().skip(1));
    let turned = pairs.filter(|(pair, _)| pair[0] != pair[1]);
    turned.map(|(_, at)| *at).collect()
}

/// Of turns that fall into one part of a picture the first and the last ones, so that it is the same afterwards.
fn thinned(turns: Vec<f64>, (from, to): (f64, f64), pixels: usize) -> Vec<f64> {
    if turns.len() <= 4 * pixels {
        return turns;
    }
    #[expect(clippy::cast_precision_loss, reason = "some thousands")]
    let width = (to - from) / pixels as f64;
    let parts = turns.chunk_by(|a, b| ((a - from) / width).floor() == ((b - from) / width).floor());
    let kept = parts.flat_map(|part| match part {
        [first, second, .., last] if part.len() % 2 == 1 => vec![*first, *second, *last],
        [first, .., last] => vec![*first, *last],
        few => few.to_vec(),
    });
    kept.collect()
}

/// Which rows a picture shows.
#[derive(Debug)]
enum Parts {
    /// All of them, or every so many.
    Every(usize),
    /// Of the rows between two of these, the least and the greatest.
    Between(Vec<usize>),
}

impl Parts {
    /// At most so many rows, each whole.
    fn some(n_rows: usize, most: usize) -> Self {
        Self::Every(n_rows.div_ceil(most.max(1)).max(1))
    }

    /// Parts of equal length; all rows if they are few.
    fn cut(times: &[f64], (from, to): (f64, f64), n: usize) -> Self {
        if times.len() <= 2 * n {
            return Self::Every(1);
        }
        #[expect(clippy::cast_precision_loss, reason = "some thousands")]
        let border = |part: usize| from + (to - from) * (part as f64 / n as f64);
        let mut ends: Vec<usize> = (1..n)
            .map(|part| times.partition_point(|time| *time < border(part)))
            .collect();
        ends.insert(0, 0);
        ends.push(times.len());
        ends.dedup();
        Self::Between(ends)
    }

    /// The times of what is shown: of a part its first and its last.
    fn times(&self, times: &[f64]) -> Vec<f64> {
        match self {
            Self::Every(n) => every(times, *n),
            Self::Between(ends) => ends
                .windows(2)
                .flat_map(|part| [times[part[0]], times[part[1] - 1]])
                .collect(),
        }
    }

    /// The values of what is shown: of a part the least and the greatest, the earlier one first.
    fn values(&self, values: &[f64]) -> Vec<f64> {
        match self {
            Self::Every(n) => every(values, *n),
            Self::Between(ends) => ends
                .windows(2)
                .flat_map(|part| extremes(&values[part[0]..part[1]]))
                .collect(),
        }
    }
}

fn every(values: &[f64], n: usize) -> Vec<f64> {
    let last = values.len().saturating_sub(1);
    let kept = values.iter().enumerate();
    let kept = kept.filter(|(index, _)| index.is_multiple_of(n) || *index == last);
    kept.map(|(_, value)| *value).collect()
}

/// The least and the greatest of some values, the earlier one first; NaN only if there is nothing else.
fn extremes(values: &[f64]) -> [f64; 2] {
    let (mut least, mut most) = (0, 0);
    for (index, value) in values.iter().enumerate() {
        if *value < values[least] || values[least].is_nan() {
            least = index;
        }
        if *value > values[most] || values[most].is_nan() {
            most = index;
        }
    }
    [values[least.min(most)], values[least.max(most)]]
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

    #[test]
    fn many_turns_become_few_that_lead_to_the_same() {
        let turns: Vec<f64> = (0..10_001).map(|n| f64::from(n) * 1e-3).collect();
        let few = thinned(turns.clone(), (0.0, 10.0), 20);
        assert!(
            few.len() <= 63 && few.len() % 2 == turns.len() % 2,
            "{}",
            few.len()
        );
        assert!(few.is_sorted() && few.iter().all(|one| turns.contains(one)));
        assert_eq!((few[0], few[few.len() - 1]), (0.0, turns[10_000]));
        assert_eq!(thinned(turns.clone(), (0.0, 10.0), 4000), turns);
    }

    #[test]
    fn of_some_values_the_extremes_are_in_order() {
        assert_eq!(extremes(&[1.0, 5.0, -2.0, 3.0]), [5.0, -2.0]);
        assert_eq!(extremes(&[f64::NAN, 4.0, f64::NAN]), [4.0, 4.0]);
        assert!(extremes(&[f64::NAN])[0].is_nan());
    }
}
