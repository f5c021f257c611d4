//! Tsitouras 5(4), Computers and Mathematics with Applications 62 (2011) 770, to double precision.
//! A test holds the order conditions of the method, its error estimate and its dense output.

pub(super) const C: [f64; 4] = [0.161, 0.327, 0.9, 0.9800255409045097];

pub(super) const A2: [f64; 1] = [0.161];
pub(super) const A3: [f64; 2] = [-0.008480655492356989, 0.335480655492357];
pub(super) const A4: [f64; 3] = [2.8971530571054935, -6.359448489975075, 4.3622954328695815];
pub(super) const A5: [f64; 4] = [
    5.325864828439257,
    -11.748883564062828,
    7.4955393428898365,
    -0.09249506636175525,
];
pub(super) const A6: [f64; 5] = [
    5.86145544294642,
    -12.92096931784711,
    8.159367898576159,
    -0.071584973281401,
    -0.028269050394068383,
];

/// Weights of the end, of order 5; also the row of the seventh stage.
pub(super) const B: [f64; 6] = [
    0.09646076681806523,
    0.01,
    0.4798896504144996,
    1.379008574103742,
    -3.290069515436081,
    2.324710524099774,
];

/// Weights of the end minus those of the embedded method of order 4.
pub(super) const E: [f64; 7] = [
    0.001780011052225777,
    0.0008164344596567469,
    -0.007880878010261995,
    0.1447110071732629,
    -0.5823571654525552,
    0.45808210592918697,
    -0.015151515151515152,
];

/// Weights of the coefficients of theta^2, theta^3 and theta^4 in the dense output (that of theta is
/// the first stage).
pub(super) const DENSE: [[f64; 7]; 3] = [
    [
        -2.763706197274826,
        0.13169999999999998,
        3.9302962368947516,
        -12.411077166933676,
        37.50931341651104,
        -27.896526289197286,
        1.5,
    ],
    [
        2.9132554618219126,
        -0.2234,
        -5.941033872131505,
        30.33818863028232,
        -88.1789048947664,
        65.09189467479366,
        -4.0,
    ],
    [
        -1.0530884977290216,
        0.1017,
        2.490627285651253,
        -16.548102889244902,
        47.37952196281928,
        -34.87065786149661,
        2.5,
    ],
];
