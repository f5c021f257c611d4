//! Frames: columns of equal length with names, units and descriptions, and their ways out.
//!
//! A [`Frame`] is what a run, its events or a sweep came to. Its values stay where the engine has put them: numpy takes
//! a column as a [`Buffer`], Arrow takes all of them as a stream. As bytes a frame is a line of JSON and the columns.

#![expect(
    unsafe_code,
    reason = "numpy takes columns by the C interface of buffers"
)]

use std::ffi::{CStr, c_int, c_void};
use std::sync::{Arc, OnceLock};

use pyo3::exceptions::{PyBufferError, PyKeyError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyList};
use serde::{Deserialize, Serialize};

use crate::arrow;
use crate::error::working;

/// A column.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Column {
    pub(crate) about: About,
    pub(crate) values: Values,
}

/// What a column is.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct About {
    /// Name.
    pub(crate) name: String,
    /// What it is in the model, one word: `time`, `real`, `event`, `measure` and so on.
    pub(crate) kind: String,
    /// Unit; may be empty.
    pub(crate) unit: String,
    /// Description, one line; may be empty.
    pub(crate) about: String,
}

/// The values of a column.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Values {
    /// Numbers.
    Reals(Vec<f64>),
    /// Numbers of which some are missing; these are NaN.
    Gaps(Vec<f64>),
    /// Truth values.
    Truths(Vec<bool>),
    /// Whole numbers.
    Integers(Vec<i64>),
    /// Texts: where each ends, and all of them behind each other.
    Texts(Vec<i32>, Vec<u8>),
}

impl Values {
    /// Texts behind each other, with a zero before the places where they end.
    pub(crate) fn texts<T: AsRef<str>>(all: impl IntoIterator<Item = T>) -> Self {
        let (mut ends, mut bytes) = (vec![0], Vec::new());
        for text in all {
            bytes.extend_from_slice(text.as_ref().as_bytes());
            ends.push(i32::try_from(bytes.len()).unwrap_or(i32::MAX));
        }
        Self::Texts(ends, bytes)
    }

