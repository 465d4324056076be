//! Listening, and ending.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Runtime;
use tokio::sync::watch;

use crate::app::{self, App, Options};
use crate::audit::Audit;
use crate::auth::{self, Auth, Role, link};
use crate::contests::Contests;
use crate::hub::Hub;
use crate::keep::Keeper;
use crate::pages;

/// How long the link that is printed at the start can be used.
const FIRST_LINK: Duration = Duration::from_secs(60 * 60);

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Auth(#[from] auth::Error),
    #[error("cannot listen on {address}")]
    Listen {
        address: SocketAddr,
        source: std::io::Error,
    },
    #[error("cannot start the server")]
    Start(#[from] std::io::Error),
}

/// A server that listens.
pub struct Server {
    runtime: Runtime,
    keeper: Arc<Keeper>,
    contests: Contests,
    ended: watch::Sender<bool>,
    pub url: String,
    pub login_url: String,
}

impl Server {
    pub fn start(options: Options, listen: SocketAddr) -> Result<Server, Error> {
        let place = options.project.runtime();
        let contests = Contests::default();
        let (ended, mut wait) = watch::channel(false);
        let app = Arc::new(App {
            auth: Auth::open(&place)?,
            audit: Audit::new(&place),
            hub: Hub::start(&place)?,
            contests: contests.clone(),
            ended: wait.clone(),
            project: options.project.clone(),
            loader: options.loader.clone(),
            kumite: options.kumite,
        });
        let fail = |source| Error::Listen {
            address: listen,
            source,
        };
        let listener = TcpListener::bind(listen).map_err(fail)?;
        listener.set_nonblocking(true)?;
        let url = format!("http://{}", listener.local_addr()?);
        let key = link::make(&place, Role::Full, FIRST_LINK)?;
        let login_url = format!("{url}{}?key={key}", pages::LOGIN);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()?;
        runtime.spawn(async move {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            let until = async move {
                let _ = wait.wait_for(|ended| *ended).await;
            };
            axum::serve(listener, app::router(app))
                .with_graceful_shutdown(until)
                .await
        });
        let keeper = Arc::new(Keeper::start(options.project, options.loader)?);
        Ok(Server {
            runtime,
            keeper,
            contests,
            ended,
            url,
            login_url,
        })
    }

    /// What a signal does: the first one ends agents with grace, the next one without.
    pub fn ender(&self) -> impl Fn() + Send + 'static {
        let keeper = Arc::clone(&self.keeper);
        let contests = self.contests.clone();
        move || {
            contests.interrupt();
            keeper.end();
        }
    }

    /// Until it was told to end, and everything of it has.
    pub fn wait(self) {
        self.keeper.wait();
        self.contests.wait();
        let _ = self.ended.send(true);
        self.runtime.shutdown_timeout(Duration::from_millis(200));
    }
}
