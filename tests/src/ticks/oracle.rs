//! A second tick run, made to be read and not to be fast: it walks the model as FORMALISM section 6
//! says, row by row, without a tape, masks or anything prepared.
//!
//! The engine must agree with it bit for bit. Only procedures without memory are shared.

use situ_engine::ids::ExprId;
use situ_engine::model::{
    Argument, Boolean, Coefficient, Conjunction, Expr, Guard, IntegralRule, Literal, Model,
    Relation, Scan,
};
use situ_engine::procedure::{self, Body, CoefRole, Memory};

/// Two times are one instant if they differ by this share of the known one.
const INSTANT: f64 = 8.0 * f64::EPSILON;

/// The state of a run.
pub(crate) struct Oracle<'m> {
    model: &'m Model,
    scan: Scan,
    integral: IntegralRule,
    dt: f64,
    /// Ticks done.
    tick: u64,
    constants: Vec<f64>,
    pub(crate) reals: Vec<f64>,
    pub(crate) switches: Vec<bool>,
    pub(crate) ranges: Vec<bool>,
    pub(crate) situations: Vec<bool>,
    schedules: Vec<bool>,
    /// Per situation row whether its conjunction held in the tick before.
    held: Vec<bool>,
    /// Per relation whether the condition it counts held in the tick before.
    counted: Vec<bool>,
    /// Per relation the values that are on their way through a delay, oldest first.
    lines: Vec<Vec<f64>>,
    /// Per relation what it read last, for derivatives.
    read: Vec<f64>,
    /// The reals before the group of rows that is done.
    group: Vec<f64>,
    /// Effects of the active rows in the last tick, in written order.
    pub(crate) deeds: Vec<Deed>,
}

/// A row that was active: the reals that it found and left.
pub(crate) struct Deed {
    pub(crate) relation: usize,
    pub(crate) before: Vec<f64>,
    pub(crate) after: Vec<f64>,
}

/// Reals and time that an expression reads.
struct Reading<'a> {
    reals: &'a [f64],
    time: f64,
}

impl<'m> Oracle<'m> {
    /// A run at its start.
    pub(crate) fn new(model: &'m Model, scan: Scan, integral: IntegralRule, dt: f64) -> Self {
        let values = model.start_values().unwrap();
        let mut oracle = Self {
            model,
            scan,
            integral,
            dt,
            tick: 0,
            constants: values.constants,
            reals: values.reals,
            switches: model.switches.iter().map(|switch| switch.start).collect(),
            ranges: vec![false; model.ranges.len()],
            situations: vec![false; model.situations.len()],
            schedules: vec![false; model.schedules.len()],
            held: vec![false; model.situation_rows.len()],
            counted: vec![false; model.relations.len()],
            lines: Vec::new(),
            read: Vec::new(),
            group: Vec::new(),
            deeds: Vec::new(),
        };
        oracle.conditions(true);
        oracle.count(true);
        let reals = oracle.reals.clone();
        let at_start = Reading {
            reals: &reals,
            time: 0.0,
        };
        for relation in &model.relations {
            oracle.read.push(match relation.procedure.get().body {
                Body::Memory(Memory::Derivative) => oracle.arg(relation, 0, &at_start),
                _ => 0.0,
            });
            let mut line = Vec::new();
            if let Body::Memory(Memory::Delay) = relation.procedure.get().body {
                let tau = oracle.arg(relation, 1, &at_start);
                let value = oracle.coef(relation.coef) * oracle.arg(relation, 0, &at_start);
                let mut left = (tau / dt).round();
                while left > 0.0 {
                    line.push(value);
                    left -= 1.0;
                }
            }
            oracle.lines.push(line);
        }
        oracle
    }

    /// One tick.
    pub(crate) fn step(&mut self) {
        let mut before = self.reals.clone();
        self.conditions(false);
        self.assign();
        let counted = self.count(false);
        self.deeds.clear();
        let mut rows: Vec<(usize, bool)> = counted.into_iter().enumerate().collect();
        if self.scan == Scan::Simultaneous {
            rows.sort_by_key(|(index, _)| !self.is_auxiliary(*index));
        }
        for (index, counted) in rows {
            let found = self.reals.clone();
            if self.is_auxiliary(index) && self.scan == Scan::Sequential {
                self.auxiliary_before(index, &mut before);
            }
            self.relation(index, &before, counted);
            if self.is_auxiliary(index) && self.scan == Scan::Simultaneous {
                let targets = self.model.relations[index].targets.iter();
                for target in targets.filter(|target| self.model.reals[target.index()].auxiliary) {
                    before[target.index()] = self.reals[target.index()];
                }
            }
            if self.is_active(&self.model.relations[index]) {
                self.deeds.push(Deed {
                    relation: index,
                    before: found,
                    after: self.reals.clone(),
                });
            }
        }
        self.tick += 1;
    }

