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
        loop {
            let begin = end.saturating_sub(STRETCH);
            let mut before: Option<Vec<Standing>> = None;
            let mut stretch = Vec::new();
            self.segments
                .walk(&history, begin, end, &mut |_, model, run| {
                    let row = run.row();
                    let booleans = model.named_booleans();
                    let now: Vec<Standing> = booleans
                        .filter(|(_, what)| row.boolean(model, *what))
                        .map(|(name, what)| Standing {
                            name: name.to_owned(),
                            is_event: model.is_event(what),
                        })
                        .collect();
                    match &before {
                        Some(before) => {
                            let in_ticks = run.ticks().is_some();
                            stretch.push(change(row.time, (before, &now), in_ticks));
                        }
                        // Events of the instant at the start of an event-accurate run.
                        None if begin == 0 && run.events().is_some() => {
                            let fired = now.iter().filter(|one| one.is_event);
                            stretch.push(Change {
                                time: row.time,
                                begins: fired.map(|one| one.name.clone()).collect(),
                                ends: Vec::new(),
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
#[derive(PartialEq)]
struct Standing {
    name: String,
    is_event: bool,
}

/// What begins and ends from one step to the next; an event that fires in both begins anew. One of an event-accurate run
/// has no length: it does not end where the next step does.
fn change(time: f64, (before, now): (&[Standing], &[Standing]), in_ticks: bool) -> Change {
    let names = |of: &[Standing], is_new: &dyn Fn(&Standing) -> bool| {
        let new = of.iter().filter(|one| is_new(one));
        new.map(|one| one.name.clone()).collect()
    };
    Change {
        time,
        begins: names(now, &|one| one.is_event || !before.contains(one)),
        ends: names(before, &|one| {
            (in_ticks || !one.is_event) && !now.contains(one)
        }),
    }
}
