import Backend
import Ledger
import Primitives

/// P13: imports, trials, verifications and applications of versions, with how far they are.
struct JobsPage {
    let jobs: [Backend.Job]

    var sheet: Sheet {
        Sheet(
            JobWords.title,
            [
                .table(
                    SheetTable(
                        "jobs", JobWords.jobsAre, empty: JobWords.none,
                        [
                            .init("id", ColumnWords.id), .init("kind", ColumnWords.kind), .init("state", ColumnWords.state),
                            .init("startedAt", ColumnWords.start), .init("endedAt", ColumnWords.end),
                            .init("done", ColumnWords.progress), .init("results", ColumnWords.findings),
                            .init("reason", ColumnWords.reason),
                        ],
                        jobs.prefix(SubscriptionPage.longest).map { job in
                            [
                                .data(job.id), .said(job.kind, JobWords.kind(job.kind)), Self.state(of: job),
                                .instant(job.startedAt), .optional(job.endedAt), .number(job.done), .number(job.results),
                                .optional(job.reason),
                            ]
                        }))
            ])
    }

    static func state(of job: Backend.Job) -> Cell {
        let tone: Cell.Tone = job.state == "failed" ? .bad : job.state == "done" ? .good : .calm
        return .badge(tone, job.state, WorkWords.state(job.state))
    }

    static func fields(of job: Backend.Job) -> [Field] {
        [
            Field("id", ColumnWords.id, .data(job.id)), Field("state", ColumnWords.state, state(of: job)),
            Field("startedAt", ColumnWords.start, .instant(job.startedAt)),
            Field("endedAt", ColumnWords.end, .optional(job.endedAt)), Field("done", ColumnWords.progress, .number(job.done)),
            Field("results", ColumnWords.findings, .number(job.results)),
            Field("reason", ColumnWords.reason, .optional(job.reason)),
        ]
    }
}

/// P14: what was proved last.
struct VerifyPage {
    /// The verifications, the last one first.
    let runs: [Backend.Job]
    /// What the last one found; at most one page.
    let findings: [Backend.JobResult]
    /// Whether who asks may see single subscriptions; else a finding says only of what kind it is.
    let namesSubscriptions: Bool

    var sheet: Sheet {
        guard let last = runs.first else { return Sheet(JobWords.verify, [.paragraph(JobWords.neverVerified)]) }
        var fields = JobsPage.fields(of: last)
        if case .verification(let report, _) = last.content {
            fields += [
                Field("subscriptions", JobWords.subscriptions, .number(Int64(report.subscriptions))),
                Field("facts", SubscriptionWords.facts, .number(Int64(report.facts))),
                Field("auditRows", SubscriptionWords.audit, .number(Int64(report.auditRows))),
                Field("seals", JobWords.seals, .number(Int64(report.seals))),
            ]
        }
        return Sheet(
            JobWords.verify,
            [
                .facts("last", fields),
                .table(
                    SheetTable(
                        "findings", JobWords.findings, empty: JobWords.noFindings,
                        [
                            .init("number", ColumnWords.number), .init("kind", ColumnWords.kind),
                            .init("subscription", ColumnWords.subscription), .init("words", ColumnWords.what),
                        ], findings.compactMap(row))),
            ])
    }

    /// The id of a subscription without a link: it may be of another app or environment than this page.
    private func row(_ result: Backend.JobResult) -> [Cell]? {
        guard case .finding(let finding) = result.content else { return nil }
        return [
            .number(result.number), .said(finding.kind.rawValue, FindingWords.kind(finding.kind)),
            namesSubscriptions ? .optional(finding.subscription?.originalTransactionId.rawValue) : .none,
            namesSubscriptions ? .data(finding.words) : .none,
        ]
    }
}

/// Texts of the pages of jobs and of verification.
enum JobWords: Words {
    case title, jobsAre, none, verify, neverVerified, subscriptions, seals, findings, noFindings
    case kind(String)

    var english: String {
        switch self {
        case .title: "Jobs"
        case .jobsAre: "Imports, trials of a policy, verifications; the last one first"
        case .none: "No job ever ran. An import, a what-if or a verification would stand here with its progress."
        case .verify: "Verification"
        case .neverVerified:
            "Nothing was verified through this server yet. tenure verify proves chains, signatures and folds, and so does a job "
                + "of the API."
        case .subscriptions: "Subscriptions"
        case .seals: "Seals"
        case .findings: "What is not as it must be"
        case .noFindings: "Nothing was found to be wrong."
        case .kind("trial"): "what-if"
        case .kind("verification"): "verification"
        case .kind("application"): "application of a policy"
        case .kind("import"): "import"
        case .kind(let other): Speech.isolated(other)
        }
    }

    var chinese: String {
        switch self {
        case .title: "任务"
        case .jobsAre: "导入、策略试算、核验；最近的在前"
        case .none: "没有运行过任务。导入、试算或核验会连同进度显示在这里。"
        case .verify: "核验"
        case .neverVerified: "尚未通过本服务器核验。tenure verify 或 API 的任务会核验链、签名和折叠结果。"
        case .subscriptions: "订阅"
        case .seals: "封印"
        case .findings: "不符之处"
        case .noFindings: "没有发现问题。"
        case .kind("trial"): "试算"
        case .kind("verification"): "核验"
        case .kind("application"): "应用策略"
        case .kind("import"): "导入"
        case .kind(let other): Speech.isolated(other)
        }
    }
}
