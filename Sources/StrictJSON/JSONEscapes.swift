import Primitives

/// Backslash escapes inside strings.
///
/// Source: RFC 8259, section 7.
enum JSONEscapes {
    /// What one escape stands for and how many bytes it takes, backslash included.
    struct Escape {
        let scalar: Unicode.Scalar
        let length: Int
    }

    /// Reads the escape whose backslash is at `offset`.
    static func read(_ bytes: ArraySlice<UInt8>, at offset: Int) throws(JSONError) -> Escape {
        guard offset + 1 < bytes.endIndex else { throw JSONError(.unexpectedEnd, at: bytes.endIndex) }
        if let scalar = simple(bytes[offset + 1]) { return Escape(scalar: scalar, length: 2) }
        guard bytes[offset + 1] == UInt8(ascii: "u") else { throw JSONError(.invalidEscape, at: offset) }
        let first = try unit(bytes, at: offset)
        if let scalar = Unicode.Scalar(first) { return Escape(scalar: scalar, length: 6) }
        guard first < 0xDC00, offset + 7 < bytes.endIndex, bytes[offset + 6] == UInt8(ascii: "\\"),
            bytes[offset + 7] == UInt8(ascii: "u")
        else { throw JSONError(.invalidEscape, at: offset) }
        let second = try unit(bytes, at: offset + 6)
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw JSONError(.invalidEscape, at: offset) }
        return Escape(scalar: scalar, length: 12)
    }

    /// The UTF-8 that a string's bytes stand for. Escapes were checked when the document was read; a wrong one would end the
    /// text.
    static func resolved(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var offset = bytes.startIndex
        while offset < bytes.endIndex {
            if bytes[offset] != UInt8(ascii: "\\") {
                result.append(bytes[offset])
                offset += 1
                continue
            }
            do throws(JSONError) {
                let escape = try read(bytes, at: offset)
                result.append(contentsOf: UTF8.encode(escape.scalar) ?? UTF8.encodedReplacementCharacter)
                offset += escape.length
            } catch {
                return result
            }
        }
        return result
    }

    private static func simple(_ byte: UInt8) -> Unicode.Scalar? {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): Unicode.Scalar(byte)
        case UInt8(ascii: "b"): "\u{8}"
        case UInt8(ascii: "f"): "\u{C}"
        case UInt8(ascii: "n"): "\n"
        case UInt8(ascii: "r"): "\r"
        case UInt8(ascii: "t"): "\t"
        default: nil
        }
    }

    /// The four hexadecimal digits after `\u`.
    private static func unit(_ bytes: ArraySlice<UInt8>, at offset: Int) throws(JSONError) -> UInt32 {
        guard offset + 5 < bytes.endIndex else { throw JSONError(.unexpectedEnd, at: bytes.endIndex) }
        var unit: UInt32 = 0
        for position in offset + 2...offset + 5 {
            guard let digit = Hexadecimal.value(of: bytes[position]) else { throw JSONError(.invalidEscape, at: offset) }
            unit = unit << 4 | UInt32(digit)
        }
        return unit
    }
}
