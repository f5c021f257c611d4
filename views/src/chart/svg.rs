//! Figures as SVG, good enough for a paper: thin lines, round ticks, the legend outside of the data.
//!
//! Written by hand because a drawing library that works in whole pixels makes jagged lines, and
//! the layout is ours in any case. Lengths are in CSS pixels (96 to the inch).

mod page;
#[cfg(test)]
#[cfg(feature = "png")]
mod tests;

use super::simplify::{Point, anywhere, over_time};
use super::ticks::{Ticks, ticks};
use super::{Curve, Extent, Figure, Panel, Scale, font};
use page::{Entry, Page};

/// Seven colours that stay apart for the colour-blind: Okabe and Ito, Color universal design
/// (2008), without their yellow, which is too light for lines on white.
const COLOURS: [&str; 7] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#333333",
];
/// Dashes of the second and later rounds through the colours.
const DASHES: [&str; 4] = ["", "6 3", "2 2", "8 3 2 3"];
const INK: &str = "#222222";
const FAINT_INK: &str = "#666666";
const GRID: &str = "#e4e4e4";
const LEVEL: &str = "#6b7b8c";

const WIDTH: f64 = 720.0;
const MARGIN: f64 = 14.0;
const FONT_SIZE: f64 = 12.0;
const LINE_HEIGHT: f64 = 17.0;
/// Height of the line above the picture.
const HEADING: f64 = LINE_HEIGHT + 4.0;
const CURVE_WIDTH: f64 = 1.4;
const TICK_LENGTH: f64 = 4.0;
const LANE_HEIGHT: f64 = 17.0;
const PANEL_GAP: f64 = 12.0;
/// Columns of the page in which a curve keeps its extremes.
const COLUMN: f64 = 0.5;

/// Draws the figure. The same figure gives the same text.
pub fn svg(figure: &Figure<'_>) -> String {
    let frame = Frame::of(figure);
    let mut page = Page {
        text: String::new(),
        y: MARGIN,
    };
    if !figure.heading.is_empty() {
        page.heading(&frame, &figure.heading);
    }
    if !figure.runs.is_empty() {
        let entries = figure.runs.iter().enumerate().map(|(style, name)| Entry {
            style: Some(style),
            name,
            about: "",
        });
        page.legend(&frame, entries);
        page.y += 4.0;
    }
    let n_over_time = figure.panels.iter().filter(|panel| panel.over_time).count();
    let (over_time, phases) = figure.panels.split_at(n_over_time);
    let time_ticks = ticks(&figure.time, frame.marks_across());
    for (index, panel) in over_time.iter().enumerate() {
        let height = panel_height(over_time.len());
        page.captions(&frame, panel, figure.runs.is_empty(), height);
        let area = page.area(&frame, height);
        page.panel(&area, panel, &time_ticks, figure.filled);
        page.y = area.bottom + PANEL_GAP;
        if index + 1 == over_time.len() && figure.lanes.is_empty() {
            page.x_axis(&area, &panel.x, &time_ticks);
        }
    }
    if !figure.lanes.is_empty() {
        page.lanes(&frame, figure, &time_ticks);
    }
    let frames = frame.columns(phases.len());
    let top_of_panels = 2.0 * MARGIN
        + if figure.heading.is_empty() {
            0.0
        } else {
            HEADING
        };
    for row in phases.chunks(frames.len()) {
        page.y += if page.y > top_of_panels {
            2.0 * PANEL_GAP
        } else {
            0.0
        };
        let (top, mut bottom) = (page.y, page.y);
        for (panel, frame) in row.iter().zip(&frames) {
            page.y = top;
            let height = phase_height(phases.len());
            page.captions(frame, panel, figure.runs.is_empty(), height);
            let area = page.area(frame, height);
            let panel = with_equal_scales(panel, &area);
            let x_ticks = panel.x.ticks(frame.marks_across());
            page.panel(&area, &panel, &x_ticks, figure.filled);
            page.x_axis(&area, &panel.x, &x_ticks);
            bottom = bottom.max(page.y);
        }
        page.y = bottom;
    }
    if figure.is_empty() {
        page.y += FONT_SIZE;
        page.label(MARGIN, page.y, "start", &super::NOTHING.to_string());
    }
    page.finish(&figure.title)
}

/// More panels that are not over time stand in two columns.
const MOST_BELOW_EACH_OTHER: usize = 3;

fn phase_height(n_phases: usize) -> f64 {
    match n_phases {
        ..=MOST_BELOW_EACH_OTHER => 420.0,
        _ => 230.0,
    }
}

fn panel_height(n_panels: usize) -> f64 {
    match n_panels {
        1 => 300.0,
        2 => 200.0,
        3 => 160.0,
        _ => 130.0,
    }
}

/// A phase plot of two quantities of one unit shows circles as circles.
fn with_equal_scales<'a>(panel: &Panel<'a>, area: &Area) -> Panel<'a> {
    let mut panel = panel.clone();
    let other = panel.x.unit != panel.y.unit || panel.x.unit.is_empty();
    let is_log = [panel.x.scale, panel.y.scale].contains(&Scale::Log);
    if other || is_log || panel.cells.is_some() {
        return panel;
    }
    let per_unit = |extent: &Extent, length: f64| length / extent.span();
    let across = per_unit(&panel.x.extent, area.right - area.left);
    let up = per_unit(&panel.y.extent, area.bottom - area.top);
    if across > up {
        panel.x.extent = panel.x.extent.stretched(across / up);
    } else {
        panel.y.extent = panel.y.extent.stretched(up / across);
    }
    panel
}

