import AppStoreWire
import Backend
import Ledger
import Primitives
import StrictJSON
import Synchronization

/// Apple's notification history, of one app's Production: what was signed, by its instant, the oldest first, twenty a page.
final class ScriptedHistory: AppleServer {
    struct Told: Sendable {
        let signedDate: Timestamp
        let signedPayload: String
        /// Whether the server answered it with 2xx.
        var wasDelivered = false
    }

    /// One page that was asked for.
    struct Asked: Sendable, Hashable {
        let from: Timestamp
        let until: Timestamp
        let onlyFailures: Bool
        /// The number of its first notification among those in the window; 0 without a token.
        let first: Int
    }

    /// What goes wrong, and how often.
    struct Faults: Sendable {
        /// So many calls with a token are told that it expired.
        var expiredTokens = 0
        /// Each page says that there is another one, and names the token that it was asked for with.
        var doesNotEnd = false
        /// So many pages are larger than what is read of an answer.
        var largePages = 0
        /// Calls from this one on fail as the network does.
        var failsAfter: Int?
    }

    private struct State {
        var told: [Told] = []
        var asked: [Asked] = []
        var faults = Faults()
    }

    private let state = Mutex(State())

    var asked: [Asked] { state.withLock { $0.asked } }

    func tell(_ told: [Told]) { state.withLock { $0.told = ($0.told + told).sorted { $0.signedDate < $1.signedDate } } }

    func set(_ faults: Faults) { state.withLock { $0.faults = faults } }

    func answer<Response>(
        to call: ServerAPICall<Response>, for app: AppID, in environment: Primitives.Environment
    ) async -> Result<ServerAPIAnswer<Response>, AppleFailure> {
        // In Sandbox nothing was ever told, and nothing is counted.
        guard environment == .production else { return Self.answer(to: call, with: Self.none) }
        do {
            let request = try StrictJSONDecoder().decode(NotificationHistoryRequest.self, from: call.body ?? [])
            let token = call.queryItems.first { $0.name == "paginationToken" }?.value
            return try state.withLock { state in
                if let after = state.faults.failsAfter, state.asked.count >= after {
                    return .failure(AppleFailure(.host, code: "network.script"))
                }
                if state.faults.largePages > 0 {
                    state.faults.largePages -= 1
                    return .failure(AppleFailure(.app, code: "tooLarge"))
                }
                if token != nil, state.faults.expiredTokens > 0 {
                    state.faults.expiredTokens -= 1
                    return .failure(AppleFailure(.request, code: "apple.4000017"))
                }
                return Self.answer(to: call, with: try page(request, token, &state))
            }
        } catch {
            return .failure(AppleFailure(.app, code: "script: \(error)"))
        }
    }

    private static let none = NotificationHistoryResponse(hasMore: false, notificationHistory: [])

    private func page(
        _ request: NotificationHistoryRequest, _ token: String?, _ state: inout State
    ) throws -> NotificationHistoryResponse {
        let onlyFailures = request.onlyFailures ?? false
        let found = state.told.filter { told in
            told.signedDate >= request.startDate && told.signedDate < request.endDate && !(onlyFailures && told.wasDelivered)
        }
        let first = token.flatMap { Int($0) } ?? 0
        state.asked.append(
            Asked(from: request.startDate, until: request.endDate, onlyFailures: onlyFailures, first: first))
        let items = found.dropFirst(first).prefix(20).map { NotificationHistoryResponseItem(signedPayload: $0.signedPayload) }
        if state.faults.doesNotEnd {
            return NotificationHistoryResponse(paginationToken: "\(first)", hasMore: true, notificationHistory: Array(items))
        }
        let next = first + items.count
        return NotificationHistoryResponse(
            paginationToken: next < found.count ? "\(next)" : nil, hasMore: next < found.count, notificationHistory: Array(items))
    }

    private static func answer<Response>(
        to call: ServerAPICall<Response>, with page: NotificationHistoryResponse
    ) -> Result<ServerAPIAnswer<Response>, AppleFailure> {
        do {
            let reply = ServerAPIReply(status: 200, body: try StrictJSONEncoder().encode(page))
            return call.answer(to: reply, at: PretendAppStore.june).mapError { AppleFailure(.app, code: "script: \($0)") }
        } catch {
            return .failure(AppleFailure(.app, code: "script: \(error)"))
        }
    }

    func clockLead(for app: AppID, in environment: Primitives.Environment) -> Milliseconds? { Milliseconds(7) }
}
