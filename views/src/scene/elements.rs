//! Marks as elements of SVG.

use super::palette::hex;
use super::{Mark, Outline, Shade, Theme};
use crate::chart::font;

/// An element: its name, its attributes, its text.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Element {
    pub(super) name: &'static str,
    pub(super) attributes: Vec<(&'static str, String)>,
    pub(super) letters: Option<String>,
}

/// Where the colours of elements are written.
#[derive(Debug)]
pub(super) enum Ink {
    /// In the elements.
    Own(Theme),
    /// In a style sheet, which has both shades of each colour.
    Sheet(Vec<Shade>),
}

impl Ink {
    pub(super) fn new(theme: Theme) -> Self {
        match theme {
            Theme::Auto => Self::Sheet(Vec::new()),
            theme => Self::Own(theme),
        }
    }

    fn of(&mut self, mark: &Mark, attributes: &mut Vec<(&'static str, String)>) {
        match self {
            Self::Own(theme) => {
                for (name, shade) in [("fill", mark.fill), ("stroke", mark.stroke)] {
                    attributes.extend(shade.map(|shade| (name, on(shade, *theme))));
                }
            }
            Self::Sheet(shades) => {
                let mut class = |prefix: char, shade: Option<Shade>| {
                    let shade = shade?;
                    let known = shades.iter().position(|one| *one == shade);
                    let at = known.unwrap_or_else(|| {
                        shades.push(shade);
                        shades.len() - 1
                    });
                    Some(format!("{prefix}{at}"))
                };
                let classes = [class('f', mark.fill), class('s', mark.stroke)];
                let classes: Vec<String> = classes.into_iter().flatten().collect();
                attributes.push(("class", classes.join(" ")));
            }
        }
    }

    /// The style sheet, if there is one.
    pub(super) fn sheet(&self) -> String {
        let Self::Sheet(shades) = self else {
            return String::new();
        };
        let rules = |theme| {
            let rules = shades.iter().enumerate().map(|(at, shade)| {
                let colour = on(*shade, theme);
                format!(".f{at}{{fill:{colour}}}.s{at}{{stroke:{colour}}}")
            });
            rules.collect::<String>()
        };
        format!(
            "<style>{}@media(prefers-color-scheme:dark){{{}}}</style>\n",
            rules(Theme::Light),
            rules(Theme::Dark)
        )
    }
}

/// A colour on its ground.
pub(super) fn on(shade: Shade, theme: Theme) -> String {
    hex(match theme {
        Theme::Dark => shade.dark,
        Theme::Light | Theme::Auto => shade.light,
    })
}

/// Tenths of a pixel, without what says nothing.
pub(super) fn pixels(value: f64) -> String {
    let text = format!("{value:.1}");
    let text = text.strip_suffix(".0").unwrap_or(&text);
    match text {
        "-0" => "0".to_owned(),
        text => text.to_owned(),
    }
}

/// The element that draws a mark.
pub(super) fn element(mark: &Mark, ink: &mut Ink) -> Element {
    let mut attributes = Vec::new();
    let (name, letters) = match &mark.outline {
        Outline::Circle { centre, radius } => {
            let [x, y] = *centre;
            attributes.extend([("cx", pixels(x)), ("cy", pixels(y)), ("r", pixels(*radius))]);
            ("circle", None)
        }
        Outline::Line { points, closed } => {
            attributes.push(("d", path(points, *closed)));
            ("path", None)
        }
        Outline::Text {
            at: [x, y],
            letters,
            height,
            anchor,
        } => {
            // Digits and capitals are as high as 0.73 of the font size.
            let baseline = y + 0.365 * height;
            attributes.extend([("x", pixels(*x)), ("y", pixels(baseline))]);
            attributes.push(("font-size", pixels(*height)));
            if *anchor != "start" {
                attributes.push(("text-anchor", (*anchor).to_owned()));
            }
            ("text", Some(letters.clone()))
        }
    };
    ink.of(mark, &mut attributes);
    if mark.stroke.is_some() {
        attributes.push(("stroke-width", pixels(mark.width)));
        if mark.dash > 0.0 {
            attributes.push(("stroke-dasharray", pixels(mark.dash)));
        }
    }
    if mark.opacity < 1.0 {
        attributes.push(("opacity", format!("{:.2}", mark.opacity)));
    }
    Element {
        name,
        attributes,
        letters,
    }
}

fn path(points: &[[f64; 2]], closed: bool) -> String {
    let mut path = String::new();
    for (index, [x, y]) in points.iter().enumerate() {
        let join = if index == 0 { 'M' } else { 'L' };
        path.push_str(&format!("{join}{} {}", pixels(*x), pixels(*y)));
    }
    if closed {
        path.push('z');
    }
    path
}

/// The begin of a file: its size, its font and what all elements share.
pub(super) fn opening([width, height]: [f64; 2]) -> String {
    let [width, height] = [width, height].map(pixels);
    let family = font::FAMILY;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"{family}\">\n"
    )
}

/// What stands around the elements.
pub(super) const GROUP: &str =
    "<g fill=\"none\" stroke-linecap=\"round\" stroke-linejoin=\"round\">\n";
/// The end of a file.
pub(super) const CLOSING: &str = "</g>\n</svg>\n";
