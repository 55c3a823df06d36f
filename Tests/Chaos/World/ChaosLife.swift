import LedgerOracle

/// A life of the oracle's generator in a form for a server: with unique names, moved in time so that everything was signed before
/// the run began, and without inputs for which the server has no endpoint yet (votes, merges, failed requests).
struct ChaosLife: Sendable {
    /// The entitlement of every product of the lives.
    static let entitlement = "gold"

    let number: Int
    let app: ChaosApp
    let customers: [String]
    let registrations: [OracleRegistration]
    /// What Apple signed, each statement once, by instant.
    let statements: [Statement]
    /// In their order.
    let claims: [OracleClaim]
    /// All claims are made within this range; no answer changes within it by time alone.
    let quiet: ClosedRange<Int64>

    /// What Apple signed about one subscription at one instant.
    struct Statement: Sendable {
        let transaction: OracleTransaction
        let renewalInfo: OracleRenewalInfo?
        /// The notification that delivers it; nil where only a customer's upload does.
        var notice: OracleNotice?
    }

    /// The life of this number.
    ///
    /// - Parameters:
    ///   - life: as it was generated.
    ///   - now: when the run began.
    ///   - longestRun: the time after `now` by which all claims are made.
    init(_ life: Life, number: Int, app: ChaosApp, now: Int64, longestRun: Int64) {
        self.number = number
        self.app = app
        let quiet = (now - 600_000)...(now + longestRun)
        self.quiet = quiet
        let names = Renaming(number: number)
        let told = Self.withoutPasses(life.deliveries).filter { !$0.isOfChargeElsewhere }
        let kept = Self.ofOneKeyEach(told).compactMap(names.renamed)
        let shift = Self.shift(kept, under: app.policy, before: now, clearOf: quiet)
        let deliveries = kept.map { $0.shifted(by: shift) }
        customers = life.customers.map(names.customer)
        // The server refuses a second customer's registration.
        let registered = Dictionary(deliveries.compactMap(\.registration).map { ($0.token, $0) }) { first, _ in first }
        registrations = registered.values.sorted { $0.token < $1.token }
        var claims = deliveries.compactMap(\.claim)
        // An owner's restore is not news and is not stored (decision 0023, 17). For the oracle it would count once there is
        // evidence that another customer bought; so where restores move, that evidence comes first.
        if app.restoresMove { claims = claims.filter { $0.kind != .restore } + claims.filter { $0.kind == .restore } }
        // When they are made by the server's clock is known only roughly; their order counts.
        for index in claims.indices { claims[index].claimedAt = now + Int64(index) }
        self.claims = claims
        statements = Self.statements(in: deliveries).enumerated().map { index, statement in
            // A statement that no notification of the life delivers comes with a neutral notification, or only with the customer
            // who shows it.
            guard statement.notice == nil else { return statement }
            let isShown = claims.contains { $0.shown == statement.transaction }
            // Where restores move, a fact that first arrives with a claim could make an earlier claim count that the server did
            // not store because it changed nothing (decision 0010, 7 and 14).
            if isShown, !app.restoresMove, (number + index) % 2 == 0 { return statement }
            var brought = statement
            brought.notice = OracleNotice(
                originalTransactionId: statement.transaction.originalTransactionId, uuid: names.uuid("\(900_000 + index)"),
                type: "PRICE_INCREASE", subtype: "PENDING", signedDate: statement.transaction.signedDate)
            return brought
        }
    }

    /// Deliveries without those about non-renewing subscriptions, whose ends nobody signs: they might come during the run, by
    /// time alone.
    private static func withoutPasses(_ deliveries: [Delivery]) -> [Delivery] {
        let passes = Set(
            deliveries.compactMap { delivery in
                guard case .transaction(let it) = delivery, it.type == .nonRenewing else { return nil }
                return it.originalTransactionId
            } as [String])
        return deliveries.filter { delivery in
            switch delivery {
            case .transaction(let it): !passes.contains(it.originalTransactionId)
            case .notice(let it): !passes.contains(it.originalTransactionId)
            case .claim(let it): !passes.contains(it.originalTransactionId)
            default: true
            }
        }
    }

