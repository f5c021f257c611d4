//! What is held by random inputs: how they are made, and what must be true of each.

use std::sync::atomic::{AtomicU64, Ordering};

use situ_engine::Method;
use situ_engine::ids::SituationId;
use situ_engine::model::{Boolean, Clock, IntegralRule, Literal, Scan, Stepping, WatchLiteral};
use situ_engine::sim::{EventConfig, TickConfig};
use situ_rules::diag::{Style, render};

use super::properties::{
    agrees_with_oracle, begins_if_checked, both_spellings_run_alike, lines, pipeline,
    runs_or_tells_in_event_stepping, same_with_parentheses, says_the_same_laid_out,
};
use super::{Target, hybrids, models, texts};
use crate::tables::Table;

pub(super) const BYTES: Target = Target {
    name: "bytes",
    cases: 16_000,
    length: 80,
    make: texts::bytes,
    check: |text| drop(pipeline(text)),
};

pub(super) const RON: Target = Target {
    name: "ron",
    cases: 8_000,
    length: 300,
    make: texts::ron,
    check: |text| drop(pipeline(text)),
};

pub(super) const MUTATED: Target = Target {
    name: "mutated tables",
    cases: 3_000,
    length: 60,
    make: texts::mutated,
    check: |text| drop(pipeline(text)),
};

pub(super) const WRITTEN: Target = Target {
    name: "written tables",
    cases: 1_500,
    length: 60,
    make: texts::mutated,
    check: says_the_same_laid_out,
};

pub(super) const BEGUN: Target = Target {
    name: "beginnings",
    cases: 3_000,
    length: 60,
    make: texts::mutated,
    check: begins_if_checked,
};

pub(super) const LINES: Target = Target {
    name: "lines",
    cases: 12_000,
    length: 60,
    make: texts::bytes,
    check: lines,
};

pub(super) const MODELS: Target = Target {
    name: "models",
    cases: 2_000,
    length: 300,
    make: models::table,
    check: |text| {
        let loaded = pipeline(text);
        let model = loaded.model.unwrap_or_else(|| {
            panic!(
                "{}",
                render(&loaded.diagnostics, &loaded.sources, Style::Plain)
            )
        });
        for scan in [Scan::Sequential, Scan::Simultaneous] {
            for integral in [IntegralRule::Rectangle, IntegralRule::Trapezoid] {
                agrees_with_oracle(&model, scan, integral);
            }
        }
    },
};

pub(super) const NATIVE: Target = Target {
    name: "native code",
    cases: 150,
    length: 300,
    make: models::table,
    check: |text| {
        let model = Table::from_text(text).model;
        let scans = [Scan::Sequential, Scan::Simultaneous];
        let rules = [IntegralRule::Rectangle, IntegralRule::Trapezoid];
        let place = text.len() % 4;
        let clock = Clock {
            scan: Some(scans[place / 2]),
            integral: Some(rules[place % 2]),
            every: None,
            ..model.clock.clone()
        };
        let mut config = TickConfig::from_clock(&clock).unwrap();
        (config.ticks, config.every) = (300, 1 + text.len() as u64 % 40);
        NATIVE_TICKS.fetch_add(
            crate::engines::native::agrees(&model, &config),
            Ordering::Relaxed,
        );
    },
};

pub(super) const LANES: Target = Target {
    name: "lanes",
    cases: 150,
    length: 300,
    make: models::table,
    check: |text| {
        let mut model = Table::from_text(text).model;
        let scans = [Scan::Sequential, Scan::Simultaneous];
        let rules = [IntegralRule::Rectangle, IntegralRule::Trapezoid];
        let place = text.len() % 4;
        if let Some(situation) = (text.len() % 3 == 0).then_some(text.len() % 2) {
            let literal = Literal {
                what: Boolean::Situation(SituationId::new(situation)),
                negated: false,
            };
            model.clock.stop_when = Some([WatchLiteral::Boolean(literal)].into_iter().collect());
        }
        let clock = Clock {
            scan: Some(scans[place / 2]),
            integral: Some(rules[place % 2]),
            every: None,
            ..model.clock.clone()
        };
        let mut config = TickConfig::from_clock(&clock).unwrap();
        (config.ticks, config.every) = (60, 60);
        crate::engines::lanes::agrees(&model, &config, 80, 3);
    },
};

