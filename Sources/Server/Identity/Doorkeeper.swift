import APIContract
import Backend
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

/// Who was let in, and with which key.
package struct Admission: Sendable, Hashable {
    package let caller: Caller
    /// The name of the key; that of the configuration file is ``ActingKey/ofFile``.
    package let keyName: String
    /// What is left of the caller's own budget; nil where any number of requests may be made.
    let budget: RequestBudgets.Standing?
}

/// Identifies the caller by a request's credentials, and decides whether it may do this and has not asked too often.
struct Doorkeeper: Sendable {
    static let scheme = Array("bearer ".utf8)

    private let credentials: [AppID: AppCredentials]
    private let budgets: RequestBudgets
    private let wrongKeysPerMinute: Int
    /// The keys that the database has.
    private let keys: KeyRing
    /// SHA-256 of the secret of an anonymous customer's device; nil for a customer who has none.
    private let deviceDigest: @Sendable (CustomerID, AppID) async throws -> [UInt8]?

    init(
        _ credentials: [AppCredentials], budgets: RequestBudgets, wrongKeysPerMinute: Int, keys: KeyRing,
        deviceDigest: @escaping @Sendable (CustomerID, AppID) async throws -> [UInt8]?
    ) {
        self.deviceDigest = deviceDigest
        self.credentials = Dictionary(credentials.map { ($0.app, $0) }) { first, _ in first }
        self.budgets = budgets
        self.wrongKeysPerMinute = wrongKeysPerMinute
        self.keys = keys
    }

    /// What a request asks for, as its endpoint says.
    struct Asked: Sendable {
        let callers: CallerKind
        /// Nil where no key is asked for.
        let scope: KeyScope?
        let subject: Subject

        init<Path>(_ callers: Callers<Path>, _ subject: Subject) {
            (self.callers, scope, self.subject) = (callers.kind, callers.scope, subject)
        }
    }

    /// The caller, if it may ask this of this app and this customer; nil where no key is needed.
    ///
    /// - Throws: `DoorError`; the same for an app that does not exist and for a wrong key, so that apps cannot be guessed (T23).
    ///   `RequestBudgets.Spent` for who asks too often. `BackendError.store` for a key that is not known while the database is
    ///   away.
    func admit(
        _ asked: Asked, _ request: Request, from address: @autoclosure () -> SocketAddress?, at now: Timestamp
    ) async throws -> Admission? {
        guard let scope = asked.scope, let app = asked.subject.app else { return nil }
        let shown: ShownKey
        let caller: Caller
        do {
            shown = try await key(of: request, app: app, at: now)
            caller = try await identify(request, with: shown, asked, at: now)
        } catch let error as DoorError where error.isWrongKey {
            // A caller with the right key is answered whatever others send from the same address, which may be a
            // proxy's.
            if let peer = ConnectionsPerAddress.Peer(address()) {
                try budgets.spend(.wrongKeys(peer), perMinute: wrongKeysPerMinute)
            }
            throw error
        }
        let budget = try count(caller, with: shown)
        switch caller {
        case .appBackend: break
        case .anyone: break
        case .customer where asked.callers == .appBackend: throw DoorError.serverKeyNeeded
        case .customer(let customer): guard customer == asked.subject.customer else { throw DoorError.anotherCustomer }
        }
        guard shown.has(scope) else { throw DoorError.scopeMissing(scope, key: shown.name) }
        if case .kept(let key) = shown.source { keys.noteUse(of: key, at: now) }
        return Admission(caller: caller, keyName: shown.name, budget: budget)
    }

    /// A key that a request showed and that is the app's.
    private struct ShownKey {
        enum Source {
            case file(isServer: Bool)
            case kept(HeldKey)
        }

        let source: Source
        let credentials: AppCredentials

        var isServer: Bool {
            switch source {
            case .file(let isServer): isServer
            case .kept(let key): key.isServer
            }
        }

        var name: String {
            switch source {
            case .file: ActingKey.ofFile
            case .kept(let key): key.name
            }
        }

