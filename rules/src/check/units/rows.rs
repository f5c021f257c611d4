//! The units of a model, and what the rows of its table say of them.

use std::collections::BTreeSet;
use std::f64::consts::{PI, TAU};

use situ_engine::ids::ScheduleId;
use situ_engine::model::{Boolean, Expr, Model, Relation, StartValues};
use situ_words::{Phrase, phrase, say};

use super::agreement::{Asked, Disagreement, Factor, Judged, Mismatch, Unknowns};
use super::measure::Measure;
use super::monomial::{Atom, Monomial};
use super::symbols;
use super::temperature::{Offsets, Scale};
use super::unit::read;
use super::watched::{Watched, watched};
use crate::check::Watchers;
use crate::source::{Origins, Span};

/// What a procedure asks for that takes a length of time.
pub(super) const THE_TIME: Phrase = phrase!("unit-time");

/// A row of the table.
#[derive(Clone, Copy)]
pub(super) enum Row<'m> {
    /// A constant or real with the expression of its start.
    Start(usize),
    /// A comparison.
    Range(usize),
    /// A periodic time event.
    Schedule(usize),
    Relation(&'m Relation),
    Watched(Watched<'m>),
}

/// The units of a model and what its rows say of them. Quantities are numbered: the constants, the reals, the time.
pub(super) struct Rows<'m> {
    pub(super) model: &'m Model,
    pub(super) start: Option<&'m StartValues>,
    pub(super) rows: Vec<Row<'m>>,
    /// So many of the rows act in a run; the others, behind them, only watch it.
    pub(super) n_acting: usize,
    pub(super) units: Vec<Monomial>,
    pub(super) unknowns: Unknowns,
    /// The unknown of each quantity for which no unit is stated.
    pub(super) unknown_of: Vec<Option<usize>>,
    pub(super) found: Vec<Disagreement>,
    /// The row that is looked at, the quantities in it, and whether something of it was left for later.
    pub(super) row: usize,
    pub(super) in_row: Vec<usize>,
    /// The number of the target that is looked at, and the rows and targets of which a disagreement is told.
    pub(super) target: usize,
    pub(super) told: BTreeSet<(usize, usize)>,
    pub(super) postponed: bool,
    /// What the rows that are looked at ask of the time.
    pub(super) asked: Vec<Asked>,
    /// What the right side is that is looked at.
    pub(super) judged: Judged,
    /// A number is summed up over the time in the row: it can be in any unit, `h = integral(-1)`.
    pub(super) sums_number: bool,
    /// The last call of a lookup whose values are temperatures, in words, with their scale.
    pub(super) lookup: Option<(String, Scale)>,
    /// A summand beside 1 that is a part of a whole, with the factor that makes a number of it: `p` in `1 + p`, 0.01.
    pub(super) part: Option<(String, f64)>,
    pub(super) offsets: Offsets,
}

