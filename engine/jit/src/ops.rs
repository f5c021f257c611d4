//! What the code of ops is written with: the values of slots and bits, numbers, and calls.

use std::collections::{HashMap, HashSet};
use std::mem::offset_of;

use cranelift_codegen::ir::types::{F64, I8, I64};
use cranelift_codegen::ir::{FuncRef, InstBuilder, StackSlotData, StackSlotKind, Value};
use cranelift_frontend::{FunctionBuilder, Variable};
use situ_engine::tape::{Code, Tape};

use crate::call::Frame;
use crate::flow::Set;
use crate::functions::{Function, Functions};
use crate::memory::{FIXED, PLAIN, byte, word};

/// Writer of the code of ops.
pub(crate) struct Ops<'a, 'f> {
    pub(crate) builder: &'a mut FunctionBuilder<'f>,
    pub(crate) tape: &'a Tape,
    pub(crate) functions: &'a mut Functions,
    /// Address of the [`Frame`].
    pub(crate) frame: Value,
    /// Address of the slots.
    pub(crate) reals: Value,
    /// Address of the bits.
    pub(crate) bits: Value,
    /// Slots that change while the code runs; others stay in memory.
    pub(crate) varying_slots: &'a Set,
    /// Bits that change while the code runs.
    pub(crate) varying_bits: &'a Set,
    /// Numbers written in the table.
    pub(crate) numbers: &'a HashMap<u32, f64>,
    /// Leave to change the last bits: reciprocals of fixed slots, computed where the code begins.
    pub(crate) reciprocals: Option<&'a HashMap<u32, Variable>>,
    /// Leave to contract a product and a sum.
    pub(crate) contracts: bool,
    /// Nothing but `numbers` says what their slots hold: they are written into the code.
    pub(crate) numbers_are_known: bool,
    /// One operation waits for the other: what is not needed is jumped over, not computed beside it.
    pub(crate) branches: bool,
    slot_variables: HashMap<u32, Variable>,
    bit_variables: HashMap<u32, Variable>,
    /// Slots and bits that have a value wherever the code has come to.
    pub(crate) slots_known: HashSet<u32>,
    pub(crate) bits_known: HashSet<u32>,
    /// Facts about the tick's values for contraction.
    pub(crate) known: Known,
}

/// Facts about a tick's values: none, where no bit may change.
#[derive(Debug, Clone, Default)]
pub(crate) struct Known {
    /// Products, with their factors.
    pub(crate) products: HashMap<Value, [Value; 2]>,
    /// Those of them that are quotients: the dividend and the reciprocal of what is fixed.
    pub(crate) divided: HashMap<Value, [Value; 2]>,
    /// Values that a condition chooses.
    pub(crate) chosen: HashMap<Value, Choice>,
}

/// A value that a condition chooses.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Choice {
    pub(crate) holds: Value,
    pub(crate) then: Value,
    pub(crate) other: Value,
    /// Number of sums that a sum with the value becomes when it is done after the choice.
    pub(crate) n_sums: usize,
    /// True if one of them is contracted.
    pub(crate) contracts: bool,
}

/// The parts that [`Ops::new`] is made of.
pub(crate) struct Place<'a, 'f> {
    pub(crate) builder: &'a mut FunctionBuilder<'f>,
    pub(crate) tape: &'a Tape,
    pub(crate) functions: &'a mut Functions,
    pub(crate) frame: Value,
    pub(crate) varying_slots: &'a Set,
    pub(crate) varying_bits: &'a Set,
    pub(crate) numbers: &'a HashMap<u32, f64>,
}

impl<'a, 'f> Ops<'a, 'f> {
    /// In a function whose argument is the frame.
    pub(crate) fn new(place: Place<'a, 'f>) -> Self {
        let reals = field(place.builder, place.frame, offset_of!(Frame, reals));
        let bits = field(place.builder, place.frame, offset_of!(Frame, bits));
        Self {
            reals,
            bits,
            ..Self::on_slots(place)
        }
    }

