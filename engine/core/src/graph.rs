//! Graphs given by the successors of each node, unknowns with the equations that read them, and sets that are joined.

/// The strongly connected components of a graph, those that others need first; each ascending.
///
/// Source: R. Tarjan, Depth-first search and linear graph algorithms, 1972; without recursion.
pub(crate) fn components(n: usize, edges: impl Fn(usize) -> Vec<usize>) -> Vec<Vec<usize>> {
    const NEW: usize = usize::MAX;
    let (mut index, mut low) = (vec![NEW; n], vec![0; n]);
    let mut open = vec![false; n];
    let (mut path, mut found) = (Vec::new(), Vec::new());
    let mut next = 0;
    for root in 0..n {
        if index[root] != NEW {
            continue;
        }
        let mut calls: Vec<(usize, Vec<usize>)> = vec![(root, edges(root))];
        (index[root], low[root]) = (next, next);
        next += 1;
        open[root] = true;
        path.push(root);
        while let Some((node, todo)) = calls.last_mut() {
            let node = *node;
            if let Some(other) = todo.pop() {
                if index[other] == NEW {
                    (index[other], low[other]) = (next, next);
                    next += 1;
                    open[other] = true;
                    path.push(other);
                    calls.push((other, edges(other)));
                } else if open[other] {
                    low[node] = low[node].min(index[other]);
                }
                continue;
            }
            calls.pop();
            if let Some((parent, _)) = calls.last() {
                low[*parent] = low[*parent].min(low[node]);
            }
            if low[node] == index[node] {
                let start = path
                    .iter()
                    .rposition(|&on| on == node)
                    .expect("the node is on the path");
                let mut component = path.split_off(start);
                for &member in &component {
                    open[member] = false;
                }
                component.sort_unstable();
                found.push(component);
            }
        }
    }
    found
}

/// Gives each of n unknowns an equation of its own, of as many equations, among those that read it (augmenting paths).
///
/// Shapes: `read_by`: of each unknown the equations that read it; the first ones are taken where that is possible.
///
/// # Errors
///
/// An unknown that is left without one, of which there are as few as can be.
pub fn matching(read_by: &[Vec<usize>]) -> Result<Vec<usize>, usize> {
    let n = read_by.len();
    let mut matching = Matching {
        read_by,
        taken: vec![None; n],
        tried: vec![None; n],
    };
    if let Some(left) = (0..n).find(|&unknown| !matching.augment(unknown)) {
        return Err(left);
    }
    let mut equation_of = vec![0; n];
    for (equation, unknown) in matching.taken.iter().enumerate() {
        equation_of[unknown.expect("every unknown has one of n equations")] = equation;
    }
    Ok(equation_of)
}

/// Unknowns with the equations from which they are found.
struct Matching<'a> {
    read_by: &'a [Vec<usize>],
    /// Of each equation its unknown.
    taken: Vec<Option<usize>>,
    /// Of each equation the last unknown for which it was tried.
    tried: Vec<Option<usize>>,
}

impl Matching<'_> {
    /// Finds an equation for one unknown more, others moving to other equations; false if there is none.
    fn augment(&mut self, wanted: usize) -> bool {
        // Without recursion: a path of unknowns, each with the number of the equation that it asks for next.
        let mut path = vec![(wanted, 0)];
        while let Some((unknown, next)) = path.last_mut() {
            let Some(&equation) = self.read_by[*unknown].get(*next) else {
                path.pop();
                continue;
            };
            *next += 1;
            if self.tried[equation].replace(wanted) == Some(wanted) {
                continue;
            }
            match self.taken[equation] {
                Some(other) => path.push((other, 0)),
                None => {
                    for &(unknown, next) in &path {
                        self.taken[self.read_by[unknown][next - 1]] = Some(unknown);
                    }
                    return true;
                }
            }
        }
        false
    }
}

/// Nodes in sets that are joined: a forest, in which each set has its least node for a root.
#[derive(Clone, Debug)]
pub(crate) struct DisjointSets {
    parents: Vec<usize>,
}

impl DisjointSets {
    /// Sets of one node each.
    pub(crate) fn new(n: usize) -> Self {
        Self {
            parents: (0..n).collect(),
        }
    }

    /// Number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.parents.len()
    }

    /// The least node of the set of a node.
    pub(crate) fn first(&mut self, mut node: usize) -> usize {
        while self.parents[node] != node {
            self.parents[node] = self.parents[self.parents[node]];
            node = self.parents[node];
        }
        node
    }

    /// Makes one set of those of two nodes.
    pub(crate) fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.first(one), self.first(other));
        self.parents[one.max(other)] = one.min(other);
    }

    /// The sets, in the order of their first nodes, each ascending.
    pub(crate) fn sets(&mut self) -> Vec<Vec<usize>> {
        let n = self.parents.len();
        let mut place = vec![None; n];
        let mut all: Vec<Vec<usize>> = Vec::new();
        for node in 0..n {
            let at = *place[self.first(node)].get_or_insert(all.len());
            if at == all.len() {
                all.push(Vec::new());
            }
            all[at].push(node);
        }
        all
    }
}
