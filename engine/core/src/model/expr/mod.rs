//! Expressions: a flat arena of nodes in which every node stands after its operands.
//!
//! Real-valued only. Procedures with memory do not stand in expressions; the readers refuse them.

mod family;

use std::sync::Arc;

use smallvec::SmallVec;

pub use self::family::{
    CounterValues, ElementIndex, FamilyExpr, FamilyNode, IndexForm, MAX_COUNTERS,
};
use crate::ids::{ConstantId, ExprId, LookupId, RealId};
use crate::procedure::ProcedureId;

/// A node of an expression.
#[derive(Clone, PartialEq, Debug)]
pub enum Expr {
    /// A number.
    Number(f64),
    /// The value of a constant.
    Constant(ConstantId),
    /// The value of a real as it stands.
    Real(RealId),
    /// The model's time.
    Time,
    /// `-a`
    Neg(ExprId),
    /// `a + b`
    Add(ExprId, ExprId),
    /// `a - b`
    Sub(ExprId, ExprId),
    /// `a * b`
    Mul(ExprId, ExprId),
    /// `a / b`
    Div(ExprId, ExprId),
    /// A procedure without memory, all of its parameters given.
    Call(ProcedureId, Operands),
    /// The value of a lookup, with as many arguments as it has.
    Lookup(LookupId, Operands),
}

/// So many operands stand in the node itself.
const INLINE: usize = 3;

/// Operands in the order in which they are written: a slice in 16 bytes, so that a node of an expression takes 24.
#[derive(Clone)]
pub struct Operands(Kept);

#[derive(Clone)]
enum Kept {
    Few(u8, [ExprId; INLINE]),
    #[expect(
        clippy::box_collection,
        reason = "one word instead of three, for what is rare"
    )]
    Many(Box<Vec<ExprId>>),
}

impl Operands {
    /// Others in their places.
    fn map(&self, map: impl Fn(ExprId) -> ExprId) -> Self {
        match &self.0 {
            Kept::Few(n, few) => {
                let mut mapped = *few;
                for operand in &mut mapped[..usize::from(*n)] {
                    *operand = map(*operand);
                }
                Self(Kept::Few(*n, mapped))
            }
            Kept::Many(many) => {
                let mapped = many.iter().map(|operand| map(*operand));
                Self(Kept::Many(Box::new(mapped.collect())))
            }
        }
    }
}

impl From<&[ExprId]> for Operands {
    fn from(all: &[ExprId]) -> Self {
        let mut few = [ExprId::new(0); INLINE];
        match few.get_mut(..all.len()) {
            Some(room) => {
                room.copy_from_slice(all);
                Self(Kept::Few(all.len() as u8, few))
            }
            None => Self(Kept::Many(Box::new(all.to_vec()))),
        }
    }
}

impl FromIterator<ExprId> for Operands {
    fn from_iter<I: IntoIterator<Item = ExprId>>(all: I) -> Self {
        let all: smallvec::SmallVec<[ExprId; 8]> = all.into_iter().collect();
        Self::from(&*all)
    }
}

impl std::ops::Deref for Operands {
    type Target = [ExprId];

    fn deref(&self) -> &[ExprId] {
        match &self.0 {
            Kept::Few(n, few) => &few[..usize::from(*n)],
            Kept::Many(many) => many,
        }
    }
}

impl PartialEq for Operands {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl std::fmt::Debug for Operands {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        (**self).fmt(out)
    }
}

/// Every expression of a model; operands stand before the nodes that use them.
///
/// Expressions of the elements of a family have ids for all of their nodes, but are kept as one: see [`FamilyExpr`].
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Exprs {
    /// Nodes that stand by themselves.
    nodes: Vec<Expr>,
    /// Those of elements of families.
    families: Vec<Elements>,
    /// Number of nodes of elements.
    n_of_elements: usize,
}

