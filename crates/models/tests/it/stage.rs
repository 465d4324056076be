//! The same model for every provider.

use kumite_fake_model::{Act, Script, Server};
use kumite_models::{Ask, Cancel, Client, Failure, Model, Provider, Reply};

pub const KEY: &str = "key-that-nobody-may-see";

/// A model of `provider` whose server is at `url`.
pub fn model(provider: Provider, url: &str) -> Model {
    let base_url = match provider {
        Provider::Anthropic | Provider::GoogleGla | Provider::GoogleVertex | Provider::Ollama => {
            url.to_owned()
        }
        _ => format!("{url}/v1"),
    };
    let env = |_: &str| Some(KEY.to_owned());
    Model::find(&format!("{provider}:m"), Some(&base_url), &env).unwrap()
}

/// A server that plays these acts in turn.
pub fn server(acts: Vec<Act>) -> Server {
    let script = Script {
        without_tools: true,
        ..Script::always(acts)
    };
    Server::start(script).unwrap()
}

pub fn say(text: &str) -> Act {
    Act::Say {
        text: text.to_owned(),
    }
}

pub fn ask(provider: Provider, url: &str) -> Ask {
    Ask::new(model(provider, url), "go")
}

pub fn answer(ask: &Ask) -> Result<Reply, Failure> {
    Client::new().ask(ask, &Cancel::new())
}

/// Sends a request to a server that plays this act.
pub fn reply_to(provider: Provider, act: Act) -> Result<Reply, Failure> {
    let server = server(vec![act]);
    answer(&ask(provider, &server.url()))
}
