package import Ledger
package import Primitives
import Storage

/// Customers who are erased, as the law wants it (I45).
extension Backend {
    /// What stands in the place of somebody who was erased.
    package struct ErasureReport: Sendable, Hashable {
        /// One for each of the ids that the person had; sorted. They say nothing of anybody.
        package let pseudonyms: [CustomerID]
        package let erasedAt: Timestamp
        /// How many subscriptions named the person.
        package let subscriptions: Int
        /// Whether the files of the database may still spell an id, in space that nobody reads.
        package var isLeftInFiles = true
    }

    /// Erases a person under all their ids, in every environment, in one transaction: what was theirs is nobody's from now on,
    /// and wherever an id of theirs stood stands a pseudonym. What Apple signed stays, and what is hash-chained stays as it is,
    /// so that everything can be proved as before. While it is done nothing else of the app is written.
    ///
    /// - Parameter by: who decided it, for the audit.
    /// - Throws: `CustomerRefusal.unknownCustomer` where nothing is kept of the customer.
    package func erase(_ customer: CustomerID, by ballot: Ballot, app id: AppID) async throws -> ErasureReport {
        let app = try settings(of: id)
        let erased = try Self.checked(customer)
        // Made here, where it learns with which key it is asked for.
        let order = IngestRequest(app: app, learnedAt: ballot.votedAt)
        let running = try await jobs(app: id).filter { $0.state == StoredJob.State.running.rawValue }.map { JobName(id, $0.id) }
        var report = try await translatingStorageErrors {
            try await store.write { [chosen] write in
                // Others wait who write anything of the app, so that nobody writes a name that is being erased.
                _ = try write.lockSettings(of: id)
                let ids = try Self.ids(of: erased, app, write)
                let subscriptions = try Set(ids.flatMap { try write.subscriptions(naming: CustomerName(id, $0)) })
                var request = order
                for key in subscriptions.sorted() {
                    for (place, customer) in ids.sorted().enumerated() {
                        let vote = OwnershipVote(
                            id: .init("\(ballot.id)/\(place)"), kind: .erase(customer), actor: .operatorOfTenure(ballot.actor),
                            votedAt: ballot.votedAt, reason: ballot.reason)
                        request.subscriptionInputs.append(.init(key: key, input: .vote(vote)))
                    }
                }
                for scope in app.scopes {
                    for customer in ids.sorted() {
                        // Whatever was granted ends too, and the audit says who ended it.
                        let hold = CustomerVote(
                            id: ballot.id, kind: .hold(nil, TimeWindow(from: ballot.votedAt, until: nil)), actor: ballot.actor,
                            reason: ballot.reason, votedAt: ballot.votedAt)
                        request.customerInputs.append(
                            .init(key: CustomerKey(scope, customer), input: .vote(hold)) { !$0.inputs.isEmpty })
                    }
                }
                _ = try Ingest.apply([request], in: write, chosen)
                for job in running { try Self.end(job, standingAt: ids, at: ballot.votedAt, write) }
                let mates = try Self.subscriptions(besides: subscriptions, write)
                let pseudonyms = try write.erase(
                    ids.sorted().map { CustomerName(id, $0) }, from: subscriptions.union(mates).sorted())
                return ErasureReport(
                    pseudonyms: pseudonyms.map(\.name).sorted(), erasedAt: ballot.votedAt, subscriptions: subscriptions.count)
            }
        }
        guard !report.pseudonyms.isEmpty else { throw CustomerRefusal.unknownCustomer(customer.rawValue) }
        report.isLeftInFiles = try await translatingStorageErrors { try await !store.overwriteErased() }
        return report
    }

    /// Ends a job that would go on after one of the ids: under the pseudonym it would go on elsewhere.
    private static func end(
        _ name: JobName, standingAt ids: Set<CustomerID>, at now: Timestamp, _ write: any StoreTransaction
    ) throws {
        guard let job = try write.lockJob(name), job.state == .running else { return }
        guard try ids.contains(where: { job.progress.contains(try StateCoding.encode($0.rawValue)) }) else { return }
        try write.fail(name, because: "somebody was erased at whose place it was; ask again under another id", at: now)
    }

    /// All ids of the person: those that operators joined, and the anonymous ones that turned out to be one of them.
    private static func ids(
        of customer: CustomerID, _ app: AppSettings, _ write: any StoreTransaction
    ) throws -> Set<CustomerID> {
        var (ids, news) = (Set([customer]), Set([customer]))
        while !news.isEmpty {
            let keys = app.scopes.flatMap { scope in news.map { CustomerKey(scope, $0) } }
            let locked = try write.lock([], tokens: [], customers: keys)
            var found: Set<CustomerID> = []
            for account in locked.customers.values.map(\.account) {
                for pair in account.joined { found.formUnion([pair.from, pair.into]) }
            }
            for customer in news {
                let name = CustomerName(app.id, customer)
                found.formUnion(try write.anonymousCustomers(mergedInto: name))
                if let merge = locked.merges[name] { found.insert(merge.identified) }
            }
            news = found.subtracting(ids)
            ids.formUnion(news)
        }
        return ids
    }

    /// Of the Apple Accounts that the subscriptions are of: their claims may say whom else the account serves (OWN-11).
    private static func subscriptions(
        besides subscriptions: Set<SubscriptionKey>, _ write: any StoreTransaction
    ) throws -> Set<SubscriptionKey> {
        var found: Set<SubscriptionKey> = []
        for key in subscriptions {
            let search = try AccountSearch(of: [key.originalTransactionId]).answered(by: write, in: key.scope)
            found.formUnion(search.found.map { SubscriptionKey(key.scope, $0) })
        }
        return found
    }
}
