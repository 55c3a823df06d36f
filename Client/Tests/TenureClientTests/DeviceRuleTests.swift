import Foundation
import Testing

@testable import TenureClient

@Suite("DEV-1, DEV-3, ENT-10 What the device owes to its customer")
struct DeviceRuleTests {
    private func with(first: Int, signs: Bool = false, _ body: (DeviceWorld) async throws -> Void) async throws {
        let world = try DeviceWorld(first: first, signs: signs)
        try await body(world)
        try world.remove()
    }

    // MARK: DEV-1

    @Test
    func `DEV-1 start takes what was never finished, then what is delivered, and finishes neither before the server has it`()
        async throws
    {
        try await with(first: 81_000_000) { world in
            let before = await world.store.renew("plus")
            let tenure = try world.launch()
            try await tenure.identify("alice")
            await tenure.start()
            #expect(await world.server.facts.keys.sorted() == ["81000001"], "\(before)")
            let after = await world.store.renew("plus")
            // The store's stream has a task of its own.
            while await world.store.finished.count < 2 { await Task.yield() }
            #expect(await world.server.facts.keys.sorted() == ["81000001", "81000002"], "\(after)")
            #expect(await world.server.facts.values.allSatisfy { $0.kind == "queue" })
            #expect(await world.store.finishedTooEarly.isEmpty)
            await tenure.stop()
        }
    }

    @Test func `DEV-1 an answer that is not the server's finishes nothing`() async throws {
        let others = [
            ServerResponse(status: 200, body: Data("<html>".utf8)), ServerResponse(status: 202), ServerResponse(status: 204),
            ServerResponse(status: 409, body: Data("<html>".utf8)), ServerResponse(status: 500),
            PretendServer.problem(503, "store"), PretendServer.problem(401, "customerTokenRefused"),
            PretendServer.problem(400, "invalidBody"), PretendServer.problem(413, "tooLarge"),
        ]
        for (number, other) in others.enumerated() {
            try await with(first: 82_000_000 + 10 * number) { world in
                let tenure = try world.launch()
                try await tenure.identify("alice")
                await world.server.disturb { $0.url.path.hasSuffix("/transactions") ? other : nil }
                await tenure.deliver(await world.store.renew("plus"))
                #expect(await world.store.finished.isEmpty, "status \(other.status)")
                #expect(await tenure.queue.count == 1, "status \(other.status)")
            }
        }
    }

    /// Lets no upload pass until it is opened.
    private actor Gate: ServerTransport {
        private let server: PretendServer
        private var isOpen = false

        init(_ server: PretendServer) { self.server = server }

        func open() { isOpen = true }

        func send(_ request: ServerRequest) async throws -> ServerResponse {
            while !isOpen, request.url.path.hasSuffix("/transactions") { await Task.yield() }
            return try await server.send(request)
        }
    }

    @Test func `DEV-1 what is delivered while another upload takes long is kept at once, and sent in the same turn`() async throws
    {
        try await with(first: 86_000_000) { world in
            let gate = Gate(world.server)
            let tenure = try world.launch(through: gate)
            try await tenure.identify("alice")
            await tenure.start()
            for count in 1...3 {
                _ = await world.store.renew("plus")
                while await tenure.queue.count < count { await Task.yield() }
            }
            #expect(await world.server.facts.isEmpty)
            // A process that ends here loses none of them.
            let kept = try FileManager.default.contentsOfDirectory(atPath: world.folder.appendingPathComponent("uploads").path)
            #expect(kept.count == 3)
            await gate.open()
            while await world.store.finished.count < 3 { await Task.yield() }
            #expect(await world.server.sent.values.allSatisfy { $0 == 1 })
            await tenure.stop()
        }
    }

    // MARK: DEV-3

    @Test func `DEV-3 restoring asks the server by account, and Apple neither before nor where the server does not answer`()
        async throws
    {
        try await with(first: 83_000_000) { world in
            let tenure = try world.launch()
            try await tenure.identify("alice")
            _ = try await tenure.purchase("plus")
            // Another device of alice's, signed in with another Apple Account.
            try FileManager.default.removeItem(at: world.folder)
            let (sent, phone) = (await world.server.sent, try world.launch())
            try await phone.identify("alice")
            #expect(try await phone.restore(.account).isActive("plus"))
            await world.server.disturb { _ in throw URLError(.notConnectedToInternet) }
            await #expect(throws: TenureProblem.self) { try await phone.restore(.account) }
            #expect(await phone.current().isActive("plus"))
            #expect(await world.store.askedForPassword == 0)
            #expect(await world.server.sent == sent, "nothing was uploaded")
        }
    }

    @Test func `DEV-3 what comes back from Apple and is known already is no second grant`() async throws {
        try await with(first: 84_000_000) { world in
            let tenure = try world.launch()
            try await tenure.identify("alice")
            _ = try await tenure.purchase("plus")
            let before = await tenure.current()
            for time in 1...3 {
                let after = try await tenure.restore(.appStore)
                #expect((after.start, after.end, after.isActive("plus")) == (before.start, before.end, true))
                #expect(await world.store.askedForPassword == time)
            }
            #expect(await world.server.facts == ["84000001": .init(customer: "alice", kind: "purchase")])
            // Who is logged in then has bought nothing.
            try await tenure.signOut()
            try await tenure.identify("bob")
            #expect(try await !tenure.restore(.appStore).isActive)
            #expect(await world.server.facts == ["84000001": .init(customer: "alice", kind: "purchase")])
        }
    }

    // MARK: ENT-10

    @Test
    func `ENT-10 a key that an update of the app no longer has takes back what it signed, and two keys take over in mid-life`()
        async throws
    {
        try await with(first: 85_000_000, signs: true) { world in
            let tenure = try world.launch()
            try await tenure.identify("alice")
            _ = try await tenure.purchase("plus")
            world.clock.pass(28 * Length.day)
            try await tenure.refresh()
            await world.server.disturb { _ in throw URLError(.notConnectedToInternet) }
            // An hour after its end it rests on what was signed.
            world.clock.pass(2 * Length.day + Length.hour)
            #expect(await tenure.current().source == .signed)
            var other = world
            let next = DeviceWorld.key()
            other.keys = try AnswerKeys(jwks: JWS.set([next.publicKey]))
            #expect(try await !other.launch().current().isActive, "the new version has the new key alone")
            other.keys = try AnswerKeys(jwks: JWS.set([next.publicKey] + [world.signer].compactMap { $0?.publicKey }))
            #expect(try await other.launch().current().source == .signed, "it has both")
            // The server has changed to the new one.
            await world.server.disturb(nil)
            await world.server.sign(by: next)
            let updated = try other.launch()
            try await updated.identify("alice")
            await updated.deliver(await world.store.renew("plus"))
            try await updated.refresh()
            #expect(await updated.claims?.offlineUntil("plus", at: Instant(millisecondsSince1970: world.clock.truth)) != nil)
            // Versions that were not updated believe none of it, and ask as ever.
            var problems = await tenure.problems().makeAsyncIterator()
            try await tenure.refresh()
            #expect(await problems.next() == TenureProblem(.signatureRefused, words: "\(SignedAnswerRefusal.unknownKey)"))
            #expect(await tenure.current().isActive)
        }
    }
}