    /// True if a row gives an auxiliary variable: it is done where others read it.
    fn is_auxiliary(&self, index: usize) -> bool {
        let mut targets = self.model.relations[index].targets.iter();
        targets.any(|target| self.model.reals[target.index()].auxiliary)
    }

    /// What a row of an auxiliary variable gives with the values before the tick.
    fn auxiliary_before(&self, index: usize, before: &mut [f64]) {
        let relation = &self.model.relations[index];
        if !self.is_active(relation) {
            return;
        }
        if let Some(values) = self.gives(relation, before, self.time()) {
            for (target, value) in relation.targets.iter().zip(values) {
                before[target.index()] = value;
            }
        }
    }

    /// Values that a row without memory gives on a row of any run, target by target.
    pub(crate) fn gives(&self, relation: &Relation, reals: &[f64], time: f64) -> Option<Vec<f64>> {
        let args = Reading { reals, time };
        match relation.procedure.get().body {
            Body::Value(_) => Some(self.values(relation, &args)),
            Body::Memory(_) | Body::Solve => None,
        }
    }

    /// Rate of an integral, per unit of time, on a row of any run.
    pub(crate) fn rate(&self, relation: &Relation, reals: &[f64], time: f64) -> Option<f64> {
        let args = Reading { reals, time };
        match relation.procedure.get().body {
            Body::Memory(Memory::Integral) => {
                Some(self.coef(relation.coef) * self.arg(relation, 0, &args))
            }
            _ => None,
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "few ticks")]
    fn time(&self) -> f64 {
        self.tick as f64 * self.dt
    }

    /// The time that the tick before has read; the start in the first one.
    #[expect(clippy::cast_precision_loss, reason = "few ticks")]
    pub(crate) fn time_before(&self) -> f64 {
        self.tick.saturating_sub(1) as f64 * self.dt
    }

    /// Ranges and situations in written order.
    fn conditions(&mut self, starting: bool) {
        for (index, range) in self.model.ranges.iter().enumerate() {
            let reading = Reading {
                reals: &self.reals,
                time: self.time(),
            };
            let holds = range.all.iter().all(|comparison| {
                let mut left = self.expr(comparison.left, &reading);
                let mut right = self.expr(comparison.right, &reading);
                let [time, other] = [comparison.left, comparison.right].map(|side| {
                    let is_time = matches!(self.model.exprs.get(side), Expr::Time);
                    (is_time, self.is_known(side))
                });
                // A known time that the ticks miss by rounding only is one instant with theirs.
                if time.0 && other.1 && (left - right).abs() <= INSTANT * right.abs() {
                    left = right;
                }
                if other.0 && time.1 && (left - right).abs() <= INSTANT * left.abs() {
                    right = left;
                }
                comparison.op.holds(left, right)
            });
            self.ranges[index] = holds;
        }
        for index in 0..self.model.schedules.len() {
            self.schedules[index] = !starting && self.is_due(index);
        }
        self.situations.fill(false);
        for (index, row) in self.model.situation_rows.iter().enumerate() {
            let holds = self.all(&row.all, starting);
            let event = self.model.situations[row.situation.index()].event;
            let arises = !self.held[index] || self.is_instant(&row.all);
            if holds && (!event || arises && !starting) {
                self.situations[row.situation.index()] = true;
            }
            self.held[index] = holds;
        }
    }

    /// True if an expression has one value throughout a run.
    fn is_known(&self, expr: ExprId) -> bool {
        let mut known = true;
        self.model.exprs.visit(expr, |_, node| {
            known &= !matches!(node, Expr::Real(_) | Expr::Time);
            if let Expr::Call(id, _) = node {
                known &= !id.reads_time();
            }
        });
        known
    }

