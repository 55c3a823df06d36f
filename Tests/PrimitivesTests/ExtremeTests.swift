import Primitives
import Testing

@Suite struct `Values at their limits` {
    @Test(arguments: [
        (Int64.min, "-292275055-05-16T16:47:04.192Z"), (Int64.max, "292278994-08-17T07:12:55.807Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
    ])
    func `T33 Every instant can be written, the first and the last of Int64 too`(_ milliseconds: Int64, _ text: String) {
        #expect(Timestamp(millisecondsSince1970: milliseconds).description == text)
    }

    private enum Thing {}

    @Test func `Identifiers are equal only where their bytes are, as a database tells them apart`() {
        let composed = ID<Thing>("Jos\u{E9}")
        let decomposed = ID<Thing>("Jose\u{301}")
        #expect(composed.rawValue == decomposed.rawValue)
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
        #expect(composed == ID<Thing>("Jos\u{E9}"))
        #expect((composed < decomposed) != (decomposed < composed))
    }
}
