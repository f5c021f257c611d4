//! Identity of a sweep, common to all its runs: version, table and settings, as hashes in one line of text.
//!
//! Every file of a sweep carries the line. A sweep that goes on compares it, so that no file holds runs of two
//! models.

use serde_json::json;
use sha2::{Digest, Sha256};
use situ_engine::model::{Clock, Model, Quantity};
use situ_engine::sim::RunConfig;
use situ_rules::print::ModelText;
use situ_views::columns::csv::hexadecimal;
use situ_views::run::manifest::ClockUsed;
use situ_words::say;

/// `0.1.0 table:1f3c9a02e1b7d5c4 settings:77ab0012a9e4f3d2`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Identity {
    text: String,
}

/// A sweep, whatever way it was asked for.
#[derive(Clone, Copy, Debug)]
pub struct Swept<'a> {
    /// The table as it is written, with families of the size that is asked for.
    pub table: &'a Model,
    /// The same with its settings.
    pub model: &'a Model,
    /// How its runs go.
    pub config: &'a RunConfig,
    /// Whether native code may have other last digits.
    pub fast_math: bool,
}

impl Identity {
    /// Of a file of measures, which do not depend on the distance of rows.
    pub fn of_measures(swept: Swept<'_>, measures: &[String]) -> Self {
        let clock = ClockUsed::of(swept.model, swept.config).without(&["every"]);
        Self::of(swept, &clock, Some(measures))
    }

    /// Of a file of rows.
    pub(super) fn of_rows(swept: Swept<'_>) -> Self {
        Self::of(swept, &ClockUsed::of(swept.model, swept.config), None)
    }

    fn of(swept: Swept<'_>, clock: &ClockUsed, measures: Option<&[String]>) -> Self {
        let mut table = swept.table.clone();
        // The clock is among the settings, and where a file lies does not matter.
        table.clock = Clock::default();
        for file in table.lookups.iter_mut().filter_map(|one| one.file.as_mut()) {
            file.name.clear();
        }
        let [own, set] = [swept.table, swept.model].map(ModelText::of);
        let start =
            |words: &ModelText<'_>, one: &Quantity| (words.expression(one.start), one.steady);
        let differing = |table: &[Quantity], model: &[Quantity]| -> Vec<(String, String, bool)> {
            let pairs = table.iter().zip(model);
            let differing = pairs.filter(|(table, model)| start(&own, table) != start(&set, model));
            let differing = differing.map(|(_, one)| (one, start(&set, one)));
            differing
                .map(|(one, (text, steady))| (one.name.clone(), text, steady))
                .collect()
        };
        let switches = swept.table.switches.iter().zip(&swept.model.switches);
        let switches = switches.filter(|(table, model)| table.start != model.start);
        let settings = json!({
            "constants": differing(&swept.table.constants, &swept.model.constants),
            "reals": differing(&swept.table.reals, &swept.model.reals),
            "switches": switches.map(|(_, one)| (&one.name, one.start)).collect::<Vec<_>>(),
            "clock": clock,
            "fast_math": swept.fast_math,
            "measures": measures,
        });
        let hash = |text: &str| {
            const DIGITS: usize = 16;
            let mut digits = hexadecimal(&Sha256::digest(text));
            digits.truncate(DIGITS);
            digits
        };
        let version = env!("CARGO_PKG_VERSION");
        let (table, settings) = (hash(&format!("{table:?}")), hash(&settings.to_string()));
        Self {
            text: format!("{version} table:{table} settings:{settings}"),
        }
    }

    /// The line.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Difference from a file that carries a line: a few words.
    pub(super) fn difference(&self, there: Option<&str>) -> Option<String> {
        let Some(there) = there.filter(|there| !there.is_empty()) else {
            return Some(say!("sweep-other.unnamed"));
        };
        let [here, there] = [&*self.text, there].map(|text| {
            let mut words = text.split(' ').map(str::to_owned);
            [(); 3].map(|()| words.next().unwrap_or_default())
        });
        if here[0] != there[0] {
            return Some(say!(
                "sweep-other.version",
                there = &there[0],
                here = &here[0]
            ));
        }
        match (here[1] != there[1], here[2] != there[2]) {
            (false, false) => None,
            (true, false) => Some(say!("sweep-other.table")),
            (false, true) => Some(say!("sweep-other.settings")),
            (true, true) => Some(say!("sweep-other.both")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_named() {
        let identity = Identity {
            text: "0.1.0 table:a settings:b".to_owned(),
        };
        let said = |there| identity.difference(there).unwrap_or_default();
        assert_eq!(said(Some("0.1.0 table:a settings:b")), "");
        assert_eq!(
            said(Some("0.1.0 table:x settings:b")),
            "the table was different"
        );
        assert_eq!(
            said(Some("0.1.0 table:a settings:x")),
            "the settings were different"
        );
        assert_eq!(
            said(Some("0.1.0 table:x settings:x")),
            "the table and the settings were different"
        );
        assert_eq!(
            said(Some("0.0.9 table:a settings:b")),
            "situ 0.0.9 has written it, and this is 0.1.0"
        );
        for none in [None, Some(""), Some("\u{1b}")] {
            assert_ne!(said(none), "", "{none:?}");
        }
    }
}
