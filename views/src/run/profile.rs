//! Profile of a run: where its time goes, as tables of rules, modes, events, and reals that keep steps short.

use serde::Serialize;
use situ_engine::{LinearWay, LinearWork};
use situ_words::say;

use crate::run::summary::{SHOWN, push_listing, share};
use crate::text::listing::{Align, Listing, shortened};
use crate::text::number::{counted, rounded};

/// Characters of a rule, or of the names that make a mode, that are shown.
const LONGEST: usize = 100;

/// Measurements of a run.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Profile {
    /// Time of the whole run (in seconds).
    pub seconds: f64,
    /// Time that passed in the model [units of `time`].
    pub model_time: f64,
    /// Who did the ticks or steps, see [`crate::run::manifest::engine_used`].
    pub engine: &'static str,
    /// Ticks, or steps of the method.
    pub steps: u64,
    /// `tick` or `step`.
    pub step_name: &'static str,
    /// Evaluations of the rates.
    pub evaluations: u64,
    /// Rules, the costly ones first.
    pub rules: Vec<RuleCost>,
    /// Modes of an event-accurate run, the costly ones first.
    pub modes: Vec<ModeCost>,
    /// Costs of its instants, the costly ones first.
    pub instants: Vec<InstantCost>,
    /// Reals that limited steps, the most limiting ones first.
    pub limits: Vec<LimitCost>,
    /// The linear systems of an implicit method.
    pub linear: Option<LinearCost>,
}

/// How linear systems were solved, with estimates in operations.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct LinearCost {
    /// Unknowns.
    pub unknowns: usize,
    /// Those among them that are solved for by equations, not integrated.
    pub algebraic: usize,
    /// Entries of the Jacobian.
    pub entries: usize,
    /// `dense`, `sparse` or `gmres`: the way that was taken.
    pub way: &'static str,
    /// Factors of the whole matrix and 20 solutions with them.
    pub dense: f64,
    /// The same with sparse factors; `None` without a known structure.
    pub sparse: Option<f64>,
    /// As many solutions by iteration; `None` where the method does not iterate.
    pub gmres: Option<f64>,
}

impl From<LinearWork> for LinearCost {
    fn from(work: LinearWork) -> Self {
        Self {
            unknowns: work.unknowns,
            algebraic: work.algebraic,
            entries: work.entries,
            way: match work.way {
                LinearWay::Dense => "dense",
                LinearWay::Sparse => "sparse",
                LinearWay::Iterated => "gmres",
            },
            dense: work.dense,
            sparse: work.sparse,
            gmres: work.iterated,
        }
    }
}

impl LinearCost {
    fn text(&self) -> String {
        let (unknowns, entries) = (self.unknowns, self.entries);
        let of = |way: &str| match way {
            "dense" => say!("profile-linear.dense"),
            "sparse" => say!("profile-linear.sparse"),
            _ => say!("profile-linear.gmres"),
        };
        let work = [
            ("dense", Some(self.dense)),
            ("sparse", self.sparse),
            ("gmres", self.gmres),
        ];
        let known = work
            .into_iter()
            .filter_map(|(way, work)| Some((way, work?)));
        let each: Vec<String> = known
            .map(|(way, work)| {
                say!(
                    "profile-linear.work",
                    way = of(way),
                    work = format!("{work:.1e}")
                )
            })
            .collect();
        let (way, each) = (of(self.way), each.join(", "));
        let algebraic = self.algebraic;
        say!("profile-linear", unknowns, algebraic, entries, way, each)
    }
}

/// Cost of a rule.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RuleCost {
    /// The row, with its id.
    pub rule: String,
    /// Number of times that it was executed.
    pub executions: u64,
    /// Time of one execution by itself, interpreted (in seconds); `None` if it was not measured.
    pub each: Option<f64>,
    /// Time of all of them (in seconds).
    pub seconds: f64,
}

/// Cost of a mode.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct ModeCost {
    /// Booleans that hold in it.
    pub holds: String,
    /// Steps of the method.
    pub steps: u64,
    /// Trials that were rejected.
    pub rejected: u64,
    /// Evaluations of the rates.
    pub evaluations: u64,
    /// Time of its steps, the search for events in them included (in seconds).
    pub seconds: f64,
}

