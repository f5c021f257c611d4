//! Outlines that are computed: coils of springs, heads of arrows.

/// Points of a coil.
const POINTS_PER_TURN: usize = 16;
/// More coils than this cannot be told apart.
const MOST_TURNS: f64 = 200.0;

/// Unit vector from a point to another, and their distance.
fn direction([ax, ay]: [f64; 2], [bx, by]: [f64; 2]) -> ([f64; 2], f64) {
    let (x, y) = (bx - ax, by - ay);
    let length = x.hypot(y);
    match length > 0.0 {
        true => ([x / length, y / length], length),
        false => ([1.0, 0.0], 0.0),
    }
}

/// A coiled line: a helix seen from the side, with straight ends.
///
/// Shapes: `radius`, half of its width [pixels]; `turns`, number of coils.
pub(super) fn spring(from: [f64; 2], to: [f64; 2], turns: f64, radius: f64) -> Vec<[f64; 2]> {
    let ([ux, uy], length) = direction(from, to);
    let turns = turns.round().clamp(1.0, MOST_TURNS);
    let lead = (0.1 * length).min(2.0 * radius);
    let span = length - 2.0 * lead;
    // How far a coil leans; a spring that is pressed together leans less.
    let lean = (0.4 * radius).min(0.25 * span / turns).max(0.0);
    let place = |along: f64, across: f64| {
        [
            from[0] + ux * along - uy * across,
            from[1] + uy * along + ux * across,
        ]
    };
    let n = turns as usize * POINTS_PER_TURN;
    let coil = (0..=n).map(|at| {
        let share = at as f64 / n as f64;
        let angle = std::f64::consts::TAU * turns * share;
        let along = lead + span * share + lean * (1.0 - angle.cos());
        place(along, radius * angle.sin())
    });
    let ends = [from, to];
    [ends[0]].into_iter().chain(coil).chain([ends[1]]).collect()
}

/// A line with a head.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Arrow {
    /// The ends of the line.
    pub(super) shaft: [[f64; 2]; 2],
    /// The corners of the head, its point first.
    pub(super) head: [[f64; 2]; 3],
}

/// The parts of an arrow; nothing of one without length.
///
/// Shapes: `width`, of its line [pixels].
pub(super) fn arrow(from: [f64; 2], to: [f64; 2], width: f64) -> Option<Arrow> {
    /// An arrow that is shorter is a point.
    const SHORTEST: f64 = 0.5;
    let ([ux, uy], length) = direction(from, to);
    if length < SHORTEST {
        return None;
    }
    let head = (5.0 + 2.5 * width).min(0.7 * length);
    let half = 0.42 * head;
    let base = [to[0] - ux * head, to[1] - uy * head];
    let side = |sign: f64| [base[0] - sign * uy * half, base[1] + sign * ux * half];
    // The shaft ends inside of the head, so that no gap shows.
    let inside = [to[0] - 0.7 * ux * head, to[1] - 0.7 * uy * head];
    Some(Arrow {
        shaft: [from, inside],
        head: [to, side(1.0), side(-1.0)],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn springs_join_their_ends() {
        for turns in [0.0, 1.0, 8.0, 1e9] {
            let points = spring([10.0, 5.0], [110.0, 5.0], turns, 7.0);
            assert_eq!(points.first(), Some(&[10.0, 5.0]));
            assert_eq!(points.last(), Some(&[110.0, 5.0]));
            let highest = points.iter().map(|point| (point[1] - 5.0).abs());
            assert!(highest.fold(0.0, f64::max) <= 7.0 + 1e-12);
        }
        assert!(
            spring([1.0, 1.0], [1.0, 1.0], 8.0, 7.0)
                .iter()
                .flatten()
                .all(|at| at.is_finite())
        );
    }

    #[test]
    fn heads_end_at_the_end() {
        let Arrow { shaft, head } = arrow([0.0, 0.0], [40.0, 0.0], 2.0).unwrap();
        assert_eq!((shaft[0], head[0]), ([0.0, 0.0], [40.0, 0.0]));
        assert_eq!(head[1][1], -head[2][1]);
        assert_eq!(arrow([3.0, 3.0], [3.0, 3.2], 2.0), None);
    }
}
