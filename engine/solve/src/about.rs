//! What a user is told of a method.

/// Description of a method for the user.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct About {
    /// Its name in tables and on the command line.
    pub name: &'static str,
    /// Description, one line.
    pub about: &'static str,
    /// Order of the end of a step.
    pub order: u32,
    /// Order of the dense output: its local error shrinks like h^(order + 1).
    pub dense_order: u32,
    /// Largest degree of the dense output's polynomials.
    pub dense_degree: usize,
    /// Who decides the step.
    pub steps: Steps,
    /// True if stiff problems can be solved with long steps.
    pub stiff: bool,
    /// Its source.
    pub source: &'static str,
    /// Names of methods in other programs that it stands for.
    pub others: &'static [&'static str],
}

/// Who decides the length of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Steps {
    /// The settings: `h0`, shorter only where the system refuses a point.
    Fixed,
    /// The error test.
    Adaptive,
}
