//! Rows as equations between units.

use situ_engine::model::{
    Argument, Coefficient, Comparison, Expr, Relation, Schedule, Watch, WatchAtom,
};
use situ_engine::procedure::CoefRole;
use situ_engine::trace::Measure as Measured;
use situ_words::say;

use super::agreement::{Asked, Disagreement, Factor, Judged, Mismatch};
use super::measure::{Measure, times};
use super::monomial::Monomial;
use super::rows::{Row, Rows, THE_TIME};
use super::symbols;
use super::unit::read;
use super::watched::Watched;
use crate::resolve::{Expected, Obtained};

impl<'m> Rows<'m> {
    /// Looks at all rows, those that only watch a run last: first at what units say of each other, then, where two are
    /// known, at numbers beside them, and at last, where the unit of the time is decided on, at those that ask for it.
    pub(super) fn look(&mut self) {
        for rows in [0..self.n_acting, self.n_acting..self.rows.len()] {
            let (mut left, asking, asked) = self.look_at_all(rows.collect());
            if !asked.is_empty() && self.unknowns.is_time_open() {
                self.decide_time(&asked);
                left.extend(asking);
                left.sort_unstable();
                self.look_at_all(left);
            }
        }
    }

    /// Looks at rows until nothing more follows. Gives those of which something is left for numbers beside what is not
    /// known, those that wait for the unit of the time alone, and what all of these ask of it.
    fn look_at_all(&mut self, mut left: Vec<usize>) -> (Vec<usize>, Vec<usize>, Vec<Asked>) {
        let (mut asking, mut asked) = (Vec::new(), Vec::new());
        let mut n = usize::MAX;
        while left.len() < n {
            n = left.len();
            self.asked.clear();
            left.retain(|&row| {
                let before = self.asked.len();
                let is_left = self.look_at(row);
                if !is_left && self.asked.len() > before {
                    asking.push(row);
                    asked.extend(self.asked.drain(before..));
                }
                is_left
            });
        }
        asked.append(&mut self.asked);
        (left, asking, asked)
    }

    /// Takes down what two sides ask of the time; true if they are to be looked at again when that is decided.
    pub(super) fn asks_time(
        &mut self,
        sides: [&Monomial; 2],
        factor: Option<f64>,
        is_weak: bool,
    ) -> bool {
        let [left, right] = sides;
        let Some(of_time) = self.unknowns.of_time(left, right) else {
            return false;
        };
        self.asked.push(Asked {
            row: self.row,
            of_time,
            sides: sides.map(Clone::clone),
            factor,
            is_weak,
        });
        true
    }

    /// Decides on the unit of the time by the rows that ask for one, whatever their order: the one that most of them agree
    /// with, seconds before others. Only what the time is told in can be meant: a row that would need another unit, such as
    /// 3.6 s, does not agree itself. Seconds are assumed if none agrees with any.
    fn decide_time(&mut self, asked: &[Asked]) {
        let is_weak = asked.iter().all(|one| one.is_weak);
        let asked = || asked.iter().filter(|one| one.is_weak == is_weak);
        let (mut seconds, mut most) = (Monomial::default(), [0, 0]);
        for unit in symbols::times() {
            let agreeing = asked().filter(|one| self.agrees(one, unit.log));
            let plain = agreeing.clone().filter(|one| one.factor.is_none());
            let count = [agreeing.count(), plain.count()];
            if count > most {
                (seconds, most) = (Monomial::scale(unit.log.exp()), count);
            }
        }
        let agreeing = asked().filter(|one| self.agrees(one, seconds.log));
        let by = agreeing.min_by_key(|one| (one.factor.is_some(), one.row));
        let by = by.map(|one| one.row);
        self.unknowns.decide_time(seconds, by);
    }

    /// True if a row agrees in itself where the unit of the time is so many seconds, by the logarithm of that.
    fn agrees(&self, asked: &Asked, log: f64) -> bool {
        let Some(mismatch) = asked.of_time.mismatch(log) else {
            return true;
        };
        let [left, right] = &asked.sides;
        let factor = asked.factor;
        factor.is_some_and(|factor| self.converts(factor, &mismatch, [left, right]))
    }

