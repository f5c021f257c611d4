//! The page of an SVG figure: what stands on it is written as text, part by part from above.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{
    Area, COLOURS, CURVE_WIDTH, DASHES, FAINT_INK, FONT_SIZE, Frame, GRID, HEADING, INK,
    LANE_HEIGHT, LEVEL, LINE_HEIGHT, LONGEST_NAME, MARGIN, TICK_LENGTH, WIDTH, cut, escaped,
    marks_up, merged, paths, shade, signed,
};
use crate::chart::simplify::Point;
use crate::chart::ticks::Ticks;
use crate::chart::{Axis, Cells, Figure, Lane, Panel, font, shortened};
use crate::text::number::rounded;

/// Colours of a map, less one: as many as can be told apart.
const SHADES: f64 = 127.0;
const FALSE: &str = "#e9edf1";
const TRUE: &str = "#0072b2";

/// Entry of a legend for one line.
pub(super) struct Entry<'a> {
    /// Colour of the sample; `None`: no sample.
    pub(super) style: Option<usize>,
    pub(super) name: &'a str,
    pub(super) about: &'a str,
}

/// The drawing so far and the height used up.
pub(super) struct Page {
    pub(super) text: String,
    pub(super) y: f64,
}

impl Page {
    pub(super) fn area(&self, frame: &Frame, height: f64) -> Area {
        Area {
            left: frame.left,
            room: frame.room,
            right: frame.right,
            top: self.y,
            bottom: self.y + height,
        }
    }

    /// A line above all.
    pub(super) fn heading(&mut self, frame: &Frame, text: &str) {
        let baseline = self.y + FONT_SIZE;
        let longest = (frame.right - frame.left) / FONT_SIZE;
        let text = shortened(text, |text| font::width(text) <= longest);
        let x = frame.left;
        let _ = write!(
            self.text,
            r#"<text x="{x:.1}" y="{baseline:.1}" font-weight="bold">"#
        );
        self.close_text(&text);
        self.y += HEADING;
    }

