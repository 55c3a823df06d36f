import APIContract
import Backend
import Ledger
import Primitives
import StrictJSON

/// From the rules' answers to our API's bodies.
enum AnswerMapping {
    static func body(of answer: CustomerAnswer, customer: CustomerID, environment: Primitives.Environment) -> EntitlementsBody {
        EntitlementsBody(
            customer: customer.rawValue, environment: environment, at: answer.at, overall: window(of: answer.overall),
            entitlements: answer.entitlements.map(entitlement))
    }

    private static func window(of answer: EntitlementAnswer) -> EntitlementsBody.Window {
        .init(isActive: answer.isActive, start: answer.start, end: answer.end, nextChangeDate: answer.nextChangeDate)
    }

    private static func entitlement(_ answer: EntitlementAnswer) -> EntitlementsBody.Entitlement {
        var body = EntitlementsBody.Entitlement(
            id: answer.entitlement?.rawValue ?? "", window: window(of: answer), isProvisional: answer.isProvisional,
            renews: answer.renews, renewsInto: answer.renewsInto?.rawValue)
        body.priceIncreaseStatus = answer.priceIncreaseStatus
        body.expirationIntent = answer.expirationIntent
        body.endedBecause = answer.endedBecause?.rawValue
        body.restsOn = answer.restsOn.map {
            .init(
                kind: $0.right.rawValue, originalTransactionId: $0.originalTransactionId?.rawValue,
                productId: $0.productId?.rawValue)
        }
        return body
    }

    /// What an upload came to; a refusal or a wait is a problem with the rule that says so.
    static func answer(to result: Backend.ClaimResult, of customer: CustomerID) -> UploadAnswer {
        let key = result.key
        switch result.outcome {
        case .bound: return .accepted(outcome: "bound", of: key, isOwner: true)
        case .alreadyOwner: return .accepted(outcome: "alreadyOwner", of: key, isOwner: result.owner == customer)
        case .moved(_, let rule): return .accepted(outcome: "moved", of: key, isOwner: true, rule: rule.rawValue)
        case .noted: return .accepted(outcome: "noted", of: key, isOwner: result.owner == customer)
        case .waiting(let reason):
            return .accepted(
                outcome: "waiting.\(reason.rawValue)", of: key, isOwner: result.owner == customer, status: 202)
        case .refused(let reason, let rule):
            return .refused(
                Problem(
                    status: 409, code: reason.rawValue, detail: "The subscription serves another customer.", rule: rule.rawValue,
                    hint: result.owner.map(masked)))
        }
    }

    /// What each claim in a receipt came to; a refusal stands in the list with its code.
    static func json(of results: [Backend.ClaimResult], customer: CustomerID) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("results") { writer in
                writer.array { writer in
                    for result in results { write(answer(to: result, of: customer), of: result, &writer) }
                }
            }
        }
        return writer.bytes
    }

    private static func write(_ answer: UploadAnswer, of result: Backend.ClaimResult, _ writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("originalTransactionId", result.key.originalTransactionId.rawValue)
            writer.member("environment", result.key.environment.rawValue)
            switch answer {
            case .accepted(let outcome, _, let isOwner, let rule, _):
                writer.member("outcome", outcome)
                writer.member("isOwner", isOwner)
                writer.optionalMember("rule", rule)
            case .refused(let problem):
                writer.member("outcome", "refused")
                writer.member("isOwner", false)
                writer.optionalMember("rule", problem.rule)
                writer.member("code", problem.code)
                writer.optionalMember("hint", problem.hint)
            }
        }
    }

    static func json(of warnings: [Backend.Warning]) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("warnings") { writer in
                writer.array { writer in
                    for warning in warnings {
                        writer.object { writer in
                            writer.member("kind", warning.kind)
                            writer.member("value", warning.value)
                            writer.member("firstSeenAt", warning.firstSeenAt.millisecondsSince1970)
                        }
                    }
                }
            }
        }
        return writer.bytes
    }

    /// OWN-9: enough for a customer to recognise his other account, and not enough to learn somebody else's.
    static func masked(_ customer: CustomerID) -> String {
        let characters = Array(customer.rawValue)
        guard characters.count > 1, let first = characters.first, let last = characters.last else { return "…" }
        return characters.count == 2 ? "\(first)…" : "\(first)…\(last)"
    }
}

