//! The server: which tools exist, and which may be called.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, ServerInitializeError};
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};

use crate::access::ProjectAccess;
use crate::refusal::{Refusal, Result};
use crate::tool::{Answer, Call, Tool};
use crate::{resources, tools, wire};

/// What a server is started with.
pub struct Options {
    /// The project, or a directory in it.
    pub place: PathBuf,
    /// The kumite binary.
    pub kumite: PathBuf,
    pub read_only: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot start the server")]
    Start(#[from] std::io::Error),
    #[error("the client did not begin as the protocol wants it")]
    Begin(#[from] Box<ServerInitializeError>),
}

const ABOUT: &str = "kumite drives AI coding agents through specs: requirements, design, tasks, \
    document-review, impl, inspection. create_spec makes one, run_spec drives it, get_spec says where \
    it stands and why. A spec that waits for an approval goes on after approve_document and run_spec; \
    one that failed after reset_spec and run_spec. Contests let several teams work on one task. \
    Errors are sentences that say what would help.";

/// Serves stdin and stdout until stdin is closed.
pub fn serve(options: Options) -> std::result::Result<(), Error> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let served = runtime.block_on(talk(options));
    // Calls that are still reading are not waited for.
    runtime.shutdown_background();
    served
}

async fn talk(options: Options) -> std::result::Result<(), Error> {
    let is_over = Arc::new(AtomicBool::new(false));
    let server = Server {
        shared: Arc::new(Shared {
            access: ProjectAccess {
                place: options.place,
                kumite: options.kumite,
            },
            tools: tools::all(),
            is_over: Arc::clone(&is_over),
        }),
        read_only: options.read_only,
    };
    match server.serve(wire::stdio(is_over)).await {
        Ok(running) => {
            let _ = running.waiting().await;
            Ok(())
        }
        // The client never said anything.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(Error::Begin(Box::new(error))),
    }
}

struct Server {
    shared: Arc<Shared>,
    read_only: bool,
}

struct Shared {
    access: ProjectAccess,
    tools: Vec<Tool>,
    is_over: Arc<AtomicBool>,
}

impl Server {
    fn may_be_called(&self, tool: &Tool) -> bool {
        !(self.read_only && tool.changes())
    }

    /// Files and processes block, so each call has its own thread.
    async fn apart<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        work: impl FnOnce(&Shared, &Call<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let shared = Arc::clone(&self.shared);
        let cancelled = context.ct.clone();
        let done = tokio::task::spawn_blocking(move || {
            let is_over = || cancelled.is_cancelled() || shared.is_over.load(Ordering::Relaxed);
            let call = Call {
                access: &shared.access,
                is_over: &is_over,
            };
            work(&shared, &call)
        });
        let broken = |_| Err(Refusal::new("this answer broke down; it is a bug"));
        done.await.unwrap_or_else(broken)
    }

    fn unknown(&self, name: &str) -> ErrorData {
        let known = self.shared.tools.iter().filter(|it| self.may_be_called(it));
        let known: Vec<&str> = known.map(|tool| tool.name).collect();
        let known = known.join(", ");
        ErrorData::invalid_params(
            format!("there is no tool {name:?}; there are {known}"),
            None,
        )
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("kumite", env!("CARGO_PKG_VERSION")))
            .with_instructions(ABOUT)
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> std::result::Result<ListToolsResult, ErrorData> {
        let tools = self.shared.tools.iter().filter(|it| self.may_be_called(it));
        Ok(ListToolsResult::with_all_items(
            tools.map(Tool::listed).collect(),
        ))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> std::result::Result<CallToolResponse, ErrorData> {
        let found = self
            .shared
            .tools
            .iter()
            .position(|it| it.name == request.name);
        let Some(index) = found else {
            return Err(self.unknown(&request.name));
        };
        if !self.may_be_called(&self.shared.tools[index]) {
            let words = format!(
                "{} changes something, and this server only reads: it was started with --read-only",
                request.name
            );
            return Ok(refused(&Refusal(words)).into());
        }
        let arguments = request.arguments.unwrap_or_default();
        let answer = self.apart(&context, move |shared, call| {
            shared.tools[index].run(call, arguments)
        });
        Ok(match answer.await {
            Ok(answer) => answered(answer),
            Err(refusal) => refused(&refusal),
        }
        .into())
    }

    async fn list_resources(
        &self,
        page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> std::result::Result<ListResourcesResult, ErrorData> {
        let cursor = page.and_then(|page| page.cursor);
        let listed = self.apart(&context, move |shared, _| {
            resources::list(&shared.access, cursor.as_deref())
        });
        listed.await.map_err(wrong)
    }

    async fn list_resource_templates(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> std::result::Result<ListResourceTemplatesResult, ErrorData> {
        Ok(resources::templates())
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> std::result::Result<ReadResourceResponse, ErrorData> {
        let read = self.apart(&context, move |shared, _| {
            resources::read(&shared.access, &request.uri)
        });
        read.await.map(Into::into).map_err(not_found)
    }
}

fn answered(answer: Answer) -> CallToolResult {
    let mut result = CallToolResult::structured(answer.data);
    if let Some(text) = answer.text {
        result.content = vec![ContentBlock::text(text)];
    }
    result
}

fn refused(refusal: &Refusal) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(refusal.to_string())])
}

fn wrong(refusal: Refusal) -> ErrorData {
    ErrorData::invalid_params(refusal.0, None)
}

fn not_found(refusal: Refusal) -> ErrorData {
    ErrorData::resource_not_found(refusal.0, None)
}
