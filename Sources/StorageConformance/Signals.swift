import Ledger
import Primitives
import Storage

extension StorageConformance {
    /// Signals of abuse (ABUSE-1).
    static let signals: [Behaviour] = [
        Behaviour("STORE-95", "A signal is read back as it is, whatever it is about and whatever shows it") { store in
            for signal in specimens {
                let kept = StoredSignal(raising: signal, in: Specimen.scope, at: Specimen.day(1))
                let before = try await store.write { write in
                    let before = try write.signal(kept.name)
                    try write.keep(kept)
                    return before
                }
                try expect(before, equals: nil, "before it is kept")
                let found = try await store.write { try $0.signal(kept.name) }
                try expect(found?.signal, equals: signal, "of \(signal.kind)")
                try expect(found?.raisedAt, equals: Specimen.day(1), "when it was raised")
                try expect(found?.isOpen, equals: true, "whether it is open")
                guard let id = found?.id else { throw ConformanceFailure("a signal without an id") }
                try expect(try await store.signal(id, in: Specimen.scope), equals: found, "by its id")
                try expect(try await store.signal(id, in: Specimen.sandbox), equals: nil, "by its id elsewhere")
            }
        },
        Behaviour("STORE-96", "What was said of a signal is kept, and so is what it has grown to, under one id") { store in
            let first = StoredSignal(raising: specimens[0], in: Specimen.scope, at: Specimen.day(1))
            try await store.write { try $0.keep(first) }
            let words = try await store.write { write in
                guard var known = try write.signal(first.name) else { return [StoredSignal]() }
                _ = known.acknowledge(by: "mia", because: "é", at: Specimen.day(2))
                try write.keep(known)
                guard var grown = try write.signal(first.name) else { return [] }
                let more = specimen(.repeatedRefunds, .customer(CustomerID("alice")), count: 9)
                _ = grown.take(more, isWhole: true, at: Specimen.day(3))
                try write.keep(grown)
                return [known, grown]
            }
            try expect(words.map(\.isOpen), equals: [false, true], "whether it is open")
            let found = try await store.signals(SignalSearch(), in: Specimen.scope, limit: 10)
            try expect(found, equals: Array(words.suffix(1)), "the only one")
            try expect(found.first?.acknowledgement?.reason, equals: "é", "what was said of it")
            try expect(found.first?.firstRaisedAt, equals: Specimen.day(1), "when it was raised first")
        },
        Behaviour("STORE-97", "Signals are listed page by page, the first one last, by standing, kind and subject") { store in
            try await store.write { write in
                for signal in specimens { try write.keep(StoredSignal(raising: signal, in: Specimen.scope, at: Specimen.day(1))) }
                try write.keep(StoredSignal(raising: specimens[0], in: Specimen.sandbox, at: Specimen.day(1)))
            }
            func kinds(_ search: SignalSearch) async throws -> [AbuseSignal.Kind] {
                try await store.signals(search, in: Specimen.scope, limit: 10).map(\.signal.kind)
            }
            let all: [AbuseSignal.Kind] = [.contestedPurchase, .accountOfManyCustomers, .repeatedRefunds]
            try expect(try await kinds(SignalSearch()), equals: all, "all of them")
            let page = try await store.signals(SignalSearch(), in: Specimen.scope, limit: 2)
            try expect(page.map(\.signal.kind), equals: Array(all.prefix(2)), "a page")
            try expect(try await kinds(SignalSearch(before: page.last?.id)), equals: [.repeatedRefunds], "the next page")
            try await store.write { write in
                guard var known = try write.signal(page[0].name) else { return }
                _ = known.acknowledge(by: "mia", because: "", at: Specimen.day(2))
                try write.keep(known)
            }
            try expect(try await kinds(SignalSearch(isOpen: true)), equals: Array(all.dropFirst()), "open ones")
            try expect(try await kinds(SignalSearch(isOpen: false)), equals: [.contestedPurchase], "acknowledged ones")
            try expect(
                try await kinds(SignalSearch(isOpen: true, kind: .repeatedRefunds)), equals: [.repeatedRefunds], "of a kind")
            let alice = SignalSearch(subject: .customer(CustomerID("alice")))
            try expect(try await kinds(alice), equals: [.repeatedRefunds], "about a customer")
            let nobody = SignalSearch(subject: .customer(CustomerID("nobody")))
            try expect(try await kinds(nobody), equals: [], "about a customer of whom nothing is known")
            let contested = SignalSearch(subject: .subscription(OriginalTransactionID("1000")))
            try expect(try await kinds(contested), equals: [.contestedPurchase], "about a subscription")
        },
    ]

    private static let specimens = [
        specimen(.repeatedRefunds, .customer(CustomerID("alice")), count: 3),
        AbuseSignal(
            .accountOfManyCustomers, .appleAccount(OriginalTransactionID("1000")), score: 50, count: 2,
            evidence: ["alice", "bö/b"].map { customer in
                AbuseSignal.Evidence(
                    at: Specimen.day(1), what: .customer(CustomerID(customer), OriginalTransactionID("1000")))
            }),
        AbuseSignal(
            .contestedPurchase, .subscription(OriginalTransactionID("1000")), score: 100, count: 1,
            evidence: [.init(at: Specimen.day(1), what: .claim(OriginalTransactionID("1000"), .init("restore/1000/1")))]),
    ]

    private static func specimen(_ kind: AbuseSignal.Kind, _ subject: AbuseSignal.Subject, count: Int) -> AbuseSignal {
        AbuseSignal(
            kind, subject, score: 50, count: count,
            evidence: (1...count).map { number in
                let id = "\(1000 + number)"
                return .init(
                    at: Specimen.day(Int64(number)), what: .transaction(OriginalTransactionID(id), TransactionID(id)))
            })
    }
}
