import Backend
import HTTPTypes
import StrictJSON

/// Why a page is not shown.
enum Trouble: Error, Sendable, Hashable {
    case noSuchPage, wrongMethod, notLoggedIn, notAllowed, nothingAllowed, fromAnotherSite, formUnreadable
    case unknownRule, unknownSubscription, unknownFact, unknownVersion
    case tooLong(longest: Int)
    /// An identifier that none can be.
    case impossibleId
    /// The store could not be read; its code. Nothing of what it says of rows.
    case notRead(code: String, mayHelp: Bool)
    case failed

    init(_ error: any Error) {
        self =
            switch error {
            case let trouble as Trouble: trouble
            case let error as BackendError: Trouble(error)
            default: .failed
            }
    }

    private init(_ error: BackendError) {
        self =
            switch error {
            case .unknownApp, .environmentNotTaken, .environmentNotOpen: .noSuchPage
            case .unknownSubscription: .unknownSubscription
            case .invalidIdentifier, .namesNobody: .impossibleId
            case .store(let failure): .notRead(code: failure.code, mayHelp: failure.isRetryable)
            case .overloaded: .notRead(code: "overloaded", mayHelp: true)
            default: .failed
            }
    }

    var status: HTTPResponse.Status {
        switch self {
        case .noSuchPage, .unknownRule, .unknownSubscription, .unknownFact, .unknownVersion, .impossibleId: .notFound
        case .wrongMethod: .methodNotAllowed
        case .notLoggedIn: .unauthorized
        case .notAllowed, .nothingAllowed, .fromAnotherSite: .forbidden
        case .formUnreadable: .badRequest
        case .tooLong: .contentTooLarge
        case .notRead: .serviceUnavailable
        case .failed: .internalServerError
        }
    }

    var isFailureOfOurs: Bool { status.code >= 500 }

    /// Stable, for programs.
    var code: String {
        switch self {
        case .noSuchPage: "noSuchPage"
        case .wrongMethod: "wrongMethod"
        case .notLoggedIn: "notLoggedIn"
        case .notAllowed, .nothingAllowed: "notAllowed"
        case .fromAnotherSite: "fromAnotherSite"
        case .formUnreadable: "formUnreadable"
        case .unknownRule: "unknownRule"
        case .unknownSubscription: "unknownSubscription"
        case .unknownFact: "unknownFact"
        case .unknownVersion: "unknownVersion"
        case .tooLong: "tooLong"
        case .impossibleId: "impossibleId"
        case .notRead: "notRead"
        case .failed: "failed"
        }
    }
}

/// The page of a trouble: it says what was not shown, and what can be done.
struct TroubleModel: PageModel {
    let trouble: Trouble

    init(_ trouble: Trouble) { self.trouble = trouble }

    func title(_ speech: Speech) -> Said { speech.say(TroubleWords.title(trouble)) }

    func write(to html: inout HTML, _ frame: Frame) {
        html.element(.p, say: frame.say(TroubleWords.explanation(trouble)))
        if case .notRead(let code, _) = trouble {
            html.element(.p) { html in
                html.say(frame.say(TroubleWords.code))
                html.fixed(" ")
                html.element(.code) { $0.data(code) }
            }
        }
        html.element(.p) { html in html.link(.home, say: frame.say(TroubleWords.home), frame) }
    }

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("trouble", trouble.code)
            json.member("status", Int64(trouble.status.code))
            if case .notRead(let code, let mayHelp) = trouble {
                json.member("code", code)
                json.member("retryMayHelp", mayHelp)
            }
        }
    }
}

/// Texts of pages that are not shown.
enum TroubleWords: Words {
    case title(Trouble)
    case explanation(Trouble)
    case code, home

    var english: String {
        switch self {
        case .title(let trouble): trouble.englishTitle
        case .explanation(let trouble): trouble.english
        case .code: "Code of the store:"
        case .home: "To the overview"
        }
    }

    var chinese: String {
        switch self {
        case .title(let trouble): trouble.chineseTitle
        case .explanation(let trouble): trouble.chinese
        case .code: "存储的错误代码："
        case .home: "返回概览"
        }
    }
}

