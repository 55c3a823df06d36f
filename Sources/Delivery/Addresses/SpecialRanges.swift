internal import Primitives

/// The addresses that lead to no public receiver: to this machine, to its network, to a cloud's metadata, to a tunnel whose other
/// end can be any of these, or nowhere.
///
/// Of IPv6 only 2000::/3 is public at all, because nothing else has been given out; forms that carry an IPv4 address in them are
/// refused whatever that one is.
///
/// Source: IANA's registries of special-purpose addresses (RFC 6890, RFC 8190); T40.
enum SpecialRanges {
    /// A range and what it is for.
    private struct Special {
        let range: AddressRange
        let meaning: String
    }

    /// What an address is for, if it is not public; nil: it is public.
    static func meaning(of address: IPAddress) -> String? {
        if let special = table.first(where: { $0.range.contains(address) }) { return special.meaning }
        switch address.family {
        case .v4: return nil
        case .v6: return global.contains { $0.contains(address) } ? nil : "of no assigned network"
        }
    }

    private static let global = ["2000::/3"].compactMap { AddressRange($0) }

    private static let table: [Special] = texts.compactMap { text, meaning in
        AddressRange(text).map { Special(range: $0, meaning: meaning) }
    }

    /// The ranges as they are written; a test holds their number against the ones that were read.
    static let texts: KeyValuePairs = [
        "0.0.0.0/8": "of this host", "10.0.0.0/8": "private", "100.64.0.0/10": "shared by a carrier",
        "127.0.0.0/8": "of this host", "169.254.0.0/16": "of the local link", "172.16.0.0/12": "private",
        "192.0.0.0/24": "reserved", "192.0.2.0/24": "for documentation", "192.88.99.0/24": "of a tunnel",
        "192.168.0.0/16": "private", "198.18.0.0/15": "for benchmarks", "198.51.100.0/24": "for documentation",
        "203.0.113.0/24": "for documentation", "224.0.0.0/4": "multicast", "240.0.0.0/4": "reserved",
        "::1/128": "of this host", "::/128": "of this host", "::/96": "an IPv4 address in another form",
        "::ffff:0:0/96": "an IPv4 address in another form", "::ffff:0:0:0/96": "an IPv4 address in another form",
        "64:ff9b::/96": "an IPv4 address in another form", "64:ff9b:1::/48": "an IPv4 address in another form",
        "100::/64": "discarded", "2001::/32": "of a tunnel", "2001::/23": "reserved", "2001:db8::/32": "for documentation",
        "2002::/16": "of a tunnel", "3fff::/20": "for documentation", "5f00::/16": "of segment routing", "fc00::/7": "private",
        "fe80::/10": "of the local link", "fec0::/10": "private", "ff00::/8": "multicast",
    ]

    /// How many of them could be read.
    static var count: Int { table.count }
}
