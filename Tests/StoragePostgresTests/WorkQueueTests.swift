import FaultProxy
import Testing

@testable import StoragePostgres

@Suite struct `The queue of a pool` {
    private typealias Queue = WorkQueue<UInt64>

    private static let start = ContinuousClock().now

    private func entry(_ ticket: UInt64, _ kind: Queue.Kind, within: Duration = .seconds(1)) -> Queue.Entry {
        Queue.Entry(ticket: ticket, kind: kind, deadline: Self.start + within, job: ticket)
    }

    /// Random orders of everything that can happen, checked against the invariants.
    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    func `In every order of events each job is started or given up once, writes keep to their share, and no job waits needlessly`(
        _ seed: UInt64
    ) {
        var generator = SplitMix64(seed: seed)
        let workers = Int.random(in: 1...6, using: &generator)
        let writers = Int.random(in: 1...workers, using: &generator)
        var queue = Queue(writers: writers, limit: 20)
        var atWork: [Int: Queue.Entry] = [:]
        var ready = Set<Int>()
        var waiting: [UInt64: Queue.Kind] = [:]
        var lastBegun: [Queue.Kind: UInt64] = [.read: 0, .write: 0]
        func begin(_ assignments: [Queue.Assignment]) {
            for assignment in assignments {
                #expect(ready.remove(assignment.worker) != nil, "seed \(seed): a worker that is idle")
                #expect(atWork.updateValue(assignment.entry, forKey: assignment.worker) == nil)
                waiting[assignment.entry.ticket] = nil
                #expect(lastBegun[assignment.entry.kind, default: 0] < assignment.entry.ticket, "seed \(seed): in turn")
                lastBegun[assignment.entry.kind] = assignment.entry.ticket
            }
        }
        for ticket in 1...400 as ClosedRange<UInt64> {
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<4:
                let kind: Queue.Kind = Bool.random(using: &generator) ? .read : .write
                let new = entry(ticket, kind, within: .milliseconds(Int.random(in: 0..<1000, using: &generator)))
                switch queue.submit(new) {
                case .begin(let assignment): begin([assignment])
                case .waits: waiting[ticket] = kind
                case .refused: #expect(waiting.count == 20, "seed \(seed)")
                }
            case 4..<8:
                let worker = Int.random(in: 0..<workers, using: &generator)
                guard !ready.contains(worker) else { continue }
                let finished = atWork.removeValue(forKey: worker)
                ready.insert(worker)
                begin(queue.workerIsReady(worker, finished: finished?.kind))
            case 8:
                let worker = Int.random(in: 0..<workers, using: &generator)
                guard let had = atWork.removeValue(forKey: worker) else {
                    if ready.remove(worker) != nil { begin(queue.workerIsLost(worker, finished: nil)) }
                    continue
                }
                begin(queue.workerIsLost(worker, finished: had.kind))
            default:
                guard let victim = waiting.keys.min() else { continue }
                #expect(queue.cancel(victim) == victim)
                #expect(queue.cancel(victim) == nil)
                waiting[victim] = nil
            }
            let writes = atWork.values.filter { $0.kind == .write }.count
            #expect(writes <= writers, "seed \(seed)")
            #expect(queue.waitingCount == waiting.count, "seed \(seed)")
            let mayBegin = waiting.values.contains { $0 == .read || writes < writers }
            #expect(ready.isEmpty || !mayBegin, "seed \(seed): a job waits beside a worker that could do it")
        }
    }

    @Test func `A job of a lost connection waits again in its old place`() throws {
        var queue = Queue(writers: 1, limit: 10)
        #expect(queue.workerIsReady(0, finished: nil).isEmpty)
        guard case .begin(let first) = queue.submit(entry(1, .write)) else {
            Issue.record("an idle worker got nothing")
            return
        }
        for ticket in 2...3 as ClosedRange<UInt64> {
            if case .waits = queue.submit(entry(ticket, .write)) {} else { Issue.record("\(ticket) does not wait") }
        }
        #expect(queue.workerIsLost(0, finished: nil, undone: first.entry).isEmpty)
        #expect(queue.workerIsReady(0, finished: nil).map(\.entry.ticket) == [1])
        #expect(queue.workerIsReady(0, finished: .write).map(\.entry.ticket) == [2])
    }

    @Test func `Only jobs that have waited too long are removed`() {
        var queue = Queue(writers: 1, limit: 10)
        for (ticket, seconds) in [(1, 5), (2, 1), (3, 3)] as [(UInt64, Int)] {
            if case .waits(let isEarliest) = queue.submit(entry(ticket, .read, within: .seconds(seconds))) {
                #expect(isEarliest == (ticket != 3))
            }
        }
        #expect(queue.nextDeadline == Self.start + .seconds(1))
        #expect(queue.expire(at: Self.start + .seconds(3)) == [2, 3])
        #expect(queue.workerIsReady(0, finished: nil).map(\.entry.ticket) == [1])
    }
}
