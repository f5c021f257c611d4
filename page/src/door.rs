//! The door: who comes in. The token of the address becomes a cookie; another host or origin is turned away.

use std::io;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, COOKIE, HOST, LOCATION, ORIGIN,
    REFERRER_POLICY, SET_COOKIE, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use situ_words::{Phrase, phrase};

use crate::assets::{Assets, kind};

/// Bytes of a secret.
const SECRET: usize = 32;

/// What the front end may load and reach: this server.
const POLICY: &str =
    "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Headers of every answer.
const HEADERS: [(HeaderName, &str); 7] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "DENY"),
    (REFERRER_POLICY, "no-referrer"),
    (CACHE_CONTROL, "no-store"),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
];

/// What lets somebody in.
#[derive(Debug)]
pub(crate) struct Door {
    port: u16,
    /// Stands in the address.
    token: String,
    /// Stands in the cookie.
    pass: String,
    assets: Assets,
}

impl Door {
    pub(crate) fn new(port: u16, assets: Assets) -> io::Result<Self> {
        Ok(Self {
            port,
            token: secret()?,
            pass: secret()?,
            assets,
        })
    }

    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    /// Name of the cookie: cookies know no ports, and several servers may run.
    fn cookie(&self) -> String {
        format!("situ{}", self.port)
    }

    /// True if the host is this machine by a name that no other site can have.
    fn knows_host(&self, headers: &HeaderMap) -> bool {
        let host = headers.get(HOST).and_then(|host| host.to_str().ok());
        host.is_some_and(|host| self.hosts().iter().any(|known| known == host))
    }

    fn hosts(&self) -> [String; 2] {
        ["127.0.0.1", "localhost"].map(|name| format!("{name}:{}", self.port))
    }

    /// True if a page of this server asks; `None` if nothing says whose page it is.
    fn knows_origin(&self, headers: &HeaderMap) -> Option<bool> {
        let origin = headers.get(ORIGIN)?;
        let known = self.hosts().map(|host| format!("http://{host}"));
        Some(
            known
                .iter()
                .any(|known| origin.as_bytes() == known.as_bytes()),
        )
    }

    fn has_pass(&self, headers: &HeaderMap) -> bool {
        let name = self.cookie();
        let all = headers.get_all(COOKIE).into_iter();
        let texts = all.filter_map(|cookies| cookies.to_str().ok());
        let mut pairs = texts.flat_map(|text| text.split(';'));
        pairs.any(|pair| {
            let (key, value) = pair.trim().split_once('=').unwrap_or_default();
            key == name && same(value, &self.pass)
        })
    }

    /// True if the address has the token.
    fn has_token(&self, query: &str) -> bool {
        let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.any(|(key, value)| key == "token" && same(value, &self.token))
    }
}

/// A random text that nobody guesses.
///
/// # Errors
///
/// The system gives no random numbers.
pub(crate) fn secret() -> io::Result<String> {
    let mut bytes = [0; SECRET];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(situ_views::columns::csv::hexadecimal(&bytes))
}

/// True if two texts are equal, in a time that does not tell where they differ.
fn same(a: &str, b: &str) -> bool {
    let differs = a
        .bytes()
        .zip(b.bytes())
        .fold(0, |all, (a, b)| all | (a ^ b));
    a.len() == b.len() && differs == 0
}

/// Turns away whoever may not come in, and gives the answer of all others its headers.
pub(crate) async fn check(State(door): State<Arc<Door>>, request: Request, next: Next) -> Response {
    let (headers, uri) = (request.headers(), request.uri());
    let origin = door.knows_origin(headers);
    let is_socket = uri.path() == "/socket";
    let mut response = if !door.knows_host(headers) {
        said(
            StatusCode::MISDIRECTED_REQUEST,
            phrase!("page-not-that-host"),
        )
    } else if origin == Some(false) || (is_socket && origin.is_none()) {
        said(StatusCode::FORBIDDEN, phrase!("page-other-site"))
    } else if uri.path() == "/" && uri.query().is_some_and(|query| door.has_token(query)) {
        let cookie = format!(
            "{}={}; Path=/; HttpOnly; SameSite=Strict",
            door.cookie(),
            door.pass
        );
        let moved = [(LOCATION, "/".to_owned()), (SET_COOKIE, cookie)];
        (StatusCode::SEE_OTHER, moved).into_response()
    } else if !door.has_pass(headers) {
        let advice = phrase!("page-needs-address");
        said(StatusCode::FORBIDDEN, advice)
    } else {
        next.run(request).await
    };
    for (name, value) in HEADERS {
        response
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
    }
    response
}

/// A file of the front end.
pub(crate) async fn file(State(door): State<Arc<Door>>, request: Request) -> Response {
    let name = match request.uri().path() {
        "/" => "index.html",
        path => path.trim_start_matches('/'),
    };
    match (door.assets)(name) {
        Some(bytes) => ([(CONTENT_TYPE, kind(name))], bytes.into_owned()).into_response(),
        None => said(StatusCode::NOT_FOUND, phrase!("page-no-file")),
    }
}

fn said(status: StatusCode, text: Phrase) -> Response {
    (status, [(CONTENT_TYPE, kind(".txt"))], format!("{text}\n")).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_differ_and_are_compared_whole() {
        let (a, b) = (secret().unwrap(), secret().unwrap());
        assert_eq!(a.len(), 2 * SECRET);
        assert_ne!(a, b);
        assert!(same(&a, &a.clone()) && !same(&a, &b));
        assert!(!same(&a, &a[..63]) && !same("", &a) && !same(&format!("{a}0"), &a));
    }
}
