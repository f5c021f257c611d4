//! Reasons: why a value is what it is, who moved it, how it came about.

mod expect;
mod failing;

use std::ops::Range;

use serde_json::json;

use crate::command::{Argument, Command, Example, Group};
use crate::document::Version;
use crate::names::{Named, bare, named};
use crate::prompt::time;
use crate::reply::{CommandError, CommandOutput, Outcome};
use crate::{Console, ProgressSink};
use situ_explain::{Mover, Stood};
use situ_rules::print;
use situ_views::explanation;
use situ_views::text::listing::{Align, Listing};
use situ_views::text::number::rounded;
use situ_words::say;

/// Lines at each end of a long history that are shown.
const END_LINES: usize = 20;

const CONTACT: &[&str] = &["load scenarios/hoop/table.ron", "run until contact & V_pos"];

/// The commands of this file, in the order of the help.
pub(super) const COMMANDS: &[Command] = &[WHY, expect::EXPECT, BLAME, TRACE, COVERAGE];

const WHY: Command = Command {
    name: "why",
    short: &[],
    group: Group::Explain,
    usage: "[not] NAME [at T]",
    takes: &[
        Argument::Words(&["not"]),
        Argument::Name,
        Argument::Words(&["at"]),
        Argument::Number,
    ],
    examples: &[
        Example {
            given: CONTACT,
            line: "why accelerating",
            shows: "+ h < R: ",
        },
        Example {
            given: CONTACT,
            line: "why Fel",
            shows: "[3] Fel = K_acceleration * def when accelerating",
        },
        Example {
            given: CONTACT,
            line: "why not braking",
            shows: "V_neg does not hold",
        },
        Example {
            given: CONTACT,
            line: "why contact at 0.5",
            shows: "- h < R: ",
        },
    ],
    undoable: false,
    repeats: false,
    run: why,
};

fn why(console: &mut Console, args: &str, progress: &mut dyn ProgressSink) -> Outcome {
    let (subject, at) = match args.rsplit_once(" at ") {
        Some((subject, at)) => (subject.trim(), Some(at.trim())),
        None => (args, None),
    };
    let (not, name) = match subject.strip_prefix("not ") {
        Some(name) => (true, name.trim()),
        None => (false, subject),
    };
    if name.is_empty() {
        return Err(
            CommandError::new(say!("console-why-needs")).with_help(say!("console-why-needs.help"))
        );
    }
    let here = console.state.history.clone();
    let mut version = console.version();
    if let Some(at) = at {
        let at = console.moment_named(at)?;
        let place = console.seen_from(at)?;
        version = console.version_seen(&place);
        console.go(place);
    }
    let answer = explained(console, &version, (name, not), progress);
    console.go(here);
    answer
}

fn explained(
    console: &mut Console,
    version: &Version,
    (name, not): (&str, bool),
    progress: &mut dyn ProgressSink,
) -> Outcome {
    let model = &version.model;
    let reason = match named(model, name)? {
        Named::Boolean(what) if not => console.past().why_not(what, progress)?,
        Named::Boolean(what) => console.past().why_boolean(what),
        Named::Real(_) | Named::Constant(_) if not => {
            return Err(
                CommandError::new(say!("console-no-boolean", name = bare(name)))
                    .with_help(say!("console-no-boolean.help", name)),
            );
        }
        Named::Real(id) => console.past().why_real(id, progress)?,
        Named::Constant(id) => {
            let words = print::ModelText::of(model);
            let one = &model.constants[id.index()];
            let (value, _) = console.value_in(version, &print::name(&one.name))?;
            let set = version
                .choices
                .settings
                .iter()
                .find(|(set, _)| *set == one.name);
            let from = match set {
                Some((_, value)) => say!("console-was-set", value),
                None => say!("console-table-says", value = words.expression(one.start)),
            };
            return Ok(CommandOutput::line(say!(
                "console-why-constant",
                value,
                from
            )));
        }
    };
    Ok(CommandOutput::new(
        explanation::text(&reason),
        explanation::data(&reason),
    ))
}

