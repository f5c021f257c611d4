//! Pages of family R: a run that failed or took a remarkable turn.

use super::CodePage;

pub(super) const PAGES: &[CodePage] = &[
    CodePage {
        code: "R001",
        title: "a value is infinite or NaN",
        what: "A row gave a value that is infinite or NaN: it divided by zero, took the root or \
           logarithm of a negative number, or grew beyond the largest number. The report says in \
           which tick, and what the row read.",
        why: "Everything computed from such a value is lost, so that the run ends before the tick that \
          failed; the rows up to there are kept. If the values grow without bound shortly before, a \
          shorter `step` may be the cure.",
        bad: r#"(format: 1,
    clock: (step: 0.125, stop: 2),
    reals: {"level": 1, "outflow": 0},
    relations: [
        "[1] outflow = sqrt(level)",
        "[2] level = integral(-outflow)",
    ],
)"#,
        repaired: r#"(format: 1,
    clock: (step: 0.125, stop: 2),
    reals: {"level": 1, "outflow": 0},
    ranges: ["full: level > 0"],
    relations: [
        "[1] outflow = sqrt(level) when full",
        "[1a] outflow = 0 otherwise",
        "[2] level = integral(-outflow)",
    ],
)"#,
        base: None,
    },
    CodePage {
        code: "R002",
        title: "a run cannot start",
        what: "A setting of the clock is missing or makes no sense, a start value is infinite or NaN, a period \
           of `every` is not above zero, or a delay is negative or too long to be kept, once the constants are put in.",
        why: "The values come from constants, which cases and `--set` can change, so that this shows only \
          when a run begins.",
        bad: r#"(format: 1,
    clock: (step: 0.1, stop: 2),
    constants: {"rate": 0},
    reals: {"n": 0},
    relations: ["n := n + 1 when every(1 / rate)"],
)"#,
        repaired: r#"(format: 1,
    clock: (step: 0.1, stop: 2),
    constants: {"rate": 2},
    reals: {"n": 0},
    relations: ["n := n + 1 when every(1 / rate)"],
)"#,
        base: None,
    },
    CodePage {
        code: "R003",
        title: "a delay is no whole number of ticks",
        what: "A tick run keeps the past tick by tick, so that a delay lasts a whole number of them. \
           The report says to what it is rounded.",
        why: "The trajectory is that of the rounded delay.",
        bad: r#"(
    format: 1,
    clock: (step: 0.1, stop: 1),
    reals: {"x": 0, "y": 0},
    relations: ["x = 2 * time", "y = delay(x, 0.25)"],
)"#,
        repaired: r#"(
    format: 1,
    clock: (step: 0.05, stop: 1),
    reals: {"x": 0, "y": 0},
    relations: ["x = 2 * time", "y = delay(x, 0.25)"],
)"#,
        base: None,
    },
    CodePage {
        code: "R004",
        title: "a derivative is taken of what depends on it",
        what: "A row with `derivative` feeds, through other rows, what it takes the derivative of. Between two events \
           the rate of change would have to be known before the value that changes.",
        why: "Such a circle has a meaning in ticks, where a derivative looks back by one of them. In continuous time it is an \
          equation for what moves, not a rule that computes it (a system of higher index).",
        bad: r#"(
    format: 1,
    clock: (stepping: events, stop: 2),
    reals: {"x": 1, "v": 0},
    relations: ["v = derivative(x)", "x = integral(1 - v)"],
)"#,
        repaired: r#"(
    format: 1,
    clock: (stepping: events, stop: 2),
    reals: {"x": 1, "y": 1, "v": 0},
    relations: ["y = smoothing(x, 0.1)", "v = derivative(y)", "x = integral(1 - v)"],
)"#,
        base: None,
    },
    CodePage {
        code: "R005",
        title: "a level row computes an integrated real from itself",
        what: "In event stepping a row with `=` that writes an integrated real fixes it for as long as its situation holds. This one \
           computes the value from the real itself.",
        why: "A tick does that once a tick. Between two events there is no such count: the row would act without end.",
        bad: r#"(
    format: 1,
    clock: (stepping: events, stop: 2),
    reals: {"x": 2},
    ranges: ["large: x > 1"],
    relations: ["x = integral(1)", "x = 0.5 * x when large"],
)"#,
        repaired: r#"(
    format: 1,
    clock: (stepping: events, stop: 2),
    reals: {"x": 2},
    situations: ["event large: x > 1"],
    relations: ["x = integral(1)", "x := 0.5 * x when large"],
)"#,
        base: None,
    },
    CodePage {
        code: "R006",
        title: "an algebraic loop has no solution",
        what: "Reals that are computed from each other, without an integral between them, must be solved together. Here no values \
           fulfil all rows, or more than one set of values does, or none was found.",
        why: "Event stepping solves such loops exactly (a tick goes round once each tick instead). Without a single solution \
          the motion is not determined.",
        bad: r#"(
    format: 1,
    clock: (stepping: events, stop: 2),
    reals: {"a": 0, "b": 0, "x": 0},
    relations: ["a = b + 1", "b = a + 1", "x = integral(a)"],
)"#,
        repaired: r#"(
    format: 1,
    clock: (stepping: events, stop: 2),
    reals: {"a": 0, "b": 0, "x": 0},
    relations: ["a = b + 1", "b = 0.5 * a", "x = integral(a)"],
)"#,
        base: None,
    },
    CodePage {
        code: "R007",
        title: "assignments undo each other without end",
        what: "Assignments of switches are repeated until a scan writes nothing new. Here each scan undoes what the one before did.",
        why: "A tick scans them once, so that the switches change from tick to tick. In event stepping no time passes between \
          two scans.",
        bad: r#"(
    format: 1,
    clock: (stepping: events, stop: 2),
    switches: {"on": false},
    reals: {"x": 0},
    assignments: ["when on: !on", "when !on: on"],
    relations: ["x = integral(1) when on"],
)"#,
        repaired: r#"(
    format: 1,
    clock: (stepping: events, stop: 2),
    switches: {"on": false},
    reals: {"x": 0},
    situations: ["event morning: every(1, 0.25)", "event evening: every(1, 0.75)"],
    assignments: ["when morning: on", "when evening: !on"],
    relations: ["x = integral(1) when on"],
)"#,
        base: None,
    },
    CodePage {
        code: "R008",
        title: "events follow each other without end",
        what: "Events happen at one time, or at times that come closer and closer, and there is no end to it.",
        why: "Either each event causes the next at once, or the time between them shrinks to nothing and no motion is \
          known beyond.",
        bad: r#"(
    format: 1,
    clock: (stepping: events, stop: 2),
    reals: {"n": 0},
    situations: ["event low: n < 0.5", "event high: n >= 0.5"],
    relations: ["n := 1 when every(1)", "n := 0 when high", "n := 1 when low"],
)"#,
        repaired: r#"(
    format: 1,
    clock: (stepping: events, stop: 2),
    reals: {"n": 0},
    situations: ["event high: n >= 0.5"],
    relations: ["n := 1 when every(1)", "n := 0 when high"],
)"#,
        base: None,
    },
    CodePage {
        code: "R009",
        title: "a border is crossed back and forth without end",
        what: "On both sides of a border the motion leads back to it. The state would slide along the border, but a range on it \
           takes part in an event or an assignment, which would happen without end.",
        why: "A slide has a meaning for relations, as a mixture of both sides. An event that happens infinitely often has none.",
        bad: r#"(
    format: 1,
    clock: (stepping: events, stop: 2),
    reals: {"x": 1, "n": 0},
    ranges: ["high: x > 0"],
    situations: ["event up: high"],
    relations: [
        "x = integral(-1) when high",
        "x = integral(1) when !high",
        "n := n + 1 when up",
    ],
)"#,
        repaired: r#"(
    format: 1,
    clock: (stepping: events, stop: 2),
    reals: {"x": 1, "n": 0},
    switches: {"falling": true},
    ranges: ["high: x > 0.1", "low: x < 0"],
    assignments: ["when low: !falling", "when high: falling"],
    relations: [
        "x = integral(-1) when falling",
        "x = integral(1) when !falling",
        "n = counter(falling)",
    ],
)"#,
        base: None,
    },
    CodePage {
        code: "R010",
        title: "the integration method finds no next step",
        what: "Each trial of a step failed, down to the shortest one. The report says when, for which reason, and which real is to \
           blame.",
        why: "Most often a value runs away to infinity or leaves what its row is defined on; sometimes the tolerance asks for \
          more digits than numbers have.",
        bad: r#"(
    format: 1,
    clock: (stepping: events, stop: 2),
    reals: {"x": 1},
    relations: ["x = integral(x * x)"],
)"#,
        repaired: r#"(
    format: 1,
    clock: (stepping: events, stop: 2),
    reals: {"x": 1},
    ranges: ["large: x > 1e6"],
    relations: ["x = integral(x * x) when !large"],
)"#,
        base: None,
    },
    CodePage {
        code: "R011",
        title: "infinitely many events gather at a time",
        what: "Events come faster and faster, so that infinitely many of them happen before a certain time, and nothing says \
           how things go on from there.",
        why: "Where each event is a jump away from a border, the state rests on that border afterwards. Here \
          no jump pushes against a border.",
        bad: r#"(
    format: 1,
    clock: (stepping: events, stop: 4),
    reals: {"a": 1, "b": 1},
    switches: {"left": true},
    assignments: ["when a <= 0: left", "when b <= 0: !left"],
    relations: [
        "a = integral(-2)",
        "a = integral(3) when left",
        "b = integral(-2)",
        "b = integral(3) when !left",
    ],
)"#,
        repaired: r#"(
    format: 1,
    clock: (stepping: events, stop: 1),
    reals: {"a": 1, "b": 1},
    switches: {"left": true},
    assignments: ["when a <= 0: left", "when b <= 0: !left"],
    relations: [
        "a = integral(-2)",
        "a = integral(3) when left",
        "b = integral(-2)",
        "b = integral(3) when !left",
    ],
)"#,
        base: None,
    },
    CodePage {
        code: "R020",
        title: "a range or switch chatters",
        what: "A range turns by its own effect itself, in a large share of the ticks. The report says how often, from when \
           on, and names the one of a circle of ranges and switches that turns most often. An event-accurate run says \
           from when on it slides along the border.",
        why: "Both sides of the border lead back to it. In ticks the state goes back and forth across it, as far as a tick takes \
          it, and what counts or adds up such turns depends on the step. An event-accurate run slides along the border.",
        bad: r#"(
    format: 1,
    clock: (step: 0.01, stop: 5),
    reals: {"T": 15},
    ranges: ["cold: T < 20"],
    relations: ["T = integral(2) when cold", "T = integral(-1) when !cold"],
)"#,
        repaired: r#"(
    format: 1,
    clock: (step: 0.01, stop: 5),
    reals: {"T": 15},
    switches: {"on": true},
    assignments: ["when T < 19.5: on", "when T > 20.5: !on"],
    relations: ["T = integral(2) when on", "T = integral(-1) when !on"],
)"#,
        base: None,
    },
    CodePage {
        code: "R021",
        title: "instants gather",
        what: "An event fires at shorter and shorter distances, and the tick run goes on beyond the time at which infinitely many \
           of them would have happened. An event-accurate run says that it took them together there.",
        why: "Ticks cannot follow: the event fires once in two ticks at best, or misses its condition and never fires again. What \
          follows depends on the step.",
        bad: r#"(
    format: 1,
    clock: (step: 0.01, stop: 6),
    reals: {"h": 1, "v": 0},
    situations: ["event hit: h <= 0"],
    relations: ["h, v := 0, -0.5 * v when hit", "h = integral(v)", "v = integral(-9.81)"],
)"#,
        repaired: r#"(
    format: 1,
    clock: (stepping: events, stop: 6),
    reals: {"h": 1, "v": 0},
    situations: ["event hit: h <= 0"],
    relations: ["h, v := 0, -0.5 * v when hit", "h = integral(v)", "v = integral(-9.81)"],
)"#,
        base: None,
    },
    CodePage {
        code: "R022",
        title: "a range was true or false for a single tick",
        what: "A range that does not act on itself turned, and turned back in the next tick. The report says when it did \
           so for the first time.",
        why: "A tick looks at ranges once. With a longer step, or a start that lies a little elsewhere, this would have been missed.",
        bad: r#"(
    format: 1,
    clock: (step: 0.01, stop: 2),
    reals: {"x": 0, "n": 0},
    situations: ["event pulse: x > 1.001 & x < 1.015"],
    relations: ["x = integral(1)", "n := n + 1 when pulse"],
)"#,
        repaired: r#"(
    format: 1,
    clock: (step: 0.001, stop: 2),
    reals: {"x": 0, "n": 0},
    situations: ["event pulse: x > 1.001 & x < 1.015"],
    relations: ["x = integral(1)", "n := n + 1 when pulse"],
)"#,
        base: None,
    },
    CodePage {
        code: "R023",
        title: "an event cannot fire again, and its quantity runs on",
        what: "The condition of an event has stayed true since the event fired, and the quantity that the event should turn \
           back goes on beyond the border.",
        why: "An event fires when its condition arises. What it did in that tick was not enough to bring the quantity back \
          across the border, so that it never arises again.",
        bad: r#"(
    format: 1,
    clock: (step: 0.1, stop: 4),
    reals: {"h": 1, "v": 0},
    situations: ["event hit: h <= 0"],
    relations: ["v := -0.2 * v when hit", "v = integral(-9.81)", "h = integral(v)"],
)"#,
        repaired: r#"(
    format: 1,
    clock: (step: 0.1, stop: 4),
    reals: {"h": 1, "v": 0},
    ranges: ["floor: h <= 0"],
    relations: ["v = integral(-9.81) when !floor", "v = 0 when floor", "h = integral(v)"],
)"#,
        base: None,
    },
    CodePage {
        code: "R024",
        title: "a schedule is due more than once in a tick",
        what: "The period of `every` is shorter than a tick.",
        why: "A tick fires a schedule at most once, so that whatever counts or adds up its firings comes out too small.",
        bad: r#"(
    format: 1,
    clock: (step: 0.1, stop: 2),
    reals: {"n": 0},
    situations: ["event beat: every(0.03)"],
    relations: ["n := n + 1 when beat"],
)"#,
        repaired: r#"(
    format: 1,
    clock: (step: 0.01, stop: 2),
    reals: {"n": 0},
    situations: ["event beat: every(0.03)"],
    relations: ["n := n + 1 when beat"],
)"#,
        base: None,
    },
    CodePage {
        code: "R025",
        title: "a run reached its limit",
        what: "A run ends with an error after 10^7 event instants, 10^9 ticks or steps, or 10^10 rows. The report says how far \
           it has come and what there was so much of.",
        why: "Such a run would not end within any useful time: most often a period, a delay, a step or a distance \
          of rows is given in another unit than the rest. The settings `max_events`, `max_steps` and `max_rows` allow more.",
        bad: r#"(
    format: 1,
    clock: (stepping: events, stop: 2, max_events: 1000),
    reals: {"n": 0},
    situations: ["event beat: every(1e-3)"],
    relations: ["n := n + 1 when beat"],
)"#,
        repaired: r#"(
    format: 1,
    clock: (stepping: events, stop: 2, max_events: 1e4),
    reals: {"n": 0},
    situations: ["event beat: every(1e-3)"],
    relations: ["n := n + 1 when beat"],
)"#,
        base: None,
    },
    CodePage {
        code: "R026",
        title: "start values were moved onto a constraint",
        what: "Start values do not satisfy a constraint, by less than the tolerance: they were moved to the nearest ones that \
               do. The report says which and by how much, the first row of the output shows them.",
        why: "Numbers with few digits rarely satisfy an equation. What is off by more is an error (R014).",
        bad: r#"(
    format: 1,
    clock: (step: 0.01, stop: 1),
    constants: {"L": 1, "g": 9.81},
    reals: {"lam": 0, "x": 0.7071068, "y": -0.7071068, "vx": 0, "vy": 0},
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
    clock: (step: 0.01, stop: 1),
    constants: {"L": 1, "g": 9.81},
    reals: {"lam": 0, "x": "L * sind(45)", "y": "-L * cosd(45)", "vx": 0, "vy": 0},
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
        code: "R040",
        title: "an argument outside of a lookup",
        what: "A row asks for the value of a lookup before its first point or behind its last one.",
        why: "Nothing was measured there. What holds outside of the points is said with `outside`: `hold` keeps the value \
          of the end, `extend` goes on as on the last piece, `periodic` repeats the points.",
        bad: r#"(
    format: 1,
    clock: (step: 0.1, stop: 3),
    lookups: {"torque": (x: [0, 1, 2], y: [5, 4, 0])},
    reals: {"w": 0},
    relations: ["w = integral(torque(time))"],
)"#,
        repaired: r#"(
    format: 1,
    clock: (step: 0.1, stop: 3),
    lookups: {"torque": (x: [0, 1, 2], y: [5, 4, 0], outside: "hold")},
    reals: {"w": 0},
    relations: ["w = integral(torque(time))"],
)"#,
        base: None,
    },
];
