import AppStoreWire
import Backend
import Ledger
import Primitives

/// P12: how the server runs: asking Apple, due work, webhooks, notifications that could not be applied, certificates, clocks.
struct OperationsPage {
    let standing: AppleStanding
    /// Nil where no webhooks are served here.
    let endpoints: [EndpointView]?
    let parked: [Backend.ParkedNotification]
    let warnings: [Backend.Warning]
    let authorities: [Backend.TrustedAuthority]
    let server: Server
    let now: Timestamp

    /// What is so of this server and its database, of all apps.
    struct Server: Sendable {
        /// Of Tenure.
        let version: String
        let databaseBytes: Int64
        /// The last verification of the app that ended; nil where none did.
        let verification: Backend.Job?
        /// The last backup that the database knows of; nil where it knows of none.
        let backup: Backend.KnownBackup?
        /// The machine's; nil where the page is told by a simulated clock, with which a backup has no age.
        let machineNow: Timestamp?
    }

    var sheet: Sheet {
        Sheet(
            OperationsWords.title,
            [
                .part("apple", OverviewWords.apple, [.facts("apple", apple), budgets]),
                .part("work", SubscriptionWords.work, [backlog]), .part("webhooks", OperationsWords.webhooks, [webhooks]),
                .part("parked", OverviewWords.parked, [parkedTable]), .part("warnings", OverviewWords.warnings, [warningTable]),
                .part("certificates", OperationsWords.certificates, [certificates]),
                .part(
                    "server", OperationsWords.server,
                    [.facts("server", ofServer + ofBackup), .paragraph(OperationsWords.backups)]),
            ])
    }

    private var ofServer: [Field] {
        var fields = [
            Field("version", ColumnWords.version, .data(server.version)),
            Field("databaseBytes", OperationsWords.databaseSize, .number(server.databaseBytes)),
            Field(
                "verifiedAt", OperationsWords.verified,
                server.verification.map { .link(.verify, .optional($0.endedAt)) } ?? .said("", OperationsWords.neverVerified)),
        ]
        if let verification = server.verification {
            fields.append(
                Field(
                    "findings", ColumnWords.findings,
                    verification.results == 0
                        ? .number(0)
                        : .phrase([.badge(.bad, "findings", OperationsWords.somethingFound), .number(verification.results)])))
        }
        return fields
    }

    private var ofBackup: [Field] {
        guard let backup = server.backup else {
            return [Field("backupAt", OperationsWords.backup, .said("", OperationsWords.noBackup))]
        }
        return [
            Field("backupAt", OperationsWords.backup, .instant(backup.madeAt)),
            Field(
                "backupAgeMilliseconds", OperationsWords.backupAge,
                server.machineNow.map { .length($0.since(backup.madeAt)) } ?? .none),
            Field("backupFile", OperationsWords.backupFile, .optional(backup.file)),
            Field("backupSize", OperationsWords.backupSize, .optional(backup.size)),
        ]
    }

    private var apple: [Field] {
        let server = standing.server
        return [
            Field("lastNotification", OverviewWords.lastNotification, .optional(standing.lastNotification?.receivedAt)),
            Field("sureUntil", OverviewWords.sureUntil, .optional(standing.sureUntil)),
            Field("lastAnswer", ColumnWords.lastAnswer, .optional(server?.last.answeredAt)),
            Field("lastFailure", ColumnWords.lastError, .optional(server?.last.failure.map { "\($0.code) \($0.endpoint)" })),
            Field("lastFailureAt", OperationsWords.failedAt, .optional(server?.last.failure?.at)),
            Field("pausedUntil", OperationsWords.pausedUntil, .optional(server?.pausedUntil)),
            Field("clockLeadMilliseconds", OperationsWords.clockLead, server?.clockLead.map { .length($0) } ?? .none),
            Field(
                "asksApple", OperationsWords.asksApple,
                server == nil ? .badge(.warn, "false", AccessWords.no) : .badge(.good, "true", AccessWords.yes)),
        ]
    }

    private var budgets: Block {
        .table(
            SheetTable(
                "budgets", OperationsWords.budgets, empty: OperationsWords.noBudgets,
                [
                    .init("endpoint", ColumnWords.address), .init("callsPerHour", OperationsWords.callsPerHour),
                    .init("takenUntil", ColumnWords.taken), .init("blockedUntil", OperationsWords.blockedUntil),
                ],
                standing.budgets.map { budget in
                    [
                        .data(budget.endpoint), .number(budget.callsPerHour), .instant(budget.takenUntil),
                        budget.blockedUntil > now ? .instant(budget.blockedUntil) : .none,
                    ]
                }))
    }

