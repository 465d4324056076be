//! Answers the agent's requests to its client. No person is there, so a rule decides.

use std::path::PathBuf;

use agent_client_protocol_schema::v1::{
    CLIENT_METHOD_NAMES, Error, PermissionOption, PermissionOptionKind, ReadTextFileRequest,
    ReadTextFileResponse, RequestPermissionOutcome, RequestPermissionRequest,
    RequestPermissionResponse, SelectedPermissionOutcome, WriteTextFileRequest,
    WriteTextFileResponse,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::files::Files;
use crate::tell::Teller;

/// How requests for permission are answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    Allow,
    Deny,
}

const VARIABLE: &str = "KUMITE_ACP_PERMISSION";

impl Policy {
    pub fn from_env() -> Result<Policy, String> {
        match std::env::var_os(VARIABLE) {
            None => Ok(Policy::Allow),
            Some(word) if word == "allow" => Ok(Policy::Allow),
            Some(word) if word == "deny" => Ok(Policy::Deny),
            Some(word) => Err(format!(
                "was given {VARIABLE}={}; set it to allow or deny",
                word.to_string_lossy()
            )),
        }
    }

    /// The option kinds that fit, the best first: permission for one time is enough.
    fn kinds(self) -> [PermissionOptionKind; 2] {
        match self {
            Policy::Allow => [
                PermissionOptionKind::AllowOnce,
                PermissionOptionKind::AllowAlways,
            ],
            Policy::Deny => [
                PermissionOptionKind::RejectOnce,
                PermissionOptionKind::RejectAlways,
            ],
        }
    }
}

pub struct Client {
    files: Files,
    policy: Policy,
    /// The prompt was cancelled, and so is every question.
    pub is_cancelled: bool,
}

impl Client {
    pub fn new(root: PathBuf, policy: Policy) -> Client {
        Client {
            files: Files::new(root),
            policy,
            is_cancelled: false,
        }
    }

    pub fn answer(&self, method: &str, params: Value, teller: &mut Teller) -> Result<Value, Error> {
        let names = CLIENT_METHOD_NAMES;
        if method == names.session_request_permission {
            let request = read::<RequestPermissionRequest>(params)?;
            written(RequestPermissionResponse::new(
                self.permission(request, teller),
            ))
        } else if method == names.fs_read_text_file {
            let request = read::<ReadTextFileRequest>(params)?;
            let text = self
                .files
                .read(&request.path, request.line, request.limit)?;
            written(ReadTextFileResponse::new(text))
        } else if method == names.fs_write_text_file {
            let request = read::<WriteTextFileRequest>(params)?;
            let (path, before) = self.files.write(&request.path, &request.content)?;
            teller.wrote(&path, &before, &request.content);
            written(WriteTextFileResponse::new())
        } else {
            Err(Error::method_not_found().data(Value::from(method)))
        }
    }

    fn permission(
        &self,
        request: RequestPermissionRequest,
        teller: &mut Teller,
    ) -> RequestPermissionOutcome {
        let title = request.tool_call.fields.title.clone().unwrap_or_default();
        teller.asked(request.tool_call);
        let chosen = match self.is_cancelled {
            true => None,
            false => choose(self.policy, &request.options),
        };
        let Some(option) = chosen else {
            teller.note(&format!("permission left open, no option fits: {title}"));
            return RequestPermissionOutcome::Cancelled;
        };
        let word = match self.policy {
            Policy::Allow => "given",
            Policy::Deny => "denied",
        };
        teller.note(&format!("permission {word} ({}): {title}", option.name));
        let id = option.option_id.clone();
        RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(id))
    }
}

fn choose(policy: Policy, options: &[PermissionOption]) -> Option<&PermissionOption> {
    let of = |kind| options.iter().find(move |option| option.kind == kind);
    policy.kinds().into_iter().find_map(of)
}

fn read<T: DeserializeOwned>(params: Value) -> Result<T, Error> {
    serde_json::from_value(params)
        .map_err(|error| Error::invalid_params().data(Value::from(error.to_string())))
}

fn written(answer: impl Serialize) -> Result<Value, Error> {
    serde_json::to_value(answer)
        .map_err(|error| Error::internal_error().data(Value::from(error.to_string())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(policy: Policy, kinds: &[PermissionOptionKind]) -> Option<String> {
        let option = |(at, kind): (usize, &PermissionOptionKind)| {
            PermissionOption::new(at.to_string(), "name", *kind)
        };
        let options: Vec<PermissionOption> = kinds.iter().enumerate().map(option).collect();
        choose(policy, &options).map(|option| option.option_id.to_string())
    }

    #[test]
    fn once_comes_before_always_and_no_option_is_none() {
        use PermissionOptionKind::{AllowAlways, AllowOnce, RejectAlways, RejectOnce};
        let all = [AllowAlways, AllowOnce, RejectAlways, RejectOnce, AllowOnce];
        assert_eq!(chosen(Policy::Allow, &all).as_deref(), Some("1"));
        assert_eq!(chosen(Policy::Deny, &all).as_deref(), Some("3"));
        let always = [RejectAlways, AllowAlways];
        assert_eq!(chosen(Policy::Allow, &always).as_deref(), Some("1"));
        assert_eq!(chosen(Policy::Deny, &always).as_deref(), Some("0"));
        assert_eq!(chosen(Policy::Allow, &[RejectOnce]), None);
        assert_eq!(chosen(Policy::Deny, &[]), None);
    }
}
