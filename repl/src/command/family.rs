//! Pictures of families: options that say what of one is drawn, and which times it has no rows for.

use clap::Args;
use situ_views::chart::FamilyView;
use situ_views::columns::family::FamilyRows;
use situ_views::text::number;
use situ_words::say;

use super::{Failure, Streams};

/// What is wanted of a family.
#[derive(Clone, Copy, Debug)]
pub(in crate::command) struct WantedFamily<'a> {
    pub(in crate::command) view: FamilyView,
    pub(in crate::command) name: &'a str,
    /// Times that are asked for, in any order [units of `time`].
    pub(in crate::command) at: &'a [f64],
}

/// A family that is drawn; shared by the commands that draw runs.
#[derive(Debug, Default, Args)]
pub(in crate::command) struct FamilyDrawing {
    /// Draw a family as a map: index over time; of a grid a map at each time of --at
    #[arg(long, value_name = "FAMILY", conflicts_with_all = ["curves", "profile"])]
    map: Option<String>,
    /// Draw the values of a family over its index, at each time of --at
    #[arg(long, value_name = "FAMILY", conflicts_with = "curves")]
    profile: Option<String>,
    /// Times of a profile or of the maps of a grid, e.g. `0,1,5` [default: five times; the end]
    #[arg(long, value_name = "TIMES", value_delimiter = ',', allow_hyphen_values = true, value_parser = time)]
    at: Vec<f64>,
}

fn time(text: &str) -> Result<f64, String> {
    let time = text
        .trim()
        .parse()
        .ok()
        .filter(|time: &f64| time.is_finite());
    time.ok_or_else(|| say!("cli-time.time-needed-like"))
}

impl FamilyDrawing {
    /// The family that is drawn, if one is.
    ///
    /// # Errors
    ///
    /// Times without a family.
    pub(in crate::command) fn wanted(&self) -> Result<Option<WantedFamily<'_>>, Failure> {
        let views = [
            (FamilyView::Map, &self.map),
            (FamilyView::Profile, &self.profile),
        ];
        let mut views = views.into_iter();
        let found = views.find_map(|(view, name)| {
            let (name, at) = (name.as_deref()?, &self.at[..]);
            Some(WantedFamily { view, name, at })
        });
        if found.is_none() && !self.at.is_empty() {
            let wrong = say!("cli-wanted.belongs-profile-map");
            return Err(Failure::Wrong(wrong));
        }
        Ok(found)
    }
}

/// Says that a run did not reach some times.
pub(in crate::command) fn tell_missed(rows: &FamilyRows, streams: &mut Streams) {
    let missed = rows.wanted().len().saturating_sub(rows.times().len());
    if missed > 0 {
        let times = number::counted(missed as u64, "time");
        streams.remark(&say!("cli-tell-missed.lie-outside-run", times));
    }
}
