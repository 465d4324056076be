//! An agent, as kumite sees it: the client of `rmcp`, with `kumite mcp` as its child.

use std::process::Stdio;

use rmcp::ServiceExt;
use rmcp::model::{CallToolRequestParams, CallToolResult, ReadResourceRequestParams, Tool};
use rmcp::service::{RoleClient, RunningService, ServiceError};
use rmcp::transport::TokioChildProcess;
use serde_json::Value;
use tokio::runtime::{Builder, Runtime};

use crate::world::World;

pub struct Client {
    runtime: Runtime,
    service: Option<RunningService<RoleClient, ()>>,
    pub pid: u32,
}

impl Client {
    /// `kumite mcp` in this world, after the handshake.
    pub fn new(world: &World, args: &[&str]) -> Client {
        let args: Vec<&str> = ["mcp"].into_iter().chain(args.iter().copied()).collect();
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let command = tokio::process::Command::from(world.command(&args));
        let (service, pid) = runtime.block_on(async {
            let builder = TokioChildProcess::builder(command).stderr(Stdio::null());
            let (process, _) = builder.spawn().unwrap();
            let pid = process.id().unwrap();
            (().serve(process).await.unwrap(), pid)
        });
        Client {
            runtime,
            service: Some(service),
            pid,
        }
    }

    fn service(&self) -> &RunningService<RoleClient, ()> {
        self.service.as_ref().unwrap()
    }

    pub fn name_and_version(&self) -> (String, String) {
        let server = self
            .service()
            .peer_info()
            .unwrap()
            .server_info
            .clone()
            .unwrap();
        (server.name, server.version)
    }

    pub fn tools(&self) -> Vec<Tool> {
        self.runtime
            .block_on(self.service().list_all_tools())
            .unwrap()
    }

    pub fn call(&self, tool: &str, arguments: Value) -> Result<CallToolResult, ServiceError> {
        let arguments = arguments.as_object().unwrap().clone();
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        self.runtime.block_on(self.service().call_tool(params))
    }

    /// The result of a successful call.
    #[track_caller]
    pub fn ask(&self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments).unwrap();
        assert_ne!(result.is_error, Some(true), "{tool}: {}", text(&result));
        assert!(
            !text(&result).is_empty() || tool == "get_agent_log",
            "{tool} says nothing"
        );
        result.structured_content.unwrap()
    }

    /// Why a call was refused.
    #[track_caller]
    pub fn refused(&self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments).unwrap();
        assert_eq!(result.is_error, Some(true), "{tool}: {}", text(&result));
        text(&result)
    }

    /// The addresses of all resources.
    pub fn resources(&self) -> Vec<String> {
        let listed = self.runtime.block_on(self.service().list_all_resources());
        listed.unwrap().into_iter().map(|it| it.uri).collect()
    }

    pub fn read(&self, uri: &str) -> Result<Value, ServiceError> {
        let params = ReadResourceRequestParams::new(uri);
        let read = self
            .runtime
            .block_on(self.service().read_resource(params))?;
        Ok(serde_json::to_value(read).unwrap()["contents"][0].clone())
    }

    /// Closes its stdin, and waits until it has ended.
    pub fn end(mut self) {
        self.close();
    }

    fn close(&mut self) {
        if let Some(service) = self.service.take() {
            let _ = self.runtime.block_on(service.cancel());
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.close();
    }
}

pub fn text(result: &CallToolResult) -> String {
    let texts = result.content.iter().filter_map(|it| it.as_text());
    texts.map(|it| it.text.as_str()).collect()
}
