import AsyncHTTPClient
import Backend
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Primitives
import Testing

@testable import Delivery

@Suite struct `A connection goes to the address that was checked` {
    private static let name = "receiver.example"
    private static let ok = Receiver.answer(200)

    /// Two receivers on one port: the first one is what the configuration allows, the other must never be reached.
    private func withCanary(_ body: (Receiver, Receiver) async throws -> Void) async throws {
        try await Receiver.run(at: "127.0.0.1", { _ in .write(Self.ok) }) { canary in
            try await Receiver.run(at: "127.0.0.2", port: canary.port, { _ in .write(Self.ok) }) { receiver in
                try await body(receiver, canary)
            }
        }
    }

    /// W7. Each attempt looks the name up anew, and each time it means something else.
    @Test func `TELL-4 a name that changes its address between attempts never leads to one that is not allowed`() async throws {
        let meanings = [
            ["127.0.0.2"], ["127.0.0.1"], ["127.0.0.2", "127.0.0.1"], ["127.0.0.2"], ["127.0.0.1", "127.0.0.2"], ["::1"],
            ["0.0.0.0"],
            ["127.0.0.2", "::ffff:127.0.0.1"],
        ]
        let turns = (0..<1000).map { meanings[$0 % meanings.count] }
        let resolver = TableResolver([Self.name: turns])
        var configuration = DeliveryConfiguration.waiting()
        configuration.recheckAfter = Milliseconds(0)
        try await withCanary { receiver, canary in
            try await CourierWorld.run(allow: ["127.0.0.2"], resolver: resolver, configuration: configuration) { world in
                let url = "http://\(Self.name):\(receiver.port)/"
                let outcomes = await withTaskGroup(of: [ParcelOutcome.Answer].self) { group in
                    for _ in 0..<8 {
                        group.addTask {
                            var outcomes: [ParcelOutcome.Answer] = []
                            for _ in 0..<125 { outcomes.append(await world.send(url)) }
                            return outcomes
                        }
                    }
                    return await group.reduce(into: []) { $0 += $1 }
                }
                #expect(resolver.count == 1000 && outcomes.count == 1000)
                let answered = outcomes.filter { $0 == .answered(status: 200, retryAfter: nil, beginning: "") }
                let refused = outcomes.filter { if case .failed(.addressRefused, _) = $0 { true } else { false } }
                // Each eight look-ups have two of the allowed address alone.
                #expect(answered.count == 250 && refused.count == 750)
                #expect(receiver.record.requests.count == 250)
            }
            #expect(canary.record.connections == 0)
        }
    }

    @Test func `TELL-4 an address that was accepted when it was written is refused when it leads elsewhere later`() async throws {
        let resolver = TableResolver([Self.name: [["127.0.0.2"], ["127.0.0.1"]]])
        try await withCanary { receiver, canary in
            try await CourierWorld.run(allow: ["127.0.0.2"], resolver: resolver) { world in
                let url = "http://\(Self.name):\(receiver.port)/"
                try await world.courier.check(url)
                #expect(await world.failure(url) == .addressRefused)
            }
            #expect(receiver.record.connections == 0 && canary.record.connections == 0)
        }
    }

    @Test func `a name is looked up again after a minute, and until then connections go where it led`() async throws {
        let resolver = TableResolver([Self.name: [["127.0.0.2"], ["127.0.0.1"]]])
        try await withCanary { first, second in
            try await CourierWorld.run(allow: ["127.0.0.0/8"], resolver: resolver) { world in
                let url = "http://\(Self.name):\(first.port)/"
                #expect(await world.status(url) == 200)
                world.steady.move(by: .seconds(59))
                #expect(await world.status(url) == 200)
                #expect(resolver.count == 1 && first.record.requests.count == 2)
                world.steady.move(by: .seconds(1))
                #expect(await world.status(url) == 200)
                #expect(resolver.count == 2 && second.record.requests.count == 1 && first.record.requests.count == 2)
                #expect(world.courier.clients == 1)
            }
        }
    }

