internal import AsyncHTTPClient
internal import Backend
internal import NIOCore
internal import NIOHTTP1
internal import Primitives

/// One request to a receiver, and as much of its answer as is wanted.
enum ParcelExchange {
    /// The most bytes of a body that are read; the rest is left and the connection closed.
    static let longestBody = 16 * 1024
    /// The most bytes of headers, as they are written in HTTP/1.1.
    static let longestHead = 32 * 1024
    /// How many bytes of a body are kept.
    static let kept = 2048

    /// Sends a request; the head of the answer must come within `timeout`, its body ends when the task is cancelled.
    ///
    /// - Parameter now: the machine's time, from which a date in `Retry-After` is counted.
    static func answer(
        to request: HTTPClientRequest, by client: HTTPClient, timeout: Milliseconds, now: () -> Timestamp
    ) async -> ParcelOutcome.Answer {
        do {
            let response = try await client.execute(request, timeout: .milliseconds(timeout.count))
            let size = response.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
            guard size <= longestHead else {
                return .failed(.connectionLost, words: "the headers of the answer are longer than \(longestHead / 1024) KB")
            }
            return .answered(
                status: Int(response.status.code), retryAfter: retryAfter(response.headers.first(name: "retry-after"), now: now),
                beginning: text(try await beginning(of: response.body)))
        } catch {
            let (failure, words) = ParcelFailure.meaning(of: error)
            return .failed(failure, words: words)
        }
    }

    private static func beginning(of body: HTTPClientResponse.Body) async throws -> [UInt8] {
        var beginning: [UInt8] = []
        var read = 0
        do {
            for try await part in body {
                read += part.readableBytes
                beginning.append(contentsOf: part.readableBytesView.prefix(kept - beginning.count))
                if read >= longestBody { break }
            }
        } catch is AnswerLimit.Exceeded {
            // Mostly framing, as of chunks of a byte each: the same as a body that is too long.
        } catch {
            // The time is over, but the receiver has said what it makes of the parcel.
            if !Task.isCancelled { throw error }
        }
        return beginning
    }

    /// What is not UTF-8 is replaced, and so is NUL, which PostgreSQL does not store in texts.
    static func text(_ bytes: [UInt8]) -> String {
        String(decoding: bytes, as: UTF8.self).replacing("\0", with: "\u{FFFD}")
    }

    /// Whole seconds, or a date; a date in the past is no wait. Nil for anything else.
    ///
    /// Source: RFC 9110, section 10.2.3.
    static func retryAfter(_ header: String?, now: () -> Timestamp) -> Milliseconds? {
        guard let header else { return nil }
        if let date = HTTPDate.instant(header) { return max(Milliseconds(0), date.since(now())) }
        guard !header.isEmpty, header.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        return .seconds(Int64(header) ?? .max)
    }
}
