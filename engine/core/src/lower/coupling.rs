//! Coupling of slides: which rows the truths on a border change, and on which rates the margins of others depend.

use smallvec::SmallVec;

use crate::graph::DisjointSets;
use crate::ids::{RealId, RelationId};
use crate::lower::border::{BorderId, BorderSource, Borders};
use crate::lower::flow::Flow;
use crate::lower::mode::SlideGroups;
use crate::model::{Argument, Boolean, Guard, Literal, Model, Relation};

/// The most borders that move each other along which the state can slide at once: there are 2^n modes around them.
pub(crate) const MAX_SLIDES: usize = 6;

/// Slides by their numbers, or groups of them, in rising order.
type Slides = SmallVec<[u32; 1]>;

/// What slides change.
struct Reached {
    /// Per relation and per real the slides that change it, by themselves or through what it reads.
    relations: Vec<Slides>,
    reals: Vec<Slides>,
    /// Relations of which truths on a border decide whether they act, or which branch.
    decided: Vec<bool>,
}

/// Notes a slide; false if it is noted already.
fn note(slides: &mut Slides, slide: u32) -> bool {
    let is_new = slides.last() != Some(&slide);
    if is_new {
        slides.push(slide);
    }
    is_new
}

/// True if a row gives a sum of what it reads, each real with a factor that no real changes, or integrates one.
fn adds_up(model: &Model, relation: &Relation) -> bool {
    relation.procedure.get().adds_up()
        && relation.args.iter().all(|argument| match argument {
            Argument::Real(expr) => model.exprs.is_linear(*expr),
            Argument::Boolean(_) => false,
        })
}

/// Who reads whom, by relation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Coupling {
    /// Per range the relations whose activity, or whose argument, it decides, through situations as well.
    by_range: Vec<Vec<u32>>,
    /// Per range the reals that it reads, and whether it decides about rows between events.
    compared: Vec<Vec<RealId>>,
    shaping: Vec<bool>,
    /// Per real the relations that read it, those that give its value, and the reals that these read.
    readers: Vec<Vec<u32>>,
    values: Vec<Vec<u32>>,
    /// Per relation the reals in its arguments.
    reads: Vec<Vec<RealId>>,
    /// Per relation whether it gives the value of its targets, and not a rate.
    is_value: Vec<bool>,
}

fn number(at: usize) -> u32 {
    u32::try_from(at).expect("fewer than 2^32 rows")
}

impl Coupling {
    pub(crate) fn new(model: &Model, flow: &Flow) -> Self {
        let mut all = Self {
            by_range: vec![Vec::new(); model.ranges.len()],
            compared: Vec::with_capacity(model.ranges.len()),
            shaping: flow.shaping.clone(),
            readers: vec![Vec::new(); model.reals.len()],
            values: vec![Vec::new(); model.reals.len()],
            reads: Vec::with_capacity(model.relations.len()),
            is_value: vec![false; model.relations.len()],
        };
        for range in &model.ranges {
            let mut reads = Vec::new();
            for side in range.all.iter().flat_map(|one| [one.left, one.right]) {
                model.exprs.each_real(side, |real| reads.push(real));
            }
            all.compared.push(reads);
        }
        let mut situations: Vec<Vec<usize>> = vec![Vec::new(); model.situations.len()];
        let ranges_of = |literal: &Literal, situations: &[Vec<usize>], into: &mut Vec<usize>| {
            match literal.what {
                Boolean::Range(range) => into.push(range.index()),
                Boolean::Situation(id) => into.extend(&situations[id.index()]),
                Boolean::Switch(_) | Boolean::Schedule(_) | Boolean::Start => {}
            }
        };
        for row in &model.situation_rows {
            let mut ranges = std::mem::take(&mut situations[row.situation.index()]);
            for literal in &row.all {
                ranges_of(literal, &situations, &mut ranges);
            }
            ranges.sort_unstable();
            ranges.dedup();
            situations[row.situation.index()] = ranges;
        }
        for row in &flow.rows {
            all.is_value[row.relation.index()] |= row.action.is_value();
        }
        // Rows of a real with `otherwise` are told apart by the conditions of the others.
        let mut conditions: Vec<Vec<usize>> = vec![Vec::new(); model.reals.len()];
        for relation in &model.relations {
            if let Guard::When(literals) = &relation.guard {
                for target in &relation.targets {
                    for literal in literals {
                        ranges_of(literal, &situations, &mut conditions[target.index()]);
                    }
                }
            }
        }
        for (index, relation) in model.relations.iter().enumerate() {
            let mut ranges = Vec::new();
            match &relation.guard {
                Guard::Always => {}
                Guard::When(literals) => {
                    let literals = literals.iter();
                    literals.for_each(|literal| ranges_of(literal, &situations, &mut ranges));
                }
                Guard::Otherwise => {
                    let targets = relation.targets.iter();
                    targets.for_each(|target| ranges.extend(&conditions[target.index()]));
                }
            }
            let mut reads = Vec::new();
            for arg in &relation.args {
                match arg {
                    Argument::Real(expr) => model.exprs.each_real(*expr, |real| reads.push(real)),
                    Argument::Boolean(literal) => ranges_of(literal, &situations, &mut ranges),
                }
            }
            ranges.sort_unstable();
            ranges.dedup();
            for range in ranges {
                all.by_range[range].push(number(index));
            }
            reads.sort_unstable();
            reads.dedup();
            for real in &reads {
                all.readers[real.index()].push(number(index));
            }
            all.reads.push(reads);
            if all.is_value[index] {
                for target in &relation.targets {
                    all.values[target.index()].push(number(index));
                }
            }
        }
        all
    }

