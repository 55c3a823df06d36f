import Primitives

/// Evidence, taken apart so that it is written short: the JWS headers of what is a JWS, which hold the certificates and are
/// most of it, stand in a table of their own and in the document only by their numbers; base64 is undone where that loses
/// nothing, also of a JWS inside a notification; what nearly all of Apple's payloads say is one byte each. The exact bytes can
/// always be put together again (decisions 0013 and 0029). Anything that is not a JWS stays whole: in a receipt, beside what
/// Apple signed, are bytes that nobody did, and they could look like a header.
package struct EvidenceDocument: Sendable, Hashable {
    /// The JWS headers in it, in order, each once: of the JWS itself and of those that stand as strings in what it signs.
    package var headers: [String] { cuts.map { String(decoding: $0, as: UTF8.self) } }

    package let form: Evidence.Form
    private var cuts: [ArraySlice<UInt8>] = []
    private var pieces: [Piece] = []
    /// Of a compact JWS; nil for anything else.
    private var signature: [UInt8]?

    private enum Piece: Sendable, Hashable {
        case bytes(ArraySlice<UInt8>)
        /// As ``PayloadWords`` writes them.
        case words([UInt8])
        /// By its place among the headers.
        case header(Int)
        /// What follows the header of a JWS inside another, up to its end; the payload itself a piece.
        indirect case signed(payload: Piece, signature: [UInt8])
    }

    /// The first byte of a piece.
    private enum PieceForm: UInt8 {
        case bytes = 0
        case header = 1
        /// Bytes, as ``PayloadWords`` writes them.
        case words = 2
        /// A payload, itself a piece of bytes, and a signature: each stands in base64url after a dot.
        case signed = 3
    }

    private enum Layout: UInt8 {
        /// The pieces one after the other are the evidence.
        case plain = 0
        /// The first piece is the header, the others are the payload.
        case compactJWS = 1
    }

    package init(_ evidence: Evidence) {
        form = evidence.form
        guard evidence.form == .compactJWS, takeJWS(evidence) else {
            pieces = [.bytes(evidence.bytes[...])]
            return
        }
    }

    /// How it is written.
    ///
    /// - Parameter numbers: one for each of the ``headers``; nil for one that is to stay in the document, because the number made
    ///   from it is another's.
    /// - Throws: `StorageError` with `other` where they are not as many.
    package func bytes(numbers: [Int64?]) throws -> [UInt8] {
        guard numbers.count == cuts.count else { throw StorageError(.other, "a JWS header is missing") }
        var document = CompactWriter(reservingCapacity: 4096)
        document.byte(signature == nil ? Layout.plain.rawValue : Layout.compactJWS.rawValue)
        if let signature { document.block(signature) }
        document.count(pieces.count)
        for piece in pieces {
            write(piece, numbers, &document)
        }
        return document.bytes
    }

    private func write(_ piece: Piece, _ numbers: [Int64?], _ document: inout CompactWriter) {
        switch piece {
        case .bytes(let bytes):
            document.byte(PieceForm.bytes.rawValue)
            document.block(bytes)
        case .words(let words):
            document.byte(PieceForm.words.rawValue)
            document.block(words)
        case .header(let index):
            guard let number = numbers[index] else { return write(.bytes(cuts[index]), numbers, &document) }
            document.byte(PieceForm.header.rawValue)
            document.signed(number)
        case .signed(let payload, let signature):
            document.byte(PieceForm.signed.rawValue)
            write(payload, numbers, &document)
            document.block(signature)
        }
    }

    /// What stands in a JWS is mostly Apple's words.
    private static func shortened(_ bytes: ArraySlice<UInt8>) -> Piece {
        PayloadWords.shortened(bytes).map { .words($0) } ?? .bytes(bytes)
    }

    /// The evidence's bytes as they came.
    ///
    /// - Parameter header: the header of a number.
    /// - Throws: `StorageError` with `corrupt` for anything that ``bytes(numbers:)`` did not write, and what `header` throws.
    package static func decode(_ document: [UInt8], header: (Int64) throws -> String) throws -> [UInt8] {
        var reader = CompactReader(document)
        guard let layout = Layout(rawValue: try reader.byte()) else { throw CompactReader.damaged("evidence of an unknown form") }
        let signature = layout == .compactJWS ? try reader.block() : nil
        var pieces: [[UInt8]] = []
        for _ in 0..<(try reader.count()) {
            pieces.append(try piece(of: &reader, header: header))
        }
        guard let signature, let first = pieces.first else { return Array(pieces.joined()) }
        let payload = Array(pieces.dropFirst().joined())
        let text = "." + StrictBase64.encodeURL(payload) + "." + StrictBase64.encodeURL(signature)
        return first + Array(text.utf8)
    }

    private static func piece(of reader: inout CompactReader, header: (Int64) throws -> String) throws -> [UInt8] {
        switch PieceForm(rawValue: try reader.byte()) {
        case .bytes: return Array(try reader.block())
        case .header: return Array(try header(reader.signed()).utf8)
        case .words: return try PayloadWords.restored(reader.block())
        case .signed:
            let payload: [UInt8]
            switch PieceForm(rawValue: try reader.byte()) {
            case .bytes: payload = Array(try reader.block())
            case .words: payload = try PayloadWords.restored(reader.block())
            default: throw CompactReader.damaged("a payload of an unknown form")
            }
            let signature = try Array(reader.block())
            return Array(".\(StrictBase64.encodeURL(payload)).\(StrictBase64.encodeURL(signature))".utf8)
        case nil: throw CompactReader.damaged("a piece of an unknown form")
        }
    }

    /// False where a part has another spelling, which no JWS that was verified has.
    private mutating func takeJWS(_ evidence: Evidence) -> Bool {
        let own = evidence.jws.first { $0.bytes == evidence.bytes }
        guard let jws = own ?? Self.decoded(evidence.bytes) else { return false }
        signature = jws.signature
        pieces = [header(jws.header)]
        take(jws.payload, evidence.jws)
        return true
    }

    private static func decoded(_ bytes: [UInt8]) -> DecodedJWS? {
        guard let (first, second) = dots(in: bytes), bytes[..<first].allSatisfy(isBase64URL),
            let payload = StrictBase64.decodeURL(bytes[(first + 1)..<second]),
            let signature = StrictBase64.decodeURL(bytes[(second + 1)...])
        else { return nil }
        return DecodedJWS(bytes, payload: payload, signature: signature)
    }

    /// Where the two dots of a compact JWS stand; nil where there are fewer or more.
    private static func dots(in bytes: [UInt8]) -> (Int, Int)? {
        bytes.withUnsafeBytes { bytes in
            let dot = UInt8(ascii: ".")
            guard let first = ByteSearch.firstIndex(of: dot, in: bytes),
                let second = ByteSearch.firstIndex(of: dot, in: bytes, from: first + 1),
                ByteSearch.firstIndex(of: dot, in: bytes, from: second + 1) == nil
            else { return nil }
            return (first, second)
        }
    }

    /// A JWS inside begins as a JSON string: a quotation mark and the base64url of `{"`.
    private mutating func take(_ bytes: [UInt8], _ decoded: [DecodedJWS]) {
        var (kept, index) = (0, 0)
        while let quote = bytes.withUnsafeBytes({ ByteSearch.firstIndex(of: UInt8(ascii: "\""), in: $0, from: index) }) {
            index = quote + 1
            guard let end = endOfHeader(in: bytes, from: index) else { continue }
            pieces.append(Self.shortened(bytes[kept..<index]))
            pieces.append(header(bytes[index..<end]))
            kept = takeSigned(bytes, from: index, headerEnd: end, decoded) ?? end
            index = kept
        }
        if kept < bytes.endIndex { pieces.append(Self.shortened(bytes[kept...])) }
    }

    /// Takes the payload and the signature that follow a header, each after a dot; returns where they end, nil where one of them
    /// has another spelling.
    private mutating func takeSigned(
        _ bytes: [UInt8], from start: Int, headerEnd: Int, _ decoded: [DecodedJWS]
    ) -> Int? {
        if let known = decoded.first(where: { Self.stands($0.bytes[...], in: bytes, at: start) }) {
            pieces.append(.signed(payload: Self.shortened(known.payload[...]), signature: known.signature))
            return start + known.bytes.count
        }
        let end = bytes.withUnsafeBytes { ByteSearch.firstIndex(of: UInt8(ascii: "\""), in: $0, from: headerEnd + 1) }
        guard let end, let jws = Self.decoded(Array(bytes[start..<end])) else { return nil }
        pieces.append(.signed(payload: Self.shortened(jws.payload[...]), signature: jws.signature))
        return end
    }

    /// Where a header that begins here ends, at a dot; nil where none begins. Mostly it is one that stood before.
    private func endOfHeader(in bytes: [UInt8], from start: Int) -> Int? {
        guard bytes[start...].starts(with: Self.beginning) else { return nil }
        let dot = UInt8(ascii: ".")
        if let known = cuts.first(where: { Self.stands($0, in: bytes, at: start) }), known.count >= Self.shortestHeader,
            start + known.count < bytes.endIndex, bytes[start + known.count] == dot
        {
            return start + known.count
        }
        let end = bytes[start...].firstIndex { !Self.isBase64URL($0) } ?? bytes.endIndex
        return end < bytes.endIndex && bytes[end] == dot && end - start >= Self.shortestHeader ? end : nil
    }

    private mutating func header(_ bytes: ArraySlice<UInt8>) -> Piece {
        // Mostly they are all the same.
        let known = cuts.firstIndex { cut in
            cut.count == bytes.count
                && cut.withUnsafeBytes { cut in bytes.withUnsafeBytes { ByteSearch.contains(cut, in: $0, at: 0) } }
        }
        if let known { return .header(known) }
        cuts.append(bytes)
        return .header(cuts.count - 1)
    }

    private static func stands(_ cut: ArraySlice<UInt8>, in bytes: [UInt8], at start: Int) -> Bool {
        cut.withUnsafeBytes { cut in bytes.withUnsafeBytes { ByteSearch.contains(cut, in: $0, at: start) } }
    }

    private static let beginning = Array("eyJ".utf8)

    /// Shorter ones hold no certificates, and a number for them would save nothing.
    private static let shortestHeader = 512

    private static func isBase64URL(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

extension CompactWriter {
    fileprivate mutating func block(_ block: some Collection<UInt8>) {
        count(block.count)
        append(block)
    }
}

extension CompactReader {
    fileprivate mutating func block() throws -> ArraySlice<UInt8> {
        let count = try count()
        return try bytes(count)
    }
}
