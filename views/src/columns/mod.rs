//! Columns: which quantities and booleans of a model stand in the output of a run, and the tables made of them
//! (CSV, Parquet, in memory).

pub mod cells;
pub mod csv;
pub mod downsample;
pub mod envelope;
pub mod family;
pub mod kept;
pub mod observed;
#[cfg(feature = "parquet")]
pub mod parquet;
pub mod selection;
pub mod series;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use situ_engine::ids::{ConstantId, RealId};
use situ_engine::model::{Boolean, Indices, Model, Quantity, element, element_name};
use situ_engine::procedure::Motion;
use situ_engine::trace::Row;
use situ_rules::diag::{nearest, outside_of_family};
use situ_rules::source::Origins;
use situ_rules::{Diagnostic, SourceMap};
use situ_words::say;

use self::observed::Texts;

/// A choice of columns: constants, reals, and booleans in table order, expressions behind the reals.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Columns {
    /// Constants; only if they were asked for.
    pub constants: Vec<ConstantId>,
    /// Reals.
    pub reals: Vec<RealId>,
    /// Switches, ranges and situations.
    pub booleans: Vec<Boolean>,
    /// Expressions, in the order in which they were asked for.
    pub texts: Option<Texts>,
}

/// What a picture leaves out of the reals, unless others are asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Undrawn {
    /// Number of all.
    pub n_reals: usize,
    /// Those that are drawn.
    pub choice: Choice,
}

/// Choice of the reals that are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Choice {
    /// The first of all.
    First,
    /// Those that are integrated or smoothed.
    States,
    /// The first of these.
    FirstStates,
}

/// A name that stands for no column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NoColumn {
    /// The name.
    pub name: String,
    /// The nearest name of the model.
    pub near: Option<String>,
    /// What is said of a family without elements, and of an element that its family does not have.
    pub outside: Option<String>,
}

impl std::fmt::Display for NoColumn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            name,
            near,
            outside,
        } = self;
        f.write_str(&match (outside, near) {
            (Some(outside), _) => outside.clone(),
            (None, Some(near)) => say!("columns-not-in-model.near", name, near),
            (None, None) => say!("columns-not-in-model", name),
        })
    }
}

impl std::error::Error for NoColumn {}

impl Columns {
    /// Columns of the output if nothing is chosen: reals that the author did not take out, and
    /// everything true or false that has a name; of families with more than [`MOST_ELEMENTS`] none.
    pub fn standard(model: &Model) -> Self {
        let large: HashSet<&str> = large_families(model).map(|(name, _)| name).collect();
        let mut columns = Self::all(model);
        if large.is_empty() {
            return columns;
        }
        let is_small = |name: &str| element(name).is_none_or(|(family, _)| !large.contains(family));
        columns
            .reals
            .retain(|real| is_small(&model.reals[real.index()].name));
        columns
            .booleans
            .retain(|what| is_small(boolean_name(model, *what)));
        columns
    }

    /// Reals that the author did not take out, and everything true or false that has a name.
    fn all(model: &Model) -> Self {
        let reals = model
            .reals
            .iter()
            .enumerate()
            .filter(|(_, real)| real.output);
        Self {
            reals: reals.map(|(index, _)| RealId::new(index)).collect(),
            booleans: model.named_booleans().map(|(_, what)| what).collect(),
            ..Self::default()
        }
    }

    /// The columns with these names; that of a family stands for all of its elements.
    ///
    /// # Errors
    ///
    /// [`NoColumn`] for the first name that the model does not have.
    pub fn named<'n>(
        model: &Model,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Result<Self, NoColumn> {
        let mut columns = Self::default();
        let names = names.into_iter().flat_map(|name| match elements(name) {
            Some(elements) => elements,
            None => vec![Cow::Borrowed(name)],
        });
        for name in names {
            let name = &*name;
            if let Some(index) = model.reals.iter().position(|real| real.name == name) {
                columns.reals.push(RealId::new(index));
            } else if let Some((_, what)) = model.named_booleans().find(|(other, _)| *other == name)
            {
                columns.booleans.push(what);
            } else if let Some(index) = model
                .constants
                .iter()
                .position(|constant| constant.name == name)
            {
                columns.constants.push(ConstantId::new(index));
            } else if names_of(model).any(|one| is_element_of(name, one)) {
                columns.add_family(model, name);
            } else {
                let near = nearest(name, names_of(model)).map(str::to_owned);
                return Err(NoColumn {
                    name: name.to_owned(),
                    near,
                    outside: outside_of_family(name, names_of(model), &model.structure.families),
                });
            }
        }
        columns.constants.sort_unstable();
        columns.constants.dedup();
        columns.reals.sort_unstable();
        columns.reals.dedup();
        columns.booleans.sort_unstable();
        columns.booleans.dedup();
        Ok(columns)
    }

