import Backend
import Ledger
import Primitives

/// P13: imports, trials, verifications and applications of versions, with how far they are.
struct JobsPage {
    let jobs: [Backend.Job]
    /// The last one first.
    let exports: [Backend.ExportReport]

    private var exportTable: Block {
        .table(
            SheetTable(
                "exports", JobWords.exportsAre, empty: JobWords.noExports,
                [
                    .init("number", ColumnWords.number), .init("kind", ColumnWords.kind),
                    .init("environment", ColumnWords.environment), .init("actor", ColumnWords.actor),
                    .init("begunAt", ColumnWords.start), .init("goesOn", JobWords.goesOn), .init("state", ColumnWords.state),
                    .init("endedAt", ColumnWords.end), .init("lines", JobWords.lines),
                ],
                exports.prefix(SubscriptionPage.longest).map { export in
                    [
                        .number(export.number), .data(export.kind), .optional(export.environment?.rawValue),
                        .data(export.actor), .instant(export.begunAt),
                        export.goesOn ? .said("true", AccessWords.yes) : .said("false", AccessWords.no),
                        Self.state(of: export.end), .optional(export.end?.at), export.end?.lines.map { .number($0) } ?? .none,
                    ]
                }))
    }

    private static func state(of end: Backend.ExportReport.End?) -> Cell {
        guard let end else { return .badge(.calm, "open", JobWords.openExport) }
        return end.isWhole
            ? .badge(.good, "whole", JobWords.wholeExport) : .badge(.warn, "cutOff", JobWords.cutOffExport)
    }

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
                        })), .part("exports", JobWords.exports, [exportTable]),
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
    case exports, exportsAre, noExports, goesOn, lines, openExport, wholeExport, cutOffExport
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
        case .exports: "Exports"
        case .exportsAre:
            "Who exported what, among the last \(Backend.mostExportsLookedAt) exports of all apps; the last one first"
        case .noExports:
            "Nothing of this app was exported lately. An export by the API would stand here, with the key that asked for it."
        case .goesOn: "Goes on with an earlier one"
        case .lines: "Lines sent"
        case .openExport: "not ended: it is being sent, or the server was stopped"
        case .wholeExport: "whole"
        case .cutOffExport: "cut off"
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
        case .exports: "导出"
        case .exportsAre: "谁导出了什么（所有 App 最近 \(Backend.mostExportsLookedAt) 次导出之中）；最近的在前"
        case .noExports: "最近没有导出过此 App 的数据。通过 API 的导出会连同所用密钥显示在这里。"
        case .goesOn: "接续之前的导出"
        case .lines: "已发送行数"
        case .openExport: "未结束：仍在发送，或服务器已停止"
        case .wholeExport: "完整"
        case .cutOffExport: "中断"
        case .kind("trial"): "试算"
        case .kind("verification"): "核验"
        case .kind("application"): "应用策略"
        case .kind("import"): "导入"
        case .kind(let other): Speech.isolated(other)
        }
    }
}
