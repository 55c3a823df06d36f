import Foundation

/// A server's system calls, in the order in which strace saw them.
struct Trace: Sendable {
    /// A call, by the lines of the trace at which it began and ended.
    struct Call: Sendable {
        let what: What
        let began: Int
        var ended: Int
    }

    enum What: Sendable {
        /// Bytes to one of the database's files.
        case write(file: String, offset: Int, bytes: [UInt8])
        case truncate(file: String, length: Int)
        case sync(file: String)
        /// A sync of the database's folder: removals are durable.
        case syncFolder
        case remove(file: String)
        /// Bytes received on a connection.
        case received(connection: String, bytes: [UInt8])
        /// Bytes sent on a connection.
        case sent(connection: String, bytes: [UInt8])
    }

    /// The successful calls, in the order in which they began.
    let calls: [Call]

    private static let traced =
        "pwrite64,pwritev,pwritev2,write,writev,sendto,sendmsg,read,readv,recvfrom,recvmsg,"
        + "fdatasync,fsync,ftruncate,unlink,unlinkat"

    /// The tracer as a wrapper of a server.
    ///
    /// - Parameter variables: for the server only, such as a library to preload.
    static func wrapper(into path: String, variables: [String: String] = [:]) -> [String] {
        ["strace", "-f", "-qq", "-y", "--seccomp-bpf", "-s", "131072", "-e", "trace=\(traced)", "-o", path]
            + variables.sorted { $0.key < $1.key }.flatMap { ["-E", "\($0.key)=\($0.value)"] }
    }

    /// Reads a trace.
    ///
    /// - Parameter database: the path of the database; its files begin with it.
    init(path: String, database: String) throws {
        let text = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped))
        var reader = TraceReader(database: Array(database.utf8))
        var number = 0
        for line in text.split(separator: UInt8(ascii: "\n")) {
            reader.read(line, number)
            number += 1
        }
        calls = reader.calls.sorted { $0.began < $1.began }
    }
}

/// Joins calls that strace printed in two pieces, because another thread's call came in between.
private struct TraceReader {
    let database: [UInt8]
    var calls: [Trace.Call] = []
    /// By thread: calls that have begun but not ended.
    private var open: [[UInt8]: (line: [UInt8], number: Int)] = [:]

    private let folder: [UInt8]

    init(database: [UInt8]) {
        self.database = database
        folder = database.lastIndex(of: UInt8(ascii: "/")).map { Array(database[..<$0]) } ?? []
    }

    private static let unfinished = Array(" <unfinished ...>".utf8)
    private static let resumed = Array(" resumed>".utf8)

    mutating func read(_ line: ArraySlice<UInt8>, _ number: Int) {
        guard let blank = line.firstIndex(of: UInt8(ascii: " ")) else { return }
        let thread = Array(line[..<blank])
        let rest = line[blank...].drop { $0 == UInt8(ascii: " ") }
        if rest.suffix(Self.unfinished.count).elementsEqual(Self.unfinished) {
            open[thread] = (Array(rest.dropLast(Self.unfinished.count)), number)
        } else if rest.starts(with: Array("<... ".utf8)) {
            guard let begun = open.removeValue(forKey: thread), let end = rest.prefix(64).firstRange(of: Self.resumed) else {
                return
            }
            add(begun.line + rest[end.upperBound...], began: begun.number, ended: number)
        } else {
            add(Array(rest), began: number, ended: number)
        }
    }

    /// A complete call as strace prints it: `pwrite64(7</path/of/the.file>, "…", 4096, 24) = 4096`.
    private mutating func add(_ line: [UInt8], began: Int, ended: Int) {
        guard let parenthesis = line.firstIndex(of: UInt8(ascii: "(")), let result = Self.result(of: line), result >= 0 else {
            return
        }
        let name = String(decoding: line[..<parenthesis], as: UTF8.self)
        let arguments = line[(parenthesis + 1)...]
        guard let what = what(name, arguments, result: result) else { return }
        calls.append(Trace.Call(what: what, began: began, ended: ended))
    }

    /// The number after the last ` = `.
    private static func result(of line: [UInt8]) -> Int? {
        guard let sign = line.lastIndex(of: UInt8(ascii: "=")) else { return nil }
        let words = line[(sign + 1)...].split(separator: UInt8(ascii: " "))
        return words.first.flatMap { Int(String(decoding: $0, as: UTF8.self)) }
    }

