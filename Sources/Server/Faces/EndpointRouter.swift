package import APIContract
import Backend
import HTTPTypes
import Hummingbird
import Ledger
import Metrics
import Primitives

/// Registers endpoints by their contract: reads the path, asks who calls, reads query and body within their limits, and encodes
/// the answer. So no handler repeats any of it, and none can forget it.
package struct EndpointRouter {
    /// What all endpoints share.
    struct Shared: Sendable {
        let doorkeeper: Doorkeeper
        let bodies: BodyBudget
        /// The longest body where neither the endpoint nor its body says otherwise, in bytes.
        let maximumBodyBytes: Int
        /// The server's clock, read once per request.
        let now: @Sendable () -> Timestamp
        let turns = Turns<Subject>()
        let replaying: Replaying
        let metrics: any MetricsFactory
    }

    private let shared: Shared
    private(set) var table = EndpointTable()
    /// What was added, in that order.
    package private(set) var endpoints: [EndpointDescription] = []

    init(_ shared: Shared) { self.shared = shared }

    /// Adds an endpoint.
    ///
    /// - Parameters:
    ///   - longest: how long the body may be, in bytes; nil: what its type says, else what the server is configured to read.
    ///   - handler: decode → one call to `Backend` → encode.
    package mutating func on<Path, Query, Body, Answer>(
        _ endpoint: Endpoint<Path, Query, Body, Answer>,
        longest: @escaping @Sendable (Path) throws -> Int? = { _ in Body.longest },
        _ handler: @escaping @Sendable (Call<Path, Query, Body>) async throws -> Answer
    ) {
        add(endpoint, longest: longest, handler) { Response.answer($0, known: $1.headers[.ifNoneMatch]) }
    }

    /// Adds an endpoint whose answer is too long to be made at once.
    ///
    /// - Parameter handler: makes the first part, so that whatever is refused is refused as everywhere.
    package mutating func stream<Path, Query, Answer>(
        _ endpoint: Endpoint<Path, Query, NoBody, Answer>,
        _ handler: @escaping @Sendable (Call<Path, Query, NoBody>) async throws -> AnswerPart<Answer>
    ) {
        add(endpoint, longest: { _ in nil }, handler) { part, _ in Response.parts(part) }
    }

    private mutating func add<Path, Query, Body, Answer, Made: Sendable>(
        _ endpoint: Endpoint<Path, Query, Body, Answer>, longest: @escaping @Sendable (Path) throws -> Int?,
        _ handler: @escaping @Sendable (Call<Path, Query, Body>) async throws -> Made,
        responding: @escaping @Sendable (Made, Request) -> Response
    ) {
        let shared = shared
        let method = HTTPRequest.Method(endpoint.method)
        let times = RouteTimes(method.rawValue, endpoint.template.text, shared.metrics)
        table.add(method, endpoint.template.text, times: times) { request, context, segments in
            let now = shared.now()
            let path = try Path { parameter throws(ParameterError) in try segments.value(of: parameter.name) }
            let subject = try Subject(of: path, endpoint.callers)
            let admission = try await shared.doorkeeper.admit(
                Doorkeeper.Asked(endpoint.callers, subject), request, from: context.remoteAddress, at: now)
            let query = try request.query(Query.self)
            let key = endpoint.isKeyed ? try request.idempotencyKey() : nil
            let outcome = try await shared.reading(
                request, upTo: try longest(path), alone: endpoint.isOneAtATime ? subject : nil
            ) { (body: Body, bytes) -> Replaying.Outcome<Made> in
                var call = Call(
                    path: path, query: query, body: body, caller: admission?.caller, now: now,
                    contentType: request.headers[.contentType], isForwarded: request.isForwarded)
                if let key, let caller = admission?.caller { call.keyed = request.keyed(key, bytes, by: caller, subject) }
                // What is kept because of the request names the key.
                return try await ActingKey.$name.withValue(admission?.keyName) { [call] in
                    guard let keyed = call.keyed else { return Replaying.Outcome.given(try await handler(call)) }
                    return try await shared.replaying.answer(keyed, id: context.requestId) { try await handler(call) }
                }
            }
            var response =
                switch outcome {
                case .given(let answer): responding(answer, request)
                case .before(let given): Response.again(given, Answer.self)
                }
            if let budget = admission?.budget { response.headers.add(budget) }
            return response
        }
        endpoints.append(endpoint.description)
    }
}

extension EndpointRouter.Shared {
    init(_ dependencies: ServerDependencies, _ configuration: ServerConfiguration) {
        doorkeeper = Doorkeeper(
            dependencies.credentials, budgets: RequestBudgets(clock: dependencies.steadyClock),
            wrongKeysPerMinute: configuration.wrongKeysPerMinute, keys: dependencies.backend.keys,
            deviceDigest: { [backend = dependencies.backend] in try await backend.deviceDigest(of: $0, app: $1) })
        bodies = BodyBudget(bytes: configuration.maximumHeldBodyBytes)
        maximumBodyBytes = configuration.maximumBodyBytes
        replaying = Replaying(dependencies.backend)
        now = dependencies.backend.now
        metrics = dependencies.metrics
    }

    /// Runs `use` with the body and its bytes, which count against the budget of all bodies until it is answered.
    ///
    /// - Parameter alone: who may have one body read at a time; nil where any number may be.
    fileprivate func reading<Body: RequestContent, Answer>(
        _ request: Request, upTo longest: Int?, alone: Subject?, _ use: (Body, [UInt8]) async throws -> Answer
    ) async throws -> Answer {
        if let nothing = NoBody() as? Body { return try await use(nothing, []) }
        if case .json = Body.content { try request.checkIsJSON() }
        func read() async throws -> Answer {
            try await bodies.reading(request, upTo: longest ?? maximumBodyBytes) { try await use(try Body(json: $0), $0) }
        }
        guard let alone else { return try await read() }
        return try await turns.alone(alone, read)
    }
}

/// The app and the customer that a path names.
struct Subject: Sendable, Hashable {
    /// nil where the path names none.
    let app: AppID?
    /// nil where the path names none.
    let customer: CustomerID?

    /// - Throws: `BackendError.invalidIdentifier` where no customer can have the id.
    init<Path>(of path: Path, _ callers: Callers<Path>) throws {
        app = callers.app.map { AppID($0(path)) }
        customer = try callers.customer.map { try Backend.checked(CustomerID($0(path))) }
    }
}

extension HTTPRequest.Method {
    fileprivate init(_ method: APIContract.Method) {
        self =
            switch method {
            case .get: .get
            case .post: .post
            case .put: .put
            case .patch: .patch
            case .delete: .delete
            }
    }
}
