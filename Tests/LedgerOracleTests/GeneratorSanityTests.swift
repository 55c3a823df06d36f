import LedgerOracle
import Testing

/// Every new ingredient of the lives, and how many of 500 lives contain it.
@Suite struct GeneratorSanityTests {
    private static let lives = (UInt64(1)...500).map { ToldLife(Life(seed: $0)) }

    @Test(arguments: Ingredient.allCases)
    func `every ingredient occurs in at least three of five hundred lives`(ingredient: Ingredient) {
        let count = Self.lives.filter(ingredient.occurs).count
        #expect(count >= 3, "\(ingredient): \(count)")
    }

    @Test func `lives stay about as long as they were`() {
        let lengths = Self.lives.map(\.deliveries.count)
        let mean = lengths.reduce(0, +) / lengths.count
        #expect((45...75).contains(mean), "\(mean) deliveries in the mean")
    }
}

/// A life with the oracle's answer.
struct ToldLife: Sendable {
    let policies: OraclePolicies
    let deliveries: [Delivery]
    let answer: OracleAnswer

    init(_ life: Life) {
        policies = life.policies
        deliveries = life.deliveries
        answer = Oracle(policies: life.policies).answer(to: life.deliveries)
    }

    var claims: [OracleClaim] { deliveries.compactMap { if case .claim(let it) = $0 { it } else { nil } } }
    var intents: [OracleIntent] { deliveries.compactMap { if case .intent(let it) = $0 { it } else { nil } } }
    var reservations: [OracleReservation] {
        deliveries.compactMap { if case .reservation(let it) = $0 { it } else { nil } }
    }
    var registrations: [OracleRegistration] {
        deliveries.compactMap { if case .registration(let it) = $0 { it } else { nil } }
    }
    var infos: [OracleRenewalInfo] { deliveries.compactMap { if case .renewalInfo(let it) = $0 { it } else { nil } } }
    var transactions: [OracleTransaction] {
        deliveries.compactMap { if case .transaction(let it) = $0 { it } else { nil } }
    }

    /// The subscriptions of which a refund was reversed.
    var reversals: [String] {
        deliveries.compactMap { delivery in
            guard case .notice(let it) = delivery, it.type == "REFUND_REVERSED" else { return nil }
            return it.originalTransactionId
        }
    }

    func verdict(of id: String) -> OracleVerdict? { answer.verdicts.first { $0.claim == id }?.verdict }

    /// How long after its purchase a claim of this kind shows a period.
    func waits(_ kind: OracleClaimKind, _ reason: OracleReason = .purchase) -> [Int64] {
        claims.filter { $0.kind == kind && $0.shown.reason == reason }.map { $0.claimedAt - $0.shown.purchaseDate }
    }

    /// Whether a claim of this kind arrives in the last millisecond of a window, or one later.
    func hits(_ kind: OracleClaimKind, _ window: (OraclePolicy) -> Int64, late: Bool) -> Bool {
        claims.contains {
            let length = window(policies.policy(at: $0.shown.purchaseDate))
            return $0.kind == kind && $0.claimedAt - $0.shown.purchaseDate == length + (late ? 1 : 0)
        }
    }

    /// Whether a subscription has two consecutive periods, the later of which began in this way, with the same token
    /// (`repeating`) or with different ones.
    func hasPair(_ beginning: OracleBeginning, repeating: Bool) -> Bool {
        answer.subscriptions.contains { subscription in
            zip(subscription.periods, subscription.periods.dropFirst()).contains { before, after in
                guard after.beginning == beginning, let new = token(of: after), let old = token(of: before) else {
                    return false
                }
                return (new == old) == repeating
            }
        }
    }

    private func token(of period: OraclePeriod) -> String? {
        transactions.last { $0.purchaseDate == period.purchaseDate && $0.productId == period.productId }?.appAccountToken
    }

