import Crypto
import Foundation
import Primitives

/// How far an import has come, in a file beside the imported one, so that it can be interrupted and resumed.
struct ImportCheckpoint: Codable, Equatable {
    /// Where the first record begins that was not imported yet.
    var offset: UInt64 = 0
    /// The number of the line there.
    var line = 1
    /// The number of earlier lines by the name of their outcome.
    var counts: [String: Int] = [:]
    /// The length of the report of refused lines; what follows after it is about lines that are imported again.
    var reportedBytes: UInt64 = 0
    /// The id of its job in the database; nil before it has one.
    var job: String?
    /// The imported file's size, and a SHA-256 of its first bytes and of the target. Another file of the same name starts from
    /// the beginning, and so does the same file for another app or another database.
    let fingerprint: String

    /// Of the file and the target: letters and digits.
    var digest: Substring { fingerprint.drop { $0 != "/" }.dropFirst() }

    static func path(for file: String) -> String { file + ".tenure-import" }

    /// - Parameter target: names the app and the database, and how lines are read and claimed.
    init(ofFile path: String, target: String) throws {
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        let head = try file.read(upToCount: 1 << 16) ?? Data()
        fingerprint = "\(try file.seekToEnd())/\(Hexadecimal.encode(SHA256.hash(data: Data("\(target)\n".utf8) + head)))"
        try file.close()
    }

    /// The progress of an import of the file: its beginning, unless an import of the very same file to the same target was
    /// interrupted.
    static func read(forFile path: String, target: String) throws -> ImportCheckpoint {
        let fresh = try ImportCheckpoint(ofFile: path, target: target)
        guard let bytes = FileManager.default.contents(atPath: Self.path(for: path)) else { return fresh }
        let kept: ImportCheckpoint
        do {
            kept = try JSONDecoder().decode(ImportCheckpoint.self, from: bytes)
        } catch {
            throw CommandError("\(Self.path(for: path)) cannot be read; remove it to import \(path) from its beginning.")
        }
        return kept.fingerprint == fresh.fingerprint ? kept : fresh
    }

    /// The job of the import that left a checkpoint, whatever it was of; nil where there is none or it cannot be read.
    static func job(leftFor path: String) -> String? {
        guard let bytes = FileManager.default.contents(atPath: Self.path(for: path)) else { return nil }
        do { return try JSONDecoder().decode(ImportCheckpoint.self, from: bytes).job } catch { return nil }
    }

    func write(forFile path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        try encoder.encode(self).write(to: URL(fileURLWithPath: Self.path(for: path)), options: .atomic)
    }
}
