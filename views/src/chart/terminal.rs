//! Figures in the terminal: braille curves and block bars in a grid of characters.
//!
//! ratatui draws into a buffer, the buffer is printed; nothing is asked of the terminal. Without
//! colours, curves of one panel carry letters that the legend explains.

mod panel;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Color;

use super::ticks::Ticks;
use super::{Axis, Extent, Figure, Panel, shortened};
use panel::{lane_rows, panel_rows, scale};

/// Screen on which a figure is printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Screen {
    /// Characters in a line.
    pub width: u16,
    /// Lines the figure should fit in; it is higher if its panels would get too low.
    pub height: u16,
    /// True if escapes for colours are written.
    pub colour: bool,
}

/// Blue, vermilion, green, purple, orange, sky, grey: near the colours of printed figures and
/// readable on black and on white.
const COLOURS: [u8; 7] = [32, 166, 35, 175, 172, 74, 244];
const FAINT: Color = Color::Indexed(244);
const LETTERS: [char; 26] = {
    let mut letters = ['a'; 26];
    let mut index = 0;
    while index < letters.len() {
        letters[index] = (b'a' + index as u8) as char;
        index += 1;
    }
    letters
};

const LOWEST_PANEL: u16 = 6;
const HIGHEST_PANEL: u16 = 24;
const NARROWEST: u16 = 20;

/// Draws the figure as lines of text, each ended by a line feed.
pub fn terminal(figure: &Figure<'_>, screen: Screen) -> String {
    let width = screen.width.max(NARROWEST);
    let layout = Layout::of(figure, width, screen.height);
    let mut lines = Vec::new();
    if !figure.runs.is_empty() {
        let entries = figure.runs.iter().enumerate().map(|(style, name)| Entry {
            style: Some(style),
            name,
            about: "",
        });
        legend(&mut lines, &layout, screen, entries);
    }
    let n_over_time = figure.panels.iter().filter(|panel| panel.over_time).count();
    let (over_time, phases) = figure.panels.split_at(n_over_time);
    for panel in over_time {
        captions(&mut lines, &layout, panel, screen, figure.runs.is_empty());
        lines.push(panel_rows(panel, &layout, screen));
    }
    for lane in &figure.lanes {
        lane_rows(&mut lines, lane, figure, &layout, screen);
    }
    if !(over_time.is_empty() && figure.lanes.is_empty()) {
        let axis = figure.time_axis();
        lines.push(x_axis(&axis, &caption_of(&axis, &layout), &layout));
    }
    for panel in phases {
        captions(&mut lines, &layout, panel, screen, figure.runs.is_empty());
        lines.push(panel_rows(panel, &layout, screen));
        lines.push(x_axis(&panel.x, &caption_of(&panel.x, &layout), &layout));
    }
    let mut text = String::new();
    if figure.is_empty() {
        text = format!("{}\n", super::NOTHING);
    }
    for buffer in &lines {
        print(buffer, screen.colour, &mut text);
    }
    text
}

/// Division of the characters.
struct Layout {
    width: u16,
    /// Characters left of the vertical axis.
    left: u16,
    panel_height: u16,
}

impl Layout {
    fn of(figure: &Figure<'_>, width: u16, height: u16) -> Self {
        let n_panels = figure.panels.len() as u16;
        let lane_rows: usize = figure.lanes.iter().map(|lane| lane.bars.len()).sum();
        let n_phases = figure
            .panels
            .iter()
            .filter(|panel| !panel.over_time)
            .count();
        let axes = 2
            * (n_phases + usize::from(n_phases < figure.panels.len() || !figure.lanes.is_empty()));
        let fixed = figure.panels.len() + lane_rows + axes + usize::from(!figure.runs.is_empty());
        // One line is left for the prompt.
        let free = usize::from(height.saturating_sub(1)).saturating_sub(fixed) as u16;
        let panel_height = free
            .checked_div(n_panels)
            .unwrap_or(0)
            .clamp(LOWEST_PANEL, HIGHEST_PANEL);
        let mut left = 4;
        for panel in &figure.panels {
            let Ticks { marks, .. } = panel.y.ticks(marks_up(panel_height));
            left = marks
                .iter()
                .map(|(_, text)| text.chars().count())
                .fold(left, usize::max);
        }
        left = figure
            .lanes
            .iter()
            .map(|lane| columns(lane.name))
            .fold(left, usize::max);
        Self {
            width,
            left: (left as u16).min(width / 4) + 1,
            panel_height,
        }
    }