/// Elements that follow each other: of one family, or of several in turns, as both sides of a comparison.
#[derive(Clone, PartialEq, Debug)]
struct Elements {
    /// Number of the first node among those of elements.
    first: usize,
    families: SmallVec<[Arc<FamilyExpr>; 1]>,
    /// Number of nodes of one element of each family.
    n_in_turn: usize,
    /// Per element the values of the counters.
    at: Vec<CounterValues>,
}

/// So many families may have their turns; each is looked at to find a node.
const MOST_FAMILIES: usize = 8;

impl Elements {
    /// Adds an element; false if it cannot follow.
    fn push(&mut self, family: &Arc<FamilyExpr>, at: CounterValues) -> bool {
        let turn = self.at.len() % self.families.len();
        if !Arc::ptr_eq(&self.families[turn], family) {
            let is_first_turn = self.at.len() == self.families.len();
            if !is_first_turn || self.families.len() == MOST_FAMILIES {
                return false;
            }
            self.families.push(Arc::clone(family));
            self.n_in_turn += family.len();
        }
        self.at.push(at);
        true
    }

    /// The node with this number.
    fn node(&self, number: usize) -> OfElement<'_> {
        let beyond = number - self.first;
        let element = beyond / self.n_in_turn * self.families.len();
        let mut place = beyond % self.n_in_turn;
        let mut turn = 0;
        while place >= self.families[turn].len() {
            place -= self.families[turn].len();
            turn += 1;
        }
        OfElement {
            family: &self.families[turn],
            at: self.at[element + turn],
            place,
            first: ExprId(ExprId::new(number - place).0 | OF_ELEMENT),
        }
    }
}

/// The bit that ids of nodes of elements have, and others have not.
const OF_ELEMENT: u32 = 1 << 31;

/// A node of an element: of the nodes of its family the one at `place`; `first` is the id of the first one.
struct OfElement<'e> {
    family: &'e FamilyExpr,
    at: CounterValues,
    place: usize,
    first: ExprId,
}

impl Exprs {
    /// Adds a node.
    ///
    /// # Panics
    /// If an operand is not in the arena yet, or if it has 2^31 nodes.
    pub fn push(&mut self, node: Expr) -> ExprId {
        let mut ordered = true;
        for_each_operand(&node, |operand| ordered &= self.has(operand));
        assert!(ordered, "operands stand before the node that uses them");
        self.nodes.push(node);
        let id = ExprId::new(self.nodes.len() - 1);
        assert!(id.0 < OF_ELEMENT, "an arena has fewer than 2^31 nodes");
        id
    }

    /// Adds the expression of an element of a family; `None` if there is none for these values of its counters.
    ///
    /// # Panics
    /// If there are 2^31 nodes of elements.
    pub fn push_element(&mut self, family: &Arc<FamilyExpr>, at: CounterValues) -> Option<ExprId> {
        if !family.has(at) {
            return None;
        }
        let last = self.families.last_mut();
        if !last.is_some_and(|last| last.push(family, at)) {
            self.families.push(Elements {
                first: self.n_of_elements,
                families: SmallVec::from_elem(Arc::clone(family), 1),
                n_in_turn: family.len(),
                at: vec![at],
            });
        }
        self.n_of_elements += family.len();
        let number = ExprId::new(self.n_of_elements - 1);
        assert!(number.0 < OF_ELEMENT, "families have fewer than 2^31 nodes");
        Some(ExprId(number.0 | OF_ELEMENT))
    }

    /// True if it is the id of a node.
    pub(crate) fn has(&self, id: ExprId) -> bool {
        match id.0 & OF_ELEMENT {
            0 => id.index() < self.nodes.len(),
            _ => ExprId(id.0 ^ OF_ELEMENT).index() < self.n_of_elements,
        }
    }

    /// A number that is less for operands than for the nodes that use them.
    pub(crate) fn order(id: ExprId) -> u32 {
        id.0 ^ OF_ELEMENT
    }

