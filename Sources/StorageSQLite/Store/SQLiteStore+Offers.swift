import GRDB
package import Ledger
package import Storage

/// What was signed so that customers may have offers.
extension SQLiteStore {
    package func issuedOffers(to customer: CustomerID, in scope: Scope, limit: Int) async throws -> [OfferIssue] {
        try reading(scope) { reading, ledger in
            try OfferQueries.issued(to: CustomerName(scope.app, customer), limit: limit, ledger: ledger, reading.database)
                .map { $0.issue(in: scope) }
        } ?? []
    }

    package func issuedOffers(in scope: Scope, after place: OfferIssue.Place?, limit: Int) async throws -> [OfferIssue] {
        try reading(scope) { reading, ledger in
            try OfferQueries.page(after: place, limit: limit, ledger: ledger, reading.database).map { $0.issue(in: scope) }
        } ?? []
    }

    package func newestOffers(in scope: Scope, limit: Int) async throws -> [OfferIssue] {
        try reading(scope) { reading, ledger in
            try OfferQueries.newest(limit: limit, ledger: ledger, reading.database).map { $0.issue(in: scope) }
        } ?? []
    }
}
