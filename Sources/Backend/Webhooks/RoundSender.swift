import Primitives
import Storage
import Synchronization

/// Sends what a plan says: different subjects side by side, each subject's events one after the other, and nothing more once the
/// receiver seems to be away.
struct RoundSender: Sendable {
    /// What came of it.
    struct Sent: Sendable {
        var round = DeliveryRound()
        /// In the order in which they ended.
        var attempts: [DeliveryAttempt] = []
        /// Parked events that the receiver took at last, by number.
        var unparked: [Int64] = []
    }

    let desk: DeliveryDesk
    let endpoint: StoredEndpoint
    /// Whether another attempt may begin.
    let goesOn: @Sendable () -> Bool

    func send(_ plan: RoundPlan) async -> Sent {
        let log = RoundLog()
        var sent = Sent()
        var waiting = plan.lines.makeIterator()
        await withTaskGroup(of: DeliveryRound.Line.self) { group in
            for _ in 0..<max(1, plan.width) {
                guard let line = waiting.next() else { break }
                group.addTask { await send(line, log) }
            }
            while let ended = await group.next() {
                sent.round.lines.append(ended)
                if let line = waiting.next() { group.addTask { await send(line, log) } }
            }
        }
        await sendAgain(plan, log, &sent)
        sent.round.read = plan.read
        (sent.round.tries, sent.attempts) = log.ended
        return sent
    }

    private func send(_ line: RoundPlan.Line, _ log: RoundLog) async -> DeliveryRound.Line {
        for packed in line.events {
            guard goesOn(), !log.seemsAway,
                let attempt = await desk.send(packed.parcel, of: packed.event, to: endpoint, isResent: false)
            else { return DeliveryRound.Line(line.subject, next: packed.event.sequence) }
            let result = log.note(attempt, of: packed.event)
            if result.verdict != .delivered {
                return DeliveryRound.Line(line.subject, next: packed.event.sequence, failure: result)
            }
        }
        return DeliveryRound.Line(line.subject, next: line.isWhole ? nil : line.next)
    }

    /// One after the other: somebody waits for them, but nobody waits for all of them at once.
    private func sendAgain(_ plan: RoundPlan, _ log: RoundLog, _ sent: inout Sent) async {
        for item in plan.again {
            guard goesOn(), !log.seemsAway,
                let attempt = await desk.send(item.packed.parcel, of: item.packed.event, to: endpoint, isResent: true)
            else { return }
            let result = log.note(attempt, of: item.packed.event)
            switch result.verdict {
            case .delivered: if let number = item.parkedNumber { sent.unparked.append(number) }
            case .refused: if item.parkedNumber == nil { sent.round.refusedAgain.append(result) }
            // All of it once more when the receiver is back: what it has is dropped by its id.
            case .failed, .gone: return
            }
        }
        sent.round.resend = plan.resend
    }
}

/// What ended so far in a round.
private final class RoundLog: Sendable {
    private struct State {
        var tries: [DeliveryRound.Try] = []
        var attempts: [DeliveryAttempt] = []
        var failuresInARow = 0
    }

    private let state = Mutex(State())

    func note(_ attempt: DeliveryAttempt, of event: SentEvent) -> DeliveryRound.Try {
        let result = DeliveryRound.Try(event, attempt.verdict, words: attempt.outcomeWords)
        state.withLock { state in
            state.tries.append(result)
            state.attempts.append(attempt)
            state.failuresInARow = result.verdict == .delivered ? 0 : state.failuresInARow + 1
        }
        return result
    }

    /// Whether so much failed without anything between that the rest need not be tried now.
    var seemsAway: Bool { state.withLock { $0.failuresInARow >= DeliveryStanding.failuresInARow } }

    var ended: (tries: [DeliveryRound.Try], attempts: [DeliveryAttempt]) { state.withLock { ($0.tries, $0.attempts) } }
}
