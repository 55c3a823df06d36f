import Foundation
import Glibc
import SpawnedProcesses
import Synchronization

/// A process that we started, in its own process group: all processes that it starts end with it.
struct Child: Sendable {
    let pid: pid_t

    /// How a process ended.
    enum Ending: Sendable, Hashable {
        case exited(Int32)
        case signalled(Int32)
    }

    /// Where a child's output goes.
    struct Streams: Sendable {
        var output: String
        var errors: String
    }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - environment: the complete environment; nothing else is inherited.
    ///   - streams: files to append to.
    /// - Throws: `ChaosError` when it cannot be started.
    static func spawn(
        _ program: String, _ arguments: [String], environment: [String: String], streams: Streams
    ) throws -> Child {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        posix_spawnattr_setpgroup(&attributes, 0)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, streams.output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, streams.errors, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        try SpawnedFiles.closeAll(from: 3, in: &actions)
        var words = ([program] + arguments).map { strdup($0) } + [nil]
        var variables = environment.sorted { $0.key < $1.key }.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for word in words + variables { free(word) } }
        keepOurFilesToOurselves()
        var pid: pid_t = 0
        let status = posix_spawnp(&pid, program, &actions, &attributes, &words, &variables)
        guard status == 0 else { throw ChaosError("\(program) cannot be started: \(String(cString: strerror(status)))") }
        Survivors.add(pid)
        return Child(pid: pid)
    }

    /// Children must not get our sockets and the journal: a child that inherited a connection would keep it open after we closed
    /// it.
    private static func keepOurFilesToOurselves() {
        for descriptor: Int32 in 3..<1024 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    }

    /// How it ended; nil while it runs, and nil again after it was returned once.
    func ending() -> Ending? {
        var status: Int32 = 0
        guard waitpid(pid, &status, WNOHANG) == pid else { return nil }
        Survivors.remove(pid)
        let signal = status & 0x7F
        return signal == 0 ? .exited((status >> 8) & 0xFF) : .signalled(signal)
    }

    /// Kills the whole group with SIGKILL and waits until it has ended.
    func kill() async throws {
        Glibc.kill(-pid, SIGKILL)
        guard try await waitForEnding(within: .seconds(10)) != nil else { throw ChaosError("process \(pid) survives SIGKILL") }
    }

    func send(_ signal: Int32) { Glibc.kill(-pid, signal) }

    /// How it ended; nil if it still runs when the time is over.
    func waitForEnding(within limit: Duration) async throws -> Ending? {
        let deadline = ContinuousClock.now + limit
        while true {
            if let ending = ending() { return ending }
            guard ContinuousClock.now < deadline else { return nil }
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    /// A program's output.
    ///
    /// - Throws: `ChaosError` if it ends with a status other than 0, or not within the limit.
    static func output(
        of program: String, _ arguments: [String], in folder: String, within limit: Duration = .seconds(60)
    ) async throws -> String {
        let base = "\(folder)/\(UUID().uuidString)"
        let streams = Streams(output: base + ".out", errors: base + ".err")
        defer { for path in [streams.output, streams.errors] { unlink(path) } }
        let child = try spawn(program, arguments, environment: ProcessInfo.processInfo.environment, streams: streams)
        let ending = try await child.waitForEnding(within: limit)
        guard ending == .exited(0) else {
            if ending == nil { try await child.kill() }
            let words = try String(contentsOfFile: streams.errors, encoding: .utf8)
            throw ChaosError("\(program) \(arguments.first ?? ""): \(ending.map { "\($0)" } ?? "did not end"): \(words)")
        }
        return String(decoding: try Data(contentsOf: URL(fileURLWithPath: streams.output)), as: UTF8.self)
    }
}

/// The processes that we started and that have not ended yet, so that none outlives us.
enum Survivors {
    private static let pids = Mutex<Set<pid_t>>([])
    private static let mounts = Mutex<Set<String>>([])

    static func add(_ pid: pid_t) { pids.withLock { _ = $0.insert(pid) } }
    static func remove(_ pid: pid_t) { pids.withLock { _ = $0.remove(pid) } }
    static func add(mount path: String) { mounts.withLock { _ = $0.insert(path) } }
    static func remove(mount path: String) { mounts.withLock { _ = $0.remove(path) } }

    /// Ends the remaining processes and unmounts what was mounted.
    static func end() {
        for pid in pids.withLock({ $0 }) { Glibc.kill(-pid, SIGKILL) }
        for path in mounts.withLock({ $0 }) { umount2(path, Int32(MNT_DETACH)) }
    }

    /// Ends them also when we receive a signal to end.
    static func endOnSignals() -> [any DispatchSourceSignal] {
        [SIGINT, SIGTERM].map { signal in
            Glibc.signal(signal, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: signal, queue: .global())
            source.setEventHandler {
                end()
                exit(128 + signal)
            }
            source.resume()
            return source
        }
    }
}

/// The harness itself cannot continue.
struct ChaosError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
