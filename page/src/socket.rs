//! A socket: carries the messages of a page to its session and the answers back.

use std::sync::Arc;
use std::sync::mpsc::TrySendError;

use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Query, State};
use axum::response::Response;
use serde::Deserialize;
use situ_words::{Phrase, phrase};
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

use crate::message::{self, Request};
use crate::session::Outgoing;
use crate::sessions::{Lease, Sessions};

/// Answers that wait for a page which reads slowly; the session waits with them.
const WAITING: usize = 8;

/// The session was taken over by another page.
const TAKEN_OVER: (u16, Phrase) = (4001, phrase!("page-taken-over"));
/// There are too many sessions.
const TOO_MANY: u16 = 1013;
/// A message is no text.
const NO_TEXT: (u16, Phrase) = (1003, phrase!("page-no-text"));
/// A message is not one of this server.
const NOT_UNDERSTOOD: (u16, Phrase) = (1007, phrase!("page-not-understood"));
/// A message breaks the protocol, or is too long.
const NO_PROTOCOL: (u16, Phrase) = (1002, phrase!("page-no-protocol"));
const TOO_LONG: (u16, Phrase) = (1009, phrase!("page-too-long"));
/// Messages come faster than they are done.
const TOO_FAST: (u16, Phrase) = (1008, phrase!("page-too-fast"));

/// The session that a page had before.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Before {
    #[serde(default)]
    session: String,
}

/// Opens a socket.
pub(crate) async fn upgrade(
    State(sessions): State<Arc<Sessions>>,
    Query(before): Query<Before>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let limits = sessions.limits;
    upgrade
        .max_message_size(limits.frame)
        .max_frame_size(limits.frame)
        .on_upgrade(move |socket| serve(sessions, before.session, socket))
}

async fn serve(sessions: Arc<Sessions>, before: String, mut socket: WebSocket) {
    let lease = match sessions.lend(&before) {
        Ok(lease) => lease,
        Err(why) => return close(&mut socket, &sessions, (TOO_MANY, why)).await,
    };
    let folder = sessions.folder.file_name().unwrap_or_default();
    let hello = message::hello(
        &lease.name,
        lease.is_resumed,
        &folder.to_string_lossy(),
        sessions.table.as_deref(),
    );
    let mut is_ended = false;
    if send(&mut socket, &sessions, hello).await {
        let end = talk(&mut socket, &sessions, &lease).await;
        if let Some(end) = end {
            // The session itself is over, or its page has done something that none of ours does.
            is_ended = matches!(end.0, 1000 | 1011);
            close(&mut socket, &sessions, end).await;
        }
    }
    // The page sees at once that it is over.
    drop(socket);
    let Lease { name, page, .. } = lease;
    match is_ended {
        true => sessions.end(&name),
        false => sessions.leave(&name, page).await,
    }
}

/// Carries messages until the page is gone; the code and the reason to close with, if it is not.
async fn talk(socket: &mut WebSocket, sessions: &Sessions, lease: &Lease) -> Option<(u16, Phrase)> {
    let (answer, mut answers) = mpsc::channel(WAITING);
    let mut owner = lease.owner.clone();
    loop {
        tokio::select! {
            () = other_page(&mut owner, lease.page) => return Some(TAKEN_OVER),
            outgoing = answers.recv() => match outgoing {
                Some(Outgoing::Text(text)) => {
                    if !send(socket, sessions, text).await {
                        return None;
                    }
                }
                Some(Outgoing::End(code, why)) => return Some((code, why)),
                None => return None,
            },
            incoming = socket.recv() => {
                let text = match incoming? {
                    Ok(Message::Text(text)) => text,
                    Ok(Message::Binary(_)) => return Some(NO_TEXT),
                    Ok(Message::Close(_)) => return None,
                    Ok(Message::Ping(_) | Message::Pong(_)) => continue,
                    Err(error) => {
                        let is_long = error.to_string().contains("too long");
                        return Some(if is_long { TOO_LONG } else { NO_PROTOCOL });
                    }
                };
                let Ok(request) = serde_json::from_str::<Request>(&text) else {
                    return Some(NOT_UNDERSTOOD);
                };
                match lease.session.send(request, answer.clone()) {
                    Ok(()) => {}
                    Err(TrySendError::Full(_)) => return Some(TOO_FAST),
                    Err(TrySendError::Disconnected(_)) => return Some((1011, phrase!("page-session-over"))),
                }
            }
        }
    }
}

/// Waits until another page has the session.
async fn other_page(owner: &mut watch::Receiver<u64>, page: u64) {
    // A session that is gone has no page at all.
    let _ = owner.wait_for(|owner| *owner != page).await;
}

/// Sends a message; false if the page is gone or does not take it in time.
async fn send(socket: &mut WebSocket, sessions: &Sessions, text: String) -> bool {
    let sent = timeout(sessions.limits.patience, socket.send(Message::text(text))).await;
    matches!(sent, Ok(Ok(())))
}

async fn close(socket: &mut WebSocket, sessions: &Sessions, (code, reason): (u16, Phrase)) {
    let frame = CloseFrame {
        code,
        reason: reason.to_string().into(),
    };
    // It may be gone already.
    let _ = timeout(
        sessions.limits.patience,
        socket.send(Message::Close(Some(frame))),
    )
    .await;
}
