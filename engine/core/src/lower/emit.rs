//! Emission of what tick and mode tapes have in common: expressions and rows without memory.

use smallvec::SmallVec;

use crate::ids::{ExprId, LookupId, RealId};
use crate::model::{Argument, Coefficient, Expr, Model, Relation};
use crate::procedure::{Body, CoefRole};
use crate::tape::{Assembler, Code, Slot};

/// Source of an expression's operands.
pub(super) trait Reader {
    /// The slot of a real, in the version that is read here.
    fn real(&mut self, id: RealId, asm: &mut Assembler) -> Slot;
    /// The slot of the time that is read here.
    fn time(&mut self, asm: &mut Assembler) -> Slot;
    /// A lookup has been asked about arguments, and has given a value.
    fn looked_up(&mut self, _: LookupId, _args: &[Slot], _value: Slot, _: &mut Assembler) {}
}

/// Context of every emission.
pub(super) struct Emitter<'m> {
    pub(super) model: &'m Model,
    pub(super) asm: Assembler,
    /// Slot of the first constant.
    pub(super) constants_at: usize,
}

impl Emitter<'_> {
    /// Emits an expression; the slot of its value.
    pub(super) fn expr(&mut self, root: ExprId, reader: &mut impl Reader) -> Slot {
        let (asm, constants_at) = (&mut self.asm, self.constants_at);
        let lookups = &self.model.lookups;
        let mut operands: SmallVec<[Slot; 8]> = SmallVec::new();
        self.model.exprs.visit(root, |_, node| {
            let mut pop = || operands.pop().expect("operands stand before their user");
            let slot = match node {
                Expr::Number(value) => asm.number(*value),
                Expr::Constant(id) => Slot::new(constants_at + id.index()),
                Expr::Real(id) => reader.real(*id, asm),
                Expr::Time => reader.time(asm),
                Expr::Neg(_) => {
                    let a = pop();
                    asm.unary(Code::Neg, a)
                }
                Expr::Add(..) | Expr::Sub(..) | Expr::Mul(..) | Expr::Div(..) => {
                    let (b, a) = (pop(), pop());
                    let code = match node {
                        Expr::Add(..) => Code::Add,
                        Expr::Sub(..) => Code::Sub,
                        Expr::Mul(..) => Code::Mul,
                        _ => Code::Div,
                    };
                    asm.op(code, a, b)
                }
                Expr::Call(procedure, args) => {
                    let first = operands.len() - args.len();
                    let args: SmallVec<[Slot; 4]> = operands.drain(first..).collect();
                    match procedure.get().body {
                        Body::Value(emit) => emit(asm, &args),
                        Body::Memory(_) | Body::Solve => unreachable!("a call has no memory"),
                    }
                }
                Expr::Lookup(id, args) => {
                    let first = operands.len() - args.len();
                    let args: SmallVec<[Slot; 4]> = operands.drain(first..).collect();
                    let value = lookups[id.index()].interpolation.emit(asm, &args);
                    reader.looked_up(*id, &args, value, asm);
                    value
                }
            };
            operands.push(slot);
        });
        operands.pop().expect("an expression has a root")
    }

    /// Emits a real argument of a row.
    pub(super) fn argument(
        &mut self,
        relation: &Relation,
        position: usize,
        reader: &mut impl Reader,
    ) -> Slot {
        match relation.args[position] {
            Argument::Real(expr) => self.expr(expr, reader),
            Argument::Boolean(_) => unreachable!("the signature says which arguments are real"),
        }
    }

    /// Emits all arguments of a row, which must be real.
    pub(super) fn arguments(&mut self, relation: &Relation, reader: &mut impl Reader) -> Vec<Slot> {
        (0..relation.args.len())
            .map(|at| self.argument(relation, at, reader))
            .collect()
    }

    /// Emits the value of a row without memory from its arguments.
    pub(super) fn value(
        &mut self,
        relation: &Relation,
        emit: fn(&mut Assembler, &[Slot]) -> Slot,
        mut args: Vec<Slot>,
    ) -> Slot {
        match relation.procedure.get().coef {
            CoefRole::ScalesFirst => args[0] = self.scaled(args[0], relation.coef),
            CoefRole::ScalesBoth => {
                args[0] = self.scaled(args[0], relation.coef);
                args[1] = self.scaled(args[1], relation.coef2);
            }
            CoefRole::ScalesResult | CoefRole::Parameter(_) | CoefRole::Unused => {}
        }
        let value = emit(&mut self.asm, &args);
        match relation.procedure.get().coef {
            CoefRole::ScalesResult => self.scaled(value, relation.coef),
            _ => value,
        }
    }

    /// The slot of a coefficient.
    pub(super) fn coefficient(&mut self, coefficient: Coefficient) -> Slot {
        match coefficient {
            Coefficient::Number(value) => self.asm.number(value),
            Coefficient::Constant { id, negative } => {
                let slot = Slot::new(self.constants_at + id.index());
                if negative {
                    self.asm.unary(Code::Neg, slot)
                } else {
                    slot
                }
            }
        }
    }

    /// `coefficient * value`; nothing is emitted for 1, a change of sign for -1.
    pub(super) fn scaled(&mut self, value: Slot, coefficient: Coefficient) -> Slot {
        match coefficient {
            Coefficient::Number(1.0) => value,
            Coefficient::Number(-1.0) => self.asm.unary(Code::Neg, value),
            _ => {
                let factor = self.coefficient(coefficient);
                self.asm.op(Code::Mul, factor, value)
            }
        }
    }
}
