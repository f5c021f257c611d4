//! The prompt in a real terminal: a session in a pseudo-terminal, whose screens are read.

use std::io::{Read, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use tempfile::TempDir;

use crate::tables::root;

/// Longest time that a screen may take to show something.
const PATIENCE: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_millis(10);

const CTRL_C: &str = "\u{3}";
const CTRL_D: &str = "\u{4}";
const CTRL_R: &str = "\u{12}";
const TAB: &str = "\t";
const ENTER: &str = "\r";

/// A terminal with a session in it.
struct Terminal {
    master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    screen: Arc<Mutex<vt100::Parser>>,
    child: Box<dyn Child + Send + Sync>,
    folder: TempDir,
    /// Prompts that were shown so far.
    prompts: Arc<AtomicUsize>,
}

/// Start of a prompt: pasted text is to be marked as such.
const PROMPT: &[u8] = b"\x1b[?2004h";

fn size(rows: u16, cols: u16) -> PtySize {
    PtySize {
        rows,
        cols,
        pixel_width: 0,
        pixel_height: 0,
    }
}

impl Terminal {
    /// Begins a session in the root of the repository, with a history of its own.
    fn open(args: &[&str]) -> Self {
        Self::open_in(args, tempfile::tempdir().unwrap())
    }

    fn open_in(args: &[&str], folder: TempDir) -> Self {
        let terminal = Self::start(&[&["repl"], args].concat(), folder);
        terminal.wait_for_prompt(1);
        terminal
    }

    /// Runs the program in the root of the repository.
    fn start(args: &[&str], folder: TempDir) -> Self {
        let pair = native_pty_system().openpty(size(30, 100)).unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_situ-for-tests"));
        command.args(args);
        command.cwd(root());
        command.env("TERM", "xterm-256color");
        command.env("LC_ALL", "C.UTF-8");
        command.env("SITU_HISTORY", folder.path().join("history"));
        command.env_remove("NO_COLOR");
        command.env_remove("CI");
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let screen = Arc::new(Mutex::new(vt100::Parser::new(30, 100, 1000)));
        let mut reader = pair.master.try_clone_reader().unwrap();
        let shown = Arc::clone(&screen);
        let prompts = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&prompts);
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            let mut all: Vec<u8> = Vec::new();
            while let Ok(count @ 1..) = reader.read(&mut bytes) {
                shown.lock().unwrap().process(&bytes[..count]);
                all.extend(&bytes[..count]);
                let begun = all.windows(PROMPT.len()).filter(|bytes| *bytes == PROMPT);
                counted.store(begun.count(), Ordering::SeqCst);
            }
        });
        let keys = pair.master.take_writer().unwrap();
        Self {
            master: pair.master,
            keys,
            screen,
            child,
            folder,
            prompts,
        }
    }

    /// Presses keys that lead to the next prompt, and waits for it: what is typed before is lost.
    fn type_until_prompt(&mut self, keys: &str) {
        let before = self.prompts.load(Ordering::SeqCst);
        self.press(keys);
        self.wait_for_prompt(before + 1);
    }

    fn wait_for_prompt(&self, number: usize) {
        for _ in 0..PATIENCE.as_millis() / PAUSE.as_millis() {
            if self.prompts.load(Ordering::SeqCst) >= number {
                // The prompt itself follows at once.
                std::thread::sleep(PAUSE);
                return;
            }
            std::thread::sleep(PAUSE);
        }
        panic!("there is no prompt:\n{}", self.text());
    }

    /// Drops the line that is being typed.
    fn drop_line(&mut self) {
        self.type_until_prompt(CTRL_C);
    }

    fn text(&self) -> String {
        self.screen.lock().unwrap().screen().contents()
    }

    /// Waits until the screen shows something.
    fn expect(&self, text: &str) {
        self.wait(&format!("shows `{text}`"), |screen| screen.contains(text));
    }

    fn wait(&self, what: &str, test: impl Fn(&str) -> bool) {
        for _ in 0..PATIENCE.as_millis() / PAUSE.as_millis() {
            if test(&self.text()) {
                return;
            }
            std::thread::sleep(PAUSE);
        }
        panic!("the screen never {what}:\n{}", self.text());
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Types a line and waits for what it shows.
    fn say(&mut self, line: &str, shows: &str) {
        self.press(line);
        self.type_until_prompt(ENTER);
        self.expect(shows);
    }

    /// Leaves; the status, and the folder of the history.
    fn leave(mut self) -> (u32, TempDir) {
        self.press(CTRL_D);
        for _ in 0..PATIENCE.as_millis() / PAUSE.as_millis() {
            if let Some(status) = self.child.try_wait().unwrap() {
                return (status.exit_code(), self.folder);
            }
            std::thread::sleep(PAUSE);
        }
        self.child.kill().unwrap();
        panic!("the session does not end:\n{}", self.text());
    }
}

#[test]
fn words_are_completed_and_lines_found_again() {
    let mut terminal = Terminal::open(&[]);
    terminal.press("load scenarios/hoop/tab");
    terminal.press(TAB);
    terminal.expect("load scenarios/hoop/table.ron");
    terminal.say("", "t = 0, step 0: free_fall");
    terminal.expect("hoop t=0 #0 free_fall> ");
    terminal.press("run until cont");
    terminal.press(TAB);
    terminal.expect("run until contact");
    terminal.say("", "t = 0.8686, step 8686");
    // Several candidates are listed, each with a word on what it is.
    terminal.press("set K_");
    terminal.press(TAB);
    terminal.expect("K_acceleration  stiffness while it springs back");
    terminal.drop_line();
    terminal.say("goto start", "(past)");
    terminal.press(CTRL_R);
    terminal.press("unt");
    terminal.expect("run until contact");
    terminal.say("", "t = 0.8686, step 8686");
    let (status, folder) = terminal.leave();
    assert_eq!(status, 0);
    let history = std::fs::read_to_string(folder.path().join("history")).unwrap();
    assert!(history.contains("run until contact"), "{history}");

    // The next session offers the lines of this one.
    let mut terminal = Terminal::open_in(&[], folder);
    terminal.press("run u");
    terminal.expect("run until contact");
    terminal.drop_line();
    assert_eq!(terminal.leave().0, 0);
}

