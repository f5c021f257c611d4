//! Figures as PNG: the SVG, drawn into pixels.

use std::sync::Arc;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};
use situ_words::say;

use super::font;

/// Pixels per CSS pixel: sharp on a page and on a dense screen.
const SCALE: f32 = 2.0;

/// Why a picture could not be drawn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PngError(String);

impl std::fmt::Display for PngError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PngError {}

impl PngError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

/// Draws SVG texts with the font of the program.
pub(crate) struct Rasterizer {
    options: Options<'static>,
}

impl Rasterizer {
    pub(crate) fn new() -> Self {
        let mut fonts = fontdb::Database::new();
        fonts.load_font_data(font::data().to_vec());
        fonts.set_sans_serif_family("DejaVu Sans");
        Self {
            options: Options {
                fontdb: Arc::new(fonts),
                ..Options::default()
            },
        }
    }

    /// Draws the text of an SVG file with so many pixels per CSS pixel; the same text gives the same pixels on every
    /// machine.
    ///
    /// # Errors
    ///
    /// What the text asks for cannot be drawn, e.g. it is too large for memory.
    pub(crate) fn draw(&self, svg: &str, scale: f32) -> Result<Pixmap, PngError> {
        let tree =
            Tree::from_str(svg, &self.options).map_err(|error| PngError(error.to_string()))?;
        let size = tree.size().to_int_size().scale_by(scale);
        let size = size.ok_or_else(too_large)?;
        let mut pixels = Pixmap::new(size.width(), size.height()).ok_or_else(too_large)?;
        resvg::render(
            &tree,
            Transform::from_scale(scale, scale),
            &mut pixels.as_mut(),
        );
        Ok(pixels)
    }
}

/// Draws the text of an SVG file; the same text gives the same bytes on every machine.
///
/// # Errors
///
/// What the text asks for cannot be drawn, e.g. it is too large for memory.
pub fn png(svg: &str) -> Result<Vec<u8>, PngError> {
    let pixels = Rasterizer::new().draw(svg, SCALE)?;
    pixels
        .encode_png()
        .map_err(|error| PngError(error.to_string()))
}

fn too_large() -> PngError {
    PngError(say!("plot-too-large"))
}