    fn is_instant(&self, all: &[Literal]) -> bool {
        all.iter()
            .any(|literal| !literal.negated && self.model.is_event(literal.what))
    }

    /// True if one of the instants `first + k * period` falls into this tick, or fell before the
    /// first one.
    fn is_due(&self, index: usize) -> bool {
        let schedule = &self.model.schedules[index];
        let reading = Reading {
            reals: &[],
            time: 0.0,
        };
        let period = self.expr(schedule.period, &reading);
        let first = self.expr(schedule.first, &reading);
        let mut instant = first;
        let mut k = 0.0;
        while instant <= self.time() {
            if self.tick == 0 || instant > self.time() - self.dt {
                return true;
            }
            k += 1.0;
            instant = first + k * period;
        }
        false
    }

    fn assign(&mut self) {
        let model = self.model;
        let found: Vec<bool> = model
            .assignments
            .iter()
            .map(|row| self.all(&row.when, false))
            .collect();
        for (row, found) in model.assignments.iter().zip(found) {
            let holds = match self.scan {
                Scan::Simultaneous => found,
                Scan::Sequential => self.all(&row.when, false),
            };
            if holds {
                for (switch, value) in &row.set {
                    self.switches[switch.index()] = *value;
                }
            }
        }
    }

    /// Notes the conditions that are counted; whether each has just arisen.
    fn count(&mut self, starting: bool) -> Vec<bool> {
        let model = self.model;
        let mut arisen = vec![false; model.relations.len()];
        for (index, relation) in model.relations.iter().enumerate() {
            let Body::Memory(Memory::Counter) = relation.procedure.get().body else {
                continue;
            };
            let Argument::Boolean(literal) = relation.args[0] else {
                panic!("a counter counts a condition");
            };
            let holds = self.literal(literal, starting);
            arisen[index] = holds && (!self.counted[index] || self.is_instant(&[literal]));
            self.counted[index] = holds;
        }
        arisen
    }

    fn literal(&self, literal: Literal, starting: bool) -> bool {
        let holds = match literal.what {
            Boolean::Switch(id) => self.switches[id.index()],
            Boolean::Range(id) => self.ranges[id.index()],
            Boolean::Situation(id) => self.situations[id.index()],
            Boolean::Schedule(id) => self.schedules[id.index()],
            Boolean::Start => self.tick == 0 && !starting,
        };
        holds != literal.negated
    }

    fn all(&self, all: &Conjunction, starting: bool) -> bool {
        all.iter().all(|literal| self.literal(*literal, starting))
    }

    fn is_active(&self, relation: &Relation) -> bool {
        match &relation.guard {
            Guard::Always => true,
            Guard::When(all) => self.all(all, false),
            Guard::Otherwise => relation.targets.iter().all(|target| {
                !self.model.relations.iter().any(|other| match &other.guard {
                    Guard::When(all) => other.targets.contains(target) && self.all(all, false),
                    _ => false,
                })
            }),
        }
    }

