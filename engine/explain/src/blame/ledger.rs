//! The ledger of movers: who moved a value by how much, tick by tick or step by step.

use std::collections::BTreeMap;
use std::sync::Arc;

use situ_engine::ids::{RealId, RelationId};
use situ_engine::model::{Model, Share as StageShare};
use situ_engine::procedure::{Body, Effect, Memory};
use situ_engine::sim::{EventRun, TickRun};

use super::exact::Exact;
use super::rows::{added, amount, differences, is_put_back, reads_target};
use crate::history::At;
use crate::reason::RowRef;
use crate::same_row::{SameRow, id as row_id, same_row, says_the_same};
use crate::stepper::Stepper;

/// Who moved a value.
#[derive(Clone, Debug)]
pub enum Mover {
    /// A row.
    Row {
        /// The model in which it stands.
        model: Arc<Model>,
        /// The row.
        relation: RelationId,
    },
    /// Something that was done from outside; what that was, for people.
    Outside(String),
    /// The reaction of the border on which the state rests.
    Reaction,
    /// What keeps the state from drifting off constraints.
    Constraint,
    /// The error of the other sums.
    Remainder,
}

/// What moved a value over an interval.
#[derive(Clone, Debug)]
pub struct Share {
    /// Who did.
    pub mover: Mover,
    /// By how much [unit of the real].
    pub moved: f64,
    /// Steps in which it took part.
    pub steps: u64,
}

/// Who moved a value by how much.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    /// Per mover the sum in two parts that lose nothing, and the steps.
    entries: Vec<(Mover, Exact, u64)>,
    /// Places in `entries` of rows, by the address of their model, which the entries keep, and by number.
    places: BTreeMap<(usize, RelationId), usize>,
    /// What the rows of the last tick that wrote the value have made of it, if one wrote it anew.
    anew: Option<Anew>,
    /// The models of `places`.
    models: Vec<Arc<Model>>,
}

/// What the rows of a tick have made of a value that one of them wrote anew.
#[derive(Debug)]
struct Anew {
    /// The value that was written.
    written: f64,
    /// Rows that added to that: what was after and before each.
    added: Vec<(Mover, f64, f64)>,
    /// The value behind all of them.
    left: f64,
}

/// What the rows of a tick do to a value.
#[derive(Debug, Default)]
struct Writes {
    /// The rows that write it, in order, with the values before and after each.
    rows: Vec<(RelationId, f64, f64)>,
    /// What each stage of reactions that moves it gives by its rate.
    given: Vec<f64>,
    /// The values before and after it was put back onto constraints, if it was.
    projected: Option<(f64, f64)>,
}

impl Anew {
    /// Result: as [`Ledger::anew`], with the row that writes the value anew.
    fn of((model, target): (&Arc<Model>, RealId), writes: &Writes) -> Option<(RelationId, Self)> {
        let mut rows = writes.rows.iter();
        let at = rows.rposition(|(id, ..)| {
            let row = &model.relations[id.index()];
            !reads_target(model, row, target)
        })?;
        let (id, _, written) = writes.rows[at];
        let added = writes.rows[at + 1..].iter();
        let added = added.map(|(id, before, after)| (Mover::row(model, *id), *after, *before));
        let anew = Self {
            written,
            added: added.collect(),
            left: writes.rows.last().map_or(written, |(.., last)| *last),
        };
        Some((id, anew))
    }
}

impl Writes {
    /// Of the next tick of a run.
    fn of(model: &Model, run: &TickRun, target: RealId) -> Self {
        let mut writes = Self::default();
        let observed = run.observe_tick(|row| {
            if model.relations[row.relation.index()]
                .targets
                .contains(&target)
            {
                let (before, after) = (row.before[target.index()], row.after[target.index()]);
                writes.rows.push((row.relation, before, after));
                if let Some(shares) = model.scheme.shares(row.relation) {
                    let constants = run.row().constants;
                    let of = |share: &StageShare| amount(model, row.after, constants, share);
                    writes.given = shares.iter().map(of).collect();
                }
            }
        });
        let mut projected = observed.projected.into_iter();
        let projected = projected.find(|(real, ..)| *real == target);
        writes.projected = projected.map(|(_, before, after)| (before, after));
        writes
    }
}

