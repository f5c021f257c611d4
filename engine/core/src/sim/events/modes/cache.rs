//! Modes made on first entry and kept, and the mixtures of modes along which the state slides.

use std::sync::Arc;

use crate::bits::Bits;
use crate::lower::border::{Borders, Side};
use crate::lower::flow::{Flow, Named};
use crate::lower::mode::{Corner, ModeError, SlideGroups, Source, StateBound, gated_mode, mode};
use crate::sim::events::modes::evaluation::evaluator::Evaluator;
use crate::sim::events::modes::shared_modes::{Order, SharedModes};
use crate::sim::events::modes::variants::{FIRST, Variants};
use crate::sim::events::state::discrete_state::DiscreteState;
use rustc_hash::FxHashMap;

/// Modes are looked up by so many combinations of booleans at most.
const MAX_MET: usize = 1 << 16;

/// All modes met so far: a cache, from which nothing in a run depends but its speed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Modes {
    known: FxHashMap<Key, usize>,
    /// Modes by the booleans that give them.
    met: FxHashMap<Key, usize>,
    /// The one asked for last, by its booleans.
    last: Option<(Key, usize)>,
    /// Mixtures by their corners, and what their groups change.
    mixtures: FxHashMap<Vec<usize>, usize>,
    made: Vec<Evaluator>,
    /// Modes with gates by the rows that have none and act; `None` if gates would lead into a circle.
    gated: FxHashMap<Key, Option<usize>>,
    variants: Variants,
    /// Per mode the rows that are active; empty for a mixture.
    active: Vec<Vec<bool>>,
    /// Per mode the age of the borders when it was made.
    born: Vec<usize>,
    /// If the last mode was made before the sides of all its borders were known: those that were.
    provisional: Option<Vec<Side>>,
    /// Modes that runs of the same model have made.
    shared: Option<SharedModes>,
    /// Room for what tells the present mode.
    key: Key,
    truths: Key,
    rows: Vec<bool>,
}

/// Key of a mode, in bits: the rows that are active (or the booleans that make them so), and
/// the branches of kinks.
type Key = Vec<u64>;

/// Writes words, and the sides of kinked borders.
fn write_key(key: &mut Key, words: impl Iterator<Item = u64>, sides: &[Side], kinked: &Bits) {
    key.clear();
    words.for_each(|word| key.push(word));
    // The leading bit tells how much a word holds.
    let mut word = 1;
    kinked.each_one(|border| {
        let Some(&side) = sides.get(border) else {
            return;
        };
        if word >> 62 != 0 {
            key.push(word);
            word = 1;
        }
        word = word << 2 | side as u64;
    });
    key.push(word);
}

/// The booleans that rows name.
fn named<'a>(truths: &'a DiscreteState, named: &'a Named) -> impl Iterator<Item = u64> + 'a {
    let switches = truths.switches.masked(&named.switches);
    let ranges = truths.ranges.masked(&named.ranges);
    let situations = truths.situations.masked(&named.situations);
    let schedules = truths.due.masked(&named.schedules);
    let start = u64::from(named.start && truths.start);
    let all = switches.chain(ranges).chain(situations);
    all.chain(schedules).chain([start])
}

/// True if a mode that was made when these sides were known, and others counted as upper, is that of all
/// sides: only those of the borders in its key count.
fn is_right(known: &[Side], truths: &DiscreteState, keyed: &Bits) -> bool {
    let mut right = true;
    keyed.each_one(|border| {
        let side = truths.sides.get(border);
        right &= side.is_none_or(|side| known.get(border).unwrap_or(&Side::Plus) == side);
    });
    right
}

impl Modes {
    /// None yet; those that other runs have made come from shared modes.
    pub(crate) fn with(shared: SharedModes) -> Self {
        Self {
            shared: Some(shared),
            ..Self::default()
        }
    }

    /// Number of modes made.
    pub(crate) fn len(&self) -> usize {
        self.made.len()
    }

    /// The mode of some booleans, if this combination has been met.
    /// They are looked up by the booleans that rows name, and by the active rows only when these are new.
    #[inline]
    pub(super) fn met(
        &mut self,
        flow: &Flow,
        kinked: &Bits,
        truths: &DiscreteState,
    ) -> Option<usize> {
        let words = named(truths, &flow.named);
        write_key(&mut self.truths, words, &truths.sides, kinked);
        if let Some((last, mode)) = &self.last
            && *last == self.truths
        {
            return Some(*mode);
        }
        let met = *self.met.get(&self.truths)?;
        let last = self.last.get_or_insert_default();
        last.0.clone_from(&self.truths);
        last.1 = met;
        Some(met)
    }

