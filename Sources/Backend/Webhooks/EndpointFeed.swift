import Ledger
import Primitives
import Storage

/// From where an endpoint's parcels come: the log of what was told, or what Apple posted (TELL-5). Both are read alike.
struct EndpointFeed: Sendable {
    private let store: any Store
    private let app: AppID
    private let isRaw: Bool

    init(_ store: any Store, of app: AppID, _ format: WebhookEndpoint.Format) {
        (self.store, self.app) = (store, app)
        isRaw = format == .raw
    }

    init(_ store: any Store, of endpoint: StoredEndpoint) { self.init(store, of: endpoint.name.app, endpoint.content.format) }

    func page(of environment: Environment, after place: LogPlace, limit: Int) async throws -> LogPage {
        let scope = Scope(app: app, environment: environment)
        return isRaw
            ? try await store.copies(of: scope, after: place, limit: limit)
            : try await store.log(of: scope, after: place, limit: limit)
    }

    func events(of subject: SubjectName, from sequence: Int64, limit: Int) async throws -> [LoggedEvent] {
        guard isRaw else { return try await store.events(of: subject.subject(in: app), from: sequence, limit: limit) }
        let key = SubscriptionKey(Scope(app: app, environment: subject.environment), OriginalTransactionID(subject.id))
        return try await store.copies(about: key, from: sequence, limit: limit)
    }

    func end(of environment: Environment) async throws -> LogPlace {
        let scope = Scope(app: app, environment: environment)
        return isRaw ? try await store.copyEnd(of: scope) : try await store.logEnd(of: scope)
    }
}