    /// Looks at a row; true if something of it is left.
    fn look_at(&mut self, row: usize) -> bool {
        (self.row, self.postponed, self.sums_number) = (row, false, false);
        (self.part, self.lookup) = (None, None);
        self.target = 0;
        self.in_row.clear();
        self.absolute();
        match self.rows[row] {
            Row::Start(quantity) => self.start(quantity),
            Row::Range(range) => {
                for comparison in &self.model.ranges[range].all {
                    self.comparison(comparison);
                }
            }
            Row::Schedule(schedule) => {
                let Schedule { period, first, .. } = self.model.schedules[schedule];
                for length in [period, first] {
                    let side = self.side(length);
                    self.lasts(Some(&side));
                }
            }
            Row::Relation(relation) => self.relation(relation),
            Row::Watched(watched) => self.watched(watched),
        }
        self.postponed
    }

    fn comparison(&mut self, comparison: &Comparison) {
        let left = self.side(comparison.left);
        let right = self.side(comparison.right);
        self.judged = Judged::Value;
        self.agree(left, right);
        self.judged = Judged::Operand;
    }

    fn start(&mut self, number: usize) {
        let quantity = self.quantity(number);
        let start = quantity.start;
        // Numbers are in the unit of what starts with them, also as summands: `2 + 0.5 * i / n`.
        let mut has_numbers = matches!(self.model.exprs.get(start), Expr::Number(_));
        self.model.exprs.visit(start, |_, node| {
            if let Expr::Add(left, right) | Expr::Sub(left, right) = node {
                let sides = [*left, *right].map(|side| self.model.exprs.get(side));
                has_numbers |= sides.iter().any(|side| matches!(side, Expr::Number(_)));
            }
        });
        if has_numbers {
            return;
        }
        self.in_row.push(number);
        let name = format!("`{}`", quantity.name);
        let start = self.side(start);
        let whole = Measure::Unit(self.units[number].clone(), 1.0);
        self.judged = Judged::Value;
        self.agree((name, whole), start);
        self.judged = Judged::Operand;
    }

    fn coefficient(&mut self, coefficient: Coefficient) -> Measure {
        match coefficient {
            Coefficient::Number(0.0) => Measure::Any,
            Coefficient::Number(number) => Measure::Number(number),
            Coefficient::Constant { id, .. } => self.constant(id.index()),
        }
    }

    /// The coefficient of a relation as a factor; one that is a parameter is a length of time, and no factor.
    fn factor(&mut self, relation: &Relation) -> Measure {
        let coefficient = self.coefficient(relation.coef);
        let CoefRole::Parameter(_) = relation.procedure.get().coef else {
            return coefficient;
        };
        if let Coefficient::Constant { id, .. } = relation.coef {
            let name = format!("`{}`", self.model.constants[id.index()].name);
            self.judged = Judged::Parameter;
            self.lasts(Some(&(name, coefficient)));
            self.judged = Judged::Operand;
        }
        Measure::Number(1.0)
    }

    fn relation(&mut self, relation: &Relation) {
        let n_constants = self.model.constants.len();
        let args: Vec<(String, Measure)> = relation
            .args
            .iter()
            .filter_map(|argument| match argument {
                Argument::Real(expr) => Some(self.side(*expr)),
                Argument::Boolean(_) => None,
            })
            .collect();
        let procedure = relation.procedure.get().name;
        // The equations are in units of their own: they agree in themselves.
        if relation.procedure.solves() {
            let n_equations = relation.targets.len();
            return self.bounds(relation, &args[n_equations..]);
        }
        for (at, target) in relation.targets.iter().enumerate() {
            let number = n_constants + target.index();
            self.in_row.push(number);
            let name = format!("`{}`", self.model.reals[target.index()].name);
            let target = (name, Measure::Unit(self.units[number].clone(), 1.0));
            let coefficient = self.factor(relation);
            if relation.targets.len() > 1 {
                let (words, value) = args[at].clone();
                self.target = at;
                self.agree(target, (words, times(coefficient, value, 1.0)));
                continue;
            }
            match (procedure, args.as_slice()) {
                ("sum", [first, second]) => {
                    let other = self.coefficient(relation.coef2);
                    let first = (first.0.clone(), times(coefficient, first.1.clone(), 1.0));
                    let second = (second.0.clone(), times(other, second.1.clone(), 1.0));
                    if self.takes_unit(&first.1) || self.takes_unit(&second.1) {
                        // It is in the unit of what stands beside it, and so is the sum.
                        let words = self.summed(relation, [&args[0].0, &args[1].0]);
                        let sum = match relation.args.as_slice() {
                            [Argument::Real(left), Argument::Real(right)] => {
                                self.sum_of([*left, *right], first, second)
                            }
                            _ => self.sum(first, second),
                        };
                        self.judged = Judged::Value;
                        self.agree(target, (words, sum));
                        self.judged = Judged::Operand;
                        continue;
                    }
                    self.agree(target.clone(), first);
                    self.agree(target, second);
                }
                _ => {
                    let value = match relation.args.as_slice() {
                        [_, Argument::Real(exponent)] if procedure == "power" => {
                            self.power(&args, Some(*exponent))
                        }
                        _ => self.value(procedure, &args),
                    };
                    let words = match (procedure, args.as_slice()) {
                        ("assignment" | "proportional", [(words, _)]) => {
                            self.multiplied(relation, words)
                        }
                        _ => {
                            let words = args.iter().map(|arg| arg.0.trim_matches('`'));
                            let factor = match relation.coef {
                                Coefficient::Constant { id, .. } => {
                                    Some(self.model.constants[id.index()].name.as_str())
                                }
                                Coefficient::Number(_) => None,
                            };
                            called(procedure, factor, words.collect())
                        }
                    };
                    let first = args.first().map(|arg| arg.0.clone());
                    self.judged = match relation.procedure.get().has_memory() {
                        true => Judged::Memory(first),
                        false => Judged::Value,
                    };
                    self.agree(target, (words, times(coefficient, value, 1.0)));
                    self.judged = Judged::Operand;
                }
            }
        }
    }

