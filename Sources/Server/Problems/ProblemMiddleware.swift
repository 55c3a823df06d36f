import APIContract
import Backend
import HTTPTypes
package import Hummingbird
import Logging
import Primitives
import Synchronization

/// Turns every error into a problem, and logs what operators should know: our own failures always, refused input one line in a
/// while. Each problem has the id of its request in `Request-Id`, as its log line has.
struct ProblemMiddleware<Context: RequestContext>: RouterMiddleware {
    /// Of evidence that was refused.
    private let refusals = LogSampler(every: .seconds(10))
    /// For requests refused for lack of room: a client that sends a hundred receipts at once must not fill the disk
    /// too.
    private let overloads = LogSampler(every: .seconds(10))

    func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        await answer(request, context) { try await next($0, $1) }
    }

    /// What `next` answers, or the problem that it throws.
    func answer(
        _ request: Request, _ context: Context, _ next: (Request, Context) async throws -> Response
    ) async -> Response {
        do {
            try checkHost(of: request)
            return try await next(request, context)
        } catch let spent as RequestBudgets.Spent {
            // Asked for first: what an error is takes time to find out, and whoever asks too often must not take any.
            var response = Response.problem(ErrorMapping.problem(of: spent), of: context.requestId)
            response.headers.add(spent.standing)
            return request.method == .head ? response.createHeadResponse() : response
        } catch {
            let problem = ErrorMapping.problem(of: error)
            log(problem, error, context)
            var response = Response.problem(problem, of: context.requestId)
            if let error = error as? MethodNotAllowed {
                response.headers[.allow] = error.allowed.map(\.rawValue).joined(separator: ", ")
            }
            return request.method == .head ? response.createHeadResponse() : response
        }
    }

    /// Exactly one (RFC 9112, section 3.2): proxies and caches may take another one for the address than this server does. Not
    /// asked of who only wants to know whether it lives: such programs speak HTTP/1.0, which has none.
    private func checkHost(of request: Request) throws {
        guard request.hasOneHost || request.uri.path.hasPrefix("/health/") else { throw HostMissing() }
    }

    /// No receipts, tokens or ids (T47): a code, and for our own failures the error's own words.
    private func log(_ problem: Problem, _ error: any Error, _ context: Context) {
        switch error {
        case BackendError.refusedEvidence(let refusal):
            guard let skipped = refusals.admits() else { return }
            context.logger.warning(
                "refused evidence", metadata: ["reason": "\(refusal.code)", "part": "\(refusal.part)", "unlogged": "\(skipped)"])
        case BackendError.overloaded, is BodyBudget.Full:
            guard let skipped = overloads.admits() else { return }
            context.logger.warning("\(problem.code)", metadata: ["error": "\(error)", "unlogged": "\(skipped)"])
        default:
            guard problem.kind.isFailureOfOurs else { return }
            context.logger.error("\(problem.code)", metadata: ["error": "\(error)"])
        }
    }
}

extension Request {
    /// Whether it names its host exactly once.
    ///
    /// Source: RFC 9112, section 3.2.
    package var hasOneHost: Bool { head.authority != nil && headers[.secondHost] == nil }
}

extension RequestContext {
    /// The id that the framework gave the request; nil where it has none.
    var requestId: String? {
        switch logger[metadataKey: "hb.request.id"] {
        case .string(let text): text
        case .stringConvertible(let id): id.description
        case .array, .dictionary, nil: nil
        }
    }
}

extension HTTPField.Name {
    /// The first one is the request's authority, so that what stands under the name is another. The name is a valid field name,
    /// so it can always be made.
    fileprivate static let secondHost = HTTPField.Name("host") ?? .authorization
}

/// Lets one line through in a while, so that a flood of rubbish cannot fill a disk (T37, T49).
package final class LogSampler: Sendable {
    private struct State {
        var nextLine: ContinuousClock.Instant?
        var skipped = 0
    }

    private let interval: Duration
    private let state = Mutex(State())

    package init(every interval: Duration) { self.interval = interval }

    /// How many were skipped since the last line; nil where this one is skipped too.
    package func admits(at now: ContinuousClock.Instant = .now) -> Int? {
        state.withLock { state in
            if let next = state.nextLine, now < next {
                state.skipped += 1
                return nil
            }
            defer { state = State(nextLine: now + interval) }
            return state.skipped
        }
    }
}
