internal import AppStoreModel
internal import Primitives
internal import SimulatorPKI

/// Signs the store's payloads, with the store's own certificates and the store's own date.
struct StorePrinter: Sendable, Codable {
    /// The first signer, then each later one: a leaf is renewed now and then, and what was signed before stays as it was.
    private(set) var signers: [SigningAuthority]
    static let maximumSigners = 1000
    /// The place of the newest leaf under our root.
    private var rightful = 0
    /// The place of the signer with the wrong chain; nil before one was ever made.
    private var impostor: Int?
    private var isImpostorSigning = false
    /// The place of a leaf under our root that signs for a while; nil: none does.
    private var temporary: Int?

    init(_ authority: SigningAuthority) { signers = [authority] }

    /// The place of the present signer.
    private var present: Int { isImpostorSigning ? impostor ?? rightful : temporary ?? rightful }
    private var signer: SigningAuthority { signers[present] }

    /// Whether the places name existing signers; in a saved state they may not.
    var isWhole: Bool {
        signers.indices.contains(rightful) && [impostor, temporary].compactMap(\.self).allSatisfy(signers.indices.contains)
    }

    /// Makes a new leaf of our root sign from now on.
    mutating func renew(_ leaf: SigningAuthority) {
        rightful = signers.count
        isImpostorSigning = false
        signers.append(leaf)
    }

    /// Makes a leaf of our root sign from now on, until another signing is set.
    mutating func signTemporarily(with leaf: SigningAuthority) {
        temporary = signers.count
        isImpostorSigning = false
        signers.append(leaf)
    }

    /// Makes a chain of an untrusted root sign from now on, creating it if there is none yet; or the right one again.
    mutating func setImpostor(_ isOn: Bool, _ make: () throws -> SigningAuthority) rethrows {
        if isOn, impostor == nil {
            signers.append(try make())
            impostor = signers.count - 1
        }
        isImpostorSigning = isOn
        temporary = nil
    }

    /// A `signedTransactionInfo`.
    func signed(_ transaction: StorePurchase, in store: AppStore, at instant: Timestamp) throws -> String {
        try signer.sign(payload: store.payload(of: transaction, signedDate: instant))
    }

    /// A `signedRenewalInfo`.
    func signed(
        _ subscription: StoreSubscription, renewalDate: Timestamp?, in store: AppStore, at instant: Timestamp
    ) throws -> String {
        try signer.sign(payload: store.payload(of: subscription, renewalDate: renewalDate, signedDate: instant))
    }

    /// A `signedAppTransactionInfo`; nil where the account does not have the app.
    func signedAppTransaction(of app: AppNumber, for account: AccountNumber, in store: AppStore) throws -> String? {
        let payload = store.appTransactionPayload(of: app, for: account, signedDate: store.signingInstant)
        return try payload.map { try signer.sign(payload: $0) }
    }

    /// Any payload.
    func signed(_ payload: [UInt8]) throws -> String { try signer.sign(payload: payload) }

    // MARK: Notifications

    /// The signatures of a notification: stored in place of the signed text, which is rebuilt from them, byte for byte.
    struct Signatures: Sendable, Hashable, Codable {
        /// The place of the signer.
        fileprivate let signer: Int
        /// 64 bytes for each part, in the order in which they are signed.
        fileprivate var bytes: [UInt8] = []

        init(signer: Int) { self.signer = signer }

        /// The names in a saved state.
        private enum CodingKeys: String, CodingKey {
            case signer, signatures
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            signer = try container.decode(Int.self, forKey: .signer)
            guard let bytes = StrictBase64.decodePadded(Array(try container.decode(String.self, forKey: .signatures).utf8)[...])
            else { throw DecodingError.dataCorruptedError(forKey: .signatures, in: container, debugDescription: "not base64") }
            self.bytes = bytes
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(signer, forKey: .signer)
            try container.encode(StrictBase64.encodePadded(bytes), forKey: .signatures)
        }
    }

    /// A `signedPayload` of a notification.
    func signed(_ notification: StoreNotification, in store: AppStore) throws -> (signedPayload: String, Signatures) {
        var signatures = Signatures(signer: present)
        let payload = try print(notification, in: store) { payload in
            let (compact, signature) = try signer.signed(payload)
            signatures.bytes += signature
            return compact
        }
        return (payload, signatures)
    }

    /// The same signed text again, byte for byte.
    func signedAgain(_ notification: StoreNotification, _ signatures: Signatures, in store: AppStore) throws -> String {
        let signer = signers.indices.contains(signatures.signer) ? signers[signatures.signer] : signer
        var rest = signatures.bytes[...]
        return try print(notification, in: store) { payload in
            defer { rest = rest.dropFirst(64) }
            return signer.compact(payload, signature: Array(rest.prefix(64)))
        }
    }

    private func print(
        _ notification: StoreNotification, in store: AppStore, _ sign: ([UInt8]) throws -> String
    ) throws -> String {
        let (date, renewalDate) = (notification.transactionSignedDate, notification.renewalSignedDate)
        var parts = SignedParts()
        switch notification.subject {
        case .subscription(let subscription, let transaction, let periodEnd):
            parts.transaction = try sign(store.payload(of: transaction, signedDate: date))
            parts.renewal = try sign(store.payload(of: subscription, renewalDate: periodEnd, signedDate: renewalDate))
        case .purchase(let transaction): parts.transaction = try sign(store.payload(of: transaction, signedDate: date))
        case .consent(let app, let account):
            parts.appTransaction = try store.appTransactionPayload(of: app, for: account, signedDate: date).map(sign)
        case .app: break
        }
        return try sign(store.payload(of: notification, with: parts))
    }
}
