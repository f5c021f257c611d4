//! Rows that write one real in the same tick.
//!
//! Warning C001: two rows replace the value while both of their conditions hold, and neither
//! condition is a special case of the other, so that nothing but the written order decides.
//! Note C002: two rows act together on purpose, as far as can be seen: the later one is the special
//! case (it overrides), works on what the earlier one wrote, or clamps an integral.

use situ_engine::ids::{RealId, RelationId};
use situ_engine::model::{Guard, Literal, Scan};
use situ_engine::procedure::Effect;
use situ_words::{Phrase, phrase, say};

use crate::check::budget::OverBudget;
use crate::check::logic::atoms::View;
use crate::check::logic::state::State;
use crate::check::{Context, activity, index, redundant};
use crate::diag::{Diagnostic, Severity};

/// A real with more rows than this is not analysed pair by pair.
const MAX_WRITERS: usize = 48;
const QUESTION: Phrase = phrase!("writer-conflicts.question");

/// Relation between two rows that act together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Together {
    /// Nothing to say.
    Fine,
    /// The order is meaning.
    Ordered,
    /// Only the order decides.
    Clash,
}

/// Findings for one real.
#[derive(Default)]
struct Found {
    clash: Option<(RelationId, RelationId, State)>,
    more_clashes: usize,
    /// Rows whose order matters, and a state that shows it.
    ordered: Vec<RelationId>,
    shown: Option<State>,
}

pub(in crate::check) fn check(context: &mut Context<'_>, real: RealId, settled: &[bool]) {
    let writers = context.index.writers.of(real.index());
    if writers.len() < 2 {
        return;
    }
    let writers: Vec<RelationId> = writers
        .iter()
        .copied()
        .filter(|id| !settled[id.index()])
        .collect();
    let only_updates = writers
        .iter()
        .all(|id| context.kind(*id).effect == Effect::Updates);
    if writers.len() < 2 || (only_updates && context.scan == Scan::Sequential) {
        return;
    }
    let model = context.model;
    let name = || model.reals[real.index()].name.clone();
    if writers.len() > MAX_WRITERS {
        context.leave_open(QUESTION, name);
        return;
    }
    let found = context.ask(QUESTION, name, |context| find(context, real, &writers));
    let Some(found) = found else { return };
    if let Some((first, second, state)) = found.clash {
        let more = found.more_clashes;
        context.report("C001", |context| {
            clash(context, real, (first, second), &state, more)
        });
    } else if let Some(state) = found.shown {
        context.report("C002", |context| {
            ordered(context, real, &found.ordered, &state)
        });
    }
}

fn find(
    context: &mut Context<'_>,
    real: RealId,
    writers: &[RelationId],
) -> Result<Found, OverBudget> {
    let kinds: Vec<Kind> = writers
        .iter()
        .map(|id| Kind::of(context, *id, real))
        .collect();
    let mut same = Vec::new();
    for (at, one) in writers.iter().enumerate() {
        for other in &writers[at + 1..] {
            same.push(redundant::same_effect(context, *one, *other));
        }
    }
    let (conditions, scan) = (context.conditions, context.scan);
    let (mut scope, active) = activity::scope(context, View::Settled, writers)?;
    let mut found = Found::default();
    let mut same = same.into_iter();
    for first in 0..writers.len() {
        for second in first + 1..writers.len() {
            if same.next() == Some(true) {
                continue;
            }
            let pair = (&kinds[first], &kinds[second]);
            if together(scan, pair, true, true, true) == Together::Fine {
                continue;
            }
            let both = scope.and(&active[first], &active[second])?;
            if !scope.is_possible(&both)? {
                continue;
            }
            // Neither contains the other if there are states with numbers that show it.
            let special = scope.and_not(&active[second], &active[first])?;
            let special = scope.state(&special)?.is_none();
            let general = scope.and_not(&active[first], &active[second])?;
            let general = scope.state(&general)?.is_none();
            let related = kinds[first].literals.is_empty()
                || kinds[second].literals.is_empty()
                || conditions.related(kinds[first].literals, kinds[second].literals);
            let mut verdict = together(scan, pair, special, general, related);
            if verdict == Together::Fine {
                continue;
            }
            let Some(state) = scope.state(&both)? else {
                continue;
            };
            if state.on_border && verdict == Together::Clash {
                verdict = Together::Ordered;
            }
            match verdict {
                Together::Clash if found.clash.is_none() => {
                    found.clash = Some((writers[first], writers[second], state));
                }
                Together::Clash => found.more_clashes += 1,
                _ => {
                    for row in [writers[first], writers[second]] {
                        if !found.ordered.contains(&row) {
                            found.ordered.push(row);
                        }
                    }
                    found.shown.get_or_insert(state);
                }
            }
        }
    }
    found.ordered.sort_unstable();
    Ok(found)
}

