//! Frames as a stream of Arrow's C interface: one batch, whose numbers stay where they are.
//!
//! Source: the Arrow specification, "C data interface", "C stream interface" and "PyCapsule interface". The structs are
//! written here because the crate that has them (`arrow-array`) takes 100 CPU seconds to build.

#![expect(
    unsafe_code,
    reason = "Arrow's consumers take structs of C by their addresses"
)]

use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr::{null, null_mut};
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use serde_json::json;

use crate::frame::{Column, FrameData, Values};

/// A column may have empty cells.
const NULLABLE: i64 = 2;

#[repr(C)]
struct Schema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut Schema,
    dictionary: *mut Schema,
    release: Option<unsafe extern "C" fn(*mut Schema)>,
    private_data: *mut c_void,
}

#[repr(C)]
struct Array {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *mut *const c_void,
    children: *mut *mut Array,
    dictionary: *mut Array,
    release: Option<unsafe extern "C" fn(*mut Array)>,
    private_data: *mut c_void,
}

#[repr(C)]
struct Stream {
    get_schema: Option<unsafe extern "C" fn(*mut Stream, *mut Schema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut Stream, *mut Array) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut Stream) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut Stream)>,
    private_data: *mut c_void,
}

/// What a stream has left to give.
struct Left {
    frame: Arc<FrameData>,
    given: bool,
}

/// What a schema points to.
struct SchemaParts {
    _texts: [CString; 2],
    _metadata: Vec<u8>,
    children: Vec<*mut Schema>,
}

/// What an array points to.
struct ArrayParts {
    _frame: Arc<FrameData>,
    _bits: Vec<u8>,
    _buffers: Vec<*const c_void>,
    children: Vec<*mut Array>,
}

// SAFETY: what a stream points to is an `Arc` of immutable columns and a flag; it is used by one thread at a time, as
// the interface says.
unsafe impl Send for Stream {}

impl Drop for Stream {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: nobody has taken the stream out of its capsule; who does sets `release` to null.
            unsafe { release(self) }
        }
    }
}

/// A stream over a frame, in a capsule.
pub(crate) fn stream<'py>(
    py: Python<'py>,
    frame: &Arc<FrameData>,
) -> PyResult<Bound<'py, PyCapsule>> {
    let frame = Arc::clone(frame);
    let stream = Stream {
        get_schema: Some(get_schema),
        get_next: Some(get_next),
        get_last_error: Some(get_last_error),
        release: Some(release_stream),
        private_data: Box::into_raw(Box::new(Left {
            frame,
            given: false,
        }))
        .cast(),
    };
    PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
}

unsafe extern "C" fn get_schema(stream: *mut Stream, out: *mut Schema) -> c_int {
    // SAFETY: the consumer hands over a stream that was not released, and room for a schema.
    unsafe {
        let left = &*(*stream).private_data.cast::<Left>();
        out.write(schema_of(&left.frame));
    }
    0
}

unsafe extern "C" fn get_next(stream: *mut Stream, out: *mut Array) -> c_int {
    // SAFETY: as for `get_schema`.
    unsafe {
        let left = &mut *(*stream).private_data.cast::<Left>();
        match std::mem::replace(&mut left.given, true) {
            // An array without `release` says that there are no more.
            true => (*out).release = None,
            false => out.write(batch(&left.frame)),
        }
    }
    0
}

unsafe extern "C" fn get_last_error(_: *mut Stream) -> *const c_char {
    null()
}

unsafe extern "C" fn release_stream(stream: *mut Stream) {
    // SAFETY: called once, for the stream made above, whose data is a box.
    unsafe {
        drop(Box::from_raw((*stream).private_data.cast::<Left>()));
        (*stream).release = None;
    }
}

unsafe extern "C" fn release_schema(schema: *mut Schema) {
    // SAFETY: called once for each schema made by `schema`, whose data is a box; a consumer may have moved children
    // out, which then have no `release`, but their own memory stays ours.
    unsafe {
        let parts = Box::from_raw((*schema).private_data.cast::<SchemaParts>());
        for child in parts.children {
            if let Some(release) = (*child).release {
                release(child);
            }
            drop(Box::from_raw(child));
        }
        (*schema).release = None;
    }
}

unsafe extern "C" fn release_array(array: *mut Array) {
    // SAFETY: as for `release_schema`.
    unsafe {
        let parts = Box::from_raw((*array).private_data.cast::<ArrayParts>());
        for child in parts.children {
            if let Some(release) = (*child).release {
                release(child);
            }
            drop(Box::from_raw(child));
        }
        (*array).release = None;
    }
}

