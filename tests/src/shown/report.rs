//! Reports: pages of runs, as text and in a real browser.

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::cli::{BALL, Folder};
use crate::shown::browser::Browser;
use crate::tables::root;

/// The data in a page.
fn data(page: &str) -> Value {
    let begin = "<script type=\"application/json\" id=\"data\">";
    let (_, rest) = page.split_once(begin).unwrap();
    let (data, _) = rest.split_once("</script>").unwrap();
    serde_json::from_str(data).unwrap()
}

/// A scenario's page.
fn reported(folder: &Folder, scenario: &str, options: &str) -> String {
    let table = root().join("scenarios").join(scenario);
    let line = format!("report {} -o run.html {options}", table.display());
    folder.situ(&line).expect(0, "");
    folder.read("run.html")
}

#[test]
fn a_report_tells_what_the_run_tells() {
    let folder = Folder::with(&[("ball.ron", BALL)]);
    let line = "run ball.ron --events --report run.html --out run.csv --measure max(h) --measure count(bounce) --no-plot --json";
    let said = folder.situ(line).expect(0, "");
    let summary: Value = serde_json::from_str(&said.out).unwrap();
    let page = folder.read("run.html");
    let hash = Sha256::digest(std::fs::read(folder.path("run.csv")).unwrap());
    let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    assert!(page.contains(&hash), "the hash of the rows");
    let table: String = Sha256::digest(BALL)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    assert!(page.contains(&table), "the hash of the table");
    for measured in summary["measures"].as_array().unwrap() {
        let exact = format!("title=\"{}\"", measured["value"]);
        let exact = exact.replace(".0\"", "\"");
        assert!(page.contains(&exact), "{exact}");
    }
    let data = data(&page);
    let curve = |name: &str| -> Vec<f64> {
        let panels = data["figure"]["panels"].as_array().unwrap().iter();
        let mut curves = panels.flat_map(|panel| panel["curves"].as_array().unwrap());
        let curve = curves.find(|curve| curve["name"] == "h").unwrap();
        let values = curve[name].as_array().unwrap().iter();
        values.map(|value| value.as_f64().unwrap()).collect()
    };
    let run = crate::cli::series(&folder.read("run.csv"));
    let rows = run.time.iter().zip(&run.real("h").unwrap().values);
    let (x, y) = (curve("x"), curve("y"));
    for (time, value) in rows {
        let after = x.partition_point(|at| at <= time).clamp(1, x.len() - 1);
        let share = (time - x[after - 1]) / (x[after] - x[after - 1]).max(f64::MIN_POSITIVE);
        let drawn = y[after - 1] + share * (y[after] - y[after - 1]);
        assert!((drawn - value).abs() < 5e-4, "{time}: {drawn} and {value}");
    }
    let fired = summary["situations"].as_array().unwrap().iter();
    let mut fired = fired
        .filter(|row| row["name"] == "bounce")
        .map(|row| row["fired"].as_u64());
    let log = data["log"].as_array().unwrap();
    let told = log
        .iter()
        .filter(|line| line[1] == "fired" && line[2] == "bounce")
        .count();
    assert_eq!(fired.next_back().unwrap(), Some(told as u64));
}

/// A page says what its curves leave out, and from which rows it tells what changed.
#[test]
fn a_page_says_what_it_leaves_out() {
    let reals: Vec<String> = (1..=8).map(|at| format!("\"x{at}\": 0")).collect();
    let still: Vec<String> = (1..=11)
        .map(|at| format!("\"r{at}: x1 > {}\"", 5 + at))
        .collect();
    let rows: Vec<String> = (1..=8)
        .map(|at| format!("\"x{at} = integral(1)\""))
        .collect();
    let table = format!(
        r#"(format: 1, clock: (step: 0.25, stop: 3), reals: {{{}, "a": 0}}, ranges: [{}, "late: x1 > 1"],
            relations: [{}, "a = 2 * x1"])"#,
        reals.join(", "),
        still.join(", "),
        rows.join(", ")
    );
    let folder = Folder::with(&[("many.ron", &table)]);
    let page_of = |options: &str| {
        let line = format!("report many.ron -o run.html --quiet {options}");
        folder.situ(&line).expect(0, "");
        folder.read("run.html")
    };
    let lanes = |page: &str| -> Vec<String> {
        let data = data(page);
        let lanes = data["figure"]["lanes"].as_array().unwrap().iter();
        lanes
            .map(|lane| lane["name"].as_str().unwrap().to_owned())
            .collect()
    };
    let apart = "Rows are 1 apart";
    let page = page_of("");
    let reals = "6 of 9 reals are drawn, the first that are integrated or smoothed;";
    assert!(page.contains(reals), "{page}");
    assert!(
        page.contains("8 of 12 booleans stand in the timeline"),
        "{page}"
    );
    assert!(!page.contains(apart));
    let expected = ["late", "r1", "r2", "r3", "r4", "r5", "r6", "r7"];
    assert_eq!(lanes(&page), expected);
    // The tick to 1.5 finds 1.25 above 1; the row of that is the one at 2.
    assert_eq!(data(&page)["log"][0][0], "1.5");
    let page = page_of("--every 1");
    assert_eq!(data(&page)["log"][0][0], "2");
    assert_eq!(
        page.matches(apart).count(),
        2,
        "at the timeline and at the list"
    );
    let page = page_of("--curves x8,r11");
    assert_eq!(lanes(&page), ["r11"]);
    assert!(!page.contains(" are drawn"), "what is chosen is all there");
    let page = page_of("--curves sqrt(x1-1)");
    assert!(page.contains("is no number in places: the picture has gaps there."));
}

