/// A stretch of time in which something may be used: from `start` on, before `end`.
struct Window: Sendable, Hashable, Codable {
    /// Nil where there never was one.
    var start: Instant?
    /// Nil where it does not end, or where there never was one.
    var end: Instant?

    func contains(_ instant: Instant) -> Bool {
        guard let start, start <= instant else { return false }
        return end.map { instant < $0 } ?? true
    }
}
