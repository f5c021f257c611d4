//! The words of scenes: shapes with the attributes that each takes, attributes with the form of their values, colours.
//!
//! Reader, printer, help and manual read these lists; nothing else knows a word.

/// What a row of a scene draws.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ShapeKind {
    /// A disc or its rim.
    Circle,
    /// A rectangle.
    Box,
    /// A straight line between two points.
    Line,
    /// Straight lines from point to point.
    Polyline,
    /// A line with a head at its end.
    Arrow,
    /// A coiled line between two points.
    Spring,
    /// Letters and numbers.
    Text,
    /// The way that a point has gone.
    Path,
    /// A frame in which other shapes stand.
    Group,
}

/// What an attribute says.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AttributeKind {
    /// A place.
    At,
    /// Points that are joined.
    Points,
    /// The point whose way is drawn.
    Of,
    /// A radius.
    Radius,
    /// Width and height.
    Size,
    /// An angle.
    Angle,
    /// Number of coils.
    Turns,
    /// A text.
    Text,
    /// Height of letters.
    Height,
    /// Side of a text that stands at its place.
    Align,
    /// Duration of the way that is shown.
    Last,
    /// Colour of the inside, or of letters.
    Fill,
    /// Colour of the line.
    Stroke,
    /// Width of the line.
    Width,
    /// Length of the dashes of a line.
    Dash,
    /// Share of light that is kept back.
    Opacity,
}

/// Form of an attribute's value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// `(x, y)`
    Point,
    /// `(x, y) to (x, y)`
    Points,
    /// An expression.
    Number,
    /// A colour, or `mix(blue, red, share)`.
    Paint,
    /// `'n = {n}'`
    Text,
    /// `left`, `middle` or `right`.
    Align,
}

/// Side of a text that stands at its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Align {
    /// Its beginning.
    Left,
    /// Its middle.
    Middle,
    /// Its end.
    Right,
}

/// A colour, with a shade on light ground and one on dark ground.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Colour {
    /// Nothing is drawn.
    None,
    /// That of lines and letters.
    Ink,
    /// That of the ground.
    Paper,
    /// Less than ink.
    Grey,
    /// Hardly more than paper.
    Pale,
    /// Bluish grey.
    Steel,
    /// A colour of the wheel.
    Red,
    /// A colour of the wheel.
    Orange,
    /// A colour of the wheel.
    Yellow,
    /// A colour of the wheel.
    Green,
    /// A colour of the wheel.
    Teal,
    /// A colour of the wheel.
    Blue,
    /// A colour of the wheel.
    Purple,
    /// A colour of the wheel.
    Pink,
    /// Dark orange.
    Brown,
}

use AttributeKind as A;

/// Attributes of whatever is drawn by a line.
const LINE: [AttributeKind; 4] = [A::Stroke, A::Width, A::Dash, A::Opacity];

impl ShapeKind {
    /// All of them, in the order of the manual.
    pub const ALL: [ShapeKind; 9] = [
        Self::Circle,
        Self::Box,
        Self::Line,
        Self::Polyline,
        Self::Arrow,
        Self::Spring,
        Self::Text,
        Self::Path,
        Self::Group,
    ];

    /// Its word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Circle => "circle",
            Self::Box => "box",
            Self::Line => "line",
            Self::Polyline => "polyline",
            Self::Arrow => "arrow",
            Self::Spring => "spring",
            Self::Text => "text",
            Self::Path => "path",
            Self::Group => "group",
        }
    }

    /// The shape of this word.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == word)
    }

    /// Attributes without which it cannot be drawn.
    pub fn required(self) -> &'static [AttributeKind] {
        match self {
            Self::Circle => &[A::At, A::Radius],
            Self::Box => &[A::At, A::Size],
            Self::Line | Self::Polyline | Self::Arrow | Self::Spring => &[A::Points],
            Self::Text => &[A::At, A::Text],
            Self::Path => &[A::Of],
            Self::Group => &[A::At],
        }
    }

    /// Attributes that it may have besides, those of lines left out.
    fn own(self) -> &'static [AttributeKind] {
        match self {
            Self::Circle | Self::Polyline => &[A::Fill],
            Self::Box => &[A::Angle, A::Fill],
            Self::Line | Self::Arrow => &[],
            Self::Spring => &[A::Turns, A::Radius],
            Self::Text => &[A::Height, A::Align, A::Fill, A::Opacity],
            Self::Path => &[A::Last],
            Self::Group => &[A::Angle],
        }
    }

    /// True if it is drawn by a line.
    fn has_line(self) -> bool {
        !matches!(self, Self::Text | Self::Group)
    }

    /// All attributes that it may have, the required ones first.
    pub fn attributes(self) -> impl Iterator<Item = AttributeKind> {
        let lines = if self.has_line() { &LINE[..] } else { &[] };
        let all = self.required().iter().chain(self.own()).chain(lines);
        all.copied()
    }

    /// True if it may have such an attribute.
    pub fn takes(self, kind: AttributeKind) -> bool {
        self.attributes().any(|one| one == kind)
    }

    /// A row of it, for messages and help.
    pub fn example(self) -> &'static str {
        match self {
            Self::Circle => "circle ball: at (x, y), radius 0.2, fill red",
            Self::Box => "box cart: at (x, 0), size (1, 0.4), fill steel",
            Self::Line => "line floor: (0, 0) to (10, 0)",
            Self::Polyline => "polyline slope: (0, 3) to (4, 1) to (8, 0)",
            Self::Arrow => "arrow force: (x, y) to (x + F, y), stroke blue",
            Self::Spring => "spring: (0, 0) to (x, 0), turns 8",
            Self::Text => "text: at (0, 1), 'x = {x}'",
            Self::Path => "path: of (x, y), last 2",
            Self::Group => "group arm: at (x, 0), angle phi",
        }
    }
}

