//! The names and addresses under which others reach this machine.

use std::net::{IpAddr, SocketAddr, UdpSocket};

/// The address from which this machine reaches others. Nothing is sent: we only ask the system
/// which route it would take.
pub fn outward(listen: SocketAddr) -> Option<IpAddr> {
    // Addresses reserved for documentation: they belong to nobody.
    let (from, to) = match listen.is_ipv4() {
        true => ("0.0.0.0:0", "192.0.2.1:9"),
        false => ("[::]:0", "[2001:db8::1]:9"),
    };
    let socket = UdpSocket::bind(from).ok()?;
    socket.connect(to).ok()?;
    let address = socket.local_addr().ok()?.ip();
    (!address.is_unspecified() && !address.is_loopback()).then_some(address)
}

/// The name of this machine.
pub fn machine() -> Option<String> {
    let uname = rustix::system::uname();
    let name = uname.nodename().to_str().ok()?;
    (!name.is_empty()).then(|| name.to_ascii_lowercase())
}
