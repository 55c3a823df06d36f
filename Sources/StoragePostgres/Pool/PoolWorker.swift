import Storage

/// The thread of one connection: connects, works, connects anew.
struct PoolWorker {
    let number: Int
    let mailbox: Mailbox
    let core: PoolCore

    /// Returns when the pool is closed.
    func work() {
        var failures = 0
        while !mailbox.isStopped {
            do throws(StorageError) {
                let connection = try PostgresConnection(core.settings, libpq: core.libpq)
                failures = 0
                core.workerHasConnected(number)
                if serve(with: connection) == .stopped { return }
            } catch {
                failures += 1
                core.connectionHasFailed(error)
                let pause = core.delay(core.configuration.reconnection, afterFailures: failures)
                if case .stop = mailbox.next(within: pause) { return }
            }
        }
    }

    private enum End { case stopped, lost }

    /// Works until the connection is lost or the pool is closed.
    private func serve(with connection: PostgresConnection) -> End {
        while true {
            switch mailbox.next(within: core.configuration.idleCheck) {
            case .stop:
                connection.close()
                return .stopped
            case .nothing:
                guard connection.isStillOpen() else {
                    core.workerIsLost(number, finished: nil, undone: nil)
                    return .lost
                }
            case .work(let entry):
                // The server may have gone while the connection was idle: then another worker does the job, or this one does
                // it later.
                guard connection.isStillOpen() else {
                    core.workerIsLost(number, finished: nil, undone: entry)
                    return .lost
                }
                guard run(entry, on: connection) else { return .lost }
            }
        }
    }

    /// False where the connection is lost afterwards. The caller resumes last: when it calls again, this worker is
    /// free.
    private func run(_ entry: WorkQueue<PoolJob>.Entry, on connection: PostgresConnection) -> Bool {
        let tell = entry.job.run(connection)
        connection.rollBack()
        let isOpen = connection.isOpen
        if isOpen {
            core.workerIsReady(number, finished: entry.kind)
        } else {
            core.workerIsLost(number, finished: entry.kind, undone: nil)
        }
        tell()
        return isOpen
    }
}
