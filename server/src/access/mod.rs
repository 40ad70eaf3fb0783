//! Who may do what. No SQL and no HTTP here.
//!
//! There are no accounts yet: the API is open, so it is served on loopback addresses alone, to pages that were
//! reached under a loopback name.

use std::net::SocketAddr;

/// Whom a change is recorded under while there are no accounts.
pub const LOCAL_ACTOR: &str = "local";

/// Why the server will not listen on an address.
#[derive(Debug, thiserror::Error)]
#[error(
    "refusing to listen on {0}: without accounts anybody who can reach the server may change everything; \
     use a loopback address such as 127.0.0.1:8080"
)]
pub struct NotLoopback(SocketAddr);

/// Lets only loopback addresses through.
pub fn ensure_loopback(address: SocketAddr) -> Result<SocketAddr, NotLoopback> {
    if address.ip().is_loopback() { Ok(address) } else { Err(NotLoopback(address)) }
}

/// Whether a `Host` header names this machine's loopback.
///
/// Another site can point its own name at 127.0.0.1 and so make a browser send it the reader's data; its name stays
/// in the header.
pub fn is_loopback_host(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.rsplit_once(':').map_or(host, |(name, _)| name),
    };
    name.eq_ignore_ascii_case("localhost") || name.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_addresses_are_listened_on() {
        for (address, allowed) in [
            ("127.0.0.1:8080", true),
            ("127.9.9.9:1", true),
            ("[::1]:80", true),
            ("0.0.0.0:80", false),
            ("10.0.0.1:80", false),
        ] {
            assert_eq!(ensure_loopback(address.parse().expect("an address")).is_ok(), allowed, "{address}");
        }
    }

    #[test]
    fn a_host_header_must_name_loopback() {
        for (host, allowed) in [
            ("127.0.0.1:8080", true),
            ("localhost", true),
            ("LOCALHOST:9", true),
            ("[::1]:8080", true),
            ("evil.example:8080", false),
            ("127.0.0.1.evil.example", false),
            ("", false),
        ] {
            assert_eq!(is_loopback_host(host), allowed, "{host}");
        }
    }
}