#[test]
fn ctrl_c_stops_a_run_and_clears_a_line_and_never_ends_the_session() {
    let mut terminal = Terminal::open(&["scenarios/pendulum/table.ron", "--no-history"]);
    terminal.press("run for 1e9");
    terminal.press(ENTER);
    // The bar of progress shows that the run is on its way.
    terminal.wait("shows progress", |screen| screen.contains(" %, "));
    terminal.type_until_prompt(CTRL_C);
    terminal.expect("stopped: interrupted");
    terminal.say("step", "step ");
    terminal.press("nonsense");
    terminal.expect("nonsense");
    terminal.drop_line();
    terminal.say("back 1", "(past)");
    terminal.drop_line();
    terminal.drop_line();
    terminal.say("goto start", "t = 0, step 0");
    assert!(!terminal.folder.path().join("history").exists());
    assert_eq!(terminal.leave().0, 0);
}

#[test]
fn rules_take_several_lines_and_mistakes_are_underlined() {
    let mut terminal = Terminal::open(&["scenarios/hoop/table.ron"]);
    terminal.press("[9] Fel = K_braking *");
    terminal.press(ENTER);
    terminal.press("def when contact &");
    terminal.press(ENTER);
    terminal.press("V_pos");
    terminal.say("", "t = 0, step 0");
    terminal.say(
        "rules K_braking",
        "[9] Fel = K_braking * def when contact & V_pos",
    );
    terminal.press("Fel = defff + 1");
    terminal.expect("Fel = defff + 1");
    let underlined = |terminal: &Terminal| {
        let parser = terminal.screen.lock().unwrap();
        let (row, _) = parser.screen().cursor_position();
        let cells = (0..100).filter_map(|column| parser.screen().cell(row, column));
        let marked = cells.filter(|cell| cell.underline());
        marked.map(vt100::Cell::contents).collect::<String>()
    };
    for _ in 0..500 {
        if underlined(&terminal) == "defff" {
            break;
        }
        std::thread::sleep(PAUSE);
    }
    assert_eq!(underlined(&terminal), "defff");
    terminal.drop_line();
    assert_eq!(terminal.leave().0, 0);
}

#[test]
fn a_smaller_window_wraps_tables_and_plots() {
    let mut terminal = Terminal::open(&["scenarios/hoop/table.ron", "--no-history"]);
    terminal.say("run to 1", "t = 1, step 10000");
    terminal.master.resize(size(30, 50)).unwrap();
    terminal
        .screen
        .lock()
        .unwrap()
        .screen_mut()
        .set_size(30, 50);
    terminal.type_until_prompt(ENTER);
    terminal.say("plot h", "time");
    // A plot that is too wide for its window would be broken into more lines.
    let lines = terminal.text();
    let axis = lines.lines().find(|line| line.contains('└')).unwrap();
    assert!(axis.trim_end().chars().count() <= 50, "{lines}");
    assert_eq!(terminal.leave().0, 0);
}

/// A run without an end that anybody waits for.
const LONG: [&str; 6] = [
    "run",
    "scenarios/hoop/table.ron",
    "--stop",
    "1e7",
    "--every",
    "0.01",
];

#[test]
fn a_long_run_shows_itself_and_ends_at_ctrl_c() {
    let words = [&LONG[..], &["--live", "--engine", "interpreter"]].concat();
    let mut terminal = Terminal::start(&words, tempfile::tempdir().unwrap());
    terminal.expect("of 10000000 (0 %)");
    terminal.expect("free_fall");
    let is_drawn = |screen: &str| screen.contains('┤') && screen.contains("time");
    terminal.wait("shows curves with their axes", is_drawn);
    let head = |text: &str| text.lines().next().unwrap_or_default().to_owned();
    let first = head(&terminal.text());
    assert!(first.starts_with("hoop: t = "), "{first}");
    let size = terminal.text().lines().count();
    assert!(size <= 30, "{size} lines");
    terminal.wait("goes on", |screen| {
        let now = head(screen);
        now.starts_with("hoop: t = ") && now != first
    });
    let is_apart =
        |terminal: &Terminal| terminal.screen.lock().unwrap().screen().alternate_screen();
    assert!(is_apart(&terminal));
    terminal.press(CTRL_C);
    let status = terminal.child.wait().unwrap();
    assert_eq!(status.exit_code(), 130);
    terminal.expect("interrupted");
    assert!(!is_apart(&terminal), "the screen is as it was");
    assert!(!terminal.screen.lock().unwrap().screen().hide_cursor());
}

#[test]
fn a_short_run_shows_its_end_only() {
    let words = ["run", "scenarios/zeno_ball/table.ron", "--live"];
    let mut terminal = Terminal::start(&words, tempfile::tempdir().unwrap());
    let status = terminal.child.wait().unwrap();
    assert!(status.success());
    terminal.expect("time");
    assert!(!terminal.text().contains(" %)"));
}
