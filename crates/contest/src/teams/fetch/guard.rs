//! Which addresses a fetch may reach, checked when the connection is made.

use std::net::IpAddr;

use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

use super::Error;

/// Resolves names, and refuses those that lead inside.
#[derive(Debug)]
pub struct Guard {
    names: DefaultResolver,
    may_reach: fn(IpAddr) -> bool,
}

impl Guard {
    pub fn new(may_reach: fn(IpAddr) -> bool) -> Guard {
        Guard {
            names: DefaultResolver::default(),
            may_reach,
        }
    }
}

impl Resolver for Guard {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let found = self.names.resolve(uri, config, timeout)?;
        let mut addresses = found.iter().map(|address| address.ip());
        match addresses.find(|address| !(self.may_reach)(*address)) {
            Some(address) => {
                let host = uri.host().unwrap_or_default().to_owned();
                Err(ureq::Error::Other(Box::new(Error::Private {
                    host,
                    address,
                })))
            }
            None => Ok(found),
        }
    }
}

/// Whether `address` means the same machine for everybody, and is not internal.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => {
            let [a, b, c, _] = address.octets();
            !matches!(
                (a, b, c),
                (0 | 10 | 127 | 224.., _, _)
                    | (100, 64..=127, _)
                    | (169, 254, _)
                    | (172, 16..=31, _)
                    | (192, 168, _)
                    | (192, 0, 0 | 2)
                    | (192, 88, 99)
                    | (198, 18 | 19, _)
                    | (198, 51, 100)
                    | (203, 0, 113)
            )
        }
        IpAddr::V6(address) => {
            if let Some(inner) = address.to_ipv4_mapped() {
                return is_public(IpAddr::V4(inner));
            }
            match address.segments() {
                // NAT64: the embedded address counts.
                [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
                    let inner = u32::from(high) << 16 | u32::from(low);
                    is_public(IpAddr::V4(inner.into()))
                }
                // Tunnels, which hide another address, and reserved or example addresses.
                [0x2001, 0..=0x1ff | 0xdb8, ..] | [0x2002, ..] | [0x3fff, ..] => false,
                [first, ..] => first & 0xe000 == 0x2000,
            }
        }
    }
}
