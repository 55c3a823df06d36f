import Ledger
package import Primitives
package import Storage

/// Goes on with jobs (``StoredJob``): page by page, reading outside any transaction. Each transaction keeps what was found, moves
/// the job on and prolongs the lease, so that a server that is killed loses no more than one page, and nothing is found twice.
package struct JobPerformer: WorkPerformer {
    private let backend: Backend

    /// After so many pages it gives its place back, for this server or another one to go on.
    private let pages: Int
    /// How many subscriptions or customers are proved in one step, which must be done within the lease.
    private let provedAtOnce: Int
    private static let lease = Milliseconds.seconds(60)

    package init(backend: Backend, pages: Int = 10, provedAtOnce: Int = 100) {
        self.backend = backend
        self.pages = pages
        self.provedAtOnce = provedAtOnce
    }

    package var kind: WorkKind { .runJob }

    package func perform(_ work: LeasedWork, at now: Timestamp) async throws -> WorkOutcome {
        let name = JobName(work.order.scope.app, work.order.subject)
        guard let app = backend.apps[name.app] else { return .abandon(because: "the app is not configured") }
        guard let job = try await backend.store.job(name), job.state == .running else { return .done() }
        do {
            return try await goOn(with: job, of: app, work)
        } catch let error as StorageError where error.code == .corrupt {
            // What cannot be read now cannot be read later.
            try await fail(name, because: error.reason)
            return .done()
        }
    }

    private func goOn(with job: StoredJob, of app: AppSettings, _ work: LeasedWork) async throws -> WorkOutcome {
        guard var run = try await run(of: job, app) else { return .done() }
        for _ in 0..<pages {
            try Task.checkCancellation()
            let found = try await run.advance()
            guard try await keep(found, run, of: job.name, work) else { return .done() }
        }
        return .goesOn
    }

    /// Nil for what is not done here.
    private func run(of job: StoredJob, _ app: AppSettings) async throws -> (any JobRun)? {
        switch JobKind(rawValue: job.kind) {
        case .trial:
            let request = try TrialRequest(json: job.request)
            let trial = WhatIfTrial(
                try SettingsCoding.decode(request.document), from: request.from, newest: request.newest, at: job.startedAt)
            let progress = try WhatIfProgress(json: job.progress)
            return try await WhatIfRun(trial, of: app, by: backend, from: progress == WhatIfProgress() ? nil : progress)
        case .verification:
            let depth = try VerificationRequest(json: job.request).depth
            return ProofRun(
                of: app.id, by: backend, depth, from: try ProofProgress(json: job.progress), page: provedAtOnce)
        case .application, .import, nil: return nil
        }
    }

    package func giveUp(
        _ work: LeasedWork, because reason: String, at now: Timestamp, in transaction: any StoreTransaction
    ) throws {
        try transaction.fail(JobName(work.order.scope.app, work.order.subject), because: reason, at: now)
    }

    private func fail(_ name: JobName, because reason: String) async throws {
        let now = backend.clock.now()
        try await backend.store.write { try $0.fail(name, because: reason, at: now) }
    }

    /// False where the job is at its end, or somebody ended it.
    private func keep(
        _ found: [String], _ run: any JobRun, of name: JobName, _ work: LeasedWork
    ) async throws -> Bool {
        let (now, position, isDone) = (backend.clock.now(), try run.position, run.isDone)
        return try await backend.store.write { transaction in
            try transaction.note(work.order.body, on: work, until: now.adding(Self.lease))
            guard var job = try transaction.lockJob(name), job.state == .running else { return false }
            try transaction.keep(
                found.enumerated().map { place, content in
                    JobRow(name, number: job.rows + Int64(place) + 1, content: content)
                })
            job.rows += Int64(found.count)
            job.progress = position
            if isDone { job.end(.done, at: now) }
            try transaction.save(job)
            return !isDone
        }
    }
}

extension JobTransaction {
    /// Keeps a new job, and forgets those that ended long before.
    func begin(_ job: StoredJob) throws {
        try forgetJobs(of: job.name.app, endedBefore: job.startedAt.adding(Milliseconds(-Backend.jobsAreKept.count)))
        try save(job)
    }

    /// Ends a job that runs; one that has ended stays as it is.
    func end(_ name: JobName, _ state: StoredJob.State, because reason: String? = nil, at now: Timestamp) throws {
        guard var job = try lockJob(name), job.state == .running else { return }
        job.end(state, at: now, because: reason)
        try save(job)
    }

    /// Ends a job that runs: it cannot be done.
    func fail(_ name: JobName, because reason: String, at now: Timestamp) throws {
        try end(name, .failed, because: reason, at: now)
    }
}
