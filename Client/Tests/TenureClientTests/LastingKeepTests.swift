import Foundation
import Testing

@testable import TenureClient

/// What outlasts an app, as a test sees it.
final class TestItem: LastingItem, @unchecked Sendable {
    private let lock = NSLock()
    private var data: Data?
    private var failure: (any Error)?

    func fail(_ failure: (any Error)?) { lock.withLock { self.failure = failure } }
    func read() throws -> Data? { try lock.withLock { if let failure { throw failure } else { data } } }
    func write(_ data: Data) throws { try lock.withLock { if let failure { throw failure } else { self.data = data } } }
    func spoil() { lock.withLock { data = Data("no list".utf8) } }
}

/// Files that fail.
private final class TestKeep: Keep, @unchecked Sendable {
    private let lock = NSLock()
    private var values: [String: Data] = [:]
    private var failure: (any Error)?

    func fail(_ failure: (any Error)?) { lock.withLock { self.failure = failure } }
    func forget() { lock.withLock { values = [:] } }
    var names: [String] { lock.withLock { values.keys.sorted() } }
    func value(_ name: String) throws -> Data? { try lock.withLock { if let failure { throw failure } else { values[name] } } }
    func save(_ value: Data, as name: String) throws {
        try lock.withLock { if let failure { throw failure } else { values[name] = value } }
    }
}

@Suite("DEV-2 Two copies of the last answer")
struct LastingKeepTests {
    private let files = TestKeep()
    private let item = TestItem()
    private var keep: LastingKeep { LastingKeep(files, and: item) }
    private let alice = Tenure.Kept.answer(to: "alice")

    /// An answer of an instant, whose clock has seen another one.
    private func held(at: Int64, seen: Int64 = 0) throws -> Data {
        let text = """
            {"customer":"alice","environment":"Production","at":\(at),"isActive":true,"start":0,"end":null,"entitlements":[]}
            """
        let answer = try JSONDecoder().decode(ServerAnswer.self, from: Data(text.utf8))
        var held = HeldAnswer(answer, asked: ClockReading(wall: .init(millisecondsSince1970: 0), monotonic: 0, boot: nil))
        _ = held.access(at: ClockReading(wall: .init(millisecondsSince1970: seen), monotonic: 0, boot: nil), claims: nil)
        let encoder = JSONEncoder()
        // One answer is the same bytes each time.
        encoder.outputFormatting = .sortedKeys
        return try encoder.encode(held)
    }

    @Test func `only the last answers are kept twice`() throws {
        try keep.save(Data("who".utf8), as: Tenure.Kept.identity)
        #expect(try item.read() == nil)
        try keep.save(try held(at: 5), as: alice)
        #expect(try item.read() != nil && files.names == [alice, Tenure.Kept.identity])
        files.forget()
        #expect(try keep.value(Tenure.Kept.identity) == nil, "the app was deleted, and another customer begins")
        #expect(try keep.value(alice) == held(at: 5), "what the clock had seen is there still")
    }

    @Test func `the newer answer counts, and of one answer the copy that has seen the later time`() throws {
        for (file, other, best) in [
            ((5, 0), (6, 0), (6, 0)), ((6, 0), (5, 0), (6, 0)), ((6, 0), (5, 900), (6, 0)), ((5, 900), (6, 0), (6, 0)),
            ((5, 10), (5, 20), (5, 20)), ((5, 20), (5, 10), (5, 20)), ((5, 10), (5, 10), (5, 10)),
        ] as [((Int64, Int64), (Int64, Int64), (Int64, Int64))] {
            try keep.save(try held(at: other.0, seen: other.1), as: alice)
            try files.save(try held(at: file.0, seen: file.1), as: alice)
            let value = try keep.value(alice)
            let expected = try held(at: best.0, seen: best.1)
            #expect(value == expected, "\(file) \(other)")
        }
    }

    @Test func `a copy that cannot be read or understood is as none`() throws {
        try keep.save(try held(at: 5), as: alice)
        item.fail(URLError(.unknown))
        #expect(try keep.value(alice) == held(at: 5))
        files.forget()
        #expect(try keep.value(alice) == nil)
        item.fail(nil)
        #expect(try keep.value(alice) == held(at: 5))
        files.fail(URLError(.unknown))
        #expect(try keep.value(alice) == held(at: 5), "the file cannot be read")
        item.spoil()
        #expect(throws: URLError.self) { try keep.value(alice) }
        files.fail(nil)
        try files.save(Data("no answer".utf8), as: alice)
        #expect(try keep.value(alice) == Data("no answer".utf8), "there is nothing better")
        try keep.save(try held(at: 6), as: alice)
        try files.save(Data("no answer".utf8), as: alice)
        #expect(try keep.value(alice) == held(at: 6))
    }

    @Test func `each copy is written whatever becomes of the other, and a failure is said`() throws {
        files.fail(URLError(.unknown))
        #expect(throws: URLError.self) { try keep.save(try held(at: 5), as: alice) }
        files.fail(nil)
        #expect(try files.value(alice) == nil)
        #expect(try keep.value(alice) == held(at: 5))
        item.fail(CocoaError(.fileWriteUnknown))
        #expect(throws: CocoaError.self) { try keep.save(try held(at: 6), as: alice) }
        #expect(try files.value(alice) == held(at: 6))
        #expect(try keep.value(alice) == held(at: 6))
    }

    @Test func `the answers to twenty customers are kept, those that came last`() throws {
        for number in 0..<25 { try keep.save(try held(at: Int64(number)), as: Tenure.Kept.answer(to: "\(number)")) }
        try keep.save(try held(at: 100), as: Tenure.Kept.answer(to: "5"))
        try keep.save(try held(at: 101), as: Tenure.Kept.answer(to: "new"))
        files.forget()
        let there = try (0..<25).filter { try keep.value(Tenure.Kept.answer(to: "\($0)")) != nil }
        #expect(there == [5] + Array(7..<25))
    }

    @Test func `the app is deleted and installed again: the clock that was set back meanwhile ends access`() async throws {
        let world = try DeviceWorld(first: 90_000_000)
        func launch() throws -> Tenure {
            var configuration = try Tenure.Configuration(
                server: URL(string: "https://tenure.example.com")!, app: "notes", publicKey: "pk", store: world.store,
                folder: world.folder, customerToken: { "token-of-\($0)" })
            configuration.transport = world.server
            configuration.clock = world.clock
            configuration.keep = keep
            return try Tenure(configuration)
        }
        await world.server.give("alice", until: world.clock.truth + 30 * Length.day)
        var tenure = try launch()
        let access = try await tenure.identify("alice")
        #expect(access.isActive)
        world.clock.pass(20 * Length.day)
        #expect(await tenure.current().isActive)
        files.forget()
        await world.server.disturb { _ in throw URLError(.notConnectedToInternet) }
        // Another boot, in which the clock shows what it showed ten days ago.
        world.clock.change { device in
            device.boot += 1
            device.offset -= 10 * Length.day
        }
        tenure = try launch()
        let again = try await tenure.identify("alice")
        #expect(!again.isActive && again.doubt == .clockSetBack)
        try world.remove()
    }
}
