import Backend
import Primitives

/// Texts around every page.
enum LayoutWords: Words {
    case skip, product, titleEnd, apps, environments, pages, search, searchNow, serverTime, simulatedClock, rules
    case environment(Environment)
    case notProduction(Environment)
    case version(String)
    case overview, searchPage, inbox, policy, catalogue, offers, operations, jobs, verify, operators

    var english: String {
        switch self {
        case .skip: "Skip to the content"
        case .product: "Tenure"
        case .titleEnd: " – Tenure"
        case .apps: "Apps"
        case .environments: "Environments"
        case .pages: "Pages"
        case .search: "Search by an id"
        case .searchNow: "Search"
        case .serverTime: "Server time"
        case .simulatedClock: "simulated clock"
        case .rules: "Rules"
        case .environment(let environment): environment.rawValue
        case .notProduction(let environment):
            "\(environment.rawValue): everything on this page is a test. Nobody paid anything."
        case .version(let version): "Tenure \(Speech.isolated(version))"
        case .overview: "Overview"
        case .searchPage: "Search"
        case .inbox: "Inbox"
        case .policy: "Policy"
        case .catalogue: "Catalogue"
        case .offers: "Offers"
        case .operations: "Operations"
        case .jobs: "Jobs"
        case .verify: "Verification"
        case .operators: "Operators"
        }
    }

    var chinese: String {
        switch self {
        case .skip: "跳到正文"
        case .product: "Tenure"
        case .titleEnd: " – Tenure"
        case .apps: "App"
        case .environments: "环境"
        case .pages: "页面"
        case .search: "按标识符搜索"
        case .searchNow: "搜索"
        case .serverTime: "服务器时间"
        case .simulatedClock: "模拟时钟"
        case .rules: "规则"
        case .environment(.production): "生产环境 (Production)"
        case .environment(.sandbox): "沙盒 (Sandbox)"
        case .environment(let environment): environment.rawValue
        case .notProduction(let environment): "\(environment.rawValue) 环境：本页全部为测试数据，没有任何人付款。"
        case .version(let version): "Tenure \(Speech.isolated(version))"
        case .overview: "概览"
        case .searchPage: "搜索"
        case .inbox: "待处理"
        case .policy: "策略"
        case .catalogue: "商品目录"
        case .offers: "优惠"
        case .operations: "运维"
        case .jobs: "任务"
        case .verify: "核验"
        case .operators: "操作员"
        }
    }
}

/// Texts about instants and lengths of time.
enum TimeWords: Words {
    /// As ``Speech/instant(_:seconds:)`` writes it.
    case instant(String)
    case ago(String)
    case ahead(String)
    case doesNotEnd, still

    var english: String {
        switch self {
        case .instant(let text): text
        case .ago(let length): "\(length) ago"
        case .ahead(let length): "in \(length)"
        case .doesNotEnd: "does not end"
        case .still: "still"
        }
    }

    var chinese: String {
        switch self {
        case .instant(let text): text
        case .ago(let length): "\(length)前"
        case .ahead(let length): "\(length)后"
        case .doesNotEnd: "不会结束"
        case .still: "至今"
        }
    }
}

/// The roles of operators.
enum RoleWords: Words {
    case viewer, analyst, support, operatorOfTenure, admin

    var english: String {
        switch self {
        case .viewer: "viewer"
        case .analyst: "analyst"
        case .support: "support"
        case .operatorOfTenure: "operator"
        case .admin: "administrator"
        }
    }

    var chinese: String {
        switch self {
        case .viewer: "查看者"
        case .analyst: "分析员"
        case .support: "客服"
        case .operatorOfTenure: "操作员"
        case .admin: "管理员"
        }
    }
}

extension OperatorRole {
    var words: RoleWords {
        switch self {
        case .viewer: .viewer
        case .analyst: .analyst
        case .support: .support
        case .operator: .operatorOfTenure
        case .admin: .admin
        }
    }
}
