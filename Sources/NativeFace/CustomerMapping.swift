import APIContract
import Backend
import Ledger
import Primitives
import Server

// What is decided and known of customers, as the bodies of the contract.

extension WindowItem {
    fileprivate init(_ window: TimeWindow) { self.init(start: window.from, end: window.until) }
}

extension CustomerVoteItem {
    init(_ vote: CustomerVote, withdrawnAt: Timestamp? = nil) {
        let by = Decider(actor: vote.actor, reason: vote.reason)
        switch vote.kind {
        case .grant(let entitlement, let window):
            self.init(id: vote.id.rawValue, kind: "grant", by: by, votedAt: vote.votedAt)
            (self.entitlement, self.window) = (entitlement.rawValue, WindowItem(window))
        case .hold(let entitlement, let window):
            self.init(id: vote.id.rawValue, kind: "hold", by: by, votedAt: vote.votedAt)
            (self.entitlement, self.window) = (entitlement?.rawValue, WindowItem(window))
        case .credit(let entitlement, let instant, let duration):
            self.init(id: vote.id.rawValue, kind: "credit", by: by, votedAt: vote.votedAt)
            (self.entitlement, at, milliseconds) = (entitlement.rawValue, instant, duration.count)
        case .withdraw(let id):
            self.init(id: vote.id.rawValue, kind: "withdrawal", by: by, votedAt: vote.votedAt)
            withdraws = id.rawValue
        case .join(let pair):
            self.init(id: vote.id.rawValue, kind: "join", by: by, votedAt: vote.votedAt)
            (from, into) = (pair.from.rawValue, pair.into.rawValue)
        case .redelivery(let transactionId):
            self.init(id: vote.id.rawValue, kind: "redelivery", by: by, votedAt: vote.votedAt)
            self.transactionId = transactionId.rawValue
        }
        self.withdrawnAt = withdrawnAt
    }
}

extension CustomerVoteBody {
    init(_ result: Backend.CustomerVoteResult) {
        self.init(
            vote: CustomerVoteItem(result.vote),
            changes: result.changes.map { change in
                Change(
                    entitlement: change.entitlement.rawValue, effectiveAt: change.effectiveAt,
                    windows: change.after.map { WindowItem($0) })
            })
    }
}

extension OwnershipVoteBody {
    init(_ vote: OwnershipVote) {
        let actor: String =
            switch vote.actor {
            case .operatorOfTenure(let name): name
            case .owner(let customer): customer.rawValue
            }
        let by = Decider(actor: actor, reason: vote.reason)
        switch vote.kind {
        case .transfer(let customer):
            self.init(id: vote.id.rawValue, kind: "transfer", by: by, votedAt: vote.votedAt)
            self.customer = customer.rawValue
        case .approve(let claim):
            self.init(id: vote.id.rawValue, kind: "approve", by: by, votedAt: vote.votedAt)
            self.claim = claim.rawValue
        case .deny(let claim):
            self.init(id: vote.id.rawValue, kind: "deny", by: by, votedAt: vote.votedAt)
            self.claim = claim.rawValue
        case .erase(let customer):
            self.init(id: vote.id.rawValue, kind: "erase", by: by, votedAt: vote.votedAt)
            self.customer = customer.rawValue
        }
    }

    init(_ result: Backend.OwnershipVoteResult) {
        self.init(result.vote)
        owner = result.owner?.rawValue
    }
}

extension ReservationAnswerBody {
    init(_ reservation: Reservation) {
        self.init(
            id: reservation.id.rawValue, customer: reservation.customer.rawValue, reservedAt: reservation.reservedAt)
    }
}

extension ForecastBody {
    init(_ forecast: Backend.PurchaseForecast) {
        let (name, answer) = (forecast.productId.rawValue, forecast.answer)
        self.init(
            answer: answer.verdict.word, words: Self.words(of: answer, about: name), productId: name, at: forecast.at,
            appAccountToken: forecast.appAccountToken.rawValue)
        held = answer.held.map(ForecastHeldItem.init)
        switch answer.verdict {
        case .unknownProduct, .yes: break
        case .alreadyHeld, .overlaps, .mayStillBeCharged:
            let running = answer.held.filter(\.givesAccess)
            let first = running.first { $0.productId == forecast.productId } ?? running.first ?? answer.held.first
            if case .subscription(let id)? = first?.source { (originalTransactionId, isOwner) = (id.rawValue, true) }
            until = first?.until
        case .heldByAnother(let owner): ownerHint = owner.masked
        case .changes(let change): take(change)
        }
    }

