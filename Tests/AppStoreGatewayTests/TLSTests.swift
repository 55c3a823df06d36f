import Foundation
import NIOSSL
import Primitives
import Testing

@testable import AppStoreGateway

@Suite struct `The connection is Apple's or there is none` {
    private static let good = ScriptedServer.answer(200, #"{"signedTransactionInfo":"a.b.c"}"#)

    /// The TLS library reads the machine's clock, so the gateway must, too.
    private static var clock: TestClock {
        TestClock(Timestamp(millisecondsSince1970: Int64(Date().timeIntervalSince1970 * 1000)))
    }

    private static func configuration(_ root: [UInt8]?) -> GatewayConfiguration {
        var configuration = GatewayConfiguration.waiting()
        configuration.additionalRoots = root.map { [$0] } ?? []
        return configuration
    }

    private static func result(of server: NIOSSLContext?, root: [UInt8]?) async throws -> (
        failure: GatewayFailure?, requests: Int
    ) {
        try await ScriptedServer.run(tls: server, { _, _ in .write(good) }) { server in
            let failure: GatewayFailure? = try await GatewayWorld.run(configuration(root), clock: clock) { world in
                switch await world.ask("https://localhost:\(server.port)") {
                case .success: nil
                case .failure(let failure): failure
                }
            }
            return (failure, server.record.requests.count)
        }
    }

    @Test func `a certificate for the host's name from an authority that was configured is accepted`() async throws {
        let authority = try TestAuthority()
        for root in [try authority.der, try authority.pem] {
            let (failure, requests) = try await Self.result(of: authority.server(), root: root)
            #expect(failure == nil && requests == 1)
        }
    }

    @Test func `without that configuration only the system's authorities count`() async throws {
        let (failure, requests) = try await Self.result(of: TestAuthority().server(), root: nil)
        #expect(failure == .network(.tls(.certificateUntrusted)) && requests == 0)
    }

    @Test func `a certificate for another name is refused`() async throws {
        let authority = try TestAuthority()
        let (failure, requests) = try await Self.result(of: authority.server("api.storekit.example"), root: try authority.der)
        #expect(failure == .network(.tls(.wrongName)) && requests == 0)
    }

    @Test func `a certificate that has expired, or is not valid yet, is refused`() async throws {
        let authority = try TestAuthority()
        let expired = try await Self.result(of: authority.server(days: -5 ... -1), root: try authority.der)
        #expect(expired.failure == .network(.tls(.certificateExpired)) && expired.requests == 0)
        let early = try await Self.result(of: authority.server(days: 1...5), root: try authority.der)
        #expect(early.failure == .network(.tls(.certificateNotYetValid)) && early.requests == 0)
    }

    @Test func `a certificate that signed itself, or that another authority of the same name issued, is refused`() async throws {
        let authority = try TestAuthority()
        let own = try await Self.result(of: authority.server(isSelfSigned: true), root: try authority.der)
        #expect(own.failure == .network(.tls(.certificateUntrusted)) && own.requests == 0)
        let other = try await Self.result(of: TestAuthority().server(), root: try authority.der)
        #expect(other.failure == .network(.tls(.certificateUntrusted)) && other.requests == 0)
    }

    @Test func `a server without TLS gets no request`() async throws {
        let (failure, requests) = try await Self.result(of: nil, root: nil)
        #expect(failure == .network(.tls(.handshake)) && requests == 0)
        #expect(failure?.mayHaveBeenCarriedOut == false)
    }

    @Test func `a server that accepts a connection and then says nothing costs the time of connecting`() async throws {
        try await ScriptedServer.run(answersTLS: false, { _, _ in .hang }) { server in
            var configuration = GatewayConfiguration.waiting()
            configuration.connectTimeout = Milliseconds(200)
            try await GatewayWorld.run(configuration) { world in
                #expect(await world.failure("https://localhost:\(server.port)") == .network(.connectTimeout))
            }
            #expect(server.record.requests.isEmpty)
        }
    }

    @Test func `a root that is no certificate is refused with its place`() throws {
        var configuration = GatewayConfiguration()
        configuration.additionalRoots = [try TestAuthority().der, Array("-----BEGIN CERTIFICATE-----".utf8)]
        #expect(throws: GatewayConfigurationError.rootUnreadable(1)) {
            _ = try AppStoreGateway(configuration, now: { GatewayWorld.start })
        }
        configuration.additionalRoots = [[1, 2, 3]]
        #expect(throws: GatewayConfigurationError.rootUnreadable(0)) {
            _ = try AppStoreGateway(configuration, now: { GatewayWorld.start })
        }
    }
}
