internal import AppStoreModel
package import Primitives

/// How far the clock moved.
package struct ClockReport: Sendable, Hashable {
    package let now: Timestamp
    /// The renewals, ends and retries that happened on the way.
    package let steps: Int
    /// False where the limit of steps was reached first; another call continues.
    package let isComplete: Bool
}

extension AppStoreSimulator {
    /// The most events that happen in one call.
    private static let maximumSteps = 100_000
    private static let longestAdvance = Milliseconds.days(3653)
    /// Some years before the certificates of ``AppStoreSimulator/init(configuration:)`` end.
    private static let longestLife = Milliseconds.days(365 * 59)

    /// Moves the clock by a duration of at most ten years.
    package func advance(by duration: Milliseconds) async throws -> ClockReport {
        try await inTurn { try await advanceInTurn(to: store.now.adding(duration)) }
    }

    /// Moves the clock to an instant, at most ten years ahead.
    package func advance(to target: Timestamp) async throws -> ClockReport {
        try await inTurn { try await advanceInTurn(to: target) }
    }

    /// Moves the clock to the next scheduled event, if there is one within ten years.
    package func advanceToNext() async throws -> ClockReport {
        try await inTurn {
            guard let next = nextDue else { return ClockReport(now: store.now, steps: 0, isComplete: true) }
            return try await advanceInTurn(to: max(store.now, min(next, store.now.adding(Self.longestAdvance))))
        }
    }

    private var nextDue: Timestamp? { [outbox.nextDue, store.nextDue].compactMap(\.self).min() }

    /// Everything that falls due happens at its own instant and in order, and is delivered before the next.
    private func advanceInTurn(to target: Timestamp) async throws -> ClockReport {
        guard target >= store.now else { throw SimulatorRefusal.clockGoesForward }
        guard target.since(store.now) <= Self.longestAdvance, target.since(configuration.startsAt) <= Self.longestLife else {
            throw SimulatorRefusal.tooFar
        }
        var steps = 0
        while steps < Self.maximumSteps {
            try Task.checkCancellation()
            guard try await step(upTo: target) else { return ClockReport(now: store.now, steps: steps, isComplete: true) }
            steps += 1
        }
        return ClockReport(now: store.now, steps: steps, isComplete: false)
    }

    /// Carries out the next delivery attempt or the next event of the store, whichever is earlier; false when nothing is left.
    private func step(upTo target: Timestamp) async throws -> Bool {
        if let attempt = outbox.nextDue, store.nextDue.map({ attempt < $0 }) ?? true, let (uuid, at) = outbox.popDue(upTo: target)
        {
            store.moveClock(to: at)
            clock.set(store.now)
            try await sendAgain(uuid)
            return true
        }
        let told = try store.step(upTo: target)
        clock.set(store.now)
        guard let told else { return false }
        try await tell(told)
        return true
    }
}
