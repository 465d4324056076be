//! Python metrics in mixseek's form, run through a shim.

use std::path::Path;

use kumite_formats::contest::Plugin;

const SHIM: &str = include_str!("../../../../examples/python/metric_shim.py");

/// The shim as a command, which then answers like any other program metric. None if the plugin
/// names neither a module nor a file.
pub fn argv(plugin: &Plugin, project: &Path) -> Option<Vec<String>> {
    if plugin.module.is_none() && plugin.path.is_none() {
        return None;
    }
    let file = plugin.path.as_ref().map(|path| project.join(path));
    let file = file.map(|path| path.to_string_lossy().into_owned());
    Some(vec![
        "python3".to_owned(),
        "-c".to_owned(),
        SHIM.to_owned(),
        plugin.module.clone().unwrap_or_default(),
        file.unwrap_or_default(),
        plugin.class.clone(),
    ])
}
