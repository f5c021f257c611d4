//! Settings that are one of some words, each with its meaning.

use situ_solve::{Locate, Method};

/// A value that is one of some words.
pub(super) trait Choice: Copy + 'static {
    /// All of them, in the order in which help lists them.
    fn all() -> &'static [Self];
    /// Its word and what it means.
    fn row(self) -> (&'static str, &'static str);
}

impl Choice for Method {
    fn all() -> &'static [Self] {
        &Self::ALL
    }

    fn row(self) -> (&'static str, &'static str) {
        (self.name(), self.about().about)
    }
}

impl Choice for Locate {
    fn all() -> &'static [Self] {
        &Self::ALL
    }

    fn row(self) -> (&'static str, &'static str) {
        (self.name(), self.about())
    }
}

pub(super) fn words<T: Choice>() -> Vec<(&'static str, &'static str)> {
    T::all().iter().map(|choice| choice.row()).collect()
}

/// Declares an enum of words, each variant with its word and meaning.
macro_rules! choice {
    ($(#[$doc:meta])* $name:ident { $($(#[$of_variant:meta])* $variant:ident = $word:literal, $about:literal;)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
        pub enum $name {
            $($(#[$of_variant])* #[doc = $about] $variant,)*
        }

        impl $name {
            /// Its word in tables.
            pub fn name(self) -> &'static str {
                self.row().0
            }
        }

        impl Choice for $name {
            fn all() -> &'static [Self] {
                &[$(Self::$variant),*]
            }

            fn row(self) -> (&'static str, &'static str) {
                match self {
                    $(Self::$variant => ($word, $about),)*
                }
            }
        }
    };
}

choice! {
    /// Stepping of a model.
    Stepping {
        #[default]
        Tick = "tick", "all lists are scanned once per tick";
        Events = "events", "continuous time, every event located";
    }
}

choice! {
    /// Which results of a tick its relations see.
    Scan {
        #[default]
        Sequential = "sequential", "each result is stored at once and seen by the rows below";
        Simultaneous = "simultaneous", "all rows see the values before the tick";
    }
}

choice! {
    /// Formula of the procedure `integral` in a tick.
    IntegralRule {
        #[default]
        Rectangle = "rectangle", "y + c*a*dt";
        Trapezoid = "trapezoid", "y + c*(a before + a now)/2*dt";
    }
}
