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
    package let bits: UInt128

    /// - Parameter bytes: 4 or 16, in network order; nil for another number of them.
    package init?(bytes: some Collection<UInt8>) {
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
        guard (2...45).contains(text.utf8.count) else { return nil }
        let characters = Array(text.utf8)
        let bytes = characters.contains(UInt8(ascii: ":")) ? Self.ofGroups(characters) : Self.ofNumbers(characters[...])
        guard let bytes else { return nil }
        self.init(bytes: bytes)
    }

    /// Four decimal numbers without leading zeros.
    private static func ofNumbers(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let bytes = parts.compactMap { part -> UInt8? in
            guard (1...3).contains(part.count), part.count == 1 || part.first != UInt8(ascii: "0"),
                part.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
            else { return nil }
            return UInt8(String(decoding: part, as: UTF8.self))
        }
        return parts.count == 4 && bytes.count == 4 ? bytes : nil
    }

    /// Eight groups of up to four hexadecimal digits; `::` stands once for as many groups of zeros as are left out, and the last
    /// two may be written as an address of IPv4.
    private static func ofGroups(_ text: [UInt8]) -> [UInt8]? {
        let colon = UInt8(ascii: ":")
        let gap = text.indices.dropLast().first { text[$0] == colon && text[$0 + 1] == colon }
        guard let gap else { return groups(text[...]).flatMap { $0.count == 16 ? $0 : nil } }
        guard let head = groups(text[..<gap], isEnd: false), let tail = groups(text[(gap + 2)...]),
            head.count + tail.count <= 14
        else { return nil }
        return head + [UInt8](repeating: 0, count: 16 - head.count - tail.count) + tail
    }

    /// - Parameter isEnd: whether the last one may be an address of IPv4.
    private static func groups(_ text: ArraySlice<UInt8>, isEnd: Bool = true) -> [UInt8]? {
        guard !text.isEmpty else { return [] }
        var bytes: [UInt8] = []
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if isEnd, index == parts.count - 1, part.contains(UInt8(ascii: ".")) {
                guard let last = ofNumbers(part) else { return nil }
                bytes += last
            } else {
                guard (1...4).contains(part.count), part.allSatisfy(isHexadecimal),
                    let group = UInt16(String(decoding: part, as: UTF8.self), radix: 16)
                else { return nil }
                bytes += [UInt8(group >> 8), UInt8(truncatingIfNeeded: group)]
            }
        }
        return bytes
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
