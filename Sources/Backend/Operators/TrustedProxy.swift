import Primitives

/// A proxy that has already asked who somebody is, and says so in a header: the other way to be let in, in place of password and
/// code. Whoever can send that header from one of its addresses is whoever they say, so nothing else may reach the console there.
///
/// Source: as oauth2-proxy and Authelia do it (`X-Forwarded-User`, `Remote-User`).
package struct TrustedProxy: Sendable, Hashable {
    /// The header's name, in lower case.
    package let header: String
    private let ranges: [AddressRange]

    /// Why it cannot be configured so.
    package enum Refusal: Error, Sendable, Hashable {
        /// A header's name has letters, digits and hyphens.
        case header(String)
        /// Neither an address nor a range of addresses.
        case range(String)
        /// Anybody could say that they are anybody.
        case noRanges
    }

    /// - Parameter ranges: addresses, or ranges such as `10.0.0.0/8` and `fd00::/8`, from which the proxy asks.
    package init(header: String, ranges texts: [String]) throws(Refusal) {
        let isToken = header.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
        }
        guard (1...64).contains(header.utf8.count), isToken else { throw .header(header) }
        guard !texts.isEmpty else { throw .noRanges }
        var ranges: [AddressRange] = []
        for text in texts {
            guard let range = AddressRange(text) else { throw .range(text) }
            ranges.append(range)
        }
        (self.header, self.ranges) = (header.lowercased(), ranges)
    }

    /// What a request says of who it is from.
    package enum Word: Sendable, Hashable {
        /// By the proxy, of this operator.
        case of(String)
        /// The proxy names nobody, names two, or a name that nobody can have.
        case nobody
        /// It does not come from the proxy: whatever it says counts for nothing.
        case notFromProxy
    }

    /// - Parameters:
    ///   - values: of the header, one for each time that it stands there.
    ///   - address: the peer's own, never one that a header names.
    package func word(_ values: [String], from address: String) -> Word {
        guard let peer = IPAddress(address).map(\.unmapped), ranges.contains(where: { $0.contains(peer) }) else {
            return .notFromProxy
        }
        guard values.count == 1, let name = values.first.flatMap(OperatorName.checked) else { return .nobody }
        return .of(name)
    }
}

extension IPAddress {
    /// What a listener for both families calls `::ffff:10.0.0.1` is 10.0.0.1. Source: RFC 4291, section 2.5.5.2.
    fileprivate var unmapped: IPAddress {
        guard family == .v6, bits >> 32 == 0xFFFF else { return self }
        let bytes = stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: bits >> UInt128($0)) }
        return IPAddress(bytes: bytes) ?? self
    }
}
