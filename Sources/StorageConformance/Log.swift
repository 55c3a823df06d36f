import Ledger
import Primitives
import Storage
import Synchronization

extension StorageConformance {
    /// What was told, as those read it who follow.
    static let log: [Behaviour] = [
        Behaviour("STORE-81", "The log of each app and environment is read page by page, in order, each event once") { store in
            try expect(try await store.logEnd(of: Specimen.scope), equals: .start, "the end of a log that has nothing")
            for index in 0..<3 as Range<Int64> {
                for key in [Specimen.key(), Specimen.key("1001"), Specimen.key(in: Specimen.sandbox)] {
                    let id = key.originalTransactionId.rawValue
                    _ = try await store.decide(on: [.fact(.transaction(Specimen.transaction(index, of: id)))], about: key)
                }
            }
            let said = try await store.say(try customerInputs())
            let all = try await store.log(of: Specimen.scope, after: .start, limit: 1000).events
            let own = try await store.outbox(after: 0, limit: 1000).filter { $0.event?.subscription.environment != .sandbox }
            try expect(all.map(\.sequence), equals: own.map(\.sequence), "their numbers")
            try expect(all.map(\.place).sorted(), equals: all.map(\.place), "their places, in order")
            try expect(Set(all.map(\.place)).count, equals: own.count, "different places")
            try expect(all.filter { $0.subject == .customer(alice) }.count, equals: said.flatMap(\.events).count, "a customer's")
            try expect(try await store.logEnd(of: Specimen.scope), equals: all.last?.place, "the end of the log")
            for limit in [1, 3, 1000] {
                let newest = try await store.newestEvents(of: Specimen.scope, limit: limit)
                try expect(newest, equals: Array(all.reversed().prefix(limit)), "the last \(limit), the last one first")
            }
            for limit in [1, 2, 7] {
                var (read, place) = ([] as [LoggedEvent], LogPlace.start)
                while true {
                    let page = try await store.log(of: Specimen.scope, after: place, limit: limit)
                    guard !page.events.isEmpty else { break }
                    read += page.events
                    place = page.end
                }
                try expect(read, equals: all, "pages of \(limit)")
                try expect(place, equals: all.last?.place, "the place after the last")
            }
            let sandbox = try await store.log(of: Specimen.sandbox, after: .start, limit: 1000).events
            try expect(Set(sandbox.map(\.subject)), equals: [.subscription(Specimen.key(in: Specimen.sandbox))], "the Sandbox's")
            let nothing = try await store.log(of: Specimen.otherApp, after: .start, limit: 10)
            try expect(nothing, equals: LogPage(events: [], after: .start), "those of an app that never told any")
        },
        Behaviour("STORE-82", "The events of one subscription or customer are read from any of their numbers on") { store in
            for index in 0..<4 as Range<Int64> {
                let fact = Fact.transaction(Specimen.transaction(index, of: "1000"))
                _ = try await store.decide(on: [.fact(fact)], about: Specimen.key())
            }
            _ = try await store.say(try customerInputs())
            let all = try await store.log(of: Specimen.scope, after: .start, limit: 1000).events
            for subject in [.subscription(Specimen.key()), .customer(alice)] as [OutboxEntry.Subject] {
                let own = all.filter { $0.subject == subject }
                try expect(own.count >= 4, "there are some of \(subject)")
                for event in own {
                    let rest = try await store.events(of: subject, from: event.sequence, limit: 1000)
                    try expect(rest, equals: own.filter { $0.sequence >= event.sequence }, "from \(event.sequence) on")
                }
                let two = try await store.events(of: subject, from: 0, limit: 2)
                try expect(two, equals: Array(own.prefix(2)), "the two oldest")
                let none = try await store.events(of: subject, from: Int64(own.count) + 1, limit: 10)
                try expect(none, equals: [], "those after the last")
            }
            for subject in [.subscription(Specimen.key("9")), .customer(CustomerKey(Specimen.scope, Specimen.bob))]
                as [OutboxEntry.Subject]
            {
                try expect(try await store.events(of: subject, from: 1, limit: 10), equals: [], "those of \(subject)")
            }
        },
        Behaviour("STORE-83", "TELL-3 Who follows while eight write reads each event once, each subject's in order") { store in
            let ids = (0..<4 as Range<Int64>).map { "shared\($0)" }
            let followed = try await withThrowingTaskGroup(of: [LoggedEvent].self) { group in
                let done = CountedWriters(8)
                for writer in 0..<8 as Range<Int64> {
                    group.addTask {
                        defer { done.end() }
                        try await write(25, by: writer, about: ids, to: store)
                        return []
                    }
                }
                group.addTask { try await follow(store) { done.areDone } }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            let told = try await store.outbox(after: 0, limit: 100_000)
            try expect(followed.count, equals: told.count, "events that were read")
            try expect(Set(followed.map(\.place)).count, equals: told.count, "different places")
            for subject in Set(followed.map(\.subject)) {
                let numbers = followed.filter { $0.subject == subject }.map(\.sequence)
                try expect(numbers, equals: Array(1...Int64(numbers.count)), "the numbers of \(subject)")
            }
        },
    ]

    /// Each turn is a transaction about a subscription of the writer's own, and then about one that others write about too.
    private static func write(_ turns: Int64, by writer: Int64, about shared: [String], to store: any Store) async throws {
        for turn in 0..<turns {
            try await store.write { write in
                for id in ["own\(writer)", shared[Int((writer + turn) % Int64(shared.count))]] {
                    let fact = Fact.transaction(Specimen.transaction(turn * 8 + writer, of: id))
                    _ = try write.decide(on: [.fact(fact)], about: Specimen.key(id))
                }
            }
        }
    }

    /// Everything that is told while others write, and what is left when they are done.
    private static func follow(_ store: any Store, until isDone: @Sendable () -> Bool) async throws -> [LoggedEvent] {
        var (read, place) = ([] as [LoggedEvent], LogPlace.start)
        while true {
            let wasDone = isDone()
            let page = try await store.log(of: Specimen.scope, after: place, limit: 7)
            (read, place) = (read + page.events, page.end)
            if wasDone, page.events.isEmpty { return read }
        }
    }
}

/// Counts writers until they are done.
private final class CountedWriters: Sendable {
    private let left: Mutex<Int>

    init(_ count: Int) { left = Mutex(count) }

    var areDone: Bool { left.withLock { $0 == 0 } }

    func end() { left.withLock { $0 -= 1 } }
}
