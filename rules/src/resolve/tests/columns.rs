//! Rows in columns and as lines.

use insta::assert_snapshot;

use super::{model, relations, reports, table};

#[test]
fn lines_become_columns() {
    let cases = [
        // Alone
        ("x", "assignment(1; x)"),
        ("m", "assignment(1; m)"),
        ("3", "assignment(1; 3)"),
        ("-3", "assignment(1; -3)"),
        ("-pi", "assignment(1; -3.141592653589793)"),
        ("time", "assignment(1; time)"),
        ("(x + y)", "assignment(1; (x + y))"),
        ("-x", "proportional(-1; x)"),
        ("-m", "proportional(-1; m)"),
        ("-(x + y)", "proportional(-1; (x + y))"),
        ("-(-x)", "proportional(-1; -x)"),
        // Two factors
        ("2 * x", "proportional(2; x)"),
        ("-2 * x", "proportional(-2; x)"),
        ("m * x", "proportional(m; x)"),
        ("-m * x", "proportional(-m; x)"),
        ("pi * x", "proportional(3.141592653589793; x)"),
        ("2 * (x + y)", "proportional(2; (x + y))"),
        ("2 * m", "proportional(2; m)"),
        ("-2 * m", "proportional(-2; m)"),
        ("2 * -m", "proportional(2; -m)"),
        ("2 * -x", "proportional(2; -x)"),
        ("m * g", "product(1; m, g)"),
        ("-m * g", "product(-1; m, g)"),
        ("m * 2", "product(1; m, 2)"),
        ("2 * 3", "product(1; 2, 3)"),
        ("-2 * 3", "product(-1; 2, 3)"),
        ("x * y", "product(1; x, y)"),
        ("-x * y", "product(-1; x, y)"),
        ("x * 2", "product(1; x, 2)"),
        ("(2) * x", "product(1; 2, x)"),
        ("(m) * x", "product(1; m, x)"),
        // A coefficient of the procedure that is called
        ("2 * sin(x)", "sin(2; x)"),
        ("-m * sin(x)", "sin(-m; x)"),
        ("-sin(x)", "sin(-1; x)"),
        ("2 * x^2", "power(2; x, 2)"),
        ("-x^2", "power(-1; x, 2)"),
        ("2 * (sin(x))", "proportional(2; sin(x))"),
        ("2 * product(x, y)", "proportional(2; product(x, y))"),
        ("2 * min(x, y) ", "min(2; x, y)"),
        ("x * sin(y)", "product(1; x, sin(y))"),
        // More factors
        ("2 * x * y", "product(2; x, y)"),
        ("-m * x * y", "product(-m; x, y)"),
        ("2 * 3 * x", "product(2; 3, x)"),
        ("m * g * x", "product(m; g, x)"),
        ("x * y * z", "product(1; (x * y), z)"),
        ("-x * y * z", "product(-1; (x * y), z)"),
        ("2 * x * y * z", "product(1; ((2 * x) * y), z)"),
        ("-2 * x * y * z", "product(-1; ((2 * x) * y), z)"),
        ("2 * m * sin(x)", "product(2; m, sin(x))"),
        // Quotients
        ("x / y", "quotient(1; x, y)"),
        ("-x / y", "quotient(-1; x, y)"),
        ("2 * x / y", "quotient(2; x, y)"),
        ("-m * x / y", "quotient(-m; x, y)"),
        ("m * g / x", "quotient(m; g, x)"),
        ("2 * 3 / x", "quotient(2; 3, x)"),
        ("1 / x", "quotient(1; 1, x)"),
        ("-1 / x", "quotient(-1; 1, x)"),
        ("m / x", "quotient(1; m, x)"),
        ("x * y / z", "quotient(1; (x * y), z)"),
        ("-x * y / z", "quotient(-1; (x * y), z)"),
        ("2 * x * y / z", "quotient(1; ((2 * x) * y), z)"),
        ("x / y / z", "quotient(1; (x / y), z)"),
        ("-x / y / z", "quotient(-1; (x / y), z)"),
        ("x / y * z", "product(1; (x / y), z)"),
        ("-x / y * z", "product(-1; (x / y), z)"),
        ("2 * (x / y)", "proportional(2; (x / y))"),
        // Sums
        ("x + y", "sum(1; x, y)"),
        ("x - y", "sum(1; x, y; -1)"),
        ("-x - y", "sum(-1; x, y; -1)"),
        ("2 * x - 3 * y", "sum(2; x, y; -3)"),
        ("m * x + g * y", "sum(m; x, y; g)"),
        ("x - m * y", "sum(1; x, y; -m)"),
        ("m * g + x", "sum(m; g, x)"),
        ("2 * 3 + x", "sum(1; (2 * 3), x)"),
        ("2 + x", "sum(1; 2, x)"),
        ("-2 + x", "sum(-1; 2, x)"),
        ("x * y - z", "sum(1; (x * y), z; -1)"),
        ("-x * y - z", "sum(-1; (x * y), z; -1)"),
        ("x - -y", "sum(1; x, y)"),
        ("x + y + z", "sum(1; (x + y), z)"),
        ("-x + y - z", "sum(1; (-x + y), z; -1)"),
        ("x - (y + z)", "sum(1; x, (y + z); -1)"),
        ("2 * (x + y) - z", "sum(2; (x + y), z; -1)"),
        ("2 * sin(x) + 1", "sum(2; sin(x), 1)"),
        // Calls
        ("sum(x, y)", "sum(1; x, y)"),
        ("-sum(x, y)", "sum(-1; x, y; -1)"),
        ("product(2 * x, y)", "product(1; (2 * x), y)"),
        ("sin(2 * x)", "sin(1; (2 * x))"),
        ("clamp(x, 0, 1)", "clamp(1; x, 0, 1)"),
        ("pulse(2, 1)", "pulse(1; 2, 1, 0)"),
        ("assignment(x + y)", "assignment(1; (x + y))"),
        // Memory
        ("integral(x)", "integral(1; x)"),
        ("integral(2 * x)", "integral(2; x)"),
        ("integral(-m * x)", "integral(-m; x)"),
        ("integral(m * g)", "integral(m; g)"),
        ("integral(-x)", "integral(-1; x)"),
        ("integral(-3)", "integral(-1; 3)"),
        ("integral(-x * y)", "integral(-1; (x * y))"),
        ("integral(2 * x * y)", "integral(1; ((2 * x) * y))"),
        ("integral((2 * x))", "integral(1; (2 * x))"),
        ("derivative(-x)", "derivative(-1; x)"),
        ("delay(2 * x, 0.5)", "delay(2; x, 0.5)"),
        ("smoothing(x, 2)", "smoothing(2; x)"),
        ("smoothing(2 * x, m)", "smoothing(m; (2 * x))"),
        ("sample_and_hold(2 * x, on)", "sample_and_hold(2; x, on)"),
        ("counter(!low)", "counter(1; !low)"),
        ("timer(x < 1)", "timer(1; x < 1)"),
        ("hysteresis(-x, 1, 2)", "hysteresis(1; -x, 1, 2)"),
    ];
    for (line, columns) in cases {
        let model = model(&table(&[&format!("v = {line}")]));
        assert_eq!(relations(&model), [format!("v = {columns}")], "{line}");
    }
}

