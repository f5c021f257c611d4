//! The methods by name.

use super::{auto, dop853, euler, gauss, rk4, rodas5p, taylor, tsit5};

/// How the state is moved in time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Method {
    /// Explicit Euler, fixed step.
    Euler,
    /// The classical Runge-Kutta method, fixed step.
    Rk4,
    /// An explicit 5(4) pair, for problems that are not stiff.
    Tsit5,
    /// An explicit method of order 8, for tight tolerances.
    Dop853,
    /// Two-stage Gauss, implicit, fixed step.
    Gauss,
    /// A Rosenbrock method of order 5, for stiff problems.
    Rodas5p,
    /// Taylor series where the rates are affine, [`Method::Dop853`] elsewhere.
    Taylor,
    /// Explicit as long as no stiffness is met, Taylor series or [`Method::Tsit5`], then [`Method::Rodas5p`].
    Auto,
}

/// What a user wants to know of a method.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct About {
    /// Its name in tables and on the command line.
    pub name: &'static str,
    /// What it is, one line.
    pub about: &'static str,
    /// Order of the end of a step.
    pub order: u32,
    /// Order of the dense output: its local error shrinks like h^(order + 1).
    pub dense_order: u32,
    /// Largest degree of the dense output's polynomials.
    pub dense_degree: usize,
    /// Who decides the step.
    pub steps: Steps,
    /// Whether stiff problems can be solved with long steps.
    pub stiff: bool,
    /// Where it comes from.
    pub source: &'static str,
    /// What other programs call methods for which it stands.
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

impl Method {
    /// All methods, in the order in which help lists them.
    pub const ALL: [Self; 8] = [
        Self::Euler,
        Self::Rk4,
        Self::Tsit5,
        Self::Dop853,
        Self::Gauss,
        Self::Rodas5p,
        Self::Taylor,
        Self::Auto,
    ];

    /// What it is.
    pub fn about(self) -> &'static About {
        match self {
            Self::Euler => &euler::ABOUT,
            Self::Rk4 => &rk4::ABOUT,
            Self::Tsit5 => &tsit5::ABOUT,
            Self::Dop853 => &dop853::ABOUT,
            Self::Gauss => &gauss::ABOUT,
            Self::Rodas5p => &rodas5p::ABOUT,
            Self::Taylor => &taylor::ABOUT,
            Self::Auto => &auto::ABOUT,
        }
    }

    /// Its name in tables and on the command line.
    #[inline]
    pub fn name(self) -> &'static str {
        self.about().name
    }

    /// The method of that name.
    ///
    /// ```
    /// use situ_solve::Method;
    /// assert_eq!(Method::by_name("dop853"), Some(Method::Dop853));
    /// assert_eq!(Method::by_name("dop9000"), None);
    /// ```
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.name() == name)
    }

    /// The method that stands for what other programs call so, in letters of any case.
    ///
    /// ```
    /// use situ_solve::Method;
    ///
    /// assert_eq!(Method::known_elsewhere_as("RK45"), Some(Method::Tsit5));
    /// assert_eq!(Method::known_elsewhere_as("tsit5"), None);
    /// ```
    pub fn known_elsewhere_as(name: &str) -> Option<Self> {
        let name = name.to_lowercase();
        let mut all = Self::ALL.into_iter();
        all.find(|method| method.about().others.contains(&name.as_str()))
    }
}
