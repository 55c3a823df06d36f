import Backend
import Ledger
import Primitives

/// Questions of Apple about refunds as a table: until when, about what, and what would be answered now (ABUSE-2).
enum ConsumptionRows {
    static func table(_ pending: [Backend.PendingConsumption], _ now: Timestamp) -> Block {
        .table(
            SheetTable(
                "consumptionRequests", ConsumptionWords.requestsAre, empty: ConsumptionWords.noRequests,
                [
                    .init("subscription", ColumnWords.subscription), .init("transactionId", ColumnWords.transactions),
                    .init("productId", ColumnWords.product), .init("customer", ColumnWords.customer),
                    .init("consumptionRequestReason", ColumnWords.reason), .init("requestedAt", ConsumptionWords.asked),
                    .init("deadline", ColumnWords.deadline), .init("leftMilliseconds", ConsumptionWords.left),
                    .init("answer", ConsumptionWords.answer), .init("notedAt", ConsumptionWords.noted),
                    .init("rule", ColumnWords.rule), .init("lastError", ColumnWords.lastError),
                ],
                // The one that ends first comes first.
                pending.sorted { ($0.deadline, $0.transactionId) < ($1.deadline, $1.transactionId) }.map { row($0, now) }))
    }

    private static func row(_ asked: Backend.PendingConsumption, _ now: Timestamp) -> [Cell] {
        let left = asked.deadline.since(now)
        return [
            .subscription(asked.subscription), .data(asked.transactionId.rawValue), .optional(asked.productId?.rawValue),
            asked.customer.map { .customer($0) } ?? .said("", SubscriptionWords.nobody), .optional(asked.reason),
            .instant(asked.requestedAt), .instant(asked.deadline),
            left.count > 0 ? .length(left) : .badge(.bad, "passed", ConsumptionWords.passed), answer(asked.answer),
            asked.notedAt.map { .instant($0) } ?? .said("", ConsumptionWords.notNoted), .rule("ABUSE-2"),
            .optional(asked.lastError),
        ]
    }

    private static func answer(_ answer: ConsumptionAnswer?) -> Cell {
        switch answer {
        case nil: .badge(.warn, "notAsked", ConsumptionWords.notAnsweredHere)
        case .refused(let refusal): .badge(.warn, refusal.code, ConsumptionWords.refused(refusal))
        case .report(let report): .list([.badge(.good, "report", ConsumptionWords.report)] + fields(report))
        }
    }

    /// Apple's names and spellings: they are what is sent.
    private static func fields(_ report: ConsumptionReport) -> [Cell] {
        var cells: [Cell] = [
            .data("customerConsented \(report.customerConsented)"), .data("deliveryStatus \(report.deliveryStatus.rawValue)"),
            .data("sampleContentProvided \(report.sampleContentProvided)"),
        ]
        if let percentage = report.consumptionPercentage { cells.append(.data("consumptionPercentage \(percentage)")) }
        if let preference = report.refundPreference { cells.append(.data("refundPreference \(preference.rawValue)")) }
        return cells
    }
}

/// Texts about questions of Apple that concern refunds.
enum ConsumptionWords: Words {
    case requests, requestsAre, noRequests, asked, left, passed, answer, noted, notNoted, notAnsweredHere, report
    case refused(ConsumptionAnswer.Refusal)

    var english: String {
        switch self {
        case .requests: "Consumption requests"
        case .requestsAre:
            "What Apple asks about purchases whose refund is wanted; Apple decides without an answer at the deadline"
        case .noRequests:
            "Apple asks nothing. A customer's request for a refund would stand here for 12 hours, or until it is answered."
        case .asked: "Asked"
        case .left: "Time left"
        case .passed: "passed"
        case .answer: "What would be answered now"
        case .noted: "The app's backend said what it knows"
        case .notNoted: "it said nothing yet (noteConsumption)"
        case .notAnsweredHere: "nothing: this app has no access to Apple here"
        case .report: "a report"
        case .refused(.unknownTransaction): "nothing: the purchase is not credited to a customer"
        case .refused(.noConsent): "nothing: there is no consent"
        case .refused(.familyShared): "nothing: Apple takes no report about Family Sharing"
        case .refused(.assigned): "nothing: Apple takes no report about an assigned seat"
        case .refused(.tooLate): "nothing: the deadline has passed"
        }
    }

    var chinese: String {
        switch self {
        case .requests: "消耗信息请求 (consumption requests)"
        case .requestsAre: "Apple 就申请退款的购买提出的询问；截止时仍无答复，Apple 自行决定"
        case .noRequests: "Apple 没有询问。顾客申请退款后，询问会在此保留 12 小时，或直到已答复。"
        case .asked: "询问时间"
        case .left: "剩余时间"
        case .passed: "已过"
        case .answer: "此刻的答复内容"
        case .noted: "App 后端说明所知情况"
        case .notNoted: "尚未说明 (noteConsumption)"
        case .notAnsweredHere: "不答复：此处未配置该 App 对 Apple 的访问"
        case .report: "报告"
        case .refused(.unknownTransaction): "不答复：该购买未计入任何顾客"
        case .refused(.noConsent): "不答复：没有同意"
        case .refused(.familyShared): "不答复：Apple 不接受关于家人共享的报告"
        case .refused(.assigned): "不答复：Apple 不接受关于已分配席位的报告"
        case .refused(.tooLate): "不答复：已过截止时间"
        }
    }
}
