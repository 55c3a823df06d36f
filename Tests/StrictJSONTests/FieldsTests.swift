import StrictJSON
import Testing

@Suite struct FieldsTests {
    private static let text = #"""
        {"text":"a","empty":"","zero":"a\u0000b","number":7,"fraction":1.0,"tooGreat":9223372036854775808,"truth":false,
        "nothing":null,"texts":["a",""],"mixed":["a",1],"objects":[{"n":1},{"n":"x"}],"inside":{"list":[{"n":null}]}}
        """#

    private static func fields(_ rules: JSONFields.Rules = []) throws -> JSONFields {
        try JSONFields(JSONDocument(Array(text.utf8)).root, rules: rules)
    }

    @Test func `Members are read by the requested type, and an absent one is nil`() throws {
        let fields = try Self.fields()
        #expect(try fields.text("text") == "a")
        #expect(try fields.text("empty")?.isEmpty == true)
        #expect(try fields.integer("number") == 7)
        #expect(try fields.integer("number", in: 7...7) == 7)
        #expect(try fields.bool("truth") == false)
        #expect(try fields.texts("texts") == ["a", ""])
        #expect(try fields.utf8("text").map { Array($0) } == Array("a".utf8))
        #expect(try fields.list("objects")?.map(\.path) == ["objects[0]", "objects[1]"])
        #expect(try fields.fields("inside")?.list("list")?.first?.place("n") == "inside.list[0].n")
        #expect(try fields.text("absent") == nil && fields.integer("absent") == nil && fields.bool("absent") == nil)
        #expect(try fields.texts("absent") == nil && fields.list("absent") == nil && fields.fields("absent") == nil)
        #expect(fields.has("nothing") && fields.isNull("nothing") && !fields.has("absent") && !fields.isNull("absent"))
    }

    typealias Expected = JSONFieldError.Expected
    typealias Found = JSONFieldError.Found

    @Test func `An error has its place, what was expected and what was found`() throws {
        let fields = try Self.fields()
        func refused(
            _ path: String, _ expected: Expected, _ found: Found, _ read: (JSONFields) throws -> Void
        ) {
            #expect(throws: JSONFieldError(at: path, expected: expected, found: found), "\(path)") { try read(fields) }
        }
        refused("number", .text, .integer) { _ = try $0.text("number") }
        refused("truth", .text, .bool) { _ = try $0.utf8("truth") }
        refused("text", .anyInteger, .text) { _ = try $0.integer("text") }
        refused("fraction", .anyInteger, .number) { _ = try $0.integer("fraction") }
        refused("tooGreat", .anyInteger, .number) { _ = try $0.integer("tooGreat") }
        refused("number", .integer(1...6), .integer) { _ = try $0.integer("number", in: 1...6) }
        refused("empty", .bool, .emptyText) { _ = try $0.bool("empty") }
        refused("nothing", .bool, .null) { _ = try $0.bool("nothing") }
        refused("absent", .text, .nothing) { _ = try $0.requiredText("absent") }
        refused("absent", .integer(0...1), .nothing) { _ = try $0.requiredInteger("absent", in: 0...1) }
        refused("absent", .bool, .nothing) { _ = try $0.requiredBool("absent") }
        refused("mixed[1]", .text, .integer) { _ = try $0.texts("mixed") }
        refused("texts[0]", .object, .text) { _ = try $0.list("texts") }
        refused("inside", .array, .object) { _ = try $0.array("inside") }
        refused("objects", .object, .array) { _ = try $0.fields("objects") }
        refused("objects[1].n", .anyInteger, .text) { for entry in try $0.list("objects") ?? [] { _ = try entry.integer("n") } }
        refused("inside.list[0].n", .text, .null) { _ = try $0.fields("inside")?.list("list")?.first?.text("n") }
        #expect(throws: JSONFieldError(at: "", expected: .object, found: .array)) {
            try JSONFields(JSONDocument(Array("[]".utf8)).root)
        }
    }

    @Test func `The first unknown member is refused with the names of the known ones`() throws {
        let document = try JSONDocument(Array(#"{"a":1,"c":2,"b":3}"#.utf8))
        let fields = try JSONFields(document.root, at: "apps[0]")
        try fields.refuseMembers(besides: ["c", "b", "a", "d"])
        #expect(throws: JSONFieldError(at: "apps[0].c", expected: .noneBut(["a", "b"]), found: .integer)) {
            try fields.refuseMembers(besides: ["b", "a"])
        }
    }

    @Test func `null and the empty text count as absent where a face says so, also in nested objects`() throws {
        let lenient = try Self.fields([.nullIsAbsent, .emptyIsAbsent])
        #expect(try lenient.text("nothing") == nil && lenient.text("empty") == nil)
        #expect(!lenient.has("nothing") && lenient.isNull("nothing"))
        #expect(try lenient.fields("inside")?.list("list")?.first?.text("n") == nil)
        #expect(throws: JSONFieldError(at: "nothing", expected: .text, found: .nothing)) { try lenient.requiredText("nothing") }
    }

    @Test func `Empty texts and texts with U+0000 are refused where a face says so`() throws {
        let strict = try Self.fields([.noEmptyTexts, .noZeroBytes])
        #expect(throws: JSONFieldError(at: "empty", expected: .textNotEmpty, found: .emptyText)) { try strict.text("empty") }
        #expect(throws: JSONFieldError(at: "zero", expected: .text, found: .textWithZero)) { try strict.text("zero") }
        #expect(try strict.texts("texts") == ["a", ""])
        #expect(try Self.fields().text("zero") == "a\u{0}b")
    }

    @Test func `An error reads as a sentence and shows nothing of the content`() {
        let error = JSONFieldError(at: "apps[0].port", expected: .integer(0...65535), found: .text)
        #expect(error.description == "apps[0].port: expected an integer from 0 to 65535, found a text")
        let whole = JSONFieldError(at: "", expected: .object, found: .null)
        #expect(whole.description == "expected an object, found null")
        let unknown = JSONFieldError(at: "kinds", expected: .noneBut(["count", "kind"]), found: .text)
        #expect(unknown.description == "kinds: expected no member but count, kind, found a text")
    }
}
