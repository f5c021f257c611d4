//! Changes: when booleans turned.

use std::ops::ControlFlow;

use crate::{Interrupted, Past, ProgressSink, STRETCH, look};

/// A change of booleans.
#[derive(Clone, PartialEq, Debug)]
pub struct Change {
    /// When [units of `time`].
    pub time: f64,
    /// Those that begin to hold.
    pub begins: Vec<String>,
    /// Those that end.
    pub ends: Vec<String>,
}

impl<T> Past<'_, T> {
    /// The last changes of booleans before the present time, oldest first.
    ///
    /// # Errors
    ///
    /// The sink stops the work.
    pub fn changes(
        &mut self,
        wanted: usize,
        progress: &mut dyn ProgressSink,
    ) -> Result<Vec<Change>, Interrupted> {
        let history = self.history.clone();
        let now = history.steps_before();
        let mut end = now;
        let mut found: Vec<Change> = Vec::new();
        while end > 0 && found.len() < wanted {
            let begin = end.saturating_sub(STRETCH);
            let mut before: Option<Vec<(String, bool)>> = None;
            let mut stretch = Vec::new();
            self.segments
                .walk(&history, begin, end, &mut |_, model, run| {
                    let row = run.row();
                    let truths: Vec<(String, bool)> = model
                        .named_booleans()
                        .map(|(name, what)| (name.to_owned(), row.boolean(model, what)))
                        .collect();
                    if let Some(before) = &before
                        && *before != truths
                    {
                        stretch.push(change(row.time, before, &truths));
                    }
                    before = Some(truths);
                    ControlFlow::Continue(())
                });
            stretch.retain(|change: &Change| !(change.begins.is_empty() && change.ends.is_empty()));
            found.splice(0..0, stretch);
            end = begin;
            look(progress, now - end, now)?;
        }
        let surplus = found.len().saturating_sub(wanted);
        found.drain(..surplus);
        Ok(found)
    }
}

fn change(time: f64, before: &[(String, bool)], now: &[(String, bool)]) -> Change {
    let held =
        |rows: &[(String, bool)], name: &str| rows.iter().any(|(one, held)| one == name && *held);
    let turned = |from: &[(String, bool)], to: &[(String, bool)]| {
        let new = to.iter().filter(|(name, is)| *is && !held(from, name));
        new.map(|(name, _)| name.clone()).collect()
    };
    Change {
        time,
        begins: turned(before, now),
        ends: turned(now, before),
    }
}
