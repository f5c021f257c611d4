//! What is wrong with a design, with what varies in it or with a file, in the language of the reader; English is what
//! the errors display.

use situ_sweep::{DesignError, MOST_POINTS, Over, OverError};
use situ_words::say;

use crate::command::Failure;

/// A file that belongs to another sweep.
pub(super) fn other(name: &str, why: &str) -> Failure {
    Failure::Wrong(say!("sweep-other", name, why))
}

/// What is wrong with a design.
pub(super) fn of_design(error: &DesignError) -> String {
    match error {
        DesignError::NoValues(axis) => say!("sweep-axis.no-values", axis = axis + 1),
        DesignError::NoDistribution(axis) => say!("sweep-axis.no-distribution", axis = axis + 1),
        DesignError::NotSampled => say!("sweep-axis.not-sampled"),
        DesignError::NothingDrawn => say!("sweep-axis.nothing-drawn"),
        DesignError::TooManyDrawn { drawn, most } => {
            say!("sweep-axis.too-many-drawn", drawn, most)
        }
        DesignError::TooManyRows => say!("sweep-axis.too-many-rows"),
        DesignError::UnevenRow(row) => say!("sweep-axis.uneven-row", row = row + 1),
    }
}

/// What is wrong with a text that says what varies.
pub(super) fn of_over(error: &OverError) -> String {
    let forms = || Over::forms().collect::<Vec<_>>().join(", ");
    match error {
        OverError::NothingVaries(text) => say!("sweep-over.nothing-varies", text),
        OverError::NotATruth { name, text } => say!("sweep-over.not-a-truth", name, text),
        OverError::NoPoints(text) => {
            let (from, to) = text.split_once("..").unwrap_or((text, ""));
            say!("sweep-over.no-points", text, from, to)
        }
        OverError::Points(text) => {
            say!("sweep-over.points", text, most = MOST_POINTS.to_string())
        }
        OverError::OnePoint(text) => say!("sweep-over.one-point", text),
        OverError::NotADistribution(text) => {
            say!("sweep-over.not-a-distribution", text, forms = forms())
        }
        OverError::UnknownDistribution(name) => {
            say!("sweep-no-distribution", name, forms = forms())
        }
        OverError::Arguments { text, form } => say!("sweep-over.arguments", text, form),
        OverError::NotANumber(text) => say!("sweep-over.not-a-number", text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_english_they_say_what_they_display() {
        let designs = [
            DesignError::NoValues(0),
            DesignError::NoDistribution(1),
            DesignError::NotSampled,
            DesignError::NothingDrawn,
            DesignError::TooManyDrawn { drawn: 9, most: 7 },
            DesignError::TooManyRows,
            DesignError::UnevenRow(2),
        ];
        for error in designs {
            assert_eq!(of_design(&error), error.to_string());
        }
        let text = || "1..5".to_owned();
        let overs = [
            OverError::NothingVaries(text()),
            OverError::NotATruth {
                name: "on".to_owned(),
                text: text(),
            },
            OverError::NoPoints(text()),
            OverError::Points(text()),
            OverError::OnePoint(text()),
            OverError::NotADistribution(text()),
            OverError::UnknownDistribution(text()),
            OverError::Arguments {
                text: text(),
                form: "normal(mean,deviation)",
            },
            OverError::NotANumber(text()),
        ];
        for error in overs {
            assert_eq!(of_over(&error), error.to_string());
        }
    }
}