/// Cost of the instants of one kind.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct InstantCost {
    /// Events that fired, or booleans that changed.
    pub what: String,
    /// Number of times.
    pub count: u64,
    /// Time of all of them (in seconds).
    pub seconds: f64,
}

/// Number of times that a real limited the step.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct LimitCost {
    /// Its name.
    pub real: String,
    /// Steps whose largest error was its.
    pub steps: u64,
    /// Trials rejected for its error.
    pub rejections: u64,
}

impl Profile {
    /// Puts the costly ones first.
    pub fn sort(&mut self) {
        let later = |a: f64, b: f64| b.total_cmp(&a);
        self.rules.sort_by(|a, b| later(a.seconds, b.seconds));
        self.modes.sort_by(|a, b| later(a.seconds, b.seconds));
        self.instants.sort_by(|a, b| later(a.seconds, b.seconds));
        self.limits
            .sort_by_key(|one| std::cmp::Reverse((one.rejections, one.steps)));
    }

    /// For the terminal: the first of each kind.
    pub fn text(&self, width: Option<u16>) -> String {
        let (steps, time) = (counted(self.steps, self.step_name), seconds(self.seconds));
        let mut text = say!("profile-took", steps, time);
        if self.evaluations > 0 {
            let evaluations = counted(self.evaluations, "evaluation");
            text.push_str(&say!("profile-took.evaluations", evaluations));
        }
        if self.engine == "native" {
            text.push_str(&say!("summary-steps.native"));
        }
        if self.seconds > 0.0 && self.model_time > 0.0 {
            // If the model's time is in seconds, by how much it is faster than what it describes.
            let pace = rounded(self.model_time / self.seconds);
            text.push_str(&say!("profile-took.pace", pace));
        }
        text.push('\n');
        let mut modes = Listing::new([
            (say!("profile-column-mode"), Align::Left),
            (say!("profile-column-steps"), Align::Right),
            (say!("profile-column-rejected"), Align::Right),
            (say!("profile-column-evaluations"), Align::Right),
            (say!("profile-column-time"), Align::Right),
            (say!("profile-column-share"), Align::Right),
        ]);
        for mode in self.modes.iter().take(SHOWN) {
            modes.row([
                shortened(&mode.holds, LONGEST),
                mode.steps.to_string(),
                mode.rejected.to_string(),
                mode.evaluations.to_string(),
                seconds(mode.seconds),
                share(mode.seconds, self.seconds),
            ]);
        }
        let mut instants = Listing::new([
            (say!("profile-column-instant"), Align::Left),
            (say!("profile-column-times"), Align::Right),
            (say!("profile-column-time"), Align::Right),
            (say!("profile-column-each"), Align::Right),
            (say!("profile-column-share"), Align::Right),
        ]);
        for instant in self.instants.iter().take(SHOWN) {
            instants.row([
                shortened(&instant.what, LONGEST),
                instant.count.to_string(),
                seconds(instant.seconds),
                seconds(instant.seconds / instant.count as f64),
                share(instant.seconds, self.seconds),
            ]);
        }
        let mut limits = Listing::new([
            (say!("profile-column-real"), Align::Left),
            (say!("profile-column-in-steps"), Align::Right),
            (say!("profile-column-in-rejected"), Align::Right),
        ]);
        for limit in self.limits.iter().take(SHOWN) {
            limits.row([
                limit.real.clone(),
                limit.steps.to_string(),
                limit.rejections.to_string(),
            ]);
        }
        let mut rules = Listing::new([
            (say!("profile-column-rule"), Align::Left),
            (say!("profile-column-executed"), Align::Right),
            (say!("profile-column-each"), Align::Right),
            (say!("profile-column-time"), Align::Right),
            (say!("profile-column-share"), Align::Right),
        ]);
        let all: f64 = self.rules.iter().map(|rule| rule.seconds).sum();
        for rule in self.rules.iter().take(SHOWN) {
            rules.row([
                shortened(&rule.rule, LONGEST),
                rule.executions.to_string(),
                rule.each.map_or_else(String::new, seconds),
                seconds(rule.seconds),
                share(rule.seconds, all),
            ]);
        }
        if let Some(linear) = &self.linear {
            text.push_str(&format!("{}\n", linear.text()));
        }
        for (listing, n_all) in [
            (modes, self.modes.len()),
            (instants, self.instants.len()),
            (limits, self.limits.len()),
            (rules, self.rules.len()),
        ] {
            push_listing(&mut text, &listing, n_all, width);
        }
        text
    }
}

