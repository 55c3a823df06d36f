import BenchmarkSamples
import Ledger
import Primitives
import Storage

/// The rows of subscriptions that were bought in one instant, and so differ only in their numbers: the rows of one of them, as
/// the store's own coders make them, and the places in these that contain a number. Overwriting those places costs a tenth of the
/// rules and coders; some of each such family are also made by the coders, and compared (`check`).
struct LifeTemplate: Sendable {
    /// How the bytes at a place depend on a subscription's number.
    private enum Field: Sendable {
        case digits(width: Int, Line)
        case varint(width: Int, Line)
        case integer(Line)
        /// An instant that is spread by the subscription's id, without that.
        case spread(Int64)
        /// The hash of the one audit row.
        case hash
    }

    /// A field at every occurrence of certain bytes, at an offset from them.
    private struct NamedField {
        let needle: [UInt8]
        let skipped: Int
        let field: Field
    }

    /// A value that grows linearly with the number.
    private struct Line: Sendable {
        let first: Int64
        let step: Int64
        let number: Int

        /// Nil where two values are not on a line with integer steps.
        init?(_ one: (number: Int, value: Int64), _ other: (number: Int, value: Int64)) {
            let (step, rest) = (other.value - one.value).quotientAndRemainder(dividingBy: Int64(other.number - one.number))
            guard rest == 0 else { return nil }
            (first, self.step, number) = (one.value, step, one.number)
        }

        func value(at number: Int) -> Int64 { first + step * Int64(number - self.number) }
    }

    private struct Table: Sendable {
        var rows = PackedRows()
        var fields: [(offset: Int, field: Field)] = []
    }

    private let lives: StoredLives
    private var tables: [Table]
    /// Where the audit row's text begins, and how long it is.
    private var auditText = 0..<0

    private static let audit = StoredLives.tables.firstIndex { $0.name == "audit" } ?? 0
    private static let customerPrefix = 24
    private static let claimPrefix = 6

    /// - Parameter family: numbers of lives that share their instants.
    /// - Throws: `BenchError` where the rows differ in something that is not known here.
    init(_ lives: StoredLives, family: Range<Int>) throws {
        self.lives = lives
        let (one, other) = (family.lowerBound, family.upperBound - 1)
        let (rows, otherRows) = (try lives.rows(of: one..<one + 1), try lives.rows(of: other..<other + 1))
        tables = StoredLives.tables.map { _ in Table() }
        guard let audit = rows[Self.audit].first, rows[Self.audit].count == 1, case .bytes(let hash) = audit.last,
            case .text(let text) = audit[3]
        else { throw BenchError("a life that is bought once has one audit row") }
        let named = try Self.named(lives.life(one), lives.life(other)) + [NamedField(needle: hash, skipped: 0, field: .hash)]
        for table in rows.indices {
            guard rows[table].count == otherRows[table].count else { throw BenchError("lives of a family differ in rows") }
            for (row, otherRow) in zip(rows[table], otherRows[table]) {
                try append(row, (one, other), otherRow, to: table)
            }
            for name in named {
                tables[table].fields += Self.places(of: name.needle, in: tables[table].rows.bytes)
                    .map { ($0 + name.skipped, name.field) }
            }
        }
        let start = Self.places(of: Array(text.utf8), in: tables[Self.audit].rows.bytes).first ?? 0
        auditText = start..<start + text.utf8.count
    }

    /// Integers in a column of their own are found by comparing two lives.
    private mutating func append(
        _ row: [RawValue], _ numbers: (Int, Int), _ other: [RawValue], to table: Int
    ) throws {
        var offset = tables[table].rows.bytes.count + 2
        for (value, otherValue) in zip(row, other) {
            if case (.integer(let value), .integer(let otherValue)) = (value, otherValue), value != otherValue {
                tables[table].fields.append((offset + 4, try field((numbers.0, value), (numbers.1, otherValue), in: table)))
            }
            offset += 4 + value.byteCount
        }
        tables[table].rows.append(row)
    }

    private func field(
        _ one: (number: Int, value: Int64), _ other: (number: Int, value: Int64), in table: Int
    ) throws -> Field {
        let unspread = one.value - spread(of: one.number)
        if unspread == other.value - spread(of: other.number) { return .spread(unspread) }
        guard let line = Line(one, other) else {
            throw BenchError("\(StoredLives.tables[table].name): an integer does not grow evenly")
        }
        return .integer(line)
    }

    /// How much later than others the rules ask about a subscription: within a quarter of an hour, by the hash of its id. Made
    /// here a second time, for each of many millions; `check` finds out if the rules do it otherwise.
    ///
    /// Source: RFC 9923 (FNV-1a, 64 bits).
    private func spread(of number: Int) -> Int64 {
        let id = lives.life(number).charge(0).originalTransactionId
        let hash = id.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
        return Int64(hash % UInt64(Milliseconds.minutes(15).count))
    }