/// Explicit methods with step control.
const EXPLICIT: [Method; 4] = [Method::Tsit5, Method::Dop853, Method::Auto, Method::Taylor];

pub(super) const SMOOTH_LANES: Target = Target {
    name: "lanes of smooth models",
    cases: 150,
    length: 60,
    make: models::smooth,
    check: |text| {
        let model = Table::from_text(text).model;
        let clock = Clock {
            stepping: Some(Stepping::Events),
            method: Some(EXPLICIT[text.len() % EXPLICIT.len()]),
            ..model.clock.clone()
        };
        let config = EventConfig::from_clock(&clock).unwrap();
        let [over, _] = crate::engines::lanes::smooth_agrees(&model, &config, 70, 2);
        SMOOTH_RUNS.fetch_add(over as u64, Ordering::Relaxed);
    },
};

/// Runs of random smooth models that went to their end in lanes so far.
pub(super) static SMOOTH_RUNS: AtomicU64 = AtomicU64::new(0);

/// Ticks that native code has done in random models so far.
pub(super) static NATIVE_TICKS: AtomicU64 = AtomicU64::new(0);

pub(super) const EXPRESSIONS: Target = Target {
    name: "expressions",
    cases: 8_000,
    length: 80,
    make: |choices| models::expression(choices, 4),
    check: same_with_parentheses,
};

pub(super) const LAYOUTS: Target = Target {
    name: "spellings",
    cases: 1_000,
    length: 300,
    make: models::table,
    check: both_spellings_run_alike,
};

pub(super) const EVENTS: Target = Target {
    name: "event stepping",
    cases: 2_000,
    length: 200,
    make: |choices| match choices.once_in(2) {
        true => models::table(choices),
        false => texts::mutated(choices),
    },
    check: runs_or_tells_in_event_stepping,
};

pub(super) const NATIVE_STEPS: Target = Target {
    name: "native steps",
    cases: 150,
    length: 200,
    make: models::motion,
    check: |text| {
        let model = Table::from_text(text).model;
        let clock = Clock {
            stop: Some(1.0),
            every: None,
            stepping: Some(Stepping::Events),
            ..model.clock.clone()
        };
        let Ok(mut config) = EventConfig::from_clock(&clock) else {
            return;
        };
        config.settings.method = Method::ALL[text.len() % Method::ALL.len()];
        config.settings.h0 = Some(0.01);
        let modes = crate::events::runs::native::agrees_at_first(&model, &config);
        NATIVE_MODES.fetch_add(modes as u64, Ordering::Relaxed);
    },
};

/// Modes of random models that had native steps so far.
pub(super) static NATIVE_MODES: AtomicU64 = AtomicU64::new(0);

pub(super) const COURSES: Target = Target {
    name: "courses of instants",
    cases: 150,
    length: 200,
    make: |choices| match choices.once_in(3) {
        true => models::motion(choices),
        false => models::flights(choices),
    },
    check: |text| {
        let model = Table::from_text(text).model;
        let clock = Clock {
            every: None,
            stepping: Some(Stepping::Events),
            method: Some(EXPLICIT[text.len() % EXPLICIT.len()]),
            ..model.clock.clone()
        };
        if let Ok(mut config) = EventConfig::from_clock(&clock) {
            // Long steps: what is of interest is between them.
            (config.settings.rtol, config.atol) = (1e-3, 1e-3);
            let instants = crate::events::runs::courses::agree(&model, &config);
            INSTANTS.fetch_add(instants, Ordering::Relaxed);
        }
    },
};

/// Instants of random models so far.
pub(super) static INSTANTS: AtomicU64 = AtomicU64::new(0);

pub(super) const HYBRIDS: Target = Target {
    name: "hybrids",
    cases: 500,
    length: 120,
    make: hybrids::table,
    check: hybrids::compare,
};

pub(super) const WIDE: Target = Target {
    name: "hybrids of all parts",
    cases: 200,
    length: 120,
    make: hybrids::wide_table,
    check: hybrids::compare_wide,
};

pub(super) const TARGETS: [Target; 17] = [
    HYBRIDS,
    WIDE,
    WRITTEN,
    BEGUN,
    BYTES,
    RON,
    MUTATED,
    LINES,
    MODELS,
    NATIVE,
    LANES,
    SMOOTH_LANES,
    EXPRESSIONS,
    LAYOUTS,
    EVENTS,
    NATIVE_STEPS,
    COURSES,
];