/// A time in its unit.
fn seconds(value: f64) -> String {
    let (value, unit) = match value {
        value if value >= 1.0 => (value, "s"),
        value if value >= 1e-3 => (value * 1e3, "ms"),
        value if value >= 1e-6 => (value * 1e6, "us"),
        value => (value * 1e9, "ns"),
    };
    let digits = if value >= 100.0 { 0 } else { 1 };
    format!("{value:.digits$} {unit}")
}

#[cfg(test)]
mod tests {
    use situ_words::Language;

    use super::*;

    #[test]
    fn a_profile_is_told_in_both_languages() {
        let mut profile = Profile {
            seconds: 0.5,
            model_time: 2.0,
            engine: "native",
            steps: 21,
            step_name: "step",
            evaluations: 143,
            rules: vec![RuleCost {
                rule: "[1] h = integral(v)".to_owned(),
                executions: 143,
                each: Some(4e-9),
                seconds: 5.7e-7,
            }],
            modes: vec![ModeCost {
                holds: "falling".to_owned(),
                steps: 21,
                rejected: 2,
                evaluations: 143,
                seconds: 0.4,
            }],
            instants: vec![InstantCost {
                what: "bounce".to_owned(),
                count: 2,
                seconds: 0.1,
            }],
            limits: vec![LimitCost {
                real: "v".to_owned(),
                steps: 20,
                rejections: 2,
            }],
            linear: Some(LinearCost {
                unknowns: 400,
                algebraic: 200,
                entries: 1990,
                way: "sparse",
                dense: 2.4e7,
                sparse: Some(5.1e4),
                gmres: None,
            }),
        };
        profile.sort();
        insta::assert_snapshot!(profile.text(None), @r#"
        21 steps in 500 ms, 143 evaluations of the rates, in native code; a second of work takes `time` on by 4
        linear systems: 400 unknowns (200 of them algebraic: solved for, not integrated), 1990 entries of the Jacobian, solved by sparse factors; operations of a factorisation with 20 solutions, estimated: dense factors 2.4e7, sparse factors 5.1e4

        mode: what holds   steps   rejected   evaluations     time    share
        ────────────────────────────────────────────────────────────────────
        falling               21          2           143   400 ms   80.0 %

        at an instant   times     time      each    share
        ──────────────────────────────────────────────────
        bounce              2   100 ms   50.0 ms   20.0 %

        real with the largest error   in steps   in rejected trials
        ────────────────────────────────────────────────────────────
        v                                   20                    2

        rule                  executed     each     time     share
        ───────────────────────────────────────────────────────────
        [1] h = integral(v)        143   4.0 ns   570 ns   100.0 %
        "#);
        insta::assert_snapshot!(Language::Russian.within(|| profile.text(None)), @r#"
        21 шаг за 500 ms, скорости изменения: 143 вычисления, в машинном коде; за секунду работы `time` проходит 4
        линейные системы: неизвестных 400 (из них алгебраических, которые находятся из уравнений: 200), элементов матрицы Якоби 1990, решаются так: разреженное разложение; оценка числа операций разложения с 20 решениями: плотное разложение 2.4e7, разреженное разложение 5.1e4

        режим: что выполняется   шагов   отвергнуто   вычислений    время     доля
        ───────────────────────────────────────────────────────────────────────────
        falling                     21            2          143   400 ms   80.0 %

        в момент события   раз    время    каждое     доля
        ───────────────────────────────────────────────────
        bounce               2   100 ms   50.0 ms   20.0 %

        наибольшая погрешность у   в шагах   в отвергнутых пробах
        ──────────────────────────────────────────────────────────
        v                               20                      2

        правило               выполнено   каждое    время      доля
        ────────────────────────────────────────────────────────────
        [1] h = integral(v)         143   4.0 ns   570 ns   100.0 %
        "#);
    }
}
