internal import AppStoreModel

/// The In-App Purchase keys of all apps: those that the store was started with, and what became of them.
///
/// Source: App Store Connect Help, "Generate keys for In-App Purchase", "Revoke API keys".
struct Keyring: Sendable {
    fileprivate struct Name: Sendable, Hashable, Comparable, Codable {
        let bundleId: String
        let keyId: String

        static func < (left: Self, right: Self) -> Bool { (left.bundleId, left.keyId) < (right.bundleId, right.keyId) }
    }

    /// What became of the keys since the start.
    struct Changes: Sendable, Codable {
        fileprivate struct Added: Sendable, Codable {
            let name: Name
            let pem: String
        }

        fileprivate var added: [Added] = []
        fileprivate var revoked: [Name] = []

        init() {}
    }

    private var keys: [Name: InAppPurchaseKey] = [:]
    private var issuers: [String: String] = [:]
    private var revoked: Set<Name> = []
    private var added: Set<Name> = []

    /// The most keys of an app.
    static let maximumKeysOfApp = 100

    /// - Throws: ``SimulatorConfigurationError/duplicateKey(_:)``.
    init(_ apps: [SimulatedApp], _ changes: Changes = Changes()) throws {
        for app in apps {
            issuers[app.bundleId] = app.issuerId
            var all = app.keys
            if let offerKey = app.catalogue.settings.offerKey { all.append(try InAppPurchaseKey(offerKey)) }
            for key in all where keys.updateValue(key, forKey: Name(bundleId: app.bundleId, keyId: key.id)) != nil {
                throw SimulatorConfigurationError.duplicateKey(key.id)
            }
        }
        for one in changes.added {
            let key = try InAppPurchaseKey(id: one.name.keyId, pem: one.pem)
            guard keys.updateValue(key, forKey: one.name) == nil else { throw SimulatorConfigurationError.duplicateKey(key.id) }
            added.insert(one.name)
        }
        revoked = Set(changes.revoked)
    }

    var changes: Changes {
        var changes = Changes()
        changes.added = added.sorted().compactMap { name in keys[name].map { .init(name: name, pem: $0.savedPEM) } }
        changes.revoked = revoked.sorted()
        return changes
    }

    /// A key that signs for the app; nil where it is unknown or was revoked.
    func key(_ keyId: String, of bundleId: String) -> InAppPurchaseKey? {
        let name = Name(bundleId: bundleId, keyId: keyId)
        return revoked.contains(name) ? nil : keys[name]
    }

    func issuer(of bundleId: String) -> String? { issuers[bundleId] }

    /// Every key of an app, by its id, the revoked ones last: who takes the first one has one that works.
    func keys(of bundleId: String) -> [(key: InAppPurchaseKey, isRevoked: Bool)] {
        keys.filter { $0.key.bundleId == bundleId }.map { (key: $1, isRevoked: revoked.contains($0)) }
            .sorted { $0.isRevoked == $1.isRevoked ? $0.key.id < $1.key.id : !$0.isRevoked }
    }

    /// - Throws: ``SimulatorRefusal/invalidKeyId``, ``SimulatorRefusal/keyExists``, or `StoreRefusal.storeFull`.
    mutating func add(_ key: InAppPurchaseKey, to bundleId: String) throws {
        guard (1...64).contains(key.id.utf8.count), key.id.utf8.allSatisfy(Self.isAllowed) else {
            throw SimulatorRefusal.invalidKeyId
        }
        let name = Name(bundleId: bundleId, keyId: key.id)
        guard keys[name] == nil else { throw SimulatorRefusal.keyExists }
        guard keys(of: bundleId).count < Self.maximumKeysOfApp else { throw StoreRefusal.storeFull }
        keys[name] = key
        added.insert(name)
    }

    /// Letters and digits.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    /// Revokes a key, or accepts it again, which App Store Connect never does: a test wants to end what it began.
    ///
    /// - Throws: ``SimulatorRefusal/unknownKey``.
    mutating func setRevoked(_ isRevoked: Bool, _ keyId: String, of bundleId: String) throws(SimulatorRefusal) {
        let name = Name(bundleId: bundleId, keyId: keyId)
        guard keys[name] != nil else { throw .unknownKey }
        if isRevoked { revoked.insert(name) } else { revoked.remove(name) }
    }
}
