//! Which IP addresses are public: globally reachable, according to IANA's special-purpose address registries (RFC
//! 6890).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The IPv4 blocks that are not globally reachable, as address and prefix length.
const SPECIAL_V4: [([u8; 4], u32); 16] = [
    ([0, 0, 0, 0], 8),
    ([10, 0, 0, 0], 8),
    ([100, 64, 0, 0], 10),
    ([127, 0, 0, 0], 8),
    ([169, 254, 0, 0], 16),
    ([172, 16, 0, 0], 12),
    ([192, 0, 0, 0], 24),
    ([192, 0, 2, 0], 24),
    ([192, 31, 196, 0], 24),
    ([192, 52, 193, 0], 24),
    ([192, 88, 99, 0], 24),
    ([192, 168, 0, 0], 16),
    ([198, 18, 0, 0], 15),
    ([198, 51, 100, 0], 24),
    ([203, 0, 113, 0], 24),
    // Multicast (224.0.0.0/4) and the reserved block above it (240.0.0.0/4).
    ([224, 0, 0, 0], 3),
];

/// The IPv6 block from which global unicast addresses are assigned: 2000::/3.
const GLOBAL_UNICAST: (u128, u32) = (0x2000 << 112, 3);
/// The blocks within 2000::/3 that are not globally reachable, or whose addresses embed an IPv4 address.
const SPECIAL_V6: [(u128, u32); 5] = [
    // IETF protocol assignments, which include Teredo and ORCHID.
    (0x2001 << 112, 23),
    // Documentation.
    (0x2001_0db8 << 96, 32),
    // 6to4.
    (0x2002 << 112, 16),
    // AS112.
    (0x2620_004f_8000 << 80, 48),
    // Documentation.
    (0x3fff << 112, 20),
];

/// Whether an address is public. An IPv6 address that embeds an IPv4 address (mapped, translated, 6to4, Teredo) counts
/// as not public, because it could lead to a private IPv4 address; a public host also has an address of its own.
#[must_use]
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let bits = u32::from(address);
    let holds = |(block, length): &([u8; 4], u32)| (bits ^ u32::from_be_bytes(*block)) >> (32 - length) == 0;
    !SPECIAL_V4.iter().any(holds)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let bits = u128::from(address);
    let holds = |(block, length): &(u128, u32)| (bits ^ block) >> (128 - length) == 0;
    holds(&GLOBAL_UNICAST) && !SPECIAL_V6.iter().any(holds)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn special_purpose_addresses_are_not_public() {
        for public in ["1.1.1.1", "8.8.8.8", "100.63.255.255", "172.15.0.1", "172.32.0.1", "223.255.255.255"] {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
        for public in ["2606:4700:4700::1111", "2001:4860:4860::8888", "2a05:d018::1"] {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
        for special in [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "127.0.0.1",
            "127.255.255.255",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.1",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
        ] {
            assert!(!is_public(special.parse().unwrap()), "{special}");
        }
        for special in [
            "::",
            "::1",
            "::ffff:8.8.8.8",
            "::8.8.8.8",
            "64:ff9b::8.8.8.8",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:db8::1",
            "2002:808:808::1",
            "3fff::1",
            "5f00::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "4000::1",
        ] {
            assert!(!is_public(special.parse().unwrap()), "{special}");
        }
    }
}