    /// The mode of some booleans. Borders met for the first time are added to `borders` and get a
    /// place, but not yet a side, in `truths`; the mode is then to be asked for again once they have
    /// one.
    pub(super) fn find(
        &mut self,
        from: Source<'_>,
        borders: &mut Arc<Borders>,
        truths: &mut DiscreteState,
    ) -> Result<usize, ModeError> {
        if let Some(met) = self.met(from.flow, &borders.kinked, truths) {
            return Ok(met);
        }
        let Self { key, rows, .. } = self;
        from.flow.active(|literal| truths.holds(literal), rows);
        let active: Bits = rows.iter().copied().collect();
        let words = active.masked(&active);
        write_key(key, words, &truths.sides, &borders.kinked);
        if let Some(&known) = self.known.get(key) {
            if self.met.len() < MAX_MET {
                self.met.insert(self.truths.clone(), known);
            }
            return Ok(known);
        }
        if !from.gates.is_empty()
            && from.gates.are_exclusive(&self.rows)
            && let Some(variant) = self.variant(from, borders, truths)?
        {
            return Ok(variant);
        }
        if let Some(sides) = self.provisional.take() {
            let last = self.made.len() - 1;
            if self.active[last] == self.rows && is_right(&sides, truths, &borders.kinked) {
                self.known.insert(self.key.clone(), last);
                return Ok(last);
            }
            self.truncate(last);
        }
        let before = borders.len();
        let made = self.make(from, borders, &truths.sides)?;
        truths.grow(borders);
        if borders.len() > before {
            self.provisional = Some(truths.sides[..before].to_vec());
        } else {
            self.known.insert(self.key.clone(), self.made.len());
        }
        self.made.push(made);
        self.active.push(self.rows.clone());
        self.born.push(borders.age());
        Ok(self.made.len() - 1)
    }

    /// The variant of a mode with gates in which the rows in `self.rows` act, whose key is in `self.key`. `None` if the
    /// rows cannot have gates.
    fn variant(
        &mut self,
        from: Source<'_>,
        borders: &mut Arc<Borders>,
        truths: &mut DiscreteState,
    ) -> Result<Option<usize>, ModeError> {
        let active = self.rows.clone();
        from.gates.open_all(&mut self.rows);
        let base = self.gated_base(from, borders, truths);
        self.rows.clone_from(&active);
        let Some(base) = base? else {
            return Ok(None);
        };
        let mode = (base, &*self.made[base].mode);
        let variant = (self.variants).add(from.gates, mode, &active, &truths.sides);
        if self.provisional.is_none() {
            self.known.insert(self.key.clone(), variant);
            if self.met.len() < MAX_MET {
                self.met.insert(self.truths.clone(), variant);
            }
        }
        Ok(Some(variant))
    }

    /// The mode of the rows in `self.rows`, with gates.
    fn gated_base(
        &mut self,
        from: Source<'_>,
        borders: &mut Arc<Borders>,
        truths: &mut DiscreteState,
    ) -> Result<Option<usize>, ModeError> {
        let opened: Bits = self.rows.iter().copied().collect();
        let key_of = |sides: &[Side], borders: &Borders| {
            let mut key = Key::new();
            write_key(&mut key, opened.masked(&opened), sides, &borders.keyed);
            key
        };
        let key = key_of(&truths.sides, borders);
        if let Some(&known) = self.gated.get(&key) {
            return Ok(known);
        }
        if let Some(sides) = self.provisional.take() {
            let last = self.made.len() - 1;
            if self.active[last] == self.rows && is_right(&sides, truths, &borders.keyed) {
                self.gated.insert(key, Some(last));
                return Ok(Some(last));
            }
            self.truncate(last);
        }
        let (before, sides) = (borders.len(), truths.sides.as_slice());
        let active = self.rows.as_slice();
        let made = gated_mode(from, Corner { active, sides }, Arc::make_mut(borders))?;
        let Some(made) = made else {
            self.gated.insert(key, None);
            return Ok(None);
        };
        truths.grow(borders);
        if borders.len() > before {
            self.provisional = Some(truths.sides[..before].to_vec());
        } else {
            // What is part of its key is known when it has been made.
            let key = key_of(&truths.sides, borders);
            self.gated.insert(key, Some(self.made.len()));
        }
        self.made.push(Evaluator::new(made, from.constants));
        self.active.push(self.rows.clone());
        self.born.push(borders.age());
        Ok(Some(self.made.len() - 1))
    }

    /// The mode of the rows in `self.rows`, shared or made.
    fn make(
        &self,
        from: Source<'_>,
        borders: &mut Arc<Borders>,
        sides: &[Side],
    ) -> Result<Evaluator, ModeError> {
        let (constants, active) = (from.constants, self.rows.as_slice());
        let order = Order {
            constants,
            active,
            sides,
        };
        let shared = self.shared.as_ref();
        if let Some(made) = shared.and_then(|shared| shared.find(&order, borders)) {
            return Ok(made);
        }
        let shared = shared.filter(|shared| shared.wants(constants));
        let before = shared.map(|_| Arc::clone(borders));
        let (corner, alone) = (Corner { active, sides }, SlideGroups::default());
        let made = mode(from, &[corner], &alone, Arc::make_mut(borders))?;
        let made = Evaluator::new(made, constants);
        if let Some((shared, before)) = shared.zip(before) {
            shared.keep(&order, before, &made, borders);
        }
        Ok(made)
    }

