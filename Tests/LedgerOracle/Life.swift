/// A random life: what Apple signed and what customers and operators did, as it reached the server.
package struct Life: Sendable {
    package let seed: UInt64
    package let policies: OraclePolicies
    /// Claims, votes and merges in their order; facts in any order, some twice, some late; registrations, intents and
    /// reservations at any place: only their instants count.
    package let deliveries: [Delivery]
    package let customers: [String]

    /// The life of this seed.
    package init(seed: UInt64) {
        var writer = LifeWriter(seed: seed)
        writer.live()
        self.seed = seed
        policies = writer.policies
        customers = writer.customers.map(\.name)
        deliveries = writer.delivered()
    }
}

/// A customer of a life.
struct LifeCustomer {
    let name: String
    let isAnonymous: Bool
    let token: String?
    /// The customer's client asks before every purchase (OWN-18).
    let keepsIntents: Bool
}

/// Writes a life, event by event.
struct LifeWriter {
    var chance: Chance
    let policies: OraclePolicies
    let customers: [LifeCustomer]
    var shelves: [Shelf] = []
    var facts: [(at: Int64, delivery: Delivery)] = []
    var acts: [(at: Int64, delivery: Delivery)] = []
    /// Registrations and intents.
    var papers: [(at: Int64, delivery: Delivery)] = []
    var claims: [OracleClaim] = []
    private var minted = 0
    private let factLimit: Int
    /// Percentage of versions without webOrderLineItemId or reason.
    let oldDataPercent: Int
    /// Percentage of later versions that lack what an earlier one said (0063).
    let silencePercent: Int
    let infoPercent: Int
    /// Percentage of versions that are signed under another subscription, too (PER-1).
    private let doubledPercent: Int
    /// Percentage of periods that have the id of an earlier one's charge.
    let repeatedPercent: Int
    private let usesWholeSeconds: Bool
    /// Percentage of first purchases that are switches from another subscription (PER-14).
    let switchPercent: Int

    /// No life begins earlier.
    static let begin: Int64 = 1_750_000_000_000

    init(seed: UInt64) {
        var chance = Chance(seed: seed)
        policies = LifeWriter.policies(&chance)
        customers = LifeWriter.customers(&chance)
        factLimit = Int(chance.between(4, 60))
        oldDataPercent = chance.happens(30) ? Int(chance.between(10, 100)) : 0
        silencePercent = chance.happens(40) ? Int(chance.between(5, 60)) : 0
        infoPercent = chance.happens(25) ? 40 : 90
        doubledPercent = chance.happens(15) ? Int(chance.between(5, 50)) : 0
        repeatedPercent = chance.happens(8) ? Int(chance.between(10, 60)) : 0
        usesWholeSeconds = chance.happens(50)
        switchPercent = chance.happens(20) ? 80 : 0
        self.chance = chance
        openShelves()
        register()
    }

    /// Lets things happen until enough has been signed.
    mutating func live() {
        for _ in 0..<300 where facts.count < factLimit {
            let index = chance.below(shelves.count)
            var shelf = shelves[index]
            if shelf.phase == .untouched, chance.happens(switchPercent) { switchBundle(&shelf) } else { happen(&shelf) }
            if chance.happens(25) { someClaim(shelf) }
            shelves[index] = shelf
        }
        for index in shelves.indices where chance.happens(50) { someClaim(shelves[index]) }
        if chance.happens(30) { buyPasses() }
        reserve()
        decide()
        dropEarlyReservations()
    }

    /// A new id, in the order of minting.
    mutating func mint(_ prefix: String) -> String {
        minted += 1
        let digits = String(minted)
        return prefix + String(repeating: "0", count: max(0, 5 - digits.count)) + digits
    }

    /// An instant of a purchase: in some lives Apple's whole seconds.
    func purchaseInstant(_ instant: Int64) -> Int64 {
        usesWholeSeconds ? second(of: instant) + 1000 : instant
    }

    // MARK: Who and what

    private mutating func openShelves() {
        for number in 1...Int(chance.between(1, 3)) {
            let isAnothers = number > 1 && chance.happens(25)
            let shared: OracleOwnership = number == 2 ? .familyShared : .assigned
            shelves.append(
                Shelf(
                    originalTransactionId: "200000000000\(number)",
                    appTransactionId: chance.happens(70) ? "700000000000\(number)" : nil,
                    ownership: isAnothers ? shared : .purchased,
                    hasCommitment: chance.happens(10), now: LifeWriter.begin + chance.between(0, 20 * day)))
        }
    }

    // MARK: Signing

    /// What a notification contains besides the transaction.
    struct Word {
        let type: String
        var subtype: String?
        var status: Int64?
    }

    /// Apple signs a version of a transaction: sometimes alone, mostly with renewal info, often in a notification.
    mutating func sign(_ shelf: inout Shelf, _ index: Int, at wish: Int64, _ word: Word?) {
        let date = shelf.freeDate(wish)
        shelf.transactions[index].signedDate = date
        var version = shelf.transactions[index]
        if chance.happens(oldDataPercent) { version.webOrderLineItemId = chance.happens(50) ? nil : "0" }
        if chance.happens(oldDataPercent) { version.reason = .none }
        if shelf.sent.contains(where: { $0.purchaseDate == version.purchaseDate }) { fallSilent(&version) }
        shelf.sent.append(version)
        facts.append((date, .transaction(version)))
        if chance.happens(doubledPercent) { signElsewhere(version) }
        if chance.happens(infoPercent) { facts.append((date, .renewalInfo(shelf.info(signedDate: date)))) }
        guard let word, chance.happens(60) else { return }
        let status = chance.happens(80) ? word.status : nil
        let notice = OracleNotice(
            originalTransactionId: shelf.originalTransactionId, uuid: mint("notice-"), type: word.type,
            subtype: word.subtype, status: status, transactionId: version.transactionId, signedDate: date)
        facts.append((date, .notice(notice)))
    }

    /// The same charge under another subscription, signed about then, perhaps with a refund of its own or without one.
    private mutating func signElsewhere(_ version: OracleTransaction) {
        let others = shelves.filter { $0.originalTransactionId != version.originalTransactionId }
        guard let other = chance.pick(others) else { return }
        var copy = version
        copy.originalTransactionId = other.originalTransactionId
        copy.transactionId = mint("40000000")
        copy.signedDate += chance.between(-2 * day, 2 * day)
        if chance.happens(15) { copy.revocationDate = copy.revocationDate == nil ? copy.purchaseDate + day : nil }
        facts.append((copy.signedDate, .transaction(copy)))
    }

    /// A version of what was signed before lacks some of what was said then.
    private mutating func fallSilent(_ version: inout OracleTransaction) {
        if chance.happens(silencePercent) { version.appAccountToken = nil }
        if chance.happens(silencePercent) { version.reason = .none }
        if chance.happens(silencePercent) { version.webOrderLineItemId = nil }
        if chance.happens(silencePercent) { version.appTransactionId = nil }
        if chance.happens(silencePercent) { version.ownership = nil }
        if chance.happens(silencePercent) { version.isUpgraded = false }
        if chance.happens(silencePercent) { version.monthlyCommitment = false }
        if chance.happens(silencePercent) { version.previousOriginalTransactionId = nil }
    }

    /// Signs the present transaction once more.
    mutating func signPresent(_ shelf: inout Shelf, at instant: Int64, _ word: Word?) {
        guard let last = shelf.transactions.indices.last else { return }
        sign(&shelf, last, at: instant, word)
        shelf.now = max(shelf.now, instant)
    }
}
