//! A method -> its description, and what follows from its tableau; the name of a method -> the method.

use super::about::About;
use super::auto;
use super::explicit::{self, Tableau, match_tableau, rock, taylor, with_tableau};
use super::implicit::{bdf, gauss, mk21, radau, rodas5p};
use super::method::{Method, for_methods};

macro_rules! define_descriptions {
    (
        []
        explicit { $($(#[$about:meta])* $tableau:ident,)* }
        others { $($(#[$other_about:meta])* $other:ident = $module:ident,)* }
    ) => {
        impl Method {
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
for_methods!(define_descriptions);

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
