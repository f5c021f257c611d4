//! Model -> the scan of a microstep, a tick of no length (FORMALISM 10.1): every row as a tape of its own, and
//! who reads what, so that an instant goes through those rows only that its crossings reach.

use smallvec::SmallVec;

use super::flow::{Action, Flow, FlowGuard};
use crate::graph::{DisjointSets, components};
use crate::ids::{RealId, RelationId};
use crate::model::{Argument, Boolean, Literal, Model};

/// The rows of a model in written order, with all that depends on a boolean or a real.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scan {
    /// Rows that write reals, in written order.
    pub(crate) rows: Vec<ScanRow>,
    /// Per row of the flow, and per event row, its place among `rows`.
    pub(crate) of_flow: Vec<usize>,
    pub(crate) of_event: Vec<usize>,
    /// Readers by boolean.
    ranges: Vec<Readers>,
    situations: Vec<Readers>,
    switches: Vec<Readers>,
    schedules: Vec<Readers>,
    start: Readers,
    /// Per real the rows between events that read it, ascending: a row at events acts by its booleans alone.
    pub(crate) readers: Vec<SmallVec<[u32; 2]>>,
    /// Per real that an event row writes, too, the rows between events that write its value, ascending: they are done again
    /// once an event row has written it.
    pub(crate) rewriters: Vec<SmallVec<[u32; 1]>>,
    /// Per real the ranges marked `noevent` that read it.
    pub(crate) unbordered: Vec<SmallVec<[u32; 1]>>,
    /// Per situation its rows, ascending.
    pub(crate) rows_of: Vec<SmallVec<[u32; 1]>>,
    /// Assignments that write one switch, which are executed together.
    pub(crate) peers: InTurn,
    /// Rows that write one real, which are done together, and the rows between events that read it between them.
    pub(crate) chains: InTurn,
    /// Per row those with which it may depend on itself: they are solved together.
    pub(crate) loops: Vec<Option<usize>>,
    pub(crate) loop_rows: Vec<Vec<u32>>,
    /// Per row of a situation whether it names what holds for a microstep only, so that it arises whenever it holds.
    pub(crate) instantaneous: Vec<bool>,
    /// Per row the first one of its group, which reads before one of them stores; else the row itself.
    pub(crate) begins: Vec<u32>,
}

/// Rows of a list that write one quantity in turn.
#[derive(Clone, Debug, Default)]
pub(crate) struct InTurn {
    /// Per row its group, if there are others.
    pub(crate) of: Vec<Option<usize>>,
    /// The rows of each group, ascending.
    pub(crate) groups: Vec<Vec<u32>>,
    /// Per row the groups of which it reads a quantity between two that write it: they are gone through with it.
    pub(crate) around: Vec<SmallVec<[usize; 1]>>,
}

/// Who names a boolean.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Readers {
    pub(crate) all: SmallVec<[Reader; 1]>,
    /// True if it decides, directly or through situations, whether a row between events is active.
    pub(crate) shapes: bool,
}

/// Who names a boolean, by its place in its list.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Reader {
    SituationRow(u32),
    Assignment(u32),
    Row(u32),
}

/// A row that writes reals.
#[derive(Clone, Debug)]
pub(crate) struct ScanRow {
    pub(crate) relation: RelationId,
    pub(crate) kind: ScanKind,
    /// The reals that it may write in a microstep.
    pub(crate) writes: SmallVec<[RealId; 1]>,
}

/// Role of a row in continuous time, by its number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ScanKind {
    /// A row between events.
    Level(usize),
    /// A row that acts at events.
    Event(usize),
}

/// Numbers the sets of more than one element; per element its set, and the elements of each, ascending.
fn groups(mut sets: DisjointSets) -> (Vec<Option<usize>>, Vec<Vec<u32>>) {
    let mut of = vec![None; sets.len()];
    let mut all: Vec<Vec<u32>> = Vec::new();
    for group in sets.sets().into_iter().filter(|group| group.len() > 1) {
        for &member in &group {
            of[member] = Some(all.len());
        }
        all.push(group.into_iter().map(index).collect());
    }
    (of, all)
}

fn index(at: usize) -> u32 {
    u32::try_from(at).expect("fewer than 2^32 rows")
}

