//! The rules of the repository: sizes, order of modules, words, and pages that show the program.

mod documents;
mod modules;
mod sizes;
mod tidy;
mod vocabulary;
mod words;
