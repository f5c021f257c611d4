//! The integration methods: the list of them, and the type that names one.

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
        }
    };
}
for_methods!(define_methods);

impl Method {
    /// True if it integrates algebraic components beside those that have rates.
    pub fn has_algebraic(self) -> bool {
        matches!(self, Self::Bdf | Self::Auto)
    }
}
