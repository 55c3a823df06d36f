import CLibpq
package import Storage

extension PostgresConnection {
    /// Runs one statement; see `pipeline`.
    package func execute(_ statement: PostgresStatement) throws(StorageError) -> PostgresResult {
        let results = try pipeline([statement])
        guard let result = results.first else { throw lost("a statement has no answer") }
        return result
    }

    /// Sends all statements in one go and returns their results in the same order: one round trip for as many as a batch holds,
    /// 16,384 statements or 64 MiB, and one more for each batch beyond.
    ///
    /// Outside of `transaction` the statements are one transaction by themselves, and where the connection is lost nothing is
    /// known of its outcome: that is for reading, and for what may be done twice. There they must be one batch.
    ///
    /// - Throws: `StorageError`. `invalidText` and `tooLarge` for parameters that cannot be sent, and `tooLarge` for more than
    ///   one batch outside of a transaction: then nothing of that batch was. For the first statement that the server refuses
    ///   its code, with `PostgresDiagnostics` underlying; those after it were not run. `unavailable` where the connection was
    ///   lost, which is closed then.
    package func pipeline(_ statements: [PostgresStatement]) throws(StorageError) -> [PostgresResult] {
        guard !statements.isEmpty else { return [] }
        guard case .pending(let isolation) = transaction else { return try run(statements, before: 0) }
        let results: [PostgresResult]
        do throws(StorageError) {
            results = try run([SessionQueries.begin(isolation)] + statements, before: 1)
        } catch {
            if isInTransaction { transaction = .open }
            throw error
        }
        transaction = .open
        return Array(results.dropFirst())
    }

    /// Something that is sent and answered by itself.
    private enum Operation {
        case change(StatementCache.Change)
        /// Which statement of the batch, and its name on the server.
        case run(Int, name: String)
    }

    /// A batch that is about to be sent.
    private struct Batch {
        var operations: [Operation] = []
        var parameters: [EncodedParameters] = []
        /// The cache as it is when all has succeeded.
        var planned: StatementCache
        /// Which of the caller's statement is the first that does not stand in it.
        var end = 0

        /// Whether the operation runs a statement that was prepared before this batch.
        func isOld(_ operation: Operation) -> Bool {
            guard case .run(_, let name) = operation else { return false }
            return !operations.contains { other in
                if case .change(.prepare(name, _, _)) = other { true } else { false }
            }
        }
    }

    /// - Parameter before: how many of the statements are ours and not the caller's; they stand first.
    func run(_ statements: [PostgresStatement], before: Int) throws(StorageError) -> [PostgresResult] {
        var results: [PostgresResult] = []
        // Bounded: each batch takes at least one statement.
        while results.count < statements.count {
            guard let session else { throw StorageError(.unavailable, "the connection is closed") }
            let batch = try plan(statements[results.count...])
            guard batch.end == statements.count || transaction != .none else {
                throw StorageError(.tooLarge, "\(statements.count) statements are more than one batch, outside of a transaction")
            }
            batches += 1
            var patience = Patience(settings)
            try send(batch, on: session, &patience)
            results += try receive(batch, before: before - results.count, on: session, &patience)
        }
        return results
    }

    /// As many of the statements as one batch holds; at least the first.
    private func plan(_ statements: ArraySlice<PostgresStatement>) throws(StorageError) -> Batch {
        var batch = Batch(planned: self.statements)
        var bytes = 0
        for (place, statement) in statements.prefix(limits.statements).enumerated() {
            let parameters = try EncodedParameters(statement.parameters, limits: limits)
            bytes += parameters.byteCount
            if place > 0, bytes > limits.batchBytes { break }
            batch.end = statements.startIndex + place + 1
            let (name, changes) = try batch.planned.use(statement.sql, types: parameters.types)
            guard changes.isEmpty || !statement.sql.utf8.contains(0) else {
                throw StorageError(.invalidText, "a statement contains NUL")
            }
            batch.operations += changes.map { .change($0) } + [.run(place, name: name)]
            batch.parameters.append(parameters)
        }
        return batch
    }

    // MARK: Sending

    /// libpq keeps what the socket does not take at once; so it is flushed every now and then, and answers are read meanwhile: a
    /// server whose answers nobody reads stops reading us.
    private func send(_ batch: Batch, on session: OpaquePointer, _ patience: inout Patience) throws(StorageError) {
        for (number, operation) in batch.operations.enumerated() {
            guard send(operation, batch, on: session) else { throw lost("a statement could not be sent") }
            if number % 64 == 63 { try flush(session, &patience) }
        }
        guard functions.PQpipelineSync(session) == 1 else { throw lost("a batch could not be sent") }
        try flush(session, &patience)
    }

    private func send(_ operation: Operation, _ batch: Batch, on session: OpaquePointer) -> Bool {
        switch operation {
        case .change(.prepare(let name, let sql, let types)):
            return functions.PQsendPrepare(session, name, sql, Int32(types.count), types) == 1
        case .change(.deallocate(let name, _)):
            // No parameter can stand here; the name is one of ours, `s` and a number.
            return functions.PQsendQueryParams(session, "DEALLOCATE \(name)", 0, nil, nil, nil, nil, 1) == 1
        case .run(let index, let name):
            let parameters = batch.parameters[index]
            return parameters.withPointers { values, lengths, formats in
                functions.PQsendQueryPrepared(session, name, Int32(parameters.count), values, lengths, formats, 1) == 1
            }
        }
    }

