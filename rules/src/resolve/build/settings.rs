//! Clock and cases become those of the model.
//!
//! What a clock says of elements is bound behind the rows, as every text about runs is: its comparisons are over the row
//! as it stands after a tick.

use situ_engine::model::{Case, Clock, ClockSetting, ClockValue, Model};
use situ_words::phrase;

use super::{Builder, owned};
use crate::diag::Diagnostic;
use crate::resolve::symbol::Known;
use crate::resolve::{expand, report, texts};
use crate::source::{Origins, SourceMap};
use crate::tree::{self, ClockEntry};

/// Conditions of clocks that are over elements.
#[derive(Default)]
pub(super) struct Watched<'a> {
    all: Vec<(Option<usize>, &'static ClockSetting, &'a tree::Condition)>,
}

impl Watched<'_> {
    /// Binds them to the model that has been built.
    pub(super) fn bind(
        self,
        (model, origins): (&mut Model, &mut Origins),
        sources: &SourceMap,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        for (case, setting, condition) in self.all {
            match texts::watch(model, origins, sources, condition) {
                Ok(watch) => {
                    let clock = match case {
                        Some(case) => &mut model.cases[case].clock,
                        None => &mut model.clock,
                    };
                    set(clock, setting, ClockValue::Condition(watch));
                }
                Err(reports) => diagnostics.extend(reports),
            }
        }
    }
}

impl<'a> Builder<'_, 'a> {
    /// Clock and cases.
    pub(super) fn settings(&mut self) {
        for &written in &self.merged.clocks {
            let clock = self.clock(written, None);
            let model = self.model();
            model.clock = model.clock.overridden_by(&clock);
        }
        for (index, &case) in self.merged.cases.iter().enumerate() {
            let set = case
                .set
                .iter()
                .filter_map(|setting| self.binder.setting(setting))
                .collect();
            let steady = case.clock.iter().filter_map(|clock| clock.start.as_ref());
            for start in steady.filter(|start| start.value == tree::Start::Steady) {
                self.report(report::start_not_supported(
                    phrase!("names-start-not-supported.case"),
                    start.span,
                ));
            }
            let written = case.clock.as_ref();
            let clock = written
                .map(|clock| self.clock(clock, Some(index)))
                .unwrap_or_default();
            let case = Case {
                name: case.name.value.clone(),
                about: owned(case.about.as_ref().map(|about| &*about.value)),
                set,
                clock,
                origin: self.origin(case.span),
            };
            self.model().cases.push(case);
        }
    }

    /// `case`: the one that it belongs to.
    fn clock(&mut self, written: &'a tree::Clock, case: Option<usize>) -> Clock {
        let mut clock = Clock::default();
        for (setting, entry) in &written.settings {
            let value = match entry {
                ClockEntry::Number(number) => ClockValue::Number(number.value),
                ClockEntry::Word(word) => ClockValue::Word(word.value),
                ClockEntry::Expression(formula) => {
                    ClockValue::Expression(self.binder.expr(formula, Known::Running))
                }
                ClockEntry::Condition(condition) => {
                    // A later clock overrides an earlier one.
                    let other = |one: &(Option<usize>, &ClockSetting, _)| {
                        (one.0, one.1.name) != (case, setting.name)
                    };
                    self.watched.all.retain(other);
                    if expand::has_elements(condition) {
                        self.watched.all.push((case, setting, condition));
                        continue;
                    }
                    ClockValue::Condition(self.binder.watch(condition))
                }
            };
            set(&mut clock, setting, value);
        }
        clock
    }
}

fn set(clock: &mut Clock, setting: &'static ClockSetting, value: ClockValue) {
    setting
        .set(clock, value)
        .expect("an entry is of its setting's kind");
}
