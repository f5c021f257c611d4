//! Endings of file names, compared with what is going to be written into the file.

use std::path::Path;

use situ_words::say;

use crate::command::Failure;

/// Format that an option writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::command) enum Writes {
    /// CSV.
    Csv,
    /// CSV, or Parquet where the ending says so.
    CsvOrParquet,
    /// JSON.
    Json,
    /// A page.
    Html,
    /// The state of a run.
    State,
    /// A rule table.
    Rules,
}

/// Endings of formats that an option may have been meant to write.
const FOREIGN: [&str; 28] = [
    "csv", "tsv", "parquet", "json", "ron", "svg", "png", "pdf", "eps", "jpg", "jpeg", "gif",
    "webp", "html", "xls", "xlsx", "ods", "mat", "h5", "hdf5", "npy", "npz", "arrow", "feather",
    "gz", "zip", "xz", "zst",
];

impl Writes {
    /// Name of the format in messages, and endings that fit it; any ending that is of no other format will do, too.
    fn about(self) -> (String, &'static [&'static str]) {
        match self {
            Self::Csv => ("CSV".to_owned(), &["csv"]),
            Self::CsvOrParquet => (say!("cli-format.csv-or-parquet"), &["csv", "parquet"]),
            Self::Json => ("JSON".to_owned(), &["json"]),
            Self::Html => ("HTML".to_owned(), &["html", "htm"]),
            Self::State => (say!("cli-format.state"), &["state"]),
            Self::Rules => (say!("cli-format.rules"), &["ron"]),
        }
    }

    /// Holds the name of a file against what `what`, an option or a command, writes.
    ///
    /// # Errors
    ///
    /// Its ending is that of another format.
    pub(in crate::command) fn check(self, what: &str, path: &Path) -> Result<(), Failure> {
        let (format, endings) = self.about();
        let ending = path.extension().unwrap_or_default();
        let ending = ending.to_string_lossy().to_lowercase();
        if endings.contains(&&*ending) || !FOREIGN.contains(&&*ending) {
            return Ok(());
        }
        let endings: Vec<String> = endings.iter().map(|one| format!(".{one}")).collect();
        Err(Failure::Wrong(say!(
            "cli-endings.writes-not-what",
            what,
            format,
            path = path.display(),
            endings = endings.join(&say!("cli-or"))
        )))
    }
}