    private static func words(of answer: PurchaseQuestion.Answer, about product: String) -> String {
        let held = answer.held.map(\.words).joined(separator: " ")
        return switch answer.verdict {
        case .unknownProduct:
            "The configuration does not name \(product): a customer who buys it gets nothing by it until it is configured."
        case .alreadyHeld: "This customer has what \(product) gives, or pays for some of it already. \(held)"
        case .overlaps: "This customer has something of what \(product) gives; buying it need not pay twice. \(held)"
        case .mayStillBeCharged:
            "This customer has nothing of what \(product) gives now, but may be charged for it still. \(held)"
        case .heldByAnother(let owner):
            "This Apple Account has \(product) already, for customer \(owner.masked); Apple stops the purchase."
        case .changes(let change): words(of: change)
        case .yes: "Nothing speaks against it: the customer who buys \(product) will own it."
        }
    }

    private mutating func take(_ change: PurchaseQuestion.Change) {
        originalTransactionId = change.subscription.rawValue
        self.change = change.change.kind.rawValue
        (effect, effectiveAt) = (change.change.effect.word, change.change.effect.instant)
        switch change.owner {
        case .asker: isOwner = true
        case .another(let owner): (isOwner, ownerHint) = (false, owner.masked)
        case nil: isOwner = false
        }
        result =
            switch change.result {
            case .theirs: "theirs"
            case .staysWithOwner: "staysWithOwner"
            case .waits: "waits"
            }
    }

    private static func words(of change: PurchaseQuestion.Change) -> String {
        let kind =
            switch change.change.kind {
            case .upgrade: "an upgrade"
            case .downgrade: "a downgrade"
            case .crossgradeOfSameDuration, .crossgradeOfOtherDuration: "a crossgrade"
            }
        let effect =
            switch change.change.effect {
            case .atOnce: "at once, and Apple refunds the rest of the present period"
            case .atRenewal: "at the next renewal, and nothing changes until then"
            }
        let result =
            switch change.result {
            case .theirs: "Then it serves this customer."
            case .staysWithOwner: "It goes on serving its present owner."
            case .waits: "An operator decides whom it then serves."
            }
        let change = "It is \(kind) of subscription \(change.subscription) from \(change.change.from)"
        return "\(change); it takes effect \(effect). \(result)"
    }
}

extension PurchaseQuestion.Verdict {
    fileprivate var word: String {
        switch self {
        case .unknownProduct: "unknownProduct"
        case .alreadyHeld: "alreadyHeld"
        case .heldByAnother: "heldByAnother"
        case .changes: "changes"
        case .mayStillBeCharged: "mayStillBeCharged"
        case .overlaps: "overlaps"
        case .yes: "yes"
        }
    }
}

extension ForecastHeldItem {
    init(_ held: HeldAlready) {
        self.init(
            right: held.right.name, entitlements: held.entitlements.map(\.rawValue), mayBeCharged: held.mayBeCharged)
        switch held.source {
        case .subscription(let id): originalTransactionId = id.rawValue
        case .grant(let id): vote = id.rawValue
        case .credits: break
        }
        productId = held.productId?.rawValue
        until = held.until
    }
}

extension HeldAlready {
    /// One sentence.
    fileprivate var words: String {
        let given = entitlements.map(\.rawValue).joined(separator: ", ")
        let end = until.map { " until \($0)" } ?? ""
        let name =
            switch source {
            case .subscription(let id): "\(productId?.rawValue ?? "A product") (\(id))"
            case .grant: "A grant"
            case .credits: "Credited time"
            }
        switch right {
        case .billingRetry: return "Apple tries to charge for \(name)\(end)."
        case .access(.granted): return "\(name) gives \(given)\(end)."
        case .access(.balance): return "\(name) gives \(given)\(end), from a balance to which more time is added."
        case .access(.paid), .access(.gracePeriod), .access(.provisional):
            let what = entitlements.isEmpty ? "\(name) runs\(end)" : "\(name) gives \(given)\(end)"
            return mayBeCharged ? "\(what), and is charged again." : "\(what), and is not charged again."
        }
    }
}