    /// The text in a row; `None` if these are no texts.
    pub(crate) fn text(&self, row: usize) -> Option<String> {
        let Self::Texts(ends, bytes) = self else {
            return None;
        };
        let [from, to] = [row, row + 1].map(|at| usize::try_from(ends[at]).unwrap_or(0));
        Some(String::from_utf8_lossy(bytes.get(from..to)?).into_owned())
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Reals(values) | Self::Gaps(values) => values.len(),
            Self::Truths(values) => values.len(),
            Self::Integers(values) => values.len(),
            Self::Texts(ends, _) => ends.len() - 1,
        }
    }

    /// Adds the values of a column of the same type.
    pub(crate) fn append(&mut self, more: Self) {
        match (self, more) {
            (Self::Reals(all) | Self::Gaps(all), Self::Reals(more) | Self::Gaps(more)) => {
                all.extend(more);
            }
            (Self::Truths(all), Self::Truths(more)) => all.extend(more),
            (Self::Integers(all), Self::Integers(more)) => all.extend(more),
            (Self::Texts(ends, bytes), Self::Texts(more_ends, more)) => {
                let before = ends.last().copied().unwrap_or(0);
                let behind = more_ends.iter().skip(1);
                ends.extend(behind.map(|end| before.saturating_add(*end)));
                bytes.extend(more);
            }
            _ => unreachable!("the columns of one sweep have one type each"),
        }
    }

    /// A letter for each type, the one that bytes and buffers have.
    fn code(&self) -> char {
        match self {
            Self::Reals(_) => 'd',
            Self::Gaps(_) => 'g',
            Self::Truths(_) => '?',
            Self::Integers(_) => 'q',
            Self::Texts(..) => 't',
        }
    }

    /// Address, bytes per value and format of a column that is not of texts.
    fn memory(&self) -> Option<(*const c_void, usize, &'static CStr)> {
        match self {
            Self::Reals(values) | Self::Gaps(values) => Some((values.as_ptr().cast(), 8, c"d")),
            Self::Truths(values) => Some((values.as_ptr().cast(), 1, c"?")),
            Self::Integers(values) => Some((values.as_ptr().cast(), 8, c"q")),
            Self::Texts(..) => None,
        }
    }

    fn write(&self, into: &mut Vec<u8>) {
        match self {
            Self::Reals(values) | Self::Gaps(values) => {
                into.extend(values.iter().flat_map(|value| value.to_le_bytes()));
            }
            Self::Truths(values) => into.extend(values.iter().map(|value| u8::from(*value))),
            Self::Integers(values) => {
                into.extend(values.iter().flat_map(|value| value.to_le_bytes()));
            }
            Self::Texts(ends, bytes) => {
                into.extend(ends.iter().flat_map(|end| end.to_le_bytes()));
                into.extend_from_slice(bytes);
            }
        }
    }

    /// Reads so many values from the beginning of some bytes; `None` if they are not there.
    fn read(code: char, len: usize, from: &mut &[u8]) -> Option<Self> {
        let mut take = |size: usize| {
            let (taken, rest) = from.split_at_checked(size)?;
            *from = rest;
            Some(taken)
        };
        let words = |bytes: &[u8]| -> Vec<[u8; 8]> { bytes.as_chunks().0.to_vec() };
        Some(match code {
            'd' | 'g' => {
                let values = words(take(len.checked_mul(8)?)?);
                let values = values.into_iter().map(f64::from_le_bytes).collect();
                match code {
                    'd' => Self::Reals(values),
                    _ => Self::Gaps(values),
                }
            }
            '?' => Self::Truths(take(len)?.iter().map(|byte| *byte != 0).collect()),
            'q' => {
                let values = words(take(len.checked_mul(8)?)?).into_iter();
                Self::Integers(values.map(i64::from_le_bytes).collect())
            }
            't' => {
                let ends = take(len.checked_add(1)?.checked_mul(4)?)?;
                let ends: Vec<i32> = (ends.as_chunks().0.iter())
                    .map(|end| i32::from_le_bytes(*end))
                    .collect();
                let bytes = take(usize::try_from(*ends.last()?).ok()?)?.to_vec();
                let text = std::str::from_utf8(&bytes).ok()?;
                let whole = ends.is_sorted() && ends[0] == 0;
                let is_end =
                    |end: &i32| usize::try_from(*end).is_ok_and(|end| text.is_char_boundary(end));
                if !whole || !ends.iter().all(is_end) {
                    return None;
                }
                Self::Texts(ends, bytes)
            }
            _ => return None,
        })
    }
}

/// Columns of equal length.
#[derive(Debug, Default)]
pub(crate) struct FrameData {
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: usize,
    /// What they come from, as JSON, in the words of our Parquet files.
    pub(crate) source: String,
    /// Per column of truth values its bits, made when Arrow asks for them.
    pub(crate) bits: OnceLock<Vec<Vec<u8>>>,
}

/// Head of the bytes of a frame.
#[derive(Serialize, Deserialize)]
struct Head {
    rows: usize,
    source: String,
    columns: Vec<(About, char)>,
}

impl FrameData {
    /// Columns of a table's run or sweep.
    pub(crate) fn new(table: &str, columns: Vec<Column>) -> Self {
        Self {
            rows: columns.first().map_or(0, |column| column.values.len()),
            source: table.to_owned(),
            columns,
            bits: OnceLock::new(),
        }
    }

    /// As bytes: the length of a JSON text, the text, the columns.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let columns = self.columns.iter();
        let head = Head {
            rows: self.rows,
            source: self.source.clone(),
            columns: columns
                .map(|column| (column.about.clone(), column.values.code()))
                .collect(),
        };
        let head = serde_json::to_vec(&head).expect("it has texts and whole numbers only");
        let mut bytes = (head.len() as u64).to_le_bytes().to_vec();
        bytes.extend(head);
        for column in &self.columns {
            column.values.write(&mut bytes);
        }
        bytes
    }

    /// From the beginning of some bytes, which are then those behind it; `None` if it does not stand there.
    pub(crate) fn read(bytes: &mut &[u8]) -> Option<Self> {
        let (length, rest) = bytes.split_first_chunk()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        let (head, rest) = rest.split_at_checked(length)?;
        *bytes = rest;
        let head: Head = serde_json::from_slice(head).ok()?;
        let mut columns = Vec::new();
        for (about, code) in head.columns {
            let values = Values::read(code, head.rows, bytes)?;
            columns.push(Column { about, values });
        }
        Some(Self {
            rows: head.rows,
            source: head.source,
            columns,
            bits: OnceLock::new(),
        })
    }
}

