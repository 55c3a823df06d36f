import Ledger
package import Primitives
import Storage

/// What everything needs that sends to endpoints.
package struct DeliveryDesk: Sendable {
    let store: any Store
    let courier: any Courier
    let apps: Set<AppID>
    /// Of every app, with its environments.
    let scopes: [Scope]
    /// The machine's: receivers compare it with theirs, and a simulated day must not send a week's probes.
    let clock: any TimeSource
    /// By which events are told: the ledger's, which may be simulated.
    let logClock: any TimeSource
    /// How long events stay that everybody has; nil: for good.
    let keepsEvents: Milliseconds?
    let chance: @Sendable () -> Double
    /// For operators to see who sends; unique.
    let worker: String
    let metrics: BackendMetrics

    /// - Parameters:
    ///   - backend: whose events are sent, of every app that it serves.
    ///   - clock: the machine's, never a simulated one.
    ///   - keepsEvents: how long events stay that every endpoint has; nil: for good.
    ///   - chance: from 0 up to 1, another one each time.
    package init(
        _ backend: Backend, courier: any Courier, clock: any TimeSource, worker: String, keepsEvents: Milliseconds? = nil,
        chance: @escaping @Sendable () -> Double = { .random(in: 0..<1) }
    ) {
        (store, apps, metrics) = (backend.store, Set(backend.apps.keys), backend.metrics)
        scopes = backend.apps.values.flatMap(\.scopes).sorted {
            ($0.app.rawValue, $0.environment.rawValue) < ($1.app.rawValue, $1.environment.rawValue)
        }
        self.courier = courier
        self.clock = clock
        logClock = backend.clock
        self.keepsEvents = keepsEvents
        self.worker = worker
        self.chance = chance
    }

    /// Makes one attempt, signed anew.
    ///
    /// - Returns: nil where it was cancelled: then nobody can say what became of it, and nothing is concluded.
    func send(_ parcel: Parcel, of sent: SentEvent?, to endpoint: StoredEndpoint, isResent: Bool) async -> DeliveryAttempt? {
        let now = clock.now()
        let live = endpoint.secrets.filter { $0.isLive(at: now) }
        let target = ParcelTarget(url: endpoint.content.url, secrets: live.compactMap(SealedSecret.init))
        let outcome = await courier.send(parcel, to: target, of: endpoint.name.owner)
        if Task.isCancelled, case .failed = outcome.answer { return nil }
        return DeliveryAttempt(
            outcome, of: sent, at: now, url: endpoint.content.url, isResent: isResent, fingerprints: live.map(\.fingerprint))
    }
}

extension EndpointName {
    /// Whose its secrets are, for a courier.
    var owner: String { "\(app.rawValue)/\(id)" }
}

extension SealedSecret {
    /// - Returns: nil for a kind that this version does not know.
    init?(_ secret: EndpointSecret) {
        guard let kind = Kind(rawValue: secret.kind) else { return nil }
        self.init(kind: kind, fingerprint: secret.fingerprint, sealed: secret.sealed)
    }
}

extension DeliveryAttempt {
    init(
        _ outcome: ParcelOutcome, of event: SentEvent?, at instant: Timestamp, url: String, isResent: Bool, fingerprints: [String]
    ) {
        var (status, failure, words, answer): (Int?, String?, String?, String?) = (nil, nil, nil, nil)
        switch outcome.answer {
        case .answered(let code, _, let beginning): (status, answer) = (code, beginning)
        case .failed(let why, let sentence): (failure, words) = (why.rawValue, sentence)
        }
        self.init(
            event: event, at: instant, url: url, took: outcome.took, isResent: isResent, status: status, failure: failure,
            words: words, answer: answer, fingerprints: fingerprints, retryAfter: outcome.retryAfter)
    }

    /// What it says of the receiver (TELL-2).
    ///
    /// Source: Standard Webhooks 1.0, "Delivery": only 2xx is a success, 410 ends, 429 and 5xx ask for less.
    var verdict: DeliveryVerdict {
        switch status {
        case .some where isDelivered: .delivered
        case .some(410): .gone
        case .some(429), .some(500...), .none: .failed(retryAfter: retryAfter)
        case .some(let status): .refused(status: status)
        }
    }

    /// For people.
    var outcomeWords: String { status.map { "\($0)" } ?? words ?? failure ?? "no answer" }
}

extension ParcelOutcome {
    fileprivate var retryAfter: Milliseconds? {
        if case .answered(_, let pause, _) = answer { pause } else { nil }
    }
}
