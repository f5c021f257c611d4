//! The server from outside: who is let in, what a page can do, what bad input gets.

use std::borrow::Cow;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use situ_console::Console;
use tungstenite::client::IntoClientRequest;
use tungstenite::protocol::frame::coding::CloseCode;
use tungstenite::{Error, Message, WebSocket};

use crate::{Limits, Server, Settings, Stopper};

/// A table that falls and bounces.
const BALL: &str = r#"(
    format: 1,
    name: "ball",
    clock: (step: 0.001, stop: 2),
    constants: {"g": (start: 9.81, unit: "m/s^2")},
    reals: {"y": (start: 1, unit: "m"), "v": 0},
    ranges: ["floor: y <= 0"],
    situations: ["event hit: floor"],
    relations: ["[1] v := -0.8 * v when hit", "[2] y = integral(v)", "[3] v = integral(-g)"],
)
"#;

/// A server of a folder of its own.
struct Served {
    folder: tempfile::TempDir,
    port: u16,
    token: String,
    stopper: Stopper,
    thread: Option<JoinHandle<()>>,
}

impl Served {
    fn new() -> Self {
        Self::with(Limits::default(), false)
    }

    fn with(limits: Limits, once: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("open");
        fs::create_dir(&inner).unwrap();
        fs::write(inner.join("table.ron"), BALL).unwrap();
        fs::write(folder.path().join("secret.ron"), BALL).unwrap();
        let settings = Settings {
            folder: inner,
            table: Some("table.ron".to_owned()),
            port: 0,
            once,
            limits,
            assets: |name| (name == "index.html").then_some(Cow::Borrowed(b"<!doctype html>")),
        };
        let server = Server::bind(settings, Arc::new(Console::new)).unwrap();
        let address = server.address();
        let rest = address.strip_prefix("http://127.0.0.1:").unwrap();
        let (port, token) = rest.split_once("/?token=").unwrap();
        let (port, token) = (port.parse().unwrap(), token.to_owned());
        let stopper = server.stopper();
        let thread = std::thread::spawn(move || server.run().unwrap());
        Self {
            folder,
            port,
            token,
            stopper,
            thread: Some(thread),
        }
    }

    /// Status, headers and body of an answer.
    fn get(&self, path: &str, headers: &[(&str, &str)]) -> (u16, String, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        let mut text = format!("GET {path} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(name, _)| *name == "Host") {
            text += &format!("Host: 127.0.0.1:{}\r\n", self.port);
        }
        for (name, value) in headers.iter().filter(|(_, value)| !value.is_empty()) {
            text += &format!("{name}: {value}\r\n");
        }
        stream.write_all(format!("{text}\r\n").as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok());
        (status.unwrap_or(0), head.to_owned(), body.to_owned())
    }

    /// The cookie that the token is exchanged for.
    fn cookie(&self) -> String {
        let (status, head, _) = self.get(&format!("/?token={}", self.token), &[]);
        assert_eq!(status, 303, "{head}");
        let line = head
            .lines()
            .find(|line| line.to_lowercase().starts_with("set-cookie:"));
        let line = line.unwrap();
        assert!(
            line.contains("HttpOnly") && line.contains("SameSite=Strict"),
            "{line}"
        );
        let (_, rest) = line.split_once(' ').unwrap();
        rest.split(';').next().unwrap().to_owned()
    }

    fn socket(&self, session: &str) -> Result<Page, Error> {
        self.socket_with(
            session,
            &self.cookie(),
            &format!("http://127.0.0.1:{}", self.port),
        )
    }

