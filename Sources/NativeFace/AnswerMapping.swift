package import APIContract
import Backend
package import Ledger
package import Primitives
import Server

// From what `Backend` answers to the bodies of the contract.

extension EntitlementsBody {
    package init(_ answer: CustomerAnswer, of customer: CustomerID, environment: Environment) {
        self.init(
            customer: customer.rawValue, environment: environment, at: answer.at, overall: Window(answer.overall),
            entitlements: answer.entitlements.map(Entitlement.init))
    }
}

extension EntitlementsBody.Window {
    fileprivate init(_ answer: EntitlementAnswer) {
        self.init(isActive: answer.isActive, start: answer.start, end: answer.end, nextChangeDate: answer.nextChangeDate)
    }
}

extension EntitlementsBody.Entitlement {
    fileprivate init(_ answer: EntitlementAnswer) {
        self.init(
            id: answer.entitlement?.rawValue ?? "", window: .init(answer), isProvisional: answer.isProvisional,
            renews: answer.renews, renewsInto: answer.renewsInto?.rawValue)
        priceIncreaseStatus = answer.priceIncreaseStatus
        expirationIntent = answer.expirationIntent
        endedBecause = answer.endReason?.rawValue
        restsOn = answer.restsOn.map {
            .init(
                kind: $0.right.rawValue, originalTransactionId: $0.originalTransactionId?.rawValue,
                productId: $0.productId?.rawValue)
        }
        restsOn?.vote = answer.restsOn?.vote?.rawValue
    }
}

extension SignedEntitlements {
    /// What is worth asking again for after this time, although nothing is known to change.
    private static let refresh = Milliseconds.hours(6)

    init(
        _ answer: CustomerAnswer, of customer: CustomerID, app: AppID, environment: Environment, under terms: OfflineTerms
    ) {
        self.init(
            app: app.rawValue, customer: customer.rawValue, environment: environment, at: answer.at,
            overall: Item(answer.overall, under: terms), entitlements: answer.entitlements.map { Item($0, under: terms) })
        // A denial is believed as long: it says when to ask again.
        let until = entitlements.compactMap(\.offlineUntil).max() ?? answer.at.adding(terms.longest)
        expiresAt = max(until, answer.at)
        refreshAfter = min(answer.overall.nextChangeDate ?? .latestAccepted, answer.at.adding(Self.refresh))
    }
}

extension SignedEntitlements.Item {
    fileprivate init(_ answer: EntitlementAnswer, under terms: OfflineTerms) {
        self.init(
            id: answer.entitlement?.rawValue ?? "", window: .init(answer), offlineUntil: answer.offlineUntil(terms),
            isProvisional: answer.isProvisional)
    }
}

extension UploadAnswerBody {
    /// What an upload came to that was not refused.
    init(_ result: Backend.ClaimResult, of customer: CustomerID) {
        let claim = ReceiptAnswerBody.Result(result, of: customer)
        self.init(
            outcome: claim.outcome, originalTransactionId: claim.originalTransactionId, environment: claim.environment,
            isOwner: claim.isOwner, rule: claim.rule)
    }
}

extension ReceiptAnswerBody {
    init(_ result: Backend.ReceiptResult, of customer: CustomerID) {
        switch result {
        case .judged(let results): self.init(results: results.map { Result($0, of: customer) })
        case .waits(let results, let meanwhile):
            self.init(results: results.map { Result($0, of: customer) })
            waiting = Self.waitingForApple
            self.meanwhile = meanwhile.map { EntitlementsBody($0.answer, of: customer, environment: $0.environment) }
        }
    }
}

