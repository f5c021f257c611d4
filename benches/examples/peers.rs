//! Makes the tables of ticks and sweeps beside other programs from measured lines:
//! `cargo peers` (or `cargo run -p situ-bench --example peers -- RESULTS.jsonl...`).
//!
//! The harness is run several times, `run.py T E --ours 'target/release/ours'`, and appends its lines to one file; so
//! all programs come in turns. A line is the median of several runs. A cell shows the least and the median of a
//! program's lines, and the ratio of its least to that of the fastest C with strict arithmetic.

#![expect(clippy::print_stdout, reason = "its output is its result")]

use std::collections::BTreeMap;

use situ_bench::lines::{Line, read};
use situ_bench::timing::{Times, summary};

/// Tables: their head, the workload, and whether the lines are times per run of many.
const TABLES: [(&str, &str, bool); 3] = [
    ("Ticks, one run, ns per tick", "T", false),
    ("Ticks, many runs, ns per tick and run", "T", true),
    (
        "Adaptive steps, many runs, us of processor time per run",
        "E",
        true,
    ),
];

fn main() {
    let files: Vec<String> = std::env::args().skip(1).collect();
    let lines = read(&files);
    for (head, workload, many) in TABLES {
        let is_here = |line: &&Line| {
            let is_many = workload == "E" || line.notes.contains("per instance");
            line.workload == workload && is_many == many
        };
        let lines: Vec<&Line> = lines.iter().filter(is_here).collect();
        if !lines.is_empty() {
            println!("{head}\n");
            print(&lines);
        }
    }
}

/// A column: a model and a tolerance.
fn column(line: &Line) -> (String, String) {
    (line.model.clone(), line.tolerance_text())
}

/// All lines of a program in a column.
#[derive(Default)]
struct Cell {
    times: Vec<f64>,
    error: Option<f64>,
}

fn print(lines: &[&Line]) {
    let mut columns: Vec<(String, String)> = Vec::new();
    let mut rows: BTreeMap<&str, BTreeMap<(String, String), Cell>> = BTreeMap::new();
    let mut yardsticks: BTreeMap<(String, String), f64> = BTreeMap::new();
    for line in lines {
        let column = column(line);
        if !columns.contains(&column) {
            columns.push(column.clone());
        }
        if line.is_strict_c() {
            let least = yardsticks.entry(column.clone()).or_insert(f64::INFINITY);
            *least = least.min(line.value);
        }
        let row = rows.entry(&line.peer).or_default();
        let cell = row.entry(column).or_default();
        cell.times.push(line.value);
        cell.error = line.error.or(cell.error);
    }
    let heads = columns.iter().map(|(model, tolerance)| match &**tolerance {
        "" => format!("{model} | err"),
        tolerance => format!("{model}, {tolerance} | err"),
    });
    let heads: Vec<String> = heads.collect();
    println!("| | {} |", heads.join(" | "));
    println!("|{}", " --- |".repeat(2 * columns.len() + 1));
    let mut shown: Vec<(f64, String)> = Vec::new();
    for (peer, mut row) in rows {
        let mut worst_of_best = f64::INFINITY;
        let mut cells = Vec::new();
        for column in &columns {
            let Some(cell) = row.get_mut(column) else {
                cells.push(" | ".to_owned());
                continue;
            };
            let Times { min, median } = summary(&mut cell.times);
            let ratio = yardsticks.get(column).map(|yardstick| min / yardstick);
            worst_of_best = worst_of_best.min(ratio.unwrap_or(f64::INFINITY));
            let ratio = ratio.map_or_else(String::new, |ratio| format!(" ({ratio:.2})"));
            let error = cell
                .error
                .map_or_else(String::new, |error| format!("{error:.0e}"));
            cells.push(format!("{} / {}{ratio} | {error}", time(min), time(median)));
        }
        shown.push((worst_of_best, format!("| {peer} | {} |", cells.join(" | "))));
    }
    shown.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (_, row) in shown {
        println!("{row}");
    }
    println!();
}

/// A time with two or three digits.
fn time(value: f64) -> String {
    let digits = match value {
        ..0.995 => 3,
        ..9.95 => 2,
        ..99.5 => 1,
        _ => 0,
    };
    format!("{value:.digits$}")
}