    fn socket_with(&self, session: &str, cookie: &str, origin: &str) -> Result<Page, Error> {
        let address = format!("ws://127.0.0.1:{}/socket?session={session}", self.port);
        let mut request = address.into_client_request()?;
        let headers = request.headers_mut();
        headers.insert("Cookie", cookie.parse().unwrap());
        if !origin.is_empty() {
            headers.insert("Origin", origin.parse().unwrap());
        }
        let stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        match tungstenite::client(request, stream) {
            Ok((socket, _)) => Ok(Page { socket, id: 0 }),
            Err(tungstenite::HandshakeError::Failure(error)) => Err(error),
            Err(other) => panic!("{other}"),
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stopper.stop();
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

/// One end of a socket.
struct Page {
    socket: WebSocket<TcpStream>,
    id: u64,
}

impl Page {
    fn next(&mut self) -> Result<Value, Error> {
        loop {
            match self.socket.read()? {
                Message::Text(text) => return Ok(serde_json::from_str(&text).unwrap()),
                Message::Close(frame) => {
                    return Ok(json!({ "closed": frame.map(|frame| u16::from(frame.code)) }));
                }
                _ => {}
            }
        }
    }

    fn hello(&mut self) -> Value {
        self.next().unwrap()["hello"].clone()
    }

    fn send(&mut self, what: &str, value: Value) -> u64 {
        self.id += 1;
        let text = json!({ "id": self.id, what: value }).to_string();
        self.socket.send(Message::text(text)).unwrap();
        self.id
    }

    /// The answer to a message; those on how far the work is are passed over.
    fn ask(&mut self, what: &str, value: Value) -> Value {
        let id = self.send(what, value);
        loop {
            let answer = self.next().unwrap();
            if answer["progress"].is_null() {
                assert_eq!(answer["id"], id, "{answer}");
                return answer;
            }
        }
    }

    fn lines(&mut self, lines: &[&str]) -> Value {
        self.ask("lines", json!(lines))
    }

    /// The code with which the server closes.
    fn closed(&mut self) -> u16 {
        let deadline = Instant::now() + Duration::from_secs(30);
        while Instant::now() < deadline {
            match self.next() {
                Ok(value) if !value["closed"].is_null() => {
                    return u16::try_from(value["closed"].as_u64().unwrap()).unwrap();
                }
                Ok(_) => {}
                Err(error) => panic!("closed without a code: {error}"),
            }
        }
        panic!("it is not closed");
    }
}

fn status(error: &Error) -> u16 {
    match error {
        Error::Http(response) => response.status().as_u16(),
        other => panic!("{other}"),
    }
}

#[test]
fn the_token_lets_in_and_the_cookie_stays() {
    let served = Served::new();
    let cookie = served.cookie();
    let (status, head, body) = served.get("/", &[("Cookie", &cookie)]);
    assert_eq!((status, &*body), (200, "<!doctype html>"));
    let head = head.to_lowercase();
    assert!(
        head.contains("content-security-policy: default-src 'self'"),
        "{head}"
    );
    for header in [
        "nosniff",
        "no-referrer",
        "no-store",
        "x-frame-options: deny",
    ] {
        assert!(head.contains(header), "{header}");
    }
    assert!(
        !cookie.contains(&served.token),
        "the cookie is a secret of its own"
    );
}

#[test]
fn who_has_neither_is_turned_away() {
    let served = Served::new();
    let wrong = "0".repeat(served.token.len());
    let short = &served.token[..served.token.len() - 1];
    for path in [
        "/",
        "/index.html",
        "/socket",
        &format!("/?token={wrong}"),
        &format!("/?token={short}"),
        "/?token=",
        "/?token",
    ] {
        let origin = format!("http://127.0.0.1:{}", served.port);
        let (status, head, body) = served.get(path, &[("Origin", &origin)]);
        assert_eq!(status, 403, "{path}");
        assert!(!body.contains("<!doctype"), "{path}");
        assert!(head.to_lowercase().contains("content-security-policy"));
    }
    let name = format!("situ{}", served.port);
    for cookie in [
        format!("{name}={wrong}"),
        format!("{name}={}", served.token),
        name,
    ] {
        assert_eq!(served.get("/", &[("Cookie", &cookie)]).0, 403, "{cookie}");
    }
}

#[test]
fn another_host_is_turned_away() {
    let served = Served::new();
    let cookie = served.cookie();
    let other_port = format!("127.0.0.1:{}", served.port ^ 1);
    let suffix = format!("127.0.0.1:{}.evil.example", served.port);
    for host in ["evil.example", "127.0.0.1", &other_port, &suffix, ""] {
        let (status, ..) = served.get("/", &[("Host", host), ("Cookie", &cookie)]);
        assert!([400, 421].contains(&status), "{host}: {status}");
        let path = format!("/?token={}", served.token);
        assert!(
            [400, 421].contains(&served.get(&path, &[("Host", host)]).0),
            "{host}"
        );
    }
    let local = format!("localhost:{}", served.port);
    assert_eq!(
        served.get("/", &[("Host", &local), ("Cookie", &cookie)]).0,
        200
    );
}

#[test]
fn another_origin_is_turned_away() {
    let served = Served::new();
    let cookie = served.cookie();
    let other_port = format!("http://127.0.0.1:{}", served.port ^ 1);
    let secure = format!("https://127.0.0.1:{}", served.port);
    for origin in ["http://evil.example", "null", &other_port, &secure] {
        let (code, ..) = served.get("/", &[("Origin", origin), ("Cookie", &cookie)]);
        assert_eq!(code, 403, "{origin}");
        let refused = served.socket_with("", &cookie, origin).err().unwrap();
        assert_eq!(status(&refused), 403, "{origin}");
    }
    let refused = served.socket_with("", &cookie, "").err().unwrap();
    assert_eq!(status(&refused), 403, "a socket needs an origin");
    let own = format!("http://127.0.0.1:{}", served.port);
    let refused = served.socket_with("", "a=b", &own).err().unwrap();
    assert_eq!(status(&refused), 403, "a socket needs the cookie");
    assert!(served.socket_with("", &cookie, &own).is_ok());
}

#[test]
fn only_files_of_the_front_end_are_served() {
    let served = Served::new();
    let cookie = served.cookie();
    for path in [
        "/table.ron",
        "/../secret.ron",
        "/..%2fsecret.ron",
        "//etc/passwd",
        "/%2e%2e/secret.ron",
        "/dist/index.html",
    ] {
        let (status, _, body) = served.get(path, &[("Cookie", &cookie)]);
        assert!([400, 404].contains(&status), "{path}: {status}");
        assert!(!body.contains("ball"), "{path}");
    }
}

#[test]
fn only_this_machine_is_listened_to() {
    let served = Served::new();
    let all: Vec<_> = fs::read_to_string("/proc/net/tcp")
        .unwrap_or_default()
        .lines()
        .filter(|line| line.contains(&format!(":{:04X} 00000000:0000 0A", served.port)))
        .map(str::to_owned)
        .collect();
    for line in &all {
        assert!(line.contains("0100007F:"), "{line}");
    }
    #[cfg(target_os = "linux")]
    assert_eq!(all.len(), 1, "{all:?}");
}

#[test]
fn a_session_is_a_console() {
    let served = Served::new();
    let mut page = served.socket("").unwrap();
    let hello = page.hello();
    assert_eq!(
        (&hello["table"], &hello["resumed"]),
        (&json!("table.ron"), &json!(false))
    );
    let answer = page.lines(&["load \"table.ron\"", "run", "why floor"]);
    let replies = answer["replies"].as_array().unwrap();
    assert_eq!(replies.len(), 3);
    assert!(
        replies.iter().all(|reply| reply["failed"] == false),
        "{answer}"
    );
    assert_eq!(answer["place"]["time"], 2.0);
    assert_eq!(answer["place"]["model"], "ball");
    let answer = page.lines(&["goto 0.1", "print nothing", "run"]);
    assert_eq!(
        answer["replies"].as_array().unwrap().len(),
        2,
        "the first that fails is the last"
    );
    assert_eq!(answer["place"]["past"], true);
    let answer = page.lines(&["curves y from 0 to 1 into 50"]);
    let values = answer["replies"][0]["data"]["result"]["reals"][0]["values"]
        .as_array()
        .unwrap();
    assert!(values.len() > 50 && values.len() <= 102, "{}", values.len());
    // The first fall, against its formula.
    let curve = &answer["replies"][0]["data"]["result"];
    let times = curve["times"].as_array().unwrap();
    for (at, y) in times.iter().zip(values).take(30) {
        let (at, y) = (at.as_f64().unwrap(), y.as_f64().unwrap());
        assert!((y - (1.0 - 9.81 * at * at / 2.0)).abs() < 0.01, "{at} {y}");
    }
}

#[test]
fn a_page_completes_and_examines() {
    let served = Served::new();
    let mut page = served.socket("").unwrap();
    page.hello();
    page.lines(&["load table.ron"]);
    let answer = page.ask("complete", json!("why fl"));
    assert_eq!(
        answer["answer"],
        json!({ "begin": 4, "found": [["floor", "range"]] })
    );
    assert_eq!(page.ask("examine", json!(BALL))["answer"], json!([]));
    let found = page.ask("examine", json!(BALL.replace("integral(v)", "integral(w)")));
    assert_eq!(found["answer"][0]["code"], "N001");
    assert_eq!(
        page.ask("tables", json!(true))["answer"],
        json!(["table.ron"])
    );
}

#[test]
fn what_is_not_understood_gets_a_code() {
    let served = Served::new();
    for (message, code) in [
        (Message::text("hello"), 1007),
        (Message::text("{\"id\": 1}"), 1007),
        (Message::text("{\"id\": -1, \"lines\": []}"), 1007),
        (Message::text("{\"id\": 1, \"lines\": [7]}"), 1007),
        (Message::text("[".repeat(100_000)), 1007),
        (Message::binary(vec![0, 159, 146, 150]), 1003),
    ] {
        let mut page = served.socket("").unwrap();
        page.hello();
        page.socket.send(message).unwrap();
        assert_eq!(page.closed(), code);
    }
    // And the server goes on.
    assert!(served.socket("").is_ok());
}

/// Bytes that are no frames at all, many times over: the socket ends, the server does not.
#[test]
fn random_bytes_end_the_socket_only() {
    let limits = Limits {
        grace: Duration::from_millis(50),
        sessions: 20,
        ..Limits::default()
    };
    let served = Served::with(limits, false);
    let mut seed = 2011_u64;
    for length in [1, 2, 3, 7, 64, 1000, 70_000] {
        let mut page = served.socket("").unwrap();
        page.hello();
        let bytes: Vec<u8> = std::iter::repeat_with(|| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 56) as u8
        })
        .take(length)
        .collect();
        let stream = page.socket.get_mut();
        // It may hang up before it has all.
        let _ = stream.write_all(&bytes);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest);
    }
    // An unmasked frame breaks the protocol, and gets the code for that.
    let mut page = served.socket("").unwrap();
    page.hello();
    page.socket
        .get_mut()
        .write_all(&[0x81, 0x02, b'h', b'i'])
        .unwrap();
    assert_eq!(page.closed(), u16::from(CloseCode::Protocol));
    let mut page = served.socket("").unwrap();
    page.hello();
    assert_eq!(
        page.lines(&["load table.ron"])["replies"][0]["failed"],
        false
    );
}