/// What a browser shows of a page: its texts without tags, code, and what belongs to style and script.
fn shown(page: &str) -> String {
    let body = page.split_once("<body>").unwrap().1;
    let body = body.split_once("<script").unwrap().0;
    let (mut text, mut in_code) = (String::new(), false);
    for piece in body.split('<').skip(1) {
        let (tag, after) = piece.split_once('>').unwrap();
        in_code = match tag {
            "code" => true,
            "/code" => false,
            tag if tag.ends_with("code\"") => true,
            _ if tag.starts_with("/dt") || tag.starts_with("/div") => false,
            _ => in_code,
        };
        let labels =
            ["aria-label", "placeholder"].map(|name| tag.split_once(&format!("{name}=\"")));
        for (_, label) in labels.into_iter().flatten() {
            text += label.split('"').next().unwrap();
            text.push('\n');
        }
        if !in_code {
            text += after;
            text.push('\n');
        }
    }
    text
}

/// In Russian a page has no two English words side by side, and says its language.
#[test]
fn a_page_speaks_the_language_of_the_reader() {
    let table = include_str!("../../cli/russian.in/tank.ron");
    let folder = Folder::with(&[("tank.ron", table)]);
    let line =
        "--lang ru report tank.ron -o run.html --events --measure max(h) --measure count(low)";
    folder.situ(line).expect(0, "");
    let page = folder.read("run.html");
    assert!(page.contains("<html lang=\"ru\">"));
    let text = shown(&page);
    for word in [
        "Результаты",
        "Кривые",
        "События",
        "Значения",
        "Ситуации",
        "Что выполнено",
    ] {
        assert!(text.contains(word), "{word}\n{text}");
    }
    let is_english = |word: &str| word.len() > 2 && word.chars().all(|c| c.is_ascii_lowercase());
    let english: Vec<&str> = text
        .lines()
        .filter(|line| {
            let words: Vec<&str> = line.split([' ', ',']).collect();
            words
                .windows(2)
                .any(|pair| pair.iter().all(|word| is_english(word)))
        })
        .collect();
    assert!(english.is_empty(), "{english:#?}");
    let data = data(&page);
    assert_eq!(data["words"]["found"], "$1 из $2");
    let log = data["log"].as_array().unwrap();
    let told: Vec<&str> = log.iter().map(|line| line[1].as_str().unwrap()).collect();
    assert!(
        told.contains(&"граница достигнута") && told.contains(&"присваивание"),
        "{told:?}"
    );
}

#[test]
fn a_tick_run_tells_the_rows_in_which_booleans_change() {
    let folder = Folder::with(&[]);
    let page = reported(&folder, "hoop/table.ron", "--stop 2 --quiet");
    let log = data(&page)["log"].clone();
    let braking: Vec<&Value> = (log.as_array().unwrap().iter())
        .filter(|line| line[2] == "braking")
        .collect();
    assert_eq!(braking.len(), 2, "{braking:?}");
    assert_eq!(
        (&braking[0][3], &braking[1][3]),
        (&"true".into(), &"false".into())
    );
}

#[test]
fn a_report_is_small_and_the_same_each_time() {
    let folder = Folder::with(&[]);
    let page = reported(&folder, "hoop/table.ron", "--quiet");
    assert_eq!(page, reported(&folder, "hoop/table.ron", "--quiet"));
    let rows = data(&page).to_string().len();
    assert!(
        page.len() - rows < 100_000,
        "{} bytes beside the rows",
        page.len() - rows
    );
    assert!(page.len() < 400_000, "{} bytes", page.len());
}

#[test]
fn a_report_takes_no_file_that_is_read_or_written() {
    let folder = Folder::with(&[("ball.ron", BALL)]);
    folder
        .situ("report ball.ron -o ball.ron")
        .expect(2, "which is read");
    folder
        .situ("report ball.ron -o ball.csv")
        .expect(2, "--report writes HTML");
    folder.situ("report ball.ron -o ./ball.html").expect(0, "");
    let both = "run ball.ron --out a.html --report a.html";
    folder.situ(both).expect(2, "--out");
    let none = "report ball.ron -o no/such/folder.html";
    folder
        .situ(none)
        .expect(1, "cannot write `no/such/folder.html`");
}