    /// Deliveries with each of Apple's keys for one charge alone: of several the earliest has it. Which of two periods has the
    /// key may change while they arrive, and the audit of events does not follow that either.
    private static func ofOneKeyEach(_ deliveries: [Delivery]) -> [Delivery] {
        var starts: [String: Int64] = [:]
        for case .transaction(let it) in deliveries {
            guard let key = it.webOrderLineItemId else { continue }
            starts[key] = min(starts[key] ?? it.purchaseDate, it.purchaseDate)
        }
        func alone(_ it: OracleTransaction) -> OracleTransaction {
            var copy = it
            let start = it.webOrderLineItemId.flatMap { starts[$0] } ?? it.purchaseDate
            // A copy may write whole seconds.
            if it.purchaseDate - start >= 1000 { copy.webOrderLineItemId = nil }
            return copy
        }
        return deliveries.map { delivery in
            switch delivery {
            case .transaction(let it): return .transaction(alone(it))
            case .claim(var claim):
                claim.shown = alone(claim.shown)
                return .claim(claim)
            default: return delivery
            }
        }
    }

    /// Everything that the server receives, in the oracle's types.
    var deliveries: [Delivery] {
        registrations.map { .registration($0) }
            + statements.flatMap { statement -> [Delivery] in
                [.transaction(statement.transaction)] + (statement.renewalInfo.map { [.renewalInfo($0)] } ?? [])
                    + (statement.notice.map { [.notice($0)] } ?? [])
            } + claims.flatMap { [.transaction($0.shown), .claim($0)] }
    }

    // MARK: From a life

    private static func statements(in deliveries: [Delivery]) -> [Statement] {
        struct Key: Hashable {
            let id: String
            let signedDate: Int64
        }
        var infos: [Key: OracleRenewalInfo] = [:]
        var notices: [Key: OracleNotice] = [:]
        var transactions: [Key: OracleTransaction] = [:]
        for delivery in deliveries {
            switch delivery {
            case .transaction(let it): transactions[Key(id: it.originalTransactionId, signedDate: it.signedDate)] = it
            case .renewalInfo(let it): infos[Key(id: it.originalTransactionId, signedDate: it.signedDate)] = it
            case .notice(let it): notices[Key(id: it.originalTransactionId, signedDate: it.signedDate)] = it
            default: break
            }
        }
        return transactions.sorted { ($0.key.signedDate, $0.key.id) < ($1.key.signedDate, $1.key.id) }.map { key, transaction in
            Statement(transaction: transaction, renewalInfo: infos[key], notice: notices[key])
        }
    }

    /// How far a life is moved: the last statement was signed two hours before the run at the latest, in whole seconds, because
    /// the rules use seconds (PER-1), and nothing begins or ends by time alone during the run.
    private static func shift(
        _ deliveries: [Delivery], under policy: OraclePolicy, before now: Int64, clearOf quiet: ClosedRange<Int64>
    ) -> Int64 {
        let hour: Int64 = 3_600_000
        let lastSigned = deliveries.compactMap(\.signedDate).max() ?? now
        let instants =
            Oracle(policy: policy).answer(to: deliveries.filter { $0.claim == nil }).boundaries
            + deliveries.flatMap(\.instantsOfPeriods) + deliveries.flatMap { $0.instantsOfEvidence(under: policy) }
        var shift = (now - 2 * hour - lastSigned) / 1000 * 1000 - 1000
        // Each turn moves it by more than the longest run; a few are always enough, because a life has finitely many instants.
        for _ in 0..<10_000 {
            guard instants.contains(where: { quiet.contains($0 + shift) }) else { break }
            shift -= hour
        }
        return shift
    }
}

/// Unique names for one life, so that many lives fit into one server. The prefix has a fixed length, so that names keep their
/// order.
struct Renaming {
    private let prefix: String
    private let token: String

    init(number: Int) {
        let digits = String(number)
        prefix = "1" + String(repeating: "0", count: max(0, 6 - digits.count)) + digits
        token = "0" + prefix
    }

    func id(_ id: String) -> String { prefix + id }
    func customer(_ name: String) -> String { "life\(prefix)-\(name)" }
    func token(_ uuid: String) -> String { token + uuid.dropFirst(8) }

    /// A UUID from a notice's number: the digits at its end.
    func uuid(_ notice: String) -> String {
        let digits = String(notice.filter(\.isNumber).suffix(12))
        return "\(token)-0000-4000-9000-" + String(repeating: "0", count: 12 - digits.count) + digits
    }