    /// Restores that took something from an anonymous owner.
    func restoresFromAnonymous(by anonymous: Bool) -> Bool {
        claims.contains { claim in
            let verdict = verdict(of: claim.id)
            let before = answer[claim.originalTransactionId]?.owner(at: claim.claimedAt - 1) ?? ""
            return claim.anonymous == anonymous && claim.kind == .restore && verdict == .moved && before.hasPrefix("anon")
        }
    }

    /// Whether auto-renew was reported off and then on again between a change and the renewal that it led to.
    var changesMind: Bool {
        answer.subscriptions.contains { subscription in
            subscription.periods.indices.dropFirst().contains { index in
                let (old, new) = (subscription.periods[index - 1], subscription.periods[index])
                guard new.beginning == .renewal, new.productId != old.productId else { return false }
                let words = infos.filter {
                    $0.originalTransactionId == subscription.originalTransactionId && $0.autoRenewProductId == new.productId
                        && $0.signedDate > old.purchaseDate && $0.signedDate < new.purchaseDate
                }.sorted { $0.signedDate < $1.signedDate }.map(\.autoRenewStatus)
                guard let off = words.firstIndex(of: false), let on = words.lastIndex(of: true) else { return false }
                return words.first == true && off < on
            }
        }
    }

    /// Whether a deferred change made another customer the owner; by a token, where nobody showed the change.
    func changeMoves(byToken: Bool) -> Bool {
        answer.subscriptions.contains { subscription in
            subscription.periods.indices.dropFirst().contains { index in
                let (old, new) = (subscription.periods[index - 1], subscription.periods[index])
                let isShown = claims.contains {
                    $0.originalTransactionId == subscription.originalTransactionId && $0.kind == .purchase
                        && $0.productId == new.productId && $0.shown.purchaseDate == old.purchaseDate
                }
                return new.beginning == .renewal && new.productId != old.productId && isShown != byToken
                    && subscription.steps.contains { $0.from == new.purchaseDate }
            }
        }
    }

    /// Whether the owner before a purchase prevailed over a customer whose upload of it came first.
    var formerOwnerGoesFirst: Bool {
        claims.contains { first in
            verdict(of: first.id) == .contested
                && claims.contains {
                    $0.shown.purchaseDate == first.shown.purchaseDate && $0.productId == first.productId
                        && $0.originalTransactionId == first.originalTransactionId && $0.claimedAt > first.claimedAt
                        && verdict(of: $0.id) == .bought
                }
        }
    }

    /// Whether an upgrade replaced a renewal that was charged before it (PER-13).
    var hasEarlyRenewalReplaced: Bool {
        answer.subscriptions.contains { subscription in
            subscription.periods.contains { period in
                period.endReason == .replaced && period.end == period.purchaseDate && period.beginning == .renewal
                    && subscription.periods.contains { $0.expiresDate == period.purchaseDate && $0.endReason == .replaced }
            }
        }
    }
}

/// What lives did not contain before decision 0023.
enum Ingredient: CaseIterable {
    case intents, queueWithIntent, queueWithoutIntent, intentOfAnother
    case earlyReservation, reservationAfterPurchase, reservationThatDecides, reservationThatWaits
    case lateRegistration, vouched, borneBefore, tokenOfSeveral, registrationDeliveredLate
    case tokenOnChange, oldTokenOnChange, newTokenOnRenewal, newTokenOnUpgrade, oldTokenOnUpgrade
    case promptQueue, queueWithinAnHour, queueWithinDays, lateQueue
    case promptPurchase, purchaseWithinAnHour, purchaseWithinDays, latePurchase, purchaseBeforeItsDate
    case promptRenewal, renewalWithinDays, lateRenewal
    case endOfPromptWindow, afterPromptWindow, endOfPurchaseWindow, afterPurchaseWindow
    case renewalOffAndOn, earlyRenewalReplaced, oneVersion, twoVersions, threeVersions
    case anonymousRestoredByIdentified, anonymousRestoredByAnonymous, contestedPurchase, boughtByAnother, incoming
    case changeByUpload, changeByToken, formerOwnerFirst, deniedChange
    case stackedPasses, unitsRefunded, passGivenBack

