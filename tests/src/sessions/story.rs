//! The paper's story at the prompt: the hoop with air drag added in mid-run, and the pendulum that
//! becomes an elastic thread and a cart, typed rule by rule. What is typed ends equal to the scenarios.

use std::path::Path;

use situ_console::Console;
use situ_engine::ids::{ExprId, RelationId};
use situ_engine::model::Model;
use situ_rules::print::ModelText;

use crate::tables::root;

/// Says lines and writes down what comes back.
fn transcript(console: &mut Console, lines: &[&str]) -> String {
    let mut text = String::new();
    for line in lines {
        let reply = console.execute(line, &mut ());
        assert!(!reply.failed, "{line}\n{}", reply.text);
        text.push_str(&format!("> {line}\n{}", reply.text));
    }
    text
}

fn console() -> Console {
    let mut console = situ_repl::console(None).unwrap();
    console.directory = root().to_owned();
    console
}

fn model(table: &Path) -> Model {
    let text = std::fs::read_to_string(table).unwrap();
    let mut bases = |path: &str, from: &str| {
        let base = Path::new(from).parent().unwrap().join(path);
        let text = std::fs::read_to_string(&base).map_err(|error| error.to_string())?;
        let name = base.display().to_string();
        Ok(situ_rules::TableText { name, text })
    };
    let loaded = situ_rules::load(table.to_str().unwrap(), &text, &mut bases);
    loaded
        .model
        .unwrap_or_else(|| panic!("{:?}", loaded.diagnostics))
}

/// A model in words: quantities in table order, rules in written order.
fn said(model: &Model) -> Vec<String> {
    let words = ModelText::of(model);
    let start = |expr: ExprId| words.expression(expr);
    let quantities = model.constants.iter().chain(&model.reals);
    let mut said: Vec<String> = quantities
        .map(|one| {
            format!(
                "{} = {} [{}] {} # {}",
                one.name,
                start(one.start),
                one.unit,
                one.output,
                one.about
            )
        })
        .collect();
    said.extend(
        model
            .ranges
            .iter()
            .map(|one| format!("{}: {}", one.name, words.comparisons(&one.all))),
    );
    said.extend(
        model
            .relations
            .iter()
            .enumerate()
            .map(|(index, row)| format!("[{}] {}", row.id, words.relation(RelationId::new(index)))),
    );
    said
}

#[test]
fn drag_is_added_to_the_falling_hoop() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hoop_drag.ron");
    let mut console = console();
    let mut text = transcript(
        &mut console,
        &[
            "load scenarios/hoop/table.ron",
            "run to 1",
            "plot h contact",
            "branch drag",
            "constant kc = 0.1 [kg/s] # drag per unit of speed",
            "real Fdrag = 0 [kg*cm/s^2] # air drag (Fсопр)",
            "add after 1: [9] Fdrag = sample_and_hold(-kc * Vy, !contact)",
            "add after 9: [10] P = P + Fdrag # reads what row 1 has just written: a sum, no loop",
            "run to 3",
            "why P",
            "blame Vy from 1",
            "checkout main",
            "run to 3",
            "compare main drag",
            "undo",
            "checkout drag",
        ],
    );
    let saved = console.execute(&format!("save {}", file.display()), &mut ());
    assert!(!saved.failed, "{}", saved.text);
    text.push_str(&transcript(&mut console, &["undo 3", "rules", "redo 3"]));
    let here = format!("{}/", root().display());
    insta::assert_snapshot!(text.replace(&here, ""));

    let (typed, expected) = (
        model(&file),
        model(&root().join("scenarios/hoop_drag/table.ron")),
    );
    assert_eq!(said(&typed), said(&expected));
    // What the author wrote stands in it as it was.
    let (before, after) = (
        std::fs::read_to_string(root().join("scenarios/hoop/table.ron")).unwrap(),
        std::fs::read_to_string(&file).unwrap(),
    );
    assert!(before.lines().all(|line| after.contains(line)), "{after}");
}

