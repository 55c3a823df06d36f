/// Reads `Decodable` values from strict JSON, by the one parser there is.
///
/// Nothing is converted: an integer is a token without fraction and exponent that fits its type, a string is a string. `null`
/// and an absent member are both nil where the value is optional; members that nobody asks for are left alone. Floating-point
/// numbers are refused: nothing that Apple or we count is one.
///
/// `UInt64` is read up to `Int64.max`, which is what ``JSONValue/int64`` can tell exactly.
package struct StrictJSONDecoder: Sendable {
    private let limits: JSONLimits

    package init(limits: JSONLimits = .default) { self.limits = limits }

    /// Reads all of `bytes` as one value.
    ///
    /// - Throws: ``JSONCodingError``; a type's own errors come as ``JSONCodingError/Code/refused``.
    package func decode<Value: Decodable>(
        _ type: Value.Type = Value.self, from bytes: [UInt8]
    ) throws(JSONCodingError) -> Value {
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONDocument(bytes, limits: limits)
        } catch {
            throw JSONCodingError(.notJSON, at: "", syntax: error)
        }
        return try decode(from: document.root)
    }

    /// Reads one value of a document that was read already.
    package func decode<Value: Decodable>(
        _ type: Value.Type = Value.self, from value: JSONValue
    ) throws(JSONCodingError) -> Value {
        do {
            return try Value(from: JSONValueDecoder(value: value, codingPath: []))
        } catch {
            throw JSONCodingError(error)
        }
    }
}

/// One value of the document and the way to it.
struct JSONValueDecoder: Decoder {
    let value: JSONValue
    let codingPath: [any CodingKey]

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard let object = value.object else { throw JSONCodingError(.wrongType, at: codingPath) }
        return KeyedDecodingContainer(JSONMembersDecoder(object: object, codingPath: codingPath))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard let array = value.array else { throw JSONCodingError(.wrongType, at: codingPath) }
        return JSONElementsDecoder(array: array, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }
}

extension JSONValueDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { value.isNull }

    func decode(_ type: Bool.Type) throws -> Bool { try found(value.bool) }
    func decode(_ type: String.Type) throws -> String { try found(value.string) }
    func decode(_ type: Double.Type) throws -> Double { throw JSONCodingError(.unsupported, at: codingPath) }
    func decode(_ type: Float.Type) throws -> Float { throw JSONCodingError(.unsupported, at: codingPath) }
    func decode(_ type: Int.Type) throws -> Int { try integer() }
    func decode(_ type: Int8.Type) throws -> Int8 { try integer() }
    func decode(_ type: Int16.Type) throws -> Int16 { try integer() }
    func decode(_ type: Int32.Type) throws -> Int32 { try integer() }
    func decode(_ type: Int64.Type) throws -> Int64 { try integer() }
    func decode(_ type: UInt.Type) throws -> UInt { try integer() }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try integer() }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try integer() }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try integer() }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try integer() }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try Value(from: self) }

    private func found<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw JSONCodingError(.wrongType, at: codingPath) }
        return value
    }

    private func integer<Integer: FixedWidthInteger>() throws -> Integer {
        guard let wide = value.int64 else {
            throw JSONCodingError(value.isInteger ? .outOfRange : .wrongType, at: codingPath)
        }
        guard let integer = Integer(exactly: wide) else { throw JSONCodingError(.outOfRange, at: codingPath) }
        return integer
    }
}

/// The members of one object.
private struct JSONMembersDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let object: JSONObject
    let codingPath: [any CodingKey]

    var allKeys: [Key] { object.compactMap { Key(stringValue: $0.name) } }

    func contains(_ key: Key) -> Bool { object[key.stringValue] != nil }

    func decodeNil(forKey key: Key) throws -> Bool { try decoder(key).value.isNull }

    // The standard library's own types come back by `singleValueContainer()`, so that this one function is all.
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try Value(from: decoder(key)) }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try decoder(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try decoder(JSONNameKey.parent) }

    func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }

    private func decoder(_ key: some CodingKey) throws -> JSONValueDecoder {
        guard let value = object[key.stringValue] else { throw JSONCodingError(.missing, at: codingPath + [key]) }
        return JSONValueDecoder(value: value, codingPath: codingPath + [key])
    }
}

/// The elements of one array, one after the other.
private struct JSONElementsDecoder: UnkeyedDecodingContainer {
    let codingPath: [any CodingKey]
    let count: Int?
    private var rest: JSONArray.Iterator
    private var next: JSONValue?
    private(set) var currentIndex = 0

    init(array: JSONArray, codingPath: [any CodingKey]) {
        self.codingPath = codingPath
        count = array.count
        rest = array.makeIterator()
        next = rest.next()
    }

    var isAtEnd: Bool { next == nil }

    mutating func decodeNil() throws -> Bool {
        guard try current().value.isNull else { return false }
        advance()
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let value = try Value(from: current())
        advance()
        return value
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        let container = try current().container(keyedBy: type)
        advance()
        return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let container = try current().unkeyedContainer()
        advance()
        return container
    }

    mutating func superDecoder() throws -> any Decoder {
        let decoder = try current()
        advance()
        return decoder
    }

    private func current() throws -> JSONValueDecoder {
        let path = codingPath + [JSONIndexKey(currentIndex)]
        guard let next else { throw JSONCodingError(.missing, at: path) }
        return JSONValueDecoder(value: next, codingPath: path)
    }

    private mutating func advance() {
        next = rest.next()
        currentIndex += 1
    }
}