impl Ledger {
    /// Takes in what the rows of a tick have made of a value, before what is counted begins.
    pub(super) fn recall(&mut self, model: &Arc<Model>, run: &TickRun, target: RealId) {
        let writes = Writes::of(model, run, target);
        self.anew = Anew::of((model, target), &writes).map(|(_, anew)| anew);
    }

    /// The place of a mover; of rows that say the same in several versions of a table there is one, with the id that it has in
    /// the last of them.
    fn place(&mut self, mover: &Mover) -> usize {
        let key = match mover {
            Mover::Row { model, relation } => Some((Arc::as_ptr(model) as usize, *relation)),
            _ => None,
        };
        if let Some(place) = key.and_then(|key| self.places.get(&key)) {
            return *place;
        }
        let version = key.map(|(version, _)| version);
        let taken = (self.places.iter()).filter(|((other, _), _)| Some(*other) == version);
        let taken: Vec<usize> = taken.map(|(_, place)| *place).collect();
        let alike: [SameRow; 2] = [same_row, says_the_same];
        let known = alike.into_iter().find_map(|same| {
            let is_it = |(place, (other, ..)): (usize, &(Mover, Exact, u64))| {
                !taken.contains(&place) && same_mover(other, mover, same)
            };
            self.entries.iter().enumerate().position(is_it)
        });
        let place = known.unwrap_or_else(|| {
            self.entries.push((mover.clone(), Exact::default(), 0));
            self.entries.len() - 1
        });
        if let (Some(key), Mover::Row { model, .. }) = (key, mover) {
            self.entries[place].0 = mover.clone();
            self.places.insert(key, place);
            self.models.push(Arc::clone(model));
        }
        place
    }

    pub(super) fn move_by(&mut self, mover: &Mover, to: f64, from: f64) {
        self.move_by_parts(mover, &[to, -from]);
    }

    fn move_by_parts(&mut self, mover: &Mover, parts: &[f64]) {
        let place = self.place(mover);
        let (_, moved, steps) = &mut self.entries[place];
        parts.iter().for_each(|part| moved.add(*part));
        *steps += 1;
    }

