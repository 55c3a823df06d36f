import Ledger
import Primitives
import Storage

extension StorageConformance {
    /// The queue of what is to be done later.
    static let work: [Behaviour] = [
        Behaviour(
            "STORE-20", "Work is leased to one worker when it is due, the longest due first, and to no other meanwhile"
        ) {
            store in
            let orders = [
                Specimen.order("b", due: minute(2)), Specimen.order("a", due: minute(1)), Specimen.order("c", due: minute(9)),
                Specimen.order("d", kind: .fetchHistory, due: minute(0)),
            ]
            try await store.write { try $0.order(orders) }
            try expect(try await store.lease(at: minute(0)), equals: [], "nothing is due")
            let taken = try await store.lease(at: minute(5))
            try expect(taken.map(\.order), equals: [orders[1], orders[0]], "what is due of its kind, by its instant")
            try expect(taken.map(\.attempt), equals: [1, 1], "attempts")
            try expect(try await store.lease(at: minute(5)), equals: [], "what another worker holds is not leased")
        },
        Behaviour(
            "STORE-21", "Work ordered twice is done once, at the earlier instant; ordered during its lease, it is done again"
        ) {
            store in
            try await store.write { try $0.order([Specimen.order("a", due: minute(5))]) }
            let corrected = WorkOrder(
                scope: Specimen.scope, subject: "1000", key: "a", kind: .deliver, body: #"{"to":"another"}"#, dueAt: minute(3))
            try await store.write { try $0.order([Specimen.order("a", due: minute(1)), corrected]) }
            let first = try await store.lease(at: minute(1))
            try expect(first.map(\.order.dueAt), equals: [minute(1)], "the earlier instant")
            try expect(first.map(\.order.body), equals: [corrected.body], "the last words")
            try await store.write { try $0.order([Specimen.order("a", due: minute(2))]) }
            try expect(try await store.lease(at: minute(1)), equals: [], "it is still held")
            try await store.write { write in for work in first { try write.finish(work, at: minute(1)) } }
            try expect(try await store.lease(at: minute(1)), equals: [], "it was ordered for a later instant")
            let second = try await store.lease(at: minute(2))
            try expect(second.count, equals: 1, "how often it is done again")
            try await store.write { write in for work in second { try write.finish(work, at: minute(2)) } }
            try expect(try await store.work(after: 0, limit: 10), equals: [], "what is left")
        },
        Behaviour("STORE-22", "Work with an expired lease goes to another worker, and the former holder cannot end it (F12)") {
            store in
            try await store.write { try $0.order([Specimen.order("a")]) }
            guard let zombie = try await store.lease(at: minute(0)).first else { throw ConformanceFailure("it was not due") }
            try expect(try await store.lease(at: minute(1).adding(Milliseconds(-1))), equals: [], "before the lease ends")
            guard let next = try await store.lease(at: minute(1)).first else { throw ConformanceFailure("it was not retaken") }
            try expect(next.fence > zombie.fence && next.attempt == 2, "a greater fence and a second attempt")
            try await expectError("staleLease", "ending with an old lease") {
                try await store.write { try $0.finish(zombie, at: minute(1)) }
            }
            try await expectError("staleLease", "postponing with an old lease") {
                try await store.write { try $0.postpone(zombie, to: minute(9), because: "", counts: true) }
            }
            try await expectError("staleLease", "giving up with an old lease") {
                try await store.write { try $0.abandon(zombie, at: minute(9), because: "") }
            }
            try await store.write { try $0.finish(next, at: minute(1)) }
        },
        Behaviour("STORE-23", "Failed work waits for its next attempt; work that was given up stays visible, with the reason") {
            store in
            try await checkFailedWork(of: store)
        },
        Behaviour("STORE-31", "Work that is given up while it is ordered again is done again, with its attempts from 0") {
            store in
            try await store.write { try $0.order([Specimen.order("a")]) }
            let first = try await store.lease(at: minute(0))
            try await store.write { try $0.order([Specimen.order("a", due: minute(2))]) }
            try await store.write { write in for work in first { try write.abandon(work, at: minute(1), because: "HTTP 404") } }
            try expect(try await store.lease(at: minute(1)), equals: [], "it was ordered for a later instant")
            let second = try await store.lease(at: minute(2))
            try expect(second.map(\.attempt), equals: [1], "its attempt")
            try await store.write { write in for work in second { try write.abandon(work, at: minute(3), because: "HTTP 404") } }
            let left = try await store.work(after: 0, limit: 10)
            try expect(left.map(\.state), equals: [.failed(at: minute(3))], "given up when it was not ordered meanwhile")
        },
        Behaviour("STORE-32", "Kinds are leased in the order in which the worker names them") { store in
            let orders = (0..<4).map { Specimen.order("\($0)") } + [Specimen.order("x", kind: .fetchHistory, due: minute(1))]
            try await store.write { try $0.order(orders) }
            let taken = try await store.lease(at: minute(2), kinds: [.fetchHistory, .deliver], limit: 2)
            try expect(Set(taken.map(\.order.kind)), equals: [.fetchHistory, .deliver], "of both kinds, though one has more")
        },
        Behaviour(
            "STORE-24", "The work of a decision replaces what it named before, and finished work is not done again (I40)"
        ) {
            store in
            try await checkDecidedWork(of: store)
        },
        Behaviour("STORE-25", "Each work is leased to exactly one of many workers") { store in
            let orders = (0..<200).map { Specimen.order("\($0)", subject: "\($0)") }
            try await store.write { try $0.order(orders) }
            let taken = try await withThrowingTaskGroup(of: [String].self) { group in
                for worker in 0..<8 {
                    group.addTask {
                        var keys: [String] = []
                        while true {
                            let batch = try await store.lease(at: minute(0), by: "worker \(worker)", limit: 7)
                            guard !batch.isEmpty else { return keys }
                            keys += batch.map(\.order.key)
                            try await store.write { write in for work in batch { try write.finish(work, at: minute(0)) } }
                        }
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            try expect(taken.sorted(), equals: orders.map(\.key).sorted(), "what was leased")
        },
    ]

    private static func minute(_ number: Int64) -> Timestamp { Specimen.start.adding(.minutes(number)) }

    private static func checkFailedWork(of store: any Store) async throws {
        try await store.write { try $0.order([Specimen.order("a"), Specimen.order("b")]) }
        let taken = try await store.lease(at: minute(0))
        try await store.write { write in
            try write.postpone(taken[0], to: minute(7), because: "HTTP 500", counts: true)
            try write.abandon(taken[1], at: minute(1), because: "HTTP 410")
        }
        let seen = try await store.work(after: 0, limit: 10)
        try expect(seen.map(\.state), equals: [.waiting, .failed(at: minute(1))], "states")
        try expect(seen.map(\.lastError), equals: ["HTTP 500", "HTTP 410"], "reasons")
        try await store.write { try $0.order([Specimen.order("c", subject: "1001")]) }
        try expect(try await store.work(about: Specimen.key()), equals: seen, "work about the subscription")
        try expect(try await store.work(about: Specimen.key("1001")).map(\.order.key), equals: ["c"], "work about another")
        try expect(try await store.work(about: Specimen.key(in: Specimen.sandbox)), equals: [], "work in the Sandbox")
        try await store.write { write in
            for work in try write.lease(WorkRequest(kinds: [.deliver], worker: "w"), at: minute(1)) {
                try write.finish(work, at: minute(1))
            }
        }
        try expect(try await store.lease(at: minute(6)), equals: [], "before the next attempt")
        let again = try await store.lease(at: minute(7))
        try expect(again.map(\.order.key), equals: ["a"], "the next attempt")
        try expect(again.map(\.attempt), equals: [2], "its number")
        try expect(
            try await store.work(after: seen[0].id, limit: 1).map(\.order.key), equals: ["b"], "work after the first")
        try await store.write { write in
            for work in again { try write.postpone(work, to: minute(8), because: "HTTP 429", counts: false) }
        }
        let waited = try await store.lease(at: minute(8))
        try expect(waited.map(\.attempt), equals: [2], "its number after being made to wait")
    }

    /// A purchase is to be asked about when it ends; a renewal puts the next question in its place, also where a worker holds it.
    private static func checkDecidedWork(of store: any Store) async throws {
        let first = try await store.decide(on: [.fact(.transaction(Specimen.transaction()))])
        try expect(!first.dueWork.isEmpty, "there is work")
        let other = Specimen.order("hint", kind: .fetchHistory)
        try await store.write { try $0.order([other]) }
        func decided() async throws -> [StoredWork] { try await store.work(after: 0, limit: 100).filter(\.order.isDecided) }
        let expected = first.dueWork.map { WorkOrder($0, about: Specimen.key()) }
        try expect(Set(try await decided().map(\.order)), equals: Set(expected), "work after the purchase")
        let kinds = Set(expected.map(\.kind)).sorted { $0.rawValue < $1.rawValue }
        let taken = try await store.lease(at: Specimen.day(400), kinds: kinds)
        try expect(taken.count, equals: expected.count, "what was leased")
        try await store.write { try $0.finish(taken[0], at: Specimen.day(400)) }
        _ = try await store.decide(on: [.claim(Specimen.claim(Specimen.alice))])
        let done = try await decided().filter { $0.order.key == taken[0].order.key }.map(\.state)
        try expect(done, equals: [.done(at: Specimen.day(400))], "named again, finished work stays finished")
        let second = try await store.decide(on: [.fact(.transaction(Specimen.transaction(1)))])
        let keys = try await decided().map(\.order.key).sorted()
        try expect(keys, equals: second.dueWork.map(\.key).sorted(), "work after the renewal")
        for work in taken.dropFirst() where !keys.contains(work.order.key) {
            try await expectError("staleLease", "ending work that was withdrawn") {
                try await store.write { try $0.finish(work, at: Specimen.day(400)) }
            }
        }
        let hints = try await store.work(after: 0, limit: 100).filter { !$0.order.isDecided }.map(\.order)
        try expect(hints, equals: [other], "work that no decision named stays")
    }
}

extension Store {
    func lease(
        at now: Timestamp, kinds: [WorkKind] = [.deliver], by worker: String = "worker", limit: Int = 16
    ) async throws -> [LeasedWork] {
        try await write { try $0.lease(WorkRequest(kinds: kinds, worker: worker, limit: limit), at: now) }
    }
}
