//! Bytes of a file as text: UTF-8, or where they are none and how to save the file.

use std::io;
use std::str::Utf8Error;

use situ_words::say;

/// The text of a file.
///
/// # Errors
///
/// The bytes are not UTF-8: [`io::ErrorKind::InvalidData`], with the line.
pub fn utf8_text(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|error| {
        let why = not_utf8(error.as_bytes(), error.utf8_error());
        io::Error::new(io::ErrorKind::InvalidData, why)
    })
}

/// What is wrong with bytes that are not UTF-8.
pub fn not_utf8(bytes: &[u8], error: Utf8Error) -> String {
    if bytes.starts_with(b"\xff\xfe\0\0") || bytes.starts_with(b"\0\0\xfe\xff") {
        return say!("encoding-utf32");
    }
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return say!("encoding-utf16");
    }
    let (before, from) = bytes.split_at(error.valid_up_to());
    let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
    let byte = from.first().map(|byte| format!("0x{byte:02x}"));
    say!(
        "encoding-not-utf8",
        line,
        byte = byte.as_deref().unwrap_or_default()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_encodings_are_told_of() {
        let why = |bytes: &[u8]| utf8_text(bytes.to_vec()).unwrap_err().to_string();
        assert_eq!(utf8_text("высота".into()).unwrap(), "высота");
        assert_eq!(
            why(b"(\n  about: \"\xec\xff\xf7\")"),
            "it is not text in UTF-8 (byte 0xec in line 2): save it as UTF-8, or convert it from the encoding that it \
             has, for example with `iconv -f WINDOWS-1251 -t UTF-8`"
        );
        let utf16 = "it is text in UTF-16: save it as UTF-8";
        assert_eq!(why(b"\xff\xfe(\0)\0"), utf16);
        assert_eq!(why(b"\xfe\xff\0(\0)"), utf16);
        let utf32 = "it is text in UTF-32: save it as UTF-8";
        assert_eq!(why(b"\xff\xfe\0\0(\0\0\0"), utf32);
        assert_eq!(why(b"\0\0\xfe\xff\0\0\0("), utf32);
    }
}
