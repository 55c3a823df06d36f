import APIContract
import Primitives

/// Checks that every acknowledgement in a trace was sent after a sync of the bytes that it acknowledges.
struct DurabilityCheck: Sendable {
    let trace: Trace
    /// The messages that were sent, by the mark in the header of each request.
    let messages: [String: Message]

    /// The header field with the mark; the server ignores it, and a tracer sees it.
    private static let field = "Mark"

    static func mark(of message: Message) -> (name: String, value: String)? { (field, PercentEncoding.encode(message.name)) }

    /// An acknowledgement that was sent.
    struct Acknowledgement: Sendable {
        let message: Message
        /// The line of the trace at which its bytes were passed to the kernel.
        let at: Int
    }

    /// What was acknowledged, in order: for each connection the last request before each answer.
    var acknowledgements: [Acknowledgement] {
        var asked: [String: Message] = [:]
        var found: [Acknowledgement] = []
        for call in trace.calls {
            switch call.what {
            case .received(let connection, let bytes):
                if let message = Self.mark(in: bytes).flatMap({ messages[$0] }) { asked[connection] = message }
            case .sent(let connection, let bytes):
                guard let message = asked[connection], let status = Self.status(in: bytes) else { continue }
                asked[connection] = nil
                if message.isAcknowledged(by: status) { found.append(Acknowledgement(message: message, at: call.began)) }
            default: break
            }
        }
        return found
    }

    /// Acknowledgements of facts whose bytes no sync had covered, by name; and how many were checked.
    func unsynced() -> (names: [String], checked: Int) {
        let acknowledgements = acknowledgements
        let durable = durableSince(Set(acknowledgements.flatMap(\.message.evidence.facts).map(Self.key)))
        var names: [String] = []
        var checked = 0
        for acknowledgement in acknowledgements {
            for fact in acknowledgement.message.evidence.facts {
                checked += 1
                guard let since = durable[Self.key(fact)], since < acknowledgement.at else {
                    names.append("\(acknowledgement.message.name): \(fact)")
                    break
                }
            }
        }
        return (names, checked)
    }

    /// A fact's key as in the database's index, where it is never split: without the app.
    private static func key(_ fact: String) -> [UInt8] { Array(fact.utf8.drop { $0 != UInt8(ascii: " ") }.dropFirst()) }

    /// When each text was on disk: the end of the first sync of a file that began after the text was written to it, for the
    /// earliest write of the text. Only the bytes are read; their arrangement does not matter.
    private func durableSince(_ texts: Set<[UInt8]>) -> [[UInt8]: Int] {
        let lengths = Set(texts.map(\.count)).sorted()
        let beginnings = Set(texts.map { Array($0.prefix(8)) })
        var pending: [String: [(text: [UInt8], written: Int)]] = [:]
        var durable: [[UInt8]: Int] = [:]
        for call in trace.calls {
            switch call.what {
            case .write(let file, _, let bytes):
                for text in Self.find(texts, lengths, beginnings, in: bytes) where durable[text] == nil {
                    pending[file, default: []].append((text, call.ended))
                }
            case .sync(let file):
                for (text, written) in pending[file] ?? [] where written < call.began {
                    durable[text] = min(durable[text] ?? .max, call.ended)
                }
                pending[file]?.removeAll { $0.written < call.began }
            default: break
            }
        }
        return durable
    }

    private static func find(
        _ texts: Set<[UInt8]>, _ lengths: [Int], _ beginnings: Set<[UInt8]>, in bytes: [UInt8]
    ) -> [[UInt8]] {
        var found: [[UInt8]] = []
        // Every key begins with its kind, in lower case, and every kind has an `o`, `r` or `e` at this place followed by others:
        // checking this one byte first is cheap and avoids most comparisons.
        for start in bytes.indices
        where bytes[start] == UInt8(ascii: "t") || bytes[start] == UInt8(ascii: "r")
            || bytes[start] == UInt8(ascii: "n")
        {
            guard start + 8 <= bytes.count, beginnings.contains(Array(bytes[start..<(start + 8)])) else { continue }
            for length in lengths where start + length <= bytes.count {
                let text = Array(bytes[start..<(start + length)])
                if texts.contains(text) { found.append(text) }
            }
        }
        return found
    }

    private static func mark(in bytes: [UInt8]) -> String? {
        let head = bytes.prefix(2048)
        guard let begin = head.firstRange(of: Array("\r\n\(field): ".utf8)) else { return nil }
        let value = head[begin.upperBound...].prefix { $0 > 0x20 }
        return PercentEncoding.decode(Substring(decoding: value, as: UTF8.self))
    }

    private static func status(in bytes: [UInt8]) -> Int? {
        guard bytes.starts(with: Array("HTTP/1.1 ".utf8)) else { return nil }
        return Int(String(decoding: bytes.dropFirst(9).prefix(3), as: UTF8.self))
    }
}
