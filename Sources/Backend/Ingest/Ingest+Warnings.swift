import AppStoreWire
import Ledger
import Primitives
import Storage

/// What Apple says that this version has no meaning for is kept, moves nothing, and is shown to operators (FACT-5).
extension Ingest {
    func warn(of arrival: Arrival, _ app: AppSettings) throws {
        let timeline = timeline(of: app)
        var warnings: [(OperatorWarning.Kind, String)] = []
        if let notice = arrival.notification { warnings += Self.warnings(of: notice) }
        for case .transaction(let fact) in arrival.facts { warnings += Self.warnings(of: fact, timeline) }
        if !app.asksByKey { warnings += Self.graceWithoutEnd(in: arrival) }
        for (kind, value) in warnings {
            let warning = OperatorWarning(kind: kind, value: value, firstSeenAt: arrival.receivedAt)
            try transaction.warn(warning, in: arrival.scope)
        }
    }

    private static func warnings(of notice: NoticeFact) -> [(OperatorWarning.Kind, String)] {
        let type = notice.notificationType
        return (AppleWords.NotificationType(rawValue: type) != nil ? [] : [(.unknownNotificationType, type)])
            + unlessKnown("subtype", notice.subtype, AppleWords.NotificationSubtype.self)
    }

    /// ENT-7: a grace period runs, and there is no key to ask with until when.
    private static func graceWithoutEnd(in arrival: Arrival) -> [(OperatorWarning.Kind, String)] {
        let isDated = arrival.facts.contains { fact in
            if case .renewal(let word) = fact { word.gracePeriodExpiresDate != nil } else { false }
        }
        guard !isDated else { return [] }
        return arrival.facts.compactMap { fact in
            guard case .notice(let notice, let subscription) = fact, notice.status == 4 else { return nil }
            return (.graceWithoutEnd, subscription.rawValue)
        }
    }

    private static func warnings(
        of fact: TransactionFact, _ timeline: SettingsTimeline
    ) -> [(OperatorWarning.Kind, String)] {
        var warnings: [(OperatorWarning.Kind, String)] = []
        if !timeline.names(fact.productId, at: fact.purchaseDate) { warnings.append((.unknownProduct, fact.productId.rawValue)) }
        if let token = fact.appAccountToken, token.namesNobody { warnings.append((.tokenNamesNobody, token.rawValue)) }
        if fact.type == .nonRenewingSubscription,
            timeline.entitlements.duration(of: fact.productId, boughtAt: fact.purchaseDate) == nil
        {
            warnings.append((.durationMissing, fact.productId.rawValue))
        }
        if case .unknown(let type) = fact.type { warnings.append((.unknownProductType, type)) }
        if case .unknown(let reason) = fact.transactionReason { warnings.append((.unknownTransactionReason, reason)) }
        return warnings + unlessKnown("revocationType", fact.revocation?.revocationType, AppleWords.RevocationType.self)
            + unlessKnown("inAppOwnershipType", fact.details.inAppOwnershipType, AppleWords.OwnershipType.self)
    }

    private static func unlessKnown<Word: RawRepresentable<String>>(
        _ field: String, _ value: String?, _: Word.Type
    ) -> [(OperatorWarning.Kind, String)] {
        value.flatMap { Word(rawValue: $0) != nil ? nil : [(.unknownValue, "\(field): \($0)")] } ?? []
    }
}
