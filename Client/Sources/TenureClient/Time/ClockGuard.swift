/// What time it is, as far as a device can know it whose owner can set its clock (DEV-2).
///
/// It begins with an answer of the server, which says its own time. In the same boot that time goes on by the clock that nobody
/// can set. After another boot there is only the wall clock: it counts, but it cannot show less than it has shown before.
///
/// What it cannot know: how long a device was off, or the app not in use, if its clock was set back meanwhile to what the app saw
/// last. So somebody can stretch a window by time in which they do not use it, and by none in which they do.
struct ClockGuard: Sendable, Hashable, Codable {
    /// The server's time of its last complete answer, and what the device's clocks showed then.
    private let answeredAt: Instant
    private let then: ClockReading
    /// The latest that the wall clock has shown, or must have shown, since.
    private(set) var highWater: Instant

    /// A clock may be set back so far without being suspected: it is corrected from the network now and then.
    static let tolerance = 5 * Length.minute

    /// - Parameters:
    ///   - answeredAt: by the server's clock.
    ///   - reading: of the device's clocks when the request was sent, so that a slow answer makes no time.
    init(answeredAt: Instant, reading: ClockReading) {
        (self.answeredAt, then, highWater) = (answeredAt, reading, reading.wall)
    }

    /// What a reading shows.
    enum Judgement: Sendable, Hashable {
        /// It is this time at the server.
        case now(Instant)
        /// The clock shows less than it has shown before: what time it is only the server can say.
        case setBack

        var instant: Instant? { if case .now(let instant) = self { instant } else { nil } }
    }

    /// What time it is, and what is remembered of having seen it. To be called at each foreground, and each minute in use: what
    /// was seen is what the clock cannot go behind later.
    mutating func judge(_ reading: ClockReading) -> Judgement {
        if let boot = reading.boot, boot == then.boot, reading.monotonic >= then.monotonic {
            let passed = Length.difference(reading.monotonic, then.monotonic)
            // Not what the wall clock shows: who set it ahead in this boot is not kept to that in the next.
            highWater = max(highWater, then.wall.adding(passed))
            return .now(answeredAt.adding(passed))
        }
        guard highWater.since(reading.wall) <= Self.tolerance else { return .setBack }
        highWater = max(highWater, reading.wall)
        // A clock that is wrong by the same amount all the time is no trouble.
        return .now(answeredAt.adding(highWater.since(then.wall)))
    }
}
