//! A link as a QR code for the camera of a phone.

use qrcode::QrCode;
use qrcode::render::unicode::Dense1x2;

/// For a terminal: light modules are drawn, dark ones are left blank. None: the text is too long.
pub fn qr(text: &str) -> Option<String> {
    let code = QrCode::new(text).ok()?;
    let drawn = code
        .render::<Dense1x2>()
        .dark_color(Dense1x2::Light)
        .light_color(Dense1x2::Dark)
        .build();
    Some(drawn)
}
