import Ledger
import Primitives
import Storage

extension StorageConformance {
    /// What Apple was told or asked to do.
    static let appleRequests: [Behaviour] = [
        Behaviour("STORE-79", "A request to Apple is read back as it is, before and after what came of it is known") { store in
            var kept = request("r-1", about: "1000", on: 1)
            let before = try await store.write { [kept] write in
                let before = try write.appleRequest(kept.name)
                try write.record(kept)
                return [before, try write.appleRequest(kept.name)]
            }
            try expect(before, equals: [nil, kept], "before it is kept, and then")
            let last = Timestamp(millisecondsSince1970: .max)
            kept.result = AppleRequest.Result(outcome: "accepted", answer: "{\"é\":null}", at: last)
            let after = try await store.write { [kept] write in
                try write.record(kept)
                return try write.appleRequest(kept.name)
            }
            try expect(after, equals: kept, "with what came of it")
            try expect(
                try await store.appleRequests(about: "1000", in: Specimen.scope, limit: 10), equals: [kept], "the only one")
        },
        Behaviour("STORE-80", "Requests to Apple are listed by ledger and subject, the last one first") { store in
            let kept = [
                request("a", about: "1000", on: 1), request("b", about: "2000", on: 2), request("c", about: "1000", on: 3),
                request("d", about: "1000", on: 3, endpoint: "other"),
            ]
            let other = request("a", about: "1000", on: 9, in: Specimen.sandbox)
            try await store.write { write in for request in kept + [other] { try write.record(request) } }
            func ids(_ subject: String?, in scope: Scope = Specimen.scope, limit: Int = 10) async throws -> [String] {
                try await store.appleRequests(about: subject, in: scope, limit: limit).map(\.name.id)
            }
            try expect(try await ids("1000"), equals: ["c", "d", "a"], "of one subject")
            try expect(try await ids(nil), equals: ["c", "d", "b", "a"], "of all")
            try expect(try await ids(nil, limit: 1), equals: ["c"], "up to a limit")
            try expect(try await ids("1000", in: Specimen.sandbox), equals: ["a"], "of another environment")
            try expect(try await ids(nil, in: Specimen.otherApp), equals: [], "of an app that has none")
        },
    ]

    private static func request(
        _ id: String, about subject: String, on day: Int64, endpoint: String = "endpoint", in scope: Scope = Specimen.scope
    ) -> AppleRequest {
        AppleRequest(
            AppleRequestName(scope, endpoint, id: id), subject: subject, content: "{\"a\":1}", by: "mia", at: Specimen.day(day))
    }
}
