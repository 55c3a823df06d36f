internal import Primitives
internal import StrictJSON

/// Reads the fields of one object of the legacy interfaces, where nearly every value is a string and the same field has been seen
/// as string, number and Boolean.
///
/// Absent, `null` and the empty string are nil. A value with the same meaning in another JSON type is accepted (`"1"`, `1`,
/// `true`); any other is refused and named. Nothing is rounded or guessed.
struct LegacyReader {
    private let fields: JSONFields

    init(_ object: JSONObject, at path: String = "") {
        self.init(JSONFields(object, at: path, rules: [.nullIsAbsent, .emptyIsAbsent, .noZeroBytes]))
    }

    private init(_ fields: JSONFields) { self.fields = fields }

    /// The whole body as an object.
    init(body: [UInt8], limits: LegacyLimits) throws(LegacyRefusal) {
        let root: JSONValue
        do throws(JSONError) {
            root = try JSONDocument(body, limits: limits.json).root
        } catch {
            throw LegacyRefusal(.bodyUnreadable, "\(error)")
        }
        guard let object = root.object else { throw LegacyRefusal(.notAnObject) }
        self.init(object)
    }

    /// The object exactly as it was written.
    static func json(_ value: JSONValue) -> [UInt8] { Array(value.rawBytes) }

    /// A string, or an integer's digits: identifiers have been seen as both.
    func text(_ name: String) throws(LegacyRefusal) -> String? {
        guard let value = value(name) else { return nil }
        if value.int64 != nil { return String(decoding: value.rawBytes, as: UTF8.self) }
        do throws(JSONFieldError) { return try fields.text(name) } catch { throw LegacyRefusal(error) }
    }

    func requiredText(_ name: String) throws(LegacyRefusal) -> String { try required(name, try text(name)) }

    func integer(_ name: String) throws(LegacyRefusal) -> Int64? {
        guard let value = value(name) else { return nil }
        guard let integer = Self.integer(value) else { throw invalid(name) }
        return integer
    }

    func flag(_ name: String) throws(LegacyRefusal) -> Bool? {
        guard let value = value(name) else { return nil }
        guard let flag = Self.flag(value) else { throw invalid(name) }
        return flag
    }

    /// 0 and 1 in all the spellings of a flag; other integers are kept.
    func autoRenewStatus(_ name: String) throws(LegacyRefusal) -> AutoRenewStatus? {
        if let value = value(name), let integer = Self.integer(value) { return AutoRenewStatus(rawValue: integer) }
        return try flag(name).map { $0 ? .on : .off }
    }

    /// The instant of `name`: `name_ms`, else `name` itself, which the iOS 6 style fills with milliseconds and the iOS 7 style
    /// with a date in GMT, else `name_formatted`. `name_pst` adds nothing and is never read.
    func instant(_ name: String) throws(LegacyRefusal) -> Timestamp? {
        if let value = value(name + "_ms") {
            guard let instant = Self.integer(value).flatMap(Timestamp.init(validating:)) else { throw invalid(name + "_ms") }
            return instant
        }
        for key in [name, name + "_formatted"] {
            guard let value = value(key) else { continue }
            guard let instant = Self.instant(value) else { throw invalid(key) }
            return instant
        }
        return nil
    }

    func requiredInstant(_ name: String) throws(LegacyRefusal) -> Timestamp { try required(name, try instant(name)) }

    /// Production or Sandbox, in these spellings or those of `others`.
    func environment(_ name: String, others: [String: Environment] = [:]) throws(LegacyRefusal) -> Environment? {
        guard let text = try text(name) else { return nil }
        switch text {
        case Environment.production.rawValue: return .production
        case Environment.sandbox.rawValue: return .sandbox
        default:
            guard let environment = others[text] else { throw invalid(name) }
            return environment
        }
    }

    func reader(_ name: String) throws(LegacyRefusal) -> LegacyReader? {
        do throws(JSONFieldError) {
            return try fields.fields(name).map { LegacyReader($0) }
        } catch {
            throw LegacyRefusal(error)
        }
    }

    /// The elements of a list, or the one object that the iOS 6 style writes in its place; nil where there is none.
    ///
    /// An element that cannot be read is added to `unreadable` as a whole, so that the good ones count and nothing is lost.
    func items<Item>(
        _ name: String, allowsObject: Bool = false, unreadable: inout [UnreadableItem],
        read: (JSONValue, LegacyReader) throws(LegacyRefusal) -> Item
    ) throws(LegacyRefusal) -> [Item]? {
        guard let value = value(name) else { return nil }
        var elements: [(place: String, value: JSONValue)] = []
        if let array = value.array {
            for (index, element) in array.enumerated() { elements.append((fields.place(name, index), element)) }
        } else {
            guard allowsObject, value.object != nil else { throw invalid(name) }
            elements.append((fields.place(name), value))
        }
        var items: [Item] = []
        for (place, element) in elements {
            do throws(LegacyRefusal) {
                guard let object = element.object else { throw LegacyRefusal(.notAnObject, place) }
                items.append(try read(element, LegacyReader(object, at: place)))
            } catch {
                unreadable.append(UnreadableItem(place: place, refusal: error, json: Self.json(element)))
            }
        }
        return items
    }

    func required<Value>(_ name: String, _ value: Value?) throws(LegacyRefusal) -> Value {
        guard let value else { throw LegacyRefusal(.fieldMissing, fields.place(name)) }
        return value
    }

    func invalid(_ name: String) -> LegacyRefusal { LegacyRefusal(.fieldInvalid, fields.place(name)) }

    func value(_ name: String) -> JSONValue? { fields.value(name) }

    private static func integer(_ value: JSONValue) -> Int64? {
        if let integer = value.int64 { return integer }
        guard let text = value.string, text.utf8.first != UInt8(ascii: "+") else { return nil }
        return Int64(text)
    }

    /// `true`, `"true"`, `1`, `"1"` and their opposites; nil for anything else.
    static func flag(_ value: JSONValue) -> Bool? {
        if let bool = value.bool { return bool }
        switch (integer(value), value.string) {
        case (1, _), (_, "true"): return true
        case (0, _), (_, "false"): return false
        default: return nil
        }
    }

    private static func instant(_ value: JSONValue) -> Timestamp? {
        if let milliseconds = integer(value) { return Timestamp(validating: milliseconds) }
        return value.string.flatMap(Timestamp.init(etcGMT:))
    }
}

extension LegacyRefusal {
    fileprivate init(_ error: JSONFieldError) { self.init(error.found == .nothing ? .fieldMissing : .fieldInvalid, error.path) }
}
