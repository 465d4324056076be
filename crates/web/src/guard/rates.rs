//! How often a client may ask, and how often it may guess.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// The most clients that are counted separately.
const PEERS_MAX: usize = 4096;

/// How much a bucket holds, and how much is refilled per second.
#[derive(Clone, Copy)]
struct Measure {
    burst: f64,
    each_second: f64,
}

const REQUESTS: Measure = Measure {
    burst: 1000.0,
    each_second: 200.0,
};
const GUESSES: Measure = Measure {
    burst: 20.0,
    each_second: 0.25,
};

/// Too many requests: try again after this many seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait(pub u32);

#[derive(Default)]
pub struct Rates {
    /// Clients that are logged in.
    known: Buckets<IpAddr>,
    /// All other clients. On one machine they share an address with logged-in clients, and must not
    /// use up their share.
    strangers: Buckets<IpAddr>,
    /// Wrong tokens and cookies. They do not lock out a person who has a link.
    guesses: Buckets<IpAddr>,
    links: Buckets<IpAddr>,
}

impl Rates {
    pub fn asks(&self, peer: IpAddr, is_known: bool, now: Instant) -> Result<(), Wait> {
        let requests = match is_known {
            true => &self.known,
            false => &self.strangers,
        };
        requests.take(neighbourhood(peer), now, REQUESTS)
    }

    /// Counts a wrong token or cookie. Too many in a row have to wait.
    pub fn guesses(&self, peer: IpAddr, now: Instant) -> Result<(), Wait> {
        self.guesses.take(neighbourhood(peer), now, GUESSES)
    }

    /// Counts a wrong link. A right link always works: nobody can guess 128 bits.
    pub fn guesses_link(&self, peer: IpAddr, now: Instant) -> Result<(), Wait> {
        self.links.take(neighbourhood(peer), now, GUESSES)
    }
}

/// IPv6 clients usually control a whole /64, so count the prefix, not the address.
fn neighbourhood(peer: IpAddr) -> IpAddr {
    match peer.to_canonical() {
        IpAddr::V6(address) => {
            let network = u128::from(address) >> 64 << 64;
            IpAddr::V6(Ipv6Addr::from(network))
        }
        v4 => v4,
    }
}

struct Buckets<K>(Mutex<HashMap<K, Bucket>>);

impl<K> Default for Buckets<K> {
    fn default() -> Self {
        Buckets(Mutex::default())
    }
}

struct Bucket {
    left: f64,
    at: Instant,
}

impl Bucket {
    fn left(&self, now: Instant, measure: Measure) -> f64 {
        let passed = now.saturating_duration_since(self.at).as_secs_f64();
        (self.left + passed * measure.each_second).min(measure.burst)
    }
}

impl<K: Hash + Eq> Buckets<K> {
    /// Takes one token out of the bucket, if there is one.
    fn take(&self, key: K, now: Instant, measure: Measure) -> Result<(), Wait> {
        let mut buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= PEERS_MAX && !buckets.contains_key(&key) {
            // A full bucket holds no information. If few are full, start all anew.
            buckets.retain(|_, bucket| bucket.left(now, measure) < measure.burst);
            if buckets.len() >= PEERS_MAX {
                buckets.clear();
            }
        }
        let bucket = buckets.entry(key).or_insert(Bucket {
            left: measure.burst,
            at: now,
        });
        let left = bucket.left(now, measure);
        let has = left >= 1.0;
        *bucket = Bucket {
            left: if has { left - 1.0 } else { left },
            at: now,
        };
        match has {
            true => Ok(()),
            false => Err(Wait(((1.0 - left) / measure.each_second).ceil() as u32)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn peer(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn a_burst_is_allowed_then_only_as_much_as_comes_back() {
        let (rates, now) = (Rates::default(), Instant::now());
        let one = peer("192.0.2.1");
        for is_known in [false, true] {
            assert!((0..1000).all(|_| rates.asks(one, is_known, now).is_ok()));
            assert_eq!(rates.asks(one, is_known, now), Err(Wait(1)));
            assert!(rates.asks(peer("192.0.2.2"), is_known, now).is_ok());
            let later = now + Duration::from_secs(1);
            let again = (0..300).filter(|_| rates.asks(one, is_known, later).is_ok());
            assert_eq!(again.count(), 200);
        }
    }

    #[test]
    fn after_twenty_wrong_ones_nobody_is_told_more_for_a_while() {
        let (rates, now) = (Rates::default(), Instant::now());
        let one = peer("192.0.2.1");
        assert!((0..20).all(|_| rates.guesses(one, now).is_ok()));
        assert_eq!(rates.guesses(one, now), Err(Wait(4)));
        assert!(rates.guesses_link(one, now).is_ok());
        // A client that waits as long as it was told may guess once more.
        let later = now + Duration::from_secs(3);
        assert_eq!(rates.guesses(one, later), Err(Wait(1)));
        let later = now + Duration::from_secs(4);
        assert!(rates.guesses(one, later).is_ok());
        assert_eq!(rates.guesses(one, later), Err(Wait(4)));
    }

    #[test]
    fn addresses_of_one_network_are_one_peer() {
        let (rates, now) = (Rates::default(), Instant::now());
        for number in 0..20 {
            let one = peer(&format!("2001:db8::{number:x}"));
            assert!(rates.guesses(one, now).is_ok());
        }
        assert!(rates.guesses(peer("2001:db8::ffff"), now).is_err());
        assert!(rates.guesses(peer("2001:db8:0:1::1"), now).is_ok());
    }

    #[test]
    fn many_peers_do_not_fill_the_memory() {
        let (rates, now) = (Rates::default(), Instant::now());
        for number in 0..3 * PEERS_MAX as u32 {
            let _ = rates.asks(IpAddr::V4(number.into()), false, now);
        }
        assert!(rates.strangers.0.lock().unwrap().len() <= PEERS_MAX);
    }
}