    /// `None` if it is a node that stands by itself.
    fn of_element(&self, id: ExprId) -> Option<OfElement<'_>> {
        if id.0 & OF_ELEMENT == 0 {
            return None;
        }
        let number = ExprId(id.0 ^ OF_ELEMENT).index();
        let after = self.families.partition_point(|one| one.first <= number);
        Some(self.families[after - 1].node(number))
    }

    /// The node.
    pub fn get(&self, id: ExprId) -> Expr {
        match self.of_element(id) {
            None => self.nodes[id.index()].clone(),
            Some(one) => one.family.node(one.place, one.at, one.first),
        }
    }

    /// All nodes.
    pub fn iter(&self) -> impl Iterator<Item = Expr> {
        let of_elements = (0..self.n_of_elements).map(ExprId::new);
        let of_elements = of_elements.map(|number| self.get(ExprId(number.0 | OF_ELEMENT)));
        self.nodes.iter().cloned().chain(of_elements)
    }

    /// Gives back the room that was kept for more nodes.
    pub fn shrink(&mut self) {
        self.nodes.shrink_to_fit();
        for elements in &mut self.families {
            elements.at.shrink_to_fit();
        }
    }

    /// Calls `visit` for every node of the expression, operands before users (a shared operand is
    /// visited once for each use). Does not recurse, so that no depth overflows the stack.
    pub fn visit(&self, root: ExprId, mut visit: impl FnMut(ExprId, &Expr)) {
        let mut stack: SmallVec<[(ExprId, bool); 16]> = SmallVec::new();
        stack.push((root, false));
        while let Some((id, expanded)) = stack.pop() {
            if let Some(OfElement {
                family,
                at,
                place,
                first,
            }) = self.of_element(id)
            {
                for place in family.below(place) {
                    let id = ExprId::new(first.index() + place);
                    visit(id, &family.node(place, at, first));
                }
                continue;
            }
            let node = &self.nodes[id.index()];
            match node {
                _ if expanded => visit(id, node),
                Expr::Number(_) | Expr::Constant(_) | Expr::Real(_) | Expr::Time => visit(id, node),
                Expr::Neg(a) => stack.extend([(id, true), (*a, false)]),
                Expr::Add(a, b) | Expr::Sub(a, b) | Expr::Mul(a, b) | Expr::Div(a, b) => {
                    stack.extend([(id, true), (*b, false), (*a, false)]);
                }
                Expr::Call(_, args) | Expr::Lookup(_, args) => {
                    stack.push((id, true));
                    stack.extend(args.iter().rev().map(|operand| (*operand, false)));
                }
            }
        }
    }

    /// Calls `each` for every real in an expression, once for each use.
    pub fn each_real(&self, root: ExprId, mut each: impl FnMut(RealId)) {
        self.visit(root, |_, node| {
            if let Expr::Real(real) = node {
                each(*real);
            }
        });
    }

    /// True if it is linear in reals: each stands in it with a factor that no real changes.
    pub(crate) fn is_linear(&self, root: ExprId) -> bool {
        let mut degrees: SmallVec<[u32; 8]> = SmallVec::new();
        self.visit(root, |_, node| {
            let mut n_operands = 0;
            for_each_operand(node, |_| n_operands += 1);
            let first = degrees.len() - n_operands;
            let operands: SmallVec<[u32; 2]> = degrees.drain(first..).collect();
            let most = operands.iter().copied().max().unwrap_or_default();
            degrees.push(match (node, &operands[..]) {
                (Expr::Real(_), _) => 1,
                (Expr::Mul(..), [left, right]) => left + right,
                (Expr::Div(..), [_, 0]) | (Expr::Add(..) | Expr::Sub(..) | Expr::Neg(_), _) => most,
                _ => 2 * most,
            });
        });
        degrees.pop().is_none_or(|degree| degree <= 1)
    }

    /// True if it is over numbers and constants, and no source.
    pub fn is_constant(&self, root: ExprId) -> bool {
        let mut constant = true;
        self.visit(root, |_, node| {
            constant &= !matches!(node, Expr::Real(_)) && !node.reads_time();
        });
        constant
    }
}

