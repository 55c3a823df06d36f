/// The members of one JSON object, read by the types that are expected of them. A member of another type is an error that names
/// its place (``JSONFieldError``); one that is absent is nil.
///
/// ```swift
/// let fields = try JSONFields(document.root, rules: .nullIsAbsent)
/// try fields.refuseMembers(besides: ["kind", "count"])
/// let kind = try fields.requiredText("kind")
/// let count = try fields.integer("count", in: 1...10) ?? 1
/// ```
package struct JSONFields: Sendable {
    /// What holds for all members of an object and of the objects inside it.
    package struct Rules: OptionSet, Sendable {
        package let rawValue: Int

        package init(rawValue: Int) { self.rawValue = rawValue }

        /// A member that is `null` counts as absent; without this, `null` is a value of no type that is asked for.
        package static let nullIsAbsent = Rules(rawValue: 1)
        /// A member that is an empty text counts as absent.
        package static let emptyIsAbsent = Rules(rawValue: 2)
        /// A member that is an empty text is refused where a text is asked for; elements of a list may be empty.
        package static let noEmptyTexts = Rules(rawValue: 4)
        /// A text with U+0000 is refused: texts of C and of databases end there.
        package static let noZeroBytes = Rules(rawValue: 8)
    }

    /// The object itself.
    package let object: JSONObject
    /// Where it stands, such as `apps[0].policy`; empty: it is the whole document.
    package let path: String
    private let rules: Rules

    package init(_ object: JSONObject, at path: String = "", rules: Rules = []) {
        self.object = object
        self.path = path
        self.rules = rules
    }

    /// The object that a value is.
    package init(_ value: JSONValue, at path: String = "", rules: Rules = []) throws(JSONFieldError) {
        guard let object = value.object else {
            throw JSONFieldError(at: path, expected: .object, found: JSONFieldError.Found(value))
        }
        self.init(object, at: path, rules: rules)
    }

    // MARK: Members

    /// Refuses the first member that has none of these names: what is silently ignored is believed to do something.
    package func refuseMembers(besides names: Set<String>) throws(JSONFieldError) {
        for member in object where !names.contains(member.name) { throw error(member.name, expected: .noneBut(names.sorted())) }
    }

    /// The member's value; nil where it is absent or counts as absent.
    package func value(_ name: String) -> JSONValue? {
        guard let value = object[name] else { return nil }
        if rules.contains(.nullIsAbsent), value.isNull { return nil }
        if rules.contains(.emptyIsAbsent), value.utf8?.isEmpty == true { return nil }
        return value
    }

    package func has(_ name: String) -> Bool { value(name) != nil }

    /// Whether the member is there and `null`, whatever the rules make of that.
    package func isNull(_ name: String) -> Bool { object[name]?.isNull ?? false }

    // MARK: Types

    package func text(_ name: String) throws(JSONFieldError) -> String? {
        guard let value = value(name) else { return nil }
        guard let text = text(value) else { throw error(name, expected: .text) }
        if rules.contains(.noEmptyTexts), text.isEmpty { throw error(name, expected: .textNotEmpty) }
        return text
    }

    /// Without fraction and exponent.
    package func integer(
        _ name: String, in range: ClosedRange<Int64> = .min ... .max
    ) throws(JSONFieldError) -> Int64? {
        guard let value = value(name) else { return nil }
        guard let integer = value.int64, range.contains(integer) else { throw error(name, expected: .integer(range)) }
        return integer
    }

    package func bool(_ name: String) throws(JSONFieldError) -> Bool? {
        guard let value = value(name) else { return nil }
        guard let bool = value.bool else { throw error(name, expected: .bool) }
        return bool
    }

    /// The text's UTF-8, whatever stands in it; of a text without escapes the document's own bytes.
    package func utf8(_ name: String) throws(JSONFieldError) -> ArraySlice<UInt8>? {
        guard let value = value(name) else { return nil }
        guard let bytes = value.utf8 else { throw error(name, expected: .text) }
        return bytes
    }

    /// An object inside this one, under the same rules.
    package func fields(_ name: String) throws(JSONFieldError) -> JSONFields? {
        guard let value = value(name) else { return nil }
        guard let object = value.object else { throw error(name, expected: .object) }
        return JSONFields(object, at: place(name), rules: rules)
    }

    package func array(_ name: String) throws(JSONFieldError) -> JSONArray? {
        guard let value = value(name) else { return nil }
        guard let array = value.array else { throw error(name, expected: .array) }
        return array
    }

    /// A list of texts.
    package func texts(_ name: String) throws(JSONFieldError) -> [String]? {
        guard let array = try array(name) else { return nil }
        var texts: [String] = []
        texts.reserveCapacity(array.count)
        for element in array {
            guard let text = text(element) else {
                throw JSONFieldError(at: place(name, texts.count), expected: .text, found: JSONFieldError.Found(element))
            }
            texts.append(text)
        }
        return texts
    }

    /// A list of objects, each with its place in the list; under the same rules.
    package func list(_ name: String) throws(JSONFieldError) -> [JSONFields]? {
        guard let array = try array(name) else { return nil }
        var list: [JSONFields] = []
        for element in array { list.append(try JSONFields(element, at: place(name, list.count), rules: rules)) }
        return list
    }

    private func text(_ value: JSONValue) -> String? {
        guard let text = value.string, !rules.contains(.noZeroBytes) || !text.utf8.contains(0) else { return nil }
        return text
    }

    // MARK: What must be there

    package func requiredText(_ name: String) throws(JSONFieldError) -> String {
        try required(name, .text, try text(name))
    }

    package func requiredInteger(
        _ name: String, in range: ClosedRange<Int64> = .min ... .max
    ) throws(JSONFieldError) -> Int64 {
        try required(name, .integer(range), try integer(name, in: range))
    }

    package func requiredBool(_ name: String) throws(JSONFieldError) -> Bool { try required(name, .bool, try bool(name)) }

    /// What was read of the member; an error where that is nothing.
    package func required<Value>(
        _ name: String, _ expected: JSONFieldError.Expected, _ value: Value?
    ) throws(JSONFieldError) -> Value {
        guard let value else { throw error(name, expected: expected) }
        return value
    }

    // MARK: Places

    /// Where a member stands.
    package func place(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

    /// Where an element of a list stands.
    package func place(_ name: String, _ index: Int) -> String { "\(place(name))[\(index)]" }

    /// What is wrong with a member, for readers that expect more of it than its type.
    package func error(_ name: String, expected: JSONFieldError.Expected) -> JSONFieldError {
        JSONFieldError(at: place(name), expected: expected, found: value(name).map(JSONFieldError.Found.init) ?? .nothing)
    }
}