extension ContentUseBody {
    init(_ use: ContentUse) {
        switch use {
        case .allowed(let right): self.init(isAllowed: true, because: right.rawValue)
        case .refused(let refusal): self.init(isAllowed: false, because: refusal.rawValue)
        }
    }
}

extension ContentUnlockBody {
    init(_ answer: ContentUnlockAnswer) {
        switch answer {
        case .allowed(let left):
            self.init(outcome: "unlocked")
            self.left = left.map { Int64($0) }
        case .unlockedBefore(let instant):
            self.init(outcome: "unlockedBefore")
            unlockedAt = instant
        case .rationed(let instant):
            self.init(outcome: "rationed")
            againAt = instant
        case .refused(let refusal):
            self.init(outcome: "refused")
            because = refusal.rawValue
        }
    }
}

extension AppPurchaseBody {
    init(_ shown: ShownAppPurchase) {
        self.init(
            originalPurchaseDate: shown.purchase.originalPurchaseDate, environment: shown.purchase.environment,
            shownAt: shown.shownAt)
        originalApplicationVersion = shown.purchase.originalApplicationVersion
        appTransactionId = shown.appTransactionId
    }
}

extension LicencesBody {
    init(_ report: Backend.LicenceReport) {
        self.init(at: report.at, end: report.end, isPaidAppHolder: report.isPaidAppHolder)
        licences = report.licences.map { licence in
            var item = Licence(from: licence.from, until: licence.until, rule: licence.why.rule.rawValue)
            switch licence.why {
            case .purchase(let id, let transaction), .restOfFirstLicence(let id, let transaction):
                (item.originalTransactionId, item.transactionId) = (id.rawValue, transaction.rawValue)
            case .paidApp: break
            }
            return item
        }
        features = report.features.map { feature, licence in
            Feature(
                id: feature.id.rawValue, name: feature.name, releaseDate: feature.releaseDate,
                rule: licence?.why.rule.rawValue)
        }
        appPurchases = report.appPurchases.map { AppPurchaseBody($0) }
    }
}

extension CustomerBody {
    init(_ report: Backend.CustomerReport, environment: Environment) {
        self.init(
            isAnonymous: report.isAnonymous,
            mergedInto: report.person.customer == report.customer ? nil : report.person.customer.rawValue,
            entitlements: EntitlementsBody(report.answer, of: report.customer, environment: environment),
            licences: LicencesBody(report.licences))
        let otherIds = Set(report.person.customers).subtracting([report.customer])
        joined = otherIds.sorted().map(\.rawValue)
        subscriptions = report.states.map { Subscription($0, of: report.person, at: report.at) }
        balances = report.balances.map { BalanceItem($0) }
        consumables = ConsumablePurchase.all(of: report.person, in: report.states).map {
            Consumable($0, of: report.person.customer)
        }
        votes = report.account.votes.map { CustomerVoteItem($0, withdrawnAt: report.account.withdrawal(of: $0)) }
        attributes = AttributesBody(report.account.attributes).attributes
        unlocks = report.account.unlocks.map {
            Unlock(kind: $0.kind.rawValue, content: $0.content.rawValue, unlockedAt: $0.unlockedAt)
        }
        signals = report.signals.map { SignalBody($0) }
        doublePayments = report.doublePayments.map {
            DoublePayment(
                first: $0.first.rawValue, second: $0.second.rawValue, entitlements: $0.entitlements.map(\.rawValue),
                since: $0.since)
        }
        appAccountTokens = report.tokens.map(\.registration.token.rawValue)
        registrations = report.tokens.map { said in
            var item = Registration(
                appAccountToken: said.registration.token.rawValue, registeredAt: said.registration.registeredAt,
                minted: said.registration.isVouched)
            item.keyName = said.keyName
            return item
        }
        audit = report.audit.map { AuditRow($0.row, sequence: $0.sequence) }
    }
}

extension CustomerBody.Consumable {
    fileprivate init(_ bought: ConsumablePurchase, of customer: CustomerID) {
        let purchase = bought.purchase
        self.init(
            transactionId: purchase.transactionId.rawValue, productId: purchase.productId.rawValue, quantity: bought.units,
            purchaseDate: purchase.purchaseDate)
        refundedQuantity = bought.refundedUnits
        revocationDate = purchase.refund?.revocationDate
        isBuyer = purchase.customer == customer
        deliveredAt = bought.delivery?.deliveredAt
        refusedAt = bought.refusedDelivery?.refusedAt
    }
}

