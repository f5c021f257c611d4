//! Why start values could not be computed.

/// Why start values could not be computed.
#[derive(Clone, PartialEq, Debug)]
pub enum StartError {
    /// The start of a quantity needs, over others, itself; the names along the circle.
    Circular(Vec<String>),
    /// A constant that decided how many elements and rows the model has is to have another value.
    Shape {
        /// Its name.
        name: String,
        /// The value for which the model was made.
        made_for: f64,
        /// The value that it would have.
        value: f64,
    },
    /// A machine would begin in none of its states, or in several.
    States {
        /// Its name.
        machine: String,
        /// The states that would be true.
        states: Vec<String>,
    },
}

impl std::fmt::Display for StartError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Circular(names) => {
                write!(f, "start values go in a circle: {}", names.join(" -> "))
            }
            Self::Shape {
                name,
                made_for,
                value,
            } => write!(
                f,
                "`{name}` decides how many elements the model has: it was made for {made_for}, and {value} makes another one"
            ),
            Self::States { machine, states } if states.is_empty() => write!(
                f,
                "machine `{machine}` would begin in none of its states: set the one true in which it begins"
            ),
            Self::States { machine, states } => write!(
                f,
                "machine `{machine}` would begin in several states ({}): set only one true",
                states.join(", ")
            ),
        }
    }
}

impl std::error::Error for StartError {}
