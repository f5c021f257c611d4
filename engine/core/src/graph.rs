//! Graphs given by the successors of each node.

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
