internal import AppStoreModel
internal import Primitives
internal import SimulatorPKI

/// Signs what the store says, with the store's own certificates and the store's own date.
struct StorePrinter: Sendable {
    /// Who signed so far, the present one last: a leaf is renewed now and then, and what was signed before stays as it was.
    private(set) var authorities: [SigningAuthority]
    static let maximumAuthorities = 1000
    /// In place of the present one while something is wrong on purpose.
    var impostor: SigningAuthority?

    init(_ authority: SigningAuthority) { authorities = [authority] }

    var authority: SigningAuthority { authorities[authorities.count - 1] }
    private var signer: SigningAuthority { impostor ?? authority }

    mutating func renew(_ authority: SigningAuthority) { authorities.append(authority) }

    /// A `signedTransactionInfo`.
    func signed(_ transaction: StoreTransaction, in store: Store, at instant: Timestamp) throws -> String {
        try signer.sign(payload: store.payload(of: transaction, signedDate: instant))
    }

    /// A `signedRenewalInfo`.
    func signed(
        _ subscription: StoreSubscription, renewalDate: Timestamp?, in store: Store, at instant: Timestamp
    ) throws -> String {
        try signer.sign(payload: store.payload(of: subscription, renewalDate: renewalDate, signedDate: instant))
    }

    /// A `signedAppTransactionInfo`; nil where the account has not got the app.
    func signedAppTransaction(of app: AppNumber, for account: AccountNumber, in store: Store) throws -> String? {
        let payload = store.appTransactionPayload(of: app, for: account, signedDate: store.signingInstant)
        return try payload.map { try signer.sign(payload: $0) }
    }

    /// Any payload.
    func signed(_ payload: [UInt8]) throws -> String { try signer.sign(payload: payload) }

    // MARK: Notifications

    /// What a notification was signed with: kept in its place, since it is put together again from it, byte for byte.
    struct Signatures: Sendable {
        let signer: Signer
        /// 64 bytes for each part, in the order in which they are signed.
        fileprivate var bytes: [UInt8] = []

        init(signer: Signer) { self.signer = signer }

        enum Signer: Sendable {
            case authority(Int)
            case impostor(SigningAuthority)
        }
    }

    /// A `signedPayload` of a notification.
    func signed(_ notification: StoreNotification, in store: Store) throws -> (signedPayload: String, Signatures) {
        var signatures = Signatures(signer: impostor.map { .impostor($0) } ?? .authority(authorities.count - 1))
        let payload = try print(notification, in: store) { payload in
            let (compact, signature) = try signer.signed(payload)
            signatures.bytes += signature
            return compact
        }
        return (payload, signatures)
    }

    /// The very same again.
    func signedAgain(_ notification: StoreNotification, _ signatures: Signatures, in store: Store) throws -> String {
        let signer =
            switch signatures.signer {
            case .authority(let place): authorities[place]
            case .impostor(let authority): authority
            }
        var rest = signatures.bytes[...]
        return try print(notification, in: store) { payload in
            defer { rest = rest.dropFirst(64) }
            return signer.compact(payload, signature: Array(rest.prefix(64)))
        }
    }

    private func print(
        _ notification: StoreNotification, in store: Store, _ sign: ([UInt8]) throws -> String
    ) throws -> String {
        let date = notification.signedDate
        var parts = SignedParts()
        switch notification.subject {
        case .subscription(let subscription, let transaction, let renewalDate):
            parts.transaction = try sign(store.payload(of: transaction, signedDate: date))
            parts.renewal = try sign(store.payload(of: subscription, renewalDate: renewalDate, signedDate: date))
        case .purchase(let transaction): parts.transaction = try sign(store.payload(of: transaction, signedDate: date))
        case .consent(let app, let account):
            parts.appTransaction = try store.appTransactionPayload(of: app, for: account, signedDate: date).map(sign)
        case .app: break
        }
        return try sign(store.payload(of: notification, with: parts))
    }
}