/// Left and right end of all panels.
struct Frame {
    left: f64,
    right: f64,
    /// Room left of it.
    room: f64,
}

impl Frame {
    /// Makes room on the left for the widest tick label, lane name and the axis captions.
    fn of(figure: &Figure<'_>) -> Self {
        let mut room: f64 = 0.0;
        let n_over_time = figure.panels.iter().filter(|panel| panel.over_time).count();
        for panel in &figure.panels {
            let height = match panel.over_time {
                true => panel_height(n_over_time),
                false => phase_height(figure.panels.len() - n_over_time),
            };
            let Ticks { marks, .. } = panel.y.ticks(marks_up(height));
            let widest = marks
                .iter()
                .map(|(_, text)| font::width(&signed(text)))
                .fold(0.0, f64::max);
            room = room.max(widest * FONT_SIZE + TICK_LENGTH + 4.0 + LINE_HEIGHT + 4.0);
        }
        // The captions of axes stand beside their numbers, also where names of lanes take more room.
        let of_panels = room.ceil();
        for lane in &figure.lanes {
            room = room.max(font::width(lane.name).min(LONGEST_NAME) * FONT_SIZE + 8.0);
        }
        let left = (MARGIN + room).min(WIDTH / 2.0).round();
        // Half of the last time label hangs over.
        Self {
            left,
            right: WIDTH - MARGIN - 12.0,
            room: (left - MARGIN).min(of_panels),
        }
    }

    /// Frames side by side for so many panels that are not over time.
    fn columns(&self, n_phases: usize) -> Vec<Self> {
        let Self { left, right, room } = *self;
        if n_phases <= MOST_BELOW_EACH_OTHER {
            return vec![Self { left, right, room }];
        }
        let width = (right - left - room - 2.0 * PANEL_GAP) / 2.0;
        let ends = [(left, left + width), (right - width, right)];
        ends.map(|(left, right)| Self { left, right, room }).into()
    }

    fn marks_across(&self) -> usize {
        ((self.right - self.left) / 70.0) as usize
    }
}

/// Colours of a map from the least to the greatest value: from dark blue to light yellow, lighter and
/// lighter, so that they also tell in grey and to the colour-blind (after van der Walt and Smith,
/// viridis, 2015).
const SHADES: [[f64; 3]; 5] = [
    [68.0, 1.0, 84.0],
    [59.0, 82.0, 139.0],
    [33.0, 145.0, 140.0],
    [94.0, 201.0, 98.0],
    [253.0, 231.0, 37.0],
];

fn shade(share: f64) -> String {
    let place = share * (SHADES.len() - 1) as f64;
    let index = (place as usize).min(SHADES.len() - 2);
    let part = place - index as f64;
    let [red, green, blue] = [0, 1, 2].map(|colour| {
        let [from, to] = [SHADES[index][colour], SHADES[index + 1][colour]];
        (from + part * (to - from)).round() as u8
    });
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// Width of a lane's name in units of the font size, from which on it is cut.
const LONGEST_NAME: f64 = 16.0;

fn marks_up(height: f64) -> usize {
    (height / 30.0) as usize
}

/// Area for the curves of a panel.
struct Area {
    left: f64,
    right: f64,
    /// Room left of it.
    room: f64,
    top: f64,
    bottom: f64,
}

impl Area {
    fn x(&self, extent: &Extent, value: f64) -> f64 {
        self.left + (self.right - self.left) * extent.position(value)
    }

    fn y(&self, extent: &Extent, value: f64) -> f64 {
        self.bottom - (self.bottom - self.top) * extent.position(value)
    }
}

fn paths(curve: &Curve<'_>, panel: &Panel<'_>, area: &Area) -> Vec<Vec<Point>> {
    let (across, up) = (&panel.x, &panel.y);
    let points = curve.x.iter().zip(curve.y).map(|(x, y)| {
        let (x, y) = (across.scale.of(*x), up.scale.of(*y));
        (area.x(&across.extent, x), area.y(&up.extent, y))
    });
    if panel.over_time {
        over_time(points, COLUMN)
    } else {
        anywhere(points)
    }
}

/// Spans on the page that touch become one; so the result is no longer than the page is wide.
fn merged(spans: impl Iterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
    const GAP: f64 = 0.3;
    let mut merged: Vec<(f64, f64)> = Vec::new();
    for (begin, end) in spans {
        match merged.last_mut() {
            Some(last) if begin <= last.1 + GAP => last.1 = last.1.max(end),
            _ => merged.push((begin, end)),
        }
    }
    merged
}

/// With the minus sign of a printed page.
fn signed(text: &str) -> String {
    text.replace('-', "−")
}

/// Cut to a width in units of the font size.
fn cut(text: &str, width: f64) -> String {
    if font::width(text) <= width {
        return text.to_owned();
    }
    let mut short = String::new();
    for c in text.chars() {
        short.push(c);
        if font::width(&short) + font::width("…") > width {
            short.pop();
            break;
        }
    }
    short.push('…');
    short
}

/// Without the characters that XML reserves or forbids.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c if c.is_control() => escaped.push(' '),
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}
