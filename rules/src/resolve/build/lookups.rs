//! Lookups: their points are read and interpolated.

use std::sync::Arc;

use situ_engine::model::{Lookup, LookupFile};
use situ_engine::procedure::ProcedureId;
use situ_engine::procedure::lookup::{Interpolation, Kind, Outside, Points};

use super::{Builder, owned};
use crate::lookups::{self, Data};
use crate::resolve::report;

impl Builder<'_, '_> {
    /// The lookups; first of all, since starts may call them.
    pub(super) fn lookups(&mut self, data: &Data) {
        for written in &self.merged.lookups {
            if ProcedureId::named(&written.name.value).is_some() {
                self.report(report::lookup_named_as_procedure(&written.name));
            }
            let mut found = Vec::new();
            let read = match written.is_broken {
                true => self.binder.unread(),
                false => lookups::read(written, self.sources, data, &mut found),
            };
            let is_read = read.is_some();
            self.binder.diagnostics.extend(found);
            let (interpolation, file) = match read {
                Some(read) => (
                    Interpolation::new(read.points, read.kind, read.outside),
                    read.file,
                ),
                None => (unreadable(written.z.is_some()), None),
            };
            let n_units = interpolation.n_args() + 1;
            if is_read && !written.units.is_empty() && written.units.len() != n_units {
                self.report(report::lookup_units(written, n_units));
            }
            let lookup = Lookup {
                name: written.name.value.clone(),
                about: owned(written.about.as_ref().map(|about| &*about.value)),
                interpolation,
                units: written
                    .units
                    .iter()
                    .map(|unit| unit.value.clone())
                    .collect(),
                file: file.map(|(name, sha256)| LookupFile { name, sha256 }),
                origin: self.origin(written.span),
            };
            self.model().lookups.push(lookup);
        }
    }
}

/// Stands for a lookup whose points could not be read: calls of it are not reported as well.
fn unreadable(two_arguments: bool) -> Interpolation {
    let axis: Arc<[f64]> = [0.0, 1.0].into();
    let points = if two_arguments {
        Points::Map {
            x: axis.clone(),
            y: axis,
            z: [0.0; 4].into(),
        }
    } else {
        Points::Curve {
            x: axis.clone(),
            y: axis,
        }
    };
    Interpolation::new(points, Kind::Linear, Outside::Error)
}
