//! Every request passes here before any of it is handled, and every answer on its way out.

mod body;
mod dress;
mod hosts;
mod rates;
mod verdict;

use std::convert::Infallible;
use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use futures_util::FutureExt;
use tower::ServiceExt;

use crate::api::Refusal;
use crate::app::{self, Shared};
use crate::auth::Who;
use crate::pages;
use crate::room::Seat;

pub use hosts::Hosts;
use rates::{Rates, Wait};
use verdict::{Asked, Refused, is_change, verdict};

/// The two ends of a connection.
#[derive(Clone, Copy, Debug)]
pub struct Ends {
    pub peer: SocketAddr,
    pub local: SocketAddr,
}

/// Checks requests before they reach the routes.
pub struct Guard {
    app: Shared,
    router: Router,
    hosts: Hosts,
    rates: Rates,
    is_ending: Arc<AtomicBool>,
}

impl Guard {
    pub fn new(app: &Shared, hosts: Hosts, is_ending: Arc<AtomicBool>) -> Guard {
        Guard {
            app: Arc::clone(app),
            router: app::router(Arc::clone(app)),
            hosts,
            rates: Rates::default(),
            is_ending,
        }
    }

    pub async fn answer(
        &self,
        ends: Ends,
        request: hyper::Request<hyper::body::Incoming>,
        seat: &Seat,
    ) -> Result<Response, Infallible> {
        let request = request.map(Body::new);
        let path = request.uri().path().to_owned();
        let mut response = match self.admit(ends, request, seat).await {
            Ok(response) => dress::words(&path, response).await,
            Err(refusal) => refusal.into_response(&path),
        };
        dress::dress(&path, self.hosts.is_tls(), &mut response);
        Ok(response)
    }

    async fn admit(&self, ends: Ends, mut request: Request, seat: &Seat) -> Result<Response, No> {
        let now = Instant::now();
        let who = self.known(ends, &request, now)?;
        if is_change(request.method()) && self.is_ending.load(Ordering::Acquire) {
            return Err(No::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "the server ends; start it again with `kumite serve`",
            ));
        }
        if let Some(who) = who {
            if !seat.keep() {
                let gone = "the connection is needed for others; open another one";
                return Err(No::new(StatusCode::SERVICE_UNAVAILABLE, gone));
            }
            request.extensions_mut().insert(who);
        }
        request.extensions_mut().insert(ends);
        let is_login = is_login(&request);
        let request = body::read(request).await?;
        let response = shielded(self.router.clone().oneshot(request)).await?;
        if is_login && response.status() == StatusCode::UNAUTHORIZED {
            let told = self.rates.guesses_link(ends.peer.ip(), now);
            told.map_err(|wait| No::too_often("too many wrong links; wait a moment", wait))?;
        }
        Ok(response)
    }

    /// The verdict, unless the client asks or guesses too often.
    fn known(&self, ends: Ends, request: &Request, now: Instant) -> Result<Option<Who>, No> {
        let peer = ends.peer.ip();
        let asked = Asked {
            method: request.method(),
            uri: request.uri(),
            headers: request.headers(),
            ends,
        };
        let verdict = verdict(&self.hosts, &self.app.auth, &asked);
        let is_foreign = verdict.as_ref().is_err_and(|refused| refused.is_foreign());
        // A foreign page can make a browser send requests. They do not count against the browser's
        // owner.
        if !is_foreign {
            let is_known = matches!(verdict, Ok(Some(_)));
            let asked = self.rates.asks(peer, is_known, now);
            asked.map_err(|wait| No::too_often("too many requests; wait a moment", wait))?;
        }
        if let Err(Refused::Wrong) = verdict {
            let told = self.rates.guesses(peer, now);
            told.map_err(|wait| No::too_often("too many wrong tokens; wait a moment", wait))?;
        }
        verdict.map_err(|refused| No::from_verdict(refused, request))
    }
}

fn is_login(request: &Request) -> bool {
    request.uri().path() == pages::LOGIN
}

/// A panic ends only this request.
async fn shielded(
    routed: impl Future<Output = Result<Response, Infallible>>,
) -> Result<Response, No> {
    match AssertUnwindSafe(routed).catch_unwind().await {
        Ok(Ok(response)) => Ok(response),
        Ok(Err(never)) => match never {},
        Err(_) => Err(No::broken()),
    }
}

/// A refusal on its way out.
pub struct No {
    refusal: Refusal,
    /// Seconds.
    retry_after: Option<u32>,
    /// Set if a link on another site led here: the browser sends the cookie only after a click on
    /// our own page.
    again: Option<String>,
}

impl No {
    fn new(status: StatusCode, message: &str) -> No {
        No {
            refusal: Refusal {
                status,
                message: message.to_owned(),
            },
            retry_after: None,
            again: None,
        }
    }

    fn too_often(message: &str, Wait(seconds): Wait) -> No {
        No {
            retry_after: Some(seconds),
            ..No::new(StatusCode::TOO_MANY_REQUESTS, message)
        }
    }

    fn broken() -> No {
        No::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "this answer broke down; it is a bug",
        )
    }

    fn from_verdict(refused: Refused, request: &Request) -> No {
        let came_from_elsewhere = verdict::is_from_elsewhere(request.headers());
        let again = (refused == Refused::Unknown && came_from_elsewhere)
            .then(|| request.uri().path().to_owned());
        No {
            again,
            ..No::new(refused.status(), refused.sentence())
        }
    }

    fn into_response(self, path: &str) -> Response {
        use axum::response::IntoResponse;
        let mut response = match path.starts_with(dress::API) {
            true => self.refusal.into_response(),
            false => pages::refused(&self.refusal, self.again.as_deref()),
        };
        if let Some(seconds) = self.retry_after {
            let headers = response.headers_mut();
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use axum::routing::get;

    use super::*;

    async fn breaks() {
        panic!("on purpose");
    }

    #[test]
    fn a_panic_ends_the_request_and_nothing_else() {
        let router = Router::new().route("/", get(breaks));
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        for _ in 0..2 {
            let routed = router.clone().oneshot(Request::new(Body::empty()));
            let no = runtime.block_on(shielded(routed)).err().unwrap();
            let response = no.into_response("/");
            assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
        }
    }
}
