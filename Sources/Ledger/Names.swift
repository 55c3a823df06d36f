package import Primitives

/// One bundle id that this server serves; its short name in our configuration and addresses.
package enum App {}
/// The app's own user; may be anonymous.
package enum Customer {}
/// One subscription: everything that shares one `originalTransactionId`.
package enum Subscription {}
package enum Transaction {}
package enum Product {}
package enum Entitlement {}

package typealias AppID = ID<App>
package typealias CustomerID = ID<Customer>
package typealias OriginalTransactionID = ID<Subscription>
package typealias TransactionID = ID<Transaction>
package typealias ProductID = ID<Product>
package typealias EntitlementID = ID<Entitlement>

/// What a subscription is filed under. Apps and environments are separate ledgers (FACT-4), and Apple's ids are unique only
/// inside one environment (apple.md F.18), so all three belong to the key.
package struct SubscriptionKey: Sendable, Hashable, Codable, Comparable {
    package let app: AppID
    package let environment: Environment
    package let originalTransactionId: OriginalTransactionID

    package init(app: AppID, environment: Environment, originalTransactionId: OriginalTransactionID) {
        self.app = app
        self.environment = environment
        self.originalTransactionId = originalTransactionId
    }

    package static func < (left: Self, right: Self) -> Bool {
        (left.app, left.environment.rawValue, left.originalTransactionId) < (
            right.app, right.environment.rawValue, right.originalTransactionId
        )
    }
}

/// A UUID that the app puts on a purchase, in lower case; ours and not Apple's, so it never shows a common Apple Account.
///
/// Source: Apple, StoreKit, `appAccountToken`.
package struct AppAccountToken: Sendable, Hashable, Codable, Comparable {
    /// The UUID in lower case, with hyphens.
    package let rawValue: String

    /// Nil unless the text has the shape of a UUID (RFC 9562, section 4): 8-4-4-4-12 hexadecimal digits.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 36 else { return nil }
        for (index, byte) in bytes.enumerated() {
            let isHyphenPlace = index == 8 || index == 13 || index == 18 || index == 23
            guard isHyphenPlace ? byte == UInt8(ascii: "-") : Hexadecimal.value(of: byte) != nil else { return nil }
        }
        rawValue = text.lowercased()
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let token = AppAccountToken(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "appAccountToken is not a UUID")
        }
        self = token
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
