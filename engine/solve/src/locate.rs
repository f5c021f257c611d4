//! The ways to locate an event in a step, by name. What they do is up to the driver of a run.

/// Location of events in a step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Locate {
    /// At the first root on the dense output: nothing is missed, as far as the output is right.
    #[default]
    Root,
    /// Not at all: a crossing is seen by the signs at the ends of a step, and happens at its end. What
    /// ticks do if nothing is said. Along a border along which the state would slide it chatters, once a step.
    None,
    /// By the straight line through the ends of the step in which the sign changes.
    Linear,
    /// By the parabola through the last three ends of steps; where there are only two since the last
    /// event, by a straight line.
    Quadratic,
    /// At the root, without a single evaluation of the rates beyond a border. Source: J. M.
    /// Esposito, V. Kumar, G. J. Pappas, Accurate event detection for simulating hybrid systems,
    /// 2001; every evaluation is guarded, as their step rule alone does not suffice.
    OneSided,
}

impl Locate {
    /// All ways, in the order in which help lists them.
    pub const ALL: [Self; 5] = [
        Self::Root,
        Self::None,
        Self::Linear,
        Self::Quadratic,
        Self::OneSided,
    ];

    /// Its name in tables and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Root => "root",
            Self::None => "none",
            Self::Linear => "linear",
            Self::Quadratic => "quadratic",
            Self::OneSided => "one-sided",
        }
    }

    /// The way of that name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|way| way.name() == name)
    }

    /// Description, one line.
    pub fn about(self) -> &'static str {
        match self {
            Self::Root => "at the first root on the dense output",
            Self::None => "not at all: at the end of the step in which a sign changes",
            Self::Linear => "by the straight line through both ends of the step",
            Self::Quadratic => "by the parabola through the last three ends of steps",
            Self::OneSided => "at the root, with no evaluation beyond the border",
        }
    }

    /// True if only the ends of steps are evaluated.
    pub fn sees_ends_only(self) -> bool {
        matches!(self, Self::None | Self::Linear | Self::Quadratic)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_again() {
        for way in Locate::ALL {
            assert_eq!(Locate::by_name(way.name()), Some(way));
        }
    }
}
