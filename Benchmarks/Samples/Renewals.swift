package import AppStoreWire
package import Backend
import Foundation
package import Ledger
package import Primitives
package import Storage

/// Stored subscriptions of three periods, each with its owner and its Apple Account, and notifications about their renewals.
package struct Renewals: Sendable {
    package let samples: SignedSamples
    /// How many are stored.
    package let subscriptions: Int

    /// - Parameter instant: when everything is signed; nil for a minute before now.
    package init(subscriptions: Int, signedAt instant: Timestamp? = nil) throws {
        samples = try SignedSamples(signedAt: instant)
        self.subscriptions = subscriptions
    }

    /// A subscription's life up to now: it ends in half a day, so its renewal may arrive at any moment.
    package func life(_ number: Int) -> Life { Life(number: number, periods: 3, lastEnds: samples.signedAt.adding(.hours(12))) }

    /// A purchase of this month that nobody has uploaded.
    package func unowned(_ number: Int, of account: Int) -> Life {
        Life(number: number, periods: 1, lastEnds: samples.signedAt.adding(.days(29)), account: account, isClaimed: false)
    }

    /// A renewal, or a purchase, that Apple has signed and that is not stored yet.
    package struct Renewal: Sendable {
        package let life: Life
        package let notificationUUID: String
        /// The notification, and the two JWS inside it.
        package let jws: String
        package let transaction: String
        package let renewalInfo: String
        /// What Apple posts.
        package var body: [UInt8] { Array("{\"signedPayload\":\"\(jws)\"}".utf8) }
    }

    /// The renewal of the subscription's next period.
    package func renewal(_ number: Int) throws -> Renewal { try renewal(of: life(number)) }

    package func renewal(of life: Life, notificationUUID uuid: String? = nil) throws -> Renewal {
        try news(of: life.charge(life.periods), in: life, uuid)
    }

    /// The first notification about a subscription of which nothing is stored.
    package func purchase(of life: Life, notificationUUID uuid: String? = nil) throws -> Renewal {
        try news(of: life.charge(0), in: life, uuid)
    }

    private func news(of charge: SignedSamples.Charge, in life: Life, _ uuid: String?) throws -> Renewal {
        let uuid = uuid ?? UUID().uuidString.lowercased()
        let (transaction, renewalInfo) = (try samples.transaction(charge), try samples.renewalInfo(charge))
        let jws = try samples.notification(about: charge, of: (transaction, renewalInfo), uuid: uuid)
        return Renewal(life: life, notificationUUID: uuid, jws: jws, transaction: transaction, renewalInfo: renewalInfo)
    }

    /// In an order that is unrelated to their keys, each once.
    package var shuffled: [Int] {
        var generator = SystemRandomNumberGenerator()
        return (0..<subscriptions).shuffled(using: &generator)
    }

    package static let app = AppSettings(
        id: Life.app, expected: SignedSamples.app, policy: AppPolicy(), entitlements: entitlements)

    /// Four products and two entitlements, as an app with two tiers has.
    package static let entitlements = EntitlementMap(
        entries: [
            (SignedSamples.monthly, ["gold"]), ("com.example.tenure.bench.gold.yearly", ["gold"]),
            ("com.example.tenure.bench.platinum.monthly", ["gold", "platinum"]),
            ("com.example.tenure.bench.lifetime", ["gold", "platinum"]),
        ].map { product, names in
            .init(
                productId: ProductID(product), validFrom: Timestamp(millisecondsSince1970: 0),
                entitlements: names.map { EntitlementID($0) })
        })

    package var verifier: AppStoreVerifier { AppStoreVerifier(roots: samples.roots) }

    package func backend(_ store: any Store) -> Backend {
        Backend(store: store, verifier: verifier, apps: [Self.app], clock: MachineClock())
    }

    /// Stores the subscriptions, sealed at the end, as a server's chains are.
    package func fill(_ store: any Store) async throws {
        try await store.fill(with: (0..<subscriptions).map(life), shownBy: samples)
        let (now, all) = (samples.signedAt, subscriptions)
        _ = try await store.write { try $0.seal(Life.app, at: now, limit: all) }
    }
}

extension Life {
    package static let scope = Scope(app: app, environment: .production)
}

extension Store {
    /// Stores lives through the rules and the store's own transaction, some hundreds to a commit.
    package func fill(with lives: [Life], shownBy samples: SignedSamples) async throws {
        let evidence = Evidence(form: .compactJWS, bytes: Array(try samples.transaction(SignedSamples.charge).utf8))
        for first in stride(from: 0, to: lives.count, by: 500) {
            let some = Array(lives[first..<min(first + 500, lives.count)])
            try await write { transaction in try transaction.keep(some, evidence) }
        }
    }
}

extension StoreTransaction {
    /// Each fact comes by itself, as notifications bring them; each subscription is shown to be of its Apple Account.
    fileprivate func keep(_ lives: [Life], _ evidence: Evidence) throws {
        _ = try lock(lives.map(\.key), tokens: [])
        try keep(
            lives.flatMap { life in
                life.facts.map { Arrival(scope: Life.scope, evidence: evidence, facts: [$0], receivedAt: $0.signedDate) }
            })
        for life in lives where life.isClaimed { try keep(life.claim, on: life.key) }
        let decisions = lives.map { $0.decision(on: $0.inputs) }
        try keep(decisions.flatMap(\.state.accountSightings), in: Life.scope)
        try save(
            zip(lives, decisions).map { life, decision in
                try Saving(stored: nil, decisions: [decision], policy: AppPolicy(), learnedAt: life.lastEnds)
            })
    }
}