    /// Characters right of the vertical axis.
    fn across(&self) -> u16 {
        self.width.saturating_sub(self.left + 1).max(1)
    }

    fn marks_across(&self) -> usize {
        usize::from(self.across() / 10).max(2)
    }
}

fn marks_up(height: u16) -> usize {
    usize::from(height / 2).clamp(2, 6)
}

/// Width of a text in the terminal.
fn columns(text: &str) -> usize {
    ratatui::text::Span::raw(text).width()
}

/// Entry of a legend for one line.
struct Entry<'a> {
    style: Option<usize>,
    name: &'a str,
    about: &'a str,
}

fn colour(style: usize) -> Color {
    Color::Indexed(COLOURS[style % COLOURS.len()])
}

/// `━━ name  what it is`, side by side, as many as fit in a line; letters instead of colours.
fn legend<'a>(
    lines: &mut Vec<Buffer>,
    layout: &Layout,
    screen: Screen,
    entries: impl Iterator<Item = Entry<'a>>,
) {
    let mut line = blank(layout.width, 1);
    let mut x = layout.left;
    for entry in entries {
        let sample = match entry.style {
            Some(style) if !screen.colour => format!("{} ", LETTERS[style % LETTERS.len()]),
            Some(_) => "━━ ".to_owned(),
            None => String::new(),
        };
        let about = if entry.about.is_empty() {
            String::new()
        } else {
            format!("  {}", entry.about)
        };
        let wanted = (columns(&sample) + columns(entry.name) + columns(&about)) as u16;
        if x > layout.left && x.saturating_add(wanted) > layout.width {
            lines.push(std::mem::replace(&mut line, blank(layout.width, 1)));
            x = layout.left;
        }
        let sample_colour = entry.style.map_or(Color::Reset, colour);
        for (text, colour) in [
            (&sample[..], sample_colour),
            (entry.name, Color::Reset),
            (&about, FAINT),
        ] {
            let room = usize::from(layout.width.saturating_sub(x));
            x = line
                .set_stringn(x.min(layout.width - 1), 0, text, room, colour)
                .0;
            if columns(text) > room && room > 0 {
                line[(layout.width - 1, 0)].set_char('…');
            }
        }
        x = x.saturating_add(3);
    }
    lines.push(line);
}

fn captions(
    lines: &mut Vec<Buffer>,
    layout: &Layout,
    panel: &Panel<'_>,
    screen: Screen,
    single_run: bool,
) {
    if let Some(cells) = &panel.cells {
        scale(lines, layout, panel, cells);
        return;
    }
    let exponent = panel.y.ticks(marks_up(layout.panel_height)).exponent;
    let several = panel.has_several_names();
    let unit = Axis {
        names: Vec::new(),
        ..panel.y.clone()
    }
    .caption(exponent);
    let n_names = panel.y.names.len();
    let names: Vec<String> = panel
        .named_curves()
        .enumerate()
        .map(|(index, curve)| {
            let unit = if index + 1 == n_names && !unit.is_empty() {
                format!(" {unit}")
            } else {
                String::new()
            };
            // A legend keeps the colour or letter of a curve with its name.
            let room = usize::from(layout.width - layout.left).saturating_sub(4 + columns(&unit));
            let name = shortened(curve.name, |name| columns(name) <= room);
            format!("{name}{unit}")
        })
        .collect();
    let entries = panel.named_curves().zip(&names).map(|(curve, name)| Entry {
        style: (single_run && several).then_some(curve.style),
        name,
        about: curve.about,
    });
    legend(lines, layout, screen, entries);
}

