//! Result lines of the harness that runs other programs on the same workloads, read back.
//!
//! A line is a JSON object `{"workload", "model", "peer", "tol", "value", "unit", "err", "notes", "when"}`; whatever
//! is none is passed over.

use std::fs;

use serde_json::Value;

/// A result.
#[derive(Clone, PartialEq, Debug)]
pub struct Line {
    /// `T`, `H`, `S` or `E`.
    pub workload: String,
    /// Model that was run.
    pub model: String,
    /// The program that ran it, and how.
    pub peer: String,
    /// The tolerance of the method.
    pub tolerance: Option<f64>,
    /// The time, in the unit of the workload.
    pub value: f64,
    /// Error of the result against the exact one, as the workload measures it.
    pub error: Option<f64>,
    /// Further notes.
    pub notes: String,
}

impl Line {
    fn of(text: &str) -> Option<Self> {
        let line: Value = serde_json::from_str(text).ok()?;
        let text = |field: &str| line[field].as_str().map(str::to_owned);
        let number = |field: &str| line[field].as_f64();
        Some(Self {
            workload: text("workload")?,
            model: text("model")?,
            peer: text("peer")?,
            tolerance: number("tol"),
            value: number("value")?,
            error: number("err"),
            notes: text("notes").unwrap_or_default(),
        })
    }

    /// True if it is one of ours.
    pub fn is_ours(&self) -> bool {
        self.peer.starts_with("situ")
    }

    /// True if it is hand-written C that keeps the arithmetic as written: the yardstick.
    pub fn is_strict_c(&self) -> bool {
        self.peer.starts_with("C ") && !self.peer.contains("fast-math")
    }

    /// The tolerance as text, empty if there is none.
    pub fn tolerance_text(&self) -> String {
        self.tolerance
            .map_or_else(String::new, |tolerance| format!("{tolerance:.0e}"))
    }
}

/// All results in some files, in order.
///
/// # Panics
/// If a file cannot be read.
pub fn read(files: &[String]) -> Vec<Line> {
    let text = |file: &String| fs::read_to_string(file).expect("the file can be read");
    let texts: Vec<String> = files.iter().map(text).collect();
    texts
        .iter()
        .flat_map(|text| text.lines())
        .filter_map(Line::of)
        .collect()
}
