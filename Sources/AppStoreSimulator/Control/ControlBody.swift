internal import AppStoreModel
internal import Hummingbird
internal import Primitives
internal import StrictJSON

/// The JSON object of a control call, read strictly: a member that the call does not know is a mistake and refused.
struct ControlBody {
    private let object: JSONObject?

    private static let maximumBytes = 64 * 1024

    /// Reads the body; none at all counts as `{}`.
    init(_ request: Request, members: Set<String>) async throws {
        var request = request
        let body = try await request.collectBody(upTo: Self.maximumBytes)
        guard body.readableBytes > 0 else {
            object = nil
            return
        }
        let limits = JSONLimits(maximumBytes: Self.maximumBytes, maximumDepth: 8, maximumElements: 1000)
        guard let object = try JSONDocument(Array(body.readableBytesView), limits: limits).root.object else {
            throw ControlProblem.badRequest("invalidBody", "The body must be a JSON object.")
        }
        for member in object where !members.contains(member.name) {
            throw ControlProblem.badRequest("unknownMember", "Known here: \(members.sorted().joined(separator: ", ")).")
        }
        self.object = object
    }

    /// Whether the member is there; `null` counts as absent.
    func has(_ name: String) -> Bool { value(name) != nil }

    func text(_ name: String) throws -> String? {
        guard let value = value(name) else { return nil }
        guard let text = value.string else { throw Self.invalid(name, "a string") }
        return text
    }

    func requiredText(_ name: String) throws -> String {
        guard let text = try text(name) else { throw Self.invalid(name, "there, a string") }
        return text
    }

    func integer(_ name: String) throws -> Int64? {
        guard let value = value(name) else { return nil }
        guard let integer = value.int64 else { throw Self.invalid(name, "an integer") }
        return integer
    }

    func requiredInteger(_ name: String) throws -> Int64 {
        guard let integer = try integer(name) else { throw Self.invalid(name, "there, an integer") }
        return integer
    }

    func bool(_ name: String) throws -> Bool? {
        guard let value = value(name) else { return nil }
        guard let bool = value.bool else { throw Self.invalid(name, "true or false") }
        return bool
    }

    func requiredBool(_ name: String) throws -> Bool {
        guard let bool = try bool(name) else { throw Self.invalid(name, "there, true or false") }
        return bool
    }

    static func invalid(_ name: String, _ wanted: String) -> ControlProblem {
        .badRequest("invalidMember", "\(name) must be \(wanted).")
    }

    func uuid(_ name: String) throws -> CompactUUID? {
        guard let text = try text(name) else { return nil }
        guard let uuid = CompactUUID(text) else { throw StoreRefusal.invalidAppAccountToken }
        return uuid
    }

    func environment() throws -> Primitives.Environment? {
        guard let text = try text("environment") else { return nil }
        guard let environment = Primitives.Environment(rawValue: text), [.production, .sandbox].contains(environment) else {
            throw Self.invalid("environment", "Production or Sandbox")
        }
        return environment
    }

    func value(_ name: String) -> JSONValue? {
        guard let value = object?[name], !value.isNull else { return nil }
        return value
    }
}

// MARK: - What calls say

extension ControlBody {
    /// Where the clock is to go.
    enum ClockTarget {
        case duration(Milliseconds)
        case instant(Timestamp)
        /// To the next thing that happens by itself.
        case next
    }

    /// Exactly one of `seconds`, `days` and `to`; `to` is text, milliseconds since 1970, or `next`.
    func clockTarget() throws -> ClockTarget {
        guard ["seconds", "days", "to"].filter(has).count == 1 else {
            throw ControlProblem.badRequest("invalidBody", "Exactly one of seconds, days and to is needed.")
        }
        if let seconds = try integer("seconds") { return .duration(.seconds(seconds)) }
        if let days = try integer("days") { return .duration(.days(days)) }
        guard let value = value("to") else { throw Self.invalid("to", "an instant") }
        if value.string == "next" { return .next }
        if let milliseconds = value.int64, let instant = Timestamp(validating: milliseconds) { return .instant(instant) }
        guard let instant = value.string.flatMap(Timestamp.init(controlText:)) else {
            throw Self.invalid("to", "like 2026-11-21T03:44:05Z, milliseconds since 1970, or next")
        }
        return .instant(instant)
    }

    func deliveryMode() throws -> DeliveryMode? {
        guard let mode = try text("mode") else {
            if has("count") || has("seconds") { throw Self.invalid("mode", "there, where count or seconds is") }
            return nil
        }
        let count = try integer("count") ?? 1
        switch mode {
        case "deliver": return .deliver
        case "hold": return .hold
        case "drop":
            guard (1...10_000).contains(count) else { throw Self.invalid("count", "1 to 10000") }
            return .drop(count)
        case "duplicate":
            guard (1...10).contains(count) else { throw Self.invalid("count", "1 to 10") }
            return .duplicate(count)
        case "delay":
            let seconds = try integer("seconds") ?? 0
            guard (1...31_536_000).contains(seconds) else { throw Self.invalid("seconds", "1 to a year") }
            return .delay(.seconds(seconds))
        default: throw Self.invalid("mode", "deliver, drop, hold, duplicate or delay")
        }
    }

    func releaseOrder() throws -> ReleaseOrder {
        switch try text("order") ?? "given" {
        case "given": return .given
        case "reversed": return .reversed
        case "shuffled": return .shuffled(seed: UInt64(bitPattern: try integer("seed") ?? 1))
        default: throw Self.invalid("order", "given, reversed or shuffled")
        }
    }

    func refundOrder() throws -> RefundOrder {
        guard let reason = Revocation.Reason(rawValue: try integer("reason") ?? 0) else { throw Self.invalid("reason", "0 or 1") }
        return RefundOrder(
            percentage: try integer("percentage") ?? Revocation.wholePercentage, reason: reason,
            isRequestedByCustomer: try bool("requestedByCustomer") ?? false)
    }
}

extension Timestamp {
    /// Reads `2026-11-21` or `2026-11-21T03:44:05Z`; nil for anything else and before 1970.
    init?(controlText text: String) {
        let full = text.utf8.count == 10 ? text + "T00:00:00Z" : text
        let bytes = Array(full.utf8)
        let pattern = Array("0000-00-00T00:00:00Z".utf8)
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard bytes.count == pattern.count,
            zip(bytes, pattern).allSatisfy({ $1 == UInt8(ascii: "0") ? digits.contains($0) : $0 == $1 })
        else { return nil }
        let number = { (range: Range<Int>) -> Int64 in bytes[range].reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) } }
        guard let date = CivilDate(year: number(0..<4), month: number(5..<7), day: number(8..<10)), number(11..<13) < 24,
            number(14..<16) < 60, number(17..<19) < 60
        else { return nil }
        let seconds = date.daysSince1970 * 86_400 + number(11..<13) * 3600 + number(14..<16) * 60 + number(17..<19)
        self.init(validating: seconds * 1000)
    }
}
