//! TLS, with a certificate of the user or with one that we make ourselves.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use kumite_project::clock::now_ms;
use ring::digest;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde::{Deserialize, Serialize};
use tokio_rustls::TlsAcceptor;

use crate::auth::private;

const DAY_MS: u64 = 24 * 60 * 60 * 1000;
/// The longest lifetime that browsers accept.
const LIFE_MS: u64 = 397 * DAY_MS;
/// A certificate with less time left is replaced.
const REST_MS: u64 = 30 * DAY_MS;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot read a certificate and its key from {cert} and {key}: {why}")]
    Given {
        cert: PathBuf,
        key: PathBuf,
        why: String,
    },
    #[error("cannot make a certificate in {dir}: {why}")]
    Own { dir: PathBuf, why: String },
}

/// The files of a certificate, in PEM.
#[derive(Clone, Debug)]
pub struct Files {
    pub cert: PathBuf,
    pub key: PathBuf,
}

pub struct Tls {
    pub acceptor: TlsAcceptor,
    /// SHA-256 of the certificate, as browsers show it.
    pub fingerprint: String,
}

/// What our own certificate was made for.
#[derive(Serialize, Deserialize)]
struct About {
    names: Vec<String>,
    until_ms: u64,
}

/// Uses the certificate of the user.
pub fn given(files: &Files) -> Result<Tls, Error> {
    let open = || -> Result<Tls, String> {
        let cert = std::fs::read(&files.cert).map_err(|error| error.to_string())?;
        let key = std::fs::read(&files.key).map_err(|error| error.to_string())?;
        tls(&cert, &key)
    };
    open().map_err(|why| Error::Given {
        cert: files.cert.clone(),
        key: files.key.clone(),
        why,
    })
}

/// Uses our own certificate in `dir`, for these names and addresses. It is kept as long as it fits,
/// so that a person has to trust it only once.
pub fn own(dir: &Path, names: &[String]) -> Result<Tls, Error> {
    kept(dir, names).map_or_else(|| make(dir, names), Ok)
}

fn kept(dir: &Path, names: &[String]) -> Option<Tls> {
    let about = private::read(&dir.join("about.json")).ok()??;
    let about: About = serde_json::from_slice(&about).ok()?;
    let fits =
        about.until_ms > now_ms() + REST_MS && names.iter().all(|name| about.names.contains(name));
    let cert = private::read(&dir.join("cert.pem")).ok()??;
    let key = private::read(&dir.join("key.pem")).ok()??;
    fits.then(|| tls(&cert, &key).ok()).flatten()
}

fn make(dir: &Path, names: &[String]) -> Result<Tls, Error> {
    let now = now_ms();
    let until_ms = now + LIFE_MS;
    let work = || -> Result<Tls, String> {
        let text = |error: rcgen::Error| error.to_string();
        let mut params = rcgen::CertificateParams::new(names).map_err(text)?;
        params.distinguished_name = rcgen::DistinguishedName::new();
        params
            .distinguished_name
            .push(rcgen::DnType::CommonName, "kumite serve");
        let at = |ms| rcgen::date_time_ymd(1970, 1, 1) + Duration::from_millis(ms);
        // The clock of a phone may be a little behind.
        params.not_before = at(now.saturating_sub(DAY_MS));
        params.not_after = at(until_ms);
        let key = rcgen::KeyPair::generate().map_err(text)?;
        let cert = params.self_signed(&key).map_err(text)?.pem();
        let key = key.serialize_pem();
        let about = About {
            names: names.to_vec(),
            until_ms,
        };
        let about = serde_json::to_vec(&about).map_err(|error| error.to_string())?;
        for (file, bytes) in [
            ("key.pem", key.as_bytes()),
            ("cert.pem", cert.as_bytes()),
            ("about.json", &about),
        ] {
            private::replace(&dir.join(file), bytes).map_err(|error| error.to_string())?;
        }
        tls(cert.as_bytes(), key.as_bytes())
    };
    work().map_err(|why| Error::Own {
        dir: dir.to_owned(),
        why,
    })
}

fn tls(cert: &[u8], key: &[u8]) -> Result<Tls, String> {
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(cert).collect();
    let chain = chain.map_err(|error| format!("the certificate: {error}"))?;
    let first = chain.first().ok_or("there is no certificate in it")?;
    let fingerprint = fingerprint(first);
    let key = PrivateKeyDer::from_pem_slice(key).map_err(|error| format!("the key: {error}"))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .map_err(|error| error.to_string())?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Tls {
        acceptor: TlsAcceptor::from(Arc::new(config)),
        fingerprint,
    })
}

fn fingerprint(cert: &CertificateDer<'_>) -> String {
    let hash = digest::digest(&digest::SHA256, cert);
    let bytes: Vec<String> = hash.as_ref().iter().map(|it| format!("{it:02X}")).collect();
    bytes.join(":")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn our_own_certificate_is_used_again_as_long_as_it_fits() {
        let dir = tempfile::tempdir().unwrap();
        let first = own(dir.path(), &names(&["localhost", "192.0.2.1"])).unwrap();
        let again = own(dir.path(), &names(&["192.0.2.1"])).unwrap();
        assert_eq!(first.fingerprint, again.fingerprint);
        assert_eq!(first.fingerprint.len(), 32 * 3 - 1);
        let moved = own(dir.path(), &names(&["192.0.2.9"])).unwrap();
        assert_ne!(first.fingerprint, moved.fingerprint);
        let key = std::fs::metadata(dir.path().join("key.pem")).unwrap();
        assert_eq!(key.mode() & 0o777, 0o600);
    }

    #[test]
    fn a_certificate_that_ends_soon_or_is_broken_is_made_anew() {
        let dir = tempfile::tempdir().unwrap();
        let name = names(&["localhost"]);
        let first = own(dir.path(), &name).unwrap();
        private::replace(&dir.path().join("key.pem"), b"broken").unwrap();
        let second = own(dir.path(), &name).unwrap();
        assert_ne!(first.fingerprint, second.fingerprint);
        let soon = About {
            names: name.clone(),
            until_ms: now_ms() + DAY_MS,
        };
        let soon = serde_json::to_vec(&soon).unwrap();
        private::replace(&dir.path().join("about.json"), &soon).unwrap();
        assert_ne!(
            second.fingerprint,
            own(dir.path(), &name).unwrap().fingerprint
        );
    }

    #[test]
    fn files_of_a_person_are_named_when_they_are_no_certificate() {
        let dir = tempfile::tempdir().unwrap();
        own(dir.path(), &names(&["localhost"])).unwrap();
        let (cert, key) = (dir.path().join("cert.pem"), dir.path().join("key.pem"));
        let files = Files { cert, key };
        assert!(given(&files).is_ok());
        let swapped = Files {
            cert: files.key.clone(),
            key: files.cert.clone(),
        };
        let missing = Files {
            cert: dir.path().join("none.pem"),
            ..files
        };
        for bad in [swapped, missing] {
            let Err(error) = given(&bad) else {
                panic!("{bad:?}");
            };
            assert!(error.to_string().contains(&*bad.cert.to_string_lossy()));
        }
    }
}
