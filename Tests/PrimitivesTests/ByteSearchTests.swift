import Primitives
import Testing

@Suite struct `Byte search` {
    @Test func `the first place is found wherever it is, and none where there is none`() {
        for count in 0...100 {
            let none = [UInt8](repeating: 7, count: count)
            #expect(none.withUnsafeBytes { ByteSearch.firstIndex(of: 9, in: $0) } == nil)
            for place in 0..<count {
                var bytes = none
                bytes[place] = 9
                bytes[count - 1] = 9
                #expect(bytes.withUnsafeBytes { ByteSearch.firstIndex(of: 9, in: $0) } == place)
                #expect(
                    bytes.withUnsafeBytes { ByteSearch.firstIndex(of: 9, in: $0, from: place + 1) }
                        == (place == count - 1 ? nil : count - 1))
            }
        }
    }
}
