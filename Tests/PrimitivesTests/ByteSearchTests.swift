import Primitives
import Testing

@Suite struct `Byte search` {
    @Test func `the first occurrence is found wherever it is, and none if there is none`() {
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

    @Test func `a run is found at its place, whole and nowhere else`() {
        for count in 0...40 {
            let run = (0..<count).map { UInt8($0 + 1) }
            for start in 0...9 {
                let bytes = [UInt8](repeating: 0, count: start) + run
                func stands(_ run: [UInt8], _ place: Int) -> Bool {
                    run.withUnsafeBytes { run in bytes.withUnsafeBytes { ByteSearch.contains(run, in: $0, at: place) } }
                }
                #expect(stands(run, start))
                #expect(!stands(run + [0], start))
                #expect(!stands(run, start + 1) || count == 0 && start + 1 <= bytes.count)
                #expect(!stands(run, -1))
                #expect(!stands(run, .max))
                for place in 0..<count {
                    var other = run
                    other[place] ^= 0x80
                    #expect(!stands(other, start))
                }
            }
        }
    }
}
