//! Films: pictures one after another, and the SVG file that shows them without script.
//!
//! Each mark is one element, whose attributes change from picture to picture; what does not change is written once. A
//! text that changes is an element for each of its wordings.

use std::collections::BTreeMap;

use super::elements::{CLOSING, Element, GROUP, Ink, element, opening};
use super::svg::written;
use super::{Mark, Picture, Theme};

/// Most pictures of a film.
pub const MOST_FRAMES: usize = 3000;

/// Pictures of equal duration.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Film {
    /// The pictures; all are as large as the first.
    pub pictures: Vec<Picture>,
    /// Pictures in a second.
    pub rate: f64,
}

/// The looks of a mark from picture to picture; `None` where it is not drawn.
type Track = Vec<Option<Element>>;

impl Film {
    /// The text of a file that shows the film over and over.
    pub fn svg(&self) -> String {
        let Some(first) = self.pictures.first() else {
            return String::new();
        };
        let mut ink = Ink::new(Theme::Auto);
        let tracks = self.tracks(&mut ink);
        let seconds = self.pictures.len() as f64 / self.rate;
        let mut out = opening([first.width, first.height]);
        out.push_str(&ink.sheet());
        out.push_str(GROUP);
        for track in &tracks {
            out.push_str(&moving(track, seconds));
        }
        out.push_str(CLOSING);
        out
    }

    fn tracks(&self, ink: &mut Ink) -> Vec<Track> {
        let n = self.pictures.len();
        let mut tracks: BTreeMap<(usize, usize), Track> = BTreeMap::new();
        for (frame, picture) in self.pictures.iter().enumerate() {
            let mut before: Option<&Mark> = None;
            let mut part = 0;
            for mark in &picture.marks {
                let goes_on = before.is_some_and(|before| before.shape == mark.shape);
                part = if goes_on { part + 1 } else { 0 };
                let track = tracks
                    .entry((mark.shape, part))
                    .or_insert_with(|| vec![None; n]);
                track[frame] = Some(element(mark, ink));
                before = Some(mark);
            }
        }
        tracks.into_values().flat_map(by_letters).collect()
    }
}

/// A track for each wording of a text; any other track as it is.
fn by_letters(track: Track) -> Vec<Track> {
    let mut wordings: Vec<(Option<String>, Track)> = Vec::new();
    let n = track.len();
    for (frame, element) in track.into_iter().enumerate() {
        let Some(element) = element else { continue };
        let known = wordings
            .iter()
            .rposition(|(letters, _)| *letters == element.letters);
        let at = known.unwrap_or_else(|| {
            wordings.push((element.letters.clone(), vec![None; n]));
            wordings.len() - 1
        });
        wordings[at].1[frame] = Some(element);
    }
    wordings.into_iter().map(|(_, track)| track).collect()
}

/// The value of an attribute that an element does not have.
fn usual(name: &str) -> &'static str {
    match name {
        "opacity" => "1",
        "stroke-dasharray" => "none",
        "text-anchor" => "start",
        _ => "0",
    }
}

/// The element of a track, with what changes in it.
fn moving(track: &Track, seconds: f64) -> String {
    let Some(first) = track.iter().flatten().next() else {
        return String::new();
    };
    let mut names: Vec<&'static str> = Vec::new();
    for (name, _) in track
        .iter()
        .flatten()
        .flat_map(|element| &element.attributes)
    {
        if !names.contains(name) {
            names.push(name);
        }
    }
    let mut still = Element {
        attributes: Vec::new(),
        ..first.clone()
    };
    let mut changes = String::new();
    for name in names {
        let mut last: &str = value(first, name);
        let values: Vec<&str> = track
            .iter()
            .map(|element| {
                if let Some(element) = element {
                    last = value(element, name);
                }
                last
            })
            .collect();
        still.attributes.push((name, values[0].to_owned()));
        changes.push_str(&animated(name, &values, seconds));
    }
    let seen = track.iter().map(|element| match element {
        Some(_) => "visible",
        None => "hidden",
    });
    let seen: Vec<&str> = seen.collect();
    if seen[0] == "hidden" {
        still.attributes.push(("visibility", "hidden".to_owned()));
    }
    changes.push_str(&animated("visibility", &seen, seconds));
    written(&still, &changes)
}

fn value<'e>(element: &'e Element, name: &str) -> &'e str {
    let mut all = element.attributes.iter();
    let found = all.find(|(known, _)| *known == name);
    found.map_or(usual(name), |(_, value)| value)
}

/// The values of an attribute from picture to picture; nothing if it stays.
fn animated(name: &str, values: &[&str], seconds: f64) -> String {
    let n = values.len();
    let changes: Vec<usize> = (0..n)
        .filter(|&at| at == 0 || values[at] != values[at - 1])
        .collect();
    if changes.len() == 1 {
        return String::new();
    }
    let head = format!(
        "<animate attributeName=\"{name}\" dur=\"{seconds:.3}s\" repeatCount=\"indefinite\" calcMode=\"discrete\""
    );
    // Where it seldom changes, the times are shorter than the values.
    if changes.len() * 2 > n {
        return format!("{head} values=\"{}\"/>", values.join(";"));
    }
    let times: Vec<String> = changes.iter().map(|&at| share(at, n)).collect();
    let values: Vec<&str> = changes.iter().map(|&at| values[at]).collect();
    format!(
        "{head} keyTimes=\"{}\" values=\"{}\"/>",
        times.join(";"),
        values.join(";")
    )
}

/// A part of the film, as short as it can be told from its neighbours.
fn share(at: usize, n: usize) -> String {
    let text = format!("{:.5}", at as f64 / n as f64);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::Outline;
    use super::*;

    fn picture(x: f64, letters: &str, shown: bool) -> Picture {
        let mark = |shape, outline| Mark {
            shape,
            name: String::new(),
            outline,
            fill: super::super::Shade::of(situ_engine::model::scene::Colour::Red),
            stroke: None,
            width: 2.0,
            dash: 0.0,
            opacity: 1.0,
        };
        let circle = Outline::Circle {
            centre: [x, 10.0],
            radius: 5.0,
        };
        let text = Outline::Text {
            at: [0.0, 0.0],
            letters: letters.to_owned(),
            height: 14.0,
            anchor: "start",
        };
        let mut marks = vec![mark(0, circle)];
        if shown {
            marks.push(mark(1, text));
        }
        Picture {
            width: 100.0,
            height: 50.0,
            marks,
        }
    }

    #[test]
    fn what_changes_is_animated_and_nothing_else() {
        let film = Film {
            pictures: vec![
                picture(1.0, "a", true),
                picture(2.0, "a", false),
                picture(3.0, "b", true),
                picture(3.0, "b", true),
            ],
            rate: 4.0,
        };
        let text = film.svg();
        assert_eq!(text.matches("<circle").count(), 1, "{text}");
        assert!(text.contains(
            r#"<animate attributeName="cx" dur="1.000s" repeatCount="indefinite" calcMode="discrete" values="1;2;3;3"/>"#
        ));
        assert!(!text.contains(r#"attributeName="cy""#));
        // Each wording is a text of its own, seen in its pictures only.
        assert_eq!(text.matches("<text").count(), 2);
        assert!(
            text.contains(r#"keyTimes="0;0.25" values="visible;hidden"/>"#),
            "{text}"
        );
        assert!(
            text.contains(r#"keyTimes="0;0.5" values="hidden;visible"/>"#),
            "{text}"
        );
    }

    #[test]
    fn no_pictures_are_no_film() {
        assert_eq!(Film::default().svg(), "");
    }
}
