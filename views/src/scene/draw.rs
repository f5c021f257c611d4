//! A scene at a row becomes marks in pixels.

use situ_engine::ids::ExprId;
use situ_engine::model::Model;
use situ_engine::model::scene::{
    Align, AttributeKind, AttributeValue, Colour, Paint, Shape, ShapeKind, TextPart,
};
use situ_engine::trace::Row;

use super::outline::{arrow, spring};
use super::{Mark, Outline, Picture, Shade, Trails};
use crate::lab::holds;
use crate::text::number::rounded;

/// Largest width and height of a picture [pixels].
const LARGEST: [f64; 2] = [640.0, 420.0];
/// Smallest width and height: a view that is flatter is drawn wider than it is [pixels].
const SMALLEST: f64 = 40.0;

const LINE_WIDTH: f64 = 2.0;
const LETTERS: f64 = 14.0;
const COILS: f64 = 8.0;
const COIL_RADIUS: f64 = 7.0;

/// Draws the scene of a model at a row; `None` if it has none, or if its view is not finite there.
///
/// Shapes: `trails`, what the rows before have left of paths; they are not drawn without it.
pub fn draw(model: &Model, row: &Row<'_>, trails: &Trails) -> Option<Picture> {
    let scene = model.scene.as_ref()?;
    let sight = Sight::new(model, row);
    let window = Window::new(scene.view?.map(|side| sight.number(side)))?;
    let mut marks = Vec::new();
    for (index, shape) in scene.shapes.iter().enumerate() {
        let shown = Shown {
            sight: &sight,
            window: &window,
            shape,
            index,
        };
        shown.draw(trails, &mut marks);
    }
    Some(Picture {
        width: window.size[0],
        height: window.size[1],
        marks,
    })
}

/// From units of the scene to pixels.
struct Window {
    /// Left and upper border [units of the scene].
    origin: [f64; 2],
    /// Pixels per unit, to the right and downwards.
    scale: [f64; 2],
    size: [f64; 2],
}

impl Window {
    /// The window of a view: left, upper, right and lower border. `None` if it has no extent.
    fn new([left, upper, right, lower]: [f64; 4]) -> Option<Self> {
        let extent = [right - left, lower - upper];
        let [width, height] = extent.map(f64::abs);
        let fits = |size: f64| size.is_finite() && size > 0.0;
        if !(fits(width) && fits(height)) {
            return None;
        }
        let scale = (LARGEST[0] / width).min(LARGEST[1] / height);
        let size = [width, height].map(|side| (scale * side).round().max(SMALLEST));
        Some(Self {
            origin: [left, upper],
            scale: [size[0] / extent[0], size[1] / extent[1]],
            size,
        })
    }

    fn place(&self, at: [f64; 2]) -> [f64; 2] {
        std::array::from_fn(|axis| (at[axis] - self.origin[axis]) * self.scale[axis])
    }

    fn length(&self, length: f64) -> f64 {
        (length * self.scale[0]).abs()
    }
}

/// The values of a scene at a row.
pub(super) struct Sight<'a> {
    model: &'a Model,
    row: &'a Row<'a>,
}

impl<'a> Sight<'a> {
    pub(super) fn new(model: &'a Model, row: &'a Row<'a>) -> Self {
        Self { model, row }
    }

    fn number(&self, root: ExprId) -> f64 {
        let Row {
            reals,
            constants,
            time,
            ..
        } = *self.row;
        self.model.value_at(root, reals, constants, time)
    }

    /// The attribute of a kind that counts.
    fn value<'s>(&self, shape: &'s Shape, kind: AttributeKind) -> Option<&'s AttributeValue> {
        let mut all = shape.attributes.iter().filter(|one| one.kind == kind);
        let counts = all.find(|one| {
            one.when
                .as_ref()
                .is_none_or(|when| holds(when, self.model, self.row))
        })?;
        Some(&counts.value)
    }

    /// The first point of an attribute, in the frame of its shape.
    pub(super) fn point(&self, shape: &Shape, kind: AttributeKind) -> Option<[f64; 2]> {
        match self.value(shape, kind)? {
            AttributeValue::Points(points) => {
                points.first().map(|at| at.map(|side| self.number(side)))
            }
            _ => None,
        }
    }

    fn amount(&self, shape: &Shape, kind: AttributeKind) -> Option<f64> {
        match self.value(shape, kind)? {
            AttributeValue::Number(number) => Some(self.number(*number)),
            _ => None,
        }
    }

    /// A point in the frame of a shape as a point of the scene; `None` if a group of it is not drawn.
    pub(super) fn in_scene(&self, shape: &Shape, mut at: [f64; 2]) -> Option<[f64; 2]> {
        let scene = self.model.scene.as_ref()?;
        let mut group = shape.group;
        while let Some(index) = group {
            let frame = &scene.shapes[index];
            let [x, y] = self.point(frame, AttributeKind::At)?;
            let (sin, cos) = self.turn(frame).sin_cos();
            at = [x + at[0] * cos - at[1] * sin, y + at[0] * sin + at[1] * cos];
            group = frame.group;
        }
        Some(at)
    }

    fn turn(&self, shape: &Shape) -> f64 {
        self.amount(shape, AttributeKind::Angle).unwrap_or(0.0)
    }

    fn letters(&self, parts: &[TextPart]) -> String {
        let mut letters = String::new();
        for part in parts {
            match part {
                TextPart::Letters(own) => letters.push_str(own),
                TextPart::Number(root, digits) => {
                    let value = self.number(*root);
                    let text = match digits {
                        Some(digits) if value.is_finite() => {
                            without_sign_of_zero(format!("{value:.*}", usize::from(*digits)))
                        }
                        _ => rounded(to_leading_digits(value)),
                    };
                    letters.push_str(&text.replace('-', "\u{2212}"));
                }
            }
        }
        letters
    }
}

