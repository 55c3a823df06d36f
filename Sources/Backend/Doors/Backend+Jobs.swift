package import Ledger
package import Primitives
import Storage

/// Long work that is asked for under an id, and read in pages: trying a policy (OWN-16).
extension Backend {
    /// A job as it stands.
    package struct Job: Sendable, Hashable {
        package let id: String
        /// Stable, such as `trial`.
        package let kind: String
        /// `running`, `done`, `failed` or `canceled`.
        package let state: String
        package let startedAt: Timestamp
        package let endedAt: Timestamp?
        /// Why it failed.
        package let reason: String?
        /// How much it has found.
        package let rows: Int64
        /// Of a trial: from when the version would hold; nil: from when it was asked for.
        package let from: Timestamp?
        /// Of a trial, as far as it is.
        package let summary: WhatIfSummary

        init(_ stored: StoredJob) throws {
            (id, kind, state) = (stored.name.id, stored.kind, stored.state.rawValue)
            (startedAt, endedAt, reason, rows) = (stored.startedAt, stored.endedAt, stored.reason, stored.rows)
            from = try TrialRequest(json: stored.request).from
            summary = try WhatIfProgress(json: stored.progress).summary
        }
    }

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
        guard let scope = settings.scopes.first else { throw BackendError.unknownApp(app) }
        let stored = try await translatingStorageErrors {
            try await store.write { transaction in
                if let known = try transaction.lockJob(name) {
                    guard try TrialRequest(json: known.request).asks(as: asked) else { throw JobRefusal.idTaken(id) }
                    return known
                }
                try transaction.forgetJobs(of: app, endedBefore: now.adding(Milliseconds(-Self.jobsAreKept.count)))
                var request = asked
                request.newest = try transaction.settings(of: app).last?.number ?? 0
                let job = StoredJob(
                    name, kind: "trial", request: try request.json, progress: try WhatIfProgress().json, startedAt: now)
                try transaction.save(job)
                try transaction.order([
                    WorkOrder(scope: scope, subject: name.id, key: "job/\(name.id)", kind: .runJob, dueAt: now)
                ])
                return job
            }
        }
        return try Job(stored)
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

    /// Ends a job that runs; one that has ended stays as it is.
    ///
    /// - Throws: `JobRefusal.unknown`.
    package func cancelJob(_ id: String, app: AppID) async throws -> Job {
        let (name, now) = (JobName(try settings(of: app).id, id), clock.now())
        let stored = try await translatingStorageErrors {
            try await store.write { transaction in
                guard var job = try transaction.lockJob(name) else { throw JobRefusal.unknown(id) }
                guard job.state == .running else { return job }
                job.end(.canceled, at: now)
                try transaction.save(job)
                return job
            }
        }
        return try Job(stored)
    }

    /// What a trial found, each with its number, from 1 on: at most `limit` after one.
    ///
    /// - Throws: `JobRefusal.unknown`.
    package func differences(
        of id: String, app: AppID, after number: Int64, limit: Int
    ) async throws -> [(number: Int64, row: WhatIfRow)] {
        let name = JobName(try settings(of: app).id, id)
        return try await translatingStorageErrors {
            guard try await store.job(name) != nil else { throw JobRefusal.unknown(id) }
            return try await store.rows(of: name, after: number, limit: limit).map {
                ($0.number, try WhatIfRow(json: $0.content))
            }
        }
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
