import Storage

/// Which caller asks the database for its health, and whether it must: a silent database must not make every health
/// check wait (F08). A plain value.
struct HealthQuestions {
    /// For how long an answer holds.
    static let validity: Duration = .seconds(2)
    /// How long the asking caller may wait before others learn at once that the database is silent.
    static let patience: Duration = .seconds(1)
    /// How many may ask at once.
    static let most = 16

    private var lastAnswer: ContinuousClock.Instant?
    /// Since when each of those waits who ask now.
    private var asked: [UInt64: ContinuousClock.Instant] = [:]
    private var count: UInt64 = 0

    /// The number of a question that the caller must put to the database and then ``end(_:)``; nil where the last answer holds.
    ///
    /// - Throws: `StorageError` with `unavailable` if a caller has waited too long already, or too many ask.
    mutating func ask(at now: ContinuousClock.Instant) throws(StorageError) -> UInt64? {
        if let lastAnswer, now - lastAnswer < Self.validity { return nil }
        guard asked.count < Self.most, !asked.values.contains(where: { now - $0 > Self.patience }) else {
            throw StorageError(.unavailable, "the database is being waited for")
        }
        count += 1
        asked[count] = now
        return count
    }

    mutating func end(_ question: UInt64) { asked[question] = nil }

    /// The database has answered something.
    mutating func noteAnswer(at now: ContinuousClock.Instant) { lastAnswer = now }
}