extension Trouble {
    fileprivate var englishTitle: String {
        switch self {
        case .noSuchPage, .unknownRule, .unknownSubscription, .unknownFact, .unknownVersion, .impossibleId: "Not found"
        case .wrongMethod: "Not possible this way"
        case .notLoggedIn: "Not logged in"
        case .notAllowed, .nothingAllowed, .fromAnotherSite: "Not allowed"
        case .formUnreadable: "The form cannot be read"
        case .tooLong: "Too long"
        case .notRead: "Not read"
        case .failed: "This page failed"
        }
    }

    fileprivate var chineseTitle: String {
        switch self {
        case .noSuchPage, .unknownRule, .unknownSubscription, .unknownFact, .unknownVersion, .impossibleId: "未找到"
        case .wrongMethod: "不支持这种方式"
        case .notLoggedIn: "未登录"
        case .notAllowed, .nothingAllowed, .fromAnotherSite: "没有权限"
        case .formUnreadable: "无法读取表单"
        case .tooLong: "内容过长"
        case .notRead: "未能读取"
        case .failed: "此页出错"
        }
    }

    fileprivate var english: String {
        switch self {
        case .noSuchPage: "There is no page with this address, or your role has nothing to do with its app."
        case .wrongMethod: "The address exists, but is not asked for by this method."
        case .notLoggedIn: "Nobody has logged in here, or the session has ended, or the proxy names nobody who is an operator."
        case .notAllowed: "Your role does not allow you to see this page. An administrator can give you another role."
        case .nothingAllowed: "You have no role in any app. An administrator can give you one."
        case .fromAnotherSite: "The form was sent by a page of another site. Nothing was done."
        case .formUnreadable: "The form has no field with a text in it, or it is not percent-encoded UTF-8."
        case .unknownRule: "There is no rule with this id."
        case .unknownSubscription:
            "Nothing is known of this originalTransactionId here. Ask the customer to restore purchases in the app, or import it."
        case .unknownFact: "The subscription has no fact with this number."
        case .unknownVersion: "The app has no version of its policy with this number."
        case .tooLong(let longest): "The text has more than \(longest) bytes."
        case .impossibleId: "An id has 1 to 200 characters and no control characters. This one cannot exist."
        case .notRead(_, true): "The store could not be read. Nothing on this page is known to be wrong; try again soon."
        case .notRead(_, false): "The store could not be read, and trying again will not help. Look at the server's log."
        case .failed: "The page could not be made. The server's log says why. Nothing was changed."
        }
    }

    fileprivate var chinese: String {
        switch self {
        case .noSuchPage: "此地址没有页面，或您的角色与该 App 无关。"
        case .wrongMethod: "地址存在，但不能用这种方法请求。"
        case .notLoggedIn: "尚未登录，或会话已结束，或代理指定的用户不是操作员。"
        case .notAllowed: "您的角色无权查看此页。管理员可以更改您的角色。"
        case .nothingAllowed: "您在任何 App 中都没有角色。管理员可以为您分配。"
        case .fromAnotherSite: "表单由其他网站的页面发送，未执行任何操作。"
        case .formUnreadable: "表单中没有文本字段，或不是百分号编码的 UTF-8。"
        case .unknownRule: "没有此编号的规则。"
        case .unknownSubscription: "此处没有这个 originalTransactionId 的任何记录。请让顾客在 App 中恢复购买，或导入它。"
        case .unknownFact: "该订阅没有此序号的事实。"
        case .unknownVersion: "此 App 没有此序号的策略版本。"
        case .tooLong(let longest): "文本超过 \(longest) 字节。"
        case .impossibleId: "标识符为 1 至 200 个字符，且不含控制字符。此标识符不可能存在。"
        case .notRead(_, true): "未能读取存储。本页内容不一定有误；请稍后再试。"
        case .notRead(_, false): "未能读取存储，重试也无济于事。请查看服务器日志。"
        case .failed: "无法生成此页。原因见服务器日志。没有任何更改。"
        }
    }
}
