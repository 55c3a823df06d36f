package import Ledger
package import Storage

/// What was signed so that customers may have offers.
extension PostgresStore {
    package func issuedOffers(to customer: CustomerID, in scope: Scope, limit: Int) async throws -> [OfferIssue] {
        try await read(scope) { reading, ledger in
            try reading.connection.execute(
                OfferQueries.issued(to: CustomerName(scope.app, customer), limit: limit, ledger: ledger)
            ).map(FoundOfferIssue.init(row:)).map { $0.issue(in: scope) }
        } ?? []
    }

    package func issuedOffers(in scope: Scope, after place: OfferIssue.Place?, limit: Int) async throws -> [OfferIssue] {
        try await read(scope) { reading, ledger in
            try reading.connection.execute(OfferQueries.page(after: place, limit: limit, ledger: ledger))
                .map(FoundOfferIssue.init(row:)).map { $0.issue(in: scope) }
        } ?? []
    }

    package func newestOffers(in scope: Scope, limit: Int) async throws -> [OfferIssue] {
        try await read(scope) { reading, ledger in
            try reading.connection.execute(OfferQueries.newest(limit: limit, ledger: ledger))
                .map(FoundOfferIssue.init(row:)).map { $0.issue(in: scope) }
        } ?? []
    }
}
