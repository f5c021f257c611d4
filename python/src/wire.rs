//! Slices of sweeps and their results as bytes, for any scheduler.
//!
//! A slice is all that its runs follow from: the texts of a table with all that it extends or has as parts, the files of
//! its lookups, options, what varies, the version, and a range of rows. A result is columns. Both stand behind their hash,
//! so that what was damaged on the way is not taken for one, and begin with a text of JSON; the rest stands behind it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use situ_engine::model::Input;
use situ_rules::{DataFile, Loaded};
use situ_sweep::{Axis, Design, DesignError, Sampling, Values};

use crate::error::Refusal;
use crate::setup::{Options, Ready};
use crate::table::of_texts;

/// Beginnings of the bytes of a slice and of a result.
pub(crate) const SLICE: &[u8; 8] = b"situ-sl2";
pub(crate) const RESULT: &[u8; 8] = b"situ-re1";

/// The version of this engine.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Bytes of a hash.
const HASH: usize = 32;

/// A sweep as a plain value.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Sweep {
    /// The version that has made it.
    pub(crate) version: String,
    /// The table's own text and those that it extends, with their names.
    pub(crate) texts: Vec<(String, String)>,
    /// The files of its lookups.
    #[serde(default)]
    pub(crate) files: Vec<SentFile>,
    pub(crate) options: Options,
    /// Names of what varies.
    pub(crate) inputs: Vec<String>,
    pub(crate) varies: Varies,
}

/// A file whose content stands behind the text that names it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct SentFile {
    pub(crate) name: String,
    pub(crate) sha256: String,
    pub(crate) size: usize,
    #[serde(skip)]
    pub(crate) bytes: Arc<[u8]>,
}

impl SentFile {
    pub(crate) fn new(name: String, bytes: &[u8]) -> Self {
        Self {
            name,
            sha256: hex(&Sha256::digest(bytes)),
            size: bytes.len(),
            bytes: bytes.into(),
        }
    }
}

/// How values vary.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Varies {
    /// By an axis each: its kind and its numbers.
    Axes {
        axes: Vec<(String, Vec<f64>)>,
        /// How distributions are drawn from, and how often.
        way: String,
        runs: Option<u64>,
        seed: u64,
    },
    /// As these rows say, of which the first has this number in the whole sweep of so many.
    Rows {
        rows: Vec<Vec<f64>>,
        first: u64,
        all: u64,
    },
}

/// A slice: rows of a sweep from one number on, up to another.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Slice {
    pub(crate) sweep: Sweep,
    /// Hash of the whole sweep.
    pub(crate) of: String,
    pub(crate) from: u64,
    pub(crate) to: u64,
}

/// Head of a result; the columns stand behind it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Head {
    pub(crate) version: String,
    /// Hash of the whole sweep.
    pub(crate) of: String,
    pub(crate) from: u64,
    pub(crate) to: u64,
    /// Number of rows of the whole sweep.
    pub(crate) all: u64,
}

