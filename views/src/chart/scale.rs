//! Scales: what stands where on an axis, linear or logarithmic.

use super::ticks::{Ticks, log_ticks, ticks};
use super::{Axis, Curve, Extent, Figure, Panel};

/// How values become places along an axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Scale {
    /// In proportion.
    #[default]
    Linear,
    /// By their logarithm to the base of 10: the axis has the extent of that.
    Log,
}

impl Scale {
    /// The place of a value; NaN for one that has no logarithm.
    pub fn of(self, value: f64) -> f64 {
        match self {
            Self::Linear => value,
            Self::Log if value > 0.0 => value.log10(),
            Self::Log => f64::NAN,
        }
    }
}

impl Axis<'_> {
    /// Marks of the axis, at most so many and a few.
    pub(super) fn ticks(&self, at_most: usize) -> Ticks {
        match self.scale {
            Scale::Linear => ticks(&self.extent, at_most),
            Scale::Log => log_ticks(&self.extent, at_most),
        }
    }

    /// The same axis with a logarithmic scale, for the values on it.
    fn logarithmic(&mut self, values: impl Iterator<Item = f64>) {
        self.scale = Scale::Log;
        let places = values.map(|value| Scale::Log.of(value));
        self.extent = Extent::of(places).padded(ROOM);
    }
}

/// Room around the values of an axis, as a part of it.
const ROOM: f64 = 0.05;
/// Curves that share a panel.
const MOST: usize = 6;

impl<'a> Figure<'a> {
    /// Gives quantities a logarithmic axis: those of one unit share it, whatever their sizes, and others keep
    /// theirs.
    ///
    /// # Errors
    ///
    /// A name that is not drawn along an axis.
    pub fn on_log_axes(&mut self, names: &[String]) -> Result<(), String> {
        for name in names {
            let is_drawn = self.panels.iter().any(|panel| {
                let along = (!panel.over_time).then_some(&panel.x);
                let axes = [Some(&panel.y), along];
                let mut drawn = axes.into_iter().flatten().flat_map(|axis| &axis.names);
                drawn.any(|other| other == name)
            });
            if !is_drawn {
                return Err(name.clone());
            }
        }
        let wanted = |name: &str| names.iter().any(|other| other == name);
        let is_single = self.runs.is_empty();
        let mut panels: Vec<Panel<'a>> = Vec::new();
        for panel in std::mem::take(&mut self.panels) {
            if !panel.over_time {
                panels.push(phase(panel, &wanted));
                continue;
            }
            let (log, linear): (Vec<_>, Vec<_>) = (panel.curves.iter().cloned())
                .partition(|curve| wanted(curve.name) && panel.cells.is_none());
            if log.is_empty() {
                panels.push(panel);
                continue;
            }
            if !linear.is_empty() {
                panels.push(shared(&panel, linear, Scale::Linear, is_single));
            }
            let fitting = panels.iter().position(|other| {
                let is_log = other.over_time && other.y.scale == Scale::Log;
                let fits = other.y.unit == panel.y.unit && is_single;
                is_log && fits && other.curves.len() + log.len() <= MOST
            });
            match fitting {
                Some(index) => {
                    let mut all = panels[index].curves.clone();
                    all.extend(log);
                    panels[index] = shared(&panel, all, Scale::Log, is_single);
                }
                None => panels.push(shared(&panel, log, Scale::Log, is_single)),
            }
        }
        self.panels = panels;
        Ok(())
    }

    /// What the picture cannot show of its curves and maps.
    pub fn gaps(&self) -> Gaps<'a> {
        let mut gaps = Gaps::default();
        let mut add = |name: &'a str, scale: Scale, values: &[f64], is_curve: bool| {
            let finds = |names: &mut Vec<&'a str>, is_gap: &dyn Fn(&f64) -> bool| {
                if values.iter().any(is_gap) && !names.contains(&name) {
                    names.push(name);
                }
            };
            if scale == Scale::Log {
                finds(&mut gaps.not_positive, &|value| *value <= 0.0);
            }
            finds(&mut gaps.infinite, &|value| value.is_infinite());
            // Cells of elements that are not there are empty.
            finds(&mut gaps.no_numbers, &|value| is_curve && value.is_nan());
        };
        for panel in &self.panels {
            for curve in &panel.curves {
                for (axis, values) in [(&panel.x, curve.x), (&panel.y, curve.y)] {
                    let name = axis.names.iter().copied().find(|name| *name == curve.name);
                    let name = name.or(axis.names.first().copied()).unwrap_or_default();
                    add(name, axis.scale, values, true);
                }
            }
            if let Some(cells) = &panel.cells {
                add(cells.name, Scale::Linear, cells.values, false);
            }
        }
        gaps
    }
}