impl Scan {
    pub(crate) fn new(model: &Model, flow: &Flow) -> Self {
        let mut scan = Self {
            rows: rows(model, flow),
            ranges: vec![Readers::default(); model.ranges.len()],
            situations: vec![Readers::default(); model.situations.len()],
            switches: vec![Readers::default(); model.switches.len()],
            schedules: vec![Readers::default(); model.schedules.len()],
            readers: vec![SmallVec::new(); model.reals.len()],
            rewriters: vec![SmallVec::new(); model.reals.len()],
            unbordered: vec![SmallVec::new(); model.reals.len()],
            rows_of: vec![SmallVec::new(); model.situations.len()],
            of_flow: vec![0; flow.rows.len()],
            of_event: vec![0; flow.events.len()],
            ..Self::default()
        };
        for (at, row) in scan.rows.iter().enumerate() {
            match row.kind {
                ScanKind::Level(row) => scan.of_flow[row] = at,
                ScanKind::Event(row) => scan.of_event[row] = at,
            }
        }
        scan.read_conditions(model, flow);
        scan.read_reals(model);
        scan.begins = scan.find_begins(model);
        scan.find_peers(model);
        scan.find_chains(model);
        scan.find_loops(model, flow);
        scan.find_rewriters(flow);
        let momentary = |literal: &Literal| !literal.negated && model.is_event(literal.what);
        let rows = model.situation_rows.iter();
        scan.instantaneous = rows.map(|row| row.all.iter().any(momentary)).collect();
        scan
    }

    /// Who names a boolean.
    pub(crate) fn of(&self, what: Boolean) -> &Readers {
        match what {
            Boolean::Range(id) => &self.ranges[id.index()],
            Boolean::Situation(id) => &self.situations[id.index()],
            Boolean::Switch(id) => &self.switches[id.index()],
            Boolean::Schedule(id) => &self.schedules[id.index()],
            Boolean::Start => &self.start,
        }
    }

    /// True if another row makes a new value of what a row writes, as `y = 2 * y` below `y = hysteresis(x, 0, 1)`: what stands in
    /// the real is not the value of the row then.
    pub(crate) fn is_made_over(&self, row: usize) -> bool {
        let real = self.rows[row].writes[0];
        let mut readers = self.readers[real.index()].iter();
        readers.any(|&reader| {
            let reader = reader as usize;
            reader != row && self.rows[reader].writes.contains(&real)
        })
    }

    fn of_mut(&mut self, what: Boolean) -> &mut Readers {
        match what {
            Boolean::Range(id) => &mut self.ranges[id.index()],
            Boolean::Situation(id) => &mut self.situations[id.index()],
            Boolean::Switch(id) => &mut self.switches[id.index()],
            Boolean::Schedule(id) => &mut self.schedules[id.index()],
            Boolean::Start => &mut self.start,
        }
    }

    fn read_conditions(&mut self, model: &Model, flow: &Flow) {
        for (at, row) in model.situation_rows.iter().enumerate() {
            self.rows_of[row.situation.index()].push(index(at));
            for literal in &row.all {
                let reader = Reader::SituationRow(index(at));
                self.of_mut(literal.what).all.push(reader);
            }
        }
        for (at, assignment) in model.assignments.iter().enumerate() {
            for literal in &assignment.when {
                let reader = Reader::Assignment(index(at));
                self.of_mut(literal.what).all.push(reader);
            }
        }
        for at in 0..self.rows.len() {
            for literal in literals_of(flow, self.rows[at].kind) {
                let reader = Reader::Row(index(at));
                self.of_mut(literal.what).all.push(reader);
            }
        }
        for (row, flow_row) in flow.rows.iter().enumerate() {
            let kind = ScanKind::Level(row);
            debug_assert_eq!(flow_row.relation, self.rows[self.of_flow[row]].relation);
            for literal in literals_of(flow, kind) {
                self.of_mut(literal.what).shapes = true;
            }
        }
        // A situation is named by rows below its own only.
        for row in model.situation_rows.iter().rev() {
            if self.situations[row.situation.index()].shapes {
                for literal in &row.all {
                    self.of_mut(literal.what).shapes = true;
                }
            }
        }
        let all = self.ranges.iter_mut().chain(&mut self.situations);
        let all = all.chain(&mut self.switches).chain(&mut self.schedules);
        for readers in all.chain([&mut self.start]) {
            readers.all.sort_unstable();
            readers.all.dedup();
        }
    }

