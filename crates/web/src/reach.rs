//! Under which names and addresses others reach this machine.

use std::net::{IpAddr, SocketAddr, UdpSocket};

/// The address with which this machine goes to others. Nothing is sent: the system is only asked
/// which way it would take.
pub fn outward(listen: SocketAddr) -> Option<IpAddr> {
    // Addresses that are set aside for documents: they belong to nobody.
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
