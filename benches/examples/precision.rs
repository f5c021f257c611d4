//! Makes the tables and pictures of work against precision from measured lines: `cargo precision H` of the hybrid
//! workloads, `cargo precision S` of the stiff ones, `cargo precision D` of equations that are solved and delays, each
//! with `--svg FILE` for its picture and with `--lines FILE` from other lines than those in `benches/measured`.
//!
//! A line is a JSON object as the harness of the peers writes it, `{"workload": "H", "model", "peer",
//! "tol", "value", "err", ...}`, time in seconds of processor time; the last one of a model, peer and
//! tolerance counts. The table goes to standard output; the picture draws, for each model and program,
//! the time over the error, both on logarithmic axes.

#![expect(clippy::print_stdout, reason = "its output is its result")]

use std::collections::BTreeMap;
use std::fs;

use situ_bench::lines;
use situ_views::chart::{Axis, Curve, Extent, Figure, Panel, Scale, svg};

/// Workloads whose lines become one table and one picture.
struct Group {
    /// Their letter in the lines.
    letter: &'static str,
    title: &'static str,
    lines: &'static str,
    /// Models, and whether their error says how exact a run is: bounces of H1 and H3 are exact at every tolerance.
    models: &'static [(&'static str, bool)],
    /// Largest errors of the table's columns.
    targets: &'static [f64],
    /// Programs in the picture, in the order of its legend.
    drawn: &'static [&'static str],
}

const GROUPS: [Group; 3] = [
    Group {
        letter: "H",
        title: "Work against precision of the workloads H1 to H5",
        lines: "benches/measured/hybrid.jsonl",
        models: &[
            ("H1", false),
            ("H2", true),
            ("H3", false),
            ("H4", true),
            ("H5", true),
        ],
        targets: &[1e-3, 1e-6],
        drawn: &[
            "situ native dop853",
            "situ dop853",
            "situ auto",
            "C dop853",
            "ARKODE ERK",
            "CVODE Adams",
            "numbalsoda dop853",
            "diffsol tsit45",
            "libroadrunner",
            "diffrax Dopri8",
            "scipy DOP853",
        ],
    },
    Group {
        letter: "S",
        title: "Work against precision of the stiff workloads",
        lines: "benches/measured/stiff.jsonl",
        models: &[
            ("ROBER", true),
            ("HIRES", true),
            ("OREGO", true),
            ("POLLU", true),
            ("VDPOL", true),
            ("ETHANE", true),
            ("MEDAKZO", true),
            ("BROWN50", true),
            ("BROWN800 to 0.01", true),
            ("BROWN1800", true),
            ("BROWN20000", true),
            ("BRUSSELATOR500", true),
            ("BRUSSELATOR32x32", true),
        ],
        targets: &[1e-3, 1e-5, 1e-7],
        drawn: &[
            "situ native auto",
            "situ auto",
            "situ native rodas5p",
            "situ bdf",
            "situ radau",
            "C RODAS4",
            "CVODE GMRES, 2x2 block preconditioner",
            "CVODE KLU",
            "CVODE dense",
            "numbalsoda",
            "scipy LSODA",
        ],
    },
    Group {
        letter: "D",
        title: "Work against precision: equations that are solved, and delays",
        lines: "benches/measured/implicit.jsonl",
        models: &[
            ("ROBER_DAE", true),
            ("ROBER_ODE", true),
            ("PEND1", true),
            ("PEND3", true),
            ("AMPLIFIER", true),
            ("MACKEY_GLASS", true),
            ("WHELDON", true),
            ("DIODES10", true),
            ("DIODES20", true),
            ("DIODES", true),
        ],
        targets: &[1e-3, 1e-5, 1e-7],
        drawn: &[
            "situ native auto",
            "situ auto",
            "situ native rodas5p",
            "situ native radau",
            "situ native dop853",
            "IDA dense",
            "IDA KLU",
            "casadi IDAS",
            "diffsol bdf",
            "JiTCDDE",
            "scipy LSODA",
        ],
    },
];

/// A run: its error and its time (in seconds).
type Run = (f64, f64);

/// By model and program the runs in the order of their tolerances.
type Runs = BTreeMap<(String, String), Vec<Run>>;

fn main() {
    let mut group = &GROUPS[0];
    let (mut picture, mut files) = (None, Vec::new());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--svg" => picture = arguments.next(),
            "--lines" => files.extend(arguments.next()),
            letter => {
                let found = GROUPS.iter().find(|group| group.letter == letter);
                group = found.expect("the argument is H, S or D, --svg FILE or --lines FILE");
            }
        }
    }
    if files.is_empty() {
        files.push(group.lines.to_owned());
    }
    let runs = read(group, &files);
    table(group, &runs);
    if let Some(file) = picture {
        fs::write(&file, drawn(group, &runs)).expect("the picture can be written");
    }
}

fn read(group: &Group, files: &[String]) -> Runs {
    let mut last: BTreeMap<(String, String, String), Run> = BTreeMap::new();
    for line in lines::read(files) {
        // What missed events did not solve the problem.
        let wrong = is_wrong(&line.notes) && !line.notes.contains("follows the exact ones");
        if let Some(error) = line.error
            && line.workload == group.letter
            && (line.is_ours() || !wrong)
        {
            let tolerance = line.tolerance_text();
            last.insert((line.model, line.peer, tolerance), (error, line.value));
        }
    }
    let mut runs = Runs::new();
    for ((model, peer, _), run) in last {
        runs.entry((model, peer)).or_default().push(run);
    }
    for all in runs.values_mut() {
        all.sort_by(|a, b| b.0.total_cmp(&a.0));
    }
    runs
}

