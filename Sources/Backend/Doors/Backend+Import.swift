import AppStoreWire
import Intake
package import Ledger
package import Primitives
import Storage

/// Something that an app brings along from where it was before.
package struct ImportItem: Sendable, Hashable {
    package let proof: Proof
    /// Whose it was there; nil leaves it unclaimed.
    package let customer: CustomerID?
    /// The kind of claim that the customer makes.
    package let kind: Claim.Kind

    package enum Proof: Sendable, Hashable {
        /// The `signedPayload` of a notification V2.
        case notification(String)
        case transaction(String, renewalInfo: String?)
        /// An app receipt or a transaction receipt, its bytes. About some of the latter Apple will be asked.
        case receipt([UInt8])
        /// Only a name: Apple will be asked. It proves nothing, so it gives no access before Apple has answered.
        case transactionId(Ledger.TransactionID, Primitives.Environment)
    }

    package init(_ proof: Proof, customer: CustomerID?, kind: Claim.Kind = .restore) {
        self.proof = proof
        self.customer = customer
        self.kind = kind
    }
}

/// What became of an imported item.
package enum ImportOutcome: String, Sendable, Hashable, CaseIterable {
    /// It said something new, or its customer's claim did something.
    case new
    /// All of it was known; importing twice is safe.
    case known
    /// Apple will be asked about it.
    case scheduled
    /// It is kept, and its customer's claim was not granted.
    case claimRefused
}

extension Backend {
    /// Takes items in their order, in few transactions; returns when what is new is durable. Taking them again is safe.
    ///
    /// - Returns: what became of each, or why it cannot be taken: `refusedEvidence` where it proves nothing.
    package func take(_ items: [ImportItem], app id: AppID) async throws -> [Result<ImportOutcome, BackendError>] {
        let app = try settings(of: id)
        var results: [Result<ImportOutcome, BackendError>?] = Array(repeating: nil, count: items.count)
        var requests: [(index: Int, request: IngestRequest)] = []
        for (index, prepared) in await prepare(items, app: app) {
            switch prepared {
            case .success(let request): requests.append((index, request))
            case .failure(let error): results[index] = .failure(error)
            }
        }
        let taken = await queue.commitAll(requests.map(\.request))
        for ((index, request), result) in zip(requests, taken) {
            results[index] = result.map { Self.outcome(of: request, $0) }.mapError(BackendError.init)
        }
        return results.compactMap { $0 }
    }

    /// Verifies all of them at once; in their order.
    private func prepare(
        _ items: [ImportItem], app: AppSettings
    ) async -> [(index: Int, request: Result<IngestRequest, BackendError>)] {
        await withTaskGroup(of: (Int, Result<IngestRequest, BackendError>).self) { group in
            for (index, item) in items.enumerated() {
                group.addTask { (index, await prepared(item, app: app)) }
            }
            return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }
        }
    }

    private func prepared(_ item: ImportItem, app: AppSettings) async -> Result<IngestRequest, BackendError> {
        do { return .success(try await request(of: item, app: app)) } catch { return .failure(BackendError(error)) }
    }

    private func request(of item: ImportItem, app: AppSettings) async throws -> IngestRequest {
        switch item.proof {
        case .notification(let signedPayload):
            var request = try await request(ofNotification: Array(signedPayload.utf8), app: app, at: clock.now())
            if let customer = item.customer { request.claimEverything(for: Claimant(try Self.named(customer)), item.kind) }
            return request
        case .transaction(let jws, let renewalInfo):
            var request = IngestRequest(app: app, learnedAt: clock.now())
            request.arrivals = try await proved(jws, renewalInfo, app: app, at: request.learnedAt)
            if let customer = item.customer { request.claimEverything(for: Claimant(try Self.named(customer)), item.kind) }
            return request
        case .receipt(let bytes): return try await request(ofImported: bytes, of: item.customer, item.kind, app: app)
        case .transactionId(let transaction, let environment):
            return try question(about: transaction, environment, item, app: app)
        }
    }

    private func question(
        about transaction: Ledger.TransactionID, _ environment: Primitives.Environment, _ item: ImportItem, app: AppSettings
    ) throws -> IngestRequest {
        try app.checkTakes(environment)
        guard environment.hasServerAPI else {
            // Apple knows nothing of what Xcode signs.
            throw BackendError.environmentNotTaken(environment, taken: Set(app.environments.filter(\.hasServerAPI)))
        }
        guard (1...64).contains(transaction.rawValue.utf8.count), transaction.rawValue.allSatisfy({ $0.isASCII && $0.isNumber })
        else { throw BackendError.invalidIdentifier(name: "transactionId", longest: 64) }
        let customer = try item.customer.map { try Self.named($0) }
        var request = IngestRequest(app: app, learnedAt: clock.now())
        let body = FetchHistoryBody(
            transactionId: transaction.rawValue, customer: customer?.rawValue, claimAs: item.kind.rawValue)
        request.orders = [
            WorkOrder(
                scope: Scope(app: app.id, environment: environment), subject: transaction.rawValue,
                key: HistoryReason.importedStatuses, kind: .fetchStatuses, body: try body.json, dueAt: request.learnedAt)
        ]
        return request
    }

    private static func outcome(of request: IngestRequest, _ result: IngestResult) -> ImportOutcome {
        guard request.orders.isEmpty else { return .scheduled }
        let outcomes = result.decisions.flatMap(\.outcomes)
        if outcomes.contains(where: { if case .refused = $0 { true } else { false } }) { return .claimRefused }
        return result.isNew.contains(true) || outcomes.contains(where: \.changesOwner) ? .new : .known
    }
}

/// What is needed to ask Apple for a history.
package struct FetchHistoryBody: Sendable, Hashable, Codable {
    /// Any transaction of the customer of the App Store.
    package let transactionId: String
    /// Who claims what is found; nil leaves it unclaimed.
    package let customer: String?
    /// `purchase`, `queue` or `restore`.
    package let claimAs: String?
    /// What asks for the next page; nil before the first one.
    package var revision: String?
    private var pagesRead: Int?
    /// How many were read.
    package var pages: Int {
        get { pagesRead ?? 0 }
        set { pagesRead = newValue }
    }

    package init(transactionId: String, customer: String? = nil, claimAs: String? = nil) {
        self.transactionId = transactionId
        self.customer = customer
        self.claimAs = claimAs
    }

    package var json: String { get throws { try StateCoding.encode(self) } }
}