    private func what(_ name: String, _ arguments: ArraySlice<UInt8>, result: Int) -> Trace.What? {
        if name == "unlink" || name == "unlinkat" {
            let texts = Self.texts(in: arguments)
            return texts.first.flatMap(file).map { .remove(file: $0) }
        }
        guard let begin = arguments.firstIndex(of: UInt8(ascii: "<")), let end = arguments.firstIndex(of: UInt8(ascii: ">"))
        else {
            return nil
        }
        let target = Array(arguments[(begin + 1)..<end])
        if name == "fdatasync" || name == "fsync", target == folder { return .syncFolder }
        if let file = file(target) { return fileCall(name, file, arguments[(end + 1)...], result) }
        guard target.starts(with: Array("socket:".utf8)) || target.starts(with: Array("TCP".utf8)), result > 0 else { return nil }
        let connection = String(decoding: target, as: UTF8.self)
        let bytes = Self.texts(in: arguments[(end + 1)...]).flatMap { $0 }
        return name.hasPrefix("re")
            ? .received(connection: connection, bytes: bytes) : .sent(connection: connection, bytes: bytes)
    }

    private func fileCall(_ name: String, _ file: String, _ arguments: ArraySlice<UInt8>, _ result: Int) -> Trace.What? {
        switch name {
        case "fdatasync", "fsync": .sync(file: file)
        case "ftruncate": Self.numbers(behind: arguments).first.map { .truncate(file: file, length: $0) }
        case "pwrite64":
            Self.numbers(behind: arguments).last.map { offset in
                .write(file: file, offset: offset, bytes: Array(Self.texts(in: arguments).flatMap { $0 }.prefix(result)))
            }
        default: nil
        }
    }

    /// The database's file, by its suffix: empty, `-wal`; nil for other files, and for files that do not survive a cut, such as
    /// the index of the WAL.
    private func file(_ path: [UInt8]) -> String? {
        guard path.starts(with: database) else { return nil }
        let suffix = String(decoding: path.dropFirst(database.count), as: UTF8.self)
        return suffix == "-shm" ? nil : suffix
    }

    /// The numbers after the last text, before the closing parenthesis.
    private static func numbers(behind arguments: ArraySlice<UInt8>) -> [Int] {
        let begin = arguments.lastIndex(of: UInt8(ascii: "\"")).map { $0 + 1 } ?? arguments.startIndex
        guard let end = arguments.lastIndex(of: UInt8(ascii: ")")), begin <= end else { return [] }
        return arguments[begin..<end].split { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: " ") }
            .compactMap { Int(String(decoding: $0, as: UTF8.self)) }
    }

    /// The texts between quotation marks, with strace's escapes undone.
    private static func texts(in arguments: ArraySlice<UInt8>) -> [[UInt8]] {
        var texts: [[UInt8]] = []
        var current: [UInt8]?
        var index = arguments.startIndex
        while index < arguments.endIndex {
            let byte = arguments[index]
            index += 1
            if byte == UInt8(ascii: "\"") {
                if let text = current { texts.append(text) }
                current = current == nil ? [] : nil
            } else if current != nil {
                current?.append(byte == UInt8(ascii: "\\") ? unescaped(arguments, &index) : byte)
            }
        }
        return texts
    }

    /// The byte after a backslash: a C escape letter, or one to three octal digits.
    private static func unescaped(_ bytes: ArraySlice<UInt8>, _ index: inout Int) -> UInt8 {
        guard index < bytes.endIndex else { return UInt8(ascii: "\\") }
        let byte = bytes[index]
        index += 1
        switch byte {
        case UInt8(ascii: "n"): return 0x0A
        case UInt8(ascii: "t"): return 0x09
        case UInt8(ascii: "r"): return 0x0D
        case UInt8(ascii: "v"): return 0x0B
        case UInt8(ascii: "f"): return 0x0C
        case UInt8(ascii: "0")...UInt8(ascii: "7"):
            var value = Int(byte - UInt8(ascii: "0"))
            for _ in 0..<2 where index < bytes.endIndex && (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(bytes[index]) {
                value = value * 8 + Int(bytes[index] - UInt8(ascii: "0"))
                index += 1
            }
            return UInt8(truncatingIfNeeded: value)
        default: return byte
        }
    }
}
