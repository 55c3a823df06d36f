/// Writes `Encodable` values by ``JSONWriter``: members in the order in which they are encoded, nil members left out.
///
/// The order of a dictionary is the dictionary's, which differs from run to run: a type that is written has none.
/// Floating-point numbers and integers beyond `Int64` are refused.
package struct StrictJSONEncoder: Sendable {
    private let maximumDepth: Int

    package init(limits: JSONLimits = .default) { maximumDepth = limits.maximumDepth }

    /// The value as JSON.
    ///
    /// - Throws: ``JSONCodingError``; a type's own errors come as ``JSONCodingError/Code/refused``.
    package func encode(_ value: some Encodable) throws(JSONCodingError) -> [UInt8] {
        let slot = JSONSlot()
        do {
            try value.encode(to: JSONSlotEncoder(slot: slot, codingPath: [], maximumDepth: maximumDepth))
            var writer = JSONWriter()
            try slot.write(to: &writer, path: [], depthLeft: maximumDepth)
            return writer.bytes
        } catch {
            throw JSONCodingError(error)
        }
    }
}

/// A place for one value. `Codable` may fill several containers by turns, so that nothing can be written before all is there.
private final class JSONSlot {
    enum Content {
        case nothing
        case null
        case bool(Bool)
        case integer(Int64)
        case string(String)
        case object([(name: String, slot: JSONSlot)])
        case array([JSONSlot])
    }

    var content = Content.nothing
    /// The names in `content`, so that a long object is not searched for each member.
    private var names: Set<String> = []
    /// The first name that was given twice; the containers that find it cannot always throw.
    private var duplicate: String?

    /// A new member of the object here.
    func member(_ name: String) -> JSONSlot {
        let slot = JSONSlot()
        if !names.insert(name).inserted, duplicate == nil { duplicate = name }
        guard case .object(var members) = content else {
            content = .object([(name, slot)])
            return slot
        }
        content = .nothing  // else the array is copied for each member
        members.append((name, slot))
        content = .object(members)
        return slot
    }

    /// A new element of the array here.
    func element() -> JSONSlot {
        let slot = JSONSlot()
        guard case .array(var elements) = content else {
            content = .array([slot])
            return slot
        }
        content = .nothing
        elements.append(slot)
        content = .array(elements)
        return slot
    }

    var count: Int {
        if case .array(let elements) = content { return elements.count }
        return 0
    }

    func write(to writer: inout JSONWriter, path: [any CodingKey], depthLeft: Int) throws(JSONCodingError) {
        switch content {
        case .nothing: throw JSONCodingError(.nothingWritten, at: path)
        case .null: writer.null()
        case .bool(let value): writer.bool(value)
        case .integer(let number): writer.integer(number)
        case .string(let text): writer.string(text)
        case .object, .array: try writeContainer(to: &writer, path: path, depthLeft: depthLeft)
        }
    }

    private func writeContainer(
        to writer: inout JSONWriter, path: [any CodingKey], depthLeft: Int
    ) throws(JSONCodingError) {
        guard depthLeft > 0 else { throw JSONCodingError(.tooDeep, at: path) }
        if let duplicate { throw JSONCodingError(.duplicateKey, at: path + [JSONNameKey(stringValue: duplicate)]) }
        do {
            switch content {
            case .object(let members):
                try writer.object { writer in
                    for (name, slot) in members {
                        writer.name(name)
                        try slot.write(
                            to: &writer, path: path + [JSONNameKey(stringValue: name)], depthLeft: depthLeft - 1)
                    }
                }
            case .array(let elements):
                try writer.array { writer in
                    for (index, slot) in elements.enumerated() {
                        try slot.write(to: &writer, path: path + [JSONIndexKey(index)], depthLeft: depthLeft - 1)
                    }
                }
            case .nothing, .null, .bool, .integer, .string: return
            }
        } catch {
            throw JSONCodingError(error)
        }
    }
}

private struct JSONSlotEncoder: Encoder {
    let slot: JSONSlot
    let codingPath: [any CodingKey]
    let maximumDepth: Int

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        if case .object = slot.content {} else { slot.content = .object([]) }
        return KeyedEncodingContainer(JSONMembersEncoder<Key>(parent: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if case .array = slot.content {} else { slot.content = .array([]) }
        return JSONElementsEncoder(parent: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    /// The encoder of a value inside this one.
    func inner(_ slot: JSONSlot, _ key: any CodingKey) -> JSONSlotEncoder {
        JSONSlotEncoder(slot: slot, codingPath: codingPath + [key], maximumDepth: maximumDepth)
    }

    /// Before a value inside is asked: one that contains itself would use up the stack before anything is written.
    func checkDepth() throws(JSONCodingError) {
        guard codingPath.count <= maximumDepth else { throw JSONCodingError(.tooDeep, at: codingPath) }
    }
}

extension JSONSlotEncoder: SingleValueEncodingContainer {
    func encodeNil() { slot.content = .null }

    func encode(_ value: Bool) { slot.content = .bool(value) }
    func encode(_ value: String) { slot.content = .string(value) }
    func encode(_ value: Double) throws { throw JSONCodingError(.unsupported, at: codingPath) }
    func encode(_ value: Float) throws { throw JSONCodingError(.unsupported, at: codingPath) }
    func encode(_ value: Int) throws { try integer(value) }
    func encode(_ value: Int8) throws { try integer(value) }
    func encode(_ value: Int16) throws { try integer(value) }
    func encode(_ value: Int32) throws { try integer(value) }
    func encode(_ value: Int64) throws { try integer(value) }
    func encode(_ value: UInt) throws { try integer(value) }
    func encode(_ value: UInt8) throws { try integer(value) }
    func encode(_ value: UInt16) throws { try integer(value) }
    func encode(_ value: UInt32) throws { try integer(value) }
    func encode(_ value: UInt64) throws { try integer(value) }

    func encode<Value: Encodable>(_ value: Value) throws { try value.encode(to: self) }

    private func integer(_ value: some FixedWidthInteger) throws(JSONCodingError) {
        guard let integer = Int64(exactly: value) else { throw JSONCodingError(.outOfRange, at: codingPath) }
        slot.content = .integer(integer)
    }
}

private struct JSONMembersEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let parent: JSONSlotEncoder

    var codingPath: [any CodingKey] { parent.codingPath }

    func encodeNil(forKey key: Key) { encoder(key).encodeNil() }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        let encoder = encoder(key)
        try encoder.checkDepth()
        try value.encode(to: encoder)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        encoder(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { encoder(key).unkeyedContainer() }

    func superEncoder() -> any Encoder { encoder(JSONNameKey.parent) }

    func superEncoder(forKey key: Key) -> any Encoder { encoder(key) }

    private func encoder(_ key: some CodingKey) -> JSONSlotEncoder { parent.inner(parent.slot.member(key.stringValue), key) }
}

private struct JSONElementsEncoder: UnkeyedEncodingContainer {
    let parent: JSONSlotEncoder

    var codingPath: [any CodingKey] { parent.codingPath }
    var count: Int { parent.slot.count }

    func encodeNil() { encoder().encodeNil() }

    func encode<Value: Encodable>(_ value: Value) throws {
        let encoder = encoder()
        try encoder.checkDepth()
        try value.encode(to: encoder)
    }

    func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
        encoder().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder().unkeyedContainer() }

    func superEncoder() -> any Encoder { encoder() }

    private func encoder() -> JSONSlotEncoder { parent.inner(parent.slot.element(), JSONIndexKey(parent.slot.count - 1)) }
}
