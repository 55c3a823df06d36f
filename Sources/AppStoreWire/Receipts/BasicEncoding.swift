/// BER rewritten as DER: lengths are said and as short as they can be, and octet strings are in one piece. Xcode writes receipts
/// in BER.
///
/// What is signed stays as it was: the octets of the content, and elements that were DER already.
///
/// Source: ITU-T X.690, sections 8.1 and 8.7 (BER), 10.1 and 10.2 (DER).
struct BasicEncoding {
    private let bytes: [UInt8]
    private var position = 0

    /// Receipts nest ten deep.
    private static let deepest = 32

    /// Nil where the bytes are not one element of BER, or have tags and strings that no receipt has.
    static func distinguished(_ ber: [UInt8]) -> [UInt8]? {
        var reader = BasicEncoding(bytes: ber)
        guard let element = reader.element(depth: 0), reader.position == ber.count else { return nil }
        return element.encoded
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private struct Element {
        let tag: UInt8
        let content: [UInt8]

        var encoded: [UInt8] { [tag] + Self.length(content.count) + content }

        private static func length(_ count: Int) -> [UInt8] {
            guard count >= 0x80 else { return [UInt8(truncatingIfNeeded: count)] }
            let all = stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: count >> $0) }
            let digits = Array(all.drop { $0 == 0 })
            return [0x80 | UInt8(digits.count)] + digits
        }
    }

    private static let octetString: UInt8 = 0x04
    private static let isConstructed: UInt8 = 0x20

    private mutating func next() -> UInt8? {
        guard position < bytes.count else { return nil }
        defer { position += 1 }
        return bytes[position]
    }

    private mutating func element(depth: Int) -> Element? {
        guard depth <= Self.deepest, let tag = next(), tag & 0x1F != 0x1F, let first = next() else { return nil }
        guard first != 0x80 else {
            guard tag & Self.isConstructed != 0, let children = children(until: nil, depth: depth) else { return nil }
            return Self.constructed(tag, children)
        }
        guard let count = length(first), count <= bytes.count - position else { return nil }
        let end = position + count
        guard tag & Self.isConstructed != 0 else {
            defer { position = end }
            return Element(tag: tag, content: Array(bytes[position..<end]))
        }
        return children(until: end, depth: depth).flatMap { Self.constructed(tag, $0) }
    }

    /// - Parameter end: nil where two zero bytes end them.
    private mutating func children(until end: Int?, depth: Int) -> [Element]? {
        var children: [Element] = []
        while true {
            if let end {
                guard position < end else { return position == end ? children : nil }
            } else if position + 1 < bytes.count, bytes[position] == 0, bytes[position + 1] == 0 {
                position += 2
                return children
            }
            guard let child = element(depth: depth + 1) else { return nil }
            children.append(child)
        }
    }

    private mutating func length(_ first: UInt8) -> Int? {
        guard first & 0x80 != 0 else { return Int(first) }
        let digits = Int(first & 0x7F)
        guard (1...4).contains(digits) else { return nil }
        var count = 0
        for _ in 0..<digits {
            guard let digit = next() else { return nil }
            count = count << 8 | Int(digit)
        }
        return count
    }

    /// An octet string in pieces becomes one; other strings in pieces are none of a receipt's.
    private static func constructed(_ tag: UInt8, _ children: [Element]) -> Element? {
        if tag == octetString | isConstructed {
            guard children.allSatisfy({ $0.tag == octetString }) else { return nil }
            return Element(tag: octetString, content: children.flatMap(\.content))
        }
        let isUniversal = tag & 0xC0 == 0
        guard !isUniversal || tag == 0x30 || tag == 0x31 else { return nil }
        return Element(tag: tag, content: children.flatMap(\.encoded))
    }
}
