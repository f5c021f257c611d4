//! Event-accurate runs of a template in lanes: steps of free motion in lanes, all that happens alone.
//!
//! Each run is a [`Hybrid`] of its own. While it moves freely its steps are done in the lanes of its mode,
//! together with those of the other runs that are in the same mode; where the next step may meet something it
//! goes on alone, from the beginning of that step, until it moves freely again. The group that has the most
//! runs does a trial next. So every run does what it would do alone, with the same bits.
//!
//! Where this does not pay, because there is about one step between two instants, or where too few runs
//! are in a mode, runs are done alone from their beginning or from there on.
//!
//! Measures of values, times, durations and counts do not change in such a step; extremes and drifts are searched for
//! in all lanes together (`extremes`). Without lanes are models with delays or ranges marked `noevent`, methods that
//! are implicit or of fixed step, and locations other than `root`. Modes with loops, slides, rests or margins that
//! are not affine are gone through alone, and the run comes back to its lane behind them.

use std::sync::Arc;

use super::steps::{LaneMode, Lanes};
use super::{LaneEnd, LaneWork, Runs};
use crate::backend::lanes::{LANES, lanes_in};
use crate::model::Input;
use crate::sim::hybrid::{Flight, Gone, Hybrid};
use crate::sim::{RunFault, Template};
use crate::solve::lanes::LaneStepper;
use crate::solve::{Progress, Settings, Snapshot};

/// A trial in all lanes takes about as long as so many steps of runs alone.
const LEAST_TOGETHER: u32 = 4;

/// After so many runs were given back it is asked whether lanes pay.
const LEAST_GIVEN_BACK: u64 = 256;

/// Fewest steps in lanes for each time that a run goes to its lane and back.
const LEAST_STEPS: u64 = 2;

/// Most steps that a run does alone where lanes have proved nothing.
const MOST_PATIENCE: u32 = 64;

/// After so many trials it is asked whether to break off.
const POLL_TRIALS: u32 = 256;

/// Most modes that have lanes.
const MOST_GROUPS: usize = 256;

/// A run under way.
struct Run {
    name: usize,
    hybrid: Box<Hybrid>,
    /// Per mode of the run the group of lanes for it, once that was asked.
    groups: Vec<Group>,
    /// Where it is.
    group: usize,
    flight: Flight,
    /// Steps in lanes since it was given away.
    steps: u64,
    /// Steps that it does alone before it is given away.
    patience: u32,
}

/// The lanes for a mode of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Group {
    Unknown,
    None,
    At(usize),
}

/// What became of a run that went on.
enum Went {
    /// It is in a lane.
    IntoLane,
    /// It is over.
    Over(LaneEnd),
    /// It was broken off.
    Broken,
}

/// Runs in lanes.
pub(super) struct Flights<'t> {
    template: &'t Template,
    settings: &'t Settings,
    groups: Vec<(Arc<LaneMode>, Lanes)>,
    runs: Vec<Option<Run>>,
    /// Start values of the next run.
    given: Vec<(Input, f64)>,
    snapshot: Snapshot,
    work: LaneWork,
}

/// Whether runs that begin as one may be done in lanes, where their modes allow it.
pub(in crate::sim) fn flies(first: &Hybrid) -> bool {
    let explicit = LaneStepper::new(&first.config().settings, &[], false).is_some();
    explicit && first.may_be_given()
}

impl<'t> Flights<'t> {
    pub(super) fn new(template: &'t Template, settings: &'t Settings) -> Self {
        let snapshot = Snapshot {
            t: 0.0,
            y: Vec::new(),
            dy: Vec::new(),
            progress: Progress::FRESH,
        };
        Self {
            template,
            settings,
            groups: Vec::new(),
            runs: (0..LANES).map(|_| None).collect(),
            given: Vec::new(),
            snapshot,
            work: LaneWork::default(),
        }
    }

    /// Does runs until there are no more, or it is broken off.
    pub(super) fn run(&mut self, runs: &mut dyn Runs) {
        self.run_all(runs);
        runs.tell(self.work);
    }

    fn run_all(&mut self, runs: &mut dyn Runs) {
        for place in 0..LANES {
            self.go_on(place, 0, runs);
        }
        while !runs.broken() {
            for _ in 0..POLL_TRIALS {
                let count = |group: &usize| self.groups[*group].1.live.count_ones();
                let fullest = (0..self.groups.len()).max_by_key(count);
                let Some(group) = fullest.filter(|group| count(group) > 0) else {
                    return;
                };
                if count(&group) >= LEAST_TOGETHER {
                    self.attempt(group, runs);
                } else if let Some(place) = lanes_in(self.groups[group].1.live).next() {
                    self.give_back(place, u32::MAX, runs);
                }
            }
        }
    }

    /// A trial in the lanes of a group.
    fn attempt(&mut self, group: usize, runs: &mut dyn Runs) {
        let tried = self.groups[group].1.attempt();
        for place in lanes_in(tried.taken) {
            if let Some(run) = &mut self.runs[place] {
                run.steps += 1;
            }
        }
        for place in lanes_in(tried.ends | tried.odd) {
            self.give_back(place, 1, runs);
        }
    }

