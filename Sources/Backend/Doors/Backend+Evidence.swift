package import Ledger
package import Primitives
import Storage

/// What a subscription rests on.
extension Backend {
    /// The facts of a subscription with what proves them.
    package struct FactsReport: Sendable {
        /// By `signedDate`; at most ``Backend/longestFacts``.
        package let facts: [Item]
        /// Each document once.
        package let evidence: [Document]

        /// - Parameter stored: by `signedDate`.
        init(_ stored: [StoredFact]) {
            var places: [Evidence: Int] = [:]
            var documents: [Document] = []
            facts = stored.map { kept in
                let place = kept.evidence.map { evidence in
                    if let known = places[evidence] { return known }
                    places[evidence] = documents.count
                    documents.append(Document(evidence))
                    return documents.count - 1
                }
                return Item(fact: kept.fact, receivedAt: kept.receivedAt, evidence: place)
            }
            evidence = documents
        }

        package struct Item: Sendable, Hashable {
            package let fact: Fact
            package let receivedAt: Timestamp
            /// Its place in ``FactsReport/evidence``; nil for a question that Apple did not answer.
            package let evidence: Int?
        }

        package struct Document: Sendable, Hashable {
            /// Stable, such as `compactJWS`.
            package let form: String
            /// A JWS as it came, anything else in base64.
            package let content: String

            fileprivate init(_ evidence: Evidence) {
                form = evidence.form.rawValue
                content =
                    evidence.form == .compactJWS
                    ? String(decoding: evidence.bytes, as: UTF8.self) : StrictBase64.encodePadded(evidence.bytes)
            }
        }
    }

    /// How many facts one report shows at the most.
    package static let longestFacts = 1000

    /// - Throws: `BackendError.unknownSubscription`.
    package func facts(of key: SubscriptionKey) async throws -> FactsReport {
        try settings(of: key.app).checkTakes(key.environment)
        let stored = try await translatingStorageErrors { try await store.facts(of: key, limit: Self.longestFacts) }
        guard !stored.isEmpty else { throw BackendError.unknownSubscription }
        return FactsReport(stored)
    }
}
