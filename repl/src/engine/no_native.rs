//! Native code in a program that has been built without: there is none.

use situ_engine::sim::{Run, Template};

use super::{EngineArg, EngineError, Outcome};

/// Errors: always.
pub(crate) fn supported() -> Outcome {
    let said = crate::without("native code", "native");
    Err(EngineError::Without(said))
}

/// The run stays as it is: native code was not asked for.
#[expect(
    clippy::unnecessary_wraps,
    reason = "a program with native code may refuse"
)]
pub(super) fn plug_in(_: &mut Run, _: EngineArg, _: bool) -> Outcome {
    Ok(())
}

/// The runs stay as they are: native code was not asked for.
#[expect(
    clippy::unnecessary_wraps,
    reason = "a program with native code may refuse"
)]
pub(super) fn plug_into(_: &mut Template, _: EngineArg, _: bool) -> Outcome {
    Ok(())
}
