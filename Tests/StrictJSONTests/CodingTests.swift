import Foundation
import StrictJSON
import Testing

/// Everything that bodies consist of, in one type.
private struct Sample: Codable, Hashable {
    struct Item: Codable, Hashable {
        var name: String
        var kind: Kind?
        var flags: [Bool]
    }

    enum Kind: String, Codable, CaseIterable {
        case first = "FIRST"
        case second = "SECOND"
    }

    var text: String
    var byte: UInt8
    var short: Int16
    var medium: Int32
    var long: Int64
    var unsigned: UInt32
    var truth: Bool
    var items: [Item]
    var nested: [[Int64]]
    var optional: String?
    var word: Int?

    static func random(_ generator: inout some RandomNumberGenerator) -> Sample {
        let scalars = Array("aZ09 \"\\/\n\t\u{1}\u{1F}é€😀\u{2028}\u{FFFD}".unicodeScalars)
        func text() -> String {
            var text = ""
            for _ in 0..<Int.random(in: 0...9, using: &generator) {
                text.unicodeScalars.append(scalars[Int.random(in: 0..<scalars.count, using: &generator)])
            }
            return text
        }
        func list<Element>(_ element: () -> Element) -> [Element] {
            (0..<Int.random(in: 0...4, using: &generator)).map { _ in element() }
        }
        let extremes: [Int64] = [.min, .max, 0, -1, 1_780_000_000_000]
        func long() -> Int64 {
            Bool.random(using: &generator) ? extremes.randomElement(using: &generator) ?? 0 : .random(in: .min ... .max)
        }
        return Sample(
            text: text(), byte: .random(in: 0 ... .max, using: &generator), short: .random(in: .min ... .max, using: &generator),
            medium: .random(in: .min ... .max, using: &generator), long: long(),
            unsigned: .random(in: 0 ... .max, using: &generator), truth: .random(using: &generator),
            items: list { Item(name: text(), kind: Kind.allCases.randomElement(using: &generator), flags: list { .random() }) },
            nested: list { list { long() } }, optional: Bool.random(using: &generator) ? text() : nil,
            word: Bool.random(using: &generator) ? Int(truncatingIfNeeded: long()) : nil)
    }
}

private struct Numbers: Codable, Hashable {
    var byte: UInt8?
    var small: Int8?
    var medium: Int32?
    var long: Int64?
    var unsigned: UInt64?
    var float: Double?
    var truth: Bool?
    var text: String?
    var list: [Int32]?
    var inner: [Inner]?

    struct Inner: Codable, Hashable {
        var status: Int32
    }
}

@Suite struct `Codable over strict JSON` {
    let decoder = StrictJSONDecoder()
    let encoder = StrictJSONEncoder()

    private func refusal(_ text: String) -> JSONCodingError? {
        do throws(JSONCodingError) {
            _ = try decoder.decode(Numbers.self, from: Array(text.utf8))
            return nil
        } catch {
            return error
        }
    }

