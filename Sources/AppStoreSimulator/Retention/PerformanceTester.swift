internal import AppStoreModel
internal import Primitives
internal import ServiceLifecycle
internal import StrictJSON

/// Carries out performance tests while its service runs, one after another.
struct PerformanceTester: Service {
    let simulator: AppStoreSimulator

    func run() async throws {
        await cancelWhenGracefulShutdown {
            for await (test, endpoint) in simulator.performanceTests.stream { await simulator.carryOut(test, endpoint) }
        }
    }
}

/// Tests that are queued for ``PerformanceTester``.
struct PerformanceTestQueue: Sendable {
    let stream: AsyncStream<(PerformanceTest, AppEnvironment)>
    private let continuation: AsyncStream<(PerformanceTest, AppEnvironment)>.Continuation

    /// An app has one at a time.
    private static let maximumWaiting = 100

    init() { (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.maximumWaiting)) }

    /// False where too many are queued.
    func add(_ test: PerformanceTest, _ endpoint: AppEnvironment) -> Bool {
        if case .enqueued = continuation.yield((test, endpoint)) { true } else { false }
    }
}

extension AppStoreSimulator {
    /// Source: Apple, "Initiate Performance Test": of an active subscription of Sandbox.
    func startTest(_ call: APICall, _ shelf: inout RetentionShelf) throws -> APIAnswer {
        guard call.environment == .sandbox else { return APIAnswer(status: 404) }
        guard let id = try call.object()["originalTransactionId"]?.string.flatMap({ TransactionNumber($0) }),
            let subscription = store.activeSubscription(id), subscription.app == call.app,
            store[subscription.account].environment == .sandbox
        else { throw APIError.invalidTestRequest }
        guard let url = shelf.realtimeURL else { throw APIError.realtimeURLNotFound }
        guard !shelf.tests.contains(where: { $0.pending > 0 }) else { throw APIError.testIsRunning }
        let test = PerformanceTest(requestId: store.newRequestIdentifier(), originalTransactionId: id, target: url)
        guard performanceTests.add(test, shelf.endpoint) else { throw APIError.testIsRunning }
        shelf.add(test)
        return APIAnswer { json in
            json.member("config") { $0.object { $0.membersOfTestConfig() } }
            json.member("requestId", test.requestId.description)
        }
    }

    func testResult(_ text: String, _ shelf: RetentionShelf) throws -> APIAnswer {
        guard let id = CompactUUID(text) else { throw APIError.invalidTestId }
        guard let test = shelf.tests.first(where: { $0.requestId == id }) else { throw APIError.performanceTestNotFound }
        return APIAnswer { json in
            json.member("config") { $0.object { $0.membersOfTestConfig() } }
            json.member("target", test.target)
            json.member("result", test.result)
            json.member("successRate", test.successRate)
            json.member("numPending", test.pending)
            json.member("responseTimes") { $0.object { $0.members(of: test.responseTimes.sorted()) } }
            json.member("failures") { json in
                json.object { json in
                    for (reason, count) in test.failures.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                        json.member(named: reason.rawValue, count)
                    }
                }
            }
        }
    }

    /// Sends the requests of a test, several at a time; those not answered when the time is over have failed.
    func carryOut(_ test: PerformanceTest, _ endpoint: AppEnvironment) async {
        var test = test
        let end = ContinuousClock.now + .milliseconds(PerformanceTest.totalDuration.count)
        await withTaskGroup(of: (answer: DeliveryResult, took: Duration).self) { group in
            var left = PerformanceTest.totalRequests
            func ask() {
                left -= 1
                group.addTask { [test, left] in await self.timedAnswer(to: test, number: left) }
            }
            for _ in 0..<PerformanceTest.maximumConcurrentRequests { ask() }
            for await (answer, took) in group {
                if answer == .success {
                    let (seconds, attoseconds) = took.components
                    test.responseTimes.append(seconds * 1000 + attoseconds / 1_000_000_000_000_000)
                } else {
                    test.failures[answer, default: 0] += 1
                }
                // The store was restored to a state from before the test.
                guard retention[endpoint].update(test) else { return group.cancelAll() }
                guard left > 0 else { continue }
                if ContinuousClock.now >= end || Task.isCancelled {
                    test.failures[.timedOut, default: 0] += left
                    left = 0
                } else {
                    ask()
                }
            }
            _ = retention[endpoint].update(test)
        }
    }

    /// - Parameter number: which request of the test it is; the request's identifier follows from it, and not from the number of
    ///   earlier requests.
    private func timedAnswer(
        to test: PerformanceTest, number: Int64
    ) async -> (answer: DeliveryResult, took: Duration) {
        let body: [UInt8]
        do {
            let identifier = CompactUUID(
                bytes: test.requestId.bytes.dropLast() + [UInt8(truncatingIfNeeded: number)])
            body = try realtimeBody(
                about: try store.subscription(test.originalTransactionId), locale: "en-US", identifier)
        } catch {
            return (.other, .zero)
        }
        let start = ContinuousClock.now
        let (answer, result) = await poster.answer(to: body, from: test.target)
        let took = ContinuousClock.now - start
        guard let answer else { return (result, took) }
        guard answer.status == 200 else { return (.unsuccessfulHTTPResponseCode, took) }
        return (RealtimeAnswer(answer.body) == nil ? .invalidResponse : .success, took)
    }
}

extension AppStore {
    fileprivate func activeSubscription(_ id: TransactionNumber) -> StoreSubscription? {
        do throws(StoreRefusal) {
            let subscription = try subscription(id)
            return subscription.hasEnded ? nil : subscription
        } catch {
            return nil
        }
    }
}

extension JSONWriter {
    fileprivate mutating func membersOfTestConfig() {
        member("maxConcurrentRequests", Int64(PerformanceTest.maximumConcurrentRequests))
        member("totalRequests", PerformanceTest.totalRequests)
        member("totalDuration", PerformanceTest.totalDuration.count)
        member("responseTimeThreshold", PerformanceTest.responseTimeThreshold.count)
        member("successRateThreshold", PerformanceTest.successRateThreshold)
    }

    /// Writes statistics of sorted times; all 0 where there are none.
    fileprivate mutating func members(of times: [Int64]) {
        let percentile = { (part: Int) in times.isEmpty ? 0 : times[min(times.count - 1, times.count * part / 100)] }
        member("average", times.isEmpty ? 0 : times.reduce(0, +) / Int64(times.count))
        for part in [50, 90, 95, 99] { member(named: "p\(part)", percentile(part)) }
    }
}