extension ReceiptAnswerBody.Result {
    /// What a claim came to; a refusal with its code.
    fileprivate init(_ result: Backend.ClaimResult, of customer: CustomerID) {
        self.init(
            originalTransactionId: result.key.originalTransactionId.rawValue, environment: result.key.environment,
            outcome: "refused", isOwner: result.owner == customer)
        switch result.outcome {
        case .bound: (outcome, isOwner) = ("bound", true)
        case .moved(_, let rule): (outcome, isOwner, self.rule) = ("moved", true, rule.rawValue)
        case .alreadyOwner, .noted, .waiting: outcome = result.outcome.word
        case .refused(let reason, let rule):
            (isOwner, self.rule, code, hint) = (false, rule.rawValue, reason.rawValue, result.owner?.masked)
        }
    }
}

extension ClaimOutcome {
    /// As answers say it.
    var word: String {
        switch self {
        case .bound: "bound"
        case .alreadyOwner: "alreadyOwner"
        case .moved: "moved"
        case .noted: "noted"
        case .waiting(let reason): "waiting.\(reason.rawValue)"
        case .refused(let reason, _): "refused.\(reason.rawValue)"
        }
    }
}

extension SubscriptionBody {
    init(_ report: Backend.SubscriptionReport) {
        let (state, instant) = (report.state, report.at)
        self.init(
            originalTransactionId: state.key.originalTransactionId.rawValue, environment: state.key.environment, at: instant)
        status = state.status(at: instant)?.name
        owner = state.owner(at: instant)?.rawValue
        autoRenewProductId = state.renewal?.autoRenewProductId?.rawValue
        previousOriginalTransactionId = state.continues?.rawValue
        periods = state.periods.map(Period.init)
        tenures = state.tenures.map {
            Tenure(
                customer: $0.customer?.rawValue, from: $0.from, until: $0.until, rule: $0.cause.rule.rawValue,
                evidence: $0.cause.evidence.text)
        }
        revisions = report.revisions.map { revision in
            Revision(
                number: revision.number, learnedAt: revision.learnedAt,
                tenures: revision.owners.map { .init(customer: $0.customer?.rawValue, from: $0.from, rule: $0.rule) })
        }
        if let account = report.account, !account.evidence.isEmpty {
            appleAccount = AppleAccountItem(
                subscriptions: account.subscriptions.map(\.rawValue),
                shownBy: account.evidence.map { AppleAccountItem.Evidence($0) })
        }
        proposal = report.proposal(at: instant).map { OwnerProposalItem($0) }
        signals = report.signals.map { SignalBody($0) }
        claims = state.claims.map { weighed in
            Claim(weighed)
        }
        votes = report.votes.map { OwnershipVoteBody($0) }
        reservations = report.reservations.map { ReservationAnswerBody($0) }
        audit = report.audit.map { AuditRow($0.row, sequence: $0.sequence) }
        events = report.events.map { Event($0.event, sequence: $0.sequence) }
        work = report.work.map { Work($0) }
        explain = report.explanation
    }
}

extension SubscriptionBody.Claim {
    fileprivate init(_ weighed: SubscriptionState.WeighedClaim) {
        self.init(
            id: weighed.claim.id.rawValue, customer: weighed.claim.customer.rawValue, kind: weighed.claim.kind.rawValue,
            productId: weighed.claim.productId.rawValue, claimedAt: weighed.claim.claimedAt, outcome: weighed.outcome.word)
    }
}

extension AppleAccountItem.Evidence {
    fileprivate init(_ evidence: AppleAccount.Evidence) {
        switch evidence {
        case .appTransactionId(let id): self.init(kind: "appTransactionId", id: id)
        case .receipt(let digest): self.init(kind: "receipt", id: digest)
        }
    }
}

extension OwnerProposalItem {
    init(_ proposal: OwnerProposal) {
        self.init(
            originalTransactionId: proposal.subscription.rawValue, customer: proposal.customer.rawValue,
            otherSubscription: proposal.becauseOf.rawValue, shownBy: proposal.evidence.map { .init($0) })
    }
}

extension SubscriptionBody.Event {
    fileprivate init(_ event: LedgerEvent, sequence: Int64) {
        self.init(
            sequence: sequence, kind: event.kind.rawValue, effectiveAt: event.effectiveAt, rule: event.rule.rawValue)
        customer = event.customer?.rawValue
        productId = event.productId?.rawValue
        transactionId = event.transactionId?.rawValue
        until = event.until
    }
}

