//! Symbols of units: those of the SI with their prefixes, and those of everyday engineering, in Latin and Cyrillic
//! letters.
//!
//! Source of the values: Bureau international des poids et mesures, The International System of Units, 9th edition,
//! 2019, tables 2, 4, 7 and 8; those of the inch and the pound: the agreement of 1959.

use super::monomial::{ANGLE, Atom, Monomial};

/// Powers of m, kg, s, A, K, mol, cd, rad.
type Powers = [i8; 8];

const BASES: [&str; 8] = ["m", "kg", "s", "A", "K", "mol", "cd", ANGLE];

const NONE: Powers = [0; 8];
const LENGTH: Powers = [1, 0, 0, 0, 0, 0, 0, 0];
const AREA: Powers = [2, 0, 0, 0, 0, 0, 0, 0];
const VOLUME: Powers = [3, 0, 0, 0, 0, 0, 0, 0];
const SPEED: Powers = [1, 0, -1, 0, 0, 0, 0, 0];
const MASS: Powers = [0, 1, 0, 0, 0, 0, 0, 0];
const TIME: Powers = [0, 0, 1, 0, 0, 0, 0, 0];
const RATE: Powers = [0, 0, -1, 0, 0, 0, 0, 0];
const CURRENT: Powers = [0, 0, 0, 1, 0, 0, 0, 0];
const TEMPERATURE: Powers = [0, 0, 0, 0, 1, 0, 0, 0];
const AMOUNT: Powers = [0, 0, 0, 0, 0, 1, 0, 0];
const LIGHT: Powers = [0, 0, 0, 0, 0, 0, 1, 0];
const ANGLES: Powers = [0, 0, 0, 0, 0, 0, 0, 1];
const ANGULAR_RATE: Powers = [0, 0, -1, 0, 0, 0, 0, 1];
const FORCE: Powers = [1, 1, -2, 0, 0, 0, 0, 0];
const PRESSURE: Powers = [-1, 1, -2, 0, 0, 0, 0, 0];
const ENERGY: Powers = [2, 1, -2, 0, 0, 0, 0, 0];
const POWER: Powers = [2, 1, -3, 0, 0, 0, 0, 0];
const CHARGE: Powers = [0, 0, 1, 1, 0, 0, 0, 0];
const VOLTAGE: Powers = [2, 1, -3, -1, 0, 0, 0, 0];
const RESISTANCE: Powers = [2, 1, -3, -2, 0, 0, 0, 0];
const CONDUCTANCE: Powers = [-2, -1, 3, 2, 0, 0, 0, 0];
const CAPACITANCE: Powers = [-2, -1, 4, 2, 0, 0, 0, 0];
const INDUCTANCE: Powers = [2, 1, -2, -2, 0, 0, 0, 0];
const FLUX: Powers = [2, 1, -2, -1, 0, 0, 0, 0];
const FLUX_DENSITY: Powers = [0, 1, -2, -1, 0, 0, 0, 0];
const DOSE: Powers = [2, 0, -2, 0, 0, 0, 0, 0];
const ACTIVITY: Powers = [0, 0, -1, 0, 0, 1, 0, 0];
const CONCENTRATION: Powers = [-3, 0, 0, 0, 0, 1, 0, 0];
const ILLUMINANCE: Powers = [-2, 0, 0, 0, 0, 0, 1, 0];

const TURN: f64 = std::f64::consts::TAU;
const DEGREE: f64 = TURN / 360.0;
const INCH: f64 = 0.0254;
const POUND: f64 = 0.453_592_37;
const CALORIE: f64 = 4.184;

/// A unit with its spellings, its value in base units, and whether prefixes may stand before it.
type Row = (&'static [&'static str], f64, Powers, bool);

