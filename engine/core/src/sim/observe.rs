//! Looking on: one tick done again, row by row, for those who explain it.

use super::TickRun;
use super::found::Found;
use super::grid::set_time;
use crate::backend::interpreter::{
    Bits, Context, Instruction, NoObserver, Observer, Reals, Room, execute, holds, prepare,
};
use crate::ids::{RealId, RelationId, ScheduleId};
use crate::tape::{Code, Shape};

/// Record of a tick.
#[derive(Clone, PartialEq, Debug)]
pub struct Observed {
    /// Per relation whether it was active.
    pub active: Vec<bool>,
    /// The booleans that it found.
    pub found: Found,
    /// Reals that the projection onto constraints moved behind the rows, with their values before and after.
    pub projected: Vec<(RealId, f64, f64)>,
}

/// One active relation of a tick.
#[derive(Clone, Copy, Debug)]
pub struct RowDone<'a> {
    /// Its id.
    pub relation: RelationId,
    /// The reals as they stood when the row began.
    pub before: &'a [f64],
    /// The reals as they stood when it was done.
    pub after: &'a [f64],
}

impl TickRun {
    /// Does the next tick without moving on, and shows each active relation to `each`, in written
    /// order.
    pub fn observe_tick(&self, mut each: impl FnMut(RowDone<'_>)) -> Observed {
        let (program, model) = (&*self.program, &*self.model);
        let mut state = self.state.clone();
        let n_reals = program.n_reals;
        let remembered = program.remembered.iter();
        let remembered = remembered
            .map(|bit| bit.map(|bit| state.bit(bit as usize)))
            .collect();
        let clock = (self.state.grid, self.config.step);
        let (reals, bits) = (state.reals.as_mut_slice(), state.bits.as_mut_slice());
        set_time(program, reals, state.tick, clock);
        bits.set_bit(program.start_bit, state.tick == 0);
        let mut context = Context {
            tape: &program.tape,
            spans: &[],
            room: &mut Room::default(),
            lines: &mut state.lines,
            tick: state.tick,
            since: self.state.grid.since(),
            starting: false,
        };
        let n_switches = model.switches.len();
        let switches = (0..n_switches).map(|index| bit(bits, index)).collect();
        let guards = prepare(&program.tape, 0..program.sections.edges.end);
        execute(&guards, reals, bits, &mut context, &mut NoObserver);

        let tests = &program.tape.tests;
        let active: Vec<bool> = (program.relation_tests.iter())
            .map(|test| test.is_none_or(|test| holds(tests, test, &*bits)))
            .collect();
        let executed = (program.assignment_tests.iter())
            .map(|&test| holds(tests, test, &*bits))
            .collect();
        let n_ranges = model.ranges.len();
        let visible = |from: usize, count: usize| {
            (from..from + count)
                .map(|index| bit(bits, index))
                .collect::<Vec<bool>>()
        };
        let mut observed = Observed {
            projected: Vec::new(),
            active,
            found: Found {
                executed,
                switches,
                ranges: visible(n_switches, n_ranges),
                situations: visible(n_switches + n_ranges, model.situations.len()),
                remembered,
                due: (program.schedule_bits.iter())
                    .map(|&at| bit(bits, at as usize))
                    .collect(),
            },
        };
        let mut rows = Rows {
            first: program.sections.relations.start,
            rows: &program.tape.rows,
            now: reals[..n_reals].to_vec(),
            before: reals[..n_reals].to_vec(),
            done: 0,
            active: &observed.active.clone(),
            each: &mut each,
        };
        let relations = prepare(
            &program.tape,
            program.sections.relations.start..program.sections.projection,
        );
        execute(&relations, reals, bits, &mut context, &mut rows);
        rows.up_to(model.first_observed());
        let before = rows.now;
        let projection = prepare(
            &program.tape,
            program.sections.projection..program.sections.relations.end,
        );
        execute(&projection, reals, bits, &mut context, &mut NoObserver);
        let changes = (before.iter().zip(&reals[..n_reals])).enumerate();
        let changes = changes.filter(|(_, (before, after))| before.to_bits() != after.to_bits());
        observed.projected = changes
            .map(|(at, (&before, &after))| (RealId::new(at), before, after))
            .collect();
        observed
    }

    /// True if a schedule was due in the last tick.
    pub fn was_due(&self, schedule: ScheduleId) -> bool {
        self.state
            .bit(self.program.schedule_bits[schedule.index()] as usize)
    }
}

fn bit(bits: &[u64], index: usize) -> bool {
    bits[index / 64] >> (index % 64) & 1 == 1
}

/// Tells where one row ends and the next begins.
struct Rows<'a, F> {
    first: usize,
    rows: &'a [u32],
    /// Reals after the last op.
    now: Vec<f64>,
    /// Reals when the row in hand began.
    before: Vec<f64>,
    /// Relations that have been shown or passed over.
    done: usize,
    active: &'a [bool],
    each: &'a mut F,
}

