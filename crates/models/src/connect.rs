//! Connections that end when their call is cancelled, so that nobody pays for an answer that nobody
//! reads.

use std::cell::RefCell;
use std::io;
use std::time::Duration;

use ureq::Error;
use ureq::unversioned::transport::{
    Buffers, ConnectProxyConnector, ConnectionDetails, Connector, NextTimeout, RustlsConnector,
    TcpConnector, Transport, time,
};

use crate::cancel::Cancel;

/// How often a waiting call checks for cancellation.
const LOOK: Duration = Duration::from_millis(50);

thread_local! {
    /// The cancel flag of this thread's call.
    static CANCEL: RefCell<Option<Cancel>> = const { RefCell::new(None) };
}

/// Makes a call in this thread. Its connection is closed soon after `cancel`.
pub fn cancellable<T>(cancel: &Cancel, call: impl FnOnce() -> T) -> T {
    let before = CANCEL.replace(Some(cancel.clone()));
    let done = call();
    CANCEL.set(before);
    done
}

/// Like ureq's own connector, with connections that a cancel ends.
pub fn connector() -> impl Connector<(), Out = impl Transport> {
    ().chain(ConnectProxyConnector::default())
        .chain(TcpConnector::default())
        .chain(Watch)
        .chain(RustlsConnector::default())
}

#[derive(Debug)]
struct Watch;

impl<In: Transport> Connector<In> for Watch {
    type Out = Watched<In>;

    fn connect(
        &self,
        _: &ConnectionDetails<'_>,
        chained: Option<In>,
    ) -> Result<Option<Watched<In>>, Error> {
        Ok(chained.map(Watched))
    }
}

#[derive(Debug)]
struct Watched<T>(T);

impl<T: Transport> Transport for Watched<T> {
    fn buffers(&mut self) -> &mut dyn Buffers {
        self.0.buffers()
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        check()?;
        self.0.transmit_output(amount, timeout)
    }

    /// Waits in small steps. At the level of TCP a step that ends early loses nothing.
    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        let end = std::time::Instant::now().checked_add(*timeout.after);
        loop {
            check()?;
            let left = end.map(|end| end.saturating_duration_since(std::time::Instant::now()));
            let step = left.map_or(LOOK, |left| left.min(LOOK));
            let waited = self.0.await_input(NextTimeout {
                after: time::Duration::Exact(step),
                ..timeout
            });
            match waited {
                Err(Error::Timeout(_)) if left.is_none_or(|left| left > step) => {}
                waited => return waited,
            }
        }
    }

    fn is_open(&mut self) -> bool {
        self.0.is_open()
    }

    fn is_tls(&self) -> bool {
        self.0.is_tls()
    }
}

fn check() -> Result<(), Error> {
    let is_cancelled = |cancel: &Option<Cancel>| cancel.as_ref().is_some_and(Cancel::is_cancelled);
    match CANCEL.with_borrow(is_cancelled) {
        true => Err(io::Error::new(io::ErrorKind::ConnectionAborted, "cancelled").into()),
        false => Ok(()),
    }
}
