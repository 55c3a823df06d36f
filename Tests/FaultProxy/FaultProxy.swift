package import NIOCore
import NIOPosix
import Synchronization

/// A TCP proxy on 127.0.0.1 that imitates bad networks: it delays, cuts, goes silent. One seed gives the same behaviour for the
/// same traffic. For tests and for the chaos tool; toxics may be changed while connections are open.
package final class FaultProxy: Sendable {
    private struct State: Sendable {
        var toxics: Toxics
        var connections: [ObjectIdentifier: Connection] = [:]
        var accepted = 0
        var traffic = Traffic()
    }

    /// Bytes received on all connections.
    package struct Traffic: Sendable, Hashable {
        package var toServer = 0
        package var toClient = 0
    }

    private let state: Mutex<State>
    private let server: any Channel
    private let acceptor: Acceptor
    /// Where to connect instead of to the server.
    package let port: Int

    /// Creates connections; separate from the proxy, because the listening socket needs it before the proxy exists.
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
    ///   - seed: determines everything random.
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
                // Nobody listens there: behave like a server that has just ended.
                self.forget(connection)
                return client.close().flatMapThrowing { throw error }
            }
    }

    /// Removes a connection; both of its sides are closed.
    func forget(_ connection: Connection) {
        state.withLock { _ = $0.connections.removeValue(forKey: ObjectIdentifier(connection)) }
    }

    /// The effects from now on, also on open connections.
    package var toxics: Toxics { state.withLock { $0.toxics } }

    /// Changes the effects.
    package func set(_ change: (inout Toxics) -> Void) {
        let connections = state.withLock { state in
            change(&state.toxics)
            return Array(state.connections.values)
        }
        for connection in connections { connection.toxicsHaveChanged() }
    }

    /// Bytes received on all connections since the start.
    package var traffic: Traffic { state.withLock { $0.traffic } }

    /// The number of open connections.
    package var connectionCount: Int { state.withLock { $0.connections.count } }

    /// Resets every open connection.
    package func resetAll() {
        for connection in state.withLock({ Array($0.connections.values) }) { connection.reset() }
    }

    /// Stops listening and resets open connections.
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

    /// True for the connection that may carry out the cut.
    func spend(_ cut: Toxics.Cut) -> Bool {
        state.withLock { state in
            guard state.toxics.cut == cut else { return false }
            state.toxics.cut = nil
            return true
        }
    }

    /// True for the connection that may drop an answer to COMMIT.
    func spendCommitReply() -> Bool {
        state.withLock { state in
            guard state.toxics.commitRepliesToDrop > 0 else { return false }
            state.toxics.commitRepliesToDrop -= 1
            return true
        }
    }
}