extension SubscriptionBody.Work {
    fileprivate init(_ work: Backend.SubscriptionReport.Work) {
        self.init(kind: work.kind, dueAt: work.dueAt, state: work.state, attempts: work.attempts)
        lastError = work.lastError
    }
}

extension WaitingClaimItem {
    init(_ waiting: Backend.WaitingClaim) {
        self.init(
            originalTransactionId: waiting.key.originalTransactionId.rawValue, owner: waiting.owner?.rawValue,
            claim: SubscriptionBody.Claim(waiting.weighed))
    }
}

extension FactsBody {
    init(_ report: Backend.FactsReport) {
        self.init(
            facts: report.facts.map { Fact($0) },
            evidence: report.evidence.map { Evidence(form: $0.form, content: $0.content) })
    }
}

extension FactsBody.Fact {
    fileprivate init(_ item: Backend.FactsReport.Item) {
        let kind =
            switch item.fact {
            case .transaction: "transaction"
            case .renewal: "renewal"
            case .notice: "notification"
            case .status: "status"
            case .failedQuestion: "failedQuestion"
            }
        self.init(kind: kind, signedDate: item.fact.signedDate, receivedAt: item.receivedAt)
        evidence = item.evidence.map { Int64($0) }
        switch item.fact {
        case .transaction(let fact): transactionId = fact.transactionId.rawValue
        case .notice(let notice, _):
            transactionId = notice.transactionId?.rawValue
            (notificationType, subtype) = (notice.notificationType, notice.subtype)
            (notificationUUID, status) = (notice.notificationUUID, notice.status)
        case .status(let fact, _): status = fact.answered
        case .renewal, .failedQuestion: break
        }
    }
}

extension SubscriptionBody.Period {
    fileprivate init(_ period: Ledger.Period) {
        self.init(
            transactionId: period.transaction.transactionId.rawValue, productId: period.productId.rawValue,
            purchaseDate: period.purchaseDate, beginning: period.beginning.rawValue, isUpgraded: period.transaction.isUpgraded)
        webOrderLineItemId = period.transaction.webOrderLineItemId
        expiresDate = period.transaction.expiresDate
        end = period.end
        servedElsewhere = period.servedElsewhere?.rawValue
        addedSeats = period.addedSeats
        continuedBy = period.continuedBy?.rawValue
        offerType = period.transaction.details.offerType
        offerDiscountType = period.transaction.details.offerDiscountType
        offerIdentifier = period.transaction.details.offerIdentifier
        priceMilliunits = period.transaction.details.price?.count
        currency = period.transaction.details.currency
        revocationDate = period.transaction.revocation?.revocationDate
        revocationPercentage = period.transaction.revocation?.revocationPercentage
    }
}

extension SubscriptionBody.AuditRow {
    fileprivate init(_ row: Ledger.AuditRow, sequence: Int64) {
        self.init(
            sequence: sequence, customer: row.customer.rawValue, effectiveAt: row.effectiveAt, learnedAt: row.learnedAt,
            rule: row.rule.rawValue, actor: row.actor.rawValue)
        keyName = row.keyName
        accessUntilBefore = row.before.until
        accessUntilAfter = row.after.until
        takeBacks = row.takeBacks.map { .init(transactionId: $0.transactionId.rawValue, milliseconds: $0.amount.count) }
    }
}

extension WarningsBody {
    init(_ warnings: [Backend.Warning]) {
        self.init(warnings: warnings.map { .init(kind: $0.kind, value: $0.value, firstSeenAt: $0.firstSeenAt) })
    }
}

extension SettingsBody.Version {
    init(_ version: Backend.AppliedSettings) {
        self.init(
            number: version.number, appliedAt: version.appliedAt, actor: version.actor, digest: version.digest,
            document: version.document)
        validFrom = version.validFrom
    }
}
