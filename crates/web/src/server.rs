//! Starts listening, and ends.

use std::net::{IpAddr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use kumite_project::books::Books;
use kumite_project::kept::Kept;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::runtime::Runtime;
use tokio::sync::{oneshot, watch};

use crate::app::{App, Options};
use crate::audit::Audit;
use crate::auth::{self, Auth, Role};
use crate::connection;
use crate::guard::{Guard, Hosts};
use crate::hub::Hub;
use crate::keep::Keeper;
use crate::log::Logs;
use crate::running::{self, Running};
use crate::tls::{self, Tls};
use crate::{reach, tls::Files};

/// How long the links shown at the start are valid.
const FIRST_LINK: Duration = Duration::from_secs(60 * 60);
/// Enough for all connections and all files.
const FILES_MAX: u64 = 8192;
/// How many files are read at the same time; other reads wait.
const READERS_MAX: usize = 64;
/// How long blocking work, such as reading a file, is waited for at the end.
const LAST: Duration = Duration::from_millis(200);

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Auth(#[from] auth::Error),
    #[error(transparent)]
    Tls(#[from] tls::Error),
    #[error("cannot listen on {address} (give another `--listen`; port 0 takes a free one)")]
    Listen {
        address: SocketAddr,
        source: std::io::Error,
    },
    #[error("cannot start the server")]
    Start(#[from] std::io::Error),
}

/// Where to listen, and under which names.
pub struct Listen {
    /// Beyond loopback TLS is used, with or without given files.
    pub address: SocketAddr,
    /// Host names in addition to those that we find ourselves.
    pub hosts: Vec<String>,
    pub tls: Option<Files>,
}

/// A server that listens.
pub struct Server {
    runtime: Runtime,
    place: PathBuf,
    running: Running,
    keeper: Arc<Keeper>,
    is_ending: Arc<AtomicBool>,
    ended: watch::Sender<bool>,
    /// Resolves when all connections are closed.
    closed: oneshot::Receiver<()>,
    pub url: String,
    pub login_url: String,
    /// Beyond loopback: another link, for a phone.
    pub phone_url: Option<String>,
    /// The fingerprint of our own certificate, which no browser knows.
    pub fingerprint: Option<String>,
}

impl Server {
    pub fn start(options: Options, listen: &Listen) -> Result<Server, Error> {
        let place = options.project.runtime();
        let listener = bind(&place, listen.address)?;
        let address = listener.local_addr()?;
        let reach = Reach::find(listen);
        let tls = reach.tls(&place, listen)?;
        let hosts = Hosts::new(tls.is_some(), address.port(), reach.names.clone());
        let running = Running {
            url: reach.url(tls.is_some(), address),
            pid: std::process::id(),
            address,
        };
        raise_limit();
        let (ended, wait) = watch::channel(false);
        let app = Arc::new(App {
            auth: Auth::open(&place, tls.is_some())?,
            audit: Audit::new(&place),
            hub: Hub::start(&place)?,
            logs: Logs::default(),
            books: Mutex::new(Books::of(&options.project)),
            statuses: Kept::default(),
            ended: wait.clone(),
            project: options.project.clone(),
            loader: options.loader.clone(),
        });
        let login_url = running.link(&place, Role::Full, FIRST_LINK)?;
        let phone_url = match reach.is_loopback {
            true => None,
            false => Some(running.link(&place, Role::Full, FIRST_LINK)?),
        };
        let fingerprint = tls.as_ref().map(|tls| tls.fingerprint.clone());
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .max_blocking_threads(READERS_MAX)
            .enable_all()
            .build()?;
        // The first visitor does not wait for a thousand specs to be read.
        let of_reader = Arc::clone(&app);
        runtime.spawn_blocking(move || drop(of_reader.statuses.all(&of_reader.project)));
        let keeper = Arc::new(Keeper::start(options.project, options.loader)?);
        let is_ending = Arc::<AtomicBool>::default();
        let guard = Arc::new(Guard::new(&app, hosts, Arc::clone(&is_ending)));
        listener.set_nonblocking(true)?;
        let (close, closed) = oneshot::channel();
        runtime.spawn(async move {
            match tokio::net::TcpListener::from_std(listener) {
                Ok(listener) => {
                    let acceptor = tls.map(|tls| tls.acceptor);
                    connection::accept(listener, acceptor, guard, wait).await;
                }
                Err(error) => tracing::error!("cannot listen: {error}"),
            }
            let _ = close.send(());
        });
        running.begin(&place)?;
        Ok(Server {
            url: running.url.clone(),
            fingerprint: fingerprint.filter(|_| listen.tls.is_none()),
            runtime,
            place,
            running,
            keeper,
            is_ending,
            ended,
            closed,
            login_url,
            phone_url,
        })
    }

    /// What a signal does: the first ends agents with grace, the next without.
    pub fn ender(&self) -> impl Fn() + Send + 'static {
        let keeper = Arc::clone(&self.keeper);
        let is_ending = Arc::clone(&self.is_ending);
        move || {
            is_ending.store(true, Ordering::Release);
            keeper.end();
        }
    }

    /// Waits until the server was told to end and has ended. The pages stay up while the agents
    /// end.
    pub fn wait(self) {
        self.keeper.wait();
        self.running.end(&self.place);
        let _ = self.ended.send(true);
        let _ = self.runtime.block_on(self.closed);
        self.runtime.shutdown_timeout(LAST);
    }
}

/// If any port will do, the port of the last server is tried first: open pages wait for it there.
fn bind(place: &Path, address: SocketAddr) -> Result<TcpListener, Error> {
    let last = running::last_port(place).filter(|_| address.port() == 0);
    let again = last.and_then(|port| TcpListener::bind((address.ip(), port)).ok());
    again
        .map_or_else(|| TcpListener::bind(address), Ok)
        .map_err(|source| Error::Listen { address, source })
}

/// How others reach us.
struct Reach {
    is_loopback: bool,
    address: IpAddr,
    /// As they appear in `Host`.
    names: Vec<String>,
}

impl Reach {
    fn find(listen: &Listen) -> Reach {
        let ip = listen.address.ip();
        let is_loopback = ip.to_canonical().is_loopback();
        let outward = match ip.is_unspecified() {
            true => reach::outward(listen.address).unwrap_or([127, 0, 0, 1].into()),
            false => ip,
        };
        let machine = reach::machine().filter(|_| !is_loopback);
        Reach {
            is_loopback,
            address: outward,
            names: listen.hosts.iter().cloned().chain(machine).collect(),
        }
    }

    fn tls(&self, place: &Path, listen: &Listen) -> Result<Option<Tls>, Error> {
        let tls = match &listen.tls {
            Some(files) => Some(tls::given(files)?),
            None if self.is_loopback => None,
            None => {
                let always = ["localhost".to_owned(), "127.0.0.1".to_owned()];
                let address = self.address.to_string();
                let bare = |name: &String| name.trim_matches(['[', ']']).to_owned();
                let names = self.names.iter().map(bare);
                let names: Vec<String> = always.into_iter().chain([address]).chain(names).collect();
                Some(tls::own(&place.join("tls"), &names)?)
            }
        };
        Ok(tls)
    }

    fn url(&self, is_tls: bool, listening: SocketAddr) -> String {
        let scheme = if is_tls { "https" } else { "http" };
        let address = SocketAddr::new(self.address, listening.port());
        format!("{scheme}://{address}")
    }
}

/// Each connection is an open file, and the usual limit is lower than what we accept.
fn raise_limit() {
    let limit = getrlimit(Resource::Nofile);
    let wanted = limit.maximum.map_or(FILES_MAX, |hard| hard.min(FILES_MAX));
    if limit.current.is_some_and(|soft| soft < wanted) {
        let raised = Rlimit {
            current: Some(wanted),
            maximum: limit.maximum,
        };
        // On failure the old limit stays, with room for fewer connections.
        let _ = setrlimit(Resource::Nofile, raised);
    }
}
