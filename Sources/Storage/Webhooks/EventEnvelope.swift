import Crypto
package import Ledger
package import Primitives
import StrictJSON

/// An event as it is told to others, by the log and by webhooks: a pure function of what was kept, so that its bytes are the same
/// whenever and wherever it is told (TELL-1, I39).
///
/// Source: Standard Webhooks 1.0, "Payload structure": `type`, `timestamp`, `data`.
package struct EventEnvelope: Sendable, Hashable {
    /// The event's own, for ever: over repetitions, readers, and databases that were restored. Another event never has it, since
    /// it covers the event's bytes (TELL-1).
    package let id: String
    /// What happened, such as `subscription.renewed` (docs/events.md).
    package let type: String
    /// When it took effect.
    package let timestamp: Timestamp
    /// The event with its subject, its number and its environment: a JSON object.
    package let data: String

    /// - Throws: `StorageError` with `corrupt` where the text is no event.
    package init(_ event: LoggedEvent) throws {
        let fields = try Self.fields(of: event.text)
        guard let type = fields.value("kind")?.string, let effectiveAt = fields.value("effectiveAt")?.int64 else {
            throw StorageError(.corrupt, "an event has no kind, or no instant")
        }
        id = Self.id(of: event)
        self.type = type
        timestamp = Timestamp(millisecondsSince1970: effectiveAt)
        data = Self.data(of: event)
    }

    /// The body of a webhook.
    package var body: String { Self.body(type: type, timestamp: "\(timestamp)", data: data) }

    /// What a test of an endpoint tells.
    package static func testData(app: AppID, endpoint: String) -> String {
        var json = JSONWriter(reservingCapacity: 64)
        json.object { json in
            json.member("app", app.rawValue)
            json.member("endpoint", endpoint)
        }
        return json.text
    }

    /// - Parameters:
    ///   - timestamp: RFC 3339.
    ///   - data: a JSON object.
    package static func body(type: String, timestamp: String, data: String) -> String {
        var json = JSONWriter(reservingCapacity: data.utf8.count + 128)
        json.object { json in
            json.member("type", type)
            json.member("timestamp", timestamp)
            json.member("data") { $0.raw(data.utf8) }
        }
        return json.text
    }

    private static func fields(of text: String) throws -> JSONFields {
        do {
            return try JSONFields(try JSONDocument(Array(text.utf8), limits: JSONLimits()).root)
        } catch {
            throw StorageError(.corrupt, "an event is not a JSON object: \(error)")
        }
    }

    /// `evt_`, and 26 characters of base32 (RFC 4648, lower case): 130 bits of a hash over whose event it is, its number and what
    /// was kept.
    private static func id(of event: LoggedEvent) -> String {
        let subject = SubjectName(event.subject)
        let digest = Hexadecimal.encode(SHA256.hash(data: Array(event.text.utf8)))
        let (app, environment) = (event.subject.scope.app.rawValue, subject.environment.rawValue)
        // No name has a U+0000 in it.
        let named = [app, environment, subject.kind.rawValue, subject.id, "\(event.sequence)", digest].joined(separator: "\u{0}")
        return "evt_" + Base32.encode(SHA256.hash(data: Array(named.utf8)), characters: 26)
    }

    /// First what the log adds, then the event's members as they were kept.
    private static func data(of event: LoggedEvent) -> String {
        var json = JSONWriter(reservingCapacity: 256)
        json.object { json in
            json.member("app", event.subject.scope.app.rawValue)
            json.member("environment", event.subject.scope.environment.rawValue)
            json.member("sequence", event.sequence)
            switch event.subject {
            case .subscription: break
            case .customer(let key): json.member("customer", key.customer.rawValue)
            case .endpoint(let key): json.member("endpoint", key.id)
            }
        }
        var members = String(json.text.dropLast())
        if case .subscription(let key) = event.subject { members += "," + LedgerText.member(naming: key) }
        return members + "," + event.text.dropFirst()
    }
}

/// Source: RFC 4648, section 6, in lower case and without padding.
private enum Base32 {
    private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

    /// The first characters of the bytes' text.
    static func encode(_ bytes: some Sequence<UInt8>, characters: Int) -> String {
        var (text, buffer, bits) = ([] as [UInt8], 0 as UInt16, 0)
        for byte in bytes where text.count < characters {
            // At most 4 bits were left.
            (buffer, bits) = (buffer << 8 | UInt16(byte), bits + 8)
            while bits >= 5, text.count < characters {
                bits -= 5
                text.append(alphabet[Int(buffer >> UInt16(bits) & 31)])
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
