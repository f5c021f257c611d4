//! The stages of reactions as a table.

use situ_engine::ids::RealId;
use situ_engine::model::{Coefficient, Guard, Model};
use situ_rules::print::{self, ModelText};
use situ_words::say;

use crate::text::listing::{Align, Listing};

/// The stages of reactions, as a chemist writes them.
pub(super) fn scheme(model: &Model) -> Listing {
    let mut listing = Listing::new([
        (say!("listing-column-number"), Align::Left),
        (say!("listing-column-stage"), Align::Left),
        (say!("listing-column-rate"), Align::Left),
        (say!("listing-column-situation"), Align::Left),
    ]);
    let words = ModelText::of(model);
    for stage in &model.scheme.stages {
        let side = |terms: &[(Coefficient, RealId)]| {
            let terms = terms.iter().map(|(amount, real)| {
                let name = print::name(&model.reals[real.index()].name);
                match *amount {
                    Coefficient::ONE => name,
                    amount => format!("{} {name}", words.coefficient(amount)),
                }
            });
            terms.collect::<Vec<_>>().join(" + ")
        };
        let equation = format!("{} -> {}", side(&stage.left), side(&stage.right));
        let row = &model.relations[stage.row.index()];
        let rate = words.right_side(stage.row);
        let guard = match &row.guard {
            Guard::When(all) => words.conjunction(all),
            _ => "EverTrue".to_owned(),
        };
        listing.row([stage.id.clone(), equation.trim().to_owned(), rate, guard]);
    }
    listing
}
