import APIContract
import Backend
import Ledger
import Primitives
import Server

/// What is asked of what was told.
extension NativeFace {
    func addEvents(to router: inout EndpointRouter) {
        router.on(NativeAPI.listEvents, listEvents)
        router.on(NativeAPI.listSubscriptionEvents, listSubscriptionEvents)
        router.on(NativeAPI.listCustomerEvents, listCustomerEvents)
    }

    private func listEvents(_ call: OfApp<EventsQuery, NoBody>) async throws -> EventsBody {
        let query = call.query
        let list = "\(NativeAPI.listEvents.operationId)/\(call.path.app)/\(query.page.environment.rawValue)"
        let place = try query.page.after.map { cursor throws(CursorInvalid) in
            guard let place = Backend.EventPlace(try PageCursor.decode(cursor, of: list)) else { throw CursorInvalid() }
            return place
        }
        let begin = place.map { .after($0) } ?? query.since.map { .since($0) } ?? Backend.EventBeginning.first
        let page = try await backend.events(
            app: call.app, environment: query.page.environment, from: begin, types: EventTypes(query.types),
            limit: query.page.limit)
        var following = query
        (following.page.after, following.since) = (PageCursor.encode(page.end.text, of: list), nil)
        return EventsBody(page, next: NativeAPI.listEvents.path(call.path, following))
    }

    private func listSubscriptionEvents(_ call: Call<SubscriptionPath, PageQuery, NoBody>) async throws -> EventsBody {
        let endpoint = NativeAPI.listSubscriptionEvents
        let key = call.key(of: call.path.originalTransactionId, in: call.query.environment)
        let list = "\(endpoint.operationId)/\(call.path.app)/\(key.environment.rawValue)/\(key.originalTransactionId)"
        let page = try await backend.events(of: key, after: try sequence(call.query, of: list), limit: call.query.limit)
        return EventsBody(page, next: endpoint.path(call.path, following(call.query, page, of: list)))
    }

    private func listCustomerEvents(_ call: OfCustomer<PageQuery, NoBody>) async throws -> EventsBody {
        let (endpoint, environment) = (NativeAPI.listCustomerEvents, call.query.environment)
        let list = "\(endpoint.operationId)/\(call.path.app)/\(environment.rawValue)/\(call.customer)"
        let page = try await backend.events(
            of: call.customer, app: call.app, environment: environment, after: try sequence(call.query, of: list),
            limit: call.query.limit)
        return EventsBody(page, next: endpoint.path(call.path, following(call.query, page, of: list)))
    }

    /// The number of the last event of the page before; 0 for the first page.
    private func sequence(_ query: PageQuery, of list: String) throws(CursorInvalid) -> Int64 {
        guard let cursor = query.after else { return 0 }
        guard let sequence = Int64(try PageCursor.decode(cursor, of: list)), sequence >= 0 else { throw CursorInvalid() }
        return sequence
    }

    private func following(_ query: PageQuery, _ page: Backend.EventPage<Int64>, of list: String) -> PageQuery {
        var following = query
        following.after = PageCursor.encode("\(page.end)", of: list)
        return following
    }
}

extension EventsBody {
    fileprivate init<Place>(_ page: Backend.EventPage<Place>, next: String) {
        self.init(
            items: page.events.map(EventItem.init), next: next, hasMore: page.hasMore)
    }
}

extension EventItem {
    init(_ event: Backend.ToldEvent) {
        self.init(id: event.id, type: event.type, timestamp: "\(event.timestamp)", data: event.data)
    }
}
