import Backend

/// Texts of the login and of what operators change of themselves.
enum LoginWords: Words {
    case logIn, logOut, name, password, code, codeHint, lostThem
    case linkNotGood, askForLink, choosePassword, newPassword, repeated, passwordHint, goOn
    case passwordFor(String)
    case secondFactor, scan, picture, orType, firstCode, confirm
    case recoveryCodes, keepCodes, toOverview
    case problem(LoginProblem)
    case account, proveAgain, prove, proved, presentPassword, changePassword, changeFactor, newCodes, sessions, endSession
    case thisSession, begun, seen, address, browser, reading, language, zone, save, ofBrowser, done, roles, everyApp
    case proofWanted, lately, latelyHow

    var english: String {
        switch self {
        case .logIn: "Log in"
        case .logOut: "Log out"
        case .name: "Name"
        case .password: "Password"
        case .code: "Code"
        case .codeHint: "Of your authenticator app, or a recovery code."
        case .lostThem: "If you lost password or codes, ask an administrator for a new link (tenure operator link)."
        case .linkNotGood: "This link is not good"
        case .askForLink: "It was used, or is older than 15 minutes. Ask an administrator for another one (tenure operator link)."
        case .choosePassword: "Choose a password"
        case .newPassword: "New password"
        case .repeated: "The same once more"
        case .passwordHint: "12 to 128 characters of any kind. Several words are easier to keep than signs."
        case .goOn: "Go on"
        case .passwordFor(let name): "For the operator \(Speech.isolated(name))."
        case .secondFactor: "Second factor"
        case .scan: "Scan this picture with an authenticator app. Your password holds once its first code is confirmed."
        case .picture: "QR code with the secret of the second factor; the text below says the same"
        case .orType: "Or type this secret:"
        case .firstCode: "The code that the app shows now"
        case .confirm: "Confirm"
        case .recoveryCodes: "Recovery codes"
        case .keepCodes:
            "Each takes the place of a code once, if you lose your authenticator. They are shown only now: keep them safe."
        case .toOverview: "To the overview"
        case .problem(let problem): problem.english
        case .account: "You"
        case .proveAgain: "Show your second factor again"
        case .prove: "Show"
        case .proved: "Your second factor was shown within the last ten minutes."
        case .presentPassword: "Present password"
        case .changePassword: "Change the password"
        case .changeFactor: "Change the second factor"
        case .newCodes: "Make new recovery codes"
        case .sessions: "Sessions"
        case .endSession: "End"
        case .thisSession: "this one"
        case .begun: "Begun"
        case .seen: "Last seen"
        case .address: "Address"
        case .browser: "Browser"
        case .reading: "Language and time zone"
        case .language: "Language"
        case .zone: "Time zone"
        case .save: "Save"
        case .ofBrowser: "of the browser"
        case .done: "Done."
        case .roles: "Roles"
        case .everyApp: "every app"
        case .proofWanted: "To change password, second factor or recovery codes, show your second factor first."
        case .lately: "Lately, with your name"
        case .latelyHow:
            "Logins, failures, and changes of password and second factor. If one of them was not you: end the sessions, change "
                + "the password, and tell an administrator."
        }
    }