/// Facts about a row that matter here.
struct Kind<'a> {
    effect: Effect,
    /// Reads what stands in its target.
    chains: bool,
    instant: bool,
    otherwise: bool,
    literals: &'a [Literal],
}

impl<'a> Kind<'a> {
    fn of(context: &Context<'a>, id: RelationId, real: RealId) -> Self {
        let relation = context.relation(id);
        Self {
            effect: context.kind(id).effect,
            chains: context.scan == Scan::Sequential && context.index.chains(id, real),
            instant: context.kind(id).instant,
            otherwise: relation.guard == Guard::Otherwise,
            literals: index::condition(relation).unwrap_or_default(),
        }
    }
}

/// Relation between two rows that can act in one tick. `special`: the later acts only while the
/// earlier does; `general`: the other way round; `related`: their conditions have something in
/// common.
fn together(
    scan: Scan,
    (first, second): (&Kind<'_>, &Kind<'_>),
    special: bool,
    general: bool,
    related: bool,
) -> Together {
    let updates = |kind: &Kind<'_>| kind.effect == Effect::Updates;
    let adds = scan == Scan::Sequential;
    if updates(first) && updates(second) && adds {
        return Together::Fine;
    }
    // A jump of an integrated real at an event is what events are for.
    if (updates(first) && second.instant) || (updates(second) && first.instant) {
        return Together::Fine;
    }
    // That independent events coincide is worth no word.
    if first.instant && second.instant && !related {
        return Together::Fine;
    }
    let plain = |kind: &Kind<'_>| {
        !kind.instant && (kind.effect == Effect::Assigns || (updates(kind) && !adds))
    };
    if !plain(first) || !plain(second) || second.chains {
        return Together::Ordered;
    }
    if special || general || second.otherwise || first.otherwise {
        return Together::Ordered;
    }
    Together::Clash
}

fn clash(
    context: &Context<'_>,
    real: RealId,
    (first, second): (RelationId, RelationId),
    state: &State,
    more: usize,
) -> Diagnostic {
    let name = context.real_name(real);
    let message = say!(
        "writer-clash",
        second = context.rows(&[first, second]),
        name
    );
    let mut diagnostic = Diagnostic::new("C001", Severity::Warning, message);
    diagnostic = context.at(
        diagnostic,
        context.relation(second).origin,
        say!("writer-clash.label"),
    );
    diagnostic = context.also(
        diagnostic,
        context.relation(first).origin,
        say!("writer-clash.also"),
    );
    diagnostic = context.shown(diagnostic, state);
    if more > 0 {
        diagnostic = diagnostic.with_note(say!("writer-clash.note", n = more));
    }
    diagnostic.with_help(say!("writer-clash.help"))
}

fn ordered(context: &Context<'_>, real: RealId, rows: &[RelationId], state: &State) -> Diagnostic {
    let name = context.real_name(real);
    let message = say!("writer-ordered", rows = context.rows(rows), name);
    let mut diagnostic = Diagnostic::new("C002", Severity::Note, message);
    for (position, &row) in rows.iter().enumerate().rev() {
        let kind = Kind::of(context, row, real);
        let what = match (position, kind.effect, kind.chains) {
            (0, Effect::Updates, _) => phrase!("writer-ordered.what-comes-first"),
            (0, ..) => phrase!("writer-ordered.what-writes-first"),
            (_, Effect::Updates, _) | (.., true) => phrase!("writer-ordered.what-starts-value"),
            _ => phrase!("writer-ordered.what-overrides-rows"),
        };
        let origin = context.relation(row).origin;
        diagnostic = if position + 1 == rows.len() {
            context.at(diagnostic, origin, what)
        } else {
            context.also(diagnostic, origin, what)
        };
    }
    context.shown(diagnostic, state)
}
