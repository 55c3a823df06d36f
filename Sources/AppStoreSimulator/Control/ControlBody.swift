internal import AppStoreModel
internal import Hummingbird
internal import Primitives
internal import StrictJSON

/// The JSON object of a control call, read strictly: a member that the call does not know is a mistake and refused, and so is
/// null where it means nothing.
struct ControlBody {
    private let object: JSONObject?

    private static let maximumBytes = 64 * 1024

    /// Reads the body; none at all counts as `{}`.
    ///
    /// A web page cannot send JSON to another address without asking first (Fetch Standard, section 2.2.2), which is refused.
    init(_ request: Request, members: Set<String>) async throws {
        var request = request
        let body = try await request.collectBody(upTo: Self.maximumBytes)
        guard body.readableBytes > 0 else {
            self.init(object: nil)
            return
        }
        guard let type = request.headers[.contentType].flatMap(MediaType.init(from:)), type.isType(.applicationJson) else {
            throw ControlProblem(.mediaTypeNotJSON, "Send the body as application/json, as `curl --json` does.")
        }
        // Names count too: a hundred faults with all that can be said of them.
        let limits = JSONLimits(maximumBytes: Self.maximumBytes, maximumDepth: 8, maximumElements: 2000)
        guard let object = try JSONDocument(Array(body.readableBytesView), limits: limits).root.object else {
            throw ControlProblem(.invalidBody, "The body must be a JSON object.")
        }
        try self.init(object, members: members)
    }

    /// An object inside a body.
    init(_ object: JSONObject, members: Set<String>) throws {
        for member in object where !members.contains(member.name) {
            let known = members.sorted().joined(separator: ", ")
            throw ControlProblem(.unknownMember, members.isEmpty ? "Nothing is known here." : "Known here: \(known).")
        }
        self.init(object: object)
    }

    private init(object: JSONObject?) { self.object = object }

    func value(_ name: String) -> JSONValue? { object?[name] }

    func has(_ name: String) -> Bool { value(name) != nil }

    /// Whether the member is there and null, where that means something.
    func isNull(_ name: String) -> Bool { value(name)?.isNull ?? false }

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

    /// An integer of a range; nil where it is not there.
    func integer(_ name: String, in range: ClosedRange<Int64>) throws -> Int64? {
        guard let integer = try integer(name) else { return nil }
        guard range.contains(integer) else { throw Self.invalid(name, "\(range.lowerBound) to \(range.upperBound)") }
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
        ControlProblem(.invalidMember, "\(name) must be \(wanted).")
    }

    func uuid(_ name: String) throws -> CompactUUID? {
        guard let text = try text(name) else { return nil }
        guard let uuid = CompactUUID(text) else { throw StoreRefusal.invalidAppAccountToken }
        return uuid
    }

    func tokenOfPlanChange() throws -> TokenOfPlanChange? {
        guard let text = try text("tokenOfPlanChange") else { return nil }
        guard let choice = TokenOfPlanChange(rawValue: text) else { throw Self.invalid("tokenOfPlanChange", "new or kept") }
        return choice
    }

    func environment() throws -> Primitives.Environment? { try text("environment").map(Self.environment) }

    static func environment(_ text: String) throws -> Primitives.Environment {
        guard let environment = Primitives.Environment(rawValue: text), [.production, .sandbox].contains(environment) else {
            throw invalid("environment", "Production or Sandbox")
        }
        return environment
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
            throw ControlProblem(.invalidBody, "Exactly one of seconds, days and to is needed.")
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

    /// `count` belongs to dropping and duplicating, `seconds` to a delay; elsewhere they are a mistake.
    func deliveryMode() throws -> DeliveryMode? {
        let mode = try text("mode")
        if has("count"), mode != "drop", mode != "duplicate" { throw Self.invalid("mode", "drop or duplicate, where count is") }
        if has("seconds"), mode != "delay" { throw Self.invalid("mode", "delay, where seconds is") }
        switch mode {
        case nil: return nil
        case "deliver": return .deliver
        case "hold": return .hold
        case "drop": return .drop(try integer("count", in: 1...10_000) ?? 1)
        case "duplicate": return .duplicate(try integer("count", in: 1...10) ?? 1)
        case "delay":
            guard let seconds = try integer("seconds", in: 1...31_536_000) else {
                throw Self.invalid("seconds", "there, 1 to 31536000")
            }
            return .delay(.seconds(seconds))
        default: throw Self.invalid("mode", "deliver, drop, hold, duplicate or delay")
        }
    }

    func seed() throws -> UInt64 { UInt64(bitPattern: try integer("seed") ?? 1) }

    func releaseOrder() throws -> ReleaseOrder {
        let seed = try seed()
        switch try text("order") ?? "given" {
        case "given": return .given
        case "reversed": return .reversed
        case "shuffled": return .shuffled(seed: seed)
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
