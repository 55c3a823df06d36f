import CLibpq
import Storage

extension PostgresConnection {
    /// Runs `body` in one transaction and returns when it is committed. BEGIN goes out with the first batch of `body`; where it
    /// sends none, nothing at all is sent. If `body` throws, nothing of it is kept and its error is thrown on.
    ///
    /// - Throws: what `body` throws, and `StorageError`: `unavailable` where the connection was lost before COMMIT was sent
    ///   (nothing is kept), `unknownOutcome` where it was lost after that; `conflict` and `constraint` where COMMIT itself is
    ///   refused.
    package func transaction<Value>(
        _ isolation: PostgresIsolation = .readCommitted, _ body: (PostgresConnection) throws -> Value
    ) throws -> Value {
        guard isOpen else { throw StorageError(.unavailable, "the connection is closed") }
        guard transaction == .none else { throw StorageError(.other, "a transaction is open already") }
        transaction = .pending(isolation)
        closing = []
        let value: Value
        do {
            value = try body(self)
        } catch {
            rollBack()
            throw error
        }
        try commit()
        return value
    }

    private func commit() throws(StorageError) {
        switch transaction {
        case .pending:
            transaction = .none
            return
        case .none: throw StorageError(.unavailable, "the connection was lost in the transaction")
        case .open: break
        }
        // COMMIT of a transaction that has failed is a rollback without an error.
        guard let session, functions.PQtransactionStatus(session) == PQTRANS_INTRANS else {
            rollBack()
            throw StorageError(.other, "a statement of the transaction failed, and its error was not rethrown")
        }
        // What the server said while we computed is known before COMMIT leaves: a farewell now is no unknown outcome.
        guard isStillOpen() else { throw StorageError(.unavailable, "the connection was lost before COMMIT was sent") }
        do throws(StorageError) {
            let result = try run(closing + [SessionQueries.commit], before: 0).last
            transaction = .none
            guard result?.commandTag == "COMMIT" else {
                throw StorageError(.other, "the server answered COMMIT with \(result?.commandTag ?? "nothing")")
            }
        } catch {
            // A refusal that leaves the session open has undone the transaction; without a session nobody can say.
            guard !isOpen else {
                rollBack()
                throw error
            }
            throw StorageError(.unknownOutcome, "the connection was lost while COMMIT was awaited", underlying: error)
        }
    }

    /// Leaves no transaction behind, whatever it takes.
    func rollBack() {
        transaction = .none
        guard isInTransaction else { return }
        do throws(StorageError) {
            _ = try run([SessionQueries.rollback], before: 0)
        } catch {
            // The server undoes what is open when its session ends.
            close()
        }
    }
}
