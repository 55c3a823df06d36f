import Ledger
import Primitives
import Storage

/// The events that say when a customer may use what (`entitlement.changed`), where no vote changed it in this transaction: they
/// are asked for here, and written by ``CustomerTellingPerformer``.
extension Ingest {
    /// What a customer's events are to tell.
    struct DueTelling {
        /// What changed it: the `originalTransactionId` of a subscription, or the id of a vote.
        let cause: String
        let instant: Timestamp
    }

    /// How many of a customer's newest rows of events are read for what was told last. Where that is further back, it is told
    /// again: the same windows twice change nothing for whoever folds them.
    private static let mostRows = 1000

    /// Whoever has something else from the subscription than before may use something else.
    mutating func noteHolders(after decision: Decision, at instant: Timestamp) {
        let key = decision.state.key
        for customer in decision.changedHolders {
            note(CustomerKey(key.scope, customer), because: key.originalTransactionId.rawValue, at: instant)
        }
    }

    /// What was said about one of a person's ids is answered under each of them.
    mutating func note(_ others: [CustomerAccount], than key: CustomerKey, because cause: String, at instant: Timestamp) {
        for account in others where account.customer != key.customer {
            note(CustomerKey(key.scope, account.customer), because: cause, at: instant)
        }
    }

    private mutating func note(_ key: CustomerKey, because cause: String, at instant: Timestamp) {
        tellings[key] = DueTelling(cause: cause, instant: instant)
    }

    /// Tells under each id of the person what is answered under it, where that was not told.
    mutating func tell(_ telling: IngestRequest.Telling, _ request: IngestRequest) throws {
        let asked = telling.customer
        let owner = customers.merge(of: asked.name).map { CustomerKey(asked.scope, $0.identified) } ?? asked
        let person = try person(of: owner)
        var holdings: [Holding] = []
        for customer in person.customers {
            holdings += try transaction.holdings(of: CustomerKey(asked.scope, customer))
        }
        for customer in Set(person.customers + [asked.customer]).sorted() {
            let key = CustomerKey(asked.scope, customer)
            let told = ToldEntitlements(try transaction.newestEvents(of: key, rows: Self.mostRows))
            let events = told.events(
                for: customer, reaching: holdings, and: person.account, timeline(of: request.app).entitlements,
                because: telling.cause)
            customers.tell(events, of: key, learnedAt: request.learnedAt)
        }
    }
}