/// Caption of a horizontal axis, with the power of ten that was taken out of its marks.
fn caption_of(axis: &Axis<'_>, layout: &Layout) -> String {
    axis.caption(axis.ticks(layout.marks_across()).exponent)
}

/// The horizontal axis: a line with marks, and their texts with the caption below.
fn x_axis(axis: &Axis<'_>, caption: &str, layout: &Layout) -> Buffer {
    let mut buffer = blank(layout.width, 2);
    let across = layout.across();
    buffer.set_string(layout.left, 0, "└", Color::Reset);
    buffer.set_string(
        layout.left + 1,
        0,
        "─".repeat(usize::from(across)),
        Color::Reset,
    );
    let caption_width = columns(caption) as u16;
    let in_margin = caption_width < layout.left;
    let caption_from = if in_margin {
        0
    } else {
        layout.width.saturating_sub(caption_width)
    };
    buffer.set_stringn(
        caption_from,
        1,
        caption,
        usize::from(layout.width),
        Color::Reset,
    );
    let (mut free_from, free_to) = if in_margin {
        (caption_width + 1, layout.width)
    } else {
        (0, caption_from.saturating_sub(1))
    };
    for (value, text) in &axis.ticks(layout.marks_across()).marks {
        let column = layout.left + 1 + column_of(&axis.extent, *value, across);
        buffer.set_string(column, 0, "┬", Color::Reset);
        let width = text.chars().count() as u16;
        let from = column.saturating_sub(width / 2);
        let from = from.min(layout.width.saturating_sub(width));
        if from >= free_from && from + width <= free_to {
            buffer.set_string(from, 1, text, Color::Reset);
            free_from = from + width + 1;
        }
    }
    buffer
}

fn column_of(extent: &Extent, value: f64, across: u16) -> u16 {
    ((extent.position(value) * f64::from(across)).max(0.0) as u16).min(across - 1)
}

/// Row from the top.
fn row_of(extent: &Extent, value: f64, height: u16) -> u16 {
    height - 1 - ((extent.position(value) * f64::from(height)).max(0.0) as u16).min(height - 1)
}

/// Writes a text that ends before the vertical axis; one that is too long is shortened.
fn right_aligned(buffer: &mut Buffer, layout: &Layout, row: u16, text: &str) {
    let room = usize::from(layout.left - 1);
    let text = shortened(text, |text| columns(text) <= room);
    let from = room.saturating_sub(columns(&text));
    buffer.set_stringn(from as u16, row, &text, room, Color::Reset);
}

fn blank(width: u16, height: u16) -> Buffer {
    Buffer::empty(Rect::new(0, 0, width, height))
}

/// Appends the rows of a buffer, without the blanks at their ends.
fn print(buffer: &Buffer, with_colour: bool, text: &mut String) {
    for row in buffer.content.chunks(usize::from(buffer.area.width)) {
        let is_blank = |cell: &ratatui::buffer::Cell| cell.symbol().trim().is_empty();
        let end = row
            .iter()
            .rposition(|cell| !is_blank(cell))
            .map_or(0, |last| last + 1);
        let mut current = Color::Reset;
        let mut skipped = 0;
        for cell in &row[..end] {
            // A wide character takes the cells behind it.
            if skipped > 0 {
                skipped -= 1;
                continue;
            }
            skipped = columns(cell.symbol()).saturating_sub(1);
            if with_colour && cell.fg != current && !is_blank(cell) {
                text.push_str(&escape(cell.fg));
                current = cell.fg;
            }
            text.push_str(cell.symbol());
        }
        if current != Color::Reset {
            text.push_str(&escape(Color::Reset));
        }
        text.push('\n');
    }
}

