//! A real browser, driven through the pipes of its debugging protocol: no other library is needed for it.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

/// Longest time that the browser may take to answer.
const PATIENCE: Duration = Duration::from_secs(60);
/// Names under which Chromium is installed.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/// A page in a browser, and everything that it asked for or said.
pub(crate) struct Browser {
    child: Child,
    keys: Option<ChildStdin>,
    messages: Receiver<Value>,
    session: Value,
    number: u64,
    /// What the page said or asked for: addresses, messages of its console, errors.
    pub(crate) heard: Vec<String>,
    _profile: TempDir,
}

/// The browser on this machine.
fn program() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .flat_map(|folder| NAMES.map(|name| folder.join(name)))
        .find(|program| program.is_file())
}

impl Browser {
    /// Opens a browser; `None`, with a word, where there is none.
    #[expect(clippy::print_stderr, reason = "that nothing was tested is said")]
    pub(crate) fn open() -> Option<Self> {
        let Some(program) = program() else {
            eprintln!("skipped: there is no Chromium here");
            return None;
        };
        let profile = tempfile::tempdir().unwrap();
        // The protocol goes through the pipes 3 and 4, which a shell makes of those that a child has.
        let script = "exec \"$0\" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
                      --hide-scrollbars --force-color-profile=srgb --remote-debugging-pipe --user-data-dir=\"$1\" \
                      about:blank 3<&0 4>&1 1>/dev/null 2>/dev/null </dev/null";
        let mut child = Command::new("sh")
            .args(["-c", script])
            .arg(program)
            .arg(profile.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let keys = child.stdin.take();
        let out = BufReader::new(child.stdout.take().unwrap());
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            for message in out.split(0) {
                let Ok(message) = message else { return };
                if sender
                    .send(serde_json::from_slice(&message).unwrap())
                    .is_err()
                {
                    return;
                }
            }
        });
        let mut browser = Self {
            child,
            keys,
            messages,
            session: Value::Null,
            number: 0,
            heard: Vec::new(),
            _profile: profile,
        };
        let target = browser.call("Target.createTarget", json!({"url": "about:blank"}));
        let target = json!({"targetId": target["targetId"], "flatten": true});
        browser.session = browser.call("Target.attachToTarget", target)["sessionId"].clone();
        for domain in ["Page", "Network", "Runtime", "Log"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        Some(browser)
    }

    /// Calls a method of the protocol: its result.
    pub(crate) fn call(&mut self, method: &str, params: Value) -> Value {
        self.number += 1;
        let mut message = json!({"id": self.number, "method": method, "params": params});
        if !self.session.is_null() {
            message["sessionId"] = self.session.clone();
        }
        let keys = self.keys.as_mut().unwrap();
        keys.write_all(format!("{message}\0").as_bytes()).unwrap();
        keys.flush().unwrap();
        let number = self.number;
        let answer = self.until(|message| message["id"] == number);
        assert!(answer["error"].is_null(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// Reads what the browser says up to a message; what the page does meanwhile is taken down.
    fn until(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self
                .messages
                .recv_timeout(PATIENCE)
                .expect("the browser answers");
            let params = &message["params"];
            match message["method"].as_str().unwrap_or_default() {
                "Network.requestWillBeSent" => {
                    let url = params["request"]["url"].as_str().unwrap();
                    self.heard.push(format!("asks for {url}"));
                }
                "Runtime.consoleAPICalled" => self.heard.push(format!("says {}", params["args"])),
                "Runtime.exceptionThrown" => {
                    self.heard
                        .push(format!("fails: {}", params["exceptionDetails"]));
                }
                "Log.entryAdded" => self.heard.push(format!("logs {}", params["entry"])),
                _ => {}
            }
            if is_it(&message) {
                return message;
            }
        }
    }

    /// Shows a file in a window of a size, in light or dark.
    pub(crate) fn show(&mut self, file: &Path, [width, height]: [u32; 2], scheme: &str) {
        let size =
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", size);
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        self.call("Emulation.setEmulatedMedia", json!({"features": features}));
        let url = format!("file://{}", file.display());
        self.call("Page.navigate", json!({"url": url}));
        self.until(|message| message["method"] == "Page.loadEventFired");
    }

    /// Value of an expression in the page.
    pub(crate) fn value(&mut self, expression: &str) -> Value {
        let params = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let result = self.call("Runtime.evaluate", params);
        assert!(
            result["exceptionDetails"].is_null(),
            "{expression}: {result}"
        );
        result["result"]["value"].clone()
    }

    /// Moves the mouse, presses or releases its button at a place of the window.
    pub(crate) fn mouse(&mut self, kind: &str, [x, y]: [f64; 2]) {
        let (button, buttons) = match kind {
            "mousePressed" | "mouseReleased" => ("left", 1),
            _ => ("none", 0),
        };
        let params = json!({
            "type": kind, "x": x, "y": y, "button": button, "buttons": buttons, "clickCount": 1
        });
        self.call("Input.dispatchMouseEvent", params);
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.session = Value::Null;
        if let Some(keys) = &mut self.keys {
            let _ = keys.write_all(b"{\"id\":0,\"method\":\"Browser.close\"}\0");
        }
        self.keys = None;
        let _ = self.child.wait();
    }
}
