//! Texts that are read: regular files, and none that is longer than memory should take.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};

use situ_rules::encoding::utf8_text;
use situ_words::say;

/// Longest text that is read [bytes]; the option `--max-table` changes it once, at the beginning.
static MOST: AtomicU64 = AtomicU64::new(1 << 30);

/// From here on texts may be so long.
pub(in crate::command) fn limit_tables(most: MaxSize) {
    MOST.store(most.0, Ordering::Relaxed);
}

/// A number of bytes, as `--max-table` takes it: `2000000`, `64M`, `4G`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::command) struct MaxSize(u64);

impl FromStr for MaxSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (digits, unit) = match text.as_bytes().last() {
            Some(b'k' | b'K') => (&text[..text.len() - 1], 1 << 10),
            Some(b'M') => (&text[..text.len() - 1], 1 << 20),
            Some(b'G') => (&text[..text.len() - 1], 1 << 30),
            _ => (text, 1),
        };
        let size = digits.parse::<u64>().ok();
        let size = size.and_then(|size| size.checked_mul(unit));
        let size = size.filter(|size| *size > 0).map(MaxSize);
        size.ok_or_else(|| say!("cli-from-str.number-bytes-needed"))
    }
}

/// The text of a file.
///
/// # Errors
///
/// It cannot be read, it is no regular file, it is too long, or no text.
pub(crate) fn read_text(path: &Path) -> io::Result<String> {
    read_to_end(open(path)?)
}

/// The bytes of a file.
///
/// # Errors
///
/// It cannot be read, it is no regular file, or it is too long.
pub(crate) fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    let most = MOST.load(Ordering::Relaxed);
    let mut bytes = Vec::new();
    let mut file = open(path)?.take(most.saturating_add(1));
    file.read_to_end(&mut bytes)?;
    let is_short = bytes.len() as u64 <= most;
    if is_short { Ok(bytes) } else { Err(too_long()) }
}

fn open(path: &Path) -> io::Result<File> {
    // What is no file may be without end, or wait for somebody for ever as soon as it is opened.
    let is_file = |metadata: &fs::Metadata| match metadata.is_file() {
        true => Ok(()),
        false if metadata.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        false => Err(io::Error::other(say!("cli-open.not-regular-file"))),
    };
    is_file(&fs::metadata(path)?)?;
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    is_file(&metadata)?;
    if metadata.len() > MOST.load(Ordering::Relaxed) {
        return Err(too_long());
    }
    Ok(file)
}

/// The text of a stream.
///
/// # Errors
///
/// It cannot be read, it is too long, or no text.
pub(in crate::command) fn read_to_end(stream: impl Read) -> io::Result<String> {
    let most = MOST.load(Ordering::Relaxed);
    let mut bytes = Vec::new();
    stream
        .take(most.saturating_add(1))
        .read_to_end(&mut bytes)?;
    // Every byte has a place, which is a number of 32 bits.
    let is_short = bytes.len() as u64 <= most && u32::try_from(bytes.len()).is_ok();
    if is_short {
        utf8_text(bytes)
    } else {
        Err(too_long())
    }
}

fn too_long() -> io::Error {
    let most = MOST.load(Ordering::Relaxed).min(u64::from(u32::MAX));
    io::Error::other(say!("cli-too-long.longer-than-bytes", most))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read() {
        let size = |text: &str| text.parse::<MaxSize>();
        assert_eq!(size("1000"), Ok(MaxSize(1000)));
        assert_eq!(size("64M"), Ok(MaxSize(64 << 20)));
        assert_eq!(size("2G"), Ok(MaxSize(2 << 30)));
        for wrong in ["", "0", "M", "-1", "1T", "1e3", "99999999999G"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn only_files_are_read() {
        let folder = tempfile::tempdir().unwrap();
        assert!(read_text(folder.path()).is_err());
        assert!(read_text(&folder.path().join("none")).is_err());
        let path = folder.path().join("table.ron");
        fs::write(&path, "()").unwrap();
        assert_eq!(read_text(&path).unwrap(), "()");
        fs::write(&path, [0xff]).unwrap();
        assert!(read_text(&path).is_err());
        if Path::new("/dev/zero").exists() {
            let why = read_text(Path::new("/dev/zero")).unwrap_err().to_string();
            assert_eq!(why, "it is not a regular file");
        }
    }
}
