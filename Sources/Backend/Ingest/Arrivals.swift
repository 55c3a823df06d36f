package import Intake
import Ledger
package import Primitives
package import Storage

extension Arrival {
    /// A notification with everything that it carries. What it carries is inside its own bytes.
    package init(_ notification: TranslatedNotification, scope: Scope, receivedAt: Timestamp) {
        self.init(
            scope: scope, evidence: Evidence(form: .compactJWS, bytes: notification.evidence, jws: notification.jws),
            notification: notification.notice,
            facts: notification.facts.map(\.fact), receivedAt: receivedAt)
    }

    /// Facts with what proves them; those with the same bytes arrive together.
    static func of(_ facts: [ProvenFact], scope: Scope, receivedAt: Timestamp) -> [Arrival] {
        var arrivals: [(evidence: Evidence, facts: [Fact])] = []
        for proven in facts {
            let evidence = Evidence(form: .init(proven.form), bytes: proven.evidence, jws: proven.jws.map { [$0] } ?? [])
            // All facts of a receipt share one copy of its bytes and come one after the other.
            if let last = arrivals.last, last.evidence == evidence {
                arrivals[arrivals.count - 1].facts.append(proven.fact)
            } else {
                arrivals.append((evidence, [proven.fact]))
            }
        }
        return arrivals.map { Arrival(scope: scope, evidence: $0.evidence, facts: $0.facts, receivedAt: receivedAt) }
    }
}

extension Evidence.Form {
    /// What the store calls a form of Intake's.
    init(_ form: ProvenFact.Form) {
        self =
            switch form {
            case .compactJWS: .compactJWS
            case .appReceipt: .appReceipt
            case .transactionReceipt: .transactionReceipt
            case .verifyReceiptAnswer: .verifyReceiptAnswer
            }
    }
}