    /// Takes a run out of its lane; it goes on alone, by so many steps at least.
    fn give_back(&mut self, place: usize, at_least: u32, runs: &mut dyn Runs) {
        let Some(run) = &mut self.runs[place] else {
            return;
        };
        let lanes = &mut self.groups[run.group].1;
        lanes.unload(place, &mut self.snapshot, &mut run.flight);
        self.work.given_back += 1;
        self.work.steps += run.steps;
        if run.steps >= LEAST_STEPS {
            run.patience = 1;
        }
        let taken_back = (run.hybrid).take_back(&self.snapshot, &run.flight, run.steps);
        match taken_back {
            Ok(()) => {
                let at_least = at_least.max(run.patience);
                self.go_on(place, at_least, runs);
            }
            Err(fault) => {
                let end = failed(&run.hybrid, fault);
                self.over(place, end, runs);
                self.go_on(place, 0, runs);
            }
        }
    }

    /// The run at a place goes on alone, by so many steps at least, and then into a lane; where it is over
    /// the next one begins.
    fn go_on(&mut self, place: usize, mut at_least: u32, runs: &mut dyn Runs) {
        loop {
            if self.runs[place].is_some() {
                match self.seek_lane(place, at_least, runs) {
                    Went::IntoLane | Went::Broken => return,
                    Went::Over(end) => self.over(place, end, runs),
                }
            }
            let Some(name) = runs.next(&mut self.given) else {
                return;
            };
            at_least = 0;
            match self.template.run(&self.given) {
                Ok(crate::sim::Run::Events(hybrid)) => {
                    self.runs[place] = Some(Run::new(name, hybrid));
                }
                Ok(crate::sim::Run::Ticks(_)) => runs.done(name, LaneEnd::Spoilt),
                Err(error) => runs.done(name, LaneEnd::Refused(Box::new(error))),
            }
        }
    }

    fn over(&mut self, place: usize, end: LaneEnd, runs: &mut dyn Runs) {
        if let Some(run) = self.runs[place].take() {
            runs.done(run.name, end);
        }
    }

    /// Goes on alone by so many steps at least, until the run can go into a lane.
    fn seek_lane(&mut self, place: usize, at_least: u32, runs: &mut dyn Runs) -> Went {
        let LaneWork { steps, given_back } = self.work;
        let pays = given_back < LEAST_GIVEN_BACK || steps >= LEAST_STEPS * given_back;
        let mut at_least = if pays { at_least } else { u32::MAX };
        while let Some(run) = &mut self.runs[place] {
            let before = run.hybrid.instants();
            match run.hybrid.go_free(at_least, &mut || runs.broken()) {
                Err(fault) => return Went::Over(failed(&run.hybrid, fault)),
                Ok(Gone::Over(ended)) => {
                    return Went::Over(LaneEnd::Over {
                        measured: run.hybrid.measured(),
                        time: run.hybrid.time(),
                        ended,
                    });
                }
                Ok(Gone::Broken) => return Went::Broken,
                Ok(Gone::Free) => {}
            }
            if at_least > 0 {
                let met = run.hybrid.instants() != before;
                run.patience = if met { 1 } else { 2 * run.patience };
                run.patience = run.patience.min(MOST_PATIENCE);
            }
            match self.load(place) {
                Ok(true) => return Went::IntoLane,
                Ok(false) => {}
                Err(fault) => {
                    let run = self.runs[place].as_ref();
                    return run.map_or(Went::Broken, |run| Went::Over(failed(&run.hybrid, fault)));
                }
            }
            if runs.broken() {
                return Went::Broken;
            }
            at_least = self.runs[place].as_ref().map_or(1, |run| run.patience);
        }
        Went::Broken
    }

    /// Puts a run that moves freely into a lane, if there is one for its mode.
    fn load(&mut self, place: usize) -> Result<bool, RunFault> {
        let Some(run) = &mut self.runs[place] else {
            return Ok(false);
        };
        let Some(mode) = run.hybrid.free_in() else {
            return Ok(false);
        };
        if run.groups.len() <= mode {
            run.groups.resize(mode + 1, Group::Unknown);
        }
        if run.groups[mode] == Group::Unknown {
            let group = group_of(&mut self.groups, &run.hybrid, self.settings);
            run.groups[mode] = group.map_or(Group::None, Group::At);
        }
        let Group::At(group) = run.groups[mode] else {
            return Ok(false);
        };
        if !run.hybrid.give(&mut run.flight)? {
            return Ok(false);
        }
        let lanes = &mut self.groups[group].1;
        lanes.load(place, &run.hybrid.own(), run.hybrid.standing(), &run.flight);
        (run.group, run.steps) = (group, 0);
        Ok(true)
    }
}

impl Run {
    fn new(name: usize, hybrid: Box<Hybrid>) -> Self {
        Self {
            name,
            hybrid,
            groups: Vec::new(),
            group: 0,
            flight: Flight::default(),
            steps: 0,
            patience: 1,
        }
    }
}

/// The lanes for the mode of a run, made if there are none.
fn group_of(
    groups: &mut Vec<(Arc<LaneMode>, Lanes)>,
    run: &Hybrid,
    settings: &Settings,
) -> Option<usize> {
    let mode = run.free_mode()?;
    if let Some(known) = groups.iter().position(|(known, _)| known.free == mode) {
        return Some(known);
    }
    if groups.len() == MOST_GROUPS {
        return None;
    }
    let mode = Arc::new(LaneMode::new(mode)?);
    let lanes = Lanes::new(&mode, settings)?;
    groups.push((mode, lanes));
    Some(groups.len() - 1)
}

fn failed(run: &Hybrid, fault: RunFault) -> LaneEnd {
    LaneEnd::Failed {
        measured: run.measured(),
        time: run.time(),
        fault: Box::new(fault),
    }
}
