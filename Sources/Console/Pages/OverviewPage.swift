import Backend
import Ledger
import Primitives

/// P1: what needs a person first, then how the server stands. Numbers, no person and no money.
struct OverviewPage {
    let needs: [Need]
    let standing: AppleStanding
    let count: Backend.SubscriptionCount
    let events: [Backend.LatestEvent]
    /// When Apple posted last, by environment of the app.
    let heard: [Heard]
    /// Whether whoever reads it may see whom an event is about.
    let namesCustomers: Bool

    /// So many of the newest events stand on the page.
    static let mostEvents = 10

    struct Heard: Sendable {
        let environment: Environment
        /// Nil where none is on record.
        let last: AppleStanding.Heard?
    }

    /// Something that somebody should look at.
    struct Need: Sendable {
        let what: OverviewWords
        let code: String
        let count: Int
        /// There are more than were counted.
        let isMore: Bool
        /// Since when the oldest stands; nil where it is not known.
        let oldest: Timestamp?
        /// Until when the first of them can be dealt with; nil where nothing ends.
        var deadline: Timestamp?
        let page: ConsoleRoute.Page
    }

    var sheet: Sheet {
        let rows = needs.filter { $0.count > 0 }.map { need -> [Cell] in
            [
                .link(need.page, .said(need.code, need.what)),
                need.isMore
                    ? .list([.said("more", OverviewWords.moreThan), .number(Int64(need.count))]) : .number(Int64(need.count)),
                .optional(need.oldest), .optional(need.deadline),
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
                                    .init("oldest", ColumnWords.oldest), .init("deadline", ColumnWords.deadline),
                                ], rows))
                    ]),
                .part("subscriptions", SearchWords.subscriptions, [.facts("subscriptions", counts)]),
                .part("events", OverviewWords.events, [latest]), .part("apple", OverviewWords.apple, apple),
            ])
    }

    private var counts: [Field] {
        [
            Field("active", OverviewWords.active, bounded(count.active)),
            Field("trials", OverviewWords.trials, bounded(count.trials)),
            Field(
                "isMore", OverviewWords.counted,
                count.isMore
                    ? .said("true", OverviewWords.moreSubscriptions(Int64(Backend.mostCounted)))
                    : .said("false", OverviewWords.allSubscriptions)),
        ]
    }

    private func bounded(_ number: Int) -> Cell {
        count.isMore ? .phrase([.said("more", OverviewWords.moreThan), .number(Int64(number))]) : .number(Int64(number))
    }

    private var latest: Block {
        var columns: [SheetTable.Column] = [
            .init("toldAt", ColumnWords.learned), .init("type", ColumnWords.event), .init("effectiveAt", OverviewWords.effective),
        ]
        if namesCustomers { columns.append(.init("subject", AbuseWords.subject)) }
        return .table(
            SheetTable(
                "events", OverviewWords.eventsAre, empty: OverviewWords.noEvents, columns,
                events.map { event in
                    let subject: Cell =
                        event.subscription.map { .subscription($0) } ?? event.customer.map { .customer($0) } ?? .none
                    return [.instant(event.toldAt), .data(event.type), .instant(event.timestamp)]
                        + (namesCustomers ? [subject] : [])
                }))
    }

    private var heardTable: Block {
        .table(
            SheetTable(
                "notifications", OverviewWords.heardAre, empty: OverviewWords.noNotification,
                [
                    .init("environment", ColumnWords.environment), .init("receivedAt", OverviewWords.lastNotification),
                    .init("signedDate", ColumnWords.signed),
                ],
                heard.map { heard in
                    [
                        .said(heard.environment.rawValue, LayoutWords.environment(heard.environment)),
                        heard.last.map { .instant($0.receivedAt) } ?? .said("", OverviewWords.notOnRecord),
                        .optional(heard.last?.signedDate),
                    ]
                }))
    }

    private var apple: [Block] {
        (standing.lastNotification == nil ? [.notice(OverviewWords.noNotification)] : []) + [heardTable, server]
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
    case active, trials, counted, allSubscriptions, events, eventsAre, noEvents, effective, heardAre, notOnRecord
    case moreSubscriptions(Int64)

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
        case .active: "Active now"
        case .trials: "Of them in a free trial"
        case .counted: "Counted"
        case .allSubscriptions: "over all subscriptions"
        case .moreSubscriptions(let count):
            "there are more than \(count): only those whose last change is the oldest were looked at"
        case .events: "Newest events"
        case .eventsAre: "What was told last, the newest first"
        case .noEvents: "Nothing was told yet: the first purchase that arrives is."
        case .effective: "Took effect"
        case .heardAre: "The last notification of Apple in each environment"
        case .notOnRecord: "none on record"
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
        case .active: "当前有效"
        case .trials: "其中处于免费试用期"
        case .counted: "统计范围"
        case .allSubscriptions: "全部订阅"
        case .moreSubscriptions(let count): "订阅多于 \(count) 个：仅统计了最久未变化的那些"
        case .events: "最新事件"
        case .eventsAre: "最近通知的事件，最新的在前"
        case .noEvents: "尚无事件：第一笔购买到达时会有。"
        case .effective: "生效时间"
        case .heardAre: "各环境中 Apple 的最近通知"
        case .notOnRecord: "没有记录"
        }
    }
}
