//! `--over`: what varies in a sweep, bound to the model.

use std::sync::Arc;

use situ_engine::model::Input;
use situ_rules::diag::nearest;
use situ_rules::resolve;
use situ_rules::source::Span;
use situ_sweep::{Axis, Over, OverError};
use situ_words::say;

use super::words;
use crate::command::table::{self, Opened};
use crate::command::{Failure, Streams};

const SHOWN_AS: &str = "<--over>";

/// Reads one `--over`; the name as it was written comes with it.
///
/// # Errors
///
/// What cannot be read; names of the model have been reported.
pub(super) fn read(
    text: &str,
    opened: &mut Opened,
    streams: &mut Streams,
) -> Result<(String, Axis), Failure> {
    let over = Over::read(text).map_err(|error| wrong(&error))?;
    let source = opened.sources.add(SHOWN_AS, text);
    let span = Span::new(source, over.place.start, over.place.end);
    let input = input(over.name, span, opened, streams)?;
    let axis = over.axis(input).map_err(|error| wrong(&error))?;
    Ok((over.name.to_owned(), axis))
}

/// The constant, start value or switch of a name that stands at a place.
///
/// # Errors
///
/// There is none, which has been reported.
pub(super) fn input(
    name: &str,
    span: Span,
    opened: &mut Opened,
    streams: &mut Streams,
) -> Result<Input, Failure> {
    let Opened {
        model,
        origins,
        sources,
        ..
    } = opened;
    let found = resolve::input(Arc::make_mut(model), origins, sources, name, span);
    found.map_err(|reports| table::refuse(&reports, sources, streams))
}

/// The error in words, with a name that is near.
fn wrong(error: &OverError) -> Failure {
    if let OverError::UnknownDistribution(name) = error
        && let Some(near) = nearest(name, Over::distributions())
    {
        return Failure::Wrong(say!("sweep-no-distribution.near", name, near));
    }
    Failure::Wrong(words::of_over(error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_distribution_is_suggested() {
        let error = OverError::UnknownDistribution("norml".to_owned());
        let Failure::Wrong(message) = wrong(&error) else {
            panic!("it is an error of the command line");
        };
        assert!(message.contains("did you mean `normal`?"));
    }
}