    /// In a function whose argument, the `frame` here, is the address of the slots: for operations on
    /// reals alone.
    pub(crate) fn on_slots(place: Place<'a, 'f>) -> Self {
        let Place {
            builder,
            tape,
            functions,
            frame,
            varying_slots,
            varying_bits,
            numbers,
        } = place;
        Self {
            builder,
            tape,
            functions,
            frame,
            reals: frame,
            bits: frame,
            varying_slots,
            varying_bits,
            numbers,
            reciprocals: None,
            contracts: false,
            numbers_are_known: false,
            branches: false,
            slot_variables: HashMap::new(),
            bit_variables: HashMap::new(),
            slots_known: HashSet::new(),
            bits_known: HashSet::new(),
            known: Known::default(),
        }
    }

    /// A word of the frame.
    pub(crate) fn field(&mut self, offset: usize) -> Value {
        field(self.builder, self.frame, offset)
    }

    /// Sets a word of the frame.
    pub(crate) fn set_field(&mut self, offset: usize, value: Value) {
        let offset = i32::try_from(offset).expect("a frame is small");
        self.builder.ins().store(PLAIN, value, self.frame, offset);
    }

    pub(crate) fn number(&mut self, value: f64) -> Value {
        self.builder.ins().f64const(value)
    }

    /// The present value of a slot.
    pub(crate) fn slot(&mut self, slot: u32) -> Value {
        if self.varying_slots.has(slot) {
            let variable = self.slot_variable(slot);
            return self.builder.use_var(variable);
        }
        match self.numbers.get(&slot) {
            Some(&value) if self.numbers_are_known => self.number(value),
            _ => self.builder.ins().load(F64, FIXED, self.reals, word(slot)),
        }
    }

    pub(crate) fn load_slot(&mut self, slot: u32) -> Value {
        self.builder.ins().load(F64, PLAIN, self.reals, word(slot))
    }

    pub(crate) fn set_slot(&mut self, slot: u32, value: Value) {
        let variable = self.slot_variable(slot);
        self.builder.def_var(variable, value);
        self.slots_known.insert(slot);
    }

    fn slot_variable(&mut self, slot: u32) -> Variable {
        let builder = &mut *self.builder;
        *self
            .slot_variables
            .entry(slot)
            .or_insert_with(|| builder.declare_var(F64))
    }

    /// The present value of a bit.
    pub(crate) fn bit(&mut self, bit: u32) -> Value {
        if self.varying_bits.has(bit) {
            let variable = self.bit_variable(bit);
            return self.builder.use_var(variable);
        }
        self.builder.ins().load(I8, FIXED, self.bits, byte(bit))
    }

    pub(crate) fn load_bit(&mut self, bit: u32) -> Value {
        self.builder.ins().load(I8, PLAIN, self.bits, byte(bit))
    }

    pub(crate) fn set_bit(&mut self, bit: u32, value: Value) {
        let variable = self.bit_variable(bit);
        self.builder.def_var(variable, value);
        self.bits_known.insert(bit);
    }

    fn bit_variable(&mut self, bit: u32) -> Variable {
        let builder = &mut *self.builder;
        *self
            .bit_variables
            .entry(bit)
            .or_insert_with(|| builder.declare_var(I8))
    }

    /// A tick begins: from here on nothing of the one before is taken up again.
    pub(crate) fn begin_tick(&mut self) {
        self.known = Known::default();
    }

    /// Calls the function of the op table.
    pub(super) fn call(&mut self, code: Code, args: &[Value]) -> Value {
        let function = self.refer(Function::Table(code), false);
        let call = self.builder.ins().call(function, args);
        self.builder.inst_results(call)[0]
    }

    /// Calls something that is hardly ever called: all registers keep their values, which costs time
    /// in the call and none around it.
    pub(crate) fn rare_call(&mut self, function: Function, args: &[Value]) -> Value {
        let place = StackSlotData::new(StackSlotKind::ExplicitSlot, 8, 3);
        let place = self.builder.create_sized_stack_slot(place);
        let result = self.builder.ins().stack_addr(I64, place, 0);
        let reference = self.refer(function, true);
        let mut all = args.to_vec();
        all.push(result);
        self.builder.ins().call(reference, &all);
        self.builder.ins().load(F64, PLAIN, result, 0)
    }

    pub(super) fn refer(&mut self, function: Function, keeping: bool) -> FuncRef {
        let reference = self.functions.reference(self.builder, function, keeping);
        reference.expect("a function has one signature")
    }
}

fn field(builder: &mut FunctionBuilder<'_>, frame: Value, offset: usize) -> Value {
    let offset = i32::try_from(offset).expect("a frame is small");
    builder.ins().load(I64, PLAIN, frame, offset)
}