    @Test func `the same addresses in another order keep their connections`() async throws {
        let resolver = TableResolver([Self.name: [["127.0.0.2", "127.0.0.1"], ["127.0.0.1", "127.0.0.2"]]])
        try await withCanary { first, second in
            try await CourierWorld.run(allow: ["127.0.0.0/8"], resolver: resolver) { world in
                for _ in 0..<3 {
                    #expect(await world.status("http://\(Self.name):\(first.port)/") == 200)
                    world.steady.move(by: .seconds(61))
                }
                #expect(first.record.connections == 1 && second.record.connections == 0)
            }
        }
    }

    @Test func `what is on its way to an old address is answered by it`() async throws {
        let resolver = TableResolver([Self.name: [["127.0.0.2"], ["127.0.0.1"]]])
        try await Receiver.run(at: "127.0.0.1", { _ in .write(Self.ok) }) { new in
            try await Receiver.run(at: "127.0.0.2", port: new.port, { _ in .hold }) { old in
                try await CourierWorld.run(allow: ["127.0.0.0/8"], resolver: resolver) { world in
                    let url = "http://\(Self.name):\(old.port)/"
                    async let late = world.status(url)
                    await old.waitForRequests(1)
                    world.steady.move(by: .seconds(61))
                    #expect(await world.status(url) == 200)
                    #expect(world.courier.clients == 2)
                    old.answerAll(Receiver.answer(299))
                    #expect(await late == 299)
                    #expect(world.courier.clients == 1 && new.record.requests.count == 1)
                }
            }
        }
    }

    @Test func `connections are kept for so many endpoints, those that were used last`() async throws {
        var configuration = DeliveryConfiguration.waiting()
        configuration.endpoints = 2
        try await Receiver.run({ _ in .write(Self.ok) }) { receiver in
            try await CourierWorld.run(
                allow: ["127.0.0.1"], resolver: TableResolver([:], fallback: ["127.0.0.1"]), configuration: configuration
            ) { world in
                for path in ["a", "b", "a", "c", "a", "b"] {
                    #expect(await world.status("http://\(Self.name):\(receiver.port)/\(path)") == 200)
                    #expect(world.courier.clients <= 2)
                }
                // `b` had to go for `c`, and came again; `a` stayed.
                #expect(receiver.record.connections == 4)
            }
        }
    }

    // MARK: The connection itself

    /// An IP address in a URL is where the client goes, whatever it was made for: only the check of the connection is left.
    @Test func `TELL-4 nothing is sent on a connection that leads to another address than the checked one`() async throws {
        try await Receiver.run({ _ in .write(Self.ok) }) { receiver in
            let settings = try ClientSettings(.waiting())
            let url = try EndpointURL("http://127.0.0.1:\(receiver.port)/")
            for (checked, isSent) in [("127.0.0.9", false), ("127.0.0.1", true)] {
                let client = settings.client(for: url, at: try #require(IPAddress(checked)))
                let answer = await ParcelExchange.answer(
                    to: HTTPClientRequest(url: url.text), by: client, timeout: .minutes(10), now: { CourierWorld.start })
                // First of all: a client that is left open ends the process.
                try await client.shutdown()
                if isSent {
                    #expect(answer == .answered(status: 200, retryAfter: nil, beginning: ""))
                } else if case .failed(.addressRefused, _) = answer {
                    #expect(receiver.record.requests.isEmpty)
                } else {
                    Issue.record("\(answer)")
                }
            }
        }
    }

    @Test func `of each answer at most 48 KB are received, counted anew for each request`() throws {
        let channel = EmbeddedChannel(handler: AnswerLimit(100))
        defer { #expect(throws: Never.self) { try channel.finish(acceptAlreadyClosed: true) } }
        for _ in 0..<3 {
            try channel.writeOutbound(ByteBuffer(string: "request"))
            try channel.writeInbound(ByteBuffer(repeating: 1, count: 60))
            try channel.writeInbound(ByteBuffer(repeating: 1, count: 40))
        }
        #expect(throws: AnswerLimit.Exceeded.self) { try channel.writeInbound(ByteBuffer(repeating: 1, count: 1)) }
        #expect(!channel.isActive)
        #expect(ConnectionChecks.longestAnswer + ConnectionChecks.read <= 64 * 1024)
    }
}