#[test]
fn a_run_that_fails_has_a_report_that_says_why() {
    let leak = r#"(
        format: 1,
        name: "leak <b>",
        clock: (step: 0.125, stop: 2),
        reals: {"level": 1, "outflow": 0},
        relations: ["outflow = sqrt(level)", "level = integral(-outflow)"],
    )"#;
    let folder = Folder::with(&[("leak.ron", leak)]);
    folder.situ("report leak.ron -o leak.html").expect(1, "R0");
    let page = folder.read("leak.html");
    assert!(page.contains("<span class=\"mark bad\">fault</span>"));
    assert!(page.contains("<h1>leak &lt;b&gt;</h1>"));
    assert!(page.contains("<div class=\"finding error\">"), "{page}");
}

#[test]
fn a_browser_shows_a_report_without_asking_for_anything() {
    let Some(mut browser) = Browser::open() else {
        return;
    };
    let folder = Folder::with(&[]);
    reported(
        &folder,
        "hoop/table.ron",
        "--quiet --measure max(h) --curves h,Vy,contact,h:Vy",
    );
    let file = folder.path("run.html");
    for scheme in ["light", "dark"] {
        for width in [1280, 390] {
            browser.show(&file, [width, 900], scheme);
            let wide = browser.value("document.documentElement.scrollWidth");
            assert_eq!(wide, width, "the page is as wide as its window");
            let ink = browser.value("getComputedStyle(document.body).color");
            assert_eq!(ink == "rgb(29, 35, 41)", scheme == "light", "{ink}");
        }
    }
    browser.show(&file, [1280, 900], "light");
    let curves = "document.querySelectorAll('path.curve').length";
    assert_eq!(browser.value(curves), 3);
    // The cursor reads what the curve is there: the hoop falls from 400 cm, freely for more than half a second.
    let place = "(() => { const box = document.querySelector('svg.timed').getBoundingClientRect(); \
                 return [box.left, box.top, box.right, box.bottom]; })()";
    let ends = "(() => { const d = document.querySelector('svg.timed > svg'); \
                const box = document.querySelector('svg.timed').getBoundingClientRect(); \
                return [box.left + d.x.baseVal.value, box.left + d.x.baseVal.value + d.width.baseVal.value]; })()";
    let numbers = |value: Value| -> Vec<f64> {
        let values = value.as_array().unwrap().iter();
        values.map(|value| value.as_f64().unwrap()).collect()
    };
    browser.value("document.getElementById('charts').scrollIntoView()");
    let place = numbers(browser.value(place));
    let ends = numbers(browser.value(ends));
    let at = |time: f64| [ends[0] + (ends[1] - ends[0]) * time / 8.0, place[1] + 60.0];
    browser.mouse("mouseMoved", at(0.5));
    let shown = browser.value("document.getElementById('readout').textContent");
    let time: f64 = shown.as_str().unwrap()[4..].parse().unwrap();
    assert!((time - 0.5).abs() < 0.01, "{shown}");
    let value = browser.value("document.querySelector('.entry output').textContent");
    let value = value.as_str().unwrap().replace('−', "-");
    let height: f64 = value.split(' ').nth(1).unwrap().parse().unwrap();
    assert!(
        (height - (400.0 - 981.0 / 2.0 * time * time)).abs() < 0.1,
        "{value}"
    );
    // Dragging zooms in, the button shows all again.
    browser.mouse("mouseMoved", at(1.0));
    browser.mouse("mousePressed", at(1.0));
    browser.mouse("mouseMoved", at(2.0));
    browser.mouse("mouseReleased", at(2.0));
    let marks = "[...document.querySelectorAll('svg.timed text[text-anchor=middle]')].map(t => t.textContent).join(' ')";
    let zoomed = browser.value(marks);
    assert!(zoomed.as_str().unwrap().contains("1.5"), "{zoomed}");
    browser.value("document.querySelector('[data-do=all]').click()");
    let whole = browser.value(marks);
    assert!(whole.as_str().unwrap().contains('7'), "{whole}");
    // The log finds rows, and a row leads to its time.
    browser.value("(() => { const f = document.getElementById('filter'); f.value = 'braking false'; f.dispatchEvent(new Event('input')); })()");
    let rows = browser.value("document.querySelectorAll('#rows tr:not([hidden])').length");
    assert!((1..200).contains(&rows.as_u64().unwrap()), "{rows}");
    browser.value("document.querySelector('#rows tr:not([hidden]) button').click()");
    let shown = browser.value("document.getElementById('readout').textContent");
    assert!(shown.as_str().unwrap().starts_with("t = 0.8"), "{shown}");
    let asked = format!("asks for file://{}", file.display());
    browser.heard.retain(|heard| *heard != asked);
    assert!(browser.heard.is_empty(), "{:#?}", browser.heard);
}