    /// True of a summand that is in the unit of what stands beside it: a number, or what has no unit yet.
    fn takes_unit(&self, measure: &Measure) -> bool {
        match measure {
            Measure::Any => false,
            Measure::Number(_) => true,
            Measure::Unit(unit, _) => !self.unknowns.is_known(unit),
        }
    }

    /// An expression behind the number in front of it, in a row of several targets.
    fn multiplied(&self, relation: &Relation, words: &str) -> String {
        let is_next = |row: &&Row<'_>| matches!(row, Row::Relation(next) if next.grouped);
        let is_one = relation.grouped || self.rows.get(self.row + 1).filter(is_next).is_some();
        match relation.coef {
            Coefficient::Number(number) if is_one && number.abs() != 1.0 => {
                format!(
                    "`{}`",
                    times_words(&number.to_string(), words.trim_matches('`'))
                )
            }
            _ => words.to_owned(),
        }
    }

    /// A sum of a quantity and a number, in words.
    fn summed(&self, relation: &Relation, sides: [&str; 2]) -> String {
        let coefficients = [relation.coef, relation.coef2].map(|coefficient| match coefficient {
            Coefficient::Number(number) if number.abs() == 1.0 => (number < 0.0, String::new()),
            Coefficient::Number(number) => (number < 0.0, format!("{} * ", number.abs())),
            Coefficient::Constant { id, negative } => (
                negative,
                format!("{} * ", self.model.constants[id.index()].name),
            ),
        });
        let [first, second] = sides.map(|side| side.trim_matches('`'));
        let [(below, before), (minus, between)] = coefficients;
        let (minus, below) = (if minus { '-' } else { '+' }, if below { "-" } else { "" });
        format!("`{below}{before}{first} {minus} {between}{second}`")
    }

    /// Bounds of an unknown are in its unit.
    fn bounds(&mut self, relation: &Relation, bounds: &[(String, Measure)]) {
        for bound in bounds {
            let target = relation.targets[0].index();
            let number = self.model.constants.len() + target;
            self.in_row.push(number);
            let name = format!("`{}`", self.model.reals[target].name);
            let whole = Measure::Unit(self.units[number].clone(), 1.0);
            self.agree((name, whole), bound.clone());
        }
    }

    fn watched(&mut self, watched: Watched<'_>) {
        match watched {
            Watched::Stop(all) => self.watch(all),
            Watched::Invariant(invariant) => _ = self.side(invariant.value),
            Watched::Expected(expectation) => match expectation.expected() {
                Expected::Never(opposites) => opposites.iter().for_each(|all| self.watch(all)),
                Expected::Value {
                    measure,
                    value,
                    tolerance,
                    ..
                } => {
                    let measured = self.measured(measure, &expectation.text);
                    for value in [Some(*value), *tolerance].into_iter().flatten() {
                        let value = self.side(value);
                        self.agree(measured.clone(), value);
                    }
                }
            },
            Watched::Read(reading) => {
                let side = match reading.of {
                    Obtained::Measured(measure) => self.measured(measure, reading.text),
                    Obtained::Each { value, at, .. } => {
                        self.watch(at);
                        self.side(*value)
                    }
                };
                if !reading.unit.is_empty() {
                    self.given_in(side, reading.unit);
                }
            }
        }
    }

