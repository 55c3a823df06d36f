package import Hummingbird
import NIOCore
import Synchronization

/// How many bytes of request bodies are held at once, by all requests together (T31, F28): what a thousand clients send at the
/// same time must fit into the process. A body counts from the arrival of its first byte until its request is answered.
///
/// A quarter is kept for what is usual: the first 256 KiB of each body, of which Apple's notifications need 21. So that those who
/// send receipts of megabytes take nothing from those who do not.
package final class BodyBudget: Sendable {
    private let limit: Int
    private let held = Mutex(0)

    private static let usual = 256 * 1024

    package init(bytes limit: Int) { self.limit = limit }

    /// The whole body of a request, for as long as `use` runs.
    ///
    /// - Throws: `BodyBudget.Unfinished` where it did not come whole; `NIOTooManyBytesError` where it is longer than `longest`;
    ///   `BodyBudget.Full` where too much is held, which soon changes; what `use` throws.
    package func reading<Result>(
        _ request: Request, upTo longest: Int, _ use: ([UInt8]) async throws -> Result
    ) async throws -> Result {
        if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > longest {
            throw NIOTooManyBytesError(maxBytes: longest)
        }
        var bytes: [UInt8] = []
        defer { give(back: bytes.count) }
        var chunks = request.body.makeAsyncIterator()
        while let chunk = try await Self.next(&chunks) {
            let count = chunk.readableBytes
            guard count <= longest - bytes.count else { throw NIOTooManyBytesError(maxBytes: longest) }
            guard take(count, after: bytes.count) else { throw Full() }
            bytes.append(contentsOf: chunk.readableBytesView)
        }
        return try await use(bytes)
    }

    /// Whatever a client's bytes do to the parser, or a hang-up to the connection, is no failure of ours.
    @concurrent private static func next(_ chunks: inout RequestBody.AsyncIterator) async throws -> ByteBuffer? {
        do {
            return try await chunks.next()
        } catch {
            throw Unfinished()
        }
    }

    /// The body did not come whole.
    package struct Unfinished: Error {}

    private func take(_ count: Int, after before: Int) -> Bool {
        let most = before + count <= Self.usual ? limit : limit / 4 * 3
        return held.withLock { held in
            guard count <= most - held else { return false }
            held += count
            return true
        }
    }

    private func give(back count: Int) { held.withLock { $0 -= count } }

    /// So much is held that no more fits.
    package struct Full: Error {}
}

/// A client whose bodies have megabytes may send one at a time (T36).
final class Turns<Holder: Sendable & Hashable>: Sendable {
    private let holders = Mutex<Set<Holder>>([])

    /// Runs the body unless the holder is at it already.
    ///
    /// - Throws: `TurnTaken` if so; what `body` throws.
    func alone<Result>(_ holder: Holder, _ body: () async throws -> Result) async throws -> Result {
        guard holders.withLock({ $0.insert(holder).inserted }) else { throw TurnTaken() }
        defer { _ = holders.withLock { $0.remove(holder) } }
        return try await body()
    }
}

/// The same customer is at it already.
struct TurnTaken: Error {}
