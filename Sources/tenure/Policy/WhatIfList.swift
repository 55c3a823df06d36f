import Backend
import Foundation
import Ledger
import Primitives

/// The list of what a version would change, as CSV, row by row as it comes.
struct WhatIfList {
    private let file: FileHandle?
    private var waiting = Data()

    /// - Parameter path: of the file; nil writes nothing. An existing file is replaced.
    init(path: String?) throws {
        guard let path else {
            file = nil
            return
        }
        guard FileManager.default.createFile(atPath: path, contents: nil), let handle = FileHandle(forWritingAtPath: path) else {
            throw CommandError("The file \(path) cannot be written.")
        }
        file = handle
        append(["customer", "subscription", "environment", "effect", "from", "until", "entitlement", "rule"])
    }

    mutating func append(_ row: WhatIfRow) throws {
        append([
            row.customer.rawValue, row.subscription?.rawValue ?? "", row.environment.rawValue, row.effect.rawValue,
            "\(row.window.from)", row.window.until.map { "\($0)" } ?? "", row.entitlement?.rawValue ?? "", row.rule,
        ])
        if waiting.count > 64 * 1024 { try flush() }
    }

    /// Writes what was not written yet; to be called at the end.
    mutating func flush() throws {
        try file?.write(contentsOf: waiting)
        waiting.removeAll(keepingCapacity: true)
    }

    private mutating func append(_ fields: [String]) {
        guard file != nil else { return }
        waiting.append(Data((fields.map(Self.field).joined(separator: ",") + "\r\n").utf8))
    }

    /// Source: RFC 4180, section 2. A text that a spreadsheet would take for a formula gets an apostrophe before it.
    private static func field(_ text: String) -> String {
        let isFormula = text.first.map { "=+-@\t\r".contains($0) } ?? false
        let harmless = isFormula ? "'" + text : text
        guard harmless.contains(where: { ",\"\r\n".contains($0) || $0 == "\r\n" }) else { return harmless }
        return "\"" + harmless.replacing("\"", with: "\"\"") + "\""
    }
}