    var chinese: String {
        switch self {
        case .logIn: "登录"
        case .logOut: "退出登录"
        case .name: "用户名"
        case .password: "密码"
        case .code: "验证码"
        case .codeHint: "验证器 App 中的验证码，或一个恢复码。"
        case .lostThem: "如果忘记密码或丢失验证器，请向管理员索取新链接（tenure operator link）。"
        case .linkNotGood: "链接无效"
        case .askForLink: "链接已被使用，或已超过 15 分钟。请向管理员索取新链接（tenure operator link）。"
        case .choosePassword: "设置密码"
        case .newPassword: "新密码"
        case .repeated: "再次输入"
        case .passwordHint: "12 至 128 个任意字符。几个词比符号更容易记住。"
        case .goOn: "继续"
        case .passwordFor(let name): "用于操作员 \(Speech.isolated(name))。"
        case .secondFactor: "第二重验证"
        case .scan: "请用验证器 App 扫描此图。确认第一个验证码后，密码才会生效。"
        case .picture: "含第二重验证密钥的二维码；下方文字内容相同"
        case .orType: "或手动输入此密钥："
        case .firstCode: "App 当前显示的验证码"
        case .confirm: "确认"
        case .recoveryCodes: "恢复码"
        case .keepCodes: "丢失验证器时，每个恢复码可代替验证码使用一次。恢复码只在此时显示：请与密码分开保存。"
        case .toOverview: "前往概览"
        case .problem(let problem): problem.chinese
        case .account: "我的账户"
        case .proveAgain: "再次进行第二重验证"
        case .prove: "验证"
        case .proved: "您已在十分钟内完成第二重验证。"
        case .presentPassword: "当前密码"
        case .changePassword: "更改密码"
        case .changeFactor: "更换第二重验证"
        case .newCodes: "生成新的恢复码"
        case .sessions: "会话"
        case .endSession: "结束"
        case .thisSession: "当前会话"
        case .begun: "开始"
        case .seen: "最近活动"
        case .address: "地址"
        case .browser: "浏览器"
        case .reading: "语言和时区"
        case .language: "语言"
        case .zone: "时区"
        case .save: "保存"
        case .ofBrowser: "跟随浏览器"
        case .done: "已完成。"
        case .roles: "角色"
        case .everyApp: "所有 App"
        case .proofWanted: "更改密码、第二重验证或恢复码之前，请先进行第二重验证。"
        case .lately: "近期与您的用户名有关的登录活动"
        case .latelyHow: "包括登录、失败，以及密码和第二重验证的更改。如果其中有非您本人的操作：请结束会话、更改密码，并告知管理员。"
        }
    }
}

extension LoginProblem {
    fileprivate var english: String {
        switch self {
        case .passwordsDiffer: "The two passwords differ."
        case .refusal(let refusal): refusal.description
        }
    }

    fileprivate var chinese: String {
        switch self {
        case .passwordsDiffer: "两次输入的密码不一致。"
        case .refusal(let refusal): refusal.chinese
        }
    }
}

extension OperatorRefusal {
    /// The English ones are its description.
    fileprivate var chinese: String {
        switch self {
        case .invalid(let field, _): "\(Speech.isolated(field)) 不符合要求。"
        case .nameTaken(let name): "用户名 \(Speech.isolated(name)) 已被使用过；一个用户名永远只属于一个人。"
        case .unknown(let name): "没有操作员 \(Speech.isolated(name))。"
        case .ended(let name): "操作员 \(Speech.isolated(name)) 已停用。"
        case .tooMany(let most): "操作员最多 \(most) 位，包括已停用的。"
        case .linkNotGood: "链接已被使用或已过期。请索取新链接。"
        case .passwordTooShort(let least): "密码至少需要 \(least) 个字符。"
        case .passwordTooLong(let most): "密码最多 \(most) 个字符。"
        case .passwordTooCommon: "这是最先被猜测的密码之一：请换一个。"
        case .loginRefused: "用户名、密码或验证码不正确。"
        case .proofRefused: "不正确。每个验证码只能使用一次。"
        case .tooSoon(let seconds): "登录失败次数过多。请在 \(seconds) 秒后重试。"
        case .overloaded: "当前登录人数过多。请几秒后重试。"
        case .secretKeyMissing: "配置中缺少 webhooks.secretKeys：操作员的密钥也用它加密保存。"
        case .secretUnreadable: "配置中没有用于加密该操作员密钥的密钥。"
        case .sessionOver: "会话已结束。"
        case .proofNeeded: "请再次进行第二重验证。"
        }
    }
}
