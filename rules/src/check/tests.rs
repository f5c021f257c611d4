use situ_engine::model::{CompareOp, Model, ModelBuilder, Term};

use super::{Budget, check};
use crate::diag::Severity;
use crate::source::Origins;

/// The findings as text, one line each: severity, code, message; notes below.
fn findings(model: &Model) -> Vec<String> {
    check(model, &Origins::default(), Budget::UNLIMITED)
        .into_iter()
        .map(|finding| {
            let mark = match finding.severity {
                Severity::Note => "note",
                Severity::Warning => "warning",
                Severity::Error => "error",
            };
            let mut line = format!("{mark} {}: {}", finding.code, finding.message);
            for note in finding.notes {
                line.push_str(" | ");
                line.push_str(&note);
            }
            line
        })
        .collect()
}

fn below(left: impl Into<Term>, right: impl Into<Term>) -> [(Term, CompareOp, Term); 1] {
    [(left.into(), CompareOp::Less, right.into())]
}

fn above(left: impl Into<Term>, right: impl Into<Term>) -> [(Term, CompareOp, Term); 1] {
    [(left.into(), CompareOp::Greater, right.into())]
}

#[derive(Clone, Copy, PartialEq)]
enum Hoop {
    /// Fig. 1 as printed: nothing resets the force out of contact.
    AsPrinted,
    /// With row 3a.
    WithReset,
}

fn hoop(kind: Hoop) -> Model {
    let mut table = ModelBuilder::new("hoop");
    let [m, r, g] = [("m", 1.0), ("R", 30.0), ("g", 981.0)].map(|(n, v)| table.constant(n, v));
    let k_braking = table.constant("K_braking", 8000.0);
    let k_acceleration = table.constant("K_acceleration", 4900.0);
    let names = ["P", "Fel", "Fres", "Ay", "Vy"];
    let [p, fel, fres, ay, vy] = names.map(|name| table.real(name, 0.0));
    let h = table.real("h", 400.0);
    let def = table.real("def", Term::from(r) - h);
    let contact = table.range("contact", below(h, r));
    let v_neg = table.range("V_neg", below(vy, 0.0));
    let v_pos = table.range("V_pos", above(vy, 0.0));
    let braking = table.situation("braking", [contact.into(), v_neg.into()]);
    let accelerating = table.situation("accelerating", [contact.into(), v_pos.into()]);
    let free_fall = table.situation("free_fall", [!contact]);
    table
        .relation(p, "product", [Term::from(m), g.into()])
        .coef(-1.0);
    table
        .relation(fel, "proportional", [def])
        .coef_of(k_braking)
        .when([braking.into()]);
    table
        .relation(fel, "proportional", [def])
        .coef_of(k_acceleration)
        .when([accelerating.into()]);
    if kind == Hoop::WithReset {
        table
            .relation(fel, "proportional", [def])
            .coef(0.0)
            .when([free_fall.into()])
            .id("3a");
    }
    table.relation(fres, "sum", [fel, p]);
    table.relation(ay, "quotient", [Term::from(fres), m.into()]);
    table.relation(vy, "integral", [ay]);
    table.relation(h, "integral", [vy]);
    table
        .relation(def, "sum", [Term::from(r), h.into()])
        .coef2(-1.0);
    table.build().unwrap()
}

#[test]
fn the_hoop_leaves_the_force_stale_where_the_speed_is_zero() {
    assert_eq!(
        findings(&hoop(Hoop::WithReset)),
        [
            "warning C010: no row writes `Fel` at h = 29, Vy = 0: it keeps its last value | row `5` \
             reads it there | this happens on the border only"
        ]
    );
}

#[test]
fn the_hoop_as_printed_leaves_the_force_stale_in_flight() {
    assert_eq!(
        findings(&hoop(Hoop::AsPrinted)),
        [
            "note C043: no rule reads situation `free_fall`",
            "warning C010: no row writes `Fel` at h = 400: it keeps its last value | row `4` reads \
             it there",
        ]
    );
}
