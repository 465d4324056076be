//! What all requests share.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::Router;
use kumite_project::books::Books;
use kumite_project::kept::Kept;
use kumite_project::project::Project;
use kumite_project::settings::Loader;
use tokio::sync::{Semaphore, watch};

use crate::audit::Audit;
use crate::auth::Auth;
use crate::hub::Hub;
use crate::log::Logs;
use crate::{api, assets, compress, pages};

/// What a server is started with.
pub struct Options {
    pub project: Project,
    pub loader: Loader,
}

pub struct App {
    pub project: Project,
    pub loader: Loader,
    pub auth: Auth,
    pub audit: Audit,
    pub hub: Hub,
    pub logs: Logs,
    /// The total usage, as far as its file has been read.
    pub books: Mutex<Books>,
    /// The status of the specs that rest.
    pub statuses: Kept,
    /// True when the server ends; streams end then.
    pub ended: watch::Receiver<bool>,
}

pub type Shared = Arc<App>;

/// How many pages with documents are rendered at the same time.
static RENDERS: Semaphore = Semaphore::const_new(2);

impl App {
    pub fn books(&self) -> MutexGuard<'_, Books> {
        // A panic only means that less was read: the next reader continues there.
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads files on the blocking thread pool.
    pub async fn read<T: Send + 'static>(
        self: &Arc<Self>,
        read: impl FnOnce(&App) -> T + Send + 'static,
    ) -> Result<T, api::Refusal> {
        let app = Arc::clone(self);
        tokio::task::spawn_blocking(move || read(&app))
            .await
            .map_err(|_| api::Refusal::broken("this answer broke down; it is a bug"))
    }

    /// Like [`App::read`], for pages with whole documents. They may be many and large, so they wait
    /// for one another, and all other requests are answered meanwhile.
    pub async fn render<T: Send + 'static>(
        self: &Arc<Self>,
        read: impl FnOnce(&App) -> T + Send + 'static,
    ) -> Result<T, api::Refusal> {
        // The semaphore is never closed, so this cannot fail.
        let _turn = RENDERS.acquire().await;
        self.read(read).await
    }
}

/// The routes. Only the guard calls them.
pub fn router(app: Shared) -> Router {
    Router::new()
        .merge(pages::routes())
        .merge(api::routes())
        .merge(assets::routes())
        .fallback(pages::not_found)
        .layer(compress::layer())
        .with_state(app)
}