/// True of the notes of a run that failed or found another number of events than there are: "exact 25".
fn is_wrong(notes: &str) -> bool {
    let mut after_exact = notes.split("exact ").skip(1);
    after_exact.any(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        || ["missed", "FAILED"].iter().any(|sign| notes.contains(sign))
}

/// The fastest run of a program that is exact enough.
fn fastest(runs: &Runs, model: &str, peer: &str, target: f64) -> Option<f64> {
    let all = runs.get(&(model.to_owned(), peer.to_owned()))?;
    let exact = all.iter().filter(|(error, _)| *error <= target);
    exact.map(|(_, time)| *time).min_by(f64::total_cmp)
}

fn table(group: &Group, runs: &Runs) {
    let mut peers: Vec<&String> = runs.keys().map(|(_, peer)| peer).collect();
    peers.sort();
    peers.dedup();
    let mut columns = Vec::new();
    for &(model, varies) in group.models {
        let targets = if varies {
            group.targets
        } else {
            &[f64::INFINITY]
        };
        columns.extend(targets.iter().map(|&target| (model, target)));
    }
    let mut rows: Vec<(f64, String)> = peers
        .iter()
        .map(|peer| {
            let times: Vec<Option<f64>> = columns
                .iter()
                .map(|(model, target)| fastest(runs, model, peer, *target))
                .collect();
            let cells: Vec<String> = times
                .iter()
                .map(|time| time.map_or_else(String::new, shown))
                .collect();
            (
                rank(runs, &columns, &times),
                format!("| {peer} | {} |", cells.join(" | ")),
            )
        })
        .collect();
    rows.sort_by(|a, b| a.0.total_cmp(&b.0));
    let heads: Vec<String> = columns
        .iter()
        .map(|(model, target)| {
            if target.is_finite() {
                format!("{model}, {target:.0e}")
            } else {
                (*model).to_owned()
            }
        })
        .collect();
    println!(
        "| | {} |\n|{}",
        heads.join(" | "),
        " --- |".repeat(heads.len() + 1)
    );
    for (_, row) in rows {
        println!("{row}");
    }
}

/// Rank of a program against the fastest in its columns: the middle of the ratios.
fn rank(runs: &Runs, columns: &[(&str, f64)], times: &[Option<f64>]) -> f64 {
    let mut ratios: Vec<f64> = columns
        .iter()
        .zip(times)
        .filter_map(|((model, target), time)| {
            let of_model = runs.iter().filter(|((other, _), _)| other == model);
            let all = of_model.flat_map(|(_, all)| all);
            let exact = all.filter(|(error, _)| error <= target);
            let best = exact.map(|(_, time)| *time).min_by(f64::total_cmp)?;
            time.map(|time| time / best)
        })
        .collect();
    ratios.sort_by(f64::total_cmp);
    ratios
        .get(ratios.len() / 2)
        .copied()
        .unwrap_or(f64::INFINITY)
}

/// A time with its unit.
fn shown(time: f64) -> String {
    let (value, unit) = if time < 1e-3 {
        (time * 1e6, "us")
    } else if time < 1.0 {
        (time * 1e3, "ms")
    } else {
        (time, "s")
    };
    let digits = if value < 10.0 { 1 } else { 0 };
    format!("{value:.digits$} {unit}")
}

/// The picture.
fn drawn(group: &Group, runs: &Runs) -> String {
    let mut curves: Vec<(usize, usize, Vec<f64>, Vec<f64>)> = Vec::new();
    for (panel, (model, _)) in group.models.iter().enumerate() {
        for (style, peer) in group.drawn.iter().enumerate() {
            let Some(all) = runs.get(&((*model).to_owned(), (*peer).to_owned())) else {
                continue;
            };
            let (mut x, mut y) = (Vec::new(), Vec::new());
            let points = all.iter().map(|(error, time)| [error.max(1e-16), *time]);
            for point in points.clone() {
                x.push(point[0]);
                y.push(point[1]);
            }
            // A cross at each run, behind a gap.
            for [a, b] in points {
                x.extend([f64::NAN, a / 1.32, a * 1.32, f64::NAN, a, a]);
                y.extend([f64::NAN, b, b, f64::NAN, b / 1.15, b * 1.15]);
            }
            curves.push((panel, style, x, y));
        }
    }
    let names: Vec<String> = group
        .models
        .iter()
        .map(|(model, _)| format!("{model}: time"))
        .collect();
    let panels = group.models.iter().enumerate().map(|(panel, _)| {
        let mine = || curves.iter().filter(move |(other, ..)| *other == panel);
        Panel {
            over_time: false,
            cells: None,
            x: Axis {
                names: vec!["error"],
                unit: "",
                extent: Extent::default(),
                scale: Scale::Log,
            },
            y: Axis {
                names: vec![names[panel].as_str()],
                unit: "s",
                extent: Extent::default(),
                scale: Scale::Log,
            },
            curves: mine()
                .map(|(_, style, x, y)| Curve {
                    name: group.drawn[*style],
                    about: "",
                    style: *style,
                    x,
                    y,
                })
                .collect(),
        }
    });
    let mut figure = Figure {
        title: group.title.to_owned(),
        runs: group.drawn.to_vec(),
        panels: panels.collect(),
        ..Figure::default()
    };
    let logarithmic = names.iter().cloned().chain(["error".to_owned()]);
    let logarithmic: Vec<String> = logarithmic.collect();
    figure
        .on_log_axes(&logarithmic)
        .expect("they are the axes of the panels");
    svg(&figure)
}
