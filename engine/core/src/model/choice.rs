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

choice! {
    /// What the numbers for times are in. A run does not read it: it says what a table's numbers mean.
    TimeUnit {
        Nanosecond = "ns", "nanosecond";
        Microsecond = "us", "microsecond";
        Millisecond = "ms", "millisecond";
        #[default]
        Second = "s", "second";
        Minute = "min", "minute";
        Hour = "h", "hour";
        Day = "d", "day";
        Week = "week", "week";
        Year = "year", "year of 365.25 days";
        CyrillicNanosecond = "нс", "nanosecond in Russian";
        CyrillicMicrosecond = "мкс", "microsecond in Russian";
        CyrillicMillisecond = "мс", "millisecond in Russian";
        CyrillicSecond = "с", "second in Russian";
        CyrillicMinute = "мин", "minute in Russian";
        CyrillicHour = "ч", "hour in Russian";
        CyrillicDay = "сут", "day in Russian";
        CyrillicWeek = "нед", "week in Russian";
        CyrillicYear = "год", "year in Russian";
    }
}
