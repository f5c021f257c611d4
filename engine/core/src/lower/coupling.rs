//! Coupling of slides: which rows the truths on a border change, and on which rates the margins of others depend.

use crate::graph::DisjointSets;
use crate::ids::{RealId, RelationId};
use crate::lower::border::{BorderId, BorderSource, Borders};
use crate::lower::flow::Flow;
use crate::lower::mode::SlideGroups;
use crate::model::{Argument, Boolean, Guard, Literal, Model};

/// Who reads whom, by relation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Coupling {
    /// Per range the relations whose activity, or whose argument, it decides, through situations as well.
    by_range: Vec<Vec<u32>>,
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
            readers: vec![Vec::new(); model.reals.len()],
            values: vec![Vec::new(); model.reals.len()],
            reads: Vec::with_capacity(model.relations.len()),
            is_value: vec![false; model.relations.len()],
        };
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
    /// Shapes: `starts`: for each border the ranges that are on it, and the relations with a kink on it, twins included.
    pub(crate) fn groups(
        &self,
        model: &Model,
        borders: &Borders,
        slides: &[BorderId],
        starts: &[(Vec<usize>, Vec<RelationId>)],
    ) -> SlideGroups {
        let n = slides.len();
        if n < 2 {
            return SlideGroups::one(n);
        }
        let mut sets = DisjointSets::new(n);
        let mut of_relation: Vec<Option<usize>> = vec![None; model.relations.len()];
        let mut of_real: Vec<Option<usize>> = vec![None; model.reals.len()];
        for (slide, (ranges, kinks)) in starts.iter().enumerate() {
            let by_range = ranges.iter().flat_map(|range| &self.by_range[*range]);
            let kinks = kinks.iter().map(|relation| number(relation.index()));
            let mut open: Vec<u32> = by_range.copied().chain(kinks).collect();
            while let Some(relation) = open.pop() {
                let relation = relation as usize;
                match of_relation[relation] {
                    Some(other) => {
                        sets.join(other, slide);
                        continue;
                    }
                    None => of_relation[relation] = Some(slide),
                }
                for target in &model.relations[relation].targets {
                    let other = *of_real[target.index()].get_or_insert(slide);
                    sets.join(other, slide);
                    if self.is_value[relation] {
                        open.extend(&self.readers[target.index()]);
                    }
                }
            }
        }
        for (slide, &border) in slides.iter().enumerate() {
            for real in self.followed(model, borders, border) {
                if let Some(other) = of_real[real.index()] {
                    sets.join(other, slide);
                }
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
        let group = |slide: &Option<usize>| slide.map_or(0, |slide| group_of[slide]);
        let of_relation = of_relation.iter().map(group).collect();
        let of_real = of_real.iter().map(group).collect();
        SlideGroups::new(members, of_relation, of_real)
    }

    /// The reals from which the margin of a border follows: states, and what is computed on the way.
    fn followed(&self, model: &Model, borders: &Borders, border: BorderId) -> Vec<RealId> {
        let mut open = Vec::new();
        match (borders.form(border), borders.owners[border.index()]) {
            (Some(form), _) => open.extend(form.terms.iter().map(|(real, _)| *real)),
            (None, BorderSource::Comparison(range, _) | BorderSource::RangeKink(range, _)) => {
                for comparison in &model.ranges[range.index()].all {
                    model
                        .exprs
                        .each_real(comparison.left, |real| open.push(real));
                    model
                        .exprs
                        .each_real(comparison.right, |real| open.push(real));
                }
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
