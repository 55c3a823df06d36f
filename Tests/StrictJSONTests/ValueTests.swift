import Foundation
import StrictJSON
import Testing

@Suite struct `Values of a document` {
    private func root(_ text: String) throws -> JSONValue { try JSONDocument(Array(text.utf8)).root }

    @Test(arguments: [
        ("0", 0), ("-0", 0), ("1", 1), ("-1", -1), ("9223372036854775807", Int64.max), ("-9223372036854775808", .min),
        ("1780000000000", 1_780_000_000_000),
    ]) func `an integer that fits is exact`(_ text: String, _ expected: Int64) throws {
        #expect(try root(text).int64 == expected)
        #expect(try root(text).flooredInt64 == expected)
    }

    @Test(arguments: [
        "9223372036854775808", "-9223372036854775809", "1.0", "1e3", "1E3", "0.0", "1e308", "1e400", "true", "\"1\"", "null",
        "[]",
    ])
    func `T33 what is not a plain integer of 64 bits is nil and never traps`(_ text: String) throws {
        #expect(try root(text).int64 == nil)
    }

    @Test(arguments: [
        ("1.0", 1), ("1.999", 1), ("-1.001", -2), ("-1.000", -1), ("1780000000000.4142", 1_780_000_000_000), ("-0.5", -1),
        ("0.9", 0),
        ("9223372036854775807.9", Int64.max), ("-9223372036854775808.0", .min),
    ]) func `a fraction is floored only on request`(_ text: String, _ expected: Int64) throws {
        #expect(try root(text).flooredInt64 == expected)
        #expect(try root(text).int64 == nil)
    }

    @Test(arguments: ["1e3", "1.5e3", "-9223372036854775808.5", "9223372036854775808.0", "\"1\""])
    func `a number with an exponent or beyond the range has no floor`(_ text: String) throws {
        #expect(try root(text).flooredInt64 == nil)
    }

