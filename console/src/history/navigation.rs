//! Moving along the history: forward by new steps or known ones, back by replay.

use std::ops::ControlFlow;
use std::sync::Arc;

use serde_json::{Value, json};
use situ_engine::model::{Model, Watch};
use situ_engine::sim::RunFault;
use situ_rules::diag::{Style, fault, render};

use crate::document::Version;
use crate::history::inside::StepDone;
use crate::history::journey::{Goal, Hit, Journey, Lookout};
use crate::history::stops::{Probe, StopOn};
use crate::names::standing;
use crate::prompt::{status, time};
use crate::reply::{CommandError, CommandOutput};
use crate::{Console, ProgressSink};
use situ_explain::{At, Cut, History, Piece, SegmentId};
use situ_views::columns::observed::Values;
use situ_words::say;

/// Steps between two looks at the progress.
const POLL: u64 = 4096;

/// Time by which steps that nothing limits have grown beyond all sense [units of `time`].
const END_OF_TIME: f64 = 1e100;

impl Console {
    /// Moves forward.
    ///
    /// # Errors
    ///
    /// The goal cannot be understood; nothing has moved then.
    pub(crate) fn navigate(
        &mut self,
        goal: &Goal,
        progress: &mut dyn ProgressSink,
    ) -> Result<Journey, CommandError> {
        let run = self.run();
        let mut journey = Journey {
            before: standing(run.model(), &run.row())
                .into_iter()
                .map(str::to_owned)
                .collect(),
            ..Journey::default()
        };
        if matches!(goal, Goal::End) && self.stops_at_the_start() {
            journey.why = Some(say!("console-stop-when-holds"));
            return Ok(journey);
        }
        let mut lookout = self.lookout(goal)?;
        let goal_time = match goal {
            Goal::Time(at) => Some(*at),
            Goal::EventBefore(end) => *end,
            Goal::Condition(_) => {
                let stop = self.version().stop();
                let segment = self.state.history.segment();
                stop.filter(|stop| self.run().time() <= *stop + self.slack(segment, *stop))
            }
            Goal::End => {
                let stop = self.version().stop();
                Some(stop.ok_or_else(|| {
                    CommandError::new(say!("console-no-end")).with_help(say!("console-no-end.help"))
                })?)
            }
            _ => None,
        };
        loop {
            let segment = self.state.history.segment();
            if segment != lookout.segment {
                journey.passed.push(self.segments.cause(segment).to_owned());
                let before = std::mem::replace(&mut lookout, self.lookout(goal)?);
                if lookout.look_at_edit(&before) && self.halt_at_hit(&mut lookout, &mut journey) {
                    break;
                }
            }
            let Some(missing) = self.missing(goal, goal_time, &journey) else {
                if matches!(goal, Goal::Condition(_)) {
                    journey.why = Some(say!("console-missed"));
                    journey.missed = true;
                } else {
                    journey.arrived = true;
                }
                break;
            };
            // A run that goes on where `stop_when` holds stops where it comes true again.
            let is_to_end = matches!(goal, Goal::End);
            let stands_in_stop = is_to_end && self.stop_when_holds();
            let before = self.state.history.place();
            let (mut at, outcome) =
                self.go_on(missing, goal_time, lookout.is_idle() && !stands_in_stop);
            let done = if at == before.1 {
                0
            } else {
                at.step - before.1.whole()
            };
            journey.steps += done;
            let run = self.segments.at(segment, at);
            let in_ticks = run.ticks().is_some();
            let mut halts =
                is_to_end && in_ticks && !stands_in_stop && outcome.is_ok() && run.stopped();
            let from = before.1;
            let mut step = StepDone {
                segment,
                from,
                to: at,
            };
            let mut stopped = done > 0 && self.look(&mut lookout, &mut step, &mut journey);
            if matches!((goal, lookout.hit), (Goal::End, Some(Hit::Goal))) {
                (stopped, halts, journey.arrived) = (false, true, false);
            }
            at = step.to;
            self.state.history.forward_to(at);
            if let Err(why) = outcome {
                let version = Arc::clone(self.segments.label(segment));
                let report = fault(&why, &version.model, &version.origins);
                journey.why = Some(render(&[report], &version.sources, self.look.style));
                journey.failed = true;
                break;
            }
            if stopped {
                break;
            }
            if self.run().time().abs() > END_OF_TIME {
                journey.why = Some(say!("console-stop-nothing-happens"));
                break;
            }
            if halts {
                journey.why = Some(say!("console-stop-when-holds"));
                break;
            }
            let all = if missing > u64::MAX / 2 {
                0
            } else {
                journey.steps + missing
            };
            let between = !lookout.is_idle() && !journey.steps.is_multiple_of(64);
            if !between && progress.poll(journey.steps, all) == ControlFlow::Break(()) {
                journey.interrupted = true;
                journey.why = Some(say!("console-interrupted"));
                break;
            }
        }
        Ok(journey)
    }

