//! A loaded table with another text: read again, with the factors that its units lack, compared with what it said.

use situ_engine::model::Model;
use situ_words::say;

use super::{Choices, Loaded, TableText, load_over};
use crate::check::unit_factors;
use crate::diag::{Edit, Severity};
use crate::resolve::{self, resolve};

/// Factors of units are looked for at most so often.
const MAX_ROUNDS: usize = 8;

impl Loaded {
    /// Reads the table with another text, over the same tables that it extends and has as parts.
    pub fn again(&self, text: &str) -> Self {
        let name = self.sources.iter().next().map_or("", |own| &own.name);
        let mut others = |path: &str, from: &str| {
            let mut read = self.read.iter();
            match read.find(|one| one.path == path && one.from == from) {
                Some(one) => {
                    let source = self.sources.get(one.source);
                    Ok(TableText {
                        name: source.name.clone(),
                        text: source.text.to_string(),
                    })
                }
                None => Err(say!("lookup-file.why")),
            }
        };
        load_over(
            self.data.clone(),
            name,
            text,
            &mut others,
            &Choices::default(),
        )
    }

    /// The text of the table with the factors that its units lack; `None` if it lacks none that can be written in.
    pub fn with_unit_factors(&self) -> Option<String> {
        let mut changed: Option<Self> = None;
        // Of several operands of a row that lack one the next is seen when the first has it.
        for _ in 0..MAX_ROUNDS {
            let loaded = changed.as_ref().unwrap_or(self);
            let table = loaded.tables.last()?;
            let text = &loaded.sources.get(table.source_id).text;
            let edits = loaded.model.as_ref().map_or_else(Vec::new, |model| {
                unit_factors(
                    model,
                    loaded.watchers(),
                    &loaded.origins,
                    &loaded.sources,
                    table,
                )
            });
            if edits.is_empty() {
                break;
            }
            let again = self.again(&Edit::all(edits, text));
            if again.model.is_none() {
                break;
            }
            changed = Some(again);
        }
        let changed = changed?;
        let own = changed.tables.last()?.source_id;
        Some(changed.sources.get(own).text.clone())
    }

    /// True if another table says the same: it has the same model or, if it has none, the same kinds of mistakes.
    pub fn says_the_same(&self, other: &Self) -> bool {
        let kinds = |loaded: &Self| {
            let errors = loaded.diagnostics.iter();
            let errors = errors.filter(|found| found.severity == Severity::Error);
            let mut kinds: Vec<&str> = errors.map(|error| error.code).collect();
            kinds.sort_unstable();
            kinds
        };
        match (&self.model, &other.model) {
            (None, None) => kinds(self) == kinds(other),
            (Some(a), Some(b)) => {
                // A row in columns is done for each element, a line for all of them at once.
                let same_flat = || {
                    let flat = self.flat_model();
                    flat.is_some() && flat == other.flat_model()
                };
                a == b || a.structure == b.structure && same_flat()
            }
            _ => false,
        }
    }

    /// The model of the table as it is written out, with the cases that are not in it; `None` if it stands so already.
    fn flat_model(&self) -> Option<(Model, Vec<String>)> {
        let flat = resolve::flat(&self.tables)?;
        let model = resolve(&[flat.table], &self.sources, &self.data).model?;
        Some((model, flat.left_out))
    }
}