    /// The groups of the borders of a slide.
    ///
    /// `turning`: ranges that are on none of them, and whose truths differ around them.
    ///
    /// Shapes: `starts`: for each border the ranges that are on it, and the relations that jump on it, twins included.
    pub(crate) fn groups(
        &self,
        model: &Model,
        borders: &Borders,
        slides: &[BorderId],
        starts: &[(Vec<usize>, Vec<RelationId>)],
        turning: &[usize],
    ) -> SlideGroups {
        let n = slides.len();
        if n < 2 {
            return SlideGroups::one(n);
        }
        let mut reached = self.reached(model, starts, turning);
        let several = self.reading_several(&reached);
        if !several.is_empty() {
            reached = self.reached(model, starts, &[turning, &several].concat());
        }
        let mut sets = DisjointSets::new(n);
        let join = |sets: &mut DisjointSets, slides: &[u32], slide: u32| {
            let others = slides.iter();
            others.for_each(|other| sets.join(*other as usize, slide as usize));
        };
        for (index, relation) in model.relations.iter().enumerate() {
            let slides = &reached.relations[index];
            let Some(&first) = slides.first() else {
                continue;
            };
            // What adds up the shares of several slides is a sum over them, whichever others there are.
            if reached.decided[index] || slides.len() > 1 && !adds_up(model, relation) {
                join(&mut sets, slides, first);
                for target in &relation.targets {
                    join(&mut sets, &reached.reals[target.index()], first);
                }
            }
        }
        for (slide, &border) in slides.iter().enumerate() {
            for real in self.followed(model, borders, border) {
                join(&mut sets, &reached.reals[real.index()], number(slide));
            }
        }
        let members = sets.sets();
        if members.len() == 1 {
            return SlideGroups::one(n);
        }
        let mut group_of = vec![0; n];
        for (group, slides) in members.iter().enumerate() {
            for &slide in slides {
                group_of[slide] = number(group);
            }
        }
        let groups = |slides: &Slides| {
            let mut groups: Slides = slides.iter().map(|one| group_of[*one as usize]).collect();
            groups.dedup();
            groups
        };
        let first = |groups: &Slides| groups.first().copied().unwrap_or_default();
        let of_relation = reached.relations.iter().map(|one| first(&groups(one)));
        let of_real: Vec<Slides> = reached.reals.iter().map(groups).collect();
        let of_several = of_real.iter().map(|groups| groups.len() > 1);
        SlideGroups::new(
            members,
            of_relation.collect(),
            of_real.iter().map(first).collect(),
            of_several.collect(),
        )
    }

    /// Ranges on which rows depend that read what several slides change, each at once, but few enough that these can be
    /// found together: their truths may differ where the slides are on different sides.
    fn reading_several(&self, reached: &Reached) -> Vec<usize> {
        let reads_several = |range: &usize| {
            let reals = self.compared[*range].iter().map(|real| real.index());
            let values = reals.filter(|&real| !self.values[real].is_empty());
            let mut slides: Vec<u32> = values
                .flat_map(|real| &reached.reals[real])
                .copied()
                .collect();
            slides.sort_unstable();
            slides.dedup();
            (2..=MAX_SLIDES).contains(&slides.len())
        };
        let shaping = (0..self.compared.len()).filter(|&range| self.shaping[range]);
        shaping.filter(reads_several).collect()
    }

    /// What the truths on the border of each slide change, be it through ranges that turn with them.
    fn reached(
        &self,
        model: &Model,
        starts: &[(Vec<usize>, Vec<RelationId>)],
        turning: &[usize],
    ) -> Reached {
        let mut reached = Reached {
            relations: vec![Slides::new(); model.relations.len()],
            reals: vec![Slides::new(); model.reals.len()],
            decided: vec![false; model.relations.len()],
        };
        for (slide, (ranges, kinks)) in starts.iter().enumerate() {
            let slide = number(slide);
            let by_range = ranges.iter().flat_map(|range| &self.by_range[*range]);
            let kinks = kinks.iter().map(|relation| number(relation.index()));
            let mut open: Vec<u32> = by_range.copied().chain(kinks).collect();
            for relation in &open {
                reached.decided[*relation as usize] = true;
            }
            while let Some(relation) = open.pop() {
                let relation = relation as usize;
                if !note(&mut reached.relations[relation], slide) {
                    continue;
                }
                for target in &model.relations[relation].targets {
                    note(&mut reached.reals[target.index()], slide);
                    if !self.is_value[relation] {
                        continue;
                    }
                    open.extend(&self.readers[target.index()]);
                    for &range in turning {
                        if self.compared[range].contains(target) {
                            let rows = &self.by_range[range];
                            open.extend(rows);
                            rows.iter()
                                .for_each(|row| reached.decided[*row as usize] = true);
                        }
                    }
                }
            }
        }
        reached
    }

    /// The reals from which the margin of a border follows: states, and what is computed on the way.
    fn followed(&self, model: &Model, borders: &Borders, border: BorderId) -> Vec<RealId> {
        let mut open = Vec::new();
        match (borders.form(border), borders.owners[border.index()]) {
            (Some(form), _) => open.extend(form.terms.iter().map(|(real, _)| *real)),
            (None, BorderSource::Comparison(range, _) | BorderSource::RangeKink(range, _)) => {
                open.extend(&self.compared[range.index()]);
            }
            (None, source) => {
                if let Some(row) = source.relation() {
                    open.extend(&self.reads[row.index()]);
                    open.extend(&model.relations[row.index()].targets);
                }
            }
        }
        let mut all: Vec<RealId> = Vec::new();
        while let Some(real) = open.pop() {
            if all.contains(&real) {
                continue;
            }
            all.push(real);
            for &relation in &self.values[real.index()] {
                open.extend(&self.reads[relation as usize]);
            }
        }
        all
    }
}
