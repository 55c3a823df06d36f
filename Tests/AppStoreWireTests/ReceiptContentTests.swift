import AppStoreWire
import Primitives
import SimulatorPKI
import SwiftASN1
import Testing

/// Compares the reader of a receipt's attributes with the general third-party ASN.1 parser.
@Suite struct `Receipt contents` {
    @Test func `what is well formed to one reader is well formed to the other, whatever was damaged`() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var generator = SeededGenerator(seed: seed)
        var content = ReceiptWorld.content
        content.purchase(ReceiptWorld.purchase())
        content.purchase(ReceiptWorld.purchase())
        let whole = content.der
        var (read, refused) = (0, 0)
        for round in 0..<20_000 {
            var bytes = whole
            for _ in 0...Int.random(in: 0...2, using: &generator) {
                let position = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes[position] = UInt8.random(in: 0 ... .max, using: &generator)
                case 1: bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                case 2: bytes.remove(at: position)
                default: bytes.insert(UInt8.random(in: 0 ... .max, using: &generator), at: position)
                }
            }
            // An impossible value ends the reading early and says nothing about the form of what follows.
            guard let isWellFormed = Self.isWellFormed(bytes) else { continue }
            #expect(isWellFormed == Self.isWellFormedToTheGeneralParser(bytes), "seed \(seed), round \(round)")
            if isWellFormed { read += 1 } else { refused += 1 }
        }
        #expect(read > 100 && refused > 100)
    }

    /// True where everything was read, false where the form is wrong, nil where a value is wrong.
    private static func isWellFormed(_ bytes: [UInt8]) -> Bool? {
        do throws(ReceiptRefusal) {
            _ = try AppReceiptPayload(bytes, in: bytes.indices)
            return true
        } catch {
            return error.code == .contentMalformed ? false : nil
        }
    }

    private static func isWellFormedToTheGeneralParser(_ bytes: [UInt8]) -> Bool {
        do {
            for (type, value) in try attributes(bytes[...]) where type == 17 { _ = try attributes(value) }
            return true
        } catch {
            return false
        }
    }

    private static func attributes(_ bytes: ArraySlice<UInt8>) throws -> [(Int64, ArraySlice<UInt8>)] {
        let root = try DER.parse(bytes)
        guard root.identifier == .set, case .constructed(let nodes) = root.content else {
            throw ASN1Error.unexpectedFieldType(root.identifier)
        }
        return try nodes.map { node in
            try DER.sequence(node, identifier: .sequence) { fields in
                let type = try Int64(derEncoded: &fields)
                _ = try Int64(derEncoded: &fields)
                return (type, try ASN1OctetString(derEncoded: &fields).bytes)
            }
        }
    }
}
