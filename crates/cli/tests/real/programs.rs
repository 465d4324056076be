//! How each program is pointed at the fake model, with its own home.

use std::path::Path;

use serde_json::json;

use crate::world::World;

pub struct Program {
    pub name: &'static str,
    /// Settings of the agent for a model at this address and a home at this path.
    settings: fn(url: &str, home: &Path) -> String,
    /// Files in its home.
    files: &'static [(&'static str, &'static str)],
}

impl Program {
    pub fn claude() -> Program {
        Program {
            name: "claude",
            // A subscription's token: only with it does the program report when a limit ends.
            settings: |url, home| {
                let config = home.join(".claude");
                env(&[
                    ("ANTHROPIC_BASE_URL", url),
                    ("CLAUDE_CODE_OAUTH_TOKEN", "sk-ant-oat01-not-a-real-one"),
                    ("CLAUDE_CONFIG_DIR", &config.display().to_string()),
                    ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
                    ("DISABLE_AUTOUPDATER", "1"),
                ])
            },
            files: &[],
        }
    }

    pub fn codex() -> Program {
        Program {
            name: "codex",
            settings: |url, home| {
                let config = home.join(".codex").display().to_string();
                let provider = [
                    "model_provider=\"fake\"".to_owned(),
                    "model_providers.fake.name=\"fake\"".to_owned(),
                    format!("model_providers.fake.base_url=\"{url}/v1\""),
                    "model_providers.fake.env_key=\"CODEX_API_KEY\"".to_owned(),
                    "model_providers.fake.wire_api=\"responses\"".to_owned(),
                ];
                let args: Vec<String> = provider
                    .into_iter()
                    .flat_map(|it| ["-c".to_owned(), it])
                    .collect();
                // Its sandbox needs kernel features that a container does not give it.
                format!(
                    "model = \"gpt-5.5\"\npermission_mode = \"danger-full-access\"\nargs = {}\n{}",
                    json!(args),
                    env(&[("CODEX_HOME", &config), ("CODEX_API_KEY", "not-a-real-one")])
                )
            },
            files: &[(".codex/.keep", "")],
        }
    }

    pub fn gemini() -> Program {
        Program {
            name: "gemini",
            settings: |url, home| {
                let home = home.display().to_string();
                format!(
                    "model = \"gemini-2.5-flash\"\n{}",
                    env(&[
                        ("GOOGLE_GEMINI_BASE_URL", url),
                        ("GEMINI_API_KEY", "not-a-real-one"),
                        ("GEMINI_CLI_HOME", &home),
                    ])
                )
            },
            files: &[(
                ".gemini/settings.json",
                r#"{"security":{"auth":{"selectedType":"gemini-api-key"}},"general":{"enableAutoUpdate":false},"privacy":{"usageStatisticsEnabled":false},"telemetry":{"enabled":false}}"#,
            )],
        }
    }

    /// The only agent of a project.
    pub fn set_up(&self, world: &World, url: &str) {
        world.write(
            ".kiro/kumite.toml",
            &format!("[agent]\ndefault = \"{}\"\n", self.name),
        );
        self.add(world, url);
    }

    /// Only its path: the kit has its own model, home and settings.
    pub fn name_only(&self, world: &World) {
        let settings = format!("[agents.{}]\nprogram = {:?}\n", self.name, path(self.name));
        world.write(".kiro/kumite.toml", &settings);
    }

    /// One more agent of a project.
    pub fn add(&self, world: &World, url: &str) {
        let home = world.path(&format!("homes/{}", self.name));
        for (name, text) in self.files {
            world.write(&format!("homes/{}/{name}", self.name), text);
        }
        let settings = format!(
            "{}[agents.{}]\nprogram = {:?}\n{}",
            world.read(".kiro/kumite.toml"),
            self.name,
            path(self.name),
            (self.settings)(url, &home)
        );
        world.write(".kiro/kumite.toml", &settings);
    }
}

fn env(variables: &[(&str, &str)]) -> String {
    let each = variables
        .iter()
        .map(|(name, value)| format!("{name} = {value:?}"));
    format!("env = {{ {} }}\n", each.collect::<Vec<_>>().join(", "))
}

fn path(name: &str) -> String {
    let dir = std::env::var("KUMITE_REAL_AGENTS")
        .expect("KUMITE_REAL_AGENTS is not set: run these tests with `cargo xtask test`");
    format!("{dir}/{name}")
}