impl AttributeKind {
    /// All of them.
    pub const ALL: [AttributeKind; 16] = [
        Self::At,
        Self::Points,
        Self::Of,
        Self::Radius,
        Self::Size,
        Self::Angle,
        Self::Turns,
        Self::Text,
        Self::Height,
        Self::Align,
        Self::Last,
        Self::Fill,
        Self::Stroke,
        Self::Width,
        Self::Dash,
        Self::Opacity,
    ];

    /// Its word; empty if its value stands without one.
    pub fn name(self) -> &'static str {
        match self {
            Self::At => "at",
            Self::Points | Self::Text => "",
            Self::Of => "of",
            Self::Radius => "radius",
            Self::Size => "size",
            Self::Angle => "angle",
            Self::Turns => "turns",
            Self::Height => "height",
            Self::Align => "align",
            Self::Last => "last",
            Self::Fill => "fill",
            Self::Stroke => "stroke",
            Self::Width => "width",
            Self::Dash => "dash",
            Self::Opacity => "opacity",
        }
    }

    /// The attribute of this word.
    pub fn named(word: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|kind| !word.is_empty() && kind.name() == word)
    }

    /// Form of its value.
    pub fn form(self) -> Form {
        match self {
            Self::At | Self::Of | Self::Size => Form::Point,
            Self::Points => Form::Points,
            Self::Fill | Self::Stroke => Form::Paint,
            Self::Text => Form::Text,
            Self::Align => Form::Align,
            Self::Radius
            | Self::Angle
            | Self::Turns
            | Self::Height
            | Self::Last
            | Self::Width
            | Self::Dash
            | Self::Opacity => Form::Number,
        }
    }

    /// An example of it, for messages and help.
    pub fn example(self) -> &'static str {
        match self {
            Self::At => "at (x, y)",
            Self::Points => "(0, 0) to (x, y)",
            Self::Of => "of (x, y)",
            Self::Radius => "radius 0.2",
            Self::Size => "size (2, 1)",
            Self::Angle => "angle phi",
            Self::Turns => "turns 8",
            Self::Text => "'n = {n}'",
            Self::Height => "height 16",
            Self::Align => "align middle",
            Self::Last => "last 2",
            Self::Fill => "fill red",
            Self::Stroke => "stroke blue",
            Self::Width => "width 3",
            Self::Dash => "dash 6",
            Self::Opacity => "opacity 0.5",
        }
    }

    /// Its meaning, in a line.
    pub fn about(self) -> &'static str {
        match self {
            Self::At => "the place: a centre, the point of a text, the origin of a group",
            Self::Points => "the points, joined by `to`; of a line, an arrow or a spring two",
            Self::Of => "the point whose way is drawn",
            Self::Radius => "the radius; of a spring half the width of its coils [7 pixels]",
            Self::Size => "width and height",
            Self::Angle => "turned by so much to the left, in radians [0]",
            Self::Turns => "how many coils [8]",
            Self::Text => "letters in single quotes; {expression} in braces is a number",
            Self::Height => "height of the letters, in pixels [14]",
            Self::Align => "what stands at the place: left, middle or right [left]",
            Self::Last => "how much of the way is drawn, in units of time [all of it]",
            Self::Fill => "colour of the inside [none]; of a text its colour [ink]",
            Self::Stroke => "colour of the line [ink, or none where there is a fill]",
            Self::Width => "width of the line, in pixels [2]",
            Self::Dash => "length of dashes, in pixels [0: none]",
            Self::Opacity => "from 0, not to be seen, to 1 [1]",
        }
    }
}

impl Align {
    /// All of them.
    pub const ALL: [Align; 3] = [Self::Left, Self::Middle, Self::Right];

    /// Its word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Middle => "middle",
            Self::Right => "right",
        }
    }
}

impl Colour {
    /// All of them.
    pub const ALL: [Colour; 15] = [
        Self::None,
        Self::Ink,
        Self::Paper,
        Self::Grey,
        Self::Pale,
        Self::Steel,
        Self::Red,
        Self::Orange,
        Self::Yellow,
        Self::Green,
        Self::Teal,
        Self::Blue,
        Self::Purple,
        Self::Pink,
        Self::Brown,
    ];

    /// Its word.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Ink => "ink",
            Self::Paper => "paper",
            Self::Grey => "grey",
            Self::Pale => "pale",
            Self::Steel => "steel",
            Self::Red => "red",
            Self::Orange => "orange",
            Self::Yellow => "yellow",
            Self::Green => "green",
            Self::Teal => "teal",
            Self::Blue => "blue",
            Self::Purple => "purple",
            Self::Pink => "pink",
            Self::Brown => "brown",
        }
    }
}