#[test]
fn a_message_that_is_too_long_is_refused() {
    let limits = Limits {
        frame: 100_000,
        ..Limits::default()
    };
    let served = Served::with(limits, false);
    let mut page = served.socket("").unwrap();
    page.hello();
    let long = json!({ "id": 1, "examine": "x".repeat(100_001) }).to_string();
    page.socket.send(Message::text(long)).unwrap();
    assert_eq!(page.closed(), 1009);
    // So is an answer.
    let mut page = served.socket("").unwrap();
    page.hello();
    page.lines(&["load table.ron", "run"]);
    let answer = page.lines(&["curves y v into 4000"]);
    assert!(
        answer["error"].as_str().unwrap().contains("too long"),
        "{answer}"
    );
    assert_eq!(Limits::default().frame, 16 * 1024 * 1024);
    // A message of which much is still on its way is read to its end, so that its page hears why.
    let served = Served::new();
    let mut page = served.socket("").unwrap();
    page.hello();
    page.send("examine", json!("x".repeat(17 << 20)));
    assert_eq!(page.closed(), 1009);
}

#[test]
fn there_are_eight_sessions() {
    let served = Served::new();
    let mut pages: Vec<Page> = (0..8).map(|_| served.socket("").unwrap()).collect();
    pages.iter_mut().for_each(|page| {
        page.hello();
    });
    let mut ninth = served.socket("").unwrap();
    assert_eq!(ninth.closed(), 1013);
    // One that says that it goes makes room.
    let id = pages[0].send("lines", json!(["quit"]));
    assert_eq!((pages[0].closed(), id), (1000, 1));
    let mut ninth = served.socket("").unwrap();
    assert_eq!(ninth.hello()["resumed"], false);
}

