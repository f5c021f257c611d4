//! The decision diagrams against enumeration: small random tables, every truth assignment of their
//! switches, and a grid of values fine enough to meet every cell that their borders cut out.

use std::collections::BTreeSet;

use proptest::prelude::*;
use situ_engine::ids::{RangeId, RealId, SituationId, SwitchId};
use situ_engine::model::{
    Boolean, CompareOp, Conjunction, Guard, Literal, Model, ModelBuilder, StartValues, Term,
};

use crate::check::budget::Work;
use crate::check::index::Index;
use crate::check::logic::atoms::View;
use crate::check::logic::conditions::{Conditions, Truth};
use crate::check::logic::scope::Scope;
use crate::check::logic::state::Value;
use crate::check::logic::terms::Unknown;
use crate::check::{Budget, check};
use crate::source::Origins;

/// A literal of a random table: which boolean, counted over all there are so far, and its sign.
type Choice = (usize, bool);

/// A random table over the reals `x` and `y`, the constant `c` and the switches `q0` and `q1`.
#[derive(Clone, Debug)]
struct Table {
    /// Operand, operator and threshold of each comparison.
    ranges: Vec<Vec<(usize, usize, usize)>>,
    /// Rows of level situations, the last one an event if `event`.
    situations: Vec<Vec<Vec<Choice>>>,
    event: bool,
    /// Conditions of the rows that write `z`, and of the row that reads it.
    writers: Vec<Vec<Choice>>,
    reader: Vec<Choice>,
}

fn choices(most: usize) -> impl Strategy<Value = Vec<Choice>> {
    prop::collection::vec((0..12_usize, any::<bool>()), 0..=most)
}

fn tables() -> impl Strategy<Value = Table> {
    let comparison = (0..7_usize, 0..4_usize, 0..4_usize);
    let range = prop::collection::vec(comparison, 1..=2);
    let row = prop::collection::vec((0..12_usize, any::<bool>()), 1..=3);
    let situation = prop::collection::vec(row, 1..=2);
    (
        prop::collection::vec(range, 1..=4),
        prop::collection::vec(situation, 0..=3),
        any::<bool>(),
        prop::collection::vec(choices(2), 1..=3),
        choices(1),
    )
        .prop_map(|(ranges, situations, event, writers, reader)| Table {
            ranges,
            situations,
            event,
            writers,
            reader,
        })
}

const X: RealId = RealId(0);
const Y: RealId = RealId(1);
const Z: RealId = RealId(2);

impl Table {
    fn build(&self) -> Model {
        let mut table = ModelBuilder::new("random");
        let (x, y) = (table.real("x", 0.0), table.real("y", 0.0));
        let (z, w) = (table.real("z", 0.0), table.real("w", 0.0));
        let c = table.constant("c", 1.0);
        let switches = [table.switch("q0", false), table.switch("q1", true)];
        let ops = [
            CompareOp::Less,
            CompareOp::LessEqual,
            CompareOp::Greater,
            CompareOp::GreaterEqual,
        ];
        let mut known: Vec<Literal> = switches.map(Literal::from).to_vec();
        for (number, range) in self.ranges.iter().enumerate() {
            let all = range.iter().map(|&(operand, op, threshold)| {
                let (x, y) = (Term::from(x), Term::from(y));
                let left = match operand {
                    0 => x,
                    1 => y,
                    2 => x - y,
                    3 => Term::Number(2.0) * x,
                    4 => -x,
                    5 => Term::Call("abs", vec![x]),
                    _ => Term::Call("abs", vec![y - Term::Number(1.0)]),
                };
                let right = match threshold {
                    3 => Term::from(c),
                    k => Term::Number([0.0, 1.0, 2.0][k]),
                };
                (left, ops[op], right)
            });
            let all: Vec<_> = all.collect();
            known.push(table.range(&format!("r{number}"), all).into());
        }
        for (number, rows) in self.situations.iter().enumerate() {
            let name = format!("s{number}");
            let event = self.event && number + 1 == self.situations.len();
            let mut id = None;
            for row in rows {
                let all = pick(&known, row);
                id = Some(if event {
                    table.event(&name, all)
                } else {
                    table.situation(&name, all)
                });
            }
            known.extend(id.map(Literal::from));
        }
        // Every combination of the switches can be reached.
        for (at, switch) in switches.into_iter().enumerate() {
            let beat = |number: usize| Term::Number((2 * at + number + 1) as f64);
            let (on, off) = (table.every(beat(0)), table.every(beat(1)));
            table.assign([on.into()], [(switch, true)]);
            table.assign([off.into()], [(switch, false)]);
        }
        for (number, writer) in self.writers.iter().enumerate() {
            let value = Term::Number(number as f64);
            let row = table.relation(z, "assignment", [value]);
            if !writer.is_empty() {
                let _ = row.when(pick(&known, writer));
            }
        }
        let _ = table
            .relation(w, "integral", [z])
            .when(pick(&known, &self.reader));
        let _ = table.relation(x, "integral", [Term::Number(1.0)]);
        let _ = table.relation(y, "integral", [Term::Number(1.0)]);
        table.build().unwrap()
    }
}

