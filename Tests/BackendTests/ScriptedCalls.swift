import AppStoreWire
import Backend
import Ledger
import Primitives
import Synchronization

/// Apple, as a script for each endpoint: a call takes the next reply of its own, and what was sent is kept.
final class ScriptedCalls: AppleServer {
    enum Reply: Sendable {
        /// With the status that Apple documents for success.
        case json(String)
        case failure(AppleFailure)
    }

    struct Sent: Sendable, Hashable {
        let endpoint: String
        let path: String
        /// Of the query, such as `r1`; nil where there is none.
        let revision: String?
        let body: String
    }

    private struct State {
        var replies: [String: [Reply]] = [:]
        var sent: [Sent] = []
    }

    private let state = Mutex(State())

    var sent: [Sent] { state.withLock { $0.sent } }

    func reply(to endpoint: ServerAPIEndpoint, _ replies: Reply...) {
        state.withLock { $0.replies[endpoint.name, default: []] += replies }
    }

    func answer<Response>(
        to call: ServerAPICall<Response>, for app: AppID, in environment: Primitives.Environment
    ) async -> Result<ServerAPIAnswer<Response>, AppleFailure> {
        let reply = state.withLock { state -> Reply? in
            let name = call.endpoint.name
            let revision = call.queryItems.first { $0.name == "revision" }?.value
            let body = String(decoding: call.body ?? [], as: UTF8.self)
            state.sent.append(Sent(endpoint: name, path: call.path, revision: revision, body: body))
            guard let next = state.replies[name]?.first else { return nil }
            state.replies[name]?.removeFirst()
            return next
        }
        switch reply {
        case nil: return .failure(AppleFailure(.host, code: "script.ended"))
        case .failure(let failure): return .failure(failure)
        case .json(let text):
            let answer = ServerAPIReply(status: call.endpoint.expectedStatus, body: Array(text.utf8))
            return call.answer(to: answer, at: PretendAppStore.june).mapError { AppleFailure(.app, code: "script: \($0)") }
        }
    }
}

/// What a scripted Apple does not say otherwise: it judges no receipts, is never closed, and its clock is not known.
extension AppleServer {
    func outcome(
        of receipt: VerifyReceiptRequest, from host: VerifyReceiptHost, for app: AppID
    ) async -> Result<VerifyReceiptOutcome, AppleFailure> {
        .failure(AppleFailure(.host, code: "script.noReceipts"))
    }

    func closedUntil(for app: AppID, at host: VerifyReceiptHost) -> Timestamp? { nil }

    func clockLead(for app: AppID, in environment: Primitives.Environment) -> Milliseconds? { nil }

    func closedUntil(for app: AppID, in environment: Primitives.Environment) -> Timestamp? { nil }
}