extension BalanceItem {
    fileprivate init(_ balance: EntitlementBalance) {
        self.init(
            entitlement: balance.entitlement.rawValue, paidThrough: balance.paidThrough,
            lines: balance.lines.map { line in
                var item = Line(at: line.entry.at, milliseconds: line.entry.change.count)
                switch line.source {
                case .period(let transaction, let subscription):
                    (item.transactionId, item.originalTransactionId) = (transaction.rawValue, subscription.rawValue)
                case .vote(let vote): item.vote = vote.rawValue
                }
                return item
            })
    }
}

extension CustomerBody.Subscription {
    fileprivate init(_ state: SubscriptionState, of person: Person, at instant: Timestamp) {
        self.init(
            originalTransactionId: state.key.originalTransactionId.rawValue,
            isOwner: state.owner(at: instant) == person.customer, wasOwner: state.customers.contains(person.customer))
        status = state.status(at: instant)?.name
        let last = state.periods.last { !$0.neverServes } ?? state.periods.last
        (productId, end) = (last?.productId.rawValue, last?.end)
        claims = state.claims.filter { person.customers.contains($0.claim.customer) }.map(\.outcome.word)
    }
}

extension CustomerBody.AuditRow {
    fileprivate init(_ row: CustomerAuditRow, sequence: Int64) {
        self.init(
            sequence: sequence, kind: row.cause.kind.rawValue, id: row.cause.id, rule: row.rule.rawValue, actor: row.actor)
        keyName = row.keyName
        recordedAt = row.cause.recordedAt
        entitlement = row.entitlement?.rawValue
        effectiveAt = row.change?.effectiveAt
    }
}

extension TimelineBody.Item {
    init(_ entry: Backend.TimelineEntry) {
        switch entry {
        case .ofSubscription(let row):
            self.init(
                effectiveAt: row.effectiveAt, learnedAt: row.learnedAt, rule: row.rule.rawValue, actor: row.actor.rawValue,
                words: "Access from this subscription reached \(row.before.words) and now reaches \(row.after.words).")
            originalTransactionId = row.subscription.originalTransactionId.rawValue
            keyName = row.keyName
        case .ofCustomer(let row, let decided):
            let said = decided.map { "\($0.words) (\(row.cause.id))" } ?? "\(row.cause.kind.words) \(row.cause.id)"
            let change = row.change.map { " changed when \($0.entitlement) may be used" } ?? " was recorded"
            self.init(
                effectiveAt: row.effectiveAt, learnedAt: row.learnedAt, rule: row.rule.rawValue, actor: row.actor,
                words: "\(said)\(change).\(decided.map { $0.reason.isEmpty ? "" : " Reason: \($0.reason)" } ?? "")")
            entitlement = row.entitlement?.rawValue
            vote = row.cause.id
            keyName = row.keyName
        }
    }
}

extension AuditRow.Extent {
    /// To stand after "reaches".
    fileprivate var words: String {
        guard exists else { return "nowhere" }
        return until.map { "until \($0)" } ?? "without end"
    }
}

extension CustomerVote {
    /// The beginning of a sentence.
    fileprivate var words: String {
        switch kind {
        case .grant(let entitlement, _): "A grant of \(entitlement)"
        case .hold(let entitlement, _): "A hold on \(entitlement.map { "\($0)" } ?? "everything")"
        case .credit(let entitlement, _, _): "Time added to \(entitlement)"
        case .withdraw(let vote): "The withdrawal of \(vote)"
        case .join(let pair): "The join of \(pair.from) into \(pair.into)"
        case .redelivery(let transactionId): "A second delivery of \(transactionId)"
        }
    }
}

extension CustomerInput.Kind {
    /// The beginning of a sentence.
    fileprivate var words: String {
        switch self {
        case .vote: "The vote"
        case .intent: "The question before buying"
        case .unlock: "The unlocking of"
        case .delivery: "The delivery of"
        case .refusedDelivery: "The refused delivery of"
        case .appPurchase: "The purchase of the app"
        case .consumption: "What is known of the use of"
        case .attribute: "The attribute"
        }
    }
}
