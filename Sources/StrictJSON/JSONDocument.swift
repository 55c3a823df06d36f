/// A JSON text from outside that was read whole and strictly; values are made when they are asked for.
///
/// Refused are invalid UTF-8 and byte order marks, lone surrogates, raw control characters, names that come twice in one
/// object, bytes after the value, numbers such as `01` or `NaN`, and whatever exceeds the limits. Nothing traps and nothing
/// recurses.
///
/// Source: RFC 8259.
package struct JSONDocument: Sendable {
    /// The outermost value.
    package let root: JSONValue

    /// Reads all of `bytes`.
    ///
    /// - Throws: ``JSONError`` with the reason and the offset.
    package init(_ bytes: [UInt8], limits: JSONLimits = .default) throws(JSONError) {
        var scanner = JSONScanner(bytes: bytes, limits: limits)
        root = JSONValue(tape: JSONTape(bytes: bytes, nodes: try scanner.scan()), index: 0)
    }
}

/// One value of a ``JSONDocument``.
package struct JSONValue: Sendable {
    let tape: JSONTape
    let index: Int

    init(tape: JSONTape, index: Int) {
        self.tape = tape
        self.index = index
    }

    private var node: JSONNode { tape.nodes[index] }

    var kind: JSONNode.Kind { node.kind }

    /// Whether this is `null`.
    package var isNull: Bool { node.kind == .null }

    /// The text without its escapes; nil unless this is a string.
    package var string: String? {
        switch node.kind {
        case .string, .escapedString: tape.text(index)
        default: nil
        }
    }

    /// The text's UTF-8 without its escapes, shared with the document where nothing was escaped; nil unless this is a string.
    package var utf8: ArraySlice<UInt8>? {
        switch node.kind {
        case .string: tape.bytes[Int(node.start)..<Int(node.end)]
        case .escapedString: JSONEscapes.resolved(tape.bytes[Int(node.start)..<Int(node.end)])[...]
        default: nil
        }
    }

    /// The truth value; nil unless this is `true` or `false`.
    package var bool: Bool? {
        switch node.kind {
        case .true: true
        case .false: false
        default: nil
        }
    }

    /// Whether this is a number without fraction and exponent, whether or not it fits any type.
    var isInteger: Bool { node.kind == .integer }

    /// The number, when it is written without fraction and exponent and fits exactly. `1.0` and `1e3` are nil: who writes
    /// integers so is not who we think.
    package var int64: Int64? {
        node.kind == .integer ? JSONNumber.integer(tape.bytes[Int(node.start)..<Int(node.end)]) : nil
    }

    /// The greatest integer that is not above the number; a fraction is allowed, an exponent is not. For the dates of Xcode,
    /// which carry fractions of a millisecond; everything else is read by ``int64``.
    package var flooredInt64: Int64? {
        switch node.kind {
        case .integer, .decimal: JSONNumber.floor(tape.bytes[Int(node.start)..<Int(node.end)])
        default: nil
        }
    }

    /// The elements; nil unless this is an array.
    package var array: JSONArray? { node.kind == .array ? JSONArray(tape: tape, index: index) : nil }

    /// The members; nil unless this is an object.
    package var object: JSONObject? { node.kind == .object ? JSONObject(tape: tape, index: index) : nil }

    /// The value exactly as it stands in the document, quotes included.
    package var rawBytes: ArraySlice<UInt8> {
        switch node.kind {
        case .string, .escapedString: tape.bytes[Int(node.start) - 1..<Int(node.end) + 1]
        default: tape.bytes[Int(node.start)..<Int(node.end)]
        }
    }
}

/// The elements of an array, in the document's order.
package struct JSONArray: Sendable, Sequence {
    let tape: JSONTape
    let index: Int

    /// How many elements there are.
    package var count: Int { Int(tape.nodes[index].count) }

    package func makeIterator() -> Iterator { Iterator(tape: tape, index: index + 1, end: Int(tape.nodes[index].next)) }

    package struct Iterator: IteratorProtocol {
        let tape: JSONTape
        var index: Int
        let end: Int

        package mutating func next() -> JSONValue? {
            guard index < end else { return nil }
            defer { index = Int(tape.nodes[index].next) }
            return JSONValue(tape: tape, index: index)
        }
    }
}

/// The members of an object, in the document's order.
package struct JSONObject: Sendable, Sequence {
    /// A name, without escapes, and its value.
    package struct Member: Sendable {
        package let name: String
        package let value: JSONValue
    }

    let tape: JSONTape
    let index: Int

    /// How many members there are.
    package var count: Int { Int(tape.nodes[index].count) }

    /// The object exactly as it stands in the document.
    package var rawBytes: ArraySlice<UInt8> { JSONValue(tape: tape, index: index).rawBytes }

    /// The member of that name, or nil; `null` is a value, not nil.
    package subscript(_ name: String) -> JSONValue? {
        var name = name
        return name.withUTF8 { key in tape.member(key, of: index).map { JSONValue(tape: tape, index: $0) } }
    }

    package func makeIterator() -> Iterator { Iterator(tape: tape, index: index + 1, end: Int(tape.nodes[index].next)) }

    package struct Iterator: IteratorProtocol {
        let tape: JSONTape
        var index: Int
        let end: Int

        package mutating func next() -> Member? {
            guard index < end else { return nil }
            defer { index = Int(tape.nodes[index + 1].next) }
            return Member(name: tape.text(index), value: JSONValue(tape: tape, index: index + 1))
        }
    }
}