    /// Adds all elements of a family.
    fn add_family(&mut self, model: &Model, family: &str) {
        let is_in = |(_, of): &(usize, &Quantity)| is_element_of(family, &of.name);
        let constants = model.constants.iter().enumerate().filter(is_in);
        let reals = model.reals.iter().enumerate().filter(is_in);
        let booleans = (model.named_booleans()).filter(|(name, _)| is_element_of(family, name));
        (self.constants).extend(constants.map(|(index, _)| ConstantId::new(index)));
        (self.reals).extend(reals.map(|(index, _)| RealId::new(index)));
        (self.booleans).extend(booleans.map(|(_, what)| what));
    }

    /// Columns that are drawn if nothing is chosen: the states of the model, i.e. what it integrates (of a
    /// model without any, its reals), and its booleans; of each the first few, and of many booleans
    /// no ranges.
    pub fn drawn(model: &Model) -> Self {
        Self::drawn_up_to(model, MOST_LANES)
    }

    /// The same, and more booleans, of which those that switch are to be drawn.
    pub fn drawn_if_switching(model: &Model) -> Self {
        const MOST_BOOLEANS: usize = 100;
        Self::drawn_up_to(model, MOST_BOOLEANS)
    }

    fn drawn_up_to(model: &Model, most_booleans: usize) -> Self {
        const MOST_REALS: usize = 6;
        let mut columns = Self {
            reals: Self::drawable(model),
            ..Self::all(model)
        };
        columns.reals.truncate(MOST_REALS);
        if columns.booleans.len() > most_booleans {
            columns
                .booleans
                .retain(|what| !matches!(what, Boolean::Range(_)));
            columns.booleans.truncate(most_booleans);
        }
        columns
    }

    /// Number of the booleans that are drawn unless others are asked for, however many.
    pub fn n_drawable_booleans(model: &Model) -> usize {
        model.named_booleans().count()
    }

    /// Of how many reals no more are drawn than some, unless others are asked for.
    ///
    /// Shapes: `n_drawn`, the number of those that are.
    pub fn undrawn(model: &Model, n_drawn: usize) -> Option<Undrawn> {
        let (n_reals, n_drawable) = (Self::all(model).reals.len(), Self::drawable(model).len());
        let choice = match (n_drawable < n_reals, n_drawn < n_drawable) {
            (false, false) => return None,
            (false, true) => Choice::First,
            (true, false) => Choice::States,
            (true, true) => Choice::FirstStates,
        };
        Some(Undrawn { n_reals, choice })
    }

    /// Reals that are drawn unless others are asked for, however many: those that are integrated, or, if there are
    /// none, all.
    fn drawable(model: &Model) -> Vec<RealId> {
        let mut reals = Self::all(model).reals;
        let mut is_state = vec![false; model.reals.len()];
        for relation in &model.relations {
            if relation.procedure.get().motion() == Motion::Integrated {
                relation
                    .targets
                    .iter()
                    .for_each(|real| is_state[real.index()] = true);
            }
        }
        if reals.iter().any(|real| is_state[real.index()]) {
            reals.retain(|real| is_state[real.index()]);
        }
        reals
    }

