//! Rows of a sweep that give families other sizes: each size has a model of its own.

use rayon::prelude::*;
use situ_engine::ids::ConstantId;
use situ_engine::model::{Expr, Input, Model};
use situ_engine::sim::PreparedModel;

use crate::design::Design;
use crate::slice::{Done, Ending, Slice};

/// A model with families of another size.
pub struct OtherSize {
    /// The model, ready, with as many measures as that of the sweep.
    pub template: PreparedModel,
    /// The inputs that vary, in it.
    pub inputs: Vec<Input>,
    /// What is wrong with a run of it that did not come to its end.
    pub words: Box<dyn Fn(&Ending) -> String + Send + Sync>,
}

/// Makes the model that the values of a row ask for.
///
/// # Errors
///
/// There is no such model: why, in words.
pub type Resize<'r> = dyn Fn(&[f64]) -> Result<OtherSize, String> + Sync + 'r;

impl std::fmt::Debug for OtherSize {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OtherSize")
            .field("inputs", &self.inputs)
            .finish_non_exhaustive()
    }
}

/// The constants that decide how many elements the families of a model have.
pub fn sizing_constants(model: &Model) -> Vec<ConstantId> {
    let mut decides = vec![false; model.constants.len()];
    let mut open: Vec<ConstantId> = model.shape.iter().map(|(id, _)| *id).collect();
    let mut found = Vec::new();
    while let Some(id) = open.pop() {
        if std::mem::replace(&mut decides[id.index()], true) {
            continue;
        }
        found.push(id);
        let start = model.constants[id.index()].start;
        model.exprs.visit(start, |_, node| {
            if let Expr::Constant(other) = node {
                open.push(*other);
            }
        });
    }
    found
}

/// Positions of the inputs that decide it.
fn sizing(model: &Model, inputs: &[Input]) -> Vec<usize> {
    let decide = sizing_constants(model);
    let inputs = inputs.iter().enumerate();
    let sizing =
        inputs.filter(|(_, input)| matches!(input, Input::Constant(id) if decide.contains(id)));
    sizing.map(|(position, _)| position).collect()
}

impl Design {
    /// Positions of the inputs that decide how many elements the families of a model have.
    pub fn sizing(&self, model: &Model) -> Vec<usize> {
        sizing(model, self.inputs())
    }
}

impl Slice {
    /// Runs the rows as [`Self::run`] does; if values of theirs decide the size of families, those of each size with a model
    /// that `resize` makes.
    pub fn run_resized(
        &self,
        resize: &Resize<'_>,
        broken: &(dyn Fn() -> bool + Sync),
    ) -> Vec<Done> {
        let sizing = sizing(self.template.model(), &self.inputs);
        if sizing.is_empty() {
            return self.run(broken);
        }
        let mut groups: Vec<(Vec<u64>, Vec<usize>)> = Vec::new();
        for (place, row) in self.rows.iter().enumerate() {
            let size: Vec<u64> = sizing.iter().map(|&at| row[at].to_bits()).collect();
            match groups.iter_mut().find(|(other, _)| *other == size) {
                Some((_, places)) => places.push(place),
                None => groups.push((size, vec![place])),
            }
        }
        let groups = groups.into_par_iter().with_max_len(1);
        let parts = groups.map(|(_, places)| self.run_size(&places, resize, broken));
        let mut rows: Vec<Option<Done>> = self.rows.iter().map(|_| None).collect();
        for (place, done) in parts.collect::<Vec<_>>().into_iter().flatten() {
            rows[place] = Some(done);
        }
        rows.into_iter().map_while(|done| done).collect()
    }

    /// Runs the rows at some places, which have one size; with the place of each.
    fn run_size(
        &self,
        places: &[usize],
        resize: &Resize<'_>,
        broken: &(dyn Fn() -> bool + Sync),
    ) -> Vec<(usize, Done)> {
        let other = match resize(&self.rows[places[0]]) {
            Ok(other) => other,
            Err(why) => {
                let refused = |&place: &usize| {
                    let ending = Ending::NoModel(why.clone());
                    let done = self.not_run(place);
                    (place, Done { ending, ..done })
                };
                return places.iter().map(refused).collect();
            }
        };
        let slice = Slice {
            template: other.template,
            inputs: other.inputs,
            first: 0,
            rows: places
                .iter()
                .map(|&place| self.rows[place].clone())
                .collect(),
            keep: self.keep,
        };
        let done = slice.run(broken).into_iter().zip(places);
        done.map(|(done, &place)| {
            let ending = match &done.ending {
                Ending::Stop | Ending::Condition => done.ending,
                Ending::Failed(_) => Ending::OtherFailed((other.words)(&done.ending)),
                Ending::Refused(_) | Ending::NoModel(_) | Ending::OtherFailed(_) => {
                    Ending::NoModel((other.words)(&done.ending))
                }
            };
            let row = self.first + place as u64;
            (
                place,
                Done {
                    row,
                    ending,
                    ..done
                },
            )
        })
        .collect()
    }
}
