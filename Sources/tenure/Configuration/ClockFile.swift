import Backend
import Foundation
import Primitives
import Synchronization

/// A file that holds the time: milliseconds since 1970 in decimal digits. A local App Store writes it whenever its clock moves,
/// and a server that shares this clock reads it each time it needs the time.
enum ClockFile {
    /// No instant has more digits.
    static let longest = 20

    /// Overwrites the time in one call, so that no reader sees half of it.
    private static func write(_ instant: Timestamp, to file: FileHandle) throws {
        try file.seek(toOffset: 0)
        try file.write(contentsOf: Data(text(of: instant).utf8))
    }

    /// The content of the file for an instant; always of the same length.
    static func text(of instant: Timestamp) -> String {
        let digits = String(instant.millisecondsSince1970)
        return String(repeating: " ", count: max(0, longest - digits.utf8.count)) + digits
    }

    /// Writes each time into the file. Where that fails, the program reports it and continues: the server's clock then stands
    /// still.
    static func writer(to path: String) throws -> @Sendable (Timestamp) -> Void {
        let file = Mutex(try open(path))
        return { instant in
            do {
                try file.withLock { try write(instant, to: $0) }
            } catch {
                Console.complain("The clock file \(path) cannot be written: \(error)")
            }
        }
    }

    /// Opens the file for ``write(_:to:)``; makes it if it is absent.
    private static func open(_ path: String) throws -> FileHandle {
        if !FileManager.default.fileExists(atPath: path) {
            guard FileManager.default.createFile(atPath: path, contents: nil) else {
                throw CommandError("The clock file \(path) cannot be written.")
            }
        }
        return try FileHandle(forUpdating: URL(fileURLWithPath: path))
    }
}

/// The time that a local App Store wrote into a file. Never in production: the configuration refuses it where one of Apple's own
/// roots is trusted.
final class FollowedClock: TimeSource {
    private let file: Mutex<FileHandle>
    private let last: Mutex<Timestamp>

    /// - Throws: `CommandError` where there is no time in the file yet.
    init(path: String) throws {
        do {
            let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
            guard let now = try Self.read(handle) else { throw CommandError("There is no time in \(path) yet.") }
            file = Mutex(handle)
            last = Mutex(now)
        } catch let error as CommandError {
            throw error
        } catch {
            throw CommandError("The clock file \(path) cannot be read: start the local App Store with --clock-file first.")
        }
    }

    /// The time in the file; where it cannot be read at this moment, the time that was read last.
    func now() -> Timestamp {
        do {
            guard let now = try file.withLock({ try Self.read($0) }) else { return last.withLock { $0 } }
            last.withLock { $0 = now }
            return now
        } catch {
            return last.withLock { $0 }
        }
    }

    private static func read(_ file: FileHandle) throws -> Timestamp? {
        try file.seek(toOffset: 0)
        let text = String(decoding: try file.read(upToCount: ClockFile.longest) ?? Data(), as: UTF8.self)
        return Int64(text.trimmingCharacters(in: .whitespaces)).flatMap(Timestamp.init(validating:))
    }
}
