import BenchmarkSamples
import Foundation
import SpawnedProcesses

/// Other programs. Waiting for them does not block one of the few threads that the server's tasks run on.
enum ChildProcess {
    /// The program's output.
    static func output(of path: String, _ arguments: [String]) async throws -> String {
        let file = FileManager.default.temporaryDirectory.appending(path: "tenure-bench-\(UUID().uuidString)").path
        defer { unlink(file) }
        let process = try SpawnedProcess([path] + arguments, output: .path(file))
        let status = try await finish(process)
        let output = String(decoding: try Data(contentsOf: URL(fileURLWithPath: file)), as: UTF8.self)
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
        let start = ContinuousClock.now
        let process = try SpawnedProcess([path] + arguments, output: .descriptor(pipe.fileHandleForWriting.fileDescriptor))
        try pipe.fileHandleForWriting.close()
        defer {
            kill(process.pid, SIGTERM)
            waitpid(process.pid, nil, 0)
        }
        var printed = 0
        while printed < lines {
            let part = pipe.fileHandleForReading.availableData
            guard !part.isEmpty else { throw BenchError("\(path) ended before it printed \(lines) lines") }
            printed += part.count { $0 == UInt8(ascii: "\n") }
        }
        return (ContinuousClock.now - start).seconds * 1000
    }

    private static func finish(_ process: SpawnedProcess) async throws -> Int32 {
        while true {
            if let status = try process.statusIfEnded() { return status }
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    /// The most memory that the program ever held, in MiB. Read from the kernel's `VmHWM` while it runs, every two milliseconds:
    /// the figure that `wait4` gives counts the parent's memory at the moment of the fork.
    static func peakMemory(of path: String, _ arguments: [String]) async throws -> Double {
        let process = try SpawnedProcess([path] + arguments)
        var peak = 0.0
        while true {
            let line = Machine.line(of: "/proc/\(process.pid)/status", after: "VmHWM")
            if let kibibytes = line?.split(separator: " ").first.flatMap({ Double($0) }) { peak = kibibytes / 1024 }
            if let status = try process.statusIfEnded() {
                guard status == 0 else { throw BenchError("\(path) ended with status \(status).") }
                return peak
            }
            try await Task.sleep(for: .milliseconds(2))
        }
    }
}