    private var backlog: Block {
        .table(
            SheetTable(
                "backlog", OperationsWords.backlog, empty: OperationsWords.noBacklog,
                [
                    .init("kind", ColumnWords.kind), .init("count", ColumnWords.count),
                    .init("dueSince", OperationsWords.dueSince),
                ],
                standing.backlog.filter { $0.count > 0 }.map { backlog in
                    [.data(backlog.kind), .number(Int64(backlog.count)), .optional(backlog.dueSince)]
                }))
    }

    private var webhooks: Block {
        .table(
            SheetTable(
                "webhooks", OperationsWords.webhooks,
                empty: endpoints == nil ? OperationsWords.noWebhooksHere : OperationsWords.noWebhooks,
                [
                    .init("id", ColumnWords.id), .init("url", ColumnWords.address), .init("state", ColumnWords.state),
                    .init("delivered", OperationsWords.delivered), .init("failed", OperationsWords.failed),
                    .init("waitingSince", OperationsWords.waitingSince), .init("nextAttemptAt", OperationsWords.nextAttempt),
                    .init("reason", ColumnWords.reason),
                ],
                (endpoints ?? []).map { endpoint in
                    [
                        .data(endpoint.id), .data(endpoint.url), Self.state(endpoint.state), .number(endpoint.delivered),
                        .number(endpoint.failed), .optional(endpoint.waitingSince), .optional(endpoint.nextAttemptAt),
                        .optional(endpoint.reason),
                    ]
                }))
    }

    private static func state(_ state: EndpointView.State) -> Cell {
        let tone: Cell.Tone =
            switch state {
            case .healthy: .good
            case .failing: .warn
            case .disabled: .bad
            case .paused: .calm
            }
        return .badge(tone, state.rawValue, OperationsWords.state(state))
    }

    private var parkedTable: Block {
        .table(
            SheetTable(
                "parked", OverviewWords.parked, empty: OperationsWords.noParked,
                [
                    .init("notificationUUID", ColumnWords.id), .init("receivedAt", ColumnWords.received),
                    .init("reason", ColumnWords.reason), .init("attempts", ColumnWords.attempts),
                    .init("triedNextAt", OperationsWords.nextAttempt),
                ],
                parked.map { parked in
                    [
                        .data(parked.id), .instant(parked.receivedAt), .data(parked.reason), .number(parked.attempts),
                        .instant(parked.triedNextAt),
                    ]
                }))
    }

    private var warningTable: Block {
        .table(
            SheetTable(
                "warnings", OverviewWords.warnings, empty: OperationsWords.noWarnings,
                [
                    .init("kind", ColumnWords.kind), .init("value", ColumnWords.value),
                    .init("firstSeenAt", ColumnWords.raised),
                ],
                warnings.prefix(SubscriptionPage.longest).map { warning in
                    [.data(warning.kind), .data(warning.value), .instant(warning.firstSeenAt)]
                }))
    }

    private var certificates: Block {
        .table(
            SheetTable(
                "certificates", OperationsWords.certificatesAre, empty: OperationsWords.noCertificates,
                [
                    .init("name", ColumnWords.name), .init("role", ColumnWords.kind),
                    .init("notValidAfter", ColumnWords.until), .init("state", ColumnWords.state),
                ],
                authorities.map { authority in
                    [
                        .data(authority.name), Self.role(of: authority), .instant(authority.notValidAfter),
                        Self.state(of: authority, at: now),
                    ]
                }))
    }

    private static func role(of authority: Backend.TrustedAuthority) -> Cell {
        guard let role = AuthorityCertificate.Role(rawValue: authority.role) else { return .data(authority.role) }
        return .said(authority.role, OperationsWords.role(role))
    }

    private static func state(of authority: Backend.TrustedAuthority, at now: Timestamp) -> Cell {
        let left = authority.notValidAfter.since(now)
        if left.count <= 0 { return .badge(.bad, "ended", OperationsWords.certificateEnded) }
        return left <= .days(60)
            ? .badge(.warn, "endsSoon", OperationsWords.certificateEndsSoon)
            : .badge(.good, "valid", OperationsWords.certificateValid)
    }
}

/// Texts of the page of operations.
enum OperationsWords: Words {
    case title, webhooks, certificates, certificatesAre, noCertificates, failedAt, pausedUntil, clockLead, asksApple
    case budgets, noBudgets, callsPerHour, blockedUntil, backlog, noBacklog, dueSince, noWebhooks, noWebhooksHere
    case delivered, failed, waitingSince, nextAttempt, noParked, noWarnings
    case state(EndpointView.State)
    case role(AuthorityCertificate.Role)
    case certificateEnded, certificateEndsSoon, certificateValid
    case server, databaseSize, verified, neverVerified, somethingFound, backups, backup, noBackup, backupAge
    case backupFile, backupSize