/// Columns of equal length.
#[pyclass(frozen, module = "situ._situ")]
#[derive(Debug)]
pub(crate) struct Frame(pub(crate) Arc<FrameData>);

#[pymethods]
impl Frame {
    /// Number of rows.
    fn __len__(&self) -> usize {
        self.0.rows
    }

    /// Per column name, kind, unit and description.
    fn about(&self) -> Vec<(&str, &str, &str, &str)> {
        let columns = self.0.columns.iter().map(|column| &column.about);
        let about = columns.map(|it| (&*it.name, &*it.kind, &*it.unit, &*it.about));
        about.collect()
    }

    /// A column by its place: a buffer, or a list of texts.
    fn column<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyAny>> {
        let column = (self.0.columns.get(index)).ok_or_else(|| PyKeyError::new_err(index))?;
        if let Values::Texts(..) = &column.values {
            let texts = (0..column.values.len()).filter_map(|row| column.values.text(row));
            return Ok(PyList::new(py, texts.collect::<Vec<_>>())?.into_any());
        }
        let shape = [column.values.len().cast_signed()];
        let frame = Arc::clone(&self.0);
        Ok(Bound::new(
            py,
            Buffer {
                frame,
                index,
                shape,
            },
        )?
        .into_any())
    }

    /// All columns as bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = working(py, || self.0.bytes())?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The columns of such bytes.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        let frame = working(py, || FrameData::read(&mut &*bytes))?;
        let frame = frame.ok_or_else(|| PyValueError::new_err("these bytes are no frame"))?;
        Ok(Self(Arc::new(frame)))
    }

    /// The columns as a stream of Arrow's C interface, without copying numbers.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A consumer casts what it would have otherwise, as the interface allows.
        drop(requested_schema);
        arrow::stream(py, &self.0)
    }

    fn __eq__(&self, py: Python<'_>, other: &Self) -> PyResult<bool> {
        // Bits, so that NaN equals itself.
        let same = || Arc::ptr_eq(&self.0, &other.0) || self.0.bytes() == other.0.bytes();
        working(py, same)
    }
}

/// The memory of a column.
#[pyclass(frozen, module = "situ._situ")]
#[derive(Debug)]
pub(crate) struct Buffer {
    frame: Arc<FrameData>,
    index: usize,
    shape: [isize; 1],
}

#[pymethods]
impl Buffer {
    unsafe fn __getbuffer__(
        slf: Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        let it = slf.get();
        let memory = it.frame.columns[it.index].values.memory();
        let (address, size, format) =
            memory.ok_or_else(|| PyBufferError::new_err("texts have no buffer"))?;
        if view.is_null() || flags & ffi::PyBUF_WRITABLE == ffi::PyBUF_WRITABLE {
            return Err(PyBufferError::new_err("a run cannot be written to"));
        }
        // SAFETY: `view` is one that the interpreter wants filled. What it points to is owned by this object or lives
        // for ever; the object is immutable, and `obj` keeps it as long as the view is used.
        unsafe {
            let shape = (&raw const it.shape).cast_mut().cast();
            (*view).buf = address.cast_mut();
            (*view).len = it.shape[0] * size.cast_signed();
            (*view).readonly = 1;
            (*view).itemsize = size.cast_signed();
            (*view).format = match flags & ffi::PyBUF_FORMAT == ffi::PyBUF_FORMAT {
                true => format.as_ptr().cast_mut(),
                false => std::ptr::null_mut(),
            };
            (*view).ndim = 1;
            (*view).shape = match flags & ffi::PyBUF_ND == ffi::PyBUF_ND {
                true => shape,
                false => std::ptr::null_mut(),
            };
            (*view).strides = match flags & ffi::PyBUF_STRIDES == ffi::PyBUF_STRIDES {
                true => &raw mut (*view).itemsize,
                false => std::ptr::null_mut(),
            };
            (*view).suboffsets = std::ptr::null_mut();
            (*view).internal = std::ptr::null_mut();
            (*view).obj = slf.into_any().into_ptr();
        }
        Ok(())
    }
}
