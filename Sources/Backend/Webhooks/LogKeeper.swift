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
        guard endpoint.standing.resends.isEmpty, let waiting = try await waiting(for: endpoint, of: environment) else {
            return .everything
        }
        let feed = EndpointFeed(desk.store, of: endpoint)
        let place = endpoint.standing.places[environment] ?? .start
        var oldest = try await feed.page(of: environment, after: place, limit: 1).events.first?.toldAt
        for (subject, sequence) in waiting {
            guard let event = try await feed.events(of: subject, from: sequence, limit: 1).first else { continue }
            oldest = min(oldest ?? event.toldAt, event.toldAt)
        }
        return oldest.map { .from($0) } ?? .nothing
    }

    /// What stands before an endpoint's place and may still be sent: held or parked; nil: too much to look at.
    private func waiting(
        for endpoint: StoredEndpoint, of environment: Environment
    ) async throws -> [(subject: SubjectName, sequence: Int64)]? {
        let held = endpoint.standing.held.filter { $0.subject.environment == environment }
        let parked = try await desk.store.parkedEvents(of: endpoint.name, after: 0, limit: Self.mostWaiting)
        guard held.count < Self.mostWaiting, parked.count < Self.mostWaiting else { return nil }
        return held.map { ($0.subject, $0.next) }
            + parked.map(\.parked.event).filter { $0.subject.environment == environment }.map { ($0.subject, $0.sequence) }
    }

    // MARK: Copies

    private func forgetCopies(of scope: Scope, _ endpoints: [StoredEndpoint]) async throws {
        let now = desk.logClock.now()
        // What nobody is to have any more goes at once.
        var (end, number, instant) = (try await desk.store.copyEnd(of: scope), Int64.max, now)
        for endpoint in endpoints {
            instant = now.adding(Milliseconds(-Self.copiesKept.count))
            end = min(end, endpoint.standing.places[scope.environment] ?? .start)
            guard let waiting = try await waiting(for: endpoint, of: scope.environment) else { return }
            number = min(number, waiting.map(\.sequence).min() ?? .max)
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
