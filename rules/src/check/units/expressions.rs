//! Expressions and procedures: what their values are in.

use std::f64::consts::TAU;

use situ_engine::ids::ExprId;
use situ_engine::model::Expr;
use situ_words::say;

use super::measure::{Measure, stated, times};
use super::monomial::Monomial;
use super::rows::{Rows, THE_TIME};
use super::temperature::Scale;
use crate::check::{constant_value, text};

impl Rows<'_> {
    /// An expression in words, with what it is in.
    pub(super) fn side(&mut self, root: ExprId) -> (String, Measure) {
        let model = self.model;
        let words = |expr| format!("`{}`", text::expression(model, expr));
        let mut stack: Vec<(ExprId, Measure)> = Vec::new();
        model.exprs.visit(root, |id, node| {
            let mut pop = || stack.pop().unwrap_or((id, Measure::Any));
            let measure = match node {
                Expr::Number(0.0) => Measure::Any,
                Expr::Number(value) => Measure::Number(*value),
                Expr::Constant(constant) => self.constant(constant.index()),
                Expr::Real(real) => {
                    let number = model.constants.len() + real.index();
                    self.in_row.push(number);
                    Measure::Unit(self.units[number].clone(), 1.0)
                }
                Expr::Time => self.time(),
                Expr::Neg(_) => match pop().1 {
                    Measure::Number(value) => Measure::Number(-value),
                    other => other,
                },
                Expr::Add(..) | Expr::Sub(..) => {
                    let (right, left) = (pop(), pop());
                    let exprs = [left.0, right.0];
                    self.sum_of(exprs, (words(left.0), left.1), (words(right.0), right.1))
                }
                Expr::Mul(..) => {
                    let (right, left) = (pop().1, pop().1);
                    times(left, right, 1.0)
                }
                Expr::Div(..) => {
                    let (right, left) = (pop().1, pop().1);
                    times(left, right, -1.0)
                }
                Expr::Lookup(lookup, operands) => {
                    let units = &model.lookups[lookup.index()].units;
                    let stated =
                        |at: usize| units.get(at).map_or(Measure::Any, |text| stated(text));
                    for at in (0..operands.len()).rev() {
                        let (expr, measure) = pop();
                        let argument = (words(expr), measure);
                        let points = (say!("unit-side.points"), stated(at));
                        let to = units.get(at).and_then(|text| Scale::of(text));
                        let scales = to.zip(self.scale_of(&argument.0));
                        if let Some((to, from)) = scales.filter(|(to, from)| to != from) {
                            self.other_zero(points, argument, to, from);
                        } else if matches!(argument.1, Measure::Unit(..)) {
                            self.agree(argument, points);
                        }
                    }
                    let scale = units.get(operands.len()).and_then(|text| Scale::of(text));
                    self.lookup = scale.map(|scale| (words(id), scale));
                    stated(operands.len())
                }
                Expr::Call(procedure, operands) => {
                    let mut args: Vec<(String, Measure)> = Vec::new();
                    for _ in operands.iter() {
                        let (expr, measure) = pop();
                        args.push((words(expr), measure));
                    }
                    args.reverse();
                    if procedure.get().name == "power" {
                        self.power(&args, operands.last().copied())
                    } else {
                        self.value(procedure.get().name, &args)
                    }
                }
            };
            stack.push((id, measure));
        });
        let measure = stack.pop().map_or(Measure::Any, |(_, measure)| measure);
        (words(root), measure)
    }

    /// Both sides of a sum that are these expressions. 1 beside a quotient of two lengths is a number, whatever both are
    /// measured in: `1 + b / c`.
    pub(super) fn sum_of(
        &mut self,
        [left_expr, right_expr]: [ExprId; 2],
        left: (String, Measure),
        right: (String, Measure),
    ) -> Measure {
        let is_one =
            |side: &Measure| matches!(side, Measure::Number(number) if number.abs() == 1.0);
        let quotient = match (is_one(&left.1), is_one(&right.1)) {
            (true, false) => Some((right_expr, &right)),
            (false, true) => Some((left_expr, &left)),
            _ => None,
        };
        let pure = quotient.filter(|(expr, (_, measure))| self.is_quotient(*expr, measure));
        match pure.map(|(_, side)| side.clone()) {
            Some(side) => {
                self.pure(&side);
                Measure::Unit(Monomial::default(), 1.0)
            }
            None => self.sum(left, right),
        }
    }

    /// True of a quotient whose dimension goes away and leaves a scale behind. What is measured in parts of a whole, as
    /// in %, may be what a number is in.
    fn is_quotient(&mut self, root: ExprId, measure: &Measure) -> bool {
        let Measure::Unit(unit, factor) = measure else {
            return false;
        };
        if self.share(unit).is_none() || self.settled(unit, *factor) {
            return false;
        }
        let (mut has_parts, mut below) = (false, Vec::new());
        let n_constants = self.model.constants.len();
        self.model.exprs.visit(root, |_, node| match node {
            Expr::Constant(id) => has_parts |= self.share(&self.units[id.index()]).is_some(),
            Expr::Real(id) => {
                has_parts |= self.share(&self.units[n_constants + id.index()]).is_some();
            }
            Expr::Div(_, divisor) => below.push(*divisor),
            _ => {}
        });
        let mut has_dimension = |divisor: ExprId| match self.side(divisor).1 {
            Measure::Unit(unit, _) => {
                let unit = self.unknowns.resolve(&unit).without_angles();
                !unit.powers.is_empty()
            }
            Measure::Any | Measure::Number(_) => false,
        };
        !has_parts && below.into_iter().any(&mut has_dimension)
    }

    /// Both sides of a sum: they agree, and so is the sum.
    pub(super) fn sum(&mut self, left: (String, Measure), right: (String, Measure)) -> Measure {
        let sum = match (&left.1, &right.1) {
            (Measure::Number(a), Measure::Number(b)) => return Measure::Number(a + b),
            (Measure::Any, other) | (other, Measure::Any) => return other.clone(),
            (Measure::Number(number), Measure::Unit(unit, factor)) => {
                return self.beside_number(*number, &right.0, unit, *factor);
            }
            (Measure::Unit(unit, factor), Measure::Number(number)) => {
                return self.beside_number(*number, &left.0, unit, *factor);
            }
            // The side without a number in front of it is in the unit of the sum: `0.01 * d + h`.
            (Measure::Unit(left, x), Measure::Unit(right, y)) => {
                match x.abs() != 1.0 && y.abs() == 1.0 {
                    true => Measure::Unit(right.clone(), 1.0),
                    false => {
                        let is_same =
                            x.to_bits() == y.to_bits() || self.one_step(left, right, x / y);
                        Measure::Unit(left.clone(), if is_same { *x } else { 1.0 })
                    }
                }
            }
        };
        self.agree(left, right);
        sum
    }

    /// True if the quotient of their numbers makes two units one: of `0.001 * a` and `0.01 * b` in mm and cm.
    fn one_step(&self, left: &Monomial, right: &Monomial, quotient: f64) -> bool {
        let [left, right] = [left, right].map(|unit| self.unknowns.resolve(unit).log);
        (left - right - quotient.abs().ln()).abs() < 1e-9
    }

    /// A number and a summand with a unit.
    fn beside_number(&mut self, number: f64, words: &str, unit: &Monomial, factor: f64) -> Measure {
        if self.settled(unit, factor) {
            return Measure::Unit(Monomial::default(), 1.0);
        }
        if number.abs() == 1.0
            && let Some(share) = self.share(unit)
        {
            self.part = Some((words.to_owned(), share));
        }
        Measure::Unit(unit.clone(), factor)
    }

    pub(super) fn power(
        &mut self,
        args: &[(String, Measure)],
        exponent: Option<ExprId>,
    ) -> Measure {
        let [(words, base), (_, power)] = args else {
            return Measure::Any;
        };
        self.pure(&args[1]);
        let fixed = match power {
            Measure::Any => Some(0.0),
            Measure::Number(value) => Some(*value),
            Measure::Unit(..) => {
                exponent.and_then(|expr| constant_value(self.model, self.start, expr))
            }
        };
        match (base, fixed) {
            (Measure::Any, _) => Measure::Any,
            (Measure::Number(base), Some(power)) => Measure::Number(base.powf(power)),
            (Measure::Number(_), None) => Measure::Unit(Monomial::default(), 1.0),
            (Measure::Unit(unit, factor), _) if self.settled(unit, *factor) => {
                Measure::Unit(Monomial::default(), 1.0)
            }
            // Numbers count by their size alone, which has a root where they are negative.
            (Measure::Unit(unit, factor), Some(power)) => {
                Measure::Unit(unit.to_the(power), factor.abs().powf(power))
            }
            (Measure::Unit(..), None) => {
                self.pure(&(words.clone(), base.clone()));
                Measure::Unit(Monomial::default(), 1.0)
            }
        }
    }

    /// An angle as a number of turns.
    fn in_turns(&self, angle: Measure) -> Measure {
        match angle {
            Measure::Unit(unit, factor) if self.unknowns.resolve(&unit).angle() != 0.0 => {
                Measure::Unit(unit.times(&Monomial::scale(TAU), -1.0), factor)
            }
            other => other,
        }
    }

    /// The result of a procedure, without its coefficient.
    pub(super) fn value(&mut self, procedure: &str, args: &[(String, Measure)]) -> Measure {
        let none = || Measure::Unit(Monomial::default(), 1.0);
        let first = || args.first().map_or(Measure::Any, |arg| arg.1.clone());
        match procedure {
            "product" | "quotient" => {
                let power = if procedure == "product" { 1.0 } else { -1.0 };
                let second = args.get(1).map_or(Measure::Any, |arg| arg.1.clone());
                times(first(), second, power)
            }
            "integral" => {
                let time = self.time();
                self.sums_number |= matches!(first(), Measure::Number(_));
                times(first(), time, 1.0)
            }
            "derivative" => {
                let time = self.time();
                times(first(), time, -1.0)
            }
            "smoothing" | "delay" => {
                self.lasts(args.get(1));
                first()
            }
            "counter" => none(),
            "timer" => self.time(),
            "step" | "pulse" => {
                for arg in args {
                    self.lasts(Some(arg));
                }
                none()
            }
            "ramp" => {
                self.lasts(args.first());
                self.time()
            }
            "sine_wave" => {
                if let Some((words, frequency)) = args.first() {
                    let time = self.time();
                    let cycles = self.in_turns(times(frequency.clone(), time, 1.0));
                    self.pure(&(say!("unit-value.times-time", words), cycles));
                }
                none()
            }
            "sqrt" => match first() {
                Measure::Number(value) => Measure::Number(value.sqrt()),
                Measure::Unit(unit, factor) if self.settled(&unit, factor) => none(),
                Measure::Unit(unit, factor) => Measure::Unit(unit.to_the(0.5), factor.abs().sqrt()),
                Measure::Any => Measure::Any,
            },
            "exp" | "ln" | "sin" | "cos" | "tan" | "asin" | "acos" | "atan" | "asind" | "acosd"
            | "atand" => {
                if let Some(arg) = args.first() {
                    self.pure(arg);
                }
                match procedure {
                    "asin" | "acos" | "atan" => stated("rad"),
                    "asind" | "acosd" | "atand" => stated("deg"),
                    _ => none(),
                }
            }
            "sind" | "cosd" | "tand" => {
                if let Some(arg) = args
                    .first()
                    .filter(|arg| matches!(arg.1, Measure::Unit(..)))
                {
                    self.agree(arg.clone(), (say!("unit-value.angle"), stated("deg")));
                }
                none()
            }
            "atan2" | "atan2d" | "hysteresis" => {
                self.all_agree(args);
                match procedure {
                    "atan2" => stated("rad"),
                    "atan2d" => stated("deg"),
                    _ => none(),
                }
            }
            "min" | "max" | "clamp" | "mod" => self.all_agree(args),
            "sign" => none(),
            _ => first(),
        }
    }

    /// All arguments agree; their common unit.
    fn all_agree(&mut self, args: &[(String, Measure)]) -> Measure {
        let mut args = args.iter();
        let Some(first) = args.next() else {
            return Measure::Any;
        };
        args.fold(first.clone(), |(words, all), arg| {
            let sum = self.sum((words.clone(), all), arg.clone());
            (words, sum)
        })
        .1
    }

    /// An argument is a time.
    pub(super) fn lasts(&mut self, arg: Option<&(String, Measure)>) {
        if let Some(arg) = arg.filter(|arg| matches!(arg.1, Measure::Unit(..))) {
            let time = self.time();
            self.agree(arg.clone(), (THE_TIME.into(), time));
        }
    }

    /// An argument has no dimension.
    fn pure(&mut self, arg: &(String, Measure)) {
        if let Measure::Unit(unit, factor) = &arg.1 {
            // An unknown is left alone: an argument of a function says least of what it is in.
            if self.unknowns.is_known(&self.converted(unit, *factor)) {
                let none = Measure::Unit(Monomial::default(), 1.0);
                self.agree(arg.clone(), (say!("unit-number"), none));
            }
        }
    }
}
