//! Pictures and pages of runs.

mod browser;
mod report;
mod scene_files;
mod scenes;
