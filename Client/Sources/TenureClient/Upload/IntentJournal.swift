import Foundation

/// Somebody is about to buy: kept before the store is asked, so that a purchase which the process does not survive still comes
/// back as its buyer's, and not as something that the store happened to deliver (OWN-4).
struct PurchaseIntent: Sendable, Hashable, Codable {
    let customer: String
    let productId: String
    let startedAt: Instant
    /// What the purchase bears.
    let appAccountToken: UUID?

    /// So long a purchase may wait for a parent.
    static let longest = 30 * Length.day
}

/// The purchases that were begun and have not come, one file each.
struct IntentJournal: Sendable {
    private let folder: Folder

    /// More purchases than anybody begins; the oldest is forgotten then.
    static let most = 50

    init(_ folder: Folder) throws {
        self.folder = folder
        try folder.tidy()
    }

    /// Keeps an intent; when it returns, it outlasts the process.
    ///
    /// - Returns: its name.
    func begin(_ intent: PurchaseIntent, _ chance: any Chance) throws -> String {
        let others = try all().sorted { $0.value.startedAt < $1.value.startedAt }
        for old in others.dropLast(min(Self.most - 1, others.count)) { try folder.remove(old.key) }
        let tail = chance.bytes(4).map { String($0, radix: 16) }.joined()
        let name = "\(max(0, intent.startedAt.millisecondsSince1970))-\(tail).json"
        try folder.save(try JSONEncoder().encode(intent), as: name)
        return name
    }

    func end(_ name: String) throws { try folder.remove(name) }

    /// Whether nothing has come of an intent yet.
    func contains(_ name: String) throws -> Bool { try folder.contents(name) != nil }

    /// A begun purchase that a transaction may be of.
    struct Match: Sendable, Hashable {
        let name: String
        let intent: PurchaseIntent
    }

    /// The intent of a transaction: the one whose token it bears, else the oldest of its product that bears none. One whose token
    /// is another customer's is nobody's intent.
    func match(_ transaction: TransactionText, at now: Instant) throws -> Match? {
        let live = try all().filter { now.since($0.value.startedAt) < PurchaseIntent.longest }
            .sorted { $0.value.startedAt < $1.value.startedAt }
        let ofProduct = live.filter { $0.value.productId == transaction.productId }
        let found =
            if let token = transaction.appAccountToken {
                ofProduct.first { $0.value.appAccountToken?.uuidString.lowercased() == token }
            } else {
                ofProduct.first
            }
        return found.map { Match(name: $0.key, intent: $0.value) }
    }

    /// Those that something may come of still.
    func begun(at now: Instant) throws -> [PurchaseIntent] {
        try all().values.filter { now.since($0.startedAt) < PurchaseIntent.longest }
    }

    /// Removes what nothing can come of any more.
    func prune(at now: Instant) throws {
        for (name, intent) in try all() where now.since(intent.startedAt) >= PurchaseIntent.longest { try folder.remove(name) }
    }

    private func all() throws -> [String: PurchaseIntent] {
        var intents: [String: PurchaseIntent] = [:]
        for name in try folder.names() {
            guard let data = try folder.contents(name) else { continue }
            do {
                intents[name] = try JSONDecoder().decode(PurchaseIntent.self, from: data)
            } catch is DecodingError {
                // One that cannot be read is of no use to anybody.
                try folder.remove(name)
            }
        }
        return intents
    }
}
