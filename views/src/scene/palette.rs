//! Colours: two shades for each word of the language, for light and for dark ground.
//!
//! Each shade has a contrast of at least 3 to its ground, but for `pale` and `paper`, which are near it.

use serde::Serialize;
use situ_engine::model::scene::Colour;

/// A colour on light and on dark ground [red, green, blue].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct Shade {
    /// On light ground.
    pub light: [u8; 3],
    /// On dark ground.
    pub dark: [u8; 3],
}

const fn shade(light: u32, dark: u32) -> Shade {
    const fn parts(rgb: u32) -> [u8; 3] {
        let [_, red, green, blue] = rgb.to_be_bytes();
        [red, green, blue]
    }
    Shade {
        light: parts(light),
        dark: parts(dark),
    }
}

impl Shade {
    /// The shades of a colour; `None` for no colour.
    pub fn of(colour: Colour) -> Option<Self> {
        Some(match colour {
            Colour::None => return None,
            Colour::Ink => shade(0x0024_292f, 0x00e6_edf3),
            Colour::Paper => shade(0x00ff_ffff, 0x000d_1117),
            Colour::Grey => shade(0x0079_828c, 0x008b_949e),
            Colour::Pale => shade(0x00dd_e3e9, 0x0030_363d),
            Colour::Steel => shade(0x005f_7890, 0x008f_a9c2),
            Colour::Red => shade(0x00cf_3b3b, 0x00ff_7b72),
            Colour::Orange => shade(0x00d0_6c0a, 0x00f0_883e),
            Colour::Yellow => shade(0x00b3_8600, 0x00e3_b341),
            Colour::Green => shade(0x002c_8a4b, 0x0056_d364),
            Colour::Teal => shade(0x0014_868c, 0x0039_c5cf),
            Colour::Blue => shade(0x000a_66c2, 0x006c_b6ff),
            Colour::Purple => shade(0x007a_4fc9, 0x00bc_8cff),
            Colour::Pink => shade(0x00c8_478d, 0x00f7_78ba),
            Colour::Brown => shade(0x008a_5a33, 0x00c6_9063),
        })
    }

    /// A mixture of two, at a share of the second one between 0 and 1; in so few steps that a film has few colours.
    pub(super) fn mixed(self, other: Self, share: f64) -> Self {
        const STEPS: f64 = 32.0;
        let share = (share.clamp(0.0, 1.0) * STEPS).round() / STEPS;
        let between = |a: [u8; 3], b: [u8; 3]| {
            std::array::from_fn(|part| {
                let [a, b] = [a[part], b[part]].map(f64::from);
                (a + (b - a) * share).round() as u8
            })
        };
        Self {
            light: between(self.light, other.light),
            dark: between(self.dark, other.dark),
        }
    }
}

/// `#rrggbb`
pub(super) fn hex([red, green, blue]: [u8; 3]) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance of WCAG 2.
    fn luminance(rgb: [u8; 3]) -> f64 {
        let [red, green, blue] = rgb.map(|part| {
            let part = f64::from(part) / 255.0;
            if part <= 0.04045 {
                part / 12.92
            } else {
                ((part + 0.055) / 1.055).powf(2.4)
            }
        });
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    fn contrast(a: [u8; 3], b: [u8; 3]) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn shades_stand_out_from_their_ground() {
        let paper = Shade::of(Colour::Paper).unwrap();
        for colour in Colour::ALL {
            if matches!(colour, Colour::None | Colour::Paper | Colour::Pale) {
                continue;
            }
            let shade = Shade::of(colour).unwrap();
            for (on, ground) in [(shade.light, paper.light), (shade.dark, paper.dark)] {
                let found = contrast(on, ground);
                assert!(found >= 3.0, "{colour:?}: {found}");
            }
        }
    }

    #[test]
    fn mixtures_lie_between() {
        let [blue, red] = [Colour::Blue, Colour::Red].map(|one| Shade::of(one).unwrap());
        assert_eq!(blue.mixed(red, -1.0), blue);
        assert_eq!(blue.mixed(red, 1.5), red);
        let middle = blue.mixed(red, 0.5);
        assert_eq!(middle.light[0], (blue.light[0] / 2 + red.light[0] / 2) + 1);
    }
}
