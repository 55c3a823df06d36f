package import AppStoreWire

/// With which key, and as which app, the App Store Server API is called.
package struct AppStoreKey: Sendable, CustomStringConvertible {
    /// The In-App Purchase key: issuer, key id and private key.
    package let signingKey: SigningKey
    /// The app that the calls are about.
    package let bundleId: String

    /// A key for an app.
    package init(signingKey: SigningKey, bundleId: String) {
        self.signingKey = signingKey
        self.bundleId = bundleId
    }

    /// The app and the key's id, never the key.
    package var description: String { "\(bundleId), key \(signingKey.keyId)" }
}
