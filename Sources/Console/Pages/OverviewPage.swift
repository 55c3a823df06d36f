import Backend
import Ledger
import Primitives

/// P1: what needs a person first, then how the server stands. Numbers, no person and no money.
struct OverviewPage {
    let needs: [Need]
    let standing: AppleStanding

    /// Something that somebody should look at.
    struct Need: Sendable {
        let what: OverviewWords
        let code: String
        let count: Int
        /// There are more than were counted.
        let isMore: Bool
        /// Since when the oldest stands; nil where it is not known.
        let oldest: Timestamp?
        let page: ConsoleRoute.Page
    }

    var sheet: Sheet {
        let rows = needs.filter { $0.count > 0 }.map { need -> [Cell] in
            [
                .link(need.page, .said(need.code, need.what)),
                need.isMore
                    ? .list([.said("more", OverviewWords.moreThan), .number(Int64(need.count))]) : .number(Int64(need.count)),
                .optional(need.oldest),
            ]
        }
        return Sheet(
            OverviewWords.title,
            [
                .part(
                    "needs", OverviewWords.needsPerson,
                    [
                        .table(
                            SheetTable(
                                "needs", OverviewWords.needsPerson, empty: OverviewWords.nothingNeeded,
                                [
                                    .init("what", ColumnWords.what), .init("count", ColumnWords.count),
                                    .init("oldest", ColumnWords.oldest),
                                ], rows))
                    ]),
                .part("apple", OverviewWords.apple, apple),
            ])
    }

    private var apple: [Block] {
        guard let heard = standing.lastNotification else { return [.notice(OverviewWords.noNotification)] + [server] }
        return [
            .facts(
                "lastNotification",
                [
                    Field("receivedAt", OverviewWords.lastNotification, .instant(heard.receivedAt)),
                    Field("signedDate", ColumnWords.signed, .instant(heard.signedDate)),
                ]), server,
        ]
    }

    private var server: Block {
        .facts(
            "server",
            [
                Field("lastAnswer", ColumnWords.lastAnswer, .optional(standing.server?.last.answeredAt)),
                Field("sureUntil", OverviewWords.sureUntil, .optional(standing.sureUntil)),
                Field(
                    "isLate", OverviewWords.isLate,
                    standing.isLate ? .badge(.bad, "true", AccessWords.yes) : .badge(.good, "false", AccessWords.no)),
            ])
    }
}

/// Texts of the overview.
enum OverviewWords: Words {
    case title, needsPerson, nothingNeeded, moreThan
    case claims, proposals, signals, consumption, deadWork, endpoints, parked, warnings
    case apple, noNotification, lastNotification, sureUntil, isLate

    var english: String {
        switch self {
        case .title: "Overview"
        case .needsPerson: "What needs a person"
        case .nothingNeeded: "Nothing needs a person. Claims, signals, questions of Apple and failures would stand here."
        case .moreThan: "at least"
        case .claims: "claims pending a decision"
        case .proposals: "owners proposed"
        case .signals: "open signals"
        case .consumption: "questions of Apple about refunds"
        case .deadWork: "late work"
        case .endpoints: "webhook endpoints that fail"
        case .parked: "notifications that could not be applied"
        case .warnings: "words of Apple that are not known here"
        case .apple: "Apple"
        case .noNotification:
            "The last notification is not on record: it is where this server may ask Apple. If none arrives, enter this server's "
                + "address for notifications in App Store Connect, under App Information, and request a test notification."
        case .lastNotification: "Last notification received"
        case .sureUntil: "Nothing is missing up to"
        case .isLate: "Is behind"
        }
    }

    var chinese: String {
        switch self {
        case .title: "概览"
        case .needsPerson: "需要人处理"
        case .nothingNeeded: "没有需要人处理的事。认领、信号、Apple 的询问和故障会显示在这里。"
        case .moreThan: "至少"
        case .claims: "待裁决的认领"
        case .proposals: "建议的拥有者"
        case .signals: "未处理的信号"
        case .consumption: "Apple 关于退款的询问"
        case .deadWork: "逾期的工作"
        case .endpoints: "失败的 webhook 端点"
        case .parked: "未能应用的通知"
        case .warnings: "此处不认识的 Apple 用词"
        case .apple: "Apple"
        case .noNotification:
            "没有最近通知的记录：本服务器可以询问 Apple 时才会记录。若没有通知到达，请在 App Store Connect 的“App 信息”中填写本服务器的通知地址，"
                + "并请求一个测试通知。"
        case .lastNotification: "最近收到的通知"
        case .sureUntil: "确认无遗漏至"
        case .isLate: "是否落后"
        }
    }
}