#[test]
fn both_spellings_give_one_relation() {
    let columns = r#"(format: 1,
    constants: {"m": 2, "g": 9.81, "K": 8000},
    reals: {"x": 1, "y": 2, "z": 3, "v": 4},
    switches: {"on": true},
    ranges: [(name: "low", all: [("x", "<", 1)])],
    situations: [(name: "hit", event: true, all: ["x > 2"])],
    relations: [
        (real: "x", procedure: "product", coef: -1, args: ["m", "g"]),
        (real: "y", procedure: "sum", coef: 2, args: ["x", "y"], coef2: "-K", when: ["on", "!low"]),
        (real: "z", procedure: "integral", coef: "K", args: ["x"], otherwise: false),
        (real: "y", procedure: "assignment", args: [0], otherwise: true),
        (real: ["x", "v"], once: true, procedure: "assignment", args: ["v", "x * y"], when: ["hit"]),
        (real: "v", procedure: "counter", args: ["y >= 2"]),
    ],
)"#;
    let lines = table(&[
        "x = -m * g",
        "y = 2 * x - K * y when on & !low",
        "z = integral(K * x)",
        "y = 0 otherwise",
        "x, v := v, x * y when hit",
        "v = counter(y >= 2)",
    ]);
    let [columns, lines] = [model(columns), model(&lines)];
    assert_eq!(relations(&columns), relations(&lines));
    assert_eq!(columns.ranges.len(), lines.ranges.len());
}

