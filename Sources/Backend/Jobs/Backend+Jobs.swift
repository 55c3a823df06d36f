package import Ledger
package import Primitives
import Storage

/// Long work: it is asked for under an id, is done page by page by whichever server has time, may be looked at and ended
/// meanwhile, and what it finds is read in pages.
extension Backend {
    /// How long a job is kept after its end.
    static let jobsAreKept = Milliseconds.days(30)
    /// How many jobs a list has at the most.
    private static let longestList = 200

    /// Has the servers try a version on everything that is kept of the app, and keep the list of what would differ (OWN-16).
    /// Asking again under the same id changes nothing.
    ///
    /// - Parameters:
    ///   - document: what is tried, as a version's document says it; nil: what this server's file says.
    ///   - from: from when it would hold; nil: from now.
    /// - Throws: `JobRefusal.idTaken`, `.documentRefused`; `BackendError`.
    package func startTrial(
        _ id: String, of document: String?, from: Timestamp?, app: AppID
    ) async throws -> Job {
        let settings = try settings(of: app)
        let now = clock.now()
        let name = JobName(app, try Ballot(id: id, at: now).id.rawValue)
        let content: SettingsContent
        do {
            content = try document.map { try SettingsCoding.decode($0) } ?? settings.content
        } catch {
            throw JobRefusal.documentRefused
        }
        let asked = TrialRequest(document: try SettingsCoding.encode(content), from: from, newest: 0)
        return try await start(name, at: now) { known in
            try known.kind == JobKind.trial.rawValue && TrialRequest(json: known.request).asks(as: asked)
        } new: { transaction in
            var request = asked
            request.newest = try transaction.settings(of: app).last?.number ?? 0
            return StoredJob(
                name, kind: JobKind.trial.rawValue, request: try request.json, progress: try WhatIfProgress().json, startedAt: now
            )
        }
    }

    /// Has the servers prove everything that is kept of the app (AUDIT-2), as `tenure verify` does, but for what the database
    /// says of its own file. Asking again under the same id changes nothing.
    ///
    /// - Throws: `JobRefusal.idTaken`; `BackendError`.
    package func startVerification(_ id: String, _ depth: ProofDepth, app: AppID) async throws -> Job {
        let now = clock.now()
        let name = JobName(try settings(of: app).id, try Ballot(id: id, at: now).id.rawValue)
        let request = VerificationRequest(depth)
        return try await start(name, at: now) { known in
            try known.kind == JobKind.verification.rawValue && VerificationRequest(json: known.request) == request
        } new: { _ in
            StoredJob(
                name, kind: JobKind.verification.rawValue, request: try request.json, progress: try ProofProgress().json,
                startedAt: now)
        }
    }

    /// Keeps a job and orders its work, or finds it kept.
    ///
    /// - Parameters:
    ///   - isSame: whether a job that has the id was asked for like this one.
    ///   - new: makes it.
    private func start(
        _ name: JobName, at now: Timestamp, isSame: @escaping @Sendable (StoredJob) throws -> Bool,
        new: @escaping @Sendable (any StoreTransaction) throws -> StoredJob
    ) async throws -> Job {
        guard !StoredJob.isReserved(name.id), let scope = try settings(of: name.app).scopes.first else {
            throw JobRefusal.idTaken(name.id)
        }
        return try Job(
            try await translatingStorageErrors {
                try await store.write { transaction in
                    if let known = try transaction.lockJob(name) {
                        guard try isSame(known) else { throw JobRefusal.idTaken(name.id) }
                        return known
                    }
                    let job = try new(transaction)
                    try transaction.begin(job)
                    try transaction.order([
                        WorkOrder(scope: scope, subject: name.id, key: "job/\(name.id)", kind: .runJob, dueAt: now)
                    ])
                    return job
                }
            })
    }

    /// - Throws: `JobRefusal.unknown`.
    package func job(_ id: String, app: AppID) async throws -> Job {
        let name = JobName(try settings(of: app).id, id)
        guard let stored = try await translatingStorageErrors({ try await store.job(name) }) else { throw JobRefusal.unknown(id) }
        return try Job(stored)
    }

