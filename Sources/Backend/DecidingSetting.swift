import AppStoreWire

/// A member of the configuration file that decides whether something is refused, as docs/operations/configuration.md spells it.
///
/// In the first hour a refusal is more often due to a wrong setting than to a wrong payload, so it names the setting.
package enum DecidingSetting: String, Sendable, Hashable, CaseIterable {
    case bundleId = "apps[].bundleId"
    case appAppleId = "apps[].appAppleId"
    case environments = "apps[].environments"
    case sandboxAccess = "apps[].sandboxAccess"
    case customerTokenSecret = "apps[].customerTokenSecret"
    case customerTokenKeys = "apps[].customerTokenKeys"
    case sharedSecrets = "apps[].sharedSecrets"
    case apple = "apps[].apple"
    case roots = "trust.additionalRootSHA256"
    case xcodeCertificates = "trust.xcodeCertificateSHA256"
    case distrustedLeafSerials = "trust.distrustedLeafSerials"
    case clockFile = "clock.file"

    /// What the setting decides, for people; a sentence.
    package var words: String {
        switch self {
        case .bundleId: "\(rawValue) says which app this address is for."
        case .appAppleId: "\(rawValue) says which Apple ID the app has (App Store Connect, App Information)."
        case .environments: "\(rawValue) says which environments are accepted."
        case .sandboxAccess: "\(rawValue) says who is answered from the Sandbox: {\"testers\": [...]}, everyone or nobody."
        case .customerTokenSecret:
            "\(rawValue) is the secret that the app's backend signs customer tokens with, at least 32 bytes."
        case .customerTokenKeys: "\(rawValue) says whose ES256 tokens name customers: keys, issuer, audience."
        case .sharedSecrets: "\(rawValue) holds the app's shared secret and the account's (App Store Connect)."
        case .apple: "\(rawValue) says how Apple is asked: with which In-App Purchase key, and whether about receipts."
        case .roots:
            "\(rawValue) and trust.appleRoots say whose signatures are trusted; \(Self.xcodeCertificates.rawValue) lists the "
                + "trusted copies of Xcode."
        case .xcodeCertificates:
            "\(rawValue) lists the certificates of the trusted copies of Xcode. Xcode signs with a single certificate; Apple's "
                + "chains have three."
        case .distrustedLeafSerials: "\(rawValue) lists the signers that are no longer trusted."
        case .clockFile: "\(rawValue) names the server's clock; without it, the machine's clock is used."
        }
    }

    /// The setting that decides a refusal of a JWS; nil where the JWS would be refused under every configuration.
    init?(_ code: JWSRefusal.Code) {
        switch code {
        case .rootNotTrusted: self = .roots
        case .chainLengthNotThree: self = .xcodeCertificates
        case .leafDistrusted: self = .distrustedLeafSerials
        case .signedDateInFuture: self = .clockFile
        case .wrongBundleId: self = .bundleId
        case .wrongEnvironment: self = .environments
        case .wrongAppAppleId: self = .appAppleId
        default: return nil
        }
    }

    /// The same of a receipt.
    init?(_ code: ReceiptRefusal.Code) {
        switch code {
        case .rootNotTrusted: self = .roots
        case .leafDistrusted: self = .distrustedLeafSerials
        case .creationDateInFuture: self = .clockFile
        case .wrongBundleId: self = .bundleId
        case .wrongEnvironment: self = .environments
        case .wrongAppAppleId: self = .appAppleId
        default: return nil
        }
    }
}
