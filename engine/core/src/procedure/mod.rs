//! Procedures: what a relation may do with its arguments, one static description each.
//!
//! A [`Procedure`] carries its name, help, signature, examples and its meaning in operations of the
//! tape. Everything else (resolving of calls, help, completion, documentation, example tests) reads
//! the list [`ALL`]; adding a procedure means writing its description and adding it there.
//!
//! Procedures do not know names, text or time steps other than the slot that holds `dt`.

mod arithmetic;
mod elementary;
mod limits;
pub mod lookup;
mod memory;
mod sources;
mod trigonometry;

pub use memory::Memory;

use crate::backend::{interpreter, value};
use crate::tape::{Assembler, Code, Slot, Tape};
use std::sync::LazyLock;

/// A procedure that a relation, or if it has no memory an expression, may call.
#[derive(Debug)]
pub struct Procedure {
    /// Its name in tables.
    pub name: &'static str,
    /// Description of the value that it computes, one line.
    pub about: &'static str,
    /// Help for the user, a few sentences.
    pub help: &'static str,
    /// Role of the row's coefficient.
    pub coef: CoefRole,
    /// The arguments, in the order of the columns and of a call.
    pub params: &'static [Param],
    /// Rows with their results; the help shows them, tests run them.
    pub examples: &'static [Example],
    /// Its meaning.
    pub body: Body,
}

/// Role of the coefficient (column Koeff.) of a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CoefRole {
    /// Multiplies the first argument: `(c*a1)*a2`, `(c*a1)/a2`.
    ScalesFirst,
    /// Multiplies the first argument, and the second coefficient the second: `c*a1 + d*a2`.
    ScalesBoth,
    /// Multiplies the result.
    ScalesResult,
    /// Is a parameter of the procedure, with this name, and must be given. In a call it stands
    /// after the arguments.
    Parameter(&'static str),
    /// Has no meaning; only 1 is allowed.
    Unused,
}

/// An argument.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Param {
    /// Its name in help.
    pub name: &'static str,
    /// Description, a few words.
    pub about: &'static str,
    /// Kind of argument allowed there.
    pub kind: ParamKind,
    /// Its value if it is left out; only the last ones may be.
    pub default: Option<f64>,
    /// The least and the largest value for which the procedure has one. (A power with a whole exponent has one for all.)
    pub domain: [f64; 2],
}

impl Param {
    /// The parameter with values of the procedure between these bounds only.
    const fn within(self, least: f64, largest: f64) -> Self {
        Self {
            domain: [least, largest],
            ..self
        }
    }
}

/// Kind of an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParamKind {
    /// Any expression.
    Real,
    /// A condition literal: a range, situation, switch or comparison, or its negation.
    Boolean,
}

/// A row with its result.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Example {
    /// The row in line form; it writes `y`.
    pub line: &'static str,
    /// Start values of the reals it reads (and of `y`, if it matters; 0 otherwise).
    pub given: &'static [(&'static str, f64)],
    /// Length of a tick.
    pub dt: f64,
    /// Ticks run.
    pub ticks: u32,
    /// `y` afterwards.
    pub result: f64,
}

/// The meaning of a procedure.
#[derive(Clone, Copy)]
pub enum Body {
    /// Without memory: emits operations that leave the value in the slot returned. The slots are
    /// the arguments, all of them.
    Value(fn(&mut Assembler, &[Slot]) -> Slot),
    /// With memory: emits the whole row of a tick.
    Memory(Memory),
    /// The arguments vanish for the values of the targets: as many residuals as there are targets, and behind them
    /// lower and upper bound, if the row has one target with bounds.
    Solve,
}

impl std::fmt::Debug for Body {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Value(_) => f.write_str("Value"),
            Self::Memory(memory) => write!(f, "{memory:?}"),
            Self::Solve => f.write_str("Solve"),
        }
    }
}

/// What a row does to the value of its target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Starts from the value that stands there: integral, smoothing, counter, timer, hysteresis.
    Updates,
    /// Replaces it, but only while an argument of it holds: sample-and-hold.
    Samples,
    /// Replaces it.
    Assigns,
}

/// How the target of a row moves while nothing happens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Motion {
    /// It is a state: the row gives its rate.
    Integrated,
    /// It follows from what the row reads, now or earlier, or from the time.
    Varies,
    /// It stands still from one event to the next.
    Held,
}

/// The position of a procedure in [`ALL`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ProcedureId(u8);

