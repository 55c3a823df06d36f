internal import Primitives
internal import StrictJSON

/// Why a payload's field could not be read; names the field.
struct FieldRefusal: Error {
    let code: JWSRefusal.Code
    let field: String

    init(code: JWSRefusal.Code, field: String) {
        self.code = code
        self.field = field
    }

    init(_ error: JSONFieldError) {
        self.init(code: error.found == .nothing ? .fieldMissing : .fieldInvalid, field: error.path)
    }
}

/// Reads the fields of one object by Apple's documented types. A field of another type refuses the payload and is named; a field
/// that is absent or `null` is nil; other fields are ignored.
struct PayloadReader {
    private let fields: JSONFields
    /// Whether the payload is Xcode's, which writes instants with fractions of a millisecond; no other signer may.
    private let allowsFractions: Bool

    init(_ object: JSONObject, allowsFractions: Bool = false) {
        self.init(JSONFields(object, rules: [.nullIsAbsent, .noZeroBytes]), allowsFractions: allowsFractions)
    }

    private init(_ fields: JSONFields, allowsFractions: Bool) {
        self.fields = fields
        self.allowsFractions = allowsFractions
    }

    /// The object itself, for readers that look for a field whose name they do not know.
    var object: JSONObject { fields.object }

    private func refusing<Value>(_ read: () throws(JSONFieldError) -> Value) throws(FieldRefusal) -> Value {
        do throws(JSONFieldError) { return try read() } catch { throw FieldRefusal(error) }
    }

    func text(_ name: String) throws(FieldRefusal) -> String? {
        try refusing { () throws(JSONFieldError) in try fields.text(name) }
    }

    /// A text that is present and not empty.
    func requiredText(_ name: String) throws(FieldRefusal) -> String {
        let text = try required(name, try text(name))
        guard !text.isEmpty else { throw invalid(name) }
        return text
    }

    func integer(_ name: String) throws(FieldRefusal) -> Int64? {
        try refusing { () throws(JSONFieldError) in try fields.integer(name) }
    }

    func instant(_ name: String) throws(FieldRefusal) -> Timestamp? {
        guard let value = fields.value(name) else { return nil }
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
        try refusing { () throws(JSONFieldError) in try fields.bool(name) }
    }

    func texts(_ name: String) throws(FieldRefusal) -> [String]? {
        try refusing { () throws(JSONFieldError) in try fields.texts(name) }
    }

    /// A compact JWS, not decoded.
    func compactJWS(_ name: String) throws(FieldRefusal) -> [UInt8]? {
        try refusing { () throws(JSONFieldError) in try fields.utf8(name) }.map { Array($0) }
    }

    /// An object exactly as it was written.
    func rawObject(_ name: String) throws(FieldRefusal) -> [UInt8]? {
        try refusing { () throws(JSONFieldError) in try fields.fields(name) }.map { Array($0.object.rawBytes) }
    }

    func reader(_ name: String) throws(FieldRefusal) -> PayloadReader? {
        try refusing { () throws(JSONFieldError) in try fields.fields(name) }
            .map { PayloadReader($0, allowsFractions: allowsFractions) }
    }

    /// An environment in exactly one of Apple's spellings.
    func requiredEnvironment(_ name: String) throws(FieldRefusal) -> Environment {
        let text = try required(name, try text(name))
        guard let environment = Environment(rawValue: text) else {
            throw FieldRefusal(code: .wrongEnvironment, field: fields.place(name))
        }
        return environment
    }

    func has(_ name: String) -> Bool { fields.has(name) }

    func required<Value>(_ name: String, _ value: Value?) throws(FieldRefusal) -> Value {
        guard let value else { throw FieldRefusal(code: .fieldMissing, field: fields.place(name)) }
        return value
    }

    func invalid(_ name: String) -> FieldRefusal { FieldRefusal(code: .fieldInvalid, field: fields.place(name)) }
}