    @Test func `strings are read without their escapes and shared where they have none`() throws {
        let object = try #require(
            try root(#"{"plain":"Größe €","esc":"\"\\\/\b\f\n\r\t\u0041\ud83d\ude00","na\u006de":1}"#).object)
        #expect(object["plain"]?.string == "Größe €")
        #expect(object["esc"]?.string == "\"\\/\u{8}\u{C}\n\r\tA\u{1F600}")
        #expect(object["esc"]?.utf8.map(Array.init) == Array("\"\\/\u{8}\u{C}\n\r\tA\u{1F600}".utf8))
        #expect(object["name"]?.int64 == 1)
        #expect(object["missing"] == nil)
        #expect(object["esc"]?.rawBytes.elementsEqual(#""\"\\\/\b\f\n\r\t\u0041\ud83d\ude00""#.utf8) == true)
    }

    @Test(arguments: ["{\"\u{FEFF}n\":\"\u{FEFF}t\"}", #"{"\ufeffn":"\ufefft"}"#])
    func `a byte order mark inside a text belongs to it, even at its start`(_ text: String) throws {
        let member = try #require(try root(text).object?.first { _ in true })
        #expect(Array(member.name.utf8) == [0xEF, 0xBB, 0xBF, 0x6E])
        #expect(member.value.string.map { Array($0.utf8) } == [0xEF, 0xBB, 0xBF, 0x74])
    }

    @Test func `every integer is written exactly`() {
        var powers: [Int64] = [0, .max, .min]
        for power in sequence(first: Int64(1), next: { $0 > .max / 10 ? nil : $0 * 10 }) {
            powers += [power - 1, power, power + 1, -power, 1 - power, -1 - power]
        }
        for number in powers {
            var writer = JSONWriter()
            writer.integer(number)
            #expect(writer.text == String(number))
        }
    }

    @Test func `members and elements come in the order of the document`() throws {
        let object = try #require(try root(#"{"z":[1,[2,3],{"q":4}],"a":null,"m":{"x":true}}"#).object)
        #expect(object.map(\.name) == ["z", "a", "m"])
        #expect(object.count == 3)
        #expect(object["a"]?.isNull == true)
        let array = try #require(object["z"]?.array)
        #expect(array.count == 3)
        #expect(array.map { String(decoding: $0.rawBytes, as: UTF8.self) } == ["1", "[2,3]", #"{"q":4}"#])
        #expect(object["m"]?.object?["x"]?.bool == true)
    }

    @Test func `a value of another type is nil, never a guess`() throws {
        let value = try root(#"{"s":"1","n":1,"b":true,"l":null}"#)
        #expect(value.string == nil && value.int64 == nil && value.bool == nil && value.array == nil && !value.isNull)
        let object = try #require(value.object)
        #expect(object["s"]?.int64 == nil && object["s"]?.bool == nil)
        #expect(object["n"]?.string == nil && object["n"]?.bool == nil)
        #expect(object["b"]?.int64 == nil && object["b"]?.string == nil)
        #expect(object["l"]?.string == nil && object["l"]?.object == nil)
    }

    @Test func `white space may stand wherever the grammar allows it`() throws {
        #expect(try root(" \t\r\n{ \"a\" : [ 1 , 2 ] , \"b\" : { } } \n").object?["a"]?.array?.count == 2)
    }
}

@Suite struct `Written JSON` {
    @Test func `members are in the order in which they are written, escaped only where necessary`() {
        var json = JSONWriter()
        json.object {
            $0.member("z", "a\"\\\n\r\t\u{1}\u{1F}/é😀")
            $0.member("a", 1)
            $0.member("yes", true)
            $0.member("list") { $0.array { list in (1...3).forEach { list.integer($0) } } }
            $0.member("empty") { $0.object { _ in } }
            $0.nullableMember("none", String?.none)
            $0.optionalMember("left out", Int64?.none)
            $0.member("raw") { $0.raw(Array("{\"x\":1}".utf8)) }
        }
        #expect(
            json.text
                == #"{"z":"a\"\\\n\r\t\u0001\u001f/é😀","a":1,"yes":true,"list":[1,2,3],"empty":{},"none":null,"raw":{"x":1}}"#)
    }
}

/// A random JSON value.
private indirect enum Tree: Equatable {
    case null, bool(Bool), integer(Int64), text(String), array([Tree]), object([(String, Tree)])

    static func == (left: Tree, right: Tree) -> Bool { left.written == right.written }

    var written: [UInt8] {
        var json = JSONWriter()
        write(to: &json)
        return json.bytes
    }

    private func write(to json: inout JSONWriter) {
        switch self {
        case .null: json.null()
        case .bool(let value): json.bool(value)
        case .integer(let number): json.integer(number)
        case .text(let text): json.string(text)
        case .array(let elements): json.array { json in elements.forEach { $0.write(to: &json) } }
        case .object(let members):
            json.object { json in
                for (name, value) in members { json.member(named: name) { value.write(to: &$0) } }
            }
        }
    }

    /// The content of the document, in our types.
    init?(_ value: JSONValue) {
        if value.isNull {
            self = .null
        } else if let bool = value.bool {
            self = .bool(bool)
        } else if let number = value.int64 {
            self = .integer(number)
        } else if let text = value.string {
            self = .text(text)
        } else if let array = value.array {
            self = .array(array.compactMap(Tree.init))
        } else if let object = value.object {
            self = .object(object.compactMap { member in Tree(member.value).map { (member.name, $0) } })
        } else {
            return nil
        }
    }

    static func random(_ alphabet: [ClosedRange<UInt32>], depth: Int, using generator: inout SeededGenerator) -> Tree {
        switch Int.random(in: 0..<(depth > 0 ? 7 : 4), using: &generator) {
        case 0: return .null
        case 1: return .bool(.random(using: &generator))
        case 2: return .integer(.random(in: .min ... .max, using: &generator))
        case 3: return .text(text(alphabet, using: &generator))
        case 4:
            return .array(
                (0..<Int.random(in: 0...5, using: &generator)).map { _ in random(alphabet, depth: depth - 1, using: &generator) })
        default:
            var members: [(String, Tree)] = []
            for _ in 0..<Int.random(in: 0...60, using: &generator) {
                let name = text(alphabet, using: &generator)
                if !members.contains(where: { $0.0.utf8.elementsEqual(name.utf8) }) {
                    members.append((name, random(alphabet, depth: depth - 2, using: &generator)))
                }
            }
            return .object(members)
        }
    }

    private static func text(_ alphabet: [ClosedRange<UInt32>], using generator: inout SeededGenerator) -> String {
        var scalars = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...12, using: &generator) {
            let range = alphabet.randomElement(using: &generator) ?? 0...1
            if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &generator)) { scalars.append(scalar) }
        }
        return String(scalars)
    }

    /// Compares what Foundation read with this value.
    func agrees(with other: Any) -> Bool {
        switch (self, other) {
        case (.null, is NSNull): true
        case (.bool(let mine), let its as Bool): mine == its
        case (.integer(let mine), let its as NSNumber): mine == its.int64Value
        case (.text(let mine), let its as String): mine.utf8.elementsEqual(its.utf8)
        case (.array(let mine), let its as [Any]): mine.count == its.count && zip(mine, its).allSatisfy { $0.agrees(with: $1) }
        case (.object(let mine), let its as [String: Any]):
            mine.count == its.count && mine.allSatisfy { name, value in its[name].map { value.agrees(with: $0) } ?? false }
        default: false
        }
    }
}

/// SplitMix64: small, and the same on every machine.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}

@Suite struct `Random documents` {
    @Test func `a random document survives writing and reading, and Foundation reads the same`() async throws {
        let seed = UInt64.random(in: 0 ... .max)
        var generator = SeededGenerator(seed: seed)
        for round in 0..<300 {
            await Task.yield()
            let tree = Tree.random(Self.everything, depth: 5, using: &generator)
            let isSame = Tree(try JSONDocument(tree.written).root) == tree
            #expect(isSame, "seed \(seed), round \(round)")
        }
        for round in 0..<300 {
            await Task.yield()
            let tree = Tree.random(Self.withoutCombining, depth: 5, using: &generator)
            let foundation = try JSONSerialization.jsonObject(with: Data(tree.written), options: .fragmentsAllowed)
            let isFoundations = tree.agrees(with: foundation)
            #expect(isFoundations, "seed \(seed), round \(round)")
        }
    }

    private static let everything: [ClosedRange<UInt32>] = [0...0x7F, 0x20...0x7F, 0x80...0xD7FF, 0xE000...0x10FFFF]
    /// Foundation's dictionary treats names as equal that are equivalent in Unicode; these ranges contain none.
    private static let withoutCombining: [ClosedRange<UInt32>] = [0...0x7F, 0x20...0x7F, 0x4E00...0x9FFF, 0x1F600...0x1F64F]

    @Test func `T08 damaged documents that we accept are accepted by Foundation too`() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var generator = SeededGenerator(seed: seed)
        var accepted = 0
        for round in 0..<20_000 {
            var bytes = Array(#"{"a":[1,-20,"x\u0041é"],"b":{"c":true,"d":null},"e":"\ud83d\ude00","f":12.5}"#.utf8)
            bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            do {
                _ = try JSONDocument(bytes)
            } catch {
                continue
            }
            accepted += 1
            #expect(throws: Never.self, "seed \(seed), round \(round)") { try JSONSerialization.jsonObject(with: Data(bytes)) }
        }
        #expect(accepted > 1000)
    }
}