impl<F: FnMut(RowDone<'_>)> Rows<'_, F> {
    /// Shows the rows before this one: the one in hand, then those that needed no op.
    fn up_to(&mut self, row: usize) {
        while self.done < row {
            if self.active[self.done] {
                (self.each)(RowDone {
                    relation: RelationId::new(self.done),
                    before: &self.before,
                    after: &self.now,
                });
            }
            self.before.copy_from_slice(&self.now);
            self.done += 1;
        }
    }
}

impl<F: FnMut(RowDone<'_>)> Observer for Rows<'_, F> {
    fn executed(&mut self, position: usize, op: &Instruction, reals: &(impl Reals + ?Sized)) {
        let row = self.rows[self.first + position];
        self.up_to(row as usize);
        let writes_real = matches!(
            op.code.map(Code::shape),
            Some(Shape::Unary | Shape::Binary | Shape::Update | Shape::Push)
        );
        if writes_real && let Some(value) = self.now.get_mut(op.out as usize) {
            *value = reals.value(op.out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Boolean, Clock, CompareOp, ModelBuilder, Term};
    use crate::sim::TickConfig;

    #[test]
    fn rows_are_shown_as_they_are_executed() {
        let mut table = ModelBuilder::new("spring");
        let [x, v, f] =
            [("x", 1.0), ("v", 0.0), ("f", 0.0)].map(|(name, start)| table.real(name, start));
        let zero = Term::Number(0.0);
        let left = table.range("left", [(x.into(), CompareOp::Less, zero.clone())]);
        let event = table.event("passes", [left.into()]);
        table.relation(f, "proportional", [x]).coef(-9.0);
        table
            .relation(f, "sum", [Term::from(f), 1.0.into()])
            .when([!left]);
        table.relation(v, "integral", [f]);
        table.relation(x, "integral", [v]);
        let clock = Clock {
            step: Some(0.01),
            stop: Some(10.0),
            ..Clock::default()
        };
        let config = TickConfig::from_clock(&clock).unwrap();
        let mut run = TickRun::new(table.build().unwrap(), config).unwrap();
        let mut fired = 0;
        for _ in 0..1000 {
            let mut values = run.row().reals.to_vec();
            let mut rows = Vec::new();
            let observed = run.observe_tick(|row| {
                assert_eq!(row.before, values);
                values.copy_from_slice(row.after);
                rows.push(row.relation.0);
            });
            run.advance(1).unwrap();
            assert_eq!(values, run.row().reals);
            let held = run.present().boolean(run.model(), Boolean::Range(left));
            assert_eq!(observed.found.ranges, [held]);
            assert_eq!(rows.contains(&1), !held);
            assert_eq!(rows.len(), 4 - usize::from(held));
            let event = Boolean::Situation(event);
            assert_eq!(
                observed.found.situations,
                [run.present().boolean(run.model(), event)]
            );
            fired += u32::from(observed.found.situations[0]);
        }
        assert_eq!(fired, 5);
    }
}