    var english: String {
        switch self {
        case .title: "Operations"
        case .webhooks: "Webhooks"
        case .certificates: "Certificates"
        case .role(.root): "root"
        case .role(.intermediate): "intermediate"
        case .certificatesAre: "Authorities on which the trust in what Apple signs rests; the one that ends first comes first"
        case .noCertificates: "No certificate with a known end signed anything lately."
        case .failedAt: "Failed"
        case .pausedUntil: "Asks nothing until"
        case .clockLead: "This server's clock is ahead of Apple's by"
        case .asksApple: "This server asks Apple"
        case .budgets: "What is left of Apple's limits"
        case .noBudgets: "Apple was never asked. A key of App Store Connect in the configuration lets this server ask."
        case .callsPerHour: "Calls an hour"
        case .blockedUntil: "Blocked until"
        case .backlog: "Work that is due"
        case .noBacklog: "No work is due."
        case .dueSince: "Due since"
        case .noWebhooks: "No endpoint is configured. tenure webhooks add makes one."
        case .noWebhooksHere: "This server sends no webhooks."
        case .delivered: "Delivered"
        case .failed: "Failed"
        case .waitingSince: "Pending since"
        case .nextAttempt: "Next attempt"
        case .noParked: "Every notification was applied."
        case .noWarnings: "Apple used no word that this version does not know."
        case .state(.healthy): "healthy"
        case .state(.failing): "failing"
        case .state(.disabled): "disabled"
        case .state(.paused): "paused"
        case .certificateEnded: "has ended"
        case .certificateEndsSoon: "ends within 60 days"
        case .certificateValid: "valid"
        case .server: "Server and database"
        case .databaseSize: "Size of the database, in bytes"
        case .verified: "Last verification"
        case .neverVerified: "none has ended; tenure verify, or a job of the API, does one"
        case .somethingFound: "not as it must be"
        case .backups: "What other tools copy, such as pg_dump or a snapshot of the disk, is not known here."
        case .backup: "Last backup"
        case .noBackup: "no backup was made by tenure backup"
        case .backupAge: "Its age"
        case .backupFile: "Its file"
        case .backupSize: "Its size"
        }
    }

    var chinese: String {
        switch self {
        case .title: "运维"
        case .webhooks: "Webhook"
        case .certificates: "证书"
        case .role(.root): "根证书"
        case .role(.intermediate): "中间证书"
        case .certificatesAre: "对 Apple 签名的信任所依据的证书颁发者；最先到期的在前"
        case .noCertificates: "最近没有已知到期时间的证书签名过任何内容。"
        case .failedAt: "失败时间"
        case .pausedUntil: "暂停询问至"
        case .clockLead: "本服务器时钟比 Apple 快"
        case .asksApple: "本服务器询问 Apple"
        case .budgets: "Apple 限额的剩余"
        case .noBudgets: "从未询问过 Apple。在配置中加入 App Store Connect 的密钥后即可询问。"
        case .callsPerHour: "每小时次数"
        case .blockedUntil: "受限至"
        case .backlog: "到期的工作"
        case .noBacklog: "没有到期的工作。"
        case .dueSince: "最早到期"
        case .noWebhooks: "没有配置端点。tenure webhooks add 可添加。"
        case .noWebhooksHere: "本服务器不发送 webhook。"
        case .delivered: "已送达"
        case .failed: "失败"
        case .waitingSince: "待送自"
        case .nextAttempt: "下次尝试"
        case .noParked: "所有通知均已应用。"
        case .noWarnings: "Apple 没有使用此版本不认识的用词。"
        case .state(.healthy): "正常"
        case .state(.failing): "失败中"
        case .state(.disabled): "已停用"
        case .state(.paused): "已暂停"
        case .certificateEnded: "已过期"
        case .certificateEndsSoon: "60 天内到期"
        case .certificateValid: "有效"
        case .server: "服务器与数据库"
        case .databaseSize: "数据库大小（字节）"
        case .verified: "最近一次核验"
        case .neverVerified: "没有完成过；tenure verify 或 API 的任务可进行核验"
        case .somethingFound: "有不符之处"
        case .backups: "其他工具（如 pg_dump 或磁盘快照）所做的备份，这里无从得知。"
        case .backup: "最近一次备份"
        case .noBackup: "没有用 tenure backup 做过备份"
        case .backupAge: "距今"
        case .backupFile: "备份文件"
        case .backupSize: "备份大小"
        }
    }
}
