//! A picture as an SVG file.

use situ_engine::model::scene::Colour;

use super::elements::{CLOSING, Element, GROUP, Ink, element, on, opening, pixels};
use super::{Picture, Shade, Theme};
use crate::chart::escaped;

/// The text of a file that shows a picture, without script.
pub fn svg(picture: &Picture, theme: Theme) -> String {
    let mut ink = Ink::new(theme);
    let marks = picture.marks.iter().map(|mark| element(mark, &mut ink));
    let marks: Vec<String> = marks.map(|element| written(&element, "")).collect();
    let mut out = opening([picture.width, picture.height]);
    out.push_str(&ink.sheet());
    out.push_str(&ground(picture, theme));
    out.push_str(GROUP);
    out.push_str(&marks.concat());
    out.push_str(CLOSING);
    out
}

/// The ground of a picture, if it has one of its own.
fn ground(picture: &Picture, theme: Theme) -> String {
    match Shade::of(Colour::Paper).filter(|_| theme != Theme::Auto) {
        Some(paper) => format!(
            "<rect width=\"{}\" height=\"{}\" fill=\"{}\"/>\n",
            pixels(picture.width),
            pixels(picture.height),
            on(paper, theme)
        ),
        None => String::new(),
    }
}

/// An element with something inside of it.
pub(super) fn written(element: &Element, inside: &str) -> String {
    let mut out = format!("<{}", element.name);
    for (name, value) in &element.attributes {
        out.push_str(&format!(" {name}=\"{value}\""));
    }
    let letters = element.letters.as_deref().map(escaped).unwrap_or_default();
    match letters.is_empty() && inside.is_empty() {
        true => out.push_str("/>\n"),
        false => out.push_str(&format!(">{letters}{inside}</{}>\n", element.name)),
    }
    out
}
