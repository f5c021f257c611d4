//! The times between firings of an event: whether they shrink to nothing.

use super::Moment;

/// The time between two firings must have shrunk so often.
const SHRINKINGS: u32 = 3;

/// And to less than this part altogether.
const SHRUNK: f64 = 0.25;

/// Distances of so few ticks are as short as a jump that is late by a tick lets them become: a ball that each bounce
/// puts back onto its floor goes on at 2 to 9.
const SHORTEST: u64 = 16;

/// So many distances that are that short and shrink no more are the end of a sequence that accumulates.
const AT_SHORTEST: u32 = 8;

/// Firings of one event.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rhythm {
    fired: u64,
    last: Option<Moment>,
    /// Ticks from the firing before the last one.
    gap: Option<u64>,
    /// The first one of those that have been shrinking since.
    first_gap: u64,
    /// Number of times that it has shrunk since.
    shrinkings: u32,
    /// Number of times that it was short and has not shrunk since.
    shortest: u32,
    /// Limit at which the firings accumulated, and their number until then.
    found: Option<(Moment, u64)>,
}

impl Rhythm {
    /// The run goes on elsewhere.
    pub(super) fn restart(&mut self) {
        let Self { fired, found, .. } = *self;
        *self = Self {
            fired,
            found,
            ..Self::default()
        };
    }

    pub(super) fn last(&self) -> Option<Moment> {
        self.last
    }

    /// The event fires.
    pub(super) fn fire(&mut self, now: Moment) {
        if let Some(last) = self.last {
            let gap = now.tick - last.tick;
            self.found = self.gathered(now.tick);
            match self.gap {
                Some(before) if gap < before => self.shrinkings += 1,
                Some(_) if gap <= SHORTEST => self.shortest += 1,
                _ => {
                    (self.first_gap, self.shrinkings, self.shortest) = (gap, 0, 0);
                }
            }
            self.gap = Some(gap);
        }
        self.fired += 1;
        self.last = Some(now);
    }

    /// Limit at which the firings accumulated, as far as is known after so many ticks, and their number.
    pub(super) fn gathering(&self, ticks: u64) -> Option<(Moment, u64)> {
        self.gathered(ticks)
    }

    /// Limit at which they accumulated, if no further firing came when it would have been due.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "ticks are fewer than 2^53"
    )]
    fn gathered(&self, now: u64) -> Option<(Moment, u64)> {
        if self.found.is_some() {
            return self.found;
        }
        let (last, gap) = self.last.zip(self.gap)?;
        let shrunk = gap as f64 / self.first_gap as f64;
        if self.shrinkings < SHRINKINGS || shrunk > SHRUNK {
            return None;
        }
        // What is left of a geometric series with the mean ratio.
        let ratio = shrunk.powf(1.0 / f64::from(self.shrinkings));
        let rest = gap as f64 * ratio / (1.0 - ratio);
        let is_over = (now - last.tick) as f64 > rest + 2.0 * gap as f64;
        if !(is_over || self.shortest >= AT_SHORTEST) {
            return None;
        }
        // Where ticks have no common length the last firing has the only time that is known.
        let tick = match last.time {
            Some(_) => last.tick,
            None => last.tick + rest as u64,
        };
        Some((Moment { tick, ..last }, self.fired))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fired(ticks: &[u64], end: u64) -> Option<(u64, u64)> {
        let mut rhythm = Rhythm::default();
        for &tick in ticks {
            rhythm.fire(Moment { tick, time: None });
        }
        let (limit, fired) = rhythm.gathering(end)?;
        Some((limit.tick, fired))
    }

    #[test]
    fn firings_that_halve_their_distances_gather() {
        let bounces = [100, 164, 196, 212, 220, 224];
        assert_eq!(fired(&bounces, 400), Some((228, 6)));
        assert_eq!(fired(&bounces, 230), None, "the next one is not due yet");
        assert_eq!(fired(&bounces[..4], 400), None, "too few");
        // A ball that is taken up and dropped again.
        let again = [&bounces[..], &[600, 700, 800]].concat();
        assert_eq!(fired(&again, 900), Some((228, 6)));
    }

    #[test]
    fn firings_at_the_shortest_distance_are_an_end() {
        let mut ticks = vec![100, 147, 173, 188, 198, 205, 211, 216];
        ticks.extend((1..7).map(|k| 216 + 5 * k));
        assert_eq!(fired(&ticks, 247), None);
        ticks.extend((7..12).map(|k| 216 + 5 * k));
        assert!(fired(&ticks, 272).is_some());
    }

    #[test]
    fn other_rhythms_do_not_gather() {
        let even: Vec<u64> = (0..40).map(|k| 10 * k).collect();
        assert_eq!(fired(&even, 1000), None);
        // A chirp: distances shrink slowly, and the next firing is due later than now.
        let mut chirp = vec![0];
        for k in 0..40 {
            chirp.push(chirp[k] + 100 - k as u64);
        }
        assert_eq!(fired(&chirp, chirp[40] + 50), None);
        let uneven = [0, 100, 120, 180, 190, 400, 410, 700];
        assert_eq!(fired(&uneven, 5000), None);
    }
}
