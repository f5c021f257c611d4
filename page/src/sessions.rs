//! The sessions of all pages: how many there are, whose they are, when they end.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use situ_words::{Phrase, phrase};
use tokio::sync::watch;

use crate::door::secret;
use crate::files::Rooted;
use crate::session::Session;
use crate::{Limits, NewConsole, Settings, Stopper};

/// How long the page of a server that ends with it may take to be loaded again.
const RELOAD: Duration = Duration::from_secs(5);

/// A session with the page that it has.
#[derive(Debug)]
struct Kept {
    session: Session,
    /// Number of the page that has it; a page that is no longer that one is sent away.
    page: watch::Sender<u64>,
    /// True if that page is there.
    is_open: bool,
}

/// A session as a page gets it.
#[derive(Debug)]
pub(crate) struct Lease {
    pub(crate) name: String,
    pub(crate) session: Session,
    /// Number of this page.
    pub(crate) page: u64,
    /// Number of the page that has the session.
    pub(crate) owner: watch::Receiver<u64>,
    /// True if the session was there before.
    pub(crate) is_resumed: bool,
}

/// The sessions of all pages.
pub(crate) struct Sessions {
    pub(crate) limits: Limits,
    pub(crate) folder: PathBuf,
    pub(crate) table: Option<String>,
    once: bool,
    new_console: NewConsole,
    stopper: Stopper,
    kept: Mutex<BTreeMap<String, Kept>>,
}

impl std::fmt::Debug for Sessions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sessions")
            .field("folder", &self.folder)
            .field("kept", &self.kept)
            .finish_non_exhaustive()
    }
}

impl Sessions {
    pub(crate) fn new(
        settings: Settings,
        folder: PathBuf,
        new_console: NewConsole,
        stopper: Stopper,
    ) -> Self {
        Self {
            limits: settings.limits,
            folder,
            table: settings.table,
            once: settings.once,
            new_console,
            stopper,
            kept: Mutex::default(),
        }
    }

    fn kept(&self) -> MutexGuard<'_, BTreeMap<String, Kept>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The session of that name, or a new one.
    ///
    /// # Errors
    ///
    /// There are too many, or the system gives no more; in words.
    pub(crate) fn lend(&self, name: &str) -> Result<Lease, Phrase> {
        let mut kept = self.kept();
        if let Some(found) = kept.get_mut(name) {
            found.page.send_modify(|page| *page += 1);
            found.is_open = true;
            return Ok(Lease {
                name: name.to_owned(),
                session: found.session.clone(),
                page: *found.page.borrow(),
                owner: found.page.subscribe(),
                is_resumed: true,
            });
        }
        if kept.len() >= self.limits.sessions {
            return Err(phrase!("page-too-many"));
        }
        let failed = |_| phrase!("page-no-more");
        let files = Rooted::new(&self.folder).map_err(|_| phrase!("page-folder-gone"))?;
        let name = secret().map_err(failed)?;
        let session =
            Session::begin(files, Arc::clone(&self.new_console), self.limits).map_err(failed)?;
        let (page, owner) = watch::channel(0);
        let new = Kept {
            session: session.clone(),
            page,
            is_open: true,
        };
        kept.insert(name.clone(), new);
        Ok(Lease {
            name,
            session,
            page: 0,
            owner,
            is_resumed: false,
        })
    }

    /// Lets a session go on without its page for a while.
    pub(crate) async fn leave(&self, name: &str, page: u64) {
        let is_left = |kept: &Kept| *kept.page.borrow() == page && !kept.is_open;
        if let Some(left) = self.kept().get_mut(name)
            && *left.page.borrow() == page
        {
            left.is_open = false;
        }
        let grace = match self.once {
            true => self.limits.grace.min(RELOAD),
            false => self.limits.grace,
        };
        tokio::time::sleep(grace).await;
        let is_over = self.kept().get(name).is_some_and(is_left);
        if is_over {
            self.end(name);
        }
    }

    /// Ends a session.
    pub(crate) fn end(&self, name: &str) {
        let mut kept = self.kept();
        if let Some(gone) = kept.remove(name) {
            gone.session.end();
        }
        if self.once && kept.is_empty() {
            self.stopper.stop();
        }
    }

    /// Ends all sessions.
    pub(crate) fn end_all(&self) {
        for gone in std::mem::take(&mut *self.kept()).into_values() {
            gone.session.end();
        }
    }
}
