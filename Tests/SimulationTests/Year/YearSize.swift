/// How much is simulated. `make test` plays a fixed slice; `make year` the size that docs/operations/apple.md names.
struct YearSize: Sendable {
    var lives = 80
    var days: Int64 = 14
    var polls = 1000
    var seed: UInt64 = 1

    /// As `TENURE_YEAR_LIVES`, `TENURE_YEAR_DAYS`, `TENURE_YEAR_POLLS` and `TENURE_YEAR_SEED` say.
    static let asked: YearSize = {
        var size = YearSize()
        size.lives = askedSize("TENURE_YEAR_LIVES", else: size.lives)
        size.days = max(14, askedSize("TENURE_YEAR_DAYS", else: size.days))
        size.polls = askedSize("TENURE_YEAR_POLLS", else: size.polls)
        size.seed = askedSize("TENURE_YEAR_SEED", else: size.seed)
        return size
    }()
}

/// What is to happen, by time. What is due at one instant happens in the order in which it was noted.
struct Agenda<Event> {
    private let step: Int64
    private var steps: [Int64: [(at: Int64, Event)]] = [:]

    /// - Parameter step: in milliseconds; what lies within one is found together.
    init(step: Int64) { self.step = step }

    mutating func note(_ event: Event, at instant: Int64) { steps[instant / step, default: []].append((instant, event)) }

    /// Takes the first of the step that begins at the instant; nil: nothing is left in it.
    mutating func next(from instant: Int64) -> (at: Int64, event: Event)? {
        guard let left = steps[instant / step], let first = left.indices.min(by: { left[$0].at < left[$1].at }) else {
            steps[instant / step] = nil
            return nil
        }
        return steps[instant / step]?.remove(at: first)
    }
}
