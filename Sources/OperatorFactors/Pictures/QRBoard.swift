/// The modules of a QR code while it is drawn.
///
/// Source: ISO/IEC 18004:2015, sections 6.3 and 7.7 to 7.10.
struct QRBoard: Sendable {
    private let version: QRVersion
    private(set) var modules: [Bool]
    /// Those of the patterns by which a reader finds its way, which no data and no mask touches.
    private var isFixed: [Bool]

    private var width: Int { version.width }

    init(_ version: QRVersion) {
        self.version = version
        modules = [Bool](repeating: false, count: version.width * version.width)
        isFixed = modules
        for place in 0..<width {
            fix(6, place, place % 2 == 0)
            fix(place, 6, place % 2 == 0)
        }
        for (row, column) in [(3, 3), (3, width - 4), (width - 4, 3)] { drawFinder(row, column) }
        drawAlignment()
        drawFormat(mask: 0)
        drawVersion()
    }

    private mutating func fix(_ row: Int, _ column: Int, _ isDark: Bool) {
        modules[row * width + column] = isDark
        isFixed[row * width + column] = true
    }

    private mutating func drawFinder(_ centreRow: Int, _ centreColumn: Int) {
        for down in -4...4 {
            for right in -4...4 {
                let (row, column, distance) = (centreRow + down, centreColumn + right, max(abs(down), abs(right)))
                guard (0..<width).contains(row), (0..<width).contains(column) else { continue }
                fix(row, column, distance != 2 && distance != 4)
            }
        }
    }

    private mutating func drawAlignment() {
        let places = version.alignment
        for (index, row) in places.enumerated() {
            for (other, column) in places.enumerated() {
                let last = places.count - 1
                // There the finders are.
                if (index, other) == (0, 0) || (index, other) == (0, last) || (index, other) == (last, 0) { continue }
                for down in -2...2 {
                    for right in -2...2 { fix(row + down, column + right, max(abs(down), abs(right)) != 1) }
                }
            }
        }
    }

    /// The level (M is 00) and the mask, twice, with what corrects them.
    private mutating func drawFormat(mask: Int) {
        let bits = (mask << 10 | Self.remainder(of: mask << 10, by: 0x537, degree: 10)) ^ 0x5412
        func isDark(_ place: Int) -> Bool { bits >> place & 1 == 1 }
        for place in 0...5 { fix(place, 8, isDark(place)) }
        fix(7, 8, isDark(6))
        fix(8, 8, isDark(7))
        fix(8, 7, isDark(8))
        for place in 9..<15 { fix(8, 14 - place, isDark(place)) }
        for place in 0..<8 { fix(8, width - 1 - place, isDark(place)) }
        for place in 8..<15 { fix(width - 15 + place, 8, isDark(place)) }
        fix(width - 8, 8, true)
    }

    private mutating func drawVersion() {
        guard version.number >= 7 else { return }
        let bits = version.number << 12 | Self.remainder(of: version.number << 12, by: 0x1F25, degree: 12)
        for place in 0..<18 {
            let (near, far) = (width - 11 + place % 3, place / 3)
            fix(far, near, bits >> place & 1 == 1)
            fix(near, far, bits >> place & 1 == 1)
        }
    }

    /// Of polynomials over one bit.
    private static func remainder(of value: Int, by divisor: Int, degree: Int) -> Int {
        var rest = value
        for place in stride(from: 20, through: degree, by: -1) where rest >> place & 1 == 1 {
            rest ^= divisor << (place - degree)
        }
        return rest
    }

    /// Draws the codewords in columns of two, upwards and downwards in turn.
    mutating func place(_ codewords: [UInt8]) {
        var index = 0
        for pair in stride(from: width - 1, through: 1, by: -2) {
            // The column of the timing pattern is left out.
            let right = pair <= 6 ? pair - 1 : pair
            for vertical in 0..<width {
                for column in [right, right - 1] {
                    let isUpwards = (right + 1) & 2 == 0
                    let place = (isUpwards ? width - 1 - vertical : vertical) * width + column
                    guard !isFixed[place], index < codewords.count * 8 else { continue }
                    modules[place] = codewords[index / 8] >> UInt8(7 - index % 8) & 1 == 1
                    index += 1
                }
            }
        }
    }

    /// The same with a mask over what is not fixed.
    func masked(_ mask: Int) -> QRBoard {
        var board = self
        for row in 0..<width {
            for column in 0..<width where !isFixed[row * width + column] && Self.inverts(mask, row, column) {
                board.modules[row * width + column].toggle()
            }
        }
        board.drawFormat(mask: mask)
        return board
    }

    private static func inverts(_ mask: Int, _ row: Int, _ column: Int) -> Bool {
        switch mask {
        case 0: (row + column) % 2 == 0
        case 1: row % 2 == 0
        case 2: column % 3 == 0
        case 3: (row + column) % 3 == 0
        case 4: (row / 2 + column / 3) % 2 == 0
        case 5: row * column % 2 + row * column % 3 == 0
        case 6: (row * column % 2 + row * column % 3) % 2 == 0
        default: ((row + column) % 2 + row * column % 3) % 2 == 0
        }
    }

    // MARK: Shapes that confuse a reader

    /// The less the better.
    var penalty: Int {
        let rows = (0..<width).map { row in Array(modules[row * width..<(row + 1) * width]) }
        let columns = (0..<width).map { column in rows.map { $0[column] } }
        let dark = modules.count { $0 }
        // How many steps of 5 % the dark ones are away from one half.
        let away = abs(dark * 20 - modules.count * 10) / modules.count
        return (rows + columns).reduce(0) { $0 + Self.runs(in: $1) + Self.finders(in: $1) } + blocks(rows) + away * 10
    }

    private static func runs(in line: [Bool]) -> Int {
        var (penalty, length) = (0, 1)
        for place in 1...line.count {
            if place < line.count, line[place] == line[place - 1] {
                length += 1
            } else {
                if length >= 5 { penalty += length - 2 }
                length = 1
            }
        }
        return penalty
    }

    private static let finder = [true, false, true, true, true, false, true]
    private static let light = [Bool](repeating: false, count: 4)

    private static func finders(in line: [Bool]) -> Int {
        let shapes = [finder + light, light + finder]
        return (0...(line.count - 11)).reduce(0) { penalty, start in
            penalty + 40 * shapes.count { line[start..<start + 11].elementsEqual($0) }
        }
    }

    private func blocks(_ rows: [[Bool]]) -> Int {
        var penalty = 0
        for row in 1..<width {
            for column in 1..<width {
                let corner = rows[row][column]
                if corner == rows[row - 1][column], corner == rows[row][column - 1], corner == rows[row - 1][column - 1] {
                    penalty += 3
                }
            }
        }
        return penalty
    }
}
