import APIContract
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Testing

@testable import Server

@Suite struct `A budget of bodies` {
    private static let kibibyte = 1024

    /// In chunks, as from a socket; the length is declared only if `saysLength`.
    private static func request(_ bytes: Int, saysLength: Bool = false) -> Request {
        let chunks = stride(from: 0, to: bytes, by: 64 * kibibyte).map {
            ByteBuffer(repeating: 0x20, count: min(64 * kibibyte, bytes - $0))
        }
        var fields = HTTPFields()
        if saysLength { fields[.contentLength] = "\(bytes)" }
        let (stream, continuation) = AsyncStream<ByteBuffer>.makeStream()
        for chunk in chunks { continuation.yield(chunk) }
        continuation.finish()
        return Request(
            head: HTTPRequest(method: .post, scheme: "http", authority: "x", path: "/", headerFields: fields),
            body: RequestBody(asyncSequence: stream))
    }

    private static func length(of bytes: Int, in budget: BodyBudget) async throws -> Int {
        try await budget.reading(request(bytes), upTo: 8 << 20) { $0.count }
    }

    @Test func `T31 bytes held by some requests are not available to others, and are released with their answers`() async throws {
        let budget = BodyBudget(bytes: 1024 * Self.kibibyte)
        try await budget.reading(Self.request(700 * Self.kibibyte), upTo: 8 << 20) { held in
            #expect(held.count == 700 * Self.kibibyte)
            await #expect(throws: BodyBudget.Full.self) { try await Self.length(of: 700 * Self.kibibyte, in: budget) }
            // A quarter is reserved for bodies of the usual size.
            await #expect(throws: BodyBudget.Full.self) { try await Self.length(of: 300 * Self.kibibyte, in: budget) }
            let small = try await Self.length(of: 200 * Self.kibibyte, in: budget)
            #expect(small == 200 * Self.kibibyte)
        }
        #expect(try await Self.length(of: 700 * Self.kibibyte, in: budget) == 700 * Self.kibibyte)
    }

    @Test func `T31 a request refused half-way, and a failed one, hold nothing`() async throws {
        let budget = BodyBudget(bytes: 400 * Self.kibibyte)
        for _ in 0..<20 {
            await #expect(throws: BodyBudget.Full.self) { try await Self.length(of: 900 * Self.kibibyte, in: budget) }
            await #expect(throws: NIOTooManyBytesError.self) {
                try await budget.reading(Self.request(300 * Self.kibibyte), upTo: 100 * Self.kibibyte) { _ in }
            }
            await #expect(throws: TurnTaken.self) {
                try await budget.reading(Self.request(200 * Self.kibibyte), upTo: 8 << 20) { _ in throw TurnTaken() }
            }
        }
        #expect(try await Self.length(of: 300 * Self.kibibyte, in: budget) == 300 * Self.kibibyte)
    }

    @Test func `T31 too great a length is refused before a byte is read`() async throws {
        let budget = BodyBudget(bytes: 64 * Self.kibibyte)
        await #expect(throws: NIOTooManyBytesError.self) {
            try await budget.reading(Self.request(200 * Self.kibibyte, saysLength: true), upTo: 100 * Self.kibibyte) { _ in }
        }
    }

    @Test func `T36 a customer has one turn at a time, and others have theirs`() async throws {
        let turns = Turns<String>()
        try await turns.alone("ann") {
            await #expect(throws: TurnTaken.self) { try await turns.alone("ann") {} }
            try await turns.alone("ben") {}
        }
        await #expect(throws: BodyBudget.Full.self) { try await turns.alone("ann") { throw BodyBudget.Full() } }
        try await turns.alone("ann") {}
        let problem = ErrorMapping.problem(of: TurnTaken())
        #expect((problem.kind, problem.code, problem.retryAfterSeconds) == (.oneAtATime, "oneAtATime", 1))
    }

    @Test func `F28 T37 a flood beyond the budget is a line in the log and not a failure`() async throws {
        let lines = CapturingLogHandler.Lines()
        var configuration = ServerConfiguration.onAnyPort
        configuration.maximumHeldBodyBytes = 1000
        try await withWorld { [configuration] world in
            let logger = Logger(label: "tests") { _ in CapturingLogHandler(lines: lines) }
            try await world.application(configuration, logger: logger).test(.ahc()) { client in
                let port = try #require(client.port)
                let body = String(decoding: try world.uploadBody(), as: UTF8.self)
                let request = """
                    POST /api/v1/apps/app/customers/alice/transactions HTTP/1.1\r
                    Host: x\r
                    Authorization: Bearer \(World.serverKey)\r
                    Connection: close\r
                    Content-Length: \(body.utf8.count)\r
                    \r
                    \(body)
                    """
                for _ in 0..<20 {
                    let answer = try #require(try await RawConnection.answer(to: request, port))
                    #expect(answer.hasPrefix("HTTP/1.1 503 "))
                }
            }
        }
        #expect(!lines.all.contains { $0.hasPrefix("error") })
        #expect(lines.all.contains { $0.hasPrefix("warning") && $0.contains("overloaded") && $0.contains("unlogged") })
        let (sampler, start) = (LogSampler(every: .seconds(10)), ContinuousClock.now)
        #expect(sampler.admits(at: start) == 0)
        for _ in 0..<19 { #expect(sampler.admits(at: start + .seconds(9)) == nil) }
        #expect(sampler.admits(at: start + .seconds(10)) == 19)
        #expect(sampler.admits(at: start + .seconds(21)) == 0)
    }

    @Test func `F28 beyond the budget an upload is answered 503 with Retry-After, and nothing of it is kept`() async throws {
        var configuration = ServerConfiguration()
        configuration.maximumHeldBodyBytes = 1000
        try await withWorld { world in
            let rows = try world.rowCount()
            try await world.router(configuration).test(.router) { client in
                for answer in [
                    try await client.upload(try world.uploadBody()),
                    try await client.notify(try world.apple.body(Notification("u1", about: Purchase()))),
                ] {
                    #expect((answer.status, answer.code) == (.serviceUnavailable, "overloaded"))
                    #expect(answer.headers[.retryAfter] == "1")
                }
                #expect(try await client.get(World.entitlements).status == .ok)
            }
            #expect(try world.rowCount() == rows)
        }
    }
}