impl<'m> Rows<'m> {
    pub(super) fn new(
        model: &'m Model,
        start: Option<&'m StartValues>,
        watchers: Watchers<'m>,
    ) -> Self {
        let n = model.constants.len() + model.reals.len();
        let starts = (0..n).map(Row::Start);
        let ranges = (0..model.ranges.len()).map(Row::Range);
        let schedules = (0..model.schedules.len()).map(Row::Schedule);
        let relations = model.relations.iter().map(Row::Relation);
        let acting = starts.chain(ranges).chain(schedules).chain(relations);
        let mut all: Vec<Row<'m>> = acting.collect();
        let n_acting = all.len();
        all.extend(watched(model, watchers).map(Row::Watched));
        let mut rows = Self {
            model,
            start,
            rows: all,
            n_acting,
            units: Vec::with_capacity(n + 1),
            unknowns: Unknowns::default(),
            unknown_of: Vec::with_capacity(n + 1),
            found: Vec::new(),
            row: 0,
            in_row: Vec::new(),
            target: 0,
            told: BTreeSet::new(),
            postponed: false,
            asked: Vec::new(),
            judged: Judged::Operand,
            sums_number: false,
            lookup: None,
            part: None,
            offsets: Offsets::of(model),
        };
        let mut n_unknowns = 0;
        for quantity in model.constants.iter().chain(&model.reals) {
            let stated = match quantity.unit.as_str() {
                "" => None,
                text => Some(read(text).map_or_else(
                    || Monomial::atom(Atom::Own(text.to_owned())),
                    |read| read.unit,
                )),
            };
            rows.unknown_of.push(stated.is_none().then_some(n_unknowns));
            n_unknowns += usize::from(stated.is_none());
            let unit = stated.unwrap_or_else(|| rows.unknowns.push());
            rows.units.push(unit);
        }
        let stated = symbols::unit(model.clock.time_unit());
        rows.unknown_of.push(stated.is_none().then_some(n_unknowns));
        let time = stated.unwrap_or_else(|| {
            let scale = rows.unknowns.push_scale();
            Monomial::atom(Atom::Base("s")).times(&scale, 1.0)
        });
        rows.units.push(time);
        rows
    }