    fn relation(&mut self, index: usize, before: &[f64], counted: bool) {
        let relation = &self.model.relations[index];
        let simultaneous = self.scan == Scan::Simultaneous;
        // Rows of one group read what stood before the first of them.
        if !relation.grouped {
            self.group = self.reals.clone();
        }
        let as_it_stands = self.group.clone();
        let time = self.time();
        let args = Reading {
            reals: if simultaneous { before } else { &as_it_stands },
            time,
        };
        let past = Reading {
            reals: before,
            time,
        };
        let target = relation.targets[0].index();
        let own = args.reals[target];
        let c = self.coef(relation.coef);
        let real = |position: usize| self.arg(relation, position, &args);
        let holds = |position: usize| match relation.args[position] {
            Argument::Boolean(literal) => self.literal(literal, false),
            Argument::Real(_) => panic!("a condition"),
        };

        // The past of a delay is kept also while the row is not active.
        if let Body::Memory(Memory::Delay) = relation.procedure.get().body {
            let mut value = c * real(0);
            let line = &mut self.lines[index];
            if !line.is_empty() {
                line.push(value);
                value = line.remove(0);
            }
            if self.is_active(relation) {
                self.reals[target] = value;
            }
            return;
        }
        // So is what a derivative has read last.
        if let Body::Memory(Memory::Derivative) = relation.procedure.get().body {
            let now = real(0);
            let last = std::mem::replace(&mut self.read[index], now);
            if self.is_active(relation) {
                self.reals[target] = c * (now - last) / self.dt;
            }
            return;
        }
        if !self.is_active(relation) {
            return;
        }
        let value = match relation.procedure.get().body {
            Body::Value(_) => {
                let values = self.values(relation, &args);
                for (target, value) in relation.targets.iter().zip(values) {
                    self.reals[target.index()] = value;
                }
                return;
            }
            // What is found has as many digits as the search gives it: compared in `events::implicit`.
            Body::Solve => return,
            Body::Memory(Memory::Integral) => {
                let rate = match (self.integral, self.scan) {
                    (IntegralRule::Trapezoid, Scan::Sequential) => {
                        (self.arg(relation, 0, &past) + real(0)) / 2.0
                    }
                    _ => real(0),
                };
                own + (c * rate) * self.dt
            }
            Body::Memory(Memory::Smoothing) => own + (real(0) - own) * (1.0 - exp(-(self.dt / c))),
            Body::Memory(Memory::SampleAndHold) if holds(1) => c * real(0),
            Body::Memory(Memory::Counter) if counted => own + 1.0,
            Body::Memory(Memory::Timer) => match holds(0) {
                true => own + self.dt,
                false => 0.0,
            },
            Body::Memory(Memory::Hysteresis) => {
                let (value, low, high) = (real(0), real(1), real(2));
                match (value >= high, value <= low) {
                    (true, _) => 1.0,
                    (false, true) => 0.0,
                    (false, false) => own,
                }
            }
            Body::Memory(
                Memory::SampleAndHold | Memory::Counter | Memory::Delay | Memory::Derivative,
            ) => return,
        };
        self.reals[target] = value;
    }

    /// Values that a row without memory gives, target by target.
    fn values(&self, relation: &Relation, reading: &Reading<'_>) -> Vec<f64> {
        let count = relation.args.len();
        let mut args: Vec<f64> = (0..count)
            .map(|position| self.arg(relation, position, reading))
            .collect();
        if relation.targets.len() > 1 {
            return args;
        }
        let c = self.coef(relation.coef);
        match relation.procedure.get().coef {
            CoefRole::ScalesFirst => args[0] *= c,
            CoefRole::ScalesBoth => {
                args[0] *= c;
                args[1] *= self.coef(relation.coef2);
            }
            _ => {}
        }
        let value = procedure::value_in_tick(relation.procedure, &args, reading.time);
        vec![match relation.procedure.get().coef {
            CoefRole::ScalesResult => c * value,
            _ => value,
        }]
    }

    fn coef(&self, coef: Coefficient) -> f64 {
        match coef {
            Coefficient::Number(value) => value,
            Coefficient::Constant { id, negative } => {
                let value = self.constants[id.index()];
                if negative { -value } else { value }
            }
        }
    }

    fn arg(&self, relation: &Relation, position: usize, reading: &Reading<'_>) -> f64 {
        match relation.args[position] {
            Argument::Real(expr) => self.expr(expr, reading),
            Argument::Boolean(_) => panic!("a number"),
        }
    }

    fn expr(&self, expr: ExprId, reading: &Reading<'_>) -> f64 {
        let of = |expr: &ExprId| self.expr(*expr, reading);
        match &self.model.exprs.get(expr) {
            Expr::Number(value) => *value,
            Expr::Constant(id) => self.constants[id.index()],
            Expr::Real(id) => reading.reals[id.index()],
            Expr::Time => reading.time,
            Expr::Neg(a) => -of(a),
            Expr::Add(a, b) => of(a) + of(b),
            Expr::Sub(a, b) => of(a) - of(b),
            Expr::Mul(a, b) => of(a) * of(b),
            Expr::Div(a, b) => of(a) / of(b),
            Expr::Call(id, args) => {
                let args: Vec<f64> = args.iter().map(of).collect();
                procedure::value_in_tick(*id, &args, reading.time)
            }
            Expr::Lookup(id, args) => {
                let args: Vec<f64> = args.iter().map(of).collect();
                self.model.lookups[id.index()].interpolation.value(&args)
            }
        }
    }
}

/// The exponential function of tables.
fn exp(value: f64) -> f64 {
    let exp = procedure::ProcedureId::named("exp").unwrap();
    procedure::value(exp, &[value], 0.0)
}
