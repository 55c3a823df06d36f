import Foundation
import Testing

@testable import TenureClient

/// A process that ends at one of its operations: at a file, at the network, at the store. From then on nothing that it does has
/// any effect.
private final class Mortal: @unchecked Sendable {
    private let lock = NSLock()
    private var left: Int
    /// Whether the operation at which it ends still happens.
    private let afterwards: Bool

    init(operations: Int, afterwards: Bool) { (left, self.afterwards) = (operations, afterwards) }

    struct Dead: Error {}

    enum Fate { case lives, diesBefore, diesAfter }

    func next() throws -> Fate {
        try lock.withLock {
            guard left > 0 else { throw Dead() }
            left -= 1
            return left > 0 ? .lives : afterwards ? .diesAfter : .diesBefore
        }
    }

    func step<Value>(_ body: () throws -> Value) throws -> Value {
        let fate = try next()
        if fate == .diesBefore { throw Dead() }
        let value = try body()
        if fate == .diesAfter { throw Dead() }
        return value
    }

    func step<Value>(_ body: () async throws -> Value) async throws -> Value {
        let fate = try next()
        if fate == .diesBefore { throw Dead() }
        let value = try await body()
        if fate == .diesAfter { throw Dead() }
        return value
    }

    var isDead: Bool { lock.withLock { left <= 0 } }
}

private struct MortalFiles: FileOperations {
    let mortal: Mortal
    let files = SystemFiles()

    func makeFolder(_ url: URL) throws { try mortal.step { try files.makeFolder(url) } }
    func names(in url: URL) throws -> [String] { try mortal.step { try files.names(in: url) } }
    func contents(_ url: URL) throws -> Data? { try mortal.step { try files.contents(url) } }
    func rename(_ url: URL, to other: URL) throws { try mortal.step { try files.rename(url, to: other) } }
    func sync(_ folder: URL) throws { try mortal.step { try files.sync(folder) } }
    func remove(_ url: URL) throws { try mortal.step { try files.remove(url) } }

    func write(_ data: Data, to url: URL) throws {
        switch try mortal.next() {
        case .lives: try files.write(data, to: url)
        case .diesBefore: throw Mortal.Dead()
        case .diesAfter:
            // In the middle of it.
            try files.write(data.prefix(data.count / 2), to: url)
            throw Mortal.Dead()
        }
    }
}

private struct MortalTransport: ServerTransport {
    let mortal: Mortal
    let server: PretendServer

    func send(_ request: ServerRequest) async throws -> ServerResponse {
        try await mortal.step { try await server.send(request) }
    }
}

private struct MortalStore: DeviceStore {
    let mortal: Mortal
    let store: TestStore

    func deliveries() -> AsyncStream<StoreTransaction> { store.deliveries() }
    func promoted() -> AsyncStream<String> { store.promoted() }
    func hints() -> AsyncStream<Void> { store.hints() }
    func products(_ ids: [String]) async throws -> [StoreProduct] { try await store.products(ids) }
    func unfinished() async throws -> [StoreTransaction] { try await mortal.step { await store.unfinished() } }
    func latest() async throws -> [StoreTransaction] { [] }
    func signedAppTransaction() async throws -> String? { try await mortal.step { await store.signedAppTransaction() } }
    func receipt() async throws -> Data? { try await mortal.step { await store.receipt() } }
    func refreshReceipt() async throws -> Data? { try await mortal.step { await store.refreshReceipt() } }
    func synchronize() async throws {}

    func purchase(_ productId: String, appAccountToken: UUID?, offer: SignedOffer?) async throws -> StorePurchase {
        try await mortal.step { try await store.purchase(productId, appAccountToken: appAccountToken, offer: offer) }
    }

    func finish(_ transaction: StoreTransaction) async {
        do {
            try await mortal.step { await store.finish(transaction) }
        } catch {
            // A dead process finishes nothing.
        }
    }
}

