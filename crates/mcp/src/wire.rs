//! The protocol on stdin and stdout.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::model::{ClientRequest, GetMeta, JsonRpcError, JsonRpcMessage, JsonRpcVersion2_0};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::stdio_pipes;
use rmcp::{ErrorData, RoleServer};
use tokio::sync::mpsc::Receiver;

use crate::sieve::Sieve;

/// A longer message is refused.
const LINE_MAX: usize = 4 * 1024 * 1024;

/// A transport that reports when it is over. Before the first request it ignores all other
/// messages, so that a notification that comes too early does not end the server.
pub struct Wire<T> {
    inner: T,
    /// Why an incoming line cannot be read.
    wrong: Receiver<String>,
    has_begun: bool,
    is_over: Arc<AtomicBool>,
}

/// `is_over` becomes true when no client is left to answer.
pub fn stdio(is_over: Arc<AtomicBool>) -> Wire<impl Transport<RoleServer>> {
    let (read, write) = stdio_pipes();
    let (read, wrong) = Sieve::new(read, LINE_MAX);
    let inner = AsyncRwTransport::new_server(read, write).with_max_line_length(LINE_MAX);
    Wire {
        inner,
        wrong,
        has_begun: false,
        is_over,
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Wire<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), T::Error>> + Send + 'static {
        self.inner.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let message = tokio::select! {
                message = self.inner.receive() => message,
                Some(why) = self.wrong.recv() => {
                    let answer = JsonRpcMessage::Error(JsonRpcError {
                        jsonrpc: JsonRpcVersion2_0,
                        id: None,
                        error: ErrorData::parse_error(why, None),
                    });
                    // If the client is gone, the next read shows it.
                    let _ = self.inner.send(answer).await;
                    continue;
                }
            };
            let Some(message) = message else {
                self.is_over.store(true, Ordering::Relaxed);
                return None;
            };
            self.has_begun |= begins(&message);
            if self.has_begun || matches!(message, JsonRpcMessage::Request(_)) {
                return Some(message);
            }
        }
    }

    fn close(&mut self) -> impl Future<Output = Result<(), T::Error>> + Send {
        self.inner.close()
    }
}

/// Whether this message is the handshake, or a request that needs none.
fn begins(message: &RxJsonRpcMessage<RoleServer>) -> bool {
    match message {
        JsonRpcMessage::Request(message) => match &message.request {
            ClientRequest::InitializeRequest(_) => true,
            ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
            other => other.get_meta().protocol_version().is_some(),
        },
        _ => false,
    }
}
