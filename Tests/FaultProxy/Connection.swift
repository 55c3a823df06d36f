import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// One connection through the proxy: two sockets on one event loop, and the bytes in transit between them.
final class Connection: Sendable {
    let proxy: FaultProxy
    private let client: any Channel
    private let loop: any EventLoop
    private let halves: NIOLoopBoundBox<Halves?>
    private let generator: NIOLoopBoundBox<SplitMix64>

    private struct Halves {
        let toServer: Half
        let toClient: Half
    }

    init(proxy: FaultProxy, client: any Channel, seed: UInt64) {
        self.proxy = proxy
        self.client = client
        loop = client.eventLoop
        halves = .makeBoxSendingValue(nil, eventLoop: client.eventLoop)
        generator = .makeBoxSendingValue(SplitMix64(seed: seed), eventLoop: client.eventLoop)
    }

    /// Begins to forward bytes; on the event loop.
    func join(_ server: any Channel) throws {
        let toServer = Half(self, .toServer, from: client, to: server)
        let toClient = Half(self, .toClient, from: server, to: client)
        halves.value = Halves(toServer: toServer, toClient: toClient)
        try client.pipeline.syncOperations.addHandler(toServer)
        try server.pipeline.syncOperations.addHandler(toClient)
        for channel in [client, server] {
            channel.closeFuture.whenComplete { [self] _ in
                spreadEnd()
                if !client.isActive, !server.isActive { proxy.forget(self) }
            }
        }
        toClient.readOn()
    }

    /// The client's socket can be read from now on.
    func clientIsReady() {
        halves.value?.toServer.readOn()
        halves.value?.toClient.advance()
    }

    /// One side has closed: the other side learns it when everything is forwarded, and not at all while nothing passes.
    func spreadEnd() {
        guard let halves = halves.value, !proxy.toxics.isBlackHole else { return }
        for half in [halves.toServer, halves.toClient] { half.spreadEnd() }
    }

    func draw(below bound: Int64) -> Int64 { bound > 0 ? Int64.random(in: 0..<bound, using: &generator.value) : 0 }

    func toxicsHaveChanged() {
        loop.execute { [self] in
            halves.value?.toServer.advance()
            halves.value?.toClient.advance()
            if let halves = halves.value, !client.isActive || !halves.toServer.target.isActive { spreadEnd() }
        }
    }

    /// RST to both sides, now.
    func reset() {
        loop.execute { [self] in end(.reset) }
    }

    /// Ends both sides; on the event loop. Bytes that were written before are sent before a FIN, but may be lost before an RST,
    /// so callers write first and end when that is done.
    func end(_ manner: Toxics.Cut.Manner) {
        for channel in [client] + (halves.value.map { [$0.toServer.target] } ?? []) {
            if manner == .reset, let socket = channel as? any SocketOptionProvider {
                // Closing a socket with a linger time of zero sends RST.
                socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in channel.close(promise: nil) }
            } else {
                channel.close(promise: nil)
            }
        }
    }
}

/// One direction of a connection. Lives on the event loop.
private final class Half: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let connection: Connection
    private let direction: Toxics.Direction
    private let source: any Channel
    let target: any Channel
    /// Bytes received but not forwarded yet; not more than one read, because nothing else is read meanwhile.
    private var waiting: [ByteBuffer] = []
    private var passed = 0
    private var isWriting = false
    private var hasEnded = false
    private var watcher = CommitWatcher()

    init(_ connection: Connection, _ direction: Toxics.Direction, from source: any Channel, to target: any Channel) {
        self.connection = connection
        self.direction = direction
        self.source = source
        self.target = target
    }

    func channelActive(context: ChannelHandlerContext) {
        context.fireChannelActive()
        if direction == .toServer { connection.clientIsReady() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        connection.proxy.count(buffer.readableBytes, direction)
        waiting.append(buffer)
        advance()
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        readOn()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    /// Reads more only when everything received was forwarded.
    func readOn() { if waiting.isEmpty, !isWriting, !hasEnded { source.read() } }

    /// Forwards waiting bytes, subject to the present toxics.
    func advance() {
        let toxics = connection.proxy.toxics
        guard !isWriting, !toxics.isBlackHole, target.isActive, var chunk = waiting.first else { return }
        isWriting = true
        let size = toxics.slicer.map { Int(connection.draw(below: Int64($0))) + 1 } ?? chunk.readableBytes
        let piece = chunk.readSlice(length: min(size, chunk.readableBytes)) ?? ByteBuffer()
        if chunk.readableBytes == 0 { waiting.removeFirst() } else { waiting[0] = chunk }
        let latency = toxics.latency.map { $0.milliseconds + connection.draw(below: $0.jitter + 1) } ?? 0
        guard latency > 0 else { return write(piece) }
        let half = NIOLoopBound(self, eventLoop: source.eventLoop)
        source.eventLoop.scheduleTask(in: .milliseconds(latency)) { half.value.write(piece) }
    }

    private func write(_ piece: ByteBuffer) {
        let (allowed, end) = fate(of: piece)
        passed += allowed
        let half = NIOLoopBound(self, eventLoop: source.eventLoop)
        target.writeAndFlush(piece.getSlice(at: piece.readerIndex, length: allowed) ?? ByteBuffer()).whenComplete { _ in
            half.value.isWritten(end)
        }
    }

    /// How many bytes pass, and how the connection ends after them; nil where it continues.
    private func fate(of piece: ByteBuffer) -> (allowed: Int, end: Toxics.Cut.Manner?) {
        let toxics = connection.proxy.toxics
        if let cut = toxics.cut, cut.direction == direction, passed + piece.readableBytes >= cut.bytes,
            connection.proxy.spend(cut)
        {
            return (max(0, cut.bytes - passed), cut.manner)
        }
        // Watched even while nothing is to be dropped, to keep track of the messages.
        if direction == .toClient, let before = watcher.bytesBeforeReply(in: piece.readableBytesView),
            connection.proxy.spendCommitReply()
        {
            return (before, .reset)
        }
        return (piece.readableBytes, nil)
    }

    private func isWritten(_ end: Toxics.Cut.Manner?) {
        isWriting = false
        if let end {
            hasEnded = true
            return connection.end(end)
        }
        advance()
        readOn()
        if !source.isActive { connection.spreadEnd() }
    }

    /// Where the source has closed, the target is closed once it has everything; where the target has closed, the source is
    /// closed too.
    func spreadEnd() {
        if !target.isActive {
            source.close(promise: nil)
        } else if !source.isActive, waiting.isEmpty, !isWriting {
            target.close(promise: nil)
        }
    }
}
