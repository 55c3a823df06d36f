import Storage

/// What sets a session up and frames its transactions.
enum SessionQueries {
    /// One round trip; times in milliseconds, where 0 is no limit. The server too notices a client that is gone without a word:
    /// its own probes begin after 5 s and give up after three, 2 s apart. Without `fsync` and `synchronous_commit` a commit that
    /// was answered can be lost; what the session has of the second is made its own, so that no reload changes it later.
    static func prepare(_ settings: PostgresSettings) -> PostgresStatement {
        PostgresStatement(
            """
            SELECT set_config('statement_timeout', $1, false), set_config('lock_timeout', $2, false),
                set_config('idle_in_transaction_session_timeout', $3, false), set_config('TimeZone', 'UTC', false),
                set_config('tcp_keepalives_idle', '5', false), set_config('tcp_keepalives_interval', '2', false),
                set_config('tcp_keepalives_count', '3', false),
                set_config('synchronous_commit', current_setting('synchronous_commit'), false), current_setting('fsync')
            """,
            [settings.statementTimeout, settings.lockTimeout, settings.idleInTransactionTimeout].map {
                .text(String($0.wholeMilliseconds))
            })
    }

    /// What `prepare` answered.
    static func isDurable(_ answer: PostgresResult) throws(StorageError) -> Bool {
        guard let row = answer.first else { return false }
        let (commit, flush) = (try row.text(7), try row.text(8))
        return commit != "off" && flush == "on"
    }

    static let commit = PostgresStatement("COMMIT")
    static let rollback = PostgresStatement("ROLLBACK")

    static func begin(_ isolation: PostgresIsolation) -> PostgresStatement {
        switch isolation {
        case .readCommitted: PostgresStatement("BEGIN ISOLATION LEVEL READ COMMITTED")
        case .repeatableRead: PostgresStatement("BEGIN ISOLATION LEVEL REPEATABLE READ")
        case .serializable: PostgresStatement("BEGIN ISOLATION LEVEL SERIALIZABLE")
        case .snapshot: PostgresStatement("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        }
    }
}

/// How far a transaction is kept apart from others.
package enum PostgresIsolation: Sendable, Hashable, CaseIterable {
    /// Each statement sees what was committed before it.
    case readCommitted
    /// All statements see one state; writing what another has written meanwhile is a conflict.
    case repeatableRead
    /// As if transactions ran one after the other; more conflicts.
    case serializable
    /// One state for several reads; writing is refused.
    case snapshot
}
