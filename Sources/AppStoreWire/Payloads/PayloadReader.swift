internal import Primitives
internal import StrictJSON

/// Why a payload's field could not be read; names the field.
struct FieldRefusal: Error {
    let code: JWSRefusal.Code
    let field: String
}

/// Reads the fields of one object by Apple's documented types. A field of another type refuses the payload and is named; a
/// field that is absent or `null` is nil; fields that nobody asks for are left alone.
struct PayloadReader {
    let object: JSONObject
    /// What stands before a field's name in a refusal: the names of the objects around this one.
    private let path: String
    /// It is Xcode's, which writes instants with fractions of a millisecond; nobody else may.
    private let allowsFractions: Bool

    init(_ object: JSONObject, path: String = "", allowsFractions: Bool = false) {
        self.object = object
        self.path = path
        self.allowsFractions = allowsFractions
    }

    func text(_ name: String) throws(FieldRefusal) -> String? {
        guard let value = value(name) else { return nil }
        guard let text = value.string, !text.utf8.contains(0) else { throw invalid(name) }
        return text
    }

    /// A text that is there and not empty.
    func requiredText(_ name: String) throws(FieldRefusal) -> String {
        let text = try required(name, try text(name))
        guard !text.isEmpty else { throw invalid(name) }
        return text
    }

    func integer(_ name: String) throws(FieldRefusal) -> Int64? {
        guard let value = value(name) else { return nil }
        guard let integer = value.int64 else { throw invalid(name) }
        return integer
    }

    func instant(_ name: String) throws(FieldRefusal) -> Timestamp? {
        guard let value = value(name) else { return nil }
        guard let milliseconds = allowsFractions ? value.flooredInt64 : value.int64 else { throw invalid(name) }
        if let instant = Timestamp(validating: milliseconds) { return instant }
        guard allowsFractions, milliseconds == Self.distantPast else { throw invalid(name) }
        return Timestamp(millisecondsSince1970: milliseconds)
    }

    /// What Xcode writes where it knows no date, as in its app transactions: the first day of the year 1 by the Julian calendar.
    private static let distantPast: Int64 = -62_135_769_600_000

    func requiredInstant(_ name: String) throws(FieldRefusal) -> Timestamp {
        try required(name, try instant(name))
    }

    func price(_ name: String) throws(FieldRefusal) -> Milliunits? {
        try integer(name).map { Milliunits($0) }
    }

    func bool(_ name: String) throws(FieldRefusal) -> Bool? {
        guard let value = value(name) else { return nil }
        guard let bool = value.bool else { throw invalid(name) }
        return bool
    }

    func texts(_ name: String) throws(FieldRefusal) -> [String]? {
        guard let value = value(name) else { return nil }
        guard let array = value.array else { throw invalid(name) }
        var texts: [String] = []
        for element in array {
            guard let text = element.string, !text.utf8.contains(0) else { throw invalid(name) }
            texts.append(text)
        }
        return texts
    }

    /// A compact JWS, not looked into.
    func compactJWS(_ name: String) throws(FieldRefusal) -> [UInt8]? {
        guard let value = value(name) else { return nil }
        guard let bytes = value.utf8 else { throw invalid(name) }
        return Array(bytes)
    }

    /// An object exactly as it was written.
    func rawObject(_ name: String) throws(FieldRefusal) -> [UInt8]? {
        guard let value = value(name) else { return nil }
        guard value.object != nil else { throw invalid(name) }
        return Array(value.rawBytes)
    }

    func reader(_ name: String) throws(FieldRefusal) -> PayloadReader? {
        guard let value = value(name) else { return nil }
        guard let object = value.object else { throw invalid(name) }
        return PayloadReader(object, path: path + name + ".", allowsFractions: allowsFractions)
    }

    /// An environment in exactly one of Apple's spellings.
    func requiredEnvironment(_ name: String) throws(FieldRefusal) -> Environment {
        let text = try required(name, try text(name))
        guard let environment = Environment(rawValue: text) else {
            throw FieldRefusal(code: .wrongEnvironment, field: path + name)
        }
        return environment
    }

    func has(_ name: String) -> Bool { value(name) != nil }

    func required<Value>(_ name: String, _ value: Value?) throws(FieldRefusal) -> Value {
        guard let value else { throw FieldRefusal(code: .fieldMissing, field: path + name) }
        return value
    }

    func invalid(_ name: String) -> FieldRefusal { FieldRefusal(code: .fieldInvalid, field: path + name) }

    private func value(_ name: String) -> JSONValue? {
        guard let value = object[name], !value.isNull else { return nil }
        return value
    }
}