    /// Goes on in the present segment: so many ticks, or a step of the method, not beyond the goal
    /// and not beyond what is known of a segment that ends. Where that leads, and a fault if one came.
    fn go_on(
        &mut self,
        missing: u64,
        goal_time: Option<f64>,
        idle: bool,
    ) -> (At, Result<(), RunFault>) {
        let (segment, at) = self.state.history.place();
        let known = self.state.history.known_end();
        if self.segments.at(segment, at).ticks().is_some() {
            let chunk = missing.min(if idle { POLL } else { 1 });
            let chunk = known.map_or(chunk, |end| chunk.min(end.step - at.step));
            return self.segments.advance((segment, at), chunk);
        }
        let last_step = known.filter(|end| end.step == at.whole() + 1);
        let ends = match last_step.and_then(|end| end.cut) {
            Some(Cut::Time(end)) => end,
            Some(Cut::Microstep(_)) | None => f64::INFINITY,
        };
        let until = goal_time.map_or(ends, |goal| goal.min(ends));
        match until.is_finite() {
            true => self.segments.advance_to((segment, at), until),
            false => self.segments.advance((segment, at), 1),
        }
    }

    /// True if the run stands at its start and the table's `stop_when` has ended it there.
    fn stops_at_the_start(&self) -> bool {
        let history = &self.state.history;
        history.at_the_start() && self.segments.stops_at_start(history.segment())
    }

    /// True if the table's `stop_when` holds.
    fn stop_when_holds(&mut self) -> bool {
        let run = self.run();
        let model = run.model();
        let stop_when = model.clock.stop_when.as_ref();
        stop_when.is_some_and(|when| Values::of(model, model, run.row()).holds(when))
    }

    /// Looks at the step just done, inside and at its end; true if it is to be the last, and then it ends where it is to be.
    fn look(&mut self, lookout: &mut Lookout, step: &mut StepDone, journey: &mut Journey) -> bool {
        if lookout.is_idle() {
            return false;
        }
        let model = Arc::clone(&lookout.model);
        lookout.hit = None;
        let goals = usize::from(lookout.goal.is_some());
        let stops = lookout.stops.iter_mut().map(|(_, probe)| probe);
        let mut probes: Vec<&mut Probe> = lookout.goal.iter_mut().chain(stops).collect();
        let mut inside = self.arisings_inside(&model, &mut probes, *step, 1);
        if probes.first().is_some_and(|goal| goal.is_stop_when())
            && let Some(at) = self.stop_inside(*step)
        {
            inside.retain(|(_, other)| other.cut < at.cut);
            inside.push((0, at));
        }
        if let Some((number, at)) = inside.first() {
            step.to = *at;
            lookout.hit = Some(match number.checked_sub(goals) {
                None => Hit::Goal,
                Some(place) => Hit::Stop(place),
            });
        } else {
            let met = self.arisings_at_end(&model, &mut probes, *step);
            for (number, _) in met.iter().take_while(|(_, at)| *at == met[0].1) {
                let hit = match number.checked_sub(goals) {
                    None => Hit::Goal,
                    Some(place) => Hit::Stop(place),
                };
                journey.arrived |= matches!(hit, Hit::Goal);
                if !matches!(lookout.hit, Some(Hit::Stop(_))) {
                    lookout.hit = Some(hit);
                }
            }
            if let Some((_, at)) = met.first() {
                step.to = *at;
            }
            let probe = match lookout.hit {
                None => return false,
                Some(Hit::Goal) => lookout.goal.as_ref(),
                Some(Hit::Stop(place)) => lookout.stops.get(place).map(|(_, probe)| probe),
            };
            if let Some(inside) = probe.and_then(|probe| self.arising_at_end(&model, probe, *step))
            {
                step.to = inside;
            }
        }
        self.halt_at_hit(lookout, journey)
    }

