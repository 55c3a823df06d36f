internal import AppStoreModel
internal import Hummingbird
internal import Primitives
internal import StrictJSON

// The JSON object of a control call, read strictly: a member that the call does not know is refused as a mistake, and so is null
// where it has no meaning.
extension JSONFields {
    private static let maximumBytes = 64 * 1024

    /// Reads the body; an empty one counts as `{}`.
    ///
    /// A web page cannot send JSON to another address without asking first (Fetch Standard, section 2.2.2), which is refused.
    init(_ request: Request, members: Set<String>) async throws {
        var request = request
        let body = try await request.collectBody(upTo: Self.maximumBytes)
        let type = request.headers[.contentType].flatMap(MediaType.init(from:))
        guard body.readableBytes == 0 || type?.isType(.applicationJson) == true else {
            throw ControlProblem(.mediaTypeNotJSON, "Send the body as application/json, as `curl --json` does.")
        }
        // Names count too: enough for a hundred faults with all of their members.
        let limits = JSONLimits(maximumBytes: Self.maximumBytes, maximumDepth: 8, maximumElements: 4000)
        let bytes = body.readableBytes == 0 ? Array("{}".utf8) : Array(body.readableBytesView)
        guard let object = try JSONDocument(bytes, limits: limits).root.object else {
            throw ControlProblem(.invalidBody, "The body must be a JSON object.")
        }
        self.init(object)
        try refuseMembers(besides: members)
    }

    func uuid(_ name: String) throws -> CompactUUID? {
        guard let text = try text(name) else { return nil }
        guard let uuid = CompactUUID(text) else { throw StoreRefusal.invalidAppAccountToken }
        return uuid
    }

    func tokenOfPlanChange() throws -> TokenOfPlanChange? {
        guard let text = try text("tokenOfPlanChange") else { return nil }
        guard let choice = TokenOfPlanChange(rawValue: text) else {
            throw ControlProblem.invalid("tokenOfPlanChange", "new or kept")
        }
        return choice
    }

    func environment() throws -> Primitives.Environment? {
        try text("environment").map { try Primitives.Environment(controlText: $0) }
    }
}

extension Primitives.Environment {
    /// One of the two environments that the store has.
    init(controlText text: String) throws {
        guard let environment = Self(rawValue: text), [.production, .sandbox].contains(environment) else {
            throw ControlProblem.invalid("environment", "Production or Sandbox")
        }
        self = environment
    }
}

// MARK: - What calls say

extension JSONFields {
    /// Where the clock is to move.
    enum ClockTarget {
        case duration(Milliseconds)
        case instant(Timestamp)
        /// To the next scheduled event.
        case next
    }

    /// Exactly one of `seconds`, `days` and `to`; `to` is text, milliseconds since 1970, or `next`.
    func clockTarget() throws -> ClockTarget {
        guard ["seconds", "days", "to"].filter(has).count == 1 else {
            throw ControlProblem(.invalidBody, "Exactly one of seconds, days and to is needed.")
        }
        if let seconds = try integer("seconds") { return .duration(.seconds(seconds)) }
        if let days = try integer("days") { return .duration(.days(days)) }
        guard let value = value("to") else { throw ControlProblem.invalid("to", "an instant") }
        if value.string == "next" { return .next }
        guard let instant = Timestamp(control: value) else {
            throw ControlProblem.invalid("to", "like 2026-11-21T03:44:05Z, milliseconds since 1970, or next")
        }
        return .instant(instant)
    }

    /// An instant, as text or in milliseconds since 1970.
    func instant(_ name: String) throws -> Timestamp? {
        guard let value = value(name) else { return nil }
        guard let instant = Timestamp(control: value) else {
            throw ControlProblem.invalid(name, "like 2026-11-21T03:44:05Z, or milliseconds since 1970")
        }
        return instant
    }

    /// `count` belongs to dropping and duplicating, `seconds` to a delay; with other modes they are a mistake.
    func deliveryMode() throws -> DeliveryMode? {
        let mode = try text("mode")
        if has("count"), mode != "drop", mode != "duplicate" {
            throw ControlProblem.invalid("mode", "drop or duplicate if count is given")
        }
        if has("seconds"), mode != "delay" { throw ControlProblem.invalid("mode", "delay if seconds is given") }
        switch mode {
        case nil: return nil
        case "deliver": return .deliver
        case "hold": return .hold
        case "drop": return .drop(try integer("count", in: 1...10_000) ?? 1)
        case "duplicate": return .duplicate(try integer("count", in: 1...10) ?? 1)
        case "delay":
            guard let seconds = try integer("seconds", in: 1...31_536_000) else {
                throw ControlProblem.invalid("seconds", "there, 1 to 31536000")
            }
            return .delay(.seconds(seconds))
        default: throw ControlProblem.invalid("mode", "deliver, drop, hold, duplicate or delay")
        }
    }

    func seed() throws -> UInt64 { UInt64(bitPattern: try integer("seed") ?? 1) }

    func releaseOrder() throws -> ReleaseOrder {
        let seed = try seed()
        switch try text("order") ?? "given" {
        case "given": return .given
        case "reversed": return .reversed
        case "shuffled": return .shuffled(seed: seed)
        default: throw ControlProblem.invalid("order", "given, reversed or shuffled")
        }
    }

    func refundOrder() throws -> RefundOrder {
        guard let reason = StoreRevocation.Reason(rawValue: try integer("reason") ?? 0) else {
            throw ControlProblem.invalid("reason", "0 or 1")
        }
        return RefundOrder(
            percentage: try integer("percentage") ?? StoreRevocation.wholePercentage, reason: reason,
            isRequestedByCustomer: try bool("requestedByCustomer") ?? false)
    }
}

extension Timestamp {
    /// Nil for a value that is no instant between 1970 and 9999.
    fileprivate init?(control value: JSONValue) {
        if let milliseconds = value.int64 {
            self.init(validating: milliseconds)
        } else {
            guard let instant = value.string.flatMap(Timestamp.init(controlText:)) else { return nil }
            self = instant
        }
    }

    /// Reads `2026-11-21` or `2026-11-21T03:44:05Z`; nil for anything else and for dates before 1970.
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
