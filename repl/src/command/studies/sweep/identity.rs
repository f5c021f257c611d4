//! Identity of a sweep, common to all its runs: version, table and settings, as hashes in one line of text.
//!
//! Every file of a sweep carries the line. A sweep that goes on compares it, so that no file holds runs of two
//! models.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use situ_engine::model::{Clock, Model};
use situ_engine::sim::RunConfig;
use situ_views::columns::csv::hexadecimal;
use situ_views::run::manifest::ClockUsed;
use situ_words::say;

use crate::command::settings::Settings;

/// `0.1.0 table:1f3c9a02e1b7d5c4 settings:77ab0012a9e4f3d2`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Identity {
    text: String,
}

/// Content of a file of a sweep.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Holds {
    /// Measures, which do not depend on the distance of rows.
    Measures,
    /// Rows.
    Rows,
}

impl Identity {
    /// Of runs of a model with settings; `table` is the model before they were applied.
    pub(super) fn of(
        table: &Model,
        model: &Model,
        settings: &Settings,
        config: &RunConfig,
        measures: &[String],
        holds: Holds,
    ) -> Self {
        // The clock is among the settings.
        let table = Model {
            clock: Clock::default(),
            ..table.clone()
        };
        let mut clock = ClockUsed::of(model, config);
        if holds == Holds::Measures {
            clock = clock.without(&["every"]);
        }
        let settings = json!({
            "options": settings.options(),
            "clock": clock,
            "fast_math": settings.engine.fast_math,
            "measures": match holds {
                Holds::Measures => json!(measures),
                Holds::Rows => Value::Null,
            },
        });
        Self::of_texts(&format!("{table:?}"), &settings.to_string())
    }

    /// Of what the table and the settings are, each as one text.
    pub fn of_texts(table: &str, settings: &str) -> Self {
        let hash = |text: &str| {
            const DIGITS: usize = 16;
            let mut digits = hexadecimal(&Sha256::digest(text));
            digits.truncate(DIGITS);
            digits
        };
        let version = env!("CARGO_PKG_VERSION");
        let (table, settings) = (hash(table), hash(settings));
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
