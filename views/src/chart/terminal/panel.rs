//! Panels and lanes in a grid of characters.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Color;
use ratatui::symbols::Marker;
use ratatui::widgets::Widget;
use ratatui::widgets::canvas::{Canvas, Line};

use super::{FAINT, LETTERS, Layout, Screen, blank, colour, marks_up, right_aligned, row_of};
use crate::chart::simplify::{anywhere, over_time};
use crate::chart::ticks::Ticks;
use crate::chart::{Bar, Cells, Curve, Extent, Figure, Lane, Panel};
use crate::text::number::rounded;

/// Blocks of a map from the least to the greatest value.
const SHADES: [char; 5] = ['·', '░', '▒', '▓', '█'];

/// Scale of the blocks of a map.
pub(super) fn scale(
    lines: &mut Vec<Buffer>,
    layout: &Layout,
    panel: &Panel<'_>,
    cells: &Cells<'_>,
) {
    let mut line = blank(layout.width, 1);
    let exponent = panel.y.ticks(marks_up(layout.panel_height)).exponent;
    let up = panel.y.caption(exponent);
    let name = cells.name;
    let text = if cells.truths {
        let [no, .., yes] = SHADES;
        format!("{up}   {name}: {no} false {yes} true")
    } else {
        let shades: String = SHADES.iter().collect();
        let [low, high] = [cells.extent.low, cells.extent.high].map(rounded);
        format!("{up}   {name}: {low} {shades} {high}")
    };
    let room = usize::from(layout.width.saturating_sub(layout.left));
    line.set_stringn(layout.left, 0, text, room, Color::Reset);
    lines.push(line);
}

/// Fills an area with the blocks of a map.
fn fill(buffer: &mut Buffer, area: Rect, panel: &Panel<'_>, cells: &Cells<'_>) {
    let ends = |extent: &Extent, place: u16, all: u16| {
        [0.0, 1.0]
            .map(|side| extent.low + (f64::from(place) + side) / f64::from(all) * extent.span())
    };
    for row in 0..area.height {
        let [bottom, top] = ends(&panel.y.extent, area.height - 1 - row, area.height);
        for column in 0..area.width {
            let [left, right] = ends(&panel.x.extent, column, area.width);
            if let Some(share) = cells.within([left, right, bottom, top]) {
                let shade = (share * SHADES.len() as f64) as usize;
                let shade = SHADES[shade.min(SHADES.len() - 1)];
                buffer[(area.x + column, area.y + row)].set_char(shade);
            }
        }
    }
}

/// The vertical axis with its marks and the curves.
pub(super) fn panel_rows(panel: &Panel<'_>, layout: &Layout, screen: Screen) -> Buffer {
    let height = layout.panel_height;
    let mut buffer = blank(layout.width, height);
    let Ticks { marks, .. } = panel.y.ticks(marks_up(height));
    for row in 0..height {
        buffer.set_string(layout.left, row, "│", Color::Reset);
    }
    for (value, text) in &marks {
        let row = row_of(&panel.y.extent, *value, height);
        right_aligned(&mut buffer, layout, row, text);
        buffer.set_string(layout.left, row, "┤", Color::Reset);
    }
    let area = Rect::new(layout.left + 1, 0, layout.across(), height);
    if let Some(cells) = &panel.cells {
        fill(&mut buffer, area, panel, cells);
        return buffer;
    }
    let drawn: Vec<(usize, Vec<Line>)> = panel
        .curves
        .iter()
        .map(|curve| (curve.style, lines_of(curve, panel, area)))
        .collect();
    let canvas = Canvas::default()
        .marker(Marker::Braille)
        .x_bounds([0.0, f64::from(area.width)])
        .y_bounds([0.0, f64::from(area.height)])
        .paint(|context| {
            for (_, lines) in &drawn {
                for line in lines {
                    context.draw(line);
                }
            }
        });
    canvas.render(area, &mut buffer);
    let several = panel.curves.len() > 1;
    if several && !screen.colour {
        letters(&mut buffer, area, &drawn);
    }
    buffer
}

