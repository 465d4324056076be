//! Settings in the environment: `KUMITE_RUN__JOBS=3`.

use kumite_core::names::Phase;
use toml::de::DeValue;

use super::source::{self, Given, Leaf, Where};
use super::value::Plain;
use super::{Flag, Origin};

/// `KUMITE_SPEC` and similar variables inform an agent; only names with `__` are settings.
pub(super) fn read(env: &[(String, String)], agents: &[String]) -> Vec<Given> {
    let settings = env.iter().filter_map(|(name, value)| {
        let rest = name.strip_prefix("KUMITE_")?;
        rest.contains("__").then(|| Given {
            path: path(rest, agents),
            item: None,
            values: values(value),
            from: Where {
                origin: Origin::Env(name.clone()),
                place: None,
            },
        })
    });
    settings.flat_map(one_by_one).collect()
}

/// A list of commands is taken apart, as in a file.
fn one_by_one(mut given: Given) -> Vec<Given> {
    let is_list = matches!(given.values.first(), Some(Plain::List(items)) if !items.is_empty());
    if given.path != ["verify", "command"] || !is_list {
        return vec![given];
    }
    let mut leaves = Vec::new();
    source::spread(&given.path, 0, given.values.swap_remove(0), &mut leaves);
    let of_leaf = |leaf: Leaf| Given {
        path: leaf.path,
        item: leaf.item,
        values: vec![leaf.value],
        from: given.from.clone(),
    };
    leaves.into_iter().map(of_leaf).collect()
}

pub(super) fn read_flags(flags: &[Flag]) -> Vec<Given> {
    let given = flags.iter().map(|flag| Given {
        path: flag.key.split('.').map(str::to_owned).collect(),
        item: None,
        values: values(&flag.value),
        from: Where {
            origin: Origin::Flag(flag.name.clone()),
            place: None,
        },
    });
    given.collect()
}

fn path(name: &str, agents: &[String]) -> Vec<String> {
    let mut path: Vec<String> = name.split("__").map(str::to_lowercase).collect();
    match path.as_mut_slice() {
        [first, second, phase] if first == "agent" && second == "phase" => {
            let same = |known: &&Phase| known.name().replace('-', "_") == *phase;
            if let Some(known) = Phase::ALL.iter().find(same) {
                *phase = known.name().to_owned();
            }
        }
        // A variable has no small letters and no hyphens; the files have the exact name of the
        // agent.
        [first, agent, _] if first == "agents" => {
            let fold = |name: &str| name.to_lowercase().replace('-', "_");
            if let Some(known) = agents.iter().find(|known| fold(known) == *agent) {
                agent.clone_from(known);
            }
        }
        _ => {}
    }
    path
}

/// The value as TOML if it can be parsed, and always as plain text.
fn values(text: &str) -> Vec<Plain> {
    let exact = DeValue::parse(text)
        .ok()
        .map(|value| Plain::of(value.get_ref(), &|offset| offset));
    let text = Plain::Text(text.to_owned());
    exact.into_iter().chain([text]).collect()
}
