//! How a page is shown, and what can be saved of it: screens, pictures, cookies.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::Page;

/// A cookie, with the fields that matter here.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cookie {
    pub name: String,
    pub value: String,
    pub domain: String,
    pub path: String,
    pub http_only: bool,
    pub secure: bool,
    /// `Strict`, `Lax` or `None`, if the server set it.
    pub same_site: Option<String>,
}

impl Page {
    /// Sets the size of the window, in CSS pixels, or of a phone's screen. The default is 1280 x
    /// 800.
    ///
    /// # Panics
    /// If Chromium has ended.
    #[track_caller]
    pub fn size(&self, width: u32, height: u32, phone: bool) {
        let screen = json!({
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": phone,
        });
        self.must("Emulation.setDeviceMetricsOverride", screen);
        let touch = json!({ "enabled": phone, "maxTouchPoints": if phone { 5 } else { 1 } });
        self.must("Emulation.setTouchEmulationEnabled", touch);
        self.set_phone(phone);
    }

    /// Sets whether the person prefers a dark page.
    ///
    /// # Panics
    /// If Chromium has ended.
    #[track_caller]
    pub fn dark(&self, dark: bool) {
        let value = if dark { "dark" } else { "light" };
        let media = json!({ "features": [{ "name": "prefers-color-scheme", "value": value }] });
        self.must("Emulation.setEmulatedMedia", media);
    }

    /// Switches the network off or on: requests fail, and scripts are informed. An open stream
    /// stays open; only its server can end it.
    ///
    /// # Panics
    /// If Chromium has ended.
    #[track_caller]
    pub fn offline(&self, offline: bool) {
        let network = json!({
            "offline": offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1,
        });
        self.must("Network.emulateNetworkConditions", network);
    }

    /// Sends these headers with every request from now on, in place of earlier ones.
    ///
    /// # Panics
    /// If Chromium has ended.
    #[track_caller]
    pub fn set_headers(&self, headers: &[(&str, &str)]) {
        let headers: BTreeMap<_, _> = headers.iter().copied().collect();
        self.must("Network.setExtraHTTPHeaders", json!({ "headers": headers }));
    }

    /// The cookies that are sent to the current address.
    ///
    /// # Panics
    /// If Chromium has ended.
    #[track_caller]
    pub fn cookies(&self) -> Vec<Cookie> {
        let found = self.must("Network.getCookies", json!({}));
        Vec::deserialize(&found["cookies"])
            .unwrap_or_else(|error| panic!("cannot read the cookies: {error}"))
    }

    /// Saves the visible part as PNG, and creates missing directories.
    ///
    /// # Panics
    /// If the file cannot be written.
    #[track_caller]
    pub fn screenshot(&self, path: impl AsRef<Path>) {
        self.picture(path.as_ref(), json!({ "format": "png" }));
    }

    /// Saves the whole page, however long it is.
    ///
    /// # Panics
    /// If the file cannot be written.
    #[track_caller]
    pub fn screenshot_full(&self, path: impl AsRef<Path>) {
        let layout = self.must("Page.getLayoutMetrics", json!({}));
        let mut clip = layout["cssContentSize"].clone();
        clip["scale"] = json!(1);
        let wanted = json!({ "format": "png", "captureBeyondViewport": true, "clip": clip });
        self.picture(path.as_ref(), wanted);
    }

    #[track_caller]
    fn picture(&self, path: &Path, wanted: Value) {
        let taken = self.must("Page.captureScreenshot", wanted);
        let data = taken["data"].as_str();
        let Some(bytes) = data.and_then(|data| BASE64_STANDARD.decode(data).ok()) else {
            panic!("Chromium sent no picture")
        };
        let dir = path.parent().unwrap_or(Path::new("."));
        let written = fs::create_dir_all(dir).and_then(|()| fs::write(path, bytes));
        if let Err(error) = written {
            panic!("cannot write {}: {error}", path.display());
        }
    }
}