    func occurs(_ life: ToldLife) -> Bool {
        switch self {
        case .intents, .queueWithIntent, .queueWithoutIntent, .intentOfAnother, .earlyReservation, .reservationAfterPurchase,
            .reservationThatDecides, .reservationThatWaits:
            isKept(in: life)
        case .lateRegistration, .vouched, .borneBefore, .tokenOfSeveral, .registrationDeliveredLate, .tokenOnChange,
            .oldTokenOnChange, .newTokenOnRenewal, .newTokenOnUpgrade, .oldTokenOnUpgrade:
            isNamed(in: life)
        case .promptQueue, .queueWithinAnHour, .queueWithinDays, .lateQueue, .promptRenewal, .renewalWithinDays,
            .lateRenewal:
            isQueued(in: life)
        case .promptPurchase, .purchaseWithinAnHour, .purchaseWithinDays, .latePurchase, .purchaseBeforeItsDate,
            .endOfPromptWindow, .afterPromptWindow, .endOfPurchaseWindow, .afterPurchaseWindow:
            isUploaded(in: life)
        case .stackedPasses, .unitsRefunded, .passGivenBack: isOfPasses(life)
        default: isDecided(in: life)
        }
    }

    private func isKept(in life: ToldLife) -> Bool {
        func queue(_ verdict: OracleVerdict) -> Bool {
            life.claims.contains {
                $0.kind == .queue && $0.keepsIntents && $0.shown.reason == .purchase && life.verdict(of: $0.id) == verdict
            }
        }
        func isReserved(_ test: (OracleReservation, [Int64]) -> Bool) -> Bool {
            life.reservations.contains { reservation in
                let known = life.transactions.filter { $0.originalTransactionId == reservation.originalTransactionId }
                return test(reservation, known.filter { $0.reason == .purchase }.map(\.purchaseDate))
            }
        }
        switch self {
        case .intents: return !life.intents.isEmpty
        case .queueWithIntent: return queue(.bought)
        case .queueWithoutIntent: return queue(.refused)
        case .intentOfAnother: return Set(life.intents.map(\.customer)).count > 1
        case .earlyReservation: return isReserved { reserved, bought in bought.allSatisfy { $0 > reserved.reservedAt } }
        case .reservationAfterPurchase:
            return isReserved { reserved, bought in bought.contains { (day..<9 * day).contains(reserved.reservedAt - $0) } }
        case .reservationThatDecides: return life.reservations.contains { life.verdict(of: $0.id) == .bought }
        default: return life.reservations.contains { life.verdict(of: $0.id) == .contested }
        }
    }

    private func isNamed(in life: ToldLife) -> Bool {
        let byToken = Dictionary(grouping: life.registrations, by: \.token)
        func onChange(_ isOld: Bool) -> Bool {
            life.infos.contains { info in
                let period = life.transactions.last {
                    $0.originalTransactionId == info.originalTransactionId && $0.purchaseDate <= info.signedDate
                }
                guard let period, let token = info.appAccountToken, info.autoRenewProductId != period.productId else {
                    return false
                }
                return (token == period.appAccountToken) == isOld
            }
        }
        switch self {
        case .lateRegistration:
            return life.registrations.contains { registration in
                life.transactions.contains {
                    $0.appAccountToken == registration.token && $0.purchaseDate < registration.registeredAt
                }
            }
        case .vouched: return life.registrations.contains(where: \.vouched)
        case .borneBefore: return life.registrations.contains { $0.borneBefore && !$0.vouched }
        case .tokenOfSeveral: return byToken.values.contains { Set($0.map(\.customer)).count > 1 }
        case .registrationDeliveredLate:
            let first = life.deliveries.firstIndex { if case .claim = $0 { true } else { false } } ?? 0
            return life.deliveries.dropFirst(first).contains { if case .registration = $0 { true } else { false } }
        case .tokenOnChange: return onChange(false)
        case .oldTokenOnChange: return onChange(true)
        case .newTokenOnRenewal: return life.hasPair(.renewal, repeating: false)
        case .newTokenOnUpgrade: return life.hasPair(.immediateChange, repeating: false)
        default: return life.hasPair(.immediateChange, repeating: true)
        }
    }

