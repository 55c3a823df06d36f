import AppStoreWire
import Intake
package import Ledger
package import Primitives
import Storage

extension Backend {
    /// What a customer uploads.
    package struct Upload: Sendable {
        package let customer: CustomerID
        package let kind: Claim.Kind
        /// The product that he says he bought; nil takes the transaction's own.
        package let productId: ProductID?
        package let signedTransactionInfo: String
        package let signedRenewalInfo: String?

        package init(
            customer: CustomerID, kind: Claim.Kind, productId: ProductID?, signedTransactionInfo: String,
            signedRenewalInfo: String?
        ) {
            self.customer = customer
            self.kind = kind
            self.productId = productId
            self.signedTransactionInfo = signedTransactionInfo
            self.signedRenewalInfo = signedRenewalInfo
        }
    }

    /// What an upload came to.
    package struct ClaimResult: Sendable {
        package let outcome: ClaimOutcome
        package let key: SubscriptionKey
        /// The owner at the moment of the upload.
        package let owner: CustomerID?
        package let at: Timestamp

        /// What a decision says of the claim in it; nil where it is about none.
        init?(_ decision: Decision, learnedAt: Timestamp) {
            guard let outcome = decision.outcomes.first else { return nil }
            self.outcome = outcome
            key = decision.state.key
            // Its place among the claims may lie after our clock (Claim.placed).
            owner = decision.state.owner(at: max(learnedAt, decision.state.claims.last?.claim.claimedAt ?? learnedAt))
            at = learnedAt
        }
    }

    /// Takes a transaction that a customer shows (OWN-2 … OWN-4, OWN-8, OWN-9). The caller has made sure that he is who he says.
    ///
    /// Calling it again with the same upload is safe.
    package func claim(_ upload: Upload, app id: AppID) async throws -> ClaimResult {
        let app = try settings(of: id)
        let customer = try Self.checked(upload.customer)
        if let named = upload.productId, !(1...Self.longestProductId).contains(named.rawValue.utf8.count) {
            throw BackendError.invalidIdentifier(name: "productId")
        }
        let learnedAt = clock.now()
        let transaction = try verified(await verifier.transaction(upload.signedTransactionInfo, for: app.expected, at: learnedAt))
        var facts = [Intake.translate(transaction)]
        if let jws = upload.signedRenewalInfo {
            let renewal = try verified(await verifier.renewalInfo(jws, for: app.expected, at: learnedAt))
            facts.append(Intake.translate(try verified(renewal.bound(to: transaction)), beside: transaction))
        }
        guard case .transaction(let fact) = facts[0].fact else { throw BackendError.unknownSubscription }
        let claim = Claim(
            id: .init("\(customer)/\(upload.kind.rawValue)/\(fact.transactionId)/\(learnedAt.millisecondsSince1970)"),
            customer: customer,
            kind: upload.kind, transaction: fact, productId: upload.productId ?? fact.productId, claimedAt: learnedAt)
        let scope = Scope(app: id, environment: transaction.payload.environment)
        var request = IngestRequest(app: app, learnedAt: learnedAt)
        // A customer id that is itself a UUID is registered by itself (OWN-2).
        request.registration = Ledger.AppAccountToken(customer.rawValue).map { TokenRegistration(token: $0, customer: customer) }
        request.arrivals = Arrival.of(facts, scope: scope, receivedAt: learnedAt)
        request.claims = [(scope.key(of: facts[0].fact), claim)]
        guard let decision = try await ingest(request).decisions.first, let result = ClaimResult(decision, learnedAt: learnedAt)
        else { throw BackendError.unknownSubscription }
        return result
    }

    /// The longest product id that an upload may name, in bytes; Apple's are at most 100 characters.
    private static let longestProductId = 256

    private func verified<Value>(_ result: Result<Value, JWSRefusal>) throws -> Value {
        switch result {
        case .success(let value): return value
        case .failure(let refusal):
            throw refused(EvidenceRefusal(refusal))
        }
    }

    /// Registers an `appAccountToken` for a customer (OWN-2). Registering it again for the same customer is safe.
    ///
    /// - Throws: `BackendError.tokenTaken` if it stands for another customer.
    package func register(_ token: Ledger.AppAccountToken, for customer: CustomerID, app id: AppID) async throws {
        let app = try settings(of: id)
        let registration = TokenRegistration(token: token, customer: try Self.checked(customer))
        var request = IngestRequest(app: app, learnedAt: clock.now())
        request.registration = registration
        guard try await ingest(request).holder == customer else { throw BackendError.tokenTaken }
    }
}
