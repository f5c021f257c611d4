//! Texts bound to a model, and places of rows.

use insta::assert_snapshot;
use situ_engine::model::{Boolean, Literal, Setting, WatchLiteral};

use super::{formula, model, relations, table};
use crate::diag::{Style, render};
use crate::load::{Loaded, load, standalone};
use crate::resolve::{condition, expression, setting};

#[test]
fn texts_are_bound_to_a_model() {
    let mut loaded = load("table.ron", &table(&["x = integral(y)"]), &mut standalone);
    let Loaded {
        model,
        origins,
        sources,
        ..
    } = &mut loaded;
    let model = model.as_mut().unwrap();
    let n_ranges = model.ranges.len();

    let watch = condition(
        model,
        origins,
        sources,
        "<--until>",
        "x < m & !low & hit & every(2)",
    );
    let watch = watch.unwrap();
    assert!(matches!(
        watch[..],
        [
            WatchLiteral::Comparison(_),
            WatchLiteral::Boolean(Literal {
                what: Boolean::Range(_),
                negated: true
            }),
            WatchLiteral::Boolean(Literal {
                what: Boolean::Situation(_),
                negated: false
            }),
            WatchLiteral::Boolean(Literal {
                what: Boolean::Schedule(_),
                negated: false
            }),
        ]
    ));
    assert_eq!(
        model.ranges.len(),
        n_ranges,
        "a condition that is watched adds no range"
    );

    let value = expression(model, origins, sources, "<--measure>", "x^2 + time").unwrap();
    assert_eq!(formula(model, value), "(power(x, 2) + time)");

    let changed = setting(model, origins, sources, "<--set>", "m=2*K").unwrap();
    let Setting::Constant(id, value) = changed else {
        panic!("{changed:?}")
    };
    assert_eq!(
        (id.index(), formula(model, value)),
        (0, "(2 * K)".to_owned())
    );
    for (text, expected) in [("on = false", false), ("on=0", false), ("on=1", true)] {
        let changed = setting(model, origins, sources, "<--set>", text).unwrap();
        assert!(matches!(changed, Setting::Switch(_, value) if value == expected));
    }
    let changed = setting(model, origins, sources, "<--set>", "x = -1").unwrap();
    assert!(matches!(changed, Setting::Real(_, _)));

    let mut mistakes = Vec::new();
    for text in ["lo & x", "x + 1", "!"] {
        mistakes.extend(condition(model, origins, sources, "<--until>", text).unwrap_err());
    }
    for text in ["low + u", "integral(x)"] {
        mistakes.extend(expression(model, origins, sources, "<--measure>", text).unwrap_err());
    }
    for text in ["on=2", "M=2", "low=true", "x=time"] {
        mistakes.extend(setting(model, origins, sources, "<--set>", text).unwrap_err());
    }
    assert_snapshot!(render(&mistakes, sources, Style::Plain), @r#"
        error[N001]: unknown name `lo`
         --> <--until>:1:1
          |
        1 | lo & x
          | ^^ used as a condition here
          |
        help: did you mean `low`?
          |
        1 | low & x
          |   +

        error[N009]: `x` is a real, but a condition is needed
         --> <--until>:1:6
          |
        1 | lo & x
          |      ^ a condition is needed here
          |
          = help: compare it with something, as in `x > 0`

        error[P023]: this is a number, neither true nor false
         --> <--until>:1:1
          |
        1 | x + 1
          | ^^^^^
          |
          = help: compare it with another value, or name a range, situation or switch

        error[P011]: expected a value after `!`, found the end
         --> <--until>:1:2
          |
        1 | !
          |  ^

        error[N008]: `low` is a range, but a number is needed
         --> <--measure>:1:1
          |
        1 | low + u
          | ^^^ a number is needed here
          |
          = help: a condition selects rows: write `when low` behind one

        error[N001]: unknown name `u`
         --> <--measure>:1:7
          |
        1 | low + u
          |       ^ used as a number here

        error[N015]: `integral` has a memory and cannot stand inside an expression
         --> <--measure>:1:1
          |
        1 | integral(x)
          | ^^^^^^^^ must stand outermost in its row
          |
          = help: write a coefficient inside, `integral(2 * a)`, or give the integral a row and a name of its own

        error[N026]: `on` is a switch and starts as `true` or `false`
         --> <--set>:1:4
          |
        1 | on=2
          |    ^
          |
          = help: 0 and 1 stand for them too

        error[N001]: unknown name `M`
         --> <--set>:1:1
          |
        1 | M=2
          | ^ there is nothing of this name to set
          |
        help: did you mean `m`?
          |
        1 - M=2
        1 + m=2
          |

        error[N026]: `low` is a range, which is computed and cannot be set
         --> <--set>:1:1
          |
        1 | low=true
          | ^^^
          |
          = help: constants, reals and switches can be set

        error[N022]: `time` is not known before the run
         --> <--set>:1:3
          |
        1 | x=time
          |   ^^^^ changes during the run
          |
          = help: a start value may use numbers, constants and other start values
        "#);
}

#[test]
fn comparisons_in_conditions_become_ranges_of_their_own() {
    let model = model(&table(&[
        "y = 1 when x<2 & on",
        "y = 2 when x  <  2 & z > 1 + x",
        "v = counter(x < 2)",
        "v := 3 when hit & every(0.5)",
        "v := 4 when every(0.5, 2)",
        "v := 5 when every( 0.5 ) & !start",
    ]));
    let ranges: Vec<_> = model
        .ranges
        .iter()
        .map(|range| (&*range.name, range.anonymous))
        .collect();
    assert_eq!(
        ranges,
        [
            ("low", false),
            ("x > 2", true),
            ("x < 2", true),
            ("z > 1 + x", true)
        ]
    );
    assert_eq!(model.schedules.len(), 2);
    assert_eq!(
        relations(&model)[3..],
        [
            "v := assignment(1; 3) when hit & every(0.5, 0.5)",
            "v := assignment(1; 4) when every(0.5, 2)",
            "v := assignment(1; 5) when every(0.5, 0.5) & !start",
        ]
    );
}

#[test]
fn origins_lead_back_to_the_rows() {
    let loaded = load("table.ron", &table(&["y = x when x<2"]), &mut standalone);
    let model = loaded.model.unwrap();
    let text = |origin| loaded.sources.text(loaded.origins.get(origin).unwrap());
    assert_eq!(text(model.relations[0].origin), "y = x when x<2");
    assert_eq!(text(model.ranges[0].origin), "low: x < 1");
    assert_eq!(text(model.ranges[2].origin), "x<2");
    assert_eq!(text(model.situation_rows[0].origin), "event hit: x > 2");
    assert_eq!(loaded.origins.get(situ_engine::ids::Origin::NONE), None);
}