    private func isQueued(in life: ToldLife) -> Bool {
        let queues = life.waits(.queue)
        let renewals = life.waits(.queue, .renewal)
        return switch self {
        case .promptQueue: queues.contains { $0 <= 300_000 }
        case .queueWithinAnHour: queues.contains { (300_001...hour).contains($0) }
        case .queueWithinDays: queues.contains { (hour...7 * day).contains($0) }
        case .lateQueue: queues.contains { $0 > 7 * day }
        case .promptRenewal: renewals.contains { $0 <= hour }
        case .renewalWithinDays: renewals.contains { (hour...7 * day).contains($0) }
        default: renewals.contains { $0 > 7 * day }
        }
    }

    private func isUploaded(in life: ToldLife) -> Bool {
        let waits = life.waits(.purchase)
        return switch self {
        case .promptPurchase: waits.contains { $0 <= 300_000 }
        case .purchaseWithinAnHour: waits.contains { (300_001...hour).contains($0) }
        case .purchaseWithinDays: waits.contains { (hour...7 * day).contains($0) }
        case .latePurchase: waits.contains { $0 > 7 * day }
        case .purchaseBeforeItsDate: waits.contains { $0 < 0 }
        case .endOfPromptWindow: life.hits(.purchase, \.promptWindow, late: false)
        case .afterPromptWindow: life.hits(.purchase, \.promptWindow, late: true)
        case .endOfPurchaseWindow: life.hits(.queue, \.purchaseWindow, late: false)
        default: life.hits(.queue, \.purchaseWindow, late: true)
        }
    }

    /// Of non-renewing subscriptions; the longest that one purchase lasts is four of them.
    private func isOfPasses(_ life: ToldLife) -> Bool {
        let passes = life.transactions.filter { $0.type == .nonRenewing }
        let windows = life.answer.owners.flatMap(life.answer.passes)
        return switch self {
        case .stackedPasses: windows.contains { $0.paidThrough - $0.from > 4 * OracleProduct.pass.days * day }
        case .unitsRefunded: passes.contains { $0.quantity > 1 && (25_000..<100_000).contains($0.revocationPercentage ?? 0) }
        default: life.reversals.contains { id in passes.contains { $0.originalTransactionId == id } }
        }
    }

    private func isDecided(in life: ToldLife) -> Bool {
        switch self {
        case .renewalOffAndOn: life.changesMind
        case .earlyRenewalReplaced: life.hasEarlyRenewalReplaced
        case .oneVersion: life.policies.all.count == 1
        case .twoVersions: life.policies.all.count == 2
        case .threeVersions: life.policies.all.count == 3
        case .anonymousRestoredByIdentified: life.restoresFromAnonymous(by: false)
        case .anonymousRestoredByAnonymous: life.restoresFromAnonymous(by: true)
        case .contestedPurchase: !life.answer.subscriptions.flatMap(\.contested).isEmpty
        case .boughtByAnother: life.answer.verdicts.contains { $0.verdict == .boughtByAnother }
        case .incoming: life.answer.verdicts.contains { $0.verdict == .incoming }
        case .changeByUpload: life.changeMoves(byToken: false)
        case .changeByToken: life.changeMoves(byToken: true)
        case .formerOwnerFirst: life.formerOwnerGoesFirst
        default: life.claims.contains { life.verdict(of: $0.id) == .denied && $0.productId != $0.shown.productId }
        }
    }
}
