import AppStoreWire
import Primitives
import SimulatorPKI
import Testing

/// How large a receipt may be, and what an unsigned one may cost (T30, T31, F23).
@Suite struct `The size of receipts` {
    let world: ReceiptWorld

    init() throws { world = try ReceiptWorld.sha256.get() }

    /// A receipt with this many different purchases.
    private func signed(purchases: Int) throws -> [UInt8] {
        try world.signed { content in
            for number in 0..<purchases {
                content.purchase(
                    ReceiptWorld.purchase(
                        adding: [(1703, DERWriter.utf8("\(2_000_000_000_000_000 + number)"))], leavingOut: [1703]))
            }
        }
    }

    @Test func `F23 a receipt of almost five mebibytes is read whole, and a longer one is refused`() async throws {
        let thousand = try signed(purchases: 1001).count - signed(purchases: 1).count
        let most = (5 << 20) * 1000 / thousand - 50
        let der = try signed(purchases: most)
        #expect(der.count > 5 * 1000 * 1000)
        let receipt = try await world.verify(der).get().payload
        #expect(receipt.inApp.count == most && Set(receipt.inApp.map(\.transactionId)).count == most)
        #expect(await world.refusal(der + Array(repeating: 0, count: (5 << 20) + 1 - der.count)) == .tooLong)
    }

    /// The smallest possible elements, in a container; each would cost a parser ninety bytes.
    @Test(
        arguments: [
            [0x05, 0x00], [0x30, 0x00], [0x30, 0x80, 0x00, 0x00], [0x1F, 0x81, 0x01, 0x00], [0x04, 0x81, 0x00],
        ] as [[UInt8]])
    func `T31 an input of only small elements is refused before it is parsed`(small: [UInt8]) async throws {
        let bomb = Array(repeatElement(small, count: (4 << 20) / small.count).joined())
        #expect(await world.refusal(DERWriter.sequence([bomb])) == .tooManyElements)
        #expect(await world.refusal(bomb) == .tooManyElements)
    }

    @Test func `as many elements as are allowed are parsed, and one more is not`() async throws {
        var limits = ReceiptLimits.default
        limits.maximumElements = 100
        let narrow = try ReceiptWorld(digest: .sha256, limits: limits)
        func nulls(_ count: Int) -> [UInt8] { DERWriter.sequence(Array(repeating: [0x05, 0x00], count: count)) }
        #expect(await narrow.refusal(nulls(99)) == .notSignedData)
        #expect(await narrow.refusal(nulls(100)) == .tooManyElements)
        // Levels count as well, and the signed content is one element whatever its size.
        let deep = (0..<120).reduce([] as [UInt8]) { inner, _ in DERWriter.sequence([inner]) }
        #expect(await narrow.refusal(deep) == .tooManyElements)
        let empty = try world.signed().count
        #expect(try signed(purchases: 2000).count > empty + 100_000)
        #expect(await world.refusal(try signed(purchases: 2000)) == nil)
    }

    @Test func `input that ends within a tag or a length is refused with that reason`() async throws {
        for bytes in [[0x30], [0x1F], [0x1F, 0xFF], [0x30, 0x84, 1], [0x04, 0x88, 1, 2, 3, 4, 5, 6, 7, 8], [0x04, 0x05, 1]] {
            #expect(await world.refusal(bytes.map { UInt8($0) }) == .notDER)
        }
    }
}
