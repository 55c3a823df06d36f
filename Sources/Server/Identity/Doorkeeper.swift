import APIContract
import Crypto
import HTTPTypes
import Hummingbird
package import Ledger
import NIOCore
import Primitives

/// Who is asking, for one app.
package enum Caller: Sendable, Hashable {
    /// The app's own backend, with the secret server key: may speak for any customer.
    case appBackend
    /// One customer, by the public key and a token that the app's backend signed, or an anonymous one by the public key and the
    /// secret of their device.
    case customer(CustomerID)
    /// Whoever has the app.
    case anyone
}

/// Identifies the caller by a request's credentials, and decides whether it has asked too often.
struct Doorkeeper: Sendable {
    private static let scheme = Array("bearer ".utf8)

    private let credentials: [AppID: AppCredentials]
    private let budgets: RequestBudgets
    private let wrongKeysPerMinute: Int
    /// SHA-256 of the secret of an anonymous customer's device; nil for a customer who has none.
    private let deviceDigest: @Sendable (CustomerID, AppID) async throws -> [UInt8]?

    init(
        _ credentials: [AppCredentials], budgets: RequestBudgets, wrongKeysPerMinute: Int,
        deviceDigest: @escaping @Sendable (CustomerID, AppID) async throws -> [UInt8]?
    ) {
        self.deviceDigest = deviceDigest
        self.credentials = Dictionary(credentials.map { ($0.app, $0) }) { first, _ in first }
        self.budgets = budgets
        self.wrongKeysPerMinute = wrongKeysPerMinute
    }

    /// The caller, if it may ask this of this app and this customer; nil where no key is needed.
    ///
    /// - Throws: `DoorError`; the same for an app that does not exist and for a wrong key, so that apps cannot be guessed (T23).
    ///   `RequestBudgets.Spent` for who asks too often.
    func admit(
        _ callers: CallerKind, to subject: Subject, _ request: Request,
        from address: @autoclosure () -> SocketAddress?, at now: Timestamp
    ) async throws -> Caller? {
        guard callers != .anyone, callers != .apple, let app = subject.app else { return nil }
        let identified: (caller: Caller, limits: AppLimits)
        do {
            identified = try await identify(request, as: callers, subject.customer, app: app, at: now)
        } catch let error as DoorError where error.isWrongKey {
            // A caller with the right key is answered whatever others send from the same address, which may be a
            // proxy's.
            if let peer = ConnectionsPerAddress.Peer(address()) {
                try budgets.spend(.wrongKeys(peer), perMinute: wrongKeysPerMinute)
            }
            throw error
        }
        try count(identified.caller, of: app, identified.limits)
        switch identified.caller {
        case .appBackend: break
        case .anyone: break
        case .customer where callers == .appBackend: throw DoorError.serverKeyNeeded
        case .customer(let customer): guard customer == subject.customer else { throw DoorError.anotherCustomer }
        }
        return identified.caller
    }

    private func count(_ caller: Caller, of app: AppID, _ limits: AppLimits) throws {
        switch caller {
        case .appBackend: try budgets.spend(.serverKey(app), perMinute: limits.serverKeyPerMinute)
        case .anyone: try budgets.spend(.publicKey(app), perMinute: limits.publicKeyPerMinute)
        case .customer(let customer):
            try budgets.spend(.customer(app, customer), perMinute: limits.customerPerMinute)
            try budgets.spend(.publicKey(app), perMinute: limits.publicKeyPerMinute)
        }
    }

