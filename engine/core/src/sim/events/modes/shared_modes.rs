//! Modes that the runs of one template share.
//!
//! A mode is determined by the constants, the borders that were known before, the rows that
//! are active and the sides of borders, and by nothing else of a run. So a run that asks for a mode that another
//! has asked for gets that mode, and the borders that are known with it, instead of making them anew.

use std::sync::{Arc, Mutex};

use crate::lower::border::{Borders, Side};
use crate::sim::events::modes::evaluation::evaluator::Evaluator;

/// Most modes that are kept.
const MOST: usize = 256;

/// Modes of one model, for one set of constants at a time.
#[derive(Clone, Debug, Default)]
pub(crate) struct SharedModes(Arc<Mutex<ModeTable>>);

#[derive(Debug, Default)]
struct ModeTable {
    constants: Vec<f64>,
    /// True if a second run had these constants: only then is anything kept.
    asked_again: bool,
    kept: Vec<SharedMode>,
}

#[derive(Debug)]
struct SharedMode {
    /// The borders that were known before, the rows that are active, and the sides.
    before: Arc<Borders>,
    active: Vec<bool>,
    sides: Vec<Side>,
    /// The mode as it is made, and the borders that are known with it.
    evaluator: Evaluator,
    after: Arc<Borders>,
}

/// Request of a run for a mode.
#[derive(Clone, Copy, Debug)]
pub(super) struct Order<'a> {
    pub(super) constants: &'a [f64],
    pub(super) active: &'a [bool],
    pub(super) sides: &'a [Side],
}

impl SharedModes {
    /// A run with these constants begins.
    pub(crate) fn enter(&self, constants: &[f64]) {
        // Shared modes that are in use are passed by: what they have can be made.
        if let Ok(mut table) = self.0.try_lock() {
            table.asked_again = table.is_for(constants);
            if !table.asked_again {
                table.kept.clear();
                table.constants.clear();
                table.constants.extend_from_slice(constants);
            }
        }
    }

    /// A mode that was made before; `borders` are then those that are known with it.
    pub(super) fn find(&self, order: &Order<'_>, borders: &mut Arc<Borders>) -> Option<Evaluator> {
        let table = self.0.try_lock().ok()?;
        if !table.is_for(order.constants) {
            return None;
        }
        let same = |kept: &&SharedMode| {
            let nothing = kept.before.age() == 0 && borders.age() == 0;
            (nothing || Arc::ptr_eq(&kept.before, borders))
                && kept.active == order.active
                && kept.sides == order.sides
        };
        let kept = table.kept.iter().find(same)?;
        *borders = Arc::clone(&kept.after);
        Some(kept.evaluator.clone())
    }

    /// True if modes that such runs make are to be kept.
    pub(super) fn wants(&self, constants: &[f64]) -> bool {
        let table = self.0.try_lock();
        table.is_ok_and(|table| {
            table.asked_again && table.kept.len() < MOST && table.is_for(constants)
        })
    }

    /// Keeps a mode that has just been made.
    pub(super) fn keep(
        &self,
        order: &Order<'_>,
        before: Arc<Borders>,
        evaluator: &Evaluator,
        after: &Arc<Borders>,
    ) {
        if let Ok(mut table) = self.0.try_lock()
            && table.is_for(order.constants)
        {
            table.kept.push(SharedMode {
                before,
                active: order.active.to_vec(),
                sides: order.sides.to_vec(),
                evaluator: evaluator.clone(),
                after: Arc::clone(after),
            });
        }
    }
}

impl ModeTable {
    fn is_for(&self, constants: &[f64]) -> bool {
        let mut pairs = self.constants.iter().zip(constants);
        self.constants.len() == constants.len()
            && pairs.all(|(one, other)| one.to_bits() == other.to_bits())
    }
}