#[test]
fn columns_that_do_not_fit() {
    assert_snapshot!(reports(r#"(format: 1,
    constants: {"m": 2},
    reals: {"x": 0, "y": 1},
    situations: [(name: "go", event: true, all: ["x > 1"])],
    relations: [
        (real: "x", procedure: "mul", args: ["x", "y"]),
        (real: "x", procedure: "sum", coef: "x", args: ["x", "y"], coef2: "2 * m"),
        (real: "x", procedure: "product", args: ["x", "y"], coef2: 2),
        (real: "x", procedure: "counter", coef: 2, args: ["go"]),
        (real: "x", procedure: "counter", coef: 1, args: ["go"]),
        (real: "x", procedure: "smoothing", args: ["y"]),
        (real: "y", procedure: "assignment", once: true, args: ["x"]),
        (real: ["x", "y"], procedure: "sum", once: true, args: ["y", "x"], when: ["go"]),
        (real: ["x", "y"], procedure: "assignment", once: true, args: ["y"], when: ["go"]),
    ],
)"#), @r#"
        error[N006]: unknown procedure `mul`
         --> table.ron:6:32
          |
        6 |         (real: "x", procedure: "mul", args: ["x", "y"]),
          |                                ^^^^^ no procedure of this name
          |
        help: did you mean `product`?
          |
        6 -         (real: "x", procedure: "mul", args: ["x", "y"]),
        6 +         (real: "x", procedure: "product", args: ["x", "y"]),
          |

        error[N020]: a coefficient must be a number or a constant; `x` is a real
         --> table.ron:7:46
          |
        3 |     reals: {"x": 0, "y": 1},
          |              - a real, declared here
        ...
        7 |         (real: "x", procedure: "sum", coef: "x", args: ["x", "y"], coef2: "2 * m"),
          |                                              ^
          |
          = help: a product of two quantities is the procedure `product`

        error[N020]: a coefficient must be a number or the name of a constant, with or without a sign
         --> table.ron:7:76
          |
        7 |         (real: "x", procedure: "sum", coef: "x", args: ["x", "y"], coef2: "2 * m"),
          |                                                                            ^^^^^
          |
          = help: give the expression a name in `constants`

        error[N021]: `product` takes no second coefficient; only `sum` does
         --> table.ron:8:68
          |
        8 |         (real: "x", procedure: "product", args: ["x", "y"], coef2: 2),
          |                                                                    ^
          |
          = help: leave out `coef2`

        error[N021]: `counter` takes no coefficient
         --> table.ron:9:49
          |
        9 |         (real: "x", procedure: "counter", coef: 2, args: ["go"]),
          |                                                 ^
          |
          = help: leave it out, or scale the result in a row of its own

        error[N021]: `smoothing` needs its `T`
          --> table.ron:11:32
           |
        11 |         (real: "x", procedure: "smoothing", args: ["y"]),
           |                                ^^^^^^^^^^^
           |
           = help: write `smoothing(a, T)`; in columns, `T` is the coefficient `coef`

        error[N013]: `once` works at an event only
          --> table.ron:12:52
           |
        12 |         (real: "y", procedure: "assignment", once: true, args: ["x"]),
           |                                                    ^^^^
           |
           = help: leave out `once`, or name an event in `when`, such as the situation `event hit: h < 0`

        error[N023]: several reals are written by `assignment`, not by `sum`
          --> table.ron:13:39
           |
        13 |         (real: ["x", "y"], procedure: "sum", once: true, args: ["y", "x"], when: ["go"]),
           |                                       ^^^^^
           |
           = help: write one row for each

        error[N023]: 2 reals on the left, 1 value on the right
          --> table.ron:14:9
           |
        14 |         (real: ["x", "y"], procedure: "assignment", once: true, args: ["y"], when: ["go"]),
           |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
           |
           = help: write one value for each real
        "#);
}
