//! How a page is shown, and what of it is kept: screens, pictures, cookies.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::Page;
use crate::base64::decode;

/// A cookie, as far as it matters here.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cookie {
    pub name: String,
    pub value: String,
    pub domain: String,
    pub path: String,
    pub http_only: bool,
    pub secure: bool,
    /// `Strict`, `Lax` or `None`, if the server said.
    pub same_site: Option<String>,
}

impl Page {
    /// The size of the window, in CSS pixels, or of the screen of a phone. It is 1280 x 800.
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

    /// Whether the person likes it dark.
    ///
    /// # Panics
    /// If Chromium has ended.
    #[track_caller]
    pub fn dark(&self, dark: bool) {
        let value = if dark { "dark" } else { "light" };
        let media = json!({ "features": [{ "name": "prefers-color-scheme", "value": value }] });
        self.must("Emulation.setEmulatedMedia", media);
    }

    /// Takes the network away, or gives it back: requests fail, and scripts are told. A stream that
    /// is open stays open; only its server can end it.
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

    /// Sends these with every request from now on, in place of earlier ones.
    ///
    /// # Panics
    /// If Chromium has ended.
    #[track_caller]
    pub fn set_headers(&self, headers: &[(&str, &str)]) {
        let headers: BTreeMap<_, _> = headers.iter().copied().collect();
        self.must("Network.setExtraHTTPHeaders", json!({ "headers": headers }));
    }

    /// The cookies that are sent to where the page is.
    ///
    /// # Panics
    /// If Chromium has ended.
    #[track_caller]
    pub fn cookies(&self) -> Vec<Cookie> {
        let found = self.must("Network.getCookies", json!({}));
        Vec::deserialize(&found["cookies"])
            .unwrap_or_else(|error| panic!("cannot read the cookies: {error}"))
    }

    /// What is in view, as PNG. Directories are made.
    ///
    /// # Panics
    /// If the file cannot be written.
    #[track_caller]
    pub fn screenshot(&self, path: impl AsRef<Path>) {
        self.picture(path.as_ref(), json!({ "format": "png" }));
    }

    /// The whole page, as long as it is.
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
        let Some(bytes) = taken["data"].as_str().and_then(decode) else {
            panic!("Chromium sent no picture")
        };
        let dir = path.parent().unwrap_or(Path::new("."));
        let written = fs::create_dir_all(dir).and_then(|()| fs::write(path, bytes));
        if let Err(error) = written {
            panic!("cannot write {}: {error}", path.display());
        }
    }
}
