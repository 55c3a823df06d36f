import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import Server

/// T32 on a clock that the tests move; SocketTests tests the same on real sockets.
@Suite struct `Deadlines of a connection` {
    private static let limits = ConnectionDeadlines.Limits(
        header: .seconds(15), body: .seconds(30), answer: .seconds(20), pipelined: 4)

    /// An open connection from an address.
    private struct Connection {
        let channel = EmbeddedChannel()

        init(
            from address: String = "203.0.113.7", _ connections: ConnectionsPerAddress = ConnectionsPerAddress(limit: 0)
        ) throws {
            try channel.pipeline.syncOperations.addHandler(ConnectionDeadlines(limits, connections: connections))
            channel.connect(to: try SocketAddress(ipAddress: address, port: 40_000), promise: nil)
        }

        func ask() throws {
            let head = HTTPRequest(method: .get, scheme: "http", authority: "x", path: "/")
            try channel.writeInbound(HTTPRequestPart.head(head))
        }

        func endRequest() throws { try channel.writeInbound(HTTPRequestPart.end(nil)) }

        func answer() throws {
            try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
            try channel.writeOutbound(HTTPResponsePart.end(nil))
        }

        func turnWritable(_ isWritable: Bool) {
            channel.isWritable = isWritable
            channel.pipeline.fireChannelWritabilityChanged()
        }

        func wait(_ seconds: Int64) { channel.embeddedEventLoop.advanceTime(by: .seconds(seconds)) }

        var isOpen: Bool { channel.isActive }
    }

    @Test func `T32 a silent connection is closed when the header is due`() throws {
        let connection = try Connection()
        connection.wait(15)
        #expect(connection.isOpen)
        connection.wait(2)
        #expect(!connection.isOpen)
    }

    @Test func `T32 a connection without its body is closed when that is due, and one that waits for an answer is not`() throws {
        let slow = try Connection()
        try slow.ask()
        slow.wait(29)
        #expect(slow.isOpen)
        slow.wait(3)
        #expect(!slow.isOpen)
        let waiting = try Connection()
        try waiting.ask()
        try waiting.endRequest()
        waiting.wait(3600)
        #expect(waiting.isOpen)
        try waiting.answer()
        waiting.wait(17)
        #expect(!waiting.isOpen)
    }

    @Test func `T32 a connection that does not read its answer is closed, even with another answer pending`() throws {
        let connection = try Connection()
        for _ in 0..<2 {
            try connection.ask()
            try connection.endRequest()
        }
        try connection.answer()
        connection.turnWritable(false)
        connection.wait(19)
        #expect(connection.isOpen)
        connection.wait(3)
        #expect(!connection.isOpen)
    }

    @Test func `T32 a connection that reads slowly stays open`() throws {
        let connection = try Connection()
        try connection.ask()
        try connection.endRequest()
        for _ in 0..<10 {
            connection.turnWritable(false)
            connection.wait(19)
            connection.turnWritable(true)
            connection.wait(19)
        }
        #expect(connection.isOpen)
    }

    @Test func `T32 a connection with too many unanswered requests is closed, counted by pending answers`() throws {
        let connection = try Connection()
        for _ in 0..<20 {
            try connection.ask()
            try connection.endRequest()
            try connection.answer()
        }
        for _ in 0..<4 {
            try connection.ask()
            try connection.endRequest()
        }
        #expect(connection.isOpen)
        try connection.ask()
        #expect(!connection.isOpen)
    }

    @Test func `T32 each peer has a limited number of connections, and closed ones do not count`() throws {
        let connections = ConnectionsPerAddress(limit: 2)
        let open = try (0..<2).map { _ in try Connection(from: "203.0.113.7", connections) }
        #expect(open.map(\.isOpen) == [true, true])
        #expect(try !Connection(from: "203.0.113.7", connections).isOpen)
        #expect(try Connection(from: "203.0.113.8", connections).isOpen)
        open[0].wait(17)
        #expect(!open[0].isOpen)
        #expect(try Connection(from: "203.0.113.7", connections).isOpen)
        #expect(try !Connection(from: "203.0.113.7", connections).isOpen)
    }

    @Test(arguments: [
        (["2001:db8::1", "2001:db8::2", "2001:db8:0:0:ffff::3"], [true, false, false]),
        (["2001:db8::1", "2001:db8:0:1::1"], [true, true]),
        (["203.0.113.7", "::ffff:203.0.113.7", "203.0.113.8"], [true, false, true]),
        (["127.0.0.1", "127.0.0.1", "127.9.9.9"], [true, true, true]), (["::1", "::1"], [true, true]),
    ])
    func `T32 a peer is an IPv4 address or an IPv6 network, and this machine is not limited`(
        _ addresses: [String], _ open: [Bool]
    ) throws {
        let connections = ConnectionsPerAddress(limit: 1)
        let all = try addresses.map { try Connection(from: $0, connections) }
        #expect(all.map(\.isOpen) == open)
    }
}