#[test]
fn the_pendulum_becomes_a_thread_and_a_cart() {
    let folder = tempfile::tempdir().unwrap();
    let mut console = console();
    transcript(
        &mut console,
        &[
            "load scenarios/pendulum/table.ron",
            "run for 0.2",
            "goto start",
            "real ang = 45 [deg] # angle from the vertical (Угол)",
            "constant m = 1 [kg] # mass of the load (m груза)",
            "constant c = 0.005 [1/N] # how much a unit of thread gives way per unit of force",
            "constant rad_per_deg = pi / 180 [rad/deg] # radians in a degree; illegible in print",
            "real V = 0 [m/s] # speed of the load (Скорость)",
            "real VV = 0 [m^2/s^2] hidden # its square (V*V)",
            "real VVL = 0 [m/s^2] hidden # centripetal acceleration (V*V/L)",
            "real Fc = 0 [N] hidden # centrifugal force (Fцб)",
            "real P = 0 [N] hidden # weight (P вес)",
            "real cosA = 0 hidden # cosine of the angle (Cos[Угол])",
            "real PcosA = 0 [N] hidden # weight along the thread (P*cos[Угол])",
            "real Ften = 0 [N] # tension (F натяж)",
            "real dL = 0 [m] hidden # elongation (delta L)",
            "real Lcur = L + dL [m] # present length (L текущ)",
            "replace 3: eps = deg_per_rad * A / Lcur",
            "[6] V = rad_per_deg * om * Lcur",
            "[7] VV = V * V",
            "[8] VVL = VV / Lcur",
            "[9] Fc = VVL * m",
            "[10] P = g * m",
            "[11] cosA = cosd(ang)",
            "[12] PcosA = P * cosA",
            "[13] Ften = Fc + PcosA",
            "[14] dL = c * Ften * L",
            "[15] Lcur = L + dL",
            "run for 1",
        ],
    );
    let thread = folder.path().join("thread.ron");
    let line = format!("save {}", thread.display());
    transcript(&mut console, &[&line]);
    let scenario = |name: &str| model(&root().join("scenarios").join(name));
    let printed = scenario("elastic_thread/as_printed.ron");
    assert_eq!(said(&model(&thread)), said(&printed));

    // In mid-run, while the thread swings.
    transcript(
        &mut console,
        &[
            "constant c = 0 [1/N] # how much a unit of thread gives way per unit of force",
            "constant Mc = 1 [kg] # mass of the cart (m тележки)",
            "real ang = 5 [deg] # angle from the vertical (Угол)",
            "real Fcart = 0 [N] # force on the cart (F тележки)",
            "real aC = 0 [m/s^2] hidden # acceleration of the cart (a тележки)",
            "real VC = 0 [m/s] # speed of the cart (V тележки)",
            "real XC = 0 [m] # place of the cart (X тележки)",
            "real VCL = VC / Lcur [1/s] hidden # speed of the cart over length (Vтележ/L)",
            "real om2 = -deg_per_rad * VCL * cosd(ang) [deg/s] hidden # second component of the angular speed (УглСкор 2)",
            "real omT = om + om2 [deg/s] # total angular speed (УглСкорОбщ)",
            "replace 5: ang = integral(omT)",
            "replace 6: V = rad_per_deg * omT * Lcur",
            "[16] Fcart = Ften * sinA",
            "[17] aC = Fcart / Mc",
            "[18] VC = integral(aC)",
            "[19] XC = integral(VC)",
            "[20] VCL = VC / Lcur",
            "[21] om2 = -deg_per_rad * VCL * cosA",
            "[22] omT = om + om2",
            "run for 1",
        ],
    );
    let cart = folder.path().join("cart.ron");
    let line = format!("save {}", cart.display());
    transcript(&mut console, &[&line, "reset", "run to 2"]);
    assert_eq!(said(&model(&cart)), said(&scenario("cart/table.ron")));
    let end = console.execute("state", &mut ()).data["result"].clone();
    let mut direct = self::console();
    transcript(&mut direct, &["load scenarios/cart/table.ron", "run to 2"]);
    let expected = direct.execute("state", &mut ()).data["result"].clone();
    assert_eq!(end["values"], expected["values"]);
}
