package import Ledger
package import Primitives

/// Where an app's events are sent, as whoever set it up wants it.
package struct WebhookEndpoint: Sendable, Hashable, Codable {
    /// Where parcels are posted to; checked when it is written and at each connection (TELL-4).
    package var url: String
    /// For people; may be empty.
    package var description: String
    /// Which kinds of events: names such as `subscription.renewed`, or `subscription.*`; empty: all.
    package var types: [String]
    /// Of which environments; sorted, never empty.
    package var environments: [Environment]
    package var format: Format
    package var signature: Signature
    /// How many parcels may be on their way at once: 1–64. Those of one subscription or customer never are.
    package var concurrency: Int
    /// Sent beside those of the signature, by name.
    package var headers: [String: String]
    /// Who changed it last: an actor, and after a slash the key; nil where an earlier version of Tenure kept it.
    package var changedBy: String?

    /// What a parcel's body is. The spellings are stable: they stand in the table and in the API.
    package enum Format: String, Sendable, Hashable, Codable, CaseIterable {
        /// The event as the log has it (docs/events.md).
        case tenure
        /// What Apple posted, byte for byte, and nothing that is decided here (TELL-5).
        case raw
        /// As RevenueCat writes it, where RevenueCat has a word for it.
        case revenuecat
    }

    /// With which signatures of Standard Webhooks; the spellings are stable.
    package enum Signature: String, Sendable, Hashable, Codable, CaseIterable {
        /// HMAC-SHA256, which every receiver's library checks.
        case v1
        /// Ed25519.
        case v1a
        case both
        /// What Apple posted bears Apple's signature, and none of ours.
        case none
    }

    package static let greatestConcurrency = 64

    package init(
        url: String, description: String = "", types: [String] = [], environments: [Environment],
        format: Format = .tenure, signature: Signature = .v1, concurrency: Int = 16, headers: [String: String] = [:]
    ) {
        self.url = url
        self.description = description
        self.types = types
        self.environments = environments.sorted { $0.rawValue < $1.rawValue }
        self.format = format
        self.signature = signature
        self.concurrency = concurrency
        self.headers = headers
    }
}

/// An endpoint of an app, by the id that was made for it.
package struct EndpointName: Sendable, Hashable, Comparable {
    package let app: AppID
    package let id: String

    package init(_ app: AppID, _ id: String) {
        self.app = app
        self.id = id
    }

    package static func < (left: EndpointName, right: EndpointName) -> Bool {
        (left.app.rawValue, left.id) < (right.app.rawValue, right.id)
    }
}

/// A secret of an endpoint, encrypted for it alone (T46).
package struct EndpointSecret: Sendable, Hashable, Codable {
    /// `v1` or `v1a`, as in ``WebhookEndpoint/Signature-swift.enum``.
    package let kind: String
    /// By which people see which one they hold; nothing can be learned from it.
    package let fingerprint: String
    package let sealed: String
    package let madeAt: Timestamp
    /// From when on nothing is signed with it any more; nil: for good.
    package var endsAt: Timestamp?

    package init(kind: String, fingerprint: String, sealed: String, madeAt: Timestamp, endsAt: Timestamp? = nil) {
        self.kind = kind
        self.fingerprint = fingerprint
        self.sealed = sealed
        self.madeAt = madeAt
        self.endsAt = endsAt
    }

    /// Whether parcels are signed with it.
    package func isLive(at now: Timestamp) -> Bool { endsAt.map { now < $0 } ?? true }
}

/// By which server an endpoint is sent to; one at a time.
package struct EndpointLease: Sendable, Hashable {
    package let worker: String
    package let until: Timestamp
    /// Another number for each lease: who comes too late has an old one (I40).
    package let fence: Int64

    package init(worker: String, until: Timestamp, fence: Int64) {
        self.worker = worker
        self.until = until
        self.fence = fence
    }
}

/// An endpoint as it is kept.
package struct StoredEndpoint: Sendable, Hashable {
    package let name: EndpointName
    package let createdAt: Timestamp
    package var content: WebhookEndpoint
    /// The newest first of each kind.
    package var secrets: [EndpointSecret]
    package var standing: DeliveryStanding
    /// Nil: no server ever sent to it.
    package var lease: EndpointLease?

    package init(
        _ name: EndpointName, createdAt: Timestamp, content: WebhookEndpoint, secrets: [EndpointSecret],
        standing: DeliveryStanding, lease: EndpointLease? = nil
    ) {
        self.name = name
        self.createdAt = createdAt
        self.content = content
        self.secrets = secrets
        self.standing = standing
        self.lease = lease
    }

    /// Takes or prolongs the lease.
    ///
    /// - Returns: the fence; nil where another worker has it.
    package mutating func lease(to worker: String, at now: Timestamp, for duration: Milliseconds) -> Int64? {
        if let lease, lease.worker != worker, now < lease.until { return nil }
        let isMine = lease.map { $0.worker == worker && now < $0.until } ?? false
        let fence = isMine ? lease?.fence ?? 1 : (lease?.fence ?? 0) + 1
        lease = EndpointLease(worker: worker, until: now.adding(duration), fence: fence)
        return fence
    }

    /// Gives the lease back before its time, so that another server goes on at once.
    package mutating func endLease(of worker: String, at now: Timestamp) {
        guard let lease, lease.worker == worker else { return }
        self.lease = EndpointLease(worker: worker, until: now, fence: lease.fence)
    }
}
