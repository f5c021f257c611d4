//! Models as they are read: listings, graphs, and the tree of a table.

pub mod graph;
pub mod machine_graph;
pub mod model_listing;
mod scheme_listing;
pub mod tree;
