package import NIOCore
import NIOPosix
import Synchronization

/// A TCP proxy on 127.0.0.1 that does what networks do: it delays, cuts, goes silent. One seed gives one behaviour for the same
/// traffic. For tests and for the chaos tool; toxics may be changed while connections stand.
package final class FaultProxy: Sendable {
    private struct State: Sendable {
        var toxics: Toxics
        var connections: [ObjectIdentifier: Connection] = [:]
        var accepted = 0
        var traffic = Traffic()
    }

    /// Bytes that came in on all connections.
    package struct Traffic: Sendable, Hashable {
        package var toServer = 0
        package var toClient = 0
    }

    private let state: Mutex<State>
    private let server: any Channel
    private let acceptor: Acceptor
    /// Where to connect instead of to the server.
    package let port: Int

    /// Who makes connections; apart from the proxy, since the listening socket wants one before there is a proxy.
    private final class Acceptor: Sendable {
        let proxy = Mutex<FaultProxy?>(nil)
    }

    private init(server: any Channel, port: Int, acceptor: Acceptor, toxics: Toxics) {
        self.server = server
        self.port = port
        self.acceptor = acceptor
        state = Mutex(State(toxics: toxics))
        acceptor.proxy.withLock { $0 = self }
    }

    /// Listens on a port that the kernel chooses.
    ///
    /// - Parameters:
    ///   - serverPort: of the server, on 127.0.0.1.
    ///   - seed: of everything that is left to chance.
    package static func started(
        to serverPort: Int, toxics: Toxics = Toxics(), seed: UInt64 = 1,
        group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
    ) async throws -> FaultProxy {
        let acceptor = Acceptor()
        let channel = try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { client in
                guard let proxy = acceptor.proxy.withLock({ $0 }) else { return client.close() }
                return proxy.accept(client, serverPort: serverPort, seed: seed)
            }
            .bind(host: "127.0.0.1", port: 0).get()
        guard let port = channel.localAddress?.port else { throw ChannelError.unknownLocalAddress }
        return FaultProxy(server: channel, port: port, acceptor: acceptor, toxics: toxics)
    }

    private func accept(_ client: any Channel, serverPort: Int, seed: UInt64) -> EventLoopFuture<Void> {
        let number = state.withLock { state in
            state.accepted += 1
            return state.accepted
        }
        let loop = client.eventLoop
        let connection = Connection(proxy: self, client: client, seed: seed &+ UInt64(number))
        state.withLock { $0.connections[ObjectIdentifier(connection)] = connection }
        return ClientBootstrap(group: loop)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.autoRead, value: false)
            .connect(host: "127.0.0.1", port: serverPort)
            .flatMapThrowing { server in try connection.join(server) }
            .flatMapError { error in
                // Nobody listens there: say so as a server would that has just gone.
                self.forget(connection)
                return client.close().flatMapThrowing { throw error }
            }
    }

    /// Both sides of the connection are closed.
    func forget(_ connection: Connection) {
        state.withLock { _ = $0.connections.removeValue(forKey: ObjectIdentifier(connection)) }
    }

    /// What is done from now on, also to connections that stand.
    package var toxics: Toxics { state.withLock { $0.toxics } }

    /// Changes what is done.
    package func set(_ change: (inout Toxics) -> Void) {
        let connections = state.withLock { state in
            change(&state.toxics)
            return Array(state.connections.values)
        }
        for connection in connections { connection.toxicsHaveChanged() }
    }

    /// Bytes that came in on all connections since the start.
    package var traffic: Traffic { state.withLock { $0.traffic } }

    /// Connections that stand.
    package var connectionCount: Int { state.withLock { $0.connections.count } }

    /// Resets every connection that stands.
    package func resetAll() {
        for connection in state.withLock({ Array($0.connections.values) }) { connection.reset() }
    }

    /// Listens no more and resets what stands.
    package func stop() async throws {
        resetAll()
        acceptor.proxy.withLock { $0 = nil }
        try await server.close()
    }

    func count(_ bytes: Int, _ direction: Toxics.Direction) {
        state.withLock { state in
            if direction == .toServer { state.traffic.toServer += bytes } else { state.traffic.toClient += bytes }
        }
    }

    /// True for the one who may carry out the cut.
    func spend(_ cut: Toxics.Cut) -> Bool {
        state.withLock { state in
            guard state.toxics.cut == cut else { return false }
            state.toxics.cut = nil
            return true
        }
    }

    /// True for the one who may swallow an answer to COMMIT.
    func spendCommitReply() -> Bool {
        state.withLock { state in
            guard state.toxics.commitRepliesToDrop > 0 else { return false }
            state.toxics.commitRepliesToDrop -= 1
            return true
        }
    }
}
