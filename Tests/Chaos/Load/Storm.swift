import AsyncHTTPClient
import LedgerOracle
import Synchronization

/// Many concurrent senders against one or more servers; each answer is written to the journal.
struct Storm: Sendable {
    let workload: Workload
    let client: ChaosClient
    let journal: Journal
    /// The servers' addresses; each request goes to the next one.
    let addresses: [String]
    /// How many senders there are.
    var senders = 32
    /// Requests per second by all senders together, independent of our speed, as Apple's are; nil: as fast as answers arrive.
    var rate: Double?
    /// An additional header field for a message.
    var mark: @Sendable (Message) -> (name: String, value: String)? = { _ in nil }
    /// Called with the number of each request just before it.
    var beforeEach: @Sendable (Int) -> Void = { _ in }
    let progress = Progress()

    private static let mostRefused = 500

    /// What happened so far.
    final class Progress: Sendable {
        private let state = Mutex((acknowledged: 0, notSent: 0, turn: 0, findings: [String](), unavailable: 0, refused: 0))

        var acknowledged: Int { state.withLock { $0.acknowledged } }
        /// Requests so far.
        var turns: Int { state.withLock { $0.turn } }
        /// Requests that nobody listened to.
        var notSent: Int { state.withLock { $0.notSent } }
        /// Answers 503 with `Retry-After`.
        var unavailable: Int { state.withLock { $0.unavailable } }
        /// The number of wrong answers.
        var refused: Int { state.withLock { $0.refused } }
        /// The wrong answers; at most 20 are kept.
        var findings: [String] { state.withLock { $0.findings } }

        func countAcknowledged() { state.withLock { $0.acknowledged += 1 } }
        func countNotSent() { state.withLock { $0.notSent += 1 } }
        func countUnavailable() { state.withLock { $0.unavailable += 1 } }

        func find(_ finding: String) {
            state.withLock { state in
                state.refused += 1
                if state.findings.count < 20 { state.findings.append(finding) }
            }
        }

        func nextTurn() -> Int {
            state.withLock { state in
                state.turn += 1
                return state.turn
            }
        }
    }

    /// Sends until no message is left that may be sent.
    func blow() async throws {
        let start = ContinuousClock.now - .seconds(Double(progress.turns) / (rate ?? 1))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<senders { group.addTask { try await send(since: start) } }
            try await group.waitForAll()
        }
    }

    /// Sends again what was not acknowledged, until everything is acknowledged or the time is over.
    ///
    /// - Returns: how long it took; nil if something is still not acknowledged.
    func drain(within limit: Duration) async throws -> Duration? {
        let start = ContinuousClock.now
        while workload.resend() > 0 || workload.hasMore {
            guard ContinuousClock.now - start < limit else { return nil }
            try await blow()
        }
        return ContinuousClock.now - start
    }

    private func send(since start: ContinuousClock.Instant) async throws {
        while true {
            switch workload.next() {
            case .finished: return
            case .wait: try await Task.sleep(for: .milliseconds(2))
            case .send(let message): try await send(message, turn: try await turn(since: start))
            }
        }
    }

    /// The number of this request, when it is due.
    private func turn(since start: ContinuousClock.Instant) async throws -> Int {
        let turn = progress.nextTurn()
        if let rate { try await Task.sleep(until: start + .seconds(Double(turn) / rate), clock: .continuous) }
        return turn
    }

    private func send(_ message: Message, turn: Int) async throws {
        journal.note(message.name, .sent)
        beforeEach(turn)
        let address = addresses[turn % addresses.count]
        let answer = await client.send(message, to: address, mark: mark(message))
        switch answer {
        case .answered(let status, _, let retryAfter):
            guard message.isAcknowledged(by: status) else {
                try await judge(answer, status, retryAfter, message)
                return workload.failed(message)
            }
            try await journal.acknowledged(message.name, status: status, outcome: answer.outcome)
            progress.countAcknowledged()
            workload.acknowledged(message)
        case .notSent:
            progress.countNotSent()
            // Nobody listens for a moment; Apple would retry in an hour.
            try await Task.sleep(for: .milliseconds(10))
            workload.failed(message)
        case .unknown:
            journal.note(message.name, .unknown)
            workload.failed(message)
        }
    }

    /// A server that cannot do it now answers 503 and when to retry; everything else is wrong.
    private func judge(_ answer: ChaosClient.Answer, _ status: Int, _ retryAfter: String?, _ message: Message) async throws {
        if status == 503, retryAfter != nil {
            progress.countUnavailable()
            try await Task.sleep(for: .milliseconds(20))
        } else {
            progress.find("\(message.name) was answered \(answer.words)")
            // The next message of a line is sent until it is acknowledged: forever, where the server refuses it.
            guard progress.refused < Self.mostRefused else {
                throw ChaosError("\(Self.mostRefused) were refused, the last: \(message.name) was answered \(answer.words)")
            }
            // Not again at once, so that a server that refuses everything does not get a million requests.
            try await Task.sleep(for: .milliseconds(100))
        }
    }
}