    pub(super) fn quantity(&self, number: usize) -> &'m situ_engine::model::Quantity {
        let n = self.model.constants.len();
        if number < n {
            &self.model.constants[number]
        } else {
            &self.model.reals[number - n]
        }
    }

    pub(super) fn time(&mut self) -> Measure {
        let number = self.units.len() - 1;
        self.in_row.push(number);
        Measure::Unit(self.units[number].clone(), 1.0)
    }

    /// A constant; one without a unit that is 0 fits everything as the number does.
    pub(super) fn constant(&mut self, number: usize) -> Measure {
        let start = self.model.constants[number].start;
        let is_zero = matches!(self.model.exprs.get(start), Expr::Number(0.0));
        if is_zero && self.unknown_of[number].is_some() {
            return Measure::Any;
        }
        self.in_row.push(number);
        Measure::Unit(self.units[number].clone(), 1.0)
    }

    /// States that two sides are in one unit.
    pub(super) fn agree(&mut self, left: (String, Measure), right: (String, Measure)) {
        let (a, b, factor, sides) = match (&left.1, &right.1) {
            // A number beside a quantity is in the unit of that: `T < Tset - 0.5`.
            (Measure::Any | Measure::Number(_), _) | (_, Measure::Any | Measure::Number(_)) => {
                return;
            }
            (Measure::Unit(a, x), Measure::Unit(b, y)) => {
                // A number that stands for a quantity tells nothing of the others: `v = integral(-9.81)`.
                let plain = (x * y).abs() == 1.0;
                let asked = right.0 == String::from(THE_TIME) && self.unknowns.is_known(a)
                    || self.is_stated_time(&left.0) && self.unknowns.is_known(b)
                    || self.is_stated_time(&right.0) && self.unknowns.is_known(a);
                if !plain && !asked && !self.two_are_known() {
                    self.postponed = true;
                    return;
                }
                let factor = (!plain).then_some((y / x).abs());
                let sides = [a, b];
                match self.unknowns.is_known(a) && self.unknowns.is_known(b) {
                    true => (a.clone(), b.clone(), factor, sides),
                    false => (self.converted(a, *x), self.converted(b, *y), factor, sides),
                }
            }
        };
        if self.is_told() {
            return;
        }
        // Beside a term stands a difference, `T - gap`, or the zero, `K = T + 273.15`.
        if factor.is_none()
            && self.judged == Judged::Value
            && let (Some(to), Some(from)) = (self.scale_of(&left.0), self.scale_of(&right.0))
            && to != from
        {
            return self.disagree((left.0, a), (right.0, b), Mismatch::Zero(to, from), factor);
        }
        let is_judged =
            right.0 == String::from(THE_TIME) || self.two_are_known() || !self.reads_time();
        if self.asks_time(sides, factor, !is_judged) {
            return;
        }
        if let Err(mismatch) = self.unknowns.equate(&a, &b, self.row)
            && !factor.is_some_and(|factor| self.converts(factor, &mismatch, [&a, &b]))
            && (is_judged || self.time_is_judged(&mismatch))
        {
            self.disagree((left.0, a), (right.0, b), mismatch, factor);
        }
    }

    /// States that two temperatures are on scales with other zeros.
    pub(super) fn other_zero(
        &mut self,
        left: (String, Measure),
        right: (String, Measure),
        to: Scale,
        from: Scale,
    ) {
        if let ((words, Measure::Unit(a, _)), (value, Measure::Unit(b, _))) = (left, right)
            && !self.is_told()
        {
            self.disagree((words, a), (value, b), Mismatch::Zero(to, from), None);
        }
    }

    /// True if something is wrong with what is looked at already: one thing is told of it.
    pub(super) fn is_told(&self) -> bool {
        self.told.contains(&(self.row, self.target))
    }

    pub(super) fn disagree(
        &mut self,
        left: (String, Monomial),
        right: (String, Monomial),
        mismatch: Mismatch,
        number: Option<f64>,
    ) {
        let mismatch = self.due_to(mismatch);
        let factor = match mismatch {
            Mismatch::Scale(scale) => self.wanted(scale, number, [&left.1, &right.1]),
            Mismatch::Dimension(_) | Mismatch::Zero(..) | Mismatch::Offset(_) => Factor::None,
        };
        self.told.insert((self.row, self.target));
        self.found.push(Disagreement {
            row: self.row,
            left,
            right,
            mismatch,
            judged: self.judged.clone(),
            factor,
        });
    }

    /// What is to be multiplied where units differ by a scale and this number stands beside them.
    fn wanted(&self, scale: f64, number: Option<f64>, sides: [&Monomial; 2]) -> Factor {
        if sides.iter().any(|side| self.is_degrees(side)) {
            return Factor::None;
        }
        // Another number may be meant as the factor, only not quite.
        let has_angles = sides.map(|side| self.unknowns.resolve(side).angle()) != [0.0; 2];
        let is_own = |number| is_few(number, FEW) || !has_angles && is_of_formula(number);
        if number.is_some_and(|number| !is_own(number)) {
            return Factor::Written;
        }
        match &self.part {
            Some((words, factor)) => {
                let power = -scale.ln() / factor.ln();
                match (power - power.round()).abs() < 1e-9 {
                    true => Factor::Within(words.clone(), *factor),
                    false => Factor::None,
                }
            }
            None => Factor::OfSide,
        }
    }

    /// True of a temperature in degrees Fahrenheit, or a difference of such.
    fn is_degrees(&self, unit: &Monomial) -> bool {
        let degree = symbols::unit("°F");
        let unit = self.unknowns.resolve(unit);
        degree.is_some_and(|degree| {
            degree.powers == unit.powers && (degree.log - unit.log).abs() < 1e-9
        })
    }

    /// The scale of temperature that a quantity of the row is on, or the value of a lookup.
    pub(super) fn scale_of(&self, words: &str) -> Option<Scale> {
        if let Some((_, scale)) = self.lookup.as_ref().filter(|(call, _)| call == words) {
            return Some(*scale);
        }
        let name = words.strip_prefix('`')?.strip_suffix('`')?;
        let mut named = self
            .in_row
            .iter()
            .filter(|&&number| number + 1 < self.units.len());
        let number = named.find(|&&number| self.quantity(number).name == name)?;
        Scale::of(&self.quantity(*number).unit)
    }

    /// True if a side is the time and the clock states its unit: what it is compared with is then as good as beside a
    /// quantity.
    fn is_stated_time(&self, side: &str) -> bool {
        side.trim_matches('`') == "time" && !self.model.clock.time_unit().is_empty()
    }

    /// True if the time, whose unit the clock states, is asked for its unit: beside it a number that is summed up can be
    /// in any.
    fn time_is_judged(&self, mismatch: &Mismatch) -> bool {
        let is_stated = !self.model.clock.time_unit().is_empty();
        is_stated && !self.sums_number && matches!(mismatch, Mismatch::Scale(_))
    }

    /// True if a number in a row is the factor between its units, `h = 0.01 * d`, or a few times or parts of it. One
    /// between an angle and what has none may count in turns: `n = 60 * w`.
    pub(super) fn converts(&self, factor: f64, mismatch: &Mismatch, sides: [&Monomial; 2]) -> bool {
        let Mismatch::Scale(scale) = mismatch else {
            return false;
        };
        let ratio = factor * scale;
        let [left, right] = sides.map(|side| self.unknowns.resolve(side).angle());
        if left == 0.0 && right == 0.0 {
            return is_few(ratio, FEW) || is_of_formula(ratio);
        }
        let turns = if left == right { 0.0 } else { 1.0 };
        let turns = [0.0, turns, -turns].map(|turns| TAU.powf(turns));
        let is_near = |ratio: f64| (ratio - 1.0).abs() < super::FACTOR_OFF.start;
        let is_left_out = |ratio: f64| {
            let mut parts = PARTS_OF_TURNS.iter();
            parts.any(|part| is_near(ratio / part) || is_near(ratio * part))
        };
        let mut ratios = turns.iter().map(|turns| ratio * turns);
        ratios.any(|ratio| is_few(ratio, MANY) && !is_left_out(ratio))
    }

    /// A part of a whole beside a number: what makes a number of it stands there, `p / 100` in `1 + p / 100`.
    pub(super) fn settled(&self, unit: &Monomial, factor: f64) -> bool {
        self.share(unit)
            .is_some_and(|share| is_few(factor.abs() / share, FEW))
    }

    /// The number that one of a unit without a dimension is, if it is not 1.
    pub(super) fn share(&self, unit: &Monomial) -> Option<f64> {
        let unit = self.unknowns.resolve(unit).without_angles();
        (unit.powers.is_empty() && unit.log.abs() > 1e-9).then(|| unit.log.exp())
    }

    /// A unit times a number: `pi / 180` makes radians of degrees, also twice or half of it.
    pub(super) fn converted(&self, unit: &Monomial, factor: f64) -> Monomial {
        let known = self.unknowns.resolve(unit);
        if known.angle() == 0.0 {
            return unit.clone();
        }
        // What makes radians of other angles, `pi / 30` of revolutions per minute.
        let size = known.log.exp();
        if known.log != 0.0 && is_few(factor.abs() / size, FEW) {
            return unit.times(&Monomial::scale(size), -1.0);
        }
        let whole = |ratio: f64| ratio >= 0.5 && (ratio / ratio.round() - 1.0).abs() < 1e-9;
        let simple = |ratio: f64| ratio < 1000.0 && (whole(ratio) || whole(1.0 / ratio));
        let degree = PI / 180.0;
        let by = [degree, 1.0 / degree].into_iter();
        match by.into_iter().find(|by| simple(factor.abs() / by)) {
            Some(by) => unit.times(&Monomial::scale(by), -1.0),
            None => unit.clone(),
        }
    }

    /// True if two quantities of the row have a unit, not counting the time.
    fn two_are_known(&self) -> bool {
        let named = self.in_row.iter().copied();
        let mut known = named.filter(|&quantity| {
            quantity + 1 < self.units.len() && self.unknowns.is_known(&self.units[quantity])
        });
        let first = known.next();
        known.any(|quantity| Some(quantity) != first)
    }

    /// True if the time is in the row: beside it a number can be in any unit, `h = integral(-1)`.
    fn reads_time(&self) -> bool {
        self.in_row.contains(&(self.units.len() - 1))
    }

    /// The place of a row; a setting of the clock has none. Of a start it is where its value is given.
    pub(super) fn place(&self, row: usize, origins: &Origins) -> Option<Span> {
        origins.get(match self.rows[row] {
            Row::Start(quantity) => {
                let origin = self.quantity(quantity).origin;
                return origins.start_of(origin).or_else(|| origins.get(origin));
            }
            Row::Range(range) => self.model.ranges[range].origin,
            Row::Schedule(schedule) => self.model.schedules[schedule].origin,
            Row::Relation(relation) => relation.origin,
            Row::Watched(watched) => return watched.place(origins),
        })
    }

    /// Where a quantity is declared whose start is given at another place.
    pub(super) fn declared(&self, row: usize, origins: &Origins) -> Option<Span> {
        let Row::Start(quantity) = self.rows[row] else {
            return None;
        };
        let origin = self.quantity(quantity).origin;
        origins.start_of(origin).and_then(|_| origins.get(origin))
    }

    /// The first of the rows that are of targets of one written row.
    pub(super) fn first_written_with(&self, mut row: usize) -> usize {
        while matches!(self.rows[row], Row::Relation(relation) if relation.grouped) {
            row -= 1;
        }
        row
    }

    /// True if a row is read off a run.
    pub(super) fn is_read(&self, row: usize) -> bool {
        matches!(self.rows[row], Row::Watched(Watched::Read(_)))
    }

    /// The setting of the clock that a row is; `None` if it stands at a place.
    pub(super) fn setting(&self, row: usize) -> Option<&'m str> {
        match self.rows[row] {
            Row::Watched(watched @ Watched::Stop(_)) => Some(watched.name()),
            _ => None,
        }
    }

    pub(super) fn row_name(&self, row: usize) -> String {
        match self.rows[row] {
            Row::Start(quantity) => say!(
                "unit-row-name.start",
                quantity = self.quantity(quantity).name
            ),
            Row::Range(range) => say!("unit-row-name.range", range = self.model.ranges[range].name),
            Row::Schedule(schedule) => {
                let schedule = Boolean::Schedule(ScheduleId::new(schedule));
                format!("`{}`", self.model.boolean_name(schedule))
            }
            Row::Relation(relation) => say!("unit-row-name.row", id = relation.id),
            Row::Watched(watched) => format!("`{}`", watched.name()),
        }
    }
}

