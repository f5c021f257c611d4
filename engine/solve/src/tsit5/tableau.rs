//! Tsitouras 5(4), Computers and Mathematics with Applications 62 (2011) 770, to double precision.
//!
//! The last digits of a54, a65, b1 and b2 are chosen such that the row sums and the conditions of
//! order 1 and 2 hold in doubles: with the printed digits the energy of a bouncing ball drifts by
//! 3e-14 a step. A test holds the order conditions of the method, its error estimate and its dense
//! output.

pub(crate) const C: [f64; 4] = [0.161, 0.327, 0.9, 0.9800255409045097];

pub(crate) const A2: [f64; 1] = [0.161];
pub(crate) const A3: [f64; 2] = [-0.008480655492356989, 0.335480655492357];
pub(crate) const A4: [f64; 3] = [2.8971530571054935, -6.359448489975075, 4.3622954328695815];
pub(crate) const A5: [f64; 4] = [
    5.325864828439257,
    -11.748883564062828,
    7.4955393428898365,
    -0.09249506636175597,
];
pub(crate) const A6: [f64; 5] = [
    5.86145544294642,
    -12.92096931784711,
    8.159367898576159,
    -0.071584973281401,
    -0.028269050394068254,
];

/// Weights of the end, of order 5; also the row of the seventh stage.
pub(crate) const B: [f64; 6] = [
    0.09646076681806355,
    0.010000000000001934,
    0.4798896504144996,
    1.379008574103742,
    -3.290069515436081,
    2.324710524099774,
];

/// Weights of the end minus those of the embedded method of order 4.
pub(crate) const E: [f64; 7] = [
    0.001780011052225777,
    0.0008164344596567469,
    -0.007880878010261995,
    0.1447110071732629,
    -0.5823571654525552,
    0.45808210592918697,
    -0.015151515151515152,
];

/// Weights of stages two to seven, each less the first, in the coefficient of theta^4 of the dense
/// output. The rest of that polynomial follows from both ends.
pub(crate) const DENSE: [f64; 6] = [
    0.1017,
    2.490627285651253,
    -16.548102889244902,
    47.37952196281928,
    -34.87065786149661,
    2.5,
];
