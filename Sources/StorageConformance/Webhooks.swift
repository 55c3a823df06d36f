import Ledger
import Primitives
import Storage

extension StorageConformance {
    /// Where events are sent, and what came of it (TELL-1…3).
    static let webhooks: [Behaviour] = [
        Behaviour("STORE-84", "An endpoint is read back as it is, each app has its own, and goes with what was sent to it") {
            store in
            try expect(try await store.webhookEndpoint(endpoint("a").name), equals: nil, "one that nobody made")
            try expect(try await store.webhookEndpoints(of: nil), equals: [], "endpoints before any")
            let other = endpoint("a", of: Specimen.otherApp.app)
            for made in [endpoint("b"), endpoint("a"), other] { try await store.write { try $0.save(made) } }
            let changed = try await store.write { write in
                guard var locked = try write.lockEndpoint(endpoint("a").name) else { return nil as StoredEndpoint? }
                locked.content.url = "https://other.example/“é”"
                locked.content.headers = ["X-A": "b"]
                _ = locked.lease(to: "w", at: Specimen.start, for: .seconds(30))
                locked.standing.pause(at: Specimen.day(1))
                let through = LogPlace(transaction: 1, row: 2, event: 3)
                _ = locked.standing.resend(.range(.production, after: .start, through: through))
                try write.save(locked)
                return locked
            }
            try expect(try await store.webhookEndpoint(endpoint("a").name), equals: changed, "the endpoint as it is")
            try expect(changed?.lease?.fence, equals: 1, "its first lease")
            try expect(try await store.webhookEndpoints(of: Specimen.app), equals: [changed, endpoint("b")], "an app's")
            let all = try await store.webhookEndpoints(of: nil)
            try expect(Set(all.map(\.name)), equals: [endpoint("a").name, endpoint("b").name, other.name], "all")
            for made in [endpoint("a"), other] {
                try await store.write { write in
                    try write.keep([attempt(1, isDelivered: true, of: made.name)])
                    try write.park([parked(1, of: made.name)])
                }
            }
            try await store.write { write in
                _ = try write.lockEndpoint(endpoint("a").name)
                try write.remove(endpoint("a").name)
            }
            try expect(try await store.webhookEndpoint(endpoint("a").name), equals: nil, "the one that was removed")
            for (name, count) in [(endpoint("a").name, 0), (other.name, 1)] {
                let attempts = try await store.webhookAttempts(of: name, delivered: true, before: .max, limit: 10)
                let parked = try await store.parkedEvents(of: name, after: 0, limit: 10)
                try expect([attempts.count, parked.count], equals: [count, count], "what was sent to \(name)")
            }
            try expect(try await store.webhookEndpoints(of: Specimen.app), equals: [endpoint("b")], "the one that is left")
        },
        Behaviour("STORE-85", "Attempts are read in pages, the last one first, and are forgotten by number and by age") { store in
            let name = endpoint("a").name
            let taken = (1...5).map { attempt($0, isDelivered: true, of: name) }
            let failed = (1...3).map { attempt($0, isDelivered: false, of: name) }
            try await store.write { write in
                try write.save(endpoint("a"))
                try write.keep(taken + failed)
                try write.keep([] as [StoredAttempt])
            }
            func read(_ delivered: Bool, before number: Int64 = .max, limit: Int = 10) async throws -> [StoredAttempt] {
                try await store.webhookAttempts(of: name, delivered: delivered, before: number, limit: limit)
            }
            try expect(try await read(true), equals: taken.reversed(), "those that were taken")
            try expect(try await read(false), equals: failed.reversed(), "those that were not")
            try expect(try await read(true, before: 4, limit: 2), equals: [taken[2], taken[1]], "a page")
            try await store.write { try $0.forgetAttempts(of: name, delivered: true, to: 2, before: nil) }
            try expect(try await read(true), equals: taken[2...].reversed(), "those after the second")
            try await store.write { try $0.forgetAttempts(of: name, delivered: true, to: 0, before: Specimen.day(5)) }
            try expect(try await read(true), equals: [taken[4]], "those of the fifth day and later")
            try expect(try await read(false), equals: failed.reversed(), "the others are still there")
            try await expectError("constraint", "a second attempt of one number") {
                try await store.write { try $0.keep([attempt(3, isDelivered: false, of: name)]) }
            }
        },
        Behaviour("STORE-86", "What is parked is read in pages, each once, until it is not parked any more") { store in
            let name = endpoint("a").name
            let events = (1...4).map { parked($0, of: name) }
            try await store.write { write in
                try write.save(endpoint("a"))
                try write.park(events)
                try write.park([])
            }
            try expect(try await store.parkedEvents(of: name, after: 0, limit: 10), equals: events, "all")
            try expect(try await store.parkedEvents(of: name, after: 1, limit: 2), equals: Array(events[1...2]), "a page")
            try await store.write { try $0.unpark([2, 4, 9], of: name) }
            try expect(try await store.parkedEvents(of: name, after: 0, limit: 10), equals: [events[0], events[2]], "the rest")
        },
    ]

    private static func endpoint(_ id: String, of app: AppID = Specimen.app) -> StoredEndpoint {
        StoredEndpoint(
            EndpointName(app, id), createdAt: Specimen.start,
            content: WebhookEndpoint(
                url: "https://receiver.example/\(id)", description: "“é”", types: ["subscription.*"],
                environments: [.sandbox, .production], signature: .both, concurrency: 4),
            secrets: [EndpointSecret(kind: "v1", fingerprint: "0011aabb", sealed: "s", madeAt: Specimen.start)],
            standing: DeliveryStanding(from: [.production: .start, .sandbox: LogPlace(transaction: 0, row: 7, event: 1)]))
    }

    private static func event(_ number: Int64) -> SentEvent {
        let subject: OutboxEntry.Subject = number.isMultiple(of: 2) ? .subscription(Specimen.key()) : .customer(alice)
        return SentEvent(
            id: "evt_\(number)", type: "subscription.renewed", subject: SubjectName(subject), sequence: number)
    }

    private static func attempt(_ number: Int64, isDelivered: Bool, of name: EndpointName) -> StoredAttempt {
        StoredAttempt(
            name, number: number,
            DeliveryAttempt(
                event: number == 1 ? nil : event(number), at: Specimen.day(number), url: "https://receiver.example/",
                took: Milliseconds(7), isResent: number == 2, status: isDelivered ? 204 : nil,
                failure: isDelivered ? nil : "timedOut", words: isDelivered ? nil : "no answer came in time",
                answer: "<b>“é”</b>", fingerprints: ["0011aabb"]))
    }

    private static func parked(_ number: Int64, of name: EndpointName) -> StoredParkedEvent {
        StoredParkedEvent(name, number: number, ParkedEvent(event(number), parkedAt: Specimen.day(1), outcome: "422"))
    }
}
