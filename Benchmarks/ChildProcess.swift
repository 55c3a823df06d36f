import Foundation

/// Other programs. Waiting for them does not block one of the few threads that the server's tasks run on.
enum ChildProcess {
    /// The program's output; it may be as long as fits into a pipe.
    static func output(of path: String, _ arguments: [String]) async throws -> String {
        let pipe = Pipe()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.standardOutput = pipe
        process.standardError = pipe
        let status = try await finish(process)
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        guard status == 0 else { throw BenchError("\(path) ended with status \(status):\n\(output)") }
        return output
    }

    /// The `tenure` that was built beside this program; nil where it does not exist.
    static func tenure() throws -> String? {
        let here = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let path = URL(fileURLWithPath: here).deletingLastPathComponent().appendingPathComponent("tenure").path
        return FileManager.default.isExecutableFile(atPath: path) ? path : nil
    }

    /// The time from the program's start until it has printed this many lines; then it is terminated.
    static func milliseconds(until lines: Int, of path: String, _ arguments: [String]) throws -> Double {
        let pipe = Pipe()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.standardOutput = pipe
        let start = ContinuousClock.now
        try process.run()
        defer {
            process.terminate()
            process.waitUntilExit()
        }
        var printed = 0
        while printed < lines {
            let part = pipe.fileHandleForReading.availableData
            guard !part.isEmpty else { throw BenchError("\(path) ended before it printed \(lines) lines") }
            printed += part.count { $0 == UInt8(ascii: "\n") }
        }
        return (ContinuousClock.now - start).seconds * 1000
    }

    private static func finish(_ process: Process) async throws -> Int32 {
        try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do {
                try process.run()
            } catch {
                process.terminationHandler = nil
                continuation.resume(throwing: error)
            }
        }
    }

    /// The most memory that the program ever held, in MiB. Read from the kernel's `VmHWM` while it runs, every two milliseconds:
    /// the figure that `wait4` gives counts the parent's memory at the moment of the fork.
    static func peakMemory(of path: String, _ arguments: [String]) async throws -> Double {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        var peak = 0.0
        while process.isRunning {
            let line = Machine.line(of: "/proc/\(process.processIdentifier)/status", after: "VmHWM")
            if let kibibytes = line?.split(separator: " ").first.flatMap({ Double($0) }) { peak = kibibytes / 1024 }
            try await Task.sleep(for: .milliseconds(2))
        }
        guard process.terminationStatus == 0 else { throw BenchError("\(path) ended with status \(process.terminationStatus).") }
        return peak
    }
}
