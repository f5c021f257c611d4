//! Ways to execute a tape. Each evaluates operations and knows neither time nor model.

pub(crate) mod block;
pub mod compiled;
pub mod equations;
pub(crate) mod factors;
pub(crate) mod history;
pub mod interpreter;
pub(crate) mod lanes;
pub(crate) mod record;
pub(crate) mod residuals;
pub(crate) mod series;
pub mod solved;
pub(crate) mod sparse_derivatives;
pub(crate) mod step;
pub(crate) mod value;