    /// States that a number is given in a unit.
    fn given_in(&mut self, (words, measure): (String, Measure), unit: &str) {
        let (Measure::Unit(own, _), Some(given)) = (measure, read(unit)) else {
            return;
        };
        if self.is_told() || self.asks_time([&own, &given.unit], None, false) {
            return;
        }
        if let Err(mismatch) = self.unknowns.equate(&own, &given.unit, self.row) {
            self.told.insert((self.row, self.target));
            self.found.push(Disagreement {
                row: self.row,
                left: (words, own),
                right: (say!("unit-side.given"), given.unit),
                mismatch,
                judged: Judged::Operand,
                factor: Factor::OfSide,
            });
        }
    }

    fn watch(&mut self, all: &Watch) {
        for literal in all {
            literal.each_atom(&mut |atom| {
                if let WatchAtom::Comparison(comparison) = atom {
                    self.comparison(&comparison);
                }
            });
        }
    }

    /// What a measure is in: what it measures, the time, or a number of times.
    fn measured(&mut self, measure: &Measured, text: &str) -> (String, Measure) {
        let call = match text.split_once(')') {
            Some((call, _)) => format!("{call})"),
            None => format!("`{text}`"),
        };
        match measure {
            Measured::Final(value)
            | Measured::Min(value)
            | Measured::Max(value)
            | Measured::Drift(value)
            | Measured::At(value, _) => self.side(*value),
            Measured::First(all) | Measured::Duration(all) | Measured::Period(all) => {
                self.watch(all);
                (call, self.time())
            }
            Measured::Count(all) => {
                self.watch(all);
                (call, Measure::Unit(Monomial::default(), 1.0))
            }
        }
    }

    /// What was concluded of the quantities in a row, a sentence each. What the row itself says of them counts where a
    /// factor is to be written: it decides what they are in then.
    pub(super) fn inferred(&mut self, found: &Disagreement) -> Vec<String> {
        self.look_at_quantities(found.row);
        let is_told = matches!(found.mismatch, Mismatch::Scale(_));
        let quantities = self.in_row.iter();
        let unit = self.model.clock.time_unit();
        let sentences = quantities.filter_map(|&quantity| {
            if quantity + 1 == self.units.len() && !unit.is_empty() {
                return Some(say!("unit-inferred.time-clock-says", unit));
            }
            let unknown = self.unknown_of[quantity]?;
            let by = self.unknowns.solved_by(unknown);
            if quantity + 1 == self.units.len() && by.is_none() && !self.unknowns.is_time_open() {
                return Some(say!("unit-inferred.time-is-assumed"));
            }
            let by = by?;
            if by == found.row && !is_told || !self.unknowns.is_known(&self.units[quantity]) {
                return None;
            }
            let name = match self.units.len() - 1 == quantity {
                true => THE_TIME.into(),
                false => format!("`{}`", self.quantity(quantity).name),
            };
            let unit = self.unit_text(&self.units[quantity]);
            Some(say!(
                "unit-inferred.is-in-by",
                name,
                unit,
                by = self.row_name(by)
            ))
        });
        sentences.collect()
    }

    /// Looks at a row for the quantities in it.
    pub(super) fn look_at_quantities(&mut self, row: usize) {
        self.look_at(row);
        self.in_row.sort_unstable();
        self.in_row.dedup();
    }
}

/// A factor and what it multiplies, in words.
fn times_words(factor: &str, words: &str) -> String {
    let is_sum = [" + ", " - "].iter().any(|sign| words.contains(sign));
    match is_sum || words.starts_with('-') {
        true => format!("{factor} * ({words})"),
        false => format!("{factor} * {words}"),
    }
}

/// What a row computes, in words: as it is written in one line.
fn called(procedure: &str, factor: Option<&str>, args: Vec<&str>) -> String {
    let operator = match procedure {
        "product" => " * ",
        "quotient" => " / ",
        "power" => " ^ ",
        _ => {
            let mut args: Vec<String> = args.into_iter().map(str::to_owned).collect();
            if let (Some(factor), Some(first)) = (factor, args.first_mut()) {
                *first = times_words(factor, first);
            }
            return format!("`{procedure}({})`", args.join(", "));
        }
    };
    let bracketed = |arg: &str| match arg.contains(' ') {
        true => format!("({arg})"),
        false => arg.to_owned(),
    };
    let args: Vec<String> = args.into_iter().map(bracketed).collect();
    let factor = factor.map(|factor| format!("{factor} * "));
    format!("`{}{}`", factor.unwrap_or_default(), args.join(operator))
}
