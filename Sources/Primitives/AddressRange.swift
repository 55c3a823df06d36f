/// All addresses with a common beginning: `10.0.0.0/8`, `fd00::/8`.
///
/// Source: RFC 4632, section 3.1; RFC 4291, section 2.3.
package struct AddressRange: Sendable, Hashable {
    private let first: IPAddress
    /// How many bits all of them share.
    private let length: Int

    /// Reads an address, a slash and the number of its bits that count; the rest of them must be 0. An address alone is the range
    /// of itself. Nil for anything else.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let address = IPAddress(parts[0]) else { return nil }
        let length = parts.count == 1 ? address.family.width : Self.number(parts[1])
        guard let length, (0...address.family.width).contains(length) else { return nil }
        first = address
        self.length = length
        guard Self.beginning(of: address, length) << UInt128(address.family.width - length) == address.bits else { return nil }
    }

    private static func number(_ text: some StringProtocol) -> Int? {
        guard (1...3).contains(text.utf8.count),
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return Int(text)
    }

    /// The first bits alone. All of 128 shifted away are 0.
    private static func beginning(of address: IPAddress, _ length: Int) -> UInt128 {
        address.bits >> UInt128(address.family.width - length)
    }

    /// Whether an address lies in it; one of the other family never does.
    package func contains(_ address: IPAddress) -> Bool {
        address.family == first.family && Self.beginning(of: address, length) == Self.beginning(of: first, length)
    }
}