    /// Nil for deliveries that the server does not receive.
    func renamed(_ delivery: Delivery) -> Delivery? {
        switch delivery {
        case .transaction(let it): return .transaction(renamed(it))
        case .renewalInfo(var it):
            it.originalTransactionId = id(it.originalTransactionId)
            it.appAccountToken = it.appAccountToken.map(token)
            return .renewalInfo(it)
        case .notice(var it):
            it.originalTransactionId = id(it.originalTransactionId)
            it.uuid = uuid(it.uuid)
            return .notice(it)
        // As from the app's backend, which states that it minted the token: then it counts whenever it arrives.
        case .registration(let it):
            return .registration(
                .init(token: token(it.token), customer: customer(it.customer), registeredAt: 0, vouched: true))
        case .claim(var it):
            it.id = "\(prefix)-\(it.id)"
            it.originalTransactionId = id(it.originalTransactionId)
            it.customer = customer(it.customer)
            it.anonymous = false
            it.othersServed = []
            it.shown = renamed(it.shown)
            return .claim(it)
        case .status, .failedQuestion, .merge, .join, .separation, .vote, .customerVote, .intent, .reservation: return nil
        }
    }

    private func renamed(_ transaction: OracleTransaction) -> OracleTransaction {
        var it = transaction
        it.originalTransactionId = id(it.originalTransactionId)
        it.transactionId = id(it.transactionId)
        it.previousOriginalTransactionId = it.previousOriginalTransactionId.map(id)
        it.webOrderLineItemId = it.webOrderLineItemId.map { $0 == "0" ? $0 : id($0) }
        it.appTransactionId = it.appTransactionId.map(id)
        it.appAccountToken = it.appAccountToken.map(token)
        return it
    }
}

extension Delivery {
    fileprivate var registration: OracleRegistration? {
        if case .registration(let it) = self { it } else { nil }
    }

    fileprivate var claim: OracleClaim? {
        if case .claim(let it) = self { it } else { nil }
    }

    fileprivate var signedDate: Int64? {
        switch self {
        case .transaction(let it): it.signedDate
        case .renewalInfo(let it): it.signedDate
        case .notice(let it): it.signedDate
        case .claim(let it): it.shown.signedDate
        default: nil
        }
    }

    /// When something in it begins or ends, according to Apple's dates.
    fileprivate var instantsOfPeriods: [Int64] {
        switch self {
        case .transaction(let it): [it.purchaseDate, it.expiresDate, it.revocationDate].compactMap { $0 }
        case .renewalInfo(let it): [it.gracePeriodExpiresDate].compactMap { $0 }
        case .claim(let it): [it.shown.purchaseDate, it.shown.expiresDate].compactMap { $0 }
        default: []
        }
    }

    /// When claims stop being evidence of a purchase, and when billing retry ends (OWN-4, OWN-9).
    fileprivate func instantsOfEvidence(under policy: OraclePolicy) -> [Int64] {
        let day: Int64 = 86_400_000
        let shown: OracleTransaction
        switch self {
        case .transaction(let it): shown = it
        case .claim(let it): shown = it.shown
        default: return []
        }
        let retries = shown.expiresDate.map { [$0 + 60 * day, $0 + 90 * day] } ?? []
        return [shown.purchaseDate + policy.promptWindow, shown.purchaseDate + policy.purchaseWindow] + retries
    }

    fileprivate func shifted(by shift: Int64) -> Delivery {
        switch self {
        case .transaction(let it): return .transaction(it.shifted(by: shift))
        case .renewalInfo(var it):
            it.signedDate += shift
            it.gracePeriodExpiresDate = it.gracePeriodExpiresDate.map { $0 + shift }
            return .renewalInfo(it)
        case .notice(var it):
            it.signedDate += shift
            return .notice(it)
        case .claim(var it):
            it.shown = it.shown.shifted(by: shift)
            it.claimedAt += shift
            return .claim(it)
        default: return self
        }
    }
}

extension OracleTransaction {
    fileprivate func shifted(by shift: Int64) -> OracleTransaction {
        var it = self
        it.purchaseDate += shift
        it.expiresDate = it.expiresDate.map { $0 + shift }
        it.revocationDate = it.revocationDate.map { $0 + shift }
        it.signedDate += shift
        return it
    }
}

extension Delivery {
    /// Whether it is, or shows, a copy of a charge under a second subscription (PER-1), by the ids that lives give to such
    /// copies. Which of the two serves may change while they arrive, and the charge is then told again: the audit of events does
    /// not follow that.
    fileprivate var isOfChargeElsewhere: Bool {
        switch self {
        case .transaction(let it): it.transactionId.hasPrefix("40000000")
        case .claim(let it): it.shown.transactionId.hasPrefix("40000000")
        default: false
        }
    }
}
