import AppStoreWire
import Primitives
import Testing

@testable import AppStoreGateway

@Suite struct `A host that fails is left alone` {
    private static let good = ScriptedServer.answer(200, #"{"signedTransactionInfo":"a.b.c"}"#)
    private static let bad = ScriptedServer.answer(503, headers: [])

    @Test func `while the breaker is open no request is sent, and one success closes it`() async throws {
        let script: @Sendable (Int, String) -> ScriptedServer.Reaction = { number, _ in .write(number < 6 ? Self.bad : Self.good)
        }
        try await ScriptedServer.run(script) { server in
            try await GatewayWorld.run(.waiting()) { world in
                for _ in 0..<5 { #expect(await world.failure(server.url)?.code == "notJSON") }
                let first = GatewayWorld.start.adding(.seconds(30))
                let refused = await world.failure(server.url)
                #expect(refused == .breakerOpen(until: first) && refused?.retryAt == first && refused?.scope == .host)
                #expect(server.record.requests.count == 5)
                #expect(world.gateway.state(ofHostAt: server.url)?.breaker == .open(until: first))
                #expect(world.calls.last?.failureCode == "breakerOpen" && world.calls.last?.status == nil)

                world.clock.move(by: .seconds(30))
                #expect(await world.failure(server.url)?.code == "notJSON")
                #expect(await world.failure(server.url) == .breakerOpen(until: first.adding(.seconds(60))))
                world.clock.move(by: .seconds(60))
                _ = try await world.ask(server.url).get()
                #expect(world.gateway.state(ofHostAt: server.url)?.breaker == .closed)
                _ = try await world.ask(server.url).get()
            }
            #expect(server.record.requests.count == 8)
        }
    }

    @Test func `a port on which nobody listens opens it, and no other host's`() async throws {
        try await ScriptedServer.withClosedPort { port in
            try await ScriptedServer.run({ _, _ in .write(Self.good) }) { server in
                try await GatewayWorld.run(.waiting()) { world in
                    for _ in 0..<5 {
                        #expect(await world.failure("http://127.0.0.1:\(port)") == .network(.connectionRefused))
                    }
                    #expect(await world.failure("http://127.0.0.1:\(port)")?.code == "breakerOpen")
                    _ = try await world.ask(server.url).get()
                }
            }
        }
    }

    @Test(arguments: [
        ScriptedServer.answer(429, headers: []), ScriptedServer.answer(401, headers: []),
        ScriptedServer.answer(404, #"{"errorCode":4040010,"errorMessage":"x"}"#),
        ScriptedServer.answer(200, "<html>", headers: []),
    ])
    func `a host that refuses one app, or one transaction, works`(answer: String) async throws {
        try await ScriptedServer.run({ _, _ in .write(answer) }) { server in
            try await GatewayWorld.run(.waiting()) { world in
                for _ in 0..<25 { _ = await world.failure(server.url) }
                #expect(world.gateway.state(ofHostAt: server.url)?.breaker == .closed)
            }
            #expect(server.record.requests.count == 25)
        }
    }

    @Test func `calls that are cancelled say nothing about a host`() async throws {
        try await ScriptedServer.run({ _, _ in .hang }) { server in
            try await GatewayWorld.run(.waiting()) { world in
                for _ in 0..<6 {
                    let asking = Task { await world.failure(server.url) }
                    asking.cancel()
                    #expect(await asking.value == .cancelled)
                }
                #expect(world.gateway.state(ofHostAt: server.url)?.breaker == .closed)
            }
        }
    }

    @Test func `many calls at once share the connections that are allowed`() async throws {
        var configuration = GatewayConfiguration.waiting()
        configuration.connectionsPerHost = 3
        try await ScriptedServer.run({ _, _ in .write(Self.good) }) { server in
            try await GatewayWorld.run(configuration) { world in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<40 { group.addTask { _ = try await world.ask(server.url).get() } }
                    try await group.waitForAll()
                }
            }
            #expect(server.record.requests.count == 40 && server.record.connections <= 3)
        }
    }
}
