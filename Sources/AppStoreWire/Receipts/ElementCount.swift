/// How many elements a value of BER or DER is made of, at all depths.
///
/// A parser makes a node of about ninety bytes for each, of which the smallest takes two of the input: an input made only of
/// these would cost fifty times its size. So they are counted first, in place. The content of an element that contains others
/// follows its own tag and length, so one pass from front to back meets them all.
///
/// Source: X.690, section 8.1; T30.
enum ElementCount {
    /// Whether there are at most this many before the end, or before the place after which nothing can be parsed.
    static func isAtMost(_ most: Int, in bytes: [UInt8]) -> Bool {
        var count = 0
        var position = 0
        while let content = content(in: bytes, from: position) {
            count += 1
            guard count <= most else { return false }
            position = content
        }
        return true
    }

    /// Where the pass continues after the tag and the length at the position: at the content of an element that contains others,
    /// else after the element. Nil at the end, and where there is no element.
    private static func content(in bytes: [UInt8], from start: Int) -> Int? {
        guard start < bytes.count else { return nil }
        let isConstructed = bytes[start] & 0x20 != 0
        var position = start + 1
        if bytes[start] & 0x1F == 0x1F {
            // A number above 30 takes more bytes, of which all but the last have their first bit set.
            while position < bytes.count, bytes[position] & 0x80 != 0 { position += 1 }
            position += 1
        }
        guard position < bytes.count else { return nil }
        let first = bytes[position]
        position += 1
        var length = 0
        if first < 0x80 {
            length = Int(first)
        } else {
            // No length bytes mean an indefinite length, whose end is an element too.
            for _ in 0..<Int(first & 0x7F) {
                guard position < bytes.count, length < 1 << 48 else { return nil }
                length = length << 8 | Int(bytes[position])
                position += 1
            }
        }
        if isConstructed { return position }
        return length <= bytes.count - position ? position + length : nil
    }
}
