package import Foundation

/// A program that was started with three files and no other of this process.
///
/// Foundation's `Process` is not used: on Linux its `run()` reads beyond the end of the listing of this process's open files,
/// which ends a process that has many of them now and then, as it did to a run of these tests (swift-corelibs-foundation #5472,
/// mended after Swift 6.3). It also waits until nobody holds a socket that it passes to the child, which a grandchild may hold
/// for good.
package struct SpawnedProcess: Sendable {
    package let pid: pid_t

    /// Where a program reads from, or writes to.
    package enum File: Sendable {
        case nothing
        case descriptor(Int32)
        /// Made anew where it is written to.
        case path(String)
    }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - command: the program, looked for in the PATH, and its arguments.
    ///   - output: for what it prints, errors too.
    /// - Throws: `SpawnFailure` when it cannot be started.
    package init(_ command: [String], input: File = .nothing, output: File = .nothing) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        Self.give(input, as: 0, O_RDONLY, &actions)
        Self.give(output, as: 1, O_WRONLY | O_CREAT | O_TRUNC, &actions)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        try SpawnedFiles.closeAll(from: 3, in: &actions)
        let variables = ProcessInfo.processInfo.environment.map { "\($0.key)=\($0.value)" }
        var arguments = command.map { strdup($0) } + [nil]
        var environment = variables.map { strdup($0) } + [nil]
        defer { for text in arguments + environment { free(text) } }
        var child: pid_t = 0
        let failure = posix_spawnp(&child, command[0], &actions, nil, &arguments, &environment)
        guard failure == 0 else { throw SpawnFailure("\(command[0]) cannot be started: \(failure)") }
        pid = child
    }

    private static func give(_ file: File, as number: Int32, _ flags: Int32, _ actions: inout posix_spawn_file_actions_t) {
        switch file {
        case .nothing: posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
        case .descriptor(let descriptor): posix_spawn_file_actions_adddup2(&actions, descriptor, number)
        case .path(let path): posix_spawn_file_actions_addopen(&actions, number, path, flags, 0o600)
        }
    }

    /// Blocks the thread until it has ended.
    ///
    /// - Returns: its exit status; 128 and the signal's number where a signal ended it.
    package func wait() throws -> Int32 {
        while true {
            if let status = try status(0) { return status }
        }
    }

    /// Its exit status as ``wait()`` returns it; nil while it runs. Not to be called again after it was not nil.
    package func statusIfEnded() throws -> Int32? { try status(WNOHANG) }

    private func status(_ options: Int32) throws -> Int32? {
        var status: Int32 = 0
        let ended = waitpid(pid, &status, options)
        guard ended >= 0 || errno == EINTR else { throw SpawnFailure("waiting for process \(pid): \(errno)") }
        guard ended == pid else { return nil }
        let signal = status & 0x7F
        return signal == 0 ? status >> 8 & 0xFF : 128 + signal
    }

    /// Runs a program to its end.
    ///
    /// - Parameter input: what it reads.
    /// - Returns: its status, and all that it printed.
    package static func run(_ command: [String], input: String = "") throws -> (status: Int32, output: String) {
        let folder = FileManager.default.temporaryDirectory
        let name = UUID().uuidString
        let (words, answer) = (folder.appending(path: "tenure-\(name).in"), folder.appending(path: "tenure-\(name).out"))
        defer { for file in [words, answer] { unlink(file.path) } }
        try Data(input.utf8).write(to: words)
        let status = try SpawnedProcess(command, input: .path(words.path), output: .path(answer.path)).wait()
        return (status, String(decoding: try Data(contentsOf: answer), as: UTF8.self))
    }
}
