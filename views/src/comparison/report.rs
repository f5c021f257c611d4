//! Comparisons in words: the verdict, and the text of all of it.

use std::fmt::Write;

use super::{Alone, BooleanCompared, Comparison, ContactCompared, MANY};
use crate::text::listing::{Align, Listing};
use crate::text::number::{counted, in_unit, percent, rounded, time as time_text};

impl Comparison {
    fn time(&self, time: f64) -> String {
        in_unit(time_text(time), self.time_unit)
    }

    pub(super) fn judge(&self, remark: &str) -> String {
        let mut text = String::new();
        for (run, which) in self.runs.iter().zip(["first", "second"]) {
            if let Some(fault) = &run.fault {
                let _ = write!(text, "The {which} run breaks off: {fault}. ");
            }
        }
        let n_both: usize = self.booleans.iter().map(|boolean| boolean.both).sum();
        let worst = self
            .reals
            .iter()
            .max_by(|a, b| a.relative.total_cmp(&b.relative));
        let late = self
            .booleans
            .iter()
            .filter_map(|boolean| boolean.largest_distance);
        let late = late.fold(0.0, f64::max);
        match &self.first_difference {
            Some(Alone {
                name,
                to,
                time,
                only_in,
            }) => {
                let (which, other) = named(*only_in);
                let becomes = if *to { "arises" } else { "ends" };
                let _ = write!(
                    text,
                    "The runs part at {}: `{name}` {becomes} there in the {which} run and not in the {other}. ",
                    self.time(*time)
                );
            }
            None if n_both > 0 => {
                let apart = match late {
                    0.0 => "at the same times".to_owned(),
                    late => format!("at most {} apart", self.time(late)),
                };
                let _ = write!(
                    text,
                    "Both runs have the same {}, {apart}. ",
                    counted(n_both as u64, "change")
                );
            }
            None => {}
        }
        for (run, which) in ["first", "second"].into_iter().enumerate() {
            if self.crossed_bonds(1 - run).next().is_some() {
                self.push_crossed(&mut text, 1 - run);
                continue;
            }
            let chatters =
                |boolean: &&BooleanCompared| boolean.only[run] > MANY + 10 * boolean.both;
            let names: Vec<String> = self
                .booleans
                .iter()
                .filter(chatters)
                .map(|boolean| format!("`{}`", boolean.name))
                .collect();
            if !names.is_empty() {
                let chatter = if names.len() == 1 {
                    "chatters"
                } else {
                    "chatter"
                };
                let _ = write!(
                    text,
                    "In the {which} run {} {chatter} at a border. ",
                    names.join(" and ")
                );
            }
        }
        match worst {
            Some(real) if real.relative == 0.0 => text.push_str("Their values are the same."),
            Some(real) if self.agrees() => {
                let _ = write!(
                    text,
                    "They agree: values differ by {} of their range at most (`{}`).",
                    percent(real.relative),
                    real.name
                );
            }
            Some(real) => {
                let at_border = real.elsewhere.is_some_and(|away| away.at != real.at);
                let part = percent(real.relative);
                let (name, at) = (&real.name, self.time(real.at));
                let _ = if at_border {
                    let size = format!("{} {}", rounded(real.difference), real.unit);
                    let size = size.trim_end();
                    write!(
                        text,
                        "There values differ by up to {part} of their range (`{name}` by {size} at {at})"
                    )
                } else {
                    write!(
                        text,
                        "Values differ by up to {part} of their range (`{name}` at {at})"
                    )
                };
                let away = self
                    .reals
                    .iter()
                    .filter_map(|real| Some((real, real.elsewhere?)));
                let away = away.max_by(|(_, a), (_, b)| a.relative.total_cmp(&b.relative));
                match away.filter(|_| at_border) {
                    Some((_, away)) if away.relative == 0.0 => {
                        text.push_str(", elsewhere they are the same.");
                    }
                    Some((real, away)) => {
                        let _ = write!(
                            text,
                            ", elsewhere by {} (`{}` at {}).",
                            percent(away.relative),
                            real.name,
                            self.time(away.at)
                        );
                    }
                    None => text.push('.'),
                }
            }
            None => {}
        }
        if !remark.is_empty() {
            let _ = write!(text, " {remark}");
        }
        text.trim().to_owned()
    }

