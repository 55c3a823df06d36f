import Testing

@testable import AppStoreWire

/// The serial is that of one of Apple's own leaves; its decimal form was computed with Python's int().
@Suite struct `Serial numbers of leaves` {
    private static let hexadecimal = "68fa0f95dbe94a8107d2506b8c33eff6"

    @Test(arguments: [
        hexadecimal, "68FA0F95DBE94A8107D2506B8C33EFF6", "0068fa0f95dbe94a8107d2506b8c33eff6",
        "0x68fa0f95dbe94a8107d2506b8c33eff6",
        "68-fa-0f-95-db-e9-4a-81-07-d2-50-6b-8c-33-ef-f6",
        "68:FA:0F:95:DB:E9:4A:81:07:D2:50:6B:8C:33:EF:F6", "139538101885464475791729316835208982518",
    ])
    func `T06 a serial number is read in every notation of common tools`(_ text: String) throws {
        let readings = try #require(LeafSerial.readings(of: text))
        #expect(readings.contains(Self.hexadecimal))
    }

    @Test func `T06 digits alone are read as hexadecimal and as decimal`() {
        #expect(LeafSerial.readings(of: "1234") == ["1234", "4d2"])
        #expect(LeafSerial.readings(of: "0010") == ["10", "a"])
    }

    @Test(arguments: ["", "0", "00:00", "serial=68FA", "68g0", "6 8 z", String(repeating: "f", count: 41), "１２３"])
    func `T06 what is not a serial number is not taken for one`(_ text: String) {
        #expect(LeafSerial.readings(of: text) == nil)
    }

    @Test func `T06 the greatest of twenty bytes is read in decimal, and one more is not`() {
        let greatest = "1461501637330902918203684832716283019655932542975"
        #expect(LeafSerial.readings(of: greatest) == [String(repeating: "f", count: 40)])
        #expect(LeafSerial.readings(of: "1461501637330902918203684832716283019655932542976") == nil)
    }
}
