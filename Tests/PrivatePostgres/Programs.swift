import Foundation
import SpawnedProcesses

/// The server's programs, and how they are run: the server refuses to run as root, so root runs them as the user `postgres`.
struct Programs {
    private let folder: String
    private let isRoot = geteuid() == 0

    /// Nil where they are not installed. Debian keeps them out of the PATH, one folder per version; the newest is taken.
    static func find() -> Programs? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let debian = "/usr/lib/postgresql"
        // 15 to 30: a folder that does not exist is not executable.
        let folders =
            (15...30).reversed().map { "\(debian)/\($0)/bin" }
            + path.split(separator: ":").map(String.init)
        return folders.first { folder in
            ["initdb", "pg_ctl"].allSatisfy { FileManager.default.isExecutableFile(atPath: "\(folder)/\($0)") }
        }.map(Programs.init(folder:))
    }

    private init(folder: String) { self.folder = folder }

    /// Runs one of the server's programs to its end.
    func run(_ program: String, _ arguments: String...) throws {
        try Self.run(prefix + ["\(folder)/\(program)"] + arguments)
    }

    private var prefix: [String] { isRoot ? ["runuser", "-u", "postgres", "--"] : [] }

    /// Makes the server's user the owner.
    func giveToServer(_ file: URL) throws {
        if isRoot { try Self.run(["chown", "-R", "postgres:postgres", file.path]) }
    }

    /// Starts a shell that waits until this process has ended, for whatever reason: only this process holds the other end of the
    /// shell's input. Then the shell stops the server and removes the folder. Signals to the process group (an interrupt from the
    /// keyboard) do not reach the shell.
    func removeAtEnd(_ server: URL) throws {
        let script = """
            trap '' INT TERM HUP; cat > /dev/null; \(prefix.joined(separator: " ")) "\(folder)/pg_ctl" -D "$1/cluster" \
            -m immediate stop; rm -rf "$1"
            """
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0, fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0 else {
            throw PrivatePostgres.Failure("no pipe: \(errno)")
        }
        // We never close the writing end: it closes with this process.
        _ = try SpawnedProcess(["sh", "-c", script, "sh", server.path], input: .descriptor(ends[0]))
        close(ends[0])
    }

    /// Runs a command to its end.
    static func run(_ command: [String]) throws {
        let (status, output) = try SpawnedProcess.run(command)
        guard status == 0 else {
            throw PrivatePostgres.Failure("\(command.joined(separator: " ")): status \(status): \(output)")
        }
    }
}

/// A root and a server's certificate under it, by OpenSSL.
struct Certificates {
    private let folder: URL

    init(in folder: URL) { self.folder = folder }

    func make(_ programs: Programs) throws {
        try root("root")
        try openssl(
            "req", "-new", "-nodes", "-newkey", "rsa:2048", "-keyout", path("server.key"), "-out", path("server.csr"),
            "-subj", "/CN=localhost")
        try "subjectAltName = DNS:localhost\n".write(
            to: folder.appending(path: "server.ext"), atomically: false, encoding: .utf8)
        try openssl(
            "x509", "-req", "-in", path("server.csr"), "-CA", path("root.pem"), "-CAkey", path("root.key"),
            "-CAcreateserial", "-days", "2", "-extfile", path("server.ext"), "-out", path("server.pem"))
        try root("other")
        for name in ["server.key", "server.pem"] { try programs.giveToServer(folder.appending(path: name)) }
    }

    private func root(_ name: String) throws {
        try openssl(
            "req", "-x509", "-nodes", "-newkey", "rsa:2048", "-keyout", path("\(name).key"), "-out", path("\(name).pem"),
            "-days", "2", "-subj", "/CN=\(name) of a private PostgreSQL")
    }

    private func openssl(_ arguments: String...) throws { try Programs.run(["openssl"] + arguments) }

    private func path(_ name: String) -> String { folder.appending(path: name).path }
}