/// The steps of a curve, in characters from the lower left of the area.
fn lines_of(curve: &Curve<'_>, panel: &Panel<'_>, area: Rect) -> Vec<Line> {
    /// Dots of a braille character side by side.
    const DOTS: f64 = 2.0;
    let (width, height) = (f64::from(area.width), f64::from(area.height));
    let points = curve.x.iter().zip(curve.y).map(|(x, y)| {
        (
            width * panel.x.extent.position(panel.x.scale.of(*x)),
            height * panel.y.extent.position(panel.y.scale.of(*y)),
        )
    });
    let paths = if panel.over_time {
        over_time(points, 1.0 / DOTS)
    } else {
        anywhere(points)
    };
    let steps = paths.iter().flat_map(|path| path.windows(2));
    steps
        .map(|step| {
            Line::new(
                step[0].0,
                step[0].1,
                step[1].0,
                step[1].1,
                colour(curve.style),
            )
        })
        .collect()
}

/// Writes each curve's letter on it a few times, at places of its own.
fn letters(buffer: &mut Buffer, area: Rect, drawn: &[(usize, Vec<Line>)]) {
    const PER_CURVE: usize = 5;
    let n_places = PER_CURVE * drawn.len();
    for (index, (style, lines)) in drawn.iter().enumerate() {
        let letter = LETTERS[style % LETTERS.len()];
        for repeat in 0..PER_CURVE {
            let place = (repeat * drawn.len() + index) as f64 + 0.5;
            let x = place / n_places as f64 * f64::from(area.width);
            let crossing = lines
                .iter()
                .find(|line| (line.x1.min(line.x2)..=line.x1.max(line.x2)).contains(&x));
            let Some(line) = crossing else { continue };
            let part = if line.x2 == line.x1 {
                0.5
            } else {
                (x - line.x1) / (line.x2 - line.x1)
            };
            let y = line.y1 + part * (line.y2 - line.y1);
            let column = area.x + (x as u16).min(area.width - 1);
            let row = area.height - 1 - (y.max(0.0) as u16).min(area.height - 1);
            buffer[(column, row)].set_char(letter);
        }
    }
}

/// A row per run: the name and blocks where the boolean is true.
pub(super) fn lane_rows(
    lines: &mut Vec<Buffer>,
    lane: &Lane<'_>,
    figure: &Figure<'_>,
    layout: &Layout,
    screen: Screen,
) {
    for (index, bar) in lane.bars.iter().enumerate() {
        let mut buffer = blank(layout.width, 1);
        if index == 0 {
            right_aligned(&mut buffer, layout, 0, lane.name);
        }
        buffer.set_string(layout.left, 0, "│", Color::Reset);
        let bar_colour = if figure.runs.is_empty() {
            FAINT
        } else {
            colour(bar.style)
        };
        let halves = true_halves(bar, &figure.time, layout.across());
        for (column, pair) in halves.chunks(2).enumerate() {
            let symbol = match (lane.event, pair[0], pair[1]) {
                (_, false, false) => continue,
                (true, ..) => '╿',
                (false, true, true) => '█',
                (false, true, false) => '▌',
                (false, false, true) => '▐',
            };
            buffer[(layout.left + 1 + column as u16, 0)]
                .set_char(symbol)
                .set_fg(bar_colour);
        }
        if !(figure.runs.is_empty() || screen.colour) {
            buffer.set_string(
                layout.left,
                0,
                LETTERS[bar.style % LETTERS.len()].to_string(),
                Color::Reset,
            );
        }
        lines.push(buffer);
    }
}

/// For each half character whether the boolean is true anywhere in it.
fn true_halves(bar: &Bar, time: &Extent, across: u16) -> Vec<bool> {
    let n_halves = usize::from(across) * 2;
    let mut halves = vec![false; n_halves];
    let half_of =
        |at: f64| ((time.position(at) * n_halves as f64).max(0.0) as usize).min(n_halves - 1);
    for (begin, end) in &bar.spans {
        let (first, last) = (half_of(*begin), half_of(*end));
        // The end does not belong to the span, so that spans that touch an empty one leave a gap.
        let last = if last > first && *end > *begin {
            last - 1
        } else {
            last
        };
        halves[first..=last].fill(true);
    }
    halves
}