impl Sweep {
    /// The design, for a model that is ready.
    ///
    /// # Errors
    ///
    /// A name that is not known, values that make no design.
    pub(crate) fn design(&self, ready: &Ready) -> Result<Design, Refusal> {
        let inputs: Result<Vec<Input>, Refusal> =
            self.inputs.iter().map(|name| ready.input(name)).collect();
        let inputs = inputs?;
        let refused = |error: &DesignError| Refusal::Value(self.said(error));
        match &self.varies {
            Varies::Rows { rows, .. } => {
                for row in rows {
                    for ((name, input), value) in self.inputs.iter().zip(&inputs).zip(row) {
                        fits(name, *input, *value)?;
                    }
                }
                Design::table(inputs, rows.clone()).map_err(|error| refused(&error))
            }
            Varies::Axes {
                axes,
                way,
                runs,
                seed,
            } => {
                let mut read = Vec::new();
                for ((name, input), (kind, numbers)) in self.inputs.iter().zip(inputs).zip(axes) {
                    let values = values(name, kind, numbers)?;
                    if let (Input::Switch(_), values) = (input, &values) {
                        match values {
                            Values::List(all) => {
                                all.iter().try_for_each(|one| fits(name, input, *one))?;
                            }
                            _ => {
                                let said = format!("`{name}` is a switch: list True and False");
                                return Err(Refusal::Value(said));
                            }
                        }
                    }
                    read.push(Axis { input, values });
                }
                let seed = *seed;
                let sampling = match (*runs, &**way) {
                    (None, _) => Sampling::None,
                    (Some(runs), "random") => Sampling::Random { runs, seed },
                    (Some(runs), "latin") => Sampling::LatinHypercube { runs, seed },
                    (Some(runs), "sobol") => Sampling::Sobol { runs, seed },
                    (_, other) => {
                        return Err(Refusal::Value(format!(
                            "`sample` is `random`, `latin` or `sobol`, not `{other}`"
                        )));
                    }
                };
                Design::new(read, sampling).map_err(|error| refused(&error))
            }
        }
    }

    fn said(&self, error: &DesignError) -> String {
        match error {
            DesignError::NoValues(axis) => {
                format!("`{}` has no finite values", self.inputs[*axis])
            }
            DesignError::NoDistribution(axis) => format!(
                "the distribution of `{}` has no meaning: a deviation is positive, and the ends are in order",
                self.inputs[*axis]
            ),
            DesignError::NotSampled => {
                "to sample from a distribution, say how often: runs=1000".to_owned()
            }
            DesignError::NothingDrawn => {
                "`runs` says how often distributions are sampled, and there is none".to_owned()
            }
            other => other.to_string(),
        }
    }

    /// Hash of all that its runs follow from.
    pub(crate) fn hash(&self) -> String {
        let text = serde_json::to_vec(self).unwrap_or_default();
        hex(&Sha256::digest(text)[..16])
    }

    /// Its table.
    pub(crate) fn table(&self) -> Loaded {
        let files = self.files.iter().map(|file| DataFile {
            name: file.name.clone(),
            bytes: file.bytes.to_vec(),
        });
        of_texts(self.texts.clone(), files.collect())
    }

    /// The slice of the rows from one number up to another.
    pub(crate) fn slice(&self, of: &str, from: u64, to: u64) -> Slice {
        let varies = match &self.varies {
            Varies::Rows { rows, first, all } => {
                let place = |number: u64| usize::try_from(number - first).unwrap_or(usize::MAX);
                Varies::Rows {
                    rows: rows[place(from)..place(to)].to_vec(),
                    first: from,
                    all: *all,
                }
            }
            axes @ Varies::Axes { .. } => axes.clone(),
        };
        Slice {
            sweep: Self {
                version: self.version.clone(),
                texts: self.texts.clone(),
                files: self.files.clone(),
                options: self.options.clone(),
                inputs: self.inputs.clone(),
                varies,
            },
            of: of.to_owned(),
            from,
            to,
        }
    }
}

impl Slice {
    /// As bytes.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let files: Vec<&[u8]> = self.sweep.files.iter().map(|file| &*file.bytes).collect();
        sealed(SLICE, &behind_text(self, &files.concat()))
    }

    /// Number of the first row of its own design in the whole sweep.
    pub(crate) fn first(&self) -> u64 {
        match self.sweep.varies {
            Varies::Rows { first, .. } => first,
            Varies::Axes { .. } => 0,
        }
    }
}

