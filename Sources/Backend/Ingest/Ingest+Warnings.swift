import AppStoreWire
import Ledger
import Primitives
import Storage

/// What Apple says that this version has no meaning for is kept, moves nothing, and is shown to operators (FACT-5).
extension Ingest {
    func warn(of arrival: Arrival, _ map: EntitlementMap) throws {
        var warnings: [(OperatorWarning.Kind, String)] = []
        if let notice = arrival.notification { warnings += Self.warnings(of: notice) }
        for case .transaction(let fact) in arrival.facts { warnings += Self.warnings(of: fact, map) }
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

    private static func warnings(of fact: TransactionFact, _ map: EntitlementMap) -> [(OperatorWarning.Kind, String)] {
        var warnings: [(OperatorWarning.Kind, String)] = []
        if !map.knows(fact.productId) { warnings.append((.unknownProduct, fact.productId.rawValue)) }
        if fact.type == .nonRenewingSubscription, map.duration(of: fact.productId, boughtAt: fact.purchaseDate) == nil {
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
