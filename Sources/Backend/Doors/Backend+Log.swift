package import Ledger
package import Primitives
import Storage

/// What was told, for those who read it at their own pace (TELL-3).
extension Backend {
    /// An event as it is told to others; the same bytes whenever it is.
    package struct ToldEvent: Sendable, Hashable {
        /// Never another event's.
        package let id: String
        /// Such as `subscription.renewed`.
        package let type: String
        /// When it took effect.
        package let timestamp: Timestamp
        /// A JSON object.
        package let data: String

        init(_ event: LoggedEvent) throws {
            let envelope = try EventEnvelope(event)
            (id, type, timestamp, data) = (envelope.id, envelope.type, envelope.timestamp, envelope.data)
        }
    }

    /// Where a reader of a log is.
    package struct EventPlace: Sendable, Hashable {
        let place: LogPlace

        init(_ place: LogPlace) { self.place = place }

        /// As it is sent.
        package var text: String { place.text }

        /// - Returns: nil for anything that ``text`` never is.
        package init?(_ text: String) {
            guard let place = LogPlace(text) else { return nil }
            self.place = place
        }
    }

    /// Where a reader begins.
    package enum EventBeginning: Sendable, Hashable {
        /// With the first event that is kept.
        case first
        /// Where the page before ended.
        case after(EventPlace)
        /// With what was told from an instant on, by the server's clock.
        case since(Timestamp)
    }

    /// A stretch of what was told.
    package struct EventPage<Place: Sendable>: Sendable {
        package let events: [ToldEvent]
        /// After which to read on, now or later.
        package let end: Place
        /// Whether there is more by now.
        package let hasMore: Bool
    }

    /// The events of an app's environment in the order in which they were committed. Whoever reads on from where the last page
    /// ended misses none and reads none twice.
    ///
    /// - Parameters:
    ///   - begin: where to read on.
    ///   - types: only these; those in between are passed over, so that a page may be short or empty though there is more.
    /// - Throws: `BackendError.environmentNotTaken`, `.eventsForgotten`.
    package func events(
        app id: AppID, environment: Environment, from begin: EventBeginning, types: EventTypes, limit: Int
    ) async throws -> EventPage<EventPlace> {
        try settings(of: id).checkTakes(environment)
        let scope = Scope(app: id, environment: environment)
        return try await translatingStorageErrors {
            let begin =
                switch begin {
                case .first: LogPlace.start
                case .after(let place): try await kept(place.place, of: scope)
                case .since(let instant): try await store.logPlace(of: scope, before: instant)
                }
            let page = try await store.log(of: scope, after: begin, limit: limit + 1)
            let read = page.events.prefix(limit)
            return EventPage(
                events: try read.map { try ToldEvent($0) }.filter { types.contain($0.type) },
                end: EventPlace(read.last?.place ?? begin), hasMore: page.events.count > limit)
        }
    }

    /// - Throws: `BackendError.eventsForgotten` where what stood after the place is forgotten by now: whoever reads on would pass
    ///   over it.
    private func kept(_ place: LogPlace, of scope: Scope) async throws -> LogPlace {
        guard try await store.logFloor(of: scope) <= place else { throw BackendError.eventsForgotten }
        return place
    }

    /// The events of a subscription from its first on, at most `limit` after a number.
    ///
    /// - Throws: `BackendError.environmentNotTaken`, `.unknownSubscription`.
    package func events(
        of key: SubscriptionKey, after sequence: Int64, limit: Int
    ) async throws -> EventPage<Int64> {
        try settings(of: key.app).checkTakes(key.environment)
        let page = try await events(of: .subscription(key), after: sequence, limit: limit)
        // Whatever has events is known: its history, which may be long, is not read for each page of them.
        guard page.events.isEmpty else { return page }
        guard try await translatingStorageErrors({ try await store.subscription(key) }) != nil else {
            throw BackendError.unknownSubscription
        }
        return page
    }

    /// The events that are a customer's own, at most `limit` after a number; none of those that are about a subscription.
    ///
    /// - Throws: `BackendError.environmentNotTaken`.
    package func events(
        of customer: CustomerID, app id: AppID, environment: Environment, after sequence: Int64, limit: Int
    ) async throws -> EventPage<Int64> {
        try settings(of: id).checkTakes(environment)
        let key = CustomerKey(Scope(app: id, environment: environment), customer)
        return try await events(of: .customer(key), after: sequence, limit: limit)
    }

    private func events(
        of subject: OutboxEntry.Subject, after sequence: Int64, limit: Int
    ) async throws -> EventPage<Int64> {
        let (next, isLast) = sequence.addingReportingOverflow(1)
        guard !isLast else { return EventPage(events: [], end: sequence, hasMore: false) }
        return try await translatingStorageErrors {
            let found = try await store.events(of: subject, from: next, limit: limit + 1)
            let read = found.prefix(limit)
            return EventPage(
                events: try read.map { try ToldEvent($0) }, end: read.last?.sequence ?? sequence, hasMore: found.count > limit)
        }
    }
}

/// Which kinds of events somebody wants.
package struct EventTypes: Sendable, Hashable {
    /// Names such as `subscription.renewed`, or `subscription.*` for all that begin so; empty: all.
    private let names: [String]

    package init(_ names: [String]) { self.names = names }

    package func contain(_ type: String) -> Bool {
        names.isEmpty || names.contains { $0.hasSuffix(".*") ? type.hasPrefix($0.dropLast()) : $0 == type }
    }
}
