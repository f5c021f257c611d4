//! Formulas: what a species consists of, from its text: `C2H6`, `Ca(OH)2`, `CuSO4·5 H2O`, `SO4 2-`, `C8 H10`.

use situ_words::say;

use std::collections::BTreeMap;

/// Most atoms of one element, and most brackets inside each other.
const MAX_COUNT: u64 = 1_000_000_000;
const MAX_NESTING: usize = 16;

/// Elements with their numbers; the charge stands under [`CHARGE`].
pub(super) type Composition = BTreeMap<&'static str, i64>;

/// What a charge is called in a report.
pub(super) const CHARGE: &str = "charge";

/// The signs of the elements.
const ELEMENTS: &str = "H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br \
    Kr Rb Sr Y Zr Nb Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta W Re \
    Os Ir Pt Au Hg Tl Pb Bi Po At Rn Fr Ra Ac Th Pa U Np Pu Am Cm Bk Cf Es Fm Md No Lr Rf Db Sg Bh Hs Mt Ds Rg Cn Nh Fl Mc \
    Lv Ts Og D T";

/// Reads a formula.
///
/// # Errors
///
/// The part that cannot be read.
pub(super) fn read(text: &str) -> Result<Composition, String> {
    let text = text.trim();
    let mut total = Composition::new();
    if text.is_empty() {
        return Err(say!("stage-bad-formula.nothing"));
    }
    let (body, charge) = charge(text);
    if charge != 0 {
        total.insert(CHARGE, charge);
    }
    if matches!(body, "e" | "") {
        return match charge {
            0 => Err(format!("`{text}`")),
            _ => Ok(total),
        };
    }
    for part in body.split(['·', '•', '*', '.']) {
        let part = part.trim();
        let digits = part.len() - part.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let times = count(&part[..digits]).ok_or_else(|| format!("`{part}`"))?;
        let mut rest = &part[digits..];
        let atoms = group(&mut rest, 0)?;
        if atoms.is_empty() && rest.is_empty() {
            return Err(format!("`{part}`"));
        }
        if let Some(first) = rest.chars().next() {
            return Err(format!("`{first}`"));
        }
        add(&mut total, &atoms, times);
    }
    total.retain(|_, count| *count != 0);
    Ok(total)
}

fn add(total: &mut Composition, atoms: &Composition, times: i64) {
    for (element, count) in atoms {
        let sum = total.entry(element).or_default();
        *sum = sum.saturating_add(count.saturating_mul(times));
    }
}

/// A number of atoms; 1 if nothing is written.
fn count(digits: &str) -> Option<i64> {
    if digits.is_empty() {
        return Some(1);
    }
    let count = digits
        .parse()
        .ok()
        .filter(|count| (1..=MAX_COUNT).contains(count))?;
    i64::try_from(count).ok()
}

/// Takes the charge off the end: `+`, `2-`, `^2-`, `--`.
fn charge(text: &str) -> (&str, i64) {
    let bare = text.trim_end_matches(['+', '-']);
    let signs = &text[bare.len()..];
    if signs.is_empty() {
        return (text, 0);
    }
    let unit = if signs.ends_with('+') { 1 } else { -1 };
    let many = i64::try_from(signs.len()).unwrap_or(1);
    if many > 1 {
        return (bare.trim_end(), unit * many);
    }
    // A number belongs to the charge if something separates it from the atoms.
    let body = bare.trim_end_matches(|c: char| c.is_ascii_digit());
    let separated = body.ends_with([' ', '^']);
    match bare[body.len()..].parse::<i64>() {
        Ok(size) if separated => (body.trim_end_matches([' ', '^']), unit * size),
        _ => (bare.trim_end_matches([' ', '^']), unit),
    }
}

fn group(rest: &mut &str, depth: usize) -> Result<Composition, String> {
    let mut atoms = Composition::new();
    loop {
        *rest = rest.trim_start();
        let Some(first) = rest.chars().next() else {
            return Ok(atoms);
        };
        let inner = match first {
            '(' | '[' if depth < MAX_NESTING => {
                let close = if first == '(' { ')' } else { ']' };
                *rest = &rest[1..];
                let inner = group(rest, depth + 1)?;
                match rest.strip_prefix(close) {
                    Some(behind) => *rest = behind,
                    None => return Err(say!("stage-bad-formula.not-closed", bracket = first)),
                }
                inner
            }
            ')' | ']' if depth > 0 => return Ok(atoms),
            _ => Composition::from([(element(rest)?, 1)]),
        };
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let times = count(&rest[..digits]).ok_or_else(|| format!("`{}`", &rest[..digits]))?;
        *rest = &rest[digits..];
        add(&mut atoms, &inner, times);
    }
}

/// Takes the sign of an element.
fn element(rest: &mut &str) -> Result<&'static str, String> {
    let letters = rest.len()
        - rest
            .trim_start_matches(|c: char| c.is_ascii_lowercase() || c.is_ascii_uppercase())
            .len();
    let word = &rest[..letters];
    let known = |sign: &str| ELEMENTS.split_whitespace().find(|one| *one == sign);
    for length in [2, 1] {
        if let Some(sign) = word.get(..length)
            && let Some(found) = known(sign)
        {
            *rest = &rest[length..];
            return Ok(found);
        }
    }
    let shown: String = rest.chars().take(2).collect();
    Err(format!("`{}`", shown.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<(&'static str, i64)> {
        read(text).unwrap().into_iter().collect()
    }

    #[test]
    fn formulas_are_read() {
        assert_eq!(of("C2H6"), [("C", 2), ("H", 6)]);
        assert_eq!(of("C8 H10"), [("C", 8), ("H", 10)]);
        assert_eq!(of("Ca(OH)2"), [("Ca", 1), ("H", 2), ("O", 2)]);
        assert_eq!(
            of("CuSO4·5 H2O"),
            [("Cu", 1), ("H", 10), ("O", 9), ("S", 1)]
        );
        assert_eq!(of("Na+"), [("Na", 1), (CHARGE, 1)]);
        assert_eq!(of("SO4 2-"), [("O", 4), ("S", 1), (CHARGE, -2)]);
        assert_eq!(of("SO4^2-"), of("SO4--"));
        assert_eq!(of("NH4+"), [("H", 4), ("N", 1), (CHARGE, 1)]);
        assert_eq!(of("e-"), [(CHARGE, -1)]);
        assert_eq!(of("HO2"), [("H", 1), ("O", 2)]);
        for wrong in [
            "",
            "ES",
            "Ca(OH2",
            "X",
            "C2H6)",
            "2",
            "c2",
            "C0",
            "((((((((((((((((((C",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
