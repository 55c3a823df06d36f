import Ledger
import Primitives
import Storage

/// Forgets what everybody has: events after a time, where somebody chose one, and copies of what Apple posted (TELL-3, TELL-5).
package struct LogKeeper: Sendable {
    /// How often it looks.
    static let interval = Milliseconds.hours(1)
    /// A copy stays so long, because Apple may post it again: it repeats for 157 hours what was not answered.
    static let copiesKept = Milliseconds.days(7)
    /// How many rows go in one transaction.
    private static let batch = 1000
    /// An endpoint of which more than so many subjects or parked events wait keeps everything.
    private static let mostWaiting = 1000

    private let desk: DeliveryDesk

    package init(_ desk: DeliveryDesk) { self.desk = desk }

    /// - Returns: how many rows of events it forgot.
    @discardableResult
    package func forgetOnce() async throws -> Int {
        var forgotten = 0
        for scope in desk.scopes {
            let endpoints = try await desk.store.webhookEndpoints(of: scope.app).filter {
                $0.content.environments.contains(scope.environment)
            }
            forgotten += try await forgetEvents(of: scope, endpoints.filter { $0.content.format != .raw })
            try await forgetCopies(of: scope, endpoints.filter { $0.content.format == .raw })
        }
        return forgotten
    }

    // MARK: Events

    private func forgetEvents(of scope: Scope, _ endpoints: [StoredEndpoint]) async throws -> Int {
        guard let keepsEvents = desk.keepsEvents else { return 0 }
        let now = desk.logClock.now()
        var end = now.adding(Milliseconds(-keepsEvents.count))
        for endpoint in endpoints {
            switch try await oldestNeeded(by: endpoint, of: scope.environment) {
            case .nothing: continue
            case .everything: return 0
            case .from(let instant): end = min(end, instant)
            }
        }
        var forgotten = 0
        while true {
            let instant = end
            let rows = try await desk.store.write { transaction in
                try transaction.forgetEvents(in: scope, before: instant, limit: Self.batch, at: now)
            }
            forgotten += rows
            if rows < Self.batch { return forgotten }
        }
    }

    private enum Need {
        case nothing
        /// What was told from an instant on.
        case from(Timestamp)
        case everything
    }

    /// What an endpoint's receiver may still have to be told: what it has not, what waits for another attempt, what is parked.
    private func oldestNeeded(by endpoint: StoredEndpoint, of environment: Environment) async throws -> Need {
        let (store, standing) = (desk.store, endpoint.standing)
        guard standing.resends.isEmpty else { return .everything }
        let held = standing.held.filter { $0.subject.environment == environment }
        let parked = try await store.parkedEvents(of: endpoint.name, after: 0, limit: Self.mostWaiting)
        guard held.count < Self.mostWaiting, parked.count < Self.mostWaiting else { return .everything }
        let waiting =
            held.map { ($0.subject, $0.next) }
            + parked.map(\.parked.event).filter { $0.subject.environment == environment }.map { ($0.subject, $0.sequence) }
        let feed = EndpointFeed(store, of: endpoint)
        var oldest = try await feed.page(of: environment, after: standing.places[environment] ?? .start, limit: 1)
            .events.first?.toldAt
        for (subject, sequence) in waiting {
            guard let event = try await feed.events(of: subject, from: sequence, limit: 1).first else { continue }
            oldest = min(oldest ?? event.toldAt, event.toldAt)
        }
        return oldest.map { .from($0) } ?? .nothing
    }

    // MARK: Copies

    private func forgetCopies(of scope: Scope, _ endpoints: [StoredEndpoint]) async throws {
        let now = desk.logClock.now()
        // What nobody is to have any more goes at once.
        var (end, number, instant) = (try await desk.store.copyEnd(of: scope), Int64.max, now)
        for endpoint in endpoints {
            instant = now.adding(Milliseconds(-Self.copiesKept.count))
            end = min(end, endpoint.standing.places[scope.environment] ?? .start)
            let parked = try await desk.store.parkedEvents(of: endpoint.name, after: 0, limit: Self.mostWaiting)
            let waiting =
                endpoint.standing.held.filter { $0.subject.environment == scope.environment }.map(\.next)
                + parked.map(\.parked.event).filter { $0.subject.environment == scope.environment }.map(\.sequence)
            // The first ones have the smallest numbers, as far as they were parked in their order.
            number = min(number, waiting.min() ?? .max)
        }
        var last: LogPlace?
        while let first = try await desk.store.copies(of: scope, after: .start, limit: 1).events.first,
            first.place <= end, first.sequence < number, first.toldAt < instant, first.place != last
        {
            last = first.place
            let bound = CopyBound(place: end, number: number, instant: instant)
            try await desk.store.write { try $0.forgetCopies(in: scope, upTo: bound, limit: Self.batch) }
        }
    }
}
