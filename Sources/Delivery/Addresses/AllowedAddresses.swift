package import Backend
internal import Primitives

/// The receivers that the configuration file allows although they are not public: only the file can widen it, never the API.
///
/// An allowed host or range may be private, may be asked by `http:`, on any port, and by its IP address.
package struct AllowedAddresses: Sendable, Hashable {
    private let names: Set<String>
    private let ranges: [AddressRange]

    /// - Parameter entries: `webhooks.allow` of the configuration: ranges (`10.0.0.0/8`, `fd00::/8`), addresses, host names.
    /// - Throws: a sentence about the first entry that is none of these.
    package init(_ entries: [String] = []) throws(AddressRefusal) {
        var names: Set<String> = []
        var ranges: [AddressRange] = []
        for entry in entries {
            if let range = AddressRange(entry) {
                ranges.append(range)
            } else if case .name(let name)? = Self.host(entry) {
                names.insert(name)
            } else {
                throw AddressRefusal("\"\(entry)\" is no host name, IP address or range such as 10.0.0.0/8 (its other bits 0)")
            }
        }
        (self.names, self.ranges) = (names, ranges)
    }

    private static func host(_ entry: String) -> EndpointURL.Host? {
        guard !entry.contains(where: { "/:?".contains($0) }) else { return nil }
        do {
            return try EndpointURL("https://\(entry)").host
        } catch {
            return nil
        }
    }

    func contains(name: String) -> Bool { names.contains(name) }

    func contains(_ address: IPAddress) -> Bool { ranges.contains { $0.contains(address) } }

    /// Whether any address is allowed by a range.
    var hasRanges: Bool { !ranges.isEmpty }
}