    fn read_reals(&mut self, model: &Model) {
        for (at, row) in self.rows.iter().enumerate() {
            if row.writes.is_empty() || matches!(row.kind, ScanKind::Event(_)) {
                continue;
            }
            for arg in args_of(model, &self.rows, at) {
                if let Argument::Real(expr) = arg {
                    model.exprs.each_real(*expr, |real| {
                        let readers = &mut self.readers[real.index()];
                        if readers.last() != Some(&index(at)) {
                            readers.push(index(at));
                        }
                    });
                }
            }
        }
        for (at, range) in model.ranges.iter().enumerate() {
            if range.mark != Some(crate::model::Mark::NoEvent) {
                continue;
            }
            for comparison in &range.all {
                for side in [comparison.left, comparison.right] {
                    model.exprs.each_real(side, |real| {
                        self.unbordered[real.index()].push(index(at));
                    });
                }
            }
        }
    }

    fn find_begins(&self, model: &Model) -> Vec<u32> {
        let groups = model.group_begins();
        let mut begins: Vec<u32> = Vec::with_capacity(self.rows.len());
        for (at, row) in self.rows.iter().enumerate() {
            let group = groups[row.relation.index()];
            let same = at
                .checked_sub(1)
                .filter(|&before| groups[self.rows[before].relation.index()] == group);
            begins.push(same.map_or(index(at), |before| begins[before]));
        }
        begins
    }

    /// Assignments of one switch are executed together, in their order: the last one that holds decides.
    fn find_peers(&mut self, model: &Model) {
        let mut sets = DisjointSets::new(model.assignments.len());
        // Per switch the first and the last that write it.
        let mut ends: Vec<Option<(usize, usize)>> = vec![None; model.switches.len()];
        for (at, assignment) in model.assignments.iter().enumerate() {
            for (switch, _) in &assignment.set {
                let ends = &mut ends[switch.index()];
                let first = ends.map_or(at, |(first, _)| first);
                sets.join(at, first);
                *ends = Some((first, at));
            }
        }
        let (of, groups) = groups(sets);
        let around = model
            .assignments
            .iter()
            .enumerate()
            .map(|(at, assignment)| {
                let read = assignment.when.iter().filter_map(|one| match one.what {
                    Boolean::Switch(id) => ends[id.index()],
                    _ => None,
                });
                let around = read.filter(|&(first, last)| first < at && at < last);
                around.filter_map(|(first, _)| of[first]).collect()
            });
        let around = around.collect();
        self.peers = InTurn { of, groups, around };
    }

    /// Rows between events that write one real in turn are done together, and so are those that read it between them.
    fn find_chains(&mut self, model: &Model) {
        let mut sets = DisjointSets::new(self.rows.len());
        let mut writers: Vec<SmallVec<[usize; 1]>> = vec![SmallVec::new(); model.reals.len()];
        for (at, row) in self.rows.iter().enumerate() {
            if let ScanKind::Level(_) = row.kind {
                for real in &row.writes {
                    writers[real.index()].push(at);
                }
            }
        }
        let ends = |real: usize| match &writers[real][..] {
            &[first, .., last] => Some((first, last)),
            _ => None,
        };
        for (real, writers) in writers.iter().enumerate() {
            let Some((first, last)) = ends(real) else {
                continue;
            };
            let between = self.readers[real].iter().map(|&reader| reader as usize);
            let between = between.filter(|&reader| first < reader && reader < last);
            for at in between.chain(writers.iter().copied()) {
                sets.join(at, first);
            }
        }
        let (of, groups) = groups(sets);
        let around = self.rows.iter().enumerate().map(|(at, row)| {
            let mut read = SmallVec::new();
            if let ScanKind::Event(_) = row.kind {
                let begin = self.begins[at] as usize;
                for arg in args_of(model, &self.rows, at) {
                    if let Argument::Real(expr) = arg {
                        model.exprs.each_real(*expr, |real| {
                            let around = ends(real.index());
                            let around = around.filter(|&(first, last)| first < begin && at < last);
                            read.extend(around.and_then(|(first, _)| of[first]));
                        });
                    }
                }
            }
            read
        });
        let around = around.collect();
        self.chains = InTurn { of, groups, around };
    }
}

