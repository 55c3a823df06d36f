package import AppStoreModel
internal import Crypto
package import Primitives

/// An app that the simulator sells for, with everything that App Store Connect knows about it.
package struct SimulatedApp: Sendable {
    package var bundleId: String
    package var appAppleId: Int64
    package var bundleVersion = "1"
    package var catalogue: Catalogue
    /// Where notifications are sent, by environment; without an address they are only stored.
    package var notificationURLs: [Environment: String] = [:]
    package var notificationVersion = NotificationVersion.v2
    /// The password that `/verifyReceipt` requires; nil: none.
    package var sharedSecret: String?
    /// The issuer of the In-App Purchase keys.
    package var issuerId = Self.usualIssuerId
    package var keys: [InAppPurchaseKey] = []

    package init(bundleId: String, appAppleId: Int64, catalogue: Catalogue) {
        self.bundleId = bundleId
        self.appAppleId = appAppleId
        self.catalogue = catalogue
    }

    /// It belongs to no account at Apple.
    package static let usualIssuerId = "51a40c2e-0000-4000-8000-5e1147005704"
}

/// Which notifications an app's server wants.
package enum NotificationVersion: String, Sendable, Hashable, Codable {
    case v1, v2
}

/// A key that an app's server signs its requests and offers with.
///
/// Source: App Store Connect Help, "Generate keys for In-App Purchase".
package struct InAppPurchaseKey: Sendable {
    package let id: String
    let publicKey: P256.Signing.PublicKey
    /// PEM of the private key, as `SubscriptionKey_<id>.p8`; nil where only its public half is known.
    package let pem: String?

    /// A new key.
    package init(id: String) {
        let key = P256.Signing.PrivateKey()
        self.id = id
        publicKey = key.publicKey
        pem = key.pemRepresentation
    }

    /// A private or a public key in PEM.
    package init(id: String, pem: String) throws {
        self.id = id
        if pem.contains("PRIVATE KEY") {
            publicKey = try P256.Signing.PrivateKey(pemRepresentation: pem).publicKey
            self.pem = pem
        } else {
            publicKey = try P256.Signing.PublicKey(pemRepresentation: pem)
            self.pem = nil
        }
    }

    /// In PEM: the private key, or the public one where only that is known.
    var savedPEM: String { pem ?? publicKey.pemRepresentation }

    /// The key of a `.storekit` file.
    init(_ key: CatalogueSettings.OfferKey) throws {
        let privateKey = try P256.Signing.PrivateKey(derRepresentation: key.privateKey)
        id = key.id
        publicKey = privateKey.publicKey
        pem = privateKey.pemRepresentation
    }
}
