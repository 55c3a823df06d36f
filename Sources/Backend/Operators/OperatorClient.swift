import Primitives
import Storage

/// From where an operator comes, bounded to what is kept of it.
package struct OperatorClient: Sendable, Hashable {
    /// Of the browser, or of whatever is in front of it.
    package let address: String
    package let userAgent: String

    /// What is too long is cut; characters that control something are replaced.
    package init(address: String, userAgent: String) {
        self.address = address.bounded(to: 64)
        self.userAgent = userAgent.bounded(to: 200)
    }

    var stored: StoredOperatorSession.Client { .init(address: address, userAgent: userAgent) }

    /// Whose failures count together: an address of IPv4, or the 64 bits of IPv6 that one subscriber has.
    var failureGroup: String {
        guard let parsed = IPAddress(address), parsed.family == .v6 else { return address }
        return "\(String(parsed.bits >> 64, radix: 16))/64"
    }
}

extension String {
    /// At most so many characters, none of which controls a terminal or a protocol.
    func bounded(to longest: Int) -> String {
        let plain = unicodeScalars.prefix(longest + 1).map { scalar in
            scalar.properties.generalCategory == .control ? "\u{FFFD}" : String(scalar)
        }
        return plain.prefix(longest).joined() + (plain.count > longest ? "…" : "")
    }
}