        func has(_ scope: KeyScope) -> Bool {
            switch source {
            case .file(let isServer): isServer ? scope != .admin : Backend.publicScopes.contains(scope)
            case .kept(let key): key.has(scope)
            }
        }
    }

    /// - Returns: what is left to the caller alone, where that is counted; what all customers share is nobody's to know.
    private func count(_ caller: Caller, with key: ShownKey) throws -> RequestBudgets.Standing? {
        let (app, limits) = (key.credentials.app, key.credentials.limits)
        switch caller {
        case .appBackend: return try budgets.spend(.serverKey(app, key.name), perMinute: limits.serverKeyPerMinute)
        case .anyone: return try budgets.spend(.publicKey(app, key.name), perMinute: limits.publicKeyPerMinute)
        case .customer(let customer):
            let own = try budgets.spend(.customer(app, customer), perMinute: limits.customerPerMinute)
            try budgets.spend(.publicKey(app, key.name), perMinute: limits.publicKeyPerMinute)
            return own
        }
    }

    private func key(of request: Request, app: AppID, at now: Timestamp) async throws -> ShownKey {
        guard let header = request.headers.only(.authorization)?.utf8, Self.isBearer(header) else { throw DoorError.keyMissing }
        let key = Array(header.dropFirst(Self.scheme.count))
        let (digest, credentials) = (SHA256.hash(data: key), credentials[app])
        // Digests are compared, so how long it takes says nothing about how much of the key was right (T44).
        if let credentials {
            if digest == credentials.serverKeyDigest { return ShownKey(source: .file(isServer: true), credentials: credentials) }
            if key.elementsEqual(credentials.publicKey.utf8) {
                return ShownKey(source: .file(isServer: false), credentials: credentials)
            }
        }
        // A mistyped one costs the database nothing. Of an app that does not exist it is asked too, so that this takes as long.
        guard KeyText.isWellFormed(key), let held = try await keys.key(digest: Array(digest), of: app, at: now), let credentials,
            held.isServer || held.isPublic
        else { throw DoorError.keyWrong }
        return ShownKey(source: .kept(held), credentials: credentials)
    }

    private func identify(
        _ request: Request, with key: ShownKey, _ asked: Asked, at now: Timestamp
    ) async throws -> Caller {
        if key.isServer { return .appBackend }
        if asked.callers == .newDevice { return .anyone }
        let (app, credentials) = (key.credentials.app, key.credentials)
        if let customer = asked.subject.customer, request.headers[.customerToken] == nil,
            let secret = request.headers.only(.deviceSecret)
        {
            guard let digest = try await deviceDigest(customer, app), SHA256.hash(data: Array(secret.utf8)) == digest else {
                throw DoorError.deviceSecretWrong
            }
            return .customer(customer)
        }
        // Said only to who has this app's public key, so that apps can still not be guessed.
        guard let trust = CustomerTokenTrust(credentials) else { throw DoorError.customerTokenNotConfigured }
        guard let token = request.headers[.customerToken] else { throw DoorError.customerTokenMissing }
        do throws(CustomerToken.Refusal) {
            return .customer(try CustomerToken.customer(in: token, believing: trust, at: now))
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
    /// The key is right, and may not do this.
    case scopeMissing(KeyScope, key: String)

    /// Whether the key, or the signature of the token, is not ours. A token that is over is no attempt to guess one.
    fileprivate var isWrongKey: Bool {
        switch self {
        case .keyWrong, .deviceSecretWrong: true
        case .customerTokenRefused(let refusal, _):
            switch refusal {
            case .malformed, .algorithmNotAccepted, .keyUnknown, .signatureInvalid: true
            case .claimMissing, .issuerOfAnother, .audienceOfAnotherApp, .validForTooLong, .notYetIssued, .notYetValid, .expired:
                false
            }
        case .keyMissing, .customerTokenNotConfigured, .customerTokenMissing, .anotherCustomer, .serverKeyNeeded, .scopeMissing:
            false
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