impl Scan {
    /// Rows between events whose values depend on each other, whichever of them are active.
    fn find_loops(&mut self, model: &Model, flow: &Flow) {
        let is_value = |at: usize| match self.rows[at].kind {
            ScanKind::Level(row) => {
                matches!(flow.rows[row].action, Action::Value | Action::Solved(_))
            }
            ScanKind::Event(_) => false,
        };
        let writers = self.value_writers(flow);
        let edges = |at: usize| {
            let mut read = Vec::new();
            if is_value(at) {
                let id = self.rows[at].relation;
                // What is solved together depends on itself: a circle.
                if model.relations[id.index()].procedure.solves() {
                    let next = self.rows.get(at + 1);
                    let first = || self.rows.partition_point(|row| row.relation < id);
                    read.push(match next {
                        Some(next) if next.relation == id => at + 1,
                        _ => first(),
                    });
                }
                for arg in args_of(model, &self.rows, at) {
                    if let Argument::Real(expr) = arg {
                        model.exprs.each_real(*expr, |real| {
                            let begin = self.begins[at] as usize;
                            read.extend(read_by(&writers[real.index()], begin));
                        });
                    }
                }
            }
            read.sort_unstable();
            read.dedup();
            read
        };
        (self.loops, self.loop_rows) = (vec![None; self.rows.len()], Vec::new());
        for component in components(self.rows.len(), edges) {
            if component.len() > 1 || edges(component[0]).contains(&component[0]) {
                for &at in &component {
                    self.loops[at] = Some(self.loop_rows.len());
                }
                self.loop_rows
                    .push(component.into_iter().map(index).collect());
            }
        }
    }

    fn find_rewriters(&mut self, flow: &Flow) {
        let values = self.value_writers(flow);
        for row in &self.rows {
            if let ScanKind::Event(_) = row.kind {
                for real in &row.writes {
                    let all = values[real.index()].iter();
                    self.rewriters[real.index()] = all.map(|(at, _)| index(*at)).collect();
                }
            }
        }
    }

    /// Per real the rows between events that write it by value, and whether they are always active.
    fn value_writers(&self, flow: &Flow) -> Vec<Vec<(usize, bool)>> {
        let mut writers = vec![Vec::new(); self.readers.len()];
        for (at, row) in self.rows.iter().enumerate() {
            let ScanKind::Level(level) = row.kind else {
                continue;
            };
            let row = &flow.rows[level];
            if row.action.is_value() && !self.rows[at].writes.is_empty() {
                let always = matches!(&row.guard, FlowGuard::All(all) if all.is_empty());
                writers[row.target.index()].push((at, always));
            }
        }
        writers
    }
}

/// The writers of a real that a row may read: the nearest above that is always active and those between, else all.
fn read_by(writers: &[(usize, bool)], at: usize) -> impl Iterator<Item = usize> + '_ {
    let above = writers.partition_point(|(writer, _)| *writer < at);
    let nearest = writers[..above].iter().rposition(|(_, always)| *always);
    let read = match nearest {
        Some(nearest) => &writers[nearest..above],
        None => writers,
    };
    read.iter().map(|(writer, _)| *writer)
}

/// The rows that write reals: those between events and those at events, as the relations stand.
fn rows(model: &Model, flow: &Flow) -> Vec<ScanRow> {
    let levels = flow.rows.iter().enumerate().map(|(at, row)| {
        let writes: SmallVec<[RealId; 1]> = match row.action {
            _ if matches!(row.guard, FlowGuard::Never) => SmallVec::new(),
            Action::Value
            | Action::Solved(_)
            | Action::Saturation
            | Action::Zero
            | Action::Relay(_)
            | Action::Delay(_) => {
                smallvec::smallvec![row.target]
            }
            // They move by nothing, and a derivative keeps its value.
            Action::Rate | Action::Smoothing | Action::Steady(_) | Action::Derivative => {
                SmallVec::new()
            }
        };
        (row.relation, ScanKind::Level(at), writes)
    });
    let events = flow.events.iter().enumerate().map(|(at, row)| {
        let relation = &model.relations[row.relation.index()];
        (row.relation, ScanKind::Event(at), relation.targets.clone())
    });
    let mut all: Vec<_> = levels.chain(events).collect();
    all.sort_by_key(|(relation, ..)| *relation);
    let row = |(relation, kind, writes)| ScanRow {
        relation,
        kind,
        writes,
    };
    all.into_iter().map(row).collect()
}

/// The literals by which a row acts or not.
fn literals_of(flow: &Flow, kind: ScanKind) -> Vec<Literal> {
    match kind {
        ScanKind::Level(row) => flow.rows[row].guard.literals().copied().collect(),
        ScanKind::Event(row) => {
            let row = &flow.events[row];
            row.when.iter().copied().chain(row.counts).collect()
        }
    }
}

/// What a row of the scan reads. Of a relation that is solved for several reals the first row reads for all: they are
/// done together.
fn args_of<'m>(model: &'m Model, rows: &[ScanRow], at: usize) -> &'m [Argument] {
    let id = rows[at].relation;
    let relation = &model.relations[id.index()];
    let follows = at > 0 && rows[at - 1].relation == id;
    match relation.procedure.solves() && follows {
        true => &[],
        false => &relation.args,
    }
}
