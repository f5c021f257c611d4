//! Codes of rows that are solved, and of constraints. See `diag::codes`.

use super::CodePage;

pub(super) static PAGES: &[CodePage] = &[
    CodePage {
        code: "N070",
        title: "a rate that is found nowhere, or not there",
        what: "`rate(x)` stands for what a row `solve rate(x): ..` finds. It has a meaning in rows that are solved, if one of \
               them solves for it.",
        why: "Elsewhere the rate of a real has a name only if it is given one: a real that is integrated. So each value has \
              one row that gives it.",
        bad: r#"(
    format: 1,
    constants: {"c": 0.1},
    reals: {"x": 2, "drag": 0},
    relations: [
        "solve rate(x): rate(x) + c * rate(x)^3 + x = 0",
        "drag = 2 * rate(x)",
    ],
)"#,
        repaired: r#"(
    format: 1,
    constants: {"c": 0.1},
    reals: {"x": 2, "v": 0, "drag": 0},
    relations: [
        "solve v: v + c * v^3 + x = 0",
        "x = integral(v)",
        "drag = 2 * v",
    ],
)"#,
        base: None,
    },
    CodePage {
        code: "N071",
        title: "two rows solve for one real",
        what: "Both rows hold always and say what one real must be so that their equations hold.",
        why: "One number fulfils two equations by accident only. A second equation finds a second real.",
        bad: r#"(
    format: 1,
    constants: {"R1": 1, "R2": 2, "U": 5},
    reals: {"i": 0},
    relations: ["solve i: R1 * i = U", "solve i: R2 * i = U"],
)"#,
        repaired: r#"(
    format: 1,
    constants: {"R1": 1, "R2": 2, "U": 5},
    reals: {"i1": 0, "i2": 0},
    relations: ["solve i1: R1 * i1 = U", "solve i2: R2 * i2 = U"],
)"#,
        base: None,
    },
    CodePage {
        code: "N072",
        title: "a real cannot be found from its equation",
        what: "The equation does not depend on the real that it should give, neither directly nor through the rows whose values \
               it reads, and no row moves what stands in it, so that no derivative depends on it either; or it does, and is the only one \
               from which another real can be found.",
        why: "Whatever the real were, the equation would hold or not hold all the same.",
        bad: r#"(
    format: 1,
    constants: {"R": 100, "U": 5},
    reals: {"u": 0, "i": 0},
    relations: ["solve i: R * u = U"],
)"#,
        repaired: r#"(
    format: 1,
    constants: {"R": 100, "U": 5},
    reals: {"u": 0, "i": 0},
    relations: ["u = R * i", "solve i: u = U"],
)"#,
        base: None,
    },
    CodePage {
        code: "P030",
        title: "unknowns, equations and bounds do not fit together",
        what: "A row `solve x, y: ..` finds as many reals as it has equations, which are separated by commas. Bounds, `from 0 to \
               10`, are given for one real.",
        why: "With fewer equations the values are not determined, with more of them they contradict each other.",
        bad: r#"(
    format: 1,
    constants: {"R": 100, "U": 5},
    reals: {"u": 0, "i": 0},
    relations: ["solve i, u: u = R * i"],
)"#,
        repaired: r#"(
    format: 1,
    constants: {"R": 100, "U": 5},
    reals: {"u": 0, "i": 0},
    relations: ["solve i, u: u = R * i, u + 2 * R * i = U"],
)"#,
        base: None,
    },
    CodePage {
        code: "R012",
        title: "a row that is solved has no solution there",
        what: "From the last values on, no values of the targets were found for which the equations of the row hold. Between \
               bounds: the equation has one sign from one bound to the other.",
        why: "Where two solutions meet and vanish, the motion does not go on as the row says: a real device jumps to another \
              law. A range on the solved value, which arises before, may switch to another row.",
        bad: r#"(
    format: 1,
    clock: (stepping: events, stop: 3),
    reals: {"x": 1, "y": 1},
    relations: ["x = integral(-1)", "solve y: y^2 = x"],
)"#,
        repaired: r#"(
    format: 1,
    clock: (stepping: events, stop: 3),
    reals: {"x": 1, "y": 1},
    ranges: ["near: x < 0.01"],
    relations: ["x = integral(-1)", "solve y: y^2 = x when !near", "y = 0 when near"],
)"#,
        base: None,
    },
    CodePage {
        code: "C064",
        title: "a constraint is differentiated",
        what: "What a row solves for does not stand in its equation. The equation is differentiated along the motion, as often as \
               the note says, until it does; what is solved is printed.",
        why: "It is right so, and good to know: a position is held by a force that shows in the second derivative only. The \
              equation as it was written, and the derivatives between, are kept from drifting.",
        bad: r#"(
    format: 1,
    constants: {"m": 2.0},
    reals: {"v": 1.0, "F": 0.0},
    relations: [
        "solve F: v = 1 + time",
        "v = integral(F / m)",
    ],
)"#,
        repaired: r#"(
    format: 1,
    constants: {"m": 2.0},
    reals: {"v": 1.0, "F": 0.0},
    relations: [
        "solve F: F / m = 1",
        "v = integral(F / m)",
    ],
)"#,
        base: None,
    },
    CodePage {
        code: "N073",
        title: "a constraint that cannot be differentiated up to its real",
        what: "The real does not stand in the equation, which is therefore differentiated along the motion until it does, at most \
               four times. A row on the way has no derivative, or acts for a part of the time only, or the real is not reached.",
        why: "`solve lam: x^2 + y^2 = L^2` says where a mass is, and lam is found from how it is accelerated: the derivatives lead \
              from the one to the other. Rows on the way must act whenever the constraint does.",
        bad: r#"(
    format: 1,
    constants: {"L": 1, "g": 9.81},
    reals: {"lam": 0, "x": 1, "y": 0, "vx": 0, "vy": 0, "F": 0},
    ranges: ["low: y < 0.5"],
    relations: [
        "solve lam: x^2 + y^2 = L^2",
        "F = lam / L when low",
        "vx = integral(-F * x)",
        "vy = integral(-F * y - g)",
        "x = integral(vx)",
        "y = integral(vy)",
    ],
)"#,
        repaired: r#"(
    format: 1,
    constants: {"L": 1, "g": 9.81},
    reals: {"lam": 0, "x": 1, "y": 0, "vx": 0, "vy": 0, "F": 0},
    relations: [
        "solve lam: x^2 + y^2 = L^2",
        "F = lam / L",
        "vx = integral(-F * x)",
        "vy = integral(-F * y - g)",
        "x = integral(vx)",
        "y = integral(vy)",
    ],
)"#,
        base: None,
    },
    CodePage {
        code: "N074",
        title: "a start that cannot be the equilibrium",
        what: "`steady` stands at a constant, at a real that no row integrates or that has a past of its own, with more than one \
               guess; or another start value needs one that is found.",
        why: "An equilibrium is where the rates of what is integrated are zero, all other start values being known. What follows \
              from it by rows starts with the values that follow.",
        bad: r#"(
    format: 1,
    reals: {"T": "steady", "hot": "T + 5", "loss": 0},
    relations: ["loss = 0.1 * (T - 20)", "T = integral(1 - loss)", "hot = integral(T - hot)"],
)"#,
        repaired: r#"(
    format: 1,
    reals: {"T": "steady", "hot": "steady", "loss": 0},
    relations: ["loss = 0.1 * (T - 20)", "T = integral(1 - loss)", "hot = integral(T - hot)"],
)"#,
        base: None,
    },
    CodePage {
        code: "R014",
        title: "a state off a constraint",
        what: "A constraint, and its derivatives below the one that is solved, do not hold at the start, where its row becomes \
               active, or after an event. The notes say by how much, and which values near the present ones would satisfy them.",
        why: "What is solved keeps a motion on the constraint that begins on it. A mass that is not at the end of its rod has no \
              motion that the row describes. Less than the tolerance is corrected.",
        bad: r#"(
    format: 1,
    clock: (stepping: events, stop: 3),
    constants: {"L": 1, "g": 9.81},
    reals: {"lam": 0, "x": 0.6, "y": -0.7, "vx": 0, "vy": 0},
    relations: [
        "solve lam: x^2 + y^2 = L^2",
        "vx = integral(-lam * x)",
        "vy = integral(-lam * y - g)",
        "x = integral(vx)",
        "y = integral(vy)",
    ],
)"#,
        repaired: r#"(
    format: 1,
    clock: (stepping: events, stop: 3),
    constants: {"L": 1, "g": 9.81},
    reals: {"lam": 0, "x": 0.6, "y": "-sqrt(L^2 - x^2)", "vx": 0, "vy": 0},
    relations: [
        "solve lam: x^2 + y^2 = L^2",
        "vx = integral(-lam * x)",
        "vy = integral(-lam * y - g)",
        "x = integral(vx)",
        "y = integral(vy)",
    ],
)"#,
        base: None,
    },
    CodePage {
        code: "R015",
        title: "no equilibrium to start in",
        what: "Reals start where their rates are zero (`steady`), and no such place was found near the guess: Newton's method came \
               to nothing, and neither did following the motion with the time standing still. Or the ranges that hold at a \
               place of rest are others than those for which it was found, again and again.",
        why: "Something moves for ever: a tank without an outflow, a thermostat that switches on and off. Or there is an \
              equilibrium, and the guess is far from it.",
        bad: r#"(
    format: 1,
    clock: (stepping: events, stop: 10),
    reals: {"level": "steady"},
    relations: ["level = integral(2)"],
)"#,
        repaired: r#"(
    format: 1,
    clock: (stepping: events, stop: 10),
    reals: {"level": "steady"},
    relations: ["level = integral(2 - 0.5 * level)"],
)"#,
        base: None,
    },
];