    /// Times in which a run stays on a border over which the other goes back and forth.
    pub(super) fn crossed_bonds(&self, run: usize) -> impl Iterator<Item = &ContactCompared> {
        let crossed = move |contact: &&ContactCompared| contact.run == run && contact.is_crossed();
        self.contacts.iter().filter(crossed)
    }

    /// Tells of borders on which a run stays and over which the other goes back and forth, a sentence per border.
    fn push_crossed(&self, text: &mut String, run: usize) {
        let (which, other) = named(run);
        let mut told: Vec<(&str, &str)> = Vec::new();
        for contact in self.crossed_bonds(run) {
            let place = (contact.what, contact.border.as_str());
            if told.contains(&place) {
                continue;
            }
            told.push(place);
            let same: Vec<&ContactCompared> = self
                .crossed_bonds(run)
                .filter(|contact| (contact.what, contact.border.as_str()) == place)
                .collect();
            let (from, to) = (time_text(contact.from), self.time(contact.to));
            let _ = match same.len() {
                1 => write!(text, "From {from} to {to}"),
                times => write!(text, "{times} times, first from {from} to {to},"),
            };
            let _ = write!(
                text,
                " the {which} run {} {}, ",
                contact.what, contact.border
            );
            let crossed: Option<usize> = same.iter().map(|contact| contact.crossed).sum();
            let _ = match crossed {
                Some(times) => write!(
                    text,
                    "over which the {other} goes back and forth {times} times. "
                ),
                None => write!(text, "over which the {other} goes back and forth. "),
            };
        }
    }

    /// For people, wrapped at a width, if one is given; on request with `each` change.
    pub fn text(&self, width: Option<u16>, each: bool) -> String {
        let [first, second] = &self.runs;
        let until = self.time(self.until);
        let mut text = format!(
            "{}, 0 to {until}\n  first:  {}\n  second: {}\n",
            self.model, first.how, second.how
        );
        let mut booleans = Listing::new([
            ("changes of", Align::Left),
            ("in both", Align::Right),
            ("first only", Align::Right),
            ("second only", Align::Right),
            ("mean distance", Align::Right),
            ("largest", Align::Right),
            ("at", Align::Right),
        ]);
        let number = |value: Option<f64>| value.map(rounded).unwrap_or_default();
        for boolean in &self.booleans {
            booleans.row([
                boolean.name.clone(),
                boolean.both.to_string(),
                boolean.only[0].to_string(),
                boolean.only[1].to_string(),
                number(boolean.mean_distance),
                number(boolean.largest_distance),
                number(boolean.largest_at),
            ]);
        }
        let mut reals = Listing::new([
            ("real", Align::Left),
            ("largest difference", Align::Right),
            ("unit", Align::Left),
            ("at", Align::Right),
            ("of its range", Align::Right),
        ]);
        for real in &self.reals {
            reals.row([
                real.name.clone(),
                rounded(real.difference),
                real.unit.clone(),
                rounded(real.at),
                percent(real.relative),
            ]);
        }
        let mut changes = Listing::new([
            ("change", Align::Left),
            ("to", Align::Left),
            ("first run", Align::Right),
            ("second run", Align::Right),
            ("second - first", Align::Right),
        ]);
        for change in self.changes.iter().filter(|_| each) {
            let [a, b] = change.times;
            changes.row([
                change.name.clone(),
                change.to.to_string(),
                number(a),
                number(b),
                number(a.zip(b).map(|(a, b)| b - a)),
            ]);
        }
        for listing in [changes, booleans, reals] {
            if !listing.is_empty() {
                text.push('\n');
                text.push_str(&listing.plain(width));
            }
        }
        text + "\n" + &self.verdict + "\n"
    }
}

/// Name of a run, and that of the other one.
fn named(run: usize) -> (&'static str, &'static str) {
    match run {
        0 => ("first", "second"),
        _ => ("second", "first"),
    }
}
