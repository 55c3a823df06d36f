/// Rows of one table, one after the other, as PostgreSQL's COPY accepts them: before each row the number of its columns in two
/// bytes, before each column its length in four (-1 for NULL); integers take eight, the most significant first.
///
/// Source: PostgreSQL documentation, COPY, "Binary Format".
struct PackedRows: Sendable {
    /// The type of a column, so that readers other than COPY can interpret its bytes.
    enum Kind: Sendable { case null, integer, text, bytes }

    private(set) var bytes: [UInt8] = []
    private(set) var count = 0
    /// The types of the columns; the same for every row, except where a row has NULL.
    private(set) var kinds: [Kind] = []

    mutating func append(_ row: [RawValue]) {
        if kinds.isEmpty { kinds = row.map(\.kind) }
        append(Int16(row.count))
        for value in row {
            guard let binary = value.binary else {
                append(Int32(-1))
                continue
            }
            append(Int32(binary.count))
            bytes.append(contentsOf: binary)
        }
        count += 1
    }

    mutating func append(contentsOf other: PackedRows) {
        if kinds.isEmpty { kinds = other.kinds }
        bytes.append(contentsOf: other.bytes)
        count += other.count
    }

    mutating func reserve(_ byteCount: Int) { bytes.reserveCapacity(byteCount) }

    private mutating func append<Integer: FixedWidthInteger>(_ integer: Integer) {
        withUnsafeBytes(of: integer.bigEndian) { bytes.append(contentsOf: $0) }
    }

    /// Overwrites the bytes at this place.
    mutating func overwrite(at offset: Int, with replacement: [UInt8]) {
        for (index, byte) in replacement.enumerated() { bytes[offset + index] = byte }
    }

    /// Overwrites an integer of eight bytes.
    mutating func overwrite(at offset: Int, withInteger integer: Int64) {
        var rest = UInt64(bitPattern: integer)
        for index in stride(from: offset + 7, through: offset, by: -1) {
            bytes[index] = UInt8(truncatingIfNeeded: rest)
            rest >>= 8
        }
    }

    /// Overwrites decimal digits, with leading zeros.
    mutating func overwrite(at offset: Int, withDigits width: Int, of number: Int64) {
        var rest = number
        for index in stride(from: offset + width - 1, through: offset, by: -1) {
            let (tens, digit) = rest.quotientAndRemainder(dividingBy: 10)
            bytes[index] = UInt8(truncatingIfNeeded: 48 + digit)
            rest = tens
        }
    }

    /// Overwrites a number in groups of seven bits, the least significant first, each but the last with its eighth bit set.
    mutating func overwrite(at offset: Int, withVarint width: Int, of number: Int64) {
        var rest = UInt64(bitPattern: number)
        for index in offset..<offset + width {
            bytes[index] = UInt8(truncatingIfNeeded: rest) & 0x7F | (index < offset + width - 1 ? 0x80 : 0)
            rest >>= 7
        }
    }
}

extension RawValue {
    var kind: PackedRows.Kind {
        switch self {
        case .null: .null
        case .integer: .integer
        case .text: .text
        case .bytes: .bytes
        }
    }
}
