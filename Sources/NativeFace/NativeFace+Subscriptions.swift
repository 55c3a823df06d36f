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
        router.on(NativeAPI.searchNames, searchNames)
    }

    private func readSubscription(_ call: Call<SubscriptionPath, InstantQuery, NoBody>) async throws -> SubscriptionBody {
        let key = call.key(of: call.path.originalTransactionId, in: call.query.environment)
        return SubscriptionBody(try await backend.subscription(key), at: call.query.at ?? call.now)
    }

    private func searchNames(_ call: OfApp<SearchQuery, NoBody>) async throws -> SearchBody {
        SearchBody(
            results: try await backend.search(call.query.text, app: call.app).map {
                .init(kind: $0.kind.rawValue, id: $0.id, environment: $0.environment, foundBy: $0.foundBy.rawValue)
            })
    }

    private func listFacts(_ call: Call<SubscriptionPath, EnvironmentQuery, NoBody>) async throws -> FactsBody {
        let key = call.key(of: call.path.originalTransactionId, in: call.query.environment)
        return FactsBody(try await backend.facts(of: key))
    }

    private func listWaitingClaims(_ call: OfApp<PageQuery, NoBody>) async throws -> WaitingClaimsBody {
        let query = call.query
        let list = "\(NativeAPI.listWaitingClaims.operationId)/\(call.path.app)/\(query.environment.rawValue)"
        let after = try query.after.map { OriginalTransactionID(try PageCursor.decode($0, of: list)) }
        let page = try await backend.waitingClaims(
            app: call.app, environment: query.environment, after: after, limit: query.limit)
        let next = page.last.map { last in
            var following = query
            following.after = PageCursor.encode(last.rawValue, of: list)
            return NativeAPI.listWaitingClaims.path(call.path, following)
        }
        return WaitingClaimsBody(items: page.claims.map { WaitingClaimsBody.Item($0) }, next: next)
    }
}

extension Call where Path: AppPathParameters {
    /// A subscription of the app.
    func key(of originalTransactionId: String, in environment: Environment) -> SubscriptionKey {
        SubscriptionKey(
            app: app, environment: environment, originalTransactionId: OriginalTransactionID(originalTransactionId))
    }
}
