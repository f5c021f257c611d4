//! Comparisons in words: the verdict, and the text of all of it.

use situ_words::say;

use super::contact_intervals::{BorderName, Hold};
use super::{Alone, BooleanCompared, Comparison, ContactCompared, MANY};
use crate::text::listing::{Align, Listing};
use crate::text::number::{counted, in_unit, percent, rounded, time as time_text};

/// Names of the two runs, by which sentences choose their words.
const WHICH: [&str; 2] = ["first", "second"];

/// So many names stand in a sentence.
const NAMED: usize = 3;

/// The first names of a list, and how many more there are.
fn listed(names: &[String]) -> String {
    let shown = names.iter().take(NAMED).map(|name| format!("`{name}`"));
    let shown = shown.collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(NAMED) {
        0 => shown,
        more => say!("check-names-more", all = shown, more),
    }
}

impl Comparison {
    fn time(&self, time: f64) -> String {
        in_unit(time_text(time), self.time_unit)
    }

    pub(super) fn judge(&self, remark: &str) -> String {
        let mut sentences = Vec::new();
        for (run, which) in self.runs.iter().zip(WHICH) {
            if let Some(fault) = &run.fault {
                sentences.push(say!("compare-breaks-off", which, fault));
            }
        }
        for (names, which) in self.only.iter().zip(WHICH) {
            if let [_, ..] = names[..] {
                sentences.push(say!("compare-lacks", which, names = listed(names)));
            }
        }
        sentences.extend(self.judged_changes());
        for (run, which) in WHICH.into_iter().enumerate() {
            if self.crossed_bonds(1 - run).next().is_some() {
                self.push_crossed(&mut sentences, 1 - run);
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
                sentences.push(say!(
                    "compare-chatters",
                    which,
                    n = names.len(),
                    names = names.join(&say!("compare-and"))
                ));
            }
        }
        sentences.extend(self.judged_values());
        if !remark.is_empty() {
            sentences.push(remark.to_owned());
        }
        sentences.join(" ")
    }

    /// Where the changes of the runs part, or that they do not.
    fn judged_changes(&self) -> Option<String> {
        if let Some(Alone {
            name,
            to,
            time,
            only_in,
        }) = &self.first_difference
        {
            let change = if *to { "arises" } else { "ends" };
            let time = self.time(*time);
            return Some(say!(
                "compare-part",
                time,
                name,
                change,
                which = WHICH[*only_in]
            ));
        }
        let n_both: usize = self.booleans.iter().map(|boolean| boolean.both).sum();
        if n_both == 0 {
            return None;
        }
        let late = self
            .booleans
            .iter()
            .filter_map(|boolean| boolean.largest_distance);
        let late = late.fold(0.0, f64::max);
        let changes = counted(n_both as u64, "change");
        Some(match late {
            0.0 => say!("compare-same-changes", changes),
            late => say!(
                "compare-same-changes.apart",
                changes,
                late = self.time(late)
            ),
        })
    }

    /// How far the values of the runs are apart.
    fn judged_values(&self) -> Option<String> {
        let worst = self
            .reals
            .iter()
            .max_by(|a, b| a.relative.total_cmp(&b.relative))?;
        let (name, part) = (&worst.name, percent(worst.relative));
        if worst.relative == 0.0 {
            return Some(say!("compare-same-values"));
        }
        if self.agrees() {
            return Some(say!("compare-agree", part, name));
        }
        let at = self.time(worst.at);
        if worst.elsewhere.is_none_or(|away| away.at == worst.at) {
            return Some(say!("compare-differ", part, name, at));
        }
        let size = in_unit(rounded(worst.difference), &worst.unit);
        let away = self
            .reals
            .iter()
            .filter_map(|real| Some((real, real.elsewhere?)));
        let (real, away) = away.max_by(|(_, a), (_, b)| a.relative.total_cmp(&b.relative))?;
        Some(match away.relative {
            0.0 => say!("compare-differ-there.only", part, name, size, at),
            relative => say!(
                "compare-differ-there",
                part,
                name,
                size,
                at,
                away = percent(relative),
                away_name = &real.name,
                away_at = self.time(away.at)
            ),
        })
    }

    /// Times in which a run stays on a border over which the other goes back and forth.
    pub(super) fn crossed_bonds(&self, run: usize) -> impl Iterator<Item = &ContactCompared> {
        let crossed = move |contact: &&ContactCompared| contact.run == run && contact.is_crossed();
        self.contacts.iter().filter(crossed)
    }

    /// Tells of borders on which a run stays and over which the other goes back and forth, a sentence per border.
    fn push_crossed(&self, sentences: &mut Vec<String>, run: usize) {
        let which = WHICH[run];
        let mut told: Vec<(Hold, &BorderName)> = Vec::new();
        for contact in self.crossed_bonds(run) {
            let place = (contact.what, &contact.border);
            if told.contains(&place) {
                continue;
            }
            told.push(place);
            let same: Vec<&ContactCompared> = self
                .crossed_bonds(run)
                .filter(|contact| (contact.what, &contact.border) == place)
                .collect();
            let (from, to) = (time_text(contact.from), self.time(contact.to));
            let when = match same.len() {
                1 => say!("compare-when", from, to),
                n => say!("compare-when.several", from, to, n),
            };
            let BorderName { kind, of: name } = &contact.border;
            let stays = match contact.what {
                Hold::Slide => say!("compare-stays", which, kind, name),
                Hold::Rest => say!("compare-stays.rests", which, kind, name),
            };
            let crossed: Option<usize> = same.iter().map(|contact| contact.crossed).sum();
            let crossed = match crossed {
                Some(n) => say!("compare-crosses", which, n),
                None => say!("compare-crosses.unknown", which),
            };
            sentences.push(format!("{when} {stays}, {crossed}"));
        }
    }

    /// For people, wrapped at a width, if one is given; on request with `each` change.
    pub fn text(&self, width: Option<u16>, each: bool) -> String {
        let [first, second] = &self.runs;
        let until = self.time(self.until);
        let mut text = format!(
            "{}\n",
            say!(
                "compare-runs",
                named = !self.model.is_empty(),
                model = &self.model,
                until,
                first = &first.how,
                second = &second.how
            )
        );
        let mut booleans = Listing::new([
            (say!("compare-column-changes"), Align::Left),
            (say!("compare-column-both"), Align::Right),
            (say!("compare-column-first-only"), Align::Right),
            (say!("compare-column-second-only"), Align::Right),
            (say!("compare-column-mean"), Align::Right),
            (say!("compare-column-largest"), Align::Right),
            (say!("compare-column-at"), Align::Right),
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
            (say!("summary-reals.real"), Align::Left),
            (say!("compare-column-difference"), Align::Right),
            (say!("summary-reals.unit"), Align::Left),
            (say!("compare-column-at"), Align::Right),
            (say!("compare-column-relative"), Align::Right),
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
            (say!("compare-column-change"), Align::Left),
            (say!("compare-column-to"), Align::Left),
            (say!("compare-column-first"), Align::Right),
            (say!("compare-column-second"), Align::Right),
            (say!("compare-column-distance"), Align::Right),
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
