//! A session as a screen shows it: the text of the table with the places of its rows, curves as dense as a picture
//! can show, the scene in motion, the exercise, what can be turned and how far.

pub(in crate::commands) mod curves;
pub(in crate::commands) mod knobs;
pub(in crate::commands) mod scene;
pub(in crate::commands) mod table;
