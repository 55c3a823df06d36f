import LedgerOracle
import Synchronization

/// What is sent when. The messages of a life's line are sent one after the other, so that the order of claims is known;
/// notifications are sent in any order, and what was not acknowledged is sent again after the storm.
final class Workload: Sendable {
    /// What a sender does next.
    enum Turn: Sendable {
        case send(Message)
        /// The remaining messages depend on answers that other senders await.
        case wait
        case finished
    }

    private struct State {
        var free: [Message]
        var lines: [Line]
        /// Lives whose next line message may be sent.
        var open: [Int] = []
        var inFlight = 0
        var unsent: [Message] = []
        var held: [Int] = []
        /// This many notifications are held back until they are released.
        var heldBack = 0
        var chance: Chance

        /// Notifications that may be sent now.
        var freeToGo: Int { max(0, free.count - heldBack) }
    }

    private struct Line {
        var messages: ArraySlice<Message>
        /// Notifications of the life that are not acknowledged yet, by name; nil where the line need not wait for them.
        var awaited: Set<String>?

        var mayGo: Bool { awaited?.isEmpty ?? true }
    }

    /// Whether a line whose next message was not acknowledged waits until after the storm, as everything else does; otherwise it
    /// continues at once, so that lines are completed while servers stop and start.
    private let holdsLines: Bool
    private let state: Mutex<State>

    init(_ world: ChaosWorld, seed: UInt64, holdsLines: Bool = false) {
        self.holdsLines = holdsLines
        var awaited: [Int: Set<String>] = [:]
        for message in world.notifications { awaited[message.life, default: []].insert(message.name) }
        let lines = world.lines.enumerated().map { index, line in
            Line(messages: line[...], awaited: world.lives[index].app.restoresMove ? awaited[index] ?? [] : nil)
        }
        // Sent from the end, because that is cheap.
        var state = State(free: world.notifications, lines: lines, chance: Chance(seed: seed))
        state.open = lines.indices.filter { lines[$0].mayGo && !lines[$0].messages.isEmpty }
        self.state = Mutex(state)
    }

    /// What to send next. Lines and notifications are chosen in proportion to how many are waiting, so that they mix.
    func next() -> Turn {
        state.withLock { state in
            let waiting = state.open.count + state.free.count
            if waiting == 0 { return state.inFlight == 0 ? .finished : .wait }
            if state.open.isEmpty, state.freeToGo == 0 { return .wait }
            // Lines have fewer messages than there are notifications, but each line is sent one by one: it gets a fixed share.
            let takesLine = !state.open.isEmpty && (state.freeToGo == 0 || state.chance.happens(25))
            guard takesLine else {
                state.inFlight += 1
                return .send(state.free.removeLast())
            }
            let index = state.chance.below(state.open.count)
            let life = state.open[index]
            state.open.swapAt(index, state.open.count - 1)
            state.open.removeLast()
            guard let message = state.lines[life].messages.first else { return .wait }
            state.inFlight += 1
            return .send(message)
        }
    }

    /// The message is done: what waited for it may be sent.
    func acknowledged(_ message: Message) {
        state.withLock { state in
            state.inFlight -= 1
            let wasClosed = !state.lines[message.life].mayGo
            switch message.order {
            case .inLine:
                state.lines[message.life].messages.removeFirst()
                if !state.lines[message.life].messages.isEmpty { state.open.append(message.life) }
            case .free:
                state.lines[message.life].awaited?.remove(message.name)
                let line = state.lines[message.life]
                if wasClosed, line.mayGo, !line.messages.isEmpty { state.open.append(message.life) }
            }
        }
    }

    /// It was not acknowledged. In a line it is sent again before the next one; otherwise it is left for later.
    func failed(_ message: Message) {
        state.withLock { state in
            state.inFlight -= 1
            switch message.order {
            case .inLine where holdsLines: state.held.append(message.life)
            case .inLine: state.open.append(message.life)
            case .free: state.unsent.append(message)
            }
        }
    }

    /// Of the notifications that have not been sent yet, at most this many may be sent until the next call; nil: all of them.
    func allow(_ notifications: Int?) {
        state.withLock { state in state.heldBack = notifications.map { max(0, state.free.count - $0) } ?? 0 }
    }

    /// How many notifications have not been sent yet.
    var notificationsLeft: Int { state.withLock { $0.free.count } }

    /// Whether something may be sent now.
    var hasMore: Bool { state.withLock { !$0.free.isEmpty || !$0.open.isEmpty } }

    /// Puts back what was left for later; returns how many.
    func resend() -> Int {
        state.withLock { state in
            defer { (state.unsent, state.held) = ([], []) }
            state.free += state.unsent
            state.open += state.held
            return state.unsent.count + state.held.count
        }
    }
}
