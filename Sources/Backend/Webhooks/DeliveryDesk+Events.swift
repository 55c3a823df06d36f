package import Ledger
package import Primitives
import Storage

/// Who has what was told of one subscription.
extension DeliveryDesk {
    /// What became of an event at an endpoint that wants it.
    package struct EventAtEndpoint: Sendable, Hashable {
        package let endpoint: String
        package let state: State

        package enum State: Sendable, Hashable {
            /// The receiver took it, the last time at the instant: 2xx, and nothing else.
            case delivered(at: Timestamp)
            /// It is still to be sent; nil: when the endpoint comes to it.
            case waiting(retryAt: Timestamp?)
            /// The receiver refused it so often that what follows was sent without it (TELL-2).
            case parked(at: Timestamp)
            /// The endpoint is past it, and what became of it is not among its last attempts and parked events: it was taken or
            /// given up earlier, or was told before the endpoint began.
            case forgotten
        }
    }

    /// So many of an endpoint's parked events are looked at, the newest.
    package static let mostParkedLookedAt = 200

    /// What became of some events of a subscription at each endpoint of its app that wants them, by the number of the event;
    /// without endpoints that pass on what Apple posts, which are sent no events.
    ///
    /// Of each endpoint ``mostLookedAt`` attempts are looked at and ``mostParkedLookedAt`` parked events.
    ///
    /// - Parameters:
    ///   - sequence: the number of the first event.
    ///   - limit: of events.
    package func receptions(
        of key: SubscriptionKey, from sequence: Int64, limit: Int
    ) async throws -> [Int64: [EventAtEndpoint]] {
        try await translatingStorageErrors {
            let events = try await store.events(of: .subscription(key), from: sequence, limit: limit)
            var found = Dictionary(events.map { ($0.sequence, [EventAtEndpoint]()) }) { first, _ in first }
            guard let subject = events.first.map({ SubjectName($0.subject) }) else { return found }
            for endpoint in try await store.webhookEndpoints(of: key.app) {
                guard endpoint.content.format != .raw, endpoint.content.environments.contains(key.environment) else { continue }
                let known = try await Reception(of: subject, at: endpoint, in: store)
                let packer = ParcelPacker(endpoint, store: store)
                for event in events {
                    let parcels = try await packer.pack(event).map(\.event.id)
                    guard !parcels.isEmpty else { continue }
                    found[event.sequence]?.append(
                        EventAtEndpoint(endpoint: endpoint.name.id, state: known.state(of: event, parcels)))
                }
            }
            return found
        }
    }
}

/// What is kept of what one endpoint was told of one subject.
private struct Reception {
    /// When each parcel was taken the last time, and when it was parked.
    private var delivered: [String: Timestamp] = [:]
    private var parked: [String: Timestamp] = [:]
    private let held: DeliveryStanding.HeldSubject?
    private let end: LogPlace

    init(of subject: SubjectName, at endpoint: StoredEndpoint, in store: any Store) async throws {
        let standing = endpoint.standing
        held = standing.held.first { $0.subject == subject }
        end = standing.places[subject.environment] ?? .start
        let attempts = try await store.webhookAttempts(
            of: endpoint.name, delivered: true, before: .max, limit: DeliveryDesk.mostLookedAt)
        for attempt in attempts.map(\.attempt) {
            // The last one comes first.
            if let event = attempt.event, event.subject == subject, delivered[event.id] == nil {
                delivered[event.id] = attempt.at
            }
        }
        let most = DeliveryDesk.mostParkedLookedAt
        let waiting = try await store.parkedEvents(
            of: endpoint.name, after: max(0, standing.parked - Int64(most)), limit: most)
        for event in waiting.map(\.parked) where event.event.subject == subject { parked[event.event.id] = event.parkedAt }
    }

    /// - Parameter parcels: the ids under which it is sent there.
    func state(of event: LoggedEvent, _ parcels: [String]) -> DeliveryDesk.EventAtEndpoint.State {
        let taken = parcels.compactMap { delivered[$0] }
        if taken.count == parcels.count, let last = taken.max() { return .delivered(at: last) }
        if event.place > end { return .waiting(retryAt: nil) }
        if let held, held.next <= event.sequence {
            return .waiting(retryAt: held.next == event.sequence && held.triedAt != nil ? held.retryAt : nil)
        }
        if let last = parcels.compactMap({ parked[$0] }).max() { return .parked(at: last) }
        return .forgotten
    }
}
