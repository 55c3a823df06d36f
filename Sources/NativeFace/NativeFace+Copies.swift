import APIContract
import Backend
import Ledger
import Primitives
import Server

/// What is asked by those who keep a copy of their own (docs/operations/synchronising.md).
extension NativeFace {
    func addCopies(to router: inout EndpointRouter) {
        router.on(NativeAPI.listChangedSubscriptions, listChangedSubscriptions)
        router.on(NativeAPI.listChangedCustomers, listChangedCustomers)
        router.stream(NativeAPI.exportSubscriptions) { try await noted(NativeAPI.exportSubscriptions, $0, exportSubscriptions) }
        router.stream(NativeAPI.exportCustomers) { try await noted(NativeAPI.exportCustomers, $0, exportCustomers) }
        router.stream(NativeAPI.exportPeriods) { try await noted(NativeAPI.exportPeriods, $0, exportPeriods) }
        router.stream(NativeAPI.exportEvents) { try await noted(NativeAPI.exportEvents, $0, exportEvents) }
    }

    private typealias Listing<Item: ChangedItem> = Endpoint<AppPath, PageQuery, NoBody, ChangesBody<Item>>
    private typealias Export<Item: JSONItem> = Endpoint<AppPath, ExportQuery, NoBody, ExportBody<Item>>

    private func listChangedSubscriptions(
        _ call: OfApp<PageQuery, NoBody>
    ) async throws -> ChangesBody<ListedSubscriptionItem> {
        let list = Cursors(NativeAPI.listChangedSubscriptions, call.path, call.query.environment, ofCustomers: false)
        let page = try await backend.changedSubscriptions(
            app: call.app, environment: call.query.environment, after: try list.position(call.query.after),
            limit: call.query.limit)
        return ChangesBody(
            items: page.items.map(ListedSubscriptionItem.init), next: list.next(after: page.end, limit: call.query.limit),
            hasMore: page.hasMore)
    }

    private func listChangedCustomers(_ call: OfApp<PageQuery, NoBody>) async throws -> ChangesBody<ListedCustomerItem> {
        let list = Cursors(NativeAPI.listChangedCustomers, call.path, call.query.environment, ofCustomers: true)
        let page = try await backend.changedCustomers(
            app: call.app, environment: call.query.environment, after: try list.position(call.query.after),
            limit: call.query.limit)
        return ChangesBody(
            items: page.items.map(ListedCustomerItem.init), next: list.next(after: page.end, limit: call.query.limit),
            hasMore: page.hasMore)
    }

    // MARK: Exports

    /// The export, of which nothing is sent before it is noted who asked for it; what is refused is not noted.
    private func noted<Item: JSONItem>(
        _ endpoint: Export<Item>, _ call: OfApp<ExportQuery, NoBody>,
        _ export: (OfApp<ExportQuery, NoBody>) async throws -> AnswerPart<ExportBody<Item>>
    ) async throws -> AnswerPart<ExportBody<Item>> {
        let (backend, first) = (backend, try await export(call))
        let begun = try await backend.beginExport(
            endpoint.operationId, app: call.app, environment: call.query.environment, goesOn: call.query.after != nil)
        return first.telling { try await backend.end(begun, lines: $0.items, isWhole: $0.isWhole) }
    }

    /// How many items one page of an export has; so much of it is held at once.
    private static var pageOfExport: Int { 250 }

    private func exportSubscriptions(
        _ call: OfApp<ExportQuery, NoBody>
    ) async throws -> AnswerPart<ExportBody<ListedSubscriptionItem>> {
        let (app, environment, backend) = (call.app, call.query.environment, backend)
        let list = Cursors(NativeAPI.listChangedSubscriptions, call.path, environment, ofCustomers: false)
        let own = Cursors(NativeAPI.exportSubscriptions, call.path, environment, ofCustomers: false)
        return try await export(from: call.query.after, own, goingOnIn: list, ListedSubscriptionItem.init) { position, limit in
            try await backend.changedSubscriptions(app: app, environment: environment, after: position, limit: limit)
        }
    }

    private func exportCustomers(
        _ call: OfApp<ExportQuery, NoBody>
    ) async throws -> AnswerPart<ExportBody<ListedCustomerItem>> {
        let (app, environment, backend) = (call.app, call.query.environment, backend)
        let list = Cursors(NativeAPI.listChangedCustomers, call.path, environment, ofCustomers: true)
        let own = Cursors(NativeAPI.exportCustomers, call.path, environment, ofCustomers: true)
        return try await export(from: call.query.after, own, goingOnIn: list, ListedCustomerItem.init) { position, limit in
            try await backend.changedCustomers(app: app, environment: environment, after: position, limit: limit)
        }
    }

    /// The export of what has a list of its own, in which it goes on.
    private func export<Thing: Sendable, Item: JSONItem>(
        from cursor: String?, _ own: Cursors<ExportQuery, ExportBody<Item>>,
        goingOnIn list: Cursors<PageQuery, ChangesBody<Item>>,
        _ item: @escaping @Sendable (Thing) -> Item,
        _ read: @escaping @Sendable (Backend.ChangePosition, Int) async throws -> Backend.Changes<Thing>
    ) async throws -> AnswerPart<ExportBody<Item>> {
        try await Pages(begin: try own.position(cursor), limit: Self.pageOfExport) { position, limit in
            let page = try await read(position, limit)
            return .init(
                items: page.items.map(item), subjects: page.items.count, end: page.end,
                mark: ExportMark(
                    after: own.cursor(page.end),
                    next: page.hasMore ? nil : list.next(after: page.end, limit: PageQuery.usual)))
        }.part()
    }