    /// Ends a journey where a goal or a stop was met; false if none was.
    fn halt_at_hit(&mut self, lookout: &mut Lookout, journey: &mut Journey) -> bool {
        let index = match lookout.hit {
            None => return false,
            Some(Hit::Goal) => {
                journey.arrived = true;
                return true;
            }
            Some(Hit::Stop(place)) => lookout.stops[place].0,
        };
        let stop = self.state.stops[index].clone();
        let kind = if matches!(stop.on, StopOn::Change(_)) {
            "watch"
        } else {
            "break"
        };
        journey.why = Some(format!("{kind} {}: {}", stop.number, stop.on));
        if stop.once {
            Arc::make_mut(&mut self.state.stops).remove(index);
        }
        true
    }

    /// How near to a time a run of a segment stands at it [units of `time`].
    fn slack(&self, segment: SegmentId, at: f64) -> f64 {
        match self.segments.tick_length(segment) {
            Some(length) => 1e-6 * length,
            None => 1e-12 * at.abs(),
        }
    }

    /// Steps to the goal; `None` if it is reached.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a whole positive number; the cast saturates"
    )]
    fn missing(&mut self, goal: &Goal, time: Option<f64>, journey: &Journey) -> Option<u64> {
        match (goal, time) {
            (Goal::Steps(steps), _) => (journey.steps < *steps).then(|| steps - journey.steps),
            (_, Some(at)) => {
                // A tick run stands at the tick that is nearest; another goes to the time itself.
                let segment = self.state.history.segment();
                let length = self.segments.tick_length(segment);
                let slack = length.map_or(0.0, |_| self.slack(segment, at));
                let left = at - self.run().time() - slack;
                let steps = length.map_or(1.0, |length| (left / length).ceil());
                (left > 0.0).then_some(steps as u64)
            }
            _ => Some(u64::MAX),
        }
    }

    /// Conditions to test in the present segment.
    fn lookout(&mut self, goal: &Goal) -> Result<Lookout, CommandError> {
        let segment = self.state.history.segment();
        let version = self.version();
        let mut model = (*version.model).clone();
        let goal = match goal {
            Goal::Condition(text) => Some(Probe::condition(
                self.bind_into(&version, &mut model, text)?,
            )),
            Goal::EventBefore(_) => Some(Probe::any_event()),
            // A tick run ends with the tick; an event-accurate one where the condition arises.
            Goal::End if self.run().tick_length().is_none() => {
                let condition = version.model.clock.stop_when.clone();
                condition.map(Probe::stop_when)
            }
            _ => None,
        };
        let stops = Arc::clone(&self.state.stops);
        let mut probes = Vec::new();
        for (index, stop) in stops.iter().enumerate().filter(|(_, stop)| stop.enabled) {
            let mut bind = |text: &str| self.bind_into(&version, &mut model, text);
            // A stop on what an edit has taken away waits for it to come back.
            if let Ok(probe) = Probe::new(&stop.on, &version, &mut bind) {
                probes.push((index, probe));
            }
        }
        let mut lookout = Lookout {
            segment,
            model: Arc::new(model),
            goal,
            stops: probes,
            hit: None,
        };
        let run = self.run();
        let all = lookout.stops.iter_mut().map(|(_, probe)| probe);
        for probe in all.chain(&mut lookout.goal) {
            probe.begin(&lookout.model, run);
            if probe.is_on_edge(&lookout.model, run)
                && let Some(ahead) = run.just_ahead()
            {
                probe.hold_if_ahead(&lookout.model, &ahead);
            }
        }
        Ok(lookout)
    }

    /// A condition bound to a model that grows by its expressions.
    pub(crate) fn bind_into(
        &self,
        version: &Version,
        model: &mut Model,
        text: &str,
    ) -> Result<Watch, CommandError> {
        let (mut origins, mut sources) = (version.origins.clone(), version.sources.clone());
        situ_rules::resolve::condition(model, &mut origins, &mut sources, "<line>", text)
            .map_err(|reports| CommandError::reports(&reports, &sources, self.look.style))
    }

    /// Reply when a run has come to a stand.
    pub(crate) fn arrived(&mut self, journey: &Journey) -> CommandOutput {
        let (mut text, mut report) = (String::new(), String::new());
        for cause in &journey.passed {
            text.push_str(&format!("({cause})\n"));
        }
        let history = self.state.history.clone();
        let run = self.run();
        let row = run.row();
        let now: Vec<String> = standing(run.model(), &row)
            .into_iter()
            .map(str::to_owned)
            .collect();
        let mut data = json!({
            "time": row.time,
            "steps": history.steps_before(),
            "done": journey.steps,
            "holds": now,
            "past": history.in_the_past(),
        });
        text.push_str(&status(&history, run.model(), &row));
        text.push('\n');
        if journey.steps > 0 {
            let ended: Vec<&str> = journey
                .before
                .iter()
                .filter(|name| !now.contains(name))
                .map(String::as_str)
                .collect();
            if !ended.is_empty() {
                text.push_str(&format!(
                    "  {}\n",
                    say!("console-no-longer", names = ended.join(", "))
                ));
            }
        }
        if let Some(why) = &journey.why {
            data["why"] = json!(why);
            match (journey.failed, journey.missed) {
                (true, _) => report.push_str(why),
                (_, true) => text.push_str(&format!("  {why}\n")),
                _ => text.push_str(&format!("  {}\n", say!("console-stopped", why))),
            }
        }
        let (shown, values) = self.displays();
        text.push_str(&shown);
        if !shown.is_empty() {
            data["display"] = values;
        }
        CommandOutput {
            text,
            drawn: [String::new(), report],
            loaded: None,
            data,
            logged: journey.again(history.place().1),
            failed: journey.failed,
            interrupted: journey.interrupted,
            quit: false,
        }
    }

    /// Lines for everything that is shown at every stop.
    pub(crate) fn displays(&mut self) -> (String, Value) {
        let shown = Arc::clone(&self.state.shown);
        let mut text = String::new();
        let mut values = serde_json::Map::new();
        for expression in shown.iter() {
            let (line, value) = match self.value_of(expression) {
                Ok((line, value)) => (line, value),
                Err(_) => (say!("console-not-in-model", expression), Value::Null),
            };
            text.push_str(&format!("  {line}\n"));
            values.insert(expression.clone(), value);
        }
        (text, Value::Object(values))
    }

    /// The line of history seen from a time: from the last tick not after it, or from inside a step
    /// of the method; of several places at that time, from the last.
    pub(crate) fn seen_from(&mut self, at: f64) -> Result<History, CommandError> {
        let history = self.state.history.clone();
        self.place_on(&history, at)
    }

    /// A line of history seen from a time, as by [`Console::seen_from`].
    pub(crate) fn place_on(&mut self, history: &History, at: f64) -> Result<History, CommandError> {
        let pieces = history.pieces().to_vec();
        let first = self.segments.start_time(pieces[0].segment);
        let last = pieces[pieces.len() - 1];
        let end = self.segments.at(last.segment, last.end).time();
        let is_early = at < first - self.slack(pieces[0].segment, at);
        if at.is_nan() || is_early || at > end + self.slack(last.segment, at) {
            return Err(CommandError::new(say!(
                "console-not-in-the-past",
                at = time(at),
                first = time(first),
                end = time(end)
            ))
            .with_help(say!("console-not-in-the-past.help")));
        }
        let at = at.min(end);
        // A run that stands at its end at that time has reached the next piece.
        let found = pieces.windows(2).rposition(|two| {
            let begin = self.segments.start_time(two[1].segment);
            begin <= at + self.slack(two[0].segment, at)
        });
        let found = found.map_or(0, |before| before + 1);
        let Piece { segment, end } = pieces[found];
        let begin = self.segments.start_time(segment);
        let place = match self.segments.tick_length(segment) {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a whole number that is not negative; the cast saturates"
            )]
            Some(length) => {
                let ticks = ((at - begin) / length + 1e-6).floor().max(0.0) as u64;
                At::step(ticks.min(end.step))
            }
            None => self.segments.find(segment, end, at),
        };
        Ok(history.at_place(found, place))
    }

    /// Goes to a number of steps from the beginning.
    pub(crate) fn jump(&mut self, steps: u64) {
        self.state.history = self.state.history.at_step(steps);
    }

    /// Reports as text.
    pub(crate) fn rendered(&self, reports: &[situ_rules::Diagnostic], version: &Version) -> String {
        let style = self.look.style;
        debug_assert!(matches!(style, Style::Plain | Style::Coloured));
        render(reports, &version.sources, style)
    }
}
