import Storage

/// The limits of the protocol and the server.
package struct PostgresLimits: Sendable {
    /// The protocol counts parameters in 16 bits.
    ///
    /// Source: PostgreSQL documentation, 55.7 "Message Formats", Bind; libpq's PQ_QUERY_PARAM_MAX_LIMIT.
    var parameters = 65_535
    /// One field, and one message, hold less than 1 GiB (`MaxAllocSize`, 0x3fffffff); what is left is for the message's own
    /// parts.
    var bytes = 0x3fff_ffff - 0x10_0000
    /// Statements of one batch: their bookkeeping is kept in memory on both sides.
    var statements = 16_384
    /// Parameters of one batch, unless a single statement has more: until a batch is answered both sides hold it in memory.
    var batchBytes = 64 << 20

    package init() {}
}

/// The parameters of one statement as libpq takes them: one buffer, and where in it each value lies.
struct EncodedParameters {
    private enum Place {
        case null
        case range(Range<Int>)
    }

    let types: [UInt32]
    private var places: [Place] = []
    /// Begins with one unused byte, so that an empty value has an address too.
    private var buffer: [UInt8] = [0]

    var count: Int { places.count }
    var byteCount: Int { buffer.count }

    /// - Throws: `StorageError`: `invalidText` for a text with NUL, `tooLarge` beyond the limits. Nothing was sent then.
    init(_ values: [PostgresValue], limits: PostgresLimits = PostgresLimits()) throws(StorageError) {
        guard values.count <= limits.parameters else {
            throw StorageError(.tooLarge, "\(values.count) parameters, at most \(limits.parameters)")
        }
        types = values.map(\.type)
        places.reserveCapacity(values.count)
        for (index, value) in values.enumerated() {
            let start = buffer.count
            let isNull = try !append(value, at: index, limits)
            places.append(isNull ? .null : .range(start..<buffer.count))
            guard buffer.count <= limits.bytes else {
                throw StorageError(.tooLarge, "parameters of more than \(limits.bytes) bytes")
            }
        }
    }

    /// False where the value is NULL.
    private mutating func append(_ value: PostgresValue, at index: Int, _ limits: PostgresLimits) throws(StorageError) -> Bool {
        switch value {
        case .bool(let bool):
            guard let bool else { return false }
            buffer.append(bool ? 1 : 0)
        case .integer(let integer):
            guard let integer else { return false }
            append(integer)
        case .text(let text):
            guard let text else { return false }
            try append(text, at: index, limits)
        case .bytes(let bytes):
            guard let bytes else { return false }
            try check(bytes.count, limits)
            buffer.append(contentsOf: bytes)
        case .bools(let elements):
            try appendArray(elements, of: PostgresType.bool, limits) { buffer, element in
                buffer.buffer.append(element ? 1 : 0)
            }
        case .integers(let elements):
            try appendArray(elements, of: PostgresType.int8, limits) { buffer, element in buffer.append(element) }
        case .texts(let elements):
            try appendArray(elements, of: PostgresType.text, limits) { (buffer, element) throws(StorageError) in
                try buffer.append(element, at: index, limits)
            }
        case .byteStrings(let elements):
            try appendArray(elements, of: PostgresType.bytea, limits) { (buffer, element) throws(StorageError) in
                try buffer.check(element.count, limits)
                buffer.buffer.append(contentsOf: element)
            }
        }
        return true
    }

    private func check(_ more: Int, _ limits: PostgresLimits) throws(StorageError) {
        guard more <= limits.bytes - buffer.count else {
            throw StorageError(.tooLarge, "parameters of more than \(limits.bytes) bytes")
        }
    }

    private mutating func append<Integer: FixedWidthInteger>(_ integer: Integer) {
        withUnsafeBytes(of: integer.bigEndian) { buffer.append(contentsOf: $0) }
    }

    private mutating func append(_ text: String, at index: Int, _ limits: PostgresLimits) throws(StorageError) {
        try check(text.utf8.count, limits)
        let start = buffer.count
        buffer.append(contentsOf: text.utf8)
        guard !buffer[start...].contains(0) else {
            throw StorageError(.invalidText, "parameter \(index + 1) contains NUL, which PostgreSQL's text cannot")
        }
    }

    /// Source: PostgreSQL, src/backend/utils/adt/arrayfuncs.c, `array_recv`: number of dimensions, whether there are nulls, the
    /// element's type; then for each dimension its size and lower bound; then each element with its length, -1 for null.
    private mutating func appendArray<Element>(
        _ elements: [Element?], of type: UInt32, _ limits: PostgresLimits,
        _ write: (inout EncodedParameters, Element) throws(StorageError) -> Void
    ) throws(StorageError) {
        guard elements.count <= limits.bytes / 4 else {
            throw StorageError(.tooLarge, "an array of \(elements.count) elements")
        }
        append(Int32(elements.isEmpty ? 0 : 1))
        append(Int32(elements.contains { $0 == nil } ? 1 : 0))
        append(type)
        guard !elements.isEmpty else { return }
        append(Int32(elements.count))
        append(Int32(1))
        for element in elements {
            guard let element else {
                append(Int32(-1))
                continue
            }
            let start = buffer.count
            append(Int32(0))
            try write(&self, element)
            withUnsafeBytes(of: Int32(buffer.count - start - 4).bigEndian) { length in
                for (offset, byte) in length.enumerated() { buffer[start + offset] = byte }
            }
        }
    }

    /// The four arrays of `PQsendQueryPrepared`, valid while `body` runs; all values are in binary form.
    func withPointers<Result>(
        _ body: (_ values: [UnsafePointer<CChar>?], _ lengths: [Int32], _ formats: [Int32]) -> Result
    ) -> Result {
        buffer.withUnsafeBytes { bytes in
            let characters = bytes.assumingMemoryBound(to: CChar.self)
            var values: [UnsafePointer<CChar>?] = []
            var lengths: [Int32] = []
            for place in places {
                switch place {
                case .null:
                    values.append(nil)
                    lengths.append(0)
                case .range(let range):
                    values.append(characters.baseAddress.map { $0 + range.lowerBound })
                    lengths.append(Int32(range.count))
                }
            }
            return body(values, lengths, [Int32](repeating: 1, count: places.count))
        }
    }
}
