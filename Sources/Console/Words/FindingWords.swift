import Backend

/// What a verification found, by its kind; what exactly stands beside it as it was kept.
enum FindingWords: Words {
    case kind(Finding.Kind)

    var english: String {
        switch self {
        case .kind(.auditRowChanged): "an audit row was changed, or one before it is missing"
        case .kind(.auditChainCut): "the chain of audit rows is cut"
        case .kind(.sealBroken): "a seal does not follow from what it seals"
        case .kind(.schemaDiffers): "the schema of the database is another"
        case .kind(.databaseDamaged): "the database's file is damaged"
        case .kind(.columnsDiffer): "what stands beside a document is not what it says"
        case .kind(.notificationDiffers): "the list of notifications differs from those kept"
        case .kind(.documentUnused): "a document that nothing names"
        case .kind(.factUnproven): "a fact that its evidence proves no more"
        case .kind(.factDiffers): "a fact whose evidence proves something else"
        case .kind(.historyDiffers): "a history that is not what its facts come to"
        case .kind(.ownersDiffer): "owners that are not what the history comes to"
        case .kind(.holdingsDiffer): "holdings that are not what the history comes to"
        case .kind(.periodsDiffer): "names of periods that are not what the history comes to"
        case .kind(.listingDiffers): "a row of the lists that is not what the history comes to"
        case .kind(.accountDiffers): "a customer's account that is not what was said about them"
        case .kind(.customerMissing): "a customer of whom nothing is kept"
        case .kind(.signalDiffers): "a signal whose evidence is not in the books"
        case .kind(.unreadable): "it cannot be read"
        }
    }

    var chinese: String {
        switch self {
        case .kind(.auditRowChanged): "审计记录被更改，或其之前缺少一条"
        case .kind(.auditChainCut): "审计记录的链被截断"
        case .kind(.sealBroken): "封印与其所封内容不符"
        case .kind(.schemaDiffers): "数据库的结构不符"
        case .kind(.databaseDamaged): "数据库文件已损坏"
        case .kind(.columnsDiffer): "文档旁的内容与文档不符"
        case .kind(.notificationDiffers): "通知列表与所保存的通知不符"
        case .kind(.documentUnused): "没有任何内容引用的文档"
        case .kind(.factUnproven): "其证据不再能证明的事实"
        case .kind(.factDiffers): "其证据所证明的内容不同的事实"
        case .kind(.historyDiffers): "历史与其事实得出的不符"
        case .kind(.ownersDiffer): "拥有者与历史得出的不符"
        case .kind(.holdingsDiffer): "顾客的权限与历史得出的不符"
        case .kind(.periodsDiffer): "周期的名称与历史得出的不符"
        case .kind(.listingDiffers): "列表中的内容与历史得出的不符"
        case .kind(.accountDiffers): "顾客的记录与就其所告知的不符"
        case .kind(.customerMissing): "没有保存任何内容的顾客"
        case .kind(.signalDiffers): "其证据不在账本中的信号"
        case .kind(.unreadable): "无法读取"
        }
    }
}
