/// How many elements a value of BER or DER is made of, at all depths.
///
/// A parser makes a node of about ninety bytes for each, of which the smallest takes two of the input: an input made of nothing
/// else would cost its size fifty times over. So they are counted first, in place. Content of one element that holds others
/// follows its own tag and length, so that one walk from front to back meets them all.
///
/// Source: X.690, section 8.1; T30.
enum ElementCount {
    /// Whether there are no more than so many before the end, or before the place from which on nothing can be parsed.
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

    /// Where the walk goes on after the tag and the length at the position: at the content of what holds others, else behind it.
    /// Nil at the end, and where no element is.
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
            // None at all is an indefinite length, whose end is an element too.
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
