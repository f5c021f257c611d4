//! Names of elements: `u[3]`, `c[2,5]`.
//!
//! A model has no families: each element is a quantity or a boolean of its own, and its name says
//! which one it is. What shows families reads them off the names.

use std::fmt::Write as _;

use smallvec::SmallVec;

/// Indices of an element.
pub type Indices = SmallVec<[i64; 2]>;

/// Largest magnitude of an index: numbers up to it are exact.
pub const MAX_INDEX: i64 = 1 << 53;

/// The name of an element.
///
/// ```
/// assert_eq!(situ_engine::model::element_name("c", &[2, -5]), "c[2,-5]");
/// ```
pub fn element_name(base: &str, indices: &[i64]) -> String {
    let mut name = String::with_capacity(base.len() + 2 + 8 * indices.len());
    name.push_str(base);
    for (at, index) in indices.iter().enumerate() {
        let sign = if at == 0 { '[' } else { ',' };
        // Writing to a string does not fail.
        _ = write!(name, "{sign}{index}");
    }
    name.push(']');
    name
}

/// The family and the indices of an element's name; `None` if it is no such name.
///
/// ```
/// let (family, indices) = situ_engine::model::element("c[2,-5]").unwrap();
/// assert_eq!((family, &indices[..]), ("c", &[2, -5][..]));
/// assert_eq!(situ_engine::model::element("u[j]"), None);
/// ```
pub fn element(name: &str) -> Option<(&str, Indices)> {
    let (base, indices) = name.strip_suffix(']')?.rsplit_once('[')?;
    if base.is_empty() {
        return None;
    }
    let read = |text: &str| {
        let digits = text.strip_prefix('-').unwrap_or(text);
        let plain = digits.bytes().all(|byte| byte.is_ascii_digit())
            && !digits.is_empty()
            && (digits == "0" || !digits.starts_with('0'))
            && text != "-0";
        text.parse().ok().filter(|_| plain)
    };
    let indices: Option<Indices> = indices.split(',').map(read).collect();
    Some((base, indices?))
}

/// The value as a whole number, if it is one that can be an index.
pub fn whole(value: f64) -> Option<i64> {
    let limit = MAX_INDEX as f64;
    (value.fract() == 0.0 && value.abs() <= limit).then_some(value as i64)
}
