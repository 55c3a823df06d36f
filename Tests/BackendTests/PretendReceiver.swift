import Ledger
import Primitives
import Storage
import Synchronization

@testable import Backend

/// A receiver that answers as a test says, and a courier that keeps what it was sent.
final class PretendReceiver: Courier {
    struct Request: Sendable, Hashable {
        let id: String
        let body: String
        let contentType: String
        let headers: [ParcelHeader]
        let isSigned: Bool
        let at: Timestamp
        /// How many of the same subject were on their way.
        let besides: Int
    }

    private struct State {
        var requests: [Request] = []
        var taken: [Request] = []
        var onTheirWay: [String: Int] = [:]
        var most = 0
        var answer: @Sendable (String) -> Int?
    }

    private let state: Mutex<State>
    private let clock: StandingClock
    let hold: Mutex<(@Sendable () async -> Void)?> = Mutex(nil)

    init(_ clock: StandingClock, _ answer: @escaping @Sendable (String) -> Int? = { _ in 204 }) {
        self.clock = clock
        state = Mutex(State(answer: answer))
    }

    /// - Parameter answer: the status for a body; nil: nobody listens.
    func answer(_ answer: @escaping @Sendable (String) -> Int?) { state.withLock { $0.answer = answer } }

    var requests: [Request] { state.withLock { $0.requests } }
    /// What was answered with 2xx.
    var taken: [Request] { state.withLock { $0.taken } }
    /// The most that were on their way at once.
    var most: Int { state.withLock { $0.most } }

    func check(_ url: String) async throws(AddressRefusal) {}

    func makeSecret(_ kind: SealedSecret.Kind, of owner: String) throws(SecretRefusal) -> FreshSecret {
        let sealed = SealedSecret(kind: kind, fingerprint: "0011aabb", sealed: "sealed of \(owner)")
        return FreshSecret(text: "whsec_\(owner)", sealed: sealed)
    }

    func send(_ parcel: Parcel, to target: ParcelTarget, of owner: String) async -> ParcelOutcome {
        let body = String(decoding: parcel.body, as: UTF8.self)
        let subject = subject(of: body)
        let status = state.withLock { state -> Int? in
            let besides = state.onTheirWay[subject, default: 0]
            state.onTheirWay[subject] = besides + 1
            state.most = max(state.most, state.onTheirWay.values.reduce(0, +))
            let request = Request(
                id: parcel.id, body: body, contentType: parcel.contentType, headers: parcel.headers,
                isSigned: !target.secrets.isEmpty, at: clock.now(), besides: besides)
            state.requests.append(request)
            let status = state.answer(body)
            if let status, status < 300 { state.taken.append(request) }
            return status
        }
        await hold.withLock { $0 }?()
        await Task.yield()
        state.withLock { $0.onTheirWay[subject, default: 1] -= 1 }
        guard let status else { return ParcelOutcome(.failed(.connectionFailed, words: "nobody"), took: Milliseconds(1)) }
        return ParcelOutcome(.answered(status: status, retryAfter: nil, beginning: ""), took: Milliseconds(1))
    }

    /// What the body says of its subject.
    private func subject(of body: String) -> String {
        let match = body.firstMatch(of: #/"(originalTransactionId|customer)":"([^"]+)"/#)
        return match.map { String($0.output.2) } ?? ""
    }
}

extension DeliveryDesk {
    /// Rounds until nothing is left to do before the instant, the clock moving from turn to turn.
    func send(to name: EndpointName, _ clock: StandingClock, until end: Timestamp? = nil) async throws {
        let sender = EndpointSender(desk: self, name: name)
        var memory = EndpointSender.Memory()
        while true {
            switch try await sender.round(&memory, while: { true }) {
            case .again: continue
            case .idle(let until):
                var next = until
                if next == nil { next = nextTurn(try await store.webhookEndpoint(name), after: clock.now()) }
                guard let end, let next, next < end else {
                    if let end { clock.set(end) }
                    return
                }
                clock.set(max(next, clock.now().adding(Milliseconds(1))))
            case .another, .removed: return
            }
        }
    }

    /// When an endpoint is to be looked at again.
    private func nextTurn(_ endpoint: StoredEndpoint?, after now: Timestamp) -> Timestamp? {
        guard let endpoint else { return nil }
        switch endpoint.standing.turn(at: now, concurrency: endpoint.content.concurrency) {
        case .rest(let until): return until
        case .probe: return now
        case .send: return endpoint.standing.nextRetry
        }
    }
}