@Suite("DEV-1 The process may end at any operation")
struct KillTests {
    /// One life of the app that buys something and ends at an operation.
    ///
    /// - Returns: whether it came to its end before.
    private static func life(_ world: DeviceWorld, _ mortal: Mortal) async throws -> Bool {
        do {
            var configuration = try Tenure.Configuration(
                server: URL(string: "https://tenure.example.com")!, app: "notes", publicKey: "pk",
                store: MortalStore(mortal: mortal, store: world.store), folder: world.folder,
                customerToken: { "token-of-\($0)" })
            configuration.transport = MortalTransport(mortal: mortal, server: world.server)
            configuration.clock = world.clock
            configuration.files = MortalFiles(mortal: mortal)
            configuration.keep = FileKeep(
                try Folder(world.folder.appendingPathComponent("state"), MortalFiles(mortal: mortal)))
            let tenure = try Tenure(configuration)
            try await tenure.identify("alice")
            await tenure.takeUnfinished()
            _ = try await tenure.purchase("plus")
            await tenure.showApp()
        } catch is Mortal.Dead {
            return false
        } catch is TenureProblem {
            return !mortal.isDead
        }
        return !mortal.isDead
    }

    /// - Returns: what is wrong with what the server and the store have at the end; nil where nothing is.
    private static func fault(operations: Int, afterwards: Bool, first: Int) async throws -> (text: String?, lived: Bool) {
        let world = try DeviceWorld(first: first)
        await world.store.hasApp(signed: "proof")
        let lived = try await life(world, Mortal(operations: operations, afterwards: afterwards))
        // The next process of the app lives.
        let tenure = try world.launch()
        try await tenure.identify("alice")
        await tenure.takeUnfinished()
        await tenure.foreground()
        let made = await world.store.made
        let (facts, finished, early) = (await world.server.facts, await world.store.finished, await world.store.finishedTooEarly)
        let waiting = await tenure.queue.count
        await tenure.showApp()
        let (shown, proofs) = (await world.server.appTransactions, await tenure.proofs.count)
        try world.remove()
        let wanted = Dictionary(uniqueKeysWithValues: made.map { ($0, PretendServer.Fact(customer: "alice", kind: "purchase")) })
        if facts != wanted { return ("facts are \(facts), and \(made) were made", lived) }
        if Set(finished) != Set(made) || !early.isEmpty {
            return ("finished \(finished), too early \(early), made \(made)", lived)
        }
        if shown["alice"] != ["proof"] || proofs != 0 { return ("shown is \(shown), and \(proofs) wait", lived) }
        return (waiting == 0 ? nil : "\(waiting) wait", lived)
    }

    @Test func `D1 ended at each operation in turn, every purchase reaches the server once, as its buyer's`() async throws {
        var operations = 1
        // Until a life is long enough to end by itself; then it was ended at each of its operations.
        while true {
            let before = try await Self.fault(operations: operations, afterwards: false, first: 20_000_000 + operations * 10)
            let after = try await Self.fault(operations: operations, afterwards: true, first: 30_000_000 + operations * 10)
            #expect(before.text == nil, "ended before operation \(operations): \(before.text ?? "")")
            #expect(after.text == nil, "ended after operation \(operations): \(after.text ?? "")")
            if before.lived { break }
            operations += 1
            try #require(operations < 500)
        }
        #expect(operations > 40, "\(operations) operations")
        Size.figure("D1", "each of \(operations) operations, before and after it")
    }

    @Test func `D1 a thousand purchases, ended at random, several times in a row`() async throws {
        var (part, lives, purchases) = (0, 0, 0)
        // In full until so many were bought: some lives end before they buy.
        while part < 50 || Size.isFull && purchases < 1000 {
            defer { part += 1 }
            var generator = Seeded(state: UInt64(part))
            let world = try DeviceWorld(first: 40_000_000 + part * 1000)
            for _ in 0..<20 {
                let mortal = Mortal(
                    operations: Int.random(in: 1...120, using: &generator), afterwards: Bool.random(using: &generator))
                _ = try await Self.life(world, mortal)
                lives += 1
                world.clock.pass(Length.hour)
            }
            let tenure = try world.launch()
            try await tenure.identify("alice")
            await tenure.takeUnfinished()
            await tenure.foreground()
            let (made, facts) = (await world.store.made, await world.server.facts)
            purchases += made.count
            #expect(Set(facts.keys) == Set(made), "part \(part)")
            #expect(facts.values.allSatisfy { $0 == .init(customer: "alice", kind: "purchase") }, "part \(part): \(facts)")
            #expect(Set(await world.store.finished) == Set(made), "part \(part)")
            #expect(await world.store.finishedTooEarly.isEmpty)
            try world.remove()
        }
        Size.figure("D1", "\(purchases) purchases in \(lives) lives ended at random")
    }
}
