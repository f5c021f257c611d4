//! Model -> what its rows mean in continuous time (FORMALISM 7): which act between events and how,
//! which act at events.
//!
//! Knows nothing of the present state; [`super::mode`] picks the active rows.

use crate::bits::Bits;
use crate::ids::{RealId, RelationId};
use crate::model::{Argument, Boolean, Coefficient, Expr, Guard, Literal, Model, Relation};
use crate::procedure::{Body, Memory};

/// The rows of a model in continuous time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flow {
    /// Rows that act between events, in written order. A relation may give two.
    pub(crate) rows: Vec<FlowRow>,
    /// Rows that act at events, in written order.
    pub(crate) events: Vec<EventRow>,
    /// Relations with the procedure hysteresis; each has a latched value.
    pub(crate) relays: Vec<RelationId>,
    /// Rows among `rows` with the procedure delay; each has a past. A delay of no length is a value.
    pub(crate) delays: Vec<usize>,
    /// For each real the rows among `rows` that write it, ascending.
    pub(crate) writers: Vec<Vec<usize>>,
    /// For each real of which it is the size, whatever writes it: `a = abs(v)`.
    pub(crate) sizes: Vec<Option<RealId>>,
    /// Some of these are held in some modes, where comparisons read what is held.
    pub(crate) views_vary: bool,
    /// What the guards of rows between events name.
    pub(crate) named: Named,
    /// Per range whether a row between events depends on it.
    pub(crate) shaping: Vec<bool>,
    /// True if a row between events depends on a boolean that holds for an instant only.
    pub(crate) heeds_events: bool,
}

/// Some of the booleans, as masks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Named {
    pub(crate) switches: Bits,
    pub(crate) ranges: Bits,
    pub(crate) situations: Bits,
    pub(crate) schedules: Bits,
    pub(crate) start: bool,
}

/// A row between events.
#[derive(Clone, Debug)]
pub(crate) struct FlowRow {
    pub(crate) relation: RelationId,
    /// The first row of those that read before one of them stores: it reads what stands above this one.
    pub(crate) begin: usize,
    pub(crate) target: RealId,
    pub(crate) action: Action,
    pub(crate) guard: FlowGuard,
}

/// When a row is active.
#[derive(Clone, Debug)]
pub(crate) enum FlowGuard {
    /// While all literals hold.
    All(Vec<Literal>),
    /// While none of these conditions of other rows holds.
    NoneOf(Vec<Vec<Literal>>),
    /// Never: the past of a delay that is read at events is kept for these.
    Never,
}

impl FlowGuard {
    /// True if the row is active while these literals hold.
    pub(crate) fn holds(&self, holds: impl Fn(Literal) -> bool) -> bool {
        let all_hold = |all: &Vec<Literal>| all.iter().all(|&literal| holds(literal));
        match self {
            Self::All(all) => all_hold(all),
            Self::NoneOf(others) => !others.iter().any(all_hold),
            Self::Never => false,
        }
    }

    /// The literals that decide about the row.
    pub(crate) fn literals(&self) -> impl Iterator<Item = &Literal> {
        let conditions = match self {
            Self::All(all) => std::slice::from_ref(all),
            Self::NoneOf(others) => others,
            Self::Never => &[],
        };
        conditions.iter().flatten()
    }
}

/// Effect of a row between events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Action {
    /// The target is the row's value.
    Value,
    /// The target is the unknown with this number of the row's equations.
    Solved(u32),
    /// The target grows with the row's scaled argument.
    Rate,
    /// The target follows the row's argument.
    Smoothing,
    /// The target grows by so much per unit of time.
    Steady(u8),
    /// The target is 0.
    Zero,
    /// The target is 0 or 1, as a latched value says.
    Relay(usize),
    /// The target is the derivative of the row's scaled argument.
    Derivative,
    /// The target is the row's scaled argument some time ago.
    Delay(usize),
    /// The target, which others move, rests on a bound of the row while its rate points outward.
    /// It is no slide: the state is on the bound exactly, and a range `y >= b` holds there.
    Saturation,
}

impl Action {
    /// True if it makes the target algebraic.
    pub(crate) fn is_value(self) -> bool {
        !matches!(
            self,
            Self::Rate | Self::Smoothing | Self::Steady(_) | Self::Saturation
        )
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
    /// The delay that it reads, if it does and that has a length.
    pub(crate) delay: Option<usize>,
}

impl Flow {
    /// True if a real is a state in some mode.
    pub(crate) fn is_moved(&self, real: RealId) -> bool {
        let mut rows = self.writers[real.index()].iter();
        rows.any(|&row| !self.rows[row].action.is_value())
    }

