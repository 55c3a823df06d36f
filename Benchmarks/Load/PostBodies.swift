import ArgumentParser
import BenchmarkSamples
import Foundation

/// The client of the pipeline's figures, in a process of its own: posts prepared bodies, each once, over keep-alive connections,
/// with one thread and `poll`, so that it costs little compared with what it measures.
struct PostBodies: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "post", shouldDisplay: false)

    @Option var port: UInt16
    @Option var path: String
    /// The bodies, each preceded by its length in four bytes.
    @Option var bodies: String
    @Option var connections = LoadGenerator.connections
    /// Requests per second, sent without waiting for earlier answers; 0: each answer triggers the next request.
    @Option var rate = 0.0

    func run() throws {
        let requests = try Self.requests(Data(contentsOf: URL(fileURLWithPath: bodies)), path: path)
        var poster = try BodyPoster(port: port, connections: connections, requests: requests, rate: rate)
        let before = Machine.processorSeconds
        let result = try poster.run()
        let spent = Machine.processorSeconds - before
        print(result.rate, result.p50, result.p99, spent)
    }

    private static func requests(_ file: Data, path: String) throws -> [[UInt8]] {
        var (rest, requests) = (file[...], [[UInt8]]())
        while rest.count >= 4 {
            let count = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(4)
            guard rest.count >= count else { throw BenchError("the file of bodies is cut short") }
            let header = """
                POST \(path) HTTP/1.1\r
                Host: 127.0.0.1\r
                Content-Type: application/json\r
                X-Number: \(requests.count)\r
                Content-Length: \(count)\r
                \r

                """
            requests.append(Array(header.utf8) + rest.prefix(count))
            rest = rest.dropFirst(count)
        }
        return requests
    }

    /// Runs the client; meanwhile this process only serves.
    static func run(_ address: String, _ path: String, bodies: URL, rate: Double = 0) async throws -> LoadResult {
        let executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        guard let port = address.split(separator: ":").last else { throw BenchError("no port in \(address)") }
        let output = try await ChildProcess.output(
            of: executable,
            ["post", "--port", "\(port)", "--path", path, "--bodies", bodies.path, "--rate", "\(rate)"])
        let numbers = output.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        guard numbers.count == 4 else { throw BenchError("the client said: \(output)") }
        return LoadResult(rate: numbers[0], p50: numbers[1], p99: numbers[2], clientSeconds: numbers[3])
    }

    /// Writes the file that the client reads.
    static func write(_ bodies: [[UInt8]], to file: URL) throws {
        var bytes = Data()
        for body in bodies {
            bytes.append(contentsOf: withUnsafeBytes(of: UInt32(body.count).bigEndian) { Array($0) })
            bytes.append(contentsOf: body)
        }
        try bytes.write(to: file)
    }
}

/// Sends requests over some connections and reads the answers, with one thread.
struct BodyPoster {
    private let port: UInt16
    private let requests: [[UInt8]]
    /// The time between two requests where the rate is fixed; nil where each answer triggers the next request.
    private let interval: Duration?
    private var connections: [Connection]
    private var next = 0
    private var latencies: [Double] = []
    private let clock = ContinuousClock()
    private static let patience = Duration.seconds(10)

    private struct Connection {
        var socket: Int32
        /// The pending request, and when it began; nil where there is none.
        var request: (number: Int, since: ContinuousClock.Instant)?
        var sent = 0
        var answer: [UInt8] = []
    }

    init(port: UInt16, connections count: Int, requests: [[UInt8]], rate: Double) throws {
        self.port = port
        self.requests = requests
        interval = rate > 0 ? .seconds(1 / rate) : nil
        connections = try (0..<count).map { _ in Connection(socket: try Self.connect(port)) }
    }

    private static func connect(_ port: UInt16) throws -> Int32 {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let code = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else { throw BenchError("connecting: \(errno)") }
        var on: Int32 = 1
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        guard fcntl(socket, F_SETFL, O_NONBLOCK) == 0 else { throw BenchError("a socket that blocks: \(errno)") }
        return socket
    }

