//! Machines and parts: which switches and events of a model are states and transitions, and which of its names belong
//! to a part, for all that speaks in their words.

use super::{Model, Relation, Setting};
use crate::ids::{Origin, RealId, SituationId, SwitchId};

/// How a table was put together. The rows of the model say the same: nothing here is needed to run it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Structure {
    /// Its machines, those of its parts included.
    pub machines: Vec<Machine>,
    /// What the table reads and no row of its own writes.
    pub inputs: Inputs,
    /// Its parts in the order in which they are scanned; those of a part stand before it.
    pub parts: Vec<Part>,
    /// Its counters, over which texts about its runs may go.
    pub counters: Vec<Counter>,
    /// Its families by name, also those without elements; of those of its parts only the elements are known.
    pub families: Vec<Family>,
}

/// What has one name with indices.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Family {
    /// Its name, without indices.
    pub name: String,
    /// Kind of its elements.
    pub kind: FamilyKind,
    /// The first and the last of each index, for each declaration of elements; none if the last lies below the first.
    pub blocks: Vec<Vec<[i64; 2]>>,
}

/// Kind of the elements of a family.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FamilyKind {
    /// Constants.
    Constant,
    /// Reals.
    Real,
    /// Switches.
    Switch,
    /// Ranges.
    Range,
    /// Situations.
    Situation,
    /// Events.
    Event,
}

/// A name that stands for whole numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counter {
    /// Its name.
    pub name: String,
    /// The first of the numbers.
    pub from: i64,
    /// The last of them; none if it lies below the first.
    pub to: i64,
}

/// What a table reads from outside.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Inputs {
    /// Numbers.
    pub reals: Vec<RealId>,
    /// Truth values.
    pub switches: Vec<SwitchId>,
}

/// A table within another one: what belongs to it has names that begin with its own and a point.
#[derive(Clone, PartialEq, Debug)]
pub struct Part {
    /// Its name: `left`, `cell[3]`, `left.valve`.
    pub name: String,
    /// The file of its table, as it is written.
    pub file: String,
    /// Description of the part or of its table, one line.
    pub about: String,
    /// What it reads from outside.
    pub inputs: Inputs,
    /// Place in the source.
    pub origin: Origin,
}

/// A machine.
#[derive(Clone, PartialEq, Debug)]
pub struct Machine {
    /// Its name.
    pub name: String,
    /// Its states, of which one is true at a time.
    pub states: Vec<SwitchId>,
    /// Its transitions, in written order.
    pub transitions: Vec<Transition>,
}

/// A transition of a machine.
#[derive(Clone, PartialEq, Debug)]
pub struct Transition {
    /// Its id.
    pub id: String,
    /// The state that it leaves.
    pub from: SwitchId,
    /// The event as which it fires.
    pub event: SituationId,
    /// Place in the source.
    pub origin: Origin,
}

impl Model {
    /// So many of the relations were written as such; those behind them were made from stages.
    pub fn written_relations(&self) -> usize {
        let first = self.scheme.stages.first();
        first.map_or(self.relations.len(), |stage| stage.row.index())
    }

    /// So many of the relations take part in a run; those behind them are only read off it.
    pub fn first_observed(&self) -> usize {
        let observed = |row: &Relation| {
            let mut targets = row.targets.iter();
            targets.any(|target| self.reals[target.index()].observed)
        };
        let rows = self.relations.iter().rev();
        self.relations.len() - rows.take_while(|row| observed(row)).count()
    }

    /// True if a switch is a state of a machine.
    pub fn is_state(&self, switch: SwitchId) -> bool {
        let mut machines = self.structure.machines.iter();
        machines.any(|machine| machine.states.contains(&switch))
    }

    /// The other states of the machine of which a switch is a state; none for any other switch.
    pub fn other_states(&self, switch: SwitchId) -> impl Iterator<Item = SwitchId> + '_ {
        let machines = self.structure.machines.iter();
        let own = machines.filter(move |machine| machine.states.contains(&switch));
        own.flat_map(|machine| &machine.states)
            .copied()
            .filter(move |&state| state != switch)
    }

    /// Gives a switch its start; the other states of its machine are false if it is true, but for those that the same
    /// settings make true: of two such states no run begins.
    pub(super) fn begin(&mut self, switch: SwitchId, value: bool, settings: &[Setting]) {
        self.switches[switch.index()].start = value;
        let others: Vec<SwitchId> = self.other_states(switch).collect();
        for state in others.into_iter().filter(|_| value) {
            let both = settings.contains(&Setting::Switch(state, true));
            self.switches[state.index()].start &= both;
        }
    }

    /// The part to which a name or the id of a row belongs, the innermost one.
    ///
    /// ```
    /// # use situ_engine::model::{Inputs, Model, Part, Structure};
    /// # use situ_engine::ids::Origin;
    /// # let part = |name: &str| Part { name: name.to_owned(), file: String::new(), about: String::new(),
    /// #     inputs: Inputs::default(), origin: Origin::NONE };
    /// # let parts = vec![part("left.valve"), part("left")];
    /// # let model = Model { structure: Structure { parts, ..Structure::default() }, ..Model::default() };
    /// assert_eq!(model.part_of("left.valve.open").unwrap().name, "left.valve");
    /// assert_eq!(model.part_of("left.level").unwrap().name, "left");
    /// assert!(model.part_of("leftover").is_none());
    /// ```
    pub fn part_of(&self, name: &str) -> Option<&Part> {
        let parts = &self.structure.parts;
        let ends = name.match_indices('.').map(|(at, _)| &name[..at]);
        ends.rev()
            .find_map(|prefix| parts.iter().find(|part| part.name == prefix))
    }
}
