/// What a version of QR codes is at level M.
///
/// Source: ISO/IEC 18004:2015, tables 1, 7, 9 and E.1.
struct QRVersion: Sendable {
    let number: Int
    /// How many codewords it has for data and for correction together.
    let total: Int
    /// How many of them correct each block.
    let correction: Int
    let blocks: Int
    /// The rows and columns of the centres of alignment patterns.
    let alignment: [Int]

    static let all = [
        QRVersion(1, 26, 10, 1, []), QRVersion(2, 44, 16, 1, [6, 18]), QRVersion(3, 70, 26, 1, [6, 22]),
        QRVersion(4, 100, 18, 2, [6, 26]), QRVersion(5, 134, 24, 2, [6, 30]), QRVersion(6, 172, 16, 4, [6, 34]),
        QRVersion(7, 196, 18, 4, [6, 22, 38]), QRVersion(8, 242, 22, 4, [6, 24, 42]),
        QRVersion(9, 292, 22, 5, [6, 26, 46]), QRVersion(10, 346, 26, 5, [6, 28, 50]),
    ]

    private init(_ number: Int, _ total: Int, _ correction: Int, _ blocks: Int, _ alignment: [Int]) {
        (self.number, self.total, self.correction) = (number, total, correction)
        (self.blocks, self.alignment) = (blocks, alignment)
    }

    var width: Int { 17 + 4 * number }

    private var dataCount: Int { total - correction * blocks }

    /// How many bits the count of bytes has.
    private var countBits: Int { number < 10 ? 8 : 16 }

    /// How many bytes there is room for.
    var capacity: Int { (dataCount * 8 - 4 - countBits) / 8 }

    /// The bytes with what corrects them, in the order in which they are drawn.
    func codewords(of bytes: [UInt8]) -> [UInt8] {
        var bits: [Bool] = []
        func append(_ value: Int, _ count: Int) {
            for place in stride(from: count - 1, through: 0, by: -1) { bits.append(value >> place & 1 == 1) }
        }
        append(0b0100, 4)
        append(bytes.count, countBits)
        for byte in bytes { append(Int(byte), 8) }
        bits += [Bool](repeating: false, count: min(4, dataCount * 8 - bits.count))
        while bits.count % 8 != 0 { bits.append(false) }
        var data = stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
        }
        var padding: [UInt8] = [0xEC, 0x11]
        while data.count < dataCount {
            data.append(padding[0])
            padding.swapAt(0, 1)
        }
        return interleaved(data)
    }

    /// The blocks' data one after the other, then their corrections.
    private func interleaved(_ data: [UInt8]) -> [UInt8] {
        let (short, longer) = (dataCount / blocks, dataCount % blocks)
        var (parts, rest) = ([[UInt8]](), data[...])
        for block in 0..<blocks {
            let count = block < blocks - longer ? short : short + 1
            parts.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        let corrections = parts.map { ReedSolomon.correction(of: $0, count: correction) }
        func columns(_ blocks: [[UInt8]]) -> [UInt8] {
            (0..<(blocks.map(\.count).max() ?? 0)).flatMap { place in
                blocks.compactMap { $0.indices.contains(place) ? $0[place] : nil }
            }
        }
        return columns(parts) + columns(corrections)
    }
}

/// The code that corrects what a camera misread.
///
/// Source: ISO/IEC 18004:2015, section 7.5.2: GF(256) with x⁸ + x⁴ + x³ + x² + 1.
enum ReedSolomon {
    private static func product(_ left: UInt8, _ right: UInt8) -> UInt8 {
        var (result, factor, rest) = (UInt16(0), UInt16(left), right)
        while rest > 0 {
            if rest & 1 == 1 { result ^= factor }
            factor <<= 1
            if factor & 0x100 != 0 { factor ^= 0x11D }
            rest >>= 1
        }
        return UInt8(truncatingIfNeeded: result)
    }

    /// (x - 1)(x - 2)(x - 4)… without its first coefficient, which is 1.
    private static func generator(_ degree: Int) -> [UInt8] {
        var (coefficients, root) = ([UInt8](repeating: 0, count: degree - 1) + [1], UInt8(1))
        for _ in 0..<degree {
            for place in 0..<degree {
                coefficients[place] = product(coefficients[place], root)
                if place + 1 < degree { coefficients[place] ^= coefficients[place + 1] }
            }
            root = product(root, 2)
        }
        return coefficients
    }

    /// What remains of the data, divided by the generator.
    static func correction(of data: [UInt8], count: Int) -> [UInt8] {
        let generator = generator(count)
        var rest = [UInt8](repeating: 0, count: count)
        for byte in data {
            let factor = byte ^ rest.removeFirst()
            rest.append(0)
            for place in rest.indices { rest[place] ^= product(generator[place], factor) }
        }
        return rest
    }
}