const UNITS: &[Row] = &[
    (&["m", "м"], 1.0, LENGTH, true),
    (&["g", "г"], 1e-3, MASS, true),
    (&["s", "с", "sec", "сек"], 1.0, TIME, true),
    (&["A", "А"], 1.0, CURRENT, true),
    (&["K", "К", "degK"], 1.0, TEMPERATURE, true),
    (&["mol", "моль"], 1.0, AMOUNT, true),
    (&["cd", "кд"], 1.0, LIGHT, true),
    (&["rad", "рад"], 1.0, ANGLES, true),
    (&["sr", "ср"], 1.0, NONE, false),
    (&["Hz", "Гц"], 1.0, RATE, true),
    (&["N", "Н"], 1.0, FORCE, true),
    (&["Pa", "Па"], 1.0, PRESSURE, true),
    (&["J", "Дж"], 1.0, ENERGY, true),
    (&["W", "Вт"], 1.0, POWER, true),
    (&["C", "Кл"], 1.0, CHARGE, true),
    (&["V", "В"], 1.0, VOLTAGE, true),
    (
        &["Ohm", "ohm", "Ω", "\u{2126}", "Ом"],
        1.0,
        RESISTANCE,
        true,
    ),
    (&["S", "См"], 1.0, CONDUCTANCE, true),
    (&["F", "Ф"], 1.0, CAPACITANCE, true),
    (&["H", "Гн"], 1.0, INDUCTANCE, true),
    (&["Wb", "Вб"], 1.0, FLUX, true),
    (&["T", "Тл"], 1.0, FLUX_DENSITY, true),
    (&["lm", "лм"], 1.0, LIGHT, true),
    (&["lx", "лк"], 1.0, ILLUMINANCE, true),
    (&["Bq", "Бк"], 1.0, RATE, true),
    (&["Gy", "Гр", "Sv", "Зв"], 1.0, DOSE, true),
    (&["kat", "кат"], 1.0, ACTIVITY, true),
    (&["l", "L", "л"], 1e-3, VOLUME, true),
    (&["M"], 1e3, CONCENTRATION, true),
    (&["bar", "бар"], 1e5, PRESSURE, true),
    (&["eV", "эВ"], 1.602_176_634e-19, ENERGY, true),
    (&["cal", "кал"], CALORIE, ENERGY, true),
    (&["Wh", "Втч"], 3600.0, ENERGY, true),
    (&["Ah", "Ач"], 3600.0, CHARGE, true),
    (&["t", "т"], 1e3, MASS, true),
    (&["°C", "degC", "℃", "°С"], 1.0, TEMPERATURE, false),
    (&["°F", "degF"], 5.0 / 9.0, TEMPERATURE, false),
    (&["min", "мин"], 60.0, TIME, false),
    (&["h", "hr", "hour", "ч", "час"], 3600.0, TIME, false),
    (&["d", "day", "сут", "дн"], 86_400.0, TIME, false),
    (&["week", "нед"], 604_800.0, TIME, false),
    (&["a", "yr", "year", "год"], 31_557_600.0, TIME, false),
    (&["deg", "°", "град"], DEGREE, ANGLES, false),
    (&["arcmin"], DEGREE / 60.0, ANGLES, false),
    (&["arcsec"], DEGREE / 3600.0, ANGLES, false),
    (&["rev", "turn", "об"], TURN, ANGLES, false),
    (&["rpm"], TURN / 60.0, ANGULAR_RATE, false),
    (&["ha", "га"], 1e4, AREA, false),
    (&["atm", "атм"], 101_325.0, PRESSURE, false),
    (&["mmHg", "Torr"], 133.322_387_415, PRESSURE, false),
    (&["psi"], POUND * 9.806_65 / (INCH * INCH), PRESSURE, false),
    (&["in", "inch"], INCH, LENGTH, false),
    (&["ft"], 12.0 * INCH, LENGTH, false),
    (&["yd"], 36.0 * INCH, LENGTH, false),
    (&["mi", "mile"], 1609.344, LENGTH, false),
    (&["mph"], 0.447_04, SPEED, false),
    (&["kn"], 1852.0 / 3600.0, SPEED, false),
    (&["lb"], POUND, MASS, false),
    (&["lbf"], POUND * 9.806_65, FORCE, false),
    (&["kgf", "кгс"], 9.806_65, FORCE, false),
    (&["hp"], 745.699_871_582_270_2, POWER, false),
    (&["BTU"], 1_055.055_852_62, ENERGY, false),
    (&["u", "Da"], 1.660_539_068_92e-27, MASS, false),
    (&["%"], 0.01, NONE, false),
    (&["‰"], 1e-3, NONE, false),
    (&["ppm"], 1e-6, NONE, false),
    (&["ppb"], 1e-9, NONE, false),
];

