import Foundation

/// Asks the app's backend for the customer's token: once for all that wait for it, again after one was refused, and never for
/// longer than ten seconds.
actor CustomerTokens {
    private let provider: @Sendable (String) async throws -> String
    private var kept: Kept?
    private var asked: Asked?

    private struct Kept {
        let customer: String
        let token: String
    }

    private struct Asked {
        let customer: String
        let task: Task<String, any Error>
    }

    /// The backend had ten seconds and did not answer.
    struct Late: Error {}

    private let patience: Int64

    /// - Parameter patience: how long the backend has to answer, in milliseconds.
    init(patience: Int64 = 10 * Length.second, _ provider: @escaping @Sendable (String) async throws -> String) {
        (self.patience, self.provider) = (patience, provider)
    }

    /// - Parameter refused: a token that the server did not take; another one is asked for.
    func token(of customer: String, instead refused: String? = nil) async throws -> String {
        if let kept, kept.customer == customer, kept.token != refused { return kept.token }
        if let asked, asked.customer == customer { return try await asked.task.value }
        let (provider, patience) = (provider, patience)
        let task = Task { try await FirstOf.run(within: patience) { try await provider(customer) } }
        asked = Asked(customer: customer, task: task)
        defer { if asked?.task == task { asked = nil } }
        let token = try await task.value
        kept = Kept(customer: customer, token: token)
        return token
    }

    /// Nothing that was said for one customer is used for another.
    func forget() { (kept, asked) = (nil, nil) }
}

/// What comes first: a value, or the end of somebody's patience. Work that hears no cancellation is left behind and not waited
/// for.
private actor FirstOf {
    private var result: Result<String, any Error>?
    private var waiting: CheckedContinuation<String, any Error>?

    static func run(within patience: Int64, _ body: @escaping @Sendable () async throws -> String) async throws -> String {
        let first = FirstOf()
        let work = Task {
            do {
                await first.came(.success(try await body()))
            } catch {
                await first.came(.failure(error))
            }
        }
        let timer = Task {
            try await Task.sleep(nanoseconds: UInt64(max(patience, 0)) * 1_000_000)
            await first.came(.failure(CustomerTokens.Late()))
        }
        defer {
            work.cancel()
            timer.cancel()
        }
        return try await first.value()
    }

    private func came(_ result: Result<String, any Error>) {
        guard self.result == nil else { return }
        self.result = result
        waiting?.resume(with: result)
        waiting = nil
    }

    private func value() async throws -> String {
        if let result { return try result.get() }
        return try await withCheckedThrowingContinuation { waiting = $0 }
    }
}
