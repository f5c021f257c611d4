//! Settings of the clock that play no part in a run (C044).

use situ_engine::model::{Clock, Stepping};
use situ_engine::{Settings, Steps};
use situ_words::say;

use super::Context;
use crate::diag::{Diagnostic, Severity};

pub(super) fn check(context: &mut Context<'_>) {
    let clock = &context.model.clock;
    let stated = |only: Stepping| {
        let stated = Clock::SETTINGS.iter();
        let mut stated = stated.filter(|setting| setting.get(clock).is_some());
        stated.find(|setting| setting.only == Some(only))
    };
    let idle = match clock.stepping {
        None => stated(Stepping::Events).map(|setting| {
            let message = say!("check-clock.in-ticks", name = setting.name);
            Diagnostic::new("C044", Severity::Warning, message)
                .with_help(say!("check-clock.help-events"))
        }),
        Some(Stepping::Events) => stated(Stepping::Tick).map(|setting| {
            let message = say!("check-clock.in-events", name = setting.name);
            Diagnostic::new("C044", Severity::Note, message)
                .with_help(say!("check-clock.help-ticks"))
        }),
        Some(Stepping::Tick) => None,
    };
    if let Some(idle) = idle {
        context.report("C044", |_| idle);
    }
    let method = clock.method.unwrap_or(Settings::default().method);
    let chooses_steps = method.about().steps != Steps::Fixed;
    if clock.step_formula.is_none() || clock.stepping != Some(Stepping::Events) || !chooses_steps {
        return;
    }
    context.report("C044", |_| {
        let name = method.name();
        let message = say!("check-clock", name);
        Diagnostic::new("C044", Severity::Warning, message).with_help(say!("check-clock.help"))
    });
}