    /// Entries side by side, as many as fit in a line.
    pub(super) fn legend<'a>(&mut self, frame: &Frame, entries: impl Iterator<Item = Entry<'a>>) {
        const SAMPLE: f64 = 22.0;
        const GAP: f64 = 18.0;
        let mut x = frame.left;
        for entry in entries {
            let longest = (frame.right - frame.left - SAMPLE - 6.0) / FONT_SIZE;
            let name = shortened(entry.name, |name| font::width(name) <= longest);
            let sample = if entry.style.is_some() {
                SAMPLE + 6.0
            } else {
                0.0
            };
            let about = if entry.about.is_empty() {
                String::new()
            } else {
                format!("  {}", entry.about)
            };
            let name_width = font::width(&name) * FONT_SIZE;
            let width = sample + name_width + font::width(&about) * FONT_SIZE;
            if x > frame.left && x + width > frame.right {
                x = frame.left;
                self.y += LINE_HEIGHT;
            }
            let baseline = self.y + FONT_SIZE;
            if let Some(style) = entry.style {
                let middle = baseline - 0.35 * FONT_SIZE;
                let line = [(x, middle), (x + SAMPLE, middle)];
                self.curve(&[line.to_vec()], style, 1.6 * CURVE_WIDTH);
            }
            self.label(x + sample, baseline, "start", &name);
            if !about.is_empty() {
                let room = (frame.right - x - sample - name_width) / FONT_SIZE;
                let about = cut(about.trim_start(), room - font::width("  "));
                let at = x + sample + name_width + font::width("  ") * FONT_SIZE;
                let _ = write!(
                    self.text,
                    r#"<text x="{at:.1}" y="{baseline:.1}" fill="{FAINT_INK}">"#
                );
                self.close_text(&about);
            }
            x += width + GAP;
        }
        self.y += LINE_HEIGHT + 3.0;
    }

    /// Draws the legend of a panel's curves, above it.
    /// A name that is too long to stand along the axis stands there, too.
    pub(super) fn captions(
        &mut self,
        frame: &Frame,
        panel: &Panel<'_>,
        single_run: bool,
        height: f64,
    ) {
        let several = panel.has_several_names();
        let entries = panel.named_curves().map(|curve| {
            let style = (single_run && several).then_some(curve.style);
            Entry {
                style,
                name: curve.name,
                about: curve.about,
            }
        });
        if let Some(cells) = &panel.cells {
            self.scale(frame, cells);
        }
        let exponent = panel.y.ticks(marks_up(height)).exponent;
        let is_long = font::width(&panel.y.caption(exponent)) * FONT_SIZE > height;
        let has_about = panel.curves.iter().any(|curve| !curve.about.is_empty());
        let says_more = several || has_about || is_long;
        if says_more {
            self.legend(frame, entries);
        } else {
            self.y += 4.0;
        }
    }

    /// Draws the scale of a map's colours: its name, and the least and the greatest value at the ends of a bar.
    pub(super) fn scale(&mut self, frame: &Frame, cells: &Cells<'_>) {
        const WIDEST: f64 = 160.0;
        const NARROWEST: f64 = 40.0;
        const STEPS: usize = 64;
        let baseline = self.y + FONT_SIZE;
        let gap = 0.6 * FONT_SIZE;
        let mut x = frame.left;
        let [low, high] = [cells.extent.low, cells.extent.high].map(|end| signed(&rounded(end)));
        let ends = (font::width(&low) + font::width(&high)) * FONT_SIZE + 4.0 * gap;
        let longest = (frame.right - frame.left - ends - NARROWEST) / FONT_SIZE;
        let name = shortened(cells.name, |text| font::width(text) <= longest);
        self.label(x, baseline, "start", &name);
        x += font::width(&name) * FONT_SIZE + 2.0 * gap;
        if cells.truths {
            self.truth_scale(x, baseline);
            self.y += LINE_HEIGHT + 3.0;
            return;
        }
        self.label(x, baseline, "start", &low);
        x += font::width(&low) * FONT_SIZE + gap;
        let room = frame.right - x - gap - font::width(&high) * FONT_SIZE;
        let width = room.clamp(NARROWEST, WIDEST);
        let step = width / STEPS as f64;
        for index in 0..STEPS {
            let left = x + step * index as f64;
            let (right, top, bottom) = (left + step, self.y + 1.0, self.y + LINE_HEIGHT - 4.0);
            let path = format!("M{left:.2} {top:.2}H{right:.2}V{bottom:.2}H{left:.2}z");
            self.filled(&path, &shade(index as f64 / (STEPS - 1) as f64));
        }
        self.label(x + width + gap, baseline, "start", &high);
        self.y += LINE_HEIGHT + 3.0;
    }

    /// Draws a map: all cells of one colour are one path.
    fn cells(&mut self, area: &Area, panel: &Panel<'_>, cells: &Cells<'_>) {
        let mut paths: BTreeMap<String, String> = BTreeMap::new();
        let places = cells.each(|share| (share * SHADES).round() as u8);
        for ([left, right, bottom, top], place) in places {
            let [left, right] = [left, right].map(|x| area.x(&panel.x.extent, x));
            let [bottom, top] = [bottom, top].map(|y| area.y(&panel.y.extent, y));
            let fill = match (cells.truths, place) {
                (true, 0) => FALSE.to_owned(),
                (true, _) => TRUE.to_owned(),
                (false, _) => shade(f64::from(place) / SHADES),
            };
            let path = paths.entry(fill).or_default();
            let _ = write!(
                path,
                "M{left:.2} {top:.2}H{right:.2}V{bottom:.2}H{left:.2}z"
            );
        }
        for (fill, path) in paths {
            self.filled(&path, &fill);
        }
    }

    /// Crisp areas, so that no gap shines through between neighbours.
    fn filled(&mut self, path: &str, fill: &str) {
        let _ = writeln!(
            self.text,
            r#"<path d="{path}" fill="{fill}" shape-rendering="crispEdges"/>"#
        );
    }

    /// Colours of what is false and true, above a map of booleans.
    fn truth_scale(&mut self, mut x: f64, baseline: f64) {
        let gap = 0.6 * FONT_SIZE;
        for (fill, name) in [(FALSE, "false"), (TRUE, "true")] {
            let (top, size) = (baseline - 0.8 * FONT_SIZE, 0.9 * FONT_SIZE);
            self.filled(
                &format!("M{x:.2} {top:.2}h{size:.2}v{size:.2}h-{size:.2}z"),
                fill,
            );
            x += size + gap;
            self.label(x, baseline, "start", name);
            x += font::width(name) * FONT_SIZE + 2.0 * gap;
        }
    }

    /// Draws a panel; `filled`: with the areas between curves and zero.
    pub(super) fn panel(&mut self, area: &Area, panel: &Panel<'_>, x_ticks: &Ticks, filled: bool) {
        let y_ticks = panel.y.ticks(marks_up(area.bottom - area.top));
        for (value, _) in &x_ticks.marks {
            let x = area.x(&panel.x.extent, *value);
            self.line((x, area.top), (x, area.bottom), GRID);
        }
        for place in &y_ticks.minor {
            let y = area.y(&panel.y.extent, *place);
            self.line(
                (area.left - TICK_LENGTH / 2.0, y),
                (area.left, y),
                FAINT_INK,
            );
        }
        for (value, text) in &y_ticks.marks {
            let y = area.y(&panel.y.extent, *value);
            self.line((area.left, y), (area.right, y), GRID);
            self.line((area.left - TICK_LENGTH, y), (area.left, y), INK);
            self.label(
                area.left - TICK_LENGTH - 4.0,
                y + 0.35 * FONT_SIZE,
                "end",
                &signed(text),
            );
        }
        if let Some(cells) = &panel.cells {
            self.cells(area, panel, cells);
        }
        self.line((area.left, area.top), (area.left, area.bottom), INK);
        self.line((area.left, area.bottom), (area.right, area.bottom), INK);
        let mut caption = panel.y.caption(y_ticks.exponent);
        if font::width(&caption) * FONT_SIZE > area.bottom - area.top {
            let names = Vec::new();
            caption = Axis {
                names,
                ..panel.y.clone()
            }
            .caption(y_ticks.exponent);
        }
        let x = area.left - area.room + 0.8 * FONT_SIZE;
        let middle = (area.top + area.bottom) / 2.0;
        let _ = write!(
            self.text,
            r#"<text x="{x:.1}" y="{middle:.1}" text-anchor="middle" transform="rotate(-90 {x:.1} {middle:.1})">"#
        );
        self.close_text(&caption);
        for curve in &panel.curves {
            let paths = paths(curve, panel, area);
            if filled {
                let zero = area.y(&panel.y.extent, panel.y.scale.of(0.0));
                // A logarithm has no zero: down to the border.
                let zero = if zero.is_finite() { zero } else { area.bottom };
                self.filled_area(&paths, zero, curve.style);
            }
            self.curve(&paths, curve.style, CURVE_WIDTH);
        }
    }

    /// Areas between curves and a height, under the curves.
    fn filled_area(&mut self, paths: &[Vec<Point>], zero: f64, style: usize) {
        let mut path = String::new();
        for points in paths {
            let (Some(first), Some(last)) = (points.first(), points.last()) else {
                continue;
            };
            let _ = write!(path, "M{:.2} {zero:.2}", first.0);
            for (x, y) in points {
                let _ = write!(path, "L{x:.2} {y:.2}");
            }
            let _ = write!(path, "L{:.2} {zero:.2}z", last.0);
        }
        let colour = COLOURS[style % COLOURS.len()];
        let _ = writeln!(
            self.text,
            r#"<path d="{path}" fill="{colour}" fill-opacity="0.35"/>"#
        );
    }

    /// Ticks, their labels and the caption below an area.
    pub(super) fn x_axis(&mut self, area: &Area, axis: &Axis<'_>, x_ticks: &Ticks) {
        for place in &x_ticks.minor {
            let x = area.x(&axis.extent, *place);
            self.line(
                (x, area.bottom),
                (x, area.bottom + TICK_LENGTH / 2.0),
                FAINT_INK,
            );
        }
        for (value, text) in &x_ticks.marks {
            let x = area.x(&axis.extent, *value);
            self.line((x, area.bottom), (x, area.bottom + TICK_LENGTH), INK);
            self.label(
                x,
                area.bottom + TICK_LENGTH + 1.1 * FONT_SIZE,
                "middle",
                &signed(text),
            );
        }
        let middle = (area.left + area.right) / 2.0;
        self.y = area.bottom + TICK_LENGTH + 1.1 * FONT_SIZE + LINE_HEIGHT;
        let longest = (area.right - area.left + area.room) / FONT_SIZE;
        let caption = axis.caption(x_ticks.exponent);
        let caption = shortened(&caption, |text| font::width(text) <= longest);
        self.label(middle, self.y, "middle", &caption);
        self.y += 6.0;
    }

    /// One row per boolean, with the time axis below.
    pub(super) fn lanes(&mut self, frame: &Frame, figure: &Figure<'_>, time_ticks: &Ticks) {
        let rows = figure
            .lanes
            .iter()
            .map(|lane| LANE_HEIGHT + 3.0 * (lane.bars.len() as f64 - 1.0))
            .sum();
        let area = self.area(frame, rows);
        for (value, _) in &time_ticks.marks {
            let x = area.x(&figure.time, *value);
            self.line((x, area.top), (x, area.bottom), GRID);
        }
        let mut top = area.top;
        for lane in &figure.lanes {
            let height = LANE_HEIGHT + 3.0 * (lane.bars.len() as f64 - 1.0);
            let baseline = top + height / 2.0 + 0.35 * FONT_SIZE;
            self.label(
                area.left - 8.0,
                baseline,
                "end",
                &shortened(lane.name, |name| font::width(name) <= LONGEST_NAME),
            );
            self.lane(&area, lane, top, height, figure);
            top += height;
            self.line((area.left, top), (area.right, top), GRID);
        }
        self.line((area.left, area.top), (area.left, area.bottom), INK);
        self.line((area.left, area.bottom), (area.right, area.bottom), INK);
        self.x_axis(&area, &figure.time_axis(), time_ticks);
    }

    pub(super) fn lane(
        &mut self,
        area: &Area,
        lane: &Lane<'_>,
        top: f64,
        height: f64,
        figure: &Figure<'_>,
    ) {
        const ROOM: f64 = 3.0;
        /// Whatever is true at all is seen.
        const NARROWEST: f64 = 0.8;
        let bar_height = (height - 2.0 * ROOM) / lane.bars.len() as f64;
        for (index, bar) in lane.bars.iter().enumerate() {
            let fill = if figure.runs.is_empty() {
                LEVEL
            } else {
                COLOURS[bar.style % COLOURS.len()]
            };
            let y = top + ROOM + bar_height * index as f64;
            let mut path = String::new();
            let visible = bar.spans.iter().map(|(begin, end)| {
                let begin = area.x(&figure.time, *begin);
                (begin, area.x(&figure.time, *end).max(begin + NARROWEST))
            });
            for (begin, end) in merged(visible) {
                let _ = write!(
                    path,
                    "M{begin:.2} {y:.2}H{end:.2}v{bar_height:.2}H{begin:.2}z"
                );
            }
            if !path.is_empty() {
                let _ = writeln!(self.text, r#"<path d="{path}" fill="{fill}"/>"#);
            }
        }
    }

    pub(super) fn line(&mut self, from: Point, to: Point, colour: &str) {
        // On the middle of a pixel, so that screens draw it sharp.
        let sharp = |value: f64| value.round() + 0.5;
        let vertical = from.0 == to.0;
        let (from, to) = if vertical {
            ((sharp(from.0), from.1), (sharp(to.0), to.1))
        } else {
            ((from.0, sharp(from.1)), (to.0, sharp(to.1)))
        };
        let _ = writeln!(
            self.text,
            r#"<path d="M{:.1} {:.1}L{:.1} {:.1}" stroke="{colour}" stroke-width="1"/>"#,
            from.0, from.1, to.0, to.1
        );
    }

    pub(super) fn curve(&mut self, paths: &[Vec<Point>], style: usize, width: f64) {
        /// Half the size of a point that no line goes through.
        const POINT: f64 = 3.0;
        let colour = COLOURS[style % COLOURS.len()];
        let mut path = String::new();
        for points in paths {
            if let Some((x, y)) = points.first()
                && points.iter().all(|point| point == &points[0])
            {
                let _ = writeln!(
                    self.text,
                    r#"<circle cx="{x:.2}" cy="{y:.2}" r="{POINT}" fill="{colour}"/>"#
                );
                continue;
            }
            for (index, (x, y)) in points.iter().enumerate() {
                let command = if index == 0 { 'M' } else { 'L' };
                let _ = write!(path, "{command}{x:.2} {y:.2}");
            }
        }
        if path.is_empty() {
            return;
        }
        let dash = DASHES[style / COLOURS.len() % DASHES.len()];
        let dash = if dash.is_empty() {
            String::new()
        } else {
            format!(r#" stroke-dasharray="{dash}""#)
        };
        let _ = writeln!(
            self.text,
            r#"<path d="{path}" fill="none" stroke="{colour}" stroke-width="{width:.2}" stroke-linejoin="round" stroke-linecap="round"{dash}/>"#
        );
    }

    pub(super) fn label(&mut self, x: f64, y: f64, anchor: &str, text: &str) {
        let _ = write!(
            self.text,
            r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">"#
        );
        self.close_text(text);
    }

    pub(super) fn close_text(&mut self, text: &str) {
        let _ = writeln!(self.text, "{}</text>", escaped(text));
    }

    pub(super) fn finish(self, title: &str) -> String {
        let height = (self.y + MARGIN).ceil();
        let family = font::FAMILY;
        let title = if title.is_empty() {
            String::new()
        } else {
            format!("<title>{}</title>\n", escaped(title))
        };
        let body = self.text;
        format!(
            r##"<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}">
{title}<rect width="100%" height="100%" fill="#ffffff"/>
<g font-family="{family}" font-size="{FONT_SIZE}" fill="{INK}">
{body}</g>
</svg>
"##
        )
    }
}
