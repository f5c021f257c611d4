//! Scales of temperature: they differ in their zeros, so that no factor leads from one to another.

use super::symbols;

/// A scale of temperature.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Scale {
    Kelvin,
    Celsius,
    Fahrenheit,
}

impl Scale {
    /// The scale of a unit as it is written.
    pub(super) fn of(unit: &str) -> Option<Self> {
        match symbols::first_spelling(unit.trim())? {
            "K" => Some(Self::Kelvin),
            "°C" => Some(Self::Celsius),
            "°F" => Some(Self::Fahrenheit),
            _ => None,
        }
    }

    /// Its unit.
    pub(super) fn symbol(self) -> &'static str {
        match self {
            Self::Kelvin => "K",
            Self::Celsius => "°C",
            Self::Fahrenheit => "°F",
        }
    }

    /// What a temperature of this name on another scale is on this one.
    pub(super) fn converted(self, name: &str, from: Self) -> String {
        match (from, self) {
            (Self::Kelvin, Self::Kelvin)
            | (Self::Celsius, Self::Celsius)
            | (Self::Fahrenheit, Self::Fahrenheit) => name.to_owned(),
            (Self::Celsius, Self::Kelvin) => format!("{name} + 273.15"),
            (Self::Kelvin, Self::Celsius) => format!("{name} - 273.15"),
            (Self::Fahrenheit, Self::Celsius) => format!("({name} - 32) * 5 / 9"),
            (Self::Celsius, Self::Fahrenheit) => format!("{name} * 9 / 5 + 32"),
            (Self::Fahrenheit, Self::Kelvin) => format!("({name} - 32) * 5 / 9 + 273.15"),
            (Self::Kelvin, Self::Fahrenheit) => format!("({name} - 273.15) * 9 / 5 + 32"),
        }
    }
}