/// The value to four leading digits.
fn to_leading_digits(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

/// `-0.00` is `0.00`.
fn without_sign_of_zero(text: String) -> String {
    match text.strip_prefix('-') {
        Some(rest) if rest.chars().all(|digit| matches!(digit, '0' | '.')) => rest.to_owned(),
        _ => text,
    }
}

/// A shape that is being drawn.
struct Shown<'a> {
    sight: &'a Sight<'a>,
    window: &'a Window,
    shape: &'a Shape,
    index: usize,
}

impl Shown<'_> {
    /// Adds the marks of the shape; none if a place or a size of it is not known.
    fn draw(&self, trails: &Trails, marks: &mut Vec<Mark>) {
        let first = marks.len();
        match self.shape.kind {
            ShapeKind::Circle => marks.extend(self.circle()),
            ShapeKind::Box => marks.extend(self.rectangle()),
            ShapeKind::Line | ShapeKind::Polyline => {
                let line = self.points().map(|points| self.mark(line(points, false)));
                marks.extend(line);
            }
            ShapeKind::Spring => marks.extend(self.spring()),
            ShapeKind::Arrow => self.arrow(marks),
            ShapeKind::Text => marks.extend(self.text()),
            ShapeKind::Path => self.path(trails, marks),
            ShapeKind::Group => {}
        }
        let mut seen = first;
        while seen < marks.len() {
            match is_finite(&marks[seen].outline) {
                true => seen += 1,
                false => _ = marks.remove(seen),
            }
        }
    }

    /// A point of the shape in pixels.
    fn place(&self, at: [f64; 2]) -> Option<[f64; 2]> {
        let at = self.sight.in_scene(self.shape, at)?;
        Some(self.window.place(at))
    }

    fn amount(&self, kind: AttributeKind) -> Option<f64> {
        self.sight.amount(self.shape, kind)
    }

    fn at(&self) -> Option<[f64; 2]> {
        self.place(self.sight.point(self.shape, AttributeKind::At)?)
    }

    fn points(&self) -> Option<Vec<[f64; 2]>> {
        match self.sight.value(self.shape, AttributeKind::Points)? {
            AttributeValue::Points(points) => {
                let points = points
                    .iter()
                    .map(|at| at.map(|side| self.sight.number(side)));
                points.map(|at| self.place(at)).collect()
            }
            _ => None,
        }
    }

    fn circle(&self) -> Option<Mark> {
        let radius = self.amount(AttributeKind::Radius)?;
        Some(self.mark(Outline::Circle {
            centre: self.at()?,
            radius: self.window.length(radius),
        }))
    }

    fn rectangle(&self) -> Option<Mark> {
        let [x, y] = self.sight.point(self.shape, AttributeKind::At)?;
        let [width, height] = self.sight.point(self.shape, AttributeKind::Size)?;
        let (sin, cos) = self.sight.turn(self.shape).sin_cos();
        let corners = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)];
        let corners = corners.map(|(across, up)| {
            let (across, up) = (across * width, up * height);
            self.place([x + across * cos - up * sin, y + across * sin + up * cos])
        });
        let corners: Option<Vec<_>> = corners.into_iter().collect();
        Some(self.mark(line(corners?, true)))
    }

    fn spring(&self) -> Option<Mark> {
        let points = self.points()?;
        let [from, to] = points[..] else { return None };
        let turns = self.amount(AttributeKind::Turns).unwrap_or(COILS);
        let radius = self.amount(AttributeKind::Radius);
        let radius = radius.map_or(COIL_RADIUS, |radius| self.window.length(radius));
        let coil = spring(from, to, turns, radius);
        Some(self.mark(line(coil, false)))
    }

    fn arrow(&self, marks: &mut Vec<Mark>) {
        let Some(points) = self.points() else { return };
        let [from, to] = points[..] else { return };
        let shaft = self.mark(line(Vec::new(), false));
        let Some(arrow) = arrow(from, to, shaft.width) else {
            return;
        };
        let head = Mark {
            outline: line(arrow.head.to_vec(), true),
            fill: shaft.stroke,
            stroke: None,
            dash: 0.0,
            ..shaft.clone()
        };
        marks.push(Mark {
            outline: line(arrow.shaft.to_vec(), false),
            ..shaft
        });
        marks.push(head);
    }

    fn text(&self) -> Option<Mark> {
        let letters = match self.sight.value(self.shape, AttributeKind::Text)? {
            AttributeValue::Text(parts) => self.sight.letters(parts),
            _ => return None,
        };
        let anchor = match self.sight.value(self.shape, AttributeKind::Align) {
            Some(AttributeValue::Align(Align::Middle)) => "middle",
            Some(AttributeValue::Align(Align::Right)) => "end",
            _ => "start",
        };
        let mark = self.mark(Outline::Text {
            at: self.at()?,
            letters,
            height: self
                .amount(AttributeKind::Height)
                .unwrap_or(LETTERS)
                .max(0.0),
            anchor,
        });
        let fill = self.paint(AttributeKind::Fill);
        Some(Mark {
            fill: fill.unwrap_or_else(|| Shade::of(Colour::Ink)),
            stroke: None,
            ..mark
        })
    }

    fn path(&self, trails: &Trails, marks: &mut Vec<Mark>) {
        let last = self.amount(AttributeKind::Last);
        let since = last.map_or(f64::NEG_INFINITY, |last| self.sight.row.time - last);
        for piece in trails.pieces(self.index, since) {
            let mut points: Vec<[f64; 2]> = Vec::with_capacity(piece.len());
            let n = piece.len();
            for (at, place) in piece.into_iter().enumerate() {
                let place = self.window.place(place);
                // Points so near to each other cannot be told apart.
                let near = points.last();
                let near = near.is_some_and(|[x, y]| (place[0] - x).hypot(place[1] - y) < 1.5);
                if !near || at + 1 == n {
                    points.push(place);
                }
            }
            marks.push(self.mark(line(points, false)));
        }
    }

    /// The colour of an attribute that counts; `None` if there is none.
    fn paint(&self, kind: AttributeKind) -> Option<Option<Shade>> {
        let AttributeValue::Paint(paint) = self.sight.value(self.shape, kind)? else {
            return None;
        };
        Some(match paint {
            Paint::Plain(colour) => Shade::of(*colour),
            Paint::Mix(first, second, share) => {
                let share = self.sight.number(*share);
                match (Shade::of(*first), Shade::of(*second)) {
                    (Some(first), Some(second)) if share.is_finite() => {
                        Some(first.mixed(second, share))
                    }
                    (first, second) => {
                        if share > 0.5 {
                            second
                        } else {
                            first
                        }
                    }
                }
            }
        })
    }

    /// An outline in the colours of the shape.
    fn mark(&self, outline: Outline) -> Mark {
        let fill = self.paint(AttributeKind::Fill).flatten();
        let stroke = self.paint(AttributeKind::Stroke);
        let by_default = if fill.is_some() {
            None
        } else if self.shape.kind == ShapeKind::Path {
            Shade::of(Colour::Grey)
        } else {
            Shade::of(Colour::Ink)
        };
        let size = |kind, usual: f64| {
            let size = self.amount(kind).unwrap_or(usual);
            if size.is_finite() {
                size.max(0.0)
            } else {
                usual
            }
        };
        Mark {
            shape: self.index,
            name: self.shape.name.clone(),
            outline,
            fill,
            stroke: stroke.unwrap_or(by_default),
            width: size(AttributeKind::Width, LINE_WIDTH),
            dash: size(AttributeKind::Dash, 0.0),
            opacity: size(AttributeKind::Opacity, 1.0).min(1.0),
        }
    }
}

fn line(points: Vec<[f64; 2]>, closed: bool) -> Outline {
    Outline::Line { points, closed }
}

/// True if all places lie where they can be written and drawn.
fn is_finite(outline: &Outline) -> bool {
    const FARTHEST: f64 = 1e6;
    let near = |at: &[f64; 2]| at.iter().all(|side| side.abs() < FARTHEST);
    match outline {
        Outline::Circle { centre, radius } => near(centre) && *radius < FARTHEST,
        Outline::Line { points, .. } => points.iter().all(near),
        Outline::Text { at, height, .. } => near(at) && *height < FARTHEST,
    }
}
