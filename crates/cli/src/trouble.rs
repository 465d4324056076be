//! Errors of the command line, and their exit codes.

use std::process::ExitCode;

use kumite_project::spec_file::sentence;

use crate::exit;

/// An error for a person: what is wrong, and the exit code of its kind.
#[derive(Debug)]
pub struct Trouble {
    pub code: u8,
    pub message: String,
}

pub type Result<T = ExitCode> = std::result::Result<T, Trouble>;

impl Trouble {
    pub fn invalid(message: impl Into<String>) -> Trouble {
        Trouble {
            code: exit::INVALID,
            message: message.into(),
        }
    }

    pub fn usage(message: impl Into<String>) -> Trouble {
        Trouble {
            code: exit::USAGE,
            message: message.into(),
        }
    }

    pub fn failed(message: impl Into<String>) -> Trouble {
        Trouble {
            code: exit::FAILED,
            message: message.into(),
        }
    }

    pub fn report(&self) -> ExitCode {
        eprintln!("kumite: {}", self.message);
        ExitCode::from(self.code)
    }
}

/// Bad input: the error itself contains the file, the place and the remedy.
macro_rules! invalid {
    ($($error:ty),* $(,)?) => {
        $(impl From<$error> for Trouble {
            fn from(error: $error) -> Trouble {
                Trouble::invalid(sentence(&error))
            }
        })*
    };
}

invalid!(
    kumite_contest::home::Error,
    kumite_contest::place::Error,
    kumite_contest::report::Error,
    kumite_formats::spec_name::Error,
    kumite_project::journal::Error,
    kumite_project::project::Error,
    kumite_project::settings::Error,
    kumite_project::spec_file::Error,
);

/// A contest: a refusal of the machine is a failure, an error in a file is invalid input.
impl From<kumite_contest::Error> for Trouble {
    fn from(error: kumite_contest::Error) -> Trouble {
        let message = sentence(&error);
        match error {
            kumite_contest::Error::DaySpent { .. } => Trouble {
                code: exit::BUDGET,
                message,
            },
            error if error.is_of_the_machine() => Trouble::failed(message),
            _ => Trouble::invalid(message),
        }
    }
}

impl From<kumite_contest::apply::Error> for Trouble {
    fn from(error: kumite_contest::apply::Error) -> Trouble {
        match error.is_refusal() {
            true => Trouble::invalid(sentence(&error)),
            false => Trouble::failed(error.to_string()),
        }
    }
}

/// Everything that is wrong with a contest is reported at once.
impl From<kumite_contest::prepare::Error> for Trouble {
    fn from(error: kumite_contest::prepare::Error) -> Trouble {
        Trouble::invalid(match error {
            kumite_contest::prepare::Error::Checks(checks) => {
                kumite_contest::check::errors(&checks).join("\nkumite: ")
            }
            error => sentence(&error),
        })
    }
}

impl From<kumite_host::RequestError> for Trouble {
    fn from(error: kumite_host::RequestError) -> Trouble {
        let message = sentence(&error);
        match error {
            kumite_host::RequestError::Backwards { .. } => Trouble::usage(message),
            _ => Trouble::invalid(message),
        }
    }
}

impl From<kumite_project::new_spec::Error> for Trouble {
    fn from(error: kumite_project::new_spec::Error) -> Trouble {
        let message = sentence(&error);
        match error {
            kumite_project::new_spec::Error::Name(_)
            | kumite_project::new_spec::Error::Exists { .. } => Trouble::invalid(message),
            kumite_project::new_spec::Error::Write { .. } => Trouble::failed(message),
        }
    }
}

impl From<kumite_project::cost::Error> for Trouble {
    fn from(error: kumite_project::cost::Error) -> Trouble {
        let message = sentence(&error);
        match error {
            kumite_project::cost::Error::Read { .. } => Trouble::failed(message),
            kumite_project::cost::Error::Project(_) => Trouble::invalid(message),
        }
    }
}

impl From<kumite_host::client::Error> for Trouble {
    fn from(error: kumite_host::client::Error) -> Trouble {
        match error {
            kumite_host::client::Error::Refused(why) => Trouble::invalid(why),
            kumite_host::client::Error::Settings(error) => error.into(),
            error => Trouble::failed(sentence(&error)),
        }
    }
}

macro_rules! failed {
    ($($error:ty),* $(,)?) => {
        $(impl From<$error> for Trouble {
            fn from(error: $error) -> Trouble {
                Trouble::failed(sentence(&error))
            }
        })*
    };
}

failed!(
    std::io::Error,
    kumite_agents::Error,
    kumite_project::lock::Error,
    kumite_prompts::Error,
);
