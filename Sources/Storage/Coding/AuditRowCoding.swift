import Ledger
import Primitives

/// Reads what ``LedgerText`` writes of an audit row: customers by their numbers, and no subscription, whose key the row's hash
/// covers beside the text (docs/decisions/0029).
enum AuditRowCoding {
    /// The numbers of the customers that a text names; none if it is not one of ours.
    static func customers(in text: String) -> Set<Int64> {
        do {
            return try StateCoding.decode(Kept.self, from: text).customers
        } catch {
            // Reading the row reports what is wrong with it; the proof compares its hash.
            return []
        }
    }

    /// - Throws: `StorageError` with `corrupt` where the text is none of ours.
    static func decode(_ text: String, of key: SubscriptionKey, _ names: CustomerNames) throws -> AuditRow {
        let kept = try StateCoding.decode(Kept.self, from: text)
        var cause = AuditRow.Cause(
            learnedAt: kept.learnedAt, rule: kept.rule, evidence: kept.evidence.map { $0.evidence(names) }, actor: kept.actor)
        cause.keyName = kept.keyName
        return AuditRow(
            of: key, names[kept.customer], because: cause,
            change: .init(effectiveAt: kept.effectiveAt, before: kept.before, after: kept.after, takeBacks: kept.takeBacks))
    }

    private struct Kept: Decodable {
        let customer: Int64
        let effectiveAt: Timestamp
        let learnedAt: Timestamp
        let rule: Rule
        let evidence: [Evidence]
        let before: AuditRow.Extent
        let after: AuditRow.Extent
        let actor: AuditRow.Actor
        let takeBacks: [AuditRow.TakeBack]
        let keyName: String?

        var customers: Set<Int64> {
            Set(
                [customer]
                    + evidence.compactMap { evidence in
                        if case .merge(let number) = evidence { number } else { nil }
                    })
        }
    }

    private enum Evidence: Decodable {
        case merge(Int64)
        case other(AuditRow.Evidence)

        private enum CodingKeys: CodingKey { case merge }
        private enum ValueKeys: String, CodingKey { case value = "_0" }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            if container.contains(.merge) {
                let value = try container.nestedContainer(keyedBy: ValueKeys.self, forKey: .merge)
                self = .merge(try value.decode(Int64.self, forKey: .value))
            } else {
                self = .other(try AuditRow.Evidence(from: decoder))
            }
        }

        func evidence(_ names: CustomerNames) -> AuditRow.Evidence {
            switch self {
            case .merge(let number): .merge(names[number])
            case .other(let evidence): evidence
            }
        }
    }
}