/// Numbers that a factor between units may stand in a row with.
const FEW: f64 = 10.0;

/// The same beside angles.
const MANY: f64 = 1000.0;

/// Numbers that make angles of each other together with pi: what differs by one of them has most likely left it out, as
/// `w = 2 * pi * n` has of revolutions per minute.
const PARTS_OF_TURNS: [f64; 4] = [30.0, 60.0, 180.0, 360.0];

/// True of a whole number or a part that is one, up to a size; a factor is often written with few digits.
fn is_few(ratio: f64, most: f64) -> bool {
    let whole = |ratio: f64| {
        ratio > 0.5
            && ratio < most - 0.5
            && (ratio / ratio.round() - 1.0).abs() < super::FACTOR_OFF.start
    };
    whole(ratio) || whole(1.0 / ratio)
}

/// True of a number that a formula has for itself, whatever its units are: a power or root of a quotient of small numbers,
/// also times or through pi, as in the volume of a ball and its radius.
fn is_of_formula(number: f64) -> bool {
    let is_quotient = |number: f64| (1..=4).any(|below| is_few(number * f64::from(below), FEW));
    let bare = |number: f64| (-2..=2).any(|power| is_quotient(number * PI.powi(power)));
    let powers = [1.0, 2.0, 3.0, 1.0 / 2.0, 1.0 / 3.0];
    powers.iter().any(|power| bare(number.abs().powf(*power)))
}