const BLAME: Command = Command {
    name: "blame",
    short: &[],
    group: Group::Explain,
    usage: "NAME [from T]",
    takes: &[Argument::Name, Argument::Words(&["from"]), Argument::Number],
    examples: &[Example {
        given: CONTACT,
        line: "blame Fel from 0.8",
        shows: "[2] Fel = K_braking * def when braking",
    }],
    undoable: false,
    repeats: false,
    run: blame,
};

fn blame(console: &mut Console, args: &str, progress: &mut dyn ProgressSink) -> Outcome {
    let (name, from) = match args.rsplit_once(" from ") {
        Some((name, from)) => (name.trim(), Some(from.trim())),
        None => (args, None),
    };
    let version = console.version();
    let Named::Real(id) = named(&version.model, name)? else {
        return Err(
            CommandError::new(say!("console-no-real", name = bare(name)))
                .with_help(say!("console-no-real.help", name)),
        );
    };
    let quantity = version.model.reals[id.index()].clone();
    let begin = match from {
        None => console.state.history.at_step(0),
        Some(from) => {
            let at = console.moment_named(from)?;
            if at > console.run().time() {
                return Err(CommandError::new(say!("console-time-ahead")));
            }
            console.seen_from(at)?
        }
    };
    let blame = console.past().blame(&quantity.name, &begin, progress)?;
    let spelt = print::name(&quantity.name);
    let change = blame.to.1 - blame.from.1;
    let mut text = format!(
        "{}\n",
        say!(
            "console-blame",
            spelt,
            first = rounded(blame.from.1),
            begin = time(blame.from.0),
            last = rounded(blame.to.1),
            end = time(blame.to.0),
            change = signed(change)
        )
    );
    let mut listing = Listing::new([
        (say!("console-column-moved-by"), Align::Right),
        (say!("console-column-rule"), Align::Left),
        (say!("console-column-in"), Align::Right),
    ]);
    let mut data = Vec::new();
    for share in &blame.shares {
        let (who, said) = explanation::mover(&share.mover);
        let line = match share.mover {
            Mover::Outside(_) => say!("console-at-the-prompt", said),
            _ => format!("[{who}] {said}"),
        };
        listing.row([
            signed(share.moved),
            line,
            say!("console-n-steps", n = share.steps),
        ]);
        data.push(json!({ "rule": who, "line": said, "moved": share.moved, "steps": share.steps }));
    }
    if listing.is_empty() {
        text.push_str(&format!("{}\n", say!("console-no-rule-wrote")));
    } else {
        text.push_str(&listing.plain(console.look.width));
    }
    Ok(CommandOutput::new(
        text,
        json!({ "from": [blame.from.0, blame.from.1], "to": [blame.to.0, blame.to.1], "change": change, "shares": data }),
    ))
}

fn signed(value: f64) -> String {
    let text = rounded(value);
    if value > 0.0 {
        format!("+{text}")
    } else {
        text
    }
}

const TRACE: Command = Command {
    name: "trace",
    short: &[],
    group: Group::Explain,
    usage: "NAME [all]",
    takes: &[Argument::Name, Argument::Words(&["all"])],
    examples: &[
        Example {
            given: CONTACT,
            line: "trace contact",
            shows: "true",
        },
        Example {
            given: CONTACT,
            line: "trace Fel",
            shows: "[2]",
        },
    ],
    undoable: false,
    repeats: false,
    run: trace,
};

