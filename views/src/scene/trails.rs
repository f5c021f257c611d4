//! Trails: the ways that points of a scene have gone.

use situ_engine::model::Model;
use situ_engine::model::scene::{AttributeKind, ShapeKind};
use situ_engine::trace::Row;

use super::draw::Sight;

/// So many points of a way are kept; of a longer one every second point is given up.
const MOST_POINTS: usize = 8192;

/// The ways of all paths of a scene, in the order of its shapes.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Trails {
    ways: Vec<Way>,
}

/// The way of one point, in units of the scene.
#[derive(Clone, PartialEq, Debug, Default)]
struct Way {
    /// Time and place; a place that is not finite is a gap.
    points: Vec<(f64, [f64; 2])>,
}

impl Trails {
    /// Takes in where the points of a scene are at a row. Rows of earlier times than the last one begin the ways anew.
    pub fn take(&mut self, model: &Model, row: &Row<'_>) {
        let Some(scene) = &model.scene else { return };
        let sight = Sight::new(model, row);
        self.ways.resize_with(scene.shapes.len(), Way::default);
        for (index, shape) in scene.shapes.iter().enumerate() {
            if shape.kind != ShapeKind::Path {
                continue;
            }
            let at = sight.point(shape, AttributeKind::Of);
            let at = at.and_then(|at| sight.in_scene(shape, at));
            self.ways[index].push(row.time, at.unwrap_or([f64::NAN; 2]));
        }
    }

    /// The pieces of the way of a shape since a time, without the gaps.
    pub(super) fn pieces(&self, shape: usize, since: f64) -> Vec<Vec<[f64; 2]>> {
        let points = self.ways.get(shape).map_or(&[][..], |way| &way.points);
        let first = points.partition_point(|(time, _)| *time < since);
        let finite = |at: &[f64; 2]| at[0].is_finite() && at[1].is_finite();
        let pieces = points[first..].split(|(_, at)| !finite(at));
        let pieces = pieces.map(|piece| piece.iter().map(|(_, at)| *at).collect::<Vec<_>>());
        pieces.filter(|piece| piece.len() > 1).collect()
    }
}

impl Way {
    fn push(&mut self, time: f64, at: [f64; 2]) {
        match self.points.last() {
            Some((last, _)) if time < *last => self.points.clear(),
            // Nothing has moved.
            Some((_, before)) if *before == at => return,
            _ => {}
        }
        if self.points.len() == MOST_POINTS {
            let mut odd = false;
            self.points.retain(|(_, at)| {
                odd = !odd;
                odd || !at[0].is_finite()
            });
        }
        self.points.push((time, at));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_ways_are_thinned_and_gaps_stay() {
        let mut way = Way::default();
        for step in 0..20_000_u32 {
            let x = f64::from(step);
            let at = if step == 5000 { f64::NAN } else { x };
            way.push(x, [at, 0.0]);
        }
        assert!(way.points.len() <= MOST_POINTS + 1);
        let trails = Trails { ways: vec![way] };
        assert_eq!(trails.pieces(0, 0.0).len(), 2);
        assert_eq!(trails.pieces(0, 15_000.0).len(), 1);
        assert!(trails.pieces(3, 0.0).is_empty());
    }

    #[test]
    fn a_run_that_begins_anew_begins_its_ways() {
        let mut way = Way::default();
        for time in [0.0, 1.0, 2.0, 0.0, 1.0] {
            way.push(time, [time, 1.0]);
        }
        assert_eq!(way.points.len(), 2);
    }
}
