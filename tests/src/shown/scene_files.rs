//! Files show what was asked for of a scene, and the prompt edits it as it edits rules.

use situ_engine::sim::{Run, RunConfig};
use situ_rules::load;
use situ_views::scene::{Trails, draw};

use super::scenes::{SPRING, model};
use crate::cli::Folder;
use crate::tables::{FromDisk, root};

/// What the program writes, and what it refuses.
#[test]
fn frames_and_films_are_files() {
    let folder = Folder::with(&[("spring.ron", SPRING), ("still.ron", &without_scene())]);
    folder
        .situ("run spring.ron -q --frame 0.5 a.svg --frame 1 b.png")
        .expect(0, "");
    let frame = folder.read("a.svg");
    assert!(frame.starts_with("<svg") && frame.contains("<circle") && !frame.contains("<script"));
    let png = std::fs::read(folder.path("b.png")).unwrap();
    assert_eq!(&png[1..4], b"PNG");
    folder
        .situ("run spring.ron -q --animate film.svg")
        .expect(0, "");
    let film = folder.read("film.svg");
    // 3 s at 25 pictures a second, as in reality.
    assert_eq!(film.matches("attributeName=\"cx\"").count(), 1, "{film}");
    let values = film.split("attributeName=\"cx\"").nth(1).unwrap();
    assert!(values.contains("dur=\"3.000s\""));
    let values = values
        .split("values=\"")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap();
    assert_eq!(values.split(';').count(), 75);
    // The ball swings as cos(2 t), 160 pixels are a unit.
    for (frame, x) in values.split(';').enumerate() {
        let x: f64 = x.parse().unwrap();
        let exact = 320.0 + 160.0 * (2.0 * frame as f64 / 25.0).cos();
        assert!((x - exact).abs() < 0.06, "frame {frame}: {x}, not {exact}");
    }
    folder
        .situ("run spring.ron -q --animate film.gif --fps 10")
        .expect(0, "");
    assert_eq!(
        &std::fs::read(folder.path("film.gif")).unwrap()[..6],
        b"GIF89a"
    );
    folder
        .situ("run spring.ron -q --animate film.png --fps 10 --speed 2")
        .expect(0, "");
    let apng = std::fs::read(folder.path("film.png")).unwrap();
    let control = apng.windows(4).position(|four| four == b"acTL").unwrap();
    assert_eq!(
        apng[control + 4..control + 8],
        15_u32.to_be_bytes(),
        "3 s, twice as fast"
    );
    // What is new lies at the left edge, then at the right one, and is broad, then narrow.
    let sweeping = r#"(format: 1, clock: (stop: 2, stepping: events), reals: {"x": 0},
        relations: ["x = integral(1)"],
        scene: (view: (-1, 1, 4, -1), rows: ["line ray: (0, 0) to (5 * cos(3 * x), x)"]))"#;
    std::fs::write(folder.path("sweeping.ron"), sweeping).unwrap();
    folder
        .situ("run sweeping.ron -q --animate sweeping.png")
        .expect(0, "");

    // A picture beyond the end does not keep the others from being drawn.
    folder
        .situ("run spring.ron -q --frame 1 early.svg --frame 9 late.svg --frame 10 last.svg")
        .expect(
            2,
            "--frame 9: the run ended at t = 3, `late.svg` is not written; --frame 10",
        );
    assert!(folder.read("early.svg").starts_with("<svg"));
    assert!(!folder.path("late.svg").exists());

    for (line, says) in [
        ("run still.ron --frame 1 no.svg", "this table has none"),
        ("run spring.ron --frame 9 no.svg", "the run ended at t = 3"),
        (
            "run spring.ron --frame -1 no.svg",
            "the run begins at t = 0",
        ),
        ("run spring.ron --frame soon no.svg", "a number is needed"),
        ("run spring.ron --frame 1 no.jpg", "ends in .svg or .png"),
        (
            "run spring.ron --animate no.mp4",
            "ends in .svg, .gif or .png",
        ),
        (
            "run spring.ron --animate no.svg --speed 0",
            "must be above zero",
        ),
        (
            "run spring.ron --animate no.svg --speed 1e-9",
            "raise --speed",
        ),
        ("run spring.ron --frame 1 no.svg --animate no.svg", "no.svg"),
        ("run spring.ron --speed 2", "--animate"),
    ] {
        let said = folder.situ(line);
        assert_eq!(said.status, 2, "{line}: {}", said.err);
        assert!(said.err.contains(says), "{line}: {}", said.err);
        assert!(!folder.path("no.svg").exists(), "{line}");
    }
}

#[test]
fn frames_take_no_place_that_is_not_theirs() {
    let folder = Folder::with(&[("spring.ron", SPRING)]);
    folder
        .situ("run spring.ron -q --frame 1 no/where.svg")
        .expect(1, "no/where.svg");
    // A link to the table is the table.
    std::os::unix::fs::symlink(folder.path("spring.ron"), folder.path("spring.svg")).unwrap();
    for option in ["--frame 1 spring.svg", "--animate spring.svg"] {
        let said = folder.situ(&format!("run spring.ron -q {option}"));
        assert_ne!(said.status, 0);
        assert!(said.err.contains("spring.svg"), "{}", said.err);
        assert_eq!(folder.read("spring.ron"), SPRING);
    }
}

fn without_scene() -> String {
    let (start, end) = (
        SPRING.find("    scene: (").unwrap(),
        SPRING.rfind(')').unwrap(),
    );
    format!("{}{}", &SPRING[..start], &SPRING[end..])
}

