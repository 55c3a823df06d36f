import APIContract
import Backend
import Ledger
import Primitives
import Server

/// What is asked of subscriptions.
extension NativeFace {
    func addSubscriptions(to router: inout EndpointRouter) {
        router.on(NativeAPI.readSubscription, readSubscription)
        router.on(NativeAPI.listFacts, listFacts)
        router.on(NativeAPI.listWaitingClaims, listWaitingClaims)
        router.on(NativeAPI.listRefunds, listRefunds)
        router.on(NativeAPI.listProposals, listProposals)
        router.on(NativeAPI.listReservations, listReservations)
        router.on(NativeAPI.searchNames, searchNames)
    }

    private func readSubscription(_ call: Call<SubscriptionPath, InstantQuery, NoBody>) async throws -> SubscriptionBody {
        let key = call.key(of: call.path.originalTransactionId, in: call.query.environment)
        return SubscriptionBody(try await backend.subscription(key, at: call.query.at ?? call.now))
    }

    private func searchNames(_ call: OfApp<SearchQuery, NoBody>) async throws -> SearchBody {
        SearchBody(
            results: try await backend.search(call.query.text, app: call.app).map { hit in
                var result = SearchBody.Hit(
                    kind: hit.kind.rawValue, id: hit.id, environment: hit.environment, foundBy: hit.foundBy.rawValue)
                (result.purchaseDate, result.end) = (hit.period?.purchaseDate, hit.period?.end)
                return result
            })
    }

    private func listFacts(_ call: Call<SubscriptionPath, EnvironmentQuery, NoBody>) async throws -> FactsBody {
        let key = call.key(of: call.path.originalTransactionId, in: call.query.environment)
        return FactsBody(try await backend.facts(of: key))
    }

    private func listWaitingClaims(_ call: OfApp<PageQuery, NoBody>) async throws -> PageBody<WaitingClaimItem> {
        let list = Listing(NativeAPI.listWaitingClaims, call)
        let page = try await backend.waitingClaims(
            app: call.app, environment: call.query.environment, after: try list.after.map { OriginalTransactionID($0) },
            limit: call.query.limit)
        return PageBody<WaitingClaimItem>(
            items: page.claims.map { WaitingClaimItem($0) }, next: list.next(after: page.last?.rawValue))
    }

    private func listProposals(_ call: OfApp<PageQuery, NoBody>) async throws -> PageBody<OwnerProposalItem> {
        let list = Listing(NativeAPI.listProposals, call)
        let page = try await backend.proposals(
            app: call.app, environment: call.query.environment, after: try list.after.map { OriginalTransactionID($0) },
            limit: call.query.limit)
        return PageBody<OwnerProposalItem>(
            items: page.proposals.map { OwnerProposalItem($0.proposal) }, next: list.next(after: page.last?.rawValue))
    }

    private func listReservations(_ call: OfApp<PageQuery, NoBody>) async throws -> PageBody<PendingReservationItem> {
        let list = Listing(NativeAPI.listReservations, call)
        let page = try await backend.waitingReservations(
            app: call.app, environment: call.query.environment, after: try list.after.map { try .init(cursor: $0) },
            limit: call.query.limit)
        return PageBody<PendingReservationItem>(
            items: page.reservations.map { waiting in
                PendingReservationItem(
                    id: waiting.reservation.id.rawValue, transactionId: waiting.transactionId.rawValue,
                    customer: waiting.reservation.customer.rawValue, reservedAt: waiting.reservation.reservedAt)
            }, next: list.next(after: page.last?.cursor))
    }
}

/// A page of a list of one environment, and the address of the next one.
struct Listing<Answer: AnswerContent> {
    private let endpoint: Endpoint<AppPath, PageQuery, NoBody, Answer>
    private let path: AppPath
    private let query: PageQuery

    init(_ endpoint: Endpoint<AppPath, PageQuery, NoBody, Answer>, _ call: Call<AppPath, PageQuery, NoBody>) {
        (self.endpoint, path, query) = (endpoint, call.path, call.query)
    }

    /// The operation and its filter: a cursor holds for them alone.
    private var name: String { "\(endpoint.operationId)/\(path.app)/\(query.environment.rawValue)" }

    /// The key of the last item of the page before; nil for the first page.
    var after: String? {
        get throws(CursorInvalid) {
            guard let cursor = query.after else { return nil }
            return try PageCursor.decode(cursor, of: name)
        }
    }

    /// - Parameter key: of the last item of this page; nil where there are no more.
    func next(after key: String?) -> String? {
        key.map { key in
            var following = query
            following.after = PageCursor.encode(key, of: name)
            return endpoint.path(path, following)
        }
    }
}

extension Backend.WaitingReservationPage.Place {
    fileprivate var cursor: String { TextPair(transactionId.rawValue, id.rawValue).text }

    /// - Throws: `CursorInvalid` for anything that ``cursor`` is not.
    fileprivate init(cursor: String) throws(CursorInvalid) {
        let pair = try TextPair(text: cursor[...])
        self.init(TransactionID(pair.first), .init(pair.second))
    }
}

extension Call where Path: AppPathParameters {
    /// A subscription of the app.
    func key(of originalTransactionId: String, in environment: Environment) -> SubscriptionKey {
        SubscriptionKey(
            app: app, environment: environment, originalTransactionId: OriginalTransactionID(originalTransactionId))
    }
}
