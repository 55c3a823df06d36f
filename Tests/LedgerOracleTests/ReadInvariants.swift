import Ledger
import LedgerOracle
import Primitives

/// Section D, what is read at a cut through a life: I20, I24, I28, I32.
struct ReadInvariants {
    let states: [SubscriptionState]
    /// By customer.
    let accounts: [String: CustomerAccount]
    let catalogue: PlanCatalogue

    private var customers: [CustomerID] {
        Set(states.flatMap(\.customers) + accounts.keys.map { CustomerID($0) }).sorted()
    }

    private var boundaries: [Timestamp] {
        Set(states.flatMap { state in state.spans.flatMap { [$0.from, $0.until ?? $0.from] } + state.tenures.map(\.from) })
            .sorted()
    }

    func check(_ findings: inout Findings) {
        for customer in customers {
            for balanced in [false, true] { checkSteps(of: customer, balanced, &findings) }
            checkLabels(of: customer, &findings)
            checkDoublePayment(of: customer, &findings)
            checkQuestion(by: customer, &findings)
            checkIntroductoryOffers(of: customer, &findings)
        }
    }

    private func answer(_ customer: CustomerID, at instant: Timestamp, balanced: Bool) -> EntitlementAnswer {
        let holdings = states.map { Holding(of: customer, in: $0, keepingCredits: balanced) }
        return CustomerAnswer(
            at: instant, holdings: holdings, account: accounts[customer.rawValue], map: LedgerWorld.map(balanced: balanced)
        ).overall
    }

    /// I32: nothing changes between two announced changes, and every end and beginning is announced.
    private func checkSteps(of customer: CustomerID, _ balanced: Bool, _ findings: inout Findings) {
        guard let first = boundaries.first else { return }
        var now = first.adding(Milliseconds(-1))
        var visited: Set<Timestamp> = []
        while visited.count < 500 {
            let here = answer(customer, at: now, balanced: balanced)
            guard let next = here.nextChangeDate else {
                let late = answer(customer, at: now.adding(.days(4000)), balanced: balanced)
                findings.expect(.i32, late.says == here.says, "\(customer): changes after the last announced change at \(now)")
                break
            }
            findings.expect(.i32, next > now, "\(customer): the next change at \(now) is \(next)")
            guard next > now else { break }
            let gap = next.since(now).count
            for instant in [now.adding(Milliseconds(gap / 2)), next.adding(Milliseconds(-1))] {
                let between = answer(customer, at: instant, balanced: balanced)
                let isSame = between.says == here.says && (between.nextChangeDate == next)
                findings.expect(.i32, isSame, "\(customer): \(instant) is not as \(now): \(between) · \(here)")
            }
            visited.insert(next)
            now = next
        }
        // Held access is not in the answer, and so is not announced.
        guard !balanced, accounts[customer.rawValue] == nil else { return }
        for span in states.flatMap({ $0.spans(of: customer) }) {
            let isJoined = states.contains { state in
                state.spans(of: customer).contains { $0.until == span.from || $0.from == span.until }
            }
            let isAnnounced = visited.contains(span.from) && span.until.map { visited.contains($0) } ?? true
            findings.expect(.i32, isAnnounced || isJoined, "\(customer): \(span) is not announced")
        }
    }

    /// I20: every answer states its reason, and nothing that was not paid is called paid.
    private func checkLabels(of customer: CustomerID, _ findings: inout Findings) {
        // The time of what does not renew is in no span; it is compared with the oracle.
        let isInSpans = states.allSatisfy { $0.creditedPeriods(of: customer).allSatisfy { !$0.type.isOneTime } }
        guard accounts[customer.rawValue] == nil, isInSpans else { return }
        let spans = states.flatMap { $0.spans(of: customer) }
        for instant in boundaries {
            let here = spans.filter { $0.contains(instant) }
            let told = answer(customer, at: instant, balanced: false)
            let kinds: [AccessSpan.Kind] = [.paid, .gracePeriod, .provisional]
            let best = kinds.first { kind in here.contains { $0.kind == kind } }
            findings.expect(.i20, told.isActive == (best != nil), "\(customer) at \(instant)")
            guard told.isActive else { continue }
            findings.expect(.i20, told.restsOn?.right.rawValue == best?.rawValue, "\(customer) at \(instant): not \(best as Any)")
            findings.expect(.i20, told.isProvisional == (best == .provisional), "\(customer) at \(instant): provisional")
        }
    }

