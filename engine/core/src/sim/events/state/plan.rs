//! The plan of a run: what a model means between and at events, the same from its first step to its last.

use std::sync::Arc;

use crate::ids::RealId;
use crate::lower::coupling::Coupling;
use crate::lower::domains::{LimitedRanges, limit_ranges};
use crate::lower::flow::Flow;
use crate::lower::mode::{Gates, Source};
use crate::lower::scan::Scan;
use crate::lower::subsystems::Subsystems;
use crate::model::{Comparison, Guard, Mark, Model};
use crate::sim::EventConfig;
use crate::sim::events::observe::monitors::Monitors;

/// Read-only context of all parts of a run.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) model: Arc<Model>,
    pub(crate) config: EventConfig,
    pub(crate) flow: Flow,
    /// Conditional rows of which data say whether they act, and not the mode.
    pub(crate) gates: Arc<Gates>,
    pub(crate) scan: Scan,
    pub(crate) coupling: Coupling,
    /// The parts of the model that know nothing of each other.
    pub(crate) subsystems: Subsystems,
    pub(crate) constants: Vec<f64>,
    /// Ranges whose comparisons do not have values everywhere.
    pub(crate) limited: LimitedRanges,
    /// Comparisons of the conditions that are only watched.
    pub(crate) watched: Vec<Comparison>,
    /// Those that do not have values everywhere, each with the ones that say where.
    pub(crate) watched_limits: Vec<(usize, std::ops::Range<usize>)>,
    /// Ranges that are read by value.
    pub(crate) unbordered: Vec<usize>,
    /// True if there are ranges marked smooth.
    pub(crate) knows_smooth: bool,
}

impl Plan {
    pub(crate) fn new(
        mut model: Arc<Model>,
        config: EventConfig,
        watching: &Monitors,
        constants: Vec<f64>,
    ) -> Self {
        let limited = limit_ranges(&mut model, &constants);
        let flow = Flow::new(&model, &constants);
        Self {
            limited,
            scan: Scan::new(&model, &flow),
            coupling: Coupling::new(&model, &flow),
            subsystems: Subsystems::new(&model),
            gates: Arc::new(Gates::new(&model, &flow, config.gates_from)),
            flow,
            watched: watching.comparisons.clone(),
            watched_limits: watching.limits.clone(),
            unbordered: marked(&model, Mark::NoEvent),
            knows_smooth: !marked(&model, Mark::Smooth).is_empty(),
            constants,
            config,
            model,
        }
    }

    /// What modes are lowered from.
    pub(crate) fn source(&self) -> Source<'_> {
        Source {
            model: &self.model,
            flow: &self.flow,
            gates: &self.gates,
            watched: &self.watched,
            watched_limits: &self.watched_limits,
            constants: &self.constants,
        }
    }

    /// True if a row of the scan acts where no other row of its target does.
    pub(crate) fn is_otherwise(&self, at: usize) -> bool {
        let relation = self.scan.rows[at].relation;
        self.model.relations[relation.index()].guard == Guard::Otherwise
    }

    /// The absolute tolerance of a real (in its unit).
    pub(crate) fn atol_of(&self, real: RealId) -> f64 {
        let nominal = self.model.reals[real.index()].nominal;
        self.config.atol * nominal.unwrap_or(1.0)
    }
}

/// Ranges that have a mark.
fn marked(model: &Model, mark: Mark) -> Vec<usize> {
    let ranges = model.ranges.iter().enumerate();
    ranges
        .filter(|(_, range)| range.mark == Some(mark))
        .map(|(index, _)| index)
        .collect()
}
