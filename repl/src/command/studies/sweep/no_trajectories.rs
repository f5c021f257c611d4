//! Whole trajectories of a sweep, in a program that has been built without Parquet: there are none.

use std::path::Path;

use situ_engine::model::Model;
use situ_sweep::Done;

use super::identity::Identity;
use crate::command::Failure;

/// No file can be written.
pub(super) enum Trajectories {}

impl Trajectories {
    ///
    /// # Errors
    ///
    /// Always.
    pub(super) fn open(
        _: &Path,
        _: bool,
        _: &Model,
        _: &Identity,
        _: u64,
    ) -> Result<Self, Failure> {
        Err(Failure::without("parquet"))
    }

    pub(super) fn runs(&self) -> u64 {
        match *self {}
    }

    pub(super) fn add(&mut self, _: &[Done]) -> Result<(), Failure> {
        match *self {}
    }

    pub(super) fn finish(self, _: bool) -> Result<bool, Failure> {
        match self {}
    }
}