    /// Sorts the rows of a model.
    /// Shapes: `constants`: one value per constant of the model.
    pub(crate) fn new(model: &Model, constants: &[f64]) -> Self {
        let mut flow = Self {
            writers: vec![Vec::new(); model.reals.len()],
            ..Self::default()
        };
        let mut otherwise = Vec::new();
        // For each real the conditions of rows that write it and are no resets.
        let mut conditions: Vec<Vec<Vec<Literal>>> = vec![Vec::new(); model.reals.len()];
        let groups = model.group_begins();
        for (index, relation) in model.relations.iter().enumerate() {
            let id = RelationId::new(index);
            let literals = match &relation.guard {
                Guard::Always | Guard::Otherwise => Vec::new(),
                Guard::When(all) => all.to_vec(),
            };
            let fires = |literal: &Literal| !literal.negated && model.is_event(literal.what);
            if literals.iter().any(fires) {
                let delay = flow.past_at_events(model, id, constants);
                flow.events.push(EventRow {
                    relation: id,
                    when: literals,
                    counts: None,
                    delay,
                });
                continue;
            }
            if let Guard::When(all) = &relation.guard {
                for target in &relation.targets {
                    conditions[target.index()].push(all.to_vec());
                }
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
                let target = match action {
                    Action::Solved(number) => relation.targets[number as usize],
                    _ => relation.targets[0],
                };
                if relation.guard == Guard::Otherwise {
                    otherwise.push(flow.rows.len());
                }
                flow.writers[target.index()].push(flow.rows.len());
                let guard = FlowGuard::All(guard);
                let before = flow.rows.last();
                let before =
                    before.filter(|before| groups[before.relation.index()] == groups[index]);
                let begin = before.map_or(flow.rows.len(), |before| before.begin);
                flow.rows.push(FlowRow {
                    relation: id,
                    begin,
                    target,
                    action,
                    guard,
                });
            };
            match (relation.procedure.get().body, argument) {
                (Body::Value(_), _) => push(Action::Value, literals),
                (Body::Solve, _) => {
                    for number in (0..).take(relation.targets.len()) {
                        push(Action::Solved(number), literals.clone());
                    }
                }
                (Body::Memory(Memory::Integral), _) => push(Action::Rate, literals),
                (Body::Memory(Memory::Smoothing), _) => push(Action::Smoothing, literals),
                (Body::Memory(Memory::Derivative), _) => push(Action::Derivative, literals),
                (Body::Memory(Memory::Delay), _) if has_no_length(model, relation, constants) => {
                    push(Action::Value, literals);
                }
                (Body::Memory(Memory::Delay), _) => {
                    push(Action::Delay(flow.delays.len()), literals);
                    flow.delays.push(flow.rows.len() - 1);
                }
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
                        delay: None,
                    });
                }
                (Body::Memory(Memory::SampleAndHold), Some(when)) => {
                    push(Action::Value, with(when));
                }
                (Body::Memory(Memory::Timer), Some(what)) => {
                    push(Action::Steady(1), with(what));
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
                        delay: None,
                    };
                    flow.events.push(row);
                }
                (Body::Memory(_), None) => unreachable!("its signature has a boolean argument"),
            }
        }
        for row in otherwise {
            let target = flow.rows[row].target;
            flow.rows[row].guard = FlowGuard::NoneOf(conditions[target.index()].clone());
        }
        for row in 0..flow.rows.len() {
            let FlowRow {
                relation, target, ..
            } = flow.rows[row];
            let is_value = flow.rows[row].action == Action::Value;
            if is_value && bounds(model, relation).next().is_some() && flow.is_moved(target) {
                flow.rows[row].action = Action::Saturation;
            }
        }
        flow.sizes = sizes(model);
        flow.views_vary = flow.sizes.iter().zip(&flow.writers).any(|(size, rows)| {
            let guarded = |row: &usize| !matches!(&flow.rows[*row].guard, FlowGuard::All(all) if all.is_empty());
            size.is_some() && rows.iter().all(guarded)
        });
        let momentary = |literal: &Literal| model.is_event(literal.what);
        let mut rows = flow.rows.iter();
        let guards = rows.any(|row| row.guard.literals().any(momentary));
        let levels = model.situation_rows.iter().any(|row| {
            !model.situations[row.situation.index()].event && row.all.iter().any(momentary)
        });
        flow.heeds_events = guards || levels;
        flow.named = named(&flow.rows);
        flow.shaping = shaping(model, &flow.rows);
        flow
    }

    /// Keeps the past that a row at events reads, in a row of its own, which is never active. Result: the delay.
    fn past_at_events(
        &mut self,
        model: &Model,
        id: RelationId,
        constants: &[f64],
    ) -> Option<usize> {
        let relation = &model.relations[id.index()];
        let delays = matches!(relation.procedure.get().body, Body::Memory(Memory::Delay));
        if !delays || has_no_length(model, relation, constants) {
            return None;
        }
        let delay = self.delays.len();
        self.delays.push(self.rows.len());
        self.rows.push(FlowRow {
            relation: id,
            begin: self.rows.len(),
            target: relation.targets[0],
            action: Action::Delay(delay),
            guard: FlowGuard::Never,
        });
        Some(delay)
    }

    /// The unknown that a real is for a row, if the row solves for it.
    pub(crate) fn unknown(&self, row: usize, real: RealId) -> Option<usize> {
        let FlowRow {
            relation, action, ..
        } = self.rows[row];
        let Action::Solved(number) = action else {
            return None;
        };
        let first = row - number as usize;
        let mut writers = self.writers[real.index()].iter().copied();
        writers.find(|&writer| writer >= first && self.rows[writer].relation == relation)
    }

    /// The reals that hysteresis rows write, in the order of the relays.
    pub(crate) fn relay_targets(&self, model: &Model) -> impl Iterator<Item = RealId> {
        let relations = self.relays.iter();
        relations.map(|relation| model.relations[relation.index()].targets[0])
    }

    /// Writes into `active`, for each row, whether it is active.
    pub(crate) fn active(&self, holds: impl Fn(Literal) -> bool, active: &mut Vec<bool>) {
        active.clear();
        active.extend(self.rows.iter().map(|row| row.guard.holds(&holds)));
    }
}

