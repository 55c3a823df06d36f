import Foundation

/// Reads a file of any size line by line, or, as CSV, record by record.
struct RecordReader {
    /// A record as it is in the file.
    struct Record {
        /// The number of its first line, from 1.
        let line: Int
        /// Its bytes, without the end of the line.
        let bytes: [UInt8]
        /// Where the next one begins in the file.
        let end: UInt64
    }

    /// No receipt is longer than this.
    private static let longestRecord = 16 << 20

    private let file: FileHandle
    /// Whether quotation marks hold lines together, as in CSV.
    private let isQuoted: Bool
    private var buffer: [UInt8] = []
    private var position = 0
    private var offset: UInt64
    private var line: Int
    private var isAtEnd = false

    /// - Parameters:
    ///   - offset: where to begin; the beginning of a record.
    ///   - line: the number of the line there.
    init(path: String, isQuoted: Bool, from offset: UInt64 = 0, line: Int = 1) throws {
        file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        try file.seek(toOffset: offset)
        self.isQuoted = isQuoted
        self.offset = offset
        self.line = line
    }

    /// The next record that is not empty; nil at the end.
    mutating func next() throws -> Record? {
        while let record = try nextLine() {
            if !record.bytes.isEmpty { return record }
        }
        return nil
    }

    private mutating func nextLine() throws -> Record? {
        let first = line
        var (index, isInside) = (position, false)
        while true {
            if index == buffer.count {
                guard try fill(&index) else { break }
            }
            let byte = buffer[index]
            if isQuoted, byte == UInt8(ascii: "\"") { isInside.toggle() }
            if byte == UInt8(ascii: "\n") {
                line += 1
                if !isInside { return record(from: first, to: index, next: index + 1) }
            }
            index += 1
        }
        guard index > position else { return nil }
        return record(from: first, to: index, next: index)
    }

    private mutating func record(from first: Int, to end: Int, next: Int) -> Record {
        var bytes = Array(buffer[position..<end])
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        offset += UInt64(next - position)
        position = next
        return Record(line: first, bytes: bytes, end: offset)
    }

    /// Reads more of the file; false at its end.
    private mutating func fill(_ index: inout Int) throws -> Bool {
        guard !isAtEnd else { return false }
        buffer.removeFirst(position)
        index -= position
        position = 0
        guard buffer.count < Self.longestRecord else {
            throw CommandError("Line \(line) is longer than \(Self.longestRecord >> 20) MiB.")
        }
        guard let more = try file.read(upToCount: 1 << 18), !more.isEmpty else {
            isAtEnd = true
            return false
        }
        buffer += more
        return true
    }
}