fn pick(known: &[Literal], choices: &[Choice]) -> Vec<Literal> {
    let literal = |&(which, negated): &Choice| {
        let literal = known[which % known.len()];
        if negated { !literal } else { literal }
    };
    choices.iter().map(literal).collect()
}

/// The truth of everything in one state.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Truths {
    switches: Vec<bool>,
    ranges: Vec<bool>,
    situations: Vec<bool>,
    /// A quantity lies exactly on a border.
    on_border: bool,
}

impl Truths {
    fn of(&self, literal: Literal) -> bool {
        let truth = match literal.what {
            Boolean::Switch(SwitchId(id)) => self.switches[id as usize],
            Boolean::Range(RangeId(id)) => self.ranges[id as usize],
            Boolean::Situation(SituationId(id)) => self.situations[id as usize],
            Boolean::Schedule(_) | Boolean::Start => false,
        };
        truth != literal.negated
    }

    fn hold(&self, all: &[Literal]) -> bool {
        all.iter().all(|literal| self.of(*literal))
    }
}

/// Ranges at a place, and whether it lies on a border.
fn ranges_at(model: &Model, x: f64, y: f64) -> (Vec<bool>, bool) {
    let mut at: StartValues = model.start_values().unwrap();
    at.reals[X.index()] = x;
    at.reals[Y.index()] = y;
    let mut on_border = false;
    let holds = |range: &situ_engine::model::Range| {
        let all = range.all.iter().map(|comparison| {
            let left = model.evaluate(comparison.left, &at);
            let right = model.evaluate(comparison.right, &at);
            on_border |= left == right;
            comparison.op.holds(left, right)
        });
        all.fold(true, |all, one| all & one)
    };
    (model.ranges.iter().map(holds).collect(), on_border)
}

/// The states with these ranges and switches: one, or two if an event may happen.
fn with_situations(model: &Model, switches: &[bool], ranges: (&[bool], bool)) -> Vec<Truths> {
    let mut truths = Truths {
        switches: switches.to_vec(),
        ranges: ranges.0.to_vec(),
        situations: vec![false; model.situations.len()],
        on_border: ranges.1,
    };
    let mut event = None;
    for row in &model.situation_rows {
        let holds = truths.hold(&row.all);
        let at = row.situation.index();
        if model.situations[at].event {
            event = event.or(holds.then_some(at));
        } else {
            truths.situations[at] |= holds;
        }
    }
    let mut states = vec![truths.clone()];
    if let Some(at) = event {
        truths.situations[at] = true;
        states.push(truths);
    }
    states
}

/// Every state of the model, as far as truths go.
fn states(model: &Model) -> Vec<Truths> {
    // Borders lie at halves of x and at whole y and x - y.
    let mut places: BTreeSet<(Vec<bool>, bool)> = BTreeSet::new();
    for x in (-28..=32).map(|quarters| f64::from(quarters) / 4.0) {
        for y in (-48..=48).map(|eighths| f64::from(eighths) / 8.0) {
            places.insert(ranges_at(model, x, y));
        }
    }
    let mut states = Vec::new();
    for (ranges, on_border) in &places {
        for switches in [[false, false], [false, true], [true, false], [true, true]] {
            states.extend(with_situations(model, &switches, (ranges, *on_border)));
        }
    }
    states
}

fn guard(model: &Model, relation: usize) -> &[Literal] {
    match &model.relations[relation].guard {
        Guard::When(all) => all,
        Guard::Always | Guard::Otherwise => &[],
    }
}

