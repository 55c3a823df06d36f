import CDescriptorLimit

/// How many files and sockets this process may have open (RLIMIT_NOFILE). A server without a free descriptor can neither accept a
/// connection nor refuse it: it spins (T32). So the limit is checked before connections are accepted.
enum DescriptorLimit {
    /// For databases, their connections, logs and event loops, beside the connections of clients.
    static let others = 256

    /// Raises the limit so that this many connections fit.
    ///
    /// - Throws: `CommandError` where the system does not allow that limit.
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
