//! Models as they are read: listings, graphs, and the tree of a table.

pub mod graph;
pub mod model_listing;
pub mod tree;
