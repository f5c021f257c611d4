//! Rows of a run as CSV, written while the run goes on, in constant memory.
//!
//! `time` first, then reals, then booleans as 0 and 1; numbers are the shortest decimals that read
//! back to the same bits. Only whole lines are handed on, and if the disk is full the file is cut
//! back to whole lines, so that it can be read whatever happens.

use std::io::{self, Write};

use sha2::{Digest, Sha256};

use crate::text::number::push_exact;

/// Destination of rows.
pub trait Sink: Write {
    /// Cuts what was written back to the first `length` bytes, if that can be done.
    ///
    /// # Errors
    ///
    /// As the medium says. By default nothing is done, as in a pipe.
    fn cut(&mut self, length: u64) -> io::Result<()> {
        let _ = length;
        Ok(())
    }
}

impl Sink for std::fs::File {
    fn cut(&mut self, length: u64) -> io::Result<()> {
        if self.metadata()?.is_file() {
            self.set_len(length)
        } else {
            Ok(())
        }
    }
}

impl Sink for io::Stdout {}
impl Sink for io::Sink {}
impl Sink for &mut Vec<u8> {}

impl<S: Sink + ?Sized> Sink for Box<S> {
    fn cut(&mut self, length: u64) -> io::Result<()> {
        (**self).cut(length)
    }
}

/// Writes the rows of one run.
#[derive(Debug)]
pub struct CsvWriter<S: Sink> {
    sink: S,
    /// Lines not handed on yet.
    pending: Vec<u8>,
    n_columns: usize,
    /// Bytes handed on, all of them whole lines.
    bytes: u64,
    /// Lines handed on.
    lines: u64,
    hash: Sha256,
}

/// Size and hash of what was written to a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    /// Rows, without the header.
    pub rows: u64,
    /// Bytes, with the header.
    pub bytes: u64,
    /// SHA-256 of these bytes, in hexadecimal digits: what `sha256sum` says of the file.
    pub sha256: String,
}

/// Lines are handed on in pieces of about this size (in bytes).
const PIECE: usize = 1 << 16;

impl<S: Sink> CsvWriter<S> {
    /// Starts with the header: `time` and the names of the other columns.
    pub fn new<'n>(sink: S, names: impl IntoIterator<Item = &'n str>) -> Self {
        let mut pending = Vec::with_capacity(2 * PIECE);
        pending.extend_from_slice(b"time");
        let mut n_columns = 0;
        for name in names {
            pending.push(b',');
            push_quoted(&mut pending, name);
            n_columns += 1;
        }
        pending.push(b'\n');
        Self {
            sink,
            pending,
            n_columns,
            bytes: 0,
            lines: 0,
            hash: Sha256::new(),
        }
    }

    /// Adds a row: the values of the header's columns, in its order.
    ///
    /// # Errors
    ///
    /// The medium refuses the data. What stands there are then whole lines; nothing more
    /// may be added.
    pub fn row(
        &mut self,
        time: f64,
        reals: impl IntoIterator<Item = f64>,
        booleans: impl IntoIterator<Item = bool>,
    ) -> io::Result<()> {
        let mut n_columns = 0;
        push_exact(&mut self.pending, time);
        for value in reals {
            self.pending.push(b',');
            push_exact(&mut self.pending, value);
            n_columns += 1;
        }
        for value in booleans {
            self.pending
                .extend_from_slice(if value { b",1" } else { b",0" });
            n_columns += 1;
        }
        debug_assert_eq!(
            n_columns, self.n_columns,
            "a row has the columns of the header"
        );
        self.pending.push(b'\n');
        if self.pending.len() >= PIECE {
            self.hand_on()
        } else {
            Ok(())
        }
    }

    /// Hands on the last lines and says what stands in the file.
    ///
    /// # Errors
    ///
    /// As [`Self::row`].
    pub fn finish(self) -> io::Result<Written> {
        self.close().map(|(written, _)| written)
    }

    /// Does as [`Self::finish`], and gives the medium back.
    ///
    /// # Errors
    ///
    /// As [`Self::row`].
    pub fn close(mut self) -> io::Result<(Written, S)> {
        self.hand_on()?;
        self.sink.flush()?;
        Ok((self.written(), self.sink))
    }

    /// Gives up after an error: what stands in the file, and the medium.
    pub fn abandon(self) -> (Written, S) {
        (self.written(), self.sink)
    }

    /// Size and hash of what has been written to the file by now.
    pub fn written(&self) -> Written {
        let sha256 = hexadecimal(&self.hash.clone().finalize());
        Written {
            rows: self.lines.saturating_sub(1),
            bytes: self.bytes,
            sha256,
        }
    }

    fn hand_on(&mut self) -> io::Result<()> {
        let (n_taken, result) = write_most(&mut self.sink, &self.pending);
        let taken = &self.pending[..n_taken];
        let whole = &taken[..taken
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |last| last + 1)];
        self.hash.update(whole);
        self.bytes += whole.len() as u64;
        self.lines += whole.iter().filter(|byte| **byte == b'\n').count() as u64;
        self.pending.clear();
        if result.is_err() {
            // The first error says more than a second one from cutting.
            let _ = self.sink.cut(self.bytes);
        }
        result
    }
}