/// What is answered to an upload.
enum UploadAnswer {
    /// With the subscription it is about: who uploads need not know its environment, and must ask for its entitlements there.
    case accepted(outcome: String, of: SubscriptionKey, isOwner: Bool, rule: String? = nil, status: Int = 200)
    case refused(Problem)
}

/// A subscription as our API shows it to the app's backend.
struct SubscriptionBody {
    let report: Backend.SubscriptionReport
    let at: Timestamp

    var json: [UInt8] {
        let state = report.state
        var writer = JSONWriter(reservingCapacity: 4096)
        writer.object { writer in
            writer.member("originalTransactionId", state.key.originalTransactionId.rawValue)
            writer.member("environment", state.key.environment.rawValue)
            writer.member("at", at.millisecondsSince1970)
            writer.nullableMember("status", state.status(at: at)?.name)
            writer.nullableMember("owner", state.owner(at: at)?.rawValue)
            writer.nullableMember("autoRenewProductId", state.renewal?.autoRenewProductId?.rawValue)
            writer.member("periods") { $0.array { writer in state.periods.forEach { write($0, &writer) } } }
            writer.member("tenures") { $0.array { writer in state.tenures.forEach { write($0, &writer) } } }
            writer.member("audit") {
                $0.array { writer in report.audit.forEach { write($0.row, sequence: $0.sequence, &writer) } }
            }
            writer.member("explain") { $0.array { writer in report.explanation(at: at).forEach { writer.string($0) } } }
        }
        return writer.bytes
    }

    private func write(_ period: Period, _ writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("transactionId", period.transaction.transactionId.rawValue)
            writer.nullableMember("webOrderLineItemId", period.transaction.webOrderLineItemId)
            writer.member("productId", period.productId.rawValue)
            writer.member("purchaseDate", period.purchaseDate.millisecondsSince1970)
            writer.nullableMember("expiresDate", period.transaction.expiresDate?.millisecondsSince1970)
            writer.nullableMember("end", period.end?.millisecondsSince1970)
            writer.member("beginning", period.beginning.rawValue)
            writer.nullableMember("offerType", period.transaction.details.offerType)
            writer.nullableMember("priceMilliunits", period.transaction.details.price?.count)
            writer.nullableMember("currency", period.transaction.details.currency)
            writer.nullableMember("revocationDate", period.transaction.revocation?.revocationDate.millisecondsSince1970)
            writer.member("isUpgraded", period.transaction.isUpgraded)
        }
    }

    private func write(_ tenure: Tenure, _ writer: inout JSONWriter) {
        writer.object { writer in
            writer.nullableMember("customer", tenure.customer?.rawValue)
            writer.member("from", tenure.from.millisecondsSince1970)
            writer.nullableMember("until", tenure.until?.millisecondsSince1970)
            writer.member("rule", tenure.cause.rule.rawValue)
            writer.member("evidence", tenure.cause.evidence.text)
        }
    }

    private func write(_ row: AuditRow, sequence: Int64, _ writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("sequence", sequence)
            writer.member("customer", row.customer.rawValue)
            writer.member("effectiveAt", row.effectiveAt.millisecondsSince1970)
            writer.member("learnedAt", row.learnedAt.millisecondsSince1970)
            writer.member("rule", row.rule.rawValue)
            writer.member("actor", row.actor.rawValue)
            writer.nullableMember("accessUntilBefore", row.before.until?.millisecondsSince1970)
            writer.nullableMember("accessUntilAfter", row.after.until?.millisecondsSince1970)
            writer.member("takeBacks") { writer in
                writer.array { writer in
                    for takeBack in row.takeBacks {
                        writer.object { writer in
                            writer.member("transactionId", takeBack.transactionId.rawValue)
                            writer.member("milliseconds", takeBack.amount.count)
                        }
                    }
                }
            }
        }
    }
}
