//! OpenCode, `run --format json`.

use super::{Invocation, Order, ProgramConfig};
use crate::request::Protocol;

pub fn invocation(config: &ProgramConfig, order: &Order) -> Invocation {
    Invocation {
        program: config.program.clone(),
        args: config.args.clone(),
        env: Vec::new(),
        stdin: Some(order.prompt.clone()),
        protocol: Protocol::Opencode,
        session: order.resume.clone(),
    }
}
