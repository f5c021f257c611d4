//! Model -> what its rows mean in continuous time (FORMALISM 7): which act between events and how,
//! which act at events.
//!
//! Knows nothing of the present state; [`super::mode`] picks the active rows.

use crate::ids::{RealId, RelationId};
use crate::model::{Argument, Guard, Literal, Model};
use crate::procedure::{Body, Memory};

/// The rows of a model in continuous time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flow {
    /// Rows that act between events, in written order. A relation may give two.
    pub(crate) rows: Vec<FlowRow>,
    /// Rows that act at events, in written order.
    pub(crate) events: Vec<EventRow>,
    /// Relations with the procedure hysteresis; each has a latched boolean.
    pub(crate) relays: Vec<RelationId>,
    /// For each real the rows among `rows` that write it, ascending.
    pub(crate) writers: Vec<Vec<usize>>,
}

/// A row between events.
#[derive(Clone, Debug)]
pub(crate) struct FlowRow {
    pub(crate) relation: RelationId,
    pub(crate) target: RealId,
    pub(crate) action: Action,
    pub(crate) guard: FlowGuard,
}

/// When a row is active.
#[derive(Clone, Debug)]
pub(crate) enum FlowGuard {
    /// While all literals hold.
    All(Vec<Literal>),
    /// While none of these rows is active.
    NoneOf(Vec<usize>),
}

/// What a row does between events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Action {
    /// The target is the row's value.
    Value,
    /// The target grows with the row's scaled argument.
    Rate,
    /// The target follows the row's argument.
    Smoothing,
    /// The target grows by 1 per unit of time.
    Clock,
    /// The target is 0.
    Zero,
    /// The target is 0 or 1, as a latched boolean says.
    Relay(usize),
    /// The target is the derivative of the row's scaled argument.
    Derivative,
    /// The target is the row's scaled argument some time ago.
    Delay,
}

impl Action {
    /// Whether it makes the target algebraic.
    pub(crate) fn is_value(self) -> bool {
        !matches!(self, Self::Rate | Self::Smoothing | Self::Clock)
    }
}

/// A row done once at an event.
#[derive(Clone, Debug)]
pub(crate) struct EventRow {
    pub(crate) relation: RelationId,
    /// The condition, which names an event or (a counter's) must arise.
    pub(crate) when: Vec<Literal>,
    /// For a counter: what must arise, and the target grows by 1.
    pub(crate) counts: Option<Literal>,
}

impl Flow {
    /// Sorts the rows of a model.
    pub(crate) fn new(model: &Model) -> Self {
        let mut flow = Self {
            writers: vec![Vec::new(); model.reals.len()],
            ..Self::default()
        };
        let mut otherwise = Vec::new();
        for (index, relation) in model.relations.iter().enumerate() {
            let id = RelationId::new(index);
            let literals = match &relation.guard {
                Guard::Always | Guard::Otherwise => Vec::new(),
                Guard::When(all) => all.to_vec(),
            };
            let fires = |literal: &Literal| !literal.negated && model.is_event(literal.what);
            if literals.iter().any(fires) {
                flow.events.push(EventRow {
                    relation: id,
                    when: literals,
                    counts: None,
                });
                continue;
            }
            let argument = relation.args.iter().find_map(|arg| match arg {
                Argument::Boolean(literal) => Some(*literal),
                Argument::Real(_) => None,
            });
            let with = |extra: Literal| {
                let mut all = literals.clone();
                all.push(extra);
                all
            };
            let mut push = |action, guard: Vec<Literal>| {
                let target = relation.targets[0];
                if relation.guard == Guard::Otherwise {
                    otherwise.push(flow.rows.len());
                }
                flow.writers[target.index()].push(flow.rows.len());
                let guard = FlowGuard::All(guard);
                flow.rows.push(FlowRow {
                    relation: id,
                    target,
                    action,
                    guard,
                });
            };
            match (relation.procedure.get().body, argument) {
                (Body::Value(_), _) => push(Action::Value, literals),
                (Body::Memory(Memory::Integral), _) => push(Action::Rate, literals),
                (Body::Memory(Memory::Smoothing), _) => push(Action::Smoothing, literals),
                (Body::Memory(Memory::Derivative), _) => push(Action::Derivative, literals),
                (Body::Memory(Memory::Delay), _) => push(Action::Delay, literals),
                (Body::Memory(Memory::Hysteresis), _) => {
                    push(Action::Relay(flow.relays.len()), literals);
                    flow.relays.push(id);
                }
                (Body::Memory(Memory::SampleAndHold), Some(when)) if fires(&when) => {
                    let when = with(when);
                    flow.events.push(EventRow {
                        relation: id,
                        when,
                        counts: None,
                    });
                }
                (Body::Memory(Memory::SampleAndHold), Some(when)) => {
                    push(Action::Value, with(when));
                }
                (Body::Memory(Memory::Timer), Some(what)) => {
                    push(Action::Clock, with(what));
                    push(
                        Action::Zero,
                        with(Literal {
                            negated: !what.negated,
                            ..what
                        }),
                    );
                }
                (Body::Memory(Memory::Counter), Some(what)) => {
                    let row = EventRow {
                        relation: id,
                        when: literals,
                        counts: Some(what),
                    };
                    flow.events.push(row);
                }
                (Body::Memory(_), None) => unreachable!("its signature has a boolean argument"),
            }
        }
        for row in otherwise {
            let target = flow.rows[row].target;
            let others = flow.writers[target.index()]
                .iter()
                .copied()
                .filter(|&other| {
                    matches!(
                        &model.relations[flow.rows[other].relation.index()].guard,
                        Guard::When(_)
                    )
                })
                .collect();
            flow.rows[row].guard = FlowGuard::NoneOf(others);
        }
        flow
    }

    /// Which rows are active.
    pub(crate) fn active(&self, holds: impl Fn(Literal) -> bool) -> Vec<bool> {
        let mut active: Vec<bool> = self
            .rows
            .iter()
            .map(|row| match &row.guard {
                FlowGuard::All(all) => all.iter().all(|&literal| holds(literal)),
                FlowGuard::NoneOf(_) => false,
            })
            .collect();
        for index in 0..self.rows.len() {
            if let FlowGuard::NoneOf(others) = &self.rows[index].guard {
                active[index] = !others.iter().any(|&other| active[other]);
            }
        }
        active
    }
}