    /// Bounded by the patience.
    private func flush(_ session: OpaquePointer, _ patience: inout Patience) throws(StorageError) {
        while true {
            let rest = functions.PQflush(session)
            if rest == 0 { return }
            guard rest == 1 else { throw lost("the connection was lost while sending") }
            try wait(session, for: [.read, .write], &patience)
            guard functions.PQconsumeInput(session) == 1 else { throw lost("the connection was lost while sending") }
        }
    }

    // MARK: Receiving

    private func receive(
        _ batch: Batch, before: Int, on session: OpaquePointer, _ patience: inout Patience
    ) throws(StorageError) -> [PostgresResult] {
        var results: [PostgresResult] = []
        var done: [StatementCache.Change] = []
        var failure: PostgresDiagnostics?
        var isOutOfDate = false
        for operation in batch.operations {
            guard let answer = try nextResult(session, &patience) else { throw lost("a statement has no answer") }
            let result = PostgresResult(taking: answer, functions)
            switch (functions.PQresultStatus(answer), operation) {
            case (PGRES_COMMAND_OK, .change(let change)): done.append(change)
            case (PGRES_COMMAND_OK, .run), (PGRES_TUPLES_OK, .run): results.append(result)
            case (PGRES_FATAL_ERROR, _):
                let diagnostics = PostgresDiagnostics(answer, statement: results.count - before, functions)
                guard functions.PQstatus(session) == CONNECTION_OK else { throw lost("the connection was lost") }
                guard !diagnostics.endsConnection else {
                    close()
                    throw StorageError(diagnostics)
                }
                // A statement that was prepared before the schema changed under it, or that a pooler between us has lost.
                isOutOfDate = ["0A000", "26000"].contains(diagnostics.sqlState) && batch.isOld(operation)
                failure = diagnostics
            case (PGRES_PIPELINE_ABORTED, _) where failure != nil: break
            default: throw lost("the server answered out of order")
            }
            guard try nextResult(session, &patience) == nil else { throw lost("a statement was answered twice") }
        }
        try receiveSync(session, &patience)
        guard let failure else {
            statements = batch.planned
            return results
        }
        guard !isOutOfDate else {
            close()
            throw StorageError(.unavailable, "the session's prepared statements are out of date", underlying: failure)
        }
        statements = statements.after(done, of: batch.planned)
        throw StorageError(failure)
    }

    private func receiveSync(_ session: OpaquePointer, _ patience: inout Patience) throws(StorageError) {
        let answer = try nextResult(session, &patience).map { PostgresResult(taking: $0, functions) }
        guard let answer, answer.isPipelineSync else { throw lost("a batch had no end") }
    }

    /// The next answer, nil at the end of one statement's. Bounded by the patience.
    private func nextResult(_ session: OpaquePointer, _ patience: inout Patience) throws(StorageError) -> OpaquePointer? {
        while functions.PQisBusy(session) == 1 {
            let rest = functions.PQflush(session)
            guard rest >= 0 else { throw lost("the connection was lost while sending") }
            try wait(session, for: rest == 1 ? [.read, .write] : .read, &patience)
            guard functions.PQconsumeInput(session) == 1 else { throw lost("the connection was lost") }
        }
        return functions.PQgetResult(session)
    }

    // MARK: Scripts

    /// Runs several statements of one text, such as a migration's. In a transaction, or as one by itself.
    ///
    /// - Throws: `StorageError`, as `pipeline` does; the diagnostics' `statement` is 0.
    package func runScript(_ sql: String) throws(StorageError) {
        if case .pending(let isolation) = transaction {
            _ = try run([SessionQueries.begin(isolation)], before: 1)
            transaction = .open
        }
        guard let session else { throw StorageError(.unavailable, "the connection is closed") }
        guard !sql.utf8.contains(0) else { throw StorageError(.invalidText, "a script contains NUL") }
        guard functions.PQexitPipelineMode(session) == 1, functions.PQsendQuery(session, sql) == 1 else {
            throw lost("a script could not be sent")
        }
        var patience = Patience(settings)
        try flush(session, &patience)
        var failure: PostgresDiagnostics?
        // Bounded by the patience, and by the statements of the script.
        while let answer = try nextResult(session, &patience) {
            let result = PostgresResult(taking: answer, functions)
            if functions.PQresultStatus(answer) == PGRES_FATAL_ERROR {
                failure = failure ?? PostgresDiagnostics(answer, statement: 0, functions)
            }
            withExtendedLifetime(result) {}
            guard functions.PQstatus(session) == CONNECTION_OK else { throw lost("the connection was lost") }
        }
        guard functions.PQenterPipelineMode(session) == 1 else { throw lost("libpq refuses pipeline mode") }
        guard let failure else { return }
        if failure.endsConnection { close() }
        throw StorageError(failure)
    }
}