    private func identify(
        _ request: Request, as callers: CallerKind, _ customer: CustomerID?, app: AppID, at now: Timestamp
    ) async throws -> (caller: Caller, limits: AppLimits) {
        guard let header = request.headers.only(.authorization)?.utf8, Self.isBearer(header) else { throw DoorError.keyMissing }
        let key = Array(header.dropFirst(Self.scheme.count))
        guard let credentials = credentials[app] else { throw DoorError.keyWrong }
        // Digests are compared, so how long it takes says nothing about how much of the key was right (T44).
        if SHA256.hash(data: key) == credentials.serverKeyDigest { return (.appBackend, credentials.limits) }
        guard key.elementsEqual(credentials.publicKey.utf8) else { throw DoorError.keyWrong }
        if callers == .newDevice { return (.anyone, credentials.limits) }
        if let customer, request.headers[.customerToken] == nil, let secret = request.headers.only(.deviceSecret) {
            guard let digest = try await deviceDigest(customer, app), SHA256.hash(data: Array(secret.utf8)) == digest else {
                throw DoorError.deviceSecretWrong
            }
            return (.customer(customer), credentials.limits)
        }
        // Said only to who has this app's public key, so that apps can still not be guessed.
        guard let secret = credentials.customerTokenSecret else { throw DoorError.customerTokenNotConfigured }
        guard let token = request.headers[.customerToken] else { throw DoorError.customerTokenMissing }
        do throws(CustomerToken.Refusal) {
            let customer = try CustomerToken.customer(in: token, app: app, secret: secret, at: now)
            return (.customer(customer), credentials.limits)
        } catch {
            throw DoorError.customerTokenRefused(error, at: now)
        }
    }

    /// The scheme is read in any case (RFC 9110, section 11.1). Setting bit 5 makes a letter small and leaves a blank as it is.
    private static func isBearer(_ header: String.UTF8View) -> Bool {
        header.prefix(scheme.count).lazy.map { $0 | 0x20 }.elementsEqual(scheme)
    }
}

/// Why a caller is refused.
enum DoorError: Error {
    case keyMissing
    case keyWrong
    /// The public key is right, and the app has no secret under which a customer token could be believed.
    case customerTokenNotConfigured
    case customerTokenMissing
    case customerTokenRefused(CustomerToken.Refusal, at: Timestamp)
    /// The customer has no device, or another secret.
    case deviceSecretWrong
    case anotherCustomer
    case serverKeyNeeded

    /// Whether the key, or the signature of the token, is not ours. A token that is over is no attempt to guess one.
    fileprivate var isWrongKey: Bool {
        switch self {
        case .keyWrong, .deviceSecretWrong: true
        case .customerTokenRefused(let refusal, _):
            switch refusal {
            case .malformed, .algorithmNotHS256, .signatureInvalid: true
            case .claimMissing, .audienceOfAnotherApp, .validForTooLong, .notYetIssued, .notYetValid, .expired: false
            }
        case .keyMissing, .customerTokenNotConfigured, .customerTokenMissing, .anotherCustomer, .serverKeyNeeded: false
        }
    }
}

extension HTTPFields {
    /// The value of a field that stands there once; two of them are no credentials.
    fileprivate func only(_ name: HTTPField.Name) -> String? {
        var value: String?
        for field in self where field.name == name {
            guard value == nil else { return nil }
            value = field.value
        }
        return value
    }
}

extension HTTPField.Name {
    /// Carries a customer token beside the public key. The name is a valid field name, so it can always be made.
    static let customerToken = HTTPField.Name("Tenure-Customer-Token") ?? .authorization
    /// Carries the secret of an anonymous customer's device beside the public key (OWN-10).
    static let deviceSecret = HTTPField.Name("Tenure-Device-Secret") ?? .authorization
}

/// Secrets that callers choose are kept as their digests.
package enum SecretDigest {
    package static func of(_ secret: String) -> [UInt8] { Array(SHA256.hash(data: Array(secret.utf8))) }
}

extension SHA256.Digest {
    fileprivate static func == (digest: SHA256.Digest, bytes: [UInt8]) -> Bool {
        guard bytes.count == SHA256.byteCount else { return false }
        return digest.withUnsafeBytes { digest in
            var difference: UInt8 = 0
            for index in bytes.indices { difference |= digest[index] ^ bytes[index] }
            return difference == 0
        }
    }
}