    /// I24: customers who pay for two at once are reported, and nobody else is.
    private func checkDoublePayment(of customer: CustomerID, _ findings: inout Findings) {
        for instant in boundaries {
            let paying = states.filter { state in
                let last = state.periods.last { $0.purchaseDate <= instant && !$0.neverServes }
                guard let last else { return false }
                return !last.transaction.details.isPaidByAnother
                    && state.spans(of: customer).contains { $0.kind != .provisional && $0.contains(instant) }
            }
            // PER-14: the end of what another one continues is the switch, and no second payment.
            let switched = paying.filter { state in
                let next = state.periods.last { $0.purchaseDate <= instant && !$0.neverServes }?.continuedBy
                return paying.contains { $0.key.originalTransactionId == next }
            }
            let pairs = paying.count * (paying.count - 1) / 2 - switched.count
            let told = DoublePayment.all(of: customer, in: states, map: LedgerWorld.map(balanced: false), at: instant)
            findings.expect(.i24, told.count == pairs, "\(customer) at \(instant): \(pairs) pairs, \(told.count) told")
        }
    }

    /// I24: a customer learns before a purchase whether something that gives the same serves them, or may be charged still.
    private func checkQuestion(by customer: CustomerID, _ findings: inout Findings) {
        var evidence = PurchaseQuestion.Evidence(LedgerWorld.settings)
        evidence.own = states
        for instant in boundaries {
            let question = PurchaseQuestion(customer: customer, productId: LedgerWorld.besides, at: instant)
            let answer = question.answer(from: evidence)
            let isServed = states.contains { $0.spans(of: customer).contains { $0.contains(instant) } }
            findings.expect(
                .i24, (answer.verdict == .alreadyHeld) == isServed, "\(customer) at \(instant): \(answer), served: \(isServed)")
            let isBilled = states.contains { state in
                guard state.owner(at: instant) == customer, case .billingRetry = state.status(at: instant) else { return false }
                // Of what another Apple Account pays nobody here is charged.
                let last = state.periods.last { $0.purchaseDate <= instant && !$0.neverServes }
                return last?.transaction.details.isPaidByAnother == false
            }
            findings.expect(
                .i24, isServed || (answer.verdict == .mayStillBeCharged) == isBilled, "\(customer) at \(instant): \(answer)")
        }
    }

    /// I28: once used stays used, by the customer and by the Apple Account that the customer's device shows.
    private func checkIntroductoryOffers(of customer: CustomerID, _ findings: inout Findings) {
        let accounts = Set(states.flatMap(\.periods).compactMap(\.transaction.appTransactionId)).sorted().map { Optional($0) }
        for appTransactionId in [nil] + accounts {
            var wasUsed = false
            for instant in boundaries {
                let profile = CustomerSituation.Profile(customer: customer, device: .init(appTransactionId: appTransactionId))
                let situation = CustomerSituation(
                    of: profile, states: states, catalogue: catalogue, map: LedgerWorld.map(balanced: false), at: instant)
                let isUsed = situation.usedIntroductoryOffer(of: "gold")
                findings.expect(.i28, isUsed || !wasUsed, "\(customer) may have the offer again at \(instant)")
                wasUsed = isUsed
            }
            let had = states.flatMap(\.periods).contains {
                $0.transaction.appTransactionId == appTransactionId && $0.transaction.details.offerType == 1
                    && !$0.transaction.details.isPaidByAnother
                    // A period that an upgrade replaced as it began gives nothing, and so is not a limit.
                    && $0.purchaseDate <= boundaries.last ?? $0.purchaseDate
            }
            if appTransactionId != nil, had { findings.expect(.i28, wasUsed, "the Apple Account had it, and \(customer) may") }
        }
    }
}

/// The content of an answer, independent of when it was requested.
private struct Said: Equatable {
    let isActive: Bool
    let start: Timestamp?
    let end: Timestamp?
    let isProvisional: Bool
    let restsOn: EntitlementAnswer.Source?
    let renews: Bool?
    let endedBecause: AccessSpan.End?
}

extension EntitlementAnswer {
    fileprivate var says: Said {
        Said(
            isActive: isActive, start: start, end: end, isProvisional: isProvisional, restsOn: restsOn, renews: renews,
            endedBecause: endedBecause)
    }
}