#[test]
fn a_page_that_comes_back_finds_its_session() {
    let limits = Limits {
        grace: Duration::from_millis(400),
        ..Limits::default()
    };
    let served = Served::with(limits, false);
    let mut page = served.socket("").unwrap();
    let session = page.hello()["session"].as_str().unwrap().to_owned();
    page.lines(&["load table.ron", "run to 1"]);
    drop(page);
    let mut page = served.socket(&session).unwrap();
    assert_eq!(page.hello()["resumed"], true);
    assert_eq!(page.lines(&[])["place"]["time"], 1.0);
    drop(page);
    std::thread::sleep(Duration::from_millis(1500));
    let mut page = served.socket(&session).unwrap();
    assert_eq!(page.hello()["resumed"], false, "it has ended with its page");
    assert_eq!(Limits::default().grace, Duration::from_secs(60));
    let mut page = served.socket("0".repeat(64).as_str()).unwrap();
    let hello = page.hello();
    assert_eq!(hello["resumed"], false);
    assert_ne!(
        hello["session"],
        "0".repeat(64),
        "names of sessions are the server's"
    );
}

#[test]
fn a_second_page_takes_a_session_over() {
    let served = Served::new();
    let mut first = served.socket("").unwrap();
    let session = first.hello()["session"].as_str().unwrap().to_owned();
    first.lines(&["load table.ron", "run to 1"]);
    let mut second = served.socket(&session).unwrap();
    assert_eq!(second.hello()["resumed"], true);
    assert_eq!(first.closed(), 4001);
    assert_eq!(second.lines(&["run"])["place"]["time"], 2.0);
}