/// Writes until all is written or the medium refuses; says how many bytes it took.
fn write_most(sink: &mut impl Write, bytes: &[u8]) -> (usize, io::Result<()>) {
    let mut n_taken = 0;
    while n_taken < bytes.len() {
        match sink.write(&bytes[n_taken..]) {
            Ok(0) => return (n_taken, Err(io::ErrorKind::WriteZero.into())),
            Ok(n) => n_taken += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return (n_taken, Err(error)),
        }
    }
    (n_taken, Ok(()))
}

/// Appends a name, between quotes if it has a character that would end the cell.
fn push_quoted(out: &mut Vec<u8>, name: &str) {
    if !name.contains([',', '"', '\n', '\r']) && name.trim() == name {
        out.extend_from_slice(name.as_bytes());
        return;
    }
    out.push(b'"');
    out.extend_from_slice(name.replace('"', "\"\"").as_bytes());
    out.push(b'"');
}

/// Error of the system when a line could not be written.
pub fn io_error(error: ::csv::Error) -> io::Error {
    match error.into_kind() {
        ::csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

/// Bytes as hexadecimal digits.
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::series::Series;

    /// A disk that is full after some bytes.
    #[derive(Debug)]
    struct Disk<'a> {
        file: &'a mut Vec<u8>,
        room: usize,
    }

    impl Write for Disk<'_> {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let taken = bytes.len().min(self.room - self.file.len()).min(1000);
            if taken == 0 && !bytes.is_empty() {
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.file.extend_from_slice(&bytes[..taken]);
            Ok(taken)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Sink for Disk<'_> {
        fn cut(&mut self, length: u64) -> io::Result<()> {
            self.file.truncate(length as usize);
            Ok(())
        }
    }

    #[test]
    fn rows_read_back() {
        let mut file = Vec::new();
        let mut writer = CsvWriter::new(&mut file, ["h", "a,b", "say \"x\"", "скорость", "on"]);
        writer
            .row(0.0, [400.0, -0.1, 1e300, f64::NAN], [false])
            .unwrap();
        writer
            .row(0.001, [1.0 / 3.0, 5e-324, -1e-7, f64::INFINITY], [true])
            .unwrap();
        let written = writer.finish().unwrap();
        let text = String::from_utf8(file.clone()).unwrap();
        insta::assert_snapshot!(text, @r#"
        time,h,"a,b","say ""x""",скорость,on
        0,400,-0.1,1e+300,NaN,0
        0.001,0.3333333333333333,5e-324,-1e-7,inf,1
        "#);
        assert_eq!((written.rows, written.bytes), (2, file.len() as u64));
        assert_eq!(written.sha256, hexadecimal(&Sha256::digest(&file)));
        let series = Series::read_csv("run", &file[..]).unwrap();
        assert_eq!(series.real("a,b").unwrap().values, [-0.1, 5e-324]);
        assert_eq!(series.real("say \"x\"").unwrap().values, [1e300, -1e-7]);
        assert_eq!(series.boolean("on").unwrap().values, [false, true]);
    }

    #[test]
    fn a_full_disk_leaves_whole_lines() {
        let mut file = Vec::new();
        let mut writer = CsvWriter::new(
            Disk {
                file: &mut file,
                room: 100_003,
            },
            ["x"],
        );
        let error = (0..)
            .find_map(|i| writer.row(f64::from(i), [0.1], []).err())
            .unwrap();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        let written = writer.written();
        drop(writer);
        assert!(file.len() > 99_900 && file.ends_with(b"\n"));
        assert_eq!(written.bytes, file.len() as u64);
        assert_eq!(written.sha256, hexadecimal(&Sha256::digest(&file)));
        assert_eq!(
            Series::read_csv("run", &file[..]).unwrap().len() as u64,
            written.rows
        );
    }

    #[test]
    fn a_full_disk_at_the_end_is_an_error() {
        let mut file = Vec::new();
        let mut writer = CsvWriter::new(
            Disk {
                file: &mut file,
                room: 10,
            },
            ["x"],
        );
        writer.row(0.0, [0.5], []).unwrap();
        assert_eq!(
            writer.finish().unwrap_err().kind(),
            io::ErrorKind::StorageFull
        );
        assert_eq!(file, b"time,x\n");
    }

    #[test]
    fn memory_stays_bounded() {
        let mut writer = CsvWriter::new(io::sink(), ["x"]);
        for i in 0..100_000 {
            writer.row(f64::from(i), [0.1], []).unwrap();
        }
        assert!(writer.pending.capacity() <= 2 * PIECE);
        assert_eq!(writer.finish().unwrap().rows, 100_000);
    }
}
