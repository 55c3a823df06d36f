import CDescriptorLimit

/// How many files and sockets this process may have open (RLIMIT_NOFILE). Where a server has no descriptor left it cannot take a
/// connection, nor say so: it spins (T32). So it is looked at before anybody is let in.
enum DescriptorLimit {
    /// For databases, their connections, logs and event loops, beside the connections of clients.
    static let others = 256

    /// Raises the limit so far that so many connections fit.
    ///
    /// - Throws: `CommandError` where the system does not let it be raised so far.
    static func raise(forConnections connections: Int) throws {
        var most: UInt64 = 0
        guard descriptor_limit_raise(UInt64(connections + others), &most) == 0 else { throw tooFew(most, connections) }
    }

    private static func tooFew(_ limit: UInt64, _ connections: Int) -> CommandError {
        let fitting = limit > others ? Int(limit) - others : 0
        let lower = fitting > 0 ? ", or set http.maximumConnections to \(fitting) or less" : ""
        return CommandError(
            """
            This process may open \(limit) files and sockets, and http.maximumConnections of \(connections) needs \
            \(connections + others). Raise the limit (LimitNOFILE= of systemd, --ulimit nofile of a container, ulimit -Hn of a \
            shell)\(lower).
            """)
    }
}
