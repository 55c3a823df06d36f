/// Compares texts by their UTF-8 bytes, in place: `String` itself compares by canonical equivalence, and its views byte by byte
/// through an iterator, which the ledger's folds would feel.
enum ByteOrder {
    static func areEqual(_ left: String, _ right: String) -> Bool {
        let compared = left.utf8.withContiguousStorageIfAvailable { left in
            right.utf8.withContiguousStorageIfAvailable { right in
                // Copies of one text mostly share its storage.
                left.count == right.count
                    && (left.baseAddress == right.baseAddress || firstDifference(left, right) == left.count)
            }
        }
        return (compared ?? nil) ?? left.utf8.elementsEqual(right.utf8)
    }

    static func precedes(_ left: String, _ right: String) -> Bool {
        let compared = left.utf8.withContiguousStorageIfAvailable { left in
            right.utf8.withContiguousStorageIfAvailable { right in
                let index = firstDifference(left, right)
                guard index < left.count, index < right.count else { return left.count < right.count }
                return left[index] < right[index]
            }
        }
        return (compared ?? nil) ?? left.utf8.lexicographicallyPrecedes(right.utf8)
    }

    /// The first place at which they differ; the length of the shorter where they do not.
    private static func firstDifference(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Int {
        let length = min(left.count, right.count)
        let (leftBytes, rightBytes) = (UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right))
        var index = 0
        while index + 8 <= length {
            let leftWord = leftBytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            if leftWord != rightBytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) { break }
            index += 8
        }
        while index < length, left[index] == right[index] { index += 1 }
        return index
    }
}
