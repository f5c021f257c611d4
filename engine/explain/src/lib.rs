//! Explanation: a run with its past, and what can be asked of it.
//!
//! `Model -> Segments + History -> Past -> Reason`. [`Segments`] keep runs as keyframes and replay them to the same
//! bits, a [`History`] is a line of them with the place at which one stands, a [`Past`] answers there: why a boolean
//! holds, why not and when it is going to, which rows gave a real its value, how much each row moved it, what changed
//! when. Answers are read off steps that are done again, so they are what happened; no rule is evaluated here.
//!
//! An answer is data: a [`Reason`] is a tree of [`Fact`]s with ids of the model's rows, through which an editor finds
//! the place in the text. The crate `situ-views` writes it as text. Nothing here knows text, terminals or clocks.
//!
//! ```
//! use std::sync::Arc;
//!
//! use situ_engine::model::{Clock, CompareOp, ModelBuilder, Named};
//! use situ_engine::sim::RunConfig;
//! use situ_explain::{Fact, Past, Segments};
//!
//! let mut table = ModelBuilder::new("tank");
//! let level = table.real("level", 3.0);
//! let low = table.range("low", [(level.into(), CompareOp::Less, 1.0.into())]);
//! let empty = table.situation("empty", [low.into()]);
//! table.relation(level, "integral", [-1.0]);
//! let model = Arc::new(table.build()?);
//! let clock = Clock { step: Some(0.25), stop: Some(9.0), ..Clock::default() };
//! let config = RunConfig::from_clock(&clock)?;
//!
//! let mut segments = Segments::default();
//! let mut history = segments.begin(&model, &config, (), "the start values")?;
//! let (place, outcome) = segments.advance(history.place(), 4);
//! outcome?;
//! history.forward_to(place);
//!
//! let Some(Named::Boolean(what)) = model.find("empty") else { panic!("it is declared") };
//! let mut past = Past::new(&mut segments, &history);
//! let reason = past.why_not(what, &mut ())?;
//! assert_eq!(reason.holds, Some(false));
//! let row = &reason.under[0];
//! assert!(matches!(row.fact, Fact::SituationRow { row: 0, .. }));
//! let low = &row.under[0];
//! assert_eq!(low.margin, Some(-1.25));
//!
//! let blame = past.blame("level", &history.at_step(0), &mut ())?;
//! assert_eq!(blame.shares[0].moved, -1.0);
//! # let _ = empty;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod blame;
mod changes;
mod compared;
mod coverage;
mod history;
mod inside;
mod moment;
mod reason;
mod same_row;
mod segments;
mod stepper;
mod trace;
mod why;
mod why_not;
mod why_real;

use std::ops::ControlFlow;

pub use blame::{Blame, Mover, Share};
pub use changes::Change;
pub use compared::{Compared, ComparedReal};
pub use coverage::{Covered, CoveredRow};
pub use history::{At, Cut, History, Piece, SegmentId};
pub use moment::{Asker, Decided, Moment};
pub use reason::{Arising, Fact, Reason, RowRef, Turn};
pub use segments::{EachStep, Segments};
pub use stepper::{Equipment, FailedStep, Stepper};
pub use trace::{Span, Stood};

/// Steps that are walked through between two looks at the progress.
const STRETCH: u64 = 4096;

/// Looks at long work now and then.
pub trait ProgressSink {
    /// So much of all is done (`all` is 0 if that is not known); [`ControlFlow::Break`] stops the work.
    fn poll(&mut self, done: u64, all: u64) -> ControlFlow<()>;
}

/// Lets everything run to its end.
impl ProgressSink for () {
    fn poll(&mut self, _: u64, _: u64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// The work was stopped by its [`ProgressSink`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interrupted;

impl std::fmt::Display for Interrupted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("interrupted")
    }
}

impl std::error::Error for Interrupted {}

/// Goes on unless the sink stops the work.
fn look(progress: &mut dyn ProgressSink, done: u64, all: u64) -> Result<(), Interrupted> {
    match progress.poll(done, all) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(Interrupted),
    }
}

/// The past as it is seen from a place of history: what can be asked there.
#[derive(Debug)]
pub struct Past<'s, T = ()> {
    segments: &'s mut Segments<T>,
    history: History,
}

impl<'s, T> Past<'s, T> {
    /// The past of a history, whose segments these are.
    pub fn new(segments: &'s mut Segments<T>, history: &History) -> Self {
        Self {
            segments,
            history: history.clone(),
        }
    }

    /// The run as it stands.
    fn run(&mut self) -> &mut Stepper {
        let (segment, at) = self.history.place();
        self.segments.at(segment, at)
    }
}
