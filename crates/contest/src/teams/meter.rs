//! The limits of a try, its time and its cancel, and what it has used so far.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use kumite_core::contest::{Failed, Failure as Kept, Used, pause_ms};
use kumite_formats::contest::Price;
use kumite_models::{Ask, Cancel, Client, Failure, Kind, Reply, Usage};

use crate::evaluate::asked;
use crate::work::Try;

pub(super) struct Meter<'a> {
    client: &'a Client,
    prices: &'a BTreeMap<String, Price>,
    pub cancel: &'a Cancel,
    timeout: Duration,
    end: Instant,
    /// A call reached the end of the try.
    ran_out: AtomicBool,
    used: Mutex<Used>,
}

impl<'a> Meter<'a> {
    pub fn new(
        client: &'a Client,
        prices: &'a BTreeMap<String, Price>,
        turn: &'a Try<'_>,
    ) -> Meter<'a> {
        Meter {
            client,
            prices,
            cancel: turn.cancel,
            timeout: turn.timeout,
            end: Instant::now() + turn.timeout,
            ran_out: AtomicBool::new(false),
            used: Mutex::default(),
        }
    }

    pub fn left(&self) -> Duration {
        self.end.saturating_duration_since(Instant::now())
    }

    pub fn is_over(&self) -> bool {
        self.ran_out.load(Ordering::Relaxed) || self.left().is_zero()
    }

    /// Asks, and asks again up to `retries` times if that may help and there is time.
    /// `paused` is told how long nothing was done in between.
    pub fn ask(
        &self,
        ask: &Ask,
        retries: u32,
        paused: &dyn Fn(Duration),
    ) -> Result<Reply, Failure> {
        let mut retried = 0;
        loop {
            let failure = match self.ask_once(ask) {
                Ok(reply) => return Ok(reply),
                Err(failure) => failure,
            };
            let usual = Duration::from_millis(pause_ms(retried + 1));
            let pause = failure.retry_after().unwrap_or(usual);
            if !failure.may_pass() || retried == retries || pause >= self.left() {
                return Err(failure);
            }
            // The following call notices a cancel.
            self.cancel.wait(pause);
            paused(pause);
            retried += 1;
        }
    }

    fn ask_once(&self, ask: &Ask) -> Result<Reply, Failure> {
        let left = self.left();
        let own = ask.options.timeout.unwrap_or(left);
        let mut bounded = ask.clone();
        bounded.options.timeout = Some(own.min(left));
        let outcome = match left.is_zero() {
            true => Err(Failure {
                kind: Kind::TimedOut,
                message: format!("no time was left to ask {}", ask.model.id),
            }),
            false => self.client.ask(&bounded, self.cancel),
        };
        match &outcome {
            Ok(reply) => self.charge(&ask.model.id.to_string(), reply.usage),
            Err(failure) if failure.kind == Kind::TimedOut && left <= own => {
                self.ran_out.store(true, Ordering::Relaxed);
            }
            Err(_) => {}
        }
        outcome
    }

    /// A model without a price costs nothing, as far as we know.
    pub fn charge(&self, model: &str, usage: Usage) {
        let price = self.prices.get(model).copied();
        let mut all = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        all.add(asked::used(usage, price));
    }

    pub fn used(&self) -> Used {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a failure of the leader means for the try.
    pub fn failed(&self, failure: &Failure) -> Failed {
        if self.is_over() && failure.kind != Kind::Cancelled {
            let seconds = self.timeout.as_secs_f64();
            let seconds = (seconds * 10.0).round() / 10.0;
            return Failed {
                failure: Kept::TimedOut,
                why: format!("no submission within {seconds} s: {failure}"),
                retry_after_ms: None,
            };
        }
        let failed = asked::missed(failure).failed;
        match failure.kind {
            // It was not the whole try that ran out of time.
            Kind::TimedOut => Failed {
                failure: Kept::Passing,
                ..failed
            },
            Kind::Malformed => Failed {
                failure: Kept::Unusable,
                ..failed
            },
            _ => failed,
        }
    }
}
