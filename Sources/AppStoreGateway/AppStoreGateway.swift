package import AppStoreWire
internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
package import Primitives
internal import Synchronization

/// Asks Apple: sends calls of the App Store Server API and requests of `/verifyReceipt`, and returns what came of them.
///
/// It has no rules and no store, never repeats a call by itself, and never throws: a caller that is cancelled gets
/// ``GatewayFailure/cancelled``. Where a transaction that Production does not know is asked for next, and what a failure means
/// for anyone's access, is the caller's to decide.
///
/// One gateway serves all apps of a server. It shares connections and breakers between them, because they are the host's; tokens
/// are each app's own.
///
/// Source: RECON-1 to RECON-6; reliability cases F15 to F18.
package final class AppStoreGateway: Sendable {
    private let exchange: HTTPExchange
    private let plainHTTPHosts: Set<String>
    private let now: @Sendable () -> Timestamp
    private let chance: @Sendable () -> Double
    private let observe: @Sendable (GatewayCall) -> Void
    private let tokens = Mutex(TokenCache())
    private let hosts = Mutex<[String: HostRecord]>([:])
    private let isShutDown = Mutex(false)

    private struct HostRecord {
        var breaker = CircuitBreaker()
        var appleDate: AppleDate?
    }

    /// A gateway; ``shutdown()`` must be called before it is released.
    ///
    /// - Parameters:
    ///   - configuration: how the hosts are reached.
    ///   - now: the clock that tokens are issued by, and that pauses and `Retry-After` are counted from.
    ///   - chance: 0 to 1, another one each time; it spreads the pauses of many servers.
    ///   - observe: called once for each call, before its result is returned, on the caller's task: it must be quick.
    /// - Throws: ``GatewayConfigurationError``.
    package init(
        _ configuration: GatewayConfiguration = GatewayConfiguration(), now: @escaping @Sendable () -> Timestamp,
        chance: @escaping @Sendable () -> Double = { Double.random(in: 0...1) },
        observe: @escaping @Sendable (GatewayCall) -> Void = { _ in }
    ) throws(GatewayConfigurationError) {
        exchange = try HTTPExchange(configuration, now: now)
        plainHTTPHosts = configuration.plainHTTPHosts
        self.now = now
        self.chance = chance
        self.observe = observe
    }

    /// Ends what is on its way, which then is ``GatewayFailure/cancelled``, and closes the connections. Calling it twice is safe.
    package func shutdown() async throws {
        let isFirst = isShutDown.withLock { isShutDown in
            defer { isShutDown = true }
            return !isShutDown
        }
        if isFirst { try await exchange.shutdown() }
    }

    /// Runs something that uses the gateway, and shuts it down however that ends: connections that are left open would end the
    /// process by a trap, in place of the error.
    package func closing<Value>(_ body: () async throws -> Value) async throws -> Value {
        let value: Value
        do {
            value = try await body()
        } catch {
            try await shutdown()
            throw error
        }
        try await shutdown()
        return value
    }

    // MARK: Asking

    /// Makes one call of the App Store Server API.
    ///
    /// - Parameters:
    ///   - call: what is asked.
    ///   - key: the app's key; nil: it has none, and the result is ``GatewayFailure/noKey``.
    ///   - host: which host is asked.
    package func answer<Response>(
        to call: ServerAPICall<Response>, as key: AppStoreKey?, from host: ServerAPIHost
    ) async -> Result<ServerAPIAnswer<Response>, GatewayFailure> {
        let watch = Stopwatch(endpoint: call.endpoint.name, url: host.baseURL)
        guard let key else { return finish(watch, nil, .failure(.noKey)) }
        let token: ServerAPIToken
        do throws(TokenError) {
            token = try tokens.withLock { tokens throws(TokenError) in try tokens.token(for: key, at: now()) }
        } catch {
            return finish(watch, nil, .failure(.notSigned(error)))
        }
        var request = HTTPClientRequest(url: call.url(at: host))
        request.method = .init(rawValue: call.method.rawValue)
        request.headers.add(name: "Authorization", value: token.authorization)
        request.headers.add(name: "Accept", value: call.accept)
        if let contentType = call.contentType { request.headers.add(name: "Content-Type", value: contentType) }
        if let body = call.body { request.body = .bytes(body) }
        switch await send(request, limit: ServerAPIReply.maximumBodyBytes) {
        case .failure(let failure): return finish(watch, nil, .failure(failure))
        case .success(let reply):
            // A key that was replaced, or a clock that was mended, must not wait for the end of a useless token.
            if reply.status == 401 { tokens.withLock { $0.drop(token, of: key.bundleId) } }
            let answer = call.answer(
                to: ServerAPIReply(status: reply.status, headers: reply.headers, body: reply.body), at: now())
            return finish(watch, reply, answer.mapError(GatewayFailure.refused))
        }
    }

    /// Asks `/verifyReceipt` once. Which host and which password come next is said by the outcome.
    ///
    /// - Returns: the outcome, also where it is a refusal of Apple's or not an answer; a failure where no whole reply came, or
    ///   too long a one.
    package func outcome(
        of receipt: VerifyReceiptRequest, from address: VerifyReceiptAddress
    ) async -> Result<VerifyReceiptOutcome, GatewayFailure> {
        let watch = Stopwatch(endpoint: "verifyReceipt", url: address.url)
        var request = HTTPClientRequest(url: address.url)
        request.method = .POST
        request.headers.add(name: "Accept", value: "application/json")
        request.headers.add(name: "Content-Type", value: "application/json")
        request.body = .bytes(receipt.body)
        let limit = LegacyLimits.verifyReceipt.maximumBytes
        switch await send(request, limit: limit) {
        case .failure(let failure): return finish(watch, nil, .failure(failure))
        case .success(let reply):
            guard reply.body.count <= limit else {
                return finish(watch, reply, .failure(.receiptAnswerTooLarge(status: reply.status)))
            }
            let outcome = VerifyReceiptOutcome(httpStatus: reply.status, body: reply.body, from: address.host)
            return finish(watch, reply, .success(outcome), failureCode: outcome.failureCode)
        }
    }

    // MARK: What it knows of the hosts

    /// The state of a host, by any URL on it; nil: it has not been called yet.
    package func state(ofHostAt url: String) -> HostState? {
        guard let address = GatewayAddress(url) else { return nil }
        return hosts.withLock { $0[address.text] }.map { HostState(address.text, $0.breaker.state, $0.appleDate) }
    }

    /// The states of all hosts that have been called, by name.
    package var hostStates: [HostState] {
        hosts.withLock { $0 }.map { HostState($0.key, $0.value.breaker.state, $0.value.appleDate) }.sorted { $0.host < $1.host }
    }

    // MARK: Sending

    private func send(_ request: HTTPClientRequest, limit: Int) async -> Result<HTTPAnswer, GatewayFailure> {
        guard let address = GatewayAddress(request.url), address.isSecure || plainHTTPHosts.contains(address.host) else {
            return .failure(.network(.addressRefused))
        }
        let asked = now()
        let ticket: CircuitBreaker.Ticket
        switch hosts.withLock({ $0[address.text, default: HostRecord()].breaker.admit(at: asked) }) {
        case .admitted(let admitted): ticket = admitted
        case .refused(let until): return .failure(.breakerOpen(until: until))
        }
        let result = await exchange.answer(to: request, at: address, limit: limit)
        let (heard, luck) = (now(), chance())
        hosts.withLock { hosts in
            var record = hosts[address.text] ?? HostRecord()
            record.breaker.record(Self.outcome(result), of: ticket, at: heard, chance: luck)
            if case .success(let answer) = result, let date = answer.date { record.appleDate = date }
            hosts[address.text] = record
        }
        return result
    }

    /// Judged by the status alone: a host that answers one app in a form that cannot be read still answers the others.
    private static func outcome(_ result: Result<HTTPAnswer, GatewayFailure>) -> CircuitBreaker.Outcome {
        switch result {
        case .success(let answer): answer.status == 408 || (500...599).contains(answer.status) ? .failed : .answered
        case .failure(.cancelled): .unknown
        case .failure: .failed
        }
    }

    private func finish<Value>(
        _ watch: Stopwatch, _ answer: HTTPAnswer?, _ result: Result<Value, GatewayFailure>, failureCode: String? = nil
    ) -> Result<Value, GatewayFailure> {
        var code = failureCode
        if case .failure(let failure) = result { code = failure.code }
        observe(
            GatewayCall(
                endpoint: watch.endpoint, host: watch.host, status: answer?.status, failureCode: code,
                duration: watch.elapsed, appleDate: answer?.date))
        return result
    }
}

/// What is known of a host.
package struct HostState: Sendable, Hashable {
    /// Scheme and authority.
    package let host: String
    /// Whether calls go through.
    package let breaker: CircuitBreaker.State
    /// The date of its last answer that had one; nil: there was none yet.
    package let appleDate: AppleDate?

    init(_ host: String, _ breaker: CircuitBreaker.State, _ appleDate: AppleDate?) {
        self.host = host
        self.breaker = breaker
        self.appleDate = appleDate
    }
}

/// A call's name and its time so far.
private struct Stopwatch {
    let endpoint: String
    let host: String
    private let started = ContinuousClock.now

    init(endpoint: String, url: String) {
        self.endpoint = endpoint
        host = GatewayAddress(url)?.text ?? "invalid"
    }

    var elapsed: Milliseconds {
        let (seconds, attoseconds) = started.duration(to: .now).components
        return Milliseconds(seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    }
}
