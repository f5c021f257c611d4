//! Models of a sweep in which what varies gives families other sizes.

use std::sync::Arc;

use situ_engine::model::{Input, Model};
use situ_engine::sim::PreparedModel;
use situ_engine::trace::Measure;
use situ_rules::diag::{fault, first_error, in_a_cell, setup_error};
use situ_rules::resolve;
use situ_rules::source::Span;
use situ_sweep::{Design, Ending, OtherSize};
use situ_views::text::number::exact;
use situ_words::say;

use super::thinned;
use crate::command::Failure;
use crate::command::settings::Settings;
use crate::command::table::Opened;

/// What the models of all sizes have in common.
pub(super) struct Sizes<'s> {
    /// The table as it was read.
    pub(super) read: &'s Opened,
    pub(super) settings: &'s Settings,
    /// Names of what varies, and which of them are constants.
    pub(super) names: &'s [String],
    pub(super) inputs: &'s [Input],
    /// The measures, those of invariants among them.
    pub(super) measures: &'s [String],
}

impl Sizes<'_> {
    /// The model that the values of a row ask for.
    ///
    /// # Errors
    ///
    /// There is none: why, in one line.
    pub(super) fn of(&self, row: &[f64]) -> Result<OtherSize, String> {
        let varied = self.names.iter().zip(self.inputs).zip(row);
        let constants = varied.filter(|((_, input), _)| matches!(input, Input::Constant(_)));
        let more = constants.map(|((name, _), value)| format!("{name}={}", exact(*value)));
        let more: Vec<String> = more.collect();
        let (mut opened, config) = self.settings.resized(self.read, &more)?;
        let config = thinned(config);
        let measures = self.measures(&mut opened)?;
        let inputs = self.inputs(&mut opened)?;
        let Opened { model, origins, .. } = opened;
        let words = |error: &_| in_a_cell(&setup_error(error, &model, &origins));
        let template = PreparedModel::new(Arc::clone(&model), config, &measures);
        let mut template = template.map_err(|error| words(&error))?;
        let engine = self.settings.engine;
        engine
            .plug_into(&mut template)
            .map_err(|why| match why.into() {
                Failure::Wrong(why) | Failure::Unsupported(why) | Failure::Run(why) => why,
                _ => String::new(),
            })?;
        let words = move |ending: &Ending| match ending {
            Ending::Stop | Ending::Condition => String::new(),
            Ending::Failed(why) => in_a_cell(&fault(why, &model, &origins)),
            Ending::Refused(why) => in_a_cell(&setup_error(why, &model, &origins)),
            Ending::OtherFailed(why) | Ending::NoModel(why) => why.clone(),
        };
        Ok(OtherSize {
            template,
            inputs,
            words: Box::new(words),
        })
    }

    fn measures(&self, opened: &mut Opened) -> Result<Vec<Measure>, String> {
        let invariants: Vec<_> = resolve::invariant_measures(&opened.model).collect();
        let texts = self.measures.iter().map(|text| {
            if let Some((_, measure)) = invariants.iter().find(|(other, _)| other == text) {
                return Ok(measure.clone());
            }
            let Opened {
                model,
                origins,
                sources,
                ..
            } = &mut *opened;
            let model = Arc::make_mut(model);
            let measure = resolve::measure(model, origins, sources, "<--measure>", text);
            measure.map_err(|error| match error {
                resolve::MeasureError::Inside(reports) => first_error(&reports),
                error => error.to_string(),
            })
        });
        texts.collect()
    }

    fn inputs(&self, opened: &mut Opened) -> Result<Vec<Input>, String> {
        let inputs = self.names.iter().map(|name| {
            let Opened {
                model,
                origins,
                sources,
                ..
            } = &mut *opened;
            let source = sources.add("<--over>", name);
            let span = Span::new(source, 0, name.len());
            let input = resolve::input(Arc::make_mut(model), origins, sources, name, span);
            input.map_err(|reports| first_error(&reports))
        });
        inputs.collect()
    }
}

/// The name of a value that decides how many elements families have, if one varies.
pub(super) fn varied_size<'n>(
    names: &'n [String],
    design: &Design,
    model: &Model,
) -> Option<&'n str> {
    let first = design.sizing(model).into_iter().next()?;
    names.get(first).map(String::as_str)
}

/// Why the rows of such a sweep are not written.
pub(super) fn no_trajectories(name: &str) -> Failure {
    Failure::Wrong(say!("sweep-sizes-vary", name))
}
