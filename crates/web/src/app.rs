//! What all requests share.

use std::path::PathBuf;
use std::sync::Arc;

use axum::Router;
use kumite_host::project::Project;
use kumite_host::settings::Loader;
use tokio::sync::{Semaphore, watch};

use crate::audit::Audit;
use crate::auth::Auth;
use crate::contests::Contests;
use crate::hub::Hub;
use crate::log::Logs;
use crate::{api, assets, compress, pages};

/// What a server is started with.
pub struct Options {
    pub project: Project,
    pub loader: Loader,
    /// The program kumite itself: contests are played by processes of their own.
    pub kumite: PathBuf,
}

pub struct App {
    pub project: Project,
    pub loader: Loader,
    pub kumite: PathBuf,
    pub auth: Auth,
    pub audit: Audit,
    pub hub: Hub,
    pub logs: Logs,
    /// Those that this server has started.
    pub contests: Contests,
    /// True when the server ends: streams end then.
    pub ended: watch::Receiver<bool>,
}

pub type Shared = Arc<App>;

/// How many pages with documents are made at once.
static RENDERS: Semaphore = Semaphore::const_new(2);

impl App {
    /// Reading files blocks, so it has threads of its own.
    pub async fn read<T: Send + 'static>(
        self: &Arc<Self>,
        read: impl FnOnce(&App) -> T + Send + 'static,
    ) -> Result<T, api::Refusal> {
        let app = Arc::clone(self);
        tokio::task::spawn_blocking(move || read(&app))
            .await
            .map_err(|_| api::Refusal::broken("this answer broke down; it is a bug"))
    }

    /// The same for pages with whole documents. Somebody may ask for many, and large ones: they wait
    /// for one another, and everything else is answered meanwhile.
    pub async fn render<T: Send + 'static>(
        self: &Arc<Self>,
        read: impl FnOnce(&App) -> T + Send + 'static,
    ) -> Result<T, api::Refusal> {
        // It is never closed.
        let _turn = RENDERS.acquire().await;
        self.read(read).await
    }
}

/// The routes, which only the guard asks.
pub fn router(app: Shared) -> Router {
    Router::new()
        .merge(pages::routes())
        .merge(api::routes())
        .merge(assets::routes())
        .fallback(pages::not_found)
        .layer(axum::middleware::from_fn(compress::compress))
        .with_state(app)
}
