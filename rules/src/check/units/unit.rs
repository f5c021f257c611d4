//! Units: a text such as `kg*m/s^2` becomes powers of base units and a scale.
//!
//! Grammar: factors joined by `*`, `·` or a space, each of which may be divided by with `/`; a factor is a symbol, a
//! number or a group in parentheses, with a power behind `^` or in superscript; behind a symbol the sign may be left
//! out, `m/s2`. Symbols stand in [`super::symbols`].

use super::monomial::{Atom, Monomial};
use super::symbols;

/// A unit that was read, with the symbols in it that are not known.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Read {
    pub(super) unit: Monomial,
    pub(super) unknown: Vec<String>,
}

/// Reads a unit; `None` if the text is none, such as `per cent of the whole`.
pub(super) fn read(text: &str) -> Option<Read> {
    let mut reader = Reader {
        rest: text.trim(),
        unknown: Vec::new(),
        depth: 0,
    };
    let unit = reader.product()?;
    reader.rest.is_empty().then_some(Read {
        unit,
        unknown: reader.unknown,
    })
}

/// Groups are nested at most so deep.
const MOST_DEPTH: u32 = 20;

struct Reader<'t> {
    rest: &'t str,
    unknown: Vec<String>,
    depth: u32,
}

impl Reader<'_> {
    fn product(&mut self) -> Option<Monomial> {
        let mut product = self.factor()?;
        loop {
            self.rest = self.rest.trim_start();
            let power = match self.rest.chars().next() {
                None | Some(')') => return Some(product),
                Some('/') => -1.0,
                Some('*' | '·' | '⋅' | '×') => 1.0,
                Some(_) => {
                    product = product.times(&self.factor()?, 1.0);
                    continue;
                }
            };
            self.skip_one();
            product = product.times(&self.factor()?, power);
        }
    }

    fn skip_one(&mut self) {
        let mut rest = self.rest.chars();
        rest.next();
        self.rest = rest.as_str();
    }

    fn factor(&mut self) -> Option<Monomial> {
        self.rest = self.rest.trim_start();
        let first = self.rest.chars().next()?;
        let base = if first == '(' {
            self.depth += 1;
            if self.depth > MOST_DEPTH {
                return None;
            }
            self.skip_one();
            let inner = self.product()?;
            self.rest = self.rest.strip_prefix(')')?;
            self.depth -= 1;
            inner
        } else if first.is_ascii_digit() {
            let number = self.number()?;
            (number > 0.0).then(|| Monomial::scale(number))?
        } else {
            let base = self.symbol()?;
            if let Some(power) = self.bare_power() {
                return Some(base.to_the(power?));
            }
            base
        };
        Some(base.to_the(self.power()?))
    }

    /// The power that stands behind a symbol without a sign, if there is one: `2` of `m2`, `-1` of `s-1`. `Some(None)` if
    /// a symbol follows at once: `W/m2K` may be meant either way.
    fn bare_power(&mut self) -> Option<Option<f64>> {
        let digits = self.rest.strip_prefix(['-', '−']).unwrap_or(self.rest);
        if !digits.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let power = self.signed();
        let follows = self.rest.starts_with(char::is_alphabetic);
        Some(power.filter(|_| !follows))
    }

    fn symbol(&mut self) -> Option<Monomial> {
        let is_part = |c: char| c.is_alphabetic() || "%‰°'\"_Ωµ$€".contains(c);
        let end = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        let (symbol, rest) = self.rest.split_at(end);
        if symbol.is_empty() {
            return None;
        }
        self.rest = rest;
        Some(symbols::unit(symbol).unwrap_or_else(|| {
            self.unknown.push(symbol.to_owned());
            Monomial::atom(Atom::Own(symbol.to_owned()))
        }))
    }

    /// The power of a factor: 1 without any.
    fn power(&mut self) -> Option<f64> {
        let superscript: String = self.rest.chars().map_while(symbols::superscript).collect();
        if !superscript.is_empty() {
            let n = superscript.chars().count();
            let end = self.rest.char_indices().nth(n).map(|(at, _)| at);
            self.rest = &self.rest[end.unwrap_or(self.rest.len())..];
            return superscript.parse().ok();
        }
        let Some(rest) = self
            .rest
            .strip_prefix('^')
            .or_else(|| self.rest.strip_prefix("**"))
        else {
            return Some(1.0);
        };
        self.rest = rest;
        if let Some(rest) = self.rest.strip_prefix('(') {
            self.rest = rest;
            let mut power = self.signed()?;
            if let Some(rest) = self.rest.strip_prefix('/') {
                self.rest = rest;
                power /= self.signed()?;
            }
            self.rest = self.rest.strip_prefix(')')?;
            return power.is_finite().then_some(power);
        }
        self.signed()
    }

    fn signed(&mut self) -> Option<f64> {
        let negative = self.rest.strip_prefix(['-', '−']);
        self.rest = negative.unwrap_or(self.rest);
        let number = self.number()?;
        Some(if negative.is_some() { -number } else { number })
    }

    fn number(&mut self) -> Option<f64> {
        let end = self.rest.find(|c: char| !c.is_ascii_digit() && c != '.');
        let (number, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        number.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn is_one(text: &str, other: &str, times: f64) {
        let (unit, other) = (read(text).expect(text), read(other).expect(other));
        assert!(unit.unknown.is_empty(), "{text}: {:?}", unit.unknown);
        let quotient = unit.unit.times(&other.unit, -1.0);
        assert_eq!(quotient.powers, BTreeMap::new(), "{text}");
        let relative = (quotient.log - f64::ln(times)).abs();
        assert!(relative < 1e-12, "{text}: {}", quotient.log.exp());
    }

    #[test]
    fn units_are_what_they_say() {
        is_one("N", "kg*m/s^2", 1.0);
        is_one("J/mol/K", "kg m^2 / (s^2 mol K)", 1.0);
        is_one("kJ", "J", 1000.0);
        is_one("km/h", "m/s", 1.0 / 3.6);
        is_one("m^0.5/min", "m^(1/2) * s^-1", 1.0 / 60.0);
        is_one("m³/мин", "m^3/s", 1.0 / 60.0);
        is_one("кг*м/с^2", "Н", 1.0);
        is_one("кВт*ч", "J", 3.6e6);
        is_one("об/мин", "rad/s", std::f64::consts::TAU / 60.0);
        is_one("град/с^2", "deg/s^2", 1.0);
        is_one("mmol/l", "mol/m^3", 1.0);
        is_one("µF", "C/V", 1e-6);
        is_one("Ohm*A", "V", 1.0);
        is_one("1/min", "Hz", 1.0 / 60.0);
        is_one("%", "1", 0.01);
        is_one("°C", "K", 1.0);
        is_one("Ω·с²", "kg m^2/(A^2 s)", 1.0);
        is_one("Gm", "m", 1e9);
        is_one("mmHg", "Pa", 133.322_387_415);
        is_one("N/m2", "Pa", 1.0);
        is_one("m/s2", "m s-2", 1.0);
        is_one("m3 с-1", "m^3/s", 1.0);
    }

    #[test]
    fn what_is_no_unit_is_said() {
        assert_eq!(read("blah/s").expect("a unit").unknown, ["blah"]);
        for text in [
            "", "m/", "(m", "m)", "m^", "^2", "m^x", "0", "/s", "W/m2K", "s-",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(read(&"(".repeat(1000)), None);
    }
}
