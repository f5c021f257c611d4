//! Changes: when booleans turned.

use std::ops::ControlFlow;

use indexmap::IndexSet;
use situ_engine::ids::RangeId;
use situ_engine::model::{Boolean, Model};
use situ_engine::trace::Row;

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
    /// The ranges that turn, if only for a part of an instant, by their names; comparisons inside of conditions are among
    /// them.
    pub turned: Vec<String>,
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
        loop {
            let begin = end.saturating_sub(STRETCH);
            let mut before: Option<IndexSet<Standing>> = None;
            let mut stretch = Vec::new();
            // An instant behind which the run was changed ends the stretch before.
            let there = history.at_step(begin);
            let mut skips = begin > 0 && self.segments.forgotten_instant(&there).is_some();
            self.segments
                .walk_with_instants(&history, begin, end, &mut |_, model, run| {
                    if std::mem::take(&mut skips) {
                        return ControlFlow::Continue(());
                    }
                    let now = standing(model, &run.row());
                    let mut turned: Vec<String> = Vec::new();
                    let before_it = before.as_ref().unwrap_or(&now);
                    let microsteps = run.microsteps().map(|row| standing(model, &row));
                    let differs = |then: &IndexSet<Standing>| then != before_it;
                    for then in microsteps.chain([now.clone()]).filter(differs) {
                        let ranges = before_it
                            .symmetric_difference(&then)
                            .filter(|one| one.is_range);
                        turned.extend(ranges.map(|one| one.name.clone()));
                    }
                    turned.sort_unstable();
                    turned.dedup();
                    match &before {
                        Some(before) => {
                            let in_ticks = run.ticks().is_some();
                            let change = change(run.time(), [before, &now], in_ticks);
                            stretch.push(Change { turned, ..change });
                        }
                        // Events of the instant at the start of an event-accurate run.
                        None if begin == 0 && run.events().is_some() => {
                            let fired = now.iter().filter(|one| one.is_event);
                            stretch.push(Change {
                                time: run.time(),
                                begins: fired.map(|one| one.name.clone()).collect(),
                                ends: Vec::new(),
                                turned,
                            });
                        }
                        None => {}
                    }
                    before = Some(now);
                    ControlFlow::Continue(())
                });
            stretch.retain(|change: &Change| !(change.begins.is_empty() && change.ends.is_empty()));
            found.splice(0..0, stretch);
            end = begin;
            look(progress, now - end, now)?;
            if end == 0 || found.len() >= wanted {
                break;
            }
        }
        let surplus = found.len().saturating_sub(wanted);
        found.drain(..surplus);
        Ok(found)
    }
}

/// A boolean that holds, or an event that fired.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Standing {
    name: String,
    is_event: bool,
    is_range: bool,
    /// A comparison inside of a condition.
    anonymous: bool,
}

/// The booleans that hold in a row.
fn standing(model: &Model, row: &Row<'_>) -> IndexSet<Standing> {
    let named = model
        .named_booleans()
        .map(|(name, what)| (name, what, false));
    let ranges = model.ranges.iter().enumerate();
    let inside = ranges.filter(|(_, range)| range.anonymous);
    let inside =
        inside.map(|(index, range)| (&*range.name, Boolean::Range(RangeId::new(index)), true));
    let held = named
        .chain(inside)
        .filter(|(_, what, _)| row.boolean(model, *what));
    held.map(|(name, what, anonymous)| Standing {
        name: name.to_owned(),
        is_event: model.is_event(what),
        is_range: matches!(what, Boolean::Range(_)),
        anonymous,
    })
    .collect()
}

/// What begins and ends from one step to the next; an event that fires in both begins anew. One of an event-accurate run
/// has no length: it does not end where the next step does.
fn change(time: f64, [before, now]: [&IndexSet<Standing>; 2], in_ticks: bool) -> Change {
    let names = |of: &IndexSet<Standing>, is_new: &dyn Fn(&Standing) -> bool| {
        let new = of.iter().filter(|one| !one.anonymous && is_new(one));
        new.map(|one| one.name.clone()).collect()
    };
    Change {
        time,
        begins: names(now, &|one| one.is_event || !before.contains(one)),
        ends: names(before, &|one| {
            (in_ticks || !one.is_event) && !now.contains(one)
        }),
        turned: Vec::new(),
    }
}
