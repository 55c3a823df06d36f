import LedgerOracle
import Synchronization

/// Who sends what when. A life's line goes one after the other, so that the order of claims is known; notifications go in any
/// order, and what was not acknowledged is left for the sending after the storm.
final class Workload: Sendable {
    /// What a sender does next.
    enum Turn: Sendable {
        case send(Message)
        /// What is left waits for answers that others await.
        case wait
        case finished
    }

    private struct State {
        var free: [Message]
        var lines: [Line]
        /// Lives whose next of the line may go.
        var open: [Int] = []
        var inFlight = 0
        var unsent: [Message] = []
        var held: [Int] = []
        /// So many notifications stay unsent until they are let go.
        var heldBack = 0
        var chance: Chance

        /// Notifications that may go now.
        var freeToGo: Int { max(0, free.count - heldBack) }
    }

    private struct Line {
        var messages: ArraySlice<Message>
        /// Notifications of the life that are not acknowledged yet, by name; nil where the line need not wait for them.
        var awaited: Set<String>?

        var mayGo: Bool { awaited?.isEmpty ?? true }
    }

    /// Whether a line whose next was not acknowledged waits for the sending after the storm, as everything else does; else it
    /// goes on at once, so that lines come to their end while servers fall and rise.
    private let holdsLines: Bool
    private let state: Mutex<State>

    init(_ world: ChaosWorld, seed: UInt64, holdsLines: Bool = false) {
        self.holdsLines = holdsLines
        var awaited: [Int: Set<String>] = [:]
        for message in world.notifications { awaited[message.life, default: []].insert(message.name) }
        let lines = world.lines.enumerated().map { index, line in
            Line(messages: line[...], awaited: world.lives[index].app.restoresMove ? awaited[index] ?? [] : nil)
        }
        // Sent from the end, since that is cheap.
        var state = State(free: world.notifications, lines: lines, chance: Chance(seed: seed))
        state.open = lines.indices.filter { lines[$0].mayGo && !lines[$0].messages.isEmpty }
        self.state = Mutex(state)
    }

    /// What goes next. Lines and notifications are drawn in proportion to how many wait, so that they mix.
    func next() -> Turn {
        state.withLock { state in
            let waiting = state.open.count + state.free.count
            if waiting == 0 { return state.inFlight == 0 ? .finished : .wait }
            if state.open.isEmpty, state.freeToGo == 0 { return .wait }
            // A line's messages are fewer than notifications, but each line goes one by one: give it a share of the draws.
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

    /// The message is done with: what waited for it may go.
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

    /// It was not acknowledged. In a line it goes again before the next one does; else it is left for later.
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

    /// Of the notifications that have not been sent yet, at most so many may go until the next call; nil: all of them.
    func allow(_ notifications: Int?) {
        state.withLock { state in state.heldBack = notifications.map { max(0, state.free.count - $0) } ?? 0 }
    }

    /// How many notifications have not been sent yet.
    var notificationsLeft: Int { state.withLock { $0.free.count } }

    /// Whether something may go now.
    var hasMore: Bool { state.withLock { !$0.free.isEmpty || !$0.open.isEmpty } }

    /// Puts back what was left for later; how many.
    func resend() -> Int {
        state.withLock { state in
            defer { (state.unsent, state.held) = ([], []) }
            state.free += state.unsent
            state.open += state.held
            return state.unsent.count + state.held.count
        }
    }
}