impl ProcedureId {
    /// The procedure with this name.
    pub fn named(name: &str) -> Option<Self> {
        let index = ALL.iter().position(|procedure| procedure.name == name)?;
        Some(Self(
            u8::try_from(index).expect("fewer than 256 procedures"),
        ))
    }

    /// The procedure `assignment`, the first of the list.
    pub fn assignment() -> Self {
        Self(0)
    }

    /// What rows that are solved do. No table calls it by name.
    pub fn solve() -> Self {
        Self(u8::MAX)
    }

    /// What has to be at least 0 where a power has a value. No table calls it by name.
    pub(crate) fn power_base() -> Self {
        Self(u8::MAX - 1)
    }

    /// Its position; beyond the list for those that no table calls by name.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// Its description.
    pub fn get(self) -> &'static Procedure {
        match self {
            _ if self == Self::solve() => &SOLVE,
            _ if self == Self::power_base() => &arithmetic::POWER_BASE,
            _ => ALL[self.index()],
        }
    }

    /// True for [`ProcedureId::solve`].
    pub fn solves(self) -> bool {
        self == Self::solve()
    }

    /// True if its value changes with the model's time, besides its arguments (the sources).
    pub fn reads_time(self) -> bool {
        static SOURCES: LazyLock<Vec<bool>> =
            LazyLock::new(|| ALL.iter().map(|one| one.emits_time()).collect());
        SOURCES.get(self.index()) == Some(&true)
    }
}

impl Procedure {
    /// What a row does to the value of its target.
    pub fn effect(&self) -> Effect {
        match self.body {
            Body::Value(_) | Body::Solve => Effect::Assigns,
            Body::Memory(memory) => memory.effect(),
        }
    }

    /// How the target moves while nothing happens.
    pub fn motion(&self) -> Motion {
        match self.body {
            Body::Value(_) | Body::Solve => Motion::Varies,
            Body::Memory(memory) => memory.motion(),
        }
    }

    /// True if it keeps state from tick to tick, so that it cannot stand inside an expression.
    pub fn has_memory(&self) -> bool {
        matches!(self.body, Body::Memory(_))
    }

    /// Whether its operations read the model's time.
    fn emits_time(&self) -> bool {
        match self.body {
            Body::Value(emit) => {
                let mut asm = Assembler::new(self.params.len());
                let args: Vec<Slot> = (0..self.params.len()).map(Slot::new).collect();
                emit(&mut asm, &args);
                asm.reads_time()
            }
            Body::Memory(_) | Body::Solve => false,
        }
    }

    /// True if it gives a sum of its arguments, or integrates one.
    pub(crate) fn adds_up(&self) -> bool {
        match self.body {
            Body::Value(emit) => {
                let mut asm = Assembler::new(self.params.len());
                let args: Vec<Slot> = (0..self.params.len()).map(Slot::new).collect();
                emit(&mut asm, &args);
                let mut ops = asm.ops().iter();
                ops.all(|op| matches!(op.code, Code::Add | Code::Sub))
            }
            Body::Memory(memory) => memory == Memory::Integral,
            Body::Solve => false,
        }
    }

    /// The fewest arguments a row must give.
    pub fn required(&self) -> usize {
        self.params
            .iter()
            .filter(|param| param.default.is_none())
            .count()
    }

    /// Form of a call, e.g. `clamp(x, low, high)`.
    pub fn call(&self) -> String {
        let mut names: Vec<String> = self
            .params
            .iter()
            .map(|param| match param.default {
                None => param.name.to_owned(),
                Some(value) => format!("{} = {value}", param.name),
            })
            .collect();
        if let CoefRole::Parameter(name) = self.coef {
            names.push(name.to_owned());
        }
        format!("{}({})", self.name, names.join(", "))
    }
}

/// Rows that are solved.
static SOLVE: Procedure = Procedure {
    name: "solve",
    about: "the values of reals for which equations hold",
    help: "A row `solve x: L = R` finds x, `solve x, y: ..` as many reals as there are equations.",
    coef: CoefRole::Unused,
    params: &[],
    examples: &[],
    body: Body::Solve,
};

