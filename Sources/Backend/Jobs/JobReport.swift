import Ledger
package import Primitives
import Storage

extension Backend {
    /// A job as it stands, whatever it does: the same members for all, and what only its kind has.
    package struct Job: Sendable, Hashable {
        package let id: String
        /// Stable, such as `trial`.
        package let kind: String
        /// `running`, `done`, `failed` or `canceled`.
        package let state: String
        package let startedAt: Timestamp
        package let endedAt: Timestamp?
        /// Why it failed, or was ended.
        package let reason: String?
        /// How many things it has gone through.
        package let done: Int64
        /// How much it has found: ``Backend/jobResults(of:app:after:limit:)``.
        package let results: Int64
        package let content: Content

        package enum Content: Sendable, Hashable {
            /// Of a trial: from when the version would hold; nil: from when it was asked for.
            case trial(WhatIfSummary, from: Timestamp?)
            case verification(ProofReport, ProofDepth)
            case application(version: Int64, changed: Int64)
            /// Lines by what became of them, and how much of the file was read, from 0 to 1000.
            case imported(lines: [String: Int64], thousandths: Int64)
            /// Of a newer version of Tenure.
            case unknown
        }

        init(_ stored: StoredJob) throws {
            (id, kind, state) = (stored.name.id, stored.kind, stored.state.rawValue)
            (startedAt, endedAt, reason, results) = (stored.startedAt, stored.endedAt, stored.reason, stored.rows)
            switch JobKind(rawValue: stored.kind) {
            case .trial:
                let summary = try WhatIfProgress(json: stored.progress).summary
                content = .trial(summary, from: try TrialRequest(json: stored.request).from)
                done = summary.subscriptions + summary.customers
            case .verification:
                let report = try ProofProgress(json: stored.progress).report
                content = .verification(report, try VerificationRequest(json: stored.request).depth)
                done = Int64(report.subscriptions + report.customers)
            case .application:
                let progress = try ApplicationProgress(json: stored.progress)
                (content, done) = (.application(version: progress.version, changed: progress.changed), progress.looked)
            case .import:
                let standing = try ImportStanding(json: stored.progress)
                let read = standing.size > 0 ? Double(standing.offset) / Double(standing.size) : 1
                content = .imported(lines: standing.lines, thousandths: Int64(max(0, min(1, read)) * 1000))
                done = standing.lines.values.reduce(0, +)
            case nil: (content, done) = (.unknown, 0)
            }
        }
    }

    /// One thing that a job found.
    package struct JobResult: Sendable, Hashable {
        /// 1, 2, 3, … of its job.
        package let number: Int64
        package let content: Content

        package enum Content: Sendable, Hashable {
            /// Of a trial.
            case difference(WhatIfRow)
            /// Of a verification.
            case finding(Finding)
            /// Of an import: a line that was not accepted.
            case refusedLine(RefusedLine)
        }
    }

    /// A line of a file that was not accepted.
    package struct RefusedLine: Sendable, Hashable, Codable {
        package let line: Int64
        package let code: String
        package let reason: String

        package init(line: Int64, code: String, reason: String) { (self.line, self.code, self.reason) = (line, code, reason) }
    }
}

extension Finding {
    /// As a job keeps it.
    private struct Kept: Codable {
        let kind: String
        let app, environment, subscription: String?
        let words: String
    }

    var json: String {
        get throws {
            try StateCoding.encode(
                Kept(
                    kind: kind.rawValue, app: subscription?.app.rawValue, environment: subscription?.environment.rawValue,
                    subscription: subscription?.originalTransactionId.rawValue, words: words))
        }
    }

    /// - Throws: `StorageError` with `corrupt` for anything that ``json`` is not.
    init(json: String) throws {
        let kept = try StateCoding.decode(Kept.self, from: json)
        guard let kind = Kind(rawValue: kept.kind) else { throw StorageError(.corrupt, "a finding is of an unknown kind") }
        var key: SubscriptionKey?
        if let app = kept.app, let environment = kept.environment.flatMap(Environment.init(rawValue:)),
            let id = kept.subscription
        {
            key = SubscriptionKey(Scope(app: AppID(app), environment: environment), OriginalTransactionID(id))
        }
        self.init(kind, key, kept.words)
    }
}
