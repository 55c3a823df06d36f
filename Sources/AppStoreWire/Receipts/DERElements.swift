/// The elements of a DER value, found in place: a receipt has thousands of small ones, and a tree of them costs ten times what
/// the signature does.
///
/// Strict as DER is: definite lengths in as few bytes as they take, integers without needless bytes. Tags of more than one byte
/// are not supported; receipts have none. The tests and the fuzzer compare it with the general parser.
///
/// Source: X.690, sections 8 and 10.
struct DERElements {
    static let integer: UInt8 = 0x02
    static let octetString: UInt8 = 0x04
    static let utf8String: UInt8 = 0x0C
    static let ia5String: UInt8 = 0x16
    static let sequence: UInt8 = 0x30
    static let set: UInt8 = 0x31

    /// One element: its tag and where its content is.
    struct Element {
        let tag: UInt8
        let content: Range<Int>
    }

    private let bytes: [UInt8]
    private var position: Int
    private let end: Int

    /// The consecutive elements in a range.
    init(_ bytes: [UInt8], in range: Range<Int>) {
        self.bytes = bytes
        position = range.lowerBound
        end = range.upperBound
    }

    var isAtEnd: Bool { position == end }

    /// The only element in a range; nil where there is none, more than one, or something that is not an element.
    static func only(_ bytes: [UInt8], in range: Range<Int>) -> Element? {
        var elements = DERElements(bytes, in: range)
        guard let element = elements.next(), elements.isAtEnd else { return nil }
        return element
    }

    /// The next element; nil where there is none, or something that is not an element.
    mutating func next() -> Element? {
        guard end - position >= 2 else { return nil }
        let tag = bytes[position]
        // Numbers above 30 take more bytes; number 0 of the universal class ends indefinite lengths, which DER does not have.
        guard tag & 0x1F != 0x1F, tag & 0xDF != 0 else { return nil }
        var start = position + 2
        var length = Int(bytes[position + 1])
        if length >= 0x80 {
            let count = length - 0x80
            guard (1...4).contains(count), end - start >= count, bytes[start] != 0 else { return nil }
            length = 0
            for _ in 0..<count {
                length = length << 8 | Int(bytes[start])
                start += 1
            }
            guard length >= 0x80 else { return nil }
        }
        guard end - start >= length else { return nil }
        position = start + length
        return Element(tag: tag, content: start..<start + length)
    }

    /// The next element if it has this tag.
    mutating func next(_ tag: UInt8) -> Range<Int>? {
        guard let element = next(), element.tag == tag else { return nil }
        return element.content
    }

    /// The number in an INTEGER's content; nil where it is empty, has a needless byte or does not fit.
    static func integer(_ bytes: [UInt8], _ content: Range<Int>) -> Int64? {
        guard (1...8).contains(content.count) else { return nil }
        let first = bytes[content.lowerBound]
        if content.count > 1 {
            let isSecondNegative = bytes[content.lowerBound + 1] >= 0x80
            if (first == 0 && !isSecondNegative) || (first == 0xFF && isSecondNegative) { return nil }
        }
        var number = Int64(Int8(bitPattern: first))
        for byte in bytes[content].dropFirst() { number = number << 8 | Int64(byte) }
        return number
    }
}