    /// The names that occur in a life's rows, as text and as the store's coders pack a number.
    private static func named(_ one: Life, _ other: Life) throws -> [NamedField] {
        func line(_ value: (Life) throws -> String) throws -> Line {
            guard let first = Int64(try value(one)), let last = Int64(try value(other)),
                let line = Line((one.number, first), (other.number, last))
            else { throw BenchError("an id is no number, or grows unevenly") }
            return line
        }
        func texts(_ text: String, skipping skipped: Int, _ line: Line) -> NamedField {
            NamedField(
                needle: Array(text.utf8), skipped: skipped, field: .digits(width: text.utf8.count - skipped, line))
        }
        func varints(_ line: Line) -> NamedField {
            let packed = varint(line.value(at: one.number))
            return NamedField(needle: packed, skipped: 0, field: .varint(width: packed.count, line))
        }
        let id = try line { $0.charge(0).originalTransactionId }
        let item = try line { $0.charge(0).webOrderLineItemId }
        let account = try line { $0.charge(0).appTransactionId }
        let customer = try line { String($0.customer.rawValue.dropFirst(customerPrefix)) }
        let claim = try line { String($0.claim.id.rawValue.dropFirst(claimPrefix)) }
        let number = try line { String(try StoredLives.number(of: $0.customer)) }
        // As the coder of claims packs it.
        let packed = varint(number.value(at: one.number) * 2)
        let doubled = try line { String(2 * (try StoredLives.number(of: $0.customer))) }
        return [
            texts(String(number.value(at: one.number)), skipping: 0, number),
            NamedField(needle: packed, skipped: 0, field: .varint(width: packed.count, doubled)),
            texts(one.charge(0).originalTransactionId, skipping: 0, id),
            texts(one.charge(0).webOrderLineItemId, skipping: 0, item),
            texts(one.charge(0).appTransactionId, skipping: 0, account), varints(account),
            texts(one.customer.rawValue, skipping: customerPrefix, customer),
            texts(one.claim.id.rawValue, skipping: claimPrefix, claim), varints(id), varints(item),
        ]
    }

    private static func varint(_ number: Int64) -> [UInt8] {
        var (bytes, rest) = ([UInt8](), UInt64(bitPattern: number))
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) & 0x7F | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }

    private static func places(of needle: [UInt8], in bytes: [UInt8]) -> [Int] {
        guard let first = needle.first, bytes.count >= needle.count else { return [] }
        return (0...bytes.count - needle.count).filter { start in
            bytes[start] == first && bytes[start..<start + needle.count].elementsEqual(needle)
        }
    }

    // MARK: Making

    /// Appends the rows of some of the family, by table.
    func append(_ numbers: Range<Int>, to made: inout [PackedRows]) {
        var hashes: [[UInt8]] = []
        hashes.reserveCapacity(numbers.count)
        for number in numbers { hashes.append(hash(of: number)) }
        for (index, table) in tables.enumerated() {
            for (number, hash) in zip(numbers, hashes) {
                let start = made[index].bytes.count
                made[index].append(contentsOf: table.rows)
                fill(&made[index], from: start, table, (number, hash))
            }
        }
    }

    private func fill(
        _ rows: inout PackedRows, from start: Int, _ table: Table, _ life: (number: Int, hash: [UInt8])
    ) {
        for (offset, field) in table.fields {
            switch field {
            case .digits(let width, let line):
                rows.overwrite(at: start + offset, withDigits: width, of: line.value(at: life.number))
            case .varint(let width, let line):
                rows.overwrite(at: start + offset, withVarint: width, of: line.value(at: life.number))
            case .integer(let line): rows.overwrite(at: start + offset, withInteger: line.value(at: life.number))
            case .spread(let unspread):
                rows.overwrite(at: start + offset, withInteger: unspread + spread(of: life.number))
            case .hash: rows.overwrite(at: start + offset, with: life.hash)
            }
        }
    }

    /// Computed by the store's own chain, over the text with this life's names.
    private func hash(of number: Int) -> [UInt8] {
        var rows = tables[Self.audit].rows
        fill(&rows, from: 0, tables[Self.audit], (number, []))
        let text = String(decoding: rows.bytes[auditText], as: UTF8.self)
        return AuditHead().followed(by: text, of: lives.life(number).key).hash
    }

    /// - Throws: `BenchError` where the coders make other rows for the life than this does.
    func check(_ number: Int) throws {
        var made = StoredLives.tables.map { _ in PackedRows() }
        append(number..<number + 1, to: &made)
        for (index, rows) in try lives.rows(of: number..<number + 1).enumerated() {
            var coded = PackedRows()
            for row in rows { coded.append(row) }
            guard coded.bytes == made[index].bytes else {
                throw BenchError("\(StoredLives.tables[index].name): the store's coders make other rows of life \(number)")
            }
        }
    }
}