/// True if the length of a delay is 0 for good: it reads what stands.
fn has_no_length(model: &Model, relation: &Relation, constants: &[f64]) -> bool {
    let length = relation
        .delay()
        .filter(|&length| model.exprs.is_constant(length));
    length.is_some_and(|length| model.value_at(length, &[], constants, 0.0) == 0.0)
}

/// What the guards of rows name.
fn named(rows: &[FlowRow]) -> Named {
    let mut named = Named::default();
    for literal in rows.iter().flat_map(|row| row.guard.literals()) {
        match literal.what {
            Boolean::Switch(id) => named.switches.include(id.index()),
            Boolean::Range(id) => named.ranges.include(id.index()),
            Boolean::Situation(id) => named.situations.include(id.index()),
            Boolean::Schedule(id) => named.schedules.include(id.index()),
            Boolean::Start => named.start = true,
        }
    }
    named
}

/// Per range whether it decides about one of these rows, be it through situations.
fn shaping(model: &Model, rows: &[FlowRow]) -> Vec<bool> {
    let mut ranges = vec![false; model.ranges.len()];
    let mut situations = vec![false; model.situations.len()];
    let mut note = |literal: &Literal, situations: &mut [bool]| match literal.what {
        Boolean::Range(id) => ranges[id.index()] = true,
        Boolean::Situation(id) => situations[id.index()] = true,
        Boolean::Switch(_) | Boolean::Schedule(_) | Boolean::Start => {}
    };
    for literal in rows.iter().flat_map(|row| row.guard.literals()) {
        note(literal, &mut situations);
    }
    // A situation is named by rows below its own only.
    for row in model.situation_rows.iter().rev() {
        if situations[row.situation.index()] {
            row.all
                .iter()
                .for_each(|literal| note(literal, &mut situations));
        }
    }
    ranges
}

/// True if one of the bounds that a row sets to its own target may move.
pub(crate) fn bounds_move(model: &Model, relation: RelationId) -> bool {
    let args = &model.relations[relation.index()].args;
    bounds(model, relation).any(|(position, _)| match args[position] {
        Argument::Real(bound) => !model.exprs.is_constant(bound),
        Argument::Boolean(_) => false,
    })
}

/// The bounds that a row sets to its own target, `y = clamp(y, low, high)`: position of each among the arguments, and
/// whether it is the upper one.
pub(crate) fn bounds(model: &Model, relation: RelationId) -> impl Iterator<Item = (usize, bool)> {
    let relation = &model.relations[relation.index()];
    let expr = |at: usize| match relation.args[at] {
        Argument::Real(expr) => expr,
        Argument::Boolean(_) => unreachable!("their signatures have real arguments only"),
    };
    let is_target = |at: usize| matches!(model.exprs.get(expr(at)), Expr::Real(id) if id == relation.targets[0]);
    let is_free = |at: usize| {
        let mut reads = false;
        model.exprs.visit(expr(at), |_, node| {
            reads |= matches!(node, Expr::Real(id) if *id == relation.targets[0]);
        });
        !reads
    };
    let limits = match relation.coef {
        Coefficient::Number(1.0) => relation.procedure.get().limits(),
        _ => &[],
    };
    let found = limits
        .iter()
        .find(|(own, bounds)| is_target(*own) && bounds.iter().all(|(at, _)| is_free(*at)));
    found.map_or(&[][..], |(_, bounds)| bounds).iter().copied()
}

/// The reals that are always the size of another.
fn sizes(model: &Model) -> Vec<Option<RealId>> {
    let mut sizes = vec![None; model.reals.len()];
    let mut written = vec![false; model.reals.len()];
    for relation in &model.relations {
        let size = match (&relation.args[..], relation.coef) {
            ([Argument::Real(arg)], Coefficient::Number(coef))
                if coef > 0.0 && relation.procedure.get().name == "abs" =>
            {
                match model.exprs.get(*arg) {
                    Expr::Real(id) => Some(id),
                    _ => None,
                }
            }
            _ => None,
        };
        for target in &relation.targets {
            let index = target.index();
            let first = !std::mem::replace(&mut written[index], true);
            if first {
                sizes[index] = size;
            } else if sizes[index] != size {
                sizes[index] = None;
            }
        }
    }
    sizes
}
