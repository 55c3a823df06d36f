internal import Primitives
internal import StrictJSON

/// The kinds of payload that Apple signs, told apart by fields that only one of them has (T05).
///
/// Source: Apple, App Store Server API, the decoded payload types.
enum PayloadKind: String, CaseIterable {
    case transaction, renewalInfo, appTransaction, notification, realtimeRequest

    /// Fields that occur together in this kind and in no other.
    private var marks: [String] {
        switch self {
        case .transaction: ["transactionId", "productId", "purchaseDate"]
        case .renewalInfo: ["originalTransactionId", "autoRenewStatus"]
        case .appTransaction: ["receiptType", "receiptCreationDate"]
        case .notification: ["notificationType", "notificationUUID"]
        case .realtimeRequest: ["requestIdentifier", "userLocale"]
        }
    }

    /// Whether the payload carries all marks of this kind and not all of any other.
    func claims(_ reader: PayloadReader) -> Bool {
        Self.allCases.allSatisfy { kind in
            kind.marks.allSatisfy { reader.has($0) } == (kind == self)
        }
    }
}

/// A payload that Apple signs as a JWS: this library's five types, and no other.
public protocol JWSPayload: Sendable {}

/// What the verifier needs to know of a payload type; each of the five implements it.
protocol SignedPayload: JWSPayload {
    static var kind: PayloadKind { get }
    static var part: JWSRefusal.Part { get }
    /// The field that names the environment, so that Xcode's fractions are allowed in Xcode's payloads only.
    static var environmentField: String { get }
    /// When the signer says that it signed.
    var signingDate: Timestamp { get }
    /// The environment of the payload.
    var signedEnvironment: Environment { get }

    init(_ reader: PayloadReader) throws(FieldRefusal)
    /// Refuses a payload that is not about this app (FACT-4).
    func check(_ app: ExpectedApp) throws(FieldRefusal)
}

extension SignedPayload {
    /// Reads the payload's JSON, completely and strictly: the kind first, then each field.
    static func decode(_ json: [UInt8]) throws(JWSRefusal) -> Self {
        let reader = try reader(json)
        guard kind.claims(reader) else { throw JWSRefusal(.wrongKind, "expected \(kind.rawValue)", in: part) }
        do throws(FieldRefusal) {
            return try Self(reader)
        } catch {
            throw JWSRefusal(error.code, error.field, in: part)
        }
    }

    private static func reader(_ json: [UInt8]) throws(JWSRefusal) -> PayloadReader {
        do throws(JSONError) {
            if let object = try JSONDocument(json).root.object {
                return PayloadReader(object, allowsFractions: object[environmentField]?.string == Environment.xcode.rawValue)
            }
        } catch {
            throw JWSRefusal(.payloadNotJSON, "\(error)", in: part)
        }
        throw JWSRefusal(.payloadNotJSON, "not an object", in: part)
    }

    /// Compares the app's name and environment with what is expected; `appAppleId` counts in Production only, when it is named.
    func check(
        _ app: ExpectedApp, bundleId: String?, environment: Environment, appAppleId: Int64?
    ) throws(FieldRefusal) {
        if let bundleId, !app.hasBundleId(bundleId) {
            throw FieldRefusal(code: .wrongBundleId, field: "bundleId: \(app.mismatch(bundleId: bundleId))")
        }
        guard app.environments.contains(environment) else {
            throw FieldRefusal(code: .wrongEnvironment, field: app.mismatch(environment: environment))
        }
        if environment == .production, let appAppleId, appAppleId != app.appAppleId {
            throw FieldRefusal(code: .wrongAppAppleId, field: "appAppleId: \(app.mismatch(appAppleId: appAppleId))")
        }
    }
}