    /// Columns by name, and expressions.
    ///
    /// Shapes: `shown_as`, the name under which an expression is shown in reports.
    ///
    /// # Errors
    ///
    /// A name that the model does not have, or everything that is wrong with the expressions.
    pub fn asked<'n>(
        model: &Arc<Model>,
        origins: &Origins,
        sources: &mut SourceMap,
        shown_as: &str,
        asked: impl IntoIterator<Item = &'n str>,
    ) -> Result<Self, Unreadable> {
        let is_text = |text: &&str| is_expression(model, text);
        let (texts, names): (Vec<&str>, Vec<&str>) = asked.into_iter().partition(is_text);
        let mut columns = Self::named(model, names).map_err(Unreadable::NoColumn)?;
        if !texts.is_empty() {
            let texts = Texts::new(model, origins, sources, shown_as, texts);
            columns.texts = Some(texts.map_err(Unreadable::Wrong)?);
        }
        Ok(columns)
    }

    /// The constants, reals and expressions, in order.
    pub fn quantities<'a>(&'a self, model: &'a Model) -> impl Iterator<Item = &'a Quantity> {
        let constants = self.constants.iter().map(|id| &model.constants[id.index()]);
        let reals = self.reals.iter().map(|id| &model.reals[id.index()]);
        let texts = self.texts.iter().flat_map(Texts::quantities);
        constants.chain(reals).chain(texts)
    }

    /// Their names, in order.
    pub fn names<'a>(&'a self, model: &'a Model) -> impl Iterator<Item = &'a str> {
        let booleans = self.booleans.iter().map(|what| boolean_name(model, *what));
        let quantities = self.quantities(model);
        quantities.map(|one| one.name.as_str()).chain(booleans)
    }

    /// The values of constants, reals and expressions in a row, in order.
    pub fn numbers<'r>(&'r self, row: &Row<'r>) -> impl Iterator<Item = f64> + use<'r> {
        let texts = self.texts.iter().flat_map(|texts| texts.values(row));
        let texts: Vec<f64> = texts.collect();
        let (constants, reals) = (row.constants, row.reals);
        let constants = self.constants.iter().map(move |id| constants[id.index()]);
        let reals = self.reals.iter().map(move |id| reals[id.index()]);
        constants.chain(reals).chain(texts)
    }

    /// The values of the booleans in a row, in order.
    pub fn truths<'a>(
        &'a self,
        model: &'a Model,
        row: &'a Row<'_>,
    ) -> impl Iterator<Item = bool> + use<'a> {
        self.booleans
            .iter()
            .map(move |what| row.boolean(model, *what))
    }

    /// Number of columns.
    pub fn len(&self) -> usize {
        let texts = self
            .texts
            .as_ref()
            .map_or(0, |texts| texts.quantities().count());
        self.constants.len() + self.reals.len() + texts + self.booleans.len()
    }

    /// True without any column.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Families of which no more elements than this stand in the output if nothing is chosen.
pub const MOST_ELEMENTS: usize = 100;

/// Booleans that are drawn unless others are asked for.
pub const MOST_LANES: usize = 8;

/// Families with more elements than [`MOST_ELEMENTS`] in the output, with their number.
pub fn large_families(model: &Model) -> impl Iterator<Item = (&str, usize)> {
    let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
    let reals = model.reals.iter().filter(|real| real.output);
    let names = reals.map(|real| real.name.as_str());
    for name in names.chain(model.named_booleans().map(|(name, _)| name)) {
        if let Some((family, _)) = element(name) {
            *sizes.entry(family).or_default() += 1;
        }
    }
    sizes.into_iter().filter(|(_, size)| *size > MOST_ELEMENTS)
}

/// The elements that `u[1..10]` or `c[2,1..5]` names; `None` if it is no such name.
pub fn elements(name: &str) -> Option<Vec<Cow<'_, str>>> {
    const MOST: u64 = 1_000_000;
    let (family, indices) = name.strip_suffix(']')?.rsplit_once('[')?;
    let mut all: Vec<Indices> = vec![Indices::new()];
    let mut has_range = false;
    for index in indices.split(',') {
        let (from, to) = match index.split_once("..") {
            Some((from, to)) => {
                has_range = true;
                (
                    from.trim().parse::<i64>().ok()?,
                    to.trim().parse::<i64>().ok()?,
                )
            }
            None => {
                let at = index.trim().parse().ok()?;
                (at, at)
            }
        };
        let count = u64::try_from(to.checked_sub(from)?.checked_add(1)?).ok()?;
        if count == 0 || count.saturating_mul(all.len() as u64) > MOST {
            return None;
        }
        all = all
            .iter()
            .flat_map(|before| (from..=to).map(|at| before.iter().copied().chain([at]).collect()))
            .collect();
    }
    let names = all
        .iter()
        .map(|indices| element_name(family, indices).into());
    has_range.then(|| names.collect())
}

/// Why columns that were asked for are none.
#[derive(Clone, Debug)]
pub enum Unreadable {
    /// A name that the model does not have.
    NoColumn(NoColumn),
    /// What is wrong with expressions.
    Wrong(Vec<Diagnostic>),
}

/// True if a text that names columns is an expression: it is no name of the model and none of an element, and calls or
/// calculates something, which no name that is near does.
fn is_expression(model: &Model, text: &str) -> bool {
    let operates = |text: &str| text.contains(['+', '-', '*', '/', '^']);
    // What stands in front of the indices of an expression that ends in an element calculates.
    let family = text.rsplit_once('[').map_or("", |(family, _)| family);
    let is_element = element(text).is_some() || elements(text).is_some();
    match Columns::named(model, [text]) {
        Ok(_) => false,
        Err(_) if is_element && !operates(family) => false,
        Err(NoColumn { near, .. }) => {
            let is_name = near.is_some_and(|near| operates(&near));
            text.contains(['(', '[']) || operates(text) && !is_name
        }
    }
}

/// True of an element of a family.
pub(crate) fn is_element_of(family: &str, name: &str) -> bool {
    element(name).is_some_and(|(base, _)| base == family)
}

