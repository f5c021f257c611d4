//! Files of the front end: those that the bundle has made, taken into the program.

use std::borrow::Cow;

use rust_embed::RustEmbed;

/// The folder `dist`; empty if the program was built before it was made.
#[derive(RustEmbed)]
#[folder = "dist"]
#[allow_missing = true]
struct Dist;

/// Gives the bytes of a file of the front end by its name.
pub type Assets = fn(&str) -> Option<Cow<'static, [u8]>>;

/// The front end of this program; `None` if it was built without.
pub fn bundled() -> Option<Assets> {
    Dist::get("index.html")?;
    Some(|name| Dist::get(name).map(|file| file.data))
}

/// The type of a file by its name.
pub(crate) fn kind(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, end)| end) {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}
