import Ledger
import Primitives
import Storage

extension StorageConformance {
    /// What Apple posted, for those to whom it is passed on, and what is forgotten (TELL-3, TELL-5).
    static let forwarding: [Behaviour] = [
        Behaviour("STORE-87", "What Apple posted is kept once where somebody is to have it, and read in order like the log") {
            store in
            try await store.write { try $0.keep([copy("early")]) }
            try expect(try await store.copyEnd(of: Specimen.scope), equals: .start, "where nobody is to have it")
            try await store.write { try $0.save(endpoint(.raw)) }
            let posted = ["a", "b", "c", "d", "e"].map { copy($0, of: $0 < "c" ? "1000" : "1001") }
            for one in posted {
                try await store.write { try $0.keep([one, copy("a", of: "other")]) }
            }
            let elsewhere = [copy("a", in: Specimen.sandbox), copy("a", in: Specimen.otherApp)]
            try await store.write { try $0.keep(elsewhere) }
            let all = try await store.copies(of: Specimen.scope, after: .start, limit: 10).events
            try expect(try all.map { try $0.copiedContent }, equals: posted.map(\.content), "the copies of a scope, in order")
            try expect(all.map(\.place).sorted(), equals: all.map(\.place), "their places, in order")
            try expect(all.map(\.toldAt), equals: posted.map(\.receivedAt), "when they were received")
            try expect(try await store.copyEnd(of: Specimen.scope), equals: all.last?.place, "the last one's place")
            let page = try await store.copies(of: Specimen.scope, after: all[1].place, limit: 2)
            try expect(page, equals: LogPage(events: Array(all[2...3]), after: all[1].place), "a page")
            let own = try await store.copies(about: Specimen.key("1001"), from: all[3].sequence, limit: 10)
            try expect(own, equals: Array(all[3...]), "those about one subscription from a number on")
            try expect(try await store.copies(of: Specimen.sandbox, after: .start, limit: 10).events.count, equals: 1, "Sandbox")
            try expect(try await store.copyEnd(of: Specimen.otherApp), equals: .start, "an app that passes nothing on")
            try await store.write { write in
                try write.forgetCopies(
                    in: Specimen.scope, upTo: CopyBound(place: all[3].place, number: all[2].sequence, instant: Specimen.day(9)),
                    limit: 10)
            }
            try expect(
                try await store.copies(of: Specimen.scope, after: .start, limit: 10).events, equals: Array(all[2...]), "left")
            try await store.write { write in
                try write.forgetCopies(
                    in: Specimen.scope, upTo: CopyBound(place: all[4].place, number: .max, instant: posted[3].receivedAt),
                    limit: 10)
            }
            try expect(
                try await store.copies(of: Specimen.scope, after: .start, limit: 10).events, equals: Array(all[3...]), "late")
        },
        Behaviour(
            "STORE-88", "The oldest events are forgotten up to an instant, the log says to where, and the rest is as it was"
        ) {
            store in
            for index in 0..<4 as Range<Int64> {
                _ = try await store.decide(
                    on: [.fact(.transaction(Specimen.transaction(index, of: "1000")))], about: Specimen.key())
            }
            let key = EndpointKey(Specimen.scope, "billing")
            let event = EndpointEvent(.failing, at: Specimen.day(1), because: "503 “é”")
            try await store.write { write in
                _ = try write.lockEndpoint(EndpointName(Specimen.app, "billing"))
                try write.tell(event, of: key, number: 1, at: Specimen.day(900))
            }
            let all = try await store.log(of: Specimen.scope, after: .start, limit: 100).events
            try expect(all.last?.subject, equals: .endpoint(key), "what is told of an endpoint")
            try expect(all.last?.text, equals: try event.text, "its text")
            try expect(
                try await store.events(of: .endpoint(key), from: 1, limit: 5), equals: Array(all.suffix(1)), "its own events")
            try expect(try await store.logFloor(of: Specimen.scope), equals: .start, "the beginning of a log that is whole")
            let old = all.filter { $0.toldAt < all[all.count - 1].toldAt }
            try expect(old.count >= 4, "there are some that are older")
            let none = try await store.write {
                try $0.forgetEvents(in: Specimen.scope, before: all[0].toldAt, limit: 100, at: Specimen.day(901))
            }
            try expect(none, equals: 0, "nothing is older than the first")
            var rows = 0
            while true {
                let more = try await store.write {
                    try $0.forgetEvents(in: Specimen.scope, before: all[all.count - 1].toldAt, limit: 1, at: Specimen.day(901))
                }
                rows += more
                if more == 0 { break }
            }
            try expect(rows >= 1, "some rows were forgotten")
            let left = try await store.log(of: Specimen.scope, after: .start, limit: 100).events
            try expect(left, equals: Array(all.suffix(1)), "the rest")
            let floor = try await store.logFloor(of: Specimen.scope)
            try expect(floor > old[old.count - 1].place && floor < all[all.count - 1].place, "the floor stands between them")
            try expect(try await store.logFloor(of: Specimen.sandbox), equals: .start, "another log's")
            let last = try await store.write {
                try $0.forgetEvents(in: Specimen.scope, before: Specimen.day(10_000), limit: 100, at: Specimen.day(901))
            }
            try expect(last, equals: 0, "the last row of all stays")
        },
    ]

    private static func endpoint(_ format: WebhookEndpoint.Format) -> StoredEndpoint {
        StoredEndpoint(
            EndpointName(Specimen.app, "old"), createdAt: Specimen.start,
            content: WebhookEndpoint(
                url: "https://old.example/", environments: [.production, .sandbox], format: format, signature: .none),
            secrets: [], standing: DeliveryStanding(from: [:]))
    }

    /// Received on the day of its name: "a" on the first.
    private static func copy(
        _ name: String, of subscription: String? = nil, in scope: Scope = Specimen.scope
    ) -> NotificationCopy {
        NotificationCopy(
            scope: scope, uuid: name, subscription: subscription.map { OriginalTransactionID($0) },
            receivedAt: Specimen.day(Int64(name.utf8.first ?? 0x60) - 0x60),
            content: NotificationCopy.Content(contentType: "application/json", body: "{\"signedPayload\": \"\(name)/“é”\"}\r\n"))
    }
}