    /// Those of an app, the last one first; at most 200.
    package func jobs(app: AppID) async throws -> [Job] {
        let id = try settings(of: app).id
        return try await translatingStorageErrors { try await store.jobs(of: id, limit: Self.longestList) }.map { try Job($0) }
    }

    /// Of each content that was tried the last trial that is kept, among the last 200 jobs, by the digest of what was tried: that
    /// of a version which has the content, unless another version of Tenure wrote it.
    package func lastTrials(app: AppID) async throws -> [String: Job] {
        let id = try settings(of: app).id
        let kept = try await translatingStorageErrors { try await store.jobs(of: id, limit: Self.longestList) }
        var trials: [String: Job] = [:]
        for stored in kept where stored.kind == JobKind.trial.rawValue {
            let digest = SettingsCoding.digest(of: try TrialRequest(json: stored.request).document)
            if trials[digest] == nil { trials[digest] = try Job(stored) }
        }
        return trials
    }

    /// Ends a job that runs; one that has ended stays as it is.
    ///
    /// - Throws: `JobRefusal.unknown`; `.notCancelable` for the application of a version, which holds already.
    package func cancelJob(_ id: String, app: AppID) async throws -> Job {
        let (name, now) = (JobName(try settings(of: app).id, id), clock.now())
        let stored = try await translatingStorageErrors {
            try await store.write { transaction in
                guard var job = try transaction.lockJob(name) else { throw JobRefusal.unknown(id) }
                guard job.state == .running else { return job }
                guard job.kind != JobKind.application.rawValue else { throw JobRefusal.notCancelable(id) }
                job.end(.canceled, at: now)
                try transaction.save(job)
                return job
            }
        }
        return try Job(stored)
    }

    /// What a job found, by number; at most `limit` after one.
    ///
    /// - Throws: `JobRefusal.unknown`.
    package func jobResults(of id: String, app: AppID, after number: Int64, limit: Int) async throws -> [JobResult] {
        let name = JobName(try settings(of: app).id, id)
        return try await translatingStorageErrors {
            guard let job = try await store.job(name) else { throw JobRefusal.unknown(id) }
            return try await store.rows(of: name, after: number, limit: limit).compactMap { row in
                switch JobKind(rawValue: job.kind) {
                case .trial: JobResult(number: row.number, content: .difference(try WhatIfRow(json: row.content)))
                case .verification: JobResult(number: row.number, content: .finding(try Finding(json: row.content)))
                case .import:
                    JobResult(
                        number: row.number,
                        content: .refusedLine(try StateCoding.decode(RefusedLine.self, from: row.content)))
                case .application, nil: nil
                }
            }
        }
    }
}

extension StoredJob {
    /// Ids of jobs that nobody asks for under an id of their own begin so.
    static let applicationPrefix = "settings-"
    static let importPrefix = "import-"

    static func isReserved(_ id: String) -> Bool { id.hasPrefix(applicationPrefix) || id.hasPrefix(importPrefix) }
}

extension JobName {
    /// That of working a version of an app's settings through.
    static func application(of version: Int64, _ app: AppID) -> JobName {
        JobName(app, "\(StoredJob.applicationPrefix)\(version)")
    }
}

/// Why a job is refused; nothing was kept.
package enum JobRefusal: Error, Hashable {
    /// The app has no job of that id, or it was forgotten.
    case unknown(String)
    /// The id stands for another job already.
    case idTaken(String)
    /// What is to be tried is no document of a version.
    case documentRefused
    /// It is worked through to its end.
    case notCancelable(String)
}

/// What a trial was asked for.
struct TrialRequest: Sendable, Hashable, Codable {
    /// What is tried, as ``SettingsCoding`` writes it.
    let document: String
    let from: Timestamp?
    /// The number of the newest version when it was asked for.
    var newest: Int64

    init(document: String, from: Timestamp?, newest: Int64) { (self.document, self.from, self.newest) = (document, from, newest) }

    /// - Throws: `StorageError` with `corrupt` for anything that ``json`` is not.
    init(json: String) throws { self = try StateCoding.decode(TrialRequest.self, from: json) }

    var json: String { get throws { try StateCoding.encode(self) } }

    /// Whether another request asks for the same.
    func asks(as other: TrialRequest) -> Bool { document == other.document && from == other.from }
}