fn trace(console: &mut Console, args: &str, progress: &mut dyn ProgressSink) -> Outcome {
    let version = console.version();
    let (name, shows_all) = match args.strip_suffix(" all") {
        Some(name) => (name.trim_end(), true),
        None => (args, false),
    };
    let what = named(&version.model, name)?;
    let spans = console.past().trace(bare(name), progress)?;
    let left_out = match shows_all {
        true => 0..0,
        false => END_LINES..spans.len().saturating_sub(END_LINES),
    };
    let mut data = Vec::new();
    let listing = if let Named::Real(_) = what {
        let mut listing = Listing::new([
            (say!("console-column-from-t"), Align::Right),
            (say!("console-column-to"), Align::Right),
            (say!("console-column-written-by"), Align::Left),
            (say!("console-column-first"), Align::Right),
            (say!("console-column-last"), Align::Right),
            (say!("console-column-least"), Align::Right),
            (say!("console-column-greatest"), Align::Right),
        ]);
        for (index, span) in spans.iter().enumerate() {
            let row = [
                time(span.from),
                time(span.to),
                stood(&span.what),
                rounded(span.first),
                rounded(span.last),
                rounded(span.least),
                rounded(span.most),
            ];
            shorten(&mut listing, &left_out, index, row);
            data.push(json!({
                "from": span.from, "to": span.to, "by": stood(&span.what),
                "first": span.first, "last": span.last, "least": span.least, "greatest": span.most,
            }));
        }
        listing
    } else {
        let mut listing = Listing::new([
            (say!("console-column-from-t"), Align::Right),
            (say!("console-column-to"), Align::Right),
            (" ".to_owned(), Align::Left),
        ]);
        for (index, span) in spans.iter().enumerate() {
            let row = [time(span.from), time(span.to), stood(&span.what)];
            shorten(&mut listing, &left_out, index, row);
            data.push(json!({ "from": span.from, "to": span.to, "is": stood(&span.what) }));
        }
        listing
    };
    let mut text = listing.plain(console.look.width);
    if !left_out.is_empty() {
        text.push_str(&format!(
            "  {}\n",
            say!(
                "console-left-out",
                n = left_out.len(),
                lines = say!("console-n-lines", n = spans.len()),
                name
            )
        ));
    }
    Ok(CommandOutput::new(text, json!(data)))
}

/// How a value stood, in a word: the ids of rows, a number, a truth.
fn stood(what: &Stood) -> String {
    match what {
        Stood::WrittenBy(rows) if rows.is_empty() => "-".to_owned(),
        Stood::WrittenBy(rows) => {
            let ids: Vec<String> = rows.iter().map(|id| format!("[{id}]")).collect();
            ids.join(" ")
        }
        Stood::Constant(value) => rounded(*value),
        Stood::Truth(held) => held.to_string(),
    }
}

/// Adds a line to a listing of which a part is left out, dots standing for that.
fn shorten<const N: usize>(
    listing: &mut Listing,
    left_out: &Range<usize>,
    index: usize,
    row: [String; N],
) {
    if index == left_out.start && !left_out.is_empty() {
        listing.row(std::array::from_fn::<_, N, _>(|_| "..".to_owned()));
    }
    if !left_out.contains(&index) {
        listing.row(row);
    }
}

const COVERAGE: Command = Command {
    name: "coverage",
    short: &[],
    group: Group::Explain,
    usage: "",
    takes: &[],
    examples: &[Example {
        given: CONTACT,
        line: "coverage",
        shows: "[3a] Fel = 0 * def when free_fall",
    }],
    undoable: false,
    repeats: false,
    run: coverage,
};

fn coverage(console: &mut Console, _: &str, progress: &mut dyn ProgressSink) -> Outcome {
    let covered = console.past().coverage(progress)?;
    let steps = covered.steps;
    let rows = covered.rows.iter().map(|row| (&row.model, row.row));
    let lines = explanation::row_lines(rows);
    let mut listing = Listing::new([
        (String::new(), Align::Left),
        (say!("console-column-rule"), Align::Left),
        (say!("console-column-active"), Align::Right),
    ]);
    let mut data = Vec::new();
    for (row, line) in covered.rows.iter().zip(lines) {
        let count = row.steps;
        #[expect(clippy::cast_precision_loss, reason = "a share for people")]
        let share = if steps == 0 {
            0.0
        } else {
            count as f64 / steps as f64
        };
        let mark = match (count, row.at_start) {
            (0, true) => say!("console-at-start"),
            (0, false) => say!("console-never"),
            _ => String::new(),
        };
        let percent = if count == 0 {
            String::new()
        } else {
            format!("{:.1} %", 100.0 * share)
        };
        listing.row([mark, line.clone(), percent]);
        data.push(json!({ "rule": line, "steps": count, "at_start": row.at_start }));
    }
    let fired = covered
        .rows
        .iter()
        .filter(|row| row.steps > 0 || row.at_start)
        .count();
    let head = format!(
        "{}\n",
        say!(
            "console-coverage",
            fired,
            rules = say!("console-n-rules", n = covered.rows.len()),
            steps = say!("console-n-steps", n = steps)
        )
    );
    Ok(CommandOutput::new(
        head + &listing.plain(console.look.width),
        json!(data),
    ))
}
