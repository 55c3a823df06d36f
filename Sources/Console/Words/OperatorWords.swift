import Backend

/// Texts about operators, keys, and their audit.
enum OperatorWords: Words {
    case howMade, state, codesLeft, made, ended, nobody, hasEnded, ready, notReady, toAudit, keys
    case keysOf(String)
    case noKeys(String)
    case name, kind, scopes, lastUsed, ends, holds, usedNearEnd, never
    case audit, auditIs, noNotes, number, when, who, from, act, about, more, older
    case onlyOf(String)

    var english: String {
        switch self {
        case .howMade: "Operators are made, given roles and ended by `tenure operator` on the server."
        case .state: "State"
        case .codesLeft: "Recovery codes left"
        case .made: "Made"
        case .ended: "Ended"
        case .nobody: "There are no operators. `tenure operator add NAME --role admin` makes the first one."
        case .hasEnded: "ended"
        case .ready: "can log in"
        case .notReady: "has set no password yet"
        case .toAudit: "What operators did and looked at"
        case .keys: "Keys of the apps"
        case .keysOf(let app): "Keys of \(Speech.isolated(app)) in the database"
        case .noKeys(let app):
            "\(Speech.isolated(app)) has no keys but those of the configuration file. `tenure keys add` makes one."
        case .name: "Name"
        case .kind: "Kind"
        case .scopes: "Scopes"
        case .lastUsed: "Last used"
        case .ends: "Ends"
        case .holds: "holds"
        case .usedNearEnd: "used in its last 7 days"
        case .never: "never"
        case .audit: "Audit of operators"
        case .auditIs:
            "Every login, search and opened customer. Rows are chained and never changed; `tenure verify` proves them."
        case .noNotes: "Nothing has been noted that fits."
        case .number: "No."
        case .when: "When"
        case .who: "Who"
        case .from: "From"
        case .act: "What"
        case .about: "About"
        case .more: "More"
        case .older: "Older ones"
        case .onlyOf(let actor): "Only what \(Speech.isolated(actor)) did."
        }
    }

    var chinese: String {
        switch self {
        case .howMade: "操作员的创建、角色分配和停用，均在服务器上使用 `tenure operator` 完成。"
        case .state: "状态"
        case .codesLeft: "剩余恢复码"
        case .made: "创建"
        case .ended: "停用"
        case .nobody: "还没有操作员。使用 `tenure operator add NAME --role admin` 创建第一位。"
        case .hasEnded: "已停用"
        case .ready: "可以登录"
        case .notReady: "尚未设置密码"
        case .toAudit: "操作员的操作和查看记录"
        case .keys: "各 App 的密钥"
        case .keysOf(let app): "\(Speech.isolated(app)) 在数据库中的密钥"
        case .noKeys(let app): "\(Speech.isolated(app)) 在数据库中没有密钥，只有配置文件中的密钥。使用 `tenure keys add` 创建。"
        case .name: "名称"
        case .kind: "种类"
        case .scopes: "权限范围"
        case .lastUsed: "最近使用"
        case .ends: "到期"
        case .holds: "有效"
        case .usedNearEnd: "在最后 7 天内仍被使用"
        case .never: "从未"
        case .audit: "操作员审计"
        case .auditIs: "每次登录、每次搜索、每次打开顾客页面都记录在此。记录逐条相链，不会更改；`tenure verify` 可以证明。"
        case .noNotes: "没有符合条件的记录。"
        case .number: "序号"
        case .when: "时间"
        case .who: "操作员"
        case .from: "来源"
        case .act: "操作"
        case .about: "对象"
        case .more: "详情"
        case .older: "更早的记录"
        case .onlyOf(let actor): "仅显示 \(Speech.isolated(actor)) 的操作。"
        }
    }
}

/// What operators did.
enum AuditedActWords: Words {
    case act(AuditedAct)

    var english: String {
        switch self {
        case .act(.loggedIn): "logged in"
        case .act(.loginFailed): "failed to log in"
        case .act(.loggedOut): "logged out"
        case .act(.provedSecondFactor): "showed the second factor again"
        case .act(.proofFailed): "failed to show the second factor"
        case .act(.usedLink): "used a link"
        case .act(.setFactors): "set password and second factor"
        case .act(.changedPassword): "changed the password"
        case .act(.madeRecoveryCodes): "made recovery codes"
        case .act(.changedSettings): "changed language or time zone"
        case .act(.endedSession): "ended a session"
        case .act(.endedSessions): "ended all sessions"
        case .act(.madeOperator): "made an operator"
        case .act(.madeLink): "made a link"
        case .act(.changedRoles): "changed roles"
        case .act(.endedOperator): "ended an operator"
        case .act(.openedCustomer): "opened a customer"
        case .act(.openedSubscription): "opened a subscription"
        case .act(.openedClaim): "opened a claim"
        case .act(.openedSignal): "opened a signal"
        case .act(.openedEvidence): "opened evidence"
        case .act(.searched): "searched"
        case .act(.inspected): "inspected what was pasted"
        case .act(.exportedRows): "exported rows"
        case .act(.beganExport): "began an export"
        case .act(.cutOffExport): "had an export cut off"
        case .act(.madeBackup): "made a backup"
        case .act(.madeEndpoint): "made a webhook endpoint"
        case .act(.changedEndpoint): "changed a webhook endpoint"
        case .act(.pausedEndpoint): "paused a webhook endpoint"
        case .act(.resumedEndpoint): "resumed a webhook endpoint"
        case .act(.rotatedSecrets): "made new secrets of a webhook endpoint"
        case .act(.resentEvents): "resent events to a webhook endpoint"
        case .act(.removedEndpoint): "removed a webhook endpoint"
        }
    }

    var chinese: String {
        switch self {
        case .act(.loggedIn): "登录"
        case .act(.loginFailed): "登录失败"
        case .act(.loggedOut): "退出登录"
        case .act(.provedSecondFactor): "再次通过第二重验证"
        case .act(.proofFailed): "第二重验证失败"
        case .act(.usedLink): "使用链接"
        case .act(.setFactors): "设置密码和第二重验证"
        case .act(.changedPassword): "更改密码"
        case .act(.madeRecoveryCodes): "生成恢复码"
        case .act(.changedSettings): "更改语言或时区"
        case .act(.endedSession): "结束一个会话"
        case .act(.endedSessions): "结束全部会话"
        case .act(.madeOperator): "创建操作员"
        case .act(.madeLink): "创建链接"
        case .act(.changedRoles): "更改角色"
        case .act(.endedOperator): "停用操作员"
        case .act(.openedCustomer): "打开顾客"
        case .act(.openedSubscription): "打开订阅"
        case .act(.openedClaim): "打开认领"
        case .act(.openedSignal): "打开信号"
        case .act(.openedEvidence): "打开证据"
        case .act(.searched): "搜索"
        case .act(.inspected): "检查粘贴的内容"
        case .act(.exportedRows): "导出数据"
        case .act(.beganExport): "开始导出"
        case .act(.cutOffExport): "导出中断"
        case .act(.madeBackup): "进行备份"
        case .act(.madeEndpoint): "创建 webhook 端点"
        case .act(.changedEndpoint): "更改 webhook 端点"
        case .act(.pausedEndpoint): "暂停 webhook 端点"
        case .act(.resumedEndpoint): "恢复 webhook 端点"
        case .act(.rotatedSecrets): "为 webhook 端点生成新密钥"
        case .act(.resentEvents): "向 webhook 端点重发事件"
        case .act(.removedEndpoint): "移除 webhook 端点"
        }
    }
}

extension AuditedAct {
    var words: AuditedActWords { .act(self) }
}
