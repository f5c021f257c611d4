//! The page: sessions with rule tables in a browser, from a server on this machine.
//!
//! `request -> door -> file of the front end`, and `message of a socket -> session (a Console on a thread) -> reply`.
//! A [`Server`] listens at 127.0.0.1 by its `listener`. `door` lets in who has the token of the address, `socket` carries
//! messages, `sessions` keeps a thread with a [`Console`] for each page, `message` is what both sides say, `files` is the
//! part of the disk that a page sees. The front end is TypeScript in `web/`, made into `dist/` by the program `bundle`.
//!
//! Nothing here knows rules or runs: a message is a line of the prompt, a reply what the console answers.

mod assets;
mod door;
mod files;
mod listener;
mod message;
mod session;
mod sessions;
mod socket;
#[cfg(test)]
mod tests;

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::get;
use situ_console::{Console, Files};
use tokio::sync::watch;

pub use assets::{Assets, bundled};
use door::Door;
pub use files::{Rooted, folder_of};
use listener::Listener;
use sessions::Sessions;

/// Bounds of what pages may take.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Limits {
    /// Most sessions at a time.
    pub sessions: usize,
    /// Longest message, in either direction (in bytes).
    pub frame: usize,
    /// How long a session outlives its page.
    pub grace: Duration,
    /// Longest work on one line, after which it is broken off.
    pub budget: Duration,
    /// How long a page may take to receive a reply, and to hear that its connection is over.
    pub patience: Duration,
    /// Most messages that wait to be worked on.
    pub queue: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            sessions: 8,
            frame: 16 << 20,
            grace: Duration::from_secs(60),
            budget: Duration::from_secs(60),
            patience: Duration::from_secs(20),
            queue: 64,
        }
    }
}

/// What is served, and how.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Folder that pages see.
    pub folder: PathBuf,
    /// Table in it with which a page begins.
    pub table: Option<String>,
    /// Port; 0 takes a free one.
    pub port: u16,
    /// True: the server ends when the last page is closed.
    pub once: bool,
    /// Bounds.
    pub limits: Limits,
    /// The front end.
    pub assets: Assets,
}

/// Makes the console of a session from the files that it may see.
pub type NewConsole = Arc<dyn Fn(Arc<dyn Files>) -> Console + Send + Sync>;

/// A server that listens.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    door: Arc<Door>,
    sessions: Arc<Sessions>,
    stop: watch::Sender<bool>,
}

/// Ends a server, from any thread.
#[derive(Clone, Debug)]
pub struct Stopper(watch::Sender<bool>);

impl Stopper {
    /// Lets the server end.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
}

impl Server {
    /// Begins to listen at 127.0.0.1.
    ///
    /// # Errors
    ///
    /// The folder cannot be read, the port is taken, or the system gives no random numbers.
    pub fn bind(settings: Settings, new_console: NewConsole) -> io::Result<Self> {
        let folder = settings.folder.canonicalize()?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, settings.port))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let (stop, _) = watch::channel(false);
        let door = Arc::new(Door::new(address.port(), settings.assets)?);
        let sessions = Arc::new(Sessions::new(
            settings,
            folder,
            new_console,
            Stopper(stop.clone()),
        ));
        Ok(Self {
            listener,
            address,
            door,
            sessions,
            stop,
        })
    }

    /// The address for a browser, with the token that lets it in.
    pub fn address(&self) -> String {
        format!("http://{}/?token={}", self.address, self.door.token())
    }

    /// What ends the server.
    pub fn stopper(&self) -> Stopper {
        Stopper(self.stop.clone())
    }

    /// Serves until it is told to stop or, if that was asked for, the last page is closed.
    ///
    /// # Errors
    ///
    /// The system gives no more connections.
    pub fn run(self) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let mut stopped = self.stop.subscribe();
        let outcome = runtime.block_on(async move {
            let listener = Listener {
                inner: tokio::net::TcpListener::from_std(self.listener)?,
                patience: self.sessions.limits.patience,
            };
            let app = Router::new()
                .route("/socket", get(socket::upgrade))
                .with_state(Arc::clone(&self.sessions))
                .fallback_service(get(door::file).with_state(Arc::clone(&self.door)))
                .layer(from_fn_with_state(Arc::clone(&self.door), door::check));
            let serving = axum::serve(listener, app).into_future();
            tokio::select! {
                outcome = serving => outcome,
                _ = stopped.wait_for(|stop| *stop) => {
                    self.sessions.end_all();
                    Ok(())
                }
            }
        });
        // A session that is in the middle of a step must not hold the program.
        runtime.shutdown_background();
        outcome
    }
}