const PREFIXES: &[(&[&str], f64)] = &[
    (&["da", "да"], 1e1),
    (&["мк", "µ", "μ", "u"], 1e-6),
    (&["Y", "И"], 1e24),
    (&["Z", "З"], 1e21),
    (&["E", "Э"], 1e18),
    (&["P", "П"], 1e15),
    (&["T", "Т"], 1e12),
    (&["G", "Г"], 1e9),
    (&["M", "М"], 1e6),
    (&["k", "к"], 1e3),
    (&["h", "г"], 1e2),
    (&["d", "д"], 1e-1),
    (&["c", "с"], 1e-2),
    (&["m", "м"], 1e-3),
    (&["n", "н"], 1e-9),
    (&["p", "п"], 1e-12),
    (&["f", "ф"], 1e-15),
    (&["a", "а"], 1e-18),
    (&["z", "з"], 1e-21),
    (&["y", "и"], 1e-24),
];

/// The unit of a symbol, with or without a prefix; a symbol as a whole goes first, so that `min` is no milli-inch.
pub(super) fn unit(symbol: &str) -> Option<Monomial> {
    let whole = UNITS.iter().find(|(names, ..)| names.contains(&symbol));
    if let Some((_, value, powers, _)) = whole {
        return Some(monomial(*value, powers));
    }
    PREFIXES.iter().find_map(|(prefixes, factor)| {
        let mut prefixes = prefixes.iter();
        prefixes.find_map(|prefix| {
            let rest = symbol.strip_prefix(prefix)?;
            let takes = |(names, _, _, prefixed): &&Row| *prefixed && names.contains(&rest);
            let (_, value, powers, _) = UNITS.iter().find(takes)?;
            Some(monomial(factor * value, powers))
        })
    })
}

/// Two symbols of other kinds that stand together as one, with the sign between them: `N*m` of `Nm`.
pub(super) fn product(symbols: &str) -> Option<String> {
    let mut ends = symbols.char_indices().skip(1);
    ends.find_map(|(at, _)| {
        let (first, second) = symbols.split_at(at);
        let differ = unit(first)?.powers != unit(second)?.powers;
        differ.then(|| format!("{first}*{second}"))
    })
}

fn monomial(value: f64, powers: &Powers) -> Monomial {
    let mut unit = Monomial::scale(value);
    for (base, power) in BASES.into_iter().zip(powers) {
        if *power != 0 {
            let base = Monomial::atom(Atom::Base(base));
            unit = unit.times(&base, f64::from(*power));
        }
    }
    unit
}

/// Symbols that are shown for what follows from other units; several things may be in `m^2/s^2`.
const SHOWN: [&str; 19] = [
    "m", "kg", "s", "A", "K", "mol", "cd", "rad", "deg", "N", "Pa", "J", "W", "C", "V", "Ohm", "F",
    "H", "h",
];

/// What the time is told in, the second first.
const TIMES: [&str; 11] = [
    "s", "fs", "ps", "ns", "us", "ms", "min", "h", "d", "week", "year",
];

/// The units that the time is told in, the second first.
pub(super) fn times() -> impl Iterator<Item = Monomial> {
    TIMES.into_iter().filter_map(unit)
}

/// The symbol of a unit, if it has one of its own.
pub(super) fn named(unit: &Monomial) -> Option<&'static str> {
    let same = |(_, value, powers, _): &&Row| {
        let known = monomial(*value, powers);
        known.powers == unit.powers && (known.log - unit.log).abs() < 1e-12
    };
    let (names, ..) = UNITS.iter().find(same)?;
    names.first().copied().filter(|name| SHOWN.contains(name))
}

/// The first spelling of a symbol without a prefix.
pub(super) fn first_spelling(symbol: &str) -> Option<&'static str> {
    let mut units = UNITS.iter();
    let (names, ..) = units.find(|(names, ..)| names.contains(&symbol))?;
    names.first().copied()
}

/// All symbols without their prefixes.
pub(super) fn all() -> impl Iterator<Item = &'static str> {
    UNITS.iter().flat_map(|(names, ..)| names.iter().copied())
}

/// The character that a superscript stands for.
pub(super) fn superscript(c: char) -> Option<char> {
    Some(match c {
        '⁰' => '0',
        '¹' => '1',
        '²' => '2',
        '³' => '3',
        '⁴' => '4',
        '⁵' => '5',
        '⁶' => '6',
        '⁷' => '7',
        '⁸' => '8',
        '⁹' => '9',
        '⁻' => '-',
        _ => return None,
    })
}
