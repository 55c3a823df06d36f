import Ledger
import Primitives

/// A row of `sweepPlan`.
package struct WrittenSweepPlan: WrittenRow {
    package static let table = "sweepPlan"
    package static let key: Set<Column> = [.ledger]

    package enum Column: Int, StoredColumn {
        case ledger, aliveAt, plannedUntil, failuresAt, nightlyAt, slices, heardAt, heardSignedAt
    }

    private let plan: SweepPlan
    private let slices: String
    private let ledger: Int64

    package init(_ plan: SweepPlan, ledger: Int64) throws {
        self.plan = plan
        slices = try StateCoding.encode(plan.slices)
        self.ledger = ledger
    }

    package func value(of column: Column) -> StoredValue {
        switch column {
        case .ledger: .integer(ledger)
        case .aliveAt: .instant(plan.aliveAt)
        case .plannedUntil: .instant(plan.plannedUntil)
        case .failuresAt: .integer(plan.failuresAt?.millisecondsSince1970)
        case .nightlyAt: .instant(plan.nightlyAt)
        case .slices: .text(slices)
        case .heardAt: .integer(plan.heard?.receivedAt.millisecondsSince1970)
        case .heardSignedAt: .integer(plan.heard?.signedDate.millisecondsSince1970)
        }
    }
}

extension StoredSweepPlan: ReadRow {
    /// Of `sweepPlan` joined with its `ledger`.
    package enum Column: Int, StoredColumn {
        case app, environment, aliveAt, plannedUntil, failuresAt, nightlyAt, slices, heardAt, heardSignedAt
    }

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        let heard = (try row.optionalInstant(.heardAt), try row.optionalInstant(.heardSignedAt))
        self.init(
            try row.scope(.app, .environment),
            SweepPlan(
                aliveAt: try row.instant(.aliveAt), plannedUntil: try row.instant(.plannedUntil),
                failuresAt: try row.optionalInstant(.failuresAt), nightlyAt: try row.instant(.nightlyAt),
                slices: try StateCoding.decode(SweepSlices.self, from: try row.text(.slices)),
                heard: heard.0.flatMap { received in
                    heard.1.map { HeardNotification(receivedAt: received, signedDate: $0) }
                }))
    }
}