/// Drawing stops a run and goes on: what is written of it stays the same.
#[test]
fn drawing_leaves_no_trace_in_what_is_written() {
    let folder = Folder::with(&[("spring.ron", SPRING)]);
    folder
        .situ("run spring.ron -q --out plain.csv")
        .expect(0, "");
    folder
        .situ("run spring.ron -q --out drawn.csv --frame 1.234 a.svg --animate b.svg")
        .expect(0, "");
    assert_eq!(folder.read("plain.csv"), folder.read("drawn.csv"));
}

/// Rows of a scene at the prompt: added, replaced, moved, set aside and dropped in mid-run, and saved.
#[test]
fn the_prompt_edits_scenes() {
    let folder = Folder::with(&[("spring.ron", SPRING), ("still.ron", &without_scene())]);
    let script = "load spring.ron
run to 1
line floor: (-2, -0.3) to (2, -0.3)
replace ball: circle ball: at (x, 0), radius k / 20
constant k = 5
add before ball: text: at (0, 0.8), 'x = {x:.2}'
box wall: at (-1.9, 0), size (0.2, 1)
drop wall
disable floor
rules
save new.ron
";
    let said = folder.situ_reading("repl", script);
    let printed = format!("{}{}", said.out, said.err);
    let saved =
        std::fs::read_to_string(folder.path("new.ron")).unwrap_or_else(|_| panic!("{printed}"));
    assert!(saved.contains("radius k / 20"), "{saved}");
    assert!(
        saved.contains("\"k\": (start: 5, range: (1, 9))"),
        "{saved}"
    );
    assert!(saved.contains("/*off: \"line floor"), "{saved}");
    let model = model(&saved);
    assert_eq!(model.shapes().len(), 2, "{saved}");
    assert!(
        printed.contains("circle ball: at (x, 0), radius k / 20"),
        "{printed}"
    );
}

/// A film of a scenario of the paper, drawn whole: no text holds a number that is none.
#[test]
fn films_of_scenarios_can_be_drawn() {
    for name in ["rlc", "cart_stops"] {
        let path = root().join("scenarios").join(name).join("table.ron");
        let text = std::fs::read_to_string(&path).unwrap();
        let loaded = load(&format!("scenarios/{name}/table.ron"), &text, &mut FromDisk);
        let model = loaded.model.unwrap();
        let config = RunConfig::from_clock(&model.clock).unwrap();
        let mut run = Run::new(model.clone(), config, &[]).unwrap();
        let mut film = situ_views::scene::Film {
            pictures: Vec::new(),
            rate: 25.0,
        };
        let mut trails = Trails::default();
        for frame in 0..20 {
            run.run_to(f64::from(frame) * 0.02, &mut ()).unwrap();
            trails.take(&model, &run.row());
            film.pictures
                .push(draw(&model, &run.row(), &trails).unwrap());
        }
        let text = film.svg();
        assert!(!text.contains("NaN") && !text.contains("<script"), "{name}");
        assert!(text.contains("prefers-color-scheme:dark"), "{name}");
    }
}

/// The exercise of the stand: its numbers are those of the stand's own data.
#[test]
fn the_stand_logs_predicted_and_obtained_points() {
    let folder = Folder::with(&[]);
    let table = root().join("scenarios/stand/table.ron");
    let table = table.display();
    let file = std::fs::read_to_string(root().join("tests/data/exact/stand.json")).unwrap();
    let known: serde_json::Value = serde_json::from_str(&file).unwrap();
    let points = &known["cases"]["A_theta0.6"]["analytic"];
    let points: Vec<f64> = (points.as_array().unwrap().iter())
        .map(|point| point["x"].as_f64().unwrap())
        .collect();
    let predict: Vec<String> = (points.iter().enumerate())
        .map(|(at, x)| format!("--predict x[{}]={x:?}", at + 1))
        .collect();
    let line = format!(
        "lab {table} --events --method rk4 --locate quadratic --step 0.05 --json --out log.csv {}",
        predict.join(" ")
    );
    let said = folder.situ(&line).expect(0, "");
    let log: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    for (row, known) in log.as_array().unwrap().iter().zip(&points) {
        let obtained = row["obtained"].as_f64().unwrap();
        assert!((obtained - known).abs() < 1e-9, "{row}");
        assert!(
            (row["error"].as_f64().unwrap() - (known - obtained)).abs() < 1e-15,
            "{row}"
        );
    }
    let csv = folder.read("log.csv");
    assert!(
        csv.starts_with("name,obtained,predicted,error,relative_error\nx[1],1.00963755"),
        "{csv}"
    );
    assert_eq!(csv.lines().count(), points.len() + 2);

    // In ticks, which are explicit Euler, each bounce is seen too late.
    let said = folder
        .situ(&format!("lab {table} --predict x[1]=1.0096 --lang ru"))
        .expect(0, "");
    assert!(
        said.out.contains("предсказано") && said.out.contains("1.05"),
        "{}",
        said.out
    );
    let said = folder.situ(&format!("lab {table}")).expect(0, "");
    assert!(
        !said.out.contains("1.05"),
        "without predictions nothing is told: {}",
        said.out
    );
    folder
        .situ(&format!("lab {table} --predict y=1"))
        .expect(2, "does not ask for `y`");
    folder
        .situ(&format!("lab {table} --predict y"))
        .expect(2, "NAME=NUMBER");
    folder
        .situ(&format!("lab {table} --predict x[1]=1 --out log.png"))
        .expect(2, "writes CSV");
}