/// Values that a picture cannot show: a curve is broken where they are, a cell empty.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Gaps<'a> {
    /// Names of what is not above zero everywhere, on a logarithmic axis.
    pub not_positive: Vec<&'a str>,
    /// Names of what is infinite somewhere.
    pub infinite: Vec<&'a str>,
    /// Names of curves that have no number somewhere.
    pub no_numbers: Vec<&'a str>,
}

/// A panel of one quantity against another.
fn phase<'a>(mut panel: Panel<'a>, wanted: &impl Fn(&str) -> bool) -> Panel<'a> {
    if panel.cells.is_some() {
        return panel;
    }
    let curves = &panel.curves;
    if panel.x.names.iter().any(|name| wanted(name)) {
        panel
            .x
            .logarithmic(curves.iter().flat_map(|curve| curve.x.iter().copied()));
    }
    if panel.y.names.iter().any(|name| wanted(name)) {
        panel
            .y
            .logarithmic(curves.iter().flat_map(|curve| curve.y.iter().copied()));
    }
    panel
}

/// A panel over time with some curves; of one run each has a colour of its own.
fn shared<'a>(
    like: &Panel<'a>,
    mut curves: Vec<Curve<'a>>,
    scale: Scale,
    is_single: bool,
) -> Panel<'a> {
    let mut names = Vec::new();
    for (index, curve) in curves.iter_mut().enumerate() {
        if !names.contains(&curve.name) {
            names.push(curve.name);
        }
        if is_single {
            curve.style = index;
        }
    }
    let values = curves.iter().flat_map(|curve| curve.y.iter());
    let extent = Extent::of(values.map(|value| scale.of(*value))).padded(ROOM);
    let unit = like.y.unit;
    let y = Axis {
        names,
        unit,
        extent,
        scale,
    };
    Panel {
        y,
        curves,
        ..like.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::compose;
    use crate::columns::selection::Picks;
    use crate::columns::series::{RealColumn, Series};

    fn runs() -> [Series; 1] {
        let real = |name: &str, values: [f64; 3]| RealColumn {
            name: name.to_owned(),
            values: values.to_vec(),
            ..RealColumn::default()
        };
        [Series {
            time: vec![0.0, 1.0, 2.0],
            reals: vec![
                real("small", [1.0, 0.1, 0.01]),
                real("beside", [0.0, 1.0, 0.5]),
                real("large", [1e6, 1e5, 1e4]),
            ],
            ..Series::default()
        }]
    }

    #[test]
    fn quantities_of_all_sizes_share_a_logarithmic_axis() {
        let runs = runs();
        let mut figure = compose(&runs, &[]).unwrap();
        let names = ["small".to_owned(), "large".to_owned()];
        assert_eq!(figure.on_log_axes(&names), Ok(()));
        assert_eq!(figure.gaps(), Gaps::default());
        let panels: Vec<_> = figure
            .panels
            .iter()
            .map(|panel| (panel.y.names.join(" "), panel.y.scale))
            .collect();
        let expected = [("beside", Scale::Linear), ("small large", Scale::Log)];
        assert_eq!(
            panels,
            expected.map(|(names, scale)| (names.to_owned(), scale))
        );
        let extent = figure.panels[1].y.extent;
        assert_eq!((extent.low.round(), extent.high.round()), (-2.0, 6.0));
        assert_eq!(figure.panels[1].curves[1].style, 1);
    }

    #[test]
    fn what_is_infinite_or_no_number_is_told() {
        let mut runs = runs();
        runs[0].reals[2].values[1] = f64::NEG_INFINITY;
        runs[0].reals[1].values[0] = f64::NAN;
        let figure = compose(&runs, &[]).unwrap();
        assert_eq!(figure.gaps().infinite, ["large"]);
        assert_eq!(figure.gaps().no_numbers.len(), 1);
    }

    #[test]
    fn what_has_no_logarithm_is_told() {
        let runs = runs();
        let mut figure = compose(&runs, &[]).unwrap();
        figure.on_log_axes(&["beside".to_owned()]).unwrap();
        assert_eq!(figure.gaps().not_positive, ["beside"]);
        assert_eq!(
            figure.on_log_axes(&["time".to_owned()]),
            Err("time".to_owned())
        );
        let Picks(picks) = "small:large,time:small".parse().unwrap();
        let mut figure = compose(&runs, &picks).unwrap();
        let names = ["small", "time"].map(str::to_owned);
        figure.on_log_axes(&names).unwrap();
        assert_eq!(figure.gaps().not_positive, ["time"]);
        let scales: Vec<_> = figure
            .panels
            .iter()
            .map(|panel| [panel.x.scale, panel.y.scale])
            .collect();
        assert_eq!(
            scales,
            [[Scale::Log, Scale::Linear], [Scale::Log, Scale::Log]]
        );
    }
}
