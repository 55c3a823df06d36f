package import Primitives

/// What new facts say that changes no state: Apple's questions, refused refunds, offers, words that nobody knows here (FACT-5). A
/// fact that was known says nothing.
struct NoticeEvents {
    let before: LedgerMoment
    let moment: LedgerMoment
    /// What is new; each once.
    let facts: [Fact]

    private var after: SubscriptionState { moment.state }

    func all() -> [LedgerEvent] {
        let told = facts.flatMap { fact -> [LedgerEvent] in
            switch fact {
            case .notice(let notice, _): return events(of: notice)
            case .transaction(let transaction): return unknownWords(in: transaction)
            case .renewal, .status, .failedQuestion: return []
            }
        }
        return told + newDecisions
    }

    private func events(of notice: NoticeFact) -> [LedgerEvent] {
        switch notice.notificationType {
        case "CONSUMPTION_REQUEST":
            return [
                event(.consumptionRequested, of: notice, by: .consumptionReport) {
                    $0.reason = notice.consumptionRequestReason
                    $0.deadline = notice.answerDeadline
                }
            ]
        case "OFFER_REDEEMED": return offerWithoutPeriod(notice)
        case let type where AppleWords.NotificationType(rawValue: type) != nil: return []
        case let type: return [unknown("notificationType", type, at: notice.signedDate)]
        }
    }

    /// Decisions not to refund (ABUSE-2): each is published once, for the notification of it that arrives first. A question that
    /// arrives late may make two decisions of one: the second is published then.
    private var newDecisions: [LedgerEvent] {
        let isAboutRefunds = facts.contains { fact in
            guard case .notice(let notice, _) = fact else { return false }
            return notice.notificationType == "REFUND_DECLINED" || notice.notificationType == "CONSUMPTION_REQUEST"
        }
        guard isAboutRefunds else { return [] }
        let known = DeclinedRefunds(before.history.notices, periods: before.state.periods).decisions.compactMap(\.first)
        let decisions = DeclinedRefunds(moment.history.notices, periods: after.periods).decisions
        return decisions.filter { !$0.contains(where: known.contains) }.compactMap(\.first).map {
            event(.refundDeclined, of: $0, by: .consumptionReport)
        }
    }

    /// PER-7: an offer that counts from the next renewal, or for the present product, brings no new period that names it.
    private func offerWithoutPeriod(_ notice: NoticeFact) -> [LedgerEvent] {
        let bearsPeriod = facts.contains { fact in
            guard case .transaction(let transaction) = fact else { return false }
            return LedgerEvent.Offer(transaction.details) != nil
        }
        guard !bearsPeriod else { return [] }
        let word = facts.lazy.compactMap { fact -> RenewalFact? in
            if case .renewal(let renewal) = fact { renewal } else { nil }
        }.first
        return [
            event(.offerRedeemed, of: notice, by: .offers) {
                $0.nextProductId = word?.autoRenewProductId == $0.productId ? nil : word?.autoRenewProductId
                $0.offer = LedgerEvent.Offer(
                    offerType: word?.offerType, offerIdentifier: word?.offerIdentifier,
                    offerDiscountType: word?.offerDiscountType, offerPeriod: word?.offerPeriod)
            }
        ]
    }

    private func event(
        _ kind: LedgerEvent.Kind, of notice: NoticeFact, by rule: Rule, _ change: (inout LedgerEvent) -> Void = { _ in }
    ) -> LedgerEvent {
        let named = notice.transactionId.flatMap { id in after.periods.first { $0.isNamed(by: id) } }
        let period = named ?? after.lastServingPeriod
        return LedgerEvent(kind, of: after.key, at: notice.signedDate, by: rule) {
            $0.customer = after.owner(at: period?.purchaseDate ?? notice.signedDate)
            $0.productId = period?.productId
            $0.transactionId = notice.transactionId ?? period?.transaction.transactionId
            $0.notificationUUID = notice.notificationUUID
            change(&$0)
        }
    }

    // MARK: Unknown words

    private func unknownWords(in transaction: TransactionFact) -> [LedgerEvent] {
        var events: [LedgerEvent] = []
        if case .unknown(let type) = transaction.type { events.append(unknown("type", type, at: transaction.signedDate)) }
        if case .unknown(let reason) = transaction.transactionReason {
            events.append(unknown("transactionReason", reason, at: transaction.signedDate))
        }
        return events
    }

    private func unknown(_ field: String, _ value: String, at instant: Timestamp) -> LedgerEvent {
        LedgerEvent(.warningUnknown, of: after.key, at: instant, by: .unknownWord) { ($0.reason, $0.value) = (field, value) }
    }
}

extension NoticeFact {
    /// ABUSE-2: Apple wants its answer within twelve hours of asking.
    ///
    /// Source: Apple, App Store Server API, "Send Consumption Information".
    package var answerDeadline: Timestamp { signedDate.adding(.hours(12)) }
}