fn values(name: &str, kind: &str, numbers: &[f64]) -> Result<Values, Refusal> {
    Ok(match (kind, numbers) {
        ("list", all) => Values::List(all.to_vec()),
        ("uniform", &[from, to]) => Values::Uniform { from, to },
        ("normal", &[mean, deviation]) => Values::Normal { mean, deviation },
        ("lognormal", &[mean, deviation]) => Values::LogNormal { mean, deviation },
        ("triangular", &[from, mode, to]) => Values::Triangular { from, to, mode },
        ("grid", &[from, to, points]) if points >= 1.0 => Values::Grid {
            from,
            to,
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a whole number above zero; the cast saturates"
            )]
            points: points as u64,
        },
        _ => {
            return Err(Refusal::Value(format!(
                "`{name}`: there is no way `{kind}` to vary"
            )));
        }
    })
}

/// A value of a switch is one of two, others are finite.
fn fits(name: &str, input: Input, value: f64) -> Result<(), Refusal> {
    let fits = match input {
        Input::Switch(_) => value == 0.0 || value == 1.0,
        _ => value.is_finite(),
    };
    match fits {
        true => Ok(()),
        false => Err(Refusal::Value(format!("`{name}` cannot be {value}"))),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A value as a text of JSON with its length before it, and bytes behind it.
fn behind_text(value: &impl Serialize, rest: &[u8]) -> Vec<u8> {
    let text = serde_json::to_vec(value).expect("it has texts and finite numbers only");
    let mut payload = (text.len() as u64).to_le_bytes().to_vec();
    payload.extend(text);
    payload.extend_from_slice(rest);
    payload
}

/// The text of JSON, and the bytes behind it; `None` if there is none.
pub(crate) fn text_and_rest(payload: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = payload.split_first_chunk()?;
    rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)
}

/// Bytes behind their mark and hash.
fn sealed(mark: &[u8; 8], payload: &[u8]) -> Vec<u8> {
    let mut bytes = mark.to_vec();
    bytes.extend_from_slice(&Sha256::digest(payload));
    bytes.extend_from_slice(payload);
    bytes
}

/// What stands behind mark and hash.
///
/// # Errors
///
/// It is something else, or was damaged.
pub(crate) fn opened<'b>(mark: &[u8; 8], bytes: &'b [u8]) -> Result<&'b [u8], Refusal> {
    let what = match mark {
        SLICE => "slice",
        _ => "result of a slice",
    };
    let rest = bytes.strip_prefix(mark);
    let rest = rest.and_then(|rest| rest.split_at_checked(HASH));
    let (hash, payload) =
        rest.ok_or_else(|| Refusal::Value(format!("these bytes are no {what} of a sweep")))?;
    match Sha256::digest(payload)[..] == *hash {
        true => Ok(payload),
        false => Err(Refusal::Value(format!(
            "the bytes of the {what} were damaged"
        ))),
    }
}

/// A slice from its bytes.
///
/// # Errors
///
/// It is none, was damaged, or another version has made it.
pub(crate) fn read_slice(bytes: &[u8]) -> Result<Slice, Refusal> {
    let payload = opened(SLICE, bytes)?;
    let damaged = || Refusal::Value("these bytes are no slice of a sweep".to_owned());
    let (text, mut rest) = text_and_rest(payload).ok_or_else(damaged)?;
    // The version first: other versions may have other fields.
    let value: serde_json::Value =
        serde_json::from_slice(text).map_err(|error| Refusal::Value(error.to_string()))?;
    let version = value["sweep"]["version"]
        .as_str()
        .unwrap_or("of an unknown version");
    if version != VERSION {
        return Err(Refusal::Version(format!(
            "situ {version} has made this slice, and here is situ {VERSION}: results would not be the same"
        )));
    }
    let mut slice: Slice =
        serde_json::from_value(value).map_err(|error| Refusal::Value(error.to_string()))?;
    for file in &mut slice.sweep.files {
        let (own, others) = rest.split_at_checked(file.size).ok_or_else(damaged)?;
        (file.bytes, rest) = (own.into(), others);
    }
    Ok(slice)
}

/// A result: its head, and columns behind it.
pub(crate) fn result_bytes(head: &Head, columns: &[u8]) -> Vec<u8> {
    sealed(RESULT, &behind_text(head, columns))
}
