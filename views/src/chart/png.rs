//! Figures as PNG: the SVG, drawn into pixels.

use std::sync::Arc;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};

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

/// Draws the text of an SVG file; the same text gives the same bytes on every machine.
///
/// # Errors
///
/// What the text asks for cannot be drawn, e.g. it is too large for memory.
pub fn png(svg: &str) -> Result<Vec<u8>, PngError> {
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(font::data().to_vec());
    fonts.set_sans_serif_family("DejaVu Sans");
    let options = Options {
        fontdb: Arc::new(fonts),
        ..Options::default()
    };
    let tree = Tree::from_str(svg, &options).map_err(|error| PngError(error.to_string()))?;
    let size = tree
        .size()
        .to_int_size()
        .scale_by(SCALE)
        .ok_or_else(too_large)?;
    let mut pixels = Pixmap::new(size.width(), size.height()).ok_or_else(too_large)?;
    resvg::render(
        &tree,
        Transform::from_scale(SCALE, SCALE),
        &mut pixels.as_mut(),
    );
    pixels
        .encode_png()
        .map_err(|error| PngError(error.to_string()))
}

fn too_large() -> PngError {
    PngError("the picture is too large".to_owned())
}
