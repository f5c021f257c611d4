//! The methods by name.

use super::auto;
use super::explicit::{self, Tableau, rock, taylor};
use super::implicit::{bdf, gauss, mk21, radau, rodas5p};

/// All methods, in the order in which help lists them, explicit Runge-Kutta methods first: those follow from
/// their tableau, which has the name of the method, in everything. `$then` is given what `$args` are, and the list.
macro_rules! for_methods {
    ($then:ident $($args:tt)*) => {
        $then! {
            [$($args)*]
            explicit {
                /// Explicit Euler, fixed step.
                Euler,
                /// The classical Runge-Kutta method, fixed step.
                Rk4,
                /// An explicit 5(4) pair, for problems that are not stiff.
                Tsit5,
                /// Merson's explicit method of order 4 with stability control, for mildly stiff problems.
                Merson,
                /// An explicit method of order 8, for tight tolerances.
                Dop853,
            }
            others {
                /// Two-stage Gauss, implicit, fixed step.
                Gauss = gauss,
                /// A Rosenbrock method of order 5, for stiff problems.
                Rodas5p = rodas5p,
                /// Backward differentiation formulas of order 1 to 5, for stiff problems and large ones.
                Bdf = bdf,
                /// Radau IIA of order 5, or 9, for stiff problems and tight tolerances.
                Radau = radau,
                /// A semi-implicit method of order 2 with a frozen Jacobian, for stiff problems at loose tolerances.
                Mk21 = mk21,
                /// A stabilised explicit method of order 2, for diffusion on large grids.
                Rock = rock,
                /// Taylor series where the rates are affine, [`Method::Dop853`] elsewhere.
                Taylor = taylor,
                /// Explicit as long as no stiffness is met, Taylor series or [`Method::Tsit5`], then [`Method::Rodas5p`].
                Auto = auto,
            }
        }
    };
}
pub(crate) use for_methods;

macro_rules! define_methods {
    (
        []
        explicit { $($(#[$about:meta])* $tableau:ident,)* }
        others { $($(#[$other_about:meta])* $other:ident = $module:ident,)* }
    ) => {
        /// Integration method: how the state is moved in time.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Method {
            $($(#[$about])* $tableau,)*
            $($(#[$other_about])* $other,)*
        }

        impl Method {
            /// All methods, in the order in which help lists them.
            pub const ALL: [Self; [$(stringify!($tableau),)* $(stringify!($other),)*].len()] =
                [$(Self::$tableau,)* $(Self::$other,)*];

            /// Its description.
            pub fn about(self) -> &'static About {
                match self {
                    $(Self::$tableau => &<explicit::$tableau as Tableau>::ABOUT,)*
                    $(Self::$other => &$module::ABOUT,)*
                }
            }
        }
    };
}
for_methods!(define_methods);

/// Evaluates an expression with the tableau of a method as a type, or another one if it has none.
macro_rules! with_tableau {
    ($method:expr, $tableau:ident => $body:expr, $other:expr) => {
        crate::method::for_methods!(match_tableau $method, $tableau => $body, $other)
    };
}
pub(crate) use with_tableau;

macro_rules! match_tableau {
    (
        [$method:expr, $alias:ident => $body:expr, $otherwise:expr]
        explicit { $($(#[$about:meta])* $tableau:ident,)* }
        others { $($(#[$other_about:meta])* $other:ident = $module:ident,)* }
    ) => {
        match $method {
            $(crate::method::Method::$tableau => {
                type $alias = crate::explicit::$tableau;
                $body
            })*
            $(crate::method::Method::$other)|* => $otherwise,
        }
    };
}
pub(crate) use match_tableau;

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

impl Method {
    /// The explicit Runge-Kutta method that takes its steps, as long as it takes explicit ones and no series; `None`
    /// if it never does.
    pub fn explicit(self) -> Option<Self> {
        match self {
            Self::Taylor => Some(Self::Dop853),
            Self::Auto => Some(Self::Tsit5),
            method => with_tableau!(method, M => Some(M::METHOD), None),
        }
    }

    /// True if it integrates algebraic components beside those that have rates.
    pub fn has_algebraic(self) -> bool {
        self == Self::Bdf
    }

    /// Evaluations of the rates that a trial of an explicit Runge-Kutta method takes; `None` for other methods.
    pub fn evaluations(self) -> Option<u64> {
        with_tableau!(self, M => Some(M::STAGES as u64), None)
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
