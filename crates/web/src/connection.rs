//! Connections: how many there may be, and how long each may make us wait.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;

use crate::guard::{Ends, Guard};
use crate::patient::Patient;
use crate::room::{Room, Seat};

const CONNECTIONS_MAX: u32 = 1500;
/// Time limit for the head of a request, counted from the last answer, and for the TLS handshake.
const HEAD: Duration = Duration::from_secs(10);
const HEAD_BYTES_MAX: usize = 64 * 1024;
/// How long we wait for a client that does not read what we send.
const WRITE: Duration = Duration::from_secs(30);
/// How long answers in progress may take when the server ends.
const GRACE: Duration = Duration::from_secs(2);
/// Pause when the system has no room for another connection.
const BREATH: Duration = Duration::from_millis(50);

/// Accepts connections until the server is told to end, then waits until all answers are sent or
/// the time is up.
pub async fn accept(
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    guard: Arc<Guard>,
    mut ended: watch::Receiver<bool>,
) {
    let room = Room::new(CONNECTIONS_MAX);
    for number in 0.. {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = ended.wait_for(|ended| *ended) => break,
        };
        let Ok((stream, peer)) = accepted else {
            sleep(BREATH).await;
            continue;
        };
        // Without a seat the connection is closed at once.
        if let Some(seat) = room.enter(number).await {
            let (tls, guard, ended) = (tls.clone(), Arc::clone(&guard), ended.clone());
            tokio::spawn(connection(stream, peer, tls, guard, ended, seat));
        }
    }
    drop(listener);
    let _ = timeout(GRACE, room.empty()).await;
}

async fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    tls: Option<TlsAcceptor>,
    guard: Arc<Guard>,
    ended: watch::Receiver<bool>,
    seat: Seat,
) {
    let Ok(local) = stream.local_addr() else {
        return;
    };
    let ends = Ends { peer, local };
    let _ = stream.set_nodelay(true);
    let stream = Patient::new(stream, WRITE);
    let talk = async {
        match tls {
            None => speak(stream, ends, &guard, ended, &seat).await,
            // A client that does not speak TLS is dropped after `HEAD`.
            Some(tls) => {
                if let Ok(Ok(stream)) = timeout(HEAD, tls.accept(stream)).await {
                    speak(stream, ends, &guard, ended, &seat).await;
                }
            }
        }
    };
    tokio::select! {
        () = talk => {}
        () = seat.dismissed() => {}
    }
}

async fn speak(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    ends: Ends,
    guard: &Guard,
    mut ended: watch::Receiver<bool>,
    seat: &Seat,
) {
    let service = service_fn(|request| guard.answer(ends, request, seat));
    let talk = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_header_size(HEAD_BYTES_MAX)
        .serve_connection(TokioIo::new(stream), service);
    tokio::pin!(talk);
    tokio::select! {
        // An error is ignored: the client is gone.
        _ = talk.as_mut() => return,
        _ = ended.wait_for(|ended| *ended) => talk.as_mut().graceful_shutdown(),
    }
    let _ = timeout(GRACE, talk).await;
}
