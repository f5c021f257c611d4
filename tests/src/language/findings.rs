//! Findings of the check in the scenarios: the traps of the paper's tables, and nothing else.

use std::fmt::Write;

use situ_rules::check::{Budget, check_with};

use crate::tables::{files, read, root, scenario_folders};

#[test]
fn of_the_scenarios() {
    let mut text = String::new();
    for folder in scenario_folders() {
        for path in files(&folder, "ron") {
            let loaded = read(&path);
            let model = loaded.model.as_ref().expect("scenarios have no mistakes");
            let name = path.strip_prefix(root().join("scenarios")).unwrap();
            writeln!(text, "{}", name.display()).unwrap();
            let found = check_with(model, &loaded.origins, loaded.watchers(), Budget::default());
            for finding in found {
                let severity = format!("{:?}", finding.severity).to_lowercase();
                writeln!(text, "  {severity} {}: {}", finding.code, finding.message).unwrap();
                for note in finding.notes {
                    writeln!(text, "    {note}").unwrap();
                }
            }
        }
    }
    insta::assert_snapshot!(text, @r#"
    amplifier/table.ron
      note C064: row `4` keeps 3 constraints
        `-((U1 - a * sin(2 * 3.141592653589793 * f * time)) / R0) = (2 * U2 - Ub) / R + (1 - alpha) * (beta * (exp((U2 - U3) / UF) - 1))` is differentiated once
        solved is -((rate(U1) - a * (cos(2 * 3.141592653589793 * f * time) * (2 * 3.141592653589793 * f))) / R0) - (2 * rate(U2) / R + (1 - alpha) * (beta * (exp((U2 - U3) / UF) * ((rate(U2) - rate(U3)) / UF)))) = 0
        `-((U4 - Ub) / R + alpha * (beta * (exp((U2 - U3) / UF) - 1))) = (2 * U5 - Ub) / R + (1 - alpha) * (beta * (exp((U5 - U6) / UF) - 1))` is differentiated once
        solved is -(rate(U4) / R + alpha * (beta * (exp((U2 - U3) / UF) * ((rate(U2) - rate(U3)) / UF)))) - (2 * rate(U5) / R + (1 - alpha) * (beta * (exp((U5 - U6) / UF) * ((rate(U5) - rate(U6)) / UF)))) = 0
        `-((U7 - Ub) / R + alpha * (beta * (exp((U5 - U6) / UF) - 1))) = U8 / R` is differentiated once
        solved is -(rate(U7) / R + alpha * (beta * (exp((U5 - U6) / UF) * ((rate(U5) - rate(U6)) / UF)))) - rate(U8) / R = 0
    blood_cells/table.ron
    breaking_pendulum/machine.ron
    breaking_pendulum/table.ron
      note C043: no rule reads range `rising`
      note C043: no rule reads event `landing`
      note C042: `broken` is set but never cleared
    cart/table.ron
      note C051: row `6` reads `omT` above row `22`, which computes it
        what it is computed from has changed in between
    cart_stops/stop_as_level.ron
      note C002: rows `17`, `23` and `24` write `aC` in one tick, their order matters
        for example at XC = 2, Fcart = -1
      note C002: rows `18`, `25` and `26` write `VC` in one tick, their order matters
        for example at XC = 2, Fcart = -1
      note C051: row `6` reads `omT` above row `22`, which computes it
        what it is computed from has changed in between
    cart_stops/table.ron
      note C002: rows `17`, `23` and `24` write `aC` in one tick, their order matters
        for example at XC = 2, Fcart = -1, event Stop
      note C002: rows `18` and `26` write `VC` in one tick, their order matters
        for example at XC = 2, Fcart = 1
      note C051: row `6` reads `omT` above row `22`, which computes it
        what it is computed from has changed in between
      note C054: range `F_pos` sees a jump of `VC` one microstep late
    competing_species/table.ron
    coupled_pendulums/driven.ron
      note C002: rows `2` and `2a` write `A` in one tick, their order matters
    coupled_pendulums/table.ron
      note C002: rows `left.2` and `left.2a` write `left.A` in one tick, their order matters
        1 more element has the same
    elastic_thread/as_printed.ron
      warning C050: algebraic loop: V -> VV -> VVL -> Fc -> Ften -> dL -> Lcur -> V
        a tick run goes around the loop once per tick: row `6` reads `Lcur` before row `15` writes it
    elastic_thread/c_F_deg75.ron
    elastic_thread/table.ron
    enzyme/table.ron
      note S009: the stages conserve several sums
        E + ES
        S + ES + P
    ethane/table.ron
    firing/table.ron
    heat/table.ron
    hoop/as_printed.ron
      note C043: no rule reads situation `free_fall`
      warning C010: no row writes `Fel` at h = 400: it keeps its last value
        row `4` reads it there
    hoop/table.ron
    hoop_drag/table.ron
      note C002: rows `1` and `10` write `P` in one tick, their order matters
    hoop_drag/zero_in_contact.ron
      note C002: rows `1` and `10` write `P` in one tick, their order matters
    hoop_rotation/table.ron
    implicit_ball/table.ron
    loader/table.ron
    medakzo/table.ron
    obstacle_pendulum/table.ron
    one_sided_ball/table.ron
    pendulum/table.ron
    pendulum_rod/table.ron
      note C064: row `1` is a constraint: it is differentiated twice
        solved is 2 * vx * vx - 2 * x * (lam * x / m) + (2 * vy * vy + 2 * y * (-lam * y / m - g)) = 0
    plant/line.ron
    plant/table.ron
    plant/vessel.ron
    reactor/printed_constants_no_heating.ron
      warning C040: constant `Rg` is never used
      warning C040: constant `factor1` is never used
      warning C040: constant `factor2` is never used
      warning C040: constant `energy1` is never used
      warning C040: constant `energy2` is never used
    reactor/table.ron
    rectifier/table.ron
    rlc/table.ron
      note C051: row `6` reads `Es` above row `7`, which computes it
        what it is computed from has changed in between
    robertson/table.ron
    saddle/table.ron
      note C043: no rule reads situation `first`
      note C043: no rule reads situation `second`
      note C043: no rule reads situation `third`
      note C043: no rule reads situation `fourth`
    sliding_pair/table.ron
    slope_billiard/right_wall.ron
    slope_billiard/table.ron
    slope_billiard/two_walls.ron
    slope_billiard/two_walls_and_ceiling.ron
    stand/table.ron
    stand/variable_step.ron
    sticky_balls/ptolemy.ron
    sticky_balls/table.ron
    tanks/table.ron
    tanks/tank.ron
      note C043: no rule reads range `full`
      note C043: no rule reads range `short`
    thermostat/table.ron
    thermostat_row/table.ron
      note C002: assignments `1[1]` and `3[1]` write `on[1]` in one tick, their order matters
        for example at T[1] = 0.9, start
        3 more elements have the same
    van_der_pol/table.ron
    walker/table.ron
    zeno_ball/table.ron
    маятник/table.ron
      note C043: no rule reads event `Проход`
    "#);
}
