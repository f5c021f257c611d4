//! Functions of the engine that native code calls.

use std::collections::HashMap;

use cranelift_codegen::Context;
use cranelift_codegen::ir::types::{F64, I64};
use cranelift_codegen::ir::{AbiParam, FuncRef, InstBuilder, Signature};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module};
use situ_engine::backend::interpreter::due_or_negative;
use situ_engine::tape::{Code, TableFunction};

use situ_engine::sim::compiled::CompileError;

use crate::call::solve;
use crate::memory::PLAIN;
use crate::refused;

/// A function of the engine.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Function {
    /// That of an operation on reals.
    Table(Code),
    /// Test for a schedule that is due.
    Due,
    /// Solution of equations.
    Solve,
}

impl Function {
    fn all() -> impl Iterator<Item = Self> {
        let codes = Code::ALL.iter().copied();
        let table = codes
            .filter(|code| code.function().is_some())
            .map(Self::Table);
        table.chain([Self::Due, Self::Solve])
    }

    fn name(self) -> &'static str {
        match self {
            Self::Table(code) => code.name(),
            Self::Due => "due",
            Self::Solve => "solve",
        }
    }

    fn address(self) -> *const u8 {
        match self {
            Self::Due => due_or_negative as *const u8,
            Self::Solve => solve as *const u8,
            Self::Table(code) => match code.function() {
                Some(TableFunction::Unary(function)) => function as *const u8,
                Some(TableFunction::Binary(function)) => function as *const u8,
                Some(TableFunction::Update(function)) => function as *const u8,
                None => std::ptr::null(),
            },
        }
    }

    fn signature(self, convention: CallConv) -> Signature {
        let mut signature = Signature::new(convention);
        let n_reals = match self {
            Self::Due => 5,
            Self::Solve => 0,
            Self::Table(code) => match code.function() {
                Some(TableFunction::Unary(_)) | None => 1,
                Some(TableFunction::Binary(_)) => 2,
                Some(TableFunction::Update(_)) => 3,
            },
        };
        signature.params = vec![AbiParam::new(F64); n_reals];
        let n_words = match self {
            Self::Due => 1,
            Self::Solve => 2,
            Self::Table(_) => 0,
        };
        signature
            .params
            .extend([AbiParam::new(I64)].repeat(n_words));
        signature.returns.push(AbiParam::new(F64));
        signature
    }
}

/// Makes the functions known under their names, also those by which Cranelift replaces instructions
/// that an old processor lacks.
pub(crate) fn name_all(builder: &mut JITBuilder) {
    extern "C" fn floor(x: f64) -> f64 {
        x.floor()
    }
    extern "C" fn ceil(x: f64) -> f64 {
        x.ceil()
    }
    extern "C" fn fma(x: f64, y: f64, z: f64) -> f64 {
        x.mul_add(y, z)
    }
    builder.symbol("floor", floor as *const u8);
    builder.symbol("fma", fma as *const u8);
    builder.symbol("ceil", ceil as *const u8);
    for function in Function::all() {
        builder.symbol(symbol(function), function.address());
    }
}

fn symbol(function: Function) -> String {
    format!("situ_{}", function.name())
}

/// A module that is being compiled, with the functions of the engine that it calls.
pub(crate) struct Functions {
    pub(crate) module: JITModule,
    /// Functions called, and whether through one that keeps registers.
    known: HashMap<(Function, bool), FuncId>,
    /// References within the function that is being written.
    references: HashMap<(Function, bool), FuncRef>,
}

impl Functions {
    /// Of a new module.
    pub(crate) fn of(module: JITModule) -> Self {
        Self {
            module,
            known: HashMap::new(),
            references: HashMap::new(),
        }
    }

    /// A reference to call the function by. With `keeping` it goes through a function that keeps all
    /// registers and stores its result where a last argument says.
    pub(crate) fn reference(
        &mut self,
        builder: &mut FunctionBuilder<'_>,
        function: Function,
        keeping: bool,
    ) -> Result<FuncRef, CompileError> {
        let key = (function, keeping);
        if let Some(&known) = self.references.get(&key) {
            return Ok(known);
        }
        let id = self.declare(function, keeping)?;
        let reference = self.module.declare_func_in_func(id, builder.func);
        self.references.insert(key, reference);
        Ok(reference)
    }

    fn declare(&mut self, function: Function, keeping: bool) -> Result<FuncId, CompileError> {
        if let Some(&known) = self.known.get(&(function, keeping)) {
            return Ok(known);
        }
        let (name, signature, linkage) = if keeping {
            let name = format!("{}_keeping_registers", symbol(function));
            (name, keeping_registers(function), Linkage::Local)
        } else {
            let convention = self.module.target_config().default_call_conv;
            let signature = function.signature(convention);
            (symbol(function), signature, Linkage::Import)
        };
        let id = self
            .module
            .declare_function(&name, linkage, &signature)
            .map_err(refused)?;
        self.known.insert((function, keeping), id);
        Ok(id)
    }

    /// Compiles a function that has been written.
    pub(crate) fn define(&mut self, id: FuncId, context: &mut Context) -> Result<(), CompileError> {
        self.references.clear();
        self.module.define_function(id, context).map_err(refused)?;
        self.module.clear_context(context);
        Ok(())
    }

    /// Writes the functions that keep registers, and gives the module, ready to be called.
    pub(crate) fn finish(mut self) -> Result<JITModule, CompileError> {
        let mut keeping: Vec<(Function, FuncId)> = self
            .known
            .iter()
            .filter(|((_, keeping), _)| *keeping)
            .map(|(&(function, _), &id)| (function, id))
            .collect();
        keeping.sort_unstable_by_key(|(_, id)| *id);
        let mut context = self.module.make_context();
        let mut scratch = FunctionBuilderContext::new();
        for (function, id) in keeping {
            context.func.signature = keeping_registers(function);
            let mut builder = FunctionBuilder::new(&mut context.func, &mut scratch);
            let block = builder.create_block();
            builder.append_block_params_for_function_params(block);
            builder.switch_to_block(block);
            builder.seal_block(block);
            let called = self.reference(&mut builder, function, false)?;
            let params = builder.block_params(block).to_vec();
            let (place, args) = params.split_last().expect("the place of the result");
            let call = builder.ins().call(called, args);
            let result = builder.inst_results(call)[0];
            builder.ins().store(PLAIN, result, *place, 0);
            builder.ins().return_(&[]);
            builder.finalize(self.module.target_config());
            self.define(id, &mut context)?;
        }
        self.module.finalize_definitions().map_err(refused)?;
        Ok(self.module)
    }
}

fn keeping_registers(function: Function) -> Signature {
    let mut signature = function.signature(CallConv::PreserveAll);
    signature.returns.clear();
    signature.params.push(AbiParam::new(I64));
    signature
}
