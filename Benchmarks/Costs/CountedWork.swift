import APIContract
import AppStoreWire
import Backend
import BenchmarkSamples
import Delivery
import Ledger
import NativeFace
import Primitives
import Server
import Storage
import StorageSQLite

/// One kind of work, done again and again.
struct CountedWork {
    let name: String
    /// How often it is done before it is counted.
    var warmUp = 4
    let count: Int
    /// Does it once; the number is another each time.
    let run: (Int) async throws -> Void

    /// All of it, in the order of Benchmarks/costs.tsv.
    static func all(_ prepared: PreparedCosts) async throws -> [CountedWork] {
        let store = try prepared.store()
        return proof(prepared) + (try await ingest(prepared, store)) + (try await answers(prepared, store))
    }

    private static let now = PreparedCosts.Clock().now()

    // MARK: Proof

    private static func proof(_ prepared: PreparedCosts) -> [CountedWork] {
        let verifier = prepared.verifier
        let (transaction, notification) = (Array(prepared.signed.transaction.utf8), Array(prepared.signed.notification.utf8))
        let receipts = AppStoreVerifier(roots: TrustRoots(fingerprints: []).adding(der: prepared.signed.receiptRootDER))
        let receipt = prepared.signed.receipt
        return [
            CountedWork(name: "transaction verified, warm chain", count: 20) { _ in
                _ = try await verifier.transaction(transaction, for: SignedSamples.app, at: now).get()
            },
            CountedWork(name: "notification verified, warm chain", count: 20) { _ in
                _ = try await verifier.notification(notification, for: SignedSamples.app, at: now).get()
            },
            CountedWork(name: "receipt of \(ReceiptSample.purchases) purchases verified, warm chain", count: 5) { _ in
                let read = try await receipts.appReceipt(receipt, for: SignedSamples.app, at: now).get().payload
                guard read.inApp.count == ReceiptSample.purchases else { throw BenchError("purchases are missing") }
            },
        ]
    }

    // MARK: Ingest

    /// What comes before is done once for all: verification is counted above.
    private static func ingest(_ prepared: PreparedCosts, _ store: any Store) async throws -> [CountedWork] {
        let path = prepared.path(store)
        func applied(_ name: String, _ bodies: [String]) async throws -> CountedWork {
            var requests: [IngestRequest] = []
            for body in bodies { requests.append(try await path.request(Array(body.utf8))) }
            return CountedWork(name: name, count: bodies.count - 4) { [requests] in try await path.keep([requests[$0]]) }
        }
        var work = [
            try await applied("notification applied, a renewal after 24 periods", prepared.signed.renewals),
            try await applied("notification applied, a first purchase", prepared.signed.purchases),
        ]
        for (size, bodies) in zip(PreparedCosts.accountSizes, prepared.signed.ofAccounts) {
            work.append(
                try await applied("notification applied, a first purchase of an account with \(size) unowned", bodies))
        }
        return work
    }

    // MARK: Answers

    private static func answers(_ prepared: PreparedCosts, _ store: any Store) async throws -> [CountedWork] {
        let backend = prepared.backend(store)
        let trust = CustomerTokenTrust(app: Life.app, secret: PreparedCosts.customerTokenSecret)
        let token = prepared.signed.customerToken
        let events = try await store.log(of: Life.scope, after: .start, limit: 100).events
        guard events.count == 100, let secret = SigningSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw") else {
            throw BenchError("there is nothing to tell")
        }
        return [
            CountedWork(name: "entitlement answer, with its JSON", count: 50) { index in
                let customer = CustomerID(Life.customer(1 + index))
                let answer = try await backend.entitlements(of: customer, app: Life.app, environment: .production, at: nil)
                let body = EntitlementsBody(answer, of: customer, environment: .production).json
                guard answer.overall.isActive, body.count > 200 else { throw BenchError("\(customer) has nothing") }
            },
            CountedWork(name: "customer token checked", count: 50) { _ in
                guard try CustomerToken.customer(in: token, believing: trust, at: now).rawValue == Life.customer(1) else {
                    throw BenchError("another customer")
                }
            },
            CountedWork(name: "webhook body made and signed", count: 50) { index in
                let envelope = try EventEnvelope(events[index])
                let headers = try StandardWebhooks.headers(
                    id: envelope.id, at: now, body: Array(envelope.body.utf8), secrets: [secret])
                guard headers.count == 3 else { throw BenchError("not signed") }
            },
        ]
    }
}