impl Expr {
    /// True if its value changes with the model's time, besides its operands.
    pub fn reads_time(&self) -> bool {
        match self {
            Self::Time => true,
            Self::Call(procedure, _) => procedure.reads_time(),
            _ => false,
        }
    }

    /// The node with other operands.
    pub fn map_operands(&self, map: impl Fn(ExprId) -> ExprId) -> Self {
        match self {
            Self::Number(_) | Self::Constant(_) | Self::Real(_) | Self::Time => self.clone(),
            Self::Neg(a) => Self::Neg(map(*a)),
            Self::Add(a, b) => Self::Add(map(*a), map(*b)),
            Self::Sub(a, b) => Self::Sub(map(*a), map(*b)),
            Self::Mul(a, b) => Self::Mul(map(*a), map(*b)),
            Self::Div(a, b) => Self::Div(map(*a), map(*b)),
            Self::Call(procedure, args) => Self::Call(*procedure, args.map(map)),
            Self::Lookup(lookup, args) => Self::Lookup(*lookup, args.map(map)),
        }
    }
}

/// Calls `each` for the operands of one node, left to right.
pub(crate) fn for_each_operand(node: &Expr, mut each: impl FnMut(ExprId)) {
    match node {
        Expr::Number(_) | Expr::Constant(_) | Expr::Real(_) | Expr::Time => {}
        Expr::Neg(a) => each(*a),
        Expr::Add(a, b) | Expr::Sub(a, b) | Expr::Mul(a, b) | Expr::Div(a, b) => {
            each(*a);
            each(*b);
        }
        Expr::Call(_, args) | Expr::Lookup(_, args) => args.iter().copied().for_each(each),
    }
}

impl super::Model {
    /// The expression in the spelling of tables, with as few parentheses as its meaning allows.
    pub fn expr_text(&self, root: ExprId) -> String {
        /// Binding strength of what stands in a text: sums, products, signs, everything else.
        const SUM: u8 = 0;
        const PRODUCT: u8 = 1;
        const SIGN: u8 = 2;
        const ATOM: u8 = 3;
        let mut texts: Vec<(String, u8)> = Vec::new();
        let wrap = |(text, strength): (String, u8), least: u8| {
            if strength < least {
                format!("({text})")
            } else {
                text
            }
        };
        self.exprs.visit(root, |_, node| {
            let mut pop = || texts.pop().expect("operands stand before their user");
            let text = match node {
                Expr::Number(value) if *value < 0.0 => (format!("{value}"), SIGN),
                Expr::Number(value) => (format!("{value}"), ATOM),
                Expr::Constant(id) => (self.constants[id.index()].name.clone(), ATOM),
                Expr::Real(id) => (self.reals[id.index()].name.clone(), ATOM),
                Expr::Time => ("time".to_owned(), ATOM),
                Expr::Neg(_) => (format!("-{}", wrap(pop(), ATOM)), SIGN),
                Expr::Add(..) | Expr::Sub(..) | Expr::Mul(..) | Expr::Div(..) => {
                    let (right, left) = (pop(), pop());
                    let (symbol, strength) = match node {
                        Expr::Add(..) => ("+", SUM),
                        Expr::Sub(..) => ("-", SUM),
                        Expr::Mul(..) => ("*", PRODUCT),
                        _ => ("/", PRODUCT),
                    };
                    let (left, right) = (wrap(left, strength), wrap(right, strength + 1));
                    (format!("{left} {symbol} {right}"), strength)
                }
                Expr::Call(_, args) | Expr::Lookup(_, args) => {
                    let name = match node {
                        Expr::Lookup(id, _) => &self.lookups[id.index()].name,
                        Expr::Call(procedure, _) => procedure.get().name,
                        _ => unreachable!("the arm says which"),
                    };
                    let first = texts.len() - args.len();
                    let args: Vec<String> = texts.drain(first..).map(|(text, _)| text).collect();
                    (format!("{name}({})", args.join(", ")), ATOM)
                }
            };
            texts.push(text);
        });
        texts.pop().expect("an expression has a root").0
    }
}