    /// Does the next step of an event-accurate run, to its end or to a time inside it; the value after
    /// it.
    ///
    /// Contributions of integrals are taken by Gauss quadrature over the step, along a slide by their shares; what
    /// event rows wrote at its end stands as they did it. The rest goes to a row that writes the value
    /// anew or keeps it within bounds, if there is one.
    pub(super) fn step(
        &mut self,
        (run, model): (&Stepper, &Arc<Model>),
        next: At,
        target: RealId,
        value: f64,
    ) -> f64 {
        let row = |relation: RelationId| Mover::row(model, relation);
        self.anew = None;
        let (t0, mut end) = (run.time(), run.clone());
        // A step that fails is taken as far as it came.
        let _ = match next.cut {
            Some(cut) => end.advance_into(cut).map(|_| ()),
            None => end.advance(1).1,
        };
        let (t1, after) = (end.time(), end.row().real(target));
        let (integrals, others): (Vec<RelationId>, Vec<RelationId>) =
            model.writers(target).partition(|id| {
                let body = &model.relations[id.index()].procedure.get().body;
                matches!(body, Body::Memory(Memory::Integral))
            });
        // Kept in parts, so that what a value gains and loses again leaves nothing.
        let mut left = vec![after, -value];
        let mut moved = vec![(0.0, false); integrals.len()];
        let mut sums = integrals.iter();
        let shared = sums
            .find_map(|id| model.scheme.shares(*id))
            .unwrap_or_default();
        let mut stages = vec![0.0; shared.len()];
        let mut along = run.clone();
        for (node, weight) in GAUSS {
            let within = along.advance_to(t0 + (t1 - t0) * node).is_ok();
            let Some(events) = along.events().filter(|_| within) else {
                break;
            };
            events.standing_rows(|rule| {
                let of = integrals.iter().position(|id| *id == rule.relation);
                if let Some(of) = of {
                    let rate = events.integral_rate(rule.relation, rule.before);
                    let (sum, takes_part) = &mut moved[of];
                    *sum += weight * (t1 - t0) * events.share(rule.relation) * rate;
                    *takes_part = true;
                }
            });
            for (share, moved) in shared.iter().zip(&mut stages) {
                *moved += weight
                    * (t1 - t0)
                    * amount(model, along.row().reals, along.row().constants, share);
            }
        }
        for ((moved, takes_part), id) in moved.into_iter().zip(&integrals) {
            if takes_part {
                match model.scheme.shares(*id) {
                    Some(shares) => {
                        for (share, moved) in shares.iter().zip(&stages) {
                            let stage = model.scheme.stages[share.stage].row;
                            if *moved != 0.0 {
                                self.move_by(&row(stage), *moved, 0.0);
                                left.push(-moved);
                            }
                        }
                    }
                    None => {
                        self.move_by(&row(*id), moved, 0.0);
                        left.push(-moved);
                    }
                }
            }
        }
        let events = end.events();
        let deeds = events.into_iter().flat_map(|run| run.step_effects());
        for deed in deeds.filter(|deed| deed.real == target) {
            self.move_by(&row(deed.relation), deed.after, deed.before);
            left.extend([deed.before, -deed.after]);
        }
        let (begun, ended) = (added(run, target), added(&end, target));
        for (id, more, less) in differences(&begun, &ended) {
            self.move_by(&row(id), more, less);
            left.extend([less, -more]);
        }
        let sum = left.iter().copied().collect::<Exact>();
        if sum.value() != 0.0 {
            let takes_part =
                |run: &Stepper, id: RelationId| run.events().is_some_and(|run| run.share(id) > 0.0);
            let is_anew =
                |id: &RelationId| !reads_target(model, &model.relations[id.index()], target);
            // A row with a memory of its own owns what it has made of the value.
            let is_kept = |id: &RelationId| {
                let procedure = model.relations[id.index()].procedure.get();
                procedure.effect() == Effect::Updates
            };
            let last = |run: &Stepper, is: &dyn Fn(&RelationId) -> bool| {
                let mut standing = others.iter().filter(|id| takes_part(run, **id));
                standing.rfind(|id| is(id)).copied()
            };
            let found = [&is_anew as &dyn Fn(&RelationId) -> bool, &is_kept]
                .into_iter()
                .find_map(|is| last(&end, is).or_else(|| last(run, is)));
            // What others would have moved beyond a bound.
            let limits = |run: &Stepper| {
                let holds =
                    |id: &RelationId| run.events().is_some_and(|run| run.holds_on_bound(*id));
                others.iter().copied().rfind(holds)
            };
            let found = found.or_else(|| limits(&end)).or_else(|| limits(run));
            let mover = match found {
                Some(id) => row(id),
                None if events.is_some_and(EventRun::rests) => Mover::Reaction,
                None if is_put_back(run, target) => Mover::Constraint,
                None => Mover::Remainder,
            };
            self.move_by_parts(&mover, &left);
        }
        after
    }

    /// Does the next tick of a run; the value after it.
    pub(super) fn tick(
        &mut self,
        model: &Arc<Model>,
        run: &TickRun,
        target: RealId,
        value: f64,
    ) -> f64 {
        let writes = Writes::of(model, run, target);
        let written = self.rows((model, target), &writes, value);
        match writes.projected {
            Some((before, after)) => {
                self.move_by(&Mover::Constraint, after, before);
                after
            }
            None => written,
        }
    }