fn names_of(model: &Model) -> impl Iterator<Item = &str> {
    let constants = model
        .constants
        .iter()
        .map(|constant| constant.name.as_str());
    let reals = model.reals.iter().map(|real| real.name.as_str());
    constants
        .chain(reals)
        .chain(model.named_booleans().map(|(name, _)| name))
}

fn boolean_name(model: &Model, what: Boolean) -> &str {
    match what {
        Boolean::Switch(id) => &model.switches[id.index()].name,
        Boolean::Range(id) => &model.ranges[id.index()].name,
        Boolean::Situation(id) => &model.situations[id.index()].name,
        Boolean::Schedule(_) | Boolean::Start => "",
    }
}

#[cfg(test)]
mod tests {
    use situ_engine::model::{CompareOp, ModelBuilder};

    use super::*;

    fn model() -> Model {
        let mut table = ModelBuilder::new("columns");
        let g = table.constant("g", 9.81);
        let [x, v] = ["x", "v"].map(|name| table.real(name, 0.0));
        table.real("aside", 0.0);
        let low = table.range("low", [(x.into(), CompareOp::Less, 1.0.into())]);
        table.situation("deep", [low.into()]);
        table.switch("on", true);
        table.relation(v, "integral", [g]);
        table.relation(x, "integral", [v]);
        table.build().unwrap()
    }

    fn names(columns: &Columns) -> String {
        columns.names(&model()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn columns_stand_in_table_order() {
        let model = model();
        assert_eq!(names(&Columns::standard(&model)), "x v aside on low deep");
        assert_eq!(names(&Columns::drawn(&model)), "x v on low deep");
        let undrawn = |n_drawn| Columns::undrawn(&model, n_drawn).unwrap();
        let [all, first] = [2, 1].map(undrawn);
        assert_eq!((all.n_reals, all.choice), (3, Choice::States));
        assert_eq!((first.n_reals, first.choice), (3, Choice::FirstStates));
        let named = Columns::named(&model, ["deep", "v", "g", "on", "x", "v"]).unwrap();
        assert_eq!(names(&named), "g x v on deep");
        assert_eq!(named.len(), 5);
    }

    #[test]
    fn elements_stand_under_a_range_of_indices() {
        let named = |text| elements(text).map(|names| names.join(" "));
        assert_eq!(named("u[1..3]").as_deref(), Some("u[1] u[2] u[3]"));
        assert_eq!(
            named("c[1..2, -1..0]").as_deref(),
            Some("c[1,-1] c[1,0] c[2,-1] c[2,0]")
        );
        for text in [
            "u",
            "u[3]",
            "u[j]",
            "u[2..1]",
            "u[1..]",
            "u[1..99999999999]",
        ] {
            assert_eq!(named(text), None, "{text}");
        }
    }

    #[test]
    fn large_families_stand_in_no_output_unless_asked_for() {
        let mut table = ModelBuilder::new("row");
        let g = table.constant("g", 9.81);
        let reals: Vec<_> = (1..=101)
            .map(|at| table.real(&format!("u[{at}]"), 0.0))
            .collect();
        table.real("w[1]", 0.0);
        table.relation(reals[0], "integral", [g]);
        let model = table.build().unwrap();
        let names = |columns: &Columns| columns.names(&model).collect::<Vec<_>>().join(" ");
        assert_eq!(names(&Columns::standard(&model)), "w[1]");
        assert_eq!(large_families(&model).collect::<Vec<_>>(), [("u", 101)]);
        let asked = |name| Columns::named(&model, [name]).unwrap();
        assert_eq!(names(&asked("u[100..101]")), "u[100] u[101]");
        assert_eq!(names(&asked("u")).split(' ').count(), 101);
        let error = Columns::named(&model, ["u[102]"]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`u[102]` lies outside of `u`, which goes over 1 .. 101"
        );
    }

    #[test]
    fn what_calculates_is_an_expression_however_near_a_name_is() {
        let mut table = ModelBuilder::new("near");
        for name in ["h", "area", "low", "u[1]", "R-h"] {
            table.real(name, 0.0);
        }
        let model = table.build().unwrap();
        for text in [
            "h*area", "area*3", "h+low", "h * area", "u[N]", "abs(h)", "h-u[1]", "2*u[1]",
        ] {
            assert!(is_expression(&model, text), "{text}");
        }
        for text in ["h", "u", "R-h", "R-H", "u[2]", "u[-1]", "u[-1..1]", "arae"] {
            assert!(!is_expression(&model, text), "{text}");
        }
    }

    #[test]
    fn unknown_names_are_refused() {
        let error = Columns::named(&model(), ["x", "dep"]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the model has no `dep`; did you mean `deep`?"
        );
    }
}
