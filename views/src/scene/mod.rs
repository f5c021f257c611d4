//! Scenes: the shapes of a model's scene at a row of its trajectory.
//!
//! `Model, Row, Trails -> draw -> Picture -> svg`, and many pictures are a [`Film`]. A picture is a list of marks in
//! pixels, each with its colours for light and for dark ground; it knows neither model nor run. What paths show of the
//! past stands in [`Trails`], which is told of every row. Values are those of the engine.
//!
//! ```
//! use situ_engine::sim::{Run, RunConfig};
//! use situ_views::scene::{Theme, Trails, draw, svg};
//!
//! let text = r#"(format: 1, clock: (stepping: events, stop: 1), reals: {"x": 1, "v": 0},
//!     relations: ["v = integral(-x)", "x = integral(v)"],
//!     scene: (view: (-2, 1, 2, -1), rows: ["circle ball: at (x, 0), radius 0.2, fill red"]))"#;
//! let loaded = situ_rules::load("spring.ron", text, &mut situ_rules::standalone);
//! let model = loaded.model.expect("the table has no mistakes");
//! let config = RunConfig::from_clock(&model.clock)?;
//! let mut run = Run::new(model, config, &[])?;
//! run.run_to(0.5, &mut ())?;
//! let picture = draw(run.model(), &run.row(), &Trails::default()).expect("it has a scene");
//! assert!(svg(&picture, Theme::Auto).contains("<circle"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod draw;
mod elements;
mod film;
mod outline;
mod palette;
#[cfg(feature = "png")]
mod pixels;
mod svg;
mod trails;

pub use draw::draw;
pub use film::{Film, MOST_FRAMES};
pub use palette::Shade;
#[cfg(feature = "png")]
pub use pixels::{apng, gif};
pub use svg::svg;
pub use trails::Trails;

use serde::Serialize;

/// A scene at one row.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Picture {
    /// Its width (in pixels).
    pub width: f64,
    /// Its height (in pixels).
    pub height: f64,
    /// What is drawn, the hindmost first.
    pub marks: Vec<Mark>,
}

/// An outline with its colours.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Mark {
    /// Number of the shape in the scene.
    pub shape: usize,
    /// Name of the shape; may be empty.
    pub name: String,
    /// What is drawn.
    pub outline: Outline,
    /// Colour of the inside.
    pub fill: Option<Shade>,
    /// Colour of the line.
    pub stroke: Option<Shade>,
    /// Width of the line (in pixels).
    pub width: f64,
    /// Length of its dashes (in pixels); 0 for none.
    pub dash: f64,
    /// From 0, not to be seen, to 1.
    pub opacity: f64,
}

/// What a mark consists of [pixels, from the upper left corner].
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outline {
    /// A circle.
    Circle {
        /// Its centre.
        centre: [f64; 2],
        /// Its radius.
        radius: f64,
    },
    /// Straight lines from point to point.
    Line {
        /// The points.
        points: Vec<[f64; 2]>,
        /// True if the last point is joined to the first.
        closed: bool,
    },
    /// A text, half of whose height stands below its place.
    Text {
        /// Its place.
        at: [f64; 2],
        /// The letters.
        letters: String,
        /// Height of the letters.
        height: f64,
        /// The side of it that stands at the place: `start`, `middle` or `end`.
        anchor: &'static str,
    },
}

/// The ground on which a picture stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Theme {
    /// Light ground, which is drawn.
    Light,
    /// Dark ground, which is drawn.
    Dark,
    /// Whatever the reader's screen has; the ground is not drawn.
    Auto,
}
