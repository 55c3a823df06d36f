package import Ledger
import Primitives

/// A row of `signal`.
package struct WrittenSignal: WrittenRow {
    package static let table = "signal"
    package static let filled = ["id"]
    package static let key: Set<Column> = [.ledger, .kind, .subject, .firstRaisedAt]

    package enum Column: Int, StoredColumn {
        case ledger, kind, subject, score, evidenceCount, evidence, firstRaisedAt, raisedAt, raises, changedAt, isOpen
        case acknowledgedAt, acknowledgedBy, reason, acknowledgedCount
    }

    private let stored: StoredSignal
    private let (subject, evidence): (String, String)
    private let ledger: Int64

    /// - Parameter number: of a customer.
    package init(_ stored: StoredSignal, ledger: Int64, number: (CustomerID) throws -> Int64) throws {
        self.stored = stored
        self.ledger = ledger
        subject = try SignalCoding.encode(stored.signal.subject, number)
        evidence = try SignalCoding.encode(stored.signal.evidence, number)
    }

    package func value(of column: Column) -> StoredValue {
        switch column {
        case .ledger: .integer(ledger)
        case .kind: .text(stored.signal.kind.rawValue)
        case .subject: .text(subject)
        case .score: .count(stored.signal.score)
        case .evidenceCount: .count(stored.signal.count)
        case .evidence: .text(evidence)
        case .firstRaisedAt: .instant(stored.firstRaisedAt)
        case .raisedAt: .instant(stored.raisedAt)
        case .raises: .integer(stored.raises)
        case .changedAt: .instant(stored.changedAt)
        case .isOpen: .bool(stored.isOpen)
        case .acknowledgedAt: .integer(stored.acknowledgement?.at.millisecondsSince1970)
        case .acknowledgedBy: .text(stored.acknowledgement?.actor)
        case .reason: .text(stored.acknowledgement?.reason)
        case .acknowledgedCount: .integer(stored.acknowledgement.map { Int64($0.count) })
        }
    }
}

/// A signal as its row has it, its customers still numbers.
package struct NumberedSignal: ReadRow {
    /// Of `signal`.
    package enum Column: Int, StoredColumn {
        case id, kind, subject, score, evidenceCount, evidence, firstRaisedAt, raisedAt, raises, changedAt, isOpen
        case acknowledgedAt, acknowledgedBy, reason, acknowledgedCount
    }

    private let (id, kind, subject): (Int64, AbuseSignal.Kind, String)
    private let (score, count, evidence): (Int64, Int64, String)
    private let standing: StoredSignal.Standing

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        let spelling = try row.text(.kind)
        guard let kind = AbuseSignal.Kind(rawValue: spelling) else {
            throw StorageError(.corrupt, "unknown kind of signal \(spelling)")
        }
        (id, self.kind, subject) = (try row.integer(.id), kind, try row.text(.subject))
        (score, count, evidence) = (try row.integer(.score), try row.integer(.evidenceCount), try row.text(.evidence))
        var standing = StoredSignal.Standing(
            firstRaisedAt: try row.instant(.firstRaisedAt), raisedAt: try row.instant(.raisedAt),
            raises: try row.integer(.raises), changedAt: try row.instant(.changedAt), isOpen: try row.bool(.isOpen))
        if let at = try row.optionalInstant(.acknowledgedAt) {
            standing.acknowledgement = StoredSignal.Acknowledgement(
                at: at, actor: try row.text(.acknowledgedBy), reason: try row.text(.reason),
                count: Int(clamping: try row.integer(.acknowledgedCount)))
        }
        self.standing = standing
    }

    /// Signals with their customers' own ids.
    ///
    /// - Parameter names: of some numbers.
    package static func named(
        _ signals: [NumberedSignal], in scope: Scope, _ names: (Set<Int64>) throws -> CustomerNames
    ) throws -> [StoredSignal] {
        guard !signals.isEmpty else { return [] }
        let numbers = try signals.reduce(into: Set<Int64>()) { numbers, signal in
            numbers.formUnion(try SignalCoding.customers(subject: signal.subject, evidence: signal.evidence))
        }
        let names = try names(numbers)
        return try signals.map { numbered in
            StoredSignal(
                id: numbered.id, scope,
                AbuseSignal(
                    numbered.kind, try SignalCoding.subject(numbered.subject, names), score: Int(clamping: numbered.score),
                    count: Int(clamping: numbered.count), evidence: try SignalCoding.evidence(numbered.evidence, names)),
                numbered.standing)
        }
    }
}