#[test]
fn a_run_is_stopped_and_has_a_budget() {
    let limits = Limits {
        budget: Duration::from_millis(300),
        ..Limits::default()
    };
    let served = Served::with(limits, false);
    let mut page = served.socket("").unwrap();
    page.hello();
    let begun = Instant::now();
    let answer = page.lines(&["load table.ron", "run to 1e9"]);
    assert_eq!(answer["replies"][1]["interrupted"], true, "{answer}");
    assert!(begun.elapsed() < Duration::from_secs(20));
    assert!(
        answer["place"]["time"].as_f64().unwrap() > 0.0,
        "what was done stays"
    );
    let served = Served::new();
    let mut page = served.socket("").unwrap();
    page.hello();
    page.lines(&["load table.ron"]);
    let id = page.send("lines", json!(["run to 1e9"]));
    std::thread::sleep(Duration::from_millis(300));
    page.send("stop", json!(true));
    let mut told = 0;
    loop {
        let answer = page.next().unwrap();
        assert_eq!(answer["id"], id);
        if answer["progress"].is_null() {
            assert_eq!(answer["replies"][0]["interrupted"], true);
            break;
        }
        told += 1;
    }
    assert!(told > 0, "it is told how far it is");
}

/// A stop breaks off what was asked before, also what its session has not begun yet.
#[test]
fn a_stop_is_for_all_that_was_asked_before() {
    let served = Served::new();
    let mut page = served.socket("").unwrap();
    page.hello();
    page.lines(&["load table.ron"]);
    let begun = Instant::now();
    let asked = [(); 3].map(|()| page.send("lines", json!(["run to 1e9"])));
    let stop = page.send("stop", json!(true));
    for id in asked {
        let answer = std::iter::repeat_with(|| page.next().unwrap())
            .find(|answer| answer["progress"].is_null())
            .unwrap();
        assert_eq!(answer["id"], id);
        assert_eq!(answer["replies"][0]["interrupted"], true, "{answer}");
    }
    assert!(begun.elapsed() < Duration::from_secs(20));
    assert_eq!(page.next().unwrap()["id"], stop);
    let answer = page.lines(&["run for 0.5"]);
    assert_eq!(answer["replies"][0]["interrupted"], false, "{answer}");
}

/// A session has no smaller a stack than the prompt: no nesting of scripts ends the server.
#[test]
fn scripts_that_read_each_other_end_no_server() {
    let served = Served::new();
    let folder = served.folder.path().join("open");
    for n in 0..600 {
        let text = format!("read {}.situ\n", n + 1);
        fs::write(folder.join(format!("{n}.situ")), text).unwrap();
    }
    let mut page = served.socket("").unwrap();
    page.hello();
    page.send("lines", json!(["read 0.situ"]));
    // The answer is nested as the scripts are, deeper than is read here.
    page.socket.read().unwrap();
    let answer = page.lines(&["load table.ron"]);
    assert_eq!(answer["place"]["model"], "ball");
}

