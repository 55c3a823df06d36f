#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// An address of IPv4 or IPv6, without a zone.
///
/// `::ffff:10.0.0.1` is an address of IPv6 and not equal to `10.0.0.1`: nothing is rewritten, so that what was checked is what is
/// connected to.
package struct IPAddress: Sendable, Hashable, CustomStringConvertible {
    package enum Family: Sendable, Hashable {
        case v4
        case v6

        /// How many bits an address has.
        package var width: Int { self == .v4 ? 32 : 128 }
    }

    package let family: Family
    /// The address as a number: its last 32 or 128 bits.
    let bits: UInt128

    /// - Parameter bytes: 4 or 16, in network order; nil for another number of them.
    init?(bytes: some Collection<UInt8>) {
        switch bytes.count {
        case 4: family = .v4
        case 16: family = .v6
        default: return nil
        }
        bits = bytes.reduce(0) { $0 << 8 | UInt128($1) }
    }

    /// Reads four decimal numbers without leading zeros, or the text of an IPv6 address without brackets and zone; nil for every
    /// other spelling.
    ///
    /// Source: RFC 6943, section 3.1.1 (the strict form); RFC 4291, section 2.2.
    package init?(_ text: some StringProtocol) {
        let isDigitOrMark: (UInt8) -> Bool = { byte in
            Self.isHexadecimal(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: ":")
        }
        guard (2...45).contains(text.utf8.count), text.utf8.allSatisfy(isDigitOrMark) else { return nil }
        let family = text.utf8.contains(UInt8(ascii: ":")) ? AF_INET6 : AF_INET
        var bytes = [UInt8](repeating: 0, count: family == AF_INET ? 4 : 16)
        guard inet_pton(family, String(text), &bytes) == 1 else { return nil }
        self.init(bytes: bytes)
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }

    /// `192.0.2.1`, or eight groups of hexadecimal digits, none left out.
    package var description: String {
        switch family {
        case .v4:
            stride(from: 24, through: 0, by: -8).map { String(UInt8(truncatingIfNeeded: bits >> UInt128($0))) }
                .joined(separator: ".")
        case .v6:
            stride(from: 112, through: 0, by: -16).map { String(UInt16(truncatingIfNeeded: bits >> UInt128($0)), radix: 16) }
                .joined(separator: ":")
        }
    }
}