/// Every procedure, in the order of the documentation.
pub static ALL: &[&Procedure] = &[
    &arithmetic::ASSIGNMENT,
    &arithmetic::PROPORTIONAL,
    &arithmetic::SUM,
    &arithmetic::PRODUCT,
    &arithmetic::QUOTIENT,
    &arithmetic::POWER,
    &memory::INTEGRAL,
    &memory::DERIVATIVE,
    &memory::SMOOTHING,
    &memory::DELAY,
    &memory::SAMPLE_AND_HOLD,
    &memory::COUNTER,
    &memory::TIMER,
    &memory::HYSTERESIS,
    &elementary::SQRT,
    &elementary::EXP,
    &elementary::LN,
    &elementary::ABS,
    &elementary::SIGN,
    &elementary::FLOOR,
    &trigonometry::SIN,
    &trigonometry::COS,
    &trigonometry::TAN,
    &trigonometry::ASIN,
    &trigonometry::ACOS,
    &trigonometry::ATAN,
    &trigonometry::ATAN2,
    &trigonometry::SIND,
    &trigonometry::COSD,
    &trigonometry::TAND,
    &trigonometry::ASIND,
    &trigonometry::ACOSD,
    &trigonometry::ATAND,
    &trigonometry::ATAN2D,
    &limits::MIN,
    &limits::MAX,
    &limits::CLAMP,
    &limits::MOD,
    &sources::STEP,
    &sources::RAMP,
    &sources::PULSE,
    &sources::SINE_WAVE,
];

/// The value of a procedure without memory; NaN for one with memory.
///
/// Shapes: `args`, one value per parameter, defaults filled in.
pub fn value(procedure: ProcedureId, args: &[f64], time: f64) -> f64 {
    match procedure.get().body {
        Body::Value(emit) => evaluate(Assembler::new(0), emit, args, time),
        Body::Memory(_) | Body::Solve => f64::NAN,
    }
}

/// The same at the time of a tick, for which times that rounding alone keeps it from are reached.
pub fn value_in_tick(procedure: ProcedureId, args: &[f64], time: f64) -> f64 {
    let mut asm = Assembler::new(0);
    asm.count_ticks();
    match procedure.get().body {
        Body::Value(emit) => evaluate(asm, emit, args, time),
        Body::Memory(_) | Body::Solve => f64::NAN,
    }
}

/// A procedure without memory of one argument, written out once for many values of it, at time 0.
#[derive(Debug)]
pub(crate) struct Function {
    tape: Tape,
    argument: Slot,
    result: Slot,
    reals: Vec<f64>,
}

impl Function {
    /// `None` if the procedure has memory, or several arguments.
    pub(crate) fn of(procedure: ProcedureId) -> Option<Self> {
        let description = procedure.get();
        let (Body::Value(emit), 1) = (description.body, description.params.len()) else {
            return None;
        };
        let mut asm = Assembler::new(0);
        let argument = asm.fixed_slot();
        asm.time();
        let result = emit(&mut asm, &[argument]);
        let tape = asm.finish();
        let mut reals = vec![0.0; tape.n_slots as usize];
        for &(slot, value) in &tape.numbers {
            reals[slot.index()] = value;
        }
        Some(Self {
            tape,
            argument,
            result,
            reals,
        })
    }

    /// Its value.
    pub(crate) fn value(&mut self, argument: f64) -> f64 {
        self.reals[self.argument.index()] = argument;
        interpreter::run_setup(&self.tape, &mut self.reals);
        value::run_reals(&self.tape.ops, &mut self.reals);
        self.reals[self.result.index()]
    }
}

/// The value that operations give, run once.
fn evaluate(
    mut asm: Assembler,
    emit: impl Fn(&mut Assembler, &[Slot]) -> Slot,
    args: &[f64],
    time: f64,
) -> f64 {
    let slots: Vec<Slot> = args.iter().map(|&value| asm.number(value)).collect();
    let time_slot = asm.time();
    let result = emit(&mut asm, &slots);
    let tape = asm.finish();
    let mut reals = vec![0.0; tape.n_slots as usize];
    for &(slot, value) in &tape.numbers {
        reals[slot.index()] = value;
    }
    reals[time_slot.index()] = time;
    interpreter::run_setup(&tape, &mut reals);
    value::run_reals(&tape.ops, &mut reals);
    reals[result.index()]
}

/// A required argument that may be any expression.
const fn real(name: &'static str, about: &'static str) -> Param {
    Param {
        name,
        about,
        kind: ParamKind::Real,
        default: None,
        domain: [f64::NEG_INFINITY, f64::INFINITY],
    }
}

/// An argument that may be any expression or be left out.
const fn optional(name: &'static str, about: &'static str, default: f64) -> Param {
    Param {
        name,
        about,
        kind: ParamKind::Real,
        default: Some(default),
        domain: [f64::NEG_INFINITY, f64::INFINITY],
    }
}

/// An example of one tick that reads reals.
const fn once(line: &'static str, given: &'static [(&'static str, f64)], result: f64) -> Example {
    Example {
        line,
        given,
        dt: 1.0,
        ticks: 1,
        result,
    }
}