fn escape(colour: Color) -> String {
    match colour {
        Color::Indexed(index) => format!("\u{1b}[38;5;{index}m"),
        _ => "\u{1b}[0m".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::compose;
    use crate::columns::selection::Picks;
    use crate::columns::series::{BooleanColumn, RealColumn, Series};

    fn fall(label: &str, height: f64) -> Series {
        let time: Vec<f64> = (0..=400).map(|i| f64::from(i) * 0.01).collect();
        let h: Vec<f64> = time
            .iter()
            .map(|t| height * (1.0 - t / 4.0) * (t * 3.0).cos().abs())
            .collect();
        let real = |name: &str, unit: &str, values: Vec<f64>| RealColumn {
            name: name.to_owned(),
            unit: unit.to_owned(),
            about: format!("the {name} of it"),
            values,
        };
        let boolean = |name: &str, event, on: &dyn Fn(f64) -> bool| BooleanColumn {
            name: name.to_owned(),
            event,
            values: time.iter().map(|t| on(*t)).collect(),
            ..BooleanColumn::default()
        };
        Series {
            label: label.to_owned(),
            time_unit: String::new(),
            reals: vec![
                real("h", "cm", h.clone()),
                real("limit", "cm", vec![0.7 * height; time.len()]),
                real(
                    "скорость",
                    "cm/s",
                    time.iter().map(|t| 1e6 * (t * 3.0).sin()).collect(),
                ),
            ],
            booleans: vec![
                boolean("contact", false, &|t| (t * 3.0).cos().abs() < 0.2),
                boolean("hit", true, &|t| {
                    (t - 1.0).abs() < 1e-9 || (t - 3.0).abs() < 1e-9
                }),
            ],
            time,
        }
    }

    fn drawn(runs: &[Series], picks: &str, width: u16, height: u16, colour: bool) -> String {
        let Picks(picks) = picks.parse().unwrap_or_default();
        terminal(
            &compose(runs, &picks).unwrap(),
            Screen {
                width,
                height,
                colour,
            },
        )
    }

    #[test]
    fn a_run_fits_in_the_window() {
        let text = drawn(&[fall("a", 400.0)], "", 80, 24, false);
        assert!(text.lines().count() < 24);
        assert!(text.lines().all(|line| columns(line) <= 80));
        insta::assert_snapshot!(text);
    }

    #[test]
    fn runs_and_phase_plots() {
        insta::assert_snapshot!(drawn(
            &[fall("low", 100.0), fall("high", 400.0)],
            "h,contact,h:скорость",
            60,
            30,
            false
        ));
    }

    #[test]
    fn colours_replace_letters() {
        let runs = [fall("a", 400.0)];
        let plain = drawn(&runs, "h,limit", 80, 24, false);
        let coloured = drawn(&runs, "h,limit", 80, 24, true);
        assert!(plain.contains("a h") && plain.contains("b limit") && !plain.contains('\u{1b}'));
        assert!(coloured.contains("\u{1b}[38;5;32m━━") && coloured.ends_with("\n"));
        for line in coloured.lines() {
            let last_escape = line.rfind('\u{1b}').map(|at| &line[at..]);
            assert!(
                last_escape.is_none_or(|rest| rest.starts_with("\u{1b}[0m")),
                "{line:?}"
            );
        }
    }

    #[test]
    fn anything_can_be_drawn() {
        let mut extreme = fall("a", f64::MAX);
        extreme.reals[0].name = "имя ".repeat(100);
        extreme.reals[1].values.fill(f64::NAN);
        extreme.booleans[0].name = "漢字".repeat(30);
        extreme.reals[0].about = "long ".repeat(20_000);
        let mut empty = fall("b", 1.0);
        empty.time.clear();
        for column in &mut empty.reals {
            column.values.clear();
        }
        for (width, height) in [
            (0, 0),
            (1, 1),
            (21, 5),
            (80, 24),
            (500, 200),
            (u16::MAX, 10),
        ] {
            for runs in [
                vec![],
                vec![extreme.clone()],
                vec![extreme.clone(), empty.clone()],
            ] {
                let text = drawn(&runs, "", width, height, true);
                assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
            }
        }
    }
}
