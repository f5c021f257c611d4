//! Models as they are read: listings, graphs, and the tree of a table.

pub mod graph;
mod lists;
pub mod machine_graph;
pub mod model_json;
pub mod model_listing;
pub mod part_graph;
mod part_listing;
mod part_names;
mod scheme_listing;
pub mod tree;
