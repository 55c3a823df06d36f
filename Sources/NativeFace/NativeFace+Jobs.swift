import APIContract
import Backend
import Ledger
import Primitives
import Server

/// Trying and applying what an app chose, and jobs.
extension NativeFace {
    func addJobs(to router: inout EndpointRouter) {
        router.on(NativeAPI.listSettings, listSettings)
        router.on(NativeAPI.applySettings, applySettings)
        router.on(NativeAPI.startTrial, startTrial)
        router.on(NativeAPI.startVerification, startVerification)
        router.on(NativeAPI.listJobs, listJobs)
        router.on(NativeAPI.readJob, readJob)
        router.on(NativeAPI.cancelJob, cancelJob)
        router.on(NativeAPI.listJobResults, listJobResults)
    }

    private typealias OfJob<Query: QueryParameters, Body: RequestContent> = Call<AppIdPath, Query, Body>

    private func listSettings(_ call: OfApp<NoQuery, NoBody>) async throws -> SettingsBody {
        SettingsBody(
            versions: try await backend.settingsHistory(of: call.app).map { SettingsBody.Version($0) },
            applying: try await backend.settingsProgress(of: call.app).map { environment, progress in
                SettingsBody.Progress(
                    environment: environment, version: progress.version, looked: progress.looked, changed: progress.changed)
            })
    }

    private func applySettings(_ call: OfApp<NoQuery, ApplicationBody>) async throws -> ApplicationAnswerBody {
        let body = call.body
        // The same limits as of any who decide.
        let ballot = try Backend.Ballot(id: "settings", actor: body.actor, at: call.now)
        var order = SettingsOrder(
            app: call.app, content: try backend.settings(of: call.app).content, actor: ballot.actor)
        (order.from, order.code, order.again) = (body.from, body.confirmation, body.again)
        switch try await backend.apply(order) {
        case .inForce(let number), .superseded(let number, _): return ApplicationAnswerBody(number: number, isNew: false)
        case .applied(let number, _): return ApplicationAnswerBody(number: number, isNew: true)
        }
    }

    private func startTrial(_ call: OfJob<NoQuery, TrialBody>) async throws -> JobBody {
        JobBody(
            try await backend.startTrial(
                call.path.id, of: call.body.document, from: call.body.from, app: call.app))
    }

    private func startVerification(_ call: OfJob<NoQuery, VerificationBody>) async throws -> JobBody {
        let depth = ProofDepth(evidence: call.body.evidence, rebuild: call.body.rebuild)
        return JobBody(try await backend.startVerification(call.path.id, depth, app: call.app))
    }

    private func listJobs(_ call: OfApp<NoQuery, NoBody>) async throws -> JobsBody {
        JobsBody(jobs: try await backend.jobs(app: call.app).map { JobBody($0) })
    }

    private func readJob(_ call: OfJob<NoQuery, NoBody>) async throws -> JobBody {
        JobBody(try await backend.job(call.path.id, app: call.app))
    }

    private func cancelJob(_ call: OfJob<NoQuery, NoBody>) async throws -> JobBody {
        JobBody(try await backend.cancelJob(call.path.id, app: call.app))
    }

    private func listJobResults(_ call: OfJob<ListQuery, NoBody>) async throws -> PageBody<JobResultItem> {
        let query = call.query
        let list = "\(NativeAPI.listJobResults.operationId)/\(call.path.app)/\(call.path.id)"
        let after = try query.after.map { try PageCursor.decode($0, of: list) } ?? "0"
        guard let number = Int64(after) else { throw CursorInvalid() }
        let found = try await backend.jobResults(of: call.path.id, app: call.app, after: number, limit: query.limit)
        let next =
            found.count < query.limit
            ? nil
            : found.last.map { last in
                NativeAPI.listJobResults.path(
                    call.path, ListQuery(limit: query.limit, after: PageCursor.encode("\(last.number)", of: list)))
            }
        return PageBody<JobResultItem>(items: found.map { JobResultItem($0) }, next: next)
    }
}

extension JobBody {
    fileprivate init(_ job: Backend.Job) {
        self.init(id: job.id, kind: job.kind, state: job.state, startedAt: job.startedAt)
        (reason, endedAt) = (job.reason, job.endedAt)
        (done, results) = (job.done, job.results)
        switch job.content {
        case .trial(let summary, let from): trial = TrialPart(summary, from: from, isDone: job.state == "done")
        case .verification(let report, let depth): verification = VerificationPart(report, depth)
        case .application(let version, let changed): application = ApplicationPart(version: version, changed: changed)
        case .imported(let lines, let thousandths): imported = ImportPart(lines, thousandths: thousandths)
        case .unknown: break
        }
    }
}

extension TrialPart {
    fileprivate init(_ summary: WhatIfSummary, from: Timestamp?, isDone: Bool) {
        self.init()
        self.from = from
        (comparedWith, policyDiffers, productsDiffer) = (summary.newest, summary.policyDiffers, summary.productsDiffer)
        (subscriptions, subscriptionsThatDiffer) = (summary.subscriptions, summary.subscriptionsThatDiffer)
        (customers, customersThatDiffer) = (summary.customers, summary.customersWhoseEntitlementsDiffer)
        losses = summary.losses
        confirmation = isDone ? summary.code : nil
    }
}

extension VerificationPart {
    fileprivate init(_ report: ProofReport, _ depth: ProofDepth) {
        self.init(evidence: depth.evidence, rebuild: depth.rebuild)
        (subscriptions, customers) = (Int64(report.subscriptions), Int64(report.customers))
        (facts, auditRows, seals) = (Int64(report.facts), Int64(report.auditRows), Int64(report.seals))
        writtenByAnotherFold = Int64(report.writtenByAnotherFold)
        differingByTodaysFold = Int64(report.differingByTodaysFold)
    }
}

extension ImportPart {
    fileprivate init(_ lines: [String: Int64], thousandths: Int64) {
        self.init(thousandths: thousandths)
        (new, known, scheduled) = (lines["new"] ?? 0, lines["known"] ?? 0, lines["scheduled"] ?? 0)
        (claimRefused, refused) = (lines["claimRefused"] ?? 0, lines["refused"] ?? 0)
    }
}

extension JobResultItem {
    fileprivate init(_ result: Backend.JobResult) {
        self.init(number: result.number)
        switch result.content {
        case .difference(let row): difference = DifferenceItem(row)
        case .finding(let found): finding = FindingItem(found)
        case .refusedLine(let refused):
            refusedLine = RefusedLineItem(line: refused.line, code: refused.code, reason: refused.reason)
        }
    }
}

extension FindingItem {
    fileprivate init(_ finding: Finding) {
        self.init(kind: finding.kind.rawValue, words: finding.words)
        environment = finding.subscription?.environment
        originalTransactionId = finding.subscription?.originalTransactionId.rawValue
    }
}

extension DifferenceItem {
    fileprivate init(_ row: WhatIfRow) {
        self.init(
            customer: row.customer.rawValue, environment: row.environment, effect: row.effect.rawValue,
            window: WindowItem(start: row.window.from, end: row.window.until), rule: row.rule)
        (originalTransactionId, entitlement) = (row.subscription?.rawValue, row.entitlement?.rawValue)
    }
}
