import Ledger
import Primitives
import Storage

extension StorageConformance {
    /// What was answered to requests with idempotency keys.
    static let idempotency: [Behaviour] = [
        Behaviour("STORE-101", "An answer is read back by its app, its holder and its key, and the last one kept stands there") {
            store in
            let name = name(1)
            try expect(try await store.answer(name), equals: nil, "before any")
            try expect(try await store.write { try $0.lockAnswer(name) }, equals: nil, "before any, for oneself")
            let (first, other) = (answer(name, 200), answer(StorageConformance.name(2), 409, about: Specimen.alice))
            for kept in [first, other] { try await store.write { try $0.keep(kept) } }
            try expect(try await store.answer(name), equals: first, "as it was kept")
            try expect(try await store.write { try $0.lockAnswer(other.name) }, equals: other, "the other, for oneself")
            let elsewhere = IdempotencyName(Specimen.otherApp.app, holder: name.holder, key: name.key)
            try expect(try await store.answer(elsewhere), equals: nil, "another app's")
            let second = answer(name, 201, at: Specimen.day(2))
            try await store.write { try $0.keep(second) }
            try expect(try await store.answer(name), equals: second, "in its place")
        },
        Behaviour("STORE-102", "The answers of a holder are counted, and those before an instant are forgotten") { store in
            for number in 1...5 {
                try await store.write { try $0.keep(answer(name(UInt8(number)), 200, at: Specimen.day(Int64(number)))) }
            }
            let others = [
                answer(name(1, of: 9), 200, at: Specimen.day(4)),
                answer(IdempotencyName(Specimen.otherApp.app, holder: bytes(7), key: bytes(1)), 200, at: Specimen.day(1)),
            ]
            for kept in others { try await store.write { try $0.keep(kept) } }
            func count(_ limit: Int) async throws -> Int {
                try await store.answerCount(of: bytes(7), app: Specimen.app, since: Specimen.day(2), limit: limit)
            }
            try expect(try await count(10), equals: 3, "after the second day")
            try expect(try await count(2), equals: 2, "no more than asked for")
            func forget(_ limit: Int) async throws -> Int {
                try await store.write {
                    try $0.forgetAnswers(keptBefore: Specimen.day(4), limit: limit)
                }
            }
            try expect(try await forget(2), equals: 2, "two of four")
            try expect(try await store.answer(name(1)), equals: nil, "the oldest first")
            try expect(try await store.answer(others[1].name), equals: nil, "whichever app's")
            try expect(try await store.answer(name(3))?.status, equals: 200, "what is left")
            try expect(try await forget(2), equals: 2, "the last two")
            try expect(try await forget(2), equals: 0, "none is left")
            try expect(try await store.answer(name(4))?.status, equals: 200, "kept at the instant")
        },
        Behaviour("STORE-103", "Of those who lock one idempotency key at the same time one finds nothing kept") { store in
            let name = name(1)
            let found = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        try await store.write { write in
                            if let kept = try write.lockAnswer(name), kept.status != 300 + number { return true }
                            try write.keep(answer(name, 300 + number))
                            return false
                        }
                    }
                }
                return try await group.reduce(into: [Bool]()) { $0.append($1) }
            }
            try expect(found.count { !$0 }, equals: 1, "who found nothing")
        },
        Behaviour("STORE-104", "The answers about a customer are forgotten when the customer is erased") { store in
            let (hers, his) = (answer(name(1), 200, about: Specimen.alice), answer(name(2), 200, about: Specimen.bob))
            for kept in [hers, his] { try await store.write { try $0.keep(kept) } }
            try await store.write {
                try $0.keep(
                    CustomerDevice(
                        CustomerName(Specimen.app, Specimen.alice), secretDigest: bytes(3), registeredAt: Specimen.start))
            }
            _ = try await store.write { write in
                _ = try write.lockSettings(of: Specimen.app)
                return try write.erase([CustomerName(Specimen.app, Specimen.alice)], from: [])
            }
            try expect(try await store.answer(hers.name), equals: nil, "about her")
            try expect(try await store.answer(his.name), equals: his, "about him")
        },
    ]

    private static func bytes(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 32) }

    private static func name(_ key: UInt8, of holder: UInt8 = 7) -> IdempotencyName {
        IdempotencyName(Specimen.app, holder: bytes(holder), key: bytes(key))
    }

    private static func answer(
        _ name: IdempotencyName, _ status: Int, about customer: CustomerID? = nil, at instant: Timestamp = Specimen.start
    ) -> KeptAnswer {
        KeptAnswer(
            name, request: bytes(5), about: customer.map { SubjectDigest($0) }, status: status, sealed: [0, 1, 255],
            keptAt: instant)
    }
}
