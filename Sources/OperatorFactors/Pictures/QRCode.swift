/// A QR code of up to version 10 at level M, as its modules: what an authenticator application reads with a camera.
///
/// Source: ISO/IEC 18004:2015, sections 6 and 7.
package struct QRCode: Sendable, Hashable {
    /// 1 to 10.
    package let version: Int
    /// 0 to 7: which modules were inverted so that the picture has no shapes that confuse a reader.
    package let mask: Int
    /// How many modules stand beside one another; a border of 4 light ones on each side belongs around them.
    package let width: Int
    private let modules: [Bool]

    /// Whether the module is dark.
    package func isDark(row: Int, column: Int) -> Bool { modules[row * width + column] }

    /// - Parameters:
    ///   - bytes: what a reader gets; up to 213.
    ///   - mask: nil: the one with the fewest confusing shapes.
    ///   - version: nil: the smallest with room for them. Nil is returned where one has no room.
    package init?(_ bytes: [UInt8], mask chosen: Int? = nil, version wanted: Int? = nil) {
        let fitting = QRVersion.all.filter { $0.capacity >= bytes.count }
        guard let version = wanted.map({ wanted in fitting.first { $0.number == wanted } }) ?? fitting.first else { return nil }
        var board = QRBoard(version)
        board.place(version.codewords(of: bytes))
        let masked = (0..<8).map { board.masked($0) }
        let best = masked.indices.min { masked[$0].penalty < masked[$1].penalty } ?? 0
        let mask = chosen.map { min(max($0, 0), 7) } ?? best
        (self.version, self.mask, width) = (version.number, mask, version.width)
        modules = masked[mask].modules
    }
}