    /// Runs until every request is answered.
    ///
    /// - Throws: `BenchError` if one answer is not 200, or none arrives for ten seconds.
    mutating func run() throws -> LoadResult {
        let start = clock.now
        while latencies.count < requests.count {
            let pause = try startRequests(start)
            var polled = connections.map { connection in
                pollfd(
                    fd: connection.socket, events: Int16(isSending(connection) ? POLLIN | POLLOUT : POLLIN), revents: 0)
            }
            // Rounded up to the millisecond: waking earlier would only spin on a processor that the server needs.
            let ready = poll(&polled, UInt(polled.count), Int32((pause.seconds * 1000).rounded(.up)))
            guard ready > 0 || pause < Self.patience || errno == EINTR else { throw BenchError("no answer for ten seconds") }
            for (index, entry) in polled.enumerated() where entry.revents != 0 {
                if Int32(entry.revents) & POLLOUT != 0 { try send(index) }
                if Int32(entry.revents) & ~POLLOUT != 0 { try receive(index) }
            }
        }
        let elapsed = (clock.now - start).seconds
        return LoadResult(
            rate: Double(latencies.count) / elapsed, p50: latencies.percentile(0.5), p99: latencies.percentile(0.99))
    }

    private func isSending(_ connection: Connection) -> Bool {
        connection.request.map { connection.sent < requests[$0.number].count } ?? false
    }

    /// Starts the requests that may start; returns how long until the next one. Where the rate is fixed, lateness counts from the
    /// instant at which the request should have been sent, even if no connection was free then.
    private mutating func startRequests(_ start: ContinuousClock.Instant) throws -> Duration {
        for index in connections.indices where connections[index].request == nil && next < requests.count {
            let now = clock.now
            let due = interval.map { start + $0 * next } ?? now
            guard due <= now else { return due - now }
            connections[index].request = (next, due)
            connections[index].sent = 0
            next += 1
            try send(index)
        }
        return Self.patience
    }

    private mutating func send(_ index: Int) throws {
        guard let number = connections[index].request?.number, isSending(connections[index]) else { return }
        let sent = requests[number].withUnsafeBytes { bytes in
            let rest = bytes[connections[index].sent...]
            return Glibc.send(connections[index].socket, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
        }
        guard sent >= 0 || errno == EAGAIN else { throw BenchError("sending: \(errno)") }
        connections[index].sent += max(0, sent)
    }

    private mutating func receive(_ index: Int) throws {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(connections[index].socket, &buffer, buffer.count, 0)
        if count == 0, connections[index].answer.isEmpty { return try reconnect(index) }
        guard count > 0 || (count < 0 && errno == EAGAIN) else { throw BenchError("the server hung up: \(errno)") }
        connections[index].answer += buffer.prefix(max(0, count))
        guard let request = connections[index].request, try Self.isWhole(connections[index].answer) else { return }
        latencies.append((clock.now - request.since).seconds * 1000)
        connections[index].answer.removeAll(keepingCapacity: true)
        connections[index].request = nil
    }

    /// A server may close a connection that was idle for long, even while a new request begins; then the request is sent again.
    private mutating func reconnect(_ index: Int) throws {
        close(connections[index].socket)
        connections[index].socket = try Self.connect(port)
        connections[index].sent = 0
        try send(index)
    }

    private static func isWhole(_ answer: [UInt8]) throws -> Bool {
        guard let end = answer.firstRange(of: Array("\r\n\r\n".utf8)) else { return false }
        let header = String(decoding: answer[..<end.lowerBound], as: UTF8.self)
        guard header.hasPrefix("HTTP/1.1 200") else {
            throw BenchError("an answer: \(String(decoding: answer, as: UTF8.self))")
        }
        let length = header.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
        let count = length?.split(separator: ":").last.flatMap { Int($0.drop { $0 == " " }) } ?? 0
        return answer.count >= end.upperBound + count
    }
}

extension UnsafeRawBufferPointer.SubSequence {
    fileprivate var baseAddress: UnsafeRawPointer? { base.baseAddress.map { $0 + startIndex } }
}