fn schema_of(frame: &FrameData) -> Schema {
    let fields = frame.columns.iter().map(|column| {
        let metadata = [
            ("unit", column.about.unit.clone()),
            ("about", column.about.about.clone()),
            ("kind", column.about.kind.clone()),
        ];
        let said = metadata.into_iter().filter(|(_, value)| !value.is_empty());
        let flags = match column.values {
            Values::Gaps(_) => NULLABLE,
            _ => 0,
        };
        schema(
            format(column),
            &column.about.name,
            said.collect(),
            flags,
            Vec::new(),
        )
    });
    let columns = frame.columns.iter().map(|column| json!(column.about));
    let about = json!({
        "program": format!("situ {}", env!("CARGO_PKG_VERSION")),
        "table": frame.source,
        "columns": columns.collect::<Vec<_>>(),
    });
    let fields = fields.collect();
    schema("+s", "", vec![("situ", about.to_string())], 0, fields)
}

fn format(column: &Column) -> &'static str {
    match column.values {
        Values::Reals(_) | Values::Gaps(_) => "g",
        Values::Truths(_) => "b",
        Values::Integers(_) => "l",
        Values::Texts(..) => "u",
    }
}

fn schema(
    format: &str,
    name: &str,
    said: Vec<(&str, String)>,
    flags: i64,
    children: Vec<Schema>,
) -> Schema {
    // A name with a null byte cannot be said in C.
    let texts = [format, name].map(|text| CString::new(text.replace('\0', "")).unwrap_or_default());
    let mut metadata = Vec::new();
    let count = |number: usize| i32::try_from(number).unwrap_or(i32::MAX).to_ne_bytes();
    metadata.extend(count(said.len()));
    for (key, value) in &said {
        for text in [key, value.as_str()] {
            metadata.extend(count(text.len()));
            metadata.extend_from_slice(text.as_bytes());
        }
    }
    let children = children
        .into_iter()
        .map(|child| Box::into_raw(Box::new(child)));
    let mut parts = Box::new(SchemaParts {
        _texts: texts,
        _metadata: metadata,
        children: children.collect(),
    });
    Schema {
        format: parts._texts[0].as_ptr(),
        name: parts._texts[1].as_ptr(),
        metadata: parts._metadata.as_ptr().cast(),
        flags,
        n_children: parts.children.len() as i64,
        children: parts.children.as_mut_ptr(),
        dictionary: null_mut(),
        release: Some(release_schema),
        private_data: Box::into_raw(parts).cast(),
    }
}

/// The whole frame.
fn batch(frame: &Arc<FrameData>) -> Array {
    let bits = frame.bits.get_or_init(|| {
        let columns = frame.columns.iter();
        let bits = columns.map(|column| match &column.values {
            Values::Truths(values) => packed(values.iter().copied()),
            _ => Vec::new(),
        });
        bits.collect()
    });
    let columns = frame.columns.iter().zip(bits).map(|(column, bits)| {
        let (mut missing, mut there) = (0, Vec::new());
        let buffers: Vec<*const c_void> = match &column.values {
            Values::Reals(values) => vec![null(), values.as_ptr().cast()],
            Values::Gaps(values) => {
                missing = values.iter().filter(|value| value.is_nan()).count();
                there = packed(values.iter().map(|value| !value.is_nan()));
                vec![there.as_ptr().cast(), values.as_ptr().cast()]
            }
            Values::Truths(_) => vec![null(), bits.as_ptr().cast()],
            Values::Integers(values) => vec![null(), values.as_ptr().cast()],
            Values::Texts(ends, bytes) => {
                vec![null(), ends.as_ptr().cast(), bytes.as_ptr().cast()]
            }
        };
        Array {
            null_count: missing as i64,
            ..array(frame.rows, buffers, Vec::new(), frame, there)
        }
    });
    array(
        frame.rows,
        vec![null()],
        columns.collect(),
        frame,
        Vec::new(),
    )
}

fn packed(values: impl ExactSizeIterator<Item = bool>) -> Vec<u8> {
    let mut bits = vec![0; values.len().div_ceil(8)];
    for (place, value) in values.enumerate() {
        bits[place / 8] |= u8::from(value) << (place % 8);
    }
    bits
}

fn array(
    rows: usize,
    buffers: Vec<*const c_void>,
    children: Vec<Array>,
    frame: &Arc<FrameData>,
    bits: Vec<u8>,
) -> Array {
    let children = children
        .into_iter()
        .map(|child| Box::into_raw(Box::new(child)));
    let mut parts = Box::new(ArrayParts {
        _frame: Arc::clone(frame),
        _bits: bits,
        _buffers: buffers,
        children: children.collect(),
    });
    Array {
        length: rows as i64,
        null_count: 0,
        offset: 0,
        n_buffers: parts._buffers.len() as i64,
        n_children: parts.children.len() as i64,
        buffers: parts._buffers.as_mut_ptr(),
        children: parts.children.as_mut_ptr(),
        dictionary: null_mut(),
        release: Some(release_array),
        private_data: Box::into_raw(parts).cast(),
    }
}