    /// What changes later is read by going on with the same export.
    private func exportPeriods(
        _ call: OfApp<ExportQuery, NoBody>
    ) async throws -> AnswerPart<ExportBody<ExportedPeriodItem>> {
        let (app, environment, backend) = (call.app, call.query.environment, backend)
        let own = Cursors(NativeAPI.exportPeriods, call.path, environment, ofCustomers: false)
        return try await Pages(begin: try own.position(call.query.after), limit: Self.pageOfExport) { position, limit in
            let page = try await backend.changedPeriods(
                app: app, environment: environment, after: position, limit: limit)
            return .init(
                items: page.items.flatMap { ExportedPeriodItem.all(of: $0, in: environment) }, subjects: page.items.count,
                end: page.end,
                mark: ExportMark(
                    after: own.cursor(page.end), next: page.hasMore ? nil : own.next(after: page.end)))
        }.part()
    }

    private func exportEvents(_ call: OfApp<ExportQuery, NoBody>) async throws -> AnswerPart<ExportBody<EventItem>> {
        let (path, environment, backend) = (call.path, call.query.environment, backend)
        let place = "\(path.app)/\(environment.rawValue)"
        let own = "\(NativeAPI.exportEvents.operationId)/\(place)"
        let log = "\(NativeAPI.listEvents.operationId)/\(place)"
        let begin = try call.query.after.map { cursor throws(CursorInvalid) in
            guard let place = Backend.EventPlace(try PageCursor.decode(cursor, of: own)) else { throw CursorInvalid() }
            return place
        }
        return try await Pages(begin: begin, limit: Self.pageOfExport) { [app = call.app] place, limit in
            let page = try await backend.events(
                app: app, environment: environment, from: place.map { .after($0) } ?? .first, types: EventTypes([]),
                limit: limit)
            let query = EventsQuery(PageQuery(environment: environment, after: PageCursor.encode(page.end.text, of: log)))
            return .init(
                items: page.events.map(EventItem.init), subjects: page.events.count, end: page.end,
                mark: ExportMark(
                    after: PageCursor.encode(page.end.text, of: own),
                    next: page.hasMore ? nil : NativeAPI.listEvents.path(path, query)))
        }.part()
    }
}

/// The cursors of one list, for one app and environment.
private struct Cursors<Query: QueryParameters, Answer: AnswerContent>: Sendable {
    private let endpoint: Endpoint<AppPath, Query, NoBody, Answer>
    private let path: AppPath
    private let environment: Environment
    private let ofCustomers: Bool
    private let list: String

    init(_ endpoint: Endpoint<AppPath, Query, NoBody, Answer>, _ path: AppPath, _ environment: Environment, ofCustomers: Bool) {
        (self.endpoint, self.path, self.environment, self.ofCustomers) = (endpoint, path, environment, ofCustomers)
        list = "\(endpoint.operationId)/\(path.app)/\(environment.rawValue)"
    }

    /// - Throws: `CursorInvalid` for what is no cursor of this list.
    func position(_ cursor: String?) throws(CursorInvalid) -> Backend.ChangePosition {
        guard let cursor else { return .start }
        let text = try PageCursor.decode(cursor, of: list)
        guard let position = Backend.ChangePosition(text, ofCustomers: ofCustomers) else { throw CursorInvalid() }
        return position
    }

    func cursor(_ position: Backend.ChangePosition) -> String { PageCursor.encode(position.text, of: list) }

    /// The address of what follows.
    func next(after position: Backend.ChangePosition, limit: Int) -> String where Query == PageQuery {
        endpoint.path(path, PageQuery(environment: environment, limit: limit, after: cursor(position)))
    }

    /// The same of an export.
    func next(after position: Backend.ChangePosition) -> String where Query == ExportQuery {
        endpoint.path(path, ExportQuery(environment: environment, after: cursor(position)))
    }
}

/// An export page by page: each is read when the one before is being sent.
private struct Pages<Item: JSONItem, Place: Sendable>: Sendable {
    struct Page: Sendable {
        let items: [Item]
        /// How many things were read, of which some may have many items.
        let subjects: Int
        let end: Place
        let mark: ExportMark
    }

    let begin: Place
    let limit: Int
    let read: @Sendable (Place, Int) async throws -> Page

    init(begin: Place, limit: Int, _ read: @escaping @Sendable (Place, Int) async throws -> Page) {
        (self.begin, self.limit, self.read) = (begin, limit, read)
    }

    func part() async throws -> AnswerPart<ExportBody<Item>> { try await part(after: begin, limit: limit) }

    private func part(after place: Place, limit: Int) async throws -> AnswerPart<ExportBody<Item>> {
        let page = try await read(place, limit)
        let body = ExportBody(items: page.items, mark: page.mark)
        guard page.mark.next == nil else { return AnswerPart(body, items: page.items.count, next: nil) }
        // As many as have about so many items, if they are like those of this page.
        let following = max(1, min(self.limit, self.limit * page.subjects / max(1, page.items.count)))
        return AnswerPart(body, items: page.items.count) { try await part(after: page.end, limit: following) }
    }
}