/// A page that asks and does not read is given up; it holds no more than some answers.
#[test]
fn a_slow_reader_is_given_up() {
    let limits = Limits {
        patience: Duration::from_millis(500),
        queue: 4,
        ..Limits::default()
    };
    let served = Served::with(limits, false);
    let mut page = served.socket("").unwrap();
    page.hello();
    page.lines(&["load table.ron", "run"]);
    let begun = Instant::now();
    loop {
        let text = json!({ "id": 9, "lines": ["curves y v into 4000"] }).to_string();
        if page.socket.send(Message::text(text)).is_err() {
            break;
        }
        std::thread::sleep(Duration::from_millis(30));
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "it is not given up"
        );
    }
    let mut page = served.socket("").unwrap();
    page.hello();
    assert_eq!(
        page.lines(&["load table.ron"])["replies"][0]["failed"],
        false
    );
}

#[test]
fn messages_that_pile_up_are_refused() {
    let limits = Limits {
        queue: 2,
        ..Limits::default()
    };
    let served = Served::with(limits, false);
    let mut page = served.socket("").unwrap();
    page.hello();
    page.lines(&["load table.ron"]);
    for _ in 0..8 {
        page.send("lines", json!(["run to 1e9"]));
    }
    assert_eq!(page.closed(), 1008);
}

#[test]
fn files_stay_in_the_folder_and_are_not_written_over() {
    let served = Served::new();
    let folder = served.folder.path().join("open");
    let (mut page, mut other) = (served.socket("").unwrap(), served.socket("").unwrap());
    page.hello();
    other.hello();
    let secret = served.folder.path().join("secret.ron");
    for path in ["../secret.ron", secret.to_str().unwrap()] {
        let answer = page.lines(&[&format!("load {path}")]);
        assert!(
            answer["replies"][0]["text"]
                .as_str()
                .unwrap()
                .contains("outside"),
            "{answer}"
        );
    }
    page.lines(&["load table.ron"]);
    assert_eq!(
        page.lines(&["save ../new.ron"])["replies"][0]["failed"],
        true
    );
    assert!(!served.folder.path().join("new.ron").exists());
    // Two pages edit one table: the second to save is told.
    other.lines(&["load table.ron"]);
    let answer = page.lines(&["drop 1", "save!"]);
    assert_eq!(answer["replies"][1]["failed"], false, "{answer}");
    assert_eq!(other.ask("disk", json!(true))["answer"]["stale"], true);
    assert_eq!(page.ask("disk", json!(true))["answer"]["stale"], false);
    let answer = other.lines(&["set y = 2", "save!"]);
    assert_eq!(answer["replies"][1]["failed"], true, "{answer}");
    let text = answer["replies"][1]["text"].as_str().unwrap();
    assert!(text.contains("reload"), "{text}");
    let there = fs::read_to_string(folder.join("table.ron")).unwrap();
    assert!(!there.contains("[1]"), "{there}");
    // The way on.
    let answer = other.lines(&["reload", "save!"]);
    assert_eq!(answer["replies"][1]["failed"], false, "{answer}");
    assert_eq!(
        fs::read_dir(folder).unwrap().count(),
        1,
        "nothing is left behind"
    );
}

#[test]
fn a_server_ends_with_its_last_page() {
    let limits = Limits {
        grace: Duration::from_millis(200),
        ..Limits::default()
    };
    let mut served = Served::with(limits, true);
    let mut page = served.socket("").unwrap();
    let session = page.hello()["session"].as_str().unwrap().to_owned();
    drop(page);
    // A page that is loaded again keeps it.
    let mut page = served.socket(&session).unwrap();
    assert_eq!(page.hello()["resumed"], true);
    std::thread::sleep(Duration::from_millis(600));
    assert_eq!(
        page.lines(&["load table.ron"])["replies"][0]["failed"],
        false
    );
    drop(page);
    served.thread.take().unwrap().join().unwrap();
}