fn with_conditions(model: &Model, ask: impl FnOnce(&Conditions<'_>, &mut Work)) {
    let start = model.start_values().unwrap();
    let index = Index::new(model, Some(&start), &[]);
    let mut work = Work::new(Budget::UNLIMITED);
    let conditions = Conditions::new(model, Some(&start), &index, &mut work);
    work.begin();
    ask(&conditions, &mut work);
}

/// That a state which was found satisfies the conjunction, whatever it leaves open.
fn satisfies(model: &Model, state: &crate::check::logic::state::State, all: &[Literal]) {
    let value = |real: RealId| {
        let found = state
            .values
            .iter()
            .find(|(value, _)| *value == Value::Unknown(Unknown::Real(real)));
        found.map(|(_, number)| *number)
    };
    let truth = |what: Boolean| {
        let found = state.booleans.iter().find(|(known, _)| *known == what);
        found.map(|(_, truth)| *truth)
    };
    let open = |value: Option<f64>| value.map_or(vec![0.0, -1.5, 3.5], |value| vec![value]);
    for x in open(value(X)) {
        for y in open(value(Y)) {
            let (ranges, on_border) = ranges_at(model, x, y);
            for combination in 0..4 {
                let switches = [combination & 1 != 0, combination & 2 != 0];
                let stated = |at: usize| truth(Boolean::Switch(SwitchId::new(at)));
                if (0..2).any(|at| stated(at).is_some_and(|truth| truth != switches[at])) {
                    continue;
                }
                let states = with_situations(model, &switches, (&ranges, on_border));
                let is_event = |id: usize| model.situations[id].event;
                let wanted = |truths: &&Truths| {
                    (0..model.situations.len())
                        .filter(|id| is_event(*id))
                        .all(|id| {
                            let what = Boolean::Situation(SituationId::new(id));
                            truths.situations[id] == truth(what).unwrap_or(false)
                        })
                };
                let found = states.iter().find(wanted);
                let found = found.expect("the state explains its event");
                assert!(found.hold(all), "{:?} in {found:?}", state.describe(model));
            }
        }
    }
}

fn negation(literal: Literal) -> Conjunction {
    std::iter::once(!literal).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    /// A condition claimed never to hold holds nowhere on the grid; one claimed possible comes with
    /// a state in which it holds; and every one that holds on the grid is found.
    #[test]
    fn conjunctions(table in tables()) {
        let model = table.build();
        let states = states(&model);
        let coupled = table.ranges.iter().flatten().any(|comparison| comparison.0 == 2);
        with_conditions(&model, |conditions, work| {
            for (number, _) in table.writers.iter().enumerate() {
                let all = guard(&model, number);
                let possible = states.iter().any(|state| state.hold(all));
                let booleans = all.iter().map(|literal| literal.what);
                let mut scope = Scope::new(conditions, View::Loose, booleans.clone(), work).unwrap();
                let f = scope.after(all).unwrap();
                if possible {
                    assert!(scope.is_possible(&f).unwrap());
                }
                if states.iter().any(|state| !state.hold(all)) {
                    assert!(scope.can_fail(&f).unwrap());
                }
                let mut scope = Scope::new(conditions, View::Settled, booleans, work).unwrap();
                let f = scope.after(all).unwrap();
                let state = scope.state(&f).unwrap();
                assert_eq!(state.is_some(), possible, "{all:?}");
                if let Some(state) = state {
                    satisfies(&model, &state, all);
                }
            }
            let named = (0..model.ranges.len()).map(|id| Boolean::Range(RangeId::new(id)));
            let situations = 0..model.situations.len();
            let situations = situations.map(|id| Boolean::Situation(SituationId::new(id)));
            for what in named.chain(situations) {
                let literal = Literal { what, negated: false };
                let (can, fails) = (
                    states.iter().any(|state| state.of(literal)),
                    states.iter().any(|state| state.hold(&negation(literal))),
                );
                match conditions.truth(what) {
                    Truth::Never => assert!(!can, "{what:?}"),
                    Truth::Always => assert!(!fails, "{what:?}"),
                    // That borders of `x - y` depend on those of `x` and `y` is not looked at.
                    Truth::Varies => assert!(coupled || (can && fails), "{what:?}"),
                }
            }
        });
    }

    /// The findings about the rows of one real, without events.
    #[test]
    fn rows(table in tables()) {
        let model = Table { event: false, ..table.clone() }.build();
        let states = states(&model);
        let found = check(&model, &Origins::default(), Budget::UNLIMITED);
        let has = |code: &str| found.iter().any(|finding| finding.code == code && finding.message.contains("`z`"));
        let n = table.writers.len();
        let active = |row: usize, state: &Truths| state.hold(guard(&model, row));

        // Overlaps.
        let mut clash = false;
        let mut clear_clash = false;
        for second in 0..n {
            for first in 0..second {
                let both = |state: &&Truths| active(first, state) && active(second, state);
                let only = |one: usize, other: usize| {
                    states.iter().any(|state| active(one, state) && !active(other, state))
                };
                let effective = |row: usize| {
                    states.iter().any(|state| {
                        active(row, state) && !(row + 1..n).any(|below| active(below, state))
                    })
                };
                let neither = only(first, second) && only(second, first);
                clash |= neither && states.iter().any(|state| both(&state));
                clear_clash |= neither
                    && effective(first)
                    && effective(second)
                    && states.iter().any(|state| both(&state) && !state.on_border);
            }
        }
        prop_assert!(clash || !has("C001"), "{found:#?}");
        prop_assert!(!clear_clash || has("C001"), "{found:#?}");

        // Stale values.
        let written = |state: &Truths| (0..n).any(|row| active(row, state));
        let reader = guard(&model, n);
        let gap = states.iter().any(|state| !written(state) && state.hold(reader));
        let stale = gap && states.iter().any(written);
        prop_assert_eq!(stale, has("C010"), "{:#?}", found);

        // Dead rows.
        for row in 0..n {
            let message = format!("row `{}` never acts", row + 1);
            let dead = found.iter().any(|finding| finding.code == "C020" && finding.message == message);
            prop_assert!(!dead || !states.iter().any(|state| active(row, state)));
            let shadowed = format!("row `{}` never has an effect", row + 1);
            let shadowed = found.iter().any(|finding| finding.message.starts_with(&shadowed));
            let effective = states.iter().any(|state| {
                active(row, state) && !(row + 1..n).any(|below| active(below, state))
            });
            prop_assert!(!shadowed || !effective, "{:#?}", found);
        }
        prop_assert_eq!(Z.index(), 2);
    }
}