    @Test func `Foundation reads what we write, and we read what Foundation writes`() throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            let value = Sample.random(&generator)
            let ours = try encoder.encode(value)
            #expect(try JSONDecoder().decode(Sample.self, from: Data(ours)) == value, "\(String(decoding: ours, as: UTF8.self))")
            let theirs = Array(try JSONEncoder().encode(value))
            #expect(try decoder.decode(Sample.self, from: theirs) == value, "\(String(decoding: theirs, as: UTF8.self))")
        }
    }

    @Test func `members are in the order in which they are encoded, and nil ones are omitted`() throws {
        let value = Numbers(byte: 7, long: -1, truth: false, text: "", list: [], inner: [Numbers.Inner(status: 2)])
        #expect(
            String(decoding: try encoder.encode(value), as: UTF8.self)
                == #"{"byte":7,"long":-1,"truth":false,"text":"","list":[],"inner":[{"status":2}]}"#)
        #expect(String(decoding: try encoder.encode(Numbers()), as: UTF8.self) == "{}")
    }

    @Test func `null and an absent member are both nil, and unknown members are ignored`() throws {
        let read = try decoder.decode(
            Numbers.self, from: Array(#"{"byte":null,"new":[1.5e3,{"x":null}],"text":"t"}"#.utf8))
        #expect(read == Numbers(text: "t"))
    }

    @Test(arguments: [
        (#"{"byte":256}"#, JSONCodingError.Code.outOfRange, "byte"), (#"{"byte":-1}"#, .outOfRange, "byte"),
        (#"{"small":128}"#, .outOfRange, "small"), (#"{"medium":2147483648}"#, .outOfRange, "medium"),
        (#"{"medium":-2147483649}"#, .outOfRange, "medium"), (#"{"long":9223372036854775808}"#, .outOfRange, "long"),
        (#"{"unsigned":-1}"#, .outOfRange, "unsigned"), (#"{"unsigned":18446744073709551616}"#, .outOfRange, "unsigned"),
        (#"{"long":1.0}"#, .wrongType, "long"), (#"{"long":1e3}"#, .wrongType, "long"), (#"{"long":"1"}"#, .wrongType, "long"),
        (#"{"long":true}"#, .wrongType, "long"), (#"{"truth":1}"#, .wrongType, "truth"),
        (#"{"truth":"true"}"#, .wrongType, "truth"), (#"{"text":1}"#, .wrongType, "text"), (#"{"text":[]}"#, .wrongType, "text"),
        (#"{"list":{}}"#, .wrongType, "list"), (#"{"list":[1,null]}"#, .wrongType, "list[1]"),
        (#"{"list":[1,2,3000000000]}"#, .outOfRange, "list[2]"), (#"{"inner":[{"status":1},{}]}"#, .missing, "inner[1].status"),
        (#"{"inner":[{"status":null}]}"#, .wrongType, "inner[0].status"), (#"{"inner":{}}"#, .wrongType, "inner"),
        (#"{"float":1.5}"#, .unsupported, "float"), (#"{"float":1}"#, .unsupported, "float"), ("[]", .wrongType, ""),
        ("null", .wrongType, ""), ("7", .wrongType, ""), ("", .notJSON, ""), (#"{"byte":1,"byte":1}"#, .notJSON, ""),
    ])
    func `T33 a value that does not fit is refused with its place`(_ text: String, _ code: JSONCodingError.Code, _ path: String) {
        #expect(refusal(text) == JSONCodingError(code, at: path))
    }

    @Test func `T08 a text that is not strict JSON keeps the reader's reason`() {
        #expect(refusal(#"{"byte":1,"\u0062yte":1}"#)?.syntax == JSONError(.duplicateKey, at: 0))
        #expect(refusal("\u{FEFF}{}")?.syntax == JSONError(.invalidUTF8, at: 0))
    }

    @Test func `a value that a type refuses is reported with its place`() throws {
        #expect(throws: JSONCodingError(.refused, at: "[1]")) {
            try decoder.decode([Sample.Kind].self, from: Array(#"["FIRST","THIRD"]"#.utf8))
        }
    }

    @Test func `numbers that JSON cannot carry exactly are not written`() {
        #expect(throws: JSONCodingError(.unsupported, at: "float")) { try encoder.encode(Numbers(float: 1)) }
        #expect(throws: JSONCodingError(.outOfRange, at: "unsigned")) { try encoder.encode(Numbers(unsigned: .max)) }
        #expect(throws: JSONCodingError(.outOfRange, at: "[1]")) { try encoder.encode([1, UInt64(1) << 63]) }
    }

    /// Nested lists of the given depth.
    private struct Deep: Codable {
        var inner: [Deep]

        init(_ depth: Int) { inner = depth == 0 ? [] : [Deep(depth - 1)] }
    }

    @Test func `T33 depth is bounded both ways`() throws {
        let fits = try encoder.encode(Deep(31))
        _ = try decoder.decode(Deep.self, from: fits)
        #expect(throws: JSONCodingError.self) { try encoder.encode(Deep(32)) }
        let narrow = StrictJSONDecoder(limits: JSONLimits(maximumDepth: 63))
        #expect(throws: JSONCodingError(.notJSON, at: "")) { try narrow.decode(Deep.self, from: fits) }
    }

    private struct Twice: Encodable {
        enum Key: String, CodingKey {
            case name, other
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(1, forKey: .name)
            try container.encode(2, forKey: .name)
        }
    }

    private struct Nothing: Encodable {
        func encode(to encoder: any Encoder) {}
    }

    @Test func `a member that is written twice and a value that writes nothing are refused`() {
        #expect(throws: JSONCodingError(.duplicateKey, at: "[0].name")) { try encoder.encode([Twice()]) }
        #expect(throws: JSONCodingError(.nothingWritten, at: "[0]")) { try encoder.encode([Nothing()]) }
    }

    /// Fills containers alternately, as hand-written code may.
    private struct Turns: Codable, Equatable {
        enum Key: String, CodingKey {
            case list, last, inner, absent
        }

        var numbers: [Int]

        init(numbers: [Int]) { self.numbers = numbers }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            var list = try container.nestedUnkeyedContainer(forKey: .list)
            numbers = []
            while !list.isAtEnd {
                if try list.decodeNil() { continue }
                var pair = try list.nestedUnkeyedContainer()
                numbers.append(try pair.decode(Int.self))
                #expect(pair.isAtEnd && pair.currentIndex == 1 && pair.count == 1)
            }
            let inner = try container.nestedContainer(keyedBy: Key.self, forKey: .inner)
            #expect(inner.allKeys == [.last])
            #expect(try !container.contains(.absent) && container.decodeNil(forKey: .last))
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            var list = container.nestedUnkeyedContainer(forKey: .list)
            try container.encodeNil(forKey: .last)
            var inner = container.nestedContainer(keyedBy: Key.self, forKey: .inner)
            for number in numbers {
                try list.encodeNil()
                var pair = list.nestedUnkeyedContainer()
                try pair.encode(number)
            }
            try inner.encode("x", forKey: .last)
        }
    }

    @Test func `containers may be filled alternately`() throws {
        let bytes = try encoder.encode(Turns(numbers: [1, 2]))
        #expect(String(decoding: bytes, as: UTF8.self) == #"{"list":[null,[1],null,[2]],"last":null,"inner":{"last":"x"}}"#)
        #expect(try decoder.decode(Turns.self, from: bytes) == Turns(numbers: [1, 2]))
    }
}
