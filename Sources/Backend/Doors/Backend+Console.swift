package import AppStoreWire
package import Ledger
package import Primitives
import Storage

/// What only the console asks.
extension Backend {
    /// The apps that are served, by id.
    package var servedApps: [AppSettings] { apps.values.sorted { $0.id < $1.id } }

    /// Checks what Apple signs, for this server's roots.
    package var inspectingVerifier: AppStoreVerifier { verifier }

    /// Something that is to be done about a subscription when its time comes.
    package struct PendingWork: Sendable, Hashable {
        package let subscription: SubscriptionKey
        package let work: SubscriptionReport.Work
    }

    /// What is still to be done about some subscriptions, by when it is due.
    package func pendingWork(about subscriptions: [SubscriptionKey]) async throws -> [PendingWork] {
        try await translatingStorageErrors {
            var pending: [PendingWork] = []
            for key in subscriptions {
                pending += try await store.work(about: key).map { PendingWork(subscription: key, work: .init($0)) }
                    .filter { $0.work.state == "waiting" || $0.work.state == "leased" }
            }
            return pending.sorted { ($0.work.dueAt, $0.subscription) < ($1.work.dueAt, $1.subscription) }
        }
    }
}

extension Backend {
    /// Which seals cover the rows of one subscription's chain (AUDIT-2).
    package struct ChainSeals: Sendable, Hashable {
        private let places: [SealedPlace]

        /// - Parameter places: by place.
        init(_ places: [SealedPlace]) { self.places = places }

        /// None.
        package static let none = ChainSeals([])

        /// The number of the first seal that covers a row; nil: no seal does yet.
        package func covering(row sequence: Int64) -> Int64? { places.first { $0.sequence >= sequence }?.seal }
    }

    /// - Returns: those of the first ``longestAudit`` seals of the subscription, which cover at least as many rows.
    package func seals(of key: SubscriptionKey) async throws -> ChainSeals {
        try settings(of: key.app).checkTakes(key.environment)
        return try await translatingStorageErrors {
            ChainSeals(try await store.sealedPlaces(of: key, from: 1, limit: Self.longestAudit))
        }
    }
}

/// What the pages about an app and about this server ask.
extension Backend {
    /// What holds for an app by its newest version, and every version before.
    package func settingsInForce(of id: AppID) async throws -> SettingsTimeline {
        try chosen.learn(try await settingsVersions(of: id), of: try settings(of: id))
    }

    /// A certificate of an authority on which the trust in what Apple signs rests.
    package struct TrustedAuthority: Sendable, Hashable {
        /// `root` or `intermediate`.
        package let role: String
        package let name: String
        package let notValidAfter: Timestamp
    }

    /// Those that signed lately, and the roots; the one that ends first comes first.
    package var trustedAuthorities: [TrustedAuthority] {
        authorities.sorted().map {
            TrustedAuthority(role: $0.role.rawValue, name: $0.name, notValidAfter: $0.notValidAfter)
        }
    }
}