    /// What rows write in a tick; the value behind them.
    fn rows(&mut self, (model, target): (&Arc<Model>, RealId), writes: &Writes, value: f64) -> f64 {
        let Some((.., last)) = writes.rows.last().copied() else {
            return value;
        };
        let before = self.anew.take();
        let Some((id, anew)) = Anew::of((model, target), writes) else {
            for (id, before, after) in &writes.rows {
                match model.scheme.shares(*id) {
                    Some(shares) => {
                        let total: f64 = writes.given.iter().sum();
                        for (share, part) in shares.iter().zip(&writes.given) {
                            // What all of them moved, by what each of them gives in the tick.
                            let moved = (after - before) * part / total;
                            if *part != 0.0 && total != 0.0 {
                                let stage = model.scheme.stages[share.stage].row;
                                self.move_by(&Mover::row(model, stage), moved, 0.0);
                            }
                        }
                    }
                    None => self.move_by(&Mover::row(model, *id), *after, *before),
                }
            }
            return last;
        };
        let before = before.unwrap_or(Anew {
            written: value,
            added: Vec::new(),
            left: value,
        });
        // What has changed the value since from outside ends with it.
        let parts = [anew.written, -before.written, before.left, -value];
        self.move_by_parts(&Mover::row(model, id), &parts);
        let mut acting = Vec::new();
        for (mover, after, before) in &anew.added {
            self.move_by(mover, *after, *before);
            acting.push(self.place(mover));
        }
        // What rows added in the tick before is taken back.
        for (mover, after, before) in before.added {
            let place = self.place(&mover);
            let (_, moved, steps) = &mut self.entries[place];
            moved.add(before);
            moved.add(-after);
            *steps += u64::from(!acting.contains(&place));
        }
        self.anew = Some(anew);
        last
    }

    pub(super) fn shares(self) -> Vec<Share> {
        let entries = self.entries.into_iter();
        let mut shares: Vec<Share> = entries
            .map(|(mover, moved, steps)| Share {
                mover,
                moved: moved.value(),
                steps,
            })
            .collect();
        shares.sort_by(|a, b| {
            let by_size = b.moved.abs().total_cmp(&a.moved.abs());
            by_size.then_with(|| a.mover.id().cmp(&b.mover.id()))
        });
        shares
    }
}

impl Mover {
    /// A row of a model.
    pub(super) fn row(model: &Arc<Model>, relation: RelationId) -> Self {
        let model = Arc::clone(model);
        Self::Row { model, relation }
    }

    /// The id of the row, if it is one.
    fn id(&self) -> Option<&str> {
        match self {
            Self::Row { model, relation } => Some(row_id(model, RowRef::Relation(*relation))),
            Self::Outside(_) | Self::Reaction | Self::Constraint | Self::Remainder => None,
        }
    }
}

fn same_mover(a: &Mover, b: &Mover, same_row: SameRow) -> bool {
    match (a, b) {
        (
            Mover::Row { model, relation },
            Mover::Row {
                model: other,
                relation: id,
            },
        ) => {
            let (a, b) = (RowRef::Relation(*relation), RowRef::Relation(*id));
            same_row((model, a), (other, b))
        }
        (Mover::Outside(cause), Mover::Outside(other)) => cause == other,
        (Mover::Reaction, Mover::Reaction)
        | (Mover::Constraint, Mover::Constraint)
        | (Mover::Remainder, Mover::Remainder) => true,
        _ => false,
    }
}

/// Nodes and weights of Gauss quadrature with seven nodes on the interval from 0 to 1; exact for
/// polynomials up to the thirteenth degree, which no step exceeds.
const GAUSS: [(f64, f64); 7] = [
    (0.025_446_043_828_620_74, 0.064_742_483_084_434_85),
    (0.129_234_407_200_302_8, 0.139_852_695_744_638_32),
    (0.297_077_424_311_301_4, 0.190_915_025_252_559_46),
    (0.5, 0.208_979_591_836_734_7),
    (0.702_922_575_688_698_6, 0.190_915_025_252_559_46),
    (0.870_765_592_799_697_2, 0.139_852_695_744_638_32),
    (0.974_553_956_171_379_3, 0.064_742_483_084_434_85),
];
