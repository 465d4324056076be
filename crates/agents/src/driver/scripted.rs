//! kumite's own agent, which follows a script: for demos and tests, without any model.

use std::path::PathBuf;

use kumite_core::program::ProgramKind;

use super::{Assignment, Invocation};
use crate::request::Protocol;

pub fn invocation(kumite: String, script: Option<PathBuf>, assignment: &Assignment) -> Invocation {
    let script = script.map(|path| ("KUMITE_SCRIPT".to_owned(), path.display().to_string()));
    Invocation {
        program: kumite,
        args: vec!["__scripted".to_owned()],
        env: script.into_iter().collect(),
        stdin: Some(assignment.prompt.clone()),
        protocol: Protocol::Program(ProgramKind::Claude),
        session: Some(assignment.session().to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::assignment;
    use super::*;

    #[test]
    fn the_script_is_named_in_the_environment() {
        let kumite = "/bin/kumite".to_owned();
        let invocation = invocation(kumite, Some("/s.toml".into()), &assignment("hello"));
        assert_eq!(invocation.args, ["__scripted"]);
        assert_eq!(
            invocation.env,
            [("KUMITE_SCRIPT".to_owned(), "/s.toml".to_owned())]
        );
    }
}
