/// What every connection of one pool has in common.
package struct PostgresSettings: Sendable {
    /// Where the server is.
    package let url: PostgresURL
    /// How long one place of the URL may take until its session is ready; the URL's `connect_timeout` goes before it. Resolving a
    /// host's name is not counted: the system's resolver cannot be interrupted.
    package var connectTimeout: Duration = .seconds(5)
    /// How long the server works on one statement; zero is no limit.
    package var statementTimeout: Duration = .seconds(4)
    /// How long the server waits for one lock; zero is no limit.
    package var lockTimeout: Duration = .seconds(2)
    /// After which the server ends a session whose transaction stands open with nothing asked.
    package var idleInTransactionTimeout: Duration = .seconds(10)
    /// How long nothing at all may move on the connection while an answer is awaited; then it is given up. Longer than
    /// `statementTimeout`, so that the server is first to say that a statement is slow.
    package var answerTimeout: Duration = .seconds(5)
    /// How long one batch may take in all, however steadily it moves.
    package var batchTimeout: Duration = .seconds(60)
    /// What `pg_stat_activity` shows, unless the URL says otherwise.
    package var applicationName = "tenure"
    /// How many statements a connection keeps prepared; the one used longest ago makes room.
    package var preparedStatementLimit = 256
    /// Receives what the server says beside its answers, on the connection's thread; must return soon.
    package var onNotice: @Sendable (PostgresNotice) -> Void

    package init(url: PostgresURL, onNotice: @escaping @Sendable (PostgresNotice) -> Void) {
        self.url = url
        self.onNotice = onNotice
        if let seconds = url.options["connect_timeout"].flatMap({ Int($0) }) { connectTimeout = .seconds(seconds) }
    }
}

/// Something the server says beside its answers.
package struct PostgresNotice: Sendable, Hashable {
    /// `NOTICE`, `WARNING`, `INFO`, `LOG` or `DEBUG`, never translated.
    package let severity: String
    /// Five characters; empty where the server gives none.
    package let sqlState: String
    package let message: String
}
