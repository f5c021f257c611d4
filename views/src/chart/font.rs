//! The font of figures: how wide a text is, and which family the file names.
//!
//! DejaVu Sans comes with the crate `dejavu` and has Latin, Greek, Cyrillic and the usual signs.
//! An SVG file names the family and leaves the drawing to the viewer; Verdana has the same widths.

use std::sync::LazyLock;

use skrifa::instance::{LocationRef, Size};
use skrifa::{FontRef, MetadataProvider};

/// Families to draw with, the first that is there.
pub(crate) const FAMILY: &str = "DejaVu Sans, Verdana, sans-serif";

/// The font file.
pub(super) fn data() -> &'static [u8] {
    dejavu::sans::regular()
}

static FONT: LazyLock<FontRef<'static>> = LazyLock::new(|| {
    FontRef::new(data()).expect("the font that comes with the program can be read")
});

/// Width of a text in units of its font size.
pub(super) fn width(text: &str) -> f64 {
    /// For characters that the font does not have: a square.
    const UNKNOWN: f32 = 1.0;
    let glyphs = FONT.charmap();
    let metrics = FONT.glyph_metrics(Size::new(1.0), LocationRef::default());
    let advance = |c| {
        glyphs
            .map(c)
            .and_then(|glyph| metrics.advance_width(glyph))
            .unwrap_or(UNKNOWN)
    };
    f64::from(text.chars().map(advance).sum::<f32>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_font_has_the_letters_of_models() {
        let glyphs = FONT.charmap();
        for c in "abcXYZ 0123456789 αβγωφΩΔ абвгдеёжЙЩЭЮЯ °×−·⁰¹²³⁴⁵⁶⁷⁸⁹⁻µ√∞±≤≥".chars()
        {
            assert!(glyphs.map(c).is_some(), "`{c}`");
        }
        assert!(width("mmmm") > 2.0 * width("iiii"));
        assert!((width("00") - 2.0 * width("0")).abs() < 1e-6);
    }
}