    /// The mixture of some modes.
    ///
    /// Shapes: `corners`: the modes; `sides`: for each the sides of all borders.
    pub(crate) fn mixture(
        &mut self,
        from: Source<'_>,
        borders: &mut Arc<Borders>,
        corners: &[usize],
        groups: &Arc<SlideGroups>,
        sides: &[Vec<Side>],
    ) -> Result<usize, ModeError> {
        let mut key = corners.to_vec();
        if groups.len() > 1 {
            key.push(usize::MAX);
            key.extend(groups.key());
        }
        if let Some(&known) = self.mixtures.get(&key) {
            return Ok(known);
        }
        let base = |mode: usize| &*self.made[mode].mode;
        if let Some(mixture) = self.variants.mix(corners, groups, from.flow, base) {
            self.mixtures.insert(key, mixture);
            return Ok(mixture);
        }
        let parts: Vec<Corner<'_>> = corners
            .iter()
            .zip(sides)
            .map(|(&corner, sides)| Corner {
                active: self.active(corner),
                sides,
            })
            .collect();
        let made = mode(from, &parts, groups, Arc::make_mut(borders))?;
        self.provisional = None;
        self.mixtures.insert(key, self.made.len());
        self.made.push(Evaluator::new(made, from.constants));
        self.active.push(Vec::new());
        self.born.push(borders.age());
        Ok(self.made.len() - 1)
    }

    /// Forgets the modes that were made when more was known of the borders than at this age.
    pub(crate) fn keep(&mut self, age: usize) {
        self.truncate(self.born.partition_point(|born| *born <= age));
        self.provisional = None;
    }

    fn truncate(&mut self, n: usize) {
        self.retain(|variants, mode| variants.base(mode) < n);
        self.gated
            .retain(|_, mode| mode.is_none_or(|mode| mode < n));
        self.made.truncate(n);
        self.active.truncate(n);
        self.born.truncate(n);
    }

    /// Finds no mode any more but those that are to be kept.
    fn retain(&mut self, keeps: impl Fn(&Variants, usize) -> bool) {
        let variants = &self.variants;
        self.last = None;
        self.known.retain(|_, mode| keeps(variants, *mode));
        self.met.retain(|_, mode| keeps(variants, *mode));
        self.mixtures.retain(|key, mode| {
            let mut corners = key.iter().take_while(|mode| **mode != usize::MAX);
            keeps(variants, *mode) && corners.all(|mode| keeps(variants, *mode))
        });
    }

    /// Where there are many variants of modes, forgets all but those in use.
    #[inline]
    pub(crate) fn forget_variants(&mut self, is_used: impl Fn(usize) -> bool) {
        if self.variants.are_many() {
            self.retain(|_, mode| mode < FIRST || is_used(mode));
            self.variants.forget(is_used);
        }
    }

    /// A mode.
    #[inline(always)]
    pub(crate) fn get(&mut self, mode: usize) -> &mut Evaluator {
        if mode < FIRST {
            return &mut self.made[mode];
        }
        self.entered(mode)
    }

    /// A variant, its gates as they are open in it.
    #[inline(never)]
    fn entered(&mut self, mode: usize) -> &mut Evaluator {
        let evaluator = &mut self.made[self.variants.base(mode)];
        self.variants.enter(mode, evaluator);
        evaluator
    }

    /// A mode, to read. The numbers of a variant are those of the last one of its base that was evaluated.
    #[inline]
    pub(crate) fn at(&self, mode: usize) -> &Evaluator {
        &self.made[self.variants.base(mode)]
    }

    /// True if a mode computes with what others compute with, too.
    #[inline]
    pub(crate) fn is_variant(&self, mode: usize) -> bool {
        mode >= FIRST
    }

    /// Sets the weights of the corners of a mixture.
    pub(crate) fn weigh(&mut self, mixture: usize, weights: &[f64]) {
        if mixture < FIRST {
            self.made[mixture].weigh(weights);
        } else {
            self.variants.weigh(mixture, weights);
        }
    }

    /// True if the row that sets a bound of a state acts in a mode.
    pub(crate) fn has_bound(&self, mode: usize, bound: &StateBound) -> bool {
        let active = self.active(mode).get(bound.row);
        active.is_none_or(|acts| *acts)
    }

    /// Activity of each row in a mode.
    pub(crate) fn active(&self, mode: usize) -> &[bool] {
        match self.variants.active(mode) {
            Some(active) => active,
            None => &self.active[mode],
        }
    }
}
